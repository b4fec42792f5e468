/* test_fold.c - constant folding against the C compiler's own arithmetic: 64-bit and narrower integers against
 * __int128, wider ones against identities, floats against float and double. */
#include "../test.h"

#include "dialect/arith/arith.h"
#include "dialect/arith/wide.h"
#include "dialect/arith/fold.h"

#include <math.h>

static NrContext *ctx;
static NrModule *module;

static int setup(void **state) {
  ctx = nr_context_create();
  module = nr_module_create(ctx, nr_loc_unknown(ctx));
  return 0;
}

static int teardown(void **state) {
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  return 0;
}

/* The attribute that `id` on constants folds to, or NULL; a value that is one of the operands counts as its
 * constant. */
static NrAttr fold(unsigned id, NrType result, const NrAttr *in, size_t count, NrAttr predicate) {
  NrBlock *body = nr_op_body(module->op, 0);
  if (!body) nr_block_append(nr_op_region(module->op, 0), body = nr_block_create(module));
  NrBuilder b = nr_builder_at_end(module, body, nr_loc_unknown(ctx));
  NrValue *operands[4];
  for (size_t i = 0; i < count; i++) operands[i] = nr_arith_constant(&b, in[i]);
  NrOp *op = nr_build_op(&b, id, operands, count, &result, 1);
  if (predicate) nr_op_set_attr(op, NR_A_predicate, predicate);
  NrFold out[2] = {0};
  if (!op->info->fold(op, in, out)) return NULL;
  return out[0].attr ? out[0].attr : nr_value_constant(out[0].value);
}

static NrAttr fold2(unsigned id, NrType type, int64_t a, int64_t b) {
  return fold(id, type, (NrAttr[]){nr_attr_int(type, a), nr_attr_int(type, b)}, 2, NULL);
}

static int64_t sign_extend(uint64_t v, unsigned width) { return (int64_t)(v << (64 - width)) >> (64 - width); }
static uint64_t zero_extend(uint64_t v, unsigned width) { return v << (64 - width) >> (64 - width); }

static void expect_int(NrType type, NrAttr got, __int128 want) {
  assert_non_null(got);
  assert_ptr_equal(got, nr_attr_int(type, (int64_t)want));
}

static void integers_wrap_at_every_width(void **state) {
  uint64_t seed = 7;
  for (int round = 0; round < 20000; round++) {
    unsigned width = 2 + (unsigned)(test_random(&seed) % 63);
    NrType t = nr_type_int(ctx, width);
    /* small numbers, extremes and random ones */
    uint64_t raw[2];
    for (int k = 0; k < 2; k++) {
      uint64_t r = test_random(&seed);
      raw[k] = r % 4 == 0 ? r >> 60 : r % 4 == 1 ? UINT64_C(1) << (width - 1) : r % 4 == 2 ? ~(r >> 61) : r;
    }
    int64_t a = sign_extend(raw[0], width), b = sign_extend(raw[1], width);
    uint64_t ua = zero_extend(raw[0], width), ub = zero_extend(raw[1], width);
    expect_int(t, fold2(NR_OP_arith_addi, t, a, b), (__int128)a + b);
    expect_int(t, fold2(NR_OP_arith_subi, t, a, b), (__int128)a - b);
    expect_int(t, fold2(NR_OP_arith_muli, t, a, b),
               (__int128)((unsigned __int128)(__int128)a * (unsigned __int128)(__int128)b));
    expect_int(t, fold2(NR_OP_arith_maxsi, t, a, b), a > b ? a : b);
    expect_int(t, fold2(NR_OP_arith_minui, t, a, b), (__int128)(ua < ub ? ua : ub));
    expect_int(t, fold2(NR_OP_arith_xori, t, a, b), a ^ b);
    if (b == 0) {
      assert_null(fold2(NR_OP_arith_divsi, t, a, b));
      assert_null(fold2(NR_OP_arith_divui, t, a, b));
      assert_null(fold2(NR_OP_arith_remsi, t, a, b));
      assert_null(fold2(NR_OP_arith_ceildivsi, t, a, b));
    } else {
      expect_int(t, fold2(NR_OP_arith_divui, t, a, b), (__int128)(ua / ub));
      expect_int(t, fold2(NR_OP_arith_remui, t, a, b), (__int128)(ua % ub));
      expect_int(t, fold2(NR_OP_arith_remsi, t, a, b), (__int128)a % b);
      expect_int(t, fold2(NR_OP_arith_ceildivui, t, a, b), (__int128)(ua / ub + (ua % ub != 0)));
      __int128 q = (__int128)a / b, r = (__int128)a % b;
      if (b == -1 && q != sign_extend((uint64_t)q, width)) {
        assert_null(fold2(NR_OP_arith_divsi, t, a, b));
        assert_null(fold2(NR_OP_arith_floordivsi, t, a, b));
      } else {
        expect_int(t, fold2(NR_OP_arith_divsi, t, a, b), q);
        expect_int(t, fold2(NR_OP_arith_floordivsi, t, a, b), q - (r != 0 && (a < 0) != (b < 0)));
        expect_int(t, fold2(NR_OP_arith_ceildivsi, t, a, b), q + (r != 0 && (a < 0) == (b < 0)));
      }
    }
    if (ub >= width) {
      assert_null(fold2(NR_OP_arith_shli, t, a, b));
      assert_null(fold2(NR_OP_arith_shrsi, t, a, b));
    } else {
      expect_int(t, fold2(NR_OP_arith_shli, t, a, b), (__int128)(ua << ub));
      expect_int(t, fold2(NR_OP_arith_shrsi, t, a, b), a >> ub);
      expect_int(t, fold2(NR_OP_arith_shrui, t, a, b), (__int128)(ua >> ub));
    }
  }
}

static NrWide random_wide(uint64_t *seed, uint32_t width) {
  NrWide a = nr_wide_from_u64(width, 0);
  uint32_t words = (width + 63) / 64, used = 1 + (uint32_t)(test_random(seed) % words);
  for (uint32_t i = 0; i < used; i++) a.w[i] = test_random(seed);
  return nr_wide_resize(&a, width, false);
}

/* a = q * b + r, with r below b. */
static void wide_integers_divide(void **state) {
  uint64_t seed = 11;
  for (int round = 0; round < 3000; round++) {
    uint32_t width = 65 + (uint32_t)(test_random(&seed) % 300);
    NrWide a = random_wide(&seed, width), b = random_wide(&seed, width), q, r;
    /* resize trims what random words left above the width */
    a = nr_wide_and(&a, &a);
    NrWide ones = nr_wide_from_u64(width, 0), one = nr_wide_from_u64(width, 1);
    ones = nr_wide_sub(&ones, &one);
    a = nr_wide_and(&a, &ones);
    b = nr_wide_and(&b, &ones);
    if (nr_wide_is_zero(&b)) continue;
    nr_wide_divrem_unsigned(&a, &b, &q, &r);
    assert_true(nr_wide_cmp_unsigned(&r, &b) < 0);
    NrWide back = nr_wide_mul(&q, &b);
    back = nr_wide_add(&back, &r);
    assert_int_equal(nr_wide_cmp_unsigned(&back, &a), 0);
    nr_wide_divrem_signed(&a, &b, &q, &r);
    back = nr_wide_mul(&q, &b);
    back = nr_wide_add(&back, &r);
    assert_int_equal(nr_wide_cmp_unsigned(&back, &a), 0);
    assert_true(nr_wide_is_zero(&r) || nr_wide_is_negative(&r) == nr_wide_is_negative(&a));
    uint32_t by = (uint32_t)(test_random(&seed) % width);
    NrWide left = nr_wide_shl(&a, by), right = nr_wide_shr(&left, by, false), power = nr_wide_shl(&one, by);
    NrWide product = nr_wide_mul(&a, &power);
    assert_int_equal(nr_wide_cmp_unsigned(&left, &product), 0);
    NrWide low = nr_wide_resize(&a, width - by, false);
    low = nr_wide_resize(&low, width, false);
    assert_int_equal(nr_wide_cmp_unsigned(&right, &low), 0);
    NrWide wider = nr_wide_resize(&a, width + 70, true), same = nr_wide_resize(&wider, width, false);
    assert_int_equal(nr_wide_is_negative(&wider), nr_wide_is_negative(&a));
    assert_int_equal(nr_wide_cmp_unsigned(&same, &a), 0);
  }
}

static float random_float(uint64_t *seed) {
  static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3.4e38f, 0.5f};
  uint64_t r = test_random(seed);
  if (r % 3 == 0) return special[(r >> 8) % 10];
  uint32_t bits = (uint32_t)(r >> 16);
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static void expect_float(NrAttr got, float want) {
  assert_non_null(got);
  if (isnan(want)) assert_true(isnan(got->f));
  else assert_ptr_equal(got, nr_attr_float(nr_type_f32(ctx), (double)want));
}

static void floats_round_once(void **state) {
  uint64_t seed = 3;
  NrType f32 = nr_type_f32(ctx), i1 = nr_type_i1(ctx);
  for (int round = 0; round < 20000; round++) {
    volatile float a = random_float(&seed), b = random_float(&seed);
    NrAttr in[2] = {nr_attr_float(f32, (double)a), nr_attr_float(f32, (double)b)};
    expect_float(fold(NR_OP_arith_addf, f32, in, 2, NULL), a + b);
    expect_float(fold(NR_OP_arith_subf, f32, in, 2, NULL), a - b);
    expect_float(fold(NR_OP_arith_mulf, f32, in, 2, NULL), a * b);
    expect_float(fold(NR_OP_arith_divf, f32, in, 2, NULL), a / b);
    expect_float(fold(NR_OP_arith_remf, f32, in, 2, NULL), fmodf(a, b));
    expect_float(fold(NR_OP_math_sqrt, f32, in, 1, NULL), sqrtf(a));
    bool unordered = isnan(a) || isnan(b);
    const bool wants[] = {false, a == b, a > b, a >= b, a < b, a <= b, a < b || a > b, !unordered};
    for (int p = 0; p < 16; p++) {
      bool want = p < 8               ? wants[p]
                  : p == NR_CMPF_UNO  ? unordered
                  : p == NR_CMPF_TRUE ? true
                                      : unordered || wants[p - 7];
      expect_int(i1, fold(NR_OP_arith_cmpf, i1, in, 2, nr_attr_i64(ctx, p)), want);
    }
  }
}

static void zeros_and_nan_survive_min_and_max(void **state) {
  NrType f32 = nr_type_f32(ctx);
  NrAttr zero = nr_attr_float(f32, 0.0), minus = nr_attr_float(f32, -0.0), one = nr_attr_float(f32, 1.0);
  NrAttr nan = nr_attr_float(f32, (double)NAN);
  assert_ptr_equal(fold(NR_OP_arith_maximumf, f32, (NrAttr[]){minus, zero}, 2, NULL), zero);
  assert_ptr_equal(fold(NR_OP_arith_maximumf, f32, (NrAttr[]){zero, minus}, 2, NULL), zero);
  assert_ptr_equal(fold(NR_OP_arith_minimumf, f32, (NrAttr[]){zero, minus}, 2, NULL), minus);
  assert_ptr_equal(fold(NR_OP_arith_maximumf, f32, (NrAttr[]){one, nan}, 2, NULL), nan);
  assert_ptr_equal(fold(NR_OP_arith_maxnumf, f32, (NrAttr[]){one, nan}, 2, NULL), one);
  assert_ptr_equal(fold(NR_OP_arith_minnumf, f32, (NrAttr[]){nan, one}, 2, NULL), one);
  assert_ptr_equal(fold(NR_OP_arith_negf, f32, (NrAttr[]){zero}, 1, NULL), minus);
  assert_ptr_equal(fold(NR_OP_arith_addf, f32, (NrAttr[]){minus, zero}, 2, NULL), zero);
}

static void casts_keep_what_fits(void **state) {
  NrType i8 = nr_type_int(ctx, 8), i16 = nr_type_int(ctx, 16), f32 = nr_type_f32(ctx), f64 = nr_type_f64(ctx);
  NrType i128 = nr_type_int(ctx, 128);
  expect_int(i16, fold(NR_OP_arith_extsi, i16, (NrAttr[]){nr_attr_int(i8, -3)}, 1, NULL), -3);
  expect_int(i16, fold(NR_OP_arith_extui, i16, (NrAttr[]){nr_attr_int(i8, -3)}, 1, NULL), 253);
  expect_int(i8, fold(NR_OP_arith_trunci, i8, (NrAttr[]){nr_attr_int(i16, 300)}, 1, NULL), 44);
  expect_int(i8, fold(NR_OP_arith_fptosi, i8, (NrAttr[]){nr_attr_float(f32, -128.9)}, 1, NULL), -128);
  assert_null(fold(NR_OP_arith_fptosi, i8, (NrAttr[]){nr_attr_float(f32, 128.0)}, 1, NULL));
  assert_null(fold(NR_OP_arith_fptosi, i8, (NrAttr[]){nr_attr_float(f32, (double)NAN)}, 1, NULL));
  expect_int(i8, fold(NR_OP_arith_fptoui, i8, (NrAttr[]){nr_attr_float(f32, 255.9)}, 1, NULL), 255);
  expect_int(i8, fold(NR_OP_arith_fptoui, i8, (NrAttr[]){nr_attr_float(f32, -0.9)}, 1, NULL), 0);
  assert_null(fold(NR_OP_arith_fptoui, i8, (NrAttr[]){nr_attr_float(f32, -1.0)}, 1, NULL));
  NrAttr big = fold(NR_OP_arith_fptosi, i128, (NrAttr[]){nr_attr_float(f64, -0x1p100)}, 1, NULL);
  assert_non_null(big);
  assert_ptr_equal(big, nr_attr_int_wide(i128, (uint64_t[]){0, ~UINT64_C(0) << 36}, 2));
  assert_ptr_equal(fold(NR_OP_arith_uitofp, f32, (NrAttr[]){nr_attr_int(i8, -1)}, 1, NULL), nr_attr_float(f32, 255.0));
  assert_ptr_equal(fold(NR_OP_arith_sitofp, f32, (NrAttr[]){nr_attr_int(i8, -1)}, 1, NULL), nr_attr_float(f32, -1.0));
}

static void small_dense_constants_fold_by_element(void **state) {
  int64_t three = 3;
  NrType i32 = nr_type_i32(ctx), v = nr_type_vector(&three, 1, i32);
  int32_t a[] = {1, -2, INT32_MAX}, sum[] = {11, 8, INT32_MIN + 9}, ten = 10;
  NrAttr in[2] = {nr_attr_dense(v, a, sizeof a), nr_attr_dense(v, &ten, sizeof ten)};
  assert_ptr_equal(fold(NR_OP_arith_addi, v, in, 2, NULL), nr_attr_dense(v, sum, sizeof sum));
  assert_ptr_equal(fold(NR_OP_arith_muli, v, (NrAttr[]){in[1], in[1]}, 2, NULL), nr_splat_int(v, 100));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_wrap_at_every_width), cmocka_unit_test(wide_integers_divide),
      cmocka_unit_test(floats_round_once),           cmocka_unit_test(zeros_and_nan_survive_min_and_max),
      cmocka_unit_test(casts_keep_what_fits),        cmocka_unit_test(small_dense_constants_fold_by_element),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
