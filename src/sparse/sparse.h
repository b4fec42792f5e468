/* sparse.h - kernels over sparse tensors, made from index expressions.
 *
 *   A(i,j) = B(i,k) * C(k,j)     with formats such as B: dense, compressed (CSR)
 *
 * becomes a function of text IR: loops over what is stored, as TACO makes them (Kjolstad, Kamil, Chou, Lugato,
 * Amarasinghe: The Tensor Algebra Compiler, OOPSLA 2017; workspaces: Kjolstad, Ahrens, Kamil, Amarasinghe, CGO 2019).
 * docs/sparse.md describes the expressions, the formats and the functions. */
#ifndef NORIA_SPARSE_SPARSE_H
#define NORIA_SPARSE_SPARSE_H

#include "base/base.h"

enum {
  NR_SPARSE_MAX_ORDER = 8,    /* dims of a tensor */
  NR_SPARSE_MAX_INDICES = 16, /* of an expression */
  NR_SPARSE_MAX_TENSORS = 16,
  NR_SPARSE_MAX_ACCESSES = 32,
  NR_SPARSE_MAX_MERGED = 6, /* sparse operands that meet in one loop */
  NR_SPARSE_MAX_DEPTH = 100, /* of parentheses */
  NR_SPARSE_MAX_STATEMENTS = 100000, /* of a kernel; as many take some half a minute to compile */
};

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* How a level stores its coordinates. */
typedef enum NrLevelKind {
  NR_LEVEL_DENSE,      /* d: all of them */
  NR_LEVEL_COMPRESSED, /* s: those with entries: crd[pos[p]] .. crd[pos[p + 1] - 1] below position p above */
  NR_LEVEL_SINGLETON,  /* q: crd[p], one below each position of the level above; see nr_sparse_level_repeats */
} NrLevelKind;

/* CSR is d, s in the order 0, 1; CSC the same in the order 1, 0; COO is s, q. */
typedef struct NrSparseFormat {
  size_t order; /* the number of levels, which is that of dims */
  NrLevelKind kinds[NR_SPARSE_MAX_ORDER];
  size_t dims[NR_SPARSE_MAX_ORDER]; /* the dim of the tensor that level l stores */
  bool is_unordered[NR_SPARSE_MAX_ORDER]; /* u: compressed, its coordinates in no order below each position above */
} NrSparseFormat;

bool nr_sparse_format_is_dense(const NrSparseFormat *format);
/* Whether the coordinates of level l may repeat: it is compressed, or below such a level with singletons between, and
 * the next level is a singleton. One below a dense level has one coordinate for each of that, which do not repeat. */
bool nr_sparse_level_repeats(const NrSparseFormat *format, size_t l);

/* ---- expressions ------------------------------------------------------------------------------------------------- */

typedef struct NrSparseTensor {
  NrStr name;
  size_t order; /* 0: a scalar */
  NrSparseFormat format;
  bool has_format; /* nr_sparse_set_format has set it */
  size_t column;   /* of its first access, from 1 */
} NrSparseTensor;

typedef enum NrSparseKind {
  NR_SPARSE_ACCESS,
  NR_SPARSE_NUMBER,
  NR_SPARSE_NEG,
  NR_SPARSE_ADD,
  NR_SPARSE_SUB,
  NR_SPARSE_MUL
} NrSparseKind;

/* A node of an expression's tree. In an arena. */
typedef struct NrSparseExpr NrSparseExpr;
struct NrSparseExpr {
  NrSparseKind kind;
  const NrSparseExpr *left, *right; /* right: of binary nodes; left: of NEG too */
  size_t access;                    /* of ACCESS: its number */
  NrStr number;                     /* of NUMBER: the text */
  size_t column;
};

typedef struct NrSparseAccess {
  size_t tensor;
  size_t indices[NR_SPARSE_MAX_ORDER]; /* a number of an index for each dim */
} NrSparseAccess;

/* A parsed assignment. Tensor 0 and access 0 are those of the left side. In an arena. */
typedef struct NrSparseAssignment {
  NrSparseTensor tensors[NR_SPARSE_MAX_TENSORS];
  size_t num_tensors;
  NrSparseAccess accesses[NR_SPARSE_MAX_ACCESSES];
  size_t num_accesses;
  NrStr indices[NR_SPARSE_MAX_INDICES]; /* names; those of the left side first */
  size_t num_indices, num_free;         /* num_free: of the left side; all others are summed over */
  const NrSparseExpr *value;
  bool adds; /* += : the left side's tensor is an operand too */
} NrSparseAssignment;

/* What is wrong. In an arena. */
typedef struct NrSparseError {
  const char *message;
  size_t column; /* in the text of the expression or format, from 1; 0: in none */
} NrSparseError;

/* Grammar: docs/sparse.md. All tensors get the dense format. text must outlive *out. */
NR_WARN_UNUSED NrStatus nr_sparse_parse(NrArena *arena, NrStr text, NrSparseAssignment *out, NrSparseError *error);
/* "B:ds" or "B:ds:1,0": sets the format of a tensor of the assignment. */
NR_WARN_UNUSED NrStatus nr_sparse_set_format(NrArena *arena, NrSparseAssignment *a, NrStr text, NrSparseError *error);
/* Sets *error; returns NR_ERROR_INVALID. */
NrStatus nr_sparse_fail(NrArena *arena, NrSparseError *error, size_t column, const char *format, ...) NR_PRINTF(4, 5);

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct NrSparseOptions {
  const char *type;  /* of elements: one that nr_sparse_check_type accepts; NULL: f64 */
  const char *index; /* of positions and coordinates: "i32", "i64", "index"; NULL: i32 */
  const char *name;  /* of the function; NULL: "kernel" */
  bool check;        /* that coordinates are in order, before anything is computed */
  bool scalar;       /* no vectors of coordinates: for what compiles the text to no vectors of 16, as C source */
} NrSparseOptions;

/* What an argument or a result of the function is. */
typedef enum NrSparseArray {
  NR_SPARSE_EXTENT,      /* index: the size of an index variable that no dense operand has */
  NR_SPARSE_SCALAR,      /* an element */
  NR_SPARSE_DENSE,       /* tensor<?x?xT>, its dims in the order of the levels */
  NR_SPARSE_POSITIONS,   /* tensor<?xI> of a level */
  NR_SPARSE_COORDINATES, /* tensor<?xI> of a level */
  NR_SPARSE_VALUES,      /* tensor<?xT> */
} NrSparseArray;

typedef struct NrSparseValue {
  NrSparseArray kind;
  size_t tensor; /* the index variable for an extent */
  size_t level;  /* of positions and coordinates */
  const char *name; /* of an argument in the text; of a result made the same way */
} NrSparseValue;

typedef struct NrSparseKernel {
  NR_VEC(NrSparseValue) args, results;
  NrBuf text; /* the function */
} NrSparseKernel;
void nr_sparse_kernel_deinit(NrSparseKernel *kernel);

/* Whether kernels can have elements of a type: i1, i8 to i64, f16, bf16, f32, f64, complex<f32>, complex<f64>. */
NR_WARN_UNUSED NrStatus nr_sparse_check_type(NrArena *arena, const char *type, NrSparseError *error);
/* Makes the function. A format or an expression for which there are no loops is an error. */
NR_WARN_UNUSED NrStatus nr_sparse_lower(NrArena *arena, const NrSparseAssignment *a, const NrSparseOptions *options,
                                        NrSparseKernel *out, NrSparseError *error);

#endif
