/* test_dependence.c - the dependence analysis against counting: random nests of two or three loops with two accesses,
 * random distances asked for; "they never meet" must be true of all iterations, and be said where simple cases ask. */
#include "../test.h"

#include "ir/text.h"
#include "pass/analysis/dependence.h"

#include <stdio.h>

enum { ROUNDS = 4000, MAX_TRIPS = 5 };

typedef struct Nest {
  int64_t lower[3], upper[3], step[3];
  bool triangular;                           /* the second loop begins at the first one's variable */
  int64_t factors[2][2][3], constants[2][2]; /* of access, dim, loop */
} Nest;

static uint64_t seed = 20261;
static int64_t between(int64_t low, int64_t high) {
  return low + (int64_t)(test_random(&seed) % (uint64_t)(high - low + 1));
}

static void random_nest(Nest *n) {
  *n = (Nest){.triangular = between(0, 3) == 0};
  for (int l = 0; l < 3; l++) {
    n->lower[l] = between(-2, 2);
    n->step[l] = between(1, 3);
    n->upper[l] = n->lower[l] + between(1, MAX_TRIPS * n->step[l]);
  }
  for (int k = 0; k < 2; k++)
    for (int d = 0; d < 2; d++) {
      for (int l = 0; l < 3; l++) n->factors[k][d][l] = between(0, 2) ? 0 : between(-3, 3);
      n->factors[k][d][d] += between(0, 1);
      n->constants[k][d] = between(-4, 4);
    }
}

static void print_nest(const Nest *n, NrBuf *out) {
  nr_buf_puts(out, "func.func @f(%m: memref<?x?xf32>, %x: f32) {\n");
  for (int l = 0; l < 3; l++)
    nr_buf_printf(out,
                  "%%l%d = arith.constant %lld : index\n%%u%d = arith.constant %lld : index\n"
                  "%%s%d = arith.constant %lld : index\n",
                  l, (long long)n->lower[l], l, (long long)n->upper[l], l, (long long)n->step[l]);
  for (int l = 0; l < 3; l++)
    nr_buf_printf(out, "scf.for %%i%d = %s to %%u%d step %%s%d {\n", l,
                  l == 1 && n->triangular ? "%i0" : (const char *[]){"%l0", "%l1", "%l2"}[l], l, l);
  for (int k = 0; k < 2; k++) {
    for (int d = 0; d < 2; d++) {
      nr_buf_printf(out, "%%x%d%d0 = arith.constant %lld : index\n", k, d, (long long)n->constants[k][d]);
      for (int l = 0; l < 3; l++)
        nr_buf_printf(out,
                      "%%f%d%d%d = arith.constant %lld : index\n%%p%d%d%d = arith.muli %%i%d, %%f%d%d%d : index\n"
                      "%%x%d%d%d = arith.addi %%p%d%d%d, %%x%d%d%d : index\n",
                      k, d, l, (long long)n->factors[k][d][l], k, d, l, l, k, d, l, k, d, l + 1, k, d, l, k, d, l);
    }
    nr_buf_printf(out, "memref.store %%x, %%m[%%x%d03, %%x%d13] : memref<?x?xf32>\n", k, k);
  }
  nr_buf_puts(out, "}\n}\n}\nreturn\n}\n");
}

static int64_t element(const Nest *n, int access, int dim, const int64_t *iv) {
  int64_t sum = n->constants[access][dim];
  for (int l = 0; l < 3; l++) sum += n->factors[access][dim][l] * iv[l];
  return sum;
}

/* All pairs of iterations. Without `third` the innermost loop is not listed: its distance may be anything. */
static bool meets(const Nest *n, const NrDistance *d, size_t listed) {
  int64_t points[3 * MAX_TRIPS * 3 * MAX_TRIPS * 3 * MAX_TRIPS][6];
  size_t count = 0;
  for (int64_t a = n->lower[0], ta = 0; a < n->upper[0]; a += n->step[0], ta++)
    for (int64_t b = n->triangular ? a : n->lower[1], tb = 0; b < n->upper[1]; b += n->step[1], tb++)
      for (int64_t c = n->lower[2], tc = 0; c < n->upper[2]; c += n->step[2], tc++)
        memcpy(points[count++], (int64_t[]){a, b, c, ta, tb, tc}, sizeof points[0]);
  for (size_t p = 0; p < count; p++)
    for (size_t q = 0; q < count; q++) {
      bool asked = true;
      for (size_t l = 0; l < listed; l++) {
        int64_t distance = points[q][3 + l] - points[p][3 + l];
        asked &= distance >= d[l].min && distance <= d[l].max;
      }
      if (asked && element(n, 0, 0, points[p]) == element(n, 1, 0, points[q]) &&
          element(n, 0, 1, points[p]) == element(n, 1, 1, points[q]))
        return true;
    }
  return false;
}

static NrModule *parse(NrContext *ctx, const char *text) {
  NrModule *module = nr_parse_module(ctx, nr_str(text), nr_str("test.mlir"), NULL, NULL);
  nr_diag_flush(ctx);
  if (!module) fail_msg("does not parse:\n%s", text);
  return module;
}

typedef struct Found {
  NrMemAccesses list;
  NrValue *ivs[3];
  size_t num_ivs;
} Found;

static bool find_loops(NrOp *op, void *user) {
  Found *f = user;
  if (nr_op_is(op, NR_OP_scf_for) && f->num_ivs < 3) f->ivs[f->num_ivs++] = nr_op_body(op, 0)->args[0];
  return true;
}

static void find(NrModule *module, Found *out) {
  *out = (Found){0};
  nr_walk_pre(module->op, find_loops, out);
  assert_true(nr_collect_accesses(nr_block_parent_op(out->ivs[0]->block), &out->list));
}

static void never_says_no_wrongly(void **state) {
  int apart = 0, seen = 0;
  for (int round = 0; round < ROUNDS; round++) {
    Nest nest;
    NrBuf text = {0};
    Found found;
    random_nest(&nest);
    print_nest(&nest, &text);
    NrContext *ctx = nr_context_create();
    NrModule *module = parse(ctx, text.data);
    find(module, &found);
    assert_int_equal(found.list.size, 2);
    NrDistance d[3];
    size_t listed = (size_t)between(1, 3);
    for (int l = 0; l < 3; l++) {
      /* A triangular loop does not count the same iterations in each of its runs: only its values are comparable. */
      bool any = l == 1 && nest.triangular;
      static const int64_t ranges[][2] = {{1, NR_FAR}, {0, 0}, {-NR_FAR, -1}, {1, 1}, {0, 2}, {-NR_FAR, NR_FAR}};
      int64_t pick = any ? 5 : between(0, 5);
      d[l] = (NrDistance){found.ivs[l], found.ivs[l], ranges[pick][0], ranges[pick][1]};
    }
    bool meet = meets(&nest, d, listed);
    bool may = nr_may_conflict(&found.list.data[0], &found.list.data[1], d, listed);
    if (meet && !may) fail_msg("they meet, but no conflict is seen (%zu loops listed):\n%s", listed, text.data);
    apart += !meet;
    seen += !meet && !may;
    nr_vec_deinit(&found.list);
    nr_module_destroy(module);
    nr_context_destroy(ctx);
    nr_buf_deinit(&text);
  }
  if (seen * 100 < apart * 75) fail_msg("of %d pairs that never meet only %d are seen", apart, seen);
}

typedef struct Case {
  const char *head, *body; /* of a loop over %i from %l to %u by %s; %m and %n are memrefs, %x a float */
  bool independent;
} Case;

static void single_loops(void **state) {
  static const char usual[] = "func.func @f(%l: index, %u: index, %s: index, %m: memref<?xf32>, %n: memref<?xf32>, "
                              "%x: f32, %k: index)";
  static const char c1[] = "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n";
  static const Case cases[] = {
      {c1, "memref.store %x, %m[%i] : memref<?xf32>", true},
      {c1, "memref.store %x, %m[%k] : memref<?xf32>", false},
      {c1, "%v = memref.load %m[%k] : memref<?xf32>", true},
      {c1, "%j = arith.addi %i, %k : index\nmemref.store %x, %m[%j] : memref<?xf32>", true},
      /* twice as far, of steps that may be half of the number of all indices */
      {c1, "%j = arith.muli %i, %c2 : index\nmemref.store %x, %m[%j] : memref<?xf32>", false},
      /* memrefs of the caller may be one */
      {c1, "%v = memref.load %n[%i] : memref<?xf32>\n memref.store %v, %m[%i] : memref<?xf32>", false},
      {"%a = memref.alloc(%u) : memref<?xf32>\n",
       "%v = memref.load %n[%i] : memref<?xf32>\n memref.store %v, %a[%i] : memref<?xf32>", true},
      /* a buffer of each iteration's own */
      {c1, "%a = memref.alloc() : memref<f32>\nmemref.store %x, %a[] : memref<f32>\nmemref.dealloc %a : memref<f32>",
       true},
      {"%a = memref.alloc() : memref<f32>\n", "memref.store %x, %a[] : memref<f32>", false},
      /* rows that overlap */
      {"%c4 = arith.constant 4 : index\n%w = memref.reinterpret_cast %m to offset: [0], sizes: [4, 4], strides: [1, 1] "
       ": memref<?xf32> to memref<4x4xf32, strided<[1, 1]>>\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : "
       "index\n",
       "memref.store %x, %w[%i, %c0] : memref<4x4xf32, strided<[1, 1]>>\n"
       "memref.store %x, %w[%c1, %i] : memref<4x4xf32, strided<[1, 1]>>",
       false},
      /* an index from memory */
      {"%p = memref.alloc() : memref<9xindex>\n",
       "%j = memref.load %p[%i] : memref<9xindex>\nmemref.store %x, %m[%j] : memref<?xf32>", false},
      /* a view that another part of the buffer is seen through each time */
      {c1,
       "%w = memref.subview %m[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
       "memref.store %x, %w[%c1] : memref<4xf32, strided<[1], offset: ?>>",
       true},
      {c1,
       "%w = memref.subview %m[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
       "memref.store %x, %w[%c1] : memref<4xf32, strided<[1], offset: ?>>\n"
       "%v = memref.load %w[%c2] : memref<4xf32, strided<[1], offset: ?>>",
       false},
      /* rows, and the halves of rows */
      {"%c1 = arith.constant 1 : index\n%r = memref.alloc(%u) : memref<?x8xf32>\n",
       "%w = memref.subview %r[%i, 4] [1, 4] [1, 1] : memref<?x8xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
       "%h = memref.subview %r[%i, 0] [1, 4] [1, 1] : memref<?x8xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
       "memref.copy %h, %w : memref<4xf32, strided<[1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>",
       true},
      /* the upper half of what is twice as long as the loop, of a length that is not known */
      {"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n",
       "scf.for %j = %c0 to %k step %c1 {\n%h = arith.addi %j, %k : index\n%v = memref.load %m[%h] : memref<?xf32>\n"
       "%b = memref.alloc() : memref<f32>\n}",
       true},
  };
  for (size_t i = 0; i < NR_COUNTOF(cases); i++) {
    NrBuf text = {0};
    Found found;
    nr_buf_printf(&text, "%s {\n%sscf.for %%i = %%l to %%u step %%s {\n%s\n}\nreturn\n}\n", usual, cases[i].head,
                  cases[i].body);
    NrContext *ctx = nr_context_create();
    NrModule *module = parse(ctx, text.data);
    find(module, &found);
    if (nr_iterations_independent(&found.list, found.ivs[0]) != cases[i].independent)
      fail_msg("%s:\n%s", cases[i].independent ? "is independent" : "is not independent", text.data);
    nr_vec_deinit(&found.list);
    nr_module_destroy(module);
    nr_context_destroy(ctx);
    nr_buf_deinit(&text);
  }
}

/* Steps so large that indices come around: 4 * 2^62 is 0 again. */
static void indices_that_come_around(void **state) {
  static const char text[] = "func.func @f(%m: memref<?xf32>, %x: f32) {\n"
                             "%l = arith.constant 0 : index\n%u = arith.constant 9223372036854775807 : index\n"
                             "%s = arith.constant 4611686018427387904 : index\n%c4 = arith.constant 4 : index\n"
                             "scf.for %i = %l to %u step %s {\n%j = arith.muli %i, %c4 : index\n"
                             "memref.store %x, %m[%j] : memref<?xf32>\n}\nreturn\n}\n";
  NrContext *ctx = nr_context_create();
  NrModule *module = parse(ctx, text);
  Found found;
  find(module, &found);
  assert_false(nr_iterations_independent(&found.list, found.ivs[0]));
  nr_vec_deinit(&found.list);
  nr_module_destroy(module);
  nr_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(never_says_no_wrongly),
      cmocka_unit_test(single_loops),
      cmocka_unit_test(indices_that_come_around),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
