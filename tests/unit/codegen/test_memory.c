/* Branches, calls, memrefs and views of compiled code, with results known by hand. */
#include "codegen_test.h"

static int64_t call_i64(Program *p, const char *name, const NoriaDesc *args) {
  NoriaDesc out;
  assert_int_equal(program_call(p, name, args, &out), 0);
  return (int64_t)out.bits;
}

/* ---- branches and calls ------------------------------------------------------------------------------------------ */

static void branches(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func @gcd(%a: i64, %b: i64) -> i64 {\n"
      "  %zero = arith.constant 0 : i64\n  cf.br ^head(%a, %b : i64, i64)\n"
      "^head(%x: i64, %y: i64):\n  %done = arith.cmpi eq, %y, %zero : i64\n  cf.cond_br %done, ^exit, ^body\n"
      "^body:\n  %r = arith.remsi %x, %y : i64\n  cf.br ^head(%y, %r : i64, i64)\n"
      "^exit:\n  return %x : i64\n}\n"
      /* Both arms go to one block with other values; the arguments swap on the way round. */
      "func.func @same_block(%c: i1, %a: i64, %b: i64) -> i64 {\n"
      "  cf.cond_br %c, ^join(%a : i64), ^join(%b : i64)\n^join(%x: i64):\n  return %x : i64\n}\n"
      "func.func @swap(%n: i64, %a: i64, %b: i64) -> (i64, i64) {\n"
      "  %zero = arith.constant 0 : i64\n  %one = arith.constant 1 : i64\n  cf.br ^head(%n, %a, %b : i64, i64, i64)\n"
      "^head(%i: i64, %x: i64, %y: i64):\n  %more = arith.cmpi sgt, %i, %zero : i64\n"
      "  cf.cond_br %more, ^body, ^exit(%x, %y : i64, i64)\n"
      "^body:\n  %j = arith.subi %i, %one : i64\n  cf.br ^head(%j, %y, %x : i64, i64, i64)\n"
      "^exit(%p: i64, %q: i64):\n  return %p, %q : i64, i64\n}\n"
      "func.func @pick(%s: i32) -> i64 {\n"
      "  %a = arith.constant 10 : i64\n  %b = arith.constant 20 : i64\n  %d = arith.constant -1 : i64\n"
      "  cf.switch %s : i32, [\n    default: ^out(%d : i64),\n    3: ^out(%a : i64),\n    -7: ^out(%b : i64)\n  ]\n"
      "^out(%x: i64):\n  return %x : i64\n}\n"
      /* A block that stands before the one that dominates it, and one that nothing reaches. */
      "func.func @order(%a: i64) -> i64 {\n  cf.br ^second\n^third:\n  return %x : i64\n"
      "^dead:\n  cf.br ^third\n^second:\n  %x = arith.addi %a, %a : i64\n  cf.br ^third\n}\n"
      "func.func private @divide(%a: i64, %b: i64) -> (i64, i64) {\n"
      "  %zero = arith.constant 0 : i64\n  %ok = arith.cmpi ne, %b, %zero : i64\n"
      "  rt.check %ok, \"cannot divide %0 by %1\" (%a, %b : i64, i64) {node = \"Div_3\"}\n"
      "  %q = arith.divsi %a, %b : i64\n  %r = arith.remsi %a, %b : i64\n  return %q, %r : i64, i64\n}\n"
      "func.func @calls(%a: i64, %b: i64) -> i64 {\n"
      "  %0:2 = func.call @divide(%a, %b) : (i64, i64) -> (i64, i64)\n"
      "  %1 = arith.muli %0#0, %b : i64\n  %2 = arith.addi %1, %0#1 : i64\n  return %2 : i64\n}\n"
      "func.func @recursive(%n: i64) -> i64 {\n"
      "  %one = arith.constant 1 : i64\n  %stop = arith.cmpi sle, %n, %one : i64\n"
      "  cf.cond_br %stop, ^end(%one : i64), ^more\n"
      "^more:\n  %m = arith.subi %n, %one : i64\n  %r = func.call @recursive(%m) : (i64) -> i64\n"
      "  %p = arith.muli %r, %n : i64\n  cf.br ^end(%p : i64)\n^end(%x: i64):\n  return %x : i64\n}\n");
  assert_int_equal(call_i64(&p, "gcd", (NoriaDesc[]){scalar_i64(48), scalar_i64(180)}), 12);
  assert_int_equal(call_i64(&p, "same_block", (NoriaDesc[]){scalar_i64(1), scalar_i64(4), scalar_i64(5)}), 4);
  assert_int_equal(call_i64(&p, "same_block", (NoriaDesc[]){scalar_i64(0), scalar_i64(4), scalar_i64(5)}), 5);
  NoriaDesc two[2];
  program_call(&p, "swap", (NoriaDesc[]){scalar_i64(3), scalar_i64(4), scalar_i64(5)}, two);
  assert_int_equal(two[0].bits, 5);
  assert_int_equal(two[1].bits, 4);
  assert_int_equal(call_i64(&p, "pick", (NoriaDesc[]){scalar_i64(3)}), 10);
  assert_int_equal(call_i64(&p, "pick", (NoriaDesc[]){scalar_i64(-7)}), 20);
  assert_int_equal(call_i64(&p, "pick", (NoriaDesc[]){scalar_i64(0)}), -1);
  assert_int_equal(call_i64(&p, "order", (NoriaDesc[]){scalar_i64(21)}), 42);
  assert_int_equal(call_i64(&p, "recursive", (NoriaDesc[]){scalar_i64(10)}), 3628800);
  assert_int_equal(call_i64(&p, "calls", (NoriaDesc[]){scalar_i64(17), scalar_i64(5)}), 17);
  assert_null(nr_codegen_function(p.compiled, "divide")); /* private */
  assert_int_equal(program_call(&p, "calls", (NoriaDesc[]){scalar_i64(17), scalar_i64(0)}, two), 1);
  assert_int_equal(p.run.site, 0);
  assert_int_equal(p.run.values[0], 17);
  const NoriaModule *m = nr_compiled_module(p.compiled);
  assert_int_equal(m->num_sites, 1);
  assert_string_equal(m->sites[0].place, "node 'Div_3'");
  assert_string_equal(m->sites[0].text, "cannot divide %0 by %1");
  assert_null(m->entry);
  program_free(&p);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static void buffers(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func @square(%x: memref<?xf32>) -> memref<?xf32> {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %n = memref.dim %x, %c0 : memref<?xf32>\n"
      "  %y = memref.alloc(%n) : memref<?xf32>\n  cf.br ^head(%c0 : index)\n"
      "^head(%i: index):\n  %more = arith.cmpi slt, %i, %n : index\n  cf.cond_br %more, ^body, ^exit\n"
      "^body:\n  %v = memref.load %x[%i] : memref<?xf32>\n  %w = arith.mulf %v, %v : f32\n"
      "  memref.store %w, %y[%i] : memref<?xf32>\n  %j = arith.addi %i, %c1 : index\n  cf.br ^head(%j : index)\n"
      "^exit:\n  return %y : memref<?xf32>\n}\n"
      /* A buffer carried and grown through a loop. */
      "func.func @grow(%n: index) -> (memref<?xi64>, index) {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
      "  %first = memref.alloc(%c1) : memref<?xi64>\n  cf.br ^head(%c0, %first : index, memref<?xi64>)\n"
      "^head(%i: index, %b: memref<?xi64>):\n  %more = arith.cmpi slt, %i, %n : index\n  cf.cond_br %more, ^body, "
      "^exit\n"
      "^body:\n  %room = memref.dim %b, %c0 : memref<?xi64>\n  %full = arith.cmpi eq, %i, %room : index\n"
      "  cf.cond_br %full, ^grow, ^put(%b : memref<?xi64>)\n"
      "^grow:\n  %size = arith.muli %room, %c2 : index\n"
      "  %bigger = memref.realloc %b(%size) : memref<?xi64> to memref<?xi64>\n  cf.br ^put(%bigger : memref<?xi64>)\n"
      "^put(%d: memref<?xi64>):\n  %v = arith.index_cast %i : index to i64\n  memref.store %v, %d[%i] : memref<?xi64>\n"
      "  %j = arith.addi %i, %c1 : index\n  cf.br ^head(%j, %d : index, memref<?xi64>)\n"
      "^exit:\n  %size_now = memref.dim %b, %c0 : memref<?xi64>\n  return %b, %size_now : memref<?xi64>, index\n}\n"
      "func.func @frame(%a: i64, %k: index) -> i64 {\n"
      "  %c0 = arith.constant 0 : index\n  %b = memref.alloca() : memref<4xi64>\n  %flag = memref.alloca() : "
      "memref<i1>\n"
      "  %t = arith.cmpi sgt, %a, %a : i64\n  memref.store %t, %flag[] : memref<i1>\n"
      "  memref.store %a, %b[%k] : memref<4xi64>\n  %f = memref.load %flag[] : memref<i1>\n"
      "  %v = memref.load %b[%k] : memref<4xi64>\n  %w = arith.extui %f : i1 to i64\n  %s = arith.addi %v, %w : i64\n"
      "  return %s : i64\n}\n"
      "func.func @too_large(%n: index) {\n  %b = memref.alloc(%n, %n) : memref<?x?xf32>\n"
      "  memref.dealloc %b : memref<?x?xf32>\n  return\n}\n"
      "func.func @freed() {\n  %b = memref.alloc() {alignment = 256} : memref<100xi8>\n  memref.dealloc %b : "
      "memref<100xi8>\n"
      "  return\n}\n");
  float x[] = {1, -2, 3.5f};
  NoriaDesc arg = tensor1(x, 3), out[2];
  assert_int_equal(program_call(&p, "square", &arg, out), 0);
  assert_int_equal(out[0].rank, 1);
  assert_int_equal(out[0].dims[0], 3);
  assert_true(((float *)out[0].data)[2] == 12.25f);
  host_free(&p.run.exec, out[0].data);
  arg = tensor1(NULL, 0);
  assert_int_equal(program_call(&p, "square", &arg, out), 0);
  assert_int_equal(out[0].dims[0], 0);
  host_free(&p.run.exec, out[0].data);
  arg = scalar_i64(100);
  assert_int_equal(program_call(&p, "grow", &arg, out), 0);
  assert_int_equal(out[1].bits, 128);
  for (int64_t i = 0; i < 100; i++) assert_int_equal(((int64_t *)out[0].data)[i], i);
  host_free(&p.run.exec, out[0].data);
  assert_int_equal(call_i64(&p, "frame", (NoriaDesc[]){scalar_i64(-5), scalar_i64(3)}), -5);
  assert_int_equal(program_call(&p, "freed", NULL, NULL), 0);
  assert_int_equal(p.run.held, 0);
  arg = scalar_i64((int64_t)1 << 40);
  assert_int_equal(program_call(&p, "too_large", &arg, NULL), 1);
  arg = scalar_i64(-1);
  assert_int_equal(program_call(&p, "too_large", &arg, NULL), 1); /* not the 4 bytes that -1 times -1 would be */
  program_free(&p);
}

/* ---- views ------------------------------------------------------------------------------------------------------- */

static void views(void **state) {
  Program p;
  program_compile(
      &p,
      "func.func @sub(%m: memref<4x6xi64>, %o: index) -> i64 {\n"
      "  %c1 = arith.constant 1 : index\n"
      "  %v = memref.subview %m[%o, 1][2, 2][1, 3] : memref<4x6xi64> to memref<2x2xi64, strided<[6, 3], offset: ?>>\n"
      "  %x = memref.load %v[%c1, %c1] : memref<2x2xi64, strided<[6, 3], offset: ?>>\n  return %x : i64\n}\n"
      "func.func @row(%m: memref<4x6xi64>, %o: index, %k: index) -> i64 {\n"
      "  %v = memref.subview %m[%o, 0][1, 6][1, 1] : memref<4x6xi64> to memref<6xi64, strided<[1], offset: ?>>\n"
      "  %x = memref.load %v[%k] : memref<6xi64, strided<[1], offset: ?>>\n  return %x : i64\n}\n"
      "func.func @column(%m: memref<?x?xi64>, %o: index, %k: index) -> (i64, index) {\n"
      "  %c0 = arith.constant 0 : index\n  %n = memref.dim %m, %c0 : memref<?x?xi64>\n"
      "  %v = memref.subview %m[0, %o][%n, 1][1, 1] : memref<?x?xi64> to memref<?xi64, strided<[?], offset: ?>>\n"
      "  %x = memref.load %v[%k] : memref<?xi64, strided<[?], offset: ?>>\n"
      "  %s = memref.dim %v, %c0 : memref<?xi64, strided<[?], offset: ?>>\n  return %x, %s : i64, index\n}\n"
      "func.func @shapes(%m: memref<4x6xi64>, %a: index, %b: index, %c: index) -> (i64, i64) {\n"
      "  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 2, 6] : memref<4x6xi64> into memref<2x2x6xi64>\n"
      "  %x = memref.load %e[%a, %b, %c] : memref<2x2x6xi64>\n"
      "  %f = memref.collapse_shape %m [[0, 1]] : memref<4x6xi64> into memref<24xi64>\n"
      "  %y = memref.load %f[%c] : memref<24xi64>\n  return %x, %y : i64, i64\n}\n"
      "func.func @cast(%m: memref<4x6xi64>, %i: index) -> (i64, i64) {\n"
      "  %d = memref.cast %m : memref<4x6xi64> to memref<?x?xi64, strided<[?, ?], offset: ?>>\n"
      "  %x = memref.load %d[%i, %i] : memref<?x?xi64, strided<[?, ?], offset: ?>>\n"
      "  %t = memref.transpose %m (i, j) -> (j, i) : memref<4x6xi64> to memref<6x4xi64, strided<[1, 6]>>\n"
      "  %c5 = arith.constant 5 : index\n  %y = memref.load %t[%c5, %i] : memref<6x4xi64, strided<[1, 6]>>\n"
      "  return %x, %y : i64, i64\n}\n"
      "func.func @bytes(%m: memref<192xi8>, %s: index, %n: index, %i: index) -> i64 {\n"
      "  %v = memref.view %m[%s][%n] : memref<192xi8> to memref<?x6xi64>\n"
      "  %x = memref.load %v[%i, %i] : memref<?x6xi64>\n  return %x : i64\n}\n"
      "func.func @reinterpret(%m: memref<4x6xi64>, %o: index, %s: index, %i: index) -> i64 {\n"
      "  %v = memref.reinterpret_cast %m to offset: [%o], sizes: [3], strides: [%s] : memref<4x6xi64> to "
      "memref<3xi64, strided<[?], offset: ?>>\n"
      "  %x = memref.load %v[%i] : memref<3xi64, strided<[?], offset: ?>>\n  return %x : i64\n}\n"
      "func.func @metadata(%m: memref<4x6xi64>, %o: index) -> (index, index, index, index, index) {\n"
      "  %v = memref.subview %m[%o, 1][2, 2][1, 3] : memref<4x6xi64> to memref<2x2xi64, strided<[6, 3], offset: ?>>\n"
      "  %b, %off, %s:2, %t:2 = memref.extract_strided_metadata %v : memref<2x2xi64, strided<[6, 3], offset: ?>> -> "
      "memref<i64>, index, index, index, index, index\n"
      "  return %off, %s#0, %s#1, %t#0, %t#1 : index, index, index, index, index\n}\n"
      "func.func @copy(%m: memref<4x6xi64>, %o: index) -> memref<3x4xi64> {\n"
      "  %r = memref.alloc() : memref<3x4xi64>\n"
      "  %v = memref.subview %m[1, %o][3, 4][1, 1] : memref<4x6xi64> to memref<3x4xi64, strided<[6, 1], offset: ?>>\n"
      "  memref.copy %v, %r : memref<3x4xi64, strided<[6, 1], offset: ?>> to memref<3x4xi64>\n"
      "  return %r : memref<3x4xi64>\n}\n"
      "func.func @transposed_copy(%m: memref<4x6xi64>) -> memref<6x4xi64> {\n"
      "  %r = memref.alloc() : memref<6x4xi64>\n"
      "  %t = memref.transpose %m (i, j) -> (j, i) : memref<4x6xi64> to memref<6x4xi64, strided<[1, 6]>>\n"
      "  memref.copy %t, %r : memref<6x4xi64, strided<[1, 6]>> to memref<6x4xi64>\n  return %r : memref<6x4xi64>\n}\n"
      "func.func @transposed_clone(%m: memref<4x6xi64>) -> memref<6x4xi64> {\n"
      "  %t = memref.transpose %m (i, j) -> (j, i) : memref<4x6xi64> to memref<6x4xi64, strided<[1, 6]>>\n"
      "  %r = bufferization.clone %t : memref<6x4xi64, strided<[1, 6]>> to memref<6x4xi64>\n"
      "  return %r : memref<6x4xi64>\n}\n"
      "func.func @choose(%c: i1, %m: memref<4x6xi64>, %i: index) -> i64 {\n"
      "  %a = memref.subview %m[0, 0][1, 6][1, 1] : memref<4x6xi64> to memref<6xi64, strided<[1], offset: 0>>\n"
      "  %b = memref.subview %m[2, 0][1, 6][1, 1] : memref<4x6xi64> to memref<6xi64, strided<[1], offset: 12>>\n"
      "  %x = memref.cast %a : memref<6xi64, strided<[1], offset: 0>> to memref<6xi64, strided<[1], offset: ?>>\n"
      "  %y = memref.cast %b : memref<6xi64, strided<[1], offset: 12>> to memref<6xi64, strided<[1], offset: ?>>\n"
      "  %s = arith.select %c, %x, %y : memref<6xi64, strided<[1], offset: ?>>\n"
      "  %v = memref.load %s[%i] : memref<6xi64, strided<[1], offset: ?>>\n  return %v : i64\n}\n");
  int64_t data[24];
  for (int64_t i = 0; i < 24; i++) data[i] = 100 + i;
  NoriaDesc m = tensor2(data, 4, 6), out[5];
  assert_int_equal(call_i64(&p, "sub", (NoriaDesc[]){m, scalar_i64(2)}), 100 + 3 * 6 + 4);
  assert_int_equal(call_i64(&p, "row", (NoriaDesc[]){m, scalar_i64(2), scalar_i64(5)}), 117);
  program_call(&p, "column", (NoriaDesc[]){m, scalar_i64(2), scalar_i64(3)}, out);
  assert_int_equal(out[0].bits, 120);
  assert_int_equal(out[1].bits, 4);
  program_call(&p, "shapes", (NoriaDesc[]){m, scalar_i64(1), scalar_i64(0), scalar_i64(5)}, out);
  assert_int_equal(out[0].bits, 117);
  assert_int_equal(out[1].bits, 105);
  program_call(&p, "cast", (NoriaDesc[]){m, scalar_i64(2)}, out);
  assert_int_equal(out[0].bits, 114);
  assert_int_equal(out[1].bits, 117);
  NoriaDesc bytes = tensor1(data, 192);
  assert_int_equal(call_i64(&p, "bytes", (NoriaDesc[]){bytes, scalar_i64(16), scalar_i64(3), scalar_i64(1)}), 109);
  assert_int_equal(call_i64(&p, "reinterpret", (NoriaDesc[]){m, scalar_i64(20), scalar_i64(-7), scalar_i64(2)}), 106);
  program_call(&p, "metadata", (NoriaDesc[]){m, scalar_i64(1)}, out);
  const int64_t want[] = {7, 2, 2, 6, 3};
  for (int i = 0; i < 5; i++) assert_int_equal(out[i].bits, want[i]);
  program_call(&p, "copy", (NoriaDesc[]){m, scalar_i64(1)}, out);
  for (int i = 0; i < 12; i++) assert_int_equal(((int64_t *)out[0].data)[i], data[(1 + i / 4) * 6 + 1 + i % 4]);
  host_free(&p.run.exec, out[0].data);
  static const char *const transposed[] = {"transposed_copy", "transposed_clone"};
  for (int k = 0; k < 2; k++) {
    program_call(&p, transposed[k], &m, out);
    assert_int_equal(out[0].dims[0], 6);
    for (int i = 0; i < 24; i++) assert_int_equal(((int64_t *)out[0].data)[i], data[i % 4 * 6 + i / 4]);
    host_free(&p.run.exec, out[0].data);
  }
  assert_int_equal(call_i64(&p, "choose", (NoriaDesc[]){scalar_i64(1), m, scalar_i64(3)}), 103);
  assert_int_equal(call_i64(&p, "choose", (NoriaDesc[]){scalar_i64(0), m, scalar_i64(3)}), 115);
  assert_int_equal(p.run.held, 0);
  program_free(&p);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void elements(void **state) {
  Program p;
  program_compile(
      &p, "func.func @store(%b: memref<3xi1>, %n: memref<3xi4>, %w: memref<2xi24>, %h: memref<2xbf16>, %i: index) {\n"
          "  %t = arith.constant true\n  %x = arith.constant -3 : i4\n  %y = arith.constant 77777 : i24\n"
          "  %z = arith.constant 1.5 : bf16\n  memref.store %t, %b[%i] : memref<3xi1>\n  memref.store %x, %n[%i] : "
          "memref<3xi4>\n"
          "  memref.store %y, %w[%i] : memref<2xi24>\n  memref.store %z, %h[%i] : memref<2xbf16>\n  return\n}\n"
          "func.func @load(%b: memref<3xi1>, %n: memref<3xi4>, %w: memref<2xi24>, %h: memref<2xbf16>, %i: index) -> "
          "(i1, i4, i24, bf16) {\n"
          "  %0 = memref.load %b[%i] : memref<3xi1>\n  %1 = memref.load %n[%i] : memref<3xi4>\n"
          "  %2 = memref.load %w[%i] : memref<2xi24>\n  %3 = memref.load %h[%i] : memref<2xbf16>\n"
          "  return %0, %1, %2, %3 : i1, i4, i24, bf16\n}\n");
  uint8_t b[3] = {0}, n[3] = {0};
  uint32_t w[2] = {0};
  uint16_t h[2] = {0};
  NoriaDesc args[] = {tensor1(b, 3), tensor1(n, 3), tensor1(w, 2), tensor1(h, 2), scalar_i64(1)}, out[4];
  assert_int_equal(program_call(&p, "store", args, NULL), 0);
  assert_int_equal(b[1], 1);
  assert_int_equal(n[1], 0xfd); /* sign-extended, as the interpreter has it */
  assert_int_equal(w[1], 77777);
  assert_int_equal(h[1], 0x3fc0);
  assert_int_equal(b[0] | b[2] | n[0] | n[2] | w[0] | h[0], 0);
  n[1] = 0xfd;
  program_call(&p, "load", args, out);
  assert_int_equal(out[0].bits, 1);
  assert_int_equal(out[1].bits, 13);
  assert_int_equal(out[2].bits, 77777);
  assert_int_equal(out[3].bits, 0x3fc0);
  program_free(&p);
}

static void globals(void **state) {
  Program p;
  program_compile(
      &p,
      "memref.global \"private\" constant @small : memref<3xf32> = dense<[1.0, 2.5, -4.0]>\n"
      "memref.global \"private\" constant @large : memref<100xi64> = dense<7>\n"
      "memref.global \"private\" constant @again : memref<100xi64> = dense<7>\n"
      "memref.global \"private\" @counter : memref<i64> = dense<40>\n"
      "func.func @read(%i: index) -> (f32, i64, i64) {\n"
      "  %s = memref.get_global @small : memref<3xf32>\n  %l = memref.get_global @large : memref<100xi64>\n"
      "  %a = memref.get_global @again : memref<100xi64>\n  %x = memref.load %s[%i] : memref<3xf32>\n"
      "  %y = memref.load %l[%i] : memref<100xi64>\n  %z = memref.load %a[%i] : memref<100xi64>\n"
      "  return %x, %y, %z : f32, i64, i64\n}\n"
      "func.func @count() -> i64 {\n  %one = arith.constant 1 : i64\n  %c = memref.get_global @counter : memref<i64>\n"
      "  %v = memref.load %c[] : memref<i64>\n  %w = arith.addi %v, %one : i64\n  memref.store %w, %c[] : memref<i64>\n"
      "  return %w : i64\n}\n");
  const NoriaModule *m = nr_compiled_module(p.compiled);
  assert_int_equal(m->num_constants, 1); /* equal values are one constant; the small one is in the code */
  assert_int_equal(m->constants[0].size, 800);
  assert_int_equal((uintptr_t)m->constants[0].data % 64, 0);
  NoriaDesc out[3], arg = scalar_i64(2);
  program_call(&p, "read", &arg, out);
  assert_true(as_f32(out[0]) == -4.0f);
  assert_int_equal(out[1].bits, 7);
  assert_int_equal(out[2].bits, 7);
  assert_int_equal(call_i64(&p, "count", NULL), 41);
  assert_int_equal(call_i64(&p, "count", NULL), 42);
  program_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches), cmocka_unit_test(buffers), cmocka_unit_test(views),
      cmocka_unit_test(elements), cmocka_unit_test(globals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
