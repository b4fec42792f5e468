/* imports_seq.c - references, sequences and optionals for compiled code. Signatures: base/imports.def. */
#include "runtime/imports.h"

/* ---- between compiled code and values --------------------------------------------------------------------------- */

int64_t nr_desc_count(const NoriaDesc *tensor) {
  int64_t n = 1;
  for (int64_t d = 0; d < tensor->rank; d++) n = tensor->dims[d] == 0 || n == 0 ? 0 : n * tensor->dims[d];
  return n;
}

uint64_t nr_desc_elements(NoriaDType dtype) {
  return noria_dtype_size(dtype) + (dtype == NORIA_STRING ? NORIA_DESC_STRINGS : 0);
}

bool nr_desc_is(NrExec *e, const NoriaDesc *tensor, NoriaDType dtype) {
  if (!tensor->bits || tensor->bits == nr_desc_elements(dtype)) return true;
  nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "a tensor of %s%d bytes an element is taken for one of type %s (%d)",
               tensor->bits & NORIA_DESC_STRINGS ? "strings, " : "",
               (int)(tensor->bits & ~(uint64_t)NORIA_DESC_STRINGS), noria_dtype_name(dtype), (int)dtype);
  return false;
}

bool nr_is_dtype(NrExec *e, NoriaDType dtype) {
  if (noria_dtype_size(dtype)) return true;
  nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "there is no element type %d", (int)dtype);
  return false;
}

int32_t nr_result_handle(NrExec *e, NoriaDesc *result, NoriaValue *handle) {
  result->rank = 0;
  result->data = nr_exec_add_handle(e, handle);
  return result->data ? 0 : 1;
}

int32_t nr_result_tensor(NrExec *e, NoriaDesc *result, NoriaDType dtype, int64_t rank, const int64_t *dims) {
  int64_t count;
  size_t size;
  if (nr_shape_size(dtype, rank, dims, &count, &size, NULL))
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "the size of a tensor does not fit 64 bits");
  result->rank = rank;
  result->bits = nr_desc_elements(dtype);
  for (int64_t d = 0; d < rank; d++) result->dims[d] = dims[d];
  result->data = nr_api_alloc(&e->pub, (int64_t)size);
  return result->data ? 0 : 1;
}

NoriaValue *nr_value_from_desc(NrExec *e, NoriaDType dtype, const NoriaDesc *desc) {
  int64_t count;
  size_t size;
  NoriaValue *value = NULL;
  if (!nr_desc_is(e, desc, dtype)) return NULL;
  if (nr_shape_size(dtype, desc->rank, desc->dims, &count, &size, NULL)) {
    nr_exec_fail(e, NORIA_ERROR_INTERNAL, -1, "a malformed tensor of rank %lld", (long long)desc->rank);
    return NULL;
  }
  value = nr_tensor_alloc(dtype, desc->rank, desc->dims, count, size);
  bool ok = value != NULL;
  if (ok && dtype == NORIA_STRING) {
    NoriaString *const *from = desc->data, **to = value->as.tensor.data;
    for (int64_t i = 0; i < count && ok && !nr_import_stopped(e, i); i++)
      ok = (to[i] = nr_string_retain(from[i])) != NULL;
  } else if (ok && size && nr_exec_copy(e, value->as.tensor.data, desc->data, size)) {
    nr_dtype_settle(dtype, value->as.tensor.data, count);
  }
  if (ok && !nr_exec_stopped(e) && nr_charge_value(e, value)) return value;
  noria_value_release(value);
  if (ok) return NULL;
  nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for %zu bytes", size);
  return NULL;
}

int32_t nr_copy_into_run(NrExec *e, NoriaDType dtype, void *to, const void *from, int64_t count) {
  if (count == 0) return 0;
  if (!nr_exec_copy(e, to, from, (size_t)count * noria_dtype_size(dtype))) return 1;
  if (dtype != NORIA_STRING) return 0;
  NoriaString **strings = to;
  for (int64_t i = 0; i < count; i++) {
    if (nr_import_stopped(e, i)) return 1;
    NoriaString *string = nr_string_retain(strings[i]);
    if (!nr_exec_hold_string(e, string)) return 1;
    strings[i] = string;
  }
  return 0;
}

int32_t nr_result_copy(NrExec *e, NoriaDesc *result, const NoriaValue *tensor) {
  if (nr_result_tensor(e, result, tensor->dtype, tensor->as.tensor.rank, tensor->dims)) return 1;
  return nr_copy_into_run(e, tensor->dtype, result->data, tensor->as.tensor.data, tensor->as.tensor.count);
}

/* ---- references ------------------------------------------------------------------------------------------------- */

int32_t nr_import_value_retain(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  results[0].rank = 0;
  results[0].data = noria_value_retain(nr_arg_handle(&args[0]));
  return 0;
}

int32_t nr_import_value_release(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  nr_exec_drop_handle(nr_exec(exec), nr_arg_handle(&args[0]));
  return 0;
}

/* ---- sequences -------------------------------------------------------------------------------------------------- */

int32_t nr_import_seq_empty(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[0]);
  if (!nr_is_dtype(nr_exec(exec), dtype)) return 1;
  return nr_result_handle(nr_exec(exec), &results[0], nr_sequence_new(dtype));
}

int32_t nr_import_seq_construct(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[0]);
  int64_t n = nr_arg_i64(&args[1]);
  if (!nr_is_dtype(e, dtype)) return 1;
  if (nr_result_handle(e, &results[0], nr_sequence_new(dtype))) return 1;
  for (int64_t i = 0; i < n; i++) {
    NoriaValue *item = nr_value_from_desc(e, dtype, &args[2 + i]);
    if (!item) return 1;
    if (!nr_sequence_insert(results[0].data, i, item))
      return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a sequence");
  }
  return 0;
}

/* The sequence to edit: the argument itself when compiled code gave up its only reference, else a copy of the slice. */
static NoriaValue *editable(NrExec *e, const NoriaDesc *arg, NoriaDesc *result, bool owned) {
  NoriaValue *s = nr_arg_handle(arg);
  if (owned && atomic_load_explicit(&s->refs, memory_order_acquire) == 1) {
    result->rank = 0;
    return result->data = s;
  }
  NoriaValue *copy = nr_handle_copy(s);
  if (owned) nr_exec_drop_handle(e, s);
  return nr_result_handle(e, result, copy) ? NULL : result->data;
}

/* Counts from the end when negative; false after failing unless 0 <= *position < end. */
static bool in_range(NrExec *e, int32_t site, int64_t *position, int64_t length, int64_t end) {
  int64_t given = *position;
  if (given < 0) *position += length;
  if (*position >= 0 && *position < end) return true;
  nr_exec_fail(e, NORIA_ERROR_FAILED, site, "position %lld is out of range for a sequence of length %lld",
               (long long)given, (long long)length);
  return false;
}

static int32_t edit_insert(NrExec *e, const NoriaDesc *seq, const NoriaDesc *tensor, int64_t position,
                           NoriaDesc *result, bool owned) {
  NoriaValue *item = nr_value_from_desc(e, nr_arg_handle(seq)->dtype, tensor);
  if (!item) return 1;
  NoriaValue *s = editable(e, seq, result, owned);
  if (!s) {
    noria_value_release(item);
    return 1;
  }
  if (nr_sequence_insert(s, position, item)) return 0;
  return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a sequence");
}

int32_t nr_import_seq_append(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return edit_insert(nr_exec(exec), &args[0], &args[1], nr_arg_handle(&args[0])->as.sequence.length, &results[0],
                     false);
}

int32_t nr_import_seq_append_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return edit_insert(nr_exec(exec), &args[0], &args[1], nr_arg_handle(&args[0])->as.sequence.length, &results[0], true);
}

static int32_t seq_insert(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results, bool owned) {
  NrExec *e = nr_exec(exec);
  int64_t length = nr_arg_handle(&args[1])->as.sequence.length, position = nr_arg_i64(&args[3]);
  if (!in_range(e, nr_arg_i32(&args[0]), &position, length, length + 1)) return 1;
  return edit_insert(e, &args[1], &args[2], position, &results[0], owned);
}

int32_t nr_import_seq_insert(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return seq_insert(exec, args, results, false);
}

int32_t nr_import_seq_insert_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return seq_insert(exec, args, results, true);
}

static int32_t seq_erase(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results, bool owned) {
  NrExec *e = nr_exec(exec);
  int64_t length = nr_arg_handle(&args[1])->as.sequence.length, position = nr_arg_i64(&args[2]);
  if (!in_range(e, nr_arg_i32(&args[0]), &position, length, length)) return 1;
  NoriaValue *s = editable(e, &args[1], &results[0], owned);
  if (!s) return 1;
  if (nr_sequence_erase(s, position)) return 0;
  return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a sequence");
}

int32_t nr_import_seq_erase(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return seq_erase(exec, args, results, false);
}

int32_t nr_import_seq_erase_owned(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  return seq_erase(exec, args, results, true);
}

int32_t nr_import_seq_length(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  nr_result_scalar(&results[0], (uint64_t)nr_arg_handle(&args[0])->as.sequence.length);
  return 0;
}

int32_t nr_import_seq_at(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaValue *s = nr_arg_handle(&args[1]);
  int64_t position = nr_arg_i64(&args[2]);
  if (!in_range(e, nr_arg_i32(&args[0]), &position, s->as.sequence.length, s->as.sequence.length)) return 1;
  return nr_result_copy(e, &results[0], noria_sequence_at(s, position));
}

/* ---- optionals -------------------------------------------------------------------------------------------------- */

int32_t nr_import_optional_none(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  int32_t kind = nr_arg_i32(&args[0]);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[1]);
  if (kind != NORIA_KIND_TENSOR && kind != NORIA_KIND_SEQUENCE && kind != NORIA_KIND_MAP)
    return nr_exec_fail(e, NORIA_ERROR_FAILED, -1, "an optional cannot hold values of kind %d", (int)kind);
  if (!nr_is_dtype(e, dtype)) return 1;
  return nr_result_handle(e, &results[0], nr_optional_new(NULL, (NoriaKind)kind, dtype));
}

int32_t nr_import_optional_some(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[0]);
  NoriaValue *item = nr_value_from_desc(e, dtype, &args[1]);
  if (!item) return 1;
  return nr_result_handle(e, &results[0], nr_optional_new(item, NORIA_KIND_TENSOR, dtype));
}

int32_t nr_import_optional_some_seq(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  /* A copy of the slice: the run's own handle must not live in another value. */
  NoriaValue *item = nr_handle_copy(nr_arg_handle(&args[0]));
  NoriaValue *o = item ? nr_optional_new(item, NORIA_KIND_SEQUENCE, item->dtype) : NULL;
  return nr_result_handle(e, &results[0], o);
}

int32_t nr_import_optional_has(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  nr_result_scalar(&results[0], nr_arg_handle(&args[0])->as.item != NULL);
  return 0;
}

static const NoriaValue *item_or_fail(NrExec *e, const NoriaDesc *args, NoriaKind kind) {
  const NoriaValue *item = nr_arg_handle(&args[1])->as.item;
  if (item && item->kind == kind) return item;
  if (!item)
    nr_exec_fail(e, NORIA_ERROR_FAILED, nr_arg_i32(&args[0]), "the optional is empty");
  else
    nr_exec_fail(e, NORIA_ERROR_FAILED, nr_arg_i32(&args[0]), "the optional does not hold a %s",
                 kind == NORIA_KIND_TENSOR ? "tensor" : "sequence");
  return NULL;
}

int32_t nr_import_optional_get(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaValue *item = item_or_fail(e, args, NORIA_KIND_TENSOR);
  return item ? nr_result_copy(e, &results[0], item) : 1;
}

int32_t nr_import_optional_get_seq(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaValue *item = item_or_fail(e, args, NORIA_KIND_SEQUENCE);
  return item ? nr_result_handle(e, &results[0], nr_handle_copy(item)) : 1;
}
