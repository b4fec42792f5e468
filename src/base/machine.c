/* machine.c - how much memory there is: what the machine has, or the control group of the process if that is less. */
#include "base/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A limit of a control group, INT64_MAX where there is none ("max", or version 1's very large number). */
static int64_t read_limit(const char *path) {
  char text[64] = "";
  FILE *f = fopen(path, "re");
  if (!f) return INT64_MAX;
  char *line = fgets(text, sizeof text, f), *end;
  fclose(f);
  if (!line) return INT64_MAX;
  long long value = strtoll(text, &end, 10);
  return end == text || value <= 0 ? INT64_MAX : value;
}

/* The least limit of the group at path under the root and of the groups around it. A container may show its own group
 * as the root, so the path need not exist there. */
static int64_t least_limit(const char *root, const char *path, const char *file) {
  char folder[1024], name[1200];
  int64_t least = INT64_MAX;
  snprintf(folder, sizeof folder, "%s", strcmp(path, "/") ? path : "");
  for (;;) {
    snprintf(name, sizeof name, "%s%s/%s", root, folder, file);
    int64_t limit = read_limit(name);
    least = NR_MIN(least, limit);
    char *slash = strrchr(folder, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

/* Lines of /proc/self/cgroup are "0::/path" for version 2, "9:memory:/path" for version 1. */
static int64_t control_group_limit(void) {
  int64_t least = INT64_MAX;
  char line[1024];
  FILE *f = fopen("/proc/self/cgroup", "re");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    controllers++;
    int64_t limit = INT64_MAX;
    if (!*controllers) limit = least_limit("/sys/fs/cgroup", path, "memory.max");
    else if (strstr(controllers, "memory"))
      limit = least_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    least = NR_MIN(least, limit);
  }
  if (f) fclose(f);
  return least;
}

int64_t nr_machine_memory(void) {
  static _Atomic int64_t known;
  int64_t memory = atomic_load_explicit(&known, memory_order_relaxed);
  if (memory) return memory;
  int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), group = control_group_limit();
  memory = pages > 0 && page > 0 && nr_mul_i64(pages, page, &memory) ? memory : (int64_t)4 << 30;
  memory = NR_MIN(memory, group);
  atomic_store_explicit(&known, memory, memory_order_relaxed);
  return memory;
}
