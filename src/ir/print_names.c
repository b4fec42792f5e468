/* print_names.c - numbering of values and blocks, as in MLIR: the values of a region in order, then the regions nested
 * in it continue from there, so that sibling regions share numbers. Entry arguments are %arg0..., other values %0...;
 * constants are named after their value (%c0, %c4_i32, %true, %cst), except in the generic form. */
#include "ir/print.h"

#include <stdio.h>

/* Encoding of NrPrintName.name: a number with a tag in the low bits, or a pointer to a name (whose low bits are 0). */
enum { TAG_NUMBER = 1, TAG_ARG = 2, TAG_MASK = 3 };

static uintptr_t tagged(uint32_t number, unsigned tag) { return (uintptr_t)number << 2 | tag; }

static uint32_t add_name(NrPrinter *w, const void *of, uintptr_t name) {
  assert(w->names.size < UINT32_MAX);
  nr_vec_push(&w->names, ((NrPrintName){of, name}));
  return (uint32_t)w->names.size - 1;
}

static void name_value(NrPrinter *w, NrValue *value, uintptr_t name) { value->mark = add_name(w, value, name); }
static void name_block(NrPrinter *w, NrBlock *block, uintptr_t name) { block->mark = add_name(w, block, name); }

/* 0 when it has none. */
static uintptr_t find_name(const NrPrinter *w, const void *of, uint32_t mark) {
  return mark < w->names.size && w->names.data[mark].of == of ? w->names.data[mark].name : 0;
}

void nr_print_first_value(NrPrinter *w, NrValue *value) { name_value(w, value, tagged(0, TAG_NUMBER)); }

/* "hint_3". Without printf, which is slow: programs have many constants. */
static const char *numbered(NrPrinter *w, const char *hint, uint32_t number) {
  enum { DIGITS = 10 };
  size_t size = strlen(hint), digits = 1;
  for (uint32_t rest = number; rest >= 10; rest /= 10) digits++;
  char *text = nr_arena_alloc(&w->scratch, size + 1 + DIGITS + 1);
  memcpy(text, hint, size);
  text[size] = '_';
  for (size_t i = size + digits; i > size; i--, number /= 10) text[i] = (char)('0' + number % 10);
  return text;
}

/* An isolated op does not see values around it, but mlir-opt rejects the reuse of their names inside. */
static bool is_used_around(const NrPrinter *w, const char *name) {
  for (const NrNameScope *s = w->scope->up; s; s = s->up)
    if (nr_strmap_has(&s->used, nr_str(name))) return true;
  return false;
}

static void set_hint(NrPrinter *w, NrNumbering *n, NrValue *value, const char *hint) {
  const char *name = nr_str_copy(&w->scratch, nr_str(hint)).data;
  while (is_used_around(w, name) || nr_strmap_add(&w->scope->used, nr_str(name), (void *)1))
    name = numbered(w, hint, n->next_conflict++);
  nr_vec_push(&w->hints, name);
  name_value(w, value, (uintptr_t)name);
}

static void name_constant(NrPrinter *w, NrNumbering *n, NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  NrType type = nr_result(op, 0)->type;
  char text[64];
  if (!value || value->kind != NR_ATTR_INTEGER || value->num_words) {
    set_hint(w, n, nr_result(op, 0), value && value->kind == NR_ATTR_SYMBOL ? "f" : "cst");
  } else if (nr_type_is_int_width(type, 1)) {
    set_hint(w, n, nr_result(op, 0), value->i ? "true" : "false");
  } else if (nr_type_is_index(type)) {
    snprintf(text, sizeof text, "c%lld", (long long)value->i);
    set_hint(w, n, nr_result(op, 0), text);
  } else {
    static const char *const prefixes[] = {[NR_SIGNLESS] = "i", [NR_SIGNED] = "si", [NR_UNSIGNED] = "ui"};
    snprintf(text, sizeof text, "c%lld_%s%u", (long long)value->i, prefixes[type->signedness], type->width);
    set_hint(w, n, nr_result(op, 0), text);
  }
}

static void number_args(NrPrinter *w, NrBlock *block, bool entry, NrNumbering *n) {
  for (uint32_t i = 0; i < block->num_args; i++)
    name_value(w, block->args[i], entry ? tagged(n->next_arg++, TAG_ARG) : tagged(n->next_value++, TAG_NUMBER));
}

void nr_print_number_region(NrPrinter *w, NrRegion *region, NrNumbering *n) {
  n->hints_begin = w->hints.size;
  uint32_t number = 0;
  for (NrBlock *block = region->first; block; block = block->next, number++) {
    if (number) name_block(w, block, tagged(number, TAG_NUMBER));
    number_args(w, block, number == 0, n);
    for (NrOp *op = block->first; op; op = op->next) {
      nr_op_prefetch(op);
      if (op->num_results == 0) continue;
      if (!w->options.generic && nr_op_has(op, NR_CONSTANT_LIKE) && op->num_results == 1) name_constant(w, n, op);
      else name_value(w, &op->results[0], tagged(n->next_value++, TAG_NUMBER));
    }
  }
  n->hints_end = w->hints.size;
}

void nr_print_enter_names(NrPrinter *w, const NrNumbering *n) {
  for (size_t i = n->hints_begin; i < n->hints_end; i++)
    nr_strmap_set(&w->scope->used, nr_str(w->hints.data[i]), (void *)1);
}

void nr_print_leave_names(NrPrinter *w, const NrNumbering *n) {
  for (size_t i = n->hints_begin; i < n->hints_end; i++) nr_strmap_remove(&w->scope->used, nr_str(w->hints.data[i]));
}

static void put_name(NrPrinter *w, const NrValue *value) {
  uintptr_t name = find_name(w, value, value->mark);
  if (!name) {
    nr_w_puts(w, "<<unknown value>>");
    return;
  }
  nr_w_char(w, '%');
  if ((name & TAG_MASK) == 0) {
    nr_w_puts(w, (const char *)name);
    return;
  }
  if ((name & TAG_MASK) == TAG_ARG) nr_w_puts(w, "arg");
  nr_w_uint(w, name >> 2);
}

void nr_w_value(NrPrinter *w, NrValue *value) {
  if (!value->op || value->op->num_results == 1) {
    put_name(w, value);
    return;
  }
  put_name(w, &value->op->results[0]);
  nr_w_char(w, '#');
  nr_w_uint(w, value->index);
}

void nr_w_values(NrPrinter *w, NrOp *op, size_t begin, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_value(w, nr_operand(op, begin + i));
  }
}

void nr_w_result_group(NrPrinter *w, NrOp *op) {
  put_name(w, &op->results[0]);
  if (op->num_results == 1) return;
  nr_w_char(w, ':');
  nr_w_uint(w, op->num_results);
}

uint32_t nr_print_block_number(const NrPrinter *w, const NrBlock *block) {
  return (uint32_t)(find_name(w, block, block->mark) >> 2);
}

void nr_w_block_name(NrPrinter *w, NrBlock *block) {
  uintptr_t name = find_name(w, block, block->mark);
  if (!name && !(block->region && block->region->first == block)) {
    nr_w_puts(w, "^<<unknown block>>");
    return;
  }
  nr_w_puts(w, "^bb");
  nr_w_uint(w, name >> 2);
}
