/* inputs.c - the inputs of an op against the text of its row: how many, of which kind, with which element types.
 */
#include "onnx/lower/core/inputs.h"

#include "onnx/lower/core/lower.h"

bool nr_lower_next_input(const char **text, NrLowerInput *out) {
  if (!**text) return false;
  size_t size = strcspn(*text, ","), used = strcspn(*text, ":?+*,");
  *out = (NrLowerInput){.what = {*text, used}};
  for (; used < size; used++) {
    char c = (*text)[used];
    if (c == ':')
      out->same = (*text)[++used];
    else if (c == '?' || c == '+' || c == '*')
      out->repeat = c;
  }
  *text += size;
  *text += strspn(*text, ", ");
  return true;
}

static bool dtype_is(NoriaDType t, NrStr s) {
  if (nr_str_is(s, "any")) return true;
  if (nr_str_is(s, "float")) return nr_dtype_is_float(t);
  if (nr_str_is(s, "int")) return nr_dtype_is_int(t);
  if (nr_str_is(s, "num")) return nr_dtype_is_float(t) || nr_dtype_is_int(t);
  if (nr_str_is(s, "complex") || nr_str_is(s, "parts")) return nr_dtype_is_complex(t);
  if (nr_str_is(s, "byte")) return t == NORIA_I8 || t == NORIA_U8;
  return nr_str_is(s, nr_dtype_name(t));
}

static const char *kind_name(NrType type) {
  if (type->kind == NR_TYPE_onnx_seq) return "a sequence";
  if (type->kind == NR_TYPE_onnx_map) return "a map";
  return type->kind == NR_TYPE_onnx_optional ? "an optional" : "a tensor";
}

bool nr_lower_input_takes(const NrLowerInput *in, NoriaDType dtype) {
  for (size_t at = 0; at < in->what.size;) {
    size_t size = 0;
    while (at + size < in->what.size && in->what.data[at + size] != '|') size++;
    if (dtype_is(dtype, (NrStr){in->what.data + at, size})) return true;
    at += size + 1;
  }
  return false;
}

/* Whether input i is what the part says. */
static bool fits(NrLower *l, const NrLowerInput *in, size_t i) {
  NrType type = nr_lower_in(l, i)->type;
  NrStr what = in->what;
  if (nr_str_is(what, "value")) return true;
  if (nr_str_is(what, "seq")) return type->kind == NR_TYPE_onnx_seq;
  if (nr_str_is(what, "map")) return type->kind == NR_TYPE_onnx_map;
  if (nr_str_is(what, "optional")) return type->kind == NR_TYPE_onnx_optional;
  return type->kind == NR_TYPE_TENSOR && nr_lower_input_takes(in, nr_lower_dtype(l, i));
}

/* "int8 or uint8" for "byte", "float or bool" for "float|bool". */
static NrStatus wrong_input(NrLower *l, const NrLowerInput *in, size_t i, const char *have) {
  NrBuf wanted = {0};
  for (size_t at = 0; at < in->what.size; at++)
    if (in->what.data[at] == '|') nr_buf_puts(&wanted, " or ");
    else nr_buf_putc(&wanted, in->what.data[at]);
  bool is_byte = nr_str_is(in->what, "byte");
  NrStatus status = nr_lower_error(l, "input %zu is %s, not %s", i, have, is_byte ? "int8 or uint8" : wanted.data);
  nr_buf_deinit(&wanted);
  return status;
}

static NrStatus check_input(NrLower *l, const NrLowerInput *in, size_t i) {
  NrValue *value = nr_lower_in(l, i);
  if (!value && in->repeat == '?') return NR_OK;
  if (!value) return nr_lower_error(l, "input %zu is missing", i);
  if (fits(l, in, i)) return NR_OK;
  const char *have = value->type->kind == NR_TYPE_TENSOR ? nr_dtype_name(nr_lower_dtype(l, i)) : kind_name(value->type);
  return wrong_input(l, in, i, have);
}

NrStatus nr_lower_check_inputs(NrLower *l, const NrLowerRow *row) {
  const char *text = row->inputs;
  size_t count = nr_lower_num_in(l), i = 0, first[128] = {0}; /* by letter: the first input with it, + 1 */
  NrLowerInput in;
  NrStatus status = NR_OK;
  while (!status && nr_lower_next_input(&text, &in)) {
    bool many = in.repeat == '+' || in.repeat == '*';
    size_t end = many ? NR_MAX(count, i + (in.repeat == '+')) : i + 1;
    for (; i < end && !status; i++) {
      status = check_input(l, &in, i);
      if (status || !in.same || !nr_lower_in(l, i)) continue;
      size_t *other = &first[in.same & 127];
      if (!*other) *other = i + 1;
      NoriaDType a = nr_lower_dtype(l, *other - 1), b = nr_lower_dtype(l, i);
      if (a != b)
        status = nr_lower_error(l, "inputs %zu and %zu are %s and %s; they must be of one type", *other - 1, i,
                                nr_dtype_name(a), nr_dtype_name(b));
    }
  }
  if (!status && i < count) status = nr_lower_error(l, "has %zu inputs; the op takes %zu", count, i);
  return status;
}
