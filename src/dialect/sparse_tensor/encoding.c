/* encoding.c - #sparse_tensor.encoding: its text, and what it says of a tensor; see sparse_tensor.h.
 *
 *   { map = (i, j) -> (j : compressed(nonunique), i : singleton(soa)), posWidth = 32, crdWidth = 32 } */
#include "dialect/sparse_tensor/sparse_tensor.h"

#include <stdio.h>

/* ---- queries ----------------------------------------------------------------------------------------------------- */

bool nr_type_is_sparse(NrType type) {
  return type->kind == NR_TYPE_TENSOR && type->layout && type->layout->kind == NR_ATTR_sparse_tensor_encoding;
}

static NrType index_type(NrContext *ctx, int64_t width) {
  return width ? nr_type_int(ctx, (uint32_t)width) : nr_type_index(ctx);
}

void nr_sparse_levels_of(NrType type, NrSparseLevels *out) {
  assert(nr_type_is_sparse(type));
  const NrAttr *params = type->layout->items;
  *out = (NrSparseLevels){.count = params[0]->s.size};
  for (size_t l = 0; l < out->count; l++) {
    out->letters[l] = params[0]->s.data[l];
    out->dims[l] = (size_t)(params[1]->s.data[l] - '0');
  }
  out->position = index_type(type->ctx, params[2]->i);
  out->coordinate = index_type(type->ctx, params[3]->i);
}

static NrType array_type(NrType elem) { return nr_type_tensor((int64_t[]){NR_DYNAMIC}, 1, elem); }

size_t nr_sparse_array_types(NrType type, NrType *out) {
  NrSparseLevels levels;
  size_t size = 0;
  nr_sparse_levels_of(type, &levels);
  for (size_t l = 0; l < levels.count; l++) {
    if (levels.letters[l] == 's') out[size++] = array_type(levels.position);
    if (levels.letters[l] != 'd') out[size++] = array_type(levels.coordinate);
  }
  out[size++] = array_type(type->elem);
  return size;
}

size_t nr_sparse_array_of(const NrSparseLevels *levels, size_t level, bool position) {
  size_t i = 0;
  for (size_t l = 0; l < level; l++) i += levels->letters[l] == 's' ? 2 : levels->letters[l] == 'q';
  return i + (levels->letters[level] == 's' && !position);
}

void nr_sparse_array_name(const NrSparseLevels *levels, size_t i, char out[8]) {
  for (size_t l = 0; l < levels->count; l++) {
    if (levels->letters[l] == 'd') continue;
    bool is_position = i == nr_sparse_array_of(levels, l, true) && levels->letters[l] == 's';
    if (!is_position && i != nr_sparse_array_of(levels, l, false)) continue;
    snprintf(out, 8, "%s%zu", is_position ? "pos" : "crd", l % 10);
    return;
  }
  snprintf(out, 8, "vals");
}

const char *nr_sparse_encoding_misfit(NrAttr encoding, NrType tensor) {
  return encoding->items[0]->s.size == tensor->rank ? NULL : "its encoding is of another number of dims";
}

/* ---- text in ----------------------------------------------------------------------------------------------------- */

typedef struct Reader {
  NrParser *p;
  size_t num_dims, num_levels;
  NrStr dims[NR_SPARSE_MAX_LEVELS];
  char letters[NR_SPARSE_MAX_LEVELS], order[NR_SPARSE_MAX_LEVELS];
  bool repeats[NR_SPARSE_MAX_LEVELS];
  int64_t widths[2];
} Reader;

static NrStatus parse_dims(Reader *r) {
  NR_TRY(nr_p_expect(r->p, "("));
  do {
    NrLoc loc = nr_p_loc(r->p);
    if (r->num_dims == NR_SPARSE_MAX_LEVELS)
      return nr_p_error(r->p, loc, "an encoding has at most %d dims", NR_SPARSE_MAX_LEVELS);
    NR_TRY(nr_p_keyword(r->p, &r->dims[r->num_dims]));
    for (size_t d = 0; d < r->num_dims; d++)
      if (nr_str_eq(r->dims[d], r->dims[r->num_dims])) return nr_p_error(r->p, loc, "dim '%.*s' is named twice",
                                                                         NR_STR_ARG(r->dims[d]));
    r->num_dims++;
  } while (nr_p_try(r->p, ","));
  return nr_p_expect(r->p, ")");
}

/* (nonunique, soa) */
static NrStatus parse_properties(Reader *r, bool *out_repeats, bool *out_soa) {
  *out_repeats = *out_soa = false;
  if (!nr_p_try(r->p, "(")) return NR_OK;
  do {
    NrLoc loc = nr_p_loc(r->p);
    NrStr word;
    NR_TRY(nr_p_keyword(r->p, &word));
    if (nr_str_is(word, "nonunique")) *out_repeats = true;
    else if (nr_str_is(word, "soa")) *out_soa = true;
    else return nr_p_error(r->p, loc, "a level cannot be '%.*s'; expected nonunique or soa", NR_STR_ARG(word));
  } while (nr_p_try(r->p, ","));
  return nr_p_expect(r->p, ")");
}

/* i : compressed(nonunique) */
static NrStatus parse_level(Reader *r) {
  NrLoc loc = nr_p_loc(r->p), kind_loc;
  NrStr dim, kind;
  size_t l = r->num_levels, d = 0;
  bool soa;
  if (l == r->num_dims) return nr_p_error(r->p, loc, "an encoding has one level for each dim");
  NR_TRY(nr_p_keyword(r->p, &dim));
  while (d < r->num_dims && !nr_str_eq(r->dims[d], dim)) d++;
  if (d == r->num_dims) return nr_p_error(r->p, loc, "'%.*s' is no dim of the map", NR_STR_ARG(dim));
  for (size_t k = 0; k < l; k++)
    if (r->order[k] == (char)('0' + d)) return nr_p_error(r->p, loc, "dim '%.*s' has two levels", NR_STR_ARG(dim));
  NR_TRY(nr_p_expect(r->p, ":"));
  kind_loc = nr_p_loc(r->p);
  NR_TRY(nr_p_keyword(r->p, &kind));
  NR_TRY(parse_properties(r, &r->repeats[l], &soa));
  char letter = nr_str_is(kind, "dense")        ? 'd'
                : nr_str_is(kind, "compressed") ? 's'
                : nr_str_is(kind, "singleton")  ? 'q'
                                                : 0;
  if (!letter)
    return nr_p_error(r->p, kind_loc, "a level cannot be '%.*s'; expected dense, compressed or singleton",
                      NR_STR_ARG(kind));
  if (soa != (letter == 'q'))
    return nr_p_error(r->p, kind_loc, letter == 'q' ? "expected singleton(soa): each level has an array of coordinates"
                                                    : "soa is for singleton levels");
  r->letters[l] = letter;
  r->order[l] = (char)('0' + d);
  r->num_levels++;
  return NR_OK;
}

static NrStatus parse_map(Reader *r) {
  NrLoc loc = nr_p_loc(r->p);
  if (r->num_dims) return nr_p_error(r->p, loc, "map is given twice");
  NR_TRY(parse_dims(r));
  NR_TRY(nr_p_expect(r->p, "->"));
  NR_TRY(nr_p_expect(r->p, "("));
  do NR_TRY(parse_level(r));
  while (nr_p_try(r->p, ","));
  if (r->num_levels != r->num_dims) return nr_p_error(r->p, loc, "an encoding has one level for each dim");
  for (size_t l = 0; l < r->num_levels; l++) {
    bool below = l + 1 < r->num_levels && r->letters[l + 1] == 'q';
    size_t single = r->letters[l] == 'd' ? l + 1 : 0; /* where there cannot be one */
    if (single < r->num_levels && r->letters[single] == 'q')
      return nr_p_error(r->p, loc, "level %zu is a singleton, but not below a compressed level", single);
    if (below != r->repeats[l])
      return nr_p_error(r->p, loc, below ? "level %zu must be nonunique: a singleton is below it"
                                         : "level %zu cannot be nonunique: no singleton is below it", l);
  }
  return nr_p_expect(r->p, ")");
}

static NrStatus parse_width(Reader *r, int64_t *out) {
  NrLoc loc = nr_p_loc(r->p);
  NR_TRY(nr_p_int(r->p, out));
  if (*out == 0 || *out == 32 || *out == 64) return NR_OK;
  return nr_p_error(r->p, loc, "the width must be 32, 64 or 0, which is index");
}

NrStatus nr_sparse_encoding_parse(NrParser *p, NrAttr *out_params) {
  Reader r = {.p = p};
  NrContext *ctx = nr_p_context(p);
  NR_TRY(nr_p_expect(p, "{"));
  NrLoc begin = nr_p_loc(p);
  do {
    NrLoc loc = nr_p_loc(p);
    NrStr key;
    NR_TRY(nr_p_keyword(p, &key));
    NR_TRY(nr_p_expect(p, "="));
    if (nr_str_is(key, "map")) NR_TRY(parse_map(&r));
    else if (nr_str_is(key, "posWidth")) NR_TRY(parse_width(&r, &r.widths[0]));
    else if (nr_str_is(key, "crdWidth")) NR_TRY(parse_width(&r, &r.widths[1]));
    else return nr_p_error(p, loc, "'%.*s' is not supported; expected map, posWidth or crdWidth", NR_STR_ARG(key));
  } while (nr_p_try(p, ","));
  if (!r.num_dims) return nr_p_error(p, begin, "an encoding needs a map");
  out_params[0] = nr_attr_string(ctx, (NrStr){r.letters, r.num_levels});
  out_params[1] = nr_attr_string(ctx, (NrStr){r.order, r.num_levels});
  for (size_t i = 0; i < 2; i++) out_params[2 + i] = nr_attr_i64(ctx, r.widths[i]);
  return nr_p_expect(p, "}");
}

/* ---- text out ---------------------------------------------------------------------------------------------------- */

void nr_sparse_encoding_print(NrPrinter *w, const NrAttr *params) {
  NrStr letters = params[0]->s, dims = params[1]->s;
  nr_w_puts(w, "{ map = (");
  for (size_t d = 0; d < dims.size; d++) nr_w_printf(w, "%sd%zu", d ? ", " : "", d);
  nr_w_puts(w, ") -> (");
  for (size_t l = 0; l < letters.size; l++) {
    bool repeats = l + 1 < letters.size && letters.data[l + 1] == 'q';
    const char *kind = letters.data[l] == 'd' ? "dense" : letters.data[l] == 's' ? "compressed" : "singleton";
    nr_w_printf(w, "%sd%c : %s", l ? ", " : "", dims.data[l], kind);
    if (letters.data[l] == 'q') nr_w_puts(w, repeats ? "(nonunique, soa)" : "(soa)");
    else if (repeats) nr_w_puts(w, "(nonunique)");
  }
  nr_w_puts(w, ")");
  if (params[2]->i) nr_w_printf(w, ", posWidth = %d", (int)params[2]->i);
  if (params[3]->i) nr_w_printf(w, ", crdWidth = %d", (int)params[3]->i);
  nr_w_puts(w, " }");
}
