/* flow.h - queries and builders of flow ops, and the hooks that are in other files. */
#ifndef NORIA_DIALECT_FLOW_FLOW_H
#define NORIA_DIALECT_FLOW_FLOW_H

#include "dialect/flow/ops.h"
#include "dialect/shared/shaped.h"

/* ---- access ----------------------------------------------------------------------------------------------------- */

/* Operand groups of dispatch.workgroups and dispatch. */
enum { NR_FLOW_WORKLOAD, NR_FLOW_ARGUMENTS, NR_FLOW_ARGUMENT_DIMS, NR_FLOW_RESULT_DIMS };

NrOp *nr_flow_inner_module(const NrOp *executable); /* NULL when it has none */
/* The function that a symbol stands for: of an export, the one of its executable; else the symbol itself. NULL when
 * that is no function. */
NrOp *nr_flow_function(NrOp *symbol);
/* The argument that a result shares its buffer with, counted from the first argument, or -1. Of dispatch.workgroups,
 * dispatch, call and func; collectives and update are tied to their target, which is 0. */
int64_t nr_flow_tied_operand(const NrOp *op, size_t result);
NrAttr nr_flow_tied_attr(NrContext *ctx, const int64_t *tied, size_t count); /* NULL when none is tied */
/* `?` dims of a value's type, which may be a dispatch tensor. */
size_t nr_flow_num_dims(NrType type);
/* The size of dim i of a flow op's result tensor, if it is an operand of the op or static. */
bool nr_flow_dim_of(NrValue *value, size_t i, NrIndex *out);
/* Scope and key of #flow.parameter.named<"scope"::"key", {config}>; false when it is something else or malformed. The
 * scope may be empty. config, if any, is given as text. */
bool nr_flow_parameter(NrAttr attr, NrStr *out_scope, NrStr *out_key, NrStr *out_config);
NrAttr nr_flow_parameter_attr(NrType type, NrStr scope, NrStr key);

/* A claim about a `?` of a tensor operand, in `{..}` after its type. Passes rely on it. */
typedef struct NrFlowClaim {
  uint32_t operand, dim;
  NrValue *size;
} NrFlowClaim;
typedef bool (*NrFlowClaimFn)(void *user, const NrFlowClaim *claim);
/* Calls fn for every claim until it returns false. Of dispatches, flow.tensor.* and flow.dispatch.tensor.*. */
bool nr_flow_each_claim(const NrOp *op, NrFlowClaimFn fn, void *user);

/* Elements of as many bits, which lie in as many bytes. */
bool nr_flow_same_width(NrType a, NrType b);
/* Whether elements can be taken as others: numbers of equal width, or, when the width changes, such as fill their
 * bytes, which must be integers without a sign or floats of at most 64 bits. */
bool nr_flow_can_bitcast(NrType from, NrType to);

/* Messages of failed runs, of the interpreter and compiled code (pass/guard/check_flow.c); a and b are printed numbers.
 */
#define NR_FLOW_CLAIM_TEXT(a, b) "dim %u of operand #%u is " a ", not " b " as the op says"
#define NR_FLOW_BOX_TEXT(a, b, c) "the part [" a ", +" b "] leaves dim %u of " c
#define NR_FLOW_LENGTH_TEXT(a, b) "dim %u has length " a ", but is " b " in the result"
#define NR_FLOW_COUNT_TEXT(a, b) "the shapes have " a " and " b " elements"
#define NR_FLOW_BYTES_TEXT(a, b) "the types have " a " and " b " bytes"
#define NR_FLOW_BITCAST_TEXT "changes the width of elements that are not whole bytes of a number of up to 64 bits"
#define NR_FLOW_PARAMETER_TEXT "is a parameter, which must be loaded before the program is run"

/* The lists of dispatch.tensor.load and store. */
extern const NrIndexListSlot nr_flow_load_slots[3], nr_flow_store_slots[3];

/* Kinds of element and reduction of collectives, as numbered in the attributes; NULL when there is no such number. */
const char *nr_flow_element_name(int64_t kind);
const char *nr_flow_reduction_name(int64_t kind);
enum { NR_FLOW_NONE, NR_FLOW_SUM, NR_FLOW_PRODUCT, NR_FLOW_MINIMUM, NR_FLOW_MAXIMUM, NR_FLOW_AVERAGE };

/* ---- text and checks shared by the files of this dialect --------------------------------------------------------- */

typedef struct NrRefs {
  NrOperandRef *data;
  size_t size, capacity;
} NrRefs;
void nr_flow_push_ref(NrParser *p, NrRefs *refs, NrOperandRef ref);
/* `{%d0, %d1}` behind a type with `?` dims: one each. */
NrStatus nr_flow_p_dims(NrParser *p, NrType type, NrRefs *dims);
/* Prints "type{%d0, %d1}"; *next is the operand of its first dim and moves on. */
void nr_flow_w_type(NrPrinter *w, NrOp *op, NrType type, size_t *next);

typedef struct NrFlowSignature {
  NrType *arg_types, *result_types;
  size_t num_args, num_results;
  NrRefs arg_dims, result_dims;
  int64_t *tied;
} NrFlowSignature;
/* (type{%d}, ..) -> (type{%d}, %arg as type{%d}, ..) where results may be tied to the arguments. */
NrStatus nr_flow_p_signature(NrParser *p, const NrOperandRef *args, size_t num_args, NrFlowSignature *out);
/* Results, tied_operands, arguments, argument dims and result dims. */
NrStatus nr_flow_add_signature(NrParser *p, NrOpState *state, const NrOperandRef *args,
                               const NrFlowSignature *signature);
typedef struct NrFlowSignatureGroups { /* operand groups */
  size_t arguments, argument_dims, result_dims;
} NrFlowSignatureGroups;
void nr_flow_w_signature(NrPrinter *w, NrOp *op, NrFlowSignatureGroups groups);
/* type{%d} or %x as type{%d}, where %x must be target. */
NrStatus nr_flow_p_tied_result(NrParser *p, NrOperandRef target, NrType *out, NrRefs *dims);
void nr_flow_w_tied_result(NrPrinter *w, NrOp *op, size_t first_dim);
void nr_flow_w_arguments(NrPrinter *w, NrOp *op); /* "[workload](arguments)" of a dispatch */
NrStatus nr_flow_p_visibility(NrParser *p, NrOpState *state);
void nr_flow_w_visibility(NrPrinter *w, NrOp *op);
/* word `(`%a: index, ..`)` `->` `(index, index, index)` region; an empty region when word is not there. */
NrStatus nr_flow_p_count(NrParser *p, NrOpState *state, const char *word);
void nr_flow_w_count(NrPrinter *w, NrRegion *region, const char *word);

/* "(id) value set has N dynamic dimensions but only M dimension values are attached". */
NrStatus nr_flow_dims_verify(NrOp *op, const char *id, size_t expected, size_t group);
/* Dims of operands of `values` group, or of the results when values is SIZE_MAX. */
NrStatus nr_flow_group_dims_verify(NrOp *op, const char *id, size_t values, size_t group);
/* "tied_operands" when `-> %a` says it, which names the first of equal arguments; else NULL, and the attribute is
 * written. */
const char *nr_flow_named_ties(const NrOp *op, size_t arguments_group);
NrStatus nr_flow_tied_verify(NrOp *op, const char *id, size_t num_results, size_t num_arguments);
/* Of a dispatch: a tied result is the bytes that its argument, a tensor, is left as, in a type of the same size. */
NrStatus nr_flow_tied_types_verify(NrOp *op, const char *id);
/* A workgroup count region: takes the workload, returns three of type index. workload_group SIZE_MAX: unknown workload.
 */
NrStatus nr_flow_count_verify(NrOp *op, const char *id, size_t region, size_t workload_group);

/* ---- hooks ------------------------------------------------------------------------------------------------------ */

#define NR_FLOW_TEXT(op)                                                                                               \
  NrStatus nr_flow_##op##_parse(NrParser *p, NrOpState *state);                                                        \
  void nr_flow_##op##_print(NrPrinter *w, NrOp *op);
NR_FLOW_TEXT(region)
NR_FLOW_TEXT(workgroups)
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
NrStatus nr_flow_region_verify(NrOp *op);
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

/* canonicalize.c and fold.c */
bool nr_flow_region_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_workgroups_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_slice_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_dispatch_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_alloca_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_reshape_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_empty_source_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_zero_size_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_dynamic_constant_canonicalize(NrOp *op, NrBuilder *b);
bool nr_flow_tensor_slice_canonicalize(NrOp *op, NrBuilder *b);
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
