/* forall.c - scf.forall: syntax and verification.
 *
 *   scf.forall (%i, %j) = (0, %lb) to (%n, 8) step (1, 2) shared_outs(%o = %t) -> (tensor<8xf32>) {
 *     ..
 *   } {mapping = [..]}
 *
 * Constant bounds and steps are in attributes; NR_DYNAMIC there stands for the next operand of the group. `in (..)` is
 * the short form with lower bounds 0 and steps 1. */
#include "dialect/shared/bindings.h"
#include "dialect/scf/scf.h"
#include "dialect/tensor/ops.h"

static const char *const bound_attrs[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
enum { NUM_BOUNDS = 3, OUTPUTS = 3, NUM_GROUPS = 4 };

typedef struct Mixed {
  NR_VEC(int64_t) values;
  size_t num_operands;
} Mixed;

/* Parses `(%a, 4, %b)`: adds operands to state and all entries to out. */
static NrStatus parse_mixed(NrParser *p, NrOpState *state, Mixed *out) {
  NrType index = nr_type_index(nr_p_context(p));
  NrStatus status = nr_p_expect(p, "(");
  while (!status && !nr_p_peek(p, ")")) {
    NrOperandRef ref;
    int64_t value = NR_DYNAMIC;
    if (out->values.size && (status = nr_p_expect(p, ","))) break;
    if (nr_p_try_operand(p, &ref)) {
      status = nr_p_add_operand(p, state, ref, index);
      out->num_operands++;
    } else {
      status = nr_p_int(p, &value);
    }
    nr_vec_push(&out->values, value);
  }
  return status ? status : nr_p_expect(p, ")");
}

static NrStatus parse_bounds(NrParser *p, NrOpState *state, size_t rank, Mixed *bounds) {
  static const char *const words[] = {"=", "to", "step"};
  NrStatus status;
  if (nr_p_try(p, "in")) {
    if ((status = parse_mixed(p, state, &bounds[1]))) return status;
    for (size_t i = 0; i < bounds[1].values.size; i++) {
      nr_vec_push(&bounds[0].values, 0);
      nr_vec_push(&bounds[2].values, 1);
    }
  } else {
    for (size_t i = 0; i < NUM_BOUNDS; i++)
      if ((status = nr_p_expect(p, words[i])) || (status = parse_mixed(p, state, &bounds[i]))) return status;
  }
  for (size_t i = 0; i < NUM_BOUNDS; i++)
    if (bounds[i].values.size != rank)
      return nr_p_op_error(p, "expected %zu bounds and steps, as many as arguments", rank);
  return NR_OK;
}

static NrStatus parse_rest(NrParser *p, NrOpState *state, size_t rank, NrBindings *args, const Mixed *bounds) {
  NrType *types = NULL;
  size_t num_types = 0;
  NrStatus status = nr_p_try(p, "shared_outs") ? nr_p_bindings(p, args) : NR_OK;
  if (status || (status = nr_p_arrow_type_list(p, &types, &num_types))) return status;
  if (num_types != args->values.size) return nr_p_op_error(p, "number of shared outputs and of result types differ");
  if ((status = nr_p_add_operands(p, state, args->values.data, num_types, types, num_types))) return status;
  nr_p_add_results(p, state, types, num_types);
  for (size_t i = 0; i < num_types; i++) args->args.data[rank + i].type = types[i];
  if ((status = nr_p_region(p, state, args->args.data, args->args.size))) return status;
  if (!nr_p_try_attr_dict(p, state)) return NR_ERROR_INVALID;
  uint32_t sizes[NUM_GROUPS] = {[OUTPUTS] = (uint32_t)num_types};
  for (size_t i = 0; i < NUM_BOUNDS; i++) {
    sizes[i] = (uint32_t)bounds[i].num_operands;
    nr_p_add_attr(p, state, bound_attrs[i],
                  nr_attr_i64_array(nr_p_context(p), bounds[i].values.data, bounds[i].values.size));
  }
  nr_p_set_segments(p, state, sizes, NUM_GROUPS);
  return NR_OK;
}

NrStatus nr_scf_forall_parse(NrParser *p, NrOpState *state) {
  NrBindings args = {0};
  Mixed bounds[NUM_BOUNDS] = {0};
  NrStatus status = nr_p_ivs(p, &args);
  size_t rank = args.args.size;
  if (!status) status = parse_bounds(p, state, rank, bounds);
  if (!status) status = parse_rest(p, state, rank, &args, bounds);
  nr_bindings_deinit(&args);
  for (size_t i = 0; i < NUM_BOUNDS; i++) nr_vec_deinit(&bounds[i].values);
  return status;
}

static size_t static_bounds(const NrOp *op, size_t which, const int64_t **out) {
  NrAttr attr = nr_op_attr_named(op, bound_attrs[which]);
  bool good = attr && attr->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(attr->type, 64);
  *out = good ? attr->data : NULL;
  return good ? attr->data_size / sizeof(int64_t) : 0;
}

static bool all_are(const NrOp *op, size_t which, int64_t value) {
  const int64_t *values;
  size_t count = static_bounds(op, which, &values);
  for (size_t i = 0; i < count; i++)
    if (values[i] != value) return false;
  return true;
}

static void print_mixed(NrPrinter *w, NrOp *op, size_t which, const char *before) {
  const int64_t *values;
  size_t count = static_bounds(op, which, &values), begin = 0, num_operands = 0;
  nr_op_operand_group(op, which, &begin, &num_operands);
  nr_w_puts(w, before);
  nr_w_puts(w, "(");
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    if (values[i] == NR_DYNAMIC) nr_w_value(w, nr_operand(op, begin++));
    else nr_w_printf(w, "%lld", (long long)values[i]);
  }
  nr_w_puts(w, ")");
}

void nr_scf_forall_print(NrPrinter *w, NrOp *op) {
  static const char *const shown[] = {"staticLowerBound", "staticUpperBound", "staticStep", NULL};
  NrBlock *body = nr_scf_forall_body(op);
  uint32_t rank = body->num_args - op->num_results;
  size_t begin = 0, count = 0;
  nr_w_puts(w, " ");
  nr_w_ivs(w, body, rank);
  if (all_are(op, 0, 0) && all_are(op, 2, 1)) {
    print_mixed(w, op, NR_SCF_FORALL_DYNAMIC_UPPER_BOUND_GROUP, " in ");
  } else {
    print_mixed(w, op, NR_SCF_FORALL_DYNAMIC_LOWER_BOUND_GROUP, " = ");
    print_mixed(w, op, NR_SCF_FORALL_DYNAMIC_UPPER_BOUND_GROUP, " to ");
    print_mixed(w, op, NR_SCF_FORALL_DYNAMIC_STEP_GROUP, " step ");
  }
  if (op->num_results && nr_op_operand_group(op, OUTPUTS, &begin, &count)) {
    nr_w_puts(w, " shared_outs");
    nr_w_bindings(w, op, begin, body, rank, (uint32_t)count);
    nr_w_puts(w, " -> (");
    nr_w_result_types(w, op);
    nr_w_puts(w, ")");
  }
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_forall_region(op), false, op->num_results > 0);
  nr_w_attr_dict(w, op, shown);
}

NrStatus nr_scf_in_parallel_parse(NrParser *p, NrOpState *state) {
  NR_TRY(nr_p_region(p, state, NULL, 0));
  return nr_p_try_attr_dict(p, state) ? NR_OK : NR_ERROR_INVALID;
}

void nr_scf_in_parallel_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_region(w, nr_scf_forall_in_parallel_region(op), false, true);
  nr_w_attr_dict(w, op, NULL);
}

NrStatus nr_scf_in_parallel_verify(NrOp *op) {
  const NrOp *loop = nr_op_parent(op);
  const NrBlock *body = op->block;
  for (NrOp *insert = nr_scf_forall_in_parallel_body(op)->first; insert; insert = insert->next) {
    if (!nr_op_is(insert, NR_OP_tensor_parallel_insert_slice))
      return nr_op_error(op, "(C1) expected only 'tensor.parallel_insert_slice' ops");
    const NrValue *dest = nr_tensor_parallel_insert_slice_dest(insert);
    bool shared = dest->block == body && dest->index + loop->num_results >= body->num_args;
    if (!shared) return nr_op_error(insert, "(C2) may only insert into an output block argument");
  }
  return NR_OK;
}

/* Device mappings are attributes of dialects that Noria does not have, so any opaque attribute is accepted. */
static NrStatus mapping_verify(NrOp *op, size_t rank) {
  NrAttr mapping = nr_op_attr(op, NR_A_mapping);
  for (size_t i = 0; mapping && i < mapping->size; i++)
    if (mapping->items[i]->kind != NR_ATTR_OPAQUE)
      return nr_op_error(op, "(C1) attribute 'mapping' failed to satisfy constraint: Device Mapping array attribute");
  if (mapping && mapping->size && mapping->size != rank)
    return nr_op_error(op, "(C1) mapping attribute size must match op rank");
  return NR_OK;
}

NrStatus nr_scf_forall_verify(NrOp *op) {
  const int64_t *values;
  NrBlock *body = nr_scf_forall_body(op);
  size_t rank = static_bounds(op, 0, &values), begin, count;
  for (size_t which = 0; which < NUM_BOUNDS; which++) {
    size_t size = static_bounds(op, which, &values), dynamic = 0;
    for (size_t i = 0; i < size; i++) dynamic += values[i] == NR_DYNAMIC;
    if (!nr_op_operand_group(op, which, &begin, &count)) return NR_OK; /* nr_verify_row reports it */
    if (size != rank || dynamic != count)
      return nr_op_error(
          op, "expects as many bounds and steps as there are dimensions, and an operand for each that is dynamic");
  }
  NR_TRY(mapping_verify(op, rank));
  if (!nr_op_operand_group(op, OUTPUTS, &begin, &count)) return NR_OK;
  if (count != op->num_results)
    return nr_op_error(op, "produces %u results, but has %zu outputs", op->num_results, count);
  if (body->num_args != rank + count)
    return nr_op_error(op, "region expects %zu arguments", rank + count);
  for (size_t i = 0; i < rank; i++)
    if (!nr_type_is_index(body->args[i]->type))
      return nr_op_error(op, "expects %zu-th block argument to be an index", i);
  for (uint32_t i = 0; i < count; i++) {
    NrType type = nr_result(op, i)->type;
    if (nr_operand(op, begin + i)->type != type || body->args[rank + i]->type != type)
      return nr_op_error(op, "type mismatch between output #%u, its block argument and its result", i);
  }
  return nr_op_is(nr_block_terminator(body), NR_OP_scf_forall_in_parallel)
             ? NR_OK
             : nr_op_error(op, "expects body to terminate with 'scf.forall.in_parallel'");
}
