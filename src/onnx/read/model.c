/* model.c - look-ups in a model, and the list of errors that reading one collects. */
#include "base/dtype.h"
#include "onnx/read/reader.h"

/* ---- element types ---------------------------------------------------------------------------------------------- */

/* Strings are not in the array of elements: NrOnnxTensor.strings has them. */
size_t nr_onnx_dtype_size(NoriaDType dtype) { return dtype == NORIA_STRING ? 0 : nr_dtype_info(dtype)->size; }

bool nr_onnx_tensor_int(const NrOnnxTensor *tensor, size_t i, int64_t *out) {
  size_t size = nr_onnx_dtype_size(tensor->dtype);
  if (i >= tensor->count || !size) return false;
  const char *p = (const char *)tensor->data + i * size;
#define LOAD(Type)                                                                                                     \
  do {                                                                                                                 \
    Type value;                                                                                                        \
    memcpy(&value, p, sizeof value);                                                                                   \
    *out = (int64_t)value;                                                                                             \
    return true;                                                                                                       \
  } while (0)
  switch (tensor->dtype) {
  case NORIA_I8:
  case NORIA_I4:
  case NORIA_I2: LOAD(int8_t);
  case NORIA_U8:
  case NORIA_U4:
  case NORIA_U2:
  case NORIA_BOOL: LOAD(uint8_t);
  case NORIA_I16: LOAD(int16_t);
  case NORIA_U16: LOAD(uint16_t);
  case NORIA_I32: LOAD(int32_t);
  case NORIA_U32: LOAD(uint32_t);
  case NORIA_I64: LOAD(int64_t);
  case NORIA_U64: {
    uint64_t value;
    memcpy(&value, p, sizeof value);
    if (value > INT64_MAX) return false;
    *out = (int64_t)value;
    return true;
  }
  default: return false;
  }
#undef LOAD
}

/* ---- nodes, opsets, functions ------------------------------------------------------------------------------------ */

static NrStr plain_domain(NrStr domain) { return nr_str_is(domain, "ai.onnx") ? NR_STR("") : domain; }

int64_t nr_onnx_opset_version(const NrOnnxModel *model, const NrOnnxFunction *function, NrStr domain) {
  const NrOnnxOpset *opsets = function ? function->opsets : model->opsets;
  size_t count = function ? function->num_opsets : model->num_opsets;
  domain = plain_domain(domain);
  for (size_t i = 0; i < count; i++)
    if (nr_str_eq(opsets[i].domain, domain)) return opsets[i].version;
  return 0;
}

const NrOnnxFunction *nr_onnx_find_function(const NrOnnxModel *model, const NrOnnxNode *node) {
  const NrOnnxFunction *f = nr_strmap_get(&model->functions_by_name, node->op_type);
  while (f && !(nr_str_eq(f->domain, node->domain) && nr_str_eq(f->overload, node->overload))) f = f->next_same_name;
  return f;
}

const NrOnnxAttr *nr_onnx_attr(const NrOnnxNode *node, const char *name) {
  for (size_t i = 0; i < node->num_attrs; i++)
    if (nr_str_is(node->attrs[i].name, name)) return &node->attrs[i];
  return NULL;
}

int64_t nr_onnx_attr_int(const NrOnnxNode *node, const char *name, int64_t fallback) {
  const NrOnnxAttr *attr = nr_onnx_attr(node, name);
  return attr && attr->type == NR_ONNX_ATTR_INT ? attr->i : fallback;
}

float nr_onnx_attr_float(const NrOnnxNode *node, const char *name, float fallback) {
  const NrOnnxAttr *attr = nr_onnx_attr(node, name);
  return attr && attr->type == NR_ONNX_ATTR_FLOAT ? attr->f : fallback;
}

NrStr nr_onnx_attr_string(const NrOnnxNode *node, const char *name, const char *fallback) {
  const NrOnnxAttr *attr = nr_onnx_attr(node, name);
  return attr && attr->type == NR_ONNX_ATTR_STRING ? attr->s : nr_str(fallback);
}

NrStr nr_onnx_input(const NrOnnxNode *node, size_t i) { return i < node->num_inputs ? node->inputs[i] : NR_STR(""); }
NrStr nr_onnx_output(const NrOnnxNode *node, size_t i) { return i < node->num_outputs ? node->outputs[i] : NR_STR(""); }

/* ---- errors ----------------------------------------------------------------------------------------------------- */

void nr_onnx_node_label(NrBuf *out, const NrOnnxNode *node) {
  NrStr name = node->name;
  for (size_t i = 0; i < node->num_outputs && !name.size; i++) name = node->outputs[i];
  nr_buf_printf(out, "node '%.*s' (", NR_STR_ARG(name));
  if (node->domain.size) nr_buf_printf(out, "%.*s.", NR_STR_ARG(node->domain));
  nr_buf_printf(out, "%.*s)", NR_STR_ARG(node->op_type));
}

/* "function 'f': node 'loop' (Loop), attribute 'body': node 'n' (Add): ", outermost first. */
static void print_place(NrBuf *out, const NrOnnxPlace *place) {
  if (!place) return;
  print_place(out, place->outer);
  if (place->function) {
    const NrOnnxFunction *f = place->function;
    nr_buf_printf(out, "function '%.*s%s%.*s': ", NR_STR_ARG(f->domain), f->domain.size ? "." : "",
                  NR_STR_ARG(f->name));
  }
  if (place->node) nr_onnx_node_label(out, place->node);
  if (place->attr.size) nr_buf_printf(out, "%sattribute '%.*s'", place->node ? ", " : "", NR_STR_ARG(place->attr));
  if (place->node || place->attr.size) nr_buf_puts(out, ": ");
}

void nr_onnx_error(NrOnnxErrors *errors, NrStatus status, const NrOnnxPlace *place, const char *format, ...) {
  if (errors->count++ == 0) errors->status = status;
  if (!errors->text || errors->count > NR_ONNX_MAX_ERRORS) return;
  NrBuf line = {0};
  print_place(&line, place);
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&line, format, args);
  va_end(args);
  if (errors->text->size) nr_buf_putc(errors->text, '\n');
  for (size_t i = 0; i < line.size; i++) {
    unsigned char c = (unsigned char)line.data[i];
    if (c < 0x20 || c == 0x7f) nr_buf_printf(errors->text, "\\x%02x", c);
    else nr_buf_putc(errors->text, (char)c);
  }
  nr_buf_deinit(&line);
}

void nr_onnx_errors_finish(NrOnnxErrors *errors) {
  if (errors->text && errors->count > NR_ONNX_MAX_ERRORS)
    nr_buf_printf(errors->text, "\n... and %zu more errors", errors->count - NR_ONNX_MAX_ERRORS);
}
