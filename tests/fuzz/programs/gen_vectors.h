/* gen_vectors.h - what the files that generate ops on vectors share. */
#ifndef NORIA_TESTS_FUZZ_PROGRAMS_GEN_VECTORS_H
#define NORIA_TESTS_FUZZ_PROGRAMS_GEN_VECTORS_H

#include "gen.h"

enum { GEN_MAX_VECTORS = 40 };

typedef struct GenVector {
  uint32_t id;
  GenTypeId elem;
  int rank;
  int dims[2];
} GenVector;

typedef struct GenVectors {
  int count;
  GenVector items[GEN_MAX_VECTORS];
  GenTypeId elem;
} GenVectors;

static inline bool gen_vector_is_float(const GenVector *v) { return gen_types[v->elem].is_float; }
static inline int gen_vector_length(const GenVector *v) { return v->rank == 2 ? v->dims[0] * v->dims[1] : v->dims[0]; }

void gen_put_vector_type(Gen *g, const GenVector *v);
/* " : FROM word TO" and a newline. */
void gen_put_vector_change(Gen *g, const GenVector *from, const char *word, const GenVector *to);
/* "%vN = ", for what the caller goes on with: one of this type. */
GenVector gen_vector_begin(Gen *g, GenVector type);
void gen_vector_publish(GenVectors *s, GenVector v);
/* " : vector<..>", or " : FROM word TO", ends the line and publishes. */
void gen_vector_end(Gen *g, GenVectors *s, GenVector v);
void gen_vector_end_change(Gen *g, GenVectors *s, const GenVector *from, const char *word, GenVector to);
GenVector gen_vector_splat(Gen *g, GenVectors *s, GenVector type, int number);
GenVector gen_vector_any(Gen *g, GenVectors *s);
GenVector gen_vector_like(Gen *g, GenVectors *s, GenVector type); /* of this shape and element type */
GenVector gen_vector_mask(Gen *g, GenVectors *s, GenVector type); /* of this shape */

void gen_vector_part(Gen *g, GenVectors *s);   /* gen_vector_parts.c: elements, other shapes, reductions */
void gen_vector_memory(Gen *g, GenVectors *s); /* gen_vector_memory.c: a read or a write */

#endif
