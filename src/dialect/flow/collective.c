/* collective.c - the text and verification of collectives. */
#include "dialect/flow/flow.h"
#include "dialect/operands.h"

static const char *text_of(NrOp *op, NrType type) { return nr_type_text(nr_op_context(op), type); }

static const char *const element_names[] = {"si8",  "ui8",  "si16", "ui16", "si32", "ui32",
                                            "si64", "ui64", "f16",  "f32",  "f64",  "bf16"};
static const char *const reduction_names[] = {"none", "sum", "product", "minimum", "maximum", "average"};

const char *nr_flow_element_name(int64_t kind) {
  return kind >= 0 && kind < (int64_t)NR_COUNTOF(element_names) ? element_names[kind] : NULL;
}

const char *nr_flow_reduction_name(int64_t kind) {
  return kind >= 0 && kind < (int64_t)NR_COUNTOF(reduction_names) ? reduction_names[kind] : NULL;
}

static bool reduces(const NrOpInfo *info) {
  return info->id == NR_OP_flow_collective_all_reduce || info->id == NR_OP_flow_collective_reduce_scatter;
}

NoriaCollective nr_flow_collective_kind(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_collective_all_gather: return NORIA_ALL_GATHER;
  case NR_OP_flow_collective_all_reduce: return NORIA_ALL_REDUCE;
  case NR_OP_flow_collective_all_to_all: return NORIA_ALL_TO_ALL;
  case NR_OP_flow_collective_reduce_scatter: return NORIA_REDUCE_SCATTER;
  default: return NORIA_SEND_RECV;
  }
}

bool nr_flow_has_same_rows(const NrOp *op) {
  NrType source = nr_flow_collective_source(op)->type, target = nr_op_target(op)->type;
  return (!source->rank || source->dims[0] != NR_DYNAMIC) && (!target->rank || target->dims[0] != NR_DYNAMIC);
}

NoriaDType nr_flow_element_dtype(const NrOp *op) {
  static const NoriaDType dtypes[] = {NORIA_I8,  NORIA_U8,  NORIA_I16, NORIA_U16, NORIA_I32, NORIA_U32,
                                      NORIA_I64, NORIA_U64, NORIA_F16, NORIA_F32, NORIA_F64, NORIA_BF16};
  return dtypes[nr_op_attr_int(op, NR_A_element_type, 0)];
}

NrValue *nr_flow_collective_source(const NrOp *op) {
  return nr_op_group_operand(op, NR_FLOW_COLLECTIVE_ALL_GATHER_SOURCE_GROUP); /* of all collectives */
}

NrValue *nr_flow_collective_channel(const NrOp *op) {
  return nr_op_group_operand(op, NR_FLOW_COLLECTIVE_ALL_GATHER_CHANNEL_GROUP);
}

bool nr_flow_is_collective(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_collective_all_gather:
  case NR_OP_flow_collective_all_reduce:
  case NR_OP_flow_collective_all_to_all:
  case NR_OP_flow_collective_reduce_scatter:
  case NR_OP_flow_collective_send_recv: return true;
  default: return false;
  }
}

const char *nr_flow_import(const NrOp *op) {
  switch (op->info->id) {
  case NR_OP_flow_channel_default: return "channel_default";
  case NR_OP_flow_channel_split: return "channel_split";
  case NR_OP_flow_channel_rank: return "channel_rank";
  case NR_OP_flow_channel_count: return "channel_count";
  default: return nr_flow_is_collective(op) ? "collective" : NULL;
  }
}

/* Parses a keyword from a list of names; the attribute is its number. */
static NrStatus enum_parse(NrParser *p, NrOpState *state, const char *attr, const char *const *names, size_t count) {
  NrStr word;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_keyword(p, &word));
  size_t i = 0;
  while (i < count && !nr_str_is(word, names[i])) i++;
  if (i == count) return nr_p_error(p, loc, "'%.*s' is not a valid %s", NR_STR_ARG(word), attr);
  nr_p_add_attr(p, state, attr, nr_attr_int(nr_type_i32(nr_p_context(p)), (int64_t)i));
  return nr_p_expect(p, ",");
}

/* Parses `op, element, target, source, channel (, send, recv)? : (types) -> target as type{dims}`. */
NrStatus nr_flow_collective_parse(NrParser *p, NrOpState *state) {
  NrOperandRef *refs;
  NrType *types, result;
  size_t count, num_types, need = state->info->id == NR_OP_flow_collective_send_recv ? 5 : 3;
  NrRefs dims = {0};
  if (reduces(state->info))
    NR_TRY(enum_parse(p, state, "reduction_op", reduction_names, NR_COUNTOF(reduction_names)));
  NR_TRY(enum_parse(p, state, "element_type", element_names, NR_COUNTOF(element_names)));
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_operands(p, &refs, &count));
  if (count != need) return nr_p_error(p, loc, "expected %zu operands, got %zu", need, count);
  NR_TRY(nr_p_expect(p, ":"));
  loc = nr_p_loc(p);
  NR_TRY(nr_p_paren_type_list(p, &types, &num_types));
  if (num_types != need) return nr_p_error(p, loc, "expected %zu types, got %zu", need, num_types);
  NR_TRY(nr_p_expect(p, "->"));
  NR_TRY(nr_flow_p_tied_result(p, refs[0], &result, &dims));
  if (!nr_p_try_attr_dict_keyword(p, state)) return NR_ERROR_INVALID;
  nr_p_add_attr(p, state, "tied_operands", nr_tied_attr(nr_p_context(p), (int64_t[]){0}, 1));
  nr_p_add_result(p, state, result);
  NR_TRY(nr_p_add_operand(p, state, refs[0], types[0]));
  NR_TRY(nr_p_add_indices(p, state, dims.data, dims.size));
  return nr_p_add_operands(p, state, refs + 1, need - 1, types + 1, need - 1);
}

void nr_flow_collective_print(NrPrinter *w, NrOp *op) {
  static const char *const elided[] = {"reduction_op", "element_type", "tied_operands", NULL};
  size_t source, one, begin, dims;
  nr_op_operand_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_TARGET_DIMS_GROUP, &begin, &dims);
  nr_op_operand_group(op, NR_FLOW_COLLECTIVE_ALL_GATHER_SOURCE_GROUP, &source, &one);
  if (reduces(op->info)) nr_w_printf(w, " %s,", nr_flow_reduction_name(nr_op_attr_int(op, NR_A_reduction_op, 0)));
  nr_w_printf(w, " %s, ", nr_flow_element_name(nr_op_attr_int(op, NR_A_element_type, 0)));
  nr_w_value(w, nr_op_target(op));
  nr_w_puts(w, ", ");
  nr_w_values(w, op, source, op->num_operands - source);
  nr_w_puts(w, " : (");
  nr_w_operand_types(w, op, 0, 1);
  nr_w_puts(w, ", ");
  nr_w_operand_types(w, op, source, op->num_operands - source);
  nr_w_puts(w, ") -> ");
  nr_flow_w_tied_result(w, op, 1);
  nr_w_attr_dict_keyword(w, op, elided);
}

/* Whether element_type matches the tensors' element type. A signless integer matches either signedness, since the op
 * determines it. */
static bool element_fits(int64_t kind, NrType elem) {
  static const NrFloatKind floats[] = {NR_F16, NR_F32, NR_F64, NR_BF16};
  if (kind >= 8) return nr_type_is_float_kind(elem, floats[kind - 8]);
  if (!nr_type_is_int_width(elem, 8u << (kind / 2))) return false;
  return elem->signedness == NR_SIGNLESS || elem->signedness == (kind % 2 ? NR_UNSIGNED : NR_SIGNED);
}

/* Whether dims beyond the first agree, as far as they are known. */
static bool same_tail(NrType a, NrType b) {
  if (a->elem != b->elem || a->rank != b->rank || a->rank == 0) return false;
  for (uint32_t i = 1; i < a->rank; i++)
    if (a->dims[i] != b->dims[i] && a->dims[i] != NR_DYNAMIC && b->dims[i] != NR_DYNAMIC) return false;
  return true;
}

/* An op around `op` whose regions run in no fixed order, so that the participants' collectives would not meet; NULL:
 * there is none. */
static NrOp *unordered_parent(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  for (; parent; parent = nr_op_parent(parent)) {
    switch (parent->info->id) {
    case NR_OP_scf_parallel:
    case NR_OP_scf_forall:
    case NR_OP_affine_parallel:
    case NR_OP_tensor_generate:
    case NR_OP_linalg_generic:
    case NR_OP_flow_dispatch_region:
    case NR_OP_flow_dispatch_workgroups:
    case NR_OP_flow_executable: return parent;
    default: break;
    }
  }
  return NULL;
}

static NrStatus order_verify(NrOp *op, const char *id) {
  NrOp *parent = unordered_parent(op);
  if (!parent) return NR_OK;
  NrStr name = nr_op_name(parent);
  return nr_op_error(op, "(%s) is in '%.*s', which runs its body in no fixed order, so that participants may not meet",
                     id, NR_STR_ARG(name));
}

NrStatus nr_flow_channel_split_verify(NrOp *op) {
  int64_t color;
  NR_TRY(order_verify(op, "C1"));
  if (nr_value_constant_int(nr_flow_channel_split_color(op), &color) && color < -1)
    return nr_verify_constant_error(op, "(C2) color must be -1 or more, got %lld", (long long)color);
  return NR_OK;
}

/* The dims of the tensors of all_gather, reduce_scatter and all_to_all, whose rows go to and come from several
 * participants. */
static NrStatus rows_verify(NrOp *op, NrType source, NrType target) {
  bool gathers = nr_op_is(op, NR_OP_flow_collective_all_gather);
  NrType whole = gathers ? target : source, part = gathers ? source : target;
  if (target->rank == 0 || source->rank == 0) return nr_op_error(op, "(C3) expected tensors with a first dim");
  if (!same_tail(whole, part)) return nr_op_error(op, "(C3) dims of source and target differ beyond the first");
  if (whole->dims[0] == NR_DYNAMIC || part->dims[0] == NR_DYNAMIC) return NR_OK;
  if (nr_op_is(op, NR_OP_flow_collective_all_to_all)) {
    if (whole->dims[0] == part->dims[0]) return NR_OK;
    return nr_op_error(op, "(C3) dim 0 of source is %lld but that of target %lld", (long long)whole->dims[0],
                       (long long)part->dims[0]);
  }
  if (part->dims[0] == 0 ? whole->dims[0] != 0 : whole->dims[0] % part->dims[0] != 0)
    return nr_op_error(op, "(C4) dim 0 of the whole (%lld) is not a multiple of that of a part (%lld)",
                       (long long)whole->dims[0], (long long)part->dims[0]);
  return NR_OK;
}

static NrStatus partner_verify(NrOp *op, const char *name, NrValue *partner) {
  int64_t rank;
  if (!nr_value_constant_int(partner, &rank) || (rank >= -1 && rank <= INT32_MAX)) return NR_OK;
  return nr_verify_constant_error(op, "(C6) %s must be a rank or -1, got %lld", name, (long long)rank);
}

NrStatus nr_flow_collective_verify(NrOp *op) {
  NrType target = nr_op_target(op)->type;
  size_t target_dims = NR_FLOW_COLLECTIVE_ALL_GATHER_TARGET_DIMS_GROUP; /* of all collectives */
  NR_TRY(nr_flow_dims_verify(op, "C1", nr_flow_num_dims(target), target_dims));
  NrType source = nr_flow_collective_source(op)->type;
  int64_t kind = nr_op_attr_int(op, NR_A_element_type, -1), reduction = nr_op_attr_int(op, NR_A_reduction_op, -1);
  if (!nr_flow_element_name(kind) || !element_fits(kind, target->elem) || !element_fits(kind, source->elem))
    return nr_op_error(op, "(C2) element_type does not fit tensors of %s and %s", text_of(op, source),
                       text_of(op, target));
  if (reduces(op->info)) {
    if (!nr_flow_reduction_name(reduction) || reduction == NR_FLOW_NONE)
      return nr_op_error(op, "(C5) expected a reduction_op that combines");
    if (reduction == NR_FLOW_AVERAGE && kind < 8)
      return nr_op_error(op, "(C5) average is for floating-point elements only");
  }
  switch (op->info->id) {
  case NR_OP_flow_collective_all_gather:
  case NR_OP_flow_collective_reduce_scatter:
  case NR_OP_flow_collective_all_to_all: NR_TRY(rows_verify(op, source, target)); break;
  case NR_OP_flow_collective_send_recv:
    NR_TRY(partner_verify(op, "send", nr_flow_collective_send_recv_send(op)));
    NR_TRY(partner_verify(op, "recv", nr_flow_collective_send_recv_recv(op)));
    break;
  default: break;
  }
  return order_verify(op, "C7");
}
