/* eval.h - an evaluator of scalar programs for tests of passes, independent of the folds and of the interpreter: C's
 * own arithmetic on int64_t, wrapped to the type's width. It records the arguments of calls of declared functions, so
 * that a pass which loses, doubles or reorders effects is found. */
#ifndef NORIA_TESTS_UNIT_PASS_EVAL_H
#define NORIA_TESTS_UNIT_PASS_EVAL_H

#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/scf/scf.h"

typedef struct EvalEnv {
  struct EvalEnv *up; /* of the caller: not visible, only for freeing */
  NrMap values;       /* NrValue* -> int64_t */
} EvalEnv;

typedef NR_VEC(int64_t) EvalList;

typedef struct Eval {
  NrModule *module;
  EvalList trace;
  size_t fuel;
  bool stopped; /* out of fuel, or undefined behaviour: a division by zero */
  bool undefined;
  EvalEnv *env;
} Eval;

static int64_t eval_get(Eval *e, const NrValue *value) { return (int64_t)(intptr_t)nr_map_get(&e->env->values, value); }

/* i1 is 0 or 1, wider types are sign-extended. */
static int64_t eval_wrap(NrType type, int64_t value) {
  uint32_t bits = nr_type_bits(type);
  if (bits == 1) return value & 1;
  return bits < 64 ? (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits) : value;
}

static void eval_set(Eval *e, const NrValue *value, int64_t to) {
  nr_map_set(&e->env->values, value, (void *)(intptr_t)eval_wrap(value->type, to));
}

static void eval_stop(Eval *e, bool undefined) {
  e->stopped = true;
  e->undefined |= undefined;
}

static uint64_t eval_unsigned(NrType type, int64_t value) {
  uint32_t bits = nr_type_bits(type);
  return bits < 64 ? (uint64_t)value & ((UINT64_C(1) << bits) - 1) : (uint64_t)value;
}

static bool eval_compare(NrOp *op, int64_t a, int64_t b) {
  NrType t = nr_operand(op, 0)->type;
  uint64_t ua = eval_unsigned(t, a), ub = eval_unsigned(t, b);
  if (nr_type_is_int_width(t, 1)) { /* the one bit is a sign when compared as signed */
    a = -(int64_t)ua;
    b = -(int64_t)ub;
  }
  switch (nr_op_attr_int(op, "predicate", -1)) {
  case 0: return a == b;
  case 1: return a != b;
  case 2: return a < b;
  case 3: return a <= b;
  case 4: return a > b;
  case 5: return a >= b;
  case 6: return ua < ub;
  case 7: return ua <= ub;
  case 8: return ua > ub;
  default: return ua >= ub;
  }
}

static int64_t eval_arith(Eval *e, NrOp *op) {
  int64_t a = op->num_operands > 0 ? eval_get(e, nr_operand(op, 0)) : 0;
  int64_t b = op->num_operands > 1 ? eval_get(e, nr_operand(op, 1)) : 0;
  NrType t = op->num_operands ? nr_operand(op, 0)->type : NULL;
  switch (op->info->id) {
  case NR_OP_arith_constant: return nr_op_attr(op, "value")->i;
  case NR_OP_arith_addi: return (int64_t)((uint64_t)a + (uint64_t)b);
  case NR_OP_arith_subi: return (int64_t)((uint64_t)a - (uint64_t)b);
  case NR_OP_arith_muli: return (int64_t)((uint64_t)a * (uint64_t)b);
  case NR_OP_arith_andi: return a & b;
  case NR_OP_arith_ori: return a | b;
  case NR_OP_arith_xori: return a ^ b;
  case NR_OP_arith_maxsi: return a > b ? a : b;
  case NR_OP_arith_minui: return eval_unsigned(t, a) < eval_unsigned(t, b) ? a : b;
  case NR_OP_arith_divsi:
  case NR_OP_arith_remsi:
    if (b == 0 ||
        (b == -1 && op->info->id == NR_OP_arith_divsi && a == eval_wrap(t, INT64_C(1) << (nr_type_bits(t) - 1)))) {
      eval_stop(e, true);
      return 0;
    }
    return b == -1 ? (op->info->id == NR_OP_arith_divsi ? -a : 0) : op->info->id == NR_OP_arith_divsi ? a / b : a % b;
  case NR_OP_arith_cmpi: return eval_compare(op, a, b);
  case NR_OP_arith_select: return a & 1 ? b : eval_get(e, nr_operand(op, 2));
  case NR_OP_arith_extui: return (int64_t)eval_unsigned(t, a);
  case NR_OP_arith_extsi: return nr_type_is_int_width(t, 1) ? -(a & 1) : a;
  case NR_OP_arith_trunci:
  case NR_OP_arith_index_cast: return a;
  default: fail_msg("the evaluator does not know %.*s", NR_STR_ARG(nr_op_name(op))); return 0;
  }
}

static void eval_region(Eval *e, NrRegion *region, const int64_t *args, EvalList *out);

static void eval_results(Eval *e, NrOp *op, const EvalList *values) {
  for (uint32_t i = 0; i < op->num_results && i < values->size; i++) eval_set(e, nr_result(op, i), values->data[i]);
}

/* Bounds narrower than int64_t: the induction variable grows without wrapping. */
static void eval_for(Eval *e, NrOp *op) {
  EvalList carried = {0}, args = {0};
  int64_t lower = eval_get(e, nr_operand(op, 0)), upper = eval_get(e, nr_operand(op, 1)),
          step = eval_get(e, nr_operand(op, 2));
  if (nr_op_attr(op, "unsignedCmp")) {
    NrType t = nr_operand(op, 0)->type;
    lower = (int64_t)eval_unsigned(t, lower);
    upper = (int64_t)eval_unsigned(t, upper);
    step = (int64_t)eval_unsigned(t, step);
  }
  for (uint32_t i = 3; i < op->num_operands; i++) nr_vec_push(&carried, eval_get(e, nr_operand(op, i)));
  for (int64_t iv = lower; iv < upper && !e->stopped; iv += step) {
    args.size = 0;
    nr_vec_push(&args, iv);
    for (size_t i = 0; i < carried.size; i++) nr_vec_push(&args, carried.data[i]);
    eval_region(e, nr_op_region(op, 0), args.data, &carried);
  }
  eval_results(e, op, &carried);
  nr_vec_deinit(&carried);
  nr_vec_deinit(&args);
}

static void eval_while(Eval *e, NrOp *op) {
  EvalList carried = {0}, handed = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&carried, eval_get(e, nr_operand(op, i)));
  while (!e->stopped) {
    eval_region(e, nr_op_region(op, 0), carried.data, &handed);
    if (e->stopped || !(handed.data[0] & 1)) break;
    eval_region(e, nr_op_region(op, 1), handed.data + 1, &carried);
  }
  for (uint32_t i = 0; i < op->num_results && i + 1 < handed.size; i++)
    eval_set(e, nr_result(op, i), handed.data[i + 1]);
  nr_vec_deinit(&carried);
  nr_vec_deinit(&handed);
}

/* One dimension, one reduction after the other: the order that the passes keep. */
static void eval_parallel(Eval *e, NrOp *op) {
  NrBlock *body = nr_op_body(op, 0);
  assert_int_equal(body->num_args, 1);
  EvalList running = {0}, args = {0};
  int64_t lower = eval_get(e, nr_operand(op, 0)), upper = eval_get(e, nr_operand(op, 1)),
          step = eval_get(e, nr_operand(op, 2));
  for (uint32_t i = 3; i < op->num_operands; i++) nr_vec_push(&running, eval_get(e, nr_operand(op, i)));
  for (int64_t iv = lower; iv < upper && !e->stopped; iv += step) {
    EvalList values = {0};
    eval_region(e, nr_op_region(op, 0), &iv, &values);
    NrOp *reduce = nr_block_terminator(body);
    for (uint32_t i = 0; i < reduce->num_regions && !e->stopped; i++) {
      EvalList one = {0};
      eval_region(e, nr_op_region(reduce, i), (int64_t[]){running.data[i], values.data[i]}, &one);
      if (one.size) running.data[i] = one.data[0];
      nr_vec_deinit(&one);
    }
    nr_vec_deinit(&values);
  }
  eval_results(e, op, &running);
  nr_vec_deinit(&running);
  nr_vec_deinit(&args);
}

static void eval_call(Eval *e, NrOp *op) {
  NrAttr callee = nr_op_attr(op, "callee");
  NrOp *func = nr_symbol_resolve(op, callee);
  EvalList args = {0}, results = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&args, eval_get(e, nr_operand(op, i)));
  if (nr_op_body(func, 0)) {
    EvalEnv env = {.up = e->env};
    e->env = &env;
    eval_region(e, nr_op_region(func, 0), args.data, &results);
    e->env = env.up;
    nr_map_deinit(&env.values);
  } else {
    for (size_t i = 0; i < args.size; i++) nr_vec_push(&e->trace, args.data[i]);
    for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&results, (int64_t)e->trace.size * 7 % 5);
  }
  eval_results(e, op, &results);
  nr_vec_deinit(&args);
  nr_vec_deinit(&results);
}

static void eval_op(Eval *e, NrOp *op) {
  EvalList values = {0};
  switch (op->info->id) {
  case NR_OP_scf_for: eval_for(e, op); break;
  case NR_OP_scf_while: eval_while(e, op); break;
  case NR_OP_scf_parallel: eval_parallel(e, op); break;
  case NR_OP_func_call: eval_call(e, op); break;
  case NR_OP_scf_if: {
    NrRegion *region = nr_op_region(op, eval_get(e, nr_operand(op, 0)) & 1 ? 0 : 1);
    if (region->first) eval_region(e, region, NULL, &values);
    eval_results(e, op, &values);
    break;
  }
  case NR_OP_scf_execute_region:
    eval_region(e, nr_op_region(op, 0), NULL, &values);
    eval_results(e, op, &values);
    break;
  case NR_OP_scf_index_switch: {
    const int64_t *cases = nr_op_attr(op, "cases")->data;
    uint32_t taken = 0;
    for (uint32_t i = 1; i < op->num_regions && !taken; i++)
      if (cases[i - 1] == eval_get(e, nr_operand(op, 0))) taken = i;
    eval_region(e, nr_op_region(op, taken), NULL, &values);
    eval_results(e, op, &values);
    break;
  }
  default: eval_set(e, nr_result(op, 0), eval_arith(e, op)); break;
  }
  nr_vec_deinit(&values);
}

/* The successor that a branch takes; NULL for a terminator that ends the region. */
static NrSuccessor *eval_branch(Eval *e, NrOp *op) {
  switch (op->info->id) {
  case NR_OP_cf_br: return &op->successors[0];
  case NR_OP_cf_cond_br: return &op->successors[eval_get(e, nr_operand(op, 0)) & 1 ? 0 : 1];
  case NR_OP_cf_switch: {
    NrAttr cases = nr_op_attr(op, "case_values");
    for (uint32_t i = 1; i < op->num_successors; i++)
      if (nr_attr_element(cases, (int64_t)i - 1)->i == eval_get(e, nr_operand(op, 0))) return &op->successors[i];
    return &op->successors[0];
  }
  default: return NULL;
  }
}

/* Runs a region; out gets the operands of the terminator that ends it. */
static void eval_region(Eval *e, NrRegion *region, const int64_t *args, EvalList *out) {
  NrBlock *block = region->first;
  EvalList handed = {0};
  for (uint32_t i = 0; i < block->num_args; i++) nr_vec_push(&handed, args[i]);
  while (block && !e->stopped) {
    for (uint32_t i = 0; i < block->num_args; i++) eval_set(e, block->args[i], handed.data[i]);
    for (NrOp *op = block->first; op && !e->stopped; op = op->next) {
      if (e->fuel-- == 0) {
        e->fuel = 0;
        eval_stop(e, false);
        break;
      }
      if (!nr_op_has(op, NR_TERMINATOR)) {
        eval_op(e, op);
        continue;
      }
      NrSuccessor *taken = eval_branch(e, op);
      handed.size = 0;
      uint32_t begin = taken ? (uint32_t)nr_successor_operand_begin(op, (size_t)(taken - op->successors)) : 0;
      uint32_t count = taken ? taken->num_operands : op->num_operands;
      for (uint32_t i = 0; i < count; i++) nr_vec_push(&handed, eval_get(e, nr_operand(op, begin + i)));
      block = taken ? taken->block : NULL;
      break;
    }
  }
  out->size = 0;
  for (size_t i = 0; i < handed.size && !e->stopped; i++) nr_vec_push(out, handed.data[i]);
  nr_vec_deinit(&handed);
}

/* Runs function `name`; results and trace are left in out and e->trace. */
static void eval_function(Eval *e, NrModule *module, const char *name, const int64_t *args, size_t fuel,
                          EvalList *out) {
  EvalEnv env = {0};
  *e = (Eval){.module = module, .fuel = fuel, .env = &env};
  NrOp *func = nr_symbol_lookup(module->op, nr_str(name));
  assert_non_null(func);
  eval_region(e, nr_op_region(func, 0), args, out);
  nr_map_deinit(&env.values);
  e->env = NULL;
}

#endif
