/* compose.c - composes a map or set with the ops that compute its operands:
 *
 *   %1 = affine.apply (d0) -> (d0 + 1)(%i)
 *   affine.load %m[%1 * 2 + %c3]              becomes        affine.load %m[%i * 2 + 5] */
#include "dialect/affine/affine.h"
#include "dialect/affine/range.h"

/* A map that has grown beyond this is not composed further: a chain of n ops could give an expression of 2^n terms. */
enum { MAX_TERMS = NR_MAX_NESTING / 2 };

typedef NR_VEC(NrValue *) Values;
typedef NR_VEC(NrAffineExpr) Exprs;

typedef struct Composer {
  NrContext *ctx;
  Exprs exprs;
  Values dims, symbols; /* NULL where the value was replaced */
} Composer;

static size_t terms(NrAffineExpr e) { return e->lhs ? 1 + terms(e->lhs) + terms(e->rhs) : 1; }

/* Substitutes all dims and symbols in every expression. */
static void replace_all(Composer *c, const NrAffineExpr *dims, const NrAffineExpr *symbols) {
  for (size_t i = 0; i < c->exprs.size; i++) c->exprs.data[i] = nr_affine_replace(c->exprs.data[i], dims, symbols);
}

static void identities(Composer *c, Exprs *dims, Exprs *symbols) {
  for (size_t i = 0; i < c->dims.size; i++) nr_vec_push(dims, nr_affine_dim(c->ctx, (uint32_t)i));
  for (size_t i = 0; i < c->symbols.size; i++) nr_vec_push(symbols, nr_affine_symbol(c->ctx, (uint32_t)i));
}

/* The expression that an affine.apply computes, with its operands added to the composer's values. In a symbol all
 * operands become symbols. */
static NrAffineExpr take_apply(Composer *c, const NrOp *apply, bool as_symbol) {
  NrAttr map = nr_op_attr(apply, NR_A_map);
  Exprs dims = {0}, symbols = {0};
  for (uint32_t i = 0; i < apply->num_operands; i++) {
    bool is_symbol = as_symbol || i >= map->num_dims;
    Values *to = is_symbol ? &c->symbols : &c->dims;
    NrAffineExpr e =
        is_symbol ? nr_affine_symbol(c->ctx, (uint32_t)to->size) : nr_affine_dim(c->ctx, (uint32_t)to->size);
    nr_vec_push(to, nr_operand(apply, i));
    nr_vec_push(i < map->num_dims ? &dims : &symbols, e);
  }
  NrAffineExpr e = nr_affine_replace(map->exprs[0], dims.data, symbols.data);
  nr_vec_deinit(&dims);
  nr_vec_deinit(&symbols);
  return e;
}

static bool fits(const Composer *c, const NrOp *apply) {
  size_t size = terms(nr_op_attr(apply, NR_A_map)->exprs[0]);
  for (size_t i = 0; i < c->exprs.size; i++)
    if (terms(c->exprs.data[i]) * size > MAX_TERMS) return false;
  return c->dims.size + c->symbols.size + apply->num_operands < NR_MAX_NESTING;
}

/* Substitutes dims (or symbols) that affine.apply ops define. The operands that are added by this are visited too. */
static bool take_applies(Composer *c, bool symbols) {
  Values *values = symbols ? &c->symbols : &c->dims;
  bool changed = false;
  for (size_t i = 0; i < values->size; i++) {
    const NrOp *apply = values->data[i] ? values->data[i]->op : NULL;
    if (!nr_op_is(apply, NR_OP_affine_apply) || !fits(c, apply)) continue;
    NrAffineExpr value = take_apply(c, apply, symbols);
    Exprs new_dims = {0}, new_symbols = {0};
    identities(c, &new_dims, &new_symbols);
    if (symbols) new_symbols.data[i] = value;
    else new_dims.data[i] = value;
    values->data[i] = NULL;
    replace_all(c, new_dims.data, new_symbols.data);
    nr_vec_deinit(&new_dims);
    nr_vec_deinit(&new_symbols);
    changed = true;
  }
  return changed;
}

/* Turns dims that are valid symbols into symbols. */
static void promote_dims(Composer *c) {
  Exprs dims = {0};
  for (size_t i = 0, count = c->dims.size; i < count; i++) {
    bool promote = c->dims.data[i] && nr_affine_is_symbol(c->dims.data[i]);
    nr_vec_push(&dims, promote ? nr_affine_symbol(c->ctx, (uint32_t)c->symbols.size)
                               : nr_affine_dim(c->ctx, (uint32_t)i));
    if (!promote) continue;
    nr_vec_push(&c->symbols, c->dims.data[i]);
    c->dims.data[i] = NULL;
  }
  replace_all(c, dims.data, NULL);
  nr_vec_deinit(&dims);
}

static void mark_used(NrAffineExpr e, bool *dims, bool *symbols) {
  if (e->kind == NR_AFFINE_DIM) dims[e->value] = true;
  if (e->kind == NR_AFFINE_SYMBOL) symbols[e->value] = true;
  if (!e->lhs) return;
  mark_used(e->lhs, dims, symbols);
  mark_used(e->rhs, dims, symbols);
}

/* Gives each used value its new number: that of an equal value before it, or the next free one. Constant symbols become
 * constants. */
static void number_values(Composer *c, bool symbols, const bool *used, Exprs *out) {
  Values *values = symbols ? &c->symbols : &c->dims;
  Values kept = {0};
  NrMap numbers = {0};
  for (size_t i = 0; i < values->size; i++) {
    NrValue *value = values->data[i];
    int64_t constant;
    NrAffineExpr e = nr_affine_constant(c->ctx, 0); /* stands for an unused value */
    if (used[i] && symbols && nr_value_constant_int(value, &constant)) {
      e = nr_affine_constant(c->ctx, constant);
    } else if (used[i]) {
      size_t number = (size_t)nr_map_get(&numbers, value);
      if (!number) {
        nr_vec_push(&kept, value);
        number = kept.size;
        nr_map_set(&numbers, value, (void *)number);
      }
      e = symbols ? nr_affine_symbol(c->ctx, (uint32_t)number - 1) : nr_affine_dim(c->ctx, (uint32_t)number - 1);
    }
    nr_vec_push(out, e);
  }
  nr_vec_deinit(values);
  *values = kept;
  nr_map_deinit(&numbers);
}

static void drop_values(Composer *c) {
  bool *used_dims = nr_calloc(c->dims.size + 1, sizeof(bool));
  bool *used_symbols = nr_calloc(c->symbols.size + 1, sizeof(bool));
  Exprs dims = {0}, symbols = {0};
  for (size_t i = 0; i < c->exprs.size; i++) mark_used(c->exprs.data[i], used_dims, used_symbols);
  number_values(c, false, used_dims, &dims);
  number_values(c, true, used_symbols, &symbols);
  replace_all(c, dims.data, symbols.data);
  nr_free(used_dims);
  nr_free(used_symbols);
  nr_vec_deinit(&dims);
  nr_vec_deinit(&symbols);
}

NrAttr nr_affine_with_exprs(NrAttr map, const NrAffineExpr *exprs, const bool *is_equality, size_t count) {
  if (map->kind == NR_ATTR_AFFINE_MAP)
    return nr_attr_affine_map(map->ctx, map->num_dims, map->num_symbols, exprs, count);
  return nr_attr_affine_set(map->ctx, map->num_dims, map->num_symbols, exprs, is_equality, count);
}

static void simplify(Composer *c) {
  for (size_t i = 0; i < c->exprs.size; i++)
    c->exprs.data[i] = nr_affine_simplify(c->exprs.data[i], (uint32_t)c->dims.size, (uint32_t)c->symbols.size);
}

/* Simplifies divisions and remainders whose value follows from the bounds of the enclosing loops. */
static void simplify_divisions(Composer *c) {
  Values operands = {0};
  for (size_t i = 0; i < c->dims.size; i++) nr_vec_push(&operands, c->dims.data[i]);
  for (size_t i = 0; i < c->symbols.size; i++) nr_vec_push(&operands, c->symbols.data[i]);
  for (size_t i = 0; i < c->exprs.size; i++)
    c->exprs.data[i] = nr_affine_simplify_in_range(c->exprs.data[i], (uint32_t)c->dims.size, operands.data);
  nr_vec_deinit(&operands);
}

NrAffineApplied nr_affine_compose(NrOp *op, NrAttr map, size_t first) {
  Composer c = {.ctx = map->ctx};
  for (uint32_t i = 0; i < map->num_exprs; i++) nr_vec_push(&c.exprs, map->exprs[i]);
  for (uint32_t i = 0; i < map->num_dims; i++) nr_vec_push(&c.dims, nr_operand(op, first + i));
  for (uint32_t i = 0; i < map->num_symbols; i++) nr_vec_push(&c.symbols, nr_operand(op, first + map->num_dims + i));
  while (take_applies(&c, false) || take_applies(&c, true)) {
  }
  promote_dims(&c);
  drop_values(&c);
  simplify(&c);
  simplify_divisions(&c);
  simplify(&c);
  drop_values(&c); /* terms may have cancelled */
  NrAffineApplied out = {0};
  uint32_t num_dims = (uint32_t)c.dims.size, num_symbols = (uint32_t)c.symbols.size;
  out.map = map->kind == NR_ATTR_AFFINE_MAP
                ? nr_attr_affine_map(c.ctx, num_dims, num_symbols, c.exprs.data, c.exprs.size)
                : nr_attr_affine_set(c.ctx, num_dims, num_symbols, c.exprs.data, map->is_equality, c.exprs.size);
  for (size_t i = 0; i < c.dims.size; i++) nr_vec_push(&out.operands, c.dims.data[i]);
  for (size_t i = 0; i < c.symbols.size; i++) nr_vec_push(&out.operands, c.symbols.data[i]);
  nr_vec_deinit(&c.exprs);
  nr_vec_deinit(&c.dims);
  nr_vec_deinit(&c.symbols);
  return out;
}
