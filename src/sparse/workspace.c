/* workspace.c - a dense row for entries that come in no order; see output.c.
 *
 * A bit for each element says whether it is set, and a bit for each word of those whether it has bits. Reading them in
 * order gives the entries in order, in the time of the entries and 1/4096 of the row. */
#include "sparse/lower.h"

/* The index variable of the result's last level. */
static size_t last_index(const NrGenerator *s) { return nr_level_index(s->a, 0, s->a->tensors[0].order - 1); }

/* Memory of zeros that only the loops below use. */
static NrLoopValue workspace(NrGenerator *s, const char *hint, const char *element, NrLoopValue zero,
                             NrLoopValue size) {
  NrLoopValue memory = nr_gen_op1(s, hint, nr_gen_text(s, "memref.alloc($0) : memref<?x%s>", element), size);
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "linalg.fill ins($0 : %s) outs($1 : memref<?x%s>)", element, element), zero,
              memory);
  return memory;
}

void nr_workspace_allocate(NrGenerator *s) {
  NrLoopValue size = s->extent[last_index(s)];
  NrLoopValue c63 = nr_gen_constant(s, 63), c64 = nr_gen_constant(s, 64);
  NrLoopValue words = nr_gen_op2(s, "up", "arith.addi $0, $1 : index", size, c63);
  words = nr_gen_op2(s, "words", "arith.divui $0, $1 : index", words, c64);
  NrLoopValue groups = nr_gen_op2(s, "up", "arith.addi $0, $1 : index", words, c63);
  groups = nr_gen_op2(s, "groups", "arith.divui $0, $1 : index", groups, c64);
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  s->out.num_groups = groups;
  s->out.row = workspace(s, "row", s->type, s->zero, size);
  s->out.words = workspace(s, "set", "i64", none, words);
  s->out.groups = workspace(s, "any", "i64", none, groups);
}

static NrLoopValue load(NrGenerator *s, const char *hint, const char *type, NrLoopValue memory, NrLoopValue at) {
  return nr_gen_op2(s, hint, nr_gen_text(s, "memref.load $0[$1] : memref<?x%s>", type), memory, at);
}

static void store(NrGenerator *s, const char *type, NrLoopValue memory, NrLoopValue at, NrLoopValue value) {
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.store $0, $1[$2] : memref<?x%s>", type), value, memory, at);
}

/* Sets a bit; returns the word before, and its number. */
static NrLoopValue set_bit(NrGenerator *s, NrLoopValue memory, NrLoopValue at, NrLoopValue *out_word) {
  NrLoopValue one = nr_loops_op(&s->l, "one", "arith.constant 1 : i64", NULL, 0);
  *out_word = nr_gen_op2(s, "word", "arith.shrui $0, $1 : index", at, nr_gen_constant(s, 6));
  NrLoopValue low = nr_gen_op2(s, "low", "arith.andi $0, $1 : index", at, nr_gen_constant(s, 63));
  NrLoopValue shift = nr_gen_op1(s, "shift", "arith.index_cast $0 : index to i64", low);
  NrLoopValue bit = nr_gen_op2(s, "bit", "arith.shli $0, $1 : i64", one, shift);
  NrLoopValue bits = load(s, "bits", "i64", memory, *out_word);
  store(s, "i64", memory, *out_word, nr_gen_op2(s, "with", "arith.ori $0, $1 : i64", bits, bit));
  return bits;
}

/* The first bit of a word sets one of the groups. */
static void mark(NrGenerator *s, NrLoopValue c) {
  NrLoopValue word, group, before = set_bit(s, s->out.words, c, &word);
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  nr_loops_if(&s->l, nr_gen_op2(s, "first", "arith.cmpi eq, $0, $1 : i64", before, none));
  set_bit(s, s->out.groups, word, &group);
  nr_loops_end(&s->l);
}

/* Adds to the row. */
void nr_workspace_put(NrGenerator *s, NrLoopValue value) {
  NrLoopValue c = s->coordinate[last_index(s)];
  if (s->out.is_counting) {
    nr_rows_mark(s, c);
    return;
  }
  if (s->out.is_unordered) {
    nr_rows_put(s, c, value);
    return;
  }
  if (!s->out.is_marking)
    store(s, s->type, s->out.row, c, nr_gen_add(s, load(s, "old", s->type, s->out.row, c), value));
  mark(s, c);
}

bool nr_workspace_bounds(NrGenerator *s, size_t index, NrLoopValue trips) {
  if (!s->out.in_workspace || s->out.is_marking || index != last_index(s)) return false;
  nr_loops_assign(&s->l, s->out.added, nr_gen_op2(s, "added", "arith.addi $0, $1 : index", s->out.added, trips));
  return s->out.is_bounding;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A loop over the bits of a word, lowest first: begins it, and returns the number of the bit. */
static NrLoopValue open_bits(NrGenerator *s, NrLoopValue word, NrLoopValue base) {
  NrLoopValue rest = nr_loops_variable(&s->l, "rest", "i64", word);
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  nr_loops_while(&s->l);
  nr_loops_do(&s->l, nr_gen_op2(s, "left", "arith.cmpi ne, $0, $1 : i64", rest, none));
  NrLoopValue place = nr_gen_op1(s, "place", "math.cttz $0 : i64", rest);
  NrLoopValue one = nr_loops_op(&s->l, "one", "arith.constant 1 : i64", NULL, 0);
  NrLoopValue less = nr_gen_op2(s, "less", "arith.subi $0, $1 : i64", rest, one);
  nr_loops_assign(&s->l, rest, nr_gen_op2(s, "rest", "arith.andi $0, $1 : i64", rest, less));
  NrLoopValue first = nr_gen_op2(s, "first", "arith.muli $0, $1 : index", base, nr_gen_constant(s, 64));
  return nr_gen_op2(s, "at", "arith.addi $0, $1 : index", first,
                      nr_gen_op1(s, "place", "arith.index_cast $0 : i64 to index", place));
}

/* A loop over the words of the row that have bits, in order: begins it, and returns the word's number. Behind it, the
 * groups are zero again. */
static NrLoopValue open_words(NrGenerator *s) {
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  NrLoopValue group = nr_loops_for(&s->l, "group", s->c0, s->out.num_groups);
  NrLoopValue words = load(s, "words", "i64", s->out.groups, group);
  store(s, "i64", s->out.groups, group, none);
  return open_bits(s, words, group);
}

static void close_words(NrGenerator *s) {
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
}

/* The word, which is zero again behind it. */
static NrLoopValue take_word(NrGenerator *s, NrLoopValue word) {
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  NrLoopValue bits = load(s, "bits", "i64", s->out.words, word);
  store(s, "i64", s->out.words, word, none);
  return bits;
}

static void append_row(NrGenerator *s) {
  nr_loops_comment(&s->l, "the row in the order of its coordinates; the workspace is zero again behind it");
  NrLoopValue word = open_words(s);
  NrLoopValue c = open_bits(s, take_word(s, word), word);
  NrLoopValue value = load(s, "value", s->type, s->out.row, c);
  store(s, s->type, s->out.row, c, s->zero);
  nr_output_append(s, c, value);
  nr_loops_end(&s->l);
  close_words(s);
}

/* Runs the loops over a row. Returns how many entries it has at most; none where it is marked only. */
static NrLoopValue run_loops(NrGenerator *s, size_t depth, NrTerms terms, bool is_marking) {
  s->out.in_workspace = true;
  s->out.is_marking = is_marking;
  if (!is_marking) s->out.added = nr_loops_variable(&s->l, "added", "index", s->c0);
  nr_gen_loops(s, depth, terms);
  s->out.in_workspace = s->out.is_marking = false;
  if (is_marking) return NR_NO_LOOP_VALUE;
  return nr_gen_op2(s, "bound", "arith.minui $0, $1 : index", s->out.added, s->extent[last_index(s)]);
}

static void add_to(NrGenerator *s, NrLoopValue variable, NrLoopValue value) {
  const char *hint = s->l.hints.data[variable];
  nr_loops_assign(&s->l, variable, nr_gen_op2(s, hint, "arith.addi $0, $1 : index", variable, value));
}

/* Counts the entries of one of 16 rows. */
static void sample_row(NrGenerator *s, size_t depth, NrTerms terms, NrLoopValue bound) {
  NrLoopValue place = nr_gen_op2(s, "place", "arith.andi $0, $1 : index", s->out.rows, nr_gen_constant(s, 15));
  nr_loops_if(&s->l, nr_gen_op2(s, "counts", "arith.cmpi eq, $0, $1 : index", place, s->c0));
  run_loops(s, depth, terms, true);
  NrLoopValue word = open_words(s);
  NrLoopValue count = nr_gen_op1(s, "count", "math.ctpop $0 : i64", take_word(s, word));
  add_to(s, s->out.counted, nr_gen_op1(s, "count", "arith.index_cast $0 : i64 to index", count));
  close_words(s);
  add_to(s, s->out.sampled, bound);
  nr_loops_end(&s->l);
  add_to(s, s->out.rows, s->c1);
}

void nr_workspace_row(NrGenerator *s, size_t depth, NrTerms terms) {
  if (s->out.is_counting) {
    nr_rows_open_count(s);
    run_loops(s, depth, terms, true);
    nr_rows_close_count(s);
    return;
  }
  if (s->out.is_unordered) {
    nr_rows_open_unordered(s);
    run_loops(s, depth, terms, false);
    return;
  }
  NrLoopValue bound = run_loops(s, depth, terms, false);
  if (s->out.is_bounding) {
    add_to(s, s->out.total, bound);
    sample_row(s, depth, terms, bound);
    return;
  }
  nr_output_make_room(s, s->a->tensors[0].order - 1, bound);
  append_row(s);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static NrLoopValue as_float(NrGenerator *s, NrLoopValue size) {
  NrLoopValue integer = nr_gen_op1(s, "size", "arith.index_cast $0 : index to i64", size);
  return nr_gen_op1(s, "size", "arith.uitofp $0 : i64 to f64", integer);
}

/* As many entries as the rows have where all are as the sample, and an eighth of that more; at most all that come. */
static NrLoopValue estimate(NrGenerator *s) {
  NrLoopValue some = nr_gen_op2(s, "some", "arith.maxui $0, $1 : index", s->out.sampled, s->c1);
  NrLoopValue counted = as_float(s, s->out.counted), of = as_float(s, some), total = as_float(s, s->out.total);
  NrLoopValue share = nr_gen_op2(s, "share", "arith.divf $0, $1 : f64", counted, of);
  NrLoopValue like = nr_gen_op2(s, "like", "arith.mulf $0, $1 : f64", share, total);
  NrLoopValue more = nr_loops_op(&s->l, "more", "arith.constant 1.125 : f64", NULL, 0);
  NrLoopValue room = nr_gen_op2(s, "room", "arith.mulf $0, $1 : f64", like, more);
  room = nr_gen_op1(s, "room", "arith.fptoui $0 : f64 to i64", room);
  room = nr_gen_op1(s, "room", "arith.index_cast $0 : i64 to index", room);
  room = nr_gen_op2(s, "room", "arith.minui $0, $1 : index", room, s->out.total);
  return nr_gen_op2(s, "room", "arith.addi $0, $1 : index", room, s->c1);
}

void nr_workspace_begin(NrGenerator *s) {
  nr_workspace_allocate(s);
  nr_loops_comment(&s->l, "how many entries the result has at most, and in one of 16 rows");
  NrLoopValue *variables[] = {&s->out.total, &s->out.rows, &s->out.counted, &s->out.sampled};
  const char *const names[] = {"total", "rows", "counted", "sampled"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++) *variables[i] = nr_loops_variable(&s->l, names[i], "index", s->c0);
  s->out.is_bounding = true;
  nr_gen_loops(s, 0, nr_terms_of(s->arena, s->a));
  s->out.is_bounding = false;
  s->out.expected = estimate(s);
}

void nr_workspace_end(NrGenerator *s) {
  const char *bits = "memref.dealloc $0 : memref<?xi64>";
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.dealloc $0 : memref<?x%s>", s->type), s->out.row);
  NR_LOOPS_OP(&s->l, NULL, bits, s->out.words);
  NR_LOOPS_OP(&s->l, NULL, bits, s->out.groups);
}
