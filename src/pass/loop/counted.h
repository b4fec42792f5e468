/* counted.h - shared by the files of while-to-for. */
#ifndef NORIA_PASS_LOOP_COUNTED_H
#define NORIA_PASS_LOOP_COUNTED_H

#include "dialect/scf/scf.h"

/* An scf.while with a counter. */
typedef struct NrCounted {
  NrOp *loop, *condition, *yield;
  NrValue *counter, *bound; /* counter is an argument of `before`, bound a value from outside the loop */
  NrValue *from;            /* the counter's first value */
  NrOp *sum;                /* computes the next counter */
  int64_t step;             /* positive constant step; 0 when any_step is set */
  NrValue *any_step;        /* a positive step that is a value from outside */
  bool is_unsigned, down, inclusive;
  bool clamped; /* the next counter is min(sum, bound), or max when counting down */
} NrCounted;

/* Value i that scf.condition passes to `after` and to the results. */
static inline NrValue *nr_counted_handed(const NrCounted *c, uint32_t i) {
  return nr_operand(c->condition, NR_SCF_CONDITION_ARGS + i);
}
/* The value that the condition compares with a value from outside the loop; sets the fields of the comparison. NULL
 * when the condition is no such comparison. */
NrValue *nr_counted_compared(NrCounted *c);
/* Sets the step from the constant that is added; false when it leads away from the bound. */
bool nr_counted_set_step(NrCounted *c, int64_t added);
/* The limits of the counter's type, with the signedness of the comparison. */
void nr_counted_limits(const NrCounted *c, int64_t *min, int64_t *max);
/* Whether the sum has the overflow flag (nsw or nuw) of the comparison's signedness. */
bool nr_counted_is_marked(const NrCounted *c);
/* Whether no sum overflows: the last sum starts from a counter that has not reached the bound. */
bool nr_counted_never_wraps(const NrCounted *c);
/* Lower bound, upper bound and step of the new loop: from the counter's first value, or from 0 over the distance when
 * it counts down. */
void nr_counted_build_range(const NrCounted *c, NrBuilder *b, bool at_least_once, NrValue **range);

/* Moves the while's ops into the body of the new loop, with its arguments, and erases the while, whose results must
 * have no uses. */
void nr_counted_move_body(const NrCounted *c, NrOp *loop);

/* Converts a loop whose work precedes its condition (do_while_to_for.c); false for other loops. */
bool nr_do_while_to_for(NrCounted *c);

#endif
