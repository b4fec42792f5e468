/* linalg.c - the rows of dialect linalg, their hooks, access for passes and the builder. */
#include "dialect/linalg/linalg.h"

/* MLIR's attribute for an iterator is #linalg.iterator_type<parallel>; in the op's own text it is a string. */
#define ITERATOR_PREFIX "linalg.iterator_type<"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- access ----------------------------------------------------------------------------------------------------- */

static NrStr iterator_name(NrAttr a) {
  if (a->kind == NR_ATTR_STRING) return a->s;
  size_t prefix = sizeof ITERATOR_PREFIX - 1;
  if (a->kind == NR_ATTR_OPAQUE && nr_str_starts(a->s, ITERATOR_PREFIX) && a->s.data[a->s.size - 1] == '>')
    return (NrStr){a->s.data + prefix, a->s.size - prefix - 1};
  return (NrStr){0};
}

size_t nr_generic_num_loops(const NrOp *op) { return nr_op_attr(op, "iterator_types")->size; }

size_t nr_generic_num_inputs(const NrOp *op) {
  size_t begin, count;
  return nr_op_operand_group(op, 0, &begin, &count) ? count : 0;
}

size_t nr_generic_num_outputs(const NrOp *op) { return op->num_operands - nr_generic_num_inputs(op); }
NrAttr nr_generic_map(const NrOp *op, size_t operand) { return nr_op_attr(op, "indexing_maps")->items[operand]; }

bool nr_generic_is_reduction(const NrOp *op, size_t loop) {
  return nr_str_is(iterator_name(nr_op_attr(op, "iterator_types")->items[loop]), "reduction");
}

size_t nr_generic_num_reductions(const NrOp *op) {
  size_t count = 0;
  for (size_t i = 0; i < nr_generic_num_loops(op); i++) count += nr_generic_is_reduction(op, i);
  return count;
}

static bool loop_source(const NrOp *op, size_t loop, bool want_static, size_t *out_operand, size_t *out_dim) {
  for (size_t k = 0; k < op->num_operands; k++) {
    NrAttr map = nr_generic_map(op, k);
    NrType type = nr_operand(op, k)->type;
    for (uint32_t i = 0; i < map->num_exprs; i++) {
      NrAffineExpr e = map->exprs[i];
      if (e->kind != NR_AFFINE_DIM || e->value != (int64_t)loop) continue;
      if (want_static && (!nr_type_is_ranked(type) || type->dims[i] == NR_DYNAMIC)) continue;
      *out_operand = k;
      *out_dim = i;
      return true;
    }
  }
  return false;
}

bool nr_generic_loop_source(const NrOp *op, size_t loop, size_t *out_operand, size_t *out_dim) {
  return loop_source(op, loop, true, out_operand, out_dim) || loop_source(op, loop, false, out_operand, out_dim);
}

NrIndex nr_generic_loop_range(NrBuilder *b, NrOp *op, size_t loop) {
  size_t operand = 0, dim = 0;
  bool ok = nr_generic_loop_source(op, loop, &operand, &dim);
  assert(ok && "the verifier lets no generic pass without a range for each loop");
  (void)ok;
  return nr_dim_build(b, nr_operand(op, operand), dim);
}

int64_t nr_generic_static_range(const NrOp *op, size_t loop) {
  size_t operand, dim;
  return loop_source(op, loop, true, &operand, &dim) ? nr_operand(op, operand)->type->dims[dim] : NR_DYNAMIC;
}

/* ---- builders --------------------------------------------------------------------------------------------------- */

NrAttr nr_iterator_attr(NrContext *ctx, const char *iterators) {
  NrAttr items[NR_MAX_RANK];
  size_t count = strlen(iterators);
  NrAttr parallel = nr_attr_opaque(ctx, NR_STR(ITERATOR_PREFIX "parallel>"), NULL);
  NrAttr reduction = nr_attr_opaque(ctx, NR_STR(ITERATOR_PREFIX "reduction>"), NULL);
  assert(count <= NR_MAX_RANK);
  for (size_t i = 0; i < count; i++) items[i] = iterators[i] == 'r' ? reduction : parallel;
  return nr_attr_array(ctx, items, count);
}

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
  nr_op_set_attr(op, "indexing_maps", nr_attr_array(b->ctx, maps, count));
  nr_op_set_attr(op, "iterator_types", nr_iterator_attr(b->ctx, iterators));
  nr_op_set_segments(op, (uint32_t[]){(uint32_t)num_inputs, (uint32_t)num_outputs}, 2);
  NrBlock *body = nr_block_create(b->module);
  nr_block_append(nr_op_region(op, 0), body);
  for (size_t i = 0; i < count; i++) nr_block_add_arg(body, nr_type_elem(operands[i]->type), op->loc);
  nr_free(operands);
  nr_free(results);
  return op;
}

NrValue *nr_build_fill(NrBuilder *b, NrValue *scalar, NrValue *output) {
  bool tensor = nr_type_is_tensor(output->type);
  NrOp *op = nr_build_op(b, NR_OP_linalg_fill, (NrValue *[]){scalar, output}, 2, &output->type, tensor);
  nr_op_set_segments(op, (uint32_t[]){1, 1}, 2);
  return tensor ? nr_result(op, 0) : output;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* word `(` operands `:` types `)`, appended to the state. */
static NrStatus group_parse(NrParser *p, NrOpState *state, const char *word, size_t *out_count) {
  NrOperandRef *refs;
  NrType *types;
  size_t num_types;
  *out_count = 0;
  if (!nr_p_try(p, word)) return NR_OK;
  NR_TRY(nr_p_expect(p, "("));
  if (nr_p_try(p, ")")) return NR_OK;
  NR_TRY(nr_p_operands(p, &refs, out_count));
  NR_TRY(nr_p_expect(p, ":"));
  NR_TRY(nr_p_type_list(p, &types, &num_types));
  NR_TRY(nr_p_expect(p, ")"));
  return nr_p_add_operands(p, state, refs, *out_count, types, num_types);
}

static NrStatus operands_parse(NrParser *p, NrOpState *state) {
  size_t inputs, outputs;
  NR_TRY(group_parse(p, state, "ins", &inputs));
  NR_TRY(group_parse(p, state, "outs", &outputs));
  nr_p_set_segments(p, state, (uint32_t[]){(uint32_t)inputs, (uint32_t)outputs}, 2);
  return NR_OK;
}

static NrStatus results_parse(NrParser *p, NrOpState *state) {
  NrType *types;
  size_t count;
  NR_TRY(nr_p_arrow_type_list(p, &types, &count));
  nr_p_add_results(p, state, types, count);
  return NR_OK;
}

/* The attributes in front of the operands: `{..}`, or an alias of such, `#trait`. */
static NrStatus trait_parse(NrParser *p, NrOpState *state) {
  if (nr_p_peek(p, "{")) return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
  NrLoc loc = nr_p_loc(p);
  NrAttr trait;
  NR_TRY(nr_p_attr(p, &trait));
  if (trait->kind != NR_ATTR_DICT) return nr_p_error(p, loc, "expected a dictionary of the op's attributes");
  for (size_t i = 0; i < trait->num_named; i++)
    nr_p_add_attr(p, state, trait->named[i].name.data, trait->named[i].value);
  return NR_OK;
}

static NrStatus generic_parse(NrParser *p, NrOpState *state) {
  NR_TRY(trait_parse(p, state));
  NR_TRY(operands_parse(p, state));
  if (nr_p_try(p, "attrs")) {
    NR_TRY(nr_p_expect(p, "="));
    if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  }
  NR_TRY(nr_p_region(p, state, NULL, 0));
  return results_parse(p, state);
}

/* Iterator types that stand as strings become attributes of their own. */
static NrStatus generic_post_parse(NrParser *p, NrOp *op) {
  NrAttr types = nr_op_attr(op, "iterator_types");
  char letters[NR_MAX_RANK + 1] = {0};
  (void)p;
  if (!types || types->kind != NR_ATTR_ARRAY || types->size > NR_MAX_RANK) return NR_OK;
  for (size_t i = 0; i < types->size; i++) {
    NrAttr item = types->items[i];
    if (item->kind != NR_ATTR_STRING || (!nr_str_is(item->s, "parallel") && !nr_str_is(item->s, "reduction")))
      return NR_OK;
    letters[i] = item->s.data[0];
  }
  nr_op_set_attr(op, "iterator_types", nr_iterator_attr(nr_op_context(op), letters));
  return NR_OK;
}

static void group_print(NrPrinter *w, NrOp *op, const char *word, size_t begin, size_t count) {
  if (!count) return;
  nr_w_printf(w, " %s(", word);
  nr_w_values(w, op, begin, count);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, begin, count);
  nr_w_puts(w, ")");
}

static void operands_print(NrPrinter *w, NrOp *op) {
  size_t inputs = nr_generic_num_inputs(op);
  group_print(w, op, "ins", 0, inputs);
  group_print(w, op, "outs", inputs, op->num_operands - inputs);
}

static void generic_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"doc",          "indexing_maps",       "iterator_types",
                                    "library_call", "operandSegmentSizes", NULL};
  NrAttr types = nr_op_attr(op, "iterator_types"), doc = nr_op_attr(op, "doc"), call = nr_op_attr(op, "library_call");
  nr_w_puts(w, " {");
  if (doc) {
    nr_w_puts(w, "doc = ");
    nr_w_attr(w, doc);
    nr_w_puts(w, ", ");
  }
  nr_w_puts(w, "indexing_maps = ");
  nr_w_attr(w, nr_op_attr(op, "indexing_maps"));
  nr_w_puts(w, ", iterator_types = [");
  for (size_t i = 0; i < types->size; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_string(w, iterator_name(types->items[i]));
  }
  nr_w_puts(w, "]");
  if (call) {
    nr_w_puts(w, ", library_call = ");
    nr_w_attr(w, call);
  }
  nr_w_puts(w, "}");
  operands_print(w, op);
  size_t others = op->num_attrs;
  for (size_t i = 0; own[i]; i++) others -= nr_op_attr(op, own[i]) != NULL;
  if (others) {
    nr_w_puts(w, " attrs =");
    nr_w_attr_dict(w, op, own);
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_op_region(op, 0), true, true);
  nr_w_arrow_results(w, op);
}

static NrStatus fill_parse(NrParser *p, NrOpState *state) {
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  NR_TRY(operands_parse(p, state));
  return results_parse(p, state);
}

static void fill_print(NrPrinter *w, NrOp *op) {
  static const char *const own[] = {"operandSegmentSizes", NULL};
  nr_w_attr_dict(w, op, own);
  operands_print(w, op);
  nr_w_arrow_results(w, op);
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

/* Results are the outputs that are tensors. */
static NrStatus results_verify(NrOp *op, const char *id) {
  size_t next = 0;
  for (size_t i = nr_generic_num_inputs(op); i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type;
    if (!nr_type_is_tensor(type)) continue;
    if (next >= op->num_results || nr_result(op, next)->type != type)
      return nr_op_error(op, "(%s) expected result #%zu to be of output type %s", id, next, text_of(op, type));
    next++;
  }
  if (next != op->num_results)
    return nr_op_error(
        op, "(%s) expected the number of tensor results (%u) to be equal to the number of output tensors (%zu)", id,
        op->num_results, next);
  return NR_OK;
}

static NrStatus maps_verify(NrOp *op) {
  NrAttr maps = nr_op_attr(op, "indexing_maps"), types = nr_op_attr(op, "iterator_types");
  if (types->size > NR_MAX_RANK) return nr_op_error(op, "(C1) more than %d loops", NR_MAX_RANK);
  for (size_t i = 0; i < types->size; i++) {
    NrStr name = iterator_name(types->items[i]);
    if (nr_str_is(name, "parallel") || nr_str_is(name, "reduction")) continue;
    NrNearest nearest = nr_nearest(name);
    nr_nearest_try(&nearest, NR_STR("parallel"));
    nr_nearest_try(&nearest, NR_STR("reduction"));
    return nr_op_error(op, "unexpected iterator_type (%.*s)" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  }
  if (maps->size != op->num_operands)
    return nr_op_error(op, "(C1) expected the number of indexing_map (%zu) to be equal to the number of operands (%u)",
                       maps->size, op->num_operands);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrAttr map = maps->items[i];
    NrType type = nr_operand(op, i)->type;
    uint32_t rank = nr_type_is_shaped(type) ? type->rank : 0;
    if (map->kind != NR_ATTR_AFFINE_MAP) return nr_op_error(op, "(C1) indexing_map #%u is not an affine map", i);
    if (map->num_symbols) return nr_op_error(op, "(C1) unexpected symbols in indexing_map #%u", i);
    if (map->num_dims != types->size)
      return nr_op_error(op, "(C1) expected indexing_map #%u to have %zu dim(s) to match the number of loops", i,
                         types->size);
    if (map->num_exprs != rank)
      return nr_op_error(op, "(C1) expected operand rank (%u) to match the result rank of indexing_map #%u (%u)", rank,
                         i, map->num_exprs);
  }
  return NR_OK;
}

static NrStatus body_verify(NrOp *op) {
  NrBlock *body = nr_op_body(op, 0);
  size_t inputs = nr_generic_num_inputs(op), outputs = nr_generic_num_outputs(op);
  if (!body || body->num_args != op->num_operands)
    return nr_op_error(op, "(C2) expected as many non-induction variable region arguments as the number of operands");
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType elem = nr_type_elem(nr_operand(op, i)->type);
    if (nr_block_arg(body, i)->type != elem)
      return nr_op_error(
          op,
          "(C2) expected type of bb argument #%u (%s) to match element or self type of the corresponding "
          "operand (%s)",
          i, text_of(op, nr_block_arg(body, i)->type), text_of(op, elem));
  }
  NrOp *yield = nr_block_terminator(body);
  if (!nr_op_is(yield, NR_OP_linalg_yield)) return nr_op_error(op, "(C3) expected the body to end with linalg.yield");
  if (yield->num_operands != outputs)
    return nr_op_error(yield, "(C3) expected number of yield values (%u) to match the number of outputs (%zu)",
                       yield->num_operands, outputs);
  for (size_t i = 0; i < outputs; i++) {
    NrType elem = nr_type_elem(nr_operand(op, inputs + i)->type);
    if (nr_operand(yield, i)->type != elem)
      return nr_op_error(yield, "(C3) type of yield operand %zu (%s) doesn't match the element type of the output (%s)",
                         i + 1, text_of(op, nr_operand(yield, i)->type), text_of(op, elem));
  }
  return NR_OK;
}

/* What a map reads against the loops' ranges: the largest index must be inside. */
typedef struct RangeFault {
  uint32_t operand, dim;
  int64_t size;  /* of the operand along dim */
  int64_t found; /* what the loop takes it to be, or, not exact, an index outside of it */
  bool exact;
} RangeFault;

/* The least and the last value of an expression, where they are known. */
static bool extremes(NrAffineExpr e, size_t loops, const int64_t *ranges, int64_t *out_least, int64_t *out_last) {
  int64_t coeff[NR_MAX_RANK], step;
  if (!nr_affine_linear(e, (uint32_t)loops, coeff, out_least)) return false;
  *out_last = *out_least;
  for (size_t d = 0; d < loops; d++) {
    if (!coeff[d]) continue;
    int64_t *end = coeff[d] > 0 ? out_last : out_least;
    bool known = ranges[d] != NR_DYNAMIC && ranges[d] > 0 && nr_mul_i64(coeff[d], ranges[d] - 1, &step);
    if (!known || !nr_add_i64(*end, step, end)) return false;
  }
  return true;
}

static bool find_range_fault(const NrOp *op, RangeFault *out) {
  size_t loops = nr_generic_num_loops(op);
  int64_t ranges[NR_MAX_RANK], least, last;
  for (size_t i = 0; i < loops; i++) ranges[i] = nr_generic_static_range(op, i);
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrAttr map = nr_generic_map(op, k);
    for (uint32_t i = 0; i < map->num_exprs; i++) {
      int64_t size = nr_operand(op, k)->type->dims[i];
      NrAffineExpr e = map->exprs[i];
      if (size == NR_DYNAMIC) continue;
      *out = (RangeFault){k, i, size, 0, e->kind == NR_AFFINE_DIM};
      if (out->exact && (out->found = ranges[e->value]) != size) return true;
      if (!extremes(e, loops, ranges, &least, &last)) continue;
      out->exact = false;
      out->found = least < 0 ? least : last;
      if (last >= size || least < 0) return true;
    }
  }
  return false;
}

bool nr_generic_ranges_agree(const NrOp *op) {
  RangeFault fault;
  return !find_range_fault(op, &fault);
}

static NrStatus ranges_verify(NrOp *op) {
  size_t operand, dim;
  RangeFault fault;
  for (size_t i = 0; i < nr_generic_num_loops(op); i++)
    if (!nr_generic_loop_source(op, i, &operand, &dim))
      return nr_op_error(op, "(C5) no dim of an operand gives the range of loop d%zu", i);
  if (!find_range_fault(op, &fault)) return NR_OK;
  if (fault.exact)
    return nr_op_error(op,
                       "(C6) inferred input/output operand #%u has shape's dimension #%u to be %lld, but found %lld",
                       fault.operand, fault.dim, (long long)fault.found, (long long)fault.size);
  return nr_op_error(op, "(C6) operand #%u is read at %lld along dimension #%u, outside of its size %lld",
                     fault.operand, (long long)fault.found, fault.dim, (long long)fault.size);
}

static NrStatus generic_verify(NrOp *op) {
  NR_TRY(maps_verify(op));
  NR_TRY(body_verify(op));
  NR_TRY(results_verify(op, "C4"));
  return ranges_verify(op);
}

static NrStatus fill_verify(NrOp *op) {
  if (nr_generic_num_inputs(op) != 1 || op->num_operands != 2)
    return nr_op_error(op, "(C1) expected one input and one output");
  NrType elem = nr_type_elem(nr_operand(op, 1)->type), value = nr_operand(op, 0)->type;
  if (value != elem)
    return nr_op_error(op, "(C1) expected a scalar of the output's element type %s, got %s", text_of(op, elem),
                       text_of(op, value));
  return results_verify(op, "C2");
}

static NrStatus index_verify(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  if (!nr_op_is(parent, NR_OP_linalg_generic))
    return nr_op_error(op, "(C1) expected parent op with LinalgOp interface");
  NrAttr types = nr_op_attr(parent, "iterator_types");
  if (!types || types->kind != NR_ATTR_ARRAY) return NR_OK; /* an error of the parent */
  int64_t dim = nr_op_attr_int(op, "dim", -1);
  if (dim < 0 || dim >= (int64_t)nr_generic_num_loops(parent))
    return nr_op_error(op,
                       "(C2) expected dim (%lld) to be lower than the number of loops (%zu) of the enclosing LinalgOp",
                       (long long)dim, nr_generic_num_loops(parent));
  return NR_OK;
}

#include "dialect/shared/rows.h"
#include "dialect/linalg/ops.def"
