/* mel.c - MelWeightMatrix: triangular filters on the mel scale, computed in f64. */
#include "onnx/lower/core/body.h"
#include "onnx/lower/ops/data.h"
#include "onnx/lower/ops/resample.h"

static NrValue *to_f64(NrLower *l, NrValue *x, NoriaDType dtype) { return nr_lower_cast(l, x, dtype, NORIA_F64, true); }

typedef struct Mel {
  NrValue *length, *rate, *low, *step; /* f64 */
  NrValue *edges;
  NoriaDType dtype;
} Mel;

/* 2595 * log10(1 + hertz / 700) */
static NrValue *mel_of(NrLower *l, NrValue *hertz) {
  NrValue *log = same1(l, NR_OP_math_log1p, divf(l, hertz, num(l, hertz, 700)));
  return divf(l, mul(l, num(l, hertz, 2595), log), num(l, hertz, 0x1.26bb1bbb55516p+1)); /* log(10) */
}

/* The bin of the spectrum in which edge i of the filters is. */
static NrValue *edge_body(NrLower *l, NrValue *const *at, void *user) {
  const Mel *m = user;
  NrValue *i = nr_lower_index_to_float(l, at[0], nr_type_f64(l->ctx));
  NrValue *mel = add(l, mul(l, i, m->step), m->low);
  NrValue *power = mul(l, divf(l, mel, num(l, mel, 2595)), num(l, mel, 0x1.26bb1bbb55516p+1));
  NrValue *hertz = mul(l, num(l, mel, 700), same1(l, NR_OP_math_expm1, power));
  NrValue *bin = divf(l, mul(l, add(l, m->length, num(l, mel, 1)), hertz), m->rate);
  bin = nr_lower_clamp_float(l, same1(l, NR_OP_math_floor, bin), num(l, bin, -0x1p40), num(l, bin, 0x1p40));
  return nr_lower_op1(l, NR_OP_arith_fptosi, nr_type_i64(l->ctx), bin);
}

/* A triangle between edges i, i + 1 and i + 2; 1 in the middle. */
static NrValue *mel_body(NrLower *l, NrValue *const *at, void *user) {
  const Mel *m = user;
  NrType f64 = nr_type_f64(l->ctx);
  NrValue *edges[3], *row = nr_lower_index_to_float(l, at[0], f64);
  for (int64_t k = 0; k < 3; k++) {
    NrValue *place = add(l, at[1], nr_lower_index(l, k));
    edges[k] = nr_lower_op1(l, NR_OP_arith_sitofp, f64, nr_lower_extract(l, m->edges, &place, 1));
  }
  NrValue *zero = num(l, row, 0), *one = num(l, row, 1);
  NrValue *rise = sub(l, edges[1], edges[0]), *fall = sub(l, edges[2], edges[1]);
  NrValue *up =
      divf(l, sub(l, row, edges[0]), nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, rise, zero), rise, one));
  NrValue *down =
      divf(l, sub(l, edges[2], row), nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OGT, fall, zero), fall, one));
  NrValue *rises = both(l, nr_lower_cmpf(l, NR_CMPF_OGE, row, edges[0]), nr_lower_cmpf(l, NR_CMPF_OLT, row, edges[1]));
  NrValue *falls = both(l, nr_lower_cmpf(l, NR_CMPF_OGT, row, edges[1]), nr_lower_cmpf(l, NR_CMPF_OLT, row, edges[2]));
  NrValue *y = nr_lower_select(l, falls, down, nr_lower_select(l, rises, up, zero));
  y = nr_lower_select(l, nr_lower_cmpf(l, NR_CMPF_OEQ, row, edges[1]), one, y);
  return nr_lower_cast(l, y, NORIA_F64, m->dtype, true);
}

NrStatus nr_lower_mel_weight_matrix(NrLower *l) {
  Mel m = {.dtype = (NoriaDType)nr_lower_attr_int(l, "output_datatype")};
  NrType elem = nr_lower_elem_type(l->ctx, m.dtype), f64 = nr_type_f64(l->ctx);
  if (!elem || !(nr_dtype_is_float(m.dtype) || nr_dtype_is_int(m.dtype)))
    return nr_lower_error(l, "output_datatype %d is no type of numbers", (int)m.dtype);
  NrDim bins, length, rate;
  if (!nr_lower_size_input(l, 0, "num_mel_bins", 0, &bins) || !nr_lower_size_input(l, 1, "dft_length", 0, &length) ||
      !nr_lower_size_input(l, 2, "sample_rate", 1, &rate))
    return NR_ERROR_INVALID;
  NrValue *mels[2];
  for (size_t i = 0; i < 2; i++)
    mels[i] = mel_of(l, to_f64(l, nr_lower_scalar(l, nr_lower_in(l, 3 + i)), nr_lower_dtype(l, 3 + i)));
  NrDim edges = nr_dim_add(l, bins, nr_dim(2));
  m.low = mels[0];
  m.step = divf(l, sub(l, mels[1], mels[0]), nr_lower_index_to_float(l, nr_dim_value(l, edges), f64));
  m.length = nr_lower_index_to_float(l, nr_dim_value(l, length), f64);
  m.rate = nr_lower_index_to_float(l, nr_dim_value(l, rate), f64);
  m.edges = nr_lower_generate(l, &(NrShape){1, {edges}}, nr_type_i64(l->ctx), edge_body, &m);
  NrShape out = {2, {nr_dim_add(l, nr_dim_div(l, length, nr_dim(2)), nr_dim(1)), bins}};
  return nr_lower_out(l, 0, nr_lower_generate(l, &out, elem, mel_body, &m), m.dtype);
}
