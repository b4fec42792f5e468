/* accesses.c - memory accesses of ops, and aliasing of memrefs; see dependence.h. */
#include "dialect/affine/affine.h"
#include "pass/analysis/dependence.h"

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static void add(NrMemAccesses *out, NrMemAccess access) { nr_vec_push(out, access); }

static bool add_element(NrMemAccesses *out, NrOp *op, uint32_t memref, bool reads, bool writes) {
  NrValue *value = nr_operand(op, memref);
  add(out, (NrMemAccess){.op = op, .memref = value, .first_index = memref + 1, .num_indices = value->type->rank,
                         .reads = reads, .writes = writes});
  return true;
}

/* With a vector type: the vector's elements from the indices on, or any elements where that is not known. */
static bool add_at(NrMemAccesses *out, NrOp *op, uint32_t first_index, NrAttr map, NrType vector, bool writes) {
  NrValue *value = nr_operand(op, first_index - 1);
  bool counted = !vector || (value->type->elem->kind != NR_TYPE_VECTOR && vector->rank <= value->type->rank);
  add(out, (NrMemAccess){.op = op, .memref = value, .first_index = first_index,
                         .num_indices = counted ? value->type->rank : 0, .map = map, .vector = vector,
                         .reads = !writes, .writes = writes});
  return true;
}

static bool add_mapped(NrMemAccesses *out, NrOp *op, bool writes) {
  bool vector = nr_op_is(op, NR_OP_affine_vector_load) || nr_op_is(op, NR_OP_affine_vector_store);
  NrType type = writes ? nr_operand(op, 0)->type : nr_result(op, 0)->type;
  return add_at(out, op, (uint32_t)nr_affine_map_operands(op), nr_op_attr(op, NR_A_map), vector ? type : NULL, writes);
}

/* An access to any elements of a memref. */
static bool add_whole(NrMemAccesses *out, NrOp *op, size_t memref, bool reads, bool writes) {
  add(out, (NrMemAccess){.op = op, .memref = nr_operand(op, memref), .reads = reads, .writes = writes});
  return true;
}

static bool add_op(NrOp *op, void *user) {
  NrMemAccesses *out = user;
  uint32_t effects = op->info->traits & (NR_READS | NR_WRITES | NR_ALLOCATES | NR_FREES);
  switch (op->info->id) {
  case NR_OP_memref_load: return add_element(out, op, 0, true, false);
  case NR_OP_memref_store: return add_element(out, op, 1, false, true);
  case NR_OP_memref_atomic_rmw: return add_element(out, op, 1, true, true);
  case NR_OP_memref_generic_atomic_rmw: return add_element(out, op, 0, true, true);
  case NR_OP_memref_prefetch: return true;
  case NR_OP_memref_copy: return add_whole(out, op, 0, true, false) && add_whole(out, op, 1, false, true);
  case NR_OP_affine_load:
  case NR_OP_affine_vector_load: return add_mapped(out, op, false);
  case NR_OP_affine_store:
  case NR_OP_affine_vector_store: return add_mapped(out, op, true);
  case NR_OP_affine_prefetch: return true;
  case NR_OP_vector_load:
  case NR_OP_vector_maskedload: return add_at(out, op, 1, NULL, nr_result(op, 0)->type, false);
  case NR_OP_vector_store: return add_at(out, op, 2, NULL, nr_operand(op, 0)->type, true);
  case NR_OP_vector_maskedstore: return add_at(out, op, 1, NULL, nr_operand(op, op->num_operands - 1)->type, true);
  default: break;
  }
  if (nr_op_has(op, NR_CALL)) return false;
  if (!effects) {
    bool ends_region = nr_op_has(op, NR_TERMINATOR) && (op->info->traits & (NR_RETURN_LIKE | NR_BRANCH));
    return nr_op_has(op, NR_PURE) || nr_op_has(op, NR_RECURSIVE_EFFECTS) || ends_region;
  }
  bool reads = effects & NR_READS, writes = effects & (NR_WRITES | NR_FREES);
  for (uint32_t i = 0; (reads || writes) && i < op->num_operands; i++)
    if (nr_type_is_memref(nr_operand(op, i)->type))
      nr_vec_push(out, ((NrMemAccess){.op = op, .memref = nr_operand(op, i), .reads = reads, .writes = writes}));
  return true;
}

bool nr_access_index(const NrMemAccess *access, uint32_t d, NrLinear *out) {
  NrValue *operands[NR_LINEAR_TERMS];
  NrAttr map = access->map;
  if (!map) return nr_linear_of(nr_operand(access->op, access->first_index + d), out), true;
  size_t count = nr_affine_num_inputs(map);
  for (size_t i = 0; i < count && count <= NR_LINEAR_TERMS; i++)
    operands[i] = nr_operand(access->op, access->first_index + i);
  return count <= NR_LINEAR_TERMS && nr_linear_of_affine(map->exprs[d], operands, map->num_dims, out);
}

bool nr_collect_accesses(NrOp *op, NrMemAccesses *out) { return nr_walk_pre(op, add_op, out); }

/* ---- which memrefs may share memory ------------------------------------------------------------------------------ */

NrValue *nr_memref_source(const NrValue *memref) {
  return memref->op && memref->index == 0 && nr_op_has(memref->op, NR_VIEW) ? nr_operand(memref->op, 0) : NULL;
}

NrValue *nr_memref_root(NrValue *memref) {
  for (NrValue *next; (next = nr_memref_source(memref));) memref = next;
  return memref;
}

static bool is_allocation(const NrValue *v) {
  return nr_op_is(v->op, NR_OP_memref_alloc) || nr_op_is(v->op, NR_OP_memref_alloca);
}
static bool is_argument(const NrValue *v) {
  NrOp *parent = v->block ? nr_block_parent_op(v->block) : NULL;
  return parent && nr_op_has(parent, NR_FUNCTION) && v->block == parent->regions[0].first;
}
static bool is_noalias(const NrValue *v) {
  if (!is_argument(v)) return false;
  NrAttr attrs = nr_op_attr(nr_block_parent_op(v->block), NR_A_arg_attrs);
  NrAttr marks = attrs && attrs->kind == NR_ATTR_ARRAY && v->index < attrs->size ? attrs->items[v->index] : NULL;
  if (!marks || marks->kind != NR_ATTR_DICT) return false;
  return nr_dict_get(marks, "llvm.noalias") || nr_dict_get(marks, "noria.noalias");
}

bool nr_may_alias(NrValue *a, NrValue *b) {
  a = nr_memref_root(a);
  b = nr_memref_root(b);
  if (a == b) return true;
  bool a_fresh = is_allocation(a), b_fresh = is_allocation(b);
  bool a_global = nr_op_is(a->op, NR_OP_memref_get_global), b_global = nr_op_is(b->op, NR_OP_memref_get_global);
  if (a_global && b_global) return nr_op_attr(a->op, NR_A_name) == nr_op_attr(b->op, NR_A_name);
  /* A buffer that is carried by a loop, stored, or returned by a call may also be known by another value. */
  if (a_fresh) return !(b_fresh || b_global || is_argument(b));
  if (b_fresh) return !(a_global || is_argument(a));
  if (is_noalias(a)) return !(is_argument(b) || b_global);
  if (is_noalias(b)) return !(is_argument(a) || a_global);
  return true;
}
