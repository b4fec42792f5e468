/* context.h - the inside of NrContext, for src/ir only. */
#ifndef NORIA_IR_CONTEXT_H
#define NORIA_IR_CONTEXT_H

#include "ir/op_info.h"

/* A location in a file; a member of its line's list. */
typedef struct NrFileLoc {
  struct NrLocData loc;
  struct NrFileLoc *next;
} NrFileLoc;

/* A file that was parsed. Locations are looked up by line: those of neighbouring lines are close in memory, while a
 * hash table would miss the cache for each. */
typedef struct NrSource {
  NrStr text;
  const size_t *lines; /* offset of each line */
  size_t num_lines;
  size_t lines_before; /* lines of the file before this text; locations count them */
  NrFileLoc **locs;    /* of each line; there may be more than lines */
  size_t num_locs;
} NrSource;

/* Hash set of immutable nodes: open addressing, equality by the caller. */
typedef struct NrUniqueSet {
  struct {
    uint64_t hash;
    const void *node;
  } *slots;
  size_t size, capacity;
} NrUniqueSet;

struct NrContext {
  NrArena arena;
  NrUniqueSet strings, types, attrs, affine, locs;
  NrStrMap sources; /* file name -> NrSource* */
  const struct NrOpSpec *specs[NR_OP_COUNT]; /* by op id; these and the next four are made at first use */
  const struct NrFormat *formats[NR_OP_COUNT][2]; /* current syntax, 2020 syntax */
  NrType index_type, int_types[65], float_types[NR_F6E3M2FN + 1];
  NrAttr empty_dict, bools[2];
  NrLoc unknown;
  NrStr last_file;  /* interned name of the file that the last location is in */
  NrSource *last_source; /* its text, when it was parsed */
  NrDiagHandler handler;
  void *handler_user;
  NrDiag pending;   /* the diagnostic that may still get notes */
  bool has_pending;
  NR_VEC(NrDiag) notes;
  NrArena diag_arena;
  size_t num_errors;
  uint64_t next_distinct;
  NrType oversized; /* nr_context_take_oversized */
  bool folded; /* set by nr_verify_folded: ops with invalid constant operands are marked, not reported */
  bool legacy_names; /* the program parsed last uses the 2020 syntax: messages use the 2020 names of ops */
  bool renamed; /* the program parsed last has names of ops or types that are .renamed: it is printed with them */
};

/* Finds a node with this hash for which equal(node, key) holds, or NULL. */
const void *nr_unique_find(const NrUniqueSet *set, uint64_t hash, bool (*equal)(const void *node, const void *key),
                           const void *key);
void nr_unique_add(NrUniqueSet *set, uint64_t hash, const void *node);

/* The text of file, or NULL. */
NrSource *nr_context_find_source(const NrContext *ctx, NrStr file);
/* The line of an offset, from 0. hint: the result of an earlier call. */
size_t nr_source_line(const NrSource *source, size_t offset, size_t hint);
/* Fills lines and num_lines. */
void nr_source_index(NrSource *source, NrArena *arena);

#endif
