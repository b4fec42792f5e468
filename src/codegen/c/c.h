/* c.h - inside of the C source backend: one NrC prints one module, after stage `expand`, as a C17 file.
 *
 * How values map:
 *   integers, index (i64)       i8 i16 i32 i64 i128, the next wider one, sign-extended; i1: bool
 *   f32 f64                     f32 f64; other floats, which are only moved (expand-floats), the bits: u8 u16 u32
 *   vector<8xf32>               f32x8: a vector of the GNU extensions where it can be one, else a struct of lanes
 *   vector<2x8xf32>             a struct of rows; only an element in memory
 *   complex<f32>                a struct of two parts
 *   handles, strings            void *
 *   memref                      a pointer to its elements; one that passes to or from the runtime has sizes: NrCShape
 * Every function is  int32_t f(exec, arguments..., pointers to results...); non-zero: the run failed.
 *
 * Files, each uses those before it: types.c types and constants; text.c names, lines and helper functions; tables.c
 * what noria_module lists; structure.c loops and ifs from blocks; loops.c which are `for` and `while`; scope.c where
 * variables are declared; plan.c which values have none; the op rows in arith.c integer.c math.c memory.c atomic.c
 * boundary.c runtime.c vector.c; statements.c bodies; function.c functions; library.c the plain functions; program.c
 * the file. What C text is the same in all of them is in lib/c/. */
#ifndef NORIA_CODEGEN_C_C_H
#define NORIA_CODEGEN_C_C_H

#include "codegen/c/structure.h"
#include "codegen/codegen.h"
#include "ir/op_info.h"
#include "ir/text.h"

typedef struct NrCFunc {
  NrOp *op;
  NrType type;
  const char *name;
  const char *thunk; /* its workgroup function, made when the first dispatch needs it */
  bool is_wrapper;   /* a NoriaEntryFn */
} NrCFunc;

/* The sizes of a memref between the program and the runtime, as C expressions. */
typedef struct NrCShape {
  const char *sizes[NORIA_MAX_RANK];
  const char *rank, *all_sizes; /* of one without a rank, which has these instead: i64, const i64 * */
} NrCShape;

typedef struct NrCConstant {
  NrAttr value;     /* DENSE, RESOURCE or a parameter */
  const char *name; /* of its array; NULL for a parameter */
} NrCConstant;

typedef struct NrCSite {
  NrStr place, text;
} NrCSite;

typedef struct NrC NrC;
typedef struct NrCRow NrCRow;
/* Prints a whole op. */
typedef NrStatus (*NrCEmitFn)(NrC *g, NrOp *op, const NrCRow *row);
/* The C expression of one element of a result; args: those of the operands, each fit for any context and used once.
 * NULL when there is none. */
typedef const char *(*NrCLaneFn)(NrC *g, NrOp *op, const NrCRow *row, const char *const *args);
struct NrCRow {
  const char *op;
  NrCEmitFn emit; /* or */
  NrCLaneFn lane;
  int code;         /* for the hook */
  const char *text; /* for the hook */
  const char *gnu;  /* the operator that does the same on whole GNU vectors, or NULL */
};

struct NrC {
  NrModule *module;
  NrContext *ctx;
  const char *name; /* of the program */
  NrStr prefix;     /* of the plain functions */
  NrArena arena;
  const NrCRow *rows[NR_OP_COUNT];

  NrBuf types, helpers, data, declarations, bodies; /* parts of the file */
  NrStrMap types_known; /* name of a type -> itself */
  NrStrMap helpers_known; /* text of a helper function -> its name */
  NrStrMap names;       /* names in the file's scope */
  NrMap funcs;          /* NrOp* -> NrCFunc* */
  NR_VEC(NrCFunc *) all;
  NrCFunc *entry;
  NrSymbolTables symbols;
  NrMap global_data; /* memref.global op -> its C expression */

  NR_VEC(NrCConstant) constants;
  NrMap constant_index;     /* NrAttr -> index + 1 */
  NR_VEC(NrStr) imports;
  NrStrMap import_index; /* index + 1 */
  NR_VEC(NrCSite) sites;
  NrStrMap site_index; /* "place\0text" -> index + 1 */
  bool has_variables;  /* memref.globals that are written */
  bool has_i128;
  bool has_fma; /* the machine that it was lowered for fuses products with sums */

  /* State of the function that is being printed. */
  NrCFunc *func;
  NrBuf *out;
  unsigned indent;
  NrBuf locals;      /* declarations at the top of the function */
  NrMap value_names; /* NrValue* -> const char* */
  NrMap inlined;     /* NrValue* -> its expression; set when its op is reached */
  NrMap live;        /* NrValue* that something which is printed needs -> itself */
  NrMap may_inline;  /* NrValue* -> itself */
  NrMap hoisted;     /* NrValue* that is declared before its definition -> itself */
  NrMap shapes;      /* NrValue* -> NrCShape* */
  NrStrMap local_names;
  unsigned next_name;
  NrMap heap_allocas;  /* memref.alloca op that is not on it -> itself */
  unsigned num_descs;  /* of the calls of the runtime */
  NrStatus status;
};

/* ---- types.c ---------------------------------------------------------------------------------------------------- */

const char *nr_c_type(NrC *g, NrType type);     /* of a value; NULL when there is none. Declares vectors */
const char *nr_c_memory(NrC *g, NrType elem);   /* of an element in memory */
const char *nr_c_declare(NrC *g, NrType type, const char *name); /* "f32 x", "f32 *x" */
const char *nr_c_constant(NrC *g, NrAttr attr, NrType type); /* of a scalar; NULL otherwise */
const char *nr_c_int(NrC *g, int64_t value);
uint32_t nr_c_bits(NrType scalar);              /* of the container: 8, 16, 32, 64, 128; i1: 8 */
bool nr_c_is_gnu(NrType vector);         /* whether the type is a GNU vector where the compiler has them */
unsigned nr_c_gnu_bytes(NrType vector);  /* of the registers that such a vector needs: 16, 32 or 64 */
size_t nr_c_elem_bytes(NrType elem);            /* in memory */
unsigned nr_c_elem_align(NrType elem);
bool nr_c_is_handle(NrType type);

/* ---- text.c ----------------------------------------------------------------------------------------------------- */

void nr_c_line(NrC *g, const char *format, ...) NR_PRINTF(2, 3); /* indented, with a newline */
const char *nr_c_text(NrC *g, const char *format, ...) NR_PRINTF(2, 3); /* in the arena */
const char *nr_c_group(NrC *g, const char *expression); /* in parentheses where it needs them */
const char *nr_c_global_name(NrC *g, NrStr wanted);   /* a free name in the file's scope */
const char *nr_c_local_name(NrC *g, NrStr wanted);    /* a free name in the function; wanted may be empty */
/* Adds a function to the file, once: its text begins behind its name. Returns its name, which begins with base. */
const char *nr_c_helper(NrC *g, const char *base, const char *before, const char *behind);
NrStr nr_c_place(NrC *g, NrOp *op);
void nr_c_string(NrBuf *out, NrStr s); /* as a literal */

const char *nr_c_value(NrC *g, NrValue *value);   /* its expression, fit for any context */
const char *nr_c_plain(NrC *g, NrValue *value);   /* without parentheses around it */
const char *nr_c_name(NrC *g, NrValue *value);    /* its variable's name */
/* Prints the definition, or keeps the expression for the one use; a value that is not used needs none. */
void nr_c_set(NrC *g, NrValue *value, const char *expression);
void nr_c_define(NrC *g, NrValue *value, const char *expression); /* as a variable in any case */

/* ---- tables.c --------------------------------------------------------------------------------------------------- */

unsigned nr_c_site(NrC *g, NrStr place, NrStr text);
unsigned nr_c_import(NrC *g, NrStr name);
/* The data of an entry of noria_module's table of constants, as C: an array, or a parameter that the runtime finds. */
const char *nr_c_constant_data(NrC *g, NrAttr value, NrStr wanted);
NrStatus nr_c_put_tables(NrC *g, NrBuf *out);
void nr_c_put_bytes(NrC *g, NrBuf *out, NrAttr value, NrType elem, size_t count, const char *declaration);
const char *nr_c_static_string(NrC *g, NrStr s); /* a NoriaString */

/* ---- functions and ops ------------------------------------------------------------------------------------------ */

NrStatus nr_c_emit_op(NrC *g, NrOp *op);
NrStatus nr_c_declare_functions(NrC *g);
NrStatus nr_c_define_functions(NrC *g);
NrCFunc *nr_c_find_func(NrC *g, NrOp *user, NrAttr symbol); /* reports an error when there is none */
bool nr_c_is_pure(const NrC *g, const NrOp *op); /* an expression of its operands */
/* plan.c */
void nr_c_find_live(NrC *g, NrRegion *region);      /* fills live */
void nr_c_plan_inlining(NrC *g, NrRegion *region);  /* fills may_inline */
void nr_c_without_variable(NrC *g, NrRegion *region, NrMap *out); /* those of may_inline, and constants */
/* statements.c */
NrStatus nr_c_put_list(NrC *g, const NrCList *list);

/* arith.c: of one element. */
const char *nr_c_combine(NrC *g, NrStr kind, NrType elem, const char *a, const char *b); /* NULL: no such kind */
const char *nr_c_bitcast(NrC *g, NrType from, NrType to, const char *x);
const char *nr_c_from_memory(NrC *g, NrType elem, const char *x); /* a value, from an element in memory */
const char *nr_c_to_memory(NrC *g, NrType elem, const char *x);
/* integer.c */
const char *nr_c_signed(NrC *g, NrType type, const char *x);   /* as i32, i64 or i128 */
const char *nr_c_unsigned(NrC *g, NrType type, const char *x); /* as u32, u64 or u128, zero-extended */
const char *nr_c_wrapped(NrC *g, NrType type, const char *x);  /* back; x may be wider */
const char *nr_c_integer(NrC *g, const char *name, NrType type, const char *a, const char *b);
/* vector.c: an op whose row has .lane, on vectors. */
NrStatus nr_c_emit_lanes(NrC *g, NrOp *op, const NrCRow *row);
const char *nr_c_lane_of(NrC *g, NrOp *op, uint32_t operand); /* lane i, in a function of op's operands */
/* Sets a result to the vector of which lane i is `one`; gnu: the row with an operator for whole vectors, or NULL. */
void nr_c_set_lanes(NrC *g, NrOp *op, NrValue *out, const char *base, const char *one, const NrCRow *gnu);
/* memory.c */
void nr_c_plan_allocas(NrC *g, NrRegion *region); /* fills heap_allocas */
const char *nr_c_address(NrC *g, NrValue *memref, NrValue *index); /* an lvalue's: "p + i" */
void nr_c_fail_unless(NrC *g, NrOp *op, const char *condition, NrStr text, const char *const values[4]);
/* boundary.c: values from and to the NoriaDesc that desc names. */
void nr_c_desc_write(NrC *g, NrValue *value, const char *desc);
void nr_c_desc_read(NrC *g, NrValue *value, const char *desc);
NrCShape *nr_c_shape_of(NrC *g, NrValue *memref);

extern const NrCRow nr_c_arith_rows[], nr_c_integer_rows[], nr_c_math_rows[], nr_c_memory_rows[], nr_c_atomic_rows[],
    nr_c_boundary_rows[], nr_c_runtime_rows[], nr_c_vector_rows[];

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* A file of lib/c/, without its folder and ending: text that printed files have. */
typedef struct NrCText {
  const char *name; /* NULL ends the table */
  const char *text; /* not NUL-terminated */
  size_t size;
} NrCText;
extern const NrCText nr_c_texts[];
void nr_c_put_file(NrBuf *out, const char *name); /* one of lib/c/ */
NrStatus nr_c_put_library(NrC *g, NrBuf *source, NrBuf *header);

#endif
