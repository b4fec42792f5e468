/* main.c - models that are nearly right, tried in children: one that crashes, hangs, takes all memory or is told to be
 * a bug of Noria is saved.
 *
 *   models --seconds=60 --seed=7 FOLDER...   mutants of the models in these folders, from this seed on
 *   models --check FILE...                   these models as they are, in several ways
 *   models --save=7 FOLDER... > a.onnx       the mutant of a seed
 *
 * It is meant for the build with sanitizers (docs/building.md). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "mutate.h"
#include "try.h"

/* Limits of one model: seconds of processor time, memory. */
enum { MAX_JOBS = 64, TRY_SECONDS = 30, MAX_MEGABYTES = 3000 };
/* Leaks are looked for after so many models; the ways of trying a file; how many of one kind of finding are kept. */
enum { LEAKS_EVERY = 200, CHECKS = 24, MAX_ALIKE = 3, MAX_KINDS = 200, KIND_SIZE = 200 };

static const char help[] = "usage: models [options] FOLDER...\n"
                           "       models --check FILE...\n"
                           "       models --save=NUMBER FOLDER... > FILE\n"
                           "\n"
                           "  --seed=N        the first number; without it, one that nobody had\n"
                           "  --count=N       so many models;  --seconds=S  for so long\n"
                           "  --jobs=N        processes side by side\n"
                           "  --slow=S        tells of every model that takes longer\n"
                           "  --found=DIR     where models go that break something\n";

/* The leak check is the sanitizer's; without it there is none. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "quarantine_size_mb=32:detect_stack_use_after_return=0:allocator_may_return_null=1:max_allocation_size_mb=512:"
         "max_malloc_fill_size=0:malloc_context_size=10";
}

typedef struct Options {
  const char *found;
  uint64_t seed, count, save;
  double seconds, slow;
  int jobs;
  bool has_seed, check, has_save;
} Options;

/* What a child tells; shared memory. */
typedef struct Slot {
  uint64_t next;        /* number of the model that it is at */
  uint64_t checked;     /* the first number since the last look for leaks */
  uint64_t careful_to;  /* before this number leaks are looked for after each model */
  TryCounts counts;
  bool done, leaks;
  char message[2000];
  double slowest;
  uint64_t slowest_number;
} Slot;

/* Findings that say the same. */
typedef struct Kind {
  char text[KIND_SIZE];
  unsigned count;
  uint64_t first;
} Kind;

typedef struct Workers {
  const Options *options;
  const Seeds *seeds;
  Slot *slots; /* shared */
  pid_t pids[MAX_JOBS];
  bool too_large[MAX_JOBS];
  double end;
  Kind kinds[MAX_KINDS];
  size_t num_kinds, findings;
} Workers;

static bool is_over(const Workers *w, uint64_t number) {
  return (w->options->count && number >= w->options->count) || (w->end > 0 && fuzz_now() >= w->end);
}

/* ---- children --------------------------------------------------------------------------------------------------- */

static void log_path(const Options *o, int job, NrBuf *out) { nr_buf_printf(out, "%s/job%d.log", o->found, job); }

/* What the child says last is what is wrong: each model starts with an empty log. */
static void redirect(const Options *o, int job) {
  NrBuf path = {0};
  log_path(o, job, &path);
  int file = open(path.data, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
  if (file >= 0) dup2(file, STDERR_FILENO), close(file);
  nr_buf_deinit(&path);
}

static bool has_leaks(Slot *slot, uint64_t number) {
  if (!__lsan_do_recoverable_leak_check) return false;
  if (number >= slot->careful_to && number - slot->checked < LEAKS_EVERY) return false;
  slot->leaks = __lsan_do_recoverable_leak_check() != 0;
  if (!slot->leaks) slot->checked = number;
  return slot->leaks;
}

static bool try_number(const Workers *w, Slot *slot, Try *t, uint64_t number) {
  NrBuf bytes = {0}, what = {0};
  if (ftruncate(STDERR_FILENO, 0)) perror("models: the log");
  double begin = fuzz_process_time();
  fuzz_limit_time(TRY_SECONDS);
  mutant_make(w->seeds, w->options->seed + number, &bytes, &what);
  bool holds = try_model(t, &bytes, w->options->seed + number);
  fuzz_limit_time(0);
  double seconds = fuzz_process_time() - begin;
  if (seconds > slot->slowest) slot->slowest = seconds, slot->slowest_number = number;
  slot->message[0] = 0;
  if (!holds) snprintf(slot->message, sizeof slot->message, "%s", t->message.data);
  nr_buf_deinit(&bytes);
  nr_buf_deinit(&what);
  if (w->options->slow > 0 && seconds > w->options->slow)
    printf("models: %.1f s: %llu\n", seconds, (unsigned long long)(w->options->seed + number)), fflush(stdout);
  return holds;
}

/* Each takes every jobs-th number. */
static void start(Workers *w, int job) {
  fflush(NULL);
  w->too_large[job] = false;
  w->pids[job] = fork();
  if (w->pids[job]) return;
  Slot *slot = &w->slots[job];
  Try t = {.counts = slot->counts};
  redirect(w->options, job);
  slot->leaks = false;
  slot->checked = slot->next;
  for (; !is_over(w, slot->next); slot->next += (uint64_t)w->options->jobs) {
    bool holds = try_number(w, slot, &t, slot->next);
    slot->counts = t.counts;
    if (!holds || has_leaks(slot, slot->next)) _exit(1);
  }
  try_deinit(&t);
  slot->done = true;
  _exit(0);
}

/* ---- findings --------------------------------------------------------------------------------------------------- */

/* The line that says most of what was wrong. */
static void kind_of(const NrBuf *log, const Slot *slot, const char *signal, char out[KIND_SIZE]) {
  static const char *const marks[] = {"Assertion `", "runtime error: ", "SUMMARY: ", "LLVM ERROR", "out of memory"};
  snprintf(out, KIND_SIZE, "%.*s", KIND_SIZE - 1, slot->message[0] ? slot->message : signal);
  out[strcspn(out, "\n")] = 0;
  for (size_t i = 0; i < NR_COUNTOF(marks) && !slot->message[0]; i++) {
    const char *found = log->size ? strstr(log->data, marks[i]) : NULL;
    if (!found) continue;
    while (found > log->data && found[-1] != '\n') found--;
    snprintf(out, KIND_SIZE, "%.*s", (int)strcspn(found, "\n"), found);
    return;
  }
}

/* By the text without numbers: those of lines stay, addresses and processes differ. */
static Kind *count_kind(Workers *w, const char *text, uint64_t number) {
  const char *from = strncmp(text, "SUMMARY", 7) == 0 ? strrchr(text, '/') : text;
  if (!from) from = text;
  for (size_t i = 0; i < w->num_kinds; i++)
    if (strcmp(w->kinds[i].text, from) == 0) return w->kinds[i].count++, &w->kinds[i];
  if (w->num_kinds == MAX_KINDS) return &w->kinds[MAX_KINDS - 1];
  Kind *kind = &w->kinds[w->num_kinds++];
  snprintf(kind->text, KIND_SIZE, "%s", from);
  kind->count = 1;
  kind->first = number;
  return kind;
}

static void save(const Options *o, uint64_t number, const NrBuf *bytes, const NrBuf *what, const char *kind,
                 const NrBuf *log) {
  NrBuf path = {0}, text = {0};
  nr_buf_printf(&path, "%s/%llu.onnx", o->found, (unsigned long long)number);
  if (nr_file_write(path.data, bytes->data, bytes->size)) fprintf(stderr, "models: cannot write '%s'\n", path.data);
  nr_buf_printf(&text, "%s\nmodels --seed=%llu --count=1\n%s\n\n", kind, (unsigned long long)number, what->data);
  if (log->size) nr_buf_append(&text, log->data, log->size);
  path.size -= strlen(".onnx");
  nr_buf_puts(&path, ".txt");
  if (nr_file_write(path.data, text.data, text.size)) fprintf(stderr, "models: cannot write '%s'\n", path.data);
  nr_buf_deinit(&path);
  nr_buf_deinit(&text);
}

static void report(Workers *w, int job, int wait_status) {
  const Options *o = w->options;
  const Slot *slot = &w->slots[job];
  uint64_t number = o->seed + slot->next;
  NrBuf path = {0}, log = {0}, bytes = {0}, what = {0};
  char text[KIND_SIZE], signal_text[64] = "ended";
  int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (signal) snprintf(signal_text, sizeof signal_text, "%s", strsignal(signal));
  if (signal == SIGPROF || signal == SIGALRM) snprintf(signal_text, sizeof signal_text, "hangs");
  if (w->too_large[job]) snprintf(signal_text, sizeof signal_text, "takes more than %d MB", (int)MAX_MEGABYTES);
  log_path(o, job, &path);
  if (nr_file_read(path.data, &log)) log.size = 0;
  mutant_make(w->seeds, number, &bytes, &what);
  kind_of(&log, slot, signal_text, text);
  Kind *kind = count_kind(w, text, number);
  w->findings++;
  if (kind->count <= MAX_ALIKE) {
    save(o, number, &bytes, &what, text, &log);
    printf("%s/%llu.onnx: %s\n", o->found, (unsigned long long)number, text);
    fflush(stdout);
  }
  nr_buf_deinit(&path);
  nr_buf_deinit(&log);
  nr_buf_deinit(&bytes);
  nr_buf_deinit(&what);
}

/* ---- many models ------------------------------------------------------------------------------------------------ */

static bool uses_too_much(pid_t pid) {
  char path[64];
  unsigned long pages = 0, resident = 0;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
  FILE *file = fopen(path, "r");
  bool known = file && fscanf(file, "%lu %lu", &pages, &resident) == 2;
  if (file) fclose(file);
  return known && resident > ((unsigned long)MAX_MEGABYTES << 20) / (unsigned long)sysconf(_SC_PAGESIZE);
}

/* The next child that ended; looks after the memory of those that run. */
static int wait_for_one(Workers *w, int *status) {
  for (;;) {
    pid_t pid = waitpid(-1, status, WNOHANG);
    for (int job = 0; job < w->options->jobs && pid > 0; job++)
      if (w->pids[job] == pid) return w->pids[job] = 0, job;
    for (int job = 0; job < w->options->jobs; job++)
      if (w->pids[job] && uses_too_much(w->pids[job])) w->too_large[job] = true, kill(w->pids[job], SIGKILL);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
}

/* One that leaks is found by trying the models since the last look again, one by one. */
static bool look_closer(Slot *slot) {
  bool again = slot->leaks && slot->next >= slot->careful_to;
  if (again) slot->careful_to = slot->next + 1, slot->next = slot->checked;
  return again;
}

static void try_all(Workers *w) {
  int running = 0, status;
  for (int job = 0; job < w->options->jobs; job++, running++) {
    w->slots[job].next = (uint64_t)job;
    start(w, job);
  }
  while (running > 0) {
    int job = wait_for_one(w, &status);
    Slot *slot = &w->slots[job];
    if (!slot->done && !look_closer(slot)) {
      report(w, job, status);
      slot->next += (uint64_t)w->options->jobs;
    }
    if (!slot->done && !is_over(w, slot->next)) start(w, job);
    else running--;
  }
}

static void print_summary(const Workers *w, double seconds) {
  TryCounts all = {0};
  const Slot *slowest = w->slots;
  for (int i = 0; i < w->options->jobs; i++) {
    const Slot *slot = &w->slots[i];
    if (slot->slowest > slowest->slowest) slowest = slot;
    all.models += slot->counts.models;
    all.refused += slot->counts.refused;
    all.lowered += slot->counts.lowered;
    all.compiled += slot->counts.compiled;
    all.runs += slot->counts.runs;
    all.runs_failed += slot->counts.runs_failed;
  }
  printf(
      "models: %llu tried in %.0f s: %llu refused, %llu lowered, %llu of them to machine code; %llu runs, %llu ended "
      "with an error; %zu findings of %zu kinds\n",
      (unsigned long long)(all.models + w->findings), seconds, (unsigned long long)all.refused,
      (unsigned long long)all.lowered, (unsigned long long)all.compiled, (unsigned long long)all.runs,
      (unsigned long long)all.runs_failed, w->findings, w->num_kinds);
  printf("models: the slowest, %.1f s: --seed=%llu\n", slowest->slowest,
         (unsigned long long)(w->options->seed + slowest->slowest_number));
  for (size_t i = 0; i < w->num_kinds; i++)
    printf("%6u  --seed=%llu: %s\n", w->kinds[i].count, (unsigned long long)w->kinds[i].first, w->kinds[i].text);
}

static int try_many(const Options *o, const Seeds *seeds) {
  Workers *w = nr_calloc(1, sizeof *w);
  *w = (Workers){.options = o, .seeds = seeds, .end = o->seconds > 0 ? fuzz_now() + o->seconds : 0};
  w->slots = mmap(NULL, sizeof *w->slots * MAX_JOBS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (w->slots == MAP_FAILED) return 2;
  if (mkdir(o->found, 0777) && errno != EEXIST) fprintf(stderr, "models: cannot make '%s'\n", o->found);
  printf("models: %zu seeds; first number %llu\n", seeds->models.size, (unsigned long long)o->seed);
  double begin = fuzz_now();
  try_all(w);
  print_summary(w, fuzz_now() - begin);
  int result = w->findings != 0;
  munmap(w->slots, sizeof *w->slots * MAX_JOBS);
  nr_free(w);
  return result;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static int check_files(const Seeds *seeds) {
  Try t = {0};
  bool holds = true;
  for (size_t i = 0; i < seeds->models.size; i++) {
    const SeedModel *model = &seeds->models.data[i];
    for (uint64_t way = 0; way < CHECKS; way++) {
      fuzz_limit_time(TRY_SECONDS);
      bool good = try_model(&t, &model->bytes, way * UINT64_C(0x9e3779b97f4a7c15) + 11);
      fuzz_limit_time(0);
      if (!good) fprintf(stderr, "%.*s: %s\n", NR_STR_ARG(model->name), t.message.data);
      holds &= good;
    }
  }
  printf("models: %llu tries, %llu refused, %llu runs\n", (unsigned long long)t.counts.models,
         (unsigned long long)t.counts.refused, (unsigned long long)t.counts.runs);
  try_deinit(&t);
  return !holds;
}

static int save_one(const Seeds *seeds, uint64_t number) {
  NrBuf bytes = {0}, what = {0};
  mutant_make(seeds, number, &bytes, &what);
  fprintf(stderr, "%s\n", what.data);
  bool good = fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size && fflush(stdout) == 0;
  nr_buf_deinit(&bytes);
  nr_buf_deinit(&what);
  return !good;
}

/* ---- command line ----------------------------------------------------------------------------------------------- */

static bool take_option(Options *o, const char *arg) {
  const char *v;
  if (fuzz_take_option(arg, "--found", &o->found)) return true;
  if (fuzz_take_option(arg, "--seed", &v)) return o->seed = strtoull(v, NULL, 10), o->has_seed = true;
  if (fuzz_take_option(arg, "--count", &v)) return o->count = strtoull(v, NULL, 10), true;
  if (fuzz_take_option(arg, "--seconds", &v)) return o->seconds = strtod(v, NULL), true;
  if (fuzz_take_option(arg, "--slow", &v)) return o->slow = strtod(v, NULL), true;
  if (fuzz_take_option(arg, "--jobs", &v)) return o->jobs = atoi(v), true;
  if (fuzz_take_option(arg, "--save", &v)) return o->save = strtoull(v, NULL, 10), o->has_save = true;
  if (fuzz_take_option(arg, "--check", &v)) return o->check = true;
  return false;
}

int main(int argc, char **argv) {
  Options o = {.found = "found", .jobs = 1};
  Seeds seeds = {0};
  nr_arena_init(&seeds.arena);
  bool good = true;
  for (int i = 1; i < argc && good; i++) {
    if (argv[i][0] == '-') {
      if (!(good = take_option(&o, argv[i]))) fputs(help, stderr);
    } else if (!(good = seeds_add(&seeds, argv[i]))) fprintf(stderr, "models: there is no model in '%s'\n", argv[i]);
  }
  if (good && !seeds.models.size) good = false, fputs(help, stderr);
  if (!o.check) seeds_finish(&seeds);
  if (!o.has_seed) o.seed = (uint64_t)time(NULL) % 100000000 * 1000000;
  if (o.jobs < 1 || o.jobs > MAX_JOBS) o.jobs = 1;
  int result = 2;
  if (good && o.check) result = check_files(&seeds);
  else if (good && o.has_save) result = save_one(&seeds, o.save);
  else if (good) result = try_many(&o, &seeds);
  seeds_deinit(&seeds);
  return result;
}
