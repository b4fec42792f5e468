/* attrs.h - attributes of onnx ops: which ones exist in a version of the operator set, and their defaults. */
#ifndef NORIA_DIALECT_ONNX_ATTRS_H
#define NORIA_DIALECT_ONNX_ATTRS_H

#include "ir/op_info.h"

/* The newest supported version of a domain's operator set ("" is ai.onnx); 0 for unknown domains. */
int64_t nr_onnx_newest_opset(NrStr domain);

/* The operator set version of a node; the newest one of ai.onnx for an op without the attribute noria.opset. */
int64_t nr_onnx_version(const NrOp *op);

/* The attribute's definition in this version, or NULL. */
const NrVersionedAttr *nr_onnx_attr_at(const NrOpInfo *info, NrStr name, int64_t version);
/* Whether some version of the op has the attribute. */
bool nr_onnx_attr_known(const NrOpInfo *info, NrStr name);
/* The definition with the default of an absent attribute: that of this version, or, if it has no default, of the
 * nearest version with one. NULL when no version has a default. */
const NrVersionedAttr *nr_onnx_attr_default(const NrOpInfo *info, NrStr name, int64_t version);

/* The verify hook of the op definitions. Reports attributes that the op's version does not have, attributes of a wrong
 * type, and missing required ones. Attributes of others (their names have a dot, or begin with `__`) are accepted on
 * any op. */
NrStatus nr_onnx_verify(NrOp *op);
/* The same for a single attribute, also for one that is not added to the op. kind 0 is a kind that no op takes. */
NrStatus nr_onnx_check_attr(NrOp *op, NrStr name, NrVersionedKind kind);
/* Reports a missing required attribute. */
NrStatus nr_onnx_missing_attr(NrOp *op, NrStr name);
/* Reports "node 'x' (Softmax): <text>" at the node, or as nr_op_error does when it has no name. */
NrStatus nr_onnx_op_error(NrOp *op, const char *text);

#endif
