/* text.c - names, lines and helper functions. */
#include <ctype.h>
#include <stdio.h>

#include "codegen/c/c.h"

const char *nr_c_text(NrC *g, const char *format, ...) {
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  NrStr copy = nr_str_copy(&g->arena, (NrStr){text.data, text.size});
  nr_buf_deinit(&text);
  return copy.size ? copy.data : "";
}

void nr_c_line(NrC *g, const char *format, ...) {
  va_list args;
  for (unsigned i = 0; i < g->indent; i++) nr_buf_puts(g->out, "  ");
  va_start(args, format);
  nr_buf_vprintf(g->out, format, args);
  va_end(args);
  nr_buf_putc(g->out, '\n');
}

/* Whether text is a name, a number, a call, or is in parentheses as a whole. */
static bool is_whole(const char *text) {
  size_t i = 0;
  if (text[0] != '(' && !isalnum((unsigned char)text[0]) && text[0] != '_') return false;
  while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.') i++;
  while (text[i] == '(' || text[i] == '[') {
    int depth = 0;
    if (text[i] == '(' && i && text[i - 1] == ')') return false;
    do {
      depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
      i++;
    } while (depth && text[i]);
    if (text[0] == '(') break; /* what follows may be what a cast applies to */
    while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.') i++;
  }
  return !text[i];
}

const char *nr_c_group(NrC *g, const char *expression) {
  return is_whole(expression) ? expression : nr_c_text(g, "(%s)", expression);
}

void nr_c_put_file(NrBuf *out, const char *name) {
  const NrCText *text = nr_c_texts;
  while (text->name && strcmp(text->name, name) != 0) text++;
  assert(text->name && "lib/c has no such file");
  nr_buf_append(out, text->text, text->size);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Names that C, its library, or the text of every file has taken, besides those that begin with "noria". */
static const char *const taken[] = {
#define WORD(name) #name,
#include "codegen/c/words.def"
#undef WORD
};

static bool begins_as_ours(NrStr name) { return name.size >= 5 && strncasecmp(name.data, "noria", 5) == 0; }

static bool is_taken(NrStr name) {
  for (size_t i = 0; i < NR_COUNTOF(taken); i++)
    if (nr_str_is(name, taken[i])) return true;
  return false;
}

static const char *free_name(NrC *g, NrStr wanted, const NrStrMap *also, NrStrMap *into) {
  NrBuf text = {0}; /* begins with a letter: C keeps names that begin with an underscore for itself */
  for (size_t i = 0; i < wanted.size && i < 60; i++) {
    unsigned char c = (unsigned char)wanted.data[i];
    bool letter = c < 128 && isalnum(c);
    if (!text.size && isdigit(c)) nr_buf_putc(&text, 'v');
    if (letter) nr_buf_putc(&text, (char)c);
    else if (text.size && (c == '_' || text.data[text.size - 1] != '_')) nr_buf_putc(&text, '_');
  }
  while (text.size > 1 && text.data[text.size - 1] == '_') text.size--;
  if (!text.size) nr_buf_putc(&text, 'v');
  NrStr base = nr_str_copy(&g->arena, (NrStr){text.data, text.size});
  if (begins_as_ours(base)) base = nr_str(nr_c_text(g, "v_%.*s", NR_STR_ARG(base)));
  NrStr name = base;
  nr_buf_deinit(&text);
  for (unsigned i = 2; is_taken(name) || nr_strmap_has(into, name) || (also && nr_strmap_has(also, name)); i++)
    name = nr_str(nr_c_text(g, "%.*s_%u", NR_STR_ARG(base), i));
  nr_strmap_set(into, name, (void *)name.data);
  return name.data;
}

const char *nr_c_global_name(NrC *g, NrStr wanted) { return free_name(g, wanted, NULL, &g->names); }

const char *nr_c_local_name(NrC *g, NrStr wanted) {
  char number[24];
  int size = snprintf(number, sizeof number, "v%u", g->next_name);
  if (wanted.size) return free_name(g, wanted, &g->names, &g->local_names);
  g->next_name++;
  return free_name(g, (NrStr){number, (size_t)size}, &g->names, &g->local_names);
}

const char *nr_c_helper(NrC *g, const char *base, const char *before, const char *behind) {
  NrStr key = nr_str(nr_c_text(g, "%s%s%s", base, before, behind));
  const char *name = nr_strmap_get(&g->helpers_known, key);
  if (name) return name;
  name = nr_c_global_name(g, nr_str(base));
  nr_strmap_set(&g->helpers_known, key, (void *)name);
  nr_buf_printf(&g->helpers, "NORIA_UNUSED static inline %s%s%s\n", before, name, behind);
  return name;
}

NrStr nr_c_place(NrC *g, NrOp *op) {
  NrBuf place = {0};
  NrStr node = nr_op_attr_str(op, NR_A_node);
  if (node.size) nr_buf_printf(&place, "node '%.*s'", NR_STR_ARG(node));
  else nr_loc_place(op->loc, &place);
  NrStr kept = nr_str_copy(&g->arena, (NrStr){place.data, place.size});
  nr_buf_deinit(&place);
  return kept;
}

void nr_c_string(NrBuf *out, NrStr s) {
  nr_buf_putc(out, '"');
  for (size_t i = 0; i < s.size; i++) {
    unsigned char c = (unsigned char)s.data[i];
    if (c == '"' || c == '\\') nr_buf_printf(out, "\\%c", c);
    else if (c == '\n') nr_buf_puts(out, "\\n");
    else if (c < 32 || c > 126 || c == '?') nr_buf_printf(out, "\\%03o", c);
    else nr_buf_putc(out, (char)c);
  }
  nr_buf_putc(out, '"');
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

const char *nr_c_name(NrC *g, NrValue *value) {
  const char *name = nr_map_get(&g->value_names, value);
  if (name) return name;
  name = nr_c_local_name(g, value->name ? nr_str(value->name) : (NrStr){0});
  nr_map_set(&g->value_names, value, (void *)name);
  return name;
}

const char *nr_c_plain(NrC *g, NrValue *value) {
  NrAttr constant = value->op && nr_op_is(value->op, NR_OP_arith_constant) ? nr_op_attr(value->op, NR_A_value) : NULL;
  const char *text = constant ? nr_c_constant(g, constant, value->type) : NULL;
  if (!text) text = nr_map_get(&g->inlined, value);
  return text ? text : nr_c_name(g, value);
}

const char *nr_c_value(NrC *g, NrValue *value) { return nr_c_group(g, nr_c_plain(g, value)); }

enum { LONGEST_INLINED = 72 };

void nr_c_define(NrC *g, NrValue *value, const char *expression) {
  const char *name = nr_c_name(g, value);
  if (nr_map_has(&g->hoisted, value)) nr_c_line(g, "%s = %s;", name, expression);
  else nr_c_line(g, "%s = %s;", nr_c_declare(g, value->type, name), expression);
}

void nr_c_set(NrC *g, NrValue *value, const char *expression) {
  if (!nr_map_has(&g->live, value)) return;
  bool is_inlined = nr_map_has(&g->may_inline, value) && strlen(expression) <= LONGEST_INLINED;
  if (is_inlined) nr_map_set(&g->inlined, value, (void *)nr_c_text(g, "%s", expression));
  else nr_c_define(g, value, expression);
}
