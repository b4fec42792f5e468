/* imports_tokenize.c - strings cut into pieces: between delimiters, or by regular expressions. Signatures:
 * base/imports.def.
 *
 * The pieces of all strings are gathered first: the longest list decides the last dim of the result. */
#include "runtime/imports_text.h"

#include <stdlib.h>

/* ---- lists of pieces --------------------------------------------------------------------------------------------- */

typedef struct Piece {
  const char *data;
  size_t size;
} Piece;

typedef struct Pieces {
  NrExec *e;
  Piece *list;
  int64_t size, capacity;
  int64_t *counts; /* of each string */
  int64_t longest;
} Pieces;

static bool pieces_init(NrExec *e, int64_t num_strings, Pieces *out) {
  *out = (Pieces){.e = e, .counts = calloc((size_t)num_strings + 1, sizeof *out->counts)};
  if (!out->counts) nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for pieces of strings");
  return out->counts != NULL;
}

static void pieces_deinit(Pieces *p) {
  free(p->list);
  free(p->counts);
}

static bool add_piece(Pieces *p, const char *data, size_t size) {
  if (nr_import_stopped(p->e, p->size)) return false;
  if (p->size == p->capacity) {
    int64_t capacity = 2 * p->capacity + 64;
    Piece *grown = realloc(p->list, (size_t)capacity * sizeof *grown);
    if (!grown) {
      nr_exec_fail(p->e, NORIA_ERROR_MEMORY, -1, "the system has no memory for pieces of strings");
      return false;
    }
    p->list = grown;
    p->capacity = capacity;
  }
  p->list[p->size++] = (Piece){data, size};
  return true;
}

/* The pieces since `before` are those of string i. */
static void count_pieces(Pieces *p, int64_t i, int64_t before) {
  p->counts[i] = p->size - before;
  p->longest = NR_MAX(p->longest, p->counts[i]);
}

/* Strings [dims of x, longest]: of each the pieces, and then pad. With marks, two more: each string's pieces are
 * between them. */
static bool put_pieces(Pieces *p, const NoriaDesc *x, bool marks, const NoriaString *pad, NoriaDesc *result) {
  int64_t dims[NORIA_MAX_RANK], n = nr_desc_count(x), next = 0, before = marks && p->longest, width = p->longest;
  width += 2 * before;
  for (int64_t d = 0; d < x->rank; d++) dims[d] = x->dims[d];
  dims[x->rank] = width;
  if (nr_result_tensor(p->e, result, NORIA_STRING, x->rank + 1, dims)) return false;
  NoriaString **to = result->data, *extra[3];
  const Piece extras[3] = {{pad->data, (size_t)pad->size}, {"\x02", 1}, {"\x03", 1}};
  for (int k = 0; k < 3; k++)
    if (!nr_put_string(p->e, &extra[k], extras[k].data, extras[k].size)) return false;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < width; k++, to++) {
      int64_t place = k - before;
      if (nr_import_stopped(p->e, to - (NoriaString **)result->data)) return false;
      if (place < 0 || place >= p->counts[i])
        *to = extra[place < 0 ? 1 : before && place == p->counts[i] ? 2 : 0];
      else if (!nr_put_string(p->e, to, p->list[next].data, p->list[next].size))
        return false;
      else
        next++;
    }
  return true;
}

/* ---- between delimiters ------------------------------------------------------------------------------------------ */

/* How many bytes of white space, as Unicode defines it, are at the front of a text of UTF-8. */
static size_t space_at(const unsigned char *p, size_t size) {
  if (size && (*p == ' ' || (*p >= 9 && *p <= 13) || (*p >= 0x1c && *p <= 0x1f))) return 1;
  if (size >= 2 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0)) return 2;
  if (size < 3) return 0;
  unsigned code = (unsigned)(p[0] << 16 | p[1] << 8 | p[2]);
  bool is_space = code == 0xe19a80 || (code >= 0xe28080 && code <= 0xe2808a) || code == 0xe280a8 || code == 0xe280a9 ||
                  code == 0xe280af || code == 0xe2819f || code == 0xe38080;
  return is_space ? 3 : 0;
}

static bool split_at_spaces(Pieces *p, const NoriaString *s, int64_t max) {
  const char *at = s->data, *end = s->data + s->size;
  for (int64_t splits = 0;; splits++) {
    size_t space;
    while ((space = space_at((const unsigned char *)at, (size_t)(end - at)))) at += space;
    if (at == end) return true;
    const char *begin = at;
    if (splits == max) return add_piece(p, begin, (size_t)(end - begin));
    while (at < end && !space_at((const unsigned char *)at, (size_t)(end - at))) at++;
    if (!add_piece(p, begin, (size_t)(at - begin))) return false;
  }
}

static bool split_at(Pieces *p, const NoriaString *s, const NoriaString *delimiter, int64_t max) {
  const char *at = s->data, *end = s->data + s->size;
  for (int64_t splits = 0;; splits++) {
    const char *found = splits == max ? NULL : memmem(at, (size_t)(end - at), delimiter->data, (size_t)delimiter->size);
    if (!found) return add_piece(p, at, (size_t)(end - at));
    if (!add_piece(p, at, (size_t)(found - at))) return false;
    at = found + delimiter->size;
  }
}

int32_t nr_import_string_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaDesc *x = &args[1];
  const NoriaString *delimiter = *(NoriaString *const *)args[2].data;
  NoriaString *const *strings = x->data;
  int64_t n = nr_desc_count(x), max = nr_arg_i64(&args[3]);
  Pieces p;
  bool ok = pieces_init(e, n, &p);
  for (int64_t i = 0; i < n && ok; i++) {
    int64_t before = p.size;
    ok = delimiter->size ? split_at(&p, strings[i], delimiter, max) : split_at_spaces(&p, strings[i], max);
    count_pieces(&p, i, before);
  }
  const NoriaString empty = {.size = 0};
  ok = ok && put_pieces(&p, x, false, &empty, &results[0]) &&
       !nr_result_tensor(e, &results[1], NORIA_I64, 1, &n);
  if (ok && n) memcpy(results[1].data, p.counts, (size_t)n * sizeof *p.counts);
  pieces_deinit(&p);
  return ok ? 0 : 1;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

enum { IS_TOKEN = 1, HAS_MARKS = 2 };

typedef struct Tokenizer {
  Pieces pieces;
  const NrText *text;
  NrRegex **regexes;
  int64_t num_regexes, least;
  bool by_character;
} Tokenizer;

static int64_t num_characters(const char *data, size_t size) {
  int64_t count = 0;
  for (size_t i = 0; i < size; i++) count += ((unsigned char)data[i] & 0xc0) != 0x80;
  return count;
}

static bool add_token(Tokenizer *t, const char *data, size_t size) {
  return size == 0 || num_characters(data, size) < t->least || add_piece(&t->pieces, data, size);
}

static size_t character_size(const char *data, size_t size) {
  size_t n = 1;
  while (n < size && ((unsigned char)data[n] & 0xc0) == 0x80) n++;
  return n;
}

static bool take_characters(Tokenizer *t, const char *data, size_t size) {
  for (size_t at = 0; at < size;) {
    size_t n = character_size(data + at, size - at);
    if (!add_token(t, data + at, n)) return false;
    at += n;
  }
  return true;
}

/* The next match from *at on that is not empty; matches behind it are its end, *at. */
static bool next_match(Tokenizer *t, const NrRegex *regex, Piece s, size_t *at, size_t *out_begin, bool *out_found) {
  size_t end;
  *out_found = false;
  while (*at < s.size) {
    NrMatch match = t->text->regex_match(regex, s.data, s.size, false, *at, out_begin, &end, nr_text_stopped,
                                         t->pieces.e);
    if (nr_text_match_failed(t->pieces.e, match)) return false;
    if (match == NR_MATCH_NO) return true;
    if (end > *out_begin) {
      *out_found = true;
      *at = end;
      return true;
    }
    *at = end + character_size(s.data + end, s.size - end);
  }
  return true;
}

static bool take_matches(Tokenizer *t, Piece s) {
  size_t at = 0, begin = 0;
  bool found = false;
  do {
    if (!next_match(t, t->regexes[0], s, &at, &begin, &found)) return false;
    if (found && !add_token(t, s.data + begin, at - begin)) return false;
  } while (found);
  return true;
}

/* What is between the matches of separator number `which`, cut by the separators behind it in turn. */
static bool take_between(Tokenizer *t, Piece s, int64_t which) {
  if (which == t->num_regexes) return add_token(t, s.data, s.size);
  size_t at = 0, begin = 0, done = 0;
  bool found = false;
  do {
    if (!next_match(t, t->regexes[which], s, &at, &begin, &found)) return false;
    size_t end = found ? begin : s.size;
    if (end > done && !take_between(t, (Piece){s.data + done, end - done}, which + 1)) return false;
    done = at;
  } while (found);
  return true;
}

static bool take_regexes(Tokenizer *t, int32_t site, const NoriaDesc *list) {
  int64_t n = nr_desc_count(list);
  NoriaString *const *patterns = list->data;
  t->regexes = calloc((size_t)n + 1, sizeof *t->regexes);
  if (!t->regexes) {
    nr_exec_fail(t->pieces.e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a list of expressions");
    return false;
  }
  for (; t->num_regexes < n; t->num_regexes++)
    if (!(t->regexes[t->num_regexes] = nr_text_regex(t->pieces.e, site, t->text, patterns[t->num_regexes])))
      return false;
  return true;
}

static bool take_tokens(Tokenizer *t, const NoriaString *s, int32_t flags) {
  Piece all = {s->data, (size_t)s->size};
  if (t->by_character) return take_characters(t, all.data, all.size);
  return flags & IS_TOKEN ? take_matches(t, all) : take_between(t, all, 0);
}

int32_t nr_import_string_tokenize(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  int32_t flags = nr_arg_i32(&args[1]);
  const NoriaDesc *x = &args[2], *list = &args[3];
  NoriaString *const *strings = x->data, *const *pattern = list->data, *const *pad = args[4].data;
  int64_t n = nr_desc_count(x);
  Tokenizer t = {.text = nr_text_library(e), .least = nr_arg_i64(&args[5])};
  if (!t.text || !pieces_init(e, n, &t.pieces)) return 1;
  t.by_character = nr_desc_count(list) == 1 && (flags & IS_TOKEN ? pattern[0]->size == 1 && pattern[0]->data[0] == '.'
                                                                 : pattern[0]->size == 0);
  bool ok = t.by_character || take_regexes(&t, nr_arg_i32(&args[0]), list);
  for (int64_t i = 0; i < n && ok; i++) {
    int64_t before = t.pieces.size;
    ok = take_tokens(&t, strings[i], flags);
    count_pieces(&t.pieces, i, before);
  }
  ok = ok && put_pieces(&t.pieces, x, flags & HAS_MARKS, pad[0], &results[0]);
  for (int64_t i = 0; i < t.num_regexes; i++) t.text->regex_destroy(t.regexes[i]);
  free(t.regexes);
  pieces_deinit(&t.pieces);
  return ok ? 0 : 1;
}
