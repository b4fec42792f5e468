/* read.c - an op definition from its text. */
#include <ctype.h>
#include <string.h>

#include "accessors.h"

typedef struct Span {
  const char *begin, *end;
} Span;

/* Behind the string literal at p. */
static const char *skip_string(const char *p) {
  for (p++; *p != '"'; p++) p += *p == '\\';
  return p + 1;
}

/* The value of the last `.field = ..`: as in an initializer, a later one overrides an earlier one. */
static Span find_field(const char *fields, const char *field) {
  Span found = {"", ""};
  size_t size = strlen(field);
  for (const char *p = fields; *p;) {
    while (*p == ' ' || *p == ',') p++;
    const char *begin = p;
    int depth = 0;
    while (*p && (depth || *p != ',')) {
      if (*p == '"') {
        p = skip_string(p);
        continue;
      }
      depth += (*p == '(' || *p == '{') - (*p == ')' || *p == '}');
      p++;
    }
    if (*begin == '.' && strncmp(begin + 1, field, size) == 0 && !isalnum((unsigned char)begin[1 + size]) &&
        begin[1 + size] != '_')
      found = (Span){strchr(begin, '=') + 1, p};
  }
  return found;
}

/* The characters of adjacent string literals. */
static void read_text(Span field, char *out, size_t capacity) {
  size_t size = 0;
  for (const char *p = field.begin; p < field.end; p++) {
    if (*p != '"') continue;
    for (p++; *p != '"'; p++) {
      if (size + 1 >= capacity) fail("a field of an op definition is too long");
      out[size++] = *p;
    }
  }
  out[size] = 0;
}

/* "lowerBound" and "LowerBound" become "lower_bound", "thenRegion" "then_region". */
static void to_snake_case(const char *name, size_t size, char *out, size_t capacity) {
  size_t used = 0;
  for (size_t i = 0; i < size; i++) {
    if (used + 2 >= capacity) fail("the name %.*s is too long", (int)size, name);
    bool starts_word = isupper((unsigned char)name[i]) && i > 0 &&
                       (islower((unsigned char)name[i - 1]) ||
                        (i + 1 < size && islower((unsigned char)name[i + 1]) && name[i - 1] != '_'));
    if (starts_word) out[used++] = '_';
    out[used++] = (char)tolower((unsigned char)name[i]);
  }
  out[used] = 0;
}

/* "a: T=int*, b?, c(x: any)": names and arities. */
static List read_list(const char *text) {
  List list = {0};
  for (const char *p = text; *p;) {
    while (*p == ' ' || *p == ',') p++;
    const char *name = p;
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    if (p == name || list.count == MAX_ITEMS) fail("malformed op definition: %s", text);
    Item *item = &list.items[list.count++];
    *item = (Item){.singles_before = list.singles, .varying_before = list.varying};
    to_snake_case(name, (size_t)(p - name), item->name, sizeof item->name);
    for (int depth = 0; *p && (depth || *p != ','); p++) {
      depth += (*p == '(') - (*p == ')');
      if (depth == 0 && (*p == '*' || *p == '?')) item->arity = *p;
    }
    list.singles += item->arity == 0;
    list.varying += item->arity != 0;
  }
  return list;
}

static List read_field(const Row *row, const char *field) {
  char text[512];
  read_text(find_field(row->fields, field), text, sizeof text);
  return read_list(text);
}

Op read_row(const Row *row) {
  Op op = {.dialect = row->dialect, .id = row->op};
  size_t prefix = strlen(row->dialect) + 1;
  memcpy(op.name, row->dialect, prefix - 1);
  op.name[prefix - 1] = '_';
  to_snake_case(row->op, strlen(row->op), op.name + prefix, sizeof op.name - prefix);
  op.operands = read_field(row, "operands");
  op.results = read_field(row, "results");
  op.regions = read_field(row, "regions");
  Span traits = find_field(row->fields, "traits"), successors = find_field(row->fields, "successors");
  const char *segments = strstr(traits.begin, "NR_SEGMENTS");
  op.has_segments = segments && segments < traits.end;
  op.has_successors = successors.end > successors.begin;
  return op;
}
