/* sparsify.c - sparse tensors become their arrays, and ops on them calls of kernels.
 *
 *   before  %A = sparse_tensor.assemble (%pos, %crd), %vals : .. to tensor<3x4xf64, #CSR>
 *           %y = linalg.matvec ins(%A, %x : tensor<3x4xf64, #CSR>, tensor<4xf64>) outs(%z : ..)
 *   after   %y = call @sparse_kernel(%pos, %crd, %vals, %x, %z)
 *
 * where @sparse_kernel is what `noria sparse 'z(d0) += A(d0,d1) * x(d1)' -f=A:ds` makes (src/sparse); equal ones, also
 * in the names, are one function. A sparse argument or result of a function, a loop or a branch becomes several: the
 * sizes that its type does not have, then its arrays in the order of the levels, then its values. */
#include "pass/linalg/sparsify.h"

#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/func/func.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "noria/exec_abi.h"
#include "pass/core/checks.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/expand/signatures.h"

static bool is_sparse(const NrValue *value) { return nr_type_is_sparse(value->type); }

/* ---- parts ------------------------------------------------------------------------------------------------------- */

NrSparseParts *nr_sparsify_add(NrSparsify *x, NrValue *value) {
  NrSparseParts *parts = NR_NEW(x->arena, NrSparseParts);
  *parts = (NrSparseParts){0};
  nr_map_set(&x->parts, value, parts);
  return parts;
}

NrSparseParts *nr_sparsify_parts(NrSparsify *x, NrOp *op, NrValue *value) {
  NrSparseParts *parts = nr_map_get(&x->parts, value);
  if (!parts) nr_op_error(op, "uses a sparse tensor before the text defines it");
  return parts;
}

NrValue *nr_sparsify_size(NrSparsify *x, NrBuilder *b, NrValue *tensor, size_t dim) {
  const NrSparseParts *parts = nr_map_get(&x->parts, tensor);
  return parts ? parts->sizes[dim] : nr_check_size_of(b, tensor, (uint32_t)dim);
}

static bool split_type(NrType type, NrTypeList *out) {
  if (!nr_type_is_sparse(type)) return false;
  NrType arrays[NR_SPARSE_MAX_ARRAYS];
  size_t count = nr_sparse_array_types(type, arrays);
  for (size_t d = 0; d < nr_type_num_dynamic(type); d++) nr_vec_push(out, nr_type_index(type->ctx));
  for (size_t i = 0; i < count; i++) nr_vec_push(out, arrays[i]);
  return true;
}

/* Fills parts from the values that a sparse value of this type became, of which `all` begins with the first; returns
 * their number. b is where sizes that the type has are built. */
static size_t take_parts(NrSparseParts *parts, NrBuilder *b, NrType type, NrValue *const *all) {
  NrType types[NR_SPARSE_MAX_ARRAYS];
  size_t used = 0;
  for (uint32_t d = 0; d < type->rank; d++)
    parts->sizes[d] = type->dims[d] == NR_DYNAMIC ? all[used++] : nr_arith_constant_index(b, type->dims[d]);
  parts->num_arrays = nr_sparse_array_types(type, types);
  for (size_t i = 0; i < parts->num_arrays; i++) parts->arrays[i] = all[used++];
  return used;
}

typedef NR_VEC(NrValue *) ValueList;

/* Appends what is passed for a value. */
static NrStatus push_parts(NrSparsify *x, NrOp *op, NrValue *value, ValueList *out) {
  if (!is_sparse(value)) {
    nr_vec_push(out, value);
    return NR_OK;
  }
  NrSparseParts *parts = nr_sparsify_parts(x, op, value);
  if (!parts) return NR_ERROR_INVALID;
  for (uint32_t d = 0; d < value->type->rank; d++)
    if (value->type->dims[d] == NR_DYNAMIC) nr_vec_push(out, parts->sizes[d]);
  for (size_t i = 0; i < parts->num_arrays; i++) nr_vec_push(out, parts->arrays[i]);
  return NR_OK;
}

/* "A_pos1" for a part of %A, so that a program's inputs keep their names. */
static void name_part(NrSparsify *x, NrValue *part, const NrValue *whole, size_t i) {
  NrSparseLevels levels;
  char name[8];
  size_t dynamic = nr_type_num_dynamic(whole->type), dim = 0;
  if (!whole->name) return;
  nr_sparse_levels_of(whole->type, &levels);
  if (i >= dynamic) {
    nr_sparse_array_name(&levels, i - dynamic, name);
    part->name = nr_context_intern(x->ctx, nr_str(nr_arena_printf(x->arena, "%s_%s", whole->name, name))).data;
    return;
  }
  for (size_t seen = 0; whole->type->dims[dim] != NR_DYNAMIC || seen++ < i;) dim++;
  part->name = nr_context_intern(x->ctx, nr_str(nr_arena_printf(x->arena, "%s_size%zu", whole->name, dim))).data;
}

/* Replaces the sparse arguments of a block by their parts. */
static void split_args(NrSparsify *x, NrBlock *block, NrLoc loc) {
  for (size_t i = 0; i < block->num_args;) {
    NrValue *whole = nr_block_arg(block, i), *all[NR_SPARSE_MAX_LEVELS + NR_SPARSE_MAX_ARRAYS];
    if (!is_sparse(whole)) {
      i++;
      continue;
    }
    NrTypeList types = {0};
    split_type(whole->type, &types);
    for (size_t k = 0; k < types.size; k++) {
      all[k] = nr_block_insert_arg(block, i + 1 + k, types.data[k], nr_arg_loc(whole));
      name_part(x, all[k], whole, k);
    }
    NrBuilder b = nr_builder_at_start(x->module, block, loc);
    take_parts(nr_sparsify_add(x, whole), &b, whole->type, all);
    i += 1 + types.size;
    nr_vec_deinit(&types);
  }
}

/* ---- ops that pass values on ------------------------------------------------------------------------------------- */

static bool passes_values(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_scf_for: case NR_OP_scf_if: case NR_OP_scf_while: case NR_OP_scf_execute_region:
  case NR_OP_scf_index_switch: case NR_OP_func_call: return true;
  default: return false;
  }
}

static bool passes_operands(const NrOp *op) {
  return nr_op_is(op, NR_OP_scf_yield) || nr_op_is(op, NR_OP_scf_condition) || nr_op_is(op, NR_OP_func_return);
}

static NrStatus split_operands(NrSparsify *x, NrOp *op, ValueList *out) {
  for (uint32_t i = 0; i < op->num_operands; i++) NR_TRY(push_parts(x, op, nr_operand(op, i), out));
  return NR_OK;
}

/* Rebuilds a call, a loop or a branch with the parts of its operands, arguments and results. */
static NrStatus split_op(NrSparsify *x, NrOp *op) {
  ValueList operands = {0};
  NrTypeList types = {0};
  NrStatus status = split_operands(x, op, &operands);
  for (uint32_t i = 0; !status && i < op->num_results; i++)
    if (!split_type(nr_result(op, i)->type, &types)) nr_vec_push(&types, nr_result(op, i)->type);
  NrOp *made = status ? NULL : nr_op_rebuild(op, operands.data, operands.size, types.data, types.size);
  for (uint32_t i = 0, at = 0; made && i < op->num_results; i++) {
    NrValue *whole = nr_result(op, i), *all[NR_SPARSE_MAX_LEVELS + NR_SPARSE_MAX_ARRAYS];
    if (!is_sparse(whole)) {
      nr_value_replace_uses(whole, nr_result(made, at++));
      continue;
    }
    NrBuilder b = nr_builder_after(made);
    size_t room = NR_MIN(NR_COUNTOF(all), made->num_results - at);
    for (size_t k = 0; k < room; k++) all[k] = nr_result(made, at + (uint32_t)k);
    at += (uint32_t)take_parts(nr_sparsify_add(x, whole), &b, whole->type, all);
  }
  for (uint32_t r = 0; made && r < made->num_regions; r++)
    for (NrBlock *block = nr_op_body(made, r); block; block = block->next) split_args(x, block, made->loc);
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  return status;
}

static NrStatus split_operands_in_place(NrSparsify *x, NrOp *op) {
  ValueList operands = {0};
  NrStatus status = split_operands(x, op, &operands);
  if (!status) nr_op_set_operands(op, operands.data, operands.size);
  nr_vec_deinit(&operands);
  return status;
}

/* ---- ops that make or take apart --------------------------------------------------------------------------------- */

static NrType open_row(NrType elem) { return nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, elem); }

static void lower_assemble(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrSparseParts *parts = nr_sparsify_add(x, nr_op_result(op));
  NrType type = nr_op_result(op)->type;
  for (uint32_t d = 0; d < type->rank; d++) parts->sizes[d] = nr_arith_constant_index(b, type->dims[d]);
  parts->num_arrays = op->num_operands;
  for (uint32_t i = 0; i < op->num_operands; i++)
    parts->arrays[i] = nr_build_tensor_cast(b, nr_operand(op, i), open_row(nr_operand(op, i)->type->elem));
}

/* The positions of a dense level of a size below these above it. */
static NrIndex positions_below(NrBuilder *b, NrOp *op, NrIndex above, NrIndex size) {
  NrValue *all = nr_index_value(b, size), *most = nr_arith_constant_index(b, NORIA_MAX_ELEMENTS);
  if (!nr_index_is(above, 1)) all = nr_check_product(b, nr_index_value(b, above), all);
  nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, all, most), "dense levels have %0 positions, more than %1",
                  (NrValue *[]){all, most}, 2);
  return nr_index_of(all);
}

/* Arrays without entries: pos is 0 at all positions. */
static void lower_empty(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrType type = nr_op_result(op)->type, types[NR_SPARSE_MAX_ARRAYS];
  NrSparseParts *parts = nr_sparsify_add(x, nr_op_result(op));
  NrSparseLevels levels;
  NrIndex above = nr_index_const(1);
  uint32_t next = 0;
  nr_sparse_levels_of(type, &levels);
  parts->is_empty = true;
  nr_check_sizes(op, type, 0);
  for (uint32_t d = 0; d < type->rank; d++)
    parts->sizes[d] = type->dims[d] == NR_DYNAMIC ? nr_operand(op, next++) : nr_arith_constant_index(b, type->dims[d]);
  parts->num_arrays = nr_sparse_array_types(type, types);
  for (size_t l = 0; l < levels.count; l++) {
    NrIndex none = nr_index_const(0), places, size = nr_index_of(parts->sizes[levels.dims[l]]);
    if (levels.letters[l] == 'd') {
      above = positions_below(b, op, above, size);
      continue;
    }
    if (levels.letters[l] == 's') {
      places = nr_index_add(b, above, nr_index_const(1));
      NrValue *zero = nr_arith_constant_int(b, levels.position, 0);
      NrValue *empty = nr_build_empty(b, levels.position, &places, 1);
      parts->arrays[nr_sparse_array_of(&levels, l, true)] =
          nr_build_tensor_cast(b, nr_build_fill(b, zero, empty), open_row(levels.position));
    }
    parts->arrays[nr_sparse_array_of(&levels, l, false)] =
        nr_build_tensor_cast(b, nr_build_empty(b, levels.coordinate, &none, 1), open_row(levels.coordinate));
    above = none;
  }
  NrValue *values = nr_build_empty(b, type->elem, &above, 1);
  NrValue *zero = nr_op_result(nr_build_constant(b, nr_zero_attr(type->elem), type->elem));
  parts->arrays[parts->num_arrays - 1] = nr_build_tensor_cast(b, nr_build_fill(b, zero, values), open_row(type->elem));
}

/* An array at the beginning of `out`, and how long it is. */
static NrValue *write_array(NrBuilder *b, NrOp *op, NrValue *array, NrValue *out, NrValue **out_size) {
  NrValue *size = nr_check_size_of(b, array, 0), *room = nr_check_size_of(b, out, 0);
  nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_ULE, size, room), "writes an array of %0 elements to one of %1",
                  (NrValue *[]){size, room}, 2);
  NrIndex zero = nr_index_const(0), length = nr_index_of(size), one = nr_index_const(1);
  *out_size = size;
  return nr_build_insert_slice(b, array, out, &zero, &length, &one);
}

static NrStatus lower_disassemble(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrSparseParts *parts = nr_sparsify_parts(x, op, nr_op_source(op));
  NrGroup levels = nr_sparse_tensor_disassemble_out_levels(op);
  if (!parts) return NR_ERROR_INVALID;
  for (size_t i = 0; i < parts->num_arrays; i++) {
    NrValue *size, *length = nr_result(op, parts->num_arrays + i);
    NrValue *array = write_array(b, op, parts->arrays[i], nr_operand(op, levels.begin + i), &size);
    if (length->type != size->type) size = nr_build_value(b, NR_OP_arith_index_cast, length->type, &size, 1);
    nr_value_replace_uses(nr_result(op, i), array);
    nr_value_replace_uses(length, size);
  }
  nr_op_erase(op);
  return NR_OK;
}

static NrStatus lower_buffer(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrSparseParts *parts = nr_sparsify_parts(x, op, nr_op_source(op));
  NrSparseLevels levels;
  if (!parts) return NR_ERROR_INVALID;
  nr_sparse_levels_of(nr_op_source(op)->type, &levels);
  size_t i = parts->num_arrays - 1;
  if (!nr_op_is(op, NR_OP_sparse_tensor_values))
    i = nr_sparse_array_of(&levels, (size_t)nr_op_attr_int(op, NR_A_level, 0),
                           nr_op_is(op, NR_OP_sparse_tensor_positions));
  NrOp *made = nr_build_op(b, NR_OP_bufferization_to_buffer, &parts->arrays[i], 1, &nr_op_result(op)->type, 1);
  nr_op_set_attr_named(made, "read_only", nr_attr_unit(x->ctx));
  nr_op_replace(op, nr_op_result(made));
  return NR_OK;
}

static NrStatus lower_count(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrSparseParts *parts = nr_sparsify_parts(x, op, nr_op_source(op));
  if (!parts) return NR_ERROR_INVALID;
  nr_op_replace(op, nr_check_size_of(b, parts->arrays[parts->num_arrays - 1], 0));
  return NR_OK;
}

/* tensor.cast changes what the type says of the sizes. */
static NrStatus lower_cast(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrType from = nr_op_source(op)->type, to = nr_op_result(op)->type;
  if (from->layout != to->layout) return nr_op_error(op, "cannot change the encoding; sparse_tensor.convert does");
  NrSparseParts *parts = nr_sparsify_parts(x, op, nr_op_source(op));
  if (!parts) return NR_ERROR_INVALID;
  NrSparseParts *made = nr_sparsify_add(x, nr_op_result(op));
  *made = *parts;
  for (uint32_t d = 0; d < to->rank; d++) {
    if (to->dims[d] == NR_DYNAMIC || to->dims[d] == from->dims[d]) continue;
    made->sizes[d] = nr_arith_constant_index(b, to->dims[d]);
    nr_check_unless(b, op, nr_arith_cmpi(b, NR_CMPI_EQ, parts->sizes[d], made->sizes[d]),
                    "a dim has %0 elements, but the type says %1", (NrValue *[]){parts->sizes[d], made->sizes[d]}, 2);
  }
  return NR_OK;
}

static NrStatus lower_dim(NrSparsify *x, NrOp *op) {
  NrSparseParts *parts = nr_sparsify_parts(x, op, nr_op_source(op));
  int64_t dim;
  if (!parts) return NR_ERROR_INVALID;
  if (!nr_value_constant_int(nr_op_index(op), &dim) || dim < 0 || (uint32_t)dim >= nr_op_source(op)->type->rank)
    return nr_op_error(op, "of a sparse tensor needs a constant index of one of its dims");
  nr_op_replace(op, parts->sizes[dim]);
  return NR_OK;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool has_sparse(const NrOp *op) {
  bool found = false;
  for (uint32_t i = 0; i < op->num_operands; i++) found |= is_sparse(nr_operand(op, i));
  for (uint32_t i = 0; i < op->num_results; i++) found |= is_sparse(nr_result((NrOp *)op, i));
  return found;
}

static bool has_sparse_args(const NrOp *op) {
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = nr_op_body(op, r); block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++)
        if (is_sparse(nr_block_arg(block, i))) return true;
  return false;
}

static bool is_named_structured(const NrOp *op) {
  return nr_linalg_is_structured(op) && !nr_op_is(op, NR_OP_linalg_generic) && has_sparse(op);
}

static NrStatus lower(NrSparsify *x, NrOp *op) {
  NrBuilder b = nr_builder_before(op);
  if (nr_op_is(op, NR_OP_linalg_generic)) return nr_sparsify_generic(x, op);
  if (passes_values(op)) return split_op(x, op);
  if (passes_operands(op)) return split_operands_in_place(x, op);
  switch (op->info->id) {
  case NR_OP_sparse_tensor_assemble: lower_assemble(x, &b, op); return NR_OK;
  case NR_OP_sparse_tensor_disassemble: return lower_disassemble(x, &b, op);
  case NR_OP_sparse_tensor_positions:
  case NR_OP_sparse_tensor_coordinates:
  case NR_OP_sparse_tensor_values: return lower_buffer(x, &b, op);
  case NR_OP_sparse_tensor_number_of_entries: return lower_count(x, &b, op);
  case NR_OP_sparse_tensor_convert: return nr_sparsify_convert(x, op);
  case NR_OP_tensor_empty: lower_empty(x, &b, op); return NR_OK;
  case NR_OP_tensor_cast: return lower_cast(x, &b, op);
  case NR_OP_tensor_dim: return lower_dim(x, op);
  case NR_OP_cf_br: case NR_OP_cf_cond_br: case NR_OP_cf_switch:
    return nr_op_error(op, "has a sparse tensor, for which it is not lowered; scf.if and scf.while pass one on");
  default:
    return nr_op_error(op, "has a sparse tensor, for which it is not lowered; sparse_tensor.convert makes it dense");
  }
}

static NrStatus lower_function(NrSparsify *x, NrOp *func) {
  NrOpList ops = {0};
  NrStatus status = nr_expand_ops(func, is_named_structured);
  nr_split_function(func, split_type, false);
  if (nr_func_func_body(func)) split_args(x, nr_func_func_body(func), func->loc);
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size && !status; i++) {
    NrOp *op = ops.data[i];
    if (nr_is_erased(op)) continue; /* the body of one that was lowered */
    if (has_sparse(op) || (passes_values(op) && has_sparse_args(op))) {
      status = lower(x, op);
      if (!status && op->block && !passes_operands(op)) nr_vec_push(&x->old, op);
    } else if (has_sparse_args(op)) {
      status = nr_op_error(op, "has a sparse tensor as argument of a block, which is not lowered");
    }
  }
  nr_vec_deinit(&ops);
  return status;
}

/* The ops that were replaced use each other, and nothing else uses them. */
static void erase_old(NrSparsify *x) {
  for (size_t i = 0; i < x->old.size; i++) nr_op_drop_uses(x->old.data[i]);
  for (size_t i = 0; i < x->old.size; i++) nr_op_erase(x->old.data[i]);
}

static void erase_args(NrOp *root) {
  for (uint32_t r = 0; r < root->num_regions; r++)
    for (NrBlock *block = nr_op_body(root, r); block; block = block->next) {
      for (size_t i = block->num_args; i-- > 0;)
        if (is_sparse(nr_block_arg(block, i))) nr_block_erase_arg(block, i);
      for (NrOp *op = block->first; op; op = op->next) erase_args(op);
    }
}

static bool finds_sparse(NrOp *op, void *user) {
  (void)user;
  if (has_sparse(op) || has_sparse_args(op)) return false;
  NrType type = nr_op_is(op, NR_OP_func_func) ? nr_func_type(op) : NULL;
  return !type || nr_split_signature(type, split_type) == type;
}

static NrStatus sparsify_run(NrPassContext *pass, NrOp *root) {
  if (nr_walk_pre(root, finds_sparse, NULL)) return NR_OK;
  NrSparsify x = {.ctx = pass->ctx, .module = pass->module, .arena = pass->scratch, .table = root,
                  .check_order = nr_pass_flag(pass, "check-order")};
  NrOpList ops = {0};
  NrStatus status = NR_OK;
  nr_collect_ops(root, &ops);
  for (size_t i = 0; i < ops.size && !status; i++)
    if (!nr_is_erased(ops.data[i]) && nr_op_is(ops.data[i], NR_OP_func_func)) {
      x.table = nr_op_parent(ops.data[i]);
      status = lower_function(&x, ops.data[i]);
    }
  if (!status) erase_old(&x);
  if (!status) erase_args(root);
  nr_vec_deinit(&ops);
  nr_vec_deinit(&x.old);
  nr_map_deinit(&x.parts);
  nr_strmap_deinit(&x.kernels);
  nr_symbol_names_deinit(&x.names);
  return status;
}

static const NrPassOption options[] = {
    NR_FLAG("check-order", false, "kernels first check that the coordinates of their operands are in order"),
    {0},
};

NR_PASS(sparsify, .name = "sparsify", .on_while = NR_WHILE_HANDLES, .on = "builtin.module", .of_table = true,
        .options = options, .run = sparsify_run,
        .doc = "replaces sparse tensors by their arrays, and structured ops on them by calls of kernels")
