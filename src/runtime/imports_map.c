/* imports_map.c - maps for compiled code. Signatures: base/imports.def. */
#include "runtime/imports.h"

/* Row i of a matrix, as a tensor of one dim. */
static NoriaDesc row_of(const NoriaDesc *matrix, int64_t i, size_t row_bytes) {
  NoriaDesc row = {.data = (char *)matrix->data + (size_t)i * row_bytes, .rank = 1, .bits = matrix->bits};
  row.dims[0] = matrix->dims[1];
  return row;
}

/* Appends a map for each row, which all share the keys. */
static int32_t append_maps(NrExec *e, NoriaValue *sequence, const NoriaValue *keys, const NoriaDesc *matrix) {
  size_t row_bytes = (size_t)matrix->dims[1] * noria_dtype_size(sequence->dtype);
  for (int64_t i = 0; i < matrix->dims[0]; i++) {
    if (nr_import_stopped(e, i)) return 1;
    NoriaDesc row = row_of(matrix, i, row_bytes);
    NoriaValue *values = nr_value_from_desc(e, sequence->dtype, &row);
    if (!values) return 1;
    NoriaValue *map = nr_map_new(noria_value_retain(keys), values);
    if (!map || !nr_sequence_insert(sequence, i, map))
      return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a map");
  }
  return 0;
}

int32_t nr_import_seq_of_maps(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType key_dtype = (NoriaDType)nr_arg_i32(&args[0]), dtype = (NoriaDType)nr_arg_i32(&args[1]);
  const NoriaDesc *matrix = &args[3];
  if (!nr_is_dtype(e, dtype)) return 1;
  if (key_dtype != NORIA_I64 && key_dtype != NORIA_STRING)
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "a map cannot have keys of type %d", (int)key_dtype);
  if (matrix->rank != 2 || args[2].rank != 1 || matrix->dims[1] != args[2].dims[0])
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "the rows for maps have other sizes than their keys");
  NoriaValue *keys = nr_value_from_desc(e, key_dtype, &args[2]);
  if (!keys) return 1;
  NoriaValue *sequence = nr_sequence_new(dtype);
  if (sequence) sequence->key_dtype = (uint8_t)key_dtype;
  int32_t status = nr_result_handle(e, &results[0], sequence);
  if (!status) status = append_maps(e, sequence, keys, matrix);
  noria_value_release(keys);
  return status;
}

int32_t nr_import_map_values(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return nr_result_copy(nr_exec(exec), &results[0], nr_arg_handle(&args[0])->as.map.values);
}

int32_t nr_import_map_get(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaValue *keys = nr_arg_handle(&args[0])->as.map.keys, *values = nr_arg_handle(&args[0])->as.map.values;
  const NoriaDesc *wanted = &args[1], *other = &args[2];
  size_t size = noria_dtype_size(values->dtype), key_size = noria_dtype_size(keys->dtype);
  if (!nr_desc_is(e, wanted, keys->dtype) || !nr_desc_is(e, other, values->dtype)) return 1;
  if (nr_desc_count(other) != 1)
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "a map has no one value for other keys");
  int64_t count = nr_desc_count(wanted);
  if (nr_result_tensor(e, &results[0], values->dtype, 1, &count)) return 1;
  for (int64_t i = 0; i < count; i++) {
    if (nr_import_stopped(e, i)) return 1;
    int64_t at = nr_map_find(keys, (const char *)wanted->data + (size_t)i * key_size);
    const char *from = at < 0 ? other->data : (const char *)values->as.tensor.data + (size_t)at * size;
    if (nr_copy_into_run(e, values->dtype, (char *)results[0].data + (size_t)i * size, from, 1)) return 1;
  }
  return 0;
}
