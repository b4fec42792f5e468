/* accesses.c - memory accesses of ops, and aliasing of memrefs; see dependence.h. */
#include "dialect/affine/affine.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"
#include "dialect/vector/ops.h"
#include "pass/analysis/dependence.h"

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static void add(NrMemAccesses *out, NrMemAccess access) { nr_vec_push(out, access); }

static bool add_element(NrMemAccesses *out, NrOp *op, bool reads, bool writes) {
  NrGroup indices = nr_op_indices(op);
  add(out, (NrMemAccess){.op = op, .memref = nr_op_memref(op), .first_index = (uint32_t)indices.begin,
                         .num_indices = (uint32_t)indices.count, .reads = reads, .writes = writes});
  return true;
}

/* Adds an access at indices. With a vector type, it covers the vector's elements from the indices on, or any elements
 * when the vector's dims cannot be matched with those of base. */
static bool add_at(NrMemAccesses *out, NrOp *op, NrValue *base, NrAttr map, NrType vector, bool writes) {
  bool counted = !vector || (base->type->elem->kind != NR_TYPE_VECTOR && vector->rank <= base->type->rank);
  add(out, (NrMemAccess){.op = op, .memref = base, .first_index = (uint32_t)nr_op_indices(op).begin,
                         .num_indices = counted ? base->type->rank : 0, .map = map, .vector = vector,
                         .reads = !writes, .writes = writes});
  return true;
}

static bool add_mapped(NrMemAccesses *out, NrOp *op, bool writes) {
  bool vector = nr_op_is(op, NR_OP_affine_vector_load) || nr_op_is(op, NR_OP_affine_vector_store);
  NrType type = writes ? nr_op_value(op)->type : nr_op_result(op)->type;
  return add_at(out, op, nr_op_memref(op), nr_op_attr(op, NR_A_map), vector ? type : NULL, writes);
}

/* Adds an access to any elements of a memref. */
static bool add_whole(NrMemAccesses *out, NrOp *op, NrValue *memref, bool reads, bool writes) {
  add(out, (NrMemAccess){.op = op, .memref = memref, .reads = reads, .writes = writes});
  return true;
}

static bool add_op(NrOp *op, void *user) {
  NrMemAccesses *out = user;
  uint32_t effects = op->info->traits & (NR_READS | NR_WRITES | NR_ALLOCATES | NR_FREES);
  switch (op->info->id) {
  case NR_OP_memref_load: return add_element(out, op, true, false);
  case NR_OP_memref_store: return add_element(out, op, false, true);
  case NR_OP_memref_atomic_rmw:
  case NR_OP_memref_generic_atomic_rmw: return add_element(out, op, true, true);
  case NR_OP_memref_prefetch: return true;
  case NR_OP_memref_copy:
    return add_whole(out, op, nr_memref_copy_source(op), true, false) &&
           add_whole(out, op, nr_memref_copy_target(op), false, true);
  case NR_OP_affine_load:
  case NR_OP_affine_vector_load: return add_mapped(out, op, false);
  case NR_OP_affine_store:
  case NR_OP_affine_vector_store: return add_mapped(out, op, true);
  case NR_OP_affine_prefetch: return true;
  case NR_OP_vector_load:
  case NR_OP_vector_maskedload: return add_at(out, op, nr_op_base(op), NULL, nr_op_result(op)->type, false);
  case NR_OP_vector_store:
  case NR_OP_vector_maskedstore: return add_at(out, op, nr_op_base(op), NULL, nr_op_value(op)->type, true);
  default: break;
  }
  if (nr_op_has(op, NR_CALL)) return false;
  if (!effects) {
    bool ends_region = nr_op_has(op, NR_TERMINATOR) && (op->info->traits & (NR_RETURN_LIKE | NR_BRANCH));
    return nr_op_has(op, NR_PURE) || nr_op_has(op, NR_RECURSIVE_EFFECTS) || ends_region;
  }
  bool reads = effects & NR_READS, writes = effects & (NR_WRITES | NR_FREES);
  size_t begin, count;
  bool has_destinations = nr_op_destinations(op, &begin, &count);
  for (uint32_t i = 0; (reads || writes) && i < op->num_operands; i++) {
    bool only_read = has_destinations && (i < begin || i >= begin + count);
    if (nr_type_is_memref(nr_operand(op, i)->type))
      add_whole(out, op, nr_operand(op, i), reads || only_read, writes && !only_read);
  }
  return true;
}

static bool add_op_of_run(NrOp *op, void *user) {
  bool only_ends_run = nr_op_is(op, NR_OP_rt_check) || nr_op_is(op, NR_OP_rt_poll) || nr_op_is(op, NR_OP_rt_safepoint);
  return only_ends_run || add_op(op, user);
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
bool nr_collect_accesses_of_run(NrOp *op, NrMemAccesses *out) { return nr_walk_pre(op, add_op_of_run, out); }

/* ---- aliasing ---------------------------------------------------------------------------------------------------- */

NrValue *nr_memref_source(const NrValue *memref) {
  return memref->op && memref->index == 0 && nr_op_has(memref->op, NR_VIEW) ? nr_op_source(memref->op) : NULL;
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
