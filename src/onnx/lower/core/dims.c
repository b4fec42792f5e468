/* dims.c - dims and shapes while lowering: index arithmetic that folds as it is built. */
#include "dialect/tensor/ops.h"
#include "onnx/lower/core/state.h"

#include "dialect/onnx/dtype.h"
#include "dialect/shared/shaped.h"

/* ---- dims ---- */

NrDim nr_dim_of_index(NrValue *index) {
  int64_t size;
  /* A constant that happens to equal NR_DYNAMIC must not become a static size: it would read as a dynamic one. */
  if (nr_value_constant_int(index, &size) && size != NR_DYNAMIC) return nr_dim(size);
  return (NrDim){NR_DYNAMIC, index};
}

NrValue *nr_dim_value(NrLower *l, NrDim d) { return d.value ? d.value : nr_lower_index(l, d.size); }

bool nr_dim_same(NrDim a, NrDim b) { return nr_dim_known(a) ? a.size == b.size : a.value == b.value; }

static NrIndex index_of(NrDim d) { return d.value ? (NrIndex){d.value, 0} : nr_index_const(d.size); }

/* A constant that equals NR_DYNAMIC stays a value, see nr_dim_of_index. */
static NrDim dim_of(NrLower *l, NrIndex i) {
  if (!i.value && i.constant != NR_DYNAMIC) return nr_dim(i.constant);
  return (NrDim){NR_DYNAMIC, nr_index_value(&l->b, i)};
}

typedef NrIndex (*IndexFn)(NrBuilder *b, NrIndex x, NrIndex y);
static NrDim apply(NrLower *l, IndexFn fn, NrDim a, NrDim b) { return dim_of(l, fn(&l->b, index_of(a), index_of(b))); }

NrDim nr_dim_add(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_add, a, b); }
NrDim nr_dim_sub(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_sub, a, b); }
NrDim nr_dim_mul(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_mul, a, b); }
NrDim nr_dim_div(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_floordiv, a, b); }
NrDim nr_dim_ceildiv(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_ceildiv, a, b); }
NrDim nr_dim_min(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_min, a, b); }
NrDim nr_dim_max(NrLower *l, NrDim a, NrDim b) { return apply(l, nr_index_max, a, b); }
NrDim nr_dim_select(NrLower *l, NrValue *cond, NrDim a, NrDim b) {
  return dim_of(l, nr_index_select(&l->b, cond, index_of(a), index_of(b)));
}

/* ---- dims of tensors ---- */

uint32_t nr_rank(NrValue *tensor) { return tensor->type->rank; }

static NrDim *dim_cache(NrLower *l, NrValue *tensor) {
  NrDim *dims = nr_map_get(&l->state->dims, tensor);
  if (dims) return dims;
  dims = NR_NEW_ARRAY(&l->state->arena, NrDim, nr_rank(tensor) + 1);
  for (uint32_t i = 0; i < nr_rank(tensor); i++) dims[i] = nr_dim(tensor->type->dims[i]);
  nr_map_set(&l->state->dims, tensor, dims);
  return dims;
}

void nr_lower_set_dim(NrLower *l, NrValue *tensor, size_t i, NrDim d) {
  NrDim *dims = dim_cache(l, tensor);
  if (!nr_dim_known(dims[i])) dims[i] = d;
}

/* The position of dim i among the `?` dims, which is the number of its dynamic operand. */
static size_t dynamic_position(NrType t, size_t i) {
  size_t n = 0;
  for (size_t k = 0; k < i; k++) n += t->dims[k] == NR_DYNAMIC;
  return n;
}

/* An operand of op whose dim i equals dim i of the result by the definition of op; NULL: read it by tensor.dim. */
static NrValue *dim_source(NrOp *op, const NrValue *result) {
  NrValue *destination = nr_op_destination(op, result->index);
  if (destination) return destination;
  return nr_op_is(op, NR_OP_tensor_cast) && nr_type_is_ranked(nr_tensor_cast_source(op)->type)
             ? nr_tensor_cast_source(op)
             : NULL;
}

NrDim nr_lower_dim(NrLower *l, NrValue *tensor, size_t i) {
  NrDim *dims = dim_cache(l, tensor);
  if (nr_dim_known(dims[i]) || dims[i].value) return dims[i];
  NrOp *op = tensor->op;
  NrValue *source = op ? dim_source(op, tensor) : NULL;
  if (source) return dims[i] = nr_lower_dim(l, source, i);
  if (op && nr_op_is(op, NR_OP_tensor_empty))
    return dims[i] = nr_dim_of_index(nr_operand(op, dynamic_position(tensor->type, i)));
  /* tensor.dim stands right behind the definition, so that it dominates every later use. */
  NrBuilder here = l->b;
  l->b = op ? nr_builder_after(op) : nr_builder_at_start(here.module, tensor->block, here.loc);
  NrValue *position = nr_lower_index(l, (int64_t)i);
  NrValue *size = nr_build_value(&l->b, NR_OP_tensor_dim, nr_type_index(l->ctx), (NrValue *[]){tensor, position}, 2);
  l->b = here;
  return dims[i] = nr_dim_of_index(size);
}

NrShape nr_lower_shape(NrLower *l, NrValue *tensor) {
  NrShape s = {.rank = nr_rank(tensor)};
  for (size_t i = 0; i < s.rank; i++) s.dims[i] = nr_lower_dim(l, tensor, i);
  return s;
}

NrDim nr_shape_elements(NrLower *l, const NrShape *s, size_t begin, size_t end) {
  NrDim n = nr_dim(1);
  for (size_t i = begin; i < end; i++) n = nr_dim_mul(l, n, s->dims[i]);
  return n;
}

/* An error for dims that no tensor has. The lowering of the op goes on with a tensor without elements and returns
 * the error at its end (lower.c). */
static void refuse_size(NrLower *l, const int64_t *dims, size_t rank) {
  NrBuf text = {0};
  for (size_t i = 0; i < rank; i++) {
    nr_buf_puts(&text, i ? "x" : "");
    if (dims[i] == NR_DYNAMIC) nr_buf_putc(&text, '?');
    else nr_buf_printf(&text, "%lld", (long long)dims[i]);
  }
  nr_lower_error(l, "needs a tensor of shape %s, which no memory can hold", text.data);
  nr_buf_deinit(&text);
}

NrType nr_shape_type(NrLower *l, const NrShape *s, NrType elem) {
  int64_t dims[NORIA_MAX_RANK];
  for (size_t i = 0; i < s->rank; i++) dims[i] = s->dims[i].size;
  if (!nr_dims_fit(dims, s->rank, nr_type_byte_size(elem))) {
    refuse_size(l, dims, s->rank);
    for (size_t i = 0; i < s->rank; i++)
      if (dims[i] != NR_DYNAMIC) dims[i] = 0;
  }
  return nr_type_tensor(dims, s->rank, elem);
}

bool nr_lower_axis(NrLower *l, int64_t axis, size_t rank, size_t *out) {
  int64_t n = (int64_t)rank, at = axis < 0 ? axis + n : axis;
  if (at < 0 || at >= n) {
    nr_lower_error(l, "axis %lld is out of range for rank %zu", (long long)axis, rank);
    return false;
  }
  *out = (size_t)at;
  return true;
}

/* ---- checks ---- */

void nr_lower_check(NrLower *l, NrValue *cond, const char *text, NrValue *const *values, size_t num_values) {
  int64_t known;
  if (nr_value_constant_int(cond, &known) && known) return;
  NrValue *operands[5] = {cond};
  assert(num_values <= 4);
  for (size_t i = 0; i < num_values; i++) operands[i + 1] = values[i];
  NrOp *check = nr_build_op(&l->b, NR_OP_rt_check, operands, num_values + 1, NULL, 0);
  nr_op_set_attr(check, NR_A_text, nr_attr_string(l->ctx, nr_str(text)));
  if (l->op && l->op->loc->kind == NR_LOC_NAME)
    nr_op_set_attr(check, NR_A_node, nr_attr_string(l->ctx, l->op->loc->name));
}

void nr_lower_check_dims_equal(NrLower *l, NrDim a, NrDim b, const char *what) {
  if (nr_lower_dims_equal(l, a, b)) return;
  if (nr_dim_known(a) && nr_dim_known(b)) {
    nr_lower_error(l, "%s: %lld and %lld differ", what, (long long)a.size, (long long)b.size);
    return;
  }
  NrValue *x = nr_dim_value(l, a), *y = nr_dim_value(l, b);
  const char *text = nr_arena_printf(&l->state->arena, "%s: %%0 and %%1 differ", what);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_EQ, x, y), text, (NrValue *[]){x, y}, 2);
}

/* ---- broadcasting ---- */

static bool broadcast_dim(NrLower *l, NrDim a, NrDim b, NrDim *out) {
  if (nr_lower_dims_equal(l, a, b) || nr_dim_is(b, 1)) return *out = a, true;
  if (nr_dim_is(a, 1)) return *out = b, true;
  if (nr_dim_known(a) && nr_dim_known(b)) {
    nr_lower_error(l, "shapes do not broadcast: dims %lld and %lld", (long long)a.size, (long long)b.size);
    return false;
  }
  NrValue *x = nr_dim_value(l, a), *y = nr_dim_value(l, b), *one = nr_lower_index(l, 1);
  NrType i1 = nr_type_i1(l->ctx);
  NrValue *a_is_1 = nr_lower_cmpi(l, NR_CMPI_EQ, x, one), *b_is_1 = nr_lower_cmpi(l, NR_CMPI_EQ, y, one);
  NrValue *fits = nr_lower_op2(l, NR_OP_arith_ori, i1, nr_lower_op2(l, NR_OP_arith_ori, i1, a_is_1, b_is_1),
                               nr_lower_cmpi(l, NR_CMPI_EQ, x, y));
  nr_lower_check(l, fits, "shapes do not broadcast: dims %0 and %1", (NrValue *[]){x, y}, 2);
  /* Where one dim is known and not 1 the result has it: the other dim is equal or 1. */
  if (nr_dim_known(a)) *out = a;
  else if (nr_dim_known(b)) *out = b;
  else *out = nr_dim_select(l, a_is_1, b, a);
  return true;
}

bool nr_lower_broadcast(NrLower *l, const NrShape *shapes, size_t count, NrShape *out) {
  out->rank = 0;
  for (size_t k = 0; k < count; k++) out->rank = NR_MAX(out->rank, shapes[k].rank);
  for (size_t i = 0; i < out->rank; i++) {
    NrDim d = nr_dim(1);
    for (size_t k = 0; k < count; k++) {
      size_t missing = out->rank - shapes[k].rank;
      if (i >= missing && !broadcast_dim(l, d, shapes[k].dims[i - missing], &d)) return false;
    }
    out->dims[i] = d;
  }
  return true;
}
