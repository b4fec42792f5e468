/* driver.c - see driver.h. */
#include "driver/driver.h"

#include <errno.h>
#include <libgen.h>

#include "abi/abi_wrapper.h"
#include "base/seal.h"
#include "driver/program.h"
#include "driver/tier.h"
#include "onnx/lower/core/lower.h"
#include "pass/scalar/kernels.h"
#include "runtime/entry.h"
#include "runtime/error.h"
#include "runtime/sanitize.h"

static void collect(void *user, const NrDiag *diag) {
  NrCompilation *unit = user;
  nr_diag_list_add(&unit->shown, diag, &unit->errors);
}

void nr_compilation_deinit(NrCompilation *unit) {
  nr_module_destroy(unit->module);
  for (size_t i = 0; i < unit->variants.size; i++) nr_module_destroy(unit->variants.data[i].module);
  nr_vec_deinit(&unit->variants);
  nr_context_destroy(unit->ctx);
  nr_onnx_model_destroy(unit->model);
  nr_cache_slot_destroy(unit->slot);
  nr_folded_deinit(&unit->folded);
  nr_free(unit->owned);
  nr_buf_deinit(&unit->name);
  nr_buf_deinit(&unit->errors);
  nr_buf_deinit(&unit->warnings);
  *unit = (NrCompilation){0};
}

static NrStatus finish(NrCompilation *unit, NrStatus status) {
  nr_diag_flush(unit->ctx);
  nr_diag_list_end(&unit->shown, &unit->errors);
  return status;
}

static bool is_kernel(const NoriaCompileOptions *o) { return o && o->format && strcmp(o->format, "kernel") == 0; }

/* Checks the options that need no input file. The others are checked where they are used. */
static NrStatus check_options(NrCompilation *unit, const NoriaCompileOptions *o) {
  if (!o) return NR_OK;
  if (o->format && strcmp(o->format, "onnx") != 0 && strcmp(o->format, "mlir") != 0 && !is_kernel(o))
    return nr_error(unit->ctx, NULL, "there is no format '%s'; it is onnx, mlir or kernel", o->format);
  if (o->opt_level < 0 || o->opt_level > 3)
    return nr_error(unit->ctx, NULL, "there is no optimisation level %d; it is 1, 2 or 3", (int)o->opt_level);
  if (o->sanitize && strcmp(o->sanitize, "address") != 0)
    return nr_error(unit->ctx, NULL, "there is no sanitizer '%s'; it is address", o->sanitize);
  if (o->shard && strcmp(o->shard, "batch") != 0 && strcmp(o->shard, "tensor") != 0)
    return nr_error(unit->ctx, NULL, "programs are not sharded by '%s'; it is batch or tensor", o->shard);
  return NR_OK;
}

/* The targets of a list of CPUs, "x86-64-v2,x86-64-v4". */
static NrStatus find_targets(NrCompilation *unit, const char *cpus, const char *features) {
  const char *at = cpus, *comma = at ? strchr(at, ',') : NULL;
  unit->cpu = comma ? nr_arena_printf(nr_context_arena(unit->ctx), "%.*s", (int)(comma - at), at) : at;
  NrStatus status = nr_codegen_target(unit->ctx, unit->cpu, features, &unit->target);
  while (comma && !status) {
    at = comma + 1;
    comma = strchr(at, ',');
    NrCompilationVariant next = {0};
    size_t size = comma ? (size_t)(comma - at) : strlen(at);
    next.cpu = nr_arena_printf(nr_context_arena(unit->ctx), "%.*s", (int)size, at);
    status = nr_codegen_target(unit->ctx, next.cpu, features, &next.target);
    nr_vec_push(&unit->variants, next);
  }
  return status;
}

static NrStatus begin(NrCompilation *unit, const NoriaCompileOptions *options) {
  unit->ctx = nr_context_create();
  unit->shown = (NrDiagList){.ctx = unit->ctx, .limit = NR_DIAG_LIMIT};
  nr_context_set_diag_handler(unit->ctx, collect, unit);
  unit->check_bounds = options && options->check_bounds;
  unit->check_input = options && options->check_input;
  unit->shard = options ? options->shard : NULL;
  unit->sanitize = options && options->sanitize;
  unit->fold_memory = options && options->fold_memory ? NR_MAX(options->fold_memory, 0) : nr_machine_memory() / 4;
  NrStatus status = check_options(unit, options);
  if (!status && options) status = find_targets(unit, options->cpu, options->features);
  if (!status && !options) status = nr_codegen_target(unit->ctx, NULL, NULL, &unit->target);
  return finish(unit, status);
}

/* The graph's name, else the file's; a program in memory is "model". */
static void name_unit(NrCompilation *unit, const char *path) {
  if (unit->model && unit->model->graph && unit->model->graph->name.size) {
    nr_buf_str(&unit->name, unit->model->graph->name);
    return;
  }
  const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
  const char *dot = base ? strrchr(base, '.') : NULL;
  size_t size = !base || strcmp(base, "-") == 0 ? 0 : dot && dot != base ? (size_t)(dot - base) : strlen(base);
  nr_buf_append(&unit->name, size ? base : "model", size ? size : strlen("model"));
}

static NrStatus import(NrCompilation *unit, const NoriaCompileOptions *options) {
  size_t count = options ? options->num_shapes : 0;
  NrShapeFix *fixes = nr_calloc(count, sizeof *fixes);
  NrStatus status = NR_OK;
  for (size_t i = 0; i < count && !status; i++)
    if (!nr_shape_fix_parse(nr_str(options->shapes[i]), &fixes[i]))
      status = nr_error(unit->ctx, NULL, "'%s' does not fix a shape: write N=16, x=1x3x?, w=input or N=warn",
                        options->shapes[i]);
  NrImportOptions import_options = {count, fixes};
  if (!status) status = nr_onnx_import(unit->ctx, unit->model, &import_options, &unit->module);
  nr_free(fixes);
  return status;
}

/* Text is printable from its first byte on; a protobuf message of a model begins with the tag of ir_version. */
static bool looks_like_text(const void *data, size_t size) {
  const unsigned char *p = data;
  for (size_t i = 0; i < NR_MIN(size, (size_t)64); i++)
    if (p[i] < 9 || (p[i] > 13 && p[i] < 32)) return false;
  return true;
}

static bool is_text(const NoriaCompileOptions *options, const char *path, const void *data, size_t size) {
  if (options && options->format) return strcmp(options->format, "mlir") == 0;
  if (path && nr_str_ends(nr_str(path), ".mlir")) return true;
  if (path && nr_str_ends(nr_str(path), ".onnx")) return false;
  return looks_like_text(data, size);
}

static NrStatus model_error(NrCompilation *unit, NrStatus status, const NrBuf *errors) {
  nr_error(unit->ctx, NULL, "%s", errors->size ? errors->data : "the model cannot be read");
  return status;
}

static NrStatus is_compiled(NrCompilation *unit) {
  return nr_error(unit->ctx, NULL,
                  "this is compiled code, which is not compiled again; a library is run by the path of its file, which "
                  "does not end in .onnx or .mlir, without a format");
}

/* A kernel of the library by its name: the program is its function. */
static NrStatus read_kernel(NrCompilation *unit, NrStr name) {
  NrOp *func;
  unit->module = nr_kernel_named(unit->ctx, NULL, name, unit->check_input, unit->target, &func);
  if (!unit->module) return NR_ERROR_INVALID;
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(unit->ctx, NR_STR("main")));
  return NR_OK;
}

static NrStatus read_memory(NrCompilation *unit, const void *data, size_t size, const char *name, const char *folder,
                            const NoriaCompileOptions *options) {
  NrStatus status = begin(unit, options);
  if (status) return status;
  if (!size) return finish(unit, nr_error(unit->ctx, NULL, "the program is empty"));
  if (nr_is_elf(data, size))
    return finish(unit, is_compiled(unit));
  if (is_kernel(options)) return finish(unit, read_kernel(unit, (NrStr){data, size}));
  if (is_text(options, name, data, size)) {
    name_unit(unit, name);
    if (options && options->num_shapes)
      return finish(unit, nr_error(unit->ctx, NULL, "shapes are fixed for models; a program in text has them in its "
                                                    "text"));
    unit->module = nr_parse_module(unit->ctx, (NrStr){data, size}, nr_str(name ? name : "<memory>"), NULL, NULL);
    return finish(unit, unit->module ? nr_verify(unit->module->op) : NR_ERROR_INVALID);
  }
  NrBuf errors = {0};
  status = nr_onnx_read_memory(data, size, folder, &unit->model, &errors);
  if (status) model_error(unit, status, &errors);
  nr_buf_deinit(&errors);
  name_unit(unit, name);
  return finish(unit, status ? status : import(unit, options));
}

NrStatus nr_compilation_read_memory(NrCompilation *unit, const void *data, size_t size, const char *name,
                                    const char *folder, const NoriaCompileOptions *options) {
  NrDoing before = nr_guard_step("reading", false);
  NrStatus status = read_memory(unit, data, size, name, folder, options);
  nr_guard_done(before);
  return status;
}

static NrStatus read_file(NrCompilation *unit, const char *path, const NoriaCompileOptions *options) {
  if (!(options && options->format) && nr_str_ends(nr_str(path), ".onnx")) {
    NrStatus status = begin(unit, options);
    if (status) return status;
    if (nr_file_is_elf(path)) return finish(unit, is_compiled(unit));
    NrBuf errors = {0};
    status = nr_onnx_read_file(path, &unit->model, &errors);
    if (status) model_error(unit, status, &errors);
    nr_buf_deinit(&errors);
    name_unit(unit, path);
    return finish(unit, status ? status : import(unit, options));
  }
  NrBuf bytes = {0};
  errno = 0;
  NrStatus status = nr_file_read(path, &bytes);
  if (status) {
    int why = errno;
    nr_buf_deinit(&bytes);
    if (begin(unit, options)) return NR_ERROR_INVALID;
    nr_error(unit->ctx, NULL, "cannot read '%s'%s%s", path, why ? ": " : "", why ? strerror(why) : "");
    return finish(unit, status);
  }
  char *copy = nr_malloc(strlen(path) + 1);
  memcpy(copy, path, strlen(path) + 1);
  status = read_memory(unit, bytes.data, bytes.size, path, strcmp(path, "-") ? dirname(copy) : NULL, options);
  unit->owned = bytes.data; /* the model refers to these bytes */
  nr_free(copy);
  return status;
}

NrStatus nr_compilation_read_file(NrCompilation *unit, const char *path, const NoriaCompileOptions *options) {
  NrDoing before = nr_guard_step("reading", false);
  NrStatus status = read_file(unit, path, options);
  nr_guard_done(before);
  return status;
}

NrStatus nr_compilation_set_entry(NrCompilation *unit, const char *name) {
  NrStatus status = nr_abi_wrap_entry(unit->module, name, unit->check_input);
  nr_diag_flush(unit->ctx);
  return status;
}

NrStatus nr_compilation_set_c(NrCompilation *unit, const NoriaCompileOptions *options) {
  if (unit->variants.size)
    return finish(unit, nr_error(unit->ctx, NULL, "C source is for one CPU, not for several: '%s'", options->cpu));
  if (!nr_codegen_has_llvm()) unit->fold_memory = 0; /* constants are folded by machine code */
  return finish(unit, nr_codegen_target_c(unit->ctx, unit->cpu, options ? options->features : NULL, &unit->target));
}

/* What is called after each stage: constants are folded after `tensor`, where the program's own tensors are known to be
 * right. */
typedef struct Stages {
  NrCompilation *unit;
  const NrPassOptions *passes;
} Stages;

static NrStatus after_stage(void *user, NrModule *module, const char *stage) {
  const Stages *s = user;
  if (s->passes->after) NR_TRY(s->passes->after(s->passes->user, module, stage));
  if (strcmp(stage, "tensor") != 0) return NR_OK;
  NrPassOptions passes = {.target = nr_target_host(), .verify = s->passes->verify};
  NrCodegenOptions codegen = {.target = passes.target, .opt_level = 2};
  return nr_fold_constants(module, s->unit->model, &passes, &codegen, s->unit->fold_memory, &s->unit->folded);
}

NrStatus nr_compilation_lower(NrCompilation *unit, const NrPassOptions *options) {
  NrPassOptions passes = *options;
  /* The interpreter, and who looks at each pass, gets the program as it was written. */
  bool folds = unit->fold_memory && !unit->sanitize && !passes.stop_after && !passes.after_each_pass;
  Stages stages = {unit, options};
  if (folds) passes.after = after_stage, passes.user = &stages;
  passes.check_bounds |= unit->check_bounds;
  passes.check_input |= unit->check_input;
  if (unit->shard) passes.shard = unit->shard;
  passes.separate_buffers |= unit->sanitize;
  if (!passes.target) passes.target = unit->target;
  size_t variants = passes.stop_after ? 0 : unit->variants.size;
  for (size_t i = 0; i < variants; i++) unit->variants.data[i].module = nr_module_clone(unit->module);
  NrStatus status = nr_pipeline_run(unit->module, &passes);
  /* Who looks at stages looks at those of the first. */
  NrPassOptions silent = {.verify = options->verify};
  stages.passes = &silent;
  if (!folds) passes.after = NULL;
  for (size_t i = 0; i < variants && !status; i++) {
    passes.target = unit->variants.data[i].target;
    status = nr_pipeline_run(unit->variants.data[i].module, &passes);
  }
  return finish(unit, status);
}

/* ---- programs ---- */

NoriaStatus nr_public_status(NrStatus status) {
  static const NoriaStatus map[] = {[NR_OK] = NORIA_OK,
                                    [NR_ERROR_INVALID] = NORIA_ERROR_INVALID,
                                    [NR_ERROR_NOT_FOUND] = NORIA_ERROR_NOT_FOUND,
                                    [NR_ERROR_LIMIT] = NORIA_ERROR_LIMIT,
                                    [NR_ERROR_IO] = NORIA_ERROR_IO,
                                    [NR_ERROR_INTERNAL] = NORIA_ERROR_INTERNAL,
                                    [NR_ERROR_MEMORY] = NORIA_ERROR_MEMORY,
                                    [NR_ERROR_INTERRUPTED] = NORIA_ERROR_INTERRUPTED};
  return map[status];
}

NoriaStatus nr_compilation_fail(NrCompilation *unit, NrStatus status, NoriaError *error) {
  if (unit->ctx) nr_diag_flush(unit->ctx);
  size_t n = unit->errors.size;
  while (n && unit->errors.data[n - 1] == '\n') n--;
  nr_error_set(error, nr_public_status(status), "%.*s", (int)NR_MIN(n, (size_t)INT32_MAX), n ? unit->errors.data : "");
  nr_compilation_deinit(unit);
  return nr_public_status(status);
}

static int level_of(const NoriaCompileOptions *o) { return o && o->opt_level ? o->opt_level : 2; }

static NrCodegenOptions codegen_options(const NrCompilation *unit, const NoriaCompileOptions *o,
                                        NrCodegenTimes *times) {
  return (NrCodegenOptions){.name = unit->name.data,
                            .times = times,
                            .cpu = unit->cpu,
                            .features = o ? o->features : NULL,
                            .target = unit->target,
                            .opt_level = level_of(o)};
}

/* ---- the cache -------------------------------------------------------------------------------------------------- */

static const NrOp *entry_of(const NrCompilation *unit) {
  for (NrOp *op = nr_op_only_body(unit->module->op)->first; op; op = op->next)
    if (nr_op_attr(op, NR_A_noria_entry)) return op;
  return NULL;
}

static size_t put_types(NrAttr infos, NrBuf *out) {
  size_t count = infos && infos->kind == NR_ATTR_ARRAY ? infos->size : 0;
  for (size_t i = 0; i < count; i++) {
    NrAttr type = nr_dict_get(infos->items[i], "type"); /* set by nr_compilation_set_entry for text IR */
    if (type) nr_print_type(out, type->type);
    nr_buf_putc(out, 0);
  }
  return count;
}

size_t nr_compilation_types(const NrCompilation *unit, NrBuf *out) {
  const NrOp *entry = entry_of(unit);
  if (!entry) return 0;
  size_t num_inputs = put_types(nr_op_attr(entry, NR_A_noria_inputs), out);
  put_types(nr_op_attr(entry, NR_A_noria_outputs), out);
  return num_inputs;
}

static void store(NrCompilation *unit, const NrCompiled *code) {
  NrBuf types = {0};
  NrDoing before = nr_guard_step("storing", false);
  nr_compilation_types(unit, &types);
  nr_buf_append(&unit->warnings, unit->errors.data, unit->errors.size);
  nr_cache_store(unit->slot, &(NrCacheContents){nr_compiled_parts(code),
                                                {unit->warnings.data, unit->warnings.size},
                                                {types.data, types.size},
                                                unit->model});
  nr_buf_deinit(&types);
  nr_cache_slot_destroy(unit->slot);
  unit->slot = NULL;
  nr_guard_done(before);
}

bool nr_compilation_find(NrCacheSlot *slot, NrHeap *heap, const NoriaCompileOptions *options, NrCacheNotes *out_notes,
                         NoriaProgram **out_program, NoriaError *error, NoriaStatus *out_status) {
  NrOwned owned = {.unit.heap = heap};
  NrDoing before = nr_guard_step("loading", false);
  bool found = slot && nr_cache_load(slot, &owned.cached);
  if (found) {
    nr_buf_str(&out_notes->diagnostics, owned.cached.diagnostics);
    nr_buf_str(&out_notes->types, owned.cached.types);
    nr_cache_slot_destroy(slot);
    *out_status = nr_program_make(owned, nr_compiled_module(owned.cached.code), NULL, options, out_program, error);
  }
  nr_guard_done(before);
  return found;
}

NoriaStatus nr_compilation_jit(NrCompilation *unit, const NoriaCompileOptions *options, NrCodegenTimes *times,
                        NoriaProgram **out_program, NoriaError *error) {
  static const NrSanitizeCalls watch = {nr_sanitize_access, nr_sanitize_allocated};
  NrCodegenOptions codegen = codegen_options(unit, options, times);
  if (unit->sanitize) codegen.sanitize = &watch;
  bool tiered = options && options->tiered && level_of(options) > 1 && !unit->sanitize;
  if (tiered) codegen.opt_level = 1;
  codegen.keep_source = tiered;
  codegen.keep_objects = unit->slot && !tiered;
  NrCompiled *code = NULL;
  *out_program = NULL;
  NrStatus status = NR_OK;
  if (unit->variants.size)
    status = nr_error(unit->ctx, NULL, "a program in memory is for one CPU; a file can be for several: '%s'",
                      options->cpu);
  if (!status) status = nr_codegen_jit(unit->module, &codegen, &code);
  status = finish(unit, status);
  if (status) return nr_compilation_fail(unit, status, error);
  NrTier *tier = tiered ? nr_tier_create(unit, code, options) : NULL;
  if (unit->slot && !tiered) store(unit, code);
  nr_module_destroy(unit->module); /* code does not need it; the data of constants stays */
  unit->module = NULL;
  NrOwned owned = {.code = code, .tier = tier, .unit = *unit};
  *unit = (NrCompilation){0};
  size_t count;
  const NrCodeRegion *regions = nr_compiled_regions(code, &count);
  if (codegen.sanitize) owned.regions = nr_calloc(count, sizeof *owned.regions);
  for (size_t i = 0; owned.regions && i < count; i++)
    owned.regions[i] = (NrMemoryRegion){regions[i].data, regions[i].size};
  NrMemoryRegion *kept = owned.regions;
  NoriaStatus made = nr_program_make(owned, nr_compiled_module(code), NULL, options, out_program, error);
  if (!made && codegen.sanitize) nr_program_sanitize(*out_program, kept, count);
  if (!made && tier) {
    nr_program_follow(*out_program, nr_tier_entry(tier));
    nr_tier_start(tier);
  }
  return made;
}

NoriaStatus nr_compilation_interpret(NrCompilation *unit, const NoriaCompileOptions *options,
                                     NoriaProgram **out_program, NoriaError *error) {
  NrInterpProgram *interp = NULL;
  *out_program = NULL;
  NrStatus status = NR_OK;
  if (nr_module_has_onnx_ops(unit->module))
    status = nr_error(unit->ctx, NULL,
                      "the interpreter runs a model from stage 'tensor' on: its nodes get their "
                      "meaning by being lowered");
  if (!status) status = nr_interp_create(unit->module, NULL, NULL, &interp);
  status = finish(unit, status);
  if (status) return nr_compilation_fail(unit, status, error);
  NrOwned owned = {.interp = interp, .unit = *unit};
  *unit = (NrCompilation){0};
  return nr_program_make(owned, nr_interp_module(interp), NULL, options, out_program, error);
}

static bool is_stage(const char *name) {
  for (const NrStep *step = nr_pipeline; step->stage; step++)
    if (strcmp(step->stage, name) == 0) return true;
  return false;
}

static NoriaStatus lower_and_jit(NrCompilation *unit, NrStatus status, const NoriaCompileOptions *options,
                                 NoriaProgram **out_program, NoriaError *error) {
  *out_program = NULL;
  const char *stage = options ? options->interpret_after : NULL;
  NrPassOptions passes = {.stop_after = stage};
  if (!status) status = nr_compilation_set_entry(unit, options ? options->entry : NULL);
  if (!status && stage && !is_stage(stage)) status = nr_error(unit->ctx, NULL, "the pipeline has no stage '%s'", stage);
  if (!status) status = nr_compilation_lower(unit, &passes);
  if (status) return nr_compilation_fail(unit, status, error);
  return stage ? nr_compilation_interpret(unit, options, out_program, error)
               : nr_compilation_jit(unit, options, NULL, out_program, error);
}

static NrStatus emit_variants(const NrCompilation *unit, const NrCodegenOptions *options, NrCodegenKind kind,
                              const char *path) {
  size_t count = unit->variants.size + 1;
  NrVariant *variants = nr_calloc(count, sizeof *variants);
  variants[0] = (NrVariant){unit->module, *options};
  for (size_t i = 1; i < count; i++) {
    const NrCompilationVariant *from = &unit->variants.data[i - 1];
    variants[i] = (NrVariant){from->module, *options};
    variants[i].options.cpu = from->cpu;
    variants[i].options.target = from->target;
  }
  NrStatus status = nr_codegen_emit(variants, count, kind, path);
  nr_free(variants);
  return status;
}

static NrStatus outline_parameters(NrCompilation *unit, const NoriaCompileOptions *options) {
  NR_VEC(NrModule *) modules = {0};
  nr_vec_push(&modules, unit->module);
  for (size_t i = 0; i < unit->variants.size; i++) nr_vec_push(&modules, unit->variants.data[i].module);
  int64_t min_bytes = options->outline_min_bytes ? options->outline_min_bytes : NR_OUTLINE_MIN_BYTES;
  NrStatus status = nr_outline_parameters(modules.data, modules.size, options->outline_parameters, min_bytes);
  nr_vec_deinit(&modules);
  return status;
}

/* "x.h" of "x.c". */
static void put_header_path(NrBuf *out, const char *path) {
  size_t size = strlen(path);
  nr_buf_append(out, path, size > 2 && strcmp(path + size - 2, ".c") == 0 ? size - 2 : size);
  nr_buf_puts(out, ".h");
}

NrStatus nr_compilation_emit(NrCompilation *unit, const NoriaCompileOptions *options, NrCodegenTimes *times,
                             NrCodegenKind kind, const char *path, const char *header) {
  NrCodegenOptions codegen = codegen_options(unit, options, times);
  if (unit->sanitize)
    return finish(unit, nr_error(unit->ctx, NULL, "code under the address sanitizer is made in memory only"));
  if (options && options->outline_parameters) {
    NrStatus outlined = outline_parameters(unit, options);
    if (outlined) return finish(unit, outlined);
  }
  if (kind == NR_CODEGEN_C) {
    NrBuf beside = {0};
    put_header_path(&beside, path);
    codegen.header = header ? header : beside.data;
    NrStatus written = emit_variants(unit, &codegen, kind, path);
    nr_buf_deinit(&beside);
    return finish(unit, written);
  }
  NrBuf text = {0};
  if (header) nr_codegen_header(unit->module, (NrStr){unit->name.data, unit->name.size}, &text);
  NrStatus status = emit_variants(unit, &codegen, kind, path);
  if (!status && header && (status = nr_file_write(header, text.data, text.size)))
    nr_error(unit->ctx, NULL, "cannot write '%s': %s", header, strerror(errno));
  nr_buf_deinit(&text);
  return finish(unit, status);
}

/* ---- the doors of the C API ------------------------------------------------------------------------------------- */

/* The arguments and results of a call. */
typedef struct Call {
  const NoriaCompileOptions *options;
  const char *path; /* NULL: data */
  const void *data;
  size_t size;
  const char *folder;
  NrCodegenKind kind; /* noria_compile_to_file */
  const char *out_path, *header;
  NrHeap *heap;
  NoriaProgram **out_program;
  NoriaError *error;
  NoriaStatus status;
} Call;

/* Runs body(call) under a guard, so that every fault becomes a status. The call's heap becomes the program's, if it
 * made one. */
static NoriaStatus enter(void (*body)(void *call), Call *call) {
  const NoriaCompileOptions *o = call->options;
  NrLimits limits = {0};
  if (o) limits = (NrLimits){o->compile_memory, o->compile_time_s};
  if (!(limits.time_s >= 0))
    return nr_error_set(call->error, NORIA_ERROR_INVALID, "a limit of %g seconds for compiling: it cannot be negative",
                        limits.time_s);
  call->heap = nr_heap_create(&limits, true);
  if (!call->heap) return nr_error_set_memory(call->error, sizeof limits);
  NrFault fault;
  if (!nr_guard_run(call->heap, body, call, &fault)) {
    nr_heap_destroy(call->heap);
    if (call->out_program) *call->out_program = NULL;
    return nr_error_set(call->error, nr_public_status(fault.status), "%s", fault.text);
  }
  if (call->status || !call->out_program) nr_heap_close(call->heap);
  else nr_heap_settle(call->heap);
  return call->status;
}

/* Makes the program from the cache, or sets unit->slot. */
static bool find(Call *c, NrCompilation *unit) {
  NrCacheNotes notes = {0};
  unit->slot = nr_cache_look(c->path, (NrStr){c->data, c->size}, c->folder, c->options);
  bool found = nr_compilation_find(unit->slot, c->heap, c->options, &notes, c->out_program, c->error, &c->status);
  nr_buf_deinit(&notes.diagnostics);
  nr_buf_deinit(&notes.types);
  return found;
}

static void compile_file(void *user) {
  Call *c = user;
  if (nr_is_library(c->path, c->options ? c->options->format : NULL)) {
    c->status = nr_library_load(c->path, c->heap, c->options, c->out_program, c->error);
    return;
  }
  NrCompilation unit = {.heap = c->heap};
  if (find(c, &unit)) return;
  NrStatus status = nr_compilation_read_file(&unit, c->path, c->options);
  c->status = lower_and_jit(&unit, status, c->options, c->out_program, c->error);
}

NoriaStatus noria_compile_file(const char *path, const NoriaCompileOptions *options, NoriaProgram **out_program,
                               NoriaError *error) {
  *out_program = NULL;
  return enter(compile_file, &(Call){.options = options, .path = path, .out_program = out_program, .error = error});
}

static void compile_memory(void *user) {
  Call *c = user;
  NrCompilation unit = {.heap = c->heap};
  if (find(c, &unit)) return;
  /* The model's constants refer to its bytes, which the caller may free after the call: copies them. */
  unit.owned = nr_malloc(c->size);
  memcpy(unit.owned, c->data, c->size);
  NrStatus status = nr_compilation_read_memory(&unit, unit.owned, c->size, NULL, c->folder, c->options);
  c->status = lower_and_jit(&unit, status, c->options, c->out_program, c->error);
}

NoriaStatus noria_compile_memory(const void *data, size_t size, const char *folder, const NoriaCompileOptions *options,
                                 NoriaProgram **out_program, NoriaError *error) {
  *out_program = NULL;
  return enter(compile_memory, &(Call){.options = options,
                                       .data = data,
                                       .size = size,
                                       .folder = folder,
                                       .out_program = out_program,
                                       .error = error});
}

static void compile_to_file(void *user) {
  Call *c = user;
  NrCompilation unit = {0};
  NrPassOptions passes = {0};
  NrStatus status = nr_compilation_read_file(&unit, c->path, c->options);
  if (!status) status = nr_compilation_set_entry(&unit, c->options ? c->options->entry : NULL);
  if (!status && c->kind == NR_CODEGEN_C) status = nr_compilation_set_c(&unit, c->options);
  if (!status) status = nr_compilation_lower(&unit, &passes);
  if (!status) status = nr_compilation_emit(&unit, c->options, NULL, c->kind, c->out_path, c->header);
  if (status) c->status = nr_compilation_fail(&unit, status, c->error);
  else nr_compilation_deinit(&unit);
}

NoriaStatus noria_compile_to_file(const char *path, const NoriaCompileOptions *options, NoriaFileKind kind,
                                  const char *out_path, const char *header, NoriaError *error) {
  static const NrCodegenKind kinds[] = {[NORIA_FILE_OBJECT] = NR_CODEGEN_OBJECT,
                                        [NORIA_FILE_SHARED] = NR_CODEGEN_SHARED,
                                        [NORIA_FILE_LLVM_IR] = NR_CODEGEN_LLVM_IR,
                                        [NORIA_FILE_ASSEMBLY] = NR_CODEGEN_ASSEMBLY,
                                        [NORIA_FILE_C] = NR_CODEGEN_C};
  if ((size_t)kind >= NR_COUNTOF(kinds))
    return nr_error_set(error, NORIA_ERROR_INVALID, "there is no file kind %d", kind);
  return enter(compile_to_file, &(Call){.options = options,
                                        .path = path,
                                        .kind = kinds[kind],
                                        .out_path = out_path,
                                        .header = header,
                                        .error = error});
}

const char *noria_version(void) { return "0.1.0"; }
