/* bufferize.h - shared by the files of the bufferize pass.
 *
 * A tensor value has a buffer binding: a memref, and the buffer (allocation) that the memref is or is a view of. A
 * buffer has one owner, the block that must free or move it; a buffer without an owner is borrowed and never written.
 * Ops are handled in program order. New ops go before the op that they replace; that op stays until the end of its
 * function, so that the uses of tensor values can be counted.
 *
 * Handles of runtime objects (sequences, optionals) are handled in the same way: a copy takes a reference, a free
 * releases one. */
#ifndef NORIA_PASS_BUFFERIZE_BUFFERIZE_H
#define NORIA_PASS_BUFFERIZE_BUFFERIZE_H

#include "dialect/flow/flow.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"

typedef struct NrBuffer {
  NrValue *root;  /* the memref (or handle) to free */
  NrBlock *owner; /* NULL: borrowed */
  uint32_t last;  /* number of the last op of the owner that needs the buffer, itself or in a nested op; 0 = none */
  uint32_t captured_by; /* number of the op that was last found to use the buffer inside its regions */
  uint32_t claimed_by;  /* number of the op that last reused the buffer for a result */
  bool output;          /* an output of the dispatch: not owned, but written by stores */
  bool moved;           /* the owner has moved it */
  struct NrBufferBinding *members; /* the values in it */
} NrBuffer;

typedef struct NrBufferBinding {
  NrValue *value;
  NrValue *memref;    /* NULL: undefined contents (tensor.empty), allocated on demand */
  NrOp *empty;        /* the tensor.empty, which has the sizes, when memref is NULL */
  NrBuffer *buffer;   /* NULL when memref is */
  NrOp *bound_for;   /* the only user, up to an insert_slice or a store: the value is in its final location already */
  NrOp *load;         /* the dispatch.tensor.load whose slice memref is, or NULL */
  bool leading;       /* memref is a strided view of the first rows of the dense buffer */
  NrAttr splat;       /* the element of a splat constant, or NULL */
  struct NrBufferBinding *next; /* in the buffer */
} NrBufferBinding;

typedef struct NrBufferize {
  NrContext *ctx;
  NrModule *module;
  NrOp *table;     /* the module op that the pass runs on */
  NrArena *arena;  /* of the pass */
  NrMap bindings;    /* value -> NrBufferBinding */
  NrMap numbers;   /* op of the input -> its number in program order, from 1 */
  NR_VEC(NrOp *) ops;         /* by number; 0 is NULL */
  NR_VEC(uint32_t) stops;     /* by number: how many ops up to it may end the run with an error */
  NR_VEC(NrOp *) dead;        /* replaced ops, to be erased */
  NR_VEC(NrBuffer *) owned;   /* by the blocks being handled, innermost last */
  NR_VEC(NrOp *) constants;   /* memref.get_global ops that have no name yet */
  NR_VEC(NrAttr) constant_values;
  NrMap exports;              /* flow.executable.export -> NrEntryPoint */
  NrSymbolTables symbols;     /* as they were when the pass began */
} NrBufferize;

/* ---- bindings (bindings.c) ------------------------------------------------------------------------------ */

static inline bool nr_is_handle(NrType t) { return t->kind == NR_TYPE_SEQ || t->kind == NR_TYPE_OPTIONAL; }
static inline bool nr_is_dispatch_tensor(NrType t) {
  return t->kind == NR_TYPE_DISPATCH_TENSOR && t->elem->kind == NR_TYPE_TENSOR;
}
static inline bool nr_needs_buffer(NrType t) {
  return nr_type_is_tensor(t) || nr_is_handle(t) || nr_is_dispatch_tensor(t);
}
NrType nr_bufferized_type(NrType t); /* the memref type of a tensor or dispatch tensor, also in function types */
uint32_t nr_bufferize_number(const NrBufferize *s, const NrOp *op); /* 0: not an op of the input */
NrBufferBinding *nr_bufferize_binding(const NrBufferize *s,
                                      const NrValue *value); /* NULL before its definition was handled */

/* Binds the value to buffer, through memref. */
NrBufferBinding *nr_bufferize_join(NrBufferize *s, NrValue *value, NrBuffer *buffer, NrValue *memref);
/* Creates a buffer owned by block (NULL: borrowed), needed at least up to op number `last`. */
NrBuffer *nr_bufferize_own(NrBufferize *s, NrValue *root, NrBlock *block, uint32_t last);
/* Makes a result or block argument the root of a new buffer of block; its type becomes the memref's. */
void nr_bufferize_adopt(NrBufferize *s, NrValue *value, NrBlock *owner);
/* Frees the buffers that the block still owns; base: size of s->owned when the block began. */
void nr_bufferize_release(NrBufferize *s, NrBlock *block, size_t base);

/* The memref to read the value from, before op, and its buffer (out_buffer may be NULL). Dense: without a layout. */
NrValue *nr_bufferize_read(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer);
NrValue *nr_bufferize_read_dense(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer);
/* A new dense copy, without an owner yet. */
NrValue *nr_bufferize_read_copy(NrBufferize *s, NrOp *op, const NrBufferBinding *binding);
/* The value in a dense buffer for op to move: the value's own buffer if possible, else a copy. */
NrValue *nr_bufferize_take(NrBufferize *s, NrValue *value, NrOp *op);
/* New memory for a result of op, undefined, with the sizes of `like`; where possible in the buffer that the result will
 * be inserted into. Binds the result. */
NrValue *nr_bufferize_fresh(NrBufferize *s, NrOp *op, NrValue *result, NrValue *like);
/* Memory for a result that starts as operand `dest` of op: the operand's own when it may be overwritten, else a copy
 * (undefined when keep is false). Binds the result. */
NrValue *nr_bufferize_dest(NrBufferize *s, NrOp *op, size_t dest, NrValue *result, bool keep);
/* New memory for a result; `from` (may be undefined) gives the contents when keep is set. Binds the result. */
NrValue *nr_bufferize_copy(NrBufferize *s, NrOp *op, NrValue *result, NrValue *from, bool keep);
/* Resizes a dense buffer along its first dim: returns the memref of type with dims, in a buffer that replaces it. */
NrValue *nr_bufferize_resize(NrBuilder *b, NrValue *memref, NrType type, const NrIndex *dims);
/* Copies all elements, before op; fills instead when `from` is a splat constant. */
void nr_bufferize_copy_contents(NrOp *op, const NrBufferBinding *from, NrValue *to);
/* Whether op may write into the buffer: owned by op's block, not needed later, not used in op's regions
 * (nr_bufferize_mark_captured first). Other operands of op may still be in it. */
bool nr_bufferize_may_write(NrBufferize *s, NrOp *op, const NrBuffer *buffer);
void nr_bufferize_mark_captured(NrBufferize *s, NrOp *op);

/* ---- empty-tensor elimination (empty_tensor_elimination.c)
 * ------------------------------------------------------- */

/* When the only use of the result of op is an insert_slice whose destination exists and may be written now, or a store
 * into an output of the dispatch: returns that slice as memory for the result and binds the result. Else NULL. Not if
 * an op in between may end the run, because it may check the slice's bounds. */
NrValue *nr_bufferize_eliminate_empty(NrBufferize *s, NrOp *op, NrValue *result);
/* For a destination that is in its final location already: its memory for the result of op, which is bound; else
 * NULL. */
NrValue *nr_bufferize_bound_dest(NrBufferize *s, NrOp *op, NrValue *result, const NrBufferBinding *dest);
/* Builds the subview of memref for the slice op, with the shape of tensor type `shape`. */
NrValue *nr_bufferize_subview(NrBuilder *b, NrValue *memref, NrOp *slice, NrType shape);
/* Whether writing the element of output `out` of a linalg op cannot change an element of operand `in` that another
 * iteration reads from the same memory: each iteration accesses both at one index, which no other iteration uses. */
bool nr_bufferize_in_step(NrOp *op, size_t in, size_t out);

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* Converts elementwise arithmetic on tensors, with one result, to a linalg.generic; returns the scalar op in its
 * body. */
NrOp *nr_elementwise_to_generic(NrOp *op);
/* The bytes of a 1-D tensor as elements of another width (bytes.c), where nr_flow_can_bitcast. */
NrValue *nr_bytes_as(NrBuilder *b, NrValue *row, NrType elem);
NrStatus nr_bufferize_prepare(NrOp *func);                 /* prepare.c: rewrites to fewer kinds of tensor ops */
bool nr_bufferize_is_host_op(const NrOp *op);              /* host.c: flow.tensor.* */
NrStatus nr_bufferize_host_op(NrOp *op);
/* bufferize.c: adopts the block's arguments, handles its ops in order, then frees what the block owns. */
NrStatus nr_bufferize_block(NrBufferize *s, NrBlock *block);
/* The same from the ops on; base: size of s->owned before the first buffer of the block. */
NrStatus nr_bufferize_ops(NrBufferize *s, NrBlock *block, size_t base);
NrStatus nr_bufferize_tensor_op(NrBufferize *s, NrOp *op); /* tensor.c: tensor.*, constants */
NrStatus nr_bufferize_linalg_op(NrBufferize *s, NrOp *op); /* linalg.c */
NrStatus nr_bufferize_regions(NrBufferize *s, NrOp *op);   /* control.c: scf.for, while, if.. */
NrStatus nr_bufferize_terminator(NrBufferize *s, NrOp *op);
NrStatus nr_bufferize_call(NrBufferize *s, NrOp *op);      /* func.call, rt.call */
NrStatus nr_bufferize_forall(NrBufferize *s, NrOp *op);    /* forall.c */
NrStatus nr_bufferize_in_parallel(NrBufferize *s, NrOp *op);
NrStatus nr_bufferize_flow_op(NrBufferize *s, NrOp *op);   /* flow.c: inside of executables; dispatches */

/* ---- executables (executables.c) ----------------------------------------------------------------------- */

/* A function of an executable, as rt.dispatch runs it. Its arguments: the dispatch's; x, y and z of the grid if it uses
 * the workgroup count; x, y and z of the workgroup. */
typedef struct NrEntryPoint {
  NrOp *export_op, *func;
  bool counts;
} NrEntryPoint;

/* Adds the workgroup's place to the functions of all executables; they still work on tensors. */
NrStatus nr_bufferize_open_executables(NrBufferize *s);
NrEntryPoint *nr_bufferize_entry_point(NrBufferize *s, NrOp *dispatch); /* NULL: reported as not found */
void nr_bufferize_close_executables(NrBufferize *s); /* once every dispatch is replaced */

#endif
