/* expand.c - expands named ops to simpler ops: any structured op to linalg.generic, and linalg.softmax.
 *
 *   softmax of x along d    m = max of x along d;  e = exp(x - m);  s = sum of e along d;  e / s */
#include "dialect/arith/arith.h"
#include "dialect/arith/combine.h"
#include "dialect/linalg/linalg.h"
#include "dialect/memref/memref.h"
#include "dialect/tensor/tensor.h"

NrStatus nr_linalg_generalize(NrOp *op, NrBuilder *b, NrValue **out_values) {
  NrContext *ctx = b->ctx;
  size_t inputs = nr_linalg_num_inputs(op), begin, count, results = 0;
  char iterators[NR_MAX_RANK + 1];
  NrValue **operands = nr_calloc(op->num_operands + 1, sizeof *operands);
  NrType *types = nr_calloc(op->num_operands + 1, sizeof *types);
  nr_op_destinations(op, &begin, &count);
  nr_linalg_iterators(op, iterators);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    operands[i] = nr_operand(op, i);
    if (i >= inputs && nr_type_is_tensor(operands[i]->type)) types[results++] = operands[i]->type;
  }
  NrOp *generic = nr_build(b, &(NrOpState){.info = nr_op_infos[NR_OP_linalg_generic],
                                           .operands = operands,
                                           .num_operands = op->num_operands,
                                           .result_types = types,
                                           .num_results = results,
                                           .num_regions = 1});
  nr_op_set_attr(generic, NR_A_indexing_maps, nr_linalg_maps(op));
  nr_op_set_attr(generic, NR_A_iterator_types, nr_iterator_attr(ctx, iterators));
  nr_op_set_segments(generic, (uint32_t[]){(uint32_t)inputs, (uint32_t)(op->num_operands - inputs)}, 2);
  NrMap map = {0};
  nr_region_clone(op->module, nr_op_only_region(op), nr_linalg_generic_region(generic), &map);
  nr_map_deinit(&map);
  for (size_t i = 0; i < results; i++) out_values[i] = nr_result(generic, i);
  nr_free(operands);
  nr_free(types);
  return NR_OK;
}

/* ---- softmax ----------------------------------------------------------------------------------------------------- */

typedef struct Softmax {
  NrBuilder *b;
  NrType type;       /* of the operand and the result */
  uint32_t dim;      /* the dim that is reduced */
  NrAttr whole, row; /* maps: all dims, and all dims but dim */
  char along[NR_MAX_RANK + 1], all[NR_MAX_RANK + 1]; /* iterators with the reduction of dim, and all parallel */
} Softmax;

static void init_softmax(Softmax *s, NrBuilder *b, NrOp *op) {
  NrAffineExpr dims[NR_MAX_RANK], kept[NR_MAX_RANK];
  uint32_t num_kept = 0;
  *s = (Softmax){
      .b = b, .type = nr_linalg_softmax_input(op)->type, .dim = (uint32_t)nr_op_attr_int(op, NR_A_dimension, 0)};
  for (uint32_t i = 0; i < s->type->rank; i++) {
    dims[i] = nr_affine_dim(b->ctx, i);
    if (i != s->dim) kept[num_kept++] = dims[i];
    s->along[i] = i == s->dim ? 'r' : 'p';
    s->all[i] = 'p';
  }
  s->whole = nr_attr_affine_map(b->ctx, s->type->rank, 0, dims, s->type->rank);
  s->row = nr_attr_affine_map(b->ctx, s->type->rank, 0, kept, num_kept);
}

static NrAttr neutral_of(const Softmax *s, unsigned op_id) {
  return nr_combine_neutral(nr_combine_of_op(op_id), s->type->elem);
}

/* A buffer or tensor with one element per row, filled with value. */
static NrValue *filled_rows(Softmax *s, NrValue *x, bool on_buffers, NrAttr value) {
  NrIndex dims[NR_MAX_RANK];
  size_t rank = 0;
  for (uint32_t i = 0; i < s->type->rank; i++)
    if (i != s->dim) dims[rank++] = nr_dim_build(s->b, x, i);
  NrValue *init = on_buffers ? nr_build_alloc(s->b, NR_OP_memref_alloc, s->type->elem, dims, rank)
                              : nr_build_empty(s->b, s->type->elem, dims, rank);
  return nr_build_fill(s->b, nr_arith_constant(s->b, value), init);
}

/* Builds the value that the body of a generic yields from its arguments. */
typedef NrValue *(*Step)(NrBuilder *b, NrValue *const *args);

static NrValue *larger(NrBuilder *b, NrValue *const *args) {
  return nr_arith_binary(b, NR_OP_arith_maximumf, args[1], args[0]);
}
static NrValue *sum(NrBuilder *b, NrValue *const *args) {
  return nr_arith_binary(b, NR_OP_arith_addf, args[1], args[0]);
}
static NrValue *exp_of_distance(NrBuilder *b, NrValue *const *args) {
  NrValue *distance = nr_arith_binary(b, NR_OP_arith_subf, args[0], args[1]);
  return nr_build_value(b, NR_OP_math_exp, distance->type, &distance, 1);
}
static NrValue *quotient(NrBuilder *b, NrValue *const *args) {
  return nr_arith_binary(b, NR_OP_arith_divf, args[0], args[1]);
}

/* Builds a generic from inputs to output. Returns its result, or output if that is a buffer. */
static NrValue *step(Softmax *s, NrValue *const *inputs, size_t num_inputs, NrValue *output, const NrAttr *maps,
                     const char *iterators, Step compute) {
  NrOp *op = nr_build_generic(s->b, inputs, num_inputs, &output, 1, maps, iterators);
  NrBlock *body = nr_linalg_generic_body(op);
  NrBuilder b = nr_builder_at_end(s->b->module, body, s->b->loc);
  NrValue *value = compute(&b, body->args);
  nr_build_op(&b, NR_OP_linalg_yield, &value, 1, NULL, 0);
  return op->num_results ? nr_op_result(op) : output;
}

NrStatus nr_linalg_softmax_expand(NrOp *op, NrBuilder *b, NrValue **out_values) {
  Softmax s;
  NrValue *x = nr_linalg_softmax_input(op), *output = nr_linalg_softmax_output(op);
  bool on_buffers = nr_type_is_memref(output->type);
  init_softmax(&s, b, op);
  NrAttr reducing[] = {s.whole, s.row}, mapping[] = {s.whole, s.row, s.whole};
  NrValue *max = filled_rows(&s, x, on_buffers, neutral_of(&s, NR_OP_arith_maximumf));
  max = step(&s, &x, 1, max, reducing, s.along, larger);
  NrValue *powers = step(&s, (NrValue *[]){x, max}, 2, output, mapping, s.all, exp_of_distance);
  NrValue *total = filled_rows(&s, x, on_buffers, neutral_of(&s, NR_OP_arith_addf));
  total = step(&s, &powers, 1, total, reducing, s.along, sum);
  NrValue *result = step(&s, (NrValue *[]){powers, total}, 2, powers, mapping, s.all, quotient);
  if (on_buffers) {
    nr_build_op(b, NR_OP_memref_dealloc, &max, 1, NULL, 0);
    nr_build_op(b, NR_OP_memref_dealloc, &total, 1, NULL, 0);
  }
  if (op->num_results) out_values[0] = result;
  return NR_OK;
}
