/* opt.c - `noria opt`: text in, passes, text out, with the habits of mlir-opt. */
#include "driver/driver.h"
#include "job.h"
#include "tools.h"

#include <stdio.h>

static const char help[] =
    "usage: noria opt [options] [FILE]\n"
    "\n"
    "Reads a program (FILE, or standard input when it is `-` or absent), checks it, runs passes on it, prints it.\n"
    "Both today's MLIR text and the text of 2020 (loop.for, addf, ...) are read, also mixed; and ONNX models "
    "(FILE.onnx).\n"
    "\n"
    "  -o FILE                       write there instead of standard output; FILE is whole or untouched\n"
    "  --syntax=mlir|2020            spelling of the output; without it that of the input\n"
    "  --generic                     print every op as \"dialect.op\"(...) (also --mlir-print-op-generic)\n"
    "  --mlir-print-debuginfo        print locations\n"
    "  --mlir-elide-elementsattrs-if-larger=N   leave out constants of more than N elements\n"
    "  --allow-unregistered-dialect  keep ops that no dialect has, in generic form\n"
    "  --no-verify                   do not check the program, before or between passes; --verify-each=false: between\n"
    "\n"
    "passes:\n"
    "  --PASS, --PASS=OPTIONS        run a pass; several run in the order given\n"
    "  --pass-pipeline=A,B{x=1},C    run passes from one text\n"
    "  --pipeline                    run the stages of `noria compile`, up to --stop-after=STAGE\n"
    "  --print-after=PASS            print the program to standard error after PASS (--print-after-all: after each);\n"
    "                                also --mlir-print-ir-after=PASS, --mlir-print-ir-after-all\n"
    "  --list-passes                 what there is; --list-pipeline: the order in which `noria compile` runs them\n"
    "\n"
    "tests:\n"
    "  --split-input-file            `// -----` lines part independent programs\n"
    "  --verify-diagnostics          succeed when the errors are those that comments expect:\n"
    "                                // expected-error@+1 {{part of the message}}\n"
    "\n"
    "  --list-ops, --list-ops=markdown, --list-dialects, --dialect=NAME   the operations that there are\n"
    "\n"
    "examples:\n"
    "  noria opt old.mlir --syntax=mlir -o new.mlir\n"
    "  noria opt --canonicalize --convert-scf-to-cf loops.mlir\n"
    "  noria opt --pipeline --stop-after=tensor model.onnx\n"
    "  echo 'func.func @f(%x: f32) -> f32 { return %x : f32 }' | noria opt --generic\n";

typedef struct Options {
  const char *input, *output;
  NrPrintOptions print;
  bool has_syntax, stages, split, verify_diagnostics, no_verify, no_verify_each, allow_unregistered;
  const char *print_after, *stop_after, *list_ops_style, *dialect;
  bool list_ops, list_dialects, list_passes, list_pipeline, help;
  NrBuf pipeline;
} Options;

static void add_passes(Options *o, NrStr passes) {
  if (o->pipeline.size && passes.size) nr_buf_putc(&o->pipeline, ',');
  nr_buf_str(&o->pipeline, passes);
}

/* --canonicalize or --unroll=factor=4; quotes around the options are the shell's. */
static bool take_pass(Options *o, const char *arg) {
  const char *name = arg + (arg[1] == '-' ? 2 : 1), *value = strchr(name, '=');
  NrStr pass = {name, value ? (size_t)(value - name) : strlen(name)};
  if (!nr_pass_find(pass)) return false;
  add_passes(o, pass);
  if (value) nr_buf_printf(&o->pipeline, "{%s}", value + 1);
  return true;
}

typedef struct Flag {
  const char *name;
  bool *target;
} Flag;

static bool take_flag(Options *o, const char *arg) {
  const Flag flags[] = {
      {"generic", &o->print.generic},
      {"mlir-print-op-generic", &o->print.generic},
      {"mlir-print-debuginfo", &o->print.locations},
      {"allow-unregistered-dialect", &o->allow_unregistered},
      {"no-verify", &o->no_verify},
      {"split-input-file", &o->split},
      {"verify-diagnostics", &o->verify_diagnostics},
      {"pipeline", &o->stages},
      {"list-dialects", &o->list_dialects},
      {"list-passes", &o->list_passes},
      {"list-pipeline", &o->list_pipeline},
      {"help", &o->help},
  };
  const char *value;
  for (size_t i = 0; i < NR_COUNTOF(flags); i++)
    if (tool_option(arg, flags[i].name, &value) && !value) return *flags[i].target = true;
  return false;
}

static int take_syntax(Options *o, const char *value) {
  o->has_syntax = true;
  if (value && strcmp(value, "mlir") == 0) o->print.syntax = NR_SYNTAX_MLIR;
  else if (value && strcmp(value, "2020") == 0) o->print.syntax = NR_SYNTAX_2020;
  else return tool_usage_error("opt", "--syntax is mlir or 2020");
  return 0;
}

static int take_verify_each(Options *o, const char *value) {
  if (!value || strcmp(value, "true") == 0 || strcmp(value, "1") == 0) o->no_verify_each = false;
  else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0) o->no_verify_each = true;
  else return tool_usage_error("opt", "--verify-each is true or false");
  return 0;
}

static int take_print_after(Options *o, const char *value) {
  o->print_after = tool_pass_name(value);
  return o->print_after ? 0 : tool_usage_error("opt", "--print-after: there is no pass '%s'", value);
}

static int take_dialect(Options *o, const char *value) {
  NrNearest nearest;
  o->dialect = find_dialect(value, &nearest);
  if (o->dialect) return 0;
  return tool_usage_error("opt", "there is no dialect '%s'" NR_HINT, value, NR_HINT_ARG(nearest));
}

static int take_list_ops(Options *o, const char *value) {
  o->list_ops = true;
  o->list_ops_style = value;
  return !value || strcmp(value, "markdown") == 0 ? 0 : tool_usage_error("opt", "--list-ops cannot be '%s'", value);
}

static int take_elide(Options *o, const char *value) {
  int64_t count;
  if (!parse_count(value, &count))
    return tool_usage_error("opt", "--mlir-elide-elementsattrs-if-larger cannot be '%s'", value);
  o->print.elide_elements_above = (size_t)count;
  return 0;
}

static int take_option(Options *o, const char *arg) {
  const char *value;
  if (take_flag(o, arg)) return 0;
  if (tool_option(arg, "syntax", &value)) return take_syntax(o, value);
  if (tool_option(arg, "verify-each", &value)) return take_verify_each(o, value);
  if (tool_option(arg, "print-after", &value) && value) return take_print_after(o, value);
  if (tool_option(arg, "mlir-print-ir-after", &value) && value) return take_print_after(o, value);
  if (tool_option(arg, "dialect", &value) && value) return take_dialect(o, value);
  if (tool_option(arg, "list-ops", &value)) return take_list_ops(o, value);
  if (tool_option(arg, "mlir-elide-elementsattrs-if-larger", &value) && value) return take_elide(o, value);
  if (tool_option(arg, "pass-pipeline", &value) && value) add_passes(o, nr_str(value));
  else if (tool_option(arg, "stop-after", &value) && value) o->stages = true, o->stop_after = value;
  else if (tool_option(arg, "print-after-all", &value)) o->print_after = "all";
  else if (tool_option(arg, "mlir-print-ir-after-all", &value)) o->print_after = "all";
  else if (!take_pass(o, arg)) return tool_no_option("opt", help, true, arg);
  return 0;
}

static int take_arguments(Options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    int status = 0;
    if (strcmp(arg, "-o") == 0) {
      if (++i == argc) return tool_usage_error("opt", "-o needs a file name");
      o->output = argv[i];
    } else if (arg[0] == '-' && arg[1]) {
      status = take_option(o, arg);
    } else if (o->input) {
      status = tool_usage_error("opt", "one file at a time: '%s' and '%s'", o->input, arg);
    } else {
      o->input = arg;
    }
    if (status) return status;
  }
  return 0;
}

/* ---- one program ------------------------------------------------------------------------------------------------ */

/* The passes that are named, then the stages. */
static bool run_passes(const Options *o, NrModule *module) {
  NrBuf printed = {0};
  NrPassOptions options = {.verify = !o->no_verify && !o->no_verify_each,
                           .print_after = o->print_after,
                           .print_to = &printed,
                           .stop_after = o->stop_after};
  NrStatus status = nr_run_passes(module, (NrStr){o->pipeline.data, o->pipeline.size}, &options);
  if (!status && o->stages) status = nr_pipeline_run(module, &options);
  if (printed.size) fwrite(printed.data, 1, printed.size, stderr);
  nr_buf_deinit(&printed);
  return status == NR_OK;
}

static bool process_module(const Options *o, NrModule *module, NrSyntax syntax, NrBuf *out) {
  NrPrintOptions print = o->print;
  bool good = module && (o->no_verify || nr_verify(module->op) == NR_OK) && run_passes(o, module);
  if (!o->has_syntax) print.syntax = syntax;
  /* What is not asked for may mix the spellings, as long as it can be read again. */
  print.report_unsaid = !print.generic && (o->has_syntax || print.syntax == NR_SYNTAX_MLIR);
  if (!good) return false;
  size_t errors = nr_context_num_errors(module->ctx), before = out->size;
  nr_print_module(out, module, &print);
  good = nr_context_num_errors(module->ctx) == errors;
  if (!good) out->size = before;
  return good;
}

/* A program, and the number of lines of the file in front of it; a 0 byte stands behind it. */
typedef struct Part {
  NrStr text;
  size_t lines_before;
} Part;

static bool process(const Options *o, NrContext *ctx, const Part *part, const char *file, NrBuf *out) {
  NrStr text = part->text;
  NrParseOptions parse = {
      .allow_unregistered = o->allow_unregistered, .text_stays = true, .lines_before = part->lines_before};
  NrSyntax syntax = NR_SYNTAX_MLIR;
  NrModule *module = nr_parse_module(ctx, text, nr_str(file), &parse, &syntax);
  if (module) nr_buf_reserve(out, text.size + text.size / 4); /* mostly as long as it was */
  bool good = process_module(o, module, syntax, out);
  nr_module_destroy(module);
  return good;
}

static bool process_model(const Options *o, NrBuf *out) {
  NrUnit unit = {0};
  bool good = nr_unit_read_file(&unit, o->input, NULL) == NR_OK && process_module(o, unit.module, NR_SYNTAX_MLIR, out);
  nr_diag_flush(unit.ctx);
  fwrite(unit.errors.size ? unit.errors.data : "", 1, unit.errors.size, stderr);
  nr_unit_deinit(&unit);
  return good;
}

/* The diagnostics go to standard error, or are compared with the comments that expect them. */
static bool process_part(const Options *o, const Part *part, const char *file, NrBuf *out) {
  NrContext *ctx = nr_context_create();
  Expectations *expected = o->verify_diagnostics ? expectations_create(part->text, part->lines_before) : NULL;
  if (expected) nr_context_set_diag_handler(ctx, expectations_check, expected);
  else nr_context_set_diag_handler(ctx, tool_render_diag, ctx);
  bool good = process(o, ctx, part, file, out);
  nr_diag_flush(ctx);
  if (expected) good = expectations_met(expected, file);
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
static bool process_parts(const Options *o, NrStr text, const char *file, NrBuf *out) {
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

static int write_out(const Options *o, const NrBuf *out) {
  const char *path = o->output ? o->output : "-";
  if (nr_file_write(path, out->data ? out->data : "", out->size) == NR_OK) return 0;
  fprintf(stderr, "noria opt: cannot write %s\n", path);
  return 1;
}

static bool is_model(const char *path) {
  size_t n = path ? strlen(path) : 0;
  return n > 5 && strcmp(path + n - 5, ".onnx") == 0;
}

static int run(const Options *o) {
  NrBuf out = {0}, text = {0};
  int status = 0;
  if (o->help) nr_buf_puts(&out, help);
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
  Options o = {0};
  int status = take_arguments(&o, argc, argv);
  if (status == 0) status = run(&o);
  nr_buf_deinit(&o.pipeline);
  return status;
}
