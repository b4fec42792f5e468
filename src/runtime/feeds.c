/* feeds.c - checks the inputs of a run against the module, and describes them to compiled code. */
#include "runtime/internal.h"

#include <stdlib.h>

bool nr_feeds_prepare(NoriaProgram *program) {
  const NoriaModule *module = program->module;
  size_t num_dims = 0, at = 0;
  for (int32_t i = 0; i < module->num_inputs; i++) num_dims += (size_t)NR_MAX(module->inputs[i].rank, 0);
  program->dim_symbols = calloc(num_dims + 1, sizeof(int32_t));
  const char **names = calloc(num_dims + 1, sizeof(char *));
  if (!program->dim_symbols || !names) {
    free(names);
    return false;
  }
  for (int32_t i = 0; i < module->num_inputs; i++) {
    const NoriaValueInfo *info = &module->inputs[i];
    for (int32_t d = 0; d < info->rank; d++, at++) {
      const char *name = info->dim_names && info->dims[d] < 0 ? info->dim_names[d] : NULL;
      program->dim_symbols[at] = -1;
      if (!name || !*name) continue;
      int32_t s = 0;
      while (s < program->num_symbols && strcmp(names[s], name) != 0) s++;
      if (s == program->num_symbols) names[program->num_symbols++] = name;
      program->dim_symbols[at] = s;
    }
  }
  free(names);
  return true;
}

static const char *kind_name(int32_t kind) {
  return kind == NORIA_KIND_TENSOR     ? "a tensor"
         : kind == NORIA_KIND_SEQUENCE ? "a sequence"
         : kind == NORIA_KIND_MAP      ? "a map"
                                       : "an optional";
}

static void print_dims(NrBuf *buf, const NoriaValueInfo *info, const int64_t *dims, int64_t rank) {
  nr_buf_putc(buf, '[');
  for (int64_t d = 0; d < rank; d++) {
    if (d) nr_buf_puts(buf, ", ");
    if (dims[d] >= 0)
      nr_buf_printf(buf, "%lld", (long long)dims[d]);
    else
      nr_buf_puts(buf, info && info->dim_names && info->dim_names[d] && *info->dim_names[d] ? info->dim_names[d] : "?");
  }
  nr_buf_putc(buf, ']');
}

static NoriaStatus wrong_shape(const NoriaValueInfo *info, const NoriaValue *value, NoriaError *error) {
  NrBuf want = {0}, have = {0};
  print_dims(&want, info, info->dims, info->rank);
  print_dims(&have, NULL, value->dims, value->as.tensor.rank);
  NoriaStatus status;
  if (value->as.tensor.rank != info->rank)
    status = nr_error_set(error, NORIA_ERROR_INVALID,
                          "input '%s' has rank %d and shape %s, but the value has rank %d and shape %s", info->name,
                          (int)info->rank, want.data, (int)value->as.tensor.rank, have.data);
  else
    status = nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' has shape %s, but the value has shape %s", info->name,
                      want.data, have.data);
  nr_buf_deinit(&want);
  nr_buf_deinit(&have);
  return status;
}

/* Dim `at` of all inputs' dims is not what an earlier dim of the same symbol is: finds that one for the message. */
static NoriaStatus wrong_symbol(const NoriaProgram *program, int32_t input, int32_t dim, size_t at, int64_t have,
                                int64_t want, NoriaError *error) {
  const NoriaModule *module = program->module;
  const NoriaValueInfo *info = &module->inputs[input];
  size_t other = 0;
  for (int32_t i = 0; i <= input; i++)
    for (int32_t d = 0; d < module->inputs[i].rank; d++, other++)
      if (program->dim_symbols[other] == program->dim_symbols[at])
        return nr_error_set(error, NORIA_ERROR_INVALID,
                        "dim %d of input '%s' is %lld, but '%s' is %lld (dim %d of input '%s')", (int)dim, info->name,
                        (long long)have, info->dim_names[dim], (long long)want, (int)d, module->inputs[i].name);
  return nr_error_set(error, NORIA_ERROR_INTERNAL, "the symbol of dim %d of input '%s' is lost", (int)dim, info->name);
}

static NoriaStatus bind_tensor(const NoriaProgram *program, NrExec *e, int32_t input, const NoriaValue *value,
                               size_t at, NoriaError *error) {
  const NoriaValueInfo *info = &program->module->inputs[input];
  NoriaDesc *desc = &e->descs[input];
  int64_t rank = value->as.tensor.rank;
  if (info->rank >= 0 && rank != info->rank) return wrong_shape(info, value, error);
  for (int32_t d = 0; d < info->rank; d++, at++) {
    int64_t have = value->dims[d];
    if (info->dims[d] >= 0 && info->dims[d] != have) return wrong_shape(info, value, error);
    int32_t symbol = program->dim_symbols[at];
    if (symbol < 0) continue;
    if (e->symbols[symbol] < 0) e->symbols[symbol] = have;
    if (e->symbols[symbol] != have) return wrong_symbol(program, input, d, at, have, e->symbols[symbol], error);
  }
  desc->data = value->as.tensor.data;
  desc->rank = rank;
  for (int64_t d = 0; d < rank; d++) desc->dims[d] = value->dims[d];
  return NORIA_OK;
}

/* Whether there is nothing in a sequence or optional that could be a map or not. */
static bool is_empty(const NoriaValue *value) {
  if (value->kind == NORIA_KIND_OPTIONAL) return !value->as.item || is_empty(value->as.item);
  return value->kind == NORIA_KIND_SEQUENCE && value->as.sequence.length == 0;
}

static NoriaStatus check_keys(const NoriaValueInfo *info, const NoriaValue *value, NoriaError *error) {
  static const char *const names[] = {"is without maps", "has maps from int64", "has maps from string"};
  if (value->key_dtype == info->key_dtype || is_empty(value)) return NORIA_OK;
  return nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' %s, but the value %s", info->name,
                      names[info->key_dtype ? 1 + (info->key_dtype == NORIA_STRING) : 0],
                      names[value->key_dtype ? 1 + (value->key_dtype == NORIA_STRING) : 0]);
}

NoriaStatus nr_feeds_bind(NoriaProgram *program, NrExec *e, const NoriaValue *const *inputs, size_t num_inputs,
                          NoriaError *error) {
  const NoriaModule *module = program->module;
  if (num_inputs != (size_t)module->num_inputs)
    return nr_error_set(error, NORIA_ERROR_INVALID, "the program has %d inputs, but %zu are given",
                        (int)module->num_inputs, num_inputs);
  for (int32_t s = 0; s < program->num_symbols; s++) e->symbols[s] = -1;
  size_t at = 0;
  for (int32_t i = 0; i < module->num_inputs; i++) {
    const NoriaValueInfo *info = &module->inputs[i];
    const NoriaValue *value = inputs ? inputs[i] : NULL;
    if (!value) return nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' is missing", info->name);
    if (value->kind != info->kind)
      return nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' is %s, but the value is %s", info->name,
                      kind_name(info->kind), kind_name(value->kind));
    const NoriaValue *item = noria_optional_item(value);
    if (item && item->kind != info->item_kind)
      return nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' is an optional for %s, but it holds %s", info->name,
                          kind_name(info->item_kind), kind_name(item->kind));
    if ((int32_t)value->dtype != info->dtype)
      return nr_error_set(error, NORIA_ERROR_INVALID, "input '%s' is of type %s, but the value is of type %s",
                          info->name, noria_dtype_name((NoriaDType)info->dtype), noria_dtype_name(value->dtype));
    NoriaStatus status = check_keys(info, value, error);
    if (status) return status;
    if (info->kind == NORIA_KIND_TENSOR) {
      status = bind_tensor(program, e, i, value, at, error);
      if (status) return status;
    } else {
      /* A handle of the run's own, so that compiled code may count its references without touching the caller's. */
      NoriaValue *handle = nr_exec_add_handle(e, nr_handle_copy(value));
      if (!handle) return nr_error_set_memory(error, sizeof(NoriaValue));
      e->descs[i].data = handle;
      e->descs[i].rank = 0;
    }
    at += (size_t)NR_MAX(info->rank, 0);
  }
  return NORIA_OK;
}
