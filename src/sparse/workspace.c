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

void nr_workspace_begin(NrGenerator *s) {
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

/* Adds to the row. The first bit of a word sets one of the groups. */
void nr_workspace_put(NrGenerator *s, NrLoopValue value) {
  NrLoopValue c = s->coordinate[last_index(s)], word, group;
  store(s, s->type, s->out.row, c, nr_gen_add(s, load(s, "old", s->type, s->out.row, c), value));
  NrLoopValue before = set_bit(s, s->out.words, c, &word);
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  nr_loops_if(&s->l, nr_gen_op2(s, "first", "arith.cmpi eq, $0, $1 : i64", before, none));
  set_bit(s, s->out.groups, word, &group);
  nr_loops_end(&s->l);
}

void nr_workspace_open(NrGenerator *s) {
  s->out.in_workspace = true;
  s->out.added = nr_loops_variable(&s->l, "added", "index", s->c0);
}

bool nr_workspace_bounds(NrGenerator *s, size_t index, NrLoopValue trips) {
  if (!s->out.in_workspace || index != last_index(s)) return false;
  nr_loops_assign(&s->l, s->out.added, nr_gen_op2(s, "added", "arith.addi $0, $1 : index", s->out.added, trips));
  return s->out.is_bounding;
}

void nr_workspace_bound(NrGenerator *s) {
  nr_loops_comment(&s->l, "how many entries the result has at most");
  s->out.total = nr_loops_variable(&s->l, "total", "index", s->c0);
  s->out.is_bounding = true;
  nr_gen_loops(s, 0, nr_terms_of(s->arena, s->a->value));
  s->out.is_bounding = false;
}

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

void nr_workspace_close(NrGenerator *s) {
  size_t last = s->a->tensors[0].order - 1;
  s->out.in_workspace = false;
  NrLoopValue bound = nr_gen_op2(s, "bound", "arith.minui $0, $1 : index", s->out.added, s->extent[last_index(s)]);
  if (s->out.is_bounding) {
    nr_loops_assign(&s->l, s->out.total, nr_gen_op2(s, "total", "arith.addi $0, $1 : index", s->out.total, bound));
    return;
  }
  nr_output_make_room(s, last, bound);
  nr_loops_comment(&s->l, "the row in the order of its coordinates; the workspace is zero again behind it");
  NrLoopValue none = nr_loops_op(&s->l, "none", "arith.constant 0 : i64", NULL, 0);
  NrLoopValue group = nr_loops_for(&s->l, "group", s->c0, s->out.num_groups);
  NrLoopValue words = load(s, "words", "i64", s->out.groups, group);
  store(s, "i64", s->out.groups, group, none);
  NrLoopValue word = open_bits(s, words, group);
  NrLoopValue bits = load(s, "bits", "i64", s->out.words, word);
  store(s, "i64", s->out.words, word, none);
  NrLoopValue c = open_bits(s, bits, word);
  NrLoopValue value = load(s, "value", s->type, s->out.row, c);
  store(s, s->type, s->out.row, c, s->zero);
  nr_output_append(s, c, value);
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
  nr_loops_end(&s->l);
}

void nr_workspace_end(NrGenerator *s) {
  const char *bits = "memref.dealloc $0 : memref<?xi64>";
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "memref.dealloc $0 : memref<?x%s>", s->type), s->out.row);
  NR_LOOPS_OP(&s->l, NULL, bits, s->out.words);
  NR_LOOPS_OP(&s->l, NULL, bits, s->out.groups);
}
