/* ops_channel.c - channels and collectives: the calls of the runtime that compiled code makes
 * (src/pass/bufferize/collectives.c). */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"
#include "interp/ops.h"

static NoriaDesc scalar(int64_t bits) { return (NoriaDesc){.rank = -1, .bits = (uint64_t)bits}; }

/* The check site of op, with its location. */
static NoriaDesc site(NrInterp *in, NrOp *op) {
  return scalar((uint32_t)((uintptr_t)nr_map_get(&in->sites, op) - 1));
}

static NoriaDesc handle(NrInterp *in, NrValue *value) { return (NoriaDesc){.data = nr_get(in, value).handle}; }

static NoriaDesc tensor(const NrIView *dense) {
  NoriaDesc d = {.data = dense->buffer->data, .rank = (int64_t)dense->rank, .bits = nr_iview_elem_size(dense->elem)};
  memcpy(d.dims, dense->dims, dense->rank * sizeof *d.dims);
  return d;
}

static bool call(NrInterp *in, NrOp *op, const NoriaDesc *args, NoriaDesc *result) {
  uintptr_t index = (uintptr_t)nr_map_get(&in->imports, op);
  if (!in->exec || !index) return nr_interp_fail(in, op, "calls the runtime");
  return nr_interp_import(in, index - 1, args, result) || nr_interp_fail_reported(in, op);
}

bool nr_run_channel(NrInterp *in, NrOp *op) {
  NoriaDesc args[4], result = {0};
  size_t count = 0;
  NrStr group = nr_op_attr_str(op, NR_A_group);
  if (nr_op_is(op, NR_OP_flow_channel_default))
    args[count++] = (NoriaDesc){.data = (void *)group.data, .rank = 1, .bits = 1, .dims = {(int64_t)group.size}};
  if (nr_op_is(op, NR_OP_flow_channel_split)) args[count++] = site(in, op);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    args[count++] = nr_type_is_index(value->type) ? scalar(nr_get_index(in, value)) : handle(in, value);
  }
  if (!call(in, op, args, &result)) return false;
  bool is_index = nr_type_is_index(nr_op_result(op)->type);
  nr_set(in, nr_op_result(op), is_index ? (NrIValue){.bits = result.bits} : (NrIValue){.handle = result.data});
  return true;
}

bool nr_run_collective(NrInterp *in, NrOp *op) {
  NrIView *source = nr_get(in, nr_flow_collective_source(op)).view;
  bool has_partners = nr_op_is(op, NR_OP_flow_collective_send_recv);
  if (!nr_interp_flow_dims(in, op)) return false;
  /* A copy, because a rank that takes no part keeps the target. */
  NrIView *target = nr_iview_dense_copy(in, nr_get(in, nr_op_target(op)).view);
  NrIView *dense = target ? nr_iview_dense_copy(in, source) : NULL;
  bool ok = dense != NULL;
  if (ok) {
    NoriaDesc args[] = {site(in, op),
                        scalar(nr_flow_collective_kind(op)),
                        scalar(nr_flow_element_dtype(op)),
                        scalar(nr_op_attr_int(op, NR_A_reduction_op, NR_FLOW_NONE)),
                        scalar(nr_flow_has_same_rows(op)),
                        handle(in, nr_flow_collective_channel(op)),
                        scalar(has_partners ? nr_get_index(in, nr_flow_collective_send_recv_send(op)) : -1),
                        scalar(has_partners ? nr_get_index(in, nr_flow_collective_send_recv_recv(op)) : -1),
                        tensor(target),
                        tensor(dense)};
    ok = call(in, op, args, NULL);
  }
  nr_iview_release(dense);
  if (ok) nr_set(in, nr_op_result(op), (NrIValue){.view = target});
  else nr_iview_release(target);
  return ok;
}
