/* map.c - structured ops while lowering: element-wise maps with broadcasting, generators, reductions, loops. */
#include "dialect/linalg/linalg.h"
#include "dialect/scf/scf.h"
#include "onnx/lower/core/state.h"
#include "pass/core/rewrite.h"

enum { MAX_INPUTS = 64, SMALL = 32 };

/* ---- linalg.generic ---- */

/* Reports operands whose static dims give one loop different trip counts. */
static void check_loops(NrLower *l, NrValue *const *operands, size_t count, const NrAttr *maps, int64_t *sizes) {
  for (size_t k = 0; k < count; k++)
    for (uint32_t r = 0; r < maps[k]->num_exprs; r++) {
      NrAffineExpr e = maps[k]->exprs[r];
      int64_t size = operands[k]->type->dims[r];
      if (e->kind != NR_AFFINE_DIM || size == NR_DYNAMIC) continue;
      if (sizes[e->value] != NR_DYNAMIC && sizes[e->value] != size)
        nr_lower_error(l, "dims of %lld and %lld elements are to be the same", (long long)sizes[e->value],
                       (long long)size);
      sizes[e->value] = size;
    }
}

NrOp *nr_lower_generic(NrLower *l, NrValue *const *inputs, size_t num_inputs, NrValue *const *inits, size_t num_inits,
                       const NrAttr *maps, const char *iterators, NrGenericBodyFn body, void *user) {
  NrValue *results[8];
  int64_t sizes[2 * NR_MAX_RANK];
  assert(num_inits <= NR_COUNTOF(results) && maps[0]->num_dims <= NR_COUNTOF(sizes));
  for (uint32_t d = 0; d < maps[0]->num_dims; d++) sizes[d] = NR_DYNAMIC;
  check_loops(l, inputs, num_inputs, maps, sizes);
  check_loops(l, inits, num_inits, maps + num_inputs, sizes);
  NrOp *op = nr_build_generic(&l->b, inputs, num_inputs, inits, num_inits, maps, iterators);
  NrBlock *block = nr_linalg_generic_body(op);
  NrBuilder outer = l->b;
  l->b = nr_builder_at_end(outer.module, block, outer.loc);
  body(l, block->args, results, user);
  nr_build_op(&l->b, NR_OP_linalg_yield, results, num_inits, NULL, 0);
  l->b = outer;
  return op;
}

NrValue *nr_lower_loop_index(NrLower *l, size_t i) {
  NrType index = nr_type_index(l->ctx);
  NrOp *op = nr_build_op(&l->b, NR_OP_linalg_index, NULL, 0, &index, 1);
  nr_op_set_attr(op, NR_A_dim, nr_attr_i64(l->ctx, (int64_t)i));
  return nr_op_result(op);
}

/* ---- element-wise maps ---- */

typedef struct Map {
  NrBodyFn body;
  void *user;
  size_t count;
  NrShape shape;
  NrValue *const *inputs;
  const NrShape *shapes;
  NrValue *known[MAX_INPUTS]; /* the value of all elements of an input, where all are known to be equal; else NULL */
  int direct[MAX_INPUTS]; /* operand number of an input that is indexed by a map, -1 = known, or read inside the body */
} Map;

/* The scalar that stands for every element: of a tensor of one element that is at hand, or of a constant of equal ones.
 */
static NrValue *known_scalar(NrLower *l, NrValue *tensor) {
  NrValue *element;
  size_t count;
  NrAttr constant = nr_value_constant(tensor);
  if (nr_lower_elements(l, tensor, &element, 1, &count, false) && count == 1) return element;
  if (!constant || constant->kind != NR_ATTR_DENSE || !constant->splat) return NULL;
  return nr_op_result(nr_build_constant(&l->b, nr_attr_element(constant, 0), tensor->type->elem));
}

/* Reads an input whose `?` dims may be 1: the index of such a dim counts only where the dim is not 1. at: indices of
 * the result, NULL for those of the loops. */
static NrValue *read_stretched(NrLower *l, const Map *m, size_t k, NrValue *const *at) {
  NrValue *indices[NORIA_MAX_RANK];
  const NrShape *s = &m->shapes[k];
  size_t missing = m->shape.rank - s->rank;
  for (size_t i = 0; i < s->rank; i++) {
    NrDim in = s->dims[i];
    if (nr_dim_is(in, 1)) indices[i] = nr_lower_index(l, 0);
    else {
      indices[i] = at ? at[i + missing] : nr_lower_loop_index(l, i + missing);
      if (!nr_dim_same(in, m->shape.dims[i + missing])) {
        NrValue *stretched = nr_lower_cmpi(l, NR_CMPI_EQ, nr_dim_value(l, in), nr_lower_index(l, 1));
        indices[i] = nr_lower_select(l, stretched, nr_lower_index(l, 0), indices[i]);
      }
    }
  }
  return nr_lower_extract(l, m->inputs[k], indices, s->rank);
}

static void map_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Map *m = user;
  NrValue *scalars[MAX_INPUTS];
  for (size_t k = 0; k < m->count; k++) {
    if (m->known[k]) scalars[k] = m->known[k];
    else scalars[k] = m->direct[k] >= 0 ? args[m->direct[k]] : read_stretched(l, m, k, NULL);
  }
  results[0] = m->body(l, scalars, m->user);
}

/* The indexing map of an input over the result's dims, or NULL when one of its dims may turn out to be 1. */
static NrAttr input_map(NrLower *l, const NrShape *in, const NrShape *out) {
  NrAffineExpr exprs[NORIA_MAX_RANK];
  size_t missing = out->rank - in->rank;
  for (size_t i = 0; i < in->rank; i++) {
    NrDim d = in->dims[i], o = out->dims[i + missing];
    if (nr_dim_same(d, o)) exprs[i] = nr_affine_dim(l->ctx, (uint32_t)(i + missing));
    else if (nr_dim_is(d, 1)) exprs[i] = nr_affine_constant(l->ctx, 0);
    else return NULL;
  }
  return nr_attr_affine_map(l->ctx, (uint32_t)out->rank, 0, exprs, in->rank);
}

/* Computes each element as a scalar when they are few and the inputs' are known; else NULL. */
static NrValue *map_scalars(NrLower *l, const Map *m, NrType type) {
  int64_t total;
  if (!nr_type_num_elements(type, &total) || total > SMALL) return NULL;
  bool single = total == 1;
  if (!single && m->shape.rank > 1) return NULL;
  NrValue *lists[MAX_INPUTS][SMALL];
  size_t counts[MAX_INPUTS];
  for (size_t k = 0; k < m->count; k++)
    if (!nr_lower_elements(l, m->inputs[k], lists[k], SMALL, &counts[k], single)) return NULL;
  NrValue *elements[SMALL];
  for (int64_t i = 0; i < total; i++) {
    NrValue *scalars[MAX_INPUTS];
    for (size_t k = 0; k < m->count; k++) scalars[k] = lists[k][counts[k] == 1 ? 0 : i];
    elements[i] = m->body(l, scalars, m->user);
    if (!elements[i]) return NULL;
  }
  return nr_lower_from_elements(l, type, elements, (size_t)total);
}

NrValue *nr_lower_map(NrLower *l, NrValue *const *inputs, size_t count, NrType elem, NrBodyFn body, void *user) {
  if (count > MAX_INPUTS) return nr_lower_error(l, "more than %d inputs", MAX_INPUTS), NULL;
  NrShape shapes[MAX_INPUTS];
  Map m = {.body = body, .user = user, .count = count, .inputs = inputs, .shapes = shapes};
  for (size_t k = 0; k < count; k++) {
    if (!inputs[k]) return NULL; /* an error came before */
    shapes[k] = nr_lower_shape(l, inputs[k]);
  }
  if (!nr_lower_broadcast(l, shapes, count, &m.shape)) return NULL;
  if (!elem) elem = nr_type_elem(inputs[0]->type);
  NrValue *few = map_scalars(l, &m, nr_shape_type(l, &m.shape, elem));
  if (few) return few;
  NrValue *direct[MAX_INPUTS];
  NrAttr maps[MAX_INPUTS + 1];
  int n = 0;
  for (size_t k = 0; k < count; k++) {
    m.known[k] = known_scalar(l, inputs[k]);
    NrAttr map = m.known[k] ? NULL : input_map(l, &shapes[k], &m.shape);
    m.direct[k] = map ? n : -1;
    if (!map) continue;
    maps[n] = map;
    direct[n++] = inputs[k];
  }
  maps[n] = nr_attr_affine_identity(l->ctx, (uint32_t)m.shape.rank);
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', m.shape.rank);
  NrValue *empty = nr_lower_empty(l, &m.shape, elem);
  return nr_op_result(nr_lower_generic(l, direct, (size_t)n, &empty, 1, maps, iterators, map_body, &m));
}

/* ---- generators ---- */

typedef struct Generate {
  NrBodyFn body;
  void *user;
  size_t rank;
} Generate;

static void generate_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  (void)args;
  const Generate *g = user;
  NrValue *indices[NORIA_MAX_RANK];
  for (size_t i = 0; i < g->rank; i++) indices[i] = nr_lower_loop_index(l, i);
  results[0] = g->body(l, indices, g->user);
}

/* Short lists of integers are shapes: each element is a scalar of its own, so that constants fold. NULL for other
 * tensors.
 */
static NrValue *generate_list(NrLower *l, const NrShape *shape, NrType elem, NrBodyFn body, void *user) {
  int64_t total, at[NORIA_MAX_RANK] = {0};
  NrType type = nr_shape_type(l, shape, elem);
  if (!nr_type_is_int(elem) || !nr_type_num_elements(type, &total) || total > SMALL) return NULL;
  NrValue *elements[SMALL], *indices[NORIA_MAX_RANK];
  for (int64_t n = 0; n < total; n++) {
    for (size_t i = 0; i < shape->rank; i++) indices[i] = nr_lower_index(l, at[i]);
    elements[n] = body(l, indices, user);
    for (size_t i = shape->rank; i-- > 0 && ++at[i] == shape->dims[i].size;) at[i] = 0;
  }
  return nr_lower_from_elements(l, type, elements, (size_t)total);
}

NrValue *nr_lower_generate(NrLower *l, const NrShape *shape, NrType elem, NrBodyFn body, void *user) {
  Generate g = {body, user, shape->rank};
  if (shape->rank == 0) return nr_lower_from_scalar(l, body(l, NULL, user));
  NrValue *listed = generate_list(l, shape, elem, body, user);
  if (listed) return listed;
  NrAttr map = nr_attr_affine_identity(l->ctx, (uint32_t)shape->rank);
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', shape->rank);
  NrValue *empty = nr_lower_empty(l, shape, elem);
  return nr_op_result(nr_lower_generic(l, NULL, 0, &empty, 1, &map, iterators, generate_body, &g));
}

/* A map that only copies: transposes and broadcasts. */
static void copy_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  (void)l;
  (void)user;
  results[0] = args[0];
}

/* A small list transposed is a list; NULL otherwise. */
static NrValue *transpose_list(NrLower *l, NrValue *tensor, const NrShape *shape, const size_t *perm) {
  NrValue *from[SMALL], *to[SMALL];
  size_t count;
  int64_t at[NORIA_MAX_RANK] = {0};
  if (!nr_lower_elements(l, tensor, from, SMALL, &count, false)) return NULL;
  for (size_t n = 0; n < count; n++) {
    int64_t index = 0, source[NORIA_MAX_RANK];
    for (size_t i = 0; i < shape->rank; i++) source[perm[i]] = at[i];
    for (size_t i = 0; i < shape->rank; i++) index = index * tensor->type->dims[i] + source[i];
    to[n] = from[index];
    for (size_t i = shape->rank; i-- > 0 && ++at[i] == shape->dims[i].size;) at[i] = 0;
  }
  return nr_lower_from_elements(l, nr_shape_type(l, shape, tensor->type->elem), to, count);
}

NrValue *nr_lower_transpose(NrLower *l, NrValue *tensor, const size_t *perm) {
  size_t rank = nr_rank(tensor);
  NrShape shape = {.rank = rank};
  NrAffineExpr exprs[NORIA_MAX_RANK];
  bool same = true;
  for (size_t i = 0; i < rank; i++) {
    shape.dims[i] = nr_lower_dim(l, tensor, perm[i]);
    exprs[perm[i]] = nr_affine_dim(l->ctx, (uint32_t)i);
    same &= perm[i] == i;
  }
  if (same) return tensor;
  NrValue *listed = transpose_list(l, tensor, &shape, perm);
  if (listed) return listed;
  NrAttr maps[2] = {nr_attr_affine_map(l->ctx, (uint32_t)rank, 0, exprs, rank),
                    nr_attr_affine_identity(l->ctx, (uint32_t)rank)};
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', rank);
  NrValue *empty = nr_lower_empty(l, &shape, tensor->type->elem);
  return nr_op_result(nr_lower_generic(l, &tensor, 1, &empty, 1, maps, iterators, copy_body, NULL));
}

typedef struct Stretch {
  NrValue *tensor;
  NrShape from;
  const NrShape *to;
} Stretch;

static NrValue *stretch_body(NrLower *l, NrValue *const *at, void *user) {
  const Stretch *s = user;
  Map m = {.shape = *s->to, .inputs = &s->tensor, .shapes = &s->from, .count = 1};
  return read_stretched(l, &m, 0, at);
}

/* Whether a tensor of shape `from` may have to be stretched to shape `to`: some dim is not known to be equal. */
static bool stretches(const NrShape *from, const NrShape *to) {
  if (from->rank > to->rank) return false;
  for (size_t i = 0; i < from->rank; i++) {
    NrDim d = from->dims[i], o = to->dims[i + to->rank - from->rank];
    if (nr_dim_known(d) && nr_dim_known(o) && d.size != o.size && d.size != 1) return false;
  }
  return true;
}

NrValue *nr_lower_broadcast_to(NrLower *l, NrValue *tensor, const NrShape *shape) {
  NrShape from = nr_lower_shape(l, tensor);
  bool same = from.rank == shape->rank;
  for (size_t i = 0; i < from.rank && same; i++) same = nr_dim_same(from.dims[i], shape->dims[i]);
  if (same) return tensor;
  if (!stretches(&from, shape)) {
    nr_lower_error(l, "a tensor of rank %zu cannot be broadcast to the shape of rank %zu that is needed: dims differ",
                   from.rank, shape->rank);
    return nr_lower_empty(l, shape, tensor->type->elem);
  }
  NrAttr map = input_map(l, &from, shape);
  if (!map) {
    Stretch s = {tensor, from, shape};
    return nr_lower_generate(l, shape, tensor->type->elem, stretch_body, &s);
  }
  NrAttr maps[2] = {map, nr_attr_affine_identity(l->ctx, (uint32_t)shape->rank)};
  char iterators[NORIA_MAX_RANK + 1] = {0};
  memset(iterators, 'p', shape->rank);
  NrValue *empty = nr_lower_empty(l, shape, tensor->type->elem);
  return nr_op_result(nr_lower_generic(l, &tensor, 1, &empty, 1, maps, iterators, copy_body, NULL));
}

/* ---- reductions ---- */

typedef struct Reduce {
  NrBodyFn pre, combine;
  void *user;
} Reduce;

static void reduce_body(NrLower *l, NrValue *const *args, NrValue **results, void *user) {
  const Reduce *r = user;
  NrValue *x = r->pre ? r->pre(l, &args[0], r->user) : args[0];
  results[0] = r->combine(l, (NrValue *[]){args[1], x}, r->user);
}

NrValue *nr_lower_reduce(NrLower *l, NrValue *tensor, uint64_t axes, bool keep, NrValue *init, NrBodyFn pre,
                         NrBodyFn combine, void *user) {
  size_t rank = nr_rank(tensor);
  NrShape from = nr_lower_shape(l, tensor), kept = {0}, full = {.rank = rank};
  NrAffineExpr exprs[NORIA_MAX_RANK];
  char iterators[NORIA_MAX_RANK + 1] = {0};
  for (size_t i = 0; i < rank; i++) {
    bool reduced = axes >> i & 1;
    iterators[i] = reduced ? 'r' : 'p';
    full.dims[i] = reduced ? nr_dim(1) : from.dims[i];
    if (reduced) continue;
    exprs[kept.rank] = nr_affine_dim(l->ctx, (uint32_t)i);
    kept.dims[kept.rank++] = from.dims[i];
  }
  NrAttr maps[2] = {nr_attr_affine_identity(l->ctx, (uint32_t)rank),
                    nr_attr_affine_map(l->ctx, (uint32_t)rank, 0, exprs, kept.rank)};
  Reduce r = {pre, combine, user};
  NrValue *acc = nr_lower_fill(l, &kept, init);
  NrValue *result = nr_op_result(nr_lower_generic(l, &tensor, 1, &acc, 1, maps, iterators, reduce_body, &r));
  return keep ? nr_lower_reshape(l, result, &full) : result;
}

/* ---- loops ---- */

NrStatus nr_lower_for(NrLower *l, NrDim n, NrValue *const *init, size_t count, NrValue **out, NrLoopBodyFn body,
                      void *user) {
  NrArena *arena = &l->state->arena;
  NrValue **carried = nr_arena_copy(arena, init, count * sizeof *init), *iv;
  NrValue **next = NR_NEW_ARRAY(arena, NrValue *, count);
  NrValue *from = nr_lower_index(l, 0), *to = nr_dim_value(l, n), *step = nr_lower_index(l, 1);
  NrOp *loop = nr_scf_open_for(&l->b, from, to, step, carried, count, &iv);
  NrStatus status = body(l, iv, carried, next, user);
  for (size_t i = 0; i < count && !status; i++)
    if (nr_type_is_tensor(init[i]->type)) next[i] = nr_lower_tensor_cast(l, next[i], init[i]->type);
  nr_scf_close_for(&l->b, loop, status ? carried : next, count);
  for (size_t i = 0; i < count; i++) out[i] = nr_result(loop, i);
  return status;
}
