/* pace.h - what the pool knows about the time that workgroups take, and whether helpers are worth it.
 *
 * The pool measures instead of asking the compiler for an estimate: a measured time already includes the machine, its
 * caches, its load and the sizes of this run. A workgroup function is known after its first dispatch. */
#ifndef NORIA_RUNTIME_PACE_H
#define NORIA_RUNTIME_PACE_H

#include <stdatomic.h>

#include "noria/exec_abi.h"
#include "runtime/error.h"

/* All times are in nanoseconds. */
enum {
  NR_ALONE_NS = 6000,         /* work below this is not shared */
  NR_ALONE_ASLEEP_NS = 50000, /* work from this on is shared also where a helper must be woken, however slow that is */
  NR_SHORT_NS = 200000,       /* work below this is judged without reading the processor time */
  NR_HELPER_NS = 5000,        /* work for each thread at least; the caller looks at the clock as often */
  NR_CHUNK_NS = 100000,       /* a chunk is at most this long: a helper that loses its CPU holds at most one */
  NR_LEAST_CHUNK_NS = 2000,   /* and at least this, so that threads do not fight for the next one */
};

/* Of one workgroup function. Written without a lock: a lost update costs a little time, nothing else. */
typedef struct NrPace {
  _Atomic NoriaWorkgroupFn fn;
  _Atomic double each;   /* time of a workgroup; 0: not known yet */
  atomic_uint unwatched; /* dispatches since the clock was last looked at */
  atomic_uint doubtful;  /* the next so many dispatches are judged by processor time */
} NrPace;

enum { NR_PACES = 1024 };

/* NULL when there is no room for another function. */
NrPace *nr_pace_find(NrPace paces[NR_PACES], NoriaWorkgroupFn fn);
/* Time of a workgroup as known; 0: not known. pace may be NULL here and below. */
double nr_pace_each(NrPace *pace);
/* A measured time of a workgroup. A shorter one is believed at once, a longer one step by step: the thread may have
 * lost its CPU meanwhile. */
void nr_pace_learn(NrPace *pace, double each);
/* True when a short dispatch should look at the clock: now and then. Looking costs 50 ns. */
bool nr_pace_watch(NrPace *pace);

/* Whether short work that was shared is to be judged by the processor time of its caller, which takes up to a
 * microsecond to read, instead of by the known pace. It is for some dispatches after nr_pace_doubt: workgroups took
 * much longer than known, because they were longer or because their thread lost its CPU. */
bool nr_pace_is_doubtful(NrPace *pace);
void nr_pace_doubt(NrPace *pace);

/* What it costs to wake a helper, as measured: the time of the caller's system call, and the time until the helper has
 * begun. That is 5 to 50 us, depending on the machine and what else it does. */
typedef _Atomic int64_t NrWakeCost; /* 0: not known */
void nr_wake_learn(NrWakeCost *cost, int64_t ns);
/* The work that is worth it: that time is lost once, and half of the work is gained. */
double nr_wake_worth(NrWakeCost *cost);
/* Work between NR_ALONE_NS and NR_ALONE_ASLEEP_NS ran alone because of that cost, which is measured again after some
 * hundred times. */
void nr_wake_forget(NrWakeCost *cost);

/* What sharing gained and lost in this pool. Where other programs use the CPUs, a helper may lose its own while it
 * holds a chunk, and the caller waits for milliseconds. A loss is paid back first: the pool runs short work alone until
 * a twentieth of the time of that equals the loss, so sharing costs at most 5% over time. */
typedef _Atomic int64_t NrBalance;
void nr_balance_add(NrBalance *balance, double gain_ns);
void nr_balance_pay(NrBalance *balance, double alone_ns); /* this much work ran alone */
bool nr_balance_allows(NrBalance *balance, double work_ns); /* work_ns = 0: not known */

#endif
