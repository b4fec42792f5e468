/* run.c - `noria run`: compiles a program in memory, or opens a compiled one, and runs it once. */
#include <stdio.h>

#include "job.h"
#include "tools.h"

static const char help[] =
    "usage: noria run [options] FILE [VALUE...]\n"
    "\n"
    "Compiles FILE, an ONNX model or text IR (`-`: standard input), in memory and runs it once; a library that\n"
    "`noria compile` made (.so) is run as it is, without the options of compiling. Outputs that are not saved\n"
    "are printed, one a line: scalars of text IR as `12 : i64`, tensors as `dense<...> : tensor<...>`, sequences as\n"
    "`[ITEM, ITEM]`, maps as `{KEY: VALUE}`, optionals as what they hold or `none`. All can be given as inputs again.\n"
    "\n"
    "values:\n"
    "  VALUE...               the inputs in order\n"
    "  --input NAME=VALUE     an input by its name\n"
    "  --output NAME=@FILE    save an output as .npy instead of printing it; FILE is replaced atomically\n"
    "  --seed=N               of random values; the same seed gives the same values\n"
    "\n"
    "  A VALUE is   @x.npy                      a NumPy file\n"
    "               42   -1.5   true   (1,2)    a scalar; also with its type, '12 : i64'\n"
    "               '[[1, 2], [3, 4]]'          a tensor\n"
    "               zeros:4x4xf32               also ones, random; shape or type may be left out where the program "
    "says it\n"
    "               'dense<1.0> : tensor<4xf32>'\n"
    "               word   '[\"a\", \"b c\"]'   strings: one as it is; in lists, and with escapes, in quotes\n"
    "               '[[1, 2], @x.npy, zeros:3]'   a sequence: a list of any of these\n"
    "               '{\"a\": 1.5, \"b\": 2}'        a map; keys that are integers: {1: 1.5}\n"
    "               none                        an optional that is empty; else the value that it holds\n"
    "\n"
    "program:\n"
    "  --entry=NAME           the function to run; without it the one marked noria.entry, @main, or the only public "
    "one\n"
    "  --shape N=16           fix a symbol of the inputs' shapes, or all of an input's dims: --shape x=1x3x?\n"
    "                         N=warn: dims of the symbol N may differ, which is a warning; *=warn: of every symbol\n"
    "  --interpret            run the reference interpreter instead of machine code\n"
    "  --check-bounds         machine code that ends with an error where an index is out of bounds, as the\n"
    "                         interpreter does always (text IR; what is made of a model checks what can be wrong)\n"
    "  --check                kernels of the library that the program calls check their input: a list that should be\n"
    "                         sorted and is not ends the run with an error that says where; also the coordinates of\n"
    "                         sparse tensors\n"
    "  --sanitize=address     machine code that ends with an error where it reads or writes memory that is not the\n"
    "                         program's: for finding errors of the compiler, and in text IR; slow\n"
    "  --cpu=NAME             machine code for this CPU (LLVM's name); --features=+avx2,-fma; -O=1, 2 or 3\n"
    "  --library=libx.so      a shared library with functions that the program calls (flow.call); may be repeated\n"
    "  --parameters=[SCOPE=]FILE\n"
    "                         a safetensors file, or an ONNX model, with parameters (#flow.parameter.named);\n"
    "                         may be repeated\n"
    "  --tiered               run code of -O=1, which is made sooner, while that of -O=2 is made; then wait until the\n"
    "                         cache has that, unless there is none\n"
    "  --cache=off|DIR        do not keep the compiled program, or keep it in DIR (noria cache --help)\n"
    "  --format=onnx|mlir     the kind of FILE, if its ending does not say\n"
    "\n"
    "ranks, for programs with flow.channel and flow.collective ops:\n"
    "  --ranks=N              run the program as N ranks, threads of this process that exchange tensors. Under\n"
    "                         mpirun its processes are the ranks. Rank 0 prints the results of all, each line behind\n"
    "                         `[rank] `.\n"
    "                         Inputs are the same for all ranks, but a %r in the name of a file becomes the rank\n"
    "  --shard=batch|tensor   share a model out over the ranks: each runs it on its part of the batch, or each has\n"
    "                         its part of the large weights; all get the whole results\n"
    "  --channel=threads|mpi|nccl|none   who the ranks are, if not as above. none: one rank; nccl: threads or those\n"
    "                         of mpirun, each with a GPU\n"
    "  --check-collectives    compare what the ranks call before each collective, also where it is in the program\n"
    "\n"
    "limits, 0 = none; Ctrl-C stops the run too:\n"
    "  --threads=N            of a run; 0 (the default) is one per CPU\n"
    "  --time-limit=SECONDS   --iteration-limit=N (trips of all loops)   --memory-limit=BYTES (also 64M, 2G)\n"
    "  --compile-memory-limit=BYTES, --compile-time-limit=SECONDS\n"
    "                         of compiling; without them half of what the machine has, and no limit of time\n"
    "\n"
    "stages (noria opt --list-pipeline):\n"
    "  --check-stages         run the interpreter after every stage, then machine code; standard error says which "
    "were\n"
    "                         compared. A stage that changes the result is named, and the exit code is 1. A model's\n"
    "                         first stage that can be run is tensor. --check-passes: after every pass\n"
    "  --stop-after=STAGE     print the program after STAGE instead of running it\n"
    "  --print-after=PASS     print it after PASS (all: after each), the same\n"
    "  --explain-bufferize    report at each op what is written in place, what is copied, and why\n"
    "  --explain-fusion       report which ops become one dispatch, which do not, what they cost, and why\n"
    "  --explain-vectorize    report which loops with loops inside, sin, cos or tan become vectors, and why\n"
    "\n"
    "  --time                 say on standard error where the time went\n"
    "\n"
    "Functions get copies of the memrefs that are given to them. What they leave there can be saved under the "
    "argument's name,\n"
    "and is printed when they return nothing else.\n"
    "\n"
    "examples:\n"
    "  noria run model.onnx --input x=@x.npy --output y=@y.npy\n"
    "  noria run model.onnx --input x=random:1x3x224x224xf32 --seed=7 --time\n"
    "  noria run gcd.mlir --entry=gcd 48 180\n"
    "  noria compile model.onnx -o model.so && noria run model.so --input x=@x.npy\n"
    "  noria run --ranks=4 sum.mlir @part%r.npy      mpirun -n 4 noria run sum.mlir @part%r.npy\n"
    "  echo 'func.func @f(%x: i64) -> i64 { return %x : i64 }' | noria run - 12\n";

typedef struct Run {
  Job job;
  bool check, each_pass;
} Run;

static int take_arguments(Run *run, int argc, char **argv) {
  Job *job = &run->job;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-") == 0 || (job->path ? job_is_value(argv[i]) : argv[i][0] != '-')) {
      job_take_argument(job, argv[i]);
      continue;
    }
    const char *arg = argv[i], *value;
    if (tool_option(arg, "check-stages", &value)) {
      run->check = true;
      continue;
    }
    if (tool_option(arg, "check-passes", &value)) {
      run->check = run->each_pass = true;
      continue;
    }
    if (tool_option(arg, "tiered", &value) && !value) {
      job->options.tiered = 1;
      continue;
    }
    int status = ranks_take_option(job, argc, argv, &i);
    if (status < 0) status = job_take_option(job, argc, argv, &i);
    if (status < 0) return tool_no_option(job->tool, help, false, arg);
    if (status) return status;
  }
  if (job->help) return 0;
  if (!job->path) return tool_usage_error(job->tool, "which program? Name a file, or - for standard input");
  return job_look(job, run->each_pass ? "--check-passes" : run->check ? "--check-stages" : NULL);
}

static int compile_and_run(Run *run) {
  Job *job = &run->job;
  int status;
  if (run->check) {
    status = job_check_stages(job, run->each_pass);
  } else {
    status = job_compile(job);
    if (!status) status = job_bind(job, noria_program_module(job->program), false);
    if (!status) status = job_run(job);
  }
  if (!status) status = job_put_results(job);
  if (job->time && job->program) job_put_times(job);
  if (!status && job->program) job_finish_cache(job);
  return status;
}

int tool_run(int argc, char **argv) {
  Run run = {.job = {.tool = "run", .options.cache = "default"}};
  int status = take_arguments(&run, argc, argv);
  if (!status && run.job.help) fputs(help, stdout);
  else if (!status && (run.job.stop_after || run.job.print_after)) status = job_print(&run.job);
  else if (!status && !(status = ranks_begin(&run.job))) status = ranks_end(&run.job, compile_and_run(&run));
  job_deinit(&run.job);
  return status;
}
