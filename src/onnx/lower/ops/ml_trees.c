/* ml_trees.c - see ml_trees.h: what both forms of ensembles share, and the tables of kernel lib/tree_ensemble.mlir. */
#include "base/float_format.h"
#include "dialect/onnx/dtype.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/ops/ml_trees.h"

#include <math.h>
#include <stdlib.h>

/* ---- attributes ---- */

bool nr_ml_tensor_numbers(NrLower *l, const char *name, NrMlNumbers *out) {
  *out = (NrMlNumbers){.name = name};
  NrAttr tensor = nr_lower_takes_attr(l, name) ? nr_lower_attr(l, name) : NULL;
  int64_t count;
  if (!tensor) return true;
  if (!nr_attr_is_elements(tensor) || !nr_dtype_is_float(nr_dtype_of(tensor->type)) || tensor->type->rank != 1 ||
      !nr_type_num_elements(tensor->type, &count))
    return nr_lower_error(l, "%s is no list of floats", name), false;
  out->tensor = tensor;
  out->count = (size_t)count;
  return true;
}

bool nr_ml_numbers(NrLower *l, const char *name, NrMlNumbers *out) {
  const char *as_tensor = nr_arena_printf(&l->state->arena, "%s_as_tensor", name);
  NrMlNumbers tensor;
  *out = (NrMlNumbers){.name = name};
  nr_lower_attr_floats(l, name, &out->floats, &out->count);
  if (!nr_ml_tensor_numbers(l, as_tensor, &tensor)) return false;
  if (tensor.count && out->count) return nr_lower_error(l, "has both %s and %s", name, as_tensor), false;
  if (tensor.count) *out = tensor;
  return true;
}

double nr_ml_number(const NrMlNumbers *numbers, size_t i) {
  if (!numbers->tensor) return (double)numbers->floats[i];
  const void *data = nr_attr_element_ptr(numbers->tensor, (int64_t)i);
  uint16_t half;
  float single;
  double number;
  switch (nr_dtype_of(numbers->tensor->type)) {
  case NORIA_F32: return memcpy(&single, data, sizeof single), (double)single;
  case NORIA_F64: return memcpy(&number, data, sizeof number), number;
  case NORIA_F16: return memcpy(&half, data, sizeof half), nr_float_decode(&nr_format_f16, half);
  default: return nr_attr_element(numbers->tensor, (int64_t)i)->f;
  }
}

bool nr_ml_numbers_wide(const NrMlNumbers *numbers) {
  return numbers->tensor && nr_dtype_of(numbers->tensor->type) == NORIA_F64;
}

bool nr_ml_same_length(NrLower *l, const char *name, size_t count, const char *other, size_t want) {
  if (count == want) return true;
  nr_lower_error(l, "%s has %zu elements, but %s has %zu", name, count, other, want);
  return false;
}

/* ---- nodes ---- */

bool nr_ml_set_mode(NrMlNode *node, NrStr mode, bool missing_is_true) {
  static const struct {
    const char *name;
    uint32_t by;
  } modes[] = {{"LEQ", NR_ML_LESS | NR_ML_EQUAL}, {"LT", NR_ML_LESS},  {"GTE", NR_ML_GREATER | NR_ML_EQUAL},
               {"GT", NR_ML_GREATER},             {"EQ", NR_ML_EQUAL}, {"NEQ", NR_ML_LESS | NR_ML_GREATER}};
  size_t i = 0;
  while (i < NR_COUNTOF(modes) && !nr_str_is(mode, modes[i].name)) i++;
  if (i == NR_COUNTOF(modes)) return false;
  node->by = modes[i].by;
  /* All numbers differ from NaN, and are neither below nor above. */
  if (isnan(node->threshold)) {
    node->by = node->by == (NR_ML_LESS | NR_ML_GREATER) ? NR_ML_LESS | NR_ML_EQUAL | NR_ML_GREATER : 0;
    node->threshold = 0;
  }
  if (missing_is_true) node->by |= NR_ML_MISSING;
  return true;
}

/* Depth first with a stack of its own: trees may be as deep as they have nodes. */
int64_t nr_ml_find_cycle(NrLower *l, const NrMlNode *nodes, size_t count) {
  enum { NEW, OPEN_FIRST, OPEN_SECOND, DONE };
  uint8_t *state = NR_NEW_ARRAY(&l->state->arena, uint8_t, count + 1);
  size_t *stack = NR_NEW_ARRAY(&l->state->arena, size_t, count + 1), depth = 0;
  for (size_t start = 0; start < count; start++) {
    if (state[start] == NEW) stack[depth++] = start;
    while (depth) {
      size_t at = stack[depth - 1];
      state[at]++;
      if (state[at] == DONE) {
        depth--;
        continue;
      }
      int32_t next = nodes[at].next[state[at] - OPEN_FIRST];
      if (next < 0 || state[next] == DONE) continue;
      if (state[next] != NEW) return next;
      stack[depth++] = (size_t)next;
    }
  }
  return -1;
}

static int by_leaf(const void *a, const void *b) {
  const NrMlVote *x = a, *y = b;
  if (x->leaf != y->leaf) return x->leaf < y->leaf ? -1 : 1;
  return (x->target > y->target) - (x->target < y->target);
}

void nr_ml_sort_votes(NrMlTrees *trees) {
  if (trees->num_votes) qsort(trees->votes, trees->num_votes, sizeof *trees->votes, by_leaf);
}

/* ---- the tables ---- */

/* A constant tensor. Longer ones stay outside of the program's text. */
static NrValue *table(NrLower *l, const int64_t *dims, size_t rank, NrType elem, const void *data) {
  enum { ALIGNMENT = 64, INLINE_BYTES = 1024 };
  NrType type = nr_type_tensor(dims, rank, elem);
  int64_t bytes = 0;
  nr_type_num_bytes(type, &bytes);
  if (bytes <= INLINE_BYTES) return nr_lower_dense(l, nr_attr_dense(type, data, (size_t)bytes));
  NrArena *arena = nr_context_arena(l->ctx);
  char *copy = nr_arena_alloc(arena, (size_t)bytes + ALIGNMENT);
  copy += (ALIGNMENT - (uintptr_t)copy % ALIGNMENT) % ALIGNMENT;
  memcpy(copy, data, (size_t)bytes);
  NrStr key = nr_context_intern(l->ctx, nr_str(nr_arena_printf(&l->state->arena, "trees_%p", (void *)copy)));
  return nr_lower_dense(l, nr_attr_resource(type, key, copy, (size_t)bytes));
}

static NrValue *ints(NrLower *l, const int32_t *data, size_t count) {
  return table(l, (int64_t[]){(int64_t)count}, 1, nr_type_i32(l->ctx), data);
}

static NrValue *reals(NrLower *l, const double *data, size_t count, bool wide) {
  int64_t dims[1] = {(int64_t)count};
  if (wide) return table(l, dims, 1, nr_type_f64(l->ctx), data);
  float *narrow = NR_NEW_ARRAY(&l->state->arena, float, count);
  for (size_t i = 0; i < count; i++) narrow[i] = (float)data[i];
  return table(l, dims, 1, nr_type_f32(l->ctx), narrow);
}

/* The tensors of nodes, %links and %thresholds. A table has at least one row. */
static void node_tables(NrLower *l, const NrMlTrees *trees, bool wide, NrValue *out[2]) {
  NrArena *arena = &l->state->arena;
  size_t n = NR_MAX(trees->num_nodes, 1);
  int32_t *links = NR_NEW_ARRAY(arena, int32_t, n * 4);
  double *thresholds = NR_NEW_ARRAY(arena, double, n);
  for (size_t i = 0; i < trees->num_nodes; i++) {
    const NrMlNode *node = &trees->nodes[i];
    memcpy(&links[4 * i], (int32_t[]){node->feature, node->next[0], node->next[1], (int32_t)node->by}, 16);
    thresholds[i] = node->threshold;
  }
  out[0] = table(l, (int64_t[]){(int64_t)n, 4}, 2, nr_type_i32(l->ctx), links);
  out[1] = reals(l, thresholds, n, wide);
}

/* Those of leaves: %first, %targets, %weights. */
static void leaf_tables(NrLower *l, const NrMlTrees *trees, bool wide, NrValue *out[3]) {
  NrArena *arena = &l->state->arena;
  size_t n = NR_MAX(trees->num_votes, 1);
  int32_t *first = NR_NEW_ARRAY(arena, int32_t, trees->num_leaves + 1), *targets = NR_NEW_ARRAY(arena, int32_t, n);
  double *weights = NR_NEW_ARRAY(arena, double, n);
  for (size_t i = 0; i < trees->num_votes; i++) {
    first[trees->votes[i].leaf + 1]++;
    targets[i] = trees->votes[i].target;
    weights[i] = trees->votes[i].weight;
  }
  for (size_t i = 0; i < trees->num_leaves; i++) first[i + 1] += first[i];
  out[0] = ints(l, first, trees->num_leaves + 1);
  out[1] = ints(l, targets, n);
  out[2] = reals(l, weights, n, wide);
}

/* ---- the kernel ---- */

/* @holds where nodes compare in different ways: by the bits of the node. */
static void append_any_comparison(NrBuf *out) {
  nr_buf_printf(out, "  %%less = arith.constant %d : i32\n  %%equal = arith.constant %d : i32\n", NR_ML_LESS,
                NR_ML_EQUAL);
  nr_buf_printf(out, "  %%greater = arith.constant %d : i32\n  %%missing = arith.constant %d : i32\n", NR_ML_GREATER,
                NR_ML_MISSING);
  nr_buf_printf(out, "  %%lt = arith.cmpf olt, %%x, %%threshold : !T\n"
                     "  %%eq = arith.cmpf oeq, %%x, %%threshold : !T\n"
                     "  %%nan = arith.cmpf uno, %%x, %%x : !T\n"
                     "  %%apart = arith.select %%lt, %%less, %%greater : i32\n"
                     "  %%order = arith.select %%eq, %%equal, %%apart : i32\n"
                     "  %%bit = arith.select %%nan, %%missing, %%order : i32\n"
                     "  %%both = arith.andi %%by, %%bit : i32\n"
                     "  %%zero = arith.constant 0 : i32\n"
                     "  %%holds = arith.cmpi ne, %%both, %%zero : i32\n");
}

/* @holds. The predicates stand where the bits of a node as a number say. */
static void append_holds(NrBuf *out, const NrMlTrees *trees) {
  static const char *const predicates[] = {"false", "olt", "oeq", "ole", "ogt", "one", "oge", "ord",
                                           "uno",   "ult", "ueq", "ule", "ugt", "une", "uge", "true"};
  uint32_t by = trees->num_nodes ? trees->nodes[0].by : 0, differ = 0;
  for (size_t i = 1; i < trees->num_nodes; i++) differ |= trees->nodes[i].by ^ by;
  nr_buf_printf(out, "func.func private @holds(%%x: !T, %%threshold: !T, %%by: i32) -> i1 {\n");
  if (differ & ~(uint32_t)NR_ML_MISSING) {
    append_any_comparison(out);
  } else if (!differ) {
    nr_buf_printf(out, "  %%holds = arith.cmpf %s, %%x, %%threshold : !T\n", predicates[by]);
  } else {
    nr_buf_printf(out, "  %%shift = arith.constant 3 : i32\n  %%bit = arith.shrui %%by, %%shift : i32\n"
                       "  %%missing = arith.trunci %%bit : i32 to i1\n"
                       "  %%nan = arith.cmpf uno, %%x, %%x : !T\n"
                       "  %%taken = arith.andi %%nan, %%missing : i1\n"
                       "  %%ordered = arith.cmpf %s, %%x, %%threshold : !T\n"
                       "  %%holds = arith.ori %%ordered, %%taken : i1\n",
                  predicates[by & ~(uint32_t)NR_ML_MISSING]);
  }
  nr_buf_printf(out, "  return %%holds : i1\n}\n");
}

/* @combine. Where no weight came yet, a target of a minimum or maximum has NaN. */
static void append_combine(NrBuf *out, NrMlAggregate how) {
  nr_buf_printf(out, "func.func private @combine(%%sum: !T, %%weight: !T) -> !T {\n");
  if (how == NR_ML_AVERAGE || how == NR_ML_SUM)
    nr_buf_printf(out, "  %%next = arith.addf %%sum, %%weight : !T\n");
  else
    nr_buf_printf(out, "  %%better = arith.cmpf %s, %%weight, %%sum : !T\n"
                       "  %%next = arith.select %%better, %%weight, %%sum : !T\n",
                  how == NR_ML_MIN ? "ult" : "ugt");
  nr_buf_printf(out, "  return %%next : !T\n}\n");
}

static NrValue *average_body(NrLower *l, NrValue *const *a, void *user) {
  return divf(l, a[0], num(l, a[0], (double)*(const size_t *)user));
}

static NrValue *nothing_is_zero_body(NrLower *l, NrValue *const *a, void *user) {
  return nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_UNO, a[0], a[0]), num(l, a[0], 0), a[0]);
}

/* The number of columns is above every feature that a node compares. */
static bool check_features(NrLower *l, const NrMlTrees *trees, NrValue *x) {
  int64_t greatest = -1;
  for (size_t i = 0; i < trees->num_nodes; i++) greatest = NR_MAX(greatest, trees->nodes[i].feature);
  NrDim columns = nr_lower_dim(l, x, 1);
  if (nr_dim_known(columns) && columns.size <= greatest) {
    nr_lower_error(l, "a node compares feature %lld, but X has %lld", (long long)greatest, (long long)columns.size);
    return false;
  }
  NrValue *values[2] = {nr_lower_index(l, greatest), nr_dim_value(l, columns)};
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SLT, values[0], values[1]), "a node compares feature %0, but X has %1",
                 values, 2);
  return true;
}

NrValue *nr_ml_run_trees(NrLower *l, const NrMlTrees *trees, NrValue *x, NoriaDType dtype, size_t num_targets,
                         NrMlAggregate how, NoriaDType *out_dtype) {
  bool wide = trees->wide || dtype == NORIA_F64, extreme = how == NR_ML_MIN || how == NR_ML_MAX;
  *out_dtype = wide ? NORIA_F64 : NORIA_F32;
  NrType elem = nr_lower_elem_type(l->ctx, *out_dtype);
  NrShape rows = nr_lower_shape(l, x);
  if (!check_features(l, trees, x)) return NULL;
  NrValue *args[9] = {nr_ml_convert(l, x, dtype, *out_dtype)}, *result;
  node_tables(l, trees, wide, args + 1);
  args[3] = ints(l, trees->roots, trees->num_trees);
  leaf_tables(l, trees, wide, args + 4);
  args[7] = nr_lower_index(l, (int64_t)num_targets);
  args[8] = nr_lower_float(l, elem, extreme ? (double)NAN : 0);
  NrBuf prelude = {0};
  nr_buf_printf(&prelude, "!T = %s\n", wide ? "f64" : "f32");
  append_holds(&prelude, trees);
  append_combine(&prelude, how);
  NrStatus status = nr_lower_kernel(l, "tree_ensemble", (NrStr){prelude.data, prelude.size}, args, 9, &result, 1);
  nr_buf_deinit(&prelude);
  if (status) return NULL;
  rows.dims[1] = nr_dim((int64_t)num_targets);
  result = nr_lower_tensor_cast(l, result, nr_shape_type(l, &rows, elem));
  nr_lower_set_dim(l, result, 0, rows.dims[0]);
  size_t num_trees = NR_MAX(trees->num_trees, 1);
  if (how == NR_ML_AVERAGE) return nr_lower_map(l, &result, 1, NULL, average_body, &num_trees);
  return extreme ? nr_lower_map(l, &result, 1, NULL, nothing_is_zero_body, NULL) : result;
}
