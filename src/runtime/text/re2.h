/* re2.h - regular expressions in RE2's syntax as those of PCRE2; for src/runtime/text only. */
#ifndef NORIA_RUNTIME_TEXT_RE2_H
#define NORIA_RUNTIME_TEXT_RE2_H

#include <stdbool.h>
#include <stddef.h>

/* The expression in PCRE2's syntax, in memory for free(). NULL with the reason in message (of size message_size) where
 * RE2 refuses it. What stays for PCRE2 to find: names of groups that are used twice, unknown classes and properties,
 * expressions that are too large, and bytes that are no UTF-8. */
char *nr_re2_to_pcre2(const char *pattern, size_t size, size_t *out_size, char *message, size_t message_size);

#endif
