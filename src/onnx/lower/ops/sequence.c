/* sequence.c - sequences, as calls of the runtime's functions (src/runtime/imports.c).
 *
 * In !onnx.seq<T>, T is the join of the items' types: a tensor whose dims or rank may be unknown, or none for a
 * sequence that never got an item. An item of unknown rank is a value of several versions (core/versions.c). */
#include "dialect/onnx/ops.h"
#include "dialect/scf/ops.h"
#include "onnx/lower/ops/sequence.h"

#include "dialect/onnx/dtype.h"

/* ---- calls ---- */

NrValue *nr_lower_call(NrLower *l, const char *name, NrValue *const *args, size_t num_args, NrType result) {
  return nr_op_result(nr_lower_rt_call(l, name, args, num_args, &result, 1));
}

void nr_lower_call_many(NrLower *l, const char *name, NrValue *const *args, size_t num_args, const NrType *types,
                        size_t count, NrValue **out) {
  NrValue *operands[8] = {nr_lower_int(l, nr_type_i32(l->ctx), -1)};
  assert(num_args < NR_COUNTOF(operands));
  for (size_t i = 0; i < num_args; i++) operands[i + 1] = args[i];
  NrOp *call = nr_lower_rt_call(l, name, operands, num_args + 1, types, count);
  NrStr node = l->op->loc->kind == NR_LOC_NAME ? l->op->loc->name : NR_STR("");
  nr_op_set_attr(call, NR_A_node, nr_attr_string(l->ctx, node));
  for (size_t i = 0; i < count; i++) out[i] = nr_result(call, i);
}

NrValue *nr_lower_call_at_site(NrLower *l, const char *name, NrValue *const *args, size_t num_args, NrType result) {
  NrValue *value;
  nr_lower_call_many(l, name, args, num_args, &result, 1, &value);
  return value;
}

static NrValue *i32(NrLower *l, int64_t v) { return nr_lower_int(l, nr_type_i32(l->ctx), v); }
static NrValue *i64(NrLower *l, int64_t v) { return nr_lower_int(l, nr_type_i64(l->ctx), v); }
static NrValue *i1(NrLower *l, bool v) { return nr_lower_int(l, nr_type_i1(l->ctx), v); }

/* An integer operand of one element as i64. */
static NrValue *scalar_i64(NrLower *l, size_t input) {
  NrValue *v = nr_lower_scalar(l, nr_lower_in(l, input));
  NrType type = nr_type_i64(l->ctx);
  return v->type == type ? v : nr_lower_op1(l, NR_OP_arith_extsi, type, v);
}

static bool takes_sequence(NrLower *l, size_t input) {
  NrValue *v = nr_lower_in(l, input);
  if (v && v->type->kind == NR_TYPE_onnx_seq) return true;
  nr_lower_error(l, "input %zu must be a sequence", input);
  return false;
}

static NrType declared_output(const NrLower *l, size_t i) { return nr_result(l->op, i)->type; }

/* A call on a sequence or optional that gives a tensor of unknown dims. Its rank is that of the type `item`, plus more;
 * else that of the type `declared`; else each from `more` on is possible. */
static NrValue *call_for_tensor(NrLower *l, NrType item, uint32_t more, NrType declared, NoriaDType dtype,
                                const char *name, NrValue *const *args, size_t num_args) {
  NrType elem = nr_lower_elem_type(l->ctx, dtype);
  bool is_known = nr_type_is_tensor(item) && nr_type_is_ranked(item);
  if (!is_known && !(nr_type_is_tensor(declared) && nr_type_is_ranked(declared))) {
    NrVersions ranks = nr_versions_of_ranks(elem, more);
    NrType type = nr_versions_type(&ranks);
    return nr_lower_set_versions(l, nr_lower_call_at_site(l, name, args, num_args, type), &ranks);
  }
  NrType type = nr_open_tensor_type(is_known ? item->rank + more : declared->rank, elem);
  return nr_lower_call_at_site(l, name, args, num_args, type);
}

NrType nr_open_tensor_type(uint32_t rank, NrType elem) {
  int64_t dims[NORIA_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) dims[i] = NR_DYNAMIC;
  return nr_type_tensor(dims, rank, elem);
}

/* A tensor that comes out of a sequence, with the dims that the type of the sequence has. */
static NrValue *with_dims(NrLower *l, NrValue *value, NrType type) {
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] != NR_DYNAMIC)
      nr_lower_check_dims_equal(l, nr_lower_dim(l, value, i), nr_dim(type->dims[i]),
                                "dims of the item, and as declared");
  return nr_lower_tensor_cast(l, value, type);
}

NrValue *nr_lower_item(NrLower *l, NrType item, size_t result, const char *name, NrValue *const *args,
                       size_t num_args) {
  NrType declared = declared_output(l, result);
  NrValue *value = call_for_tensor(l, item, 0, declared, nr_lower_dtype(l, 0), name, args, num_args);
  return nr_type_is_tensor(item) && nr_type_is_ranked(item) ? with_dims(l, value, item) : value;
}

/* ---- making and changing ---- */

NrStatus nr_lower_sequence_empty(NrLower *l) {
  NoriaDType dtype = (NoriaDType)nr_lower_attr_int_or(l, "dtype", NORIA_F32);
  if (!nr_lower_elem_type(l->ctx, dtype)) return nr_lower_error(l, "dtype %d is not known", (int)dtype);
  NrValue *args[1] = {i32(l, dtype)};
  return nr_lower_out(l, 0, nr_lower_call(l, "seq_empty", args, 1, nr_type_seq(nr_type_none(l->ctx))), dtype);
}

NrStatus nr_lower_sequence_construct(NrLower *l) {
  size_t count = nr_lower_num_in(l);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  NrType type = NULL;
  NrValue **args = NR_NEW_ARRAY(&l->state->arena, NrValue *, count + 2);
  for (size_t i = 0; i < count; i++) {
    args[i + 2] = nr_lower_in(l, i);
    if (!args[i + 2] || !nr_type_is_tensor(args[i + 2]->type)) return nr_lower_error(l, "input %zu is no tensor", i);
    if (nr_lower_dtype(l, i) != dtype)
      return nr_lower_error(l, "input %zu is %s, the first one is %s", i, nr_dtype_name(nr_lower_dtype(l, i)),
                            nr_dtype_name(dtype));
    NrType item = nr_type_seq(args[i + 2]->type);
    type = i == 0 ? item : type ? nr_join_types(type, item) : NULL;
  }
  if (!count) return nr_lower_error(l, "the inputs are missing");
  if (!type) return nr_lower_error(l, "the inputs do not go into one sequence");
  args[0] = i32(l, dtype);
  args[1] = i64(l, (int64_t)count);
  return nr_lower_out(l, 0, nr_lower_call(l, "seq_construct", args, count + 2, type), dtype);
}

NrStatus nr_lower_sequence_insert(NrLower *l) {
  NrValue *tensor = nr_lower_in(l, 1), *result;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  if (!tensor || !nr_type_is_tensor(tensor->type)) return nr_lower_error(l, "input 1 must be a tensor");
  if (nr_lower_dtype(l, 1) != dtype)
    return nr_lower_error(l, "a tensor of %s cannot go into a sequence of %s", nr_dtype_name(nr_lower_dtype(l, 1)),
                          nr_dtype_name(dtype));
  NrType type = nr_join_types(nr_lower_in(l, 0)->type, nr_type_seq(tensor->type));
  if (!type) return nr_lower_error(l, "input 0 is no sequence of tensors: input 1 cannot go into it");
  if (nr_lower_in(l, 2)) {
    NrValue *args[3] = {nr_lower_in(l, 0), tensor, scalar_i64(l, 2)};
    result = nr_lower_call_at_site(l, "seq_insert", args, 3, type);
  } else {
    result = nr_lower_call(l, "seq_append", (NrValue *[]){nr_lower_in(l, 0), tensor}, 2, type);
  }
  return nr_lower_out(l, 0, result, dtype);
}

NrStatus nr_lower_sequence_erase(NrLower *l) {
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  NrValue *args[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1) ? scalar_i64(l, 1) : i64(l, -1)};
  return nr_lower_out(l, 0, nr_lower_call_at_site(l, "seq_erase", args, 2, args[0]->type), nr_lower_dtype(l, 0));
}

/* ---- looking ---- */

static NrValue *length_of(NrLower *l, NrValue *sequence) {
  return nr_lower_call(l, "seq_length", &sequence, 1, nr_type_i64(l->ctx));
}

NrStatus nr_lower_sequence_length(NrLower *l) {
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_from_scalar(l, length_of(l, nr_lower_in(l, 0))), NORIA_I64);
}

NrStatus nr_lower_sequence_at(NrLower *l) {
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  NrValue *args[2] = {nr_lower_in(l, 0), scalar_i64(l, 1)};
  return nr_lower_out(l, 0, nr_lower_item(l, args[0]->type->elem, 0, "seq_at", args, 2), nr_lower_dtype(l, 0));
}

/* ---- splitting and joining ---- */

static NrValue *to_i64(NrLower *l, NrValue *const *args, void *user) {
  (void)user;
  NrType type = nr_type_i64(l->ctx);
  return args[0]->type == type ? args[0] : nr_lower_op1(l, NR_OP_arith_extsi, type, args[0]);
}

NrStatus nr_lower_split_to_sequence(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0), *split = nr_lower_in(l, 1), *result;
  NoriaDType dtype = nr_lower_dtype(l, 0);
  size_t axis;
  if (!nr_lower_axis(l, nr_lower_attr_int(l, "axis"), nr_rank(x), &axis)) return NR_ERROR_INVALID;
  bool keep = split || nr_lower_attr_int(l, "keepdims") != 0;
  NrShape item = nr_lower_shape(l, x);
  if (keep)
    item.dims[axis] = split ? (NrDim){NR_DYNAMIC, NULL} : nr_dim(1);
  else {
    item.rank--;
    for (size_t i = axis; i < item.rank; i++) item.dims[i] = item.dims[i + 1];
  }
  NrType type = nr_type_seq(nr_shape_type(l, &item, x->type->elem));
  NrValue *args[5] = {i32(l, dtype), x, i64(l, (int64_t)axis)};
  if (split && nr_rank(split) == 1) {
    args[3] = nr_lower_map(l, &split, 1, nr_type_i64(l->ctx), to_i64, NULL);
    result = nr_lower_call_at_site(l, "seq_split_sizes", args, 4, type);
  } else {
    args[3] = split ? scalar_i64(l, 1) : i64(l, 1);
    args[4] = i1(l, keep);
    result = nr_lower_call_at_site(l, "seq_split", args, 5, type);
  }
  return nr_lower_out(l, 0, result, dtype);
}

NrStatus nr_lower_concat_from_sequence(NrLower *l) {
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  NrType item = nr_lower_in(l, 0)->type->elem;
  bool new_axis = nr_lower_attr_int(l, "new_axis") != 0, ranked = nr_type_is_tensor(item) && nr_type_is_ranked(item);
  int64_t given = nr_lower_attr_int(l, "axis");
  NrValue *args[3] = {nr_lower_in(l, 0), i64(l, given), i1(l, new_axis)};
  NoriaDType dtype = nr_lower_dtype(l, 0);
  NrValue *result = call_for_tensor(l, item, new_axis, declared_output(l, 0), dtype, "seq_concat", args, 3);
  if (ranked) {
    int64_t dims[NORIA_MAX_RANK];
    size_t axis, rank = nr_rank(result);
    if (!nr_lower_axis(l, given, rank, &axis)) return NR_ERROR_INVALID;
    for (size_t i = 0, k = 0; i < rank; i++) {
      dims[i] = i == axis ? NR_DYNAMIC : item->dims[k];
      k += i != axis || !new_axis;
    }
    result = with_dims(l, result, nr_type_tensor(dims, (uint32_t)rank, result->type->elem));
  }
  return nr_lower_out(l, 0, result, dtype);
}

/* ---- SequenceMap ---- */

/* The body's arguments in an iteration: an item of each sequence, and the tensors. */
static void trip_inputs(NrLower *l, NrValue *iv, NrLowered *out) {
  NrValue *position = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), iv);
  const NrBlock *body = nr_onnx_sequence_map_body(l->op);
  for (size_t i = 0; i < nr_lower_num_in(l); i++) {
    NrValue *in = nr_lower_in(l, i);
    out[i] = (NrLowered){in, nr_lower_dtype(l, i)};
    if (!in || in->type->kind != NR_TYPE_onnx_seq) continue;
    /* A body with another number of arguments is an error later. */
    NrType declared = i < body->num_args ? body->args[i]->type : in->type->elem;
    out[i].value = call_for_tensor(l, in->type->elem, 0, declared, out[i].dtype, "seq_at",
                                   (NrValue *[]){in, position}, 2);
  }
}

NrStatus nr_lower_sequence_map(NrLower *l) {
  if (!takes_sequence(l, 0)) return NR_ERROR_INVALID;
  size_t num_in = nr_lower_num_in(l), num_out = nr_lower_num_out(l);
  NrLowered *inputs = NR_NEW_ARRAY(&l->state->arena, NrLowered, num_in);
  NrLowered *outputs = NR_NEW_ARRAY(&l->state->arena, NrLowered, num_out);
  NrValue *length = length_of(l, nr_lower_in(l, 0));
  for (size_t i = 1; i < num_in; i++) {
    NrValue *in = nr_lower_in(l, i);
    if (!in || in->type->kind != NR_TYPE_onnx_seq) continue;
    NrValue *values[2] = {length, length_of(l, in)};
    nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_EQ, values[0], values[1]),
                   "sequences of %0 and %1 items cannot be mapped together", values, 2);
  }
  NrBlock *block = nr_block_create(l->b.module);
  NrValue *iv = nr_block_add_arg(block, nr_type_index(l->ctx), NULL);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(l->b.module, block, l->b.loc);
  trip_inputs(&inner, iv, inputs);
  NrStatus status =
      nr_lower_region(&inner, nr_onnx_sequence_map_region(l->op), inputs, num_in, outputs, num_out);
  for (size_t i = 0; i < num_out && !status; i++)
    if (!nr_type_is_tensor(outputs[i].value->type))
      status = nr_lower_error(l, "output %zu of the body is no tensor", i);
  if (status) return nr_block_erase(block), status;
  NrValue **operands = NR_NEW_ARRAY(&l->state->arena, NrValue *, num_out + 3);
  NrValue **next = NR_NEW_ARRAY(&l->state->arena, NrValue *, num_out);
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, num_out);
  operands[0] = nr_lower_index(l, 0);
  operands[1] = nr_lower_as_index(l, length);
  operands[2] = nr_lower_index(l, 1);
  for (size_t i = 0; i < num_out; i++) {
    types[i] = nr_type_seq(outputs[i].value->type);
    operands[i + 3] = nr_lower_call(l, "seq_empty", (NrValue *[]){i32(l, outputs[i].dtype)}, 1, types[i]);
    NrValue *sequence = nr_block_add_arg(block, types[i], NULL);
    next[i] = nr_lower_call(&inner, "seq_append", (NrValue *[]){sequence, outputs[i].value}, 2, types[i]);
  }
  nr_lower_poll(&inner, block, iv);
  nr_build_op(&inner.b, NR_OP_scf_yield, next, num_out, NULL, 0);
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_for],
                     .operands = operands,
                     .num_operands = num_out + 3,
                     .result_types = types,
                     .num_results = num_out,
                     .num_regions = 1};
  NrOp *loop = nr_build(&l->b, &state);
  nr_block_append(nr_scf_for_region(loop), block);
  for (size_t i = 0; i < num_out && !status; i++) status = nr_lower_out(l, i, nr_result(loop, i), outputs[i].dtype);
  return status;
}
