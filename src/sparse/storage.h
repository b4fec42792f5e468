/* storage.h - sparse tensors as lists of entries, and as arrays of levels. */
#ifndef NORIA_SPARSE_STORAGE_H
#define NORIA_SPARSE_STORAGE_H

#include "sparse/sparse.h"

/* Entries in any order. Zero-initialise; nr_sparse_entries_deinit frees. */
typedef struct NrSparseEntries {
  size_t order;
  int64_t dims[NR_SPARSE_MAX_ORDER];
  NR_VEC(int64_t) coordinates; /* `order` of each entry, from 0 */
  NR_VEC(size_t) lines;        /* of each entry in its file, from 1; empty: it has no lines */
  bool is_int;
  NR_VEC(double) floats; /* !is_int */
  NR_VEC(int64_t) ints;  /* is_int */
} NrSparseEntries;
void nr_sparse_entries_deinit(NrSparseEntries *entries);
size_t nr_sparse_entries_count(const NrSparseEntries *entries);

/* Reads a matrix in the Matrix Market exchange format (Boisvert, Pozo, Remington: NISTIR 5935, 1996): coordinate; real,
 * integer or pattern (ones); general or symmetric. An error is of the line *out_line, from 1. */
NR_WARN_UNUSED NrStatus nr_sparse_read_matrix_market(NrArena *arena, NrStr text, NrSparseEntries *out,
                                                     size_t *out_line, NrSparseError *error);

/* The arrays of a tensor. */
typedef struct NrSparseStorage {
  NR_VEC(int64_t) positions[NR_SPARSE_MAX_ORDER], coordinates[NR_SPARSE_MAX_ORDER];
  NR_VEC(int64_t) values; /* at each position of the last level, the number of its entry; -1: zero */
} NrSparseStorage;
void nr_sparse_storage_deinit(NrSparseStorage *storage);

/* Stores entries in a format. Two entries at one place are an error, of the line *out_line where they have lines, as is
 * a tensor that does not fit in memory. */
NR_WARN_UNUSED NrStatus nr_sparse_store(NrArena *arena, const NrSparseEntries *entries, const NrSparseFormat *format,
                                        NrSparseStorage *out, size_t *out_line, NrSparseError *error);

#endif
