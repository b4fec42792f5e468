/* codegen_test.h - text in, machine code out, called with a small runtime of its own that counts what is held. */
#ifndef NORIA_TESTS_UNIT_CODEGEN_TEST_H
#define NORIA_TESTS_UNIT_CODEGEN_TEST_H

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "../test.h"
#include "codegen/codegen.h"
#include "ir/op_info.h"
#include "ir/text.h"
#include "pass/core/pass.h"

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

typedef struct TestExec {
  NoriaExec exec; /* first */
  const NoriaModule *module;
  int held;       /* buffers that are allocated */
  int dispatches, polls;
  int64_t polled, stop_after; /* iterations; stop_after 0: never */
  int site;                   /* of the last failure, or -1 */
  int64_t values[4];
} TestExec;

static void *host_alloc(NoriaExec *exec, int64_t size) {
  if (size < 0 || size > (int64_t)1 << 40) return NULL;
  ((TestExec *)exec)->held++;
  return aligned_alloc(64, ((size_t)size + 64) / 64 * 64);
}

static void *host_alloc_aligned(NoriaExec *exec, int64_t size, int64_t alignment) {
  if (size < 0 || size > (int64_t)1 << 40) return NULL;
  ((TestExec *)exec)->held++;
  return aligned_alloc((size_t)alignment, ((size_t)size + (size_t)alignment) / (size_t)alignment * (size_t)alignment);
}

static int32_t host_free(NoriaExec *exec, void *data) {
  if (data) ((TestExec *)exec)->held--;
  free(data);
  return 0;
}

static void *host_realloc(NoriaExec *exec, void *data, int64_t size) {
  void *out = host_alloc(exec, size);
  if (data && out) memcpy(out, data, NR_MIN((size_t)size, malloc_usable_size(data)));
  host_free(exec, data);
  return out;
}

static int32_t host_dispatch(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z) {
  ((TestExec *)exec)->dispatches++;
  for (int64_t k = 0; k < z; k++)
    for (int64_t j = 0; j < y; j++)
      for (int64_t i = 0; i < x; i++)
        if (fn(exec, args, i, j, k)) return 1;
  return 0;
}

static int32_t host_poll(NoriaExec *exec, int64_t iterations) {
  TestExec *t = (TestExec *)exec;
  t->polls++;
  t->polled += iterations;
  return t->stop_after && t->polled >= t->stop_after;
}

static int32_t host_fail(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d) {
  TestExec *t = (TestExec *)exec;
  if (t->site >= 0) return 1; /* the first failure of a run counts */
  t->site = site;
  memcpy(t->values, (int64_t[]){a, b, c, d}, sizeof t->values);
  return 1;
}

static int32_t host_charge(NoriaExec *exec, int64_t bytes) {
  (void)exec;
  (void)bytes;
  return 0;
}

static const NoriaRuntimeApi host_api = {.alloc = host_alloc,
                                         .free = host_free,
                                         .realloc = host_realloc,
                                         .dispatch = host_dispatch,
                                         .poll = host_poll,
                                         .fail = host_fail,
                                         .charge = host_charge,
                                         .alloc_aligned = host_alloc_aligned};

/* ---- programs ---------------------------------------------------------------------------------------------------- */

typedef struct Program {
  NrContext *ctx;
  NrModule *module;
  NrCompiled *compiled;
  NrBuf messages; /* what was reported */
  TestExec run;
  const void *constants[64];
} Program;

static void collect_message(void *user, const NrDiag *diag) {
  nr_buf_str(user, diag->message);
  nr_buf_putc(user, '\n');
}

static NrModule *program_parse(Program *p, const char *text) {
  p->ctx = nr_context_create();
  nr_context_set_diag_handler(p->ctx, collect_message, &p->messages);
  p->module = nr_parse_module(p->ctx, nr_str(text), nr_str("test.mlir"), NULL, NULL);
  nr_diag_flush(p->ctx);
  if (!p->module) {
    print_message("%s", p->messages.data ? p->messages.data : "");
    fail_msg("the test's program does not parse");
  }
  return p->module;
}

static inline NrStatus program_finish(Program *p, const NrCodegenOptions *options) {
  NrStatus status = nr_pipeline_run_stage(p->module, "expand", &(NrPassOptions){.target = options->target});
  if (!status) status = nr_codegen_jit(p->module, options, &p->compiled);
  nr_diag_flush(p->ctx);
  if (status) return status;
  const NoriaModule *m = nr_compiled_module(p->compiled);
  assert_true(m->num_constants <= 64);
  for (int i = 0; i < m->num_constants; i++) p->constants[i] = m->constants[i].data;
  p->run = (TestExec){.exec = {.api = &host_api, .constants = p->constants, .threads = 1}, .module = m, .site = -1};
  return NR_OK;
}

static inline NrStatus program_try(Program *p, const char *text, int level) {
  memset(p, 0, sizeof *p);
  program_parse(p, text);
  return program_finish(p, &(NrCodegenOptions){.opt_level = level, .all_functions = true});
}

static inline void program_compile(Program *p, const char *text) {
  NrStatus status = program_try(p, text, 2);
  if (status) print_message("%s", p->messages.data ? p->messages.data : "");
  assert_int_equal(status, NR_OK);
}

static void program_free(Program *p) {
  nr_compiled_destroy(p->compiled);
  nr_module_destroy(p->module);
  nr_context_destroy(p->ctx);
  nr_buf_deinit(&p->messages);
}

static inline int program_call(Program *p, const char *name, const NoriaDesc *args, NoriaDesc *results) {
  NoriaEntryFn function = nr_codegen_function(p->compiled, name);
  if (!function) fail_msg("no function %s", name);
  p->run.site = -1;
  return function(&p->run.exec, args, results);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static inline NoriaDesc scalar_bits(uint64_t bits) { return (NoriaDesc){.rank = -1, .bits = bits}; }
static inline NoriaDesc scalar_i64(int64_t value) { return scalar_bits((uint64_t)value); }
static inline NoriaDesc scalar_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return scalar_bits(bits);
}
static inline NoriaDesc scalar_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return scalar_bits(bits);
}
static inline float as_f32(NoriaDesc d) {
  float value;
  uint32_t bits = (uint32_t)d.bits;
  memcpy(&value, &bits, 4);
  return value;
}
static inline double as_f64(NoriaDesc d) {
  double value;
  memcpy(&value, &d.bits, 8);
  return value;
}
static inline NoriaDesc tensor1(void *data, int64_t n) { return (NoriaDesc){.data = data, .rank = 1, .dims = {n}}; }
static inline NoriaDesc tensor2(void *data, int64_t n, int64_t m) {
  return (NoriaDesc){.data = data, .rank = 2, .dims = {n, m}};
}

#endif
