/* link.c - links objects to a shared library with the system's linker. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"
#include "codegen/llvm/ll.h"

NrStatus nr_ll_io_error(NrLl *g, const char *what, const char *path) {
  nr_error(g->ctx, nr_loc_unknown(g->ctx), "%s '%s': %s", what, path, strerror(errno));
  return NR_ERROR_IO;
}

extern char **environ;

typedef struct Linking {
  const int *objects; /* unnamed files, as is the library */
  size_t num_objects;
  int library;
  char *folder; /* for temporary files of linkers; NULL when there is none */
  char **environment;
  NrArena arena;               /* commands */
  NrBuf folder_variable, text; /* "TMPDIR=folder"; the linker's output */
  NrRemover remover;
} Linking;

/* Creates a folder for the linkers' temporary files, which is removed with this process: GCC leaves its files behind
 * when it is killed. */
static void begin_linking(Linking *l) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  l->environment = nr_calloc(count + 2, sizeof(char *));
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "TMPDIR=", strlen("TMPDIR=")) != 0) l->environment[kept++] = environ[i];
  l->folder = nr_temporary_folder_create("noria-link", &l->remover);
  nr_buf_printf(&l->folder_variable, "TMPDIR=%s", l->folder ? l->folder : nr_temporary_folder());
  l->environment[kept] = l->folder_variable.data;
}

static void drop_linking(void *linking) {
  Linking *l = linking;
  if (l->folder) nr_temporary_folder_remove(l->folder, &l->remover);
  l->folder = NULL;
}

static void end_linking(Linking *l) {
  drop_linking(l);
  nr_free(l->environment);
  nr_arena_deinit(&l->arena);
  nr_buf_deinit(&l->folder_variable);
  nr_buf_deinit(&l->text);
}

/* Runs a linker, which inherits both files; l->text gets the beginning of its output. False when it cannot be started.
 * Does not allocate while the linker runs, so that no fault leaves the process behind. */
static bool run(Linking *l, char *const *argv, int *out_status) {
  enum { MAX_TEXT = 4096 };
  int ends[2];
  pid_t child;
  nr_buf_reserve(&l->text, MAX_TEXT);
  if (pipe2(ends, O_CLOEXEC)) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  for (size_t i = 0; i < l->num_objects; i++) /* duplicated onto itself, a file stays open in exec */
    posix_spawn_file_actions_adddup2(&actions, l->objects[i], l->objects[i]);
  posix_spawn_file_actions_adddup2(&actions, l->library, l->library);
  bool started = posix_spawnp(&child, argv[0], &actions, NULL, argv, l->environment) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char part[512];
  ssize_t n;
  while (started && ((n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0) nr_buf_append(&l->text, part, NR_MIN((size_t)n, MAX_TEXT - l->text.size));
  close(ends[0]);
  while (started && waitpid(child, out_status, 0) < 0 && errno == EINTR) {}
  return started && !(WIFEXITED(*out_status) && WEXITSTATUS(*out_status) == 127);
}

/* The command that makes the library at path, in l->arena. */
static char **command_of(Linking *l, const char *linker, const char *path, bool is_compiler) {
  size_t count = 0;
  const char **argv = NR_NEW_ARRAY(&l->arena, const char *, l->num_objects + 8);
  argv[count++] = linker;
  argv[count++] = "-shared";
  if (is_compiler) argv[count++] = "-fno-lto";
  argv[count++] = "-o";
  argv[count++] = path;
  for (size_t i = 0; i < l->num_objects; i++) {
    char *object = NR_NEW_ARRAY(&l->arena, char, 32);
    nr_fd_path(l->objects[i], object);
    argv[count++] = object;
  }
  if (is_compiler) argv[count++] = "-Wl,--as-needed";
  if (is_compiler) argv[count++] = "-lm";
  argv[count] = NULL;
  return (char **)argv;
}

/* Tries the known linkers, with the output at path. A C compiler knows where libm is; a bare linker may not, and then
 * the runtime, which links libm, provides its functions. False when no linker exists; otherwise *out_failed is the
 * linker that failed, or NULL. */
static bool link_to(Linking *l, const char *path, const char **out_failed) {
  enum { COMPILERS = 3 };
  static const char *const linkers[] = {"cc", "gcc", "clang", "ld.lld", "ld"};
  for (size_t i = 0; i < NR_COUNTOF(linkers); i++) {
    int result = 0;
    l->text.size = 0;
    if (!run(l, command_of(l, linkers[i], path, i < COMPILERS), &result)) continue;
    *out_failed = result ? linkers[i] : NULL;
    return true;
  }
  return false;
}

/* Copies the library that a linker made at path to the unnamed file. */
static bool take_library(const char *path, int library) {
  NrBuf bytes = {0};
  struct stat about;
  bool good = stat(path, &about) == 0 && nr_file_read(path, &bytes) == NR_OK && ftruncate(library, 0) == 0 &&
              lseek(library, 0, SEEK_SET) == 0 && nr_fd_write(library, bytes.data, bytes.size) &&
              fchmod(library, about.st_mode & 0777) == 0;
  nr_buf_deinit(&bytes);
  return good;
}

/* GNU linkers write to an open file. LLVM's linker must create its output: it gets a path, and the result is copied. */
NrStatus nr_ll_link_shared(NrLl *g, const int *objects, size_t count, int library, const char *path) {
  Linking *l = nr_calloc(1, sizeof *l);
  NrHold *hold = nr_hold(drop_linking);
  NrLoc loc = nr_loc_unknown(g->ctx);
  NrStatus status = NR_OK;
  char open_file[32];
  const char *failed = NULL;
  nr_arena_init(&l->arena);
  l->objects = objects;
  l->num_objects = count;
  l->library = library;
  hold->what = l;
  begin_linking(l);
  nr_fd_path(library, open_file);
  bool found = link_to(l, open_file, &failed);
  if (failed && l->folder) {
    NrBuf name = {0};
    nr_buf_printf(&name, "%s/library.so", l->folder);
    link_to(l, name.data, &failed);
    if (!failed && !take_library(name.data, library)) status = nr_ll_io_error(g, "cannot write", path);
    nr_buf_deinit(&name);
  }
  if (failed)
    status = nr_error(g->ctx, loc, "the linker '%s' could not make '%s': %.*s", failed, path,
                      (int)NR_MIN(l->text.size, 2000), l->text.size ? l->text.data : "it failed without a message");
  else if (!found)
    status = nr_error(g->ctx, loc,
                      "no linker was found to make '%s' (looked for cc, gcc, clang, ld.lld, ld); an object file (.o) "
                      "needs none",
                      path);
  if (failed) status = NR_ERROR_IO;
  if (!found) status = NR_ERROR_NOT_FOUND;
  nr_hold_end(hold);
  end_linking(l);
  nr_free(l);
  return status;
}
