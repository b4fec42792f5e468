/* pipeline.c - the way of a program, stage by stage: the only place that orders passes. `noria opt --list-pipeline`. */
#include "pass/pass.h"

const NrStep nr_pipeline[] = {
    {"tensor", "lower-onnx", "types, shapes and constants are known once each op is lowered, in order"},
    {"loop", "fuse-maps", "before regions are formed: what is fused is one op in one dispatch"},
    {"kernel", "vectorize-contractions", "reductions first, since loops hide what they are"},
    {"kernel", "convert-linalg-to-loops", "the rest is element-wise: the code generator vectorises its loops"},
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
