/* aot.c - machine code as files: object, assembly, LLVM IR, shared library. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/seal.h"
#include "codegen/llvm/ll.h"

extern char **environ;

/* ---- constants -------------------------------------------------------------------------------------------------- */

/* Where constant i lies in the block of all; *out_size is the block's size. */
static size_t *constant_offsets(NrLl *g, size_t *out_size) {
  size_t *offsets = nr_malloc((g->tables->constants.size + 1) * sizeof *offsets), at = 0;
  for (size_t i = 0; i < g->tables->constants.size; i++) {
    offsets[i] = at;
    at += (nr_ll_constant_size(g->tables->constants.data[i]) + 63) / 64 * 64;
  }
  *out_size = at;
  return offsets;
}

static NrStatus io_error(NrLl *g, const char *what, const char *path) {
  nr_error(g->ctx, nr_loc_unknown(g->ctx), "%s '%s': %s", what, path, strerror(errno));
  return NR_ERROR_IO;
}

/* Closes a file when the work is abandoned. */
static void drop_fd(void *what) { close((int)((intptr_t)what - 1)); }
static void hold_fd(NrHold *hold, int fd) { hold->what = fd < 0 ? NULL : (void *)((intptr_t)fd + 1); }

/* All constants one after the other, each at a multiple of 64, in a file without a name. -1 after an error. */
static int write_constants(NrLl *g, const char *folder, NrHold *hold) {
  static const char zeros[64];
  int fd = nr_nameless_file(folder);
  bool good = fd >= 0;
  hold_fd(hold, fd);
  for (size_t i = 0; i < g->tables->constants.size && good; i++) {
    size_t size = nr_ll_constant_size(g->tables->constants.data[i]), pad = (64 - size % 64) % 64;
    void *copy = nr_malloc(size ? size : 1);
    nr_ll_constant_copy(g->tables->constants.data[i], copy);
    good = nr_fd_write(fd, copy, size) && nr_fd_write(fd, zeros, pad);
    nr_free(copy);
  }
  if (good) return fd;
  io_error(g, "cannot write constants in", folder);
  hold->what = NULL;
  if (fd >= 0) close(fd);
  return -1;
}

static LLVMValueRef *point_into(NrLl *g, LLVMValueRef block, const size_t *offsets) {
  LLVMValueRef *pointers = nr_malloc((g->tables->constants.size + 1) * sizeof *pointers);
  for (size_t i = 0; i < g->tables->constants.size; i++) {
    LLVMValueRef at = nr_ll_int(g, (int64_t)offsets[i]);
    pointers[i] = LLVMConstInBoundsGEP2(g->i8, block, &at, 1);
  }
  return pointers;
}

/* The block as a symbol that the assembler fills from a file, so that the bytes never pass through LLVM. */
static LLVMValueRef included_block(NrLl *g, int file, size_t size) {
  NrBuf text = {0};
  char path[32];
  nr_fd_path(file, path);
  nr_buf_puts(&text, ".section .rodata.noria,\"a\"\n.p2align 6\nnoria_data:\n");
  nr_buf_printf(&text, ".incbin \"%s\"\n.text\n", path);
  LLVMAppendModuleInlineAsm(g->mod, text.data, text.size);
  nr_buf_deinit(&text);
  LLVMValueRef block = LLVMAddGlobal(g->mod, LLVMArrayType2(g->i8, size), "noria_data");
  LLVMSetGlobalConstant(block, true);
  LLVMSetVisibility(block, LLVMHiddenVisibility);
  return block;
}

/* The block written out, for files that must stand alone as text. */
static LLVMValueRef written_block(NrLl *g, const size_t *offsets, size_t size) {
  char *bytes = nr_calloc(size ? size : 1, 1);
  for (size_t i = 0; i < g->tables->constants.size; i++)
    nr_ll_constant_copy(g->tables->constants.data[i], bytes + offsets[i]);
  LLVMValueRef text = LLVMConstStringInContext2(g->llvm, bytes, size, true);
  nr_free(bytes);
  LLVMValueRef block = LLVMAddGlobal(g->mod, LLVMTypeOf(text), "noria_data");
  LLVMSetInitializer(block, text);
  LLVMSetGlobalConstant(block, true);
  LLVMSetLinkage(block, LLVMPrivateLinkage);
  LLVMSetAlignment(block, 64);
  return block;
}

/* ---- linking ---------------------------------------------------------------------------------------------------- */

typedef struct Linking {
  int object, library;        /* files without a name */
  char *folder;               /* for what linkers put into temporary files; NULL: there is none */
  char **environment;
  NrBuf folder_variable, text; /* "TMPDIR=folder"; what the linker said */
  NrRemover remover;
} Linking;

/* Linkers make temporary files of their own, which GCC leaves behind when it is killed: they get a folder for them that
 * goes with this process. */
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
  nr_buf_deinit(&l->folder_variable);
  nr_buf_deinit(&l->text);
}

/* Runs a program that keeps both files open; the begin of what it says goes to l->text. False when it cannot be
 * started. Nothing is allocated while it runs, so that no fault leaves it behind. */
static bool run(Linking *l, char *const *argv, int *out_status) {
  enum { MOST_TEXT = 4096 };
  int ends[2];
  pid_t child;
  nr_buf_reserve(&l->text, MOST_TEXT);
  if (pipe2(ends, O_CLOEXEC)) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, l->object, l->object); /* onto itself: stays open in exec */
  posix_spawn_file_actions_adddup2(&actions, l->library, l->library);
  bool started = posix_spawnp(&child, argv[0], &actions, NULL, argv, l->environment) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char part[512];
  ssize_t n;
  while (started && ((n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0) nr_buf_append(&l->text, part, NR_MIN((size_t)n, MOST_TEXT - l->text.size));
  close(ends[0]);
  while (started && waitpid(child, out_status, 0) < 0 && errno == EINTR) {}
  return started && !(WIFEXITED(*out_status) && WEXITSTATUS(*out_status) == 127);
}

/* Tries the linkers that there may be, with the output at path. A C compiler knows where libm is; a bare linker may
 * not, and the runtime, which has libm, then provides its functions. False when there is none; else *out_failed is the
 * one that failed, or NULL. */
static bool link_to(Linking *l, const char *path, const char **out_failed) {
  char object[32];
  nr_fd_path(l->object, object);
  const char *commands[][9] = {
      {"cc", "-shared", "-fno-lto", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"gcc", "-shared", "-fno-lto", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"clang", "-shared", "-fno-lto", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"ld.lld", "-shared", "-o", path, object, NULL},
      {"ld", "-shared", "-o", path, object, NULL},
  };
  for (size_t i = 0; i < NR_COUNTOF(commands); i++) {
    int result = 0;
    l->text.size = 0;
    if (!run(l, (char *const *)commands[i], &result)) continue;
    *out_failed = result ? commands[i][0] : NULL;
    return true;
  }
  return false;
}

/* Reads the library that a linker made under a name into the file that has none. */
static bool take_library(const char *path, int library) {
  NrBuf bytes = {0};
  struct stat about;
  bool good = stat(path, &about) == 0 && nr_file_read(path, &bytes) == NR_OK && ftruncate(library, 0) == 0 &&
              lseek(library, 0, SEEK_SET) == 0 && nr_fd_write(library, bytes.data, bytes.size) &&
              fchmod(library, about.st_mode & 0777) == 0;
  nr_buf_deinit(&bytes);
  return good;
}

/* GNU's linkers write to an open file. LLVM's wants to make its output itself: it gets a name, and what it made is
 * read. */
static NrStatus link_shared(NrLl *g, int object, int library, const char *path) {
  Linking *l = nr_calloc(1, sizeof *l);
  NrHold *hold = nr_hold(drop_linking);
  NrLoc loc = nr_loc_unknown(g->ctx);
  NrStatus status = NR_OK;
  char open_file[32];
  const char *failed = NULL;
  l->object = object;
  l->library = library;
  hold->what = l;
  begin_linking(l);
  nr_fd_path(library, open_file);
  bool found = link_to(l, open_file, &failed);
  if (failed && l->folder) {
    NrBuf name = {0};
    nr_buf_printf(&name, "%s/library.so", l->folder);
    link_to(l, name.data, &failed);
    if (!failed && !take_library(name.data, library)) status = io_error(g, "cannot write", path);
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

/* ---- files ------------------------------------------------------------------------------------------------------ */

static NrStatus internal_error(NrLl *g, char *message) {
  nr_error(g->ctx, nr_loc_unknown(g->ctx), "LLVM made no machine code: %s", message);
  LLVMDisposeMessage(message);
  return NR_ERROR_INTERNAL;
}

static NrStatus make_code(NrLl *g, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out_code) {
  int64_t begin = nr_now_ns();
  char *message = nr_ll_machine_code(g, kind, out_code);
  if (message) return internal_error(g, message);
  if (g->options->times) g->options->times->emit = nr_now_ns() - begin;
  return NR_OK;
}

static void drop_code(void *code) { LLVMDisposeMemoryBuffer(code); }
static void drop_text(void *text) { LLVMDisposeMessage(text); }

static NrStatus write_code(NrLl *g, LLVMCodeGenFileType kind, const char *path) {
  LLVMMemoryBufferRef code;
  NrStatus status = make_code(g, kind, &code);
  if (status) return status;
  NrHold *hold = nr_hold(drop_code);
  hold->what = code;
  nr_ll_keep_caller();
  status = nr_file_write(path, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  if (status) io_error(g, "cannot write", path);
  nr_ll_let_caller_go();
  nr_hold_end(hold);
  LLVMDisposeMemoryBuffer(code);
  return status;
}

/* The object goes to the linker in a file without a name. */
static int write_object(NrLl *g, const char *folder, NrHold *hold) {
  LLVMMemoryBufferRef code;
  if (make_code(g, LLVMObjectFile, &code)) return -1;
  int fd = nr_nameless_file(folder);
  if (fd < 0 || !nr_fd_write(fd, LLVMGetBufferStart(code), LLVMGetBufferSize(code))) {
    io_error(g, "cannot write an object file in", folder);
    if (fd >= 0) close(fd);
    fd = -1;
  }
  hold_fd(hold, fd);
  LLVMDisposeMemoryBuffer(code);
  return fd;
}

static NrStatus write_ir(NrLl *g, const char *path) {
  NrHold *hold = nr_hold(drop_text);
  char *text = hold->what = LLVMPrintModuleToString(g->mod);
  nr_ll_keep_caller();
  NrStatus status = nr_file_write(path, text, strlen(text));
  nr_ll_let_caller_go();
  nr_hold_end(hold);
  LLVMDisposeMessage(text);
  return status ? io_error(g, "cannot write", path) : NR_OK;
}

static void drop_new_file(void *file) { nr_new_file_drop(file); }

static NrStatus link_into(NrLl *g, NrNewFile *f, const char *path) {
  NrHold *hold = nr_hold(drop_fd);
  char *folder = nr_folder_of(f->path);
  int object = write_object(g, folder, hold);
  nr_free(folder);
  NrStatus status = object < 0 ? NR_ERROR_IO : NR_OK;
  int64_t begin = nr_now_ns();
  if (!status) status = link_shared(g, object, f->fd, path);
  if (!status && !nr_seal_write(f->fd)) status = io_error(g, "cannot seal", path);
  if (g->options->times) g->options->times->link = nr_now_ns() - begin;
  nr_hold_end(hold);
  if (object >= 0) close(object);
  return status;
}

static NrStatus write_shared(NrLl *g, const char *path) {
  NrNewFile *f = nr_calloc(1, sizeof *f);
  NrHold *hold = nr_hold(drop_new_file);
  NrStatus status = nr_new_file_open(f, path);
  if (status) {
    io_error(g, "cannot write", path);
    nr_hold_end(hold);
    nr_free(f);
    return status;
  }
  hold->what = f;
  status = link_into(g, f, path);
  if (!status) nr_ll_keep_caller();
  nr_hold_end(hold);
  if (status) nr_new_file_drop(f);
  else if ((status = nr_new_file_commit(f))) io_error(g, "cannot write", path);
  nr_ll_let_caller_go();
  nr_free(f);
  return status;
}

/* Tables and constants. *out_data: the file that the assembler includes, or -1. */
static NrStatus define_data(NrLl *g, NrCodegenKind kind, const char *path, NrHold *hold, int *out_data) {
  size_t size;
  size_t *offsets = constant_offsets(g, &size);
  bool include = kind == NR_CODEGEN_OBJECT || kind == NR_CODEGEN_SHARED;
  NrStatus status = NR_OK;
  LLVMValueRef block = NULL;
  if (size && include) {
    char *folder = nr_folder_of(path);
    *out_data = write_constants(g, folder, hold);
    nr_free(folder);
    if (*out_data < 0) status = NR_ERROR_IO;
    else block = included_block(g, *out_data, size);
  } else if (size) {
    block = written_block(g, offsets, size);
  }
  NrBuf needs = {0};
  if (!status) status = nr_ll_cpu_needs(g->options, g->tm, g->ctx, &needs);
  if (!status) {
    LLVMValueRef *pointers = point_into(g, block, offsets);
    status = nr_ll_define_tables(g, pointers, (NrStr){needs.data, needs.size});
    nr_free(pointers);
  }
  nr_buf_deinit(&needs);
  nr_free(offsets);
  return status;
}

static NrStatus optimize(NrLl *g) {
  int64_t begin = nr_now_ns();
  char *message = nr_ll_optimize(g);
  if (g->options->times) g->options->times->optimize = nr_now_ns() - begin;
  return message ? internal_error(g, message) : NR_OK;
}

static NrStatus write_file(NrLl *g, NrCodegenKind kind, const char *path) {
  switch (kind) {
  case NR_CODEGEN_OBJECT: return write_code(g, LLVMObjectFile, path);
  case NR_CODEGEN_ASSEMBLY: return write_code(g, LLVMAssemblyFile, path);
  case NR_CODEGEN_LLVM_IR: return write_ir(g, path);
  case NR_CODEGEN_SHARED: return write_shared(g, path);
  }
  return NR_ERROR_INTERNAL;
}

static NrStatus emit_file(NrLlProgram *program, NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind,
                          const char *path) {
  NrHold *hold = nr_hold(drop_fd);
  int data = -1;
  int64_t begin = nr_now_ns();
  NrStatus status = nr_ll_program_build(program, module, options, false);
  NrLl *g = program->partitions; /* files are one partition */
  if (!status) status = define_data(g, kind, path, hold, &data);
  if (!status && kind == NR_CODEGEN_SHARED) LLVMAppendModuleInlineAsm(g->mod, NR_SEAL_NOTE, strlen(NR_SEAL_NOTE));
  if (!status) status = nr_ll_check(g);
  if (options->times) options->times->build = nr_now_ns() - begin;
  if (!status) status = optimize(g);
  if (!status) status = write_file(g, kind, path);
  nr_hold_end(hold);
  if (data >= 0) close(data);
  return status;
}

typedef struct Emit {
  NrLlProgram program;
  NrModule *module;
  NrCodegenOptions options;
  NrCodegenTimes times;
  NrCodegenKind kind;
  char *path;
  NrStatus status;
} Emit;

static void run_emit(void *user) {
  Emit *e = user;
  NrHold *program = nr_hold(nr_ll_program_drop);
  program->what = &e->program;
  e->status = emit_file(&e->program, e->module, &e->options, e->kind, e->path);
  nr_hold_end(program);
  nr_ll_program_deinit(&e->program);
}

NrStatus nr_ll_emit_file(NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind, const char *path) {
  Emit *e = nr_calloc(1, sizeof *e);
  e->module = module;
  e->kind = kind;
  e->path = memcpy(nr_malloc(strlen(path) + 1), path, strlen(path) + 1);
  nr_ll_copy_options(options, &e->options, &e->times);
  nr_ll_apart(module->ctx, run_emit, e);
  NrStatus status = e->status;
  if (options->times) *options->times = e->times;
  nr_ll_free_options(&e->options);
  nr_free(e->path);
  nr_free(e);
  return status;
}
