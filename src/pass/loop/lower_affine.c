/* lower_affine.c - lowers affine loops, conditions and accesses to scf, memref and arith.
 *   before  affine.for %i = 0 to min #map(%n) step 4 {              after  %0 = arith.minsi %n, %c100 : index
 *             affine.if #set(%i) {                                         scf.for %i = %c0 to %0 step %c4 {
 *               %v = affine.load %m[%i + 3] : memref<?xf32>                  %1 = arith.cmpi sge, .. : index
 *             }                                                              scf.if %1 {
 *           }                                                                  %2 = arith.addi %i, %c3 : index
 *                                                                              %v = memref.load %m[%2]
 * Lowers outer ops first, so that a body moves once. affine.parallel becomes scf.parallel; its reductions start from
 * their identity element. */
#include "dialect/affine/affine.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/arith/fold.h"
#include "dialect/scf/scf.h"
#include "dialect/vector/vector.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef NR_VEC(NrValue *) Values;

typedef struct Lowering {
  bool keep_names; /* accesses keep the affine op's name for run-time messages */
} Lowering;

static void get_operands(const NrOp *op, size_t begin, size_t count, Values *out) {
  for (size_t i = 0; i < count; i++) nr_vec_push(out, nr_operand(op, begin + i));
}

static void replace(NrOp *op, NrOp *by) {
  for (uint32_t i = 0; i < op->num_results; i++) {
    nr_result(by, i)->name = nr_result(op, i)->name;
    nr_value_replace_uses(nr_result(op, i), nr_result(by, i));
  }
  nr_op_erase(op);
}

static void get_all_operands(const NrOp *op, Values *out) { get_operands(op, 0, op->num_operands, out); }

/* Moves the block of `from` to `to`, and returns it. */
static NrBlock *move_body(NrRegion *from, NrRegion *to) {
  if (to->first) nr_block_erase(to->first);
  nr_region_take(to, from);
  return to->first;
}

static void yield_of_scf(NrBlock *block) {
  NrOp *yield = nr_block_terminator(block);
  Values values = {0};
  get_all_operands(yield, &values);
  NrBuilder b = nr_builder_before(yield);
  nr_scf_yield(&b, values.data, values.size);
  nr_op_erase(yield);
  nr_vec_deinit(&values);
}

/* ---- for and if -------------------------------------------------------------------------------------------------- */

static NrValue *for_bound(NrBuilder *b, NrOp *op, bool upper) {
  NrAttr map = nr_affine_bound_map(op, upper);
  Values operands = {0};
  get_operands(op, nr_affine_for_begin(op, upper), nr_affine_num_inputs(map), &operands);
  NrValue *bound = nr_affine_expand_extreme(b, map, 0, map->num_exprs, operands.data, !upper);
  nr_vec_deinit(&operands);
  return bound;
}

static void lower_for(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrValue *lower = for_bound(&b, op, false), *upper = for_bound(&b, op, true);
  NrValue *step = nr_arith_constant_index(&b, nr_op_attr_int(op, NR_A_step, 1));
  Values inits = {0};
  get_operands(op, nr_affine_for_inits(op).begin, op->num_results, &inits);
  NrOp *loop = nr_scf_for(&b, lower, upper, step, inits.data, inits.size);
  yield_of_scf(move_body(nr_affine_for_region(op), nr_scf_for_region(loop)));
  replace(op, loop);
  nr_vec_deinit(&inits);
}

static NrValue *condition_of(NrBuilder *b, NrOp *op) {
  NrAttr set = nr_op_attr(op, NR_A_condition);
  Values operands = {0};
  NrValue *zero = nr_arith_constant_index(b, 0), *all = NULL;
  get_all_operands(op, &operands);
  for (uint32_t i = 0; i < set->num_exprs; i++) {
    NrValue *value = nr_affine_expand(b, set->exprs[i], set->num_dims, operands.data);
    NrValue *holds = nr_arith_cmpi(b, set->is_equality[i] ? NR_CMPI_EQ : NR_CMPI_SGE, value, zero);
    all = all ? nr_arith_binary(b, NR_OP_arith_andi, all, holds) : holds;
  }
  nr_vec_deinit(&operands);
  return all ? all : nr_arith_constant(b, nr_attr_bool(b->ctx, true));
}

static void lower_if(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NR_VEC(NrType) types = {0};
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, nr_result(op, i)->type);
  bool with_else = nr_affine_if_else_body(op) != NULL;
  NrOp *branch = nr_scf_if(&b, condition_of(&b, op), types.data, types.size, with_else);
  yield_of_scf(move_body(nr_affine_if_then_region(op), nr_scf_if_then_region(branch)));
  if (with_else) yield_of_scf(move_body(nr_affine_if_else_region(op), nr_scf_if_else_region(branch)));
  replace(op, branch);
  nr_vec_deinit(&types);
}

/* ---- parallel ---------------------------------------------------------------------------------------------------- */

static const NrCombine *reduction(const NrOp *op, uint32_t i) {
  return nr_combine_of_atomic(nr_op_attr(op, NR_A_reductions)->items[i]->i);
}

static void parallel_bounds(NrBuilder *b, NrOp *op, bool upper, Values *out) {
  NrAttr lower = nr_op_attr(op, NR_A_lowerBoundsMap), map = upper ? nr_op_attr(op, NR_A_upperBoundsMap) : lower;
  Values operands = {0};
  get_operands(op, upper ? nr_affine_num_inputs(lower) : 0, nr_affine_num_inputs(map), &operands);
  for (uint32_t i = 0; i < nr_affine_parallel_body(op)->num_args; i++) {
    uint32_t begin, count;
    nr_affine_parallel_group(op, upper, i, &begin, &count);
    nr_vec_push(out, nr_affine_expand_extreme(b, map, begin, count, operands.data, !upper));
  }
  nr_vec_deinit(&operands);
}

/* Replaces affine.yield by scf.reduce with a region per value. */
static void reduce_instead(NrOp *op, NrBlock *body) {
  NrOp *yield = nr_block_terminator(body);
  NrBuilder b = nr_builder_before(yield);
  Values values = {0};
  get_all_operands(yield, &values);
  NrOp *reduce = nr_scf_reduce(&b, values.data, values.size);
  for (uint32_t i = 0; i < values.size; i++) {
    NrBlock *block = nr_block_create(op->module);
    nr_block_append(nr_op_region(reduce, i), block);
    NrType type = values.data[i]->type;
    NrValue *lhs = nr_block_add_arg(block, type, op->loc), *rhs = nr_block_add_arg(block, type, op->loc);
    NrBuilder inner = nr_builder_at_end(op->module, block, op->loc);
    NrValue *both = nr_arith_binary(&inner, reduction(op, i)->op_id, lhs, rhs);
    nr_build_op(&inner, NR_OP_scf_reduce_return, &both, 1, NULL, 0);
  }
  nr_op_erase(yield);
  nr_vec_deinit(&values);
}

/* Replaces an affine.parallel without dims by its body. */
static void lower_point(NrOp *op, NrValue *const *inits) {
  NrBlock *body = nr_affine_parallel_body(op);
  NrOp *yield = nr_block_terminator(body);
  nr_scf_inline_before(op, body, NULL);
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_results; i++) {
    unsigned id = reduction(op, i)->op_id;
    nr_value_replace_uses(nr_result(op, i), nr_arith_binary(&b, id, inits[i], nr_operand(yield, i)));
  }
  nr_op_erase(op);
}

static void lower_parallel(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  Values lower = {0}, upper = {0}, steps = {0}, inits = {0};
  parallel_bounds(&b, op, false, &lower);
  parallel_bounds(&b, op, true, &upper);
  for (uint32_t i = 0; i < lower.size; i++)
    nr_vec_push(&steps, nr_arith_constant_index(&b, nr_affine_parallel_step(op, i)));
  for (uint32_t i = 0; i < op->num_results; i++)
    nr_vec_push(&inits, nr_arith_constant(&b, nr_combine_neutral(reduction(op, i), nr_result(op, i)->type)));
  if (lower.size == 0) {
    lower_point(op, inits.data);
  } else {
    NrOp *loop = nr_scf_parallel(&b, lower.data, upper.data, steps.data, lower.size, inits.data, inits.size);
    reduce_instead(op, move_body(nr_affine_parallel_region(op), nr_scf_parallel_region(loop)));
    replace(op, loop);
  }
  nr_vec_deinit(&lower);
  nr_vec_deinit(&upper);
  nr_vec_deinit(&steps);
  nr_vec_deinit(&inits);
}

/* ---- values and memory ------------------------------------------------------------------------------------------- */

static void lower_values(NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrAttr map = nr_op_attr(op, NR_A_map);
  Values operands = {0};
  get_all_operands(op, &operands);
  for (uint32_t i = 0; i < op->num_results; i++) {
    uint32_t num_dims;
    NrValue *value;
    if (map) {
      value = nr_affine_expand_extreme(&b, map, 0, map->num_exprs, operands.data, nr_op_is(op, NR_OP_affine_max));
    } else {
      NrAffineExpr e = nr_affine_index_expr(op, i, &num_dims);
      value = nr_affine_expand(&b, e, num_dims, operands.data);
    }
    nr_value_replace_uses(nr_result(op, i), value);
  }
  nr_op_erase(op);
  nr_vec_deinit(&operands);
}

static unsigned plain_access(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_affine_load: return NR_OP_memref_load;
  case NR_OP_affine_store: return NR_OP_memref_store;
  case NR_OP_affine_prefetch: return NR_OP_memref_prefetch;
  case NR_OP_affine_vector_load: return NR_OP_vector_load;
  default: return NR_OP_vector_store;
  }
}

/* Expands the map over op's operands from `first` on to indices. */
static void expand_indices(NrBuilder *b, NrOp *op, size_t first, NrAttr map, Values *out) {
  Values inputs = {0};
  get_operands(op, first, nr_affine_num_inputs(map), &inputs);
  for (uint32_t i = 0; i < map->num_exprs; i++)
    nr_vec_push(out, nr_affine_expand(b, map->exprs[i], map->num_dims, inputs.data));
  nr_vec_deinit(&inputs);
}

static void keep_name(const Lowering *l, NrOp *from, NrOp *to) {
  if (l->keep_names) nr_op_set_attr(to, NR_A_noria_written_as, nr_attr_string(nr_op_context(from), nr_op_name(from)));
}

/* vector.load and vector.store need a buffer with contiguous rows; other accesses use an all-true mask. */
static NrOp *access_under_mask(NrBuilder *b, Values *operands, NrType type) {
  NrType vector = type ? type : operands->data[0]->type;
  NrType mask = nr_type_with_elem(vector, nr_type_i1(b->ctx));
  NrValue *stored = type ? NULL : operands->data[0];
  if (stored) memmove(operands->data, operands->data + 1, --operands->size * sizeof *operands->data);
  nr_vec_push(operands, nr_arith_constant(b, nr_splat_int(mask, -1)));
  nr_vec_push(operands, stored ? stored : nr_build_value(b, NR_OP_ub_poison, vector, NULL, 0));
  unsigned id = stored ? NR_OP_vector_maskedstore : NR_OP_vector_maskedload;
  return nr_build_op(b, id, operands->data, operands->size, &type, stored ? 0 : 1);
}

static NrOp *build_access(NrBuilder *b, NrOp *op, Values *operands) {
  unsigned id = plain_access(op);
  bool vectors = id == NR_OP_vector_load || id == NR_OP_vector_store;
  NrType type = op->num_results ? nr_op_result(op)->type : NULL;
  NrType base = operands->data[id == NR_OP_vector_store ? NR_VECTOR_STORE_BASE : NR_VECTOR_LOAD_BASE]->type;
  if (vectors && !nr_vector_is_in_rows(base, type ? type : operands->data[0]->type))
    return access_under_mask(b, operands, type);
  return nr_build_op(b, id, operands->data, operands->size, &type, op->num_results);
}

static void lower_access(const Lowering *l, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  size_t first = nr_affine_map_operands(op);
  Values operands = {0};
  get_operands(op, 0, first, &operands);
  expand_indices(&b, op, first, nr_op_attr(op, NR_A_map), &operands);
  NrOp *access = build_access(&b, op, &operands);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (!nr_str_is(op->attrs[i].name, "map")) nr_op_set_attr_named(access, op->attrs[i].name.data, op->attrs[i].value);
  keep_name(l, op, access);
  replace(op, access);
  nr_vec_deinit(&operands);
}

/* memref.dma_start has the number of elements before the tag. */
static void lower_dma_start(const Lowering *l, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  NrDmaParts parts;
  Values operands = {0};
  nr_affine_dma_parts(op, &parts);
  const size_t memrefs[] = {NR_AFFINE_DMA_START_OPERANDS, parts.target, parts.tag}; /* the source is the first */
  for (size_t i = 0; i < NR_AFFINE_DMA_PLACES; i++) {
    if (memrefs[i] == parts.tag) get_operands(op, parts.n, 1, &operands);
    get_operands(op, memrefs[i], 1, &operands);
    expand_indices(&b, op, memrefs[i] + 1, nr_op_attr_named(op, nr_affine_dma_maps[i]), &operands);
  }
  get_operands(op, parts.stride, op->num_operands - parts.stride, &operands);
  keep_name(l, op, nr_build_op(&b, NR_OP_memref_dma_start, operands.data, operands.size, NULL, 0));
  nr_op_erase(op);
  nr_vec_deinit(&operands);
}

static void lower_dma_wait(const Lowering *l, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  Values operands = {0};
  nr_vec_push(&operands, nr_affine_dma_wait_tag(op));
  expand_indices(&b, op, NR_AFFINE_DMA_WAIT_INDICES, nr_op_attr(op, NR_A_tag_map), &operands);
  nr_vec_push(&operands, nr_affine_dma_wait_n(op));
  keep_name(l, op, nr_build_op(&b, NR_OP_memref_dma_wait, operands.data, operands.size, NULL, 0));
  nr_op_erase(op);
  nr_vec_deinit(&operands);
}

static void lower(const Lowering *l, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_affine_for: lower_for(op); break;
  case NR_OP_affine_if: lower_if(op); break;
  case NR_OP_affine_parallel: lower_parallel(op); break;
  case NR_OP_affine_apply:
  case NR_OP_affine_min:
  case NR_OP_affine_max:
  case NR_OP_affine_delinearize_index:
  case NR_OP_affine_linearize_index: lower_values(op); break;
  case NR_OP_affine_load:
  case NR_OP_affine_store:
  case NR_OP_affine_prefetch:
  case NR_OP_affine_vector_load:
  case NR_OP_affine_vector_store: lower_access(l, op); break;
  case NR_OP_affine_dma_start: lower_dma_start(l, op); break;
  case NR_OP_affine_dma_wait: lower_dma_wait(l, op); break;
  default: break;
  }
}

static NrStatus lower_affine_run(NrPassContext *pass, NrOp *root) {
  Lowering l = {.keep_names = nr_pass_flag(pass, "keep-names")};
  NrOpList ops = {0};
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (!nr_is_erased(ops.data[i])) lower(&l, ops.data[i]);
  nr_vec_deinit(&ops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("keep-names", false, "accesses keep the affine op's name for messages of a run"),
    {0},
};
NR_PASS(lower_affine, .name = "lower-affine", .on_while = NR_WHILE_BARRIER, .run = lower_affine_run, .options = options,
        .doc = "turns affine loops, conditions and accesses into scf, memref and arith")
