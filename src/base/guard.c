/* guard.c - see guard.h. */
#include "base/guard.h"

#include <stdio.h>
#include <stdlib.h>

_Thread_local NrDoor *nr_guard_now __attribute__((tls_model("initial-exec")));
atomic_uint nr_interrupts;
NrInjection nr_injection;

static _Atomic(NrPlaceFn) place_writer;
void nr_guard_set_place(NrPlaceFn place) { atomic_store_explicit(&place_writer, place, memory_order_relaxed); }

bool nr_guard_run(NrHeap *heap, void (*body)(void *user), void *user, NrFault *out_fault) {
  NrDoor guard = {.outer = nr_guard_now, .heap = heap, .fault = out_fault};
  if (guard.outer) guard.doing = guard.outer->doing;
  *out_fault = (NrFault){.status = NR_OK};
  nr_guard_now = &guard;
  if (_setjmp(guard.recovery) == 0) body(user); /* _setjmp: does not save the signal mask */
  nr_guard_now = guard.outer;
  return out_fault->status == NR_OK;
}

static void inject(const char *step) {
  if (!nr_injection.step || !step) return;
  __atomic_fetch_add(&nr_injection.steps, 1, __ATOMIC_RELAXED); /* LLVM works in several threads */
  if (strcmp(step, nr_injection.step) != 0) return;
  nr_injection.step = NULL; /* once */
  if (nr_injection.status == NR_ERROR_MEMORY) {
    nr_injection.allocation = 1;
    return;
  }
  nr_injection.hits++;
  nr_assert_failed("a test asked for it", __FILE__, __LINE__);
}

NrDoing nr_guard_step(const char *step, bool is_pass) {
  NrDoor *guard = nr_guard_now;
  if (!guard) return (NrDoing){0};
  NrDoing before = guard->doing;
  guard->doing = (NrDoing){step, is_pass, NULL};
  inject(step);
  return before;
}

void nr_guard_done(NrDoing before) {
  if (nr_guard_now) nr_guard_now->doing = before;
}

/* ---- raising ---------------------------------------------------------------------------------------------------- */

/* Without a guard there is no recovery. */
static _Noreturn void die(const char *text) {
  fprintf(stderr, "noria: %s\n", text);
  abort();
}

_Noreturn void nr_raise_fault(const NrFault *fault) {
  NrDoor *guard = nr_guard_now;
  if (!guard) die(fault->text);
  if (guard->fault != fault) *guard->fault = *fault;
  _longjmp(guard->recovery, 1);
}

static size_t put(char *text, size_t at, const char *format, ...) NR_PRINTF(3, 4);
static size_t put(char *text, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text + at, NR_FAULT_TEXT - at, format, args);
  va_end(args);
  return n < 0 ? at : NR_MIN(at + (size_t)n, (size_t)NR_FAULT_TEXT - 1);
}

/* Appends " (pass 'cse', file.mlir:3:5)", or the known part of it. */
static size_t put_where(char *text, size_t at) {
  NrDoing doing = nr_guard_now ? nr_guard_now->doing : (NrDoing){0};
  char place[NR_FAULT_TEXT / 2] = "";
  NrPlaceFn writer = atomic_load_explicit(&place_writer, memory_order_relaxed);
  if (doing.at && writer) writer(doing.at, place, sizeof place);
  if (!doing.step && !*place) return at;
  at = put(text, at, " (");
  if (doing.step) at = put(text, at, doing.is_pass ? "pass '%s'" : "%s", doing.step);
  if (*place) at = put(text, at, "%s%s", doing.step ? ", " : "", place);
  return put(text, at, ")");
}

_Noreturn void nr_raise(NrStatus status, const char *format, ...) {
  NrFault fault = {.status = status};
  va_list args;
  va_start(args, format);
  int n = vsnprintf(fault.text, NR_FAULT_TEXT, format, args);
  va_end(args);
  put_where(fault.text, n < 0 ? 0 : NR_MIN((size_t)n, (size_t)NR_FAULT_TEXT - 1));
  nr_raise_fault(&fault);
}

_Noreturn void nr_assert_failed(const char *what, const char *file, int line) {
  NrFault fault = {.status = NR_ERROR_INTERNAL};
  const char *inside = strstr(file, "/src/"); /* omit the build machine's path */
  size_t at = put(fault.text, 0, "internal error in %s:%d: %s", inside ? inside + 1 : file, line, what);
  at = put_where(fault.text, at);
  put(fault.text, at, "; this is a fault of Noria, not of the program: please report it");
  nr_raise_fault(&fault);
}

_Noreturn void nr_oom(void) { nr_raise(NR_ERROR_MEMORY, "the system has no more memory"); }

/* ---- being stopped ---------------------------------------------------------------------------------------------- */

void nr_poll_slow(void) {
  NrFault fault;
  if (!nr_guard_now || !nr_heap_must_stop(nr_guard_now->heap, &fault.status, fault.text)) return;
  put_where(fault.text, strlen(fault.text));
  nr_raise_fault(&fault);
}
