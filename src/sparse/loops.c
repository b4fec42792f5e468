/* loops.c - see loops.h. */
#include "sparse/loops.h"

typedef enum Kind { OP, COMMENT, DECLARE, ASSIGN, READ, FOR, WHILE, IF } Kind;

struct NrLoopBlock {
  NrLoopBlock *parent;
  NrLoopStmt *owner, *first, *last;
  NR_VEC(NrLoopValue) assigned; /* variables of outer blocks that are assigned in it */
};

struct NrLoopStmt {
  Kind kind;
  NrLoopStmt *next;
  const char *text;
  NrLoopValue result, *operands;
  size_t num_operands;
  NrLoopBlock *blocks[2]; /* the body; of a while condition and body; of an if then and else */
  NrLoopValue condition;  /* of a while */
  bool is_scalar;         /* a for that stays one */
  bool is_parallel;       /* a for */
  int64_t iteration_ns;   /* of a parallel loop, if told */
};

void nr_loops_init(NrLoops *l, NrArena *arena) {
  *l = (NrLoops){.arena = arena, .block = NR_NEW(arena, NrLoopBlock)};
}

static void deinit_block(NrLoopBlock *block) {
  if (!block) return;
  for (NrLoopStmt *s = block->first; s; s = s->next)
    for (size_t i = 0; i < 2; i++) deinit_block(s->blocks[i]);
  nr_vec_deinit(&block->assigned);
}

void nr_loops_deinit(NrLoops *l) {
  while (l->block && l->block->parent) l->block = l->block->parent;
  deinit_block(l->block);
  nr_vec_deinit(&l->names);
  nr_vec_deinit(&l->types);
  nr_vec_deinit(&l->hints);
  nr_vec_deinit(&l->declared);
  nr_strmap_deinit(&l->taken);
  nr_strmap_deinit(&l->numbers);
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static NrLoopValue new_value(NrLoops *l, const char *hint, const char *type) {
  nr_vec_push(&l->names, NULL);
  nr_vec_push(&l->types, type);
  nr_vec_push(&l->hints, hint);
  nr_vec_push(&l->declared, l->block);
  return (NrLoopValue)(l->names.size - 1);
}

static NrLoopStmt *add(NrLoops *l, Kind kind) {
  NrLoopStmt *s = NR_NEW(l->arena, NrLoopStmt);
  s->kind = kind;
  s->result = s->condition = NR_NO_LOOP_VALUE;
  if (l->block->last) l->block->last->next = s;
  else l->block->first = s;
  l->block->last = s;
  l->size++;
  return s;
}

static void set_operands(NrLoops *l, NrLoopStmt *s, const NrLoopValue *operands, size_t count) {
  s->operands = nr_arena_copy(l->arena, operands, count * sizeof *operands);
  s->num_operands = count;
}

NrLoopValue nr_loops_named(NrLoops *l, const char *name) {
  NrLoopValue v = new_value(l, NULL, NULL);
  l->names.data[v] = name;
  nr_strmap_set(&l->taken, nr_str(name), (void *)name);
  return v;
}

NrLoopValue nr_loops_op(NrLoops *l, const char *hint, const char *text, const NrLoopValue *operands, size_t count) {
  NrLoopStmt *s = add(l, OP);
  s->text = text;
  set_operands(l, s, operands, count);
  if (hint) s->result = new_value(l, hint, NULL);
  return s->result;
}

void nr_loops_comment(NrLoops *l, const char *text) { add(l, COMMENT)->text = text; }

NrLoopValue nr_loops_variable(NrLoops *l, const char *hint, const char *type, NrLoopValue initial) {
  NrLoopStmt *s = add(l, DECLARE);
  set_operands(l, s, &initial, 1);
  return s->result = new_value(l, hint, type);
}

void nr_loops_assign(NrLoops *l, NrLoopValue variable, NrLoopValue value) {
  NrLoopStmt *s = add(l, ASSIGN);
  s->result = variable;
  set_operands(l, s, &value, 1);
  for (NrLoopBlock *b = l->block; b && b != l->declared.data[variable]; b = b->parent) {
    bool known = false;
    for (size_t i = 0; i < b->assigned.size; i++) known |= b->assigned.data[i] == variable;
    if (!known) nr_vec_push(&b->assigned, variable);
  }
}

NrLoopValue nr_loops_read(NrLoops *l, NrLoopValue variable) {
  NrLoopStmt *s = add(l, READ);
  set_operands(l, s, &variable, 1);
  return s->result = new_value(l, NULL, NULL);
}

static void enter(NrLoops *l, NrLoopStmt *s, size_t i) {
  NrLoopBlock *block = NR_NEW(l->arena, NrLoopBlock);
  *block = (NrLoopBlock){.parent = l->block, .owner = s};
  l->block = s->blocks[i] = block;
}

NrLoopValue nr_loops_for(NrLoops *l, const char *hint, NrLoopValue begin, NrLoopValue end) {
  NrLoopStmt *s = add(l, FOR);
  set_operands(l, s, (NrLoopValue[]){begin, end}, 2);
  enter(l, s, 0);
  return s->result = new_value(l, hint, NULL);
}

NrLoopValue nr_loops_parallel(NrLoops *l, const char *hint, NrLoopValue begin, NrLoopValue end) {
  NrLoopValue iv = nr_loops_for(l, hint, begin, end);
  l->block->owner->is_parallel = true;
  return iv;
}

void nr_loops_set_time(NrLoops *l, int64_t ns) { l->block->owner->iteration_ns = ns; }

void nr_loops_keep_scalar(NrLoops *l) { l->block->owner->is_scalar = true; }

void nr_loops_while(NrLoops *l) { enter(l, add(l, WHILE), 0); }

void nr_loops_do(NrLoops *l, NrLoopValue condition) {
  NrLoopStmt *s = l->block->owner;
  s->condition = condition;
  l->block = l->block->parent;
  enter(l, s, 1);
}

void nr_loops_if(NrLoops *l, NrLoopValue condition) {
  NrLoopStmt *s = add(l, IF);
  set_operands(l, s, &condition, 1);
  enter(l, s, 0);
}

void nr_loops_else(NrLoops *l) {
  NrLoopStmt *s = l->block->owner;
  l->block = l->block->parent;
  enter(l, s, 1);
}

void nr_loops_end(NrLoops *l) { l->block = l->block->parent; }

/* ---- printing ---------------------------------------------------------------------------------------------------- */

typedef struct Printer {
  NrLoops *l;
  NrBuf *out;
  size_t depth;
  const char *indent;
} Printer;

static void print_block(Printer *p, const NrLoopBlock *block);

static const char *fresh(NrLoops *l, const char *hint) {
  const char *name = nr_arena_printf(l->arena, "%%%s", hint);
  size_t number = (size_t)nr_strmap_get(&l->numbers, nr_str(hint));
  while (nr_strmap_has(&l->taken, nr_str(name))) name = nr_arena_printf(l->arena, "%%%s_%zu", hint, ++number);
  nr_strmap_set(&l->taken, nr_str(name), (void *)name);
  nr_strmap_set(&l->numbers, nr_str(hint), (void *)number);
  return name;
}

static const char *name_value(Printer *p, NrLoopValue v) {
  return p->l->names.data[v] = fresh(p->l, p->l->hints.data[v]);
}

const char *nr_loops_name(const NrLoops *l, NrLoopValue v) { return l->names.data[v]; }

static void line(Printer *p) {
  nr_buf_puts(p->out, p->indent);
  for (size_t i = 0; i < p->depth; i++) nr_buf_puts(p->out, "  ");
}

static void put_op(Printer *p, const NrLoopStmt *s) {
  line(p);
  if (s->result != NR_NO_LOOP_VALUE) nr_buf_printf(p->out, "%s = ", name_value(p, s->result));
  for (const char *c = s->text; *c; c++) {
    if (*c != '$') nr_buf_putc(p->out, *c);
    else nr_buf_puts(p->out, p->l->names.data[s->operands[*++c - '0']]);
  }
  nr_buf_putc(p->out, '\n');
}

typedef NR_VEC(NrLoopValue) Carried;

/* The variables that a statement's blocks assign, in the order of their declarations. */
static void carried(const NrLoopStmt *s, Carried *out) {
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; s->blocks[i] && k < s->blocks[i]->assigned.size; k++) {
      NrLoopValue v = s->blocks[i]->assigned.data[k];
      size_t at = 0;
      while (at < out->size && out->data[at] < v) at++;
      if (at < out->size && out->data[at] == v) continue;
      nr_vec_push(out, v);
      memmove(out->data + at + 1, out->data + at, (out->size - 1 - at) * sizeof *out->data);
      out->data[at] = v;
    }
}

static void put_types(Printer *p, const Carried *c) {
  for (size_t i = 0; i < c->size; i++) nr_buf_printf(p->out, "%s%s", i ? ", " : "", p->l->types.data[c->data[i]]);
}

static void put_names(Printer *p, const Carried *c) {
  for (size_t i = 0; i < c->size; i++) nr_buf_printf(p->out, "%s%s", i ? ", " : "", p->l->names.data[c->data[i]]);
}

static void rename_all(Printer *p, const Carried *c) {
  for (size_t i = 0; i < c->size; i++) name_value(p, c->data[i]);
}

/* "a, b = ": the names of results, into *out; those before stay in place. */
static void put_results(Printer *p, const Carried *c, const char **out) {
  line(p);
  for (size_t i = 0; i < c->size; i++) {
    out[i] = fresh(p->l, p->l->hints.data[c->data[i]]);
    nr_buf_printf(p->out, "%s%s", i ? ", " : "", out[i]);
  }
  if (c->size) nr_buf_puts(p->out, " = ");
}

static void set_names(Printer *p, const Carried *c, const char *const *names) {
  for (size_t i = 0; i < c->size; i++) p->l->names.data[c->data[i]] = names[i];
}

static void save_names(Printer *p, const Carried *c, const char **out) {
  for (size_t i = 0; i < c->size; i++) out[i] = p->l->names.data[c->data[i]];
}

/* "%a = %b, %c = %d": new names that begin with the values of before. */
static void put_initial(Printer *p, const Carried *c, const char *const *before) {
  rename_all(p, c);
  for (size_t i = 0; i < c->size; i++)
    nr_buf_printf(p->out, "%s%s = %s", i ? ", " : "", p->l->names.data[c->data[i]], before[i]);
}

static void put_yield(Printer *p, const Carried *c) {
  if (!c->size) return;
  p->depth++;
  line(p);
  p->depth--;
  nr_buf_puts(p->out, "scf.yield ");
  put_names(p, c);
  nr_buf_puts(p->out, " : ");
  put_types(p, c);
  nr_buf_putc(p->out, '\n');
}

static void close_block(Printer *p, const NrLoopStmt *s) {
  line(p);
  if (s->iteration_ns) nr_buf_printf(p->out, "} {noria.point_ns = %lld}\n", (long long)s->iteration_ns);
  else nr_buf_puts(p->out, s->is_scalar ? "} {noria.loop = {vectorize = false}}\n" : "}\n");
}

static void put_parallel(Printer *p, const NrLoopStmt *s, const Carried *c) {
  assert(!c->size);
  (void)c;
  nr_buf_printf(p->out, "scf.parallel (%s) = (%s) to (%s) step (%%c1) {\n", name_value(p, s->result),
                p->l->names.data[s->operands[0]], p->l->names.data[s->operands[1]]);
  print_block(p, s->blocks[0]);
  close_block(p, s);
}

static void put_for(Printer *p, const NrLoopStmt *s, const Carried *c, const char *const *before) {
  nr_buf_printf(p->out, "scf.for %s = %s to %s step %%c1", name_value(p, s->result), p->l->names.data[s->operands[0]],
                p->l->names.data[s->operands[1]]);
  if (c->size) {
    nr_buf_puts(p->out, " iter_args(");
    put_initial(p, c, before);
    nr_buf_puts(p->out, ") -> (");
    put_types(p, c);
    nr_buf_putc(p->out, ')');
  }
  nr_buf_puts(p->out, " {\n");
  print_block(p, s->blocks[0]);
  put_yield(p, c);
  close_block(p, s);
}

static void put_while(Printer *p, const NrLoopStmt *s, const Carried *c, const char *const *before) {
  nr_buf_puts(p->out, "scf.while (");
  put_initial(p, c, before);
  nr_buf_puts(p->out, ") : (");
  put_types(p, c);
  nr_buf_puts(p->out, ") -> (");
  put_types(p, c);
  nr_buf_puts(p->out, ") {\n");
  print_block(p, s->blocks[0]);
  p->depth++;
  line(p);
  p->depth--;
  nr_buf_printf(p->out, "scf.condition(%s) ", p->l->names.data[s->condition]);
  put_names(p, c);
  nr_buf_puts(p->out, " : ");
  put_types(p, c);
  nr_buf_putc(p->out, '\n');
  line(p);
  nr_buf_puts(p->out, "} do {\n");
  line(p);
  nr_buf_puts(p->out, "^bb0(");
  rename_all(p, c);
  for (size_t i = 0; i < c->size; i++)
    nr_buf_printf(p->out, "%s%s: %s", i ? ", " : "", p->l->names.data[c->data[i]], p->l->types.data[c->data[i]]);
  nr_buf_puts(p->out, "):\n");
  print_block(p, s->blocks[1]);
  put_yield(p, c);
  close_block(p, s);
}

static void put_if(Printer *p, const NrLoopStmt *s, const Carried *c, const char *const *before) {
  nr_buf_printf(p->out, "scf.if %s ", p->l->names.data[s->operands[0]]);
  if (c->size) {
    nr_buf_puts(p->out, "-> (");
    put_types(p, c);
    nr_buf_puts(p->out, ") ");
  }
  nr_buf_puts(p->out, "{\n");
  print_block(p, s->blocks[0]);
  put_yield(p, c);
  if (s->blocks[1] || c->size) {
    set_names(p, c, before);
    line(p);
    nr_buf_puts(p->out, "} else {\n");
    if (s->blocks[1]) print_block(p, s->blocks[1]);
    put_yield(p, c);
  }
  close_block(p, s);
}

static void put_region(Printer *p, const NrLoopStmt *s) {
  Carried c = {0};
  carried(s, &c);
  const char **before = NR_NEW_ARRAY(p->l->arena, const char *, c.size + 1);
  const char **after = NR_NEW_ARRAY(p->l->arena, const char *, c.size + 1);
  save_names(p, &c, before);
  put_results(p, &c, after);
  if (s->is_parallel) put_parallel(p, s, &c);
  else if (s->kind == FOR) put_for(p, s, &c, before);
  else if (s->kind == WHILE) put_while(p, s, &c, before);
  else put_if(p, s, &c, before);
  set_names(p, &c, after);
  nr_vec_deinit(&c);
}

static void print_stmt(Printer *p, const NrLoopStmt *s) {
  const char **names = p->l->names.data;
  switch (s->kind) {
  case OP: put_op(p, s); break;
  case COMMENT:
    line(p);
    nr_buf_printf(p->out, "// %s\n", s->text);
    break;
  case DECLARE:
  case ASSIGN:
  case READ: names[s->result] = names[s->operands[0]]; break;
  case FOR:
  case WHILE:
  case IF: put_region(p, s); break;
  }
}

static void print_block(Printer *p, const NrLoopBlock *block) {
  p->depth += block->parent != NULL;
  for (const NrLoopStmt *s = block->first; s; s = s->next) print_stmt(p, s);
  p->depth -= block->parent != NULL;
}

void nr_loops_print(NrLoops *l, NrBuf *out, const char *indent) {
  Printer p = {.l = l, .out = out, .indent = indent};
  print_block(&p, l->block);
}
