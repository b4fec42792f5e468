/* test_channel_mpi.c - channels over MPI: the conformance suite, and ranks that are killed, fail, stop, disagree or
 * never come. The tests start this program again with mpirun, as several ranks. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "channel_cases.h"
#include "channel_faults.h"

/* ---- what a rank does ---- */

static NrWorld *world;
static NrChannel *channel;
static NoriaError error = NORIA_ERROR_INIT;
static float from[64], to[64];
static volatile int32_t stop;

static int me(void) { return nr_world_rank(world); }

static void pause_ms(int64_t ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

static void run_call(NrCollective call) {
  call.send = from;
  call.recv = to;
  call.stop = &stop;
  (void)nr_channel_run(channel, &call, &error);
}

static void all_reduce(void) { run_call((NrCollective)SUM); }

static void on_alarm(int number) { stop = 1; }

/* Sets error where the rank fails. */
static void act(const char *what, const char *argument) {
  if (!strcmp(what, "suite")) {
    Outcome outcome = run_suite(world);
    printf("[%d of %d] %d cases %s\n", me(), nr_world_count(world), outcome.cases, outcome.failure);
  } else if (!strcmp(what, "disagree")) {
    const Disagreement *d = &disagreements[atoi(argument)];
    run_call(me() == 1 ? d->wrong : d->usual);
  } else if (!strcmp(what, "stop")) {
    signal(SIGALRM, on_alarm);
    if (me() == 0) pause_ms(60000); /* mpirun ends this rank when the other has failed */
    if (me() == 1) ualarm(100000, 0);
    all_reduce();
  } else {
    all_reduce();
    bool is_last = me() == nr_world_count(world) - 1;
    if (is_last && !strcmp(what, "killed")) pause_ms(2000), raise(SIGKILL); /* the others wait by then */
    if (is_last && !strcmp(what, "never")) pause_ms(60000);
    if (is_last && !strcmp(what, "fails")) nr_error_set(&error, NORIA_ERROR_FAILED, "b.mlir:1:1: division by zero");
    if (!is_last) all_reduce();
  }
}

static int rank_main(const char *what, const char *argument) {
  NrWorldOptions options = {.time_s = !strcmp(what, "never") ? 0.5 : 200,
                            .check = *argument == 'c' || strlen(what) == 8};
  if (nr_world_create_mpi(&options, &world, &error)) {
    printf("no world: %s\n", error.message);
    return 3;
  }
  nr_channel_default(world, NULL, &channel, &error);
  act(what, argument);
  nr_channel_release(channel);
  NoriaStatus status = nr_world_end(world, error.message, error.message ? NULL : &error);
  bool failed = error.message != NULL;
  if (failed && nr_world_reports(world)) printf("[reports] %s\n", error.message);
  fflush(stdout);
  nr_world_destroy(world);
  noria_error_clear(&error);
  return failed || status ? 1 : 0;
}

/* ---- starting ranks ---- */

static const char *program;

static bool have_mpirun(void) {
#if defined(__SANITIZE_THREAD__)
  print_message("skipped: the MPI library is not built with ThreadSanitizer\n");
  return false;
#else
  if (system("command -v mpirun >/dev/null 2>&1") == 0) return true;
  print_message("skipped: there is no mpirun\n");
  return false;
#endif
}

/* What the ranks print; *out_result is mpirun's exit status. */
static char *launch(int count, const char *what, const char *argument, int *out_result) {
  char command[2000];
  snprintf(command, sizeof command,
           "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 "
           "timeout 900 mpirun --oversubscribe -n %d '%s' --rank %s %s 2>&1",
           count, program, what, argument);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t capacity = 1 << 16, size = 0, got;
  char *text = calloc(1, capacity);
  while ((got = fread(text + size, 1, capacity - 1 - size, pipe)) > 0) size += got;
  *out_result = pclose(pipe);
  return text;
}

static void test_suite(void **state) {
  if (!have_mpirun()) skip();
  static const int counts[] = {1, 2, 3, 4, 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    int result;
    char *text = launch(counts[i], "suite", i % 2 ? "check" : "-", &result);
    for (int r = 0; r < counts[i]; r++) {
      char line[100];
      int cases = 0;
      snprintf(line, sizeof line, "[%d of %d] ", r, counts[i]);
      const char *at = strstr(text, line);
      if (!at || sscanf(at + strlen(line), "%d", &cases) != 1 || cases < SUITE_CASES || !strstr(at, " cases \n"))
        fail_msg("%s", text);
    }
    assert_int_equal(result, 0);
    free(text);
  }
}

/* One rank reports the message, and all end: before mpirun's time is over, and so the ranks' own of 200 s. */
static void expect_failure(int count, const char *what, const char *argument, const char *message) {
  int result, reports = 0;
  char *text = launch(count, what, argument, &result), line[600];
  snprintf(line, sizeof line, "[reports] %s", message);
  for (const char *at = text; (at = strstr(at, "[reports]")); at++) reports++;
  if (!strstr(text, line) || reports != 1 || result == 0) fail_msg("expected '%s', got: %s", line, text);
  free(text);
}

static void test_rank_is_killed(void **state) {
  if (!have_mpirun()) skip();
  int result;
  char *text = launch(3, "killed", "-", &result);
  const char *at = strstr(text, "[reports] rank 2 (process ");
  /* Whoever notices first reports. */
  const char *died = at ? strstr(at, ") died while rank ") : NULL;
  if (!died || !strstr(died, " waited in flow.collective.all_reduce at a.mlir:3:8") || result == 0)
    fail_msg("%s", text);
  free(text);
}

static void test_time_limit(void **state) {
  if (!have_mpirun()) skip();
  expect_failure(4, "never", "-", "rank 3 did not reach flow.collective.all_reduce at a.mlir:3:8 within 0.5 s");
}

static void test_rank_fails(void **state) {
  if (!have_mpirun()) skip();
  expect_failure(3, "fails", "-", "b.mlir:1:1: division by zero");
}

static void test_rank_ends_early(void **state) {
  if (!have_mpirun()) skip();
  expect_failure(3, "ends", "-", "rank 2 ended before it reached flow.collective.all_reduce at a.mlir:3:8");
}

static void test_stop(void **state) {
  if (!have_mpirun()) skip();
  expect_failure(2, "stop", "-",
                 "rank 1 was stopped while it waited for rank 0 in flow.collective.all_reduce at a.mlir:3:8");
}

static void test_disagreements(void **state) {
  if (!have_mpirun()) skip();
  for (int i = 0; i < NUM_DISAGREEMENTS; i++) {
    char argument[20];
    snprintf(argument, sizeof argument, "%d", i);
    expect_failure(2, "disagree", argument, disagreements[i].message);
  }
}

static void test_without_launcher(void **state) {
  if (!have_mpirun()) skip();
  assert_false(nr_world_is_under_mpi());
  setenv("PMI_RANK", "0", 1);
  assert_true(nr_world_is_under_mpi());
  unsetenv("PMI_RANK");
}

int main(int argc, char **argv) {
  if (argc == 4 && !strcmp(argv[1], "--rank")) return rank_main(argv[2], argv[3]);
  program = argv[0];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suite),           cmocka_unit_test(test_rank_is_killed), cmocka_unit_test(test_time_limit),
      cmocka_unit_test(test_rank_fails),      cmocka_unit_test(test_rank_ends_early), cmocka_unit_test(test_stop),
      cmocka_unit_test(test_disagreements),   cmocka_unit_test(test_without_launcher),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
