/* nodes.h - reading and building ONNX nodes, for the passes that rewrite them before they are lowered. */
#ifndef NORIA_ONNX_LOWER_CORE_NODES_H
#define NORIA_ONNX_LOWER_CORE_NODES_H

#include "ir/ir.h"

/* The op that makes the value, where it is of this id, else NULL. */
NrOp *nr_node_made_by(const NrValue *value, unsigned id);
/* Input i, or NULL where it is left out. */
NrValue *nr_node_input(const NrOp *op, size_t i);
/* The elements of an onnx.Constant; NULL for another value, and for NULL. */
NrAttr nr_node_constant(const NrValue *value);
int64_t nr_node_attr_int(const NrOp *op, const char *name, int64_t absent);

/* A node whose result takes the type and name of another one's; attributes come from `attrs`, which may be NULL. */
NrValue *nr_node_new(NrBuilder *b, unsigned id, NrValue *const *inputs, size_t count, const NrOp *attrs, int64_t opset,
                     const NrValue *as);
/* data: as nr_attr_dense takes it; either all elements or one for all. */
NrValue *nr_node_new_constant(NrBuilder *b, NrType type, const void *data, size_t size);
NrValue *nr_node_new_none(NrBuilder *b); /* an input that is left out */

#endif
