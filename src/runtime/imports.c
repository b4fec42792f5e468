/* imports.c - the functions that compiled code imports by name.
 *
 * Arguments and results are NoriaDescs in the order of the signature (base/imports.def). Handles in
 * arguments are borrowed. A handle in a result carries one reference: give it back with value_release, or not at all,
 * then the run does it when it ends. Appending to a sequence is O(1) whoever else holds it; the other edits are in
 * place in the `_owned` form, which takes over the argument's reference, when nobody else holds the sequence. */
#include "runtime/imports.h"

/* One row per function. Their signatures, which the verifier of rt.call checks, stand in base/imports.def. */
static const struct {
  const char *name;
  NoriaImportFn function;
} rows[] = {
#define IMPORT(name, operands, results) {#name, nr_import_##name},
#include "base/imports.def"
};

NoriaImportFn nr_import_find(const char *name) {
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (strcmp(rows[i].name, name) == 0) return rows[i].function;
  return NULL;
}

NrNearest nr_import_nearest(const char *name) {
  NrNearest nearest = nr_nearest(nr_str(name));
  for (size_t i = 0; i < NR_COUNTOF(rows); i++) nr_nearest_try(&nearest, nr_str(rows[i].name));
  return nearest;
}
