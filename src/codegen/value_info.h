/* value_info.h - an entry of noria.inputs or noria.outputs: what a program says of an input or output. */
#ifndef NORIA_CODEGEN_VALUE_INFO_H
#define NORIA_CODEGEN_VALUE_INFO_H

#include "ir/ir.h"

typedef struct NrValueInfo {
  NrStr name;
  int64_t kind, dtype, item_kind, key_dtype; /* as in NoriaValueInfo */
  bool any_rank;
  size_t rank;
  const int64_t *dims; /* negative: known when it runs. Lives as long as the context */
  NrAttr dim_names;
} NrValueInfo;

/* What the dictionary leaves out is that of a tensor of any rank, without a name or an element type. */
NrValueInfo nr_value_info(NrAttr dict);
NrStr nr_value_info_dim_name(const NrValueInfo *info, size_t dim); /* empty where it has none */

#endif
