/* syntax_access.c - the text of subscripts, `%A[%i + 3, symbol(%n)]`, and of indices over a basis. */
#include "dialect/affine/affine.h"
#include "dialect/shaped.h"

/* ---- subscripts -------------------------------------------------------------------------------------------------- */

typedef struct Access {
  NrOperandRef value, memref;
  NrAffineOfValues at;
} Access;

static NrStatus parse_place(NrParser *p, Access *a) {
  NR_TRY(nr_p_operand(p, &a->memref));
  NR_TRY(nr_p_expect(p, "["));
  NR_TRY(nr_p_affine_exprs(p, &a->at));
  return nr_p_expect(p, "]");
}

static NrStatus parse_memref_type(NrParser *p, NrType *out) {
  NR_TRY(nr_p_expect(p, ":"));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_type(p, out));
  return (*out)->kind == NR_TYPE_MEMREF ? NR_OK : nr_p_error(p, loc, "expected a memref type");
}

/* The memref and its map, with their operands. */
static NrStatus add_place(NrParser *p, NrOpState *state, const Access *a, NrType memref) {
  const NrAffineOfValues *at = &a->at;
  NR_TRY(nr_p_add_operand(p, state, a->memref, memref));
  nr_p_add_attr(p, state, "map",
                nr_attr_affine_map(nr_p_context(p), (uint32_t)at->dims.size, (uint32_t)at->symbols.size, at->exprs.data,
                                   at->exprs.size));
  NR_TRY(nr_p_add_indices(p, state, at->dims.data, at->dims.size));
  return nr_p_add_indices(p, state, at->symbols.data, at->symbols.size);
}

static void print_place(NrPrinter *w, NrOp *op) {
  NrAttr map = nr_op_attr(op, "map");
  size_t first = nr_affine_map_operands(op);
  nr_w_value(w, nr_operand(op, first - 1));
  nr_w_puts(w, "[");
  for (uint32_t i = 0; i < map->num_exprs; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_affine_expr(w, map->exprs[i], op, first, map->num_dims);
  }
  nr_w_puts(w, "]");
}

static bool is_vector(unsigned id) { return id == NR_OP_affine_vector_load || id == NR_OP_affine_vector_store; }

/* ---- load %A[..] {attrs} : memref<..> (, vector<..>)? ------------------------------------------------------------ */

static NrStatus parse_load(NrParser *p, NrOpState *state, Access *a) {
  NrType memref, vector;
  NR_TRY(parse_place(p, a));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(parse_memref_type(p, &memref));
  if (is_vector(state->info->id)) {
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_type(p, &vector));
  }
  nr_p_add_result(p, state, is_vector(state->info->id) ? vector : memref->elem);
  return add_place(p, state, a, memref);
}

NrStatus nr_affine_load_parse(NrParser *p, NrOpState *state) {
  Access a = {0};
  NrStatus status = parse_load(p, state, &a);
  nr_p_affine_deinit(&a.at);
  return status;
}

void nr_affine_load_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  print_place(w, op);
  nr_w_attr_dict(w, op, (const char *const[]){"map", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_operand(op, 0)->type);
  if (!is_vector(op->info->id)) return;
  nr_w_puts(w, ", ");
  nr_w_type(w, nr_result(op, 0)->type);
}

/* ---- store %v, %A[..] {attrs} : memref<..> (, vector<..>)? ------------------------------------------------------- */

static NrStatus parse_store(NrParser *p, NrOpState *state, Access *a) {
  NrType memref, value;
  NR_TRY(nr_p_operand(p, &a->value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(parse_place(p, a));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(parse_memref_type(p, &memref));
  value = memref->elem;
  if (is_vector(state->info->id)) {
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_type(p, &value));
  }
  NR_TRY(nr_p_add_operand(p, state, a->value, value));
  return add_place(p, state, a, memref);
}

NrStatus nr_affine_store_parse(NrParser *p, NrOpState *state) {
  Access a = {0};
  NrStatus status = parse_store(p, state, &a);
  nr_p_affine_deinit(&a.at);
  return status;
}

void nr_affine_store_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, ", ");
  print_place(w, op);
  nr_w_attr_dict(w, op, (const char *const[]){"map", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_operand(op, 1)->type);
  if (!is_vector(op->info->id)) return;
  nr_w_puts(w, ", ");
  nr_w_type(w, nr_operand(op, 0)->type);
}

/* ---- prefetch %A[..], read, locality<3>, data {attrs} : memref<..> ----------------------------------------------- */

static NrStatus parse_prefetch(NrParser *p, NrOpState *state, Access *a) {
  NrContext *ctx = nr_p_context(p);
  NrType memref;
  int64_t locality;
  NR_TRY(parse_place(p, a));
  NR_TRY(nr_p_expect(p, ","));
  bool write = nr_p_peek(p, "write");
  if (!write && !nr_p_peek(p, "read")) return nr_p_error(p, nr_p_loc(p), "rw specifier has to be 'read' or 'write'");
  NR_TRY(nr_p_expect(p, write ? "write" : "read"));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_expect(p, "locality"));
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(nr_p_int(p, &locality));
  NR_TRY(nr_p_expect(p, ">"));
  NR_TRY(nr_p_expect(p, ","));
  bool data = nr_p_peek(p, "data");
  if (!data && !nr_p_peek(p, "instr")) return nr_p_error(p, nr_p_loc(p), "cache type has to be 'data' or 'instr'");
  NR_TRY(nr_p_expect(p, data ? "data" : "instr"));
  nr_p_add_attr(p, state, "isWrite", nr_attr_bool(ctx, write));
  nr_p_add_attr(p, state, "localityHint", nr_attr_int(nr_type_i32(ctx), locality));
  nr_p_add_attr(p, state, "isDataCache", nr_attr_bool(ctx, data));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(parse_memref_type(p, &memref));
  return add_place(p, state, a, memref);
}

NrStatus nr_affine_prefetch_parse(NrParser *p, NrOpState *state) {
  Access a = {0};
  NrStatus status = parse_prefetch(p, state, &a);
  nr_p_affine_deinit(&a.at);
  return status;
}

void nr_affine_prefetch_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"map", "isWrite", "localityHint", "isDataCache", NULL};
  nr_w_puts(w, " ");
  print_place(w, op);
  nr_w_printf(w, ", %s, locality<%lld>, %s", nr_op_attr_int(op, "isWrite", 0) ? "write" : "read",
              (long long)nr_op_attr_int(op, "localityHint", 0),
              nr_op_attr_int(op, "isDataCache", 0) ? "data" : "instr");
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_operand(op, 0)->type);
}

/* ---- indices over a basis: delinearize_index %x into (%a, 4), linearize_index [%i, %j] by (%a, 4) ---------------- */

typedef struct Basis {
  NR_VEC(NrOperandRef) refs;
  NR_VEC(int64_t) sizes;
} Basis;

static NrStatus parse_basis_items(NrParser *p, Basis *out) {
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  do {
    NrOperandRef ref;
    int64_t size = NR_DYNAMIC;
    if (nr_p_try_operand(p, &ref)) nr_vec_push(&out->refs, ref);
    else NR_TRY(nr_p_int(p, &size));
    nr_vec_push(&out->sizes, size);
  } while (nr_p_try(p, ","));
  return nr_p_expect(p, ")");
}

/* The list as attribute and operands, of which *out_count. */
static NrStatus parse_basis(NrParser *p, NrOpState *state, uint32_t *out_count) {
  Basis basis = {0};
  NrStatus status = parse_basis_items(p, &basis);
  if (!status) {
    nr_p_add_attr(p, state, "static_basis", nr_attr_i64_array(nr_p_context(p), basis.sizes.data, basis.sizes.size));
    status = nr_p_add_indices(p, state, basis.refs.data, basis.refs.size);
    *out_count = (uint32_t)basis.refs.size;
  }
  nr_vec_deinit(&basis.refs);
  nr_vec_deinit(&basis.sizes);
  return status;
}

static void print_basis(NrPrinter *w, NrOp *op, size_t first) {
  NrAttr basis = nr_op_attr(op, "static_basis");
  const int64_t *sizes = basis->data;
  nr_w_puts(w, "(");
  for (size_t i = 0; i < basis->data_size / sizeof *sizes; i++) {
    if (i) nr_w_puts(w, ", ");
    if (sizes[i] == NR_DYNAMIC) nr_w_value(w, nr_operand(op, first++));
    else nr_w_printf(w, "%lld", (long long)sizes[i]);
  }
  nr_w_puts(w, ")");
}

NrStatus nr_affine_delinearize_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value;
  NrType *types = NULL;
  size_t num_types = 0;
  uint32_t dynamic;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_add_indices(p, state, &value, 1));
  NR_TRY(nr_p_expect(p, "into"));
  NR_TRY(parse_basis(p, state, &dynamic));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_type_list(p, &types, &num_types));
  nr_p_add_results(p, state, types, num_types);
  return NR_OK;
}

void nr_affine_delinearize_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_operand(op, 0));
  nr_w_puts(w, " into ");
  print_basis(w, op, 1);
  nr_w_attr_dict(w, op, (const char *const[]){"static_basis", NULL});
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}

NrStatus nr_affine_linearize_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *indices;
  size_t count;
  uint32_t dynamic;
  NrType type;
  if (nr_p_try(p, "disjoint")) nr_p_add_attr(p, state, "disjoint", nr_attr_unit(nr_p_context(p)));
  NR_TRY(nr_p_indices(p, &indices, &count));
  NR_TRY(nr_p_add_indices(p, state, indices, count));
  NR_TRY(nr_p_expect(p, "by"));
  NR_TRY(parse_basis(p, state, &dynamic));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)count, dynamic}, 2);
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return NR_OK;
}

void nr_affine_linearize_print(NrPrinter *w, NrOp *op) {
  size_t begin, count;
  NrAttr disjoint = nr_op_attr(op, "disjoint");
  nr_op_operand_group(op, 0, &begin, &count);
  nr_w_puts(w, disjoint && (disjoint->kind == NR_ATTR_UNIT || disjoint->i) ? " disjoint " : " ");
  nr_w_indices(w, op, begin, count);
  nr_w_puts(w, " by ");
  print_basis(w, op, begin + count);
  nr_w_attr_dict(w, op, (const char *const[]){"static_basis", "disjoint", "operandSegmentSizes", NULL});
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}
