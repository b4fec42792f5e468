/* ir.h - the intermediate representation: context, types, attributes, ops, regions, blocks, values.
 *
 * The data model is MLIR's. An op has operands, results, attributes, regions and successors; a region has blocks; a
 * block has arguments and ops. Types and attributes are immutable, owned by the context and unique: equal means same
 * pointer. Ops, blocks and values live in the arena of their module; erasing unlinks them and the memory goes with the
 * module.
 *
 * Read ir.h, then op_info.h (op definitions) and type_info.h (types of dialects), then src/dialect/scf/ops.def. */
#ifndef NORIA_IR_IR_H
#define NORIA_IR_IR_H

#include "base/base.h"

typedef struct NrContext NrContext;
typedef const struct NrTypeData *NrType;
typedef const struct NrAttrData *NrAttr;
typedef const struct NrAffineExprData *NrAffineExpr;
typedef const struct NrLocData *NrLoc;
typedef struct NrOpInfo NrOpInfo;
typedef struct NrTypeInfo NrTypeInfo;
typedef struct NrOp NrOp;
typedef struct NrValue NrValue;
typedef struct NrUse NrUse;
typedef struct NrBlock NrBlock;
typedef struct NrRegion NrRegion;
typedef struct NrModule NrModule;

#define NR_DYNAMIC INT64_MIN /* a dim, stride or offset that is not known: `?` */
#define NR_MAX_NESTING 1000  /* regions, types, attributes and affine expressions nested deeper are refused */
#define NR_MAX_RANK 64

/* ---- context ---------------------------------------------------------------------------------------------------- */

/* Owns types, attributes, locations and names. One thread at a time. */
NrContext *nr_context_create(void);
void nr_context_destroy(NrContext *ctx);
NrArena *nr_context_arena(NrContext *ctx);
NrStr nr_context_intern(NrContext *ctx, NrStr s); /* unique: equal strings give the same data pointer */

/* The name of an attribute that code asks for. attr_names.def lists them; each is interned in every context as it
 * stands, so two names are compared by address, and a misspelt one does not compile. */
typedef struct NrAttrName {
  char text[32];
} NrAttrName;
#define NAME(id, spelling) extern const NrAttrName NR_A_##id[1];
#include "ir/attr_names.def"
#undef NAME

/* ---- locations -------------------------------------------------------------------------------------------------- */

typedef enum NrLocKind { NR_LOC_UNKNOWN, NR_LOC_FILE, NR_LOC_NAME, NR_LOC_CALLSITE, NR_LOC_FUSED } NrLocKind;
struct NrLocData {
  NrLocKind kind;
  uint32_t num_parts;                                 /* FUSED */
  NrStr name;                                         /* FILE: file; NAME: name */
  union {                                             /* one for every op: kept small */
    struct { uint32_t line, column;                   /* FILE: from 1 */
             uint32_t end_line, end_column; };
    struct { NrLoc a, b; };                           /* NAME: child (or NULL); CALLSITE: callee, caller */
    struct { NrAttr metadata; const NrLoc *parts; };  /* FUSED; no metadata = NULL */
  };
};
NrLoc nr_loc_unknown(NrContext *ctx);
NrLoc nr_loc_file(NrContext *ctx, NrStr file, uint32_t line, uint32_t column);
NrLoc nr_loc_file_range(NrContext *ctx, NrStr file, uint32_t line, uint32_t column, uint32_t end_line,
                        uint32_t end_column);
NrLoc nr_loc_name(NrContext *ctx, NrStr name, NrLoc child);
NrLoc nr_loc_callsite(NrContext *ctx, NrLoc callee, NrLoc caller);
NrLoc nr_loc_fused(NrContext *ctx, const NrLoc *parts, size_t count, NrAttr metadata);
/* The outermost name in a location, as the name of a model's node; empty if there is none. */
NrStr nr_loc_first_name(NrLoc loc);
/* The file location that a location contains, or NULL: in a name location its child, in a call site its callee, in a
 * fused location the first. */
NrLoc nr_loc_in_file(NrLoc loc);
/* Appends the prefix of run-time messages: "file:line:col" of nr_loc_in_file, else "node 'name'" of nr_loc_first_name,
 * else nothing. */
void nr_loc_place(NrLoc loc, NrBuf *out);

/* ---- diagnostics ------------------------------------------------------------------------------------------------ */

typedef enum NrSeverity { NR_NOTE, NR_REMARK, NR_WARNING, NR_ERROR } NrSeverity;
typedef struct NrDiag {
  NrSeverity severity;
  NrLoc loc;
  NrStr message;
  size_t num_notes;
  const struct NrDiag *notes;
} NrDiag;
/* Called for each diagnostic when it is complete, notes included. */
typedef void (*NrDiagHandler)(void *user, const NrDiag *diag);
void nr_context_set_diag_handler(NrContext *ctx, NrDiagHandler handler, void *user);
void nr_context_diag_handler(NrContext *ctx, NrDiagHandler *out_handler, void **out_user);
/* Around an attempt that may fail: its diagnostics do not reach the handler. Captures nest. nr_diag_capture_end
 * restores the handler and appends the message of the first error to out_error, where that is not NULL. */
typedef struct NrDiagCapture {
  NrContext *ctx;
  NrDiagHandler handler; /* of before */
  void *user;
  NrBuf error;
  bool has_error;
} NrDiagCapture;
void nr_diag_capture_begin(NrDiagCapture *capture, NrContext *ctx);
void nr_diag_capture_end(NrDiagCapture *capture, NrBuf *out_error);
/* Each returns NR_ERROR_INVALID, for `return nr_error(...)`. The message has no newline. */
NrStatus nr_error(NrContext *ctx, NrLoc loc, const char *format, ...) NR_PRINTF(3, 4);
void nr_warning(NrContext *ctx, NrLoc loc, const char *format, ...) NR_PRINTF(3, 4);
void nr_remark(NrContext *ctx, NrLoc loc, const char *format, ...) NR_PRINTF(3, 4);
/* Adds a note to the diagnostic that was just reported; diagnostics are delivered when the next one starts or at flush.
 */
void nr_note(NrContext *ctx, NrLoc loc, const char *format, ...) NR_PRINTF(3, 4);
void nr_diag_flush(NrContext *ctx);
size_t nr_context_num_errors(const NrContext *ctx);
/* "'scf.for' op <message>" at the op's location. */
NrStatus nr_op_error(NrOp *op, const char *format, ...) NR_PRINTF(2, 3);

/* ---- types ------------------------------------------------------------------------------------------------------ */

typedef enum NrTypeKind {
  NR_TYPE_INTEGER,
  NR_TYPE_INDEX,
  NR_TYPE_FLOAT,
  NR_TYPE_COMPLEX,
  NR_TYPE_NONE,
  NR_TYPE_TUPLE,
  NR_TYPE_FUNCTION,
  NR_TYPE_VECTOR,
  NR_TYPE_TENSOR,          /* ranked */
  NR_TYPE_UNRANKED_TENSOR,
  NR_TYPE_MEMREF,          /* ranked */
  NR_TYPE_UNRANKED_MEMREF,
#define TYPE(dialect, type, ...) NR_TYPE_##dialect##_##type, /* type_info.h */
#include "dialect/types.def"
#undef TYPE
  NR_TYPE_OPAQUE,          /* any other !dialect.name<...>, kept as text */
} NrTypeKind;

typedef enum NrSignedness { NR_SIGNLESS, NR_SIGNED, NR_UNSIGNED } NrSignedness;
typedef enum NrFloatKind {
  NR_F16, NR_BF16, NR_F32, NR_F64, NR_TF32, NR_F80, NR_F128,
  NR_F8E5M2, NR_F8E4M3, NR_F8E4M3FN, NR_F8E5M2FNUZ, NR_F8E4M3FNUZ, NR_F8E4M3B11FNUZ, NR_F8E3M4,
  NR_F8E8M0FNU, NR_F4E2M1FN, NR_F6E2M3FN, NR_F6E3M2FN,
} NrFloatKind;

struct NrTypeData {
  NrTypeKind kind;
  NrContext *ctx;
  uint32_t width;          /* INTEGER: bits; FLOAT: bits */
  NrSignedness signedness; /* INTEGER */
  NrFloatKind float_kind;  /* FLOAT */
  uint32_t rank;           /* VECTOR, TENSOR, MEMREF */
  uint64_t scalable;       /* VECTOR: bit i = dim i is scalable */
  bool oversized;          /* VECTOR, TENSOR, MEMREF: its size in bytes, with `?` and 0 taken as 1, exceeds int64_t. The
                            * parser rejects such a type, and the verifier a value of it. */
  const int64_t *dims;     /* rank of them; NR_DYNAMIC where unknown */
  NrType elem;             /* COMPLEX, VECTOR, TENSOR, MEMREF; a dialect's type: the first parameter that is a type */
  NrAttr layout;           /* MEMREF: affine map or strided layout, NULL = identity; TENSOR: encoding or NULL */
  NrAttr space;            /* MEMREF: memory space or NULL */
  uint32_t num_inputs, num_results; /* FUNCTION; TUPLE: num_inputs members */
  const NrType *inputs, *results;
  const NrTypeInfo *info;  /* of a dialect's type: its definition; else NULL */
  uint32_t num_params;     /* of a dialect's type */
  const NrAttr *params;    /* a word is its number */
  NrStr text;              /* OPAQUE: what follows `!` */
};

/* The last oversized type that was created since the previous call, or NULL. */
NrType nr_context_take_oversized(NrContext *ctx);

NrType nr_type_int(NrContext *ctx, uint32_t width);
NrType nr_type_int_signed(NrContext *ctx, uint32_t width, NrSignedness signedness);
NrType nr_type_i1(NrContext *ctx);
NrType nr_type_i32(NrContext *ctx);
NrType nr_type_i64(NrContext *ctx);
NrType nr_type_index(NrContext *ctx);
NrType nr_type_float(NrContext *ctx, NrFloatKind kind);
NrType nr_type_f32(NrContext *ctx);
NrType nr_type_f64(NrContext *ctx);
NrType nr_type_complex(NrType elem);
NrType nr_type_none(NrContext *ctx);
NrType nr_type_tuple(NrContext *ctx, const NrType *members, size_t count);
NrType nr_type_function(NrContext *ctx, const NrType *inputs, size_t num_inputs, const NrType *results,
                        size_t num_results);
NrType nr_type_vector(const int64_t *dims, size_t rank, NrType elem);
NrType nr_type_vector_scalable(const int64_t *dims, size_t rank, NrType elem, uint64_t scalable);
NrType nr_type_tensor(const int64_t *dims, size_t rank, NrType elem);
NrType nr_type_tensor_encoded(const int64_t *dims, size_t rank, NrType elem, NrAttr encoding);
NrType nr_type_tensor_unranked(NrType elem);
NrType nr_type_memref(const int64_t *dims, size_t rank, NrType elem);
NrType nr_type_memref_layout(const int64_t *dims, size_t rank, NrType elem, NrAttr layout, NrAttr space);
NrType nr_type_memref_unranked(NrType elem, NrAttr space);
/* A type of a dialect: as many parameters as its definition has, each an attribute of its kind. */
NrType nr_type_of_dialect(NrContext *ctx, NrTypeKind kind, const NrAttr *params);
NrType nr_type_opaque(NrContext *ctx, NrStr text);

bool nr_type_is_int(NrType t);          /* any width, signless or not */
bool nr_type_is_int_width(NrType t, uint32_t width);
bool nr_type_is_index(NrType t);
bool nr_type_is_int_or_index(NrType t);
bool nr_type_is_float(NrType t);
bool nr_type_is_float_kind(NrType t, NrFloatKind kind);
bool nr_type_is_handle(NrType t);     /* a reference to an object of the runtime (NR_TYPE_IS_HANDLE) */
bool nr_type_is_scalar(NrType t);       /* int, index, float, complex, or a dialect's type with that trait */
bool nr_type_is_shaped(NrType t);       /* vector, tensor, memref, ranked or not */
bool nr_type_is_ranked(NrType t);       /* shaped with a rank */
bool nr_type_is_tensor(NrType t);       /* ranked or not */
bool nr_type_is_memref(NrType t);       /* ranked or not */
bool nr_type_has_static_shape(NrType t);
size_t nr_type_num_dynamic(NrType t);   /* count of `?` dims */
NrType nr_type_elem(NrType t);          /* element of a shaped type, else t itself */
/* Product of static dims; false when it does not fit or a dim is dynamic. */
bool nr_type_num_elements(NrType t, int64_t *out);
bool nr_type_num_bytes(NrType t, int64_t *out); /* the same in bytes, of elements that have some */
NrType nr_type_with_elem(NrType shaped, NrType elem);           /* same shape and kind, other element */
NrType nr_type_with_dims(NrType shaped, const int64_t *dims, size_t rank);
/* Equal, ignoring the signedness of integers: si8, ui8 and i8 hold the same bits. A layout that no strides describe is
 * row-major, as none is. */
bool nr_types_alike(NrType a, NrType b);
/* Bytes of one element in memory: i1 and sub-byte types 1, index 8, i24 4, complex twice. 0 for types without memory.
 */
size_t nr_type_byte_size(NrType scalar);
uint32_t nr_type_bits(NrType scalar);   /* index = 64 */
/* Strides and offset of a memref type in elements (NR_DYNAMIC where unknown); false when its map is not strided. */
bool nr_memref_strides(NrType memref, int64_t *out_strides, int64_t *out_offset);
bool nr_memref_is_identity(NrType memref); /* row-major, offset 0 */

/* ---- affine maps and sets --------------------------------------------------------------------------------------- */

typedef enum NrAffineKind {
  NR_AFFINE_DIM, NR_AFFINE_SYMBOL, NR_AFFINE_CONSTANT,
  NR_AFFINE_ADD, NR_AFFINE_MUL, NR_AFFINE_MOD, NR_AFFINE_FLOORDIV, NR_AFFINE_CEILDIV,
} NrAffineKind;
struct NrAffineExprData {
  NrAffineKind kind;
  NrContext *ctx;
  uint32_t height; /* 1 of a leaf */
  int64_t value;   /* DIM, SYMBOL: position; CONSTANT: value */
  NrAffineExpr lhs, rhs;
};
/* These constructors simplify: constants are folded and moved to the right, x+0, x*1, x*0, equal terms, division of
 * multiples. Sums are left-associative, (x + y) + z, as the parser reads them, so printing and parsing round-trips. */
NrAffineExpr nr_affine_dim(NrContext *ctx, uint32_t position);
NrAffineExpr nr_affine_symbol(NrContext *ctx, uint32_t position);
NrAffineExpr nr_affine_constant(NrContext *ctx, int64_t value);
NrAffineExpr nr_affine_binary(NrAffineKind kind, NrAffineExpr lhs, NrAffineExpr rhs);
/* Evaluates; false on division by zero or a negative divisor or overflow. */
bool nr_affine_eval(NrAffineExpr e, const int64_t *dims, const int64_t *symbols, int64_t *out);
/* Replaces dims and symbols; NULL arrays keep them. */
NrAffineExpr nr_affine_replace(NrAffineExpr e, const NrAffineExpr *dims, const NrAffineExpr *symbols);
bool nr_affine_uses_dim(NrAffineExpr e, uint32_t position);
/* e with its terms collected: dims, symbols, quotients, constant. Returns e unchanged if a divisor is not constant. */
NrAffineExpr nr_affine_simplify(NrAffineExpr e, uint32_t num_dims, uint32_t num_symbols);
/* e as sum(coeff[i]*d_i) + constant without symbols, mod or div; false otherwise. coeff has num_dims entries. */
bool nr_affine_linear(NrAffineExpr e, uint32_t num_dims, int64_t *coeff, int64_t *constant);

/* ---- attributes ------------------------------------------------------------------------------------------------- */

typedef enum NrAttrKind {
  NR_ATTR_UNIT,
  NR_ATTR_INTEGER,       /* bool is i1 */
  NR_ATTR_FLOAT,
  NR_ATTR_STRING,
  NR_ATTR_ARRAY,
  NR_ATTR_DICT,
  NR_ATTR_TYPE,
  NR_ATTR_SYMBOL,        /* @root::@nested... */
  NR_ATTR_AFFINE_MAP,
  NR_ATTR_AFFINE_SET,
  NR_ATTR_DENSE,         /* dense<...> : shaped type, element bytes */
  NR_ATTR_DENSE_STRINGS,
  NR_ATTR_RESOURCE,      /* dense_resource<key> : type, bytes not owned by the context */
  NR_ATTR_SPARSE,
  NR_ATTR_DENSE_ARRAY,   /* array<i64: 1, 2> */
  NR_ATTR_STRIDED,       /* strided<[..], offset: ..> */
  NR_ATTR_LOC,
  NR_ATTR_DISTINCT,
#define ATTR(dialect, attr, ...) NR_ATTR_##dialect##_##attr, /* type_info.h */
#include "dialect/attrs.def"
#undef ATTR
  NR_ATTR_OPAQUE,        /* any other #dialect.name<...>, kept as text, with optional type */
} NrAttrKind;

typedef struct NrNamedAttr {
  NrStr name; /* interned */
  NrAttr value;
} NrNamedAttr;

struct NrAttrData {
  NrAttrKind kind;
  NrContext *ctx;
  NrType type; /* INTEGER, FLOAT, STRING (or NULL), TYPE, DENSE*, RESOURCE, SPARSE; DENSE_ARRAY: element; OPAQUE and
                * attributes of dialects: of the constant that they stand for, or NULL */
  int64_t i;            /* INTEGER up to 64 bits: sign-extended value (zero-extended when the type is unsigned) */
  size_t num_words;     /* INTEGER wider than 64 bits: two's complement words, least first */
  const uint64_t *words;
  double f;             /* FLOAT: value */
  uint64_t bits;        /* FLOAT: raw bits of its own type */
  NrStr s;              /* STRING; SYMBOL: root; RESOURCE: key; OPAQUE: text after `#` */
  size_t size;          /* ARRAY, SYMBOL (nested parts), DENSE_STRINGS, SPARSE(2: indices, values), DISTINCT(1), a
                         * dialect's attribute: its parameters */
  const NrAttr *items;  /* ARRAY, SPARSE, DISTINCT, parameters; SYMBOL: string attributes of the nested parts */
  size_t num_named;     /* DICT, sorted by name */
  const NrNamedAttr *named;
  uint32_t num_dims, num_symbols, num_exprs; /* AFFINE_MAP, AFFINE_SET */
  const NrAffineExpr *exprs;
  const bool *is_equality;                   /* AFFINE_SET: expr == 0, else expr >= 0 */
  bool splat;           /* DENSE: data holds one element for all */
  size_t data_size;     /* DENSE, RESOURCE, DENSE_ARRAY: bytes */
  const void *data;     /* elements little-endian, row-major, nr_type_byte_size each */
  const NrStr *strings; /* DENSE_STRINGS */
  size_t num_strides;   /* STRIDED */
  const int64_t *strides;
  int64_t offset;       /* STRIDED */
  NrLoc loc;            /* LOC */
};

NrAttr nr_attr_unit(NrContext *ctx);
NrAttr nr_attr_bool(NrContext *ctx, bool value);
enum { NR_MAX_INT_BITS = 4096 }; /* of integer constants */
NrAttr nr_attr_int(NrType type, int64_t value); /* wraps to the type's width */
NrAttr nr_attr_int_wide(NrType type, const uint64_t *words, size_t num_words);
NrAttr nr_attr_i64(NrContext *ctx, int64_t value);
NrAttr nr_attr_index(NrContext *ctx, int64_t value);
NrAttr nr_attr_float(NrType type, double value); /* rounds to the type */
NrAttr nr_attr_float_bits(NrType type, uint64_t bits);
NrAttr nr_attr_string(NrContext *ctx, NrStr value);
NrAttr nr_attr_string_typed(NrType type, NrStr value);
NrAttr nr_attr_array(NrContext *ctx, const NrAttr *items, size_t count);
NrAttr nr_attr_dict(NrContext *ctx, const NrNamedAttr *items, size_t count); /* sorts */
NrAttr nr_attr_type(NrType type);
NrAttr nr_attr_symbol(NrContext *ctx, NrStr root);
NrAttr nr_attr_symbol_nested(NrContext *ctx, NrStr root, const NrStr *nested, size_t count);
NrAttr nr_attr_affine_map(NrContext *ctx, uint32_t dims, uint32_t symbols, const NrAffineExpr *exprs, size_t count);
NrAttr nr_attr_affine_identity(NrContext *ctx, uint32_t dims);
NrAttr nr_attr_affine_set(NrContext *ctx, uint32_t dims, uint32_t symbols, const NrAffineExpr *exprs,
                          const bool *is_equality, size_t count);
/* data: one element (splat) or all elements; copied. size must match exactly. A splat is recognised and stored once. */
NrAttr nr_attr_dense(NrType shaped, const void *data, size_t size);
NrAttr nr_attr_dense_strings(NrType shaped, const NrStr *strings, size_t count);
/* data is not copied and must outlive the context. Same key, same data. */
NrAttr nr_attr_resource(NrType shaped, NrStr key, const void *data, size_t size);
NrAttr nr_attr_sparse(NrType shaped, NrAttr indices, NrAttr values);
NrAttr nr_attr_dense_array(NrType elem, const void *data, size_t size);
NrAttr nr_attr_i64_array(NrContext *ctx, const int64_t *values, size_t count); /* array<i64: ...> */
NrAttr nr_attr_strided(NrContext *ctx, const int64_t *strides, size_t count, int64_t offset);
NrAttr nr_attr_loc(NrContext *ctx, NrLoc loc);
NrAttr nr_attr_distinct(NrContext *ctx, NrAttr referenced); /* a new one each time */
/* An attribute of a dialect: as many parameters as its definition has, each an attribute of its kind. type: of the
 * constant that it stands for, else NULL. */
NrAttr nr_attr_of_dialect(NrContext *ctx, NrAttrKind kind, const NrAttr *params, NrType type);
NrAttr nr_attr_opaque(NrContext *ctx, NrStr text, NrType type);

/* The bit layout of a float type; NULL for f32, f64, f80 and f128, the last two held as f64. base/float_format.h. */
const struct NrFloatFormat *nr_float_format(NrFloatKind kind);
bool nr_attr_is_int(NrAttr a, int64_t *out);          /* integer of at most 64 bits */
NrAttr nr_dict_get(NrAttr dict, const char *name);    /* NULL when absent */
bool nr_attr_is_elements(NrAttr a);                    /* DENSE, or RESOURCE whose data is there */
/* SPARSE with all elements written out; NULL when an index is outside or it would take more than NR_MAX_DENSIFIED. */
#define NR_MAX_DENSIFIED ((size_t)1 << 30)
NrAttr nr_attr_sparse_to_dense(NrAttr sparse);
/* Element i of DENSE or RESOURCE (a splat answers for all) as an INTEGER or FLOAT attribute. */
NrAttr nr_attr_element(NrAttr elements, int64_t i);
const void *nr_attr_element_ptr(NrAttr elements, int64_t i);

/* ---- ops, regions, blocks, values ------------------------------------------------------------------------------- */

struct NrUse {
  NrValue *value;
  NrOp *owner;
  NrUse *prev, *next; /* in the value's list */
};

struct NrValue {
  NrType type;
  NrUse *first_use;
  NrOp *op;       /* result of; NULL for a block argument */
  NrBlock *block; /* argument of; NULL for a result */
  uint32_t index;
  uint32_t mark;  /* used by the printer: index in its table of names; valid only if that entry refers back */
  const char *name; /* its name in the text or the model, without `%`, or NULL; owned by the context */
};

/* A block argument. It has a location; results have none, to keep ops small. */
typedef struct NrArg {
  NrValue value;
  NrLoc loc; /* may be NULL */
} NrArg;
static inline NrLoc nr_arg_loc(const NrValue *arg) { return ((const NrArg *)arg)->loc; }

typedef struct NrSuccessor {
  NrBlock *block;
  NrOp *owner;
  struct NrSuccessor *prev, *next; /* in the block's list of predecessors */
  uint32_t num_operands;           /* successor operands are the op's last ones, successor by successor */
} NrSuccessor;

struct NrOp { /* fields that walks read come first, for the cache */
  const NrOpInfo *info;
  NrOp *next, *prev;
  NrBlock *block; /* NULL while detached, and for the top module op */
  NrUse *operands;
  NrRegion *regions;
  uint32_t num_operands, num_results, num_regions, num_successors;
  NrSuccessor *successors;
  NrNamedAttr *attrs; /* sorted by name */
  uint32_t num_attrs, cap_attrs, cap_operands;
  uint32_t order;       /* grows along the block, with gaps, when block->ordered; never 0 then */
  NrLoc loc;
  NrModule *module;
  const char *raw_name; /* full name of an unregistered op (info is nr_unregistered_op_info), else NULL */
  NrValue results[];
};

struct NrBlock { /* fields that walks read come first, for the cache */
  NrBlock *next;
  NrOp *first, *last;
  NrSuccessor *first_pred; /* uses of this block as successor */
  NrValue **args;
  uint32_t num_args, cap_args;
  uint64_t walk;       /* number of the last walk along branches that visited it */
  uint32_t mark;       /* scratch field of one walk over the blocks; its value is undefined for the next */
  uint32_t dom_number; /* used by NrDominance: index in its table of blocks; valid only if that entry refers back */
  NrRegion *region;
  NrBlock *prev;
  NrModule *module;
  bool ordered;
  NrStr name; /* label hint, without `^` */
};

struct NrRegion {
  NrOp *op;
  NrBlock *first, *last;
};

static inline NrRegion *nr_op_region(const NrOp *op, size_t i) { return i < op->num_regions ? &op->regions[i] : NULL; }
/* First block of region i or NULL. */
static inline NrBlock *nr_op_body(const NrOp *op, size_t i) {
  return i < op->num_regions ? op->regions[i].first : NULL;
}

/* Of an op that has one region. */
static inline NrRegion *nr_op_only_region(const NrOp *op) { assert(op->num_regions == 1); return nr_op_region(op, 0); }
static inline NrBlock *nr_op_only_body(const NrOp *op) { assert(op->num_regions == 1); return nr_op_body(op, 0); }

/* A module owns the arena of everything in it. */
struct NrModule {
  NrContext *ctx;
  NrArena arena;
  NrOp *op; /* the builtin.module op */
  uint64_t num_walks; /* numbers of walks along branches that were given out */
};

NrModule *nr_module_create(NrContext *ctx, NrLoc loc);
NrModule *nr_module_clone(const NrModule *module); /* in the same context */
void nr_module_destroy(NrModule *module);

/* The name of the attribute that holds the properties of an unregistered op; no text can contain it. */
#define NR_PROPERTIES ""

/* The parts of a new op. Arrays are copied. */
typedef struct NrOpState {
  const NrOpInfo *info;
  NrStr raw_name; /* unregistered ops only; interned. Their properties are one attribute named NR_PROPERTIES. */
  NrLoc loc;
  size_t num_operands, num_results, num_attrs, num_regions, num_successors;
  NrValue *const *operands; /* successor operands last */
  const NrType *result_types;
  const NrNamedAttr *attrs;
  NrBlock *const *successors;
  const uint32_t *successor_operands; /* count per successor; NULL = none */
} NrOpState;
NrOp *nr_op_create(NrModule *module, const NrOpState *state); /* detached; regions are empty */
/* Erases op and its regions; its results must have no uses left. The memory is kept: an erased op, also a nested one,
 * has block == NULL. */
void nr_op_erase(NrOp *op);
bool nr_op_replace(NrOp *op, NrValue *by); /* replaces the one result by a value and erases op; true */
void nr_op_drop_uses(NrOp *op);    /* drops all operands and successors, also in nested ops (before erasing cycles) */
void nr_op_unlink(NrOp *op);
void nr_op_insert_before(NrOp *op, NrOp *anchor);
void nr_op_insert_after(NrOp *op, NrOp *anchor);
void nr_op_append(NrBlock *block, NrOp *op);
void nr_op_prepend(NrBlock *block, NrOp *op);
/* Deep copy. map: NrValue* and NrBlock* of the original -> of the copy; operands absent from it stay as they are; the
 * copy's results, arguments and blocks are added to it. The clone is detached and belongs to module. */
NrOp *nr_op_clone(NrModule *module, NrOp *op, NrMap *map);
/* Creates a copy of op with other operands and result types before op and moves op's regions into it; not for ops with
 * successors. The caller replaces the uses of op's results and erases op. */
NrOp *nr_op_rebuild(NrOp *op, NrValue *const *operands, size_t num_operands, const NrType *result_types,
                    size_t num_results);

/* Replaces op by one with other result types, as many as before; operands, attributes and regions are kept. */
NrOp *nr_op_retype(NrOp *op, const NrType *result_types);

/* Prefetches the memory that a walk will read, `distance` bytes after `from`: most programs lie in memory in program
 * order, each op with its operands and results in a few consecutive cache lines. The distance is some pages, because a
 * TLB miss takes as long as the work on a dozen ops. (Always inline: GCC takes a function that only prefetches for one
 * without effect and removes calls of it.) */
NR_ALWAYS_INLINE void nr_prefetch(const void *from, size_t distance, size_t lines) {
  enum { LINE = 64 };
  for (size_t i = 0; i < lines; i++) __builtin_prefetch((const void *)((uintptr_t)from + distance + i * LINE));
}
enum { NR_OP_LINES = 5 }; /* of most ops */
NR_ALWAYS_INLINE void nr_op_prefetch(const NrOp *op) {
  enum { DISTANCE = 8192 };
  nr_prefetch(op, DISTANCE, NR_OP_LINES);
}
NR_ALWAYS_INLINE void nr_op_prefetch_head(const NrOp *op) { /* for walks that read more than the head of few ops only */
  enum { DISTANCE = 16384 };
  nr_prefetch(op, DISTANCE, 1);
}
NR_ALWAYS_INLINE void nr_block_prefetch(const NrBlock *block) { /* for walks over blocks and their terminators */
  enum { DISTANCE = 32768, LINES = 2 };
  nr_prefetch(block, DISTANCE, LINES);
  if (block->last) nr_prefetch(block->last, DISTANCE, NR_OP_LINES);
}

static inline NrContext *nr_op_context(const NrOp *op) { return op->module->ctx; }
NrStr nr_op_name(const NrOp *op); /* "scf.for" */
NrStr nr_op_shown_name(const NrOp *op); /* for messages: its 2020 name, "loop.for", if the program uses that syntax */
/* The name for run-time messages: that of the op in the source program, which lowering keeps in NR_WRITTEN_AS. */
NrStr nr_op_run_name(const NrOp *op);
#define NR_WRITTEN_AS "noria.written_as"
NrOp *nr_op_parent(const NrOp *op);
bool nr_op_is_ancestor(const NrOp *ancestor, const NrOp *op); /* of itself: true */
bool nr_value_is_outside(const NrValue *value, const NrOp *op); /* defined neither by op nor in its regions */
bool nr_op_is_before(NrOp *a, NrOp *b); /* both in one block; amortised O(1) */

static inline NrValue *nr_operand(const NrOp *op, size_t i) {
  assert(i < op->num_operands);
  return op->operands[i].value;
}
static inline NrValue *nr_result(const NrOp *op, size_t i) {
  assert(i < op->num_results);
  return (NrValue *)&op->results[i];
}
static inline NrValue *nr_op_result(const NrOp *op) { /* of an op that has one */
  assert(op->num_results == 1);
  return nr_result(op, 0);
}
static inline NrValue *nr_op_only_operand(const NrOp *op) { /* of an op that has one */
  assert(op->num_operands == 1);
  return nr_operand(op, 0);
}
/* Of an op of which all operands have one type. */
static inline NrType nr_op_operand_type(const NrOp *op) { return nr_operand(op, 0)->type; }
static inline uint32_t nr_use_index(const NrUse *use) { return (uint32_t)(use - use->owner->operands); }
void nr_op_set_operand(NrOp *op, size_t i, NrValue *value);
void nr_op_set_operands(NrOp *op, NrValue *const *values, size_t count); /* all; not for ops with successor operands */
void nr_op_erase_operand(NrOp *op, size_t i);
void nr_op_insert_operand(NrOp *op, size_t i, NrValue *value);
/* Range of a declared operand group ("lb", "init", ...). Ops with several variadic groups keep their sizes in the
 * attribute operandSegmentSizes. */
bool nr_op_operand_group(const NrOp *op, size_t group, size_t *out_begin, size_t *out_count);
NrValue *nr_op_group_operand(const NrOp *op, size_t group); /* single or optional group; NULL when absent */
/* Without successor operands. */
static inline size_t nr_op_num_plain_operands(const NrOp *op) {
  size_t n = op->num_operands;
  for (uint32_t i = 0; i < op->num_successors; i++) n -= op->successors[i].num_operands;
  return n;
}
NrValue *nr_successor_operand(const NrOp *op, size_t successor, size_t i);
size_t nr_successor_operand_begin(const NrOp *op, size_t successor);
void nr_op_set_successor(NrOp *op, size_t i, NrBlock *block);
void nr_successor_append_operand(NrOp *op, size_t successor, NrValue *value);
void nr_successor_erase_operand(NrOp *op, size_t successor, size_t i);

/* NULL when absent. */
static inline NrAttr nr_op_attr(const NrOp *op, const NrAttrName *name) {
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (op->attrs[i].name.data == name->text) return op->attrs[i].value;
  return NULL;
}
void nr_op_set_attr(NrOp *op, const NrAttrName *name, NrAttr value);
void nr_op_remove_attr(NrOp *op, const NrAttrName *name);
/* The same for names that are data, such as those of a table. */
NrAttr nr_op_attr_named(const NrOp *op, const char *name);
void nr_op_set_attr_named(NrOp *op, const char *name, NrAttr value);
void nr_op_remove_attr_named(NrOp *op, const char *name);
int64_t nr_op_attr_int(const NrOp *op, const NrAttrName *name, int64_t fallback);
int64_t nr_op_attr_int_named(const NrOp *op, const char *name, int64_t fallback);
NrStr nr_op_attr_str(const NrOp *op, const NrAttrName *name); /* empty when absent; the root of a symbol too */

NrBlock *nr_block_create(NrModule *module); /* detached */
void nr_block_append(NrRegion *region, NrBlock *block);
void nr_block_insert_before(NrBlock *block, NrBlock *anchor);
void nr_block_insert_after(NrBlock *block, NrBlock *anchor);
void nr_block_unlink(NrBlock *block);
void nr_block_erase(NrBlock *block); /* with its ops; nothing outside may use them */
NrValue *nr_block_add_arg(NrBlock *block, NrType type, NrLoc loc);
NrValue *nr_block_insert_arg(NrBlock *block, size_t i, NrType type, NrLoc loc);
void nr_block_erase_arg(NrBlock *block, size_t i); /* must have no uses */
static inline NrValue *nr_block_arg(const NrBlock *b, size_t i) { assert(i < b->num_args); return b->args[i]; }
NrOp *nr_block_terminator(const NrBlock *block); /* last op if it is a terminator, else NULL */
NrOp *nr_block_parent_op(const NrBlock *block);
NrModule *nr_block_module(const NrBlock *block);
/* Inserts tail, an empty detached block, after block and moves the ops from first on into it; NULL = none. */
void nr_block_split(NrBlock *block, NrOp *first, NrBlock *tail);
void nr_block_splice(NrBlock *from, NrBlock *to, NrOp *before); /* all ops; before = NULL appends */
void nr_region_take(NrRegion *to, NrRegion *from);  /* moves all blocks */
void nr_region_clone(NrModule *module, NrRegion *from, NrRegion *to, NrMap *map);

bool nr_value_has_uses(const NrValue *value);
bool nr_value_has_one_use(const NrValue *value);
void nr_value_replace_uses(NrValue *from, NrValue *to);
void nr_value_replace_uses_except(NrValue *from, NrValue *to, const NrOp *except);
/* The block that defines it. */
static inline NrBlock *nr_value_block(const NrValue *value) { return value->block ? value->block : value->op->block; }
NrContext *nr_value_context(const NrValue *value);
/* The attribute of a value whose defining op is constant-like, else NULL. */
NrAttr nr_value_constant(const NrValue *value);
bool nr_value_constant_int(const NrValue *value, int64_t *out);

/* Every op nested in root, root last (post) or first (pre). The callback may erase the op it is given (post only).
 * Return false to stop; the walk then returns false. */
typedef bool (*NrWalkFn)(NrOp *op, void *user);
bool nr_walk_post(NrOp *root, NrWalkFn fn, void *user);
bool nr_walk_pre(NrOp *root, NrWalkFn fn, void *user);

/* ---- builder ---------------------------------------------------------------------------------------------------- */

/* The insertion point: before `before`, or at the end of `block` when before is NULL. */
typedef struct NrBuilder {
  NrModule *module;
  NrContext *ctx;
  NrBlock *block;
  NrOp *before;
  NrLoc loc;
} NrBuilder;
NrBuilder nr_builder_before(NrOp *op); /* takes op's location */
NrBuilder nr_builder_after(NrOp *op);
NrBuilder nr_builder_at_end(NrModule *module, NrBlock *block, NrLoc loc);
NrBuilder nr_builder_at_start(NrModule *module, NrBlock *block, NrLoc loc);
void nr_builder_insert(NrBuilder *b, NrOp *op); /* inserts a detached op */
NrOp *nr_build(NrBuilder *b, const NrOpState *state); /* creates and inserts; state->loc NULL takes the builder's */
/* The common case: id of the op, operands, result types, no attributes yet (set them with nr_op_set_attr). */
NrOp *nr_build_op(NrBuilder *b, unsigned op_id, NrValue *const *operands, size_t num_operands, const NrType *results,
                  size_t num_results);
/* One result of the given type. */
NrValue *nr_build_value(NrBuilder *b, unsigned op_id, NrType result, NrValue *const *operands, size_t num_operands);

/* ---- symbols ---------------------------------------------------------------------------------------------------- */

/* The op with sym_name `name` directly inside the symbol table op `table`, or NULL. Linear; for many look-ups use a
 * map. */
NrOp *nr_symbol_lookup(NrOp *table, NrStr name);
/* Resolves a reference from the nearest enclosing symbol table outwards. */
NrOp *nr_symbol_resolve(NrOp *from, NrAttr symbol);
/* Symbol tables as maps, for many look-ups in a program whose symbols stay. */
typedef struct NrSymbolTables {
  NrMap tables; /* NrOp* of a symbol table -> NrStrMap* of its symbols */
  NR_VEC(NrStrMap *) all;
  size_t num_suggestions; /* looked up so far by the verifier; limited, because each goes through a whole table */
} NrSymbolTables;
/* Resolves a reference in the nearest enclosing symbol table, then through the nested names, as the verifier does.
 * NULL: there is no such symbol. */
NrOp *nr_symbol_find(NrSymbolTables *tables, NrOp *from, NrAttr symbol);
void nr_symbol_tables_deinit(NrSymbolTables *tables);
/* Generates free names of a symbol table. While it is in use, all new symbols of the table must get names from it. */
typedef struct NrSymbolNames {
  NrOp *table;
  NrStrMap taken;   /* all names in the table */
  NrStrMap numbers; /* base -> the next number, plus one */
} NrSymbolNames;
/* A free name of the table: base, or else base_<n> with n above those in use. The table is searched once, and once more
 * for each base that is taken. */
NrStr nr_symbol_free_name(NrSymbolNames *names, NrOp *table, NrStr base);
/* base_<n>, also where base itself is free. */
NrStr nr_symbol_numbered_name(NrSymbolNames *names, NrOp *table, NrStr base);
void nr_symbol_names_deinit(NrSymbolNames *names);

/* ---- dominance -------------------------------------------------------------------------------------------------- */

/* Dominators of one region (Cooper, Harvey, Kennedy 2001). Invalid once blocks or branches change. Unreachable blocks
 * are dominated by every block. */
typedef struct NrDominance NrDominance;
NrDominance *nr_dominance_create(NrRegion *region);
void nr_dominance_destroy(NrDominance *dom);
bool nr_dominates_block(const NrDominance *dom, const NrBlock *a, const NrBlock *b);
bool nr_dominance_reachable(const NrDominance *dom, const NrBlock *block);
/* Whether op may use value: defined before it in the block, in a dominating block or an enclosing region. */
bool nr_value_dominates(const NrDominance *dom, const NrValue *value, NrOp *user);

#endif
