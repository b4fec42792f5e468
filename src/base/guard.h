/* guard.h - faults: how a call into the library ends when it cannot continue, with a status and its memory freed.
 *
 * A library must not end its host. So every entry point (functions of the C API, main of the tool, threads that
 * compile) runs its work under nr_guard_run. A failed assert, an allocation failure, an exceeded limit and an interrupt
 * raise a fault, which ends the guarded call (by longjmp; no other code uses it). The abandoned work does not clean up:
 * the heap lists what it allocated, and an NrHold each file and mapping that it has open; nr_heap_destroy frees all of
 * them. No lock may be held where a fault can be raised: code inside a lock neither allocates nor asserts.
 *
 * Without a guard (unit tests that call internal functions), a fault prints its message and aborts. */
#ifndef NORIA_BASE_GUARD_H
#define NORIA_BASE_GUARD_H

#include <setjmp.h>
#include <stdatomic.h>

#include "base/base.h"

/* ---- heaps ------------------------------------------------------------------------------------------------------ */

/* Limits of a compilation. */
typedef struct NrLimits {
  int64_t memory; /* bytes; 0: half of what the machine or its control group has; negative: none */
  double time_s;  /* 0: none */
} NrLimits;

/* The allocations (nr_malloc and others) of one call into the library, and its limits. One thread at a time. */
typedef struct NrHeap NrHeap;
NrHeap *nr_heap_create(const NrLimits *limits, bool interruptible); /* NULL without memory; limits NULL: the defaults */
void nr_heap_limit(NrHeap *heap, const NrLimits *limits);            /* sets new limits; the time starts now */
void nr_heap_settle(NrHeap *heap); /* removes the limits and ignores interrupts from now on */
/* The heap of the calling thread's guard; NULL: allocations are not listed. */
NrHeap *nr_heap_current(void);
/* Drops a reference; the last one ends the holds and frees all blocks. */
void nr_heap_destroy(NrHeap *heap);
void nr_heap_retain(NrHeap *heap);
/* Frees the heap's record only, after work that freed its own blocks. Blocks that remain are no longer listed and
 * belong to their owners. NULL is allowed. */
void nr_heap_close(NrHeap *heap);
int64_t nr_heap_bytes(const NrHeap *heap);
/* Makes another thread's work on the heap end at its next nr_poll. */
void nr_heap_abandon(NrHeap *heap);

/* A resource other than memory that is released when the work is abandoned: a file, a mapping. Create the hold first,
 * then set `what`, so that nothing can fail in between; nr_hold_end removes the hold without releasing `what`. */
typedef struct NrHold {
  struct NrHold *prev, *next;
  NrHeap *heap;
  void (*drop)(void *what);
  void *what; /* NULL: nothing yet */
} NrHold;
NrHold *nr_hold(void (*drop)(void *what));
void nr_hold_end(NrHold *hold); /* NULL is allowed */

/* ---- faults ----------------------------------------------------------------------------------------------------- */

enum { NR_FAULT_TEXT = 1000 };
typedef struct NrFault {
  NrStatus status; /* NR_ERROR_INTERNAL, _LIMIT, _MEMORY or _INTERRUPTED */
  char text[NR_FAULT_TEXT];
} NrFault;

typedef struct NrDoor {
  struct NrDoor *outer;
  NrHeap *heap;
  NrFault *fault;
  struct NrDoing {
    const char *step; /* "reading", or a pass's name; static; NULL: unknown */
    bool is_pass;
    const void *at; /* the NrLoc of the op that is processed, or NULL */
  } doing;
  uint32_t polls;
  jmp_buf recovery;
} NrDoor;

/* Of the calling thread. initial-exec, for speed: creating and walking ops reads it for each op. */
extern _Thread_local NrDoor *nr_guard_now __attribute__((tls_model("initial-exec")));

/* Calls body(user), whose allocations go to heap. Returns false when a fault ended it, and sets *out_fault. The caller
 * keeps the heap in both cases. heap NULL: allocations are not listed, and leak after a fault. */
bool nr_guard_run(NrHeap *heap, void (*body)(void *user), void *user, NrFault *out_fault);

/* Ends the guarded call. The step and the place are appended to the message. */
_Noreturn void nr_raise(NrStatus status, const char *format, ...) NR_PRINTF(2, 3);
/* Ends the guarded call with a fault that another thread's guard caught. */
_Noreturn void nr_raise_fault(const NrFault *fault);

/* Sets the current step, for messages; returns the previous one, which nr_guard_done restores. */
typedef struct NrDoing NrDoing;
NrDoing nr_guard_step(const char *step, bool is_pass);
void nr_guard_done(NrDoing before);
static inline void nr_guard_at(const void *loc) {
  if (nr_guard_now) nr_guard_now->doing.at = loc;
}
/* Prints an NrLoc; set by the context. Must neither allocate nor fail. */
typedef void (*NrPlaceFn)(const void *loc, char *out, size_t size);
void nr_guard_set_place(NrPlaceFn place);

/* ---- being stopped ---------------------------------------------------------------------------------------------- */

/* Number of interrupts so far. Signal handlers increment it. */
extern atomic_uint nr_interrupts;

void nr_poll_slow(void);
/* Raises a fault when the work is interrupted, abandoned or out of time. Long work must call it every few microseconds;
 * allocation, creating and erasing ops and walks over ops do so. */
static inline void nr_poll(void) {
  enum { EACH = 64 };
  NrDoor *guard = nr_guard_now;
  if (guard && ++guard->polls % EACH == 0) nr_poll_slow();
}
/* Whether the work on heap must stop, and why. text: NR_FAULT_TEXT bytes. */
bool nr_heap_must_stop(NrHeap *heap, NrStatus *out_status, char *text);
/* The heap's limit in bytes, INT64_MAX for none. */
int64_t nr_heap_memory_limit(NrHeap *heap);
_Noreturn void nr_raise_memory_limit(NrHeap *heap);
/* Writes "1.5 GiB" to out and returns it. */
enum { NR_BYTES_TEXT = 40 };
const char *nr_bytes_in_words(int64_t bytes, char *out);

/* Bytes of memory of the machine, or of the process's control group if that is less. */
int64_t nr_machine_memory(void);
/* CPUs that the process may use: of its affinity and, rounded up, of the CPU quota of its control group. At least 1. */
int32_t nr_machine_cpus(void);
/* The quota alone; INT32_MAX where there is none. groups_file is like /proc/self/cgroup, root like /sys/fs/cgroup. */
int32_t nr_machine_quota(const char *groups_file, const char *root);

/* ---- faults for tests ------------------------------------------------------------------------------------------- */

/* Fault injection, for tests, which run one call at a time. */
typedef struct NrInjection {
  const char *step;  /* the step (nr_guard_step) that fails; NULL: none */
  NrStatus status;   /* NR_ERROR_INTERNAL, or NR_ERROR_MEMORY, which makes the step's next allocation fail */
  size_t allocation; /* counted down; the allocation that makes it 0 fails; 0: none */
  size_t steps, hits; /* numbers of steps and of injected faults */
} NrInjection;
extern NrInjection nr_injection;

#endif
