/* parse_attr.c - attributes, in the syntax of all MLIR versions. parse_dense.c parses the elements of dense ones. */
#include "ir/params.h"

#include <stdlib.h>

/* ---- arrays, dictionaries, symbols ------------------------------------------------------------------------------- */

static NrAttr parse_array(NrParser *p) {
  NR_VEC(NrAttr) items = {0};
  bool ok = true;
  nr_parse_advance(p);
  if (!nr_parse_at(p, ']')) {
    do {
      NrAttr item = nr_parse_attr_here(p, NULL);
      ok = item != NULL;
      if (ok) nr_vec_push(&items, item);
    } while (ok && nr_parse_take(p, ','));
  }
  NrAttr attr = ok && nr_parse_need(p, ']') ? nr_attr_array(p->ctx, items.data, items.size) : NULL;
  nr_vec_deinit(&items);
  return attr;
}

static bool parse_dict_entry(NrParser *p, NrNamedAttr *out) {
  if (nr_parse_at(p, NR_TOK_STRING)) {
    if (!nr_parse_string(p, &out->name)) return false;
    if (!out->name.size) return nr_parse_fail(p, "expected the name of an attribute");
  } else if (nr_parse_at(p, NR_TOK_BARE)) {
    out->name = nr_token_str(p->tok);
    nr_parse_advance(p);
  } else {
    return nr_parse_fail(p, "expected the name of an attribute");
  }
  out->name = nr_context_intern(p->ctx, out->name);
  out->value = nr_parse_take(p, '=') ? nr_parse_attr_here(p, NULL) : nr_attr_unit(p->ctx);
  return out->value != NULL;
}

static int compare_names(const void *a, const void *b) {
  const NrNamedAttr *x = a, *y = b;
  return x->name.data < y->name.data ? -1 : x->name.data > y->name.data;
}

/* An entry with the name of an earlier one, or NULL. Compares all pairs if there are few entries, else sorts. */
static const NrNamedAttr *duplicate(const NrNamedAttr *items, size_t count) {
  if (count < 16) {
    for (size_t i = 1; i < count; i++)
      for (size_t k = 0; k < i; k++)
        if (items[i].name.data == items[k].name.data) return &items[i];
    return NULL;
  }
  NrNamedAttr *sorted = nr_malloc(count * sizeof *sorted);
  memcpy(sorted, items, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  const NrNamedAttr *found = NULL;
  for (size_t i = 1; i < count && !found; i++)
    if (sorted[i].name.data == sorted[i - 1].name.data)
      for (size_t k = count; k-- && !found;)
        if (items[k].name.data == sorted[i].name.data) found = &items[k];
  nr_free(sorted);
  return found;
}

/* Reports entry `index` as a duplicate; the entries begin at `at` in the text. */
static bool fail_duplicate(NrParser *p, const char *at, size_t index, NrStr name) {
  NrParseMark here = nr_parse_mark(p);
  NrNamedAttr entry;
  nr_parse_jump(p, at);
  for (size_t i = 0; i < index && parse_dict_entry(p, &entry); i++) nr_parse_take(p, ',');
  at = p->tok.begin;
  nr_parse_return_to(p, here);
  return nr_parse_fail_at(p, at, "attribute '%.*s' occurs more than once", NR_STR_ARG(name));
}

bool nr_parse_dict_entries(NrParser *p, size_t begin, int close) {
  const char *at = p->tok.begin;
  if (!nr_parse_at(p, close)) {
    do {
      NrNamedAttr entry;
      if (!parse_dict_entry(p, &entry)) return false;
      nr_vec_push(&p->attrs, entry);
    } while (nr_parse_take(p, ','));
  }
  if (!nr_parse_need(p, close)) return false;
  const NrNamedAttr *twice = p->attrs.size ? duplicate(p->attrs.data + begin, p->attrs.size - begin) : NULL;
  return !twice || fail_duplicate(p, at, (size_t)(twice - p->attrs.data) - begin, twice->name);
}

static NrAttr parse_dict(NrParser *p) {
  size_t begin = p->attrs.size;
  nr_parse_advance(p);
  bool ok = nr_parse_dict_entries(p, begin, '}');
  NrAttr attr = ok ? nr_attr_dict(p->ctx, p->attrs.data ? p->attrs.data + begin : NULL, p->attrs.size - begin) : NULL;
  p->attrs.size = begin;
  return attr;
}

NrAttr nr_parse_symbol(NrParser *p) {
  NrStr root, part;
  if (!nr_parse_symbol_name(p, &root)) return NULL;
  if (!nr_parse_at(p, NR_TOK_COLONS)) return nr_attr_symbol(p->ctx, root);
  NR_VEC(NrStr) nested = {0};
  bool ok = true;
  while (ok && nr_parse_take(p, NR_TOK_COLONS)) {
    ok = nr_parse_symbol_name(p, &part);
    if (ok) nr_vec_push(&nested, part);
  }
  NrAttr attr = ok ? nr_attr_symbol_nested(p->ctx, root, nested.data, nested.size) : NULL;
  nr_vec_deinit(&nested);
  return attr;
}

/* ---- what begins with a keyword ---------------------------------------------------------------------------------- */

/* affine_map<...> or affine_set<...>. */
static NrAttr parse_affine_keyword(NrParser *p, NrAttrKind kind) {
  nr_parse_advance(p);
  const char *at = p->tok.begin;
  if (!nr_parse_need(p, '<')) return NULL;
  NrAttr attr = nr_parse_affine(p);
  if (!attr || !nr_parse_need(p, '>')) return NULL;
  if (attr->kind == kind) return attr;
  nr_parse_fail_at(p, at, kind == NR_ATTR_AFFINE_MAP ? "expected '->' in affine map" : "expected ':' in integer set");
  return NULL;
}

static bool stride(NrParser *p, int64_t *out) {
  return nr_parse_take(p, '?') ? (*out = NR_DYNAMIC, true) : nr_parse_int64(p, out);
}

/* strided<[4, ?], offset: 2> */
static NrAttr parse_strided(NrParser *p) {
  int64_t strides[NR_MAX_RANK], offset = 0;
  size_t count = 0;
  nr_parse_advance(p);
  if (!nr_parse_need(p, '<') || !nr_parse_need(p, '[')) return NULL;
  while (!nr_parse_at(p, ']')) {
    if (count == NR_MAX_RANK) return nr_parse_fail(p, "more than %d strides", NR_MAX_RANK), NULL;
    if (!stride(p, &strides[count++])) return NULL;
    if (!nr_parse_take(p, ',')) break;
  }
  if (!nr_parse_need(p, ']')) return NULL;
  if (nr_parse_take(p, ',')) {
    if (!nr_parse_take_word(p, "offset")) return nr_parse_fail(p, "expected 'offset'"), NULL;
    if (!nr_parse_need(p, ':') || !stride(p, &offset)) return NULL;
  }
  return nr_parse_need(p, '>') ? nr_attr_strided(p->ctx, strides, count, offset) : NULL;
}

/* distinct[0]<attr>: equal numbers are the same attribute. */
static NrAttr parse_distinct(NrParser *p) {
  uint64_t number;
  NrAttr referenced = nr_attr_unit(p->ctx);
  const char *at = p->tok.begin;
  nr_parse_advance(p);
  if (!nr_parse_need(p, '[')) return NULL;
  if (!nr_parse_at(p, NR_TOK_INT) || !nr_token_u64(p->tok, &number) || number >= SIZE_MAX)
    return nr_parse_fail(p, "expected the number of a distinct attribute"), NULL;
  nr_parse_advance(p);
  if (!nr_parse_need(p, ']') || !nr_parse_need(p, '<')) return NULL;
  if (!nr_parse_at(p, '>') && !(referenced = nr_parse_attr_here(p, NULL))) return NULL;
  if (!nr_parse_need(p, '>')) return NULL;
  const void *key = (const void *)(uintptr_t)(number + 1);
  NrAttr known = nr_map_get(&p->distinct, key);
  if (known && known->items[0] != referenced) {
    nr_parse_fail_at(p, at, "distinct[%llu] refers to different attributes", (unsigned long long)number);
    return NULL;
  }
  if (known) return known;
  known = nr_attr_distinct(p->ctx, referenced);
  nr_map_set(&p->distinct, key, (void *)known);
  return known;
}

static NrAttr parse_loc_attr(NrParser *p) {
  nr_parse_advance(p);
  if (!nr_parse_need(p, '(')) return NULL;
  NrLoc loc = nr_parse_loc_body(p);
  return loc && nr_parse_need(p, ')') ? nr_attr_loc(p->ctx, loc) : NULL;
}

static NrAttr parse_type_attr(NrParser *p) {
  NrType type = nr_parse_type_here(p);
  return type ? nr_attr_type(type) : NULL;
}

static NrAttr parse_bool(NrParser *p, bool value, NrType type) {
  if (type && !nr_type_is_int(type))
    return nr_parse_fail(p, "a boolean does not fit type '%s'", nr_type_text(p->ctx, type)), NULL;
  nr_parse_advance(p);
  return type ? nr_attr_int(type, value) : nr_attr_bool(p->ctx, value);
}

/* `: type` behind an attribute of a dialect, unless its type is known already. */
static bool parse_type_suffix(NrParser *p, bool may_have_type, NrType *io) {
  return *io || !may_have_type || !nr_parse_take(p, ':') || (*io = nr_parse_type_here(p));
}

static NrAttr parse_opaque(NrParser *p, NrType type, bool may_have_type) {
  NrStr text;
  if (!nr_parse_opaque_text(p, &text) || !parse_type_suffix(p, may_have_type, &type)) return NULL;
  return nr_attr_opaque(p->ctx, text, type);
}

static NrAttr parse_of_dialect(NrParser *p, const NrAttrInfo *info, NrType type, bool may_have_type) {
  NrAttr params[NR_MAX_PARAMS];
  nr_parse_advance(p);
  if (!nr_parse_params(p, info, params) || !parse_type_suffix(p, may_have_type, &type)) return NULL;
  return nr_attr_of_dialect(p->ctx, (NrAttrKind)info->kind, params, type);
}

static NrAttr parse_word(NrParser *p, NrType type, bool may_have_type) {
  static const char *const words[] = {"true",    "false",          "dense",  "affine_map", "unit",     "array",
                                      "strided", "dense_resource", "sparse", "affine_set", "distinct", "loc"};
  NrStr word = nr_token_str(p->tok);
  if (nr_str_is(word, "true") || nr_str_is(word, "false")) return parse_bool(p, word.size == 4, type);
  if (nr_str_is(word, "dense")) return nr_parse_dense(p, type);
  if (nr_str_is(word, "affine_map")) return parse_affine_keyword(p, NR_ATTR_AFFINE_MAP);
  if (nr_str_is(word, "unit")) return nr_parse_advance(p), nr_attr_unit(p->ctx);
  if (nr_str_is(word, "array")) return nr_parse_array_attr(p);
  if (nr_str_is(word, "strided")) return parse_strided(p);
  if (nr_str_is(word, "dense_resource")) return nr_parse_dense_resource(p, type);
  if (nr_str_is(word, "sparse")) return nr_parse_sparse(p, type);
  if (nr_str_is(word, "affine_set")) return parse_affine_keyword(p, NR_ATTR_AFFINE_SET);
  if (nr_str_is(word, "distinct")) return parse_distinct(p);
  if (nr_str_is(word, "loc")) return parse_loc_attr(p);
  if (nr_str_is(word, "opaque")) return parse_opaque(p, type, may_have_type);
  if (nr_parse_is_type_word(word)) return parse_type_attr(p);
  NrNearest nearest = nr_nearest(word);
  for (size_t i = 0; i < NR_COUNTOF(words); i++) nr_nearest_try(&nearest, nr_str(words[i]));
  return nr_parse_fail(p, "expected an attribute value, not '%.*s'" NR_HINT, NR_STR_ARG(word), NR_HINT_ARG(nearest)),
         NULL;
}

/* ---- what dialects define, kept as text -------------------------------------------------------------------------- */

/* The end of <...> with balanced brackets, or NULL. p is at the `<`. */
static const char *closing_angle(const char *p, const char *end) {
  char open[NR_MAX_NESTING];
  size_t depth = 0;
  for (; p < end; p++) {
    switch (*p) {
    case '<': case '(': case '[': case '{':
      if (depth == sizeof open) return NULL;
      open[depth++] = *p == '(' ? ')' : (char)(*p + 2);
      break;
    case '-': p += p + 1 < end && p[1] == '>'; break;
    case '>': case ')': case ']': case '}':
      if (open[--depth] != *p) return NULL;
      if (depth == 0) return p + 1;
      break;
    case '"':
      for (p++; p < end && *p != '"' && *p != '\n'; p++) p += *p == '\\' && p + 1 < end;
      if (p >= end || *p != '"') return NULL;
      break;
    case 0: return NULL;
    default: break;
    }
  }
  return NULL;
}

bool nr_parse_opaque_text(NrParser *p, NrStr *out) {
  const char *begin = p->tok.begin + (p->tok.kind != NR_TOK_BARE), *end = p->tok.end;
  if (*end == '<') {
    end = closing_angle(end, p->lexer.end);
    if (!end) return nr_parse_fail(p, "unbalanced brackets in '%.*s<'", NR_STR_ARG(nr_token_str(p->tok)));
  }
  *out = (NrStr){begin, (size_t)(end - begin)};
  nr_parse_jump(p, end);
  return true;
}

/* #alias, or #dialect.name<...>, #dialect<...>. */
static NrAttr parse_hash(NrParser *p, NrType type, bool may_have_type) {
  NrToken t = p->tok;
  NrStr name = nr_token_name(t);
  bool has_dot = memchr(name.data, '.', name.size) != NULL; /* an alias has none */
  const NrAttrInfo *info = has_dot ? nr_attr_info_find(name) : NULL;
  if (info) return parse_of_dialect(p, info, type, may_have_type);
  if (has_dot || *t.end == '<') return parse_opaque(p, type, may_have_type);
  NrAlias *alias = nr_parse_find_alias(p, t);
  if (!alias) return NULL;
  nr_parse_advance(p);
  return alias->attr;
}

static NrAttr parse_string_attr(NrParser *p, NrType type, bool may_have_type) {
  NrScratchMark mark = nr_parse_scratch_mark(p);
  NrStr text;
  NrAttr attr = NULL;
  if (nr_parse_string(p, &text)) {
    bool ok = type || !may_have_type || !nr_parse_take(p, ':') || (type = nr_parse_type_here(p));
    if (ok) attr = type ? nr_attr_string_typed(type, text) : nr_attr_string(p->ctx, text);
  }
  nr_parse_scratch_release(p, mark);
  return attr;
}

/* ---- any attribute ----------------------------------------------------------------------------------------------- */

static NrAttr parse_any(NrParser *p, NrType type, bool may_have_type) {
  switch (p->tok.kind) {
  case NR_TOK_BARE: return parse_word(p, type, may_have_type);
  case NR_TOK_INT: case NR_TOK_FLOAT: case '-':
    if (!type && !may_have_type) {
      NrToken digits = p->tok;
      if (digits.kind == '-') nr_lex(&(NrLexer){.end = p->lexer.end, .next = digits.end}, &digits);
      type = digits.kind == NR_TOK_FLOAT ? nr_type_f64(p->ctx) : nr_type_i64(p->ctx);
    }
    return nr_parse_number(p, type);
  case NR_TOK_STRING: return parse_string_attr(p, type, may_have_type);
  case NR_TOK_SYMBOL: return nr_parse_symbol(p);
  case NR_TOK_HASH: return parse_hash(p, type, may_have_type);
  case NR_TOK_BANG: return parse_type_attr(p);
  case '[': return parse_array(p);
  case '{': return parse_dict(p);
  case '(': return nr_parse_looks_affine(p) ? nr_parse_affine(p) : parse_type_attr(p);
  default: return nr_parse_fail(p, "expected an attribute value"), NULL;
  }
}

static NrAttr parse_nested(NrParser *p, NrType type, bool may_have_type) {
  if (!nr_parse_enter(p)) return NULL;
  NrAttr attr = parse_any(p, type, may_have_type);
  nr_parse_leave(p);
  return attr;
}

NrAttr nr_parse_attr_here(NrParser *p, NrType type) { return parse_nested(p, type, true); }
NrAttr nr_parse_attr_untyped(NrParser *p) { return parse_nested(p, NULL, false); }
