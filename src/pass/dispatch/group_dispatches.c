/* group_dispatches.c - makes dispatches that do not depend on each other parts of one dispatch.
 *
 *   before  rt.dispatch @a::@a[%m, %n, %c1](%x, %p)
 *           rt.dispatch @b::@b[%k, %c1, %c1](%x, %q)
 *   after   rt.dispatch @group::@group[%m * %n + %k](%x, %p, %q, %m, %n, %k)
 *           func.func @group(.., %id, ..) {              in an executable with copies of @a and @b
 *             scf.if %id < %m * %n { call @a(%x, %p, %id mod %m, %id div %m, 0) }
 *             else { call @b(%x, %q, %id - %m * %n, 0, 0) }
 *           }
 *
 * So the branches of a network, or the projections of an attention, run side by side: threads take workgroups of any
 * part, and all wait once instead of once for each dispatch.
 *
 * A part runs at the place of the first one. So what stands between them is moved in front of the first or stays behind
 * it, and a later dispatch moves over others where the cache holds what all of them use. Only dispatches that cannot
 * fail, and access nothing but the buffers that they are given, are moved. A dispatch that has enough workgroups for
 * all threads, or too little work for another thread, stays alone. */
#include "dialect/arith/arith.h"
#include "dialect/arith/fold.h"
#include "dialect/flow/flow.h"
#include "dialect/func/ops.h"
#include "dialect/memref/memref.h"
#include "dialect/rt/ops.h"
#include "dialect/scf/scf.h"
#include "pass/analysis/dependence.h"
#include "pass/analysis/same_ops.h"
#include "pass/core/outline.h"
#include "target/cost.h"

enum { GRID_DIMS = 3, MAX_PARTS = 32, MAX_ITEMS = 64 };
enum { PER_CORE = 32 };            /* workgroups that occupy a core well in one dispatch */
#define ENDLESS (INT64_C(1) << 56) /* workgroups that no run gets through */

/* A function that is dispatched. */
typedef struct Kernel {
  NrOp *func;
  NrOp *executable;
  bool is_known;        /* it only reads and writes its arguments */
  bool *reads, *writes; /* for each argument */
  NrOpList symbols;     /* that it uses */
  double work_ns;       /* of a workgroup, as far as it is known */
  NrStr copy;           /* its name in the executable that is built */
} Kernel;

/* An op between the first part and the last one, or a part. */
typedef struct Item {
  NrOp *op;
  NrMemAccesses accesses;
} Item;

typedef struct Group {
  NrPassContext *pass;
  NrExecutables *executables;
  NrSymbolTables *tables;
  NrMap kernels; /* func.func -> Kernel* */
  NR_VEC(Kernel *) all_kernels;
  NrOpList grouped; /* executables of parts */
  NR_VEC(Item) parts, behind;
  NrOpList before;
  bool is_over;         /* a dispatch is behind the parts */
  int64_t min_work; /* ns */
} Group;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Notes what the function does with its arguments. False when it does something else. */
static bool note_accesses(Kernel *k) {
  NrMemAccesses list = {0};
  NrBlock *entry = nr_func_func_body(k->func);
  bool known = true;
  for (NrBlock *block = entry; block && known; block = block->next)
    for (NrOp *op = block->first; op && known; op = op->next) known = nr_collect_accesses(op, &list);
  for (size_t i = 0; i < list.size && known; i++) {
    const NrMemAccess *access = &list.data[i];
    NrValue *root = nr_memref_root(access->memref);
    bool is_own = nr_op_is(root->op, NR_OP_memref_alloc) || nr_op_is(root->op, NR_OP_memref_alloca);
    bool is_constant = nr_op_is(root->op, NR_OP_memref_get_global) && !access->writes;
    if (root->block == entry) {
      k->reads[root->index] |= access->reads;
      k->writes[root->index] |= access->writes;
    } else if (!is_own && !is_constant) {
      known = false;
    }
  }
  nr_vec_deinit(&list);
  return known;
}

/* Finds the symbols that the function uses, and a name for its copies: that of its executable, or one that no symbol of
 * the host program has. So functions of one name in an executable that is built are one function. */
static bool name_symbols(Group *g, Kernel *k) {
  NrOutline o = {0};
  NrSymbolNames *names = &g->executables->names;
  NrOp *table = nr_op_parent(k->executable);
  NrStr name = nr_op_attr_str(k->func, NR_A_sym_name);
  bool can_copy = nr_outline_needs_symbols(&o, k->func);
  for (size_t i = 0; i < o.symbols.size; i++) {
    nr_vec_push(&k->symbols, o.symbols.data[i]);
    nr_symbol_free_name(names, table, nr_op_attr_str(o.symbols.data[i], NR_A_sym_name)); /* takes it */
  }
  bool is_outlined = nr_str_eq(name, nr_op_attr_str(k->executable, NR_A_sym_name));
  k->copy = is_outlined ? name : nr_symbol_free_name(names, table, name);
  nr_outline_deinit(&o);
  return can_copy;
}

static Kernel *analyse(Group *g, NrOp *func) {
  NrBlock *entry = nr_func_func_body(func);
  Kernel *k = NR_NEW(g->pass->scratch, Kernel);
  *k = (Kernel){.func = func, .executable = nr_op_parent(func)};
  while (k->executable && !nr_op_is(k->executable, NR_OP_flow_executable)) k->executable = nr_op_parent(k->executable);
  k->reads = NR_NEW_ARRAY(g->pass->scratch, bool, 2 * entry->num_args + 1);
  k->writes = k->reads + entry->num_args;
  memset(k->reads, 0, 2 * entry->num_args);
  k->is_known = k->executable && note_accesses(k) && name_symbols(g, k);
  for (NrBlock *block = entry; block; block = block->next)
    k->work_ns += nr_cost_ns(g->pass->target, nr_cost_of_block(g->pass->target, block, false), 0);
  nr_vec_push(&g->all_kernels, k);
  return k;
}

/* NULL where the dispatch runs no function of this module. */
static Kernel *kernel_of(Group *g, const NrOp *dispatch) {
  NrOp *op = (NrOp *)dispatch;
  NrOp *func = nr_flow_function(nr_symbol_find(g->tables, op, nr_op_attr(op, NR_A_entry)));
  if (!func || !nr_op_is(func, NR_OP_func_func) || !nr_func_func_body(func)) return NULL;
  Kernel *k = nr_map_get(&g->kernels, func);
  if (!k) nr_map_set(&g->kernels, func, k = analyse(g, func));
  return k;
}

static bool has_symbol(const Kernel *k, NrStr name) {
  for (size_t i = 0; i < k->symbols.size; i++)
    if (nr_str_eq(nr_op_attr_str(k->symbols.data[i], NR_A_sym_name), name)) return true;
  return false;
}

/* Whether both can be in one executable: symbols of one name are equal. */
static bool agree(const Kernel *a, const Kernel *b) {
  for (size_t i = 0; i < a->symbols.size; i++)
    for (size_t k = 0; k < b->symbols.size; k++) {
      NrOp *x = a->symbols.data[i], *y = b->symbols.data[k];
      if (nr_op_attr(x, NR_A_sym_name) == nr_op_attr(y, NR_A_sym_name) && !nr_symbols_are_same(x, y)) return false;
    }
  return !has_symbol(a, b->copy) && !has_symbol(b, a->copy);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Whether fresh is a buffer that the program allocates when it has other already. */
static bool is_allocated_after(const NrValue *fresh, NrValue *other) {
  NrOp *at = nr_op_is(fresh->op, NR_OP_memref_alloc) ? fresh->op : NULL;
  while (at && at->block != nr_value_block(other)) at = nr_op_parent(at);
  return at && (!other->op || nr_op_is_before(other->op, at));
}

static bool may_share(NrValue *a, NrValue *b) {
  a = nr_memref_root(a);
  b = nr_memref_root(b);
  return nr_may_alias(a, b) && (a == b || (!is_allocated_after(a, b) && !is_allocated_after(b, a)));
}

static bool conflicts(const NrMemAccesses *a, const NrMemAccesses *b) {
  for (size_t i = 0; i < a->size; i++)
    for (size_t k = 0; k < b->size; k++)
      if ((a->data[i].writes || b->data[k].writes) && may_share(a->data[i].memref, b->data[k].memref)) return true;
  return false;
}

static bool conflicts_with_any(const Item *items, size_t count, const NrMemAccesses *list) {
  for (size_t i = 0; i < count; i++)
    if (conflicts(&items[i].accesses, list)) return true;
  return false;
}

/* Adds the accesses of an op of the host program. False when it does more than that. */
static bool collect(Group *g, NrOp *op, NrMemAccesses *out) {
  if (!nr_op_is(op, NR_OP_rt_dispatch)) return nr_collect_accesses(op, out);
  const Kernel *k = kernel_of(g, op);
  NrGroup args = nr_rt_dispatch_args(op);
  if (!k || !k->is_known) return false;
  for (size_t i = 0; i < args.count; i++) {
    NrValue *value = nr_operand(op, args.begin + i);
    if (nr_type_is_memref(value->type) && (k->reads[i] || k->writes[i]))
      nr_vec_push(out, ((NrMemAccess){.op = op, .memref = value, .reads = k->reads[i], .writes = k->writes[i]}));
  }
  return true;
}

/* ---- what is worth it -------------------------------------------------------------------------------------------- */

/* Multiplies the constant dims of the grid. False when that is a number of workgroups that no run gets through;
 * *out_known: all dims are constant. */
static bool multiply_constants(const NrOp *dispatch, int64_t *out, bool *out_known) {
  NrGroup grid = nr_rt_dispatch_grid(dispatch);
  *out = 1;
  *out_known = true;
  for (size_t i = 0; i < grid.count; i++) {
    int64_t size;
    bool known = nr_value_constant_int(nr_operand(dispatch, grid.begin + i), &size);
    *out_known &= known;
    if (known && (!nr_mul_i64(*out, NR_MAX(size, 0), out) || *out > ENDLESS)) return false;
  }
  return true;
}

static bool can_be_part(Group *g, NrOp *op) {
  int64_t workgroups;
  bool known;
  const Kernel *k = nr_op_is(op, NR_OP_rt_dispatch) ? kernel_of(g, op) : NULL;
  if (!k || !k->is_known || !multiply_constants(op, &workgroups, &known)) return false;
  if (!known) return true;
  double work = k->work_ns * (double)workgroups;
  return workgroups <= (int64_t)PER_CORE * g->pass->target->cores && work >= (double)g->min_work;
}

static bool can_join(Group *g, NrOp *op) {
  if (!can_be_part(g, op)) return false;
  for (size_t i = 0; i < g->parts.size; i++)
    if (!agree(kernel_of(g, g->parts.data[i].op), kernel_of(g, op))) return false;
  return true;
}

/* The bytes of the buffers that a dispatch is given; false when a size is not known. */
static bool add_bytes(const NrOp *dispatch, double *sum) {
  NrGroup args = nr_rt_dispatch_args(dispatch);
  for (size_t i = 0; i < args.count; i++) {
    const NrValue *value = nr_operand(dispatch, args.begin + i);
    if (!nr_type_is_memref(value->type)) continue;
    for (uint32_t d = 0; d < value->type->rank; d++)
      if (value->type->dims[d] == NR_DYNAMIC) return false;
    *sum += nr_cost_operand_bytes(value);
  }
  return true;
}

/* Whether the dispatch may run before those behind the parts: these find what they read in the cache all the same. */
static bool fits_in_cache(const Group *g, const NrOp *dispatch) {
  double sum = 0;
  bool known = add_bytes(dispatch, &sum);
  for (size_t i = 0; i < g->parts.size && known; i++) known = add_bytes(g->parts.data[i].op, &sum);
  for (size_t i = 0; i < g->behind.size && known; i++)
    if (nr_op_is(g->behind.data[i].op, NR_OP_rt_dispatch)) known = add_bytes(g->behind.data[i].op, &sum);
  return known && sum <= (double)g->pass->target->cache_bytes[1];
}

/* ---- the ops between parts --------------------------------------------------------------------------------------- */

static bool uses_none_behind(NrOp *op, void *user) {
  const Group *g = user;
  for (uint32_t i = 0; i < op->num_operands; i++)
    for (size_t k = 0; k < g->behind.size; k++)
      if (nr_operand(op, i)->op == g->behind.data[k].op) return false;
  return true;
}

/* Whether op can run before the ops that stay behind the parts. */
static bool passes_behind(Group *g, NrOp *op, const NrMemAccesses *list) {
  return nr_walk_pre(op, uses_none_behind, g) && !conflicts_with_any(g->behind.data, g->behind.size, list);
}

static void push_part(Group *g, NrOp *op, NrMemAccesses list) { nr_vec_push(&g->parts, ((Item){op, list})); }

/* Makes the op another part, or puts it before or behind the parts. False: nothing can be moved over it. */
static bool place(Group *g, NrOp *op, size_t *num_before) {
  NrMemAccesses list = {0};
  bool is_check = nr_op_is(op, NR_OP_rt_check), is_dispatch = nr_op_is(op, NR_OP_rt_dispatch);
  if (nr_op_has(op, NR_TERMINATOR) || (!is_check && !collect(g, op, &list))) {
    nr_vec_deinit(&list);
    return false;
  }
  bool is_free = passes_behind(g, op, &list) && !conflicts_with_any(g->parts.data, g->parts.size, &list);
  if (is_dispatch && is_free && can_join(g, op) && (!g->is_over || fits_in_cache(g, op))) {
    *num_before = g->before.size;
    push_part(g, op, list);
    return true;
  }
  if (is_free && !is_dispatch) {
    nr_vec_push(&g->before, op);
    nr_vec_deinit(&list);
    return true;
  }
  nr_vec_push(&g->behind, ((Item){op, list}));
  g->is_over |= is_dispatch;
  return !is_check; /* what follows it may rely on it */
}

/* ---- the executable ---------------------------------------------------------------------------------------------- */

typedef NR_VEC(NrValue *) Values;

static size_t index_of(Values *values, NrValue *value) {
  for (size_t i = 0; i < values->size; i++)
    if (values->data[i] == value) return i;
  nr_vec_push(values, value);
  return values->size - 1;
}

static bool is_constant_index(const NrValue *value) {
  int64_t n;
  return nr_type_is_index(value->type) && nr_value_constant_int(value, &n);
}

/* The value in the function: an argument, or the same constant. */
static NrValue *inside(NrBuilder *b, Values *inputs, NrBlock *body, NrValue *value) {
  int64_t n;
  bool is_constant = nr_type_is_index(value->type) && nr_value_constant_int(value, &n);
  return is_constant ? nr_arith_constant_index(b, n) : nr_block_arg(body, index_of(inputs, value));
}

/* The dims of a grid up to the last one that is not known to be 1. */
static size_t num_dims(const NrOp *dispatch) {
  NrGroup grid = nr_rt_dispatch_grid(dispatch);
  int64_t size;
  size_t n = grid.count;
  while (n && nr_value_constant_int(nr_operand(dispatch, grid.begin + n - 1), &size) && size == 1) n--;
  return n;
}

/* Workgroups of a dispatch, at most ENDLESS; sizes below 0 count as 0, as in the runtime. */
static NrValue *count_workgroups(NrBuilder *b, const NrOp *dispatch) {
  NrGroup grid = nr_rt_dispatch_grid(dispatch);
  int64_t constants;
  bool known;
  multiply_constants(dispatch, &constants, &known);
  NrValue *total = nr_arith_constant_index(b, constants);
  for (size_t i = 0; i < grid.count && !known; i++) {
    NrValue *size = nr_operand(dispatch, grid.begin + i), *most = nr_arith_constant_index(b, ENDLESS);
    if (is_constant_index(size)) continue;
    size = nr_fold_binary(b, NR_OP_arith_maxsi, size, nr_arith_constant_index(b, 0));
    NrValue *some = nr_fold_binary(b, NR_OP_arith_maxsi, total, nr_arith_constant_index(b, 1));
    NrValue *fits = nr_fold_cmpi(b, NR_CMPI_ULE, size, nr_fold_binary(b, NR_OP_arith_divui, most, some));
    total = nr_fold_select(b, fits, nr_fold_binary(b, NR_OP_arith_muli, total, size), most);
  }
  return total;
}

/* The arguments of the function: what the dispatches are given and their grids, where these are not constant. */
static void collect_inputs(const Group *g, NrValue *const *counts, Values *out) {
  for (size_t p = 0; p < g->parts.size; p++) {
    NrOp *op = g->parts.data[p].op;
    NrGroup args = nr_rt_dispatch_args(op), grid = nr_rt_dispatch_grid(op);
    for (size_t i = 0; i < args.count; i++)
      if (!is_constant_index(nr_operand(op, args.begin + i))) index_of(out, nr_operand(op, args.begin + i));
    for (size_t i = 0; i + 1 < num_dims(op); i++)
      if (!is_constant_index(nr_operand(op, grid.begin + i))) index_of(out, nr_operand(op, grid.begin + i));
    if (p + 1 < g->parts.size && !is_constant_index(counts[p])) index_of(out, counts[p]);
  }
}

/* Runs workgroup id of the part. */
static void call_part(NrBuilder *b, Group *g, size_t part, Values *inputs, NrBlock *body, NrValue *id) {
  NrOp *op = g->parts.data[part].op;
  NrGroup grid = nr_rt_dispatch_grid(op), args = nr_rt_dispatch_args(op);
  Values operands = {0};
  for (size_t i = 0; i < args.count; i++)
    nr_vec_push(&operands, inside(b, inputs, body, nr_operand(op, args.begin + i)));
  for (size_t i = 0; i < GRID_DIMS; i++) {
    bool is_last = i + 1 >= num_dims(op);
    NrValue *size = is_last ? NULL : inside(b, inputs, body, nr_operand(op, grid.begin + i));
    nr_vec_push(&operands, is_last ? id : nr_fold_binary(b, NR_OP_arith_remui, id, size));
    id = is_last ? nr_arith_constant_index(b, 0) : nr_fold_binary(b, NR_OP_arith_divui, id, size);
  }
  NrOp *call = nr_build_op(b, NR_OP_func_call, operands.data, operands.size, NULL, 0);
  nr_op_set_attr(call, NR_A_callee, nr_attr_symbol(b->ctx, kernel_of(g, op)->copy));
  nr_vec_deinit(&operands);
}

/* The parts from the given one on, of which id is a workgroup. */
static void call_parts(NrBuilder *b, Group *g, size_t part, NrValue *const *counts, Values *inputs, NrBlock *body,
                       NrValue *id) {
  if (part + 1 == g->parts.size) {
    call_part(b, g, part, inputs, body, id);
    return;
  }
  NrValue *count = inside(b, inputs, body, counts[part]);
  NrOp *branch = nr_scf_if(b, nr_arith_cmpi(b, NR_CMPI_ULT, id, count), NULL, 0, true);
  NrBuilder then = nr_scf_body_builder(nr_scf_if_then_body(branch));
  NrBuilder other = nr_scf_body_builder(nr_scf_if_else_body(branch));
  call_part(&then, g, part, inputs, body, id);
  call_parts(&other, g, part + 1, counts, inputs, body, nr_arith_binary(&other, NR_OP_arith_subi, id, count));
  nr_scf_yield(&then, NULL, 0);
  nr_scf_yield(&other, NULL, 0);
}

static void copy_symbol(NrBuilder *b, NrOp *symbol, NrStr name) {
  NrMap map = {0};
  NrOp *copy = nr_op_clone(b->module, symbol, &map);
  nr_builder_insert(b, copy);
  nr_op_set_attr(copy, NR_A_sym_name, nr_attr_string(b->ctx, name));
  nr_op_set_attr(copy, NR_A_sym_visibility, nr_attr_string(b->ctx, NR_STR("private")));
  nr_map_deinit(&map);
}

/* Copies the functions of the parts and the constants that these use. */
static void copy_kernels(Group *g, NrBuilder *b) {
  NrMap copied = {0}; /* names, as attributes or functions */
  for (size_t p = 0; p < g->parts.size; p++) {
    Kernel *k = kernel_of(g, g->parts.data[p].op);
    nr_vec_push(&g->grouped, k->executable);
    for (size_t i = 0; i < k->symbols.size; i++) {
      NrAttr name = nr_op_attr(k->symbols.data[i], NR_A_sym_name);
      if (nr_map_has(&copied, name)) continue;
      nr_map_set(&copied, name, k);
      copy_symbol(b, k->symbols.data[i], name->s);
    }
    if (nr_map_has(&copied, k->func)) continue;
    nr_map_set(&copied, k->func, k);
    copy_symbol(b, k->func, k->copy);
  }
  nr_map_deinit(&copied);
}

static NrOp *build_executable(Group *g, NrValue *const *counts, Values *inputs) {
  NrOp *first = g->parts.data[0].op, *host = nr_host_function(first), *executable = nr_executable_create(first);
  NrBuilder b = nr_executable_builder(executable);
  NrOp *func = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_func_func], .loc = first->loc, .num_regions = 1});
  NrBlock *body = nr_block_create(func->module);
  nr_block_append(nr_func_func_region(func), body);
  NrType *types = NR_NEW_ARRAY(g->pass->scratch, NrType, inputs->size + GRID_DIMS);
  for (size_t i = 0; i < inputs->size + GRID_DIMS; i++) {
    types[i] = i < inputs->size ? inputs->data[i]->type : nr_type_index(b.ctx);
    nr_block_add_arg(body, types[i], func->loc);
  }
  nr_op_set_attr(func, NR_A_function_type,
                 nr_attr_type(nr_type_function(b.ctx, types, inputs->size + GRID_DIMS, NULL, 0)));
  nr_op_set_attr(func, NR_A_noria_dispatch, nr_attr_unit(b.ctx));
  copy_kernels(g, &b);
  NrBuilder in = nr_builder_at_end(func->module, body, func->loc);
  call_parts(&in, g, 0, counts, inputs, body, nr_block_arg(body, inputs->size));
  nr_build_op(&in, NR_OP_func_return, NULL, 0, NULL, 0);
  return nr_executable_share(g->executables, executable, host, "group", (NrStr){0});
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Dispatches the parts in the place of the first one. */
static void transform(Group *g, size_t num_before) {
  NrOp *first = g->parts.data[0].op;
  Values inputs = {0}, operands = {0};
  for (size_t i = 0; i < num_before; i++) {
    nr_op_unlink(g->before.data[i]);
    nr_op_insert_before(g->before.data[i], first);
  }
  NrBuilder b = nr_builder_before(first);
  NrValue *counts[MAX_PARTS], *total = NULL;
  for (size_t p = 0; p < g->parts.size; p++) {
    counts[p] = count_workgroups(&b, g->parts.data[p].op);
    total = total ? nr_fold_binary(&b, NR_OP_arith_addi, total, counts[p]) : counts[p];
  }
  nr_vec_push(&operands, total);
  collect_inputs(g, counts, &inputs);
  NrAttr entry = nr_executable_entry(build_executable(g, counts, &inputs));
  for (size_t i = 0; i < inputs.size; i++) nr_vec_push(&operands, inputs.data[i]);
  NrOp *call = nr_build_op(&b, NR_OP_rt_dispatch, operands.data, operands.size, NULL, 0);
  nr_op_set_segments(call, (uint32_t[]){1, (uint32_t)inputs.size}, 2);
  nr_op_set_attr(call, NR_A_entry, entry);
  for (size_t p = 0; p < g->parts.size; p++) nr_op_erase(g->parts.data[p].op);
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&operands);
}

static void clear(Group *g) {
  for (size_t i = 0; i < g->parts.size; i++) nr_vec_deinit(&g->parts.data[i].accesses);
  for (size_t i = 0; i < g->behind.size; i++) nr_vec_deinit(&g->behind.data[i].accesses);
  g->parts.size = g->behind.size = g->before.size = 0;
  g->is_over = false;
}

/* Groups the dispatch with later ones. */
static void group_with_later(Group *g, NrOp *first) {
  NrMemAccesses list = {0};
  size_t num_before = 0; /* of the ops that are moved */
  collect(g, first, &list);
  push_part(g, first, list);
  for (NrOp *op = first->next; op && g->parts.size < MAX_PARTS && g->behind.size + g->before.size < MAX_ITEMS;
       op = op->next)
    if (!place(g, op, &num_before)) break;
  if (g->parts.size > 1) transform(g, num_before);
  clear(g);
}

static bool is_dispatch(const NrOp *op) { return nr_op_is(op, NR_OP_rt_dispatch); }

/* Erases the executables of parts that nothing dispatches any more. */
static void erase_unused(Group *g, NrOp *root) {
  NrOpList found = {0};
  NrMap kept = {0};
  nr_collect_pre(root, is_dispatch, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrAttr entry = nr_op_attr(found.data[i], NR_A_entry);
    NrOp *executable = nr_symbol_resolve(found.data[i], nr_attr_symbol(entry->ctx, entry->s));
    if (executable) nr_map_set(&kept, executable, executable);
  }
  for (size_t i = 0; i < g->grouped.size; i++) {
    NrOp *op = g->grouped.data[i];
    if (nr_map_has(&kept, op)) continue;
    nr_map_set(&kept, op, op); /* it may be in the list again */
    if (nr_str_is(nr_op_attr_str(op, NR_A_sym_visibility), "private")) nr_op_erase(op);
  }
  nr_vec_deinit(&found);
  nr_map_deinit(&kept);
}

static NrStatus group_dispatches_run(NrPassContext *pass, NrOp *root) {
  NrOpList found = {0};
  NrExecutables executables = {0};
  NrSymbolTables tables = {0};
  int64_t min_work = nr_pass_int(pass, "min-work-ns");
  Group g = {.pass = pass, .executables = &executables, .tables = &tables,
             .min_work = min_work < 0 ? nr_cost_workgroup_ns(pass->target) : min_work};
  nr_collect_pre(root, is_dispatch, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    if (!nr_is_erased(op) && nr_host_function(op) && can_be_part(&g, op)) group_with_later(&g, op);
  }
  erase_unused(&g, root);
  for (size_t i = 0; i < g.all_kernels.size; i++) nr_vec_deinit(&g.all_kernels.data[i]->symbols);
  nr_vec_deinit(&g.all_kernels);
  nr_vec_deinit(&g.parts);
  nr_vec_deinit(&g.behind);
  nr_vec_deinit(&g.before);
  nr_vec_deinit(&g.grouped);
  nr_map_deinit(&g.kernels);
  nr_vec_deinit(&found);
  nr_symbol_tables_deinit(&tables);
  nr_executables_deinit(&executables);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_INT("min-work-ns", -1, -1, 1 << 30, "minimal estimated time of a dispatch that is a part; -1: the target's"),
    {0},
};
NR_PASS(group_dispatches, .name = "group-dispatches", .on_while = NR_WHILE_BARRIER, .of_table = true,
        .run = group_dispatches_run, .options = options,
        .doc = "makes dispatches that do not depend on each other parts of one dispatch")
