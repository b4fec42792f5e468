/* guard.h - how a call into the library ends that cannot go on: at its door, with a status, and with its memory freed.
 *
 * A library must not end its host. So the doors (functions of the C API, main of the tool, threads that compile) run
 * their work under nr_guard_run. An assert that fails, memory that is not to be had, a limit that is passed and an
 * interrupt raise a fault, which ends the guarded call from wherever it is (longjmp; no other code uses it). Work that
 * is abandoned so cleans up nothing by itself: what it allocated is on the list of its heap, files and maps that it
 * holds are in NrHolds of the heap, and nr_heap_destroy frees all of them. Locks are not held where a fault can be
 * raised: what takes one neither allocates nor asserts inside.
 *
 * Where no guard is set (unit tests that call inside functions), a fault prints its message and aborts. */
#ifndef NORIA_BASE_GUARD_H
#define NORIA_BASE_GUARD_H

#include <setjmp.h>
#include <stdatomic.h>

#include "base/base.h"

/* ---- heaps ------------------------------------------------------------------------------------------------------ */

/* What compiling may take. */
typedef struct NrLimits {
  int64_t memory; /* bytes; 0: half of what the machine or its control group has; negative: none */
  double time_s;  /* 0: none */
} NrLimits;

/* What one call of the library allocated, through nr_malloc and its kin, and what it may take. One thread at a time. */
typedef struct NrHeap NrHeap;
NrHeap *nr_heap_create(const NrLimits *limits, bool interruptible); /* NULL without memory; limits NULL: the defaults */
void nr_heap_limit(NrHeap *heap, const NrLimits *limits);            /* other limits, the time counted from now */
void nr_heap_settle(NrHeap *heap); /* the work is done: no limits, no interrupts for what is done with it from now on */
/* The heap of the guard that the calling thread is in; NULL: blocks are on no list. */
NrHeap *nr_heap_current(void);
/* Ends the holds and frees all that is left in it, once all who retained it have called this. */
void nr_heap_destroy(NrHeap *heap);
void nr_heap_retain(NrHeap *heap);
/* After work that freed what it took: frees the record only. A block that is left is now on no list; it is a leak
 * unless somebody still has it. NULL is fine. */
void nr_heap_close(NrHeap *heap);
int64_t nr_heap_bytes(const NrHeap *heap);
/* Makes the work on the heap, which another thread does, end at its next poll. */
void nr_heap_abandon(NrHeap *heap);

/* Something that is not memory and must be given back when the work is abandoned: a file, a map. Make the hold first,
 * then set what, so that nothing can fail in between; nr_hold_end forgets what without dropping it. */
typedef struct NrHold {
  struct NrHold *prev, *next;
  NrHeap *heap;
  void (*drop)(void *what);
  void *what; /* NULL: nothing yet */
} NrHold;
NrHold *nr_hold(void (*drop)(void *what));
void nr_hold_end(NrHold *hold); /* NULL is fine */

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
    const char *step; /* "reading", or a pass's name; static; NULL: not said */
    bool is_pass;
    const void *at; /* the NrLoc of what it is done to, or NULL */
  } doing;
  uint32_t polls;
  jmp_buf recovery;
} NrDoor;

/* Of the calling thread. initial-exec: code creation and walks read it for each op. */
extern _Thread_local NrDoor *nr_guard_now __attribute__((tls_model("initial-exec")));

/* Calls body(user), whose allocations go to heap. False when a fault ended it; *out_fault then says which. The heap
 * stays the caller's in both cases. heap NULL: allocations are on no list, and leak when body is abandoned. */
bool nr_guard_run(NrHeap *heap, void (*body)(void *user), void *user, NrFault *out_fault);

/* Ends the guarded call. The message is what went wrong; the step and the place are added. */
_Noreturn void nr_raise(NrStatus status, const char *format, ...) NR_PRINTF(2, 3);
/* Ends the guarded call with a fault that another thread's guard caught. */
_Noreturn void nr_raise_fault(const NrFault *fault);

/* Says what is being done, for messages; returns what was said before, for nr_guard_done to say again. */
typedef struct NrDoing NrDoing;
NrDoing nr_guard_step(const char *step, bool is_pass);
void nr_guard_done(NrDoing before);
static inline void nr_guard_at(const void *loc) {
  if (nr_guard_now) nr_guard_now->doing.at = loc;
}
/* How an NrLoc is written; set by the context. Must neither allocate nor fail. */
typedef void (*NrPlaceFn)(const void *loc, char *out, size_t size);
void nr_guard_set_place(NrPlaceFn place);

/* ---- being stopped ---------------------------------------------------------------------------------------------- */

/* Counts the interrupts that there were. Signal handlers add to it. */
extern atomic_uint nr_interrupts;

void nr_poll_slow(void);
/* Raises a fault when the work is to stop: interrupted, abandoned, out of time. Work that takes long calls it at least
 * once in some microseconds; allocating, creating and erasing ops and walks over ops do so. */
static inline void nr_poll(void) {
  enum { EACH = 64 };
  NrDoor *guard = nr_guard_now;
  if (guard && ++guard->polls % EACH == 0) nr_poll_slow();
}
/* Why the work on heap is to stop; false: it is not. text: NR_FAULT_TEXT bytes. */
bool nr_heap_must_stop(NrHeap *heap, NrStatus *out_status, char *text);
/* The limit that the heap has, in bytes, INT64_MAX for none. */
int64_t nr_heap_memory_limit(NrHeap *heap);
_Noreturn void nr_raise_memory_limit(NrHeap *heap);
/* "1.5 GiB", in out, which it returns. */
enum { NR_BYTES_TEXT = 40 };
const char *nr_bytes_in_words(int64_t bytes, char *out);

/* Bytes that the machine has, or the control group that the process is in. */
int64_t nr_machine_memory(void);
/* CPUs that the process may use: of its affinity and, rounded up, of the CPU quota of its control group. At least 1. */
int32_t nr_machine_cpus(void);
/* The quota alone; INT32_MAX where there is none. groups_file is like /proc/self/cgroup, root like /sys/fs/cgroup. */
int32_t nr_machine_quota(const char *groups_file, const char *root);

/* ---- faults for tests ------------------------------------------------------------------------------------------- */

/* Raises a fault that would not come by itself. For tests, which run one call at a time. */
typedef struct NrInjection {
  const char *step;  /* as nr_guard_step is told; NULL: none */
  NrStatus status;   /* there: NR_ERROR_INTERNAL, or NR_ERROR_MEMORY, which makes its next allocation fail */
  size_t allocation; /* the allocation of this number fails, counted down from when it is set; 0: none */
  size_t steps, hits; /* how many steps there were, and how many faults */
} NrInjection;
extern NrInjection nr_injection;

#endif
