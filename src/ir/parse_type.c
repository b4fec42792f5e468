/* parse_type.c - types, in the syntax of all MLIR versions. */
#include "ir/params.h"

#include <ctype.h>

enum { MAX_INT_WIDTH = (1 << 24) - 1 };

/* ---- i32, si8, f32, index: types that are one word --------------------------------------------------------------- */

static const struct {
  NrStr name;
  NrFloatKind kind;
} floats[] = {
    {NR_STR("f32"), NR_F32},
    {NR_STR("f64"), NR_F64},
    {NR_STR("f16"), NR_F16},
    {NR_STR("bf16"), NR_BF16},
    {NR_STR("tf32"), NR_TF32},
    {NR_STR("f80"), NR_F80},
    {NR_STR("f128"), NR_F128},
    {NR_STR("f8E5M2"), NR_F8E5M2},
    {NR_STR("f8E4M3"), NR_F8E4M3},
    {NR_STR("f8E4M3FN"), NR_F8E4M3FN},
    {NR_STR("f8E5M2FNUZ"), NR_F8E5M2FNUZ},
    {NR_STR("f8E4M3FNUZ"), NR_F8E4M3FNUZ},
    {NR_STR("f8E4M3B11FNUZ"), NR_F8E4M3B11FNUZ},
    {NR_STR("f8E3M4"), NR_F8E3M4},
    {NR_STR("f8E8M0FNU"), NR_F8E8M0FNU},
    {NR_STR("f4E2M1FN"), NR_F4E2M1FN},
    {NR_STR("f6E2M3FN"), NR_F6E2M3FN},
    {NR_STR("f6E3M2FN"), NR_F6E3M2FN},
};

static const char *const compound_words[] = {"index", "none", "memref", "tensor", "vector", "complex", "tuple"};

/* i32, si8, ui4. The width saturates, so that the caller can reject it. */
static bool int_word(NrStr word, NrSignedness *out_signedness, uint32_t *out_width) {
  size_t i = word.data[0] == 's' || word.data[0] == 'u';
  *out_signedness = i == 0 ? NR_SIGNLESS : word.data[0] == 's' ? NR_SIGNED : NR_UNSIGNED;
  if (word.size < i + 2 || word.data[i++] != 'i') return false;
  uint32_t width = 0;
  for (; i < word.size; i++) {
    if (!isdigit((unsigned char)word.data[i])) return false;
    width = NR_MIN(width * 10 + (uint32_t)(word.data[i] - '0'), (uint32_t)MAX_INT_WIDTH + 1);
  }
  *out_width = width;
  return true;
}

static bool float_word(NrStr word, NrFloatKind *out) {
  if (word.data[0] != 'f' && word.data[0] != 'b' && word.data[0] != 't') return false;
  for (size_t i = 0; i < NR_COUNTOF(floats); i++)
    if (nr_str_eq(word, floats[i].name)) return *out = floats[i].kind, true;
  return false;
}

bool nr_parse_is_type_word(NrStr word) {
  NrSignedness signedness;
  uint32_t width;
  NrFloatKind kind;
  if (int_word(word, &signedness, &width) || float_word(word, &kind)) return true;
  for (size_t i = 0; i < NR_COUNTOF(compound_words); i++)
    if (nr_str_is(word, compound_words[i])) return true;
  return false;
}

/* ---- dims -------------------------------------------------------------------------------------------------------- */

/* Consumes the `x` between dims: a name that begins with x is lexed again after the x. */
static bool take_x(NrParser *p) {
  if (!nr_parse_at(p, NR_TOK_BARE) || p->tok.begin[0] != 'x') return nr_parse_fail(p, "expected 'x' in dimension list");
  nr_parse_jump(p, p->tok.begin + 1);
  return true;
}

/* An integer; `0x` is the dim 0 and an x, never hex. */
static bool take_dim(NrParser *p, int64_t *out) {
  if (p->tok.end - p->tok.begin > 1 && p->tok.begin[1] == 'x') {
    *out = 0;
    nr_parse_jump(p, p->tok.begin + 1);
    return true;
  }
  uint64_t value;
  if (!nr_token_u64(p->tok, &value) || value > INT64_MAX) return nr_parse_fail(p, "dimension is too large");
  *out = (int64_t)value;
  nr_parse_advance(p);
  return true;
}

bool nr_parse_dims(NrParser *p, int64_t *dims, uint32_t *rank, uint64_t *scalable) {
  *rank = 0;
  for (;;) {
    bool scales = scalable && nr_parse_at(p, '[');
    if (!scales && !nr_parse_at(p, '?') && !nr_parse_at(p, NR_TOK_INT)) return true;
    if (*rank == NR_MAX_RANK) return nr_parse_fail(p, "more than %d dimensions", NR_MAX_RANK);
    int64_t *dim = &dims[(*rank)++];
    if (nr_parse_take(p, '?')) {
      *dim = NR_DYNAMIC;
    } else {
      if (scales) nr_parse_advance(p);
      if (!nr_parse_at(p, NR_TOK_INT)) return nr_parse_fail(p, "expected a dimension");
      if (!take_dim(p, dim) || (scales && !nr_parse_need(p, ']'))) return false;
      if (scales) *scalable |= 1ull << (*rank - 1);
    }
    if (!take_x(p)) return false;
  }
}

/* ---- vector, tensor, memref -------------------------------------------------------------------------------------- */

static NrType bad_element(NrParser *p, const char *at, const char *what, NrType elem) {
  nr_parse_fail_at(p, at, "invalid %s element type '%s'", what, nr_type_text(p->ctx, elem));
  return NULL;
}

static bool fits_vector(NrType t) {
  return nr_type_is_int_or_index(t) || nr_type_is_float(t) || t->kind == NR_TYPE_OPAQUE;
}
static bool fits_tensor(NrType t) {
  return nr_type_is_scalar(t) || t->kind == NR_TYPE_VECTOR || t->kind == NR_TYPE_OPAQUE ||
         (t->info && t->info->traits & NR_TYPE_IS_ELEMENT);
}
static bool fits_memref(NrType t) { return fits_tensor(t) || nr_type_is_memref(t); }

/* at: position of its dims. */
static NrType checked_size(NrParser *p, const char *at, NrType type) {
  if (!type->oversized) return type;
  nr_parse_fail_at(p, at, "the size of '%s' does not fit in 64 bits", nr_type_text(p->ctx, type));
  return NULL;
}

static NrType parse_vector(NrParser *p) {
  int64_t dims[NR_MAX_RANK];
  uint32_t rank;
  uint64_t scalable = 0;
  const char *at = p->tok.begin;
  if (!nr_parse_dims(p, dims, &rank, &scalable)) return NULL;
  for (uint32_t i = 0; i < rank; i++)
    if (dims[i] <= 0) return nr_parse_fail_at(p, at, "vector types must have positive constant sizes"), NULL;
  const char *elem_at = p->tok.begin;
  NrType elem = nr_parse_type_here(p);
  if (!elem) return NULL;
  if (!fits_vector(elem)) return bad_element(p, elem_at, "vector", elem);
  return checked_size(p, at, nr_type_vector_scalable(dims, rank, elem, scalable));
}

/* `*x` of an unranked type. */
static bool take_star(NrParser *p, bool *out) {
  *out = nr_parse_take(p, '*');
  return !*out || take_x(p);
}

static NrType parse_tensor(NrParser *p) {
  int64_t dims[NR_MAX_RANK];
  uint32_t rank = 0;
  bool unranked;
  const char *dims_at = p->tok.begin;
  if (!take_star(p, &unranked) || (!unranked && !nr_parse_dims(p, dims, &rank, NULL))) return NULL;
  const char *at = p->tok.begin;
  NrType elem = nr_parse_type_here(p);
  if (!elem) return NULL;
  if (!fits_tensor(elem)) return bad_element(p, at, "tensor", elem);
  if (unranked) return nr_type_tensor_unranked(elem);
  NrAttr encoding = NULL;
  if (nr_parse_take(p, ',') && !(encoding = nr_parse_attr_here(p, NULL))) return NULL;
  NrType type = nr_type_tensor_encoded(dims, rank, elem, encoding);
  const NrAttrInfo *info = encoding ? nr_attr_info(encoding->kind) : NULL;
  const char *misfit = info && info->misfit ? info->misfit(encoding, type) : NULL;
  if (misfit) return nr_parse_fail_at(p, dims_at, "'%s': %s", nr_type_text(p->ctx, type), misfit), NULL;
  return checked_size(p, dims_at, type);
}

NrType nr_parse_type_or_dims(NrParser *p) {
  int64_t dims[NR_MAX_RANK];
  uint32_t rank;
  const char *dims_at = p->tok.begin;
  if (!nr_parse_dims(p, dims, &rank, NULL)) return NULL;
  const char *at = p->tok.begin;
  NrType type = nr_parse_type_here(p);
  if (!type || !rank) return type;
  if (!fits_tensor(type)) return bad_element(p, at, "tensor", type);
  return checked_size(p, dims_at, nr_type_tensor(dims, rank, type));
}

/* One of the numbers of a strided layout: 4 or ?. */
static bool stride_or_any(NrParser *p, int64_t *out) {
  if (nr_parse_take(p, '?')) return *out = NR_DYNAMIC, true;
  return nr_parse_int64(p, out);
}

/* `offset: 0, strides: [4, 1]`, the text of 2019 to 2021. */
static NrAttr offset_and_strides(NrParser *p, uint32_t rank) {
  int64_t offset, strides[NR_MAX_RANK];
  uint32_t count = 0;
  const char *at = p->tok.begin;
  nr_parse_advance(p);
  if (!nr_parse_need(p, ':') || !stride_or_any(p, &offset) || !nr_parse_need(p, ',')) return NULL;
  if (!nr_parse_take_word(p, "strides")) return nr_parse_fail(p, "expected 'strides'"), NULL;
  if (!nr_parse_need(p, ':') || !nr_parse_need(p, '[')) return NULL;
  while (!nr_parse_at(p, ']')) {
    if (count == NR_MAX_RANK) return nr_parse_fail(p, "more than %d strides", NR_MAX_RANK), NULL;
    if (!stride_or_any(p, &strides[count++])) return NULL;
    if (!nr_parse_take(p, ',')) break;
  }
  if (!nr_parse_need(p, ']')) return NULL;
  if (count != rank) {
    nr_parse_fail_at(p, at, "expected %u strides, one for each dimension, but found %u", rank, count);
    return NULL;
  }
  return nr_attr_strided(p->ctx, strides, count, offset);
}

static bool check_layout(NrParser *p, const char *at, NrAttr layout, uint32_t rank) {
  if (layout->kind == NR_ATTR_AFFINE_MAP && layout->num_dims != rank)
    return nr_parse_fail_at(p, at, "memref layout mismatch between rank and affine map: %u != %u", rank,
                            layout->num_dims);
  if (layout->kind == NR_ATTR_STRIDED && layout->num_strides != rank)
    return nr_parse_fail_at(p, at, "expected the number of strides to match the rank");
  return true;
}

static bool is_identity_map(NrAttr map) {
  return map->kind == NR_ATTR_AFFINE_MAP && map->num_symbols == 0 &&
         map == nr_attr_affine_identity(map->ctx, map->num_dims);
}

/* `, layout`, `, layout, layout`, `, space` and so on after the element type. Several maps (until 2021) are composed;
 * identity maps are dropped. */
static bool memref_suffix(NrParser *p, uint32_t rank, NrAttr *out_layout, NrAttr *out_space) {
  while (nr_parse_take(p, ',')) {
    const char *at = p->tok.begin;
    if (*out_space) return nr_parse_fail_at(p, at, "nothing may follow the memory space");
    NrAttr attr = nr_parse_at_word(p, "offset") ? offset_and_strides(p, rank) : nr_parse_attr_here(p, NULL);
    if (!attr) return false;
    if (attr->kind != NR_ATTR_AFFINE_MAP && attr->kind != NR_ATTR_STRIDED) {
      *out_space = attr;
      continue;
    }
    bool first = !*out_layout || is_identity_map(*out_layout);
    if (first && !check_layout(p, at, attr, rank)) return false;
    if (first) *out_layout = attr;
    else if (!is_identity_map(attr) && !(*out_layout = nr_parse_compose(p, at, attr, *out_layout))) return false;
  }
  return true;
}

static NrType parse_memref(NrParser *p) {
  int64_t dims[NR_MAX_RANK];
  uint32_t rank = 0;
  bool unranked;
  const char *dims_at = p->tok.begin;
  if (!take_star(p, &unranked) || (!unranked && !nr_parse_dims(p, dims, &rank, NULL))) return NULL;
  const char *at = p->tok.begin;
  NrType elem = nr_parse_type_here(p);
  if (!elem) return NULL;
  if (!fits_memref(elem)) return bad_element(p, at, "memref", elem);
  NrAttr layout = NULL, space = NULL;
  at = p->tok.begin;
  if (!memref_suffix(p, rank, &layout, &space)) return NULL;
  if (!unranked) return checked_size(p, dims_at, nr_type_memref_layout(dims, rank, elem, layout, space));
  if (layout) return nr_parse_fail_at(p, at, "an unranked memref has no layout"), NULL;
  return nr_type_memref_unranked(elem, space);
}

/* ---- complex, tuple, functions ----------------------------------------------------------------------------------- */

static NrType parse_complex(NrParser *p) {
  const char *at = p->tok.begin;
  NrType elem = nr_parse_type_here(p);
  if (!elem) return NULL;
  if (!nr_type_is_int(elem) && !nr_type_is_float(elem)) return bad_element(p, at, "complex", elem);
  return nr_type_complex(elem);
}

bool nr_parse_types(NrParser *p, size_t *out_count) {
  size_t begin = p->types.size;
  do {
    NrType type = nr_parse_type_here(p);
    if (!type) return p->types.size = begin, false;
    nr_vec_push(&p->types, type);
  } while (nr_parse_take(p, ','));
  *out_count = p->types.size - begin;
  return true;
}

bool nr_parse_paren_types(NrParser *p, size_t *out_count) {
  *out_count = 0;
  if (!nr_parse_need(p, '(')) return false;
  if (nr_parse_take(p, ')')) return true;
  size_t begin = p->types.size;
  if (!nr_parse_types(p, out_count)) return false;
  if (nr_parse_need(p, ')')) return true;
  p->types.size = begin;
  return false;
}

bool nr_parse_result_types(NrParser *p, size_t *out_count) {
  if (nr_parse_at(p, '(')) return nr_parse_paren_types(p, out_count);
  NrType type = nr_parse_type_here(p);
  if (!type) return false;
  nr_vec_push(&p->types, type);
  *out_count = 1;
  return true;
}

NrType nr_parse_function_type(NrParser *p) {
  size_t begin = p->types.size, inputs, results;
  NrType type = NULL;
  if (nr_parse_paren_types(p, &inputs) && nr_parse_need(p, NR_TOK_ARROW) && nr_parse_result_types(p, &results)) {
    const NrType *types = p->types.data ? p->types.data + begin : NULL;
    type = nr_type_function(p->ctx, types, inputs, types ? types + inputs : NULL, results);
  }
  p->types.size = begin;
  return type;
}

static NrType parse_tuple(NrParser *p) {
  size_t begin = p->types.size, count = 0;
  if (!nr_parse_at(p, '>') && !nr_parse_types(p, &count)) return NULL;
  NrType type = nr_type_tuple(p->ctx, p->types.data ? p->types.data + begin : NULL, count);
  p->types.size = begin;
  return type;
}

/* ---- types of dialects ------------------------------------------------------------------------------------------- */

static NrType in_angles(NrParser *p, NrType (*parse)(NrParser *p)) {
  nr_parse_advance(p);
  if (!nr_parse_need(p, '<')) return NULL;
  NrType type = parse(p);
  return type && nr_parse_need(p, '>') ? type : NULL;
}

/* At !name: a dialect's type if it has a dot or `<`, else an alias. */
static NrType parse_bang(NrParser *p) {
  NrToken t = p->tok;
  NrStr name = nr_token_name(t), text;
  bool has_dot = memchr(name.data, '.', name.size) != NULL; /* an alias has none */
  const NrTypeInfo *info = has_dot ? nr_type_info_find(name) : NULL;
  if (info) {
    NrAttr params[NR_MAX_PARAMS];
    if (info->renamed && nr_str_is(name, info->renamed)) p->ctx->renamed = true;
    p->type_name = name;
    nr_parse_advance(p);
    return nr_parse_params(p, info, params) ? nr_type_of_dialect(p->ctx, (NrTypeKind)info->kind, params) : NULL;
  }
  if (has_dot || *t.end == '<')
    return nr_parse_opaque_text(p, &text) ? nr_type_opaque(p->ctx, text) : NULL;
  NrAlias *alias = nr_parse_find_alias(p, t);
  if (!alias) return NULL;
  nr_parse_advance(p);
  return alias->type;
}

/* ---- types that were read before --------------------------------------------------------------------------------- */

static NrReadType *read_before(NrParser *p, const char *at) {
  enum { LOOKED_AT = 16 };
  size_t size = NR_MIN((size_t)LOOKED_AT, (size_t)(p->lexer.end - at));
  return &p->read_types[nr_hash_bytes(at, size) % NR_COUNTOF(p->read_types)];
}

/* Consumes the text of a type from the cache if the text continues with it. Cached texts end with a bracket, so a match
 * is a whole type. */
static NrType take_read_type(NrParser *p) {
  const NrReadType *r = read_before(p, p->tok.begin);
  if (!r->type || r->text.size > (size_t)(p->lexer.end - p->tok.begin)) return NULL;
  if (memcmp(r->text.data, p->tok.begin, r->text.size) != 0) return NULL;
  p->last_end = p->tok.begin + r->text.size;
  nr_parse_jump(p, p->last_end);
  return r->type;
}

/* Caches only shaped types of scalars; for others the nesting depth would have to be checked again. */
static void note_read_type(NrParser *p, const char *at, NrType type) {
  bool simple = type->elem && nr_type_is_scalar(type->elem) && !type->layout && !type->space;
  if (simple) *read_before(p, at) = (NrReadType){{at, (size_t)(p->last_end - at)}, type};
}

/* ---- any type ---------------------------------------------------------------------------------------------------- */

static NrType unknown_type(NrParser *p, NrStr word) {
  static const char *const names[] = {"memref", "tensor", "vector", "complex", "tuple", "index", "none", "i1",
                                      "i8",     "i16",    "i32",    "i64",     "f16",   "bf16",  "f32",  "f64"};
  NrNearest nearest = nr_nearest(word);
  for (size_t i = 0; i < NR_COUNTOF(names); i++) nr_nearest_try(&nearest, nr_str(names[i]));
  return nr_parse_fail(p, "unknown type '%.*s'" NR_HINT, NR_STR_ARG(word), NR_HINT_ARG(nearest)), NULL;
}

static NrType parse_word(NrParser *p) {
  static const struct {
    NrStr name;
    NrType (*parse)(NrParser *p);
  } words[] = {
      {NR_STR("memref"), parse_memref},   {NR_STR("tensor"), parse_tensor}, {NR_STR("vector"), parse_vector},
      {NR_STR("complex"), parse_complex}, {NR_STR("tuple"), parse_tuple},
  };
  NrStr word = nr_token_str(p->tok);
  NrSignedness signedness;
  uint32_t width;
  NrFloatKind kind;
  if (int_word(word, &signedness, &width)) {
    if (width > MAX_INT_WIDTH) return nr_parse_fail(p, "integer bitwidth is limited to %d bits", MAX_INT_WIDTH), NULL;
    nr_parse_advance(p);
    return nr_type_int_signed(p->ctx, width, signedness);
  }
  if (float_word(word, &kind)) {
    nr_parse_advance(p);
    return nr_type_float(p->ctx, kind);
  }
  if (nr_parse_take_word(p, "index")) return nr_type_index(p->ctx);
  NrType type = take_read_type(p);
  if (type) return type;
  for (size_t i = 0; i < NR_COUNTOF(words); i++) {
    if (!nr_str_eq(word, words[i].name)) continue;
    if ((type = in_angles(p, words[i].parse))) note_read_type(p, word.data, type);
    return type;
  }
  if (nr_parse_take_word(p, "none")) return nr_type_none(p->ctx);
  return unknown_type(p, word);
}

NrType nr_parse_type_here(NrParser *p) {
  if (!nr_parse_enter(p)) return NULL;
  NrType type = NULL;
  switch (p->tok.kind) {
  case NR_TOK_BARE: type = parse_word(p); break;
  case NR_TOK_BANG: type = parse_bang(p); break;
  case '(': type = nr_parse_function_type(p); break;
  default: nr_parse_fail(p, "expected a type"); break;
  }
  nr_parse_leave(p);
  return type;
}
