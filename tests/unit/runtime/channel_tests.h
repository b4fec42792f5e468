/* channel_tests.h - tests of channels whose ranks are threads: the conformance suite, and ranks that fail, stop, disagree
 * or never come. For each backend that threads can have. */
#ifndef NORIA_TESTS_UNIT_RUNTIME_CHANNEL_TESTS_H
#define NORIA_TESTS_UNIT_RUNTIME_CHANNEL_TESTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/base.h"
#include "channel_cases.h"
#include "channel_faults.h"

/* ---- ranks as threads ---- */

/* Puts another backend over a world of threads; NULL: none. */
static NoriaStatus (*put_over)(NrWorld **io_world, NoriaError *error);

typedef struct Rank Rank;
typedef void (*Body)(Rank *rank);
struct Rank {
  Body body;
  NrWorld *world;
  NrChannel *channel;
  NoriaStatus status;
  NoriaError error;
  bool reports;
  Outcome outcome;
  const char *ends_with; /* what its program failed with; NULL: its own error, if there is one */
};

static void *rank_main(void *user) {
  Rank *rank = user;
  assert_int_equal(nr_channel_default(rank->world, NULL, &rank->channel, &rank->error), NORIA_OK);
  rank->body(rank);
  nr_channel_release(rank->channel);
  assert_int_equal(nr_world_end(rank->world, rank->ends_with ? rank->ends_with : rank->error.message, NULL), NORIA_OK);
  rank->reports = nr_world_reports(rank->world);
  return NULL;
}

/* Runs body on count ranks; the caller gives back their errors. */
static void run_ranks(int count, const NrWorldOptions *options, Body body, Rank *ranks) {
  NrWorld *worlds[MOST_RANKS];
  pthread_t threads[MOST_RANKS];
  assert_int_equal(nr_world_create_threads(count, options, worlds, NULL), NORIA_OK);
  for (int r = 0; r < count && put_over; r++) assert_int_equal(put_over(&worlds[r], NULL), NORIA_OK);
  for (int r = 0; r < count; r++) {
    ranks[r] = (Rank){.body = body, .world = worlds[r], .error = NORIA_ERROR_INIT};
    assert_int_equal(pthread_create(&threads[r], NULL, rank_main, &ranks[r]), 0);
  }
  for (int r = 0; r < count; r++) pthread_join(threads[r], NULL);
  for (int r = 0; r < count; r++) nr_world_destroy(worlds[r]);
}

static int me(const Rank *rank) { return nr_world_rank(rank->world); }

/* ---- the suite ---- */

static void suite_body(Rank *rank) { rank->outcome = run_suite(rank->world); }

static void test_suite(void **state) {
  static const int counts[] = {1, 2, 3, 4, 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    Rank ranks[MOST_RANKS];
    run_ranks(counts[i], &(NrWorldOptions){.time_s = 200, .check = i % 2}, suite_body, ranks);
    for (int r = 0; r < counts[i]; r++) {
      assert_string_equal(ranks[r].outcome.failure, "");
      assert_true(ranks[r].outcome.cases >= SUITE_CASES);
    }
  }
}

/* ---- failures ---- */

/* The ranks of mask ended with this message; one of all ranks reports. */
static void expect_failure(Rank *ranks, int count, unsigned mask, NoriaStatus status, const char *message) {
  int reports = 0;
  for (int r = 0; r < count; r++) {
    reports += ranks[r].reports;
    if (mask >> r & 1) {
      assert_non_null(ranks[r].error.message);
      assert_string_equal(ranks[r].error.message, message);
      assert_int_equal(ranks[r].status, status);
    }
    noria_error_clear(&ranks[r].error);
  }
  assert_int_equal(reports, 1);
}

static float from[64], to[MOST_RANKS][64];

static NrCollective sum_call(Rank *rank) {
  return (NrCollective){.kind = NR_ALL_REDUCE, .dtype = NORIA_F32, .reduction = NR_REDUCTION_SUM, .send_rows = 8,
                        .recv_rows = 8, .row = 4, .send_to = -1, .recv_from = -1, .send = from, .recv = to[me(rank)],
                        .place = "a.mlir:3:8"};
}

static void run_call(Rank *rank, NrCollective call) {
  rank->status = nr_channel_run(rank->channel, &call, &rank->error);
}

/* Set by a rank that has given up. Another arrives only then, however slow the machine is. */
static atomic_bool gave_up;

static void wait_until_one_gave_up(void) {
  while (!atomic_load(&gave_up)) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void never_arrives(Rank *rank) {
  if (me(rank) == 1) wait_until_one_gave_up();
  run_call(rank, sum_call(rank));
  atomic_store(&gave_up, true);
}

static void test_time_limit(void **state) {
  Rank ranks[3];
  atomic_store(&gave_up, false);
  run_ranks(3, &(NrWorldOptions){.time_s = 0.2}, never_arrives, ranks);
  expect_failure(ranks, 3, 7, NORIA_ERROR_LIMIT,
                 "rank 1 did not reach flow.collective.all_reduce at a.mlir:3:8 within 0.2 s");
}

static void ends_in_error(Rank *rank) {
  run_call(rank, sum_call(rank));
  assert_int_equal(rank->status, NORIA_OK);
  rank->ends_with = me(rank) == 2 ? "b.mlir:1:1: division by zero" : NULL;
  if (me(rank) != 2) run_call(rank, sum_call(rank));
}

static void test_rank_fails(void **state) {
  Rank ranks[4];
  run_ranks(4, NULL, ends_in_error, ranks);
  assert_true(ranks[2].reports);
  expect_failure(ranks, 4, 11, NORIA_ERROR_FAILED,
                 "rank 2 ended ('b.mlir:1:1: division by zero') before it reached flow.collective.all_reduce at "
                 "a.mlir:3:8");
}

static void ends_early(Rank *rank) {
  if (me(rank) != 1) run_call(rank, sum_call(rank));
}

static void test_rank_ends_early(void **state) {
  Rank ranks[3];
  run_ranks(3, NULL, ends_early, ranks);
  expect_failure(ranks, 3, 5, NORIA_ERROR_FAILED,
                 "rank 1 ended before it reached flow.collective.all_reduce at a.mlir:3:8");
}

static void is_stopped(Rank *rank) {
  static volatile int32_t stop;
  NrCollective call = sum_call(rank);
  if (me(rank) == 0) {
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    wait_until_one_gave_up();
  } else {
    call.stop = &stop;
  }
  run_call(rank, call);
  atomic_store(&gave_up, true);
}

static void test_stop(void **state) {
  Rank ranks[2];
  atomic_store(&gave_up, false);
  run_ranks(2, NULL, is_stopped, ranks);
  expect_failure(ranks, 2, 3, NORIA_ERROR_INTERRUPTED,
                 "rank 1 was stopped while it waited for rank 0 in flow.collective.all_reduce at a.mlir:3:8");
}

/* A rank of one channel fails while others wait in another. */
static void fails_elsewhere(Rank *rank) {
  NrChannel *half = NULL;
  assert_int_equal(nr_channel_split(rank->channel, &(NrSplit){.color = me(rank) / 2}, &half, &rank->error), NORIA_OK);
  rank->ends_with = me(rank) == 0 ? "out of memory" : NULL;
  NrCollective call = sum_call(rank);
  if (me(rank) == 2) rank->status = nr_channel_run(half, &call, &rank->error);
  if (me(rank) == 1 || me(rank) == 3) run_call(rank, call);
  nr_channel_release(half);
}

static void test_fails_elsewhere(void **state) {
  Rank ranks[4];
  run_ranks(4, NULL, fails_elsewhere, ranks);
  expect_failure(ranks, 4, 14, NORIA_ERROR_FAILED,
                 "rank 0 ended ('out of memory') before it reached flow.collective.all_reduce at a.mlir:3:8");
}

/* ---- disagreements ---- */

static const Disagreement *disagreement;

static void disagree(Rank *rank) {
  NrCollective call = me(rank) == 1 ? disagreement->wrong : disagreement->usual;
  call.send = from;
  call.recv = to[me(rank)];
  run_call(rank, call);
  /* The world stays failed. */
  assert_int_not_equal(nr_channel_run(rank->channel, &call, NULL), NORIA_OK);
}

/* Two places call the same op: only seen with the check. */
static void call_elsewhere(Rank *rank) {
  NrCollective call = sum_call(rank);
  if (me(rank) == 1) call.place = "a.mlir:4:8";
  run_call(rank, call);
}

static void test_places(void **state) {
  Rank ranks[2];
  run_ranks(2, NULL, call_elsewhere, ranks);
  for (int r = 0; r < 2; r++) assert_int_equal(ranks[r].status, NORIA_OK);
  run_ranks(2, &(NrWorldOptions){.check = true}, call_elsewhere, ranks);
  expect_failure(ranks, 2, 3, NORIA_ERROR_FAILED,
                 "the ranks disagree: rank 0 is in flow.collective.all_reduce at a.mlir:3:8, rank 1 in "
                 "flow.collective.all_reduce at a.mlir:4:8");
}

static void test_disagreements(void **state) {
  for (size_t i = 0; i < NUM_DISAGREEMENTS; i++) {
    Rank ranks[2];
    disagreement = &disagreements[i];
    run_ranks(2, &(NrWorldOptions){.check = true, .time_s = 100}, disagree, ranks);
    expect_failure(ranks, 2, 3, NORIA_ERROR_FAILED, disagreement->message);
  }
}

/* ---- wrong arguments: seen by one rank alone, which the others are told ---- */

static const struct {
  NrCollective call;
  NoriaStatus status;
  const char *message;
} wrong_calls[] = {
    {CALL(NR_ALL_REDUCE, F32, NONE, 8, 8, 4, -1, -1), NORIA_ERROR_INVALID,
     OP "all_reduce at a.mlir:3:8: there is no reduction 0"},
    {CALL(NR_ALL_GATHER, STRING, NONE, 8, 24, 4, -1, -1), NORIA_ERROR_INVALID,
     OP "all_gather at a.mlir:3:8: not a collective of elements of type string"},
    {CALL(77, F32, NONE, 8, 8, 4, -1, -1), NORIA_ERROR_INVALID,
     "an unknown collective at a.mlir:3:8: not a collective of elements of type float32"},
    {CALL(NR_ALL_GATHER, F32, NONE, -1, 8, 4, -1, -1), NORIA_ERROR_FAILED,
     OP "all_gather at a.mlir:3:8: no tensor has -1 or 8 rows of 4 elements"},
    {CALL(NR_ALL_REDUCE, F32, SUM, INT64_C(1) << 40, INT64_C(1) << 40, 1 << 30, -1, -1), NORIA_ERROR_FAILED,
     OP "all_reduce at a.mlir:3:8: no tensor has 1099511627776 or 1099511627776 rows of 1073741824 elements"},
    {CALL(NR_ALL_REDUCE, F32, SUM, 8, 9, 4, -1, -1), NORIA_ERROR_FAILED,
     OP "all_reduce at a.mlir:3:8: rank 1 reduces 8 rows into 9"},
    {CALL(NR_ALL_TO_ALL, F32, NONE, 7, 7, 4, -1, -1), NORIA_ERROR_FAILED,
     OP "all_to_all at a.mlir:3:8: 7 rows of rank 1 do not divide into 3 blocks"},
    {CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, 3, -1), NORIA_ERROR_FAILED,
     OP "send_recv at a.mlir:3:8: rank 1 sends to 3 and receives from -1, but the ranks are 0 to 2"},
    {CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, -1, -2), NORIA_ERROR_FAILED,
     OP "send_recv at a.mlir:3:8: rank 1 sends to -1 and receives from -2, but the ranks are 0 to 2"},
};

static size_t wrong_call;

static void call_wrongly(Rank *rank) {
  NrCollective call = me(rank) == 1 ? wrong_calls[wrong_call].call : sum_call(rank);
  call.send = from;
  call.recv = to[me(rank)];
  run_call(rank, call);
}

static void test_wrong_arguments(void **state) {
  for (wrong_call = 0; wrong_call < sizeof wrong_calls / sizeof wrong_calls[0]; wrong_call++) {
    Rank ranks[3];
    run_ranks(3, NULL, call_wrongly, ranks);
    assert_true(ranks[1].reports);
    expect_failure(ranks, 3, 7, wrong_calls[wrong_call].status, wrong_calls[wrong_call].message);
  }
  NrWorld *world;
  NoriaError error = NORIA_ERROR_INIT;
  assert_int_equal(nr_world_create_threads(0, NULL, &world, &error), NORIA_ERROR_INVALID);
  assert_string_equal(error.message, "there can be 1 to 1024 ranks in a process, not 0");
  noria_error_clear(&error);
}

static void split_wrongly(Rank *rank) {
  NrChannel *child = NULL;
  NrSplit split = {.color = me(rank) == 0 ? -2 : 0, .place = "a.mlir:3:8"};
  rank->status = nr_channel_split(rank->channel, &split, &child, &rank->error);
  assert_null(child);
}

static void test_wrong_color(void **state) {
  Rank ranks[2];
  run_ranks(2, NULL, split_wrongly, ranks);
  expect_failure(ranks, 2, 3, NORIA_ERROR_FAILED, "flow.channel.split at a.mlir:3:8: the color of rank 0 is -2");
}

#define CHANNEL_TESTS cmocka_unit_test(test_suite), cmocka_unit_test(test_time_limit), cmocka_unit_test(test_rank_fails), \
  cmocka_unit_test(test_rank_ends_early), cmocka_unit_test(test_stop), cmocka_unit_test(test_fails_elsewhere), \
  cmocka_unit_test(test_disagreements), cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_places), \
  cmocka_unit_test(test_wrong_color)

#endif
