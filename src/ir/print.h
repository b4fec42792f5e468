/* print.h - the inside of NrPrinter, shared by the print_*.c files of src/ir.
 *
 *   print_text.c     raw output, strings, numbers        print_type.c    types
 *   print_attr.c     attributes, aliases, resources      print_dense.c   elements of dense constants
 *   print_affine.c   affine expressions, maps, sets      print_names.c   numbering of values and blocks
 *   print_op.c       ops, regions, blocks, modules       print_format.c  the declarative syntax of ops */
#ifndef NORIA_IR_PRINT_H
#define NORIA_IR_PRINT_H

#include "ir/format.h"
#include "ir/text.h"

/* The state of value numbering at the end of a region, from which the regions nested in it go on. */
typedef struct NrNumbering {
  uint32_t next_value, next_arg, next_conflict;
  size_t hints_begin, hints_end; /* the region's own names, in NrPrinter.hints */
} NrNumbering;

/* The op whose regions are being printed. Lives on the C stack of the function that prints it. */
typedef struct NrPrintFrame {
  NrOp *op;
  NrNumbering *regions; /* one per region of op, in the scratch arena */
  NrNumbering outer;    /* of the region that op is in */
  struct NrPrintFrame *up;
} NrPrintFrame;

/* The name of a value or block, whose `mark` is the index of this entry. */
typedef struct NrPrintName {
  const void *of;
  uintptr_t name; /* encoding of print_names.c */
} NrPrintName;

/* The names in a region that is isolated from above, with all nested regions. */
typedef struct NrNameScope {
  size_t names;  /* where they begin in the table */
  NrStrMap used; /* names that are not numbers, while their region is printed */
  struct NrNameScope *up;
} NrNameScope;

struct NrPrinter {
  NrBuf *out;
  NrPrintOptions options;
  NrContext *ctx;
  uint32_t indent;
  const char *default_dialect; /* whose prefix is left out: "builtin", "func" or "" */
  NrPrintFrame *frame;
  NrNumbering numbering;
  NrNameScope *scope;
  NR_VEC(NrPrintName) names;
  NR_VEC(const char *) hints;
  NrArena scratch;
  /* Aliases are numbered in order of use; their definitions and the resources are added around the finished text. */
  bool use_aliases;
  NrMap aliases; /* NrAttr -> number + 1 */
  NR_VEC(NrAttr) maps;
  NR_VEC(NrAttr) sets;
  NR_VEC(NrAttr) resources;
  NrMap resource_seen;
};

void nr_printer_init(NrPrinter *w, NrContext *ctx, NrBuf *out, const NrPrintOptions *options);
void nr_printer_deinit(NrPrinter *w);

/* print_text.c */
void nr_w_char(NrPrinter *w, char c);
void nr_w_uint(NrPrinter *w, uint64_t value);
void nr_w_int(NrPrinter *w, int64_t value);
void nr_w_wide_int(NrPrinter *w, const uint64_t *words, size_t count, bool is_signed);
bool nr_is_bare_id(NrStr s);
void nr_w_float(NrPrinter *w, NrType type, uint64_t bits);
void nr_w_hex(NrPrinter *w, const void *data, size_t size);

/* print_attr.c */
typedef enum NrTypeElision { NR_TYPE_ALWAYS, NR_TYPE_MAY_ELIDE, NR_TYPE_NEVER } NrTypeElision;
void nr_w_attr_elided(NrPrinter *w, NrAttr attr, NrTypeElision elision);
void nr_w_attr_name(NrPrinter *w, NrStr name);
void nr_w_named_attr(NrPrinter *w, const NrNamedAttr *attr);
void nr_w_loc(NrPrinter *w, NrLoc loc); /* loc(...) */
void nr_w_alias_definitions(NrPrinter *w);
void nr_w_resources(NrPrinter *w);

/* print_dense.c */
void nr_w_dense(NrPrinter *w, NrAttr attr);
void nr_w_listed(NrPrinter *w, NrAttr dense); /* all elements as nested lists */
void nr_w_element(NrPrinter *w, NrType elem, const void *data);

/* print_affine.c */
void nr_w_affine_map(NrPrinter *w, NrAttr map); /* (d0) -> (d0) */
void nr_w_affine_set(NrPrinter *w, NrAttr set); /* (d0) : (d0 >= 0) */

/* print_names.c */
void nr_print_first_value(NrPrinter *w, NrValue *value); /* is %0 */
void nr_print_number_region(NrPrinter *w, NrRegion *region, NrNumbering *numbering);
void nr_print_enter_names(NrPrinter *w, const NrNumbering *numbering); /* makes a region's names used */
void nr_print_leave_names(NrPrinter *w, const NrNumbering *numbering);
void nr_w_block_name(NrPrinter *w, NrBlock *block);
uint32_t nr_print_block_number(const NrPrinter *w, const NrBlock *block); /* position in its region */
void nr_w_result_group(NrPrinter *w, NrOp *op); /* %0 or %0:2 */

/* print_format.c */
void nr_w_format(NrPrinter *w, NrOp *op, const NrFormat *format);

#endif
