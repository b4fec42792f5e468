/* print_attr.c - attributes and locations as text; aliases of affine maps and sets; the section of resources. */
#include "ir/params.h"

static void put_items(NrPrinter *w, const NrAttr *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_attr_elided(w, items[i], NR_TYPE_MAY_ELIDE);
  }
}

void nr_w_attr_name(NrPrinter *w, NrStr name) {
  if (nr_is_bare_id(name)) nr_w_str(w, name);
  else nr_w_string(w, name);
}

void nr_w_named_attr(NrPrinter *w, const NrNamedAttr *attr) {
  nr_w_attr_name(w, attr->name);
  if (attr->value->kind == NR_ATTR_UNIT) return;
  nr_w_puts(w, " = ");
  nr_w_attr(w, attr->value);
}

static void put_type_suffix(NrPrinter *w, NrType type, NrTypeElision elision) {
  if (!type || elision == NR_TYPE_NEVER || type->kind == NR_TYPE_NONE) return;
  nr_w_puts(w, " : ");
  nr_w_type(w, type);
}

static void put_integer(NrPrinter *w, NrAttr a, NrTypeElision elision) {
  NrType t = a->type;
  bool is_unsigned = t->kind == NR_TYPE_INTEGER && t->signedness == NR_UNSIGNED;
  if (nr_type_is_int_width(t, 1) && t->signedness == NR_SIGNLESS) {
    nr_w_puts(w, a->i ? "true" : "false");
    return;
  }
  if (a->num_words) nr_w_wide_int(w, a->words, a->num_words, !is_unsigned);
  else if (is_unsigned) nr_w_uint(w, (uint64_t)a->i);
  else nr_w_int(w, a->i);
  bool is_default = nr_type_is_int_width(t, 64) && t->signedness == NR_SIGNLESS;
  if (elision == NR_TYPE_ALWAYS || !is_default) put_type_suffix(w, t, elision);
}

/* Infinity and NaN are printed as their bits, which without a type would be parsed as an integer. */
static void put_float(NrPrinter *w, NrAttr a, NrTypeElision elision) {
  size_t begin = w->out->size;
  nr_w_float(w, a->type, a->bits);
  bool is_hex = w->out->size > begin + 1 && w->out->data[begin + 1] == 'x';
  if (elision == NR_TYPE_ALWAYS || is_hex || !nr_type_is_float_kind(a->type, NR_F64))
    put_type_suffix(w, a->type, elision);
}

static void put_symbol(NrPrinter *w, NrAttr a) {
  nr_w_symbol_name(w, a->s);
  for (size_t i = 0; i < a->size; i++) {
    nr_w_puts(w, "::");
    nr_w_symbol_name(w, a->items[i]->s);
  }
}

static void put_dense_array(NrPrinter *w, NrAttr a) {
  size_t size = nr_type_byte_size(a->type);
  nr_w_puts(w, "array<");
  nr_w_type(w, a->type);
  for (size_t at = 0; at + size <= a->data_size; at += size) {
    nr_w_puts(w, at ? ", " : ": ");
    nr_w_element(w, a->type, (const char *)a->data + at);
  }
  nr_w_char(w, '>');
}

static void put_stride(NrPrinter *w, int64_t stride) {
  if (stride == NR_DYNAMIC) nr_w_char(w, '?');
  else nr_w_int(w, stride);
}

static void put_strided(NrPrinter *w, NrAttr a) {
  nr_w_puts(w, "strided<[");
  for (size_t i = 0; i < a->num_strides; i++) {
    if (i) nr_w_puts(w, ", ");
    put_stride(w, a->strides[i]);
  }
  nr_w_char(w, ']');
  if (a->offset) {
    nr_w_puts(w, ", offset: ");
    put_stride(w, a->offset);
  }
  nr_w_char(w, '>');
}

/* Whether the options elide constants with this many elements. */
static bool is_elided(const NrPrinter *w, NrAttr a) {
  int64_t count;
  size_t limit = w->options.elide_elements_above;
  return limit && nr_type_num_elements(a->type, &count) && (uint64_t)count > limit && !a->splat;
}

static void put_elements(NrPrinter *w, NrAttr a, NrTypeElision elision) {
  if (is_elided(w, a)) {
    nr_w_puts(w, "dense_resource<__elided__>");
  } else if (a->kind == NR_ATTR_RESOURCE) {
    nr_w_puts(w, "dense_resource<");
    nr_w_attr_name(w, a->s);
    nr_w_char(w, '>');
    if (a->data && !nr_map_has(&w->resource_seen, a->s.data)) {
      nr_map_set(&w->resource_seen, a->s.data, (void *)1);
      nr_vec_push(&w->resources, a);
    }
  } else {
    nr_w_dense(w, a);
  }
  put_type_suffix(w, a->type, elision);
}

static void put_sparse(NrPrinter *w, NrAttr a, NrTypeElision elision) {
  NrAttr indices = a->items[0], values = a->items[1];
  nr_w_puts(w, "sparse<");
  if (indices->data_size) {
    /* A number without a list is allowed only if there is one index. */
    if (indices->splat && indices->type->dims[0] == 1) nr_w_element(w, indices->type->elem, indices->data);
    else nr_w_listed(w, indices);
    nr_w_puts(w, ", ");
    if (values->splat) nr_w_element(w, values->type->elem, values->data);
    else nr_w_listed(w, values);
  }
  nr_w_char(w, '>');
  put_type_suffix(w, a->type, elision);
}

/* ---- aliases ---------------------------------------------------------------------------------------------------- */

static void put_alias(NrPrinter *w, NrAttrKind kind, size_t number) {
  nr_w_puts(w, kind == NR_ATTR_AFFINE_MAP ? "#map" : "#set");
  if (number || nr_w_is_legacy(w)) nr_w_uint(w, number);
}

/* Numbers maps and sets in order of their first use. */
static bool put_as_alias(NrPrinter *w, NrAttr a) {
  if (!w->use_aliases) return false;
  size_t number = (size_t)nr_map_get(&w->aliases, a);
  if (!number) {
    if (a->kind == NR_ATTR_AFFINE_MAP) nr_vec_push(&w->maps, a);
    else nr_vec_push(&w->sets, a);
    number = a->kind == NR_ATTR_AFFINE_MAP ? w->maps.size : w->sets.size;
    nr_map_set(&w->aliases, a, (void *)number);
  }
  put_alias(w, a->kind, number - 1);
  return true;
}

static void put_affine(NrPrinter *w, NrAttr a) {
  bool is_map = a->kind == NR_ATTR_AFFINE_MAP;
  nr_w_puts(w, is_map ? "affine_map<" : "affine_set<");
  if (is_map) nr_w_affine_map(w, a);
  else nr_w_affine_set(w, a);
  nr_w_char(w, '>');
}

void nr_w_alias_definitions(NrPrinter *w) {
  for (size_t i = 0; i < w->maps.size + w->sets.size; i++) {
    NrAttr a = i < w->maps.size ? w->maps.data[i] : w->sets.data[i - w->maps.size];
    put_alias(w, a->kind, i < w->maps.size ? i : i - w->maps.size);
    nr_w_puts(w, " = ");
    put_affine(w, a);
    nr_w_char(w, '\n');
  }
}

/* Each resource: its alignment, then its bytes, as in MLIR. */
void nr_w_resources(NrPrinter *w) {
  if (w->resources.size == 0) return;
  nr_w_puts(w, "\n{-#\n  dialect_resources: {\n    builtin: {\n");
  for (size_t i = 0; i < w->resources.size; i++) {
    NrAttr a = w->resources.data[i];
    NrType elem = nr_type_elem(a->type);
    size_t size = nr_type_byte_size(elem->kind == NR_TYPE_COMPLEX ? elem->elem : elem);
    unsigned char alignment[4] = {(unsigned char)(size ? size : 1)};
    nr_w_puts(w, "      ");
    nr_w_attr_name(w, a->s);
    nr_w_puts(w, ": \"0x");
    nr_w_hex(w, alignment, sizeof alignment);
    nr_w_hex(w, a->data, a->data_size);
    nr_w_puts(w, i + 1 < w->resources.size ? "\",\n" : "\"\n");
  }
  nr_w_puts(w, "    }\n  }\n#-}\n");
}

/* ---- all kinds -------------------------------------------------------------------------------------------------- */

static void put_dict(NrPrinter *w, NrAttr a) {
  nr_w_char(w, '{');
  for (size_t i = 0; i < a->num_named; i++) {
    if (i) nr_w_puts(w, ", ");
    nr_w_named_attr(w, &a->named[i]);
  }
  nr_w_char(w, '}');
}

static void put_distinct(NrPrinter *w, NrAttr a) {
  nr_w_puts(w, "distinct[");
  nr_w_int(w, a->i);
  nr_w_puts(w, "]<");
  if (a->items[0]->kind != NR_ATTR_UNIT) nr_w_attr(w, a->items[0]);
  nr_w_char(w, '>');
}

void nr_w_attr_elided(NrPrinter *w, NrAttr a, NrTypeElision elision) {
  switch (a->kind) {
  case NR_ATTR_UNIT: nr_w_puts(w, "unit"); break;
  case NR_ATTR_INTEGER: put_integer(w, a, elision); break;
  case NR_ATTR_FLOAT: put_float(w, a, elision); break;
  case NR_ATTR_STRING:
    nr_w_string(w, a->s);
    put_type_suffix(w, a->type, elision);
    break;
  case NR_ATTR_ARRAY:
    nr_w_char(w, '[');
    put_items(w, a->items, a->size);
    nr_w_char(w, ']');
    break;
  case NR_ATTR_DICT: put_dict(w, a); break;
  case NR_ATTR_TYPE: nr_w_type(w, a->type); break;
  case NR_ATTR_SYMBOL: put_symbol(w, a); break;
  case NR_ATTR_AFFINE_MAP:
  case NR_ATTR_AFFINE_SET:
    if (!put_as_alias(w, a)) put_affine(w, a);
    break;
  case NR_ATTR_DENSE:
  case NR_ATTR_DENSE_STRINGS:
  case NR_ATTR_RESOURCE: put_elements(w, a, elision); break;
  case NR_ATTR_SPARSE: put_sparse(w, a, elision); break;
  case NR_ATTR_DENSE_ARRAY: put_dense_array(w, a); break;
  case NR_ATTR_STRIDED: put_strided(w, a); break;
  case NR_ATTR_LOC: nr_w_loc(w, a->loc); break;
  case NR_ATTR_DISTINCT: put_distinct(w, a); break;
  case NR_ATTR_OPAQUE:
    nr_w_char(w, '#');
    nr_w_str(w, a->s);
    put_type_suffix(w, a->type, elision);
    break;
  default: {
    const NrAttrInfo *info = nr_attr_info(a->kind);
    nr_w_char(w, '#');
    nr_w_str(w, nr_attr_info_name(info));
    nr_w_params(w, info, a->items);
    put_type_suffix(w, a->type, elision);
    break;
  }
  }
}

void nr_w_attr(NrPrinter *w, NrAttr attr) { nr_w_attr_elided(w, attr, NR_TYPE_ALWAYS); }
void nr_w_attr_no_type(NrPrinter *w, NrAttr attr) { nr_w_attr_elided(w, attr, NR_TYPE_NEVER); }

void nr_print_attr(NrBuf *out, NrAttr attr) { nr_print_attr_with(out, attr, NULL); }

void nr_print_attr_with(NrBuf *out, NrAttr attr, const NrPrintOptions *options) {
  NrPrinter w;
  nr_printer_init(&w, attr->ctx, out, options);
  nr_w_attr(&w, attr);
  nr_printer_deinit(&w);
}

/* ---- locations -------------------------------------------------------------------------------------------------- */

static void put_loc(NrPrinter *w, NrLoc loc);

static void put_file_loc(NrPrinter *w, NrLoc loc) {
  nr_w_string(w, loc->name);
  nr_w_printf(w, ":%u:%u", loc->line, loc->column);
  if (loc->end_line == 0 || (loc->end_line == loc->line && loc->end_column == loc->column)) return;
  nr_w_puts(w, " to ");
  if (loc->end_line != loc->line) nr_w_uint(w, loc->end_line);
  nr_w_printf(w, ":%u", loc->end_column);
}

static void put_fused_loc(NrPrinter *w, NrLoc loc) {
  nr_w_puts(w, "fused");
  if (loc->metadata) {
    nr_w_char(w, '<');
    nr_w_attr(w, loc->metadata);
    nr_w_char(w, '>');
  }
  nr_w_char(w, '[');
  for (size_t i = 0; i < loc->num_parts; i++) {
    if (i) nr_w_puts(w, ", ");
    put_loc(w, loc->parts[i]);
  }
  nr_w_char(w, ']');
}

static void put_loc(NrPrinter *w, NrLoc loc) {
  switch (loc->kind) {
  case NR_LOC_UNKNOWN: nr_w_puts(w, "unknown"); break;
  case NR_LOC_FILE: put_file_loc(w, loc); break;
  case NR_LOC_NAME:
    nr_w_string(w, loc->name);
    if (!loc->a || loc->a->kind == NR_LOC_UNKNOWN) break;
    nr_w_char(w, '(');
    put_loc(w, loc->a);
    nr_w_char(w, ')');
    break;
  case NR_LOC_CALLSITE:
    nr_w_puts(w, "callsite(");
    put_loc(w, loc->a);
    nr_w_puts(w, " at ");
    put_loc(w, loc->b);
    nr_w_char(w, ')');
    break;
  case NR_LOC_FUSED: put_fused_loc(w, loc); break;
  }
}

void nr_w_loc(NrPrinter *w, NrLoc loc) {
  nr_w_puts(w, "loc(");
  put_loc(w, loc);
  nr_w_char(w, ')');
}
