/* test_verify.c - wrong IR that no text can say, or that is easier built by hand. */
#include "../test.h"

#include "ir/text.h"

static NrContext *ctx;
static NrModule *module;
static NrBuf messages;

static void collect(void *user, const NrDiag *diag) {
  nr_buf_str(&messages, diag->message);
  nr_buf_putc(&messages, '\n');
}

static int setup(void **state) {
  ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, collect, NULL);
  module = nr_module_create(ctx, nr_loc_unknown(ctx));
  return 0;
}

static int teardown(void **state) {
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  nr_buf_deinit(&messages);
  return 0;
}

static void expect_messages(const char *text) {
  messages.size = 0;
  NrStatus status = nr_verify(module->op);
  nr_diag_flush(ctx);
  assert_string_equal(messages.size ? messages.data : "", text);
  assert_int_equal(status, *text ? NR_ERROR_INVALID : NR_OK);
}

static NrOp *make_op(const char *name, NrValue *const *operands, size_t n, size_t results, size_t regions) {
  NrType types[] = {nr_type_i32(ctx), nr_type_i32(ctx)};
  NrOpState state = {.info = nr_op_info_find(nr_str(name), NULL),
                     .loc = nr_loc_unknown(ctx),
                     .operands = operands,
                     .num_operands = n,
                     .result_types = types,
                     .num_results = results,
                     .num_regions = regions};
  if (!state.info) {
    state.info = &nr_unregistered_op_info;
    state.raw_name = nr_context_intern(ctx, nr_str(name));
  }
  return nr_op_create(module, &state);
}

static NrOp *add_op(NrBlock *block, const char *name, NrValue *const *operands, size_t n, size_t results,
                    size_t regions) {
  NrOp *op = make_op(name, operands, n, results, regions);
  for (size_t i = 0; i < regions; i++) nr_block_append(nr_op_region(op, i), nr_block_create(module));
  nr_op_append(block, op);
  return op;
}

static NrBlock *top(void) { return nr_op_body(module->op, 0); }

static void values_must_come_first(void **state) {
  NrBlock *body = nr_op_body(add_op(top(), "t.holder", NULL, 0, 0, 1), 0);
  NrOp *def = make_op("t.def", NULL, 0, 1, 0);
  add_op(body, "t.use", (NrValue *[]){nr_result(def, 0)}, 1, 0, 0);
  nr_op_append(body, def);
  expect_messages("operand #0 of 't.use' does not dominate this use\n");
}

static void order_does_not_matter_in_a_module(void **state) {
  NrOp *def = make_op("t.def", NULL, 0, 1, 0);
  add_op(top(), "t.use", (NrValue *[]){nr_result(def, 0)}, 1, 0, 0);
  nr_op_append(top(), def);
  expect_messages("");
}

static void an_op_is_not_before_itself(void **state) {
  NrBlock *body = nr_op_body(add_op(top(), "t.holder", NULL, 0, 0, 1), 0);
  NrOp *outer = add_op(body, "t.outer", NULL, 0, 1, 1);
  add_op(nr_op_body(outer, 0), "t.use", (NrValue *[]){nr_result(outer, 0)}, 1, 0, 0);
  expect_messages("operand #0 of 't.use' does not dominate this use\n");
}

static void inner_values_stay_inside(void **state) {
  NrBlock *body = nr_op_body(add_op(top(), "t.holder", NULL, 0, 0, 1), 0);
  NrOp *inner = add_op(body, "t.inner", NULL, 0, 0, 1);
  NrOp *def = add_op(nr_op_body(inner, 0), "t.def", NULL, 0, 1, 0);
  add_op(body, "t.use", (NrValue *[]){nr_result(def, 0)}, 1, 0, 0);
  expect_messages("operand #0 of 't.use' is not visible here: it is defined inside of another region\n");
}

static void isolated_regions_use_nothing_from_above(void **state) {
  NrOp *def = add_op(top(), "t.def", NULL, 0, 1, 0);
  NrOp *nested = add_op(top(), "builtin.module", NULL, 0, 0, 1);
  add_op(nr_op_body(nested, 0), "t.use", (NrValue *[]){nr_result(def, 0)}, 1, 0, 0);
  expect_messages("operand #0 of 't.use' is defined outside of the region\n");
}

static void all_errors_are_reported(void **state) {
  NrBlock *body = nr_op_body(add_op(top(), "t.holder", NULL, 0, 0, 1), 0);
  NrOp *value = add_op(body, "t.def", NULL, 0, 1, 0);
  add_op(body, "rt.poll", (NrValue *[]){nr_result(value, 0)}, 1, 0, 0);
  add_op(body, "rt.poll", NULL, 0, 0, 0);
  NrOp *check = add_op(body, "rt.check", (NrValue *[]){nr_result(value, 0)}, 1, 0, 0);
  nr_op_set_attr(check, NR_A_text, nr_attr_unit(ctx));
  expect_messages("'rt.poll' op operand #0 must be index, but got 'i32'\n"
                  "'rt.poll' op expected 1 operand, but found 0\n"
                  "'rt.check' op attribute 'text' failed to satisfy constraint: string attribute\n");
}

static void symbols_are_unique(void **state) {
  for (int i = 0; i < 2; i++)
    nr_op_set_attr(add_op(top(), "t.symbol", NULL, 0, 0, 0), NR_A_sym_name, nr_attr_string(ctx, NR_STR("a")));
  expect_messages("redefinition of symbol named 'a'\n");
}

static void branches_pass_what_blocks_take(void **state) {
  NrOp *holder = add_op(top(), "t.holder", NULL, 0, 0, 1);
  NrBlock *entry = nr_op_body(holder, 0), *next = nr_block_create(module);
  nr_block_append(nr_op_region(holder, 0), next);
  nr_block_add_arg(next, nr_type_f32(ctx), nr_loc_unknown(ctx));
  NrOp *def = add_op(entry, "t.def", NULL, 0, 1, 0);
  NrValue *passed = nr_result(def, 0);
  uint32_t count = 1;
  NrOpState state_ = {.info = &nr_unregistered_op_info,
                      .raw_name = nr_context_intern(ctx, NR_STR("t.br")),
                      .loc = nr_loc_unknown(ctx),
                      .operands = &passed,
                      .num_operands = 1,
                      .successors = &next,
                      .num_successors = 1,
                      .successor_operands = &count};
  nr_op_append(entry, nr_op_create(module, &state_));
  add_op(next, "t.end", NULL, 0, 0, 0);
  expect_messages("'t.br' op type mismatch for bb argument #0 of successor #0: 'i32' vs 'f32'\n");
}

static NrStr add_symbol(NrStr name) {
  nr_op_set_attr(add_op(top(), "t.symbol", NULL, 0, 0, 0), NR_A_sym_name, nr_attr_string(ctx, name));
  return name;
}

/* A new name is free, and counts on where others stopped; what only looks like a number does not count. */
static void new_symbols_are_unique(void **state) {
  static const char *const there[] = {"g_3", "g_x", "g_3_1", "g_99999999999999999999", "gg", "g5"};
  NrSymbolNames names = {0};
  for (size_t i = 0; i < NR_COUNTOF(there); i++) add_symbol(nr_str(there[i]));
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("g"))).data, "g");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("g"))).data, "g_4");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("g"))).data, "g_5");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("g_6"))).data, "g_6");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("g"))).data, "g_7");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("gg"))).data, "gg_0");
  assert_string_equal(add_symbol(nr_symbol_free_name(&names, module->op, NR_STR("gg"))).data, "gg_1");
  nr_symbol_names_deinit(&names);
  expect_messages("");
}

/* Of nested captures each keeps its own first error; what is reported behind the end goes to the handler. */
static void captures_keep_their_first_error(void **state) {
  NrDiagCapture outer, inner;
  NrBuf first = {0}, second = {0};
  messages.size = 0;
  nr_diag_capture_begin(&outer, ctx);
  nr_diag_capture_begin(&inner, ctx);
  nr_warning(ctx, NULL, "nobody hears it");
  nr_error(ctx, NULL, "inner one");
  nr_error(ctx, NULL, "inner two");
  nr_diag_capture_end(&inner, &second);
  nr_error(ctx, NULL, "outer");
  nr_diag_capture_end(&outer, &first);
  nr_error(ctx, NULL, "heard");
  nr_diag_flush(ctx);
  assert_string_equal(second.data, "inner one");
  assert_string_equal(first.data, "outer");
  assert_string_equal(messages.data, "heard\n");
  nr_diag_capture_begin(&outer, ctx);
  nr_diag_capture_end(&outer, NULL);
  nr_buf_deinit(&first);
  nr_buf_deinit(&second);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(values_must_come_first),
      TEST(order_does_not_matter_in_a_module),
      TEST(an_op_is_not_before_itself),
      TEST(inner_values_stay_inside),
      TEST(isolated_regions_use_nothing_from_above),
      TEST(all_errors_are_reported),
      TEST(symbols_are_unique),
      TEST(new_symbols_are_unique),
      TEST(branches_pass_what_blocks_take),
      TEST(captures_keep_their_first_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
