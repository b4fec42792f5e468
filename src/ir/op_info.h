/* op_info.h - op definitions: what they contain and the tables made of them.
 *
 * An op is defined by one entry of src/dialect/<d>/ops.def:
 *
 *   OP(arith, addf, .legacy = "addf", .operands = "a: T=floatlike, b: T", .results = "sum: T",
 *      .traits = NR_PURE | NR_COMMUTATIVE, .format = "$a `,` $b attr-dict `:` type($sum)", .doc = "Adds.")
 *
 * The op's name is <d>.<name>; .name overrides <name> where that is not a C identifier ("reduce.return"). The enum
 * NR_OP_<d>_<name>, the table nr_op_infos, parser, printer, verifier, --list-ops and docs/dialects come from it.
 *
 * Type constraints, in .operands, .results and .regions (comma-separated "name: constraint"):
 *   T, U, V..            one upper-case letter: a type variable, the same type everywhere in the op; T=floatlike also
 *                        constrains it
 *   any index i1 i32 i64 int float int_or_index complex      one scalar type or class
 *   tensor_of_dims memref_of_dims   not of rank 0
 *   tensor ranked_tensor memref ranked_memref vector function shaped none tuple
 *   d.name               a type of a dialect, as it is written without `!` (flow.channel; type_info.h)
 *   intlike floatlike boollike indexlike numlike   scalar of the class (int or index; float; i1; ..), or a vector or
 *                                                  ranked or unranked tensor of it
 *   C*   any number of them (of different types, unless C is a type variable)       C?  at most one
 *   *    short for any*
 *   a|b  either
 * Attributes in .attrs: "predicate: i64, value: any, fastmath?: any", kinds any unit bool int i64 index float string
 *   symbol array dict type map elements i32s i64s (dense arrays) alignment alignment32 (an i64 or i32 that is a power
 *   of two); `?` after the name = may be absent.
 * Regions in .regions: "body(iv: index, acc: *), else?"; a region without parentheses may have any arguments.
 *
 * .format is the declarative syntax, words separated by blanks:
 *   `lit`  literal          $name   operand group, attribute, region or successor
 *   type($name)             type(s) of an operand or result group   functional-type   (types of all operands) ->
 *                           results
 *   attr-dict               remaining attributes     attr-dict-with-keyword   the same after `attributes`
 *   ( ... )?                optional group: printed and parsed when the $name marked `^` in it is present (the group
 *                           begins with a `lit` or with that $name)
 * Attributes that the format names do not appear in attr-dict. Result types come from type(..) in the format, from type
 * variables, from constraints with one type (index, i1), or from .infer. */
#ifndef NORIA_IR_OP_INFO_H
#define NORIA_IR_OP_INFO_H

#include "ir/type_info.h"

enum NrTrait {
  NR_PURE = 1 << 0, /* no effects, may be removed, merged and moved */
  NR_COMMUTATIVE = 1 << 1,
  NR_TERMINATOR = 1 << 2,
  NR_LOOP = 1 << 3,         /* regions may run many times */
  NR_SINGLE_BLOCK = 1 << 4, /* each region has at most one block */
  NR_ISOLATED = 1 << 5,     /* regions use nothing from above */
  NR_SYMBOL = 1 << 6,       /* has sym_name */
  NR_SYMBOL_TABLE = 1 << 7,
  NR_ELEMENTWISE = 1 << 8,        /* applies element by element to vectors and tensors */
  NR_CONSTANT_LIKE = 1 << 9,      /* attribute `value` is its result */
  NR_IMPLICIT_YIELD = 1 << 10,    /* terminator may be left out in text when it has no operands; .terminator names it */
  NR_NO_TERMINATOR = 1 << 11,     /* blocks need no terminator, or the verify hook checks it */
  NR_SEGMENTS = 1 << 12,          /* operandSegmentSizes holds the sizes of the operand groups */
  NR_RECURSIVE_EFFECTS = 1 << 13, /* has the effects of its nested ops (with NR_PURE: only those) */
  NR_READS = 1 << 14,             /* reads memory; an op without any of the effect traits has unknown effects */
  NR_WRITES = 1 << 15,
  NR_ALLOCATES = 1 << 16,
  NR_FREES = 1 << 17,
  NR_VIEW = 1 << 30, /* result 0 is a view of the memory of operand 0, of tensors when they are bufferized */
  NR_GRAPH_REGION = 1 << 18, /* ops of a block are unordered: uses may precede definitions */
  NR_RETURN_LIKE = 1 << 19,  /* terminator that hands its operands to the parent op */
  NR_BRANCH = 1 << 20,       /* terminator with successors whose operands become block arguments */
  NR_SPECULATABLE_NO =
      1 << 21, /* pure, but must not be speculated (division by a value that may be 0) */
  NR_CALL = 1 << 22,
  NR_FUNCTION = 1 << 23, /* function_type, sym_name, body */
  NR_ON_BUFFERS =
      1 << 24, /* NR_READS and NR_WRITES hold only if an operand is a memref: on tensors the op is pure */
  NR_DIVIDES = 1 << 25, /* integer division by the second operand: undefined if that is 0 */
  NR_EQUAL_GROUPS = 1 << 26, /* variadic operand groups have equal sizes */
  NR_DEFAULT_DIALECT = 1 << 27, /* the ops in its regions may leave out the prefix of its dialect */
  NR_SPLAT = 1 << 28, /* every element of the result is operand 0, a scalar */
};

/* The fold of one result: an attribute or a value. */
typedef struct NrFold {
  NrAttr attr;
  NrValue *value;
} NrFold;

/* An attribute of an op whose attributes depend on the version of the op's operator set. The row has an entry for each
 * stretch of versions in which the attribute is the same. */
typedef enum NrVersionedKind {
  NR_VERSIONED_INT = 1,
  NR_VERSIONED_FLOAT,
  NR_VERSIONED_STRING,
  NR_VERSIONED_TENSOR,
  NR_VERSIONED_SPARSE_TENSOR,
  NR_VERSIONED_TYPE,
  NR_VERSIONED_INTS,
  NR_VERSIONED_FLOATS,
  NR_VERSIONED_STRINGS,
  NR_VERSIONED_GRAPH, /* is a region */
} NrVersionedKind;

typedef struct NrVersionedAttr {
  const char *name;
  NrVersionedKind kind;
  bool required, has_default; /* at most one of the two */
  int since, until;           /* since <= version < until; until 0 = no end */
  union {                     /* the default */
    int64_t i;
    float f;
    const char *s;
    const int64_t *ints;
    const char *const *strings;
  };
  size_t count; /* of the default's ints or strings */
} NrVersionedAttr;

/* An index: a value, or a constant where value is NULL. */
typedef struct NrIndex {
  NrValue *value;
  int64_t constant;
} NrIndex;
static inline bool nr_index_constant(NrIndex i, int64_t *out) {
  if (i.value) return nr_value_constant_int(i.value, out);
  return *out = i.constant, true;
}

/* A loop that counts: iv is lower, lower + step, .. below upper. The bounds of affine loops are maps, so has_bounds is
 * false (NrAffineBound). */
typedef struct NrLoopRange {
  NrValue *iv;
  NrIndex lower, upper, step;
  bool is_unsigned; /* how iv compares with upper */
  bool has_bounds;
} NrLoopRange;

/* Where a branch leads. */
typedef struct NrBranchTarget {
  NrBlock *block;
  NrValue *const *values; /* for the block's arguments */
  size_t num_values;
} NrBranchTarget;

struct NrOpInfo {
  unsigned id;              /* NR_OP_<d>_<name> */
  const char *dialect;
  const char *name;         /* without dialect; set by the OP macro, which a definition may override */
  const char *legacy;       /* the name in MLIR of 2020, with its dialect if it had one ("loop.for", "addf"); NULL = the
                             * same name; alternatives follow after `|` ("divi_signed|divis") */
  bool since_2020;          /* new after 2020, in a dialect that existed then */
  const char *renamed;      /* the full name since the op moved to another dialect; a file that has such a name is
                             * printed with them */
  const char *also;         /* full names of other versions, which are read only; alternatives follow after `|` */
  const char *operands, *results, *attrs, *regions, *successors;
  const NrVersionedAttr *versioned_attrs; /* ends in an entry without a name; NULL = none */
  const char *format;       /* current syntax */
  const char *legacy_format; /* 2020 syntax if it differs */
  const char *terminator;   /* with NR_IMPLICIT_YIELD: full name of the op to insert */
  const char *parent;       /* full names of the ops that it must be directly inside, separated by `|` */
  /* Destination style: the operand group whose tensors the results start as, in order. A result has the shape of its
   * destination, and bufferization writes it there where it may. NULL: not of this style. */
  const char *destination;
  /* The operand group that the sizes of the results come from. Its operands are one index for each `?` of the results,
   * in order; or, with an attribute static_<group>, those of a list of sizes (a result may leave out dims of size 1);
   * or values of the same shape as the results. "a|b": b when a is absent. NULL: only an op could compute the sizes. */
  const char *sizes;
  /* Structured: `scalar` computes one element of each output from one element of each operand, for each point of a nest
   * of loops. `indexing` names the loops, then the loops that the dims of each operand follow: "m n k : m k, k n, m n"
   * is a matrix product. `oh+kh` is a window's dim: oh * strides[i] + kh * dilations[i], for the i-th such dim of the
   * row. .maps gives the array of affine maps for rows that a fixed string cannot describe. A loop that no output
   * follows is a reduction. Region 0 is the scalar computation in IR. Accessors: dialect/linalg/linalg.h. */
  const char *indexing;
  NrAttr (*maps)(const NrOp *op);
  const char *scalar; /* a function of scalars.c of that dialect; NULL: only region 0 says it */
  const char *region_flow; /* how control goes through the regions (region_flow.h); NULL: only hooks know */
  uint32_t traits;
  const char *doc;
  /* Optional hooks, for what the strings cannot express. They report by nr_op_error or the parser's errors. */
  NrStatus (*verify)(NrOp *op);
  NrStatus (*verify_symbol)(NrOp *op, NrOp *target); /* target: the op that a symbol attribute of op refers to */
  NrStatus (*parse)(NrParser *p, NrOpState *state);
  void (*print)(NrPrinter *p, NrOp *op);
  /* Returns why the current custom syntax, or that of 2020 (legacy), cannot express this op; NULL if it can. */
  const char *(*refuse_text)(const NrOp *op, bool legacy);
  /* Called by the parser when it has read the op, custom or generic, with its regions: upgrades forms of older MLIR
   * versions to the current one. May replace the contents of op, and op itself if it has no results. */
  NrStatus (*post_parse)(NrParser *p, NrOp *op);
  /* Infers out_types, one for each declared result, from operands and attributes. */
  NrStatus (*infer)(NrContext *ctx, const NrOpState *state, NrType *out_types);
  /* operand_constants[i] is the operand's constant or NULL. out has num_results entries. True when folded. */
  bool (*fold)(NrOp *op, const NrAttr *operand_constants, NrFold *out);
  /* Rewrites op in place, or replaces and erases it; true when something changed. For what fold cannot express. */
  bool (*canonicalize)(NrOp *op, NrBuilder *b);
  /* With region_flow, of the op or of a terminator inside: the number of the edge that control takes, among those from
   * there, by the constants of its operands (NULL: not known). SIZE_MAX: it may be any. */
  size_t (*choose_edge)(const NrOp *op, const NrAttr *operand_constants);
  /* With region_flow, of the op or of a terminator inside, where several edges lead from there: builds the branch to
   * the blocks that these edges lead to, in their order. */
  void (*build_branch)(const NrOp *op, NrBuilder *b, const NrBranchTarget *targets, size_t count);
  /* Loop-like (MLIR's LoopLikeOpInterface), for loops that count: the range of induction variable i, which is argument
   * i of the region. False past the last one. Accessors: region_flow.h. */
  bool (*loop_range)(const NrOp *op, uint32_t i, NrLoopRange *out);
  /* Builds simpler ops at b, in front of op, that compute the same; out_values has num_results places. op stays: the
   * caller replaces and erases it (nr_op_expand). Passes that do not know an op expand it. */
  NrStatus (*expand)(NrOp *op, NrBuilder *b, NrValue **out_values);
};

/* The enum of all ops. */
enum NrOpId {
  NR_OP_unregistered = 0,
#define OP(dialect, op, ...) NR_OP_##dialect##_##op,
#include "dialect/all.def"
#undef OP
  NR_OP_COUNT
};

extern const NrOpInfo *const nr_op_infos[]; /* indexed by NrOpId */
extern const NrOpInfo nr_unregistered_op_info;
NrStr nr_op_info_name(const NrOpInfo *info); /* "scf.for", NUL-terminated, static; "" for an unregistered op */
NrStr nr_op_info_legacy_name(const NrOpInfo *info); /* the first 2020 spelling, or the full name */
NrStr nr_op_info_printed_name(const NrContext *ctx, const NrOpInfo *info); /* .renamed if the program uses such names */
/* For an op that MLIR of 2020 lacks: its dialect of that time, "std" for most. NULL if MLIR of 2020 has the op, or if
 * the dialect is not MLIR's. */
const char *nr_op_info_missing_in_2020(const NrOpInfo *info);
/* The op's name for messages: its 2020 name when the program uses the 2020 syntax. */
NrStr nr_op_info_shown_name(const NrContext *ctx, const NrOpInfo *info);
/* Finds an op by full name, current or of 2020 ("scf.for", "loop.for", "addf"), or NULL. *out_legacy: it is of 2020. */
const NrOpInfo *nr_op_info_find(NrStr name, bool *out_legacy);
/* The registered op name nearest to a misspelt one, or an empty string. */
NrStr nr_op_info_suggest(NrStr name);
bool nr_dialect_exists(NrStr dialect);

static inline bool nr_op_is(const NrOp *op, unsigned id) { return op && op->info->id == id; }
static inline bool nr_op_has(const NrOp *op, uint32_t traits) { return (op->info->traits & traits) == traits; }

/* One declared operand, result, attribute or region argument: the parsed form of the strings above (op_spec.c). */
typedef struct NrSpecItem {
  NrStr name, constraint; /* name interned; constraint without the suffix and without "T=" */
  char variable;          /* 'T' or 0 */
  char arity;             /* 0 one, '*' any number, '?' at most one */
  uint16_t singles_before, varying_before; /* preceding items of the list with arity 0; with arity '*' or '?' */
  size_t num_tests;                        /* a type fits if one of the tests holds */
  const struct NrTypeTest *tests;          /* for operands, results and arguments */
  NrType *last_fit;                       /* caches the last type that fitted; types of one context are unique */
  const struct NrAttrTest *attr_test;     /* for attributes */
} NrSpecItem;
/* The numbers of values that a list of items allows. */
typedef struct NrSpecRange {
  size_t singles, optional;
  bool many;
} NrSpecRange;
/* An edge of .region_flow between declared regions. */
#define NR_FLOW_OP SIZE_MAX
typedef struct NrFlowRow {
  size_t from, to;  /* declared regions; NR_FLOW_OP: the op itself */
  size_t group;     /* from the op: the operand group that goes along; SIZE_MAX: none */
  uint32_t first_source, first_target;
} NrFlowRow;
typedef struct NrOpSpec {
  size_t num_operands, num_results, num_attrs, num_regions, num_successors;
  const NrSpecItem *operands, *results, *attrs, *regions, *successors;
  const NrSpecItem *const *region_args; /* per region, NULL = any arguments */
  const size_t *num_region_args;
  NrSpecRange operand_range, result_range, successor_range;
  bool is_fixed;      /* no operand or result is variadic or optional, and there are no successors */
  bool has_one_type;  /* all operands and results have the same type variable */
  bool has_symbols;   /* an attribute refers to a symbol */
  size_t destination; /* operand group; SIZE_MAX if the op is not of destination style */
  size_t num_sizes;   /* of .sizes */
  struct {
    size_t group;
    const char *statics; /* the attribute static_<group>; NULL if the row has none */
  } sizes[2];
  size_t num_parents; /* ops that may be its direct parent; 0 = any */
  const NrOpInfo *const *parents;
  size_t num_flow;
  const NrFlowRow *flow;
} NrOpSpec;
const NrOpSpec *nr_op_spec(NrContext *ctx, const NrOpInfo *info); /* parsed once for each context */
NrSpecRange nr_spec_range(const NrSpecItem *items, size_t count);
bool nr_type_test(const NrSpecItem *item, NrType type);
/* item of an operand, a result or an argument */
static inline bool nr_type_fits(const NrSpecItem *item, NrType type) {
  return *item->last_fit == type || nr_type_test(item, type);
}
const char *nr_constraint_words(NrContext *ctx, NrStr constraint); /* "index", "floating-point-like", for messages */

const struct NrAttrTest *nr_attr_test(NrStr name);        /* kinds as in .attrs */
bool nr_attr_fits(const NrSpecItem *item, NrAttr attr);   /* item of an attribute */
const char *nr_attr_kind_words(const NrSpecItem *item);   /* "string attribute", for messages */
/* Some ops share a 2020 name (`dim` of a memref and of a tensor). Returns the op with info's first 2020 name that the
 * operands and attributes fit, or info. */
const NrOpInfo *nr_op_info_fitting(NrContext *ctx, const NrOpInfo *info, const NrOpState *state);

/* Range of a declared result group; at most one group is variadic or optional. */
bool nr_op_result_group(const NrOp *op, size_t group, size_t *out_begin, size_t *out_count);
/* The values [begin, begin + count) of an op's operands or results. */
typedef struct NrGroup {
  size_t begin, count;
} NrGroup;
NrGroup nr_op_group(const NrOp *op, size_t group); /* of an op that has passed the verifier */
/* Entry i of an operandSegmentSizes attribute; false when there is none or it is negative. */
bool nr_segment_size(NrAttr sizes, size_t i, size_t *out_size);

/* How an op has an operand of a name that several ops have (dialect/shared/operands.def): what stands before it, and
 * how many single and varying groups the op has. The tables are generated. */
typedef struct NrSharedOperand {
  bool exists;
  uint8_t singles_before, varying_before, singles, varying;
} NrSharedOperand;
static inline size_t nr_shared_rest(const NrOp *op, const NrSharedOperand *of) {
  return (nr_op_num_plain_operands(op) - of->singles) / of->varying;
}
static inline size_t nr_shared_index(const NrOp *op, const NrSharedOperand *table) {
  const NrSharedOperand *of = &table[op->info->id];
  return of->singles_before + (of->varying_before ? of->varying_before * nr_shared_rest(op, of) : 0);
}
static inline NrValue *nr_shared_operand(const NrOp *op, const NrSharedOperand *table) {
  return nr_operand(op, nr_shared_index(op, table));
}
static inline NrGroup nr_shared_group(const NrOp *op, const NrSharedOperand *table) {
  size_t begin = nr_shared_index(op, table);
  return (NrGroup){begin, nr_shared_rest(op, &table[op->info->id])};
}

/* Of an op of destination style: its outputs, as operands [begin, begin + count). False for other ops. */
bool nr_op_destinations(const NrOp *op, size_t *out_begin, size_t *out_count);
/* The operand that a result starts as, and has the shape of; SIZE_MAX where the op is not of destination style. */
size_t nr_op_destination_index(const NrOp *op, size_t result);
NrValue *nr_op_destination(const NrOp *op, size_t result); /* NULL likewise */

/* Of an op with NR_SPLAT: the scalar that every element of its result is. NULL for other ops, and for NULL. */
static inline NrValue *nr_op_splat_value(const NrOp *op) {
  return op && nr_op_has(op, NR_SPLAT) ? nr_operand(op, 0) : NULL;
}

/* Puts the simpler ops of the row's .expand in op's place, and erases op; NR_OK too where there are none. */
NrStatus nr_op_expand(NrOp *op);

/* Effects of op, with those of nested ops for NR_RECURSIVE_EFFECTS. */
bool nr_op_is_pure(NrOp *op);       /* no effects at all: may be erased when unused */
bool nr_op_only_reads(NrOp *op);

/* ---- verifier (verify.c) ---------------------------------------------------------------------------------------- */

/* Checks op and all that is in it: structure, op definitions, hooks, dominance, symbols. Reports all errors. */
NrStatus nr_verify(NrOp *op);
/* The same after passes. Folding may give ops in unreachable code invalid constant operands. Such ops are no errors:
 * they are marked with the attribute NR_FAILS. */
NrStatus nr_verify_folded(NrOp *op);
#define NR_FAILS "noria.fails"
/* For verify hooks: reports that constant operands are invalid. NR_OK if the op is marked with NR_FAILS, or is marked
 * now (see nr_verify_folded). */
NrStatus nr_verify_constant_error(NrOp *op, const char *format, ...) NR_PRINTF(2, 3);
/* nr_verify for an op of a program that was not parsed completely: symbols that it refers to may be missing. */
void nr_verify_alone(NrOp *op);

#endif
