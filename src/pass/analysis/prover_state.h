/* prover_state.h - shared by the files of the prover (prover*.c). */
#ifndef NORIA_PASS_ANALYSIS_PROVER_STATE_H
#define NORIA_PASS_ANALYSIS_PROVER_STATE_H

#include "ir/op_info.h"
#include "pass/analysis/prover.h"

typedef enum NrAtomKind { NR_ATOM_PLAIN, NR_ATOM_MIN, NR_ATOM_MAX, NR_ATOM_SELECT } NrAtomKind;

/* An unknown number: a dim of a tensor, or, for a negative `dim`, one of the kinds below; element i is NR_ATOM_ELEMENT
 * - i. */
typedef struct NrAtom {
  NrValue *value;
  int64_t dim;
  int64_t min, max;
  NrAtomKind kind;
  NrValue *condition; /* SELECT: true for the first case */
  NrSum cases[2];     /* MIN, MAX, SELECT: the operands */
  NrSum *facts;       /* hold wherever the atom exists, or as long as the facts do on which it depends */
  uint32_t num_facts;
  uint32_t uses[2];   /* the newest use of the atom in a fact's term with a positive [0] or negative [1] factor */
} NrAtom;

/* What is known of the atom, its kind, range and facts, was found by the first num_facts facts of the prover, and is
 * forgotten when one of these is dropped. */
typedef struct NrDependence {
  uint32_t atom;
  size_t num_facts;
} NrDependence;
enum { NR_ATOM_VALUE = -1, NR_ATOM_RANK = -2, NR_ATOM_ELEMENT = -3 };

/* Facts have increasing numbers, so that cached results that used a fact are recognised as stale once it is dropped. */
typedef struct NrFact {
  NrSum sum;
  uint64_t number;
} NrFact;

/* That a fact has an atom, so that a search need not look at all facts. Uses are numbered from 1, in the order of their
 * facts; older: the one before of the same atom and sign, or 0. */
typedef struct NrFactUse {
  uint32_t fact, atom, older;
  bool negative;
} NrFactUse;

typedef struct NrCondition {
  NrValue *value;
  bool holds;
} NrCondition;

struct NrProver {
  NrArena arena;
  NrMap sums;     /* value -> Cached (prover_values.c) */
  NrMap dims;     /* tensor -> an NrSum * for each dim */
  NrMap atoms_of; /* value -> list of the numbers of its atoms */
  NrMap contents; /* tensor of integers -> Content (prover_elements.c) */
  NR_VEC(NrAtom) atoms;
  NR_VEC(NrDependence) dependences;
  size_t most_depended; /* the largest num_facts of these, or more */
  NR_VEC(NrFact) facts;
  NR_VEC(NrFactUse) uses; /* of atoms in facts */
  uint64_t num_facts; /* number of facts ever added */
  NR_VEC(NrCondition) conditions; /* that hold, kept to be opened when later facts decide a part */
  int steps, searches, nesting;
  int attempts; /* to use a fact, in the outermost search */
  bool opening, fitting;
  size_t num_used; /* how many facts have to hold for the sum that is being built */
  bool used_facts,
      gave_up; /* while a sum is built: it needed facts to show that it does not wrap; they did not suffice */
};

/* Like nr_prover_fits, but also uses facts, in few steps. */
bool nr_prover_fits_by_facts(NrProver *p, const NrSum *x, int64_t min, int64_t max);
/* Whether the sum is proven to be in the range from min to max. */
bool nr_prover_fits(const NrProver *p, const NrSum *x, int64_t min, int64_t max);
/* Whether a condition that holds implies that this arith.mulsi_extended did not wrap. */
bool nr_prover_product_fits(const NrProver *p, const NrOp *mul);
bool nr_prover_constant_bool(const NrValue *value, bool *out);

/* ---- atoms (prover_values.c) ------------------------------------------------------------------------------------- */

enum { NR_MAX_ATOM_FACTS = 16, NR_PROVER_MAX_NESTING = 64 /* of nr_prover_value and nr_prover_dim in each other */ };
/* The number of the atom of value and dim, which is created when there is none (*out_new). */
uint32_t nr_prover_atom(NrProver *p, NrValue *value, int64_t dim, bool *out_new);
/* Adds a fact that holds wherever the atom exists; drops it when the atom has NR_MAX_ATOM_FACTS. */
void nr_prover_add_atom_fact(NrProver *p, uint32_t number, NrSum fact);
/* What is now found out about the atom of the value that is being built depends on the facts used so far. */
void nr_prover_depend(NrProver *p, uint32_t number);
/* The atom is plain again. */
void nr_prover_forget(NrProver *p, uint32_t number);
/* The value as an atom of its own, in the range that nr_range_of gives. */
NrSum nr_prover_plain_atom(NrProver *p, NrValue *value);
void nr_prover_type_range(NrType type, int64_t *min, int64_t *max);

/* ---- elements of tensors (prover_elements.c) --------------------------------------------------------------------- */

/* Adds to atom `number`, an element of tensor, the bounds that hold for all elements of the tensor. */
void nr_prover_take_content(NrProver *p, uint32_t number, NrValue *tensor);
/* The result `value` of a tensor.extract. */
NrSum nr_prover_extracted(NrProver *p, NrValue *value, NrOp *extract);
/* Whether x has an atom, other than `but`, of a value that is defined inside op. */
bool nr_prover_is_inside(const NrProver *p, const NrSum *x, uint32_t but, const NrOp *op);

#endif
