/* clone_producers.c - copies into dispatch regions what is cheaper to compute again than to pass.
 *   before  %z = arith.constant dense<0.0> : tensor<64x64xf32>     after  flow.dispatch.region {
 *           flow.dispatch.region {                                         %e = tensor.empty() : tensor<64x64xf32>
 *             linalg.generic .. outs(%z) }                                 %z = linalg.fill ins(0.0) outs(%e)
 *                                                                          linalg.generic .. outs(%z) }
 *
 * These are the tensors that the ops of a region start from, when they have no contents or all elements are equal,
 * constants that are scalars, and slices that would be copied as an argument: those of constants, and those of which
 * the elements do not lie side by side. Each use gets a copy of its own, so that each can be cut as its user is. */
#include "dialect/flow/flow.h"
#include "dialect/linalg/linalg.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

static NrValue *copy_of(NrBuilder *b, NrValue *value) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, value->op, &map);
  nr_builder_insert(b, copy);
  nr_map_deinit(&map);
  return nr_op_result(copy);
}

static NrValue *scalar_copy(NrBuilder *b, NrValue *value) {
  return value->op && nr_op_has(value->op, NR_CONSTANT_LIKE) ? copy_of(b, value) : value;
}

/* A copy of the op that computes an op's destination tensor; NULL where the tensor is passed as an argument instead. */
static NrValue *copy_start(NrBuilder *b, NrValue *value) {
  NrType type = value->type;
  if (nr_op_is(value->op, NR_OP_tensor_empty)) return copy_of(b, value);
  if (nr_op_is(value->op, NR_OP_linalg_fill)) {
    NrValue *start = nr_linalg_fill_output(value->op);
    NrValue *fresh = nr_op_is(start->op, NR_OP_tensor_empty) ? copy_of(b, start) : start;
    return nr_build_fill(b, scalar_copy(b, nr_linalg_fill_value(value->op)), fresh);
  }
  NrAttr constant = nr_value_constant(value);
  if (!constant || constant->kind != NR_ATTR_DENSE || !constant->splat || !nr_type_has_static_shape(type)) return NULL;
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < type->rank; d++) dims[d] = nr_index_const(type->dims[d]);
  NrValue *scalar = nr_op_result(nr_build_constant(b, nr_attr_element(constant, 0), type->elem));
  return nr_build_fill(b, scalar, nr_build_empty(b, type->elem, dims, type->rank));
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static NrIndex slice_entry(const NrOp *slice, size_t list, size_t i) {
  return nr_index_list_get(slice, nr_extract_slice_slots[list], i);
}

/* Whether the slice has unit strides and elements that do not lie side by side. Where a size is open, they may not. */
static bool is_scattered(const NrOp *slice) {
  NrType source = nr_tensor_extract_slice_source(slice)->type;
  bool inside = false, scattered = false;
  for (uint32_t i = 0; i < source->rank; i++) {
    NrIndex size = slice_entry(slice, 1, i);
    if (!nr_index_is(slice_entry(slice, 2, i), 1)) return false;
    scattered |= inside && (size.value || size.constant != source->dims[i]);
    inside |= size.value || size.constant != 1;
  }
  return scattered;
}

/* One dim of a slice that an expand_shape takes apart. */
typedef struct Part {
  int64_t inner;          /* the product of all dims of the group but the first */
  int64_t outer, offset; /* of the source's first dim, and where the slice begins in it */
} Part;

/* Whether dim g of the slice begins and ends, and its source ends, where the group's first dim does. */
static bool divide(const NrOp *slice, const NrOp *expand, const NrGroups *groups, uint32_t g, Part *out) {
  NrType type = nr_op_result(expand)->type, source = nr_tensor_extract_slice_source(slice)->type;
  NrIndex offset = slice_entry(slice, 0, g);
  out->inner = nr_dims_product(type->dims + groups->begin[g] + 1, groups->size[g] - 1);
  if (type->dims[groups->begin[g]] < 0 || out->inner <= 0 || offset.value || source->dims[g] < 0) return false;
  out->outer = source->dims[g] / out->inner;
  out->offset = offset.constant / out->inner;
  return source->dims[g] % out->inner == 0 && offset.constant % out->inner == 0;
}

/* Builds the slice of an expand_shape in place of the expand_shape of a slice: the first is free, the second would be
 * copied. NULL where the slice does not fit the new dims. */
static NrValue *expand_before_slice(NrOp *expand) {
  NrOp *slice = nr_tensor_expand_shape_source(expand)->op;
  NrType type = nr_op_result(expand)->type;
  NrGroups groups;
  if (!slice || !nr_op_is(slice, NR_OP_tensor_extract_slice) || !nr_groups_of(expand, &groups)) return NULL;
  NrValue *source = nr_tensor_extract_slice_source(slice);
  if (groups.count != source->type->rank || !is_scattered(slice)) return NULL;
  NrBuilder b = nr_builder_before(expand);
  NrIndex shape[NR_MAX_RANK], lists[3][NR_MAX_RANK];
  Part parts[NR_MAX_RANK];
  for (uint32_t g = 0; g < groups.count; g++)
    if (groups.size[g] > 1 && !divide(slice, expand, &groups, g, &parts[g])) return NULL;
  for (uint32_t g = 0; g < groups.count; g++) {
    uint32_t first = groups.begin[g];
    bool apart = groups.size[g] > 1;
    shape[first] = apart ? nr_index_const(parts[g].outer) : nr_dim_build(&b, source, g);
    lists[0][first] = apart ? nr_index_const(parts[g].offset) : slice_entry(slice, 0, g);
    lists[1][first] = apart ? nr_index_const(type->dims[first]) : slice_entry(slice, 1, g);
    for (uint32_t i = first + 1; i < first + groups.size[g]; i++) {
      shape[i] = lists[1][i] = nr_index_const(type->dims[i]);
      lists[0][i] = nr_index_const(0);
    }
  }
  for (uint32_t i = 0; i < type->rank; i++) lists[2][i] = nr_index_const(1);
  NrValue *whole = nr_build_expand_shape(&b, source, &groups, shape, type->rank);
  return nr_build_extract_slice(&b, whole, lists[0], lists[1], lists[2], type);
}

/* Whether the slice is one of a constant, from which a rank takes its part. */
static bool is_of_constant(const NrOp *slice) {
  NrOp *source = nr_tensor_extract_slice_source(slice)->op;
  return source && nr_op_has(source, NR_CONSTANT_LIKE);
}

/* Takes the slice that input k of a member is into the region. */
static void copy_slice(NrOp *region, NrOp *member, size_t k) {
  NrValue *value = nr_operand(member, k);
  if (!value->op || !nr_value_is_outside(value, region)) return;
  if (nr_op_is(value->op, NR_OP_tensor_expand_shape)) value = expand_before_slice(value->op);
  if (!value || !nr_op_is(value->op, NR_OP_tensor_extract_slice)) return;
  if (!is_scattered(value->op) && !is_of_constant(value->op)) return;
  NrBuilder b = nr_builder_before(member);
  nr_op_set_operand(member, k, copy_of(&b, value));
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

typedef struct Copies {
  NrOp *region, *member;
} Copies;

/* Copies the constant scalars that op, which is a member or in one, uses. */
static bool copy_scalars(NrOp *op, void *user) {
  const Copies *c = user;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrValue *value = nr_operand(op, k);
    bool constant = value->op && nr_op_has(value->op, NR_CONSTANT_LIKE) && !nr_type_is_tensor(value->type);
    if (!constant || !nr_value_is_outside(value, c->region)) continue;
    NrBuilder b = nr_builder_before(c->member);
    nr_op_set_operand(op, k, copy_of(&b, value));
  }
  return true;
}

static void clone_into(NrOp *region) {
  for (NrBlock *block = nr_flow_dispatch_region_body(region); block; block = block->next)
    for (NrOp *op = block->first; op; op = op->next) {
      if (!nr_linalg_is_structured(op)) continue;
      for (uint32_t j = 0; j < op->num_results; j++) {
        size_t at = nr_op_destination_index(op, j);
        if (at == SIZE_MAX || !nr_value_is_outside(nr_operand(op, at), region)) continue;
        NrBuilder b = nr_builder_before(op);
        NrValue *copy = copy_start(&b, nr_operand(op, at));
        if (copy) nr_op_set_operand(op, at, copy);
      }
      for (size_t k = 0; k < nr_linalg_num_inputs(op); k++) copy_slice(region, op, k);
      nr_walk_pre(op, copy_scalars, &(Copies){region, op});
    }
}

static bool is_region(const NrOp *op) { return nr_op_is(op, NR_OP_flow_dispatch_region); }

static NrStatus clone_producers_run(NrPassContext *pass, NrOp *root) {
  (void)pass;
  NrOpList found = {0};
  nr_collect_pre(root, is_region, &found);
  for (size_t i = 0; i < found.size; i++) clone_into(found.data[i]);
  nr_vec_deinit(&found);
  return NR_OK;
}

NR_PASS(clone_producers, .name = "clone-producers-into-dispatch-regions", .on_while = NR_WHILE_BARRIER,
        .run = clone_producers_run,
        .doc = "copies empty tensors, fills, constants and slices into the dispatch regions that use them")
