/* write.c - the accessors of an op as C. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "accessors.h"

/* ---- files ------------------------------------------------------------------------------------------------------ */

void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("accessors: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

void put(Out *out, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  size_t size = (size_t)vsnprintf(NULL, 0, format, args);
  if (out->size + size >= out->capacity) {
    out->capacity = 2 * (out->size + size + 1);
    out->text = realloc(out->text, out->capacity);
    if (!out->text) fail("out of memory");
  }
  vsnprintf(out->text + out->size, size + 1, format, again);
  out->size += size;
  va_end(again);
  va_end(args);
}

/* The folders of a path, where they are missing. */
static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0777) && errno != EEXIST) fail("%s: %s", path, strerror(errno));
    *slash = '/';
  }
}

static bool has_text(const char *path, const Out *out) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char *text = malloc(out->size + 1);
  if (!text) fail("out of memory");
  bool same = fread(text, 1, out->size + 1, file) == out->size && memcmp(text, out->text, out->size) == 0;
  free(text);
  fclose(file);
  return same;
}

void save(Out *out, const char *path_format, ...) {
  char path[4096];
  va_list args;
  va_start(args, path_format);
  int size = vsnprintf(path, sizeof path, path_format, args);
  va_end(args);
  if (size >= (int)sizeof path) fail("%s: the path is too long", path);
  make_folders(path);
  if (!has_text(path, out)) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(out->text, 1, out->size, file) != out->size || fclose(file))
      fail("%s: %s", path, strerror(errno));
  }
  free(out->text);
  *out = (Out){0};
}

/* ---- operands and results --------------------------------------------------------------------------------------- */

static void upper_case(const char *name, char *out) {
  while ((*out++ = (char)toupper((unsigned char)*name++))) continue;
}

static bool has_name(const List *list, const char *name) {
  for (unsigned i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return true;
  return false;
}

/* What differs between operands and results. */
typedef struct Side {
  const char *value, *range, *group_range, *group_value; /* functions of ir.h and op_info.h */
  char count[48]; /* how many the op has, in C */
} Side;

/* The index of item in C: `rest` operands are in each varying group before it. */
static void index_of(const Side *side, const List *list, const Item *item, char *out, size_t capacity) {
  if (item->varying_before == 0) snprintf(out, capacity, "%u", item->singles_before);
  else if (list->varying == 1)
    snprintf(out, capacity, "%s - %u", side->count, list->singles + list->varying - 1 - item->singles_before);
  else
    snprintf(out, capacity, "%u + %u * ((%s - %u) / %u)", item->singles_before, item->varying_before, side->count,
             list->singles, list->varying);
}

static void write_item(Out *out, const Op *op, const Side *side, const List *list, unsigned i, const char *name,
                       bool has_segments) {
  const Item *item = &list->items[i];
  char index[160], check[200];
  index_of(side, list, item, index, sizeof index);
  snprintf(check, sizeof check, "assert(nr_op_is(op, NR_OP_%s_%s))", op->dialect, op->id);
  const char *type = item->arity == '*' ? "NrGroup " : "NrValue *";
  put(out, "static inline %snr_%s_%s(const NrOp *op) {\n  %s;\n", type, op->name, name, check);
  if (has_segments && item->arity)
    put(out, "  return %s(op, %u);\n}\n", item->arity == '*' ? side->group_range : side->group_value, i);
  else if (has_segments && item->varying_before)
    put(out, "  return %s(op, %u);\n}\n", side->group_value, i);
  else if (item->arity == '*')
    put(out,
        list->varying > 1 ? "  return (NrGroup){%s, (%s - %u) / %u};\n}\n" : "  return (NrGroup){%s, %s - %u};\n}\n",
        index, side->count, list->singles, list->varying);
  else if (item->arity == '?')
    put(out, "  return %s > %u ? %s(op, %s) : NULL;\n}\n", side->count, list->singles, side->value, index);
  else
    put(out, "  return %s(op, %s);\n}\n", side->value, index);
}

static void write_list(Out *out, const Op *op, const Side *side, const List *list, bool has_segments,
                       const char *operand_suffix) {
  for (unsigned i = 0; i < list->count; i++) {
    const Item *item = &list->items[i];
    char name[96], constant[96], prefix[128];
    snprintf(name, sizeof name, "%s%s", item->name, operand_suffix && has_name(&op->operands, item->name)
                                                        ? operand_suffix : "");
    upper_case(name, constant);
    upper_case(op->name, prefix);
    if (item->varying_before == 0) put(out, "#define NR_%s_%s %u\n", prefix, constant, item->singles_before);
    bool has_groups = operand_suffix == NULL && list->varying; /* an index alone does not say which group it is */
    if (item->arity || has_groups) put(out, "#define NR_%s_%s_GROUP %u\n", prefix, constant, i);
    write_item(out, op, side, list, i, name, has_segments);
  }
}

/* ---- regions ---------------------------------------------------------------------------------------------------- */

/* "then_region" is called "then", "region" and "body" nothing. */
static void short_region_name(const char *name, char *out) {
  strcpy(out, name);
  static const char *const endings[] = {"region", "regions", "body"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t size = strlen(out), ending = strlen(endings[i]);
    if (size < ending || strcmp(out + size - ending, endings[i]) != 0) continue;
    if (size == ending) out[0] = 0;
    else if (out[size - ending - 1] == '_') out[size - ending - 1] = 0;
    return;
  }
}

static void write_regions(Out *out, const Op *op) {
  for (unsigned i = 0; i < op->regions.count; i++) {
    const Item *item = &op->regions.items[i];
    char name[64], constant[64], prefix[128];
    short_region_name(item->name, name);
    upper_case(name, constant);
    upper_case(op->name, prefix);
    const char *line = *name ? "_" : "";
    put(out, "#define NR_%s%s%s_REGION%s %u\n", prefix, line, constant, item->arity == '*' ? "S" : "", i);
    if (item->arity == '*') continue; /* the last ones: the constant is the number of the first */
    static const char *const kinds[][3] = {{"NrRegion", "region", "nr_op_region"}, {"NrBlock", "body", "nr_op_body"}};
    for (int k = 0; k < 2; k++)
      put(out, "static inline %s *nr_%s%s%s_%s(const NrOp *op) {\n  assert(nr_op_is(op, NR_OP_%s_%s));\n"
               "  return %s(op, %u);\n}\n",
          kinds[k][0], op->name, line, name, kinds[k][1], op->dialect, op->id, kinds[k][2], i);
  }
}

void write_op(Out *out, const Op *op) {
  put(out, "\n");
  Side operands = {"nr_operand", NULL, "nr_op_group", "nr_op_group_operand", "op->num_operands"};
  if (op->has_successors) strcpy(operands.count, "nr_op_num_plain_operands(op)");
  write_list(out, op, &operands, &op->operands, op->has_segments, NULL);
  const List *results = &op->results;
  Side side = {"nr_result", NULL, NULL, NULL, "op->num_results"};
  bool is_single = results->count == 1 && results->items[0].arity == 0; /* nr_op_result */
  if (!is_single && !(results->count == 1 && results->items[0].arity == '*'))
    write_list(out, op, &side, results, false, "_result");
  write_regions(out, op);
}

/* ---- operands that many ops have -------------------------------------------------------------------------------- */

static const Item *find_item(const List *list, const Shared *operand) {
  for (unsigned i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, operand->name) == 0)
      return (list->items[i].arity == '*') == operand->many ? &list->items[i] : NULL;
  return NULL;
}

void write_shared_operand(Out *header, Out *table, const Shared *operand, const Op *ops, size_t num_ops) {
  const char *name = operand->name;
  put(header, "\n/* %s */\nextern const NrSharedOperand nr_operand_%s[NR_OP_COUNT];\n", operand->doc, name);
  put(header, "static inline bool nr_op_has_%s(const NrOp *op) { return nr_operand_%s[op->info->id].exists; }\n", name,
      name);
  put(header, "static inline %snr_op_%s(const NrOp *op) {\n  assert(nr_op_has_%s(op));\n"
              "  return nr_shared_%s(op, nr_operand_%s);\n}\n",
      operand->many ? "NrGroup " : "NrValue *", name, name, operand->many ? "group" : "operand", name);
  if (!operand->many)
    put(header, "static inline size_t nr_op_%s_index(const NrOp *op) {\n  assert(nr_op_has_%s(op));\n"
                "  return nr_shared_index(op, nr_operand_%s);\n}\n", name, name, name);
  put(table, "\nconst NrSharedOperand nr_operand_%s[NR_OP_COUNT] = {\n", name);
  for (size_t i = 0; i < num_ops; i++) {
    const Op *op = &ops[i];
    const Item *item = find_item(&op->operands, operand);
    if (!item || item->arity == '?' || (op->has_segments && (operand->many || item->varying_before))) continue;
    put(table, "    [NR_OP_%s_%s] = {true, %u, %u, %u, %u},\n", op->dialect, op->id, item->singles_before,
        item->varying_before, op->operands.singles, op->operands.varying);
  }
  put(table, "};\n");
}
