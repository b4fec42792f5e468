/* tensor_programs.h - random programs on small tensors of i32, full of what makes buffers go wrong: values that are
 * used again after an update, swaps, values yielded twice, views of views, branches that hand on or replace, loops in
 * loops. */
#ifndef NORIA_TESTS_UNIT_TENSOR_PROGRAMS_H
#define NORIA_TESTS_UNIT_TENSOR_PROGRAMS_H

#include "base/base.h"

#include "../test.h"

typedef enum Shape { V4, M34, V12, DYN, ROWS, NUM_SHAPES } Shape;
static const char *const shape_types[] = {"tensor<4xi32>", "tensor<3x4xi32>", "tensor<12xi32>", "tensor<?xi32>",
                                          "tensor<?x4xi32>"};
static const int shape_ranks[] = {1, 2, 1, 1, 2};

typedef struct Programs {
  NrBuf text;
  uint64_t seed;
  uint32_t next;
  NR_VEC(uint32_t) pools[NUM_SHAPES]; /* visible values, innermost last */
  Shape results[4];
  size_t num_results;
} Programs;

#define EMIT(...) nr_buf_printf(&g->text, __VA_ARGS__)

static uint32_t roll(Programs *g, uint32_t n) { return (uint32_t)((test_random(&g->seed) >> 11) % n); }
static Shape any_shape(Programs *g) { return (Shape)roll(g, NUM_SHAPES); }

static uint32_t keep(Programs *g, Shape s, uint32_t v) {
  nr_vec_push(&g->pools[s], v);
  return v;
}

static const char *index_of(Programs *g) {
  static const char *const names[] = {"%c0", "%c1"};
  return names[roll(g, 2)];
}

static uint32_t scalar(Programs *g) {
  EMIT("%%v%u = arith.constant %d : i32\n", g->next, (int)roll(g, 100) - 50);
  return g->next++;
}

/* An empty tensor; of the shape of value `like` when that is not 0. */
static uint32_t empty(Programs *g, Shape s, uint32_t like) {
  if (s < DYN) EMIT("%%v%u = tensor.empty() : %s\n", g->next, shape_types[s]);
  else if (!like) EMIT("%%v%u = tensor.empty(%%n4) : %s\n", g->next, shape_types[s]);
  else {
    EMIT("%%v%u = tensor.dim %%v%u, %%c0 : %s\n", g->next, like, shape_types[s]);
    EMIT("%%v%u = tensor.empty(%%v%u) : %s\n", g->next + 1, g->next, shape_types[s]);
    g->next++;
  }
  return g->next++;
}

static uint32_t fresh(Programs *g, Shape s) {
  if (s < DYN && roll(g, 4) == 0) {
    EMIT("%%v%u = arith.constant dense<%d> : %s\n", g->next, (int)roll(g, 9), shape_types[s]);
  } else {
    uint32_t e = empty(g, s, 0), x = scalar(g);
    EMIT("%%v%u = linalg.fill ins(%%v%u : i32) outs(%%v%u : %s) -> %s\n", g->next, x, e, shape_types[s],
         shape_types[s]);
  }
  return keep(g, s, g->next++);
}

static uint32_t value(Programs *g, Shape s) {
  size_t n = g->pools[s].size;
  if (n == 0 || roll(g, 8) == 0) return fresh(g, s);
  size_t back = roll(g, 1 + roll(g, (uint32_t)n));
  return g->pools[s].data[n - 1 - back];
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* out[i] = in[i] (+ other[i]) (+ out[i]) (+ an element of a captured tensor) */
static void map_op(Programs *g) {
  Shape s = any_shape(g);
  const char *t = shape_types[s],
             *map = shape_ranks[s] == 1 ? "affine_map<(i) -> (i)>" : "affine_map<(i, j) -> (i, j)>";
  uint32_t a = value(g, s), b = s < DYN && roll(g, 2) ? value(g, s) : 0, captured = roll(g, 4) ? 0 : value(g, V4);
  bool reads = roll(g, 5) < 2;
  uint32_t out = !reads && roll(g, 3) ? empty(g, s, a) : s < DYN && roll(g, 3) ? value(g, s) : a;
  if (s >= DYN && out != a && !reads) captured = 0;
  EMIT("%%v%u = linalg.generic {indexing_maps = [%s, %s%s%s], iterator_types = [\"parallel\"%s]} ins(%%v%u", g->next,
       map, map, b ? ", " : "", b ? map : "", shape_ranks[s] == 2 ? ", \"parallel\"" : "", a);
  if (b) EMIT(", %%v%u : %s, %s)", b, t, t);
  else EMIT(" : %s)", t);
  EMIT(" outs(%%v%u : %s) {\n^bb0(%%x: i32, %s%%o: i32):\n  %%s0 = arith.addi %%x, %s : i32\n", out, t,
       b ? "%y: i32, " : "", b ? "%y" : "%one");
  EMIT("  %%s1 = arith.addi %%s0, %s : i32\n", reads ? "%o" : "%one");
  if (captured) EMIT("  %%s2 = tensor.extract %%v%u[%%c1] : tensor<4xi32>\n", captured);
  else EMIT("  %%s2 = arith.muli %%s1, %%s1 : i32\n");
  EMIT("  %%s3 = arith.addi %%s1, %%s2 : i32\n  linalg.yield %%s3 : i32\n} -> %s\n", t);
  keep(g, s, g->next++);
}

static void sum_op(Programs *g) {
  uint32_t a = value(g, M34), out = value(g, V4);
  EMIT("%%v%u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], "
       "iterator_types = "
       "[\"reduction\", \"parallel\"]} ins(%%v%u : tensor<3x4xi32>) outs(%%v%u : tensor<4xi32>) {\n^bb0(%%x: i32, %%o: "
       "i32):\n"
       "  %%s0 = arith.addi %%x, %%o : i32\n  linalg.yield %%s0 : i32\n} -> tensor<4xi32>\n",
       g->next, a, out);
  keep(g, V4, g->next++);
}

static void insert_op(Programs *g) {
  Shape s = any_shape(g);
  uint32_t t = value(g, s), x;
  if (roll(g, 2)) x = scalar(g);
  else {
    uint32_t from = value(g, V4);
    x = g->next++;
    EMIT("%%v%u = tensor.extract %%v%u[%s] : tensor<4xi32>\n", x, from, index_of(g));
  }
  EMIT("%%v%u = tensor.insert %%v%u into %%v%u[%s%s] : %s\n", g->next, x, t, index_of(g),
       shape_ranks[s] == 2 ? ", %c1" : "", shape_types[s]);
  keep(g, s, g->next++);
}

static void put_op(Programs *g) {
  Shape s = V12;
  uint32_t row = value(g, V4), into;
  switch (roll(g, 4)) {
  case 0:
    into = value(g, V12);
    EMIT("%%v%u = tensor.insert_slice %%v%u into %%v%u[%s] [4] [%u] : tensor<4xi32> into tensor<12xi32>\n", g->next,
         row, into, index_of(g), 1 + roll(g, 2));
    break;
  case 1:
    into = value(g, V4);
    EMIT("%%v%u = tensor.insert_slice %%v%u into %%v%u[0] [4] [1] : tensor<4xi32> into tensor<4xi32>\n", g->next, row,
         into);
    s = V4;
    break;
  case 2:
    into = value(g, M34);
    EMIT("%%v%u = tensor.expand_shape %%v%u [[0, 1]] output_shape [1, 4] : tensor<4xi32> into tensor<1x4xi32>\n",
         g->next, row);
    EMIT("%%v%u = tensor.insert_slice %%v%u into %%v%u[%s, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<3x4xi32>\n",
         g->next + 1, g->next, into, index_of(g));
    g->next++;
    s = M34;
    break;
  default:
    s = roll(g, 2) ? M34 : ROWS;
    into = value(g, s);
    EMIT("%%v%u = tensor.insert_slice %%v%u into %%v%u[%s, 0] [1, 4] [1, 1] : tensor<4xi32> into %s\n", g->next, row,
         into, index_of(g), shape_types[s]);
  }
  keep(g, s, g->next++);
}

static void view_op(Programs *g) {
  static const struct {
    Shape from, to;
    const char *text;
  } views[] = {{M34, V12, "collapse_shape %%v%u [[0, 1]]"},
               {V12, M34, "expand_shape %%v%u [[0, 1]] output_shape [3, 4]"},
               {V4, DYN, "cast %%v%u"},
               {M34, ROWS, "cast %%v%u"},
               {M34, V4, "extract_slice %%v%u[%%c1, 0] [1, 4] [1, 1]"},
               {V12, V4, "extract_slice %%v%u[%%c1] [4] [2]"},
               {ROWS, ROWS, "extract_slice %%v%u[0, 0] [%%c3, 4] [1, 1]"},
               {V12, V4, "extract_slice %%v%u[4] [4] [1]"}};
  uint32_t k = roll(g, NR_COUNTOF(views)), from = value(g, views[k].from);
  bool reshape = k < 2;
  EMIT("%%v%u = tensor.", g->next);
  EMIT(views[k].text, from);
  EMIT(" : %s %s %s\n", shape_types[views[k].from], reshape ? "into" : "to", shape_types[views[k].to]);
  keep(g, views[k].to, g->next++);
}

static void elements_op(Programs *g) {
  uint32_t a = scalar(g), b = scalar(g);
  EMIT("%%v%u = tensor.from_elements %%v%u, %%one, %%v%u, %%v%u : tensor<4xi32>\n", g->next, a, b, a);
  keep(g, V4, g->next++);
}

static void select_op(Programs *g) {
  Shape s = any_shape(g);
  uint32_t a = value(g, s), b = value(g, s);
  EMIT("%%v%u = arith.select %s, %%v%u, %%v%u : %s\n", g->next, roll(g, 2) ? "%yes" : "%no", a, b, shape_types[s]);
  keep(g, s, g->next++);
}

/* ---- control ---------------------------------------------------------------------------------------------------- */

static void block(Programs *g, int depth, uint32_t ops);

static void enter(Programs *g, size_t *sizes) {
  for (int s = 0; s < NUM_SHAPES; s++) sizes[s] = g->pools[s].size;
}
static void leave(Programs *g, const size_t *sizes) {
  for (int s = 0; s < NUM_SHAPES; s++) g->pools[s].size = sizes[s];
}

static size_t shapes_of(Programs *g, Shape *out) {
  size_t n = 1 + roll(g, 3);
  for (size_t i = 0; i < n; i++) out[i] = i && roll(g, 2) ? out[0] : any_shape(g);
  return n;
}

static void type_list(Programs *g, const Shape *shapes, size_t n) {
  for (size_t i = 0; i < n; i++) EMIT("%s%s", i ? ", " : "", shape_types[shapes[i]]);
}

/* What a region hands on: often an argument (swapped or twice), else what it computed or a value from outside. */
static void handed_on(Programs *g, const Shape *shapes, size_t n, uint32_t first_arg, uint32_t *out) {
  for (size_t i = 0; i < n; i++) {
    size_t k = roll(g, (uint32_t)n);
    out[i] = first_arg && roll(g, 3) == 0 && shapes[k] == shapes[i] ? first_arg + (uint32_t)k : value(g, shapes[i]);
  }
}

static void value_list(Programs *g, const uint32_t *values, const Shape *shapes, size_t n) {
  for (size_t i = 0; i < n; i++) EMIT("%s%%v%u", i ? ", " : "", values[i]);
  EMIT(" : ");
  type_list(g, shapes, n);
  EMIT("\n");
}

/* Names the results %vN#k under their own numbers, through casts of the same type that fold away. */
static void keep_results(Programs *g, uint32_t op, uint32_t first, const Shape *shapes, size_t n) {
  for (size_t i = 0; i < n; i++) {
    EMIT("%%v%u = tensor.cast %%v%u#%zu : %s to %s\n", g->next, op, i + first, shape_types[shapes[i]],
         shape_types[shapes[i]]);
    keep(g, shapes[i], g->next++);
  }
}

static void for_op(Programs *g, int depth) {
  Shape shapes[3];
  uint32_t inits[3], out[3], op;
  size_t n = shapes_of(g, shapes), sizes[NUM_SHAPES];
  for (size_t i = 0; i < n; i++) inits[i] = value(g, shapes[i]);
  op = g->next++;
  uint32_t first = g->next;
  g->next += (uint32_t)n;
  EMIT("%%v%u:%zu = scf.for %%i%u = %%c0 to %s step %%c1 iter_args(", op, n, op, roll(g, 4) ? "%c3" : index_of(g));
  for (size_t i = 0; i < n; i++) EMIT("%s%%v%u = %%v%u", i ? ", " : "", first + (uint32_t)i, inits[i]);
  EMIT(") -> (");
  type_list(g, shapes, n);
  EMIT(") {\n");
  enter(g, sizes);
  for (size_t i = 0; i < n; i++) keep(g, shapes[i], first + (uint32_t)i);
  block(g, depth - 1, 1 + roll(g, 5));
  handed_on(g, shapes, n, first, out);
  leave(g, sizes);
  EMIT("scf.yield ");
  value_list(g, out, shapes, n);
  EMIT("}\n");
  keep_results(g, op, 0, shapes, n);
}

static void while_op(Programs *g, int depth) {
  Shape shapes[3];
  uint32_t inits[3], out[3], op;
  size_t n = shapes_of(g, shapes), sizes[NUM_SHAPES];
  for (size_t i = 0; i < n; i++) inits[i] = value(g, shapes[i]);
  op = g->next++;
  uint32_t first = g->next, second = first + (uint32_t)n;
  g->next += 2 * (uint32_t)n;
  EMIT("%%v%u:%zu = scf.while (%%k%u = %%c0", op, n + 1, op);
  for (size_t i = 0; i < n; i++) EMIT(", %%v%u = %%v%u", first + (uint32_t)i, inits[i]);
  EMIT(") : (index, ");
  type_list(g, shapes, n);
  EMIT(") -> (index, ");
  type_list(g, shapes, n);
  EMIT(") {\n");
  enter(g, sizes);
  for (size_t i = 0; i < n; i++) keep(g, shapes[i], first + (uint32_t)i);
  block(g, 0, roll(g, 3));
  handed_on(g, shapes, n, first, out);
  leave(g, sizes);
  EMIT("%%go%u = arith.cmpi slt, %%k%u, %%c3 : index\nscf.condition(%%go%u) %%k%u", op, op, op, op);
  for (size_t i = 0; i < n; i++) EMIT(", %%v%u", out[i]);
  EMIT(" : index, ");
  type_list(g, shapes, n);
  EMIT("\n} do {\n^bb0(%%l%u: index", op);
  for (size_t i = 0; i < n; i++) EMIT(", %%v%u: %s", second + (uint32_t)i, shape_types[shapes[i]]);
  EMIT("):\n");
  for (size_t i = 0; i < n; i++) keep(g, shapes[i], second + (uint32_t)i);
  block(g, depth - 1, roll(g, 4));
  handed_on(g, shapes, n, second, out);
  leave(g, sizes);
  EMIT("%%m%u = arith.addi %%l%u, %%c1 : index\nscf.yield %%m%u", op, op, op);
  for (size_t i = 0; i < n; i++) EMIT(", %%v%u", out[i]);
  EMIT(" : index, ");
  type_list(g, shapes, n);
  EMIT("\n}\n");
  keep_results(g, op, 1, shapes, n);
}

static void if_op(Programs *g, int depth) {
  Shape shapes[3];
  uint32_t out[3], op = g->next++;
  size_t n = shapes_of(g, shapes), sizes[NUM_SHAPES];
  EMIT("%%v%u:%zu = scf.if %s -> (", op, n, roll(g, 2) ? "%yes" : "%no");
  type_list(g, shapes, n);
  for (int k = 0; k < 2; k++) {
    EMIT(k ? "} else {\n" : ") {\n");
    enter(g, sizes);
    block(g, depth - 1, roll(g, 4));
    handed_on(g, shapes, n, 0, out);
    leave(g, sizes);
    EMIT("scf.yield ");
    value_list(g, out, shapes, n);
  }
  EMIT("}\n");
  keep_results(g, op, 0, shapes, n);
}

static void block(Programs *g, int depth, uint32_t ops) {
  static void (*const flat[])(Programs *) = {map_op,  map_op, map_op,  insert_op, insert_op,   put_op,
                                             put_op, view_op, view_op, sum_op,    elements_op, select_op};
  static void (*const nested[])(Programs *, int) = {for_op, for_op, if_op, if_op, while_op};
  for (uint32_t i = 0; i < ops; i++) {
    uint32_t k = roll(g, NR_COUNTOF(flat) + (depth > 0 ? 2 * NR_COUNTOF(nested) : 0));
    if (k < NR_COUNTOF(flat)) flat[k](g);
    else nested[(k - NR_COUNTOF(flat)) % NR_COUNTOF(nested)](g, depth);
  }
}

/* A function `test` of (tensor<4xi32>, tensor<3x4xi32>, two indices 3 and 4, true, false). */
static void random_program(Programs *g) {
  NrBuf head = {0};
  g->next = 3;
  keep(g, V4, 1);
  keep(g, M34, 2);
  EMIT("%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%one = arith.constant 1 : i32\n");
  block(g, 3, 4 + roll(g, 6));
  uint32_t out[4];
  g->num_results = 1 + roll(g, 4);
  for (size_t i = 0; i < g->num_results; i++) out[i] = value(g, g->results[i] = any_shape(g));
  EMIT("return ");
  value_list(g, out, g->results, g->num_results);
  EMIT("}\n");
  NrBuf body = g->text;
  g->text = head;
  EMIT("func.func @test(%%v1: tensor<4xi32>, %%v2: tensor<3x4xi32>, %%c3: index, %%n4: index, %%yes: i1, %%no: i1) -> "
       "(");
  type_list(g, g->results, g->num_results);
  EMIT(") {\n");
  nr_buf_append(&g->text, body.data, body.size);
  nr_buf_deinit(&body);
}

#undef EMIT
#endif
