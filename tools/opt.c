/* opt.c - `noria opt`: parses text, runs passes and prints the result, like mlir-opt. */
#include "driver/driver.h"
#include "job.h"
#include "opt_options.h"
#include "tools.h"

#include <stdio.h>

/* The time of each run of a pass, in order, and its share of the total. */
static void print_times(const NrPassTimes *times) {
  int64_t whole = 0;
  for (size_t i = 0; i < times->size; i++) whole += times->data[i].ns;
  for (size_t i = 0; i < times->size; i++)
    fprintf(stderr, "%10.3f ms %5.1f%%  %s\n", (double)times->data[i].ns / 1e6,
            whole ? 100.0 * (double)times->data[i].ns / (double)whole : 0.0, times->data[i].pass->name);
  fprintf(stderr, "%10.3f ms         all passes\n", (double)whole / 1e6);
}

/* Runs the named passes, then the stages. */
static bool run_passes(const OptOptions *o, NrModule *module) {
  const NrTarget *target = NULL;
  if (nr_codegen_target(module->ctx, o->cpu, o->features, &target)) return false;
  NrBuf printed = {0}, graph = {0};
  NrPassTimes times = {0};
  NrPassOptions options = {.verify = !o->no_verify && !o->no_verify_each,
                           .print_before = o->print_before,
                           .print_after = o->print_after,
                           .explain = o->explain,
                           .dispatch_graph = o->dispatch_graph ? &graph : NULL,
                           .target = target,
                           .print_to = &printed,
                           .print_as = &o->print,
                           .times = o->timing ? &times : NULL,
                           .stop_after = o->stop_after};
  NrStatus status = nr_run_passes(module, (NrStr){o->pipeline.data, o->pipeline.size}, &options);
  if (!status && o->stages) status = nr_pipeline_run(module, &options);
  if (printed.size) fwrite(printed.data, 1, printed.size, stderr);
  if (o->timing) print_times(&times);
  NrStr dot = {graph.size ? graph.data : "", graph.size};
  if (!status && o->dispatch_graph && tool_write("opt", o->dispatch_graph, dot)) status = NR_ERROR_INVALID;
  nr_buf_deinit(&graph);
  nr_buf_deinit(&printed);
  nr_vec_deinit(&times);
  return status == NR_OK;
}

/* Parses the text `first` in a new context, as another process would, prints it and compares. */
static bool reads_as(const OptOptions *o, NrStr first, const NrPrintOptions *print) {
  NrContext *ctx = nr_context_create();
  NrDiagList shown;
  tool_show_diags(ctx, o->error_limit, &shown);
  NrParseOptions parse = {.allow_unregistered = o->allow_unregistered};
  NrModule *module = nr_parse_module(ctx, first, nr_str("<printed>"), &parse, NULL);
  NrBuf second = {0};
  bool same = module && nr_verify(module->op) == NR_OK;
  if (same) {
    nr_print_module(&second, module, print);
    same = nr_str_eq(first, (NrStr){second.data, second.size});
  }
  nr_module_destroy(module);
  tool_end_diags(&shown);
  nr_context_destroy(ctx);
  nr_buf_deinit(&second);
  return same;
}

/* Whether the printed program, parsed and printed again, gives the same text. */
static bool round_trips(const OptOptions *o, NrModule *module, NrSyntax syntax) {
  bool same = true;
  for (int generic = 0; generic < 2 && same; generic++) {
    NrBuf first = {0};
    NrPrintOptions print = {.syntax = syntax, .generic = generic, .locations = true};
    nr_print_module(&first, module, &print);
    same = reads_as(o, (NrStr){first.data, first.size}, &print);
    if (!same)
      nr_error(module->ctx, module->op->loc, "the program changes when it is printed%s and parsed again",
               generic ? " in the generic form" : "");
    nr_buf_deinit(&first);
  }
  return same;
}

static bool process_module(const OptOptions *o, NrModule *module, NrSyntax syntax, NrBuf *out) {
  NrPrintOptions print = o->print;
  if (!o->has_syntax) print.syntax = syntax;
  bool good = module && (o->no_verify || nr_verify(module->op) == NR_OK) &&
              (!o->round_trip || round_trips(o, module, print.syntax)) && run_passes(o, module);
  int64_t min_bytes = o->outline_min_bytes ? o->outline_min_bytes : NR_OUTLINE_MIN_BYTES;
  if (good && o->outline_parameters)
    good = nr_outline_parameters(&module, 1, o->outline_parameters, min_bytes) == NR_OK;
  /* Without --syntax the output may mix the syntaxes. */
  print.report_refused_text = !print.generic && (o->has_syntax || print.syntax == NR_SYNTAX_MLIR);
  if (!good) return false;
  size_t errors = nr_context_num_errors(module->ctx), before = out->size;
  nr_print_module(out, module, &print);
  good = nr_context_num_errors(module->ctx) == errors;
  if (!good) out->size = before;
  return good;
}

/* The NUL-terminated text of a program, and the number of lines of the file before it. */
typedef struct Part {
  NrStr text;
  size_t lines_before;
} Part;

static bool process(const OptOptions *o, NrContext *ctx, const Part *part, const char *file, NrBuf *out) {
  NrStr text = part->text;
  NrParseOptions parse = {
      .allow_unregistered = o->allow_unregistered, .text_stays = true, .lines_before = part->lines_before};
  NrSyntax syntax = NR_SYNTAX_MLIR;
  NrModule *module = nr_parse_module(ctx, text, nr_str(file), &parse, &syntax);
  if (module) nr_buf_reserve(out, text.size + text.size / 4); /* the output is about as long as the input */
  bool good = process_module(o, module, syntax, out);
  nr_module_destroy(module);
  return good;
}

static bool process_model(const OptOptions *o, NrBuf *out) {
  NrCompilation unit = {0};
  bool good =
      nr_compilation_read_file(&unit, o->input, NULL) == NR_OK && process_module(o, unit.module, NR_SYNTAX_MLIR, out);
  nr_diag_flush(unit.ctx);
  fwrite(unit.errors.size ? unit.errors.data : "", 1, unit.errors.size, stderr);
  nr_compilation_deinit(&unit);
  return good;
}

/* The diagnostics go to standard error, or are compared with the comments that expect them. */
static bool process_part(const OptOptions *o, const Part *part, const char *file, NrBuf *out) {
  NrContext *ctx = nr_context_create();
  Expectations *expected = o->verify_diagnostics ? expectations_create(part->text, part->lines_before) : NULL;
  if (expected) nr_context_set_diag_handler(ctx, expectations_check, expected);
  NrDiagList shown;
  if (!expected) tool_show_diags(ctx, o->error_limit, &shown);
  bool good = process(o, ctx, part, file, out);
  nr_diag_flush(ctx);
  if (expected) good = expectations_met(expected, file);
  else tool_end_diags(&shown);
  expectations_destroy(expected);
  nr_context_destroy(ctx);
  return good;
}

/* The end of the part that starts at `start`: where a line `// -----` begins, or the end of the text. */
static size_t end_of_part(NrStr text, size_t start) {
  for (size_t at = start; at < text.size;) {
    NrStr rest = {text.data + at, text.size - at};
    if (nr_str_starts(rest, "// -----")) return at;
    const char *newline = memchr(rest.data, '\n', rest.size);
    at = newline ? (size_t)(newline - text.data) + 1 : text.size;
  }
  return text.size;
}

/* Every part is processed, also after one that fails. */
static bool process_parts(const OptOptions *o, NrStr text, const char *file, NrBuf *out) {
  bool good = true;
  NrBuf copy = {0};
  size_t line = 0;
  for (size_t start = 0; start <= text.size;) {
    size_t end = end_of_part(text, start);
    copy.size = 0;
    nr_buf_append(&copy, text.data + start, end - start);
    nr_buf_putc(&copy, 0);
    if (start) nr_buf_puts(out, "// -----\n");
    good &= process_part(o, &(Part){{copy.data, copy.size - 1}, line}, file, out);
    if (end == text.size) break;
    for (size_t i = start; i < end; i++) line += text.data[i] == '\n';
    const char *newline = memchr(text.data + end, '\n', text.size - end);
    start = newline ? (size_t)(newline - text.data) + 1 : text.size;
    line++;
  }
  nr_buf_deinit(&copy);
  return good;
}

static int write_out(const OptOptions *o, const NrBuf *out) {
  return tool_write("opt", o->output ? o->output : "-", (NrStr){out->data ? out->data : "", out->size});
}

static bool is_model(const char *path) {
  size_t n = path ? strlen(path) : 0;
  return n > 5 && strcmp(path + n - 5, ".onnx") == 0;
}

static int run(const OptOptions *o) {
  NrBuf out = {0}, text = {0};
  nr_guard_step("reading", false);
  int status = 0;
  if (o->help) nr_buf_puts(&out, opt_help);
  else if (o->version) nr_buf_puts(&out, "noria " NORIA_VERSION "\n");
  else if (o->list_ops) list_ops(&out, o->list_ops_style, o->dialect);
  else if (o->list_dialects) list_dialects(&out);
  else if (o->list_passes) list_passes(&out);
  else if (o->list_pipeline) list_pipeline(&out);
  else if (is_model(o->input)) status = process_model(o, &out) ? 0 : 1;
  else if (nr_file_read(o->input ? o->input : "-", &text) != NR_OK) {
    fprintf(stderr, "noria opt: cannot read %s\n", o->input ? o->input : "-");
    status = 1;
  } else {
    NrStr whole = {text.data ? text.data : "", text.size};
    const char *file = !o->input || strcmp(o->input, "-") == 0 ? "<stdin>" : o->input;
    bool good = o->split ? process_parts(o, whole, file, &out) : process_part(o, &(Part){whole, 0}, file, &out);
    status = good ? 0 : 1;
  }
  if (status == 0) status = write_out(o, &out);
  nr_buf_deinit(&out);
  nr_buf_deinit(&text);
  return status;
}

int tool_opt(int argc, char **argv) {
  OptOptions o = {0};
  int status = opt_options_read(&o, argc, argv);
  if (status == 0) status = run(&o);
  nr_buf_deinit(&o.pipeline);
  return status;
}
