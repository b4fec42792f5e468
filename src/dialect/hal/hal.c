/* hal.c - the op definitions of dialect hal, and its hook. */
#include "dialect/hal/ops.h"
#include "ir/text.h"

/* Without the blank that the format has after `>`. */
static void buffer_view_dim_print(NrPrinter *w, NrOp *op) {
  nr_w_puts(w, "<");
  nr_w_value(w, nr_hal_buffer_view_dim_buffer_view(op));
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_hal_buffer_view_dim_buffer_view(op)->type);
  nr_w_printf(w, ">[%lld]", (long long)nr_op_attr_int(op, NR_A_index, 0));
  nr_w_attr_dict(w, op, (const char *const[]){"index", NULL});
  nr_w_puts(w, " : ");
  nr_w_type(w, nr_op_result(op)->type);
}

#include "ir/rows.h"
#include "dialect/hal/ops.def"
