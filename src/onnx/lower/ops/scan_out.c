/* scan_out.c - joined types, carried values and scan outputs; see control.h. */
#include "dialect/onnx/dtype.h"
#include "dialect/scf/scf.h"
#include "onnx/lower/ops/control.h"

/* ---- types ---- */

NrType nr_join_types(NrType a, NrType b) {
  if (a == b) return a;
  /* A sequence and an optional sequence join to an optional one. */
  if (a->kind == NR_TYPE_onnx_optional && b->kind == NR_TYPE_onnx_seq) b = nr_type_optional(b);
  if (b->kind == NR_TYPE_onnx_optional && a->kind == NR_TYPE_onnx_seq) a = nr_type_optional(a);
  if (a == b) return a;
  if (a->kind != b->kind) return NULL;
  if (a->kind == NR_TYPE_onnx_seq || a->kind == NR_TYPE_onnx_optional) {
    if ((a->elem->kind == NR_TYPE_onnx_seq) != (b->elem->kind == NR_TYPE_onnx_seq)) return NULL;
    /* An empty sequence or optional has no known element type. */
    if (a->elem->kind == NR_TYPE_NONE) return b;
    if (b->elem->kind == NR_TYPE_NONE) return a;
    NrType elem = nr_join_types(a->elem, b->elem);
    /* Items of several ranks are legal if none is read. */
    if (!elem && nr_type_is_tensor(a->elem) && nr_type_is_tensor(b->elem) && a->elem->elem == b->elem->elem)
      elem = nr_type_tensor_unranked(a->elem->elem);
    if (!elem) return NULL;
    return a->kind == NR_TYPE_onnx_seq ? nr_type_seq(elem) : nr_type_optional(elem);
  }
  if (a->kind != NR_TYPE_TENSOR || a->elem != b->elem || a->rank != b->rank) return NULL;
  int64_t dims[NORIA_MAX_RANK];
  for (uint32_t i = 0; i < a->rank; i++) dims[i] = a->dims[i] == b->dims[i] ? a->dims[i] : NR_DYNAMIC;
  return nr_type_tensor(dims, a->rank, a->elem);
}

static bool is_single(NrType t) {
  int64_t n;
  return t->kind == NR_TYPE_TENSOR && nr_type_num_elements(t, &n) && n == 1;
}

NrType nr_carried_type(NrType type) { return is_single(type) ? type->elem : type; }

NrValue *nr_to_carried(NrLower *l, NrValue *value, NrType type) {
  if (is_single(type)) return nr_lower_scalar(l, value);
  if (type->kind == NR_TYPE_onnx_optional && value->type->kind == NR_TYPE_onnx_seq)
    return nr_op_result(nr_lower_rt_call(l, "optional_some_seq", &value, 1, &type, 1));
  /* The same handle with a more or less specific type. */
  if (!nr_type_is_tensor(type) && value->type != type)
    return nr_op_result(nr_lower_rt_call(l, "value_retain", &value, 1, &type, 1));
  return nr_type_is_tensor(type) ? nr_lower_tensor_cast(l, value, type) : value;
}

NrValue *nr_from_carried(NrLower *l, NrValue *carried, NrType type) {
  return is_single(type) ? nr_lower_from_elements(l, type, &carried, 1) : carried;
}

/* ---- dims that exist before the loop ---- */

static bool is_inside(const NrBlock *body, NrBlock *block) {
  while (block && block != body) {
    NrOp *parent = nr_block_parent_op(block);
    block = parent ? parent->block : NULL;
  }
  return block == body;
}

/* Pure and never fails, which includes reading a 0-d tensor. */
static bool runs_anywhere(const NrOp *op) {
  if (op->num_regions || !nr_op_has(op, NR_PURE)) return false;
  return !nr_op_has(op, NR_SPECULATABLE_NO) || (nr_op_is(op, NR_OP_tensor_extract) && op->num_operands == 1);
}

/* The value in front of the loop: itself, its value in the first iteration by `first`, or a copy of the arithmetic that
 * computes it; else NULL. */
static NrValue *hoist(NrLower *l, NrBlock *body, const NrMap *first, NrValue *value, unsigned depth) {
  if (!is_inside(body, nr_value_block(value))) return value;
  NrOp *op = value->op;
  if (first && nr_map_has(first, value)) return nr_map_get(first, value);
  if (!op || depth > 16 || !runs_anywhere(op)) return NULL;
  NrMap map = {0};
  NrValue *result = NULL;
  bool ok = true;
  for (uint32_t i = 0; i < op->num_operands && ok; i++) {
    NrValue *operand = hoist(l, body, first, nr_operand(op, i), depth + 1);
    if (operand && operand != nr_operand(op, i)) nr_map_set(&map, nr_operand(op, i), operand);
    ok = operand != NULL;
  }
  if (ok) {
    NrOp *copy = nr_op_clone(l->b.module, op, &map);
    nr_builder_insert(&l->b, copy);
    result = nr_result(copy, value->index);
  }
  nr_map_deinit(&map);
  return result;
}

/* ---- scan outputs ---- */

const char *nr_scan_out_name(NrLower *l, size_t i) {
  NrStr name = nr_str(i < l->op->num_results ? nr_result(l->op, i)->name : NULL);
  if (!name.size || memchr(name.data, '%', name.size)) return nr_arena_printf(&l->state->arena, "%zu", i);
  return nr_arena_printf(&l->state->arena, "%.*s", NR_STR_ARG(name));
}

/* Dims of the gathered tensor: the row's, with n at the axis. */
static NrShape gathered(const NrScanOut *s, const NrShape *row, NrDim n) {
  NrShape shape = {.rank = row->rank + 1};
  for (size_t i = 0, k = 0; i < shape.rank; i++) shape.dims[i] = i == s->axis ? n : row->dims[k++];
  return shape;
}

enum { FIRST_CAPACITY = 16 };

/* A dim of the first iteration's row, for a loop without iterations; 0 when it is not known. */
static NrDim first_dim(NrLower *l, NrBlock *body, const NrMap *first, NrValue *row, size_t i) {
  NrDim d = nr_lower_dim(l, row, i);
  if (nr_dim_known(d)) return d;
  NrValue *size = hoist(l, body, first, d.value, 0);
  return (NrDim){NR_DYNAMIC, size ? size : nr_lower_index(l, 0)};
}

NrStatus nr_scan_out_begin(NrLower *l, NrScanOut *s, NrBlock *body, const NrMap *first, NrValue *row,
                           const NrDim *trips) {
  if (row->type->kind != NR_TYPE_TENSOR) return nr_lower_error(l, "scan output '%s' is not a tensor", s->name);
  if (row->type->rank + 1 > NORIA_MAX_RANK) return nr_lower_error(l, "scan output '%s' has too many dims", s->name);
  s->row = row->type;
  s->grows = trips == NULL;
  s->row_dims = (NrShape){.rank = row->type->rank};
  for (size_t i = 0; i < s->row_dims.rank; i++) {
    NrDim d = nr_lower_dim(l, row, i);
    if (d.value && !(d.value = hoist(l, body, NULL, d.value, 0))) s->late = true;
    s->row_dims.dims[i] = d;
  }
  NrShape shape;
  if (s->late) {
    NrShape zero = {.rank = s->row_dims.rank};
    for (size_t i = 0; i < zero.rank; i++) zero.dims[i] = first_dim(l, body, first, row, i);
    shape = gathered(s, &zero, (NrDim){NR_DYNAMIC, nr_lower_index(l, 0)});
    /* Dims that the first iteration determines are `?` in the carried type. */
    for (size_t i = 0; i < shape.rank; i++)
      if (i == s->axis) shape.dims[i] = (NrDim){NR_DYNAMIC, nr_lower_index(l, 0)};
  } else if (s->grows) {
    shape = gathered(s, &s->row_dims, (NrDim){NR_DYNAMIC, nr_lower_index(l, FIRST_CAPACITY)});
  } else shape = gathered(s, &s->row_dims, *trips);
  s->init = nr_lower_empty(l, &shape, row->type->elem);
  return NR_OK;
}

/* Runs `make` in the then-branch of an scf.if and passes `acc` through the else-branch. */
static NrValue *if_needed(NrLower *l, NrValue *cond, NrValue *acc, NrValue *(*make)(NrLower *, void *), void *user) {
  NrOp *op = nr_scf_if(&l->b, cond, &acc->type, 1, true);
  NrBuilder outer = l->b;
  for (size_t i = 0; i < 2; i++) {
    l->b = nr_scf_body_builder(nr_op_body(op, i));
    NrValue *value = i == 0 ? nr_lower_tensor_cast(l, make(l, user), acc->type) : acc;
    nr_scf_yield(&l->b, &value, 1);
  }
  l->b = outer;
  return nr_op_result(op);
}

typedef struct Room {
  const NrScanOut *s;
  NrValue *acc, *row, *capacity;
  const NrDim *trips;
} Room;

static NrValue *first_room(NrLower *l, void *user) {
  Room *r = user;
  NrShape row = nr_lower_shape(l, r->row);
  NrDim n = r->trips ? *r->trips : nr_dim(FIRST_CAPACITY);
  NrShape shape = gathered(r->s, &row, n);
  return nr_lower_empty(l, &shape, r->acc->type->elem);
}

static NrValue *double_room(NrLower *l, void *user) {
  Room *r = user;
  NrValue *twice = nr_lower_op2(l, NR_OP_arith_muli, r->capacity->type, r->capacity, nr_lower_index(l, 2));
  NrOp *grow = nr_lower_rt_call(l, "tensor_grow", (NrValue *[]){r->acc, twice}, 2, &r->acc->type, 1);
  return nr_op_result(grow);
}

NrValue *nr_scan_out_put(NrLower *l, const NrScanOut *s, NrValue *acc, NrValue *row, NrValue *iv, const NrDim *trips) {
  Room room = {s, acc, row, NULL, trips};
  NrType acc_type = acc->type;
  if (s->late) {
    NrValue *first = nr_lower_cmpi(l, NR_CMPI_EQ, iv, nr_lower_index(l, 0));
    acc = if_needed(l, first, acc, first_room, &room);
    for (size_t i = 0, k = 0; i < nr_rank(acc); i++) {
      if (i == s->axis) continue;
      NrValue *have = nr_dim_value(l, nr_lower_dim(l, acc, i)), *got = nr_dim_value(l, nr_lower_dim(l, row, k++));
      const char *text = nr_arena_printf(&l->state->arena,
                                         "scan output '%s': a row has %%1 elements in dim %zu where the first had %%0",
                                         s->name, k - 1);
      nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_EQ, have, got), text, (NrValue *[]){have, got}, 2);
    }
  }
  if (s->grows) {
    room.acc = acc;
    /* Read again: acc may be another buffer in each iteration. */
    room.capacity = nr_dim_value(l, nr_lower_dim(l, acc, 0));
    acc = if_needed(l, nr_lower_cmpi(l, NR_CMPI_EQ, iv, room.capacity), acc, double_room, &room);
  }
  NrValue *at = iv;
  if (s->reverse) {
    NrValue *last = nr_dim_value(l, nr_dim_sub(l, *trips, nr_dim(1)));
    at = nr_lower_op2(l, NR_OP_arith_subi, iv->type, last, iv);
  }
  if (row->type->rank == 0) {
    NrValue *operands[3] = {nr_lower_scalar(l, row), acc, at};
    return nr_build_value(&l->b, NR_OP_tensor_insert, acc_type, operands, 3);
  }
  NrShape row_shape = nr_lower_shape(l, row), slab = gathered(s, &row_shape, nr_dim(1));
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0; i < slab.rank; i++) offsets[i] = i == s->axis ? nr_dim_of_index(at) : nr_dim(0);
  return nr_lower_insert_slice(l, nr_lower_reshape(l, row, &slab), acc, offsets);
}

NrValue *nr_scan_out_end(NrLower *l, const NrScanOut *s, NrValue *acc, NrDim count) {
  if (!s->grows) return acc;
  NrShape shape = nr_lower_shape(l, acc);
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0; i < shape.rank; i++) offsets[i] = nr_dim(0);
  shape.dims[s->axis] = count;
  return nr_lower_slice(l, acc, offsets, shape.dims, NULL);
}

/* ---- polls ---- */

void nr_lower_poll(NrLower *l, NrBlock *body, NrValue *iv) {
  /* Polls more often if the body has structured ops, calls or loops. */
  bool heavy = false;
  for (NrOp *op = body->first; op && !heavy; op = op->next) heavy = op->num_regions != 0 || nr_op_is(op, NR_OP_rt_call);
  int64_t every = heavy ? 64 : 1024;
  NrValue *masked = nr_lower_op2(l, NR_OP_arith_andi, iv->type, iv, nr_lower_index(l, every - 1));
  NrValue *due = nr_lower_cmpi(l, NR_CMPI_EQ, masked, nr_lower_index(l, every - 1));
  NrOp *op = nr_scf_if(&l->b, due, NULL, 0, false);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_if_then_body(op));
  NrValue *count = nr_lower_index(l, every);
  NrOp *poll = nr_build_op(&l->b, NR_OP_rt_poll, &count, 1, NULL, 0);
  if (l->op) poll->loc = l->op->loc; /* the message of a limit names the loop, not the last node of its body */
  nr_scf_yield(&l->b, NULL, 0);
  l->b = outer;
}
