/* canonicalize.c - rewrites of flow ops that change operands or build new ops. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"

/* ---- dispatch.region -------------------------------------------------------------------------------------------- */

/* Builds op again with the results that have keep set; the region's flow.return loses the same operands. */
static NrOp *keep_results(NrOp *op, NrBuilder *b, const bool *keep) {
  NrValue **operands = nr_calloc(op->num_operands + 1, sizeof *operands);
  NrType *types = nr_calloc(op->num_results + 1, sizeof *types);
  size_t num_types = 0, num_dims = 0, next = 0, begin, workload;
  for (uint32_t r = 0; r < op->num_results; r++) {
    size_t dims = nr_flow_num_dims(nr_result(op, r)->type);
    if (keep[r]) types[num_types++] = nr_result(op, r)->type;
    for (size_t i = 0; i < dims && keep[r]; i++) operands[num_dims++] = nr_operand(op, next + i);
    next += dims;
  }
  nr_op_operand_group(op, NR_FLOW_DISPATCH_REGION_WORKLOAD_GROUP, &begin, &workload);
  for (size_t i = 0; i < workload; i++) operands[num_dims + i] = nr_operand(op, begin + i);
  NrOpState state = {.info = op->info,
                     .loc = op->loc,
                     .operands = operands,
                     .num_operands = num_dims + workload,
                     .result_types = types,
                     .num_results = num_types,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs,
                     .num_regions = 2};
  NrOp *fresh = nr_build(b, &state);
  nr_op_set_segments(fresh, (uint32_t[]){(uint32_t)num_dims, (uint32_t)workload}, 2);
  for (size_t i = 0; i < 2; i++) nr_region_take(nr_op_region(fresh, i), nr_op_region(op, i));
  nr_free(operands);
  nr_free(types);
  return fresh;
}

/* Results that nothing uses, and results that are the same value. */
bool nr_flow_region_canonicalize(NrOp *op, NrBuilder *b) {
  NrRegion *body = nr_flow_dispatch_region_region(op);
  NrOp *yield = body->first == body->last ? nr_block_terminator(body->first) : NULL;
  if (!nr_op_is(yield, NR_OP_flow_return)) return false;
  bool *keep = nr_calloc(op->num_results + 1, sizeof *keep), drop = false;
  for (uint32_t r = 0; r < op->num_results; r++) {
    for (uint32_t k = 0; k < r; k++)
      if (keep[k] && nr_operand(yield, k) == nr_operand(yield, r))
        nr_value_replace_uses(nr_result(op, r), nr_result(op, k));
    keep[r] = nr_value_has_uses(nr_result(op, r));
    drop |= !keep[r];
  }
  if (drop) {
    NrOp *fresh = keep_results(op, b, keep);
    for (uint32_t r = 0, next = 0; r < op->num_results; r++)
      if (keep[r]) nr_value_replace_uses(nr_result(op, r), nr_result(fresh, next++));
    for (uint32_t r = op->num_results; r-- > 0;)
      if (!keep[r]) nr_op_erase_operand(yield, r);
    nr_op_erase(op);
  }
  nr_free(keep);
  return drop;
}

/* ---- dispatch.workgroups ---------------------------------------------------------------------------------------- */

/* Takes argument i with its dims out; its block argument is gone already. */
static void erase_argument(NrOp *op, size_t i) {
  NrAttr segments = nr_op_attr(op, NR_A_operandSegmentSizes);
  uint32_t sizes[4];
  size_t begin, count, dims_begin, dims_count, skip = 0;
  memcpy(sizes, segments->data, sizeof sizes);
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  nr_op_operand_group(op, NR_FLOW_ARGUMENT_DIMS, &dims_begin, &dims_count);
  for (size_t k = 0; k < i; k++) skip += nr_flow_num_dims(nr_operand(op, begin + k)->type);
  size_t dims = nr_flow_num_dims(nr_operand(op, begin + i)->type);
  for (size_t k = dims; k-- > 0;) nr_op_erase_operand(op, dims_begin + skip + k);
  nr_op_erase_operand(op, begin + i);
  sizes[NR_FLOW_ARGUMENTS]--;
  sizes[NR_FLOW_ARGUMENT_DIMS] -= (uint32_t)dims;
  nr_op_set_segments(op, sizes, 4);
  if (!nr_op_attr(op, NR_A_tied_operands)) return;
  int64_t *tied = nr_calloc(op->num_results + 1, sizeof *tied);
  for (uint32_t r = 0; r < op->num_results; r++) {
    tied[r] = nr_flow_tied_operand(op, r);
    if (tied[r] > (int64_t)i) tied[r]--;
  }
  NrAttr attr = nr_flow_tied_attr(nr_op_context(op), tied, op->num_results);
  if (attr) nr_op_set_attr(op, NR_A_tied_operands, attr);
  nr_free(tied);
}

static bool is_tied(NrOp *op, size_t argument) {
  for (uint32_t r = 0; r < op->num_results; r++)
    if (nr_flow_tied_operand(op, r) == (int64_t)argument) return true;
  return false;
}

/* Arguments that come twice or that the body does not use. */
static bool drop_arguments(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  size_t begin, count;
  bool changed = false;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  for (size_t i = count; i-- > 0;) {
    NrValue *arg = nr_block_arg(body, i);
    if (is_tied(op, i)) continue;
    for (size_t k = 0; k < i && nr_value_has_uses(arg); k++)
      if (nr_operand(op, begin + k) == nr_operand(op, begin + i) && !is_tied(op, k) &&
          nr_block_arg(body, k)->type == arg->type)
        nr_value_replace_uses(arg, nr_block_arg(body, k));
    if (nr_value_has_uses(arg)) continue;
    nr_block_erase_arg(body, i);
    erase_argument(op, i);
    nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
    changed = true;
  }
  return changed;
}

/* Workload values that come twice; the count region's arguments are merged. */
static bool drop_workload(NrOp *op) {
  NrBlock *block = nr_flow_dispatch_workgroups_workgroup_count_body(op);
  size_t begin, count;
  bool changed = false;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &count);
  /* Ordinals in the body count on the workload as it is. */
  for (NrOp *o = nr_flow_dispatch_workgroups_workgroup_body(op)->first; o; o = o->next)
    if (nr_op_is(o, NR_OP_flow_dispatch_workload_ordinal)) return false;
  for (size_t i = count; block && i-- > 1;) {
    for (size_t k = 0; k < i; k++) {
      if (nr_operand(op, begin + k) != nr_operand(op, begin + i)) continue;
      uint32_t sizes[4];
      memcpy(sizes, nr_op_attr(op, NR_A_operandSegmentSizes)->data, sizeof sizes);
      nr_value_replace_uses(nr_block_arg(block, i), nr_block_arg(block, k));
      nr_block_erase_arg(block, i);
      nr_op_erase_operand(op, begin + i);
      sizes[NR_FLOW_WORKLOAD]--;
      nr_op_set_segments(op, sizes, 4);
      changed = true;
      break;
    }
  }
  return changed;
}

/* A readwrite argument that is only loaded, or only stored, becomes readonly or writeonly. Tied results keep their
 * argument's access. */
static bool refine_access(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  bool changed = false;
  for (uint32_t i = 0; i < body->num_args; i++) {
    NrValue *arg = nr_block_arg(body, i);
    bool loads = false, stores = false, other = false;
    if (arg->type->kind != NR_TYPE_DISPATCH_TENSOR || arg->type->access != NR_READWRITE) continue;
    for (NrUse *u = arg->first_use; u; u = u->next) {
      if (nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_load)) loads = true;
      else if (nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_store)) stores = true;
      else other |= !nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_dim);
    }
    if (other || loads == stores) continue;
    arg->type = nr_type_dispatch_tensor(loads ? NR_READONLY : NR_WRITEONLY, arg->type->elem);
    changed = true;
  }
  return changed;
}

bool nr_flow_workgroups_canonicalize(NrOp *op, NrBuilder *b) {
  bool changed = drop_arguments(op);
  changed |= drop_workload(op);
  changed |= refine_access(op);
  /* A result without elements needs no dispatch. */
  for (uint32_t r = 0; r < op->num_results; r++) {
    int64_t count;
    NrType type = nr_result(op, r)->type;
    if (!nr_value_has_uses(nr_result(op, r)) || !nr_type_num_elements(type, &count) || count) continue;
    nr_value_replace_uses(nr_result(op, r), nr_build_value(b, NR_OP_tensor_empty, type, NULL, 0));
    changed = true;
  }
  return changed;
}

bool nr_flow_dispatch_canonicalize(NrOp *op, NrBuilder *b) {
  NrAttr points = nr_op_attr(op, NR_A_entry_points);
  NrAttr *unique = nr_calloc(points->size + 1, sizeof *unique);
  size_t count = 0;
  for (size_t i = 0; i < points->size; i++) {
    size_t k = 0;
    while (k < count && unique[k] != points->items[i]) k++;
    if (k == count) unique[count++] = points->items[i];
  }
  bool changed = count != points->size;
  if (changed) nr_op_set_attr(op, NR_A_entry_points, nr_attr_array(b->ctx, unique, count));
  nr_free(unique);
  return changed;
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

bool nr_flow_alloca_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_value_has_uses(nr_op_result(op))) return false;
  nr_op_erase(op);
  return true;
}

static bool has_zero_dim(NrType type) {
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == 0) return true;
  return false;
}

/* flow.tensor.empty of op's result type; dims are those of group `dims`. */
static bool replace_by_empty(NrOp *op, NrBuilder *b, size_t dims) {
  size_t begin, count;
  NrValue *operands[NR_MAX_RANK];
  nr_op_operand_group(op, dims, &begin, &count);
  for (size_t i = 0; i < count; i++) operands[i] = nr_operand(op, begin + i);
  return nr_op_replace(op, nr_build_value(b, NR_OP_flow_tensor_empty, nr_op_result(op)->type, operands, count));
}

/* splat, tie_shape: without elements. */
bool nr_flow_zero_size_canonicalize(NrOp *op, NrBuilder *b) {
  return has_zero_dim(nr_op_result(op)->type) && replace_by_empty(op, b, 1);
}

/* clone: of an empty, or without elements. */
bool nr_flow_empty_source_canonicalize(NrOp *op, NrBuilder *b) {
  bool empty =
      nr_op_is(nr_flow_tensor_clone_operand(op)->op, NR_OP_flow_tensor_empty) || has_zero_dim(nr_op_result(op)->type);
  return empty && replace_by_empty(op, b, 1);
}

static bool is_reshape(const NrOp *op) {
  return nr_op_is(op, NR_OP_flow_tensor_reshape) || nr_op_is(op, NR_OP_flow_tensor_bitcast);
}

/* reshape and bitcast: of an empty, without elements, of a splat (reshape only), or of another of them. */
bool nr_flow_reshape_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  NrType type = nr_op_result(op)->type;
  NrOp *def = source->op;
  if (nr_op_is(def, NR_OP_flow_tensor_empty) || has_zero_dim(type) || has_zero_dim(source->type))
    return replace_by_empty(op, b, 2);
  NrValue *operands[1 + 2 * NR_MAX_RANK];
  size_t count = 1, begin, dims, root_dims;
  if (nr_op_is(def, NR_OP_flow_tensor_splat) && source->type->elem == type->elem) {
    operands[0] = nr_flow_tensor_splat_value(def);
    nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, &begin, &dims);
    for (size_t i = 0; i < dims; i++) operands[count++] = nr_operand(op, begin + i);
    return nr_op_replace(op, nr_build_value(b, NR_OP_flow_tensor_splat, type, operands, count));
  }
  if (!is_reshape(def)) return false;
  NrValue *root = nr_op_source(def);
  operands[0] = root;
  nr_op_operand_group(def, NR_FLOW_TENSOR_RESHAPE_SOURCE_DIMS_GROUP, &begin, &root_dims);
  for (size_t i = 0; i < root_dims; i++) operands[count++] = nr_operand(def, begin + i);
  nr_op_operand_group(op, NR_FLOW_TENSOR_RESHAPE_RESULT_DIMS_GROUP, &begin, &dims);
  for (size_t i = 0; i < dims; i++) operands[count++] = nr_operand(op, begin + i);
  unsigned id = root->type->elem == type->elem ? NR_OP_flow_tensor_reshape : NR_OP_flow_tensor_bitcast;
  NrValue *value = nr_build_value(b, id, type, operands, count);
  nr_op_set_segments(value->op, (uint32_t[]){1, (uint32_t)root_dims, (uint32_t)dims}, 3);
  return nr_op_replace(op, value);
}

bool nr_flow_dynamic_constant_canonicalize(NrOp *op, NrBuilder *b) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  if (value->type != nr_op_result(op)->type) return false;
  NrNamedAttr attr = {nr_context_intern(b->ctx, NR_STR("value")), value};
  NrOpState state = {.info = nr_op_infos[NR_OP_flow_tensor_constant],
                     .result_types = &value->type,
                     .num_results = 1,
                     .attrs = &attr,
                     .num_attrs = 1};
  return nr_op_replace(op, nr_op_result(nr_build(b, &state)));
}

/* slice: of an empty, without elements, or of a slice that nothing else uses, whose starts are added. */
bool nr_flow_tensor_slice_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_flow_tensor_slice_source(op);
  NrOp *def = source->op;
  size_t begin, count, inner;
  if (nr_op_is(def, NR_OP_flow_tensor_empty) || has_zero_dim(nr_op_result(op)->type) || has_zero_dim(source->type))
    return replace_by_empty(op, b, 4);
  if (!nr_op_is(def, NR_OP_flow_tensor_slice) || !nr_value_has_one_use(source)) return false;
  NrValue *operands[1 + 4 * NR_MAX_RANK] = {nr_flow_tensor_slice_source(def)};
  uint32_t segments[5] = {1};
  size_t total = 1, rank = source->type->rank;
  nr_op_operand_group(def, NR_FLOW_TENSOR_SLICE_SOURCE_DIMS_GROUP, &begin, &count);
  for (size_t i = 0; i < count; i++) operands[total++] = nr_operand(def, begin + i);
  segments[1] = (uint32_t)count;
  nr_op_operand_group(op, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, &begin, &count);
  nr_op_operand_group(def, NR_FLOW_TENSOR_SLICE_START_INDICES_GROUP, &inner, &count);
  NrType index = nr_type_index(b->ctx);
  for (size_t i = 0; i < rank; i++) {
    NrValue *both[] = {nr_operand(def, inner + i), nr_operand(op, begin + i)};
    operands[total++] = nr_build_value(b, NR_OP_arith_addi, index, both, 2);
  }
  segments[2] = (uint32_t)rank;
  for (size_t group = 3; group < 5; group++) {
    nr_op_operand_group(op, group, &begin, &count);
    for (size_t i = 0; i < count; i++) operands[total++] = nr_operand(op, begin + i);
    segments[group] = (uint32_t)count;
  }
  NrValue *value = nr_build_value(b, NR_OP_flow_tensor_slice, nr_op_result(op)->type, operands, total);
  nr_op_set_segments(value->op, segments, 5);
  return nr_op_replace(op, value);
}

/* update: into nothing, or with nothing. */
bool nr_flow_update_canonicalize(NrOp *op, NrBuilder *b) {
  size_t at, one;
  nr_op_operand_group(op, NR_FLOW_TENSOR_UPDATE_UPDATE_GROUP, &at, &one);
  if (has_zero_dim(nr_op_result(op)->type)) return replace_by_empty(op, b, 1);
  bool nothing = nr_op_is(nr_operand(op, at)->op, NR_OP_flow_tensor_empty) || has_zero_dim(nr_operand(op, at)->type);
  return nothing && nr_op_replace(op, nr_flow_tensor_update_target(op));
}

bool nr_flow_channel_split_canonicalize(NrOp *op, NrBuilder *b) {
  if (nr_value_has_uses(nr_op_result(op))) return false;
  nr_op_erase(op);
  return true;
}

/* A transfer on the way to somewhere else. */
bool nr_flow_transfer_canonicalize(NrOp *op, NrBuilder *b) {
  NrOp *def = nr_flow_tensor_transfer_operand(op)->op;
  if (!nr_op_is(def, NR_OP_flow_tensor_transfer)) return false;
  nr_op_set_operand(op, NR_FLOW_TENSOR_TRANSFER_OPERAND, nr_flow_tensor_transfer_operand(def));
  return true;
}
