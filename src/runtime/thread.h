/* thread.h - threads of the library. */
#ifndef NORIA_RUNTIME_THREAD_H
#define NORIA_RUNTIME_THREAD_H

#include <pthread.h>

/* Starts a thread that takes no signals. Returns 0 or an errno. */
int nr_thread_start(pthread_t *out_thread, void *(*body)(void *), void *user);

#endif
