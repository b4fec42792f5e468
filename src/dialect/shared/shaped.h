/* shaped.h - code shared by the dialects of shaped values. First: lists of indices, each a constant of the op or an
 * operand: `[%i, 4, %n]`.
 *
 * Slices, casts and shapes of memref, tensor, vector and flow keep such a list as MLIR does: a dense i64 array
 * attribute with NR_DYNAMIC where the value is an operand, and the operands, in order, in one operand group. Also here:
 * the reassociation of expand_shape and collapse_shape, and shape arithmetic that several dialects share. */
#ifndef NORIA_DIALECT_SHARED_SHAPED_H
#define NORIA_DIALECT_SHARED_SHAPED_H

#include "ir/text.h"

/* An index: a value, or the constant when value is NULL. */
typedef struct NrIndex {
  NrValue *value;
  int64_t constant;
} NrIndex;
static inline NrIndex nr_index_const(int64_t c) { return (NrIndex){NULL, c}; }
NrIndex nr_index_of(NrValue *value); /* a constant value becomes the constant */
bool nr_index_is(NrIndex i, int64_t constant);
bool nr_index_eq(NrIndex a, NrIndex b); /* same constant or same value */
/* The index as a value: builds an arith.constant when needed. */
NrValue *nr_index_value(NrBuilder *b, NrIndex i);
/* Constants fold; ops are built for the rest. */
NrIndex nr_index_add(NrBuilder *b, NrIndex x, NrIndex y);
NrIndex nr_index_mul(NrBuilder *b, NrIndex x, NrIndex y);

/* How an op keeps one list. */
typedef struct NrIndexListSlot {
  size_t group;     /* operand group of the dynamic entries */
  const char *attr; /* the dense i64 array */
} NrIndexListSlot;
/* Slices have three: offsets, sizes, strides. */
extern const NrIndexListSlot nr_extract_slice_slots[3]; /* source, offsets, sizes, strides */
extern const NrIndexListSlot nr_insert_slice_slots[3];  /* source, dest, offsets, sizes, strides */
const NrIndexListSlot *nr_slice_slots(const NrOp *slice); /* of any op that takes or gives a part */

size_t nr_index_list_size(const NrOp *op, const char *attr);
const int64_t *nr_index_list_statics(const NrOp *op, const char *attr);
/* Entry i of the list. */
NrIndex nr_index_list_get(const NrOp *op, NrIndexListSlot slot, size_t i);
/* All entries; out has NR_MAX_RANK places. Returns their number. */
size_t nr_index_list_all(const NrOp *op, NrIndexListSlot slot, NrIndex *out);
/* Collects entries for a new op: appends operands and gives the attribute's value. out_operands has room for count. */
NrAttr nr_index_list_split(NrBuilder *b, const NrIndex *list, size_t count, NrValue **operands, size_t *num_operands);
/* "(C) ..." errors: the list has `rank` entries and as many operands as dynamic entries. */
NrStatus nr_index_list_verify(NrOp *op, NrIndexListSlot slot, const char *what, size_t rank);
/* Whether a slice of a dim may be in bounds, as far as its constants tell (dim NR_DYNAMIC: unknown). *out_last, if
 * given, is set to the last index that it takes, if all are constants. */
bool nr_slice_is_inside(NrIndex offset, NrIndex size, NrIndex stride, int64_t dim, int64_t *out_last);
/* Whether an operand of the lists is a constant. */
bool nr_index_lists_have_constants(const NrOp *op, const NrIndexListSlot *slots, size_t num_slots);
/* "(id) ..." errors: the constants among lists (offsets, sizes, strides) keep the slice inside of `whole`. A slice of
 * nothing may begin anywhere but below 0. */
NrStatus nr_slice_bounds_verify(NrOp *op, const char *id, NrIndex lists[3][NR_MAX_RANK], NrType whole);
/* Turns operands of the lists that are constants into constants of the op; true when something changed. The result type
 * is the caller's matter. */
bool nr_index_lists_fold_constants(NrOp *op, const NrIndexListSlot *slots, size_t num_slots);

/* The same for a slice of `whole`, but for constants that would leave it: what never runs may be said by such. */
bool nr_slice_fold_constants(NrOp *op, const NrIndexListSlot slots[3], NrType whole);

/* The bytes of an INTEGER or FLOAT attribute of at most 64 bits as an element of a dense constant; false for others.
 * Writes nr_type_byte_size of its type. */
bool nr_attr_scalar_bytes(NrAttr scalar, uint8_t *out);

/* Sets operandSegmentSizes. */
void nr_op_set_segments(NrOp *op, const uint32_t *sizes, size_t count);
NrAttr nr_attr_segments(NrContext *ctx, const uint32_t *sizes, size_t count);

/* Text. */
typedef struct NrIndexListText {
  NrOperandRef *refs;
  size_t num_refs;
  int64_t *statics;
  size_t size;
} NrIndexListText;
NrStatus nr_p_index_list(NrParser *p, NrIndexListText *out);
/* Appends the operands and adds the attribute. */
NrStatus nr_p_add_index_list(NrParser *p, NrOpState *state, const NrIndexListText *list, const char *attr);
void nr_w_index_list(NrPrinter *w, NrOp *op, NrIndexListSlot slot);
/* A list that is all constants, `[1, 0]`. */
NrStatus nr_p_integers(NrParser *p, NrOpState *state, const char *attr);
void nr_w_integers(NrPrinter *w, NrOp *op, const char *attr);

/* The lists of slices: offsets, sizes, strides. */
extern const char *const nr_slice_attrs[]; /* the attributes, and operandSegmentSizes, up to NULL */
NrStatus nr_p_slice_lists(NrParser *p, NrIndexListText *out_lists); /* `[..] [..] [..]` */
/* Appends operands and attributes, and the segments: `before` are the sizes of the groups in front of the lists. */
NrStatus nr_p_add_slice_lists(NrParser *p, NrOpState *state, const NrIndexListText *lists, const uint32_t *before,
                              size_t num_before);
void nr_w_slice_lists(NrPrinter *w, NrOp *op, const NrIndexListSlot *slots);
NrStatus nr_slice_lists_verify(NrOp *op, const NrIndexListSlot *slots, uint32_t rank,
                               NrIndex (*out_lists)[NR_MAX_RANK]);

/* Builds an op with lists of rank entries behind `fixed` operands, 1 or 2, that are set already; operands has room for
 * all. */
NrValue *nr_build_slice(NrBuilder *b, unsigned id, NrType type, NrValue **operands, size_t fixed, size_t rank,
                        const NrIndex *const *lists);

/* `: type`, which ends most ops. */
NrStatus nr_p_colon_type(NrParser *p, NrType *out);
/* `attr-dict : T word U`, which ends ops that make a U of a T: adds source, of type T, and the result. */
NrStatus nr_p_change(NrParser *p, NrOpState *state, NrOperandRef source, const char *word);
/* "attrs : type of from, word, type of the result" */
void nr_w_change(NrPrinter *w, NrOp *op, const NrValue *from, const char *word, const char *const *elided);
/* `[%i, %j]`: index operands only. */
NrStatus nr_p_indices(NrParser *p, NrOperandRef **out, size_t *count);
NrStatus nr_p_add_indices(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count);
/* Prints "[%i, %j]": count operands from begin. */
void nr_w_indices(NrPrinter *w, NrOp *op, size_t begin, size_t count);
/* The texts of dim and rank, shared by memref and tensor: in 2020 one op served both and dim's index was an integer. */
NrStatus nr_p_dim_op(NrParser *p, NrOpState *state);
NrStatus nr_p_dim_post_parse(NrParser *p, NrOp *op);
NrStatus nr_p_rank_op(NrParser *p, NrOpState *state);
/* `%a, %b : type` of from_elements of tensor and vector. */
NrStatus nr_p_from_elements(NrParser *p, NrOpState *state);

/* ---- reassociation ---------------------------------------------------------------------------------------------- */

/* Groups of consecutive dims of the higher-rank side, one per dim of the lower-rank side. */
typedef struct NrGroups {
  size_t count;
  uint32_t begin[NR_MAX_RANK], size[NR_MAX_RANK];
} NrGroups;
bool nr_groups_of(const NrOp *op, NrGroups *out); /* from the attribute `reassociation`; false when malformed */
NrAttr nr_groups_attr(NrContext *ctx, const NrGroups *groups);
NrStatus nr_p_reassociation(NrParser *p, NrOpState *state);
void nr_w_reassociation(NrPrinter *w, NrOp *op);
/* Checks groups between the expanded and the collapsed type (static products, `?`). */
NrStatus nr_groups_verify(NrOp *op, NrType expanded, NrType collapsed);
bool nr_groups_join_ones(const NrGroups *groups, NrType type); /* type's dims of size 1 to at most one other each */
/* What an expand_shape or collapse_shape of another is: one op from first's operand on, with these groups, nothing at
 * all, or no less than two. */
typedef enum NrReshape { NR_RESHAPE_TWO, NR_RESHAPE_NONE, NR_RESHAPE_EXPAND, NR_RESHAPE_COLLAPSE } NrReshape;
NrReshape nr_reshape_merge(const NrOp *first, bool first_expands, const NrOp *second, bool second_expands,
                           NrGroups *out);

/* Text of expand_shape and collapse_shape of memref and tensor. */
NrStatus nr_p_expand_shape(NrParser *p, NrOpState *state);
void nr_w_expand_shape(NrPrinter *w, NrOp *op);
NrStatus nr_p_collapse_shape(NrParser *p, NrOpState *state);
void nr_w_collapse_shape(NrPrinter *w, NrOp *op);
/* output_shape of an expand_shape agrees with its result. */
NrStatus nr_output_shape_verify(NrOp *op);
extern const NrIndexListSlot nr_output_shape_slot;

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* Whether small is big with some dims of size 1 left out. keep, when given, tells for each dim of big if it stays. */
bool nr_dims_rank_reduced(const int64_t *big, size_t big_rank, const int64_t *small, size_t small_rank, bool *keep);
/* The same of a slice, whose sizes (static_sizes) are big: which dims of the whole a part of that type has. */
bool nr_slice_keeps(const NrOp *slice, NrType part, bool *keep);
/* Equal dims, where `?` agrees with anything; same kind, element and rank. */
bool nr_types_cast_compatible(NrType a, NrType b);
/* Product of count dims, NR_DYNAMIC if one is. */
int64_t nr_dims_product(const int64_t *dims, size_t count);
/* Whether a says at least as much as b: same dims except that b may have `?` where a has a number. */
bool nr_type_refines(NrType a, NrType b);
/* An arith.select that takes one tensor or the other as a whole, by one condition: their shapes may differ. */
bool nr_op_selects_whole(const NrOp *op);
/* The size of dim i of a shaped value, as a constant, or as the value that the defining op takes it from (the operand
 * of an alloc or empty, the size of a slice, through casts and loops' results never). False when not known without an
 * op. */
bool nr_dim_of(NrValue *shaped, size_t i, NrIndex *out);
/* The same; builds memref.dim or tensor.dim when not known. */
NrIndex nr_dim_build(NrBuilder *b, NrValue *shaped, size_t i);

#endif
