/* string.c - tensors of strings in Cast and Equal, and ops on strings: calls of the runtime (src/runtime/imports.c). */
#include "onnx/lower/ops/string.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/core/state.h"

#include "dialect/onnx/dtype.h"

/* Casts the result of a call, which has dynamic dims, to this shape. */
static NrValue *of_shape(NrLower *l, NrValue *open, const NrShape *shape) {
  NrValue *value = nr_lower_tensor_cast(l, open, nr_shape_type(l, shape, open->type->elem));
  for (size_t i = 0; i < shape->rank; i++) nr_lower_set_dim(l, value, i, shape->dims[i]);
  return value;
}

NrValue *nr_lower_string_cast(NrLower *l, NrValue *tensor, NoriaDType from, NoriaDType to) {
  NrShape shape = nr_lower_shape(l, tensor);
  NrType type = nr_open_tensor_type((uint32_t)shape.rank, nr_lower_elem_type(l->ctx, to));
  NrValue *args[2] = {nr_lower_int(l, nr_type_i32(l->ctx), to == NORIA_STRING ? from : to), tensor};
  if (to != NORIA_STRING) return of_shape(l, nr_lower_call_at_site(l, "string_to", args, 2, type), &shape);
  return of_shape(l, nr_lower_call(l, "string_from", args, 2, type), &shape);
}

/* A call on two tensors that broadcast. NULL after an error. */
static NrValue *call_on_pairs(NrLower *l, const char *name, NrValue *const *tensors, NrType elem) {
  NrShape shapes[2], shape;
  for (size_t i = 0; i < 2; i++) shapes[i] = nr_lower_shape(l, tensors[i]);
  if (!nr_lower_broadcast(l, shapes, 2, &shape)) return NULL;
  NrType type = nr_open_tensor_type((uint32_t)shape.rank, elem);
  return of_shape(l, nr_lower_call_at_site(l, name, tensors, 2, type), &shape);
}

NrValue *nr_lower_string_equal(NrLower *l, NrValue *const *tensors) {
  return call_on_pairs(l, "string_equal", tensors, nr_type_i1(l->ctx));
}

NrStatus nr_lower_string_concat(NrLower *l) {
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  return nr_lower_out(l, 0, call_on_pairs(l, "string_concat", in, nr_type_string(l->ctx)), NORIA_STRING);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

NrValue *nr_lower_strings(NrLower *l, const NrStr *strings, size_t count) {
  int64_t n = (int64_t)count;
  return nr_lower_dense(l, nr_attr_dense_strings(nr_type_tensor(&n, 1, nr_type_string(l->ctx)), strings, count));
}

static NrValue *one_string(NrLower *l, const char *name) {
  NrStr text = nr_lower_attr(l, name) ? nr_lower_attr_str(l, name) : NR_STR("");
  return nr_lower_strings(l, &text, 1);
}

NrValue *nr_lower_attr_strings(NrLower *l, const char *name) {
  NrAttr list = nr_lower_attr(l, name);
  size_t count = list ? list->size : 0;
  NrStr *strings = NR_NEW_ARRAY(&l->state->arena, NrStr, count + 1);
  for (size_t i = 0; i < count; i++) strings[i] = list->items[i]->s;
  return nr_lower_strings(l, strings, count);
}

static NrValue *i32(NrLower *l, int64_t v) { return nr_lower_int(l, nr_type_i32(l->ctx), v); }
static NrValue *i64(NrLower *l, int64_t v) { return nr_lower_int(l, nr_type_i64(l->ctx), v); }

/* ---- ops --------------------------------------------------------------------------------------------------------- */

NrStatus nr_lower_string_normalizer(NrLower *l) {
  static const char *const actions[] = {"NONE", "LOWER", "UPPER"};
  NrValue *x = nr_lower_in(l, 0);
  NrStr action = nr_lower_attr_str(l, "case_change_action");
  size_t change = 0;
  while (change < NR_COUNTOF(actions) && !nr_str_is(action, actions[change])) change++;
  if (change == NR_COUNTOF(actions))
    return nr_lower_error(l, "case_change_action is '%.*s'; it must be NONE, LOWER or UPPER", NR_STR_ARG(action));
  uint32_t rank = nr_rank(x);
  if (rank != 1 && rank != 2) return nr_lower_error(l, "input X has rank %u; it must be [C] or [1, C]", rank);
  if (rank == 2 && !nr_lower_expect_dim(l, "X", x, 0, nr_dim(1))) return NR_ERROR_INVALID;
  bool compares_case = nr_lower_attr_int(l, "is_case_sensitive") != 0;
  NrValue *args[4] = {i32(l, (int64_t)change + (compares_case ? 4 : 0)), x, nr_lower_attr_strings(l, "stopwords"),
                      one_string(l, "locale")};
  NrValue *kept = nr_lower_call_at_site(l, "string_normalize", args, 4, nr_open_tensor_type(rank, x->type->elem));
  NrShape shape = nr_lower_shape(l, kept);
  if (rank == 2) shape.dims[0] = nr_dim(1);
  return nr_lower_out(l, 0, of_shape(l, kept, &shape), NORIA_STRING);
}

/* A result with the dims of x and one more, which the run gives. */
static NrValue *with_last_dim(NrLower *l, NrValue *result, NrValue *x) {
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[shape.rank] = nr_lower_dim(l, result, shape.rank);
  shape.rank++;
  return of_shape(l, result, &shape);
}

NrStatus nr_lower_string_split(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  if (nr_rank(x) == NORIA_MAX_RANK) return nr_lower_error(l, "input X has rank %u; one less is the limit", nr_rank(x));
  NrValue *args[3] = {x, one_string(l, "delimiter"), i64(l, nr_lower_attr_int_or(l, "maxsplit", -1))};
  NrType types[2] = {nr_open_tensor_type(nr_rank(x) + 1, x->type->elem),
                     nr_open_tensor_type(1, nr_type_i64(l->ctx))};
  NrValue *results[2];
  nr_lower_call_many(l, "string_split", args, 3, types, 2, results);
  NrShape shape = nr_lower_shape(l, x);
  NR_TRY(nr_lower_out(l, 0, with_last_dim(l, results[0], x), NORIA_STRING));
  return nr_lower_out(l, 1, nr_lower_reshape(l, results[1], &shape), NORIA_I64);
}

NrStatus nr_lower_regex_full_match(NrLower *l) {
  NrShape shape = nr_lower_shape(l, nr_lower_in(l, 0));
  NrValue *args[2] = {nr_lower_in(l, 0), one_string(l, "pattern")};
  NrType type = nr_open_tensor_type((uint32_t)shape.rank, nr_type_i1(l->ctx));
  NrValue *matches = nr_lower_call_at_site(l, "regex_full_match", args, 2, type);
  return nr_lower_out(l, 0, of_shape(l, matches, &shape), NORIA_BOOL);
}

NrStatus nr_lower_tokenizer(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrAttr token = nr_lower_attr(l, "tokenexp"), separators = nr_lower_attr(l, "separators");
  int64_t least = nr_lower_attr_int(l, "mincharnum");
  if (!token == !separators) return nr_lower_error(l, "one of the attributes tokenexp and separators must be there");
  if (token && !token->s.size) return nr_lower_error(l, "attribute tokenexp is empty");
  if (separators && !separators->size) return nr_lower_error(l, "attribute separators is empty");
  for (size_t i = 0; separators && separators->size > 1 && i < separators->size; i++)
    if (!separators->items[i]->s.size) return nr_lower_error(l, "separator %zu is empty", i);
  if (least < 1) return nr_lower_error(l, "mincharnum is %lld; it must be positive", (long long)least);
  if (nr_rank(x) != 1 && nr_rank(x) != 2)
    return nr_lower_error(l, "input X has rank %u; it must be [C] or [N, C]", nr_rank(x));
  NrShape shape = nr_lower_shape(l, x);
  for (size_t i = 0; i < shape.rank; i++)
    if (nr_dim_is(shape.dims[i], 0)) return nr_lower_out(l, 0, x, NORIA_STRING);
  NrValue *list = token ? one_string(l, "tokenexp") : nr_lower_attr_strings(l, "separators");
  NrValue *flags = i32(l, (token != NULL) + (nr_lower_attr_int(l, "mark") ? 2 : 0));
  NrValue *args[5] = {flags, x, list, one_string(l, "pad_value"), i64(l, least)};
  NrType type = nr_open_tensor_type(nr_rank(x) + 1, x->type->elem);
  NrValue *tokens = nr_lower_call_at_site(l, "string_tokenize", args, 5, type);
  return nr_lower_out(l, 0, with_last_dim(l, tokens, x), NORIA_STRING);
}
