/* parse_hooks.c - the functions that .parse hooks of ops call. */
#include "ir/parse.h"

#include <stdlib.h>

static NrStatus status_of(bool ok) { return ok ? NR_OK : NR_ERROR_INVALID; }

NrContext *nr_p_context(NrParser *p) { return p->ctx; }
NrModule *nr_p_module(NrParser *p) { return p->module; }
NrLoc nr_p_loc(NrParser *p) { return nr_parse_loc_at(p, p->tok.begin); }
NrLoc nr_p_operand_loc(NrParser *p, NrOperandRef ref) { return nr_parse_loc_at(p, ref.at); }
NrStr nr_p_op_name(NrParser *p) { return p->frame ? p->frame->name : (NrStr){0}; }
NrStr nr_p_type_name(NrParser *p) { return p->type_name; }
bool nr_p_is_legacy(NrParser *p) { return p->frame && p->frame->legacy; }
bool nr_p_text_is_legacy(NrParser *p) { return p->ctx->legacy_names; }

bool nr_p_is_generic(NrParser *p) { return p->frame && p->frame->at[0] == '"'; }

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static NrStatus report(NrParser *p, NrLoc loc, const char *prefix, const char *format, va_list args) {
  if (p->tok.kind == NR_TOK_ERROR) {
    nr_parse_fail(p, "%s", p->lexer.message);
    return NR_ERROR_INVALID;
  }
  NrBuf text = {0};
  nr_buf_vprintf(&text, format, args);
  nr_error(p->ctx, loc, "%s%s", prefix, text.data);
  nr_buf_deinit(&text);
  return NR_ERROR_INVALID;
}

NrStatus nr_p_error(NrParser *p, NrLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  NrStatus status = report(p, loc, "", format, args);
  va_end(args);
  return status;
}

NrStatus nr_p_op_error(NrParser *p, const char *format, ...) {
  NrBuf prefix = {0};
  nr_buf_printf(&prefix, "custom op '%.*s' ", NR_STR_ARG(p->frame->name));
  va_list args;
  va_start(args, format);
  NrStatus status = report(p, nr_parse_loc_at(p, p->frame->at), prefix.data, format, args);
  va_end(args);
  nr_buf_deinit(&prefix);
  return status;
}

const char *nr_p_end(NrParser *p) { return p->last_end; }

const char *nr_p_signature_end(NrParser *p) {
  NrLexer ahead = p->lexer;
  NrToken t;
  size_t depth = 0;
  ahead.next = p->frame->at;
  do {
    nr_lex(&ahead, &t);
    depth += t.kind == '(';
    if (t.kind == ')' && --depth == 0) return t.end;
  } while (t.kind != NR_TOK_EOF && t.kind != NR_TOK_ERROR && !(depth == 0 && t.kind == '{'));
  return p->frame->at + p->frame->name.size;
}

/* Copies source text to one line: each run of white space becomes one blank. */
static void put_source(NrBuf *out, const char *begin, const char *end) {
  for (const char *c = begin; c < end; c++) {
    bool blank = strchr(" \t\r\n", *c) != NULL;
    if (!blank) nr_buf_putc(out, *c);
    else if (out->size && out->data[out->size - 1] != ' ') nr_buf_putc(out, ' ');
  }
}

static void report_proposal(NrParser *p, const char *begin, const char *end, const char *format, va_list args) {
  NrBuf text = {0};
  put_source(&text, begin, end);
  nr_buf_vprintf(&text, format, args);
  nr_warning(p->ctx, nr_parse_loc_at(p, begin), "only the first proposal had this form; the accepted one is '%.*s'",
             (int)text.size, text.data);
  nr_buf_deinit(&text);
}

void nr_p_proposal(NrParser *p, const char *end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_proposal(p, p->frame->at, end, format, args);
  va_end(args);
}

void nr_parse_proposal_at(NrParser *p, const char *begin, const char *end, const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_proposal(p, begin, end, format, args);
  va_end(args);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* A prefix alone matches any token that begins with it. */
bool nr_p_peek(NrParser *p, const char *token) {
  if (p->tok.kind == NR_TOK_EOF) return false;
  if (token[1] == 0 && strchr("@%^#!\"", token[0])) return p->tok.kind != NR_TOK_ERROR && p->tok.begin[0] == token[0];
  return nr_token_is(p->tok, token);
}

bool nr_p_try_token(NrParser *p, NrStr token) {
  if (p->tok.kind == NR_TOK_EOF || !nr_str_eq(nr_token_str(p->tok), token)) return false;
  nr_parse_advance(p);
  return true;
}

NrStatus nr_p_expect_token(NrParser *p, NrStr token) {
  return nr_p_try_token(p, token) ? NR_OK : status_of(nr_parse_fail(p, "expected '%.*s'", NR_STR_ARG(token)));
}

bool nr_p_try_keyword(NrParser *p, NrStr *out) {
  if (!nr_parse_at(p, NR_TOK_BARE)) return false;
  *out = nr_token_str(p->tok);
  nr_parse_advance(p);
  return true;
}

NrStatus nr_p_keyword(NrParser *p, NrStr *out) {
  return nr_p_try_keyword(p, out) ? NR_OK : status_of(nr_parse_fail(p, "expected a keyword"));
}

bool nr_p_try_int(NrParser *p, int64_t *out) {
  if (!nr_parse_at(p, NR_TOK_INT) && !nr_parse_at(p, '-')) return false;
  NrParseMark here = nr_parse_mark(p);
  bool negative = nr_parse_take(p, '-');
  uint64_t value;
  bool fits = nr_parse_at(p, NR_TOK_INT) && nr_token_u64(p->tok, &value) && value <= (uint64_t)INT64_MAX + negative;
  if (!fits) return nr_parse_return_to(p, here), false;
  nr_parse_advance(p);
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

NrStatus nr_p_int(NrParser *p, int64_t *out) { return status_of(nr_parse_int64(p, out)); }

bool nr_p_try_string(NrParser *p, NrStr *out) { return nr_parse_at(p, NR_TOK_STRING) && nr_parse_string(p, out); }

NrStatus nr_p_symbol_name(NrParser *p, NrStr *out) { return status_of(nr_parse_symbol_name(p, out)); }

NrStatus nr_p_symbol(NrParser *p, NrAttr *out) { return status_of((*out = nr_parse_symbol(p)) != NULL); }

/* ---- types and attributes ---------------------------------------------------------------------------------------- */

NrStatus nr_p_type(NrParser *p, NrType *out) { return status_of((*out = nr_parse_type_here(p)) != NULL); }
NrStatus nr_p_type_or_dims(NrParser *p, NrType *out) { return status_of((*out = nr_parse_type_or_dims(p)) != NULL); }

NrStatus nr_p_function_type(NrParser *p, NrType *out) {
  if (!nr_parse_at(p, '(')) return status_of(nr_parse_fail(p, "expected a function type"));
  return status_of((*out = nr_parse_function_type(p)) != NULL);
}

/* Pops the list that a parse function pushed to the stack of types. */
static NrStatus take_types(NrParser *p, bool ok, size_t begin, NrType **out, size_t *count) {
  *out = NULL;
  if (!ok) *count = 0;
  if (*count) {
    *out = nr_parse_scratch(p, *count, sizeof **out);
    memcpy(*out, p->types.data + begin, *count * sizeof **out);
  }
  p->types.size = begin;
  return status_of(ok);
}

NrStatus nr_p_type_list(NrParser *p, NrType **out, size_t *count) {
  size_t begin = p->types.size;
  bool ok = nr_parse_types(p, count);
  return take_types(p, ok, begin, out, count);
}

NrStatus nr_p_paren_type_list(NrParser *p, NrType **out, size_t *count) {
  size_t begin = p->types.size;
  bool ok = nr_parse_paren_types(p, count);
  return take_types(p, ok, begin, out, count);
}

NrStatus nr_p_arrow_type_list(NrParser *p, NrType **out, size_t *count) {
  size_t begin = p->types.size;
  *count = 0;
  bool ok = !nr_parse_take(p, NR_TOK_ARROW) || nr_parse_result_types(p, count);
  return take_types(p, ok, begin, out, count);
}

NrStatus nr_p_attr(NrParser *p, NrAttr *out) { return status_of((*out = nr_parse_attr_here(p, NULL)) != NULL); }

NrStatus nr_p_attr_of_type(NrParser *p, NrType type, NrAttr *out) {
  return status_of((*out = nr_parse_attr_here(p, type)) != NULL);
}

bool nr_p_try_attr_dict(NrParser *p, NrOpState *state) { return nr_parse_attr_dict(p, state); }

bool nr_p_try_attr_dict_keyword(NrParser *p, NrOpState *state) {
  if (!nr_parse_take_word(p, "attributes")) return true;
  return nr_parse_at(p, '{') ? nr_parse_attr_dict(p, state) : nr_parse_need(p, '{');
}

static NrStatus affine_of(NrParser *p, NrAttrKind kind, const char *words, NrAttr *out) {
  const char *at = p->tok.begin;
  *out = nr_parse_at(p, '(') ? nr_parse_affine(p) : nr_parse_attr_here(p, NULL);
  if (!*out || (*out)->kind == kind) return status_of(*out != NULL);
  return status_of(nr_parse_fail_at(p, at, "expected %s", words));
}

NrStatus nr_p_affine_map_of(NrParser *p, NrAttr *out) {
  return affine_of(p, NR_ATTR_AFFINE_MAP, "an affine map", out);
}

NrStatus nr_p_affine_set_of(NrParser *p, NrAttr *out) {
  return affine_of(p, NR_ATTR_AFFINE_SET, "an integer set", out);
}

bool nr_p_try_loc(NrParser *p, NrLoc *io) { return nr_parse_trailing_loc(p, io); }

/* ---- operands, results, attributes ------------------------------------------------------------------------------- */

bool nr_p_try_operand(NrParser *p, NrOperandRef *out) {
  return nr_parse_at(p, NR_TOK_VALUE) && nr_parse_operand(p, out);
}
NrStatus nr_p_operand(NrParser *p, NrOperandRef *out) { return status_of(nr_parse_operand(p, out)); }

NrStatus nr_p_operands(NrParser *p, NrOperandRef **out, size_t *count) {
  return status_of(nr_parse_operands(p, out, count));
}

NrStatus nr_p_resolve(NrParser *p, NrOperandRef ref, NrType type, NrValue **out) {
  return status_of((*out = nr_parse_use(p, ref, type)) != NULL);
}

NrType nr_p_known_type(NrParser *p, NrOperandRef ref) {
  const NrBinding *b = &nr_parse_name(p, ref.name)->bound;
  return b->scope == p->scope && b->first && ref.number < b->count ? b->first[ref.number].type : NULL;
}

NrStatus nr_p_add_operand(NrParser *p, NrOpState *state, NrOperandRef ref, NrType type) {
  assert(state == &p->frame->state);
  return status_of(nr_parse_add_operand(p, ref, type));
}

NrStatus nr_p_add_operands(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count, const NrType *types,
                           size_t num_types) {
  if (count != num_types) return nr_p_op_error(p, "%zu operands present, but expected %zu", count, num_types);
  for (size_t i = 0; i < count; i++) {
    NR_TRY(nr_p_add_operand(p, state, refs[i], types[i]));
  }
  return NR_OK;
}

void nr_p_add_result(NrParser *p, NrOpState *state, NrType type) {
  assert(state == &p->frame->state && type);
  nr_vec_push(&p->result_types, type);
  state->num_results++;
  state->result_types = p->result_types.data + p->frame->result_types;
}

void nr_p_add_results(NrParser *p, NrOpState *state, const NrType *types, size_t count) {
  for (size_t i = 0; i < count; i++) nr_p_add_result(p, state, types[i]);
}

void nr_p_add_attr(NrParser *p, NrOpState *state, const char *name, NrAttr value) {
  assert(state == &p->frame->state && value);
  NrNamedAttr named = {nr_context_intern(p->ctx, nr_str(name)), value};
  nr_vec_push(&p->attrs, named);
  state->num_attrs++;
  state->attrs = p->attrs.data + p->frame->attrs;
}

void nr_p_set_segments(NrParser *p, NrOpState *state, const uint32_t *sizes, size_t count) {
  nr_parse_add_segments(p, state, sizes, count);
}

size_t nr_p_num_result_names(NrParser *p) {
  size_t count = 0;
  for (size_t i = p->frame->result_names; i < p->result_names.size; i++) count += p->result_names.data[i].count;
  return count;
}

/* ---- regions and successors -------------------------------------------------------------------------------------- */

NrStatus nr_p_region(NrParser *p, NrOpState *state, const NrArgRef *args, size_t count) {
  assert(state == &p->frame->state);
  return status_of(nr_parse_region(p, args, count, true));
}

void nr_p_empty_region(NrParser *p, NrOpState *state) {
  assert(state == &p->frame->state);
  nr_parse_add_empty_region(p);
}

NrRegion *nr_p_new_region(NrParser *p, NrOpState *state) {
  nr_p_empty_region(p, state);
  return p->regions.data[p->regions.size - 1];
}

NrStatus nr_p_arg(NrParser *p, NrArgRef *out) {
  if (!nr_parse_at(p, NR_TOK_VALUE)) return status_of(nr_parse_need(p, NR_TOK_VALUE));
  *out = (NrArgRef){.name = nr_token_name(p->tok), .loc = nr_p_loc(p)};
  nr_parse_advance(p);
  return status_of(nr_parse_trailing_loc(p, &out->loc));
}

NrStatus nr_p_typed_arg(NrParser *p, NrArgRef *out) {
  NrStatus status = nr_p_arg(p, out);
  if (status || (status = nr_p_expect(p, ":")) || (status = nr_p_type(p, &out->type))) return status;
  return status_of(nr_parse_trailing_loc(p, &out->loc));
}

NrStatus nr_p_successor(NrParser *p, NrOpState *state) { return status_of(nr_parse_successor(p, state)); }
