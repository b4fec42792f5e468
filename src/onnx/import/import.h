/* import.h - converts a model that was read and checked to a module in dialect onnx, op for op. */
#ifndef NORIA_ONNX_IMPORT_IMPORT_H
#define NORIA_ONNX_IMPORT_IMPORT_H

#include "ir/ir.h"
#include "onnx/read/model.h"

/* Fixes sizes before the run: `N=16` gives the symbol N (rank 0, dims[0]); `x=1x3` gives the input x all of its dims.
 * `w=input` makes w, an initializer that is also an input of the graph, an input that must be fed (IR version 4 on).
 * `N=warn` lets dims of the symbol N differ, which is a warning of the run; `*=warn` those of every symbol. */
typedef struct NrShapeFix {
  NrStr name;
  bool is_symbol, is_input, is_warning;
  size_t rank;
  int64_t dims[NORIA_MAX_RANK]; /* NR_DYNAMIC leaves a dim as it is */
} NrShapeFix;
/* Parses "N=16", "x=1x?x3", "w=input" or "N=warn"; false when the text is neither. name is a view of text. */
bool nr_shape_fix_parse(NrStr text, NrShapeFix *out);

typedef struct NrImportOptions {
  size_t num_fixes;
  const NrShapeFix *fixes;
} NrImportOptions;

/* Converts the model's graph to func.func @main, with the attributes noria.entry, noria.inputs and noria.outputs.
 * Inlines calls of local functions first. Reports all unknown ops at once. The module's constants refer to the model's
 * data, which must outlive their use. options may be NULL. */
NR_WARN_UNUSED NrStatus nr_onnx_import(NrContext *ctx, NrOnnxModel *model, const NrImportOptions *options,
                                       NrModule **out);

/* Fills the region of op Gradient. independent: the values that xs and zs name, as many as op has operands. num_copied
 * counts the nodes that the model's Gradients copy; there is a limit. */
NR_WARN_UNUSED NrStatus nr_import_gradient(NrOp *op, NrValue *y, NrValue *const *independent, size_t count,
                                           size_t *num_copied);

#endif
