/* sparsify_kernel.c - from a structured op with sparse operands to an index expression, whose kernel src/sparse makes.
 *
 *   linalg.generic, maps (d0,d1)->(d0,d1), (d1), (d0), body out + a * x      y(d0) += A(d0,d1) * x(d1)
 *
 * Operands have the names of their values. What the body takes from outside, and its constants, are operands without
 * indices. The function is parsed from the text that src/sparse prints, once for each expression. */
#include "dialect/arith/arith.h"
#include "dialect/func/func.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/checks.h"
#include "pass/linalg/sparsify.h"
#include "sparse/sparse.h"

enum { MAX_EXPRESSION = 4096 }; /* bytes of its text */

typedef struct Tensor {
  NrStr name;
  NrValue *value; /* an element for one without indices */
  NrAttr map;     /* from the loops to its dims; NULL: none */
} Tensor;

typedef struct Kernel {
  NrSparsify *x;
  NrOp *op;
  NrBuilder b;
  Tensor tensors[NR_SPARSE_MAX_TENSORS]; /* the result is the first */
  size_t num_tensors;
  size_t of_arg[NR_SPARSE_MAX_TENSORS]; /* the tensor of each argument of the body */
  size_t num_loops;
  uint32_t reduced; /* a bit for each loop that is a reduction */
  bool adds;
  NrBuf text;     /* of the expression */
  NrBuf formats;  /* "A:ds:0,1" ... with a NUL behind each */
  NrType index;   /* of positions and coordinates; NULL: no operand is sparse */
  NrSparseAssignment *assignment;
  NrSparseKernel made;
} Kernel;

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static bool is_word(const char *name) {
  if (!name[0] || strspn(name, "0123456789") || (name[0] == 'd' && name[1 + strspn(name + 1, "0123456789")] == 0))
    return false;
  return !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool is_taken(const Kernel *k, const char *name) {
  for (size_t t = 0; t < k->num_tensors; t++)
    if (nr_str_is(k->tensors[t].name, name)) return true;
  return false;
}

/* Adds a tensor under the value's name, or "operand2" where it has none. */
static NrStatus add_tensor(Kernel *k, NrValue *value, NrAttr map, size_t *out) {
  if (k->num_tensors == NR_SPARSE_MAX_TENSORS)
    return nr_op_error(k->op, "has too many operands; a sparse kernel has at most %d", NR_SPARSE_MAX_TENSORS);
  const char *name = value->name && is_word(value->name) ? value->name
                                                         : nr_arena_printf(k->x->arena, "operand%zu", k->num_tensors);
  while (is_taken(k, name)) name = nr_arena_printf(k->x->arena, "%s_", name);
  k->tensors[*out = k->num_tensors++] = (Tensor){nr_str(name), value, map};
  return NR_OK;
}

static NrStatus add_format(Kernel *k, const Tensor *tensor) {
  if (!nr_type_is_sparse(tensor->value->type)) return NR_OK;
  NrSparseLevels levels;
  nr_sparse_levels_of(tensor->value->type, &levels);
  NrType index = levels.position;
  bool is_stored = false;
  for (size_t l = 0; l < levels.count; l++) is_stored |= levels.letters[l] != 'd';
  if (!is_stored)
    return nr_op_error(k->op, "'%.*s' has dense levels only; leave out its encoding", NR_STR_ARG(tensor->name));
  if (levels.position != levels.coordinate || (k->index && k->index != index))
    return nr_op_error(k->op, "posWidth and crdWidth of all operands must be equal");
  k->index = index;
  nr_buf_printf(&k->formats, "%.*s:%.*s:", NR_STR_ARG(tensor->name), (int)levels.count, levels.letters);
  for (size_t l = 0; l < levels.count; l++) nr_buf_printf(&k->formats, "%s%zu", l ? "," : "", levels.dims[l]);
  nr_buf_putc(&k->formats, '\0');
  return NR_OK;
}

/* A map whose results are loops. */
static NrStatus check_map(Kernel *k, NrAttr map, size_t operand) {
  for (uint32_t d = 0; d < map->num_exprs; d++) {
    NrAffineExpr e = map->exprs[d];
    if (e->kind != NR_AFFINE_DIM)
      return nr_op_error(k->op, "cannot be lowered with sparse operands: dim %u of operand #%zu is no loop", d,
                         operand);
  }
  return NR_OK;
}

static NrStatus check_type(Kernel *k) {
  NrSparseError error;
  NrValue *out = nr_operand(k->op, nr_linalg_num_inputs(k->op));
  const char *type = nr_type_text(k->x->ctx, nr_type_elem(out->type));
  if (!nr_sparse_check_type(k->x->arena, type, &error)) return NR_OK;
  return nr_op_error(k->op, "cannot be lowered with sparse operands: %s", error.message);
}

/* The result first, as in the expression; inputs in their order behind it. */
static NrStatus add_operands(Kernel *k) {
  size_t inputs = nr_linalg_num_inputs(k->op);
  k->num_loops = nr_linalg_num_loops(k->op);
  if (nr_linalg_num_outputs(k->op) != 1 || k->op->num_results != 1)
    return nr_op_error(k->op, "with sparse operands must have one result, a tensor");
  NR_TRY(check_type(k));
  if (k->num_loops > NR_SPARSE_MAX_INDICES)
    return nr_op_error(k->op, "has %zu loops; a sparse kernel has at most %d", k->num_loops, NR_SPARSE_MAX_INDICES);
  for (size_t i = 0; i < k->num_loops; i++)
    if (nr_linalg_is_reduction(k->op, i)) k->reduced |= 1u << i;
  for (size_t n = 0; n <= inputs; n++) {
    size_t operand = n ? n - 1 : inputs, t;
    NrValue *value = nr_operand(k->op, operand);
    NrAttr map = nr_linalg_map(k->op, operand);
    if (nr_type_is_shaped(value->type) && value->type->kind != NR_TYPE_TENSOR)
      return nr_op_error(k->op, "with sparse operands must have tensors, not %s", nr_type_text(k->x->ctx, value->type));
    if (value->type->kind == NR_TYPE_TENSOR && value->type->rank > NR_SPARSE_MAX_ORDER)
      return nr_op_error(k->op, "has a tensor of %u dims; a sparse kernel has at most %d", value->type->rank,
                         NR_SPARSE_MAX_ORDER);
    NR_TRY(check_map(k, map, operand));
    NR_TRY(add_tensor(k, value, map, &t));
    k->of_arg[operand] = t;
    NR_TRY(add_format(k, &k->tensors[t]));
    if (nr_type_elem(value->type) != nr_type_elem(nr_op_result(k->op)->type))
      return nr_op_error(k->op, "with sparse operands must have one type of elements");
  }
  return NR_OK;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

static void write_access(Kernel *k, NrBuf *out, size_t t) {
  NrAttr map = k->tensors[t].map;
  nr_buf_str(out, k->tensors[t].name);
  for (uint32_t d = 0; map && d < map->num_exprs; d++)
    nr_buf_printf(out, "%sd%lld%s", d ? "," : "(", (long long)map->exprs[d]->value, d + 1 < map->num_exprs ? "" : ")");
}

static uint32_t loops_of(const Kernel *k, size_t t) {
  uint32_t set = 0;
  NrAttr map = k->tensors[t].map;
  for (uint32_t d = 0; map && d < map->num_exprs; d++) set |= 1u << map->exprs[d]->value;
  return set;
}

/* A value of outside of the body, or a constant in it. */
static NrStatus outer_tensor(Kernel *k, NrValue *value, size_t *out) {
  NrBlock *body = nr_op_only_body(k->op);
  if (value->op && value->op->block == body) {
    NrMap none = {0};
    NrOp *copy = nr_op_clone(k->x->module, value->op, &none);
    nr_map_deinit(&none);
    nr_builder_insert(&k->b, copy);
    value = nr_op_result(copy);
  }
  for (*out = 0; *out < k->num_tensors; ++*out)
    if (k->tensors[*out].value == value && !k->tensors[*out].map) return NR_OK;
  return add_tensor(k, value, NULL, out);
}

static NrStatus refuse(Kernel *k, NrOp *inner) {
  NrStr name = nr_op_shown_name(inner);
  bool is_bool = nr_type_is_int_width(nr_type_elem(nr_op_result(inner)->type), 1);
  return nr_op_error(k->op, "cannot be lowered with sparse operands: its body has '%.*s'; expected %s",
                     NR_STR_ARG(name), is_bool ? "arith.ori and arith.andi, the sums and products of i1"
                                               : "additions, subtractions and multiplications");
}

/* + and * of i1 are or and and; its addition, which is xor, is neither. */
static char operator_of(const NrOp *op) {
  if (nr_type_is_int_width(nr_type_elem(nr_op_result(op)->type), 1))
    switch (op->info->id) {
    case NR_OP_arith_ori: return '+';
    case NR_OP_arith_andi: case NR_OP_arith_muli: return '*';
    default: return 0;
    }
  switch (op->info->id) {
  case NR_OP_arith_addf: case NR_OP_arith_addi: case NR_OP_complex_add: return '+';
  case NR_OP_arith_subf: case NR_OP_arith_subi: case NR_OP_complex_sub: return '-';
  case NR_OP_arith_mulf: case NR_OP_arith_muli: case NR_OP_complex_mul: return '*';
  default: return 0;
  }
}

/* Writes a value of the body. out_loops: those of its operands. */
static NrStatus write_value(Kernel *k, NrValue *value, bool in_sum, uint32_t *out_loops) {
  NrBlock *body = nr_op_only_body(k->op);
  NrOp *inner = value->op;
  size_t t;
  *out_loops = 0;
  if (k->text.size > MAX_EXPRESSION) return nr_op_error(k->op, "is too long for a sparse kernel");
  if (value->block == body || !inner || inner->block != body || nr_value_constant(value)) {
    bool is_arg = value->block == body;
    if (is_arg && value->index + 1 == body->num_args)
      return nr_op_error(k->op, "cannot be lowered with sparse operands: its body must add to the output's element");
    if (is_arg) t = k->of_arg[value->index];
    else NR_TRY(outer_tensor(k, value, &t));
    write_access(k, &k->text, t);
    *out_loops = loops_of(k, t);
  } else {
    bool negates = nr_op_is(inner, NR_OP_arith_negf) || nr_op_is(inner, NR_OP_complex_neg);
    char sign = negates ? '!' : operator_of(inner);
    bool sum = in_sum && sign != '*';
    uint32_t left, right = 0;
    if (!sign) return refuse(k, inner);
    nr_buf_puts(&k->text, sign == '!' ? "(-" : "(");
    NR_TRY(write_value(k, sign == '!' ? nr_op_only_operand(inner) : nr_op_lhs(inner), sum, &left));
    if (sign != '!') nr_buf_printf(&k->text, " %c ", sign);
    if (sign != '!') NR_TRY(write_value(k, nr_op_rhs(inner), sum, &right));
    nr_buf_putc(&k->text, ')');
    *out_loops = left | right;
    if (sum) return NR_OK; /* its terms are checked */
  }
  if (!in_sum || !(k->reduced & ~*out_loops)) return NR_OK;
  return nr_op_error(k->op, "cannot be lowered with sparse operands: it sums over d%d a term that does not depend on "
                     "it", __builtin_ctz(k->reduced & ~*out_loops));
}

/* A dense result that does not add is made of zeros: then no element of outs may stay as it is. */
static NrStatus check_all_written(Kernel *k) {
  NrAttr map = k->tensors[0].map;
  for (uint32_t d = 0; d < map->num_exprs; d++)
    for (uint32_t e = 0; e < d; e++)
      if (map->exprs[d]->value == map->exprs[e]->value)
        return nr_op_error(k->op, "cannot be lowered with sparse operands: its result has loop d%lld in two dims, so "
                           "its body must add to the output's element", (long long)map->exprs[d]->value);
  return NR_OK;
}

/* y += value, from a body out + value, value + out or out - value; else y = value. */
static NrStatus write_assignment(Kernel *k) {
  NrBlock *body = nr_op_only_body(k->op);
  NrOp *yield = nr_block_terminator(body);
  NrValue *value = nr_op_only_operand(yield), *out = nr_block_arg(body, body->num_args - 1);
  NrOp *last = value->op && value->op->block == body ? value->op : NULL;
  char sign = last ? operator_of(last) : 0;
  uint32_t loops;
  bool negative = false;
  k->adds = sign && sign != '*' && (nr_op_lhs(last) == out || (sign == '+' && nr_op_rhs(last) == out));
  if (k->adds) {
    negative = sign == '-';
    value = nr_op_lhs(last) == out ? nr_op_rhs(last) : nr_op_lhs(last);
  } else if (k->reduced) {
    return nr_op_error(k->op, "cannot be lowered with sparse operands: its body must add to the output's element");
  }
  bool is_sparse = nr_type_is_sparse(k->tensors[0].value->type);
  if (!is_sparse && !k->adds) NR_TRY(check_all_written(k));
  if (is_sparse && k->adds) {
    const NrSparseParts *parts = nr_map_get(&k->x->parts, k->tensors[0].value);
    if (!parts || !parts->is_empty)
      return nr_op_error(k->op, "cannot be lowered: a sparse result must start as tensor.empty");
    k->adds = false;
  }
  write_access(k, &k->text, 0);
  nr_buf_puts(&k->text, k->adds ? " += " : " = ");
  if (negative) nr_buf_putc(&k->text, '-');
  return write_value(k, value, true, &loops);
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static NrStatus make_kernel(Kernel *k) {
  NrSparseError error;
  NrArena *arena = k->x->arena;
  k->assignment = NR_NEW(arena, NrSparseAssignment);
  NrStatus status = nr_sparse_parse(arena, (NrStr){k->text.data, k->text.size}, k->assignment, &error);
  for (size_t at = 0; !status && at < k->formats.size; at += strlen(k->formats.data + at) + 1)
    status = nr_sparse_set_format(arena, k->assignment, nr_str(k->formats.data + at), &error);
  NrSparseOptions options = {.type = nr_type_text(k->x->ctx, nr_type_elem(nr_op_result(k->op)->type)),
                             .index = k->index ? nr_type_text(k->x->ctx, k->index) : NULL, .name = "sparse_kernel",
                             .check = k->x->check_order};
  if (!status) status = nr_sparse_lower(arena, k->assignment, &options, &k->made, &error);
  if (!status) return NR_OK;
  return nr_op_error(k->op, "cannot be lowered, as '%.*s': %s", (int)k->text.size, k->text.data, error.message);
}

static bool relocate(NrOp *op, void *loc) {
  op->loc = loc;
  return true;
}

/* The function of the kernel's text, made where there is none yet. */
static NrOp *define_kernel(Kernel *k) {
  NrSparsify *x = k->x;
  NrStr text = {k->made.text.data, k->made.text.size};
  NrOp *known = nr_strmap_get(&x->kernels, text);
  if (known && nr_op_parent(known) == x->table) return known;
  NrModule *module = nr_parse_module(x->ctx, text, NR_STR("sparse_kernel.mlir"), NULL, NULL);
  if (!module) return NULL;
  NrMap map = {0};
  NrOp *func = nr_op_clone(x->module, nr_symbol_lookup(module->op, NR_STR("sparse_kernel")), &map);
  nr_map_deinit(&map);
  nr_module_destroy(module);
  if (x->names.table != x->table) {
    nr_symbol_names_deinit(&x->names);
    x->names = (NrSymbolNames){0};
  }
  NrStr name = nr_symbol_free_name(&x->names, x->table, NR_STR("sparse_kernel"));
  nr_walk_pre(func, relocate, (void *)k->op->loc);
  nr_op_set_attr(func, NR_A_sym_name, nr_attr_string(x->ctx, name));
  nr_op_set_attr(func, NR_A_sym_visibility, nr_attr_string(x->ctx, NR_STR("private")));
  nr_op_append(nr_op_only_body(x->table), func);
  nr_strmap_set(&x->kernels, nr_str_copy(x->arena, text), func);
  return func;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static size_t tensor_number(const Kernel *k, NrStr name) {
  size_t t = 0;
  while (!nr_str_eq(k->tensors[t].name, name)) t++;
  return t;
}

/* The range of a loop: the size of a dim of the first operand that has it. */
static NrValue *loop_range(Kernel *k, uint32_t loop) {
  for (size_t n = 1; n <= k->num_tensors; n++) {
    const Tensor *tensor = &k->tensors[n % k->num_tensors];
    for (uint32_t d = 0; tensor->map && d < tensor->map->num_exprs; d++)
      if (tensor->map->exprs[d]->value == loop) return nr_sparsify_size(k->x, &k->b, tensor->value, d);
  }
  assert(!"every loop has a dim");
  return NULL;
}

/* Sizes that the types leave open agree. Those of two dense operands are checked in the kernel. */
static void check_sizes(Kernel *k) {
  for (size_t t = 0; t < k->num_tensors; t++) {
    const Tensor *tensor = &k->tensors[t];
    for (uint32_t d = 0; tensor->map && d < tensor->map->num_exprs; d++) {
      NrValue *size = nr_sparsify_size(k->x, &k->b, tensor->value, d);
      NrValue *range = loop_range(k, (uint32_t)tensor->map->exprs[d]->value);
      int64_t a, b;
      if (size == range || (nr_value_constant_int(size, &a) && nr_value_constant_int(range, &b) && a == b)) continue;
      const char *text =
          nr_arena_printf(k->x->arena, "'%.*s' has %%0 elements in dim %u, but loop d%lld has %%1 values",
                          NR_STR_ARG(tensor->name), d, (long long)tensor->map->exprs[d]->value);
      NrValue *same = nr_arith_cmpi(&k->b, NR_CMPI_EQ, size, range);
      nr_check_unless(&k->b, k->op, same, text, (NrValue *[]){size, range}, 2);
    }
  }
}

static NrValue *argument(Kernel *k, const NrSparseValue *arg, NrType type) {
  if (arg->kind == NR_SPARSE_EXTENT) {
    NrStr name = k->assignment->indices[arg->tensor];
    uint32_t loop = 0;
    for (size_t i = 1; i < name.size; i++) loop = loop * 10 + (uint32_t)(name.data[i] - '0');
    return loop_range(k, loop);
  }
  const Tensor *tensor = &k->tensors[tensor_number(k, k->assignment->tensors[arg->tensor].name)];
  if (arg->kind == NR_SPARSE_DENSE) return nr_build_tensor_cast(&k->b, tensor->value, type);
  if (arg->kind == NR_SPARSE_SCALAR)
    return tensor->value->type == type ? tensor->value : nr_build_extract(&k->b, tensor->value, NULL, 0);
  NrSparseLevels levels;
  const NrSparseParts *parts = nr_map_get(&k->x->parts, tensor->value);
  nr_sparse_levels_of(tensor->value->type, &levels);
  if (arg->kind == NR_SPARSE_VALUES) return parts->arrays[parts->num_arrays - 1];
  return parts->arrays[nr_sparse_array_of(&levels, arg->level, arg->kind == NR_SPARSE_POSITIONS)];
}

/* The result of the op: parts for a sparse one. */
static void take_results(Kernel *k, NrOp *call) {
  NrValue *result = nr_op_result(k->op);
  if (nr_type_is_sparse(result->type)) {
    const NrSparseParts *init = nr_map_get(&k->x->parts, k->tensors[0].value);
    NrSparseParts *parts = nr_sparsify_add(k->x, result);
    memcpy(parts->sizes, init->sizes, sizeof parts->sizes);
    parts->num_arrays = call->num_results;
    for (uint32_t i = 0; i < call->num_results; i++) parts->arrays[i] = nr_result(call, i);
    return;
  }
  NrBuilder b = nr_builder_after(call);
  NrValue *first = nr_op_result(call);
  NrValue *made = result->type->rank ? nr_build_tensor_cast(&b, first, result->type)
                                     : nr_build_from_elements(&b, result->type, &first, 1);
  made->name = result->name;
  nr_op_replace(k->op, made);
}

static NrStatus call_kernel(Kernel *k) {
  NrOp *func = define_kernel(k);
  if (!func) return NR_ERROR_INTERNAL;
  NrType type = nr_func_type(func);
  NrValue **args = NR_NEW_ARRAY(k->x->arena, NrValue *, type->num_inputs + 1);
  check_sizes(k);
  for (uint32_t i = 0; i < type->num_inputs; i++) args[i] = argument(k, &k->made.args.data[i], type->inputs[i]);
  NrOp *call = nr_build_op(&k->b, NR_OP_func_call, args, type->num_inputs, type->results, type->num_results);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(k->x->ctx, nr_op_attr_str(func, NR_A_sym_name)));
  take_results(k, call);
  return NR_OK;
}

static void deinit(Kernel *k) {
  nr_sparse_kernel_deinit(&k->made);
  nr_buf_deinit(&k->text);
  nr_buf_deinit(&k->formats);
}

NrStatus nr_sparsify_generic(NrSparsify *x, NrOp *op) {
  Kernel k = {.x = x, .op = op, .b = nr_builder_before(op)};
  NrStatus status = add_operands(&k);
  if (!status) status = write_assignment(&k);
  if (!status) status = make_kernel(&k);
  if (!status) status = call_kernel(&k);
  deinit(&k);
  return status;
}

/* ---- convert ----------------------------------------------------------------------------------------------------- */

/* An empty tensor of a convert's result, before the op. */
static NrValue *empty_like(NrSparsify *x, NrBuilder *b, NrOp *op) {
  NrType type = nr_op_result(op)->type;
  NrIndex dims[NR_MAX_RANK];
  for (uint32_t d = 0; d < type->rank; d++)
    dims[d] = nr_index_of(nr_sparsify_size(x, b, nr_op_source(op), d));
  return nr_build_tensor_cast(b, nr_build_empty(b, type->elem, dims, type->rank), type);
}

NrStatus nr_sparsify_convert(NrSparsify *x, NrOp *op) {
  NrValue *source = nr_op_source(op), *result = nr_op_result(op);
  if (!nr_type_is_sparse(source->type))
    return nr_op_error(op, "of a dense tensor is not lowered: which elements are entries is known at run time only");
  NrSparseParts *parts = nr_sparsify_parts(x, op, source);
  if (!parts) return NR_ERROR_INVALID;
  if (source->type->layout == result->type->layout) {
    *nr_sparsify_add(x, result) = *parts;
    return NR_OK;
  }
  Kernel k = {.x = x, .op = op, .b = nr_builder_before(op), .num_loops = source->type->rank};
  NrAttr map = nr_attr_affine_identity(x->ctx, source->type->rank);
  NrValue *init = result;
  if (nr_type_is_sparse(result->type)) memcpy(nr_sparsify_add(x, result)->sizes, parts->sizes, sizeof parts->sizes);
  else init = empty_like(x, &k.b, op);
  size_t t;
  NrStatus status = add_tensor(&k, init, map, &t);
  if (!status) status = add_tensor(&k, source, map, &t);
  for (size_t i = 0; i < 2 && !status; i++) status = add_format(&k, &k.tensors[i]);
  write_access(&k, &k.text, 0);
  nr_buf_puts(&k.text, " = ");
  if (!status) write_access(&k, &k.text, 1);
  if (!status) status = make_kernel(&k);
  if (!status) status = call_kernel(&k);
  deinit(&k);
  return status;
}
