/* check.c - `noria run --check-stages`: compares the interpreter's result after every stage, and that of machine code,
 * with the first one, and names the stage or pass that changes it. A model is first run when its nodes are lowered,
 * because the lowering defines their meaning. */
#include <stdio.h>

#include "job.h"
#include "onnx/lower/core/lower.h"

/* Passes may reorder sums, so results of floats differ slightly. */
static const double tolerance = 1e-4;

/* The outcome of a run: results or an error. */
typedef struct Outcome {
  NoriaStatus status;
  NrBuf message;
  NR_VEC(NoriaValue *) values;
} Outcome;

static void outcome_deinit(Outcome *o) {
  for (size_t i = 0; i < o->values.size; i++) noria_value_release(o->values.data[i]);
  nr_vec_deinit(&o->values);
  nr_buf_deinit(&o->message);
}

typedef struct Check {
  Job *job;
  bool has_first;
  Outcome first;
  const char *first_name;
  size_t compared; /* with the first */
  bool bound, differs;
} Check;

static Outcome run(Check *c, NoriaProgram *program) {
  Outcome o = {0};
  NoriaError error = NORIA_ERROR_INIT;
  size_t count = (size_t)noria_program_module(program)->num_outputs * (size_t)c->job->num_ranks;
  nr_vec_reserve(&o.values, count);
  o.status = ranks_run(c->job, program, o.values.data, &error);
  if (o.status) nr_buf_puts(&o.message, error.message ? error.message : noria_status_name(o.status));
  else o.values.size = count;
  noria_error_clear(&error);
  return o;
}

/* Compares two outcomes; *why is the difference. Two failed runs agree: which check fails first is not specified. */
static bool agree(const Check *c, const NoriaModule *module, const Outcome *a, const Outcome *b, NrBuf *why) {
  if (a->status && b->status) return true;
  if (b->status) return nr_buf_printf(why, "fails: %s", b->message.data), false;
  if (a->status) return nr_buf_printf(why, "does not fail: %s", a->message.data), false;
  for (size_t i = 0; i < a->values.size; i++) {
    NrBuf place = {0};
    bool same = values_agree(c->job->ctx, a->values.data[i], b->values.data[i], tolerance, &place);
    const NoriaValueInfo *output = &module->outputs[i % (size_t)module->num_outputs]; /* of any rank */
    if (!same) nr_buf_printf(why, "output '%s' is %s", output->name, place.data);
    nr_buf_deinit(&place);
    if (!same) return false;
  }
  return true;
}

static bool check(Check *c, const char *name, NoriaProgram *program) {
  const NoriaModule *module = noria_program_module(program);
  int64_t start = nr_now_ns();
  Outcome outcome = run(c, program);
  double ms = (double)(nr_now_ns() - start) / 1e6;
  NrBuf why = {0};
  bool same = !c->has_first || agree(c, module, &c->first, &outcome, &why);
  if (same && outcome.status) fprintf(stderr, "%-24s %10.3f ms  failed: %s\n", name, ms, outcome.message.data);
  else fprintf(stderr, "%-24s %10.3f ms  %s\n", name, ms, !same ? why.data : c->has_first ? "same" : "the reference");
  if (!same)
    fprintf(stderr, "noria run: stage '%s' gives another result than '%s': %s\n", name, c->first_name, why.data);
  nr_buf_deinit(&why);
  c->differs |= !same;
  if (c->has_first) {
    c->compared++;
    outcome_deinit(&outcome);
  } else {
    c->first = outcome;
    c->first_name = name;
    c->has_first = true;
  }
  return same;
}

/* Runs the module in its current state. */
static NrStatus after_stage(void *user, NrModule *module, const char *name) {
  Check *c = user;
  NrInterpProgram *interp;
  if (nr_module_has_onnx_ops(module)) {
    fprintf(stderr, "%-24s %10s     not run: ONNX nodes are not lowered yet\n", name, "");
    return NR_OK;
  }
  NoriaProgram *program;
  NoriaError error = NORIA_ERROR_INIT;
  NrStatus status = nr_interp_create(module, NULL, NULL, &interp);
  if (status) return status;
  if (noria_program_create(nr_interp_module(interp), &c->job->options.program, &program, &error)) {
    job_report(c->job, &error);
    status = NR_ERROR_INTERNAL;
  } else {
    if (!c->bound && job_bind(c->job, noria_program_module(program), false)) status = NR_ERROR_INVALID;
    c->bound = true;
    if (!status && !check(c, name, program)) status = NR_ERROR_INTERNAL;
    noria_program_destroy(program);
  }
  nr_interp_destroy(interp);
  return status;
}

static int check_compiled(Check *c, NrCompilation *unit) {
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_compilation_jit(unit, &c->job->options, &c->job->times.code, &c->job->program, &error))
    return job_report(c->job, &error);
  return check(c, "compiled", c->job->program) ? 0 : 1;
}

/* If the program fails in every stage there is no result to compare, and the check fails. */
static int finish(Check *c) {
  if (!c->first.status) {
    fprintf(stderr, "all %zu outcomes are that of '%s'\n", c->compared, c->first_name);
    nr_vec_reserve(&c->job->results, c->first.values.size);
    for (size_t i = 0; i < c->first.values.size; i++)
      nr_vec_push(&c->job->results, noria_value_retain(c->first.values.data[i]));
    return 0;
  }
  fprintf(stderr, "all %zu runs failed\n", c->compared + 1);
  NoriaError error = NORIA_ERROR_INIT;
  value_error(&error, "%s", c->first.message.data);
  return job_report(c->job, &error);
}

int job_check_stages(Job *job, bool each_pass) {
  Check c = {.job = job};
  NrCompilation unit = {0};
  if (job_read(job, &unit)) return 1;
  NrPassOptions passes = {.verify = true, .after = after_stage, .after_each_pass = each_pass, .user = &c};
  NrStatus status = nr_compilation_lower(&unit, &passes);
  int result = 1;
  if (!status) result = check_compiled(&c, &unit);
  else if (!c.differs) result = job_report_unit(job, &unit, status);
  nr_compilation_deinit(&unit);
  if (!result) result = finish(&c);
  outcome_deinit(&c.first);
  return result;
}
