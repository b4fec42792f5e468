/* outline.h - moves or copies ops to a new function; a function that is dispatched is put into an executable.
 *
 *   NrOutline o;
 *   nr_outline_init(&o, pass, first, last, capture);
 *   if (nr_outline_needs_ops(&o)) {
 *     NrOp *func = nr_outline_function(&o, &b, ..);           arguments for o.inputs, copies of o.remade
 *     nr_outline_move(&o, func);                                    or build on nr_outline_inside(&o, value)
 *   }
 *   nr_outline_deinit(&o); */
#ifndef NORIA_PASS_CORE_OUTLINE_H
#define NORIA_PASS_CORE_OUTLINE_H

#include "pass/core/pass.h"
#include "pass/core/rewrite.h"

/* How the function gets a value that is defined outside the ops. */
typedef enum NrCapture {
  NR_CAPTURE_REFUSE,
  NR_CAPTURE_PASS,  /* as an argument */
  NR_CAPTURE_REMAKE /* the function gets a copy of the op and of the ops that compute its operands */
} NrCapture;

typedef struct NrOutline {
  NrPassContext *pass;
  NrOp *from;             /* the function that the ops are in */
  NrOp *first, *last;     /* ops of one block */
  NrCapture (*capture)(const NrValue *value);
  NR_VEC(NrValue *) inputs; /* captured values, in the order of the arguments */
  NrOpList remade;          /* captured ops, operands first */
  NrMap inside;             /* the ops, nested ones too, and the values that they define */
  NrMap values;             /* captured value -> itself; after nr_outline_function -> the value in the function */
  NrOpList symbols;         /* with own_table: the symbols that the ops refer to, directly or through other symbols */
  bool own_table;           /* the function will be in a symbol table of its own */
  bool gets_others;         /* the ops can reach buffers other than their inputs, or free one of them */
} NrOutline;

void nr_outline_init(NrOutline *o, NrPassContext *pass, NrOp *first, NrOp *last, NrCapture (*capture)(const NrValue *));
void nr_outline_deinit(NrOutline *o);
/* Captures a value, the values that op and its nested ops use, or those that all the ops use. False when one is
 * refused. */
bool nr_outline_needs(NrOutline *o, NrValue *value);
bool nr_outline_needs_op(NrOutline *o, NrOp *op);
bool nr_outline_needs_ops(NrOutline *o);
/* Collects the symbols that op and its nested ops refer to in o->symbols. False when one cannot be copied. */
bool nr_outline_needs_symbols(NrOutline *o, NrOp *op);
void nr_outline_copy_symbols(NrOutline *o, NrBuilder *b); /* private copies of o->symbols */

/* Builds a function at b without name or terminator. Its arguments are the inputs, then num_indices of type index.
 * Memrefs that overlap no other one that the function gets are marked noria.noalias. o.symbols are copied behind it. */
NrOp *nr_outline_function(NrOutline *o, NrBuilder *b, size_t num_indices, const NrType *results, size_t num_results);
NrValue *nr_outline_inside(const NrOutline *o, NrValue *value); /* of the function */
/* Moves the ops to the end of the function. */
void nr_outline_move(NrOutline *o, NrOp *func);

/* An unused name in the table for a symbol outlined from func (NULL: from the module):
 * "<func>_<kind>_<n>". */
NrStr nr_outline_name(NrSymbolNames *names, NrOp *table, const NrOp *func, const char *kind);

/* The function of the host program that contains op; NULL when op is already in a dispatch or an scf.parallel. */
NrOp *nr_host_function(NrOp *op);

/* ---- executables ------------------------------------------------------------------------------------------------- */

/* The executables that a pass creates; equal ones are shared. */
typedef struct NrExecutables {
  NrSymbolNames names;
  NrMap known; /* hash -> executable */
} NrExecutables;

/* `flow.executable private { flow.executable.export; module {} }` without names, in front of the symbol that user is
 * in. The caller adds the function and the export's region. */
NrOp *nr_executable_create(NrOp *user);
NrOp *nr_executable_export(const NrOp *executable); /* the first one */
NrOp *nr_executable_func(const NrOp *executable);   /* the first one */
NrBuilder nr_executable_builder(const NrOp *executable); /* at the end of its module */
/* If an equal executable is known, erases the new one and returns the known one; else names the new one after func
 * (nr_outline_name) and, behind that, its contents; label may be empty. */
NrOp *nr_executable_share(NrExecutables *all, NrOp *executable, const NrOp *func, const char *kind, NrStr label);
NrAttr nr_executable_entry(const NrOp *executable); /* @executable::@export */
void nr_executables_deinit(NrExecutables *all);

#endif
