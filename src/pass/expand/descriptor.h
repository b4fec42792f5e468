/* descriptor.h - memrefs taken apart into a pointer and indices, for finalize-memref.
 *
 * A pointer is a memref<?xT> of identity layout: typed memory, accessed by the number of an element. Its size is that
 * of the whole allocation; no op that a backend sees reads it, but the interpreter checks accesses against it. */
#ifndef NORIA_PASS_EXPAND_DESCRIPTOR_H
#define NORIA_PASS_EXPAND_DESCRIPTOR_H

#include "dialect/shared/shaped.h"
#include "pass/core/pass.h"

/* Element [i, j, ..] is data[offset + i * strides[0] + j * strides[1] + ..]. */
typedef struct NrDescriptor {
  NrValue *data;
  NrValue *allocation; /* the pointer to free, where it is not data; else NULL */
  NrIndex offset;
  NrIndex *sizes, *strides;             /* of a memref with a rank */
  NrValue *rank, *all_sizes, *all_strides; /* of a memref without one: an index, and two vector<16xindex> */
} NrDescriptor;

/* The state of one run on a program, which does one function at a time. */
typedef struct NrDescriptors {
  NrBuilder b; /* where ops are built */
  NrArena *arena;
  NrMap of;    /* NrValue * -> NrDescriptor * */
  NrMap parts; /* NrValue * of a block argument -> NrValue ** of the arguments that it has become */
  NrAttr nsw;
  NR_VEC(NrOp *) done; /* ops to erase, in program order */
  NrStatus status;     /* the first error */
} NrDescriptors;

/* Sums and products of sizes, strides and offsets. The ops have nsw: these values do not overflow. */
NrIndex nr_descriptor_add(NrDescriptors *x, NrIndex a, NrIndex b);
NrIndex nr_descriptor_mul(NrDescriptors *x, NrIndex a, NrIndex b);

/* The descriptor of a memref. That of a view is computed by ops at the view, that of another value by ops right
 * after its definition. NULL for a new buffer whose layout is not known. */
NrDescriptor *nr_descriptor_of(NrDescriptors *x, NrValue *memref);
bool nr_descriptor_has_rank(const NrValue *memref);
/* A descriptor in which the parts that type fixes are known, and the others are not. */
NrDescriptor *nr_descriptor_new(NrDescriptors *x, NrType type, NrValue *data);
bool nr_descriptor_is_known(NrIndex part);
void nr_descriptor_set(NrIndex *part, NrIndex value); /* no effect on a part that is known */
void nr_descriptor_set_row_major(NrDescriptors *x, NrType type, NrDescriptor *d); /* strides, from known sizes */
/* Whether memref is row-major. A layout that strides cannot describe counts as row-major. */
bool nr_descriptor_is_row_major(NrType memref);
/* A pointer to elements of type elem, `shift` elements of memref's type behind element 0 of its descriptor. */
NrValue *nr_descriptor_pointer(NrDescriptors *x, NrValue *memref, NrIndex shift, NrType elem, NrAttr space);
/* The number of an element among those of d->data; indices are `count` values. */
NrIndex nr_descriptor_element(NrDescriptors *x, const NrDescriptor *d, NrValue *const *indices, size_t count);
/* Builds a whole memref of type from its parts, for ops that take memrefs. */
NrValue *nr_descriptor_whole(NrDescriptors *x, const NrDescriptor *d, NrType type);

/* ---- values that are passed on (memref_blocks.c) ---- */

/* A memref is passed on as a pointer and what its type does not fix: offset, sizes, strides; one without a rank as
 * pointer, offset, rank, and vectors of sizes and strides. Other types are passed on as they are. */
enum { NR_MAX_PARTS = 2 + 2 * NR_MAX_RANK };
size_t nr_part_types(NrType type, NrType *out);
size_t nr_parts_of(NrDescriptors *x, NrValue *value, NrValue **out); /* builds constants at x->b */
NrDescriptor *nr_descriptor_from_parts(NrDescriptors *x, NrType type, NrValue *const *parts);

/* Adds wrappers, marked noria.c_wrapper, for the functions that are called from outside the program (c_wrappers.c). */
void nr_add_c_wrappers(NrOp *module);
/* Converts the types of functions, and of values of function type, in root to types over parts. */
void nr_parts_convert_types(NrOp *root);
/* Three steps: the first adds block arguments for the parts, the second passes parts along the branches, the third
 * erases the old arguments. */
void nr_parts_open_blocks(NrDescriptors *x, NrOp *func);
void nr_parts_pass(NrDescriptors *x, NrOp *func);
void nr_parts_drop_args(NrDescriptors *x, NrOp *func);
/* Rebuilds a call, a dispatch or a return with parts in place of memrefs. */
void nr_parts_replace_call(NrDescriptors *x, NrOp *op);

/* ---- copies ---- */

/* memref_copy.c: these build loops in front of `at`, an op in a block of a function, and leave x->b there. */
void nr_descriptor_copy(NrDescriptors *x, NrOp *at, NrValue *target, NrValue *source);
NrDescriptor *nr_descriptor_clone(NrDescriptors *x, NrOp *at, NrValue *source); /* a new row-major buffer */
void nr_descriptor_transfer(NrDescriptors *x, NrOp *dma_start);
/* Splits the block of op, so that blocks can be built in front of op until nr_rejoin. Op and what follows it move to
 * a new block, which is returned. Where a region may have one block only, the new blocks go into an
 * scf.execute_region, and NULL is returned. */
NrBlock *nr_split_at(NrDescriptors *x, NrOp *op);
void nr_rejoin(NrDescriptors *x, NrBlock *rest, NrOp *op);
NrBlock *nr_append_block(NrDescriptors *x); /* a new block after the one that ops are built in */
void nr_build_in(NrDescriptors *x, NrBlock *block);
/* Copies `count` contiguous elements, in pieces with safepoints between them where they may be many. */
void nr_descriptor_copy_row(NrDescriptors *x, const NrDescriptor *to, NrIndex to_at, const NrDescriptor *from,
                            NrIndex from_at, NrIndex count);

/* ---- memrefs without a rank (memref_unranked.c) ---- */

NrType nr_sizes_type(NrContext *ctx); /* vector<16xindex> */
/* The same memory without a rank; NULL after an error at op, where it has more than 16 dims. */
NrDescriptor *nr_descriptor_forget_rank(NrDescriptors *x, NrOp *op, NrValue *memref);
NrDescriptor *nr_descriptor_with_rank(NrDescriptors *x, NrType type, const NrDescriptor *source);
NrDescriptor *nr_descriptor_reshape_unranked(NrDescriptors *x, NrOp *reshape);
/* Copies and clones where at least one side has no rank; a clone is row-major. They build loops in front of at. */
void nr_descriptor_copy_unranked(NrDescriptors *x, NrOp *at, const NrDescriptor *to, const NrDescriptor *from);
NrDescriptor *nr_descriptor_clone_unranked(NrDescriptors *x, NrOp *at, NrType elem, const NrDescriptor *from);
/* The parts of an unranked, row-major memref from the runtime, read by ops right after its definition. */
NrDescriptor *nr_descriptor_read_unranked(NrDescriptors *x, NrValue *memref);
/* Builds a whole memref of type from the descriptor of a row-major one. */
NrValue *nr_descriptor_whole_unranked(NrDescriptors *x, const NrDescriptor *d, NrType type);

/* ---- buffers and views ---- */

/* Whether op allocates a buffer that has a layout or not exactly one dim. The second function allocates a 1-D buffer
 * in its place, by ops at x->b, and returns its descriptor; NULL where offset or strides are not known
 * (memref_alloc.c). */
bool nr_descriptor_is_new_buffer(const NrOp *op);
NrDescriptor *nr_descriptor_of_new_buffer(NrDescriptors *x, NrOp *op);

/* The result of op that is a view of the memory of an operand; NULL if op has none (memref_views.c). */
NrValue *nr_descriptor_view(const NrOp *op);
/* The descriptor of that result, built by ops at x->b. */
NrDescriptor *nr_descriptor_of_view(NrDescriptors *x, NrOp *op);

#endif
