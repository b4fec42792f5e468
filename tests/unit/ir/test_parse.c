/* test_parse.c - the parser: spellings of types and attributes, what modules keep of their text, limits, and any cut of
 * a program. What whole files give, right and wrong, is tested in tests/ir/parse_*.mlir. */
#include "../test.h"

#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The messages of a context, one on each line. */
typedef struct Log {
  NrContext *ctx;
  NrBuf text;
} Log;

static void note_message(void *user, const NrDiag *diag) {
  Log *log = user;
  if (diag->loc->kind == NR_LOC_FILE) nr_buf_printf(&log->text, "%u:%u: ", diag->loc->line, diag->loc->column);
  nr_buf_str(&log->text, diag->message);
  nr_buf_putc(&log->text, '\n');
}

static void begin(Log *log) {
  *log = (Log){.ctx = nr_context_create()};
  nr_context_set_diag_handler(log->ctx, note_message, log);
}

static void end(Log *log) {
  nr_context_destroy(log->ctx);
  nr_buf_deinit(&log->text);
}

static const char *messages(Log *log) {
  nr_diag_flush(log->ctx);
  return log->text.data ? log->text.data : "";
}

static NrModule *parse(Log *log, const char *text) {
  return nr_parse_module(log->ctx, nr_str(text), NR_STR("t.mlir"), &(NrParseOptions){.allow_unregistered = true}, NULL);
}

/* ---- types and attributes ---------------------------------------------------------------------------------------- */

/* Each spelling with the one that is printed; NULL: the same. */
typedef struct Pair {
  const char *text, *printed;
} Pair;

static const Pair types[] = {
    {"i1", NULL},
    {"si8", NULL},
    {"ui16", NULL},
    {"i16777215", NULL},
    {"f8E4M3FN", NULL},
    {"tuple<>", NULL},
    {"complex<f32>", NULL},
    {"() -> ()", NULL},
    {"(i32) -> (i32)", "(i32) -> i32"},
    {"(i32, f32) -> (() -> i1)", "(i32, f32) -> (() -> i1)"},
    {"vector<4 x [8] x f32>", "vector<4x[8]xf32>"},
    {"vector<f32>", NULL},
    {"tensor<*xf32>", NULL},
    {"tensor<0x4x?xf32>", NULL},
    {"tensor<0xf32>", NULL},
    {"tensor<4xf32, \"csr\">", NULL},
    {"memref<4x4xf32, affine_map<(i, j) -> (i, j)>>", "memref<4x4xf32>"},
    {"memref<4x4xf32, (i, j) -> (j, i)>", "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>"},
    {"memref<4x4xf32, (i, j) -> (j, i), (i, j) -> (i + 1, j * 2), 3>",
     "memref<4x4xf32, affine_map<(d0, d1) -> (d1 + 1, d0 * 2)>, 3>"},
    {"memref<?x?xf32, offset: ?, strides: [?, 1]>", "memref<?x?xf32, strided<[?, 1], offset: ?>>"},
    {"memref<?xf32, strided<[?]>, 1 : i8>", NULL},
    {"memref<*xf32, 1>", NULL},
    {"!onnx.seq<tensor<?xf32>>", NULL},
    {"!onnx.optional<!onnx.seq<tensor<f32>>>", NULL},
    {"tensor<2x!onnx.string>", NULL},
    {"!flow.channel", NULL},
    {"!flow.dispatch.tensor<readonly:tensor<4xf32>>", NULL},
    {"!flow.dispatch.tensor<writeonly:4x?xf32>", "!flow.dispatch.tensor<writeonly:tensor<4x?xf32>>"},
    {"!d.t<a -> b, [\">\"], {x}>", NULL},
    {"!d<\"text\">", NULL},
};

static const Pair attrs[] = {
    {"1", "1 : i64"},
    {"-0x10 : i8", "-16 : i8"},
    {"255 : i8", "-1 : i8"},
    {"170141183460469231731687303715884105727 : i128", NULL},
    {"-170141183460469231731687303715884105728 : i128", NULL},
    {"0xFFFFFFFFFFFFFFFFFFFF : i80", "-1 : i80"},
    {"1. : f32", "1.000000e+00 : f32"},
    {"0x7F800000 : f32", NULL},
    {"1.5e3", "1.500000e+03 : f64"},
    {"true", NULL},
    {"0 : i1", "false"},
    {"\"a\\22\\n\"", "\"a\\22\\0A\""},
    {"[]", NULL},
    {"[1 : i8, [\"x\"], {a, b = unit}]", "[1 : i8, [\"x\"], {a, b}]"},
    {"{}", NULL},
    {"@a::@\"b c\"", NULL},
    {"(d0) -> (d0)", "affine_map<(d0) -> (d0)>"},
    {"() -> (3)", "affine_map<() -> (3)>"},
    {"(i)[n] : (i - n >= 0, i == 4)", "affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 - 4 == 0)>"},
    {"affine_map<(a, b) -> (a mod 2 + b floordiv 3 - 4 * a)>",
     "affine_map<(d0, d1) -> (d0 mod 2 + d1 floordiv 3 - d0 * 4)>"},
    {"() -> (i32)", "() -> i32"},
    {"dense<[[1, 1], [1, 1]]> : tensor<2x2xi8>", "dense<1> : tensor<2x2xi8>"},
    {"dense<\"0x0000803F\"> : tensor<5xf32>", "dense<1.000000e+00> : tensor<5xf32>"},
    {"dense<\"0x05\"> : tensor<4xi1>", "dense<[true, false, true, false]> : tensor<4xi1>"},
    {"dense<[]> : tensor<0x3xf32>", "dense<> : tensor<0x3xf32>"},
    {"dense<(1, -2)> : tensor<2xcomplex<i8>>", "dense<(1,-2)> : tensor<2xcomplex<i8>>"},
    {"dense<[\"a\", \"b\"]> : tensor<2x!onnx.string>", NULL},
    {"sparse<[1, 2], 3> : tensor<2x3xi32>", "sparse<[[1, 2]], 3> : tensor<2x3xi32>"},
    {"array<i8>", NULL},
    {"array<i16: -1, 2>", NULL},
    {"array<i1: true, false>", NULL},
    {"strided<[?, 1], offset: 4>", NULL},
    {"distinct[7]<\"x\">", "distinct[0]<\"x\">"},
    {"loc(fused<\"m\">[\"a\", callsite(unknown at \"f\":1:2)])", NULL},
    {"#d.x<1, [2, \">\"]>", NULL},
    {"#d.x : i32", NULL},
};

static void check_pairs(const Pair *pairs, size_t count, bool are_types) {
  for (size_t i = 0; i < count; i++) {
    Log log;
    begin(&log);
    NrBuf out = {0};
    if (are_types) {
      NrType type = nr_parse_type(log.ctx, nr_str(pairs[i].text));
      if (type) nr_print_type(&out, type);
    } else {
      NrAttr attr = nr_parse_attr(log.ctx, nr_str(pairs[i].text));
      if (attr) nr_print_attr(&out, attr);
    }
    assert_string_equal(messages(&log), "");
    assert_string_equal(out.data, pairs[i].printed ? pairs[i].printed : pairs[i].text);
    nr_buf_deinit(&out);
    end(&log);
  }
}

static void test_types(void **state) { check_pairs(types, NR_COUNTOF(types), true); }
static void test_attrs(void **state) { check_pairs(attrs, NR_COUNTOF(attrs), false); }

/* Wrong attributes, with a part of the message. */
static const Pair wrong[] = {
    {"#d.x<1, [2>", "unbalanced brackets"},
    {"256 : i8", "1:1: integer constant out of range for type 'i8'"},
    {"-1 : ui8", "out of range"},
    {"128 : si8", "out of range"},
    {"1 : i4097", "limited to 4096 bits"},
    {"1 : f32", "add a trailing dot"},
    {"0x1FFFFFFFF : f32", "out of range for type 'f32'"},
    {"1.0 : i32", "floating-point value does not fit type 'i32'"},
    {"\"a", "expected '\"'"},
    {"\"\\q\"", "unknown escape"},
    {"[1", "expected ']'"},
    {"{a = 1, a}", "'a' occurs more than once"},
    {"@", "expected a name behind '@'"},
    {"i16777216", "limited to 16777215 bits"},
    {"tensor<1x99999999999999999999xi8>", "dimension is too large"},
    {"vector<?xi8>", "positive constant sizes"},
    {"tensor<2xnone>", "invalid tensor element type 'none'"},
    {"memref<2x() -> ()>", "invalid memref element type"},
    {"affine_map<(d0, d0) -> ()>", "redefinition of identifier 'd0'"},
    {"affine_map<(d0) -> (2 mod d0)>", "right operand must be constant or symbolic"},
    {"dense<[1, 2]> : tensor<3xi8>", "inferred shape of elements literal ([2]) does not match type ([3])"},
    {"dense<1> : i8", "static shape"},
    {"dense<true> : tensor<2xi8>", "expected i1 type"},
    {"dense<\"0x0\"> : tensor<2xi8>", "hex digits"},
    {"dense<1> : tensor<2x!a.b>", "are strings"},
    {"dense_resource<k> : i8", "must have a ranked tensor"},
    {"sparse<[[5]], [1]> : tensor<4xi8>", "sparse index 5 is outside"},
    {"array<i64: 1>, ", "behind the end"},
    {"strided<[1>", "expected ']'"},
    {"#unknown", "undefined attribute alias '#unknown'"},
    {"\x01", "unexpected character"},
};

static void test_wrong_texts(void **state) {
  for (size_t i = 0; i < NR_COUNTOF(wrong); i++) {
    Log log;
    begin(&log);
    assert_null(nr_parse_attr(log.ctx, nr_str(wrong[i].text)));
    if (!strstr(messages(&log), wrong[i].printed)) fail_msg("%s: %s", wrong[i].text, messages(&log));
    end(&log);
  }
}

static void test_equal_texts_are_one(void **state) {
  Log log;
  begin(&log);
  assert_ptr_equal(nr_parse_type(log.ctx, NR_STR("tensor<4x?xf32>")),
                   nr_parse_type(log.ctx, NR_STR("tensor < 4 x ? x f32 >")));
  assert_ptr_equal(nr_parse_attr(log.ctx, NR_STR("{b = 1, a}")),
                   nr_parse_attr(log.ctx, NR_STR("{a = unit, b = 1 : i64}")));
  assert_ptr_equal(nr_parse_attr(log.ctx, NR_STR("dense<1> : tensor<2xi8>")),
                   nr_parse_attr(log.ctx, NR_STR("dense<[1, 1]> : tensor<2xi8>")));
  assert_null(nr_parse_type(log.ctx, NR_STR("i32 i32")));
  assert_string_equal(messages(&log), "1:5: unexpected text behind the end\n");
  end(&log);
}

/* Decimal floats round as the C library's do, by the short way and by the long one. */
static void test_floats_round_correctly(void **state) {
  Log log;
  begin(&log);
  uint64_t seed = 77;
  for (int i = 0; i < 3000; i++) {
    char text[64];
    int digits = 1 + (int)(test_random(&seed) % 19);
    unsigned long long mantissa = test_random(&seed) % 10000000000000000000ull;
    int exponent = (int)(test_random(&seed) % 640) - 330;
    snprintf(text, sizeof text, "%.*s.%llue%d", digits, "1234567890123456789", mantissa, exponent);
    NrAttr attr = nr_parse_attr(log.ctx, nr_str(text));
    double expected = strtod(text, NULL);
    assert_non_null(attr);
    assert_memory_equal(&attr->f, &expected, sizeof expected);
  }
  end(&log);
}

/* ---- modules
 * ---------------------------------------------------------------------------------------------------------- */

static NrSyntax syntax_of(const char *text) {
  Log log;
  begin(&log);
  NrSyntax syntax;
  NrModule *module = nr_parse_module(log.ctx, nr_str(text), NR_STR("t.mlir"), NULL, &syntax);
  assert_string_equal(messages(&log), "");
  nr_module_destroy(module);
  end(&log);
  return syntax;
}

static void test_spelling_is_told(void **state) {
  assert_int_equal(syntax_of(""), NR_SYNTAX_MLIR);
  assert_int_equal(syntax_of("module { func.func private @f() }"), NR_SYNTAX_MLIR);
  assert_int_equal(syntax_of("func @f()"), NR_SYNTAX_2020);
  assert_int_equal(syntax_of("func.func @f(%a: f32) -> f32 { return %a : f32 }"), NR_SYNTAX_MLIR);
  assert_int_equal(syntax_of("func @f(%a: f32) -> f32 { %b = addf %a, %a : f32\n return %b : f32 }"), NR_SYNTAX_2020);
  assert_int_equal(syntax_of("func.func @f(%a: f32) { %b = addf %a, %a : f32\n %c = subf %b, %b : f32\n return }"),
                   NR_SYNTAX_2020);
}

static void test_names_labels_and_places(void **state) {
  Log log;
  begin(&log);
  NrModule *module = parse(&log, "func.func @f(%first: i32, %1: i32) {\n  cf.br ^next(%first : i32)\n^next(%x: i32):\n"
                                 "  %sum = arith.addi %x, %1 : i32 loc(\"there\")\n  return\n}\n");
  assert_string_equal(messages(&log), "");
  NrOp *func = nr_op_body(module->op, 0)->first;
  NrBlock *entry = nr_op_body(func, 0), *next = entry->next;
  assert_true(nr_str_is(nr_str(entry->args[0]->name), "first"));
  assert_null(entry->args[1]->name);
  assert_true(nr_str_is(next->name, "next"));
  assert_true(nr_str_is(nr_str(nr_result(next->first, 0)->name), "sum"));
  assert_int_equal(func->loc->line, 1);
  assert_int_equal(entry->first->loc->line, 2);
  assert_int_equal(entry->first->loc->column, 3);
  assert_int_equal(nr_arg_loc(next->args[0])->line, 3);
  assert_int_equal(next->first->loc->kind, NR_LOC_NAME);
  assert_ptr_equal(entry->first->loc, nr_loc_file(log.ctx, NR_STR("t.mlir"), 2, 3));
  nr_module_destroy(module);
  end(&log);
}

static void test_one_module_is_the_file(void **state) {
  Log log;
  begin(&log);
  NrModule *module = parse(&log, "module @m {}");
  assert_true(nr_str_is(nr_op_attr_str(module->op, NR_A_sym_name), "m"));
  assert_null(module->op->block);
  nr_module_destroy(module);
  module = parse(&log, "module @a {}\nmodule @b {}");
  assert_int_equal(nr_op_attr_str(module->op, NR_A_sym_name).size, 0);
  assert_ptr_equal(nr_op_body(module->op, 0)->first->next, nr_op_body(module->op, 0)->last);
  nr_module_destroy(module);
  end(&log);
}

static void test_resources_are_aligned_and_shared(void **state) {
  Log log;
  begin(&log);
  NrModule *module =
      parse(&log, "\"t.a\"() {a = dense_resource<k> : tensor<2xi32>, b = dense_resource<k> : tensor<4xi16>,\n"
                  "  c = dense_resource<absent> : tensor<1xi8>} : () -> ()\n"
                  "{-# dialect_resources: { builtin: { k: \"0x040000000100000002000000\" } } #-}");
  assert_string_equal(messages(&log), "");
  NrOp *op = nr_op_body(module->op, 0)->first;
  NrAttr a = nr_op_attr(op, NR_A_a), b = nr_op_attr(op, NR_A_b), c = nr_op_attr(op, NR_A_c);
  assert_ptr_equal(a->data, b->data);
  assert_int_equal((uintptr_t)a->data % 64, 0);
  assert_int_equal(a->data_size, 8);
  assert_int_equal(nr_attr_element(a, 1)->i, 2);
  assert_null(c->data);
  nr_module_destroy(module);
  end(&log);
}

/* ---- limits and cuts
 * ---------------------------------------------------------------------------------------------------- */

static void repeat(NrBuf *out, const char *text, size_t times) {
  for (size_t i = 0; i < times; i++) nr_buf_puts(out, text);
}

static void test_nesting_has_a_limit(void **state) {
  static const struct {
    const char *before, *open, *middle, *close, *after;
  } shapes[] = {
      {"", "\"a.b\"() ({", "", "}) : () -> ()\n", ""},
      {"\"a.b\"() {a = ", "[", "", "]", "} : () -> ()"},
      {"\"a.b\"() {a = ", "tuple<", "i1", ">", "} : () -> ()"},
      {"#m = affine_map<(d0) -> (", "(", "d0", ")", ")>"},
      {"#m = affine_map<(d0) -> (", "d0 * 2 + ", "d0", "", ")>"},
      {"\"a.b\"() : () -> () loc(", "callsite(\"x\" at ", "unknown", ")", ")"},
  };
  for (size_t i = 0; i < NR_COUNTOF(shapes); i++) {
    static const size_t depths[] = {200, 100000};
    for (size_t k = 0; k < 2; k++) {
      NrBuf text = {0};
      nr_buf_puts(&text, shapes[i].before);
      repeat(&text, shapes[i].open, depths[k]);
      nr_buf_puts(&text, shapes[i].middle);
      repeat(&text, shapes[i].close, depths[k]);
      nr_buf_puts(&text, shapes[i].after);
      Log log;
      begin(&log);
      NrModule *module = parse(&log, text.data);
      assert_int_equal(module != NULL, k == 0);
      if (k) assert_non_null(strstr(messages(&log), "deeper than 1000"));
      nr_module_destroy(module);
      end(&log);
      nr_buf_deinit(&text);
    }
  }
}

/* Aliases multiply what they stand for: a few lines could stand for more than any memory. */
static void test_aliases_have_a_limit(void **state) {
  NrBuf text = {0};
  nr_buf_puts(&text, "#a0 = 1\n");
  for (int i = 0; i < 100; i++) nr_buf_printf(&text, "#a%d = [#a%d, #a%d]\n", i + 1, i, i);
  Log log;
  begin(&log);
  assert_null(parse(&log, text.data));
  assert_non_null(strstr(messages(&log), "expands to more than 16 MiB of text"));
  end(&log);
  nr_buf_deinit(&text);
}

static const char program[] =
    "#map = affine_map<(d0)[s0] -> (d0 * 2 + s0)>\n"
    "!t = vector<4xf32>\n"
    "module @m attributes {a = [1 : i8, 2.5, \"x\\0A\"], b = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>} {\n"
    "  func.func @f(%a: memref<4x?xf32, #map>, %n: index, %c: i1) -> (i32, !t) {\n"
    "    %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %k, %y = %v) -> (i32, !t) {\n"
    "      scf.if %c { scf.yield } else {}\n"
    "      scf.yield %x, %y : i32, !t\n"
    "    }\n"
    "    cf.cond_br %c, ^one(%r#0 : i32), ^two loc(fused[\"a\", \"f\":1:2])\n"
    "  ^one(%z: i32):\n"
    "    return %z, %r#1 : i32, !t\n"
    "  ^two:\n"
    "    \"a.b\"(%z)[^one] <{p}> ({ ^bb0(%q: i1): }) {u = {v}} : (i32) -> ()\n"
    "  }\n"
    "}\n";

/* Cut anywhere, or with any byte changed: an answer, and a message exactly when it is no module. */
static void test_cut_and_changed_programs(void **state) {
  uint64_t seed = 5;
  for (size_t i = 0; i < 2 * sizeof program; i++) {
    char text[sizeof program];
    memcpy(text, program, sizeof program);
    if (i < sizeof program) text[i] = 0;
    else text[i - sizeof program] = (char)test_random(&seed);
    Log log;
    begin(&log);
    NrStr cut = {text, i < sizeof program ? i : sizeof program - 1};
    NrModule *module =
        nr_parse_module(log.ctx, cut, NR_STR("t.mlir"), &(NrParseOptions){.allow_unregistered = true}, NULL);
    assert_int_equal(module == NULL, messages(&log)[0] != 0);
    nr_module_destroy(module);
    end(&log);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_attrs),
      cmocka_unit_test(test_wrong_texts),
      cmocka_unit_test(test_equal_texts_are_one),
      cmocka_unit_test(test_floats_round_correctly),
      cmocka_unit_test(test_spelling_is_told),
      cmocka_unit_test(test_names_labels_and_places),
      cmocka_unit_test(test_one_module_is_the_file),
      cmocka_unit_test(test_resources_are_aligned_and_shared),
      cmocka_unit_test(test_nesting_has_a_limit),
      cmocka_unit_test(test_aliases_have_a_limit),
      cmocka_unit_test(test_cut_and_changed_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
