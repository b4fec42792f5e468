/* print_op.c - ops, regions, blocks and modules as text. */
#include "ir/format.h"
#include "ir/context.h"
#include "ir/print.h"

#include <stdlib.h>

static const NrPrintOptions default_options = {.syntax = NR_SYNTAX_MLIR};

void nr_printer_init(NrPrinter *w, NrContext *ctx, NrBuf *out, const NrPrintOptions *options) {
  *w = (NrPrinter){
      .out = out, .ctx = ctx, .options = options ? *options : default_options, .default_dialect = "builtin"};
  nr_arena_init(&w->scratch);
}

void nr_printer_deinit(NrPrinter *w) {
  nr_vec_deinit(&w->names);
  nr_vec_deinit(&w->hints);
  nr_vec_deinit(&w->maps);
  nr_vec_deinit(&w->sets);
  nr_vec_deinit(&w->resources);
  nr_map_deinit(&w->aliases);
  nr_map_deinit(&w->resource_seen);
  nr_arena_deinit(&w->scratch);
}

bool nr_w_is_renamed(NrPrinter *w) { return w->ctx->renamed; }
bool nr_w_is_legacy(NrPrinter *w) { return w->options.syntax == NR_SYNTAX_2020; }

/* ---- attribute dictionaries ------------------------------------------------------------------------------------- */

static bool is_one_of(NrStr name, const char *const *names) {
  for (; names && *names; names++)
    if (name.size && name.data[0] == **names && nr_str_is(name, *names)) return true;
  return false;
}

/* operandSegmentSizes is not printed in the custom form, whose syntax gives the sizes. */
static bool is_segments(const NrOp *op, NrStr name) {
  return nr_op_has(op, NR_SEGMENTS) && nr_str_is(name, "operandSegmentSizes");
}

static void put_attr_dict(NrPrinter *w, NrOp *op, const char *const *except, const char *open) {
  bool any = false;
  for (uint32_t i = 0; i < op->num_attrs; i++) {
    if (is_segments(op, op->attrs[i].name) || is_one_of(op->attrs[i].name, except)) continue;
    nr_w_puts(w, any ? ", " : open);
    nr_w_named_attr(w, &op->attrs[i]);
    any = true;
  }
  if (any) nr_w_char(w, '}');
}

void nr_w_attr_dict(NrPrinter *w, NrOp *op, const char *const *except) { put_attr_dict(w, op, except, " {"); }

void nr_w_attr_dict_keyword(NrPrinter *w, NrOp *op, const char *const *except) {
  put_attr_dict(w, op, except, " attributes {");
}

/* ---- generic form ----------------------------------------------------------------------------------------------- */

static bool is_declared(const NrOpSpec *spec, NrStr name) {
  for (size_t i = 0; i < spec->num_attrs; i++)
    if (spec->attrs[i].name.data == name.data || nr_str_eq(spec->attrs[i].name, name)) return true;
  return false;
}

static NrAttr i32_array(NrPrinter *w, const int32_t *values, size_t count) {
  return nr_attr_dense_array(nr_type_i32(w->ctx), values, count * sizeof *values);
}

/* MLIR's generic form of a branch has all operands in one list. operandSegmentSizes has the numbers of the op's own
 * operands, of each single successor's and of all variadic successors' together, which case_operand_segments splits. */
typedef struct Segments {
  NrAttr sizes, cases;
} Segments;

static Segments branch_segments(NrPrinter *w, NrOp *op) {
  const NrOpSpec *spec = nr_op_spec(w->ctx, op->info);
  Segments s = {0};
  bool variadic = spec->num_successors && spec->successors[spec->num_successors - 1].arity == '*';
  if (op->num_successors < 2 && !variadic) return s;
  int32_t *sizes = NR_NEW_ARRAY(&w->scratch, int32_t, (size_t)op->num_successors + 2);
  size_t singles = variadic ? spec->num_successors - 1 : op->num_successors, n = 0;
  sizes[n++] = (int32_t)nr_op_num_plain_operands(op);
  for (size_t i = 0; i < singles; i++) sizes[n++] = (int32_t)op->successors[i].num_operands;
  if (variadic) {
    int32_t *cases = NR_NEW_ARRAY(&w->scratch, int32_t, (size_t)op->num_successors + 1), sum = 0;
    size_t count = 0;
    for (size_t i = singles; i < op->num_successors; i++)
      sum += cases[count++] = (int32_t)op->successors[i].num_operands;
    sizes[n++] = sum;
    s.cases = i32_array(w, cases, count);
  }
  s.sizes = i32_array(w, sizes, n);
  return s;
}

static void put_one(NrPrinter *w, const char *name, NrAttr value, const char *open, bool *any) {
  if (!value) return;
  NrNamedAttr named = {nr_str(name), value};
  nr_w_puts(w, *any ? ", " : open);
  nr_w_named_attr(w, &named);
  *any = true;
}

/* In the 2020 syntax the sizes of operand groups are a dense vector. */
static NrAttr legacy_segments(NrPrinter *w, NrAttr sizes) {
  int64_t count = (int64_t)(sizes->data_size / 4);
  return nr_attr_dense(nr_type_vector(&count, 1, nr_type_i32(w->ctx)), sizes->data, sizes->data_size);
}

/* Attributes that are computed from the successors. */
static bool is_branch_segments(const NrOp *op, NrStr name) {
  return nr_op_has(op, NR_BRANCH) &&
         (nr_str_is(name, "operandSegmentSizes") || nr_str_is(name, "case_operand_segments"));
}

/* declared: print the attributes that the op declares, which MLIR calls properties; else all others. */
static void put_generic_attrs(NrPrinter *w, NrOp *op, bool declared, bool all, const char *open, const char *close) {
  const NrOpSpec *spec = nr_op_spec(w->ctx, op->info);
  bool any = false;
  for (uint32_t i = 0; i < op->num_attrs; i++) {
    const NrNamedAttr *attr = &op->attrs[i];
    bool segments = is_segments(op, attr->name);
    if (is_branch_segments(op, attr->name) || !attr->name.size) continue;
    if (!all && (segments || is_declared(spec, attr->name)) != declared) continue;
    if (segments && nr_w_is_legacy(w) && attr->value->kind == NR_ATTR_DENSE_ARRAY && attr->value->data_size)
      put_one(w, "operand_segment_sizes", legacy_segments(w, attr->value), open, &any);
    else put_one(w, attr->name.data, attr->value, open, &any);
  }
  if ((declared || all) && nr_op_has(op, NR_BRANCH)) {
    Segments s = branch_segments(w, op);
    put_one(w, "case_operand_segments", s.cases, open, &any);
    put_one(w, "operandSegmentSizes", s.sizes, open, &any);
  }
  if (any) nr_w_puts(w, close);
}

static void put_generic(NrPrinter *w, NrOp *op) {
  NrStr name = op->raw_name ? nr_op_name(op) : nr_op_info_printed_name(w->ctx, op->info);
  bool properties = !nr_w_is_legacy(w) && op->info->id != NR_OP_unregistered;
  if (nr_w_is_legacy(w)) name = op->raw_name ? name : nr_op_info_legacy_name(op->info);
  nr_w_string(w, name);
  nr_w_char(w, '(');
  nr_w_values(w, op, 0, op->num_operands);
  nr_w_char(w, ')');
  for (uint32_t i = 0; i < op->num_successors; i++) {
    nr_w_puts(w, i ? ", " : "[");
    nr_w_block_name(w, op->successors[i].block);
  }
  if (op->num_successors) nr_w_char(w, ']');
  if (properties) put_generic_attrs(w, op, true, false, " <{", "}>");
  NrAttr raw = op->raw_name ? nr_op_attr_named(op, NR_PROPERTIES) : NULL;
  if (raw) {
    nr_w_puts(w, " <");
    nr_w_attr(w, raw);
    nr_w_char(w, '>');
  }
  for (uint32_t i = 0; i < op->num_regions; i++) {
    nr_w_puts(w, i ? ", " : " (");
    nr_w_region(w, &op->regions[i], true, true);
  }
  if (op->num_regions) nr_w_char(w, ')');
  put_generic_attrs(w, op, false, !properties, " {", "}");
  nr_w_puts(w, " : ");
  nr_w_functional_type(w, op);
}

/* ---- ops -------------------------------------------------------------------------------------------------------- */

/* The default dialect inside op: the prefix that ops directly in it omit. */
static const char *inner_dialect(const NrOp *op) {
  return nr_op_has(op, NR_DEFAULT_DIALECT) ? op->info->dialect : "";
}

static void put_custom_name(NrPrinter *w, NrOp *op) {
  const NrOpInfo *info = op->info;
  if (nr_w_is_legacy(w) && info->legacy) {
    nr_w_str(w, nr_op_info_legacy_name(info));
  } else if (strcmp(info->dialect, w->default_dialect) == 0 && !strchr(info->name, '.')) {
    nr_w_puts(w, info->name);
  } else {
    nr_w_str(w, nr_op_info_printed_name(w->ctx, info));
  }
}

static void put_body(NrPrinter *w, NrOp *op) {
  const NrFormat *format = NULL;
  bool custom = !w->options.generic && op->info->id != NR_OP_unregistered;
  if (custom && !op->info->print) format = nr_op_format(w->ctx, op->info, nr_w_is_legacy(w));
  if (!custom || (!op->info->print && !format)) {
    put_generic(w, op);
    return;
  }
  put_custom_name(w, op);
  if (op->info->print) op->info->print(w, op);
  else nr_w_format(w, op, format);
}

/* Numbers the values of op's regions before op is printed, because hooks print region arguments before the regions. The
 * names of a single region are reserved from now on; those of several, which may be equal, only during their region. */
static void push_frame(NrPrinter *w, NrPrintFrame *frame, NrNameScope *scope, NrOp *op) {
  *frame = (NrPrintFrame){.op = op, .outer = w->numbering, .up = w->frame};
  frame->regions = NR_NEW_ARRAY(&w->scratch, NrNumbering, op->num_regions);
  if (nr_op_has(op, NR_ISOLATED)) {
    *scope = (NrNameScope){.names = w->names.size, .up = w->scope};
    w->scope = scope;
  }
  for (uint32_t i = 0; i < op->num_regions; i++) {
    frame->regions[i] = w->numbering;
    nr_print_number_region(w, &op->regions[i], &frame->regions[i]);
    if (op->num_regions > 1) nr_print_leave_names(w, &frame->regions[i]);
  }
  w->frame = frame;
}

static void pop_frame(NrPrinter *w, NrPrintFrame *frame) {
  if (nr_op_has(frame->op, NR_ISOLATED)) {
    NrNameScope *scope = w->scope;
    w->scope = scope->up;
    w->names.size = scope->names;
    nr_strmap_deinit(&scope->used);
  } else if (frame->op->num_regions == 1) {
    nr_print_leave_names(w, &frame->regions[0]);
  }
  w->numbering = frame->outer;
  w->frame = frame->up;
}

/* With the 2020 syntax, an op that it cannot express is printed in the current syntax, which Noria also reads: a
 * warning. With the current syntax it is an error. */
static void report_refused_text(NrPrinter *w, NrOp *op) {
  bool legacy = w->options.syntax == NR_SYNTAX_2020;
  const char *why = op->info->refuse_text ? op->info->refuse_text(op, legacy) : NULL;
  const char *dialect = legacy && !why ? nr_op_info_missing_in_2020(op->info) : NULL;
  if (why && !legacy) nr_op_error(op, "cannot be expressed in MLIR's current syntax: %s", why);
  /* A terminator of a missing op is reported with that op. */
  if (dialect && op->info->parent && nr_op_has(op, NR_TERMINATOR)) return;
  NrStr name = nr_op_name(op);
  if (why && legacy)
    nr_warning(w->ctx, op->loc, "'%.*s' op cannot be expressed in the 2020 syntax: %s", NR_STR_ARG(name), why);
  if (dialect)
    nr_warning(w->ctx, op->loc, "'%.*s' op cannot be expressed in the 2020 syntax: dialect %s had no such op",
               NR_STR_ARG(name), dialect);
}

static void put_op(NrPrinter *w, NrOp *op) {
  if (op->num_results) {
    nr_w_result_group(w, op);
    nr_w_puts(w, " = ");
  }
  if (op->num_regions) {
    NrPrintFrame frame;
    NrNameScope scope;
    push_frame(w, &frame, &scope, op);
    put_body(w, op);
    pop_frame(w, &frame);
  } else {
    put_body(w, op);
  }
  nr_w_trailing_loc(w, op->loc);
  if (w->options.report_refused_text) report_refused_text(w, op);
}

/* ---- blocks and regions ----------------------------------------------------------------------------------------- */

void nr_w_successor(NrPrinter *w, NrOp *op, size_t i) {
  const NrSuccessor *s = &op->successors[i];
  nr_w_block_name(w, s->block);
  if (s->num_operands == 0) return;
  size_t begin = nr_successor_operand_begin(op, i);
  nr_w_char(w, '(');
  nr_w_values(w, op, begin, s->num_operands);
  nr_w_puts(w, " : ");
  nr_w_operand_types(w, op, begin, s->num_operands);
  nr_w_char(w, ')');
}

typedef struct Pred {
  uint32_t number;
  NrBlock *block;
} Pred;

static int compare_preds(const void *a, const void *b) {
  const Pred *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* "  // 2 preds: ^bb0, ^bb4" */
static void put_preds(NrPrinter *w, NrBlock *block) {
  size_t count = 0;
  for (const NrSuccessor *s = block->first_pred; s; s = s->next) count++;
  if (count == 0) {
    if (block != block->region->first) nr_w_puts(w, "  // no predecessors");
    return;
  }
  Pred *preds = NR_NEW_ARRAY(&w->scratch, Pred, count);
  size_t n = 0;
  for (const NrSuccessor *s = block->first_pred; s; s = s->next) preds[n++].block = s->owner->block;
  if (count > 1) {
    for (size_t i = 0; i < count; i++) preds[i].number = nr_print_block_number(w, preds[i].block);
    qsort(preds, count, sizeof *preds, compare_preds);
    nr_w_puts(w, "  // ");
    nr_w_uint(w, count);
    nr_w_puts(w, " preds: ");
  } else {
    nr_w_puts(w, "  // pred: ");
  }
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_block_name(w, preds[i].block);
  }
}

void nr_w_trailing_loc(NrPrinter *w, NrLoc loc) {
  if (!w->options.locations) return;
  nr_w_char(w, ' ');
  nr_w_loc(w, loc ? loc : nr_loc_unknown(w->ctx));
}

static void put_label(NrPrinter *w, NrBlock *block) {
  nr_w_newline(w);
  nr_w_block_name(w, block);
  for (uint32_t i = 0; i < block->num_args; i++) {
    nr_w_puts(w, i ? ", " : "(");
    nr_w_value(w, block->args[i]);
    nr_w_puts(w, ": ");
    nr_w_type(w, block->args[i]->type);
    nr_w_trailing_loc(w, nr_arg_loc(block->args[i]));
  }
  if (block->num_args) nr_w_char(w, ')');
  nr_w_char(w, ':');
  put_preds(w, block);
}

/* Whether the parser inserts this terminator if the text omits it. */
static bool is_implied(const NrOp *op) {
  const NrOp *parent = nr_op_parent(op);
  return op->num_operands == 0 && op->num_attrs == 0 && parent->info->terminator &&
         nr_str_is(nr_op_name(op), parent->info->terminator);
}

static void put_block(NrPrinter *w, NrBlock *block, bool label, bool terminator) {
  if (label) put_label(w, block);
  w->indent += 2;
  NrOp *stop = !terminator && block->last && is_implied(block->last) ? block->last : NULL;
  for (NrOp *op = block->first; op && op != stop; op = op->next) {
    nr_op_prefetch(op);
    nr_w_newline(w);
    put_op(w, op);
  }
  w->indent -= 2;
}

void nr_w_region(NrPrinter *w, NrRegion *region, bool entry_args, bool terminator) {
  assert(w->frame && w->frame->op == region->op);
  const NrNumbering *numbering = &w->frame->regions[region - region->op->regions];
  NrNumbering outer = w->numbering;
  const char *dialect = w->default_dialect;
  w->numbering = *numbering;
  w->default_dialect = inner_dialect(region->op);
  bool has_siblings = region->op->num_regions > 1;
  bool generic = w->options.generic || region->op->info->id == NR_OP_unregistered;
  if (has_siblings) nr_print_enter_names(w, numbering);

  nr_w_char(w, '{');
  for (NrBlock *block = region->first; block; block = block->next) {
    bool entry = block == region->first;
    /* An entry block needs its label for arguments, if it has no ops, and if it is a branch target. */
    bool label = !entry || (entry_args && block->num_args) || (generic && !block->first) || block->first_pred;
    put_block(w, block, label, terminator || region->first != region->last);
  }
  nr_w_newline(w);
  nr_w_char(w, '}');

  if (has_siblings) nr_print_leave_names(w, numbering);
  w->default_dialect = dialect;
  w->numbering = outer;
}

/* ---- whole ops and modules -------------------------------------------------------------------------------------- */

/* Prints op with the value numbers that it has in the whole program. Depth is bounded by NR_MAX_NESTING. */
static void put_inside(NrPrinter *w, NrOp *ancestor, NrOp *op) {
  if (ancestor == op) {
    w->default_dialect = nr_op_parent(op) ? inner_dialect(nr_op_parent(op)) : "builtin";
    put_op(w, op);
    return;
  }
  NrOp *next = op; /* the child of ancestor that holds op */
  while (nr_op_parent(next) != ancestor) next = nr_op_parent(next);
  NrPrintFrame frame;
  NrNameScope scope;
  push_frame(w, &frame, &scope, ancestor);
  const NrNumbering *numbering = &frame.regions[next->block->region - ancestor->regions];
  w->numbering = *numbering;
  nr_print_enter_names(w, numbering);
  put_inside(w, next, op);
  pop_frame(w, &frame);
}

/* Prints op, numbering values from the outermost op around it, whose results come first. */
static void print_root(NrPrinter *w, NrOp *op) {
  NrNameScope scope = {0};
  w->scope = &scope;
  NrOp *root = op;
  while (nr_op_parent(root)) root = nr_op_parent(root);
  if (root->num_results) nr_print_first_value(w, &root->results[0]);
  w->numbering.next_value = root->num_results != 0;
  put_inside(w, root, op);
  w->scope = NULL;
  nr_strmap_deinit(&scope.used);
}

/* Rotates the text: the part from `middle` on moves to `start`. */
static void rotate_to_front(NrBuf *out, size_t start, size_t middle) {
  size_t size = out->size - middle;
  if (size == 0) return;
  char *head = nr_malloc(size);
  memcpy(head, out->data + middle, size);
  memmove(out->data + start + size, out->data + start, middle - start);
  memcpy(out->data + start, head, size);
  nr_free(head);
}

void nr_print_op(NrBuf *out, NrOp *op, const NrPrintOptions *options) {
  NrPrinter w;
  nr_printer_init(&w, nr_op_context(op), out, options);
  /* Definitions of aliases and resources are allowed at the top level of a file only. */
  bool is_file = nr_op_parent(op) == NULL && nr_op_has(op, NR_SYMBOL_TABLE);
  w.use_aliases = is_file && !w.options.local_scope;
  size_t start = out->size;
  print_root(&w, op);
  if (is_file) {
    nr_w_char(&w, '\n');
    size_t middle = out->size;
    nr_w_alias_definitions(&w);
    rotate_to_front(out, start, middle);
    nr_w_resources(&w);
  }
  nr_printer_deinit(&w);
}

void nr_print_module(NrBuf *out, NrModule *module, const NrPrintOptions *options) {
  nr_print_op(out, module->op, options);
}
