/* counted.h - what the files of while-to-for share. Internal to them. */
#ifndef NORIA_PASS_LOOP_COUNTED_H
#define NORIA_PASS_LOOP_COUNTED_H

#include "ir/op_info.h"

/* An scf.while that counts. */
typedef struct NrCounted {
  NrOp *loop, *condition, *yield;
  NrValue *counter, *bound; /* argument of `before`; a value from outside */
  NrValue *from;            /* the counter's first value */
  NrOp *sum;                /* gives the next counter */
  int64_t step;             /* positive; or */
  NrValue *any_step;        /* a positive value from outside */
  bool is_unsigned, down, inclusive;
  bool clamped; /* the next counter is the bound where the sum would lie behind it */
} NrCounted;

/* What the condition compares with a value from outside; sets what the comparison says. NULL when it compares none. */
NrValue *nr_counted_compared(NrCounted *c);
/* The counter grows by `added`: false when that is away from the bound. */
bool nr_counted_set_step(NrCounted *c, int64_t added);
/* The largest value of the counter's type, as it is compared, and the least. */
void nr_counted_limits(const NrCounted *c, int64_t *least, int64_t *largest);
/* The sum is marked not to pass the end of the type. */
bool nr_counted_is_marked(const NrCounted *c);
/* No sum passes the end of the type: the last one starts from a counter that is still on the bound's near side. */
bool nr_counted_never_wraps(const NrCounted *c);
/* The bounds and the step of the new loop: from the first counter, or from 0 over the distance when counting down. */
void nr_counted_build_range(const NrCounted *c, NrBuilder *b, bool at_least_once, NrValue **range);

/* The while's ops as the body of the new loop, its arguments as the new one's; the while goes. Its results have no uses
 * left. */
void nr_counted_move_body(const NrCounted *c, NrOp *loop);

/* The same for loops that work before the condition; false when this one is not such a loop (do_while_to_for.c). */
bool nr_do_while_to_for(NrCounted *c);

#endif
