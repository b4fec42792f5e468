/* lexer.h - MLIR text as tokens. A token is a view of the text; nothing is allocated or copied. */
#ifndef NORIA_IR_LEXER_H
#define NORIA_IR_LEXER_H

#include "base/base.h"

/* A punctuation character is its own kind: '(' ')' '[' ']' '{' '}' '<' '>' ',' ':' '=' '-' '+' '*' '/' '?' '|' ';'. */
typedef enum NrTokenKind {
  NR_TOK_EOF = 0,
  NR_TOK_ERROR = 256, /* invalid text; NrLexer.message is the error */
  NR_TOK_BARE,        /* name, d.name */
  NR_TOK_VALUE,       /* %name */
  NR_TOK_BLOCK,       /* ^name */
  NR_TOK_SYMBOL,      /* @name, @"any text" */
  NR_TOK_HASH,        /* #name, #3 */
  NR_TOK_BANG,        /* !name */
  NR_TOK_INT,         /* 12, 0xF */
  NR_TOK_FLOAT,       /* 1.5, 1.e-9 */
  NR_TOK_STRING,      /* with its quotes and escapes */
  NR_TOK_ARROW,       /* -> */
  NR_TOK_COLONS,      /* :: */
  NR_TOK_DOTS,        /* ... */
  NR_TOK_META_BEGIN,  /* {-# */
  NR_TOK_META_END,    /* #-} */
} NrTokenKind;

typedef struct NrToken {
  int kind; /* NrTokenKind or a character */
  const char *begin, *end;
} NrToken;

typedef struct NrLexer {
  const char *begin, *end; /* *end is readable and 0 */
  const char *next;
  const char *message; /* of the last NR_TOK_ERROR */
} NrLexer;

void nr_lex(NrLexer *lexer, NrToken *out);

static inline NrStr nr_token_str(NrToken t) { return (NrStr){t.begin, (size_t)(t.end - t.begin)}; }
/* The token without its first character: the name in %name. */
static inline NrStr nr_token_name(NrToken t) { return (NrStr){t.begin + 1, (size_t)(t.end - t.begin) - 1}; }
static inline bool nr_token_is(NrToken t, const char *text) { return nr_str_is(nr_token_str(t), text); }

/* Whether only blanks stand between the beginning of the line and the token. */
bool nr_token_starts_line(const NrLexer *lexer, NrToken t);

#endif
