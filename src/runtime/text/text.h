/* text.h - the interface of libnoria_text.so to imports_text.c: one exported table. All calls of PCRE2 and libunistring
 * are behind it, so that programs without such ops load neither.
 *
 * Text is UTF-8; functions take any bytes. May be called by several threads at the same time. */
#ifndef NORIA_RUNTIME_TEXT_TEXT_H
#define NORIA_RUNTIME_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NR_TEXT_LIBRARY "libnoria_text.so"
#define NR_TEXT_SYMBOL "nr_text"
enum { NR_TEXT_VERSION = 1, NR_TEXT_MESSAGE = 300 };

typedef struct NrRegex NrRegex;

/* What a search gives. */
typedef enum NrMatch {
  NR_MATCH_YES,
  NR_MATCH_NO, /* bytes that are no UTF-8 match nothing */
  NR_MATCH_STOPPED,
  NR_MATCH_NO_MEMORY,
} NrMatch;

typedef struct NrText {
  int32_t version;
  /* A regular expression in RE2's syntax. NULL with the reason in message (NR_TEXT_MESSAGE bytes). */
  NrRegex *(*regex_create)(const char *pattern, size_t size, char *message);
  void (*regex_destroy)(NrRegex *regex); /* NULL is fine */
  /* whole: the match must be all of the text. Else the first match from byte `from` on, the longest of those that begin
   * there, is at bytes [*out_begin, *out_end); these are NULL with whole. Time grows with the size of the text times
   * that of the expression; stopped(user) is asked on the way, and true ends the search. */
  NrMatch (*regex_match)(const NrRegex *regex, const char *text, size_t size, bool whole, size_t from,
                         size_t *out_begin, size_t *out_end, bool (*stopped)(void *user), void *user);
  /* The text in lower or upper case by the rules of a language ("tr", or "" for those of most languages), in memory for
   * free(). NULL with *out_size 1 where the text is no UTF-8, 0 without memory. */
  char *(*change_case)(const char *text, size_t size, bool upper, const char *language, size_t *out_size);
} NrText;

#endif
