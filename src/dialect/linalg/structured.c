/* structured.c - maps, iterators and loop ranges of structured ops of any name, and the checks that they share. */
#include "dialect/linalg/linalg.h"

/* MLIR's attribute for an iterator is #linalg.iterator_type<parallel>; the op's own text has a string. */

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

/* ---- maps ------------------------------------------------------------------------------------------------------- */

/* Reads the .indexing of an op definition. */
typedef struct Reader {
  const char *at;
  const NrOp *op;
  NrStr loops[NR_MAX_RANK];
  uint32_t num_loops;
  size_t num_windows; /* dims `oh+kh` read so far */
} Reader;

static bool take_char(Reader *r, char c) {
  while (*r->at == ' ') r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static NrStr take_word(Reader *r) {
  while (*r->at == ' ') r->at++;
  const char *begin = r->at;
  while (*r->at && !strchr(" ,:+", *r->at)) r->at++;
  return (NrStr){begin, (size_t)(r->at - begin)};
}

static NrAffineExpr take_loop(Reader *r) {
  NrStr name = take_word(r);
  for (uint32_t i = 0; i < r->num_loops; i++)
    if (nr_str_eq(r->loops[i], name)) return nr_affine_dim(nr_op_context(r->op), i);
  assert(0 && "malformed op row: unknown loop in .indexing");
  return nr_affine_constant(nr_op_context(r->op), 0);
}

int64_t nr_linalg_window_number(const NrOp *op, const char *attr, size_t i) {
  NrAttr numbers = nr_op_attr_named(op, attr);
  int64_t count;
  bool known = numbers && nr_attr_is_elements(numbers) && nr_type_num_elements(numbers->type, &count) &&
               (int64_t)i < count;
  NrAttr number = known ? nr_attr_element(numbers, (int64_t)i) : NULL;
  return number && number->kind == NR_ATTR_INTEGER ? number->i : 1;
}

/* Reads one dim of an operand: a loop, or a window of two loops. */
static NrAffineExpr take_dim(Reader *r) {
  NrContext *ctx = nr_op_context(r->op);
  NrAffineExpr outer = take_loop(r), inner;
  if (*r->at != '+') return outer;
  r->at++;
  inner = take_loop(r);
  int64_t stride = nr_linalg_window_number(r->op, "strides", r->num_windows);
  int64_t dilation = nr_linalg_window_number(r->op, "dilations", r->num_windows++);
  outer = nr_affine_binary(NR_AFFINE_MUL, outer, nr_affine_constant(ctx, stride));
  inner = nr_affine_binary(NR_AFFINE_MUL, inner, nr_affine_constant(ctx, dilation));
  return nr_affine_binary(NR_AFFINE_ADD, outer, inner);
}

static NrAttr maps_of_text(const NrOp *op) {
  enum { MAX_OPERANDS = 8 };
  NrContext *ctx = nr_op_context(op);
  Reader r = {.at = op->info->indexing, .op = op};
  NrAttr maps[MAX_OPERANDS];
  size_t count = 0;
  while (!take_char(&r, ':')) r.loops[r.num_loops++] = take_word(&r);
  do {
    NrAffineExpr exprs[NR_MAX_RANK];
    size_t rank = 0;
    for (take_char(&r, ' '); *r.at && *r.at != ','; take_char(&r, ' ')) exprs[rank++] = take_dim(&r);
    maps[count++] = nr_attr_affine_map(ctx, r.num_loops, 0, exprs, rank);
  } while (take_char(&r, ','));
  return nr_attr_array(ctx, maps, count);
}

NrAttr nr_linalg_identity_maps(const NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  size_t begin, count;
  if (!nr_op_destinations(op, &begin, &count) || !count) return nr_attr_array(ctx, NULL, 0);
  NrType out = nr_operand(op, begin)->type;
  uint32_t loops = nr_type_is_ranked(out) ? out->rank : 0;
  NrAffineExpr dims[NR_MAX_RANK];
  NrAttr *maps = nr_calloc(op->num_operands, sizeof *maps);
  for (uint32_t d = 0; d < loops; d++) dims[d] = nr_affine_dim(ctx, d);
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrType type = nr_operand(op, k)->type;
    bool is_scalar = !nr_type_is_ranked(type) || type->rank == 0;
    maps[k] = nr_attr_affine_map(ctx, loops, 0, dims, is_scalar ? 0 : loops);
  }
  NrAttr all = nr_attr_array(ctx, maps, op->num_operands);
  nr_free(maps);
  return all;
}

NrAttr nr_linalg_default_maps(const NrOp *op) {
  return op->info->indexing ? maps_of_text(op) : nr_linalg_identity_maps(op);
}

NrAttr nr_linalg_given_maps(const NrOp *op) {
  NrAttr maps = nr_op_attr(op, NR_A_indexing_maps);
  return maps && maps->kind == NR_ATTR_ARRAY ? maps : nr_linalg_default_maps(op);
}

NrAttr nr_linalg_required_maps(const NrOp *op) { return nr_op_attr(op, NR_A_indexing_maps); }

NrAttr nr_linalg_maps(const NrOp *op) { return op->info->maps ? op->info->maps(op) : nr_linalg_default_maps(op); }

/* ---- queries ----------------------------------------------------------------------------------------------------- */

bool nr_linalg_is_structured(const NrOp *op) { return op && (op->info->indexing || op->info->maps); }

NrStr nr_iterator_name(NrAttr a) {
  static const char *const words[] = {"parallel", "reduction", "window"}; /* as numbered in attrs.def */
  if (a->kind == NR_ATTR_STRING) return a->s;
  return a->kind == NR_ATTR_linalg_iterator_type ? nr_str(words[a->items[0]->i]) : (NrStr){0};
}

NrAttr nr_iterator_attr(NrContext *ctx, const char *iterators) {
  NrAttr items[NR_MAX_RANK];
  size_t count = strlen(iterators);
  NrAttr numbers[] = {nr_attr_i64(ctx, 0), nr_attr_i64(ctx, 1)};
  NrAttr parallel = nr_attr_of_dialect(ctx, NR_ATTR_linalg_iterator_type, &numbers[0], NULL);
  NrAttr reduction = nr_attr_of_dialect(ctx, NR_ATTR_linalg_iterator_type, &numbers[1], NULL);
  assert(count <= NR_MAX_RANK);
  for (size_t i = 0; i < count; i++) items[i] = iterators[i] == 'r' ? reduction : parallel;
  return nr_attr_array(ctx, items, count);
}

size_t nr_linalg_num_loops(const NrOp *op) {
  NrAttr iterators = nr_op_attr(op, NR_A_iterator_types);
  if (iterators) return iterators->size;
  NrAttr maps = nr_linalg_maps(op);
  return maps && maps->size && maps->items[0]->kind == NR_ATTR_AFFINE_MAP ? maps->items[0]->num_dims : 0;
}

size_t nr_linalg_num_inputs(const NrOp *op) { return op->num_operands - nr_linalg_num_outputs(op); }

size_t nr_linalg_num_outputs(const NrOp *op) {
  size_t begin, count;
  return nr_op_destinations(op, &begin, &count) ? count : 0;
}

NrAttr nr_linalg_map(const NrOp *op, size_t operand) { return nr_linalg_maps(op)->items[operand]; }

static bool map_uses(NrAttr map, size_t loop) {
  for (uint32_t i = 0; i < map->num_exprs; i++)
    if (nr_affine_uses_dim(map->exprs[i], (uint32_t)loop)) return true;
  return false;
}

bool nr_linalg_is_reduction(const NrOp *op, size_t loop) {
  NrAttr iterators = nr_op_attr(op, NR_A_iterator_types);
  if (iterators) return nr_str_is(nr_iterator_name(iterators->items[loop]), "reduction");
  NrAttr maps = nr_linalg_maps(op);
  for (size_t k = nr_linalg_num_inputs(op); k < maps->size; k++)
    if (map_uses(maps->items[k], loop)) return false;
  return true;
}

void nr_linalg_iterators(const NrOp *op, char out[NR_MAX_RANK + 1]) {
  size_t loops = nr_linalg_num_loops(op);
  for (size_t i = 0; i < loops; i++) out[i] = nr_linalg_is_reduction(op, i) ? 'r' : 'p';
  out[loops] = 0;
}

size_t nr_linalg_num_reductions(const NrOp *op) {
  size_t count = 0;
  for (size_t i = 0; i < nr_linalg_num_loops(op); i++) count += nr_linalg_is_reduction(op, i);
  return count;
}

static bool loop_source(const NrOp *op, size_t loop, bool want_static, size_t *out_operand, size_t *out_dim) {
  NrAttr maps = nr_linalg_maps(op);
  for (size_t k = 0; k < op->num_operands; k++) {
    NrAttr map = maps->items[k];
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

bool nr_linalg_loop_source(const NrOp *op, size_t loop, size_t *out_operand, size_t *out_dim) {
  return loop_source(op, loop, true, out_operand, out_dim) || loop_source(op, loop, false, out_operand, out_dim);
}

NrIndex nr_linalg_loop_range(NrBuilder *b, NrOp *op, size_t loop) {
  size_t operand = 0, dim = 0;
  bool ok = nr_linalg_loop_source(op, loop, &operand, &dim);
  assert(ok && "the verifier lets no structured op pass without a range for each loop");
  (void)ok;
  return nr_dim_build(b, nr_operand(op, operand), dim);
}

int64_t nr_linalg_static_range(const NrOp *op, size_t loop) {
  size_t operand, dim;
  return loop_source(op, loop, true, &operand, &dim) ? nr_operand(op, operand)->type->dims[dim] : NR_DYNAMIC;
}

/* ---- verifier --------------------------------------------------------------------------------------------------- */

NrStatus nr_linalg_verify_results(NrOp *op, const char *id) {
  size_t next = 0;
  for (size_t i = nr_linalg_num_inputs(op); i < op->num_operands; i++) {
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

static NrStatus iterators_verify(NrOp *op) {
  NrAttr types = nr_op_attr(op, NR_A_iterator_types);
  if (!types) return NR_OK;
  if (types->size > NR_MAX_RANK) return nr_op_error(op, "(C1) more than %d loops", NR_MAX_RANK);
  for (size_t i = 0; i < types->size; i++) {
    NrStr name = nr_iterator_name(types->items[i]);
    if (nr_str_is(name, "parallel") || nr_str_is(name, "reduction")) continue;
    NrNearest nearest = nr_nearest(name);
    nr_nearest_try(&nearest, NR_STR("parallel"));
    nr_nearest_try(&nearest, NR_STR("reduction"));
    return nr_op_error(op, "unexpected iterator_type (%.*s)" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  }
  return NR_OK;
}

static NrStatus maps_verify(NrOp *op) {
  NR_TRY(iterators_verify(op));
  NrAttr maps = nr_linalg_maps(op);
  if (maps->size != op->num_operands)
    return nr_op_error(op, "(C1) expected the number of indexing_map (%zu) to be equal to the number of operands (%u)",
                       maps->size, op->num_operands);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (maps->items[i]->kind != NR_ATTR_AFFINE_MAP)
      return nr_op_error(op, "(C1) indexing_map #%u is not an affine map", i);
  size_t loops = nr_linalg_num_loops(op);
  if (loops > NR_MAX_RANK) return nr_op_error(op, "(C1) more than %d loops", NR_MAX_RANK);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrAttr map = maps->items[i];
    NrType type = nr_operand(op, i)->type;
    uint32_t rank = nr_type_is_shaped(type) ? type->rank : 0;
    if (map->num_symbols) return nr_op_error(op, "(C1) unexpected symbols in indexing_map #%u", i);
    if (map->num_dims != loops)
      return nr_op_error(op, "(C1) expected indexing_map #%u to have %zu dim(s) to match the number of loops", i,
                         loops);
    if (map->num_exprs != rank)
      return nr_op_error(op, "(C1) expected operand rank (%u) to match the result rank of indexing_map #%u (%u)", rank,
                         i, map->num_exprs);
  }
  return NR_OK;
}

static NrStatus body_verify(NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  size_t inputs = nr_linalg_num_inputs(op), outputs = nr_linalg_num_outputs(op);
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

/* A mismatch between a loop's range and the size of an operand's dim that it indexes. */
typedef struct RangeFault {
  uint32_t operand, dim;
  int64_t size;  /* size of the operand along dim */
  int64_t found; /* the loop's range, or, if not exact, an index outside the dim */
  bool exact;
} RangeFault;

/* The smallest and the largest value of an expression over the loops; false where they are not known. */
static bool extremes(NrAffineExpr e, size_t loops, const int64_t *ranges, int64_t *out_min, int64_t *out_max) {
  int64_t coeff[NR_MAX_RANK], step;
  if (!nr_affine_linear(e, (uint32_t)loops, coeff, out_min)) return false;
  *out_max = *out_min;
  for (size_t d = 0; d < loops; d++) {
    if (!coeff[d]) continue;
    int64_t *end = coeff[d] > 0 ? out_max : out_min;
    bool known = ranges[d] != NR_DYNAMIC && ranges[d] > 0 && nr_mul_i64(coeff[d], ranges[d] - 1, &step);
    if (!known || !nr_add_i64(*end, step, end)) return false;
  }
  return true;
}

static bool find_range_fault(const NrOp *op, RangeFault *out) {
  NrAttr maps = nr_linalg_maps(op);
  size_t loops = nr_linalg_num_loops(op);
  int64_t ranges[NR_MAX_RANK], min, max;
  for (size_t i = 0; i < loops; i++) ranges[i] = nr_linalg_static_range(op, i);
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrAttr map = maps->items[k];
    for (uint32_t i = 0; i < map->num_exprs; i++) {
      int64_t size = nr_operand(op, k)->type->dims[i];
      NrAffineExpr e = map->exprs[i];
      if (size == NR_DYNAMIC) continue;
      *out = (RangeFault){k, i, size, 0, e->kind == NR_AFFINE_DIM};
      if (out->exact && (out->found = ranges[e->value]) != size) return true;
      if (!extremes(e, loops, ranges, &min, &max)) continue;
      out->exact = false;
      out->found = min < 0 ? min : max;
      if (max >= size || min < 0) return true;
    }
  }
  return false;
}

bool nr_linalg_ranges_agree(const NrOp *op) {
  RangeFault fault;
  return !find_range_fault(op, &fault);
}

static NrStatus ranges_verify(NrOp *op) {
  size_t operand, dim;
  RangeFault fault;
  for (size_t i = 0; i < nr_linalg_num_loops(op); i++)
    if (!nr_linalg_loop_source(op, i, &operand, &dim))
      return nr_op_error(op, "(C5) no dim of an operand gives the range of loop d%zu", i);
  if (!find_range_fault(op, &fault)) return NR_OK;
  if (fault.exact)
    return nr_op_error(op,
                       "(C6) inferred input/output operand #%u has shape's dimension #%u to be %lld, but found %lld",
                       fault.operand, fault.dim, (long long)fault.found, (long long)fault.size);
  return nr_op_error(op, "(C6) operand #%u is read at %lld along dimension #%u, outside of its size %lld",
                     fault.operand, (long long)fault.found, fault.dim, (long long)fault.size);
}

NrStatus nr_linalg_verify_structure(NrOp *op) {
  NR_TRY(maps_verify(op));
  NR_TRY(body_verify(op));
  NR_TRY(nr_linalg_verify_results(op, "C4"));
  return ranges_verify(op);
}
