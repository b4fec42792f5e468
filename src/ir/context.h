/* context.h - the inside of NrContext, for src/ir only. */
#ifndef NORIA_IR_CONTEXT_H
#define NORIA_IR_CONTEXT_H

#include "ir/op_info.h"

/* A location in a file, in the list of its line. */
typedef struct NrFileLoc {
  struct NrLocData loc;
  struct NrFileLoc *next;
} NrFileLoc;

/* A file that was parsed. Its locations are found by their line: those of neighbouring lines lie side by side, where a
 * hash table would have a cache miss for each. */
typedef struct NrSource {
  NrStr text;
  const size_t *lines; /* offset of each line */
  size_t num_lines;
  size_t lines_before; /* in the file, of which the text is a part; locations count them */
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
  const struct NrOpSpec *specs[NR_OP_COUNT]; /* by the row's id, once they were asked for */
  const struct NrFormat *formats[NR_OP_COUNT][2]; /* of today, of 2020; likewise */
  NrType index_type, int_types[65], float_types[NR_F6E3M2FN + 1]; /* the usual ones, once they were asked for */
  NrAttr empty_dict, bools[2]; /* likewise */
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
  bool folded; /* constants are such as passes make, also where nothing runs: ops that they break are marked */
  bool legacy_names; /* the program read last is spelled as in 2020, and so are ops in messages */
};

/* Finds a node with this hash for which equal(node, key) holds, or NULL. */
const void *nr_unique_find(const NrUniqueSet *set, uint64_t hash, bool (*equal)(const void *node, const void *key),
                           const void *key);
void nr_unique_add(NrUniqueSet *set, uint64_t hash, const void *node);

/* The text of file, or NULL. */
NrSource *nr_context_find_source(const NrContext *ctx, NrStr file);
/* The line that holds an offset, from 0. hint: the answer of a question before. */
size_t nr_source_line(const NrSource *source, size_t offset, size_t hint);
/* Fills lines and num_lines. */
void nr_source_index(NrSource *source, NrArena *arena);

#endif
