/* test_expr.c - index expressions and formats: what is read, and the column of what is wrong. */
#include "../test.h"

#include "sparse/sparse.h"

static NrArena arena;
static NrSparseAssignment a;
static NrSparseError error;

static int setup(void **state) {
  nr_arena_init(&arena);
  return 0;
}

static int teardown(void **state) {
  nr_arena_deinit(&arena);
  return 0;
}

static void reads(const char *text) {
  if (nr_sparse_parse(&arena, nr_str(text), &a, &error)) fail_msg("%s: %s", text, error.message);
}

static void fails(const char *text, size_t column, const char *message) {
  assert_int_equal(nr_sparse_parse(&arena, nr_str(text), &a, &error), NR_ERROR_INVALID);
  assert_string_equal(error.message, message);
  assert_int_equal(error.column, column);
}

static void names_and_orders(void **state) {
  reads(" y ( i ) += alpha*A(i,j2) *x_1(j2)-2.5e-3 ");
  assert_true(a.adds);
  assert_int_equal(a.num_tensors, 4);
  assert_int_equal(a.num_accesses, 4);
  assert_int_equal(a.num_indices, 2);
  assert_int_equal(a.num_free, 1);
  assert_true(nr_str_is(a.tensors[1].name, "alpha") && a.tensors[1].order == 0);
  assert_true(nr_str_is(a.tensors[2].name, "A") && a.tensors[2].order == 2);
  assert_true(nr_str_is(a.indices[1], "j2"));
  assert_int_equal(a.value->kind, NR_SPARSE_SUB);
  assert_true(nr_str_is(a.value->right->number, "2.5e-3"));
}

static void products_bind_first(void **state) {
  reads("a = b + c * -d * (e - f)");
  assert_int_equal(a.value->kind, NR_SPARSE_ADD);
  assert_int_equal(a.value->right->kind, NR_SPARSE_MUL);
  assert_int_equal(a.value->right->right->kind, NR_SPARSE_SUB);
  assert_int_equal(a.value->right->left->right->kind, NR_SPARSE_NEG);
}

static void wrong_expressions(void **state) {
  fails("", 1, "the text ends; expected the result, such as A(i,j)");
  fails("1 = a", 1, "unexpected '1'; expected the result, such as A(i,j)");
  fails("a", 2, "the text ends; expected '=' or '+='");
  fails("a + b", 5, "unexpected 'b'; expected '=' behind '+'");
  fails("a =", 4, "the text ends; expected a tensor, a number or '('");
  fails("a = b c", 7, "unexpected 'c'; expected an operator or the end");
  fails("a = (b", 7, "the text ends; expected an operator or ')'");
  fails("a = b()", 7, "unexpected ')'; expected the name of an index");
  fails("a = b(1)", 7, "unexpected '1'; expected the name of an index");
  fails("a = b(i", 8, "the text ends; expected ',' or ')' behind an index");
  fails("a = 1.", 7, "the text ends; expected a digit behind the point");
  fails("a = 1e+", 8, "the text ends; expected an exponent");
  fails("a = b / c", 7, "'/' is not supported: loops go over entries, and what has none is 0; elements can be added, "
                        "subtracted and multiplied");
  fails("a(i) = (b(i) * c(i,j) / c(i,i))", 23, "'/' is not supported: loops over 'i', 'j' go over entries, and what has "
                                               "none is 0; elements can be added, subtracted and multiplied");
  fails("a(i) = exp(b(i))", 8, "'exp' cannot be a function of 'b': loops, such as that over 'i', go over entries, and "
                               "what has none is 0; elements can be added, subtracted and multiplied");
  fails("a = b\x01", 6, "unexpected byte 0x01; expected an operator or the end");
  fails("a(i) = b", 1, "the index 'i' is on the left side only; no operand has it");
  fails("a(i(i)) = b(i)", 4, "unexpected '('; expected ',' or ')' behind an index");
  fails("a = b(i) + b(i,j)", 12, "'b' has 2 indices here and 1 in column 5");
  fails("a = b(i) * a", 12, "'a' is the result, so it cannot be an operand; += adds to it");
  fails("a(i) = b(i) * i", 15, "'i' is an index; a tensor needs another name");
  fails("a(i) = b(i,a)", 12, "'a' is a tensor; an index needs another name");
  fails("a = b(i,j,k,l,m,n,o,p,q)", 23, "'b' has too many indices: a tensor has at most 8 dims");
  fails("a = b(a1,a2,a3,a4,a5,a6,a7,a8)*c(b1,b2,b3,b4,b5,b6,b7,b8)*d(a1,c1)", 64,
        "'c1' is one index too many: an expression has at most 16");
  fails("a = b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q", 35, "'q' is one tensor too many: an expression has at most 16");
  fails("a=b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b+b", 65,
        "'b' is one operand too many: an expression has at most 31");
}

static void diagonals(void **state) {
  reads("A(i,i,j) = B(j,i,j)");
  assert_int_equal(a.num_indices, 2);
  assert_int_equal(a.accesses[0].indices[1], a.accesses[0].indices[0]);
  assert_int_equal(a.accesses[1].indices[2], a.accesses[1].indices[0]);
}

static void nesting_is_limited(void **state) {
  char text[1024] = "a = ";
  memset(text + 4, '(', 900);
  fails(text, 105, "nested more than 100 deep");
  memset(text + 4, '-', 900);
  fails(text, 105, "nested more than 100 deep");
}

static void format_fails(const char *text, size_t column, const char *message) {
  assert_int_equal(nr_sparse_set_format(&arena, &a, nr_str(text), &error), NR_ERROR_INVALID);
  assert_string_equal(error.message, message);
  assert_int_equal(error.column, column);
}

static void formats(void **state) {
  reads("A(i,j) = B(i,j,k) * c(k)");
  assert_int_equal(nr_sparse_set_format(&arena, &a, NR_STR("B:dsq:2,0,1"), &error), NR_OK);
  assert_int_equal(a.tensors[1].format.kinds[2], NR_LEVEL_SINGLETON);
  assert_int_equal(a.tensors[1].format.dims[0], 2);
  assert_true(nr_sparse_level_repeats(&a.tensors[1].format, 1));
  assert_false(nr_sparse_level_repeats(&a.tensors[1].format, 2));
  assert_true(nr_sparse_format_is_dense(&a.tensors[2].format));
  reads("A(i,j) = B(i,j,k) * c(k)");
  assert_int_equal(nr_sparse_set_format(&arena, &a, NR_STR("B:dqq"), &error), NR_OK);
  assert_false(nr_sparse_level_repeats(&a.tensors[1].format, 0));
  assert_false(nr_sparse_level_repeats(&a.tensors[1].format, 1));
  format_fails("B:dss", 6, "'B' has two formats");
  format_fails("", 1, "the text ends; expected TENSOR:LEVELS, such as B:ds");
  format_fails("B", 2, "the text ends; expected ':' and the levels");
  format_fails("D:ds", 1, "the expression has no tensor 'D'");
  format_fails("B:ds", 5, "'B' has 3 dims, but the format has 2 levels");
  format_fails("c:q", 3, "a singleton level of 'c' stands below a level d, s or q, such as sq");
  format_fails("A:ds:0", 7, "the text ends; expected ',' and the dim of the next level");
  format_fails("A:ds:0,2", 8, "the levels of 'A' store each of its dims 0 to 1 once");
  format_fails("A:ds:0,1,", 9, "unexpected ','; expected the end");
  format_fails("A:ssssssssd", 11, "a tensor has at most 8 dims");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(names_and_orders), TEST(products_bind_first), TEST(wrong_expressions), TEST(nesting_is_limited),
      TEST(formats), TEST(diagonals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
