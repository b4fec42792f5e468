/* canonicalize_dispatch.c - rewrites of dispatch regions, of dispatches and of the ops in their bodies. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"

/* ---- dispatch.region --------------------------------------------------------------------------------------------- */

/* Rebuilds op with the results r with keep[r]. The caller drops the operands of the region's flow.return. */
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

/* Drops unused results and results that yield the same value as another. */
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

/* ---- dispatch.workgroups and dispatch ---------------------------------------------------------------------------- */

/* Erases argument i and its dims. The caller has erased the block argument. */
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
    tied[r] = nr_tied_operand(op, r);
    if (tied[r] > (int64_t)i) tied[r]--;
  }
  NrAttr attr = nr_tied_attr(nr_op_context(op), tied, op->num_results);
  if (attr) nr_op_set_attr(op, NR_A_tied_operands, attr);
  nr_free(tied);
}

static bool is_tied(NrOp *op, size_t argument) {
  for (uint32_t r = 0; r < op->num_results; r++)
    if (nr_tied_operand(op, r) == (int64_t)argument) return true;
  return false;
}

/* Drops arguments that the body does not use, and duplicates. */
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

/* Whether the binding is written, perhaps through tie_shape, and not used otherwise. */
static bool is_only_stored(const NrValue *binding) {
  for (const NrUse *u = binding->first_use; u; u = u->next) {
    bool tie = nr_op_is(u->owner, NR_OP_flow_dispatch_tie_shape);
    if (tie ? !is_only_stored(nr_op_result(u->owner)) : !nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_store))
      return false;
  }
  return true;
}

static void erase_stores(NrValue *binding) {
  while (binding->first_use) {
    NrOp *user = binding->first_use->owner;
    if (nr_op_is(user, NR_OP_flow_dispatch_tie_shape)) erase_stores(nr_op_result(user));
    nr_op_erase(user);
  }
}

/* Rebuilds op without the results r with drop[r], whose output arguments the caller has erased. */
static NrOp *without_results(NrOp *op, const bool *drop) {
  NrValue **operands = nr_calloc(op->num_operands + 1, sizeof *operands);
  NrType *types = nr_calloc(op->num_results + 1, sizeof *types);
  int64_t *tied = nr_calloc(op->num_results + 1, sizeof *tied);
  size_t dims_begin, num_dims, num_operands, num_results = 0;
  uint32_t sizes[4];
  memcpy(sizes, nr_op_attr(op, NR_A_operandSegmentSizes)->data, sizeof sizes);
  nr_op_operand_group(op, NR_FLOW_RESULT_DIMS, &dims_begin, &num_dims);
  num_operands = dims_begin;
  for (size_t i = 0; i < dims_begin; i++) operands[i] = nr_operand(op, i);
  for (uint32_t r = 0; r < op->num_results; r++) {
    size_t dims = nr_flow_num_dims(nr_result(op, r)->type);
    for (size_t i = 0; i < dims && !drop[r]; i++) operands[num_operands++] = nr_operand(op, dims_begin + i);
    dims_begin += dims;
    if (drop[r]) continue;
    tied[num_results] = nr_tied_operand(op, r);
    types[num_results++] = nr_result(op, r)->type;
  }
  sizes[NR_FLOW_RESULT_DIMS] -= (uint32_t)(op->num_operands - num_operands);
  NrAttr attr = nr_tied_attr(nr_op_context(op), tied, num_results);
  NrOp *fresh = nr_op_rebuild(op, operands, num_operands, types, num_results);
  nr_op_set_segments(fresh, sizes, 4);
  if (attr) nr_op_set_attr(fresh, NR_A_tied_operands, attr);
  else nr_op_remove_attr(fresh, NR_A_tied_operands);
  for (uint32_t r = 0, next = 0; r < op->num_results; r++)
    if (!drop[r]) nr_value_replace_uses(nr_result(op, r), nr_result(fresh, next++));
  nr_op_erase(op);
  nr_free(operands);
  nr_free(types);
  nr_free(tied);
  return fresh;
}

/* Drops unused results with the stores to them. A tied argument that the body loads stays, and so does its result. */
static NrOp *drop_results(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  bool *drop = nr_calloc(op->num_results + 1, sizeof *drop), any = false;
  size_t begin, count, output = body->num_args;
  nr_op_operand_group(op, NR_FLOW_ARGUMENTS, &begin, &count);
  for (uint32_t r = op->num_results; r-- > 0;) {
    int64_t tied = nr_tied_operand(op, r);
    size_t at = tied >= 0 ? (size_t)tied : --output;
    NrValue *binding = nr_block_arg(body, at);
    drop[r] = !nr_value_has_uses(nr_result(op, r)) && is_only_stored(binding);
    any |= drop[r];
    if (!drop[r]) continue;
    erase_stores(binding);
    if (tied < 0) nr_block_erase_arg(body, at);
  }
  if (any) op = without_results(op, drop);
  nr_free(drop);
  return any ? op : NULL;
}

/* The value of the body that the ordinal stands for; NULL: none. */
static NrValue *ordinal_value(NrBlock *body, int64_t ordinal) {
  for (NrOp *o = body->first; o; o = o->next)
    if (nr_op_is(o, NR_OP_flow_dispatch_workload_ordinal) && nr_op_attr_int(o, NR_A_ordinal, -1) == ordinal)
      return nr_flow_dispatch_workload_ordinal_operand(o);
  return NULL;
}

/* Numbers the ordinals of the body anew when workload value i becomes k. */
static void renumber_ordinals(NrBlock *body, int64_t i, int64_t k) {
  NrType index = nr_type_index(nr_block_module(body)->ctx);
  for (NrOp *o = body->first; o; o = o->next) {
    if (!nr_op_is(o, NR_OP_flow_dispatch_workload_ordinal)) continue;
    int64_t ordinal = nr_op_attr_int(o, NR_A_ordinal, -1);
    if (ordinal >= i) nr_op_set_attr(o, NR_A_ordinal, nr_attr_int(index, ordinal == i ? k : ordinal - 1));
  }
}

/* Drops duplicate workload values, merges the arguments of the count region and the ordinals of the body. */
static bool drop_workload(NrOp *op) {
  NrBlock *block = nr_flow_dispatch_workgroups_workgroup_count_body(op);
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  size_t begin, count;
  bool changed = false;
  nr_op_operand_group(op, NR_FLOW_WORKLOAD, &begin, &count);
  for (size_t i = count; block && i-- > 1;) {
    for (size_t k = 0; k < i; k++) {
      if (nr_operand(op, begin + k) != nr_operand(op, begin + i)) continue;
      NrValue *value_i = ordinal_value(body, (int64_t)i), *value_k = ordinal_value(body, (int64_t)k);
      if (value_i && value_k && value_i != value_k) continue;
      renumber_ordinals(body, (int64_t)i, (int64_t)k);
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

/* What a body does with a binding. */
typedef struct Accesses {
  bool loads, stores, other;
} Accesses;

static void note_accesses(const NrValue *binding, Accesses *out) {
  for (const NrUse *u = binding->first_use; u; u = u->next) {
    if (nr_op_is(u->owner, NR_OP_flow_dispatch_tie_shape)) note_accesses(nr_op_result(u->owner), out);
    else if (nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_load)) out->loads = true;
    else if (nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_store)) out->stores = true;
    else out->other |= !nr_op_is(u->owner, NR_OP_flow_dispatch_tensor_dim);
  }
}

static void set_access(NrValue *binding, NrAccess access) {
  binding->type = nr_type_dispatch_tensor(access, binding->type->elem);
  for (NrUse *u = binding->first_use; u; u = u->next)
    if (nr_op_is(u->owner, NR_OP_flow_dispatch_tie_shape)) set_access(nr_op_result(u->owner), access);
}

/* Makes a readwrite argument that is only loaded readonly, and one that is only stored writeonly. */
static bool refine_access(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  bool changed = false;
  for (uint32_t i = 0; i < body->num_args; i++) {
    NrValue *arg = nr_block_arg(body, i);
    Accesses accesses = {0};
    if (arg->type->kind != NR_TYPE_flow_dispatch_tensor || nr_flow_access(arg->type) != NR_READWRITE) continue;
    note_accesses(arg, &accesses);
    if (accesses.other || accesses.loads == accesses.stores) continue;
    set_access(arg, accesses.loads ? NR_READONLY : NR_WRITEONLY);
    changed = true;
  }
  return changed;
}

/* Moves ordinals of captured values to the top of the body, one for each value, which all users take the value from. */
static bool raise_ordinals(NrOp *op) {
  NrBlock *body = nr_flow_dispatch_workgroups_workgroup_body(op);
  NrOp *last = NULL;  /* of those at the top */
  NrMap firsts = {0}; /* value -> its first ordinal */
  bool changed = false;
  for (NrOp *o = body->first, *next; o; o = next) {
    next = o->next;
    if (!nr_op_is(o, NR_OP_flow_dispatch_workload_ordinal)) continue;
    NrValue *value = nr_flow_dispatch_workload_ordinal_operand(o);
    NrOp *first = nr_map_get(&firsts, value);
    if (value->block != body) continue;
    if (first && nr_op_attr(first, NR_A_ordinal) == nr_op_attr(o, NR_A_ordinal)) {
      nr_value_replace_uses(nr_op_result(o), nr_op_result(first));
      nr_op_erase(o);
      changed = true;
      continue;
    }
    if (!first) nr_map_set(&firsts, value, o);
    if (o->prev != last) {
      nr_op_unlink(o);
      if (last) nr_op_insert_after(o, last);
      else nr_op_prepend(body, o);
      changed = true;
    }
    last = o;
    for (NrUse *u = value->first_use, *after; u && !first; u = after) {
      after = u->next;
      if (nr_op_is(u->owner, NR_OP_flow_dispatch_workload_ordinal)) continue;
      nr_op_set_operand(u->owner, nr_use_index(u), nr_op_result(o));
      changed = true;
    }
  }
  nr_map_deinit(&firsts);
  return changed;
}

static bool has_zero_dim(NrType type) {
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == 0) return true;
  return false;
}

/* Replaces the uses of results without elements, which do not depend on the dispatch. */
static bool replace_empty_results(NrOp *op, NrBuilder *b) {
  size_t next = nr_op_group(op, NR_FLOW_RESULT_DIMS).begin;
  bool changed = false;
  for (uint32_t r = 0; r < op->num_results; r++) {
    NrType type = nr_result(op, r)->type;
    NrValue *dims[NR_MAX_RANK];
    size_t count = nr_flow_num_dims(type);
    for (size_t i = 0; i < count; i++) dims[i] = nr_operand(op, next++);
    if (!nr_value_has_uses(nr_result(op, r)) || !has_zero_dim(type)) continue;
    nr_value_replace_uses(nr_result(op, r), nr_build_value(b, NR_OP_tensor_empty, type, dims, count));
    changed = true;
  }
  return changed;
}

bool nr_flow_workgroups_canonicalize(NrOp *op, NrBuilder *b) {
  bool changed = replace_empty_results(op, b);
  NrOp *fresh = drop_results(op);
  changed |= fresh != NULL;
  if (fresh) op = fresh;
  changed |= drop_arguments(op); /* also what was tied to dropped results */
  changed |= drop_workload(op);
  changed |= refine_access(op);
  changed |= raise_ordinals(op);
  return changed;
}

/* Of workgroup_count_from_slice: drops operands that come twice. */
bool nr_flow_count_from_canonicalize(NrOp *op, NrBuilder *b) {
  bool changed = false;
  (void)b;
  for (uint32_t i = op->num_operands; i-- > 1;) {
    uint32_t k = 0;
    while (nr_operand(op, k) != nr_operand(op, i)) k++;
    if (k == i) continue;
    nr_op_erase_operand(op, i);
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

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

/* Takes the dims of the binding from the tie_shape that it comes from. */
static bool take_tied_dims(NrOp *op, NrValue *binding, size_t group) {
  if (!nr_op_is(binding->op, NR_OP_flow_dispatch_tie_shape)) return false;
  NrGroup tied = nr_flow_dispatch_tie_shape_dynamic_dims(binding->op), own = nr_op_group(op, group);
  bool changed = false;
  for (size_t i = 0; i < own.count; i++) {
    NrValue *dim = nr_operand(binding->op, tied.begin + i);
    if (nr_operand(op, own.begin + i) == dim) continue;
    nr_op_set_operand(op, own.begin + i, dim);
    changed = true;
  }
  return changed;
}

static bool any_constant(const NrIndex *sizes, size_t rank) {
  int64_t c;
  for (size_t i = 0; i < rank; i++)
    if (sizes[i].value && nr_value_constant_int(sizes[i].value, &c)) return true;
  return false;
}

/* Turns constant operands of the lists into constants of the op; the result gets the more static type and a cast to the
 * old one. */
static bool make_load_static(NrOp *op) {
  NrIndex sizes[NR_MAX_RANK];
  NrType old = nr_op_result(op)->type, bound = nr_flow_dispatch_tensor_load_source(op)->type->elem;
  size_t rank = nr_index_list_all(op, nr_flow_load_slots[1], sizes);
  bool refine = any_constant(sizes, rank);
  /* In a rank-reducing slice it is ambiguous which dim a size belongs to. */
  if (refine && rank != old->rank) return false;
  if (!nr_slice_fold_constants(op, nr_flow_load_slots, bound)) return false;
  if (!refine) return true;
  nr_index_list_all(op, nr_flow_load_slots[1], sizes);
  NrType type = nr_tensor_slice_type(bound, sizes);
  NrBuilder after = nr_builder_after(op);
  NrValue *result = nr_op_result(op);
  NrValue *cast = nr_build_value(&after, NR_OP_tensor_cast, old, &result, 1);
  nr_value_replace_uses_except(result, cast, cast->op);
  nr_op_retype(op, &type);
  return true;
}

/* The same for a store, whose value is cast. */
static bool make_store_static(NrOp *op, NrBuilder *b) {
  NrIndex sizes[NR_MAX_RANK];
  NrType value = nr_flow_dispatch_tensor_store_value(op)->type;
  size_t rank = nr_index_list_all(op, nr_flow_store_slots[1], sizes);
  bool refine = any_constant(sizes, rank);
  if (refine && rank != value->rank) return false;
  if (!nr_slice_fold_constants(op, nr_flow_store_slots, nr_flow_dispatch_tensor_store_target(op)->type->elem))
    return false;
  if (!refine) return true;
  nr_index_list_all(op, nr_flow_store_slots[1], sizes);
  NrValue *cast = nr_build_tensor_cast(b, nr_flow_dispatch_tensor_store_value(op), nr_tensor_slice_type(value, sizes));
  nr_op_set_operand(op, NR_FLOW_DISPATCH_TENSOR_STORE_VALUE, cast);
  return true;
}

/* Stores the source of a cast that only hides dims; the sizes become those dims. */
static bool store_cast_source(NrOp *op, NrBuilder *b) {
  NrOp *cast = nr_flow_dispatch_tensor_store_value(op)->op;
  NrValue *target = nr_flow_dispatch_tensor_store_target(op);
  if (!nr_op_is(cast, NR_OP_tensor_cast)) return false;
  NrValue *source = nr_tensor_cast_source(cast);
  NrIndex lists[3][NR_MAX_RANK];
  NrValue *dims[NR_MAX_RANK];
  size_t rank = target->type->elem->rank;
  if (source->type->kind != NR_TYPE_TENSOR || source->type->rank != rank) return false;
  if (!nr_type_refines(source->type, nr_op_result(cast)->type)) return false;
  for (size_t i = 0; i < 3; i++) nr_index_list_all(op, nr_flow_store_slots[i], lists[i]);
  for (size_t i = 0; i < rank; i++)
    if (source->type->dims[i] != NR_DYNAMIC) lists[1][i] = nr_index_const(source->type->dims[i]);
  if (nr_tensor_slice_type(source->type, lists[1]) != source->type) return false;
  for (size_t i = 0; i < rank; i++)
    if (!nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], target->type->elem->dims[i], NULL)) return false;
  NrGroup given = nr_flow_dispatch_tensor_store_target_dims(op);
  for (size_t i = 0; i < given.count; i++) dims[i] = nr_operand(op, given.begin + i);
  nr_flow_build_access(b, target, dims, lists, source);
  nr_op_erase(op);
  return true;
}

bool nr_flow_slice_canonicalize(NrOp *op, NrBuilder *b) {
  bool changed;
  if (nr_op_is(op, NR_OP_flow_dispatch_tensor_load)) {
    changed =
        take_tied_dims(op, nr_flow_dispatch_tensor_load_source(op), NR_FLOW_DISPATCH_TENSOR_LOAD_SOURCE_DIMS_GROUP);
    return make_load_static(op) || changed;
  }
  if (store_cast_source(op, b)) return true;
  changed = take_tied_dims(op, nr_flow_dispatch_tensor_store_target(op),
                           NR_FLOW_DISPATCH_TENSOR_STORE_TARGET_DIMS_GROUP);
  return make_store_static(op, b) || changed;
}
