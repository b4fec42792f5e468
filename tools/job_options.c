/* job_options.c - the command line options of a job; see job.h. */
#include "job.h"

#include <errno.h>
#include <stdlib.h>

#include "tools.h"

bool parse_count(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = text ? strtoll(text, &end, 10) : 0;
  return text && end != text && !*end && !errno && *out >= 0;
}

bool parse_seconds(const char *text, double *out) {
  char *end;
  *out = text ? strtod(text, &end) : 0;
  return text && end != text && !*end && *out >= 0;
}

static bool is_name_char(char c) { return strchr("=@[<\"( ", c) == NULL; }

/* "name=text", or a text alone, which begins with a character that names do not have. */
static Assignment split(const char *text) {
  size_t n = 0;
  while (text[n] && is_name_char(text[n])) n++;
  return text[n] == '=' ? (Assignment){{text, n}, text + n + 1} : (Assignment){{text, 0}, text};
}

bool job_is_value(const char *arg) {
  return arg[0] != '-' || (arg[1] >= '0' && arg[1] <= '9') || arg[1] == '.' || strcmp(arg, "-inf") == 0 ||
         strcmp(arg, "-nan") == 0;
}

const char *job_option_value(const char *name, int argc, char **argv, int *io_at) {
  const char *value;
  if (!tool_option(argv[*io_at], name, &value)) return NULL;
  if (value) return value;
  return *io_at + 1 < argc ? argv[++*io_at] : "";
}

static int wrong(const Job *job, const char *option, const char *value) {
  return tool_usage_error(job->tool, "--%s cannot be '%s'", option, value);
}

static int take_limit(Job *job, int argc, char **argv, int *io_at) {
  NoriaRunLimits *limits = &job->options.program.limits;
  const char *value;
  if ((value = job_option_value("time-limit", argc, argv, io_at)))
    return parse_seconds(value, &limits->time_s) ? 0 : wrong(job, "time-limit", value);
  if ((value = job_option_value("iteration-limit", argc, argv, io_at)))
    return parse_count(value, &limits->iterations) ? 0 : wrong(job, "iteration-limit", value);
  if ((value = job_option_value("memory-limit", argc, argv, io_at)))
    return nr_parse_size(value, &limits->memory) ? 0 : wrong(job, "memory-limit", value);
  return -1;
}

static int take_number(Job *job, int argc, char **argv, int *io_at) {
  const char *value;
  int64_t number = 0;
  if ((value = job_option_value("threads", argc, argv, io_at))) {
    if (!parse_count(value, &number) || number > 4096) return wrong(job, "threads", value);
    job->options.program.threads = (int32_t)number;
    return 0;
  }
  if ((value = job_option_value("seed", argc, argv, io_at))) {
    if (!parse_count(value, &number)) return wrong(job, "seed", value);
    job->seed = (uint64_t)number;
    return 0;
  }
  if ((value = job_option_value("O", argc, argv, io_at))) {
    if (!parse_count(value, &number) || number < 1 || number > 3) return wrong(job, "O", value);
    job->options.opt_level = (int32_t)number;
    return 0;
  }
  return take_limit(job, argc, argv, io_at);
}

int job_take_option(Job *job, int argc, char **argv, int *io_at) {
  const char *value, *unused;
  if (tool_option(argv[*io_at], "help", &unused)) return job->help = true, 0;
  if (tool_option(argv[*io_at], "interpret", &unused)) return job->interpret = true, 0;
  if (tool_option(argv[*io_at], "check-bounds", &unused) && !unused) return job->options.check_bounds = 1, 0;
  if (tool_option(argv[*io_at], "check", &unused) && !unused) return job->options.check_input = 1, 0;
  if (tool_option(argv[*io_at], "time", &unused) && !unused) return job->time = true, 0;
  if ((value = job_option_value("stop-after", argc, argv, io_at))) return job->stop_after = value, 0;
  if ((value = job_option_value("print-after", argc, argv, io_at))) {
    job->print_after = tool_pass_name(value);
    return job->print_after ? 0 : wrong(job, "print-after", value);
  }
  if (tool_explain(argv[*io_at], &job->explain)) return 0;
  if ((value = job_option_value("entry", argc, argv, io_at))) {
    job->options.entry = value;
    return *value ? 0 : wrong(job, "entry", value);
  }
  if ((value = job_option_value("sanitize", argc, argv, io_at))) {
    job->options.sanitize = value;
    return strcmp(value, "address") ? wrong(job, "sanitize", value) : 0;
  }
  if ((value = job_option_value("shard", argc, argv, io_at))) {
    job->options.shard = value;
    return strcmp(value, "batch") && strcmp(value, "tensor") ? wrong(job, "shard", value) : 0;
  }
  if ((value = job_option_value("cpu", argc, argv, io_at))) return job->options.cpu = value, 0;
  if ((value = job_option_value("features", argc, argv, io_at))) return job->options.features = value, 0;
  if ((value = job_option_value("cache", argc, argv, io_at))) {
    job->options.cache = value;
    return *value ? 0 : wrong(job, "cache", value);
  }
  if ((value = job_option_value("format", argc, argv, io_at))) {
    job->options.format = value;
    return strcmp(value, "onnx") && strcmp(value, "mlir") ? wrong(job, "format", value) : 0;
  }
  if ((value = job_option_value("shape", argc, argv, io_at))) {
    nr_vec_push(&job->shapes, value);
    job->options.shapes = job->shapes.data;
    job->options.num_shapes = job->shapes.size;
    return 0;
  }
  if ((value = job_option_value("library", argc, argv, io_at))) {
    nr_vec_push(&job->libraries, value);
    job->options.program.libraries = job->libraries.data;
    job->options.program.num_libraries = job->libraries.size;
    return *value ? 0 : wrong(job, "library", value);
  }
  if ((value = job_option_value("parameters", argc, argv, io_at))) {
    nr_vec_push(&job->parameters, value);
    job->options.program.parameter_files = job->parameters.data;
    job->options.program.num_parameter_files = job->parameters.size;
    return *value ? 0 : wrong(job, "parameters", value);
  }
  if ((value = job_option_value("input", argc, argv, io_at))) {
    nr_vec_push(&job->inputs, split(value));
    return 0;
  }
  if ((value = job_option_value("output", argc, argv, io_at))) {
    Assignment output = split(value);
    if (*output.text != '@' || !output.text[1]) return wrong(job, "output", value);
    nr_vec_push(&job->outputs, output);
    return 0;
  }
  return take_number(job, argc, argv, io_at);
}

void job_take_argument(Job *job, const char *arg) {
  if (!job->path) job->path = arg;
  else nr_vec_push(&job->args, arg);
}
