/* imports_split.c - between a tensor and a sequence of its pieces. Signatures: base/imports.def. */
#include "runtime/imports.h"

static int32_t no_memory(NrExec *e) {
  return nr_exec_fail(e, NORIA_ERROR_MEMORY, -1, "the system has no memory for a sequence");
}

/* Counts from the end when negative; false after failing. */
static bool axis_in_range(NrExec *e, int32_t site, int64_t *axis, int64_t rank) {
  int64_t given = *axis;
  if (given < 0) *axis += rank;
  if (*axis >= 0 && *axis < rank) return true;
  nr_exec_fail(e, NORIA_ERROR_FAILED, site, "axis %lld is out of range for rank %lld", (long long)given,
               (long long)rank);
  return false;
}

static int64_t product(const int64_t *dims, int64_t begin, int64_t end) {
  int64_t n = 1;
  for (int64_t d = begin; d < end; d++) n *= dims[d];
  return n;
}

/* ---- concatenating ---------------------------------------------------------------------------------------------- */

/* Checks that the items fit together; writes the shape of the result. */
static bool concat_shape(NrExec *e, int32_t site, const NoriaValue *s, int64_t *axis, bool new_axis, int64_t *out_rank,
                         int64_t *dims) {
  int64_t n = s->as.sequence.length;
  if (n == 0) {
    nr_exec_fail(e, NORIA_ERROR_FAILED, site, "an empty sequence cannot be concatenated");
    return false;
  }
  const NoriaValue *first = noria_sequence_at(s, 0);
  int64_t rank = first->as.tensor.rank, total = 0;
  if (rank + new_axis > NORIA_MAX_RANK || !axis_in_range(e, site, axis, rank + new_axis)) {
    if (rank + new_axis > NORIA_MAX_RANK) nr_exec_fail(e, NORIA_ERROR_FAILED, site, "the rank is too large");
    return false;
  }
  for (int64_t i = 0; i < n; i++) {
    const NoriaValue *item = noria_sequence_at(s, i);
    if (nr_import_stopped(e, i)) return false;
    bool fits = item->as.tensor.rank == rank;
    for (int64_t d = 0; d < rank && fits; d++)
      fits = item->dims[d] == first->dims[d] || (!new_axis && d == *axis);
    if (fits) fits = nr_add_i64(total, new_axis ? 1 : item->dims[*axis], &total);
    if (!fits) {
      nr_exec_fail(e, NORIA_ERROR_FAILED, site, "item %lld of the sequence has another shape than item 0",
                   (long long)i);
      return false;
    }
  }
  for (int64_t d = 0, from = 0; d < rank + new_axis; d++)
    dims[d] = d == *axis ? total : first->dims[from], from += !(new_axis && d == *axis);
  *out_rank = rank + new_axis;
  return true;
}

int32_t nr_import_seq_concat(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  const NoriaValue *s = nr_arg_handle(&args[1]);
  int64_t axis = nr_arg_i64(&args[2]), rank, dims[NORIA_MAX_RANK];
  bool new_axis = nr_arg_bool(&args[3]);
  if (!concat_shape(e, nr_arg_i32(&args[0]), s, &axis, new_axis, &rank, dims)) return 1;
  if (nr_result_tensor(e, &results[0], s->dtype, rank, dims)) return 1;
  size_t element = noria_dtype_size(s->dtype);
  int64_t outer = product(dims, 0, axis), row = product(dims, axis, rank), column = 0, pieces = 0;
  for (int64_t i = 0; i < s->as.sequence.length; i++) {
    const NoriaValue *item = noria_sequence_at(s, i);
    int64_t run = product(item->dims, axis, item->as.tensor.rank);
    for (int64_t o = 0; o < outer && run > 0; o++) {
      if (nr_import_stopped(e, pieces++)) return 1;
      char *to = (char *)results[0].data + (size_t)(o * row + column) * element;
      const char *from = (const char *)item->as.tensor.data + (size_t)(o * run) * element;
      if (nr_copy_into_run(e, s->dtype, to, from, run)) return 1;
    }
    column += run;
  }
  return 0;
}

/* ---- splitting -------------------------------------------------------------------------------------------------- */

/* False after failing: the pointers behind are NULL then. */
static bool retain_strings(NrExec *e, NoriaString **to, NoriaString *const *from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (nr_import_stopped(e, i)) return false;
    if (!(to[i] = nr_string_retain(from[i]))) {
      no_memory(e);
      return false;
    }
  }
  return true;
}

/* The part [begin, begin + size) along axis, as a value; keepdims false removes the axis. */
static NoriaValue *piece(NrExec *e, NoriaDType dtype, const NoriaDesc *t, int64_t axis, int64_t begin, int64_t size,
                         bool keepdims) {
  int64_t dims[NORIA_MAX_RANK], rank = 0;
  for (int64_t d = 0; d < t->rank; d++)
    if (d != axis || keepdims) dims[rank++] = d == axis ? size : t->dims[d];
  int64_t outer = product(t->dims, 0, axis), inner = product(t->dims, axis + 1, t->rank), run = size * inner;
  size_t element = noria_dtype_size(dtype);
  NoriaValue *v = nr_tensor_alloc(dtype, rank, dims, outer * run, (size_t)(outer * run) * element);
  if (!v) {
    no_memory(e);
    return NULL;
  }
  bool ok = true;
  for (int64_t o = 0; o < outer && run > 0 && ok; o++) {
    char *to = (char *)v->as.tensor.data + (size_t)(o * run) * element;
    const char *from = (const char *)t->data + (size_t)((o * t->dims[axis] + begin) * inner) * element;
    if (dtype != NORIA_STRING) ok = nr_exec_copy(e, to, from, (size_t)run * element);
    else ok = retain_strings(e, (NoriaString **)(void *)to, (NoriaString *const *)(const void *)from, run);
    ok = ok && !nr_import_stopped(e, o);
  }
  if (ok) return v;
  noria_value_release(v);
  return NULL;
}

static int32_t add_piece(NrExec *e, NoriaValue *s, NoriaDType dtype, const NoriaDesc *t, int64_t axis, int64_t begin,
                         int64_t size, bool keepdims) {
  NoriaValue *v = piece(e, dtype, t, axis, begin, size, keepdims);
  if (!v) return 1;
  if (nr_import_stopped(e, s->as.sequence.length)) {
    noria_value_release(v);
    return 1;
  }
  if (!nr_charge_value(e, v)) {
    noria_value_release(v);
    return 1;
  }
  return nr_sequence_insert(s, s->as.sequence.length, v) ? 0 : no_memory(e);
}

int32_t nr_import_seq_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[1]);
  const NoriaDesc *t = &args[2];
  int64_t axis = nr_arg_i64(&args[3]), size = nr_arg_i64(&args[4]);
  bool keepdims = nr_arg_bool(&args[5]);
  if (!nr_desc_is(e, t, dtype) || !axis_in_range(e, nr_arg_i32(&args[0]), &axis, t->rank)) return 1;
  if (size <= 0 || (!keepdims && size != 1))
    return nr_exec_fail(e, NORIA_ERROR_FAILED, nr_arg_i32(&args[0]), "a tensor cannot be split into pieces of %lld",
                        (long long)size);
  if (nr_result_handle(e, &results[0], nr_sequence_new(dtype))) return 1;
  for (int64_t begin = 0, dim = t->dims[axis]; begin < dim; begin += size) {
    size = NR_MIN(size, dim - begin);
    if (add_piece(e, results[0].data, dtype, t, axis, begin, size, keepdims)) return 1;
  }
  return 0;
}

int32_t nr_import_seq_split_sizes(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaDType dtype = (NoriaDType)nr_arg_i32(&args[1]);
  const NoriaDesc *t = &args[2], *sizes = &args[4];
  int64_t axis = nr_arg_i64(&args[3]), begin = 0;
  if (!nr_desc_is(e, t, dtype) || !axis_in_range(e, nr_arg_i32(&args[0]), &axis, t->rank)) return 1;
  if (nr_result_handle(e, &results[0], nr_sequence_new(dtype))) return 1;
  for (int64_t i = 0; i <= sizes->dims[0]; i++) {
    int64_t left = t->dims[axis] - begin;
    int64_t size = i < sizes->dims[0] ? ((const int64_t *)sizes->data)[i] : 0;
    bool wrong = size < 0 || size > left || (i == sizes->dims[0] && left != 0);
    if (wrong)
      return nr_exec_fail(e, NORIA_ERROR_FAILED, nr_arg_i32(&args[0]),
                          "the sizes of the pieces do not add up to dim %lld, which is %lld", (long long)axis,
                          (long long)t->dims[axis]);
    if (i == sizes->dims[0]) break;
    if (add_piece(e, results[0].data, dtype, t, axis, begin, size, true)) return 1;
    begin += size;
  }
  return 0;
}
