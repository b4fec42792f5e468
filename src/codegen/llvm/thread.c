/* thread.c - the threads that LLVM runs on.
 *
 * LLVM recurses as deeply as a function has consecutive blocks: 2,500 consecutive loops fill a stack of the usual 8 MB,
 * so it runs on threads with large stacks. And LLVM cannot be stopped in the middle of a pass, so the caller waits on
 * its own thread: when it is interrupted, or exceeds a limit of time or memory, it leaves. The LLVM thread then owns
 * the heap of the call, ends when LLVM returns, and frees everything. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "codegen/llvm/ll.h"

enum {
  STACK_BYTES = 512 << 20, /* address space; memory is committed on use */
  TICK_NS = 10000000,      /* interval at which a waiting caller checks */
  EXIT_WAIT_NS = 100000000,
};

struct NrLlTask {
  void (*run)(void *user);
  void *user;
  NrContext *ctx;
  NrHeap *heap; /* used by the thread while the caller waits; may be NULL */
  NrDiagHandler handler; /* the context's previous handler */
  void *handler_user;
  NrFault fault;
  bool failed;
  pthread_mutex_t lock; /* protects the fields below */
  pthread_cond_t changed;
  bool done, left;
  bool busy_for_caller; /* the caller must not leave now */
};

/* The task that the calling thread works for. */
static _Thread_local NrLlTask *current;

/* The signals of a thread that crashes. */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

bool nr_ll_start_thread(pthread_t *out_thread, void *(*run)(void *user), void *user) {
  pthread_attr_t attr;
  sigset_t blocked, old;
  if (pthread_attr_init(&attr)) return false;
  /* Signals to the process are delivered to the threads of the embedding program. A thread's own crash is not blocked:
   * the kernel would end the process without calling the handler. */
  sigfillset(&blocked);
  for (size_t i = 0; i < NR_COUNTOF(crashes); i++) sigdelset(&blocked, crashes[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  bool started = !pthread_attr_setstacksize(&attr, STACK_BYTES) && !pthread_create(out_thread, &attr, run, user);
  started = started || !pthread_create(out_thread, NULL, run, user);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
  return started;
}

/* ---- process exit ------------------------------------------------------------------------------------------------ */

/* Threads whose caller left may still run when the process exits and LLVM's destructors free what they use. They get
 * some time to end. One that crashes meanwhile is parked, so that the exit succeeds. */
static atomic_int num_left;
static atomic_bool exiting;

static _Noreturn void park(void) {
  for (;;) pause();
}

static void park_on_signal(int number) {
  if (current) {
    atomic_fetch_sub(&num_left, 1);
    park();
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void at_exit(void) {
  atomic_store(&exiting, true);
  for (size_t i = 0; atomic_load(&num_left) > 0 && i < NR_COUNTOF(crashes); i++) {
    struct sigaction before, park_it = {.sa_handler = park_on_signal};
    if (sigaction(crashes[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(crashes[i], &park_it, NULL);
  }
  int64_t until = nr_now_ns() + EXIT_WAIT_NS;
  while (atomic_load(&num_left) > 0 && nr_now_ns() < until)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void register_handler(void) { atexit(at_exit); }

/* Before anything of a caller that leaves is registered: handlers run in reverse, so that callers leave first. */
static void watch_exit(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_handler);
}

/* When a caller leaves: LLVM has registered destructors since the first time, which must run after at_exit. */
static void watch_exit_again(void) {
  enum { MOST_TIMES = 100 }; /* LLVM registers nothing new then, and each time takes memory */
  static atomic_int times;
  if (atomic_fetch_add(&times, 1) < MOST_TIMES) register_handler();
}

/* ---- the thread ------------------------------------------------------------------------------------------------- */

static void run_task(void *user) {
  NrLlTask *task = user;
  nr_guard_step("machine code", false);
  task->run(task->user);
}

static void *thread_main(void *user) {
  NrLlTask *task = user;
  NrHeap *heap = task->heap;
  current = task;
  task->failed = !nr_guard_run(heap, run_task, task, &task->fault);
  pthread_mutex_lock(&task->lock);
  bool left = task->left;
  task->busy_for_caller = false;
  task->done = true;
  pthread_cond_signal(&task->changed);
  pthread_mutex_unlock(&task->lock);
  if (!left) return NULL; /* the caller frees the task */
  if (atomic_load(&exiting)) {
    atomic_fetch_sub(&num_left, 1);
    park();
  }
  nr_heap_destroy(heap); /* frees the task too */
  atomic_fetch_sub(&num_left, 1);
  return NULL;
}

NrLlTask *nr_ll_task(void) { return current; }
void nr_ll_set_task(NrLlTask *task) { current = task; }

static bool begin_for_caller(NrLlTask *task) {
  pthread_mutex_lock(&task->lock);
  bool there = !task->left;
  task->busy_for_caller = there;
  pthread_mutex_unlock(&task->lock);
  return there;
}

static void end_for_caller(NrLlTask *task) {
  pthread_mutex_lock(&task->lock);
  task->busy_for_caller = false;
  pthread_mutex_unlock(&task->lock);
}

void nr_ll_keep_caller(void) {
  if (current && !begin_for_caller(current)) nr_raise(NR_ERROR_INTERRUPTED, "the caller has left");
}
void nr_ll_let_caller_go(void) {
  if (current) end_for_caller(current);
}

bool nr_ll_caller_left(void) {
  if (!current) return false;
  pthread_mutex_lock(&current->lock);
  bool left = current->left;
  pthread_mutex_unlock(&current->lock);
  return left;
}

/* Forwards a diagnostic to the context's handler, which accesses the caller's data, so that the caller must not leave
 * meanwhile. */
static void forward(void *user, const NrDiag *diag) {
  NrLlTask *task = user;
  bool mine = task == current;
  if (!task->handler || (mine && !begin_for_caller(task))) return;
  task->handler(task->handler_user, diag);
  if (mine) end_for_caller(task);
}

/* ---- the caller ------------------------------------------------------------------------------------------------- */

/* The resident memory of the process in bytes. */
static int64_t resident_bytes(void) {
  char text[128];
  long long size, resident = 0;
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return sscanf(text, "%lld %lld", &size, &resident) == 2 ? (int64_t)resident * sysconf(_SC_PAGESIZE) : 0;
}

/* Whether the caller must leave, and why. LLVM does not allocate from the heap: its memory is measured as the growth of
 * the process, which other threads may contribute to. */
static bool must_leave(const NrLlTask *task, int64_t resident, int64_t room, NrFault *out) {
  if (!task->heap) return false;
  if (nr_heap_must_stop(task->heap, &out->status, out->text)) return true;
  if (room == INT64_MAX || resident_bytes() - resident <= room) return false;
  char words[NR_BYTES_TEXT];
  out->status = NR_ERROR_LIMIT;
  snprintf(out->text, sizeof out->text, "compiling takes more memory than the limit of %s",
           nr_bytes_in_words(nr_heap_memory_limit(task->heap), words));
  return true;
}

/* True when the task is done, false when the caller left. */
static bool wait_for(NrLlTask *task, int64_t room, NrFault *out_fault) {
  int64_t resident = room == INT64_MAX ? 0 : resident_bytes();
  pthread_mutex_lock(&task->lock);
  while (!task->done && !task->left) {
    int64_t at = nr_now_ns() + TICK_NS;
    struct timespec until = {at / 1000000000, at % 1000000000};
    pthread_cond_timedwait(&task->changed, &task->lock, &until);
    task->left = !task->done && !task->busy_for_caller && must_leave(task, resident, room, out_fault);
    if (task->left) nr_heap_abandon(task->heap); /* before the thread can find that the caller left */
  }
  bool done = task->done;
  pthread_mutex_unlock(&task->lock);
  return done;
}

static bool init_task(NrLlTask *task) {
  pthread_condattr_t attributes;
  if (pthread_mutex_init(&task->lock, NULL)) return false;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  bool ok = pthread_cond_init(&task->changed, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  if (!ok) pthread_mutex_destroy(&task->lock);
  return ok;
}

static _Noreturn void leave(pthread_t thread, const NrFault *fault) {
  atomic_fetch_add(&num_left, 1);
  watch_exit_again();
  pthread_detach(thread);
  nr_raise(fault->status, "%s", fault->text);
}

void nr_ll_apart(NrContext *ctx, void (*run)(void *user), void *user) {
  NrHeap *heap = nr_heap_current();
  NrLlTask *task = nr_calloc(1, sizeof *task);
  pthread_t thread;
  watch_exit();
  *task = (NrLlTask){.run = run, .user = user, .ctx = ctx, .heap = heap};
  int64_t room = nr_heap_memory_limit(heap);
  if (room != INT64_MAX) room = NR_MAX(room - nr_heap_bytes(heap), 0);
  bool ready = init_task(task);
  nr_context_diag_handler(ctx, &task->handler, &task->handler_user);
  nr_context_set_diag_handler(ctx, forward, task);
  NrDoing before = nr_guard_step("machine code", false);
  if (heap) nr_heap_retain(heap); /* reference for the thread */
  bool started = ready && nr_ll_start_thread(&thread, thread_main, task);
  if (started) {
    NrFault fault;
    if (!wait_for(task, room, &fault)) leave(thread, &fault);
    pthread_join(thread, NULL);
  }
  nr_heap_destroy(heap);
  if (!started) run(user); /* no thread could be started */
  nr_guard_done(before);
  nr_context_set_diag_handler(ctx, task->handler, task->handler_user);
  if (ready) {
    pthread_cond_destroy(&task->changed);
    pthread_mutex_destroy(&task->lock);
  }
  bool failed = task->failed;
  NrFault fault = task->fault;
  nr_free(task);
  if (failed) nr_raise_fault(&fault);
}
