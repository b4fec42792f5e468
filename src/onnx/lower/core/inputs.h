/* inputs.h - the texts of lower.def, part by part. */
#ifndef NORIA_ONNX_LOWER_CORE_INPUTS_H
#define NORIA_ONNX_LOWER_CORE_INPUTS_H

#include "base/base.h"
#include "noria/exec_abi.h"

/* One part of a row's text. */
typedef struct NrLowerInput {
  NrStr what;
  char same;   /* which inputs share its element type; 0: none */
  char repeat; /* '?', '+', '*' or 0 */
} NrLowerInput;

/* Reads the part at *text and moves behind it; false at the end. */
bool nr_lower_next_input(const char **text, NrLowerInput *out);
/* Whether the part takes a tensor of this element type. */
bool nr_lower_input_takes(const NrLowerInput *in, NoriaDType dtype);

#endif
