/* codegen.c - the door to machine code: loads libnoria_llvm.so on the first use and passes calls on to it. */
#include "codegen/codegen.h"

#include <dlfcn.h>
#include <pthread.h>

#include "codegen/backend.h"
#include "codegen/limits.h"

static const NrCodegenOptions default_options = {.opt_level = 2};

/* The library lies beside this one, wherever that was installed; else the loader's own search finds it. */
static void *open_library(void) {
  Dl_info self;
  void *library = NULL;
  if (dladdr((const void *)&default_options, &self) && self.dli_fname) {
    NrBuf path = {0};
    const char *slash = strrchr(self.dli_fname, '/');
    if (slash) nr_buf_append(&path, self.dli_fname, (size_t)(slash + 1 - self.dli_fname));
    nr_buf_puts(&path, NR_BACKEND_LIBRARY);
    library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    nr_buf_deinit(&path);
  }
  return library ? library : dlopen(NR_BACKEND_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

/* Never unloaded: code of other sessions may be in use, and LLVM does not like to be unloaded. */
static NrStatus load_backend(NrContext *ctx, const NrBackend **out) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const NrBackend *backend;
  NrStatus status = NR_OK;
  pthread_mutex_lock(&lock);
  if (!backend) {
    void *library = open_library();
    backend = library ? dlsym(library, NR_BACKEND_SYMBOL) : NULL;
    if (!backend) {
      const char *why = dlerror();
      nr_error(ctx, nr_loc_unknown(ctx), "machine code needs %s, which could not be loaded: %s", NR_BACKEND_LIBRARY,
               why ? why : "unknown reason");
      status = NR_ERROR_NOT_FOUND;
    }
  }
  *out = backend;
  pthread_mutex_unlock(&lock);
  return status;
}

static NrStatus start(NrModule *module, const NrCodegenOptions **options, const NrBackend **out) {
  int64_t begin = nr_now_ns();
  if (!*options) *options = &default_options;
  NrStatus status = nr_codegen_check_limits(module);
  if (!status) status = load_backend(module->ctx, out);
  if ((*options)->times) *(*options)->times = (NrCodegenTimes){.load = nr_now_ns() - begin};
  return status;
}

NrStatus nr_codegen_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled) {
  const NrBackend *backend;
  *out_compiled = NULL;
  NrStatus status = start(module, &options, &backend);
  return status ? status : backend->jit(module, options, out_compiled);
}

NrStatus nr_codegen_emit(NrModule *module, const NrCodegenOptions *options, NrCodegenKind kind, const char *path) {
  const NrBackend *backend;
  NrStatus status = start(module, &options, &backend);
  return status ? status : backend->emit(module, options, kind, path);
}

const NrCodeRegion *nr_compiled_regions(const NrCompiled *compiled, size_t *out_count) {
  *out_count = compiled->num_regions;
  return compiled->regions;
}

const NoriaModule *nr_compiled_module(const NrCompiled *compiled) { return compiled->module; }

NoriaEntryFn nr_codegen_function(const NrCompiled *compiled, const char *name) {
  return compiled->backend->function(compiled, name);
}

void nr_compiled_destroy(NrCompiled *compiled) {
  if (compiled) compiled->backend->destroy(compiled);
}
