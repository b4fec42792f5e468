/* parse_affine.c - affine maps and integer sets:
 *
 *   (d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)        (d0)[s0] : (d0 - 1 == 0, s0 >= 0)
 *
 * and expressions over values: %i + 3, symbol(%n) * 2. The names of dims and symbols are free. An expression is affine:
 * a product has a factor without dims, and so has the right side of mod, floordiv and ceildiv. */
#include "ir/parse.h"

typedef struct Affine {
  NrParser *p;
  NrAffineOfValues *values; /* dims and symbols are these values; NULL: they are names */
  NR_VEC(NrStr) names;      /* dims, then symbols */
  uint32_t num_dims, num_symbols;
  unsigned height; /* of the last parsed expression */
  NR_VEC(NrAffineExpr) exprs;
  NR_VEC(bool) equal;
} Affine;

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static NrAffineExpr parse_sum(Affine *a);

static bool has_dims(NrAffineExpr e) {
  return e->kind == NR_AFFINE_DIM || (e->lhs && (has_dims(e->lhs) || has_dims(e->rhs)));
}

static NrAffineExpr negated(NrAffineExpr e) {
  return nr_affine_binary(NR_AFFINE_MUL, e, nr_affine_constant(e->ctx, -1));
}

static NrAffineExpr parse_name(Affine *a) {
  NrParser *p = a->p;
  NrStr name = nr_token_str(p->tok);
  for (uint32_t i = 0; i < a->names.size; i++) {
    if (!nr_str_eq(a->names.data[i], name)) continue;
    nr_parse_advance(p);
    return i < a->num_dims ? nr_affine_dim(p->ctx, i) : nr_affine_symbol(p->ctx, i - a->num_dims);
  }
  return nr_parse_fail(p, "use of undeclared identifier '%.*s'", NR_STR_ARG(name)), NULL;
}

/* %i is a dim, symbol(%i) a symbol. */
static NrAffineExpr parse_value(Affine *a, bool is_symbol) {
  NrParser *p = a->p;
  NrOperandRef ref;
  if (is_symbol) {
    nr_parse_advance(p);
    if (!nr_parse_need(p, '(')) return NULL;
  }
  if (!nr_parse_operand(p, &ref) || (is_symbol && !nr_parse_need(p, ')'))) return NULL;
  const NrOperandRef *known = is_symbol ? a->values->symbols.data : a->values->dims.data;
  size_t count = is_symbol ? a->values->symbols.size : a->values->dims.size, at = 0;
  while (at < count && !(nr_str_eq(known[at].name, ref.name) && known[at].number == ref.number)) at++;
  if (at == count && count >= NR_MAX_NESTING)
    return nr_parse_fail(p, "more than %d dimensions or symbols", NR_MAX_NESTING), NULL;
  if (at == count && is_symbol) nr_vec_push(&a->values->symbols, ref);
  if (at == count && !is_symbol) nr_vec_push(&a->values->dims, ref);
  return is_symbol ? nr_affine_symbol(p->ctx, (uint32_t)at) : nr_affine_dim(p->ctx, (uint32_t)at);
}

static NrAffineExpr parse_operand(Affine *a) {
  NrParser *p = a->p;
  NrAffineExpr e = NULL;
  int64_t value;
  a->height = 1;
  if (!nr_parse_enter(p)) return NULL;
  if (nr_parse_at(p, NR_TOK_INT)) {
    if (nr_parse_int64(p, &value)) e = nr_affine_constant(p->ctx, value);
  } else if (nr_parse_take(p, '-')) {
    if ((e = parse_operand(a))) e = negated(e);
    a->height++;
  } else if (nr_parse_take(p, '(')) {
    e = parse_sum(a);
    if (e && !nr_parse_need(p, ')')) e = NULL;
  } else if (a->values && (nr_parse_at(p, NR_TOK_VALUE) || nr_parse_at_word(p, "symbol"))) {
    e = parse_value(a, nr_parse_at(p, NR_TOK_BARE));
  } else if (nr_parse_at(p, NR_TOK_BARE)) {
    e = parse_name(a);
  } else {
    nr_parse_fail(p, "expected an affine expression");
  }
  nr_parse_leave(p);
  return e;
}

static bool product_kind(NrParser *p, NrAffineKind *out) {
  if (nr_parse_at(p, '*')) *out = NR_AFFINE_MUL;
  else if (nr_parse_at_word(p, "floordiv")) *out = NR_AFFINE_FLOORDIV;
  else if (nr_parse_at_word(p, "ceildiv")) *out = NR_AFFINE_CEILDIV;
  else if (nr_parse_at_word(p, "mod")) *out = NR_AFFINE_MOD;
  else return false;
  return true;
}

static NrAffineExpr too_deep(NrParser *p) {
  return nr_parse_fail(p, "affine expression is nested deeper than %d", NR_MAX_NESTING), NULL;
}

/* The right operand of an operator whose left one has the given height. A chain of n operators has depth n. */
static NrAffineExpr parse_right(Affine *a, unsigned left, NrAffineExpr (*parse)(Affine *a)) {
  nr_parse_advance(a->p);
  NrAffineExpr rhs = parse(a);
  a->height = NR_MAX(left, a->height) + 2; /* a difference is a sum with a product */
  return rhs && a->height > NR_MAX_NESTING ? too_deep(a->p) : rhs;
}

static NrAffineExpr parse_product(Affine *a) {
  NrParser *p = a->p;
  NrAffineExpr lhs = parse_operand(a);
  NrAffineKind kind;
  while (lhs && product_kind(p, &kind)) {
    const char *at = p->tok.begin;
    NrAffineExpr rhs = parse_right(a, a->height, parse_operand);
    if (!rhs) return NULL;
    if (has_dims(rhs) && (kind != NR_AFFINE_MUL || has_dims(lhs))) {
      nr_parse_fail_at(p, at, kind == NR_AFFINE_MUL
                                  ? "non-affine expression: at least one of the factors must be constant or symbolic"
                                  : "non-affine expression: the right operand must be constant or symbolic");
      return NULL;
    }
    lhs = nr_affine_binary(kind, lhs, rhs);
  }
  return lhs;
}

static NrAffineExpr parse_sum(Affine *a) {
  NrParser *p = a->p;
  NrAffineExpr lhs = parse_product(a);
  while (lhs && (nr_parse_at(p, '+') || nr_parse_at(p, '-'))) {
    bool minus = nr_parse_at(p, '-');
    NrAffineExpr rhs = parse_right(a, a->height, parse_product);
    if (!rhs) return NULL;
    lhs = nr_affine_binary(NR_AFFINE_ADD, lhs, minus ? negated(rhs) : rhs);
    a->height = NR_MAX(a->height, lhs->height);
    /* The sum, flattened to a chain, would be nested too deeply. */
    bool too_long = lhs->kind == NR_AFFINE_ADD && lhs->rhs->kind == NR_AFFINE_ADD;
    if (too_long) return too_deep(p);
  }
  return lhs;
}

/* ---- maps and sets ----------------------------------------------------------------------------------------------- */

static bool parse_names(Affine *a, int close, uint32_t *out_count) {
  NrParser *p = a->p;
  size_t begin = a->names.size;
  while (!nr_parse_at(p, close)) {
    NrStr name = nr_token_str(p->tok);
    if (!nr_parse_at(p, NR_TOK_BARE)) return nr_parse_fail(p, "expected the name of a dimension or symbol");
    if (a->names.size >= NR_MAX_NESTING) return nr_parse_fail(p, "more than %d dimensions and symbols", NR_MAX_NESTING);
    for (size_t i = 0; i < a->names.size; i++)
      if (nr_str_eq(a->names.data[i], name))
        return nr_parse_fail(p, "redefinition of identifier '%.*s'", NR_STR_ARG(name));
    nr_vec_push(&a->names, name);
    nr_parse_advance(p);
    if (!nr_parse_take(p, ',')) break;
  }
  *out_count = (uint32_t)(a->names.size - begin);
  return nr_parse_need(p, close);
}

/* expr == expr or expr >= expr, kept as difference == 0 or >= 0. */
static bool parse_constraint(Affine *a) {
  NrParser *p = a->p;
  NrAffineExpr lhs = parse_sum(a);
  if (!lhs) return false;
  bool equal = nr_parse_at(p, '='), at_most = nr_parse_at(p, '<');
  if (!nr_parse_take(p, '=') && !nr_parse_take(p, '>') && !nr_parse_take(p, '<'))
    return nr_parse_fail(p, "expected '==', '>=' or '<='");
  if (!nr_parse_take(p, '=')) return nr_parse_fail(p, "expected '==', '>=' or '<='");
  NrAffineExpr rhs = parse_sum(a);
  if (!rhs) return false;
  NrAffineExpr low = at_most ? lhs : rhs;
  nr_vec_push(&a->exprs, nr_affine_binary(NR_AFFINE_ADD, at_most ? rhs : lhs, negated(low)));
  nr_vec_push(&a->equal, equal);
  return true;
}

static bool parse_expr(Affine *a) {
  NrAffineExpr e = parse_sum(a);
  if (!e) return false;
  nr_vec_push(&a->exprs, e);
  return true;
}

static bool parse_list(Affine *a, bool (*item)(Affine *a)) {
  NrParser *p = a->p;
  if (!nr_parse_need(p, '(')) return false;
  while (!nr_parse_at(p, ')')) {
    if (!item(a)) return false;
    if (!nr_parse_take(p, ',')) break;
  }
  return nr_parse_need(p, ')');
}

static NrAttr parse_map_or_set(Affine *a) {
  NrParser *p = a->p;
  if (!nr_parse_need(p, '(') || !parse_names(a, ')', &a->num_dims)) return NULL;
  if (nr_parse_take(p, '[') && !parse_names(a, ']', &a->num_symbols)) return NULL;
  if (nr_parse_take(p, NR_TOK_ARROW)) {
    if (!parse_list(a, parse_expr)) return NULL;
    return nr_attr_affine_map(p->ctx, a->num_dims, a->num_symbols, a->exprs.data, a->exprs.size);
  }
  if (!nr_parse_take(p, ':')) return nr_parse_fail(p, "expected '->' or ':'"), NULL;
  if (!parse_list(a, parse_constraint)) return NULL;
  /* MLIR reads a set without constraints as 0 == 0. */
  if (!a->exprs.size) {
    nr_vec_push(&a->exprs, nr_affine_constant(p->ctx, 0));
    nr_vec_push(&a->equal, true);
  }
  return nr_attr_affine_set(p->ctx, a->num_dims, a->num_symbols, a->exprs.data, a->equal.data, a->exprs.size);
}

NrAttr nr_parse_affine(NrParser *p) {
  Affine a = {.p = p};
  NrAttr attr = parse_map_or_set(&a);
  nr_vec_deinit(&a.names);
  nr_vec_deinit(&a.exprs);
  nr_vec_deinit(&a.equal);
  return attr;
}

NrStatus nr_p_affine_expr(NrParser *p, NrAffineOfValues *io) {
  NrAffineExpr e = parse_sum(&(Affine){.p = p, .values = io});
  if (!e) return NR_ERROR_INVALID;
  nr_vec_push(&io->exprs, e);
  return NR_OK;
}

NrStatus nr_p_affine_exprs(NrParser *p, NrAffineOfValues *io) {
  NrStatus status = NR_OK;
  if (nr_parse_at(p, ']') || nr_parse_at(p, ')')) return NR_OK;
  do status = nr_p_affine_expr(p, io);
  while (!status && nr_parse_take(p, ','));
  return status;
}

void nr_p_affine_deinit(NrAffineOfValues *values) {
  nr_vec_deinit(&values->exprs);
  nr_vec_deinit(&values->dims);
  nr_vec_deinit(&values->symbols);
}

bool nr_parse_looks_affine(NrParser *p) {
  NrParseMark here = nr_parse_mark(p);
  nr_parse_advance(p);
  bool affine;
  if (nr_parse_at(p, NR_TOK_BARE)) {
    affine = !nr_parse_is_type_word(nr_token_str(p->tok));
  } else {
    /* `()[s0] ->`, `() :`, `() -> (1)`; in a function type a type follows the arrow. */
    affine = nr_parse_take(p, ')') && (nr_parse_at(p, '[') || nr_parse_at(p, ':'));
    if (!affine && nr_parse_take(p, NR_TOK_ARROW) && nr_parse_take(p, '('))
      affine = nr_parse_at(p, NR_TOK_INT) || nr_parse_at(p, '-');
  }
  nr_parse_return_to(p, here);
  return affine;
}

/* ---- composition ------------------------------------------------------------------------------------------------- */

/* Nodes of e with its dims replaced by inner's expressions, counted up to the limit. */
static size_t composed_size(NrAffineExpr e, NrAttr inner, size_t limit) {
  if (limit == 0) return 1;
  if (inner && e->kind == NR_AFFINE_DIM) return composed_size(inner->exprs[e->value], NULL, limit);
  if (!e->lhs) return 1;
  size_t left = 1 + composed_size(e->lhs, inner, limit - 1);
  return left >= limit ? left : left + composed_size(e->rhs, inner, limit - left);
}

NrAttr nr_parse_compose(NrParser *p, const char *at, NrAttr outer, NrAttr inner) {
  if (outer->kind != NR_ATTR_AFFINE_MAP || inner->kind != NR_ATTR_AFFINE_MAP || outer->num_dims != inner->num_exprs) {
    nr_parse_fail_at(p, at, "layout does not fit the one in front of it");
    return NULL;
  }
  size_t count = outer->num_exprs, symbols = (size_t)inner->num_symbols + outer->num_symbols;
  for (size_t i = 0; i < count; i++)
    if (symbols > NR_MAX_NESTING || composed_size(outer->exprs[i], inner, NR_MAX_NESTING) >= NR_MAX_NESTING) {
      nr_parse_fail_at(p, at, "the layouts together are longer than %d", NR_MAX_NESTING);
      return NULL;
    }
  NR_VEC(NrAffineExpr) shifted = {0};
  for (uint32_t i = 0; i < outer->num_symbols; i++)
    nr_vec_push(&shifted, nr_affine_symbol(p->ctx, inner->num_symbols + i));
  NR_VEC(NrAffineExpr) exprs = {0};
  for (size_t i = 0; i < count; i++)
    nr_vec_push(&exprs, nr_affine_replace(outer->exprs[i], inner->exprs, shifted.data));
  NrAttr map = nr_attr_affine_map(p->ctx, inner->num_dims, (uint32_t)symbols, exprs.data, count);
  nr_vec_deinit(&shifted);
  nr_vec_deinit(&exprs);
  return map;
}
