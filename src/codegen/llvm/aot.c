/* aot.c - machine code as files: object, assembly, LLVM IR, shared library. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* A new file beside path. *out_name is to be freed also after a failure. */
static int temporary(const char *path, char **out_name) {
  NrBuf name = {0};
  nr_buf_printf(&name, "%s.XXXXXX", path);
  *out_name = name.data;
  return mkstemp(name.data);
}

/* All constants one after the other, each at a multiple of 64, in a new file beside `path`. */
static NrStatus write_constants(NrLl *g, const char *path, char **out_name) {
  char *name;
  int fd = temporary(path, &name);
  *out_name = NULL;
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  static const char zeros[64];
  bool good = file != NULL;
  for (size_t i = 0; i < g->tables->constants.size && good; i++) {
    size_t size = nr_ll_constant_size(g->tables->constants.data[i]), pad = (64 - size % 64) % 64;
    void *copy = nr_malloc(size ? size : 1);
    nr_ll_constant_copy(g->tables->constants.data[i], copy);
    good = fwrite(copy, 1, size, file) == size && fwrite(zeros, 1, pad, file) == pad;
    nr_free(copy);
  }
  if (file && fclose(file)) good = false;
  if (good) {
    *out_name = name;
    return NR_OK;
  }
  NrStatus status = io_error(g, "cannot write constants to", name);
  if (fd >= 0) unlink(name);
  nr_free(name);
  return status;
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
static LLVMValueRef included_block(NrLl *g, const char *file, size_t size) {
  NrBuf text = {0};
  nr_buf_puts(&text, ".section .rodata.noria,\"a\"\n.p2align 6\nnoria_data:\n.incbin \"");
  for (const char *c = file; *c; c++) {
    if (*c == '"' || *c == '\\') nr_buf_putc(&text, '\\');
    nr_buf_putc(&text, *c);
  }
  nr_buf_puts(&text, "\"\n.text\n");
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

/* Runs a program; its messages go to out_text. False when it cannot be started. */
static bool run(char *const *argv, NrBuf *out_text, int *out_status) {
  int ends[2];
  pid_t child;
  if (pipe(ends)) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  bool started = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char part[512];
  ssize_t n;
  while (started && ((n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0) nr_buf_append(out_text, part, (size_t)n);
  close(ends[0]);
  while (started && waitpid(child, out_status, 0) < 0 && errno == EINTR) {}
  return started && !(WIFEXITED(*out_status) && WEXITSTATUS(*out_status) == 127);
}

/* A C compiler knows where libm is. A bare linker may not; the runtime, which has libm, then provides its functions. */
static NrStatus link_shared(NrLl *g, const char *object, const char *path) {
  const char *commands[][8] = {
      {"cc", "-shared", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"gcc", "-shared", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"clang", "-shared", "-o", path, object, "-Wl,--as-needed", "-lm", NULL},
      {"ld.lld", "-shared", "-o", path, object, NULL},
      {"ld", "-shared", "-o", path, object, NULL},
  };
  NrLoc loc = nr_loc_unknown(g->ctx);
  for (size_t i = 0; i < NR_COUNTOF(commands); i++) {
    NrBuf text = {0};
    int result = 0;
    bool started = run((char *const *)commands[i], &text, &result);
    NrStatus status = NR_OK;
    if (started && result != 0) {
      nr_error(g->ctx, loc, "the linker '%s' could not make '%s': %.*s", commands[i][0], path,
               (int)NR_MIN(text.size, 2000), text.size ? text.data : "it failed without a message");
      status = NR_ERROR_IO;
    }
    nr_buf_deinit(&text);
    if (started) return status;
  }
  nr_error(g->ctx, loc,
           "no linker was found to make '%s' (looked for cc, gcc, clang, ld.lld, ld); an object file (.o) needs none",
           path);
  return NR_ERROR_NOT_FOUND;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static NrStatus internal_error(NrLl *g, char *message) {
  nr_error(g->ctx, nr_loc_unknown(g->ctx), "LLVM made no machine code: %s", message);
  LLVMDisposeMessage(message);
  return NR_ERROR_INTERNAL;
}

static NrStatus write_code(NrLl *g, LLVMCodeGenFileType kind, const char *path) {
  LLVMMemoryBufferRef code;
  int64_t begin = nr_now_ns();
  char *message = nr_ll_machine_code(g, kind, &code);
  if (message) return internal_error(g, message);
  if (g->options->times) g->options->times->emit = nr_now_ns() - begin;
  NrStatus status = nr_file_write(path, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
  LLVMDisposeMemoryBuffer(code);
  return status ? io_error(g, "cannot write", path) : NR_OK;
}

static NrStatus write_ir(NrLl *g, const char *path) {
  char *text = LLVMPrintModuleToString(g->mod);
  NrStatus status = nr_file_write(path, text, strlen(text));
  LLVMDisposeMessage(text);
  return status ? io_error(g, "cannot write", path) : NR_OK;
}

/* The linker writes beside path too, so that path is whole or untouched. */
static NrStatus write_shared(NrLl *g, const char *path) {
  char *object, *library;
  int fd = temporary(path, &object), library_fd = temporary(path, &library);
  NrStatus status = fd < 0 || library_fd < 0 ? io_error(g, "cannot write", path) : NR_OK;
  if (!status) status = write_code(g, LLVMObjectFile, object);
  int64_t begin = nr_now_ns();
  if (!status) unlink(library); /* the linker makes it anew, with the mode that its user wants */
  if (!status) status = link_shared(g, object, library);
  if (g->options->times) g->options->times->link = nr_now_ns() - begin;
  if (!status && rename(library, path)) status = io_error(g, "cannot write", path);
  if (status && library_fd >= 0) unlink(library);
  if (fd >= 0) unlink(object), close(fd);
  if (library_fd >= 0) close(library_fd);
  nr_free(object);
  nr_free(library);
  return status;
}

/* Tables and constants. *out_data: the file that the assembler includes, or NULL. */
static NrStatus define_data(NrLl *g, NrCodegenKind kind, const char *path, char **out_data) {
  size_t size;
  size_t *offsets = constant_offsets(g, &size);
  bool include = kind == NR_CODEGEN_OBJECT || kind == NR_CODEGEN_SHARED;
  NrStatus status = NR_OK;
  LLVMValueRef block = NULL;
  if (size && include) {
    status = write_constants(g, path, out_data);
    if (!status) block = included_block(g, *out_data, size);
  } else if (size) {
    block = written_block(g, offsets, size);
  }
  if (!status) {
    LLVMValueRef *pointers = point_into(g, block, offsets);
    status = nr_ll_define_tables(g, pointers);
    nr_free(pointers);
  }
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

static NrStatus emit_file(NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind, const char *path) {
  NrLlProgram program;
  char *data = NULL;
  int64_t begin = nr_now_ns();
  NrStatus status = nr_ll_program_build(&program, module, options, false);
  NrLl *g = program.units; /* files are one unit */
  if (!status) status = define_data(g, kind, path, &data);
  if (!status) status = nr_ll_check(g);
  if (options->times) options->times->build = nr_now_ns() - begin;
  if (!status) status = optimize(g);
  if (!status) status = write_file(g, kind, path);
  if (data) unlink(data);
  nr_free(data);
  nr_ll_program_deinit(&program);
  return status;
}

typedef struct Emit {
  NrModule *module;
  const NrCodegenOptions *options;
  NrCodegenKind kind;
  const char *path;
  NrStatus status;
} Emit;

static void *run_emit(void *user) {
  Emit *e = user;
  e->status = emit_file(e->module, e->options, e->kind, e->path);
  return NULL;
}

NrStatus nr_ll_emit_file(NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind, const char *path) {
  Emit e = {module, options, kind, path, NR_OK};
  nr_ll_with_stack(module, run_emit, &e);
  return e.status;
}
