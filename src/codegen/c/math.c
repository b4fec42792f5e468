/* math.c - functions of math.h. */
#include "codegen/c/c.h"

static bool is_f32(NrType type) { return nr_type_is_float_kind(type, NR_F32); }

static const char *call(NrC *g, NrOp *op, const char *name, const char *const *args) {
  NrType type = nr_type_elem(nr_op_result(op)->type);
  if (!is_f32(type) && !nr_type_is_float_kind(type, NR_F64)) return NULL;
  NrBuf text = {0};
  nr_buf_printf(&text, "%s%s(", name, is_f32(type) ? "f" : "");
  for (uint32_t i = 0; i < op->num_operands; i++) nr_buf_printf(&text, i ? ", %s" : "%s", args[i]);
  const char *out = nr_c_text(g, "%s)", text.data);
  nr_buf_deinit(&text);
  return out;
}

static const char *lane_function(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  return call(g, op, row->text, args);
}

static const char *lane_libm(NrC *g, NrOp *op, const NrCRow *row, const char *const *args) {
  NrStr name = nr_op_attr_str(op, NR_A_name);
  size_t size = name.size - is_f32(nr_type_elem(nr_op_result(op)->type));
  return call(g, op, nr_c_text(g, "%.*s", (int)size, name.data), args);
}

/* In the usual rounding mode, nearbyint rounds to even. */
const NrCRow nr_c_math_rows[] = {
    {"arith.remf", .lane = lane_function, .text = "fmod"},
    {"math.absf", .lane = lane_function, .text = "fabs"},
    {"math.ceil", .lane = lane_function, .text = "ceil"},
    {"math.copysign", .lane = lane_function, .text = "copysign"},
    {"math.floor", .lane = lane_function, .text = "floor"},
    {"math.fma", .lane = lane_function, .text = "fma"},
    {"math.powf", .lane = lane_function, .text = "pow"},
    {"math.round", .lane = lane_function, .text = "round"},
    {"math.roundeven", .lane = lane_function, .text = "nearbyint"},
    {"math.sqrt", .lane = lane_function, .text = "sqrt"},
    {"math.trunc", .lane = lane_function, .text = "trunc"},
    {"rt.libm", .lane = lane_libm},
    {0},
};
