/* dispatch_graph.h - see dispatch_graph.c. */
#ifndef NORIA_PASS_DISPATCH_DISPATCH_GRAPH_H
#define NORIA_PASS_DISPATCH_DISPATCH_GRAPH_H

#include "ir/op_info.h"

/* Appends a graph of Graphviz for each function in root that has dispatches of executables. */
void nr_dispatch_graph(NrOp *root, NrBuf *out);

#endif
