/* re2.c - see re2.h.
 *
 * RE2 knows no back references, look-arounds and possessive repeats, and means other things by some escapes. So
 * every construct of RE2 is read here and written in a form that PCRE2 understands in the same way; literals become
 * \x{..}. */
#include "runtime/text/re2.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPEAT = 1000, MAX_DEPTH = 1000 }; /* RE2's */

typedef struct Re2 {
  const char *at, *end;
  char *out;
  size_t size, capacity;
  size_t depth;                  /* of groups */
  bool multi_line[MAX_DEPTH + 1]; /* flag m, by depth */
  bool failed;
  char *message;
  size_t message_size;
} Re2;

static void fail(Re2 *r, const char *format, ...) {
  if (r->failed) return;
  r->failed = true;
  va_list args;
  va_start(args, format);
  vsnprintf(r->message, r->message_size, format, args);
  va_end(args);
}

static void put_bytes(Re2 *r, const char *data, size_t size) {
  if (r->size + size >= r->capacity) {
    size_t capacity = 2 * r->capacity + size + 64;
    char *grown = realloc(r->out, capacity);
    if (!grown) {
      fail(r, "the system has no memory for it");
      return;
    }
    r->out = grown;
    r->capacity = capacity;
  }
  memcpy(r->out + r->size, data, size);
  r->size += size;
}

static void put(Re2 *r, const char *text) { put_bytes(r, text, strlen(text)); }

static void put_code(Re2 *r, uint32_t code) {
  char text[16];
  snprintf(text, sizeof text, "\\x{%x}", (unsigned)code);
  put(r, text);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_octal(char c) { return c >= '0' && c <= '7'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

static bool next_is(const Re2 *r, const char *text) {
  size_t size = strlen(text);
  return (size_t)(r->end - r->at) >= size && memcmp(r->at, text, size) == 0;
}

static bool take(Re2 *r, const char *text) {
  if (!next_is(r, text)) return false;
  r->at += strlen(text);
  return true;
}

/* The code point at the front. Bytes that are no UTF-8 are left to PCRE2, which gets them as they are. */
static uint32_t take_code(Re2 *r) {
  unsigned char first = (unsigned char)*r->at++;
  int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  uint32_t code = more ? first & (0x3fu >> more) : first;
  if (first >= 0x80 && !more) fail(r, "it is not UTF-8");
  for (; more; more--) {
    if (r->at == r->end || ((unsigned char)*r->at & 0xc0) != 0x80) {
      fail(r, "it is not UTF-8");
      return 0;
    }
    code = code << 6 | ((unsigned char)*r->at++ & 0x3fu);
  }
  return code;
}

/* ---- escapes ----------------------------------------------------------------------------------------------------- */

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \x is read: two digits, or any number of them in braces. */
static uint32_t hex_code(Re2 *r) {
  bool braces = take(r, "{");
  uint32_t code = 0;
  int digits = 0;
  while (r->at < r->end && hex_digit(*r->at) >= 0 && (braces || digits < 2) && code <= 0x10ffff) {
    code = code << 4 | (uint32_t)hex_digit(*r->at++);
    digits++;
  }
  if ((braces ? !digits || !take(r, "}") : digits != 2) || code > 0x10ffff) fail(r, "bad escape \\x");
  return code;
}

/* The character that an escape stands for; the backslash is read. */
static uint32_t escaped(Re2 *r) {
  if (r->at == r->end) {
    fail(r, "trailing \\");
    return 0;
  }
  static const char letters[] = "nrtafv", codes[] = "\n\r\t\a\f\v";
  char c = *r->at;
  const char *simple = strchr(letters, c);
  if ((unsigned char)c >= 0x80) {
    fail(r, "bad escape: \\ before a character that is not ASCII");
    return 0;
  }
  r->at++;
  if (c == 'x') return hex_code(r);
  if (simple && c) return (uint32_t)codes[simple - letters];
  if (!is_word(c) || c == '_') return (uint32_t)c;
  bool octal = c == '0' || (is_octal(c) && r->at < r->end && is_octal(*r->at));
  if (!octal) {
    fail(r, "bad escape \\%c", c);
    return 0;
  }
  uint32_t code = (uint32_t)(c - '0');
  for (int i = 0; i < 2 && r->at < r->end && is_octal(*r->at); i++) code = code * 8 + (uint32_t)(*r->at++ - '0');
  return code;
}

/* \pN, \p{Greek}, \P{^Lu}; p or P is next. PCRE2 takes a script for its extensions unless sc: is before it. */
static void property(Re2 *r) {
  char letter = *r->at++;
  bool braces = take(r, "{"), negated = letter == 'P';
  if (braces && take(r, "^")) negated = !negated;
  const char *name = r->at;
  if (braces)
    while (r->at < r->end && *r->at != '}') r->at++;
  else if (r->at < r->end)
    r->at++;
  int size = (int)(r->at - name);
  if (braces && !take(r, "}")) size = 0;
  bool known = size > 0 && size < 64 && *name != 'X';
  for (int i = 0; i < size && known; i++) known = is_letter(name[i]) || name[i] == '_';
  if (!known) {
    fail(r, "bad character property \\%c", letter);
    return;
  }
  bool is_script = size > 2 && !(size == 3 && memcmp(name, "Any", 3) == 0);
  char text[96];
  snprintf(text, sizeof text, "\\%c{%s%.*s}", negated ? 'P' : 'p', is_script ? "sc:" : "", size, name);
  put(r, text);
}

/* An escape that stands for a set of characters; the backslash is read. RE2's \s is without the vertical tab. */
static bool set_escape(Re2 *r, bool in_class) {
  if (r->at == r->end) return false;
  switch (*r->at) {
  case 'p':
  case 'P':
    property(r);
    return true;
  case 'd': put(r, "\\d"); break;
  case 'D': put(r, "\\D"); break;
  case 'w': put(r, "\\w"); break;
  case 'W': put(r, "\\W"); break;
  case 's': put(r, in_class ? "\\t\\n\\f\\r\\x{20}" : "[\\t\\n\\f\\r\\x{20}]"); break;
  case 'S':
    put(r, in_class ? "\\x{0}-\\x{8}\\x{b}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}" : "[^\\t\\n\\f\\r\\x{20}]");
    break;
  default: return false;
  }
  r->at++;
  return true;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static uint32_t class_character(Re2 *r) {
  if (r->at == r->end) {
    fail(r, "missing ]");
    return 0;
  }
  return take(r, "\\") ? escaped(r) : take_code(r);
}

/* [:alpha:] or [:^alpha:]. False where it does not look like one. */
static bool named_class(Re2 *r) {
  if (!next_is(r, "[:")) return false;
  const char *p = r->at + 2, *begin = r->at;
  while (p < r->end && (is_letter(*p) || *p == '^')) p++;
  if (r->end - p < 2 || p[0] != ':' || p[1] != ']') return false;
  r->at = p + 2;
  put_bytes(r, begin, (size_t)(r->at - begin));
  return true;
}

/* The opening bracket is read. */
static void class(Re2 *r) {
  put(r, take(r, "^") ? "[^" : "[");
  for (bool first = true; !r->failed && (first || !next_is(r, "]")); first = false) {
    if (named_class(r)) continue;
    const char *before = r->at;
    if (take(r, "\\")) {
      if (set_escape(r, true)) continue;
      r->at = before;
    }
    uint32_t low = class_character(r), high = low;
    if (next_is(r, "-") && r->end - r->at >= 2 && r->at[1] != ']') {
      r->at++;
      high = class_character(r);
    }
    if (high < low) fail(r, "bad range in a class");
    put_code(r, low);
    if (high == low) continue;
    put(r, "-");
    put_code(r, high);
  }
  r->at++;
  put(r, "]");
}

/* ---- groups and repeats ------------------------------------------------------------------------------------------ */

static void enter_group(Re2 *r, bool multi_line) {
  if (r->depth == MAX_DEPTH)
    fail(r, "groups are nested deeper than %d", MAX_DEPTH);
  else
    r->multi_line[++r->depth] = multi_line;
}

/* "(?" is read: a name, or flags, of a group or of what follows. */
static void group(Re2 *r) {
  bool minus = false, any = false, multi_line = r->multi_line[r->depth];
  if (take(r, "P<") || (next_is(r, "<") && !next_is(r, "<=") && !next_is(r, "<!") && take(r, "<"))) {
    const char *name = r->at;
    while (r->at < r->end && is_word(*r->at)) r->at++;
    size_t size = (size_t)(r->at - name);
    if (!size || !take(r, ">")) fail(r, "bad name of a group");
    put(r, "(?<n_");
    put_bytes(r, name, size);
    put(r, ">");
    enter_group(r, multi_line);
    return;
  }
  put(r, "(?");
  while (r->at < r->end && !strchr(":)", *r->at) && !r->failed) {
    char c = *r->at++;
    if (c == '-' && !minus) {
      minus = true;
      any = false;
    } else if (c && strchr("imsU", c)) {
      any = true;
      if (c == 'm') multi_line = !minus;
    } else {
      fail(r, "bad syntax of a group: (?%c", c);
    }
    put_bytes(r, &c, 1);
  }
  if (r->at == r->end) {
    fail(r, "missing )");
    return;
  }
  if (minus && !any) fail(r, "a group's - has no flags behind it");
  if (*r->at == ':')
    enter_group(r, multi_line);
  else
    r->multi_line[r->depth] = multi_line;
  put_bytes(r, r->at++, 1);
}

static const char *number(const char *p, const char *end, int *out) {
  *out = -1;
  for (; p < end && is_digit(*p); p++) {
    if (*out < 0) *out = 0;
    *out = *out > MAX_REPEAT ? *out : *out * 10 + (*p - '0');
  }
  return p;
}

/* Reads {n}, {n,} or {n,m}; braces with anything else in them are literals. */
static bool counted(Re2 *r) {
  int low, high = -1;
  const char *p = number(r->at + 1, r->end, &low);
  if (low < 0 || p == r->end) return false;
  bool comma = *p == ',';
  if (comma) p = number(p + 1, r->end, &high);
  if (p == r->end || *p != '}') return false;
  if (low > MAX_REPEAT || high > MAX_REPEAT || (high >= 0 && high < low)) fail(r, "bad number of repeats");
  put_bytes(r, r->at, (size_t)(p + 1 - r->at));
  r->at = p + 1;
  return true;
}

/* A repeat at the front. can: there is something to be repeated that is no repeat itself. */
static bool repeat(Re2 *r, bool can) {
  const char *before = r->at;
  if (strchr("*+?", *r->at) && *r->at)
    put_bytes(r, r->at++, 1);
  else if (*r->at != '{' || !counted(r))
    return false;
  if (!can) fail(r, "nothing to repeat before %.*s", (int)(r->at - before), before);
  if (take(r, "?")) put(r, "?");
  return true;
}

/* ---- the expression ---------------------------------------------------------------------------------------------- */

/* An escape; the backslash is read. */
static void escape(Re2 *r) {
  static const char *const points[][2] = {{"A", "(?:\\A)"}, {"z", "(?:\\z)"}, {"b", "(?:\\b)"}, {"B", "(?:\\B)"}};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++)
    if (take(r, points[i][0])) {
      put(r, points[i][1]);
      return;
    }
  if (next_is(r, "C")) fail(r, "\\C, a byte, is not supported");
  if (take(r, "Q")) {
    while (r->at < r->end && !r->failed && !take(r, "\\E")) put_code(r, take_code(r));
    return;
  }
  if (!set_escape(r, false)) put_code(r, escaped(r));
}

/* What is neither a repeat nor an end of a group. False where nothing stands that may be repeated. */
static bool item(Re2 *r) {
  if (take(r, "(?")) {
    group(r);
    return false;
  }
  if (take(r, "(")) {
    put(r, "(?:");
    enter_group(r, r->multi_line[r->depth]);
    return false;
  }
  if (take(r, "|")) {
    put(r, "|");
    return false;
  }
  if (take(r, "["))
    class(r);
  else if (take(r, "\\"))
    escape(r);
  else if (take(r, "^")) /* PCRE2's search without backtracking misses some begins and ends of lines */
    put(r, r->multi_line[r->depth] ? "(?:^|(?<=\\n))" : "(?:^)");
  else if (take(r, "$"))
    put(r, r->multi_line[r->depth] ? "(?:$|(?=\\n))" : "(?:$)");
  else if (take(r, "."))
    put(r, ".");
  else
    put_code(r, take_code(r));
  return true;
}

char *nr_re2_to_pcre2(const char *pattern, size_t size, size_t *out_size, char *message, size_t message_size) {
  Re2 r = {.at = pattern, .end = pattern + size, .message = message, .message_size = message_size};
  bool can_repeat = false;
  put(&r, "");
  while (r.at < r.end && !r.failed) {
    if (repeat(&r, can_repeat)) {
      can_repeat = false;
    } else if (take(&r, ")")) {
      if (r.depth)
        r.depth--;
      else
        fail(&r, "unexpected )");
      put(&r, ")");
      can_repeat = true;
    } else {
      can_repeat = item(&r);
    }
  }
  if (r.depth) fail(&r, "missing )");
  if (r.failed) {
    free(r.out);
    return NULL;
  }
  *out_size = r.size;
  return r.out;
}
