/* pool.c - the thread pool that walks workgroup grids.
 *
 * A dispatch is a job on its caller's stack. The caller walks the grid itself; helpers join by taking chunks of it. So
 * a dispatch inside a workgroup cannot deadlock: its caller alone can finish it.
 *
 * Work that is not worth a helper (pace.h) never leaves its caller. A job that is shared stands in a slot of the pool,
 * whose state is one atomic word. A helper takes its first chunk and is counted by one compare-and-swap of that word,
 * so the caller waits only for helpers that hold a chunk, never for one that was woken and has not begun. Chunks get
 * smaller towards the end, so that all threads end at about the same time. No lock is taken: threads that have nothing
 * to do look for work for some microseconds, then sleep on a futex. */
#include "runtime/internal.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/pace.h"
#include "runtime/relax.h"

typedef struct Job {
  NrExec *exec;
  NoriaWorkgroupFn fn;
  const void *args;
  int64_t x, y, total;
  int64_t first, unit; /* of the part that is shared: unit workgroups are taken together */
  atomic_int result;
  bool in_order; /* workgroups are taken in the order of their numbers */
  bool is_torn;  /* its helpers were lost in a fork */
} Job;

/* The state of a slot, from the lowest bit: the end of the units that no thread took, their first one, helpers inside,
 * whether helpers take from the end, open. */
enum { UNIT_BITS = 24, MOST_UNITS = (1 << UNIT_BITS) - 1 };
#define NEXT (UINT64_C(1) << UNIT_BITS)
#define HELPER (UINT64_C(1) << (2 * UNIT_BITS))
#define FROM_END (UINT64_C(1) << 62)
#define OPEN (UINT64_C(1) << 63)

static int64_t end_of(uint64_t state) { return (int64_t)(state & MOST_UNITS); }
static int64_t next_of(uint64_t state) { return (int64_t)(state >> UNIT_BITS & MOST_UNITS); }
static int64_t left_of(uint64_t state) { return end_of(state) - next_of(state); }
static int32_t helpers_of(uint64_t state) { return (int32_t)((state & ~(OPEN | FROM_END)) >> (2 * UNIT_BITS)); }

typedef struct Slot {
  _Alignas(64) _Atomic uint64_t state;
  _Atomic pthread_t owner; /* the caller whose job it is; 0: free */
  Job *job;
  /* Read before joining, so possibly of an earlier job: then the chunk has another length, nothing else. */
  atomic_int wanted; /* helpers */
  _Atomic int64_t least, most; /* units of a chunk */
  _Atomic int64_t joined; /* when the first helper joined; 0: none has */
  atomic_bool awaited;    /* the caller sleeps on left */
  atomic_uint left;
} Slot;

/* Jobs that are shared at a time; callers that find no slot walk alone. */
enum { SLOTS = 16 };

struct NrPool {
  Slot slots[SLOTS];
  NrPace paces[NR_PACES];
  _Alignas(64) atomic_uint published; /* counts shared jobs; helpers sleep on it */
  atomic_int looking, sleeping;       /* helpers without work */
  atomic_bool quit;
  atomic_uint forks; /* of which this process is the child */
  NrBalance balance;
  NrWakeCost wake_cost;
  pthread_mutex_t starting;
  int32_t threads;
  atomic_int started;
  atomic_bool refused; /* the system gives no more threads */
  pthread_t ids[];
};

/* How long a thread looks for what it waits for before it sleeps: about what waking it costs. */
enum { LOOK_NS = 20000, AWAIT_NS = 10000, PAUSES = 32 };

static void sleep_on(atomic_uint *word, unsigned while_it_is) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, NULL, NULL, 0);
}

static void wake(atomic_uint *word, int32_t count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static int32_t call(NrExec *e, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z) {
  return e->sanitizer ? nr_sanitize_workgroup(e, fn, args, x, y, z) : fn(&e->pub, args, x, y, z);
}

/* Runs workgroups begin to end. False when one failed or the run is to stop: what stopped it is recorded by the thread
 * that dispatched, which knows the place for the message. */
static bool walk(Job *job, int64_t begin, int64_t end) {
  NrExec *e = job->exec;
  int64_t x = begin % job->x, y = begin / job->x % job->y, z = begin / job->x / job->y;
  for (int64_t i = begin; i < end; i++) {
    bool stops = __atomic_load_n(&e->pub.stop, __ATOMIC_RELAXED) != 0;
    int32_t result = stops ? 1 : call(e, job->fn, job->args, x, y, z);
    if (result) {
      atomic_store_explicit(&job->result, result, memory_order_relaxed);
      return false;
    }
    if (++x == job->x) {
      x = 0;
      if (++y == job->y) y = 0, z++;
    }
  }
  return true;
}

/* Takes the next chunk: a share of what is left, so that later ones are smaller. join is HELPER for a helper's first
 * chunk, which counts it as inside, and 0 for further ones and for the caller. Helpers take from the end where they
 * may: then a thread finds in its cache what it wrote or read in the last dispatch over the same memory. */
static bool take(Slot *slot, bool is_helper, uint64_t join, int64_t *out_begin, int64_t *out_end) {
  int64_t least = atomic_load_explicit(&slot->least, memory_order_relaxed);
  int64_t most = atomic_load_explicit(&slot->most, memory_order_relaxed);
  int32_t wanted = atomic_load_explicit(&slot->wanted, memory_order_relaxed);
  uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed), after;
  do {
    int64_t left = left_of(state);
    if (left <= 0 || (join && (!(state & OPEN) || helpers_of(state) >= wanted))) return false;
    int64_t share = left / (2 * ((int64_t)wanted + 1)), count = NR_MIN(NR_MAX(share, NR_MAX(least, 1)), most);
    count = NR_MAX(NR_MIN(count, left), 1);
    bool from_end = is_helper && (state & FROM_END);
    *out_begin = from_end ? end_of(state) - count : next_of(state);
    *out_end = *out_begin + count;
    after = from_end ? state + join - (uint64_t)count : state + join + (uint64_t)count * NEXT;
  } while (!atomic_compare_exchange_weak_explicit(&slot->state, &state, after, memory_order_acq_rel,
                                                  memory_order_relaxed));
  return true;
}

static void take_all(Slot *slot) {
  uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(
      &slot->state, &state, state + (uint64_t)left_of(state) * NEXT, memory_order_relaxed,
      memory_order_relaxed)) {}
}

/* Walks the chunk and further ones until none is left. Returns how many workgroups that were. */
static int64_t walk_chunks(Slot *slot, Job *job, bool is_helper, int64_t begin, int64_t end) {
  int64_t done = 0;
  do {
    int64_t from = job->first + begin * job->unit, to = NR_MIN(job->first + end * job->unit, job->total);
    if (!walk(job, from, to)) take_all(slot);
    done += to - from;
  } while (take(slot, is_helper, 0, &begin, &end));
  return done;
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

/* Each helper that joins wakes up to two more, so that the caller need not wake all of them one after the other. False:
 * none had to be woken. */
static bool wake_some(NrPool *pool, int32_t count) {
  int32_t sleeping = atomic_load(&pool->sleeping);
  count = NR_MIN(NR_MIN(count, 2), sleeping);
  if (count > 0) wake(&pool->published, count);
  return count > 0;
}

static void leave(Slot *slot) {
  uint64_t before = atomic_fetch_sub(&slot->state, HELPER);
  if ((before & OPEN) || helpers_of(before) > 1 || !atomic_load(&slot->awaited)) return;
  atomic_fetch_add(&slot->left, 1);
  wake(&slot->left, 1);
}

/* Takes part in the newest job that wants help: one that a workgroup of another waits for. */
static bool help(NrPool *pool) {
  int64_t begin, end;
  for (int i = SLOTS; i-- > 0;) {
    Slot *slot = &pool->slots[i];
    if (!(atomic_load_explicit(&slot->state, memory_order_relaxed) & OPEN)) continue;
    if (!take(slot, true, HELPER, &begin, &end)) continue;
    if (atomic_load_explicit(&slot->joined, memory_order_relaxed) == 0)
      atomic_store_explicit(&slot->joined, nr_now_ns(), memory_order_relaxed);
    unsigned forks = atomic_load_explicit(&pool->forks, memory_order_relaxed);
    uint64_t state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    int32_t more = atomic_load_explicit(&slot->wanted, memory_order_relaxed) - helpers_of(state);
    if (more > 0 && left_of(state) > 0) wake_some(pool, more);
    walk_chunks(slot, slot->job, true, begin, end);
    /* A workgroup forked, and this is the child: the pool begins anew, without this thread. */
    if (atomic_load_explicit(&pool->forks, memory_order_relaxed) != forks) pthread_exit(NULL);
    leave(slot);
    return true;
  }
  return false;
}

static void look_for_work(NrPool *pool, unsigned seen) {
  atomic_fetch_add_explicit(&pool->looking, 1, memory_order_relaxed);
  int64_t until = nr_now_ns() + LOOK_NS;
  bool found = false;
  do {
    for (int i = 0; i < PAUSES && !found; i++) {
      nr_relax();
      found = atomic_load_explicit(&pool->published, memory_order_relaxed) != seen;
    }
  } while (!found && nr_now_ns() < until);
  atomic_fetch_sub_explicit(&pool->looking, 1, memory_order_relaxed);
  if (found) return;
  /* Either the caller that publishes sees a sleeper, or the futex sees that something was published. */
  atomic_fetch_add(&pool->sleeping, 1);
  if (!atomic_load(&pool->quit)) sleep_on(&pool->published, seen);
  atomic_fetch_sub(&pool->sleeping, 1);
}

static void *thread_main(void *user) {
  NrPool *pool = user;
  while (!atomic_load(&pool->quit)) {
    unsigned seen = atomic_load(&pool->published);
    if (!help(pool)) look_for_work(pool, seen);
  }
  return NULL;
}

int nr_thread_start(pthread_t *out_thread, void *(*body)(void *), void *user) {
  /* Signals are for the threads of the embedding program. */
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int failed = pthread_create(out_thread, NULL, body, user);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return failed;
}

/* Fewer than wanted is fine when the system gives no more. */
static void start_helpers(NrPool *pool, int32_t wanted) {
  if (atomic_load_explicit(&pool->started, memory_order_relaxed) >= wanted ||
      atomic_load_explicit(&pool->refused, memory_order_relaxed))
    return;
  pthread_mutex_lock(&pool->starting);
  int32_t count = atomic_load_explicit(&pool->started, memory_order_relaxed);
  for (; count < wanted; count++) {
    if (nr_thread_start(&pool->ids[count], thread_main, pool)) {
      atomic_store_explicit(&pool->refused, true, memory_order_relaxed);
      break;
    }
  }
  atomic_store_explicit(&pool->started, count, memory_order_relaxed);
  pthread_mutex_unlock(&pool->starting);
}

/* ---- the pool ---------------------------------------------------------------------------------------------------- */

NrPool *nr_pool_create(int32_t threads) {
  size_t size = sizeof(NrPool) + (size_t)threads * sizeof(pthread_t);
  NrPool *pool = aligned_alloc(_Alignof(NrPool), (size + _Alignof(NrPool) - 1) / _Alignof(NrPool) * _Alignof(NrPool));
  if (!pool) return NULL;
  memset(pool, 0, size);
  pool->threads = threads;
  if (pthread_mutex_init(&pool->starting, NULL) == 0) return pool;
  free(pool);
  return NULL;
}

void nr_pool_destroy(NrPool *pool) {
  if (!pool) return;
  atomic_store(&pool->quit, true);
  atomic_fetch_add(&pool->published, 1);
  wake(&pool->published, INT32_MAX);
  for (int32_t i = 0; i < atomic_load(&pool->started); i++) pthread_join(pool->ids[i], NULL);
  pthread_mutex_destroy(&pool->starting);
  free(pool);
}

void nr_pool_lock(NrPool *pool) { pthread_mutex_lock(&pool->starting); }

/* Of the jobs, only the caller's own are left in the child: those of lost threads lie on lost stacks. What the helpers
 * of its own held will never be done. */
static void lose_threads(NrPool *pool) {
  for (int i = 0; i < SLOTS; i++) {
    Slot *slot = &pool->slots[i];
    uint64_t state = atomic_load(&slot->state);
    bool own = pthread_equal(atomic_load(&slot->owner), pthread_self());
    if (own && helpers_of(state) > 0) slot->job->is_torn = true;
    atomic_store(&slot->state, own ? state - (uint64_t)helpers_of(state) * HELPER : 0);
    if (!own) atomic_store(&slot->owner, (pthread_t)0);
    atomic_store(&slot->awaited, false);
  }
  atomic_store(&pool->started, 0);
  atomic_store(&pool->looking, 0);
  atomic_store(&pool->sleeping, 0);
  atomic_store(&pool->refused, false);
  atomic_fetch_add(&pool->forks, 1);
}

void nr_pool_unlock(NrPool *pool, bool in_child) {
  if (in_child) lose_threads(pool);
  pthread_mutex_unlock(&pool->starting);
}

/* ---- sharing a job ----------------------------------------------------------------------------------------------- */

static Slot *claim_slot(NrPool *pool) {
  for (int i = 0; i < SLOTS; i++) {
    pthread_t nobody = 0;
    if (atomic_load_explicit(&pool->slots[i].owner, memory_order_relaxed) == nobody &&
        atomic_compare_exchange_strong_explicit(&pool->slots[i].owner, &nobody, pthread_self(), memory_order_acquire,
                                                memory_order_relaxed))
      return &pool->slots[i];
  }
  return NULL;
}

/* The helpers that a job of this time is worth. */
static int32_t count_helpers(const NrPool *pool, const Job *job, double work_ns) {
  int64_t wanted = NR_MIN((int64_t)pool->threads, job->total - job->first) - 1;
  if (work_ns > 0 && work_ns < (double)wanted * NR_HELPER_NS) wanted = (int64_t)(work_ns / NR_HELPER_NS);
  return (int32_t)NR_MAX(wanted, 1);
}

/* each: time of a workgroup, 0 when that is not known. Returns whether a helper was woken. */
static bool publish(NrPool *pool, Slot *slot, Job *job, int32_t wanted, double each) {
  int64_t rest = job->total - job->first;
  job->unit = rest / MOST_UNITS + 1;
  uint64_t units = (uint64_t)((rest + job->unit - 1) / job->unit);
  double unit_ns = each * (double)job->unit;
  slot->job = job;
  atomic_store_explicit(&slot->wanted, wanted, memory_order_relaxed);
  atomic_store_explicit(&slot->least, unit_ns > 0 ? (int64_t)(NR_LEAST_CHUNK_NS / unit_ns) : 1, memory_order_relaxed);
  atomic_store_explicit(&slot->most, unit_ns > 0 ? (int64_t)(NR_CHUNK_NS / unit_ns) + 1 : MOST_UNITS,
                        memory_order_relaxed);
  atomic_store_explicit(&slot->joined, 0, memory_order_relaxed);
  atomic_store_explicit(&slot->state, OPEN | (job->in_order ? 0 : FROM_END) | units, memory_order_release);
  atomic_fetch_add(&pool->published, 1);
  start_helpers(pool, wanted);
  return wake_some(pool, wanted - atomic_load_explicit(&pool->looking, memory_order_relaxed));
}

/* Nobody joins any more; returns when those inside have left. */
static void retract(Slot *slot) {
  uint64_t state = atomic_fetch_and_explicit(&slot->state, ~OPEN, memory_order_acquire);
  if (helpers_of(state) > 0) {
    int64_t until = nr_now_ns() + AWAIT_NS;
    do {
      for (int i = 0; i < PAUSES && helpers_of(state) > 0; i++) {
        nr_relax();
        state = atomic_load_explicit(&slot->state, memory_order_acquire);
      }
    } while (helpers_of(state) > 0 && nr_now_ns() < until);
    atomic_store(&slot->awaited, true);
    for (;;) {
      unsigned left = atomic_load(&slot->left);
      if (helpers_of(atomic_load(&slot->state)) == 0) break;
      sleep_on(&slot->left, left);
    }
    atomic_store(&slot->awaited, false);
  }
  atomic_store_explicit(&slot->owner, (pthread_t)0, memory_order_release);
}

/* Processor time of this thread: unlike that of a clock it does not grow while others have the CPU. */
static int64_t thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The work from which on helpers pay. */
static double worth_sharing(NrPool *pool) {
  return atomic_load_explicit(&pool->looking, memory_order_relaxed) ? NR_ALONE_NS : nr_wake_worth(&pool->wake_cost);
}

/* Notes how long it took to wake a helper: the call, which this thread made, and what passed until the helper began; or
 * until the end of the job, which it missed. */
static void learn_wake(NrPool *pool, Slot *slot, int64_t begun, int64_t published, int64_t ended) {
  int64_t joined = atomic_load_explicit(&slot->joined, memory_order_relaxed);
  nr_wake_learn(&pool->wake_cost, published - begun + (joined ? NR_MAX(joined - begun, 0) : ended - begun));
}

/* Walks the job from job->first on with helpers. */
static void walk_shared(NrPool *pool, Job *job, NrPace *pace, double each) {
  Slot *slot = claim_slot(pool);
  int64_t begin, end, done = 0, rest = job->total - job->first;
  if (!slot) {
    walk(job, job->first, job->total);
    return;
  }
  NrExec *e = job->exec;
  bool by_pace = each > 0 && each * (double)rest < NR_SHORT_NS && !nr_pace_is_doubtful(pace);
  int64_t begun = nr_now_ns();
  atomic_fetch_add_explicit(&e->parallel, 1, memory_order_relaxed);
  bool woke = publish(pool, slot, job, count_helpers(pool, job, each * (double)rest), each);
  int64_t published = nr_now_ns(), busy = by_pace ? 0 : thread_ns();
  if (take(slot, false, 0, &begin, &end)) done = walk_chunks(slot, job, false, begin, end);
  int64_t walked = nr_now_ns();
  busy = by_pace ? walked - published : thread_ns() - busy;
  if (woke) learn_wake(pool, slot, begun, published, walked);
  retract(slot);
  atomic_fetch_sub_explicit(&e->parallel, 1, memory_order_relaxed);
  if (!done || atomic_load_explicit(&job->result, memory_order_relaxed)) return;
  double own = (double)(walked - published) / (double)done, alone = (double)busy / (double)done * (double)rest;
  nr_pace_learn(pace, own);
  if (by_pace && own >= 2 * each) nr_pace_doubt(pace);
  else nr_balance_add(&pool->balance, alone - (double)(nr_now_ns() - begun));
}

/* Walks alone, for as long as that is not known to be more than a helper is worth. Returns the first workgroup that is
 * left to be shared; job->total when all is done. */
static int64_t walk_alone(NrPool *pool, Job *job, NrPace *pace, double each) {
  double expected = each * (double)job->total;
  if (each > 0 && expected < NR_HELPER_NS && !nr_pace_watch(pace)) {
    walk(job, 0, job->total);
    nr_balance_pay(&pool->balance, expected);
    return job->total;
  }
  int64_t at = 0, begun = nr_now_ns();
  double spent;
  for (;;) {
    int64_t left = job->total - at, batch = 1;
    if (each * (double)left < NR_HELPER_NS && each > 0) batch = left;
    else if (each > 0 && each < NR_HELPER_NS) batch = NR_MIN((int64_t)(NR_HELPER_NS / each) + 1, left);
    if (!walk(job, at, at + batch)) return job->total;
    at += batch;
    spent = (double)(nr_now_ns() - begun);
    each = spent / (double)at;
    double rest = each * (double)(job->total - at);
    if (at == job->total || (spent >= NR_HELPER_NS && rest >= worth_sharing(pool) &&
                             nr_balance_allows(&pool->balance, rest)))
      break;
  }
  nr_pace_learn(pace, each);
  nr_balance_pay(&pool->balance, spent);
  return at;
}

static bool is_worth_sharing(NrPool *pool, NrPace *pace, double each, int64_t total) {
  double work = each * (double)total;
  if (!nr_balance_allows(&pool->balance, work)) return false;
  if (each <= 0) return pace != NULL; /* the first time: it costs little once, and a few long workgroups gain much */
  double least = worth_sharing(pool);
  if (work < least && work >= NR_ALONE_NS) nr_wake_forget(&pool->wake_cost);
  return work >= least;
}

static void dispatch_on(NrPool *pool, Job *job) {
  NrPace *pace = nr_pace_find(pool->paces, job->fn);
  double each = nr_pace_each(pace);
  if (!is_worth_sharing(pool, pace, each, job->total)) {
    job->first = walk_alone(pool, job, pace, each);
    each = nr_pace_each(pace);
  }
  if (job->first < job->total) walk_shared(pool, job, pace, each);
}

int32_t nr_api_dispatch(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z) {
  NrExec *e = nr_exec(exec);
  NrPool *pool = atomic_load_explicit(&e->program, memory_order_relaxed)->pool;
  int64_t total;
  if (x <= 0 || y <= 0 || z <= 0) return 0;
  if (!nr_mul_i64(x, y, &total) || !nr_mul_i64(total, z, &total) || total > INT64_MAX / 2)
    return nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a grid of %lld x %lld x %lld workgroups", (long long)x,
                        (long long)y, (long long)z);
  if (total == 1) return nr_exec_failed_or_stopped(e, call(e, fn, args, 0, 0, 0));
  Job job = {.exec = e, .fn = fn, .args = args, .x = x, .y = y, .total = total, .in_order = z > 1};
  if (pool) dispatch_on(pool, &job);
  else walk(&job, 0, total);
  if (job.is_torn)
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "a workgroup called fork() while other threads ran the same grid");
  return nr_exec_failed_or_stopped(e, atomic_load_explicit(&job.result, memory_order_relaxed));
}
