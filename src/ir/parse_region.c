/* parse_region.c - regions, blocks and their ops; error recovery.
 *
 * An error ends the parsing of the innermost op only. The parser skips to where the next op seems to begin, and marks
 * the op's results as failed, so that all errors are reported in one run, each once. */
#include "ir/parse.h"

/* ---- going on after an error ------------------------------------------------------------------------------------- */

/* Whether an op begins here, at the beginning of a line. Inside parentheses only if it can be nothing else. */
static bool starts_op(NrParser *p, bool in_parens) {
  NrToken t = p->tok, next;
  NrLexer ahead = p->lexer;
  switch (t.kind) {
  case NR_TOK_BARE:
    if (nr_op_info_find(nr_token_str(t), NULL)) return true;
    return !in_parens && memchr(t.begin, '.', (size_t)(t.end - t.begin));
  case NR_TOK_STRING:
    nr_lex(&ahead, &next);
    return next.kind == '(';
  case NR_TOK_VALUE:
    for (;;) {
      nr_lex(&ahead, &next);
      if (next.kind == ':') {
        nr_lex(&ahead, &next);
        if (next.kind != NR_TOK_INT) return false;
        nr_lex(&ahead, &next);
      }
      if (next.kind == '=') return true;
      if (next.kind != ',') return false;
      nr_lex(&ahead, &next);
      if (next.kind != NR_TOK_VALUE) return false;
    }
  case NR_TOK_HASH:
  case NR_TOK_BANG:
    nr_lex(&ahead, &next);
    return !p->frame && !in_parens && next.kind == '=';
  case NR_TOK_BLOCK:
    nr_lex(&ahead, &next);
    return next.kind == ':' || next.kind == '(';
  default: return false;
  }
}

void nr_parse_recover(NrParser *p, const char *begin, int32_t braces, int32_t parens) {
  /* Always consumes a token: otherwise the same error would be reported again. */
  if (p->tok.begin == begin && !nr_parse_at(p, '}')) nr_parse_advance(p);
  for (; !nr_parse_at(p, NR_TOK_EOF); nr_parse_advance(p)) {
    if (p->braces > braces) continue;
    if (nr_parse_at(p, '}')) break;
    if (nr_token_starts_line(&p->lexer, p->tok) && starts_op(p, p->parens > parens)) break;
  }
  p->braces = braces;
  p->parens = parens;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

bool nr_parse_block_ops(NrParser *p, NrBlock *block) {
  bool ok = true;
  for (;;) {
    switch (p->tok.kind) {
    case NR_TOK_EOF:
    case '}':
    case NR_TOK_BLOCK: return ok;
    case NR_TOK_HASH:
    case NR_TOK_BANG:
    case NR_TOK_META_BEGIN:
      if (!p->frame) return ok; /* an alias definition between top-level ops */
      break;
    default: break;
    }
    const char *begin = p->tok.begin;
    int32_t braces = p->braces, parens = p->parens;
    if (nr_parse_op(p, block)) continue;
    ok = false;
    nr_parse_recover(p, begin, braces, parens);
  }
}

/* The type of a block argument without one, as in the first proposals of 2020: that of the value which a preceding
 * branch passes; NULL when there is none. */
static NrType branched_type(const NrBlock *block, uint32_t number) {
  for (const NrSuccessor *s = block->first_pred; s; s = s->next)
    if (number < s->num_operands)
      return nr_successor_operand(s->owner, (size_t)(s - s->owner->successors), number)->type;
  return NULL;
}

/* (%a: t, %b: t loc(..)) of a block; for a block that has arguments already, names and types for them. */
static bool parse_block_args(NrParser *p, NrBlock *block, bool has_args) {
  uint32_t count = 0, expected = block->num_args;
  if (!nr_parse_take(p, '('))
    return !has_args || expected == 0 || nr_parse_fail(p, "expected %u block arguments", expected);
  while (!nr_parse_at(p, ')')) {
    NrToken t = p->tok;
    if (!nr_parse_need(p, NR_TOK_VALUE)) return false;
    NrName *name = nr_parse_name(p, nr_token_name(t));
    NrType type = NULL;
    NrLoc loc = nr_parse_loc_at(p, t.begin);
    const char *end = p->last_end;
    if (!has_args && !nr_parse_at(p, ':') && (type = branched_type(block, count)))
      nr_parse_proposal_at(p, t.begin, end, ": %s", nr_type_text(p->ctx, type));
    else if (!nr_parse_need(p, ':') || !(type = nr_parse_type_here(p)) || !nr_parse_trailing_loc(p, &loc)) {
      nr_parse_bind(p, name, NULL, 0, t.begin);
      return false;
    }
    NrValue *arg;
    if (has_args) {
      if (count >= expected || block->args[count]->type != type)
        return nr_parse_fail_at(p, t.begin, "the arguments of the entry block must be those of the op");
      arg = block->args[count];
      ((NrArg *)arg)->loc = loc;
    } else {
      arg = nr_block_add_arg(block, type, loc);
    }
    count++;
    if (!nr_parse_bind(p, name, arg, 1, t.begin)) return false;
    if (!nr_parse_take(p, ',')) break;
  }
  if (has_args && count != expected) return nr_parse_fail(p, "expected %u block arguments", expected);
  return nr_parse_need(p, ')');
}

/* ^label(args): - entry is the block that a first label names, or NULL. */
static NrBlock *parse_label(NrParser *p, NrRegion *region, NrBlock *entry) {
  NrToken t = p->tok;
  NrBlock *block;
  nr_parse_advance(p);
  if (!nr_parse_label_define(p, t, entry, &block)) return NULL;
  if (!entry) nr_block_append(region, block);
  if (!parse_block_args(p, block, entry && entry->num_args)) return NULL;
  return nr_parse_need(p, ':') ? block : NULL;
}

static bool parse_blocks(NrParser *p, NrRegion *region, NrBlock *entry) {
  NrBlock *block = entry;
  bool ok = true;
  if (!nr_parse_at(p, NR_TOK_BLOCK)) {
    if (!block) {
      block = nr_block_create(p->module);
      nr_block_append(region, block);
    }
    ok = nr_parse_block_ops(p, block);
    entry = NULL;
  }
  while (nr_parse_at(p, NR_TOK_BLOCK)) {
    const char *begin = p->tok.begin;
    int32_t braces = p->braces, parens = p->parens;
    NrBlock *next = parse_label(p, region, entry);
    entry = NULL;
    if (next) block = next;
    else nr_parse_recover(p, begin, braces, parens);
    ok &= next != NULL;
    /* The ops of a block whose label failed are still parsed, to report their errors. */
    if (!block) {
      block = nr_block_create(p->module);
      nr_block_append(region, block);
    }
    ok &= nr_parse_block_ops(p, block);
  }
  return ok;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static NrBlock *make_entry(NrParser *p, NrRegion *region, const NrArgRef *args, size_t count, bool *out_ok) {
  NrBlock *entry = nr_block_create(p->module);
  nr_block_append(region, entry);
  for (size_t i = 0; i < count; i++) {
    if (!args[i].type) {
      nr_error(p->ctx, args[i].loc, "the type of '%%%.*s' is not known", NR_STR_ARG(args[i].name));
      *out_ok = false;
      return entry;
    }
    NrValue *arg = nr_block_add_arg(entry, args[i].type, args[i].loc);
    if (!args[i].name.size) continue;
    /* The name is a view of the text, so its pointer is its position. */
    const char *at = args[i].name.data;
    if (at <= p->lexer.begin || at >= p->lexer.end) at = p->tok.begin;
    *out_ok &= nr_parse_bind(p, nr_parse_name(p, args[i].name), arg, 1, at == p->tok.begin ? at : at - 1);
  }
  return entry;
}

static bool any_named(const NrArgRef *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i].name.size) return true;
  return false;
}

bool nr_parse_region(NrParser *p, const NrArgRef *args, size_t count, bool keep_entry) {
  NrOpFrame *frame = p->frame;
  if (!nr_parse_need(p, '{')) return false;
  if (++p->region_depth > NR_MAX_NESTING) {
    p->region_depth--;
    return nr_parse_fail(p, "regions are nested deeper than %d", NR_MAX_NESTING);
  }
  NrRegion *region = NR_NEW(&p->module->arena, NrRegion);
  NrScope scope = nr_parse_scope_begin(p, frame->state.info->traits & NR_ISOLATED);
  unsigned depth = p->depth;
  p->depth = 0;

  bool ok = true, empty = nr_parse_at(p, '}');
  NrBlock *entry = count || (empty && keep_entry) ? make_entry(p, region, args, count, &ok) : NULL;
  if (nr_parse_at(p, NR_TOK_BLOCK) && any_named(args, count))
    ok = nr_parse_fail(p, "the entry block has named arguments and cannot have a label");
  if (!empty) ok &= parse_blocks(p, region, entry);

  ok &= nr_parse_scope_end(p, scope);
  p->depth = depth;
  p->region_depth--;
  nr_vec_push(&p->regions, region);
  nr_parse_sync(p);
  /* Errors inside were reported: continue, so that the text after the region is parsed too. */
  frame->broken |= !ok;
  if (nr_parse_take(p, '}')) return true;
  if (!p->reported_end) nr_parse_missing(p, "'}' at the end of the region");
  p->reported_end |= nr_parse_at(p, NR_TOK_EOF);
  return false;
}
