/* versions.c - values whose rank is only known in the run: what uses one is lowered once for each rank.
 *
 * Such a value is a tensor<*xT>, with the ranked types that it can have (NrVersions). Control flow gives and carries
 * these values as they are. In front of the first other op that uses one, the rest of the block is split:
 *
 *   before  %z = onnx.MatMul(%y, %w)              %y: tensor<*xf32>, either tensor<4xf32> or tensor<?x4xf32>
 *           onnx.Yield(%z)
 *   after   %r = tensor.rank %y
 *           %z = scf.if (%r == 1) -> tensor<*xf32> {
 *             %1 = tensor.cast %y to tensor<4xf32>  ..  scf.yield
 *           } else {
 *             %1 = tensor.cast %y to tensor<?x4xf32>  ..  scf.yield
 *           }
 *           return %z
 *
 * Results of one rank in all versions are ranked again. A version that cannot be lowered is a check that fails a run
 * which needs it; the last one left stands in the block itself. Splits inside of splits multiply: when there would be
 * more than NR_MAX_VERSIONS, only one version is made, under a check: that of the same rank as the split around it,
 * else the first one that can be lowered. A dim on which the rank of a result depends, as the length of a list that is
 * a shape, is split on in the same way. */
#include "onnx/lower/ops/control.h"
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/ops.h"
#include "dialect/scf/ops.h"
#include "dialect/tensor/ops.h"
#include "onnx/lower/core/nodes.h"

enum { MAX_FAILURES = 64 }; /* versions of a function that could not be lowered; then one is made of each split */

/* ---- sets of types ---- */

NrVersions nr_lower_versions(NrLower *l, NrValue *value) {
  NrVersions *several = nr_map_get(&l->state->versions, value);
  return several ? *several : (NrVersions){1, {value->type}};
}

bool nr_versions_add(NrVersions *into, const NrVersions *from) {
  for (size_t i = 0; i < from->count; i++) {
    NrType t = from->types[i], joined = NULL;
    for (size_t k = 0; k < into->count && !joined; k++)
      if ((joined = nr_join_types(into->types[k], t))) into->types[k] = joined;
    if (joined) continue;
    bool tensors = into->count && t->kind == NR_TYPE_TENSOR && into->types[0]->kind == NR_TYPE_TENSOR;
    if (into->count && !(tensors && into->types[0]->elem == t->elem && into->count < NR_MAX_VERSIONS)) return false;
    into->types[into->count++] = t;
  }
  return true;
}

NrType nr_versions_type(const NrVersions *v) {
  return v->count == 1 ? v->types[0] : nr_type_tensor_unranked(v->types[0]->elem);
}

NrValue *nr_lower_set_versions(NrLower *l, NrValue *value, const NrVersions *v) {
  if (!nr_type_is_ranked(value->type) && nr_type_is_tensor(value->type))
    nr_map_set(&l->state->versions, value, nr_arena_copy(&l->state->arena, v, sizeof *v));
  return value;
}

NrVersions nr_versions_of_ranks(NrType elem, uint32_t first) {
  NrVersions v = {0};
  while (v.count < NR_MAX_VERSIONS) {
    v.types[v.count] = nr_open_tensor_type(first + (uint32_t)v.count, elem);
    v.count++;
  }
  return v;
}

/* ---- what a version is chosen by ---- */

static bool is_unranked(const NrValue *v) { return v->type->kind == NR_TYPE_UNRANKED_TENSOR; }

/* The rank of an unranked tensor, else the length of a dim. */
static NrValue *selector_of(NrLower *l, NrValue *value, size_t dim) {
  if (!is_unranked(value)) return nr_dim_value(l, nr_lower_dim(l, value, dim));
  return nr_build_value(&l->b, NR_OP_tensor_rank, nr_type_index(l->ctx), &value, 1);
}

static int64_t selected_by(const NrValue *value, size_t dim, NrType version) {
  return is_unranked(value) ? version->rank : version->dims[dim];
}

static NrValue *is_version(NrLower *l, NrValue *value, size_t dim, NrValue *selector, NrType version) {
  return nr_lower_cmpi(l, NR_CMPI_EQ, selector, nr_lower_index(l, selected_by(value, dim, version)));
}

static void check_versions(NrLower *l, NrValue *value, size_t dim, const NrVersions *v, const char *what) {
  NrValue *selector = selector_of(l, value, dim), *any = NULL;
  for (size_t i = 0; i < v->count; i++) {
    NrValue *is = is_version(l, value, dim, selector, v->types[i]);
    any = any ? nr_lower_op2(l, NR_OP_arith_ori, is->type, any, is) : is;
  }
  nr_lower_check(l, any, what, &selector, 1);
}

void nr_lower_check_versions(NrLower *l, NrValue *value, const NrVersions *v, const char *what) {
  check_versions(l, value, 0, v, what);
}

NrValue *nr_lower_ranked(NrLower *l, NrValue *value, NrType like, const char *what) {
  if (!is_unranked(value)) return value;
  NrVersions all = nr_lower_versions(l, value), one = {1, {all.types[0]}};
  for (size_t i = 0; i < all.count; i++)
    if (like && nr_type_is_tensor(like) && nr_type_is_ranked(like) && all.types[i]->rank == like->rank)
      one.types[0] = all.types[i];
  nr_lower_check_versions(l, value, &one,
                          nr_arena_printf(&l->state->arena, "%s has rank %%0, where rank %u is needed", what,
                                          one.types[0]->rank));
  return nr_lower_tensor_cast(l, value, one.types[0]);
}

/* ---- where a split begins ---- */

static NrValue *lowered_operand(NrLower *l, const NrOp *op, uint32_t i) {
  NrLowered *v = nr_map_get(&l->state->values, nr_operand(op, i));
  return v ? v->value : NULL;
}

/* A Loop carries the operands behind its trip count and condition. A Scan takes the ranks that its body declares. */
static bool takes_unranked(const NrOp *op, uint32_t i) {
  if (nr_op_is(op, NR_OP_onnx_Loop)) return i >= 2;
  if (!nr_op_is(op, NR_OP_onnx_Scan)) return false;
  NrBlock *body = nr_onnx_scan_body(op);
  bool has_lengths = nr_onnx_version(op) < 9;
  if (i < has_lengths || i - has_lengths >= body->num_args) return false;
  return body->args[i - has_lengths]->type->kind == NR_TYPE_TENSOR;
}

NrValue *nr_lower_open_operand(NrLower *l, NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *v = lowered_operand(l, op, i);
    if (v && is_unranked(v) && !takes_unranked(op, i)) return nr_operand(op, i);
  }
  return NULL;
}

bool nr_lower_want_dim(NrLower *l, NrValue *operand, size_t dim, int64_t least, int64_t most) {
  if (nr_dim_known(nr_lower_dim(l, operand, dim)) || l->state->wanted.onnx || least > most) return false;
  for (uint32_t i = 0; i < l->op->num_operands; i++)
    if (lowered_operand(l, l->op, i) == operand)
      l->state->wanted = (NrWanted){nr_operand(l->op, i), dim, least, most};
  return l->state->wanted.onnx != NULL;
}

/* Where the length is the rank of the result, and that is declared, there is only this one. */
bool nr_lower_want_length(NrLower *l, NrValue *list) {
  if (nr_rank(list) != 1) return false;
  bool is_rank = nr_op_is(l->op, NR_OP_onnx_Reshape) || nr_op_is(l->op, NR_OP_onnx_ConstantOfShape);
  NrType declared = is_rank && l->op->num_results == 1 ? nr_op_result(l->op)->type : NULL;
  bool known = declared && nr_type_is_tensor(declared) && nr_type_is_ranked(declared);
  return nr_lower_want_dim(l, list, 0, known ? declared->rank : 0, known ? declared->rank : NR_MAX_VERSIONS - 1);
}

/* The types that a tensor has for the lengths of one of its dims; not more than there is room for. */
static NrVersions types_by_dim(NrType type, const NrWanted *w) {
  NrVersions v = {0};
  int64_t dims[NORIA_MAX_RANK];
  for (uint32_t i = 0; i < type->rank; i++) dims[i] = type->dims[i];
  for (int64_t n = w->least; n <= w->most && v.count < NR_MAX_VERSIONS; n++) {
    dims[w->dim] = n;
    v.types[v.count++] = nr_type_tensor(dims, type->rank, type->elem);
  }
  return v;
}

/* ---- which version is made where there is only one ---- */

/* How many dims of an operand an op does not use as such: the one that a Scan goes along. */
static uint32_t dims_taken(const NrOp *op, const NrValue *onnx) {
  if (!nr_op_is(op, NR_OP_onnx_Scan)) return 0;
  uint64_t num_inputs = (uint64_t)nr_node_attr_int(op, "num_scan_inputs", 0);
  for (uint32_t i = op->num_operands; i-- > 0 && op->num_operands - i <= num_inputs;)
    if (nr_operand(op, i) == onnx) return 1;
  return 0;
}

/* Puts the version first whose rank is that of the split around it: tensors that an op takes together mostly have one
 * rank. */
static void prefer_equal_rank(const NrLower *l, const NrOp *op, const NrValue *onnx, NrVersions *v) {
  for (size_t i = 0; i < v->count && l->split_rank; i++) {
    if ((int64_t)v->types[i]->rank - dims_taken(op, onnx) != *l->split_rank) continue;
    NrType first = v->types[i];
    memmove(v->types + 1, v->types, i * sizeof *v->types);
    v->types[0] = first;
    return;
  }
}

/* ---- the split ---- */

typedef struct Version {
  NrType type;
  NrBlock *block;
  NrBuilder end;
  NrLowered *yields;
} Version;

typedef struct Split {
  NrOp *op;      /* the first op of the rest of the block */
  NrWanted wanted;
  NrValue *onnx; /* the value, as the model has it, and lowered */
  NrLowered value;
  NrValue *selector;
  NrLowered *yields; /* of the block */
  size_t num_yields;
  NrVersions types;
  size_t num_made;
  Version made[NR_MAX_VERSIONS];
} Split;

static NrStatus lower_version(NrLower *l, Split *s, NrType type, size_t versions, NrBuf *why) {
  Version *v = &s->made[s->num_made];
  *v = (Version){type, .block = nr_block_create(l->b.module),
                 .yields = NR_NEW_ARRAY(&l->state->arena, NrLowered, s->num_yields)};
  NrLower inner = *l;
  inner.versions = versions;
  int64_t rank = (int64_t)type->rank - dims_taken(s->op, s->onnx);
  if (is_unranked(s->value.value)) inner.split_rank = &rank;
  inner.b = nr_builder_at_end(l->b.module, v->block, l->b.loc);
  NrLowered value = {nr_lower_tensor_cast(&inner, s->value.value, type), s->value.dtype};
  for (size_t i = 0; i < type->rank && !is_unranked(s->value.value); i++)
    if (i != s->wanted.dim) nr_lower_set_dim(&inner, value.value, i, nr_lower_dim(l, s->value.value, i));
  nr_map_set(&l->state->values, s->onnx, &value);
  NrInferred *inferred = l->state->inferred;
  size_t recorded = inferred ? inferred->former.size : 0;
  NrDiagCapture capture;
  nr_diag_capture_begin(&capture, l->ctx);
  NrStatus status = nr_lower_ops(&inner, s->op, v->yields, s->num_yields);
  nr_diag_capture_end(&capture, why);
  v->end = inner.b;
  if (status) nr_block_erase(v->block);
  else s->num_made++;
  if (status && inferred) nr_inferred_restore_types(inferred, recorded);
  return status;
}

static long long selection(const Split *s, NrType type) {
  return (long long)selected_by(s->value.value, s->wanted.dim, type);
}

/* What a version is chosen by, in words. */
static const char *kind_of(NrLower *l, const Split *s) {
  if (is_unranked(s->value.value)) return "rank";
  if (s->value.value->type->rank == 1) return "length";
  return nr_arena_printf(&l->state->arena, "in dim %zu the size", s->wanted.dim);
}

static const char *describe(NrLower *l, const Split *s, NrType type) {
  return nr_arena_printf(&l->state->arena, "'%.*s' has %s %lld", NR_STR_ARG(nr_str(s->onnx->name)), kind_of(l, s),
                         selection(s, type));
}

/* "a value has rank" */
static const char *describe_kind(NrLower *l, const Split *s) {
  bool is_list = !is_unranked(s->value.value) && s->value.value->type->rank == 1;
  return nr_arena_printf(&l->state->arena, "a %s has %s", is_list ? "shape" : "value", kind_of(l, s));
}

/* Lowers the versions that can be lowered, and makes checks that the others are not needed. */
static NrStatus make_versions(NrLower *l, Split *s) {
  bool all = l->versions * s->types.count <= NR_MAX_VERSIONS && l->state->failures < MAX_FAILURES;
  const char *first_error = NULL;
  if (!all && is_unranked(s->value.value)) prefer_equal_rank(l, s->op, s->onnx, &s->types);
  for (size_t i = 0; i < s->types.count && (all || !s->num_made); i++) {
    NrBuf why = {0};
    NrType type = s->types.types[i];
    if (lower_version(l, s, type, all ? l->versions * s->types.count : l->versions, &why)) {
      NrValue *is = is_version(l, s->value.value, s->wanted.dim, s->selector, type);
      const char *text = nr_arena_printf(&l->state->arena, "%s, for which the rest cannot be compiled: %s",
                                         describe(l, s, type), why.size ? why.data : "");
      NrValue *is_not = nr_lower_op2(l, NR_OP_arith_xori, is->type, is, nr_lower_int(l, is->type, 1));
      if (all) nr_lower_check(l, is_not, text, NULL, 0);
      if (!first_error) first_error = nr_arena_printf(&l->state->arena, "%s", why.size ? why.data : text);
      l->state->failures++;
    }
    nr_buf_deinit(&why);
  }
  nr_map_set(&l->state->values, s->onnx, nr_arena_copy(&l->state->arena, &s->value, sizeof s->value));
  if (!s->num_made) return nr_error(l->ctx, NULL, "%s", first_error ? first_error : "no version can be lowered");
  if (!all || s->num_made == 1) {
    NrVersions one = {1, {s->made[0].type}};
    check_versions(l, s->value.value, s->wanted.dim, &one,
                   nr_arena_printf(&l->state->arena,
                                   "%s %%0, and it was compiled only for %lld: fix the shapes of the inputs",
                                   describe_kind(l, s), selection(s, s->made[0].type)));
  }
  return NR_OK;
}

/* The types of the results of all versions. */
static NrStatus join_yields(NrLower *l, const Split *s, NrVersions *out) {
  for (size_t i = 0; i < s->num_yields; i++) {
    out[i] = (NrVersions){0};
    for (size_t k = 0; k < s->num_made; k++) {
      const NrLowered *y = &s->made[k].yields[i];
      NrVersions types = nr_lower_versions(l, y->value);
      if (y->dtype != s->made[0].yields[i].dtype || !nr_versions_add(&out[i], &types))
        return nr_lower_error(l, "result %zu of what follows has types that do not join, by the rank of '%.*s'", i,
                              NR_STR_ARG(nr_str(s->onnx->name)));
    }
  }
  return NR_OK;
}

/* In the last version of a chain: that none of the others was needed does not mean that this one is right. */
static void check_last(NrLower *l, const Split *s) {
  const Version *last = &s->made[s->num_made - 1];
  NrLower at = *l;
  NrVersions one = {1, {last->type}};
  at.b = nr_builder_at_start(l->b.module, last->block, l->b.loc);
  check_versions(&at, s->value.value, s->wanted.dim, &one,
                 nr_arena_printf(&l->state->arena, "%s %%0; the most that it is compiled for is %lld",
                                 describe_kind(l, s), selection(s, last->type)));
}

/* scf.if (version 0) {..} else { scf.if (version 1) {..} else {..} }. */
static NrOp *build_chain(NrLower *l, Split *s, NrType *types) {
  NrBlock *rest = s->made[s->num_made - 1].block;
  NrOp *op = NULL;
  for (size_t k = s->num_made - 1; k-- > 0;) {
    NrLower at = *l;
    NrBlock *block = k ? nr_block_create(l->b.module) : NULL;
    if (block) at.b = nr_builder_at_end(l->b.module, block, l->b.loc);
    NrValue *is = is_version(&at, s->value.value, s->wanted.dim, s->selector, s->made[k].type);
    op = nr_build(&at.b, &(NrOpState){.info = nr_op_infos[NR_OP_scf_if],
                                      .operands = &is,
                                      .num_operands = 1,
                                      .result_types = types,
                                      .num_results = s->num_yields,
                                      .num_regions = 2});
    nr_block_append(nr_scf_if_then_region(op), s->made[k].block);
    nr_block_append(nr_scf_if_else_region(op), rest);
    if (!block) break;
    NrValue **results = NR_NEW_ARRAY(&l->state->arena, NrValue *, s->num_yields);
    for (size_t i = 0; i < s->num_yields; i++) results[i] = nr_result(op, i);
    nr_build_op(&at.b, NR_OP_scf_yield, results, s->num_yields, NULL, 0);
    rest = block;
  }
  return op;
}

static NrStatus join_versions(NrLower *l, Split *s) {
  NrVersions *sets = NR_NEW_ARRAY(&l->state->arena, NrVersions, s->num_yields);
  NrType *carried = NR_NEW_ARRAY(&l->state->arena, NrType, s->num_yields);
  NrStatus status = join_yields(l, s, sets);
  for (size_t k = 0; k < s->num_made && status; k++) nr_block_erase(s->made[k].block);
  if (status) return status;
  for (size_t i = 0; i < s->num_yields; i++) carried[i] = nr_carried_type(nr_versions_type(&sets[i]));
  for (size_t k = 0; k < s->num_made; k++) {
    NrLower inner = *l;
    inner.b = s->made[k].end;
    NrValue **yields = NR_NEW_ARRAY(&l->state->arena, NrValue *, s->num_yields);
    for (size_t i = 0; i < s->num_yields; i++)
      yields[i] = nr_to_carried(&inner, s->made[k].yields[i].value, nr_versions_type(&sets[i]));
    nr_build_op(&inner.b, NR_OP_scf_yield, yields, s->num_yields, NULL, 0);
  }
  check_last(l, s);
  NrOp *op = build_chain(l, s, carried);
  for (size_t i = 0; i < s->num_yields; i++) {
    NrValue *result = nr_from_carried(l, nr_result(op, i), nr_versions_type(&sets[i]));
    s->yields[i] = (NrLowered){nr_lower_set_versions(l, result, &sets[i]), s->made[0].yields[i].dtype};
  }
  return NR_OK;
}

NrStatus nr_lower_split_versions(NrLower *l, NrOp *op, NrWanted wanted, NrLowered *yields, size_t num_yields) {
  NrLowered *value = nr_map_get(&l->state->values, wanted.onnx);
  Split s = {.op = op, .wanted = wanted, .onnx = wanted.onnx, .value = *value,
             .yields = yields, .num_yields = num_yields};
  NrLower at = *l;
  at.op = op; /* for messages */
  s.types =
      is_unranked(value->value) ? nr_lower_versions(l, value->value) : types_by_dim(value->value->type, &wanted);
  s.selector = selector_of(&at, value->value, wanted.dim);
  NrStatus status = make_versions(&at, &s);
  if (!status && s.num_made == 1) {
    nr_block_splice(s.made[0].block, at.b.block, at.b.before);
    nr_block_erase(s.made[0].block);
    for (size_t i = 0; i < num_yields; i++) yields[i] = s.made[0].yields[i];
  } else if (!status) status = join_versions(&at, &s);
  l->b = at.b;
  return status;
}
