/* parse_loc.c - loc(...): locations. */
#include "ir/parse.h"

static bool line_number(NrParser *p, uint32_t *out) {
  uint64_t value;
  if (!nr_parse_at(p, NR_TOK_INT)) return nr_parse_fail(p, "expected an integer line or column number");
  if (!nr_token_u64(p->tok, &value) || value > UINT32_MAX)
    return nr_parse_fail(p, "line or column number is too large");
  *out = (uint32_t)value;
  nr_parse_advance(p);
  return true;
}

/* :line(:column (to line?:column)?)? after "file". */
static NrLoc file_loc(NrParser *p, NrStr file) {
  uint32_t line, column, end_line = 0, end_column = 0;
  if (!nr_parse_need(p, ':') || !line_number(p, &line)) return NULL;
  if (!nr_parse_take(p, ':')) return nr_loc_file(p->ctx, file, line, 0);
  if (!line_number(p, &column)) return NULL;
  if (nr_parse_take_word(p, "to")) {
    end_line = line;
    if (!nr_parse_at(p, ':') && !line_number(p, &end_line)) return NULL;
    if (!nr_parse_need(p, ':') || !line_number(p, &end_column)) return NULL;
  }
  return nr_loc_file_range(p->ctx, file, line, column, end_line, end_column);
}

/* "name", "name"(loc) or "file":1:2. */
static NrLoc name_or_file_loc(NrParser *p) {
  NrStr name;
  NrLoc child = NULL;
  if (!nr_parse_string(p, &name)) return NULL;
  if (nr_parse_at(p, ':')) return file_loc(p, name);
  if (nr_parse_take(p, '(') && (!(child = nr_parse_loc_body(p)) || !nr_parse_need(p, ')'))) return NULL;
  return nr_loc_name(p->ctx, name, child);
}

static NrLoc callsite_loc(NrParser *p) {
  NrLoc callee, caller;
  if (!nr_parse_need(p, '(') || !(callee = nr_parse_loc_body(p))) return NULL;
  if (!nr_parse_take_word(p, "at")) return nr_parse_fail(p, "expected 'at' in callsite location"), NULL;
  if (!(caller = nr_parse_loc_body(p)) || !nr_parse_need(p, ')')) return NULL;
  return nr_loc_callsite(p->ctx, callee, caller);
}

static NrLoc fused_loc(NrParser *p) {
  NrAttr metadata = NULL;
  if (nr_parse_take(p, '<') && (!(metadata = nr_parse_attr_here(p, NULL)) || !nr_parse_need(p, '>'))) return NULL;
  if (!nr_parse_need(p, '[')) return NULL;
  NR_VEC(NrLoc) parts = {0};
  bool ok = true;
  while (ok && !nr_parse_at(p, ']')) {
    NrLoc part = nr_parse_loc_body(p);
    ok = part && (nr_parse_take(p, ',') || nr_parse_at(p, ']') || nr_parse_need(p, ']'));
    if (ok) nr_vec_push(&parts, part);
  }
  NrLoc loc = ok && nr_parse_need(p, ']') ? nr_loc_fused(p->ctx, parts.data, parts.size, metadata) : NULL;
  nr_vec_deinit(&parts);
  return loc;
}

static NrLoc loc_here(NrParser *p) {
  if (nr_parse_at(p, NR_TOK_STRING)) return name_or_file_loc(p);
  if (nr_parse_at(p, NR_TOK_HASH)) {
    NrToken name = p->tok;
    NrAlias *alias = nr_parse_find_alias(p, name);
    if (!alias) return NULL;
    nr_parse_advance(p);
    if (alias->attr->kind == NR_ATTR_LOC) return alias->attr->loc;
    nr_parse_fail_at(p, name.begin, "expected a location, but '#%.*s' is none", NR_STR_ARG(nr_token_name(name)));
    return NULL;
  }
  if (nr_parse_take_word(p, "unknown")) return nr_loc_unknown(p->ctx);
  if (nr_parse_take_word(p, "callsite")) return callsite_loc(p);
  if (nr_parse_take_word(p, "fused")) return fused_loc(p);
  if (nr_parse_take_word(p, "loc")) {
    NrLoc loc;
    return nr_parse_need(p, '(') && (loc = nr_parse_loc_body(p)) && nr_parse_need(p, ')') ? loc : NULL;
  }
  return nr_parse_fail(p, "expected a location"), NULL;
}

NrLoc nr_parse_loc_body(NrParser *p) {
  if (!nr_parse_enter(p)) return NULL;
  NrLoc loc = loc_here(p);
  nr_parse_leave(p);
  return loc;
}

bool nr_parse_trailing_loc(NrParser *p, NrLoc *io) {
  if (!nr_parse_at_word(p, "loc")) return true;
  NrParseMark here = nr_parse_mark(p);
  nr_parse_advance(p);
  if (!nr_parse_take(p, '(')) return nr_parse_return_to(p, here), true;
  NrLoc loc = nr_parse_loc_body(p);
  if (!loc || !nr_parse_need(p, ')')) return false;
  *io = loc;
  return true;
}
