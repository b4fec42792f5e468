/* regex.c - matching by PCRE2's search without backtracking, which follows all ways through the expression at once. Its
 * time is bounded by the size of the text times that of the expression, so nothing explodes. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "runtime/text/regex.h"
#include "runtime/text/re2.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>

struct NrRegex {
  pcre2_code *code;
};

NrRegex *nr_regex_create(const char *pattern, size_t size, char *message) {
  size_t translated_size, offset;
  char *translated = nr_re2_to_pcre2(pattern, size, &translated_size, message, NR_TEXT_MESSAGE);
  if (!translated) return NULL;
  int error = PCRE2_ERROR_NOMEMORY;
  NrRegex *regex = malloc(sizeof *regex);
  pcre2_compile_context *context = pcre2_compile_context_create(NULL);
  pcre2_code *code = NULL;
  if (regex && context) {
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    /* A callout at each item is where a long search can be stopped. */
    uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_AUTO_CALLOUT;
    code = pcre2_compile((PCRE2_SPTR)translated, translated_size, options, &error, &offset, context);
  }
  pcre2_compile_context_free(context);
  free(translated);
  if (code) {
    regex->code = code;
    return regex;
  }
  free(regex);
  pcre2_get_error_message(error, (PCRE2_UCHAR *)message, NR_TEXT_MESSAGE);
  return NULL;
}

void nr_regex_destroy(NrRegex *regex) {
  if (!regex) return;
  pcre2_code_free(regex->code);
  free(regex);
}

typedef struct Watch {
  bool (*stopped)(void *user);
  void *user;
  uint32_t calls;
} Watch;

static int look(pcre2_callout_block *block, void *data) {
  (void)block;
  Watch *w = data;
  return (++w->calls & 0xffff) == 0 && w->stopped(w->user) ? PCRE2_ERROR_CALLOUT : 0;
}

enum { FIRST_WORKSPACE = 1024, MAX_WORKSPACE = 1 << 24 };

NrMatch nr_regex_match(const NrRegex *regex, const char *text, size_t size, bool whole, size_t from, size_t *out_begin,
                       size_t *out_end, bool (*stopped)(void *user), void *user) {
  Watch watch = {stopped, user, 0};
  pcre2_match_data *data = pcre2_match_data_create(1, NULL);
  pcre2_match_context *context = pcre2_match_context_create(NULL);
  int first[FIRST_WORKSPACE], *workspace = first, result = PCRE2_ERROR_NOMEMORY;
  if (data && context) {
    pcre2_set_callout(context, look, &watch);
    uint32_t options = whole ? PCRE2_ANCHORED : 0;
    for (size_t room = FIRST_WORKSPACE;; room *= 4) {
      result = pcre2_dfa_match(regex->code, (PCRE2_SPTR)text, size, from, options, data, context, workspace, room);
      if (workspace != first) free(workspace);
      workspace = first;
      if (result != PCRE2_ERROR_DFA_WSSIZE || room >= MAX_WORKSPACE) break;
      workspace = malloc(4 * room * sizeof *workspace);
      if (!workspace) break;
    }
  }
  /* The first match is the longest. PCRE2_ENDANCHORED would ask it of assertions too. */
  size_t begin = result >= 0 ? pcre2_get_ovector_pointer(data)[0] : 0;
  size_t end = result >= 0 ? pcre2_get_ovector_pointer(data)[1] : 0;
  pcre2_match_context_free(context);
  pcre2_match_data_free(data);
  if (result >= 0 && whole) return end == size ? NR_MATCH_YES : NR_MATCH_NO;
  if (result >= 0) {
    *out_begin = begin;
    *out_end = end;
    return NR_MATCH_YES;
  }
  if (result == PCRE2_ERROR_CALLOUT) return NR_MATCH_STOPPED;
  bool no_match = result == PCRE2_ERROR_NOMATCH || result == PCRE2_ERROR_BADUTFOFFSET ||
                  (result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21);
  return no_match ? NR_MATCH_NO : NR_MATCH_NO_MEMORY;
}
