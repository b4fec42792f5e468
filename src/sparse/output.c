/* output.c - the result of the function; see lower.h. dense.c has dense ones.
 *
 * A sparse one is appended to in the order of its levels: its arrays grow before the loop that appends, by the number
 * of entries that the loop may add, or have room for all entries from the start. Where a sum is outside of the loop
 * over the last level, entries come in any order: then a row is summed up in a dense workspace first, with a bit for
 * each element that is set. Reading the bits gives the coordinates in order, so nothing is sorted. New memory takes as
 * long as the sums, since the system clears each page: so how much is needed is estimated first (workspace.c), or
 * counted (rows.c). */
#include "sparse/lower.h"

static const NrSparseTensor *result(const NrGenerator *s) { return &s->a->tensors[0]; }
static size_t level_index(const NrGenerator *s, size_t l) { return nr_level_index(s->a, 0, l); }

static bool is_level(const NrGenerator *s, size_t l, NrLevelKind kind) {
  return l < result(s)->order && result(s)->format.kinds[l] == kind;
}

static size_t level_of(const NrGenerator *s, size_t index) {
  size_t l = 0;
  while (level_index(s, l) != index) l++;
  return l;
}

/* The level whose position counts the entries of level l: itself, or the first of those whose coordinates repeat. */
static size_t counting_level(const NrGenerator *s, size_t l) {
  while (is_level(s, l, NR_LEVEL_SINGLETON)) l--;
  return l;
}

static const char *array_type(NrGenerator *s) { return nr_gen_text(s, "tensor<?x%s>", s->index); }
static const char *values_type(NrGenerator *s) { return nr_gen_text(s, "tensor<?x%s>", s->type); }

static bool is_free(const NrGenerator *s, size_t index) { return index < s->a->num_free; }

bool nr_output_scatters(const NrGenerator *s) {
  bool summed = false;
  for (size_t k = 0; k < s->a->num_indices; k++) {
    if (!is_free(s, s->order[k])) summed = true;
    else if (summed) return true;
  }
  return false;
}

bool nr_output_needs_order(const NrGenerator *s, size_t index) {
  const NrSparseTensor *tensor = result(s);
  if (s->out.is_dense || !is_free(s, index)) return false;
  size_t l = level_of(s, index);
  bool in_workspace = nr_output_scatters(s) && l + 1 == tensor->order;
  return !tensor->format.is_unordered[l] && !in_workspace;
}

static NrStr index_name(const NrGenerator *s, size_t l) { return s->a->indices[level_index(s, l)]; }

static size_t first_sparse(const NrSparseTensor *tensor) {
  size_t l = 0;
  while (tensor->format.kinds[l] == NR_LEVEL_DENSE) l++;
  return l;
}

NrStatus nr_output_check(NrGenerator *s) {
  const NrSparseTensor *tensor = result(s);
  s->out.is_dense = nr_sparse_format_is_dense(&tensor->format);
  if (s->out.is_dense) return NR_OK;
  size_t last = tensor->order - 1;
  if (s->a->adds) {
    size_t l = first_sparse(tensor);
    return nr_sparse_fail(s->arena, s->error, 1, "+= adds to a dense result; level %zu of '%.*s', which stores "
                          "'%.*s', is not dense: a new entry would have to move those behind it", l,
                          NR_STR_ARG(tensor->name), NR_STR_ARG(index_name(s, l)));
  }
  for (size_t l = 1; l <= last; l++)
    if (is_level(s, l, NR_LEVEL_DENSE) && !is_level(s, l - 1, NR_LEVEL_DENSE))
      return nr_sparse_fail(s->arena, s->error, 1, "level %zu of the result '%.*s', which stores '%.*s', is dense "
                            "below one that is not; only operands can have that", l, NR_STR_ARG(tensor->name),
                            NR_STR_ARG(index_name(s, l)));
  for (size_t l = 1; l <= last; l++)
    if (is_level(s, l, NR_LEVEL_SINGLETON) && is_level(s, l - 1, NR_LEVEL_DENSE))
      return nr_sparse_fail(s->arena, s->error, 1, "level %zu of the result '%.*s', which stores '%.*s', is a "
                            "singleton below a dense level, so it would have one entry for each coordinate of that; "
                            "only operands can have that", l, NR_STR_ARG(tensor->name), NR_STR_ARG(index_name(s, l)));
  for (size_t l = 0; l < last; l++)
    if (tensor->format.is_unordered[l])
      return nr_sparse_fail(s->arena, s->error, 1, "level %zu of the result '%.*s', which stores '%.*s', cannot be u: "
                            "coordinates in no order are those of the last level only", l, NR_STR_ARG(tensor->name),
                            NR_STR_ARG(index_name(s, l)));
  bool summed = false;
  const char *over = "";
  for (size_t k = 0; k < s->a->num_indices; k++) {
    size_t index = s->order[k];
    if (!is_free(s, index)) {
      over = nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->indices[index]));
      summed = true;
    } else if (summed && (index != level_index(s, last) || !is_level(s, last, NR_LEVEL_COMPRESSED) ||
                          nr_level_is_known(s->a, 0, last))) {
      return nr_sparse_fail(s->arena, s->error, 1,
                            "the sum over '%s' is outside of the loop over '%.*s', so entries of "
                            "'%.*s' come in no order; a workspace is for a compressed last level only: make the result "
                            "dense, or store an operand with its levels in another order",
                            over, NR_STR_ARG(s->a->indices[index]), NR_STR_ARG(tensor->name));
    }
  }
  return NR_OK;
}

/* ---- begin ------------------------------------------------------------------------------------------------------- */

/* A first guess of the result's number of elements: the sum over the operands that store the index. */
NrLoopValue nr_output_room(NrGenerator *s, size_t index) {
  NrLoopValue total = NR_NO_LOOP_VALUE;
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    const NrSparseTensor *tensor = nr_access_tensor(s, k);
    for (size_t l = 0; l < tensor->order; l++) {
      if (tensor->format.kinds[l] == NR_LEVEL_DENSE || nr_level_index(s->a, k, l) != index) continue;
      NrLoopValue count = s->arrays[s->a->accesses[k].tensor].count[l];
      total = total == NR_NO_LOOP_VALUE ? count : nr_gen_op2(s, "most", "arith.addi $0, $1 : index", total, count);
    }
  }
  return total == NR_NO_LOOP_VALUE ? s->c1 : nr_gen_op2(s, "room", "arith.addi $0, $1 : index", total, s->c1);
}

static NrLoopValue filled(NrGenerator *s, const char *hint, const char *type, const char *element, NrLoopValue zero,
                          NrLoopValue size) {
  NrLoopValue empty = nr_gen_op1(s, hint, nr_gen_text(s, "tensor.empty($0) : %s", type), size);
  return nr_gen_op2(s, hint, nr_gen_text(s, "linalg.fill ins($0 : %s) outs($1 : %s) -> %s", element, type, type),
                      zero, empty);
}

/* The first size of the arrays of the last level. */
static NrLoopValue last_room(NrGenerator *s) {
  if (nr_output_scatters(s)) return s->out.expected;
  return nr_output_room(s, level_index(s, result(s)->order - 1));
}

/* Whether the loops outside of that over the last index are over the levels of an access above this one, in their
 * order: then positions come one after the other, and a segment ends where the next one begins. */
static bool is_in_order(const NrGenerator *s, size_t access, size_t level) {
  size_t last = level_index(s, result(s)->order - 1);
  for (size_t l = 0; l < level; l++)
    if (nr_level_index(s->a, access, l) != s->order[l]) return false;
  return s->order[level] == last;
}

/* Whether nr_output_room() is enough for all entries: rows of dense levels are all visited, in their order, and below
 * each the segments of operands. Each begins where the one before ends, which is not below where that begins, so that
 * all of them have no more entries than the operand. */
static bool is_bounded(const NrGenerator *s) {
  size_t last = result(s)->order - 1, index = level_index(s, last);
  NrAccessSet iterators = 0;
  if (!is_level(s, last, NR_LEVEL_COMPRESSED) || nr_level_is_known(s->a, 0, last)) return false;
  for (size_t l = 0; l < last; l++)
    if (!is_level(s, l, NR_LEVEL_DENSE) || nr_level_is_known(s->a, 0, l)) return false;
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    const NrSparseFormat *format = &nr_access_tensor(s, k)->format;
    for (size_t l = 0; l < format->order; l++) {
      if (format->kinds[l] == NR_LEVEL_DENSE) continue;
      if (nr_level_index(s->a, k, l) != index) {
        if (is_free(s, nr_level_index(s->a, k, l))) return false;
        continue;
      }
      if (nr_level_is_known(s->a, k, l) || !is_in_order(s, k, l)) return false;
      iterators |= (NrAccessSet)1 << k;
    }
  }
  if (__builtin_popcount(iterators) > NR_SPARSE_MAX_MERGED) return false;
  NrLattice lattice;
  nr_lattice_of(nr_terms_of(s->arena, s->a), iterators, &lattice);
  return lattice.points[lattice.size - 1] != 0;
}

/* The array of a last level, of coordinates or values, with room for all of its entries. */
static NrLoopValue last_array(NrGenerator *s, const char *name, const char *element, NrLoopValue room) {
  if (s->out.is_bounded)
    return nr_gen_op1(s, nr_gen_text(s, "%s_mem", name), nr_gen_text(s, "memref.alloc($0) : memref<?x%s>", element),
                      room);
  const char *type = nr_gen_text(s, "tensor<?x%s>", element);
  return nr_loops_variable(&s->l, name, type,
                           nr_gen_op1(s, "room", nr_gen_text(s, "tensor.empty($0) : %s", type), room));
}

static void begin_level(NrGenerator *s, size_t l, NrLoopValue above, NrLoopValue int_zero) {
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name));
  size_t counting = counting_level(s, l);
  const char *crd = nr_gen_text(s, "%s_crd%zu", name, l);
  if (l + 1 == result(s)->order) {
    s->out.coordinates[l] = last_array(s, crd, s->index, last_room(s));
  } else {
    NrLoopValue room = nr_output_room(s, level_index(s, result(s)->order - 1));
    NrLoopValue empty = nr_gen_op1(s, "room", nr_gen_text(s, "tensor.empty($0) : %s", array_type(s)), room);
    s->out.coordinates[l] = nr_loops_variable(&s->l, crd, array_type(s), empty);
  }
  if (counting != l) return;
  s->out.at[l] = nr_loops_variable(&s->l, nr_gen_text(s, "%s_size%zu", name, l), "index", s->c0);
  NrLoopValue places = nr_gen_op2(s, "places", "arith.addi $0, $1 : index", above, s->c1);
  s->out.positions[l] = nr_loops_variable(&s->l, nr_gen_text(s, "%s_pos%zu", name, l), array_type(s),
                                          filled(s, "zeros", array_type(s), s->index, int_zero, places));
}

void nr_output_begin(NrGenerator *s) {
  if (s->out.is_dense) {
    nr_dense_begin(s);
    return;
  }
  NrLoopValue above = s->c1;
  s->out.by_rows = nr_rows_apply(s);
  s->out.is_bounded = s->out.by_rows || (!nr_output_scatters(s) && is_bounded(s));
  s->out.by_blocks = s->out.is_bounded && !s->out.by_rows && nr_blocks_apply(s);
  if (s->out.by_rows || s->out.by_blocks) return;
  if (nr_output_scatters(s)) nr_workspace_begin(s);
  NrLoopValue int_zero = nr_loops_op(&s->l, "nothing", nr_gen_text(s, "arith.constant 0 : %s", s->index), NULL, 0);
  for (size_t l = 0; l < result(s)->order; l++) {
    if (is_level(s, l, NR_LEVEL_DENSE)) {
      NrLoopValue size = s->extent[level_index(s, l)];
      above = nr_arrays_product(s, above, size, nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name)));
    } else {
      begin_level(s, l, above, int_zero);
      above = nr_output_room(s, level_index(s, result(s)->order - 1));
    }
  }
  s->out.values = last_array(s, nr_gen_text(s, "%.*s_vals", NR_STR_ARG(result(s)->name)), s->type, last_room(s));
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static void grow(NrGenerator *s, const char *type, NrLoopValue variable, NrLoopValue size) {
  const char *text = nr_gen_text(s, "rt.call \"tensor_grow\"($0, $1) : (%s, index) -> %s", type, type);
  nr_loops_assign(&s->l, variable, nr_gen_op2(s, s->l.hints.data[variable], text, variable, size));
}

void nr_output_make_room(NrGenerator *s, size_t l, NrLoopValue bound) {
  size_t counting = counting_level(s, l), last = result(s)->order - 1;
  if (s->out.is_bounded && l == last) return;
  NrLoopValue need = nr_gen_op2(s, "need", "arith.addi $0, $1 : index", s->out.at[counting], bound);
  NrLoopValue room = nr_gen_size(s, "room", array_type(s), s->out.coordinates[l]);
  nr_loops_if(&s->l, nr_gen_op2(s, "full", "arith.cmpi uge, $0, $1 : index", need, room));
  NrLoopValue more = nr_gen_op2(s, "more", "arith.addi $0, $1 : index", need, room);
  more = nr_gen_op2(s, "more", "arith.addi $0, $1 : index", more, s->c1);
  for (size_t k = counting; k <= l; k++) grow(s, array_type(s), s->out.coordinates[k], more);
  if (l == last) {
    grow(s, values_type(s), s->out.values, more);
  } else {
    NrLoopValue places = nr_gen_op2(s, "places", "arith.addi $0, $1 : index", more, s->c1);
    grow(s, array_type(s), s->out.positions[l + 1], places);
  }
  nr_loops_end(&s->l);
}

size_t nr_output_levels(const NrGenerator *s, size_t index) {
  size_t first = level_of(s, index), l = first + 1;
  while (l < result(s)->order && nr_level_is_known(s->a, 0, l)) l++;
  return l - first;
}

/* Whether the loop over an index adds to levels of the result, of which *out_end is behind the last. */
static bool is_appended(const NrGenerator *s, size_t index, size_t *out_begin, size_t *out_end) {
  if (s->out.is_dense || s->out.in_workspace || s->out.is_bounding || !is_free(s, index)) return false;
  *out_begin = level_of(s, index);
  *out_end = *out_begin + nr_output_levels(s, index);
  return true;
}

void nr_output_open_loop(NrGenerator *s, size_t index, NrLoopValue bound) {
  size_t l, end;
  if (!is_appended(s, index, &l, &end)) return;
  for (; l < end; l++)
    if (!is_level(s, l, NR_LEVEL_DENSE) && !nr_sparse_level_repeats(&result(s)->format, l))
      nr_output_make_room(s, l, bound);
}

/* ---- appending --------------------------------------------------------------------------------------------------- */

static NrLoopValue as_index(NrGenerator *s, NrLoopValue value) {
  if (!strcmp(s->index, "index")) return value;
  return nr_gen_op1(s, "small", nr_gen_text(s, "arith.index_cast $0 : index to %s", s->index), value);
}

static NrLoopValue plus_one(NrGenerator *s, NrLoopValue value) {
  return nr_gen_op2(s, "next", "arith.addi $0, $1 : index", value, s->c1);
}

void nr_output_open(NrGenerator *s, size_t index) {
  size_t l, end_level;
  if (!is_appended(s, index, &l, &end_level)) return;
  for (; l < end_level; l++) {
    NrLoopValue c = s->coordinate[level_index(s, l)];
    if (is_level(s, l, NR_LEVEL_DENSE)) {
      s->out.parent[l] = c;
      if (l) {
        NrLoopValue size = s->extent[level_index(s, l)];
        NrLoopValue row = nr_gen_op2(s, "row", "arith.muli $0, $1 : index", s->out.parent[l - 1], size);
        s->out.parent[l] = nr_gen_op2(s, "at", "arith.addi $0, $1 : index", row, c);
      }
    }
    if (is_level(s, l + 1, NR_LEVEL_COMPRESSED)) s->out.begin[l + 1] = nr_loops_read(&s->l, s->out.at[l + 1]);
  }
}

/* Into an array of level l. */
static void store(NrGenerator *s, size_t l, const char *type, NrLoopValue array, NrLoopValue at, NrLoopValue value) {
  if (!s->out.is_bounded || l + 1 != result(s)->order) nr_gen_store(s, type, array, at, value);
  else NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.store $0, $1[$2] : memref<?x%s>", type), value, array, at);
}

static void store_value(NrGenerator *s, NrLoopValue at, NrLoopValue value) {
  store(s, result(s)->order - 1, s->type, s->out.values, at, value);
}

/* Writes the coordinates of an entry of level l, and of the levels above that repeat, at a position. */
static void write_coordinates_at(NrGenerator *s, size_t l, NrLoopValue at, NrLoopValue coordinate) {
  for (size_t k = counting_level(s, l); k <= l; k++)
    store(s, k, s->index, s->out.coordinates[k], at,
          as_index(s, k == l ? coordinate : s->coordinate[level_index(s, k)]));
}

/* The same behind the last entry. */
static void write_coordinates(NrGenerator *s, size_t l, NrLoopValue coordinate) {
  write_coordinates_at(s, l, s->out.at[counting_level(s, l)], coordinate);
}

/* Ends the entries below a coordinate of level l; a compressed level has the coordinate only if there are any. */
static void close_level(NrGenerator *s, size_t l) {
  NrLoopValue end = s->out.at[l + 1], begin = s->out.begin[l + 1], at = s->out.at[counting_level(s, l)];
  if (s->out.by_rows) return; /* the loops that counted entries have written the positions */
  if (s->out.by_blocks) {
    nr_blocks_close_row(s, s->out.parent[l]);
    return;
  }
  if (is_level(s, l, NR_LEVEL_DENSE)) {
    NrLoopValue small = as_index(s, end);
    nr_gen_store(s, s->index, s->out.positions[l + 1], plus_one(s, s->out.parent[l]), small);
    return;
  }
  nr_loops_if(&s->l, nr_gen_op2(s, "some", "arith.cmpi ne, $0, $1 : index", end, begin));
  write_coordinates(s, l, s->coordinate[level_index(s, l)]);
  nr_loops_assign(&s->l, at, plus_one(s, at));
  nr_gen_store(s, s->index, s->out.positions[l + 1], at, as_index(s, end));
  nr_loops_end(&s->l);
}

void nr_output_close(NrGenerator *s, size_t index) {
  size_t first, l;
  if (!is_appended(s, index, &first, &l)) return;
  while (l-- > first)
    if (is_level(s, l + 1, NR_LEVEL_COMPRESSED)) close_level(s, l);
}

/* Writes an element behind the last; where the condition does not hold, one place further. */
void nr_output_write(NrGenerator *s, NrLoopValue condition, NrLoopValue value) {
  NrLoopValue at = s->out.at[counting_level(s, result(s)->order - 1)];
  if (condition != NR_NO_LOOP_VALUE) {
    NrLoopValue off = nr_gen_op2(s, "off", "arith.cmpi eq, $0, $1 : i1", condition, s->no);
    at = nr_gen_op2(s, "at", "arith.addi $0, $1 : index", at,
                    nr_gen_op1(s, "step", "arith.index_castui $0 : i1 to index", off));
  }
  store_value(s, at, value);
}

/* Writes the coordinates of the element, and counts it if the condition holds. */
static void count(NrGenerator *s, NrLoopValue condition, NrLoopValue coordinate) {
  size_t last = result(s)->order - 1;
  NrLoopValue at = s->out.at[counting_level(s, last)], step = s->c1;
  write_coordinates(s, last, coordinate);
  if (condition != NR_NO_LOOP_VALUE) step = nr_gen_op1(s, "step", "arith.index_castui $0 : i1 to index", condition);
  nr_loops_assign(&s->l, at, nr_gen_op2(s, "next", "arith.addi $0, $1 : index", at, step));
}

void nr_output_count(NrGenerator *s, NrLoopValue condition) {
  count(s, condition, s->coordinate[level_index(s, result(s)->order - 1)]);
}

void nr_output_append(NrGenerator *s, NrLoopValue coordinate, NrLoopValue value) {
  nr_output_write(s, NR_NO_LOOP_VALUE, value);
  count(s, NR_NO_LOOP_VALUE, coordinate);
}

NrLoopValue nr_output_size(NrGenerator *s) {
  return s->out.at[counting_level(s, result(s)->order - 1)];
}

void nr_output_write_at(NrGenerator *s, NrLoopValue at, NrLoopValue coordinate, NrLoopValue value) {
  write_coordinates_at(s, result(s)->order - 1, at, coordinate);
  store_value(s, at, value);
}

void nr_output_put(NrGenerator *s, NrLoopValue value) {
  if (s->out.is_dense) nr_dense_put(s, value);
  else if (s->out.in_workspace) nr_workspace_put(s, value);
  else nr_output_append(s, s->coordinate[level_index(s, result(s)->order - 1)], value);
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* An array in memory becomes a tensor. */
static void end_array(NrGenerator *s, const char *name, const char *element, NrLoopValue *io_array) {
  const char *type = nr_gen_text(s, "tensor<?x%s>", element);
  NrLoopValue made = nr_gen_op1(
      s, name, nr_gen_text(s, "bufferization.to_tensor $0 restrict : memref<?x%s> to %s", element, type), *io_array);
  *io_array = nr_loops_variable(&s->l, name, type, made);
}

static void end_bounded(NrGenerator *s) {
  size_t last = result(s)->order - 1;
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name));
  if (s->out.by_rows || s->out.by_blocks)
    end_array(s, nr_gen_text(s, "%s_pos%zu", name, last), s->index, &s->out.positions[last]);
  end_array(s, nr_gen_text(s, "%s_crd%zu", name, last), s->index, &s->out.coordinates[last]);
  end_array(s, nr_gen_text(s, "%s_vals", name), s->type, &s->out.values);
}

/* The first `size` elements of an array. */
static void cut(NrGenerator *s, const char *type, NrLoopValue variable, NrLoopValue size) {
  const char *text = nr_gen_text(s, "tensor.extract_slice $0[0] [$1] [1] : %s to %s", type, type);
  nr_loops_assign(&s->l, variable, nr_gen_op2(s, s->l.hints.data[variable], text, variable, size));
}

/* Positions of coordinates of a dense level that no loop came to are still 0: they get the position before. */
static void fill_gaps(NrGenerator *s, size_t l) {
  NrLoopValue size = nr_gen_size(s, "places", array_type(s), s->out.positions[l]);
  NrLoopValue zero = nr_loops_op(&s->l, "nothing", nr_gen_text(s, "arith.constant 0 : %s", s->index), NULL, 0);
  NrLoopValue most = nr_loops_variable(&s->l, "most", s->index, zero);
  NrLoopValue at = nr_loops_for(&s->l, "at", s->c0, size);
  NrLoopValue value = nr_gen_load(s, "pos", s->index, s->out.positions[l], at);
  nr_loops_assign(&s->l, most, nr_gen_op2(s, "most", nr_gen_text(s, "arith.maxsi $0, $1 : %s", s->index), most, value));
  nr_gen_store(s, s->index, s->out.positions[l], at, most);
  nr_loops_end(&s->l);
}

void nr_output_check_size(NrGenerator *s, size_t l, NrLoopValue size) {
  if (strcmp(s->index, "i32")) return;
  NrLoopValue max = nr_gen_constant(s, INT32_MAX);
  NrLoopValue ok = nr_gen_op2(s, "ok", "arith.cmpi ule, $0, $1 : index", size, max);
  NR_LOOPS_OP(&s->l, NULL,
              nr_gen_text(s,
                          "rt.check $0, \"%.*s: level %zu has %%0 entries; positions of i32 count to %%1\"($1, $2 "
                          ": index, index)",
                          NR_STR_ARG(result(s)->name), l),
              ok, size, max);
}

static void end_level(NrGenerator *s, size_t l) {
  size_t counting = counting_level(s, l);
  NrLoopValue size = s->out.at[counting];
  if (counting == l) {
    nr_output_check_size(s, l, size);
    if (!l) nr_gen_store(s, s->index, s->out.positions[l], s->c1, as_index(s, size));
    else if (!is_level(s, l - 1, NR_LEVEL_DENSE))
      cut(s, array_type(s), s->out.positions[l], plus_one(s, s->out.at[counting_level(s, l - 1)]));
    else if (!s->out.is_bounded) fill_gaps(s, l); /* else all rows are visited */
  }
  cut(s, array_type(s), s->out.coordinates[l], size);
}

void nr_output_end(NrGenerator *s) {
  if (s->out.in_memory) nr_dense_end(s);
  if (s->out.is_dense) return;
  if (nr_output_scatters(s) && !s->out.by_rows) nr_workspace_end(s);
  if (s->out.is_bounded) end_bounded(s);
  if (s->out.by_rows) return;
  for (size_t l = 0; l < result(s)->order; l++)
    if (!is_level(s, l, NR_LEVEL_DENSE)) end_level(s, l);
  cut(s, values_type(s), s->out.values, s->out.at[counting_level(s, result(s)->order - 1)]);
}

static void add_result(NrGenerator *s, NrSparseArray kind, size_t level, NrLoopValue variable) {
  NrSparseValue value = {kind, 0, level, s->l.hints.data[variable]};
  nr_vec_push(&s->kernel->results, value);
  nr_vec_push(&s->returned, nr_loops_name(&s->l, variable));
}

void nr_output_results(NrGenerator *s) {
  for (size_t l = 0; l < result(s)->order && !s->out.is_dense; l++) {
    if (is_level(s, l, NR_LEVEL_COMPRESSED)) add_result(s, NR_SPARSE_POSITIONS, l, s->out.positions[l]);
    if (!is_level(s, l, NR_LEVEL_DENSE)) add_result(s, NR_SPARSE_COORDINATES, l, s->out.coordinates[l]);
  }
  add_result(s, !s->out.is_dense ? NR_SPARSE_VALUES : result(s)->order ? NR_SPARSE_DENSE : NR_SPARSE_SCALAR, 0,
             s->out.values);
}

const char *nr_output_type(NrGenerator *s, const NrSparseValue *value) {
  switch (value->kind) {
  case NR_SPARSE_SCALAR: return s->type;
  case NR_SPARSE_DENSE: return nr_dense_type(s);
  case NR_SPARSE_VALUES: return values_type(s);
  default: return array_type(s);
  }
}
