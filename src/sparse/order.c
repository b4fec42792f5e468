/* order.c - in which order the loops over the index variables stand.
 *
 * Below a compressed or singleton level, coordinates are found from the position on the level above: its index comes
 * after those of the levels above. Dense levels are computed from coordinates in any order, and a level whose index a
 * level above stores too is searched, so neither needs a place in the order. A result that is appended to needs its
 * levels in order. Among the indices that may come next, those of sparse operands come first, so that
 * loops over all of a dim are inside of loops over what is stored; then those of the left side. */
#include "sparse/lower.h"

/* before[i][k]: 1 + the access that needs index i before index k; 0: none does. */
typedef struct Graph {
  const NrSparseAssignment *a;
  size_t before[NR_SPARSE_MAX_INDICES][NR_SPARSE_MAX_INDICES];
  bool is_sparse[NR_SPARSE_MAX_INDICES], done[NR_SPARSE_MAX_INDICES];
} Graph;

static void add_access(Graph *g, size_t access) {
  const NrSparseFormat *format = &g->a->tensors[g->a->accesses[access].tensor].format;
  bool is_dense = nr_sparse_format_is_dense(format);
  for (size_t l = 0; l < format->order; l++) {
    size_t to = nr_level_index(g->a, access, l);
    if (!is_dense && access) g->is_sparse[to] = true;
    if (access ? format->kinds[l] == NR_LEVEL_DENSE : is_dense) continue;
    if (nr_level_is_known(g->a, access, l)) continue;
    for (size_t k = 0; k < l; k++) {
      size_t *before = &g->before[nr_level_index(g->a, access, k)][to];
      if (!*before) *before = access + 1;
    }
  }
}

static bool is_free(const Graph *g, size_t index) {
  for (size_t i = 0; i < g->a->num_indices; i++)
    if (!g->done[i] && g->before[i][index]) return false;
  return true;
}

/* Adds the index that comes next to the order; false: none may. */
static bool take_next(Graph *g, size_t *out) {
  size_t best = g->a->num_indices;
  for (size_t i = g->a->num_indices; i-- > 0;)
    if (!g->done[i] && is_free(g, i) && (best == g->a->num_indices || g->is_sparse[i] >= g->is_sparse[best])) best = i;
  if (best == g->a->num_indices) return false;
  g->done[best] = true;
  *out = best;
  return true;
}

/* Whether the accesses of one tensor alone leave no order, as those of B(i,j) * B(j,i), whatever the order of its
 * levels: dense ones of another order may need no order. */
static bool contradicts_itself(const NrSparseAssignment *a, size_t tensor) {
  Graph g = {.a = a};
  size_t next;
  const NrSparseFormat *format = &a->tensors[tensor].format;
  for (size_t l = 0; l < format->order; l++)
    if (format->kinds[l] == NR_LEVEL_DENSE) return false;
  for (size_t k = 0; k < a->num_accesses; k++)
    if (a->accesses[k].tensor == tensor) add_access(&g, k);
  for (size_t n = 0; n < a->num_indices; n++)
    if (!take_next(&g, &next)) return true;
  return false;
}

/* Goes back from an index to one that must come before it, until one comes again: the edges between are a cycle. */
static NrStatus cycle(NrArena *arena, const Graph *g, NrSparseError *error) {
  const NrSparseAssignment *a = g->a;
  size_t path[NR_SPARSE_MAX_INDICES + 1], size = 0, at = 0;
  bool seen[NR_SPARSE_MAX_INDICES] = {0};
  while (g->done[at]) at++;
  while (!seen[at]) {
    size_t from = 0;
    seen[at] = true;
    path[size++] = at;
    while (g->done[from] || !g->before[from][at]) from++;
    at = from;
  }
  path[size] = at;
  const char *text = "";
  size_t last = 0;
  for (size_t i = size; i > 0 && (i == size || path[i] != at); i--) {
    last = a->accesses[g->before[path[i]][path[i - 1]] - 1].tensor;
    text = nr_arena_printf(arena, "%s%s%.*s needs '%.*s' before '%.*s'", text, *text ? ", " : "",
                           NR_STR_ARG(a->tensors[last].name), NR_STR_ARG(a->indices[path[i]]),
                           NR_STR_ARG(a->indices[path[i - 1]]));
  }
  for (size_t t = 0; t < a->num_tensors; t++)
    if (contradicts_itself(a, t))
      return nr_sparse_fail(arena, error, 0, "the loops have no order: %s; no order of the levels of %.*s helps: make "
                            "it dense, or give its transpose as a tensor of its own", text,
                            NR_STR_ARG(a->tensors[t].name));
  const NrSparseTensor *t = &a->tensors[last];
  const char *levels = "", *dims = "";
  for (size_t l = 0; l < t->order; l++) {
    levels = nr_arena_printf(arena, "%s%c", levels, t->format.is_unordered[l] ? 'u' : "dsq"[t->format.kinds[l]]);
    dims = nr_arena_printf(arena, "%s%s%zu", dims, l ? "," : "", t->format.dims[t->order - 1 - l]);
  }
  return nr_sparse_fail(arena, error, 0, "the loops have no order: %s; store %.*s with its levels in another order, "
                        "such as -f=%.*s:%s:%s", text, NR_STR_ARG(t->name), NR_STR_ARG(t->name), levels, dims);
}

NrStatus nr_sparse_order(NrArena *arena, const NrSparseAssignment *a, size_t *out, NrSparseError *error) {
  Graph g = {.a = a};
  for (size_t k = 0; k < a->num_accesses; k++) add_access(&g, k);
  for (size_t n = 0; n < a->num_indices; n++)
    if (!take_next(&g, &out[n])) return cycle(arena, &g, error);
  return NR_OK;
}
