/* same_ops.c - see same_ops.h. */
#include "pass/analysis/same_ops.h"

static bool same_value(const NrValue *a, const NrValue *b, const NrMap *map) {
  return a == b || (map && nr_map_get(map, b) == a);
}

static bool same_operands(const NrOp *a, const NrOp *b, const NrMap *map) {
  bool same = true;
  for (uint32_t i = 0; i < a->num_operands && same; i++) same = same_value(nr_operand(a, i), nr_operand(b, i), map);
  return same || (nr_operands_swap(a) && same_value(nr_operand(a, 0), nr_operand(b, 1), map) &&
                  same_value(nr_operand(a, 1), nr_operand(b, 0), map));
}

static bool same_successors(const NrOp *a, const NrOp *b) {
  for (uint32_t i = 0; i < a->num_successors; i++)
    if (a->successors[i].block != b->successors[i].block ||
        a->successors[i].num_operands != b->successors[i].num_operands)
      return false;
  return true;
}

static bool same_but_for_regions(const NrOp *a, const NrOp *b, const NrMap *map) {
  if (a->info != b->info || a->raw_name != b->raw_name || a->num_operands != b->num_operands ||
      a->num_results != b->num_results || a->num_attrs != b->num_attrs || a->num_regions != b->num_regions ||
      a->num_successors != b->num_successors || !same_operands(a, b, map) || !same_successors(a, b))
    return false;
  for (uint32_t i = 0; i < a->num_results; i++)
    if (a->results[i].type != b->results[i].type) return false;
  for (uint32_t i = 0; i < a->num_attrs; i++)
    if (a->attrs[i].value != b->attrs[i].value || a->attrs[i].name.data != b->attrs[i].name.data) return false;
  return true;
}

static bool same_regions(const NrRegion *a, const NrRegion *b, NrMap *map) {
  const NrBlock *x = a->first, *y = b->first;
  if (x != a->last || y != b->last || !x != !y) return false;
  if (!x) return true;
  if (x->num_args != y->num_args) return false;
  for (uint32_t i = 0; i < x->num_args; i++) {
    if (x->args[i]->type != y->args[i]->type) return false;
    nr_map_set(map, y->args[i], x->args[i]);
  }
  const NrOp *p = x->first, *q = y->first;
  for (; p && q; p = p->next, q = q->next) {
    if (!nr_ops_are_same(p, q, map)) return false;
    nr_note_same_results(p, q, map);
  }
  return !p && !q;
}

/* Depth is bounded by NR_MAX_NESTING. */
bool nr_ops_are_same(const NrOp *a, const NrOp *b, NrMap *map) {
  if (!same_but_for_regions(a, b, map)) return false;
  for (uint32_t r = 0; r < a->num_regions; r++)
    if (!same_regions(&a->regions[r], &b->regions[r], map)) return false;
  return true;
}

void nr_note_same_results(const NrOp *a, const NrOp *b, NrMap *map) {
  for (uint32_t i = 0; i < a->num_results; i++) nr_map_set(map, nr_result(b, i), nr_result(a, i));
}
