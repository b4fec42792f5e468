/* func.h - functions: builders, queries, and syntax hooks. */
#ifndef NORIA_DIALECT_FUNC_FUNC_H
#define NORIA_DIALECT_FUNC_FUNC_H

#include "dialect/func/ops.h"
#include "ir/op_info.h"
#include "ir/text.h"

/* Creates a function without a body: append the entry block to its region 0. */
NrOp *nr_func_create(NrBuilder *b, NrStr name, NrType type, bool is_private);
NrType nr_func_type(const NrOp *func); /* NULL when the attribute is missing or not a function type */
/* Attribute `name` of argument or result i, or NULL. */
NrAttr nr_func_arg_attr(const NrOp *func, size_t i, const char *name);
NrAttr nr_func_result_attr(const NrOp *func, size_t i, const char *name);

NrStatus nr_func_parse(NrParser *p, NrOpState *state);
void nr_func_print(NrPrinter *w, NrOp *op);
NrStatus nr_func_verify(NrOp *op); /* the signature of any function-like op against its body */
NrStatus nr_func_post_parse(NrParser *p, NrOp *op);
NrStatus nr_func_return_parse(NrParser *p, NrOpState *state);
NrStatus nr_func_call_indirect_parse(NrParser *p, NrOpState *state);
void nr_func_call_indirect_print(NrPrinter *w, NrOp *op);
void nr_func_constant_print(NrPrinter *w, NrOp *op);

#endif
