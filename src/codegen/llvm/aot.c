/* aot.c - machine code as files: object, assembly, LLVM IR, shared library. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/seal.h"
#include "codegen/llvm/ll.h"
#include "dialect/shared/shaped.h"

/* ---- constants -------------------------------------------------------------------------------------------------- */

/* The constants of all variants of a program, without duplicates, consecutive in a block of bytes. */
typedef struct Block {
  NR_VEC(NrAttr) constants;
  NrMap offsets; /* NrAttr -> its offset + 1 */
  size_t size;
} Block;

static void add_constants(Block *block, const NrLlTables *tables) {
  for (size_t i = 0; i < tables->constants.size; i++) {
    NrAttr constant = tables->constants.data[i];
    if (nr_attr_is_parameter(constant) || nr_map_get(&block->offsets, constant)) continue;
    nr_vec_push(&block->constants, constant);
    nr_map_set(&block->offsets, constant, (void *)(block->size + 1));
    block->size += (nr_ll_constant_size(constant) + 63) / 64 * 64;
  }
}

static size_t offset_of(const Block *block, NrAttr constant) {
  return (uintptr_t)nr_map_get(&block->offsets, constant) - 1;
}

/* For NrHold: closes a file after a fault. */
static void drop_fd(void *what) { close((int)((intptr_t)what - 1)); }
static void hold_fd(NrHold *hold, int fd) { hold->what = fd < 0 ? NULL : (void *)((intptr_t)fd + 1); }

/* Writes the constants to an unnamed file. Returns -1 after reporting an error. */
static int write_constants(NrLl *g, const Block *block, const char *folder, NrHold *hold) {
  static const char zeros[64];
  int fd = nr_nameless_file(folder);
  bool good = fd >= 0;
  hold_fd(hold, fd);
  for (size_t i = 0; i < block->constants.size && good; i++) {
    size_t size = nr_ll_constant_size(block->constants.data[i]), pad = (64 - size % 64) % 64;
    void *copy = nr_malloc(size ? size : 1);
    nr_ll_constant_copy(block->constants.data[i], copy);
    good = nr_fd_write(fd, copy, size) && nr_fd_write(fd, zeros, pad);
    nr_free(copy);
  }
  if (good) return fd;
  nr_ll_io_error(g, "cannot write constants in", folder);
  hold->what = NULL;
  if (fd >= 0) close(fd);
  return -1;
}

static LLVMValueRef *point_into(NrLl *g, const Block *block, LLVMValueRef bytes) {
  const NrLlTables *tables = g->tables;
  LLVMValueRef *pointers = nr_malloc((tables->constants.size + 1) * sizeof *pointers);
  for (size_t i = 0; i < tables->constants.size; i++) {
    NrAttr value = tables->constants.data[i];
    LLVMValueRef at = nr_ll_int(g, nr_attr_is_parameter(value) ? 0 : (int64_t)offset_of(block, value));
    pointers[i] = nr_attr_is_parameter(value) ? LLVMConstNull(g->ptr) : LLVMConstInBoundsGEP2(g->i8, bytes, &at, 1);
  }
  return pointers;
}

static LLVMValueRef declare_block(NrLl *g, const Block *block) {
  LLVMValueRef bytes = LLVMAddGlobal(g->mod, LLVMArrayType2(g->i8, block->size), "noria_data");
  LLVMSetGlobalConstant(bytes, true);
  LLVMSetVisibility(bytes, LLVMHiddenVisibility);
  return bytes;
}

/* Makes the assembler fill the block from a file, so that the bytes do not pass through LLVM. */
static void include_block(NrLl *g, int file) {
  NrBuf text = {0};
  char path[32];
  nr_fd_path(file, path);
  nr_buf_puts(&text, ".section .rodata.noria,\"a\"\n.p2align 6\nnoria_data:\n");
  nr_buf_printf(&text, ".incbin \"%s\"\n.text\n", path);
  LLVMAppendModuleInlineAsm(g->mod, text.data, text.size);
  nr_buf_deinit(&text);
}

/* Defines the block as LLVM data, for text files, which must be self-contained. */
static void write_block(NrLl *g, const Block *block, LLVMValueRef declared) {
  char *bytes = nr_calloc(block->size, 1);
  for (size_t i = 0; i < block->constants.size; i++)
    nr_ll_constant_copy(block->constants.data[i], bytes + offset_of(block, block->constants.data[i]));
  LLVMSetInitializer(declared, LLVMConstStringInContext2(g->llvm, bytes, block->size, true));
  nr_free(bytes);
  LLVMSetAlignment(declared, 64);
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
  if (status) nr_ll_io_error(g, "cannot write", path);
  nr_ll_let_caller_go();
  nr_hold_end(hold);
  LLVMDisposeMemoryBuffer(code);
  return status;
}

static NrStatus write_ir(NrLl *g, const char *path) {
  NrHold *hold = nr_hold(drop_text);
  char *text = hold->what = LLVMPrintModuleToString(g->mod);
  nr_ll_keep_caller();
  NrStatus status = nr_file_write(path, text, strlen(text));
  nr_ll_let_caller_go();
  nr_hold_end(hold);
  LLVMDisposeMessage(text);
  return status ? nr_ll_io_error(g, "cannot write", path) : NR_OK;
}

static void drop_new_file(void *file) { nr_new_file_drop(file); }

typedef struct Files {
  int *list;
  size_t count;
} Files;

static void drop_files(void *files) {
  Files *f = files;
  while (f->count > 0) close(f->list[--f->count]);
}

/* Writes the objects of the partitions for the linker to unnamed files, and frees them. */
static NrStatus write_objects(NrLlProgram *p, const char *folder, Files *out) {
  for (size_t i = 0; i < p->num_partitions; i++) {
    LLVMMemoryBufferRef object = p->objects[i];
    int fd = nr_nameless_file(folder);
    if (fd >= 0) out->list[out->count++] = fd;
    if (fd < 0 || !nr_fd_write(fd, LLVMGetBufferStart(object), LLVMGetBufferSize(object)))
      return nr_ll_io_error(p->partitions, "cannot write an object file in", folder);
    p->objects[i] = NULL;
    LLVMDisposeMemoryBuffer(object);
  }
  return NR_OK;
}

static NrStatus link_into(NrLlProgram *p, NrNewFile *f, const char *path) {
  NrLl *g = p->partitions;
  Files *objects = nr_calloc(1, sizeof *objects);
  objects->list = nr_calloc(p->num_partitions, sizeof *objects->list);
  NrHold *hold = nr_hold(drop_files);
  hold->what = objects;
  char *folder = nr_folder_of(f->path);
  NrStatus status = write_objects(p, folder, objects);
  nr_free(folder);
  int64_t begin = nr_now_ns();
  if (!status) status = nr_ll_link_shared(g, objects->list, objects->count, f->fd, path);
  if (!status && !nr_seal_write(f->fd)) status = nr_ll_io_error(g, "cannot seal", path);
  if (g->options->times) g->options->times->link = nr_now_ns() - begin;
  nr_hold_end(hold);
  drop_files(objects);
  nr_free(objects->list);
  nr_free(objects);
  return status;
}

/* Links the objects of the partitions. */
static NrStatus write_shared(NrLlProgram *p, const char *path) {
  NrLl *g = p->partitions;
  NrNewFile *f = nr_calloc(1, sizeof *f);
  NrHold *hold = nr_hold(drop_new_file);
  NrStatus status = nr_new_file_open(f, path);
  if (status) {
    nr_ll_io_error(g, "cannot write", path);
    nr_hold_end(hold);
    nr_free(f);
    return status;
  }
  hold->what = f;
  status = link_into(p, f, path);
  if (!status) nr_ll_keep_caller();
  nr_hold_end(hold);
  if (status) nr_new_file_drop(f);
  else if ((status = nr_new_file_commit(f))) nr_ll_io_error(g, "cannot write", path);
  nr_ll_let_caller_go();
  nr_free(f);
  return status;
}

/* Defines the bytes of the block, in the module of the first variant. *out_data is the file that the assembler
 * includes, or -1. */
static NrStatus define_block(NrLl *g, const Block *block, LLVMValueRef declared, NrCodegenKind kind, const char *path,
                             NrHold *hold, int *out_data) {
  if (kind != NR_CODEGEN_OBJECT && kind != NR_CODEGEN_SHARED) {
    write_block(g, block, declared);
    return NR_OK;
  }
  char *folder = nr_folder_of(path);
  *out_data = write_constants(g, block, folder, hold);
  nr_free(folder);
  if (*out_data < 0) return NR_ERROR_IO;
  include_block(g, *out_data);
  return NR_OK;
}

static NrStatus define_tables(NrLl *g, const Block *block, LLVMValueRef bytes, LLVMValueRef fallback) {
  NrBuf needs = {0};
  NrStatus status = nr_ll_cpu_needs(g->options, g->tm, g->ctx, &needs);
  if (!status) {
    LLVMValueRef *pointers = point_into(g, block, bytes);
    status = nr_ll_define_tables(g, pointers, (NrStr){needs.data, needs.size}, fallback);
    nr_free(pointers);
  }
  nr_buf_deinit(&needs);
  return status;
}

static NrStatus optimize(NrLl *g) {
  int64_t begin = nr_now_ns();
  char *message = nr_ll_optimize(g);
  if (g->options->times) g->options->times->optimize += nr_now_ns() - begin;
  return message ? internal_error(g, message) : NR_OK;
}

/* A program of one partition, all of it optimised. */
static NrStatus write_file(NrLlProgram *p, NrCodegenKind kind, const char *path) {
  NrLl *g = p->partitions;
  NrStatus status;
  switch (kind) {
  case NR_CODEGEN_OBJECT: return write_code(g, LLVMObjectFile, path);
  case NR_CODEGEN_ASSEMBLY: return write_code(g, LLVMAssemblyFile, path);
  case NR_CODEGEN_LLVM_IR: return write_ir(g, path);
  case NR_CODEGEN_SHARED:
    status = make_code(g, LLVMObjectFile, p->objects);
    return status ? status : write_shared(p, path);
  case NR_CODEGEN_C: break; /* src/codegen/c */
  }
  return NR_ERROR_INTERNAL;
}

/* ---- programs --------------------------------------------------------------------------------------------------- */

typedef struct Emit {
  NrLlProgram *programs; /* one per variant */
  bool divide;           /* the only one into partitions; else each is one */
  NrVariant *variants;
  size_t count;
  Block block;
  NrCodegenTimes times; /* sum over all variants */
  NrCodegenKind kind;
  char *path;
  NrStatus status;
} Emit;

static NrStatus build(Emit *e, size_t i, NrHold *hold, int *out_data) {
  NrLl *g = e->programs[i].partitions;
  LLVMValueRef bytes = e->block.size ? declare_block(g, &e->block) : NULL;
  NrStatus status = NR_OK;
  if (bytes && i == 0) status = define_block(g, &e->block, bytes, e->kind, e->path, hold, out_data);
  if (!status) status = define_tables(g, &e->block, bytes, i ? nr_ll_variant_declare(g, i - 1) : NULL);
  if (!status && e->kind == NR_CODEGEN_SHARED && i == 0)
    LLVMAppendModuleInlineAsm(g->mod, NR_SEAL_NOTE, strlen(NR_SEAL_NOTE));
  for (size_t k = 0; k < e->programs[i].num_partitions && !status; k++)
    status = nr_ll_check(&e->programs[i].partitions[k]);
  return status;
}

/* Partitions are optimised and compiled in parallel. */
static NrStatus emit_divided(Emit *e, NrHold *hold, int *out_data) {
  int64_t begin = nr_now_ns();
  NrStatus status = build(e, 0, hold, out_data);
  e->times.build += nr_now_ns() - begin;
  if (!status) status = nr_ll_program_compile(e->programs);
  return status ? status : write_shared(e->programs, e->path);
}

/* Optimises each variant for its CPU, then moves all into the module of the first one. */
static NrStatus emit_variants(Emit *e, NrHold *hold, int *out_data) {
  NrLl *first = e->programs[0].partitions;
  NrStatus status = NR_OK;
  for (size_t i = 0; i < e->count && !status; i++) {
    NrLl *g = e->programs[i].partitions;
    int64_t begin = nr_now_ns();
    status = build(e, i, hold, out_data);
    e->times.build += nr_now_ns() - begin;
    if (!status) status = optimize(g);
    if (!status && e->count > 1) nr_ll_variant_seal(g, i, e->count);
    if (!status && i) status = nr_ll_variant_join(first, g);
  }
  if (!status) nr_ll_variant_hide(first);
  return status ? status : write_file(e->programs, e->kind, e->path);
}

static NrStatus emit_file(Emit *e) {
  NrHold *hold = nr_hold(drop_fd);
  int data = -1;
  int64_t begin = nr_now_ns();
  NrStatus status = NR_OK;
  for (size_t i = 0; i < e->count && !status; i++) {
    status = nr_ll_program_build(&e->programs[i], e->variants[i].module, &e->variants[i].options, NR_LL_TARGET_FILE,
                                 e->divide);
    if (!status) add_constants(&e->block, &e->programs[i].tables);
  }
  e->times.build = nr_now_ns() - begin;
  if (!status) status = e->divide ? emit_divided(e, hold, &data) : emit_variants(e, hold, &data);
  nr_hold_end(hold);
  if (data >= 0) close(data);
  return status;
}

static void drop_programs(void *emit) {
  Emit *e = emit;
  for (size_t i = 0; i < e->count; i++) nr_ll_program_drop(&e->programs[i]);
}

static void run_emit(void *user) {
  Emit *e = user;
  NrHold *hold = nr_hold(drop_programs);
  hold->what = e;
  e->status = emit_file(e);
  nr_hold_end(hold);
  for (size_t i = 0; i < e->count; i++) nr_ll_program_deinit(&e->programs[i]);
}

NrStatus nr_ll_emit_file(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path) {
  Emit *e = nr_calloc(1, sizeof *e);
  NrCodegenTimes *times = count ? variants[0].options.times : NULL;
  e->programs = nr_calloc(count, sizeof *e->programs);
  e->variants = nr_calloc(count, sizeof *e->variants);
  e->count = count;
  e->kind = kind;
  e->divide = kind == NR_CODEGEN_SHARED && count == 1;
  e->path = memcpy(nr_malloc(strlen(path) + 1), path, strlen(path) + 1);
  if (times) e->times = *times;
  for (size_t i = 0; i < count; i++) {
    e->variants[i].module = variants[i].module;
    nr_ll_copy_options(&variants[i].options, &e->variants[i].options, &e->times);
  }
  nr_ll_apart(variants[0].module->ctx, run_emit, e);
  NrStatus status = e->status;
  if (times) *times = e->times;
  for (size_t i = 0; i < count; i++) nr_ll_free_options(&e->variants[i].options);
  nr_vec_deinit(&e->block.constants);
  nr_map_deinit(&e->block.offsets);
  nr_free(e->programs);
  nr_free(e->variants);
  nr_free(e->path);
  nr_free(e);
  return status;
}
