/* test_channel_nccl.c - channels over NCCL. Its logic runs on channel_nccl_fake, which has GPUs of host memory: with ranks that are
 * threads, and with processes of MPI, for which the tests start this program again with mpirun. Where libnoria_nccl.so
 * can be loaded and there are GPUs, the conformance suite also runs on them. */
#define _GNU_SOURCE
#define FEW_TYPES
#include <dirent.h>
#include <unistd.h>

/* The library's source, on the fake's headers. */
#include "channel_nccl_fake/fake.c"
#include "runtime/nccl/transport.c"

#include "channel_tests.h"
#include "runtime/channel_nccl.h"

static NoriaStatus put_over_fake(NrWorld **io_world, NoriaError *error) {
  return nr_world_over_nccl(&nr_nccl_transport, io_world, error);
}

/* ---- one rank has a failure of NCCL ------------------------------------------------------------------------------ */

static void exchange_twice(Rank *rank) {
  NrCollective call = sum_call(rank);
  run_call(rank, call);
  assert_int_equal(rank->status, NORIA_OK);
  fails = me(rank) == 2;
  NrCollective gather = {.kind = NR_ALL_TO_ALL, .dtype = NORIA_I16, .send_rows = 3, .recv_rows = 3, .row = 2,
                         .send_to = -1, .recv_from = -1, .send = from, .recv = to[me(rank)], .place = "a.mlir:9:1"};
  run_call(rank, gather);
}

static void test_nccl_fails(void **state) {
  Rank ranks[3];
  run_ranks(3, NULL, exchange_twice, ranks);
  expect_failure(ranks, 3, 7, NORIA_ERROR_FAILED, "flow.collective.all_to_all at a.mlir:9:1: ncclSend: an error");
}

/* ---- more ranks than GPUs ---------------------------------------------------------------------------------------- */

static bool no_gpu(int32_t local, NrNcclDevice **out_device, char *text) {
  return local < 1 ? open_device(local, out_device, text) : open_device(GPUS, out_device, text);
}

static NoriaStatus put_over_one_gpu(NrWorld **io_world, NoriaError *error) {
  static NrNcclTransport transport;
  if (!transport.open) transport = nr_nccl_transport;
  transport.open = no_gpu;
  return nr_world_over_nccl(&transport, io_world, error);
}

static void sum_once(Rank *rank) { run_call(rank, sum_call(rank)); }

static void test_too_few_gpus(void **state) {
  Rank ranks[2];
  put_over = put_over_one_gpu;
  run_ranks(2, NULL, sum_once, ranks);
  put_over = put_over_fake;
  expect_failure(ranks, 2, 3, NORIA_ERROR_FAILED,
                 "flow.collective.all_reduce at a.mlir:3:8: each rank needs a GPU of its own, and this machine has 8");
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static int process_main(const char *what) {
  NrWorldOptions options = {.time_s = 100};
  NrWorld *world;
  NrChannel *channel;
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_world_create_mpi(&options, &world, &error) || put_over_fake(&world, &error)) return 3;
  int rank = nr_world_rank(world);
  if (!strcmp(what, "suite")) {
    Outcome outcome = run_suite(world);
    printf("[%d] %d cases %s\n", rank, outcome.cases, outcome.failure);
  } else {
    NrCollective call = SUM;
    call.send = from, call.recv = to[0];
    nr_channel_default(world, NULL, &channel, NULL);
    (void)nr_channel_run(channel, &call, &error);
    dies_at = nr_world_count(world) - 1;
    if (!error.message) (void)nr_channel_run(channel, &call, &error);
    nr_channel_release(channel);
  }
  NoriaStatus status = nr_world_end(world, error.message, NULL);
  if (error.message && nr_world_reports(world)) printf("[reports] %s\n", error.message);
  fflush(stdout);
  nr_world_destroy(world);
  bool failed = status || error.message;
  noria_error_clear(&error);
  return failed;
}

static const char *program;

static bool have_mpirun(void) {
#if defined(__SANITIZE_THREAD__)
  return false; /* the MPI library is not built with ThreadSanitizer */
#else
  return system("command -v mpirun >/dev/null 2>&1") == 0;
#endif
}

static char *launch(const char *what) {
  char command[2000];
  snprintf(command, sizeof command,
           "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 "
           "timeout 250 mpirun --oversubscribe -n 3 '%s' --rank %s 2>&1",
           program, what);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t capacity = 1 << 16, size = 0, got;
  char *text = calloc(1, capacity);
  while ((got = fread(text + size, 1, capacity - 1 - size, pipe)) > 0) size += got;
  pclose(pipe);
  return text;
}

static void test_processes(void **state) {
  if (!have_mpirun()) skip();
  char *text = launch("suite"), line[100];
  for (int r = 0; r < 3; r++) {
    int cases = 0;
    snprintf(line, sizeof line, "[%d] ", r);
    const char *at = strstr(text, line);
    if (!at || sscanf(at + strlen(line), "%d", &cases) != 1 || cases < SUITE_CASES || !strstr(at, " cases \n"))
      fail_msg("%s", text);
  }
  free(text);
}

static void test_process_dies_while_bytes_move(void **state) {
  if (!have_mpirun()) skip();
  char *text = launch("dies");
  const char *at = strstr(text, "[reports] rank 2 (process ");
  if (!at || !strstr(at, " waited in flow.collective.all_reduce at a.mlir:3:8")) fail_msg("%s", text);
  free(text);
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

static const NrNcclTransport *real;
static NoriaStatus put_over_real(NrWorld **io_world, NoriaError *error) {
  return nr_world_over_nccl(real, io_world, error);
}

static int count_gpus(void) {
  NrNcclDevice *device;
  char text[NR_NCCL_TEXT];
  int count = 0;
  if (nr_nccl_load(&real, NULL)) return 0;
  for (; count < MOST_RANKS && real->open(count, &device, text); count++) real->close(device);
  return count;
}

static void test_gpus(void **state) {
  int gpus = count_gpus();
  if (gpus < 2) {
    print_message("skipped: NCCL needs two GPUs, and there are %d that it can use\n", gpus);
    skip();
  }
  put_over = put_over_real;
  for (int count = 2; count <= gpus; count *= 2) {
    Rank ranks[MOST_RANKS];
    run_ranks(count, &(NrWorldOptions){.time_s = 200}, suite_body, ranks);
    for (int r = 0; r < count; r++) assert_string_equal(ranks[r].outcome.failure, "");
  }
  put_over = put_over_fake;
}

/* Ids are folders in one that is removed at the end. */
static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  char name[1000];
  for (struct dirent *e; folder && (e = readdir(folder));) {
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (unlink(name)) remove_folder(name);
  }
  if (folder) closedir(folder);
  rmdir(path);
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "--rank")) return process_main(argv[2]);
  const struct CMUnitTest tests[] = {
      CHANNEL_TESTS,
      cmocka_unit_test(test_nccl_fails),
      cmocka_unit_test(test_too_few_gpus),
      cmocka_unit_test(test_processes),
      cmocka_unit_test(test_process_dies_while_bytes_move),
      cmocka_unit_test(test_gpus),
  };
  char folder[40] = "/dev/shm/noria_nccl_XXXXXX"; /* files in memory */
  if (!mkdtemp(folder) && !mkdtemp(strcpy(folder, "/tmp/noria_nccl_XXXXXX"))) return 1;
  setenv("TMPDIR", folder, 1);
  program = argv[0];
  put_over = put_over_fake;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove_folder(folder);
  return failed;
}
