/* linalg.c - the op definitions of dialect linalg, checks of single ops, and the builders. */
#include "dialect/linalg/linalg.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- builders --------------------------------------------------------------------------------------------------- */

NrOp *nr_build_generic(NrBuilder *b, NrValue *const *inputs, size_t num_inputs, NrValue *const *outputs,
                       size_t num_outputs, const NrAttr *maps, const char *iterators) {
  size_t count = num_inputs + num_outputs, num_results = 0;
  NrValue **operands = nr_calloc(count + 1, sizeof *operands);
  NrType *results = nr_calloc(num_outputs + 1, sizeof *results);
  for (size_t i = 0; i < num_inputs; i++) operands[i] = inputs[i];
  for (size_t i = 0; i < num_outputs; i++) {
    operands[num_inputs + i] = outputs[i];
    if (nr_type_is_tensor(outputs[i]->type)) results[num_results++] = outputs[i]->type;
  }
  NrOpState state = {.info = nr_op_infos[NR_OP_linalg_generic],
                     .operands = operands,
                     .num_operands = count,
                     .result_types = results,
                     .num_results = num_results,
                     .num_regions = 1};
  NrOp *op = nr_build(b, &state);
  nr_op_set_attr(op, NR_A_indexing_maps, nr_attr_array(b->ctx, maps, count));
  nr_op_set_attr(op, NR_A_iterator_types, nr_iterator_attr(b->ctx, iterators));
  nr_op_set_segments(op, (uint32_t[]){(uint32_t)num_inputs, (uint32_t)num_outputs}, 2);
  NrBlock *body = nr_block_create(b->module);
  nr_block_append(nr_linalg_generic_region(op), body);
  for (size_t i = 0; i < count; i++) nr_block_add_arg(body, nr_type_elem(operands[i]->type), op->loc);
  nr_free(operands);
  nr_free(results);
  return op;
}

NrValue *nr_build_fill(NrBuilder *b, NrValue *scalar, NrValue *output) {
  bool tensor = nr_type_is_tensor(output->type);
  NrOp *op = nr_build_op(b, NR_OP_linalg_fill, (NrValue *[]){scalar, output}, 2, &output->type, tensor);
  nr_op_set_segments(op, (uint32_t[]){1, 1}, 2);
  return tensor ? nr_op_result(op) : output;
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

static NrStatus fill_verify(NrOp *op) {
  if (nr_linalg_num_inputs(op) != 1 || op->num_operands != 2)
    return nr_op_error(op, "(C1) expected one input and one output");
  NrType elem = nr_type_elem(nr_linalg_fill_output(op)->type), value = nr_linalg_fill_value(op)->type;
  if (value != elem)
    return nr_op_error(op, "(C1) expected a scalar of the output's element type %s, got %s", text_of(op, elem),
                       text_of(op, value));
  return nr_linalg_verify_results(op, "C2");
}

static NrStatus index_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  if (!nr_linalg_is_structured(parent)) return nr_op_error(op, "(C1) expected parent op with LinalgOp interface");
  NrAttr maps = nr_linalg_maps(parent), iterators = nr_op_attr(parent, NR_A_iterator_types);
  if (iterators && iterators->kind != NR_ATTR_ARRAY) return NR_OK;
  /* the parent's verifier reports it */
  if (!maps || maps->kind != NR_ATTR_ARRAY || maps->size != parent->num_operands) return NR_OK;
  int64_t dim = nr_op_attr_int(op, NR_A_dim, -1);
  if (dim < 0 || dim >= (int64_t)nr_linalg_num_loops(parent))
    return nr_op_error(op,
                       "(C2) expected dim (%lld) to be lower than the number of loops (%zu) of the enclosing LinalgOp",
                       (long long)dim, nr_linalg_num_loops(parent));
  return NR_OK;
}

/* ---- named ops --------------------------------------------------------------------------------------------------- */

/* The number of dims `oh+kh` in the definition's .indexing; each has a stride and a dilation. */
static size_t num_windows(const NrOpInfo *info) {
  size_t count = 0;
  for (const char *at = info->indexing; (at = strchr(at, '+')); at++) count++;
  return count;
}

static NrStatus window_verify(NrOp *op, const char *attr) {
  NrAttr numbers = nr_op_attr_named(op, attr);
  if (!numbers) return NR_OK;
  size_t count = num_windows(op->info);
  int64_t elements;
  bool fits = nr_attr_is_elements(numbers) && nr_type_is_int_width(numbers->type->elem, 64) &&
              numbers->type->rank == 1 && nr_type_num_elements(numbers->type, &elements) && elements == (int64_t)count;
  if (!fits)
    return nr_op_error(op, "(C7) attribute '%s' must be 64-bit signless int elements attribute of shape [%zu]", attr,
                       count);
  for (size_t i = 0; i < count; i++)
    if (nr_linalg_window_number(op, attr, i) <= 0)
      return nr_op_error(op, "(C7) attribute '%s' must be positive, got %lld", attr,
                         (long long)nr_linalg_window_number(op, attr, i));
  return NR_OK;
}

static NrStatus window_op_verify(NrOp *op) {
  NR_TRY(window_verify(op, "strides"));
  NR_TRY(window_verify(op, "dilations"));
  return nr_linalg_verify_structure(op);
}

bool nr_linalg_are_dims(const NrOp *op, const char *attr, uint32_t rank, size_t *out_wrong) {
  uint64_t seen = 0;
  for (size_t i = 0; i < nr_index_list_size(op, attr); i++) {
    int64_t d = nr_index_list_statics(op, attr)[i];
    *out_wrong = i;
    if (d < 0 || d >= (int64_t)rank || seen >> d & 1) return false;
    seen |= UINT64_C(1) << d;
  }
  return true;
}

/* Whether the op has the list attribute and enough operands to make maps: maps are also requested before the op is
 * verified. */
static bool has_dims(const NrOp *op, const char *attr, size_t num_operands) {
  NrAttr list = nr_op_attr_named(op, attr);
  return list && list->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(list->type, 64) &&
         op->num_operands >= num_operands;
}

static bool in_dims(const NrOp *op, int64_t d) {
  for (size_t i = 0; i < nr_index_list_size(op, "dimensions"); i++)
    if (nr_index_list_statics(op, "dimensions")[i] == d) return true;
  return false;
}

static NrStatus transpose_verify(NrOp *op) {
  NrType in = nr_linalg_transpose_input(op)->type, out = nr_linalg_transpose_init(op)->type;
  size_t size = nr_index_list_size(op, "permutation"), wrong;
  if (size != in->rank)
    return nr_op_error(op, "(C1) size of permutation %zu does not match the argument rank %u", size, in->rank);
  if (!nr_linalg_are_dims(op, "permutation", in->rank, &wrong)) return nr_op_error(op, "(C1) permutation is not valid");
  if (in->rank != out->rank)
    return nr_op_error(op, "(C1) input rank %u does not match init rank %u", in->rank, out->rank);
  return nr_linalg_verify_structure(op);
}

/* The input map is the inverse of `permutation`: input dim i is indexed by the loop p with permutation[p] = i. */
static NrAttr transpose_maps(const NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  NrAffineExpr in[NR_MAX_RANK], out[NR_MAX_RANK];
  if (!has_dims(op, "permutation", 2)) return nr_attr_array(ctx, NULL, 0);
  uint32_t rank = (uint32_t)nr_index_list_size(op, "permutation");
  size_t wrong;
  if (rank > NR_MAX_RANK || !nr_linalg_are_dims(op, "permutation", rank, &wrong)) return nr_attr_array(ctx, NULL, 0);
  for (uint32_t p = 0; p < rank; p++) {
    out[p] = nr_affine_dim(ctx, p);
    in[nr_index_list_statics(op, "permutation")[p]] = out[p];
  }
  NrAttr maps[] = {nr_attr_affine_map(ctx, rank, 0, in, rank), nr_attr_affine_map(ctx, rank, 0, out, rank)};
  return nr_attr_array(ctx, maps, 2);
}

static NrStatus broadcast_verify(NrOp *op) {
  NrType in = nr_linalg_broadcast_input(op)->type, out = nr_linalg_broadcast_init(op)->type;
  size_t size = nr_index_list_size(op, "dimensions"), wrong;
  if (in->rank + size != out->rank)
    return nr_op_error(op,
                       "(C1) input rank plus added dimensions does not match init rank. input rank: %u, dimensions "
                       "size: %zu, init rank: %u",
                       in->rank, size, out->rank);
  if (!nr_linalg_are_dims(op, "dimensions", out->rank, &wrong))
    return nr_op_error(op, "(C1) dimension %zu is out of range or stands twice. expected range: [0, %d], got: %lld",
                       wrong, (int)out->rank - 1, (long long)nr_index_list_statics(op, "dimensions")[wrong]);
  return nr_linalg_verify_structure(op);
}

/* A map from `loops` loops to those that are not in the attribute `dimensions`. */
static NrAttr map_without_dims(const NrOp *op, uint32_t loops) {
  NrAffineExpr kept[NR_MAX_RANK];
  uint32_t count = 0;
  for (uint32_t d = 0; d < loops; d++)
    if (!in_dims(op, d)) kept[count++] = nr_affine_dim(nr_op_context(op), d);
  return nr_attr_affine_map(nr_op_context(op), loops, 0, kept, count);
}

static NrAttr identity_map(NrContext *ctx, uint32_t rank) {
  NrAffineExpr dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) dims[d] = nr_affine_dim(ctx, d);
  return nr_attr_affine_map(ctx, rank, 0, dims, rank);
}

static NrAttr broadcast_maps(const NrOp *op) {
  if (!has_dims(op, "dimensions", 2)) return nr_attr_array(nr_op_context(op), NULL, 0);
  uint32_t loops = nr_linalg_broadcast_init(op)->type->rank;
  NrAttr maps[] = {map_without_dims(op, loops), identity_map(nr_op_context(op), loops)};
  return nr_attr_array(nr_op_context(op), maps, 2);
}

static NrAttr reduce_maps(const NrOp *op) {
  if (!has_dims(op, "dimensions", 2)) return nr_attr_array(nr_op_context(op), NULL, 0);
  uint32_t loops = nr_operand(op, NR_LINALG_REDUCE_INPUTS)->type->rank;
  NrAttr *maps = nr_calloc(op->num_operands + 1, sizeof *maps);
  for (uint32_t k = 0; k < op->num_operands; k++)
    maps[k] = k < op->num_operands / 2 ? identity_map(nr_op_context(op), loops) : map_without_dims(op, loops);
  NrAttr all = nr_attr_array(nr_op_context(op), maps, op->num_operands);
  nr_free(maps);
  return all;
}

static NrStatus reduce_verify(NrOp *op) {
  size_t wrong;
  if (!op->num_operands || op->num_operands % 2)
    return nr_op_error(op, "(C1) expected as many inits as inputs, and one at least");
  uint32_t rank = nr_operand(op, NR_LINALG_REDUCE_INPUTS)->type->rank;
  if (!nr_linalg_are_dims(op, "dimensions", rank, &wrong))
    return nr_op_error(op, "(C1) dimensions for reduction should be in the range [0, %d], each once.", (int)rank - 1);
  return nr_linalg_verify_structure(op);
}

static NrStatus softmax_verify(NrOp *op) {
  NrType in = nr_linalg_softmax_input(op)->type, out = nr_linalg_softmax_output(op)->type;
  int64_t dim = nr_op_attr_int(op, NR_A_dimension, -1);
  if (!nr_type_is_float(in->elem) || in->elem != out->elem)
    return nr_op_error(op, "(C1) expected input and output of one floating-point type, got %s and %s", text_of(op, in),
                       text_of(op, out));
  bool agree = in->rank == out->rank;
  for (uint32_t i = 0; agree && i < in->rank; i++)
    agree = in->dims[i] == out->dims[i] || in->dims[i] == NR_DYNAMIC || out->dims[i] == NR_DYNAMIC;
  if (!agree) return nr_op_error(op, "(C1) incompatible output shape");
  if (dim < 0 || dim >= (int64_t)in->rank) return nr_op_error(op, "(C2) incorrect dimension specified");
  size_t tensors = nr_type_is_tensor(out);
  if (op->num_results != tensors || (tensors && nr_op_result(op)->type != out))
    return nr_op_error(op, "(C3) expected a result of output type %s where that is a tensor, and else none",
                       text_of(op, out));
  return NR_OK;
}

static NrStatus softmax_parse(NrParser *p, NrOpState *state) {
  int64_t dim;
  size_t inputs, outputs;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(nr_p_expect(p, "dimension"));
  NR_TRY(nr_p_expect(p, "("));
  NR_TRY(nr_p_int(p, &dim));
  NR_TRY(nr_p_expect(p, ")"));
  nr_p_add_attr(p, state, "dimension", nr_attr_i64(nr_p_context(p), dim));
  NR_TRY(nr_linalg_parse_operands(p, state, &inputs, &outputs));
  if (inputs != 1 || outputs != 1) return nr_p_op_error(p, "expected one input and one output");
  return nr_linalg_parse_results(p, state);
}

static void softmax_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"dimension", NULL};
  nr_w_attr_dict(w, op, own);
  nr_w_printf(w, " dimension(%lld)", (long long)nr_op_attr_int(op, NR_A_dimension, 0));
  nr_linalg_print_operands(w, op);
  nr_w_arrow_results(w, op);
}

#include "ir/rows.h"
#include "dialect/linalg/attrs.def"
#include "dialect/linalg/ops.def"
