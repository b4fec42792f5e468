/* scan.c - Scan 8 and 9+: scf.for over the slices of the scan inputs.
 *
 * Scan 8 has a batch axis before the sequence axis and may give each batch entry its own length; it becomes a loop over
 * the batch around the loop of Scan 9, whose rows past the length stay zero. */
#include "dialect/onnx/ops.h"
#include "dialect/scf/ops.h"
#include "onnx/lower/ops/control.h"

#include "dialect/onnx/dtype.h"

typedef struct Scan {
  size_t num_states, num_inputs, num_outputs;
  NrLowered *states, *inputs; /* inputs: with the scan axis */
  size_t *input_axis;
  const int64_t *output_axis; /* the attribute, NULL: all 0; the rank is known once the body is lowered */
  bool *input_reverse, *output_reverse;
  NrDim trips;                /* that the body runs */
  NrDim rows;                 /* of the outputs: trips or more (Scan 8) */
  NrLowered *results;         /* states, then outputs */
} Scan;

/* Slice `at` of tensor along axis, without that axis. */
static NrValue *take(NrLower *l, NrValue *tensor, size_t axis, NrValue *at) {
  NrShape sizes = nr_lower_shape(l, tensor), row = {.rank = sizes.rank - 1};
  NrDim offsets[NORIA_MAX_RANK];
  for (size_t i = 0, k = 0; i < sizes.rank; i++) {
    offsets[i] = i == axis ? nr_dim_of_index(at) : nr_dim(0);
    if (i != axis) row.dims[k++] = sizes.dims[i];
  }
  if (row.rank == 0) return nr_lower_from_scalar(l, nr_lower_extract(l, tensor, &at, 1));
  sizes.dims[axis] = nr_dim(1);
  return nr_lower_reshape(l, nr_lower_slice(l, tensor, offsets, sizes.dims, NULL), &row);
}

static NrValue *zero_of(NrLower *l, NrType elem) { return nr_lower_constant(l, elem, 0); }

/* ---- the loop over the trips: Scan 9, and what Scan 8 does for one batch entry ---- */

typedef struct Trips {
  Scan *scan;
  NrLower inner;               /* in the body */
  NrBlock *body;
  NrValue *iv;
  size_t num_carried;          /* states, then outputs */
  NrLowered *yields;           /* what the ONNX body gives */
  NrScanOut *outs;
  NrValue **operands, **next;  /* of the loop: bounds and step, then what is carried; of its yield */
} Trips;

/* The arguments of the ONNX body: the states are arguments of the loop, the inputs slices at the trip. */
static NrLowered *body_args(NrLower *l, Trips *t) {
  const Scan *scan = t->scan;
  NrLowered *args = NR_NEW_ARRAY(&l->state->arena, NrLowered, scan->num_states + scan->num_inputs);
  for (size_t i = 0; i < scan->num_states; i++) {
    NrType type = scan->states[i].value->type;
    NrValue *arg = nr_block_add_arg(t->body, nr_carried_type(type), NULL);
    args[i] = (NrLowered){nr_from_carried(&t->inner, arg, type), scan->states[i].dtype};
    for (uint32_t d = 0; d < type->rank; d++) /* a state keeps its shape */
      if (type->dims[d] == NR_DYNAMIC && args[i].value == arg)
        nr_lower_set_dim(l, arg, d, nr_lower_dim(l, scan->states[i].value, d));
  }
  for (size_t i = 0; i < scan->num_inputs; i++) {
    NrValue *at = t->iv;
    if (scan->input_reverse[i])
      at = nr_lower_op2(&t->inner, NR_OP_arith_subi, at->type,
                        nr_dim_value(&t->inner, nr_dim_sub(&t->inner, scan->trips, nr_dim(1))), at);
    args[scan->num_states + i] =
        (NrLowered){take(&t->inner, scan->inputs[i].value, scan->input_axis[i], at), scan->inputs[i].dtype};
  }
  return args;
}

static NrStatus check_states(NrLower *l, Trips *t) {
  NrStatus status = NR_OK;
  for (size_t i = 0; i < t->scan->num_states && !status; i++) {
    const NrLowered *state = &t->scan->states[i], *yield = &t->yields[i];
    NrType before = state->value->type;
    if (yield->dtype != state->dtype || !nr_join_types(before, yield->value->type))
      status = nr_lower_error(l, "state %zu changes its type in the body", i);
    for (uint32_t d = 0; d < before->rank && !status; d++)
      nr_lower_check_dims_equal(&t->inner, nr_lower_dim(l, state->value, d), nr_lower_dim(&t->inner, yield->value, d),
                                "dims of a state before and after a trip");
  }
  return status;
}

/* The tensor of output i, and the row that a trip puts into it. first: values of the first trip. */
static NrStatus carry_output(NrLower *l, Trips *t, size_t i, NrMap *first) {
  const Scan *scan = t->scan;
  size_t at = scan->num_states + i;
  NrValue *row = t->yields[at].value;
  NrScanOut *out = &t->outs[i];
  *out = (NrScanOut){
      .dtype = t->yields[at].dtype, .reverse = scan->output_reverse[i], .name = nr_scan_out_name(l, at)};
  if (!nr_lower_axis(l, scan->output_axis ? scan->output_axis[i] : 0, nr_rank(row) + 1, &out->axis))
    return NR_ERROR_INVALID;
  NR_TRY(nr_scan_out_begin(l, out, t->body, first, row, &scan->rows));
  NrValue *init = out->init;
  if (!nr_dim_same(scan->rows, scan->trips)) {
    NrShape shape = nr_lower_shape(l, init);
    init = nr_lower_tensor_cast(l, nr_lower_fill(l, &shape, zero_of(l, init->type->elem)), init->type);
  }
  t->operands[3 + at] = init;
  NrValue *acc = nr_block_add_arg(t->body, init->type, NULL);
  t->next[at] = nr_scan_out_put(&t->inner, out, acc, row, t->iv, &scan->trips);
  return NR_OK;
}

/* Fills what the loop carries: operands in front of it, next in its body. */
static NrStatus carry(NrLower *l, Trips *t) {
  NrMap first = {0};
  NrStatus status = NR_OK;
  nr_map_set(&first, t->iv, nr_lower_index(l, 0));
  for (size_t i = 0; i < t->scan->num_states; i++) {
    NrType type = t->scan->states[i].value->type;
    t->operands[3 + i] = nr_to_carried(l, t->scan->states[i].value, type);
    nr_map_set(&first, t->body->args[1 + i], t->operands[3 + i]);
    t->next[i] = nr_to_carried(&t->inner, t->yields[i].value, type);
  }
  for (size_t i = 0; i < t->scan->num_outputs && !status; i++) status = carry_output(l, t, i, &first);
  nr_map_deinit(&first);
  return status;
}

static NrOp *build_loop(NrLower *l, Trips *t) {
  nr_lower_poll(&t->inner, t->body, t->iv);
  nr_build_op(&t->inner.b, NR_OP_scf_yield, t->next, t->num_carried, NULL, 0);
  t->operands[0] = nr_lower_index(l, 0);
  t->operands[1] = nr_dim_value(l, t->scan->trips);
  t->operands[2] = nr_lower_index(l, 1);
  NrType *types = NR_NEW_ARRAY(&l->state->arena, NrType, t->num_carried);
  for (size_t i = 0; i < t->num_carried; i++) types[i] = t->operands[3 + i]->type;
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_for],
                     .operands = t->operands,
                     .num_operands = t->num_carried + 3,
                     .result_types = types,
                     .num_results = t->num_carried,
                     .num_regions = 1};
  NrOp *loop = nr_build(&l->b, &state);
  nr_block_append(nr_scf_for_region(loop), t->body);
  return loop;
}

/* The loop gives the results of the scan. A result has the dims of the value that the loop began with. */
static void set_results(NrLower *l, Trips *t, NrOp *loop) {
  const Scan *scan = t->scan;
  for (size_t i = 0; i < t->num_carried; i++) {
    bool is_state = i < scan->num_states;
    const NrScanOut *out = is_state ? NULL : &t->outs[i - scan->num_states];
    NrValue *r = nr_result(loop, i);
    if (is_state) r = nr_from_carried(l, r, scan->states[i].value->type);
    scan->results[i] = (NrLowered){r, t->yields[i].dtype};
    for (size_t d = 0; d < nr_rank(r); d++) {
      if (is_state) nr_lower_set_dim(l, r, d, nr_lower_dim(l, scan->states[i].value, d));
      else if (!out->late) nr_lower_set_dim(l, r, d, nr_lower_dim(l, out->init, d));
    }
  }
}

static NrStatus scan_trips(NrLower *l, Scan *scan) {
  NrArena *arena = &l->state->arena;
  size_t num_args = scan->num_states + scan->num_inputs, n = scan->num_states + scan->num_outputs;
  Trips t = {.scan = scan,
             .inner = *l,
             .body = nr_block_create(l->b.module),
             .num_carried = n,
             .yields = NR_NEW_ARRAY(arena, NrLowered, n),
             .outs = NR_NEW_ARRAY(arena, NrScanOut, scan->num_outputs),
             .operands = NR_NEW_ARRAY(arena, NrValue *, n + 3),
             .next = NR_NEW_ARRAY(arena, NrValue *, n)};
  t.inner.b = nr_builder_at_end(l->b.module, t.body, l->b.loc);
  t.iv = nr_block_add_arg(t.body, nr_type_index(l->ctx), NULL);
  NrLowered *args = body_args(l, &t);
  NrStatus status = nr_lower_region(&t.inner, nr_onnx_scan_region(l->op), args, num_args, t.yields, n);
  NrOp *last = nr_block_terminator(nr_onnx_scan_body(l->op));
  for (size_t i = 0; i < n && !status; i++)
    t.yields[i].value = nr_lower_ranked(&t.inner, t.yields[i].value,
                                        i < scan->num_states ? scan->states[i].value->type : nr_operand(last, i)->type,
                                        i < scan->num_states ? "a state behind a trip" : "a row of a scan output");
  if (!status) status = check_states(l, &t);
  if (!status) status = carry(l, &t);
  if (status) nr_block_erase(t.body);
  else set_results(l, &t, build_loop(l, &t));
  return status;
}

/* ---- attributes ---- */

static NrStatus read_axes(NrLower *l, Scan *scan) {
  const int64_t *values;
  size_t count;
  bool old = l->version < 9;
  if (!old && nr_lower_attr_ints(l, "scan_input_axes", &values, &count)) {
    if (count != scan->num_inputs)
      return nr_lower_error(l, "scan_input_axes has %zu entries for %zu inputs", count, scan->num_inputs);
    for (size_t i = 0; i < count; i++)
      if (!nr_lower_axis(l, values[i], nr_rank(scan->inputs[i].value), &scan->input_axis[i])) return NR_ERROR_INVALID;
  }
  if (!old && nr_lower_attr_ints(l, "scan_output_axes", &values, &count)) {
    if (count != scan->num_outputs)
      return nr_lower_error(l, "scan_output_axes has %zu entries for %zu outputs", count, scan->num_outputs);
    scan->output_axis = values;
  }
  if (nr_lower_attr_ints(l, old ? "directions" : "scan_input_directions", &values, &count))
    for (size_t i = 0; i < NR_MIN(count, scan->num_inputs); i++) scan->input_reverse[i] = values[i] == 1;
  if (!old && nr_lower_attr_ints(l, "scan_output_directions", &values, &count))
    for (size_t i = 0; i < NR_MIN(count, scan->num_outputs); i++) scan->output_reverse[i] = values[i] == 1;
  return NR_OK;
}

/* ---- Scan 8 ---- */

typedef struct Batch {
  Scan *scan;       /* with states and inputs of the whole batch */
  NrValue *lengths; /* i64 tensor or NULL */
  size_t num_rows;
} Batch;

/* The body of the loop over the batch, which carries the results of all entries. */
static NrStatus batch_body(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user) {
  Batch *b = user;
  NrArena *arena = &l->state->arena;
  Scan one = *b->scan;
  size_t n = one.num_states + one.num_outputs;
  one.states = NR_NEW_ARRAY(arena, NrLowered, one.num_states);
  one.inputs = NR_NEW_ARRAY(arena, NrLowered, one.num_inputs);
  one.results = NR_NEW_ARRAY(arena, NrLowered, n);
  for (size_t i = 0; i < one.num_states; i++)
    one.states[i] = (NrLowered){take(l, b->scan->states[i].value, 0, iv), b->scan->states[i].dtype};
  for (size_t i = 0; i < one.num_inputs; i++)
    one.inputs[i] = (NrLowered){take(l, b->scan->inputs[i].value, 0, iv), b->scan->inputs[i].dtype};
  one.rows = b->scan->rows;
  one.trips = b->lengths ? nr_dim_of_index(nr_lower_as_index(l, nr_lower_extract(l, b->lengths, &iv, 1))) : one.rows;
  NrStatus status = scan_trips(l, &one);
  for (size_t i = 0; i < n && !status; i++) {
    b->scan->results[i].dtype = one.results[i].dtype;
    NrShape row = nr_lower_shape(l, one.results[i].value), slab = {.rank = row.rank + 1};
    slab.dims[0] = nr_dim(1);
    memcpy(slab.dims + 1, row.dims, row.rank * sizeof *row.dims);
    NrDim offsets[NORIA_MAX_RANK] = {nr_dim_of_index(iv)};
    for (size_t d = 1; d < slab.rank; d++) offsets[d] = nr_dim(0);
    next[i] = nr_lower_insert_slice(l, nr_lower_reshape(l, one.results[i].value, &slab), carried[i], offsets);
  }
  return status;
}

/* The result shapes of Scan 8: those of the states, and for outputs the row shapes that the body declares. */
static NrStatus scan_batches(NrLower *l, Scan *scan) {
  NrArena *arena = &l->state->arena;
  NrBlock *onnx = nr_onnx_scan_body(l->op);
  size_t n = scan->num_states + scan->num_outputs;
  NrDim batch = nr_lower_dim(l, scan->inputs[0].value, 0);
  scan->rows = nr_lower_dim(l, scan->inputs[0].value, 1);
  NrValue **init = NR_NEW_ARRAY(arena, NrValue *, n), **out = NR_NEW_ARRAY(arena, NrValue *, n);
  for (size_t i = 0; i < scan->num_states; i++) {
    NrShape shape = nr_lower_shape(l, scan->states[i].value);
    init[i] = nr_lower_empty(l, &shape, scan->states[i].value->type->elem);
  }
  for (size_t i = 0; i < scan->num_outputs; i++) {
    NrType declared = nr_operand(nr_block_terminator(onnx), scan->num_states + i)->type;
    if (declared->kind != NR_TYPE_TENSOR || !nr_type_has_static_shape(declared))
      return nr_lower_error(l, "the body must declare a static shape for scan output %zu", i);
    NrShape shape = {.rank = declared->rank + 2, .dims = {batch, scan->rows}};
    for (size_t d = 0; d < declared->rank; d++) shape.dims[d + 2] = nr_dim(declared->dims[d]);
    init[scan->num_states + i] = nr_lower_empty(l, &shape, nr_lower_elem_type(l->ctx, nr_dtype_of(declared)));
  }
  Batch b = {scan, nr_lower_in(l, 0), n};
  bool is_list = !b.lengths || (b.lengths->type->kind == NR_TYPE_TENSOR && nr_rank(b.lengths) == 1);
  if (!is_list || (b.lengths && nr_lower_dtype(l, 0) != NORIA_I64))
    return nr_lower_error(l, "sequence_lens must be a list of int64");
  NrStatus status = nr_lower_for(l, batch, init, n, out, batch_body, &b);
  for (size_t i = 0; i < n && !status; i++) scan->results[i].value = out[i];
  return status;
}

/* ---- the node ---- */

/* The sizes of the lists; the node's inputs behind the first `skip` ones are states and scan inputs. */
static NrStatus read_counts(NrLower *l, size_t skip, Scan *scan) {
  NrBlock *body = nr_onnx_scan_body(l->op);
  uint32_t num_yields = nr_block_terminator(body)->num_operands;
  int64_t count = nr_lower_attr_int(l, "num_scan_inputs");
  size_t total = nr_lower_num_in(l) - NR_MIN(skip, nr_lower_num_in(l));
  if (count < 1 || (uint64_t)count > total) return nr_lower_error(l, "num_scan_inputs does not fit the node's inputs");
  *scan = (Scan){.num_inputs = (size_t)count, .num_states = total - (size_t)count};
  if (body->num_args != total || num_yields < scan->num_states)
    return nr_lower_error(l, "the body has %u inputs and %u outputs; %zu states and %zu scan inputs do not fit them",
                          body->num_args, num_yields, scan->num_states, scan->num_inputs);
  scan->num_outputs = num_yields - scan->num_states;
  if (nr_lower_num_out(l) > num_yields)
    return nr_lower_error(l, "the node has %zu outputs and the body gives %u", nr_lower_num_out(l), num_yields);
  return NR_OK;
}

/* min_rank: of the inputs; that of the states is one less. */
static NrStatus read_inputs(NrLower *l, size_t skip, uint32_t min_rank, Scan *scan) {
  for (size_t i = 0; i < scan->num_states + scan->num_inputs; i++) {
    NrLowered v = {nr_lower_in(l, skip + i), nr_lower_dtype(l, skip + i)};
    bool is_state = i < scan->num_states;
    NrType declared = nr_onnx_scan_body(l->op)->args[i]->type;
    if (v.value && declared->kind == NR_TYPE_TENSOR && declared->rank + min_rank <= NORIA_MAX_RANK) {
      NrType like = nr_open_tensor_type(declared->rank + min_rank - is_state, declared->elem);
      v.value = nr_lower_ranked(l, v.value, like, nr_arena_printf(&l->state->arena, "input %zu", skip + i));
    }
    if (!v.value || v.value->type->kind != NR_TYPE_TENSOR)
      return nr_lower_error(l, "input %zu must be a tensor", skip + i);
    *(is_state ? &scan->states[i] : &scan->inputs[i - scan->num_states]) = v;
    if (!is_state && nr_rank(v.value) < min_rank) return nr_lower_error(l, "scan input has no axis to scan");
  }
  return NR_OK;
}

/* Dims that the body declares hold for what it is given: a state keeps its shape, and every slice has the same one. */
static void take_declared_dims(NrLower *l, NrLowered *v, size_t lead, const size_t *axis, NrType declared) {
  NrType type = v->value->type;
  int64_t dims[NORIA_MAX_RANK];
  if (declared->kind != NR_TYPE_TENSOR || type->rank != lead + (axis != NULL) + declared->rank) return;
  for (size_t i = 0, k = 0; i < type->rank; i++) {
    dims[i] = type->dims[i];
    if (i < lead || (axis && i == lead + *axis)) continue;
    int64_t size = declared->dims[k++];
    if (dims[i] != NR_DYNAMIC || size == NR_DYNAMIC) continue;
    nr_lower_check_dims_equal(l, nr_lower_dim(l, v->value, i), nr_dim(size),
                              axis ? "dims of a slice, and as the body declares it"
                                   : "dims of a state, and as the body declares it");
    dims[i] = size;
  }
  v->value = nr_lower_tensor_cast(l, v->value, nr_type_tensor(dims, type->rank, type->elem));
}

/* Scan 9 and later. */
static NrStatus scan_once(NrLower *l, Scan *scan) {
  scan->trips = nr_lower_dim(l, scan->inputs[0].value, scan->input_axis[0]);
  for (size_t i = 1; i < scan->num_inputs; i++)
    nr_lower_check_dims_equal(l, scan->trips, nr_lower_dim(l, scan->inputs[i].value, scan->input_axis[i]),
                              "trips that the scan inputs give");
  scan->rows = scan->trips;
  return scan_trips(l, scan);
}

NrStatus nr_lower_scan(NrLower *l) {
  NrArena *arena = &l->state->arena;
  bool old = l->version < 9;
  Scan scan;
  NR_TRY(read_counts(l, old, &scan));
  size_t n = scan.num_states + scan.num_outputs;
  scan.states = NR_NEW_ARRAY(arena, NrLowered, scan.num_states);
  scan.inputs = NR_NEW_ARRAY(arena, NrLowered, scan.num_inputs);
  scan.results = NR_NEW_ARRAY(arena, NrLowered, n);
  scan.input_axis = NR_NEW_ARRAY(arena, size_t, scan.num_inputs);
  scan.input_reverse = NR_NEW_ARRAY(arena, bool, scan.num_inputs);
  scan.output_reverse = NR_NEW_ARRAY(arena, bool, scan.num_outputs);
  NR_TRY(read_inputs(l, old, old ? 2 : 1, &scan));
  NR_TRY(read_axes(l, &scan));
  NrBlock *body = nr_onnx_scan_body(l->op);
  for (size_t i = 0; i < scan.num_states; i++) take_declared_dims(l, &scan.states[i], old, NULL, body->args[i]->type);
  for (size_t i = 0; i < scan.num_inputs; i++)
    take_declared_dims(l, &scan.inputs[i], old, &scan.input_axis[i], body->args[scan.num_states + i]->type);
  NR_TRY(old ? scan_batches(l, &scan) : scan_once(l, &scan));
  for (size_t i = 0; i < n; i++) NR_TRY(nr_lower_out(l, i, scan.results[i].value, scan.results[i].dtype));
  return NR_OK;
}
