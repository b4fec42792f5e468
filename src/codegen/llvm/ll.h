/* ll.h - inside of libnoria_llvm.so: one NrLl turns one partition of a Noria module into one LLVM module.
 *
 * How values map:
 *   integers, index (i64), f16 f32 f64 ...   LLVM's scalar types; bf16, f8.., f6.., f4 are
 *                                            the integer of their bits
 *   vector<8xf32>                            <8 x float>; vector<2x8xf32>, an element in memory, [2 x <8 x float>]
 *   complex<f32>                             { float, float }
 *   handles (seq, optional, string)          ptr, as are functions
 *   memref                                   ptr: to its elements (finalize-memref); one
 *                                            that passes to or from the runtime has its sizes too: NrLlShape
 * Every function is  i32 f(exec, arguments...)  or returns { i32, results... }; non-zero: the run failed. Functions
 * with noria.c_wrapper are NoriaEntryFn.
 *
 * Files, each uses those before it: types.c types and constants; build.c values, blocks, calls of the runtime; tables.c
 * noria_module; fail.c checks; declare.c declarations of functions; boundary.c what passes to and from the runtime;
 * sanitize.c; the op rows in arith.c math.c complex.c memref*.c pointer.c frame.c atomic.c vector*.c control.c rt.c;
 * emit.c one op; function.c bodies; module.c one LLVM module; target.c LLVM's passes; program.c, bitcode.c and thread.c
 * all partitions, side by side; jit.c and aot.c with link.c and variants.c memory and files; backend.c the exported
 * table.
 */
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

/* The sizes of a memref between the program and the runtime. Those that its type fixes are constants. */
typedef struct NrLlShape {
  LLVMValueRef sizes[NORIA_MAX_RANK];
  LLVMValueRef rank, all_sizes; /* of one without a rank, which has these instead: i64, <16 x i64> */
} NrLlShape;

typedef struct NrLlFunc {
  NrOp *op;
  NrType type;
  LLVMTypeRef ll_type;
  LLVMValueRef value;
  LLVMValueRef thunk;       /* workgroup function, made when the first dispatch needs it */
  LLVMTypeRef thunk_args;   /* the struct that a dispatch packs */
  bool is_wrapper;          /* a NoriaEntryFn */
  bool here;                /* whether its body is in this partition */
} NrLlFunc;

typedef struct NrLlSite {
  NrStr place, text;
} NrLlSite;

/* Shared by all partitions of a program; noria_module is built from it. */
typedef struct NrLlTables {
  NrArena arena;
  NR_VEC(NrAttr) constants; /* DENSE, RESOURCE or a parameter */
  NrMap constant_index;     /* NrAttr -> index + 1 */
  NR_VEC(NrStr) imports;
  NrStrMap import_index;    /* index + 1 */
  NR_VEC(NrLlSite) sites;
  NrStrMap site_index;      /* "place\0text" -> index + 1 */
  NrSymbolTables symbols;   /* of the program */
  NrMap func_partition;     /* func.func -> partition + 1 */
  NrMap outside_calls;      /* func.func that another partition calls -> itself */
  NR_VEC(NrOp *) variables; /* memref.globals that are written and that partitions use which do not define them */
  bool variables_apart;     /* a partition of its own defines the variables: the same for code of several levels */
} NrLlTables;

typedef struct NrLl NrLl;
typedef struct NrLlRow NrLlRow;
/* Emits a whole op. */
typedef NrStatus (*NrLlEmitFn)(NrLl *g, NrOp *op, const NrLlRow *row);
/* Emits one element-wise op on LLVM scalars or 1-D vectors. NULL when it cannot; reports nothing. */
typedef LLVMValueRef (*NrLlLaneFn)(NrLl *g, NrOp *op, const NrLlRow *row, LLVMValueRef *args);

/* How an op is emitted; each dialect has one array of these. */
struct NrLlRow {
  const char *op;
  NrLlEmitFn emit;  /* emits the op, or */
  NrLlLaneFn lane;  /* element by element, on scalars or 1-D vectors */
  int code;         /* for the hook */
  const char *text; /* for the hook */
};

struct NrLl {
  NrModule *module;
  NrContext *ctx;
  const NrCodegenOptions *options;
  NrLlTables *tables;
  unsigned partition; /* partition 0 has the tables and the wrappers */
  bool has_variables; /* this partition defines those that it uses: partition 0, unless tables->variables_apart */
  NrArena arena; /* lives as long as this struct */

  LLVMContextRef llvm;
  LLVMModuleRef mod;
  LLVMBuilderRef b;
  LLVMTargetMachineRef tm;
  bool in_llvm;        /* LLVM works on the module; after a fault it is in a state in which it cannot be freed */
  char complaint[400]; /* the first error that LLVM reported; empty when there was none */

  LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
  LLVMTypeRef desc;                                        /* NoriaDesc */
  LLVMTypeRef entry_type, workgroup_type, import_type;     /* function types of exec_abi.h */

  const NrLlRow *rows[NR_OP_COUNT];
  NrStatus (*emit_op)(NrLl *g, NrOp *op); /* nr_ll_emit_op, for rows of ops with regions */
  NrMap funcs;       /* NrOp* -> NrLlFunc* */
  NR_VEC(NrLlFunc *) all;
  NrLlFunc *entry;

  NrStrMap strings;      /* text -> its LLVM global */
  LLVMValueRef free_frame; /* function, or NULL */
  NrMap global_data;     /* memref.global op -> LLVMValueRef */

  /* For the address sanitizer. */
  LLVMDIBuilderRef debug;
  LLVMMetadataRef file, scope; /* scope of the function that is being emitted */
  NrMap global_sizes;          /* LLVM global with a red zone -> its size without the zone, plus 1 */

  /* State of the function that is being emitted. */
  NrLlFunc *func;
  LLVMValueRef exec;
  LLVMBasicBlockRef
      allocas; /* the entry block: allocas and loads of exec's fields; ends in a branch to the first block */
  LLVMBasicBlockRef fail;    /* returns 1; NULL until something may fail */
  LLVMBasicBlockRef report;  /* calls api->fail with report_args, then branches to fail; NULL until there is a check */
  LLVMValueRef report_args[5]; /* phis: site and values */
  LLVMBasicBlockRef stopped; /* calls api->poll and api->fail with stopped_site, then fail; NULL until needed */
  LLVMValueRef stopped_site; /* phi */
  LLVMValueRef api, constant_table, import_table; /* loaded in the entry block on the first use */
  LLVMValueRef frame;        /* alloca of the last buffer of memref.alloca that is not on the stack, or NULL */
  int64_t stack_bytes;       /* bytes of allocas on the stack */
  LLVMValueRef call_descs;   /* alloca shared by all rt.calls of the function */
  unsigned num_call_descs;
  LLVMValueRef api_functions[sizeof(NoriaRuntimeApi) / sizeof(void *)]; /* loaded in the entry block, or NULL */
  NrMap values;              /* NrValue* -> LLVMValueRef */
  NrMap shapes;              /* NrValue* -> NrLlShape* */
  NrMap blocks;              /* NrBlock* -> LLVMBasicBlockRef */
};

/* ---- types.c ---------------------------------------------------------------------------------------------------- */

LLVMTypeRef nr_ll_type(NrLl *g, NrType type);     /* of a value in a register; NULL when not supported */
LLVMTypeRef nr_ll_mem_type(NrLl *g, NrType elem); /* type of an element in memory */
LLVMTypeRef nr_ll_function_type(NrLl *g, NrType type); /* with exec and the status */
LLVMValueRef nr_ll_int(NrLl *g, int64_t value);   /* i64 */
LLVMValueRef nr_ll_int32(NrLl *g, int64_t value);
LLVMValueRef nr_ll_constant(NrLl *g, NrAttr attr,
                            NrType type);         /* INTEGER, FLOAT or DENSE for a vector; NULL otherwise */
LLVMValueRef nr_ll_string(NrLl *g, NrStr s);      /* pointer to a private NUL-terminated constant */
LLVMValueRef nr_ll_noria_string(NrLl *g, NrStr s); /* pointer to a static NoriaString */
LLVMTypeRef nr_ll_like(LLVMTypeRef elem, LLVMValueRef shape);          /* elem, or a vector of it as long as shape's */
LLVMValueRef nr_ll_splat(LLVMValueRef scalar_constant, LLVMValueRef shape); /* the constant, once per lane of shape */
LLVMValueRef nr_ll_const_f(NrLl *g, LLVMValueRef shape, double value);  /* in shape's own (float) type */
LLVMValueRef nr_ll_const_i(NrLl *g, LLVMValueRef shape, uint64_t value); /* in shape's own (integer) type */

/* ---- build.c ---------------------------------------------------------------------------------------------------- */

void nr_ll_begin_function(NrLl *g, NrLlFunc *func); /* resets the state of the function that is being emitted */
LLVMValueRef nr_ll_value(NrLl *g, NrValue *value); /* of a memref its pointer */
void nr_ll_set(NrLl *g, NrValue *value, LLVMValueRef ll);
/* A value as it goes into functions, out of them and from block to block. */
LLVMTypeRef nr_ll_passed_type(NrLl *g, NrType type);
LLVMValueRef nr_ll_passed(NrLl *g, NrValue *value);
void nr_ll_receive(NrLl *g, NrValue *value, LLVMValueRef passed); /* sets it */

void nr_ll_attr(NrLl *g, LLVMValueRef func, unsigned index, const char *name, uint64_t value);
void nr_ll_call_attr(NrLl *g, LLVMValueRef call, unsigned index, const char *name, uint64_t value);
/* On CPUs with AVX-512, LLVM prefers 256-bit vectors and splits wider ones. Here the passes choose the width, and loops
 * that LLVM vectorises must use the same. Needed also on functions that others are inlined into: the caller's attribute
 * counts. */
void nr_ll_set_vector_width(NrLl *g, LLVMValueRef func);
void nr_ll_metadata(NrLl *g, LLVMValueRef inst, const char *kind, LLVMMetadataRef node);
void nr_ll_metadata_int(NrLl *g, LLVMValueRef inst, const char *kind, int64_t value);
void nr_ll_invariant(NrLl *g, LLVMValueRef load); /* loads the same value at every position */
void nr_ll_weights(NrLl *g, LLVMValueRef branch, uint32_t yes, uint32_t no); /* branch weights */

LLVMBasicBlockRef nr_ll_new_block(NrLl *g, const char *name); /* after the current one */
void nr_ll_cond_br_likely(NrLl *g, LLVMValueRef cond, LLVMBasicBlockRef likely, LLVMBasicBlockRef unlikely);
LLVMValueRef nr_ll_alloca(NrLl *g, LLVMTypeRef type, unsigned align); /* in the entry block */
bool nr_ll_is_int(LLVMValueRef v, int64_t *out);

LLVMValueRef nr_ll_exec_field(NrLl *g, LLVMValueRef *cache, size_t offset);
LLVMValueRef nr_ll_api_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
/* The same for code that runs at most once: the function's address is loaded there. */
LLVMValueRef nr_ll_api_cold_call(NrLl *g, size_t offset, LLVMTypeRef type, LLVMValueRef *args, unsigned count);

/* ---- fail.c ----------------------------------------------------------------------------------------------------- */

NrStr nr_ll_place(NrLl *g, NrOp *op); /* op's location for messages: the model's node, or the position in the text */
LLVMBasicBlockRef nr_ll_fail_block(NrLl *g); /* returns a failure */
/* Continues if ok (i1) holds; otherwise returns a failure. */
void nr_ll_fail_unless(NrLl *g, LLVMValueRef ok);
void nr_ll_fail_at_unless(NrLl *g, NrOp *op, LLVMValueRef ok); /* the message names the location of op (or NULL) */
/* The same with a message: text, at op's location. */
void nr_ll_fail_with_unless(NrLl *g, NrOp *op, NrStr text, LLVMValueRef ok);
/* Begins `if (!cond) {`: instructions built from here on run only then. Returns the block after it. */
LLVMBasicBlockRef nr_ll_begin_failure(NrLl *g, LLVMValueRef cond);
/* Ends it by api->fail(exec, site, values...) and a return; goes on in `next`. */
void nr_ll_end_failure(NrLl *g, LLVMBasicBlockRef next, NrStr place, NrStr text, LLVMValueRef values[4]);
/* Continues if ok holds. Otherwise the run was stopped, or failed where no location was known: returns, and the message
 * gets op's location. If op has none, the caller adds its own. */
void nr_ll_stop_unless(NrLl *g, NrOp *op, LLVMValueRef ok);
/* Returns from the function when a stop was requested; the message names op's location. */
void nr_ll_safepoint(NrLl *g, NrOp *op);

/* ---- declare.c, function.c -------------------------------------------------------------------------------------- */

NrStatus nr_ll_declare_functions(NrLl *g);
NrLlFunc *nr_ll_find_func(NrLl *g, NrOp *user, NrAttr symbol); /* reports an error when there is none */
/* The name of a func.func or memref.global in LLVM: prefix and path. It is unique, and the same in all partitions. */
const char *nr_ll_symbol(NrLl *g, const char *prefix, NrOp *op);
NrStatus nr_ll_define_functions(NrLl *g);

/* ---- memref.c --------------------------------------------------------------------------------------------------- */

LLVMValueRef nr_ll_element_at(NrLl *g, NrValue *memref, NrValue *index); /* address */
LLVMValueRef nr_ll_load(NrLl *g, NrType elem, LLVMValueRef address);
void nr_ll_store(NrLl *g, NrType elem, LLVMValueRef value, LLVMValueRef address);
LLVMValueRef nr_ll_widen(NrLl *g, NrType elem, LLVMValueRef value, LLVMTypeRef want); /* an integer as memory has it */
LLVMValueRef nr_ll_to_memory(NrLl *g, NrType elem, LLVMValueRef value);   /* i1 -> i8 and the like, also vectors */
LLVMValueRef nr_ll_from_memory(NrLl *g, NrType elem, LLVMValueRef value);
/* Calls api->alloc; returns on failure, which names op's location (op may be NULL). */
LLVMValueRef nr_ll_alloc(NrLl *g, NrOp *op, LLVMValueRef bytes);
unsigned nr_ll_elem_align(NrType type); /* alignment in bytes of an element in memory */
LLVMValueRef nr_ll_elem_bytes(NrLl *g, NrType elem);
LLVMValueRef nr_ll_element(NrLl *g, NrType elem, LLVMValueRef data, LLVMValueRef index); /* address of data[index] */
#define NR_LL_VARIABLE "noria.var" /* how symbols of variables begin (nr_ll_symbol) */
void nr_ll_define_variable(NrLl *g, NrOp *op); /* a memref.global that is written */
/* Of a new buffer of one dim, whose size is the operand `size` or else fixed by its type; the largest number where it
 * would have more elements than any has, or fewer than 0. */
LLVMValueRef nr_ll_buffer_bytes(NrLl *g, NrType type, NrValue *size);
void nr_ll_end_frame(NrLl *g); /* frame.c: frees the allocas of the function, where it returns */
extern const NrLlRow nr_ll_frame_rows[];
extern const NrLlRow nr_ll_memref_rows[];
extern const NrLlRow nr_ll_pointer_rows[];
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
extern const NrLlRow nr_ll_control_rows[];
extern const NrLlRow nr_ll_rt_rows[];
extern const NrLlRow nr_ll_vector_rows[];
extern const NrLlRow nr_ll_vector_reduce_rows[];

/* ---- boundary.c, tables.c --------------------------------------------------------------------------------------- */

/* Values from and to the NoriaDesc at pointer desc. */
void nr_ll_desc_write(NrLl *g, NrValue *value, LLVMValueRef desc);
void nr_ll_desc_write_scalar(NrLl *g, LLVMValueRef scalar, LLVMValueRef desc);
void nr_ll_desc_read(NrLl *g, NrValue *value, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_rank(NrLl *g, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_bits(NrLl *g, LLVMValueRef desc);
LLVMValueRef nr_ll_desc_dim(NrLl *g, LLVMValueRef desc, uint32_t dim);
LLVMValueRef nr_ll_desc_at(NrLl *g, LLVMValueRef descs, size_t i);
NrLlShape *nr_ll_shape_of(NrLl *g, NrValue *memref);
extern const NrLlRow nr_ll_boundary_rows[];

unsigned nr_ll_site(NrLl *g, NrStr place, NrStr text);
unsigned nr_ll_import(NrLl *g, NrStr name);
LLVMValueRef nr_ll_constant_data(NrLl *g, NrAttr value); /* pointer, loaded from exec->constants */
/* Defines noria_module. data: a pointer constant per entry of tables->constants; cpu: the features that NoriaModule
 * lists; fallback: the pointer to the fallback module, or NULL. */
NrStatus nr_ll_define_tables(NrLl *g, const LLVMValueRef *data, NrStr cpu, LLVMValueRef fallback);
size_t nr_ll_constant_size(NrAttr value);            /* bytes */
void nr_ll_constant_copy(NrAttr value, void *out); /* all elements; splats are expanded */

/* ---- sanitize.c: no-ops unless options->sanitize is set ---------------------------------------------------------- */

#define NR_SANITIZE_ACCESS "noria.sanitize.access"       /* NrSanitizeCalls.access */
#define NR_SANITIZE_ALLOCATED "noria.sanitize.allocated" /* NrSanitizeCalls.allocated */
#define NR_SANITIZE_REGIONS "noria.sanitize.regions."    /* followed by the partition's number: {address, size}... */
enum { NR_LL_RED_ZONE = 256 };                           /* after each variable */
void nr_ll_sanitize_function(NrLl *g, NrLlFunc *func); /* at its beginning */
void nr_ll_sanitize_op(NrLl *g, NrOp *op);             /* instructions built from here on belong to op */
/* instructions built from here on belong to no function of the program */
void nr_ll_sanitize_end(NrLl *g);
/* a read by the runtime on behalf of op */
void nr_ll_sanitize_read(NrLl *g, NrOp *op, LLVMValueRef address, LLVMValueRef size);
/* The block at base was allocated for op; size bytes from data on are usable. */
void nr_ll_sanitize_block(NrLl *g, NrOp *op, LLVMValueRef base, LLVMValueRef data, LLVMValueRef size);
LLVMErrorRef nr_ll_sanitize(NrLl *g); /* the last pass */

/* ---- thread.c --------------------------------------------------------------------------------------------------- */

typedef struct NrLlTask NrLlTask;
/* False when no thread can be started. */
bool nr_ll_start_thread(pthread_t *out_thread, void *(*run)(void *user), void *user);
/* Calls run(user) on a thread with a large stack while the caller waits. When the caller is interrupted or exceeds a
 * limit, it leaves the thread alone and raises a fault: so everything that run reads must be in the heap of the
 * caller's guard, or static. A fault on the thread is raised in the caller. */
void nr_ll_apart(NrContext *ctx, void (*run)(void *user), void *user);
/* Encloses actions that must not happen after the caller has left, such as writing its file: in between it does not
 * leave. */
void nr_ll_keep_caller(void); /* raises a fault if the caller has left */
void nr_ll_let_caller_go(void);
bool nr_ll_caller_left(void); /* so that what remains is for nothing */
/* The task of the current thread; it passes it to threads that it starts. */
NrLlTask *nr_ll_task(void);
void nr_ll_set_task(NrLlTask *task);

/* ---- emit.c, target.c, program.c -------------------------------------------------------------------------------- */

/* For code in memory, for files, or only to query the CPU's features. */
typedef enum NrLlTargetKind { NR_LL_TARGET_JIT, NR_LL_TARGET_FILE, NR_LL_TARGET_ASKED } NrLlTargetKind;
void nr_ll_start(void); /* before LLVM's first use; nr_ll_target calls it */
NrStatus nr_ll_target(NrContext *ctx, const NrCodegenOptions *options, NrLlTargetKind kind, LLVMTargetMachineRef *out);
/* Whether only functions with rt.dot have the feature, because LLVM miscompiles other code with it; and gives it to the
 * function that is being emitted. */
bool nr_ll_is_without(const char *feature);
void nr_ll_allow_dots(NrLl *g);
/* Whether code is for the host CPU with all its features. */
static inline bool nr_ll_is_host(const NrCodegenOptions *options) {
  return (!options->cpu || strcmp(options->cpu, "native") == 0) && !options->features;
}
/* Appends the features that code for tm may use, with their names in NoriaModule. */
NrStatus nr_ll_cpu_needs(const NrCodegenOptions *options, LLVMTargetMachineRef tm, NrContext *ctx, NrBuf *out);
/* Appends all features of the CPU, of nr_cpu_features and nr_cpu_units; runs on an LLVM thread (NrBackend.features). */
NrStatus nr_ll_features(NrContext *ctx, const char *cpu, const char *features, NrBuf *out);
/* These report a name that LLVM does not know. */
NrStatus nr_ll_check_cpu(NrContext *ctx, const char *cpu);
NrStatus nr_ll_check_features(NrContext *ctx, const char *features); /* "+avx2,-fma" */
void nr_ll_split_masked_stores(NrLl *g); /* masked_store.c: the masked stores of one lane become scalar */
/* Both return NULL, or a message for LLVMDisposeMessage; neither accesses the module's NrContext. */
char *nr_ll_optimize(NrLl *g);
char *nr_ll_machine_code(NrLl *g, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out);
void nr_ll_init(NrLl *g, NrModule *module, const NrCodegenOptions *options, NrLlTables *tables, unsigned partition,
                LLVMTargetMachineRef tm);
NrStatus nr_ll_build(NrLl *g); /* the partition's functions. Tables come later */
NrStatus nr_ll_check(NrLl *g); /* LLVM's verifier, in debug builds */
void nr_ll_drop(NrLl *g); /* frees what LLVM holds, once; other memory belongs to the heap */
void nr_ll_deinit(NrLl *g);
NrStatus nr_ll_emit_op(NrLl *g, NrOp *op);
void nr_ll_add_rows(NrLl *g);

/* A whole program. Its executables, and parts of the host program, are partitions that are compiled in parallel. */
typedef struct NrLlProgram {
  NrModule *module;
  const NrCodegenOptions *options;
  NrLlTables tables;
  NrLl *partitions;
  size_t num_partitions;
  bool variables_last; /* the last partition has the variables, and nothing else */
  LLVMMemoryBufferRef *objects; /* per partition, after nr_ll_program_compile; whoever takes one sets it to NULL */
} NrLlProgram;
void nr_ll_program_init(NrLlProgram *program, NrModule *module, const NrCodegenOptions *options);
void nr_ll_program_reserve(NrLlProgram *program, size_t partitions); /* room for so many */
NrStatus nr_ll_program_add(NrLlProgram *program, NrLlTargetKind kind); /* an empty partition */
/* divide: into partitions; without it there is one. */
NrStatus nr_ll_program_build(NrLlProgram *program, NrModule *module, const NrCodegenOptions *options,
                             NrLlTargetKind kind, bool divide);
/* bitcode.c: before nr_ll_program_compile, the modules as bitcode; and a program of such ones. */
void nr_ll_program_save(const NrLlProgram *program, NrCodeSource *out);
NrStatus nr_ll_program_restore(NrLlProgram *program, const NrCodeSource *source, NrModule *empty,
                               const NrCodegenOptions *options);
NrStatus nr_ll_program_compile(NrLlProgram *program); /* to object code; adds to options->times */
void nr_ll_program_drop(void *program); /* frees what LLVM holds; for NrHold */
void nr_ll_program_deinit(NrLlProgram *program);
/* Copies in the current heap; of no text, NULL. */
const char *nr_ll_copy_text(const char *text);
NrStr nr_ll_copy_bytes(const void *data, size_t size);
/* A copy in the current heap, with times of its own. */
void nr_ll_copy_options(const NrCodegenOptions *options, NrCodegenOptions *out, NrCodegenTimes *times);
void nr_ll_free_options(NrCodegenOptions *copy);

extern const NrBackend nr_llvm_backend; /* the only exported symbol: NR_BACKEND_SYMBOL */
NrStatus nr_ll_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled);
NrStatus nr_ll_jit_link(NrContext *ctx, const NrCodeParts *parts, NrCompiled **out_compiled);
NrStatus nr_ll_jit_again(NrContext *ctx, const NrCodeSource *source, const NrCodegenOptions *options,
                         NrCompiled **out_compiled);
NoriaEntryFn nr_ll_jit_function(const NrCompiled *compiled, const char *name);
void nr_ll_jit_destroy(NrCompiled *compiled);
NrStatus nr_ll_emit_file(const NrVariant *variants, size_t count, NrCodegenKind kind, const char *path);
NrStatus nr_ll_io_error(NrLl *g, const char *what, const char *path); /* appends the text of errno */
/* link.c: links the objects, in files, to a shared library in another file; path is for messages. */
NrStatus nr_ll_link_shared(NrLl *g, const int *objects, size_t count, int library, const char *path);

/* ---- variants.c ------------------------------------------------------------------------------------------------- */

/* Declares noria_module of variant i, which its own module defines. */
LLVMValueRef nr_ll_variant_declare(NrLl *g, size_t i);
/* Sets the CPU attributes of functions, and renames noria_module of all but the last variant. */
void nr_ll_variant_seal(NrLl *g, size_t i, size_t count);
NrStatus nr_ll_variant_join(NrLl *into, NrLl *from); /* from's module is moved */
void nr_ll_variant_hide(NrLl *g); /* noria_module becomes the only exported symbol */

#endif
