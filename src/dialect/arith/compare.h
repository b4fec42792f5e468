/* compare.h - the predicates of arith.cmpi and arith.cmpf. */
#ifndef NORIA_DIALECT_ARITH_COMPARE_H
#define NORIA_DIALECT_ARITH_COMPARE_H

#include "ir/ir.h"

/* The attribute `predicate`, numbered as in MLIR. */
typedef enum NrCmpI {
  NR_CMPI_EQ, NR_CMPI_NE, NR_CMPI_SLT, NR_CMPI_SLE, NR_CMPI_SGT, NR_CMPI_SGE,
  NR_CMPI_ULT, NR_CMPI_ULE, NR_CMPI_UGT, NR_CMPI_UGE, NR_NUM_CMPI,
} NrCmpI;
typedef enum NrCmpF {
  NR_CMPF_FALSE, NR_CMPF_OEQ, NR_CMPF_OGT, NR_CMPF_OGE, NR_CMPF_OLT, NR_CMPF_OLE, NR_CMPF_ONE, NR_CMPF_ORD,
  NR_CMPF_UEQ, NR_CMPF_UGT, NR_CMPF_UGE, NR_CMPF_ULT, NR_CMPF_ULE, NR_CMPF_UNE, NR_CMPF_UNO, NR_CMPF_TRUE, NR_NUM_CMPF,
} NrCmpF;

/* Exactly one relation holds between two values. A predicate is the set of relations for which it is true; LLVM numbers
 * its float predicates by these sets. */
enum { NR_EQUAL = 1, NR_GREATER = 2, NR_LESS = 4, NR_UNORDERED = 8 };

typedef struct NrPredicate {
  const char *name;
  unsigned relations;
} NrPredicate;
extern const NrPredicate nr_cmpi_predicates[NR_NUM_CMPI], nr_cmpf_predicates[NR_NUM_CMPF];

/* The predicate of a verified arith.cmpi or arith.cmpf. */
NrCmpI nr_cmpi_of(const NrOp *op);
NrCmpF nr_cmpf_of(const NrOp *op);

static inline bool nr_cmpi_is_unsigned(NrCmpI p) { return p >= NR_CMPI_ULT; }
NrCmpI nr_cmpi_unsigned(NrCmpI p); /* slt becomes ult, and so on; eq and ne stay */
NrCmpI nr_cmpi_negated(NrCmpI p);  /* true where p is false */
NrCmpI nr_cmpi_swapped(NrCmpI p);  /* p'(b, a) equals p(a, b) */
static inline bool nr_cmpi_allows(NrCmpI p, unsigned relation) {
  return (nr_cmpi_predicates[p].relations & relation) != 0;
}
static inline bool nr_cmpf_allows(NrCmpF p, unsigned relation) {
  return (nr_cmpf_predicates[p].relations & relation) != 0;
}

/* a and b hold integers of `width` bits, at most 64, zero-extended. */
bool nr_cmpi_holds(NrCmpI p, uint32_t width, uint64_t a, uint64_t b);
bool nr_cmpf_holds(NrCmpF p, double a, double b);

#endif
