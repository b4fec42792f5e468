/* builder.c - making ops at a place, and symbol look-up. */
#include "ir/op_info.h"

NrBuilder nr_builder_before(NrOp *op) {
  return (NrBuilder){op->module, op->module->ctx, op->block, op, op->loc};
}

NrBuilder nr_builder_after(NrOp *op) {
  return (NrBuilder){op->module, op->module->ctx, op->block, op->next, op->loc};
}

NrBuilder nr_builder_at_end(NrModule *module, NrBlock *block, NrLoc loc) {
  return (NrBuilder){module, module->ctx, block, NULL, loc};
}

NrBuilder nr_builder_at_start(NrModule *module, NrBlock *block, NrLoc loc) {
  return (NrBuilder){module, module->ctx, block, block->first, loc};
}

void nr_builder_insert(NrBuilder *b, NrOp *op) {
  if (b->before) nr_op_insert_before(op, b->before);
  else nr_op_append(b->block, op);
}

NrOp *nr_build(NrBuilder *b, const NrOpState *state) {
  NrOpState located = *state;
  if (!located.loc) located.loc = b->loc;
  NrOp *op = nr_op_create(b->module, &located);
  nr_builder_insert(b, op);
  return op;
}

NrOp *nr_build_op(NrBuilder *b, unsigned op_id, NrValue *const *operands, size_t num_operands, const NrType *results,
                  size_t num_results) {
  return nr_build(b, &(NrOpState){.info = nr_op_infos[op_id],
                                  .operands = operands,
                                  .num_operands = num_operands,
                                  .result_types = results,
                                  .num_results = num_results});
}

NrValue *nr_build_value(NrBuilder *b, unsigned op_id, NrType result, NrValue *const *operands, size_t num_operands) {
  return nr_result(nr_build_op(b, op_id, operands, num_operands, &result, 1), 0);
}

/* ---- symbols ---- */

NrOp *nr_symbol_lookup(NrOp *table, NrStr name) {
  for (uint32_t r = 0; r < table->num_regions; r++)
    for (NrBlock *b = table->regions[r].first; b; b = b->next)
      for (NrOp *op = b->first; op; op = op->next)
        if (nr_op_has(op, NR_SYMBOL) && nr_str_eq(nr_op_attr_str(op, NR_A_sym_name), name)) return op;
  return NULL;
}

NrOp *nr_symbol_resolve(NrOp *from, NrAttr symbol) {
  if (!symbol || symbol->kind != NR_ATTR_SYMBOL) return NULL;
  for (NrOp *table = from; table; table = nr_op_parent(table)) {
    if (!nr_op_has(table, NR_SYMBOL_TABLE)) continue;
    NrOp *op = nr_symbol_lookup(table, symbol->s);
    for (size_t i = 0; op && i < symbol->size; i++) op = nr_symbol_lookup(op, symbol->items[i]->s);
    if (op) return op;
  }
  return NULL;
}

/* One more than the next suffix after `name`: 1 for base, 5 for base_3; 0 for other names. */
static uint64_t next_number(NrStr name, NrStr base) {
  uint64_t number = 0;
  if (name.size < base.size || memcmp(name.data, base.data, base.size)) return 0;
  if (name.size == base.size) return 1;
  if (name.data[base.size] != '_' || name.size - base.size > 18) return 0;
  for (size_t i = base.size + 1; i < name.size; i++) {
    if (name.data[i] < '0' || name.data[i] > '9') return 0;
    number = number * 10 + (uint64_t)(name.data[i] - '0');
  }
  return number + 2;
}

static void look_at_symbols(NrSymbolNames *names, NrOp *table) {
  nr_symbol_names_deinit(names);
  names->table = table;
  for (uint32_t r = 0; r < table->num_regions; r++)
    for (NrBlock *b = table->regions[r].first; b; b = b->next)
      for (NrOp *op = b->first; op; op = op->next) {
        NrStr name = nr_op_attr_str(op, NR_A_sym_name);
        if (name.size) nr_strmap_set(&names->taken, name, table);
      }
}

/* Returns the next free suffix of base in the table and reserves it. */
static uint64_t number_of(NrSymbolNames *names, NrStr base) {
  uint64_t number = (uintptr_t)nr_strmap_get(&names->numbers, base);
  for (uint32_t r = 0; r < names->table->num_regions && !number; r++)
    for (NrBlock *b = names->table->regions[r].first; b; b = b->next)
      for (NrOp *op = b->first; op; op = op->next)
        number = NR_MAX(number, next_number(nr_op_attr_str(op, NR_A_sym_name), base));
  number = NR_MAX(number, 1);
  nr_strmap_set(&names->numbers, base, (void *)(uintptr_t)(number + 1));
  return number - 1;
}

NrStr nr_symbol_free_name(NrSymbolNames *names, NrOp *table, NrStr base) {
  NrContext *ctx = nr_op_context(table);
  if (names->table != table) look_at_symbols(names, table);
  base = nr_context_intern(ctx, base);
  NrStr name = base;
  while (nr_strmap_has(&names->taken, name)) {
    uint64_t number = number_of(names, base);
    NrArena *arena = nr_context_arena(ctx);
    name = nr_str(nr_arena_printf(arena, "%.*s_%llu", NR_STR_ARG(base), (unsigned long long)number));
    name = nr_context_intern(ctx, name);
  }
  nr_strmap_set(&names->taken, name, table);
  return name;
}

NrStr nr_symbol_numbered_name(NrSymbolNames *names, NrOp *table, NrStr base) {
  NrStr name = nr_symbol_free_name(names, table, base);
  return nr_str_eq(name, base) ? nr_symbol_free_name(names, table, base) : name;
}

void nr_symbol_names_deinit(NrSymbolNames *names) {
  nr_strmap_deinit(&names->taken);
  nr_strmap_deinit(&names->numbers);
  *names = (NrSymbolNames){0};
}
