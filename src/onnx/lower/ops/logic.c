/* logic.c - comparisons, boolean and bitwise ops of two operands, shifts, Where. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/string.h"

/* ---- comparisons ---- */

typedef struct Comparison {
  unsigned onnx;
  NrCmpF floats;
  NrCmpI signeds, unsigneds;
} Comparison;

static const Comparison comparisons[] = {
    {NR_OP_onnx_Equal, NR_CMPF_OEQ, NR_CMPI_EQ, NR_CMPI_EQ},
    {NR_OP_onnx_Greater, NR_CMPF_OGT, NR_CMPI_SGT, NR_CMPI_UGT},
    {NR_OP_onnx_GreaterOrEqual, NR_CMPF_OGE, NR_CMPI_SGE, NR_CMPI_UGE},
    {NR_OP_onnx_Less, NR_CMPF_OLT, NR_CMPI_SLT, NR_CMPI_ULT},
    {NR_OP_onnx_LessOrEqual, NR_CMPF_OLE, NR_CMPI_SLE, NR_CMPI_ULE},
};

static NrValue *compare_body(NrLower *l, NrValue *const *a, void *user) {
  const Comparison *c = user;
  if (nr_type_is_float(a[0]->type)) return nr_lower_cmpf(l, c->floats, a[0], a[1]);
  bool u = nr_dtype_is_unsigned(nr_lower_dtype(l, 0));
  return nr_lower_cmpi(l, u ? c->unsigneds : c->signeds, a[0], a[1]);
}

NrStatus nr_lower_compare(NrLower *l) {
  bool equal = nr_op_is(l->op, NR_OP_onnx_Equal), strings = equal && nr_lower_dtype(l, 0) == NORIA_STRING;
  NrDTypeClass takes = NR_NUMBERS | (equal ? NR_BOOL : 0);
  NrValue *in[2];
  if (!strings && !nr_lower_takes(l, 0, takes)) return NR_ERROR_INVALID;
  if (!nr_lower_same_dtypes(l, 0, 2) || !nr_lower_two_inputs(l, in)) return NR_ERROR_INVALID;
  if (strings) return nr_lower_out(l, 0, nr_lower_string_equal(l, in), NORIA_BOOL);
  for (size_t i = 0; i < NR_COUNTOF(comparisons); i++) {
    Comparison c = comparisons[i];
    if (nr_op_is(l->op, c.onnx))
      return nr_lower_out(l, 0, nr_lower_map_wide(l, in, 2, nr_type_i1(l->ctx), compare_body, &c), NORIA_BOOL);
  }
  return nr_lower_error(l, "the op has no predicate");
}

/* ---- bits ---- */

static NrValue *bits_body(NrLower *l, NrValue *const *a, void *user) { return same2(l, *(unsigned *)user, a[0], a[1]); }

static NrStatus bits(NrLower *l, NrDTypeClass takes, unsigned op) {
  NrValue *in[2];
  if (!nr_lower_takes(l, 0, takes) || !nr_lower_same_dtypes(l, 0, 2) || !nr_lower_two_inputs(l, in))
    return NR_ERROR_INVALID;
  return nr_lower_out(l, 0, nr_lower_map(l, in, 2, NULL, bits_body, &op), nr_lower_dtype(l, 0));
}

NrStatus nr_lower_and(NrLower *l) { return bits(l, NR_BOOL, NR_OP_arith_andi); }
NrStatus nr_lower_or(NrLower *l) { return bits(l, NR_BOOL, NR_OP_arith_ori); }
NrStatus nr_lower_xor(NrLower *l) { return bits(l, NR_BOOL, NR_OP_arith_xori); }
NrStatus nr_lower_bitwise_and(NrLower *l) { return bits(l, NR_INTS, NR_OP_arith_andi); }
NrStatus nr_lower_bitwise_or(NrLower *l) { return bits(l, NR_INTS, NR_OP_arith_ori); }
NrStatus nr_lower_bitwise_xor(NrLower *l) { return bits(l, NR_INTS, NR_OP_arith_xori); }

/* A shift by the width or more, or by a negative number, gives only the bits that are shifted in. */
static NrValue *shift_body(NrLower *l, NrValue *const *a, void *user) {
  bool left = nr_str_is(nr_lower_attr_str(l, "direction"), "LEFT");
  bool arithmetic = !left && !nr_dtype_is_unsigned(nr_lower_dtype(l, 0));
  uint32_t width = nr_type_bits(a[0]->type);
  NrValue *zero = num(l, a[0], 0), *fits = nr_lower_cmpi(l, NR_CMPI_ULT, a[1], num(l, a[1], width));
  NrValue *by = nr_lower_select(l, fits, a[1], arithmetic ? num(l, a[1], width - 1) : zero);
  NrValue *shifted = same2(l, left ? NR_OP_arith_shli : arithmetic ? NR_OP_arith_shrsi : NR_OP_arith_shrui, a[0], by);
  return arithmetic ? shifted : nr_lower_select(l, fits, shifted, zero);
}

NrStatus nr_lower_bitshift(NrLower *l) {
  NrStr direction = nr_lower_attr_str(l, "direction");
  if (!nr_str_is(direction, "LEFT") && !nr_str_is(direction, "RIGHT"))
    return nr_lower_error(l, "attribute direction is '%.*s'; it must be LEFT or RIGHT", NR_STR_ARG(direction));
  if (!nr_lower_takes(l, 0, NR_INTS) || !nr_lower_same_dtypes(l, 0, 2)) return NR_ERROR_INVALID;
  NrValue *in[2] = {nr_lower_in(l, 0), nr_lower_in(l, 1)};
  return nr_lower_out(l, 0, nr_lower_map(l, in, 2, NULL, shift_body, NULL), nr_lower_dtype(l, 0));
}

/* ---- Where ---- */

static NrValue *where_body(NrLower *l, NrValue *const *a, void *user) { return nr_lower_select(l, a[0], a[1], a[2]); }

NrStatus nr_lower_where(NrLower *l) {
  if (!nr_lower_takes(l, 0, NR_BOOL) || !nr_lower_same_dtypes(l, 1, 2)) return NR_ERROR_INVALID;
  NrValue *in[3] = {nr_lower_in(l, 0), nr_lower_in(l, 1), nr_lower_in(l, 2)};
  return nr_lower_out(l, 0, nr_lower_map(l, in, 3, in[1]->type->elem, where_body, NULL), nr_lower_dtype(l, 1));
}
