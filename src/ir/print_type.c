/* print_type.c - types as text. */
#include "ir/params.h"

static const char *const float_names[] = {
    [NR_F16] = "f16",
    [NR_BF16] = "bf16",
    [NR_F32] = "f32",
    [NR_F64] = "f64",
    [NR_TF32] = "tf32",
    [NR_F80] = "f80",
    [NR_F128] = "f128",
    [NR_F8E5M2] = "f8E5M2",
    [NR_F8E4M3] = "f8E4M3",
    [NR_F8E4M3FN] = "f8E4M3FN",
    [NR_F8E5M2FNUZ] = "f8E5M2FNUZ",
    [NR_F8E4M3FNUZ] = "f8E4M3FNUZ",
    [NR_F8E4M3B11FNUZ] = "f8E4M3B11FNUZ",
    [NR_F8E3M4] = "f8E3M4",
    [NR_F8E8M0FNU] = "f8E8M0FNU",
    [NR_F4E2M1FN] = "f4E2M1FN",
    [NR_F6E2M3FN] = "f6E2M3FN",
    [NR_F6E3M2FN] = "f6E3M2FN",
};

static void put_dims(NrPrinter *w, NrType t) {
  for (uint32_t i = 0; i < t->rank; i++) {
    bool scalable = t->kind == NR_TYPE_VECTOR && (t->scalable >> i & 1);
    if (scalable) nr_w_char(w, '[');
    if (t->dims[i] == NR_DYNAMIC) nr_w_char(w, '?');
    else nr_w_int(w, t->dims[i]);
    nr_w_puts(w, scalable ? "]x" : "x");
  }
}

static void put_list(NrPrinter *w, const NrType *types, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_type(w, types[i]);
  }
}

static void put_function(NrPrinter *w, NrType t) {
  nr_w_char(w, '(');
  put_list(w, t->inputs, t->num_inputs);
  nr_w_puts(w, ") -> ");
  bool bare = t->num_results == 1 && t->results[0]->kind != NR_TYPE_FUNCTION;
  if (!bare) nr_w_char(w, '(');
  put_list(w, t->results, t->num_results);
  if (!bare) nr_w_char(w, ')');
}

static void put_stride(NrPrinter *w, int64_t stride) {
  if (stride == NR_DYNAMIC) nr_w_char(w, '?');
  else nr_w_int(w, stride);
}

/* memref<..., offset: ?, strides: [?, 1]>, the 2020 syntax. */
static void put_legacy_strided(NrPrinter *w, NrAttr layout) {
  nr_w_puts(w, "offset: ");
  put_stride(w, layout->offset);
  nr_w_puts(w, ", strides: [");
  for (size_t i = 0; i < layout->num_strides; i++) {
    if (i) nr_w_puts(w, ", ");
    put_stride(w, layout->strides[i]);
  }
  nr_w_char(w, ']');
}

static void put_memref(NrPrinter *w, NrType t) {
  nr_w_puts(w, "memref<");
  if (t->kind == NR_TYPE_UNRANKED_MEMREF) nr_w_puts(w, "*x");
  else put_dims(w, t);
  nr_w_type(w, t->elem);
  if (t->layout) {
    nr_w_puts(w, ", ");
    if (t->layout->kind == NR_ATTR_STRIDED && nr_w_is_legacy(w)) put_legacy_strided(w, t->layout);
    else nr_w_attr(w, t->layout);
  }
  if (t->space) {
    nr_w_puts(w, ", ");
    nr_w_attr_elided(w, t->space, NR_TYPE_MAY_ELIDE);
  }
  nr_w_char(w, '>');
}

static void put_tensor(NrPrinter *w, NrType t) {
  nr_w_puts(w, "tensor<");
  if (t->kind == NR_TYPE_UNRANKED_TENSOR) nr_w_puts(w, "*x");
  else put_dims(w, t);
  nr_w_type(w, t->elem);
  if (t->layout) {
    nr_w_puts(w, ", ");
    nr_w_attr(w, t->layout);
  }
  nr_w_char(w, '>');
}

static void put_wrapped(NrPrinter *w, const char *open, NrType t) {
  nr_w_puts(w, open);
  nr_w_type(w, t);
  nr_w_char(w, '>');
}

static void put_integer(NrPrinter *w, NrType t) {
  static const char *const prefixes[] = {[NR_SIGNLESS] = "i", [NR_SIGNED] = "si", [NR_UNSIGNED] = "ui"};
  nr_w_puts(w, prefixes[t->signedness]);
  nr_w_uint(w, t->width);
}

void nr_w_type(NrPrinter *w, NrType t) {
  switch (t->kind) {
  case NR_TYPE_INTEGER: put_integer(w, t); break;
  case NR_TYPE_INDEX: nr_w_puts(w, "index"); break;
  case NR_TYPE_FLOAT: nr_w_puts(w, float_names[t->float_kind]); break;
  case NR_TYPE_COMPLEX: put_wrapped(w, "complex<", t->elem); break;
  case NR_TYPE_NONE: nr_w_puts(w, "none"); break;
  case NR_TYPE_TUPLE:
    nr_w_puts(w, "tuple<");
    put_list(w, t->inputs, t->num_inputs);
    nr_w_char(w, '>');
    break;
  case NR_TYPE_FUNCTION: put_function(w, t); break;
  case NR_TYPE_VECTOR:
    nr_w_puts(w, "vector<");
    put_dims(w, t);
    nr_w_type(w, t->elem);
    nr_w_char(w, '>');
    break;
  case NR_TYPE_TENSOR:
  case NR_TYPE_UNRANKED_TENSOR: put_tensor(w, t); break;
  case NR_TYPE_MEMREF:
  case NR_TYPE_UNRANKED_MEMREF: put_memref(w, t); break;
  case NR_TYPE_OPAQUE:
    nr_w_char(w, '!');
    nr_w_str(w, t->text);
    break;
  default:
    nr_w_char(w, '!');
    nr_w_str(w, nr_type_info_printed_name(w->ctx, t->info));
    nr_w_params(w, t->info, t->params);
    break;
  }
}

void nr_w_operand_types(NrPrinter *w, NrOp *op, size_t begin, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_type(w, nr_operand(op, begin + i)->type);
  }
}

void nr_w_result_types(NrPrinter *w, NrOp *op) {
  for (size_t i = 0; i < op->num_results; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_type(w, nr_result(op, i)->type);
  }
}

static void put_results(NrPrinter *w, NrOp *op) {
  bool bare = op->num_results == 1 && nr_result(op, 0)->type->kind != NR_TYPE_FUNCTION;
  if (!bare) nr_w_char(w, '(');
  nr_w_result_types(w, op);
  if (!bare) nr_w_char(w, ')');
}

void nr_w_arrow_results(NrPrinter *w, NrOp *op) {
  if (op->num_results == 0) return;
  nr_w_puts(w, " -> ");
  put_results(w, op);
}

void nr_w_functional_type(NrPrinter *w, NrOp *op) {
  nr_w_char(w, '(');
  nr_w_operand_types(w, op, 0, op->num_operands);
  nr_w_puts(w, ") -> ");
  put_results(w, op);
}

void nr_print_type(NrBuf *out, NrType type) {
  NrPrinter w;
  nr_printer_init(&w, type->ctx, out, NULL);
  nr_w_type(&w, type);
  nr_printer_deinit(&w);
}

const char *nr_type_text(NrContext *ctx, NrType type) {
  NrBuf text = {0};
  nr_print_type(&text, type);
  const char *copy = nr_str_copy(nr_context_arena(ctx), (NrStr){text.data, text.size}).data;
  nr_buf_deinit(&text);
  return copy;
}
