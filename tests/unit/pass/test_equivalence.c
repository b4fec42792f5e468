/* test_equivalence.c - random programs mean the same before and after each pass, and in both spellings of their
 * text. */
#include "../test.h"

#include "eval.h"
#include "pass/pass.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- random programs --------------------------------------------------------------------------------------------- */

typedef struct Pool {
  NR_VEC(uint32_t) names; /* %vN */
} Pool;

enum { INT, BIT, INDEX, NUM_POOLS };

typedef struct Gen {
  NrBuf text;
  uint64_t seed;
  uint32_t next;
  int budget;
  Pool pools[NUM_POOLS]; /* i32, i1 and index values that are visible */
} Gen;

static uint64_t pick(Gen *g, uint64_t n) { return (test_random(&g->seed) >> 11) % n; }

static const char *const type_names[] = {"i32", "i1", "index"};

static uint32_t value_of(Gen *g, int pool);

static uint32_t define(Gen *g, int pool) {
  nr_vec_push(&g->pools[pool].names, g->next);
  return g->next++;
}

static uint32_t gen_constant(Gen *g, int pool) {
  static const char *const ints[] = {"0", "1", "-1", "2", "3", "7", "-2147483648", "100"};
  static const char *const indices[] = {"0", "1", "2", "3"};
  uint32_t v = g->next;
  const char *text = pool == INT   ? ints[pick(g, 8)]
                     : pool == BIT ? (pick(g, 2) ? "true" : "false")
                                   : indices[pick(g, 4)];
  nr_buf_printf(&g->text, "%%v%u = arith.constant %s%s%s\n", v, text, pool == BIT ? "" : " : ",
                pool == BIT ? "" : type_names[pool]);
  return define(g, pool);
}

static uint32_t value_of(Gen *g, int pool) {
  Pool *p = &g->pools[pool];
  if (p->names.size == 0 || pick(g, 12) == 0) return gen_constant(g, pool);
  /* recent values more often */
  size_t back = pick(g, 1 + pick(g, p->names.size));
  return p->names.data[p->names.size - 1 - back];
}

static void gen_binary(Gen *g) {
  static const char *const names[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                      "xori", "maxsi", "minui", "divsi", "remsi"};
  uint32_t a = value_of(g, INT), b = pick(g, 8) ? value_of(g, INT) : a;
  const char *name = names[pick(g, pick(g, 3) ? 8 : 10)];
  nr_buf_printf(&g->text, "%%v%u = arith.%s %%v%u, %%v%u : i32\n", g->next, name, a, b);
  define(g, INT);
}

static void gen_compare(Gen *g) {
  static const char *const names[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  uint32_t a = value_of(g, INT), b = value_of(g, INT);
  nr_buf_printf(&g->text, "%%v%u = arith.cmpi %s, %%v%u, %%v%u : i32\n", g->next, names[pick(g, 10)], a, b);
  define(g, BIT);
}

static void gen_other(Gen *g) {
  uint32_t a, b, c;
  switch (pick(g, 6)) {
  case 0:
    c = value_of(g, BIT), a = value_of(g, INT), b = value_of(g, INT);
    nr_buf_printf(&g->text, "%%v%u = arith.select %%v%u, %%v%u, %%v%u : i32\n", g->next, c, a, b);
    define(g, INT);
    break;
  case 1:
    a = value_of(g, BIT), b = value_of(g, BIT);
    nr_buf_printf(&g->text, "%%v%u = arith.xori %%v%u, %%v%u : i1\n", g->next, a, b);
    define(g, BIT);
    break;
  case 2:
    a = value_of(g, INT);
    nr_buf_printf(&g->text, "%%n%u = arith.trunci %%v%u : i32 to i8\n", g->next, a);
    nr_buf_printf(&g->text, "%%v%u = arith.%s %%n%u : i8 to i32\n", g->next, pick(g, 2) ? "extsi" : "extui", g->next);
    define(g, INT);
    break;
  case 3:
    a = value_of(g, INDEX);
    nr_buf_printf(&g->text, "%%v%u = arith.index_cast %%v%u : index to i32\n", g->next, a);
    define(g, INT);
    break;
  case 4:
    a = value_of(g, INT);
    nr_buf_printf(&g->text, "func.call @observe(%%v%u) : (i32) -> ()\n", a);
    break;
  default:
    a = value_of(g, INT), b = value_of(g, INT);
    nr_buf_printf(&g->text, "%%v%u = func.call @helper%u(%%v%u, %%v%u) : (i32, i32) -> i32\n", g->next,
                  (unsigned)pick(g, 3), a, b);
    define(g, INT);
    break;
  }
}

typedef struct Mark {
  size_t sizes[NUM_POOLS];
} Mark;

static Mark enter(const Gen *g) {
  Mark m;
  for (int i = 0; i < NUM_POOLS; i++) m.sizes[i] = g->pools[i].names.size;
  return m;
}

static void leave(Gen *g, Mark m) {
  for (int i = 0; i < NUM_POOLS; i++) g->pools[i].names.size = m.sizes[i];
}

static void gen_ops(Gen *g, int depth);

/* "%v1, %v2" of count values of i32, named first so that constants stand before the op that uses them. */
static void gen_values(Gen *g, size_t count, uint32_t *out) {
  for (size_t i = 0; i < count; i++) out[i] = i && pick(g, 4) == 0 ? out[i - 1] : value_of(g, INT);
}

static void put_list(Gen *g, const char *prefix, const uint32_t *values, size_t count) {
  for (size_t i = 0; i < count; i++) nr_buf_printf(&g->text, "%s%s%u", i ? ", " : "", prefix, values[i]);
}

static void put_types(Gen *g, size_t count) {
  for (size_t i = 0; i < count; i++) nr_buf_puts(&g->text, i ? ", i32" : "i32");
}

static void gen_yield(Gen *g, const char *op, size_t count, const uint32_t *favourites) {
  uint32_t values[4];
  gen_values(g, count, values);
  /* carried values that stay, or change places */
  for (size_t i = 0; favourites && i < count; i++)
    if (pick(g, 4) == 0) values[i] = favourites[pick(g, count)];
  nr_buf_printf(&g->text, "%s ", op);
  put_list(g, "%v", values, count);
  if (count) nr_buf_puts(&g->text, " : ");
  put_types(g, count);
  nr_buf_putc(&g->text, '\n');
}

/* `%v7, %v8 = `; the values become visible only after the op: `publish` does that. */
static uint32_t put_results(Gen *g, size_t count) {
  uint32_t first = g->next;
  g->next += (uint32_t)count;
  for (size_t i = 0; i < count; i++) nr_buf_printf(&g->text, "%s%%v%u", i ? ", " : "", first + (uint32_t)i);
  if (count) nr_buf_puts(&g->text, " = ");
  return first;
}

static void publish(Gen *g, uint32_t first, size_t count) {
  for (size_t i = 0; i < count; i++) nr_vec_push(&g->pools[INT].names, first + (uint32_t)i);
}

static void gen_if(Gen *g, int depth) {
  uint32_t condition = value_of(g, BIT);
  size_t count = pick(g, 3);
  bool with_else = count || pick(g, 2);
  uint32_t first = put_results(g, count);
  nr_buf_printf(&g->text, "scf.if %%v%u%s", condition, count ? " -> (" : "");
  put_types(g, count);
  nr_buf_puts(&g->text, count ? ") {\n" : " {\n");
  for (int side = 0; side < (with_else ? 2 : 1); side++) {
    Mark m = enter(g);
    if (side) nr_buf_puts(&g->text, "} else {\n");
    if (pick(g, 4)) gen_ops(g, depth - 1);
    if (count) gen_yield(g, "scf.yield", count, NULL);
    leave(g, m);
  }
  nr_buf_puts(&g->text, "}\n");
  publish(g, first, count);
}

static void gen_for(Gen *g, int depth) {
  uint32_t lower = value_of(g, INDEX), upper = value_of(g, INDEX), inits[3], args[3];
  size_t count = pick(g, 4);
  gen_values(g, count, inits);
  uint32_t step = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.constant %u : index\n", step, 1 + (unsigned)pick(g, 2));
  uint32_t first = put_results(g, count), iv = g->next++;
  for (size_t i = 0; i < count; i++) args[i] = g->next++;
  nr_buf_printf(&g->text, "scf.for %%v%u = %%v%u to %%v%u step %%v%u", iv, lower, upper, step);
  if (count) nr_buf_puts(&g->text, " iter_args(");
  for (size_t i = 0; i < count; i++) nr_buf_printf(&g->text, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  if (count) nr_buf_puts(&g->text, ") -> (");
  put_types(g, count);
  nr_buf_puts(&g->text, count ? ") {\n" : " {\n");
  Mark m = enter(g);
  nr_vec_push(&g->pools[INDEX].names, iv);
  for (size_t i = 0; i < count; i++) nr_vec_push(&g->pools[INT].names, args[i]);
  gen_ops(g, depth - 1);
  if (count) gen_yield(g, "scf.yield", count, args);
  leave(g, m);
  nr_buf_puts(&g->text, "}\n");
  publish(g, first, count);
}

/* Bounds of i8, up to the ends of its range: the last step may go past them. */
static void gen_narrow_for(Gen *g, int depth) {
  static const int bounds[] = {-128, -100, -3, 0, 1, 5, 100, 120, 127, -1}, steps[] = {1, 2, 7, 50, 100, 127};
  uint32_t inits[2], args[2], range[3];
  gen_values(g, 2, inits);
  for (int i = 0; i < 3; i++) {
    range[i] = g->next++;
    nr_buf_printf(&g->text, "%%v%u = arith.constant %d : i8\n", range[i],
                  i == 2 ? steps[pick(g, 6)] : bounds[pick(g, 10)]);
  }
  uint32_t first = put_results(g, 2), iv = g->next++, wide = g->next++;
  for (int i = 0; i < 2; i++) args[i] = g->next++;
  nr_buf_printf(
      &g->text,
      "scf.for%s %%v%u = %%v%u to %%v%u step %%v%u iter_args(%%v%u = %%v%u, %%v%u = %%v%u) -> (i32, i32) : i8 {\n",
      pick(g, 2) ? "" : " unsigned", iv, range[0], range[1], range[2], args[0], inits[0], args[1], inits[1]);
  Mark m = enter(g);
  nr_buf_printf(&g->text, "%%v%u = arith.extsi %%v%u : i8 to i32\n", wide, iv);
  nr_vec_push(&g->pools[INT].names, wide);
  for (int i = 0; i < 2; i++) nr_vec_push(&g->pools[INT].names, args[i]);
  gen_ops(g, depth > 1 ? 1 : 0);
  gen_yield(g, "scf.yield", 2, args);
  leave(g, m);
  nr_buf_puts(&g->text, "}\n");
  publish(g, first, 2);
}

/* Counts in its first carried value, up to 3 and while a random condition holds. */
static void gen_while(Gen *g, int depth) {
  size_t count = 1 + pick(g, 3), handed = 1 + pick(g, 3);
  uint32_t inits[4], args[4], after[4], order[4];
  gen_values(g, count, inits);
  uint32_t zero = gen_constant(g, INT), limit = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.constant 3 : i32\n", limit);
  uint32_t one = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.constant 1 : i32\n", one);
  inits[0] = zero;
  uint32_t first = put_results(g, handed);
  for (size_t i = 0; i < count; i++) args[i] = g->next++;
  nr_buf_puts(&g->text, "scf.while (");
  for (size_t i = 0; i < count; i++) nr_buf_printf(&g->text, "%s%%v%u = %%v%u", i ? ", " : "", args[i], inits[i]);
  nr_buf_puts(&g->text, ") : (");
  put_types(g, count);
  nr_buf_puts(&g->text, ") -> (");
  put_types(g, handed);
  nr_buf_puts(&g->text, ") {\n");
  Mark m = enter(g);
  for (size_t i = 0; i < count; i++) nr_vec_push(&g->pools[INT].names, args[i]);
  if (pick(g, 2)) gen_ops(g, depth - 1);
  uint32_t other = value_of(g, BIT), below = g->next++, both = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.cmpi slt, %%v%u, %%v%u : i32\n", below, args[0], limit);
  nr_buf_printf(&g->text, "%%v%u = arith.andi %%v%u, %%v%u : i1\n", both, below, other);
  bool plain = pick(g, 2);
  gen_values(g, handed, order);
  order[0] = args[0];
  for (size_t i = 1; i < handed && i < count; i++)
    if (pick(g, 2)) order[i] = args[i];
  nr_buf_printf(&g->text, "scf.condition(%%v%u) ", plain ? below : both);
  put_list(g, "%v", order, handed);
  nr_buf_puts(&g->text, " : ");
  put_types(g, handed);
  nr_buf_puts(&g->text, "\n} do {\n^bb0(");
  leave(g, m);
  for (size_t i = 0; i < handed; i++) {
    after[i] = g->next++;
    nr_buf_printf(&g->text, "%s%%v%u: i32", i ? ", " : "", after[i]);
  }
  nr_buf_puts(&g->text, "):\n");
  for (size_t i = 0; i < handed; i++) nr_vec_push(&g->pools[INT].names, after[i]);
  gen_ops(g, depth - 1);
  uint32_t values[4], next = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.addi %%v%u, %%v%u : i32\n", next, after[0], one);
  gen_values(g, count, values);
  for (size_t i = 1; i < count && i < handed; i++)
    if (pick(g, 2)) values[i] = after[i];
  values[0] = next;
  nr_buf_puts(&g->text, "scf.yield ");
  put_list(g, "%v", values, count);
  nr_buf_puts(&g->text, " : ");
  put_types(g, count);
  nr_buf_puts(&g->text, "\n}\n");
  leave(g, m);
  publish(g, first, handed);
}

static void gen_switch(Gen *g, int depth) {
  uint32_t arg = value_of(g, INDEX);
  size_t count = pick(g, 2);
  uint32_t first = put_results(g, count);
  nr_buf_printf(&g->text, "scf.index_switch %%v%u%s\n", arg, count ? " -> i32" : "");
  for (int i = 0; i < 3; i++) {
    Mark m = enter(g);
    if (i < 2) nr_buf_printf(&g->text, "case %d {\n", i + 1);
    else nr_buf_puts(&g->text, "default {\n");
    gen_ops(g, depth - 1);
    gen_yield(g, "scf.yield", count, NULL);
    nr_buf_puts(&g->text, "}\n");
    leave(g, m);
  }
  publish(g, first, count);
}

static void gen_blocks(Gen *g, int depth) {
  uint32_t condition = value_of(g, BIT), first = put_results(g, 1), id = g->next++, arg = g->next++;
  nr_buf_puts(&g->text, "scf.execute_region -> i32 {\n");
  Mark m = enter(g);
  gen_ops(g, depth - 1);
  uint32_t a = value_of(g, INT), b = value_of(g, INT);
  nr_buf_printf(&g->text, "cf.cond_br %%v%u, ^a%u, ^b%u(%%v%u : i32)\n^a%u:\n", condition, id, id, a, id);
  Mark n = enter(g);
  gen_ops(g, depth - 1);
  if (pick(g, 2)) gen_yield(g, "scf.yield", 1, NULL);
  else nr_buf_printf(&g->text, "cf.br ^b%u(%%v%u : i32)\n", id, b);
  leave(g, n);
  nr_buf_printf(&g->text, "^b%u(%%v%u: i32):\n", id, arg);
  nr_vec_push(&g->pools[INT].names, arg);
  gen_ops(g, depth - 1);
  gen_yield(g, "scf.yield", 1, NULL);
  leave(g, m);
  nr_buf_puts(&g->text, "}\n");
  publish(g, first, 1);
}

static void gen_parallel(Gen *g, int depth) {
  uint32_t lower = value_of(g, INDEX), upper = value_of(g, INDEX), init = value_of(g, INT), step = g->next++;
  nr_buf_printf(&g->text, "%%v%u = arith.constant 1 : index\n", step);
  uint32_t first = put_results(g, 1), iv = g->next++, value, l = g->next++, r = g->next++, s = g->next++;
  nr_buf_printf(&g->text, "scf.parallel (%%v%u) = (%%v%u) to (%%v%u) step (%%v%u) init (%%v%u) -> i32 {\n", iv, lower,
                upper, step, init);
  Mark m = enter(g);
  nr_vec_push(&g->pools[INDEX].names, iv);
  gen_ops(g, depth - 1);
  value = value_of(g, INT);
  nr_buf_printf(&g->text, "scf.reduce(%%v%u : i32) {\n^bb0(%%v%u: i32, %%v%u: i32):\n", value, l, r);
  nr_buf_printf(&g->text, "%%v%u = arith.%s %%v%u, %%v%u : i32\n", s, pick(g, 2) ? "addi" : "maxsi", l, r);
  nr_buf_printf(&g->text, "scf.reduce.return %%v%u : i32\n}\n}\n", s);
  leave(g, m);
  publish(g, first, 1);
}

static void gen_op(Gen *g, int depth) {
  switch (pick(g, depth > 0 ? 17 : 8)) {
  case 0: case 1: case 2: case 3: gen_binary(g); break;
  case 4: case 5: gen_compare(g); break;
  case 6: case 7: gen_other(g); break;
  case 8: case 9: gen_if(g, depth); break;
  case 10: case 11: gen_for(g, depth); break;
  case 12: gen_while(g, depth); break;
  case 13: gen_switch(g, depth); break;
  case 14: gen_blocks(g, depth); break;
  case 15: gen_narrow_for(g, depth); break;
  default: gen_parallel(g, depth); break;
  }
}

static void gen_ops(Gen *g, int depth) {
  for (size_t count = 1 + pick(g, 5); count > 0 && g->budget > 0; count--, g->budget--) gen_op(g, depth);
}

static void gen_program(Gen *g) {
  nr_buf_puts(
      &g->text,
      "func.func private @observe(i32)\n"
      "func.func private @helper0(%x: i32, %y: i32) -> i32 {\n%0 = arith.subi %x, %y : i32\nreturn %0 : i32\n}\n"
      "func.func private @helper1(%x: i32, %y: i32) -> i32 {\ncall @observe(%y) : (i32) -> ()\n"
      "%0 = call @helper0(%y, %x) : (i32, i32) -> i32\nreturn %0 : i32\n}\n"
      "func.func private @helper2(%x: i32, %y: i32) -> i32 {\n%c = arith.cmpi slt, %x, %y : i32\n"
      "cf.cond_br %c, ^bb1, ^bb2(%y : i32)\n^bb1:\nreturn %x : i32\n^bb2(%z: i32):\n"
      "%0 = arith.addi %z, %x : i32\nreturn %0 : i32\n}\n"
      "func.func @f(%v0: i32, %v1: i32, %v2: i1, %v3: index) -> (i32, i32) {\n");
  g->next = 4;
  nr_vec_push(&g->pools[INT].names, 0);
  nr_vec_push(&g->pools[INT].names, 1);
  nr_vec_push(&g->pools[BIT].names, 2);
  nr_vec_push(&g->pools[INDEX].names, 3);
  g->budget = 12 + (int)pick(g, 30);
  while (g->budget > 0) gen_ops(g, 3);
  gen_yield(g, "return", 2, NULL);
  nr_buf_puts(&g->text, "}\n");
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

enum { NUM_INPUTS = 4, FUEL = 5000 };
static const int64_t inputs[NUM_INPUTS][4] = {{0, 0, 0, 0}, {5, -3, 1, 2}, {-2147483648, 1, 0, 3}, {17, 17, 1, 1}};

typedef struct Meaning {
  EvalList results[NUM_INPUTS], traces[NUM_INPUTS];
  bool stopped[NUM_INPUTS], out_of_fuel[NUM_INPUTS];
} Meaning;

/* only: leaves out the inputs that it says stopped. */
static void meaning_of(NrModule *module, size_t fuel, const Meaning *only, Meaning *out) {
  *out = (Meaning){0};
  for (int i = 0; i < NUM_INPUTS; i++) {
    Eval e;
    if (only && only->stopped[i]) continue;
    eval_function(&e, module, "f", inputs[i], fuel, &out->results[i]);
    out->traces[i] = e.trace;
    out->stopped[i] = e.stopped;
    out->out_of_fuel[i] = e.stopped && !e.undefined;
  }
}

static void meaning_deinit(Meaning *m) {
  for (int i = 0; i < NUM_INPUTS; i++) {
    nr_vec_deinit(&m->results[i]);
    nr_vec_deinit(&m->traces[i]);
  }
}

static bool same_list(const EvalList *a, const EvalList *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size * sizeof *a->data) == 0);
}

static void print_failure(void *user, const NrDiag *diag) {
  print_error("%.*s\n", NR_STR_ARG(diag->message));
}

/* cmocka's own messages are cut off after a kilobyte. */
static void give_up(const char *what, uint64_t seed, NrStr program) {
  fprintf(stderr, "seed %llu: %s\n---- program\n%.*s\n", (unsigned long long)seed, what, NR_STR_ARG(program));
  fail();
}

static void compare(const Meaning *want, NrModule *module, const char *what, NrStr program) {
  Meaning got;
  meaning_of(module, (size_t)FUEL * 4, want, &got);
  for (int i = 0; i < NUM_INPUTS; i++) {
    if (want->stopped[i]) continue; /* a division by zero, or too long: anything may be made of it */
    if (got.out_of_fuel[i] && strstr(what, "licm")) continue; /* a long loop left one that does not run at all */
    if (!got.stopped[i] && same_list(&want->results[i], &got.results[i]) && same_list(&want->traces[i], &got.traces[i]))
      continue;
    NrBuf text = {0};
    nr_print_module(&text, module, NULL);
    fprintf(stderr, "input %d differs after %s\n---- program\n%.*s\n---- after\n%s\n", i, what, NR_STR_ARG(program),
            text.data);
    nr_buf_deinit(&text);
    fail();
  }
  meaning_deinit(&got);
}

static void check_spelling(NrContext *ctx, NrModule *module, const Meaning *want, NrSyntax syntax, NrStr program) {
  NrBuf text = {0};
  nr_print_module(&text, module, &(NrPrintOptions){.syntax = syntax});
  NrModule *again = nr_parse_module(ctx, (NrStr){text.data, text.size}, NR_STR("printed"), NULL, NULL);
  if (!again) give_up("what was printed is not read", 0, (NrStr){text.data, text.size});
  compare(want, again, syntax == NR_SYNTAX_2020 ? "the text of 2020" : "the text of today", program);
  nr_module_destroy(again);
  nr_buf_deinit(&text);
}

static size_t num_compared;

static void check_program(uint64_t seed) {
  static const char *const pipelines[] = {
      "canonicalize", "cse", "licm", "dce", "inline", "convert-scf-to-cf", "licm,cse,canonicalize,cse",
      "inline,symbol-dce,canonicalize,licm,cse,convert-scf-to-cf,canonicalize,cse,canonicalize",
      "convert-scf-to-cf,inline,canonicalize,dce,cse",
  };
  Gen g = {.seed = seed};
  gen_program(&g);
  NrStr program = {g.text.data, g.text.size};
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, print_failure, NULL);
  NrModule *module = nr_parse_module(ctx, program, NR_STR("random"), NULL, NULL);
  if (!module || nr_verify(module->op)) give_up("a wrong program", seed, program);
  Meaning want;
  meaning_of(module, FUEL, NULL, &want);
  for (int i = 0; i < NUM_INPUTS; i++) num_compared += !want.stopped[i];
  check_spelling(ctx, module, &want, NR_SYNTAX_MLIR, program);
  check_spelling(ctx, module, &want, NR_SYNTAX_2020, program);
  nr_module_destroy(module);
  for (size_t i = 0; i < NR_COUNTOF(pipelines); i++) {
    module = nr_parse_module(ctx, program, NR_STR("random"), NULL, NULL);
    if (nr_run_passes(module, nr_str(pipelines[i]), &(NrPassOptions){.verify = true}))
      give_up(pipelines[i], seed, program);
    compare(&want, module, pipelines[i], program);
    nr_module_destroy(module);
  }
  meaning_deinit(&want);
  nr_context_destroy(ctx);
  nr_buf_deinit(&g.text);
  for (int i = 0; i < NUM_POOLS; i++) nr_vec_deinit(&g.pools[i].names);
}

static uint64_t first_seed = 1, num_programs = 1500;

static void random_programs_keep_their_meaning(void **state) {
  for (uint64_t i = 0; i < num_programs; i++) check_program((first_seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1);
  assert_true(num_compared > num_programs * NUM_INPUTS / 2); /* most run to their end */
}

/* test [first seed] [programs]: more of them, by hand */
int main(int argc, char **argv) {
  if (argc > 1) first_seed = strtoull(argv[1], NULL, 10);
  if (argc > 2) num_programs = strtoull(argv[2], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_keep_their_meaning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
