/* rows.h - defines a constant for each op definition of a dialect's ops.def, for each type of its types.def and each
 * attribute of its attrs.def; the last include of src/dialect/<d>/<d>.c.
 *
 *   static NrStatus for_verify(NrOp *op) { ... }     hooks come first, so that they can be static
 *
 *   #include "ir/rows.h"
 *   #include "dialect/scf/ops.def"
 *
 * Each definition becomes the constant nr_row_<d>_<name>; src/ir/op_infos.c lists them in the order of the enum. A
 * definition may override .name, so repeated designators are allowed. Hooks in other files are declared in
 * src/dialect/<d>/<d>.h (nr_<d>_<op>_verify). */
#include "ir/op_info.h"
#include "ir/text.h"

#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define TYPE(dialect_, type_, ...)                                                                                     \
  const NrTypeInfo nr_type_row_##dialect_##_##type_ = {                                                                \
      .kind = NR_TYPE_##dialect_##_##type_, .dialect = #dialect_, .name = #type_, __VA_ARGS__};

#define ATTR(dialect_, attr_, ...)                                                                                     \
  const NrAttrInfo nr_attr_row_##dialect_##_##attr_ = {                                                                \
      .kind = NR_ATTR_##dialect_##_##attr_, .dialect = #dialect_, .name = #attr_, __VA_ARGS__};

#define OP(dialect_, op_, ...)                                                                                         \
  const NrOpInfo nr_row_##dialect_##_##op_ = {                                                                         \
      .id = NR_OP_##dialect_##_##op_, .dialect = #dialect_, .name = #op_, __VA_ARGS__};
