/* sparse_tensor.c - the op definitions of dialect sparse_tensor, and the hooks of its ops. */
#include "dialect/sparse_tensor/sparse_tensor.h"

#include "dialect/operands.h"
#include "dialect/shared/shaped.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

static NrStatus needs_encoding(NrOp *op, NrType type) {
  if (nr_type_is_sparse(type)) return NR_OK;
  return nr_op_error(op, "(C1) expected a tensor with a #sparse_tensor.encoding, not %s", text_of(op, type));
}

static NrStatus has_encoding(NrOp *op) { return needs_encoding(op, nr_op_source(op)->type); }

/* Whether the arrays, from operand or result `first` on, are those of the encoding. */
static NrStatus verify_arrays(NrOp *op, NrType tensor, NrType (*type_at)(const NrOp *, size_t), size_t first,
                              size_t count) {
  NrType wanted[NR_SPARSE_MAX_ARRAYS];
  NrSparseLevels levels;
  size_t size = nr_sparse_array_types(tensor, wanted);
  nr_sparse_levels_of(tensor, &levels);
  if (count != size)
    return nr_op_error(op, "(C2) %s has %zu arrays, not %zu", text_of(op, tensor), size, count);
  for (size_t i = 0; i < size; i++) {
    NrType type = type_at(op, first + i);
    char name[8];
    nr_sparse_array_name(&levels, i, name);
    if (type->kind != NR_TYPE_TENSOR || type->rank != 1 || type->elem != wanted[i]->elem || type->layout)
      return nr_op_error(op, "(C2) %s must be a tensor of rank 1 with elements of %s, not %s", name,
                         text_of(op, wanted[i]->elem), text_of(op, type));
  }
  return NR_OK;
}

static NrType operand_type(const NrOp *op, size_t i) { return nr_operand(op, i)->type; }
static NrType result_type(const NrOp *op, size_t i) { return nr_result(op, i)->type; }

static NrStatus assemble_verify(NrOp *op) {
  NrType type = nr_op_result(op)->type;
  NR_TRY(needs_encoding(op, type));
  if (!nr_type_has_static_shape(type)) return nr_op_error(op, "(C1) the sizes of the result must be known");
  return verify_arrays(op, type, operand_type, 0, op->num_operands);
}

/* ---- disassemble ------------------------------------------------------------------------------------------------- */

/* sparse_tensor.disassemble %t : tensor<..> out_lvls(%p, %c : tensor<..>, tensor<..>) out_vals(%v : tensor<..>)
 *     -> (tensor<..>, tensor<..>), tensor<..>, (index, index), index */
static NrStatus parse_outs(NrParser *p, NrOpState *state, const char *word) {
  NrOperandRef *refs;
  NrType *types = NULL;
  size_t count, num_types = 0;
  NR_TRY(nr_p_expect(p, word));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_operands(p, &refs, &count));
  NR_TRY(nr_p_expect(p, ":"));
  if (count) NR_TRY(nr_p_type_list(p, &types, &num_types));
  NR_TRY(nr_p_expect(p, ")"));
  return nr_p_add_operands(p, state, refs, count, types, num_types);
}

static NrStatus parse_result_types(NrParser *p, NrOpState *state) {
  NrType *types, type;
  size_t count;
  for (size_t i = 0; i < 2; i++) {
    if (i) NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_paren_type_list(p, &types, &count));
    nr_p_add_results(p, state, types, count);
    NR_TRY(nr_p_expect(p, ","));
    NR_TRY(nr_p_type(p, &type));
    nr_p_add_result(p, state, type);
  }
  return NR_OK;
}

static NrStatus disassemble_parse(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrType type;
  NR_TRY(nr_p_operand(p, &source));
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_colon_type(p, &type));
  NR_TRY(nr_p_add_operand(p, state, source, type));
  NR_TRY(parse_outs(p, state, "out_lvls"));
  NR_TRY(parse_outs(p, state, "out_vals"));
  NR_TRY(nr_p_expect(p, "->"));
  return parse_result_types(p, state);
}

static void print_outs(NrPrinter *w, NrOp *op, const char *word, size_t begin, size_t count) {
  nr_w_printf(w, " %s(", word);
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, begin, count);
  nr_w_puts(w, ")");
}

static void disassemble_print(NrPrinter *w, NrOp *op) {
  NrGroup levels = nr_sparse_tensor_disassemble_out_levels(op);
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_source(op));
  nr_w_attr_dict(w, op, NULL);
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_source(op)->type);
  print_outs(w, op, "out_lvls", levels.begin, levels.count);
  print_outs(w, op, "out_vals", levels.begin + levels.count, 1);
  nr_w_puts(w, " -> ");
  size_t half = op->num_results / 2;
  for (size_t i = 0; i < op->num_results; i++) {
    bool in_list = i % half != half - 1;
    if (i % half == 0) nr_w_puts(w, i ? ", (" : "(");
    else if (in_list) nr_w_puts(w, ", ");
    if (!in_list) nr_w_puts(w, "), ");
    nr_w_type(w, nr_result(op, i)->type);
  }
}

static NrStatus disassemble_verify(NrOp *op) {
  NrGroup levels = nr_sparse_tensor_disassemble_out_levels(op);
  NrType tensor = nr_op_source(op)->type;
  size_t count = levels.count + 1;
  NR_TRY(needs_encoding(op, tensor));
  NR_TRY(verify_arrays(op, tensor, operand_type, levels.begin, count));
  if (op->num_results != 2 * count)
    return nr_op_error(op, "(C2) %s has %zu arrays, so there are %zu results, not %u", text_of(op, tensor), count,
                       2 * count, op->num_results);
  for (size_t i = 0; i < count; i++) {
    if (result_type(op, i) != operand_type(op, levels.begin + i))
      return nr_op_error(op, "(C2) result #%zu must have the type of its array, %s", i,
                         text_of(op, operand_type(op, levels.begin + i)));
    if (!nr_type_is_int_or_index(result_type(op, count + i)))
      return nr_op_error(op, "(C2) result #%zu, a length, must be an integer or index", count + i);
  }
  return NR_OK;
}

/* ---- one array --------------------------------------------------------------------------------------------------- */

static NrStatus verify_buffer(NrOp *op, NrType elem, const char *id) {
  NrType type = nr_op_result(op)->type, wanted = nr_type_memref((int64_t[]){NR_DYNAMIC}, 1, elem);
  if (type == wanted) return NR_OK;
  return nr_op_error(op, "%s expected the result to be %s, not %s", id, text_of(op, wanted), text_of(op, type));
}

static NrStatus verify_level(NrOp *op, bool positions) {
  NrSparseLevels levels;
  NR_TRY(has_encoding(op));
  nr_sparse_levels_of(nr_op_source(op)->type, &levels);
  int64_t level = nr_op_attr_int(op, NR_A_level, -1);
  if (level < 0 || (size_t)level >= levels.count)
    return nr_op_error(op, "(C2) the tensor has levels 0 to %zu, not %lld", levels.count - 1, (long long)level);
  if (positions ? levels.letters[level] != 's' : levels.letters[level] == 'd')
    return nr_op_error(op, "(C2) level %lld has no %s", (long long)level, positions ? "positions" : "coordinates");
  return verify_buffer(op, positions ? levels.position : levels.coordinate, "(C3)");
}

static NrStatus positions_verify(NrOp *op) { return verify_level(op, true); }
static NrStatus coordinates_verify(NrOp *op) { return verify_level(op, false); }

static NrStatus values_verify(NrOp *op) {
  NR_TRY(has_encoding(op));
  return verify_buffer(op, nr_op_source(op)->type->elem, "(C2)");
}

static NrStatus convert_verify(NrOp *op) {
  NrType from = nr_op_source(op)->type, to = nr_op_result(op)->type;
  if (!nr_type_is_sparse(from) && !nr_type_is_sparse(to)) return needs_encoding(op, from);
  bool equal = from->elem == to->elem && from->rank == to->rank;
  for (uint32_t d = 0; equal && d < from->rank; d++)
    equal = from->dims[d] == to->dims[d] || to->dims[d] == NR_DYNAMIC;
  if (equal) return NR_OK;
  return nr_op_error(op, "(C1) expected %s and %s to have one shape and element type", text_of(op, from),
                     text_of(op, to));
}

#include "ir/rows.h"
#include "dialect/sparse_tensor/attrs.def"
#include "dialect/sparse_tensor/ops.def"
