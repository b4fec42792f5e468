/* canonicalize_transfer.c - rewrites of transfer_read and transfer_write on tensors: store-to-load forwarding and dead
 * store elimination.
 *
 *   before  %1 = vector.transfer_write %v, %t[%i] : vector<4xf32>, tensor<8xf32>        after  %v
 *           %2 = vector.transfer_read %1[%i], %p : tensor<8xf32>, vector<4xf32>
 */
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "dialect/vector/vector.h"

enum { MAX_STEPS = 32 }; /* limit of the walk back along writes to other elements */

static NrValue *index_of(const NrOp *transfer, uint32_t i) {
  return nr_operand(transfer, (nr_op_is(transfer, NR_OP_vector_transfer_read) ? 1 : 2) + i);
}

/* Whether two transfers of tensors with one shape access the same elements in the same order, apart from masks and
 * bounds. */
static bool same_elements(const NrOp *a, const NrOp *b) {
  if (nr_transfer_vector_type(a) != nr_transfer_vector_type(b)) return false;
  if (nr_op_attr(a, NR_A_permutation_map) != nr_op_attr(b, NR_A_permutation_map)) return false;
  for (uint32_t i = 0; i < nr_transfer_base(a)->type->rank; i++)
    if (!nr_index_eq(nr_index_of(index_of(a, i)), nr_index_of(index_of(b, i)))) return false;
  return true;
}

/* The number of elements that a transfer may access along a dim of its base. */
static int64_t reach(const NrOp *transfer, uint32_t dim) {
  NrAttr map = nr_op_attr(transfer, NR_A_permutation_map);
  NrType vector = nr_transfer_vector_type(transfer);
  for (uint32_t r = 0; r < map->num_exprs; r++)
    if (map->exprs[r]->kind == NR_AFFINE_DIM && map->exprs[r]->value == dim) return vector->dims[r];
  return 1;
}

/* Whether the transfers access disjoint ranges along some dim. */
static bool are_apart(const NrOp *a, const NrOp *b) {
  if (nr_transfer_vector_type(a)->scalable || nr_transfer_vector_type(b)->scalable) return false;
  for (uint32_t i = 0; i < nr_transfer_base(a)->type->rank; i++) {
    NrIndex x = nr_index_of(index_of(a, i)), y = nr_index_of(index_of(b, i));
    int64_t end;
    if (x.value || y.value) continue;
    if (nr_add_i64(x.constant, reach(a, i), &end) && end <= y.constant) return true;
    if (nr_add_i64(y.constant, reach(b, i), &end) && end <= x.constant) return true;
  }
  return false;
}

static bool is_all_in_bounds(const NrOp *op) {
  for (uint32_t i = 0; i < nr_transfer_vector_type(op)->rank; i++)
    if (!nr_transfer_in_bounds(op, i)) return false;
  return true;
}

static NrOp *write_before(const NrOp *op) {
  NrOp *def = nr_transfer_base(op)->op;
  return nr_op_is(def, NR_OP_vector_transfer_write) ? def : NULL;
}

static bool absorb_cast(NrOp *op) {
  bool read = nr_op_is(op, NR_OP_vector_transfer_read);
  NrValue *base = nr_transfer_base(op);
  bool tensor = base->type->kind == NR_TYPE_TENSOR;
  if (tensor ? !read || !nr_op_is(base->op, NR_OP_tensor_cast) : !nr_op_is(base->op, NR_OP_memref_cast)) return false;
  NrValue *source = nr_op_source(base->op);
  if (!nr_type_refines(source->type, base->type)) return false;
  nr_op_set_operand(op, nr_op_base_index(op), source);
  return true;
}

bool nr_vector_transfer_read_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool changed = nr_vector_drop_full_mask(op);
  changed |= absorb_cast(op);
  NrOp *write = write_before(op);
  for (int steps = 0; write && steps < MAX_STEPS; steps++) {
    if (!nr_transfer_mask(write) && !nr_transfer_mask(op) && is_all_in_bounds(write) && same_elements(write, op))
      return nr_op_replace(op, nr_vector_transfer_write_value(write));
    if (!are_apart(write, op)) break;
    nr_op_set_operand(op, NR_VECTOR_TRANSFER_READ_BASE, nr_transfer_base(write));
    changed = true;
    write = write_before(op);
  }
  return changed;
}

/* Skips an earlier write of the same elements, if there are only writes of other elements in between. */
static bool drop_earlier(NrOp *op) {
  NrOp *after = op, *write = write_before(op);
  for (int steps = 0; write && steps < MAX_STEPS; steps++) {
    if ((!nr_transfer_mask(op) || nr_transfer_mask(op) == nr_transfer_mask(write)) && same_elements(write, op)) {
      nr_op_set_operand(after, NR_VECTOR_TRANSFER_WRITE_BASE, nr_transfer_base(write));
      return true;
    }
    if (!are_apart(write, op) || !nr_value_has_one_use(nr_op_result(write))) return false;
    after = write;
    write = write_before(write);
  }
  return false;
}

/* Whether op writes the vector that was read from the same elements of the same tensor. */
static bool writes_back(const NrOp *op) {
  const NrOp *read = nr_vector_transfer_write_value(op)->op;
  return nr_op_is(read, NR_OP_vector_transfer_read) && nr_transfer_base(read) == nr_transfer_base(op) &&
         !nr_transfer_mask(read) && same_elements(read, op);
}

bool nr_vector_transfer_write_canonicalize(NrOp *op, NrBuilder *b) {
  (void)b;
  bool changed = nr_vector_drop_full_mask(op);
  if (op->num_results == 0) return absorb_cast(op) || changed;
  if (writes_back(op)) return nr_op_replace(op, nr_transfer_base(op));
  return drop_earlier(op) || changed;
}
