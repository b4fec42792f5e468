/* prover_elements.c - elements of integer tensors as atoms, and bounds of all elements of a tensor; see
 * prover.h. */
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "pass/analysis/prover_state.h"

enum { MAX_CONTENT = 1 << 16 };

/* Looks through casts, reshapes and slices: returns a tensor that contains all elements of this one. */
static NrValue *root_of(NrValue *tensor) {
  for (;;) {
    switch (tensor->op ? tensor->op->info->id : 0) {
    case NR_OP_tensor_cast:
    case NR_OP_tensor_expand_shape:
    case NR_OP_tensor_collapse_shape:
    case NR_OP_tensor_extract_slice: tensor = nr_op_source(tensor->op); break;
    default: return tensor;
    }
  }
}

/* Computes the range of a constant's elements; false when it has none or too many. */
static bool content_of_constant(NrAttr elements, int64_t *min, int64_t *max) {
  int64_t count, value;
  if (!nr_attr_is_elements(elements) || !nr_type_num_elements(elements->type, &count)) return false;
  if (count > MAX_CONTENT || count == 0 || !nr_type_is_int_or_index(elements->type->elem)) return false;
  *min = INT64_MAX;
  *max = INT64_MIN;
  for (int64_t i = 0; i < count; i++) {
    if (!nr_attr_is_int(nr_attr_element(elements, i), &value)) return false;
    *min = NR_MIN(*min, value);
    *max = NR_MAX(*max, value);
  }
  return true;
}

/* Bounds of all elements of a tensor, as facts in which the atom `element` stands for any element. */
typedef struct Content {
  uint32_t element;
  uint32_t count;
  NrSum bounds[NR_MAX_ATOM_FACTS];
} Content;

/* Adds facts about the first element of a tensor.from_elements that hold for all the others, as facts of any element.
 */
static void content_of_list(NrProver *p, uint32_t number, NrOp *list) {
  enum { MAX_LISTED = 64 };
  if (list->num_operands == 0 || list->num_operands > MAX_LISTED) return;
  NrSum first = nr_prover_value(p, nr_operand(list, NR_TENSOR_FROM_ELEMENTS_ELEMENTS)), atom = nr_sum_atom(number);
  if (first.num_terms != 1 || first.terms[0].degree != 1 || first.terms[0].factor != 1 || first.constant) return;
  uint32_t element = first.terms[0].atoms[0];
  for (size_t i = p->facts.size; i-- > 0;) {
    NrSum fact = p->facts.data[i].sum;
    bool holds = nr_sum_has(&fact, element);
    for (uint32_t k = 1; k < list->num_operands && holds; k++) {
      NrSum other = nr_prover_value(p, nr_operand(list, k));
      holds = nr_prove_not_negative(p, nr_sum_replace(&fact, element, &other));
    }
    if (holds) nr_prover_add_atom_fact(p, number, nr_sum_replace(&fact, element, &atom));
  }
}

void nr_prover_take_content(NrProver *p, uint32_t number, NrValue *tensor) {
  NrValue *holder = root_of(tensor);
  if (nr_op_is(holder->op, NR_OP_tensor_from_elements)) content_of_list(p, number, holder->op);
  NrAttr constant = nr_value_constant(holder);
  int64_t min, max;
  if (constant && content_of_constant(constant, &min, &max)) {
    p->atoms.data[number].min = min;
    p->atoms.data[number].max = max;
  }
  const Content *content = nr_map_get(&p->contents, holder);
  NrSum atom = nr_sum_atom(number);
  for (uint32_t i = 0; content && i < content->count; i++)
    nr_prover_add_atom_fact(p, number, nr_sum_replace(&content->bounds[i], content->element, &atom));
}

bool nr_prover_is_inside(const NrProver *p, const NrSum *x, uint32_t but, const NrOp *op) {
  for (uint32_t i = 0; i < x->num_terms; i++)
    for (uint32_t k = 0; k < x->terms[i].degree; k++) {
      uint32_t number = x->terms[i].atoms[k];
      const NrOp *owner = nr_block_parent_op(nr_value_block(p->atoms.data[number].value));
      if (number != but && nr_op_is_ancestor(op, owner)) return true;
    }
  return false;
}

/* A fact about the yielded value holds for all elements of the result if its other atoms are defined outside the
 * body. */
void nr_prover_leave_body(NrProver *p, NrOp *op) {
  const NrBlock *body = nr_op_only_body(op);
  NrOp *yield = body ? nr_block_terminator(body) : NULL;
  for (uint32_t r = 0; yield && r < op->num_results && r < yield->num_operands; r++) {
    NrValue *value = nr_operand(yield, r);
    if (!nr_type_is_int_or_index(value->type)) continue;
    NrSum sum = nr_prover_value(p, value);
    if (!sum.known || sum.num_terms != 1 || sum.terms[0].degree != 1 || sum.terms[0].factor != 1 || sum.constant)
      continue;
    uint32_t element = sum.terms[0].atoms[0];
    Content *content = NR_NEW(&p->arena, Content);
    content->element = element;
    for (size_t i = p->facts.size; i-- > 0 && content->count < NR_MAX_ATOM_FACTS;)
      if (nr_sum_has(&p->facts.data[i].sum, element) && !nr_prover_is_inside(p, &p->facts.data[i].sum, element, op))
        content->bounds[content->count++] = p->facts.data[i].sum;
    if (content->count) nr_map_set(&p->contents, nr_result(op, r), content);
  }
}

NrSum nr_prover_rank(NrProver *p, NrValue *tensor) {
  bool fresh;
  if (nr_type_is_ranked(tensor->type)) return nr_sum_constant(tensor->type->rank);
  uint32_t number = nr_prover_atom(p, tensor, NR_ATOM_RANK, &fresh);
  p->atoms.data[number].min = 0;
  p->atoms.data[number].max = NR_MAX_RANK;
  return nr_sum_atom(number);
}

/* An element at a constant index is the same atom wherever it is read. */
NrSum nr_prover_element(NrProver *p, NrValue *tensor, int64_t i) {
  bool fresh;
  int64_t known;
  NrAttr constant = nr_value_constant(tensor);
  if (nr_attr_is_elements(constant) && nr_attr_is_int(nr_attr_element(constant, i), &known))
    return nr_sum_constant(known);
  if (nr_op_is(tensor->op, NR_OP_tensor_from_elements) && i < tensor->op->num_operands)
    return nr_prover_value(p, nr_operand(tensor->op, (size_t)i));
  uint32_t number = nr_prover_atom(p, tensor, NR_ATOM_ELEMENT - i, &fresh);
  if (fresh) {
    nr_prover_type_range(tensor->type->elem, &p->atoms.data[number].min, &p->atoms.data[number].max);
    nr_prover_take_content(p, number, tensor);
  }
  return nr_sum_atom(number);
}

NrSum nr_prover_extracted(NrProver *p, NrValue *value, NrOp *extract) {
  NrValue *tensor = nr_tensor_extract_tensor(extract);
  int64_t at = 0, index, count;
  for (uint32_t d = 0; d < tensor->type->rank && at >= 0; d++) {
    int64_t dim = tensor->type->dims[d];
    bool known = nr_value_constant_int(nr_operand(extract, NR_TENSOR_EXTRACT_INDICES + d), &index) && index >= 0 &&
                 (d == 0 || dim != NR_DYNAMIC) && nr_mul_i64(at, d ? dim : 1, &at) && nr_add_i64(at, index, &at);
    if (!known) at = -1;
  }
  bool inside = !nr_type_num_elements(tensor->type, &count) || at < count;
  if (at >= 0 && at <= INT32_MAX && inside && nr_type_bits(value->type) > 1) return nr_prover_element(p, tensor, at);
  bool was_there = nr_map_has(&p->atoms_of, value);
  NrSum sum = nr_prover_plain_atom(p, value);
  if (!was_there) nr_prover_take_content(p, sum.terms[0].atoms[0], tensor);
  return sum;
}
