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
  NrIndex offset;
  NrIndex *sizes, *strides;
} NrDescriptor;

/* One run on a function. */
typedef struct NrDescriptors {
  NrBuilder b; /* where ops are built */
  NrArena *arena;
  NrMap of; /* NrValue * -> NrDescriptor * */
  NrAttr nsw;
} NrDescriptors;

/* Sums and products of sizes, strides and offsets, which do not overflow. */
NrIndex nr_descriptor_add(NrDescriptors *x, NrIndex a, NrIndex b);
NrIndex nr_descriptor_mul(NrDescriptors *x, NrIndex a, NrIndex b);

/* The descriptor of a ranked memref. That of a view is computed where the view stands; other values are taken apart by
 * ops behind their definition. NULL for a new buffer whose layout is not known. */
NrDescriptor *nr_descriptor_of(NrDescriptors *x, NrValue *memref);
/* Parts that type fixes are set, the others are not known yet. */
NrDescriptor *nr_descriptor_new(NrDescriptors *x, NrType type, NrValue *data);
bool nr_descriptor_is_known(NrIndex part);
void nr_descriptor_set(NrIndex *part, NrIndex value); /* unless it is known */
void nr_descriptor_set_row_major(NrDescriptors *x, NrType type, NrDescriptor *d); /* strides, from known sizes */
/* Layouts that no strides describe are row-major. */
bool nr_descriptor_is_row_major(NrType memref);
/* A pointer to elements of type elem, `shift` elements of memref's type behind element 0 of its descriptor. */
NrValue *nr_descriptor_pointer(NrDescriptors *x, NrValue *memref, NrIndex shift, NrType elem, NrAttr space);
/* The number of an element among those of d->data; indices are `count` values. */
NrIndex nr_descriptor_element(NrDescriptors *x, const NrDescriptor *d, NrValue *const *indices, size_t count);
/* Builds a memref of type again, for ops that take whole memrefs. */
NrValue *nr_descriptor_whole(NrDescriptors *x, const NrDescriptor *d, NrType type);

/* memref_copy.c: these build loops in front of `at`, an op in a block of a function, and leave x->b there. Copies have
 * a rank on both sides. */
void nr_descriptor_copy(NrDescriptors *x, NrOp *at, NrValue *target, NrValue *source);
NrValue *nr_descriptor_clone(NrDescriptors *x, NrOp *at, NrValue *source); /* a new row-major buffer */
void nr_descriptor_transfer(NrDescriptors *x, NrOp *dma_start);

/* Whether op makes a buffer of more dims than one, or with a layout; the descriptor of that, by ops at x->b that make a
 * buffer of one dim: NULL where offset or strides are not known (memref_alloc.c). */
bool nr_descriptor_is_new_buffer(const NrOp *op);
NrDescriptor *nr_descriptor_of_new_buffer(NrDescriptors *x, NrOp *op);

/* Whether op gives another view of its first operand's memory, which has a rank (memref_views.c). */
bool nr_descriptor_is_view(const NrOp *op);
/* The descriptor of a view's result 0, by ops at x->b. */
NrDescriptor *nr_descriptor_of_view(NrDescriptors *x, NrOp *op);

#endif
