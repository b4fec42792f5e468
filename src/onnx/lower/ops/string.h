/* string.h - string tensors in other lowerings; for src/onnx/lower/ops only. */
#ifndef NORIA_ONNX_LOWER_OPS_STRING_H
#define NORIA_ONNX_LOWER_OPS_STRING_H

#include "onnx/lower/core/lower.h"

/* Cast where one of the two is NORIA_STRING. */
NrValue *nr_lower_string_cast(NrLower *l, NrValue *tensor, NoriaDType from, NoriaDType to);
/* Equal of two broadcast tensors of strings. NULL after an error. */
NrValue *nr_lower_string_equal(NrLower *l, NrValue *const *tensors);
/* Constants of one dim: these strings, and those of an attribute, none where it is absent. */
NrValue *nr_lower_strings(NrLower *l, const NrStr *strings, size_t count);
NrValue *nr_lower_attr_strings(NrLower *l, const char *name);

#endif
