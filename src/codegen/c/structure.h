/* structure.h - a function's blocks as loops, ifs and jumps. */
#ifndef NORIA_CODEGEN_C_STRUCTURE_H
#define NORIA_CODEGEN_C_STRUCTURE_H

#include "ir/ir.h"

typedef enum NrCNodeKind {
  NR_C_BLOCK,  /* the ops of block, without the terminator */
  NR_C_IF,     /* op, a cf.cond_br: body, else other */
  NR_C_SWITCH, /* op, a cf.switch: a list in cases per successor */
  NR_C_LOOP,   /* body, again and again */
  NR_C_EDGE,   /* gives the arguments of successor `successor` of op their values */
  NR_C_LABEL,  /* block begins here */
  NR_C_CONTINUE,
  NR_C_BREAK,
  NR_C_GOTO,   /* block */
  NR_C_RETURN, /* op */
} NrCNodeKind;

typedef struct NrCNode NrCNode;
typedef struct NrCList {
  NrCNode *first, *last;
  NrCNode *owner; /* the node that it is part of; NULL: the function */
  uint32_t depth;
} NrCList;

struct NrCNode {
  NrCNodeKind kind;
  NrCNode *next;
  NrCList *list; /* that it is in */
  NrOp *op;
  NrBlock *block;
  uint32_t successor;
  bool negated; /* IF: body runs where the condition is false */
  bool used;    /* LABEL: there is a goto */
  NrCList body, other, *cases;
  /* LOOP that is a `for`: what it counts in, from begin (NULL: assigned before it) on, while test, by step (loops.c).
   * EDGE: the argument that a `for` assigns. */
  NrValue *counter, *begin;
  NrOp *test, *step;
  NR_VEC(NrValue *) declared; /* variables that are declared before it (scope.c) */
};

/* The tree of a region, in arena. Every reachable block is in it once; its mark is its number in reverse postorder,
 * that of others UINT32_MAX. live: the values that are needed. */
NrCList *nr_c_structure(NrArena *arena, NrRegion *region, NrMap *live);

#endif
