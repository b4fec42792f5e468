/* fold.c - folds and canonicalizations of memref ops. */
#include "dialect/memref/memref.h"
#include "dialect/operands.h"

static bool fold_value(NrFold *out, NrValue *value) { return out->value = value, true; }
static bool fold_index(NrOp *op, NrFold *out, int64_t c) {
  return out->attr = nr_attr_index(nr_op_context(op), c), true;
}

static bool fold_nr_index(NrOp *op, NrFold *out, NrIndex i) {
  return i.value ? fold_value(out, i.value) : fold_index(op, out, i.constant);
}

/* Returns value, cast to type if it has another type. */
static NrValue *cast_to(NrBuilder *b, NrValue *value, NrType type) {
  return value->type == type ? value : nr_build_value(b, NR_OP_memref_cast, type, &value, 1);
}

/* ---- allocation ------------------------------------------------------------------------------------------------- */

/* Whether op sets every element of the operand to a scalar. */
static bool is_filled(const NrOp *op, uint32_t operand) {
  size_t begin, count;
  return nr_op_has(op, NR_SPLAT) && nr_op_destinations(op, &begin, &count) && operand == begin;
}

/* Whether the value is an allocation that is only written, and freed at most once, so that the writes are dead. Looks
 * at a bounded number of uses, since every store and dealloc calls it. */
static bool only_written(NrValue *buffer) {
  enum { MAX_USES = 32 };
  size_t seen = 0, frees = 0;
  if (!nr_op_is(buffer->op, NR_OP_memref_alloc) && !nr_op_is(buffer->op, NR_OP_memref_alloca)) return false;
  for (NrUse *u = buffer->first_use; u; u = u->next) {
    if (++seen > MAX_USES) return false;
    frees += nr_op_is(u->owner, NR_OP_memref_dealloc);
    uint32_t index = nr_use_index(u);
    bool target = (nr_op_is(u->owner, NR_OP_memref_store) && index == NR_MEMREF_STORE_MEMREF) ||
                  nr_op_is(u->owner, NR_OP_memref_dealloc) ||
                  (nr_op_is(u->owner, NR_OP_memref_copy) && index == NR_MEMREF_COPY_TARGET) ||
                  is_filled(u->owner, index);
    if (!target || frees > 1) return false;
  }
  return true;
}

bool nr_memref_alloc_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *buffer = nr_op_result(op);
  if (!nr_value_has_uses(buffer)) {
    nr_op_erase(op);
    return true;
  }
  /* Move constant sizes into the type. */
  NrType type = buffer->type;
  NrValue *operands[2 * NR_MAX_RANK];
  int64_t dims[NR_MAX_RANK];
  size_t begin, count, kept = 0, used = 0;
  nr_op_operand_group(op, NR_MEMREF_ALLOC_SIZES_GROUP, &begin, &count);
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i] = type->dims[i];
    if (dims[i] != NR_DYNAMIC) continue;
    NrValue *size = nr_operand(op, begin + used++);
    int64_t c;
    if (nr_value_constant_int(size, &c) && c >= 0) dims[i] = c;
    else operands[kept++] = size;
  }
  NrType to = nr_type_memref_layout(dims, type->rank, type->elem, type->layout, type->space);
  if (kept == count || to->oversized) return false; /* dead code may have any constant */
  uint32_t segments[2] = {(uint32_t)kept, (uint32_t)(op->num_operands - count)};
  for (size_t i = count; i < op->num_operands; i++) operands[kept++] = nr_operand(op, i);
  NrOp *alloc = nr_build_op(b, op->info->id, operands, kept, &to, 1);
  for (uint32_t i = 0; i < op->num_attrs; i++) nr_op_set_attr_named(alloc, op->attrs[i].name.data, op->attrs[i].value);
  nr_op_set_segments(alloc, segments, 2);
  return nr_op_replace(op, cast_to(b, nr_op_result(alloc), type));
}

/* The source of a memref.cast from a ranked memref; NULL for other values. */
static NrValue *cast_source(NrValue *value) {
  if (!nr_op_is(value->op, NR_OP_memref_cast)) return NULL;
  NrValue *source = nr_memref_cast_source(value->op);
  return source->type->kind == NR_TYPE_MEMREF ? source : NULL;
}

/* Whether op stays valid with this type of operand. A wrong cast may hide a type that the op's verifier rejects: then
 * the cast stays, and the run reports it. */
static bool stays_valid(const NrOp *op, uint32_t operand, NrType type) {
  switch (op->info->id) {
  case NR_OP_memref_dim: return type->rank > 0;
  case NR_OP_memref_copy: return nr_types_cast_compatible(type, nr_operand(op, 1 - operand)->type);
  default: return true;
  }
}

/* Replaces operands by the sources of their casts. For ops whose results do not depend on which parts of the operand's
 * type are static. Also erases a store to, or dealloc of, a buffer that is only written. */
bool nr_memref_absorb_cast_if(NrOp *op, NrMemrefFitsFn fits) {
  bool changed = false, store = nr_op_is(op, NR_OP_memref_store);
  if ((store || nr_op_is(op, NR_OP_memref_dealloc)) && only_written(nr_operand(op, store))) {
    nr_op_erase(op);
    return true;
  }
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *source;
    if (!nr_type_is_memref(nr_operand(op, i)->type)) continue;
    /* The stored value is not accessed, and its type must stay the element type. */
    if (store && i == 0) continue;
    while ((source = cast_source(nr_operand(op, i)))) {
      if (!fits(op, i, source->type)) break;
      nr_op_set_operand(op, i, source);
      changed = true;
    }
  }
  return changed;
}

bool nr_memref_absorb_cast(NrOp *op, NrBuilder *b) {
  (void)b;
  return nr_memref_absorb_cast_if(op, stays_valid);
}

bool nr_memref_copy_canonicalize(NrOp *op, NrBuilder *b) {
  int64_t elements;
  bool empty = nr_type_has_static_shape(nr_memref_copy_source(op)->type) &&
               nr_type_is_ranked(nr_memref_copy_source(op)->type) &&
               nr_type_num_elements(nr_memref_copy_source(op)->type, &elements) && elements == 0;
  if (empty || nr_memref_copy_source(op) == nr_memref_copy_target(op) || only_written(nr_memref_copy_target(op))) {
    nr_op_erase(op);
    return true;
  }
  return nr_memref_absorb_cast(op, b);
}

/* ---- access ----------------------------------------------------------------------------------------------------- */

bool nr_memref_load_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *memref = nr_memref_load_memref(op);
  if (!nr_op_is(memref->op, NR_OP_memref_get_global)) return false;
  NrOp *global = nr_symbol_resolve(op, nr_op_attr(memref->op, NR_A_name));
  if (!nr_op_is(global, NR_OP_memref_global) || !nr_op_attr(global, NR_A_constant)) return false;
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  if (!value || !nr_attr_is_elements(value)) return false;
  int64_t at = 0;
  for (uint32_t i = 0; i < memref->type->rank; i++) {
    int64_t index;
    if (!constants[1 + i] || !nr_attr_is_int(constants[1 + i], &index)) return false;
    if (index < 0 || index >= memref->type->dims[i]) return false;
    at = at * memref->type->dims[i] + index;
  }
  out->attr = nr_attr_element(value, at);
  return out->attr != NULL;
}

bool nr_memref_dim_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  int64_t i;
  NrIndex dim;
  if (!constants[1] || !nr_attr_is_int(constants[1], &i) || i < 0) return false;
  return nr_dim_of(nr_memref_dim_source(op), (size_t)i, &dim) && fold_nr_index(op, out, dim);
}

bool nr_memref_rank_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrType type = nr_memref_rank_source(op)->type;
  return nr_type_is_ranked(type) && fold_index(op, out, type->rank);
}

/* Replaces results that are known: offset and strides that are static in the type, and sizes that nr_dim_of finds. */
bool nr_memref_metadata_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_memref_extract_strided_metadata_source(op);
  int64_t strides[NR_MAX_RANK], offset;
  bool changed = false, strided = nr_memref_strides(source->type, strides, &offset);
  for (uint32_t r = 1; r < op->num_results; r++) {
    NrIndex value = nr_index_const(NR_DYNAMIC);
    uint32_t i = r - 2, rank = source->type->rank;
    if (!nr_value_has_uses(nr_result(op, r))) continue;
    if (r == 1) value.constant = strided ? offset : NR_DYNAMIC;
    else if (i >= rank) value.constant = strided ? strides[i - rank] : NR_DYNAMIC;
    else if (!nr_dim_of(source, i, &value)) continue;
    if (!value.value && value.constant == NR_DYNAMIC) continue;
    nr_value_replace_uses(nr_result(op, r), nr_index_value(b, value));
    changed = true;
  }
  return changed;
}

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* Folds cast(x) to x when x has the result's type, and cast(cast(x)) to x when x has it. */
bool nr_memref_cast_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_op_source(op);
  if (source->type == nr_op_result(op)->type) return fold_value(out, source);
  if (!nr_op_is(source->op, op->info->id)) return false;
  NrValue *root = nr_op_source(source->op);
  if (root->type == nr_op_result(op)->type) return fold_value(out, root);
  return false;
}

/* Whether `special` has the same value wherever shape, strides or offset of `general` are static. */
static bool layout_refines(NrType special, NrType general) {
  int64_t s[NR_MAX_RANK], g[NR_MAX_RANK], of_s, of_g;
  if (special->elem != general->elem || special->rank != general->rank || special->space != general->space)
    return false;
  if (!nr_memref_strides(special, s, &of_s) || !nr_memref_strides(general, g, &of_g)) return false;
  bool holds = of_g == NR_DYNAMIC || of_g == of_s;
  for (uint32_t i = 0; i < general->rank && holds; i++)
    holds = (g[i] == NR_DYNAMIC || g[i] == s[i]) &&
            (general->dims[i] == NR_DYNAMIC || general->dims[i] == special->dims[i]);
  return holds;
}

/* Merges cast(cast(x)) into one cast of x, unless the middle type has static information that x's type lacks: that
 * claim would be lost. */
bool nr_memref_cast_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_memref_cast_source(op);
  (void)b;
  if (!nr_op_is(source->op, op->info->id) || source->type->kind != NR_TYPE_MEMREF) return false;
  NrValue *root = nr_op_source(source->op);
  NrType to = nr_op_result(op)->type;
  if (root->type->kind != NR_TYPE_MEMREF) return false;
  if (!nr_type_refines(root->type, source->type) && !layout_refines(root->type, source->type)) return false;
  if (to->kind == NR_TYPE_MEMREF && !layout_refines(root->type, to) && !layout_refines(to, root->type)) return false;
  nr_op_set_operand(op, NR_MEMREF_CAST_SOURCE, root);
  return true;
}

bool nr_memref_view_canonicalize(NrOp *op, NrBuilder *b) {
  NrType type = nr_op_result(op)->type;
  NrValue *operands[2 + NR_MAX_RANK] = {nr_memref_view_source(op), nr_memref_view_byte_shift(op)};
  int64_t dims[NR_MAX_RANK];
  size_t kept = 2, used = 2;
  for (uint32_t i = 0; i < type->rank; i++) {
    dims[i] = type->dims[i];
    if (dims[i] != NR_DYNAMIC) continue;
    NrValue *size = nr_operand(op, used++);
    int64_t c;
    if (nr_value_constant_int(size, &c) && c >= 0) dims[i] = c;
    else operands[kept++] = size;
  }
  NrValue *source = cast_source(operands[0]);
  if (kept == op->num_operands && !source) return false;
  if (source && source->type->layout) return false;
  if (source) operands[0] = source;
  NrType to = nr_type_memref_layout(dims, type->rank, type->elem, type->layout, type->space);
  if (to->oversized) return false;
  NrValue *view = nr_build_value(b, NR_OP_memref_view, to, operands, kept);
  return nr_op_replace(op, cast_to(b, view, type));
}

/* Folds a subview that covers the whole source and has its type to the source. */
bool nr_memref_subview_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_memref_subview_source(op);
  NrIndex offsets[NR_MAX_RANK], sizes[NR_MAX_RANK], strides[NR_MAX_RANK], dim;
  if (source->type != nr_op_result(op)->type) return false;
  nr_index_list_all(op, nr_extract_slice_slots[0], offsets);
  nr_index_list_all(op, nr_extract_slice_slots[1], sizes);
  nr_index_list_all(op, nr_extract_slice_slots[2], strides);
  for (uint32_t i = 0; i < source->type->rank; i++) {
    if (!nr_index_is(offsets[i], 0) || !nr_index_is(strides[i], 1)) return false;
    if (!nr_dim_of(source, i, &dim) || !nr_index_eq(dim, sizes[i])) return false;
  }
  return fold_value(out, source);
}

/* The type of a subview after its lists have changed; it drops the same dims. NULL when the lists are invalid. */
static NrType refined_type(NrOp *op, const bool *keep) {
  NrIndex lists[3][NR_MAX_RANK];
  NrType source = nr_memref_subview_source(op)->type;
  for (size_t i = 0; i < 3; i++) nr_index_list_all(op, nr_extract_slice_slots[i], lists[i]);
  for (uint32_t i = 0; i < source->rank; i++) /* dead code may have invalid constants */
    if (!nr_slice_is_inside(lists[0][i], lists[1][i], lists[2][i], source->dims[i], NULL)) return NULL;
  NrType full = nr_memref_subview_type(source, lists[0], lists[1], lists[2]);
  return full && !full->oversized ? nr_memref_drop_dims(full, keep) : NULL;
}

bool nr_memref_subview_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = cast_source(nr_memref_subview_source(op));
  NrType old = nr_op_result(op)->type;
  bool keep[NR_MAX_RANK];
  if (!source && !nr_index_lists_have_constants(op, nr_extract_slice_slots, 3)) return false;
  if (!nr_slice_keeps(op, old, keep)) return false;
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, op, &map);
  nr_map_deinit(&map);
  nr_op_insert_before(copy, op);
  if (source) nr_op_set_operand(copy, NR_MEMREF_SUBVIEW_SOURCE, source);
  nr_index_lists_fold_constants(copy, nr_extract_slice_slots, 3);
  NrType type = refined_type(copy, keep);
  if (!type) {
    nr_op_erase(copy);
    return false;
  }
  if (type != old) copy = nr_op_retype(copy, &type);
  return nr_op_replace(op, cast_to(b, nr_op_result(copy), old));
}

/* Merges two consecutive reshapes: into none where they cancel, into one if the shape is static and there is no
 * layout. */
static bool merge_reshapes(NrOp *op, NrBuilder *b, NrOp *first) {
  NrGroups groups;
  NrValue *root = nr_op_source(first);
  NrType type = nr_op_result(op)->type;
  bool expands = nr_op_is(op, NR_OP_memref_expand_shape);
  NrReshape kind = nr_reshape_merge(first, nr_op_is(first, NR_OP_memref_expand_shape), op, expands, &groups);
  if (kind == NR_RESHAPE_TWO) return false;
  if (kind == NR_RESHAPE_NONE) return nr_op_replace(op, root);
  if (root->type->layout || type->layout || nr_type_num_dynamic(type)) return false;
  unsigned id = kind == NR_RESHAPE_EXPAND ? NR_OP_memref_expand_shape : NR_OP_memref_collapse_shape;
  NrValue *value = nr_build_value(b, id, type, &root, 1);
  nr_op_set_attr(value->op, NR_A_reassociation, nr_groups_attr(b->ctx, &groups));
  if (kind == NR_RESHAPE_EXPAND)
    nr_op_set_attr_named(value->op, nr_output_shape_slot.attr, nr_attr_i64_array(b->ctx, type->dims, type->rank));
  return nr_op_replace(op, value);
}

bool nr_memref_reshape_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_op_source(op);
  if (source->type == nr_op_result(op)->type) return nr_op_replace(op, source);
  if (!nr_op_is(source->op, NR_OP_memref_expand_shape) && !nr_op_is(source->op, NR_OP_memref_collapse_shape))
    return false;
  return merge_reshapes(op, b, source->op);
}

/* Folds a transpose by the identity, and a reinterpret_cast to its source's type, to the source. The latter only for a
 * static identity layout, where the type determines the view. */
bool nr_memref_same_view_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_op_source(op);
  (void)constants;
  if (source->type != nr_op_result(op)->type) return false;
  if (nr_op_is(op, NR_OP_memref_transpose)) {
    NrAttr map = nr_op_attr(op, NR_A_permutation);
    if (map != nr_attr_affine_identity(nr_op_context(op), map->num_dims)) return false;
  } else if (source->type->layout || !nr_type_has_static_shape(source->type)) {
    return false;
  }
  out[0].value = source;
  return true;
}

/* Skips casts of the source: the op uses only the base pointer. */
bool nr_memref_reinterpret_cast_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_memref_reinterpret_cast_source(op);
  (void)b;
  if (!nr_op_is(source->op, NR_OP_memref_reinterpret_cast) && !nr_op_is(source->op, NR_OP_memref_cast)) return false;
  nr_op_set_operand(op, NR_MEMREF_REINTERPRET_CAST_SOURCE, nr_op_source(source->op));
  return true;
}

/* Merges two consecutive transposes by composing their permutations. */
bool nr_memref_transpose_canonicalize(NrOp *op, NrBuilder *b) {
  NrValue *source = nr_memref_transpose_source(op);
  if (!nr_op_is(source->op, NR_OP_memref_transpose)) return false;
  NrAttr outer = nr_op_attr(op, NR_A_permutation), inner = nr_op_attr(source->op, NR_A_permutation);
  NrAffineExpr exprs[NR_MAX_RANK];
  for (uint32_t i = 0; i < outer->num_exprs; i++) exprs[i] = inner->exprs[outer->exprs[i]->value];
  nr_op_set_attr(op, NR_A_permutation, nr_attr_affine_map(b->ctx, outer->num_dims, 0, exprs, outer->num_exprs));
  nr_op_set_operand(op, NR_MEMREF_TRANSPOSE_SOURCE, nr_memref_transpose_source(source->op));
  return true;
}

/* Folds an assumption that an assumption of at least the same alignment implies. */
bool nr_memref_assume_alignment_fold(NrOp *op, const NrAttr *constants, NrFold *out) {
  NrValue *source = nr_memref_assume_alignment_source(op);
  (void)constants;
  if (!nr_op_is(source->op, NR_OP_memref_assume_alignment)) return false;
  if (nr_op_attr_int(source->op, NR_A_alignment, 0) < nr_op_attr_int(op, NR_A_alignment, INT64_MAX)) return false;
  return fold_value(out, source);
}
