/* sparse.c - `noria sparse`: a kernel over sparse tensors from an index expression. */
#include <stdio.h>

#include "sparse_job.h"

static const char help[] =
    "usage: noria sparse EXPR [-f=TENSOR:FORMAT...] [options]\n"
    "\n"
    "Makes the loops that compute an index expression over sparse tensors, and prints them as text IR. With -o they\n"
    "are compiled, with --run computed. Indices that the left side has not are summed over, in each term alone.\n"
    "\n"
    "  EXPR                   'A(i,j) = B(i,k) * C(k,j)'; also + - and numbers, parentheses, scalars 'a', and +=\n"
    "  -f=TENSOR:LEVELS       a letter for each level of storage: d dense, s compressed, q singleton. Tensors without\n"
    "                         a format are dense. B:ds is CSR, B:ss DCSR, B:sq COO, T:sss CSF\n"
    "  -f=TENSOR:LEVELS:DIMS  and the dim that each level stores: B:ds:1,0 is CSC\n"
    "  --type=f64             of elements: f16, f32, f64, i32, i64\n"
    "  --index=i32            of positions and coordinates: i32, i64\n"
    "  --name=kernel          of the function\n"
    "  --print                print the function; the default without -o and --run\n"
    "  -o FILE                compile it to a file as `noria compile` does: .so, .o, .ll, .s; .mlir is the text\n"
    "  --header FILE          with -o, also write a C header\n"
    "\n"
    "examples:\n"
    "  noria sparse 'y(i) = A(i,j) * x(j)' -f=A:ds\n"
    "  noria sparse 'A(i,j) = B(i,j) + C(i,j)' -f=A:ds -f=B:ds -f=C:ds\n"
    "  noria sparse 'A(i,j) = B(i,k) * C(k,j)' -f=A:ds -f=B:ds -f=C:ds --type=f32 -o spgemm.so\n"
    "  noria sparse 'A(i,j) = B(i,k,l) * C(k,j) * D(l,j)' -f=B:sss\n";

static int take_option(SparseJob *job, int argc, char **argv, int *io_at) {
  const char *arg = argv[*io_at], *value;
  if (tool_option(arg, "help", &value) || !strcmp(arg, "-h")) job->help = true;
  else if (tool_option(arg, "print", &value) && !value) job->print = true;
  else if ((value = job_option_value("f", argc, argv, io_at))) nr_vec_push(&job->formats, value);
  else if ((value = job_option_value("type", argc, argv, io_at))) job->options.type = value;
  else if ((value = job_option_value("index", argc, argv, io_at))) job->options.index = value;
  else if ((value = job_option_value("name", argc, argv, io_at))) job->options.name = value;
  else if ((value = job_option_value("header", argc, argv, io_at))) job->header = value;
  else if (!strcmp(arg, "-o") && *io_at + 1 < argc) job->out = argv[++*io_at];
  else return !strcmp(arg, "-o") ? tool_usage_error("sparse", "-o needs a file name") : tool_no_option("sparse", help, false, arg);
  return 0;
}

static int take_arguments(SparseJob *job, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') {
      int status = take_option(job, argc, argv, &i);
      if (status) return status;
    } else if (!job->expr) {
      job->expr = argv[i];
    } else {
      return tool_usage_error("sparse", "'%s' is one argument too many", argv[i]);
    }
  }
  if (!job->help && !job->expr) return tool_usage_error("sparse", "which expression? 'y(i) = A(i,j) * x(j)'");
  return 0;
}

/* The text, and below it a caret at the place of the error. */
static int report(const char *text, const NrSparseError *error) {
  fprintf(stderr, "noria sparse: %s\n", error->message);
  if (error->column) fprintf(stderr, "  %s\n  %*s^\n", text, (int)error->column - 1, "");
  return 1;
}

int sparse_make(SparseJob *job) {
  NrSparseError error;
  if (nr_sparse_parse(&job->arena, nr_str(job->expr), &job->assignment, &error)) return report(job->expr, &error);
  for (size_t i = 0; i < job->formats.size; i++)
    if (nr_sparse_set_format(&job->arena, &job->assignment, nr_str(job->formats.data[i]), &error))
      return report(job->formats.data[i], &error);
  if (nr_sparse_lower(&job->arena, &job->assignment, &job->options, &job->kernel, &error))
    return report(job->expr, &error);
  return 0;
}

int tool_sparse(int argc, char **argv) {
  SparseJob job = {0};
  nr_arena_init(&job.arena);
  int status = take_arguments(&job, argc, argv);
  if (!status && job.help) {
    fputs(help, stdout);
  } else if (!status && !(status = sparse_make(&job))) {
    if (job.print || !job.out) fwrite(job.kernel.text.data, 1, job.kernel.text.size, stdout);
  }
  nr_sparse_kernel_deinit(&job.kernel);
  nr_vec_deinit(&job.formats);
  nr_arena_deinit(&job.arena);
  return status;
}
