/* context.c - the context: unique strings and locations, diagnostics. */
#include "ir/context.h"

#include <stdio.h>

#include "base/guard.h"
#include "ir/text.h"

/* Used for faults, so it must not allocate. */
static void place_fault(const void *at, char *out, size_t size) {
  NrLoc file = nr_loc_in_file(at);
  NrStr name = nr_loc_first_name(at);
  if (file && file->line)
    snprintf(out, size, "%.*s:%u:%u", NR_STR_ARG(file->name), (unsigned)file->line, (unsigned)file->column);
  else if (name.size) snprintf(out, size, "node '%.*s'", NR_STR_ARG(name));
}

#define NAME(id, spelling) const NrAttrName NR_A_##id[1] = {{spelling}};
#include "ir/attr_names.def"
#undef NAME

static const NrStr attr_names[] = {
#define NAME(id, spelling) {NR_A_##id[0].text, sizeof(spelling) - 1},
#include "ir/attr_names.def"
#undef NAME
};

/* Before anything else is interned, so that these are the unique strings. */
static void intern_attr_names(NrContext *ctx) {
  for (size_t i = 0; i < NR_COUNTOF(attr_names); i++)
    nr_unique_add(&ctx->strings, nr_hash_bytes(attr_names[i].data, attr_names[i].size), (void *)&attr_names[i]);
}

NrContext *nr_context_create(void) {
  nr_guard_set_place(place_fault);
  NrContext *ctx = nr_calloc(1, sizeof *ctx);
  intern_attr_names(ctx);
  ctx->unknown = nr_loc_unknown(ctx);
  return ctx;
}

void nr_context_destroy(NrContext *ctx) {
  if (!ctx) return;
  nr_diag_flush(ctx);
  nr_free(ctx->strings.slots);
  nr_free(ctx->types.slots);
  nr_free(ctx->attrs.slots);
  nr_free(ctx->affine.slots);
  nr_free(ctx->locs.slots);
  nr_strmap_deinit(&ctx->sources);
  nr_vec_deinit(&ctx->notes);
  nr_arena_deinit(&ctx->diag_arena);
  nr_arena_deinit(&ctx->arena);
  nr_free(ctx);
}

NrArena *nr_context_arena(NrContext *ctx) { return &ctx->arena; }

/* ---- unique sets ---- */

/* nr_hash_mix ends with a product, after which keys at equal distances, such as the lines of a file, share few slots.
 * Another round spreads them. */
static size_t first_slot(uint64_t hash, size_t mask) {
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull;
  return (size_t)(hash >> 32) & mask;
}

const void *nr_unique_find(const NrUniqueSet *set, uint64_t hash, bool (*equal)(const void *node, const void *key),
                           const void *key) {
  if (!set->size) return NULL;
  size_t mask = set->capacity - 1;
  for (size_t i = first_slot(hash, mask); set->slots[i].node; i = (i + 1) & mask)
    if (set->slots[i].hash == hash && equal(set->slots[i].node, key)) return set->slots[i].node;
  return NULL;
}

static void unique_put(NrUniqueSet *set, uint64_t hash, const void *node) {
  size_t mask = set->capacity - 1, i = first_slot(hash, mask);
  while (set->slots[i].node) i = (i + 1) & mask;
  set->slots[i].hash = hash;
  set->slots[i].node = node;
}

void nr_unique_add(NrUniqueSet *set, uint64_t hash, const void *node) {
  if ((set->size + 1) * 4 > set->capacity * 3) {
    NrUniqueSet bigger = {.capacity = set->capacity ? set->capacity * 2 : 64};
    bigger.slots = nr_calloc(bigger.capacity, sizeof *bigger.slots);
    for (size_t i = 0; i < set->capacity; i++)
      if (set->slots[i].node) unique_put(&bigger, set->slots[i].hash, set->slots[i].node);
    bigger.size = set->size;
    nr_free(set->slots);
    *set = bigger;
  }
  unique_put(set, hash, node);
  set->size++;
}

/* ---- strings ---- */

static bool string_equal(const void *node, const void *key) {
  return nr_str_eq(*(const NrStr *)node, *(const NrStr *)key);
}

NrStr nr_context_intern(NrContext *ctx, NrStr s) {
  uint64_t hash = nr_hash_bytes(s.data, s.size);
  const NrStr *found = nr_unique_find(&ctx->strings, hash, string_equal, &s);
  if (found) return *found;
  NrStr *fresh = NR_NEW(&ctx->arena, NrStr);
  *fresh = nr_str_copy(&ctx->arena, s);
  nr_unique_add(&ctx->strings, hash, fresh);
  return *fresh;
}

/* ---- locations ---- */

static uint64_t loc_hash(const struct NrLocData *l) {
  uint64_t h = nr_hash_mix(l->kind, (uintptr_t)l->name.data);
  switch (l->kind) {
  case NR_LOC_FILE:
    h = nr_hash_mix(h, (uint64_t)l->line << 32 | l->column);
    return nr_hash_mix(h, (uint64_t)l->end_line << 32 | l->end_column);
  case NR_LOC_FUSED:
    h = nr_hash_mix(h, (uintptr_t)l->metadata);
    return nr_hash_mix(h, nr_hash_bytes(l->parts, l->num_parts * sizeof *l->parts));
  default: return nr_hash_mix(nr_hash_mix(h, (uintptr_t)l->a), (uintptr_t)l->b);
  }
}

static bool loc_equal(const void *node, const void *key) {
  const struct NrLocData *x = node, *y = key;
  if (x->kind != y->kind || x->name.data != y->name.data) return false;
  switch (x->kind) {
  case NR_LOC_FILE:
    return x->line == y->line && x->column == y->column && x->end_line == y->end_line &&
           x->end_column == y->end_column;
  case NR_LOC_FUSED:
    return x->metadata == y->metadata && x->num_parts == y->num_parts &&
           (!x->num_parts || memcmp(x->parts, y->parts, x->num_parts * sizeof *x->parts) == 0);
  default: return x->a == y->a && x->b == y->b;
  }
}

static NrLoc loc_get(NrContext *ctx, const struct NrLocData *key) {
  uint64_t hash = loc_hash(key);
  NrLoc found = nr_unique_find(&ctx->locs, hash, loc_equal, key);
  if (found) return found;
  struct NrLocData *fresh = nr_arena_copy(&ctx->arena, key, sizeof *key);
  if (key->kind == NR_LOC_FUSED)
    fresh->parts = nr_arena_copy(&ctx->arena, key->parts, key->num_parts * sizeof *key->parts);
  nr_unique_add(&ctx->locs, hash, fresh);
  return fresh;
}

NrLoc nr_loc_unknown(NrContext *ctx) { return loc_get(ctx, &(struct NrLocData){.kind = NR_LOC_UNKNOWN}); }

/* Finds or creates the location in the list of its line. Long lists fall back to the hash table, so that a file with
 * all its text on one line takes linear time. */
static NrLoc loc_of_line(NrContext *ctx, const struct NrLocData *key) {
  enum { MANY = 32 };
  NrFileLoc **list = &ctx->last_source->locs[key->line - 1 - ctx->last_source->lines_before];
  size_t count = 0;
  for (NrFileLoc *l = *list; l; l = l->next, count++)
    if (l->loc.column == key->column) return &l->loc;
  if (count >= MANY) return loc_get(ctx, key);
  NrFileLoc *fresh = NR_NEW(&ctx->arena, NrFileLoc);
  fresh->loc = *key;
  fresh->next = *list;
  *list = fresh;
  return &fresh->loc;
}

static void find_file(NrContext *ctx, NrStr file) {
  if (file.data == ctx->last_file.data && file.size == ctx->last_file.size) return;
  ctx->last_file = nr_context_intern(ctx, file);
  ctx->last_source = nr_context_find_source(ctx, file);
}

NrLoc nr_loc_file(NrContext *ctx, NrStr file, uint32_t line, uint32_t column) {
  find_file(ctx, file);
  struct NrLocData key = {.kind = NR_LOC_FILE, .name = ctx->last_file, .line = line, .column = column};
  const NrSource *source = ctx->last_source;
  bool known_line = source && line > source->lines_before && line <= source->lines_before + source->num_locs;
  return known_line ? loc_of_line(ctx, &key) : loc_get(ctx, &key);
}

NrLoc nr_loc_file_range(NrContext *ctx, NrStr file, uint32_t line, uint32_t column, uint32_t end_line,
                        uint32_t end_column) {
  if (!end_line && !end_column) return nr_loc_file(ctx, file, line, column);
  find_file(ctx, file);
  return loc_get(ctx, &(struct NrLocData){.kind = NR_LOC_FILE,
                                          .name = ctx->last_file,
                                          .line = line,
                                          .column = column,
                                          .end_line = end_line,
                                          .end_column = end_column});
}

NrLoc nr_loc_name(NrContext *ctx, NrStr name, NrLoc child) {
  return loc_get(ctx, &(struct NrLocData){.kind = NR_LOC_NAME, .name = nr_context_intern(ctx, name), .a = child});
}

NrLoc nr_loc_callsite(NrContext *ctx, NrLoc callee, NrLoc caller) {
  return loc_get(ctx, &(struct NrLocData){.kind = NR_LOC_CALLSITE, .a = callee, .b = caller});
}

NrLoc nr_loc_fused(NrContext *ctx, const NrLoc *parts, size_t count, NrAttr metadata) {
  assert(count <= UINT32_MAX);
  struct NrLocData key = {.kind = NR_LOC_FUSED, .num_parts = (uint32_t)count};
  key.metadata = metadata;
  key.parts = parts;
  return loc_get(ctx, &key);
}

NrStr nr_loc_first_name(NrLoc loc) {
  NrStr name = {0};
  if (!loc) return name;
  if (loc->kind == NR_LOC_NAME) return loc->name;
  if (loc->kind == NR_LOC_CALLSITE) name = nr_loc_first_name(loc->a);
  for (size_t i = 0; loc->kind == NR_LOC_FUSED && i < loc->num_parts && !name.size; i++)
    name = nr_loc_first_name(loc->parts[i]);
  return name;
}

NrLoc nr_loc_in_file(NrLoc loc) {
  while (loc && loc->kind != NR_LOC_FILE) {
    NrLoc next = NULL;
    if (loc->kind == NR_LOC_NAME || loc->kind == NR_LOC_CALLSITE) next = loc->a;
    for (size_t i = 0; loc->kind == NR_LOC_FUSED && i < loc->num_parts && !next; i++)
      next = nr_loc_in_file(loc->parts[i]);
    loc = next;
  }
  return loc;
}

void nr_loc_place(NrLoc loc, NrBuf *out) {
  NrLoc file = nr_loc_in_file(loc);
  NrStr name = nr_loc_first_name(loc);
  if (file && file->line) nr_buf_printf(out, "%.*s:%u:%u", NR_STR_ARG(file->name), file->line, file->column);
  else if (name.size) nr_buf_printf(out, "node '%.*s'", NR_STR_ARG(name));
}

/* ---- sources ---- */

void nr_source_index(NrSource *source, NrArena *arena) {
  NR_VEC(size_t) lines = {0};
  const char *begin = source->text.data, *end = begin + source->text.size;
  for (const char *p = begin; p;) {
    nr_vec_push(&lines, (size_t)(p - begin));
    p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    if (p) p++;
  }
  source->lines = nr_arena_copy(arena, lines.data, lines.size * sizeof(size_t));
  source->num_lines = lines.size;
  nr_vec_deinit(&lines);
}

size_t nr_source_line(const NrSource *source, size_t offset, size_t hint) {
  enum { NEAR = 8 };
  const size_t *lines = source->lines;
  size_t count = source->num_lines, low = 0, high = count;
  if (hint < count && lines[hint] <= offset) {
    for (size_t i = hint; i < hint + NEAR; i++)
      if (i + 1 >= count || lines[i + 1] > offset) return i;
    low = hint;
  }
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (lines[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

NrSource *nr_context_find_source(const NrContext *ctx, NrStr file) { return nr_strmap_get(&ctx->sources, file); }

void nr_context_add_source(NrContext *ctx, NrStr file, NrStr text) {
  nr_context_lend_source(ctx, file, nr_str_copy(&ctx->arena, text), 0);
}

void nr_context_lend_source(NrContext *ctx, NrStr file, NrStr text, size_t lines_before) {
  NrSource *source = NR_NEW(&ctx->arena, NrSource), *old = nr_context_find_source(ctx, file);
  source->text = text;
  source->lines_before = lines_before;
  if (old && old->lines_before != lines_before) old = NULL;
  nr_source_index(source, &ctx->arena);
  /* Existing locations stay valid when a file is parsed again. */
  size_t lines = NR_MAX(source->num_lines, old ? old->num_locs : 0);
  source->locs = NR_NEW_ARRAY(&ctx->arena, NrFileLoc *, lines);
  source->num_locs = lines;
  if (old) memcpy(source->locs, old->locs, old->num_locs * sizeof *source->locs);
  nr_strmap_set(&ctx->sources, nr_context_intern(ctx, file), source);
  ctx->last_file = (NrStr){0};
}

NrStr nr_context_source(NrContext *ctx, NrStr file) {
  const NrSource *source = nr_context_find_source(ctx, file);
  return source ? source->text : (NrStr){0};
}

/* ---- diagnostics ---- */

void nr_context_set_diag_handler(NrContext *ctx, NrDiagHandler handler, void *user) {
  nr_diag_flush(ctx);
  ctx->handler = handler;
  ctx->handler_user = user;
}

void nr_context_diag_handler(NrContext *ctx, NrDiagHandler *out_handler, void **out_user) {
  *out_handler = ctx->handler;
  *out_user = ctx->handler_user;
}

static void keep_first_error(void *user, const NrDiag *diag) {
  NrDiagCapture *capture = user;
  if (diag->severity != NR_ERROR || capture->has_error) return;
  capture->has_error = true;
  nr_buf_str(&capture->error, diag->message);
}

void nr_diag_capture_begin(NrDiagCapture *capture, NrContext *ctx) {
  *capture = (NrDiagCapture){.ctx = ctx};
  nr_context_diag_handler(ctx, &capture->handler, &capture->user);
  nr_context_set_diag_handler(ctx, keep_first_error, capture);
}

void nr_diag_capture_end(NrDiagCapture *capture, NrBuf *out_error) {
  nr_context_set_diag_handler(capture->ctx, capture->handler, capture->user);
  if (out_error) nr_buf_str(out_error, (NrStr){capture->error.data, capture->error.size});
  nr_buf_deinit(&capture->error);
}

void nr_diag_flush(NrContext *ctx) {
  if (!ctx->has_pending) return;
  ctx->has_pending = false;
  ctx->pending.notes = ctx->notes.data;
  ctx->pending.num_notes = ctx->notes.size;
  if (ctx->handler) ctx->handler(ctx->handler_user, &ctx->pending);
  ctx->notes.size = 0;
  nr_arena_deinit(&ctx->diag_arena);
}

static NrDiag diag_make(NrContext *ctx, NrSeverity severity, NrLoc loc, const char *format, va_list args) {
  NrBuf text = {0};
  nr_buf_vprintf(&text, format, args);
  NrDiag diag = {severity, loc ? loc : ctx->unknown, nr_str_copy(&ctx->diag_arena, (NrStr){text.data, text.size}), 0,
                 NULL};
  nr_buf_deinit(&text);
  return diag;
}

static void diag_start(NrContext *ctx, NrSeverity severity, NrLoc loc, const char *format, va_list args) {
  nr_diag_flush(ctx);
  ctx->pending = diag_make(ctx, severity, loc, format, args);
  ctx->has_pending = true;
  ctx->num_errors += severity == NR_ERROR;
}

NrStatus nr_error(NrContext *ctx, NrLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_start(ctx, NR_ERROR, loc, format, args);
  va_end(args);
  return NR_ERROR_INVALID;
}

void nr_warning(NrContext *ctx, NrLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_start(ctx, NR_WARNING, loc, format, args);
  va_end(args);
}

void nr_remark(NrContext *ctx, NrLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_start(ctx, NR_REMARK, loc, format, args);
  va_end(args);
}

void nr_note(NrContext *ctx, NrLoc loc, const char *format, ...) {
  if (!ctx->has_pending) return;
  va_list args;
  va_start(args, format);
  NrDiag note = diag_make(ctx, NR_NOTE, loc, format, args);
  va_end(args);
  nr_vec_push(&ctx->notes, note);
}

size_t nr_context_num_errors(const NrContext *ctx) { return ctx->num_errors; }

NrStr nr_op_info_shown_name(const NrContext *ctx, const NrOpInfo *info) {
  return ctx->legacy_names ? nr_op_info_legacy_name(info) : nr_op_info_printed_name(ctx, info);
}

NrStr nr_op_info_printed_name(const NrContext *ctx, const NrOpInfo *info) {
  return ctx->renamed && info->renamed ? nr_str(info->renamed) : nr_op_info_name(info);
}

NrStr nr_op_shown_name(const NrOp *op) {
  return op->raw_name ? nr_str(op->raw_name) : nr_op_info_shown_name(nr_op_context(op), op->info);
}

NrStr nr_op_run_name(const NrOp *op) {
  NrStr written = op->num_attrs ? nr_op_attr_str(op, NR_A_noria_written_as) : (NrStr){0};
  return written.size ? written : nr_op_name(op);
}

NrStatus nr_op_error(NrOp *op, const char *format, ...) {
  NrContext *ctx = nr_op_context(op);
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  nr_error(ctx, op->loc, "'%.*s' op %s", NR_STR_ARG(nr_op_shown_name(op)), text.data);
  nr_buf_deinit(&text);
  return NR_ERROR_INVALID;
}
