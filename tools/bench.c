/* bench.c - `noria bench`: how long a program takes, from compile to call. */
#include <stdio.h>
#include <stdlib.h>

#include "job.h"
#include "tools.h"

static const char help[] =
    "usage: noria bench [options] FILE [VALUE...]\n"
    "\n"
    "Compiles FILE, an ONNX model or text IR, and runs it again and again with the same inputs; a library that\n"
    "`noria compile` made (.so) is run as it is. Says what compiling, or loading the library, took,\n"
    "and of the runs the median, the least, and the spread: 10% of the runs are below its first number, 10% above the\n"
    "second. Fast programs are timed in groups, so that the clock does not count.\n"
    "\n"
    "  VALUE, --input NAME=VALUE   as for noria run; inputs that are not given are random, their open dims 1\n"
    "  --seconds=S                 for how long (1)\n"
    "  --threads=N                 of a run; 0 (the default) is one per CPU\n"
    "  --ranks=N --shard=batch|tensor --channel=threads|nccl   N ranks that are threads, as for noria run. A run\n"
    "                              starts them and ends with the last\n"
    "  --entry=NAME --shape N=16 --cpu=NAME --seed=N --interpret --check\n"
    "                              as for noria run\n"
    "\n"
    "examples:\n"
    "  noria bench model.onnx --threads=1\n"
    "  noria bench model.onnx --shape N=64 --input x=random --seconds=5\n"
    "  noria bench gcd.mlir --entry=gcd 48 180\n";

enum { MOST_SAMPLES = 1 << 16, LEAST_SAMPLES = 5 };

typedef struct Samples {
  NR_VEC(double) ns; /* a run each */
  int64_t runs;
} Samples;

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const Samples *s, double q) {
  return s->ns.data[(size_t)(q * (double)(s->ns.size - 1) + 0.5)];
}

/* Nanoseconds of `count` runs; negative after an error. */
static int64_t time_runs(Job *job, int64_t count) {
  size_t num_outputs = (size_t)noria_program_module(job->program)->num_outputs * (size_t)NR_MAX(job->num_ranks, 1);
  NoriaError error = NORIA_ERROR_INIT;
  int64_t start = nr_now_ns();
  for (int64_t i = 0; i < count; i++) {
    if (ranks_run(job, job->program, job->results.data, &error)) {
      job_report(job, &error);
      return -1;
    }
    for (size_t k = 0; k < num_outputs; k++) noria_value_release(job->results.data[k]);
  }
  return nr_now_ns() - start;
}

/* Measures groups of runs of at least 20 us each, for the given time, after a warm-up of a tenth of it. */
static bool measure(Job *job, double seconds, Samples *out) {
  int64_t budget = (int64_t)(seconds * 1e9), begin = nr_now_ns(), group = 1, spent = 0;
  while (nr_now_ns() - begin < budget / 10 || spent < 20000) {
    if ((spent = time_runs(job, group)) < 0) return false;
    if (spent < 20000) group *= 2;
    else if (nr_now_ns() - begin >= budget / 10) break;
  }
  begin = nr_now_ns();
  while (out->ns.size < LEAST_SAMPLES || (nr_now_ns() - begin < budget && out->ns.size < MOST_SAMPLES)) {
    if ((spent = time_runs(job, group)) < 0) return false;
    nr_vec_push(&out->ns, (double)spent / (double)group);
    out->runs += group;
    if (nr_now_ns() - begin > 10 * budget) break; /* a few runs suffice for a program that takes seconds */
  }
  qsort(out->ns.data, out->ns.size, sizeof *out->ns.data, by_size);
  return true;
}

static const char *unit_of(double ns, double *scale) {
  static const struct {
    const char *name;
    double ns;
  } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  size_t i = 0;
  while (i + 1 < NR_COUNTOF(units) && ns < units[i].ns) i++;
  *scale = units[i].ns;
  return units[i].name;
}

static void put_time(const char *what, double ns, const char *comment) {
  double scale;
  const char *unit = unit_of(ns, &scale);
  printf("%-12s %9.2f %s%s%s\n", what, ns / scale, unit, *comment ? "  " : "", comment);
}

static void put_compile(const Job *job, int64_t first) {
  const NrCodegenTimes *c = &job->times.code;
  if (job->library) {
    put_time("load", (double)job->times.read, "");
    put_time("first run", (double)first, "");
    return;
  }
  int64_t code = c->load + c->build + c->optimize + c->emit + c->link;
  NrBuf parts = {0};
  nr_buf_printf(&parts, "read %.2f, lower %.2f", (double)job->times.read / 1e6, (double)job->times.lower / 1e6);
  if (!job->interpret)
    nr_buf_printf(&parts, "; LLVM: load %.2f, build %.2f, optimize %.2f, emit %.2f, link %.2f ms",
                  (double)c->load / 1e6, (double)c->build / 1e6, (double)c->optimize / 1e6, (double)c->emit / 1e6,
                  (double)c->link / 1e6);
  printf("%-12s %9.2f ms  %s\n", "compile", (double)(job->times.read + job->times.lower + code) / 1e6, parts.data);
  put_time("first run", (double)first, "");
  nr_buf_deinit(&parts);
}

/* One more run, for its memory statistics. */
static int put_stats(Job *job) {
  NoriaRunStats stats;
  NoriaRunOptions options = {.limits = job->options.program.limits, .stats = &stats};
  NoriaError error = NORIA_ERROR_INIT;
  size_t count = (size_t)noria_program_module(job->program)->num_outputs;
  if (noria_program_run(job->program, (const NoriaValue *const *)job->feeds.data, job->feeds.size, job->results.data,
                        count, &options, &error))
    return job_report(job, &error);
  job->results.size = count;
  printf("%-12s %lld bytes at once, %lld allocations a run\n", "memory", (long long)stats.peak_memory,
         (long long)stats.allocations);
  return 0;
}

static int bench(Job *job, double seconds) {
  if (!job->channel) job->channel = job->ranks ? "threads" : "none"; /* not those of mpirun */
  int status = ranks_begin(job);
  if (status) return status;
  if (job_compile(job) || job_bind(job, noria_program_module(job->program), true) || job_run(job)) return 1;
  int64_t first = job->times.run;
  Samples samples = {0};
  job_drop_results(job);
  bool ok = measure(job, seconds, &samples);
  if (ok) {
    NrBuf spread = {0};
    double scale, low = quantile(&samples, 0.1), high = quantile(&samples, 0.9);
    const char *unit = unit_of(low, &scale);
    nr_buf_printf(&spread, "least %.2f, spread %.2f to %.2f %s, of %lld runs", samples.ns.data[0] / scale, low / scale,
                  high / scale, unit, (long long)samples.runs);
    put_compile(job, first);
    put_time("run", quantile(&samples, 0.5), spread.data);
    nr_buf_deinit(&spread);
    ok = job->ranks || put_stats(job) == 0;
  }
  nr_vec_deinit(&samples.ns);
  return ok ? 0 : 1;
}

int tool_bench(int argc, char **argv) {
  Job job = {.tool = "bench"};
  double seconds = 1;
  int status = 0;
  for (int i = 1; i < argc && !status; i++) {
    const char *arg = argv[i], *value;
    if (strcmp(arg, "-") == 0 || (job.path ? job_is_value(arg) : arg[0] != '-')) {
      job_take_argument(&job, arg);
    } else if ((value = job_option_value("seconds", argc, argv, &i))) {
      if (!parse_seconds(value, &seconds) || seconds == 0 || seconds > 1e6)
        status = tool_usage_error("bench", "--seconds cannot be '%s'", value);
    } else {
      status = ranks_take_option(&job, argc, argv, &i);
      if (status < 0) status = job_take_option(&job, argc, argv, &i);
      if (status < 0) status = tool_no_option("bench", help, false, arg);
    }
  }
  if (!status && !job.path && !job.help) status = tool_usage_error("bench", "which program? Name a file");
  if (!status && job.channel && !job.ranks && strcmp(job.channel, "none"))
    status = tool_usage_error("bench", "processes would not agree on how often to run: --ranks=N runs threads");
  if (!status && !job.help) status = job_look(&job, NULL);
  if (!status && job.help) fputs(help, stdout);
  else if (!status) status = bench(&job, seconds);
  job_deinit(&job);
  return status;
}
