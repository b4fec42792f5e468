/* rows.h - turns a dialect's .def into its rows; the last thing that src/dialect/<d>/<d>.c includes.
 *
 *   static NrStatus for_verify(NrOp *op) { ... }     hooks first: the rows name them, and they stay static
 *
 *   #include "dialect/shared/rows.h"
 *   #include "dialect/scf/ops.def"
 *
 * Each row becomes the constant nr_row_<d>_<name>; src/ir/op_infos.c collects them in the order of the enum. A row may
 * override .name, so repeated designators are meant. Hooks that need a file of their own are declared in
 * src/dialect/<d>/<d>.h and are then not static (nr_<d>_<op>_verify). */
#include "ir/op_info.h"
#include "ir/text.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define OP(dialect_, op_, ...)                                                                                         \
  const NrOpInfo nr_row_##dialect_##_##op_ = {                                                                         \
      .id = NR_OP_##dialect_##_##op_, .dialect = #dialect_, .name = #op_, __VA_ARGS__};
