/* A run without Noria's runtime. Its blocks are in a hash table, so that one that is freed twice is noticed. */
typedef struct NoriaBlock {
  void *data; /* NULL: free place */
  i64 size;   /* -1: freed */
} NoriaBlock;

typedef struct NoriaRun {
  NoriaExec exec;
  NoriaBlock *blocks;
  size_t used, capacity;
  const char *stack; /* where it began */
  char place[200], text[400];
} NoriaRun;

#ifndef NORIA_STACK_BYTES
#define NORIA_STACK_BYTES (1 << 20) /* that recursive functions may take */
#endif

/* The place of a block; where there is none of these data, the free one for it. */
static NoriaBlock *noria_find(NoriaRun *run, const void *data) {
  size_t i = (size_t)((u64)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15) >> 32);
  while (run->blocks[i &= run->capacity - 1].data && run->blocks[i].data != data) i++;
  return &run->blocks[i];
}

/* Room for one more; the places of freed blocks are given up. */
static bool noria_reserve(NoriaRun *run) {
  NoriaBlock *old = run->blocks;
  size_t i, live = 0, before = run->capacity;
  if (run->used * 2 < before) return true;
  for (i = 0; i < before; i++) live += old[i].data && old[i].size >= 0;
  run->capacity = 64;
  while (run->capacity < live * 4 + 4) run->capacity *= 2;
  run->blocks = calloc(run->capacity, sizeof *run->blocks);
  if (!run->blocks) {
    run->blocks = old;
    run->capacity = before;
    return false;
  }
  for (i = 0; i < before; i++)
    if (old[i].data && old[i].size >= 0) *noria_find(run, old[i].data) = old[i];
  run->used = live;
  free(old);
  return true;
}

static int32_t noria_alone_error(NoriaExec *exec, const char *text) {
  NoriaRun *run = (NoriaRun *)exec;
  if (!run->text[0]) snprintf(run->text, sizeof run->text, "%s", text);
  return 1;
}

static void *noria_alone_alloc_aligned(NoriaExec *exec, int64_t size, int64_t alignment) {
  NoriaRun *run = (NoriaRun *)exec;
  NoriaBlock *block;
  void *data = NULL;
  size_t align = alignment > 64 ? (size_t)alignment : 64;
  if (size >= 0 && (u64)size < SIZE_MAX / 2 - align && noria_reserve(run))
    data = aligned_alloc(align, ((size_t)size + align) / align * align);
  if (!data) {
    snprintf(run->text, sizeof run->text, "the system has no memory for %lld bytes", (long long)size);
    return NULL;
  }
  block = noria_find(run, data);
  run->used += !block->data;
  block->data = data;
  block->size = size;
  return data;
}

static void *noria_alone_alloc(NoriaExec *exec, int64_t size) { return noria_alone_alloc_aligned(exec, size, 64); }

static int32_t noria_alone_free(NoriaExec *exec, void *data) {
  NoriaRun *run = (NoriaRun *)exec;
  NoriaBlock *block = data && run->capacity ? noria_find(run, data) : NULL;
  if (!data) return 0;
  if (!block || !block->data || block->size < 0) return 1;
  block->size = -1;
  free(data);
  return 0;
}

static void *noria_alone_realloc(NoriaExec *exec, void *data, int64_t new_size) {
  NoriaRun *run = (NoriaRun *)exec;
  NoriaBlock *block = data && run->capacity ? noria_find(run, data) : NULL;
  if (!data) return noria_alone_alloc(exec, new_size);
  if (!block || !block->data || block->size < 0) {
    noria_alone_error(exec, "'memref.realloc' op uses memory that was freed");
    return NULL;
  }
  i64 old_size = block->size; /* the table may move */
  void *moved = noria_alone_alloc(exec, new_size);
  if (!moved) return NULL;
  noria_copy(moved, data, old_size < new_size ? old_size : new_size);
  noria_alone_free(exec, data);
  return moved;
}

static int32_t noria_alone_dispatch(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y,
                                    int64_t z) {
  for (i64 k = 0; k < z; k++)
    for (i64 j = 0; j < y; j++)
      for (i64 i = 0; i < x; i++)
        if (fn(exec, args, i, j, k)) return 1;
  return 0;
}

static int32_t noria_alone_poll(NoriaExec *exec, int64_t iterations) {
  (void)iterations;
  return exec->stop;
}

static int32_t noria_alone_fail(NoriaExec *exec, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d) {
  NoriaRun *run = (NoriaRun *)exec;
  const NoriaSite *at = site >= 0 && site < noria_module.num_sites ? &noria_module.sites[site] : NULL;
  const long long values[4] = {a, b, c, d};
  size_t n = 0;
  if (at && !run->place[0]) snprintf(run->place, sizeof run->place, "%s", at->place);
  if (!at || run->text[0]) return 1;
  for (const char *p = at->text; *p && n + 32 < sizeof run->text; p++) {
    bool number = p[0] == '%' && p[1] >= '0' && p[1] <= '3';
    if (number) n += (size_t)snprintf(run->text + n, 32, "%lld", values[*++p - '0']);
    else run->text[n++] = *p;
    if (!number && p[0] == '%' && p[1] == '%') p++;
  }
  return 1;
}

static int32_t noria_alone_enter(NoriaExec *exec, int32_t site) {
  const NoriaRun *run = (const NoriaRun *)exec;
  char here;
  ptrdiff_t size = (intptr_t)run->stack - (intptr_t)&here;
  if (size < NORIA_STACK_BYTES && -size < NORIA_STACK_BYTES) return exec->stop;
  return noria_alone_fail(exec, site, 0, 0, 0, 0);
}

static int32_t noria_alone_charge(NoriaExec *exec, int64_t bytes) {
  (void)exec, (void)bytes;
  return 0;
}

/* Whether there can be an array of these dims; *out_count: how many elements it has. */
NORIA_UNUSED static bool noria_is_shape(const int64_t *dims, i64 rank, i64 *out_count) {
  i64 all = 1;
  bool empty = false;
  for (i64 i = 0; i < rank; i++) {
    if (dims[i] < 0 || (dims[i] && all > NORIA_MAX_ELEMENTS / dims[i])) return false;
    if (dims[i]) all *= dims[i];
    else empty = true;
  }
  *out_count = empty ? 0 : all;
  return true;
}

NORIA_UNUSED static int noria_refuse(char *error, size_t size, const char *name, const char *why) {
  if (size) snprintf(error, size, "argument '%s' %s", name, why);
  return 1;
}

/* Checks and describes an input. */
NORIA_UNUSED static int noria_input(NoriaDesc *desc, const char *name, const void *data, i64 rank, const int64_t *dims,
                                    char *error, size_t size) {
  i64 count = 0;
  if (rank < 0 || rank > NORIA_MAX_RANK) return noria_refuse(error, size, name, "has a rank that no array has");
  if (!noria_is_shape(dims, rank, &count)) return noria_refuse(error, size, name, "has dims that no array has");
  if (count && !data) return noria_refuse(error, size, name, "is NULL");
  desc->data = (void *)(intptr_t)data;
  desc->rank = rank;
  for (i64 i = 0; i < rank; i++) desc->dims[i] = dims[i];
  return 0;
}

/* Not 0: it failed, and error says where and why. */
static int noria_alone_run(NoriaRun *run, const NoriaDesc *inputs, NoriaDesc *outputs, char *error, size_t size) {
  static const NoriaRuntimeApi api = {
      noria_alone_alloc, noria_alone_free, noria_alone_dispatch, noria_alone_poll, noria_alone_fail,
      noria_alone_realloc, noria_alone_enter, noria_alone_charge, noria_alone_alloc_aligned, noria_alone_error};
  char here;
  run->stack = &here;
  run->exec.api = &api;
  run->exec.threads = 1;
  run->exec.place = -1;
  if (noria_module.num_parameters)
    noria_alone_error(&run->exec, "the program has parameters in files, which Noria's runtime reads");
  else if (!noria_module.entry(&run->exec, inputs, outputs)) return 0;
  if (size) snprintf(error, size, "%s%s%s", run->place, run->place[0] ? ": " : "", run->text);
  return 1;
}

/* The block of an output becomes the caller's. */
NORIA_UNUSED static void *noria_give(NoriaRun *run, void *data) {
  if (data) noria_find(run, data)->size = -1;
  return data;
}

static void noria_alone_end(NoriaRun *run) {
  for (size_t i = 0; i < run->capacity; i++)
    if (run->blocks[i].data && run->blocks[i].size >= 0) free(run->blocks[i].data);
  free(run->blocks);
}
