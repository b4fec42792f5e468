/* test_buffers.c - random programs on tensors give the same results on buffers: interpreted, where memory is checked,
 * and as machine code, where every buffer must have been freed in the end. */
#include "../codegen/codegen_test.h"

#include "interp/interp.h"
#include "pass/core/pass.h"
#include "tensor_programs.h"

enum { MAX_RESULTS = 4, MAX_ELEMENTS = 64 };

typedef struct Results {
  int32_t status;
  int64_t ranks[MAX_RESULTS], dims[MAX_RESULTS][2];
  int32_t elements[MAX_RESULTS][MAX_ELEMENTS];
} Results;

static void call(TestExec *exec, NoriaEntryFn entry, size_t num_results, Results *out) {
  static const int32_t first[4] = {7, -3, 11, 5}, second[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  int32_t a[4], b[12];
  memcpy(a, first, sizeof a);
  memcpy(b, second, sizeof b);
  NoriaDesc args[6] = {tensor1(a, 4), tensor2(b, 3, 4), scalar_i64(3), scalar_i64(4), scalar_bits(1), scalar_bits(0)};
  NoriaDesc results[MAX_RESULTS] = {0};
  memset(out, 0, sizeof *out);
  out->status = entry(&exec->exec, args, results);
  for (size_t i = 0; i < num_results && !out->status; i++) {
    int64_t count = 1;
    out->ranks[i] = results[i].rank;
    for (int64_t d = 0; d < results[i].rank; d++) count *= out->dims[i][d] = results[i].dims[d];
    assert_true(count <= MAX_ELEMENTS);
    memcpy(out->elements[i], results[i].data, (size_t)count * sizeof(int32_t));
    host_free(&exec->exec, results[i].data);
  }
  assert_memory_equal(a, first, sizeof a); /* arguments are lent */
  assert_memory_equal(b, second, sizeof b);
}

static void give_up(const Programs *g, const char *what, const char *messages) {
  fprintf(stderr, "%s\n%s---- program\n%s\n", what, messages ? messages : "", g->text.data);
  fail();
}

static void after(Program *p, const Programs *g, const char *passes) {
  memset(p, 0, sizeof *p);
  program_parse(p, g->text.data);
  NrPassOptions options = {.verify = true};
  if (nr_run_passes(p->module, nr_str(passes), &options)) {
    nr_diag_flush(p->ctx);
    give_up(g, passes, p->messages.data);
  }
}

static void interpret(const Programs *g, const char *passes, Results *out) {
  Program p;
  NrInterpProgram *program;
  after(&p, g, passes);
  if (nr_interp_create(p.module, "test", NULL, &program)) give_up(g, "cannot be interpreted", p.messages.data);
  const NoriaModule *m = nr_interp_module(program);
  const void *constants[1] = {m->constants[0].data};
  TestExec exec = {.exec = {.api = &host_api, .constants = constants, .threads = 1}, .module = m, .site = -1};
  call(&exec, m->entry, g->num_results, out);
  if (out->status) give_up(g, passes, exec.site >= 0 ? m->sites[exec.site].text : "it failed\n");
  nr_interp_destroy(program);
  program_free(&p);
}

static void compile(const Programs *g, const char *passes, Results *out) {
  Program p;
  after(&p, g, passes);
  if (program_finish(&p, &(NrCodegenOptions){.opt_level = 1, .all_functions = true}))
    give_up(g, "is not compiled", p.messages.data);
  call(&p.run, nr_codegen_function(p.compiled, "test"), g->num_results, out);
  if (out->status) give_up(g, "machine code fails", NULL);
  if (p.run.held) give_up(g, "buffers were not freed, or freed twice", NULL);
  program_free(&p);
}

#define CLEAN "canonicalize,cse"
#define BUFFER_PASSES                                                                                                  \
  "buffer-loop-hoisting,double-buffer-loops,buffer-loop-hoisting,promote-buffers-to-stack,plan-memory"

static void check_program(uint64_t seed) {
  static const char *const stages[] = {"bufferize", CLEAN ",bufferize," CLEAN "," BUFFER_PASSES "," CLEAN};
  static const char *const lower = ",convert-linalg-to-loops," CLEAN ",convert-scf-to-cf," CLEAN;
  Programs g = {.seed = seed};
  random_program(&g);
  Results want, got;
  interpret(&g, "", &want);
  for (size_t i = 0; i < NR_COUNTOF(stages); i++) {
    interpret(&g, stages[i], &got);
    if (memcmp(&want, &got, sizeof want)) give_up(&g, stages[i], "results differ\n");
  }
  NrArena arena;
  nr_arena_init(&arena);
  for (size_t i = 0; i < NR_COUNTOF(stages); i++) {
    compile(&g, nr_arena_printf(&arena, "%s%s", stages[i], lower), &got);
    if (memcmp(&want, &got, sizeof want)) give_up(&g, stages[i], "machine code gives other results\n");
  }
  nr_arena_deinit(&arena);
  nr_buf_deinit(&g.text);
  for (int s = 0; s < NUM_SHAPES; s++) nr_vec_deinit(&g.pools[s]);
}

static uint64_t first_seed = 1, num_programs = 60;

static void random_programs_on_buffers(void **state) {
  for (uint64_t i = 0; i < num_programs; i++) check_program((first_seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1);
}

/* test [first seed] [programs]: more of them, by hand */
int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2) num_programs = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_on_buffers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
