/* imports.c - the functions that compiled code imports by name.
 *
 * Arguments and results are NoriaDescs in the order of the row: `dtype: i32` is a scalar (rank = -1, value in bits),
 * `t: tensor` a tensor, `s: seq`, `o: opt` a handle. `site: i32` is the check site whose place a failure names (-1:
 * none). Handles in arguments are borrowed. A handle in a result carries one reference: give it back with
 * value_release, or not at all, then the run does it when it ends. Appending to a sequence is O(1) whoever else holds
 * it; the other edits are in place in the `_owned` form, which takes over the argument's reference, when nobody else
 * holds the sequence. */
#include "runtime/imports.h"

/* One row per function. */
static const struct {
  const char *name;
  NoriaImportFn function;
} rows[] = {
    /* References: for compiled code that keeps a handle in two places, or is done with it early. */
    {"value_retain", nr_import_value_retain},   /* (v: seq|opt) -> (v), now with one more reference */
    {"value_release", nr_import_value_release}, /* (v: seq|opt) -> () */

    /* Sequences. Positions count from the end when negative; those out of range fail. */
    {"seq_empty", nr_import_seq_empty},               /* (dtype: i32) -> (seq) */
    {"seq_construct", nr_import_seq_construct},       /* (dtype: i32, n: i64, n tensors) -> (seq) */
    {"seq_append", nr_import_seq_append},             /* (s: seq, t: tensor) -> (seq) */
    {"seq_append_owned", nr_import_seq_append_owned}, /* the same, takes over s */
    {"seq_insert", nr_import_seq_insert},             /* (site: i32, s: seq, t: tensor, position: i64) -> (seq) */
    {"seq_insert_owned", nr_import_seq_insert_owned}, /* the same, takes over s */
    {"seq_erase", nr_import_seq_erase},               /* (site: i32, s: seq, position: i64) -> (seq) */
    {"seq_erase_owned", nr_import_seq_erase_owned},   /* the same, takes over s */
    {"seq_length", nr_import_seq_length},             /* (s: seq) -> (i64) */
    {"seq_at", nr_import_seq_at},                     /* (site: i32, s: seq, position: i64) -> (tensor) */
    /* (site: i32, s: seq, axis: i64, new_axis: i1) -> (tensor) */
    {"seq_concat", nr_import_seq_concat},
    /* (site: i32, dtype: i32, t: tensor, axis: i64, size: i64, keepdims: i1) -> (seq): pieces of `size`, the last one
     * may be smaller; keepdims = 0 removes the axis and needs size = 1 */
    {"seq_split", nr_import_seq_split},
    /* (site: i32, dtype: i32, t: tensor, axis: i64, sizes: tensor of i64, rank 1) -> (seq): pieces of these sizes */
    {"seq_split_sizes", nr_import_seq_split_sizes},

    /* Optionals. */
    {"optional_none", nr_import_optional_none},         /* (kind: i32, dtype: i32) -> (opt) */
    {"optional_some", nr_import_optional_some},         /* (dtype: i32, t: tensor) -> (opt) */
    {"optional_some_seq", nr_import_optional_some_seq}, /* (s: seq) -> (opt) */
    {"optional_has", nr_import_optional_has},           /* (o: opt) -> (i1) */
    {"optional_get", nr_import_optional_get},           /* (site: i32, o: opt) -> (tensor); fails when empty */
    {"optional_get_seq", nr_import_optional_get_seq},   /* (site: i32, o: opt) -> (seq); fails when empty */

    /* Strings. Two tensors broadcast as in NumPy. Copying a string tensor is copying its words: no function is needed.
     */
    {"string_equal", nr_import_string_equal},   /* (site: i32, a: tensor, b: tensor) -> (tensor of bool) */
    {"string_concat", nr_import_string_concat}, /* (site: i32, a: tensor, b: tensor) -> (tensor) */
    {"string_from", nr_import_string_from},     /* (dtype: i32, t: tensor) -> (tensor of strings) */
    {"string_to", nr_import_string_to},         /* (site: i32, dtype: i32, t: tensor of strings) -> (tensor of dtype) */
};

NoriaImportFn nr_import_find(const char *name) {
  for (size_t i = 0; i < NR_COUNTOF(rows); i++)
    if (strcmp(rows[i].name, name) == 0) return rows[i].function;
  return NULL;
}
