/* test_cache.c - freed blocks that stay for later runs: which are found again, and how much memory they may take. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../test.h"
#include "base/guard.h"
#include "runtime/internal.h"

#include "module.h"

enum { MIB = 1 << 20, MARK = 42, MOST_BLOCKS = 8 };

/* What the entry does; its runs fill in what they saw. */
typedef struct Plan {
  int64_t mib[MOST_BLOCKS]; /* blocks that are made one after the other and freed together; 0: no more */
  int64_t output_mib;       /* 0: an output without elements */
  int64_t grown_mib;        /* the output grows to it from 256 KiB, and is then cut to output_mib */
  int marked;               /* blocks of the run, its output included, that an earlier run left its mark in */
  int64_t cached;           /* bytes when the blocks were there */
  pthread_barrier_t *together; /* NULL, or where runs meet */
  int64_t taken; /* out: bytes of the blocks in mib */
} Plan;
static _Thread_local Plan plan;

/* The mark is at the end of the first KiB: a sanitizer writes to the start of new memory. */
static void visit(char *data) {
  plan.marked += data[1023] == MARK;
  data[1023] = MARK;
}

static char *grown(NoriaExec *exec) {
  char *data = exec->api->alloc(exec, 256 << 10);
  for (int64_t mib = 1; data && mib < 2 * plan.grown_mib; mib *= 2)
    data = exec->api->realloc(exec, data, NR_MIN(mib, plan.grown_mib) * MIB);
  if (!data) return NULL;
  plan.marked += data[plan.output_mib * MIB - 1] == MARK;
  for (int64_t at = 0; at < plan.output_mib * MIB; at += 64 << 10) data[at] = 1; /* has pages now */
  data[plan.output_mib * MIB - 1] = MARK;
  return exec->api->realloc(exec, data, plan.output_mib * MIB);
}

static int32_t entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  char *block[MOST_BLOCKS] = {0}, *y = NULL;
  for (int i = 0; i < MOST_BLOCKS && plan.mib[i]; i++) {
    if (!(block[i] = exec->api->alloc(exec, plan.mib[i] * MIB))) return 1;
    visit(block[i]);
  }
  plan.cached = nr_exec(exec)->allocator.cached_bytes;
  plan.taken = nr_exec(exec)->allocator.held_bytes;
  if (plan.together) pthread_barrier_wait(plan.together);
  for (int i = 0; i < MOST_BLOCKS && block[i]; i++) exec->api->free(exec, block[i]);
  if (plan.grown_mib) {
    if (!(y = grown(exec))) return 1;
  } else if (plan.output_mib) {
    if (!(y = exec->api->alloc(exec, plan.output_mib * MIB))) return 1;
    visit(y);
  }
  outputs[0] = (NoriaDesc){.data = y, .rank = 1, .dims = {plan.output_mib * MIB / 4}};
  return 0;
}

static const NoriaModule module = MODULE(entry, scalar_i64, vector_f32);

/* Runs the plan with at most `limit` bytes; 0: no limit. The output, which the caller releases. */
static NoriaValue *run(NoriaProgram *program, Plan what, int64_t limit) {
  NoriaValue *n = make_i64(0), *y = NULL;
  const NoriaValue *inputs[] = {n};
  NoriaError error = NORIA_ERROR_INIT;
  plan = what;
  NoriaRunOptions options = {.limits.memory = limit};
  NoriaStatus status = noria_program_run(program, inputs, 1, &y, 1, &options, &error);
  if (status) fprintf(stderr, "%s\n", error.message);
  assert_int_equal(status, NORIA_OK);
  noria_value_release(n);
  return y;
}

static int marks(NoriaProgram *program, Plan what) {
  noria_value_release(run(program, what, 0));
  return plan.marked;
}

static int64_t cached(const NoriaProgram *program) {
  int64_t bytes = 0;
  for (const NrExec *e = program->idle; e; e = e->next) bytes += e->allocator.cached_bytes;
  return bytes;
}

/* ---- what is found again ----------------------------------------------------------------------------------------- */

static void the_next_run_has_the_blocks_of_the_last_one(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  const Plan large = {.mib = {300, 100, 80}, .output_mib = 150};
  assert_int_equal(marks(program, large), 0);
  for (int i = 0; i < 3; i++) assert_int_equal(marks(program, large), 4);
  noria_program_destroy(program);
}

/* A network whose phases need memory in different sizes, as detectors do: together more than the peak of a phase. */
static void blocks_of_phases_stay(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  const Plan phases[] = {{.mib = {50, 50, 100}}, {.mib = {36, 16, 16}}, {.mib = {12, 8, 6}}};
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++) {
      int marked = marks(program, phases[k]);
      if (i == 2) assert_int_equal(marked, 3);
    }
  noria_program_destroy(program);
}

static void sizes_that_differ_a_little_share_blocks(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  marks(program, (Plan){.mib = {120}, .output_mib = 240});
  assert_int_equal(marks(program, (Plan){.mib = {105}, .output_mib = 210}), 2);
  noria_program_destroy(program);
}

static void outputs_that_grow_find_their_memory(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  const Plan grows = {.grown_mib = 200, .output_mib = 130};
  assert_int_equal(marks(program, grows), 0);
  for (int i = 0; i < 3; i++) assert_int_equal(marks(program, grows), 1);
  noria_program_destroy(program);
}

/* ---- how much stays ---------------------------------------------------------------------------------------------- */

static void blocks_are_at_most_half_more_than_the_peak(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  for (int i = 0; i < 20; i++) {
    marks(program, (Plan){.mib = {100 + 40 * i}});
    assert_true(cached(program) <= (100 + 40 * i) * 3 / 2 * (int64_t)MIB + MIB);
  }
  for (int i = 0; i < 20; i++) {
    marks(program, (Plan){.mib = {60 + 9 * i, 100 - i, 30 + i}});
    assert_true(cached(program) <= 860 * 3 / 2 * (int64_t)MIB + MIB);
  }
  noria_program_destroy(program);
}

static void what_recent_runs_did_not_need_goes_back(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  marks(program, (Plan){.mib = {50, 50, 50, 50, 50, 50, 50, 50}});
  marks(program, (Plan){.mib = {60}});
  assert_true(cached(program) >= 460 * (int64_t)MIB);
  for (int i = 0; i < 16; i++) marks(program, (Plan){.mib = {60}});
  assert_in_range(cached(program), 60 * MIB, 121 * MIB);
  assert_int_equal(marks(program, (Plan){.mib = {60}}), 1); /* not the one that is used went */
  noria_program_destroy(program);
}

static void *run_wide(void *program) {
  return (void *)(intptr_t)marks(((void **)program)[0], (Plan){.mib = {200}, .together = ((void **)program)[1]});
}

static void runs_at_once_leave_their_blocks_for_a_while(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  pthread_barrier_t together;
  pthread_barrier_init(&together, NULL, 3);
  pthread_t thread[3];
  void *args[] = {program, &together};
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, run_wide, args);
  for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
  assert_true(cached(program) >= 600 * (int64_t)MIB);
  for (int i = 0; i < 66; i++) marks(program, (Plan){.mib = {200}});
  assert_in_range(cached(program), 200 * MIB, 301 * MIB);
  pthread_barrier_destroy(&together);
  noria_program_destroy(program);
}

static void released_outputs_stay_for_one_run(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  NoriaValue *y[5];
  for (int i = 0; i < 5; i++) y[i] = run(program, (Plan){.output_mib = 100}, 0);
  for (int i = 0; i < 5; i++) noria_value_release(y[i]);
  assert_in_range(nr_returned_bytes(program->returned), 100 * MIB, 120 * MIB);
  /* Those of another size take the place of what waits longer. */
  for (int i = 0; i < 5; i++) marks(program, (Plan){.output_mib = 200});
  assert_in_range(nr_returned_bytes(program->returned), 200 * MIB, 230 * MIB);
  for (int i = 0; i < 16; i++) marks(program, (Plan){.output_mib = 1});
  assert_true(nr_returned_bytes(program->returned) <= NR_CACHE_SLACK);
  noria_program_destroy(program);
}

static void an_output_holds_no_memory_behind_its_elements(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  noria_value_release(run(program, (Plan){.grown_mib = 64, .output_mib = 64}, 0));
  NoriaValue *y = run(program, (Plan){.grown_mib = 1, .output_mib = 1}, 0);
  const char *data = noria_tensor_data(y);
  const NrBlock *block = (const NrBlock *)(const void *)(data - NR_BLOCK_ALIGNMENT);
  assert_true(block->capacity >= 64 * MIB); /* it has the other output's memory */
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = ((uintptr_t)data + 8 * MIB) & ~(page - 1);
  unsigned char resident[1];
  assert_int_equal(mincore((void *)at, page, resident), 0);
  assert_int_equal(resident[0] & 1, 0);
  noria_value_release(y);
  noria_program_destroy(program);
}

/* ---- giving back ------------------------------------------------------------------------------------------------- */

static void trim_gives_all_back(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  const Plan large = {.mib = {300}, .output_mib = 100};
  marks(program, large);
  noria_program_trim(program);
  assert_int_equal(cached(program), 0);
  assert_int_equal(nr_returned_bytes(program->returned), 0);
  assert_int_equal(marks(program, large), 0);
  noria_program_destroy(program);
}

static void what_waits_counts_against_the_limit(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  marks(program, (Plan){.mib = {300, 40}, .output_mib = 200});
  noria_value_release(run(program, (Plan){.mib = {40}}, 100 * (int64_t)MIB));
  assert_int_equal(plan.marked, 1);
  assert_true(plan.cached + nr_returned_bytes(program->returned) <= 60 * MIB);
  noria_value_release(run(program, (Plan){.mib = {7, 70}}, 100 * (int64_t)MIB)); /* new sizes */
  assert_true(plan.cached + nr_returned_bytes(program->returned) <= 23 * MIB);
  noria_program_destroy(program);
}

/* The limit counts sizes, so no block may be much larger than what was asked for. */
static void blocks_under_a_limit_are_no_larger(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  marks(program, (Plan){.mib = {100}, .grown_mib = 256, .output_mib = 256});
  noria_value_release(run(program, (Plan){.mib = {26, 70}}, 100 * (int64_t)MIB));
  assert_true(plan.taken <= 110 * MIB);
  marks(program, (Plan){.grown_mib = 256, .output_mib = 256});
  noria_value_release(run(program, (Plan){.grown_mib = 1, .output_mib = 1}, 10 * (int64_t)MIB));
  assert_true(cached(program) + nr_returned_bytes(program->returned) <= 10 * MIB);
  noria_program_destroy(program);
}

static void programs_that_ran_longest_ago_give_back_first(void **state) {
  NoriaProgram *program[3];
  for (int i = 0; i < 3; i++) {
    program[i] = make_program(&module, 1);
    marks(program[i], (Plan){.mib = {20}});
  }
  int64_t own = atomic_load(&program[2]->kept), most = nr_machine_memory() / NR_KEPT_PART;
  assert_true(own >= 20 * MIB);
  nr_programs_evict(program[2]);
  assert_true(cached(program[0]) > 0); /* they keep less than the bound */
  assert_true(nr_program_keeps(program[2], most - own)); /* too much with the other two, not with one */
  nr_programs_evict(program[2]);
  assert_int_equal(cached(program[0]), 0);
  assert_true(cached(program[1]) > 0);
  assert_true(nr_program_keeps(program[2], 2 * most));
  nr_programs_evict(program[2]);
  assert_int_equal(cached(program[1]), 0);
  assert_true(cached(program[2]) > 0);
  noria_trim();
  assert_int_equal(cached(program[2]), 0);
  for (int i = 0; i < 3; i++) noria_program_destroy(program[i]);
}

static void a_program_has_the_cache_that_was_asked_for(void **state) {
  const int64_t sizes[] = {-1, 50 * MIB};
  for (int i = 0; i < 2; i++) {
    NoriaProgram *program = NULL;
    NoriaProgramOptions options = {.threads = 1, .cache_size = sizes[i]};
    assert_int_equal(noria_program_create(&module, &options, &program, NULL), NORIA_OK);
    for (int k = 0; k < 2; k++) marks(program, (Plan){.mib = {300, 20}, .output_mib = 100});
    assert_true(cached(program) <= NR_MAX(sizes[i], 0));
    assert_true(nr_returned_bytes(program->returned) <= NR_MAX(sizes[i], 0));
    noria_program_destroy(program);
  }
}

/* ---- several threads --------------------------------------------------------------------------------------------- */

enum { THREADS = 4, RUNS = 60 };
static NoriaValue *_Atomic handed; /* to another thread, which releases it */

static void *run_often(void *program) {
  for (int i = 0; i < RUNS; i++) {
    NoriaValue *y = run(program, (Plan){.mib = {1 + i % 7, 2}, .output_mib = 1 + i % 5, .grown_mib = i % 3 ? 0 : 6}, 0);
    noria_value_release(atomic_exchange(&handed, y));
    if (i % 16 == 3) noria_program_trim(program);
    if (i % 16 == 9) nr_programs_trim();
  }
  return NULL;
}

static void runs_releases_and_trims_at_once(void **state) {
  NoriaProgram *program = make_program(&module, 1);
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run_often, program);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  noria_value_release(atomic_exchange(&handed, NULL));
  nr_programs_trim();
  assert_int_equal(cached(program), 0);
  assert_int_equal(nr_returned_bytes(program->returned), 0);
  noria_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_next_run_has_the_blocks_of_the_last_one),
      cmocka_unit_test(blocks_of_phases_stay),
      cmocka_unit_test(sizes_that_differ_a_little_share_blocks),
      cmocka_unit_test(outputs_that_grow_find_their_memory),
      cmocka_unit_test(blocks_are_at_most_half_more_than_the_peak),
      cmocka_unit_test(what_recent_runs_did_not_need_goes_back),
      cmocka_unit_test(runs_at_once_leave_their_blocks_for_a_while),
      cmocka_unit_test(released_outputs_stay_for_one_run),
      cmocka_unit_test(an_output_holds_no_memory_behind_its_elements),
      cmocka_unit_test(trim_gives_all_back),
      cmocka_unit_test(what_waits_counts_against_the_limit),
      cmocka_unit_test(blocks_under_a_limit_are_no_larger),
      cmocka_unit_test(programs_that_ran_longest_ago_give_back_first),
      cmocka_unit_test(a_program_has_the_cache_that_was_asked_for),
      cmocka_unit_test(runs_releases_and_trims_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
