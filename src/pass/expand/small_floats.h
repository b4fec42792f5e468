/* small_floats.h - floats that a CPU does not convert, as integer code. Branch-free, so that loops over them still
 * vectorise. Same results as nr_float_encode and nr_float_decode. */
#ifndef NORIA_PASS_EXPAND_SMALL_FLOATS_H
#define NORIA_PASS_EXPAND_SMALL_FLOATS_H

#include "pass/expand/expand.h"

/* Whether the target has no instructions that convert type: bf16, f8.., f6.., f4, tf32, and f16 on some CPUs. */
bool nr_is_small_float(const NrExpand *x, NrType type);
/* A small float as f32, which is exact. */
NrValue *nr_small_float_extend(NrExpand *x, NrValue *value);
/* f32 or f64 rounded once to type, to nearest, ties to even. */
NrValue *nr_small_float_round(NrExpand *x, NrValue *value, NrType type);

#endif
