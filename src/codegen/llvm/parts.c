/* parts.c - values as flat lists of LLVM values: how they go into functions, out of them and from block to block. */
#include "codegen/llvm/ll.h"

/* With AVX-512, LLVM 22 cannot hand a <1 x i1> to a function and ends the process. So a vector of one bool goes as an
 * i1. */
static bool is_single_bool(NrType type) {
  return type->kind == NR_TYPE_VECTOR && nr_type_is_int_width(type->elem, 1) && type->rank == 1 && type->dims[0] == 1;
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* Which parts of a memref type are not fixed by it, in order: base, data, offset, sizes, strides. */
void nr_ll_part_types(NrLl *g, NrType type, NrLlParts *out) {
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    LLVMTypeRef types[] = {g->ptr, g->ptr, g->i64, g->i64, nr_ll_shape_type(g), nr_ll_shape_type(g)};
    for (size_t i = 0; i < NR_COUNTOF(types); i++) nr_vec_push(&out->types, types[i]);
    return;
  }
  if (type->kind != NR_TYPE_MEMREF) {
    nr_vec_push(&out->types, is_single_bool(type) ? g->i1 : nr_ll_type(g, type));
    return;
  }
  int64_t strides[NR_MAX_RANK], offset;
  nr_ll_strides(type, strides, &offset);
  nr_vec_push(&out->types, g->ptr);
  nr_vec_push(&out->types, g->ptr);
  if (offset == NR_DYNAMIC) nr_vec_push(&out->types, g->i64);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == NR_DYNAMIC) nr_vec_push(&out->types, g->i64);
  if (nr_ll_is_dense(type)) return;
  for (uint32_t i = 0; i < type->rank; i++)
    if (strides[i] == NR_DYNAMIC) nr_vec_push(&out->types, g->i64);
}

void nr_ll_push_parts(NrLl *g, NrType type, void *part, NrLlParts *out) {
  if (!nr_type_is_memref(type)) {
    nr_vec_push(&out->values, is_single_bool(type) ? LLVMBuildBitCast(g->b, part, g->i1, "") : part);
    return;
  }
  NrLlMem *mem = part;
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    LLVMValueRef values[] = {mem->base, mem->data, mem->offset, mem->rank, mem->all_sizes, mem->all_strides};
    for (size_t i = 0; i < NR_COUNTOF(values); i++) nr_vec_push(&out->values, values[i]);
    return;
  }
  int64_t strides[NR_MAX_RANK], offset;
  nr_ll_strides(type, strides, &offset);
  nr_vec_push(&out->values, mem->base);
  nr_vec_push(&out->values, mem->data);
  if (offset == NR_DYNAMIC) nr_vec_push(&out->values, mem->offset);
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] == NR_DYNAMIC) nr_vec_push(&out->values, mem->sizes[i]);
  if (nr_ll_is_dense(type)) return;
  for (uint32_t i = 0; i < type->rank; i++)
    if (strides[i] == NR_DYNAMIC) nr_vec_push(&out->values, mem->strides[i]);
}

void nr_ll_parts(NrLl *g, NrValue *value, NrLlParts *out) {
  nr_ll_push_parts(g, value->type, nr_map_get(&g->values, value), out);
}

void *nr_ll_from_parts(NrLl *g, NrType type, const LLVMValueRef *parts, size_t *next) {
  if (is_single_bool(type)) return LLVMBuildBitCast(g->b, parts[(*next)++], nr_ll_type(g, type), "");
  if (!nr_type_is_memref(type)) return parts[(*next)++];
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    NrLlMem *mem = NR_NEW(&g->arena, NrLlMem);
    parts += *next;
    *next += 6;
    *mem = (NrLlMem){.base = parts[0], .data = parts[1], .offset = parts[2],
                     .rank = parts[3], .all_sizes = parts[4], .all_strides = parts[5]};
    return mem;
  }
  NrLlMem *mem = nr_ll_mem_new(g, type);
  mem->base = parts[(*next)++];
  mem->data = parts[(*next)++];
  if (!mem->offset) mem->offset = parts[(*next)++];
  for (uint32_t i = 0; i < type->rank; i++)
    if (!mem->sizes[i]) mem->sizes[i] = parts[(*next)++];
  if (!nr_ll_is_dense(type))
    for (uint32_t i = 0; i < type->rank; i++)
      if (!mem->strides[i]) mem->strides[i] = parts[(*next)++];
  nr_ll_mem_finish(g, type, mem);
  return mem;
}

void nr_ll_parts_deinit(NrLlParts *parts) {
  nr_vec_deinit(&parts->types);
  nr_vec_deinit(&parts->values);
}
