/* file.c - whole files in and out, and the clock. */
#include "base/base.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 16 };

NrStatus nr_file_read(const char *path, NrBuf *out) {
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *f = is_stdin ? stdin : fopen(path, "rb");
  if (!f) return NR_ERROR_NOT_FOUND;
  struct stat about;
  bool is_sized = fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode);
  nr_buf_reserve(out, (is_sized ? (size_t)about.st_size : 0) + READ_SIZE);
  for (size_t n;; out->size += n) {
    nr_buf_reserve(out, READ_SIZE);
    if ((n = fread(out->data + out->size, 1, out->capacity - out->size - 1, f)) == 0) break;
  }
  bool bad = ferror(f) != 0;
  if (!is_stdin) fclose(f);
  nr_buf_append(out, "", 0);
  return bad ? NR_ERROR_IO : NR_OK;
}

static bool write_all(FILE *f, const NrStr *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (parts[i].size && fwrite(parts[i].data, 1, parts[i].size, f) != parts[i].size) return false;
  return fflush(f) == 0;
}

/* A device or a pipe is written to: a file in its place would be no device. */
static bool is_replaceable(const char *path) {
  struct stat about;
  return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

static NrStatus write_in_place(const char *path, const NrStr *parts, size_t count) {
  FILE *f = fopen(path, "wb");
  bool ok = f && write_all(f, parts, count);
  if (f) ok = fclose(f) == 0 && ok;
  return ok ? NR_OK : NR_ERROR_IO;
}

NrStatus nr_file_write_parts(const char *path, const NrStr *parts, size_t count) {
  if (strcmp(path, "-") == 0) return write_all(stdout, parts, count) ? NR_OK : NR_ERROR_IO;
  if (!is_replaceable(path)) return write_in_place(path, parts, count);
  NrBuf temporary = {0};
  nr_buf_printf(&temporary, "%s.tmp%ld", path, (long)getpid());
  NrStatus status = NR_ERROR_IO;
  FILE *f = fopen(temporary.data, "wb");
  if (f) {
    bool ok = write_all(f, parts, count);
    ok = fclose(f) == 0 && ok;
    if (ok && rename(temporary.data, path) == 0) status = NR_OK;
    else remove(temporary.data);
  }
  nr_buf_deinit(&temporary);
  return status;
}

NrStatus nr_file_write(const char *path, const void *data, size_t size) {
  return nr_file_write_parts(path, &(NrStr){data, size}, 1);
}

int64_t nr_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
