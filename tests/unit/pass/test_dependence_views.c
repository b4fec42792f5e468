/* test_dependence_views.c - the dependence analysis against counting where places are hard to tell: random nests of
 * affine loops, also with bounds that hang on other loops and on numbers of the run; subscripts with quotients and
 * rests; subviews, joined dims and vectors. Asked as written and after lower-affine. */
#include "../test.h"

#include "dialect/affine/affine.h"
#include "ir/text.h"
#include "pass/analysis/dependence.h"
#include "pass/core/pass.h"

#include <stdio.h>

enum { ROUNDS = 4000, LOOPS = 3, MAX_POINTS = 400, ROWS = 12, COLUMNS = 20, NODES = 64, VECTOR = 3 };

static uint64_t seed = 77;
static int64_t between(int64_t low, int64_t high) {
  return low + (int64_t)(test_random(&seed) % (uint64_t)(high - low + 1));
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

typedef struct Expr {
  char op; /* i: loop number, c: constant, or one of + * % / ^ with a constant number at the right but for + */
  int64_t number;
  int lhs, rhs;
} Expr;

typedef enum View { WHOLE, PART, ROW, JOINED, PART_OF_JOINED, VECTORS } View;

typedef struct Access {
  View view;
  int64_t strides[2];
  int offsets[2], indices[2]; /* expressions */
} Access;

typedef struct Nest {
  int64_t n; /* the value of %n in this run */
  struct {
    int64_t lower, upper, step;
    bool hangs, until_n; /* from the loop around it on; up to %n */
  } loops[LOOPS];
  Access accesses[2];
  Expr exprs[NODES];
  int num_exprs;
} Nest;

static int add_expr(Nest *n, Expr e) {
  assert_true(n->num_exprs < NODES);
  n->exprs[n->num_exprs] = e;
  return n->num_exprs++;
}

static int random_expr(Nest *n, int depth) {
  if (depth == 0 || between(0, 4) == 0)
    return between(0, 3) ? add_expr(n, (Expr){.op = 'i', .number = between(0, LOOPS - 1)})
                         : add_expr(n, (Expr){.op = 'c', .number = between(0, 6)});
  Expr e = {.op = "+++**%/^"[between(0, 7)], .number = between(2, 5)};
  e.lhs = random_expr(n, depth - 1);
  if (e.op == '+') e.rhs = random_expr(n, depth - 1);
  if (e.op == '*' && between(0, 3) == 0) e.number = -1;
  return add_expr(n, e);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t value_of(const Nest *n, int at, const int64_t *iv) {
  const Expr *e = &n->exprs[at];
  if (e->op == 'c') return e->number;
  if (e->op == 'i') return iv[e->number];
  int64_t x = value_of(n, e->lhs, iv);
  switch (e->op) {
  case '+': return x + value_of(n, e->rhs, iv);
  case '*': return x * e->number;
  case '/': return floor_div(x, e->number);
  case '^': return -floor_div(-x, e->number);
  default: return x - floor_div(x, e->number) * e->number;
  }
}

static void print_expr(const Nest *n, int at, NrBuf *out) {
  const Expr *e = &n->exprs[at];
  if (e->op == 'c') {
    nr_buf_printf(out, "%lld", (long long)e->number);
  } else if (e->op == 'i') {
    nr_buf_printf(out, "%%i%lld", (long long)e->number);
  } else {
    nr_buf_puts(out, "(");
    print_expr(n, e->lhs, out);
    const char *op = e->op == '+' ? " + " : e->op == '*' ? " * " : e->op == '/' ? " floordiv " : " ceildiv ";
    nr_buf_puts(out, e->op == '%' ? " mod " : op);
    if (e->op == '+') print_expr(n, e->rhs, out);
    else nr_buf_printf(out, "%lld", (long long)e->number);
    nr_buf_puts(out, ")");
  }
}

/* ---- nests ------------------------------------------------------------------------------------------------------- */

static void random_nest(Nest *n) {
  *n = (Nest){.n = between(1, 7)};
  for (int l = 0; l < LOOPS; l++) {
    n->loops[l].lower = between(0, 2);
    n->loops[l].step = between(1, 2);
    n->loops[l].upper = n->loops[l].lower + between(1, 6);
    n->loops[l].hangs = l > 0 && between(0, 3) == 0;
    n->loops[l].until_n = between(0, 2) == 0;
  }
  for (int k = 0; k < 2; k++) {
    Access *a = &n->accesses[k];
    a->view = (View)between(WHOLE, VECTORS);
    for (int d = 0; d < 2; d++) {
      a->strides[d] = between(1, 2);
      a->indices[d] = random_expr(n, 2);
      a->offsets[d] = random_expr(n, 1);
    }
  }
  if (between(0, 1) == 0) { /* alike, as they mostly are */
    n->accesses[1] = n->accesses[0];
    if (between(0, 1)) n->accesses[1].indices[1] = random_expr(n, 2);
  }
}

static bool is_flat(View view) { return view == ROW || view == JOINED || view == PART_OF_JOINED; }

static void print_access(const Nest *n, int k, NrBuf *out) {
  const Access *a = &n->accesses[k];
  const long long s0 = a->strides[0], s1 = a->strides[1];
  const char *const maps = "affine_map<(d0, d1, d2) -> (";
  for (int d = 0; d < 2; d++) {
    nr_buf_printf(out, "%%o%d%d = affine.apply %s", k, d, maps);
    NrBuf text = {0};
    print_expr(n, a->offsets[d], &text);
    for (size_t c = 0; c < text.size; c++) { /* %i0 of a subscript is d0 of a map */
      if (text.data[c] == '%') text.data[c] = ' ';
      if (text.data[c] == 'i' && text.data[c + 1] >= '0' && text.data[c + 1] <= '9') text.data[c] = 'd';
    }
    nr_buf_printf(out, "%s)>(%%i0, %%i1, %%i2)\n", text.data);
    nr_buf_deinit(&text);
  }
  char type[96] = "memref<12x20xf32>";
  const char *name = "%m";
  char own[24];
  snprintf(own, sizeof own, "%%w%d", k);
  if (a->view == PART) {
    snprintf(type, sizeof type, "memref<3x6xf32, strided<[%lld, %lld], offset: ?>>", COLUMNS * s0, s1);
    nr_buf_printf(out, "%s = memref.subview %%m[%%o%d0, %%o%d1] [3, 6] [%lld, %lld] : memref<12x20xf32> to %s\n", own,
                  k, k, s0, s1, type);
  } else if (a->view == ROW) {
    snprintf(type, sizeof type, "memref<6xf32, strided<[%lld], offset: ?>>", s1);
    nr_buf_printf(out, "%s = memref.subview %%m[%%o%d0, %%o%d1] [1, 6] [1, %lld] : memref<12x20xf32> to %s\n", own, k,
                  k, s1, type);
  } else if (a->view == JOINED || a->view == PART_OF_JOINED) {
    nr_buf_printf(out, "%%j%d = memref.collapse_shape %%m [[0, 1]] : memref<12x20xf32> into memref<240xf32>\n", k);
    snprintf(type, sizeof type, "memref<240xf32>");
    snprintf(own, sizeof own, "%%j%d", k);
  }
  if (a->view == PART_OF_JOINED) {
    snprintf(type, sizeof type, "memref<9xf32, strided<[%lld], offset: ?>>", s0);
    snprintf(own, sizeof own, "%%w%d", k);
    nr_buf_printf(out, "%s = memref.subview %%j%d[%%o%d0] [9] [%lld] : memref<240xf32> to %s\n", own, k, k, s0, type);
  }
  if (a->view != WHOLE && a->view != VECTORS) name = own;
  nr_buf_printf(out, "affine.%s %s, %s[", a->view == VECTORS ? "vector_store" : "store",
                a->view == VECTORS ? "%v" : "%x", name);
  print_expr(n, a->indices[0], out);
  if (!is_flat(a->view)) {
    nr_buf_puts(out, ", ");
    print_expr(n, a->indices[1], out);
  }
  nr_buf_printf(out, "] : %s%s\n", type, a->view == VECTORS ? ", vector<3xf32>" : "");
}

static void print_nest(const Nest *n, NrBuf *out) {
  nr_buf_puts(out, "func.func @f(%m: memref<12x20xf32>, %x: f32, %v: vector<3xf32>, %n: index) {\n");
  for (int l = 0; l < LOOPS; l++) {
    nr_buf_printf(out, "affine.for %%i%d = ", l);
    if (n->loops[l].hangs) nr_buf_printf(out, "max affine_map<(d0) -> (d0, %lld)>(%%i%d)", (long long)n->loops[l].lower,
                                         l - 1);
    else nr_buf_printf(out, "%lld", (long long)n->loops[l].lower);
    if (n->loops[l].until_n && n->loops[l].hangs)
      nr_buf_printf(out, " to min affine_map<(d0)[s0] -> (d0 + %lld, s0)>(%%i%d)[%%n]", (long long)n->loops[l].upper,
                    l - 1);
    else if (n->loops[l].until_n) nr_buf_puts(out, " to %n");
    else nr_buf_printf(out, " to %lld", (long long)n->loops[l].upper);
    nr_buf_printf(out, " step %lld {\n", (long long)n->loops[l].step);
  }
  for (int k = 0; k < 2; k++) print_access(n, k, out);
  nr_buf_puts(out, "}\n}\n}\nreturn\n}\n");
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

typedef struct Point {
  int64_t iv[LOOPS], trip[LOOPS], first[2]; /* places in %m */
} Point;

typedef struct Points {
  Point data[MAX_POINTS];
  size_t count;
  bool wild; /* a place lies outside, or there are too many points */
} Points;

/* The first place of an access; -1 when it lies outside. */
static int64_t place_of(const Nest *n, const Access *a, const int64_t *iv) {
  int64_t o[2], x[2];
  for (int d = 0; d < 2; d++) {
    o[d] = value_of(n, a->offsets[d], iv);
    x[d] = value_of(n, a->indices[d], iv);
    if (x[d] < 0 || o[d] < 0) return -1;
  }
  int64_t row = x[0], column = x[1];
  switch (a->view) {
  case JOINED: return x[0] < ROWS * COLUMNS ? x[0] : -1;
  case PART_OF_JOINED:
    return x[0] < 9 && o[0] + 8 * a->strides[0] < ROWS * COLUMNS ? o[0] + x[0] * a->strides[0] : -1;
  case ROW:
    if (x[0] >= 6 || o[1] + 5 * a->strides[1] >= COLUMNS) return -1;
    row = o[0];
    column = o[1] + x[0] * a->strides[1];
    break;
  case PART:
    if (x[0] >= 3 || x[1] >= 6 || o[0] + 2 * a->strides[0] >= ROWS || o[1] + 5 * a->strides[1] >= COLUMNS) return -1;
    row = o[0] + x[0] * a->strides[0];
    column = o[1] + x[1] * a->strides[1];
    break;
  default: break;
  }
  int64_t place = row * COLUMNS + column;
  if (row >= ROWS || column >= COLUMNS) return -1;
  return a->view == VECTORS && place + VECTOR > ROWS * COLUMNS ? -1 : place;
}

static void count_from(const Nest *n, int l, Point *at, Points *out) {
  if (l == LOOPS) {
    for (int k = 0; k < 2; k++) {
      at->first[k] = place_of(n, &n->accesses[k], at->iv);
      out->wild |= at->first[k] < 0;
    }
    out->wild |= out->count == MAX_POINTS;
    if (!out->wild) out->data[out->count++] = *at;
    return;
  }
  int64_t lower = n->loops[l].lower, upper = n->loops[l].upper;
  if (n->loops[l].until_n) upper = n->loops[l].hangs ? NR_MIN(at->iv[l - 1] + upper, n->n) : n->n;
  if (n->loops[l].hangs) lower = NR_MAX(lower, at->iv[l - 1]);
  at->trip[l] = 0;
  for (at->iv[l] = lower; at->iv[l] < upper && !out->wild; at->iv[l] += n->loops[l].step, at->trip[l]++)
    count_from(n, l + 1, at, out);
}

static bool overlap(const Nest *n, const Point *p, const Point *q) {
  int64_t sizes[2] = {n->accesses[0].view == VECTORS ? VECTOR : 1, n->accesses[1].view == VECTORS ? VECTOR : 1};
  return p->first[0] < q->first[1] + sizes[1] && q->first[1] < p->first[0] + sizes[0];
}

static bool meets(const Nest *n, const Points *points, const NrDistance *d, size_t listed) {
  for (size_t p = 0; p < points->count; p++)
    for (size_t q = 0; q < points->count; q++) {
      bool asked = overlap(n, &points->data[p], &points->data[q]);
      for (size_t l = 0; l < listed && asked; l++) {
        int64_t distance = points->data[q].trip[l] - points->data[p].trip[l];
        asked = distance >= d[l].min && distance <= d[l].max;
      }
      if (asked) return true;
    }
  return false;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

typedef struct Found {
  NrMemAccesses list;
  NrValue *ivs[LOOPS];
  size_t num_ivs;
} Found;

static bool find_loops(NrOp *op, void *user) {
  Found *f = user;
  bool is_loop = nr_op_is(op, NR_OP_scf_for) || nr_op_is(op, NR_OP_affine_for);
  if (is_loop && f->num_ivs < LOOPS) f->ivs[f->num_ivs++] = nr_op_body(op, 0)->args[0];
  return true;
}

static bool may_meet(NrModule *module, const NrDistance *distances, size_t listed) {
  Found found = {0};
  NrDistance d[LOOPS];
  nr_walk_pre(module->op, find_loops, &found);
  if (found.num_ivs < LOOPS) return true; /* one of a single iteration is gone */
  assert_true(nr_collect_accesses(nr_block_parent_op(found.ivs[0]->block), &found.list));
  assert_int_equal(found.list.size, 2);
  for (size_t l = 0; l < listed; l++)
    d[l] = (NrDistance){found.ivs[l], found.ivs[l], distances[l].min, distances[l].max};
  bool may = nr_may_conflict(&found.list.data[0], &found.list.data[1], d, listed);
  nr_vec_deinit(&found.list);
  return may;
}

static void random_distances(const Nest *n, NrDistance *d, size_t listed) {
  static const int64_t ranges[][2] = {{1, NR_FAR}, {0, 0}, {-NR_FAR, -1}, {1, 1}, {0, 2}, {-NR_FAR, NR_FAR}};
  for (size_t l = 0; l < listed; l++) {
    /* Iterations of loops that begin elsewhere each time are not compared. */
    int64_t pick = n->loops[l].hangs ? 5 : between(0, 5);
    d[l] = (NrDistance){.min = ranges[pick][0], .max = ranges[pick][1]};
  }
}

static void never_says_no_wrongly(void **state) {
  int apart = 0, seen = 0, seen_lowered = 0, asked = 0;
  Points *points = nr_calloc(1, sizeof *points);
  for (int round = 0; round < ROUNDS; round++) {
    Nest nest;
    Point start = {{0}, {0}, {0}};
    NrDistance d[LOOPS];
    NrBuf text = {0};
    points->count = 0;
    points->wild = false;
    random_nest(&nest);
    count_from(&nest, 0, &start, points);
    if (points->wild || points->count == 0) continue;
    asked++;
    size_t listed = (size_t)between(1, LOOPS);
    random_distances(&nest, d, listed);
    print_nest(&nest, &text);
    NrContext *ctx = nr_context_create();
    NrModule *module = nr_parse_module(ctx, nr_str(text.data), nr_str("test.mlir"), NULL, NULL);
    nr_diag_flush(ctx);
    if (!module) fail_msg("does not parse:\n%s", text.data);
    bool meet = meets(&nest, points, d, listed), may = may_meet(module, d, listed);
    assert_int_equal(nr_run_passes(module, nr_str("lower-affine,canonicalize"), &(NrPassOptions){.verify = true}),
                     NR_OK);
    bool may_lowered = may_meet(module, d, listed);
    if (meet && (!may || !may_lowered))
      fail_msg("they meet, but no conflict is seen %s(%zu loops listed, n = %lld):\n%s",
               may ? "after lower-affine " : "", listed, (long long)nest.n, text.data);
    apart += !meet;
    seen += !meet && !may;
    seen_lowered += !meet && !may_lowered;
    nr_module_destroy(module);
    nr_context_destroy(ctx);
    nr_buf_deinit(&text);
  }
  nr_free(points);
  print_message("%d nests; %d pairs never meet, seen of %d, after lower-affine of %d\n", asked, apart, seen,
                seen_lowered);
  assert_true(asked > ROUNDS / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(never_says_no_wrongly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
