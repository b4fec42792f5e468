/* compile.c - `noria compile`: a program to a file that runs without the compiler. */
#include <stdio.h>

#include "job.h"
#include "tools.h"

static const char help[] =
    "usage: noria compile [options] FILE -o OUT\n"
    "\n"
    "Compiles FILE, an ONNX model or text IR, to machine code. OUT needs libnoria_runtime to run, and nothing else: "
    "no\n"
    "compiler, no LLVM, no Python. It is replaced atomically. Its kind follows from its ending, or from --emit:\n"
    "\n"
    "  OUT.so   --emit=so     a shared library, which noria run and noria_program_load open\n"
    "  OUT.o    --emit=obj    an object file with the one symbol noria_module, to be linked into a program\n"
    "  OUT.ll   --emit=ll     LLVM IR\n"
    "  OUT.s    --emit=asm    assembly\n"
    "  OUT.c    --emit=c      C source, and with it a header: without LLVM; see docs/codegen.md\n"
    "\n"
    "  --header FILE          also write a C header that declares the module and tells its inputs and outputs\n"
    "  --entry=NAME           of text IR: the function; without it the one marked noria.entry, @main, or the only "
    "public one\n"
    "  --shape N=16           fix a symbol of the inputs' shapes, or all of an input's dims: --shape x=1x3x?\n"
    "                         N=warn: dims of the symbol N may differ, which is a warning; *=warn: of every symbol\n"
    "  --cpu=NAME             machine code for this CPU (LLVM's name, `native`); --features=+avx2,-fma; -O=1, 2 or 3\n"
    "  --cpu=NAME,NAME..      code for each of them; the last that a machine can run is used there\n"
    "  --shard=batch|tensor   of a model: OUT shares it out over the ranks that run it (noria_program_run_ranks)\n"
    "  --format=onnx|mlir     the kind of FILE, if its ending does not say\n"
    "  --outline-parameters=FILE.safetensors\n"
    "                         write constants of at least --outline-min=BYTES (also 64K; else 4K) to this file;\n"
    "                         the program needs it when it is loaded\n"
    "  --compile-memory-limit=BYTES, --compile-time-limit=SECONDS\n"
    "                         of compiling; without them half of what the machine has, and no limit of time\n"
    "  --time                 say on standard error where the time went\n"
    "\n"
    "examples:\n"
    "  noria compile model.onnx -o model.so --header model.h\n"
    "  noria compile model.onnx -o model.o --cpu=x86-64-v3\n"
    "  noria compile model.onnx -o model.so --cpu=x86-64-v2,x86-64-v3,x86-64-v4\n"
    "  noria compile kernels.mlir --entry=gcd -o gcd.s\n";

typedef struct Compile {
  Job job;
  const char *out, *emit, *header;
} Compile;

static const struct Kind {
  const char *emit, *suffix;
  NrCodegenKind kind;
} kinds[] = {
    {"so", ".so", NR_CODEGEN_SHARED},
    {"obj", ".o", NR_CODEGEN_OBJECT},
    {"ll", ".ll", NR_CODEGEN_LLVM_IR},
    {"asm", ".s", NR_CODEGEN_ASSEMBLY},
    {"c", ".c", NR_CODEGEN_C},
};

static const struct Kind *find_kind(const Compile *c) {
  size_t n = strlen(c->out);
  for (size_t i = 0; i < NR_COUNTOF(kinds); i++) {
    size_t k = strlen(kinds[i].suffix);
    if (c->emit ? strcmp(c->emit, kinds[i].emit) == 0 : n > k && strcmp(c->out + n - k, kinds[i].suffix) == 0)
      return &kinds[i];
  }
  return NULL;
}

static int check(const Compile *c) {
  if (!c->job.path) return tool_usage_error("compile", "which program? Name a file, or - for standard input");
  if (c->job.args.size)
    return tool_usage_error("compile", "one file at a time: '%s' is one too many", c->job.args.data[0]);
  if (!c->out) return tool_usage_error("compile", "-o FILE says where to write");
  if (!find_kind(c) && c->emit) return tool_usage_error("compile", "--emit is so, obj, ll, asm or c");
  if (!find_kind(c))
    return tool_usage_error("compile", "'%s' ends in none of .so, .o, .ll, .s, .c: say --emit=", c->out);
  return 0;
}

static int take_arguments(Compile *c, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i], *value;
    if (arg[0] != '-' || !arg[1]) {
      job_take_argument(&c->job, arg);
    } else if (strcmp(arg, "-o") == 0) {
      if (++i == argc) return tool_usage_error("compile", "-o needs a file name");
      c->out = argv[i];
    } else if ((value = job_option_value("header", argc, argv, &i))) {
      c->header = value;
    } else if ((value = job_option_value("outline-parameters", argc, argv, &i))) {
      c->job.options.outline_parameters = value;
      if (!*value) return tool_usage_error("compile", "--outline-parameters needs a file name");
    } else if ((value = job_option_value("outline-min", argc, argv, &i))) {
      if (!nr_parse_size(value, &c->job.options.outline_min_bytes))
        return tool_usage_error("compile", "--outline-min cannot be '%s'", value);
      c->job.options.outline_min_bytes = NR_MAX(c->job.options.outline_min_bytes, 1);
    } else if ((value = job_option_value("emit", argc, argv, &i))) {
      c->emit = value;
    } else {
      int status = job_take_option(&c->job, argc, argv, &i);
      if (status < 0) return tool_no_option("compile", help, false, arg);
      if (status) return status;
    }
  }
  return c->job.help ? 0 : check(c);
}

static int compile(Compile *c) {
  NrCompilation unit = {0};
  Job *job = &c->job;
  if (job_read(job, &unit)) return 1;
  int64_t start = nr_now_ns();
  progress_begin("compiling", job->path);
  NrStatus status = NR_OK;
  if (find_kind(c)->kind == NR_CODEGEN_C) status = nr_compilation_set_c(&unit, &job->options);
  if (!status) status = nr_compilation_lower(&unit, &(NrPassOptions){0});
  job->times.lower = nr_now_ns() - start;
  if (!status)
    status = nr_compilation_emit(&unit, &job->options, &job->times.code, find_kind(c)->kind, c->out, c->header);
  progress_end();
  if (status) return job_report_unit(job, &unit, status);
  nr_compilation_deinit(&unit);
  if (job->time) job_put_times(job);
  return 0;
}

int tool_compile(int argc, char **argv) {
  Compile c = {.job.tool = "compile"};
  int status = take_arguments(&c, argc, argv);
  if (!status && c.job.help) fputs(help, stdout);
  else if (!status) status = compile(&c);
  job_deinit(&c.job);
  return status;
}

bool compile_can_make(const char *out) { return find_kind(&(Compile){.out = out}) != NULL; }

int compile_to_file(Job *job, const char *out, const char *header) {
  Compile c = {.job = *job, .out = out, .header = header};
  int status = compile(&c);
  *job = c.job;
  return status;
}
