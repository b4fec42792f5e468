/* op.c - ops: creation, links, operands and use lists, attributes, clone. */
#include "base/guard.h"
#include "ir/op_info.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- modules ---- */

NrModule *nr_module_create(NrContext *ctx, NrLoc loc) {
  NrModule *module = nr_calloc(1, sizeof *module);
  module->ctx = ctx;
  NrOpState state = {.info = nr_op_infos[NR_OP_builtin_module], .loc = loc, .num_regions = 1};
  module->op = nr_op_create(module, &state);
  nr_block_append(&module->op->regions[0], nr_block_create(module));
  return module;
}

void nr_module_destroy(NrModule *module) {
  if (!module) return;
  nr_arena_deinit(&module->arena);
  nr_free(module);
}

/* ---- use lists ---- */

static void use_link(NrUse *use, NrValue *value) {
  use->value = value;
  use->prev = NULL;
  use->next = value->first_use;
  if (use->next) use->next->prev = use;
  value->first_use = use;
}

static void use_unlink(NrUse *use) {
  if (!use->value) return;
  if (use->prev) use->prev->next = use->next;
  else use->value->first_use = use->next;
  if (use->next) use->next->prev = use->prev;
  use->value = NULL;
}

/* The use moved in memory: updates its neighbours' pointers. */
static void use_moved(NrUse *use) {
  if (!use->value) return;
  if (use->prev) use->prev->next = use;
  else use->value->first_use = use;
  if (use->next) use->next->prev = use;
}

static void successor_link(NrSuccessor *s, NrBlock *block) {
  s->block = block;
  s->prev = NULL;
  s->next = block->first_pred;
  if (s->next) s->next->prev = s;
  block->first_pred = s;
}

static void successor_unlink(NrSuccessor *s) {
  if (!s->block) return;
  if (s->prev) s->prev->next = s->next;
  else s->block->first_pred = s->next;
  if (s->next) s->next->prev = s->prev;
  s->block = NULL;
}

/* ---- attributes ---- */

/* First position whose name is not less than name. */
static uint32_t attr_position(const NrOp *op, NrStr name) {
  uint32_t i = op->num_attrs;
  while (i && nr_str_cmp(op->attrs[i - 1].name, name) >= 0) i--;
  return i;
}

static void set_attr(NrOp *op, NrStr key, NrAttr value) {
  uint32_t at = attr_position(op, key);
  if (at < op->num_attrs && op->attrs[at].name.data == key.data) {
    op->attrs[at].value = value;
    return;
  }
  if (op->num_attrs == op->cap_attrs) {
    uint32_t capacity = op->cap_attrs ? op->cap_attrs * 2 : 1;
    NrNamedAttr *fresh = NR_NEW_ARRAY(&op->module->arena, NrNamedAttr, capacity);
    if (op->num_attrs) memcpy(fresh, op->attrs, op->num_attrs * sizeof *fresh);
    op->attrs = fresh;
    op->cap_attrs = capacity;
  }
  memmove(&op->attrs[at + 1], &op->attrs[at], (op->num_attrs - at) * sizeof *op->attrs);
  op->attrs[at] = (NrNamedAttr){key, value};
  op->num_attrs++;
}

static int compare_named(const void *a, const void *b) {
  const NrNamedAttr *x = *(const NrNamedAttr *const *)a, *y = *(const NrNamedAttr *const *)b;
  int order = nr_str_cmp(x->name, y->name);
  return order ? order : x < y ? -1 : x > y;
}

/* Sets the attributes of a new op; of equal names the last one wins. Many are sorted first, so that each is appended.
 */
static void set_attrs(NrOp *op, const NrNamedAttr *attrs, size_t count) {
  enum { FEW = 16 };
  const NrNamedAttr **order = NULL;
  if (count > FEW) {
    order = nr_malloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++) order[i] = &attrs[i];
    qsort(order, count, sizeof *order, compare_named);
  }
  for (size_t i = 0; i < count; i++) {
    const NrNamedAttr *attr = order ? order[i] : &attrs[i];
    assert(attr->value);
    set_attr(op, attr->name, attr->value);
  }
  nr_free(order);
}

void nr_op_set_attr(NrOp *op, const NrAttrName *name, NrAttr value) { set_attr(op, nr_str(name->text), value); }

void nr_op_set_attr_named(NrOp *op, const char *name, NrAttr value) {
  set_attr(op, nr_context_intern(op->module->ctx, nr_str(name)), value);
}

/* ---- creation ---- */

/* Cuts count items of the given size off the op's memory. */
static void *cut(char **memory, size_t count, size_t size) {
  char *begin = *memory;
  *memory += count * size;
  return begin;
}

/* Allocates an op and its lists as one block. */
static NrOp *alloc_op(NrModule *module, const NrOpState *s) {
  size_t size = sizeof(NrOp) + s->num_results * sizeof(NrValue) + s->num_operands * sizeof(NrUse) +
                s->num_regions * sizeof(NrRegion) + s->num_successors * sizeof(NrSuccessor) +
                s->num_attrs * sizeof(NrNamedAttr);
  char *memory = nr_arena_alloc(&module->arena, size);
  NrOp *op = cut(&memory, 1, sizeof *op);
  cut(&memory, op->num_results = (uint32_t)s->num_results, sizeof *op->results);
  op->operands = cut(&memory, op->num_operands = (uint32_t)s->num_operands, sizeof *op->operands);
  op->regions = cut(&memory, op->num_regions = (uint32_t)s->num_regions, sizeof *op->regions);
  op->successors = cut(&memory, op->num_successors = (uint32_t)s->num_successors, sizeof *op->successors);
  op->attrs = cut(&memory, op->cap_attrs = (uint32_t)s->num_attrs, sizeof *op->attrs);
  op->cap_operands = op->num_operands;
  return op;
}

NrOp *nr_op_create(NrModule *module, const NrOpState *state) {
  nr_poll();
  NrOp *op = alloc_op(module, state);
  op->info = state->info;
  op->raw_name = state->raw_name.size ? state->raw_name.data : NULL;
  op->loc = state->loc ? state->loc : nr_loc_unknown(module->ctx);
  op->module = module;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    op->operands[i].owner = op;
    use_link(&op->operands[i], state->operands[i]);
  }
  for (uint32_t i = 0; i < op->num_results; i++)
    op->results[i] = (NrValue){.type = state->result_types[i], .op = op, .index = i};
  for (uint32_t i = 0; i < op->num_regions; i++) op->regions[i].op = op;
  for (uint32_t i = 0; i < op->num_successors; i++) {
    op->successors[i].owner = op;
    op->successors[i].num_operands = state->successor_operands ? state->successor_operands[i] : 0;
    successor_link(&op->successors[i], state->successors[i]);
  }
  set_attrs(op, state->attrs, state->num_attrs);
  return op;
}

void nr_op_unlink(NrOp *op) {
  NrBlock *block = op->block;
  if (!block) return;
  if (op->prev) op->prev->next = op->next;
  else block->first = op->next;
  if (op->next) op->next->prev = op->prev;
  else block->last = op->prev;
  op->block = NULL;
  op->prev = op->next = NULL;
}

void nr_op_drop_uses(NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++) use_unlink(&op->operands[i]);
  for (uint32_t i = 0; i < op->num_successors; i++) successor_unlink(&op->successors[i]);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (NrOp *inner = b->first; inner; inner = inner->next) nr_op_drop_uses(inner);
}

/* Sets the block of nested ops to NULL, as of the erased op itself, so that holders of a pointer can see that it is
 * erased. */
static void bury_nested(NrOp *op) {
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (NrOp *inner = b->first; inner; inner = inner->next) {
        bury_nested(inner);
        inner->block = NULL;
      }
}

void nr_op_erase(NrOp *op) {
  nr_poll();
  nr_op_drop_uses(op);
  nr_op_unlink(op);
  bury_nested(op);
  for (uint32_t i = 0; i < op->num_results; i++) assert(!op->results[i].first_use && "erased op has uses");
  op->num_operands = op->num_successors = op->num_regions = 0;
}

static void link_between(NrOp *op, NrBlock *block, NrOp *prev, NrOp *next) {
  assert(!op->block);
  op->block = block;
  op->prev = prev;
  op->next = next;
  if (prev) prev->next = op;
  else block->first = op;
  if (next) {
    uint32_t low = prev ? prev->order : 0;
    next->prev = op;
    op->order = low + (next->order - low) / 2;
    if (op->order == low) block->ordered = false; /* the gap is used up */
  } else {
    block->last = op;
    op->order = prev ? prev->order + 8 : 8;
    if (prev && op->order < prev->order) block->ordered = false;
  }
}

void nr_op_insert_before(NrOp *op, NrOp *anchor) { link_between(op, anchor->block, anchor->prev, anchor); }
void nr_op_insert_after(NrOp *op, NrOp *anchor) { link_between(op, anchor->block, anchor, anchor->next); }
void nr_op_append(NrBlock *block, NrOp *op) { link_between(op, block, block->last, NULL); }
void nr_op_prepend(NrBlock *block, NrOp *op) { link_between(op, block, NULL, block->first); }

/* ---- clone ---- */

static NrValue *mapped_value(NrMap *map, NrValue *value) {
  NrValue *copy = nr_map_get(map, value);
  return copy ? copy : value;
}

/* Copies op without its regions' contents. */
static NrOp *clone_shell(NrModule *module, NrOp *op, NrMap *map) {
  NR_VEC(NrValue *) operands = {0};
  NR_VEC(NrType) types = {0};
  NR_VEC(NrBlock *) successors = {0};
  NR_VEC(uint32_t) counts = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, mapped_value(map, op->operands[i].value));
  for (uint32_t i = 0; i < op->num_results; i++) nr_vec_push(&types, op->results[i].type);
  for (uint32_t i = 0; i < op->num_successors; i++) {
    NrBlock *block = nr_map_get(map, op->successors[i].block);
    nr_vec_push(&successors, block ? block : op->successors[i].block);
    nr_vec_push(&counts, op->successors[i].num_operands);
  }
  NrOpState state = {.info = op->info,
                     .raw_name = nr_str(op->raw_name),
                     .loc = op->loc,
                     .operands = operands.data,
                     .num_operands = operands.size,
                     .result_types = types.data,
                     .num_results = types.size,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs,
                     .successors = successors.data,
                     .successor_operands = counts.data,
                     .num_successors = successors.size,
                     .num_regions = op->num_regions};
  NrOp *copy = nr_op_create(module, &state);
  for (uint32_t i = 0; i < op->num_results; i++) {
    copy->results[i].name = op->results[i].name;
    nr_map_set(map, &op->results[i], &copy->results[i]);
  }
  nr_vec_deinit(&operands);
  nr_vec_deinit(&types);
  nr_vec_deinit(&successors);
  nr_vec_deinit(&counts);
  return copy;
}

NrOp *nr_op_clone(NrModule *module, NrOp *op, NrMap *map) {
  NrOp *copy = clone_shell(module, op, map);
  for (uint32_t i = 0; i < op->num_regions; i++) nr_region_clone(module, &op->regions[i], &copy->regions[i], map);
  return copy;
}

static bool remap_operands(NrOp *op, void *user) {
  NrMap *map = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = op->operands[i].value, *copy = mapped_value(map, value);
    if (copy != value) nr_op_set_operand(op, i, copy);
  }
  return true;
}

NrModule *nr_module_clone(const NrModule *module) {
  NrModule *copy = nr_calloc(1, sizeof *copy);
  NrMap map = {0};
  copy->ctx = module->ctx;
  copy->op = nr_op_clone(copy, module->op, &map);
  nr_map_deinit(&map);
  return copy;
}

void nr_region_clone(NrModule *module, NrRegion *from, NrRegion *to, NrMap *map) {
  NrBlock *first_new = NULL;
  for (NrBlock *b = from->first; b; b = b->next) {
    NrBlock *copy = nr_block_create(module);
    copy->name = b->name;
    nr_block_append(to, copy);
    if (!first_new) first_new = copy;
    nr_map_set(map, b, copy);
    for (uint32_t i = 0; i < b->num_args; i++) {
      NrValue *arg = nr_block_add_arg(copy, b->args[i]->type, nr_arg_loc(b->args[i]));
      arg->name = b->args[i]->name;
      nr_map_set(map, b->args[i], arg);
    }
  }
  NrBlock *copy = first_new;
  bool many = from->first != from->last;
  for (NrBlock *b = from->first; b; b = b->next, copy = copy->next)
    for (NrOp *op = b->first; op; op = op->next) nr_op_append(copy, nr_op_clone(module, op, map));
  /* With several blocks a use may precede its definition in block order: map the operands again at the end. */
  for (NrBlock *b = first_new; many && b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next) nr_walk_pre(op, remap_operands, map);
}

NrOp *nr_op_rebuild(NrOp *op, NrValue *const *operands, size_t num_operands, const NrType *result_types,
                    size_t num_results) {
  assert(op->num_successors == 0);
  NrOpState state = {.info = op->info,
                     .raw_name = nr_str(op->raw_name),
                     .loc = op->loc,
                     .operands = operands,
                     .num_operands = num_operands,
                     .result_types = result_types,
                     .num_results = num_results,
                     .attrs = op->attrs,
                     .num_attrs = op->num_attrs,
                     .num_regions = op->num_regions};
  NrOp *fresh = nr_op_create(op->module, &state);
  for (uint32_t i = 0; i < op->num_regions; i++) nr_region_take(&fresh->regions[i], &op->regions[i]);
  nr_op_insert_before(fresh, op);
  return fresh;
}

NrOp *nr_op_retype(NrOp *op, const NrType *result_types) {
  NR_VEC(NrValue *) operands = {0};
  for (uint32_t i = 0; i < op->num_operands; i++) nr_vec_push(&operands, op->operands[i].value);
  NrOp *fresh = nr_op_rebuild(op, operands.data, operands.size, result_types, op->num_results);
  for (uint32_t i = 0; i < op->num_results; i++) {
    fresh->results[i].name = op->results[i].name;
    nr_value_replace_uses(&op->results[i], &fresh->results[i]);
  }
  nr_op_erase(op);
  nr_vec_deinit(&operands);
  return fresh;
}

/* ---- where an op is ---- */

NrStr nr_op_name(const NrOp *op) { return op->raw_name ? nr_str(op->raw_name) : nr_op_info_name(op->info); }

NrOp *nr_op_parent(const NrOp *op) { return op->block && op->block->region ? op->block->region->op : NULL; }

bool nr_op_is_ancestor(const NrOp *ancestor, const NrOp *op) {
  for (; op; op = nr_op_parent(op))
    if (op == ancestor) return true;
  return false;
}

bool nr_value_is_outside(const NrValue *value, const NrOp *op) {
  return value->op != op && !nr_op_is_ancestor(op, nr_block_parent_op(nr_value_block(value)));
}

bool nr_op_is_before(NrOp *a, NrOp *b) {
  assert(a->block == b->block);
  if (!a->block->ordered) {
    uint32_t order = 0;
    for (NrOp *op = a->block->first; op; op = op->next) op->order = order += 8;
    a->block->ordered = true;
  }
  return a->order < b->order;
}

/* ---- operands ---- */

static void reserve_operands(NrOp *op, uint32_t count) {
  if (count <= op->cap_operands) return;
  uint32_t capacity = NR_MAX(count, op->cap_operands * 2);
  NrUse *fresh = NR_NEW_ARRAY(&op->module->arena, NrUse, capacity);
  for (uint32_t i = 0; i < op->num_operands; i++) {
    fresh[i] = op->operands[i];
    use_moved(&fresh[i]);
  }
  op->operands = fresh;
  op->cap_operands = capacity;
}

void nr_op_set_operand(NrOp *op, size_t i, NrValue *value) {
  assert(i < op->num_operands);
  use_unlink(&op->operands[i]);
  use_link(&op->operands[i], value);
}

void nr_op_set_operands(NrOp *op, NrValue *const *values, size_t count) {
  assert(op->num_successors == 0 || nr_op_num_plain_operands(op) == op->num_operands);
  for (uint32_t i = 0; i < op->num_operands; i++) use_unlink(&op->operands[i]);
  op->num_operands = 0;
  reserve_operands(op, (uint32_t)count);
  for (size_t i = 0; i < count; i++) {
    op->operands[i].owner = op;
    use_link(&op->operands[i], values[i]);
  }
  op->num_operands = (uint32_t)count;
}

void nr_op_erase_operand(NrOp *op, size_t i) {
  assert(i < op->num_operands);
  use_unlink(&op->operands[i]);
  for (size_t k = i; k + 1 < op->num_operands; k++) {
    op->operands[k] = op->operands[k + 1];
    use_moved(&op->operands[k]);
  }
  op->num_operands--;
  op->operands[op->num_operands].value = NULL;
}

void nr_op_insert_operand(NrOp *op, size_t i, NrValue *value) {
  assert(i <= op->num_operands);
  reserve_operands(op, op->num_operands + 1);
  for (size_t k = op->num_operands; k > i; k--) {
    op->operands[k] = op->operands[k - 1];
    use_moved(&op->operands[k]);
  }
  op->num_operands++;
  op->operands[i] = (NrUse){.owner = op};
  use_link(&op->operands[i], value);
}

size_t nr_successor_operand_begin(const NrOp *op, size_t successor) {
  size_t begin = nr_op_num_plain_operands(op);
  for (size_t i = 0; i < successor; i++) begin += op->successors[i].num_operands;
  return begin;
}

NrValue *nr_successor_operand(const NrOp *op, size_t successor, size_t i) {
  assert(i < op->successors[successor].num_operands);
  return nr_operand(op, nr_successor_operand_begin(op, successor) + i);
}

void nr_op_set_successor(NrOp *op, size_t i, NrBlock *block) {
  successor_unlink(&op->successors[i]);
  successor_link(&op->successors[i], block);
}

void nr_successor_append_operand(NrOp *op, size_t successor, NrValue *value) {
  size_t at = nr_successor_operand_begin(op, successor) + op->successors[successor].num_operands;
  op->successors[successor].num_operands++;
  nr_op_insert_operand(op, at, value);
}

void nr_successor_erase_operand(NrOp *op, size_t successor, size_t i) {
  size_t at = nr_successor_operand_begin(op, successor) + i;
  op->successors[successor].num_operands--;
  nr_op_erase_operand(op, at);
}

/* ---- attributes ---- */

static void remove_attr(NrOp *op, uint32_t at) {
  memmove(&op->attrs[at], &op->attrs[at + 1], (op->num_attrs - at - 1) * sizeof *op->attrs);
  op->num_attrs--;
}

void nr_op_remove_attr(NrOp *op, const NrAttrName *name) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].name.data == name->text) return remove_attr(op, i);
}

void nr_op_remove_attr_named(NrOp *op, const char *name) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (nr_str_is(op->attrs[i].name, name)) return remove_attr(op, i);
}

NrAttr nr_op_attr_named(const NrOp *op, const char *name) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (nr_str_is(op->attrs[i].name, name)) return op->attrs[i].value;
  return NULL;
}

static int64_t int_or(NrAttr attr, int64_t fallback) {
  int64_t value;
  return nr_attr_is_int(attr, &value) ? value : fallback;
}

int64_t nr_op_attr_int(const NrOp *op, const NrAttrName *name, int64_t fallback) {
  return int_or(nr_op_attr(op, name), fallback);
}

int64_t nr_op_attr_int_named(const NrOp *op, const char *name, int64_t fallback) {
  return int_or(nr_op_attr_named(op, name), fallback);
}

NrStr nr_op_attr_str(const NrOp *op, const NrAttrName *name) {
  NrAttr a = nr_op_attr(op, name);
  return a && (a->kind == NR_ATTR_STRING || a->kind == NR_ATTR_SYMBOL) ? a->s : NR_STR("");
}
