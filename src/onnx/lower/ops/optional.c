/* optional.c - optional values. Since opset 18 the ops accept plain values too. */
#include "dialect/onnx/dtype.h"
#include "onnx/lower/ops/sequence.h"

static NrValue *i32(NrLower *l, int64_t v) { return nr_lower_int(l, nr_type_i32(l->ctx), v); }

NrValue *nr_lower_nothing(NrLower *l, NrType type, NoriaDType dtype) {
  if (type->kind == NR_TYPE_onnx_seq) return nr_lower_call(l, "seq_empty", (NrValue *[]){i32(l, dtype)}, 1, type);
  return nr_lower_call(l, "optional_none", (NrValue *[]){i32(l, nr_type_kind(type->elem)), i32(l, dtype)}, 2, type);
}

/* The type of an item of which only the element type is declared: its rank is unknown, so it joins with any. */
static NrType open_item(NrType t) {
  if (t->kind == NR_TYPE_onnx_seq) return nr_type_seq(open_item(t->elem));
  return nr_type_is_tensor(t) && !nr_type_is_ranked(t) ? nr_type_none(t->ctx) : t;
}

NrStatus nr_lower_optional(NrLower *l) {
  NrValue *in = nr_lower_in(l, 0);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  if (in && in->type->kind == NR_TYPE_onnx_optional) return nr_lower_error(l, "the input is an optional already");
  if (in && in->type->kind == NR_TYPE_onnx_map) return nr_lower_error(l, "the input is a map");
  if (in) {
    bool is_sequence = in->type->kind == NR_TYPE_onnx_seq;
    NrValue *args[2] = {i32(l, dtype), in};
    NrType type = nr_type_optional(in->type);
    NrValue *some = is_sequence ? nr_lower_call(l, "optional_some_seq", &in, 1, type)
                                : nr_lower_call(l, "optional_some", args, 2, type);
    return nr_lower_out(l, 0, some, dtype);
  }
  NrAttr type = nr_lower_attr(l, "type");
  if (!type || type->kind != NR_ATTR_TYPE) return nr_lower_error(l, "an empty optional needs attribute 'type'");
  dtype = nr_dtype_of(type->type);
  NrType nothing = nr_type_optional(open_item(nr_type_lowered(type->type)));
  return nr_lower_out(l, 0, nr_lower_nothing(l, nothing, dtype), dtype);
}

NrStatus nr_lower_optional_has_element(NrLower *l) {
  NrValue *in = nr_lower_in(l, 0), *has;
  NrType i1 = nr_type_i1(l->ctx);
  if (in && in->type->kind == NR_TYPE_onnx_optional)
    has = nr_lower_call(l, "optional_has", &in, 1, i1);
  else
    has = nr_lower_int(l, i1, in != NULL);
  return nr_lower_out(l, 0, nr_lower_from_scalar(l, has), NORIA_BOOL);
}

NrStatus nr_lower_optional_get_element(NrLower *l) {
  NrValue *in = nr_lower_in(l, 0);
  NoriaDType dtype = nr_lower_dtype(l, 0);
  if (!in) return nr_lower_error(l, "the optional is missing");
  if (in->type->kind != NR_TYPE_onnx_optional) return nr_lower_out(l, 0, in, dtype);
  NrType item = in->type->elem;
  if (item->kind == NR_TYPE_onnx_seq)
    return nr_lower_out(l, 0, nr_lower_call_at_site(l, "optional_get_seq", &in, 1, item), dtype);
  return nr_lower_out(l, 0, nr_lower_item(l, item, 0, "optional_get", &in, 1), dtype);
}
