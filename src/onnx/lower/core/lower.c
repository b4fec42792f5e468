/* lower.c - the driver of the lowering: it walks the ops, calls the function of each, and keeps their results. */
#include "base/guard.h"
#include "dialect/func/ops.h"
#include "onnx/lower/core/state.h"

#include "ir/text.h"
#include "dialect/onnx/attrs.h"
#include "dialect/onnx/dtype.h"

const NrLowerRow nr_lower_rows[] = {
#define LOWER(name, function, ...) {#name, nr_lower_##function, "" __VA_ARGS__},
#include "onnx/lower/core/lower.def"
#undef LOWER
};
const size_t nr_num_lower_rows = NR_COUNTOF(nr_lower_rows);

const NrLowerRow *nr_lower_find(NrStr name) {
  for (size_t i = 0; i < nr_num_lower_rows; i++)
    if (nr_str_is(name, nr_lower_rows[i].name)) return &nr_lower_rows[i];
  return NULL;
}

/* ---- inputs, attributes, outputs ---- */

size_t nr_lower_num_in(NrLower *l) { return l->op->num_operands; }

static NrLowered *lowered(NrLower *l, size_t i) {
  return i < l->op->num_operands ? nr_map_get(&l->state->values, nr_operand(l->op, i)) : NULL;
}

NrValue *nr_lower_in(NrLower *l, size_t i) {
  NrLowered *v = lowered(l, i);
  return v ? v->value : NULL;
}

NoriaDType nr_lower_dtype(NrLower *l, size_t i) {
  NrLowered *v = lowered(l, i);
  return v ? v->dtype : NORIA_UNDEFINED;
}

size_t nr_lower_num_out(NrLower *l) { return l->op->num_results; }

bool nr_lower_wants(NrLower *l, size_t i) { return i < l->op->num_results && nr_value_has_uses(nr_result(l->op, i)); }

static void bind(NrLower *l, NrValue *onnx_value, NrLowered v) {
  if (l->state->inferred) nr_lower_record_value(l, onnx_value, &v);
  NrLowered *copy = NR_NEW(&l->state->arena, NrLowered);
  *copy = v;
  nr_map_set(&l->state->values, onnx_value, copy);
}

NrStatus nr_lower_out(NrLower *l, size_t i, NrValue *value, NoriaDType dtype) {
  if (!value) return NR_ERROR_INVALID;
  /* The type that the model declares for the output, if it declares one, must be the one that the op gives. */
  NoriaDType declared = i < l->op->num_results ? nr_dtype_of(nr_result(l->op, i)->type) : NORIA_UNDEFINED;
  if (declared != NORIA_UNDEFINED && declared != dtype && l->part == NR_WHOLE) {
    NrStr name = nr_str(nr_result(l->op, i)->name);
    return nr_lower_error(l, "output '%.*s' is %s, but the model declares %s", NR_STR_ARG(name), nr_dtype_name(dtype),
                          nr_dtype_name(declared));
  }
  if (i < l->op->num_results) bind(l, nr_result(l->op, i), (NrLowered){value, dtype});
  return NR_OK;
}

NrStatus nr_lower_error(NrLower *l, const char *format, ...) {
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  if (l->op) nr_onnx_op_error(l->op, text.data);
  else nr_error(l->ctx, l->b.loc, "%s", text.data);
  nr_buf_deinit(&text);
  return l->state->refused = NR_ERROR_INVALID;
}

bool nr_lower_takes_attr(NrLower *l, const char *name) { return nr_onnx_attr_known(l->op->info, nr_str(name)); }

NrAttr nr_lower_attr(NrLower *l, const char *name) {
  assert(nr_lower_takes_attr(l, name));
  return nr_op_attr_named(l->op, name);
}

static const NrVersionedAttr *default_of(NrLower *l, const char *name, NrVersionedKind kind) {
  const NrVersionedAttr *row = nr_onnx_attr_default(l->op->info, nr_str(name), l->version);
  assert(row && row->kind == kind);
  return row;
}

/* A required attribute is never absent. */
static bool has_no_default(NrLower *l, const char *name) {
  const NrVersionedAttr *row = nr_onnx_attr_at(l->op->info, nr_str(name), l->version);
  return !row || !row->has_default;
}

int64_t nr_lower_attr_int(NrLower *l, const char *name) {
  NrAttr a = nr_lower_attr(l, name);
  assert(!a || a->kind == NR_ATTR_INTEGER);
  return a ? a->i : default_of(l, name, NR_VERSIONED_INT)->i;
}

int64_t nr_lower_attr_int_or(NrLower *l, const char *name, int64_t absent) {
  assert(has_no_default(l, name));
  NrAttr a = nr_lower_attr(l, name);
  assert(!a || a->kind == NR_ATTR_INTEGER);
  return a ? a->i : absent;
}

double nr_lower_attr_float(NrLower *l, const char *name) {
  NrAttr a = nr_lower_attr(l, name);
  assert(!a || a->kind == NR_ATTR_FLOAT);
  return a ? a->f : (double)default_of(l, name, NR_VERSIONED_FLOAT)->f;
}

double nr_lower_attr_float_or(NrLower *l, const char *name, double absent) {
  assert(has_no_default(l, name));
  NrAttr a = nr_lower_attr(l, name);
  assert(!a || a->kind == NR_ATTR_FLOAT);
  return a ? a->f : absent;
}

NrStr nr_lower_attr_str(NrLower *l, const char *name) {
  NrAttr a = nr_lower_attr(l, name);
  assert(!a || a->kind == NR_ATTR_STRING);
  return a ? a->s : nr_str(default_of(l, name, NR_VERSIONED_STRING)->s);
}

NrStr nr_lower_default_str(NrLower *l, const char *name, size_t i) {
  const NrVersionedAttr *row = default_of(l, name, NR_VERSIONED_STRINGS);
  assert(i < row->count);
  return nr_str(row->strings[i]);
}

bool nr_lower_attr_ints(NrLower *l, const char *name, const int64_t **out, size_t *count) {
  NrAttr a = nr_lower_attr(l, name);
  const NrVersionedAttr *row = a ? NULL : nr_onnx_attr_default(l->op->info, nr_str(name), l->version);
  if (!a && !row) return false;
  assert(!a || (a->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_int_width(a->type, 64)));
  *out = a ? a->data : row->ints;
  *count = a ? a->data_size / sizeof(int64_t) : row->count;
  return true;
}

bool nr_lower_attr_floats(NrLower *l, const char *name, const float **out, size_t *count) {
  NrAttr a = nr_lower_attr(l, name);
  if (!a) return false;
  assert(a->kind == NR_ATTR_DENSE_ARRAY && nr_type_is_float_kind(a->type, NR_F32));
  *out = a->data;
  *count = a->data_size / sizeof(float);
  return true;
}

/* ---- ops and regions ---- */

static NrStatus lower_by_row(NrLower *outer, NrOp *op) {
  NrLower l = *outer;
  l.op = op;
  l.b.loc = op->loc;
  nr_guard_at(op->loc);
  l.version = nr_onnx_version(op);
  if (nr_op_is(op, NR_OP_onnx_NoValue)) return NR_OK;
  const NrLowerRow *row = nr_lower_find(nr_str(op->info->name));
  if (!row) return nr_lower_error(&l, "the op has no lowering");
  const NrOp *before = l.b.block->last;
  NrStatus status = nr_lower_check_inputs(&l, row);
  nr_context_take_oversized(l.ctx);
  bool by_parts = strstr(row->inputs, "parts") && nr_dtype_is_complex(nr_lower_dtype(&l, 0));
  if (!status) status = by_parts ? nr_lower_by_parts(&l, row->lower) : row->lower(&l);
  if (!status) status = l.state->refused;
  NrType oversized = nr_context_take_oversized(l.ctx);
  if (!status && oversized)
    status = nr_lower_error(&l, "it makes a value of type '%s', whose size does not fit in 64 bits",
                            nr_type_text(l.ctx, oversized));
  outer->b = l.b;
  outer->b.loc = op->loc;
  for (uint32_t i = 0; !status && i < op->num_results; i++)
    if (nr_value_has_uses(nr_result(op, i)) && !nr_map_has(&l.state->values, nr_result(op, i)))
      return nr_lower_error(&l, "output %u is used but the op does not give it", i);
  if (!status && l.state->inferred) nr_lower_record_constants(&l, before);
  return status;
}

/* An op that has reported an error is refused, whatever its lowering returns. */
static NrStatus lower_op(NrLower *l, NrOp *op) {
  NrStatus outer = l->state->refused;
  l->state->refused = NR_OK;
  NrStatus status = lower_by_row(l, op);
  if (!status) status = l->state->refused;
  l->state->refused = outer;
  return status;
}

NrStatus nr_lower_region(NrLower *l, NrRegion *region, const NrLowered *args, size_t num_args, NrLowered *out_yields,
                         size_t num_yields) {
  NrBlock *block = region->first;
  if (block->num_args != num_args)
    return nr_lower_error(l, "the body has %u inputs; %zu values are given to it", block->num_args, num_args);
  for (size_t i = 0; i < num_args; i++)
    if (args[i].value) bind(l, nr_block_arg(block, i), args[i]);
  return nr_lower_ops(l, block->first, out_yields, num_yields);
}

NrStatus nr_lower_ops(NrLower *l, NrOp *op, NrLowered *out_yields, size_t num_yields) {
  NrOp *last = op ? nr_block_terminator(op->block) : NULL;
  for (; op && op != last; op = op->next) {
    NrWanted split = {nr_lower_open_operand(l, op)};
    NrStatus status = split.onnx ? NR_OK : lower_op(l, op);
    if (status && l->state->wanted.onnx) {
      split = l->state->wanted;
      l->state->wanted = (NrWanted){0};
    }
    if (split.onnx) return nr_lower_split_versions(l, op, split, out_yields, num_yields);
    if (status) return status;
  }
  if (!last || last->num_operands != num_yields)
    return nr_lower_error(l, "the body gives %u values where %zu are expected", last ? last->num_operands : 0,
                          num_yields);
  for (size_t i = 0; i < num_yields; i++) {
    NrLowered *v = nr_map_get(&l->state->values, nr_operand(last, i));
    if (v) out_yields[i] = *v;
    else return nr_lower_error(l, "output %zu of the body has no value", i);
  }
  return NR_OK;
}

/* ---- functions ---- */

/* The description of an output: names as the model declares them, dtype and dims as lowered. declared: or NULL */
static NrAttr output_info(NrLower *l, NrAttr declared, const NrLowered *v) {
  NrContext *ctx = l->ctx;
  NrType t = v->value->type;
  int64_t dims[NORIA_MAX_RANK];
  NrAttr names[NORIA_MAX_RANK];
  NrAttr declared_names = nr_dict_get(declared, "dim_names");
  size_t rank = t->kind == NR_TYPE_TENSOR ? t->rank : 0;
  for (size_t i = 0; i < rank; i++) {
    dims[i] = t->dims[i] == NR_DYNAMIC ? -1 : t->dims[i];
    bool named = declared_names && declared_names->size == rank && dims[i] < 0;
    names[i] = named ? declared_names->items[i] : nr_attr_string(ctx, NR_STR(""));
  }
  NrAttr name = nr_dict_get(declared, "name");
  NrNamedAttr items[7] = {
      {NR_STR("name"), name ? name : nr_attr_string(ctx, NR_STR(""))},
      {NR_STR("dtype"), nr_attr_i64(ctx, v->dtype)},
      {NR_STR("dims"), nr_attr_i64_array(ctx, dims, rank)},
      {NR_STR("dim_names"), nr_attr_array(ctx, names, rank)},
  };
  size_t count = t->kind == NR_TYPE_UNRANKED_TENSOR ? 2 : 4; /* of any rank: without dims */
  return nr_attr_dict(ctx, items, count + nr_type_kind_attrs(t, items + count));
}

/* A function while it is being lowered. */
typedef struct Func {
  NrOp *op;
  NrLower l;
  NrLowerState state;
  NrBlock *entry; /* of the new body */
  size_t num_args, num_yields;
  NrLowered *args, *yields;
} Func;

/* Drops what was lowered. */
static void restart(Func *f, const NrLower *start) {
  while (f->entry->last) {
    nr_op_drop_uses(f->entry->last);
    nr_op_erase(f->entry->last);
  }
  f->l = *start;
  f->state.tied = false;
  f->state.failures = 0;
  f->state.refused = NR_OK;
  nr_map_clear(&f->state.dims);
  if (f->state.inferred) nr_inferred_clear(f->state.inferred);
}

/* Fills entry. Of the errors of an op the first is reported; others follow from it. */
static NrStatus lower_body(Func *f) {
  NrDiagCapture capture;
  NrBuf why = {0};
  NrLower start = f->l;
  NrStatus status;
  do {
    restart(f, &start);
    nr_buf_deinit(&why);
    why = (NrBuf){0};
    nr_diag_capture_begin(&capture, f->l.ctx);
    nr_lower_bind_symbols(&f->l, f->op, f->entry);
    nr_lower_warn_symbols(&f->l, f->op);
    status = nr_lower_region(&f->l, nr_func_func_region(f->op), f->args, f->num_args, f->yields, f->num_yields);
    nr_diag_capture_end(&capture, &why);
  } while (f->state.tied);
  if (status) nr_error(f->l.ctx, NULL, "%s", why.size ? why.data : "the model cannot be lowered");
  nr_buf_deinit(&why);
  return status;
}

/* Lowers op's region into f->entry, a block of module. f is to be deinitialised, also after an error. */
static NrStatus func_init(Func *f, NrModule *module, NrOp *op, NrInferred *inferred) {
  NrContext *ctx = module->ctx;
  NrBlock *old = nr_op_only_body(op);
  *f = (Func){.op = op,
              .state = {.inferred = inferred},
              .entry = nr_block_create(module),
              .num_args = old->num_args,
              .num_yields = nr_block_terminator(old)->num_operands};
  f->l = (NrLower){.b = nr_builder_at_end(module, f->entry, op->loc), .ctx = ctx, .versions = 1, .state = &f->state};
  f->args = NR_NEW_ARRAY(&f->state.arena, NrLowered, f->num_args);
  f->yields = NR_NEW_ARRAY(&f->state.arena, NrLowered, f->num_yields);
  NrStatus status = NR_OK;
  for (uint32_t i = 0; i < f->num_args; i++) {
    const NrValue *arg = old->args[i];
    NrType type = nr_type_lowered(arg->type);
    if (type->kind != NR_TYPE_NONE && nr_dtype_of(arg->type) == NORIA_UNDEFINED)
      status = nr_error(ctx, nr_arg_loc(arg), "input '%.*s' has no element type", NR_STR_ARG(nr_str(arg->name)));
    NrValue *lowered = nr_block_add_arg(f->entry, type, nr_arg_loc(arg));
    if (nr_type_is_tensor(type) && !nr_type_is_ranked(type)) {
      NrVersions versions = nr_versions_of_ranks(type->elem, 0);
      nr_lower_set_versions(&f->l, lowered, &versions);
    }
    f->args[i] = (NrLowered){lowered, nr_dtype_of(arg->type)};
  }
  return status ? status : lower_body(f);
}

static void func_deinit(Func *f) {
  nr_map_deinit(&f->state.values);
  nr_map_deinit(&f->state.dims);
  nr_map_deinit(&f->state.carried);
  nr_map_deinit(&f->state.versions);
  nr_strmap_deinit(&f->state.kernels);
  nr_vec_deinit(&f->state.symbols);
  nr_vec_deinit(&f->state.ties);
  nr_arena_deinit(&f->state.arena);
}

/* Sets the function's type and noria.outputs to the lowered ones. raised: in the types of dialect onnx. */
static void set_signature(Func *f, bool raised) {
  NrContext *ctx = f->l.ctx;
  NR_VEC(NrType) types = {0};
  NR_VEC(NrAttr) infos = {0};
  NrAttr declared = nr_op_attr(f->op, NR_A_noria_outputs);
  nr_lower_name_symbols(&f->l, f->op);
  for (size_t i = 0; i < f->num_args + f->num_yields; i++) {
    const NrLowered *v = i < f->num_args ? &f->args[i] : &f->yields[i - f->num_args];
    nr_vec_push(&types, raised ? nr_type_raised(v->value->type, v->dtype) : v->value->type);
  }
  for (size_t i = 0; declared && i < f->num_yields; i++)
    nr_vec_push(&infos, output_info(&f->l, i < declared->size ? declared->items[i] : NULL, &f->yields[i]));
  NrType type = nr_type_function(ctx, types.data, f->num_args, types.data + f->num_args, f->num_yields);
  nr_op_set_attr(f->op, NR_A_function_type, nr_attr_type(type));
  if (declared) nr_op_set_attr(f->op, NR_A_noria_outputs, nr_attr_array(ctx, infos.data, infos.size));
  nr_vec_deinit(&types);
  nr_vec_deinit(&infos);
}

NrStatus nr_lower_func(NrModule *module, NrOp *func) {
  Func f;
  NrStatus status = func_init(&f, module, func, NULL);
  if (!status) {
    NrValue **results = NR_NEW_ARRAY(&f.state.arena, NrValue *, f.num_yields);
    for (size_t i = 0; i < f.num_yields; i++) results[i] = f.yields[i].value;
    nr_build_op(&f.l.b, NR_OP_func_return, results, f.num_yields, NULL, 0);
    set_signature(&f, false);
    nr_block_erase(nr_func_func_body(func));
    nr_block_append(nr_func_func_region(func), f.entry);
  } else nr_block_erase(f.entry);
  func_deinit(&f);
  return status;
}

bool nr_func_has_onnx_ops(NrOp *func) {
  NrBlock *body = nr_op_is(func, NR_OP_func_func) ? nr_func_func_body(func) : NULL;
  return body && body->last && nr_op_is(body->last, NR_OP_onnx_Yield);
}

bool nr_module_has_onnx_ops(NrModule *module) {
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next)
    if (nr_func_has_onnx_ops(op)) return true;
  return false;
}

NrStatus nr_lower_infer(NrOp *func, NrInferred *out) {
  NrModule *scratch = nr_module_create(nr_op_context(func), func->loc);
  Func f;
  NrStatus status = func_init(&f, scratch, func, out);
  if (!status) set_signature(&f, true);
  func_deinit(&f);
  nr_module_destroy(scratch);
  return status;
}
