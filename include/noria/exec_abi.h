/* exec_abi.h - the contract between compiled code and the runtime that runs it. Includes nothing of Noria's.
 *
 * A compiled program, made in memory or linked from an object file, is one NoriaModule: plain data that names its
 * inputs, outputs, constants, imports and check sites, and an entry. Compiled code has no undefined symbols: whatever
 * it needs from the runtime it reaches through NoriaExec. So the same code runs from memory, from a shared library and
 * in an executable. */
#ifndef NORIA_EXEC_ABI_H
#define NORIA_EXEC_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NORIA_ABI_VERSION 8
#define NORIA_MAX_RANK 16
/* The dims of a tensor that are not 0 multiply to at most this, also where another dim is 0: 128 Ti, more than a
 * machine can address. Compiled code relies on it where it calculates with sizes. */
#define NORIA_MAX_ELEMENTS (INT64_C(1) << 47)

/* Element types, numbered as ONNX's TensorProto.DataType. Types of 2 and 4 bits take a byte per element in memory: the
 * bits above are read as if they were not there, and in what a program gives they extend the value: with its sign, or
 * with zeros for unsigned and float types. */
typedef enum NoriaDType {
  NORIA_UNDEFINED = 0,
  NORIA_F32 = 1,
  NORIA_U8 = 2,
  NORIA_I8 = 3,
  NORIA_U16 = 4,
  NORIA_I16 = 5,
  NORIA_I32 = 6,
  NORIA_I64 = 7,
  NORIA_STRING = 8, /* each element is a NoriaString* */
  NORIA_BOOL = 9,   /* one byte, 0 or 1 */
  NORIA_F16 = 10,
  NORIA_F64 = 11,
  NORIA_U32 = 12,
  NORIA_U64 = 13,
  NORIA_C64 = 14,  /* two f32 */
  NORIA_C128 = 15, /* two f64 */
  NORIA_BF16 = 16,
  NORIA_F8E4M3FN = 17,
  NORIA_F8E4M3FNUZ = 18,
  NORIA_F8E5M2 = 19,
  NORIA_F8E5M2FNUZ = 20,
  NORIA_U4 = 21,
  NORIA_I4 = 22,
  NORIA_F4E2M1FN = 23,
  NORIA_F8E8M0FNU = 24,
  NORIA_U2 = 25,
  NORIA_I2 = 26,
  NORIA_F6E2M3FN = 27,
  NORIA_F6E3M2FN = 28,
} NoriaDType;

/* An element of a string tensor is a pointer to one of these: immutable, `size` bytes and a NUL after them.
 * Inside a run they are plain words: compiled code copies the pointers freely and never counts references. The run
 * holds every string that it meets until it ends. A string constant of a module has refs = 0: it lives as long as the
 * module. */
typedef struct NoriaString {
  int64_t refs; /* 0: static. Changed by the runtime only */
  int64_t size; /* bytes, without the NUL */
  char data[];
} NoriaString;

/* What a value is: a tensor, or a handle to a runtime object. */
typedef enum NoriaKind {
  NORIA_KIND_TENSOR = 0,
  NORIA_KIND_SEQUENCE = 1,
  NORIA_KIND_OPTIONAL = 2,
  NORIA_KIND_MAP = 3,
} NoriaKind;

/* One value at the boundary of compiled code, always dense and row-major.
 *   tensor:             data = first element, rank and dims valid. Inputs of a program are aligned to their element
 *                       only; what api->alloc gave, and constants, to 64 bytes. May be NULL when there are no elements.
 *                       In imports bits is the size of an element in bytes, plus NORIA_DESC_STRINGS for strings; 0: not
 *                       said. The runtime refuses a tensor as one of a NoriaDType that it cannot be
 *   sequence, optional, map: data = the runtime's NoriaValue*, rank = 0
 *   scalar (imports only): rank = -1 and the value itself, zero-extended, in bits */
typedef struct NoriaDesc {
  void *data;
  int64_t rank;
  uint64_t bits;
  int64_t dims[NORIA_MAX_RANK];
} NoriaDesc;
#define NORIA_DESC_STRINGS 0x100

typedef struct NoriaExec NoriaExec;

/* Workgroup function of an executable: args is the argument block that the dispatch gave (same for every workgroup).
 * Returns 0, or non-zero after api->fail, or because NoriaExec.stop is set: dispatch then records why. */
typedef int32_t (*NoriaWorkgroupFn)(NoriaExec *exec, const void *args, int64_t x, int64_t y, int64_t z);

/* A runtime function that compiled code imports by name (NoriaModule.imports). Returns 0, or non-zero after api->fail.
 * Tensors in results are fresh buffers from api->alloc, owned by the caller. Handles in results carry one reference,
 * which the caller may give back with the import "value_release"; the run gives back the rest when it ends. The list of
 * functions with their arguments is the table in src/base/imports.def. */
typedef int32_t (*NoriaImportFn)(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results);

/* A function of the user that a program calls by flow.call has the same type, and is imported as '@' and its name; it
 * comes from NoriaProgramOptions.imports or .libraries, where the '@' is left out. args has the arguments and results
 * the results, in the order of the declaration (flow.func):
 *   tensor   data, rank and dims are set, and bits is the size of an element in bytes. The function reads the elements
 *            of args and writes all those of results; it keeps no pointer after it returns, and frees and allocates
 *            none. A result's memory is new, with undefined elements and the dims that the call gives. A tied result is
 *            the memory of its argument, args[i].data == results[k].data, with the argument's elements
 *   scalar   rank = -1; bits has the value of an argument, zero-extended, and takes that of a result, of which the bits
 *            above its type are not read
 * Returns 0, or non-zero: the run then fails with the text that api->error got, if it was called, and the place of the
 * call. Runs of several threads call the function at the same time. */

/* Collectives, for the import "collective", and how they combine elements; NORIA_REDUCE_NONE where they do not. */
typedef enum NoriaCollective {
  NORIA_ALL_GATHER = 0,
  NORIA_ALL_REDUCE = 1,
  NORIA_ALL_TO_ALL = 2,
  NORIA_REDUCE_SCATTER = 3,
  NORIA_SEND_RECV = 4
} NoriaCollective;
typedef enum NoriaReduction {
  NORIA_REDUCE_NONE = 0,
  NORIA_REDUCE_SUM = 1,
  NORIA_REDUCE_PRODUCT = 2,
  NORIA_REDUCE_MINIMUM = 3,
  NORIA_REDUCE_MAXIMUM = 4,
  NORIA_REDUCE_AVERAGE = 5
} NoriaReduction;

typedef struct NoriaRuntimeApi {
  /* 64-byte aligned, contents undefined. NULL after failing with the memory limit or the system's refusal. */
  void *(*alloc)(NoriaExec *exec, int64_t size);
  /* NULL is fine. Non-zero, without failing, where data is no live block of this run: it was freed already. */
  int32_t (*free)(NoriaExec *exec, void *data);
  /* Runs fn for every workgroup of the grid, possibly on several threads; returns when all are done. Threads begin
   * workgroups in the order of z, and those of one z in any order. So a workgroup may wait for one of a smaller z. */
  int32_t (*dispatch)(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z);
  /* Called by loops now and then with the number of iterations since the last call. Non-zero: stop (already failed). */
  int32_t (*poll)(NoriaExec *exec, int64_t iterations);
  /* Records the failure of check site `site` (index into NoriaModule.sites) with up to four values; not 0. After
   * another function here or an import failed it may be called too: the message stays, and gets the site's place where
   * it has none. */
  int32_t (*fail)(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d);
  /* Gives the block another size and keeps the bytes that both have; data = NULL allocates. Large blocks move by
   * remapping pages, so growing by doubling never holds two copies. NULL after failing; data is then still valid. */
  void *(*realloc)(NoriaExec *exec, void *data, int64_t new_size);
  /* Called by functions that may call themselves, before anything else. Non-zero: return, for the run is to stop, or
   * the stack is full, which has failed at `site`. */
  int32_t (*enter)(NoriaExec *exec, int32_t site);
  /* Counts bytes that the program holds elsewhere against the run's memory limit; fewer than 0 gives them back. Not 0
   * after failing with the limit; then nothing was counted. For the interpreter's buffers. */
  int32_t (*charge)(NoriaExec *exec, int64_t bytes);
  /* As alloc, for more than 64 bytes of alignment: a power of two. free and realloc take the block; realloc gives back
   * one that is aligned to 64 bytes. */
  void *(*alloc_aligned)(NoriaExec *exec, int64_t size, int64_t alignment);
  /* Records the failure of a function that the program calls, in words; the text is copied. Returns 1. */
  int32_t (*error)(NoriaExec *exec, const char *text);
} NoriaRuntimeApi;

/* One run. Compiled code reads these fields; the runtime keeps more behind them. */
struct NoriaExec {
  const NoriaRuntimeApi *api;
  const void *const *constants;    /* NoriaModule.constants, resolved */
  const NoriaImportFn *imports;    /* NoriaModule.imports, resolved */
  volatile int32_t stop;           /* non-zero: leave, after a call of poll, which records why */
  int32_t threads;                 /* of the pool, at least 1 */
  int32_t place;                   /* -1, or the site whose place a message gets that has none when the entry has ended:
                                      the entry stores it before it returns, so that a run that ends too late has one */
};

/* What an entry returns after api->fail when the failure is a fault of Noria, not of the program. */
#define NORIA_RESULT_INTERNAL 2
/* int32_t entry(exec, inputs, outputs): returns 0, or non-zero after api->fail. Outputs are fresh buffers of api->alloc
 * (owned by the caller), never aliases of inputs or constants; handles may also be those of the inputs. What else the
 * run still holds when entry returns is freed by the runtime, also after a failure. */
typedef int32_t (*NoriaEntryFn)(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs);

typedef struct NoriaValueInfo {
  const char *name;
  int32_t kind;                  /* NoriaKind */
  int32_t dtype;                 /* NoriaDType of the elements; of a map of its values */
  int32_t rank;                  /* -1: any rank */
  int32_t item_kind;             /* of an optional: the NoriaKind of what it holds; else 0 */
  const int64_t *dims;           /* -1: not known before the run */
  const char *const *dim_names;  /* per dim: symbol name or NULL */
  int32_t key_dtype;             /* of a map, and where the items are maps: NORIA_I64 or NORIA_STRING; else 0 */
} NoriaValueInfo;

/* A place in the program that can fail. The message is `text` with %0..%3 replaced by the values, and %% by %. */
typedef struct NoriaSite {
  const char *place; /* how the message begins: "node 'add_1'", "gcd.mlir:3:8"; may be "" */
  const char *text;
} NoriaSite;

typedef struct NoriaConstant {
  const void *data; /* 64-byte aligned; NULL for a parameter */
  int64_t size;     /* bytes */
} NoriaConstant;

/* A constant whose elements are not in the program: the runtime finds them by scope and key when the program is loaded.
 * They are aligned to their element only. */
typedef struct NoriaParameterInfo {
  const char *scope; /* "": none */
  const char *key;
  const int64_t *dims;
  int32_t dtype; /* NoriaDType */
  int32_t rank;
  int32_t constant; /* index into NoriaModule.constants */
  int32_t unused;
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
  /* Features of the CPU that the code may use, by LLVM's names: "avx,avx2,fma". Those that every CPU of the
   * architecture has are left out. NULL or "": any CPU will do. A program is not created where one is missing. */
  const char *cpu;
  /* The same program for CPUs that lack a feature which this one needs; NULL: there is none. */
  const struct NoriaModule *fallback;
  const NoriaParameterInfo *parameters;
  int64_t num_parameters;
} NoriaModule;

#ifdef __cplusplus
}
#endif
#endif
