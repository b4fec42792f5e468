/* syntax_basis.c - the text of delinearize_index and linearize_index: `delinearize_index %x into (%a, 4)`,
 * `linearize_index [%i, %j] by (%a, 4)`. */
#include "dialect/affine/affine.h"
#include "dialect/shared/shaped.h"

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

/* Parses a basis: constants into the attribute, values into operands, whose number is *out_count. */
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
  NrAttr basis = nr_op_attr(op, NR_A_static_basis);
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
  nr_w_value(w, nr_affine_delinearize_index_linear_index(op));
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
  NrAttr disjoint = nr_op_attr(op, NR_A_disjoint);
  nr_op_operand_group(op, NR_AFFINE_LINEARIZE_INDEX_MULTI_INDEX_GROUP, &begin, &count);
  nr_w_puts(w, disjoint && (disjoint->kind == NR_ATTR_UNIT || disjoint->i) ? " disjoint " : " ");
  nr_w_indices(w, op, begin, count);
  nr_w_puts(w, " by ");
  print_basis(w, op, begin + count);
  nr_w_attr_dict(w, op, (const char *const[]){"static_basis", "disjoint", "operandSegmentSizes", NULL});
  nr_w_puts(w, " : ");
  nr_w_result_types(w, op);
}
