/* pass.h - what a pass is, and how passes are run. One pass is one file; passes.def lists them; pipeline.c orders them.
 *
 *   static NrStatus fuse_maps_run(NrPassContext *pass, NrOp *op) { ... }
 *   NR_PASS(fuse_maps, .name = "fuse-maps", .on_while = NR_WHILE_BARRIER, .run = fuse_maps_run,
 *           .doc = "merges an element-wise op into its only user")
 *
 * The pass is then `fuse-maps` on the command line. */
#ifndef NORIA_PASS_CORE_PASS_H
#define NORIA_PASS_CORE_PASS_H

#include "ir/op_info.h"
#include "target/target.h"

/* The arguments of one run of a pass. */
typedef struct NrPassContext {
  NrContext *ctx;
  NrModule *module;
  NrArena *scratch;           /* freed after the pass */
  const struct NrPass *pass;
  const struct NrPassArg *args; /* checked against the pass's options */
  size_t num_args;
  const NrTarget *target; /* the machine that code is generated for; never NULL */
  NrBuf *dispatch_graph;  /* receives the dispatches that the pass outlines, for Graphviz; mostly NULL */
  bool explain;           /* report decisions as remarks; only where the pass says that it .explains */
} NrPassContext;

typedef struct NrPassArg {
  NrStr name, value;
} NrPassArg;

/* An option of a pass, set in a pipeline text or on the command line. A table of options ends with {0}. */
typedef enum NrOptionKind {
  NR_OPTION_FLAG,
  NR_OPTION_INT,
  NR_OPTION_INTS,
  NR_OPTION_WORD,
  NR_OPTION_PASSES, /* a pipeline text, which may be empty */
} NrOptionKind;
typedef struct NrPassOption {
  const char *name;
  NrOptionKind kind;
  int64_t fallback; /* the default of a flag, number or word */
  int64_t min, max; /* range of each number */
  size_t count;        /* longest list of numbers */
  const char *doc;
  const char *const *words; /* the words, NULL-terminated; the value is an index in this list */
} NrPassOption;
#define NR_FLAG(name, fallback, doc) {name, NR_OPTION_FLAG, fallback, 0, 1, 1, doc, NULL}
#define NR_INT(name, fallback, min, max, doc) {name, NR_OPTION_INT, fallback, min, max, 1, doc, NULL}
#define NR_INTS(name, count, min, max, doc) {name, NR_OPTION_INTS, 0, min, max, count, doc, NULL}
#define NR_PASSES(name, doc) {name, NR_OPTION_PASSES, 0, 0, 0, 1, doc, NULL}
#define NR_WORD(name, fallback, words, doc) {name, NR_OPTION_WORD, fallback, 0, 0, 1, doc, words}

/* What a pass does where the program has an scf.while; the table of docs/while.md is made from it. */
typedef enum NrOnWhile {
  NR_WHILE_UNSTATED, /* each row has to state it: a test */
  NR_WHILE_HANDLES,  /* changes the loop, or moves ops or facts across its border */
  NR_WHILE_BARRIER,  /* leaves the loop as it is, and moves nothing across its border */
  NR_WHILE_REJECTS,  /* reports an error at the loop */
} NrOnWhile;

typedef struct NrPass {
  const char *name;            /* "fuse-maps" */
  const char *on;              /* full name of the op that it runs on; NULL = any op */
  NrOnWhile on_while;
  bool of_table;               /* changes symbols, so it runs on modules only */
  const char *explains;        /* what it can report as remarks (NrPassContext.explain): the TOPIC of --explain-TOPIC */
  const NrPassOption *options; /* NULL = none */
  const char *doc;
  NrStatus (*run)(NrPassContext *pass, NrOp *op); /* reports its errors */
} NrPass;
#define NR_PASS(id, ...) const NrPass nr_pass_##id = {__VA_ARGS__};

/* The value of an option in this run; for a word, its index in the list. */
int64_t nr_pass_int(const NrPassContext *pass, const char *name);
bool nr_pass_flag(const NrPassContext *pass, const char *name);
/* A list, no longer than the table allows; returns its length. */
size_t nr_pass_ints(const NrPassContext *pass, const char *name, int64_t *out);
NrStr nr_pass_passes(const NrPassContext *pass, const char *name);
bool nr_pass_takes_text(const NrPass *pass, NrStr option); /* NR_OPTION_PASSES */
/* An error when the pass has no such option or the option does not take this value. */
NrStatus nr_pass_check_arg(NrContext *ctx, const NrPass *pass, const NrPassArg *arg);
/* "limit: i64 = 1024 (bytes of a buffer at most)". */
void nr_pass_put_option(NrBuf *out, const NrPassOption *option);

/* The passes of a folder are a NULL-terminated table (src/<folder>/passes.def). NR_PASS_TABLE adds it to the registry
 * when the library is loaded, so this layer names no pass of the layers above it. */
void nr_passes_add(const NrPass *const *table);
#define NR_PASS_TABLE(folder)                                                                                          \
  __attribute__((constructor)) static void folder##_add_passes(void) { nr_passes_add(folder##_passes); }
const NrPass *nr_pass_at(size_t i); /* the registered passes, in a fixed order; NULL behind the last */
/* Other names of passes: those of mlir-opt, current and of 2020. The list ends with a NULL name. */
typedef struct NrPassAlias {
  const char *name, *pass;
  const char *first; /* a pass that runs before it; mostly NULL */
} NrPassAlias;
extern const NrPassAlias nr_pass_aliases[]; /* aliases.def */
const NrPass *nr_pass_find(NrStr name);     /* by its name or an alias */

typedef struct NrPassTime {
  const NrPass *pass;
  int64_t ns; /* wall time, without verifying and printing */
} NrPassTime;
typedef NR_VEC(NrPassTime) NrPassTimes; /* in the order in which they ran */

typedef struct NrPassOptions {
  const NrTarget *target;    /* the machine that code is generated for; NULL = the host */
  bool verify;               /* after every pass; a failure is NR_ERROR_INTERNAL and names the pass */
  const char *print_before, *print_after; /* a pass name, "all", or NULL */
  const char *explain;       /* a topic; the passes that explain it report their decisions as remarks; NULL: none */
  const char *stop_after;    /* nr_pipeline_run: a stage name or NULL */
  NrBuf *dispatch_graph;     /* receives a graph of the dispatches from the pass that outlines them; NULL: none */
  bool check_bounds;         /* nr_pipeline_run: includes the steps that check indices */
  bool check_input;          /* nr_pipeline_run: kernels of the library check their input, as .checked ones */
  const char *shard;         /* nr_pipeline_run: "batch", "tensor": includes the steps that share over ranks; or NULL */
  bool separate_buffers;     /* nr_pipeline_run: leaves out the steps that put several buffers into one allocation */
  NrBuf *print_to;           /* receives what print_before and print_after print */
  const struct NrPrintOptions *print_as; /* NULL = as usual */
  NrPassTimes *times;        /* each run of a pass adds its time here; NULL = not measured */
  /* Called after each pass (nr_run_passes) or each stage (nr_pipeline_run, unless after_each_pass is set); a status
   * other than NR_OK stops. */
  NrStatus (*after)(void *user, NrModule *module, const char *name);
  void *user;
  bool after_each_pass;
} NrPassOptions;

/* Runs "canonicalize,cse,loop-unroll{unroll-factor=4}" on the module. "builtin.module(func.func(cse))" runs cse on the
 * functions directly in it and changes nothing else, as in mlir-opt. A bad text is an error at an unknown location; no
 * pass has run then. */
NrStatus nr_run_passes(NrModule *module, NrStr pipeline, const NrPassOptions *options);
/* The same on an op of the module that is isolated from above. */
NrStatus nr_run_passes_on(NrModule *module, NrOp *root, NrStr pipeline, const NrPassOptions *options);
NrStatus nr_passes_check(NrContext *ctx, NrStr pipeline); /* the text only */
/* Runs a pass on each of the roots, ops of the module of which none contains another. */
NrStatus nr_run_pass(NrModule *module, NrOp *const *roots, size_t num_roots, const NrPass *pass, const NrPassArg *args,
                     size_t num_args, const NrPassOptions *options);

/* ---- the pipeline (pipeline.c) ---------------------------------------------------------------------------------- */

/* One step from an imported program to code. No other table orders passes. */
typedef struct NrStep {
  const char *stage;
  const char *passes; /* pipeline text, may be empty */
  const char *why;    /* why the passes run at this point */
  bool checks_bounds; /* only with NrPassOptions.check_bounds */
  bool checks_input;  /* only with NrPassOptions.check_input */
  const char *shard;  /* only with this NrPassOptions.shard */
  bool joins_buffers; /* not with NrPassOptions.separate_buffers */
} NrStep;
extern const NrStep nr_pipeline[]; /* ends with stage NULL */
NrStatus nr_pipeline_run(NrModule *module, const NrPassOptions *options);
NrStatus nr_pipeline_run_stage(NrModule *module, const char *stage, const NrPassOptions *options); /* one of them */

/* Converts the scf.loops in op's region (of any number of blocks), and the ops that their breaks and continues leave,
 * to blocks (convert_scf_to_cf.c). */
void nr_convert_exits(NrPassContext *pass, NrOp *op);
/* Converts an scf.loop that contains tensors to an scf.while. Only its own breaks and continues may leave it, through
 * scf.if and scf.index_switch (structure_exits.c). False: unchanged. */
bool nr_structure_exits(NrOp *loop);

#endif
