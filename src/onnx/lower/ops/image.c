/* image.c - ImageDecoder: a call of the runtime (src/runtime/imports_image.c). */
#include "onnx/lower/ops/sequence.h"

NrStatus nr_lower_image_decoder(NrLower *l) {
  static const char *const formats[] = {"RGB", "BGR", "Grayscale"}; /* as the runtime numbers them */
  NrValue *file = nr_lower_in(l, 0);
  NrStr format = nr_lower_attr_str(l, "pixel_format");
  size_t number = 0;
  while (number < NR_COUNTOF(formats) && !nr_str_is(format, formats[number])) number++;
  if (number == NR_COUNTOF(formats))
    return nr_lower_error(l, "pixel_format is '%.*s', not RGB, BGR or Grayscale", NR_STR_ARG(format));
  if (nr_lower_dtype(l, 0) != NORIA_U8)
    return nr_lower_error(l, "input 0 is %s, not uint8", nr_dtype_name(nr_lower_dtype(l, 0)));
  if (nr_rank(file) != 1) return nr_lower_error(l, "input 0 has rank %u, not 1", nr_rank(file));
  NrType elem = nr_lower_elem_type(l->ctx, NORIA_U8);
  NrType type = nr_type_tensor((int64_t[]){NR_DYNAMIC, NR_DYNAMIC, number == 2 ? 1 : 3}, 3, elem);
  NrValue *args[2] = {nr_lower_int(l, nr_type_i32(l->ctx), (int64_t)number), file};
  return nr_lower_out(l, 0, nr_lower_call_at_site(l, "image_decode", args, 2, type), NORIA_U8);
}
