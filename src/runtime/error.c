/* error.c - statuses and messages. */
#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>

const char *noria_status_name(NoriaStatus status) {
  static const char *const names[] = {"ok",     "invalid", "not found",   "limit",      "io", "internal",
                                      "failed", "memory",  "interrupted", "unsupported"};
  return (size_t)status < NR_COUNTOF(names) ? names[status] : "unknown";
}

void noria_error_clear(NoriaError *error) {
  if (!error) return;
  free(error->message);
  *error = (NoriaError)NORIA_ERROR_INIT;
}

/* Messages are UTF-8, also where they quote what is not. */
static void make_utf8(char *message) {
  char *end = message + strlen(message);
  for (const char *p = message; p < end;) {
    char *at = message + (p - message);
    if (nr_utf8_take(&p, end) == UINT32_MAX) *at = '?';
  }
}

NoriaStatus nr_error_set(NoriaError *error, NoriaStatus code, const char *format, ...) {
  if (!error) return code;
  va_list args;
  va_start(args, format);
  char *message = NULL;
  if (vasprintf(&message, format, args) < 0) message = NULL;
  va_end(args);
  if (message) make_utf8(message);
  /* The old message goes last: it may be an argument of the new one. */
  free(error->message);
  *error = (NoriaError){code, message};
  return code;
}

NoriaStatus nr_error_set_memory(NoriaError *error, size_t size) {
  return nr_error_set(error, NORIA_ERROR_MEMORY, "the system has no memory for %zu bytes", size);
}
