/* imports_init.c - initializers of a program, which run once, in the first run. */
#include <time.h>

#include "runtime/imports.h"
#include "runtime/internal.h"

int32_t nr_import_initialize_begin(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  atomic_int *state = &atomic_load(&e->program)->initialized;
  (void)args;
  results[0] = (NoriaDesc){.rank = -1};
  for (;;) {
    int seen = NR_INITIALIZED_NOT;
    if (atomic_compare_exchange_strong(state, &seen, NR_INITIALIZED_NOW)) {
      e->initializes = true;
      results[0].bits = 1;
      return 0;
    }
    if (seen == NR_INITIALIZED) return 0;
    if (exec->api->poll(exec, 0)) return 1;
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
}

int32_t nr_import_initialize_end(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  (void)args;
  (void)results;
  e->initializes = false;
  atomic_store(&atomic_load(&e->program)->initialized, NR_INITIALIZED);
  return 0;
}

void nr_exec_drop_initialization(NrExec *e) {
  if (!e->initializes) return;
  e->initializes = false;
  atomic_store(&atomic_load(&e->program)->initialized, NR_INITIALIZED_NOT);
}
