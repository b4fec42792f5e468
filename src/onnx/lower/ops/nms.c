/* nms.c - NonMaxSuppression, by the kernel lib/nms.mlir. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/core/kernel.h"
#include "onnx/lower/ops/data.h"

static bool takes(NrLower *l, size_t i, const char *name, NoriaDType dtype) {
  if (!nr_lower_in(l, i) || nr_lower_dtype(l, i) == dtype) return true;
  nr_lower_error(l, "%s has elements of type %s, not %s", name, nr_dtype_name(nr_lower_dtype(l, i)),
                 nr_dtype_name(dtype));
  return false;
}

/* Input i, a scalar, or zero where it is left out. */
static NrValue *scalar_or_zero(NrLower *l, size_t i, NrType type) {
  NrValue *in = nr_lower_in(l, i);
  return in ? nr_lower_scalar(l, in) : nr_lower_constant(l, type, 0);
}

NrStatus nr_lower_nms(NrLower *l) {
  static const char *const names[] = {"boxes", "scores", "max_output_boxes_per_class", "iou_threshold",
                                      "score_threshold"};
  static const NoriaDType dtypes[] = {NORIA_F32, NORIA_F32, NORIA_I64, NORIA_F32, NORIA_F32};
  for (size_t i = 0; i < 5; i++)
    if (!takes(l, i, names[i], dtypes[i])) return NR_ERROR_INVALID;
  int64_t centre = nr_lower_attr_int(l, "center_point_box");
  if (centre != 0 && centre != 1) return nr_lower_error(l, "center_point_box is %lld, not 0 or 1", (long long)centre);
  NrValue *boxes = nr_lower_in(l, 0), *scores = nr_lower_in(l, 1);
  if (!nr_lower_expect_rank(l, names[0], boxes, 3) || !nr_lower_expect_rank(l, names[1], scores, 3) ||
      !nr_lower_expect_dim(l, names[0], boxes, 2, nr_dim(4)) ||
      !nr_lower_expect_dim(l, names[1], scores, 0, nr_lower_dim(l, boxes, 0)) ||
      !nr_lower_expect_dim(l, names[1], scores, 2, nr_lower_dim(l, boxes, 1)))
    return NR_ERROR_INVALID;

  NrType f32 = nr_type_f32(l->ctx);
  NrDim n = nr_lower_dim(l, scores, 2);
  NrValue *count = nr_dim_value(l, n);
  nr_lower_check(l, nr_lower_cmpi(l, NR_CMPI_ULE, count, nr_lower_index(l, UINT32_MAX)),
                 "%0 boxes in a batch are more than 4294967295", &count, 1);
  NrDim limit = nr_dim_of_index(nr_lower_as_index(l, scalar_or_zero(l, 2, nr_type_i64(l->ctx))));
  limit = nr_dim_clamp(l, limit, nr_dim(0), n);
  NrValue *share = scalar_or_zero(l, 3, f32), *least = scalar_or_zero(l, 4, f32);
  NrValue *in_range = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, share, num(l, share, 0)),
                           nr_lower_cmpf(l, NR_CMPF_OLE, share, num(l, share, 1)));
  nr_lower_check(l, in_range, "iou_threshold is not from 0 to 1", NULL, 0);
  NrValue *any_score = nr_lower_int(l, nr_type_i1(l->ctx), nr_lower_in(l, 4) == NULL);

  NrBuf prelude = {0};
  nr_kernel_nms_prelude(&prelude, centre == 1);
  NrValue *args[] = {boxes, scores, nr_dim_value(l, limit), share, least, any_score}, *result;
  NrStatus status = nr_lower_kernel(l, "nms", (NrStr){prelude.data, prelude.size}, args, 6, &result, 1);
  nr_buf_deinit(&prelude);
  return status ? status : nr_lower_out(l, 0, result, NORIA_I64);
}
