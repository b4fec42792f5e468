/* parse_file.c - files: aliases, resources, the module; and single types and attributes. */
#include "base/guard.h"
#include "ir/parse.h"

/* ---- aliases ----------------------------------------------------------------------------------------------------- */

/* Nested aliases can expand to exponential size. An alias counts as the text that it expands to; the expanded size of
 * each definition and of the file is limited, and so is the nesting depth. */
enum { MAX_ALIAS_SIZE = 1 << 24, MAX_EXPANDED = 1 << 30 };

static bool count_alias(NrParser *p, NrToken name, const NrAlias *alias) {
  p->expanded += alias->size;
  p->deepest = NR_MAX(p->deepest, p->depth + alias->depth);
  if (p->deepest > NR_MAX_NESTING) {
    p->deepest = p->depth;
    return nr_parse_fail_at(p, name.begin, "nesting is deeper than %d", NR_MAX_NESTING);
  }
  return p->expanded <= MAX_EXPANDED ||
         nr_parse_fail_at(p, name.begin, "the aliases of this file stand for more than %d MiB of text",
                          MAX_EXPANDED >> 20);
}

/* The parser's state that is saved while a definition is parsed. */
typedef struct Measure {
  size_t expanded;
  unsigned deepest;
} Measure;

static Measure open_alias(NrParser *p) {
  Measure before = {p->expanded, p->deepest};
  p->deepest = p->depth;
  return before;
}

static bool close_alias(NrParser *p, NrToken name, NrAlias *alias, Measure before) {
  size_t used = p->expanded - before.expanded;
  alias->depth = p->deepest - p->depth;
  p->deepest = NR_MAX(p->deepest, before.deepest);
  alias->size = (size_t)(p->tok.begin - name.begin) + used;
  return used <= MAX_ALIAS_SIZE ||
         nr_parse_fail_at(p, name.begin, "'%.*s' expands to more than %d MiB of text", NR_STR_ARG(nr_token_str(name)),
                          MAX_ALIAS_SIZE >> 20);
}

/* `#name = attribute`, at the name. Uses may precede the definition. */
static bool parse_attr_alias(NrParser *p) {
  NrToken name = p->tok;
  NrStr text = nr_token_name(name);
  NrAlias *known = nr_strmap_get(&p->attr_aliases, text);
  nr_parse_advance(p);
  if (!nr_parse_need(p, '=')) return false;
  if (known && known->at != name.begin)
    return nr_parse_fail_at(p, name.begin, "redefinition of attribute alias '#%.*s'", NR_STR_ARG(text));
  if (known && known->tried && !known->attr) return false; /* reported at its first use */
  NrAlias *alias = known ? known : NR_NEW(&p->arena, NrAlias);
  alias->at = name.begin;
  alias->open = alias->tried = true;
  nr_strmap_set(&p->attr_aliases, text, alias);
  Measure before = open_alias(p);
  alias->attr = nr_parse_attr_here(p, NULL);
  alias->open = false;
  return alias->attr && close_alias(p, name, alias, before);
}

/* `!name = type` or, before 2022, `!name = type type`. */
static bool parse_type_alias(NrParser *p) {
  NrToken name = p->tok;
  NrStr text = nr_token_name(name);
  nr_parse_advance(p);
  if (!nr_parse_need(p, '=')) return false;
  nr_parse_take_word(p, "type");
  if (nr_strmap_has(&p->type_aliases, text))
    return nr_parse_fail_at(p, name.begin, "redefinition of type alias '!%.*s'", NR_STR_ARG(text));
  NrAlias *alias = NR_NEW(&p->arena, NrAlias);
  alias->at = name.begin;
  Measure before = open_alias(p);
  alias->type = nr_parse_type_here(p);
  nr_strmap_set(&p->type_aliases, text, alias);
  return alias->type && close_alias(p, name, alias, before);
}

/* Finds the definitions in the rest of the file: `#name =` at the beginning of a line. */
static void search_aliases(NrParser *p) {
  p->seen_aliases = true;
  for (const char *line = p->tok.begin; line && line < p->lexer.end;) {
    if (*line == '#') {
      NrLexer lexer = p->lexer;
      NrToken name, equals;
      lexer.next = line;
      nr_lex(&lexer, &name);
      nr_lex(&lexer, &equals);
      if (name.kind == NR_TOK_HASH && equals.kind == '=' && !nr_strmap_has(&p->attr_aliases, nr_token_name(name))) {
        NrAlias *alias = NR_NEW(&p->arena, NrAlias);
        alias->at = name.begin;
        nr_strmap_set(&p->attr_aliases, nr_token_name(name), alias);
      }
    }
    line = memchr(line, '\n', (size_t)(p->lexer.end - line));
    if (line) line++;
  }
}

NrAlias *nr_parse_find_alias(NrParser *p, NrToken name) {
  NrStr text = nr_token_name(name);
  if (name.kind == NR_TOK_BANG) {
    NrAlias *type = nr_strmap_get(&p->type_aliases, text);
    if (!type) nr_parse_fail_at(p, name.begin, "undefined type alias '!%.*s'", NR_STR_ARG(text));
    else if (!type->type)
      nr_parse_fail_at(p, name.begin, "type alias '!%.*s' has no valid definition", NR_STR_ARG(text));
    return type && type->type && count_alias(p, name, type) ? type : NULL;
  }
  NrAlias *alias = nr_strmap_get(&p->attr_aliases, text);
  if (!alias && !p->seen_aliases) {
    search_aliases(p);
    alias = nr_strmap_get(&p->attr_aliases, text);
  }
  if (!alias) return nr_parse_fail_at(p, name.begin, "undefined attribute alias '#%.*s'", NR_STR_ARG(text)), NULL;
  if (alias->open)
    return nr_parse_fail_at(p, name.begin, "attribute alias '#%.*s' refers to itself", NR_STR_ARG(text)), NULL;
  if (!alias->tried) {
    NrParseMark here = nr_parse_mark(p);
    nr_parse_jump(p, alias->at);
    bool ok = nr_parse_enter(p);
    if (ok) {
      parse_attr_alias(p);
      nr_parse_leave(p);
    }
    nr_parse_return_to(p, here);
  } else if (!alias->attr) {
    nr_parse_fail_at(p, name.begin, "attribute alias '#%.*s' has no valid definition", NR_STR_ARG(text));
  }
  return alias->attr && count_alias(p, name, alias) ? alias : NULL;
}

/* ---- {-# dialect_resources: { builtin: { key: "0x..." } } #-} ---------------------------------------------------- */

/* { key: "0x...", ... } of one dialect. */
static bool parse_resource_entries(NrParser *p, bool keep) {
  if (!nr_parse_need(p, '{')) return false;
  while (!nr_parse_take(p, '}')) {
    NrStr key = nr_token_str(p->tok);
    if (nr_parse_at(p, NR_TOK_STRING)) {
      if (!nr_parse_unescape(p, p->tok, &key)) return false;
      key = nr_context_intern(p->ctx, key);
    } else if (!nr_parse_at(p, NR_TOK_BARE)) {
      return nr_parse_fail(p, "expected the key of a resource");
    }
    nr_parse_advance(p);
    if (!nr_parse_need(p, ':')) return false;
    if (keep && nr_parse_at(p, NR_TOK_STRING))
      nr_strmap_set(&p->resources, key, nr_arena_copy(&p->arena, &p->tok, sizeof p->tok));
    bool value = nr_parse_at(p, NR_TOK_STRING) || nr_parse_at(p, NR_TOK_INT) || nr_parse_at(p, NR_TOK_BARE);
    if (keep && !nr_parse_at(p, NR_TOK_STRING)) return nr_parse_fail(p, "expected a string of hex digits");
    if (!value) return nr_parse_fail(p, "expected the value of a resource");
    nr_parse_advance(p);
    if (!nr_parse_take(p, ',') && !nr_parse_at(p, '}')) return nr_parse_need(p, '}');
  }
  return true;
}

static bool parse_file_metadata(NrParser *p) {
  nr_parse_advance(p);
  while (!nr_parse_take(p, NR_TOK_META_END)) {
    bool dialects = nr_parse_at_word(p, "dialect_resources");
    if (!dialects && !nr_parse_at_word(p, "external_resources"))
      return nr_parse_fail(p, "expected 'dialect_resources' or 'external_resources'");
    nr_parse_advance(p);
    if (!nr_parse_need(p, ':') || !nr_parse_need(p, '{')) return false;
    while (!nr_parse_take(p, '}')) {
      bool builtin = nr_parse_at_word(p, "builtin");
      if (!nr_parse_need(p, NR_TOK_BARE) || !nr_parse_need(p, ':')) return false;
      if (!parse_resource_entries(p, dialects && builtin)) return false;
      if (!nr_parse_take(p, ',') && !nr_parse_at(p, '}')) return nr_parse_need(p, '}');
    }
    if (!nr_parse_take(p, ',') && !nr_parse_at(p, NR_TOK_META_END)) return nr_parse_need(p, NR_TOK_META_END);
  }
  return true;
}

const NrToken *nr_parse_find_resource(NrParser *p, NrStr key) {
  if (!p->seen_resources) {
    p->seen_resources = true;
    const char *from = p->tok.begin;
    const char *section = memmem(from, (size_t)(p->lexer.end - from), "\n{-#", 4);
    if (section) {
      NrParseMark here = nr_parse_mark(p);
      nr_parse_jump(p, section);
      const char *begin = p->tok.begin;
      if (!parse_file_metadata(p)) p->bad_section = begin;
      nr_parse_return_to(p, here);
    }
  }
  return nr_strmap_get(&p->resources, key);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A top-level definition other than an op; *out_taken: whether there was one. */
static bool parse_definition(NrParser *p, bool *out_taken) {
  *out_taken = true;
  switch (p->tok.kind) {
  case NR_TOK_HASH: return parse_attr_alias(p);
  case NR_TOK_BANG: return parse_type_alias(p);
  case NR_TOK_META_BEGIN:
    p->seen_resources = true;
    return p->tok.begin != p->bad_section && parse_file_metadata(p);
  default: return *out_taken = false, true;
  }
}

static void parse_file(NrParser *p, NrBlock *body) {
  while (!nr_parse_at(p, NR_TOK_EOF)) {
    const char *begin = p->tok.begin;
    int32_t braces = p->braces, parens = p->parens;
    bool definition;
    bool ok = parse_definition(p, &definition);
    if (!ok) nr_parse_recover(p, begin, braces, parens);
    if (definition) continue;
    if (nr_parse_at(p, '}') || nr_parse_at(p, NR_TOK_BLOCK)) {
      nr_parse_fail(p, "unexpected '%.*s' at the top level", NR_STR_ARG(nr_token_str(p->tok)));
      do nr_parse_advance(p);
      while (nr_parse_at(p, '}'));
    } else {
      nr_parse_block_ops(p, body);
    }
  }
}

/* If the file contains only one module op, that is the module. */
static void unwrap_module(NrModule *module) {
  NrBlock *body = nr_op_body(module->op, 0);
  NrOp *only = body->first;
  if (!only || only->next || !nr_op_is(only, NR_OP_builtin_module)) return;
  nr_op_unlink(only);
  module->op = only;
}

NrModule *nr_parse_module(NrContext *ctx, NrStr text, NrStr file, const NrParseOptions *options, NrSyntax *out_syntax) {
  NrDoing before = nr_guard_step("reading", false);
  size_t errors = nr_context_num_errors(ctx);
  if (options && options->text_stays) nr_context_lend_source(ctx, file, text, options->lines_before);
  else nr_context_add_source(ctx, file, text);
  NrParser p;
  nr_parser_init(&p, ctx, nr_context_find_source(ctx, file), nr_context_intern(ctx, file));
  p.allow_unregistered = options && options->allow_unregistered;
  ctx->renamed = false;
  NrModule *module = p.module = nr_module_create(ctx, nr_loc_file(ctx, p.file, 0, 0));
  p.limbo = nr_block_create(module);

  NrScope scope = nr_parse_scope_begin(&p, true);
  parse_file(&p, nr_op_body(module->op, 0));
  nr_parse_scope_end(&p, scope);
  if (nr_context_num_errors(ctx) == errors)
    module->op->info->post_parse(&p, module->op);
  else /* report all errors in one run: verify the ops that were parsed */
    for (size_t i = 0; i < p.whole.size; i++) nr_verify_alone(p.whole.data[i]);
  ctx->legacy_names = p.num_legacy > p.num_modern;
  if (out_syntax) *out_syntax = ctx->legacy_names ? NR_SYNTAX_2020 : NR_SYNTAX_MLIR;
  nr_parser_deinit(&p);
  nr_diag_flush(ctx);
  nr_guard_done(before);
  if (nr_context_num_errors(ctx) != errors) {
    nr_module_destroy(module);
    return NULL;
  }
  unwrap_module(module);
  return module;
}

/* ---- single types and attributes --------------------------------------------------------------------------------- */

static bool at_end(NrParser *p) {
  return nr_parse_at(p, NR_TOK_EOF) || nr_parse_fail(p, "unexpected text behind the end");
}

/* Calls read on a text without a file. */
static void read_text(NrContext *ctx, NrStr text, void (*read)(NrParser *p, void *out), void *out) {
  NrArena arena;
  nr_arena_init(&arena);
  NrSource source = {.text = nr_str_copy(&arena, text)};
  nr_source_index(&source, &arena);
  NrParser p;
  nr_parser_init(&p, ctx, &source, NR_STR("<text>"));
  read(&p, out);
  nr_parser_deinit(&p);
  nr_arena_deinit(&arena);
}

static void read_type(NrParser *p, void *out) {
  NrType type = nr_parse_type_here(p);
  *(NrType *)out = type && at_end(p) ? type : NULL;
}

static void read_attr(NrParser *p, void *out) {
  NrAttr attr = nr_parse_attr_here(p, NULL);
  *(NrAttr *)out = attr && at_end(p) ? attr : NULL;
}

NrType nr_parse_type(NrContext *ctx, NrStr text) {
  NrType type;
  read_text(ctx, text, read_type, &type);
  return type;
}

NrAttr nr_parse_attr(NrContext *ctx, NrStr text) {
  NrAttr attr;
  read_text(ctx, text, read_attr, &attr);
  return attr;
}
