/* elements.c - the arithmetic on elements; see lower.h. */
#include "sparse/lower.h"

const char *nr_gen_number(NrGenerator *s, const char *number) {
  const char *part = strstr(s->type, "f32") ? "f32" : "f64";
  if (s->is_complex)
    return nr_gen_text(s, "complex.constant [%s : %s, 0.0 : %s] : %s", number, part, part, s->type);
  return nr_gen_text(s, "arith.constant %s : %s", number, s->type);
}

NrLoopValue nr_gen_arith(NrGenerator *s, const char *hint, const char *name, NrLoopValue a, NrLoopValue b) {
  const char *op = s->is_complex ? nr_gen_text(s, "complex.%s", name)
                                 : nr_gen_text(s, "arith.%s%c", name, s->is_int ? 'i' : 'f');
  if (s->is_bool) op = strcmp(name, "mul") ? "arith.ori" : "arith.andi";
  return nr_gen_op2(s, hint, nr_gen_text(s, "%s $0, $1 : %s", op, s->type), a, b);
}

NrLoopValue nr_gen_add(NrGenerator *s, NrLoopValue a, NrLoopValue b) { return nr_gen_arith(s, "sum", "add", a, b); }

static NrLoopValue number(NrGenerator *s, const NrSparseExpr *e) {
  NrStr n = e->number;
  const char *text = nr_gen_text(s, "%.*s", NR_STR_ARG(n));
  size_t digits = strspn(text, "0123456789");
  if (!s->is_int && text[digits] != '.') text = nr_gen_text(s, "%.*s.0%s", (int)digits, text, text + digits);
  return nr_loops_op(&s->l, "number", nr_gen_number(s, text), NULL, 0);
}

static NrLoopValue negated(NrGenerator *s, NrLoopValue a) {
  if (s->is_int) return nr_gen_arith(s, "minus", "sub", s->zero, a);
  const char *op = s->is_complex ? "complex.neg" : "arith.negf";
  return nr_gen_op1(s, "minus", nr_gen_text(s, "%s $0 : %s", op, s->type), a);
}

static NrLoopValue element(NrGenerator *s, const NrSparseExpr *e) {
  switch (e->kind) {
  case NR_SPARSE_ACCESS: return s->cursors[e->access].value;
  case NR_SPARSE_NUMBER: return number(s, e);
  case NR_SPARSE_NEG: return negated(s, element(s, e->left));
  default: break;
  }
  NrLoopValue a = element(s, e->left), b = element(s, e->right);
  const char *op = e->kind == NR_SPARSE_ADD ? "add" : e->kind == NR_SPARSE_SUB ? "sub" : "mul";
  return nr_gen_arith(s, e->kind == NR_SPARSE_MUL ? "product" : "sum", op, a, b);
}

NrLoopValue nr_terms_element(NrGenerator *s, NrTerms terms) {
  NrLoopValue sum = element(s, terms.data[0].expr);
  if (terms.data[0].negative) sum = negated(s, sum);
  for (size_t i = 1; i < terms.size; i++)
    sum = nr_gen_arith(s, "sum", terms.data[i].negative ? "sub" : "add", sum, element(s, terms.data[i].expr));
  return sum;
}
