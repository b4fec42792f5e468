/* params.c - the parameters of types and attributes of dialects: their definition, text in and out. */
#include "ir/params.h"

#include <ctype.h>

typedef struct Param {
  NrStr name, kind;
} Param;

static void skip_blanks(const char **at) {
  while (**at == ' ') ++*at;
}

static NrStr take_word(const char **at) {
  const char *begin = *at;
  while (isalnum((unsigned char)**at) || **at == '_' || **at == '|') ++*at;
  assert(*at > begin && "malformed definition of a type or attribute: a name is missing");
  return (NrStr){begin, (size_t)(*at - begin)};
}

/* "name: kind, name: kind" */
static size_t read_params(const NrTypeInfo *info, Param *out) {
  const char *at = info->params ? info->params : "";
  size_t count = 0;
  while (*at) {
    assert(count < NR_MAX_PARAMS);
    Param *param = &out[count++];
    param->name = take_word(&at);
    assert(*at == ':' && "malformed definition of a type or attribute: a parameter has no kind");
    at++;
    skip_blanks(&at);
    param->kind = take_word(&at);
    if (*at == ',') at++;
    skip_blanks(&at);
  }
  return count;
}

size_t nr_type_info_num_params(const NrTypeInfo *info) {
  Param params[NR_MAX_PARAMS];
  return read_params(info, params);
}

/* Cuts the first of "a|b|c" off. */
static NrStr take_choice(NrStr *rest) {
  const char *bar = memchr(rest->data, '|', rest->size);
  NrStr first = {rest->data, bar ? (size_t)(bar - rest->data) : rest->size};
  size_t used = first.size + (bar != NULL);
  *rest = (NrStr){rest->data + used, rest->size - used};
  return first;
}

/* ---- the syntax, step by step ------------------------------------------------------------------------------------ */

/* A literal, or a parameter. */
typedef struct Step {
  NrStr literal;
  size_t param; /* SIZE_MAX: the literal */
} Step;

static size_t find_param(const Param *params, size_t count, NrStr name) {
  for (size_t i = 0; i < count; i++)
    if (nr_str_eq(params[i].name, name)) return i;
  assert(!"malformed definition of a type or attribute: .format names no parameter");
  return 0;
}

enum { MAX_STEPS = 2 * NR_MAX_PARAMS };

static size_t read_steps(const NrTypeInfo *info, const Param *params, size_t num_params, Step *out) {
  size_t count = 0;
  if (!info->format) {
    for (size_t i = 0; i < num_params; i++) {
      if (i) out[count++] = (Step){NR_STR(","), SIZE_MAX};
      out[count++] = (Step){{0}, i};
    }
    return count;
  }
  for (const char *at = info->format; *at; skip_blanks(&at)) {
    assert(count < MAX_STEPS && (*at == '`' || *at == '$') && "malformed definition of a type or attribute: .format");
    if (*at++ == '$') {
      out[count++] = (Step){{0}, find_param(params, num_params, take_word(&at))};
      continue;
    }
    const char *end = strchr(at, '`');
    assert(end && "malformed definition of a type or attribute: a literal of .format does not end");
    out[count++] = (Step){{at, (size_t)(end - at)}, SIZE_MAX};
    at = end + 1;
  }
  return count;
}

/* ---- text in ----------------------------------------------------------------------------------------------------- */

static NrStatus unknown_choice(NrParser *p, NrStr choices) {
  NrBuf list = {0};
  NrNearest nearest = nr_nearest(p->tok.kind == NR_TOK_BARE ? nr_token_str(p->tok) : (NrStr){0});
  for (NrStr rest = choices; rest.size;) {
    NrStr choice = take_choice(&rest);
    nr_nearest_try(&nearest, choice);
    nr_buf_printf(&list, "%s'%.*s'", !list.size ? "" : rest.size ? ", " : " or ", NR_STR_ARG(choice));
  }
  nr_parse_fail(p, "expected %s" NR_HINT, list.data, NR_HINT_ARG(nearest));
  nr_buf_deinit(&list);
  return NR_ERROR_INVALID;
}

NrStatus nr_p_choice(NrParser *p, NrStr choices, int64_t *out) {
  *out = 0;
  for (NrStr rest = choices; rest.size; ++*out) {
    NrStr choice = take_choice(&rest);
    if (p->tok.kind != NR_TOK_BARE || !nr_str_eq(nr_token_str(p->tok), choice)) continue;
    nr_parse_advance(p);
    return NR_OK;
  }
  return unknown_choice(p, choices);
}

static bool parse_string(NrParser *p, NrAttr *out) {
  NrScratchMark mark = nr_parse_scratch_mark(p);
  NrStr text;
  bool ok = nr_parse_at(p, NR_TOK_STRING) ? nr_parse_string(p, &text) : nr_parse_fail(p, "expected a string");
  if (ok) *out = nr_attr_string(p->ctx, text);
  nr_parse_scratch_release(p, mark);
  return ok;
}

static bool parse_param(NrParser *p, NrStr kind, NrAttr *out) {
  if (nr_str_is(kind, "type")) {
    NrType type = nr_parse_type_here(p);
    return type && (*out = nr_attr_type(type));
  }
  if (nr_str_is(kind, "scalar")) {
    const char *at = p->tok.begin;
    NrType type = nr_parse_type_here(p);
    if (type && !nr_type_is_scalar(type))
      return nr_parse_fail_at(p, at, "expected the type of a scalar, not %s", nr_type_text(p->ctx, type));
    return type && (*out = nr_attr_type(type));
  }
  if (nr_str_is(kind, "string")) return parse_string(p, out);
  if (nr_str_is(kind, "attr")) return (*out = nr_parse_attr_here(p, NULL)) != NULL;
  if (nr_str_is(kind, "word")) {
    NrStr word;
    return !nr_p_keyword(p, &word) && (*out = nr_attr_string(p->ctx, word));
  }
  int64_t value;
  bool ok = nr_str_is(kind, "int") ? nr_parse_int64(p, &value) : !nr_p_choice(p, kind, &value);
  if (ok) *out = nr_attr_i64(p->ctx, value);
  return ok;
}

static bool parse_steps(NrParser *p, const NrTypeInfo *info, NrAttr *out) {
  Param params[NR_MAX_PARAMS];
  Step steps[MAX_STEPS];
  size_t num_params = read_params(info, params), count = read_steps(info, params, num_params, steps);
  for (size_t i = 0; i < count; i++) {
    if (steps[i].param == SIZE_MAX) {
      if (nr_p_expect_token(p, steps[i].literal)) return false;
    } else if (!parse_param(p, params[steps[i].param].kind, &out[steps[i].param])) {
      return false;
    }
  }
  return true;
}

bool nr_parse_params(NrParser *p, const NrTypeInfo *info, NrAttr *out) {
  if (!info->params) return true;
  if (!nr_parse_need(p, '<')) return false;
  bool ok = info->parse ? !info->parse(p, out) : parse_steps(p, info, out);
  return ok && nr_parse_need(p, '>');
}

/* ---- text out ---------------------------------------------------------------------------------------------------- */

static void put_choice(NrPrinter *w, NrStr choices, int64_t number) {
  NrStr choice = {0};
  for (NrStr rest = choices; rest.size && number >= 0; number--) choice = take_choice(&rest);
  nr_w_str(w, choice);
}

static void put_param(NrPrinter *w, NrStr kind, NrAttr value) {
  if (nr_str_is(kind, "type") || nr_str_is(kind, "scalar") || nr_str_is(kind, "attr")) nr_w_attr(w, value);
  else if (nr_str_is(kind, "int")) nr_w_int(w, value->i);
  else if (nr_str_is(kind, "string")) nr_w_string(w, value->s);
  else if (nr_str_is(kind, "word")) nr_w_str(w, value->s);
  else put_choice(w, kind, value->i);
}

static void put_steps(NrPrinter *w, const NrTypeInfo *info, const NrAttr *values) {
  Param params[NR_MAX_PARAMS];
  Step steps[MAX_STEPS];
  size_t num_params = read_params(info, params), count = read_steps(info, params, num_params, steps);
  for (size_t i = 0; i < count; i++) {
    size_t param = steps[i].param;
    if (param != SIZE_MAX) put_param(w, params[param].kind, values[param]);
    else nr_w_str(w, steps[i].literal);
    if (param == SIZE_MAX && nr_str_is(steps[i].literal, ",")) nr_w_char(w, ' ');
  }
}

void nr_w_params(NrPrinter *w, const NrTypeInfo *info, const NrAttr *params) {
  if (!info->params) return;
  nr_w_char(w, '<');
  if (info->print) info->print(w, params);
  else put_steps(w, info, params);
  nr_w_char(w, '>');
}
