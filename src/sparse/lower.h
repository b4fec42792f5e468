/* lower.h - the parts of the generator; see sparse.h for what it makes. Inside src/sparse only. */
#ifndef NORIA_SPARSE_LOWER_H
#define NORIA_SPARSE_LOWER_H

#include "sparse/loops.h"
#include "sparse/sparse.h"

/* ---- terms and lattices (lattice.c) ------------------------------------------------------------------------------ */

/* The right side is a sum of terms; each is summed over the indices that it has and the left side has not. indices are
 * those that it has in the assignment, also where operands without an entry were taken out: of b(i) * (C(i,k) + d(i)),
 * which adds b(i) * d(i) for each k, that product is left where C has no row i. */
typedef struct NrTerm {
  const NrSparseExpr *expr;
  bool negative;
  uint32_t indices; /* a set, by number */
} NrTerm;

typedef struct NrTerms {
  const NrTerm *data;
  size_t size;
} NrTerms;

/* A set of accesses, by their numbers. */
typedef uint32_t NrAccessSet;

NrTerms nr_terms_of(NrArena *arena, const NrSparseAssignment *a);
/* The terms without those that are zero when the accesses of `zero` are, and without these accesses in the others. */
NrTerms nr_terms_without(NrArena *arena, NrTerms terms, NrAccessSet zero);
NrTerms nr_terms_with_index(NrArena *arena, NrTerms terms, size_t index, bool with);
NrAccessSet nr_term_accesses(const NrSparseExpr *expr);
NrAccessSet nr_terms_accesses(NrTerms terms);

/* The points of a merge lattice: sets of iterators that, where all of them have an entry and the others have none, make
 * the expression other than zero. Largest sets first. The empty set, if it is one, is last: then every coordinate
 * counts. Closed under union, so where some iterators have an entry, one point is the largest that they cover. */
typedef struct NrLattice {
  NrAccessSet points[1 << NR_SPARSE_MAX_MERGED];
  size_t size;
} NrLattice;
/* iterators: those of the merged index; at most NR_SPARSE_MAX_MERGED. */
void nr_lattice_of(NrTerms terms, NrAccessSet iterators, NrLattice *out);

/* ---- the order of the loops (order.c) ---------------------------------------------------------------------------- */

NR_WARN_UNUSED NrStatus nr_sparse_order(NrArena *arena, const NrSparseAssignment *a, size_t *out, NrSparseError *error);

/* ---- the function ------------------------------------------------------------------------------------------------ */

/* The arrays of a tensor, as arguments and their sizes. */
typedef struct NrArrays {
  bool is_dense;
  NrLoopValue values; /* also a dense tensor, and a scalar */
  NrLoopValue positions[NR_SPARSE_MAX_ORDER], coordinates[NR_SPARSE_MAX_ORDER];
  NrLoopValue count[NR_SPARSE_MAX_ORDER]; /* of coordinates */
} NrArrays;

/* Where an access is, from the outermost level on. */
typedef struct NrCursor {
  size_t level;         /* the next level */
  NrLoopValue at;       /* the position on the level before; 0 at first */
  NrLoopValue end;      /* behind its last repetition, where the level before repeats */
  NrLoopValue value;    /* the element, once all levels are known */
} NrCursor;

/* The result while it is made. at, positions, coordinates, values: variables; by_rows, those of the last level are
 * memrefs, and at[last] is one of each block. */
typedef struct NrOutput {
  bool is_dense, in_workspace;
  bool is_bounding; /* only how many entries there are is computed, without loops over the last level */
  bool is_marking;  /* in a workspace: only which entries there are */
  bool by_rows;     /* made by rows.c */
  bool by_blocks;   /* made by rows.c, in the order of its entries; then is_bounded */
  bool is_unordered; /* by_rows: entries stay in the order in which they come */
  bool is_counting; /* by_rows: the loops that count entries */
  bool is_checked;  /* by_rows: the loops that count entries have read and checked all of the operands */
  bool in_memory; /* values is a memref */
  bool is_bounded; /* the arrays of the last level are memrefs with room for all entries; the others grow */
  NrLoopValue values;
  NrLoopValue positions[NR_SPARSE_MAX_ORDER], coordinates[NR_SPARSE_MAX_ORDER], at[NR_SPARSE_MAX_ORDER];
  NrLoopValue parent[NR_SPARSE_MAX_ORDER]; /* of a dense level: the position on it */
  NrLoopValue begin[NR_SPARSE_MAX_ORDER];  /* of a compressed level: its first position below the coordinate above */
  NrLoopValue row, words, groups; /* workspace: elements, a bit for each that is set, a bit for each word of bits */
  NrLoopValue num_groups;
  NrLoopValue added; /* a variable: how often a row is added to */
  /* Variables. total: the entries of all rows, at most or, by_rows, exactly; rows: how many; counted: the entries of
   * the row or, in a workspace, of one of 16 rows; sampled: how many these have at most. */
  NrLoopValue total, rows, counted, sampled;
  NrLoopValue expected; /* entries of the result */
  /* by_rows, by_blocks: rows of a block, blocks, the rows of this one; or none */
  NrLoopValue step, blocks, first_row, end_row;
  /* by_rows: which row had a coordinate last, and the number of this one; is_unordered: where the entry of a coordinate
   * is that a row had last, and where this one begins. */
  NrLoopValue noted, note;
} NrOutput;

typedef struct NrGenerator {
  NrArena *arena;
  const NrSparseAssignment *a;
  NrSparseKernel *kernel;
  NrSparseError *error;
  NrLoops l;
  const char *type, *index; /* of elements; of positions and coordinates */
  bool is_int, is_complex;  /* the elements; else they are floats */
  bool is_scalar;           /* no vectors of coordinates */
  bool is_bool;             /* i1, an integer: its sum is or, its product and */
  size_t order[NR_SPARSE_MAX_INDICES]; /* of the loops */
  NrLoopValue extent[NR_SPARSE_MAX_INDICES], coordinate[NR_SPARSE_MAX_INDICES];
  NrArrays arrays[NR_SPARSE_MAX_TENSORS]; /* of operands; memrefs but for scalars */
  NrCursor cursors[NR_SPARSE_MAX_ACCESSES];
  NrOutput out;
  NrLoopValue sum, found; /* variables of a reduction; found: whether it had an entry. Or none */
  NrLoopValue c0, c1, zero, no;
  NR_VEC(const char *) returned; /* the names of the results, once all is printed */
} NrGenerator;

static inline const NrSparseTensor *nr_access_tensor(const NrGenerator *s, size_t access) {
  return &s->a->tensors[s->a->accesses[access].tensor];
}
/* The index variable that level l of an access stores. */
static inline size_t nr_level_index(const NrSparseAssignment *a, size_t access, size_t l) {
  return a->accesses[access].indices[a->tensors[a->accesses[access].tensor].format.dims[l]];
}

/* Whether a level above stores the same index, as in B(i,i): the coordinate is known before the level is reached. */
bool nr_level_is_known(const NrSparseAssignment *a, size_t access, size_t l);

const char *nr_gen_text(NrGenerator *s, const char *format, ...) NR_PRINTF(2, 3); /* in the arena */
/* "$0" and "$1" of the text are a and b. */
NrLoopValue nr_gen_op1(NrGenerator *s, const char *hint, const char *text, NrLoopValue a);
NrLoopValue nr_gen_op2(NrGenerator *s, const char *hint, const char *text, NrLoopValue a, NrLoopValue b);
NrLoopValue nr_gen_constant(NrGenerator *s, int64_t value);
NrLoopValue nr_gen_load(NrGenerator *s, const char *hint, const char *type, NrLoopValue tensor, NrLoopValue at);
void nr_gen_store(NrGenerator *s, const char *type, NrLoopValue variable, NrLoopValue at, NrLoopValue value);
NrLoopValue nr_gen_size(NrGenerator *s, const char *hint, const char *type, NrLoopValue tensor);

/* elements.c */
/* The text of an element, of "0" for integers and "0.0" for others. */
const char *nr_gen_number(NrGenerator *s, const char *number);
/* Of elements; name: "add", "sub" or "mul". */
NrLoopValue nr_gen_arith(NrGenerator *s, const char *hint, const char *name, NrLoopValue a, NrLoopValue b);
NrLoopValue nr_gen_add(NrGenerator *s, NrLoopValue a, NrLoopValue b);
/* Of the element at the cursors of the accesses. */
NrLoopValue nr_terms_element(NrGenerator *s, NrTerms terms);

/* arrays.c: the arguments, with checks of their sizes, and access to them. */
NrLoopValue nr_arrays_name(NrGenerator *s, const char *hint);
void nr_arrays_declare(NrGenerator *s);
/* A product of sizes that are not negative, as which a tensor could exist; the run ends with an error of `tensor` where
 * it is larger. */
NrLoopValue nr_arrays_product(NrGenerator *s, NrLoopValue a, NrLoopValue b, const char *tensor);
/* The positions of an access's next level that are below its cursor; checked. */
void nr_arrays_segment(NrGenerator *s, size_t access, NrLoopValue *out_begin, NrLoopValue *out_end);
/* How many positions compressed level l has below `above` positions, whose segments were checked. */
NrLoopValue nr_arrays_used(NrGenerator *s, size_t access, size_t l, NrLoopValue above);
/* The coordinate at a position of an access's next level; checked. */
NrLoopValue nr_arrays_coordinate(NrGenerator *s, size_t access, NrLoopValue at);
/* What stands in the arrays: where the segment of level l below position `at` begins; the coordinate at a position. */
NrLoopValue nr_arrays_position(NrGenerator *s, size_t access, size_t l, NrLoopValue at);
NrLoopValue nr_arrays_unchecked(NrGenerator *s, size_t access, NrLoopValue at);
/* The coordinate that stands at a position of an access's next level is one of its index. */
void nr_arrays_check_coordinate(NrGenerator *s, size_t access, NrLoopValue crd, NrLoopValue at);
/* Follows the dense levels of a sparse access whose coordinates are known. */
void nr_arrays_follow_dense(NrGenerator *s, size_t access);
/* Follows the dense levels of an access whose coordinates are known, and loads the element behind the last level. */
void nr_arrays_follow(NrGenerator *s, size_t access);

/* search.c: moves the cursor behind all levels whose coordinates are known, of which sparse ones are searched, where
 * `when` holds. Returns whether there is an entry, a variable. Where there is none, the cursor is at no position. */
NrLoopValue nr_search(NrGenerator *s, size_t access, NrLoopValue when);

/* check.c: the arrays of all sparse operands have their coordinates in order, each once; a loop over them. */
void nr_check_order(NrGenerator *s);

/* That the coordinate at position `at` of level l is above the one before it. */
void nr_check_above(NrGenerator *s, size_t access, size_t l, NrLoopValue above, NrLoopValue crd, NrLoopValue at,
                    NrLoopValue before);

/* output.c: the result. */
NR_WARN_UNUSED NrStatus nr_output_check(NrGenerator *s);
void nr_output_begin(NrGenerator *s);
/* As many entries as the operands of an index have, and one more. */
NrLoopValue nr_output_room(NrGenerator *s, size_t index);
/* Before the loop over an index of the result, which has at most `bound` trips. */
void nr_output_open_loop(NrGenerator *s, size_t index, NrLoopValue bound);
/* Around the body of that loop. */
void nr_output_open(NrGenerator *s, size_t index);
void nr_output_close(NrGenerator *s, size_t index);
/* The number of levels that the loop over an index adds to: its own, and those below whose coordinates are known. */
size_t nr_output_levels(const NrGenerator *s, size_t index);
void nr_output_put(NrGenerator *s, NrLoopValue value);
/* nr_output_put into a result that is appended to, in two parts. */
void nr_output_write(NrGenerator *s, NrLoopValue condition, NrLoopValue value);
void nr_output_count(NrGenerator *s, NrLoopValue condition);
/* Room for `bound` more entries of level l, with the values if it is the last, and one that is written and not counted.
 * At least doubles what there is. */
void nr_output_make_room(NrGenerator *s, size_t l, NrLoopValue bound);
/* The variable that counts the elements of a result that is appended to; one at a position behind them. */
NrLoopValue nr_output_size(NrGenerator *s);
void nr_output_write_at(NrGenerator *s, NrLoopValue at, NrLoopValue coordinate, NrLoopValue value);
void nr_output_append(NrGenerator *s, NrLoopValue coordinate, NrLoopValue value);
/* That level l may have so many entries. */
void nr_output_check_size(NrGenerator *s, size_t l, NrLoopValue size);
void nr_output_end(NrGenerator *s);
void nr_output_results(NrGenerator *s); /* notes them in the kernel, once all is printed */
const char *nr_output_type(NrGenerator *s, const NrSparseValue *value);
bool nr_output_scatters(const NrGenerator *s); /* an element is written several times */
/* Whether coordinates of the index have to come in order, because they are appended to a level that has them in order,
 * or decide where the rows of one begin. */
bool nr_output_needs_order(const NrGenerator *s, size_t index);

/* dense.c: the same for dense results; the end of one that is in memory. */
void nr_dense_begin(NrGenerator *s);
void nr_dense_put(NrGenerator *s, NrLoopValue value);
void nr_dense_end(NrGenerator *s);
const char *nr_dense_type(NrGenerator *s);

/* prefetch.c: asks for what some positions ahead of `at` lies below the coordinates of the next level of `access`, in
 * the operands of the terms that have its index as a dense level above a compressed one. `at` was read and checked. */
void nr_prefetch(NrGenerator *s, NrTerms terms, size_t access, NrLoopValue at);

/* workspace.c: rows of the result's last level whose entries come in any order. */
void nr_workspace_allocate(NrGenerator *s);
/* The same before all other loops, and those that estimate how many entries the result has, out.expected. */
void nr_workspace_begin(NrGenerator *s);
/* The loops of order[depth] and those inside of it, which are over a row. */
void nr_workspace_row(NrGenerator *s, size_t depth, NrTerms terms);
/* Before the loop over an index. Whether the loop is left out, since only its trips are counted. */
bool nr_workspace_bounds(NrGenerator *s, size_t index, NrLoopValue trips);
void nr_workspace_put(NrGenerator *s, NrLoopValue value);
void nr_workspace_end(NrGenerator *s);

/* rows.c: such results by threads. */
bool nr_rows_apply(const NrGenerator *s);
void nr_rows_make(NrGenerator *s, NrTerms terms);
/* The same of a bounded result whose entries come in order. */
bool nr_blocks_apply(const NrGenerator *s);
void nr_blocks_make(NrGenerator *s, NrTerms terms);
/* The end of the row at a position of the level above the last one. */
void nr_blocks_close_row(NrGenerator *s, NrLoopValue row);
/* Around the loops over a row that count its entries, and in them. */
void nr_rows_open_count(NrGenerator *s);
void nr_rows_mark(NrGenerator *s, NrLoopValue c);
void nr_rows_close_count(NrGenerator *s);
/* Before the loops over a row whose entries stay in the order in which they come, and in them. */
void nr_rows_open_unordered(NrGenerator *s);
void nr_rows_put(NrGenerator *s, NrLoopValue c, NrLoopValue value);

/* lower.c: the loops of order[depth] and those inside of it. */
void nr_gen_loops(NrGenerator *s, size_t depth, NrTerms terms);
/* Whether the loops over the result's indices go over all coordinates, so that a dense result is written everywhere. */
bool nr_gen_visits_all(const NrGenerator *s);

#endif
