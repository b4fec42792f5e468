/* text.c - the table of libnoria_text.so, and case by libunistring. */
#include "runtime/text/text.h"

#include <stdlib.h>
#include <unicase.h>
#include <unistr.h>

#include "runtime/text/regex.h"

static char *change_case(const char *text, size_t size, bool upper, const char *language, size_t *out_size) {
  const uint8_t *from = (const uint8_t *)text;
  *out_size = 0;
  if (size == 0) return malloc(1);
  if (u8_check(from, size)) {
    *out_size = 1;
    return NULL;
  }
  size_t length = 0;
  uint8_t *result = (upper ? u8_toupper : u8_tolower)(from, size, language, NULL, NULL, &length);
  if (result) *out_size = length;
  return (char *)result;
}

extern const NrText nr_text;
const NrText nr_text = {
    .version = NR_TEXT_VERSION,
    .regex_create = nr_regex_create,
    .regex_destroy = nr_regex_destroy,
    .regex_match = nr_regex_match,
    .change_case = change_case,
};
