/* verify_symbols.c - names in a symbol table are unique, and references have a target. Tables are hashed once. */
#include "ir/verify.h"

static NrStr symbol_name(const NrOp *op) {
  NrAttr name = op->num_attrs ? nr_op_attr(op, NR_A_sym_name) : NULL;
  return name && name->kind == NR_ATTR_STRING ? name->s : (NrStr){0};
}

bool nr_verify_symbol(NrOp *op) {
  NrOp *parent = nr_op_parent(op);
  bool good = true;
  if (nr_op_has(op, NR_SYMBOL) && parent && !nr_op_has(parent, NR_SYMBOL_TABLE))
    good = nr_op_error(op, "symbol's parent must have the SymbolTable trait") == NR_OK;
  NrAttr visibility = nr_op_attr(op, NR_A_sym_visibility);
  if (!visibility || visibility->kind != NR_ATTR_STRING) return good; /* its kind is checked by nr_verify_row */
  static const char *const all[] = {"public", "private", "nested"};
  for (size_t i = 0; i < NR_COUNTOF(all); i++)
    if (nr_str_is(visibility->s, all[i])) return good;
  nr_op_error(op, "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"%.*s\"",
              NR_STR_ARG(visibility->s));
  return false;
}

bool nr_verify_symbol_table(NrOp *table) {
  NrStrMap seen = {0};
  bool good = true;
  for (uint32_t i = 0; i < table->num_regions; i++)
    for (NrBlock *block = table->regions[i].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next) {
        NrStr name = symbol_name(op);
        if (!name.size) continue;
        const NrOp *other = nr_strmap_add(&seen, name, op);
        if (!other) continue;
        nr_error(nr_op_context(op), op->loc, "redefinition of symbol named '%.*s'", NR_STR_ARG(name));
        nr_note(nr_op_context(op), other->loc, "see existing symbol definition here");
        good = false;
      }
  nr_strmap_deinit(&seen);
  return good;
}

static NrStrMap *table_of(NrSymbolTables *tables, NrOp *table) {
  NrStrMap *map = nr_map_get(&tables->tables, table);
  if (map) return map;
  map = nr_calloc(1, sizeof *map);
  nr_map_set(&tables->tables, table, map);
  nr_vec_push(&tables->all, map);
  for (uint32_t i = 0; i < table->num_regions; i++)
    for (NrBlock *block = table->regions[i].first; block; block = block->next)
      for (NrOp *op = block->first; op; op = op->next)
        if (symbol_name(op).size) nr_strmap_add(map, symbol_name(op), op);
  return map;
}

void nr_symbol_tables_deinit(NrSymbolTables *tables) {
  for (size_t i = 0; i < tables->all.size; i++) {
    nr_strmap_deinit(tables->all.data[i]);
    nr_free(tables->all.data[i]);
  }
  nr_vec_deinit(&tables->all);
  nr_map_deinit(&tables->tables);
}

NrOp *nr_symbol_find(NrSymbolTables *tables, NrOp *from, NrAttr symbol) {
  if (!symbol || symbol->kind != NR_ATTR_SYMBOL) return NULL;
  NrOp *table = from;
  while (table && !nr_op_has(table, NR_SYMBOL_TABLE)) table = nr_op_parent(table);
  NrOp *found = table ? nr_strmap_get(table_of(tables, table), symbol->s) : NULL;
  for (size_t i = 0; found && i < symbol->size; i++)
    found = nr_op_has(found, NR_SYMBOL_TABLE) ? nr_strmap_get(table_of(tables, found), symbol->items[i]->s) : NULL;
  return found;
}

static NrNearest nearest_symbol(NrOp *from, NrStr name) {
  NrOp *table = from;
  while (table && !nr_op_has(table, NR_SYMBOL_TABLE)) table = nr_op_parent(table);
  NrNearest nearest = nr_nearest(name);
  for (NrOp *op = table && nr_op_body(table, 0) ? nr_op_body(table, 0)->first : NULL; op; op = op->next)
    nr_nearest_try(&nearest, symbol_name(op));
  return nearest;
}

bool nr_verify_symbol_uses(NrSymbolTables *tables, NrOp *op) {
  if (!op->info->attrs) return true;
  const NrOpSpec *spec = nr_op_spec(nr_op_context(op), op->info);
  if (!spec->has_symbols) return true;
  bool good = true;
  for (size_t i = 0; i < spec->num_attrs; i++) {
    if (!nr_str_is(spec->attrs[i].constraint, "symbol")) continue;
    NrAttr symbol = nr_op_attr_named(op, spec->attrs[i].name.data);
    if (!symbol || symbol->kind != NR_ATTR_SYMBOL) continue;
    NrOp *target = nr_symbol_find(tables, op, symbol);
    bool wants_function = nr_op_has(op, NR_CALL) && symbol->size == 0;
    if (target && (!wants_function || nr_op_has(target, NR_FUNCTION) || !nr_op_has(target, NR_SYMBOL))) {
      if (op->info->verify_symbol) good &= op->info->verify_symbol(op, target) == NR_OK;
      continue;
    }
    bool skip = target || tables->num_suggestions++ >= 100;
    NrNearest nearest = skip ? (NrNearest){0} : nearest_symbol(op, symbol->s);
    nr_op_error(op, "'%.*s' does not reference a valid %s" NR_HINT, NR_STR_ARG(symbol->s),
                wants_function ? "function" : "symbol", NR_HINT_ARG(nearest));
    good = false;
  }
  return good;
}
