/* symbols.c - named dims of a program's inputs.
 *
 * Dims of one name should be equal, but exporters give one name to dims that are not, such as the lengths of an encoder
 * and a decoder. So the lowering begins with all of them apart. Where it meets two sizes that would be the same if two
 * named dims were, as in the sum of two inputs, the program needs these to be equal: they are tied, and the function is
 * lowered again. Tied dims are one value, and keep one name, by which the runtime checks them; the others get names of
 * their own. Dims of the names in noria.warn_symbols are never tied: a run in which they differ warns. */
#include "dialect/onnx/dtype.h"
#include "dialect/scf/scf.h"
#include "ir/text.h"
#include "onnx/lower/core/state.h"
#include "pass/analysis/same_ops.h"

enum { MAX_WALK = 64 }; /* ops that a comparison of two sizes looks at */

static size_t root_of(const NrLowerState *state, size_t symbol) {
  while (state->ties.data[symbol] != symbol) symbol = state->ties.data[symbol];
  return symbol;
}

void nr_lower_bind_symbols(NrLower *l, NrOp *func, NrBlock *entry) {
  NrAttr inputs = nr_op_attr(func, NR_A_noria_inputs);
  NrLowerState *state = l->state;
  state->symbols.size = 0;
  state->warned = nr_op_attr(func, NR_A_noria_warn_symbols);
  for (uint32_t a = 0; inputs && a < entry->num_args && a < inputs->size; a++) {
    NrAttr names = nr_dict_get(inputs->items[a], "dim_names");
    NrValue *arg = entry->args[a];
    if (!names || arg->type->kind != NR_TYPE_TENSOR) continue;
    for (size_t i = 0; i < names->size && i < nr_rank(arg); i++) {
      NrStr name = names->items[i]->s;
      size_t at = state->symbols.size;
      if (!name.size || arg->type->dims[i] != NR_DYNAMIC) continue;
      if (at == state->ties.size) nr_vec_push(&state->ties, at);
      size_t root = root_of(state, at);
      if (root != at) nr_lower_set_dim(l, arg, i, state->symbols.data[root].dim);
      nr_vec_push(&state->symbols, ((NrSymbol){name, nr_lower_dim(l, arg, i), a, i}));
    }
  }
}

/* ---- warnings ---- */

static bool is_warned(const NrLowerState *state, NrStr name) {
  for (size_t i = 0; state->warned && i < state->warned->size; i++)
    if (nr_str_is(state->warned->items[i]->s, "*") || nr_str_eq(state->warned->items[i]->s, name)) return true;
  return false;
}

static NrStr input_name(NrAttr inputs, size_t arg) {
  NrAttr name = nr_dict_get(inputs->items[arg], "name");
  return name ? name->s : NR_STR("");
}

/* Warns if dims of one name differ. first: that of the name which comes first. */
static void warn_of(NrLower *l, NrAttr inputs, const NrSymbol *first, const NrSymbol *s) {
  NrArena *arena = &l->state->arena;
  NrStr names[3] = {input_name(inputs, s->arg), s->name, input_name(inputs, first->arg)};
  for (size_t i = 0; i < 3; i++) names[i] = nr_str_doubled(arena, names[i], '%');
  const char *text = nr_arena_printf(
      arena, "dim %zu of input '%.*s' is %%0, but '%.*s' is %%1 (dim %zu of input '%.*s')", s->index,
      NR_STR_ARG(names[0]), NR_STR_ARG(names[1]), first->index, NR_STR_ARG(names[2]));
  NrValue *sizes[2] = {nr_dim_value(l, s->dim), nr_dim_value(l, first->dim)};
  NrOp *op = nr_scf_if(&l->b, nr_lower_cmpi(l, NR_CMPI_NE, sizes[0], sizes[1]), NULL, 0, false);
  NrBuilder outer = l->b;
  l->b = nr_scf_body_builder(nr_scf_if_then_body(op));
  NrValue *args[3] = {nr_lower_int(l, nr_type_i32(l->ctx), -1)};
  for (size_t i = 0; i < 2; i++) args[i + 1] = nr_lower_op1(l, NR_OP_arith_index_cast, nr_type_i64(l->ctx), sizes[i]);
  NrOp *call = nr_lower_rt_call(l, "warn", args, 3, NULL, 0);
  nr_op_set_attr(call, NR_A_text, nr_attr_string(l->ctx, nr_str(text)));
  nr_scf_yield(&l->b, NULL, 0);
  l->b = outer;
}

void nr_lower_warn_symbols(NrLower *l, NrOp *func) {
  NrAttr inputs = nr_op_attr(func, NR_A_noria_inputs);
  NrLowerState *state = l->state;
  for (size_t i = 0; i < state->symbols.size; i++) {
    size_t first = 0;
    while (!nr_str_eq(state->symbols.data[first].name, state->symbols.data[i].name)) first++;
    if (first < i && is_warned(state, state->symbols.data[i].name))
      warn_of(l, inputs, &state->symbols.data[first], &state->symbols.data[i]);
  }
}

/* ---- ties ---- */

static bool find_symbol(const NrLowerState *state, const NrValue *value, size_t *out) {
  for (size_t i = 0; i < state->symbols.size; i++)
    if (state->symbols.data[i].dim.value == value) return *out = root_of(state, i), true;
  return false;
}

typedef struct Walk {
  NrLowerState *state;
  NrMap same; /* values of the second size -> those of the first that equal them */
  NR_VEC(size_t) pairs;
  size_t steps;
} Walk;

/* Whether the values would be equal if symbols of one name were; collects the pairs of these. */
static bool equal_by_symbols(Walk *w, NrValue *a, NrValue *b) {
  size_t s, t;
  if (a == b || nr_map_get(&w->same, b) == a) return true;
  nr_map_set(&w->same, b, a);
  if (find_symbol(w->state, a, &s) && find_symbol(w->state, b, &t)) {
    nr_vec_push(&w->pairs, s);
    nr_vec_push(&w->pairs, t);
    NrStr name = w->state->symbols.data[s].name;
    return nr_str_eq(name, w->state->symbols.data[t].name) && !is_warned(w->state, name);
  }
  if (!a->op || !b->op || a->op->info != b->op->info || a->op->num_operands != b->op->num_operands) return false;
  if (a->op->num_regions || !nr_op_is_pure(a->op) || ++w->steps > MAX_WALK) return false;
  for (uint32_t i = 0; i < a->op->num_operands; i++)
    if (!equal_by_symbols(w, nr_operand(a->op, i), nr_operand(b->op, i))) return false;
  return a->index == b->index && nr_ops_are_same(a->op, b->op, &w->same);
}

bool nr_lower_dims_equal(NrLower *l, NrDim a, NrDim b) {
  if (nr_dim_same(a, b)) return true;
  if (nr_dim_known(a) || nr_dim_known(b)) return false;
  Walk w = {.state = l->state};
  bool equal = equal_by_symbols(&w, a.value, b.value), same = equal && w.pairs.size == 0;
  if (equal) {
    for (size_t i = 0; i < w.pairs.size; i += 2) {
      size_t s = root_of(l->state, w.pairs.data[i]), t = root_of(l->state, w.pairs.data[i + 1]);
      l->state->tied |= s != t;
      l->state->ties.data[NR_MAX(s, t)] = NR_MIN(s, t);
    }
  }
  nr_map_deinit(&w.same);
  nr_vec_deinit(&w.pairs);
  return same; /* with pairs, the function is lowered again */
}

/* ---- names ---- */

/* The name of the dims that are tied to `root`: the first of the name keep it. */
static NrStr group_name(NrLower *l, size_t root) {
  const NrSymbol *symbols = l->state->symbols.data;
  size_t before = 0;
  for (size_t i = 0; i < root; i++)
    before += root_of(l->state, i) == i && nr_str_eq(symbols[i].name, symbols[root].name);
  if (!before) return symbols[root].name;
  return nr_str(nr_arena_printf(&l->state->arena, "%.*s.%zu", NR_STR_ARG(symbols[root].name), before));
}

NrStr nr_lower_symbol_name(NrLower *l, NrDim d) {
  size_t root;
  if (!d.value || !find_symbol(l->state, d.value, &root)) return NR_STR("");
  return group_name(l, root);
}

/* The description of an input with the name of a dim. */
static NrAttr with_name(NrLower *l, NrAttr info, size_t dim, NrStr name) {
  NrNamedAttr *items = NR_NEW_ARRAY(&l->state->arena, NrNamedAttr, info->num_named);
  for (size_t i = 0; i < info->num_named; i++) {
    items[i] = info->named[i];
    if (!nr_str_is(items[i].name, "dim_names")) continue;
    NrAttr names[NORIA_MAX_RANK], old = items[i].value;
    for (size_t d = 0; d < old->size; d++) names[d] = d == dim ? nr_attr_string(l->ctx, name) : old->items[d];
    items[i].value = nr_attr_array(l->ctx, names, old->size);
  }
  return nr_attr_dict(l->ctx, items, info->num_named);
}

void nr_lower_name_symbols(NrLower *l, NrOp *func) {
  NrAttr inputs = nr_op_attr(func, NR_A_noria_inputs);
  if (!inputs) return;
  NrAttr *infos = NR_NEW_ARRAY(&l->state->arena, NrAttr, inputs->size);
  for (size_t a = 0; a < inputs->size; a++) infos[a] = inputs->items[a];
  for (size_t i = 0; i < l->state->symbols.size; i++) {
    const NrSymbol *s = &l->state->symbols.data[i];
    if (l->state->inferred && is_warned(l->state, s->name)) continue; /* the lowering that stays needs them */
    NrStr name = group_name(l, root_of(l->state, i));
    if (!nr_str_eq(name, s->name)) infos[s->arg] = with_name(l, infos[s->arg], s->index, name);
  }
  nr_op_set_attr(func, NR_A_noria_inputs, nr_attr_array(l->ctx, infos, inputs->size));
}
