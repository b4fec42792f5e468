/* codegen.h - machine code from a module after stage `expand`: in memory, or as files. Includes nothing of LLVM, which
 * is loaded from libnoria_llvm.so on the first use.
 *
 * What is read: func.func with blocks of cf, arith, math, memref, vector, func.call and rt ops, and memref.global. All
 * functions of the module are compiled, also those in nested modules; a symbol's last name finds the function.
 *
 * Marks that earlier stages may leave:
 *   on func.func        noria.entry                 the program's entry; at most one function
 *                       noria.inputs, noria.outputs arrays of {name = "x", dtype = 1 : i64, kind = 0 : i64,
 *                                                   dims = array<i64: 2, -1>, dim_names = ["", "N"]}, one per argument
 *                                                   and result; kind, dims (any rank) and dim_names may be absent
 *                       arg_attrs                   per argument noria.noalias, noria.readonly, noria.aligned (units):
 *                                                   no other pointer of the function reaches its memory; it is only
 *                                                   read; its first element is 64-byte aligned
 *   on cf.br/cond_br    noria.loop = {vectorize = true, interleave = 4 : i64, unroll = 8 : i64}, each may be absent:
 *                                                   the branch is a loop's back edge; on an scf.for, of the
 *                                                   branch that it becomes
 *
 * Memrefs at the boundary (arguments of functions that are called through NoriaDesc, arguments of rt.call) are
 * row-major and dense. Memory that a failing run holds is freed by the runtime: compiled code just returns. */
#ifndef NORIA_CODEGEN_CODEGEN_H
#define NORIA_CODEGEN_CODEGEN_H

#include "ir/ir.h"
#include "noria/exec_abi.h"
#include "target/target.h"

/* Where the time went, in nanoseconds. */
typedef struct NrCodegenTimes {
  int64_t load;     /* libnoria_llvm.so and LLVM, the first time */
  int64_t build;    /* the module as LLVM IR */
  int64_t optimize; /* LLVM's passes */
  int64_t emit;     /* instruction selection to object code */
  int64_t link;     /* into memory, or by the linker */
} NrCodegenTimes;

/* What code under the address sanitizer calls. */
typedef struct NrSanitizeCalls {
  /* Before an access. Returns when it may be; else it leaves compiled code. site: of NoriaModule.sites, or -1 */
  void (*access)(const void *data, int64_t size, int32_t site, int32_t is_write);
  /* The block that api->alloc gave was made at site, and size bytes from data on are for use. */
  void (*allocated)(const void *base, const void *data, int64_t size, int32_t site);
} NrSanitizeCalls;

typedef struct NrCodegenOptions {
  const char *cpu;      /* LLVM's name of a CPU; NULL or "native" = this machine's */
  const char *features; /* "+avx2,-fma"; NULL = what the CPU has */
  const NrTarget *target; /* what nr_codegen_target gave for these two; NULL = LLVM is asked again */
  int opt_level;        /* 0 to 3 */
  int threads;          /* to compile with; 0 = as many as it pays to use */
  const char *name;     /* NoriaModule.name; NULL = the module's symbol name */
  const char *header;   /* of C source: the path of its header, or NULL */
  bool all_functions;   /* every public function can be called through NoriaDesc, not only the entry */
  NrCodegenTimes *times; /* filled when not NULL */
  const NrSanitizeCalls *sanitize; /* of code in memory: it calls these; NULL = as fast as can be */
  bool keep_objects;    /* of code in memory: for nr_compiled_parts */
  bool keep_source;     /* of code in memory: for nr_compiled_source; not with sanitize */
} NrCodegenOptions;

/* The machine that cpu and features, as in NrCodegenOptions, stand for. This one is known without LLVM. A name that
 * LLVM does not know is an error that suggests the nearest one. The target lives as long as the context. */
NrStatus nr_codegen_target(NrContext *ctx, const char *cpu, const char *features, const NrTarget **out);

/* The machine that C source is lowered for: that of cpu and features, without the units that C has no types for;
 * without either one that has vectors of 16 bytes and no more, which needs no LLVM. */
NrStatus nr_codegen_target_c(NrContext *ctx, const char *cpu, const char *features, const NrTarget **out);

typedef struct NrCompiled NrCompiled; /* code in memory; independent of the module and the context that it came from */

/* Reports what cannot be compiled through the module's context. options = NULL: this CPU, level 2. */
NrStatus nr_codegen_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled);
const NoriaModule *
nr_compiled_module(const NrCompiled *compiled); /* lives as long as compiled; entry NULL without noria.entry */
/* Memory that sanitized code brings along, besides the module's constants. */
typedef struct NrCodeRegion {
  const void *data;
  size_t size;
} NrCodeRegion;
const NrCodeRegion *nr_compiled_regions(const NrCompiled *compiled, size_t *out_count);
/* What code in memory is linked of. It depends on neither the process nor where the constants lie. */
typedef struct NrCodeParts {
  const NrStr *objects; /* object files; none unless NrCodegenOptions.keep_objects */
  size_t num_objects;
  const NrCodeRegion *constants; /* NoriaModule.constants, 64-byte aligned; data is NULL for parameters */
  size_t num_constants;
} NrCodeParts;
/* Lives as long as compiled, but for the bytes of constants that are part of the model. */
NrCodeParts nr_compiled_parts(const NrCompiled *compiled);
/* Links parts again. They were made for a CPU that this machine can run. objects are read during the call; constants
 * must live as long as the code. */
NrStatus nr_codegen_link(NrContext *ctx, const NrCodeParts *parts, NrCompiled **out_compiled);
/* Memory that code writes and that lasts as long as the program, such as a memref.global that is not constant. */
typedef struct NrCodeVariable {
  const char *name; /* in objects */
  void *address;
} NrCodeVariable;
/* What code in memory is made of, to make it once more at another level. It refers to neither the module nor its
 * context. */
typedef struct NrCodeSource {
  NrStr *modules; /* LLVM's bitcode of each partition, before any pass */
  NrCodeRegion *constants;
  NrCodeVariable *variables;
  size_t num_modules, num_constants, num_variables;
  NrStr definitions; /* an object file that defines the variables; empty: there are none */
} NrCodeSource;
/* Belongs to compiled; empty unless NrCodegenOptions.keep_source was set, and after being dropped. */
const NrCodeSource *nr_compiled_source(const NrCompiled *compiled);
void nr_compiled_drop_source(NrCompiled *compiled);
/* A copy in the current heap. */
NrCodeSource *nr_code_source_copy(const NrCodeSource *source);
void nr_code_source_deinit(NrCodeSource *source); /* all but the struct itself */
/* The same program at options->opt_level. Its constants and variables are those of the code that source comes from,
 * which must live as long, and so its entry may be called in place of that code's, by the same program. The two have
 * the same tables. All of source must be in the heap of the caller's guard. */
NrStatus nr_codegen_again(NrContext *ctx, const NrCodeSource *source, const NrCodegenOptions *options,
                          NrCompiled **out_compiled);
/* The path of the library that machine code comes from. */
void nr_codegen_library_path(NrBuf *out);
bool nr_codegen_has_llvm(void); /* whether machine code can be made */
/* A public function, called as an entry: args and results are arrays of NoriaDesc, scalars with rank -1. NULL when
 * there is no such function, or options.all_functions was not set, or a type in its signature cannot pass, as memrefs
 * with a layout cannot. */
NoriaEntryFn nr_codegen_function(const NrCompiled *compiled, const char *name);
void nr_compiled_destroy(NrCompiled *compiled);

typedef enum NrCodegenKind {
  NR_CODEGEN_OBJECT,
  NR_CODEGEN_ASSEMBLY,
  NR_CODEGEN_LLVM_IR,
  NR_CODEGEN_SHARED,
  NR_CODEGEN_C /* C source: needs no LLVM */
} NrCodegenKind;

/* A program lowered for a CPU, with the options that say which. */
typedef struct NrVariant {
  NrModule *module;
  NrCodegenOptions options;
} NrVariant;

/* Writes a file with the one exported symbol `noria_module`, a NoriaModule: that of the last variant, whose fallback is
 * the one before it, and so on. The variants are one program, lowered in one context for different CPUs; what they have
 * of constants in common is written once. Undefined symbols are at most those of libc's mem* functions and libm. A
 * shared library is linked by the system's C compiler driver or linker. */
NrStatus nr_codegen_emit(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path);

/* The C header that goes with a compiled module: declares noria_module and says what its inputs and outputs are. name:
 * the model's, used in the include guard and in macros. */
void nr_codegen_header(NrModule *module, NrStr name, NrBuf *out);

#endif
