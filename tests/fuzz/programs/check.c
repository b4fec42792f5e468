/* check.c - see check.h. */
#include "check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../random.h"
#include "base/float_format.h"
#include "base/dtype.h"
#include "codegen/codegen.h"
#include "runtime/sanitize.h"

enum { MAX_STEPS = 3000000, MAX_SEQUENCE = 6, MAX_ONLY = 64, MAX_OPS = 30000, MAX_COMPILED_OPS = 15000 };

/* ---- inputs ----------------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state) { return fuzz_random(state) >> 7; }

static double random_number(uint64_t *seed, bool *is_special) {
  static const double special[] = {0.0, -0.0, 1.5, -2.75, 1e-3, 100.25, 65504.0, INFINITY, -INFINITY, NAN};
  *is_special = next_random(seed) % 2;
  if (*is_special) return special[next_random(seed) % NR_COUNTOF(special)];
  return (double)(int64_t)(next_random(seed) % 17) - 8;
}

static uint64_t float_bits(NoriaDType type, double d) {
  float f = (float)d;
  uint32_t word;
  uint64_t bits;
  if (type == NORIA_F64) return memcpy(&bits, &d, sizeof d), bits;
  if (type == NORIA_F32) return memcpy(&word, &f, sizeof f), word;
  return nr_float_encode(type == NORIA_F16 ? &nr_format_f16 : &nr_format_bf16, d, false);
}

/* Tensors hold small integers, also as floats: sums of them are exact in any order. Scalars are anything. */
static uint64_t random_element(NoriaDType type, bool is_scalar, uint64_t *seed) {
  const NrDTypeInfo *info = nr_dtype_info(type);
  bool special;
  if (info->class == NR_DTYPE_BOOL) return next_random(seed) % 2;
  if (info->class == NR_DTYPE_FLOAT) {
    double d = random_number(seed, &special);
    return float_bits(type, special && !is_scalar ? 3 : d);
  }
  if (!is_scalar || next_random(seed) % 2) return next_random(seed) % 7 - (info->class == NR_DTYPE_SIGNED ? 2 : 0);
  return next_random(seed) * 0x9e3779b97f4a7c15u;
}

/* All dims that are known in the run only have one size. */
static NoriaValue *make_input(const NoriaValueInfo *info, size_t set, uint64_t seed) {
  static const int64_t sizes[CHECK_MAX_SETS] = {4, 1, 0, 7};
  int64_t dims[NORIA_MAX_RANK], count = 1;
  for (int32_t i = 0; i < info->rank; i++) count *= dims[i] = info->dims[i] < 0 ? sizes[set] : info->dims[i];
  size_t size = noria_dtype_size((NoriaDType)info->dtype);
  unsigned char *data = nr_calloc((size_t)count + 1, size + 8);
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = random_element((NoriaDType)info->dtype, info->rank == 0, &seed);
    memcpy(data + (size_t)i * size, &bits, NR_MIN(size, sizeof bits));
  }
  NoriaValue *value = NULL;
  NoriaStatus status = noria_tensor_create((NoriaDType)info->dtype, info->rank, dims, data, &value, NULL);
  nr_free(data);
  return status ? NULL : value;
}

static bool make_inputs(Check *c, const NoriaModule *module) {
  bool dynamic = false;
  for (int32_t i = 0; i < module->num_inputs; i++)
    for (int32_t d = 0; d < module->inputs[i].rank; d++) dynamic |= module->inputs[i].dims[d] < 0;
  c->num_sets = dynamic ? 4 : 3;
  for (size_t set = 0; set < c->num_sets; set++)
    for (int32_t i = 0; i < module->num_inputs; i++) {
      NoriaValue *value =
          make_input(&module->inputs[i], set, (set + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i * 77);
      if (!value) return false;
      nr_vec_push(&c->inputs[set], value);
    }
  return true;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void outcome_deinit(CheckOutcome *o) {
  for (size_t i = 0; i < o->values.size; i++) noria_value_release(o->values.data[i]);
  nr_vec_deinit(&o->values);
  nr_buf_deinit(&o->message);
}

static CheckOutcome run(Check *c, NoriaProgram *program, size_t set) {
  CheckOutcome o = {0};
  NoriaError error = NORIA_ERROR_INIT;
  NoriaRunOptions options = {.limits = {.time_s = 60}};
  size_t count = (size_t)noria_program_module(program)->num_outputs;
  nr_vec_reserve(&o.values, count + 1);
  o.status = noria_program_run(program, (const NoriaValue *const *)c->inputs[set].data, c->inputs[set].size,
                               o.values.data, count, &options, &error);
  if (o.status) nr_buf_puts(&o.message, error.message ? error.message : noria_status_name(o.status));
  else o.values.size = count;
  noria_error_clear(&error);
  c->counts.runs++;
  return o;
}

static bool is_nan(NoriaDType type, const unsigned char *at) {
  uint64_t bits = 0;
  memcpy(&bits, at, noria_dtype_size(type));
  switch (type) {
  case NORIA_F64: return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
  case NORIA_F32: return (bits & 0x7fffffff) > 0x7f800000;
  case NORIA_F16: return (bits & 0x7fff) > 0x7c00;
  case NORIA_BF16: return (bits & 0x7fff) > 0x7f80;
  default: return false;
  }
}

/* Bit for bit, but that any NaN is a NaN. */
static bool same_value(const NoriaValue *a, const NoriaValue *b, int64_t *at) {
  NoriaDType type = noria_value_dtype(a);
  const unsigned char *x = noria_tensor_data(a), *y = noria_tensor_data(b);
  size_t size = noria_dtype_size(type);
  *at = -1;
  if (noria_tensor_rank(a) != noria_tensor_rank(b)) return false;
  for (int64_t d = 0; d < noria_tensor_rank(a); d++)
    if (noria_tensor_dims(a)[d] != noria_tensor_dims(b)[d]) return false;
  for (*at = 0; *at < noria_tensor_count(a); ++*at, x += size, y += size)
    if (memcmp(x, y, size) != 0 && !(is_nan(type, x) && is_nan(type, y))) return false;
  return true;
}

static void put_element(NrBuf *out, const NoriaValue *v, int64_t i) {
  size_t size = noria_dtype_size(noria_value_dtype(v));
  uint64_t bits = 0;
  memcpy(&bits, (const unsigned char *)noria_tensor_data(v) + (size_t)i * size, NR_MIN(size, sizeof bits));
  nr_buf_printf(out, "0x%llx", (unsigned long long)bits);
}

static CheckStatus compare(Check *c, const CheckOutcome *want, const CheckOutcome *got, size_t set, const char *where) {
  if (got->status) {
    nr_buf_printf(&c->message, "%s: inputs %zu: fails: %s", where, set, got->message.data);
    return CHECK_FAILED;
  }
  for (size_t i = 0; i < want->values.size; i++) {
    int64_t at;
    if (same_value(want->values.data[i], got->values.data[i], &at)) continue;
    nr_buf_printf(&c->message, "%s: inputs %zu: output %zu", where, set, i);
    if (at < 0) nr_buf_puts(&c->message, " has another shape");
    else {
      nr_buf_printf(&c->message, " at %lld is ", (long long)at);
      put_element(&c->message, got->values.data[i], at);
      nr_buf_puts(&c->message, " instead of ");
      put_element(&c->message, want->values.data[i], at);
    }
    return CHECK_FAILED;
  }
  return CHECK_OK;
}

/* sanitized: code that was compiled for the address sanitizer, else NULL. */
static CheckStatus run_all(Check *c, const NoriaModule *module, int threads, const NrCompiled *sanitized,
                           const char *where) {
  NoriaProgramOptions options = {.threads = threads};
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  CheckStatus status = CHECK_OK;
  if (noria_program_create(module, &options, &program, &error)) {
    nr_buf_printf(&c->message, "%s: %s", where, error.message);
    noria_error_clear(&error);
    return CHECK_FAILED;
  }
  size_t count = 0;
  const NrCodeRegion *regions = sanitized ? nr_compiled_regions(sanitized, &count) : NULL;
  NrMemoryRegion *own = nr_calloc(count, sizeof *own);
  for (size_t i = 0; i < count; i++) own[i] = (NrMemoryRegion){regions[i].data, regions[i].size};
  if (sanitized) nr_program_sanitize(program, own, count);
  for (size_t set = 0; set < c->num_sets && !status; set++) {
    CheckOutcome got = run(c, program, set);
    status = compare(c, &c->want[set], &got, set, where);
    outcome_deinit(&got);
  }
  noria_program_destroy(program);
  nr_free(own);
  return status;
}

static CheckStatus failed(Check *c, const char *why) {
  nr_diag_flush(c->unit.ctx);
  nr_buf_printf(&c->message, "%s%s%s", why, c->unit.errors.size ? "\n" : "",
                c->unit.errors.size ? c->unit.errors.data : "");
  return CHECK_FAILED;
}

static CheckStatus interpret(Check *c, NrModule *module, const char *where) {
  NrInterpProgram *interp;
  NrInterpOptions options = {.max_steps = 4 * (int64_t)MAX_STEPS, .hostile = true};
  if (nr_interp_create(module, NULL, &options, &interp)) return failed(c, "cannot be interpreted");
  CheckStatus status = run_all(c, nr_interp_module(interp), 1, NULL, where);
  nr_interp_destroy(interp);
  return status;
}

/* ---- the reference ---------------------------------------------------------------------------------------------- */

static CheckStatus run_first(Check *c) {
  NrInterpProgram *interp;
  NrInterpOptions options = {.max_steps = MAX_STEPS};
  NoriaProgramOptions program_options = {.threads = 1};
  NoriaProgram *program = NULL;
  if (nr_interp_create(c->unit.module, NULL, &options, &interp)) return failed(c, "cannot be interpreted");
  CheckStatus status = CHECK_OK;
  if (noria_program_create(nr_interp_module(interp), &program_options, &program, NULL) ||
      !make_inputs(c, nr_interp_module(interp)))
    status = CHECK_UNDEFINED;
  for (size_t set = 0; set < c->num_sets && !status; set++) {
    c->want[set] = run(c, program, set);
    if (!c->want[set].status) continue;
    status = CHECK_UNDEFINED;
    c->too_long = strstr(c->want[set].message.data, "ops is reached") != NULL;
    nr_buf_printf(&c->message, "the program is not well-defined: inputs %zu: %s", set, c->want[set].message.data);
  }
  noria_program_destroy(program);
  nr_interp_destroy(interp);
  return status;
}

/* What memory holds before it is written, and the order of what runs in parallel, may not matter. */
static CheckStatus run_hostile(Check *c) {
  CheckStatus status = interpret(c, c->unit.module, "the program is not well-defined");
  return status ? CHECK_UNDEFINED : CHECK_OK;
}

CheckStatus check_begin(Check *c, const char *text, size_t size) {
  c->counts.programs++;
  if (nr_compilation_read_memory(&c->unit, text, size, "program.mlir", NULL, NULL)) return failed(c, "is not read");
  if (nr_compilation_set_entry(&c->unit, NULL)) return failed(c, "has no entry");
  CheckStatus status = run_first(c);
  return status ? status : run_hostile(c);
}

void check_end(Check *c) {
  for (size_t set = 0; set < CHECK_MAX_SETS; set++) {
    for (size_t i = 0; i < c->inputs[set].size; i++) noria_value_release(c->inputs[set].data[i]);
    nr_vec_deinit(&c->inputs[set]);
    outcome_deinit(&c->want[set]);
  }
  nr_compilation_deinit(&c->unit);
  nr_buf_deinit(&c->message);
  nr_buf_deinit(&c->text);
}

/* ---- ways of running it ----------------------------------------------------------------------------------------- */

static void about_to(Check *c, const char *format, const char *argument) {
  c->unit.errors.size = 0;
  snprintf(c->what, sizeof c->what, format, argument);
  if (c->about_to) c->about_to(c->user, c->what);
}

static bool count_op(NrOp *op, void *user) { return --*(int64_t *)user > 0; }

/* Passes that copy loops may make of a program what is looked at, or compiled, for minutes. */
static bool is_larger(NrModule *module, int64_t ops) { return !nr_walk_pre(module->op, count_op, &ops); }

static NrStatus stop_when_large(void *user, NrModule *module, const char *name) {
  return is_larger(module, MAX_OPS) ? NR_ERROR_LIMIT : NR_OK;
}

/* CHECK_UNDEFINED when a pass says that it cannot, or leaves a program that is too large. */
static CheckStatus run_passes(Check *c, NrModule *module, const char *passes) {
  NrStatus status = nr_run_passes(module, nr_str(passes), &(NrPassOptions){.verify = true, .after = stop_when_large});
  if (!status) return CHECK_OK;
  if (status == NR_ERROR_INTERNAL) return failed(c, "a pass leaves a wrong program");
  nr_diag_flush(c->unit.ctx);
  c->counts.refused += status != NR_ERROR_LIMIT;
  return CHECK_UNDEFINED;
}

/* Prints in today's text, or in that of 2020 if it has no words for the program. */
static NrPrintOptions print(Check *c, NrModule *module, NrBuf *out) {
  NrPrintOptions options = {.report_refused_text = true};
  size_t errors = nr_context_num_errors(c->unit.ctx);
  nr_print_module(out, module, &options);
  options.report_refused_text = false;
  if (nr_context_num_errors(c->unit.ctx) == errors) return options;
  nr_diag_flush(c->unit.ctx);
  c->unit.errors.size = 0;
  out->size = 0;
  options.syntax = NR_SYNTAX_2020;
  nr_print_module(out, module, &options);
  return options;
}

/* Whether what passes leave can be printed, read and printed again. */
static CheckStatus reread(Check *c, NrModule *module) {
  NrBuf text = {0}, again = {0};
  CheckStatus status = CHECK_OK;
  NrPrintOptions options = print(c, module, &text);
  NrModule *copy = nr_parse_module(c->unit.ctx, (NrStr){text.data, text.size}, NR_STR("printed"), NULL, NULL);
  if (!copy || nr_verify(copy->op)) status = failed(c, "what passes leave is printed, but not read");
  else nr_print_module(&again, copy, &options);
  bool same = again.size == text.size && memcmp(again.data, text.data, text.size) == 0;
  if (!status && !same && strstr(text.data, "affine.")) /* sums of indices are simplified when they are read */
    status = interpret(c, copy, "what passes leave, printed and read");
  else if (!status && !same) status = failed(c, "what passes leave is printed, and read as something else");
  nr_module_destroy(copy);
  nr_buf_deinit(&text);
  nr_buf_deinit(&again);
  return status;
}

/* What the passes left as it was needs no run. */
static bool is_changed(Check *c, NrModule *module) {
  NrBuf text = {0};
  if (!c->text.size) nr_print_module(&c->text, c->unit.module, NULL);
  nr_print_module(&text, module, NULL);
  bool changed = text.size != c->text.size || memcmp(text.data, c->text.data, text.size) != 0;
  nr_buf_deinit(&text);
  return changed;
}

static CheckStatus check_left(Check *c, NrModule *module, const char *where) {
  CheckStatus status = reread(c, module);
  return status ? status : interpret(c, module, where);
}

CheckStatus check_passes(Check *c, const char *passes) {
  about_to(c, "--passes=%s", passes);
  NrModule *module = nr_module_clone(c->unit.module);
  CheckStatus status = run_passes(c, module, passes);
  if (status == CHECK_OK && is_changed(c, module)) status = check_left(c, module, passes);
  else if (status == CHECK_UNDEFINED) status = CHECK_OK;
  nr_module_destroy(module);
  return status;
}

typedef struct Stages {
  Check *check;
  CheckStatus status;
} Stages;

static NrStatus after_stage(void *user, NrModule *module, const char *name) {
  Stages *s = user;
  s->status = check_left(s->check, module, name);
  return s->status ? NR_ERROR_INTERNAL : NR_OK;
}

static CheckStatus check_code(Check *c, NrModule *module, int threads, bool sanitize) {
  static const NrSanitizeCalls watch = {nr_sanitize_access, nr_sanitize_allocated};
  NrCompiled *code;
  NrCodegenOptions options = {
      .opt_level = 2, .threads = threads, .cpu = c->cpu, .sanitize = sanitize ? &watch : NULL};
  if (nr_codegen_jit(module, &options, &code)) return failed(c, "is not compiled");
  CheckStatus status = run_all(c, nr_compiled_module(code), threads, sanitize ? code : NULL,
                               sanitize ? "compiled, under the address sanitizer" : "compiled");
  nr_compiled_destroy(code);
  return status;
}

static CheckStatus check_compiled(Check *c, NrModule *module, int threads) {
  CheckStatus status = check_code(c, module, threads, false);
  return status || !c->sanitize ? status : check_code(c, module, threads, true);
}

CheckStatus check_pipeline(Check *c, const char *passes) {
  about_to(c, "--pipeline=%s", passes);
  NrModule *module = nr_module_clone(c->unit.module);
  CheckStatus status = run_passes(c, module, passes);
  if (status == CHECK_OK && !is_larger(module, MAX_COMPILED_OPS)) {
    Stages stages = {.check = c};
    NrPassOptions options = {.verify = true, .after = after_stage, .user = &stages};
    NrStatus lowered = nr_pipeline_run(module, &options);
    status = stages.status;
    if (!status && lowered == NR_ERROR_INTERNAL) status = failed(c, "a stage leaves a wrong program");
    else if (!status && lowered && !*passes) status = failed(c, "is not lowered");
    else if (!status && lowered) c->counts.refused++;
    else if (!status) status = check_compiled(c, module, strstr(passes, "dispatch") ? 3 : 1);
  } else if (status == CHECK_UNDEFINED) status = CHECK_OK;
  nr_module_destroy(module);
  return status;
}

/* Compiles the file at base.c to a library and runs that. */
static CheckStatus run_library(Check *c, const char *folder) {
  char command[600], library[300];
  snprintf(library, sizeof library, "%s/program.so", folder);
  snprintf(command, sizeof command, "gcc -std=c17 -O2 -w -shared -fPIC %s/program.c -o %s -lm", folder, library);
  if (system(command)) return failed(c, "is C that gcc does not compile");
  void *code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const NoriaModule *module = code ? dlsym(code, "noria_module") : NULL;
  CheckStatus status = module ? run_all(c, module, 1, NULL, "as C") : failed(c, "is C that cannot be loaded");
  if (code) dlclose(code);
  return status;
}

CheckStatus check_c(Check *c) {
  char folder[] = "/tmp/noria-programs-XXXXXX", path[300];
  NrModule *module = nr_module_clone(c->unit.module);
  NrPassOptions passes = {.verify = true};
  NrCodegenOptions options = {.opt_level = 2};
  CheckStatus status = CHECK_OK;
  about_to(c, "--c-source%s", "");
  if (!mkdtemp(folder)) return failed(c, "has no folder for its C");
  snprintf(path, sizeof path, "%s/program.c", folder);
  NrStatus made = nr_codegen_target_c(c->unit.ctx, NULL, NULL, &passes.target);
  if (!made) made = nr_pipeline_run(module, &passes);
  if (!made) made = nr_codegen_emit(&(NrVariant){module, options}, 1, NR_CODEGEN_C, path);
  status = made ? failed(c, "is not made C") : run_library(c, folder);
  for (const char *const *name = (const char *const[]){"program.c", "program.so", NULL}; *name; name++) {
    snprintf(path, sizeof path, "%s/%s", folder, *name);
    unlink(path);
  }
  rmdir(folder);
  nr_module_destroy(module);
  return status;
}

CheckStatus check_text(Check *c, const char *syntax) {
  about_to(c, "--text=%s", syntax);
  NrBuf text = {0};
  NrPrintOptions options = {.syntax = strcmp(syntax, "2020") == 0 ? NR_SYNTAX_2020 : NR_SYNTAX_MLIR,
                            .generic = strcmp(syntax, "generic") == 0};
  size_t errors = nr_context_num_errors(c->unit.ctx);
  options.report_refused_text = options.syntax == NR_SYNTAX_MLIR; /* the text of 2020 is read with today's among it */
  nr_print_module(&text, c->unit.module, &options);
  bool is_said = nr_context_num_errors(c->unit.ctx) == errors; /* else it is no text at all */
  NrModule *module = nr_parse_module(c->unit.ctx, (NrStr){text.data, text.size}, NR_STR("printed"), NULL, NULL);
  CheckStatus status;
  if (!module || nr_verify(module->op)) status = is_said ? failed(c, "what was printed is not read") : CHECK_OK;
  else status = interpret(c, module, "the text");
  nr_module_destroy(module);
  nr_buf_deinit(&text);
  return status;
}

/* ---- sequences -------------------------------------------------------------------------------------------------- */

static size_t num_passes(void) {
  size_t n = 0;
  while (nr_pass_at(n)) n++;
  return n;
}

/* What a pass may be told to assume is not so, and what it is to test ends with a message. */
static void put_option(NrBuf *out, const NrPassOption *option, uint64_t *seed) {
  if (nr_str_starts(nr_str(option->name), "assume-") || nr_str_starts(nr_str(option->name), "test-")) return;
  size_t words = 0;
  while (option->kind == NR_OPTION_WORD && option->words[words]) words++;
  int64_t value = NR_MIN(NR_MAX(option->min, 1) + (int64_t)(next_random(seed) % 5), option->max);
  if (next_random(seed) % 16 == 0) value = NR_MIN(option->max, 64);
  nr_buf_puts(out, option->name);
  if (option->kind == NR_OPTION_INT) nr_buf_printf(out, "=%lld", (long long)value);
  if (option->kind == NR_OPTION_INTS)
    nr_buf_printf(out, "=%lld,%lld", (long long)option->min + 1, (long long)option->min); /* a permutation, if 0 */
  if (option->kind == NR_OPTION_FLAG) nr_buf_puts(out, option->fallback ? "=false" : "=true");
  if (words) nr_buf_printf(out, "=%s", option->words[next_random(seed) % words]);
  nr_buf_putc(out, ' ');
}

/* The pass with, every other time, some of its options. */
static void put_pass(NrBuf *out, const NrPass *pass, uint64_t *seed) {
  nr_buf_puts(out, pass->name);
  if (!pass->options || next_random(seed) % 2) return;
  nr_buf_putc(out, '{');
  for (const NrPassOption *option = pass->options; option->name; option++)
    if (next_random(seed) % 2) put_option(out, option, seed);
  nr_buf_putc(out, '}');
}

/* Passes that find something to do mostly behind others. */
static const char *const in_order[][2] = {
    {"scf-parallel-loop-tiling", "scf-parallel-loop-specialization"},
    {"bufferize", "scf-forall-to-parallel"},
    {"bufferize", "vectorize-contractions"},
    {"bufferize", "convert-linalg-to-loops"},
    {"bufferize", "buffer-loop-hoisting"},
    {"bufferize", "double-buffer-loops"},
    {"scf-for-to-parallel", "scf-parallel-loop-fusion"},
    {"while-to-for", "scf-for-to-parallel"},
    {"convert-scf-to-cf", "lift-cf-to-scf"},
    {"inline", "mem2reg"},
    {"form-dispatch-regions", "convert-dispatch-region-to-workgroups"},
    {"clone-producers-into-dispatch-regions", "convert-dispatch-region-to-workgroups"},
    {"tile-dispatches", "outline-dispatches"},
};

/* One of those in the list. */
static const NrPass *random_pass_of(const char *list, uint64_t *seed) {
  const NrPass *passes[MAX_ONLY];
  size_t count = 0;
  for (const char *p = list; *p && count < MAX_ONLY; p += strcspn(p, ","), p += *p == ',') {
    const NrPass *pass = nr_pass_find((NrStr){p, strcspn(p, ",")});
    if (pass) passes[count++] = pass;
  }
  return count ? passes[next_random(seed) % count] : nr_pass_at(0);
}

/* verify-claims changes nothing, and refuses a program that check-claims was not run on. */
static bool only_verifies(const NrPass *pass) { return nr_str_starts(nr_str(pass->name), "verify-"); }

static const NrPass *random_pass(const Check *c, uint64_t *seed) {
  if (c->only) return random_pass_of(c->only, seed);
  for (;;) {
    const NrPass *pass = nr_pass_at(next_random(seed) % num_passes());
    if (!only_verifies(pass)) return pass;
  }
}

static void random_sequence(const Check *c, NrBuf *out, uint64_t *seed) {
  out->size = 0;
  uint64_t longest = c->longest > 0 ? (uint64_t)c->longest : MAX_SEQUENCE;
  for (uint64_t i = 1 + next_random(seed) % longest; i > 0; i--) {
    const NrPass *pass = random_pass(c, seed), *before = NULL;
    for (size_t k = 0; k < NR_COUNTOF(in_order); k++)
      if (strcmp(in_order[k][1], pass->name) == 0 && next_random(seed) % 2)
        before = nr_pass_find(nr_str(in_order[k][0]));
    if (out->size) nr_buf_putc(out, ',');
    if (before) {
      put_pass(out, before, seed);
      nr_buf_putc(out, ',');
    }
    put_pass(out, pass, seed);
  }
}

static CheckStatus check_sequences(Check *c, uint64_t *seed, int count, bool compile) {
  NrBuf passes = {0};
  CheckStatus status = CHECK_OK;
  for (int i = 0; i < count && !status; i++) {
    random_sequence(c, &passes, seed);
    status = compile && i % 4 == 0 ? check_pipeline(c, passes.data) : check_passes(c, passes.data);
  }
  nr_buf_deinit(&passes);
  return status;
}

/* Loops that are not worth it shared out to threads. */
static CheckStatus check_threads(Check *c, uint64_t *seed) {
  static const char *const before[] = {"", "scf-for-to-parallel,", "bufferize,convert-linalg-to-loops,",
                                       "bufferize,vectorize-contractions,convert-linalg-to-loops,scf-for-to-parallel,"};
  char passes[256];
  snprintf(passes, sizeof passes, "%sparallel-to-dispatch{min-dispatch-ns=0 min-workgroup-ns=%d}", before[next_random(seed) % NR_COUNTOF(before)],
           1 << next_random(seed) % 8);
  return check_pipeline(c, passes);
}

CheckStatus check_everything(Check *c, uint64_t seed, int sequences) {
  static const char *const syntaxes[] = {"mlir", "2020", "generic"};
  NrBuf pass = {0};
  CheckStatus status = CHECK_OK;
  for (size_t i = 0; i < NR_COUNTOF(syntaxes) && !status; i++) status = check_text(c, syntaxes[i]);
  for (size_t i = 0; i < 2 * num_passes() && !status; i++) {
    if (only_verifies(nr_pass_at(i / 2))) continue;
    pass.size = 0;
    put_pass(&pass, nr_pass_at(i / 2), &seed);
    status = check_passes(c, pass.data);
  }
  if (!status) status = check_pipeline(c, "");
  if (!status) status = check_c(c);
  for (int i = 0; i < 4 && !status; i++) status = check_threads(c, &seed);
  if (!status) status = check_sequences(c, &seed, sequences, true);
  nr_buf_deinit(&pass);
  return status;
}

CheckStatus check_some(Check *c, uint64_t seed) {
  static const char *const syntaxes[] = {"2020", "2020", "mlir", "generic"};
  NrBuf pass = {0};
  next_random(&seed);
  CheckStatus status = check_text(c, syntaxes[next_random(&seed) % NR_COUNTOF(syntaxes)]);
  for (int i = 0; i < 24 && !status; i++) {
    pass.size = 0;
    put_pass(&pass, random_pass(c, &seed), &seed);
    status = check_passes(c, pass.data);
  }
  nr_buf_deinit(&pass);
  if (!status) status = check_sequences(c, &seed, 6, c->only != NULL);
  if (!status && next_random(&seed) % 3 == 0) status = check_threads(c, &seed);
  if (!status && next_random(&seed) % 8 == 0) status = check_c(c);
  if (!status && next_random(&seed) % 3) return check_pipeline(c, "");
  if (!status) status = check_sequences(c, &seed, 1, true);
  return status;
}
