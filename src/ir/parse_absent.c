/* parse_absent.c - weak stand-ins until the parser is there; to be deleted with its arrival. */
#include "ir/text.h"

__attribute__((weak)) NrContext * nr_p_context(NrParser *p) { return NULL; }
__attribute__((weak)) NrModule * nr_p_module(NrParser *p) { return NULL; }
__attribute__((weak)) NrLoc nr_p_loc(NrParser *p) { return NULL; }
__attribute__((weak)) NrStatus nr_p_error(NrParser *p, NrLoc loc, const char *format, ...) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_op_error(NrParser *p, const char *format, ...) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_is_legacy(NrParser *p) { return false; }
__attribute__((weak)) bool nr_p_try(NrParser *p, const char *token) { return false; }
__attribute__((weak)) NrStatus nr_p_expect(NrParser *p, const char *token) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_peek(NrParser *p, const char *token) { return false; }
__attribute__((weak)) bool nr_p_try_keyword(NrParser *p, NrStr *out) { return false; }
__attribute__((weak)) NrStatus nr_p_keyword(NrParser *p, NrStr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_try_int(NrParser *p, int64_t *out) { return false; }
__attribute__((weak)) NrStatus nr_p_int(NrParser *p, int64_t *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_try_string(NrParser *p, NrStr *out) { return false; }
__attribute__((weak)) NrStatus nr_p_symbol_name(NrParser *p, NrStr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_symbol(NrParser *p, NrAttr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_type(NrParser *p, NrType *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_type_list(NrParser *p, NrType **out, size_t *count) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_paren_type_list(NrParser *p, NrType **out, size_t *count) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_arrow_type_list(NrParser *p, NrType **out, size_t *count) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_function_type(NrParser *p, NrType *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_attr(NrParser *p, NrAttr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_attr_of_type(NrParser *p, NrType type, NrAttr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_try_attr_dict(NrParser *p, NrOpState *state) { return false; }
__attribute__((weak)) bool nr_p_try_attr_dict_keyword(NrParser *p, NrOpState *state) { return false; }
__attribute__((weak)) NrStatus nr_p_affine_map_of(NrParser *p, NrAttr *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) bool nr_p_try_operand(NrParser *p, NrOperandRef *out) { return false; }
__attribute__((weak)) NrStatus nr_p_operand(NrParser *p, NrOperandRef *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_operands(NrParser *p, NrOperandRef **out, size_t *count) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_resolve(NrParser *p, NrOperandRef ref, NrType type, NrValue **out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_add_operand(NrParser *p, NrOpState *state, NrOperandRef ref, NrType type) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_add_operands(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count, const NrType *types,
                           size_t num_types) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) void nr_p_add_result(NrParser *p, NrOpState *state, NrType type) {  }
__attribute__((weak)) void nr_p_add_results(NrParser *p, NrOpState *state, const NrType *types, size_t count) {  }
__attribute__((weak)) void nr_p_add_attr(NrParser *p, NrOpState *state, const char *name, NrAttr value) {  }
__attribute__((weak)) void nr_p_set_segments(NrParser *p, NrOpState *state, const uint32_t *sizes, size_t count) {  }
__attribute__((weak)) size_t nr_p_num_result_names(NrParser *p) { return 0; }
__attribute__((weak)) NrStatus nr_p_region(NrParser *p, NrOpState *state, const NrArgRef *args, size_t count) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) void nr_p_empty_region(NrParser *p, NrOpState *state) {  }
__attribute__((weak)) NrStatus nr_p_arg(NrParser *p, NrArgRef *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_typed_arg(NrParser *p, NrArgRef *out) { return NR_ERROR_INTERNAL; }
__attribute__((weak)) NrStatus nr_p_successor(NrParser *p, NrOpState *state) { return NR_ERROR_INTERNAL; }
