/* fold_constants.h - computes what depends on constants only, once, by compiled code. */
#ifndef NORIA_DRIVER_FOLD_CONSTANTS_H
#define NORIA_DRIVER_FOLD_CONSTANTS_H

#include "base/guard.h"
#include "codegen/codegen.h"
#include "noria/runtime.h"
#include "onnx/read/model.h"
#include "pass/core/pass.h"

/* Tensors that constants of a module refer to. Zero-initialise; nr_folded_deinit frees. */
typedef struct NrFolded {
  NR_VEC(NrHold *) holds; /* each of a NoriaValue */
} NrFolded;
void nr_folded_deinit(NrFolded *folded);

/* Replaces such values of the entry, a module after stage `tensor`, by constants. model: whose constants the module
 * has, or NULL. codegen: for this machine. max_bytes: what the constants may take; when they would take more, none is
 * computed. */
NR_WARN_UNUSED NrStatus nr_fold_constants(NrModule *module, const NrOnnxModel *model, const NrPassOptions *passes,
                                          const NrCodegenOptions *codegen, int64_t max_bytes, NrFolded *out);

#endif
