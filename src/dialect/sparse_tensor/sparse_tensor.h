/* sparse_tensor.h - how tensors are stored sparsely: queries of #sparse_tensor.encoding. */
#ifndef NORIA_DIALECT_SPARSE_TENSOR_SPARSE_TENSOR_H
#define NORIA_DIALECT_SPARSE_TENSOR_SPARSE_TENSOR_H

#include "dialect/sparse_tensor/ops.h"
#include "ir/text.h"
#include "ir/type_info.h"

enum { NR_SPARSE_MAX_LEVELS = 8 };

/* A level's letter: 'd' dense, 's' compressed, 'q' singleton. Its coordinates may repeat where the next is a 'q'. */
typedef struct NrSparseLevels {
  size_t count;                      /* the rank */
  char letters[NR_SPARSE_MAX_LEVELS]; /* of the levels */
  size_t dims[NR_SPARSE_MAX_LEVELS]; /* the dim that a level stores */
  NrType position, coordinate;       /* the types of elements of pos and crd: i32, i64 or index */
} NrSparseLevels;

/* Whether the type is a tensor with such an encoding. */
bool nr_type_is_sparse(NrType type);
/* type is sparse. */
void nr_sparse_levels_of(NrType type, NrSparseLevels *out);
/* The types of a tensor's arrays: pos, if compressed, and crd of each level that is not dense, then the values. out has
 * room for NR_SPARSE_MAX_ARRAYS. Returns their number. */
enum { NR_SPARSE_MAX_ARRAYS = 2 * NR_SPARSE_MAX_LEVELS + 1 };
size_t nr_sparse_array_types(NrType type, NrType *out);
/* The number of the array pos or crd of a level; the level has one. */
size_t nr_sparse_array_of(const NrSparseLevels *levels, size_t level, bool position);
/* "pos1", "crd1", "vals": the name of array i. */
void nr_sparse_array_name(const NrSparseLevels *levels, size_t i, char out[8]);

NrStatus nr_sparse_encoding_parse(NrParser *p, NrAttr *out_params);
void nr_sparse_encoding_print(NrPrinter *w, const NrAttr *params);
const char *nr_sparse_encoding_misfit(NrAttr encoding, NrType tensor);

#endif
