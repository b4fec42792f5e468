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
    "  -f=TENSOR:LEVELS       a letter for each level of storage: d dense, s compressed, u the same in no order,\n"
    "                         q singleton. Tensors without a format are dense. B:ds is CSR, B:ss DCSR, B:sq COO,\n"
    "                         T:sss CSF\n"
    "  -f=TENSOR:LEVELS:DIMS  and the dim that each level stores: B:ds:1,0 is CSC\n"
    "  --type=f64             of elements: i1 (or, and), i8, i16, i32, i64, f16, bf16, f32, f64, complex<f32>,\n"
    "                         complex<f64>\n"
    "  --index=i32            of positions and coordinates: i32, i64, index\n"
    "  --name=kernel          of the function\n"
    "  --check                first check that coordinates are in order, each once\n"
    "  --print                print the function; the default without -o and --run\n"
    "  -o FILE                compile it to a file as `noria compile` does: .so, .o, .ll, .s; .c is C source\n"
    "                         with a header; .mlir is the text\n"
    "  --header FILE          with -o, also write a C header\n"
    "  --run NAME=FILE...     compute it: a Matrix Market file (.mtx) or a NumPy file (.npy, whose zeros are not "
    "stored\n"
    "                         in sparse tensors) for each tensor, a number for each scalar. The arrays of the result\n"
    "                         are printed: pos and crd of each level, and the values\n"
    "  with --run and -o      --cpu, --features, -O, --interpret, --threads, --check-bounds, --time and the limits of\n"
    "                         noria run\n"
    "\n"
    "examples:\n"
    "  noria sparse 'y(i) = A(i,j) * x(j)' -f=A:ds\n"
    "  noria sparse 'A(i,j) = B(i,j) + C(i,j)' -f=A:ds -f=B:ds -f=C:ds\n"
    "  noria sparse 'A(i,j) = B(i,k) * C(k,j)' -f=A:ds -f=B:ds -f=C:ds --type=f32 -o spgemm.so\n"
    "  noria sparse 'A(i,j) = B(i,k,l) * C(k,j) * D(l,j)' -f=B:sss\n"
    "  noria sparse 'y(i) = a * A(i,j) * x(j)' -f=A:ds --run a=2 A=graph.mtx x=ones.npy\n";

static int take_option(SparseJob *job, int argc, char **argv, int *io_at) {
  const char *arg = argv[*io_at], *value;
  if (tool_option(arg, "print", &value) && !value) job->print = true;
  else if (tool_option(arg, "run", &value) && !value) job->run = true;
  else if (tool_option(arg, "check", &value) && !value) job->options.check = true;
  else if ((value = job_option_value("f", argc, argv, io_at))) nr_vec_push(&job->formats, value);
  else if ((value = job_option_value("type", argc, argv, io_at))) job->options.type = value;
  else if ((value = job_option_value("index", argc, argv, io_at))) job->options.index = value;
  else if ((value = job_option_value("name", argc, argv, io_at))) job->options.name = value;
  else if ((value = job_option_value("header", argc, argv, io_at))) job->header = value;
  else if (!strcmp(arg, "-o") && *io_at + 1 == argc) return tool_usage_error("sparse", "-o needs a file name");
  else if (!strcmp(arg, "-o")) job->out = argv[++*io_at];
  else {
    int status = job_take_option(&job->job, argc, argv, io_at);
    return status < 0 ? tool_no_option("sparse", help, false, arg) : status;
  }
  return 0;
}

static bool is_identifier(const char *name) {
  size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  return n && !name[n] && !(*name >= '0' && *name <= '9');
}

static int check_arguments(const SparseJob *job) {
  const char *out = job->out;
  if (!job->expr) return tool_usage_error("sparse", "which expression? 'y(i) = A(i,j) * x(j)'");
  if (job->operands.size && !job->run)
    return tool_usage_error("sparse", "'%s' is for --run, or one argument too many", job->operands.data[0]);
  if (out && !nr_str_ends(nr_str(out), ".mlir") && !compile_can_make(out))
    return tool_usage_error("sparse", "'%s' ends in none of .so, .o, .ll, .s, .c, .mlir", out);
  if (job->header && (!out || nr_str_ends(nr_str(out), ".mlir")))
    return tool_usage_error("sparse", "--header goes with -o of compiled code");
  if (job->options.name && !is_identifier(job->options.name))
    return tool_usage_error("sparse", "--name cannot be '%s'", job->options.name);
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
      nr_vec_push(&job->operands, argv[i]);
    }
  }
  job->options.scalar = job->out && nr_str_ends(nr_str(job->out), ".c");
  return job->job.help ? 0 : check_arguments(job);
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

static int write_file(SparseJob *job) {
  NrStr text = {job->kernel.text.data, job->kernel.text.size};
  if (nr_str_ends(nr_str(job->out), ".mlir")) return tool_write("sparse", job->out, text);
  return compile_to_file(&job->job, job->out, job->header);
}

int tool_sparse(int argc, char **argv) {
  SparseJob job = {.job = {.tool = "sparse", .path = "kernel.mlir"}};
  nr_arena_init(&job.arena);
  int status = take_arguments(&job, argc, argv);
  if (!status && job.job.help) {
    fputs(help, stdout);
  } else if (!status && !(status = sparse_make(&job))) {
    job.job.text = (NrStr){job.kernel.text.data, job.kernel.text.size};
    if (job.print || (!job.out && !job.run)) fwrite(job.kernel.text.data, 1, job.kernel.text.size, stdout);
    if (job.out) status = write_file(&job);
    if (!status && job.run) status = sparse_run(&job);
  }
  nr_sparse_kernel_deinit(&job.kernel);
  nr_vec_deinit(&job.formats);
  nr_vec_deinit(&job.operands);
  job_deinit(&job.job);
  nr_arena_deinit(&job.arena);
  return status;
}
