/* graph.h - what the parts of the generator share. Everything lives in one arena. */
#ifndef NORIA_TESTS_FUZZ_GRAPH_GRAPH_H
#define NORIA_TESTS_FUZZ_GRAPH_GRAPH_H

#include "ir/ir.h"
#include "noria/exec_abi.h"
#include "onnx.pb-c.h"
#include "onnx/lower/core/inputs.h"

enum { GRAPH_MAX_RANK = 4, GRAPH_DOMAINS = 5 };

/* A value that nodes may use. */
typedef struct GraphValue {
  char *name;
  Onnx__TypeProto *type;       /* as that of a model's input */
  Onnx__TensorProto *constant; /* NULL: not known */
  NoriaKind kind;
  NoriaDType dtype;            /* of elements */
  size_t rank;                 /* of a tensor; GRAPH_ANY_RANK */
  int64_t dims[NORIA_MAX_RANK]; /* -1: open */
} GraphValue;
#define GRAPH_ANY_RANK SIZE_MAX

typedef NR_VEC(Onnx__NodeProto *) GraphNodes;

typedef struct GraphGen {
  NrArena *arena;
  const uint8_t *data;
  size_t size, at;
  uint64_t random; /* behind the last byte */
  int64_t opsets[GRAPH_DOMAINS];
  int64_t usual_size;
  GraphNodes *nodes; /* of the graph or body that is being made */
  NR_VEC(GraphValue) values; /* of the graph and the bodies around */
  NR_VEC(GraphValue) inputs; /* of the whole graph, constants too */
  size_t num_names;
} GraphGen;

/* 0 .. n - 1, by the next byte or two. */
uint64_t graph_choose(GraphGen *g, uint64_t n);
static inline bool graph_one_in(GraphGen *g, uint64_t n) { return graph_choose(g, n) == 0; }

/* ---- values.c --------------------------------------------------------------------------------------------------- */

void *graph_message(GraphGen *g, const ProtobufCMessageDescriptor *descriptor); /* with all fields absent */
char *graph_name(GraphGen *g);                                                  /* of a new value */
/* A value of the type that the lowering gives it; false when it gives none. */
bool graph_value_of_type(GraphGen *g, char *name, NrType type, GraphValue *out);
/* A tensor's value, with a type for it; for a dim that is -1 the type has a symbol or nothing. */
GraphValue graph_tensor(GraphGen *g, NoriaDType dtype, size_t rank, const int64_t *dims);
/* The same with other dims than it had. */
void graph_set_shape(GraphGen *g, GraphValue *value, size_t rank, const int64_t *dims);
Onnx__TensorProto *graph_constant(GraphGen *g, const GraphValue *value);
/* A new input or constant of the graph for this part of a row. dtype: UNDEFINED where the part alone says. like: a
 * tensor that it may have the shape of, or NULL. */
bool graph_new_input(GraphGen *g, const NrLowerInput *part, NoriaDType dtype, const GraphValue *like, bool constant,
                     GraphValue *out);
Onnx__ValueInfoProto *graph_value_info(GraphGen *g, const GraphValue *value, bool typed);

/* ---- nodes.c ---------------------------------------------------------------------------------------------------- */

Onnx__NodeProto *graph_node(GraphGen *g, const char *domain, const char *op);
void graph_node_input(GraphGen *g, Onnx__NodeProto *node, char *name);
char *graph_node_output(GraphGen *g, Onnx__NodeProto *node);
Onnx__AttributeProto *graph_node_attr(GraphGen *g, Onnx__NodeProto *node, const char *name,
                                      Onnx__AttributeProto__AttributeType type);
void graph_node_int(GraphGen *g, Onnx__NodeProto *node, const char *name, int64_t value);
/* Adds a node, with bodies where bodies may still be inside. False: none of those that were drawn is taken. */
bool graph_add_node(GraphGen *g, int depth);

/* ---- bodies.c --------------------------------------------------------------------------------------------------- */

/* Adds an If, Loop, Scan or SequenceMap. */
bool graph_add_control(GraphGen *g, int depth);

/* ---- trial.c ---------------------------------------------------------------------------------------------------- */

/* The model of a graph, packed, in the arena. */
ProtobufCBinaryData graph_pack(GraphGen *g, Onnx__GraphProto *graph);
/* Whether the lowering takes the node; it is added then, and its results are values. */
bool graph_take(GraphGen *g, Onnx__NodeProto *node);

#endif
