/* type_infos.c - the tables of the types and attributes of dialects, and look-up by name. */
#include "ir/type_info.h"

#include <pthread.h>
#include <stdio.h>

#include "ir/context.h"

#define TYPE(dialect, type, ...) extern const NrTypeInfo nr_type_row_##dialect##_##type;
#include "dialect/types.def"
#undef TYPE
#define ATTR(dialect, attr, ...) extern const NrAttrInfo nr_attr_row_##dialect##_##attr;
#include "dialect/attrs.def"
#undef ATTR

static const NrTypeInfo *const types[] = {
#define TYPE(dialect, type, ...) &nr_type_row_##dialect##_##type,
#include "dialect/types.def"
#undef TYPE
    NULL,
};
static const NrAttrInfo *const attrs[] = {
#define ATTR(dialect, attr, ...) &nr_attr_row_##dialect##_##attr,
#include "dialect/attrs.def"
#undef ATTR
    NULL,
};

/* The dialects' kinds stand in front of the opaque one in their enum. */
enum {
  NUM_TYPES = NR_COUNTOF(types) - 1,
  FIRST_TYPE = NR_TYPE_OPAQUE - NUM_TYPES,
  NUM_ATTRS = NR_COUNTOF(attrs) - 1,
  FIRST_ATTR = NR_ATTR_OPAQUE - NUM_ATTRS,
  NAME_BYTES = 64,
};

/* "onnx.seq"; built at the first look-up, then read-only. */
static char type_names[NUM_TYPES][NAME_BYTES], attr_names[NUM_ATTRS][NAME_BYTES];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static void build_name(const NrTypeInfo *info, char *out) {
  int size = snprintf(out, NAME_BYTES, "%s.%s", info->dialect, info->name);
  assert(size > 0 && size < NAME_BYTES);
  (void)size;
}

static void build_names(void) {
  for (size_t i = 0; i < NUM_TYPES; i++) build_name(types[i], type_names[i]);
  for (size_t i = 0; i < NUM_ATTRS; i++) build_name(attrs[i], attr_names[i]);
}

static bool is_other_name(const NrTypeInfo *info, NrStr name) {
  if (info->renamed && nr_str_is(name, info->renamed)) return true;
  for (const char *at = info->also; at && *at;) {
    size_t size = strcspn(at, "|");
    if (nr_str_eq(name, (NrStr){at, size})) return true;
    at += size + (at[size] == '|');
  }
  return false;
}

static const NrTypeInfo *find(NrStr name, const NrTypeInfo *const *infos, char (*names)[NAME_BYTES], size_t count) {
  pthread_once(&names_once, build_names);
  for (size_t i = 0; i < count; i++)
    if (nr_str_is(name, names[i])) return infos[i];
  for (size_t i = 0; i < count; i++)
    if (is_other_name(infos[i], name)) return infos[i];
  return NULL;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

const NrTypeInfo *nr_type_info_at(size_t i) { return i < NUM_TYPES ? types[i] : NULL; }

const NrTypeInfo *nr_type_info(NrTypeKind kind) {
  return (size_t)kind < FIRST_TYPE || kind == NR_TYPE_OPAQUE ? NULL : types[kind - FIRST_TYPE];
}

NrStr nr_type_info_name(const NrTypeInfo *info) {
  pthread_once(&names_once, build_names);
  return nr_str(type_names[info->kind - FIRST_TYPE]);
}

NrStr nr_type_info_printed_name(const NrContext *ctx, const NrTypeInfo *info) {
  return ctx->renamed && info->renamed ? nr_str(info->renamed) : nr_type_info_name(info);
}

const NrTypeInfo *nr_type_info_find(NrStr name) { return find(name, types, type_names, NUM_TYPES); }

/* ---- attributes -------------------------------------------------------------------------------------------------- */

const NrAttrInfo *nr_attr_info_at(size_t i) { return i < NUM_ATTRS ? attrs[i] : NULL; }

const NrAttrInfo *nr_attr_info(NrAttrKind kind) {
  return (size_t)kind < FIRST_ATTR || kind == NR_ATTR_OPAQUE ? NULL : attrs[kind - FIRST_ATTR];
}

NrStr nr_attr_info_name(const NrAttrInfo *info) {
  pthread_once(&names_once, build_names);
  return nr_str(attr_names[info->kind - FIRST_ATTR]);
}

const NrAttrInfo *nr_attr_info_find(NrStr name) { return find(name, attrs, attr_names, NUM_ATTRS); }
