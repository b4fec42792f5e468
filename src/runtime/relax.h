/* relax.h - tells the processor that a thread waits in a loop, so that it gives way to the thread beside it. */
#ifndef NORIA_RUNTIME_RELAX_H
#define NORIA_RUNTIME_RELAX_H

static inline void nr_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#endif
