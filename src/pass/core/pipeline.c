/* pipeline.c - the passes of the pipeline, stage by stage; no other table orders passes. `noria opt --list-pipeline`
 * prints it. */
#include "pass/core/pass.h"

const NrStep nr_pipeline[] = {
    {"import", "link-kernels{checked}", "with --check only: leaves none to the next step", .checks_input = true},
    {"import", "link-kernels", "first: from here on the functions that are called have bodies"},
    {"import", "sparsify", "early: no later pass has to handle sparse tensors"},
    {"import", "verify-links", "early: from here on what a dispatch names is there"},
    {"import", "verify-initialization-order", "while globals and initializers are there"},
    {"import", "lower-util", "early: the next passes know the functions of func and the globals of memref"},
    {"import", "int-range-optimizations{loops=false}", "before util.assume.int ends: it uses what that says"},
    {"import", "flatten-unranked", "early: no later pass has to handle tensors of unknown rank"},
    {"import", "linalg-generalize-named-ops", "early: later passes have one structured op to handle, linalg.generic"},
    {"import", "insert-ub-checks", "before the ops change: checks the preconditions of the ops that the user wrote"},
    {"import", "lower-affine{keep-names}", "the next passes know scf and memref only"},
    {"import", "check-bounds", "with --check-bounds only: accesses are checked before any pass moves them",
     .checks_bounds = true},
    {"import", "count-trips", "from here on no induction variable overflows its type"},
    {"import", "insert-loop-polls,insert-stack-checks",
     "loops and recursions of text IR obey limits; those of models get this when they are lowered"},
    {"shape", "lower-util{all}", "what the interpreter runs and machine code cannot ends here"},
    {"shape", "lower-early-exit", "before passes that move ops: they assume that a region ends at its terminator"},
    {"shape", "lift-cf-to-scf{on-tensors=true in-parallel-loops=true}",
     "bufferize needs tensors in regions of one block, vectorize-parallel-loops all in its loops"},
    {"shape", "integer-nodes", "before shapes are inferred, which makes constants of what is dequantised"},
    {"shape", "weight-nodes", "behind integer-nodes, which takes the products whose other factor is quantised too"},
    {"shape", "infer-shapes", "a trial lowering finds the types of a model's values"},
    {"tensor", "lower-onnx", "in order: an op's types, shapes and constants are known from those before it"},
    {"tensor", "canonicalize,cse", "the lowering leaves dead shape arithmetic and constants in several copies"},
    {"tensor", "scalarize,canonicalize,cse", "before loop passes: it changes the values that loops carry"},
    {"tensor", "shard-batch", "with --shard=batch only: on tensors, whose dims the model names", .shard = "batch"},
    {"tensor", "shard-tensor,canonicalize,cse", "with --shard=tensor only: before fusion hides what reads a weight",
     .shard = "tensor"},
    {"tensor", "check-claims,verify-claims", "last: from here on no pass checks a shape or an index"},
    {"loop", "int-range-optimizations,canonicalize",
     "before passes that compare indices: those of ONNX may be negative"},
    {"loop", "licm", "before fusion, so that what leaves a loop can fuse outside"},
    {"loop", "fuse-maps,canonicalize,cse", "before buffers: fused ops need no buffer in between"},
    {"flow", "form-dispatch-regions", "on tensors: use-def chains still show what a workgroup reads and writes"},
    {"flow", "clone-producers-into-dispatch-regions,convert-dispatch-region-to-workgroups",
     "what is cheap is computed in a region, all else becomes its arguments"},
    {"flow", "lift-dispatch-constants", "bodies hold their constants now, and before tiling none of these is a size"},
    {"flow", "tile-dispatches", "last that changes the bodies: their loads and stores show what a tile needs"},
    {"flow", "outline-dispatches,canonicalize,cse", "equal dispatches share one executable"},
    {"buffer", "bufferize", "values become memory; from here on the order of ops matters"},
    {"buffer", "canonicalize,cse", "views of views fold before allocations are looked at"},
    {"buffer", "pad-by-planes", "fills and copies are next to each other, and threads have not been given work yet"},
    {"buffer", "scf-for-to-parallel{heavy}",
     "what an iteration writes is a buffer's part now, and its own buffers are in it"},
    {"buffer", "scf-forall-to-parallel,parallel-to-dispatch,canonicalize,cse",
     "loops share memory now, and buffers are still inside of their loops"},
    {"buffer", "group-dispatches,canonicalize,cse",
     "all dispatches exist now, and each buffer is allocated where it is needed: what depends on what shows"},
    {"buffer", "buffer-loop-hoisting", "before plan-memory, which plans what is outside of loops"},
    {"buffer", "double-buffer-loops,buffer-loop-hoisting",
     "a buffer that each iteration allocates and frees is allocated once", .joins_buffers = true},
    {"buffer", "form-wavefronts", "loops have their buffers, and those of different loops are still apart"},
    {"buffer", "promote-buffers-to-stack,plan-memory", "small buffers go to the stack, the others share one arena",
     .joins_buffers = true},
    {"kernel", "vectorize-contractions", "reductions first: they are hard to recognise as loops"},
    {"kernel", "convert-linalg-to-loops", "the rest is element-wise: the code generator vectorises its loops"},
    {"kernel", "canonicalize,cse,licm", "index arithmetic of the new loops"},
    {"kernel", "fold-one-element-views,mem2reg", "what an iteration alone has in memory becomes values of its lane"},
    {"kernel", "vectorize-parallel-loops,canonicalize,cse,licm",
     "all loops exist now; before safepoints, so that vectors of iterations are limited too"},
    {"kernel", "insert-safepoints",
     "all loops exist now and are still structured: time limits and interrupts can end each"},
    {"kernel", "lift-cf-to-scf{min-blocks=500 where-possible}",
     "structures functions with very many loops, so that they can be split"},
    {"kernel", "split-functions", "last of the structured passes: calls between the parts would hinder the others"},
    {"cf", "convert-scf-to-cf{assume-sizes},canonicalize,cse",
     "code generation reads blocks; loops that may overflow count their trips since `import`"},
    {"cf", "limit-inlining,limit-vectorization", "last: measure functions and loops as they will be, but for `expand`"},
    {"expand", "lower-vectors", "first: the passes behind it write out ops on scalars and 1-D vectors only"},
    {"expand", "expand-dots", "what CPUs without such an instruction compute is vectors of one dim"},
    {"expand", "expand-complex,expand-math",
     "behind limit-inlining and all that folds: until here exp(x) is one op, which fuses, folds and counts as one"},
    {"expand", "expand-floats", "behind expand-math, whose functions of narrow floats extend and round"},
    {"expand", "finalize-memref", "last that builds ops: from here on memory is pointers and index arithmetic"},
    {"expand", "verify-emittable", "last: what a backend has to know is the list in emittable.def"},
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

static bool is_skipped(const NrStep *step, const NrPassOptions *options) {
  bool other_shard = step->shard && (!options->shard || strcmp(step->shard, options->shard) != 0);
  return other_shard || (step->checks_bounds && !options->check_bounds) ||
         (step->checks_input && !options->check_input) ||
         (step->joins_buffers && options->separate_buffers);
}

NrStatus nr_pipeline_run_stage(NrModule *module, const char *stage, const NrPassOptions *options) {
  NrStatus status = check_stage(module->ctx, stage);
  for (const NrStep *step = nr_pipeline; step->stage && !status; step++)
    if (!strcmp(step->stage, stage) && !is_skipped(step, options))
      status = nr_run_passes(module, nr_str(step->passes), options);
  return status;
}

NrStatus nr_pipeline_run(NrModule *module, const NrPassOptions *options) {
  NrPassOptions inner = *options;
  if (!options->after_each_pass) inner.after = NULL; /* the callback is called at the end of each stage */
  NR_TRY(check_stage(module->ctx, options->stop_after));
  for (const NrStep *step = nr_pipeline; step->stage; step++) {
    if (!is_skipped(step, options)) NR_TRY(nr_run_passes(module, nr_str(step->passes), &inner));
    bool stage_ends = !step[1].stage || strcmp(step->stage, step[1].stage) != 0;
    if (!stage_ends) continue;
    if (options->after && !options->after_each_pass) NR_TRY(options->after(options->user, module, step->stage));
    if (options->stop_after && !strcmp(step->stage, options->stop_after)) break;
  }
  return NR_OK;
}
