/* symbol_dce.c - removes private symbols without references, and those that only such symbols refer to.
 *   before  func.func private @unused() { .. }          after  func.func @f() { .. }
 *           func.func @f() { .. }
 * Also removes declarations. Symbols that are not private may be used from outside. */
#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

typedef struct Live {
  NrOp *root;
  NrStrMap by_name; /* the symbols directly in root */
  NrMap seen; /* NrOp* of symbols that are public or referred to */
  NR_VEC(NrOp *) work;
} Live;

static void mark(Live *live, NrOp *op) {
  if (!op || nr_map_has(&live->seen, op)) return;
  nr_map_set(&live->seen, op, op);
  nr_vec_push(&live->work, op);
}

static NrOp *resolve(const Live *live, NrOp *from, NrAttr symbol) {
  NrOp *table = from;
  while (table && !nr_op_has(table, NR_SYMBOL_TABLE)) table = nr_op_parent(table);
  if (table == live->root && symbol->size == 0) return nr_strmap_get(&live->by_name, symbol->s);
  return nr_symbol_resolve(from, symbol);
}

static void mark_references(Live *live, NrOp *from, NrAttr attr) {
  if (attr->kind == NR_ATTR_SYMBOL) {
    mark(live, resolve(live, from, attr));
    /* For a::b, the symbol tables on the path are needed too. */
    if (attr->size) mark(live, resolve(live, from, nr_attr_symbol(attr->ctx, attr->s)));
  } else if (attr->kind == NR_ATTR_ARRAY) {
    for (size_t i = 0; i < attr->size; i++) mark_references(live, from, attr->items[i]);
  } else if (attr->kind == NR_ATTR_DICT) {
    for (size_t i = 0; i < attr->num_named; i++) mark_references(live, from, attr->named[i].value);
  }
}

/* Marks what op and nested ops refer to; skips nested symbols, which are marked by themselves. */
static void mark_inside(Live *live, NrOp *op, bool is_root) {
  if (!is_root && nr_op_has(op, NR_SYMBOL)) {
    NrStr visibility = nr_op_attr_str(op, NR_A_sym_visibility);
    if (!nr_str_is(visibility, "private")) mark(live, op);
    return;
  }
  for (uint32_t i = 0; i < op->num_attrs; i++) mark_references(live, op, op->attrs[i].value);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) mark_inside(live, inner, false);
}

static NrStatus symbol_dce_run(NrPassContext *pass, NrOp *op) {
  Live live = {.root = op};
  NrOpList ops = {0};
  NrBlock *body = nr_op_only_body(op);
  for (NrOp *symbol = body ? body->first : NULL; symbol; symbol = symbol->next)
    if (nr_op_has(symbol, NR_SYMBOL)) nr_strmap_set(&live.by_name, nr_op_attr_str(symbol, NR_A_sym_name), symbol);
  mark_inside(&live, op, true);
  while (live.work.size) mark_inside(&live, nr_vec_pop(&live.work), true);
  nr_collect_ops(op, &ops);
  for (size_t i = 0; i < ops.size; i++) {
    NrOp *symbol = ops.data[i];
    bool table = nr_op_parent(symbol) && nr_op_has(nr_op_parent(symbol), NR_SYMBOL_TABLE);
    if (!nr_is_erased(symbol) && table && nr_op_has(symbol, NR_SYMBOL) && !nr_map_has(&live.seen, symbol))
      nr_op_erase(symbol);
  }
  nr_vec_deinit(&ops);
  nr_map_deinit(&live.seen);
  nr_strmap_deinit(&live.by_name);
  nr_vec_deinit(&live.work);
  return NR_OK;
}

NR_PASS(symbol_dce, .name = "symbol-dce", .on_while = NR_WHILE_BARRIER, .of_table = true, .run = symbol_dce_run,
        .doc = "removes private symbols without references")
