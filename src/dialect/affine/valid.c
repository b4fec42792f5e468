/* valid.c - which values may be dims and which symbols, by MLIR's rules.
 *
 * A rule holds for a value if it holds for some of its operands, recursively; a worklist avoids the recursion. */
#include "dialect/affine/affine.h"
#include "dialect/operands.h"

/* Limit of values visited for one answer. Beyond it a value counts as invalid. */
enum { MAX_VISITED = 4096 };

typedef struct Worklist {
  NR_VEC(NrValue *) values;
  NrMap seen;
} Worklist;

static void worklist_deinit(Worklist *q) {
  nr_vec_deinit(&q->values);
  nr_map_deinit(&q->seen);
}

static void enqueue(Worklist *q, NrValue *value) {
  if (nr_map_has(&q->seen, value)) return;
  nr_map_set(&q->seen, value, value);
  nr_vec_push(&q->values, value);
}

/* Whether the value is defined at the top level of a function or another op that is isolated from above. */
static bool is_top_level(const NrValue *value) {
  const NrOp *owner = nr_block_parent_op(nr_value_block(value));
  return owner && nr_op_has(owner, NR_ISOLATED);
}

/* The op under a chain of casts. Casts may be malformed, since this also runs before all ops are verified. */
static NrOp *below_casts(NrValue *memref) {
  NrOp *op = memref->op;
  for (int i = 0; i < MAX_VISITED && nr_op_is(op, NR_OP_memref_cast) && op->num_operands == 1; i++)
    op = nr_memref_cast_source(op)->op;
  return op;
}

/* Counts the dynamic entries among the first `dim`; false unless there is one entry per dim of the type. */
static bool count_dynamic(NrAttr sizes, NrType type, int64_t dim, size_t *out) {
  *out = 0;
  bool whole = sizes && sizes->kind == NR_ATTR_DENSE_ARRAY && sizes->data_size == type->rank * sizeof(int64_t);
  for (int64_t d = 0; whole && d < dim; d++) *out += ((const int64_t *)sizes->data)[d] == NR_DYNAMIC;
  return whole; /* false for a rank-reducing subview: which dims it drops is not computed */
}

/* The operand with the size of dim `dim` of a memref. NULL for a static size, with *out_static, and where it is not
 * known. */
static NrValue *size_operand(NrOp *op, int64_t dim, bool *out_static) {
  *out_static = false;
  bool known = nr_op_is(op, NR_OP_memref_alloc) || nr_op_is(op, NR_OP_memref_view) ||
               nr_op_is(op, NR_OP_memref_subview);
  if (!known) return NULL;
  NrType type = op->num_results == 1 ? nr_op_result(op)->type : NULL;
  if (!type || type->kind != NR_TYPE_MEMREF || dim < 0 || dim >= (int64_t)type->rank) return NULL;
  *out_static = type->dims[dim] != NR_DYNAMIC;
  size_t begin, count, at = 0, group = nr_op_is(op, NR_OP_memref_alloc) ? 0 : 2;
  if (*out_static || !nr_op_operand_group(op, group, &begin, &count)) return NULL;
  if (nr_op_is(op, NR_OP_memref_subview)) {
    if (!count_dynamic(nr_op_attr(op, NR_A_static_sizes), type, dim, &at)) return NULL;
  } else {
    for (int64_t d = 0; d < dim; d++) at += type->dims[d] == NR_DYNAMIC;
  }
  return at < count ? nr_operand(op, begin + at) : NULL;
}

static bool dim_is_symbol(Worklist *q, NrOp *op) {
  NrValue *source = nr_op_source(op);
  int64_t dim;
  bool is_static;
  if (is_top_level(source)) return true;
  if (!source->op || !nr_value_constant_int(nr_op_index(op), &dim)) return false;
  NrOp *maker = below_casts(source);
  NrValue *size = maker ? size_operand(maker, dim, &is_static) : NULL;
  if (!maker || (!size && !is_static)) return false;
  if (size) enqueue(q, size);
  return true;
}

static bool is_dim_op(const NrOp *op) {
  return (nr_op_is(op, NR_OP_memref_dim) || nr_op_is(op, NR_OP_tensor_dim)) && op->num_operands == 2;
}

static bool symbol_step(Worklist *q, NrValue *value) {
  if (!nr_type_is_index(value->type)) return false;
  if (is_top_level(value)) return true;
  NrOp *op = value->op;
  if (!op) return false;
  if (nr_op_has(op, NR_CONSTANT_LIKE)) return true;
  if (is_dim_op(op)) return dim_is_symbol(q, op);
  if (!nr_op_is_pure(op)) return false;
  for (uint32_t i = 0; i < op->num_operands; i++) enqueue(q, nr_operand(op, i));
  return true;
}

bool nr_affine_is_symbol(NrValue *value) {
  if (is_top_level(value) || !value->op) return nr_type_is_index(value->type) && is_top_level(value);
  Worklist q = {0};
  bool ok = true;
  enqueue(&q, value);
  for (size_t i = 0; ok && i < q.values.size; i++) ok = i < MAX_VISITED && symbol_step(&q, q.values.data[i]);
  worklist_deinit(&q);
  return ok;
}

bool nr_affine_is_iv(const NrValue *value) {
  if (value->op) return false;
  const NrOp *loop = nr_block_parent_op(value->block);
  return (nr_op_is(loop, NR_OP_affine_for) && value->index == 0) || nr_op_is(loop, NR_OP_affine_parallel);
}

static bool dim_step(Worklist *q, NrValue *value) {
  if (!nr_type_is_index(value->type)) return false;
  if (nr_affine_is_iv(value) || nr_affine_is_symbol(value)) return true;
  NrOp *op = value->op;
  if (!op) return false;
  if (is_dim_op(op)) return is_top_level(nr_op_source(op));
  bool of_dims = nr_op_is(op, NR_OP_affine_apply) || nr_op_is(op, NR_OP_affine_delinearize_index) ||
                 nr_op_is(op, NR_OP_affine_linearize_index);
  if (!of_dims) return false;
  for (uint32_t i = 0; i < op->num_operands; i++) enqueue(q, nr_operand(op, i));
  return true;
}

bool nr_affine_is_dim(NrValue *value) {
  if (nr_affine_is_iv(value)) return nr_type_is_index(value->type);
  Worklist q = {0};
  bool ok = true;
  enqueue(&q, value);
  for (size_t i = 0; ok && i < q.values.size; i++) ok = i < MAX_VISITED && dim_step(&q, q.values.data[i]);
  worklist_deinit(&q);
  return ok;
}

NrStatus nr_affine_verify_operands(NrOp *op, size_t first, size_t num_dims, size_t num_symbols) {
  for (size_t i = 0; i < num_dims + num_symbols; i++) {
    NrValue *value = nr_operand(op, first + i);
    if (i < num_dims && !nr_affine_is_dim(value)) return nr_op_error(op, "operand cannot be used as a dimension id");
    if (i >= num_dims && !nr_affine_is_symbol(value)) return nr_op_error(op, "operand cannot be used as a symbol");
  }
  return NR_OK;
}
