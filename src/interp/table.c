/* table.c - from op to the function that runs it. */
#include "interp/ops.h"

NrInterpFn nr_interp_find(unsigned op_id) {
  switch (op_id) {
#define RUN(id, function)                                                                                              \
  case NR_OP_##id: return nr_run_##function;
#include "interp/ops.def"
#undef RUN
  default: return NULL;
  }
}
