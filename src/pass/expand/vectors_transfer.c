/* vectors_transfer.c - masks, and transfers between vectors and memrefs, in lower-vectors. */
#include "dialect/memref/memref.h"
#include "pass/expand/lower_vectors.h"

typedef NrRows R;
typedef NrValue *V;

/* ---- masks ------------------------------------------------------------------------------------------------------ */

/* A mask of the lanes below count, which may be any index. It compares as i32, of which a register holds twice as
 * many as of i64. */
static V lanes_below(R *r, V count, int64_t lanes) {
  NrContext *ctx = r->x.b.ctx;
  NrType i32 = nr_type_i32(ctx), type = nr_type_vector(&lanes, 1, i32);
  V limit = nr_expand_two(&r->x, NR_OP_arith_maxsi, count, nr_rows_index(r, 0));
  limit = nr_expand_two(&r->x, NR_OP_arith_minsi, limit, nr_rows_index(r, lanes));
  limit = nr_rows_splat(r, nr_expand_cast(&r->x, NR_OP_arith_index_cast, limit, i32), type);
  int32_t *numbers = NR_NEW_ARRAY(r->arena, int32_t, (size_t)lanes);
  for (int64_t i = 0; i < lanes; i++) numbers[i] = (int32_t)i;
  NrAttr attr = nr_attr_dense(type, numbers, (size_t)lanes * sizeof *numbers);
  return nr_arith_cmpi(&r->x.b, NR_CMPI_ULT, nr_arith_constant(&r->x.b, attr), limit);
}

/* The elements of a vector whose index is below a limit in each dim. */
typedef struct Bounds {
  NrType vector;
  V limits[NR_MAX_RANK]; /* NULL: no limit */
  V row;                 /* mask of the lanes below the limit; NULL: all lanes */
  V all, none;           /* constant masks */
  V *out;
  size_t next;
} Bounds;

/* Appends the masks of the rows in dims `dim` and below. inside is an i1, whether the dims above are within their
 * limits; NULL: they always are. */
static void bound_rows(R *r, Bounds *b, uint32_t dim, V inside) {
  if (dim == nr_rows_dims(b->vector)) {
    V row = inside && !b->row ? b->all : b->row;
    b->out[b->next++] = inside ? nr_arith_select(&r->x.b, inside, row, b->none) : row;
    return;
  }
  V limit = b->limits[dim];
  for (int64_t i = 0; i < b->vector->dims[dim]; i++) {
    V here = limit ? nr_arith_cmpi(&r->x.b, NR_CMPI_SLT, nr_rows_index(r, i), limit) : inside;
    if (limit && inside) here = nr_expand_two(&r->x, NR_OP_arith_andi, here, inside);
    bound_rows(r, b, dim + 1, here);
  }
}

/* A mask for each row of b->vector; NULL for a row of which all lanes are inside. */
static V *rows_inside(R *r, Bounds *b) {
  NrContext *ctx = r->x.b.ctx;
  NrType type = nr_type_with_elem(nr_rows_type(b->vector), nr_type_i1(ctx));
  uint32_t last = nr_rows_dims(b->vector);
  b->out = nr_rows_new(r, nr_rows_count(b->vector));
  b->all = nr_expand_constant(&r->x, type, nr_attr_bool(ctx, true));
  b->none = nr_expand_constant(&r->x, type, nr_attr_bool(ctx, false));
  if (b->limits[last]) b->row = lanes_below(r, b->limits[last], nr_rows_lanes(b->vector));
  bound_rows(r, b, 0, NULL);
  return b->out;
}

NrStatus nr_rows_create_mask(R *r, NrOp *op) {
  Bounds bounds = {.vector = nr_op_result(op)->type};
  for (uint32_t i = 0; i < op->num_operands; i++) bounds.limits[i] = nr_operand(op, i);
  nr_rows_set(r, nr_op_result(op), rows_inside(r, &bounds));
  return NR_OK;
}

NrStatus nr_rows_constant_mask(R *r, NrOp *op) {
  NrType type = nr_op_result(op)->type, row = nr_rows_type(type);
  const int64_t *sizes = nr_index_list_statics(op, NR_A_mask_dim_sizes->text);
  size_t count = nr_rows_count(type), lanes = (size_t)nr_rows_lanes(type);
  V *rows = nr_rows_new(r, count);
  uint8_t *bits = NR_NEW_ARRAY(r->arena, uint8_t, lanes);
  for (size_t i = 0; i < count; i++) {
    int64_t at[NR_MAX_RANK];
    bool inside = true;
    nr_rows_place(type, i, at);
    for (uint32_t d = 0; d < nr_rows_dims(type); d++) inside &= at[d] < sizes[d];
    for (size_t k = 0; k < lanes; k++) bits[k] = inside && (int64_t)k < sizes[nr_rows_dims(type)];
    rows[i] = nr_arith_constant(&r->x.b, nr_attr_dense(row, bits, lanes));
  }
  nr_rows_set(r, nr_op_result(op), rows);
  return NR_OK;
}

/* ---- transfers -------------------------------------------------------------------------------------------------- */

typedef enum MapKind { MAP_LAST_DIMS, MAP_ONE_ELEMENT, MAP_OTHER } MapKind;

/* The kind of a permutation map: (d0, d1) -> (d1) is the last dims, (d0, d1) -> (0) is one element for all lanes. */
static MapKind map_kind(NrOp *op, NrType memref, NrType vector) {
  NrAttr map = nr_op_attr(op, NR_A_permutation_map);
  if (!map) return MAP_LAST_DIMS;
  bool last = true, zero = true;
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    NrAffineExpr e = map->exprs[i];
    last &= e->kind == NR_AFFINE_DIM && e->value == (int64_t)(memref->rank - vector->rank + i);
    zero &= e->kind == NR_AFFINE_CONSTANT && e->value == 0;
  }
  return last ? MAP_LAST_DIMS : zero ? MAP_ONE_ELEMENT : MAP_OTHER;
}

static NrStatus check_transfer(NrOp *op, NrType memref, NrType vector, MapKind kind) {
  if (memref->kind == NR_TYPE_MEMREF && memref->elem->kind != NR_TYPE_VECTOR && kind != MAP_OTHER &&
      vector->rank <= memref->rank)
    return NR_OK;
  return nr_op_error(op, "is compiled for the last dims of a memref of scalars, or one element for all lanes");
}

static V size_of(R *r, V memref, uint32_t dim) {
  int64_t size = memref->type->dims[dim];
  if (size != NR_DYNAMIC) return nr_rows_index(r, size);
  return nr_build_value(&r->x.b, NR_OP_memref_dim, nr_type_index(r->x.b.ctx),
                        (V[]){memref, nr_rows_index(r, dim)}, 2);
}

/* A mask for each row: the lanes that are inside the memref and enabled by the op's mask. NULL if all are. */
static V *transfer_mask(R *r, NrOp *op, const NrRowAccess *a) {
  Bounds bounds = {.vector = a->vector};
  V mask = nr_transfer_mask(op), *given = mask ? nr_rows_of(r, mask) : NULL;
  bool any = false;
  for (uint32_t d = 0; d < a->vector->rank; d++) {
    uint32_t moved = a->base->type->rank - a->vector->rank + d;
    if (nr_transfer_in_bounds(op, d)) continue;
    bounds.limits[d] = nr_expand_two(&r->x, NR_OP_arith_subi, size_of(r, a->base, moved), a->indices[moved]);
    any = true;
  }
  if (!any) return given;
  V *inside = rows_inside(r, &bounds);
  for (size_t i = 0; given && i < nr_rows_count(a->vector); i++)
    inside[i] = inside[i] ? nr_expand_two(&r->x, NR_OP_arith_andi, given[i], inside[i]) : given[i];
  return inside;
}

NrStatus nr_rows_transfer_read(R *r, NrOp *op) {
  V base = nr_vector_transfer_read_base(op), result = nr_op_result(op);
  NrType type = result->type;
  MapKind kind = map_kind(op, base->type, type);
  NR_TRY(check_transfer(op, base->type, type, kind));
  NrRowAccess a = nr_rows_access(op, base, nr_vector_transfer_read_indices(op), type);
  size_t rank = base->type->rank, count = nr_rows_count(type);
  if (kind == MAP_ONE_ELEMENT) {
    if (nr_transfer_mask(op)) return nr_op_error(op, "is not compiled with a mask over one element");
    V *rows = nr_rows_new(r, count), item = nr_build_load(&r->x.b, base, a.indices, rank);
    for (size_t i = 0; i < count; i++) rows[i] = i ? rows[0] : nr_rows_splat(r, item, nr_rows_type(type));
    nr_rows_set(r, result, rows);
    return NR_OK;
  }
  V *mask = transfer_mask(r, op, &a), *rest = NULL;
  if (mask) {
    V padding = nr_rows_splat(r, nr_vector_transfer_read_padding(op), nr_rows_type(type));
    rest = nr_rows_new(r, count);
    for (size_t i = 0; i < count; i++) rest[i] = padding;
  }
  nr_rows_set(r, result, nr_rows_read(r, &a, mask, rest));
  return NR_OK;
}

NrStatus nr_rows_transfer_write(R *r, NrOp *op) {
  V value = nr_vector_transfer_write_value(op), base = nr_vector_transfer_write_base(op);
  NR_TRY(check_transfer(op, base->type, value->type, map_kind(op, base->type, value->type)));
  NrRowAccess a = nr_rows_access(op, base, nr_vector_transfer_write_indices(op), value->type);
  V *mask = transfer_mask(r, op, &a);
  nr_rows_write(r, &a, mask, nr_rows_of(r, value));
  return NR_OK;
}
