/* fold_constants.c - computes what depends on constants only, once, by compiled code.
 *
 *   %w = arith.constant dense_resource<w> : tensor<384x384xi8>
 *   %f = linalg.generic (sitofp) ins(%w)        ->   %s = arith.constant dense_resource<folded> : tensor<384x384xf32>
 *   %s = linalg.generic (mulf) ins(%f, %scale)
 *
 * The ops are copied to a function of a module of its own, which goes through the whole pipeline, is compiled, runs,
 * and ends. Only ops that cannot fail move, with shapes that are known; they may come from a loop or a branch. A value
 * that is much larger than the constants that it is made of, as an Expand is, stays where reading it takes longer than
 * making it. */
#include "driver/fold_constants.h"

#include <stdio.h>

#include "abi/abi_wrapper.h"
#include "base/guard.h"
#include "dialect/arith/arith.h"
#include "dialect/arith/ops.h"
#include "dialect/func/func.h"
#include "dialect/func/ops.h"
#include "dialect/linalg/linalg.h"
#include "dialect/onnx/dtype.h"
#include "ir/type_info.h"
#include "pass/core/rewrite.h"
#include "pass/linalg/pack_constants.h"
#include "runtime/error.h"
#include "target/cost.h"

enum {
  MOST_GROWTH = 8,         /* result over constants in bytes, i8 to f64, of one that is fast to make */
  SLOW_TO_MAKE = 4,        /* times as long as reading it from memory */
  LEAST_BYTES = 1 << 16,   /* of all results: less is computed in some microseconds, but compiling takes a tenth of a
                            * second */
  MOST_TABLE = 4 << 20,    /* bytes of a result that is kept because it is slow to make */
  MOST_PACKED = 512 << 20, /* bytes of weights that get another layout; the process that compiles has both */
};

typedef struct Value {
  NrOp *op;
  int64_t read;  /* bytes of the constants, of more than one value, that it is made of */
  double ns;     /* of the longest chain of ops that makes it */
  bool computes; /* not only views of constants */
  bool stays;    /* its op stays in the program too */
} Value;

typedef struct Fold {
  NrModule *module;
  const NrOnnxModel *model; /* or NULL */
  const NrTarget *target;
  NrOpList ops;  /* of the entry that depend on constants only, operands first */
  NrMap values;  /* such op -> its Value */
  NrArena arena;
  NR_VEC(NrValue *) roots; /* to compute */
  int64_t bytes;           /* of roots */
} Fold;

static Value *value_of(const Fold *f, const NrOp *op) { return op ? nr_map_get(&f->values, op) : NULL; }

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static bool is_known(NrType type) { return type->kind != NR_TYPE_TENSOR || nr_type_has_static_shape(type); }

typedef struct Operands {
  Fold *fold;
  NrOp *op;
  Value *sum;
} Operands;

/* Adds up the operands of an op and of those in it; ends the walk where one is not known. */
static bool add_operands(NrOp *op, void *user) {
  Operands *o = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = op->operands[i].value;
    const Value *known = value_of(o->fold, value->op);
    if (known) {
      o->sum->ns = NR_MAX(o->sum->ns, known->ns);
      if (nr_add_i64(o->sum->read, known->read, &o->sum->read)) o->sum->computes |= known->computes;
      else return false;
      continue;
    }
    NrOp *at = value->op ? value->op : value->block->region->op;
    while (at && at != o->op) at = nr_op_parent(at);
    if (!at || value->op == o->op) return false;
  }
  return true;
}

static bool is_constant(const NrOp *op) { return nr_op_is(op, NR_OP_arith_constant); }

/* Bytes of a constant with more than one value. */
static int64_t constant_bytes(const NrOp *op) {
  NrAttr value = nr_op_attr(op, NR_A_value);
  int64_t bytes = 0;
  bool dense = value && nr_attr_is_elements(value) && !value->splat && value->type->kind == NR_TYPE_TENSOR;
  return dense && nr_type_num_bytes(value->type, &bytes) ? bytes : 0;
}

/* Whether the op is part of a structured op: linalg.index has no operands, but depends on where it is. */
static bool is_part(const NrOp *op) {
  const NrOp *at = nr_op_parent(op);
  while (at && !nr_linalg_is_structured(at)) at = nr_op_parent(at);
  return at != NULL;
}

static void visit(Fold *f, NrOp *op) {
  if (is_part(op)) return;
  Value sum = {.op = op};
  if (is_constant(op)) sum.read = constant_bytes(op);
  else if (op->num_results == 0 || !nr_op_is_speculatable(op)) return;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (!is_known(op->results[i].type)) return;
  if (!is_constant(op) && !nr_walk_pre(op, add_operands, &(Operands){f, op, &sum})) return;
  sum.computes |= op->num_regions > 0;
  bool known;
  if (nr_linalg_is_structured(op)) sum.ns += nr_cost_structured_ns(f->target, op, &known);
  Value *kept = NR_NEW(&f->arena, Value);
  *kept = sum;
  nr_map_set(&f->values, op, kept);
  nr_vec_push(&f->ops, op);
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

static bool is_used_by_program(const Fold *f, const NrValue *value) {
  for (const NrUse *use = value->first_use; use; use = use->next) {
    const NrOp *at = use->owner;
    while (at && !value_of(f, at)) at = nr_op_parent(at); /* an op in the body of one that depends on constants */
    if (!at || value_of(f, at)->stays) return true;
  }
  return false;
}

/* Whether the value can be a constant that is worth its memory. */
static bool is_worth(const Fold *f, const Value *v, const NrValue *result, int64_t *out_bytes) {
  NrType type = result->type;
  int64_t most;
  bool can = v->computes && v->read > 0 && type->kind == NR_TYPE_TENSOR && nr_dtype_of(type) != NORIA_UNDEFINED &&
             nr_dtype_of(type) != NORIA_STRING && nr_type_num_bytes(type, out_bytes);
  if (!can) return false;
  if (nr_mul_i64(v->read, MOST_GROWTH, &most) && *out_bytes <= most) return true;
  double bytes = (double)*out_bytes;
  return *out_bytes <= MOST_TABLE && v->ns > SLOW_TO_MAKE * nr_cost_ns(f->target, (NrCost){.bytes = bytes}, bytes);
}

/* Users come first: an op that stays needs its operands. */
static void choose(Fold *f) {
  for (size_t i = f->ops.size; i-- > 0;) {
    NrOp *op = f->ops.data[i];
    Value *v = value_of(f, op);
    int64_t bytes, total = 0;
    size_t before = f->roots.size;
    v->stays = is_constant(op);
    for (uint32_t r = 0; r < op->num_results && !v->stays; r++) {
      if (!is_used_by_program(f, &op->results[r])) continue;
      v->stays = !is_worth(f, v, &op->results[r], &bytes) || !nr_add_i64(total, bytes, &total);
      nr_vec_push(&f->roots, &op->results[r]);
    }
    if (v->stays) f->roots.size = before;
    else if (!nr_add_i64(f->bytes, total, &f->bytes)) f->bytes = INT64_MAX;
  }
}

/* ---- computing -------------------------------------------------------------------------------------------------- */

static void copy_operands(NrOp *op, Fold *f, NrMap *needed) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (value_of(f, op->operands[i].value->op)) nr_map_set(needed, op->operands[i].value->op, op);
  for (size_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (NrOp *inner = block->first; inner; inner = inner->next) copy_operands(inner, f, needed);
}

/* A module with a function that gives the roots. */
static NrModule *make_program(Fold *f) {
  NrModule *made = nr_module_create(f->module->ctx, f->module->op->loc);
  NrMap needed = {0}, copies = {0};
  NrType *types = NR_NEW_ARRAY(&f->arena, NrType, f->roots.size);
  for (size_t i = 0; i < f->roots.size; i++) {
    types[i] = f->roots.data[i]->type;
    nr_map_set(&needed, f->roots.data[i]->op, f->roots.data[i]);
  }
  for (size_t i = f->ops.size; i-- > 0;)
    if (nr_map_has(&needed, f->ops.data[i])) copy_operands(f->ops.data[i], f, &needed);
  NrLoc loc = f->module->op->loc;
  NrBuilder b = nr_builder_at_end(made, nr_op_only_body(made->op), loc);
  NrOp *func = nr_func_create(&b, NR_STR("main"), nr_type_function(made->ctx, NULL, 0, types, f->roots.size), false);
  NrBlock *body = nr_block_create(made);
  nr_block_append(nr_func_func_region(func), body);
  for (size_t i = 0; i < f->ops.size; i++)
    if (nr_map_has(&needed, f->ops.data[i])) nr_op_append(body, nr_op_clone(made, f->ops.data[i], &copies));
  NrValue **results = NR_NEW_ARRAY(&f->arena, NrValue *, f->roots.size);
  for (size_t i = 0; i < f->roots.size; i++) results[i] = nr_map_get(&copies, f->roots.data[i]);
  b = nr_builder_at_end(made, body, loc);
  nr_build_op(&b, NR_OP_func_return, results, f->roots.size, NULL, 0);
  nr_map_deinit(&needed);
  nr_map_deinit(&copies);
  return made;
}

static void release_value(void *value) { noria_value_release(value); }
static void destroy_program(void *program) { noria_program_destroy(program); }

void nr_folded_deinit(NrFolded *folded) {
  for (size_t i = 0; i < folded->holds.size; i++) {
    void *value = folded->holds.data[i]->what;
    nr_hold_end(folded->holds.data[i]);
    noria_value_release(value);
  }
  nr_vec_deinit(&folded->holds);
}

/* Runs the program; its results are added to out. */
static NrStatus run_program(NrContext *ctx, const NrCompiled *code, size_t count, NrFolded *out) {
  NoriaError error = NORIA_ERROR_INIT;
  NoriaProgram *program = NULL;
  NoriaValue **results = nr_calloc(count, sizeof *results);
  nr_vec_reserve(&out->holds, out->holds.size + count);
  NrHold *hold = nr_hold(destroy_program);
  size_t first = out->holds.size;
  for (size_t i = 0; i < count; i++) nr_vec_push(&out->holds, nr_hold(release_value));
  NoriaStatus status = noria_program_create(nr_compiled_module(code), NULL, &program, &error);
  hold->what = program;
  if (!status) status = noria_program_run(program, NULL, 0, results, count, NULL, &error);
  for (size_t i = 0; i < count; i++) out->holds.data[first + i]->what = results[i];
  nr_hold_end(hold);
  noria_program_destroy(program);
  nr_free(results);
  if (status) nr_error(ctx, NULL, "constants could not be computed: %s", error.message ? error.message : "");
  noria_error_clear(&error);
  return !status                             ? NR_OK
         : status == NORIA_ERROR_INTERRUPTED ? NR_ERROR_INTERRUPTED
         : status == NORIA_ERROR_MEMORY      ? NR_ERROR_MEMORY
                                             : NR_ERROR_INTERNAL;
}

static NrStatus compute(Fold *f, const NrPassOptions *passes, const NrCodegenOptions *codegen, NrFolded *out) {
  NrModule *program = make_program(f);
  NrPassOptions options = {.target = passes->target, .verify = passes->verify};
  NrCompiled *code = NULL;
  NrStatus status = nr_abi_wrap_entry(program, "main", false);
  if (!status) status = nr_pipeline_run(program, &options);
  if (!status) status = nr_codegen_jit(program, codegen, &code);
  nr_module_destroy(program);
  if (!status) status = run_program(f->module->ctx, code, f->roots.size, out);
  nr_compiled_destroy(code);
  return status;
}

/* Variants of a program compute the same values: the number of an equal one among the first `count`, which then serves
 * in place of value `at`, else `at`. */
static size_t share(const NrFolded *folded, size_t count, size_t at) {
  NrHold *hold = folded->holds.data[at];
  const NoriaValue *value = hold->what;
  size_t size = noria_tensor_size(value);
  for (size_t i = 0; i < count; i++) {
    const NoriaValue *other = folded->holds.data[i]->what;
    if (!other || noria_value_dtype(other) != noria_value_dtype(value) || noria_tensor_size(other) != size ||
        memcmp(noria_tensor_data(other), noria_tensor_data(value), size) != 0)
      continue;
    noria_value_release(hold->what);
    hold->what = NULL;
    return i;
  }
  return at;
}

static void replace(Fold *f, const NrFolded *folded) {
  size_t first = folded->holds.size - f->roots.size;
  for (size_t i = 0; i < f->roots.size; i++) {
    NrValue *root = f->roots.data[i];
    size_t number = share(folded, first, first + i);
    const NoriaValue *value = folded->holds.data[number]->what;
    char key[40];
    snprintf(key, sizeof key, "folded_%zu", number);
    int64_t bytes = 0;
    nr_type_num_bytes(root->type, &bytes);
    NrStr name = nr_context_intern(f->module->ctx, nr_str(key));
    NrBuilder b = nr_builder_before(root->op);
    NrAttr constant = nr_attr_resource(root->type, name, noria_tensor_data(value), (size_t)bytes);
    nr_value_replace_uses(root, nr_arith_constant(&b, constant));
  }
}

/* Weights in files of their own are used where they lie, by all processes together. A product of constants is one
 * itself, or is computed from small ones in each run. */
static bool stays(const NrOp *product, const void *data, void *user) {
  const Fold *f = user;
  return (f->model && nr_onnx_is_external(f->model, data)) || value_of(f, product);
}

/* Finds what to compute in the entry as it is now. */
static void find(Fold *f, NrOp *entry) {
  NrOpList all = {0};
  f->ops.size = f->roots.size = 0;
  f->bytes = 0;
  nr_map_deinit(&f->values);
  f->values = (NrMap){0};
  nr_collect_ops(entry, &all);
  for (size_t i = 0; i < all.size; i++) visit(f, all.data[i]);
  choose(f);
  nr_vec_deinit(&all);
}

NrStatus nr_fold_constants(NrModule *module, const NrOnnxModel *model, const NrPassOptions *passes,
                           const NrCodegenOptions *codegen, int64_t max_bytes, NrFolded *out) {
  Fold f = {.module = module, .model = model, .target = passes->target};
  nr_arena_init(&f.arena);
  NrOp *entry = NULL;
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next)
    if (nr_op_is(op, NR_OP_func_func) && nr_op_attr(op, NR_A_noria_entry)) entry = op;
  if (entry && nr_func_func_body(entry)) {
    find(&f, entry);
    if (f.bytes <= max_bytes) { /* else nothing is computed, so that each run would pack */
      nr_pack_constants(entry, NR_MIN(max_bytes - f.bytes, MOST_PACKED), stays, &f);
      find(&f, entry);
    }
  }
  NrStatus status = NR_OK;
  if (f.roots.size && f.bytes >= LEAST_BYTES && f.bytes <= max_bytes) {
    status = compute(&f, passes, codegen, out);
    if (!status) replace(&f, out);
    if (model) nr_onnx_forget_pages(model); /* folded weights are read from the results from now on */
  }
  nr_vec_deinit(&f.ops);
  nr_vec_deinit(&f.roots);
  nr_map_deinit(&f.values);
  nr_arena_deinit(&f.arena);
  return status;
}
