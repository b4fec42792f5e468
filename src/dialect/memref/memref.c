/* memref.c - the op definitions of dialect memref, and hooks of its ops. Hooks of views, atomics and transfers, and
 * folds, are in files of their own. */
#include "dialect/memref/memref.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }
static NrType memref_of(const NrOp *op, size_t operand) { return nr_operand(op, operand)->type; }

/* ---- allocation ------------------------------------------------------------------------------------------------- */

/* In 2019 there were no segment sizes: the number of dynamic dims gave the number of size operands. */
static NrStatus alloc_post_parse(NrParser *p, NrOp *op) {
  if (!nr_p_is_legacy(p) || nr_op_attr(op, NR_A_operandSegmentSizes)) return NR_OK;
  if (op->num_results != 1 || !nr_type_is_memref(nr_op_result(op)->type)) return NR_OK; /* the verifier reports it */
  size_t sizes = nr_type_num_dynamic(nr_op_result(op)->type);
  if (sizes > op->num_operands) return NR_OK; /* the verifier reports it */
  nr_op_set_segments(op, (uint32_t[]){(uint32_t)sizes, op->num_operands - (uint32_t)sizes}, 2);
  return NR_OK;
}

static NrStatus alloc_verify(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  size_t begin, sizes, symbols, need = 0;
  nr_op_operand_group(op, NR_MEMREF_ALLOC_SIZES_GROUP, &begin, &sizes);
  nr_op_operand_group(op, NR_MEMREF_ALLOC_SYMBOLS_GROUP, &begin, &symbols);
  if (sizes != nr_type_num_dynamic(type))
    return nr_op_error(op,
                       "(C1) dimension operand count (%zu) does not equal the memref's dynamic dimension count (%zu)",
                       sizes, nr_type_num_dynamic(type));
  if (type->layout && type->layout->kind == NR_ATTR_AFFINE_MAP) need = type->layout->num_symbols;
  if (symbols != need)
    return nr_op_error(op, "(C2) symbol operand count (%zu) does not equal the memref's symbol count (%zu)", symbols,
                       need);
  return NR_OK;
}

static NrStatus realloc_verify(NrOp *op) {
  NrType from = nr_memref_realloc_source(op)->type, to = nr_op_result(op)->type;
  if (from->rank != 1 || to->rank != 1) return nr_op_error(op, "(C1) works on memrefs of rank 1 only");
  if (from->elem != to->elem) return nr_op_error(op, "(C1) source and result have different element types");
  if (from->space != to->space) return nr_op_error(op, "(C1) source and result have different memory spaces");
  if (from->layout || to->layout) return nr_op_error(op, "(C1) source and result must have no layout");
  if ((op->num_operands == 2) != (to->dims[0] == NR_DYNAMIC))
    return nr_op_error(op, "(C2) %s", op->num_operands == 2 ? "a size is given but the result is static"
                                                            : "the result is dynamic but no size is given");
  return NR_OK;
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

static NrStatus elem_infer(NrContext *ctx, const NrOpState *state, NrType *out_types) {
  (void)ctx;
  out_types[0] = nr_type_elem(state->operands[0]->type);
  return NR_OK;
}

/* Constraint (C1) of ops with `memref[indices]`: the `count` indices after operand `memref` match its rank. */
NrStatus nr_memref_indices_verify(NrOp *op, size_t memref, size_t count, const char *what) {
  uint32_t rank = memref_of(op, memref)->rank;
  if (count != rank)
    return nr_op_error(op, "(C1) incorrect number of indices for %s, expected %u but got %zu", what, rank, count);
  return NR_OK;
}

NrStatus nr_memref_access_verify(NrOp *op, const char *what) {
  return nr_memref_indices_verify(op, nr_op_memref_index(op), nr_op_indices(op).count, what);
}

NrStatus nr_memref_elem_verify(NrOp *op, NrType type) {
  NrType elem = nr_op_memref(op)->type->elem;
  if (type != elem)
    return nr_op_error(op, "(C2) expected the element type %s, got %s", text_of(op, elem), text_of(op, type));
  return NR_OK;
}

static NrStatus load_verify(NrOp *op) {
  NR_TRY(nr_memref_access_verify(op, "load"));
  return nr_memref_elem_verify(op, nr_op_result(op)->type);
}

static NrStatus store_verify(NrOp *op) {
  NR_TRY(nr_memref_access_verify(op, "store"));
  return nr_memref_elem_verify(op, nr_op_value(op)->type);
}

static NrStatus store_parse(NrParser *p, NrOpState *state) {
  NrOperandRef value, memref, *indices;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operand(p, &value));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_operand(p, &memref));
  NR_TRY(nr_p_indices(p, &indices, &count));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (!nr_type_is_memref(type)) return nr_p_error(p, loc, "expected a memref type");
  NR_TRY(nr_p_add_operand(p, state, value, type->elem));
  NR_TRY(nr_p_add_operand(p, state, memref, type));
  return nr_p_add_indices(p, state, indices, count);
}

static void store_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_store_value(op));
  nr_w_puts(w, ", ");
  nr_w_value(w, nr_memref_store_memref(op));
  nr_w_indices(w, op, 2, op->num_operands - 2);
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_memref_store_memref(op)->type);
}

NrStatus nr_p_prefetch_hints(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  int64_t locality;
  NrStr access, cache;
  NR_TRY(nr_p_expect(p, ","));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_keyword(p, &access));
  if (!nr_str_is(access, "read") && !nr_str_is(access, "write"))
    return nr_p_error(p, loc, "rw specifier has to be 'read' or 'write'");
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_expect(p, "locality"));
  NR_TRY(nr_p_expect(p, "<"));
  NR_TRY(nr_p_int(p, &locality));
  NR_TRY(nr_p_expect(p, ">"));
  NR_TRY(nr_p_expect(p, ","));
  loc = nr_p_loc(p);
  NR_TRY(nr_p_keyword(p, &cache));
  if (!nr_str_is(cache, "data") && !nr_str_is(cache, "instr"))
    return nr_p_error(p, loc, "cache type has to be 'data' or 'instr'");
  nr_p_add_attr(p, state, "isWrite", nr_attr_bool(ctx, nr_str_is(access, "write")));
  nr_p_add_attr(p, state, "localityHint", nr_attr_int(nr_type_i32(ctx), locality));
  nr_p_add_attr(p, state, "isDataCache", nr_attr_bool(ctx, nr_str_is(cache, "data")));
  return NR_OK;
}

void nr_w_prefetch_hints(NrPrinter *w, NrOp *op) {
  nr_w_printf(w, ", %s, locality<%lld>, %s", nr_op_attr_int(op, NR_A_isWrite, 0) ? "write" : "read",
              (long long)nr_op_attr_int(op, NR_A_localityHint, 0),
              nr_op_attr_int(op, NR_A_isDataCache, 0) ? "data" : "instr");
}

static NrStatus prefetch_parse(NrParser *p, NrOpState *state) {
  NrOperandRef memref, *indices;
  size_t count;
  NrType type;
  NR_TRY(nr_p_operand(p, &memref));
  NR_TRY(nr_p_indices(p, &indices, &count));
  NR_TRY(nr_p_prefetch_hints(p, state));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_add_operand(p, state, memref, type));
  return nr_p_add_indices(p, state, indices, count);
}

static void prefetch_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"isWrite", "localityHint", "isDataCache", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_prefetch_memref(op));
  nr_w_indices(w, op, 1, op->num_operands - 1);
  nr_w_prefetch_hints(w, op);
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_memref_prefetch_memref(op)->type);
}

static NrStatus prefetch_verify(NrOp *op) {
  int64_t locality = nr_op_attr_int(op, NR_A_localityHint, -1);
  if (locality < 0 || locality > 3) return nr_op_error(op, "(C2) locality must be 0 to 3");
  return nr_memref_access_verify(op, "prefetch");
}

static NrStatus copy_verify(NrOp *op) {
  if (nr_memref_copy_source(op)->type->elem != nr_memref_copy_target(op)->type->elem)
    return nr_op_error(op, "(C1) requires the same element type for source and target");
  if (!nr_types_cast_compatible(nr_memref_copy_source(op)->type, nr_memref_copy_target(op)->type))
    return nr_op_error(op, "(C1) requires the same shape for source and target");
  return NR_OK;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static NrStatus dim_verify(NrOp *op) {
  int64_t index;
  NrType type = nr_memref_dim_source(op)->type;
  if (type->kind != NR_TYPE_MEMREF) return NR_OK;
  if (nr_value_constant_int(nr_memref_dim_index(op), &index) && (index < 0 || index >= type->rank))
    return nr_verify_constant_error(op, "(C1) index %lld is out of range for a memref of rank %u", (long long)index,
                                    type->rank);
  return NR_OK;
}

static NrStatus metadata_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type, *results;
  size_t count;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_p_type_list(p, &results, &count));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  nr_p_add_results(p, state, results, count);
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void metadata_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_extract_strided_metadata_source(op));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_memref_extract_strided_metadata_source(op)->type);
  nr_w_puts(w, " -> ");
  nr_w_result_types(w, op);
  nr_w_attr_dict(w, op, NULL);
}

static NrStatus metadata_verify(NrOp *op) {
  NrType type = nr_memref_extract_strided_metadata_source(op)->type,
         base = nr_memref_extract_strided_metadata_base(op)->type;
  if (op->num_results != 2 + 2 * (size_t)type->rank)
    return nr_op_error(op, "(C1) expected %u sizes and strides, got %u results", 2 * type->rank, op->num_results - 2);
  if (base->rank != 0 || base->elem != type->elem)
    return nr_op_error(op, "base must be a memref of rank 0 of the same element");
  return NR_OK;
}

static NrStatus assume_alignment_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  int64_t alignment;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_expect(p, ","));
  NR_TRY(nr_p_int(p, &alignment));
  nr_p_add_attr(p, state, "alignment", nr_attr_int(nr_type_i32(nr_p_context(p)), alignment));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  nr_p_add_result(p, state, type);
  return nr_p_add_operand(p, state, source, type);
}

static void assume_alignment_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"alignment", NULL};
  nr_w_puts(w, " ");
  nr_w_value(w, nr_memref_assume_alignment_source(op));
  nr_w_printf(w, ", %lld", (long long)nr_op_attr_int(op, NR_A_alignment, 1));
  nr_w_attr_dict(w, op, elided);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_memref_assume_alignment_source(op)->type);
}


/* ---- globals ---------------------------------------------------------------------------------------------------- */

static NrStatus global_parse(NrParser *p, NrOpState *state) {
  NrContext *ctx = nr_p_context(p);
  NrStr visibility, name;
  NrType type;
  if (nr_p_try_string(p, &visibility)) nr_p_add_attr(p, state, "sym_visibility", nr_attr_string(ctx, visibility));
  if (nr_p_try(p, "constant")) nr_p_add_attr(p, state, "constant", nr_attr_unit(ctx));
  NR_TRY(nr_p_symbol_name(p, &name));
  nr_p_add_attr(p, state, "sym_name", nr_attr_string(ctx, name));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_colon_type(p, &type));
  if (type->kind != NR_TYPE_MEMREF || !nr_type_has_static_shape(type))
    return nr_p_error(p, loc, "type should be static shaped memref, but got %s", nr_type_text(ctx, type));
  nr_p_add_attr(p, state, "type", nr_attr_type(type));
  if (nr_p_try(p, "=")) {
    NrAttr value = nr_attr_unit(ctx);
    NrType tensor = nr_type_tensor(type->dims, type->rank, type->elem);
    if (!nr_p_try(p, "uninitialized")) NR_TRY(nr_p_attr_of_type(p, tensor, &value));
    nr_p_add_attr(p, state, "initial_value", value);
  }
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

static void global_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"sym_name", "sym_visibility", "type", "initial_value", "constant", NULL};
  NrAttr visibility = nr_op_attr(op, NR_A_sym_visibility), value = nr_op_attr(op, NR_A_initial_value),
         type = nr_op_attr(op, NR_A_type);
  nr_w_puts(w, " ");
  if (visibility) {
    nr_w_string(w, visibility->s);
    nr_w_puts(w, " ");
  }
  if (nr_op_attr(op, NR_A_constant)) nr_w_puts(w, "constant ");
  nr_w_symbol_name(w, nr_op_attr_str(op, NR_A_sym_name));
  nr_w_puts(w, " : ");
  nr_w_type(w, type->type);
  if (value) {
    nr_w_puts(w, " = ");
    if (value->kind == NR_ATTR_UNIT) nr_w_puts(w, "uninitialized");
    else nr_w_attr_no_type(w, value);
  }
  nr_w_attr_dict(w, op, elided);
}

static NrStatus global_verify(NrOp *op) {
  NrAttr type = nr_op_attr(op, NR_A_type), value = nr_op_attr(op, NR_A_initial_value);
  NrType memref = type->type;
  if (memref->kind != NR_TYPE_MEMREF || !nr_type_has_static_shape(memref))
    return nr_op_error(op, "(C1) type should be static shaped memref, but got %s", text_of(op, memref));
  if (!value || value->kind == NR_ATTR_UNIT) return NR_OK;
  NrType tensor = nr_type_tensor(memref->dims, memref->rank, memref->elem);
  if (!nr_attr_is_elements(value) && value->kind != NR_ATTR_RESOURCE && value->kind != NR_ATTR_DENSE_STRINGS &&
      !(nr_attr_is_parameter(value) && nr_op_attr(op, NR_A_constant)))
    return nr_op_error(op, "(C2) initial value should be a unit or elements attribute");
  if (value->type != tensor)
    return nr_op_error(op, "(C2) initial value expected to be of type %s, but was of type %s", text_of(op, tensor),
                       text_of(op, value->type));
  return NR_OK;
}

static NrStatus get_global_verify_symbol(NrOp *op, NrOp *global) {
  NrAttr name = nr_op_attr(op, NR_A_name);
  if (!nr_op_is(global, NR_OP_memref_global))
    return nr_op_error(op, "(C1) '%.*s' does not reference a valid global memref", NR_STR_ARG(name->s));
  NrAttr declared = nr_op_attr(global, NR_A_type);
  if (!declared || declared->kind != NR_ATTR_TYPE) return NR_OK; /* the global's verifier reports it */
  NrType type = declared->type;
  if (type != nr_op_result(op)->type)
    return nr_op_error(op, "(C2) result type %s does not match type %s of the global memref @%.*s",
                       text_of(op, nr_op_result(op)->type), text_of(op, type), NR_STR_ARG(name->s));
  return NR_OK;
}

/* ---- builders --------------------------------------------------------------------------------------------------- */

NrValue *nr_build_alloc(NrBuilder *b, unsigned op_id, NrType elem, const NrIndex *dims, size_t rank) {
  NrValue *operands[NR_MAX_RANK];
  size_t count = 0;
  int64_t sizes[NR_MAX_RANK] = {0};
  for (size_t i = 0; i < rank; i++) sizes[i] = dims[i].value ? NR_DYNAMIC : dims[i].constant;
  /* otherwise the sizes are dynamic, and the allocation fails in a run */
  bool fits = !nr_type_memref(sizes, rank, elem)->oversized;
  for (size_t i = 0; i < rank; i++) {
    if (!fits) sizes[i] = NR_DYNAMIC;
    if (sizes[i] == NR_DYNAMIC) operands[count++] = nr_index_value(b, dims[i]);
  }
  NrValue *value = nr_build_value(b, op_id, nr_type_memref(sizes, rank, elem), operands, count);
  nr_op_set_segments(value->op, (uint32_t[]){(uint32_t)count, 0}, 2);
  return value;
}

NrValue *nr_build_load(NrBuilder *b, NrValue *memref, NrValue *const *indices, size_t count) {
  NrValue *operands[1 + NR_MAX_RANK] = {memref};
  if (count) memcpy(operands + 1, indices, count * sizeof *indices);
  return nr_build_value(b, NR_OP_memref_load, memref->type->elem, operands, 1 + count);
}

NrOp *nr_build_store(NrBuilder *b, NrValue *value, NrValue *memref, NrValue *const *indices, size_t count) {
  NrValue *operands[2 + NR_MAX_RANK] = {value, memref};
  if (count) memcpy(operands + 2, indices, count * sizeof *indices);
  return nr_build_op(b, NR_OP_memref_store, operands, 2 + count, NULL, 0);
}

#include "ir/rows.h"
#include "dialect/memref/ops.def"
