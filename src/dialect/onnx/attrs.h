/* attrs.h - attributes of ops of dialect onnx: which there are in a version of the operator set, and their defaults. */
#ifndef NORIA_DIALECT_ONNX_ATTRS_H
#define NORIA_DIALECT_ONNX_ATTRS_H

#include "ir/op_info.h"

/* The newest version of ai.onnx that is known. */
enum { NR_ONNX_NEWEST_OPSET = 28 };

/* The version of the node's operator set; the newest one where the op does not say. */
int64_t nr_onnx_version(const NrOp *op);

/* The attribute as version has it, or NULL. */
const NrVersionedAttr *nr_onnx_attr_at(const NrOpInfo *info, NrStr name, int64_t version);
/* Whether some version of the op has the attribute. */
bool nr_onnx_attr_known(const NrOpInfo *info, NrStr name);
/* What an absent attribute stands for: the default in version, or of the version next to it where that one has none.
 * NULL when no version has a default. */
const NrVersionedAttr *nr_onnx_attr_default(const NrOpInfo *info, NrStr name, int64_t version);

/* The hook of the rows: reports attributes that the op's version does not have, those of a wrong type, and required
 * ones that are missing. Attributes of others (their names have a dot, or begin with `__`) may be on any op. */
NrStatus nr_onnx_verify(NrOp *op);
/* The same of one attribute, for what becomes no attribute of the op. kind 0: of a kind that no op takes. */
NrStatus nr_onnx_check_attr(NrOp *op, NrStr name, NrVersionedKind kind);
/* Reports that an attribute that the op has is missing. */
NrStatus nr_onnx_missing_attr(NrOp *op, NrStr name);
/* "node 'x' (Softmax): <text>" at the node, or as nr_op_error when it has no name. */
NrStatus nr_onnx_op_error(NrOp *op, const char *text);

#endif
