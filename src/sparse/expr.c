/* expr.c - the parsers of index expressions and of formats; see sparse.h. */
#include "sparse/sparse.h"

#include <stdio.h>

NrStatus nr_sparse_fail(NrArena *arena, NrSparseError *error, size_t column, const char *format, ...) {
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  *error = (NrSparseError){nr_str_copy(arena, (NrStr){text.data, text.size}).data, column};
  nr_buf_deinit(&text);
  return NR_ERROR_INVALID;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

typedef struct Parser {
  NrArena *arena;
  NrStr text;
  size_t at, depth;
  NrSparseAssignment *a;
  bool on_left; /* of the assignment */
  NrSparseError *error;
} Parser;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static char peek(Parser *p) {
  while (p->at < p->text.size && (p->text.data[p->at] == ' ' || p->text.data[p->at] == '\t')) p->at++;
  return p->at < p->text.size ? p->text.data[p->at] : '\0';
}

static bool take(Parser *p, char c) {
  if (peek(p) != c || p->at == p->text.size) return false;
  p->at++;
  return true;
}

static NrStatus unexpected(Parser *p, const char *wanted) {
  char c = peek(p);
  size_t column = p->at + 1;
  if (p->at == p->text.size) return nr_sparse_fail(p->arena, p->error, column, "the text ends; expected %s", wanted);
  if (c < ' ' || c > '~')
    return nr_sparse_fail(p->arena, p->error, column, "unexpected byte 0x%02x; expected %s", (unsigned char)c, wanted);
  return nr_sparse_fail(p->arena, p->error, column, "unexpected '%c'; expected %s", c, wanted);
}

static NrStr name(Parser *p) {
  size_t begin = p->at;
  while (p->at < p->text.size && (is_letter(p->text.data[p->at]) || (p->at > begin && is_digit(p->text.data[p->at]))))
    p->at++;
  return (NrStr){p->text.data + begin, p->at - begin};
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static NrStatus index_variable(Parser *p, size_t *out) {
  NrSparseAssignment *a = p->a;
  if (!is_letter(peek(p))) return unexpected(p, "the name of an index");
  size_t column = p->at + 1;
  NrStr word = name(p);
  for (*out = 0; *out < a->num_indices; ++*out)
    if (nr_str_eq(a->indices[*out], word)) return NR_OK;
  for (size_t t = 0; t < a->num_tensors; t++)
    if (nr_str_eq(a->tensors[t].name, word))
      return nr_sparse_fail(p->arena, p->error, column, "'%.*s' is a tensor; an index needs another name",
                            NR_STR_ARG(word));
  if (a->num_indices == NR_SPARSE_MAX_INDICES)
    return nr_sparse_fail(p->arena, p->error, column, "'%.*s' is one index too many: an expression has at most %d",
                          NR_STR_ARG(word), NR_SPARSE_MAX_INDICES);
  a->indices[a->num_indices++] = word;
  return NR_OK;
}

static NrStatus tensor_of(Parser *p, NrStr word, size_t order, size_t column, size_t *out) {
  NrSparseAssignment *a = p->a;
  for (*out = 0; *out < a->num_tensors; ++*out) {
    const NrSparseTensor *t = &a->tensors[*out];
    if (!nr_str_eq(t->name, word)) continue;
    if (*out == 0)
      return nr_sparse_fail(p->arena, p->error, column,
                            "'%.*s' is the result, so it cannot be an operand; += adds to it", NR_STR_ARG(word));
    if (t->order != order)
      return nr_sparse_fail(p->arena, p->error, column, "'%.*s' has %zu ind%s here and %zu in column %zu",
                            NR_STR_ARG(word), order, order == 1 ? "ex" : "ices", t->order, t->column);
    return NR_OK;
  }
  if (a->num_tensors == NR_SPARSE_MAX_TENSORS)
    return nr_sparse_fail(p->arena, p->error, column, "'%.*s' is one tensor too many: an expression has at most %d",
                          NR_STR_ARG(word), NR_SPARSE_MAX_TENSORS);
  NrSparseTensor *t = &a->tensors[a->num_tensors++];
  *t = (NrSparseTensor){.name = word, .order = order, .format = {.order = order}, .column = column};
  for (size_t l = 0; l < order; l++) t->format.dims[l] = l;
  return NR_OK;
}

#define ENTRIES "go over entries, and what has none is 0; elements can be added, subtracted and multiplied"

/* word(operand( */
static NrStatus no_function(Parser *p, size_t column, NrStr word, NrStr operand) {
  take(p, '(');
  peek(p);
  NrStr index = name(p);
  return nr_sparse_fail(p->arena, p->error, column, "'%.*s' cannot be a function of '%.*s': loops, such as that over "
                        "'%.*s', " ENTRIES, NR_STR_ARG(word), NR_STR_ARG(operand), NR_STR_ARG(index));
}

/* name | name '(' index { ',' index } ')' */
static NrStatus access(Parser *p, size_t *out) {
  NrSparseAssignment *a = p->a;
  NrSparseAccess access = {0};
  size_t column = p->at + 1, order = 0;
  NrStr word = name(p);
  if (take(p, '(')) {
    do {
      if (order == NR_SPARSE_MAX_ORDER)
        return nr_sparse_fail(p->arena, p->error, p->at + 1, "'%.*s' has too many indices: a tensor has at most %d "
                              "dims", NR_STR_ARG(word), NR_SPARSE_MAX_ORDER);
      NR_TRY(index_variable(p, &access.indices[order++]));
    } while (take(p, ','));
    if (peek(p) == '(' && !p->on_left)
      return no_function(p, column, word, a->indices[access.indices[order - 1]]);
    if (!take(p, ')')) return unexpected(p, "',' or ')' behind an index");
  }
  NR_TRY(tensor_of(p, word, order, column, &access.tensor));
  for (size_t i = 0; i < a->num_indices; i++)
    if (nr_str_eq(a->indices[i], word))
      return nr_sparse_fail(p->arena, p->error, column, "'%.*s' is an index; a tensor needs another name",
                            NR_STR_ARG(word));
  if (a->num_accesses == NR_SPARSE_MAX_ACCESSES)
    return nr_sparse_fail(p->arena, p->error, column, "'%.*s' is one operand too many: an expression has at most %d",
                          NR_STR_ARG(word), NR_SPARSE_MAX_ACCESSES - 1);
  *out = a->num_accesses;
  a->accesses[a->num_accesses++] = access;
  return NR_OK;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static NrStatus sum(Parser *p, const NrSparseExpr **out);

static NrSparseExpr *node(Parser *p, size_t column, NrSparseKind kind, const NrSparseExpr *left,
                          const NrSparseExpr *right) {
  NrSparseExpr *e = NR_NEW(p->arena, NrSparseExpr);
  *e = (NrSparseExpr){.kind = kind, .left = left, .right = right, .column = column};
  return e;
}

static NrStatus number(Parser *p, const NrSparseExpr **out) {
  size_t begin = p->at, n = p->text.size;
  const char *s = p->text.data;
  while (p->at < n && is_digit(s[p->at])) p->at++;
  if (p->at < n && s[p->at] == '.') {
    p->at++;
    if (p->at == n || !is_digit(s[p->at])) return unexpected(p, "a digit behind the point");
    while (p->at < n && is_digit(s[p->at])) p->at++;
  }
  if (p->at < n && (s[p->at] == 'e' || s[p->at] == 'E')) {
    p->at++;
    if (p->at < n && (s[p->at] == '+' || s[p->at] == '-')) p->at++;
    if (p->at == n || !is_digit(s[p->at])) return unexpected(p, "an exponent");
    while (p->at < n && is_digit(s[p->at])) p->at++;
  }
  NrSparseExpr *e = node(p, begin + 1, NR_SPARSE_NUMBER, NULL, NULL);
  e->number = (NrStr){s + begin, p->at - begin};
  *out = e;
  return NR_OK;
}

/* What stands where an operator could: another operator, or a mistake. */
static NrStatus no_operator(Parser *p, const char *wanted) {
  char c = peek(p);
  if (!c || !strchr("/%^&|<>!?", c)) return unexpected(p, wanted);
  const NrSparseAccess *last = &p->a->accesses[p->a->num_accesses - 1];
  size_t order = p->a->tensors[last->tensor].order;
  const char *over = "";
  for (size_t d = 0; d < order; d++)
    over = nr_arena_printf(p->arena, "%s%s'%.*s'", over, d ? ", " : " over ",
                           NR_STR_ARG(p->a->indices[last->indices[d]]));
  return nr_sparse_fail(p->arena, p->error, p->at + 1, "'%c' is not supported: loops%s " ENTRIES, c, over);
}

/* '-' factor | '(' sum ')' | number | access */
static NrStatus factor(Parser *p, const NrSparseExpr **out) {
  char c = peek(p);
  if (c == '-' || c == '(') {
    if (++p->depth > NR_SPARSE_MAX_DEPTH)
      return nr_sparse_fail(p->arena, p->error, p->at + 1, "nested more than %d deep", NR_SPARSE_MAX_DEPTH);
    size_t column = ++p->at;
    NR_TRY(c == '-' ? factor(p, out) : sum(p, out));
    if (c == '-') *out = node(p, column, NR_SPARSE_NEG, *out, NULL);
    else if (!take(p, ')')) return no_operator(p, "an operator or ')'");
    p->depth--;
    return NR_OK;
  }
  if (is_digit(c)) return number(p, out);
  if (!is_letter(c)) return unexpected(p, "a tensor, a number or '('");
  NrSparseExpr *e = node(p, p->at + 1, NR_SPARSE_ACCESS, NULL, NULL);
  *out = e;
  return access(p, &e->access);
}

static NrStatus product(Parser *p, const NrSparseExpr **out) {
  NR_TRY(factor(p, out));
  while (take(p, '*')) {
    const NrSparseExpr *right;
    size_t column = p->at;
    NR_TRY(factor(p, &right));
    *out = node(p, column, NR_SPARSE_MUL, *out, right);
  }
  return NR_OK;
}

static NrStatus sum(Parser *p, const NrSparseExpr **out) {
  NR_TRY(product(p, out));
  for (char c; (c = peek(p)) == '+' || c == '-';) {
    const NrSparseExpr *right;
    size_t column = ++p->at;
    NR_TRY(product(p, &right));
    *out = node(p, column, c == '+' ? NR_SPARSE_ADD : NR_SPARSE_SUB, *out, right);
  }
  return NR_OK;
}

/* Every index of the left side needs an operand that has it: nothing else says how far it goes. */
static NrStatus check_free(Parser *p) {
  NrSparseAssignment *a = p->a;
  for (size_t i = 0; i < a->num_free; i++) {
    bool used = false;
    for (size_t k = 1; k < a->num_accesses; k++)
      for (size_t d = 0; d < a->tensors[a->accesses[k].tensor].order; d++) used |= a->accesses[k].indices[d] == i;
    if (!used)
      return nr_sparse_fail(p->arena, p->error, 1, "the index '%.*s' is on the left side only; no operand has it",
                            NR_STR_ARG(a->indices[i]));
  }
  return NR_OK;
}

NrStatus nr_sparse_parse(NrArena *arena, NrStr text, NrSparseAssignment *out, NrSparseError *error) {
  *out = (NrSparseAssignment){0};
  *error = (NrSparseError){0};
  Parser p = {.arena = arena, .text = text, .a = out, .error = error};
  size_t left;
  if (!is_letter(peek(&p))) return unexpected(&p, "the result, such as A(i,j)");
  p.on_left = true;
  NR_TRY(access(&p, &left));
  p.on_left = false;
  out->num_free = out->num_indices;
  out->adds = take(&p, '+');
  if (!take(&p, '=')) return unexpected(&p, out->adds ? "'=' behind '+'" : "'=' or '+='");
  NR_TRY(sum(&p, &out->value));
  peek(&p);
  if (p.at < text.size) return no_operator(&p, "an operator or the end");
  return check_free(&p);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

bool nr_sparse_format_is_dense(const NrSparseFormat *format) {
  for (size_t l = 0; l < format->order; l++)
    if (format->kinds[l] != NR_LEVEL_DENSE) return false;
  return true;
}

bool nr_sparse_level_repeats(const NrSparseFormat *format, size_t l) {
  if (l + 1 == format->order || format->kinds[l + 1] != NR_LEVEL_SINGLETON) return false;
  while (format->kinds[l] == NR_LEVEL_SINGLETON) l--;
  return format->kinds[l] == NR_LEVEL_COMPRESSED;
}

/* [ ':' dim { ',' dim } ]: the dim that each level stores; each dim once. */
static NrStatus level_order(Parser *p, NrStr tensor, NrSparseFormat *format) {
  bool seen[NR_SPARSE_MAX_ORDER] = {0};
  for (size_t l = 0; l < format->order; l++) {
    if (l && !take(p, ',')) return unexpected(p, "',' and the dim of the next level");
    char c = peek(p);
    if (!is_digit(c)) return unexpected(p, "the number of a dim");
    size_t dim = (size_t)(c - '0');
    if (dim >= format->order || seen[dim])
      return nr_sparse_fail(p->arena, p->error, p->at + 1, "the levels of '%.*s' store each of its dims 0 to %zu once",
                            NR_STR_ARG(tensor), format->order - 1);
    seen[dim] = true;
    format->dims[l] = dim;
    p->at++;
  }
  return NR_OK;
}

static NrStatus level_kinds(Parser *p, NrStr tensor, NrSparseFormat *format) {
  for (char c; (c = peek(p)) && c != ':'; p->at++) {
    if (c != 'd' && c != 's' && c != 'u' && c != 'q')
      return unexpected(p, "a level: d (dense), s (compressed), u (compressed, in no order) or q (singleton)");
    if (format->order == NR_SPARSE_MAX_ORDER)
      return nr_sparse_fail(p->arena, p->error, p->at + 1, "a tensor has at most %d dims", NR_SPARSE_MAX_ORDER);
    size_t l = format->order;
    if (c == 'q' && (!l || format->is_unordered[l - 1]))
      return nr_sparse_fail(p->arena, p->error, p->at + 1,
                            "a singleton level of '%.*s' stands below a level d, s or q, such as sq",
                            NR_STR_ARG(tensor));
    format->kinds[l] = c == 'd' ? NR_LEVEL_DENSE : c == 'q' ? NR_LEVEL_SINGLETON : NR_LEVEL_COMPRESSED;
    format->is_unordered[l] = c == 'u';
    format->dims[l] = l;
    format->order++;
  }
  return NR_OK;
}

NrStatus nr_sparse_set_format(NrArena *arena, NrSparseAssignment *a, NrStr text, NrSparseError *error) {
  Parser p = {.arena = arena, .text = text, .a = a, .error = error};
  NrSparseFormat format = {0};
  *error = (NrSparseError){0};
  if (!is_letter(peek(&p))) return unexpected(&p, "TENSOR:LEVELS, such as B:ds");
  NrStr word = name(&p);
  NrNearest nearest = nr_nearest(word);
  NrSparseTensor *tensor = NULL;
  for (size_t t = 0; t < a->num_tensors; t++) {
    if (nr_str_eq(a->tensors[t].name, word)) tensor = &a->tensors[t];
    nr_nearest_try(&nearest, a->tensors[t].name);
  }
  if (!tensor)
    return nr_sparse_fail(arena, error, 1, "the expression has no tensor '%.*s'" NR_HINT, NR_STR_ARG(word),
                          NR_HINT_ARG(nearest));
  if (!take(&p, ':')) return unexpected(&p, "':' and the levels");
  NR_TRY(level_kinds(&p, word, &format));
  if (format.order != tensor->order)
    return nr_sparse_fail(arena, error, p.at + 1, "'%.*s' has %zu dim%s, but the format has %zu level%s",
                          NR_STR_ARG(word), tensor->order, tensor->order == 1 ? "" : "s", format.order,
                          format.order == 1 ? "" : "s");
  if (take(&p, ':')) NR_TRY(level_order(&p, word, &format));
  peek(&p);
  if (p.at < text.size) return unexpected(&p, "the end");
  if (tensor->has_format)
    return nr_sparse_fail(arena, error, p.at + 1, "'%.*s' has two formats", NR_STR_ARG(word));
  tensor->format = format;
  tensor->has_format = true;
  return NR_OK;
}
