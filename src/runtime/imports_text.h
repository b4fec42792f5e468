/* imports_text.h - what the functions on text share; for src/runtime/imports_*.c only. */
#ifndef NORIA_RUNTIME_IMPORTS_TEXT_H
#define NORIA_RUNTIME_IMPORTS_TEXT_H

#include "runtime/imports.h"
#include "runtime/text/text.h"

/* The library of regular expressions and case, which is loaded when it is first asked for. NULL after failing. */
const NrText *nr_text_library(NrExec *e);
/* An expression; NULL after failing, which names it. */
NrRegex *nr_text_regex(NrExec *e, int32_t site, const NrText *text, const NoriaString *pattern);
bool nr_text_stopped(void *exec); /* for NrText.regex_match, with an NrExec */
/* Whether the search ended without an answer: the run has failed. */
bool nr_text_match_failed(NrExec *e, NrMatch match);

#endif
