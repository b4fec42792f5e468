/* analysis.h - decides where each tensor of a function is in memory, before anything is rewritten.
 *
 * After MLIR's One-Shot Bufferize (mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h): for each tensor operand of
 * each op, whether it is written in place or copied, and the conflict that forces a copy. One-Shot keeps alias sets and
 * leaves freeing to later passes. This analysis goes through the ops in program order and gives each buffer one owner,
 * the block that must free or move it, so that it also decides where a buffer ends.
 *
 * What it asks of an op stands in the op's definition: `.destination` names the operands that are written, NR_VIEW says
 * that the result aliases the first operand, `.region_flow` tells which values enter and leave regions, the attribute
 * tied_operands which result of a dispatch is which argument.
 *
 * The result is a plan for each op: the memory of its operands and results, and the memory to make and the contents to
 * copy in front of it. rewrite.c carries the plans out and decides nothing.
 *
 * Handles of runtime objects (sequences, optionals) are handled in the same way: a copy takes a reference, a free
 * releases one. */
#ifndef NORIA_PASS_BUFFERIZE_ANALYSIS_H
#define NORIA_PASS_BUFFERIZE_ANALYSIS_H

#include "dialect/flow/flow.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef enum NrMemoryKind {
  NR_MEMORY_VALUE,    /* a value whose type becomes that of a memref: an argument, a result of a region or a call */
  NR_MEMORY_CONSTANT, /* the elements of constant `of` */
  NR_MEMORY_ALLOC,    /* new, undefined; with the sizes of `from`, or of operands of `of`, from `first` on */
  NR_MEMORY_CLONE,    /* new, a copy of `from`, whose rank is unknown */
  NR_MEMORY_RETAINED, /* another reference to the runtime object `from` */
  NR_MEMORY_SNAPSHOT, /* new, a copy of the memref that `of` makes a tensor of */
  NR_MEMORY_CAST,     /* `from`, cast to another static shape */
  NR_MEMORY_VIEW,     /* the view of `from` that `of` describes: a cast or a reshape */
  NR_MEMORY_SLICE,    /* the part of `from` that `of` takes or replaces, with the rank of shape */
  NR_MEMORY_SHRUNK,   /* the buffer that `from` is the first rows of, without the other rows */
  NR_MEMORY_GROWN,    /* the buffer `from`, with the rows that tensor_grow `of` requests */
} NrMemoryKind;

/* A memref of the bufferized function. Two values in one NrMemory are the same memref. */
typedef struct NrMemory {
  NrMemoryKind kind;
  bool leading;          /* SLICE: the first rows of a dense buffer */
  uint32_t first;        /* ALLOC */
  NrType type;           /* a memref type, or that of a handle */
  struct NrMemory *from;
  NrOp *of;
  NrType shape;          /* ALLOC, SLICE */
  NrAttr splat;          /* the element of a splat constant, or NULL */
  NrValue *value;        /* VALUE: given; else what rewrite.c has built */
} NrMemory;

/* An allocation. */
typedef struct NrBuffer {
  NrMemory *root; /* what to free */
  NrBlock *owner; /* NULL: borrowed, and never written */
  uint32_t last;  /* number of the last op of the owner that needs the buffer, itself or in a nested op; 0 = none */
  uint32_t captured_by; /* number of the op that was last found to use the buffer inside its regions */
  uint32_t claimed_by;  /* number of the op that last reused the buffer for a result */
  bool output;          /* an output of the dispatch: not owned, but written by stores */
  bool shared;          /* an output of the scf.forall around: written by parallel_insert_slice */
  bool moved;           /* the owner has moved it */
  struct NrBufferBinding *members; /* the values in it */
} NrBuffer;

/* The memory of a tensor value. */
typedef struct NrBufferBinding {
  NrValue *value;
  NrMemory *memory;  /* NULL: undefined contents (tensor.empty), allocated on demand */
  NrOp *empty;       /* the tensor.empty, which has the sizes, when memory is NULL */
  NrBuffer *buffer;  /* NULL when memory is */
  NrOp *bound_for;   /* the last user, up to an insert_slice or a store: the value is in its final location already */
  NrOp *load;        /* the dispatch.tensor.load whose part memory is, or NULL */
  struct NrBufferBinding *next; /* in the buffer */
} NrBufferBinding;

/* ---- decisions -------------------------------------------------------------------------------------------------- */

typedef enum NrDecision {
  NR_NO_TENSOR,
  NR_READ,        /* read in its own memory */
  NR_ALIASED,     /* a result is a view of it */
  NR_IN_PLACE,    /* written in its own memory, which a result then has */
  NR_FINAL_PLACE, /* not written: the result goes to the memory that it is later inserted into or stored to */
  NR_NEW_BUFFER,  /* not written: the result gets a buffer of its own, and the old contents are not needed */
  NR_REUSED,      /* an input that ends here: a result overwrites it */
  NR_INSERTED,    /* copied to the part of a buffer that the op writes */
  NR_PLACED,      /* no copy: it was computed in that part already */
  NR_MOVED,       /* its buffer moves to the region, to the op's result, or to the caller */
  NR_COPIED,      /* the op uses a copy, or moves one */
} NrDecision;

/* What keeps an op from writing or moving a buffer. */
typedef enum NrConflictKind {
  NR_NO_CONFLICT,
  NR_UNDEFINED,       /* there are no contents and no buffer yet */
  NR_OF_CALLER,       /* an argument of the function */
  NR_OF_CONSTANT,
  NR_OF_OUTPUT,       /* an output of the dispatch, which only stores write */
  NR_OF_FORALL,       /* shared by the iterations of scf.forall */
  NR_OF_OTHER_BLOCK,  /* a block around op `with` owns it, and may need it in another iteration or behind */
  NR_MOVED_BEFORE,    /* another operand of the op took it */
  NR_USED_LATER,      /* op `with` needs it */
  NR_USED_IN_REGION,  /* the op's own regions use it */
  NR_TAKEN_BY_RESULT, /* another result of the op is in it */
  NR_OTHER_OPERAND,   /* another operand of the op is in it */
  NR_STRIDED,         /* a part of a larger buffer, where a dense one is needed */
  NR_WRITTEN_LATER,   /* op `with` stores to it while it is needed */
  NR_SNAPSHOT,        /* the op converts from or to a memref that other ops may write */
} NrConflictKind;

typedef struct NrConflict {
  NrConflictKind kind;
  NrOp *with;
  const NrBuffer *buffer;
} NrConflict;

typedef struct NrOperandPlan {
  NrMemory *memory; /* what the rewritten op takes; NULL: nothing */
  NrDecision decision;
  NrConflict why;   /* of NR_NEW_BUFFER and NR_COPIED */
} NrOperandPlan;

/* Makes memory, or, where from is set, copies contents from there to memory. */
typedef struct NrPlanStep {
  NrMemory *memory, *from;
  struct NrPlanStep *next;
} NrPlanStep;

typedef struct NrOpPlan {
  NrOperandPlan *operands; /* as many as the op has */
  NrMemory **results;      /* of values that are not tensors, and of undefined tensors: NULL */
  NrPlanStep *first, *last; /* in front of the op, in this order */
} NrOpPlan;

typedef struct NrFree {
  NrMemory *root;
  NrBlock *block;
  NrOp *last; /* behind it, or before it if it is a terminator; NULL: at the start of block */
} NrFree;

/* ---- the analysis ----------------------------------------------------------------------------------------------- */

typedef struct NrAnalysis {
  NrContext *ctx;
  NrArena *arena;
  NrMap bindings;             /* value -> NrBufferBinding */
  NrMap numbers;              /* op -> its number in program order, from 1 */
  const NrOp *current;        /* the op that is analysed: a cache for the most frequent look-up .. */
  uint32_t current_number;    /* .. and its number */
  NrType last_type, last_bufferized; /* argument and result of the last call of nr_analysis_type */
  NR_VEC(NrOp *) ops;         /* by number; 0 is NULL */
  NR_VEC(NrOpPlan *) plans;   /* by number; NULL where an op has no tensors */
  NR_VEC(uint32_t) stops;     /* by number: how many ops up to it may end the run with an error */
  NR_VEC(NrBuffer *) owned;   /* by the blocks being analysed, innermost last */
  NR_VEC(NrFree) frees;
} NrAnalysis;

/* Analyses a function that prepare.c has rewritten. Reports ops that cannot be bufferized. */
NrStatus nr_analyse_function(NrAnalysis *a, NrOp *func);
void nr_analysis_clear(NrAnalysis *a); /* resets it for the next function */
void nr_analysis_deinit(NrAnalysis *a);
NrOpPlan *nr_analysis_plan(const NrAnalysis *a, const NrOp *op); /* NULL: the op has no tensors */
/* Reports the decisions at each op as remarks (explain.c). */
void nr_analysis_explain(const NrAnalysis *a);

static inline bool nr_is_dispatch_tensor(NrType t) {
  return t->kind == NR_TYPE_flow_dispatch_tensor && t->elem->kind == NR_TYPE_TENSOR;
}
static inline bool nr_needs_buffer(NrType t) {
  return nr_type_is_tensor(t) || nr_type_is_handle(t) || nr_is_dispatch_tensor(t);
}
NrType nr_bufferized_type(NrType t); /* the memref type of a tensor or dispatch tensor, also in function types */

/* ---- buffers and memory (ownership.c) ---------------------------------------------------------------------------- */

uint32_t nr_analysis_number(const NrAnalysis *a, const NrOp *op); /* 0: not an op of the function */
void nr_analysis_set_current(NrAnalysis *a, const NrOp *op);
/* The number of the op of block that is op or contains it; 0: there is none. */
uint32_t nr_analysis_number_in(const NrAnalysis *a, const NrOp *op, const NrBlock *block);
/* NULL for values without a buffer, and before the definition was analysed. */
NrBufferBinding *nr_analysis_binding(const NrAnalysis *a, const NrValue *value);
NrOpPlan *nr_analysis_add_plan(NrAnalysis *a, NrOp *op); /* the op's plan, which may be new */

NrStatus nr_analyse_constant(NrAnalysis *a, NrOp *op); /* arith.constant, flow.tensor.constant */
NrType nr_analysis_type(NrAnalysis *a, NrType t); /* nr_bufferized_type */

/* Memory that is made in front of op. */
NrMemory *nr_analysis_make(NrAnalysis *a, NrOp *op, NrMemory memory);
NrMemory *nr_analysis_make_slice(NrAnalysis *a, NrOp *op, NrMemory *from, NrOp *slice, NrType shape);
void nr_analysis_copy_contents(NrAnalysis *a, NrOp *op, NrMemory *from, NrMemory *to);
/* A new buffer with the contents of the binding's value, without an owner yet. */
NrMemory *nr_analysis_copy_of(NrAnalysis *a, NrOp *op, const NrBufferBinding *binding);

/* Binds the value to buffer, through memory. */
NrBufferBinding *nr_analysis_join(NrAnalysis *a, NrValue *value, NrBuffer *buffer, NrMemory *memory);
/* Creates a buffer owned by block (NULL: borrowed), needed at least up to op number `last`. */
NrBuffer *nr_analysis_own(NrAnalysis *a, NrMemory *root, NrBlock *block, uint32_t last);
/* Makes a result or block argument the root of a new buffer of block. */
void nr_analysis_adopt(NrAnalysis *a, NrValue *value, NrBlock *owner);
/* Ends the buffers that the block still owns; base: size of a->owned when the block began. */
void nr_analysis_release(NrAnalysis *a, NrBlock *block, size_t base);

/* What keeps op from writing into the buffer: it must be owned by op's block, not needed later, not used in op's
 * regions (nr_analysis_mark_captured first). Other operands of op may still be in it. */
NrConflict nr_analysis_conflict(const NrAnalysis *a, const NrOp *op, const NrBuffer *buffer);
static inline bool nr_analysis_may_write(const NrAnalysis *a, const NrOp *op, const NrBuffer *buffer) {
  return nr_analysis_conflict(a, op, buffer).kind == NR_NO_CONFLICT;
}
void nr_analysis_mark_captured(NrAnalysis *a, NrOp *op);

/* The memory to read operand i from. Dense: without a layout. out_buffer may be NULL. */
NrMemory *nr_analysis_read(NrAnalysis *a, NrOp *op, size_t i, NrBuffer **out_buffer);
NrMemory *nr_analysis_read_dense(NrAnalysis *a, NrOp *op, size_t i, NrBuffer **out_buffer);
/* Operand i in a dense buffer for op to move: its own buffer if possible, else a copy. */
NrMemory *nr_analysis_take(NrAnalysis *a, NrOp *op, size_t i);
/* New memory for a result, with the sizes of `like` (NULL: static); where possible in the buffer that the result is
 * inserted into later. Binds the result. */
NrMemory *nr_analysis_fresh(NrAnalysis *a, NrOp *op, NrValue *result, const NrBufferBinding *like);
/* Memory for a result that starts as operand `dest`: the operand's own when it may be overwritten, else a copy
 * (undefined when keep is false). Binds the result. */
NrMemory *nr_analysis_write(NrAnalysis *a, NrOp *op, size_t dest, NrValue *result, bool keep);
/* The same where the operand cannot be overwritten, for the reason `why`. */
NrMemory *nr_analysis_write_copy(NrAnalysis *a, NrOp *op, size_t dest, NrValue *result, bool keep, NrConflict why);
/* Notes the decision about operand i, and the memory that the rewritten op takes for it. */
NrMemory *nr_analysis_decide(NrAnalysis *a, NrOp *op, size_t i, NrDecision decision, NrConflict why, NrMemory *memory);

/* ---- empty-tensor elimination (empty_tensor_elimination.c) ------------------------------------------------------- */

/* When the only use of the result of op is an insert_slice whose destination exists and may be written now, or a store
 * into an output of the dispatch: returns that part as memory for the result and binds the result. Else NULL. Not if
 * an op in between may end the run, because it may check the part's bounds. */
NrMemory *nr_analysis_eliminate_empty(NrAnalysis *a, NrOp *op, NrValue *result);
/* For a destination that is in its final location already: its memory for the result of op, which is bound; else
 * NULL. */
NrMemory *nr_analysis_bound_dest(NrAnalysis *a, NrOp *op, NrValue *result, const NrBufferBinding *dest);
/* Whether writing the element of output `out` of a linalg op cannot change an element of operand `in` that another
 * iteration reads from the same memory: each iteration accesses both at one index, which no other iteration uses. */
bool nr_analysis_in_step(const NrOp *op, size_t in, size_t out);

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* Adopts the block's arguments, analyses its ops in order, then ends what the block owns. */
NrStatus nr_analyse_block(NrAnalysis *a, NrBlock *block);
/* The same from the ops on; base: size of a->owned before the first buffer of the block. */
NrStatus nr_analyse_ops(NrAnalysis *a, NrBlock *block, size_t base);
NrStatus nr_analyse_structured(NrAnalysis *a, NrOp *op); /* analyse_structured.c */
NrStatus nr_analyse_regions(NrAnalysis *a, NrOp *op);    /* analyse_regions.c: scf.for, while, if.. */
NrStatus nr_analyse_forall(NrAnalysis *a, NrOp *op);
NrStatus nr_analyse_in_parallel(NrAnalysis *a, NrOp *op);
NrStatus nr_analyse_terminator(NrAnalysis *a, NrOp *op);
NrStatus nr_analyse_call(NrAnalysis *a, NrOp *op);       /* func.call, rt.call */
NrStatus nr_analyse_flow(NrAnalysis *a, NrOp *op);       /* analyse_dispatch.c */
void nr_analyse_collective(NrAnalysis *a, NrOp *op);     /* collectives.c */
NrStatus nr_analyse_tensor(NrAnalysis *a, NrOp *op);     /* analyse_tensor.c: views, constants, elements, parts */
NrStatus nr_analyse_view(NrAnalysis *a, NrOp *op);

/* Properties of runtime functions, for the analysis and the rewriting. */
bool nr_is_grow(const NrOp *op); /* rt.call "tensor_grow"(%t, %rows): the tensor with memory for more rows */
NrValue *nr_grow_rows(const NrOp *op); /* its %rows */
/* The variant of a sequence op that works in place on the only reference; NULL where there is none. */
const char *nr_owned_variant(const NrOp *op);
/* The operand that owned variants take: the first that is a handle. */
size_t nr_handle_operand(const NrOp *op);

/* The view of a memref that op makes of a tensor: its type, NULL when only a dense memref can be viewed so. */
NrType nr_view_type(const NrOp *op, NrType source);
/* The type of the part of a memref that a slice op takes or replaces, with the rank of `shape`; NULL when the part is
 * the whole memref. */
NrType nr_slice_type(const NrOp *slice, NrType memref, NrType shape);
/* Offsets, sizes and strides of that part. The offsets for which materialize is set must be values, not constants: the
 * memref may have a static dim that the tensor has not, and the part may leave it. */
void nr_slice_lists(const NrOp *slice, NrType memref, NrIndex lists[3][NR_MAX_RANK], bool *materialize);

#endif
