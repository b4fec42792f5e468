/* noria.c - the command line tool: finds the subcommand. */
#include "base/guard.h"
#include "job.h"
#include "pass/core/pass.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static const struct Tool {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} tools[] = {
    {"run", tool_run, "compile a model or text IR in memory and run it"},
    {"compile", tool_compile, "compile a model or text IR to a file that runs without the compiler"},
    {"bench", tool_bench, "time a program: compile, first run, runs"},
    {"check", tool_check, "say whether a model runs, what is in it and where its time goes"},
    {"show", tool_show, "list the inputs, outputs and contents of a program"},
    {"opt", tool_opt, "read a program in text form, run passes on it, print it"},
    {"reduce", tool_reduce, "make a program small that makes a command fail"},
    {"cache", tool_cache, "show or clear the folder of programs that were compiled before"},
    {"sparse", tool_sparse, "make a kernel over sparse tensors from an index expression"},
};

static const char help_head[] = "noria compiles tensor programs with loops and branches to machine code.\n"
                                "\n"
                                "usage: noria COMMAND [arguments]\n"
                                "\n"
                                "commands:\n";
static const char help_tail[] =
    "\n"
    "`noria COMMAND --help` explains a command with examples. To begin:\n"
    "\n"
    "  noria run model.onnx --input x=@x.npy         run a model\n"
    "  noria run gcd.mlir --entry=gcd 48 180         run a function of text IR\n"
    "  noria compile model.onnx -o model.so          compile it to a library for C programs\n"
    "  noria opt program.mlir                        check a program and print it\n"
    "  noria opt --canonicalize --cse program.mlir   the same after two passes\n"
    "  noria opt --list-ops                          every operation that programs are made of\n";

static void put_help(FILE *to) {
  fputs(help_head, to);
  for (size_t i = 0; i < NR_COUNTOF(tools); i++) fprintf(to, "  %-10s %s\n", tools[i].name, tools[i].summary);
  fputs(help_tail, to);
}

bool tool_option(const char *arg, const char *name, const char **out_value) {
  if (*arg != '-') return false;
  arg += arg[1] == '-' ? 2 : 1;
  size_t n = strlen(name);
  if (strncmp(arg, name, n) != 0 || (arg[n] && arg[n] != '=')) return false;
  *out_value = arg[n] ? arg + n + 1 : NULL;
  return true;
}

static void put_to_stderr(NrBuf *text) {
  if (text->size) fwrite(text->data, 1, text->size, stderr);
  nr_buf_deinit(text);
}

static void render_diag(void *user, const NrDiag *diag) {
  NrBuf text = {0};
  nr_diag_list_add(user, diag, &text);
  put_to_stderr(&text);
}

void tool_show_diags(NrContext *ctx, size_t limit, NrDiagList *list) {
  *list = (NrDiagList){.ctx = ctx, .color = isatty(STDERR_FILENO), .limit = limit};
  nr_context_set_diag_handler(ctx, render_diag, list);
}

void tool_end_diags(NrDiagList *list) {
  NrBuf text = {0};
  nr_diag_flush(list->ctx);
  nr_diag_list_end(list, &text);
  put_to_stderr(&text);
}

int tool_write(const char *tool, const char *path, NrStr text) {
  errno = 0;
  if (nr_file_write(path, text.data, text.size) == NR_OK) return 0;
  bool to_stdout = strcmp(path, "-") == 0;
  fprintf(stderr, "noria %s: cannot write %s%s%s: %s\n", tool, to_stdout ? "to standard output" : "'",
          to_stdout ? "" : path, to_stdout ? "" : "'", errno ? strerror(errno) : "unknown error");
  return 1;
}

int tool_usage_error(const char *tool, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "noria %s: ", tool);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n`noria %s --help` explains.\n", tool);
  va_end(args);
  return 2;
}

int tool_no_option(const char *tool, const char *help, bool or_pass, const char *arg) {
  const char *name = arg + strspn(arg, "-"), *at = help;
  NrNearest nearest = nr_nearest((NrStr){name, strcspn(name, "=")});
  while ((at = strstr(at, "--"))) {
    NrStr option = {at + 2, strspn(at + 2, "abcdefghijklmnopqrstuvwxyz0123456789-")};
    nr_nearest_try(&nearest, option);
    at += 2 + option.size;
  }
  for (size_t i = 0; or_pass && nr_pass_at(i); i++) nr_nearest_try(&nearest, nr_str(nr_pass_at(i)->name));
  for (const NrPassAlias *alias = nr_pass_aliases; or_pass && alias->name; alias++)
    nr_nearest_try(&nearest, nr_str(alias->name));
  return tool_usage_error(tool, "there is no option%s '%s'" NR_HINT, or_pass ? " or pass" : "", arg,
                          NR_HINT_ARG(nearest));
}

const char *tool_pass_name(const char *name) {
  if (strcmp(name, "all") == 0) return "all";
  const NrPass *pass = nr_pass_find(nr_str(name));
  return pass ? pass->name : NULL;
}

bool tool_explain(const char *arg, const char **out_topic) {
  const char *const prefix = "explain-";
  arg += strspn(arg, "-");
  if (strncmp(arg, prefix, strlen(prefix))) return false;
  const NrPass *pass;
  for (size_t i = 0; (pass = nr_pass_at(i)); i++) {
    if (!pass->explains || strcmp(pass->explains, arg + strlen(prefix))) continue;
    *out_topic = pass->explains;
    return true;
  }
  return false;
}

/* If a standard stream was closed when the tool started, opens its descriptor, so that the next opened file does not
 * get it and with it the messages. Writing to it then fails and is reported. */
static void open_standard_streams(void) {
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Text that fits in the buffer is written when the tool ends, which then knows why that failed. */
static char output_buffer[1 << 16];

/* Fails if the output could not be written, for instance on a full disk. */
static int close_standard_streams(int status) {
  bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) || failed || fclose(stdout)) {
    fprintf(stderr, "noria: cannot write to standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    status = status ? status : 1;
  }
  if (ferror(stderr) || fclose(stderr)) status = status ? status : 1; /* nobody can be told */
  return status;
}

typedef struct Command {
  const struct Tool *tool;
  int argc;
  char **argv;
  int status;
} Command;

static void run_command(void *user) {
  Command *c = user;
  c->status = c->tool->run(c->argc, c->argv);
}

/* The value of --inject-fault, "PASS" or "PASS:memory". Not in the help: it is for tests. */
static bool read_injection(const char *text) {
  static char step[64];
  size_t n = text ? strcspn(text, ":") : 0;
  if (!n || n >= sizeof step || (text[n] && strcmp(text + n, ":memory"))) return false;
  memcpy(step, text, n);
  nr_injection = (NrInjection){.step = step, .status = text[n] ? NR_ERROR_MEMORY : NR_ERROR_INTERNAL};
  return true;
}

/* Removes the options that every command has from argv. 0, or 2 when one is invalid. */
static int take_limits(const struct Tool *tool, int *io_argc, char **argv, NrLimits *limits) {
  int kept = 1;
  for (int i = 1; i < *io_argc; i++) {
    const char *value;
    bool ok = true;
    if (tool_option(argv[i], "compile-memory-limit", &value)) ok = nr_parse_size(value, &limits->memory);
    else if (tool_option(argv[i], "compile-time-limit", &value)) ok = parse_seconds(value, &limits->time_s);
    else if (tool_option(argv[i], "inject-fault", &value)) ok = read_injection(value);
    else argv[kept++] = argv[i];
    if (!ok) return tool_usage_error(tool->name, "invalid value in '%s'", argv[i]);
  }
  *io_argc = kept;
  return 0;
}

/* Runs the command under a guard: a fault gives one message, and the memory is freed. */
static int run_guarded(const struct Tool *tool, int argc, char **argv) {
  NrLimits limits = {0};
  int status = take_limits(tool, &argc, argv, &limits);
  if (status) return status;
  Command c = {tool, argc, argv, 0};
  NrFault fault;
  NrHeap *heap = nr_heap_create(&limits, false);
  if (!heap) {
    fprintf(stderr, "noria %s: the system has no memory\n", tool->name);
    return 1;
  }
  if (nr_guard_run(heap, run_command, &c, &fault)) {
    nr_heap_close(heap);
    return c.status;
  }
  progress_end();
  fprintf(stderr, "noria %s: %s\n", tool->name, fault.text);
  nr_heap_destroy(heap);
  return fault.status == NR_ERROR_INTERNAL ? 3 : 1;
}

static int run_tool(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "--help", *value;
  if (argc == 1 || tool_option(name, "help", &value) || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    put_help(stdout);
    return 0;
  }
  if (tool_option(name, "version", &value)) {
    puts("noria " NORIA_VERSION);
    return 0;
  }
  for (size_t i = 0; i < NR_COUNTOF(tools); i++)
    if (strcmp(name, tools[i].name) == 0) return run_guarded(&tools[i], argc - 1, argv + 1);
  NrNearest nearest = nr_nearest(nr_str(name));
  for (size_t i = 0; i < NR_COUNTOF(tools); i++) nr_nearest_try(&nearest, nr_str(tools[i].name));
  fprintf(stderr, "noria: there is no command '%s'" NR_HINT "\n`noria --help` lists them.\n", name,
          NR_HINT_ARG(nearest));
  return 2;
}

int main(int argc, char **argv) {
  open_standard_streams();
  setvbuf(stdout, output_buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof output_buffer);
  return close_standard_streams(run_tool(argc, argv));
}
