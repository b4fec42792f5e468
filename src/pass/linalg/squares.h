/* squares.h - transposes in registers, for convert-linalg-to-loops. */
#ifndef NORIA_PASS_LINALG_SQUARES_H
#define NORIA_PASS_LINALG_SQUARES_H

#include "dialect/linalg/linalg.h"
#include "pass/core/pass.h"

/* A square of a structured op on memrefs without reductions: as many points of loop `line`, along which the output lies
 * side by side, as of loop `across`, along which some inputs do. Vectors go along `line`. */
typedef struct NrSquare {
  NrOp *op;
  uint32_t line, across;
  uint32_t lanes; /* of a vector, and points on each side */
} NrSquare;

/* Whether squares cover all points but those at the ends of lines; sets lanes. */
bool nr_square_fits(NrSquare *s, const NrTarget *target);
/* Emits the square that begins at ivs. left: how many points its lines have up to their ends, which may be fewer than
 * lanes; NULL: all. */
void nr_square_emit(const NrSquare *s, NrBuilder *b, NrValue *const *ivs, NrValue *left);

#endif
