/* interp.h - the reference interpreter: runs a program after any stage and defines its results.
 *
 * It favours clarity over speed: scalars up to 64 bits and floats are computed directly, all other elements by the op's
 * fold. Indices out of bounds, use after free, division by zero and overflowing conversions end the run with an error
 * at the op. */
#ifndef NORIA_INTERP_INTERP_H
#define NORIA_INTERP_INTERP_H

#include "ir/op_info.h"
#include "noria/exec_abi.h"

typedef struct NrInterpOptions {
  int64_t max_steps; /* ops executed, 0 = no limit */
  bool hostile; /* new memory is full of garbage, and bodies of scf.parallel run in another order; well-defined programs
                   give the same results */
} NrInterpOptions;

/* A function of a module as a NoriaModule whose entry interprets it: the runtime runs it like compiled code, with the
 * same checks of inputs, limits and errors. The module must outlive it and must not change. Runs of several threads are
 * serialized. */
typedef struct NrInterpProgram NrInterpProgram;
/* entry: name of a func.func; NULL = the one with noria.entry, else the first. Errors go to the module's context. */
NrStatus nr_interp_create(NrModule *module, const char *entry, const NrInterpOptions *options, NrInterpProgram **out);
const NoriaModule *nr_interp_module(const NrInterpProgram *program);
/* The function that the entry runs. Scalars are passed as descriptors of rank -1, as in compiled code. */
NrOp *nr_interp_func(const NrInterpProgram *program);
void nr_interp_destroy(NrInterpProgram *program);
/* Whether an internal error ended a run: later runs fail, and the module's heap must be freed as a whole. */
bool nr_interp_is_broken(const NrInterpProgram *program);

/* Folds a pure op on constant operands to out[num_results]. False, without a diagnostic, when the op would fail or
 * takes more than max_steps ops. */
bool nr_interp_fold(NrOp *op, const NrAttr *operands, int64_t max_steps, NrAttr *out);

#endif
