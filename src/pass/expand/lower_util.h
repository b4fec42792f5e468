/* lower_util.h - the steps of pass lower-util. */
#ifndef NORIA_PASS_EXPAND_LOWER_UTIL_H
#define NORIA_PASS_EXPAND_LOWER_UTIL_H

#include "ir/op_info.h"

/* Makes pointers to globals numbers, and accesses by them choices between globals. Where one cannot be, none is; an
 * error if report is set. */
NrStatus nr_lower_util_pointers(NrOp *root, bool report);

#endif
