/* ---- the contract with Noria's runtime: noria/exec_abi.h --------------------------------------------------------- */

#define NORIA_MAX_RANK 16
#define NORIA_MAX_ELEMENTS (INT64_C(1) << 47)

typedef struct NoriaDesc { /* a tensor, or a number in bits: then rank is -1 */
  void *data;
  int64_t rank;
  uint64_t bits;
  int64_t dims[NORIA_MAX_RANK];
} NoriaDesc;

typedef struct NoriaExec NoriaExec;
typedef void (*NoriaFunction)(void);
typedef int32_t (*NoriaWorkgroupFn)(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z);
typedef int32_t (*NoriaImportFn)(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

typedef struct NoriaRuntimeApi {
  void *(*alloc)(NoriaExec *exec, int64_t size);
  int32_t (*free)(NoriaExec *exec, void *data);
  int32_t (*dispatch)(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z);
  int32_t (*poll)(NoriaExec *exec, int64_t iterations);
  int32_t (*fail)(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d);
  void *(*realloc)(NoriaExec *exec, void *data, int64_t new_size);
  int32_t (*enter)(NoriaExec *exec, int32_t site);
  int32_t (*charge)(NoriaExec *exec, int64_t bytes);
  void *(*alloc_aligned)(NoriaExec *exec, int64_t size, int64_t alignment);
  int32_t (*error)(NoriaExec *exec, const char *text);
} NoriaRuntimeApi;

struct NoriaExec { /* one run */
  const NoriaRuntimeApi *api;
  const void *const *constants;
  const NoriaImportFn *imports;
  volatile int32_t stop;
  int32_t threads;
  int32_t place;
};

typedef int32_t (*NoriaEntryFn)(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs);

typedef struct NoriaValueInfo {
  const char *name;
  int32_t kind, dtype, rank, item_kind;
  const int64_t *dims;
  const char *const *dim_names;
  int32_t key_dtype;
} NoriaValueInfo;

typedef struct NoriaSite {
  const char *place, *text;
} NoriaSite;

typedef struct NoriaConstant {
  const void *data;
  int64_t size;
} NoriaConstant;

typedef struct NoriaParameterInfo {
  const char *scope, *key;
  const int64_t *dims;
  int32_t dtype, rank, constant, unused;
} NoriaParameterInfo;

typedef struct NoriaModule {
  int32_t abi_version;
  int32_t num_inputs, num_outputs, num_constants, num_imports, num_sites;
  const char *name;
  const NoriaValueInfo *inputs, *outputs;
  const NoriaConstant *constants;
  const char *const *imports;
  const NoriaSite *sites;
  NoriaEntryFn entry;
  const char *cpu;
  const struct NoriaModule *fallback;
  const NoriaParameterInfo *parameters;
  int64_t num_parameters;
} NoriaModule;
