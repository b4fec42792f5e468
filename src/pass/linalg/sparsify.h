/* sparsify.h - the parts of pass sparsify; see sparsify.c. */
#ifndef NORIA_PASS_LINALG_SPARSIFY_H
#define NORIA_PASS_LINALG_SPARSIFY_H

#include "dialect/sparse_tensor/sparse_tensor.h"
#include "ir/op_info.h"

/* What a sparse tensor is replaced by. In the pass's scratch arena. */
typedef struct NrSparseParts {
  NrValue *sizes[NR_SPARSE_MAX_LEVELS]; /* of the dims */
  NrValue *arrays[NR_SPARSE_MAX_ARRAYS];
  size_t num_arrays;
  bool is_empty; /* made by tensor.empty: it has no entries */
} NrSparseParts;

typedef struct NrSparsify {
  NrContext *ctx;
  NrModule *module;
  NrArena *arena;
  bool check_order;  /* the kernels check that coordinates are in order */
  NrMap parts;       /* NrValue* -> NrSparseParts* */
  NrStrMap kernels;  /* the text of a kernel -> its function, NrOp* */
  NrOp *table;       /* the module that the function stands in */
  NrSymbolNames names;
  NR_VEC(NrOp *) old; /* replaced; erased last, since they use each other */
} NrSparsify;

/* The parts of a sparse value; NULL after an error at op, which uses it. */
NrSparseParts *nr_sparsify_parts(NrSparsify *x, NrOp *op, NrValue *value);
NrSparseParts *nr_sparsify_add(NrSparsify *x, NrValue *value); /* new ones, to be filled */
/* The size of a dim of a tensor. */
NrValue *nr_sparsify_size(NrSparsify *x, NrBuilder *b, NrValue *tensor, size_t dim);

/* sparsify_kernel.c. Lowers linalg.generic with sparse operands to the call of a kernel. */
NrStatus nr_sparsify_generic(NrSparsify *x, NrOp *op);
/* dest = source, where one of them is sparse; gives the parts or the tensor of op's result. */
NrStatus nr_sparsify_convert(NrSparsify *x, NrOp *op);

#endif
