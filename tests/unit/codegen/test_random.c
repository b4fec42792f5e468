/* Random programs: compiled code gives what the interpreter gives, bit for bit (any NaN for NaN). Each function
 * computes a chain of random ops, carries values round a loop, keeps some in memory and branches on some. */
#include <math.h>

#include "codegen_test.h"
#include "interp/interp.h"

enum { FUNCTIONS = 60, ARGS = 6, STEPS = 24, RESULTS = 8 };

typedef struct Value {
  int id;           /* %v<id> */
  const char *type;
} Value;

typedef struct Generator {
  NrBuf text;
  uint64_t seed;
  NR_VEC(Value) values; /* in scope */
  int next;
} Generator;

static const char *const types[] = {"i64", "i32", "i8", "i1", "f32", "f64", "f16", "bf16", "index", "f8E4M3FN"};
static const char *const int_ops[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                      "xori", "maxsi", "minsi", "maxui", "minui"};
static const char *const div_ops[] = {"divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi", "ceildivui"};
static const char *const shift_ops[] = {"shli", "shrsi", "shrui"};
static const char *const float_ops[] = {"addf", "subf", "mulf", "divf", "maximumf", "minimumf"};
static const char *const unary_ops[] = {"absf", "floor", "ceil", "roundeven", "trunc", "sqrt"};
static const char *const int_predicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
static const char *const float_predicates[] = {"oeq", "ogt", "oge", "olt", "ole", "one",
                                               "ord", "ueq", "ugt", "une", "uno"};

static uint64_t below(Generator *g, uint64_t n) { return test_random(&g->seed) % n; }
#define PICK(g, table) ((table)[below(g, NR_COUNTOF(table))])

static bool is_float(const char *type) { return type[0] == 'f' || type[0] == 'b'; }
static int width(const char *type) {
  return !strcmp(type, "index") ? 64 : !strcmp(type, "bf16") ? 16 : atoi(type + 1);
}

/* A value in scope of the type; a constant when there is none. */
static int value_of(Generator *g, const char *type) {
  size_t start = g->values.size ? below(g, g->values.size) : 0;
  for (size_t i = 0; i < g->values.size; i++) {
    Value v = g->values.data[(start + i) % g->values.size];
    if (!strcmp(v.type, type)) return v.id;
  }
  if (!strcmp(type, "i1")) nr_buf_printf(&g->text, "  %%v%d = arith.constant true\n", g->next);
  else nr_buf_printf(&g->text, "  %%v%d = arith.constant %s : %s\n", g->next, is_float(type) ? "1.5" : "3", type);
  nr_vec_push(&g->values, ((Value){g->next, type}));
  return g->next++;
}

static int add(Generator *g, const char *type) {
  nr_vec_push(&g->values, ((Value){g->next, type}));
  return g->next++;
}

static void step_int(Generator *g, const char *type) {
  int a = value_of(g, type), b = value_of(g, type), kind = (int)below(g, 4);
  bool wide = width(type) > 1;
  if (kind == 0 || !wide) {
    nr_buf_printf(&g->text, "  %%v%d = arith.%s %%v%d, %%v%d : %s\n", g->next, PICK(g, int_ops), a, b, type);
  } else if (kind == 1) { /* a divisor from 1 to 7 */
    nr_buf_printf(&g->text, "  %%d%d = arith.constant 6 : %s\n  %%e%d = arith.constant 1 : %s\n", g->next, type,
                  g->next, type);
    nr_buf_printf(&g->text, "  %%f%d = arith.andi %%v%d, %%d%d : %s\n  %%g%d = arith.ori %%f%d, %%e%d : %s\n", g->next,
                  b, g->next, type, g->next, g->next, g->next, type);
    nr_buf_printf(&g->text, "  %%v%d = arith.%s %%v%d, %%g%d : %s\n", g->next, PICK(g, div_ops), a, g->next, type);
  } else if (kind == 2) {
    nr_buf_printf(&g->text, "  %%d%d = arith.constant %d : %s\n  %%f%d = arith.andi %%v%d, %%d%d : %s\n", g->next,
                  width(type) - 1, type, g->next, b, g->next, type);
    nr_buf_printf(&g->text, "  %%v%d = arith.%s %%v%d, %%f%d : %s\n", g->next, PICK(g, shift_ops), a, g->next, type);
  } else {
    nr_buf_printf(&g->text, "  %%v%d = arith.cmpi %s, %%v%d, %%v%d : %s\n", g->next, PICK(g, int_predicates), a, b,
                  type);
    type = "i1";
  }
  add(g, type);
}

static void step_float(Generator *g, const char *type) {
  int a = value_of(g, type), b = value_of(g, type), kind = (int)below(g, 5);
  if (kind < 2) {
    nr_buf_printf(&g->text, "  %%v%d = arith.%s %%v%d, %%v%d : %s\n", g->next, PICK(g, float_ops), a, b, type);
  } else if (kind == 2) {
    nr_buf_printf(&g->text, "  %%v%d = math.%s %%v%d : %s\n", g->next, PICK(g, unary_ops), a, type);
  } else if (kind == 3) {
    nr_buf_printf(&g->text, "  %%v%d = arith.negf %%v%d : %s\n", g->next, a, type);
  } else {
    nr_buf_printf(&g->text, "  %%v%d = arith.cmpf %s, %%v%d, %%v%d : %s\n", g->next, PICK(g, float_predicates), a, b,
                  type);
    type = "i1";
  }
  add(g, type);
}

static void step_cast(Generator *g) {
  const char *from = PICK(g, types), *to = PICK(g, types);
  bool f = is_float(from), t = is_float(to), index = !strcmp(from, "index") || !strcmp(to, "index");
  const char *op;
  if (!strcmp(from, to) || (f && !t) || (t && !strcmp(from, "index"))) return;
  if (f) op = width(to) > width(from) ? "extf" : width(to) < width(from) ? "truncf" : NULL;
  else if (t) op = below(g, 2) ? "sitofp" : "uitofp";
  else if (index) op = below(g, 2) ? "index_cast" : "index_castui";
  else op = width(to) < width(from) ? "trunci" : below(g, 2) ? "extsi" : "extui";
  if (!op) return;
  int a = value_of(g, from);
  nr_buf_printf(&g->text, "  %%v%d = arith.%s %%v%d : %s to %s\n", g->next, op, a, from, to);
  add(g, to);
}

static void step(Generator *g) {
  const char *type = PICK(g, types);
  switch (below(g, 5)) {
  case 0: step_cast(g); break;
  case 1: {
    int c = value_of(g, "i1"), a = value_of(g, type), b = value_of(g, type);
    nr_buf_printf(&g->text, "  %%v%d = arith.select %%v%d, %%v%d, %%v%d : %s\n", g->next, c, a, b, type);
    add(g, type);
    break;
  }
  case 2: { /* through memory */
    int a = value_of(g, type);
    nr_buf_printf(&g->text, "  %%m%d = memref.alloca() : memref<%s>\n  memref.store %%v%d, %%m%d[] : memref<%s>\n",
                  g->next, type, a, g->next, type);
    nr_buf_printf(&g->text, "  %%v%d = memref.load %%m%d[] : memref<%s>\n", g->next, g->next, type);
    add(g, type);
    break;
  }
  default: is_float(type) ? step_float(g, type) : step_int(g, type);
  }
}

/* What each function takes and gives. */
static const char *const arg_types[ARGS] = {"i64", "i32", "f32", "f64", "i8", "f16"};
static const char *const carried[2] = {"i64", "f32"};
static const char *const result_types[RESULTS] = {"i64", "i32", "i8", "i1", "f32", "f64", "f16", "bf16"};

static void generate(Generator *g, int number) {
  g->values.size = 0;
  g->next = 0;
  nr_buf_printf(&g->text, "func.func @f%d(", number);
  for (int i = 0; i < ARGS; i++)
    nr_buf_printf(&g->text, "%s%%v%d: %s", i ? ", " : "", add(g, arg_types[i]), arg_types[i]);
  nr_buf_puts(&g->text, ") -> (");
  for (int i = 0; i < RESULTS; i++) nr_buf_printf(&g->text, "%s%s", i ? ", " : "", result_types[i]);
  nr_buf_puts(&g->text, ") {\n");
  for (int i = 0; i < STEPS; i++) step(g);
  int x = value_of(g, carried[0]), y = value_of(g, carried[1]);
  int trips = (int)below(g, 5);
  nr_buf_printf(&g->text, "  %%zero = arith.constant 0 : index\n  %%one = arith.constant 1 : index\n"
                          "  %%trips = arith.constant %d : index\n",
                trips);
  nr_buf_printf(&g->text, "  cf.br ^head(%%zero, %%v%d, %%v%d : index, i64, f32)\n", x, y);
  int cx = add(g, carried[0]), cy = add(g, carried[1]);
  nr_buf_printf(&g->text,
                "^head(%%i: index, %%v%d: i64, %%v%d: f32):\n  %%more = arith.cmpi slt, %%i, %%trips : index\n"
                "  cf.cond_br %%more, ^body, ^exit\n^body:\n",
                cx, cy);
  size_t scope = g->values.size;
  for (int i = 0; i < STEPS / 2; i++) step(g);
  x = value_of(g, carried[0]), y = value_of(g, carried[1]);
  nr_buf_printf(
      &g->text,
      "  %%next = arith.addi %%i, %%one : index\n  cf.br ^head(%%next, %%v%d, %%v%d : index, i64, f32)\n^exit:\n", x,
      y);
  g->values.size = scope; /* what the body defines is not there after the loop */
  int results[RESULTS];
  for (int i = 0; i < RESULTS; i++) results[i] = value_of(g, result_types[i]);
  nr_buf_puts(&g->text, "  return ");
  for (int i = 0; i < RESULTS; i++) nr_buf_printf(&g->text, "%s%%v%d", i ? ", " : "", results[i]);
  nr_buf_puts(&g->text, " : ");
  for (int i = 0; i < RESULTS; i++) nr_buf_printf(&g->text, "%s%s", i ? ", " : "", result_types[i]);
  nr_buf_puts(&g->text, "\n}\n");
}

static bool same(const char *type, uint64_t a, uint64_t b) {
  if (a == b) return true;
  NoriaDesc x = scalar_bits(a), y = scalar_bits(b);
  if (!strcmp(type, "f32")) return isnan(as_f32(x)) && isnan(as_f32(y));
  if (!strcmp(type, "f64")) return isnan(as_f64(x)) && isnan(as_f64(y));
  if (!strcmp(type, "f16")) return (a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00;
  if (!strcmp(type, "bf16")) return (a & 0x7fff) > 0x7f80 && (b & 0x7fff) > 0x7f80;
  return false;
}

static uint64_t random_bits(Generator *g, const char *type) {
  static const double values[] = {0, -0.0, 1, -1.5, 100.25, 1e-3, -7, 65504, 3e38, INFINITY, NAN};
  double v = PICK(g, values);
  uint64_t raw = below(g, 2) ? test_random(&g->seed) : below(g, 20);
  if (!strcmp(type, "f32")) return scalar_f32((float)v).bits;
  if (!strcmp(type, "f64")) return scalar_f64(v).bits;
  return width(type) == 64 ? raw : raw & ((1ull << width(type)) - 1);
}

static void against_interpreter(void **state) {
  Generator g = {.seed = 20240607};
  for (int i = 0; i < FUNCTIONS; i++) generate(&g, i);
  Program p;
  program_compile(&p, g.text.data);
  for (int i = 0; i < FUNCTIONS; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    NrInterpProgram *interp;
    NrStatus status = nr_interp_create(p.module, name, NULL, &interp);
    nr_diag_flush(p.ctx);
    assert_int_equal(status, NR_OK);
    const NoriaModule *m = nr_interp_module(interp);
    const void *constants[4];
    for (int k = 0; k < m->num_constants && k < 4; k++) constants[k] = m->constants[k].data;
    TestExec run = {.exec = {.api = &host_api, .constants = constants, .threads = 1}, .module = m, .site = -1};
    for (int round = 0; round < 8; round++) {
      NoriaDesc args[ARGS], got[RESULTS], want[RESULTS];
      for (int k = 0; k < ARGS; k++) args[k] = scalar_bits(random_bits(&g, arg_types[k]));
      assert_int_equal(program_call(&p, name, args, got), 0);
      assert_int_equal(m->entry(&run.exec, args, want), 0);
      for (int k = 0; k < RESULTS; k++)
        if (!same(result_types[k], got[k].bits, want[k].bits)) {
          const char *at = strstr(g.text.data, nr_arena_printf(nr_context_arena(p.ctx), "@f%d(", i));
          print_message("%.*s}\n", (int)(strstr(at, "\n}\n") - at + 1), at);
          fail_msg("%s, result %d (%s): compiled %llx, interpreted %llx", name, k, result_types[k],
                   (unsigned long long)got[k].bits, (unsigned long long)want[k].bits);
        }
    }
    nr_interp_destroy(interp);
  }
  program_free(&p);
  nr_buf_deinit(&g.text);
  nr_vec_deinit(&g.values);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_interpreter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
