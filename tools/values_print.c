/* values_print.c - values to text. */
#include "elements.h"
#include "values.h"

static NrAttr strings_attr(NrContext *ctx, const NoriaValue *v, NrType type) {
  int64_t count = noria_tensor_count(v);
  NrStr *strings = nr_calloc((size_t)count, sizeof *strings);
  for (int64_t i = 0; i < count; i++) strings[i].data = noria_tensor_string(v, i, &strings[i].size);
  NrAttr attr = nr_attr_dense_strings(type, strings, (size_t)count);
  nr_free(strings);
  return attr;
}

/* The text of a constant without its type, with bare also without `dense<` and the last `>`. */
static void put_inside(NrAttr dense, bool bare, NrBuf *out) {
  NrBuf text = {0};
  nr_print_attr_with(&text, dense, &(NrPrintOptions){.list_elements = true});
  NrStr inside = {text.data, text.size};
  NrBuf tail = {0};
  nr_buf_puts(&tail, "> : ");
  nr_print_type(&tail, dense->type);
  size_t skip = bare ? strlen("dense<") : 0;
  inside.data += skip;
  inside.size -= skip + tail.size;
  nr_buf_str(out, inside);
  if (!bare) nr_buf_putc(out, '>');
  nr_buf_deinit(&tail);
  nr_buf_deinit(&text);
}

/* A constant as a value of the given type, which may be a scalar. */
static void print_inside(NrAttr dense, NrType type, NrBuf *out) {
  put_inside(dense, nr_type_is_scalar(type), out);
  nr_buf_puts(out, " : ");
  nr_print_type(out, type);
}

static NrAttr elements_attr(const NoriaValue *v, const ElementKind *kind, NrType type) {
  NrBuf own = {0};
  int64_t count = noria_tensor_count(v) / NR_MAX(kind->carrier.words, 1);
  elements_unpack(kind, noria_tensor_data(v), count, &own);
  NrAttr attr = nr_attr_dense(type, own.data, own.size);
  nr_buf_deinit(&own);
  return attr;
}

/* Prints a scalar if the program's text declares one; a model's scalars are tensors of rank 0. */
static void print_tensor(NrContext *ctx, const NoriaValue *v, const Place *place, NrBuf *out) {
  ElementKind kind;
  if (!element_kind(ctx, place->type, noria_value_dtype(v), &kind)) return;
  size_t rank = (size_t)noria_tensor_rank(v) - (kind.carrier.words ? 1 : 0);
  NrType type = nr_type_tensor(noria_tensor_dims(v), rank, kind.type), declared = kind.declared;
  NrAttr attr = kind.type->kind == NR_TYPE_onnx_string ? strings_attr(ctx, v, type) : elements_attr(v, &kind, type);
  if (!declared) declared = type;
  else if (nr_type_is_shaped(declared) && declared->kind != NR_TYPE_VECTOR)
    declared = nr_type_tensor(type->dims, rank, declared->elem);
  bool is_number = nr_type_is_scalar(declared) && kind.type->kind != NR_TYPE_COMPLEX && attr->kind == NR_ATTR_DENSE;
  if (is_number && kind.type == declared) nr_print_attr(out, nr_attr_element(attr, 0));
  else print_inside(attr, declared, out);
}

/* "1.5" of a dense constant with this element alone. */
static void print_element(NrContext *ctx, const NoriaValue *v, int64_t i, NrBuf *out) {
  ElementKind kind;
  if (!element_kind(ctx, NULL, noria_value_dtype(v), &kind)) return;
  NrType type = nr_type_tensor(noria_tensor_dims(v), (size_t)noria_tensor_rank(v), kind.type);
  NrType one = nr_type_tensor(NULL, 0, kind.type);
  if (kind.type->kind == NR_TYPE_onnx_string) {
    NrStr text;
    text.data = noria_tensor_string(v, i, &text.size);
    put_inside(nr_attr_dense_strings(one, &text, 1), true, out);
    return;
  }
  NrAttr all = elements_attr(v, &kind, type);
  size_t size = nr_type_byte_size(kind.type);
  put_inside(nr_attr_dense(one, (const char *)all->data + (all->splat ? 0 : (size_t)i * size), size), true, out);
}

static void print_map(NrContext *ctx, const NoriaValue *map, NrBuf *out) {
  const NoriaValue *keys = noria_map_keys(map), *values = noria_map_values(map);
  nr_buf_putc(out, '{');
  for (int64_t i = 0; i < noria_tensor_count(keys); i++) {
    if (i) nr_buf_puts(out, ", ");
    print_element(ctx, keys, i, out);
    nr_buf_puts(out, ": ");
    print_element(ctx, values, i, out);
  }
  nr_buf_putc(out, '}');
}

void value_print(NrContext *ctx, const NoriaValue *v, const Place *place, NrBuf *out) {
  NoriaValueInfo info;
  Place item;
  switch (noria_value_kind(v)) {
  case NORIA_KIND_TENSOR: print_tensor(ctx, v, place, out); return;
  case NORIA_KIND_OPTIONAL:
    item = value_item_place(ctx, place, &info);
    if (noria_optional_item(v)) value_print(ctx, noria_optional_item(v), &item, out);
    else nr_buf_puts(out, "none");
    return;
  case NORIA_KIND_MAP: print_map(ctx, v, out); return;
  case NORIA_KIND_SEQUENCE:
    item = value_item_place(ctx, place, &info);
    nr_buf_putc(out, '[');
    for (int64_t i = 0; i < noria_sequence_length(v); i++) {
      if (i) nr_buf_puts(out, ", ");
      value_print(ctx, noria_sequence_at(v, i), &item, out);
    }
    nr_buf_putc(out, ']');
    return;
  }
}
