/* einsum.c - Einsum: multiplies the terms two at a time, from the left, and sums labels that no later term needs at
 * once. Each step is one linalg.generic; a product of two matrices gets the form of a matmul. */
#include "onnx/lower/core/body.h"

enum { MAX_TERMS = 32, ELLIPSIS = 52, MAX_LABELS = ELLIPSIS + NORIA_MAX_RANK };

/* Labels: 0..25 a..z, 26..51 A..Z, from ELLIPSIS on the dims under `...`, the last of them first. */
typedef struct Term {
  size_t count;
  int labels[NORIA_MAX_RANK];
} Term;

typedef struct Equation {
  size_t num_terms;
  Term terms[MAX_TERMS];
  Term result;
  NrDim sizes[MAX_LABELS]; /* value NULL and size 0: not known yet */
  bool met[MAX_LABELS];
} Equation;

/* ---- reading ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool add_label(NrLower *l, Term *t, int label) {
  if (t->count == NORIA_MAX_RANK) return nr_lower_error(l, "a term has more than %d labels", NORIA_MAX_RANK), false;
  t->labels[t->count++] = label;
  return true;
}

/* One term, up to , or - or the end. rank: that of the operand, SIZE_MAX for the result, whose `...` stands for
 * `ellipsis` dims. */
static bool read_term(NrLower *l, NrStr text, size_t *at, size_t rank, size_t ellipsis, Term *out) {
  size_t begin = *at, letters = 0;
  bool dots = false;
  for (; *at < text.size && text.data[*at] != ',' && text.data[*at] != '-'; (*at)++)
    letters += is_letter(text.data[*at]);
  for (size_t i = begin; i < *at; i++) {
    char c = text.data[i];
    if (c == ' ') continue;
    if (is_letter(c)) {
      if (!add_label(l, out, c >= 'a' ? c - 'a' : c - 'A' + 26)) return false;
    } else if (c == '.' && i + 2 < *at && text.data[i + 1] == '.' && text.data[i + 2] == '.' && !dots) {
      size_t dims = rank == SIZE_MAX ? ellipsis : rank < letters ? 0 : rank - letters;
      for (size_t k = dims; k-- > 0;)
        if (!add_label(l, out, ELLIPSIS + (int)k)) return false;
      dots = true;
      i += 2;
    } else {
      return nr_lower_error(l, "the equation has '%c' at %zu", c, i), false;
    }
  }
  if (rank != SIZE_MAX && out->count != rank)
    return nr_lower_error(l, "a term of %zu labels for an operand of rank %zu", out->count, rank), false;
  return true;
}

static bool contains(const Term *t, int label) {
  for (size_t i = 0; i < t->count; i++)
    if (t->labels[i] == label) return true;
  return false;
}

/* Without ->: the dims under `...`, then in order the letters that occur once. Capitals come first. */
static bool implicit_result(NrLower *l, Equation *e, size_t ellipsis) {
  for (size_t k = ellipsis; k-- > 0;)
    if (!add_label(l, &e->result, ELLIPSIS + (int)k)) return false;
  for (int i = 0; i < ELLIPSIS; i++) {
    int label = i < 26 ? i + 26 : i - 26;
    size_t times = 0;
    for (size_t t = 0; t < e->num_terms; t++)
      for (size_t k = 0; k < e->terms[t].count; k++) times += e->terms[t].labels[k] == label;
    if (times == 1 && !add_label(l, &e->result, label)) return false;
  }
  return true;
}

static bool read_equation(NrLower *l, Equation *e) {
  NrStr text = nr_lower_attr_str(l, "equation");
  size_t at = 0, ellipsis = 0;
  for (size_t t = 0; t < nr_lower_num_in(l); t++) {
    if (t == MAX_TERMS) return nr_lower_error(l, "more than %d operands", MAX_TERMS), false;
    if (t && (at >= text.size || text.data[at] != ','))
      return nr_lower_error(l, "the equation has fewer terms than operands"), false;
    if (t) at++;
    Term *term = &e->terms[e->num_terms++];
    if (!read_term(l, text, &at, nr_rank(nr_lower_in(l, t)), 0, term)) return false;
    for (size_t k = 0; k < term->count; k++)
      if (term->labels[k] >= ELLIPSIS) ellipsis = NR_MAX(ellipsis, (size_t)(term->labels[k] - ELLIPSIS) + 1);
  }
  if (at < text.size && text.data[at] == ',')
    return nr_lower_error(l, "the equation has more terms than operands"), false;
  if (at >= text.size) return implicit_result(l, e, ellipsis);
  if (at + 1 >= text.size || text.data[at + 1] != '>')
    return nr_lower_error(l, "the equation has '-' without '>'"), false;
  at += 2;
  if (!read_term(l, text, &at, SIZE_MAX, ellipsis, &e->result)) return false;
  if (at < text.size) return nr_lower_error(l, "the equation has text behind the result"), false;
  for (size_t i = 0; i < e->result.count; i++) {
    bool known = false;
    for (size_t t = 0; t < e->num_terms; t++) known |= contains(&e->terms[t], e->result.labels[i]);
    for (size_t k = 0; k < i; k++)
      if (e->result.labels[k] == e->result.labels[i]) return nr_lower_error(l, "the result has a label twice"), false;
    if (!known) return nr_lower_error(l, "the result has a label that no term has"), false;
  }
  return true;
}

/* ---- sizes ---- */

/* Every label's size: all dims with the label agree, or are 1. */
static bool find_sizes(NrLower *l, Equation *e) {
  for (size_t t = 0; t < e->num_terms; t++)
    for (size_t k = 0; k < e->terms[t].count; k++) {
      int label = e->terms[t].labels[k];
      NrShape dims[2] = {{1, {nr_lower_dim(l, nr_lower_in(l, t), k)}}, {1, {e->sizes[label]}}}, both;
      if (!nr_lower_broadcast(l, dims, e->met[label] ? 2 : 1, &both)) return false;
      e->sizes[label] = both.dims[0];
      e->met[label] = true;
    }
  return true;
}

/* ---- steps ---- */

typedef struct Operand {
  NrValue *tensor;
  Term term;
} Operand;

static void product_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  size_t count = *(const size_t *)user;
  results[0] = args[0];
  if (count == 2) results[0] = nr_lower_fast(mul(l, args[0], args[1]));
}

static void sum_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  size_t count = *(const size_t *)user;
  NrValue *x;
  product_body(l, args, &x, user);
  results[0] = nr_lower_fast(add(l, args[count], x));
}

/* A term's dims by the loops of `order`; a dim of 1 where its label is larger always has index 0. */
static NrAttr term_map(NrLower *l, const Equation *e, const Operand *o, const Term *order) {
  NrAffineExpr exprs[NORIA_MAX_RANK];
  for (size_t i = 0; i < o->term.count; i++) {
    size_t loop = 0;
    while (order->labels[loop] != o->term.labels[i]) loop++;
    bool one = o->tensor && nr_dim_is(nr_lower_dim(l, o->tensor, i), 1) && !nr_dim_is(e->sizes[o->term.labels[i]], 1);
    exprs[i] = one ? nr_affine_constant(l->ctx, 0) : nr_affine_dim(l->ctx, (uint32_t)loop);
  }
  return nr_attr_affine_map(l->ctx, (uint32_t)order->count, 0, exprs, o->term.count);
}

/* Broadcasts a dim that may be 1 in the run to its label's size. */
static NrValue *stretch(NrLower *l, const Equation *e, const Operand *o) {
  NrShape shape = nr_lower_shape(l, o->tensor);
  for (size_t i = 0; i < shape.rank; i++)
    if (!nr_dim_known(shape.dims[i])) shape.dims[i] = e->sizes[o->term.labels[i]];
  return nr_lower_broadcast_to(l, o->tensor, &shape);
}

/* The product of one or two operands with the labels of `keep`, the others summed. */
static bool step(NrLower *l, const Equation *e, Operand *operands, size_t count, const Term *keep, Operand *out) {
  Term order = *keep;
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < operands[k].term.count; i++)
      if (!contains(&order, operands[k].term.labels[i]) && !add_label(l, &order, operands[k].term.labels[i]))
        return false;
  NrShape shape = {.rank = keep->count};
  char iterators[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < order.count; i++) iterators[i] = i < keep->count ? 'p' : 'r';
  for (size_t i = 0; i < keep->count; i++) shape.dims[i] = e->sizes[keep->labels[i]];
  NrValue *inputs[2];
  NrAttr maps[3];
  for (size_t k = 0; k < count; k++) {
    operands[k].tensor = inputs[k] = stretch(l, e, &operands[k]);
    maps[k] = term_map(l, e, &operands[k], &order);
  }
  out->tensor = NULL;
  out->term = *keep;
  maps[count] = term_map(l, e, out, &order);
  bool sums = order.count > keep->count;
  NrType elem = inputs[0]->type->elem;
  NrValue *init = sums ? nr_lower_fill(l, &shape, nr_lower_constant(l, elem, 0)) : nr_lower_empty(l, &shape, elem);
  NrOp *op = nr_lower_generic(l, inputs, count, &init, 1, maps, iterators, sums ? sum_body : product_body, &count);
  out->tensor = nr_op_result(op);
  return true;
}

/* The labels of two operands that the result or a later term needs, those of the result in its order. */
static bool needed(NrLower *l, const Equation *e, const Operand *a, const Term *b, size_t later, Term *out) {
  out->count = 0;
  for (size_t i = 0; i < e->result.count; i++) {
    int label = e->result.labels[i];
    if ((contains(&a->term, label) || contains(b, label)) && !add_label(l, out, label)) return false;
  }
  for (size_t t = later; t < e->num_terms; t++)
    for (size_t i = 0; i < e->terms[t].count; i++) {
      int label = e->terms[t].labels[i];
      bool here = contains(&a->term, label) || contains(b, label);
      if (here && !contains(out, label) && !add_label(l, out, label)) return false;
    }
  return true;
}

NrStatus nr_lower_einsum(NrLower *l) {
  Equation *e = &(Equation){0};
  Operand acc, pair[2];
  Term keep;
  if (!nr_lower_same_dtypes(l, 0, nr_lower_num_in(l)) || !nr_lower_takes(l, 0, NR_NUMBERS)) return NR_ERROR_INVALID;
  if (!read_equation(l, e) || !find_sizes(l, e)) return NR_ERROR_INVALID;
  NrType elem = nr_lower_in(l, 0)->type->elem;
  acc = (Operand){nr_lower_widen_tensor(l, nr_lower_in(l, 0)), e->terms[0]};
  if (e->num_terms == 1 && !step(l, e, &acc, 1, &e->result, &pair[0])) return NR_ERROR_INVALID;
  if (e->num_terms == 1) acc = pair[0];
  for (size_t t = 1; t < e->num_terms; t++) {
    pair[0] = acc;
    pair[1] = (Operand){nr_lower_widen_tensor(l, nr_lower_in(l, t)), e->terms[t]};
    if (!needed(l, e, &acc, &e->terms[t], t + 1, &keep) || !step(l, e, pair, 2, &keep, &acc)) return NR_ERROR_INVALID;
  }
  return nr_lower_out(l, 0, nr_lower_narrow_tensor(l, acc.tensor, elem), nr_lower_dtype(l, 0));
}
