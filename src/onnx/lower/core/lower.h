/* lower.h - from the onnx dialect to linalg, tensor, scf and arith: what the functions that lower ops share.
 *
 * Ops are lowered in order, and each result's type comes out of the lowering itself: dims are folded as they are built,
 * so there is no second set of shape rules. Integer tensors that only describe shapes are kept as lists of scalars
 * (tensor.from_elements) and computed by index arithmetic.
 *
 * An op is one row in lower.def and one function:
 *
 *   NrStatus nr_lower_sigmoid(NrLower *l) {               // LOWER(Sigmoid, sigmoid, "float")
 *     return nr_lower_out(l, 0, nr_lower_map(l, (NrValue *[]){in(l, 0)}, 1, NULL, body, NULL), dtype(l, 0));
 *   }
 *
 * Values are tensors of signless elements; the dtype that goes with each says whether integers are unsigned. */
#ifndef NORIA_ONNX_LOWER_CORE_LOWER_H
#define NORIA_ONNX_LOWER_CORE_LOWER_H

#include "dialect/arith/compare.h"
#include "ir/op_info.h"
#include "noria/exec_abi.h"

/* A dim: a constant, or (size == NR_DYNAMIC) an index value. */
typedef struct NrDim {
  int64_t size;
  NrValue *value;
} NrDim;

typedef struct NrShape {
  size_t rank;
  NrDim dims[NORIA_MAX_RANK];
} NrShape;

typedef struct NrLowered {
  NrValue *value; /* tensor, or handle of a sequence or optional */
  NoriaDType dtype;
} NrLowered;

/* What of complex numbers is being lowered, see nr_lower_by_parts. */
typedef enum NrPart { NR_WHOLE, NR_REAL, NR_IMAGINARY } NrPart;

typedef struct NrLower {
  NrBuilder b; /* where the ops go */
  NrContext *ctx;
  NrOp *op;          /* the onnx op being lowered */
  int64_t version;   /* opset version of its domain */
  size_t versions;   /* how many versions there are of what is being lowered (versions.c) */
  const int64_t *split_rank; /* the rank in the innermost split on one around it; NULL: none */
  NrPart part;
  struct NrLowerState *state; /* shared over the whole function: value map, symbols (lower.c) */
} NrLower;

typedef NrStatus (*NrLowerFn)(NrLower *l);
typedef struct NrLowerRow {
  const char *name; /* "Add", in the default domain; "ai.onnx.ml.Binarizer" in others */
  NrLowerFn lower;
  const char *inputs; /* the inputs that the op takes, see lower.def */
} NrLowerRow;
#define LOWER(name, function, ...) NrStatus nr_lower_##function(NrLower *l);
#include "onnx/lower/core/lower.def"
#undef LOWER
extern const NrLowerRow nr_lower_rows[];
extern const size_t nr_num_lower_rows;
const NrLowerRow *nr_lower_find(NrStr name);
/* Reports unless the op's inputs are what the row says (inputs.c). */
NrStatus nr_lower_check_inputs(NrLower *l, const NrLowerRow *row);

/* Lowers an op of one output that is linear in input 0, of complex numbers: once for the real parts and once for the
 * imaginary ones, as l->part says (complex.c). Rows whose text has "parts" are lowered so. */
NrStatus nr_lower_by_parts(NrLower *l, NrLowerFn lower);
/* The real or imaginary parts of a tensor of complex numbers, and the tensor of its parts. */
NrValue *nr_lower_parts_of(NrLower *l, NrValue *tensor, NrPart part);
NrValue *nr_lower_of_parts(NrLower *l, NrValue *real, NrValue *imaginary);

/* ---- the op's inputs, attributes and outputs -------------------------------------------------------------------- */

size_t nr_lower_num_in(NrLower *l);
NrValue *nr_lower_in(NrLower *l, size_t i); /* NULL: left out */
NoriaDType nr_lower_dtype(NrLower *l, size_t i);
size_t nr_lower_num_out(NrLower *l);
bool nr_lower_wants(NrLower *l, size_t i); /* output i exists, is named and used */
NrStatus nr_lower_out(NrLower *l, size_t i, NrValue *value, NoriaDType dtype);
/* "node 'name' (Reshape): <message>" at the node's location. Returns NR_ERROR_INVALID. */
NrStatus nr_lower_error(NrLower *l, const char *format, ...) NR_PRINTF(2, 3);

/* Attributes of the node. The row of the op (src/dialect/onnx/ops.def) has the defaults, and must know the name: asking
 * for another is a fault of ours. Functions that serve several ops ask nr_lower_takes_attr first. */
bool nr_lower_takes_attr(NrLower *l, const char *name); /* in some version of the op */
NrAttr nr_lower_attr(NrLower *l, const char *name);     /* NULL when absent */
int64_t nr_lower_attr_int(NrLower *l, const char *name);
double nr_lower_attr_float(NrLower *l, const char *name);
NrStr nr_lower_attr_str(NrLower *l, const char *name);
/* Of attributes without a default: what stands for an absent one. */
int64_t nr_lower_attr_int_or(NrLower *l, const char *name, int64_t absent);
double nr_lower_attr_float_or(NrLower *l, const char *name, double absent);
NrStr nr_lower_default_str(NrLower *l, const char *name, size_t i); /* entry i of a default list of strings */
/* Dense i64 array attribute; returns false when it is absent and has no default. The data outlives the lowering. */
bool nr_lower_attr_ints(NrLower *l, const char *name, const int64_t **out, size_t *count);
bool nr_lower_attr_floats(NrLower *l, const char *name, const float **out, size_t *count);

/* ---- types ------------------------------------------------------------------------------------------------------ */

NrType nr_lower_elem_type(NrContext *ctx, NoriaDType dtype); /* signless; NULL for types without one */
bool nr_dtype_is_unsigned(NoriaDType t);
bool nr_dtype_is_int(NoriaDType t);   /* signed or unsigned, not bool */
bool nr_dtype_is_float(NoriaDType t); /* f64 down to f4 */
bool nr_dtype_is_complex(NoriaDType t);
const char *nr_dtype_name(NoriaDType t); /* "float32" */

/* ---- dims and shapes -------------------------------------------------------------------------------------------- */

static inline NrDim nr_dim(int64_t size) { return (NrDim){size, NULL}; }
static inline bool nr_dim_is(NrDim d, int64_t size) { return d.size == size && size != NR_DYNAMIC; }
static inline bool nr_dim_known(NrDim d) { return d.size != NR_DYNAMIC; }
NrDim nr_dim_of_index(NrValue *index);              /* folds constants */
NrValue *nr_dim_value(NrLower *l, NrDim d);         /* as an index value */
bool nr_dim_same(NrDim a, NrDim b);                 /* provably equal */
NrDim nr_dim_add(NrLower *l, NrDim a, NrDim b);
NrDim nr_dim_sub(NrLower *l, NrDim a, NrDim b);
NrDim nr_dim_mul(NrLower *l, NrDim a, NrDim b);
NrDim nr_dim_div(NrLower *l, NrDim a, NrDim b);     /* floor, b > 0 */
NrDim nr_dim_ceildiv(NrLower *l, NrDim a, NrDim b); /* b > 0 */
NrDim nr_dim_min(NrLower *l, NrDim a, NrDim b);
NrDim nr_dim_max(NrLower *l, NrDim a, NrDim b);
NrDim nr_dim_select(NrLower *l, NrValue *cond, NrDim a, NrDim b);

uint32_t nr_rank(NrValue *tensor);
NrDim nr_lower_dim(NrLower *l, NrValue *tensor, size_t i);
NrShape nr_lower_shape(NrLower *l, NrValue *tensor);
NrDim nr_shape_elements(NrLower *l, const NrShape *s, size_t begin, size_t end); /* product of dims [begin, end) */
/* Dims that are negative or too large for any memory are an error: the op's lowering then fails when it is done. */
NrType nr_shape_type(NrLower *l, const NrShape *s, NrType elem);
/* Negative axes count from the end; false (reported) when out of range. */
bool nr_lower_axis(NrLower *l, int64_t axis, size_t rank, size_t *out);
/* numpy broadcasting of shapes, with a run-time check where it cannot be proven. false after an error. */
bool nr_lower_broadcast(NrLower *l, const NrShape *shapes, size_t count, NrShape *out);
/* Fails the run unless cond (i1) holds; nothing is emitted when it is a true constant. Message text without node name.
 */
void nr_lower_check(NrLower *l, NrValue *cond, const char *text, NrValue *const *values, size_t num_values);
void nr_lower_check_dims_equal(NrLower *l, NrDim a, NrDim b, const char *what);
/* What a schema demands of the shape of an input that it calls `name` (expect.c). False after an error; what is
 * only known in the run is checked there. The message has the input, the dim and both sizes. */
bool nr_lower_expect_rank(NrLower *l, const char *name, NrValue *x, size_t rank);
bool nr_lower_expect_dim(NrLower *l, const char *name, NrValue *x, size_t i, NrDim want);
bool nr_lower_expect_shape(NrLower *l, const char *name, NrValue *x, const NrShape *want);
/* x broadcasts to this shape, which does not grow by it. */
bool nr_lower_expect_broadcast(NrLower *l, const char *name, NrValue *x, const NrShape *to);
/* Dim i has elements, or the result has none, so that nothing is read. */
void nr_lower_expect_elements(NrLower *l, const char *name, NrValue *x, size_t i, const NrShape *result);
/* All elements of an integer tensor are in [0, max]. */
bool nr_lower_expect_values(NrLower *l, const char *name, NrValue *x, NrDim max);

/* ---- scalars ---------------------------------------------------------------------------------------------------- */

NrValue *nr_lower_index(NrLower *l, int64_t value);
NrValue *nr_lower_int(NrLower *l, NrType type, int64_t value);     /* int, index or i1 constant */
NrValue *nr_lower_float(NrLower *l, NrType type, double value);
NrValue *nr_lower_neutral(NrLower *l, unsigned op_id, NrType type); /* what a reduction by the op starts from */
/* int, float or complex by type; of strings the empty one */
NrValue *nr_lower_constant(NrLower *l, NrType type, double value);
/* Builds a scalar op of one result and folds it when its operands are constants (or it folds otherwise). */
NrValue *nr_lower_op1(NrLower *l, unsigned op_id, NrType result, NrValue *a);
NrValue *nr_lower_op2(NrLower *l, unsigned op_id, NrType result, NrValue *a, NrValue *b);
NrValue *nr_lower_op3(NrLower *l, unsigned op_id, NrType result, NrValue *a, NrValue *b, NrValue *c);
NrValue *nr_lower_cmpi(NrLower *l, NrCmpI predicate, NrValue *a, NrValue *b);
NrValue *nr_lower_cmpf(NrLower *l, NrCmpF predicate, NrValue *a, NrValue *b);
NrValue *nr_lower_select(NrLower *l, NrValue *cond, NrValue *a, NrValue *b);
/* Arithmetic by the scalar's type: int or float form. */
NrValue *nr_lower_add(NrLower *l, NrValue *a, NrValue *b);
NrValue *nr_lower_sub(NrLower *l, NrValue *a, NrValue *b);
NrValue *nr_lower_mul(NrLower *l, NrValue *a, NrValue *b);
/* ONNX Cast of one scalar (cast.c). saturate matters for the f8 types. */
NrValue *nr_lower_cast(NrLower *l, NrValue *scalar, NoriaDType from, NoriaDType to, bool saturate);
/* A tensor with its elements converted, with saturation; NULL for NULL. */
NrValue *nr_lower_cast_tensor(NrLower *l, NrValue *x, NoriaDType from, NoriaDType to);
/* Fast-math flags that ONNX's tolerance allows, on an op that was just built: contract and reassoc. */
NrValue *nr_lower_fast(NrValue *value);

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

NrValue *nr_lower_empty(NrLower *l, const NrShape *shape, NrType elem);
NrValue *nr_lower_fill(NrLower *l, const NrShape *shape, NrValue *scalar);
NrValue *nr_lower_dense(NrLower *l, NrAttr elements); /* a constant tensor */
NrValue *nr_lower_extract(NrLower *l, NrValue *tensor, NrValue *const *indices, size_t count); /* one element */
NrValue *nr_lower_scalar(NrLower *l, NrValue *tensor); /* the element of a tensor with one (static) element */
NrValue *nr_lower_from_scalar(NrLower *l, NrValue *scalar); /* tensor<T>, rank 0 */
/* Row-major list of all elements of a small static tensor, when they are known as scalars: constants and from_elements.
 * With force, other tensors of static shape are read element by element. false when there are more than max. */
bool nr_lower_elements(NrLower *l, NrValue *tensor, NrValue **out, size_t max, size_t *count, bool force);
NrValue *nr_lower_from_elements(NrLower *l, NrType tensor_type, NrValue *const *elements, size_t count);
/* The same for shape operands: a 0-d or 1-d integer tensor as dims. Reports when its length is not static. */
/* An integer scalar as an index value; a cast from index is taken back. */
NrValue *nr_lower_as_index(NrLower *l, NrValue *integer);
bool nr_lower_dims_operand(NrLower *l, NrValue *tensor, const char *what, NrShape *out);
/* Constant integers of an operand; false when they are not constants. */
bool nr_lower_const_ints(NrLower *l, NrValue *tensor, int64_t *out, size_t max, size_t *count);

NrValue *nr_lower_reshape(NrLower *l, NrValue *tensor,
                          const NrShape *shape); /* same number of elements, known to hold */
NrValue *nr_lower_transpose(NrLower *l, NrValue *tensor, const size_t *perm);
NrValue *nr_lower_broadcast_to(NrLower *l, NrValue *tensor, const NrShape *shape);
/* offsets, sizes and steps (may be NULL = 1, else positive) per dim; bounds are the caller's duty. */
NrValue *nr_lower_slice(NrLower *l, NrValue *tensor, const NrDim *offsets, const NrDim *sizes, const NrDim *steps);
NrValue *nr_lower_insert_slice(NrLower *l, NrValue *source, NrValue *into, const NrDim *offsets);
NrValue *nr_lower_concat(NrLower *l, NrValue *const *tensors, size_t count, size_t axis);
NrValue *nr_lower_tensor_cast(NrLower *l, NrValue *tensor, NrType type); /* between more and less static types */

/* Body of a structured op: gets scalars, returns the scalar of output `out`. Its ops go to l->b. */
typedef NrValue *(*NrBodyFn)(NrLower *l, NrValue *const *args, void *user);
/* Element-wise over inputs with numpy broadcasting; elem = element type of the result (NULL: that of input 0). A rank-0
 * result and small integer vectors with known elements are computed as scalars. NULL after an error. */
NrValue *nr_lower_map(NrLower *l, NrValue *const *inputs, size_t count, NrType elem, NrBodyFn body, void *user);
/* A tensor of the given shape whose element at (i0, i1, ..) is body(indices as index values): gathers and the like. */
NrValue *nr_lower_generate(NrLower *l, const NrShape *shape, NrType elem, NrBodyFn body, void *user);
/* linalg.generic. maps: one per input, then one per output, over num_loops dims; iterators[i]: 'p' or 'r'.
 * inits: the outs. body fills results[num_outs] from args (inputs, then running outputs). */
typedef void (*NrGenericBodyFn)(NrLower *l, NrValue *const *args, NrValue **results, void *user);
NrOp *nr_lower_generic(NrLower *l, NrValue *const *inputs, size_t num_inputs, NrValue *const *inits, size_t num_inits,
                       const NrAttr *maps, const char *iterators, NrGenericBodyFn body, void *user);
/* Reduces axes (bit mask) with combine(acc, x); acc starts as init. keep: reduced dims stay as 1. pre (may be NULL)
 * maps each element before. */
NrValue *nr_lower_reduce(NrLower *l, NrValue *tensor, uint64_t axes, bool keep, NrValue *init, NrBodyFn pre,
                         NrBodyFn combine, void *user);
/* index value of loop dim i inside a body */
NrValue *nr_lower_loop_index(NrLower *l, size_t i);

/* scf.for from 0 to n carrying values: body gets iv and the carried, fills next (as many). */
typedef NrStatus (*NrLoopBodyFn)(NrLower *l, NrValue *iv, NrValue *const *carried, NrValue **next, void *user);
NrStatus nr_lower_for(NrLower *l, NrDim n, NrValue *const *init, size_t count, NrValue **out, NrLoopBodyFn body,
                      void *user);

/* Runtime function by name (rt.call). */
NrOp *nr_lower_rt_call(NrLower *l, const char *name, NrValue *const *args, size_t num_args, const NrType *results,
                       size_t num_results);

/* Lowers the ops of an onnx region's block at l->b with its arguments bound, and gives the values that it yields. */
NrStatus nr_lower_region(NrLower *l, NrRegion *region, const NrLowered *args, size_t num_args, NrLowered *out_yields,
                         size_t num_yields);

/* ---- functions -------------------------------------------------------------------------------------------------- */

/* Whether func, a func.func, is a model's graph. */
bool nr_func_has_onnx_ops(NrOp *func);
/* Whether any function is. Nodes get their meaning by being lowered: no interpreter runs them. */
bool nr_module_has_onnx_ops(NrModule *module);
/* Makes ops of the other dialects of func's body. */
NrStatus nr_lower_func(NrModule *module, NrOp *func);

typedef struct NrFormerType {
  NrValue *value;
  NrType type; /* NULL: it had none */
} NrFormerType;

/* What lowering a function finds about the onnx ops in it. A loop's body may be lowered several times, until the types
 * of the carried values no longer change; the last time counts. Nothing is recorded for ops that never run.
 * Zero-initialise. */
typedef struct NrInferred {
  NrMap types;     /* onnx value -> NrType, with the signs of integers */
  NrMap symbols;   /* onnx value -> NrAttr: array of its dims' names, where one has a name */
  NrMap constants; /* result of an op that does nothing else -> NrAttr: its elements, where they are known */
  NrMap branches;  /* onnx.If whose condition is known -> the NrRegion that is run */
  NR_VEC(struct NrFormerType) former; /* of every change of types, in order */
} NrInferred;
void nr_inferred_deinit(NrInferred *inferred);
/* Lowers func for what that finds, and drops the ops. func gets its type and noria.outputs; its body stays. */
NrStatus nr_lower_infer(NrOp *func, NrInferred *out);

#endif
