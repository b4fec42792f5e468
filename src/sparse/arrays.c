/* arrays.c - the arguments of the function; see lower.h.
 *
 * What is in the arrays is not trusted. Sizes are checked once; positions where a segment begins, coordinates where
 * they are read. A check names the tensor, the level and the place. Elements are then read through memrefs, which the
 * pipeline does not check again: every index is the loop's over a size, a checked coordinate, or a position in a
 * checked segment. The result is a tensor, whose accesses the pipeline checks where it cannot prove them. */
#include "noria/exec_abi.h"
#include "sparse/lower.h"

/* ---- small ops --------------------------------------------------------------------------------------------------- */

const char *nr_gen_text(NrGenerator *s, const char *format, ...) {
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  const char *copy = nr_str_copy(s->arena, (NrStr){text.data, text.size}).data;
  nr_buf_deinit(&text);
  return copy;
}

NrLoopValue nr_gen_op1(NrGenerator *s, const char *hint, const char *text, NrLoopValue a) {
  return NR_LOOPS_OP(&s->l, hint, text, a);
}
NrLoopValue nr_gen_op2(NrGenerator *s, const char *hint, const char *text, NrLoopValue a, NrLoopValue b) {
  return NR_LOOPS_OP(&s->l, hint, text, a, b);
}

NrLoopValue nr_gen_constant(NrGenerator *s, int64_t value) {
  if (value == 0) return s->c0;
  if (value == 1) return s->c1;
  return nr_loops_op(&s->l, nr_gen_text(s, "c%lld", (long long)value),
                     nr_gen_text(s, "arith.constant %lld : index", (long long)value), NULL, 0);
}

/* An element of an argument. */
static NrLoopValue load(NrGenerator *s, const char *hint, const char *type, NrLoopValue memref, NrLoopValue at) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "memref.load $0[$1] : memref<?x%s>", type), memref, at);
}

NrLoopValue nr_gen_load(NrGenerator *s, const char *hint, const char *type, NrLoopValue tensor, NrLoopValue at) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "tensor.extract $0[$1] : tensor<?x%s>", type), tensor, at);
}

void nr_gen_store(NrGenerator *s, const char *type, NrLoopValue variable, NrLoopValue at, NrLoopValue value) {
  const char *text = nr_gen_text(s, "tensor.insert $0 into $1[$2] : tensor<?x%s>", type);
  nr_loops_assign(&s->l, variable, NR_LOOPS_OP(&s->l, s->l.hints.data[variable], text, value, variable, at));
}

NrLoopValue nr_gen_size(NrGenerator *s, const char *hint, const char *type, NrLoopValue tensor) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "tensor.dim $0, $1 : %s", type), tensor, s->c0);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

NrLoopValue nr_arrays_name(NrGenerator *s, const char *hint) {
  const char *name = nr_gen_text(s, "%%%s", hint);
  while (nr_strmap_has(&s->l.taken, nr_str(name))) name = nr_gen_text(s, "%s_", name);
  return nr_loops_named(&s->l, name);
}

static NrLoopValue argument(NrGenerator *s, NrSparseValue value, const char *type) {
  NrLoopValue v = nr_arrays_name(s, value.name);
  value.name = nr_loops_name(&s->l, v) + 1;
  nr_buf_printf(&s->kernel->text, "%s%%%s: %s", s->kernel->args.size ? ", " : "", value.name, type);
  nr_vec_push(&s->kernel->args, value);
  return v;
}

/* "tensor<?x?xf64>", or a memref. */
static const char *shaped_type(NrGenerator *s, const char *kind, size_t order, const char *element) {
  const char *text = nr_gen_text(s, "%s<", kind);
  for (size_t l = 0; l < order; l++) text = nr_gen_text(s, "%s?x", text);
  return nr_gen_text(s, "%s%s>", text, element);
}

static void declare_tensor(NrGenerator *s, size_t t) {
  const NrSparseTensor *tensor = &s->a->tensors[t];
  NrArrays *arrays = &s->arrays[t];
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(tensor->name));
  arrays->is_dense = nr_sparse_format_is_dense(&tensor->format);
  if (arrays->is_dense) {
    NrSparseArray kind = tensor->order ? NR_SPARSE_DENSE : NR_SPARSE_SCALAR;
    arrays->values = argument(s, (NrSparseValue){kind, t, 0, name},
                              tensor->order ? shaped_type(s, "tensor", tensor->order, s->type) : s->type);
    return;
  }
  const char *array = nr_gen_text(s, "tensor<?x%s>", s->index);
  for (size_t l = 0; l < tensor->order; l++) {
    NrSparseValue pos = {NR_SPARSE_POSITIONS, t, l, nr_gen_text(s, "%s_pos%zu", name, l)};
    NrSparseValue crd = {NR_SPARSE_COORDINATES, t, l, nr_gen_text(s, "%s_crd%zu", name, l)};
    if (tensor->format.kinds[l] == NR_LEVEL_COMPRESSED) arrays->positions[l] = argument(s, pos, array);
    if (tensor->format.kinds[l] != NR_LEVEL_DENSE) arrays->coordinates[l] = argument(s, crd, array);
  }
  arrays->values = argument(s, (NrSparseValue){NR_SPARSE_VALUES, t, 0, nr_gen_text(s, "%s_vals", name)},
                            nr_gen_text(s, "tensor<?x%s>", s->type));
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void check(NrGenerator *s, NrLoopValue ok, const char *text, const NrLoopValue *values, size_t count) {
  NrLoopValue operands[5] = {ok};
  const char *names = "", *types = "";
  for (size_t i = 0; i < count; i++) {
    operands[i + 1] = values[i];
    names = nr_gen_text(s, "%s%s$%zu", names, i ? ", " : "", i + 1);
    types = nr_gen_text(s, "%s%sindex", types, i ? ", " : "");
  }
  nr_loops_op(&s->l, NULL, nr_gen_text(s, "rt.check $0, \"%s\"(%s : %s)", text, names, types), operands, count + 1);
}
#define CHECK(s, ok, text, ...)                                                                                        \
  check(s, ok, text, (NrLoopValue[]){__VA_ARGS__}, sizeof((NrLoopValue[]){__VA_ARGS__}) / sizeof(NrLoopValue))

NrLoopValue nr_arrays_product(NrGenerator *s, NrLoopValue a, NrLoopValue b, const char *tensor) {
  if (a == s->c1) return b;
  NrLoopValue max = nr_gen_constant(s, NORIA_MAX_ELEMENTS);
  NrLoopValue some = nr_gen_op2(s, "some", "arith.maxui $0, $1 : index", b, s->c1);
  NrLoopValue most = nr_gen_op2(s, "most", "arith.divui $0, $1 : index", max, some);
  CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi ule, $0, $1 : index", a, most),
        nr_gen_text(s, "%s: %%0 times %%1 elements are too many", tensor), a, b);
  return nr_gen_op2(s, "size", "arith.muli $0, $1 : index", a, b);
}

/* The arrays of a tensor are large enough for each other and for its dims. Larger ones are fine. */
static void check_sizes(NrGenerator *s, size_t access) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  const char *array = nr_gen_text(s, "tensor<?x%s>", s->index);
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(tensor->name));
  NrLoopValue above = s->c1;
  for (size_t l = 0; l < tensor->order; l++) {
    if (tensor->format.kinds[l] == NR_LEVEL_DENSE) {
      above = nr_arrays_product(s, above, s->extent[nr_level_index(s->a, access, l)], name);
      continue;
    }
    if (tensor->format.kinds[l] == NR_LEVEL_COMPRESSED) {
      NrLoopValue size = nr_gen_size(s, nr_gen_text(s, "%s_pos%zu_size", name, l), array, arrays->positions[l]);
      CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi sgt, $0, $1 : index", size, above),
            nr_gen_text(s, "%s: level %zu: pos has %%0 elements; it needs one more than %%1", name, l), size, above);
    }
    NrLoopValue count = nr_gen_size(s, nr_gen_text(s, "%s_crd%zu_size", name, l), array, arrays->coordinates[l]);
    if (tensor->format.kinds[l] == NR_LEVEL_SINGLETON)
      CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi sge, $0, $1 : index", count, above),
            nr_gen_text(s, "%s: level %zu: crd has %%0 elements; the level above has %%1", name, l), count, above);
    if (tensor->format.kinds[l] == NR_LEVEL_SINGLETON) arrays->count[l] = above;
    else above = arrays->count[l] = count;
  }
  NrLoopValue size = nr_gen_size(s, nr_gen_text(s, "%s_vals_size", name), nr_gen_text(s, "tensor<?x%s>", s->type),
                                   arrays->values);
  CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi sge, $0, $1 : index", size, above),
        nr_gen_text(s, "%s: it has %%0 values; its levels have %%1 positions", name), size, above);
}

/* The sizes of the index variables: the first dense operand says it, else an argument. */
static void extents_of_dense(NrGenerator *s, size_t access) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  size_t t = s->a->accesses[access].tensor;
  const char *type = shaped_type(s, "tensor", tensor->order, s->type);
  for (size_t l = 0; l < tensor->order; l++) {
    size_t index = nr_level_index(s->a, access, l);
    const char *word = nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->indices[index]));
    NrLoopValue dim = nr_gen_op2(s, nr_gen_text(s, "size_%s", word),
                                   nr_gen_text(s, "tensor.dim $0, $1 : %s", type), s->arrays[t].values,
                                   nr_gen_constant(s, (int64_t)l));
    if (s->extent[index] == NR_NO_LOOP_VALUE) {
      s->extent[index] = dim;
      continue;
    }
    CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi eq, $0, $1 : index", dim, s->extent[index]),
          nr_gen_text(s, "%.*s: dim %zu has %%0 elements, but index '%s' has %%1 values", NR_STR_ARG(tensor->name),
                        tensor->format.dims[l], word), dim, s->extent[index]);
  }
}

static bool is_of_dense(const NrGenerator *s, size_t index) {
  for (size_t k = s->a->adds ? 0 : 1; k < s->a->num_accesses; k++) {
    const NrSparseTensor *tensor = nr_access_tensor(s, k);
    for (size_t d = 0; nr_sparse_format_is_dense(&tensor->format) && d < tensor->order; d++)
      if (s->a->accesses[k].indices[d] == index) return true;
  }
  return false;
}

static void check_extent(NrGenerator *s, size_t index) {
  bool is_small = !strcmp(s->index, "i32");
  int64_t most = is_small ? INT32_MAX : NORIA_MAX_ELEMENTS;
  NrLoopValue max = nr_gen_constant(s, most);
  NrLoopValue least = nr_gen_op2(s, "least", "arith.cmpi sge, $0, $1 : index", s->extent[index], s->c0);
  NrLoopValue ok = nr_gen_op2(s, "ok", "arith.cmpi sle, $0, $1 : index", s->extent[index], max);
  CHECK(s, nr_gen_op2(s, "ok", "arith.andi $0, $1 : i1", least, ok),
        nr_gen_text(s, "index '%.*s' cannot have %%0 values; the most is %%1", NR_STR_ARG(s->a->indices[index])),
        s->extent[index], max);
}

static void open_array(NrGenerator *s, NrLoopValue *array, size_t order, const char *element) {
  if (!*array) return;
  const char *name = nr_loops_name(&s->l, *array) + 1;
  const char *from = shaped_type(s, "tensor", order, element), *to = shaped_type(s, "memref", order, element);
  *array = nr_gen_op1(s, nr_gen_text(s, "%s_mem", name),
                      nr_gen_text(s, "bufferization.to_buffer $0 read_only : %s to %s", from, to), *array);
}

/* From here on elements are read from memory: each index is checked above, or where it is read. */
static void open_arrays(NrGenerator *s, size_t t) {
  const NrSparseTensor *tensor = &s->a->tensors[t];
  NrArrays *arrays = &s->arrays[t];
  for (size_t l = 0; l < tensor->order; l++) {
    open_array(s, &arrays->positions[l], 1, s->index);
    open_array(s, &arrays->coordinates[l], 1, s->index);
  }
  if (tensor->order) open_array(s, &arrays->values, arrays->is_dense ? tensor->order : 1, s->type);
}

void nr_arrays_declare(NrGenerator *s) {
  const NrSparseAssignment *a = s->a;
  for (size_t i = 0; i < a->num_indices; i++)
    if (!is_of_dense(s, i))
      s->extent[i] = argument(
          s, (NrSparseValue){NR_SPARSE_EXTENT, i, 0, nr_gen_text(s, "size_%.*s", NR_STR_ARG(a->indices[i]))}, "index");
  for (size_t t = a->adds ? 0 : 1; t < a->num_tensors; t++) declare_tensor(s, t);
  for (size_t k = a->adds ? 0 : 1; k < a->num_accesses; k++)
    if (s->arrays[a->accesses[k].tensor].is_dense) extents_of_dense(s, k);
  for (size_t i = 0; i < a->num_indices; i++)
    if (!is_of_dense(s, i) || !strcmp(s->index, "i32")) check_extent(s, i);
  for (size_t k = 1; k < a->num_accesses; k++)
    if (!s->arrays[a->accesses[k].tensor].is_dense) check_sizes(s, k);
  for (size_t t = 1; t < a->num_tensors; t++) open_arrays(s, t);
}

/* ---- access ------------------------------------------------------------------------------------------------------ */

static NrLoopValue load_index(NrGenerator *s, const char *hint, NrLoopValue array, NrLoopValue at) {
  if (!strcmp(s->index, "index")) return load(s, hint, s->index, array, at);
  NrLoopValue small = load(s, nr_gen_text(s, "%s_%s", hint, s->index), s->index, array, at);
  return nr_gen_op1(s, hint, nr_gen_text(s, "arith.index_cast $0 : %s to index", s->index), small);
}

void nr_arrays_segment(NrGenerator *s, size_t access, NrLoopValue *out_begin, NrLoopValue *out_end) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  const NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  const NrCursor *cursor = &s->cursors[access];
  size_t l = cursor->level;
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(tensor->name));
  if (tensor->format.kinds[l] == NR_LEVEL_SINGLETON) {
    *out_begin = cursor->at;
    *out_end = cursor->end != NR_NO_LOOP_VALUE ? cursor->end
                                               : nr_gen_op2(s, "next", "arith.addi $0, $1 : index", cursor->at, s->c1);
    return;
  }
  NrLoopValue next =
      cursor->at == s->c0 ? s->c1 : nr_gen_op2(s, "next", "arith.addi $0, $1 : index", cursor->at, s->c1);
  NrLoopValue begin = load_index(s, nr_gen_text(s, "%s_begin", name), arrays->positions[l], cursor->at);
  NrLoopValue end = load_index(s, nr_gen_text(s, "%s_end", name), arrays->positions[l], next);
  *out_begin = begin;
  *out_end = end;
  if (s->out.is_checked) return;
  NrLoopValue rises = nr_gen_op2(s, "rises", "arith.cmpi ule, $0, $1 : index", begin, end);
  NrLoopValue fits = nr_gen_op2(s, "fits", "arith.cmpi ule, $0, $1 : index", end, arrays->count[l]);
  CHECK(s, nr_gen_op2(s, "ok", "arith.andi $0, $1 : i1", fits, rises),
        nr_gen_text(s, "%s: level %zu: pos goes from %%0 to %%1 at %%2; crd has %%3 elements", name, l), begin, end,
        cursor->at, arrays->count[l]);
}

NrLoopValue nr_arrays_used(NrGenerator *s, size_t access, size_t l, NrLoopValue above) {
  const NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  NrLoopValue used = load_index(s, "used", arrays->positions[l], above);
  NrLoopValue none = nr_gen_op2(s, "none", "arith.cmpi eq, $0, $1 : index", above, s->c0);
  return NR_LOOPS_OP(&s->l, "used", "arith.select $0, $1, $2 : index", none, s->c0, used);
}

NrLoopValue nr_arrays_position(NrGenerator *s, size_t access, size_t l, NrLoopValue at) {
  return load_index(s, "pos", s->arrays[s->a->accesses[access].tensor].positions[l], at);
}

NrLoopValue nr_arrays_unchecked(NrGenerator *s, size_t access, NrLoopValue at) {
  size_t l = s->cursors[access].level, index = nr_level_index(s->a, access, l);
  const char *hint = nr_gen_text(s, "%.*s_%.*s", NR_STR_ARG(s->a->indices[index]),
                                 NR_STR_ARG(nr_access_tensor(s, access)->name));
  return load_index(s, hint, s->arrays[s->a->accesses[access].tensor].coordinates[l], at);
}

void nr_arrays_check_coordinate(NrGenerator *s, size_t access, NrLoopValue crd, NrLoopValue at) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  size_t l = s->cursors[access].level, index = nr_level_index(s->a, access, l);
  if (s->out.is_checked) return;
  CHECK(s, nr_gen_op2(s, "ok", "arith.cmpi ult, $0, $1 : index", crd, s->extent[index]),
        nr_gen_text(s, "%.*s: level %zu: coordinate %%0 at position %%1 is not from 0 to %%2 - 1",
                      NR_STR_ARG(tensor->name), l), crd, at, s->extent[index]);
}

NrLoopValue nr_arrays_coordinate(NrGenerator *s, size_t access, NrLoopValue at) {
  NrLoopValue crd = nr_arrays_unchecked(s, access, at);
  nr_arrays_check_coordinate(s, access, crd, at);
  return crd;
}

static void follow_dense_tensor(NrGenerator *s, size_t access) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  NrCursor *cursor = &s->cursors[access];
  NrLoopValue operands[NR_SPARSE_MAX_ORDER + 1] = {s->arrays[s->a->accesses[access].tensor].values};
  const char *places = "";
  cursor->level = tensor->order;
  for (size_t l = 0; l < tensor->order; l++) {
    operands[l + 1] = s->coordinate[nr_level_index(s->a, access, l)];
    places = nr_gen_text(s, "%s%s$%zu", places, l ? ", " : "", l + 1);
    if (operands[l + 1] == NR_NO_LOOP_VALUE) return;
  }
  cursor->value = operands[0];
  if (!tensor->order) return;
  cursor->value = nr_loops_op(&s->l, nr_gen_text(s, "%.*s_val", NR_STR_ARG(tensor->name)),
                              nr_gen_text(s, "memref.load $0[%s] : %s", places,
                                          shaped_type(s, "memref", tensor->order, s->type)),
                              operands, tensor->order + 1);
}

void nr_arrays_follow_dense(NrGenerator *s, size_t access) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  NrCursor *cursor = &s->cursors[access];
  for (; cursor->level < tensor->order && tensor->format.kinds[cursor->level] == NR_LEVEL_DENSE; cursor->level++) {
    size_t index = nr_level_index(s->a, access, cursor->level);
    if (s->coordinate[index] == NR_NO_LOOP_VALUE) return;
    NrLoopValue c = s->coordinate[index];
    if (cursor->at != s->c0) {
      NrLoopValue row = nr_gen_op2(s, "row", "arith.muli $0, $1 : index", cursor->at, s->extent[index]);
      c = nr_gen_op2(s, "at", "arith.addi $0, $1 : index", row, c);
    }
    cursor->at = c;
  }
}

void nr_arrays_follow(NrGenerator *s, size_t access) {
  const NrSparseTensor *tensor = nr_access_tensor(s, access);
  const NrArrays *arrays = &s->arrays[s->a->accesses[access].tensor];
  NrCursor *cursor = &s->cursors[access];
  if (cursor->value != NR_NO_LOOP_VALUE || (arrays->is_dense && s->out.is_bounding)) return;
  if (arrays->is_dense) {
    follow_dense_tensor(s, access);
    return;
  }
  nr_arrays_follow_dense(s, access);
  if (cursor->level == tensor->order && !s->out.is_bounding)
    cursor->value = load(s, nr_gen_text(s, "%.*s_val", NR_STR_ARG(tensor->name)), s->type, arrays->values,
                                  cursor->at);
}
