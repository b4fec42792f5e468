/* dependence.c - tests whether two accesses may touch the same element at given distances; see dependence.h.
 *
 * "Both touch the same element" becomes a system of integer equalities over the iterations of the listed loops (T for
 * a, T + D for b) and the values in the indices (dependence_test.c, access_origins.c). If the system has no integer
 * solution (integer_constraints.c), the accesses do not conflict. */
#include "pass/analysis/dependence_test.h"

/* Whether root is allocated anew in each iteration of a listed loop of which a and b run in different iterations. */
static bool is_of_one_iteration(const NrDependenceTest *t, NrValue *root) {
  if (!nr_op_is(root->op, NR_OP_memref_alloc) && !nr_op_is(root->op, NR_OP_memref_alloca)) return false;
  for (size_t i = 0; i < t->num_listed; i++) {
    const NrDistance *d = &t->listed[i];
    bool apart = d->iv_a == d->iv_b && (d->min > 0 || d->max < 0);
    if (apart && nr_op_is_ancestor(nr_loop_of_iv(d->iv_a), root->op)) return true;
  }
  return false;
}

bool nr_may_conflict(const NrMemAccess *a, const NrMemAccess *b, const NrDistance *distances, size_t count) {
  if ((!a->writes && !b->writes) || !nr_may_alias(a->memref, b->memref)) return false;
  for (size_t i = 0; i < count; i++)
    if (distances[i].min > distances[i].max) return false;
  if (count > NR_MAX_LISTED) return true;
  NrDependenceTest t;
  t.a = a;
  t.b = b;
  t.listed = distances;
  t.num_listed = count;
  t.num_quotients = 0;
  NrValue *root = nr_memref_root(a->memref);
  if (root == nr_memref_root(b->memref) && is_of_one_iteration(&t, root)) return false;
  bool possible;
  if (!nr_dependence_add_loops(&t, &possible)) return true;
  if (!possible) return false;
  nr_dependence_add_locations(&t);
  return nr_constraints_may_hold(&t.constraints);
}

bool nr_iterations_independent(const NrMemAccesses *list, NrValue *iv) {
  NrDistance later = {iv, iv, 1, NR_FAR};
  if (list->size > NR_MAX_COMPARED) return false;
  for (size_t i = 0; i < list->size; i++)
    for (size_t j = 0; j < list->size; j++)
      if (nr_may_conflict(&list->data[i], &list->data[j], &later, 1)) return false;
  return true;
}
