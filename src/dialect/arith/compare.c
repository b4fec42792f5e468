/* compare.c - the predicates of comparisons as sets of relations. */
#include "dialect/arith/compare.h"

#include <math.h>

enum { NOT_EQUAL = NR_GREATER | NR_LESS, AT_LEAST = NR_GREATER | NR_EQUAL, AT_MOST = NR_LESS | NR_EQUAL };

const NrPredicate nr_cmpi_predicates[NR_NUM_CMPI] = {
    {"eq", NR_EQUAL},  {"ne", NOT_EQUAL}, {"slt", NR_LESS}, {"sle", AT_MOST},    {"sgt", NR_GREATER},
    {"sge", AT_LEAST}, {"ult", NR_LESS},  {"ule", AT_MOST},  {"ugt", NR_GREATER}, {"uge", AT_LEAST},
};

const NrPredicate nr_cmpf_predicates[NR_NUM_CMPF] = {
    {"false", 0},
    {"oeq", NR_EQUAL},
    {"ogt", NR_GREATER},
    {"oge", AT_LEAST},
    {"olt", NR_LESS},
    {"ole", AT_MOST},
    {"one", NOT_EQUAL},
    {"ord", NR_EQUAL | NOT_EQUAL},
    {"ueq", NR_UNORDERED | NR_EQUAL},
    {"ugt", NR_UNORDERED | NR_GREATER},
    {"uge", NR_UNORDERED | AT_LEAST},
    {"ult", NR_UNORDERED | NR_LESS},
    {"ule", NR_UNORDERED | AT_MOST},
    {"une", NR_UNORDERED | NOT_EQUAL},
    {"uno", NR_UNORDERED},
    {"true", NR_UNORDERED | NR_EQUAL | NOT_EQUAL},
};

NrCmpI nr_cmpi_of(const NrOp *op) { return (NrCmpI)nr_op_attr_int(op, NR_A_predicate, 0); }
NrCmpF nr_cmpf_of(const NrOp *op) { return (NrCmpF)nr_op_attr_int(op, NR_A_predicate, 0); }

/* The predicate with this set of relations and the signedness of `like`. */
static NrCmpI cmpi_with(NrCmpI like, unsigned relations) {
  for (int p = 0; p < NR_NUM_CMPI; p++)
    if (nr_cmpi_predicates[p].relations == relations &&
        (p <= NR_CMPI_NE || nr_cmpi_is_unsigned((NrCmpI)p) == nr_cmpi_is_unsigned(like)))
      return (NrCmpI)p;
  assert(!"integer predicates are closed under negation and swapping");
  return like;
}

NrCmpI nr_cmpi_unsigned(NrCmpI p) { return cmpi_with(NR_CMPI_ULT, nr_cmpi_predicates[p].relations); }

NrCmpI nr_cmpi_negated(NrCmpI p) {
  return cmpi_with(p, nr_cmpi_predicates[p].relations ^ (NR_EQUAL | NR_GREATER | NR_LESS));
}

NrCmpI nr_cmpi_swapped(NrCmpI p) {
  unsigned r = nr_cmpi_predicates[p].relations;
  return cmpi_with(p, (r & NR_EQUAL) | (r & NR_GREATER ? NR_LESS : 0) | (r & NR_LESS ? NR_GREATER : 0));
}

bool nr_cmpi_holds(NrCmpI p, uint32_t width, uint64_t a, uint64_t b) {
  if (!nr_cmpi_is_unsigned(p)) { /* flipping the sign bits maps signed order to unsigned order */
    uint64_t sign = UINT64_C(1) << (width - 1);
    a ^= sign;
    b ^= sign;
  }
  return nr_cmpi_allows(p, a == b ? NR_EQUAL : a < b ? NR_LESS : NR_GREATER);
}

bool nr_cmpf_holds(NrCmpF p, double a, double b) {
  return nr_cmpf_allows(p, isnan(a) || isnan(b) ? NR_UNORDERED : a == b ? NR_EQUAL : a < b ? NR_LESS : NR_GREATER);
}
