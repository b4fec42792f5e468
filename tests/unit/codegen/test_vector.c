/* Vector ops of compiled code, with results known by hand. */
#include "codegen_test.h"

static void memory(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func @double(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {\n"
      "  %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>\n  %w = arith.addf %v, %v : vector<8xf32>\n"
      "  vector.store %w, %y[%i] : memref<?xf32>, vector<8xf32>\n  return\n}\n"
      "func.func @masked(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {\n"
      "  %c0 = arith.constant 0 : index\n  %pass = arith.constant dense<9.0> : vector<8xf32>\n"
      "  %m = vector.create_mask %n : vector<8xi1>\n"
      "  %v = vector.maskedload %x[%c0], %m, %pass : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>\n"
      "  vector.store %v, %y[%c0] : memref<?xf32>, vector<8xf32>\n  %c8 = arith.constant 8 : index\n"
      "  vector.maskedstore %y[%c8], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>\n  return\n}\n"
      "func.func @gather(%x: memref<?xf32>, %at: memref<4xi32>, %y: memref<?xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n  %m = vector.constant_mask [3] : vector<4xi1>\n"
      "  %pass = arith.constant dense<-1.0> : vector<4xf32>\n  %i = vector.load %at[%c0] : memref<4xi32>, "
      "vector<4xi32>\n"
      "  %v = vector.gather %x[%c0][%i], %m, %pass : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into "
      "vector<4xf32>\n"
      "  vector.store %v, %y[%c0] : memref<?xf32>, vector<4xf32>\n  %c8 = arith.constant 8 : index\n"
      "  vector.scatter %y[%c8][%i], %m, %v : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>\n  return\n}\n"
      "func.func @flags(%x: memref<8xi1>, %y: memref<8xi1>) {\n  %c0 = arith.constant 0 : index\n"
      "  %t = arith.constant dense<true> : vector<8xi1>\n  %v = vector.load %x[%c0] : memref<8xi1>, vector<8xi1>\n"
      "  %w = arith.xori %v, %t : vector<8xi1>\n  vector.store %w, %y[%c0] : memref<8xi1>, vector<8xi1>\n  return\n}\n"
      "func.func @tile(%x: memref<4x6xf32>, %y: memref<4x6xf32>, %i: index, %j: index) {\n"
      "  %v = vector.load %x[%i, %j] : memref<4x6xf32>, vector<2x3xf32>\n"
      "  vector.store %v, %y[%i, %j] : memref<4x6xf32>, vector<2x3xf32>\n  return\n}\n"
      "func.func @column(%x: memref<4x6xf32>, %y: memref<4xf32>) {\n"
      "  %c0 = arith.constant 0 : index\n  %t = memref.transpose %x (i, j) -> (j, i) : memref<4x6xf32> to "
      "memref<6x4xf32, "
      "strided<[1, 6]>>\n  %c2 = arith.constant 2 : index\n  %pad = arith.constant 0.0 : f32\n"
      "  %v = vector.transfer_read %t[%c2, %c0], %pad {in_bounds = [true]} : memref<6x4xf32, strided<[1, 6]>>, "
      "vector<4xf32>\n"
      "  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>\n  return\n}\n"
      "func.func @transfer(%x: memref<?xf32>, %y: memref<?xf32>, %i: index) {\n"
      "  %pad = arith.constant 5.0 : f32\n  %c0 = arith.constant 0 : index\n"
      "  %v = vector.transfer_read %x[%i], %pad : memref<?xf32>, vector<4xf32>\n"
      "  vector.transfer_write %v, %y[%i] : vector<4xf32>, memref<?xf32>\n"
      "  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>\n  return\n}\n"
      "func.func @transfer2(%x: memref<?x?xf32>, %y: memref<3x4xf32>, %i: index, %j: index) {\n"
      "  %pad = arith.constant 5.0 : f32\n  %c0 = arith.constant 0 : index\n"
      "  %v = vector.transfer_read %x[%i, %j], %pad : memref<?x?xf32>, vector<3x4xf32>\n"
      "  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<3x4xf32>, memref<3x4xf32>\n  "
      "return\n}\n"
      "func.func @one(%x: memref<?xf32>, %y: memref<4xf32>, %i: index) {\n"
      "  %pad = arith.constant 5.0 : f32\n  %c0 = arith.constant 0 : index\n"
      "  %v = vector.transfer_read %x[%i], %pad {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : "
      "memref<?xf32>, vector<4xf32>\n"
      "  vector.store %v, %y[%c0] : memref<4xf32>, vector<4xf32>\n  return\n}\n"
      "func.func @packed(%x: memref<?xf32>, %y: memref<?xf32>, %m: memref<4xi1>) {\n"
      "  %c0 = arith.constant 0 : index\n  %k = vector.load %m[%c0] : memref<4xi1>, vector<4xi1>\n"
      "  %v = vector.load %x[%c0] : memref<?xf32>, vector<4xf32>\n"
      "  vector.compressstore %y[%c0], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>\n"
      "  %w = vector.expandload %x[%c0], %k, %v : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>\n"
      "  %c4 = arith.constant 4 : index\n  vector.store %w, %y[%c4] : memref<?xf32>, vector<4xf32>\n  return\n}\n");
  float x[24], y[24];
  for (int i = 0; i < 24; i++) x[i] = (float)i + 1, y[i] = 0;
  NoriaDesc a = tensor1(x, 24), b = tensor1(y, 24);
  program_call(&p, "double", (NoriaDesc[]){a, b, scalar_i64(3)}, NULL);
  for (int i = 0; i < 24; i++) assert_true(y[i] == (i >= 3 && i < 11 ? 2 * x[i] : 0));
  memset(y, 0, sizeof y);
  program_call(&p, "masked", (NoriaDesc[]){a, b, scalar_i64(3)}, NULL);
  for (int i = 0; i < 8; i++) assert_true(y[i] == (i < 3 ? x[i] : 9) && y[8 + i] == (i < 3 ? x[i] : 0));
  program_call(&p, "masked", (NoriaDesc[]){a, b, scalar_i64(-4)}, NULL);
  assert_true(y[0] == 9);
  program_call(&p, "masked", (NoriaDesc[]){a, b, scalar_i64((int64_t)1 << 40)}, NULL);
  assert_true(y[7] == 8 && y[15] == 8);
  int32_t at[] = {7, 2, 5, 100};
  memset(y, 0, sizeof y);
  program_call(&p, "gather", (NoriaDesc[]){a, tensor1(at, 4), b}, NULL);
  assert_true(y[0] == 8 && y[1] == 3 && y[2] == 6 && y[3] == -1 && y[8 + 7] == 8 && y[8 + 2] == 3 && y[8 + 5] == 6);
  uint8_t flags[8] = {1, 0, 0, 1, 1, 0, 1, 0}, inverse[8];
  program_call(&p, "flags", (NoriaDesc[]){tensor1(flags, 8), tensor1(inverse, 8)}, NULL);
  for (int i = 0; i < 8; i++) assert_int_equal(inverse[i], !flags[i]);
  memset(y, 0, sizeof y);
  NoriaDesc a2 = tensor2(x, 4, 6), b2 = tensor2(y, 4, 6);
  program_call(&p, "tile", (NoriaDesc[]){a2, b2, scalar_i64(1), scalar_i64(2)}, NULL);
  for (int i = 0; i < 24; i++) {
    bool inside = i / 6 >= 1 && i / 6 < 3 && i % 6 >= 2 && i % 6 < 5;
    assert_true(y[i] == (inside ? x[i] : 0));
  }
  program_call(&p, "column", (NoriaDesc[]){a2, tensor1(y, 4)}, NULL);
  for (int i = 0; i < 4; i++) assert_true(y[i] == x[i * 6 + 2]);
  memset(y, 0, sizeof y);
  program_call(&p, "transfer", (NoriaDesc[]){tensor1(x, 7), tensor1(y, 6), scalar_i64(5)}, NULL);
  assert_true(y[5] == 6 && y[6] == 0 && y[0] == 6 && y[1] == 7 && y[2] == 5 && y[3] == 5);
  program_call(&p, "transfer2", (NoriaDesc[]){a2, tensor2(y, 3, 4), scalar_i64(2), scalar_i64(4)}, NULL);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) assert_true(y[i * 4 + k] == (i < 2 && k < 2 ? x[(2 + i) * 6 + 4 + k] : 5));
  program_call(&p, "one", (NoriaDesc[]){a, tensor1(y, 4), scalar_i64(6)}, NULL);
  for (int i = 0; i < 4; i++) assert_true(y[i] == 7);
  uint8_t keep[] = {0, 1, 0, 1};
  program_call(&p, "packed", (NoriaDesc[]){a, b, tensor1(keep, 4)}, NULL);
  assert_true(y[0] == 2 && y[1] == 4 && y[4] == 1 && y[5] == 1 && y[6] == 3 && y[7] == 2);
  program_free(&p);
}

/* Functions of 8 floats in x to floats in y. */
typedef struct Case {
  const char *body; /* from %v, a vector<8xf32>, to %r of type `type` */
  const char *type;
  int count;
  float want[16];
} Case;

static const Case cases[] = {
    {"%r = vector.shuffle %v, %v [1, 8, 15, 0] : vector<8xf32>, vector<8xf32>", "vector<4xf32>", 4, {2, 1, 8, 1}},
    {"%r = vector.extract_strided_slice %v {offsets = [2], sizes = [3], strides = [1]} : vector<8xf32> to "
     "vector<3xf32>",
     "vector<3xf32>",
     3,
     {3, 4, 5}},
    {"%s = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<8xf32> to "
     "vector<2xf32>\n"
     "  %r = vector.insert_strided_slice %s, %v {offsets = [5], strides = [1]} : vector<2xf32> into vector<8xf32>",
     "vector<8xf32>",
     8,
     {1, 2, 3, 4, 5, 1, 2, 8}},
    {"%m = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>\n"
     "  %t = vector.transpose %m, [1, 0] : vector<2x4xf32> to vector<4x2xf32>\n"
     "  %r = vector.shape_cast %t : vector<4x2xf32> to vector<8xf32>",
     "vector<8xf32>",
     8,
     {1, 5, 2, 6, 3, 7, 4, 8}},
    {"%w = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7] : vector<8xf32>, vector<8xf32>\n"
     "  %m = vector.shape_cast %w : vector<16xf32> to vector<4x4xf32>\n"
     "  %t = vector.transpose %m, [1, 0] : vector<4x4xf32> to vector<4x4xf32>\n"
     "  %r = vector.shape_cast %t : vector<4x4xf32> to vector<16xf32>",
     "vector<16xf32>",
     16,
     {1, 5, 1, 5, 2, 6, 2, 6, 3, 7, 3, 7, 4, 8, 4, 8}},
    {"%e = vector.extract %v[%i] : f32 from vector<8xf32>\n  %r = vector.broadcast %e : f32 to vector<2x2xf32>",
     "vector<2x2xf32>",
     4,
     {3, 3, 3, 3}},
    {"%m = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>\n  %q = vector.extract %m[1] : vector<4xf32> from "
     "vector<2x4xf32>\n"
     "  %u = arith.mulf %q, %q : vector<4xf32>\n  %z = vector.insert %u, %m[0] : vector<4xf32> into vector<2x4xf32>\n"
     "  %r = arith.addf %z, %m : vector<2x4xf32>",
     "vector<2x4xf32>",
     8,
     {26, 38, 52, 68, 10, 12, 14, 16}},
    {"%e = arith.constant 0.5 : f32\n  %r = vector.insert %e, %v[%i] : f32 into vector<8xf32>",
     "vector<8xf32>",
     8,
     {1, 2, 0.5, 4, 5, 6, 7, 8}},
    {"%m = vector.shape_cast %v : vector<8xf32> to vector<4x2xf32>\n"
     "  %k = arith.constant 1 : index\n  %r = vector.extract %m[%i, %k] : f32 from vector<4x2xf32>",
     "f32",
     1,
     {6}},
    {"%s = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<8xf32> to "
     "vector<2xf32>\n"
     "  %c = vector.shape_cast %s : vector<2xf32> to vector<2x1xf32>\n"
     "  %r = vector.broadcast %c : vector<2x1xf32> to vector<2x4xf32>",
     "vector<2x4xf32>",
     8,
     {1, 1, 1, 1, 2, 2, 2, 2}},
    {"%r = vector.fma %v, %v, %v : vector<8xf32>", "vector<8xf32>", 8, {2, 6, 12, 20, 30, 42, 56, 72}},
    {"%r = vector.reduction <add>, %v : vector<8xf32> into f32", "f32", 1, {36}},
    {"%h = arith.constant 100.0 : f32\n  %r = vector.reduction <add>, %v, %h fastmath<reassoc> : vector<8xf32> into "
     "f32",
     "f32",
     1,
     {136}},
    {"%h = arith.constant 3.5 : f32\n  %r = vector.reduction <minimumf>, %v, %h : vector<8xf32> into f32",
     "f32",
     1,
     {1}},
    {"%r = vector.reduction <maxnumf>, %v : vector<8xf32> into f32", "f32", 1, {8}},
    {"%n = arith.fptosi %v : vector<8xf32> to vector<8xi32>\n  %s = vector.reduction <xor>, %n : vector<8xi32> into "
     "i32\n"
     "  %u = vector.reduction <mul>, %n, %s : vector<8xi32> into i32\n  %r = arith.sitofp %u : i32 to f32",
     "f32",
     1,
     {8 * 40320}},
    {"%b = arith.truncf %v : vector<8xf32> to vector<8xbf16>\n  %s = vector.reduction <add>, %b : vector<8xbf16> into "
     "bf16\n"
     "  %r = arith.extf %s : bf16 to f32",
     "f32",
     1,
     {36}},
    {"%a, %b = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>\n"
     "  %r = vector.interleave %b, %a : vector<4xf32> -> vector<8xf32>",
     "vector<8xf32>",
     8,
     {2, 1, 4, 3, 6, 5, 8, 7}},
    {"%i8 = vector.bitcast %v : vector<8xf32> to vector<8xi32>\n  %z = arith.constant dense<0x80000000> : "
     "vector<8xi32>\n"
     "  %n = arith.ori %i8, %z : vector<8xi32>\n  %r = vector.bitcast %n : vector<8xi32> to vector<8xf32>",
     "vector<8xf32>",
     8,
     {-1, -2, -3, -4, -5, -6, -7, -8}},
    {"%e:8 = vector.to_elements %v : vector<8xf32>\n  %r = vector.from_elements %e#7, %e#0, %e#3, %e#3 : "
     "vector<2x2xf32>",
     "vector<2x2xf32>",
     4,
     {8, 1, 4, 4}},
    {"%s = vector.step : vector<8xindex>\n  %t = arith.index_cast %s : vector<8xindex> to vector<8xi32>\n"
     "  %r = arith.sitofp %t : vector<8xi32> to vector<8xf32>",
     "vector<8xf32>",
     8,
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"%h = arith.constant dense<4.5> : vector<8xf32>\n  %c = arith.cmpf olt, %v, %h : vector<8xf32>\n"
     "  %r = arith.select %c, %v, %h : vector<8xi1>, vector<8xf32>",
     "vector<8xf32>",
     8,
     {1, 2, 3, 4, 4.5, 4.5, 4.5, 4.5}},
    {"%k = arith.constant 1 : index\n  %m = vector.create_mask %i, %k : vector<4x2xi1>\n"
     "  %w = vector.shape_cast %v : vector<8xf32> to vector<4x2xf32>\n  %z = arith.constant dense<0.0> : "
     "vector<4x2xf32>\n"
     "  %r = arith.select %m, %w, %z : vector<4x2xi1>, vector<4x2xf32>",
     "vector<4x2xf32>",
     8,
     {1, 0, 3, 0, 0, 0, 0, 0}},
    {"%r = math.sqrt %v : vector<8xf32>", "vector<8xf32>", 1, {1}},
    {"%z = arith.subf %v, %v : vector<8xf32>\n  %s = math.sin %z : vector<8xf32>\n  %c = math.cos %s : vector<8xf32>\n"
     "  %e = math.exp %s : vector<8xf32>\n  %l = math.log %e : vector<8xf32>\n  %a = math.acos %c : vector<8xf32>\n"
     "  %d = arith.addf %a, %l : vector<8xf32>\n  %r = arith.addf %d, %c : vector<8xf32>",
     "vector<8xf32>",
     8,
     {1, 1, 1, 1, 1, 1, 1, 1}},
};

static void registers(void **state) {
  NrBuf text = {0};
  for (size_t i = 0; i < NR_COUNTOF(cases); i++) {
    const Case *c = &cases[i];
    bool scalar = strcmp(c->type, "f32") == 0;
    nr_buf_printf(
        &text,
        "func.func @case%zu(%%x: memref<8xf32>, %%y: memref<16x16xf32>, %%i: index) {\n"
        "  %%zero = arith.constant 0 : index\n  %%v = vector.load %%x[%%zero] : memref<8xf32>, vector<8xf32>\n  %s\n",
        i, c->body);
    if (scalar) nr_buf_puts(&text, "  memref.store %r, %y[%zero, %zero] : memref<16x16xf32>\n");
    else nr_buf_printf(&text, "  vector.store %%r, %%y[%%zero, %%zero] : memref<16x16xf32>, %s\n", c->type);
    nr_buf_puts(&text, "  return\n}\n");
  }
  Program p;
  program_compile(&p, text.data);
  float x[] = {1, 2, 3, 4, 5, 6, 7, 8}, y[256];
  for (size_t i = 0; i < NR_COUNTOF(cases); i++) {
    const Case *c = &cases[i];
    char name[16];
    int rows = 1, columns = 1;
    if (strncmp(c->type, "vector", 6) == 0 && sscanf(c->type, "vector<%dx%dx", &rows, &columns) < 2) columns = rows;
    snprintf(name, sizeof name, "case%zu", i);
    assert_int_equal(program_call(&p, name, (NoriaDesc[]){tensor1(x, 8), tensor2(y, 16, 16), scalar_i64(2)}, NULL), 0);
    for (int k = 0; k < c->count; k++) {
      float got = y[k / columns * 16 + k % columns];
      if (got != c->want[k]) fail_msg("case %zu (%s): element %d is %g, not %g", i, c->body, k, got, c->want[k]);
    }
  }
  program_free(&p);
  nr_buf_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(registers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
