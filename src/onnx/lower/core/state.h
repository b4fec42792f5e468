/* state.h - what the lowering of one function keeps; for src/onnx/lower/core only. */
#ifndef NORIA_ONNX_LOWER_CORE_STATE_H
#define NORIA_ONNX_LOWER_CORE_STATE_H

#include "onnx/lower/core/lower.h"

/* The types that an unranked tensor can have: of one element type, each of another rank (versions.c). Of any other
 * value, its one type. */
enum { NR_MAX_VERSIONS = 8 };
typedef struct NrVersions {
  size_t count;
  NrType types[NR_MAX_VERSIONS];
} NrVersions;

/* A named dim of the function's inputs: dim number `index` of argument `arg`. */
typedef struct NrSymbol {
  NrStr name;
  NrDim dim;
  size_t arg, index;
} NrSymbol;

/* What the lowering of an op depends on and only the run knows: the rank of a value, or the length of one of its dims,
 * from `least` to `most`. */
typedef struct NrWanted {
  NrValue *onnx; /* an operand of the op; NULL: nothing */
  size_t dim;    /* of a ranked tensor */
  int64_t least, most;
} NrWanted;

typedef struct NrLowerState {
  NrArena arena;
  NrMap values;  /* onnx value -> NrLowered* */
  NrMap dims;    /* lowered tensor -> NrDim[rank], .value NULL and size NR_DYNAMIC where no tensor.dim was made yet */
  NrMap carried; /* onnx loop op -> NrVersions of each carried value, as it was generalised (loop.c) */
  NrMap versions;    /* lowered unranked tensor -> NrVersions* */
  NrWanted wanted;   /* by the op being lowered (versions.c) */
  unsigned failures; /* versions that could not be lowered */
  NR_VEC(NrSymbol) symbols;
  NR_VEC(size_t) ties; /* of each symbol: an earlier one that must be equal to it, or itself (symbols.c) */
  NrAttr warned;       /* names of symbols whose dims may differ, "*" for all; NULL: none */
  bool tied;           /* symbols were tied since the lowering began */
  NrStrMap kernels;         /* name and prelude -> NrSharedKernel* (kernel.c) */
  NrInferred *inferred;     /* NULL: nothing is recorded */
  NrStatus refused;         /* of the op that is being lowered: an error was reported (nr_lower_error) */
} NrLowerState;

/* ---- named dims (symbols.c) ---- */

/* Fills state->symbols. Tied dims get one value. */
void nr_lower_bind_symbols(NrLower *l, NrOp *func, NrBlock *entry);
/* Builds warnings of dims of one name that differ in the run, for the names in noria.warn_symbols. */
void nr_lower_warn_symbols(NrLower *l, NrOp *func);
/* nr_dim_same, or the same computation of the same values, where the program is better or only right with equal dims:
 * dims that would be the same if inputs' dims of one name were get these tied. */
bool nr_lower_dims_equal(NrLower *l, NrDim a, NrDim b);
/* The name of an input's dim that this is, or nothing. */
NrStr nr_lower_symbol_name(NrLower *l, NrDim d);
/* Names that are equal for dims that are tied, and only for these, in noria.inputs. */
void nr_lower_name_symbols(NrLower *l, NrOp *func);

/* ---- values of several ranks (versions.c) ---- */

NrVersions nr_lower_versions(NrLower *l, NrValue *value);
/* Adds types to a set. False when they do not go together, or are more than NR_MAX_VERSIONS. */
bool nr_versions_add(NrVersions *into, const NrVersions *from);
/* The one type, or a tensor without rank. */
NrType nr_versions_type(const NrVersions *v);
/* All dims `?`, of rank first, first + 1, .. */
NrVersions nr_versions_of_ranks(NrType elem, uint32_t first);
/* Says what an unranked tensor can be; returns it. Nothing for other values. */
NrValue *nr_lower_set_versions(NrLower *l, NrValue *value, const NrVersions *v);
/* Fails the run unless the value has one of these ranks; %0 in the text is the rank. */
void nr_lower_check_versions(NrLower *l, NrValue *value, const NrVersions *v, const char *text);
/* The value itself, or for an unranked one a cast under a check: to the rank of the type `like` if that is ranked and
 * possible, else to the first rank. what: the value's name in the message. */
NrValue *nr_lower_ranked(NrLower *l, NrValue *value, NrType like, const char *what);
/* The onnx value that is to be split before op is lowered; NULL: none. */
NrValue *nr_lower_open_operand(NrLower *l, NrOp *op);
/* Asks that the op be lowered again for each length of a dim of this operand, from least to most. False when that
 * cannot be; else the op's lowering then returns an error without a message. */
bool nr_lower_want_dim(NrLower *l, NrValue *operand, size_t dim, int64_t least, int64_t most);
/* The same for the length of a list, on which the rank of the result depends. */
bool nr_lower_want_length(NrLower *l, NrValue *list);
/* Lowers op and the ops behind it in its block once for each rank or length that `wanted` can have. The run takes the
 * version whose rank or length the value has. yields: the values that the block yields. */
NrStatus nr_lower_split_versions(NrLower *l, NrOp *op, NrWanted wanted, NrLowered *yields, size_t num_yields);
/* Lowers op and what follows it in its block. */
NrStatus nr_lower_ops(NrLower *l, NrOp *op, NrLowered *out_yields, size_t num_yields);

/* Sets what a dim of a lowered tensor is, so that nr_lower_dim finds it. */
void nr_lower_set_dim(NrLower *l, NrValue *tensor, size_t i, NrDim d);
void nr_inferred_clear(NrInferred *inferred);
/* Takes back the changes of types behind the first `count`: what was lowered since is dropped. */
void nr_inferred_restore_types(NrInferred *inferred, size_t count);
/* Keeps what a value was lowered to, and which results of l->op, whose lowering began behind op `before` of the block,
 * are known elements (infer.c). Only with state->inferred. */
void nr_lower_record_value(NrLower *l, NrValue *onnx_value, const NrLowered *v);
void nr_lower_record_constants(NrLower *l, const NrOp *before);
/* Folds op with the constants among its operands; its result if not. Erases op when it folds. */
NrValue *nr_lower_fold(NrLower *l, NrOp *op);

#endif
