/* atomic.c - atomic memory ops: each is a compare-and-exchange loop on the bits of the element. */
#include "codegen/c/c.h"
#include "dialect/memref/memref.h"

/* The kinds of memref.atomic_rmw, by number. */
static const char *const kinds[] = {"addf",     "addi",    "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu",
                                    "minimumf", "minnumf", "mins", "minu",   "mulf",     "muli",    "ori",  "xori"};

static const char *to_bits(NrC *g, NrType elem, const char *x, unsigned bits) {
  if (nr_type_is_float(elem) && (bits == 32 || bits == 64)) return nr_c_text(g, "noria_bits%u(%s)", bits, x);
  return nr_c_text(g, "(u%u)%s", bits, nr_c_group(g, nr_c_to_memory(g, elem, x)));
}

static const char *from_bits(NrC *g, NrType elem, const char *x, unsigned bits) {
  if (nr_type_is_float(elem) && (bits == 32 || bits == 64)) return nr_c_text(g, "noria_f%u(%s)", bits, x);
  return nr_c_from_memory(g, elem, nr_c_text(g, "(%s)%s", nr_c_memory(g, elem), x));
}

/* op's operands: [value,] memref, index. body: of the generic one, or NULL. */
static NrStatus emit(NrC *g, NrOp *op, NrValue *memref, NrValue *index, NrBlock *body) {
  NrValue *out = nr_op_result(op);
  NrType elem = memref->type->elem;
  size_t size = nr_c_elem_bytes(elem);
  bool scalar = nr_type_is_float(elem) || nr_type_is_int_or_index(elem);
  if (!scalar || !nr_c_type(g, elem) || size > 8 || (size & (size - 1)))
    return nr_op_error(op, "is not compiled for %s: there is no atomic step of its size", nr_type_text(g->ctx, elem));
  unsigned bits = (unsigned)size * 8;
  const char *at = nr_c_local_name(g, NR_STR("place")), *seen = nr_c_local_name(g, NR_STR("seen"));
  const char *old = body ? nr_c_name(g, nr_block_arg(body, 0)) : nr_c_local_name(g, NR_STR("old"));
  nr_c_line(g, "u%u *%s = (u%u *)(void *)(%s);", bits, at, bits, nr_c_address(g, memref, index));
  nr_c_line(g, "u%u %s = noria_atomic_load%u(%s);", bits, seen, bits, at);
  if (nr_value_has_uses(out)) nr_c_define(g, out, "0");
  nr_c_line(g, "for (;;) {");
  g->indent++;
  nr_c_line(g, "%s = %s;", nr_c_declare(g, elem, old), from_bits(g, elem, seen, bits));
  NrStatus status = NR_OK;
  const char *next = NULL;
  for (NrOp *inner = body ? body->first : NULL; body && inner != body->last && !status; inner = inner->next)
    status = nr_c_emit_op(g, inner);
  if (body && !status) next = nr_c_value(g, nr_memref_atomic_yield_value(body->last));
  if (!body)
    next = nr_c_combine(g, nr_str(kinds[nr_op_attr_int(op, NR_A_kind, 0)]), elem, old,
                        nr_c_value(g, nr_memref_atomic_rmw_value(op)));
  if (!next) status = status ? status : nr_op_error(op, "has no C for this kind");
  nr_c_line(g, "(void)%s;", old);
  if (nr_value_has_uses(out)) nr_c_line(g, "%s = %s;", nr_c_name(g, out), old);
  if (next) nr_c_line(g, "if (noria_exchange%u(%s, &%s, %s)) break;", bits, at, seen,
                      to_bits(g, elem, nr_c_group(g, next), bits));
  g->indent--;
  nr_c_line(g, "}");
  return status;
}

static NrStatus emit_atomic(NrC *g, NrOp *op, const NrCRow *row) {
  return emit(g, op, nr_memref_atomic_rmw_memref(op), nr_operand(op, nr_memref_atomic_rmw_indices(op).begin), NULL);
}

static NrStatus emit_generic_atomic(NrC *g, NrOp *op, const NrCRow *row) {
  return emit(g, op, nr_memref_generic_atomic_rmw_memref(op),
              nr_operand(op, nr_memref_generic_atomic_rmw_indices(op).begin), nr_memref_generic_atomic_rmw_body(op));
}

const NrCRow nr_c_atomic_rows[] = {
    {"memref.atomic_rmw", emit_atomic},
    {"memref.generic_atomic_rmw", emit_generic_atomic},
    {0},
};
