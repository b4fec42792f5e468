/* attr_kinds.c - the kinds of attributes that op definitions declare. */
#include "ir/op_info.h"

static bool is_int_of(NrAttr a, uint32_t width) {
  return a->kind == NR_ATTR_INTEGER && nr_type_is_int_width(a->type, width);
}
static bool kind_any(NrAttr a) { return a != NULL; }
static bool kind_unit(NrAttr a) { return a->kind == NR_ATTR_UNIT; }
static bool kind_bool(NrAttr a) { return is_int_of(a, 1); }
static bool kind_int(NrAttr a) { return a->kind == NR_ATTR_INTEGER; }
static bool kind_i32(NrAttr a) { return is_int_of(a, 32); }
static bool kind_i64(NrAttr a) { return is_int_of(a, 64); }
static bool kind_index(NrAttr a) { return a->kind == NR_ATTR_INTEGER && nr_type_is_index(a->type); }
static bool kind_float(NrAttr a) { return a->kind == NR_ATTR_FLOAT; }
static bool kind_string(NrAttr a) { return a->kind == NR_ATTR_STRING; }
static bool kind_symbol(NrAttr a) { return a->kind == NR_ATTR_SYMBOL; }
static bool kind_array(NrAttr a) { return a->kind == NR_ATTR_ARRAY; }
static bool kind_dict(NrAttr a) { return a->kind == NR_ATTR_DICT; }
static bool kind_type(NrAttr a) { return a->kind == NR_ATTR_TYPE; }
static bool kind_map(NrAttr a) { return a->kind == NR_ATTR_AFFINE_MAP; }
static bool kind_elements(NrAttr a) {
  return a->kind == NR_ATTR_DENSE || a->kind == NR_ATTR_RESOURCE || a->kind == NR_ATTR_DENSE_STRINGS ||
         a->kind == NR_ATTR_SPARSE;
}
static bool kind_i32s(NrAttr a) { return a->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(a->type, 32); }
static bool kind_i64s(NrAttr a) { return a->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(a->type, 64); }

/* Powers of two. In MLIR the alignment has 64 bits in some ops and 32 in others. */
static bool is_alignment(NrAttr a) { return a->i > 0 && (a->i & (a->i - 1)) == 0; }
static bool kind_alignment(NrAttr a) { return is_int_of(a, 64) && is_alignment(a); }
static bool kind_alignment32(NrAttr a) { return is_int_of(a, 32) && is_alignment(a); }

static const struct NrAttrTest {
  const char *name;
  bool (*holds)(NrAttr a);
  const char *words;
} attr_kinds[] = {
    {"any", kind_any, "any attribute"},
    {"unit", kind_unit, "unit attribute"},
    {"bool", kind_bool, "bool attribute"},
    {"int", kind_int, "integer attribute"},
    {"i32", kind_i32, "32-bit signless integer attribute"},
    {"i64", kind_i64, "64-bit signless integer attribute"},
    {"index", kind_index, "index attribute"},
    {"alignment", kind_alignment, "64-bit signless integer attribute whose value is a positive power of two"},
    {"alignment32", kind_alignment32, "32-bit signless integer attribute whose value is a positive power of two"},
    {"float", kind_float, "float attribute"},
    {"string", kind_string, "string attribute"},
    {"symbol", kind_symbol, "symbol reference attribute"},
    {"array", kind_array, "array attribute"},
    {"dict", kind_dict, "dictionary attribute"},
    {"type", kind_type, "type attribute"},
    {"map", kind_map, "AffineMap attribute"},
    {"elements", kind_elements, "constant vector/tensor attribute"},
    {"i32s", kind_i32s, "i32 dense array attribute"},
    {"i64s", kind_i64s, "i64 dense array attribute"},
};

const struct NrAttrTest *nr_attr_test(NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(attr_kinds); i++)
    if (nr_str_is(name, attr_kinds[i].name)) return &attr_kinds[i];
  assert(!"malformed op row: unknown kind of attribute");
  return &attr_kinds[0];
}

bool nr_attr_fits(const NrSpecItem *item, NrAttr attr) { return item->attr_test->holds(attr); }

const char *nr_attr_kind_words(const NrSpecItem *item) { return item->attr_test->words; }
