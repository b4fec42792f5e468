/* verify.c - verifies that a node's attributes exist in its version of the op. */
#include "dialect/onnx/attrs.h"

static const char *const kind_words[] = {
    [NR_VERSIONED_INT] = "an integer",
    [NR_VERSIONED_FLOAT] = "a float",
    [NR_VERSIONED_STRING] = "a string",
    [NR_VERSIONED_TENSOR] = "a tensor",
    [NR_VERSIONED_SPARSE_TENSOR] = "a sparse tensor",
    [NR_VERSIONED_TYPE] = "a type",
    [NR_VERSIONED_INTS] = "a list of integers",
    [NR_VERSIONED_FLOATS] = "a list of floats",
    [NR_VERSIONED_STRINGS] = "a list of strings",
    [NR_VERSIONED_GRAPH] = "a graph",
};

/* The kind of an attribute; 0 for kinds that no ONNX op takes. The importer has converted sparse tensors to dense
 * ones. */
static NrVersionedKind kind_of(NrAttr a) {
  switch (a->kind) {
  case NR_ATTR_INTEGER: return NR_VERSIONED_INT;
  case NR_ATTR_FLOAT: return NR_VERSIONED_FLOAT;
  case NR_ATTR_STRING: return NR_VERSIONED_STRING;
  case NR_ATTR_TYPE: return NR_VERSIONED_TYPE;
  case NR_ATTR_DENSE:
  case NR_ATTR_DENSE_STRINGS:
  case NR_ATTR_RESOURCE: return NR_VERSIONED_TENSOR;
  case NR_ATTR_DENSE_ARRAY:
    return nr_type_is_int_width(a->type, 64)           ? NR_VERSIONED_INTS
           : nr_type_is_float_kind(a->type, NR_F32) ? NR_VERSIONED_FLOATS
                                                       : 0;
  case NR_ATTR_ARRAY:
    for (size_t i = 0; i < a->size; i++)
      if (a->items[i]->kind != NR_ATTR_STRING) return 0;
    return NR_VERSIONED_STRINGS;
  default: return 0;
  }
}

NrStatus nr_onnx_op_error(NrOp *op, const char *text) {
  if (op->loc->kind != NR_LOC_NAME) nr_op_error(op, "%s", text);
  else nr_error(nr_op_context(op), op->loc, "node '%.*s' (%s): %s", NR_STR_ARG(op->loc->name), op->info->name, text);
  return NR_ERROR_INVALID;
}

static NrStatus report(NrOp *op, NrBuf *text) {
  NrStatus status = nr_onnx_op_error(op, text->data);
  nr_buf_deinit(text);
  return status;
}

/* The kind that the op's version requires for the attribute; 0 when it has no such attribute. */
static NrVersionedKind wanted_kind(NrOp *op, NrStr name) {
  const NrVersionedAttr *row = nr_onnx_attr_at(op->info, name, nr_onnx_version(op));
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  for (size_t i = 0; i < spec->num_regions && !row; i++)
    if (nr_str_eq(spec->regions[i].name, name)) return NR_VERSIONED_GRAPH;
  return row ? row->kind : 0;
}

static NrStatus unknown_attr(NrOp *op, NrStr name) {
  NrBuf text = {0};
  NrNearest nearest = nr_nearest(name);
  int64_t version = nr_onnx_version(op);
  const NrVersionedAttr *other = NULL;
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  for (size_t i = 0; i < spec->num_regions; i++) nr_nearest_try(&nearest, spec->regions[i].name);
  for (const NrVersionedAttr *a = op->info->versioned_attrs; a && a->name; a++) {
    if (nr_str_is(name, a->name)) other = a;
    else if (nr_onnx_attr_at(op->info, nr_str(a->name), version)) nr_nearest_try(&nearest, nr_str(a->name));
  }
  nr_buf_printf(&text, "there is no attribute '%.*s' in operator set %lld", NR_STR_ARG(name), (long long)version);
  if (other && version < other->since) nr_buf_printf(&text, ", only since %d", other->since);
  else if (other) nr_buf_printf(&text, ", only before %d", other->until);
  else nr_buf_printf(&text, NR_HINT, NR_HINT_ARG(nearest));
  return report(op, &text);
}

NrStatus nr_onnx_check_attr(NrOp *op, NrStr name, NrVersionedKind kind) {
  NrVersionedKind wanted = wanted_kind(op, name);
  if (!wanted) return unknown_attr(op, name);
  if (kind == (wanted == NR_VERSIONED_SPARSE_TENSOR ? NR_VERSIONED_TENSOR : wanted)) return NR_OK;
  NrBuf text = {0};
  nr_buf_printf(&text, "attribute '%.*s' must be %s", NR_STR_ARG(name), kind_words[wanted]);
  if (kind) nr_buf_printf(&text, ", not %s", kind_words[kind]);
  return report(op, &text);
}

NrStatus nr_onnx_missing_attr(NrOp *op, NrStr name) {
  NrBuf text = {0};
  nr_buf_printf(&text, "attribute '%.*s' is missing; it must be %s", NR_STR_ARG(name),
                kind_words[wanted_kind(op, name)]);
  return report(op, &text);
}

/* Whether the attribute is not the node's own: noria.opset, which the importer sets, another dialect's, or an extension
 * that ONNX allows. */
static bool is_foreign(NrStr name) { return nr_str_starts(name, "__") || memchr(name.data, '.', name.size); }

NrStatus nr_onnx_verify(NrOp *op) {
  int64_t version = nr_onnx_version(op);
  NrStatus status = NR_OK;
  for (uint32_t i = 0; i < op->num_attrs; i++) {
    const NrNamedAttr *a = &op->attrs[i];
    if (!is_foreign(a->name) && nr_onnx_check_attr(op, a->name, kind_of(a->value))) status = NR_ERROR_INVALID;
  }
  for (const NrVersionedAttr *a = op->info->versioned_attrs; a && a->name; a++)
    if (a->required && nr_onnx_attr_at(op->info, nr_str(a->name), version) == a && !nr_op_attr_named(op, a->name))
      status = nr_onnx_missing_attr(op, nr_str(a->name));
  return status;
}
