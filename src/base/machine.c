/* machine.c - the memory and CPUs of the machine, or of the process's control group if those are less. */
#include "base/guard.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The numbers in the first line of a control group's file; 0 for missing ones and for words ("max"). */
static void read_numbers(const char *folder, const char *file, int64_t out_numbers[2]) {
  char name[1500], text[64] = "";
  out_numbers[0] = out_numbers[1] = 0;
  snprintf(name, sizeof name, "%s/%s", folder, file);
  FILE *f = fopen(name, "re");
  if (!f) return;
  char *at = fgets(text, sizeof text, f), *end;
  fclose(f);
  for (int i = 0; at && i < 2; i++, at = end) out_numbers[i] = strtoll(at, &end, 10);
}

/* A limit of a control group; INT64_MAX for none ("max", or a very large number in version 1). */
typedef int64_t (*Limit)(const char *folder);

static int64_t positive(int64_t value) { return value > 0 ? value : INT64_MAX; }

static int64_t memory_v1(const char *folder) {
  int64_t bytes[2];
  read_numbers(folder, "memory.limit_in_bytes", bytes);
  return positive(bytes[0]);
}

static int64_t memory_v2(const char *folder) {
  int64_t bytes[2];
  read_numbers(folder, "memory.max", bytes);
  return positive(bytes[0]);
}

/* The number of CPUs that a quota of processor time for each period equals, rounded up. */
static int64_t quota(int64_t time, int64_t period) {
  return time > 0 && period > 0 ? time / period + (time % period > 0) : INT64_MAX;
}

static int64_t cpus_v1(const char *folder) {
  int64_t time[2], period[2];
  read_numbers(folder, "cpu.cfs_quota_us", time);
  read_numbers(folder, "cpu.cfs_period_us", period);
  return quota(time[0], period[0]);
}

static int64_t cpus_v2(const char *folder) {
  int64_t numbers[2];
  read_numbers(folder, "cpu.max", numbers);
  return quota(numbers[0], numbers[1]);
}

/* The minimum of the limits of the group at path under root and of its parent groups. In a container, root may be the
 * container's own group, so that path does not exist there. */
static int64_t least_limit(const char *root, const char *path, Limit limit_of) {
  char folder[1024], name[1400];
  int64_t least = INT64_MAX;
  snprintf(folder, sizeof folder, "%s", strcmp(path, "/") ? path : "");
  for (;;) {
    snprintf(name, sizeof name, "%.300s%s", root, folder);
    int64_t limit = limit_of(name);
    least = NR_MIN(least, limit);
    char *slash = strrchr(folder, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

static bool names_controller(const char *list, const char *controller) {
  size_t size = strlen(controller);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (!strncmp(at, controller, size) && (!at[size] || at[size] == ',')) return true;
  }
  return false;
}

/* Lines of the process's file are "0::/path" for version 2, "9:memory:/path" for version 1, whose controllers have
 * roots of their own. */
static int64_t control_group_limit(const char *file, const char *root, const char *controller, Limit v1, Limit v2) {
  int64_t least = INT64_MAX;
  char line[1024], own_root[300];
  snprintf(own_root, sizeof own_root, "%.250s/%.40s", root, controller);
  FILE *f = fopen(file, "re");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    controllers++;
    int64_t limit = INT64_MAX;
    if (!*controllers) limit = least_limit(root, path, v2);
    else if (names_controller(controllers, controller)) limit = least_limit(own_root, path, v1);
    least = NR_MIN(least, limit);
  }
  if (f) fclose(f);
  return least;
}

int64_t nr_machine_memory(void) {
  static _Atomic int64_t known;
  int64_t memory = atomic_load_explicit(&known, memory_order_relaxed);
  if (memory) return memory;
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  int64_t group = control_group_limit("/proc/self/cgroup", "/sys/fs/cgroup", "memory", memory_v1, memory_v2);
  memory = pages > 0 && page > 0 && nr_mul_i64(pages, page, &memory) ? memory : (int64_t)4 << 30;
  memory = NR_MIN(memory, group);
  atomic_store_explicit(&known, memory, memory_order_relaxed);
  return memory;
}

int32_t nr_machine_quota(const char *groups_file, const char *root) {
  int64_t cpus = control_group_limit(groups_file, root, "cpu", cpus_v1, cpus_v2);
  return (int32_t)NR_MIN(cpus, INT32_MAX);
}

int32_t nr_machine_cpus(void) {
  static _Atomic int32_t known;
  int32_t quota = atomic_load_explicit(&known, memory_order_relaxed);
  if (!quota) {
    quota = nr_machine_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    atomic_store_explicit(&known, quota, memory_order_relaxed);
  }
  /* The set may change while the process runs. It can be larger than cpu_set_t. */
  cpu_set_t set;
  int32_t cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
  return NR_MAX(NR_MIN(cpus, quota), 1);
}
