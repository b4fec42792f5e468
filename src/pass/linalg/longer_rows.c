/* longer_rows.c - along which of two dims vectorize-contractions has tiles where only the run knows the longer one.
 *
 *   before  c[i, j, n] += a[j, i, k] * b[k, n], with tiles along j
 *   after   if j < i { as before, with tiles along i } else { as before }
 *
 * Such dims are no single dim, since a and c have them in different orders; a batch and the length of sequences are the
 * usual case. A tile along a dim that is shorter than the tile loads each vector of b for a row or two only. */
#include "dialect/arith/arith.h"
#include "dialect/scf/scf.h"
#include "pass/linalg/contraction.h"

/* Another dim that saves as many loads as c->u; -1 if there is none. */
static int find_other(const NrContraction *c) {
  if (c->dot || c->u < 0 || c->rows >= 0 || nr_linalg_num_reductions(c->op) != 1 || c->num_inputs != 2) return -1;
  if (nr_contraction_range(c, c->u) != INT64_MAX) return -1;
  for (int d = 0; d < (int)c->num_loops; d++)
    if (!c->reduction[d] && d != c->u && d != c->v && nr_contraction_range(c, d) == INT64_MAX &&
        nr_contraction_saved_loads(c, (uint32_t)d) == nr_contraction_saved_loads(c, (uint32_t)c->u))
      return d;
  return -1;
}

NrOp *nr_contraction_split_rows(NrContraction *c, int *out_rows) {
  int other = find_other(c);
  if (other < 0) return NULL;
  NrBuilder b = nr_builder_before(c->op);
  NrValue *rows = nr_index_value(&b, c->ranges[c->u]), *others = nr_index_value(&b, c->ranges[other]);
  NrOp *branch = nr_scf_if(&b, nr_arith_cmpi(&b, NR_CMPI_ULT, rows, others), NULL, 0, true);
  NrBuilder longer = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrBuilder otherwise = nr_scf_body_builder(nr_scf_if_else_body(branch));
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b.module, c->op, &map);
  nr_map_deinit(&map);
  nr_builder_insert(&longer, copy);
  nr_scf_yield(&longer, NULL, 0);
  nr_op_unlink(c->op);
  nr_builder_insert(&otherwise, c->op);
  nr_scf_yield(&otherwise, NULL, 0);
  c->b = nr_builder_before(c->op);
  *out_rows = other;
  return copy;
}
