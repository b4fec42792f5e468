/* shard_tensor.c - shares large weights out over the ranks of a channel.
 *
 *   before  %h = x * W1; %r = relu(%h + b1); %y = %r * W2            W1: KxH, W2: HxN
 *   after   %h = x * W1[:, part]; %r = relu(%h + b1[part]); %p = %r * W2[part, :]
 *           %y = flow.collective.all_reduce sum, %p                  part: this rank's of the H
 *
 * The columns of a first weight and the rows of a second one are cut, so a pair needs one all_reduce (Shoeybi et al.,
 * "Megatron-LM", 2019). It starts from a reduction by addition over a loop that reads a large constant, and follows
 * the other inputs to the ops that compute them, as long as they compute only for it and what they compute along the
 * cut dim does not mix. That is done where one of those ops reduces over another large constant. What comes from
 * elsewhere is the same on all ranks, and its part is taken. */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/linalg/linalg.h"
#include "dialect/scf/ops.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/shard.h"

enum { MAX_OPS = 32, DEFAULT_WEIGHT = 1 << 16, MAX_WEIGHT = 1 << 30 };

/* A structured op of which each rank computes a part: of the points along one loop. */
typedef struct Part {
  NrOp *op, *copy;
  uint32_t loop;
} Part;

typedef struct Cut {
  int64_t min_bytes; /* of a weight */
  NR_VEC(Part) parts; /* consumers first */
  bool has_first_weight;
} Cut;

/* ---- what can be cut --------------------------------------------------------------------------------------------- */

static bool uses_indices(NrOp *op, void *found) {
  if (nr_op_is(op, NR_OP_linalg_index)) *(bool *)found = true;
  return !*(bool *)found;
}

static bool is_weight(const Cut *cut, const NrValue *value) {
  int64_t count;
  NrType type = value->type;
  if (!nr_value_constant(value) || !nr_type_is_ranked(type) || !nr_type_num_elements(type, &count)) return false;
  return count * (int64_t)nr_type_byte_size(type->elem) >= cut->min_bytes;
}

static bool mentions(NrAffineExpr e, uint32_t loop) {
  if (e->kind == NR_AFFINE_DIM) return e->value == (int64_t)loop;
  if (e->kind == NR_AFFINE_CONSTANT || e->kind == NR_AFFINE_SYMBOL) return false;
  return mentions(e->lhs, loop) || mentions(e->rhs, loop);
}

/* The dim of operand k that the loop runs along; -1: none. False: it is part of an expression, or of two dims. */
static bool dim_along(const NrOp *op, size_t k, uint32_t loop, int *out) {
  NrAttr map = nr_linalg_map(op, k);
  *out = -1;
  for (uint32_t d = 0; d < map->num_exprs; d++) {
    if (!mentions(map->exprs[d], loop)) continue;
    if (map->exprs[d]->kind != NR_AFFINE_DIM || *out >= 0) return false;
    *out = (int)d;
  }
  return true;
}

static bool can_cut(NrOp *op, uint32_t loop) {
  bool indices = false;
  int dim;
  if (op->num_results != 1 || !nr_linalg_is_structured(op) || nr_linalg_num_outputs(op) != 1) return false;
  for (size_t k = 0; k < op->num_operands; k++)
    if (!nr_type_is_ranked(nr_operand(op, k)->type) || !dim_along(op, k, loop, &dim)) return false;
  nr_walk_pre(op, uses_indices, &indices);
  return !indices;
}

static Part *part_of(const Cut *cut, const NrOp *op) {
  for (size_t i = 0; i < cut->parts.size; i++)
    if (cut->parts.data[i].op == op) return &cut->parts.data[i];
  return NULL;
}

/* Whether value is zero in all elements: what a sum starts from on each rank. */
static bool is_zero_fill(const NrValue *value) {
  NrValue *scalar = nr_op_is(value->op, NR_OP_linalg_fill) ? nr_linalg_fill_value(value->op) : NULL;
  NrAttr constant = nr_value_constant(scalar ? scalar : value);
  return constant && constant == nr_zero_attr(scalar ? scalar->type : value->type);
}

/* Whether the op adds up: its body ends with an addition of the old value, which starts as zero. */
static bool adds_up(NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  NrOp *last = nr_op_only_operand(body->last)->op;
  NrValue *old = nr_block_arg(body, (uint32_t)nr_linalg_num_inputs(op));
  bool adds = last && last->block == body && (nr_op_is(last, NR_OP_arith_addf) || nr_op_is(last, NR_OP_arith_addi));
  if (!adds || !nr_value_has_one_use(old) || old->first_use->owner != last) return false;
  return is_zero_fill(nr_operand(op, nr_linalg_num_inputs(op)));
}

/* Adds the op that computes value along dim, and those that compute its inputs, where only parts use it. */
static void follow(Cut *cut, NrValue *value, uint32_t dim) {
  NrOp *op = value->op;
  if (!op || !nr_linalg_is_structured(op) || nr_op_is(op, NR_OP_linalg_fill) || part_of(cut, op)) return;
  for (NrUse *use = value->first_use; use; use = use->next)
    if (!part_of(cut, use->owner)) return;
  NrAttr map = nr_linalg_map(op, nr_linalg_num_inputs(op));
  if (map->exprs[dim]->kind != NR_AFFINE_DIM || cut->parts.size == MAX_OPS) return;
  uint32_t loop = (uint32_t)map->exprs[dim]->value;
  if (nr_linalg_is_reduction(op, loop) || !can_cut(op, loop)) return;
  nr_vec_push(&cut->parts, ((Part){.op = op, .loop = loop}));
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    int along;
    if (!dim_along(op, k, loop, &along) || along < 0) continue;
    cut->has_first_weight |= nr_linalg_num_reductions(op) && is_weight(cut, nr_operand(op, k));
    follow(cut, nr_operand(op, k), (uint32_t)along);
  }
}

/* Fills the cut for a loop over which op adds up; false when there is no pair of weights. */
static bool read_cut(Cut *cut, NrOp *op, uint32_t loop) {
  bool weight = false;
  int along;
  cut->parts.size = 0;
  cut->has_first_weight = false;
  if (!can_cut(op, loop) || !nr_shard_can_send(nr_op_result(op)->type)) return false;
  nr_vec_push(&cut->parts, ((Part){.op = op, .loop = loop}));
  for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) {
    if (!dim_along(op, k, loop, &along) || along < 0) continue;
    weight |= is_weight(cut, nr_operand(op, k));
    follow(cut, nr_operand(op, k), (uint32_t)along);
  }
  return weight && cut->has_first_weight;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* The part of an output: a fresh one where its contents are known. */
static NrValue *cut_output(NrBuilder *b, NrValue *value, uint32_t dim, NrIndex offset, NrIndex length) {
  bool fills = nr_op_is(value->op, NR_OP_linalg_fill);
  NrValue *whole = fills ? nr_linalg_fill_output(value->op) : value;
  if (!nr_op_is(whole->op, NR_OP_tensor_empty)) return nr_shard_slice(b, value, dim, offset, length);
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t d = 0, k = 0; d < whole->type->rank; d++) {
    bool open = whole->type->dims[d] == NR_DYNAMIC;
    dims[d] = open ? nr_index_of(nr_operand(whole->op, k++)) : nr_index_const(whole->type->dims[d]);
  }
  dims[dim] = length;
  NrValue *empty = nr_build_empty(b, whole->type->elem, dims, whole->type->rank);
  return fills ? nr_build_fill(b, nr_linalg_fill_value(value->op), empty) : empty;
}

static NrValue *cut_operand(const Cut *cut, NrBuilder *b, const Part *part, size_t k, NrIndex offset, NrIndex length) {
  NrValue *value = nr_operand(part->op, k);
  const Part *from = value->op ? part_of(cut, value->op) : NULL;
  int dim;
  if (from && from->copy) return nr_op_result(from->copy);
  if (!dim_along(part->op, k, part->loop, &dim) || dim < 0) return value;
  if (k >= nr_linalg_num_inputs(part->op)) return cut_output(b, value, (uint32_t)dim, offset, length);
  return nr_shard_slice(b, value, (uint32_t)dim, offset, length);
}

/* Copies the op before itself, on the part of its points. */
static void copy_part(const Cut *cut, Part *part, NrIndex offset, NrIndex length) {
  NrOp *op = part->op;
  NrBuilder b = nr_builder_before(op);
  NrMap map = {0};
  NR_VEC(NrValue *) operands = {0};
  for (size_t k = 0; k < op->num_operands; k++)
    nr_vec_push(&operands, cut_operand(cut, &b, part, k, offset, length));
  NrOp *copy = nr_op_clone(b.module, op, &map);
  for (uint32_t k = 0; k < copy->num_operands; k++) nr_op_set_operand(copy, k, operands.data[k]);
  nr_builder_insert(&b, copy);
  nr_op_result(copy)->type = operands.data[nr_linalg_num_inputs(op)]->type;
  part->copy = copy;
  nr_vec_deinit(&operands);
  nr_map_deinit(&map);
}

/* A part that is not copied while those that compute its inputs are; NULL: all are copied. */
static Part *first_uncopied(Cut *cut) {
  for (size_t i = cut->parts.size; i-- > 0;) {
    Part *part = &cut->parts.data[i];
    bool ready = !part->copy;
    for (size_t k = 0; k < nr_linalg_num_inputs(part->op) && ready; k++) {
      NrOp *from = nr_operand(part->op, k)->op;
      const Part *input = from ? part_of(cut, from) : NULL;
      ready = !input || input->copy;
    }
    if (ready) return part;
  }
  return NULL;
}

static void apply(Cut *cut, NrShard *shard, NrBlock *entry) {
  Part root = cut->parts.data[0];
  NrIndex offset, length;
  NrBuilder start = nr_builder_before(entry->first);
  if (!shard->channel) *shard = nr_shard_begin(&start);
  start = nr_builder_after(shard->count->op);
  NrBuilder b = nr_builder_before(root.op);
  NrIndex size = nr_index_const(nr_linalg_static_range(root.op, root.loop));
  nr_shard_part(&start, shard, size, &offset, &length);
  for (Part *next; (next = first_uncopied(cut));) copy_part(cut, next, offset, length);
  NrValue *sum = nr_shard_all_reduce(&b, shard, nr_op_result(cut->parts.data[0].copy));
  nr_value_replace_uses(nr_op_result(root.op), sum);
  nr_erase_with_operands(root.op);
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Whether all ranks run the op in the same order: it is in a function, and in ops whose regions run in order only. */
static bool runs_in_order(NrOp *op) {
  for (NrOp *up = nr_op_parent(op); up; up = nr_op_parent(up)) {
    if (nr_op_has(up, NR_FUNCTION)) return true;
    bool ordered = nr_op_is(up, NR_OP_scf_for) || nr_op_is(up, NR_OP_scf_while) || nr_op_is(up, NR_OP_scf_if);
    if (!ordered) return false;
  }
  return false;
}

static bool may_end_cut(const NrOp *op) {
  return nr_linalg_is_structured(op) && nr_linalg_num_reductions(op) && op->num_results == 1;
}

static NrStatus shard_tensor_run(NrPassContext *pass, NrOp *func) {
  NrOpList found = {0};
  Cut cut = {.min_bytes = nr_pass_int(pass, "min-weight-bytes")};
  NrShard shard = {0};
  NrBlock *entry = nr_op_only_region(func)->first;
  nr_collect_pre(func, may_end_cut, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    if (nr_is_erased(op) || !adds_up(op) || !runs_in_order(op)) continue;
    for (uint32_t loop = 0; loop < nr_linalg_num_loops(op); loop++) {
      if (!nr_linalg_is_reduction(op, loop) || nr_linalg_static_range(op, loop) == NR_DYNAMIC) continue;
      if (!read_cut(&cut, op, loop)) continue;
      apply(&cut, &shard, entry);
      break;
    }
  }
  nr_vec_deinit(&cut.parts);
  nr_vec_deinit(&found);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("min-weight-bytes", DEFAULT_WEIGHT, 0, MAX_WEIGHT, "weights below this stay whole on each rank"),
    {0},
};
NR_PASS(shard_tensor, .name = "shard-tensor", .on_while = NR_WHILE_BARRIER, .on = "func.func", .run = shard_tensor_run,
        .options = options,
        .doc = "each rank computes with its part of pairs of large weights; sums are reduced over the ranks")
