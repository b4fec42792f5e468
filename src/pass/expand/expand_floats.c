/* expand_floats.c - arithmetic on floats that the CPU does not convert becomes integer code and arithmetic on f32.
 *   before  %c = arith.addf %a, %b : bf16       after  %0 = arith.bitcast %a : bf16 to i16
 *                                                      %1 = arith.extui %0 : i16 to i32
 *                                                      .. arith.shli, arith.bitcast, the same of %b
 *                                                      %2 = arith.addf %x, %y : f32
 *                                                      .. rounded to nearest, ties to even (small_floats.c)
 *                                                      %c = arith.bitcast %9 : i16 to bf16
 * Each op rounds once. Values keep their types in memory, blocks and functions; what only moves them stays. A reduction
 * of such a vector rounds after every element, and an atomic op becomes memref.generic_atomic_rmw.
 * For all floats: casts with a rounding mode, casts with a scale (in f64, rounded once) and f64 to f16 are written
 * out, for which hardware has no instruction; math.fma of narrow floats is computed in f64. */
#include "dialect/arith/combine.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"
#include "pass/expand/small_floats.h"

typedef NrExpand X;
typedef NrValue *V;

static NrType elem_of(V value) { return nr_type_elem(value->type); }
static bool is_f64(NrType type) { return nr_type_is_float_kind(type, NR_F64); }

/* ---- casts ------------------------------------------------------------------------------------------------------ */

/* Converts between any two float types, rounding to nearest. */
static V float_cast(X *x, V value, NrType to) {
  bool small = nr_is_small_float(x, to);
  if (elem_of(value) == to) return value;
  if (nr_is_small_float(x, elem_of(value))) value = nr_small_float_extend(x, value);
  if (is_f64(elem_of(value)) && (small || nr_type_is_float_kind(to, NR_F16))) return nr_small_float_round(x, value, to);
  NrType near = small ? nr_type_f32(x->b.ctx) : to;
  unsigned cast = elem_of(value)->width < near->width ? NR_OP_arith_extf : NR_OP_arith_truncf;
  value = nr_expand_cast(x, cast, value, near);
  return small ? nr_small_float_round(x, value, to) : value;
}

enum { TO_NEAREST_EVEN, DOWNWARD, UPWARD, TOWARD_ZERO, TO_NEAREST_AWAY }; /* roundingmode */

static V both(X *x, V a, V b) { return nr_expand_two(x, NR_OP_arith_andi, a, b); }
static V size_of(X *x, V a) { return nr_expand_one(x, NR_OP_math_absf, a); }

/* The bits of the adjacent value: the next larger one where up is true, else the next smaller one. */
static V neighbour(X *x, NrType type, V bits, V up) {
  const NrFloatFormat *format = nr_float_format(type->float_kind);
  V one = nr_expand_int(x, bits, 1);
  V more = nr_expand_two(x, NR_OP_arith_addi, bits, one), less = nr_expand_two(x, NR_OP_arith_subi, bits, one);
  if (format && format->unsigned_no_zero) return nr_expand_pick(x, up, more, less);
  uint64_t sign_bit = 1ull << (type->width - 1);
  V zero = nr_expand_int(x, bits, 0), sign = nr_expand_int(x, bits, sign_bit);
  V negative = nr_arith_cmpi(&x->b, NR_CMPI_NE, both(x, bits, sign), zero);
  V is_zero = nr_arith_cmpi(&x->b, NR_CMPI_EQ, both(x, bits, nr_expand_int(x, bits, ~sign_bit)), zero);
  V out = nr_expand_pick(x, nr_expand_two(x, NR_OP_arith_xori, negative, up), more, less);
  out = nr_expand_pick(x, is_zero, nr_expand_pick(x, up, one, nr_expand_int(x, bits, sign_bit | 1)), out);
  if (!format || format->nan != NR_NAN_NEG_ZERO) return out;
  return nr_expand_pick(x, nr_arith_cmpi(&x->b, NR_CMPI_EQ, out, sign), zero, out);
}

/* near is exact, an f64, rounded to nearest. Returns near, or the adjacent value on the other side of exact where
 * the rounding mode wants that one. */
static V directed(X *x, int64_t mode, V exact, V near) {
  NrType f64 = nr_type_f64(x->b.ctx), to = elem_of(near);
  V have = float_cast(x, near, f64);
  V up = nr_arith_cmpf(&x->b, NR_CMPF_OLT, have, exact), down = nr_arith_cmpf(&x->b, NR_CMPF_OGT, have, exact);
  V next = nr_expand_from_bits(x, neighbour(x, to, nr_expand_bits(x, near), up), to);
  V other = float_cast(x, next, f64), take;
  if (mode == DOWNWARD) {
    take = down;
  } else if (mode == UPWARD) {
    take = up;
  } else if (mode == TOWARD_ZERO) {
    take = nr_arith_cmpf(&x->b, NR_CMPF_OGT, size_of(x, have), size_of(x, exact));
  } else { /* ties away from zero: exact is halfway, and the other value has the larger magnitude */
    V grows = nr_arith_cmpf(&x->b, NR_CMPF_OGT, size_of(x, other), size_of(x, have));
    V before = size_of(x, nr_expand_two(x, NR_OP_arith_subf, exact, have));
    V behind = size_of(x, nr_expand_two(x, NR_OP_arith_subf, other, exact));
    take = both(x, grows, nr_arith_cmpf(&x->b, NR_CMPF_OEQ, before, behind));
  }
  /* There is no value beyond the largest one, and NaN has no adjacent values. */
  V above = nr_arith_cmpf(&x->b, NR_CMPF_OGT, other, have), below = nr_arith_cmpf(&x->b, NR_CMPF_OLT, other, have);
  V is_there = nr_expand_pick(x, up, above, both(x, down, below));
  return nr_expand_pick(x, both(x, is_there, take), next, near);
}

static V cast(X *x, NrOp *op) {
  V in = nr_op_in(op);
  NrType from = elem_of(in), to = elem_of(nr_op_result(op));
  int64_t mode = nr_op_attr_int(op, NR_A_roundingmode, TO_NEAREST_EVEN);
  bool to_f16 = is_f64(from) && nr_type_is_float_kind(to, NR_F16);
  if (!nr_is_small_float(x, from) && !nr_is_small_float(x, to) && !to_f16 && mode == TO_NEAREST_EVEN) return NULL;
  V near = float_cast(x, in, to);
  return mode == TO_NEAREST_EVEN ? near : directed(x, mode, float_cast(x, in, nr_type_f64(x->b.ctx)), near);
}

/* in times scale, or in divided by it: exact in f64, then rounded once. */
static V scaling(X *x, NrOp *op) {
  V in = nr_op_in(op), scale = nr_op_scale(op);
  NrType f64 = nr_type_f64(x->b.ctx), to = elem_of(nr_op_result(op));
  if (!nr_type_is_float_kind(elem_of(scale), NR_F8E8M0FNU)) return NULL;
  int64_t mode = nr_op_attr_int(op, NR_A_roundingmode, TO_NEAREST_EVEN);
  unsigned id = nr_op_is(op, NR_OP_arith_scaling_extf) ? NR_OP_arith_mulf : NR_OP_arith_divf;
  V value = nr_expand_two(x, id, float_cast(x, in, f64), float_cast(x, scale, f64)), near = float_cast(x, value, to);
  return mode == TO_NEAREST_EVEN ? near : directed(x, mode, value, near);
}

/* Only libraries of new C compilers convert between integers of more than 64 bits and f16. */
static bool is_wide(NrType integer, NrType type) {
  return nr_type_bits(integer) > 64 && nr_type_is_float_kind(type, NR_F16);
}

/* Converts through f64, which holds every i32 exactly, so that it rounds once. */
static V from_int(X *x, NrOp *op) {
  NrType to = elem_of(nr_op_result(op));
  if (!nr_is_small_float(x, to) && !is_wide(elem_of(nr_op_in(op)), to)) return NULL;
  V wide = nr_expand_cast(x, op->info->id, nr_op_in(op), nr_type_f64(x->b.ctx));
  return nr_small_float_round(x, wide, to);
}

static V to_int(X *x, NrOp *op) {
  V in = nr_op_in(op);
  NrType to = elem_of(nr_op_result(op));
  if (is_wide(to, elem_of(in))) { /* i32 holds every f16 */
    V narrow = nr_expand_cast(x, op->info->id, float_cast(x, in, nr_type_f32(x->b.ctx)), nr_type_i32(x->b.ctx));
    return nr_expand_cast(x, nr_op_is(op, NR_OP_arith_fptosi) ? NR_OP_arith_extsi : NR_OP_arith_extui, narrow, to);
  }
  if (!nr_is_small_float(x, elem_of(in))) return NULL;
  return nr_expand_cast(x, op->info->id, nr_small_float_extend(x, in), to);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------- */

/* The same op, with its attributes, on f32. */
static V on_f32(X *x, NrOp *op) {
  V args[NR_EXPAND_OPERANDS], result = nr_op_result(op);
  NrType to = elem_of(result);
  if (!nr_is_small_float(x, nr_type_elem(nr_op_operand_type(op)))) return NULL;
  assert(op->num_operands <= NR_EXPAND_OPERANDS);
  for (uint32_t i = 0; i < op->num_operands; i++) args[i] = nr_small_float_extend(x, nr_operand(op, i));
  bool is_float = nr_type_is_float(to);
  NrType type = is_float ? args[0]->type : result->type;
  V wide = nr_build_value(&x->b, op->info->id, type, args, op->num_operands);
  for (uint32_t i = 0; i < op->num_attrs; i++)
    nr_op_set_attr_named(wide->op, op->attrs[i].name.data, op->attrs[i].value);
  return is_float ? nr_small_float_round(x, wide, to) : wide;
}

/* a * b + c in f64, which holds the product exactly, so that no step between rounds to f32. Compilers of C have no
 * function for f16 but by f64 either, and would call one of their own library. */
static V fused(X *x, NrOp *op) {
  NrType to = elem_of(nr_op_result(op)), f64 = nr_type_f64(x->b.ctx);
  bool has_f16 = nr_type_is_float_kind(to, NR_F16) && (x->target->units & NR_UNIT_F16);
  if (to->width >= 32 || has_f16) return NULL;
  V args[3];
  for (uint32_t i = 0; i < 3; i++) args[i] = float_cast(x, nr_operand(op, i), f64);
  V product = nr_expand_two(x, NR_OP_arith_mulf, args[0], args[1]);
  return float_cast(x, nr_expand_two(x, NR_OP_arith_addf, product, args[2]), to);
}

/* Flips the sign bit, of NaN too. Where the bits of -0 are the format's NaN, 0 and NaN stay. */
static V negated(X *x, NrOp *op) {
  V in = nr_arith_negf_operand(op);
  NrType type = elem_of(in);
  if (!nr_is_small_float(x, type)) return NULL;
  const NrFloatFormat *f = nr_float_format(type->float_kind);
  if (f->unsigned_no_zero) return NULL;
  uint64_t sign = 1ull << (f->exponent_bits + f->mantissa_bits);
  V bits = nr_expand_bits(x, in), out = nr_expand_two(x, NR_OP_arith_xori, bits, nr_expand_int(x, bits, sign));
  if (f->nan == NR_NAN_NEG_ZERO) {
    V magnitude = both(x, bits, nr_expand_int(x, bits, sign - 1));
    out = nr_expand_pick(x, nr_expand_compare_int(x, NR_CMPI_EQ, magnitude, 0), bits, out);
  }
  return nr_expand_from_bits(x, out, type);
}

/* a and b combined in f32 by the op `id` of dialect arith. */
static V combined(X *x, unsigned id, V a, V b, NrAttr fastmath) {
  V wide = nr_expand_two(x, id, nr_small_float_extend(x, a), nr_small_float_extend(x, b));
  if (fastmath) nr_op_set_attr(wide->op, NR_A_fastmath, fastmath);
  return nr_small_float_round(x, wide, a->type);
}

/* Reduces the lanes in order, and rounds after each. */
static V reduction(X *x, NrOp *op) {
  V vector = nr_vector_reduction_vector(op), acc = nr_vector_reduction_acc(op);
  NrType type = vector->type;
  if (!nr_is_small_float(x, type->elem) || type->rank != 1 || type->scalable) return NULL;
  unsigned id = nr_combine_of_vector(nr_vector_kind(op), true)->op_id;
  for (int64_t i = 0; i < type->dims[0]; i++) {
    NrIndex at = nr_index_const(i);
    V item = nr_build_vector_extract(&x->b, vector, &at, 1);
    acc = acc ? combined(x, id, acc, item, nr_op_attr(op, NR_A_fastmath)) : item;
  }
  return acc;
}

static V atomic(X *x, NrOp *op) {
  V value = nr_memref_atomic_rmw_value(op);
  const NrCombine *combine = nr_combine_of_atomic(nr_op_attr_int(op, NR_A_kind, 0));
  if (!nr_is_small_float(x, value->type) || !combine) return NULL;
  V operands[1 + NR_MAX_RANK] = {nr_memref_atomic_rmw_memref(op)};
  NrGroup indices = nr_memref_atomic_rmw_indices(op);
  size_t count = 1;
  for (size_t i = 0; i < indices.count; i++) operands[count++] = nr_operand(op, indices.begin + i);
  NrOp *generic = nr_build(&x->b, &(NrOpState){.info = nr_op_infos[NR_OP_memref_generic_atomic_rmw],
                                               .operands = operands,
                                               .num_operands = count,
                                               .result_types = &value->type,
                                               .num_results = 1,
                                               .num_regions = 1});
  NrBlock *body = nr_block_create(op->module);
  nr_block_append(nr_op_only_region(generic), body);
  V old = nr_block_add_arg(body, value->type, op->loc);
  NrBuilder here = x->b;
  x->b = nr_builder_at_end(op->module, body, op->loc);
  V next = combined(x, combine->op_id, old, value, NULL);
  nr_build_op(&x->b, NR_OP_memref_atomic_yield, &next, 1, NULL, 0);
  x->b = here;
  return nr_op_result(generic);
}

/* ---- the pass --------------------------------------------------------------------------------------------------- */

/* Each function returns the value that replaces the op's result, or NULL where the op stays. */
static V (*const expansions[NR_OP_COUNT])(X *x, NrOp *op) = {
    [NR_OP_arith_extf] = cast,            [NR_OP_arith_truncf] = cast,
    [NR_OP_arith_scaling_extf] = scaling, [NR_OP_arith_scaling_truncf] = scaling,
    [NR_OP_arith_sitofp] = from_int,      [NR_OP_arith_uitofp] = from_int,
    [NR_OP_arith_fptosi] = to_int,        [NR_OP_arith_fptoui] = to_int,
    [NR_OP_arith_addf] = on_f32,          [NR_OP_arith_subf] = on_f32,
    [NR_OP_arith_mulf] = on_f32,          [NR_OP_arith_divf] = on_f32,
    [NR_OP_arith_remf] = on_f32,          [NR_OP_arith_cmpf] = on_f32,
    [NR_OP_arith_maximumf] = on_f32,      [NR_OP_arith_minimumf] = on_f32,
    [NR_OP_arith_maxnumf] = on_f32,       [NR_OP_arith_minnumf] = on_f32,
    [NR_OP_arith_negf] = negated,         [NR_OP_math_absf] = on_f32,
    [NR_OP_math_ceil] = on_f32,           [NR_OP_math_floor] = on_f32,
    [NR_OP_math_round] = on_f32,          [NR_OP_math_roundeven] = on_f32,
    [NR_OP_math_trunc] = on_f32,          [NR_OP_math_copysign] = on_f32,
    [NR_OP_math_fma] = fused,             [NR_OP_math_powf] = on_f32,
    [NR_OP_math_sqrt] = on_f32,           [NR_OP_vector_reduction] = reduction,
    [NR_OP_memref_atomic_rmw] = atomic,
};

/* rt.check prints its operands; as f32 they show the same numbers. */
static void check(X *x, NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_is_small_float(x, nr_operand(op, i)->type))
      nr_op_set_operand(op, i, nr_small_float_extend(x, nr_operand(op, i)));
}

static NrStatus expand(X *x, NrOp *op) {
  bool is_check = nr_op_is(op, NR_OP_rt_check), is_atomic = nr_op_is(op, NR_OP_memref_atomic_rmw);
  if (!is_check && (!expansions[op->info->id] || !(is_atomic || nr_expand_can(op)))) return NR_OK;
  nr_expand_at(x, op);
  if (is_check) check(x, op);
  V value = is_check ? NULL : expansions[op->info->id](x, op);
  if (value) nr_op_replace(op, value);
  return NR_OK;
}

static NrStatus expand_floats_run(NrPassContext *pass, NrOp *root) { return nr_expand_matching(pass, root, expand); }

NR_PASS(expand_floats, .name = "expand-floats", .on_while = NR_WHILE_BARRIER, .run = expand_floats_run,
        .doc = "arithmetic on floats that the CPU does not convert becomes integer code and arithmetic on f32")
