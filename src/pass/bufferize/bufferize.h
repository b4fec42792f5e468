/* bufferize.h - the state of pass bufferize and its steps. */
#ifndef NORIA_PASS_BUFFERIZE_BUFFERIZE_H
#define NORIA_PASS_BUFFERIZE_BUFFERIZE_H

#include "pass/bufferize/analysis.h"
#include "pass/core/pass.h"

typedef struct NrBufferize {
  NrContext *ctx;
  NrModule *module;
  NrOp *table;     /* the module op that the pass runs on */
  NrArena *arena;  /* of the pass */
  NrAnalysis analysis;        /* of the current function */
  size_t number;              /* of the op that was rewritten last */
  bool explain;
  NR_VEC(NrOp *) dead;        /* replaced ops, to be erased */
  NR_VEC(NrOp *) constants;   /* memref.get_global ops that have no name yet */
  NR_VEC(NrAttr) constant_values;
  NrMap exports;              /* flow.executable.export -> NrEntryPoint */
  NrSymbolTables symbols;     /* as they were when the pass began */
} NrBufferize;

/* ---- preparation ------------------------------------------------------------------------------------------------ */

NrStatus nr_bufferize_prepare(NrOp *func);    /* prepare.c: rewrites to fewer kinds of tensor ops */
bool nr_bufferize_is_host_op(const NrOp *op); /* host.c: flow.tensor.* */
NrStatus nr_bufferize_host_op(NrOp *op);
bool nr_bufferize_is_channel_op(const NrOp *op); /* collectives.c: flow.channel.* */
NrStatus nr_bufferize_channel_op(NrOp *op);
/* Converts elementwise arithmetic on tensors, with one result, to a linalg.generic; returns the scalar op in its
 * body. */
NrOp *nr_elementwise_to_generic(NrOp *op);
/* Reinterprets the bytes of a 1-D tensor as elements of another width (bytes.c); requires nr_flow_can_bitcast. */
NrValue *nr_bytes_as(NrBuilder *b, NrValue *row, NrType elem);

/* ---- rewriting -------------------------------------------------------------------------------------------------- */

NrStatus nr_rewrite_block(NrBufferize *s, NrBlock *block);
NrStatus nr_rewrite_ops(NrBufferize *s, NrBlock *block); /* its arguments stay as they are */
NrStatus nr_rewrite_flow(NrBufferize *s, NrOp *op, const NrOpPlan *plan);
void nr_rewrite_collective(NrOp *op, const NrOpPlan *plan);

/* memory.c */
void nr_carry_out_steps(NrBufferize *s, NrOp *op, const NrOpPlan *plan);
void nr_carry_out_frees(NrBufferize *s); /* of the function */
/* Copies all elements, before op; fills instead when `from` is a splat constant. */
void nr_copy_contents(NrOp *op, const NrMemory *from, NrValue *to);
NrValue *nr_memref_as(NrBuilder *b, NrValue *memref, NrType type); /* a memref.cast where the types differ */
NrOp *nr_build_runtime_call(NrBuilder *b, const char *name, NrValue *arg, const NrType *result);

/* ---- executables (executables.c) -------------------------------------------------------------------------------- */

/* A function of an executable, as rt.dispatch runs it. Its arguments: the dispatch's; x, y and z of the grid if it uses
 * the workgroup count; x, y and z of the workgroup. */
typedef struct NrEntryPoint {
  NrOp *export_op, *func;
  bool counts;
} NrEntryPoint;

/* Adds arguments for the workgroup's position in the grid to the functions of all executables, which still use tensors.
 */
void nr_bufferize_open_executables(NrBufferize *s);
NrEntryPoint *nr_bufferize_entry_point(NrBufferize *s, NrOp *dispatch); /* NULL: reported as not found */
void nr_bufferize_close_executables(NrBufferize *s); /* once every dispatch is replaced */

#endif
