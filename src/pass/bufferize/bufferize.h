/* bufferize.h - what the files of the bufferize pass share (bufferize*.c).
 *
 * A tensor value has a place: a memref, and the buffer (allocation) that the memref shows all or a part of. A buffer
 * has one owner, the block that must free it or give it away; buffers without an owner are borrowed and never written.
 * Ops are handled in program order. New ops go before the op that they replace; that op stays until the end of its
 * function, so that the uses of every tensor value can be counted at any time.
 *
 * Handles of runtime objects (sequences, optionals) are treated likewise, with a reference in the place of a buffer: a
 * copy is one more reference, a free is one less. */
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
  uint32_t last;  /* number of the last op of the owner, itself or by what is in it, that needs the buffer; 0 = none */
  uint32_t captured_by; /* number of the op that was last found to use the buffer inside its regions */
  uint32_t claimed_by;  /* number of the op that last took the buffer for a result */
  bool output;          /* of a dispatch: not owned here, but written by stores */
  bool moved;           /* the owner has given it away */
  struct NrBufferBinding *members; /* the values that live here */
} NrBuffer;

typedef struct NrBufferBinding {
  NrValue *value;
  NrValue *memref;    /* NULL: undefined contents (tensor.empty), to be allocated by whoever needs memory */
  NrOp *empty;        /* the tensor.empty, which knows the sizes, when memref is NULL */
  NrBuffer *buffer;   /* NULL when memref is */
  NrOp *bound_for;   /* the only user, on the way to an insert_slice or a store, which finds the value already where it
                         goes */
  NrOp *load;         /* the dispatch.tensor.load that memref is the part of, or NULL */
  bool leading;       /* memref is a strided view of the first rows of a dense one with the buffer's start */
  NrAttr splat;       /* the one element that all of a constant have, or NULL */
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
  NR_VEC(uint32_t) stops;     /* by number: how many ops up to it may end the run with an error of the program's own */
  NR_VEC(NrOp *) dead;        /* replaced, to be erased */
  NR_VEC(NrBuffer *) owned;   /* by the blocks that are being handled, innermost last */
  NR_VEC(NrOp *) constants;   /* memref.get_global whose name is to be set */
  NR_VEC(NrAttr) constant_values;
  NR_VEC(NrOp *) executables;
  NrStrMap exports;           /* "executable/export" -> NrEntryPoint */
  NrStrMap names;             /* of the module's symbols */
} NrBufferize;

/* ---- places (bindings.c) -------------------------------------------------------------------------------- */

static inline bool nr_is_handle(NrType t) { return t->kind == NR_TYPE_SEQ || t->kind == NR_TYPE_OPTIONAL; }
static inline bool nr_is_dispatch_tensor(NrType t) {
  return t->kind == NR_TYPE_DISPATCH_TENSOR && t->elem->kind == NR_TYPE_TENSOR;
}
static inline bool nr_needs_buffer(NrType t) {
  return nr_type_is_tensor(t) || nr_is_handle(t) || nr_is_dispatch_tensor(t);
}
NrType nr_bufferized_type(NrType t); /* the memref of a tensor or dispatch tensor, in functions too */
uint32_t nr_bufferize_number(const NrBufferize *s, const NrOp *op); /* 0: not an op of the input */
NrBufferBinding *nr_bufferize_binding(const NrBufferize *s,
                                      const NrValue *value); /* NULL before its definition was handled */

/* The value lives in buffer, seen through memref. */
NrBufferBinding *nr_bufferize_join(NrBufferize *s, NrValue *value, NrBuffer *buffer, NrValue *memref);
/* A new buffer: owned by block (NULL: borrowed), needed up to op number `last` at least. */
NrBuffer *nr_bufferize_own(NrBufferize *s, NrValue *root, NrBlock *block, uint32_t last);
/* The value is the root of a new buffer of block; its type becomes the memref's. For results and block arguments. */
void nr_bufferize_adopt(NrBufferize *s, NrValue *value, NrBlock *owner);
/* Frees what the block still owns; base: size of s->owned when the block began. */
void nr_bufferize_release(NrBufferize *s, NrBlock *block, size_t base);

/* Memory to read the value from, before op, and its buffer (out_buffer may be NULL). Dense: without a layout. */
NrValue *nr_bufferize_read(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer);
NrValue *nr_bufferize_read_dense(NrBufferize *s, NrValue *value, NrOp *op, NrBuffer **out_buffer);
/* A new dense copy, owned by nobody yet. */
NrValue *nr_bufferize_read_copy(NrBufferize *s, NrOp *op, const NrBufferBinding *binding);
/* The value in a dense buffer that nobody else has, to be given away by op: the value's own if possible, else a copy.
 */
NrValue *nr_bufferize_take(NrBufferize *s, NrValue *value, NrOp *op);
/* New memory for a result of op, undefined; in the buffer that the result will be put into when that can be seen.
 * `like` gives the sizes. The result has its place then. */
NrValue *nr_bufferize_fresh(NrBufferize *s, NrOp *op, NrValue *result, NrValue *like);
/* Memory for a result that starts as operand `dest` of op: the operand's own when it may be overwritten, else a copy of
 * it (only memory, when keep is false). The result has its place then. */
NrValue *nr_bufferize_dest(NrBufferize *s, NrOp *op, size_t dest, NrValue *result, bool keep);
/* The same without looking at operands: `from` (may be undefined) gives the contents when keep is set. */
NrValue *nr_bufferize_copy(NrBufferize *s, NrOp *op, NrValue *result, NrValue *from, bool keep);
/* Makes a dense buffer longer or shorter along its first dim: the memref of type with dims, in a buffer that replaces
 * it. */
NrValue *nr_bufferize_resize(NrBuilder *b, NrValue *memref, NrType type, const NrIndex *dims);
/* Copies all elements, before op; a constant with one element for all is written instead. */
void nr_bufferize_copy_contents(NrOp *op, const NrBufferBinding *from, NrValue *to);
/* Whether op may write into the buffer: owned by op's block, not needed later, not used in op's regions
 * (nr_bufferize_mark_captured first). Other operands of op may still be in it. */
bool nr_bufferize_may_write(NrBufferize *s, NrOp *op, const NrBuffer *buffer);
void nr_bufferize_mark_captured(NrBufferize *s, NrOp *op);

/* ---- where results may be written early (empty_tensor_elimination.c)
 * ------------------------------------------------------- */

/* When the only use of the result of op is an insert_slice whose destination is there already and may be written now,
 * or a store into an output of the dispatch: the part of it, as memory for the result, which then has its place. Else
 * NULL. Not over an op that may end the run: it may ask whether there is such a part. */
NrValue *nr_bufferize_eliminate_empty(NrBufferize *s, NrOp *op, NrValue *result);
/* Memory for a result of op whose destination is in place already; NULL when it is not. The result has its place then.
 */
NrValue *nr_bufferize_bound_dest(NrBufferize *s, NrOp *op, NrValue *result, const NrBufferBinding *dest);
/* The part of memref that the slice op means, with the shape of tensor type `shape`. */
NrValue *nr_bufferize_subview(NrBuilder *b, NrValue *memref, NrOp *slice, NrType shape);
/* Whether writing the element of output `out` of a linalg op can disturb no other element of operand `in` that lies in
 * the same memory: in every iteration both are accessed at one place, and at that place in no other. */
bool nr_bufferize_in_step(NrOp *op, size_t in, size_t out);

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* Arithmetic on tensors as a linalg.generic; returns the op on elements in its body. op has one result. */
NrOp *nr_elementwise_to_generic(NrOp *op);
/* The bytes of a 1-D tensor as elements of another width (bytes.c), where nr_flow_can_bitcast. */
NrValue *nr_bytes_as(NrBuilder *b, NrValue *row, NrType elem);
NrStatus nr_bufferize_prepare(NrOp *func);                 /* prepare.c: fewer kinds of tensor ops */
bool nr_bufferize_is_host_op(const NrOp *op);              /* host.c: flow.tensor.* */
NrStatus nr_bufferize_host_op(NrOp *op);
/* bufferize.c: the block owns its arguments; its ops, in order; then frees what it owns. */
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

/* An entry point that has become a function of the module. Its arguments are those of the dispatch, then, when it asks
 * how many workgroups there are, x, y and z of the grid, then those of the workgroup. */
typedef struct NrEntryPoint {
  NrOp *export_op, *func;
  bool counts;
} NrEntryPoint;

/* Makes the functions of all executables functions of the module, with plain arguments, still on tensors. */
NrStatus nr_bufferize_open_executables(NrBufferize *s);
NrEntryPoint *nr_bufferize_entry_point(NrBufferize *s, NrOp *dispatch); /* NULL: not found, reported */
void nr_bufferize_close_executables(NrBufferize *s); /* erases them; every dispatch has been replaced */

#endif
