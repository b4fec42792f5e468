/* reassociation.c - groups of dims, and the text of expand_shape and collapse_shape. */
#include "dialect/shared/shaped.h"
#include "dialect/operands.h"
#include "dialect/tensor/ops.h"

/* Of the ops of tensor and of memref alike. */
const NrIndexListSlot nr_output_shape_slot = {NR_TENSOR_EXPAND_SHAPE_OUTPUT_SHAPE_GROUP, "static_output_shape"};

bool nr_groups_of(const NrOp *op, NrGroups *out) {
  NrAttr a = nr_op_attr(op, NR_A_reassociation);
  if (!a || a->kind != NR_ATTR_ARRAY || a->size > NR_MAX_RANK) return false;
  out->count = a->size;
  int64_t next = 0;
  for (size_t g = 0; g < a->size; g++) {
    NrAttr group = a->items[g];
    if (group->kind != NR_ATTR_ARRAY) return false;
    out->begin[g] = (uint32_t)next;
    out->size[g] = (uint32_t)group->size;
    for (size_t i = 0; i < group->size; i++) {
      int64_t dim;
      if (!nr_attr_is_int(group->items[i], &dim) || dim != next || next >= NR_MAX_RANK) return false;
      next++;
    }
  }
  return true;
}

NrAttr nr_groups_attr(NrContext *ctx, const NrGroups *groups) {
  NrAttr outer[NR_MAX_RANK], inner[NR_MAX_RANK];
  for (size_t g = 0; g < groups->count; g++) {
    for (uint32_t i = 0; i < groups->size[g]; i++) inner[i] = nr_attr_i64(ctx, groups->begin[g] + i);
    outer[g] = nr_attr_array(ctx, inner, groups->size[g]);
  }
  return nr_attr_array(ctx, outer, groups->count);
}

NrStatus nr_p_reassociation(NrParser *p, NrOpState *state) {
  NrAttr a;
  NrLoc loc = nr_p_loc(p);
  NR_TRY(nr_p_attr(p, &a));
  if (a->kind != NR_ATTR_ARRAY) return nr_p_error(p, loc, "expected groups of dims such as [[0, 1], [2]]");
  nr_p_add_attr(p, state, "reassociation", a);
  return NR_OK;
}

void nr_w_reassociation(NrPrinter *w, NrOp *op) {
  NrGroups groups;
  nr_w_puts(w, "[");
  if (nr_groups_of(op, &groups)) {
    for (size_t g = 0; g < groups.count; g++) {
      nr_w_puts(w, g ? ", [" : "[");
      for (uint32_t i = 0; i < groups.size[g]; i++) nr_w_printf(w, i ? ", %u" : "%u", groups.begin[g] + i);
      nr_w_puts(w, "]");
    }
  }
  nr_w_puts(w, "]");
}

NrStatus nr_groups_verify(NrOp *op, NrType expanded, NrType collapsed) {
  NrGroups groups;
  if (!nr_groups_of(op, &groups))
    return nr_op_error(op, "expected reassociation to be groups of consecutive dims, beginning at 0");
  if (expanded->rank < collapsed->rank)
    return nr_op_error(op, "expected the expanded type, %s, to have at least the rank of the collapsed type, %s",
                       nr_type_text(nr_op_context(op), expanded), nr_type_text(nr_op_context(op), collapsed));
  if (groups.count != collapsed->rank)
    return nr_op_error(op, "expected rank of the collapsed type (%u) to be the number of reassociation groups (%zu)",
                       collapsed->rank, groups.count);
  size_t dims = groups.count ? groups.begin[groups.count - 1] + groups.size[groups.count - 1] : expanded->rank;
  if (dims != expanded->rank)
    return nr_op_error(op, "expected the reassociation to name %u dims, got %zu", expanded->rank, dims);
  if (groups.count == 0) {
    for (uint32_t i = 0; i < expanded->rank; i++)
      if (expanded->dims[i] != 1 && expanded->dims[i] != NR_DYNAMIC)
        return nr_op_error(op, "expected all dims to be 1 when the collapsed type has rank 0");
    return NR_OK;
  }
  for (size_t g = 0; g < groups.count; g++) {
    if (!groups.size[g]) return nr_op_error(op, "reassociation group #%zu is empty", g);
    int64_t product = nr_dims_product(expanded->dims + groups.begin[g], groups.size[g]);
    int64_t dim = collapsed->dims[g];
    if ((product == NR_DYNAMIC) != (dim == NR_DYNAMIC))
      return nr_op_error(op, "expected dim %zu of the collapsed type to be %s like its group of dims", g,
                         product == NR_DYNAMIC ? "dynamic" : "static");
    if (product != dim)
      return nr_op_error(op, "expected dim %zu of the collapsed type to be %lld, the product of its group, got %lld", g,
                         (long long)product, (long long)dim);
  }
  return NR_OK;
}

bool nr_groups_join_ones(const NrGroups *groups, NrType type) {
  for (size_t g = 0; g < groups->count; g++) {
    size_t others = 0;
    for (uint32_t k = 0; k < groups->size[g]; k++) others += type->dims[groups->begin[g] + k] != 1;
    if (others > 1) return false;
  }
  return true;
}

NrStatus nr_p_expand_shape(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NrIndexListText shape;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_reassociation(p, state));
  NR_TRY(nr_p_expect(p, "output_shape"));
  NR_TRY(nr_p_index_list(p, &shape));
  NR_TRY(nr_p_change(p, state, source, "into"));
  return nr_p_add_index_list(p, state, &shape, nr_output_shape_slot.attr);
}

static const char *const text_attrs[] = {"reassociation", "static_output_shape", NULL};

void nr_w_expand_shape(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_source(op));
  nr_w_puts(w, " ");
  nr_w_reassociation(w, op);
  nr_w_puts(w, " output_shape ");
  nr_w_index_list(w, op, nr_output_shape_slot);
  nr_w_change(w, op, nr_op_source(op), "into", text_attrs);
}

NrStatus nr_p_collapse_shape(NrParser *p, NrOpState *state) {
  NrOperandRef source;
  NR_TRY(nr_p_operand(p, &source));
  NR_TRY(nr_p_reassociation(p, state));
  return nr_p_change(p, state, source, "into");
}

void nr_w_collapse_shape(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, " ");
  nr_w_value(w, nr_op_source(op));
  nr_w_puts(w, " ");
  nr_w_reassociation(w, op);
  nr_w_change(w, op, nr_op_source(op), "into", text_attrs);
}

NrStatus nr_output_shape_verify(NrOp *op) {
  NrType to = nr_op_result(op)->type;
  NR_TRY(nr_index_list_verify(op, nr_output_shape_slot, "output_shape", to->rank));
  const int64_t *statics = nr_index_list_statics(op, nr_output_shape_slot.attr);
  for (uint32_t i = 0; i < to->rank; i++)
    if (statics[i] != to->dims[i]) return nr_op_error(op, "(C3) output_shape differs from the result's dim %u", i);
  return NR_OK;
}

/* ---- merging two reshapes ---------------------------------------------------------------------------------------- */

/* Composes groups: group g of coarse consists of groups of fine; *out has the dims of all of them. */
static bool compose(const NrGroups *coarse, const NrGroups *fine, NrGroups *out) {
  out->count = coarse->count;
  for (size_t g = 0; g < coarse->count; g++) {
    uint32_t first = coarse->begin[g], last = first + coarse->size[g] - 1;
    if (coarse->size[g] == 0 || last >= fine->count) return false;
    out->begin[g] = fine->begin[first];
    out->size[g] = fine->begin[last] + fine->size[last] - fine->begin[first];
  }
  return true;
}

/* Expresses each group of coarse as a range of groups of fine; false when a group of fine crosses a boundary. */
static bool subdivide(const NrGroups *coarse, const NrGroups *fine, NrGroups *out) {
  size_t at = 0;
  out->count = coarse->count;
  for (size_t g = 0; g < coarse->count; g++) {
    uint32_t end = coarse->begin[g] + coarse->size[g];
    out->begin[g] = (uint32_t)at;
    while (at < fine->count && fine->begin[at] + fine->size[at] <= end) at++;
    out->size[g] = (uint32_t)at - out->begin[g];
    if (out->size[g] == 0 || fine->begin[at - 1] + fine->size[at - 1] != end) return false;
  }
  return at == fine->count;
}

/* Whether each dim of coarse is the product of its group of dims of fine. */
static bool products_agree(const NrGroups *groups, const NrType fine, const NrType coarse) {
  for (size_t g = 0; g < groups->count; g++)
    if (nr_dims_product(fine->dims + groups->begin[g], groups->size[g]) != coarse->dims[g]) return false;
  return groups->count > 0;
}

/* Adds groups of fine's dims [f, f_end) for coarse's dims [c, c_end), which have the same number of elements:
 * consecutive dims with the same product. Only one dim may be dynamic; it forms a group of its own. */
static bool match_dims(NrType fine, uint32_t f, uint32_t f_end, NrType coarse, uint32_t c, uint32_t c_end,
                       NrGroups *out) {
  uint32_t open = 0;
  for (; c < c_end; c++) {
    int64_t want = coarse->dims[c], product = 1;
    uint32_t begin = f;
    if (want == NR_DYNAMIC) {
      if (open++ || f == f_end || fine->dims[f++] != NR_DYNAMIC) return false;
    } else {
      do {
        if (f == f_end || fine->dims[f] <= 0 || !nr_mul_i64(product, fine->dims[f++], &product)) return false;
      } while (product < want);
      if (product != want) return false;
    }
    out->begin[out->count] = begin;
    out->size[out->count++] = f - begin;
  }
  while (f < f_end && fine->dims[f] == 1 && out->count) {
    out->size[out->count - 1]++;
    f++;
  }
  return f == f_end;
}

/* Matches fine's dims to coarse's dims within each group of the type in between. False when they do not match. */
static bool match_groups(NrType fine, const NrGroups *of_fine, NrType coarse, const NrGroups *of_coarse,
                         NrGroups *out) {
  out->count = 0;
  if (of_fine->count != of_coarse->count || of_fine->count == 0) return false;
  for (size_t g = 0; g < of_fine->count; g++) {
    uint32_t f = of_fine->begin[g], c = of_coarse->begin[g];
    if (!match_dims(fine, f, f + of_fine->size[g], coarse, c, c + of_coarse->size[g], out)) return false;
  }
  return true;
}

NrReshape nr_reshape_merge(const NrOp *first, bool first_expands, const NrOp *second, bool second_expands,
                           NrGroups *out) {
  NrType from = nr_op_source(first)->type, to = nr_op_result(second)->type;
  NrGroups inner, outer;
  if (!nr_groups_of(first, &inner) || !nr_groups_of(second, &outer)) return NR_RESHAPE_TWO;
  if (first_expands && second_expands) return compose(&inner, &outer, out) ? NR_RESHAPE_EXPAND : NR_RESHAPE_TWO;
  if (!first_expands && !second_expands) return compose(&outer, &inner, out) ? NR_RESHAPE_COLLAPSE : NR_RESHAPE_TWO;
  bool collapse, expand;
  if (first_expands) {
    collapse = subdivide(&outer, &inner, out) && products_agree(out, from, to);
    if (collapse && from->rank != to->rank) return NR_RESHAPE_COLLAPSE;
    expand = subdivide(&inner, &outer, out) && products_agree(out, to, from);
  } else {
    collapse = match_groups(from, &inner, to, &outer, out);
    if (collapse && from->rank != to->rank) return NR_RESHAPE_COLLAPSE;
    expand = match_groups(to, &outer, from, &inner, out);
  }
  if (collapse && expand) return from == to ? NR_RESHAPE_NONE : NR_RESHAPE_TWO;
  return expand && from->rank != to->rank ? NR_RESHAPE_EXPAND : NR_RESHAPE_TWO;
}
