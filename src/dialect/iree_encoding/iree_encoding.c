/* iree_encoding.c - the op definitions of dialect iree_encoding. */
#include "ir/rows.h"
#include "dialect/iree_encoding/ops.def"
