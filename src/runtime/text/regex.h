/* regex.h - regular expressions; for src/runtime/text only. The contracts are those of NrText. */
#ifndef NORIA_RUNTIME_TEXT_REGEX_H
#define NORIA_RUNTIME_TEXT_REGEX_H

#include "runtime/text/text.h"

NrRegex *nr_regex_create(const char *pattern, size_t size, char *message);
void nr_regex_destroy(NrRegex *regex);
NrMatch nr_regex_match(const NrRegex *regex, const char *text, size_t size, bool whole, size_t from, size_t *out_begin,
                       size_t *out_end, bool (*stopped)(void *user), void *user);

#endif
