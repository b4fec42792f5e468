/* reduce.c - `noria reduce`: makes a program small that makes a command fail. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/new_file.h"
#include "job.h"
#include "reductions.h"
#include "tools.h"

static const char help[] =
    "usage: noria reduce FILE --test=COMMAND [-o FILE]\n"
    "\n"
    "Makes a program of text IR smaller as long as COMMAND, run by the shell, fails on it: exits with another code\n"
    "than 0, or crashes. `%s` in COMMAND stands for the file; without it the file is its last argument. Every program\n"
    "that it is given is a right one, as far as the verifier knows. The smallest that fails is printed.\n"
    "\n"
    "  --test=COMMAND    what must go on failing. Let it fail for one reason only: with\n"
    "                    --test='! noria opt --cse %s 2>&1 | grep -q \"wrong state\"' it does not look for others\n"
    "                    (a leading `!` turns the exit code around)\n"
    "  --seconds=S       print the smallest that was found in that time\n"
    "  -o FILE           write there instead of standard output; FILE is replaced atomically\n"
    "  --quiet           do not print progress to standard error\n"
    "\n"
    "It erases ops and gives their users another value or a constant, puts regions in place of what runs them, drops\n"
    "carried values, arguments, results and functions, and makes numbers smaller, until nothing of that works.\n"
    "\n"
    "examples:\n"
    "  noria reduce wrong.mlir --test='noria run --check-passes --entry=f %s 1 2' -o small.mlir\n"
    "  noria reduce crash.mlir --test='noria opt --licm'\n";

typedef struct Reduce {
  const char *input, *output, *command;
  bool quiet;
  NrBuf path;    /* of the file that the command gets */
  NrBuf text;    /* the smallest that fails */
  size_t cost;   /* its reduction_cost */
  NrSyntax syntax;
  size_t tries;
  double seconds; /* to look for smaller ones; 0: as long as it takes */
  int64_t begin;  /* nr_now_ns */
} Reduce;

/* ---- the test --------------------------------------------------------------------------------------------------- */

/* The file's name as a word of the shell's. */
static void put_path(const Reduce *r, NrBuf *out) {
  nr_buf_putc(out, '\'');
  for (const char *p = r->path.data; *p; p++)
    if (*p == '\'') nr_buf_puts(out, "'\\''");
    else nr_buf_putc(out, *p);
  nr_buf_putc(out, '\'');
}

/* The command line with the file's name. */
static void put_command(const Reduce *r, NrBuf *out) {
  bool named = false;
  for (const char *p = r->command; *p; p++) {
    bool here = p[0] == '%' && p[1] == 's';
    if (here) put_path(r, out), p++, named = true;
    else nr_buf_putc(out, *p);
  }
  if (!named) nr_buf_putc(out, ' '), put_path(r, out);
  nr_buf_puts(out, " >/dev/null 2>&1");
}

static bool still_fails(Reduce *r, const NrBuf *text) {
  NrBuf command = {0};
  r->tries++;
  if (nr_file_write(r->path.data, text->data, text->size)) return false;
  nr_buf_puts(&command, "{ ");
  put_command(r, &command);
  nr_buf_puts(&command, "\n}");
  int result = system(command.data);
  nr_buf_deinit(&command);
  /* Ctrl-C ends the command; end this process too. */
  if (WIFSIGNALED(result) && (WTERMSIG(result) == SIGINT || WTERMSIG(result) == SIGQUIT)) raise(WTERMSIG(result));
  return result != 0;
}

/* ---- tries ------------------------------------------------------------------------------------------------------ */

static void say_nothing(void *user, const NrDiag *diag) {}

static NrModule *read_text(NrContext *ctx, const NrBuf *text, NrSyntax *syntax) {
  NrModule *module = nr_parse_module(ctx, (NrStr){text->data, text->size}, NR_STR("program.mlir"), NULL, syntax);
  if (module && nr_verify(module->op)) {
    nr_module_destroy(module);
    module = NULL;
  }
  return module;
}

/* Applies a reduction to places begin to end - 1 of the smallest program; true when the result is smaller and fails. */
static bool try(Reduce *r, Reduction reduction, size_t begin, size_t end) {
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, say_nothing, NULL);
  NrModule *module = read_text(ctx, &r->text, NULL);
  NrBuf text = {0};
  size_t cost = SIZE_MAX;
  if (module) {
    reduction(module, begin, end);
    if (!nr_verify(module->op)) cost = reduction_cost(module);
  }
  if (cost < r->cost) nr_print_module(&text, module, &(NrPrintOptions){.syntax = r->syntax});
  bool taken = cost < r->cost && still_fails(r, &text);
  if (taken) {
    r->cost = cost;
    NrBuf old = r->text;
    r->text = text;
    text = old;
  }
  nr_buf_deinit(&text);
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  return taken;
}

static size_t count_places(Reduce *r, Reduction reduction) {
  NrContext *ctx = nr_context_create();
  nr_context_set_diag_handler(ctx, say_nothing, NULL);
  NrModule *module = read_text(ctx, &r->text, NULL);
  size_t count = module ? reduction(module, 0, 0) : 0;
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  return count;
}

static bool is_over(const Reduce *r) { return r->seconds > 0 && (double)(nr_now_ns() - r->begin) > r->seconds * 1e9; }

/* All places at once, then halves, quarters, .. one by one. */
static bool apply(Reduce *r, Reduction reduction) {
  bool any = false;
  size_t count = count_places(r, reduction);
  for (size_t chunk = count; chunk > 0; chunk /= 2)
    for (size_t begin = 0; begin < count && !is_over(r);) {
      if (!try(r, reduction, begin, NR_MIN(begin + chunk, count))) {
        begin += chunk;
        continue;
      }
      any = true;
      size_t left = count_places(r, reduction);
      if (left >= count) begin += chunk; /* the places are still there, and smaller */
      count = left;
    }
  return any;
}

static void reduce_all(Reduce *r) {
  bool again = true;
  while (again && !is_over(r)) {
    again = false;
    for (const Reduction *reduction = reductions; *reduction; reduction++) {
      if (!apply(r, *reduction)) continue;
      again = true;
      if (!r->quiet) fprintf(stderr, "noria reduce: %zu bytes after %zu tries\n", r->text.size, r->tries);
    }
  }
}

/* ---- command line ----------------------------------------------------------------------------------------------- */

/* Parses and prints the program once; reductions work on the printed text. */
static int begin(Reduce *r) {
  NrContext *ctx = nr_context_create();
  NrDiagList shown;
  tool_show_diags(ctx, NR_DIAG_LIMIT, &shown);
  NrBuf text = {0};
  int result = 0;
  if (nr_file_read(r->input, &text)) {
    fprintf(stderr, "noria reduce: cannot read '%s'\n", r->input);
    result = 1;
  }
  NrModule *module = result ? NULL : read_text(ctx, &text, &r->syntax);
  tool_end_diags(&shown);
  if (module) {
    nr_print_module(&r->text, module, &(NrPrintOptions){.syntax = r->syntax});
    r->cost = reduction_cost(module);
  } else result = 1;
  if (!result && !still_fails(r, &r->text)) {
    fprintf(stderr, "noria reduce: the command does not fail on '%s' as it is printed\n", r->input);
    result = 1;
  }
  nr_module_destroy(module);
  nr_context_destroy(ctx);
  nr_buf_deinit(&text);
  return result;
}

static int take_arguments(Reduce *r, int argc, char **argv) {
  const char *value;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) r->output = argv[++i];
    else if (tool_option(argv[i], "test", &value) && value) r->command = value;
    else if (tool_option(argv[i], "seconds", &value)) {
      if (!parse_seconds(value, &r->seconds))
        return tool_usage_error("reduce", "--seconds cannot be '%s'", value ? value : "");
    } else if (tool_option(argv[i], "quiet", &value)) r->quiet = true;
    else if (argv[i][0] == '-' && argv[i][1]) return tool_no_option("reduce", help, false, argv[i]);
    else r->input = argv[i];
  }
  if (!r->input) return tool_usage_error("reduce", "which program? Name a file");
  if (!r->command) return tool_usage_error("reduce", "what must go on failing? Say --test=COMMAND");
  return 0;
}


int tool_reduce(int argc, char **argv) {
  Reduce r = {.output = "-", .begin = nr_now_ns()};
  const char *value;
  for (int i = 1; i < argc; i++)
    if (tool_option(argv[i], "help", &value)) return fputs(help, stdout), 0;
  int result = take_arguments(&r, argc, argv);
  if (result) return result;
  NrRemover remover;
  char *folder = nr_temporary_folder_create("noria-reduce", &remover);
  if (!folder) {
    fprintf(stderr, "noria reduce: cannot make a file in %s: %s\n", nr_temporary_folder(), strerror(errno));
    return 1;
  }
  nr_buf_printf(&r.path, "%s/program.mlir", folder);
  result = begin(&r);
  if (!result) {
    reduce_all(&r);
    result = tool_write("reduce", r.output, (NrStr){r.text.data, r.text.size});
  }
  nr_temporary_folder_remove(folder, &remover);
  nr_buf_deinit(&r.path);
  nr_buf_deinit(&r.text);
  return result;
}
