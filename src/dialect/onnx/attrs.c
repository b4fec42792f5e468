/* attrs.c - see attrs.h. Linear search: the longest list has nine names. */
#include "dialect/onnx/attrs.h"

static const struct {
  const char *name;
  int64_t newest;
} domains[] = {
    {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}, {"com.microsoft", 1},
};

int64_t nr_onnx_newest_opset(NrStr domain) {
  for (size_t i = 0; i < NR_COUNTOF(domains); i++)
    if (nr_str_is(domain, domains[i].name)) return domains[i].newest;
  return 0;
}

int64_t nr_onnx_version(const NrOp *op) { return nr_op_attr_int(op, NR_A_noria_opset, domains[0].newest); }

static bool in_version(const NrVersionedAttr *a, int64_t version) {
  return version >= a->since && (!a->until || version < a->until);
}

/* The first entry with this name from a on, or NULL. */
static const NrVersionedAttr *next_named(const NrVersionedAttr *a, NrStr name) {
  while (a && a->name && !nr_str_is(name, a->name)) a++;
  return a && a->name ? a : NULL;
}

const NrVersionedAttr *nr_onnx_attr_at(const NrOpInfo *info, NrStr name, int64_t version) {
  const NrVersionedAttr *a = next_named(info->versioned_attrs, name);
  while (a && !in_version(a, version)) a = next_named(a + 1, name);
  return a;
}

bool nr_onnx_attr_known(const NrOpInfo *info, NrStr name) { return next_named(info->versioned_attrs, name); }

const NrVersionedAttr *nr_onnx_attr_default(const NrOpInfo *info, NrStr name, int64_t version) {
  const NrVersionedAttr *a = next_named(info->versioned_attrs, name), *best = NULL;
  for (; a; a = next_named(a + 1, name)) /* the entries of a name are sorted by version */
    if (a->has_default && (!best || version >= a->since)) best = a;
  return best;
}
