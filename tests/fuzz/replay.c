/* replay.c - runs a fuzz target over stored inputs: files, and all files of folders, named on the command line. With
 * this instead of libFuzzer's main, a target is an ordinary test. */
#include "base/base.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0) {
    fprintf(stderr, "%s: cannot be read\n", path);
    return 0;
  }
  if (!S_ISDIR(info.st_mode)) {
    NrBuf input = {0};
    size_t done = nr_file_read(path, &input) == NR_OK;
    if (done) {
      /* An exact copy, so that a sanitizer sees a read past the end. */
      uint8_t *copy = nr_malloc(input.size);
      memcpy(copy, input.data, input.size);
      LLVMFuzzerTestOneInput(copy, input.size);
      nr_free(copy);
    }
    nr_buf_deinit(&input);
    return done;
  }
  DIR *folder = opendir(path);
  size_t count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    NrBuf child = {0};
    nr_buf_printf(&child, "%s/%s", path, entry->d_name);
    count += replay(child.data);
    nr_buf_deinit(&child);
  }
  if (folder) closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  size_t count = 0;
  LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
  for (int i = 1; i < argc; i++) count += replay(argv[i]);
  printf("%zu inputs replayed\n", count);
  return count ? 0 : 1;
}
