/* stack.c - threads with room for LLVM's recursions, which go as deep as a function has blocks behind each other: with
 * 2,500 loops in a row they fill the 8 MB that a thread has elsewhere. */
#include <pthread.h>

#include "codegen/llvm/ll.h"

enum {
  STACK_BYTES = 512 << 20, /* of addresses; memory is taken where it is used */
  SMALL_OPS = 2000,        /* a program of so many is compiled where it is: a thread takes 0.05 ms */
};

bool nr_ll_start_thread(pthread_t *out_thread, void *(*run)(void *user), void *user) {
  pthread_attr_t attr;
  if (pthread_attr_init(&attr)) return false;
  bool started = !pthread_attr_setstacksize(&attr, STACK_BYTES) && !pthread_create(out_thread, &attr, run, user);
  pthread_attr_destroy(&attr);
  return started || !pthread_create(out_thread, NULL, run, user);
}

static bool count_op(NrOp *op, void *user) {
  (void)op;
  return ++*(size_t *)user <= SMALL_OPS;
}

void nr_ll_with_stack(NrModule *module, void *(*run)(void *user), void *user) {
  size_t ops = 0;
  pthread_t thread;
  nr_walk_pre(module->op, count_op, &ops);
  if (ops > SMALL_OPS && nr_ll_start_thread(&thread, run, user)) pthread_join(thread, NULL);
  else run(user);
}
