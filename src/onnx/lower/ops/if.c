/* if.c - If 1..25: scf.if whose results take the join of the branches' types; results of another rank in each branch
 * are tensors without rank (versions.c).
 *
 * For a constant condition, only its branch is lowered. A branch that cannot be lowered (for example a Split that does
 * not fit) is legal if it is not taken: it becomes a failing check. */
#include "dialect/onnx/ops.h"
#include "onnx/lower/ops/sequence.h"

typedef struct Branch {
  NrBlock *block;
  NrLowered *values;
  NrBuilder end;
  bool broken;
} Branch;

/* Records the region that runs for every input; NULL: it depends on the input. */
static void record_branch(NrLower *l, NrRegion *region) {
  if (!l->state->inferred) return;
  if (region && l->versions == 1) nr_map_set(&l->state->inferred->branches, l->op, region);
  else nr_map_remove(&l->state->inferred->branches, l->op);
}

/* Branch 0 is the then-branch, as in scf.if. */
static NrRegion *branch_region(const NrLower *l, size_t branch) {
  return branch ? nr_onnx_if_else_branch_region(l->op) : nr_onnx_if_then_branch_region(l->op);
}

static NrStatus lower_inline(NrLower *l, NrRegion *region) {
  size_t n = nr_lower_num_out(l);
  NrLowered *yields = NR_NEW_ARRAY(&l->state->arena, NrLowered, n);
  NrStatus status = nr_lower_region(l, region, NULL, 0, yields, n);
  for (size_t i = 0; !status && i < n; i++) status = nr_lower_out(l, i, yields[i].value, yields[i].dtype);
  return status;
}

static void lower_branch(NrLower *l, Branch *b, NrRegion *region, size_t n, NrBuf *why) {
  b->block = nr_block_create(l->b.module);
  b->values = NR_NEW_ARRAY(&l->state->arena, NrLowered, n);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(l->b.module, b->block, l->b.loc);
  NrDiagCapture capture;
  nr_diag_capture_begin(&capture, l->ctx);
  b->broken = nr_lower_region(&inner, region, NULL, 0, b->values, n) != NR_OK;
  nr_diag_capture_end(&capture, why);
  b->end = inner.b;
}

/* Replaces a branch by a failing check and undefined values of the other branch's types. */
static void make_failing(NrLower *l, Branch *b, const Branch *other, size_t n, const char *why) {
  nr_block_erase(b->block);
  b->block = nr_block_create(l->b.module);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(l->b.module, b->block, l->b.loc);
  nr_lower_check(&inner, nr_lower_int(&inner, nr_type_i1(l->ctx), 0), why, NULL, 0);
  for (size_t i = 0; i < n; i++) {
    NrType t = nr_lower_versions(l, other->values[i].value).types[0];
    b->values[i] = other->values[i];
    if (t->kind != NR_TYPE_TENSOR) {
      b->values[i].value = nr_lower_nothing(&inner, t, other->values[i].dtype);
      continue;
    }
    NrShape shape = {.rank = t->rank};
    for (size_t d = 0; d < t->rank; d++)
      shape.dims[d] = t->dims[d] == NR_DYNAMIC ? (NrDim){NR_DYNAMIC, nr_lower_index(&inner, 0)} : nr_dim(t->dims[d]);
    b->values[i].value = nr_lower_empty(&inner, &shape, t->elem);
  }
  b->end = inner.b;
}

NrStatus nr_lower_if(NrLower *l) {
  NrValue *cond_tensor = nr_lower_in(l, 0);
  for (size_t i = 0; i < 2; i++) {
    NrBlock *body = branch_region(l, i)->first;
    uint32_t gives = nr_block_terminator(body)->num_operands;
    const char *name = i ? "else" : "then";
    if (body->num_args)
      return nr_lower_error(l, "the %s branch has inputs; it may only use values from outside", name);
    if (gives != nr_lower_num_out(l))
      return nr_lower_error(l, "the %s branch gives %u values; the node has %zu outputs", name, gives,
                            nr_lower_num_out(l));
  }
  if (!cond_tensor || nr_lower_dtype(l, 0) != NORIA_BOOL)
    return nr_lower_error(l, "the condition must be a boolean tensor");
  int64_t elements;
  if (nr_type_num_elements(cond_tensor->type, &elements) && elements != 1)
    return nr_lower_error(l, "the condition must have one element, not %lld", (long long)elements);
  for (size_t i = 0; i < nr_rank(cond_tensor); i++)
    nr_lower_check_dims_equal(l, nr_lower_dim(l, cond_tensor, i), nr_dim(1), "elements of the condition");
  NrValue *cond = nr_lower_scalar(l, cond_tensor);
  int64_t known;
  bool is_known = nr_value_constant_int(cond, &known);
  NrRegion *taken = is_known ? branch_region(l, known ? 0 : 1) : NULL;
  record_branch(l, taken);
  if (taken) return lower_inline(l, taken);

  size_t n = nr_lower_num_out(l);
  Branch branch[2];
  NrBuf why[2] = {{0}, {0}};
  for (size_t i = 0; i < 2; i++) lower_branch(l, &branch[i], branch_region(l, i), n, &why[i]);
  NrStatus status = NR_OK;
  if (branch[0].broken && branch[1].broken) status = nr_lower_error(l, "neither branch can run: %s", why[0].data);
  for (size_t i = 0; i < 2 && !status; i++)
    if (branch[i].broken)
      make_failing(l, &branch[i], &branch[1 - i], n,
                   nr_arena_printf(&l->state->arena, "the %s branch cannot run: %s", i ? "else" : "then", why[i].data));
  nr_buf_deinit(&why[0]);
  nr_buf_deinit(&why[1]);
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, n), *carried_types = NR_NEW_ARRAY(&l->state->arena, NrType, n);
  NrVersions *sets = NR_NEW_ARRAY(&l->state->arena, NrVersions, n);
  for (size_t i = 0; i < n && !status; i++) {
    const NrLowered *a = &branch[0].values[i], *b = &branch[1].values[i];
    NrVersions other = nr_lower_versions(l, b->value);
    sets[i] = nr_lower_versions(l, a->value);
    if (a->dtype != b->dtype || !nr_versions_add(&sets[i], &other)) {
      bool one_kind = nr_type_is_tensor(a->value->type) && nr_type_is_tensor(b->value->type);
      status = nr_lower_error(l, "output %zu %s", i,
                              a->dtype != b->dtype ? "has another element type in each branch"
                              : one_kind           ? "can have more than 8 ranks"
                                                   : "is of another kind in each branch");
      break;
    }
    types[i] = nr_versions_type(&sets[i]);
    carried_types[i] = nr_carried_type(types[i]);
  }
  if (status) {
    for (size_t i = 0; i < 2; i++) nr_block_erase(branch[i].block);
    return status;
  }
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_if],
                     .operands = &cond,
                     .num_operands = 1,
                     .result_types = carried_types,
                     .num_results = n,
                     .num_regions = 2};
  for (size_t i = 0; i < 2; i++) {
    NrLower inner = *l;
    inner.b = branch[i].end;
    NrValue **yields = NR_NEW_ARRAY(&l->state->arena, NrValue *, n);
    for (size_t k = 0; k < n; k++) yields[k] = nr_to_carried(&inner, branch[i].values[k].value, types[k]);
    nr_build_op(&inner.b, NR_OP_scf_yield, yields, n, NULL, 0);
  }
  NrOp *op = nr_build(&l->b, &state);
  for (size_t i = 0; i < 2; i++) nr_block_append(nr_op_region(op, i), branch[i].block);
  for (size_t i = 0; i < n && !status; i++) {
    NrValue *result = nr_lower_set_versions(l, nr_from_carried(l, nr_result(op, i), types[i]), &sets[i]);
    status = nr_lower_out(l, i, result, branch[0].values[i].dtype);
  }
  return status;
}
