/* print_affine.c - affine expressions, maps and sets as text, with the fewest parentheses. */
#include "ir/print.h"

typedef enum Binding { WEAK, STRONG } Binding; /* binding strength of the context: STRONG needs parentheses */

static bool is_constant(NrAffineExpr e, int64_t *out) {
  if (e->kind != NR_AFFINE_CONSTANT) return false;
  *out = e->value;
  return true;
}

/* Names of dims and symbols: d0, s0, or operands of an op. */
typedef struct Names {
  NrOp *op; /* NULL: d0, s0 */
  size_t first;
  uint32_t num_dims;
} Names;

static void put_expr(NrPrinter *w, NrAffineExpr e, const Names *names, Binding around);

static void put_name(NrPrinter *w, NrAffineExpr e, const Names *names) {
  bool is_dim = e->kind == NR_AFFINE_DIM;
  if (!names->op) {
    nr_w_char(w, is_dim ? 'd' : 's');
    nr_w_int(w, e->value);
    return;
  }
  size_t at = names->first + (is_dim ? 0 : names->num_dims) + (size_t)e->value;
  if (!is_dim) nr_w_puts(w, "symbol(");
  if (at < names->op->num_operands) nr_w_value(w, nr_operand(names->op, at));
  if (!is_dim) nr_w_char(w, ')');
}

/* a + b * -1 is a - b; a + b * -3 is a - b * 3; a + -4 is a - 4. */
static void put_sum(NrPrinter *w, NrAffineExpr e, const Names *names) {
  int64_t c;
  put_expr(w, e->lhs, names, WEAK);
  if (is_constant(e->rhs, &c) && c < 0 && c != INT64_MIN) {
    nr_w_puts(w, " - ");
    nr_w_int(w, -c);
  } else if (e->rhs->kind == NR_AFFINE_MUL && is_constant(e->rhs->rhs, &c) && c == -1) {
    nr_w_puts(w, " - ");
    put_expr(w, e->rhs->lhs, names, e->rhs->lhs->kind == NR_AFFINE_ADD ? STRONG : WEAK);
  } else if (e->rhs->kind == NR_AFFINE_MUL && is_constant(e->rhs->rhs, &c) && c < 0 && c != INT64_MIN) {
    nr_w_puts(w, " - ");
    put_expr(w, e->rhs->lhs, names, STRONG);
    nr_w_puts(w, " * ");
    nr_w_int(w, -c);
  } else {
    nr_w_puts(w, " + ");
    put_expr(w, e->rhs, names, WEAK);
  }
}

static void put_product(NrPrinter *w, NrAffineExpr e, const Names *names) {
  static const char *const signs[] = {[NR_AFFINE_MUL] = " * ",
                                      [NR_AFFINE_MOD] = " mod ",
                                      [NR_AFFINE_FLOORDIV] = " floordiv ",
                                      [NR_AFFINE_CEILDIV] = " ceildiv "};
  int64_t c;
  if (e->kind == NR_AFFINE_MUL && is_constant(e->rhs, &c) && c == -1) {
    nr_w_char(w, '-');
    put_expr(w, e->lhs, names, STRONG);
    return;
  }
  put_expr(w, e->lhs, names, STRONG);
  nr_w_puts(w, signs[e->kind]);
  put_expr(w, e->rhs, names, STRONG);
}

static void put_expr(NrPrinter *w, NrAffineExpr e, const Names *names, Binding around) {
  switch (e->kind) {
  case NR_AFFINE_DIM:
  case NR_AFFINE_SYMBOL: put_name(w, e, names); return;
  case NR_AFFINE_CONSTANT: nr_w_int(w, e->value); return;
  default: break;
  }
  if (around == STRONG) nr_w_char(w, '(');
  if (e->kind == NR_AFFINE_ADD) put_sum(w, e, names);
  else put_product(w, e, names);
  if (around == STRONG) nr_w_char(w, ')');
}

void nr_w_affine_expr(NrPrinter *w, NrAffineExpr e, NrOp *op, size_t first, uint32_t num_dims) {
  put_expr(w, e, &(Names){op, first, num_dims}, WEAK);
}

/* (d0, d1)[s0] */
static void put_space(NrPrinter *w, NrAttr a) {
  nr_w_char(w, '(');
  for (uint32_t i = 0; i < a->num_dims; i++) {
    nr_w_puts(w, i ? ", d" : "d");
    nr_w_uint(w, i);
  }
  nr_w_char(w, ')');
  if (a->num_symbols == 0) return;
  nr_w_char(w, '[');
  for (uint32_t i = 0; i < a->num_symbols; i++) {
    nr_w_puts(w, i ? ", s" : "s");
    nr_w_uint(w, i);
  }
  nr_w_char(w, ']');
}

void nr_w_affine_map(NrPrinter *w, NrAttr map) {
  put_space(w, map);
  nr_w_puts(w, " -> (");
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (i) nr_w_puts(w, ", ");
    put_expr(w, map->exprs[i], &(Names){0}, WEAK);
  }
  nr_w_char(w, ')');
}

void nr_w_affine_set(NrPrinter *w, NrAttr set) {
  put_space(w, set);
  nr_w_puts(w, " : (");
  for (uint32_t i = 0; i < set->num_exprs; i++) {
    if (i) nr_w_puts(w, ", ");
    put_expr(w, set->exprs[i], &(Names){0}, WEAK);
    nr_w_puts(w, set->is_equality[i] ? " == 0" : " >= 0");
  }
  nr_w_char(w, ')');
}

void nr_print_affine_map(NrBuf *out, NrAttr map) {
  NrPrinter w;
  nr_printer_init(&w, map->ctx, out, NULL);
  nr_w_affine_map(&w, map);
  nr_printer_deinit(&w);
}
