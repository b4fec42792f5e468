/* outline_parameters.c - moves large constants of programs to a safetensors file, and leaves #flow.parameter.named.
 *
 *   before  %w = arith.constant dense<..> : tensor<64x64xf32>
 *   after   %w = flow.tensor.constant #flow.parameter.named<"constant_0"> : tensor<64x64xf32> */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect/arith/ops.h"
#include "dialect/flow/ops.h"
#include "dialect/memref/ops.h"
#include "dialect/onnx/dtype.h"
#include "driver/driver.h"
#include "ir/type_info.h"

typedef struct Outlined {
  NrAttr value, parameter;
  size_t size;
} Outlined;

typedef struct Outline {
  NrContext *ctx;
  int64_t min_bytes;
  NrMap known; /* value -> its parameter */
  NR_VEC(Outlined) all;
} Outline;

/* The name of the elements' type in a safetensors file; NULL: it has none. */
static const char *type_name(NrType elem) {
  switch (nr_dtype_of_parameter(elem)) {
#define SAFETENSOR(name, id)                                                                                           \
  case NORIA_##id: return #name;
#include "base/safetensors.def"
  default: return NULL;
  }
}

/* The parameter that replaces the value, or NULL. Constants of one value stay: they are small in the program. */
static NrAttr parameter_of(Outline *o, NrAttr value) {
  int64_t count;
  size_t size;
  bool dense = value && nr_attr_is_elements(value) && !value->splat && value->kind != NR_ATTR_SPARSE && value->data;
  if (!dense || value->type->kind != NR_TYPE_TENSOR || !type_name(value->type->elem)) return NULL;
  if (!nr_type_num_elements(value->type, &count) ||
      !nr_mul_size((size_t)count, nr_type_byte_size(value->type->elem), &size) || size < (size_t)o->min_bytes)
    return NULL;
  NrAttr known = nr_map_get(&o->known, value);
  if (known) return known;
  char key[32];
  snprintf(key, sizeof key, "constant_%zu", o->all.size);
  NrAttr params[] = {nr_attr_string(o->ctx, (NrStr){0}), nr_attr_string(o->ctx, nr_str(key)), nr_attr_unit(o->ctx)};
  Outlined made = {value, nr_attr_of_dialect(o->ctx, NR_ATTR_flow_parameter_named, params, value->type), size};
  nr_vec_push(&o->all, made);
  nr_map_set(&o->known, value, (void *)made.parameter);
  return made.parameter;
}

static bool outline_op(NrOp *op, void *user) {
  bool is_constant = nr_op_is(op, NR_OP_arith_constant) || nr_op_is(op, NR_OP_flow_tensor_constant);
  bool is_global = nr_op_is(op, NR_OP_memref_global) && nr_op_attr(op, NR_A_constant);
  if (!is_constant && !is_global) return true;
  NrAttr parameter = parameter_of(user, nr_op_attr(op, is_global ? NR_A_initial_value : NR_A_value));
  if (!parameter) return true;
  if (!nr_op_is(op, NR_OP_arith_constant)) {
    nr_op_set_attr(op, is_global ? NR_A_initial_value : NR_A_value, parameter);
    return true;
  }
  NrBuilder b = nr_builder_before(op);
  NrValue *made = nr_build_value(&b, NR_OP_flow_tensor_constant, nr_op_result(op)->type, NULL, 0);
  nr_op_set_attr(made->op, NR_A_value, parameter);
  nr_op_replace(op, made);
  return true;
}

/* Large elements first: then each tensor is aligned to its own. */
static int by_alignment(const void *a, const void *b) {
  const Outlined *x = a, *y = b;
  size_t left = nr_type_byte_size(x->value->type->elem), right = nr_type_byte_size(y->value->type->elem);
  if (left != right) return left > right ? -1 : 1;
  return nr_str_cmp(x->parameter->items[1]->s, y->parameter->items[1]->s);
}

static void put_header(const Outline *o, NrBuf *out) {
  size_t at = 0;
  nr_buf_putc(out, '{');
  for (size_t i = 0; i < o->all.size; i++) {
    const Outlined *entry = &o->all.data[i];
    NrType type = entry->value->type;
    nr_buf_printf(out, "%s\"%.*s\":{\"dtype\":\"%s\",\"shape\":[", i ? "," : "",
                  NR_STR_ARG(entry->parameter->items[1]->s), type_name(type->elem));
    for (uint32_t d = 0; d < type->rank; d++) nr_buf_printf(out, "%s%lld", d ? "," : "", (long long)type->dims[d]);
    nr_buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + entry->size);
    at += entry->size;
  }
  nr_buf_putc(out, '}');
  while (out->size % 8) nr_buf_putc(out, ' ');
}

static NrStatus write_file(Outline *o, const char *path) {
  if (o->all.size) qsort(o->all.data, o->all.size, sizeof *o->all.data, by_alignment);
  NrBuf header = {0};
  put_header(o, &header);
  char length[8];
  for (int i = 0; i < 8; i++) length[i] = (char)(header.size >> 8 * i);
  NrStr *parts = nr_calloc(o->all.size + 2, sizeof *parts);
  parts[0] = (NrStr){length, sizeof length};
  parts[1] = (NrStr){header.data, header.size};
  for (size_t i = 0; i < o->all.size; i++) parts[2 + i] = (NrStr){o->all.data[i].value->data, o->all.data[i].size};
  NrStatus status = nr_file_write_parts(path, parts, o->all.size + 2);
  if (status) nr_error(o->ctx, NULL, "cannot write '%s': %s", path, strerror(errno));
  nr_free(parts);
  nr_buf_deinit(&header);
  return status;
}

NrStatus nr_outline_parameters(NrModule *const *modules, size_t count, const char *path, int64_t min_bytes) {
  Outline o = {.ctx = modules[0]->ctx, .min_bytes = min_bytes};
  for (size_t i = 0; i < count; i++) nr_walk_post(modules[i]->op, outline_op, &o);
  NrStatus status = write_file(&o, path);
  nr_vec_deinit(&o.all);
  nr_map_deinit(&o.known);
  return status;
}
