/* op_info.h - what an op row says, and the tables that all rows form.
 *
 * A row stands in src/dialect/<d>/ops.def:
 *
 *   OP(arith, addf, .legacy = "addf", .operands = "a: T=floatlike, b: T", .results = "sum: T",
 *      .traits = NR_PURE | NR_COMMUTATIVE, .format = "$a `,` $b attr-dict `:` type($sum)", .doc = "Adds.")
 *
 * The op's name is <d>.<name>; where that is no C identifier, .name gives it ("reduce.return"). From the rows come the
 * enum NR_OP_<d>_<name>, the table nr_op_infos, parser, printer, verifier, --list-ops and docs/dialects.
 *
 * Type constraints, in .operands, .results and .regions (comma-separated "name: constraint"):
 *   T, U, V..            one upper-case letter: a type variable, equal wherever it stands; T=floatlike also
 *                        constrains it
 *   any index i1 i32 i64 int float int_or_index complex string      one scalar type or class
 *   tensor_of_dims memref_of_dims   not of rank 0
 *   tensor ranked_tensor memref ranked_memref vector function shaped seq optional dispatch_tensor channel
 *   intlike floatlike boollike indexlike numlike   scalar of the class (int or index; float; i1; ..), or a vector or
 *                                                  ranked or unranked tensor of it
 *   C*   any number of them (each may have another type, unless C is a type variable)       C?  at most one
 *   *    short for any*
 *   a|b  either
 * Attributes in .attrs: "predicate: i64, value: any, fastmath?: any", kinds any unit bool int i64 index float string
 *   symbol array dict type map elements i32s i64s (dense arrays) alignment alignment32 (a power of
 *   two, of 64 and of 32 bits); `?` after the name = may be absent.
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

#include "ir/ir.h"

typedef struct NrParser NrParser;   /* parser.h */
typedef struct NrPrinter NrPrinter; /* printer.h */

enum NrTrait {
  NR_PURE = 1 << 0, /* no effects, may be removed, merged and moved */
  NR_COMMUTATIVE = 1 << 1,
  NR_TERMINATOR = 1 << 2,
  NR_LOOP = 1 << 3,         /* regions may run many times */
  NR_SINGLE_BLOCK = 1 << 4, /* each region has at most one block */
  NR_ISOLATED = 1 << 5,     /* regions use nothing from above */
  NR_SYMBOL = 1 << 6,       /* has sym_name */
  NR_SYMBOL_TABLE = 1 << 7,
  NR_ELEMENTWISE = 1 << 8,        /* on vectors and tensors it works element by element */
  NR_CONSTANT_LIKE = 1 << 9,      /* attribute `value` is its result */
  NR_IMPLICIT_YIELD = 1 << 10,    /* terminator may be left out in text when it has no operands; .terminator names it */
  NR_NO_TERMINATOR = 1 << 11,     /* blocks need no terminator, or the row's own check says which */
  NR_SEGMENTS = 1 << 12,          /* operandSegmentSizes holds the sizes of the operand groups */
  NR_RECURSIVE_EFFECTS = 1 << 13, /* effects are those of the nested ops (with NR_PURE: none of its own) */
  NR_READS = 1 << 14,             /* reads memory; an op without NR_PURE, NR_READS.. has unknown effects */
  NR_WRITES = 1 << 15,
  NR_ALLOCATES = 1 << 16,
  NR_FREES = 1 << 17,
  NR_GRAPH_REGION = 1 << 18, /* order in the block does not matter (uses may precede definitions) */
  NR_RETURN_LIKE = 1 << 19,  /* terminator that hands its operands to the parent op */
  NR_BRANCH = 1 << 20,       /* terminator with successors whose operands become block arguments */
  NR_SPECULATABLE_NO =
      1 << 21, /* pure, but must not run where the program would not (division by a value that may be 0) */
  NR_CALL = 1 << 22,
  NR_FUNCTION = 1 << 23, /* function_type, sym_name, body */
  NR_ON_BUFFERS =
      1 << 24, /* NR_READS and NR_WRITES hold only where an operand is a memref: on tensors the op is pure */
  NR_DIVIDES = 1 << 25, /* integers, by its second operand: there is no result where that is 0 */
};

/* Outcome of a fold: nothing, or per result an attribute or a value. */
typedef struct NrFold {
  NrAttr attr;
  NrValue *value;
} NrFold;

struct NrOpInfo {
  unsigned id;              /* NR_OP_<d>_<name> */
  const char *dialect;
  const char *name;         /* without dialect; set by the OP macro, a row may override it */
  const char *legacy;       /* the 2020 spelling, with dialect if it had one ("loop.for", "addf"); NULL = the same
                             * name; others that were used follow behind `|` ("divi_signed|divis") */
  bool since_2020;          /* new after 2020, in a dialect that existed then */
  const char *operands, *results, *attrs, *regions, *successors;
  const char *format;       /* modern syntax */
  const char *legacy_format; /* 2020 syntax where it differs */
  const char *terminator;   /* with NR_IMPLICIT_YIELD: full name of the op to insert */
  const char *parent;       /* full names of the ops that it must be directly inside, separated by `|` */
  uint32_t traits;
  const char *doc;
  /* Hooks, each optional: only what the strings cannot say. Hooks report through nr_op_error / the parser's errors. */
  NrStatus (*verify)(NrOp *op);
  NrStatus (*verify_symbol)(NrOp *op, NrOp *target); /* target: what a symbol attribute of op refers to */
  NrStatus (*parse)(NrParser *p, NrOpState *state);
  void (*print)(NrPrinter *p, NrOp *op);
  /* Why the custom text of today, or of 2020 (legacy), cannot say this op of a kind that it has; NULL when it can. */
  const char *(*refuse_text)(const NrOp *op, bool legacy);
  /* Called by the parser on the new op, regions included, when its text (custom or generic) has been read: brings the
   * shapes that older texts gave an op to today's. May replace what is inside op, and op if it has no results. */
  NrStatus (*post_parse)(NrParser *p, NrOp *op);
  /* Fills out_types (num_results as declared) from operands and attributes. */
  NrStatus (*infer)(NrContext *ctx, const NrOpState *state, NrType *out_types);
  /* operand_constants[i] is the operand's constant or NULL. out has num_results entries. True when folded. */
  bool (*fold)(NrOp *op, const NrAttr *operand_constants, NrFold *out);
  /* Rewrites op in place or replaces it (then erases it); true when something changed. For patterns that fold cannot
   * say. */
  bool (*canonicalize)(NrOp *op, NrBuilder *b);
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
NrStr nr_op_info_name(const NrOpInfo *info); /* "scf.for", NUL-terminated, lives forever; "" for the unregistered row */
NrStr nr_op_info_legacy_name(const NrOpInfo *info); /* the first 2020 spelling, or the full name */
/* The dialect of 2020 that would have the op if it had been there: "std" for most; NULL where there was such an op, or
 * where the dialect is of no year of MLIR's. */
const char *nr_op_info_missing_in_2020(const NrOpInfo *info);
/* What messages call the op: its 2020 spelling when that is how the program was written. */
NrStr nr_op_info_shown_name(const NrContext *ctx, const NrOpInfo *info);
/* Finds a row by full name in either spelling ("scf.for", "loop.for", "addf"), or NULL. *out_legacy says which. */
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
  uint16_t singles_before, varying_before; /* items before this one in its list that are one; that are not */
  size_t num_tests;                        /* the constraint, read: it holds when one of them does */
  const struct NrTypeTest *tests;          /* of a type */
  NrType *last_fit;                       /* that was tested and fits; types of one context are unique */
  const struct NrAttrTest *attr_test;     /* of an attribute */
} NrSpecItem;
/* How many a list of items allows. */
typedef struct NrSpecRange {
  size_t singles, optional;
  bool many;
} NrSpecRange;
typedef struct NrOpSpec {
  size_t num_operands, num_results, num_attrs, num_regions, num_successors;
  const NrSpecItem *operands, *results, *attrs, *regions, *successors;
  const NrSpecItem *const *region_args; /* per region, NULL = any arguments */
  const size_t *num_region_args;
  NrSpecRange operand_range, result_range, successor_range;
  bool is_fixed;      /* operands and results are one each, and there are no successors */
  bool has_one_type;  /* of all operands and results, by one type variable */
  bool has_symbols;   /* an attribute of the row refers to a symbol */
  size_t num_parents; /* ops that it must be directly inside; 0 = any */
  const NrOpInfo *const *parents;
} NrOpSpec;
const NrOpSpec *nr_op_spec(NrContext *ctx, const NrOpInfo *info); /* parsed once per context */
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
/* Some ops of today share a 2020 spelling (`dim` of a memref and of a tensor): of the rows with info's first one, that
 * which the operands and attributes fit, or info. */
const NrOpInfo *nr_op_info_fitting(NrContext *ctx, const NrOpInfo *info, const NrOpState *state);

/* Result groups as the row declares them; at most one varies. */
bool nr_op_result_group(const NrOp *op, size_t group, size_t *out_begin, size_t *out_count);
/* Entry i of an operandSegmentSizes attribute; false when there is none or it is negative. */
bool nr_segment_size(NrAttr sizes, size_t i, size_t *out_size);

/* Effects of op, with those of nested ops when the row says so. */
bool nr_op_is_pure(NrOp *op);       /* no effects at all: may be erased when unused */
bool nr_op_only_reads(NrOp *op);

/* ---- verifier (verify.c) ---------------------------------------------------------------------------------------- */

/* Checks op and all that is in it: structure, rows, hooks, dominance, symbols. Reports every error that it finds. */
NrStatus nr_verify(NrOp *op);
/* The same after passes. They may bring constants that make no sense to where nothing runs: the ops that have such are
 * marked, with the attribute NR_FAILS, and are right. */
NrStatus nr_verify_folded(NrOp *op);
#define NR_FAILS "noria.fails"
/* For hooks: an error about the values of constant operands, which the op has no meaning for. NR_OK where it is marked,
 * or is now. */
NrStatus nr_verify_constant_error(NrOp *op, const char *format, ...) NR_PRINTF(2, 3);
/* The same for an op of a program that could not be read whole: what it refers to by name may be missing. */
void nr_verify_alone(NrOp *op);

#endif
