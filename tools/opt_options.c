/* opt_options.c - the command line of `noria opt`. */
#include "opt_options.h"

#include "job.h"
#include "pass/core/pass.h"
#include "tools.h"

#include <stdio.h>

const char opt_help[] =
    "usage: noria opt [options] [FILE]\n"
    "\n"
    "Reads a program (FILE, or standard input when it is `-` or absent), checks it, runs passes on it, prints it.\n"
    "Both MLIR's current syntax and that of 2020 (loop.for, addf, ...) are read, also mixed; and ONNX models "
    "(FILE.onnx).\n"
    "\n"
    "  -o FILE                       write there instead of standard output; FILE is replaced atomically\n"
    "  --syntax=mlir|2020            syntax of the output; without it that of the input\n"
    "  --generic                     print every op as \"dialect.op\"(...) (also --mlir-print-op-generic)\n"
    "  --mlir-print-debuginfo        print locations\n"
    "  --mlir-print-local-scope      print affine maps and sets where they are used, without aliases\n"
    "  --mlir-elide-elementsattrs-if-larger=N   leave out constants of more than N elements\n"
    "  --allow-unregistered-dialect  accept unknown ops in generic form\n"
    "  --no-verify                   do not check the program, before or between passes; --verify-each=false: between\n"
    "  --error-limit=N               show N errors and warnings, and count the rest; 0: all of them; else 100\n"
    "  --verify-roundtrip            fail unless the program, printed and read again, is the same, in both forms\n"
    "  --compile-memory-limit=BYTES  (also 64M, 2G) end with an error beyond it; else half of what the machine has\n"
    "  --compile-time-limit=SECONDS  the same with time; else none\n"
    "\n"
    "passes:\n"
    "  --PASS, --PASS=OPTIONS        run a pass; several run in the order given\n"
    "  --pass-pipeline=A,B{x=1},C    run passes from one text\n"
    "  --pipeline                    run the stages of `noria compile`, up to --stop-after=STAGE\n"
    "  --print-after=PASS            print the program to standard error after PASS (--print-after-all: after each);\n"
    "  --print-before=PASS           the same before it (--print-before-all: before each); mlir-opt's names are known\n"
    "                                too: --mlir-print-ir-after=PASS, --mlir-print-ir-before-all, ..\n"
    "  --explain-bufferize           report at each op what bufferize writes in place, what it copies, and why\n"
    "  --outline-parameters=FILE     then move constants of at least --outline-min=BYTES (also 64K; else 4K) to a\n"
    "                                safetensors file, which `noria run --parameters=FILE` reads\n"
    "  --dump-dispatch-graph=FILE    write which tensors go from one dispatch to another, for Graphviz\n"
    "  --explain-fusion              report which ops become one dispatch, which do not, what they cost, and why\n"
    "  --explain-vectorize           report which loops with loops inside, sin, cos or tan become vectors, and why\n"
    "  --timing                      print to standard error what each pass took (also --mlir-timing)\n"
    "  --cpu=NAME                    prepare code for this CPU (LLVM's name); --features=+avx2,-fma\n"
    "  --list-passes                 list the passes; --list-pipeline: the order in which `noria compile` runs them\n"
    "\n"
    "tests:\n"
    "  --split-input-file            `// -----` lines part independent programs\n"
    "  --verify-diagnostics          succeed when the errors are those that comments expect:\n"
    "                                // expected-error@+1 {{part of the message}}\n"
    "\n"
    "  --list-ops, --list-ops=markdown, --list-dialects, --dialect=NAME   list the operations\n"
    "  --version                     of this program\n"
    "\n"
    "examples:\n"
    "  noria opt old.mlir --syntax=mlir -o new.mlir\n"
    "  noria opt --canonicalize --convert-scf-to-cf loops.mlir\n"
    "  noria opt --pipeline --stop-after=tensor model.onnx\n"
    "  echo 'func.func @f(%x: f32) -> f32 { return %x : f32 }' | noria opt --generic\n";

static void add_passes(OptOptions *o, NrStr passes) {
  if (o->pipeline.size && passes.size) nr_buf_putc(&o->pipeline, ',');
  nr_buf_str(&o->pipeline, passes);
}

/* --canonicalize or --unroll=factor=4; quotes around the options are the shell's. */
static bool take_pass(OptOptions *o, const char *arg) {
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

static bool take_flag(OptOptions *o, const char *arg) {
  const Flag flags[] = {
      {"generic", &o->print.generic},
      {"mlir-print-op-generic", &o->print.generic},
      {"mlir-print-debuginfo", &o->print.locations},
      {"mlir-print-local-scope", &o->print.local_scope},
      {"allow-unregistered-dialect", &o->allow_unregistered},
      {"no-verify", &o->no_verify},
      {"verify-roundtrip", &o->round_trip},
      {"timing", &o->timing},
      {"mlir-timing", &o->timing},
      {"split-input-file", &o->split},
      {"verify-diagnostics", &o->verify_diagnostics},
      {"pipeline", &o->stages},
      {"list-dialects", &o->list_dialects},
      {"show-dialects", &o->list_dialects},
      {"list-passes", &o->list_passes},
      {"list-pipeline", &o->list_pipeline},
      {"help", &o->help},
      {"version", &o->version},
  };
  const char *value;
  if (tool_option(arg, "mlir-disable-threading", &value) && !value) return true; /* passes run on one thread */
  for (size_t i = 0; i < NR_COUNTOF(flags); i++)
    if (tool_option(arg, flags[i].name, &value) && !value) return *flags[i].target = true;
  return false;
}

static int take_syntax(OptOptions *o, const char *value) {
  o->has_syntax = true;
  if (value && strcmp(value, "mlir") == 0) o->print.syntax = NR_SYNTAX_MLIR;
  else if (value && strcmp(value, "2020") == 0) o->print.syntax = NR_SYNTAX_2020;
  else return tool_usage_error("opt", "--syntax is mlir or 2020");
  return 0;
}

static int take_verify_each(OptOptions *o, const char *value) {
  if (!value || strcmp(value, "true") == 0 || strcmp(value, "1") == 0) o->no_verify_each = false;
  else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0) o->no_verify_each = true;
  else return tool_usage_error("opt", "--verify-each is true or false");
  return 0;
}

/* --print-WHEN=PASS or --print-WHEN-all; also mlir-opt's --mlir-print-ir-WHEN. */
static bool is_print(const char *arg, const char *when, const char **out_pass) {
  const char *const prefixes[] = {"print-", "mlir-print-ir-"};
  const char *value;
  for (size_t i = 0; i < NR_COUNTOF(prefixes); i++) {
    char name[32];
    snprintf(name, sizeof name, "%s%s", prefixes[i], when);
    if (tool_option(arg, name, out_pass) && *out_pass) return true;
    snprintf(name, sizeof name, "%s%s-all", prefixes[i], when);
    *out_pass = "all";
    if (tool_option(arg, name, &value) && !value) return true;
  }
  return false;
}

static int take_print(const char **which, const char *when, const char *value) {
  *which = tool_pass_name(value);
  return *which ? 0 : tool_usage_error("opt", "--print-%s: there is no pass '%s'", when, value);
}

static int take_dialect(OptOptions *o, const char *value) {
  NrNearest nearest;
  o->dialect = find_dialect(value, &nearest);
  if (o->dialect) return 0;
  return tool_usage_error("opt", "there is no dialect '%s'" NR_HINT, value, NR_HINT_ARG(nearest));
}

static int take_list_ops(OptOptions *o, const char *value) {
  o->list_ops = true;
  o->list_ops_style = value;
  return !value || strcmp(value, "markdown") == 0 ? 0 : tool_usage_error("opt", "--list-ops cannot be '%s'", value);
}

static int take_elide(OptOptions *o, const char *value) {
  int64_t count;
  if (!parse_count(value, &count))
    return tool_usage_error("opt", "--mlir-elide-elementsattrs-if-larger cannot be '%s'", value);
  o->print.elide_elements_above = (size_t)count;
  return 0;
}

static int take_error_limit(OptOptions *o, const char *value) {
  int64_t count;
  if (!parse_count(value, &count)) return tool_usage_error("opt", "--error-limit cannot be '%s'", value);
  o->error_limit = (size_t)count;
  return 0;
}

static int take_option(OptOptions *o, const char *arg) {
  const char *value;
  if (take_flag(o, arg)) return 0;
  if (tool_option(arg, "syntax", &value)) return take_syntax(o, value);
  if (tool_option(arg, "cpu", &value) && value) return o->cpu = value, 0;
  if (tool_option(arg, "features", &value) && value) return o->features = value, 0;
  if (tool_option(arg, "verify-each", &value)) return take_verify_each(o, value);
  if (tool_option(arg, "outline-parameters", &value)) {
    o->outline_parameters = value;
    return value && *value ? 0 : tool_usage_error("opt", "--outline-parameters needs a file name");
  }
  if (tool_option(arg, "outline-min", &value)) {
    if (!nr_parse_size(value, &o->outline_min_bytes))
      return tool_usage_error("opt", "--outline-min is a number of bytes");
    o->outline_min_bytes = NR_MAX(o->outline_min_bytes, 1);
    return 0;
  }
  if (tool_explain(arg, &o->explain)) return 0;
  if (tool_option(arg, "dump-dispatch-graph", &value)) {
    o->dispatch_graph = value;
    return value && *value ? 0 : tool_usage_error("opt", "--dump-dispatch-graph needs a file name");
  }
  if (is_print(arg, "before", &value)) return take_print(&o->print_before, "before", value);
  if (is_print(arg, "after", &value)) return take_print(&o->print_after, "after", value);
  if (tool_option(arg, "dialect", &value) && value) return take_dialect(o, value);
  if (tool_option(arg, "list-ops", &value)) return take_list_ops(o, value);
  if (tool_option(arg, "mlir-elide-elementsattrs-if-larger", &value) && value) return take_elide(o, value);
  if (tool_option(arg, "error-limit", &value) && value) return take_error_limit(o, value);
  if (tool_option(arg, "pass-pipeline", &value) && value) add_passes(o, nr_str(value));
  else if (tool_option(arg, "stop-after", &value) && value) o->stages = true, o->stop_after = value;
  else if (!take_pass(o, arg)) return tool_no_option("opt", opt_help, true, arg);
  return 0;
}

int opt_options_read(OptOptions *o, int argc, char **argv) {
  o->error_limit = NR_DIAG_LIMIT;
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
