/* shaped.h - code shared by the dialects of shaped types. First: index lists such as `[%i, 4, %n]`, whose entries are
 * constants of the op or operands.
 *
 * Slices, casts and shapes of memref, tensor, vector and flow store such a list as MLIR does: a dense i64 array
 * attribute with NR_DYNAMIC for entries that are operands, and one operand group with these operands in order. Also
 * here: the reassociation of expand_shape and collapse_shape, and shape arithmetic. */
#ifndef NORIA_DIALECT_SHARED_SHAPED_H
#define NORIA_DIALECT_SHARED_SHAPED_H

#include "ir/text.h"

/* An index: a value, or the constant when value is NULL. */
static inline NrIndex nr_index_const(int64_t c) { return (NrIndex){NULL, c}; }
NrIndex nr_index_of(NrValue *value); /* the constant if value is defined by one */
bool nr_index_is(NrIndex i, int64_t constant);
bool nr_index_eq(NrIndex a, NrIndex b); /* the same constant or the same value */
/* The index as a value: builds an arith.constant when needed. */
NrValue *nr_index_value(NrBuilder *b, NrIndex i);
/* Build index arithmetic; operations on constants are folded. */
NrIndex nr_index_add(NrBuilder *b, NrIndex x, NrIndex y);
NrIndex nr_index_sub(NrBuilder *b, NrIndex x, NrIndex y);
NrIndex nr_index_mul(NrBuilder *b, NrIndex x, NrIndex y);
NrIndex nr_index_floordiv(NrBuilder *b, NrIndex x, NrIndex y); /* y > 0 */
NrIndex nr_index_ceildiv(NrBuilder *b, NrIndex x, NrIndex y);  /* y > 0 */
NrIndex nr_index_min(NrBuilder *b, NrIndex x, NrIndex y);      /* signed */
NrIndex nr_index_max(NrBuilder *b, NrIndex x, NrIndex y);
NrIndex nr_index_select(NrBuilder *b, NrValue *condition, NrIndex x, NrIndex y);

/* Where an op stores one list. */
typedef struct NrIndexListSlot {
  size_t group;     /* operand group of the dynamic entries */
  const char *attr; /* the dense i64 array attribute */
} NrIndexListSlot;
/* Slices have three: offsets, sizes, strides. */
extern const NrIndexListSlot nr_extract_slice_slots[3]; /* for ops with operands source, offsets, sizes, strides */
/* for ops with operands source, dest, offsets, sizes, strides */
extern const NrIndexListSlot nr_insert_slice_slots[3];
const NrIndexListSlot *nr_slice_slots(const NrOp *slice); /* for any op that extracts or inserts a slice */

size_t nr_index_list_size(const NrOp *op, const char *attr);
const int64_t *nr_index_list_statics(const NrOp *op, const char *attr);
/* Entry i of the list. */
NrIndex nr_index_list_get(const NrOp *op, NrIndexListSlot slot, size_t i);
/* Reads all entries; out has room for NR_MAX_RANK. Returns their number. */
size_t nr_index_list_all(const NrOp *op, NrIndexListSlot slot, NrIndex *out);
/* Splits a list for a new op: appends the dynamic entries to operands and returns the attribute. operands has room for
 * count more. */
NrAttr nr_index_list_split(NrBuilder *b, const NrIndex *list, size_t count, NrValue **operands, size_t *num_operands);
/* Verifies that the list has `rank` entries, and an operand for each dynamic entry. */
NrStatus nr_index_list_verify(NrOp *op, NrIndexListSlot slot, const char *what, size_t rank);
/* Whether a slice of a dim may be in bounds, as far as constants tell (dim NR_DYNAMIC: unknown). *out_last, if not
 * NULL, is the last index of the slice, if all are constants. */
bool nr_slice_is_inside(NrIndex offset, NrIndex size, NrIndex stride, int64_t dim, int64_t *out_last);
/* Whether an operand of the lists is defined by a constant. */
bool nr_index_lists_have_constants(const NrOp *op, const NrIndexListSlot *slots, size_t num_slots);
/* Verifies that the constants in lists (offsets, sizes, strides) keep the slice inside `whole`; id is the constraint in
 * the message. An empty slice may begin anywhere but below 0. */
NrStatus nr_slice_bounds_verify(NrOp *op, const char *id, NrIndex lists[3][NR_MAX_RANK], NrType whole);
/* Turns constant operands of the lists into constants of the op; true when something changed. The caller updates the
 * result type. */
bool nr_index_lists_fold_constants(NrOp *op, const NrIndexListSlot *slots, size_t num_slots);

/* The same for a slice of `whole`. Keeps operands whose constants are out of bounds, since dead code may have such
 * slices. */
bool nr_slice_fold_constants(NrOp *op, const NrIndexListSlot slots[3], NrType whole);

/* Writes an integer or float attribute of at most 64 bits as an element of a dense constant, nr_type_byte_size of its
 * type; false for other attributes. */
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
/* A list of constants only, `[1, 0]`. */
NrStatus nr_p_integers(NrParser *p, NrOpState *state, const char *attr);
void nr_w_integers(NrPrinter *w, NrOp *op, const char *attr);

/* The lists of slices: offsets, sizes, strides. */
extern const char *const nr_slice_attrs[]; /* their attributes and operandSegmentSizes, NULL-terminated */
NrStatus nr_p_slice_lists(NrParser *p, NrIndexListText *out_lists); /* `[..] [..] [..]` */
/* Appends operands and attributes, and sets operandSegmentSizes; `before` has the sizes of the groups before the
 * lists. */
NrStatus nr_p_add_slice_lists(NrParser *p, NrOpState *state, const NrIndexListText *lists, const uint32_t *before,
                              size_t num_before);
void nr_w_slice_lists(NrPrinter *w, NrOp *op, const NrIndexListSlot *slots);
NrStatus nr_slice_lists_verify(NrOp *op, const NrIndexListSlot *slots, uint32_t rank,
                               NrIndex (*out_lists)[NR_MAX_RANK]);

/* Builds an op with the three lists of rank entries after `fixed` operands, 1 or 2, which operands already has; it has
 * room for all. */
NrValue *nr_build_slice(NrBuilder *b, unsigned id, NrType type, NrValue **operands, size_t fixed, size_t rank,
                        const NrIndex *const *lists);

/* Parses `: type`, which ends most ops. */
NrStatus nr_p_colon_type(NrParser *p, NrType *out);
/* Parses `attr-dict : T word U` of ops that convert a T to a U; adds source, of type T, and the result. */
NrStatus nr_p_change(NrParser *p, NrOpState *state, NrOperandRef source, const char *word);
/* Prints attributes, then `: T word U`. */
void nr_w_change(NrPrinter *w, NrOp *op, const NrValue *from, const char *word, const char *const *elided);
/* `[%i, %j]`: index operands only. */
NrStatus nr_p_indices(NrParser *p, NrOperandRef **out, size_t *count);
NrStatus nr_p_add_indices(NrParser *p, NrOpState *state, const NrOperandRef *refs, size_t count);
/* Prints `[%i, %j]`: count operands from begin on. */
void nr_w_indices(NrPrinter *w, NrOp *op, size_t begin, size_t count);
/* The text of dim and rank ops of memref and tensor: in 2020 one op served both, and dim's index was an integer. */
NrStatus nr_p_dim_op(NrParser *p, NrOpState *state);
NrStatus nr_p_dim_post_parse(NrParser *p, NrOp *op);
NrStatus nr_p_rank_op(NrParser *p, NrOpState *state);
/* The text `%a, %b : type` of tensor.from_elements and vector.from_elements. */
NrStatus nr_p_from_elements(NrParser *p, NrOpState *state);

/* ---- reassociation ---------------------------------------------------------------------------------------------- */

/* Groups of consecutive dims of the higher-rank type, one group per dim of the lower-rank type. */
typedef struct NrGroups {
  size_t count;
  uint32_t begin[NR_MAX_RANK], size[NR_MAX_RANK];
} NrGroups;
bool nr_groups_of(const NrOp *op, NrGroups *out); /* from the attribute `reassociation`; false when malformed */
NrAttr nr_groups_attr(NrContext *ctx, const NrGroups *groups);
NrStatus nr_p_reassociation(NrParser *p, NrOpState *state);
void nr_w_reassociation(NrPrinter *w, NrOp *op);
/* Verifies that the groups fit the expanded and the collapsed type. */
NrStatus nr_groups_verify(NrOp *op, NrType expanded, NrType collapsed);
/* whether each group has at most one dim with a size other than 1 */
bool nr_groups_join_ones(const NrGroups *groups, NrType type);
/* The result of merging two consecutive reshapes: no reshape, one expand_shape or collapse_shape of first's operand
 * with the groups *out, or still two. */
typedef enum NrReshape { NR_RESHAPE_TWO, NR_RESHAPE_NONE, NR_RESHAPE_EXPAND, NR_RESHAPE_COLLAPSE } NrReshape;
NrReshape nr_reshape_merge(const NrOp *first, bool first_expands, const NrOp *second, bool second_expands,
                           NrGroups *out);

/* The text of expand_shape and collapse_shape, for memref and tensor. */
NrStatus nr_p_expand_shape(NrParser *p, NrOpState *state);
void nr_w_expand_shape(NrPrinter *w, NrOp *op);
NrStatus nr_p_collapse_shape(NrParser *p, NrOpState *state);
void nr_w_collapse_shape(NrPrinter *w, NrOp *op);
/* Verifies that output_shape of an expand_shape agrees with its result type. */
NrStatus nr_output_shape_verify(NrOp *op);
extern const NrIndexListSlot nr_output_shape_slot;

/* ---- shapes ----------------------------------------------------------------------------------------------------- */

/* Whether small is big without some dims of size 1. keep[i], if keep is not NULL, is whether dim i of big stays. */
bool nr_dims_rank_reduced(const int64_t *big, size_t big_rank, const int64_t *small, size_t small_rank, bool *keep);
/* The same for a slice whose sizes (static_sizes) are big: which dims the slice type `part` has. */
bool nr_slice_keeps(const NrOp *slice, NrType part, bool *keep);
/* Whether kind, element type and rank are equal, and dims too where both are static. */
bool nr_types_cast_compatible(NrType a, NrType b);
/* Product of count dims, NR_DYNAMIC if one is. */
int64_t nr_dims_product(const int64_t *dims, size_t count);
/* Whether a is b with possibly more static dims. */
bool nr_type_refines(NrType a, NrType b);
/* Whether it is an arith.select with one condition for whole tensors, whose shapes may differ. */
bool nr_op_selects_whole(const NrOp *op);
/* The size of dim i of a shaped value: a constant, or a value that the defining op takes the size from (an operand of
 * an alloc or empty, a size of a slice), also through casts and destination operands. False when the size is only known
 * to a new dim op. */
bool nr_dim_of(NrValue *shaped, size_t i, NrIndex *out);
/* An operand of the same shape as an op's result, by .destination or .sizes of its definition; NULL if there is none.
 */
NrValue *nr_shape_source(const NrValue *result);
/* The same; builds memref.dim or tensor.dim where nr_dim_of fails. */
NrIndex nr_dim_build(NrBuilder *b, NrValue *shaped, size_t i);

/* A constant whose elements the runtime finds when the program is loaded: #flow.parameter.named. */
static inline bool nr_attr_is_parameter(NrAttr a) { return a && a->kind == NR_ATTR_flow_parameter_named; }

#endif
