/* show.c - `noria show`: what is in a model, a text file or a compiled library. */
#include <stdio.h>
#include <stdlib.h>

#include "contents.h"
#include "job.h"
#include "tools.h"

static const char help[] = "usage: noria show FILE\n"
                           "       noria show --target [--cpu=NAME] [--features=+avx2,-fma]\n"
                           "\n"
                           "Lists the inputs, outputs and contents of FILE: an ONNX model, text IR, or a library "
                           "that `noria compile` made (.so).\n"
                           "For a model also the operators, with unknown ones marked, and the weights.\n"
                           "--target: what the passes and code generation know of the machine that code is made for, "
                           "by default this one.\n"
                           "\n"
                           "examples:\n"
                           "  noria show model.onnx\n"
                           "  noria show --target --cpu=x86-64-v3\n"
                           "  noria show model.so\n";

/* ---- what both kinds of programs have --------------------------------------------------------------------------- */

static void put_value(NrBuf *out, const NoriaValueInfo *v) {
  nr_buf_printf(out, "  %-24s ", v->name);
  if (v->kind == NORIA_KIND_OPTIONAL) nr_buf_puts(out, "optional ");
  if (v->kind == NORIA_KIND_SEQUENCE || v->item_kind == NORIA_KIND_SEQUENCE) nr_buf_puts(out, "sequence of ");
  if (v->key_dtype) nr_buf_printf(out, "map from %s to ", noria_dtype_name((NoriaDType)v->key_dtype));
  nr_buf_puts(out, noria_dtype_name((NoriaDType)v->dtype));
  if (v->rank >= 0 && v->kind == NORIA_KIND_TENSOR) nr_buf_putc(out, '[');
  for (int32_t i = 0; i < v->rank; i++) {
    const char *symbol = v->dim_names && v->dim_names[i] ? v->dim_names[i] : "?";
    if (i) nr_buf_puts(out, ", ");
    if (v->dims[i] >= 0) nr_buf_printf(out, "%lld", (long long)v->dims[i]);
    else nr_buf_puts(out, symbol);
  }
  if (v->rank >= 0 && v->kind == NORIA_KIND_TENSOR) nr_buf_putc(out, ']');
  if (v->rank < 0 && v->kind == NORIA_KIND_TENSOR) nr_buf_puts(out, "[...]");
  nr_buf_putc(out, '\n');
}

static void put_values(NrBuf *out, const char *what, const NoriaValueInfo *values, int32_t count) {
  nr_buf_printf(out, "%s\n", what);
  for (int32_t i = 0; i < count; i++) put_value(out, &values[i]);
  if (!count) nr_buf_puts(out, "  none\n");
}

/* ---- models ----------------------------------------------------------------------------------------------------- */

static void put_type(NrBuf *out, const NrOnnxType *t) {
  switch (t->kind) {
  case NR_ONNX_TYPE_SEQUENCE: nr_buf_puts(out, "sequence of "), put_type(out, t->elem); return;
  case NR_ONNX_TYPE_OPTIONAL: nr_buf_puts(out, "optional "), put_type(out, t->elem); return;
  case NR_ONNX_TYPE_MAP:
    nr_buf_printf(out, "map from %s to ", noria_dtype_name(t->dtype)), put_type(out, t->elem);
    return;
  case NR_ONNX_TYPE_OPAQUE: nr_buf_puts(out, "opaque"); return;
  case NR_ONNX_TYPE_NONE: nr_buf_puts(out, "of unknown type"); return;
  case NR_ONNX_TYPE_SPARSE: nr_buf_puts(out, "sparse "); break;
  case NR_ONNX_TYPE_TENSOR: break;
  }
  nr_buf_puts(out, noria_dtype_name(t->dtype));
  if (!t->has_shape) nr_buf_puts(out, " of any rank");
  if (t->has_shape) nr_buf_putc(out, '[');
  for (size_t i = 0; t->has_shape && i < t->rank; i++) {
    const NrOnnxDim *d = &t->dims[i];
    if (i) nr_buf_puts(out, ", ");
    if (d->kind == NR_ONNX_DIM_VALUE) nr_buf_printf(out, "%lld", (long long)d->value);
    else nr_buf_str(out, d->kind == NR_ONNX_DIM_SYMBOL ? d->symbol : NR_STR("?"));
  }
  if (t->has_shape) nr_buf_putc(out, ']');
}

static void put_model_values(NrBuf *out, const char *what, const NrOnnxValue *values, size_t count) {
  nr_buf_printf(out, "%s\n", what);
  for (size_t i = 0; i < count; i++) {
    nr_buf_printf(out, "  %-24.*s ", NR_STR_ARG(values[i].name));
    put_type(out, values[i].type);
    nr_buf_putc(out, '\n');
  }
  if (!count) nr_buf_puts(out, "  none\n");
}

static void put_model(NrBuf *out, const char *path, const NrOnnxModel *m) {
  Contents c;
  const NrOnnxGraph *g = m->graph;
  nr_buf_printf(out, "%s: ONNX model '%.*s', IR version %lld", path, NR_STR_ARG(g->name), (long long)m->ir_version);
  if (m->producer_name.size)
    nr_buf_printf(out, ", by %.*s %.*s", NR_STR_ARG(m->producer_name), NR_STR_ARG(m->producer_version));
  nr_buf_putc(out, '\n');
  nr_buf_puts(out, "operator sets\n");
  for (size_t i = 0; i < m->num_opsets; i++)
    nr_buf_printf(out, "  %-24.*s %lld\n",
                  NR_STR_ARG(m->opsets[i].domain.size ? m->opsets[i].domain : NR_STR("ai.onnx")),
                  (long long)m->opsets[i].version);
  put_model_values(out, "inputs", g->inputs, g->num_inputs);
  put_model_values(out, "outputs", g->outputs, g->num_outputs);
  contents_of_model(m, false, &c);
  nr_buf_printf(out, "weights\n  %lld tensors, %lld bytes\n", (long long)c.weights, (long long)c.weight_bytes);
  nr_buf_printf(out, "nodes\n  %lld, subgraphs nested %zu deep\n", (long long)c.nodes, c.depth);
  counts_put(out, "operators", &c.ops);
  contents_deinit(&c);
}

static int show_model(const char *path, NrBuf *out) {
  NrOnnxModel *model;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_read_file(path, &model, &errors);
  if (status) fprintf(stderr, "noria show: %s\n", errors.size ? errors.data : "the model cannot be read");
  else put_model(out, path, model);
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&errors);
  return status ? 1 : 0;
}

/* ---- text and libraries ----------------------------------------------------------------------------------------- */

static bool count_op(NrOp *op, void *user) {
  counts_add(user, nr_op_name(op), NULL);
  return true;
}

static int show_text(Job *job, NrBuf *out) {
  NrCompilation unit = {0};
  NrStatus status = nr_compilation_read_file(&unit, job->path, &job->options);
  if (status) return job_report_unit(job, &unit, status);
  Counts ops = {0};
  nr_buf_printf(out, "%s: text IR\nfunctions\n", job->path);
  for (NrOp *op = nr_op_body(unit.module->op, 0)->first; op; op = op->next) {
    nr_walk_pre(op, count_op, &ops);
    NrAttr type = nr_op_attr(op, NR_A_function_type);
    if (!type) continue;
    nr_buf_printf(out, "  @%.*s ", NR_STR_ARG(nr_op_attr_str(op, NR_A_sym_name)));
    nr_print_type(out, type->type);
    nr_buf_putc(out, '\n');
  }
  counts_put(out, "operations", &ops);
  counts_deinit(&ops);
  nr_compilation_deinit(&unit);
  return 0;
}

/* A list "avx,avx2", broken into lines. */
static void put_words(NrBuf *out, const char *list) {
  size_t column = 0;
  for (const char *at = list; *at;) {
    size_t size = strcspn(at, ",");
    if (column && column + size > 78) column = 0, nr_buf_putc(out, '\n');
    nr_buf_printf(out, "%s%.*s", column ? " " : "  ", (int)size, at);
    column += size + (column ? 1 : 2);
    at += size + (at[size] == ',');
  }
  nr_buf_putc(out, '\n');
}

static void put_needs(NrBuf *out, const NoriaModule *m) {
  put_words(out, m->cpu && *m->cpu ? m->cpu : "nothing more than its architecture");
}

static int show_library(Job *job, NrBuf *out) {
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_program_load(job->path, NULL, &job->program, &error)) return job_report(job, &error);
  const NoriaModule *m = noria_program_module(job->program);
  nr_buf_printf(out, "%s: compiled program '%s', ABI version %d\n", job->path, m->name, (int)m->abi_version);
  put_values(out, "inputs", m->inputs, m->num_inputs);
  put_values(out, "outputs", m->outputs, m->num_outputs);
  int64_t bytes = 0;
  for (int32_t i = 0; i < m->num_constants; i++) bytes += m->constants[i].size;
  nr_buf_printf(out, "constants\n  %d, %lld bytes\nimports\n", (int)m->num_constants, (long long)bytes);
  for (int32_t i = 0; i < m->num_imports; i++) nr_buf_printf(out, "  %s\n", m->imports[i]);
  if (!m->num_imports) nr_buf_puts(out, "  none\n");
  nr_buf_puts(out, "needs of the CPU\n");
  put_needs(out, m);
  if (m->fallback) nr_buf_puts(out, "needs of its code for other CPUs\n");
  while ((m = m->fallback)) put_needs(out, m);
  return 0;
}

static int show_target(Job *job, NrBuf *out) {
  NrContext *ctx = nr_context_create();
  NrDiagList shown;
  const NrTarget *target;
  tool_show_diags(ctx, 0, &shown);
  NrStatus status = nr_codegen_target(ctx, job->options.cpu, job->options.features, &target);
  tool_end_diags(&shown);
  if (!status) nr_target_print(out, target);
  nr_context_destroy(ctx);
  return status ? 1 : 0;
}

static int show(Job *job, bool target) {
  NrBuf out = {0};
  const char *format = job->options.format;
  bool is_model = format ? strcmp(format, "onnx") == 0 : !target && nr_str_ends(nr_str(job->path), ".onnx");
  int status = target                             ? show_target(job, &out)
               : nr_is_library(job->path, format) ? show_library(job, &out)
               : is_model                         ? show_model(job->path, &out)
                                                  : show_text(job, &out);
  if (!status) fwrite(out.data, 1, out.size, stdout);
  nr_buf_deinit(&out);
  return status;
}

int tool_show(int argc, char **argv) {
  Job job = {.tool = "show"};
  int status = 0;
  bool target = false;
  const char *unused;
  for (int i = 1; i < argc && !status; i++) {
    const char *arg = argv[i];
    if (tool_option(arg, "target", &unused) && !unused) target = true;
    else if (arg[0] != '-' || !arg[1]) {
      job_take_argument(&job, arg);
    } else {
      status = job_take_option(&job, argc, argv, &i);
      if (status < 0) status = tool_no_option("show", help, false, arg);
    }
  }
  if (!status && job.args.size) status = tool_usage_error("show", "one file at a time");
  if (!status && target && job.path) status = tool_usage_error("show", "--target takes no file");
  if (!status && !job.path && !job.help && !target) status = tool_usage_error("show", "which file?");
  if (!status && job.help) fputs(help, stdout);
  else if (!status) status = show(&job, target);
  job_deinit(&job);
  return status;
}
