/* channel_messages.c - collectives made of messages between two ranks.
 *
 * A reduction moves each rank its share of all ranks' elements, reduces them in rank order, and for all_reduce moves
 * the results to all. Long ones go in segments: the results of one travel together with the elements of the next. */
#include <stdlib.h>

#include "base/dtype.h"
#include "runtime/channel_messages.h"

/* One collective of this rank. */
typedef struct Call {
  NrMessenger *m;
  NrMessageGroup *g;
  int32_t me, count;
  const NrCollective *call;
  const NrSignature *own;
  size_t element;
  NoriaError *error;
} Call;

static NoriaStatus run_messages(const Call *c, int32_t count, const NrMessageCopy *copy) {
  return c->m->exchange(c->m, c->g, count, copy, c->own, c->call->stop, c->error);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

void nr_message_group_release(void *group) {
  NrMessageGroup *g = group;
  if (!g || atomic_fetch_sub_explicit(&g->refs, 1, memory_order_acq_rel) != 1) return;
  if (g->unlink) g->unlink(g->link);
  free(g->signatures);
  free(g->messages);
  free(g);
}

NrMessageGroup *nr_message_group_new(int32_t count) {
  NrMessageGroup *g = calloc(1, sizeof *g + (size_t)count * sizeof g->ranks[0]);
  if (!g) return NULL;
  atomic_init(&g->refs, 1);
  g->count = count;
  for (int32_t q = 0; q < count; q++) g->ranks[q] = q;
  g->signatures = calloc((size_t)count, sizeof *g->signatures);
  g->messages = calloc(4 * (size_t)count, sizeof *g->messages);
  if (g->signatures && g->messages) return g;
  nr_message_group_release(g);
  return NULL;
}

int32_t nr_message_add(NrMessageGroup *g, int32_t at, int32_t rank, bool is_sent, const void *data, size_t size) {
  if (size == 0) return at;
  g->messages[at] = (NrMessage){g->ranks[rank], is_sent, (void *)data, size};
  return at + 1;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static NoriaStatus move_parts(const Call *c) {
  const NrSignature *all = c->g->signatures;
  const char *send = c->call->send;
  char *recv = c->call->recv;
  int32_t count = 0;
  for (int32_t k = 1; k < c->count; k++) {
    /* Each rank begins with its neighbour, so that they do not all send to one. */
    int32_t to = (c->me + k) % c->count, from = (c->me + c->count - k) % c->count;
    NrPart in = nr_part_of(all, c->count, from, c->me), out = nr_part_of(all, c->count, c->me, to);
    size_t in_size = (size_t)in.elements * c->element, out_size = (size_t)out.elements * c->element;
    count = nr_message_add(c->g, count, from, false, recv + (size_t)in.to * c->element, in_size);
    count = nr_message_add(c->g, count, to, true, send + (size_t)out.from * c->element, out_size);
  }
  NrPart own = nr_part_of(all, c->count, c->me, c->me);
  NrMessageCopy copy = {recv + (size_t)own.to * c->element, send + (size_t)own.from * c->element,
                    (size_t)own.elements * c->element,
                    nr_copy_streams((size_t)(c->call->recv_rows * c->call->row) * c->element)};
  return run_messages(c, count, &copy);
}

static NoriaStatus move_message(const Call *c) {
  const NrCollective *call = c->call;
  size_t row = (size_t)call->row * c->element, in = (size_t)call->recv_rows * row, out = (size_t)call->send_rows * row;
  if (call->recv_from < 0 && in) memset(call->recv, 0, in);
  int32_t count = 0;
  if (call->recv_from >= 0) count = nr_message_add(c->g, count, (int32_t)call->recv_from, false, call->recv, in);
  if (call->send_to >= 0) count = nr_message_add(c->g, count, (int32_t)call->send_to, true, call->send, out);
  return run_messages(c, count, NULL);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

enum { SCRATCH = 32 << 20, MOST_SHARE = 4 << 20, LEAST_SHARE = 16 << 10, AT_ONCE = 32 << 10 };

/* Makes room for size bytes of every rank. */
static NoriaStatus reserve_scratch(const Call *c, size_t size) {
  size_t wanted = size * (size_t)c->count;
  if (wanted <= c->m->scratch_size) return NORIA_OK;
  free(c->m->scratch);
  c->m->scratch = malloc(wanted);
  c->m->scratch_size = c->m->scratch ? wanted : 0;
  return c->m->scratch ? NORIA_OK : nr_error_set_memory(c->error, wanted);
}

static size_t share_limit(const Call *c) {
  size_t share = NR_MIN((size_t)SCRATCH / (size_t)c->count, (size_t)MOST_SHARE);
  return NR_MAX(share, (size_t)LEAST_SHARE) / c->element;
}

/* Reduces elements of all ranks: this rank's at own, the others' in scratch, stride bytes apart. */
static NoriaStatus reduce(const Call *c, const char *own, size_t stride, char *out, size_t elements) {
  const void **sources = malloc((size_t)c->count * sizeof *sources);
  if (!sources) return nr_error_set_memory(c->error, (size_t)c->count * sizeof *sources);
  for (int32_t q = 0; q < c->count; q++) sources[q] = q == c->me ? own : c->m->scratch + (size_t)q * stride;
  void *outs[] = {out};
  if (elements) nr_reduce(c->call->dtype, c->call->reduction, sources, c->count, outs, 1, (int64_t)elements,
                          false);
  free(sources);
  return NORIA_OK;
}

/* Few elements: every rank gets all of all ranks and reduces them itself. */
static NoriaStatus reduce_at_once(const Call *c, size_t elements) {
  size_t size = elements * c->element;
  NoriaStatus status = reserve_scratch(c, size);
  if (status) return status;
  int32_t count = 0;
  for (int32_t q = 0; q < c->count; q++) {
    if (q == c->me) continue;
    count = nr_message_add(c->g, count, q, false, c->m->scratch + (size_t)q * size, size);
    count = nr_message_add(c->g, count, q, true, c->call->send, size);
  }
  status = run_messages(c, count, NULL);
  return status ? status : reduce(c, c->call->send, size, c->call->recv, elements);
}

/* A segment of an all_reduce: share elements for each rank, from first on. */
typedef struct Segment {
  size_t first, share, end;
} Segment;
static size_t segment_at(const Segment *s, int32_t rank) { return NR_MIN(s->first + (size_t)rank * s->share, s->end); }
static size_t segment_count(const Segment *s, int32_t rank) {
  return NR_MIN(s->first + ((size_t)rank + 1) * s->share, s->end) - segment_at(s, rank);
}

static int32_t add_elements(const Call *c, int32_t count, const Segment *s) {
  size_t mine = segment_count(s, c->me) * c->element;
  for (int32_t k = 1; k < c->count; k++) {
    int32_t to = (c->me + k) % c->count, from = (c->me + c->count - k) % c->count;
    const char *out = (const char *)c->call->send + segment_at(s, to) * c->element;
    count = nr_message_add(c->g, count, from, false, c->m->scratch + (size_t)from * s->share * c->element, mine);
    count = nr_message_add(c->g, count, to, true, out, segment_count(s, to) * c->element);
  }
  return count;
}

static int32_t add_results(const Call *c, int32_t count, const Segment *s) {
  char *recv = c->call->recv;
  for (int32_t k = 1; k < c->count; k++) {
    int32_t to = (c->me + k) % c->count, from = (c->me + c->count - k) % c->count;
    count = nr_message_add(c->g, count, from, false, recv + segment_at(s, from) * c->element,
                       segment_count(s, from) * c->element);
    count = nr_message_add(c->g, count, to, true, recv + segment_at(s, c->me) * c->element,
                       segment_count(s, c->me) * c->element);
  }
  return count;
}

static NoriaStatus all_reduce(const Call *c) {
  size_t total = (size_t)(c->call->send_rows * c->call->row), n = (size_t)c->count;
  if (total * c->element * n <= AT_ONCE) return reduce_at_once(c, total);
  size_t limit = share_limit(c), segments = (total + limit * n - 1) / (limit * n);
  /* Equal segments, and shares of whole cache lines. */
  size_t share = ((total + segments * n - 1) / (segments * n) + 63) / 64 * 64;
  NoriaStatus status = reserve_scratch(c, share * c->element);
  Segment last = {0};
  for (size_t first = 0; !status && first < total + share * n; first += share * n) {
    Segment s = {NR_MIN(first, total), share, NR_MIN(first + share * n, total)};
    int32_t count = first > 0 ? add_results(c, 0, &last) : 0;
    count = add_elements(c, count, &s);
    status = run_messages(c, count, NULL);
    size_t at = segment_at(&s, c->me) * c->element;
    if (!status)
      status = reduce(c, (const char *)c->call->send + at, share * c->element, (char *)c->call->recv + at,
                      segment_count(&s, c->me));
    last = s;
  }
  return status;
}

static NoriaStatus reduce_scatter(const Call *c) {
  size_t limit = share_limit(c), most = 0;
  const NrSignature *all = c->g->signatures;
  for (int32_t q = 0; q < c->count; q++) most = NR_MAX(most, (size_t)(all[q].recv_rows * all[q].row));
  NoriaStatus status = reserve_scratch(c, NR_MIN(limit, most) * c->element);
  size_t stride = NR_MIN(limit, most) * c->element, mine = 0, own = 0;
  for (size_t at = 0; !status && at < most; at += limit) {
    int32_t count = 0;
    for (int32_t q = 0; q < c->count; q++) {
      int64_t first, elements;
      nr_share_of(all, c->count, q, &first, &elements);
      size_t begin = NR_MIN(at, (size_t)elements), size = NR_MIN((size_t)elements - begin, limit);
      if (q == c->me) {
        own = (size_t)first + begin;
        mine = size;
        continue;
      }
      count = nr_message_add(c->g, count, q, true, (const char *)c->call->send + ((size_t)first + begin) * c->element,
                  size * c->element);
    }
    for (int32_t q = 0; q < c->count; q++) {
      if (q == c->me) continue;
      count = nr_message_add(c->g, count, q, false, c->m->scratch + (size_t)q * stride, mine * c->element);
    }
    status = run_messages(c, count, NULL);
    if (!status)
      status = reduce(
          c, (const char *)c->call->send + own * c->element, stride,
          (char *)c->call->recv + NR_MIN(at, (size_t)all[c->me].recv_rows * (size_t)all[c->me].row) * c->element, mine);
  }
  return status;
}

/* ---- one collective ---------------------------------------------------------------------------------------------- */

static NoriaStatus run(const Call *c) {
  NrCollectiveKind kind = c->call->kind;
  bool needs_rows = !c->call->same_rows && kind != NR_ALL_REDUCE && kind != NR_SEND_RECV;
  NoriaStatus status = NORIA_OK;
  if (needs_rows || c->m->meets) {
    status = c->m->meet(c->m, c->g, c->me, c->own, c->call->stop, c->error);
  } else if (kind != NR_SEND_RECV) {
    for (int32_t q = 0; q < c->count; q++) c->g->signatures[q] = *c->own;
    status = nr_signatures_match(c->g->signatures, c->count, false, c->error);
  }
  if (status) return status;
  switch (kind) {
    case NR_ALL_GATHER:
    case NR_ALL_TO_ALL: return move_parts(c);
    case NR_ALL_REDUCE: return all_reduce(c);
    case NR_REDUCE_SCATTER: return reduce_scatter(c);
    default: return move_message(c);
  }
}

NoriaStatus nr_messages_run(NrMessenger *m, NrMessageGroup *g, int32_t me, const NrCollective *call,
                            const NrSignature *own, NoriaError *error) {
  Call c = {m, g, me, g->count, call, own, nr_dtype_info(call->dtype)->size, error};
  return run(&c);
}
