/* loops.h - programs with variables, loops and branches, printed as scf, in which values are assigned once.
 *
 * The generator writes a kernel as one would in C: variables are declared, assigned and read. The printer carries each
 * variable through the loops and branches that assign it, as iter_args and results. */
#ifndef NORIA_SPARSE_LOOPS_H
#define NORIA_SPARSE_LOOPS_H

#include "base/base.h"

/* A value, which never changes, or a variable. */
typedef uint32_t NrLoopValue;
#define NR_NO_LOOP_VALUE UINT32_MAX

typedef struct NrLoopStmt NrLoopStmt;
typedef struct NrLoopBlock NrLoopBlock;

typedef struct NrLoops {
  NrArena *arena;
  NrLoopBlock *block;            /* where statements are added */
  NR_VEC(const char *) names;    /* of a value: printed; of a variable: that of its value at this place */
  NR_VEC(const char *) types;    /* of variables; else NULL */
  NR_VEC(const char *) hints;    /* names that values are given, with a number where one is taken */
  NR_VEC(NrLoopBlock *) declared; /* the block of a variable */
  NrStrMap taken;                /* names in use */
  NrStrMap numbers;              /* the last number behind a hint */
  size_t size;                   /* how many statements there are */
} NrLoops;
void nr_loops_init(NrLoops *l, NrArena *arena);
void nr_loops_deinit(NrLoops *l);

/* A value with a fixed name: an argument or a constant. */
NrLoopValue nr_loops_named(NrLoops *l, const char *name);
/* An op. $0 .. $9 in the text are operands. hint names the result; NULL: it has none. */
NrLoopValue nr_loops_op(NrLoops *l, const char *hint, const char *text, const NrLoopValue *operands, size_t count);
#define NR_LOOPS_OP(l, hint, text, ...)                                                                                \
  nr_loops_op(l, hint, text, (NrLoopValue[]){__VA_ARGS__}, sizeof((NrLoopValue[]){__VA_ARGS__}) / sizeof(NrLoopValue))
void nr_loops_comment(NrLoops *l, const char *text);

NrLoopValue nr_loops_variable(NrLoops *l, const char *hint, const char *type, NrLoopValue initial);
void nr_loops_assign(NrLoops *l, NrLoopValue variable, NrLoopValue value);
/* The value that a variable has here. */
NrLoopValue nr_loops_read(NrLoops *l, NrLoopValue variable);

/* Each of these is ended by nr_loops_end. */
NrLoopValue nr_loops_for(NrLoops *l, const char *hint, NrLoopValue begin, NrLoopValue end); /* the induction variable */
/* A loop whose iterations threads share. It may not assign variables that are declared outside of it. */
NrLoopValue nr_loops_parallel(NrLoops *l, const char *hint, NrLoopValue begin, NrLoopValue end);
/* So long an iteration of the innermost loop takes, an nr_loops_parallel: whether threads share it depends on that. */
void nr_loops_set_time(NrLoops *l, int64_t ns);
/* The iterations of the innermost loop, an nr_loops_for, do not become lanes of vectors. */
void nr_loops_keep_scalar(NrLoops *l);
void nr_loops_while(NrLoops *l);                        /* what follows computes the condition */
void nr_loops_do(NrLoops *l, NrLoopValue condition);    /* the body of a while begins */
void nr_loops_if(NrLoops *l, NrLoopValue condition);
void nr_loops_else(NrLoops *l);
void nr_loops_end(NrLoops *l);

/* Prints the statements of the outermost block, indented. The names of variables are then those at its end. */
void nr_loops_print(NrLoops *l, NrBuf *out, const char *indent);
const char *nr_loops_name(const NrLoops *l, NrLoopValue v);

#endif
