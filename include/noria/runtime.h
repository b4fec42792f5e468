/* runtime.h - run compiled Noria programs. Needs libnoria_runtime only: no compiler, no LLVM, no Python.
 *
 *   NoriaProgram *program;                                     a compiled model, from a shared library or from memory
 *   NoriaValue *x, *y;                                         tensors, sequences, optionals
 *   NoriaError error = NORIA_ERROR_INIT;
 *   if (noria_program_load("model.so", NULL, &program, &error)) goto failed;       error.message says what is wrong
 *   if (noria_tensor_create(NORIA_F32, 1, (int64_t[]){4}, data, &x, &error)) goto failed;
 *   const NoriaValue *inputs[] = {x};
 *   if (noria_program_run(program, inputs, 1, &y, 1, NULL, &error)) goto failed;
 *   const float *result = noria_tensor_data(y);
 *   noria_value_release(y); noria_value_release(x); noria_program_destroy(program);
 *
 * Conventions. A function that can fail returns a NoriaStatus, writes its result through `out_` parameters only when it
 * returns NORIA_OK (else they are set to NULL where they are pointers), and puts a message into *error, which may be
 * NULL. Nothing here prints, exits or throws. Sizes are bytes, times seconds. Strings are UTF-8 and NUL-terminated
 * unless a size goes with them. Whatever a `create`, `load`, `read` or `run` gives belongs to the caller. */
#ifndef NORIA_RUNTIME_H
#define NORIA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "noria/exec_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NORIA_API __attribute__((visibility("default")))
#else
#define NORIA_API
#endif

/* ---- status and errors ------------------------------------------------------------------------------------------ */

typedef enum NoriaStatus {
  NORIA_OK = 0,
  NORIA_ERROR_INVALID,     /* an argument, an input of the program or a file is wrong */
  NORIA_ERROR_NOT_FOUND,   /* a file, symbol or name does not exist */
  NORIA_ERROR_LIMIT,       /* the time, iteration or memory limit of the run, or of compiling, was reached */
  NORIA_ERROR_IO,          /* the system refused to read or write */
  NORIA_ERROR_INTERNAL,    /* a bug of Noria, reported rather than hidden */
  NORIA_ERROR_FAILED,      /* a check of the program failed while it ran: the message names node and values */
  NORIA_ERROR_MEMORY,      /* the system has no more memory */
  NORIA_ERROR_INTERRUPTED, /* noria_interrupt_all or noria_program_interrupt stopped the run, or the compiler */
  NORIA_ERROR_UNSUPPORTED, /* right, but not something that this function can do */
} NoriaStatus;

/* Set by the last call that failed with it. Start with NORIA_ERROR_INIT; give back with noria_error_clear. A call
 * that fails frees the message that was there before. Not shared between threads without a lock of the caller's. */
typedef struct NoriaError {
  NoriaStatus code;
  char *message; /* owned; NULL when code is NORIA_OK */
} NoriaError;
#define NORIA_ERROR_INIT {NORIA_OK, NULL}

NORIA_API void noria_error_clear(NoriaError *error);
/* The status as one word: "invalid", "limit", ... Static. */
NORIA_API const char *noria_status_name(NoriaStatus status);

/* ---- element types ---------------------------------------------------------------------------------------------- */

/* Bytes of one element in memory (sub-byte types take one; strings a pointer), 0 for an unknown type. */
NORIA_API size_t noria_dtype_size(NoriaDType dtype);
/* "float32", "bfloat16", "int4", "string", ...: the names of NumPy and ml_dtypes. "undefined" for an unknown type. */
NORIA_API const char *noria_dtype_name(NoriaDType dtype);
/* The type of that name, NORIA_UNDEFINED when there is none. */
NORIA_API NoriaDType noria_dtype_from_name(const char *name);

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* A tensor, a map from keys to scalars, a sequence of tensors or of maps, or an optional of any of these.
 * Reference-counted; the count is safe to change from any thread. A value that another thread, a running program or a
 * sequence also holds must not be written. */
typedef struct NoriaValue NoriaValue;

NORIA_API NoriaValue *noria_value_retain(const NoriaValue *value); /* returns value */
NORIA_API void noria_value_release(NoriaValue *value);             /* NULL is fine */
NORIA_API NoriaKind noria_value_kind(const NoriaValue *value);
/* Of the tensor, of the map's values, or of those in the sequence or optional. */
NORIA_API NoriaDType noria_value_dtype(const NoriaValue *value);
/* NORIA_I64 or NORIA_STRING for a map, and where the items are maps; else, or if there are none, NORIA_UNDEFINED. */
NORIA_API NoriaDType noria_value_key_dtype(const NoriaValue *value);

/* Tensors are dense and row-major. A copy of data; data = NULL gives zeros. Not for strings. */
NORIA_API NoriaStatus noria_tensor_create(NoriaDType dtype, int64_t rank, const int64_t *dims, const void *data,
                                          NoriaValue **out_value, NoriaError *error);

/* Called once, when the last reference to wrapped memory is gone, from the thread that gives it back. */
typedef void (*NoriaReleaseFn)(void *user);

/* No copy: the tensor is the caller's memory, which must stay valid and unchanged until release(user) is called
 * (release may be NULL). data must be aligned to the element; it may be NULL when there are no elements. On failure
 * release is not called. Not for strings. */
NORIA_API NoriaStatus noria_tensor_wrap(NoriaDType dtype, int64_t rank, const int64_t *dims, void *data,
                                        NoriaReleaseFn release, void *user, NoriaValue **out_value, NoriaError *error);

/* A string tensor, a copy of strings[0..count): sizes[i] bytes each, or NUL-terminated when sizes is NULL. */
NORIA_API NoriaStatus noria_tensor_create_strings(int64_t rank, const int64_t *dims, const char *const *strings,
                                                  const size_t *sizes, NoriaValue **out_value, NoriaError *error);

/* These take tensors only; of another kind they give 0 or NULL. */
NORIA_API int64_t noria_tensor_rank(const NoriaValue *tensor);
NORIA_API const int64_t *noria_tensor_dims(const NoriaValue *tensor); /* rank of them; lives as long as the tensor */
NORIA_API int64_t noria_tensor_count(const NoriaValue *tensor);       /* elements */
NORIA_API size_t noria_tensor_size(const NoriaValue *tensor);         /* bytes */
/* First element. NULL for strings, and allowed to be NULL when there are no elements. */
NORIA_API const void *noria_tensor_data(const NoriaValue *tensor);
/* The same, to write. NULL when the memory was wrapped read-only (DLPack's read-only flag). */
NORIA_API void *noria_tensor_mutable_data(NoriaValue *tensor);
/* Element `index` in row-major order; its bytes live as long as the tensor and a NUL follows them. out_size may be
 * NULL. NULL when this is not a string tensor or has no such element. */
NORIA_API const char *noria_tensor_string(const NoriaValue *tensor, int64_t index, size_t *out_size);

/* A sequence of tensors of element type dtype, or of maps with such values and one type of keys. Takes a reference of
 * each item; the caller keeps its own. */
NORIA_API NoriaStatus noria_sequence_create(NoriaDType dtype, const NoriaValue *const *items, int64_t count,
                                            NoriaValue **out_value, NoriaError *error);
NORIA_API int64_t noria_sequence_length(const NoriaValue *sequence);
/* Item `index` counted from 0; belongs to the sequence. NULL when there is none. */
NORIA_API const NoriaValue *noria_sequence_at(const NoriaValue *sequence, int64_t index);

/* A map from keys, a tensor of int64 or strings of rank 1 of which no two are equal, to as many values of any element
 * type, also a tensor of rank 1. The map has its entries in the order of the keys, strings by their bytes; it takes
 * references or copies, and the caller keeps its own. For maps in a sequence use noria_sequence_create. */
NORIA_API NoriaStatus noria_map_create(const NoriaValue *keys, const NoriaValue *values, NoriaValue **out_value,
                                       NoriaError *error);
/* The sorted keys, and their values in the same order; belong to the map. NULL when it is none. */
NORIA_API const NoriaValue *noria_map_keys(const NoriaValue *map);
NORIA_API const NoriaValue *noria_map_values(const NoriaValue *map);

/* An optional that holds item (a tensor, a sequence or a map; the caller keeps its reference), or, with item = NULL, an
 * empty optional of values of this kind and element type dtype. With an item, the two are
 * not read. */
NORIA_API NoriaStatus noria_optional_create(const NoriaValue *item, NoriaKind kind, NoriaDType dtype,
                                            NoriaValue **out_value, NoriaError *error);
/* The item, which belongs to the optional; NULL when it is empty. */
NORIA_API const NoriaValue *noria_optional_item(const NoriaValue *optional);
/* What the optional holds, or would hold. */
NORIA_API NoriaKind noria_optional_item_kind(const NoriaValue *optional);

/* ---- exchange without copies: DLPack ---------------------------------------------------------------------------- */

/* From <dlpack/dlpack.h>, or from noria/dlpack.h where there is none; include one of them to look inside. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Takes over managed: its deleter runs when the tensor's last reference goes. The memory must be the CPU's. A tensor
 * whose strides are not row-major, or whose memory is not aligned to its element, is copied and the deleter runs at
 * once. On failure managed stays the caller's. */
NORIA_API NoriaStatus noria_tensor_from_dlpack(struct DLManagedTensor *managed, NoriaValue **out_value,
                                               NoriaError *error);
NORIA_API NoriaStatus noria_tensor_from_dlpack_versioned(struct DLManagedTensorVersioned *managed,
                                                         NoriaValue **out_value, NoriaError *error);
/* The result holds a reference of the tensor until its deleter runs. Types without a DLPack name (strings), and in
 * the form without a version also sub-byte types, are NORIA_ERROR_UNSUPPORTED. */
NORIA_API NoriaStatus noria_tensor_to_dlpack(const NoriaValue *tensor, struct DLManagedTensor **out_managed,
                                             NoriaError *error);
NORIA_API NoriaStatus noria_tensor_to_dlpack_versioned(const NoriaValue *tensor,
                                                       struct DLManagedTensorVersioned **out_managed,
                                                       NoriaError *error);

/* ---- .npy files ------------------------------------------------------------------------------------------------- */

/* Reads NumPy's format, versions 1 to 3: bool, integers, floats and complex numbers of either byte order, and
 * fixed-width strings (`U`, `S`); Fortran order is transposed. Pickled objects and void types are
 * NORIA_ERROR_UNSUPPORTED. */
NORIA_API NoriaStatus noria_npy_read(const char *path, NoriaValue **out_value, NoriaError *error);
NORIA_API NoriaStatus noria_npy_decode(const void *data, size_t size, NoriaValue **out_value, NoriaError *error);
/* Writes version 1, row-major. What NumPy itself has no type for is written as one that holds it: bfloat16, float8 and
 * float4 as float32, int4 and int2 as int8, uint4 and uint2 as uint8. The file is whole or untouched. */
NORIA_API NoriaStatus noria_npy_write(const char *path, const NoriaValue *tensor, NoriaError *error);

/* ---- programs --------------------------------------------------------------------------------------------------- */

/* Limits of one run; 0 means none, and negative ones are refused. A run may pass the limit of
 * time by 0.1 s and that of iterations by a few thousand before it stops; memory is exact, but
 * for a result that is cut by less than an eighth and keeps its block. Zero-initialise. */
typedef struct NoriaRunLimits {
  double time_s;      /* wall time */
  int64_t iterations; /* trips of all loops of the program, together */
  int64_t memory;     /* bytes that the run holds at once, outputs included, inputs and constants not */
} NoriaRunLimits;

/* What one run took. */
typedef struct NoriaRunStats {
  int64_t peak_memory; /* bytes, as for the limit */
  int64_t iterations;
  int64_t allocations; /* blocks that the program asked for */
} NoriaRunStats;

/* One rank's connection to the other ranks of a computation; see "ranks" below. */
typedef struct NoriaWorld NoriaWorld;

typedef struct NoriaRunOptions {
  NoriaRunLimits limits;
  NoriaRunStats *stats; /* filled after success and failure; may be NULL */
  NoriaWorld *world;    /* of the rank that this run is; NULL: the only rank. A run that fails ends the world */
} NoriaRunOptions;

/* A function that compiled code may import by name, beside the runtime's own; those that flow.call calls by the name of
 * their flow.func. */
typedef struct NoriaImport {
  const char *name;
  NoriaImportFn function;
} NoriaImport;

/* A parameter in the caller's memory (#flow.parameter.named<"scope"::"key">). data must stay valid and unchanged until
 * the program is destroyed; where it is not aligned to its elements, it is copied. The rest is read during the call. */
typedef struct NoriaParameter {
  const char *scope; /* NULL: none */
  const char *key;
  NoriaDType dtype;
  int64_t rank;
  const int64_t *dims;
  const void *data;
} NoriaParameter;

/* Zero-initialise for the defaults. */
typedef struct NoriaProgramOptions {
  int32_t threads;       /* of a run, its caller's included; 0: one per available CPU; 1: never starts a thread */
  NoriaRunLimits limits; /* for runs without options of their own */
  int64_t cache_size;    /* bytes of freed blocks that stay for the next run, for each that runs at the same time; 0: as
                          * many as recent runs needed (docs/runtime.md has the bounds); negative: none */
  const NoriaImport *imports; /* found before the runtime's; read during the call only */
  size_t num_imports;
  const char *const *libraries; /* paths of shared libraries with the functions that flow.call calls and imports does
                                 * not have; opened in this order, and closed with the program. Their code runs with all
                                 * rights of the process */
  size_t num_libraries;
  const NoriaParameter *parameters; /* found before those of files */
  size_t num_parameters;
  const char *const *parameter_files; /* safetensors files, "path" or "scope=path", searched in this order. They are
                                       * mapped into memory: they must not change while the program exists */
  size_t num_parameter_files;
  void (*trace)(void *user, const char *text, size_t size); /* gets what flow.tensor.trace writes, a trace a call; NULL:
                                                             * standard error. Called by the threads that run */
  void *trace_user;
  void (*warn)(void *user, const char *text, size_t size); /* gets warnings of runs, a line a call, without an end of
                                                            * line; NULL: standard error. Called as trace is */
  void *warn_user;
  NoriaReleaseFn release; /* called with user when the program is destroyed, e.g. to free the code */
  void *user;
} NoriaProgramOptions;

/* A compiled model, ready to run. Runs from several threads at once are safe. */
typedef struct NoriaProgram NoriaProgram;

/* module and all that it points to must live until the program is destroyed. options may be NULL. On failure release
 * is not called. A module of several for different CPUs stands for the first that this one can run. Fails when the
 * module's ABI version or an import is not known. */
NORIA_API NoriaStatus noria_program_create(const NoriaModule *module, const NoriaProgramOptions *options,
                                           NoriaProgram **out_program, NoriaError *error);
/* Opens a shared library that `noria compile` made: its data symbol `noria_module` is the NoriaModule. A path without
 * a slash is a file of the current folder. What is truncated, damaged, no compiled program, or for another CPU is
 * refused before its code runs; docs/runtime.md tells what cannot be known, so load only files that you trust. */
NORIA_API NoriaStatus noria_program_load(const char *path, const NoriaProgramOptions *options,
                                         NoriaProgram **out_program, NoriaError *error);
/* NULL is fine. No run may be in progress. Values that the program gave stay valid. */
NORIA_API void noria_program_destroy(NoriaProgram *program);

/* Name, inputs and outputs (num_inputs, num_outputs of them). */
NORIA_API const NoriaModule *noria_program_module(const NoriaProgram *program);

/* Runs the program on num_inputs values in the order of the module's inputs and writes num_outputs new values, which
 * the caller releases. Inputs are checked against the module: kind, element type, rank, dims, and equal dims for
 * equal symbols. Inputs are not written and not kept. options may be NULL. After an error the program can run again. */
NORIA_API NoriaStatus noria_program_run(NoriaProgram *program, const NoriaValue *const *inputs, size_t num_inputs,
                                        NoriaValue **out_outputs, size_t num_outputs, const NoriaRunOptions *options,
                                        NoriaError *error);

/* ---- ranks: programs with channels and collectives (docs/flow.md) ------------------------------------------------ */

/* A program with flow.channel.* and flow.collective.* ops is run once by each rank of a computation, and its runs
 * exchange tensors. The ranks are threads of this process, or processes that mpirun started. */
typedef struct NoriaWorldOptions {
  double time_s; /* how long a rank waits for the others in one collective; 0: 300 s; below 0: without a limit */
  int32_t check; /* not 0: the ranks compare what each calls before every collective, and where in the program; else
                    threads compare what they call, and processes may not */
  const int32_t *communicator; /* MPI: the Fortran handle (MPI_Comm_c2f) of the ranks' communicator, which is read when
                                * the world is created; NULL: MPI_COMM_WORLD */
  int32_t nccl; /* not 0: collectives move bytes between GPUs by NCCL, one GPU for each rank of a machine; the library
                 * is loaded only then. NORIA_ERROR_UNSUPPORTED where Noria was built without it */
} NoriaWorldOptions;

/* Runs the program once for each of `ranks` ranks, as threads of this process that are gone when the call returns. The
 * inputs of rank r are inputs[r * num_inputs] and so on, and may be the same values for all ranks; its outputs go to
 * out_outputs[r * num_outputs] and so on. When one rank fails all end, no outputs are given, and the error is that of
 * the rank that failed first, behind "rank R: ". The limits are those of each rank's run; its time includes that in
 * which it waits for others. options->world and options->stats are not read; options and world may be NULL. Safe from
 * several threads at once: each call is a computation of its own. */
NORIA_API NoriaStatus noria_program_run_ranks(NoriaProgram *program, int32_t ranks, const NoriaValue *const *inputs,
                                              size_t num_inputs, NoriaValue **out_outputs, size_t num_outputs,
                                              const NoriaRunOptions *options, const NoriaWorldOptions *world,
                                              NoriaError *error);

/* The parts of that, for ranks that run more than once, or in threads of the caller's: out_worlds[r], of `count`, is
 * for the thread that is rank r, which gives it to noria_program_run. options may be NULL. */
NORIA_API NoriaStatus noria_world_create_threads(int32_t count, const NoriaWorldOptions *options,
                                                 NoriaWorld **out_worlds, NoriaError *error);
/* Joins the processes that mpirun or srun started, each of which calls this; the MPI library is loaded only now. One
 * world at a time in a process. NORIA_ERROR_UNSUPPORTED where Noria was built without MPI. */
NORIA_API NoriaStatus noria_world_create_mpi(const NoriaWorldOptions *options, NoriaWorld **out_world,
                                             NoriaError *error);
/* Not 0 when the environment says that an MPI launcher started this process and others. */
NORIA_API int noria_world_is_under_mpi(void);
NORIA_API int32_t noria_world_rank(const NoriaWorld *world);  /* NULL: 0 */
NORIA_API int32_t noria_world_count(const NoriaWorld *world); /* NULL: 1 */
/* This rank takes part in no further collective. why: NULL, or the message of its failure. Ranks that wait for it then
 * fail; after a failure all ranks do. Further calls do nothing. */
NORIA_API NoriaStatus noria_world_end(NoriaWorld *world, const char *why, NoriaError *error);
/* After a failure: not 0 on the one rank that failed first, whose message is the cause. */
NORIA_API int noria_world_reports(const NoriaWorld *world);
/* Ends the world first if that was not done. No run may use it. NULL is fine. */
NORIA_API void noria_world_destroy(NoriaWorld *world);

/* Gives the blocks that finished runs left for the next ones, and outputs that were released, back to the system. Safe
 * while other threads run the program. */
NORIA_API void noria_program_trim(NoriaProgram *program);
/* The same of all programs of the process, but for those that are busy at this moment. */
NORIA_API void noria_trim(void);

/* Stops the runs that are in progress now, of one program or of all, with NORIA_ERROR_INTERRUPTED, within 0.1 s;
 * noria_interrupt_all also stops what is being compiled. Both may be called from any thread and from a signal handler.
 * Later runs are not affected. */
NORIA_API void noria_program_interrupt(NoriaProgram *program);
NORIA_API void noria_interrupt_all(void);

#ifdef __cplusplus
}
#endif
#endif
