/* lanes_values.c - vectors and masks; see lanes.h. */
#include "dialect/arith/arith.h"
#include "dialect/vector/vector.h"
#include "pass/loop/lanes.h"

NrType nr_lanes_type(const NrLanes *l, NrType elem) {
  int64_t rows = nr_lanes_num_rows(l);
  return rows > 1 ? nr_type_vector((int64_t[]){rows, l->row}, 2, elem) : nr_type_vector(&l->count, 1, elem);
}

NrValue *nr_lanes_flat(NrLanes *l, NrValue *vector) {
  return nr_build_shape_cast(&l->b, vector, nr_type_vector(&l->count, 1, vector->type->elem));
}

NrValue *nr_lanes_of_flat(NrLanes *l, NrValue *flat) {
  return nr_build_shape_cast(&l->b, flat, nr_lanes_type(l, flat->type->elem));
}

NrValue *nr_lanes_numbers(NrLanes *l) {
  NrType type = nr_type_vector(&l->count, 1, nr_type_index(l->b.ctx));
  return nr_lanes_of_flat(l, nr_build_value(&l->b, NR_OP_vector_step, type, NULL, 0));
}

NrValue *nr_lanes_reduce(NrLanes *l, const char *kind, NrValue *vector, NrAttr fastmath) {
  return nr_build_reduction(&l->b, kind, nr_lanes_flat(l, vector), NULL, fastmath);
}

NrValue *nr_lanes_row(NrLanes *l, NrValue *vector, int64_t i) {
  return vector->type->rank < 2 ? vector : nr_build_vector_extract(&l->b, vector, &(NrIndex){NULL, i}, 1);
}

NrValue *nr_lanes_with_row(NrLanes *l, NrValue *vector, NrValue *row, int64_t i) {
  return vector->type->rank < 2 ? row : nr_build_vector_insert(&l->b, row, vector, &(NrIndex){NULL, i}, 1);
}

NrValue *nr_lanes_value(const NrLanes *l, const NrValue *value) {
  NrValue *copy = nr_map_get(&l->values, value);
  return copy ? copy : (NrValue *)value;
}

NrValue *nr_lanes_splat(NrLanes *l, NrValue *scalar) {
  return nr_build_broadcast(&l->b, scalar, nr_lanes_type(l, scalar->type));
}

NrValue *nr_lanes_vector(NrLanes *l, const NrValue *value) {
  NrValue *copy = nr_lanes_value(l, value);
  return copy->type->kind == NR_TYPE_VECTOR ? copy : nr_lanes_splat(l, copy);
}

static NrValue *constant(NrLanes *l, NrType elem, int64_t number) {
  NrAttr one = nr_type_is_float(elem) ? nr_attr_float(elem, (double)number) : nr_attr_int(elem, number);
  return nr_lanes_splat(l, nr_arith_constant(&l->b, one));
}

NrValue *nr_lanes_zeros(NrLanes *l, NrType elem) { return constant(l, elem, 0); }
NrValue *nr_lanes_ones(NrLanes *l, NrType elem) { return constant(l, elem, 1); }
NrValue *nr_lanes_all(NrLanes *l) { return constant(l, nr_type_i1(l->b.ctx), 1); }

/* A conjunction would be undefined where the condition is, in inactive lanes too; a select is not. */
NrValue *nr_lanes_where(NrLanes *l, NrValue *mask, NrValue *cond) {
  return mask ? nr_arith_select(&l->b, mask, cond, nr_lanes_zeros(l, nr_type_i1(l->b.ctx))) : cond;
}

NrValue *nr_lanes_where_not(NrLanes *l, NrValue *mask, NrValue *cond) {
  NrValue *negated = nr_arith_binary(&l->b, NR_OP_arith_xori, cond, nr_lanes_all(l));
  return nr_lanes_where(l, mask, negated);
}

NrValue *nr_lanes_any(NrLanes *l, NrValue *mask) {
  NrValue *any = nr_lanes_row(l, mask, 0);
  for (int64_t i = 1; i < nr_lanes_num_rows(l); i++)
    any = nr_arith_binary(&l->b, NR_OP_arith_ori, any, nr_lanes_row(l, mask, i));
  return nr_build_reduction(&l->b, "or", any, NULL, NULL);
}

NrValue *nr_lanes_blend(NrLanes *l, NrValue *mask, NrValue *value, NrValue *other) {
  return mask ? nr_arith_select(&l->b, mask, value, other) : value;
}

NrValue *nr_lanes_pack(NrLanes *l, NrValue *mask) {
  if (l->mask == mask->type->elem) return mask;
  return nr_build_value(&l->b, NR_OP_arith_extsi, nr_lanes_type(l, l->mask), &mask, 1);
}

NrValue *nr_lanes_unpack(NrLanes *l, NrValue *packed) {
  if (nr_type_is_int_width(packed->type->elem, 1)) return packed;
  return nr_arith_cmpi(&l->b, NR_CMPI_SLT, packed, nr_lanes_zeros(l, l->mask));
}

NrValue *nr_lanes_form(NrLanes *l, const NrValue *value, const NrValue *as) {
  return nr_lanes_varies(l, as) ? nr_lanes_vector(l, value) : nr_lanes_value(l, value);
}

NrType nr_lanes_form_type(const NrLanes *l, const NrValue *value) {
  return nr_lanes_varies(l, value) ? nr_lanes_type(l, value->type) : value->type;
}

void nr_lanes_set(NrLanes *l, const NrValue *value, NrValue *copy) {
  copy->name = value->name;
  nr_map_set(&l->values, value, copy);
}
