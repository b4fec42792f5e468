/* lanes_memory.c - loads and stores of lanes; see lanes.h.
 *
 *   memref.load %m[%r, %i]     %r uniform, lanes at %i, %i + 1, ..     vector.load, or vector.maskedload
 *   memref.load %m[%r, %x]     %r uniform, %x varies                   vector.gather %m[%r, 0][%x]
 *   memref.load %m[%x, %y]     %x varies                               vector.gather of %m as a list of its elements
 *
 * and the same for stores. An access with uniform indices stays one load, and one store if the value is uniform. */
#include "dialect/arith/arith.h"
#include "dialect/memref/memref.h"
#include "dialect/operands.h"
#include "dialect/vector/vector.h"
#include "pass/loop/lanes.h"

/* Where the lanes are: base[at][numbers], or, without numbers, base[at] and the elements after it. */
typedef struct Place {
  NrValue *base, *at[NR_MAX_RANK], *numbers;
  size_t rank;
} Place;

/* The value that an index in a row (nr_lanes_is_row) has in lane 0. */
static NrValue *in_first_lane(NrLanes *l, NrValue *index) {
  if (index == l->iv) return l->first;
  if (!nr_lanes_varies(l, index)) return nr_lanes_value(l, index);
  NrOp *op = index->op;
  NrValue *operands[2];
  for (uint32_t i = 0; i < op->num_operands; i++) operands[i] = in_first_lane(l, nr_operand(op, i));
  return nr_build_value(&l->b, op->info->id, index->type, operands, op->num_operands);
}

static NrValue *times(NrLanes *l, NrValue *vector, NrIndex factor) {
  if (!factor.value && factor.constant == 1) return vector;
  NrValue *splat = nr_lanes_splat(l, nr_index_value(&l->b, factor));
  return nr_arith_binary(&l->b, NR_OP_arith_muli, vector, splat);
}

/* Strides and offset of a memref whose type may leave them open. */
static void read_strides(NrLanes *l, NrValue *memref, NrIndex *out_strides, NrIndex *out_offset) {
  NrType type = memref->type;
  int64_t strides[NR_MAX_RANK], offset;
  nr_memref_strides(type, strides, &offset);
  bool open = offset == NR_DYNAMIC;
  for (uint32_t d = 0; d < type->rank; d++) {
    open |= strides[d] == NR_DYNAMIC;
    out_strides[d] = (NrIndex){NULL, strides[d]};
  }
  *out_offset = (NrIndex){NULL, offset};
  if (!open) return;
  uint32_t at_offset = NR_MEMREF_EXTRACT_STRIDED_METADATA_OFFSET, count = at_offset + 1 + 2 * type->rank;
  uint32_t at_strides = NR_MEMREF_EXTRACT_STRIDED_METADATA_SIZES_AND_STRIDES + type->rank;
  NrType types[2 + 2 * NR_MAX_RANK];
  for (uint32_t i = 0; i < count; i++) types[i] = nr_type_index(l->b.ctx);
  types[NR_MEMREF_EXTRACT_STRIDED_METADATA_BASE] = nr_type_memref(NULL, 0, type->elem);
  NrOp *parts = nr_build_op(&l->b, NR_OP_memref_extract_strided_metadata, &memref, 1, types, count);
  if (offset == NR_DYNAMIC) *out_offset = (NrIndex){nr_result(parts, at_offset), 0};
  for (uint32_t d = 0; d < type->rank; d++)
    if (strides[d] == NR_DYNAMIC) out_strides[d] = (NrIndex){nr_result(parts, at_strides + d), 0};
}

/* The elements of the buffer by their number, and the numbers of the lanes' elements. */
static Place in_list(NrLanes *l, NrOp *op, NrGroup indices) {
  NrValue *memref = nr_lanes_value(l, nr_op_memref(op));
  NrIndex strides[NR_MAX_RANK], offset;
  read_strides(l, memref, strides, &offset);
  NrType list = nr_type_memref((int64_t[]){NR_DYNAMIC}, 1, memref->type->elem);
  Place place = {.base = nr_build_value(&l->b, NR_OP_rt_pointer, list, &memref, 1), .rank = 1};
  for (size_t d = 0; d < indices.count; d++) {
    NrValue *part = times(l, nr_lanes_vector(l, nr_operand(op, indices.begin + d)), strides[d]);
    place.numbers = place.numbers ? nr_arith_binary(&l->b, NR_OP_arith_addi, place.numbers, part) : part;
  }
  place.at[0] = nr_index_value(&l->b, offset);
  return place;
}

static Place find_place(NrLanes *l, NrOp *op) {
  NrGroup indices = nr_op_indices(op);
  Place place = {.base = nr_lanes_value(l, nr_op_memref(op)), .rank = indices.count};
  size_t last = indices.count - 1;
  bool row = nr_lanes_is_row(l, op);
  for (size_t d = 0; d < indices.count; d++) {
    NrValue *index = nr_operand(op, indices.begin + d);
    if (d < last && nr_lanes_varies(l, index)) return in_list(l, op, indices);
    if (d < last || row) place.at[d] = row && d == last ? in_first_lane(l, index) : nr_lanes_value(l, index);
  }
  if (row) return place;
  if (!indices.count) { /* one element, to which each lane has a value to write */
    place = (Place){.base = place.base, .numbers = nr_lanes_zeros(l, nr_type_index(l->b.ctx))};
    return place;
  }
  place.at[last] = nr_arith_constant_index(&l->b, 0);
  place.numbers = nr_lanes_vector(l, nr_operand(op, indices.begin + last));
  return place;
}

/* Builds an access. Operands: [value,] base, indices, [numbers,] [mask, rest]. Returns what it loads. */
static NrValue *build(NrLanes *l, bool loads, const Place *place, NrValue *mask, NrValue *value, NrType type) {
  NrValue *operands[NR_MAX_RANK + 5];
  size_t count = 0;
  bool masked = mask || place->numbers;
  if (!loads && !masked) operands[count++] = value;
  operands[count++] = place->base;
  for (size_t d = 0; d < place->rank; d++) operands[count++] = place->at[d];
  if (place->numbers) operands[count++] = place->numbers;
  if (masked) {
    operands[count++] = mask ? mask : nr_lanes_all(l);
    operands[count++] = value;
  }
  unsigned of_loads = place->numbers ? NR_OP_vector_gather : masked ? NR_OP_vector_maskedload : NR_OP_vector_load;
  unsigned of_stores = place->numbers ? NR_OP_vector_scatter : masked ? NR_OP_vector_maskedstore : NR_OP_vector_store;
  if (loads) return nr_build_value(&l->b, of_loads, type, operands, count);
  nr_build_op(&l->b, of_stores, operands, count, NULL, 0);
  return NULL;
}

/* The lanes of a row lie side by side, and the rows behind each other. value: what the lanes store, or have where they
 * do not load. */
static NrValue *build_rows(NrLanes *l, bool loads, Place *place, NrValue *mask, NrValue *value) {
  size_t last = place->rank - 1;
  NrValue *first = place->at[last], *all = value;
  for (int64_t i = 0; i < nr_lanes_num_rows(l); i++) {
    NrValue *row = nr_lanes_row(l, value, i);
    NrValue *far = nr_arith_constant_index(&l->b, i * l->row);
    if (i) place->at[last] = nr_arith_binary(&l->b, NR_OP_arith_addi, first, far);
    row = build(l, loads, place, mask ? nr_lanes_row(l, mask, i) : NULL, row, row->type);
    if (loads) all = nr_lanes_with_row(l, all, row, i);
  }
  return all;
}

void nr_lanes_emit_access(NrLanes *l, NrOp *op, NrValue *mask) {
  Place place = find_place(l, op);
  bool loads = op->num_results > 0;
  NrType elem = nr_op_memref(op)->type->elem;
  NrValue *value = loads ? nr_lanes_zeros(l, elem) : nr_lanes_vector(l, nr_op_value(op));
  NrValue *loaded = place.numbers ? build(l, loads, &place, mask, value, nr_lanes_type(l, elem))
                                  : build_rows(l, loads, &place, mask, value);
  if (loads) nr_map_set(&l->values, nr_op_result(op), loaded);
}
