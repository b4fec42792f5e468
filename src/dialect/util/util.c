/* util.c - the op definitions of dialect util. */
#include "dialect/util/util.h"

#include "ir/rows.h"
#include "dialect/util/attrs.def"
#include "dialect/util/types.def"
#include "dialect/util/ops.def"
