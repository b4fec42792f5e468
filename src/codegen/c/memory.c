/* memory.c - pointers, loads and stores, allocation, copies, globals. */
#include "codegen/c/c.h"
#include "dialect/memref/memref.h"
#include "dialect/onnx/dtype.h"
#include "dialect/operands.h"
#include "dialect/rt/ops.h"

/* ---- failing ---------------------------------------------------------------------------------------------------- */

void nr_c_fail_unless(NrC *g, NrOp *op, const char *condition, NrStr text, const char *const values[4]) {
  static const char *const zeros[4] = {"0", "0", "0", "0"};
  if (strcmp(condition, "true") == 0) return;
  const char *const *v = values ? values : zeros;
  NrStr place = op ? nr_c_place(g, op) : (NrStr){0};
  const char *fails =
      condition[0] == '!' ? nr_c_text(g, "%s", condition + 1) : nr_c_text(g, "!%s", nr_c_group(g, condition));
  if (condition[0] == '!' && condition[1] == '(') fails = nr_c_text(g, "!%s", nr_c_group(g, condition));
  if (!place.size && !text.size) nr_c_line(g, "if (%s) return 1;", fails);
  else
    nr_c_line(g, "if (%s) return noria_fail(exec, %u, %s, %s, %s, %s);", fails, nr_c_site(g, place, text), v[0], v[1],
              v[2], v[3]);
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

const char *nr_c_address(NrC *g, NrValue *memref, NrValue *index) {
  const char *pointer = nr_c_value(g, memref), *at = nr_c_value(g, index);
  return strcmp(at, "0") ? nr_c_text(g, "%s + %s", pointer, at) : pointer;
}

static const char *element(NrC *g, NrValue *memref, NrValue *index) {
  return nr_c_text(g, "%s[%s]", nr_c_value(g, memref), nr_c_plain(g, index));
}

static NrValue *index_of(NrOp *op) { return nr_operand(op, nr_op_indices(op).begin); }

/* A vector in memory has the alignment of its elements only. */
static NrStatus emit_load(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *memref = nr_op_memref(op), *out = nr_op_result(op);
  NrType elem = memref->type->elem;
  if (elem->kind == NR_TYPE_VECTOR) {
    nr_c_define(g, out, "{0}");
    nr_c_line(g, "memcpy(&%s, %s, sizeof %s);", nr_c_name(g, out), nr_c_address(g, memref, index_of(op)),
              nr_c_name(g, out));
    return NR_OK;
  }
  nr_c_set(g, out, nr_c_from_memory(g, elem, element(g, memref, index_of(op))));
  return NR_OK;
}

static NrStatus emit_store(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *memref = nr_op_memref(op), *value = nr_memref_store_value(op);
  NrType elem = memref->type->elem;
  if (elem->kind == NR_TYPE_VECTOR)
    nr_c_line(g, "memcpy(%s, &%s, sizeof %s);", nr_c_address(g, memref, index_of(op)), nr_c_name(g, value),
              nr_c_name(g, value));
  else
    nr_c_line(g, "%s = %s;", element(g, memref, index_of(op)), nr_c_to_memory(g, elem, nr_c_plain(g, value)));
  return NR_OK;
}

static NrStatus emit_prefetch(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_line(g, "NORIA_PREFETCH(%s, %d, %d);", nr_c_address(g, nr_op_memref(op), index_of(op)),
            nr_op_attr_int(op, NR_A_isWrite, 0) != 0, (int)nr_op_attr_int(op, NR_A_localityHint, 3));
  return NR_OK;
}

static NrStatus emit_pointer(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *shift = nr_rt_pointer_shift(op), *source = nr_rt_pointer_source(op), *out = nr_op_result(op);
  const char *at = shift ? nr_c_address(g, source, shift) : nr_c_value(g, source);
  const char *have = nr_c_type(g, source->type), *want = nr_c_type(g, out->type);
  nr_c_set(g, out, strcmp(have, want) ? nr_c_text(g, "(%s)(void *)%s", want, nr_c_group(g, at)) : at);
  return NR_OK;
}

static NrStatus emit_same(NrC *g, NrOp *op, const NrCRow *row) {
  if (op->num_operands != 1 || op->num_results != 1 ||
      !nr_types_alike(nr_op_only_operand(op)->type, nr_op_result(op)->type))
    return nr_op_error(op, "is compiled between types that differ in the signs of integers only");
  NrValue *from = nr_op_only_operand(op);
  if (nr_map_has(&g->shapes, from)) nr_map_set(&g->shapes, nr_op_result(op), nr_map_get(&g->shapes, from));
  nr_c_set(g, nr_op_result(op), nr_c_plain(g, from));
  return NR_OK;
}

static NrStatus emit_assume_alignment(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_set(g, nr_op_result(op), nr_c_plain(g, nr_memref_assume_alignment_source(op)));
  return NR_OK;
}

static NrStatus emit_address(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *source = nr_memref_extract_aligned_pointer_as_index_source(op);
  nr_c_set(g, nr_op_result(op), nr_c_text(g, "(i64)(intptr_t)%s", nr_c_value(g, source)));
  return NR_OK;
}

/* ---- allocation ------------------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 /* that api->alloc gives */, STACK_BYTES = 128 << 10 /* limit for a function */ };

/* The size of a new buffer where it is known, else -1. */
static int64_t fixed_bytes(NrType type, NrValue *size) {
  int64_t count = 0;
  if (!size) count = type->dims[0];
  else if (!nr_value_constant_int(size, &count)) return -1;
  return count >= 0 && count <= NORIA_MAX_ELEMENTS ? count * (int64_t)nr_c_elem_bytes(type->elem) : -1;
}

static const char *buffer_bytes(NrC *g, NrType type, NrValue *size) {
  int64_t fixed = fixed_bytes(type, size);
  if (fixed >= 0) return nr_c_int(g, fixed);
  return nr_c_text(g, "noria_bytes(%s, %zu)", size ? nr_c_plain(g, size) : nr_c_int(g, type->dims[0]),
                   nr_c_elem_bytes(type->elem));
}

static NrStatus allocated(NrC *g, NrOp *op, const char *call) {
  NrValue *out = nr_op_result(op);
  nr_c_define(g, out, call);
  nr_c_fail_unless(g, op, nr_c_name(g, out), (NrStr){0}, NULL);
  return NR_OK;
}

static NrStatus emit_alloc(NrC *g, NrOp *op, const NrCRow *row) {
  NrGroup size = nr_memref_alloc_sizes(op);
  int64_t align = nr_op_attr_int(op, NR_A_alignment, 0);
  const char *bytes = buffer_bytes(g, nr_op_result(op)->type, size.count ? nr_operand(op, size.begin) : NULL);
  return allocated(g, op,
                   align > ALIGNMENT ? nr_c_text(g, "exec->api->alloc_aligned(exec, %s, %lld)", bytes, (long long)align)
                                     : nr_c_text(g, "noria_alloc(exec, %s)", bytes));
}

static NrStatus emit_dealloc(NrC *g, NrOp *op, const NrCRow *row) {
  const char *call = nr_c_text(g, "exec->api->free(exec, %s)", nr_c_plain(g, nr_memref_dealloc_memref(op)));
  if (nr_loc_in_file(op->loc))
    nr_c_fail_unless(g, op, nr_c_text(g, "!%s", call), NR_STR("'memref.dealloc' op uses memory that was freed"), NULL);
  else nr_c_line(g, "%s;", call);
  return NR_OK;
}

static NrStatus emit_realloc(NrC *g, NrOp *op, const NrCRow *row) {
  const char *bytes = buffer_bytes(g, nr_op_result(op)->type, nr_memref_realloc_size(op));
  return allocated(g, op, nr_c_text(g, "exec->api->realloc(exec, %s, %s)",
                                    nr_c_plain(g, nr_memref_realloc_source(op)), bytes));
}

static NrValue *alloca_size(const NrOp *op) {
  NrGroup sizes = nr_memref_alloca_sizes(op);
  return sizes.count ? nr_operand(op, sizes.begin) : NULL;
}

/* Small buffers of fixed size are arrays of the function; others are blocks of the runtime, which it frees when it
 * returns. */
void nr_c_plan_allocas(NrC *g, NrRegion *region) {
  int64_t total = 0, fixed;
  for (NrBlock *b = region->first; b; b = b->next)
    for (NrOp *op = b->first; op; op = op->next) {
      if (!nr_op_is(op, NR_OP_memref_alloca) || !nr_c_type(g, nr_op_result(op)->type)) continue;
      fixed = fixed_bytes(nr_op_result(op)->type, alloca_size(op));
      if (fixed < 0 || fixed > STACK_BYTES - total) nr_map_set(&g->heap_allocas, op, op);
      else total += fixed;
    }
}

static NrStatus emit_alloca(NrC *g, NrOp *op, const NrCRow *row) {
  NrValue *out = nr_op_result(op);
  NrType type = out->type;
  int64_t align = nr_op_attr_int(op, NR_A_alignment, 0), fixed = fixed_bytes(type, alloca_size(op));
  if (nr_map_has(&g->heap_allocas, op)) {
    const char *bytes = buffer_bytes(g, type, alloca_size(op));
    return allocated(g, op, nr_c_text(g, "noria_frame(exec, &frame, %s, %lld)", bytes, (long long)align));
  }
  int64_t count = fixed / (int64_t)nr_c_elem_bytes(type->elem);
  const char *elem = nr_c_memory(g, type->elem),
             *name = nr_c_local_name(g, nr_str(nr_c_text(g, "%s_array", nr_c_name(g, out))));
  nr_buf_printf(&g->locals, "  NORIA_ALIGNED(%lld) %s %s[%lld];\n",
                (long long)(align        ? align
                            : count < 16 ? 16
                                         : 64),
                elem, name, (long long)NR_MAX(count, 1));
  nr_c_set(g, out, name);
  return NR_OK;
}

static NrStatus emit_copy(NrC *g, NrOp *op, const NrCRow *row) {
  nr_c_line(g, "noria_copy(%s, %s, %s * %zu);", nr_c_address(g, nr_rt_copy_target(op), nr_rt_copy_to(op)),
            nr_c_address(g, nr_rt_copy_source(op), nr_rt_copy_from(op)), nr_c_value(g, nr_rt_copy_count(op)),
            nr_c_elem_bytes(nr_rt_copy_source(op)->type->elem));
  return NR_OK;
}

/* ---- globals ---------------------------------------------------------------------------------------------------- */

enum { SMALL_CONSTANT = 64 /* bytes; larger ones are in noria_module's table */ };
#define MOST_REPEATED ((size_t)1 << 28) /* bytes of a constant with one value for all elements */

static const char *variable(NrC *g, NrOp *global, NrAttr value, NrType elem, size_t count, bool constant) {
  const char *name = nr_c_global_name(g, nr_op_attr_str(global, NR_A_sym_name));
  g->has_variables |= !constant;
  nr_c_put_bytes(g, &g->data, value, elem, count,
                 nr_c_text(g, "static NORIA_ALIGNED(64) %s%%s %s", constant ? "const " : "", name));
  return name;
}

static const char *string_table(NrC *g, NrOp *global, NrAttr value, size_t count) {
  const char *name = nr_c_global_name(g, nr_op_attr_str(global, NR_A_sym_name));
  NrBuf items = {0};
  for (size_t i = 0; i < count; i++)
    nr_buf_printf(&items, "  %s,\n", nr_c_static_string(g, value->strings[value->size == 1 ? 0 : i]));
  nr_buf_printf(&g->data, "static NORIA_ALIGNED(64) void *const %s[%zu] = {\n%s};\n", name, NR_MAX(count, (size_t)1),
                items.size ? items.data : "  NULL,\n");
  nr_buf_deinit(&items);
  return name;
}

static NrStatus emit_get_global(NrC *g, NrOp *op, const NrCRow *row) {
  NrOp *global = nr_symbol_find(&g->symbols, op, nr_op_attr(op, NR_A_name));
  NrValue *out = nr_op_result(op);
  NrType type = out->type;
  int64_t count;
  size_t size;
  if (!nr_op_is(global, NR_OP_memref_global)) return nr_op_error(op, "names no global of this module");
  if (!nr_type_num_elements(type, &count) || !nr_mul_size((size_t)count, nr_type_byte_size(type->elem), &size))
    return nr_op_error(op, "has a type without a fixed size");
  NrAttr value = nr_op_attr(global, NR_A_initial_value);
  bool strings = value && value->kind == NR_ATTR_DENSE_STRINGS, parameter = nr_attr_is_parameter(value);
  if (parameter && !nr_dtype_of_parameter(type->elem))
    return nr_op_error(op, "has elements of type %s, which no parameter has", nr_type_text(g->ctx, type->elem));
  if (value && !parameter && !nr_attr_is_elements(value)) value = strings ? value : NULL;
  if (value && !parameter && value->splat && size > MOST_REPEATED)
    return nr_op_error(op, "names a global of %zu bytes that begin with one value; at most %zu can be written as C",
                       size, MOST_REPEATED);
  bool constant = nr_op_attr(global, NR_A_constant) && value;
  const char *name = nr_map_get(&g->global_data, global);
  if (!name) {
    if (parameter || (constant && !strings && size > SMALL_CONSTANT))
      name = nr_c_constant_data(g, value, nr_op_attr_str(global, NR_A_sym_name));
    else if (strings) name = string_table(g, global, value, (size_t)count);
    else name = variable(g, global, value, type->elem, (size_t)count, constant);
    nr_map_set(&g->global_data, global, (void *)name);
  }
  nr_c_set(g, out, nr_c_text(g, "(%s)(intptr_t)%s", nr_c_type(g, type), name));
  return NR_OK;
}

static NrStatus emit_nothing(NrC *g, NrOp *op, const NrCRow *row) { return NR_OK; }

const NrCRow nr_c_memory_rows[] = {
    {"memref.load", emit_load},
    {"memref.store", emit_store},
    {"memref.prefetch", emit_prefetch},
    {"memref.alloc", emit_alloc},
    {"memref.alloca", emit_alloca},
    {"memref.dealloc", emit_dealloc},
    {"memref.realloc", emit_realloc},
    {"memref.global", emit_nothing},
    {"memref.get_global", emit_get_global},
    {"memref.assume_alignment", emit_assume_alignment},
    {"memref.extract_aligned_pointer_as_index", emit_address},
    {"builtin.unrealized_conversion_cast", emit_same},
    {"rt.copy", emit_copy},
    {"rt.pointer", emit_pointer},
    {0},
};
