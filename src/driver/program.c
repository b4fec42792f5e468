/* program.c - programs with what they own, from compiled code, the interpreter or a shared library. */
#include "driver/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/seal.h"
#include "driver/tier.h"
#include "runtime/entry.h"
#include "runtime/error.h"

static void release(void *user) {
  NrOwned *owned = user;
  NrHeap *heap = owned->unit.heap;
  nr_tier_destroy(owned->tier);
  if (owned->interp && nr_interp_is_broken(owned->interp)) { /* a run was abandoned, so its state is not consistent */
    nr_heap_destroy(heap); /* without one, the tool's, whose guard frees it */
    return;
  }
  nr_compiled_destroy(owned->code);
  nr_cache_entry_deinit(&owned->cached);
  nr_interp_destroy(owned->interp);
  nr_compilation_deinit(&owned->unit);
  for (size_t i = 0; i < owned->models.size; i++) nr_onnx_model_destroy(owned->models.data[i]);
  nr_vec_deinit(&owned->models);
  nr_free(owned->regions);
  nr_free(owned);
  nr_heap_close(heap);
}

NrOwned *nr_program_owned(const NoriaProgram *program) { return nr_program_user(program, release); }

/* The parameters of a program's options: the tensors of models, and the other files, which the runtime reads. */
typedef struct Parameters {
  NrArena arena;
  NR_VEC(NoriaParameter) given;
  NR_VEC(const char *) files;
} Parameters;

/* Adds the initializers of the model at "path" or "scope=path". Data in files of its own is mapped. */
static NoriaStatus add_model(Parameters *p, NrOwned *owned, const char *text, NoriaError *error) {
  size_t n = strcspn(text, "=/");
  bool scoped = text[n] == '=';
  const char *scope = scoped ? nr_str_copy(&p->arena, (NrStr){text, n}).data : "";
  const char *path = scoped ? text + n + 1 : text;
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_read_file(path, &model, &errors);
  if (status)
    nr_error_set(error, nr_public_status(status), "parameter file '%s': %s", path, errors.size ? errors.data : "");
  nr_buf_deinit(&errors);
  if (status) return nr_public_status(status);
  nr_vec_push(&owned->models, model);
  for (size_t i = 0; i < model->graph->num_initializers; i++) {
    const NrOnnxTensor *t = &model->graph->initializers[i];
    if (t->dtype == NORIA_STRING) continue; /* no parameter has such elements */
    NoriaParameter made = {scope, nr_str_copy(&p->arena, t->name).data, t->dtype, (int64_t)t->rank, t->dims, t->data};
    nr_vec_push(&p->given, made);
  }
  return NORIA_OK;
}

static NoriaStatus collect_parameters(Parameters *p, NrOwned *owned, NoriaProgramOptions *io, NoriaError *error) {
  NoriaStatus status = NORIA_OK;
  for (size_t i = 0; i < io->num_parameters; i++) nr_vec_push(&p->given, io->parameters[i]);
  for (size_t i = 0; i < io->num_parameter_files && !status; i++) {
    const char *text = io->parameter_files[i];
    if (text && nr_str_ends(nr_str(text), ".onnx")) status = add_model(p, owned, text, error);
    else nr_vec_push(&p->files, text);
  }
  io->parameters = p->given.data;
  io->num_parameters = p->given.size;
  io->parameter_files = p->files.data;
  io->num_parameter_files = p->files.size;
  return status;
}

NoriaStatus nr_program_make(NrOwned owned, const NoriaModule *module, const char *path,
                            const NoriaCompileOptions *options, NoriaProgram **out_program, NoriaError *error) {
  NrOwned *kept = nr_calloc(1, sizeof *kept);
  *kept = owned;
  *out_program = NULL;
  if (kept->unit.ctx) nr_context_set_diag_handler(kept->unit.ctx, NULL, NULL);
  NoriaProgramOptions program = options ? options->program : (NoriaProgramOptions){0};
  program.release = release;
  program.user = kept;
  Parameters parameters = {0};
  nr_arena_init(&parameters.arena);
  NoriaStatus made = collect_parameters(&parameters, kept, &program, error);
  if (!made)
    made = module ? noria_program_create(module, &program, out_program, error)
                  : noria_program_load(path, &program, out_program, error);
  nr_vec_deinit(&parameters.given);
  nr_vec_deinit(&parameters.files);
  nr_arena_deinit(&parameters.arena);
  if (made) {
    kept->unit.heap = NULL; /* the caller owns it again */
    release(kept);
  }
  return made;
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

bool nr_file_is_elf(const char *path) {
  char start[4];
  struct stat about;
  if (strcmp(path, "-") == 0) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool is_file = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode); /* a pipe is read once only */
  ssize_t have = is_file ? pread(fd, start, sizeof start, 0) : 0;
  if (fd >= 0) close(fd);
  return have > 0 && nr_is_elf(start, (size_t)have);
}

bool nr_is_library(const char *path, const char *format) {
  NrStr name = nr_str(path);
  if (format || nr_str_ends(name, ".onnx") || nr_str_ends(name, ".mlir")) return false;
  return nr_str_ends(name, ".so") || nr_file_is_elf(path);
}

const char *nr_compiler_option(const NoriaCompileOptions *o, bool flag) {
  const struct {
    bool given;
    const char *field, *flag;
  } all[] = {
      {o->num_shapes > 0, "shapes", "--shape"},
      {o->cpu, "cpu", "--cpu"},
      {o->features, "features", "--features"},
      {o->opt_level, "opt_level", "-O"},
      {o->entry, "entry", "--entry"},
      {o->interpret_after, "interpret_after", "--interpret"},
      {o->sanitize, "sanitize", "--sanitize"},
      {o->check_bounds, "check_bounds", "--check-bounds"},
      {o->check_input, "check_input", "--check"},
      {o->outline_parameters, "outline_parameters", "--outline-parameters"},
      {o->outline_min_bytes, "outline_min_bytes", "--outline-min"},
      {o->shard, "shard", "--shard"},
      {o->tiered, "tiered", "--tiered"},
  };
  for (size_t i = 0; i < NR_COUNTOF(all); i++)
    if (all[i].given) return flag ? all[i].flag : all[i].field;
  return NULL;
}

NoriaStatus nr_library_load(const char *path, NrHeap *heap, const NoriaCompileOptions *options,
                            NoriaProgram **out_program, NoriaError *error) {
  const char *option = options ? nr_compiler_option(options, false) : NULL;
  *out_program = NULL;
  if (option)
    return nr_error_set(error, NORIA_ERROR_INVALID, "'%s' is compiled already: %s is an option of compiling", path,
                        option);
  return nr_program_make((NrOwned){.unit.heap = heap}, NULL, path, options, out_program, error);
}
