/* _signals.c - Ctrl-C during long calls, whatever handler the program has installed by then.
 *
 * Python's own handlers end what is running: default_int_handler, and that of asyncio.run, which only cancels the main
 * task, and a call that blocks the task would never notice. With them, a handler below Python's in C interrupts the
 * runs of all threads at once, and the call in the main thread raises KeyboardInterrupt.
 *
 * A handler that the program wrote decides by itself: if it raises, the call ends with that exception, else it goes on.
 * Python runs handlers in its main thread only, so there the work is done by a thread beside it, and the main thread
 * waits and looks for signals. That costs about 20 us a call, and only programs with such a handler. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "_signals.h"
#include "noria/noria.h"

enum { LOOK_NS = 50000000 }; /* the main thread looks for signals so often */

typedef enum Handler { HANDLER_NONE, HANDLER_ENDS, HANDLER_OWN } Handler;

static PyObject *getsignal;
static unsigned long main_thread;
static void (*python_handler)(int);

static void interrupt(int number) {
  noria_interrupt_all();
  python_handler(number);
}

static bool is_named(PyObject *object, const char *attribute, const char *name) {
  PyObject *value = object ? PyObject_GetAttrString(object, attribute) : NULL;
  bool same = value && PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, name) == 0;
  Py_XDECREF(value);
  PyErr_Clear();
  return same;
}

static Handler classify(PyObject *handler) {
  if (!handler || !PyCallable_Check(handler)) return HANDLER_NONE; /* SIG_DFL, SIG_IGN, or not known to Python */
  if (is_named(handler, "__name__", "default_int_handler")) return HANDLER_ENDS;
  PyObject *method = PyObject_GetAttrString(handler, "func"); /* asyncio's is a partial of a method of its Runner */
  PyErr_Clear();
  bool asyncio = is_named(method, "__module__", "asyncio.runners");
  Py_XDECREF(method);
  return asyncio ? HANDLER_ENDS : HANDLER_OWN;
}

/* What SIGINT means now. signal.signal puts Python's handler in C in the place of ours, which so stands only where it
 * was installed under a handler that ends the run. */
static Handler look_at_handler(void) {
  struct sigaction old, fresh = {0};
  if (sigaction(SIGINT, NULL, &old) || (old.sa_flags & SA_SIGINFO)) return HANDLER_NONE;
  if (old.sa_handler == interrupt) return HANDLER_ENDS;
  if (old.sa_handler == SIG_IGN || old.sa_handler == SIG_DFL) return HANDLER_NONE;
  PyObject *handler = PyObject_CallFunction(getsignal, "i", SIGINT);
  PyErr_Clear();
  Handler kind = classify(handler);
  Py_XDECREF(handler);
  if (kind != HANDLER_ENDS) return kind;
  python_handler = old.sa_handler;
  fresh.sa_handler = interrupt;
  fresh.sa_mask = old.sa_mask;
  fresh.sa_flags = old.sa_flags;
  sigaction(SIGINT, &fresh, NULL);
  return kind;
}

/* ---- work beside the main thread ---- */

typedef struct Beside {
  void (*work)(void *user);
  void *user;
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool done;
} Beside;

static void *work_beside(void *user) {
  Beside *b = user;
  b->work(b->user);
  pthread_mutex_lock(&b->lock);
  b->done = true;
  pthread_cond_signal(&b->ended);
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* The thread takes no signals: they are for the main thread. */
static bool start(Beside *b, pthread_t *out_thread) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int failed = pthread_create(out_thread, NULL, work_beside, b);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return !failed;
}

static bool wait_a_moment(Beside *b) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += LOOK_NS;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
  pthread_mutex_lock(&b->lock);
  int result = 0;
  while (!b->done && !result) result = pthread_cond_timedwait(&b->ended, &b->lock, &until);
  bool done = b->done;
  pthread_mutex_unlock(&b->lock);
  return done;
}

static bool run_beside(Beside *b, void (*stop)(void *user)) {
  pthread_t thread;
  bool done = false, raised = false;
  if (!start(b, &thread)) { /* then signals wait until the end */
    Py_BEGIN_ALLOW_THREADS
    b->work(b->user);
    Py_END_ALLOW_THREADS
    return true;
  }
  while (!done) {
    Py_BEGIN_ALLOW_THREADS
    done = wait_a_moment(b);
    if (done) pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS
    raised = raised || PyErr_CheckSignals();
    if (raised && !done) stop(b->user);
  }
  return !raised;
}

bool signals_run(void (*work)(void *user), void (*stop)(void *user), void *user) {
  if (look_at_handler() != HANDLER_OWN || PyThread_get_thread_ident() != main_thread) {
    Py_BEGIN_ALLOW_THREADS
    work(user);
    Py_END_ALLOW_THREADS
    return true;
  }
  Beside b = {.work = work, .user = user, .lock = PTHREAD_MUTEX_INITIALIZER};
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&b.ended, &attributes);
  pthread_condattr_destroy(&attributes);
  bool ok = run_beside(&b, stop);
  pthread_cond_destroy(&b.ended);
  pthread_mutex_destroy(&b.lock);
  return ok;
}

bool signals_raise(void) {
  if (PyThread_get_thread_ident() != main_thread) return false;
  if (!PyErr_CheckSignals()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  return true;
}

/* ---- import ---- */

static void after_fork_in_child(void) { main_thread = PyThread_get_thread_ident(); }

bool signals_init(void) {
  PyObject *signals = PyImport_ImportModule("signal"), *threading = PyImport_ImportModule("threading");
  PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
  PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
  getsignal = signals ? PyObject_GetAttrString(signals, "getsignal") : NULL;
  if (ident) main_thread = PyLong_AsUnsignedLong(ident);
  Py_XDECREF(ident);
  Py_XDECREF(thread);
  Py_XDECREF(threading);
  Py_XDECREF(signals);
  if (!getsignal || !ident || PyErr_Occurred()) return false;
  pthread_atfork(NULL, NULL, after_fork_in_child);
  look_at_handler();
  return true;
}
