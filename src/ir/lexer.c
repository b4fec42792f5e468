/* lexer.c - MLIR text as tokens. The text is NUL-terminated, so reading the next character needs no bounds check; a 0
 * byte inside the text is an error token. */
#include "ir/lexer.h"

enum { SPACE = 1, DIGIT = 2, HEX = 4, LETTER = 8, BARE = 16, SUFFIX = 32 };

/* A bare name begins with LETTER and continues with BARE; SUFFIX may follow % ^ # ! and @. */
static const uint8_t class_of[256] = {
    [' '] = SPACE,
    ['\t'] = SPACE,
    ['\n'] = SPACE,
    ['\r'] = SPACE,
    ['0' ... '9'] = DIGIT | HEX | BARE | SUFFIX,
    ['a' ... 'f'] = HEX | LETTER | BARE | SUFFIX,
    ['g' ... 'z'] = LETTER | BARE | SUFFIX,
    ['A' ... 'F'] = HEX | LETTER | BARE | SUFFIX,
    ['G' ... 'Z'] = LETTER | BARE | SUFFIX,
    ['_'] = LETTER | BARE | SUFFIX,
    ['$'] = BARE | SUFFIX,
    ['.'] = BARE | SUFFIX,
    ['-'] = SUFFIX,
};

static inline bool is(char c, unsigned classes) { return class_of[(unsigned char)c] & classes; }

static const char *skip(const char *p, unsigned classes) {
  while (is(*p, classes)) p++;
  return p;
}

static const char *skip_blanks(const NrLexer *lx, const char *p) {
  for (;;) {
    p = skip(p, SPACE);
    if (p[0] != '/' || p[1] != '/') return p;
    const char *newline = memchr(p, '\n', (size_t)(lx->end - p));
    p = newline ? newline : lx->end;
  }
}

static const char *fail(NrLexer *lx, NrToken *out, const char *at, const char *message) {
  lx->message = message;
  out->kind = NR_TOK_ERROR;
  return at;
}

/* p is after the opening quote. */
static const char *lex_string(NrLexer *lx, NrToken *out, const char *p, NrTokenKind kind) {
  for (;; p++) {
    if (*p == '"') break;
    if (*p == '\n' || p >= lx->end) return fail(lx, out, p, "expected '\"' at the end of the string");
    if (*p == '\\' && p + 1 < lx->end && p[1] != '\n') p++;
  }
  out->kind = kind;
  return p + 1;
}

static const char *lex_number(NrToken *out, const char *p) {
  out->kind = NR_TOK_INT;
  if (p[0] == '0' && p[1] == 'x' && is(p[2], HEX)) return skip(p + 2, HEX);
  p = skip(p, DIGIT);
  if (*p != '.') return p;
  out->kind = NR_TOK_FLOAT;
  p = skip(p + 1, DIGIT);
  if (*p != 'e' && *p != 'E') return p;
  const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
  return is(*digits, DIGIT) ? skip(digits, DIGIT) : p;
}

/* A number or a name after the prefix character: %0; %4b is %4 and b. */
static const char *lex_prefixed(NrLexer *lx, NrToken *out, const char *p, NrTokenKind kind, const char *message) {
  out->kind = kind;
  if (is(*p, DIGIT)) return skip(p, DIGIT);
  if (is(*p, SUFFIX)) return skip(p, SUFFIX);
  return fail(lx, out, p, message);
}

static const char *lex_symbol(NrLexer *lx, NrToken *out, const char *p) {
  if (*p == '"') return lex_string(lx, out, p + 1, NR_TOK_SYMBOL);
  if (!is(*p, BARE)) return fail(lx, out, p, "expected a name behind '@'");
  out->kind = NR_TOK_SYMBOL;
  return skip(p, BARE);
}

static const char *lex_at(NrLexer *lx, NrToken *out, const char *p) {
  char c = *p++;
  if (is(c, LETTER)) {
    out->kind = NR_TOK_BARE;
    return skip(p, BARE);
  }
  if (is(c, DIGIT)) return lex_number(out, p - 1);
  out->kind = c;
  switch (c) {
  case '%': return lex_prefixed(lx, out, p, NR_TOK_VALUE, "expected a name behind '%'");
  case '^': return lex_prefixed(lx, out, p, NR_TOK_BLOCK, "expected a name behind '^'");
  case '!': return lex_prefixed(lx, out, p, NR_TOK_BANG, "expected a name behind '!'");
  case '@': return lex_symbol(lx, out, p);
  case '"': return lex_string(lx, out, p, NR_TOK_STRING);
  case '#':
    if (p[0] == '-' && p[1] == '}') return out->kind = NR_TOK_META_END, p + 2;
    return lex_prefixed(lx, out, p, NR_TOK_HASH, "expected a name behind '#'");
  case '{':
    if (p[0] == '-' && p[1] == '#') return out->kind = NR_TOK_META_BEGIN, p + 2;
    return p;
  case '-':
    if (*p == '>') return out->kind = NR_TOK_ARROW, p + 1;
    return p;
  case ':':
    if (*p == ':') return out->kind = NR_TOK_COLONS, p + 1;
    return p;
  case '.':
    if (p[0] == '.' && p[1] == '.') return out->kind = NR_TOK_DOTS, p + 2;
    return fail(lx, out, p, "unexpected character");
  case '(': case ')': case '[': case ']': case '}': case '<': case '>': case ',':
  case '=': case '+': case '*': case '/': case '?': case '|': case ';':
    return p;
  default: return fail(lx, out, p, "unexpected character");
  }
}

void nr_lex(NrLexer *lx, NrToken *out) {
  const char *p = skip_blanks(lx, lx->next);
  out->begin = p;
  if (p >= lx->end) out->kind = NR_TOK_EOF;
  else p = lex_at(lx, out, p);
  out->end = lx->next = p;
}

bool nr_token_starts_line(const NrLexer *lx, NrToken t) {
  for (const char *p = t.begin; p > lx->begin;) {
    p--;
    if (*p == '\n') return true;
    if (!is(*p, SPACE)) return false;
  }
  return true;
}
