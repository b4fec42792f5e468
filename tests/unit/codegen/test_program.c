/* Programs with an entry: the tables that describe them, calls of the runtime, dispatches, polls; and what is refused.
 */
#include "codegen_test.h"

/* ---- the entry --------------------------------------------------------------------------------------------------- */

static const char entry_text[] =
    "module @adder {\n"
    "memref.global \"private\" constant @bias : memref<32xf32> = dense<0.5>\n"
    "func.func @main(%x: memref<?x4xf32>, %k: i64, %s: !onnx.seq<tensor<?xf32>>) -> (memref<?x4xf32>, "
    "!onnx.seq<tensor<?xf32>>) attributes {noria.entry,\n"
    "    noria.inputs = [{name = \"x\", dtype = 1 : i64, dims = array<i64: -1, 4>, dim_names = [\"N\", \"\"]},\n"
    "                    {name = \"k\", dtype = 7 : i64, dims = array<i64>},\n"
    "                    {name = \"s\", dtype = 1 : i64, kind = 1 : i64}],\n"
    "    noria.outputs = [{name = \"y\", dtype = 1 : i64, dims = array<i64: -1, 4>, dim_names = [\"N\", \"\"]},\n"
    "                     {name = \"t\", dtype = 1 : i64, kind = 1 : i64}]} {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c4 = arith.constant 4 : index\n"
    "  %n = memref.dim %x, %c0 : memref<?x4xf32>\n  %bias = memref.get_global @bias : memref<32xf32>\n"
    "  %y = memref.alloc(%n) : memref<?x4xf32>\n  %kf = arith.sitofp %k : i64 to f32\n"
    "  cf.br ^outer(%c0 : index)\n"
    "^outer(%i: index):\n  %more = arith.cmpi slt, %i, %n : index\n  cf.cond_br %more, ^inner(%c0 : index), ^exit\n"
    "^inner(%j: index):\n  %in = arith.cmpi slt, %j, %c4 : index\n  cf.cond_br %in, ^body, ^next\n"
    "^body:\n  %v = memref.load %x[%i, %j] : memref<?x4xf32>\n  %b = memref.load %bias[%j] : memref<32xf32>\n"
    "  %w = arith.addf %v, %b : f32\n  %u = arith.mulf %w, %kf : f32\n  memref.store %u, %y[%i, %j] : memref<?x4xf32>\n"
    "  %j1 = arith.addi %j, %c1 : index\n  cf.br ^inner(%j1 : index)\n"
    "^next:\n  %i1 = arith.addi %i, %c1 : index\n  cf.br ^outer(%i1 : index)\n"
    "^exit:\n  return %y, %s : memref<?x4xf32>, !onnx.seq<tensor<?xf32>>\n}\n}\n";

static void entry(void **state) {
  Program p;
  program_compile(&p, entry_text);
  const NoriaModule *m = nr_compiled_module(p.compiled);
  assert_int_equal(m->abi_version, NORIA_ABI_VERSION);
  assert_string_equal(m->name, "adder");
  assert_int_equal(m->num_inputs, 3);
  assert_int_equal(m->num_outputs, 2);
  assert_int_equal(m->num_constants, 1);
  assert_string_equal(m->inputs[0].name, "x");
  assert_int_equal(m->inputs[0].rank, 2);
  assert_int_equal(m->inputs[0].dims[0], -1);
  assert_int_equal(m->inputs[0].dims[1], 4);
  assert_string_equal(m->inputs[0].dim_names[0], "N");
  assert_null(m->inputs[0].dim_names[1]);
  assert_int_equal(m->inputs[1].dtype, NORIA_I64);
  assert_int_equal(m->inputs[1].rank, 0);
  assert_int_equal(m->inputs[2].kind, NORIA_KIND_SEQUENCE);
  assert_int_equal(m->inputs[2].rank, -1);
  assert_string_equal(m->outputs[1].name, "t");
  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int handle;
  NoriaDesc args[] = {tensor2(x, 2, 4), scalar_i64(3), {.data = &handle}}, out[2];
  assert_int_equal(m->entry(&p.run.exec, args, out), 0);
  assert_int_equal(out[0].rank, 2);
  assert_int_equal(out[0].dims[0], 2);
  for (int i = 0; i < 8; i++) assert_true(((float *)out[0].data)[i] == ((float)i + 0.5f) * 3);
  assert_ptr_equal(out[1].data, &handle);
  host_free(&p.run.exec, out[0].data);
  assert_int_equal(p.run.held, 0);
  program_free(&p);
}

/* ---- the runtime ------------------------------------------------------------------------------------------------- */

static int32_t import_reverse(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  int64_t n = args[0].dims[0];
  int32_t *to = host_alloc(exec, n * 4);
  for (int64_t i = 0; i < n; i++) to[i] = ((const int32_t *)args[0].data)[n - 1 - i];
  results[0] = (NoriaDesc){.data = to, .rank = 1, .dims = {n}};
  results[1] = scalar_f32((float)args[1].bits);
  return 0;
}

static int32_t import_refuse(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return host_fail(exec, 99, (int64_t)args[0].data, 0, 0, 0);
}

static void runtime_calls(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func @reverse(%x: memref<?xi32>, %i: index, %k: i8) -> (i32, index, f32) {\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %y, %f = rt.call \"reverse\"(%x, %k) : (memref<?xi32>, i8) -> (memref<?xi32>, f32)\n"
      "  %v = memref.load %y[%i] : memref<?xi32>\n  %n = memref.dim %y, %c0 : memref<?xi32>\n"
      "  memref.dealloc %y : memref<?xi32>\n  return %v, %n, %f : i32, index, f32\n}\n"
      "func.func @refuse(%s: !onnx.string) {\n  rt.call \"refuse\"(%s) : (!onnx.string) -> ()\n"
      "  rt.call \"reverse\"() : () -> ()\n  return\n}\n"
      "func.func @poll(%n: index) {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  %c10 = arith.constant 10 : index\n  cf.br ^head(%c0 : index)\n"
      "^head(%i: index):\n  %more = arith.cmpi slt, %i, %n : index\n  cf.cond_br %more, ^body, ^exit\n"
      "^body:\n  rt.poll %c10\n  %j = arith.addi %i, %c1 : index\n  cf.br ^head(%j : index)\n^exit:\n  return\n}\n"
      "func.func @message(%a: i8, %b: f32, %c: i1, %d: index) {\n  %no = arith.constant false\n"
      "  rt.check %no, \"values\" (%a, %b, %c, %d : i8, f32, i1, index)\n  return\n}\n");
  const NoriaImportFn imports[] = {import_reverse, import_refuse};
  p.run.exec.imports = imports;
  const NoriaModule *m = nr_compiled_module(p.compiled);
  assert_int_equal(m->num_imports, 2);
  assert_string_equal(m->imports[0], "reverse");
  assert_string_equal(m->imports[1], "refuse");
  int32_t x[] = {5, 6, 7};
  NoriaDesc out[3], args[] = {tensor1(x, 3), scalar_i64(2), scalar_bits(0xf0)};
  assert_int_equal(program_call(&p, "reverse", args, out), 0);
  assert_int_equal(out[0].bits, 5);
  assert_int_equal(out[1].bits, 3);
  assert_true(as_f32(out[2]) == 240.0f); /* zero-extended */
  assert_int_equal(p.run.held, 0);
  NoriaDesc string = {.data = &x};
  assert_int_equal(program_call(&p, "refuse", &string, NULL), 1);
  assert_int_equal(p.run.site, 99);
  assert_ptr_equal((void *)p.run.values[0], &x);
  args[0] = scalar_i64(7);
  assert_int_equal(program_call(&p, "poll", args, NULL), 0);
  assert_int_equal(p.run.polled, 70);
  p.run.stop_after = 100;
  assert_int_equal(program_call(&p, "poll", args, NULL), 1);
  assert_int_equal(p.run.polled, 100);
  NoriaDesc four[] = {scalar_bits(0x80), scalar_f32(-2.75f), scalar_bits(1), scalar_i64(-9)};
  assert_int_equal(program_call(&p, "message", four, NULL), 1);
  assert_int_equal(p.run.values[0], -128);
  assert_int_equal(p.run.values[1], -2);
  assert_int_equal(p.run.values[2], 1);
  assert_int_equal(p.run.values[3], -9);
  program_free(&p);
}

static void dispatches(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func private @kernel(%x: memref<?xf32> {noria.noalias, noria.readonly}, %y: memref<?xf32> {noria.noalias}, "
      "%k: f32, %w: index, %h: index, %d: index) {\n"
      "  %c8 = arith.constant 8 : index\n  %c1 = arith.constant 1 : index\n  %c0 = arith.constant 0 : index\n"
      "  %b0 = arith.muli %w, %c8 : index\n  %b1 = arith.addi %b0, %h : index\n  cf.br ^head(%c0 : index)\n"
      "^head(%i: index):\n  %more = arith.cmpi slt, %i, %c8 : index\n  cf.cond_br %more, ^body, ^exit\n"
      "^body:\n  %at = arith.addi %b1, %i : index\n  %v = memref.load %x[%at] : memref<?xf32>\n"
      "  %u = arith.mulf %v, %k : f32\n  memref.store %u, %y[%at] : memref<?xf32>\n  %j = arith.addi %i, %c1 : index\n"
      "  cf.br ^head(%j : index) {noria.loop = {vectorize = true, unroll = 2 : i64}}\n^exit:\n  return\n}\n"
      "func.func private @fails(%n: index, %w: index, %h: index, %d: index) {\n"
      "  %ok = arith.cmpi ne, %w, %n : index\n  rt.check %ok, \"workgroup %0\" (%w : index)\n  return\n}\n"
      "func.func @run(%x: memref<?xf32>, %y: memref<?xf32>, %k: f32, %n: index) {\n"
      "  rt.dispatch @kernel[%n](%x, %y, %k) : memref<?xf32>, memref<?xf32>, f32\n  return\n}\n"
      "func.func @once(%x: memref<?xf32>, %y: memref<?xf32>, %k: f32) {\n  %c1 = arith.constant 1 : index\n"
      "  rt.dispatch @kernel[%c1, %c1](%x, %y, %k) : memref<?xf32>, memref<?xf32>, f32\n  return\n}\n"
      "func.func @failing(%g: index, %n: index) {\n  rt.dispatch @fails[%g](%n) : index\n  return\n}\n");
  float x[32], y[32] = {0};
  for (int i = 0; i < 32; i++) x[i] = (float)i;
  NoriaDesc args[] = {tensor1(x, 32), tensor1(y, 32), scalar_f32(2), scalar_i64(4)};
  assert_int_equal(program_call(&p, "run", args, NULL), 0);
  for (int i = 0; i < 32; i++) assert_true(y[i] == 2 * x[i]);
  assert_int_equal(p.run.dispatches, 1);
  args[2] = scalar_f32(3);
  assert_int_equal(program_call(&p, "once", args, NULL), 0);
  for (int i = 0; i < 32; i++) assert_true(y[i] == (i < 8 ? 3 : 2) * x[i]);
  assert_int_equal(p.run.dispatches, 1); /* a grid of one is a call */
  NoriaDesc failing[] = {scalar_i64(6), scalar_i64(5)};
  assert_int_equal(program_call(&p, "failing", failing, NULL), 1);
  assert_int_equal(p.run.values[0], 5);
  failing[1] = scalar_i64(6);
  assert_int_equal(program_call(&p, "failing", failing, NULL), 0);
  program_free(&p);
}

/* Enough kernels for several units: each adds to one element of a global of its own choice, and to a shared one. */
static NrBuf text_of_units(void) {
  NrBuf text = {0};
  nr_buf_puts(&text, "memref.global @sum : memref<i64> = dense<1000>\n"
                     "memref.global constant @weights : memref<100xi64> = dense<3>\n");
  for (int k = 0; k < 24; k++) {
    nr_buf_printf(&text,
                  "func.func private @kernel%d(%%x: memref<?xi64>, %%w: index, %%h: index, %%d: index) {\n"
                  "  %%s = memref.get_global @sum : memref<i64>\n  %%t = memref.get_global @weights : memref<100xi64>\n"
                  "  %%k = arith.constant %d : index\n  %%v = memref.load %%x[%%k] : memref<?xi64>\n",
                  k, k);
    for (int i = 0; i < 12; i++)
      nr_buf_printf(&text, "  %%a%d = arith.constant %d : index\n  %%b%d = memref.load %%t[%%a%d] : memref<100xi64>\n",
                    i, i, i, i);
    nr_buf_puts(&text,
                "  %ok = arith.cmpi ne, %v, %b0 : i64\n  rt.check %ok, \"value is %0\" (%v : i64)\n"
                "  %old = memref.load %s[] : memref<i64>\n  %c0 = func.call @add(%old, %v) : (i64, i64) -> i64\n");
    for (int i = 0; i < 12; i++) nr_buf_printf(&text, "  %%c%d = arith.addi %%c%d, %%b%d : i64\n", i + 1, i, i);
    nr_buf_puts(&text, "  memref.store %c12, %s[] : memref<i64>\n  return\n}\n");
  }
  nr_buf_puts(
      &text, "func.func private @add(%a: i64, %b: i64) -> i64 {\n  %c = arith.addi %a, %b : i64\n  return %c : i64\n}\n"
             "func.func @main(%x: memref<?xi64>, %n: index) -> i64 {\n");
  for (int k = 0; k < 24; k++) nr_buf_printf(&text, "  rt.dispatch @kernel%d[%%n](%%x) : memref<?xi64>\n", k);
  nr_buf_puts(&text, "  %s = memref.get_global @sum : memref<i64>\n  %v = memref.load %s[] : memref<i64>\n"
                     "  return %v : i64\n}\n");
  return text;
}

static void units(void **state) {
  NrBuf text = text_of_units();
  for (int threads = 1; threads <= 4; threads += 3) {
    Program p = {0};
    program_parse(&p, text.data);
    NrCodegenOptions options = {.opt_level = 2, .all_functions = true, .threads = threads};
    assert_int_equal(program_finish(&p, &options), NR_OK);
    assert_int_equal(nr_compiled_module(p.compiled)->num_sites, 48); /* one text at 24 places, and the dispatches */
    assert_int_equal(nr_compiled_module(p.compiled)->num_constants, 1);
    int64_t x[24], want = 1000;
    for (int i = 0; i < 24; i++) x[i] = i * i + 4, want += 2 * (x[i] + 36);
    NoriaDesc args[] = {tensor1(x, 24), scalar_i64(2)}, out;
    assert_int_equal(program_call(&p, "main", args, &out), 0);
    assert_int_equal(out.bits, want);
    x[5] = 3;
    assert_int_equal(program_call(&p, "main", args, &out), 1);
    assert_int_equal(p.run.values[0], 3);
    program_free(&p);
  }
  nr_buf_deinit(&text);
}

/* Code of another level has the constants and variables of the first, in memory and where it is linked again. */
static void another_level(void **state) {
  NrBuf text = text_of_units();
  Program p = {0};
  program_parse(&p, text.data);
  assert_int_equal(program_finish(&p, &(NrCodegenOptions){.opt_level = 1, .threads = 4, .keep_source = true,
                                                          .all_functions = true}), NR_OK);
  int64_t x[24], each = 0;
  for (int i = 0; i < 24; i++) x[i] = i * i + 4, each += 2 * (x[i] + 36);
  NoriaDesc args[] = {tensor1(x, 24), scalar_i64(2)}, out;
  assert_int_equal(program_call(&p, "main", args, &out), 0);
  assert_int_equal(out.bits, 1000 + each);
  NrCompiled *first = p.compiled, *second, *linked;
  NrCodeSource *source = nr_code_source_copy(nr_compiled_source(first));
  assert_int_equal(source->num_variables, 1);
  nr_module_destroy(p.module);
  p.module = NULL;
  assert_int_equal(nr_codegen_again(p.ctx, source, &(NrCodegenOptions){.opt_level = 2, .threads = 1,
                                                                       .keep_objects = true}, &second), NR_OK);
  assert_ptr_equal(nr_compiled_module(second)->constants[0].data, nr_compiled_module(first)->constants[0].data);
  NrCodeParts parts = nr_compiled_parts(second);
  assert_int_equal(nr_codegen_link(p.ctx, &parts, &linked), NR_OK);
  p.compiled = second;
  assert_int_equal(program_call(&p, "main", args, &out), 0);
  assert_int_equal(out.bits, 1000 + 2 * each);
  p.compiled = first;
  assert_int_equal(program_call(&p, "main", args, &out), 0);
  assert_int_equal(out.bits, 1000 + 3 * each);
  p.compiled = linked; /* a program of its own, as from the cache */
  assert_int_equal(program_call(&p, "main", args, &out), 0);
  assert_int_equal(out.bits, 1000 + each);
  nr_compiled_destroy(linked);
  nr_compiled_destroy(second);
  p.compiled = first;
  nr_code_source_deinit(source);
  nr_free(source);
  program_free(&p);
  nr_buf_deinit(&text);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refused(void **state) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n", "tensor<4xf32>"},
      {"func.func @f(%a: tensor<*xf32>) {\n  return\n}\n", "tensor<*xf32>"},
      {"func.func private @g()\nfunc.func @f() {\n  func.call @g() : () -> ()\n  return\n}\n", "no body"},
      {"func.func @f(%a: index) {\n  scf.for %i = %a to %a step %a {\n  }\n  return\n}\n", "no machine code"},
      {"func.func @f() attributes {noria.entry, noria.outputs = []} {\n  return\n}\n"
       "func.func @g() attributes {noria.entry} {\n  return\n}\n",
       "second entry"},
      {"func.func @f(%a: i64) attributes {noria.entry, noria.inputs = [], noria.outputs = []} {\n  return\n}\n",
       "needs 1 entries in 'noria.inputs'"},
      {"func.func @f(%a: vector<4xf32>) attributes {noria.entry} {\n  return\n}\n", "cannot pass the boundary"},
      {"func.func @f() {\n  %a = memref.alloc() : memref<4xf32, strided<[?]>>\n"
       "  memref.dealloc %a : memref<4xf32, strided<[?]>>\n  return\n}\n",
       "offset or strides are not known"},
  };
  for (size_t i = 0; i < NR_COUNTOF(cases); i++) {
    Program p;
    assert_int_not_equal(program_try(&p, cases[i].text, 2), NR_OK);
    if (!p.messages.data || !strstr(p.messages.data, cases[i].message))
      fail_msg("case %zu says: %s", i, p.messages.data ? p.messages.data : "nothing");
    program_free(&p);
  }
}

static void levels(void **state) {
  for (int level = 0; level <= 3; level++) {
    Program p;
    assert_int_equal(program_try(&p, entry_text, level), NR_OK);
    float x[4] = {1, 2, 3, 4};
    NoriaDesc args[] = {tensor2(x, 1, 4), scalar_i64(2), {.data = x}}, out[2];
    assert_int_equal(nr_compiled_module(p.compiled)->entry(&p.run.exec, args, out), 0);
    assert_true(((float *)out[0].data)[3] == 9.0f);
    host_free(&p.run.exec, out[0].data);
    program_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entry),   cmocka_unit_test(runtime_calls), cmocka_unit_test(dispatches),
      cmocka_unit_test(refused), cmocka_unit_test(levels),  cmocka_unit_test(units),
      cmocka_unit_test(another_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
