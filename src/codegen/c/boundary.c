/* boundary.c - values as NoriaDesc, which is how they pass between compiled code and the runtime. */
#include "codegen/c/c.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/rt.h"

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

static NrCShape *new_shape(NrC *g, NrValue *memref) {
  NrType type = memref->type;
  NrCShape *shape = NR_NEW(&g->arena, NrCShape);
  for (uint32_t i = 0; type->kind == NR_TYPE_MEMREF && i < type->rank && i < NORIA_MAX_RANK; i++)
    if (type->dims[i] != NR_DYNAMIC) shape->sizes[i] = nr_c_int(g, type->dims[i]);
  nr_map_set(&g->shapes, memref, shape);
  return shape;
}

NrCShape *nr_c_shape_of(NrC *g, NrValue *memref) {
  NrCShape *shape = nr_map_get(&g->shapes, memref);
  return shape ? shape : new_shape(g, memref); /* of a type that fixes all sizes */
}

static void write_memref(NrC *g, NrValue *memref, const char *desc) {
  NrType type = memref->type;
  NrCShape *shape = nr_c_shape_of(g, memref);
  nr_c_line(g, "%s.data = %s;", desc, nr_c_plain(g, memref));
  nr_c_line(g, "%s.rank = %s;", desc, shape->rank ? shape->rank : nr_c_int(g, type->rank));
  nr_c_line(g, "%s.bits = %llu;", desc, (unsigned long long)nr_rt_elements(type->elem));
  if (shape->rank) nr_c_line(g, "memcpy(%s.dims, %s, sizeof %s.dims);", desc, shape->all_sizes, desc);
  else
    for (uint32_t i = 0; i < type->rank; i++) nr_c_line(g, "%s.dims[%u] = %s;", desc, i, shape->sizes[i]);
}

/* Sizes are kept in variables of the function: what holds them is used again by the next call. */
static void read_memref(NrC *g, NrValue *memref, const char *desc) {
  NrType type = memref->type;
  NrCShape *shape = new_shape(g, memref);
  const char *name = nr_c_name(g, memref);
  nr_c_set(g, memref, nr_c_text(g, "%s.data", desc));
  if (type->kind == NR_TYPE_UNRANKED_MEMREF) {
    shape->rank = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_rank", name)));
    shape->all_sizes = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_dims", name)));
    nr_buf_printf(&g->locals, "  NORIA_UNUSED i64 %s = 0, %s[%d] = {0};\n", shape->rank, shape->all_sizes,
                  NORIA_MAX_RANK);
    nr_c_line(g, "%s = %s.rank;", shape->rank, desc);
    nr_c_line(g, "memcpy(%s, %s.dims, sizeof %s);", shape->all_sizes, desc, shape->all_sizes);
    return;
  }
  for (uint32_t i = 0; i < type->rank; i++) {
    if (shape->sizes[i]) continue;
    if (g->func->is_wrapper && strncmp(desc, "inputs", 6) == 0) {
      shape->sizes[i] = nr_c_text(g, "%s.dims[%u]", desc, i);
      continue;
    }
    shape->sizes[i] = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_dim%u", name, i)));
    nr_buf_printf(&g->locals, "  NORIA_UNUSED i64 %s = 0;\n", shape->sizes[i]);
    nr_c_line(g, "%s = %s.dims[%u];", shape->sizes[i], desc, i);
  }
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

void nr_c_desc_write(NrC *g, NrValue *value, const char *desc) {
  NrType type = value->type;
  if (nr_type_is_memref(type)) {
    write_memref(g, value, desc);
    return;
  }
  if (nr_c_is_handle(type)) {
    nr_c_line(g, "%s.data = %s;", desc, nr_c_plain(g, value));
    nr_c_line(g, "%s.rank = 0;", desc);
    return;
  }
  const char *x = nr_c_value(g, value), *bits;
  if (nr_type_is_float_kind(type, NR_F32)) bits = nr_c_text(g, "noria_bits32(%s)", x);
  else if (nr_type_is_float_kind(type, NR_F64)) bits = nr_c_text(g, "noria_bits64(%s)", x);
  else bits = nr_type_is_float(type) ? x : nr_c_unsigned(g, type, x);
  nr_c_line(g, "%s.rank = -1;", desc);
  nr_c_line(g, "%s.bits = %s;", desc, bits);
}

void nr_c_desc_read(NrC *g, NrValue *value, const char *desc) {
  NrType type = value->type;
  if (nr_type_is_memref(type)) read_memref(g, value, desc);
  else if (nr_c_is_handle(type)) nr_c_set(g, value, nr_c_text(g, "%s.data", desc));
  else if (nr_type_is_float_kind(type, NR_F32)) nr_c_set(g, value, nr_c_text(g, "noria_f32((u32)%s.bits)", desc));
  else if (nr_type_is_float_kind(type, NR_F64)) nr_c_set(g, value, nr_c_text(g, "noria_f64(%s.bits)", desc));
  else if (nr_type_is_float(type)) nr_c_set(g, value, nr_c_text(g, "(%s)%s.bits", nr_c_type(g, type), desc));
  else nr_c_set(g, value, nr_c_wrapped(g, type, nr_c_text(g, "%s.bits", desc)));
}

/* ---- the ops ---------------------------------------------------------------------------------------------------- */

static NrStatus emit_dim(NrC *g, NrOp *op, const NrCRow *row) {
  NrCShape *shape = nr_c_shape_of(g, nr_memref_dim_source(op));
  NrValue *index = nr_memref_dim_index(op), *out = nr_op_result(op);
  int64_t at;
  if (shape->rank) nr_c_set(g, out, nr_c_text(g, "%s[%s]", shape->all_sizes, nr_c_plain(g, index)));
  else if (nr_value_constant_int(index, &at) && at >= 0 && at < NORIA_MAX_RANK && shape->sizes[at])
    nr_c_set(g, out, shape->sizes[at]);
  else return nr_op_error(op, "of a memref that the runtime did not give has no C: finalize-memref comes first");
  return NR_OK;
}

static NrStatus emit_rank(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_set(g, nr_op_result(op), nr_c_shape_of(g, nr_memref_rank_source(op))->rank);
  return NR_OK;
}

/* A pointer with sizes, without gaps. */
static NrStatus emit_reinterpret_cast(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *out = nr_op_result(op);
  NrCShape *shape = new_shape(g, out);
  NrIndex sizes[NR_MAX_RANK];
  nr_index_list_all(op, nr_extract_slice_slots[1], sizes);
  for (uint32_t i = 0; i < out->type->rank && i < NORIA_MAX_RANK; i++)
    if (!shape->sizes[i])
      shape->sizes[i] = sizes[i].value ? nr_c_value(g, sizes[i].value) : nr_c_int(g, sizes[i].constant);
  nr_c_set(g, out, nr_c_plain(g, nr_memref_reinterpret_cast_source(op)));
  return NR_OK;
}

/* A pointer with sizes in a buffer of NORIA_MAX_RANK numbers: a memref without a rank. */
static NrStatus emit_reshape(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *list = nr_memref_reshape_shape(op), *out = nr_op_result(op);
  NrCShape *shape = new_shape(g, out);
  shape->rank = nr_c_shape_of(g, list)->sizes[0];
  shape->all_sizes = nr_c_value(g, list);
  nr_c_set(g, out, nr_c_plain(g, nr_memref_reshape_source(op)));
  return NR_OK;
}

const NrCRow nr_c_boundary_rows[] = {
    {"memref.dim", emit_dim},
    {"memref.rank", emit_rank},
    {"memref.reinterpret_cast", emit_reinterpret_cast},
    {"memref.reshape", emit_reshape},
    {0},
};
