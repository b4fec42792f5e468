/* interp.h - the reference interpreter: runs a program after any stage, and says what it means.
 *
 * It is written to be right and readable, not fast: scalars up to 64 bits and floats are computed directly, everything
 * else by the op's own fold. Memory is checked: indices out of bounds, use after free, division by zero and overflowing
 * conversions end the run with an error at the op. */
#ifndef NORIA_INTERP_INTERP_H
#define NORIA_INTERP_INTERP_H

#include "ir/op_info.h"
#include "noria/exec_abi.h"

typedef struct NrInterpOptions {
  int64_t max_steps; /* ops executed, 0 = no limit */
  bool hostile;      /* new memory is full of rubbish, and bodies of scf.parallel run in another order: what is
                        well-defined does not notice */
} NrInterpOptions;

/* A function of a module as a NoriaModule whose entry interprets it: the runtime runs it like compiled code, with the
 * same checks of inputs, limits and errors. The module must outlive it, and must not change. Runs take turns: those of
 * other threads wait. */
typedef struct NrInterpProgram NrInterpProgram;
/* entry: name of a func.func; NULL = the one with noria.entry, else the first. Errors go to the module's context. */
NrStatus nr_interp_create(NrModule *module, const char *entry, const NrInterpOptions *options, NrInterpProgram **out);
const NoriaModule *nr_interp_module(const NrInterpProgram *program);
/* The entry of any public function, as nr_codegen_function gives it for compiled code: scalars pass with rank -1. */
NrOp *nr_interp_func(const NrInterpProgram *program);
void nr_interp_destroy(NrInterpProgram *program);
/* An internal error ended a run: every later run fails too, and what the module's heap holds is to be freed as a
 * whole. */
bool nr_interp_is_broken(const NrInterpProgram *program);

/* Computes op, which must be pure, from constant operands; out has num_results places. False when it cannot or should
 * not: an error would come up, or it takes more than max_steps ops. Nothing is reported. */
bool nr_interp_fold(NrOp *op, const NrAttr *operands, int64_t max_steps, NrAttr *out);

#endif
