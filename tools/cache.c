/* cache.c - `noria cache`: what is in the folder of compiled programs, and emptying it. */
#include <stdio.h>
#include <unistd.h>

#include "base/guard.h"
#include "driver/cache_folder.h"
#include "tools.h"

static const char help[] =
    "usage: noria cache [show|clear] [--cache=DIR]\n"
    "\n"
    "`noria run` and the Python package keep the programs that they compile, so that each is compiled once: by the\n"
    "content of its file, the options, the CPU and the version of Noria.\n"
    "\n"
    "  show          the folder, and what it holds (without a word the same)\n"
    "  clear         remove all programs from it; those that run are not affected\n"
    "  --cache=DIR   another folder\n"
    "\n"
    "environment:\n"
    "  NORIA_CACHE=DIR        the folder; off: programs are not kept. Without it $XDG_CACHE_HOME/noria or\n"
    "                         ~/.cache/noria. Only its owner may have rights to it (mode 0700)\n"
    "  NORIA_CACHE_SIZE=512M  what it may hold (4G); what was not used for the longest time is removed first\n";

static int report(const char *path, const char *why) {
  fprintf(stderr, "noria cache: '%s' %s\n", path, why ? why : "cannot be used");
  return 1;
}

static int work(const char *path, bool clear) {
  NrBuf why = {0};
  char bytes[NR_BYTES_TEXT], most[NR_BYTES_TEXT];
  int folder = nr_cache_folder_open(path, &why);
  int status = folder < 0 ? report(path, why.data) : 0;
  nr_buf_deinit(&why);
  if (status) return status;
  NrCacheUse before = nr_cache_folder_trim(folder, -1), after = before;
  if (clear) after = nr_cache_folder_trim(folder, 0);
  close(folder);
  if (clear && after.files) return report(path, "could not be emptied");
  nr_bytes_in_words(before.bytes, bytes);
  printf("%s\n  %lld files, %s%s", path, (long long)before.files, bytes, clear ? " removed\n" : "");
  if (!clear) printf(" of at most %s\n", nr_bytes_in_words(nr_cache_most_bytes(), most));
  return 0;
}

int tool_cache(int argc, char **argv) {
  const char *option = "default", *word = NULL, *value;
  for (int i = 1; i < argc; i++) {
    if (tool_option(argv[i], "help", &value)) return fputs(help, stdout), 0;
    if (tool_option(argv[i], "cache", &value) && value && *value) option = value;
    else if (*argv[i] == '-') return tool_no_option("cache", help, false, argv[i]);
    else if (word) return tool_usage_error("cache", "'%s' is one word too many", argv[i]);
    else word = argv[i];
  }
  bool clear = word && strcmp(word, "clear") == 0;
  if (word && !clear && strcmp(word, "show") != 0)
    return tool_usage_error("cache", "there is no '%s'; it is show or clear", word);
  char *path = nr_cache_path(option);
  if (!path) puts("off: compiled programs are not kept");
  int status = path ? work(path, clear) : 0;
  nr_free(path);
  return status;
}
