/* rt.h - what the compiler and the interpreter know of the runtime's functions (base/imports.def). */
#ifndef NORIA_DIALECT_RT_RT_H
#define NORIA_DIALECT_RT_RT_H

#include "ir/ir.h"

/* Whether this is a function of the runtime itself. A host may give others of its own. */
bool nr_rt_is_import(NrStr name);
/* Of rt.call: the operand that says how many operands follow, which is written by the compiler; -1: none. */
int64_t nr_rt_count_operand(const NrOp *op);
/* What NoriaDesc.bits says of a tensor with these elements. */
uint64_t nr_rt_elements(NrType elem);
/* What a run ends with when the runtime gives other tensors than the types of the results say. */
#define NR_RT_DIM_TEXT(a, b, c) "gives a tensor whose dim " a " is " b " where the program says " c
#define NR_RT_ELEMENTS_TEXT "gives a tensor of another element type than the program says"

#endif
