/* matrix_market.c - the reader of .mtx files; see storage.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "noria/exec_abi.h"
#include "sparse/storage.h"

typedef struct Reader {
  NrArena *arena;
  NrStr text;
  size_t at, line;
  NrStr words[6]; /* of the line */
  size_t num_words;
  bool is_pattern, is_symmetric;
  NrSparseEntries *out;
  NrSparseError *error;
} Reader;

#define FAIL(r, ...) nr_sparse_fail((r)->arena, (r)->error, 0, __VA_ARGS__)

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Splits the next line into words, at most six; false at the end of the text. */
static bool next_line(Reader *r) {
  if (r->at >= r->text.size) return false;
  const char *p = r->text.data + r->at, *file_end = r->text.data + r->text.size;
  const char *end = memchr(p, '\n', (size_t)(file_end - p));
  if (!end) end = file_end;
  r->at = (size_t)(end - r->text.data) + 1;
  r->line++;
  for (r->num_words = 0; r->num_words < NR_COUNTOF(r->words); r->num_words++) {
    while (p < end && is_space(*p)) p++;
    if (p == end) break;
    const char *begin = p;
    while (p < end && !is_space(*p)) p++;
    r->words[r->num_words] = (NrStr){begin, (size_t)(p - begin)};
  }
  return true;
}

/* The next line with words that is no comment. */
static bool next_data(Reader *r) {
  while (next_line(r))
    if (r->num_words && r->words[0].data[0] != '%') return true;
  return false;
}

static bool is_word(NrStr word, const char *lower) {
  if (word.size != strlen(lower)) return false;
  for (size_t i = 0; i < word.size; i++)
    if (tolower((unsigned char)word.data[i]) != lower[i]) return false;
  return true;
}

static bool read_int(NrStr word, int64_t *out) {
  char text[32], *end;
  if (!word.size || word.size >= sizeof text || is_space(word.data[0])) return false;
  memcpy(text, word.data, word.size);
  text[word.size] = '\0';
  errno = 0;
  *out = strtoll(text, &end, 10);
  return !errno && end == text + word.size;
}

static bool read_float(NrStr word, double *out) {
  char text[64], *end;
  if (!word.size || word.size >= sizeof text) return false;
  memcpy(text, word.data, word.size);
  text[word.size] = '\0';
  errno = 0;
  *out = strtod(text, &end);
  bool is_too_large = errno == ERANGE && isinf(*out);
  return !is_too_large && end == text + word.size;
}

static NrStatus header(Reader *r) {
  if (!next_line(r) || r->num_words != 5 || !is_word(r->words[0], "%%matrixmarket") ||
      !is_word(r->words[1], "matrix"))
    return FAIL(r, "expected '%%%%MatrixMarket matrix coordinate real general' or the like");
  if (!is_word(r->words[2], "coordinate"))
    return FAIL(r, "the layout '%.*s' is not supported; expected coordinate", NR_STR_ARG(r->words[2]));
  r->is_pattern = is_word(r->words[3], "pattern");
  r->out->is_int = r->is_pattern || is_word(r->words[3], "integer");
  if (!r->out->is_int && !is_word(r->words[3], "real"))
    return FAIL(r, "elements '%.*s' are not supported; expected real, integer or pattern", NR_STR_ARG(r->words[3]));
  r->is_symmetric = is_word(r->words[4], "symmetric");
  if (!r->is_symmetric && !is_word(r->words[4], "general"))
    return FAIL(r, "symmetry '%.*s' is not supported; expected general or symmetric", NR_STR_ARG(r->words[4]));
  return NR_OK;
}

static NrStatus sizes(Reader *r, int64_t *out_count) {
  int64_t *dims = r->out->dims;
  if (!next_data(r)) return FAIL(r, "the file ends before its sizes");
  if (r->num_words != 3 || !read_int(r->words[0], &dims[0]) || !read_int(r->words[1], &dims[1]) ||
      !read_int(r->words[2], out_count) || dims[0] < 0 || dims[1] < 0 || *out_count < 0)
    return FAIL(r, "expected the numbers of rows, columns and entries");
  if (dims[0] > NORIA_MAX_ELEMENTS || dims[1] > NORIA_MAX_ELEMENTS) return FAIL(r, "the matrix is too large");
  if (r->is_symmetric && dims[0] != dims[1]) return FAIL(r, "a symmetric matrix is square");
  return NR_OK;
}

static void add_entry(Reader *r, int64_t row, int64_t column, double number, int64_t whole) {
  nr_vec_push(&r->out->coordinates, row - 1);
  nr_vec_push(&r->out->coordinates, column - 1);
  nr_vec_push(&r->out->lines, r->line);
  if (r->out->is_int) nr_vec_push(&r->out->ints, whole);
  else nr_vec_push(&r->out->floats, number);
}

static NrStatus entry(Reader *r) {
  int64_t place[2], whole = 1;
  double number = 0;
  size_t wanted = r->is_pattern ? 2 : 3;
  if (r->num_words != wanted)
    return FAIL(r, "expected %zu words: row, column%s", wanted, r->is_pattern ? "" : " and value");
  for (size_t d = 0; d < 2; d++)
    if (!read_int(r->words[d], &place[d]) || place[d] < 1 || place[d] > r->out->dims[d])
      return FAIL(r, "'%.*s' is no %s from 1 to %lld", NR_STR_ARG(r->words[d]), d ? "column" : "row",
                  (long long)r->out->dims[d]);
  bool ok = r->is_pattern || (r->out->is_int ? read_int(r->words[2], &whole) : read_float(r->words[2], &number));
  if (!ok) return FAIL(r, "'%.*s' is no %s", NR_STR_ARG(r->words[2]), r->out->is_int ? "integer" : "number");
  if (r->is_symmetric && place[0] < place[1])
    return FAIL(r, "a symmetric matrix has entries in its lower triangle only");
  add_entry(r, place[0], place[1], number, whole);
  if (r->is_symmetric && place[0] != place[1]) add_entry(r, place[1], place[0], number, whole);
  return NR_OK;
}

static NrStatus read(Reader *r) {
  int64_t count;
  NR_TRY(header(r));
  NR_TRY(sizes(r, &count));
  for (int64_t i = 0; i < count; i++) {
    if (!next_data(r)) return FAIL(r, "the file has %lld entries; its head says %lld", (long long)i, (long long)count);
    NR_TRY(entry(r));
  }
  return next_data(r) ? FAIL(r, "the file has more than the %lld entries that its head says", (long long)count) : NR_OK;
}

NrStatus nr_sparse_read_matrix_market(NrArena *arena, NrStr text, NrSparseEntries *out, size_t *out_line,
                                      NrSparseError *error) {
  Reader r = {.arena = arena, .text = text, .out = out, .error = error};
  *out = (NrSparseEntries){.order = 2};
  *error = (NrSparseError){0};
  NrStatus status = read(&r);
  *out_line = r.line;
  if (status) nr_sparse_entries_deinit(out);
  return status;
}
