/* pace.c - see pace.h. */
#include "runtime/pace.h"

#include <stddef.h>

enum {
  PROBES = 8,
  WATCH_EVERY = 16,
  DOUBTFUL = 32,            /* dispatches */
  WAKE_NS = 8000,           /* taken for what it costs to wake a helper until that is known */
  MOST_CREDIT = 1000000,    /* gains do not excuse later losses without end */
  MOST_DEBT = 50000000,     /* paid back in a second */
  LONG_WORK_NS = 100000000, /* much longer than a CPU is lost for: shared also in debt */
};

NrPace *nr_pace_find(NrPace paces[NR_PACES], NoriaWorkgroupFn fn) {
  size_t hash = (size_t)(((uint64_t)(uintptr_t)fn * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
  for (size_t i = 0; i < PROBES; i++) {
    NrPace *pace = &paces[(hash + i) % NR_PACES];
    NoriaWorkgroupFn is = atomic_load_explicit(&pace->fn, memory_order_relaxed);
    if (is == fn) return pace;
    if (is) continue;
    if (atomic_compare_exchange_strong_explicit(&pace->fn, &is, fn, memory_order_relaxed, memory_order_relaxed) ||
        is == fn)
      return pace;
  }
  return NULL;
}

double nr_pace_each(NrPace *pace) { return pace ? atomic_load_explicit(&pace->each, memory_order_relaxed) : 0; }

void nr_pace_learn(NrPace *pace, double each) {
  if (!pace) return;
  double known = nr_pace_each(pace);
  if (known > 0 && each > 1.5 * known) each = 1.5 * known;
  atomic_store_explicit(&pace->each, each > 0.01 ? each : 0.01, memory_order_relaxed);
}

bool nr_pace_watch(NrPace *pace) {
  if (!pace) return true;
  unsigned n = atomic_load_explicit(&pace->unwatched, memory_order_relaxed) + 1;
  atomic_store_explicit(&pace->unwatched, n, memory_order_relaxed);
  return n % WATCH_EVERY == 0;
}

bool nr_pace_is_doubtful(NrPace *pace) {
  unsigned n = pace ? atomic_load_explicit(&pace->doubtful, memory_order_relaxed) : 1;
  if (pace && n) atomic_store_explicit(&pace->doubtful, n - 1, memory_order_relaxed);
  return n > 0;
}

void nr_pace_doubt(NrPace *pace) {
  if (pace) atomic_store_explicit(&pace->doubtful, DOUBTFUL, memory_order_relaxed);
}

static int64_t wake_cost(const NrWakeCost *cost) {
  int64_t known = atomic_load_explicit(cost, memory_order_relaxed);
  return known ? known : WAKE_NS;
}

void nr_wake_learn(NrWakeCost *cost, int64_t ns) {
  int64_t known = wake_cost(cost);
  ns = NR_MIN(ns, NR_ALONE_ASLEEP_NS);
  atomic_store_explicit(cost, known + (ns - known) / 4, memory_order_relaxed);
}

double nr_wake_worth(NrWakeCost *cost) {
  return (double)NR_MIN(NR_MAX(2 * wake_cost(cost), NR_ALONE_NS), NR_ALONE_ASLEEP_NS);
}

void nr_wake_forget(NrWakeCost *cost) {
  int64_t known = wake_cost(cost);
  atomic_store_explicit(cost, known - (known - WAKE_NS / 2) / 256, memory_order_relaxed);
}

void nr_balance_add(NrBalance *balance, double gain_ns) {
  double sum = (double)atomic_load_explicit(balance, memory_order_relaxed) + gain_ns;
  sum = sum > MOST_CREDIT ? MOST_CREDIT : sum < -MOST_DEBT ? -MOST_DEBT : sum;
  atomic_store_explicit(balance, (int64_t)sum, memory_order_relaxed);
}

void nr_balance_pay(NrBalance *balance, double alone_ns) {
  int64_t debt = -atomic_load_explicit(balance, memory_order_relaxed);
  if (debt > 0) nr_balance_add(balance, alone_ns / 20 > (double)debt ? (double)debt : alone_ns / 20);
}

bool nr_balance_allows(NrBalance *balance, double work_ns) {
  return atomic_load_explicit(balance, memory_order_relaxed) >= 0 || work_ns >= LONG_WORK_NS;
}
