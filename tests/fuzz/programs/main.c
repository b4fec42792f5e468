/* main.c - random programs, run in all ways that there are: the interpreter, after passes, after stages, machine code.
 *
 *   programs --seconds=60 --seed=7        from this seed on; without --seed: from one that nobody had, which is printed
 *   programs --check FILE...              these programs, in all ways
 *   programs --family=loops --print 7     the program of a seed
 *
 * Programs run in children, so that one which crashes or hangs is a failure like another one. What fails is saved,
 * reduced by `noria reduce` and saved again. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "check.h"
#include "gen.h"

/* Seconds of processor time that one step may take. */
enum { MAX_JOBS = 64, STEP_SECONDS = 30 };
/* After so many it stops; the first ones are reduced. */
enum { MAX_FAILURES = 10, MAX_REDUCED = 3, REDUCE_SECONDS = 90, MAX_SHOWN = 4000 };

static const struct Family {
  const char *name;
  void (*generate)(uint64_t seed, NrBuf *out);
  bool in_lanes; /* vectorize-parallel-loops comes first, with several numbers of lanes */
} families[] = {{"loops", gen_loops, false}, {"tensors", gen_tensors, false}, {"flow", gen_flow, false},
                {"lanes", gen_lanes, true}};

static const char help[] =
    "usage: programs [options]\n"
    "       programs --check FILE... [--passes=P,.. | --pipeline[=P,..] | --text=2020 | --c-source] [--hangs]\n"
    "       programs --print SEED [--family=NAME]\n"
    "\n"
    "  --family=NAME   loops, tensors, flow, lanes; without it all in turn\n"
    "  --c-source      each program as C only, compiled by gcc; without it one of eight, beside all else\n"
    "  --seed=N        the first seed\n"
    "  --count=N       so many programs;  --seconds=S  for so long\n"
    "  --jobs=N        processes side by side\n"
    "  --cpu=NAME      machine code for this CPU instead of the machine's, one that the machine can run\n"
    "  --only=P,P..    of these passes only;  --longest=N  sequences of so many passes at most, instead of 6\n"
    "  --slow=S        tell of every step that takes longer\n"
    "  --found=DIR     where failing programs go\n"
    "  --no-reduce     leave them as they are\n";

typedef struct Options {
  const char *family, *found, *passes, *pipeline, *text, *cpu, *only;
  uint64_t seed, count, print;
  double seconds, slow;
  int jobs, longest;
  bool has_seed, check, hangs, reduce, has_print, c_source;
} Options;

/* What a child tells; shared memory. */
typedef struct Slot {
  uint64_t next;   /* number of the program that it is at */
  CheckCounts counts;
  double slow; /* what takes longer is told */
  bool done;
  char what[1024], message[4096];
  double begun;    /* when `what` began, of the process's time */
  struct {
    double seconds;
    uint64_t number;
    char what[1024];
  } slowest;
} Slot;

typedef struct Workers {
  const Options *options;
  Slot *slots; /* shared */
  pid_t pids[MAX_JOBS];
  double end;
  int failures;
  NrBuf reports; /* of failures, for the end: what a log shows last */
} Workers;

/* ---- one program ------------------------------------------------------------------------------------------------ */

static const struct Family *family_of(const Options *o, uint64_t number) {
  for (size_t i = 0; i < NR_COUNTOF(families); i++)
    if (o->family && strcmp(families[i].name, o->family) == 0) return &families[i];
  return &families[number % NR_COUNTOF(families)];
}

static void note_slowest(Slot *slot) {
  double seconds = fuzz_process_time() - slot->begun;
  if (slot->slow > 0 && seconds >= slot->slow)
    fprintf(stderr, "programs: %.1f s: %llu %s\n", seconds, (unsigned long long)slot->next, slot->what);
  if (seconds <= slot->slowest.seconds) return;
  slot->slowest.seconds = seconds;
  slot->slowest.number = slot->next;
  memcpy(slot->slowest.what, slot->what, sizeof slot->what);
}

static void note_what(void *user, const char *what) {
  Slot *slot = user;
  note_slowest(slot);
  snprintf(slot->what, sizeof slot->what, "%s", what);
  slot->begun = fuzz_process_time();
  fuzz_limit_time(STEP_SECONDS);
}

/* Whatever the cost model says of them, loops get lanes: of a vector, of several, and not a multiple. */
static CheckStatus check_lanes(Check *c, uint64_t seed) {
  static const int lanes[] = {2, 3, 4, 8, 16, 20, 32};
  char passes[100];
  int first = lanes[seed % NR_COUNTOF(lanes)], second = lanes[(seed + 3) % NR_COUNTOF(lanes)];
  snprintf(passes, sizeof passes, "vectorize-parallel-loops{lanes=%d},canonicalize", first);
  CheckStatus status = check_passes(c, passes);
  snprintf(passes, sizeof passes, "insert-loop-polls,vectorize-parallel-loops{lanes=%d}", second);
  return status ? status : check_pipeline(c, passes);
}

static bool program_holds(const Options *o, uint64_t number, Slot *slot) {
  NrBuf text = {0};
  uint64_t seed = o->seed + number;
  family_of(o, number)->generate(seed, &text);
  Check c = {.about_to = note_what, .user = slot, .cpu = o->cpu, .only = o->only, .longest = o->longest,
             .sanitize = seed % 4 == 0};
  slot->what[0] = slot->message[0] = 0;
  slot->begun = fuzz_process_time();
  fuzz_limit_time(STEP_SECONDS);
  CheckStatus status = check_begin(&c, text.data, text.size);
  if (!status && family_of(o, number)->in_lanes) status = check_lanes(&c, seed);
  if (!status && o->c_source) status = check_c(&c);
  else if (!status) status = check_some(&c, seed * UINT64_C(0x9e3779b97f4a7c15) + 3);
  if (c.too_long) status = CHECK_OK;
  fuzz_limit_time(0);
  note_slowest(slot);
  slot->counts.programs += c.counts.programs;
  slot->counts.runs += c.counts.runs;
  slot->counts.refused += c.counts.refused;
  if (status) snprintf(slot->message, sizeof slot->message, "%s", c.message.data ? c.message.data : "not run");
  check_end(&c);
  nr_buf_deinit(&text);
  return status == CHECK_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Sequences that the file asks for: "// passes: cse,licm", a line each. */
static CheckStatus check_named(Check *c, const char *text) {
  CheckStatus status = CHECK_OK;
  char passes[256];
  for (const char *line = text; line && !status; line = (line = strchr(line, '\n')) ? line + 1 : NULL)
    if (sscanf(line, "// passes: %255s", passes) == 1 && !(status = check_passes(c, passes)))
      status = check_pipeline(c, passes);
  return status;
}

static CheckStatus check_one(const Options *o, Check *c, const char *text) {
  if (o->passes) return check_passes(c, o->passes);
  if (o->pipeline) return check_pipeline(c, o->pipeline);
  if (o->text) return check_text(c, o->text);
  if (o->c_source) return check_c(c);
  CheckStatus status = check_named(c, text);
  return status ? status : check_everything(c, 1, 40);
}

/* One that takes too long holds too, unless it is hangs that are looked for. */
static void give_up(int number) { _exit(0); }

/* Programs that are not well-defined hold: nothing can be said about them. Nor, where one way of running is asked
 * about, about what has nothing to run. */
static int check_file(const Options *o, const char *path) {
  NrBuf text = {0};
  Check c = {.cpu = o->cpu, .sanitize = true};
  if (nr_file_read(path, &text)) {
    fprintf(stderr, "programs: cannot read '%s'\n", path);
    return 2;
  }
  if (!o->hangs) signal(SIGPROF, give_up), signal(SIGALRM, give_up);
  fuzz_limit_time(o->passes || o->pipeline || o->text || o->c_source ? STEP_SECONDS / 2 : 4 * STEP_SECONDS);
  CheckStatus status = check_begin(&c, text.data, text.size);
  if (!status) status = check_one(o, &c, text.data);
  else if (o->passes || o->pipeline || o->text) status = CHECK_UNDEFINED;
  fuzz_limit_time(0);
  if (status) fprintf(stderr, "%s: %s: %s\n", path, c.what, c.message.data ? c.message.data : "");
  check_end(&c);
  nr_buf_deinit(&text);
  return status == CHECK_FAILED;
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static const char *self;

static void save(const char *path, const NrBuf *text, const Slot *slot, uint64_t seed, const char *family) {
  NrBuf file = {0};
  nr_buf_printf(&file, "// programs --family=%s --seed=%llu %s\n// ", family, (unsigned long long)seed, slot->what);
  for (const char *p = slot->message; *p; p++) nr_buf_printf(&file, *p == '\n' ? "\n// " : "%c", *p);
  nr_buf_putc(&file, '\n');
  nr_buf_append(&file, text->data, text->size);
  if (nr_file_write(path, file.data, file.size)) fprintf(stderr, "programs: cannot write '%s'\n", path);
  nr_buf_deinit(&file);
}

/* To `small`, which is empty when that could not be done. */
static void reduce(const char *path, const Slot *slot, NrBuf *small) {
  NrBuf command = {0}, small_path = {0};
  nr_buf_printf(&small_path, "%.*s.small.mlir", (int)(strlen(path) - strlen(".mlir")), path);
  nr_buf_printf(&command, "'%s' reduce '%s' --quiet --seconds=%d --test=\"'%s' --check%s '%s'\" -o '%s' 2>&1",
                NORIA_TOOL, path, REDUCE_SECONDS, self, strcmp(slot->message, "hangs") ? "" : " --hangs", slot->what,
                small_path.data);
  fprintf(stderr, "  %s\n", command.data);
  if (system(command.data) || nr_file_read(small_path.data, small)) fprintf(stderr, "programs: it was not reduced\n");
  nr_buf_deinit(&command);
  nr_buf_deinit(&small_path);
}

/* Saves the program, and says what is wrong now and, with what is known then, at the end. */
static void report(Workers *w, const Slot *slot, uint64_t number, int wait_status) {
  const Options *o = w->options;
  uint64_t seed = o->seed + number;
  const struct Family *family = family_of(o, number);
  Slot copy = *slot;
  NrBuf text = {0}, path = {0}, small = {0};
  int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (signal)
    snprintf(copy.message, sizeof copy.message, "%s",
             signal == SIGPROF || signal == SIGALRM ? "hangs" : strsignal(signal));
  family->generate(seed, &text);
  nr_buf_printf(&path, "%s/%s-%llu.mlir", o->found, family->name, (unsigned long long)seed);
  save(path.data, &text, &copy, seed, family->name);
  fprintf(stderr, "%s: %s\n  %s\n", path.data, copy.what, copy.message);
  if (o->reduce && copy.what[0] && w->failures <= MAX_REDUCED) reduce(path.data, &copy, &small);
  nr_buf_printf(&w->reports, "\nprograms --family=%s --seed=%llu --count=1: %s\n  %s\n", family->name,
                (unsigned long long)seed, copy.what, copy.message);
  if (small.size && small.size <= MAX_SHOWN) nr_buf_append(&w->reports, small.data, small.size);
  nr_buf_deinit(&text);
  nr_buf_deinit(&path);
  nr_buf_deinit(&small);
}

/* ---- many programs ---------------------------------------------------------------------------------------------- */

static bool is_over(const Workers *w, uint64_t number) {
  return (w->options->count && number >= w->options->count) || (w->end > 0 && fuzz_now() >= w->end);
}

/* Each takes every jobs-th program. */
static void start(Workers *w, int job) {
  fflush(NULL);
  w->pids[job] = fork();
  if (w->pids[job]) return;
  Slot *slot = &w->slots[job];
  for (; !is_over(w, slot->next); slot->next += (uint64_t)w->options->jobs)
    if (!program_holds(w->options, slot->next, slot)) _exit(1);
  slot->done = true;
  _exit(0);
}

static void wait_for_all(Workers *w) {
  int running = 0, status;
  for (int job = 0; job < w->options->jobs; job++, running++) {
    w->slots[job].next = (uint64_t)job;
    w->slots[job].slow = w->options->slow;
    start(w, job);
  }
  while (running > 0) {
    pid_t pid = wait(&status);
    int job = 0;
    while (job < w->options->jobs && w->pids[job] != pid) job++;
    if (job == w->options->jobs) continue;
    Slot *slot = &w->slots[job];
    if (slot->done) {
      running--;
      continue;
    }
    w->failures++;
    report(w, slot, slot->next, status);
    slot->next += (uint64_t)w->options->jobs;
    if (w->failures < MAX_FAILURES && !is_over(w, slot->next)) start(w, job);
    else running--;
  }
}

static int run_many(const Options *o) {
  Workers w = {.options = o, .end = o->seconds > 0 ? fuzz_now() + o->seconds : 0};
  w.slots = mmap(NULL, sizeof *w.slots * MAX_JOBS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (w.slots == MAP_FAILED) return 2;
  if (mkdir(o->found, 0777) && errno != EEXIST) fprintf(stderr, "programs: cannot make '%s'\n", o->found);
  printf("programs: first seed %llu\n", (unsigned long long)o->seed);
  double begin = fuzz_now();
  wait_for_all(&w);
  CheckCounts all = {0};
  const Slot *slowest = w.slots;
  for (int i = 0; i < o->jobs; i++) {
    if (w.slots[i].slowest.seconds > slowest->slowest.seconds) slowest = &w.slots[i];
    all.programs += w.slots[i].counts.programs;
    all.runs += w.slots[i].counts.runs;
    all.refused += w.slots[i].counts.refused;
  }
  printf("programs: %llu programs, %llu runs in %.0f s; %d failed; %llu sequences of passes ended with a message\n",
         (unsigned long long)all.programs, (unsigned long long)all.runs, fuzz_now() - begin, w.failures,
         (unsigned long long)all.refused);
  printf("programs: the slowest, %.1f s: --family=%s --seed=%llu %s\n", slowest->slowest.seconds,
         family_of(o, slowest->slowest.number)->name, (unsigned long long)(o->seed + slowest->slowest.number),
         slowest->slowest.what);
  if (w.reports.size) fputs(w.reports.data, stdout);
  nr_buf_deinit(&w.reports);
  munmap(w.slots, sizeof *w.slots * MAX_JOBS);
  return w.failures != 0;
}

/* ---- command line ----------------------------------------------------------------------------------------------- */

static bool take_option(Options *o, const char *arg) {
  const char *v;
  if (fuzz_take_option(arg, "--family", &o->family) || fuzz_take_option(arg, "--found", &o->found) ||
      fuzz_take_option(arg, "--passes", &o->passes) || fuzz_take_option(arg, "--pipeline", &o->pipeline) ||
      fuzz_take_option(arg, "--text", &o->text) || fuzz_take_option(arg, "--cpu", &o->cpu))
    return true;
  if (fuzz_take_option(arg, "--seed", &v)) return o->seed = strtoull(v, NULL, 10), o->has_seed = true;
  if (fuzz_take_option(arg, "--count", &v)) return o->count = strtoull(v, NULL, 10), true;
  if (fuzz_take_option(arg, "--seconds", &v)) return o->seconds = strtod(v, NULL), true;
  if (fuzz_take_option(arg, "--only", &o->only)) return true;
  if (fuzz_take_option(arg, "--longest", &v)) return o->longest = atoi(v), true;
  if (fuzz_take_option(arg, "--slow", &v)) return o->slow = strtod(v, NULL), true;
  if (fuzz_take_option(arg, "--jobs", &v)) return o->jobs = atoi(v), true;
  if (fuzz_take_option(arg, "--c-source", &v)) return o->c_source = true;
  if (fuzz_take_option(arg, "--hangs", &v)) return o->hangs = true;
  if (fuzz_take_option(arg, "--no-reduce", &v)) return o->reduce = false, true;
  if (fuzz_take_option(arg, "--check", &v)) return o->check = true;
  if (fuzz_take_option(arg, "--print", &v)) return o->has_print = true;
  return false;
}

int main(int argc, char **argv) {
  Options o = {.found = "found", .jobs = 1, .reduce = true};
  int result = 0;
  self = argv[0];
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] != '-') continue;
    if (take_option(&o, argv[i])) continue;
    fputs(help, stderr);
    return 2;
  }
  if (!o.has_seed) o.seed = (uint64_t)time(NULL) % 100000000 * 1000 + (uint64_t)getpid() % 1000;
  if (o.jobs < 1 || o.jobs > MAX_JOBS) o.jobs = 1;
  if (!o.check && !o.has_print) return run_many(&o);
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') continue;
    if (o.check) {
      result = NR_MAX(result, check_file(&o, argv[i]));
      continue;
    }
    NrBuf text = {0};
    family_of(&o, 0)->generate(strtoull(argv[i], NULL, 10), &text);
    fputs(text.data, stdout);
    nr_buf_deinit(&text);
  }
  return result;
}
