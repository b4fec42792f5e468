/* merge.h - the loop over an index variable in which sparse operands meet; see lower.c. Inside src/sparse only. */
#ifndef NORIA_SPARSE_MERGE_H
#define NORIA_SPARSE_MERGE_H

#include "sparse/lower.h"

typedef struct NrMerge {
  size_t depth, index;
  NrTerms terms;
  NrLattice lattice;
  NrAccessSet iterators;
  bool is_full; /* every coordinate counts */
  NrLoopValue at;                           /* is_full: the variable that counts the coordinates */
  NrLoopValue p[NR_SPARSE_MAX_ACCESSES];    /* of an iterator: its position, a variable where several are merged */
  NrLoopValue end[NR_SPARSE_MAX_ACCESSES], crd[NR_SPARSE_MAX_ACCESSES];
  NrLoopValue held[NR_SPARSE_MAX_ACCESSES]; /* a variable, its coordinate at p, where it is read ahead; or none */
  NrLoopValue ahead[NR_SPARSE_MAX_ACCESSES]; /* the coordinate behind p then */
  NrLoopValue next[NR_SPARSE_MAX_ACCESSES]; /* behind the repetitions of a coordinate, where the level repeats */
  NrLoopValue here[NR_SPARSE_MAX_ACCESSES]; /* whether its coordinate is the loop's */
  NrAccessSet searched;                     /* iterators with levels below whose coordinates are known */
  NrLoopValue found[NR_SPARSE_MAX_ACCESSES]; /* whether there is an entry; without a search, that is here */
  NrCursor behind[NR_SPARSE_MAX_ACCESSES];  /* of a searched iterator: behind the levels that are known */
} NrMerge;

#define FOR_EACH(k, set) \
  for (size_t k = 0; k < NR_SPARSE_MAX_ACCESSES; k++) \
    if ((set) >> k & 1)

/* lower.c: the element where the iterators of a point are at their positions p and have coordinate c, and the others
 * have no entry. */
NrLoopValue nr_merge_element(NrGenerator *s, NrMerge *loop, NrAccessSet point, NrLoopValue c);

/* vectors.c: merges that compare vectors of coordinates. */
/* Whether there are such loops for a merge of which each case appends one element. */
bool nr_merge_has_vectors(const NrGenerator *s, const NrMerge *loop);
void nr_merge_vectors(NrGenerator *s, NrMerge *loop);

#endif
