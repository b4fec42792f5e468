/* internal.h - what the files of the runtime share. Public contracts are in noria/runtime.h and noria/exec_abi.h. */
#ifndef NORIA_RUNTIME_INTERNAL_H
#define NORIA_RUNTIME_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "runtime/channel.h"
#include "runtime/error.h"
#include "runtime/thread.h"

/* ---- strings (string.c) ----------------------------------------------------------------------------------------- */

NoriaString *nr_string_new(const char *data, size_t size); /* one reference; NULL without memory */
NoriaString *nr_string_join(const char *a, size_t a_size, const char *b, size_t b_size);
NoriaString *nr_string_retain(NoriaString *string);        /* a static string is copied; NULL without memory */
int nr_string_order(const NoriaString *a, const NoriaString *b); /* by bytes, a prefix first; as memcmp */
void nr_string_release(NoriaString *string);               /* NULL and static are fine */

/* ---- values (value.c, sequence.c, map.c) ------------------------------------------------------------------------- */

/* Items that sequences share. A sequence sees a slice, so appending to the end of the slice that ends where the items
 * end adds to all in O(1) and changes none of the others. Items are references. */
typedef struct NrItems {
  atomic_int refs;
  _Atomic int64_t used; /* [0, used) are set or being set by the thread that moved used */
  int64_t capacity;
  NoriaValue *at[];
} NrItems;

typedef struct NrExec NrExec;

/* What the tensors that a run made for its sequences and optionals hold; they may outlive the run. */
typedef struct NrAccount {
  atomic_int refs;
  _Atomic int64_t bytes;
} NrAccount;

struct NoriaValue {
  atomic_int refs;
  uint8_t kind;       /* NoriaKind */
  uint8_t item_kind;  /* optional */
  uint8_t key_dtype;  /* NoriaDType of a map's keys, and where the items are maps; else 0 */
  bool read_only;     /* tensor */
  NoriaDType dtype;
  /* While compiled code owns it: the run, and its place in the list of the run's handles. */
  NrExec *run;
  NoriaValue *run_prev, *run_next;
  union {
    struct {
      int64_t rank, count;
      size_t size;
      void *data;
      NoriaReleaseFn release; /* NULL: nothing to do */
      void *user;
      NrAccount *account; /* NULL: not made by a run */
    } tensor;
    struct {
      NrItems *items; /* NULL when empty */
      int64_t first, length;
    } sequence;
    NoriaValue *item; /* optional */
    struct {
      NoriaValue *keys, *values; /* tensors of one dim of the same size; the keys are sorted, and all differ */
    } map;
  } as;
  int64_t dims[]; /* rank of them */
};

/* Elements and bytes of a shape; an error names what does not fit. */
NoriaStatus nr_shape_size(NoriaDType dtype, int64_t rank, const int64_t *dims, int64_t *out_count, size_t *out_size,
                          NoriaError *error);
size_t nr_dtype_alignment(NoriaDType dtype); /* that data must have */
/* Gives elements of fewer than 8 bits the byte that exec_abi.h promises. Compiled code writes only those bits for sure:
 * to it int4 and uint4 are one type. */
void nr_dtype_settle(NoriaDType dtype, void *data, int64_t count);
/* A tensor over data, which release(user) frees with the tensor. NULL without memory (release is then not called).
 * For strings data is NoriaString*[count], a reference each. The shape was checked. */
NoriaValue *nr_tensor_new(NoriaDType dtype, int64_t rank, const int64_t *dims, void *data, NoriaReleaseFn release,
                          void *user);
/* 64-byte aligned memory of size bytes (0 is fine): *out_base goes to free(). NULL without memory. */
void *nr_aligned_malloc(size_t size, void **out_base);
/* A tensor with memory of its own, contents undefined (strings: NULL pointers, to be set). NULL without memory. */
NoriaValue *nr_tensor_alloc(NoriaDType dtype, int64_t rank, const int64_t *dims, int64_t count, size_t size);

void nr_items_release(NrItems *items); /* NULL is fine */
NoriaValue *nr_sequence_new(NoriaDType dtype); /* empty; NULL without memory */
/* Without items or the like. NULL without memory. */
NoriaValue *nr_handle_new(NoriaKind kind, NoriaDType dtype);
/* A second value with the same contents, for handles. NULL without memory. */
NoriaValue *nr_handle_copy(const NoriaValue *handle);
/* Insert before position 0..length, or remove position 0..length-1. insert takes over the item's reference also when
 * it fails. False without memory; the sequence is then unchanged. The sequence must have one owner. */
bool nr_sequence_insert(NoriaValue *sequence, int64_t position, NoriaValue *item);
bool nr_sequence_erase(NoriaValue *sequence, int64_t position);
NoriaValue *nr_optional_new(NoriaValue *item, NoriaKind kind, NoriaDType dtype); /* takes over item's reference */
/* Takes over the references of keys and values also when it fails; both are as a map has them. NULL without memory. */
NoriaValue *nr_map_new(NoriaValue *keys, NoriaValue *values);
/* The place of a key, an int64_t or a NoriaString *, in a map's keys; -1 where it is not among them. */
int64_t nr_map_find(const NoriaValue *keys, const void *key);

/* ---- allocation in a run (alloc.c) ------------------------------------------------------------------------------ */

/* Small sizes are multiples of 64 up to 1 KiB; above, eight classes for each doubling. */
enum {
  NR_SMALL_CLASSES = 16,
  NR_CLASS_STEPS = 8,
  NR_LARGEST_LOG2 = 46,
  NR_NUM_CLASSES = NR_SMALL_CLASSES + (NR_LARGEST_LOG2 - 10) * NR_CLASS_STEPS
};

enum { NR_BLOCK_ALIGNMENT = 64, NR_RED_ZONE = 256 /* under the address sanitizer */ };
enum {
  NR_CACHE_SLACK = 64 << 20, /* bytes of freed blocks beyond what recent runs held */
  NR_LARGE_BLOCK = 128 << 10 /* smaller ones come from memory that the process has already */
};

typedef struct NrReturned NrReturned;

/* The highest number that the last runs reported: 8 of them at least, 16 at most. */
typedef struct NrRecent {
  int64_t now, before; /* of the runs of this window, and of the one before it */
  uint32_t runs;       /* of this window */
} NrRecent;

static inline void nr_recent_add(NrRecent *r, int64_t number) {
  enum { WINDOW = 8 };
  r->now = NR_MAX(r->now, number);
  if (++r->runs < WINDOW) return;
  *r = (NrRecent){.before = r->now};
}
static inline int64_t nr_recent_top(const NrRecent *r) { return NR_MAX(r->now, r->before); }

/* Stands in the 64 bytes before the data of each block. */
typedef struct NrBlock {
  struct NrBlock *prev, *next; /* in the run's list of live blocks; next also links free blocks */
  void *base;                  /* what malloc gave */
  size_t capacity, size;       /* size: asked for; what limits and statistics count */
  uint16_t size_class;         /* of the capacity */
  uint16_t asked_class;        /* of the size that was asked for at first; realloc changes the other one only */
  uint32_t last_run;           /* the run of the allocator that used it last */
  uintptr_t mark;              /* while it is live: what no other memory has by chance */
  NrReturned *home;            /* of an output: where it goes when that is released */
} NrBlock;

typedef struct NrAllocator {
  NrBlock live; /* head of a ring */
  NrBlock *free[NR_NUM_CLASSES];
  int64_t live_bytes, peak_bytes, cached_bytes, limit, allocations;
  int64_t held_bytes; /* capacity of the live blocks */
  int64_t top_bytes;  /* the most of live_bytes in this run */
  int64_t lent_bytes;            /* capacity of the large blocks that became outputs of this run */
  NrRecent recent;               /* top_bytes of the runs before */
  uint32_t run;                  /* their number */
  uint32_t sifted_run;           /* the run in which cached blocks that no recent run used were freed last */
  int64_t string_bytes;  /* of the strings that the run holds */
  int64_t charged_bytes; /* that the program holds elsewhere: api->charge */
  NrAccount *values;     /* NULL: nothing yet */
} NrAllocator;

void nr_allocator_init(NrAllocator *a);
void nr_allocator_begin(NrAllocator *a, int64_t limit);         /* of a run */
/* Frees live blocks. At most keep bytes stay cached, and no more than the most that recent runs held, with
 * its slack. */
void nr_allocator_end(NrAllocator *a, int64_t keep);
/* Takes the block of data out of the run. NULL when it was taken before. */
NrBlock *nr_allocator_detach(NrAllocator *a, void *data);
size_t nr_allocator_size(const void *data); /* of the block of data, as was asked for */

/* Blocks of outputs that were released (returned.c): at most keep bytes wait for the next run, and no more than the
 * outputs of one recent run, or NR_CACHE_SLACK where that is more. NULL without memory. */
NrReturned *nr_returned_create(int64_t keep);
void nr_returned_stop(NrReturned *r);  /* from now on none are kept */
void nr_returned_close(NrReturned *r); /* the program ends; outputs that are out stay valid. NULL is fine */
void nr_returned_trim(NrReturned *r, int64_t keep); /* frees those that wait longest, until keep bytes are left */
int64_t nr_returned_bytes(NrReturned *r);           /* that wait */
/* A run ended whose outputs have large blocks of so many bytes. What may wait once all outputs are released. */
int64_t nr_returned_ran(NrReturned *r, int64_t bytes);
/* One of the class of the capacity, of a class that is a little larger, or one that was asked for with a size of
 * asked_class, and that realloc may have made larger or smaller since: of a capacity of at most `most`. NULL: none. */
NrBlock *nr_returned_take(NrReturned *r, uint16_t size_class, uint16_t asked_class, size_t capacity, size_t most);
/* The function, with what it is to be called with, that releases a detached block. */
NoriaReleaseFn nr_returned_lend(NrReturned *r, NrBlock *block, void **out_user);
void nr_returned_lock(NrReturned *r); /* around fork() */
void nr_returned_unlock(NrReturned *r);

/* Counts what is not a block against the limit. False after failing. */
bool nr_charge_value(NrExec *e, NoriaValue *tensor);
bool nr_charge_string(NrExec *e, const NoriaString *string);
void nr_account_release(NrAccount *account, int64_t bytes);
int64_t nr_value_cost(const NoriaValue *tensor); /* bytes in an account */

void *nr_api_alloc(NoriaExec *exec, int64_t size);
void *nr_api_alloc_aligned(NoriaExec *exec, int64_t size, int64_t alignment);
int32_t nr_api_free(NoriaExec *exec, void *data);
void *nr_api_realloc(NoriaExec *exec, void *data, int64_t new_size);
int32_t nr_api_charge(NoriaExec *exec, int64_t bytes);

/* ---- address sanitizer (sanitize.c, sanitize.h) ---------------------------------------------------------------- */

typedef struct NrSanitizer NrSanitizer; /* what a run may touch */
void nr_sanitize_begin(NrExec *e, const NoriaValue *const *inputs, size_t num_inputs);
void nr_sanitize_end(NrExec *e); /* nothing without begin */
void nr_sanitize_made(NrExec *e, const void *data, size_t size);
void nr_sanitize_freed(NrExec *e, NrBlock *block); /* takes it over */
/* Call compiled code, which a wrong access leaves with result 1, after failing. */
int32_t nr_sanitize_entry(NrExec *e, NoriaEntryFn fn, const NoriaDesc *inputs, NoriaDesc *outputs);
int32_t nr_sanitize_workgroup(NrExec *e, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z);

/* ---- thread pool (pool.c) --------------------------------------------------------------------------------------- */

typedef struct NrPool NrPool;
NrPool *nr_pool_create(int32_t threads); /* starts nothing yet; NULL without memory */
void nr_pool_destroy(NrPool *pool);
/* Around fork(); in_child: its threads are gone, and start again with the next dispatch. */
void nr_pool_lock(NrPool *pool);
void nr_pool_unlock(NrPool *pool, bool in_child);
int32_t nr_api_dispatch(NoriaExec *exec, NoriaWorkgroupFn fn, const void *args, int64_t x, int64_t y, int64_t z);

/* ---- time limits (watchdog.c) ----------------------------------------------------------------------------------- */

typedef struct NrWatchdog {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool started, quit;
  NrExec *first; /* runs with a deadline */
} NrWatchdog;
bool nr_watchdog_init(NrWatchdog *w);
void nr_watchdog_deinit(NrWatchdog *w);
/* In the child after fork(), with the lock held: the thread is gone, and starts again with the next run. */
void nr_watchdog_lose_thread(NrWatchdog *w);
/* False when the system gives no thread. */
bool nr_watchdog_add(NrWatchdog *w, NrExec *exec, int64_t deadline_ns);
void nr_watchdog_remove(NrWatchdog *w, NrExec *exec);

/* ---- one run (exec.c) ------------------------------------------------------------------------------------------- */

/* Bits of NoriaExec.stop. */
enum { NR_STOP_FAILED = 1, NR_STOP_TIME = 2, NR_STOP_INTERRUPT = 4 };

/* Execs are never returned to the system while the process lives, so that a signal handler can walk them at any time;
 * a destroyed program leaves its own for the next program. */
struct NrExec {
  NoriaExec pub; /* first: compiled code sees this */
  _Atomic(NoriaProgram *) program;
  atomic_bool running;
  NrExec *registry_next; /* all execs; set once */
  NrExec *next;          /* in the program's list of idle ones, or the global one */
  uint64_t ran;          /* the number of its last run among those of the program */

  pthread_mutex_t lock; /* allocator, handles and strings while a dispatch runs on several threads */
  atomic_int parallel;  /* dispatches on several threads in progress */
  NrAllocator allocator;
  NrSanitizer *sanitizer;  /* NULL: the run is not watched */
  NoriaValue *handles;     /* sequences and optionals that compiled code holds */
  NoriaString **strings;   /* references that last as long as the run */
  size_t num_strings, strings_capacity;
  NrWorld *world;          /* NULL: this run is the only rank */
  NrChannel **channels;    /* a reference of each, until the run ends */
  size_t num_channels, channels_capacity;

  NoriaRunLimits limits;
  bool counts; /* whether iterations are counted: all threads add to the same number, which takes time */
  _Atomic int64_t iterations;

  atomic_int failed; /* 0, then 1 while the first failure writes, then 2 */
  NoriaError failure; /* without a message: there was no memory for it */
  pthread_t failed_in; /* the thread that writes the message, when failed */
  bool fail_has_place;

  int64_t deadline_ns; /* watchdog */
  NrExec *watch_prev, *watch_next;

  bool initializes; /* this run runs the program's initializers */

  NoriaDesc *descs; /* of inputs, then outputs */
  int64_t *symbols; /* what each symbolic dim is in this run; -1: not met yet */
};

static inline NrExec *nr_exec(NoriaExec *exec) { return (NrExec *)exec; }

/* Locks only while several threads may be in the run. */
static inline bool nr_exec_lock(NrExec *e) {
  if (atomic_load_explicit(&e->parallel, memory_order_relaxed) == 0) return false;
  pthread_mutex_lock(&e->lock);
  return true;
}
static inline void nr_exec_unlock(NrExec *e, bool locked) {
  if (locked) pthread_mutex_unlock(&e->lock);
}

NrExec *nr_exec_acquire(NoriaProgram *program); /* NULL without memory */
/* returned: bytes of outputs that may wait for the next run. */
void nr_exec_release(NoriaProgram *program, NrExec *e, int64_t returned);
void nr_exec_retire_all(NoriaProgram *program);
/* Frees the cached blocks of the program's execs that no run uses. The program's lock is held. */
void nr_exec_trim_idle(NoriaProgram *program);
/* stats: whether the caller wants statistics of this run. */
void nr_exec_begin(NrExec *e, const NoriaRunLimits *limits, bool stats);
/* Frees what the run still holds and makes the exec ready for another. */
void nr_exec_finish(NrExec *e, int64_t keep);
/* Around fork(); in_child: the other threads are gone, and with them their runs. */
void nr_execs_lock(void);
void nr_execs_unlock(bool in_child);
void nr_exec_stop(NrExec *e, int32_t why); /* sets bits of stop; async-signal-safe */
/* The text of a site with values in place of %0 to %3. The caller frees it; NULL without memory. */
char *nr_site_text(const char *format, const int64_t *values);
/* Records the first failure of the run; later ones are dropped. Returns 1. A site that is not -1 adds its node's
 * name. */
int32_t nr_exec_fail(NrExec *e, NoriaStatus code, int32_t site, const char *format, ...) NR_PRINTF(4, 5);
/* After the entry, of a run that failed: a message without a place, as when it ended too late, gets the one that the
 * entry left. */
void nr_exec_place_failure(NrExec *e);
/* Gives compiled code the handle with its reference. False without memory: already failed and released. */
NoriaValue *nr_exec_add_handle(NrExec *e, NoriaValue *handle);
void nr_exec_unlink_handle(NrExec *e, NoriaValue *handle); /* its references are then not the run's */
void nr_exec_drop_handle(NrExec *e, NoriaValue *handle); /* gives back one reference of compiled code */
/* Keeps a reference of the string, which it takes over, until the run ends. False after failing; it is released. */
bool nr_exec_hold_string(NrExec *e, NoriaString *string);

/* Keeps the reference of the channel until the run ends. False after failing; it is released. */
bool nr_exec_hold_channel(NrExec *e, NrChannel *channel);
/* Where the site is in the program; NULL: not known. */
const char *nr_exec_site_place(const NrExec *e, int32_t site);

/* For long work of the runtime itself, from time to time: true when the run is to stop, which is then its failure. */
bool nr_exec_stopped(NrExec *e);
/* Copies bytes in pieces. False when the run was to stop in between. */
bool nr_exec_copy(NrExec *e, void *to, const void *from, size_t size);
/* The result of compiled code that may leave without a failure when the run is to stop: it gets that failure. */
static inline int32_t nr_exec_failed_or_stopped(NrExec *e, int32_t result) {
  if (result) (void)nr_exec_stopped(e);
  return result;
}

extern const NoriaRuntimeApi nr_runtime_api;

/* ---- imports (imports.c) ---------------------------------------------------------------------------------------- */

NoriaImportFn nr_import_find(const char *name); /* NULL when there is none */
NrNearest nr_import_nearest(const char *name);  /* of the names of all imports */

/* ---- functions of the user (libraries.c) ------------------------------------------------------------------------ */

/* Opens the libraries of the options for the program. They are closed by nr_libraries_close, also after a failure. */
NoriaStatus nr_libraries_open(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error);
void nr_libraries_close(NoriaProgram *program);
/* The function that flow.call calls by this name: one of the imports, else of the first library that has it. */
NoriaStatus nr_libraries_find(const NoriaProgram *program, const NoriaProgramOptions *options, const char *name,
                              NoriaImportFn *out, NoriaError *error);
/* dlopen, but a path without a slash is a file of the current folder. NULL after an error. */
void *nr_library_open(const char *path, NoriaError *error);

/* ---- parameters (parameters.c) ---------------------------------------------------------------------------------- */

typedef struct NrParameterFile NrParameterFile;
/* Maps the parameter files of the options; resolve then points the module's parameters into them. nr_parameters_close
 * gives all back, also after a failure. */
NoriaStatus nr_parameters_open(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error);
NoriaStatus nr_parameters_resolve(NoriaProgram *program, const NoriaProgramOptions *options, NoriaError *error);
void nr_parameters_close(NoriaProgram *program);

/* ---- programs (program.c, feeds.c) ------------------------------------------------------------------------------ */

/* Whether the initializers of a program have run. */
typedef enum NrInitialized { NR_INITIALIZED_NOT, NR_INITIALIZED_NOW, NR_INITIALIZED } NrInitialized;
/* At the end of a run: if it began and did not end, the next run does it. */
void nr_exec_drop_initialization(NrExec *e);

struct NoriaProgram {
  const NoriaModule *module;
  const _Atomic(NoriaEntryFn) *entry; /* of the next run; NULL: the module's (entry.h) */
  void *library; /* from dlopen */
  void **libraries; /* of the functions that flow.call calls; from dlopen */
  size_t num_libraries;
  NrParameterFile *parameter_files;
  void **parameter_copies; /* of parameters that are not aligned to their elements */
  size_t num_parameter_copies;
  void (*trace)(void *user, const char *text, size_t size); /* NULL: standard error */
  void *trace_user;
  void (*warn)(void *user, const char *text, size_t size); /* NULL: standard error */
  void *warn_user;
  const void **constants;
  NoriaImportFn *imports;
  int32_t threads;
  NoriaRunLimits limits;
  int64_t cache_size; /* bytes; INT64_MAX: as many as recent runs need; 0: none */
  NoriaReleaseFn release;
  void *user;
  bool sanitize; /* its code is made to be watched */
  const struct NrMemoryRegion *regions;
  size_t num_regions;
  NrPool *pool; /* NULL: one thread */
  NrReturned *returned;
  NrWatchdog watchdog;
  /* Number of the symbol of each dim of each input, input after input; -1: none. */
  int32_t *dim_symbols;
  int32_t num_symbols;
  pthread_mutex_t lock; /* idle and globals */
  NrExec *idle; /* the one that ran last comes first */
  uint64_t runs; /* that ended */
  _Atomic int64_t kept;      /* bytes that wait for the next runs, or may; as of the end of the last run */
  _Atomic uint64_t last_run; /* its number among the runs of the process */
  struct NrGlobal **globals; /* whose sizes runs choose, by number; NULL: not stored yet */
  size_t num_globals;
  atomic_int initialized; /* NrInitialized */
  NoriaProgram *prev_program, *next_program; /* in the list of all (programs.c) */
  bool is_listed;
};

void nr_globals_drop(NoriaProgram *program); /* imports_global.c; no run is in progress */

/* The list of all programs (programs.c). add returns false without memory. */
bool nr_programs_add(NoriaProgram *program);
/* Frees the blocks that programs keep for their next runs, because the system has no memory. Skips a program whose lock
 * another thread holds: the caller may hold locks. */
void nr_programs_trim(void);
/* The program keeps that many bytes for its next runs; its lock is held. True where the programs of the process keep
 * more than a part of the machine's memory together: nr_programs_evict, which is called without that lock, then makes
 * those that ran longest ago give theirs back, but for one. */
enum { NR_KEPT_PART = 8 };
bool nr_program_keeps(NoriaProgram *program, int64_t bytes);
void nr_programs_evict(const NoriaProgram *but);
void nr_programs_remove(NoriaProgram *program); /* fine when it was not added */

/* Checks the values against the module's inputs and describes them in e->descs. */
NoriaStatus nr_feeds_bind(NoriaProgram *program, NrExec *e, const NoriaValue *const *inputs, size_t num_inputs,
                          NoriaError *error);
/* Number the symbols of the inputs' dims. False without memory. */
bool nr_feeds_prepare(NoriaProgram *program);

#endif
