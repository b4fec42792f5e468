/* ml_map.c - the ops of ai.onnx.ml that make and read maps: ZipMap, DictVectorizer, CastMap. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/ml.h"
#include "onnx/lower/ops/sequence.h"
#include "onnx/lower/ops/string.h"

static NrValue *dtype_arg(NrLower *l, NoriaDType dtype) { return nr_lower_int(l, nr_type_i32(l->ctx), dtype); }

/* One of two list attributes, of integers or of strings. */
typedef struct List {
  NoriaDType dtype;
  size_t count;
  const int64_t *ints;
  const NrStr *strings;
} List;

static bool read_list(NrLower *l, const char *ints, const char *strings, List *out) {
  size_t num_ints = 0, num_strings;
  *out = (List){.strings = nr_ml_strings(l, strings, &num_strings)};
  nr_lower_attr_ints(l, ints, &out->ints, &num_ints);
  if (!num_ints == !num_strings)
    return nr_lower_error(l, num_ints ? "has both %s and %s" : "has neither %s nor %s", ints, strings), false;
  out->dtype = num_strings ? NORIA_STRING : NORIA_I64;
  out->count = num_ints + num_strings;
  return true;
}

/* The elements of a list at `count` places, as a tensor. */
static NrValue *list_tensor(NrLower *l, const List *list, const size_t *places, size_t count) {
  NrStr *strings = NR_NEW_ARRAY(&l->state->arena, NrStr, count + 1);
  int64_t *ints = NR_NEW_ARRAY(&l->state->arena, int64_t, count + 1);
  for (size_t i = 0; i < count; i++)
    if (list->dtype == NORIA_STRING) strings[i] = list->strings[places[i]];
    else ints[i] = list->ints[places[i]];
  return list->dtype == NORIA_STRING ? nr_ml_string_tensor(l, strings, count) : nr_ml_i64s(l, ints, count);
}

/* ---- ZipMap ---- */

typedef struct Columns {
  NrValue *x, *order;
} Columns;

static NrValue *column_body(NrLower *l, NrValue *const *indices, void *user) {
  const Columns *c = user;
  NrValue *at[2] = {indices[0], nr_lower_as_index(l, nr_lower_extract(l, c->order, &indices[1], 1))};
  return nr_lower_extract(l, c->x, at, 2);
}

/* The columns of the keys that are kept, in their order. */
static NrValue *in_order(NrLower *l, NrValue *x, const NrMlKeys *keys, size_t given) {
  bool same = keys->count == given;
  int64_t *order = NR_NEW_ARRAY(&l->state->arena, int64_t, keys->count + 1);
  for (size_t i = 0; i < keys->count; i++) {
    order[i] = (int64_t)keys->order[i];
    same &= keys->order[i] == i;
  }
  if (same) return x;
  NrShape shape = nr_lower_shape(l, x);
  shape.dims[1] = nr_dim((int64_t)keys->count);
  Columns c = {x, nr_ml_i64s(l, order, keys->count)};
  return nr_lower_generate(l, &shape, x->type->elem, column_body, &c);
}

NrStatus nr_lower_ml_zip_map(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  NrShape shape = nr_lower_shape(l, x);
  List labels;
  if (!read_list(l, "classlabels_int64s", "classlabels_strings", &labels)) return NR_ERROR_INVALID;
  if (shape.rank != 1 && shape.rank != 2) return nr_lower_error(l, "X has rank %zu, not 1 or 2", shape.rank);
  if (shape.rank == 1) x = nr_lower_reshape(l, x, &(NrShape){2, {nr_dim(1), shape.dims[0]}});
  if (!nr_lower_expect_dim(l, "X", x, 1, nr_dim((int64_t)labels.count))) return NR_ERROR_INVALID;
  NrMlKeys keys = labels.dtype == NORIA_I64 ? nr_ml_keys_ints(l, labels.ints, labels.count)
                                            : nr_ml_keys_strings(l, labels.strings, labels.count);
  NrValue *args[4] = {dtype_arg(l, labels.dtype), dtype_arg(l, dtype), list_tensor(l, &labels, keys.order, keys.count),
                      in_order(l, x, &keys, labels.count)};
  NrType type = nr_type_seq(nr_type_map(nr_lower_elem_type(l->ctx, labels.dtype), x->type->elem));
  return nr_lower_out(l, 0, nr_lower_call(l, "seq_of_maps", args, 4, type), dtype);
}

/* ---- DictVectorizer and CastMap ---- */

/* For each of the keys the map's value, or else the only element of `other`. */
static NrValue *get(NrLower *l, NrValue *map, NrValue *keys, NrValue *other) {
  NrType elem = nr_type_lowered(map->type->elem);
  NrDim count = nr_lower_dim(l, keys, 0);
  NrValue *args[3] = {map, keys, other}, *open = nr_lower_call(l, "map_get", args, 3, nr_open_tensor_type(1, elem));
  NrValue *values = nr_lower_tensor_cast(l, open, nr_shape_type(l, &(NrShape){1, {count}}, elem));
  nr_lower_set_dim(l, values, 0, count);
  return values;
}

/* A tensor of one element. */
static NrValue *one(NrLower *l, NrType elem, NrStr text) {
  if (elem->kind == NR_TYPE_onnx_string) return nr_ml_string_tensor(l, &text, 1);
  return nr_lower_fill(l, &(NrShape){1, {nr_dim(1)}}, nr_lower_constant(l, elem, 0));
}

/* A vector as a matrix of one row. */
static NrValue *as_row(NrLower *l, NrValue *vector) {
  return nr_lower_reshape(l, vector, &(NrShape){2, {nr_dim(1), nr_lower_dim(l, vector, 0)}});
}

NrStatus nr_lower_ml_dict_vectorizer(NrLower *l) {
  NrValue *map = nr_lower_in(l, 0);
  List words;
  if (!read_list(l, "int64_vocabulary", "string_vocabulary", &words)) return NR_ERROR_INVALID;
  if (words.dtype != nr_type_map_key(map->type))
    return nr_lower_error(l, "the keys of the map are %s, those of the vocabulary %s",
                          nr_dtype_name(nr_type_map_key(map->type)), nr_dtype_name(words.dtype));
  size_t *places = NR_NEW_ARRAY(&l->state->arena, size_t, words.count + 1);
  for (size_t i = 0; i < words.count; i++) places[i] = i;
  NrValue *none = one(l, nr_type_lowered(map->type->elem), NR_STR(""));
  NrValue *values = get(l, map, list_tensor(l, &words, places, words.count), none);
  return nr_lower_out(l, 0, as_row(l, values), nr_lower_dtype(l, 0));
}

static NrValue *index_body(NrLower *l, NrValue *const *indices, void *user) {
  (void)user;
  return nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), indices[0]);
}

NrStatus nr_lower_ml_cast_map(NrLower *l) {
  static const struct {
    const char *name;
    NoriaDType dtype;
  } targets[] = {{"TO_FLOAT", NORIA_F32}, {"TO_STRING", NORIA_STRING}, {"TO_INT64", NORIA_I64}};
  NrValue *map = nr_lower_in(l, 0), *values;
  NoriaDType from = nr_lower_dtype(l, 0), to = NORIA_UNDEFINED;
  NrStr target = nr_lower_attr_str(l, "cast_to"), form = nr_lower_attr_str(l, "map_form");
  NrType elem = nr_type_lowered(map->type->elem);
  int64_t size = nr_lower_attr_int(l, "max_map");
  for (size_t i = 0; i < NR_COUNTOF(targets); i++)
    if (nr_str_is(target, targets[i].name)) to = targets[i].dtype;
  if (!to) return nr_lower_error(l, "cast_to is '%.*s', not TO_FLOAT, TO_STRING or TO_INT64", NR_STR_ARG(target));
  if (nr_type_map_key(map->type) != NORIA_I64) return nr_lower_error(l, "the keys of the map are string, not int64");
  if (nr_str_is(form, "DENSE")) {
    values = nr_lower_call(l, "map_values", &map, 1, nr_open_tensor_type(1, elem));
  } else if (!nr_str_is(form, "SPARSE")) {
    return nr_lower_error(l, "map_form is '%.*s', not DENSE or SPARSE", NR_STR_ARG(form));
  } else {
    if (size < 1 || size > NORIA_MAX_ELEMENTS)
      return nr_lower_error(l, "max_map is %lld, not a size of 1 or more", (long long)size);
    NrShape shape = {1, {nr_dim(size)}};
    NrValue *keys = nr_lower_generate(l, &shape, nr_type_i64(l->ctx), index_body, NULL);
    values = get(l, map, keys, one(l, elem, NR_STR("0")));
  }
  bool text = from == NORIA_STRING || to == NORIA_STRING;
  if (from != to) values = text ? nr_lower_string_cast(l, values, from, to) : nr_ml_convert(l, values, from, to);
  return nr_lower_out(l, 0, as_row(l, values), to);
}
