/* codegen.c - the entry points of code generation: loads libnoria_llvm.so on first use and forwards calls to it. */
#include "codegen/codegen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "codegen/backend.h"
#include "codegen/c/emit.h"
#include "pass/expand/limits.h"

static const NrCodegenOptions default_options = {.opt_level = 2};

/* It is installed next to this one. */
void nr_codegen_library_path(NrBuf *out) {
  Dl_info self;
  bool known = dladdr((const void *)&default_options, &self) && self.dli_fname;
  const char *slash = known ? strrchr(self.dli_fname, '/') : NULL;
  if (slash) nr_buf_append(out, self.dli_fname, (size_t)(slash + 1 - self.dli_fname));
  nr_buf_puts(out, NR_BACKEND_LIBRARY);
}

/* The library is never unloaded: code of other sessions may be in use, and LLVM does not support unloading. No fault
 * can be raised while the lock is held. */
enum { WHY_SIZE = 500 };

/* NULL where it cannot be loaded, for the reason in `why`. */
static const NrBackend *find_backend(char why[WHY_SIZE]) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const NrBackend *backend;
  NrBuf path = {0};
  snprintf(why, WHY_SIZE, "unknown reason");
  nr_codegen_library_path(&path);
  pthread_mutex_lock(&lock);
  if (!backend) {
    void *library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen(NR_BACKEND_LIBRARY, RTLD_NOW | RTLD_LOCAL); /* the loader's own search */
    backend = library ? dlsym(library, NR_BACKEND_SYMBOL) : NULL;
    const char *message = backend ? NULL : dlerror();
    if (message) snprintf(why, WHY_SIZE, "%s", message);
  }
  const NrBackend *found = backend;
  pthread_mutex_unlock(&lock);
  nr_buf_deinit(&path);
  return found;
}

bool nr_codegen_has_llvm(void) {
  char why[WHY_SIZE];
  return find_backend(why) != NULL;
}

static NrStatus load_backend(NrContext *ctx, const NrBackend **out) {
  char why[WHY_SIZE];
  *out = find_backend(why);
  if (*out) return NR_OK;
  nr_error(ctx, nr_loc_unknown(ctx), "machine code needs %s, which could not be loaded: %s", NR_BACKEND_LIBRARY, why);
  return NR_ERROR_NOT_FOUND;
}

static NrStatus start(NrModule *module, const NrCodegenOptions **options, const NrBackend **out) {
  int64_t begin = nr_now_ns();
  if (!*options) *options = &default_options;
  NrStatus status = nr_check_limits(module->op);
  if (!status) status = load_backend(module->ctx, out);
  if ((*options)->times) *(*options)->times = (NrCodegenTimes){.load = nr_now_ns() - begin};
  return status;
}

static NrTarget *find_target(NrContext *ctx, const char *cpu, const char *has) {
  bool native = !cpu || strcmp(cpu, "native") == 0;
  const NrTarget *host = nr_target_host();
  NrArena *arena = nr_context_arena(ctx);
  NrTarget *target = NR_NEW(arena, NrTarget);
  *target = nr_target_of(host->arch, nr_arena_printf(arena, "%s", native ? host->cpu : cpu),
                         nr_arena_printf(arena, "%s", has));
  if (native) memcpy(target->cache_bytes, host->cache_bytes, sizeof target->cache_bytes);
  return target;
}

NrStatus nr_codegen_target(NrContext *ctx, const char *cpu, const char *features, const NrTarget **out) {
  const NrBackend *backend;
  *out = nr_target_host();
  if (!features && (!cpu || strcmp(cpu, "native") == 0)) return NR_OK;
  NrBuf has = {0};
  NrStatus status = load_backend(ctx, &backend);
  if (!status) status = backend->features(ctx, cpu, features, &has);
  if (!status) *out = find_target(ctx, cpu, has.data ? has.data : "");
  nr_buf_deinit(&has);
  return status;
}

NrStatus nr_codegen_target_c(NrContext *ctx, const char *cpu, const char *features, const NrTarget **out) {
  NrTarget *target = NR_NEW(nr_context_arena(ctx), NrTarget);
  *out = target;
  *target = nr_target_of(NR_ARCH_OTHER, "generic", "");
  if (!cpu && !features) return NR_OK;
  const NrTarget *of;
  NR_TRY(nr_codegen_target(ctx, cpu, features, &of));
  *target = *of;
  target->units &= NR_UNIT_FMA;
  return NR_OK;
}

/* One variant: whoever compiles the file says for which CPU. */
static NrStatus emit_c(const NrVariant *variants, size_t count, const char *path) {
  NrModule *module = variants[0].module;
  if (count > 1)
    return nr_error(module->ctx, nr_loc_unknown(module->ctx), "C source is for one CPU: name one in --cpu");
  int64_t begin = nr_now_ns();
  NR_TRY(nr_check_limits(module->op));
  NR_TRY(nr_c_emit_file(module, &variants[0].options, path));
  if (variants[0].options.times) variants[0].options.times->emit = nr_now_ns() - begin;
  return NR_OK;
}

NrStatus nr_codegen_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled) {
  const NrBackend *backend;
  *out_compiled = NULL;
  NR_TRY(start(module, &options, &backend));
  NR_TRY(backend->jit(module, options, out_compiled));
  (*out_compiled)->backend = backend;
  return NR_OK;
}

NrStatus nr_codegen_link(NrContext *ctx, const NrCodeParts *parts, NrCompiled **out_compiled) {
  const NrBackend *backend;
  *out_compiled = NULL;
  NR_TRY(load_backend(ctx, &backend));
  NR_TRY(backend->link(ctx, parts, out_compiled));
  (*out_compiled)->backend = backend;
  return NR_OK;
}

NrStatus nr_codegen_again(NrContext *ctx, const NrCodeSource *source, const NrCodegenOptions *options,
                          NrCompiled **out_compiled) {
  const NrBackend *backend;
  *out_compiled = NULL;
  NR_TRY(load_backend(ctx, &backend));
  NR_TRY(backend->again(ctx, source, options, out_compiled));
  (*out_compiled)->backend = backend;
  return NR_OK;
}

NrStatus nr_codegen_emit(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path) {
  const NrBackend *backend;
  NrStatus status = NR_OK;
  if (kind == NR_CODEGEN_C) return emit_c(variants, count, path);
  for (size_t i = 0; i < count && !status; i++) {
    const NrCodegenOptions *options = &variants[i].options;
    status = start(variants[i].module, &options, &backend);
  }
  return status ? status : backend->emit(variants, count, kind, path);
}

const NrCodeRegion *nr_compiled_regions(const NrCompiled *compiled, size_t *out_count) {
  *out_count = compiled->num_regions;
  return compiled->regions;
}

NrCodeParts nr_compiled_parts(const NrCompiled *compiled) { return compiled->parts; }

const NrCodeSource *nr_compiled_source(const NrCompiled *compiled) { return &compiled->source; }

void nr_code_source_deinit(NrCodeSource *s) {
  for (size_t i = 0; i < s->num_modules; i++) nr_free((void *)s->modules[i].data);
  for (size_t i = 0; i < s->num_variables; i++) nr_free((void *)s->variables[i].name);
  nr_free((void *)s->definitions.data);
  nr_free(s->modules);
  nr_free(s->constants);
  nr_free(s->variables);
  *s = (NrCodeSource){0};
}

void nr_compiled_drop_source(NrCompiled *compiled) { nr_code_source_deinit(&compiled->source); }

static void *copy(const void *data, size_t size) { return size ? memcpy(nr_malloc(size), data, size) : NULL; }

NrCodeSource *nr_code_source_copy(const NrCodeSource *source) {
  NrCodeSource *out = copy(source, sizeof *source);
  out->modules = copy(source->modules, source->num_modules * sizeof *source->modules);
  out->constants = copy(source->constants, source->num_constants * sizeof *source->constants);
  out->variables = copy(source->variables, source->num_variables * sizeof *source->variables);
  for (size_t i = 0; i < out->num_modules; i++)
    out->modules[i].data = copy(source->modules[i].data, source->modules[i].size);
  for (size_t i = 0; i < out->num_variables; i++)
    out->variables[i].name = copy(source->variables[i].name, strlen(source->variables[i].name) + 1);
  out->definitions.data = copy(source->definitions.data, source->definitions.size);
  return out;
}

const NoriaModule *nr_compiled_module(const NrCompiled *compiled) { return compiled->module; }

NoriaEntryFn nr_codegen_function(const NrCompiled *compiled, const char *name) {
  return compiled->backend->function(compiled, name);
}

void nr_compiled_destroy(NrCompiled *compiled) {
  if (compiled) compiled->backend->destroy(compiled);
}
