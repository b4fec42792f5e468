/* verify.c - checks of affine ops that their definitions cannot express. The messages are MLIR's, where it has one. */
#include "dialect/affine/affine.h"
#include "dialect/arith/combine.h"
#include "dialect/operands.h"
#include "dialect/shared/shaped.h"

static const char *text_of(NrType type) { return nr_type_text(type->ctx, type); }

static NrStatus verify_count(NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  if (op->num_operands != nr_affine_num_inputs(map))
    return nr_op_error(op, "(C1) operand count and affine map dimension and symbol count must match");
  return NR_OK;
}

NrStatus nr_affine_apply_verify(NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  NR_TRY(verify_count(op));
  if (map->num_exprs != 1) return nr_op_error(op, "(C1) mapping must produce one value");
  for (size_t i = map->num_dims; i < op->num_operands; i++)
    if (!nr_affine_is_symbol(nr_operand(op, i)))
      return nr_op_error(op, "(C2) dimensional operand cannot be used as a symbol");
  return NR_OK;
}

NrStatus nr_affine_min_max_verify(NrOp *op) {
  NR_TRY(verify_count(op));
  if (nr_op_attr(op, NR_A_map)->num_exprs == 0)
    return nr_op_error(op, "(C1) affine map expect at least one result");
  return NR_OK;
}

static NrStatus verify_basis(NrOp *op) {
  NrAttr basis = nr_op_attr(op, NR_A_static_basis);
  const int64_t *sizes = basis->data;
  for (size_t i = 0; i < basis->data_size / sizeof *sizes; i++)
    if (sizes[i] <= 0 && sizes[i] != NR_DYNAMIC)
      return nr_op_error(op, "(C2) no basis element may be statically non-positive");
  return NR_OK;
}

static size_t basis_size(const NrOp *op) { return nr_op_attr(op, NR_A_static_basis)->data_size / sizeof(int64_t); }

static size_t num_dynamic(const NrOp *op) {
  const int64_t *sizes = nr_op_attr(op, NR_A_static_basis)->data;
  size_t count = 0;
  for (size_t i = 0; i < basis_size(op); i++) count += sizes[i] == NR_DYNAMIC;
  return count;
}

NrStatus nr_affine_delinearize_verify(NrOp *op) {
  size_t size = basis_size(op);
  if (op->num_results == 0 || (size != op->num_results && size + 1 != op->num_results))
    return nr_op_error(op, "(C1) should return an index for each basis element and up to one extra index");
  if (op->num_operands != 1 + num_dynamic(op))
    return nr_op_error(op, "mismatch between dynamic and static basis: %zu sizes are dynamic, but %u are given",
                       num_dynamic(op), op->num_operands - 1);
  return verify_basis(op);
}

NrStatus nr_affine_linearize_verify(NrOp *op) {
  size_t begin, count, dynamic, size = basis_size(op);
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_DYNAMIC_BASIS_GROUP, &begin, &dynamic);
  if (size != count && size + 1 != count)
    return nr_op_error(op, "(C1) should be passed a basis element for each index except possibly the first");
  if (dynamic != num_dynamic(op))
    return nr_op_error(op, "mismatch between dynamic and static basis: %zu sizes are dynamic, but %zu are given",
                       num_dynamic(op), dynamic);
  return NR_OK;
}

/* ---- control ----------------------------------------------------------------------------------------------------- */

static NrStatus verify_bound(NrOp *op, bool upper) {
  NrAttr map = nr_affine_bound_map(op, upper);
  const char *name = upper ? "upper" : "lower";
  size_t begin, count;
  if (map->num_exprs == 0)
    return nr_op_error(op, "(C1) expected %s bound map to have at least one result", name);
  nr_op_operand_group(op, upper, &begin, &count);
  if (count != nr_affine_num_inputs(map))
    return nr_op_error(op, "(C1) %s bound operand count and affine map dimension and symbol count must match", name);
  return nr_affine_verify_operands(op, begin, map->num_dims, map->num_symbols);
}

NrStatus nr_affine_for_verify(NrOp *op) {
  NrBlock *body = nr_affine_for_body(op);
  int64_t step = nr_op_attr_int(op, NR_A_step, 0);
  uint32_t count = op->num_results;
  if (body->num_args == 0 || !nr_type_is_index(body->args[0]->type))
    return nr_op_error(op, "expected body to have a single index argument for the induction variable");
  if (step <= 0) return nr_op_error(op, "(C3) expected step to be representable as a positive signed integer");
  NR_TRY(verify_bound(op, false));
  NR_TRY(verify_bound(op, true));
  size_t inits = nr_affine_for_begin(op, 2);
  if (op->num_operands - inits != count)
    return nr_op_error(op, "(C2) mismatch in number of loop-carried values and defined values");
  if (body->num_args - 1 != count)
    return nr_op_error(op, "(C2) mismatch in number of basic block args and defined values");
  for (uint32_t i = 0; i < count; i++) {
    NrType type = nr_result(op, i)->type;
    if (nr_operand(op, inits + i)->type != type)
      return nr_op_error(op, "(C2) types mismatch between %uth iter operand and defined value", i);
    if (body->args[1 + i]->type != type)
      return nr_op_error(op, "(C2) types mismatch between %uth iter region arg and defined value", i);
  }
  return NR_OK;
}

NrStatus nr_affine_if_verify(NrOp *op) {
  NrAttr set = nr_op_attr(op, NR_A_condition);
  if (set->kind != NR_ATTR_AFFINE_SET) return nr_op_error(op, "attribute 'condition' is no integer set");
  if (op->num_operands != nr_affine_num_inputs(set))
    return nr_op_error(op, "(C1) operand count and condition integer set dimension and symbol count must match");
  for (uint32_t i = 0; i < 2; i++)
    if (nr_op_body(op, i) && nr_op_body(op, i)->num_args)
      return nr_op_error(op, "requires that child entry blocks have no arguments");
  if (op->num_results && !nr_affine_if_else_body(op))
    return nr_op_error(op, "(C2) must have an else block if defining values");
  return nr_affine_verify_operands(op, 0, set->num_dims, set->num_symbols);
}

NrStatus nr_affine_yield_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  bool ends = nr_op_is(parent, NR_OP_affine_for) || nr_op_is(parent, NR_OP_affine_if) ||
              nr_op_is(parent, NR_OP_affine_parallel);
  if (!ends) return nr_op_error(op, "only terminates affine.if/for/parallel regions");
  if (op->num_operands != parent->num_results)
    return nr_op_error(op, "(C1) parent of yield must have same number of results as the yield operands");
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_operand(op, i)->type != nr_result(parent, i)->type)
      return nr_op_error(op, "(C1) types mismatch between yield op and its parent");
  return NR_OK;
}

/* ---- parallel ---------------------------------------------------------------------------------------------------- */

static bool group_size(NrAttr groups, uint32_t i, int64_t *out) {
  NrAttr size = nr_attr_element(groups, i);
  return size && nr_attr_is_int(size, out) && *out > 0 && *out <= NR_MAX_NESTING;
}

static NrStatus verify_groups(NrOp *op, bool upper, uint32_t rank) {
  NrAttr map = nr_op_attr(op, upper ? NR_A_upperBoundsMap : NR_A_lowerBoundsMap);
  NrAttr groups = nr_op_attr(op, upper ? NR_A_upperBoundsGroups : NR_A_lowerBoundsGroups);
  const char *name = upper ? "upper" : "lower";
  int64_t sum = 0, size = 0;
  for (uint32_t i = 0; i < rank; i++) {
    if (!group_size(groups, i, &size))
      return nr_op_error(op, "(C1) %s bounds: each group has one or more results", name);
    sum += size;
  }
  if (map->num_exprs != sum)
    return nr_op_error(op, "(C1) expected %s bounds map to have %lld results", name, (long long)sum);
  return NR_OK;
}

static NrStatus verify_steps(NrOp *op, uint32_t rank) {
  NrAttr steps = nr_op_attr(op, NR_A_steps);
  int64_t step;
  for (uint32_t i = 0; i < rank; i++)
    if (!nr_attr_is_int(steps->items[i], &step) || step <= 0)
      return nr_op_error(op, "(C4) steps must be positive integers");
  return NR_OK;
}

static NrStatus verify_reductions(NrOp *op) {
  NrAttr kinds = nr_op_attr(op, NR_A_reductions);
  int64_t kind;
  if (kinds->size != op->num_results)
    return nr_op_error(op, "(C2) a reduction must be specified for each output");
  for (uint32_t i = 0; i < op->num_results; i++) {
    if (!nr_attr_is_int(kinds->items[i], &kind) || !nr_atomic_kind_name(kind))
      return nr_op_error(op, "(C2) invalid reduction attribute");
    NrType type = nr_result(op, i)->type;
    if (!nr_type_is_scalar(type) || !nr_combine_neutral(nr_combine_of_atomic(kind), type))
      return nr_op_error(op, "(C2) result type cannot match reduction attribute");
  }
  return NR_OK;
}

NrStatus nr_affine_parallel_verify(NrOp *op) {
  NrBlock *body = nr_affine_parallel_body(op);
  NrAttr lower = nr_op_attr(op, NR_A_lowerBoundsMap), upper = nr_op_attr(op, NR_A_upperBoundsMap);
  NrAttr groups[] = {nr_op_attr(op, NR_A_lowerBoundsGroups), nr_op_attr(op, NR_A_upperBoundsGroups)};
  int64_t counts[2] = {0, 0};
  uint32_t rank = body->num_args;
  for (int i = 0; i < 2; i++)
    if (groups[i]->type->rank != 1 || !nr_type_num_elements(groups[i]->type, &counts[i]))
      return nr_op_error(op, "(C1) bounds groups are lists of numbers");
  size_t steps = nr_op_attr(op, NR_A_steps)->size;
  if (counts[0] != rank || counts[1] != rank || steps != rank)
    return nr_op_error(op,
                       "(C1) the number of region arguments (%u) and the number of map groups for lower (%lld) and "
                       "upper bound (%lld), and the number of steps (%zu) must all match",
                       rank, (long long)counts[0], (long long)counts[1], steps);
  for (uint32_t i = 0; i < rank; i++)
    if (!nr_type_is_index(body->args[i]->type))
      return nr_op_error(op, "expects arguments for the induction variable to be of index type, but got '%s'",
                         text_of(body->args[i]->type));
  NR_TRY(verify_groups(op, false, rank));
  NR_TRY(verify_groups(op, true, rank));
  NR_TRY(verify_steps(op, rank));
  NR_TRY(verify_reductions(op));
  size_t inputs = nr_affine_num_inputs(lower);
  if (inputs + nr_affine_num_inputs(upper) != op->num_operands)
    return nr_op_error(op, "operand count and affine map dimension and symbol count must match");
  NR_TRY(nr_affine_verify_operands(op, 0, lower->num_dims, lower->num_symbols));
  return nr_affine_verify_operands(op, inputs, upper->num_dims, upper->num_symbols);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static NrStatus verify_accessed(NrOp *op, NrType memref) {
  bool stores = nr_op_is(op, NR_OP_affine_store) || nr_op_is(op, NR_OP_affine_vector_store);
  bool vector = nr_op_is(op, NR_OP_affine_vector_load) || nr_op_is(op, NR_OP_affine_vector_store);
  if (nr_op_is(op, NR_OP_affine_prefetch)) {
    int64_t locality = nr_op_attr_int(op, NR_A_localityHint, -1);
    return locality < 0 || locality > 3 ? nr_op_error(op, "(C3) locality must be 0 to 3") : NR_OK;
  }
  NrType value = stores ? nr_op_value(op)->type : nr_op_result(op)->type;
  if (vector && value->elem != memref->elem)
    return nr_op_error(op, "(C3) requires memref and vector types of the same elemental type");
  if (!vector && value != memref->elem)
    return nr_op_error(op, stores ? "(C3) value to store must have the same type as memref element type"
                                  : "(C3) result type must match element type of memref");
  return NR_OK;
}

NrStatus nr_affine_access_verify(NrOp *op) {
  NrAttr map = nr_op_attr(op, NR_A_map);
  size_t first = nr_affine_map_operands(op);
  NrType memref = nr_operand(op, first - 1)->type;
  if (map->num_exprs != memref->rank) return nr_op_error(op, "(C1) affine map num results must equal memref rank");
  if (nr_affine_num_inputs(map) != op->num_operands - first)
    return nr_op_error(op, "(C2) expects as many subscripts as affine map inputs");
  NR_TRY(verify_accessed(op, memref));
  return nr_affine_verify_operands(op, first, map->num_dims, map->num_symbols);
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

static const char *const memref_names[] = {"src", "dst", "tag"};

/* Verifies map number i of a transfer; its memref is operand number `memref`. */
static NrStatus verify_map(NrOp *op, size_t i, size_t memref) {
  NrAttr map = nr_op_attr_named(op, nr_affine_dma_maps[i]);
  if (map->num_exprs != nr_operand(op, memref)->type->rank)
    return nr_op_error(op, "(C2) %s map num results must equal memref rank", memref_names[i]);
  for (size_t k = 0; k < nr_affine_num_inputs(map); k++)
    if (!nr_type_is_index(nr_operand(op, memref + 1 + k)->type))
      return nr_op_error(op, "(C1) operand #%zu must be index", memref + 1 + k);
  return nr_affine_verify_operands(op, memref + 1, map->num_dims, map->num_symbols);
}

NrStatus nr_affine_dma_start_verify(NrOp *op) {
  NrDmaParts parts;
  if (!nr_affine_dma_parts(op, &parts))
    return nr_op_error(op, "(C1) expected source, target, tag and the inputs of their maps, and a number of elements");
  const size_t memrefs[] = {0, parts.target, parts.tag};
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) NR_TRY(verify_map(op, i, memrefs[i]));
  for (size_t i = parts.n; i < op->num_operands; i++)
    if (!nr_type_is_index(nr_operand(op, i)->type)) return nr_op_error(op, "(C1) operand #%zu must be index", i);
  if (nr_operand(op, NR_AFFINE_DMA_START_OPERANDS)->type->elem != nr_operand(op, parts.target)->type->elem)
    return nr_op_error(op, "(C3) source and target have different element types");
  return NR_OK;
}

NrStatus nr_affine_dma_wait_verify(NrOp *op) {
  if (nr_affine_num_inputs(nr_op_attr(op, NR_A_tag_map)) + 2 != op->num_operands)
    return nr_op_error(op, "(C1) expects as many subscripts as affine map inputs");
  return verify_map(op, NR_AFFINE_DMA_PLACES - 1, NR_AFFINE_DMA_WAIT_TAG);
}
