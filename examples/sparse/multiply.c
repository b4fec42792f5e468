/* multiply.c - a product of sparse matrices, A = B C, by a kernel that is C source in this program:
 *
 *   noria sparse 'A(i,j) = B(i,k) * C(k,j)' -f=A:ds -f=B:ds -f=C:ds --name=spgemm -o spgemm.c
 *   cc -O2 multiply.c spgemm.c -lm
 *
 * No library of Noria is needed. Matrices are in CSR: the columns and values of row i are those from pos[i] to
 * pos[i + 1]. */
#include <stdio.h>

#include "spgemm.h"

enum { ROWS = 3, INNER = 4, COLUMNS = 3 };

/*     B             C
 * 1 0 2 0       0 5 0
 * 0 0 0 0       6 0 0
 * 0 3 0 4       0 7 8
 *               9 0 0 */
static const int32_t b_pos[] = {0, 2, 2, 4}, b_crd[] = {0, 2, 1, 3};
static const int32_t c_pos[] = {0, 1, 2, 4, 5}, c_crd[] = {1, 0, 1, 2, 0};
static const double b_vals[] = {1, 2, 3, 4}, c_vals[] = {5, 6, 7, 8, 9};

int main(int argc, char **argv) {
  const int64_t rows = ROWS, columns = COLUMNS, inner = INNER;
  int32_t wrong_crd[] = {0, 2, 1, INNER}; /* a column that B has not */
  const int32_t *crd = argc > 1 ? wrong_crd : b_crd;
  int32_t *pos, *columns_of;
  int64_t num_pos, num_crd, num_vals;
  double *vals;
  char error[200];
  (void)argv;
  if (spgemm_run(&rows, &columns, &inner, b_pos, 4, crd, 4, b_vals, 4, c_pos, 5, c_crd, 5, c_vals, 5, &pos, &num_pos,
                 &columns_of, &num_crd, &vals, &num_vals, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  for (int64_t i = 0; i < rows; i++)
    for (int32_t p = pos[i]; p < pos[i + 1]; p++) printf("A[%d][%d] = %g\n", (int)i, (int)columns_of[p], vals[p]);
  spgemm_free(pos);
  spgemm_free(columns_of);
  spgemm_free(vals);
  return 0;
}
