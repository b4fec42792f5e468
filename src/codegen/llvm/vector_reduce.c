/* vector_reduce.c - vector.reduction. */
#include "codegen/llvm/ll.h"
#include "dialect/vector/vector.h"

typedef struct Kind {
  const char *name, *intrinsic;
  LLVMOpcode op;         /* combines the accumulator; 0: the intrinsic `combine` does */
  const char *combine;
  double start;          /* initial value of ordered float reductions */
} Kind;

static const Kind float_kinds[] = {
    {"add", "llvm.vector.reduce.fadd", LLVMFAdd, NULL, -0.0},
    {"mul", "llvm.vector.reduce.fmul", LLVMFMul, NULL, 1.0},
    {"minnumf", "llvm.vector.reduce.fmin", 0, "llvm.minnum", 0},
    {"maxnumf", "llvm.vector.reduce.fmax", 0, "llvm.maxnum", 0},
    {"minimumf", "llvm.vector.reduce.fminimum", 0, "llvm.minimum", 0},
    {"maximumf", "llvm.vector.reduce.fmaximum", 0, "llvm.maximum", 0},
};
static const Kind int_kinds[] = {
    {"add", "llvm.vector.reduce.add", LLVMAdd, NULL, 0},        {"mul", "llvm.vector.reduce.mul", LLVMMul, NULL, 0},
    {"and", "llvm.vector.reduce.and", LLVMAnd, NULL, 0},        {"or", "llvm.vector.reduce.or", LLVMOr, NULL, 0},
    {"xor", "llvm.vector.reduce.xor", LLVMXor, NULL, 0},        {"minui", "llvm.vector.reduce.umin", 0, "llvm.umin", 0},
    {"minsi", "llvm.vector.reduce.smin", 0, "llvm.smin", 0},    {"maxui", "llvm.vector.reduce.umax", 0, "llvm.umax", 0},
    {"maxsi", "llvm.vector.reduce.smax", 0, "llvm.smax", 0},
};

static const Kind *find_kind(NrOp *op, bool is_float) {
  NrStr name = nr_vector_kind(op);
  const Kind *kinds = is_float ? float_kinds : int_kinds;
  size_t count = is_float ? NR_COUNTOF(float_kinds) : NR_COUNTOF(int_kinds);
  for (size_t i = 0; i < count; i++)
    if (nr_str_is(name, kinds[i].name)) return &kinds[i];
  return NULL;
}

static LLVMValueRef combine(NrLl *g, NrOp *op, const Kind *kind, LLVMValueRef a, LLVMValueRef b) {
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef both[] = {a, b};
  LLVMValueRef out = kind->op ? LLVMBuildBinOp(g->b, kind->op, a, b, "")
                              : nr_ll_intrinsic(g, kind->combine, &type, 1, both, 2);
  if (nr_type_is_float(nr_type_elem(nr_vector_reduction_vector(op)->type))) nr_ll_flags(op, out);
  return out;
}

/* acc may be NULL. */
static LLVMValueRef reduce_row(NrLl *g, NrOp *op, const Kind *kind, LLVMValueRef row, LLVMValueRef acc) {
  NrType elem = nr_type_elem(nr_vector_reduction_vector(op)->type);
  bool is_float = nr_type_is_float(elem);
  LLVMTypeRef vector = LLVMTypeOf(row), scalar = LLVMGetElementType(vector);
  if (is_float && kind->op) {
    LLVMValueRef args[] = {acc ? acc : LLVMConstReal(scalar, kind->start), row};
    LLVMValueRef out = nr_ll_intrinsic(g, kind->intrinsic, &vector, 1, args, 2);
    nr_ll_flags(op, out);
    return out;
  }
  LLVMValueRef out = nr_ll_intrinsic(g, kind->intrinsic, &vector, 1, &row, 1);
  if (is_float) nr_ll_flags(op, out);
  return acc ? combine(g, op, kind, acc, out) : out;
}

static NrStatus emit_reduction(NrLl *g, NrOp *op, const NrLlRow *row) {
  NrType type = nr_vector_reduction_vector(op)->type;
  const Kind *kind = find_kind(op, nr_type_is_float(type->elem));
  LLVMValueRef acc = nr_vector_reduction_acc(op) ? nr_ll_value(g, nr_vector_reduction_acc(op)) : NULL;
  if (!kind || type->rank != 1) return nr_op_error(op, "is a reduction that machine code does not have");
  nr_ll_set(g, nr_op_result(op), reduce_row(g, op, kind, nr_ll_value(g, nr_vector_reduction_vector(op)), acc));
  return NR_OK;
}

const NrLlRow nr_ll_vector_reduce_rows[] = {
    {"vector.reduction", emit_reduction},
    {0},
};
