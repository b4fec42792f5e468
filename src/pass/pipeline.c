/* pipeline.c - the way of a program, stage by stage: the only place that orders passes. `noria opt --list-pipeline`. */
#include "pass/pass.h"

const NrStep nr_pipeline[] = {
    {"import", "flatten-unranked", "first: what asks and what lowers need not know of such tensors"},
    {"import", "check-operands", "what was written is asked about, and nothing else"},
    {"import", "lower-affine{keep-names}", "bounds are checked and polls are put into what it leaves"},
    {"import", "check-bounds", "with --check-bounds only: the accesses that were written, before any is moved",
     .checks_bounds = true},
    {"import", "count-trips", "what was read: from here on no loop steps past the end of its type"},
    {"import", "poll-loops,guard-recursion",
     "what was read. Loops of text IR are to end when told so; a model's get this when lowered"},
    {"shape", "lower-early-exit", "before all that moves ops: regions then end where they should"},
    {"shape", "lift-cf-to-scf{on-tensors=true}", "what becomes memory is to stand in regions of one block"},
    {"shape", "infer-shapes", "for reading: a model is lowered once to see the types, which its ops then have"},
    {"tensor", "lower-onnx", "in order: an op's types, shapes and constants are known from those before it"},
    {"tensor", "canonicalize,cse", "the lowering leaves dead shape arithmetic and constants in several copies"},
    {"tensor", "scalarize,canonicalize,cse",
     "scalars in registers, before loops are looked at: the values that they carry change"},
    {"tensor", "check-claims,verify-claims", "last: machine code believes all shapes and places from here on"},
    {"loop", "licm", "before fusion, so that what leaves a loop can fuse outside"},
    {"loop", "fuse-maps,canonicalize,cse", "before buffers: what is fused needs none in between"},
    {"flow", "form-dispatches", "on values: what a workgroup reads and writes is still plain"},
    {"flow", "outline-dispatches,canonicalize,cse", "equal dispatches share one executable"},
    {"buffer", "bufferize", "values become memory; from here on the order of ops matters"},
    {"buffer", "canonicalize,cse", "views of views fold before allocations are looked at"},
    {"buffer", "scf-forall-to-parallel,parallel-to-dispatch,canonicalize,cse",
     "what loops share is memory now, and no buffer has left its loop yet"},
    {"buffer", "hoist-allocs", "loops first: what leaves them can be planned with the rest"},
    {"buffer", "rotate-buffers,hoist-allocs", "what a loop makes and frees in each iteration it can keep",
     .joins_buffers = true},
    {"buffer", "promote-small,plan-memory", "small buffers go to the stack, the others share one arena",
     .joins_buffers = true},
    {"kernel", "vectorize-contractions", "reductions first: loops would hide what they are"},
    {"kernel", "convert-linalg-to-loops", "the rest is element-wise: the code generator vectorises its loops"},
    {"kernel", "canonicalize,cse,licm", "index arithmetic of the new loops"},
    {"kernel", "insert-safepoints", "when all loops are there, as loops: time limits and interrupts end any of them"},
    {"kernel", "lift-cf-to-scf{min-blocks=500 where-possible}", "what has very many loops is to be split"},
    {"kernel", "split-functions", "last: what is cut would stand in the way of the others; blocks are still nested"},
    {"cf", "convert-scf-to-cf{assume-sizes},canonicalize,cse",
     "what machine code is made from; loops of the text that may wrap count their trips since `import`"},
    {"cf", "limit-inlining", "last: of what functions are when LLVM gets them"},
    {0},
};

static NrStatus check_stage(NrContext *ctx, const char *name) {
  NrBuf names = {0};
  bool known = !name;
  for (const NrStep *step = nr_pipeline; step->stage; step++) {
    known |= name && strcmp(step->stage, name) == 0;
    if (step == nr_pipeline || strcmp(step->stage, step[-1].stage) != 0)
      nr_buf_printf(&names, names.size ? ", %s" : "%s", step->stage);
  }
  NrStatus status = known ? NR_OK : nr_error(ctx, NULL, "there is no stage '%s'; the stages are %s", name, names.data);
  nr_buf_deinit(&names);
  return status;
}

NrStatus nr_pipeline_run(NrModule *module, const NrPassOptions *options) {
  NrPassOptions inner = *options;
  if (!options->after_each_pass) inner.after = NULL; /* told of stages here, not of passes */
  NrStatus status = check_stage(module->ctx, options->stop_after);
  if (status) return status;
  for (const NrStep *step = nr_pipeline; step->stage; step++) {
    bool skipped = (step->checks_bounds && !options->check_bounds) ||
                   (step->joins_buffers && options->separate_buffers);
    if (!skipped && (status = nr_run_passes(module, nr_str(step->passes), &inner))) return status;
    bool stage_ends = !step[1].stage || strcmp(step->stage, step[1].stage) != 0;
    if (!stage_ends) continue;
    if (options->after && !options->after_each_pass) status = options->after(options->user, module, step->stage);
    if (status) return status;
    if (options->stop_after && !strcmp(step->stage, options->stop_after)) break;
  }
  return NR_OK;
}
