/* imports_text.c - strings by the rules of languages: case, stop words, regular expressions, pieces. Signatures:
 * base/imports.def. */
#include "runtime/imports_text.h"
#include "runtime/part.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- the library ------------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const NrText *nr_text_library(NrExec *e) {
  static const void *table;
  NoriaError error = NORIA_ERROR_INIT;
  pthread_mutex_lock(&lock);
  NoriaStatus status = table ? NORIA_OK
                             : nr_part_load("text", NR_TEXT_LIBRARY, NR_TEXT_SYMBOL, NR_TEXT_VERSION, &table, &error);
  if (status) table = NULL;
  const NrText *text = table;
  pthread_mutex_unlock(&lock);
  if (status) nr_exec_fail(e, status, -1, "%s", error.message);
  noria_error_clear(&error);
  return text;
}

NrRegex *nr_text_regex(NrExec *e, int32_t site, const NrText *text, const NoriaString *pattern) {
  char message[NR_TEXT_MESSAGE] = "";
  NrRegex *regex = text->regex_create(pattern->data, (size_t)pattern->size, message);
  if (!regex)
    nr_exec_fail(e, NORIA_ERROR_FAILED, site, "the regular expression \"%.64s\" is wrong: %s", pattern->data, message);
  return regex;
}

bool nr_text_stopped(void *user) { return nr_exec_stopped(user); }

bool nr_text_match_failed(NrExec *e, NrMatch match) {
  if (match == NR_MATCH_NO_MEMORY) nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "no memory for a search in a string");
  return match == NR_MATCH_NO_MEMORY || match == NR_MATCH_STOPPED;
}

int32_t nr_import_regex_full_match(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaDesc *x = &args[1];
  const NrText *text = nr_text_library(e);
  if (!text || nr_result_tensor(e, &results[0], NORIA_BOOL, x->rank, x->dims)) return 1;
  NoriaString *const *strings = x->data, *const *pattern = args[2].data;
  NrRegex *regex = nr_text_regex(e, nr_arg_i32(&args[0]), text, pattern[0]);
  bool ok = regex != NULL;
  uint8_t *matches = results[0].data;
  for (int64_t i = 0, n = nr_desc_count(x); i < n && ok; i++) {
    const NoriaString *s = strings[i];
    NrMatch match = text->regex_match(regex, s->data, (size_t)s->size, true, 0, NULL, NULL, nr_text_stopped, e);
    matches[i] = match == NR_MATCH_YES;
    ok = !nr_text_match_failed(e, match) && !nr_import_stopped(e, i);
  }
  text->regex_destroy(regex);
  return ok ? 0 : 1;
}

/* ---- case and stop words ----------------------------------------------------------------------------------------- */

enum { KEEP_CASE, TO_LOWER, TO_UPPER, CASE_MASK = 3, COMPARES_CASE = 4 };

typedef struct Normalize {
  NrExec *e;
  const NrText *text;
  int32_t site, change;
  char language[4];
  NoriaString **stopwords; /* sorted, in the case in which they are compared */
  int64_t num_stopwords;
} Normalize;

/* "tr" of "tr_TR.UTF-8"; empty where the locale names no language. */
static void take_language(const NoriaString *locale, char *out) {
  int64_t n = 0;
  while (n < locale->size && ((locale->data[n] | 32) >= 'a' && (locale->data[n] | 32) <= 'z')) n++;
  if (n < 2 || n > 3 || (n < locale->size && !strchr("_-.@", locale->data[n]))) n = 0;
  for (int64_t i = 0; i < n; i++) out[i] = (char)(locale->data[i] | 32);
  out[n] = 0;
}

/* A new reference to the string in that case; NULL after failing. */
static NoriaString *in_case(const Normalize *z, NoriaString *s, int32_t change) {
  size_t size = 0;
  char *changed = NULL;
  NoriaString *result = NULL;
  if (change == KEEP_CASE)
    result = nr_string_retain(s);
  else if ((changed = z->text->change_case(s->data, (size_t)s->size, change == TO_UPPER, z->language, &size)))
    result = nr_string_new(changed, size);
  free(changed);
  if (!result && change != KEEP_CASE && !changed && size)
    nr_exec_fail(z->e, NORIA_ERROR_FAILED, z->site, "a string is not UTF-8, so its case cannot be changed");
  else if (!result)
    nr_exec_fail(z->e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a string");
  return result;
}

static int compare_strings(const void *a, const void *b) {
  return nr_string_order(*(NoriaString *const *)a, *(NoriaString *const *)b);
}

/* Case in which words are compared: that of the result, or else lower case. */
static int32_t compared_case(const Normalize *z, int32_t flags) {
  return flags & COMPARES_CASE ? KEEP_CASE : z->change == TO_UPPER ? TO_UPPER : TO_LOWER;
}

static bool take_stopwords(Normalize *z, int32_t flags, const NoriaDesc *words) {
  int64_t n = nr_desc_count(words);
  z->stopwords = calloc((size_t)n + 1, sizeof *z->stopwords);
  if (!z->stopwords) {
    nr_exec_fail(z->e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a list of words");
    return false;
  }
  NoriaString *const *from = words->data;
  for (; z->num_stopwords < n; z->num_stopwords++)
    if (!(z->stopwords[z->num_stopwords] = in_case(z, from[z->num_stopwords], compared_case(z, flags)))) return false;
  qsort(z->stopwords, (size_t)n, sizeof *z->stopwords, compare_strings);
  return true;
}

static bool is_stopword(const Normalize *z, const NoriaString *s) {
  return bsearch(&s, z->stopwords, (size_t)z->num_stopwords, sizeof *z->stopwords, compare_strings) != NULL;
}

/* Writes what stays to `to`, each held by the run. False after failing. */
static bool normalize(Normalize *z, int32_t flags, const NoriaDesc *x, NoriaString **to, int64_t *out_count) {
  NoriaString *const *from = x->data;
  for (int64_t i = 0, n = nr_desc_count(x); i < n; i++) {
    if (nr_import_stopped(z->e, i)) return false;
    if (z->num_stopwords) {
      NoriaString *compared = in_case(z, from[i], compared_case(z, flags));
      if (!compared) return false;
      bool stops = is_stopword(z, compared);
      nr_string_release(compared);
      if (stops) continue;
    }
    NoriaString *changed = in_case(z, from[i], z->change);
    if (!changed || !nr_exec_hold_string(z->e, changed)) return false;
    to[(*out_count)++] = changed;
  }
  return true;
}

int32_t nr_import_string_normalize(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  int32_t flags = nr_arg_i32(&args[1]);
  const NoriaDesc *x = &args[2];
  Normalize z = {.e = nr_exec(exec), .site = nr_arg_i32(&args[0]), .change = flags & CASE_MASK};
  NoriaString *const *locale = args[4].data;
  take_language(locale[0], z.language);
  if (!(z.text = nr_text_library(z.e))) return 1;
  int64_t count = 0, n = nr_desc_count(x), dims[2] = {1, 1};
  NoriaString **kept = calloc((size_t)n + 1, sizeof *kept);
  bool ok = kept != NULL;
  if (!ok) nr_exec_fail(z.e, NORIA_ERROR_MEMORY, -1, "the system has no memory for %lld strings", (long long)n);
  ok = ok && take_stopwords(&z, flags, &args[3]) && normalize(&z, flags, x, kept, &count);
  dims[x->rank - 1] = NR_MAX(count, 1);
  ok = ok && !nr_result_tensor(z.e, &results[0], NORIA_STRING, x->rank, dims);
  if (ok && count) memcpy(results[0].data, kept, (size_t)count * sizeof *kept);
  if (ok && !count) ok = nr_put_string(z.e, results[0].data, "", 0);
  for (int64_t i = 0; i < z.num_stopwords; i++) nr_string_release(z.stopwords[i]);
  free(z.stopwords);
  free(kept);
  return ok ? 0 : 1;
}
