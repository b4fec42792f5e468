/* channel_threads.c - ranks that are threads of one process.
 *
 * The ranks of a channel form a team. In a collective each rank shows its call to the team, waits until all have, moves
 * what it is to receive straight from the others' memory, and waits again, so that no memory is given back while
 * others read it. In a reduction each rank reduces its share and writes the result into every rank's memory.
 *
 * Waiting. All waits go through one atomic word of the team: a generation, the number of ranks that have arrived, and
 * whether the team is broken. The last rank to arrive begins the next generation. The first wait of a collective may be
 * given up: for the time limit, the run's stop flag, or a rank that ended. Whoever gives up breaks the team with a
 * compare-and-swap that fails when the last rank has arrived. So either all ranks take part in a collective or none,
 * and the second wait is always short. */
#include "runtime/channel_internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/guard.h"
#include "runtime/relax.h"

typedef enum End { RUNS, ENDED, FAILED } End;

/* What all ranks of the process share. */
typedef struct Shared {
  atomic_int refs;
  int32_t count;
  bool check;
  struct Team *team; /* of all ranks */
  atomic_int failed; /* what follows is set */
  pthread_mutex_t lock; /* setting it */
  NoriaStatus code;
  int32_t failed_rank;
  bool is_end;   /* the rank's program failed, not a collective */
  char *message;
  _Atomic int8_t ends[]; /* End of each rank */
} Shared;

typedef struct ThreadWorld {
  NrWorld pub; /* first */
  Shared *shared;
} ThreadWorld;

enum { ARRIVED = 0x7fff, BROKEN = 0x8000, GENERATION = 0x10000 };

typedef struct Slot {
  _Alignas(64) const NrCollective *call;
  struct Team *made;    /* by a split, for its first rank */
  atomic_uint arrivals; /* collectives that the rank has begun */
  atomic_int cpu;       /* where the rank last waited */
  int32_t world_rank;
} Slot;

typedef struct Team {
  _Alignas(64) atomic_uint state;
  atomic_int sleeping;
  _Alignas(64) atomic_int refs;
  Shared *shared;
  int32_t count;
  NrSignature *signatures; /* of the ranks' calls */
  Slot slots[];
} Team;

/* What a wait that may be given up needs to know. */
typedef struct Wait {
  NrChannel *channel;
  const NrSignature *own;
  const volatile int32_t *stop;
  NoriaError *error;
} Wait;

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static ThreadWorld *thread_world(NrWorld *world) { return (ThreadWorld *)world; }

/* Records the first failure. */
static void record(ThreadWorld *w, NoriaStatus code, const char *message, bool is_end) {
  Shared *s = w->shared;
  pthread_mutex_lock(&s->lock);
  if (!atomic_load_explicit(&s->failed, memory_order_relaxed)) {
    s->code = code;
    s->failed_rank = w->pub.rank;
    s->is_end = is_end;
    s->message = strdup(message);
    w->pub.reports = true;
    atomic_store_explicit(&s->failed, 1, memory_order_release);
  }
  pthread_mutex_unlock(&s->lock);
}

static void fail_world(NrWorld *world, NoriaStatus code, const char *message) {
  record(thread_world(world), code, message, false);
}

/* The failure of this rank where another has failed. */
static NoriaStatus other_failed(const Shared *s, const NrSignature *own, NoriaError *error) {
  char text[128];
  const char *message = s->message ? s->message : "no memory for the message";
  if (!s->is_end) return nr_error_set(error, s->code, "%s", message);
  return nr_error_set(error, NORIA_ERROR_FAILED, "rank %d ended ('%s') before it reached %s", s->failed_rank, message,
                      nr_signature_text(own, text, sizeof text));
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* How long a rank looks for the others before it sleeps: longer than most waits of ranks that do the same work. */
enum { LOOK_NS = 100000, SLICE_NS = 10000000, PAUSES = 32 };

static bool is_over(unsigned state, unsigned seen) { return (state & BROKEN) || (state - seen) / GENERATION != 0; }

static unsigned load_state(Team *t) { return atomic_load_explicit(&t->state, memory_order_acquire); }

/* Whether another rank was last seen on this rank's processor, and may be waiting for it. */
static bool is_crowded(const Team *t, int32_t me, int cpu) {
  for (int32_t q = 0; q < t->count; q++)
    if (q != me && atomic_load_explicit(&t->slots[q].cpu, memory_order_relaxed) == cpu) return true;
  return false;
}

static bool look(Team *t, int32_t me, unsigned seen) {
  int cpu = sched_getcpu();
  atomic_store_explicit(&t->slots[me].cpu, cpu, memory_order_relaxed);
  for (int64_t until = nr_now_ns() + LOOK_NS; nr_now_ns() < until;) {
    bool crowded = is_crowded(t, me, cpu);
    for (int i = 0; i < (crowded ? 1 : PAUSES); i++) {
      if (is_over(load_state(t), seen)) return true;
      nr_relax();
    }
    if (crowded) sched_yield();
  }
  return is_over(load_state(t), seen);
}

/* Sleeps until the generation is over, at most for a slice. */
static void sleep_slice(Team *t, unsigned seen) {
  struct timespec slice = {0, SLICE_NS};
  atomic_fetch_add(&t->sleeping, 1);
  unsigned state = atomic_load(&t->state);
  if (!is_over(state, seen)) syscall(SYS_futex, &t->state, FUTEX_WAIT_PRIVATE, state, &slice, NULL, 0);
  atomic_fetch_sub(&t->sleeping, 1);
}

static void wake_all(Team *t) {
  if (atomic_load(&t->sleeping)) syscall(SYS_futex, &t->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Breaks the team in the generation of seen. False when that is over: all ranks have arrived, or it is broken. */
static bool break_team(Team *t, unsigned seen) {
  unsigned state = load_state(t);
  while (!is_over(state, seen))
    if (atomic_compare_exchange_weak(&t->state, &state, state | BROKEN)) {
      wake_all(t);
      return true;
    }
  return false;
}

/* The lowest rank of the channel that has not begun this collective; -1: there is none. */
static int32_t first_missing(Team *t, const Wait *w, bool only_ended) {
  unsigned mine = atomic_load_explicit(&t->slots[w->channel->rank].arrivals, memory_order_relaxed);
  for (int32_t q = 0; q < t->count; q++) {
    /* Read the end first: a rank that has ended begins nothing after. */
    bool ended = atomic_load_explicit(&t->shared->ends[t->slots[q].world_rank], memory_order_acquire) != RUNS;
    unsigned theirs = atomic_load_explicit(&t->slots[q].arrivals, memory_order_acquire);
    if ((ended || !only_ended) && (int)(mine - theirs) > 0) return q;
  }
  return -1;
}

/* Why the wait is to be given up; NORIA_OK: it goes on. */
static NoriaStatus reason_to_leave(Team *t, const Wait *w, int64_t deadline) {
  Shared *s = t->shared;
  char text[128];
  nr_signature_text(w->own, text, sizeof text);
  if (atomic_load_explicit(&s->failed, memory_order_acquire)) return other_failed(s, w->own, w->error);
  int32_t ended = first_missing(t, w, true);
  if (ended >= 0)
    return nr_error_set(w->error, NORIA_ERROR_FAILED, "rank %d ended before it reached %s",
                        t->slots[ended].world_rank, text);
  int32_t missing = first_missing(t, w, false);
  if (missing >= 0 && w->stop && __atomic_load_n(w->stop, __ATOMIC_RELAXED))
    return nr_error_set(w->error, NORIA_ERROR_INTERRUPTED, "rank %d was stopped while it waited for rank %d in %s",
                        w->channel->world->rank, t->slots[missing].world_rank, text);
  if (nr_now_ns() < deadline) return NORIA_OK;
  return nr_error_set(w->error, NORIA_ERROR_LIMIT, "rank %d did not reach %s within %g s",
                      missing < 0 ? -1 : t->slots[missing].world_rank, text, nr_world_wait_s(w->channel->world));
}

/* Waits until all ranks of the team have arrived here. wait NULL: all are on their way and none gives up. */
static NoriaStatus arrive(Team *t, int32_t me, const Wait *wait) {
  unsigned seen = load_state(t), after = 0;
  do {
    if (seen & BROKEN) break;
    bool is_last = (int32_t)(seen & ARRIVED) + 1 == t->count;
    after = is_last ? (seen & ~(unsigned)ARRIVED) + GENERATION : seen + 1;
  } while (!atomic_compare_exchange_weak(&t->state, &seen, after));
  seen &= ~(unsigned)ARRIVED;
  if (!(seen & BROKEN) && is_over(after, seen)) {
    wake_all(t);
    return NORIA_OK;
  }
  int64_t deadline = wait ? nr_world_deadline(wait->channel->world) : 0;
  bool is_done = (seen & BROKEN) || look(t, me, seen);
  while (!is_done) {
    sleep_slice(t, seen);
    is_done = is_over(load_state(t), seen);
    NoriaStatus reason = is_done || !wait ? NORIA_OK : reason_to_leave(t, wait, deadline);
    if (!reason) continue;
    fail_world(wait->channel->world, reason, wait->error->message ? wait->error->message : "no memory");
    if (break_team(t, seen)) return other_failed(t->shared, wait->own, wait->error);
    is_done = true;
  }
  if (!(load_state(t) & BROKEN) || (load_state(t) - seen) / GENERATION != 0) {
    if (wait) noria_error_clear(wait->error);
    return NORIA_OK;
  }
  return other_failed(t->shared, wait->own, wait->error);
}

/* ---- teams ------------------------------------------------------------------------------------------------------- */

/* With one reference for each rank to come. NULL without memory. */
static Team *new_team(Shared *shared, int32_t count) {
  size_t size = sizeof(Team) + (size_t)count * sizeof(Slot), align = _Alignof(Team);
  Team *t = aligned_alloc(align, (size + align - 1) / align * align);
  if (!t) return NULL;
  memset(t, 0, size);
  t->signatures = calloc((size_t)count, sizeof(NrSignature));
  if (!t->signatures) {
    free(t);
    return NULL;
  }
  t->shared = shared;
  t->count = count;
  for (int32_t q = 0; q < count; q++) atomic_init(&t->slots[q].cpu, -1);
  atomic_init(&t->refs, count);
  return t;
}

static void release_team(void *group) {
  Team *t = group;
  if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1) return;
  free(t->signatures);
  free(t);
}

static void *default_team(NrWorld *world) {
  Team *t = thread_world(world)->shared->team;
  atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
  return t;
}

/* Shows the call to the team and waits until all ranks have shown theirs, which must match. */
static NoriaStatus meet(NrChannel *channel, const NrCollective *call, const NrSignature *own,
                        const volatile int32_t *stop, NoriaError *error) {
  Team *t = channel->group;
  Wait wait = {channel, own, stop, error};
  if (atomic_load_explicit(&t->shared->failed, memory_order_acquire)) return other_failed(t->shared, own, error);
  Slot *slot = &t->slots[channel->rank];
  t->signatures[channel->rank] = *own;
  slot->call = call;
  atomic_fetch_add_explicit(&slot->arrivals, 1, memory_order_release);
  NoriaStatus status = arrive(t, channel->rank, &wait);
  return status ? status : nr_signatures_match(t->signatures, t->count, t->shared->check, error);
}

static bool streams(const NrCollective *call, size_t element) {
  return nr_copy_streams((size_t)(call->recv_rows * call->row) * element);
}

static void copy_part(Team *t, int32_t from, int32_t to, size_t element) {
  NrPart part = nr_part_of(t->signatures, t->count, from, to);
  const char *source = (const char *)t->slots[from].call->send + (size_t)part.from * element;
  char *target = (char *)t->slots[to].call->recv + (size_t)part.to * element;
  nr_copy(target, source, (size_t)part.elements * element, streams(t->slots[to].call, element));
}

static void receive(Team *t, int32_t me, size_t element) {
  const NrCollective *own = t->slots[me].call;
  size_t size = (size_t)(own->recv_rows * own->row) * element;
  if (!size) return;
  if (own->recv_from < 0)
    memset(own->recv, 0, size);
  else
    nr_copy(own->recv, t->slots[own->recv_from].call->send, size, streams(own, element));
}

static void reduce_share(Team *t, int32_t me, size_t element) {
  const NrCollective *own = t->slots[me].call;
  int64_t first, elements;
  nr_share_of(t->signatures, t->count, me, &first, &elements);
  const void *sources[NR_MAX_THREAD_RANKS];
  void *outs[NR_MAX_THREAD_RANKS];
  int32_t num_outs = own->kind == NR_ALL_REDUCE ? t->count : 1;
  for (int32_t q = 0; q < t->count; q++) {
    const NrCollective *theirs = t->slots[q].call;
    sources[q] = (const char *)theirs->send + (size_t)first * element;
    outs[q] = (char *)theirs->recv + (size_t)first * element;
  }
  if (own->kind == NR_REDUCE_SCATTER) outs[0] = own->recv;
  if (elements > 0)
    nr_reduce(own->dtype, own->reduction, sources, t->count, outs, num_outs, elements, streams(own, element));
}

static NoriaStatus run_threads(NrChannel *channel, const NrCollective *call, const NrSignature *own,
                               NoriaError *error) {
  Team *t = channel->group;
  NoriaStatus status = meet(channel, call, own, call->stop, error);
  if (status) return status;
  size_t element = nr_dtype_info(call->dtype)->size;
  switch (call->kind) {
    case NR_ALL_GATHER:
    case NR_ALL_TO_ALL:
      /* Each rank begins with its own, so that they do not all read from one. */
      for (int32_t k = 0; k < t->count; k++) copy_part(t, (channel->rank + k) % t->count, channel->rank, element);
      break;
    case NR_ALL_REDUCE:
    case NR_REDUCE_SCATTER: reduce_share(t, channel->rank, element); break;
    default: receive(t, channel->rank, element); break;
  }
  return arrive(t, channel->rank, NULL);
}

/* ---- for a backend on top of this one ---------------------------------------------------------------------------- */

static NoriaStatus meet_threads(NrChannel *channel, const NrSignature *own, const volatile int32_t *stop,
                                NrSignature *out_all, NoriaError *error) {
  Team *t = channel->group;
  NoriaStatus status = meet(channel, NULL, own, stop, error);
  if (status) return status;
  memcpy(out_all, t->signatures, (size_t)t->count * sizeof *out_all);
  return arrive(t, channel->rank, NULL);
}

static NoriaStatus look_threads(NrChannel *channel, const NrSignature *own, NoriaError *error) {
  const Shared *s = thread_world(channel->world)->shared;
  bool failed = own && atomic_load_explicit(&s->failed, memory_order_acquire) && !s->is_end;
  return failed ? other_failed(s, own, error) : NORIA_OK;
}

/* ---- splits ------------------------------------------------------------------------------------------------------ */

static NoriaStatus split_threads(NrChannel *channel, const NrSplit *split, const NrSignature *own, NrChannel *child,
                                 NoriaError *error) {
  Team *t = channel->group;
  NoriaStatus status = meet(channel, NULL, own, split->stop, error);
  if (status) return status;
  const NrSignature *all = t->signatures;
  int32_t me = channel->rank, first = me, count = 0, rank = nr_split_rank(all, t->count, me);
  for (int32_t q = 0; q < t->count; q++) {
    if (all[q].send_to != split->color) continue;
    count++;
    if (nr_split_rank(all, t->count, q) == 0) first = q;
  }
  bool takes_part = split->color >= 0;
  if (takes_part && first == me) {
    Team *made = new_team(t->shared, count);
    for (int32_t q = 0; made && q < t->count; q++)
      if (all[q].send_to == split->color)
        made->slots[nr_split_rank(all, t->count, q)].world_rank = t->slots[q].world_rank;
    t->slots[me].made = made;
  }
  arrive(t, me, NULL);
  child->group = takes_part ? t->slots[first].made : NULL;
  arrive(t, me, NULL); /* before the slots change */
  if (!takes_part) return NORIA_OK;
  if (!child->group) return nr_error_set_memory(error, sizeof(Team));
  child->rank = rank;
  child->count = count;
  return NORIA_OK;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static NoriaStatus end_threads(NrWorld *world, const char *why, NoriaError *error) {
  Shared *s = thread_world(world)->shared;
  if (why) record(thread_world(world), NORIA_ERROR_FAILED, why, true);
  atomic_store_explicit(&s->ends[world->rank], why ? FAILED : ENDED, memory_order_release);
  return NORIA_OK;
}

static void release_shared(Shared *s) {
  if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
  if (s->team) release_team(s->team);
  pthread_mutex_destroy(&s->lock);
  free(s->message);
  free(s);
}

static void destroy_threads(NrWorld *world) {
  release_shared(thread_world(world)->shared);
  free(world);
}

static const NrBackend threads_backend = {
    .run = run_threads,
    .split = split_threads,
    .default_group = default_team,
    .release_group = release_team,
    .fail = fail_world,
    .end = end_threads,
    .destroy = destroy_threads,
    .meet = meet_threads,
    .look = look_threads,
};

static Shared *new_shared(int32_t count, const NrWorldOptions *options) {
  Shared *s = calloc(1, sizeof *s + (size_t)count * sizeof s->ends[0]);
  if (!s) return NULL;
  if (pthread_mutex_init(&s->lock, NULL)) {
    free(s);
    return NULL;
  }
  atomic_init(&s->refs, 1);
  s->count = count;
  s->check = options->check;
  s->team = new_team(s, count);
  if (!s->team) {
    release_shared(s);
    return NULL;
  }
  /* The reference of the world itself; channels add theirs. */
  atomic_init(&s->team->refs, 1);
  for (int32_t r = 0; r < count; r++) s->team->slots[r].world_rank = r;
  return s;
}

NoriaStatus nr_world_create_threads(int32_t count, const NrWorldOptions *options, NrWorld **out_worlds,
                                    NoriaError *error) {
  if (count < 1 || count > NR_MAX_THREAD_RANKS)
    return nr_error_set(error, NORIA_ERROR_INVALID, "there can be 1 to %d ranks in a process, not %d",
                        NR_MAX_THREAD_RANKS, (int)count);
  NrWorldOptions defaults = {0};
  if (!options) options = &defaults;
  memset(out_worlds, 0, (size_t)count * sizeof *out_worlds);
  Shared *s = new_shared(count, options);
  NoriaStatus status = s ? NORIA_OK : nr_error_set_memory(error, sizeof *s);
  for (int32_t r = 0; !status && r < count; r++) {
    ThreadWorld *w = calloc(1, sizeof *w);
    if (!w) {
      status = nr_error_set_memory(error, sizeof *w);
      break;
    }
    w->pub = (NrWorld){
        .backend = &threads_backend, .rank = r, .count = count, .local_rank = r, .options = *options,
        .shares_process = count > 1};
    w->shared = s;
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    out_worlds[r] = &w->pub;
  }
  if (s) release_shared(s);
  if (!status) return NORIA_OK;
  for (int32_t r = 0; r < count; r++) {
    nr_world_destroy(out_worlds[r]);
    out_worlds[r] = NULL;
  }
  return status;
}
