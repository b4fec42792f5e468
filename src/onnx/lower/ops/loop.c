/* loop.c - Loop 1..25: scf.for when the condition is provably true, scf.while otherwise.
 *
 * The body is lowered into a detached block with the carried values' types; where it yields a value of a more general
 * type, the carried type is generalised (a dim becomes `?`) and the body is lowered again. Dims only ever become `?`,
 * so this terminates. The generalised types are cached for the op, so that outer loops do not repeat the search. */
#include "dialect/onnx/ops.h"
#include "dialect/scf/ops.h"
#include "onnx/lower/ops/control.h"

#include "dialect/onnx/dtype.h"

typedef struct Loop {
  NrOp *op;
  NrValue *trips;     /* index; NULL: no limit */
  NrValue *cond;      /* i1; NULL: the input is missing, and the body's condition is ignored */
  size_t num_carried, num_scans;
  NrLowered *carried; /* initial values */
  NrVersions *sets;   /* carried types, generalised */
  NrType *types;      /* the same as one type each */
  bool *capped;       /* the body may give ranks that are not in the set */
  NrValue **init;     /* the initial values, cast to these types */
  NrBlock *body;      /* detached; arguments: iv, (cond,) carried.. and then scan accumulators */
  NrLowered *yields;  /* cond, carried.., scans.. */
  NrValue *again;     /* i1: the first of them */
  NrBuilder end;
  NrScanOut *scans;
} Loop;

/* ---- the body ---- */

static NrValue *trip_number(NrLower *l, NrValue *iv, NrType declared) {
  NrType i64 = nr_type_i64(l->ctx);
  NrValue *number = nr_lower_op1(l, NR_OP_arith_index_cast, i64, iv);
  bool vector = declared->kind == NR_TYPE_TENSOR && declared->rank == 1;
  return nr_lower_from_elements(l, nr_type_tensor((int64_t[]){1}, vector ? 1 : 0, i64), &number, 1);
}

static NrValue *condition_tensor(NrLower *l, NrValue *cond, NrType declared) {
  bool vector = declared->kind == NR_TYPE_TENSOR && declared->rank == 1;
  return nr_lower_from_elements(l, nr_type_tensor((int64_t[]){1}, vector ? 1 : 0, nr_type_i1(l->ctx)), &cond, 1);
}

/* Lowers the body once with the types as they are. */
static NrStatus lower_body(NrLower *l, Loop *loop, NrValue *known_cond) {
  NrModule *module = l->b.module;
  NrBlock *onnx = nr_onnx_loop_body(loop->op);
  loop->body = nr_block_create(module);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(module, loop->body, l->b.loc);
  NrValue *iv = nr_block_add_arg(loop->body, nr_type_index(l->ctx), NULL);
  size_t num_args = 2 + loop->num_carried;
  NrLowered *args = NR_NEW_ARRAY(&l->state->arena, NrLowered, num_args);
  args[0] = (NrLowered){trip_number(&inner, iv, onnx->args[0]->type), NORIA_I64};
  NrValue *cond = known_cond ? known_cond : nr_lower_int(&inner, nr_type_i1(l->ctx), 1);
  args[1] = (NrLowered){condition_tensor(&inner, cond, onnx->args[1]->type), NORIA_BOOL};
  for (size_t i = 0; i < loop->num_carried; i++) {
    NrValue *arg = nr_block_add_arg(loop->body, nr_carried_type(loop->types[i]), NULL);
    NrValue *value = nr_lower_set_versions(&inner, nr_from_carried(&inner, arg, loop->types[i]), &loop->sets[i]);
    args[i + 2] = (NrLowered){value, loop->carried[i].dtype};
  }
  NrStatus status = nr_lower_region(&inner, nr_onnx_loop_region(loop->op), args, num_args, loop->yields,
                                    1 + loop->num_carried + loop->num_scans);
  for (size_t i = 1 + loop->num_carried; i < 1 + loop->num_carried + loop->num_scans && !status; i++)
    loop->yields[i].value = nr_lower_ranked(&inner, loop->yields[i].value,
                                            nr_operand(nr_block_terminator(onnx), i)->type, "a row of a scan output");
  loop->end = inner.b;
  return status;
}

/* Joins the yielded types with the carried ones. *out_changed: the body must be lowered again. */
static NrStatus generalise(NrLower *l, Loop *loop, bool *out_changed) {
  *out_changed = false;
  for (size_t i = 0; i < loop->num_carried; i++) {
    const NrLowered *y = &loop->yields[1 + i];
    if (y->dtype != loop->carried[i].dtype && nr_dtype_of(loop->types[i]) != NORIA_UNDEFINED)
      return nr_lower_error(l, "carried value %zu starts as %s and the body gives %s", i,
                            nr_dtype_name(loop->carried[i].dtype), nr_dtype_name(y->dtype));
    NrVersions before = loop->sets[i], given = nr_lower_versions(l, y->value);
    loop->capped[i] = !nr_versions_add(&loop->sets[i], &given);
    if (loop->capped[i] && !(nr_type_is_tensor(y->value->type) && nr_type_is_tensor(loop->types[i])))
      return nr_lower_error(l, "carried value %zu is of another kind behind a trip than before it", i);
    *out_changed |= before.count != loop->sets[i].count || memcmp(&before, &loop->sets[i], sizeof before) != 0;
    loop->types[i] = nr_versions_type(&loop->sets[i]);
  }
  return NR_OK;
}

static NrStatus settle_body(NrLower *l, Loop *loop, NrValue *known_cond) {
  NrVersions *kept = nr_map_get(&l->state->carried, loop->op);
  for (size_t i = 0; i < loop->num_carried; i++) {
    NrVersions now = nr_lower_versions(l, loop->carried[i].value), joined = kept ? kept[i] : now;
    loop->sets[i] = nr_versions_add(&joined, &now) ? joined : now;
    loop->types[i] = nr_versions_type(&loop->sets[i]);
  }
  for (;;) {
    NrStatus status = lower_body(l, loop, known_cond);
    bool changed = false;
    if (!status) status = generalise(l, loop, &changed);
    if (!status && !changed) break;
    nr_block_erase(loop->body);
    if (status) return status;
  }
  nr_map_set(&l->state->carried, loop->op, loop->sets);
  return NR_OK;
}

/* Whether the loop runs all its trips: no condition, or one that starts true and is yielded true. */
static bool always_true(Loop *loop) {
  int64_t value;
  if (!loop->cond) return true;
  if (!nr_value_constant_int(loop->cond, &value) || !value) return false;
  NrValue *y = loop->yields[0].value;
  NrAttr known = nr_value_constant(y);
  if (nr_attr_is_elements(known) && nr_attr_is_int(nr_attr_element(known, 0), &value)) return value != 0;
  bool is_list = y->op && nr_op_is(y->op, NR_OP_tensor_from_elements) && y->op->num_operands == 1;
  return is_list && nr_value_constant_int(nr_op_only_operand(y->op), &value) && value;
}

/* ---- the two forms ---- */

static NrStatus begin_scans(NrLower *l, Loop *loop, const NrDim *trips) {
  NrStatus status = NR_OK;
  NrMap first = {0};
  nr_map_set(&first, loop->body->args[0], nr_lower_index(l, 0));
  for (size_t i = 0; i < loop->num_carried; i++) {
    loop->init[i] = nr_to_carried(l, loop->carried[i].value, loop->types[i]);
    nr_map_set(&first, loop->body->args[1 + i], loop->init[i]);
  }
  for (size_t i = 0; i < loop->num_scans && !status; i++) {
    NrScanOut *s = &loop->scans[i];
    NrLowered *row = &loop->yields[1 + loop->num_carried + i];
    *s = (NrScanOut){.dtype = row->dtype, .name = nr_scan_out_name(l, loop->num_carried + i)};
    status = nr_scan_out_begin(l, s, loop->body, &first, row->value, trips);
  }
  nr_map_deinit(&first);
  return status;
}

/* Ends the body: polls, puts rows, and yields `first` (0 to 2 values), the carried values and the accumulators. */
static void end_body(NrLower *l, Loop *loop, const NrDim *trips, NrValue *const *first, size_t num_first, bool poll) {
  NrLower inner = *l;
  inner.b = loop->end;
  NrValue *iv = loop->body->args[0];
  size_t n = num_first + loop->num_carried + loop->num_scans;
  NrValue **out = NR_NEW_ARRAY(&l->state->arena, NrValue *, n);
  for (size_t i = 0; i < num_first; i++) out[i] = first[i];
  for (size_t i = 0; i < loop->num_carried; i++) {
    out[num_first + i] = nr_to_carried(&inner, loop->yields[1 + i].value, loop->types[i]);
    if (loop->capped[i])
      nr_lower_check_versions(&inner, out[num_first + i], &loop->sets[i],
                              nr_arena_printf(&l->state->arena,
                                              "carried value %zu gets rank %%0: the loop is compiled for %d ranks", i,
                                              (int)NR_MAX_VERSIONS));
  }
  for (size_t i = 0; i < loop->num_scans; i++) {
    NrValue *acc = nr_block_add_arg(loop->body, loop->scans[i].init->type, NULL);
    NrValue *row = loop->yields[1 + loop->num_carried + i].value;
    out[num_first + loop->num_carried + i] = nr_scan_out_put(&inner, &loop->scans[i], acc, row, iv, trips);
  }
  if (poll) nr_lower_poll(&inner, loop->body, iv);
  nr_build_op(&inner.b, NR_OP_scf_yield, out, n, NULL, 0);
}

/* Initial carried values and accumulators behind `first` ones; also their types. */
static void loop_operands(Loop *loop, NrValue *const *first, size_t num_first, NrValue **operands) {
  size_t n = 0;
  for (size_t i = 0; i < num_first; i++) operands[n++] = first[i];
  for (size_t i = 0; i < loop->num_carried; i++) operands[n++] = loop->init[i];
  for (size_t i = 0; i < loop->num_scans; i++) operands[n++] = loop->scans[i].init;
}

static NrStatus give_results(NrLower *l, Loop *loop, NrOp *op, size_t first, NrDim trips) {
  NrStatus status = NR_OK;
  for (size_t i = 0; i < loop->num_carried && !status; i++) {
    NrValue *result = nr_from_carried(l, nr_result(op, first + i), loop->types[i]);
    status = nr_lower_out(l, i, nr_lower_set_versions(l, result, &loop->sets[i]), loop->yields[1 + i].dtype);
  }
  for (size_t i = 0; i < loop->num_scans && !status; i++) {
    NrValue *acc = nr_result(op, first + loop->num_carried + i);
    if (!loop->scans[i].late && !loop->scans[i].grows)
      for (size_t d = 0, k = 0; d < nr_rank(acc); d++)
        nr_lower_set_dim(l, acc, d, d == 0 ? trips : loop->scans[i].row_dims.dims[k++]);
    status =
        nr_lower_out(l, loop->num_carried + i, nr_scan_out_end(l, &loop->scans[i], acc, trips), loop->scans[i].dtype);
  }
  return status;
}

enum { SHORT_LOOP = 1024 }; /* a loop of at most so many iterations has no safepoints */

static NrStatus build_for(NrLower *l, Loop *loop) {
  NrDim trips = nr_dim_max(l, nr_dim_of_index(loop->trips), nr_dim(0));
  NrStatus status = begin_scans(l, loop, &trips);
  if (status) return nr_block_erase(loop->body), status;
  size_t n = 3 + loop->num_carried + loop->num_scans;
  NrValue **operands = NR_NEW_ARRAY(&l->state->arena, NrValue *, n);
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, n);
  NrValue *bounds[3] = {nr_lower_index(l, 0), nr_dim_value(l, trips), nr_lower_index(l, 1)};
  loop_operands(loop, bounds, 3, operands);
  for (size_t i = 3; i < n; i++) types[i] = operands[i]->type;
  end_body(l, loop, &trips, NULL, 0, !nr_dim_known(trips) || trips.size > SHORT_LOOP);
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_for],
                     .operands = operands,
                     .num_operands = n,
                     .result_types = types + 3,
                     .num_results = n - 3,
                     .num_regions = 1};
  NrOp *op = nr_build(&l->b, &state);
  nr_block_append(nr_scf_for_region(op), loop->body);
  return give_results(l, loop, op, 0, trips);
}

/* before: (i, go, carried.., accs..) continues while go and i < trips; after = the body. */
static NrStatus build_while(NrLower *l, Loop *loop) {
  NrStatus status = begin_scans(l, loop, NULL);
  if (status) return nr_block_erase(loop->body), status;
  NrModule *module = l->b.module;
  size_t n = 2 + loop->num_carried + loop->num_scans;
  NrValue **operands = NR_NEW_ARRAY(&l->state->arena, NrValue *, n),
          **forwarded = NR_NEW_ARRAY(&l->state->arena, NrValue *, n);
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, n);
  NrValue *first[2] = {nr_lower_index(l, 0), loop->cond ? loop->cond : nr_lower_int(l, nr_type_i1(l->ctx), 1)};
  loop_operands(loop, first, 2, operands);
  for (size_t i = 0; i < n; i++) types[i] = operands[i]->type;

  NrBlock *before = nr_block_create(module);
  for (size_t i = 0; i < n; i++) nr_block_add_arg(before, types[i], NULL);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(module, before, l->b.loc);
  NrValue *go = before->args[1];
  if (loop->trips)
    go = nr_lower_op2(&inner, NR_OP_arith_andi, go->type, nr_lower_cmpi(&inner, 2, before->args[0], loop->trips), go);
  forwarded[0] = go;
  forwarded[1] = before->args[0];
  for (size_t i = 2; i < n; i++) forwarded[i] = before->args[i];
  nr_build_op(&inner.b, NR_OP_scf_condition, forwarded, n, NULL, 0);

  inner.b = loop->end;
  NrValue *iv = loop->body->args[0];
  NrValue *next[2] = {nr_lower_op2(&inner, NR_OP_arith_addi, iv->type, iv, nr_lower_index(&inner, 1)),
                      loop->cond ? loop->again : nr_lower_int(&inner, nr_type_i1(l->ctx), 1)};
  loop->end = inner.b;
  end_body(l, loop, NULL, next, 2, true);

  NrType *results = NR_NEW_ARRAY(&l->state->arena, NrType, n);
  for (size_t i = 1; i < n; i++) results[i - 1] = forwarded[i]->type;
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_while],
                     .operands = operands,
                     .num_operands = n,
                     .result_types = results,
                     .num_results = n - 1,
                     .num_regions = 2};
  NrOp *op = nr_build(&l->b, &state);
  nr_block_append(nr_scf_while_before_region(op), before);
  nr_block_append(nr_scf_while_after_region(op), loop->body);
  enum { TRIPS, NUM_COUNTERS }; /* of the results; the others are what the loop carries */
  return give_results(l, loop, op, NUM_COUNTERS, nr_dim_of_index(nr_result(op, TRIPS)));
}

/* ---- inputs ---- */

static NrStatus single(NrLower *l, NrValue *tensor, const char *what, NrValue **out) {
  int64_t n;
  *out = NULL;
  if (!tensor) return NR_OK;
  if (tensor->type->kind != NR_TYPE_TENSOR || (nr_type_num_elements(tensor->type, &n) && n != 1))
    return nr_lower_error(l, "%s must have one element", what);
  for (size_t d = 0; d < nr_rank(tensor); d++)
    nr_lower_check_dims_equal(l, nr_lower_dim(l, tensor, d), nr_dim(1),
                              nr_arena_printf(&l->state->arena, "elements of %s", what));
  *out = nr_lower_scalar(l, tensor);
  return NR_OK;
}

/* Reads the body's first output: the condition. */
static NrStatus read_condition(NrLower *l, Loop *loop) {
  const NrLowered *condition = &loop->yields[0];
  if (condition->dtype != NORIA_BOOL || condition->value->type->kind != NR_TYPE_TENSOR)
    return nr_lower_error(l, "the body's first output must be the boolean condition");
  if (!loop->cond) return NR_OK;
  NrLower inner = *l;
  inner.b = loop->end;
  NrStatus status = single(&inner, condition->value, "the condition that the body gives", &loop->again);
  loop->end = inner.b;
  return status;
}

NrStatus nr_lower_loop(NrLower *l) {
  NrArena *arena = &l->state->arena;
  NrBlock *onnx = nr_onnx_loop_body(l->op);
  NrOp *last = nr_block_terminator(onnx);
  Loop loop = {.op = l->op, .num_carried = nr_lower_num_in(l) > 2 ? nr_lower_num_in(l) - 2 : 0};
  if (onnx->num_args != loop.num_carried + 2)
    return nr_lower_error(l, "the body has %u inputs; with %zu carried values it must have %zu", onnx->num_args,
                          loop.num_carried, loop.num_carried + 2);
  if (last->num_operands < 1 + loop.num_carried)
    return nr_lower_error(l, "the body has %u outputs; with %zu carried values it must have at least %zu",
                          last->num_operands, loop.num_carried, loop.num_carried + 1);
  loop.num_scans = last->num_operands - 1 - loop.num_carried;
  if (nr_lower_num_out(l) > loop.num_carried + loop.num_scans)
    return nr_lower_error(l, "the node has %zu outputs and the body gives %zu", nr_lower_num_out(l),
                          loop.num_carried + loop.num_scans);
  NR_TRY(single(l, nr_lower_in(l, 0), "the trip count", &loop.trips));
  NR_TRY(single(l, nr_lower_in(l, 1), "the condition", &loop.cond));
  if (loop.trips && nr_lower_dtype(l, 0) != NORIA_I64) return nr_lower_error(l, "the trip count must be int64");
  if (loop.cond && nr_lower_dtype(l, 1) != NORIA_BOOL)
    return nr_lower_error(l, "the condition must be a boolean tensor");
  if (loop.trips) loop.trips = nr_dim_value(l, nr_dim_of_index(nr_lower_as_index(l, loop.trips)));

  loop.carried = NR_NEW_ARRAY(arena, NrLowered, loop.num_carried);
  loop.sets = NR_NEW_ARRAY(arena, NrVersions, loop.num_carried);
  loop.types = NR_NEW_ARRAY(arena, NrType, loop.num_carried);
  loop.capped = NR_NEW_ARRAY(arena, bool, loop.num_carried);
  loop.init = NR_NEW_ARRAY(arena, NrValue *, loop.num_carried);
  loop.yields = NR_NEW_ARRAY(arena, NrLowered, 1 + loop.num_carried + loop.num_scans);
  loop.scans = NR_NEW_ARRAY(arena, NrScanOut, loop.num_scans);
  for (size_t i = 0; i < loop.num_carried; i++) {
    loop.carried[i] = (NrLowered){nr_lower_in(l, i + 2), nr_lower_dtype(l, i + 2)};
    if (!loop.carried[i].value) return nr_lower_error(l, "carried value %zu has no initial value", i);
  }
  /* Inside the body the condition is true, because the iteration began. */
  NR_TRY(settle_body(l, &loop, NULL));
  NrStatus status = read_condition(l, &loop);
  if (status) return nr_block_erase(loop.body), status;
  return loop.trips && always_true(&loop) ? build_for(l, &loop) : build_while(l, &loop);
}
