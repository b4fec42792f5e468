/* pipeline.c - the way of a program, stage by stage: the only place that orders passes. `noria opt --list-pipeline`. */
#include "pass/pass.h"

const NrStep nr_pipeline[] = {
    {"tensor", "lower-onnx", "types, shapes and constants are known once each op is lowered, in order"},
    {"tensor", "canonicalize,cse", "the lowering leaves dead shape arithmetic and constants in several copies"},
    {"tensor", "scalarize,canonicalize,cse", "scalars in registers, before loops are looked at: the values that they carry change"},
    {"loop", "licm", "before fusion, so that what leaves a loop can fuse outside"},
    {"loop", "fuse-maps,canonicalize,cse", "before buffers: what is fused needs none in between"},
    {"buffer", "bufferize", "values become memory; from here on the order of ops matters"},
    {"buffer", "canonicalize,cse", "views of views fold before allocations are looked at"},
    {"buffer", "hoist-allocs,rotate-buffers,hoist-allocs", "loops first: what leaves them can be planned with the rest"},
    {"buffer", "promote-small,plan-memory", "small buffers go to the stack, the others share one arena"},
    {"kernel", "vectorize-contractions", "reductions first: loops would hide what they are"},
    {"kernel", "expand-math", "on scalars and vectors alike, before loops are made of the bodies"},
    {"kernel", "convert-linalg-to-loops", "the rest is element-wise: the code generator vectorises its loops"},
    {"kernel", "canonicalize,cse,licm", "index arithmetic of the new loops"},
    {"cf", "convert-scf-to-cf,canonicalize,cse", "what machine code is made from"},
    {NULL, NULL, NULL},
};

NrStatus nr_pipeline_run(NrModule *module, const NrPassOptions *options) {
  NrPassOptions inner = *options;
  inner.after = NULL; /* options->after is told of stages here, not of passes */
  for (const NrStep *step = nr_pipeline; step->stage; step++) {
    NrStatus status = nr_run_passes(module, nr_str(step->passes), &inner);
    if (status) return status;
    bool stage_ends = !step[1].stage || strcmp(step->stage, step[1].stage) != 0;
    if (!stage_ends) continue;
    if (options->after && (status = options->after(options->user, module, step->stage))) return status;
    if (options->stop_after && !strcmp(step->stage, options->stop_after)) break;
  }
  return NR_OK;
}
