/* test_print.c - types, attributes and ops as text, built by hand. */
#include "../test.h"

#include "dialect/onnx/dtype.h"
#include "ir/text.h"

#include <math.h>

static NrContext *ctx;

static void expect_type(NrType type, const char *text) {
  NrBuf out = {0};
  nr_print_type(&out, type);
  assert_string_equal(out.data, text);
  nr_buf_deinit(&out);
}

static void expect_attr(NrAttr attr, const char *text) {
  NrBuf out = {0};
  nr_print_attr(&out, attr);
  assert_string_equal(out.data, text);
  nr_buf_deinit(&out);
}

static int setup(void **state) {
  ctx = nr_context_create();
  return 0;
}

static int teardown(void **state) {
  nr_context_destroy(ctx);
  return 0;
}

static void types_print_as_mlir(void **state) {
  NrType f32 = nr_type_f32(ctx), i1 = nr_type_i1(ctx);
  int64_t dims[] = {4, NR_DYNAMIC};
  expect_type(nr_type_int_signed(ctx, 8, NR_UNSIGNED), "ui8");
  expect_type(nr_type_tensor(dims, 2, f32), "tensor<4x?xf32>");
  expect_type(nr_type_tensor(NULL, 0, f32), "tensor<f32>");
  expect_type(nr_type_tensor_unranked(f32), "tensor<*xf32>");
  expect_type(nr_type_vector_scalable((int64_t[]){2, 4}, 2, f32, 2), "vector<2x[4]xf32>");
  expect_type(nr_type_complex(nr_type_float(ctx, NR_BF16)), "complex<bf16>");
  expect_type(nr_type_seq(nr_type_tensor_unranked(i1)), "!onnx.seq<tensor<*xi1>>");
  NrType f = nr_type_function(ctx, &i1, 1, &f32, 1);
  expect_type(f, "(i1) -> f32");
  expect_type(nr_type_function(ctx, NULL, 0, &f, 1), "() -> ((i1) -> f32)");
  int64_t strides[] = {NR_DYNAMIC, 1};
  NrAttr strided = nr_attr_strided(ctx, strides, 2, NR_DYNAMIC);
  expect_type(nr_type_memref_layout(dims, 2, f32, strided, nr_attr_i64(ctx, 1)),
              "memref<4x?xf32, strided<[?, 1], offset: ?>, 1>");
}

static void floats_print_as_mlir(void **state) {
  NrType f32 = nr_type_f32(ctx), f64 = nr_type_f64(ctx);
  expect_attr(nr_attr_float(f32, 1.0), "1.000000e+00 : f32");
  expect_attr(nr_attr_float(f32, 3.14159274), "3.14159274 : f32");
  expect_attr(nr_attr_float(f64, 0.1), "1.000000e-01 : f64");
  expect_attr(nr_attr_float(f64, 1.0 / 3), "0.33333333333333331 : f64");
  expect_attr(nr_attr_float(f32, 1.0 / 3e8), "3.33333339E-9 : f32");
  expect_attr(nr_attr_float(f32, -0.0), "-0.000000e+00 : f32");
  expect_attr(nr_attr_float(f32, (double)INFINITY), "0x7F800000 : f32");
  expect_attr(nr_attr_float(nr_type_float(ctx, NR_F16), (double)-INFINITY), "0xFC00 : f16");
}

static void attributes_print_as_mlir(void **state) {
  NrType i32 = nr_type_i32(ctx);
  NrAttr items[] = {nr_attr_i64(ctx, 1), nr_attr_int(i32, -2), nr_attr_bool(ctx, true)};
  expect_attr(nr_attr_array(ctx, items, 3), "[1, -2 : i32, true]");
  expect_attr(nr_attr_string(ctx, NR_STR("a\"\n\\")), "\"a\\22\\0A\\\\\"");
  NrStr nested = NR_STR("b c");
  expect_attr(nr_attr_symbol_nested(ctx, NR_STR("a"), &nested, 1), "@a::@\"b c\"");
  int32_t data[] = {1, 2, 3, 4, 5, 6};
  expect_attr(nr_attr_dense(nr_type_tensor((int64_t[]){2, 3}, 2, i32), data, sizeof data),
              "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>");
  expect_attr(nr_attr_dense(nr_type_tensor((int64_t[]){2, 3}, 2, i32), data, 4), "dense<1> : tensor<2x3xi32>");
  expect_attr(nr_attr_dense(nr_type_tensor((int64_t[]){0}, 1, i32), data, 0), "dense<> : tensor<0xi32>");
  expect_attr(nr_attr_dense_array(i32, data, 8), "array<i32: 1, 2>");
  uint64_t wide[] = {0, 0x8000000000000000ull};
  expect_attr(nr_attr_int_wide(nr_type_int(ctx, 128), wide, 2), "-170141183460469231731687303715884105728 : i128");
  NrAffineExpr d0 = nr_affine_dim(ctx, 0), s0 = nr_affine_symbol(ctx, 0);
  NrAffineExpr e = nr_affine_binary(NR_AFFINE_ADD, nr_affine_binary(NR_AFFINE_MUL, d0, nr_affine_constant(ctx, 4)),
                                    nr_affine_binary(NR_AFFINE_MUL, s0, nr_affine_constant(ctx, -1)));
  expect_attr(nr_attr_affine_map(ctx, 1, 1, &e, 1), "affine_map<(d0)[s0] -> (d0 * 4 - s0)>");
}

static NrOp *add_op(NrModule *module, NrBlock *block, const char *name, NrValue **operands, size_t n, size_t results) {
  NrType types[] = {nr_type_i32(ctx), nr_type_i32(ctx)};
  NrOpState state = {.info = &nr_unregistered_op_info,
                     .raw_name = nr_context_intern(ctx, nr_str(name)),
                     .loc = nr_loc_unknown(ctx),
                     .operands = operands,
                     .num_operands = n,
                     .result_types = types,
                     .num_results = results};
  NrOp *op = nr_op_create(module, &state);
  nr_op_append(block, op);
  return op;
}

static void values_are_numbered_in_order(void **state) {
  NrModule *module = nr_module_create(ctx, nr_loc_unknown(ctx));
  NrBlock *body = nr_op_body(module->op, 0);
  assert_non_null(body);
  NrOp *a = add_op(module, body, "t.a", NULL, 0, 1);
  NrOp *b = add_op(module, body, "t.b", (NrValue *[]){nr_result(a, 0)}, 1, 2);
  add_op(module, body, "t.c", (NrValue *[]){nr_result(b, 1), nr_result(b, 0)}, 2, 0);
  NrPrintOptions options = {.generic = true};
  NrBuf out = {0};
  nr_print_module(&out, module, &options);
  assert_string_equal(out.data, "\"builtin.module\"() ({\n"
                                "  %0 = \"t.a\"() : () -> i32\n"
                                "  %1:2 = \"t.b\"(%0) : (i32) -> (i32, i32)\n"
                                "  \"t.c\"(%1#1, %1#0) : (i32, i32) -> ()\n"
                                "}) : () -> ()\n");
  nr_buf_deinit(&out);
  nr_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(types_print_as_mlir, setup, teardown),
      cmocka_unit_test_setup_teardown(floats_print_as_mlir, setup, teardown),
      cmocka_unit_test_setup_teardown(attributes_print_as_mlir, setup, teardown),
      cmocka_unit_test_setup_teardown(values_are_numbered_in_order, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
