/* value_info.c - an entry of noria.inputs or noria.outputs. */
#include "codegen/value_info.h"

#include "noria/exec_abi.h"

static int64_t dict_int(NrAttr dict, const char *name, int64_t otherwise) {
  int64_t value;
  NrAttr attr = nr_dict_get(dict, name);
  return attr && nr_attr_is_int(attr, &value) ? value : otherwise;
}

NrValueInfo nr_value_info(NrAttr dict) {
  NrAttr name = nr_dict_get(dict, "name"), dims = nr_dict_get(dict, "dims");
  NrValueInfo info = {.name = name ? name->s : (NrStr){0},
                      .kind = dict_int(dict, "kind", NORIA_KIND_TENSOR),
                      .dtype = dict_int(dict, "dtype", NORIA_UNDEFINED),
                      .item_kind = dict_int(dict, "item_kind", NORIA_KIND_TENSOR),
                      .key_dtype = dict_int(dict, "key_dtype", NORIA_UNDEFINED),
                      .any_rank = !dims,
                      .dim_names = nr_dict_get(dict, "dim_names")};
  if (!dims || dims->kind != NR_ATTR_DENSE_ARRAY) return info;
  info.rank = dims->data_size / sizeof(int64_t);
  info.dims = dims->data;
  return info;
}

NrStr nr_value_info_dim_name(const NrValueInfo *info, size_t dim) {
  NrAttr names = info->dim_names;
  return names && names->kind == NR_ATTR_ARRAY && dim < names->size ? names->items[dim]->s : (NrStr){0};
}
