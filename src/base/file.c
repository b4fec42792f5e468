/* file.c - whole files in and out, and the clock. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/new_file.h"

enum { READ_SIZE = 1 << 16 };

/* A device or a pipe may be endless. A program needs many times the memory of its file, so a file larger than an eighth
 * of the limit would exceed it later. */
static void check_stream(const char *path, size_t size) {
  enum { PART = 8 };
  NrHeap *heap = nr_heap_current();
  if (!heap || size < (size_t)1 << 20 || (int64_t)size <= nr_heap_memory_limit(heap) / PART) return;
  char words[NR_BYTES_TEXT];
  nr_raise(NR_ERROR_LIMIT, "'%s' has no end within %s, an eighth of the memory limit", path,
           nr_bytes_in_words(nr_heap_memory_limit(heap) / PART, words));
}

static void close_file(void *file) { fclose(file); }

NrStatus nr_file_read(const char *path, NrBuf *out) {
  bool is_stdin = strcmp(path, "-") == 0;
  NrHold *hold = is_stdin ? NULL : nr_hold(close_file);
  FILE *f = is_stdin ? stdin : fopen(path, "rb");
  if (!f) {
    nr_hold_end(hold);
    return NR_ERROR_NOT_FOUND;
  }
  if (hold) hold->what = f;
  struct stat about;
  bool is_sized = fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode);
  nr_buf_reserve(out, (is_sized ? (size_t)about.st_size : 0) + READ_SIZE);
  for (size_t n;; out->size += n) {
    if (!is_sized) check_stream(path, out->size);
    nr_buf_reserve(out, READ_SIZE);
    if ((n = fread(out->data + out->size, 1, out->capacity - out->size - 1, f)) == 0) break;
  }
  bool bad = ferror(f) != 0;
  nr_hold_end(hold);
  if (!is_stdin) fclose(f);
  nr_buf_append(out, "", 0);
  return bad ? NR_ERROR_IO : NR_OK;
}

char *nr_file_real_path(const char *path) {
  char found[PATH_MAX], *copy;
  if (!realpath(path, found)) return NULL;
  copy = nr_malloc(strlen(found) + 1);
  memcpy(copy, found, strlen(found) + 1);
  return copy;
}

/* Clears the stream's error, and drops unwritten output, after a failure; the caller reports it. */
static NrStatus write_to_stdout(const NrStr *parts, size_t count) {
  bool good = true;
  for (size_t i = 0; i < count && good; i++)
    good = !parts[i].size || fwrite(parts[i].data, 1, parts[i].size, stdout) == parts[i].size;
  if (good && fflush(stdout) == 0) return NR_OK;
  int saved = errno;
  __fpurge(stdout);
  clearerr(stdout);
  errno = saved;
  return NR_ERROR_IO;
}

static bool write_parts(int fd, const NrStr *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!nr_fd_write(fd, parts[i].data, parts[i].size)) return false;
  return true;
}

/* Writes to a device or a pipe in place. */
static NrStatus write_to_device(const char *path, const NrStr *parts, size_t count) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  bool good = fd >= 0 && write_parts(fd, parts, count);
  if (fd >= 0 && close(fd)) good = false;
  return good ? NR_OK : NR_ERROR_IO;
}

NrStatus nr_file_write_parts(const char *path, const NrStr *parts, size_t count) {
  struct stat about;
  NrNewFile f;
  if (strcmp(path, "-") == 0) return write_to_stdout(parts, count);
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return write_to_device(path, parts, count);
  NR_TRY(nr_new_file_open(&f, path));
  if (write_parts(f.fd, parts, count)) return nr_new_file_commit(&f);
  nr_new_file_drop(&f);
  return NR_ERROR_IO;
}

NrStatus nr_file_write(const char *path, const void *data, size_t size) {
  return nr_file_write_parts(path, &(NrStr){data, size}, 1);
}

int64_t nr_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
