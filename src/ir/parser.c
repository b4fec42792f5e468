/* parser.c - the parser's common functions: tokens, errors, memory. */
#include "ir/parse.h"

#include <ctype.h>

/* ---- life -------------------------------------------------------------------------------------------------------- */

void nr_parser_init(NrParser *p, NrContext *ctx, const NrSource *source, NrStr file) {
  *p = (NrParser){.ctx = ctx, .file = file, .source = source};
  NrStr text = source->text;
  p->lexer = (NrLexer){.begin = text.data, .end = text.data + text.size, .next = text.data};
  nr_lex(&p->lexer, &p->tok);
}

void nr_parser_deinit(NrParser *p) {
  nr_free(p->names);
  nr_vec_deinit(&p->bound);
  nr_vec_deinit(&p->labels);
  nr_vec_deinit(&p->forwards);
  nr_vec_deinit(&p->whole);
  nr_vec_deinit(&p->operands);
  nr_vec_deinit(&p->types);
  nr_vec_deinit(&p->result_types);
  nr_vec_deinit(&p->refs);
  nr_vec_deinit(&p->attrs);
  nr_vec_deinit(&p->successors);
  nr_vec_deinit(&p->successor_sizes);
  nr_vec_deinit(&p->branch_operands);
  nr_vec_deinit(&p->regions);
  nr_vec_deinit(&p->result_names);
  nr_strmap_deinit(&p->type_aliases);
  nr_strmap_deinit(&p->attr_aliases);
  nr_strmap_deinit(&p->resources);
  nr_strmap_deinit(&p->resource_data);
  nr_map_deinit(&p->distinct);
  nr_parse_scratch_release(p, (NrScratchMark){0});
  nr_arena_deinit(&p->arena);
}

/* ---- places and errors ------------------------------------------------------------------------------------------- */

NrLoc nr_parse_loc_at(NrParser *p, const char *at) {
  size_t offset = (size_t)(at - p->lexer.begin), line = p->line = nr_source_line(p->source, offset, p->line);
  const NrSource *source = p->source;
  return nr_loc_file(p->ctx, p->file, (uint32_t)(source->lines_before + line) + 1,
                     (uint32_t)(offset - source->lines[line]) + 1);
}

static bool fail_at(NrParser *p, const char *at, const char *format, va_list args) {
  NrLoc loc = nr_parse_loc_at(p, at);
  if (p->tok.kind == NR_TOK_ERROR && p->tok.begin == at) {
    nr_error(p->ctx, loc, "%s", p->lexer.message);
    return false;
  }
  NrBuf text = {0};
  nr_buf_vprintf(&text, format, args);
  nr_error(p->ctx, loc, "%s", text.data);
  nr_buf_deinit(&text);
  return false;
}

bool nr_parse_fail_at(NrParser *p, const char *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_at(p, at, format, args);
  va_end(args);
  return false;
}

bool nr_parse_fail(NrParser *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_at(p, p->tok.begin, format, args);
  va_end(args);
  return false;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

bool nr_parse_take_word(NrParser *p, const char *word) {
  if (!nr_parse_at_word(p, word)) return false;
  nr_parse_advance(p);
  return true;
}

static const char *kind_words(int kind) {
  switch (kind) {
  case NR_TOK_BARE: return "a name";
  case NR_TOK_VALUE: return "an SSA operand";
  case NR_TOK_BLOCK: return "a block name";
  case NR_TOK_SYMBOL: return "a symbol name";
  case NR_TOK_INT: return "an integer";
  case NR_TOK_STRING: return "a string";
  case NR_TOK_ARROW: return "'->'";
  case NR_TOK_COLONS: return "'::'";
  case NR_TOK_META_END: return "'#-}'";
  default: return NULL;
  }
}

/* If the next token is on a later line, reports the error at the end of the current line. */
static const char *place_of_missing(const NrParser *p) {
  bool line_ended = nr_parse_at(p, NR_TOK_EOF) || nr_token_starts_line(&p->lexer, p->tok);
  return line_ended && p->last_end && !nr_parse_at(p, NR_TOK_ERROR) ? p->last_end : p->tok.begin;
}

bool nr_parse_missing(NrParser *p, const char *what) {
  return nr_parse_fail_at(p, place_of_missing(p), "expected %s", what);
}

bool nr_parse_need(NrParser *p, int kind) {
  if (nr_parse_take(p, kind)) return true;
  const char *words = kind_words(kind);
  return nr_parse_missing(p, words ? words : (char[]){'\'', (char)kind, '\'', 0});
}

NrParseMark nr_parse_mark(const NrParser *p) { return (NrParseMark){p->tok, p->lexer.next, p->braces, p->parens}; }

void nr_parse_return_to(NrParser *p, NrParseMark mark) {
  p->tok = mark.tok;
  p->lexer.next = mark.next;
  p->braces = mark.braces;
  p->parens = mark.parens;
}

void nr_parse_jump(NrParser *p, const char *at) {
  p->lexer.next = at;
  nr_lex(&p->lexer, &p->tok);
}

bool nr_parse_enter(NrParser *p) {
  if (++p->depth <= NR_MAX_NESTING) {
    p->deepest = NR_MAX(p->deepest, p->depth);
    return true;
  }
  p->depth--;
  return nr_parse_fail(p, "nesting is deeper than %d", NR_MAX_NESTING);
}

static int hex_value(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

bool nr_parse_unescape(NrParser *p, NrToken t, NrStr *out) {
  const char *from = t.begin + (t.kind == NR_TOK_SYMBOL ? 2 : 1), *end = t.end - 1;
  *out = (NrStr){from, (size_t)(end - from)};
  if (!memchr(from, '\\', out->size)) return true;
  char *text = nr_parse_scratch(p, out->size, 1);
  size_t size = 0;
  while (from < end) {
    char c = *from++;
    if (c != '\\') {
      text[size++] = c;
      continue;
    }
    c = from < end ? *from++ : 0;
    if (c == 'n') text[size++] = '\n';
    else if (c == 't') text[size++] = '\t';
    else if (c == '"' || c == '\\') text[size++] = c;
    else if (isxdigit((unsigned char)c) && from < end && isxdigit((unsigned char)*from))
      text[size++] = (char)(hex_value(c) * 16 + hex_value(*from++));
    else return nr_parse_fail_at(p, from - 2, "unknown escape in string");
  }
  *out = (NrStr){text, size};
  return true;
}

bool nr_parse_string(NrParser *p, NrStr *out) {
  if (!nr_parse_at(p, NR_TOK_STRING)) return nr_parse_fail(p, "expected a string");
  if (!nr_parse_unescape(p, p->tok, out)) return false;
  nr_parse_advance(p);
  return true;
}

bool nr_parse_symbol_name(NrParser *p, NrStr *out) {
  if (!nr_parse_at(p, NR_TOK_SYMBOL)) return nr_parse_fail(p, "expected a symbol name such as @name");
  if (p->tok.begin[1] != '"') *out = nr_token_name(p->tok);
  else if (!nr_parse_unescape(p, p->tok, out)) return false;
  nr_parse_advance(p);
  return true;
}

bool nr_token_u64(NrToken t, uint64_t *out) {
  const char *c = t.begin;
  bool hex = t.end - c > 2 && c[1] == 'x';
  uint64_t value = 0;
  for (c += hex ? 2 : 0; c < t.end; c++) {
    if (__builtin_mul_overflow(value, hex ? 16u : 10u, &value)) return false;
    if (__builtin_add_overflow(value, (uint64_t)hex_value(*c), &value)) return false;
  }
  *out = value;
  return true;
}

bool nr_parse_int64(NrParser *p, int64_t *out) {
  bool negative = nr_parse_take(p, '-');
  if (!nr_parse_at(p, NR_TOK_INT)) return nr_parse_fail(p, "expected an integer");
  uint64_t value;
  if (!nr_token_u64(p->tok, &value) || value > (uint64_t)INT64_MAX + negative)
    return nr_parse_fail(p, "integer does not fit in 64 bits");
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  nr_parse_advance(p);
  return true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void *nr_parse_scratch(NrParser *p, size_t count, size_t size) {
  enum { CHUNK = 1 << 14 };
  size_t need;
  if (!nr_mul_size(count, size, &need) || !nr_add_size(need, 15, &need)) nr_oom();
  need &= ~(size_t)15;
  NrScratchChunk *chunk = p->scratch;
  if (!chunk || chunk->size - chunk->used < need) {
    size_t bytes = NR_MAX((size_t)CHUNK, need), total;
    if (!nr_add_size(bytes, sizeof(NrScratchChunk), &total)) nr_oom();
    chunk = nr_malloc(total);
    *chunk = (NrScratchChunk){.prev = p->scratch, .size = bytes};
    p->scratch = chunk;
  }
  void *memory = chunk->data + chunk->used;
  chunk->used += need;
  return memory;
}

NrScratchMark nr_parse_scratch_mark(const NrParser *p) {
  return (NrScratchMark){p->scratch, p->scratch ? p->scratch->used : 0};
}

void nr_parse_scratch_release(NrParser *p, NrScratchMark mark) {
  while (p->scratch != mark.chunk) {
    NrScratchChunk *prev = p->scratch->prev;
    /* The first chunk is kept for the next op. */
    if (!prev && !mark.chunk && p->frame) {
      p->scratch->used = 0;
      return;
    }
    nr_free(p->scratch);
    p->scratch = prev;
  }
  if (p->scratch) p->scratch->used = mark.used;
}
