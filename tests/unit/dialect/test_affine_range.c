/* test_affine_range.c - ranges of affine expressions against counting: random nests of loops, whose bounds hang on each
 * other and on a number of the run, and random expressions over their variables. */
#include "../test.h"

#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"

enum { ROUNDS = 3000, LOOPS = 3, EXPRS = 4 };

static uint64_t seed = 4711;
static int64_t between(int64_t low, int64_t high) {
  return low + (int64_t)(test_random(&seed) % (uint64_t)(high - low + 1));
}

typedef struct Nest {
  int64_t n, lower[LOOPS], upper[LOOPS], step[LOOPS];
  bool hangs[LOOPS], until_n[LOOPS]; /* from and to the loop around it; up to %n */
  NrOp *applies[EXPRS];
  size_t num_applies;
  int tight, ranges; /* ends that are reached, of all */
} Nest;

static void put_expr(NrBuf *out, int depth) {
  static const char *const ops[] = {"+", "-", "*", "mod", "floordiv", "ceildiv"};
  if (depth == 0) {
    if (between(0, 5)) nr_buf_printf(out, "%s", (const char *[]){"d0", "d1", "d2", "s0"}[between(0, 3)]);
    else nr_buf_printf(out, "%lld", (long long)between(-4, 9));
    return;
  }
  const char *op = ops[between(0, 5)];
  nr_buf_puts(out, "(");
  put_expr(out, depth - 1);
  nr_buf_printf(out, " %s ", op);
  if (*op == '+' || *op == '-') put_expr(out, depth - 1);
  else nr_buf_printf(out, "%lld", (long long)(*op == '*' ? between(-3, 4) : between(2, 9)));
  nr_buf_puts(out, ")");
}

static void random_nest(Nest *n, NrBuf *out) {
  *n = (Nest){.n = between(0, 9)};
  nr_buf_puts(out, "func.func private @use(index)\nfunc.func @f(%n: index) {\n");
  for (int l = 0; l < LOOPS; l++) {
    n->lower[l] = between(-3, 3);
    n->step[l] = between(1, 4);
    n->upper[l] = n->lower[l] + between(0, 9);
    n->hangs[l] = l > 0 && between(0, 2) == 0;
    n->until_n[l] = between(0, 2) == 0;
    nr_buf_printf(out, "affine.for %%i%d = ", l);
    if (n->hangs[l])
      nr_buf_printf(out, "max affine_map<(d0) -> (d0 * 2, %lld)>(%%i%d) to min affine_map<(d0)[s0] -> (d0 + %lld, %s)>"
                         "(%%i%d)[%%n]", (long long)n->lower[l], l - 1, (long long)n->upper[l],
                    n->until_n[l] ? "s0" : "7", l - 1);
    else if (n->until_n[l]) nr_buf_printf(out, "%lld to %%n", (long long)n->lower[l]);
    else nr_buf_printf(out, "%lld to %lld", (long long)n->lower[l], (long long)n->upper[l]);
    nr_buf_printf(out, " step %lld {\n", (long long)n->step[l]);
  }
  for (int k = 0; k < EXPRS; k++) {
    nr_buf_printf(out, "%%x%d = affine.apply affine_map<(d0, d1, d2)[s0] -> (", k);
    put_expr(out, (int)between(1, 3));
    nr_buf_printf(out, ")>(%%i0, %%i1, %%i2)[%%n]\nfunc.call @use(%%x%d) : (index) -> ()\n", k);
  }
  nr_buf_puts(out, "}\n}\n}\nreturn\n}\n");
}

static bool find_applies(NrOp *op, void *user) {
  Nest *n = user;
  if (nr_op_is(op, NR_OP_affine_apply)) n->applies[n->num_applies++] = op;
  return true;
}

typedef struct Values {
  int64_t min, max, rest;
  bool any, one_rest;
} Values;

/* All values of an expression and of what it was simplified to, which must be equal. */
static void count(const Nest *n, int l, int64_t *iv, NrAffineExpr e, NrAffineExpr simple, int64_t divisor, Values *v) {
  if (l == LOOPS) {
    int64_t x, y;
    if (!nr_affine_eval(e, iv, &n->n, &x)) return;
    assert_true(nr_affine_eval(simple, iv, &n->n, &y));
    assert_int_equal(x, y);
    int64_t rest = (x % divisor + divisor) % divisor;
    v->one_rest = !v->any || (v->one_rest && v->rest == rest);
    v->rest = rest;
    v->min = v->any ? NR_MIN(v->min, x) : x;
    v->max = v->any ? NR_MAX(v->max, x) : x;
    v->any = true;
    return;
  }
  int64_t lower = n->lower[l], upper = n->until_n[l] ? n->n : n->upper[l];
  if (n->hangs[l]) {
    lower = NR_MAX(iv[l - 1] * 2, lower);
    upper = NR_MIN(iv[l - 1] + n->upper[l], n->until_n[l] ? n->n : 7);
  }
  for (iv[l] = lower; iv[l] < upper; iv[l] += n->step[l]) count(n, l + 1, iv, e, simple, divisor, v);
}

static void check(Nest *n, const NrOp *apply, const char *text) {
  NrAttr map = nr_op_attr(apply, NR_A_map);
  NrValue *operands[LOOPS + 1];
  int64_t iv[LOOPS], divisor = between(2, 6), rest;
  Values v = {0};
  for (size_t i = 0; i < apply->num_operands; i++) operands[i] = nr_operand(apply, i);
  NrAffineExpr e = map->exprs[0], simple = nr_affine_simplify_in_range(e, map->num_dims, operands);
  NrRange r = nr_affine_range(e, map->num_dims, operands, NULL, NULL);
  count(n, 0, iv, e, simple, divisor, &v);
  if (!v.any) return;
  if (v.min < r.min || v.max > r.max)
    fail_msg("%lld to %lld, but said to be %lld to %lld (n = %lld):\n%s", (long long)v.min, (long long)v.max,
             (long long)r.min, (long long)r.max, (long long)n->n, text);
  if (nr_affine_rest(e, map->num_dims, operands, divisor, &rest) && (!v.one_rest || v.rest != rest))
    fail_msg("the rest by %lld is not always %lld:\n%s", (long long)divisor, (long long)rest, text);
  n->tight += (v.min == r.min) + (v.max == r.max);
  n->ranges += 2;
}

static void ranges_hold_all_values(void **state) {
  int tight = 0, ranges = 0;
  for (int round = 0; round < ROUNDS; round++) {
    Nest n;
    NrBuf text = {0};
    random_nest(&n, &text);
    NrContext *ctx = nr_context_create();
    NrModule *module = nr_parse_module(ctx, nr_str(text.data), nr_str("test.mlir"), NULL, NULL);
    nr_diag_flush(ctx);
    if (!module) fail_msg("does not parse:\n%s", text.data);
    nr_walk_pre(module->op, find_applies, &n);
    for (size_t i = 0; i < n.num_applies; i++) check(&n, n.applies[i], text.data);
    tight += n.tight;
    ranges += n.ranges;
    nr_module_destroy(module);
    nr_context_destroy(ctx);
    nr_buf_deinit(&text);
  }
  print_message("%d of %d ends are reached\n", tight, ranges);
  assert_true(tight * 4 > ranges);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_hold_all_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
