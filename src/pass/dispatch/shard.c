/* shard.c - parts of tensors and collectives for the passes that share a program out over ranks. */
#include "pass/dispatch/shard.h"

#include "dialect/arith/arith.h"
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"

NrShard nr_shard_begin(NrBuilder *b) {
  NrType channel = nr_type_channel(b->ctx), index = nr_type_index(b->ctx);
  NrShard shard = {.channel = nr_build_value(b, NR_OP_flow_channel_default, channel, NULL, 0)};
  shard.rank = nr_build_value(b, NR_OP_flow_channel_rank, index, &shard.channel, 1);
  shard.count = nr_build_value(b, NR_OP_flow_channel_count, index, &shard.channel, 1);
  return shard;
}

void nr_shard_part(NrBuilder *b, const NrShard *shard, NrIndex size, NrIndex *out_offset, NrIndex *out_length) {
  NrIndex rank = nr_index_of(shard->rank), count = nr_index_of(shard->count);
  NrIndex begin = nr_index_floordiv(b, nr_index_mul(b, size, rank), count);
  NrIndex next = nr_index_add(b, rank, nr_index_const(1));
  NrIndex end = nr_index_floordiv(b, nr_index_mul(b, size, next), count);
  *out_offset = begin;
  *out_length = nr_index_sub(b, end, begin);
}

static NrIndex size_of(NrBuilder *b, NrValue *tensor, uint32_t dim) {
  int64_t size = tensor->type->dims[dim];
  if (size != NR_DYNAMIC) return nr_index_const(size);
  NrValue *operands[] = {tensor, nr_arith_constant_index(b, dim)};
  return nr_index_of(nr_build_value(b, NR_OP_tensor_dim, nr_type_index(b->ctx), operands, 2));
}

NrValue *nr_shard_slice(NrBuilder *b, NrValue *tensor, uint32_t dim, NrIndex offset, NrIndex length) {
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK];
  for (uint32_t d = 0; d < tensor->type->rank; d++) {
    offsets[d] = d == dim ? offset : nr_index_const(0);
    sizes[d] = d == dim ? length : size_of(b, tensor, d);
    strides[d] = nr_index_const(1);
  }
  return nr_build_extract_slice(b, tensor, offsets, sizes, strides, NULL);
}

/* The number of the element type in flow's list; -1: collectives do not have it. */
static int64_t element_type(NrType elem) {
  static const NrFloatKind floats[] = {NR_F16, NR_F32, NR_F64, NR_BF16};
  for (int64_t i = 0; i < 4; i++)
    if (nr_type_is_float_kind(elem, floats[i])) return 8 + i;
  for (int64_t i = 0; i < 4; i++)
    if (nr_type_is_int_width(elem, 8u << i)) return 2 * i + (elem->signedness == NR_UNSIGNED);
  return -1;
}

bool nr_shard_can_send(NrType tensor) { return nr_type_is_ranked(tensor) && element_type(tensor->elem) >= 0; }

static NrValue *collective(NrBuilder *b, const NrShard *shard, unsigned op, NrValue *target, NrValue *source) {
  NR_VEC(NrValue *) operands = {0};
  NrType type = target->type, i32 = nr_type_i32(b->ctx);
  nr_vec_push(&operands, target);
  for (uint32_t d = 0; d < type->rank; d++)
    if (type->dims[d] == NR_DYNAMIC) nr_vec_push(&operands, nr_index_value(b, size_of(b, target, d)));
  nr_vec_push(&operands, source);
  nr_vec_push(&operands, shard->channel);
  NrOp *call = nr_build_op(b, op, operands.data, operands.size, &type, 1);
  nr_op_set_attr(call, NR_A_element_type, nr_attr_int(i32, element_type(type->elem)));
  if (op == NR_OP_flow_collective_all_reduce) nr_op_set_attr(call, NR_A_reduction_op, nr_attr_int(i32, NR_FLOW_SUM));
  nr_op_set_attr(call, NR_A_tied_operands, nr_tied_attr(b->ctx, (int64_t[]){0}, 1));
  nr_vec_deinit(&operands);
  return nr_op_result(call);
}

NrValue *nr_shard_all_reduce(NrBuilder *b, const NrShard *shard, NrValue *tensor) {
  return collective(b, shard, NR_OP_flow_collective_all_reduce, tensor, tensor);
}

NrValue *nr_shard_all_gather(NrBuilder *b, const NrShard *shard, NrValue *tensor) {
  NrType i64 = nr_type_i64(b->ctx), counts = nr_type_tensor((int64_t[]){1}, 1, i64), index = nr_type_index(b->ctx);
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < tensor->type->rank; d++) dims[d] = size_of(b, tensor, d);
  NrValue *own = nr_index_value(b, dims[0]), *rows = nr_build_value(b, NR_OP_arith_index_cast, i64, &own, 1);
  NrValue *sum = nr_shard_all_reduce(b, shard, nr_build_from_elements(b, counts, &rows, 1));
  NrValue *zero = nr_arith_constant_index(b, 0), *total = nr_build_extract(b, sum, &zero, 1);
  dims[0] = nr_index_of(nr_build_value(b, NR_OP_arith_index_cast, index, &total, 1));
  NrValue *target = nr_build_empty(b, tensor->type->elem, dims, tensor->type->rank);
  return collective(b, shard, NR_OP_flow_collective_all_gather, target, tensor);
}
