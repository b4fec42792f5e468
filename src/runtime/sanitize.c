/* sanitize.c - see sanitize.h. */
#include "runtime/sanitize.h"

#include <search.h>
#include <setjmp.h>
#include <stdlib.h>

#include "runtime/internal.h"

typedef enum RangeKind { RANGE_BLOCK, RANGE_FREED, RANGE_CONSTANT, RANGE_RUNTIME } RangeKind;

typedef struct Range {
  uintptr_t whole, whole_end; /* of the block */
  uintptr_t begin, end;       /* for use */
  RangeKind kind;
  int32_t site; /* where it was made, or -1 */
} Range;

struct NrSanitizer {
  void *ranges;         /* a tree (tsearch) of Range, by `whole`; none overlap */
  NR_VEC(Range) inputs; /* may overlap: site is the number of the input */
  NrBlock *oldest, *newest; /* freed blocks that are not given back yet, linked by next */
  size_t waiting;           /* bytes of them */
};

enum { MOST_WAITING = 64 << 20, CACHED = 2 };

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* The call of compiled code that a thread is in. */
typedef struct Call {
  NrExec *exec;
  jmp_buf out;
} Call;
static _Thread_local Call *current;

/* Ranges that were just found, of one state of all tables. */
static atomic_ullong state = 1;
static _Thread_local struct {
  const NrExec *exec;
  unsigned long long state;
  uintptr_t begin, end;
} cached[CACHED];
static _Thread_local unsigned next_cached;

static void changed(void) { atomic_fetch_add_explicit(&state, 1, memory_order_relaxed); }

static bool on_stack(uintptr_t begin, uintptr_t end) {
  static _Thread_local uintptr_t low, high;
  if (!high) {
    high = 1;
    pthread_attr_t attributes;
    void *at;
    size_t size;
    if (!pthread_getattr_np(pthread_self(), &attributes)) {
      if (!pthread_attr_getstack(&attributes, &at, &size)) {
        low = (uintptr_t)at;
        high = low + size;
      }
      pthread_attr_destroy(&attributes);
    }
  }
  return begin >= low && end <= high;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Two ranges are equal where they overlap; one without bytes is at its address. */
static int compare(const void *a, const void *b) {
  const Range *x = a, *y = b;
  if (NR_MAX(x->whole_end, x->whole + 1) <= y->whole) return -1;
  return NR_MAX(y->whole_end, y->whole + 1) <= x->whole;
}

static Range *find(const NrSanitizer *s, uintptr_t at) {
  Range key = {.whole = at, .whole_end = at};
  Range **found = tfind(&key, &s->ranges, compare);
  return found ? *found : NULL;
}

static void add(NrSanitizer *s, const void *data, size_t size, RangeKind kind, int32_t site) {
  uintptr_t begin = (uintptr_t)data;
  if (!data || (!size && kind != RANGE_BLOCK)) return;
  Range *r = nr_malloc(sizeof *r);
  *r = (Range){begin, begin + size, begin, begin + size, kind, site};
  Range **kept = tsearch(r, &s->ranges, compare);
  if (!kept) nr_oom();
  if (*kept != r) nr_free(r);
}

static void drop(NrSanitizer *s, const void *data) {
  Range *r = find(s, (uintptr_t)data);
  if (!r || r->whole != (uintptr_t)data) return;
  tdelete(r, &s->ranges, compare);
  nr_free(r);
}

void nr_sanitize_made(NrExec *e, const void *data, size_t size) {
  add(e->sanitizer, data, size, RANGE_BLOCK, -1);
  changed();
}

/* Takes the oldest freed block off the list. */
static NrBlock *pop_oldest(NrSanitizer *s) {
  NrBlock *b = s->oldest;
  s->oldest = b->next;
  if (!b->next) s->newest = NULL;
  s->waiting -= b->capacity;
  return b;
}

static void give_back(NrSanitizer *s) {
  NrBlock *b = pop_oldest(s);
  drop(s, (char *)b + NR_BLOCK_ALIGNMENT);
  free(b->base);
}

void nr_sanitize_freed(NrExec *e, NrBlock *block) {
  enum { RUBBISH = 0xdd };
  NrSanitizer *s = e->sanitizer;
  char *data = (char *)block + NR_BLOCK_ALIGNMENT;
  Range *r = find(s, (uintptr_t)data);
  if (r) r->kind = RANGE_FREED;
  memset(data, RUBBISH, block->size);
  block->next = NULL;
  *(s->newest ? &s->newest->next : &s->oldest) = block;
  s->newest = block;
  s->waiting += block->capacity;
  while (s->waiting > MOST_WAITING) give_back(s);
  changed();
}

void nr_sanitize_allocated(const void *base, const void *data, int64_t size, int32_t site) {
  if (!current) return;
  NrExec *e = current->exec;
  bool locked = nr_exec_lock(e);
  Range *r = find(e->sanitizer, (uintptr_t)base);
  if (r && r->whole == (uintptr_t)base) {
    r->begin = (uintptr_t)data;
    r->end = NR_MIN(r->begin + (uintptr_t)size, r->whole_end);
    r->site = site;
    changed();
  }
  nr_exec_unlock(e, locked);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

void nr_program_sanitize(NoriaProgram *program, const NrMemoryRegion *regions, size_t num_regions) {
  program->sanitize = true;
  program->cache_size = 0;
  nr_returned_stop(program->returned);
  program->regions = regions;
  program->num_regions = num_regions;
}

void nr_sanitize_begin(NrExec *e, const NoriaValue *const *inputs, size_t num_inputs) {
  const NoriaProgram *program = atomic_load_explicit(&e->program, memory_order_relaxed);
  const NoriaModule *module = program->module;
  NrSanitizer *s = nr_calloc(1, sizeof *s);
  e->sanitizer = s;
  add(s, e, sizeof(NoriaExec), RANGE_RUNTIME, -1);
  add(s, e->pub.api, sizeof *e->pub.api, RANGE_RUNTIME, -1);
  add(s, e->descs, ((size_t)module->num_inputs + (size_t)module->num_outputs + 1) * sizeof *e->descs, RANGE_RUNTIME,
      -1);
  add(s, program->constants, (size_t)module->num_constants * sizeof *program->constants, RANGE_RUNTIME, -1);
  add(s, program->imports, (size_t)module->num_imports * sizeof *program->imports, RANGE_RUNTIME, -1);
  for (int32_t i = 0; i < module->num_constants; i++)
    if (module->constants[i].data)
      add(s, module->constants[i].data, (size_t)module->constants[i].size, RANGE_CONSTANT, -1);
  for (int64_t i = 0; i < module->num_parameters; i++) { /* two may share their memory, as inputs may */
    int32_t constant = module->parameters[i].constant;
    uintptr_t begin = (uintptr_t)program->constants[constant], end = begin + (size_t)module->constants[constant].size;
    nr_vec_push(&s->inputs, ((Range){begin, end, begin, end, RANGE_CONSTANT, -1}));
  }
  for (size_t i = 0; i < program->num_regions; i++)
    add(s, program->regions[i].data, program->regions[i].size, RANGE_CONSTANT, -1);
  for (size_t i = 0; i < num_inputs; i++) {
    if (!inputs[i] || inputs[i]->kind != NORIA_KIND_TENSOR || !inputs[i]->as.tensor.data) continue;
    uintptr_t begin = (uintptr_t)inputs[i]->as.tensor.data, end = begin + inputs[i]->as.tensor.size;
    nr_vec_push(&s->inputs, ((Range){begin, end, begin, end, RANGE_CONSTANT, (int32_t)i}));
  }
  changed();
}

void nr_sanitize_end(NrExec *e) {
  NrSanitizer *s = e->sanitizer;
  if (!s) return;
  while (s->oldest) free(pop_oldest(s)->base); /* the table ends here: no range is dropped from it, one by one */
  tdestroy(s->ranges, nr_free);
  nr_vec_deinit(&s->inputs);
  nr_free(s);
  e->sanitizer = NULL;
  changed();
}

/* Compiled code has nothing to clean up: what a failed run holds is the runtime's. */
int32_t nr_sanitize_entry(NrExec *e, NoriaEntryFn fn, const NoriaDesc *inputs, NoriaDesc *outputs) {
  Call call = {.exec = e}, *before = current;
  current = &call;
  int32_t result = setjmp(call.out) ? 1 : fn(&e->pub, inputs, outputs);
  current = before;
  return result;
}

int32_t nr_sanitize_workgroup(NrExec *e, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z) {
  Call call = {.exec = e}, *before = current;
  current = &call;
  int32_t result = setjmp(call.out) ? 1 : fn(&e->pub, args, x, y, z);
  current = before;
  return result;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool holds(const Range *r, uintptr_t begin, uintptr_t end) {
  return r->kind != RANGE_FREED && begin >= r->begin && end <= r->end;
}

/* The range that an access is for; NULL when it is in none. */
static const Range *range_of(const NrSanitizer *s, uintptr_t begin, uintptr_t end) {
  const Range *r = find(s, begin);
  if (r && holds(r, begin, end)) return r;
  for (size_t i = 0; i < s->inputs.size; i++)
    if (holds(&s->inputs.data[i], begin, end)) return &s->inputs.data[i];
  return NULL;
}

static uintptr_t distance(const Range *r, uintptr_t at) {
  return at < r->begin ? r->begin - at : at >= r->end ? at - r->end : 0;
}

typedef struct Nearest {
  uintptr_t at;
  const Range *best;
} Nearest;

static void take_nearer(const void *node, VISIT visit, void *user) {
  const Range *r = *(Range *const *)node;
  Nearest *n = user;
  bool first = visit == preorder || visit == leaf; /* inner nodes are visited three times */
  if (first && r->kind != RANGE_RUNTIME && (!n->best || distance(r, n->at) < distance(n->best, n->at))) n->best = r;
}

/* The range that was most likely meant, or NULL. */
static const Range *nearest(const NrSanitizer *s, uintptr_t at) {
  Nearest n = {.at = at};
  twalk_r(s->ranges, take_nearer, &n);
  const Range *best = n.best;
  for (size_t i = 0; i < s->inputs.size; i++)
    if (!best || distance(&s->inputs.data[i], at) < distance(best, at)) best = &s->inputs.data[i];
  return best && distance(best, at) <= NR_MAX((uintptr_t)4096, best->end - best->begin) ? best : NULL;
}

static void describe(const NrExec *e, const Range *r, uintptr_t at, NrBuf *out) {
  const NoriaModule *module = atomic_load_explicit(&((NrExec *)e)->program, memory_order_relaxed)->module;
  const NrSanitizer *s = e->sanitizer;
  if (at < r->begin) nr_buf_printf(out, "%zu bytes before ", (size_t)(r->begin - at));
  else if (at >= r->end) nr_buf_printf(out, "%zu bytes after ", (size_t)(at - r->end));
  else nr_buf_printf(out, "at byte %zu of ", (size_t)(at - r->begin));
  size_t size = (size_t)(r->end - r->begin);
  bool input = r >= s->inputs.data && r < s->inputs.data + s->inputs.size && r->site >= 0; /* else a parameter */
  if (input) nr_buf_printf(out, "input '%s' of %zu bytes", module->inputs[r->site].name, size);
  else nr_buf_printf(out, "%s of %zu bytes", r->kind == RANGE_CONSTANT ? "a constant or global" : "a buffer", size);
  if (!input && r->site >= 0 && r->site < module->num_sites && *module->sites[r->site].place)
    nr_buf_printf(out, " made at %s", module->sites[r->site].place);
  if (r->kind == RANGE_FREED) nr_buf_printf(out, ", which was freed");
}

static void fail(NrExec *e, uintptr_t at, int64_t size, int32_t site, bool is_write) {
  NrBuf text = {0};
  bool locked = nr_exec_lock(e);
  const Range *near = nearest(e->sanitizer, at);
  if (near) describe(e, near, at, &text);
  else nr_buf_printf(&text, "where no buffer is");
  nr_exec_unlock(e, locked);
  nr_exec_fail(e, NORIA_ERROR_FAILED, site, "out of bounds access: machine code %s %lld bytes %s",
               is_write ? "writes" : "reads", (long long)size, text.data);
  nr_buf_deinit(&text);
  longjmp(current->out, 1);
}

void nr_sanitize_access(const void *data, int64_t size, int32_t site, int32_t is_write) {
  if (size == 0 || !current) return;
  NrExec *e = current->exec;
  uintptr_t begin = (uintptr_t)data, end = begin + (uintptr_t)size;
  unsigned long long now = atomic_load_explicit(&state, memory_order_relaxed);
  if (end >= begin && size > 0) {
    for (size_t i = 0; i < CACHED; i++)
      if (cached[i].exec == e && cached[i].state == now && begin >= cached[i].begin && end <= cached[i].end) return;
    if (on_stack(begin, end)) return;
    bool locked = nr_exec_lock(e);
    const Range *r = range_of(e->sanitizer, begin, end);
    if (r) {
      unsigned i = next_cached++ % CACHED;
      cached[i].exec = e, cached[i].state = now, cached[i].begin = r->begin, cached[i].end = r->end;
    }
    nr_exec_unlock(e, locked);
    if (r) return;
  }
  fail(e, begin, size, site, is_write);
}
