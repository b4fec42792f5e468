/* noria.h - compile ONNX models and Noria's text IR, and run them. What is compiled is a NoriaProgram of runtime.h.
 *
 *   NoriaProgram *program;
 *   NoriaError error = NORIA_ERROR_INIT;
 *   if (noria_compile_file("model.onnx", NULL, &program, &error)) { fputs(error.message, stderr); ... }
 *   noria_program_run(program, inputs, num_inputs, outputs, num_outputs, NULL, &error);
 *
 * Link with libnoria, which contains the runtime. The conventions are runtime.h's.
 *
 * A fault of the compiler itself ends a call with NORIA_ERROR_INTERNAL, and a message that names the pass and the
 * place in the program; the call's memory is freed, and others are not affected. noria_interrupt_all ends calls that
 * compile with NORIA_ERROR_INTERRUPTED, within a tenth of a second. A thread that LLVM worked on may then run on for a
 * while. */
#ifndef NORIA_NORIA_H
#define NORIA_NORIA_H

#include "noria/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise for the defaults. */
typedef struct NoriaCompileOptions {
  NoriaProgramOptions program;    /* threads, limits, imports; release and user are ignored. parameter_files may also be
                                   * ONNX models, by their ending: their initializers are the parameters */
  const char *const *shapes;      /* "N=16" fixes a symbol, "x=1x3x?" an input's dims; "w=input": feed an
                                   * initializer that is also an input, instead of its value; "N=warn": dims of the
                                   * symbol N may differ, which is a warning of the run, "*=warn": of every symbol */
  size_t num_shapes;
  const char *cpu;                /* LLVM's name of a CPU; NULL: this machine's. A file can be for several,
                                   * "haswell,znver5": the last of the list that a machine can run is used there */
  const char *features;           /* "+avx2,-fma"; NULL: what the CPU has */
  int32_t opt_level;              /* 1, 2, 3; 0: the default, 2 */
  const char *entry;              /* of text IR: a function's name; NULL: @main, or the only public one */
  const char *interpret_after; /* a stage of the pipeline, "tensor", "flow", "buffer" ..: no machine code is made, the
                                * reference interpreter runs the program as it is after that stage. NULL: compile */
  const char *format;             /* "onnx", "mlir", or "kernel": the name of a kernel, as in noria/kernels.h. NULL: by
                                   * the path's ending, for memory by the first bytes */
  const char *sanitize;           /* "address": an access of machine code to memory that is not the program's fails,
                                   * naming node or line; slow, and for code in memory only. NULL: none */
  int32_t check_bounds;           /* not 0: accesses of text IR that are out of bounds fail, naming op and index */
  int32_t check_input;            /* not 0: kernels of the library that text IR calls by name check their input, as with
                                   * .checked in the name: a list that should be sorted and is not is an error;
                                   * and kernels on its sparse tensors check the order of coordinates */
  const char *outline_parameters; /* noria_compile_to_file writes large constants to this safetensors file instead,
                                   * which the program then needs (NoriaProgramOptions.parameter_files); NULL: none */
  int64_t outline_min_bytes;      /* constants of fewer bytes stay; 0: 4096 */
  const char *shard;              /* for runs on several ranks: "batch", each runs a model on its part of the batch, or
                                   * "tensor", each has its part of the large weights. NULL: neither */
  /* Limits of compiling itself; those of runs are program.limits. Beyond one, compiling ends with NORIA_ERROR_LIMIT. */
  double compile_time_s;          /* wall time; 0: none */
  int64_t compile_memory;         /* bytes; 0: half of what the machine or its control group has; negative: none */
  int64_t fold_memory;            /* bytes that may be taken by constants that are computed from others when a program
                                   * is compiled; 0: a quarter of what the machine has; negative: none are computed */
  /* Where compiled programs are kept, for this and other processes: a folder that only its owner may use, which is made
   * where it is missing; "default": that of NORIA_CACHE, which may be off, else $XDG_CACHE_HOME/noria or
   * ~/.cache/noria. It takes at most NORIA_CACHE_SIZE bytes ("512M"; 4 GiB). NULL or "off": nowhere */
  const char *cache;
  int32_t tiered; /* not 0: code is made at level 1 first, and the program can run. Meanwhile a thread in the background
                   * makes that of opt_level, to which runs switch that begin later (noria_program_tier). Code that the
                   * cache has is used at once. Floats of the two may differ in their last bits. No effect at level 1,
                   * with sanitize, and where no code is made in memory */
} NoriaCompileOptions;

/* "-" is standard input. External data of a model is looked for in the folder of path. error lists all that is wrong, a
 * line each. A library that noria compile made is opened as noria_program_load opens it, with options->program; it is
 * known by its content, or by the ending .so. An option that says how to compile is an error then. To open a library is
 * to run its code: where format is given or the ending is .onnx or .mlir, none is opened. */
NORIA_API NoriaStatus noria_compile_file(const char *path, const NoriaCompileOptions *options,
                                         NoriaProgram **out_program, NoriaError *error);
/* data is read during the call only. folder: where external data may lie, or NULL. */
NORIA_API NoriaStatus noria_compile_memory(const void *data, size_t size, const char *folder,
                                           const NoriaCompileOptions *options, NoriaProgram **out_program,
                                           NoriaError *error);

/* Which code of a program that was compiled with NoriaCompileOptions.tiered runs that begin now use. */
typedef enum NoriaTier {
  NORIA_TIER_ONLY,      /* the program has only one code: it was compiled otherwise, or came from the cache */
  NORIA_TIER_FIRST,     /* that of level 1, while better code is made, or that while it is written to the cache */
  NORIA_TIER_OPTIMIZED, /* that of opt_level; it was written to the cache, if one was asked for and could be written */
  NORIA_TIER_FAILED     /* that of level 1, since no better code could be made */
} NoriaTier;

/* Waits at most wait_s seconds, 0: not at all, negative: without a limit, for what works in the background to end.
 * noria_interrupt_all ends the wait, with NORIA_ERROR_INTERRUPTED in *error, but not the work. After NORIA_TIER_FAILED
 * *error says why: for one, compile_time_s and compile_memory limit each of the two compilations by itself, where
 * memory that runs take meanwhile counts; and a child of fork() has no such thread. error may be NULL. */
NORIA_API NoriaTier noria_program_tier(const NoriaProgram *program, double wait_s, NoriaError *error);

typedef enum NoriaFileKind {
  NORIA_FILE_OBJECT,
  NORIA_FILE_SHARED,
  NORIA_FILE_LLVM_IR,
  NORIA_FILE_ASSEMBLY,
  NORIA_FILE_C /* C17 source, for one CPU; its header declares a plain function, and lies beside it where header is
                * NULL: "x.h" of "x.c". LLVM is loaded only where options name a CPU */
} NoriaFileKind;

/* Compiles the model at path to a file that holds the symbol noria_module; noria_program_load opens a shared one.
 * header: a path for a C header that describes it, or NULL. The files are whole or untouched. */
NORIA_API NoriaStatus noria_compile_to_file(const char *path, const NoriaCompileOptions *options, NoriaFileKind kind,
                                            const char *out_path, const char *header, NoriaError *error);

/* "0.1.0" */
NORIA_API const char *noria_version(void);

#ifdef __cplusplus
}
#endif
#endif
