/* lattice.c - terms of sums, and merge lattices over them; see lower.h. */
#include "sparse/lower.h"

/* ---- terms ------------------------------------------------------------------------------------------------------- */

typedef NR_VEC(NrTerm) TermList;

static uint32_t indices_of(const NrSparseAssignment *a, const NrSparseExpr *e) {
  uint32_t found = 0;
  if (e->kind != NR_SPARSE_ACCESS)
    return (e->left ? indices_of(a, e->left) : 0) | (e->right ? indices_of(a, e->right) : 0);
  const NrSparseAccess *access = &a->accesses[e->access];
  for (size_t d = 0; d < a->tensors[access->tensor].order; d++) found |= (uint32_t)1 << access->indices[d];
  return found;
}

static void collect(const NrSparseAssignment *a, TermList *list, const NrSparseExpr *e, bool negative) {
  switch (e->kind) {
  case NR_SPARSE_ADD:
  case NR_SPARSE_SUB:
    collect(a, list, e->left, negative);
    collect(a, list, e->right, negative != (e->kind == NR_SPARSE_SUB));
    break;
  case NR_SPARSE_NEG: collect(a, list, e->left, !negative); break;
  default: nr_vec_push(list, ((NrTerm){e, negative, indices_of(a, e)}));
  }
}

static NrTerms take(NrArena *arena, TermList *list) {
  NrTerms terms = {nr_arena_copy(arena, list->data, list->size * sizeof *list->data), list->size};
  nr_vec_deinit(list);
  return terms;
}

NrTerms nr_terms_of(NrArena *arena, const NrSparseAssignment *a) {
  TermList list = {0};
  collect(a, &list, a->value, false);
  return take(arena, &list);
}

static const NrSparseExpr *make(NrArena *arena, NrSparseKind kind, const NrSparseExpr *l, const NrSparseExpr *r) {
  NrSparseExpr *e = NR_NEW(arena, NrSparseExpr);
  *e = (NrSparseExpr){.kind = kind, .left = l, .right = r};
  return e;
}

/* The expression where the accesses of a set are zero; NULL: zero. */
static const NrSparseExpr *without(NrArena *arena, const NrSparseExpr *e, NrAccessSet zero) {
  if (e->kind == NR_SPARSE_NUMBER) return e;
  if (e->kind == NR_SPARSE_ACCESS) return zero >> e->access & 1 ? NULL : e;
  const NrSparseExpr *l = without(arena, e->left, zero), *r = e->right ? without(arena, e->right, zero) : NULL;
  if (l == e->left && r == e->right) return e;
  switch (e->kind) {
  case NR_SPARSE_MUL: return l && r ? make(arena, e->kind, l, r) : NULL;
  case NR_SPARSE_NEG: return l ? make(arena, e->kind, l, NULL) : NULL;
  default: break;
  }
  if (l && r) return make(arena, e->kind, l, r);
  if (l) return l;
  return r && e->kind == NR_SPARSE_SUB ? make(arena, NR_SPARSE_NEG, r, NULL) : r;
}

NrTerms nr_terms_without(NrArena *arena, NrTerms terms, NrAccessSet zero) {
  TermList list = {0};
  for (size_t i = 0; i < terms.size; i++) {
    NrTerm term = terms.data[i];
    term.expr = without(arena, term.expr, zero);
    if (term.expr) nr_vec_push(&list, term);
  }
  return take(arena, &list);
}

NrAccessSet nr_term_accesses(const NrSparseExpr *e) {
  if (e->kind == NR_SPARSE_ACCESS) return (NrAccessSet)1 << e->access;
  return (e->left ? nr_term_accesses(e->left) : 0) | (e->right ? nr_term_accesses(e->right) : 0);
}

NrAccessSet nr_terms_accesses(NrTerms terms) {
  NrAccessSet set = 0;
  for (size_t i = 0; i < terms.size; i++) set |= nr_term_accesses(terms.data[i].expr);
  return set;
}

NrTerms nr_terms_with_index(NrArena *arena, NrTerms terms, size_t index, bool with) {
  TermList list = {0};
  for (size_t i = 0; i < terms.size; i++)
    if ((terms.data[i].indices >> index & 1) == with) nr_vec_push(&list, terms.data[i]);
  return take(arena, &list);
}

/* ---- lattices ---------------------------------------------------------------------------------------------------- */

static void add_point(NrLattice *lattice, NrAccessSet point) {
  size_t at = 0, size = (size_t)__builtin_popcount(point);
  for (size_t i = 0; i < lattice->size; i++) {
    if (lattice->points[i] == point) return;
    at += (size_t)__builtin_popcount(lattice->points[i]) >= size;
  }
  assert(lattice->size < NR_COUNTOF(lattice->points));
  memmove(lattice->points + at + 1, lattice->points + at, (lattice->size - at) * sizeof point);
  lattice->points[at] = point;
  lattice->size++;
}

static void combine(const NrLattice *l, const NrLattice *r, bool is_union, NrLattice *out) {
  out->size = 0;
  for (size_t i = 0; i < l->size; i++)
    for (size_t k = 0; k < r->size; k++) add_point(out, l->points[i] | r->points[k]);
  for (size_t i = 0; is_union && i < l->size; i++) add_point(out, l->points[i]);
  for (size_t k = 0; is_union && k < r->size; k++) add_point(out, r->points[k]);
}

static void lattice(const NrSparseExpr *e, NrAccessSet iterators, NrLattice *out) {
  NrLattice l, r;
  switch (e->kind) {
  case NR_SPARSE_NUMBER:
  case NR_SPARSE_ACCESS:
    *out = (NrLattice){.size = 1};
    if (e->kind == NR_SPARSE_ACCESS) out->points[0] = (NrAccessSet)1 << e->access & iterators;
    return;
  case NR_SPARSE_NEG: lattice(e->left, iterators, out); return;
  default: break;
  }
  lattice(e->left, iterators, &l);
  lattice(e->right, iterators, &r);
  combine(&l, &r, e->kind != NR_SPARSE_MUL, out);
}

void nr_lattice_of(NrTerms terms, NrAccessSet iterators, NrLattice *out) {
  lattice(terms.data[0].expr, iterators, out);
  for (size_t i = 1; i < terms.size; i++) {
    NrLattice before = *out, term;
    lattice(terms.data[i].expr, iterators, &term);
    combine(&before, &term, true, out);
  }
}
