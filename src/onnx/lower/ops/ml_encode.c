/* ml_encode.c - values by keys: LabelEncoder, CategoryMapper, OneHotEncoder. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/ml.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/reduce.h"

/* ---- the lists of a LabelEncoder ---- */

/* A list attribute of one of the four forms. */
typedef struct List {
  const char *name; /* "keys_floats" */
  NoriaDType dtype;
  size_t count;
  const float *floats;
  const int64_t *ints;
  const NrStr *strings;
  NrAttr tensor;
} List;

static bool tensor_list(NrLower *l, const char *name, List *out) {
  *out = (List){.name = name, .tensor = nr_lower_attr(l, name)};
  NrType type = out->tensor->type;
  int64_t count;
  out->dtype = nr_dtype_of(type);
  if (type->rank > 1 || !nr_type_num_elements(type, &count))
    return nr_lower_error(l, "%s has rank %u, not 1", name, type->rank), false;
  out->count = (size_t)count;
  if (out->tensor->kind == NR_ATTR_DENSE_STRINGS) {
    out->strings = out->tensor->strings;
    if (out->tensor->size != out->count) { /* one string for all */
      NrStr *all = NR_NEW_ARRAY(&l->state->arena, NrStr, out->count + 1);
      for (size_t i = 0; i < out->count; i++) all[i] = out->tensor->strings[0];
      out->strings = all;
    }
    return true;
  }
  return nr_attr_is_elements(out->tensor) || (nr_lower_error(l, "%s has no data", name), false);
}

/* The one list among the four attributes "<kind>_floats", ... False after an error. */
static bool only_list(NrLower *l, const char *const names[4], List *out) {
  bool found = false;
  for (int i = 0; i < 4; i++) {
    if (!nr_lower_takes_attr(l, names[i]) || !nr_lower_attr(l, names[i])) continue;
    if (found) return nr_lower_error(l, "has both %s and %s", out->name, names[i]), false;
    found = true;
    *out = (List){.name = names[i], .dtype = (NoriaDType[]){NORIA_F32, NORIA_I64, NORIA_STRING, 0}[i]};
    if (i == 0) nr_lower_attr_floats(l, names[i], &out->floats, &out->count);
    if (i == 1) nr_lower_attr_ints(l, names[i], &out->ints, &out->count);
    if (i == 2) out->strings = nr_ml_strings(l, names[i], &out->count);
    if (i == 3 && !tensor_list(l, names[i], out)) return false;
  }
  return found || (nr_lower_error(l, "has none of %s, %s, %s and %s", names[0], names[1], names[2], names[3]), false);
}

static NrMlKeys keys_of(NrLower *l, const List *list) {
  if (list->dtype == NORIA_STRING) return nr_ml_keys_strings(l, list->strings, list->count);
  bool real = nr_dtype_is_float(list->dtype);
  double *floats = NR_NEW_ARRAY(&l->state->arena, double, list->count + 1);
  int64_t *ints = NR_NEW_ARRAY(&l->state->arena, int64_t, list->count + 1);
  for (size_t i = 0; i < list->count; i++) {
    NrAttr element = list->tensor ? nr_attr_element(list->tensor, (int64_t)i) : NULL;
    if (real) floats[i] = element ? element->f : (double)list->floats[i];
    else ints[i] = element ? element->i : list->ints[i];
  }
  return real ? nr_ml_keys_floats(l, floats, list->count, list->dtype) : nr_ml_keys_ints(l, ints, list->count);
}

/* ---- LabelEncoder ---- */

/* What stands for elements that are no key, behind the values. NULL after an error. */
static NrValue *with_default(NrLower *l, const List *values) {
  NrContext *ctx = l->ctx;
  NrType elem = nr_lower_elem_type(ctx, values->dtype), type = nr_type_tensor(&(int64_t){1}, 1, elem);
  int64_t count = (int64_t)values->count;
  NrAttr other = values->tensor ? nr_lower_attr(l, "default_tensor") : NULL;
  if (values->dtype == NORIA_STRING) {
    NrStr *all = NR_NEW_ARRAY(&l->state->arena, NrStr, values->count + 1);
    for (size_t i = 0; i < values->count; i++) all[i] = values->strings[i];
    all[count] = nr_lower_attr_str(l, "default_string");
    if (other && (other->kind != NR_ATTR_DENSE_STRINGS || other->size < 1))
      return nr_lower_error(l, "default_tensor is not one string"), NULL;
    if (other) all[count] = other->strings[0];
    return nr_ml_string_tensor(l, all, values->count + 1);
  }
  if (other) {
    int64_t one;
    if (!nr_attr_is_elements(other) || nr_dtype_of(other->type) != values->dtype ||
        !nr_type_num_elements(other->type, &one) || one != 1)
      return nr_lower_error(l, "default_tensor is not one %s", nr_dtype_name(values->dtype)), NULL;
    other = nr_attr_element(other, 0);
  }
  if (!other && nr_type_is_float(elem)) other = nr_attr_float(elem, nr_lower_attr_float(l, "default_float"));
  if (!other) other = nr_attr_int(elem, nr_lower_attr_int(l, "default_int64"));
  NrValue *last = nr_type_is_float(elem) ? nr_lower_float(l, elem, other->f) : nr_lower_int(l, elem, other->i);
  last = nr_lower_from_elements(l, type, &last, 1);
  if (!count) return last;
  NrValue *first = values->tensor ? nr_lower_dense(l, nr_attr_retyped(values->tensor, nr_type_tensor(&count, 1, elem)))
                   : values->floats ? nr_ml_floats(l, values->floats, &count, 1, elem)
                                    : nr_ml_i64s(l, values->ints, values->count);
  return nr_lower_concat(l, (NrValue *[]){first, last}, 2, 0);
}

/* Before version 2: strings to their numbers in a list, or numbers to strings. */
static bool classes(NrLower *l, List *keys, List *values) {
  List strings = {.name = "classes_strings", .dtype = NORIA_STRING};
  strings.strings = nr_ml_strings(l, strings.name, &strings.count);
  int64_t *numbers = NR_NEW_ARRAY(&l->state->arena, int64_t, strings.count + 1);
  for (size_t i = 0; i < strings.count; i++) numbers[i] = (int64_t)i;
  List ints = {.name = strings.name, .dtype = NORIA_I64, .count = strings.count, .ints = numbers};
  bool encode = nr_lower_dtype(l, 0) == NORIA_STRING;
  *keys = encode ? strings : ints;
  *values = encode ? ints : strings;
  return true;
}

/* The lists of a mapping, checked against input 0, to the op's output. */
static NrStatus map_values(NrLower *l, const List *keys, const List *values) {
  NrValue *x = nr_lower_in(l, 0);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  if (keys->dtype != dtype)
    return nr_lower_error(l, "X holds %s, but %s has keys of type %s", nr_dtype_name(dtype), keys->name,
                          nr_dtype_name(keys->dtype));
  if (keys->count != values->count)
    return nr_lower_error(l, "%s has %zu keys, but %s has %zu values", keys->name, keys->count, values->name,
                          values->count);
  NrMlKeys sorted = keys_of(l, keys);
  NrValue *table = with_default(l, values);
  if (!table) return NR_ERROR_INVALID;
  NrValue *places = nr_ml_find(l, &sorted, keys->count, x, dtype);
  NrMlValues all = {values->dtype, values->count + 1, table};
  return nr_lower_out(l, 0, nr_ml_choose(l, places, &all), values->dtype);
}

NrStatus nr_lower_ml_label_encoder(NrLower *l) {
  static const char *const key_names[4] = {"keys_floats", "keys_int64s", "keys_strings", "keys_tensor"};
  static const char *const value_names[4] = {"values_floats", "values_int64s", "values_strings", "values_tensor"};
  List keys, values;
  if (l->version < 2 ? !classes(l, &keys, &values)
                     : !only_list(l, key_names, &keys) || !only_list(l, value_names, &values))
    return NR_ERROR_INVALID;
  return map_values(l, &keys, &values);
}

/* ---- CategoryMapper ---- */

NrStatus nr_lower_ml_category_mapper(NrLower *l) {
  List ints = {.name = "cats_int64s", .dtype = NORIA_I64}, strings = {.name = "cats_strings", .dtype = NORIA_STRING};
  nr_lower_attr_ints(l, ints.name, &ints.ints, &ints.count);
  strings.strings = nr_ml_strings(l, strings.name, &strings.count);
  return nr_lower_dtype(l, 0) == NORIA_STRING ? map_values(l, &strings, &ints) : map_values(l, &ints, &strings);
}

/* ---- OneHotEncoder ---- */

typedef struct Hot {
  NrValue *places; /* i64 */
} Hot;

static NrValue *hot_body(NrLower *l, NrValue *const *indices, void *user) {
  const Hot *h = user;
  size_t rank = nr_rank(h->places);
  NrValue *place = nr_lower_as_index(l, nr_lower_extract(l, h->places, indices, rank));
  NrType f32 = nr_type_f32(l->ctx);
  NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, place, indices[rank]);
  return nr_lower_select(l, here, nr_lower_float(l, f32, 1), nr_lower_float(l, f32, 0));
}

static NrValue *known_body(NrLower *l, NrValue *const *a, void *user) {
  const int64_t *count = user;
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_SLT, a[0], nr_lower_int(l, a[0]->type, *count)),
                 "an element of X is in no category, and zeros is 0", NULL, 0);
  return a[0];
}

NrStatus nr_lower_ml_one_hot_encoder(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  bool texts = dtype == NORIA_STRING;
  const int64_t *ints = NULL;
  size_t num_ints = 0, num_strings;
  const NrStr *strings = nr_ml_strings(l, "cats_strings", &num_strings);
  nr_lower_attr_ints(l, "cats_int64s", &ints, &num_ints);
  size_t count = texts ? num_strings : num_ints;
  if (num_ints && num_strings) return nr_lower_error(l, "has both cats_int64s and cats_strings");
  if (!count)
    return nr_lower_error(l, "X holds %s, and %s is missing", nr_dtype_name(dtype),
                          texts ? "cats_strings" : "cats_int64s");
  NrMlKeys keys = texts ? nr_ml_keys_strings(l, strings, count) : nr_ml_keys_ints(l, ints, count);
  Hot h = {nr_ml_find(l, &keys, count, x, dtype)};
  int64_t all = (int64_t)count;
  if (h.places && !nr_lower_attr_int(l, "zeros")) h.places = nr_lower_map(l, &h.places, 1, NULL, known_body, &all);
  if (!h.places) return NR_ERROR_INVALID;
  NrShape shape = nr_lower_shape(l, x);
  if (shape.rank == NORIA_MAX_RANK) return nr_lower_error(l, "the result has more than %d dims", NORIA_MAX_RANK);
  shape.dims[shape.rank++] = nr_dim(all);
  return nr_lower_out(l, 0, nr_lower_generate(l, &shape, nr_type_f32(l->ctx), hot_body, &h), NORIA_F32);
}
