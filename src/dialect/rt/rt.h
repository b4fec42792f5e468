/* rt.h - queries of the runtime's functions (base/imports.def), for the compiler and the interpreter. */
#ifndef NORIA_DIALECT_RT_RT_H
#define NORIA_DIALECT_RT_RT_H

#include "dialect/rt/ops.h"
#include "ir/ir.h"

/* Whether the runtime has a function with this name. Programs that embed Noria may register others. */
bool nr_rt_is_import(NrStr name);
/* The index of the operand that is the number of following operands, which the compiler inserts; -1 when there is
 * none. */
int64_t nr_rt_count_operand(const NrOp *op);
/* Of a call of a user's function: the number of operands that are arguments, not memory for results, and for result i
 * of the function whether it is written to such memory. Of other calls all operands, and no result. */
size_t nr_rt_num_arguments(const NrOp *op);
size_t nr_rt_num_function_results(const NrOp *op);
bool nr_rt_is_given(const NrOp *op, size_t i);
bool nr_rt_is_of_user(const NrOp *op); /* its name begins with @ */
bool nr_rt_is_workgroup(NrType function); /* what rt.dispatch calls: (..., index, index, index) -> () */
int64_t nr_rt_target_operand(const NrOp *op); /* the index of the operand that the function writes, or -1 */
/* The value of NoriaDesc.bits for a tensor with elements of this type. */
uint64_t nr_rt_elements(NrType elem);
/* Messages of failed runs in which the runtime returns a tensor that does not match the result's type. */
#define NR_RT_DIM_TEXT(a, b, c) "gives a tensor whose dim " a " is " b " where the program says " c
#define NR_RT_ELEMENTS_TEXT "gives a tensor of another element type than the program says"
/* Of a function of the user; a is a conversion specifier of its status. */
#define NR_RT_STATUS_TEXT(a) "function '%.*s' failed with status " a

/* The operands of an rt.call of "tensor_grow". */
enum { NR_RT_GROW_TENSOR, NR_RT_GROW_ROWS };

#endif
