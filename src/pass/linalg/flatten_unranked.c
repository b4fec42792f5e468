/* flatten_unranked.c - flattens tensors of unknown rank for element-wise ops.
 *
 *   before  %c = arith.addf %a, %b : tensor<*xf32>
 *   after   %shape, %n = scf.for %d = 0 to tensor.rank %a { tensor.dim %a, %d .. }
 *           rt.check %same, "'arith.addf' op its operands have different shapes"
 *           %x = tensor.reshape %a(%n) : tensor<?xf32>
 *           %y = tensor.reshape %b(%n) : tensor<?xf32>
 *           %z = arith.addf %x, %y : tensor<?xf32>
 *           %c = tensor.reshape %z(%shape) : tensor<*xf32>
 *
 * An op that uses such a result uses its 1-D tensor directly, so a chain of ops computes one shape only. An
 * arith.select with a scalar condition, which chooses between whole tensors, is not changed. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/checks.h"
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"
#include "pass/linalg/unranked.h"

/* A tensor of unknown rank, flattened to 1-D, and its original shape: a tensor<?xindex>. */
typedef struct Row {
  NrValue *elements, *shape;
} Row;

typedef struct Flatten {
  NrMap rows; /* NrValue* -> Row* */
  NrArena arena;
} Flatten;

static bool has_no_rank(const NrValue *v) { return v->type->kind == NR_TYPE_UNRANKED_TENSOR; }

static NrType row_type(NrType elem) { return nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, elem); }

static NrValue *dim_of(NrBuilder *b, NrValue *tensor, NrValue *index) {
  return nr_build_value(b, NR_OP_tensor_dim, nr_type_index(b->ctx), (NrValue *[]){tensor, index}, 2);
}

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

NrValue *nr_build_reshape(NrBuilder *b, NrValue *tensor, NrValue *shape, NrType type) {
  return nr_build_value(b, NR_OP_tensor_reshape, type, (NrValue *[]){tensor, shape}, 2);
}

NrValue *nr_unranked_shape(NrBuilder *b, NrValue *tensor, int64_t without, int64_t extra, NrValue **out_count) {
  NrType index = nr_type_index(b->ctx);
  NrValue *zero = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1), *d;
  NrValue *rank = nr_build_value(b, NR_OP_tensor_rank, index, &tensor, 1), *length = rank;
  if (without) length = rank = nr_arith_binary(b, NR_OP_arith_subi, rank, nr_arith_constant_index(b, without));
  if (extra) length = nr_arith_binary(b, NR_OP_arith_addi, rank, one);
  NrIndex dims[1] = {nr_index_of(length)};
  NrValue *carried[2] = {nr_build_empty(b, index, dims, 1), one};
  if (extra) carried[0] = nr_build_insert(b, nr_arith_constant_index(b, extra), carried[0], &rank, 1);
  NrOp *loop = nr_scf_open_for(b, zero, rank, one, carried, 2, &d);
  NrValue *size = dim_of(b, tensor, d);
  carried[0] = nr_build_insert(b, size, carried[0], &d, 1);
  carried[1] = nr_arith_binary(b, NR_OP_arith_muli, carried[1], size);
  nr_scf_close_for(b, loop, carried, 2);
  *out_count = carried[1];
  return carried[0];
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static Row *add_row(Flatten *f, NrValue *tensor, Row row) {
  Row *r = NR_NEW(&f->arena, Row);
  *r = row;
  nr_map_set(&f->rows, tensor, r);
  return r;
}

/* The flattened tensor. It is built at the definition of tensor, so that it dominates every use. */
static Row *row_of(Flatten *f, NrValue *tensor, NrOp *user) {
  Row *known = nr_map_get(&f->rows, tensor);
  if (known) return known;
  NrBuilder b = nr_builder_before(user);
  b = tensor->block ? nr_builder_at_start(b.module, tensor->block, b.loc) : nr_builder_after(tensor->op);
  NrValue *count, *shape = nr_unranked_shape(&b, tensor, 0, 0, &count);
  NrType one = nr_type_tensor((int64_t[]){1}, 1, nr_type_index(b.ctx));
  NrValue *whole = nr_build_from_elements(&b, one, &count, 1);
  Row row = {nr_build_reshape(&b, tensor, whole, row_type(tensor->type->elem)), shape};
  return add_row(f, tensor, row);
}

/* Builds checks that x and y have equal shapes. It compares the ranks first, since tensor.dim needs a valid index. */
static void check_same(NrBuilder *b, NrOp *op, const Row *x, const Row *y) {
  static const char different[] = "its operands have different shapes";
  if (x->shape == y->shape) return;
  NrValue *zero = nr_arith_constant_index(b, 0), *one = nr_arith_constant_index(b, 1), *d;
  NrValue *rank = dim_of(b, x->shape, zero), *same = nr_arith_cmpi(b, NR_CMPI_EQ, rank, dim_of(b, y->shape, zero));
  nr_check_unless(b, op, same, different, NULL, 0);
  NrOp *loop = nr_scf_open_for(b, zero, rank, one, NULL, 0, &d);
  same = nr_arith_cmpi(b, NR_CMPI_EQ, nr_build_extract(b, x->shape, &d, 1), nr_build_extract(b, y->shape, &d, 1));
  nr_check_unless(b, op, same, different, NULL, 0);
  nr_scf_close_for(b, loop, NULL, 0);
}

static bool is_affected(const NrOp *op) {
  bool unranked = false;
  if (!nr_op_has(op, NR_ELEMENTWISE) && !nr_op_is(op, NR_OP_tensor_bitcast)) return false;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *v = nr_operand(op, i);
    if (v->type->kind == NR_TYPE_TENSOR) return false;
    unranked |= has_no_rank(v);
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!has_no_rank(nr_result(op, i))) return false;
  bool chooses_whole = nr_op_is(op, NR_OP_arith_select) && !has_no_rank(nr_arith_select_condition(op));
  return unranked && op->num_results && !chooses_whole;
}

static void flatten(Flatten *f, NrOp *op) {
  NrValue **operands = nr_arena_alloc(&f->arena, op->num_operands * sizeof *operands);
  NrType *types = nr_arena_alloc(&f->arena, op->num_results * sizeof *types);
  Row *first = NULL;
  NrBuilder b = nr_builder_before(op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    operands[i] = nr_operand(op, i);
    if (!has_no_rank(operands[i])) continue;
    Row *row = row_of(f, operands[i], op);
    if (first) check_same(&b, op, first, row);
    else first = row;
    operands[i] = row->elements;
  }
  for (uint32_t i = 0; i < op->num_results; i++) types[i] = row_type(nr_result(op, i)->type->elem);
  NrOp *flat = nr_build(&b, &(NrOpState){.info = op->info,
                                         .operands = operands,
                                         .num_operands = op->num_operands,
                                         .result_types = types,
                                         .num_results = op->num_results,
                                         .attrs = op->attrs,
                                         .num_attrs = op->num_attrs});
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrValue *result = nr_build_reshape(&b, nr_result(flat, i), first->shape, nr_result(op, i)->type);
    add_row(f, result, (Row){nr_result(flat, i), first->shape});
    nr_value_replace_uses(nr_result(op, i), result);
  }
  nr_op_erase(op);
}

static NrStatus flatten_unranked_run(NrPassContext *pass, NrOp *func) {
  (void)pass;
  Flatten f = {0};
  NrOpList ops = {0};
  nr_arena_init(&f.arena);
  nr_collect_ops(func, &ops);
  for (size_t i = 0; i < ops.size; i++)
    if (is_affected(ops.data[i])) flatten(&f, ops.data[i]);
  nr_vec_deinit(&ops);
  nr_map_deinit(&f.rows);
  nr_arena_deinit(&f.arena);
  return NR_OK;
}

NR_PASS(flatten_unranked, .name = "flatten-unranked", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = flatten_unranked_run,
        .doc = "flattens the operands of element-wise ops on tensors of unknown rank to 1-D tensors")
