/* tiling.c - see tiling.h. */
#include "pass/dispatch/tiling.h"

#include <ctype.h>

#include "dialect/affine/affine.h"
#include "dialect/tensor/tensor.h"
#include "ir/text.h"

enum { NONE = -1, CANNOT = -2 };

/* ---- the loops of one op ----------------------------------------------------------------------------------------- */

bool nr_tiling_is_reshape(const NrOp *op) {
  return nr_op_is(op, NR_OP_tensor_expand_shape) || nr_op_is(op, NR_OP_tensor_collapse_shape);
}

NrValue *nr_tiling_reshape_source(const NrOp *op) {
  bool expands = nr_op_is(op, NR_OP_tensor_expand_shape);
  return expands ? nr_tensor_expand_shape_source(op) : nr_tensor_collapse_shape_source(op);
}

static bool is_fill(const NrOp *op) { return nr_op_is(op, NR_OP_linalg_fill); }

bool nr_tiling_is_work(const NrOp *op) { return nr_linalg_is_structured(op) && !is_fill(op); }

bool nr_tiling_takes(const NrOp *op) {
  if (!op || !op->num_results) return false;
  for (uint32_t j = 0; j < op->num_results; j++)
    if (nr_result(op, j)->type->kind != NR_TYPE_TENSOR) return false;
  return nr_linalg_is_structured(op) || is_fill(op) || nr_tiling_is_reshape(op);
}

int nr_tiling_kind(const NrOp *op) {
  size_t tensors = 0;
  if (nr_tiling_is_reshape(op)) return 3;
  if (!nr_linalg_num_reductions(op)) return 2;
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) tensors += nr_type_is_tensor(nr_operand(op, k)->type);
  return tensors >= 2 ? 0 : 1;
}

/* Fills and reshapes have a loop for each dim of their result. */
static uint32_t num_loops(const NrOp *op) {
  if (nr_tiling_is_work(op)) return (uint32_t)nr_linalg_num_loops(op);
  return op->results[0].type->rank;
}

static bool is_parallel(const NrOp *op, uint32_t d) { return !nr_tiling_is_work(op) || !nr_linalg_is_reduction(op, d); }

static int dim_of_map(NrAttr map, uint32_t d) {
  int found = NONE;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    if (!nr_affine_uses_dim(map->exprs[r], d)) continue;
    if (map->exprs[r]->kind != NR_AFFINE_DIM || found >= 0) return CANNOT;
    found = (int)r;
  }
  return found;
}

/* The dim of a reshape's source that is dim d of its result, where the other dims of its group have size 1. */
static int reshape_source_dim(const NrOp *op, uint32_t d) {
  bool expands = nr_op_is(op, NR_OP_tensor_expand_shape);
  NrType wide = expands ? op->results[0].type : nr_tensor_collapse_shape_source(op)->type;
  NrGroups groups;
  if (!nr_groups_of(op, &groups)) return CANNOT;
  for (size_t g = 0; g < groups.count; g++) {
    uint32_t begin = groups.begin[g], end = begin + groups.size[g], found = begin, others = 0;
    for (uint32_t i = begin; i < end; i++) {
      if (wide->dims[i] == 1) continue;
      found = i;
      others++;
    }
    if (others > 1 && (expands ? d >= begin && d < end : d == g)) return CANNOT;
    if (expands && found == d) return (int)g;
    if (!expands && d == g) return (int)found;
  }
  return CANNOT; /* a dim of size 1 */
}

int nr_tiling_operand_dim(const NrOp *op, size_t k, uint32_t d) {
  if (nr_tiling_is_reshape(op)) return k == 0 ? reshape_source_dim(op, d) : NONE;
  if (is_fill(op)) return nr_type_is_tensor(nr_operand(op, k)->type) ? (int)d : NONE;
  return dim_of_map(nr_linalg_map(op, k), d);
}

int nr_tiling_result_dim(const NrOp *op, size_t j, uint32_t d) {
  if (!nr_tiling_is_work(op)) return (int)d;
  return dim_of_map(nr_linalg_map(op, nr_op_destination_index(op, j)), d);
}

int nr_tiling_window_dim(const NrOp *op, size_t k, uint32_t d, int64_t *out_step, int64_t *out_reach) {
  if (!nr_tiling_is_work(op)) return NONE;
  NrAttr map = nr_linalg_map(op, k);
  int found = NONE;
  for (uint32_t r = 0; r < map->num_exprs; r++) {
    int64_t coeff[NR_MAX_RANK], constant, reach;
    if (!nr_affine_uses_dim(map->exprs[r], d)) continue;
    if (found >= 0 || !nr_affine_linear(map->exprs[r], map->num_dims, coeff, &constant) || constant < 0 || coeff[d] < 1)
      return NONE;
    found = (int)r;
    *out_step = coeff[d];
    *out_reach = constant + 1;
    for (uint32_t other = 0; other < map->num_dims; other++) {
      if (other == d || coeff[other] == 0) continue;
      int64_t range = nr_linalg_static_range(op, other);
      if (is_parallel(op, other) || coeff[other] < 0 || range < 1 || !nr_mul_i64(coeff[other], range - 1, &reach) ||
          !nr_add_i64(*out_reach, reach, out_reach))
        return NONE;
    }
  }
  return found;
}

bool nr_tiling_indexes(const NrOp *op, size_t k, uint32_t d) {
  int64_t step, reach;
  return nr_tiling_operand_dim(op, k, d) >= 0 || nr_tiling_window_dim(op, k, d, &step, &reach) >= 0;
}

/* The loop that alone indexes the dim of operand k or of result j; NONE: there is none. */
static int loop_of_dim(const NrOp *op, bool result, size_t number, int dim) {
  for (uint32_t d = 0; d < num_loops(op); d++)
    if ((result ? nr_tiling_result_dim(op, number, d) : nr_tiling_operand_dim(op, number, d)) == dim) return (int)d;
  return NONE;
}

/* ---- several ops ------------------------------------------------------------------------------------------------- */

size_t nr_tiling_find(const NrTiling *t, const NrOp *op) {
  for (size_t i = 0; op && i < t->num_ops; i++)
    if (t->ops[i] == op) return i;
  return SIZE_MAX;
}

int64_t nr_tiling_range(const NrTiling *t, uint32_t d) { return nr_linalg_static_range(t->ops[t->root], d); }

typedef struct Search {
  NrTiling *t;
  bool seen[NR_TILING_OPS];
  size_t queue[NR_TILING_OPS], end;
} Search;

/* Op `to` has the value, dims[d] of which is cut along loop d of the root, as its operand or result `number`. */
static void follow(Search *s, size_t to, bool result, size_t number, const int *dims) {
  NrTiling *t = s->t;
  for (uint32_t d = 0; d < t->num_loops; d++) {
    if (!(t->shared >> d & 1)) continue;
    int loop = dims[d] < 0 ? NONE : loop_of_dim(t->ops[to], result, number, dims[d]);
    if (loop < 0 || (s->seen[to] && t->loop[to][d] != loop)) t->shared &= ~(1ull << d);
    else t->loop[to][d] = (int8_t)loop;
  }
  if (!s->seen[to]) s->queue[s->end++] = to;
  s->seen[to] = true;
}

static void follow_operands(Search *s, size_t i) {
  NrTiling *t = s->t;
  NrOp *op = t->ops[i];
  int dims[NR_MAX_RANK];
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrValue *value = nr_operand(op, k);
    size_t from = nr_tiling_find(t, value->op);
    if (from == SIZE_MAX) continue;
    for (uint32_t d = 0; d < t->num_loops; d++)
      dims[d] = t->loop[i][d] < 0 ? NONE : nr_tiling_operand_dim(op, k, (uint32_t)t->loop[i][d]);
    follow(s, from, true, value->index, dims);
  }
}

static void follow_results(Search *s, size_t i) {
  NrTiling *t = s->t;
  NrOp *op = t->ops[i];
  int dims[NR_MAX_RANK];
  for (uint32_t j = 0; j < op->num_results; j++) {
    for (uint32_t d = 0; d < t->num_loops; d++)
      dims[d] = t->loop[i][d] < 0 ? NONE : nr_tiling_result_dim(op, j, (uint32_t)t->loop[i][d]);
    for (NrUse *use = nr_result(op, j)->first_use; use; use = use->next) {
      size_t to = nr_tiling_find(t, use->owner);
      if (to != SIZE_MAX) follow(s, to, false, nr_use_index(use), dims);
    }
  }
}

/* Whether op i can be cut along loop d of the root. */
static bool can_cut(const NrTiling *t, size_t i, uint32_t d) {
  const NrOp *op = t->ops[i];
  if (t->loop[i][d] < 0) return false;
  uint32_t loop = (uint32_t)t->loop[i][d];
  if (!is_parallel(op, loop)) return false;
  int64_t step, reach;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    if (nr_tiling_operand_dim(op, k, loop) != CANNOT) continue;
    bool outside = nr_tiling_find(t, nr_operand(op, k)->op) == SIZE_MAX;
    if (!outside || nr_tiling_window_dim(op, k, loop, &step, &reach) < 0) return false;
  }
  for (uint32_t j = 0; j < op->num_results; j++)
    if (nr_tiling_result_dim(op, j, loop) < 0) return false;
  for (uint32_t other = 0; other < t->num_loops; other++)
    if (other != d && (t->shared >> other & 1) && t->loop[i][other] == t->loop[i][d]) return false;
  return true;
}

static size_t choose_root(const NrTiling *t) {
  size_t root = SIZE_MAX;
  int best = 3;
  for (size_t i = 0; i < t->num_ops; i++) {
    if (!nr_tiling_is_work(t->ops[i]) || nr_tiling_kind(t->ops[i]) >= best) continue;
    best = nr_tiling_kind(t->ops[i]);
    root = i;
  }
  return root;
}

void nr_tiling_analyse(NrTiling *t) {
  Search s = {.t = t};
  t->shared = 0;
  t->num_loops = 0;
  t->root = choose_root(t);
  if (t->root == SIZE_MAX) return;
  NrOp *root = t->ops[t->root];
  t->num_loops = num_loops(root);
  for (uint32_t d = 0; d < t->num_loops; d++) {
    t->loop[t->root][d] = (int8_t)d;
    t->shared |= 1ull << d;
    if (!can_cut(t, t->root, d)) t->shared &= ~(1ull << d);
  }
  s.queue[s.end++] = t->root;
  s.seen[t->root] = true;
  for (size_t next = 0; next < s.end; next++) {
    follow_operands(&s, s.queue[next]);
    follow_results(&s, s.queue[next]);
  }
  for (size_t i = 0; i < t->num_ops; i++)
    for (uint32_t d = 0; d < t->num_loops; d++)
      if ((t->shared >> d & 1) && (!s.seen[i] || !can_cut(t, i, d))) t->shared &= ~(1ull << d);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Whether the body only yields an input. */
static bool is_copy(const NrOp *op) {
  const NrBlock *body = nr_op_only_body(op);
  return body->first == body->last;
}

static bool has_windows(const NrOp *op) {
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    NrAttr map = nr_linalg_map(op, k);
    for (uint32_t r = 0; r < map->num_exprs; r++)
      if (map->exprs[r]->kind != NR_AFFINE_DIM && map->exprs[r]->kind != NR_AFFINE_CONSTANT) return true;
  }
  return false;
}

static const char *root_name(const NrOp *op) {
  switch (nr_tiling_kind(op)) {
  case 0:
    if (has_windows(op)) return "conv";
    return nr_linalg_num_reductions(op) == 1 ? "matmul" : "contraction";
  case 1: return "reduction";
  default: return is_copy(op) ? "copy" : "elementwise";
  }
}

void nr_tiling_put_op(const NrOp *op, NrBuf *out) {
  static const char *const names[] = {"contraction", "reduction", "element-wise op", "reshape"};
  nr_buf_puts(out, names[nr_tiling_kind(op)]);
  for (size_t d = 0; d < num_loops(op); d++) {
    int64_t range = nr_tiling_is_reshape(op) ? op->results[0].type->dims[d] : nr_linalg_static_range(op, d);
    nr_buf_puts(out, d ? "x" : " of ");
    if (range == NR_DYNAMIC) nr_buf_puts(out, "?");
    else nr_buf_printf(out, "%lld", (long long)range);
  }
}

void nr_tiling_put_label(const NrTiling *t, NrBuf *out) {
  if (t->root == SIZE_MAX || !t->num_ops) return;
  const NrOp *op = t->ops[t->root];
  nr_buf_puts(out, root_name(op));
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) {
    int64_t range = nr_linalg_static_range(op, d);
    nr_buf_putc(out, d ? 'x' : '_');
    if (range == NR_DYNAMIC) nr_buf_putc(out, 'D');
    else nr_buf_printf(out, "%lld", (long long)range);
  }
  nr_buf_putc(out, '_');
  for (const char *c = nr_type_text(nr_op_context(op), nr_type_elem(op->results[0].type)); *c; c++)
    if (isalnum((unsigned char)*c)) nr_buf_putc(out, *c);
}
