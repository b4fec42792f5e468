/* parse_names.c - meaning of %names and ^labels.
 *
 * One hash table holds every name of the file with its current meaning. Definitions are recorded in an undo list; the
 * end of a region undoes those made in it, so that a scope costs only its definitions. */
#include "ir/parse.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void grow_names(NrParser *p) {
  size_t capacity = p->cap_names ? p->cap_names * 2 : 256, mask = capacity - 1;
  NrNameSlot *fresh = nr_calloc(capacity, sizeof *fresh);
  for (size_t i = 0; i < p->cap_names; i++) {
    NrNameSlot slot = p->names[i];
    if (!slot.name) continue;
    size_t at = slot.hash & mask;
    while (fresh[at].name) at = (at + 1) & mask;
    fresh[at] = slot;
  }
  nr_free(p->names);
  p->names = fresh;
  p->cap_names = capacity;
}

NrName *nr_parse_name(NrParser *p, NrStr text) {
  if ((p->num_names + 1) * 4 > p->cap_names * 3) grow_names(p);
  uint64_t hash = nr_hash_bytes(text.data, text.size);
  size_t mask = p->cap_names - 1, at = hash & mask;
  for (; p->names[at].name; at = (at + 1) & mask)
    if (p->names[at].hash == hash && nr_str_eq(p->names[at].name->text, text)) return p->names[at].name;
  NrName *name = NR_NEW(&p->arena, NrName);
  name->text = nr_str_copy(nr_context_arena(p->ctx), text);
  p->names[at] = (NrNameSlot){hash, name};
  p->num_names++;
  return name;
}

/* ---- names that are wrong ---------------------------------------------------------------------------------------- */

static bool is_number(NrStr text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return true;
}

/* Makes no suggestion for numbers and names of at most two letters: too many names are similar. */
static NrNearest nearest_to(NrParser *p, NrStr wrong) {
  bool helps = !is_number(wrong) && wrong.size > 2 && nr_parse_may_suggest(p);
  return helps ? nr_nearest(wrong) : (NrNearest){.wrong = wrong};
}

static bool fail_undeclared(NrParser *p, NrStr name, const char *at, size_t begin) {
  NrNearest n = nearest_to(p, name);
  for (size_t i = begin; n.limit && i < p->bound.size; i++) {
    const NrName *other = p->bound.data[i].name;
    if (other->bound.scope == p->scope && other->bound.first) nr_nearest_try(&n, other->text);
  }
  if (!n.best.size) return nr_parse_fail_at(p, at, "use of undeclared SSA value name '%%%.*s'", NR_STR_ARG(name));
  return nr_parse_fail_at(p, at, "use of undeclared SSA value name '%%%.*s'; did you mean '%%%.*s'?", NR_STR_ARG(name),
                          NR_STR_ARG(n.best));
}

static bool fail_undefined(NrParser *p, const NrName *label, size_t begin) {
  NrNearest n = nearest_to(p, label->text);
  for (size_t i = begin; n.limit && i < p->labels.size; i++)
    if (p->labels.data[i].name->label.defined) nr_nearest_try(&n, p->labels.data[i].name->text);
  const char *at = label->label.at;
  if (!n.best.size) return nr_parse_fail_at(p, at, "reference to an undefined block '^%.*s'", NR_STR_ARG(label->text));
  return nr_parse_fail_at(p, at, "reference to an undefined block '^%.*s'; did you mean '^%.*s'?",
                          NR_STR_ARG(label->text), NR_STR_ARG(n.best));
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A placeholder value, for a use before the definition or a definition by an op that failed. */
static NrValue *stand_in(NrParser *p, NrType type) {
  NrArg *value = NR_NEW(&p->module->arena, NrArg);
  value->value = (NrValue){.type = type, .block = p->limbo};
  return &value->value;
}

/* Resolves a forward reference. */
static bool resolve_forward(NrParser *p, NrForward *f, const NrBinding *b) {
  if (!b->first) return true; /* the error was reported already */
  if (f->number >= b->count)
    return nr_parse_fail_at(p, f->at, "reference to invalid result number %u of '%%%.*s'", f->number,
                            NR_STR_ARG(f->name->text));
  NrValue *value = b->first + f->number;
  if (value->type != f->value->type) {
    nr_parse_fail_at(p, b->at, "definition of SSA value '%%%.*s#%u' has type '%s'", NR_STR_ARG(f->name->text),
                     f->number, nr_type_text(p->ctx, value->type));
    nr_note(p->ctx, nr_parse_loc_at(p, f->at), "previously used here with type '%s'",
            nr_type_text(p->ctx, f->value->type));
    return false;
  }
  if (f->value->first_use) nr_value_replace_uses(f->value, value);
  return true;
}

bool nr_parse_bind(NrParser *p, NrName *name, NrValue *first, uint32_t count, const char *at) {
  if (name->bound.scope == p->scope) {
    if (!first) return true;
    nr_parse_fail_at(p, at, "redefinition of SSA value '%%%.*s'", NR_STR_ARG(name->text));
    nr_note(p->ctx, nr_parse_loc_at(p, name->bound.at), "previously defined here");
    return false;
  }
  nr_vec_push(&p->bound, ((__typeof__(*p->bound.data)){name, name->bound}));
  name->bound = (NrBinding){first, count, p->scope, at};
  bool ok = true;
  while (name->forward && name->forward->scope == p->scope) {
    ok &= resolve_forward(p, name->forward, &name->bound);
    name->forward->value = NULL; /* resolved */
    name->forward = name->forward->next;
  }
  if (first && !is_number(name->text)) first->name = name->text.data;
  return ok;
}

static bool check_type(NrParser *p, NrOperandRef ref, NrValue *value, NrType type, const char *prior) {
  if (!type || value->type == type) return true;
  nr_parse_fail_at(p, ref.at, "use of value '%%%.*s' expects different type than prior uses: '%s' vs '%s'",
                   NR_STR_ARG(ref.name), nr_type_text(p->ctx, type), nr_type_text(p->ctx, value->type));
  nr_note(p->ctx, nr_parse_loc_at(p, prior), "prior use here");
  return false;
}

static NrValue *use_forward(NrParser *p, NrName *name, NrOperandRef ref, NrType type) {
  for (NrForward *f = name->forward; f && f->scope == p->scope; f = f->next)
    if (f->number == ref.number) return check_type(p, ref, f->value, type, f->at) ? f->value : NULL;
  if (!type) {
    fail_undeclared(p, ref.name, ref.at, 0);
    return NULL;
  }
  NrForward *f = NR_NEW(&p->arena, NrForward);
  *f = (NrForward){name->forward, name, stand_in(p, type), ref.number, p->scope, ref.at};
  name->forward = f;
  nr_vec_push(&p->forwards, f);
  return f->value;
}

NrValue *nr_parse_use(NrParser *p, NrOperandRef ref, NrType type) {
  NrName *name = nr_parse_name(p, ref.name);
  const NrBinding *b = &name->bound;
  if (b->scope != p->scope) return use_forward(p, name, ref, type);
  if (!b->first) return stand_in(p, type ? type : nr_type_none(p->ctx));
  if (ref.number >= b->count) {
    nr_parse_fail_at(p, ref.at, "reference to invalid result number %u of '%%%.*s'", ref.number, NR_STR_ARG(ref.name));
    return NULL;
  }
  NrValue *value = b->first + ref.number;
  return check_type(p, ref, value, type, b->at) ? value : NULL;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static NrLabel *label_of(NrParser *p, NrToken t, NrName **out_name) {
  NrName *name = *out_name = nr_parse_name(p, nr_token_name(t));
  if (name->label.region == p->region) return &name->label;
  nr_vec_push(&p->labels, ((__typeof__(*p->labels.data)){name, name->label}));
  name->label = (NrLabel){.region = p->region, .at = t.begin};
  return &name->label;
}

static NrBlock *new_block(NrParser *p, const NrName *name) {
  NrBlock *block = nr_block_create(p->module);
  block->name = name->text;
  return block;
}

NrBlock *nr_parse_label_use(NrParser *p, NrToken t) {
  NrName *name;
  NrLabel *label = label_of(p, t, &name);
  if (!label->block) label->block = new_block(p, name);
  return label->block;
}

bool nr_parse_label_define(NrParser *p, NrToken t, NrBlock *block, NrBlock **out) {
  NrName *name;
  NrLabel *label = label_of(p, t, &name);
  if (label->defined) {
    nr_parse_fail_at(p, t.begin, "redefinition of block '^%.*s'", NR_STR_ARG(name->text));
    nr_note(p->ctx, nr_parse_loc_at(p, label->at), "previously defined here");
    return false;
  }
  if (block && label->block) return nr_parse_fail_at(p, t.begin, "the entry block has no predecessors");
  if (block) label->block = block;
  if (!label->block) label->block = new_block(p, name);
  label->block->name = name->text;
  label->defined = true;
  label->at = t.begin;
  *out = label->block;
  return true;
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

NrScope nr_parse_scope_begin(NrParser *p, bool isolated) {
  NrScope outer = {p->scope, p->region, p->bound.size, p->labels.size, p->forwards.size, isolated};
  if (isolated) p->scope = ++p->last_scope;
  p->region = ++p->last_region;
  return outer;
}

/* Labels that were used and not defined. */
static bool end_labels(NrParser *p, size_t begin) {
  bool ok = true;
  for (size_t i = begin; i < p->labels.size; i++) {
    const NrName *name = p->labels.data[i].name;
    if (name->label.defined) continue;
    ok = fail_undefined(p, name, begin);
  }
  while (p->labels.size > begin) {
    p->labels.size--;
    p->labels.data[p->labels.size].name->label = p->labels.data[p->labels.size].old;
  }
  return ok;
}

/* Values that were used and not defined: one error for each, at its first use. bound: where the scope's names begin. */
static bool end_forwards(NrParser *p, size_t begin, size_t bound) {
  bool ok = true;
  for (size_t i = begin; i < p->forwards.size; i++) {
    const NrForward *f = p->forwards.data[i];
    if (!f->value) continue;
    ok = fail_undeclared(p, f->name->text, f->at, bound);
  }
  while (p->forwards.size > begin) {
    NrForward *f = nr_vec_pop(&p->forwards);
    if (f->value) f->name->forward = f->next;
  }
  return ok;
}

bool nr_parse_scope_end(NrParser *p, NrScope outer) {
  bool ok = end_labels(p, outer.labels);
  if (outer.isolated) ok &= end_forwards(p, outer.forwards, outer.bound);
  while (p->bound.size > outer.bound) {
    p->bound.size--;
    p->bound.data[p->bound.size].name->bound = p->bound.data[p->bound.size].old;
  }
  p->scope = outer.scope;
  p->region = outer.region;
  return ok;
}
