/* flow.h - queries and builders of flow ops, and the hooks that are defined outside flow.c. */
#ifndef NORIA_DIALECT_FLOW_FLOW_H
#define NORIA_DIALECT_FLOW_FLOW_H

#include "dialect/shared/tied.h"
#include "dialect/flow/ops.h"
#include "dialect/shared/shaped.h"
#include "dialect/shared/visibility.h"
#include "noria/exec_abi.h"

/* ---- types ------------------------------------------------------------------------------------------------------ */

typedef enum NrAccess { NR_READONLY, NR_WRITEONLY, NR_READWRITE } NrAccess; /* as numbered in types.def */
NrType nr_type_dispatch_tensor(NrAccess access, NrType bound);
NrType nr_type_channel(NrContext *ctx);
static inline NrAccess nr_flow_access(NrType dispatch_tensor) {
  assert(dispatch_tensor->kind == NR_TYPE_flow_dispatch_tensor);
  return (NrAccess)dispatch_tensor->params[0]->i;
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* Operand groups of dispatch.workgroups and dispatch. */
enum { NR_FLOW_WORKLOAD, NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS, NR_FLOW_RESULT_DIMS };

/* What a dispatch needs when its program is compiled or run, and not before: its entry points exist, have functions
 * with bodies, and these take its arguments and results. Reports what is missing. */
NrStatus nr_flow_dispatch_link(NrOp *dispatch);
NrOp *nr_flow_inner_module(const NrOp *executable); /* NULL when it has none */
/* The function that a symbol refers to: for an export, the function in its executable; otherwise the symbol itself.
 * NULL when that is not a function. */
NrOp *nr_flow_function(NrOp *symbol);
/* The operand groups that dispatch.workgroups, dispatch and call have in common. */
typedef struct NrFlowCallGroups {
  NrGroup arguments, argument_dims, result_dims;
} NrFlowCallGroups;
NrFlowCallGroups nr_flow_call_groups(const NrOp *op);
/* Whether the results of a flow.call are tied as the declaration of its callee says. */
bool nr_flow_call_ties_match(const NrOp *call);
#define NR_FLOW_TIES_TEXT "ties other results to arguments than the declaration of its callee"
/* The number of dynamic dims of a type, which may be a dispatch tensor. */
size_t nr_flow_num_dims(NrType type);

/* A claim: the size that an op gives for a dynamic dim of a tensor operand, in text `tensor<?xf32>{%n}`. Passes rely on
 * it. */
typedef struct NrFlowClaim {
  uint32_t operand, dim;
  NrValue *size;
} NrFlowClaim;
typedef bool (*NrFlowClaimFn)(void *user, const NrFlowClaim *claim);
/* Calls fn for every claim until it returns false. For dispatches, flow.tensor.* and flow.dispatch.tensor.*. */
bool nr_flow_each_claim(const NrOp *op, NrFlowClaimFn fn, void *user);

/* The operand groups of tensors (out[i][0]) and of their dims (out[i][1]); returns their number, at most 2. */
size_t nr_flow_claim_groups(const NrOp *op, size_t (*out)[2]);

/* The text of a trace for the runtime (base/imports.def), and whether all of its values have elements that it can
 * print. */
NrStr nr_flow_trace_text(NrArena *arena, NrOp *trace);
bool nr_flow_can_trace(const NrOp *trace);
#define NR_FLOW_TRACE_TEXT                                                                                             \
  "traces elements that are no integers or floats of up to 64 bits, or complex numbers of these"

/* Whether elements of both types have the same number of bits and bytes. */
bool nr_flow_same_width(NrType a, NrType b);
/* Whether elements can be bitcast: numbers of equal width; or, with different widths, signless integers and floats of
 * at most 64 bits that fill whole bytes. */
bool nr_flow_can_bitcast(NrType from, NrType to);

/* Messages of failed runs, shared by the interpreter and compiled code (pass/guard/check_flow.c); a and b are
 * conversion specifiers of numbers.
 */
#define NR_FLOW_CLAIM_TEXT(a, b) "dim %u of operand #%u is " a ", not " b " as the op says"
#define NR_FLOW_RESULT_TEXT(a, b) "dim %u of result #%u is " a ", not " b " as the op says"
#define NR_FLOW_BOX_TEXT(a, b, c) "the part [" a ", +" b "] leaves dim %u of " c
#define NR_FLOW_LENGTH_TEXT(a, b) "dim %u has length " a ", but is " b " in the result"
#define NR_FLOW_COUNT_TEXT(a, b) "the shapes have " a " and " b " elements"
#define NR_FLOW_BYTES_TEXT(a, b) "the types have " a " and " b " bytes"
#define NR_FLOW_BITCAST_TEXT "changes the width of elements that are not whole bytes of a number of up to 64 bits"

/* The index lists of dispatch.tensor.load and store. */
extern const NrIndexListSlot nr_flow_load_slots[3], nr_flow_store_slots[3];

/* ---- builders ---------------------------------------------------------------------------------------------------- */

/* A dispatch.tensor.load (value NULL) or dispatch.tensor.store of the part of a binding with these offsets, sizes and
 * strides. dims: the binding's dynamic dims. */
NrOp *nr_flow_build_access(NrBuilder *b, NrValue *binding, NrValue *const *dims, const NrIndex lists[3][NR_MAX_RANK],
                           NrValue *value);
/* The same, of the whole binding. */
NrOp *nr_flow_build_whole(NrBuilder *b, NrValue *binding, NrValue *const *dims, NrValue *value);

/* Builds the three values of the grid that a workgroup count region (its block; NULL: one workgroup) computes from the
 * workload of a dispatch or dispatch.workgroups. */
void nr_flow_build_grid(NrBuilder *b, NrBlock *count, NrOp *dispatch, NrValue **out_grid);

/* Names of the element and reduction kinds of collectives, by the attributes' numbers; NULL for an unknown number. */
const char *nr_flow_element_name(int64_t kind);
const char *nr_flow_reduction_name(int64_t kind);
enum { NR_FLOW_NONE, NR_FLOW_SUM, NR_FLOW_PRODUCT, NR_FLOW_MINIMUM, NR_FLOW_MAXIMUM, NR_FLOW_AVERAGE };

/* flow.collective.*: all have these operands. */
bool nr_flow_is_collective(const NrOp *op);
NrValue *nr_flow_collective_source(const NrOp *op);
NrValue *nr_flow_collective_channel(const NrOp *op);
NoriaCollective nr_flow_collective_kind(const NrOp *op);
NoriaDType nr_flow_element_dtype(const NrOp *op); /* of element_type */
/* Whether the types say how many rows source and target have, so that all ranks have as many. */
bool nr_flow_has_same_rows(const NrOp *op);
/* The runtime's function (base/imports.def) for an op on channels and for collectives; NULL for other ops. */
const char *nr_flow_import(const NrOp *op);

/* ---- text and verification shared by the files of this dialect --------------------------------------------------- */

typedef struct NrRefs {
  NrOperandRef *data;
  size_t size, capacity;
} NrRefs;
void nr_flow_push_ref(NrParser *p, NrRefs *refs, NrOperandRef ref);
/* Parses `{%d0, %d1}` after a type with dynamic dims: one operand each. */
NrStatus nr_flow_p_dims(NrParser *p, NrType type, NrRefs *dims);
/* Prints `type{%d0, %d1}`; *next is the operand index of its first dim, and is advanced. */
void nr_flow_w_type(NrPrinter *w, NrOp *op, NrType type, size_t *next);

typedef struct NrFlowSignature {
  NrType *arg_types, *result_types;
  size_t num_args, num_results;
  NrRefs arg_dims, result_dims;
  int64_t *tied;
} NrFlowSignature;
/* Parses `(type{%d}, ..) -> (type{%d}, %arg as type{%d}, ..)`. `%arg as` ties a result to an argument. */
NrStatus nr_flow_p_signature(NrParser *p, const NrOperandRef *args, size_t num_args, NrFlowSignature *out);
/* Adds results, tied_operands, arguments, argument dims and result dims. */
NrStatus nr_flow_add_signature(NrParser *p, NrOpState *state, const NrOperandRef *args,
                               const NrFlowSignature *signature);
typedef struct NrFlowSignatureGroups { /* operand groups */
  size_t arguments, argument_dims, result_dims;
} NrFlowSignatureGroups;
void nr_flow_w_signature(NrPrinter *w, NrOp *op, NrFlowSignatureGroups groups);
/* Parses `type{%d}` or `%x as type{%d}`, where %x must be target. */
NrStatus nr_flow_p_tied_result(NrParser *p, NrOperandRef target, NrType *out, NrRefs *dims);
void nr_flow_w_tied_result(NrPrinter *w, NrOp *op, size_t first_dim);
void nr_flow_w_arguments(NrPrinter *w, NrOp *op); /* `[workload](arguments)` of a dispatch */
/* Parses `[%a, %b]` or, as texts of 2020 have it, `[%a : index]` (out_typed); nothing is no workload. */
NrStatus nr_flow_p_workload(NrParser *p, NrOperandRef **out, size_t *count, bool *out_typed);
/* The rest of a closure of 2020, behind its workload: `(%i = %a : t, ..) -> (t, ..) { .. }`. */
NrStatus nr_flow_p_closure(NrParser *p, NrOpState *state, NrOperandRef *workload, size_t num_workload);
/* Parses `word(%a: index, ..) -> (index, index, index)` and a region; without the word, adds an empty region. */
NrStatus nr_flow_p_count(NrParser *p, NrOpState *state, const char *word);
void nr_flow_w_count(NrPrinter *w, NrRegion *region, const char *word);

/* Verifies the number of dims in an operand group; the message is "(id) value set has N dynamic dimensions but only M
 * dimension values are attached". */
NrStatus nr_flow_dims_verify(NrOp *op, const char *id, size_t expected, size_t group);
/* Verifies the dims in `group` for the operands of group `values`, or for the results when values is SIZE_MAX. */
NrStatus nr_flow_group_dims_verify(NrOp *op, const char *id, size_t values, size_t group);
/* "tied_operands" when the text `-> %a` determines the attribute, otherwise NULL. `%a` stands for the first of equal
 * arguments. */
const char *nr_flow_named_ties(const NrOp *op, size_t arguments_group);
NrStatus nr_flow_tied_verify(NrOp *op, const char *id, size_t num_results, size_t num_arguments);
/* Verifies of a dispatch or call that a tied result is a tensor with as many bytes as its argument. */
NrStatus nr_flow_tied_types_verify(NrOp *op, const char *id);
/* Verifies a workgroup count region: it takes the workload and returns three values of type index. workload_group
 * SIZE_MAX: the workload is not known.
 */
NrStatus nr_flow_count_verify(NrOp *op, const char *id, size_t region, size_t workload_group);

/* ---- hooks ------------------------------------------------------------------------------------------------------ */

#define NR_FLOW_TEXT(op)                                                                                               \
  NrStatus nr_flow_##op##_parse(NrParser *p, NrOpState *state);                                                        \
  void nr_flow_##op##_print(NrPrinter *w, NrOp *op);
NR_FLOW_TEXT(region)
NR_FLOW_TEXT(workgroups)
NR_FLOW_TEXT(count_from)
NR_FLOW_TEXT(closure)
NR_FLOW_TEXT(load)
NR_FLOW_TEXT(store)
NR_FLOW_TEXT(executable)
NR_FLOW_TEXT(export)
NR_FLOW_TEXT(dispatch)
NR_FLOW_TEXT(call)
NR_FLOW_TEXT(func)
NR_FLOW_TEXT(constant)
NR_FLOW_TEXT(dynamic_constant)
NR_FLOW_TEXT(splat)
NR_FLOW_TEXT(tensor_store)
NR_FLOW_TEXT(trace)
NR_FLOW_TEXT(update)
NR_FLOW_TEXT(collective)
#undef NR_FLOW_TEXT
NrStatus nr_flow_dispatch_tensor_parse(NrParser *p, NrAttr *out_params);
NrStatus nr_flow_parameter_parse(NrParser *p, NrAttr *out_params);
void nr_flow_parameter_print(NrPrinter *w, const NrAttr *params);
NrStatus nr_flow_region_verify(NrOp *op);
NrStatus nr_flow_closure_verify(NrOp *op);
bool nr_flow_closure_canonicalize(NrOp *op, NrBuilder *b);
NrStatus nr_flow_closure_expand(NrOp *op, NrBuilder *b, NrValue **out);
NrStatus nr_flow_workgroups_verify(NrOp *op);
NrStatus nr_flow_load_verify(NrOp *op);
NrStatus nr_flow_store_verify(NrOp *op);
NrStatus nr_flow_executable_verify(NrOp *op);
NrStatus nr_flow_export_verify(NrOp *op);
NrStatus nr_flow_dispatch_verify(NrOp *op);
NrStatus nr_flow_call_verify(NrOp *op);
NrStatus nr_flow_call_verify_symbol(NrOp *op, NrOp *callee);
NrStatus nr_flow_func_verify(NrOp *op);
NrStatus nr_flow_collective_verify(NrOp *op);
NrStatus nr_flow_channel_split_verify(NrOp *op);

/* of_2020.c. dims_post_parse: in a text of 2020, adds the dims that the text leaves out */
NrStatus nr_flow_dims_post_parse(NrParser *p, NrOp *op);
NrStatus nr_flow_input_load_verify(NrOp *op);
NrStatus nr_flow_output_store_verify(NrOp *op);
NrStatus nr_flow_input_load_expand(NrOp *op, NrBuilder *b, NrValue **out);
NrStatus nr_flow_output_store_expand(NrOp *op, NrBuilder *b, NrValue **out);
NrStatus nr_flow_rank_expand(NrOp *op, NrBuilder *b, NrValue **out);
NrStatus nr_flow_p_trace_2020(NrParser *p, NrOpState *state);

/* canonicalize.c, canonicalize_dispatch.c and fold.c */
bool nr_flow_region_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_workgroups_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_count_from_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_dispatch_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_tensor_empty_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_alloca_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_reshape_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_empty_source_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_zero_size_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_dynamic_constant_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_tensor_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_barrier_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_transfer_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_update_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_channel_split_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_tie_shape_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_ordinal_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_reshape_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_clone_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_tensor_load_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_tensor_store_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_slice_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_transfer_fold(NrOp *op, const NrAttr *constants, NrFold *out);
bool nr_flow_update_fold(NrOp *op, const NrAttr *constants, NrFold *out);

#endif
