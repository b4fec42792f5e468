/* ml_trees.h - decision trees while they are read from a node's attributes; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_ML_TREES_H
#define NORIA_ONNX_LOWER_OPS_ML_TREES_H

#include "onnx/lower/ops/ml.h"

/* For which order of a feature and its threshold the comparison holds; what a NaN feature does is a bit as well. The
 * bits are those of arith.cmpf's predicates. */
enum { NR_ML_LESS = 1, NR_ML_EQUAL = 2, NR_ML_GREATER = 4, NR_ML_MISSING = 8 };

typedef struct NrMlNode {
  double threshold;
  int32_t feature, next[2]; /* where to go when the comparison holds, and when not: a node, or ~leaf */
  uint32_t by;              /* the bits above */
} NrMlNode;

typedef struct NrMlVote {
  double weight;
  int32_t leaf, target;
} NrMlVote;

/* All in l->state->arena. */
typedef struct NrMlTrees {
  NrMlNode *nodes;
  NrMlVote *votes; /* sorted by leaf */
  int32_t *roots;  /* of each tree a node or ~leaf */
  size_t num_nodes, num_votes, num_leaves, num_trees;
  bool wide;       /* f64: some numbers were given so */
} NrMlTrees;

/* A list of numbers: floats, or a tensor of floats of any width. */
typedef struct NrMlNumbers {
  const char *name;
  size_t count;
  const float *floats;
  NrAttr tensor;
} NrMlNumbers;
/* The attribute `name`, of which <name>_as_tensor may stand instead. False after an error. */
bool nr_ml_numbers(NrLower *l, const char *name, NrMlNumbers *out);
/* A tensor attribute. False after an error; without it the list is empty. */
bool nr_ml_tensor_numbers(NrLower *l, const char *name, NrMlNumbers *out);
double nr_ml_number(const NrMlNumbers *numbers, size_t i);
bool nr_ml_numbers_wide(const NrMlNumbers *numbers); /* f64 */
/* Reports unless a list has as many elements as another one. */
bool nr_ml_same_length(NrLower *l, const char *name, size_t count, const char *other, size_t want);

/* The nodes and leaves of versions 1 to 3, whose votes have attributes with this prefix ("class" or "target"). False
 * after an error. */
bool nr_ml_read_trees(NrLower *l, const char *votes, size_t num_targets, NrMlTrees *out);
/* Those of TreeEnsemble. */
bool nr_ml_read_ensemble(NrLower *l, size_t *num_targets, NrMlTrees *out);

/* Sets the comparison of a node by the mode of this name, without BRANCH_; false if there is none. */
bool nr_ml_set_mode(NrMlNode *node, NrStr mode, bool missing_is_true);
/* A node that is below itself, or -1. */
int64_t nr_ml_find_cycle(NrLower *l, const NrMlNode *nodes, size_t count);
void nr_ml_sort_votes(NrMlTrees *trees);

/* How weights of a target are combined; numbered as TreeEnsemble does. */
typedef enum NrMlAggregate { NR_ML_AVERAGE, NR_ML_SUM, NR_ML_MIN, NR_ML_MAX } NrMlAggregate;
/* What the trees give for x, [N, F] of `dtype`, which is f32 or f64: [N, num_targets] of *out_dtype. NULL after an
 * error. */
NrValue *nr_ml_run_trees(NrLower *l, const NrMlTrees *trees, NrValue *x, NoriaDType dtype, size_t num_targets,
                         NrMlAggregate how, NoriaDType *out_dtype);

#endif
