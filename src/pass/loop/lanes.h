/* lanes.h - inside of vectorize-parallel-loops: consecutive iterations of a parallel loop become the lanes of vectors.
 *
 * A value of the loop's body is uniform, the same for all active lanes, or varying. The copy of a uniform value is a
 * scalar, that of a varying one a vector. A mask is a vector of i1 that says which lanes are active; NULL stands for a
 * mask that is all true. Where ops are built under a mask, at least one of its lanes is active in every run, unless all
 * these ops may be speculated. What a vector has in inactive lanes is undefined. */
#ifndef NORIA_PASS_LOOP_LANES_H
#define NORIA_PASS_LOOP_LANES_H

#include "dialect/scf/scf.h"
#include "ir/op_info.h"
#include "target/target.h"

typedef struct NrLanes {
  NrModule *module;
  const NrTarget *target;
  NrOp *loop;        /* scf.parallel of one dim, or scf.for */
  NrBlock *body;
  NrValue *iv;
  NrMap varying;     /* NrValue* of the body -> itself */
  int64_t count;     /* of lanes */
  int64_t row;       /* lanes of a machine vector; vectors of more lanes have two dims, count / row and row, so that
                      * code generation works on rows (lower-vectors) and masks do not become narrower vectors */
  NrType mask;       /* the element type of masks that loops carry: i1, or an integer of which all bits are the mask */
  NrBuilder b;       /* the copy is built here */
  NrMap values;      /* NrValue* of the body -> its copy; values from outside are their own */
  NrValue *first;    /* the induction variable of lane 0 */
  bool adjacent;     /* the step is 1: lane i has first + i */
} NrLanes;

/* lanes_uniform.c */

/* Finds the varying values of the loop's body. */
void nr_lanes_find_varying(NrLanes *l);
static inline bool nr_lanes_varies(const NrLanes *l, const NrValue *value) { return nr_map_has(&l->varying, value); }
/* The value by which a branch, scf.if or scf.index_switch, chooses one of its regions; NULL for other ops. */
static inline NrValue *nr_lanes_choice(const NrOp *op) {
  if (nr_op_is(op, NR_OP_scf_if)) return nr_scf_if_condition(op);
  return nr_op_is(op, NR_OP_scf_index_switch) ? nr_scf_index_switch_arg(op) : NULL;
}
/* Whether the iterations of an scf.while or scf.for differ between active lanes. */
bool nr_lanes_diverges(const NrLanes *l, const NrOp *loop);
/* Whether a branch in the body goes different ways in different lanes and has a loop in it, or a loop diverges. */
bool nr_lanes_have_divergent_loop(const NrLanes *l);
/* The same of an scf.for or scf.while inside: by itself, by a loop in it, or by a branch around it. */
bool nr_lanes_loop_diverges(const NrLanes *l, NrOp *loop);
/* Whether a function of f32 that branches (cost.def) is computed for each iteration, outside of loops in the body. */
bool nr_lanes_have_branching_function(const NrLanes *l);
/* Why the body has no vector form: the op and the reason; NULL if it has one. */
const char *nr_lanes_refuse(NrLanes *l, NrOp **out_op);
/* Whether a memory access is at lane 0's element and those after it: the last index grows by one from lane to lane. */
bool nr_lanes_is_row(const NrLanes *l, const NrOp *access);
/* Whether both sides of a varying scf.if run without a branch (rule 7 of kernels.md): they may be speculated and are
 * cheap. */
bool nr_lanes_is_predicated(const NrOp *branch);

/* Whether argument i of a divergent scf.while is better a vector, even if it is uniform among the active lanes: the
 * condition or a result depends on it (lanes_while.c). */
bool nr_lanes_wants_vector(const NrLanes *l, NrOp *op, uint32_t i);

/* lanes_values.c: values and masks at l->b */

NrType nr_lanes_type(const NrLanes *l, NrType elem);
NrValue *nr_lanes_value(const NrLanes *l, const NrValue *value); /* its copy, a scalar or a vector */
NrValue *nr_lanes_vector(NrLanes *l, const NrValue *value);      /* the copy as a vector */
/* The copy, as a vector where `as` varies. */
NrValue *nr_lanes_form(NrLanes *l, const NrValue *value, const NrValue *as);
NrType nr_lanes_form_type(const NrLanes *l, const NrValue *value); /* of nr_lanes_form(value, value) */
void nr_lanes_set(NrLanes *l, const NrValue *value, NrValue *copy);
NrValue *nr_lanes_splat(NrLanes *l, NrValue *scalar);
NrValue *nr_lanes_zeros(NrLanes *l, NrType elem);
NrValue *nr_lanes_ones(NrLanes *l, NrType elem);
NrValue *nr_lanes_all(NrLanes *l); /* a mask of true */
/* The active lanes in which cond is true, or false. A lane that is not active may be undefined in cond. */
NrValue *nr_lanes_where(NrLanes *l, NrValue *mask, NrValue *cond);
NrValue *nr_lanes_where_not(NrLanes *l, NrValue *mask, NrValue *cond);
NrValue *nr_lanes_any(NrLanes *l, NrValue *mask);
NrValue *nr_lanes_numbers(NrLanes *l);                           /* 0, 1, 2, .. as index */
NrValue *nr_lanes_flat(NrLanes *l, NrValue *vector);             /* with one dim */
NrValue *nr_lanes_of_flat(NrLanes *l, NrValue *flat);            /* and back */
NrValue *nr_lanes_reduce(NrLanes *l, const char *kind, NrValue *vector, NrAttr fastmath);
/* Row i of a vector, and a vector with another row i. Of vectors of one dim there is one row. */
NrValue *nr_lanes_row(NrLanes *l, NrValue *vector, int64_t i);
NrValue *nr_lanes_with_row(NrLanes *l, NrValue *vector, NrValue *row, int64_t i);
static inline int64_t nr_lanes_num_rows(const NrLanes *l) {
  return l->row && l->count > l->row ? l->count / l->row : 1;
}
/* value where the mask is true, else other. */
NrValue *nr_lanes_blend(NrLanes *l, NrValue *mask, NrValue *value, NrValue *other);
/* The form in which loops carry masks, and back. */
NrValue *nr_lanes_pack(NrLanes *l, NrValue *mask);
NrValue *nr_lanes_unpack(NrLanes *l, NrValue *packed);

/* lanes_ops.c, lanes_memory.c, lanes_control.c, lanes_while.c */

/* Builds the copy of the block's ops, other than its terminator, for the active lanes. */
void nr_lanes_emit_op(NrLanes *l, NrOp *op, NrValue *mask);
void nr_lanes_emit_block(NrLanes *l, NrBlock *block, NrValue *mask);
void nr_lanes_emit_access(NrLanes *l, NrOp *op, NrValue *mask); /* memref.load, memref.store */
/* Replaces each scf.index_switch in the loop by scf.ifs, which have a form in lanes. */
void nr_lanes_expand_switches(NrOp *loop);
void nr_lanes_emit_if(NrLanes *l, NrOp *op, NrValue *mask);
void nr_lanes_emit_while(NrLanes *l, NrOp *op, NrValue *mask);
void nr_lanes_emit_for(NrLanes *l, NrOp *op, NrValue *mask);

/* lanes_divide.c */

typedef enum NrLanesDivision {
  NR_LANES_BY_CONSTANT, /* products and shifts, by the code generator */
  NR_LANES_BY_FLOATS,   /* nr_lanes_divide */
  NR_LANES_BY_LANE,     /* one scalar division for each lane */
} NrLanesDivision;
/* How a division of integers (NR_DIVIDES) that varies is computed. */
NrLanesDivision nr_lanes_division(const NrOp *op);
/* Builds the division op, one that is NR_LANES_BY_FLOATS, of two vectors. */
NrValue *nr_lanes_divide(NrLanes *l, const NrOp *op, NrValue *lhs, NrValue *rhs);

/* lanes_cost.c */

typedef struct NrLanesCost {
  double scalar, vector; /* estimated cycles of as many iterations as there are lanes */
} NrLanesCost;
/* Chooses the number of lanes; trips: of the loop, or UINT64_MAX. 0: there are too few. */
int64_t nr_lanes_choose(const NrLanes *l, uint64_t trips);
NrLanesCost nr_lanes_cost(const NrLanes *l);
/* Sets what follows from the number of lanes: the length of a row, the element type of masks that loops carry. */
void nr_lanes_shape(NrLanes *l);

#endif
