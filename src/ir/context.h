/* context.h - the inside of NrContext, for src/ir only. */
#ifndef NORIA_IR_CONTEXT_H
#define NORIA_IR_CONTEXT_H

#include "ir/ir.h"

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
  NrStrMap sources; /* file name -> its text and lines, of diag_render.c */
  NrMap specs;      /* NrOpInfo* -> NrOpSpec* */
  NrMap formats;    /* format text -> parsed format */
  NrLoc unknown;
  NrStr last_file; /* interned name of the file that the last location is in */
  NrDiagHandler handler;
  void *handler_user;
  NrDiag pending;   /* the diagnostic that may still get notes */
  bool has_pending;
  NR_VEC(NrDiag) notes;
  NrArena diag_arena;
  size_t num_errors;
  uint64_t next_distinct;
};

/* Finds a node with this hash for which equal(node, key) holds, or NULL. */
const void *nr_unique_find(const NrUniqueSet *set, uint64_t hash, bool (*equal)(const void *node, const void *key),
                           const void *key);
void nr_unique_add(NrUniqueSet *set, uint64_t hash, const void *node);

#endif
