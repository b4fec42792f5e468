/* test_guard.c - faults: what ends a guarded call, what it says, and that nothing of the call is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../test.h"

#include "base/guard.h"

static int drops;
static void count_drop(void *what) { drops += *(int *)what; }

static void fail_an_assert(void *user) {
  int *deep = user;
  nr_malloc(100);
  if (--*deep > 0) fail_an_assert(user);
  static int one = 1;
  nr_hold(count_drop)->what = &one;
  NrBuf text = {0};
  nr_buf_puts(&text, "left behind");
  assert(*deep == 17);
}

static void asserts_end_the_call(void **state) {
  NrHeap *heap = nr_heap_create(NULL, false);
  NrFault fault;
  int deep = 3;
  drops = 0;
  assert_false(nr_guard_run(heap, fail_an_assert, &deep, &fault));
  assert_int_equal(fault.status, NR_ERROR_INTERNAL);
  assert_non_null(strstr(fault.text, "unit/base/test_guard.c:"));
  assert_non_null(strstr(fault.text, "*deep == 17"));
  assert_true(nr_heap_bytes(heap) >= 300);
  assert_null(nr_guard_now);
  assert_int_equal(drops, 0);
  nr_heap_destroy(heap);
  assert_int_equal(drops, 1);
}

static void take_a_mebibyte(void *user) {
  for (int i = 0; i < 1024; i++) *(void **)user = nr_realloc(*(void **)user, (size_t)i * 1024);
}

static void memory_has_a_limit(void **state) {
  void *block = NULL;
  NrFault fault;
  NrHeap *heap = nr_heap_create(&(NrLimits){.memory = 500 << 10}, false);
  assert_false(nr_guard_run(heap, take_a_mebibyte, &block, &fault));
  assert_int_equal(fault.status, NR_ERROR_LIMIT);
  assert_string_equal(fault.text, "compiling takes more memory than the limit of 500 KiB");
  assert_true(nr_heap_bytes(heap) <= 500 << 10);
  nr_heap_destroy(heap);
  block = NULL;
  heap = nr_heap_create(&(NrLimits){.memory = 2 << 20}, false);
  assert_true(nr_guard_run(heap, take_a_mebibyte, &block, &fault));
  assert_int_equal(nr_heap_bytes(heap), 1023 << 10);
  nr_free(block);
  assert_int_equal(nr_heap_bytes(heap), 0);
  nr_heap_close(heap);
}

static void take_too_much(void *user) { nr_calloc(SIZE_MAX / 2, 4); }

static void sizes_that_do_not_fit_are_faults(void **state) {
  NrFault fault;
  assert_false(nr_guard_run(NULL, take_too_much, NULL, &fault));
  assert_int_equal(fault.status, NR_ERROR_MEMORY);
}

static void poll_forever(void *user) {
  nr_guard_step("waiting", false);
  for (;;) nr_poll();
}

static void poll_interrupted(void *user) {
  atomic_fetch_add(&nr_interrupts, 1);
  poll_forever(user);
}

static void time_and_interrupts_stop(void **state) {
  NrFault fault;
  NrHeap *heap = nr_heap_create(&(NrLimits){.time_s = 0.02}, true);
  assert_false(nr_guard_run(heap, poll_forever, NULL, &fault));
  assert_int_equal(fault.status, NR_ERROR_LIMIT);
  assert_string_equal(fault.text, "compiling takes longer than the time limit of 0.02 s (waiting)");
  nr_heap_destroy(heap);
  heap = nr_heap_create(NULL, true);
  assert_false(nr_guard_run(heap, poll_interrupted, NULL, &fault));
  assert_int_equal(fault.status, NR_ERROR_INTERRUPTED);
  nr_heap_destroy(heap);
}

static void run_inner(void *user) {
  NrFault *inner = user;
  int deep = 1;
  nr_malloc(10);
  assert_false(nr_guard_run(nr_heap_current(), fail_an_assert, &deep, inner));
  nr_raise(NR_ERROR_LIMIT, "the outer one too");
}

static void guards_nest(void **state) {
  NrFault outer, inner;
  NrHeap *heap = nr_heap_create(NULL, false);
  assert_false(nr_guard_run(heap, run_inner, &inner, &outer));
  assert_int_equal(inner.status, NR_ERROR_INTERNAL);
  assert_string_equal(outer.text, "the outer one too");
  nr_heap_destroy(heap);
}

static void blocks_may_leave_their_heap(void **state) {
  void *block = NULL;
  NrFault fault;
  NrHeap *heap = nr_heap_create(NULL, false);
  assert_true(nr_guard_run(heap, take_a_mebibyte, &block, &fault));
  nr_heap_close(heap);
  block = nr_realloc(block, 1 << 20);
  nr_free(block);
}

static void machines_have_memory(void **state) { assert_true(nr_machine_memory() > 1 << 20); }

/* A file of a tree of control groups; its folders are made. */
static void put(const char *root, const char *file, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", root, file);
  for (char *at = path + strlen(root); (at = strchr(at + 1, '/'));) {
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static int32_t quota_of(const char *root, const char *groups) {
  char path[200];
  put(root, "groups", groups);
  snprintf(path, sizeof path, "%s/groups", root);
  return nr_machine_quota(path, root);
}

static void quotas_of_cpus_are_rounded_up(void **state) {
  assert_true(nr_machine_cpus() >= 1);
  char root[] = "groups-XXXXXX";
  assert_non_null(mkdtemp(root));
  assert_int_equal(quota_of(root, "0::/a/b\n"), INT32_MAX);
  put(root, "a/cpu.max", "max 100000\n");
  put(root, "a/b/cpu.max", "250000 100000\n");
  assert_int_equal(quota_of(root, "0::/a/b\n"), 3);
  assert_int_equal(quota_of(root, "0::/a\n"), INT32_MAX);
  put(root, "a/cpu.max", "1000 100000\n"); /* of the group around it */
  assert_int_equal(quota_of(root, "0::/a/b\n"), 1);
  put(root, "cpu.max", "200000 100000\n"); /* a container that shows its own group as the root */
  assert_int_equal(quota_of(root, "0::/other\n"), 2);
  put(root, "cpu/v/cpu.cfs_quota_us", "-1\n");
  put(root, "cpu/v/cpu.cfs_period_us", "100000\n");
  assert_int_equal(quota_of(root, "3:cpuset:/v\n2:cpu,cpuacct:/v\n"), INT32_MAX);
  put(root, "cpu/v/cpu.cfs_quota_us", "350000\n");
  assert_int_equal(quota_of(root, "3:cpuset:/v\n2:cpu,cpuacct:/v\n"), 4);
  assert_int_equal(quota_of(root, "3:cpuset:/v\n2:cpuacct:/v\n"), INT32_MAX);
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", root);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asserts_end_the_call),   cmocka_unit_test(memory_has_a_limit),
      cmocka_unit_test(sizes_that_do_not_fit_are_faults), cmocka_unit_test(time_and_interrupts_stop),
      cmocka_unit_test(guards_nest),            cmocka_unit_test(blocks_may_leave_their_heap),
      cmocka_unit_test(machines_have_memory),   cmocka_unit_test(quotas_of_cpus_are_rounded_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
