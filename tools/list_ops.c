/* list_ops.c - lists definitions of ops and types, passes and pipeline steps, and makes the pages of docs/dialects. */
#include "pass/core/pass.h"
#include "tools.h"

static bool is_chosen(const NrOpInfo *info, const char *dialect) {
  return !dialect || strcmp(info->dialect, dialect) == 0;
}

static void put_field(NrBuf *out, const char *name, const char *text) {
  if (text && *text) nr_buf_printf(out, "    %-10s %s\n", name, text);
}

static void put_op(NrBuf *out, const NrOpInfo *info) {
  nr_buf_printf(out, "%s.%s", info->dialect, info->name);
  if (info->legacy) nr_buf_printf(out, "   (2020: %s)", info->legacy);
  nr_buf_putc(out, '\n');
  put_field(out, "operands", info->operands);
  put_field(out, "results", info->results);
  put_field(out, "attributes", info->attrs);
  put_field(out, "regions", info->regions);
  put_field(out, "successors", info->successors);
  put_field(out, "destination", info->destination);
  put_field(out, "sizes of results", info->sizes);
  put_field(out, "loops and operands", info->indexing);
  put_field(out, "computes", info->scalar);
  put_field(out, "syntax", info->format);
  put_field(out, "", info->doc);
}

static const char *const trait_names[] = {
    "pure", "commutative", "terminator", "loop", "single block", "isolated from above", "symbol", "symbol table",
    "elementwise", "constant", "implicit terminator", "no terminator", "operand segments", "effects of its regions",
    "reads memory", "writes memory", "allocates", "frees", "graph region", "returns to its parent", "branch",
    "not speculatable", "call", "function", "effects on buffers only", "divides", "operand groups of one size",
    "nested ops may leave out the name of its dialect", "every element is the first operand"};

static void put_traits(NrBuf *out, uint32_t traits) {
  bool any = false;
  for (size_t i = 0; i < NR_COUNTOF(trait_names); i++) {
    if (!(traits >> i & 1)) continue;
    nr_buf_puts(out, any ? ", " : "- traits: ");
    nr_buf_puts(out, trait_names[i]);
    any = true;
  }
  if (any) nr_buf_putc(out, '\n');
}

static void put_bullet(NrBuf *out, const char *name, const char *text) {
  if (text && *text) nr_buf_printf(out, "- %s: `%s`\n", name, text);
}

static const char *const versioned_kinds[] = {
    [NR_VERSIONED_INT] = "int",
    [NR_VERSIONED_FLOAT] = "float",
    [NR_VERSIONED_STRING] = "string",
    [NR_VERSIONED_TENSOR] = "tensor",
    [NR_VERSIONED_SPARSE_TENSOR] = "sparse_tensor",
    [NR_VERSIONED_TYPE] = "type_proto",
    [NR_VERSIONED_INTS] = "ints",
    [NR_VERSIONED_FLOATS] = "floats",
    [NR_VERSIONED_STRINGS] = "strings",
};

/* What stands for an absent attribute. */
static void put_default(NrBuf *out, const NrVersionedAttr *a) {
  if (!a->has_default) {
    nr_buf_puts(out, a->required ? "required" : "");
    return;
  }
  if (a->kind == NR_VERSIONED_INT) nr_buf_printf(out, "%lld", (long long)a->i);
  if (a->kind == NR_VERSIONED_FLOAT) nr_buf_printf(out, "%.8g", (double)a->f);
  if (a->kind == NR_VERSIONED_STRING) nr_buf_puts(out, a->s);
  for (size_t i = 0; i < a->count; i++) {
    nr_buf_puts(out, i ? ", " : "");
    if (a->kind == NR_VERSIONED_INTS) nr_buf_printf(out, "%lld", (long long)a->ints[i]);
    else nr_buf_puts(out, a->strings[i]);
  }
}

/* A table with a row for each attribute, or for each stretch of versions in which it is the same. */
static void put_versioned_attrs(NrBuf *out, const NrVersionedAttr *attrs) {
  if (attrs) nr_buf_puts(out, "\n| attribute | kind | default | operator sets |\n|---|---|---|---|\n");
  for (const NrVersionedAttr *a = attrs; a && a->name; a++) {
    nr_buf_printf(out, "| `%s` | %s | ", a->name, versioned_kinds[a->kind]);
    put_default(out, a);
    nr_buf_puts(out, " | ");
    if (a->since) nr_buf_printf(out, "since %d%s", a->since, a->until ? ", " : "");
    if (a->until) nr_buf_printf(out, "before %d", a->until);
    nr_buf_puts(out, " |\n");
  }
}

static void put_markdown(NrBuf *out, const NrOpInfo *info) {
  nr_buf_printf(out, "\n## `%s.%s`\n\n%s\n\n", info->dialect, info->name, info->doc ? info->doc : "");
  put_bullet(out, "2020", info->legacy);
  put_bullet(out, "operands", info->operands);
  put_bullet(out, "results", info->results);
  put_bullet(out, "attributes", info->attrs);
  put_bullet(out, "regions", info->regions);
  put_bullet(out, "successors", info->successors);
  put_bullet(out, "destination", info->destination);
  put_bullet(out, "sizes of results", info->sizes);
  put_bullet(out, "loops and operands", info->indexing);
  put_bullet(out, "computes", info->scalar);
  if (info->expand) nr_buf_puts(out, "- expands to simpler ops\n");
  if (info->format) nr_buf_printf(out, "- syntax: ``` %s.%s %s ```\n", info->dialect, info->name, info->format);
  if (info->parent) nr_buf_printf(out, "- directly inside: `%s`\n", info->parent);
  put_traits(out, info->traits);
  put_versioned_attrs(out, info->versioned_attrs);
}

/* ---- types and attributes ---------------------------------------------------------------------------------------- */

static void put_type(NrBuf *out, char sign, const NrTypeInfo *info) {
  nr_buf_printf(out, "%c%s.%s\n", sign, info->dialect, info->name);
  put_field(out, "parameters", info->params);
  put_field(out, "syntax", info->format);
  put_field(out, "", info->doc);
}

static void put_type_markdown(NrBuf *out, char sign, const NrTypeInfo *info) {
  nr_buf_printf(out, "\n## `%c%s.%s`\n\n%s %s\n", sign, info->dialect, info->name,
                sign == '!' ? "A type." : "An attribute.", info->doc);
  if (info->params || info->traits) nr_buf_putc(out, '\n');
  put_bullet(out, "parameters", info->params);
  if (info->format)
    nr_buf_printf(out, "- syntax: ``` %c%s.%s<%s> ```\n", sign, info->dialect, info->name, info->format);
  if (info->traits & NR_TYPE_IS_SCALAR) nr_buf_printf(out, "- a scalar of %zu bytes in memory\n", info->bytes);
  else if (info->traits & NR_TYPE_IS_ELEMENT) nr_buf_puts(out, "- may be the element of tensors and memrefs\n");
}

static void list_types(NrBuf *out, bool markdown, const char *dialect) {
  const NrTypeInfo *info;
  for (size_t i = 0; (info = nr_type_info_at(i)); i++)
    if (strcmp(info->dialect, dialect) == 0) (markdown ? put_type_markdown : put_type)(out, '!', info);
  for (size_t i = 0; (info = nr_attr_info_at(i)); i++)
    if (strcmp(info->dialect, dialect) == 0) (markdown ? put_type_markdown : put_type)(out, '#', info);
}

/* ---- listings ---------------------------------------------------------------------------------------------------- */

void list_ops(NrBuf *out, const char *style, const char *dialect) {
  bool markdown = style && strcmp(style, "markdown") == 0;
  const char *last = "";
  for (unsigned id = 1; id < NR_OP_COUNT; id++) {
    const NrOpInfo *info = nr_op_infos[id];
    if (!is_chosen(info, dialect)) continue;
    if (markdown && strcmp(info->dialect, last) != 0)
      nr_buf_printf(out, "%s# Dialect %s\n\nMade by `noria opt --list-ops=markdown` from src/dialect/%s.\n",
                    *last ? "\n" : "", info->dialect, info->dialect);
    if (strcmp(info->dialect, last) != 0) list_types(out, markdown, info->dialect);
    last = info->dialect;
    if (markdown) put_markdown(out, info);
    else put_op(out, info);
  }
}

void list_dialects(NrBuf *out) {
  const char *last = "";
  for (unsigned id = 1; id < NR_OP_COUNT; id++) {
    const char *dialect = nr_op_infos[id]->dialect;
    if (strcmp(dialect, last) != 0) nr_buf_printf(out, "%s\n", dialect);
    last = dialect;
  }
}

const char *find_dialect(const char *name, NrNearest *out_nearest) {
  *out_nearest = nr_nearest(nr_str(name));
  for (unsigned id = 1; id < NR_OP_COUNT; id++) {
    const char *dialect = nr_op_infos[id]->dialect;
    if (strcmp(dialect, name) == 0) return dialect;
    nr_nearest_try(out_nearest, nr_str(dialect));
  }
  return NULL;
}

void list_passes(NrBuf *out) {
  static const char *const on_while[] = {"not stated", "handled", "a barrier", "rejected"};
  const NrPass *pass;
  for (size_t i = 0; (pass = nr_pass_at(i)); i++) {
    nr_buf_printf(out, "%-24s %s\n", pass->name, pass->doc ? pass->doc : "");
    for (const NrPassOption *option = pass->options; option && option->name; option++) {
      nr_buf_printf(out, "%-24s   ", "");
      nr_pass_put_option(out, option);
      nr_buf_putc(out, '\n');
    }
    nr_buf_printf(out, "%-24s   scf.while: %s\n", "", on_while[pass->on_while]);
    for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++)
      if (strcmp(alias->pass, pass->name) == 0)
        nr_buf_printf(out, "%-24s   also --%s%s%s\n", "", alias->name, alias->first ? ", behind " : "",
                      alias->first ? alias->first : "");
  }
}

void list_pipeline(NrBuf *out) {
  for (const NrStep *step = nr_pipeline; step->stage; step++)
    nr_buf_printf(out, "%-10s %s\n%-10s   %s\n", step->stage, step->passes, "", step->why ? step->why : "");
}
