/* rows.c - results whose rows threads make; see output.c.
 *
 * Products are those with entries in no order.
 * Where all levels of the result but the last are dense, and no operand decides which of their coordinates there are,
 * rows do not depend on each other but for where they begin. So the loops run twice, each time over blocks of rows that
 * threads share: the first ones count the entries of each row, the second ones write them to their places. The first
 * ones check what they read of the operands, and the second ones read the same again. */
#include "sparse/lower.h"

enum {
  BLOCKS = 8,   /* of a thread, as rows may take different time */
  PRODUCTS = 8, /* of an entry of an operand, at a guess */
  ENTRIES = 4096,  /* of the operands, at least, in a block of a result whose entries come in order */
  BLOCK_NS = 10000, /* what such a block takes, at least */
};

static size_t last_level(const NrGenerator *s) { return s->a->tensors[0].order - 1; }

bool nr_rows_apply(const NrGenerator *s) {
  const NrSparseFormat *format = &s->a->tensors[0].format;
  size_t last = last_level(s), index = nr_level_index(s->a, 0, last);
  if (!nr_output_scatters(s) || !last) return false;
  if (last > 1 && !strcmp(s->index, "i32")) return false; /* there may be more rows than it can note */
  for (size_t l = 0; l < last; l++)
    if (format->kinds[l] != NR_LEVEL_DENSE || nr_level_is_known(s->a, 0, l) ||
        s->order[l] != nr_level_index(s->a, 0, l))
      return false;
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    const NrSparseFormat *operand = &nr_access_tensor(s, k)->format;
    for (size_t l = 0; l < operand->order; l++) {
      size_t i = nr_level_index(s->a, k, l);
      if (operand->kinds[l] != NR_LEVEL_DENSE && i < s->a->num_free && i != index) return false;
    }
  }
  return true;
}

bool nr_blocks_apply(const NrGenerator *s) {
  size_t last = last_level(s);
  for (size_t l = 0; l < last; l++)
    if (s->order[l] != nr_level_index(s->a, 0, l)) return false;
  return last > 0;
}

static NrLoopValue op(NrGenerator *s, const char *hint, const char *text, NrLoopValue a, NrLoopValue b) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "arith.%s $0, $1 : index", text), a, b);
}

/* ---- blocks of rows ---------------------------------------------------------------------------------------------- */

/* The entries of all operands. */
static NrLoopValue count_entries(NrGenerator *s) {
  NrLoopValue all = s->c1;
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    const NrArrays *arrays = &s->arrays[s->a->accesses[k].tensor];
    const NrSparseFormat *format = &nr_access_tensor(s, k)->format;
    for (size_t l = format->order; l-- > 0;) {
      if (format->kinds[l] == NR_LEVEL_DENSE) continue;
      all = op(s, "entries", "addi", all, arrays->count[l]);
      break;
    }
  }
  return all;
}

/* The blocks that there are to be: one for one thread. */
static NrLoopValue wanted_blocks(NrGenerator *s, NrLoopValue threads) {
  NrLoopValue many = op(s, "many", "muli", threads, nr_gen_constant(s, BLOCKS));
  NrLoopValue several = op(s, "several", "cmpi ugt,", threads, s->c1);
  return NR_LOOPS_OP(&s->l, "wanted", "arith.select $0, $1, $2 : index", several, many, s->c1);
}

/* How many rows a block has, and how many blocks there are. */
static void make_blocks(NrGenerator *s, NrLoopValue wanted) {
  NrLoopValue rows = s->extent[s->order[0]], step = op(s, "step", "ceildivui", rows, wanted);
  s->out.step = op(s, "step", "maxui", step, s->c1);
  s->out.blocks = op(s, "blocks", "ceildivui", rows, s->out.step);
}

/* A block has lists with an element for each column, which it fills: there are not so many blocks that this takes
 * longer than the products. */
static void make_blocks_with_lists(NrGenerator *s) {
  NrLoopValue columns = s->extent[nr_level_index(s->a, 0, last_level(s))];
  NrLoopValue wanted = wanted_blocks(s, nr_loops_op(&s->l, "threads", "rt.threads", NULL, 0));
  NrLoopValue work = op(s, "work", "muli", count_entries(s), nr_gen_constant(s, PRODUCTS));
  NrLoopValue some = op(s, "columns", "maxui", columns, s->c1);
  wanted = op(s, "wanted", "minui", wanted, op(s, "most", "divui", work, some));
  make_blocks(s, op(s, "wanted", "maxui", wanted, s->c1));
}

/* The loop over all rows, for a part of them in each iteration of a loop that threads share. */
static void open_block(NrGenerator *s) {
  NrLoopValue block = nr_loops_parallel(&s->l, "block", s->c0, s->out.blocks);
  s->out.first_row = op(s, "first_row", "muli", block, s->out.step);
  NrLoopValue end = op(s, "end_row", "addi", s->out.first_row, s->out.step);
  s->out.end_row = op(s, "end_row", "minui", end, s->extent[s->order[0]]);
}

static void close_block(NrGenerator *s) {
  s->out.first_row = s->out.end_row = NR_NO_LOOP_VALUE;
  nr_loops_end(&s->l);
}

/* How many rows there are. Positions of rows do not overflow where this does not. */
static NrLoopValue count_all(NrGenerator *s) {
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->tensors[0].name));
  NrLoopValue rows = s->extent[s->order[0]];
  for (size_t l = 1; l < last_level(s); l++) rows = nr_arrays_product(s, rows, s->extent[s->order[l]], name);
  return rows;
}

/* The position of a row on the level above the last one; of `first`, a coordinate of level 0 alone, its first row. */
static NrLoopValue row_of(NrGenerator *s, NrLoopValue first) {
  NrLoopValue at = first;
  if (first == NR_NO_LOOP_VALUE) at = s->coordinate[s->order[0]];
  for (size_t l = 1; l < last_level(s); l++) {
    at = op(s, "row", "muli", at, s->extent[s->order[l]]);
    if (first == NR_NO_LOOP_VALUE) at = op(s, "row", "addi", at, s->coordinate[s->order[l]]);
  }
  return at;
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static const char *memory(NrGenerator *s, const char *element) { return nr_gen_text(s, "memref<?x%s>", element); }

static NrLoopValue allocate(NrGenerator *s, const char *hint, const char *element, NrLoopValue size) {
  return nr_gen_op1(s, hint, nr_gen_text(s, "memref.alloc($0) : %s", memory(s, element)), size);
}

static NrLoopValue load(NrGenerator *s, const char *hint, const char *element, NrLoopValue array, NrLoopValue at) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "memref.load $0[$1] : %s", memory(s, element)), array, at);
}

static void store(NrGenerator *s, const char *element, NrLoopValue array, NrLoopValue at, NrLoopValue value) {
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.store $0, $1[$2] : %s", memory(s, element)), value, array, at);
}

static NrLoopValue as_small(NrGenerator *s, NrLoopValue value) {
  if (!strcmp(s->index, "index")) return value;
  return nr_gen_op1(s, "small", nr_gen_text(s, "arith.index_cast $0 : index to %s", s->index), value);
}

static NrLoopValue as_index(NrGenerator *s, NrLoopValue value) {
  if (!strcmp(s->index, "index")) return value;
  return nr_gen_op1(s, "wide", nr_gen_text(s, "arith.index_cast $0 : %s to index", s->index), value);
}

/* Counts a coordinate, unless the row has had it: of each, the row is noted that had it last. */
void nr_rows_mark(NrGenerator *s, NrLoopValue c) {
  NrLoopValue before = load(s, "before", s->index, s->out.noted, c);
  store(s, s->index, s->out.noted, c, s->out.note);
  const char *differs = nr_gen_text(s, "arith.cmpi ne, $0, $1 : %s", s->index);
  NrLoopValue is_new = nr_gen_op2(s, "new", differs, before, s->out.note);
  NrLoopValue step = nr_gen_op1(s, "step", "arith.index_castui $0 : i1 to index", is_new);
  nr_loops_assign(&s->l, s->out.counted, op(s, "counted", "addi", s->out.counted, step));
}

void nr_rows_open_count(NrGenerator *s) {
  NrLoopValue row = row_of(s, NR_NO_LOOP_VALUE), of_block = row_of(s, s->out.first_row);
  s->out.note = as_small(s, op(s, "note", "subi", row, of_block));
  s->out.counted = nr_loops_variable(&s->l, "counted", "index", s->c0);
}

void nr_rows_close_count(NrGenerator *s) {
  NrLoopValue next = op(s, "next", "addi", row_of(s, NR_NO_LOOP_VALUE), s->c1);
  store(s, s->index, s->out.positions[last_level(s)], next, as_small(s, s->out.counted));
}

static void open_notes(NrGenerator *s) {
  NrLoopValue none = nr_loops_op(&s->l, "none", nr_gen_text(s, "arith.constant -1 : %s", s->index), NULL, 0);
  s->out.noted = allocate(s, "noted", s->index, s->extent[nr_level_index(s->a, 0, last_level(s))]);
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "linalg.fill ins($0 : %s) outs($1 : %s)", s->index, memory(s, s->index)),
              none, s->out.noted);
}

static void close_notes(NrGenerator *s) {
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.dealloc $0 : %s", memory(s, s->index)), s->out.noted);
}

static void count_rows(NrGenerator *s, NrTerms terms) {
  nr_loops_comment(&s->l, "how many entries each row has");
  open_block(s);
  open_notes(s);
  s->out.is_bounding = s->out.is_counting = true;
  nr_gen_loops(s, 0, terms);
  s->out.is_bounding = s->out.is_counting = false;
  close_notes(s);
  close_block(s);
  s->out.is_checked = true;
}

/* ---- entries in no order ----------------------------------------------------------------------------------------- */

void nr_rows_open_unordered(NrGenerator *s) { s->out.note = as_small(s, nr_loops_read(&s->l, nr_output_size(s))); }

/* Places before this row's first are of earlier rows, so the list of them is never cleared. */
void nr_rows_put(NrGenerator *s, NrLoopValue c, NrLoopValue value) {
  NrLoopValue size = nr_output_size(s), place = load(s, "place", s->index, s->out.noted, c);
  nr_loops_if(&s->l, nr_gen_op2(s, "new", nr_gen_text(s, "arith.cmpi slt, $0, $1 : %s", s->index), place, s->out.note));
  store(s, s->index, s->out.noted, c, as_small(s, size));
  nr_output_write_at(s, size, c, value);
  nr_loops_assign(&s->l, size, op(s, "next", "addi", size, s->c1));
  nr_loops_else(&s->l);
  NrLoopValue at = as_index(s, place);
  store(s, s->type, s->out.values, at, nr_gen_add(s, load(s, "old", s->type, s->out.values, at), value));
  nr_loops_end(&s->l);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Rows begin where those before them end. */
static void sum_counts(NrGenerator *s, NrLoopValue places) {
  NrLoopValue pos = s->out.positions[last_level(s)];
  s->out.total = nr_loops_variable(&s->l, "total", "index", s->c0);
  NrLoopValue row = nr_loops_for(&s->l, "row", s->c1, places);
  NrLoopValue count = as_index(s, load(s, "count", s->index, pos, row));
  nr_loops_assign(&s->l, s->out.total, op(s, "total", "addi", s->out.total, count));
  store(s, s->index, pos, row, as_small(s, s->out.total));
  nr_loops_end(&s->l);
  nr_output_check_size(s, last_level(s), s->out.total);
}

void nr_rows_make(NrGenerator *s, NrTerms terms) {
  size_t last = last_level(s);
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->tensors[0].name));
  NrLoopValue rows = count_all(s), places = op(s, "places", "addi", rows, s->c1);
  make_blocks_with_lists(s);
  s->out.positions[last] = allocate(s, nr_gen_text(s, "%s_pos%zu_mem", name, last), s->index, places);
  store(s, s->index, s->out.positions[last], s->c0, as_small(s, s->c0));
  count_rows(s, terms);
  sum_counts(s, places);
  s->out.coordinates[last] = allocate(s, nr_gen_text(s, "%s_crd%zu_mem", name, last), s->index, s->out.total);
  s->out.values = allocate(s, nr_gen_text(s, "%s_vals_mem", name), s->type, s->out.total);
  nr_loops_comment(&s->l, "the entries of each row");
  open_block(s);
  s->out.is_unordered = s->a->tensors[0].format.is_unordered[last];
  if (s->out.is_unordered) open_notes(s);
  else nr_workspace_allocate(s);
  NrLoopValue begin = load(s, "begin", s->index, s->out.positions[last], row_of(s, s->out.first_row));
  s->out.at[last] = nr_loops_variable(&s->l, nr_gen_text(s, "%s_size%zu", name, last), "index", as_index(s, begin));
  nr_gen_loops(s, 0, terms);
  if (s->out.is_unordered) close_notes(s);
  else nr_workspace_end(s);
  s->out.is_unordered = false;
  close_block(s);
}

/* ---- results whose entries come in order ------------------------------------------------------------------------- */

/* Where the entries of a block begin if all of the operands' entries above it are entries of the result: there is room
 * for the block from there on, however many of them are. */
static NrLoopValue bound_of(NrGenerator *s, NrLoopValue first_row) {
  size_t index = nr_level_index(s->a, 0, last_level(s));
  NrLoopValue row = row_of(s, first_row), all = s->c0;
  for (size_t k = 1; k < s->a->num_accesses; k++) {
    const NrSparseFormat *format = &nr_access_tensor(s, k)->format;
    for (size_t l = 0; l < format->order; l++)
      if (format->kinds[l] != NR_LEVEL_DENSE && nr_level_index(s->a, k, l) == index)
        all = op(s, "bound", "addi", all,
                 format->kinds[l] == NR_LEVEL_SINGLETON ? row : nr_arrays_position(s, k, l, row));
  }
  return all;
}

void nr_blocks_close_row(NrGenerator *s, NrLoopValue row) {
  size_t last = last_level(s);
  store(s, s->index, s->out.positions[last], op(s, "next", "addi", row, s->c1), as_small(s, s->out.at[last]));
}

/* The parts of the result that are written by one thread each: the first is a thread's share of the blocks, and is
 * written where it stays. The others are a block each, and are written to other arrays first. */
typedef struct Parts {
  NrLoopValue share, count, ends; /* blocks of the first part; parts; where each ends in its arrays */
  NrLoopValue coordinates[2], values[2];
} Parts;

/* Sets the rows of a part. Whether it is the first. */
static NrLoopValue open_part(NrGenerator *s, const Parts *parts, NrLoopValue part) {
  NrLoopValue first = op(s, "is_first", "cmpi eq,", part, s->c0);
  NrLoopValue before = op(s, "before", "addi", parts->share, op(s, "before", "subi", part, s->c1));
  NrLoopValue block = NR_LOOPS_OP(&s->l, "block", "arith.select $0, $1, $2 : index", first, s->c0, before);
  NrLoopValue count = NR_LOOPS_OP(&s->l, "count", "arith.select $0, $1, $2 : index", first, parts->share, s->c1);
  NrLoopValue end = op(s, "end_row", "muli", op(s, "end", "addi", block, count), s->out.step);
  s->out.first_row = op(s, "first_row", "muli", block, s->out.step);
  s->out.end_row = op(s, "end_row", "minui", end, s->extent[s->order[0]]);
  return first;
}

static void write_parts(NrGenerator *s, const Parts *parts, NrTerms terms) {
  size_t last = last_level(s);
  const char *name = nr_gen_text(s, "%.*s_size%zu", NR_STR_ARG(s->a->tensors[0].name), last);
  NrLoopValue part = nr_loops_parallel(&s->l, "part", s->c0, parts->count), first = open_part(s, parts, part);
  nr_loops_set_time(&s->l, BLOCK_NS);
  s->out.at[last] = nr_loops_variable(&s->l, name, "index", s->c0);
  nr_loops_if(&s->l, first);
  for (size_t i = 0; i < 2; i++) {
    s->out.coordinates[last] = parts->coordinates[i];
    s->out.values = parts->values[i];
    if (i) nr_loops_assign(&s->l, s->out.at[last], bound_of(s, s->out.first_row));
    nr_gen_loops(s, 0, terms);
    if (!i) nr_loops_else(&s->l);
  }
  nr_loops_end(&s->l);
  store(s, "index", parts->ends, part, s->out.at[last]);
  close_block(s);
}

/* Where each part begins in the result, instead of where it ends. Returns the number of all entries. */
static NrLoopValue place_parts(NrGenerator *s, const Parts *parts, NrLoopValue begins) {
  NrLoopValue total = nr_loops_variable(&s->l, "total", "index", load(s, "end", "index", parts->ends, s->c0));
  NrLoopValue part = nr_loops_for(&s->l, "part", s->c1, parts->count);
  open_part(s, parts, part);
  NrLoopValue size = op(s, "size", "subi", load(s, "end", "index", parts->ends, part), bound_of(s, s->out.first_row));
  store(s, "index", begins, part, total);
  nr_loops_assign(&s->l, total, op(s, "total", "addi", total, size));
  close_block(s);
  return total;
}

static void move_parts(NrGenerator *s, const Parts *parts, NrLoopValue begins) {
  size_t last = last_level(s);
  NrLoopValue part = nr_loops_parallel(&s->l, "part", s->c1, parts->count);
  nr_loops_set_time(&s->l, BLOCK_NS);
  open_part(s, parts, part);
  NrLoopValue from = bound_of(s, s->out.first_row), to = load(s, "to", "index", begins, part);
  NrLoopValue size = op(s, "size", "subi", load(s, "end", "index", parts->ends, part), from);
  NrLoopValue i = nr_loops_for(&s->l, "i", s->c0, size);
  NrLoopValue source = op(s, "source", "addi", from, i), target = op(s, "target", "addi", to, i);
  store(s, s->index, parts->coordinates[0], target, load(s, "crd", s->index, parts->coordinates[1], source));
  store(s, s->type, parts->values[0], target, load(s, "val", s->type, parts->values[1], source));
  nr_loops_end(&s->l);
  NrLoopValue row = nr_loops_for(&s->l, "row", row_of(s, s->out.first_row), row_of(s, s->out.end_row));
  NrLoopValue next = op(s, "next", "addi", row, s->c1), pos = s->out.positions[last];
  NrLoopValue end = op(s, "end", "subi", as_index(s, load(s, "end", s->index, pos, next)), from);
  store(s, s->index, pos, next, as_small(s, op(s, "end", "addi", end, to)));
  nr_loops_end(&s->l);
  close_block(s);
}

void nr_blocks_make(NrGenerator *s, NrTerms terms) {
  size_t last = last_level(s);
  NrLoopValue room = nr_output_room(s, nr_level_index(s->a, 0, last));
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(s->a->tensors[0].name));
  NrLoopValue places = op(s, "places", "addi", count_all(s), s->c1);
  NrLoopValue threads = nr_loops_op(&s->l, "threads", "rt.threads", NULL, 0);
  Parts parts = {0};
  NrLoopValue most = op(s, "most", "ceildivui", count_entries(s), nr_gen_constant(s, ENTRIES));
  make_blocks(s, op(s, "wanted", "minui", wanted_blocks(s, threads), most));
  parts.share = op(s, "share", "ceildivui", s->out.blocks, threads);
  parts.count = op(s, "parts", "addi", op(s, "others", "subi", s->out.blocks, parts.share), s->c1);
  NrLoopValue several = op(s, "several", "cmpi ugt,", parts.count, s->c1);
  NrLoopValue rooms[] = {room, NR_LOOPS_OP(&s->l, "room", "arith.select $0, $1, $2 : index", several, room, s->c0)};
  for (size_t i = 0; i < 2; i++) {
    const char *of = i ? "_moved" : "_mem";
    parts.coordinates[i] = allocate(s, nr_gen_text(s, "%s_crd%zu%s", name, last, of), s->index, rooms[i]);
    parts.values[i] = allocate(s, nr_gen_text(s, "%s_vals%s", name, of), s->type, rooms[i]);
  }
  s->out.positions[last] = allocate(s, nr_gen_text(s, "%s_pos%zu_mem", name, last), s->index, places);
  store(s, s->index, s->out.positions[last], s->c0, as_small(s, s->c0));
  parts.ends = allocate(s, "ends", "index", parts.count);
  NrLoopValue begins = allocate(s, "begins", "index", parts.count);
  write_parts(s, &parts, terms);
  s->out.at[last] = place_parts(s, &parts, begins);
  nr_loops_comment(&s->l, "parts that were written elsewhere");
  move_parts(s, &parts, begins);
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.dealloc $0 : %s", memory(s, s->index)), parts.coordinates[1]);
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.dealloc $0 : %s", memory(s, s->type)), parts.values[1]);
  NR_LOOPS_OP(&s->l, NULL, "memref.dealloc $0 : memref<?xindex>", parts.ends);
  NR_LOOPS_OP(&s->l, NULL, "memref.dealloc $0 : memref<?xindex>", begins);
  s->out.coordinates[last] = parts.coordinates[0];
  s->out.values = parts.values[0];
}
