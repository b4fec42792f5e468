/* rt.h - the runtime's functions (base/imports.def), for the compiler and the interpreter. */
#ifndef NORIA_DIALECT_RT_RT_H
#define NORIA_DIALECT_RT_RT_H

#include "dialect/rt/ops.h"
#include "ir/ir.h"

/* Whether the runtime has this function. Programs that embed Noria may register others. */
bool nr_rt_is_import(NrStr name);
/* The operand of rt.call that is the number of following operands, which the compiler inserts; -1: none. */
int64_t nr_rt_count_operand(const NrOp *op);
/* NoriaDesc.bits of a tensor with these elements. */
uint64_t nr_rt_elements(NrType elem);
/* The message of a run in which the runtime returns tensors that do not match the types of the results. */
#define NR_RT_DIM_TEXT(a, b, c) "gives a tensor whose dim " a " is " b " where the program says " c
#define NR_RT_ELEMENTS_TEXT "gives a tensor of another element type than the program says"

#endif
