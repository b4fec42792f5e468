/* stack.c - how much of a thread's stack is left. */
#include "base/base.h"

#include <pthread.h>

/* Bytes that must remain, for reporting the error and for callees that do not check. */
enum { RESERVE = 256 << 10 };

/* The lowest address of this thread's stack; 0 before the first use, 1 if unknown. */
static _Thread_local uintptr_t lowest;

static uintptr_t find_lowest(void) {
  uintptr_t found = 1;
#ifdef __linux__
  pthread_attr_t attributes;
  void *end;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes)) return found;
  if (pthread_attr_getstack(&attributes, &end, &size) == 0)
    found = (uintptr_t)end + NR_MIN(size / 2, (size_t)RESERVE);
  pthread_attr_destroy(&attributes);
#endif
  return found;
}

bool nr_stack_is_low(void) {
  if (!lowest) lowest = find_lowest();
  return (uintptr_t)__builtin_frame_address(0) < lowest;
}
