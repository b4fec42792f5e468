/* pool.c - the thread pool that walks workgroup grids.
 *
 * A dispatch is a job on its caller's stack. The caller walks the grid itself; idle threads join by taking chunks of
 * workgroups from the job's counter. So a dispatch inside a workgroup cannot deadlock: its caller alone can finish
 * it. */
#include "runtime/internal.h"

#include <signal.h>
#include <stdlib.h>

typedef struct Job {
  NrExec *exec;
  NoriaWorkgroupFn fn;
  const void *args;
  int64_t x, y, total, chunk;
  _Atomic int64_t next; /* first workgroup that nobody took */
  atomic_int result;
  pthread_t caller;
  int helpers; /* threads inside, besides the caller; under the pool's lock */
  struct Job *prev_job, *next_job;
} Job;

struct NrPool {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  Job *jobs;            /* newest first */
  atomic_uint published; /* counts jobs, so that idle threads can look without the lock */
  int32_t threads, started, sleeping;
  atomic_bool quit;
  pthread_t ids[];
};

/* How often an idle thread looks for work before it sleeps: some ten microseconds, the price of waking it. */
enum { SPINS = 500, CHUNKS_PER_THREAD = 8 };

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int32_t call(NrExec *e, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z) {
  return e->sanitizer ? nr_sanitize_workgroup(e, fn, args, x, y, z) : fn(&e->pub, args, x, y, z);
}

/* Runs workgroups until none is left, or one fails, or the run is to stop: what stopped it is recorded by the thread
 * that dispatched, which knows the place for the message. */
static void walk(Job *job) {
  NrExec *e = job->exec;
  for (;;) {
    int64_t begin = atomic_fetch_add_explicit(&job->next, job->chunk, memory_order_relaxed);
    if (begin >= job->total) return;
    int64_t end = NR_MIN(begin + job->chunk, job->total);
    int64_t x = begin % job->x, y = begin / job->x % job->y, z = begin / job->x / job->y;
    for (int64_t i = begin; i < end; i++) {
      bool stops = __atomic_load_n(&e->pub.stop, __ATOMIC_RELAXED) != 0;
      int32_t result = stops ? 1 : call(e, job->fn, job->args, x, y, z);
      if (result) {
        atomic_store_explicit(&job->result, result, memory_order_relaxed);
        atomic_store_explicit(&job->next, job->total, memory_order_relaxed);
        return;
      }
      if (++x == job->x) {
        x = 0;
        if (++y == job->y) y = 0, z++;
      }
    }
  }
}

static Job *find_work(NrPool *pool) {
  for (Job *job = pool->jobs; job; job = job->next_job)
    if (atomic_load_explicit(&job->next, memory_order_relaxed) < job->total) return job;
  return NULL;
}

static void *thread_main(void *user) {
  NrPool *pool = user;
  pthread_mutex_lock(&pool->lock);
  while (!atomic_load_explicit(&pool->quit, memory_order_relaxed)) {
    Job *job = find_work(pool);
    if (job) {
      job->helpers++;
      pthread_mutex_unlock(&pool->lock);
      walk(job);
      pthread_mutex_lock(&pool->lock);
      if (--job->helpers == 0) pthread_cond_broadcast(&pool->done);
      continue;
    }
    unsigned seen = atomic_load_explicit(&pool->published, memory_order_relaxed);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < SPINS && atomic_load_explicit(&pool->published, memory_order_relaxed) == seen; i++) relax();
    pthread_mutex_lock(&pool->lock);
    if (atomic_load_explicit(&pool->published, memory_order_relaxed) == seen &&
        !atomic_load_explicit(&pool->quit, memory_order_relaxed)) {
      pool->sleeping++;
      pthread_cond_wait(&pool->work, &pool->lock);
      pool->sleeping--;
    }
  }
  pthread_mutex_unlock(&pool->lock);
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

NrPool *nr_pool_create(int32_t threads) {
  NrPool *pool = calloc(1, sizeof(NrPool) + (size_t)threads * sizeof(pthread_t));
  if (!pool) return NULL;
  pool->threads = threads;
  if (pthread_mutex_init(&pool->lock, NULL)) goto no_lock;
  if (pthread_cond_init(&pool->work, NULL)) goto no_work;
  if (pthread_cond_init(&pool->done, NULL)) goto no_done;
  return pool;
no_done:
  pthread_cond_destroy(&pool->work);
no_work:
  pthread_mutex_destroy(&pool->lock);
no_lock:
  free(pool);
  return NULL;
}

void nr_pool_destroy(NrPool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  atomic_store_explicit(&pool->quit, true, memory_order_relaxed);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (int32_t i = 0; i < pool->started; i++) pthread_join(pool->ids[i], NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

void nr_pool_lock(NrPool *pool) { pthread_mutex_lock(&pool->lock); }

/* Of the jobs, only the caller's own are left in the child: those of lost threads lie on lost stacks. */
static void lose_threads(NrPool *pool) {
  Job *kept = NULL, **end = &kept;
  for (Job *job = pool->jobs, *prev = NULL; job; job = job->next_job) {
    if (!pthread_equal(job->caller, pthread_self())) continue;
    job->helpers = 0;
    job->prev_job = prev;
    *end = prev = job;
    end = &job->next_job;
  }
  *end = NULL;
  pool->jobs = kept;
  pool->started = pool->sleeping = 0;
  /* Threads of the parent may wait for these. */
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
}

void nr_pool_unlock(NrPool *pool, bool in_child) {
  if (in_child) lose_threads(pool);
  pthread_mutex_unlock(&pool->lock);
}

static void publish(NrPool *pool, Job *job) {
  pthread_mutex_lock(&pool->lock);
  /* The caller is one of the threads. Fewer than asked for is fine when the system gives no more. */
  while (pool->started < pool->threads - 1 &&
         nr_thread_start(&pool->ids[pool->started], thread_main, pool) == 0)
    pool->started++;
  job->next_job = pool->jobs;
  if (pool->jobs) pool->jobs->prev_job = job;
  pool->jobs = job;
  atomic_fetch_add_explicit(&pool->published, 1, memory_order_relaxed);
  int64_t wake = NR_MIN((int64_t)pool->sleeping, job->total - 1);
  for (int64_t i = 0; i < wake; i++) pthread_cond_signal(&pool->work);
  pthread_mutex_unlock(&pool->lock);
}

static void retract(NrPool *pool, Job *job) {
  pthread_mutex_lock(&pool->lock);
  *(job->prev_job ? &job->prev_job->next_job : &pool->jobs) = job->next_job;
  if (job->next_job) job->next_job->prev_job = job->prev_job;
  while (job->helpers > 0) pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
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
  Job job = {.exec = e, .fn = fn, .args = args, .x = x, .y = y, .total = total, .chunk = total,
             .caller = pthread_self()};
  if (pool) job.chunk = NR_MAX(total / ((int64_t)pool->threads * CHUNKS_PER_THREAD), 1);
  if (pool) {
    atomic_fetch_add_explicit(&e->parallel, 1, memory_order_relaxed);
    publish(pool, &job);
  }
  walk(&job);
  if (pool) {
    retract(pool, &job);
    atomic_fetch_sub_explicit(&e->parallel, 1, memory_order_relaxed);
  }
  return nr_exec_failed_or_stopped(e, atomic_load_explicit(&job.result, memory_order_relaxed));
}
