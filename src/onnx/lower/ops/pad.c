/* pad.c - Pad and CenterCropPad. */
#include "onnx/lower/ops/data.h"
#include "onnx/lower/core/state.h"

typedef enum Mode { REFLECT, EDGE, WRAP } Mode;

typedef struct Pads {
  NrDim low[NORIA_MAX_RANK], high[NORIA_MAX_RANK]; /* negative: elements to drop */
} Pads;

/* The effect of pads on the dims: first drop elements, then add others. */
typedef struct Parts {
  NrShape kept, shape;                              /* the kept part of x; the result */
  NrDim offsets[NORIA_MAX_RANK];                    /* where the kept part begins in x */
  NrDim low[NORIA_MAX_RANK], high[NORIA_MAX_RANK]; /* elements to add */
} Parts;

static NrDim minus(NrLower *l, NrDim d) { return nr_dim_sub(l, nr_dim(0), d); }
static NrDim positive(NrLower *l, NrDim d) { return nr_dim_max(l, d, nr_dim(0)); }

typedef enum Wrong { TAKES_TOO_MUCH, TOO_LARGE } Wrong;

/* Checks least <= value for the pads low and high of a dim d: an error now if all are constant, else a check in the
 * run. */
static bool holds(NrLower *l, NrDim least, NrDim value, Wrong wrong, const NrDim *low_high_d) {
  static const char *const texts[] = {"pads of %s and %s take away more than the %s elements of a dim",
                                      "pads of %s and %s make a dim of %s too large"};
  const char *words[3];
  NrValue *values[3], *cond = nr_lower_cmpi(l, NR_CMPI_SLE, nr_dim_value(l, least), nr_dim_value(l, value));
  int64_t number;
  bool known = nr_value_constant_int(cond, &number) && !number;
  for (size_t i = 0; i < 3; i++) {
    values[i] = nr_dim_value(l, low_high_d[i]);
    known &= nr_value_constant_int(values[i], &number);
    words[i] = nr_arena_printf(&l->state->arena, "%lld", (long long)number);
  }
  for (size_t i = 0; i < 3 && !known; i++) words[i] = nr_arena_printf(&l->state->arena, "%%%zu", i);
  const char *text = nr_arena_printf(&l->state->arena, texts[wrong], words[0], words[1], words[2]);
  if (known) return nr_lower_error(l, "%s", text), false;
  nr_lower_check(l, cond, text, values, 3);
  return true;
}

/* Nothing overflows: a dim d is not negative, so -d fits, and a pad of at least -d can be negated. */
static bool part_dim(NrLower *l, const Pads *pads, size_t i, NrDim d, Parts *out) {
  NrDim low = pads->low[i], high = pads->high[i], of[3] = {low, high, d}, none = minus(l, d), max = nr_dim(INT64_MAX);
  NrDim gone_low = positive(l, minus(l, low)), gone_high = positive(l, minus(l, high));
  if (!holds(l, none, low, TAKES_TOO_MUCH, of) || !holds(l, none, high, TAKES_TOO_MUCH, of)) return false;
  NrDim rest = nr_dim_sub(l, d, gone_low);
  if (!holds(l, gone_high, rest, TAKES_TOO_MUCH, of)) return false;
  out->offsets[i] = gone_low;
  out->kept.dims[i] = nr_dim_sub(l, rest, gone_high);
  out->low[i] = positive(l, low);
  out->high[i] = positive(l, high);
  NrDim room = nr_dim_sub(l, max, out->kept.dims[i]);
  if (!holds(l, out->low[i], room, TOO_LARGE, of)) return false;
  if (!holds(l, out->high[i], nr_dim_sub(l, room, out->low[i]), TOO_LARGE, of)) return false;
  out->shape.dims[i] = nr_dim_add(l, nr_dim_add(l, out->kept.dims[i], out->low[i]), out->high[i]);
  return true;
}

/* The kept part of x. NULL after an error. */
static NrValue *part(NrLower *l, NrValue *x, const Pads *pads, Parts *out) {
  NrShape from = nr_lower_shape(l, x);
  out->kept.rank = out->shape.rank = from.rank;
  for (size_t i = 0; i < from.rank; i++)
    if (!part_dim(l, pads, i, from.dims[i], out)) return NULL;
  return nr_lower_slice(l, x, out->offsets, out->kept.dims, NULL);
}

/* Constant mode: fills the result and inserts the kept part of x. */
static NrValue *pad_constant(NrLower *l, NrValue *x, const Pads *pads, NrValue *value) {
  Parts parts;
  NrValue *inner = part(l, x, pads, &parts);
  if (!inner) return NULL;
  bool same = true;
  for (size_t i = 0; i < parts.shape.rank && same; i++) same = nr_dim_same(parts.shape.dims[i], parts.kept.dims[i]);
  return same ? inner : nr_lower_insert_slice(l, inner, nr_lower_fill(l, &parts.shape, value), parts.low);
}

typedef struct Fold {
  NrValue *x; /* the tensor that is repeated or reflected */
  const Parts *parts;
  Mode mode;
} Fold;

static NrValue *sub2(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_sub(l, a, b); }
static NrValue *max2(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_op2(l, NR_OP_arith_maxsi, a->type, a, b); }
static NrValue *min2(NrLower *l, NrValue *a, NrValue *b) { return nr_lower_op2(l, NR_OP_arith_minsi, a->type, a, b); }
static NrValue *absolute(NrLower *l, NrValue *a) { return max2(l, a, sub2(l, nr_lower_index(l, 0), a)); }

/* a modulo n > 0, never negative. */
static NrValue *modulo(NrLower *l, NrValue *a, NrValue *n) {
  NrValue *rest = nr_lower_op2(l, NR_OP_arith_remsi, a->type, a, n);
  NrValue *negative = nr_lower_cmpi(l, NR_CMPI_SLT, rest, nr_lower_index(l, 0));
  return nr_lower_select(l, negative, nr_lower_add(l, rest, n), rest);
}

static bool at_most(NrDim d, NrDim size, int64_t less) {
  return nr_dim_known(d) && nr_dim_known(size) && d.size <= size.size - less;
}

/* The element of a dim of `size` that is at `position`, which may be out of bounds. */
static NrValue *source_of(NrLower *l, const Fold *f, size_t dim, NrValue *position) {
  NrDim size = f->parts->kept.dims[dim], low = f->parts->low[dim], high = f->parts->high[dim];
  NrValue *n = nr_dim_value(l, size), *zero = nr_lower_index(l, 0), *last = sub2(l, n, nr_lower_index(l, 1));
  if (f->mode == EDGE) return min2(l, max2(l, position, zero), last);
  if (f->mode == WRAP) {
    if (!at_most(low, size, 0) || !at_most(high, size, 0)) return modulo(l, position, n);
    NrValue *before = nr_lower_cmpi(l, NR_CMPI_SLT, position, zero),
            *behind = nr_lower_cmpi(l, NR_CMPI_SGT, position, last);
    NrValue *back = nr_lower_select(l, behind, sub2(l, position, n), position);
    return nr_lower_select(l, before, nr_lower_add(l, position, n), back);
  }
  /* Reflects without repeating the ends, several times where the padding is longer than the dim. */
  if (at_most(low, size, 1) && at_most(high, size, 1))
    return sub2(l, last, absolute(l, sub2(l, last, absolute(l, position))));
  NrValue *period = max2(l, nr_lower_mul(l, last, nr_lower_index(l, 2)), nr_lower_index(l, 1));
  return sub2(l, last, absolute(l, sub2(l, last, modulo(l, position, period))));
}

static NrValue *fold_body(NrLower *l, NrValue *const *indices, void *user) {
  const Fold *f = user;
  const Parts *p = f->parts;
  NrValue *at[NORIA_MAX_RANK];
  for (size_t i = 0; i < p->shape.rank; i++) {
    at[i] = indices[i];
    if (nr_dim_is(p->low[i], 0) && nr_dim_is(p->high[i], 0)) continue;
    at[i] = source_of(l, f, i, sub2(l, indices[i], nr_dim_value(l, p->low[i])));
  }
  return nr_lower_extract(l, f->x, at, p->shape.rank);
}

static NrValue *pad_from_inside(NrLower *l, NrValue *x, const Pads *pads, Mode mode) {
  Parts parts;
  NrValue *inner = part(l, x, pads, &parts);
  if (!inner) return NULL;
  for (size_t i = 0; i < parts.shape.rank; i++) {
    NrDim d = parts.kept.dims[i];
    if (nr_dim_same(parts.shape.dims[i], d) || (nr_dim_known(d) && d.size > 0)) continue;
    NrValue *some = nr_lower_cmpi(l, NR_CMPI_SGT, nr_dim_value(l, d), nr_lower_index(l, 0));
    NrValue *same = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, parts.shape.dims[i]), nr_dim_value(l, d));
    some = nr_lower_op2(l, NR_OP_arith_ori, nr_type_i1(l->ctx), some, same);
    nr_lower_check(l, some, "an empty dim has no elements to pad with", NULL, 0);
  }
  Fold f = {inner, &parts, mode};
  return nr_lower_generate(l, &parts.shape, x->type->elem, fold_body, &f);
}

/* ---- Pad ---- */

/* Assigns the values of the list (all lows, then all highs of some axes) to the dims. */
static bool read_pads(NrLower *l, const NrInts *list, const NrInts *axes, size_t rank, Pads *out) {
  size_t count = axes->given ? axes->count : rank, at[NORIA_MAX_RANK];
  if (list->count != 2 * count)
    return nr_lower_error(l, "%zu paddings for %zu axes: two each are needed", list->count, count), false;
  for (size_t i = 0; i < rank; i++) out->low[i] = out->high[i] = nr_dim(0);
  if (axes->given && !nr_ints_known(axes)) {
    for (size_t k = 0; k < count; k++) {
      NrValue *axis = nr_lower_position(l, nr_dim_value(l, axes->at[k]), nr_dim((int64_t)rank));
      for (size_t i = 0; axis && i < rank; i++) {
        NrValue *here = nr_lower_cmpi(l, NR_CMPI_EQ, axis, nr_lower_index(l, (int64_t)i));
        out->low[i] = nr_dim_select(l, here, list->at[k], out->low[i]);
        out->high[i] = nr_dim_select(l, here, list->at[count + k], out->high[i]);
      }
    }
    return true;
  }
  if (axes->given && !nr_lower_known_axes(l, axes, rank, at)) return false;
  for (size_t k = 0; k < count; k++) {
    size_t i = axes->given ? at[k] : k;
    out->low[i] = list->at[k];
    out->high[i] = list->at[count + k];
  }
  return true;
}

NrStatus nr_lower_pad(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrInts list, axes = {0};
  Pads pads;
  if (2 * nr_rank(x) > NORIA_MAX_RANK) return nr_lower_error(l, "rank %u is above %d", nr_rank(x), NORIA_MAX_RANK / 2);
  if (l->version >= 18 && !nr_lower_ints(l, true, 3, "axes", &axes)) return NR_ERROR_INVALID;
  size_t length = 2 * (axes.given ? axes.count : nr_rank(x));
  if (!nr_lower_ints_of(l, l->version >= 11, 1, l->version == 1 ? "paddings" : "pads", length, &list))
    return NR_ERROR_INVALID;
  if (!read_pads(l, &list, &axes, nr_rank(x), &pads)) return NR_ERROR_INVALID;
  NrStr mode = nr_lower_attr_str(l, "mode");
  NrValue *result = NULL;
  if (nr_str_is(mode, "constant")) {
    NrValue *value;
    if (l->version >= 11 && nr_lower_in(l, 2))
      value = nr_lower_scalar(l, nr_lower_in(l, 2));
    else
      value = nr_lower_constant(l, x->type->elem, l->version < 11 ? nr_lower_attr_float(l, "value") : 0);
    result = pad_constant(l, x, &pads, value);
  } else if (nr_str_is(mode, "reflect"))
    result = pad_from_inside(l, x, &pads, REFLECT);
  else if (nr_str_is(mode, "edge"))
    result = pad_from_inside(l, x, &pads, EDGE);
  else if (nr_str_is(mode, "wrap"))
    result = pad_from_inside(l, x, &pads, WRAP);
  else
    return nr_lower_error(l, "mode '%.*s' is not known", NR_STR_ARG(mode));
  return result ? nr_lower_out(l, 0, result, nr_lower_dtype(l, 0)) : NR_ERROR_INVALID;
}

/* ---- CenterCropPad ---- */

NrStatus nr_lower_center_crop_pad(NrLower *l) {
  NrValue *x = nr_lower_in(l, 0);
  NrInts sizes, axes;
  size_t at[NORIA_MAX_RANK], rank = nr_rank(x);
  if (!nr_lower_ints(l, false, 0, "axes", &axes) ||
      !nr_lower_ints_of(l, true, 1, "shape", axes.given ? axes.count : rank, &sizes) || !nr_lower_sizes(l, &sizes))
    return NR_ERROR_INVALID;
  if (axes.given && !nr_lower_known_axes(l, &axes, rank, at)) return NR_ERROR_INVALID;
  if (sizes.count != (axes.given ? axes.count : rank)) return nr_lower_error(l, "one size an axis is needed");
  Pads pads;
  for (size_t i = 0; i < rank; i++) pads.low[i] = pads.high[i] = nr_dim(0);
  for (size_t k = 0; k < sizes.count; k++) {
    /* An odd element is added or dropped at the end. */
    size_t i = axes.given ? at[k] : k;
    NrDim d = nr_lower_dim(l, x, i), missing = nr_dim_sub(l, sizes.at[k], d), two = nr_dim(2);
    NrDim gone = nr_dim_max(l, nr_dim_sub(l, d, sizes.at[k]), nr_dim(0));
    pads.low[i] = nr_dim_sub(l, nr_dim_div(l, nr_dim_max(l, missing, nr_dim(0)), two), nr_dim_div(l, gone, two));
    pads.high[i] = nr_dim_sub(l, missing, pads.low[i]);
  }
  NrValue *result = pad_constant(l, x, &pads, nr_lower_constant(l, x->type->elem, 0));
  return result ? nr_lower_out(l, 0, result, nr_lower_dtype(l, 0)) : NR_ERROR_INVALID;
}
