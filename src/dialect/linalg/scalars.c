/* scalars.c - the scalar computations of named ops.
 *
 * An op definition names its function in .scalar, linalg.elementwise in its attribute `kind`. The op that computes it
 * depends on the element type: `add` is arith.addf, arith.addi, complex.add or, for i1, arith.ori. */
#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"

/* A function of one, two or three elements, and its op for each element type; 0 where there is none. */
typedef struct Function {
  const char *name;
  size_t arity;
  unsigned of_float, of_int, of_complex, of_bool;
} Function;

static const Function functions[] = {
    {"add", 2, NR_OP_arith_addf, NR_OP_arith_addi, NR_OP_complex_add, NR_OP_arith_ori},
    {"sub", 2, NR_OP_arith_subf, NR_OP_arith_subi, NR_OP_complex_sub, 0},
    {"mul", 2, NR_OP_arith_mulf, NR_OP_arith_muli, NR_OP_complex_mul, NR_OP_arith_andi},
    {"div", 2, NR_OP_arith_divf, NR_OP_arith_divsi, NR_OP_complex_div, 0},
    {"div_unsigned", 2, 0, NR_OP_arith_divui, 0, 0},
    {"max_signed", 2, NR_OP_arith_maximumf, NR_OP_arith_maxsi, 0, 0},
    {"min_signed", 2, NR_OP_arith_minimumf, NR_OP_arith_minsi, 0, 0},
    {"max_unsigned", 2, NR_OP_arith_maximumf, NR_OP_arith_maxui, 0, 0},
    {"min_unsigned", 2, NR_OP_arith_minimumf, NR_OP_arith_minui, 0, 0},
    {"powf", 2, NR_OP_math_powf, 0, 0, 0},
    {"exp", 1, NR_OP_math_exp, 0, 0, 0},
    {"log", 1, NR_OP_math_log, 0, 0, 0},
    {"abs", 1, NR_OP_math_absf, 0, 0, 0},
    {"ceil", 1, NR_OP_math_ceil, 0, 0, 0},
    {"floor", 1, NR_OP_math_floor, 0, 0, 0},
    {"negf", 1, NR_OP_arith_negf, 0, 0, 0},
    {"round", 1, NR_OP_math_round, 0, 0, 0},
    {"sqrt", 1, NR_OP_math_sqrt, 0, 0, 0},
    {"rsqrt", 1, NR_OP_math_rsqrt, 0, 0, 0},
    {"tanh", 1, NR_OP_math_tanh, 0, 0, 0},
    {"erf", 1, NR_OP_math_erf, 0, 0, 0},
};

static bool is_int(NrType t) { return t->kind == NR_TYPE_INTEGER || t->kind == NR_TYPE_INDEX; }
static bool is_float(NrType t) { return t->kind == NR_TYPE_FLOAT; }

static unsigned op_for(const Function *f, NrType type) {
  if (is_float(type)) return f->of_float;
  if (nr_type_is_int_width(type, 1)) return f->of_bool;
  if (is_int(type)) return f->of_int;
  return type->kind == NR_TYPE_COMPLEX ? f->of_complex : 0;
}

/* Builds the function's op; NULL when it has none for the type. */
static NrValue *apply(NrBuilder *b, const char *name, NrValue *const *args) {
  for (size_t i = 0; i < NR_COUNTOF(functions); i++) {
    const Function *f = &functions[i];
    if (strcmp(f->name, name) != 0) continue;
    unsigned id = op_for(f, args[0]->type);
    bool one_type = f->arity == 1 || args[0]->type == args[1]->type;
    return id && one_type ? nr_build_value(b, id, args[0]->type, args, f->arity) : NULL;
  }
  return NULL;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

static unsigned int_cast(NrType from, NrType to, bool is_unsigned) {
  if (from->kind == NR_TYPE_INDEX || to->kind == NR_TYPE_INDEX)
    return is_unsigned ? NR_OP_arith_index_castui : NR_OP_arith_index_cast;
  if (to->width < from->width) return NR_OP_arith_trunci;
  return is_unsigned ? NR_OP_arith_extui : NR_OP_arith_extsi;
}

static unsigned cast_for(NrType from, NrType to, bool is_unsigned) {
  if (is_int(from) && is_int(to)) return int_cast(from, to, is_unsigned);
  if (is_int(from) && is_float(to)) return is_unsigned ? NR_OP_arith_uitofp : NR_OP_arith_sitofp;
  if (is_float(from) && is_int(to)) return is_unsigned ? NR_OP_arith_fptoui : NR_OP_arith_fptosi;
  if (!is_float(from) || !is_float(to) || from->width == to->width) return 0;
  return to->width < from->width ? NR_OP_arith_truncf : NR_OP_arith_extf;
}

/* Converts value to another type; NULL when there is no such conversion. */
static NrValue *cast(NrBuilder *b, NrValue *value, NrType to, bool is_unsigned) {
  if (value->type == to) return value;
  unsigned id = cast_for(value->type, to, is_unsigned);
  return id ? nr_build_value(b, id, to, &value, 1) : NULL;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* The body of an op under construction. */
typedef struct Body {
  NrBuilder b;
  NrOp *op;
  NrBlock *block;
  NrType to;        /* element type of the output */
  bool is_unsigned; /* integer conversions are unsigned */
  const char *name;
} Body;

static NrValue *input(Body *n, size_t i) { return nr_block_arg(n->block, i); }
static NrValue *output(Body *n) { return nr_block_arg(n->block, n->block->num_args - 1); }
static NrValue *converted(Body *n, size_t i) { return cast(&n->b, input(n, i), n->to, n->is_unsigned); }

/* acc + a * b. */
static NrValue *mul_add(Body *n) {
  NrValue *factors[] = {converted(n, 0), converted(n, 1)};
  if (!factors[0] || !factors[1]) return NULL;
  NrValue *product = apply(&n->b, "mul", factors);
  return product ? apply(&n->b, "add", (NrValue *[]){output(n), product}) : NULL;
}

/* acc + a, max(acc, a), ..: the function's name follows `acc_`. */
static NrValue *accumulate(Body *n) {
  NrValue *a = converted(n, 0);
  return a ? apply(&n->b, n->name + strlen("acc_"), (NrValue *[]){output(n), a}) : NULL;
}

static NrValue *copy(Body *n) { return converted(n, 0); }
static NrValue *square(Body *n) { return apply(&n->b, "mul", (NrValue *[]){input(n, 0), input(n, 0)}); }

static NrValue *reciprocal(Body *n) {
  if (!is_float(n->to)) return NULL;
  NrValue *one = nr_arith_constant(&n->b, nr_attr_float(n->to, 1.0));
  return apply(&n->b, "div", (NrValue *[]){one, input(n, 0)});
}

static NrValue *choose(Body *n) {
  if (!nr_type_is_int_width(input(n, 0)->type, 1) || input(n, 1)->type != input(n, 2)->type) return NULL;
  return nr_arith_select(&n->b, input(n, 0), input(n, 1), input(n, 2));
}

static NrValue *function(Body *n) { return apply(&n->b, n->name, n->block->args); }

typedef struct Scalar {
  const char *name;
  size_t inputs;
  NrValue *(*build)(Body *n);
} Scalar;

static const Scalar scalars[] = {
    {"mul_add", 2, mul_add},
    {"acc_add", 2, accumulate},
    {"acc_max_signed", 2, accumulate},
    {"acc_min_signed", 2, accumulate},
    {"acc_max_unsigned", 2, accumulate},
    {"acc_min_unsigned", 2, accumulate},
    {"copy", 1, copy},
    {"square", 1, square},
    {"reciprocal", 1, reciprocal},
    {"select", 3, choose},
};

static bool find_scalar(const char *name, Scalar *out) {
  for (size_t i = 0; i < NR_COUNTOF(scalars); i++)
    if (!strcmp(scalars[i].name, name)) return *out = scalars[i], true;
  for (size_t i = 0; i < NR_COUNTOF(functions); i++)
    if (!strcmp(functions[i].name, name)) return *out = (Scalar){name, functions[i].arity, function}, true;
  return false;
}

/* The word in an attribute `#linalg.<enum><word>`; empty for other attributes. */
static NrStr enum_word(const NrOp *op, const char *attr) {
  NrAttr a = nr_op_attr_named(op, attr);
  bool known = a && (a->kind == NR_ATTR_linalg_elementwise_kind || a->kind == NR_ATTR_linalg_type_fn);
  return known ? a->items[0]->s : (NrStr){0};
}

static const char *scalar_name(const NrOp *op) {
  if (op->info->scalar) return op->info->scalar;
  return nr_context_intern(nr_op_context(op), enum_word(op, "kind")).data;
}

NrStatus nr_linalg_build_body(NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  const char *name = scalar_name(op);
  Scalar scalar;
  if (!name || !find_scalar(name, &scalar))
    return nr_op_error(op, "has no function of elements named '%s'", name ? name : "");
  size_t inputs = nr_linalg_num_inputs(op), outputs = nr_linalg_num_outputs(op);
  if (inputs != scalar.inputs || outputs != 1)
    return nr_op_error(op, "expected %zu input%s and one output, but found %zu and %zu", scalar.inputs,
                       scalar.inputs == 1 ? "" : "s", inputs, outputs);
  NrBlock *block = nr_block_create(op->module);
  nr_block_append(nr_op_only_region(op), block);
  for (uint32_t i = 0; i < op->num_operands; i++)
    nr_block_add_arg(block, nr_type_elem(nr_operand(op, i)->type), op->loc);
  Body n = {.b = nr_builder_at_end(op->module, block, op->loc), .op = op, .block = block, .name = name};
  n.to = nr_block_arg(block, inputs)->type;
  n.is_unsigned = nr_str_is(enum_word(op, "cast"), "cast_unsigned");
  NrValue *value = scalar.build(&n);
  if (!value)
    return nr_op_error(op, "has no meaning for elements of type %s and results of type %s",
                       nr_type_text(ctx, nr_block_arg(block, 0)->type), nr_type_text(ctx, n.to));
  nr_build_op(&n.b, NR_OP_linalg_yield, &value, 1, NULL, 0);
  return NR_OK;
}
