/* sparse_run.c - `noria sparse --run`: reads the operands of a kernel, runs it and prints its result. */
#include <math.h>
#include <stdio.h>

#include "base/float_format.h"
#include "elements.h"
#include "sparse/storage.h"
#include "sparse_job.h"

typedef struct Operands {
  SparseJob *job;
  ElementKind element, index; /* of values; of positions, coordinates and sizes */
  NrSparseEntries entries[NR_SPARSE_MAX_TENSORS];
  NrSparseStorage stored[NR_SPARSE_MAX_TENSORS];
  const char *files[NR_SPARSE_MAX_TENSORS];
  int64_t extents[NR_SPARSE_MAX_INDICES]; /* -1: not known yet */
  int64_t misfit;                         /* the entry whose value is none of the element type; -1: none is */
} Operands;

static int fail(const char *file, size_t line, const char *format, ...) NR_PRINTF(3, 4);
static int fail(const char *file, size_t line, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (line) fprintf(stderr, "%s:%zu: error: ", file, line);
  else fprintf(stderr, "noria sparse: '%s': ", file);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return 1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static int read_matrix_market(Operands *o, const char *path, NrSparseEntries *out) {
  NrBuf text = {0};
  NrSparseError error;
  size_t line;
  if (nr_file_read(path, &text)) {
    nr_buf_deinit(&text);
    return fail(path, 0, "the file cannot be read");
  }
  NrStatus status = nr_sparse_read_matrix_market(&o->job->arena, (NrStr){text.data, text.size}, out, &line, &error);
  nr_buf_deinit(&text);
  return status ? fail(path, line, "%s", error.message) : 0;
}

static bool element(const NoriaValue *value, int64_t i, double *out_float, int64_t *out_int) {
  const void *data = noria_tensor_data(value);
  switch (noria_value_dtype(value)) {
  case NORIA_F64: *out_float = ((const double *)data)[i]; return true;
  case NORIA_F32: *out_float = (double)((const float *)data)[i]; return true;
  case NORIA_I64: *out_int = ((const int64_t *)data)[i]; return true;
  case NORIA_I32: *out_int = ((const int32_t *)data)[i]; return true;
  case NORIA_I16: *out_int = ((const int16_t *)data)[i]; return true;
  case NORIA_I8: *out_int = ((const int8_t *)data)[i]; return true;
  case NORIA_BOOL: *out_int = ((const uint8_t *)data)[i] != 0; return true;
  case NORIA_F16: *out_float = nr_float_decode(&nr_format_f16, ((const uint16_t *)data)[i]); return true;
  default: return false;
  }
}

/* keep_zeros: the tensor is stored dense. */
static int take_array(const char *path, const NoriaValue *value, bool keep_zeros, NrSparseEntries *out) {
  NoriaDType dtype = noria_value_dtype(value);
  int64_t rank = noria_tensor_rank(value), at[NR_SPARSE_MAX_ORDER] = {0};
  if (noria_value_kind(value) != NORIA_KIND_TENSOR || rank > NR_SPARSE_MAX_ORDER)
    return fail(path, 0, "an array of at most %d dims is expected", NR_SPARSE_MAX_ORDER);
  bool is_float = dtype == NORIA_F64 || dtype == NORIA_F32 || dtype == NORIA_F16;
  *out = (NrSparseEntries){.order = (size_t)rank, .is_int = !is_float};
  for (int64_t d = 0; d < rank; d++) out->dims[d] = noria_tensor_dims(value)[d];
  for (int64_t i = 0; i < noria_tensor_count(value); i++) {
    double f = 0;
    int64_t n = 0;
    if (!element(value, i, &f, &n))
      return fail(path, 0, "elements of %s are not supported; expected float16, float32, float64, int8 to int64 or "
                  "bool", noria_dtype_name(dtype));
    if (keep_zeros || f != 0 || n != 0) {
      for (int64_t d = 0; d < rank; d++) nr_vec_push(&out->coordinates, at[d]);
      if (out->is_int) nr_vec_push(&out->ints, n);
      else nr_vec_push(&out->floats, f);
    }
    for (int64_t d = rank - 1; d >= 0 && ++at[d] == out->dims[d]; d--) at[d] = 0;
  }
  return 0;
}

static int read_array(const char *path, bool keep_zeros, NrSparseEntries *out) {
  NoriaValue *value = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  if (noria_npy_read(path, &value, &error)) {
    int status = fail(path, 0, "%s", error.message ? error.message : "the file cannot be read");
    noria_error_clear(&error);
    return status;
  }
  int status = take_array(path, value, keep_zeros, out);
  noria_value_release(value);
  return status;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static int find_files(Operands *o) {
  const SparseJob *job = o->job;
  const NrSparseAssignment *a = &job->assignment;
  for (size_t i = 0; i < job->operands.size; i++) {
    const char *text = job->operands.data[i], *equals = strchr(text, '=');
    size_t t = a->adds ? 0 : 1;
    while (equals && t < a->num_tensors && !nr_str_eq(a->tensors[t].name, (NrStr){text, (size_t)(equals - text)})) t++;
    if (!equals || t == a->num_tensors)
      return tool_usage_error("sparse", "'%s' is no operand: NAME=FILE with a tensor of the expression", text);
    if (o->files[t]) return tool_usage_error("sparse", "%.*s is given twice", NR_STR_ARG(a->tensors[t].name));
    o->files[t] = equals + 1;
  }
  for (size_t t = a->adds ? 0 : 1; t < a->num_tensors; t++)
    if (!o->files[t])
      return tool_usage_error("sparse", "no value is given for %.*s: %.*s=%s", NR_STR_ARG(a->tensors[t].name),
                              NR_STR_ARG(a->tensors[t].name), a->tensors[t].order ? "FILE" : "NUMBER");
  return 0;
}

static int read_tensor(Operands *o, size_t t) {
  const NrSparseTensor *tensor = &o->job->assignment.tensors[t];
  const char *path = o->files[t];
  NrSparseEntries *entries = &o->entries[t];
  NrSparseError error;
  size_t line;
  bool is_mtx = nr_str_ends(nr_str(path), ".mtx");
  if (!is_mtx && !nr_str_ends(nr_str(path), ".npy")) return fail(path, 0, "expected a file .mtx or .npy");
  int status = is_mtx ? read_matrix_market(o, path, entries)
                      : read_array(path, nr_sparse_format_is_dense(&tensor->format), entries);
  if (status) return status;
  if (entries->order != tensor->order)
    return fail(path, 0, "%.*s has %zu dims in the expression and %zu in the file", NR_STR_ARG(tensor->name),
                tensor->order, entries->order);
  if (nr_sparse_store(&o->job->arena, entries, &tensor->format, &o->stored[t], &line, &error))
    return fail(path, line, "%s", error.message);
  return 0;
}

/* All tensors agree on how far an index goes. */
static int find_extents(Operands *o) {
  const NrSparseAssignment *a = &o->job->assignment;
  for (size_t i = 0; i < a->num_indices; i++) o->extents[i] = -1;
  for (size_t k = a->adds ? 0 : 1; k < a->num_accesses; k++) {
    size_t t = a->accesses[k].tensor;
    for (size_t d = 0; d < a->tensors[t].order; d++) {
      int64_t *extent = &o->extents[a->accesses[k].indices[d]], size = o->entries[t].dims[d];
      if (*extent >= 0 && *extent != size)
        return fail(o->files[t], 0, "dim %zu has %lld elements, but index '%.*s' has %lld values", d, (long long)size,
                    NR_STR_ARG(a->indices[a->accesses[k].indices[d]]), (long long)*extent);
      *extent = size;
    }
  }
  return 0;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Whether a number is in the range of the elements; floats are rounded. */
static bool value_fits(const Operands *o, const NrSparseEntries *entries, size_t entry) {
  NrType type = o->element.type;
  if (nr_type_is_int(type)) {
    uint32_t width = nr_type_bits(type);
    int64_t n = entries->is_int ? entries->ints.data[entry] : 0;
    if (!entries->is_int || width >= 64) return entries->is_int;
    if (width == 1) return n == 0 || n == 1;
    return n >= -(1LL << (width - 1)) && n < 1LL << (width - 1);
  }
  NrType part = type->kind == NR_TYPE_COMPLEX ? type->elem : type;
  double number = entries->is_int ? (double)entries->ints.data[entry] : entries->floats.data[entry];
  return !isfinite(number) || isfinite(nr_attr_float(part, number)->f);
}

static void put_value(const Operands *o, Elements *to, const NrSparseEntries *entries, int64_t entry) {
  bool to_int = nr_type_is_int(o->element.type), is_int = entries->is_int;
  int64_t n = entry < 0 || !is_int ? 0 : entries->ints.data[entry];
  double number = entry < 0 ? 0 : is_int ? (double)n : entries->floats.data[entry];
  if (to_int) elements_put_int(to, n);
  else if (o->element.type->kind == NR_TYPE_COMPLEX) elements_put_complex(to, number, 0);
  else elements_put_float(to, number);
}

/* Sets o->misfit at an element that does not fit. */
static bool put_values(Operands *o, size_t t, Elements *to) {
  for (size_t i = 0; i < o->stored[t].values.size; i++) {
    int64_t entry = o->stored[t].values.data[i];
    if (entry >= 0 && !value_fits(o, &o->entries[t], (size_t)entry)) {
      o->misfit = entry;
      return false;
    }
    put_value(o, to, &o->entries[t], entry);
  }
  return true;
}

/* What an element is that does not fit, and its line. */
static int misfit(const Operands *o, const char *file, const NrSparseEntries *entries, const char *type) {
  size_t i = (size_t)o->misfit, line = entries->lines.size ? entries->lines.data[i] : 0;
  if (entries->is_int)
    return fail(file, line, "%lld is no %s; --type chooses another", (long long)entries->ints.data[i], type);
  return fail(file, line, "%.17g is no %s%s; --type chooses another", entries->floats.data[i], type,
              nr_type_is_int(o->element.type) ? ", for the file has floats" : "");
}

static bool put_indices(const int64_t *data, size_t size, Elements *to) {
  for (size_t i = 0; i < size; i++)
    if (!elements_put_int(to, data[i])) return false;
  return true;
}

/* The elements and dims of an argument. False: an element does not fit. */
static bool put_argument(Operands *o, const NrSparseValue *arg, Elements *to, int64_t *rank, int64_t *dims) {
  const NrSparseTensor *tensor = &o->job->assignment.tensors[arg->tensor];
  const NrSparseStorage *stored = &o->stored[arg->tensor];
  *rank = 1;
  switch (arg->kind) {
  case NR_SPARSE_EXTENT: *rank = 0; return elements_put_int(to, o->extents[arg->tensor]);
  case NR_SPARSE_SCALAR: *rank = 0; return elements_put_word(to, o->files[arg->tensor]);
  case NR_SPARSE_POSITIONS:
    dims[0] = (int64_t)stored->positions[arg->level].size;
    return put_indices(stored->positions[arg->level].data, stored->positions[arg->level].size, to);
  case NR_SPARSE_COORDINATES:
    dims[0] = (int64_t)stored->coordinates[arg->level].size;
    return put_indices(stored->coordinates[arg->level].data, stored->coordinates[arg->level].size, to);
  case NR_SPARSE_DENSE:
    *rank = (int64_t)tensor->order;
    for (size_t l = 0; l < tensor->order; l++) dims[l] = o->entries[arg->tensor].dims[tensor->format.dims[l]];
    return put_values(o, arg->tensor, to);
  case NR_SPARSE_VALUES: dims[0] = (int64_t)stored->values.size; return put_values(o, arg->tensor, to);
  }
  return false;
}

static int feed(Operands *o, size_t i) {
  const NrSparseValue *arg = &o->job->kernel.args.data[i];
  const NoriaModule *module = noria_program_module(o->job->job.program);
  bool is_values = arg->kind == NR_SPARSE_SCALAR || arg->kind == NR_SPARSE_DENSE || arg->kind == NR_SPARSE_VALUES;
  ElementKind kind;
  if (!element_kind(o->job->job.ctx, o->job->job.input_types.data[i], (NoriaDType)module->inputs[i].dtype, &kind))
    return fail(arg->name, 0, "its type has no elements");
  Elements elements = {.kind = &kind};
  int64_t rank, dims[NR_SPARSE_MAX_ORDER];
  NoriaValue *value = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  if (is_values) o->element = kind;
  bool ok = put_argument(o, arg, &elements, &rank, dims);
  int status = 0;
  if (!ok && o->misfit >= 0)
    status = misfit(o, o->files[arg->tensor], &o->entries[arg->tensor], element_type_name(&kind));
  else if (!ok)
    status = fail(arg->kind == NR_SPARSE_EXTENT ? arg->name : o->files[arg->tensor], 0,
                  "not all of it is %s; --%s chooses another", element_type_name(&kind), is_values ? "type" : "index");
  if (ok && !elements_tensor(&elements, rank, dims, &value, &error)) status = job_report(&o->job->job, &error);
  if (value) nr_vec_push(&o->job->job.feeds, value);
  elements_deinit(&elements);
  return status;
}

static void put_result(const SparseJob *job, size_t i) {
  const NoriaModule *module = noria_program_module(job->job.program);
  Place place = {&module->outputs[i], job->job.output_types.data[i], 0};
  NrBuf text = {0};
  value_print(job->job.ctx, job->job.results.data[i], &place, &text);
  printf("%s = %.*s\n", job->kernel.results.data[i].name, (int)text.size, text.data);
  nr_buf_deinit(&text);
}

static int run(Operands *o) {
  SparseJob *job = o->job;
  const NrSparseAssignment *a = &job->assignment;
  int status = find_files(o);
  for (size_t t = a->adds ? 0 : 1; !status && t < a->num_tensors; t++)
    if (a->tensors[t].order) status = read_tensor(o, t);
  if (!status) status = find_extents(o);
  if (!status) status = job_compile(&job->job);
  for (size_t i = 0; !status && i < job->kernel.args.size; i++) status = feed(o, i);
  if (!status) status = job_run(&job->job);
  for (size_t i = 0; !status && i < job->kernel.results.size; i++) put_result(job, i);
  if (!status && job->job.time) job_put_times(&job->job);
  return status;
}

int sparse_run(SparseJob *job) {
  Operands o = {.job = job, .misfit = -1};
  int status = run(&o);
  for (size_t t = 0; t < NR_SPARSE_MAX_TENSORS; t++) {
    nr_sparse_entries_deinit(&o.entries[t]);
    nr_sparse_storage_deinit(&o.stored[t]);
  }
  return status;
}
