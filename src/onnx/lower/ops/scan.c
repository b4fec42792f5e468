/* scan.c - Scan 8 and 9+: scf.for over the slices of the scan inputs.
 *
 * Scan 8 has a batch axis before the sequence axis and may give each batch entry its own length; it becomes a loop over
 * the batch around the loop of Scan 9, whose rows past the length stay zero. */
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

/* The loop of Scan 9, and of one batch entry of Scan 8. */
static NrStatus scan_trips(NrLower *l, Scan *scan) {
  NrArena *arena = &l->state->arena;
  NrBlock *body = nr_block_create(l->b.module);
  NrLower inner = *l;
  inner.b = nr_builder_at_end(l->b.module, body, l->b.loc);
  NrValue *iv = nr_block_add_arg(body, nr_type_index(l->ctx), NULL);
  size_t num_args = scan->num_states + scan->num_inputs, num_yields = scan->num_states + scan->num_outputs;
  NrLowered *args = NR_NEW_ARRAY(arena, NrLowered, num_args), *yields = NR_NEW_ARRAY(arena, NrLowered, num_yields);
  for (size_t i = 0; i < scan->num_states; i++) {
    NrType type = scan->states[i].value->type;
    NrValue *arg = nr_block_add_arg(body, nr_carried_type(type), NULL);
    args[i] = (NrLowered){nr_from_carried(&inner, arg, type), scan->states[i].dtype};
    for (uint32_t d = 0; d < type->rank; d++) /* a state keeps its shape */
      if (type->dims[d] == NR_DYNAMIC && args[i].value == arg)
        nr_lower_set_dim(l, arg, d, nr_lower_dim(l, scan->states[i].value, d));
  }
  for (size_t i = 0; i < scan->num_inputs; i++) {
    NrValue *at = iv;
    if (scan->input_reverse[i])
      at = nr_lower_op2(&inner, NR_OP_arith_subi, iv->type,
                        nr_dim_value(&inner, nr_dim_sub(&inner, scan->trips, nr_dim(1))), iv);
    args[scan->num_states + i] =
        (NrLowered){take(&inner, scan->inputs[i].value, scan->input_axis[i], at), scan->inputs[i].dtype};
  }
  NrStatus status = nr_lower_region(&inner, nr_op_region(l->op, 0), args, num_args, yields, num_yields);
  for (size_t i = 0; i < scan->num_states && !status; i++) {
    NrType before = scan->states[i].value->type, after = yields[i].value->type;
    if (yields[i].dtype != scan->states[i].dtype || !nr_join_types(before, after))
      status = nr_lower_error(l, "state %zu changes its type in the body", i);
    for (uint32_t d = 0; d < before->rank && !status; d++)
      nr_lower_check_dims_equal(&inner, nr_lower_dim(l, scan->states[i].value, d),
                                nr_lower_dim(&inner, yields[i].value, d), "dims of a state before and after a trip");
  }
  if (status) {
    nr_block_erase(body);
    return status;
  }
  size_t n = num_yields;
  NrScanOut *outs = NR_NEW_ARRAY(arena, NrScanOut, scan->num_outputs);
  NrValue **operands = NR_NEW_ARRAY(arena, NrValue *, n + 3), **next = NR_NEW_ARRAY(arena, NrValue *, n);
  NrType *types = NR_NEW_ARRAY(arena, NrType, n);
  NrMap first = {0};
  nr_map_set(&first, iv, nr_lower_index(l, 0));
  for (size_t i = 0; i < scan->num_states; i++) {
    NrType type = scan->states[i].value->type;
    operands[3 + i] = nr_to_carried(l, scan->states[i].value, type);
    nr_map_set(&first, body->args[1 + i], operands[3 + i]);
    next[i] = nr_to_carried(&inner, yields[i].value, type);
  }
  for (size_t i = 0; i < scan->num_outputs && !status; i++) {
    NrLowered *row = &yields[scan->num_states + i];
    outs[i] = (NrScanOut){.dtype = row->dtype,
                          .reverse = scan->output_reverse[i],
                          .name = nr_scan_out_name(l, scan->num_states + i)};
    int64_t axis = scan->output_axis ? scan->output_axis[i] : 0;
    if (!nr_lower_axis(l, axis, nr_rank(row->value) + 1, &outs[i].axis)) status = NR_ERROR_INVALID;
    if (!status) status = nr_scan_out_begin(l, &outs[i], body, &first, row->value, &scan->rows);
    if (status) break;
    NrValue *init = outs[i].init;
    if (!nr_dim_same(scan->rows, scan->trips)) {
      NrShape shape = nr_lower_shape(l, init);
      init = nr_lower_tensor_cast(l, nr_lower_fill(l, &shape, zero_of(l, init->type->elem)), init->type);
    }
    operands[3 + scan->num_states + i] = init;
    NrValue *acc = nr_block_add_arg(body, init->type, NULL);
    next[scan->num_states + i] = nr_scan_out_put(&inner, &outs[i], acc, row->value, iv, &scan->trips);
  }
  nr_map_deinit(&first);
  if (status) {
    nr_block_erase(body);
    return status;
  }
  nr_lower_poll(&inner, body, iv);
  nr_build_op(&inner.b, NR_OP_scf_yield, next, n, NULL, 0);
  operands[0] = nr_lower_index(l, 0);
  operands[1] = nr_dim_value(l, scan->trips);
  operands[2] = nr_lower_index(l, 1);
  for (size_t i = 0; i < n; i++) types[i] = operands[3 + i]->type;
  NrOpState state = {.info = nr_op_infos[NR_OP_scf_for],
                     .operands = operands,
                     .num_operands = n + 3,
                     .result_types = types,
                     .num_results = n,
                     .num_regions = 1};
  NrOp *loop = nr_build(&l->b, &state);
  nr_block_append(nr_op_region(loop, 0), body);
  for (size_t i = 0; i < n; i++) {
    bool is_state = i < scan->num_states;
    NrValue *r = nr_result(loop, i);
    if (is_state) r = nr_from_carried(l, r, scan->states[i].value->type);
    scan->results[i] = (NrLowered){r, yields[i].dtype};
    for (size_t d = 0; d < nr_rank(r); d++) {
      if (is_state) nr_lower_set_dim(l, r, d, nr_lower_dim(l, scan->states[i].value, d));
      else if (!outs[i - scan->num_states].late)
        nr_lower_set_dim(l, r, d, nr_lower_dim(l, outs[i - scan->num_states].init, d));
    }
  }
  return NR_OK;
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
  NrBlock *onnx = nr_op_body(l->op, 0);
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
  NrStatus status = nr_lower_for(l, batch, init, n, out, batch_body, &b);
  for (size_t i = 0; i < n && !status; i++) scan->results[i].value = out[i];
  return status;
}

/* ---- */

NrStatus nr_lower_scan(NrLower *l) {
  NrArena *arena = &l->state->arena;
  NrBlock *onnx = nr_op_body(l->op, 0);
  NrOp *last = nr_block_terminator(onnx);
  bool old = l->version < 9;
  int64_t count = nr_lower_attr_int(l, "num_scan_inputs");
  size_t first = old ? 1 : 0, total = nr_lower_num_in(l) - NR_MIN(first, nr_lower_num_in(l));
  if (count < 1 || (uint64_t)count > total) return nr_lower_error(l, "num_scan_inputs does not fit the node's inputs");
  Scan scan = {.num_inputs = (size_t)count, .num_states = total - (size_t)count};
  if (onnx->num_args != total || last->num_operands < scan.num_states)
    return nr_lower_error(l, "the body has %u inputs and %u outputs; %zu states and %zu scan inputs do not fit them",
                          onnx->num_args, last->num_operands, scan.num_states, scan.num_inputs);
  scan.num_outputs = last->num_operands - scan.num_states;
  size_t n = scan.num_states + scan.num_outputs;
  if (nr_lower_num_out(l) > n)
    return nr_lower_error(l, "the node has %zu outputs and the body gives %zu", nr_lower_num_out(l), n);
  scan.states = NR_NEW_ARRAY(arena, NrLowered, scan.num_states);
  scan.inputs = NR_NEW_ARRAY(arena, NrLowered, scan.num_inputs);
  scan.results = NR_NEW_ARRAY(arena, NrLowered, n);
  scan.input_axis = NR_NEW_ARRAY(arena, size_t, scan.num_inputs);
  scan.input_reverse = NR_NEW_ARRAY(arena, bool, scan.num_inputs);
  scan.output_reverse = NR_NEW_ARRAY(arena, bool, scan.num_outputs);
  for (size_t i = 0; i < total; i++) {
    NrLowered v = {nr_lower_in(l, first + i), nr_lower_dtype(l, first + i)};
    if (!v.value || v.value->type->kind != NR_TYPE_TENSOR)
      return nr_lower_error(l, "input %zu must be a tensor", first + i);
    if (i < scan.num_states) scan.states[i] = v;
    else scan.inputs[i - scan.num_states] = v;
    if (i >= scan.num_states && nr_rank(v.value) < (old ? 2u : 1u))
      return nr_lower_error(l, "scan input has no axis to scan");
  }
  NrStatus status = read_axes(l, &scan);
  if (!status && old) status = scan_batches(l, &scan);
  else if (!status) {
    scan.trips = nr_lower_dim(l, scan.inputs[0].value, scan.input_axis[0]);
    for (size_t i = 1; i < scan.num_inputs; i++)
      nr_lower_check_dims_equal(l, scan.trips, nr_lower_dim(l, scan.inputs[i].value, scan.input_axis[i]),
                                "trips that the scan inputs give");
    scan.rows = scan.trips;
    status = scan_trips(l, &scan);
  }
  for (size_t i = 0; i < n && !status; i++) status = nr_lower_out(l, i, scan.results[i].value, scan.results[i].dtype);
  return status;
}
