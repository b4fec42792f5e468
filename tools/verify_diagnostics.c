/* verify_diagnostics.c - comments with the expected diagnostics, as for mlir-opt:
 *
 *   // expected-error@+1 {{part of the message}}     also -warning, -remark, -note; @-2, @above, @below, @unknown
 *   // expected-error-re@+1 {{part {{[0-9]+}} of it}}  with regular expressions in it
 *
 * Each comment matches one diagnostic at its line. Notes need no comment. */
#include "tools.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Expected {
  NrSeverity severity;
  uint32_t line; /* 0 = @unknown */
  NrStr text;
  bool is_pattern; /* with {{regular expressions}} in it */
  bool met;
} Expected;

struct Expectations {
  NrStr text;
  NR_VEC(Expected) list;
  NrBuf unexpected; /* rendered lines without the file name */
  size_t num_unexpected;
};

static const char *const words[] = {
    [NR_NOTE] = "note", [NR_REMARK] = "remark", [NR_WARNING] = "warning", [NR_ERROR] = "error"};

static bool take(NrStr *s, const char *prefix) {
  if (!nr_str_starts(*s, prefix)) return false;
  size_t n = strlen(prefix);
  *s = (NrStr){s->data + n, s->size - n};
  return true;
}

static bool take_severity(NrStr *s, NrSeverity *out) {
  for (int i = NR_NOTE; i <= NR_ERROR; i++)
    if (take(s, words[i])) return *out = (NrSeverity)i, true;
  return false;
}

/* @+1, @-2, @above, @below, @unknown or nothing, after optional blanks. */
static uint32_t take_line(NrStr *s, uint32_t line) {
  while (take(s, " ")) {}
  if (!take(s, "@")) return line;
  if (take(s, "unknown")) return 0;
  if (take(s, "above")) return line - 1;
  if (take(s, "below")) return line + 1;
  bool up = take(s, "-");
  if (!up) take(s, "+");
  uint32_t offset = 0;
  for (; s->size && *s->data >= '0' && *s->data <= '9'; s->data++, s->size--)
    offset = offset * 10 + (uint32_t)(*s->data - '0');
  return up ? line - offset : line + offset;
}

/* The text between {{ and the }} that ends the comment; a pattern may contain nested pairs. */
static bool take_message(NrStr *s, bool is_pattern, NrStr *out) {
  size_t open = 0;
  while (take(s, " ")) {}
  if (!take(s, "{{")) return false;
  for (size_t i = 0; i + 1 < s->size; i++) {
    bool opens = is_pattern && s->data[i] == '{' && s->data[i + 1] == '{';
    bool closes = s->data[i] == '}' && s->data[i + 1] == '}';
    if (opens || (closes && open)) {
      open = opens ? open + 1 : open - 1;
      i++;
      continue;
    }
    if (!closes) continue;
    while (i + 2 < s->size && s->data[i + 2] == '}') i++; /* "{{ends with a brace}}}" */
    *out = (NrStr){s->data, i};
    *s = (NrStr){s->data + i + 2, s->size - i - 2};
    return true;
  }
  return false;
}

static void scan_line(Expectations *e, NrStr rest, uint32_t line) {
  static const char key[] = "expected-";
  for (;;) {
    const char *at = memmem(rest.data, rest.size, key, sizeof key - 1);
    if (!at) return;
    rest.size -= (size_t)(at - rest.data) + sizeof key - 1;
    rest.data = at + sizeof key - 1;
    Expected x = {0};
    if (!take_severity(&rest, &x.severity)) continue;
    x.is_pattern = take(&rest, "-re");
    x.line = take_line(&rest, line);
    if (take_message(&rest, x.is_pattern, &x.text)) nr_vec_push(&e->list, x);
  }
}

Expectations *expectations_create(NrStr text, size_t lines_before) {
  Expectations *e = nr_calloc(1, sizeof *e);
  e->text = text;
  uint32_t line = (uint32_t)lines_before + 1;
  for (size_t at = 0; at < text.size; line++) {
    const char *newline = memchr(text.data + at, '\n', text.size - at);
    size_t end = newline ? (size_t)(newline - text.data) : text.size;
    scan_line(e, (NrStr){text.data + at, end - at}, line);
    at = end + 1;
  }
  return e;
}

void expectations_destroy(Expectations *e) {
  if (!e) return;
  nr_vec_deinit(&e->list);
  nr_buf_deinit(&e->unexpected);
  nr_free(e);
}

static uint32_t line_of(NrLoc loc) {
  while (loc && loc->kind != NR_LOC_FILE)
    if (loc->kind == NR_LOC_FUSED) loc = loc->num_parts ? loc->parts[0] : NULL;
    else loc = loc->kind == NR_LOC_UNKNOWN ? NULL : loc->a;
  return loc ? loc->line : 0;
}

/* Literal text, and extended regular expressions in {{ }}. */
static bool matches_pattern(NrStr pattern, NrStr message) {
  NrBuf expression = {0}, subject = {0};
  bool in_braces = false;
  for (size_t i = 0; i < pattern.size; i++) {
    char c = pattern.data[i], next = i + 1 < pattern.size ? pattern.data[i + 1] : 0;
    if (c == next && c == (in_braces ? '}' : '{')) {
      nr_buf_putc(&expression, in_braces ? ')' : '(');
      in_braces = !in_braces;
      i++;
      continue;
    }
    if (!in_braces && strchr("\\^$.[]|()*+?{}", c)) nr_buf_putc(&expression, '\\');
    nr_buf_putc(&expression, c);
  }
  nr_buf_putc(&expression, 0);
  nr_buf_str(&subject, message);
  nr_buf_putc(&subject, 0);
  regex_t compiled;
  bool matches = false;
  if (regcomp(&compiled, expression.data, REG_EXTENDED | REG_NOSUB) == 0) {
    matches = regexec(&compiled, subject.data, 0, NULL, 0) == 0;
    regfree(&compiled);
  }
  nr_buf_deinit(&expression);
  nr_buf_deinit(&subject);
  return matches;
}

static bool matches(const Expected *x, NrStr message) {
  if (x->is_pattern) return matches_pattern(x->text, message);
  return memmem(message.data, message.size, x->text.data, x->text.size) != NULL;
}

static bool meet(Expectations *e, const NrDiag *diag, uint32_t line) {
  for (size_t i = 0; i < e->list.size; i++) {
    Expected *x = &e->list.data[i];
    if (x->met || x->severity != diag->severity || x->line != line) continue;
    if (!matches(x, diag->message)) continue;
    return x->met = true;
  }
  return false;
}

void expectations_check(void *user, const NrDiag *diag) {
  Expectations *e = user;
  uint32_t line = line_of(diag->loc);
  if (!meet(e, diag, line) && diag->severity != NR_NOTE) {
    nr_buf_printf(&e->unexpected, ":%u: error: unexpected %s: %.*s\n", line, words[diag->severity],
                  NR_STR_ARG(diag->message));
    e->num_unexpected++;
  }
  for (size_t i = 0; i < diag->num_notes; i++) meet(e, &diag->notes[i], line_of(diag->notes[i].loc));
}

bool expectations_met(const Expectations *e, const char *file) {
  bool good = e->num_unexpected == 0;
  NrStr rest = {e->unexpected.data, e->unexpected.size};
  while (rest.size) {
    const char *newline = memchr(rest.data, '\n', rest.size);
    size_t n = newline ? (size_t)(newline - rest.data) + 1 : rest.size;
    fprintf(stderr, "%s%.*s", file, (int)n, rest.data);
    rest = (NrStr){rest.data + n, rest.size - n};
  }
  for (size_t i = 0; i < e->list.size; i++) {
    const Expected *x = &e->list.data[i];
    if (x->met) continue;
    good = false;
    fprintf(stderr, "%s:%u: error: expected %s \"%.*s\" was not produced\n", file, x->line, words[x->severity],
            NR_STR_ARG(x->text));
  }
  return good;
}
