/* contents.h - what is in a program, for `noria show` and `noria check`: names with how often they occur, and the
 * operators and weights of a model. */
#ifndef NORIA_TOOLS_CONTENTS_H
#define NORIA_TOOLS_CONTENTS_H

#include "onnx/read/model.h"

typedef struct Count {
  NrStr name;
  const char *remark; /* or NULL */
  int64_t times;
} Count;

/* Zero-initialise. Names are views: they must outlive it. */
typedef struct Counts {
  NrStrMap index; /* name -> position + 1 */
  NR_VEC(Count) all;
} Counts;
void counts_add(Counts *c, NrStr name, const char *remark);
/* Lists the names under a heading, the most frequent first. */
void counts_put(NrBuf *out, const char *heading, Counts *c);
void counts_deinit(Counts *c);

typedef struct Contents {
  const NrOnnxModel *model;
  NrArena arena; /* of names of ops */
  bool versions; /* names of ops are followed by the version of their operator set */
  Counts ops;    /* of all graphs and functions */
  const NrOnnxTensor *largest; /* of the weights, which are initializers and constants; NULL: there are none */
  int64_t nodes, weights, weight_bytes, unknown; /* unknown: nodes whose op has no lowering */
  size_t depth; /* of subgraphs */
} Contents;
void contents_of_model(const NrOnnxModel *m, bool versions, Contents *out);
void contents_deinit(Contents *c);

#endif
