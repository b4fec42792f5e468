/* try.c - see try.h. */
#include "try.h"

#include <math.h>

#include "../random.h"
#include "base/dtype.h"

/* The interpreter is slow, and most of what a second run could show is shown by the first. */
enum { MAX_ELEMENTS = 1 << 14, MAX_ITEMS = 3, RUNS = 1, CODE_RUNS = 3, RUN_MEMORY = 64 << 20 };

/* ---- values to run on ------------------------------------------------------------------------------------------- */

typedef struct Feeds {
  uint64_t *random;
  struct {
    const char *name;
    int64_t size;
  } symbols[64];
  size_t num_symbols;
} Feeds;

static int64_t size_of_dim(Feeds *f, const char *name) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 0};
  int64_t size = sizes[fuzz_below(f->random, NR_COUNTOF(sizes))];
  if (!name || !*name) return size;
  for (size_t i = 0; i < f->num_symbols; i++)
    if (strcmp(f->symbols[i].name, name) == 0) return f->symbols[i].size;
  if (f->num_symbols == NR_COUNTOF(f->symbols)) return size;
  f->symbols[f->num_symbols].name = name;
  f->symbols[f->num_symbols++].size = size;
  return size;
}

/* Mostly small numbers; now and then any bits. */
static uint64_t random_bits(uint64_t *random, NoriaDType dtype, bool wild) {
  static const int64_t edges[] = {INT64_MIN, INT64_MAX, -1, INT32_MIN, 1ll << 32, 1000000};
  static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1e30, 0.5, -1e9};
  const NrDTypeInfo *info = nr_dtype_info(dtype);
  uint64_t bits = 0;
  if (info->class == NR_DTYPE_BOOL) return fuzz_below(random, 2);
  if (dtype == NORIA_F32 || dtype == NORIA_F64) {
    double d = wild && !fuzz_below(random, 3) ? special[fuzz_below(random, NR_COUNTOF(special))]
                                              : (double)fuzz_below(random, 64) / 8 - 3;
    float f = (float)d;
    if (dtype == NORIA_F32) memcpy(&bits, &f, sizeof f);
    else memcpy(&bits, &d, sizeof d);
    return bits;
  }
  if (info->class == NR_DTYPE_FLOAT || info->class == NR_DTYPE_COMPLEX) return fuzz_random(random);
  if (wild && !fuzz_below(random, 3)) return (uint64_t)edges[fuzz_below(random, NR_COUNTOF(edges))];
  return fuzz_below(random, 6) - (info->class == NR_DTYPE_SIGNED ? 2 : 0);
}

static NoriaValue *strings(const int64_t *dims, int64_t rank, int64_t count, uint64_t *random) {
  static const char *const words[] = {"", "a", "7", "-1.5", "monday", "nan", "\xc3\xa9", "a long line of words"};
  const char **items = nr_calloc((size_t)count + 1, sizeof *items);
  NoriaValue *value = NULL;
  for (int64_t i = 0; i < count; i++) items[i] = words[fuzz_below(random, NR_COUNTOF(words))];
  NoriaStatus status = noria_tensor_create_strings(rank, dims, items, NULL, &value, NULL);
  nr_free(items);
  return status ? NULL : value;
}

static NoriaValue *tensor(Feeds *f, const NoriaValueInfo *info) {
  int64_t dims[NORIA_MAX_RANK], count = 1, rank = info->rank < 0 ? (int64_t)fuzz_below(f->random, 4) : info->rank;
  NoriaDType dtype = (NoriaDType)info->dtype;
  for (int64_t i = 0; i < rank; i++) {
    bool open = info->rank < 0 || info->dims[i] < 0;
    dims[i] = open ? size_of_dim(f, info->rank < 0 ? NULL : info->dim_names[i]) : info->dims[i];
    if (!nr_mul_i64(count, dims[i], &count) || count > MAX_ELEMENTS) return NULL;
  }
  if (dtype == NORIA_STRING) return strings(dims, rank, count, f->random);
  size_t size = noria_dtype_size(dtype);
  bool wild = !fuzz_below(f->random, 3);
  unsigned char *data = nr_calloc((size_t)count + 1, size + sizeof(uint64_t));
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = random_bits(f->random, dtype, wild);
    memcpy(data + (size_t)i * size, &bits, NR_MIN(size, sizeof bits));
  }
  NoriaValue *value = NULL;
  NoriaStatus status = noria_tensor_create(dtype, rank, dims, data, &value, NULL);
  nr_free(data);
  return status ? NULL : value;
}

static NoriaValue *map(Feeds *f, const NoriaValueInfo *info) {
  int64_t size = (int64_t)fuzz_below(f->random, MAX_ITEMS + 1);
  NoriaValueInfo part = {.name = info->name, .dtype = info->key_dtype, .rank = 1, .dims = &size};
  NoriaValue *keys = tensor(f, &part), *values = NULL, *value = NULL;
  part.dtype = info->dtype;
  values = tensor(f, &part);
  if (keys && values) noria_map_create(keys, values, &value, NULL);
  noria_value_release(keys);
  noria_value_release(values);
  return value;
}

/* NULL: no value of that type is made up, because it is too large. */
static NoriaValue *value_of(Feeds *f, const NoriaValueInfo *info, NoriaKind kind) {
  NoriaValue *items[MAX_ITEMS] = {0}, *value = NULL;
  if (kind == NORIA_KIND_TENSOR) return tensor(f, info);
  if (kind == NORIA_KIND_MAP) return map(f, info);
  size_t count = kind == NORIA_KIND_OPTIONAL ? fuzz_below(f->random, 2) : fuzz_below(f->random, MAX_ITEMS + 1);
  NoriaKind item_kind =
      kind == NORIA_KIND_OPTIONAL ? (NoriaKind)info->item_kind : info->key_dtype ? NORIA_KIND_MAP : NORIA_KIND_TENSOR;
  bool made = true;
  for (size_t i = 0; i < count && made; i++) made = (items[i] = value_of(f, info, item_kind)) != NULL;
  if (made && kind == NORIA_KIND_OPTIONAL)
    made = !noria_optional_create(items[0], item_kind, (NoriaDType)info->dtype, &value, NULL);
  else if (made)
    made = !noria_sequence_create((NoriaDType)info->dtype, (const NoriaValue *const *)items, (int64_t)count, &value,
                                  NULL);
  for (size_t i = 0; i < count; i++) noria_value_release(items[i]);
  return made ? value : NULL;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static bool finding(Try *t, const char *what, int status, const char *message) {
  nr_buf_printf(&t->message, "%s: status %d: %s", what, status, message && *message ? message : "without a message");
  return false;
}

/* Reads what the run gave: values that are not whole are to be noticed. */
static void touch(const NoriaValue *value) {
  volatile uint64_t seen = 0;
  if (!value) return;
  for (int64_t i = 0; i < noria_sequence_length(value); i++) touch(noria_sequence_at(value, i));
  touch(noria_optional_item(value));
  touch(noria_map_keys(value));
  touch(noria_map_values(value));
  const unsigned char *data = noria_tensor_data(value);
  for (size_t i = 0; data && i < noria_tensor_size(value); i++) seen += data[i];
  for (int64_t i = 0; !data && i < noria_tensor_count(value); i++) {
    size_t size;
    const char *text = noria_tensor_string(value, i, &size);
    if (text) seen += (unsigned char)text[size];
  }
}

static bool run_once(Try *t, NoriaProgram *program, uint64_t *random) {
  const NoriaModule *module = noria_program_module(program);
  NR_VEC(NoriaValue *) inputs = {0};
  NR_VEC(NoriaValue *) outputs = {0};
  Feeds feeds = {.random = random};
  bool holds = true, made = true;
  for (int32_t i = 0; i < module->num_inputs && made; i++) {
    NoriaValue *value = value_of(&feeds, &module->inputs[i], (NoriaKind)module->inputs[i].kind);
    if ((made = value != NULL)) nr_vec_push(&inputs, value);
  }
  if (made) {
    NoriaError error = NORIA_ERROR_INIT;
    for (int32_t i = 0; i < module->num_outputs; i++) nr_vec_push(&outputs, NULL);
    NoriaStatus status = noria_program_run(program, (const NoriaValue *const *)inputs.data, inputs.size, outputs.data,
                                           outputs.size, NULL, &error);
    t->counts.runs++;
    t->counts.runs_failed += status != NORIA_OK;
    bool outside = status && strstr(error.message ? error.message : "", "out of bounds access");
    if (outside || status == NORIA_ERROR_INTERNAL || (status != NORIA_OK) != (error.message && *error.message))
      holds = finding(t, "run", (int)status, error.message);
    for (size_t i = 0; i < outputs.size && !status; i++) touch(outputs.data[i]);
    noria_error_clear(&error);
  }
  for (size_t i = 0; i < outputs.size; i++) noria_value_release(outputs.data[i]);
  for (size_t i = 0; i < inputs.size; i++) noria_value_release(inputs.data[i]);
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&outputs);
  return holds;
}

static void doing(Try *t, const char *what, const char *stage) {
  t->what.size = 0;
  nr_buf_printf(&t->what, "%s%s", what, stage ? stage : "");
}

bool try_model(Try *t, const NrBuf *bytes, uint64_t random) {
  static const char *const stages[] = {"tensor", "loop", "flow", "buffer", "kernel", NULL,
                                       NULL,     NULL,   NULL,   NULL,     NULL};
  NoriaCompileOptions options = {
      .program = {.threads = 1, .limits = {.time_s = 0.2, .iterations = 1000000, .memory = RUN_MEMORY}},
      .opt_level = 1};
  NrPassOptions passes = {.verify = true};
  NrCompilation unit = {0};
  random |= 1;
  fuzz_random(&random);
  passes.stop_after = stages[fuzz_below(&random, NR_COUNTOF(stages))];
  bool code = !passes.stop_after && fuzz_below(&random, 2), holds = true;
  if (code && fuzz_below(&random, 2)) options.sanitize = "address";
  t->counts.models++;
  t->message.size = 0;
  doing(t, "reads it", NULL);
  NrStatus status = nr_compilation_read_memory(&unit, bytes->data, bytes->size, "model.onnx", NULL, &options);
  bool lowers = !status;
  if (lowers) {
    doing(t, "lowers it", passes.stop_after);
    status = nr_compilation_lower(&unit, &passes);
  }
  if (status) {
    holds = status != NR_ERROR_INTERNAL && unit.errors.size;
    if (!holds) finding(t, lowers ? "lower" : "read", (int)status, unit.errors.data);
    t->counts.refused++;
    nr_compilation_deinit(&unit);
    return holds;
  }
  t->counts.lowered++;
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  doing(t, code ? "makes code" : "interprets it after ", code ? NULL : passes.stop_after);
  NoriaStatus made = code ? nr_compilation_jit(&unit, &options, NULL, &program, &error)
                          : nr_compilation_interpret(&unit, &options, &program, &error);
  if (made) {
    holds = made != NORIA_ERROR_INTERNAL && error.message && *error.message;
    if (!holds) finding(t, "program", (int)made, error.message);
    t->counts.refused++;
  }
  t->counts.compiled += code && !made;
  doing(t, code ? "runs its code" : "runs it after ", code ? NULL : passes.stop_after);
  for (int i = 0; i < (code ? CODE_RUNS : RUNS) && holds && !made; i++) holds = run_once(t, program, &random);
  noria_program_destroy(program);
  noria_error_clear(&error);
  return holds;
}

void try_deinit(Try *t) {
  nr_buf_deinit(&t->what);
  nr_buf_deinit(&t->message);
}
