/* ll.h - inside of libnoria_llvm.so: one NrLl turns one partition of a Noria module into one LLVM module.
 *
 * How values map:
 *   integers, index (i64), f16 f32 f64 ...   LLVM's scalar types; bf16, f8.., f6.., f4 are
 *                                            the integer of their bits
 *   vector<8xf32>                            <8 x float>; vector<2x8xf32>, an element in memory, [2 x <8 x float>]
 *   complex<f32>                             { float, float }
 *   handles (seq, optional, string)          ptr, as are functions
 *   memref                                   parts: see NrLlMem. No descriptor structs: LLVM sees plain SSA values
 * Every function is  i32 f(exec, parts of arguments...)  or returns { i32, parts of results... }; non-zero: the run
 * failed.
 *
 * Files: target.c host and passes; types.c types and constants; function.c functions and their blocks; boundary.c
 * NoriaDesc wrappers; tables.c noria_module; arith.c math.c complex.c memref*.c frame.c atomic.c vector*.c control.c
 * rt.c the op rows; program.c and thread.c the threads; jit.c and aot.c the ways out. */
#ifndef NORIA_CODEGEN_LLVM_LL_H
#define NORIA_CODEGEN_LLVM_LL_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>

#include "base/guard.h"
#include "codegen/backend.h"
#include "ir/op_info.h"
#include "ir/text.h"

/* A memref's parts. Sizes, strides and offset that the type fixes are LLVM constants, so only the rest is ever passed
 * on. */
typedef struct NrLlMem {
  LLVMValueRef base;   /* what api->alloc gave: for dealloc and realloc */
  LLVMValueRef data;   /* element 0 of the buffer; the offset is not in it */
  LLVMValueRef offset; /* in elements */
  LLVMValueRef *sizes, *strides;
  LLVMValueRef rank, all_sizes, all_strides; /* of an unranked memref, which has these instead: i64, [16 x i64] twice */
} NrLlMem;

typedef struct NrLlFunc {
  NrOp *op;
  NrType type;
  LLVMTypeRef ll_type;
  LLVMValueRef value;
  LLVMValueRef thunk;       /* workgroup function, made when the first dispatch needs it */
  LLVMTypeRef thunk_args;   /* the struct that a dispatch packs */
  LLVMValueRef wrapper;     /* NoriaEntryFn, or NULL */
  bool here;                /* its body is in this partition */
} NrLlFunc;

typedef struct NrLlSite {
  NrStr place, text;
} NrLlSite;

/* What all partitions of a program share; noria_module is made of it. */
typedef struct NrLlTables {
  NrArena arena;
  NR_VEC(NrAttr) constants; /* DENSE or RESOURCE */
  NrMap constant_index;     /* NrAttr -> index + 1 */
  NR_VEC(NrStr) imports;
  NrStrMap import_index;    /* index + 1 */
  NR_VEC(NrLlSite) sites;
  NrStrMap site_index;      /* "place\0text" -> index + 1 */
  NrSymbolTables symbols;   /* of the program */
  NrMap func_partition;     /* func.func -> partition + 1 */
  NrMap outside_calls;      /* func.func that another partition calls -> itself */
  NR_VEC(NrOp *) variables; /* memref.globals that are written to and that partitions other than the first use */
} NrLlTables;

typedef struct NrLl NrLl;
typedef struct NrLlRow NrLlRow;
/* Emits a whole op. */
typedef NrStatus (*NrLlEmitFn)(NrLl *g, NrOp *op, const NrLlRow *row);
/* Emits one element-wise op on LLVM scalars or 1-D vectors. NULL: not possible (nothing reported yet). */
typedef LLVMValueRef (*NrLlLaneFn)(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args);

/* How an op is emitted; one array of these per dialect. */
struct NrLlRow {
  const char *op;
  NrLlEmitFn emit;  /* or */
  NrLlLaneFn lane;  /* element by element, on scalars or 1-D vectors */
  int code;         /* for the hook */
  const char *text; /* for the hook */
};

struct NrLl {
  NrModule *module;
  NrContext *ctx;
  const NrCodegenOptions *options;
  NrLlTables *tables;
  unsigned partition; /* the first one has the tables and the wrappers */
  NrArena arena; /* of this struct's lifetime */

  LLVMContextRef llvm;
  LLVMModuleRef mod;
  LLVMBuilderRef b;
  LLVMTargetMachineRef tm;
  bool in_llvm;        /* LLVM works on the module: after a fault it is in no state to be freed, and stays */
  char complaint[400]; /* the first error that LLVM reported; empty: none */

  LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
  LLVMTypeRef desc;                                        /* NoriaDesc */
  LLVMTypeRef entry_type, workgroup_type, import_type;     /* function types of exec_abi.h */

  const NrLlRow *rows[NR_OP_COUNT];
  NrMap funcs;       /* NrOp* -> NrLlFunc* */
  NR_VEC(NrLlFunc *) all;
  NrLlFunc *entry;

  NrStrMap strings;      /* text -> LLVMValueRef */
  LLVMValueRef free_frame; /* function, or NULL */
  NrMap global_data;     /* memref.global op -> LLVMValueRef */

  /* Under the address sanitizer. */
  LLVMDIBuilderRef debug;
  LLVMMetadataRef file, scope; /* scope: of the function that is being emitted */
  NrMap global_sizes;          /* LLVM global with a red zone -> its size without it, and 1 */

  /* Of the function that is being emitted. */
  NrLlFunc *func;
  LLVMValueRef exec;
  LLVMBasicBlockRef
      allocas; /* the entry block: allocas and loads of exec's fields, ends in a branch to the first block */
  LLVMBasicBlockRef fail;    /* returns 1; NULL until something may fail */
  LLVMBasicBlockRef report;  /* calls api->fail with report_args, then fail; NULL until there is a check */
  LLVMValueRef report_args[5]; /* phis: site and values */
  LLVMBasicBlockRef stopped; /* calls api->poll and api->fail with stopped_site, then fail; NULL until needed */
  LLVMValueRef stopped_site; /* phi */
  LLVMValueRef api, constant_table, import_table; /* loaded in the entry block on the first use */
  LLVMValueRef frame;        /* alloca of the last buffer of memref.alloca that is not on the stack, or NULL */
  int64_t stack_bytes;       /* of the buffers that are */
  LLVMValueRef call_descs;   /* alloca shared by all rt.calls of the function */
  unsigned num_call_descs;
  LLVMValueRef api_functions[sizeof(NoriaRuntimeApi) / sizeof(void *)]; /* loaded in the entry block, or NULL */
  NrMap values;              /* NrValue* -> LLVMValueRef or NrLlMem* */
  NrMap blocks;              /* NrBlock* -> LLVMBasicBlockRef */
};

/* ---- types.c ---------------------------------------------------------------------------------------------------- */

LLVMTypeRef nr_ll_type(NrLl *g, NrType type);     /* of a value in a register; NULL when not supported (memref too) */
LLVMTypeRef nr_ll_mem_type(NrLl *g, NrType elem); /* of an element in memory */
LLVMTypeRef nr_ll_function_type(NrLl *g, NrType type); /* with exec and the status, over parts */
LLVMTypeRef nr_ll_shape_type(NrLl *g);                 /* sizes or strides of an unranked memref */
bool nr_ll_supports(NrLl *g, NrType type);
/* Where elements lie: row-major without gaps, or at strides. A layout that no strides describe (a permutation of dims,
 * tiles) is a wish that no program can observe: it is row-major here, in all of a program. */
bool nr_ll_is_dense(NrType memref);
void nr_ll_strides(NrType memref, int64_t *out_strides, int64_t *out_offset);
LLVMValueRef nr_ll_int(NrLl *g, int64_t value);   /* i64 */
LLVMValueRef nr_ll_int32(NrLl *g, int64_t value);
LLVMValueRef nr_ll_constant(NrLl *g, NrAttr attr,
                            NrType type);         /* INTEGER, FLOAT or DENSE for a vector; NULL otherwise */
LLVMValueRef nr_ll_string(NrLl *g, NrStr s);      /* pointer to a private NUL-terminated constant */
LLVMValueRef nr_ll_noria_string(NrLl *g, NrStr s); /* pointer to a static NoriaString */
LLVMTypeRef nr_ll_like(LLVMTypeRef elem, LLVMValueRef shape);          /* elem, or a vector of it as long as shape's */
LLVMValueRef nr_ll_splat(LLVMValueRef scalar_constant, LLVMValueRef shape); /* the constant, once per lane of shape */
LLVMValueRef nr_ll_const_f(NrLl *g, LLVMValueRef shape, double value);  /* of shape's own (float) type */
LLVMValueRef nr_ll_const_i(NrLl *g, LLVMValueRef shape, uint64_t value); /* of shape's own (integer) type */

/* ---- function.c ------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_value(NrLl *g, NrValue *value); /* not of a memref */
NrLlMem *nr_ll_mem(NrLl *g, NrValue *value);
void nr_ll_set(NrLl *g, NrValue *value, LLVMValueRef ll);
void nr_ll_set_mem(NrLl *g, NrValue *value, NrLlMem *mem);

/* A value as a flat list: one LLVM value, or the parts of a memref that its type does not fix. */
typedef struct NrLlParts {
  NR_VEC(LLVMTypeRef) types;
  NR_VEC(LLVMValueRef) values;
} NrLlParts;
void nr_ll_part_types(NrLl *g, NrType type, NrLlParts *out);
void nr_ll_parts(NrLl *g, NrValue *value, NrLlParts *out);
void nr_ll_push_parts(NrLl *g, NrType type, void *part, NrLlParts *out); /* part: LLVMValueRef or NrLlMem* */
/* Reads parts[*next...]: an LLVMValueRef, or an NrLlMem for a memref. */
void *nr_ll_from_parts(NrLl *g, NrType type, const LLVMValueRef *parts, size_t *next);
void nr_ll_bind(NrLl *g, NrValue *value, const LLVMValueRef *parts, size_t *next); /* value = from_parts */
void nr_ll_parts_deinit(NrLlParts *parts);

void nr_ll_metadata(NrLl *g, LLVMValueRef inst, const char *kind, LLVMMetadataRef node);
NrLlFunc *nr_ll_find_func(NrLl *g, NrOp *user, NrAttr symbol); /* reports when there is none */
/* The name of a func.func or memref.global for LLVM, behind prefix. Partitions agree on it, and no two ops share one.
 */
const char *nr_ll_symbol(NrLl *g, const char *prefix, NrOp *op);
NrStatus nr_ll_declare_functions(NrLl *g);
NrStatus nr_ll_define_functions(NrLl *g);
void nr_ll_begin_function(NrLl *g, NrLlFunc *func); /* clears what NrLl holds of a function */
LLVMValueRef nr_ll_alloca(NrLl *g, LLVMTypeRef type, unsigned align); /* in the entry block */
LLVMValueRef nr_ll_exec_field(NrLl *g, LLVMValueRef *cache, size_t offset);
LLVMValueRef nr_ll_api_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
/* The same, in code that runs once: the function's address is read there. */
LLVMValueRef nr_ll_api_cold_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
/* Leaves the function when the run is to stop; the message names the place of op. */
void nr_ll_safepoint(NrLl *g, NrOp *op);
/* Continues when ok (i1) holds, else leaves the function with failure. unlikely: through a block that has been filled.
 */
void nr_ll_fail_unless(NrLl *g, LLVMValueRef ok);
void nr_ll_fail_at_unless(NrLl *g, NrOp *op, LLVMValueRef ok); /* and the message names the place of op (or NULL) */
/* And text is the message, at op's place. */
void nr_ll_fail_with_unless(NrLl *g, NrOp *op, NrStr text, LLVMValueRef ok);
LLVMBasicBlockRef nr_ll_fail_block(NrLl *g);
LLVMBasicBlockRef nr_ll_new_block(NrLl *g, const char *name); /* behind the current one */
void nr_ll_weights(NrLl *g, LLVMValueRef branch, uint32_t yes, uint32_t no); /* how often each way is taken */
void nr_ll_cond_br_likely(NrLl *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef unlikely);
/* Calls a function with parts of arguments, leaves on failure; fills out with the parts of the results. Returns LLVM's
 * call. */
LLVMValueRef nr_ll_call_value(NrLl *g, LLVMTypeRef type, LLVMValueRef func, LLVMValueRef *args, size_t count,
                              NrLlParts *out_results);
void nr_ll_call_func(NrLl *g, NrLlFunc *func, LLVMValueRef *args, size_t count, NrLlParts *out_results);
NrStr nr_ll_place(NrLl *g, NrOp *op); /* where op stands, for messages: the model's node, or the place in the text */
void nr_ll_attr(NrLl *g, LLVMValueRef func, unsigned index, const char *name, uint64_t value);
/* LLVM prefers 256-bit vectors on CPUs with AVX-512 and splits wider ones; passes choose the width here, and loops that
 * LLVM vectorises are to have the same. Also of functions that others are inlined into: it is theirs that holds. */
void nr_ll_set_vector_width(NrLl *g, LLVMValueRef func);
void nr_ll_call_attr(NrLl *g, LLVMValueRef call, unsigned index, const char *name, uint64_t value);
void nr_ll_invariant(NrLl *g, LLVMValueRef load); /* reads the same value wherever it stands */
void nr_ll_metadata_int(NrLl *g, LLVMValueRef inst, const char *kind, int64_t value);
extern const NrLlRow nr_ll_control_rows[];

/* ---- memref_unranked.c ------------------------------------------------------------------------------------------ */

LLVMValueRef nr_ll_shape_item(NrLl *g, LLVMValueRef shape, LLVMValueRef index); /* its place in an array in memory */
NrLlMem *nr_ll_forget_rank(NrLl *g, NrType type, NrLlMem *source); /* at most NORIA_MAX_RANK dims */
NrLlMem *nr_ll_with_rank(NrLl *g, NrType type, NrLlMem *source);   /* the same memory as a memref of type */
/* Row-major data with rank sizes in memory. */
NrLlMem *nr_ll_unranked_dense(NrLl *g, LLVMValueRef base, LLVMValueRef data, LLVMValueRef rank, LLVMValueRef sizes);
/* Copies of which one side at least has no rank; a clone is row-major. */
NrStatus nr_ll_unranked_copy(NrLl *g, NrOp *op, NrType to_type, NrLlMem *to, NrType from_type, NrLlMem *from);
NrLlMem *nr_ll_unranked_clone(NrLl *g, NrOp *op, NrType type, NrLlMem *from);
NrStatus nr_ll_unranked_clone_op(NrLl *g, NrOp *op);
NrStatus nr_ll_reshape_unranked(NrLl *g, NrOp *op, LLVMValueRef base, LLVMValueRef data);

/* ---- memref.c --------------------------------------------------------------------------------------------------- */

NrLlMem *nr_ll_mem_new(NrLl *g, NrType type); /* offset, sizes, strides that the type fixes are set, the others NULL */
void nr_ll_mem_finish(NrLl *g, NrType type, NrLlMem *mem); /* sets the strides of an identity layout from its sizes */
LLVMValueRef nr_ll_mem_data(NrLl *g, NrType elem, NrLlMem *mem); /* data + offset */
LLVMValueRef nr_ll_mem_address(NrLl *g, NrType type, NrLlMem *mem, LLVMValueRef *indices, size_t count);
LLVMValueRef nr_ll_mem_count(NrLl *g, NrType type, NrLlMem *mem); /* number of elements */
LLVMValueRef nr_ll_load(NrLl *g, NrType elem, LLVMValueRef address);
void nr_ll_store(NrLl *g, NrType elem, LLVMValueRef value, LLVMValueRef address);
LLVMValueRef nr_ll_widen(NrLl *g, NrType elem, LLVMValueRef value, LLVMTypeRef want); /* an integer as memory has it */
LLVMValueRef nr_ll_to_memory(NrLl *g, NrType elem, LLVMValueRef value);   /* i1 -> i8 and the like, also vectors */
LLVMValueRef nr_ll_from_memory(NrLl *g, NrType elem, LLVMValueRef value);
/* api->alloc; leaves on failure, for which op says where (NULL: nowhere). */
LLVMValueRef nr_ll_alloc(NrLl *g, NrOp *op, LLVMValueRef bytes);
unsigned nr_ll_elem_align(NrType type); /* bytes, of an element in memory */
LLVMValueRef nr_ll_elem_bytes(NrLl *g, NrType elem);
NrLlMem *nr_ll_mem_sized(NrLl *g, NrOp *op, NrType type, size_t begin); /* dynamic sizes from operands begin... */
/* Arithmetic on sizes, strides and offsets, which does not overflow. */
bool nr_ll_is_int(LLVMValueRef v, int64_t *out);
LLVMValueRef nr_ll_index_mul(NrLl *g, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nr_ll_index_add(NrLl *g, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef nr_ll_element(NrLl *g, NrType elem, LLVMValueRef data, LLVMValueRef index); /* address of data[index] */
void nr_ll_define_variable(NrLl *g, NrOp *op); /* a memref.global that code writes to */
/* Of a row-major memref; the largest number where a new one would have more elements than any has, or fewer than 0. */
LLVMValueRef nr_ll_mem_bytes(NrLl *g, NrType type, NrLlMem *mem);
void nr_ll_end_frame(NrLl *g); /* frame.c: gives back what the function's allocas took, where it returns */
extern const NrLlRow nr_ll_frame_rows[];
extern const NrLlRow nr_ll_memref_rows[];
extern const NrLlRow nr_ll_memref_view_rows[];
extern const NrLlRow nr_ll_memref_global_rows[];
extern const NrLlRow nr_ll_atomic_rows[];

/* ---- the other op rows ------------------------------------------------------------------------------------------ */

void nr_ll_flags(NrOp *op, LLVMValueRef value); /* fastmath, overflow and exact flags of op on an LLVM instruction */
unsigned nr_ll_fastmath(NrOp *op);
LLVMValueRef nr_ll_intrinsic(NrLl *g, const char *name, LLVMTypeRef *overloads, unsigned num_overloads,
                             LLVMValueRef *args, unsigned count);
extern const NrLlRow nr_ll_arith_rows[];
extern const NrLlRow nr_ll_math_rows[];
extern const NrLlRow nr_ll_complex_rows[];
extern const NrLlRow nr_ll_rt_rows[];
extern const NrLlRow nr_ll_vector_rows[];
extern const NrLlRow nr_ll_vector_reduce_rows[];

/* ---- boundary.c, tables.c --------------------------------------------------------------------------------------- */

NrStatus nr_ll_define_wrappers(NrLl *g);
/* One memref, scalar or handle from and to the descriptor at pointer desc. */
bool nr_ll_can_pass(NrType type);
void nr_ll_desc_write(NrLl *g, NrValue *value, LLVMValueRef desc);
void nr_ll_desc_write_part(NrLl *g, NrType type, void *part, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_rank(NrLl *g, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_bits(NrLl *g, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_dim(NrLl *g, LLVMValueRef desc, uint32_t dim);
void *nr_ll_desc_read(NrLl *g, NrType type, LLVMValueRef desc);

unsigned nr_ll_site(NrLl *g, NrStr place, NrStr text);
unsigned nr_ll_import(NrLl *g, NrStr name);
LLVMValueRef nr_ll_constant_data(NrLl *g, NrAttr value); /* pointer, loaded from exec->constants */
/* Defines noria_module. data: a pointer constant per entry of tables->constants; cpu: what NoriaModule says; fallback:
 * the pointer there, or NULL. */
NrStatus nr_ll_define_tables(NrLl *g, const LLVMValueRef *data, NrStr cpu, LLVMValueRef fallback);
size_t nr_ll_constant_size(NrAttr value);            /* bytes */
void nr_ll_constant_copy(NrAttr value, void *out); /* all elements, splats written out */

/* ---- sanitize.c: these do nothing unless options->sanitize is set ----------------------------------------------- */

#define NR_SANITIZE_ACCESS "noria.sanitize.access"       /* NrSanitizeCalls.access */
#define NR_SANITIZE_ALLOCATED "noria.sanitize.allocated" /* NrSanitizeCalls.allocated */
#define NR_SANITIZE_REGIONS "noria.sanitize.regions."    /* and the partition's number: {address, size}... */
enum { NR_LL_RED_ZONE = 256 };                           /* behind each variable */
void nr_ll_sanitize_function(NrLl *g, NrLlFunc *func); /* at its begin */
void nr_ll_sanitize_op(NrLl *g, NrOp *op);             /* what is built from here on is op's */
void nr_ll_sanitize_end(NrLl *g);                      /* ..is no function's of the program */
void nr_ll_sanitize_read(NrLl *g, NrOp *op, LLVMValueRef address, LLVMValueRef size); /* by the runtime, for op */
/* The block at base was made for op; size bytes from data on are for use. */
void nr_ll_sanitize_block(NrLl *g, NrOp *op, LLVMValueRef base, LLVMValueRef data, LLVMValueRef size);
LLVMErrorRef nr_ll_sanitize(NrLl *g); /* the last pass */

/* ---- thread.c --------------------------------------------------------------------------------------------------- */

typedef struct NrLlTask NrLlTask;
/* False when there is no thread to be had. */
bool nr_ll_start_thread(pthread_t *out_thread, void *(*run)(void *user), void *user);
/* run(user), on a thread with a large stack while the caller waits. The caller leaves the thread alone when it is
 * interrupted or a limit is passed, with a fault: all that run reads must be in the heap of the caller's guard, or be
 * static. A fault on the thread is the caller's. */
void nr_ll_apart(NrContext *ctx, void (*run)(void *user), void *user);
/* Around what must not happen once the caller has left, such as to write its file: in between it does not leave. */
void nr_ll_keep_caller(void); /* raises a fault when it has left */
void nr_ll_let_caller_go(void);
/* The task that a thread works for, which it gives to the threads that it starts. */
NrLlTask *nr_ll_task(void);
void nr_ll_set_task(NrLlTask *task);

/* ---- emit.c, target.c, program.c -------------------------------------------------------------------------------- */

/* For code in memory, for files, or only to ask what the CPU has. */
typedef enum NrLlTargetKind { NR_LL_TARGET_JIT, NR_LL_TARGET_FILE, NR_LL_TARGET_ASKED } NrLlTargetKind;
NrStatus nr_ll_target(NrContext *ctx, const NrCodegenOptions *options, NrLlTargetKind kind, LLVMTargetMachineRef *out);
/* Whether no code uses the feature unless it is asked for by name, because LLVM makes wrong code with it. */
bool nr_ll_is_without(const char *feature);
/* Whether code is for the CPU that it is made on, with all that this one has. */
static inline bool nr_ll_is_host(const NrCodegenOptions *options) {
  return (!options->cpu || strcmp(options->cpu, "native") == 0) && !options->features;
}
/* Appends the features that code for tm may use, as NoriaModule names them. */
NrStatus nr_ll_cpu_needs(const NrCodegenOptions *options, LLVMTargetMachineRef tm, NrContext *ctx, NrBuf *out);
/* Appends all that the CPU has, of nr_cpu_features and nr_cpu_units; on a thread of LLVM's (NrBackend.features). */
NrStatus nr_ll_features(NrContext *ctx, const char *cpu, const char *features, NrBuf *out);
/* These report a name that LLVM does not know. */
NrStatus nr_ll_check_cpu(NrContext *ctx, const char *cpu);
NrStatus nr_ll_check_features(NrContext *ctx, const char *features); /* "+avx2,-fma" */
/* Both give NULL, or a message for LLVMDisposeMessage; neither touches the module's NrContext. */
char *nr_ll_optimize(NrLl *g);
char *nr_ll_machine_code(NrLl *g, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out);
void nr_ll_init(NrLl *g, NrModule *module, const NrCodegenOptions *options, NrLlTables *tables, unsigned partition,
                LLVMTargetMachineRef tm);
NrStatus
nr_ll_build(NrLl *g); /* the partition's functions; in the first partition the wrappers too. Tables come later */
NrStatus nr_ll_check(NrLl *g); /* LLVM's verifier, in debug builds */
void nr_ll_drop(NrLl *g); /* gives back what LLVM has, once; memory is the heap's */
void nr_ll_deinit(NrLl *g);
NrStatus nr_ll_emit_op(NrLl *g, NrOp *op);
NrStatus nr_ll_emit_lanes(NrLl *g, NrOp *op, const NrLlRow *row);

/* A whole program. Its executables are partitions that are compiled side by side, with the parts of the host program.
 */
typedef struct NrLlProgram {
  NrModule *module;
  const NrCodegenOptions *options;
  NrLlTables tables;
  NrLl *partitions;
  size_t num_partitions;
  LLVMMemoryBufferRef *objects; /* per partition, after nr_ll_program_compile; whoever takes one sets it to NULL */
} NrLlProgram;
NrStatus nr_ll_program_build(NrLlProgram *program, NrModule *module, const NrCodegenOptions *options, bool jit);
NrStatus nr_ll_program_compile(NrLlProgram *program); /* to object code; adds to options->times */
void nr_ll_program_drop(void *program); /* gives back what LLVM has, for a hold */
void nr_ll_program_deinit(NrLlProgram *program);
/* A copy that lives as long as the heap, with times of its own. */
void nr_ll_copy_options(const NrCodegenOptions *options, NrCodegenOptions *out, NrCodegenTimes *times);
void nr_ll_free_options(NrCodegenOptions *copy);

extern const NrBackend nr_llvm_backend; /* the one exported name: NR_BACKEND_SYMBOL */
NrStatus nr_ll_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled);
NoriaEntryFn nr_ll_jit_function(const NrCompiled *compiled, const char *name);
void nr_ll_jit_destroy(NrCompiled *compiled);
NrStatus nr_ll_emit_file(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path);
NrStatus nr_ll_io_error(NrLl *g, const char *what, const char *path); /* with the text of errno */
/* link.c: the object in one file to a shared library in the other; path: of messages. */
NrStatus nr_ll_link_shared(NrLl *g, int object, int library, const char *path);

/* ---- variants.c ------------------------------------------------------------------------------------------------- */

/* noria_module of variant i, to be defined by its own module. */
LLVMValueRef nr_ll_variant_declare(NrLl *g, size_t i);
/* Functions say for which CPU they are, and noria_module of all but the last variant gets a name of its own. */
void nr_ll_variant_seal(NrLl *g, size_t i, size_t count);
NrStatus nr_ll_variant_join(NrLl *into, NrLl *from); /* from's module is moved */
void nr_ll_variant_hide(NrLl *g); /* noria_module becomes the only exported symbol */

#endif
