/* expand_dots.c - products of bytes that are summed by four become products of 16-bit integers that are summed by two,
 * where the CPU has no instruction for it.
 *   before  %r = rt.dot %acc, %a, %b : vector<8xi32>, vector<32xi8>
 *   after   even and odd bytes of %a and %b as vector<16xi16>; each extended to i32 and multiplied; neighbours added
 * LLVM makes one instruction (PMADDWD, exact for bytes) of the products and the sum of neighbours. PMADDUBSW, which
 * takes bytes, saturates its sums: 255 * 127 + 255 * 127 does not fit into 16 bits. */
#include "dialect/rt/rt.h"
#include "dialect/vector/vector.h"
#include "pass/expand/expand.h"

typedef NrExpand X;
typedef NrValue *V;

/* VNNI has vectors of 4, 8 and 16 lanes. */
static bool has_instruction(const NrTarget *t, int64_t lanes) {
  bool fits = lanes == 4 || lanes == 8 || (lanes == 16 && t->vector_bytes >= 64);
  return t->arch == NR_ARCH_X86_64 && (t->units & NR_UNIT_DOT_I8) && fits;
}

/* The elements first, first + 2, .. of a vector. */
static V every_second(X *x, V vector, int64_t first) {
  int64_t count = vector->type->dims[0] / 2, *mask = nr_malloc((size_t)count * sizeof *mask);
  for (int64_t i = 0; i < count; i++) mask[i] = 2 * i + first;
  NrType type = nr_type_vector(&count, 1, vector->type->elem);
  V out = nr_build_value(&x->b, NR_OP_vector_shuffle, type, (V[]){vector, vector}, 2);
  nr_op_set_attr(out->op, NR_A_mask, nr_attr_i64_array(x->b.ctx, mask, (size_t)count));
  nr_free(mask);
  return out;
}

/* The sums of neighbours of the products of 16-bit integers. */
static V pairs(X *x, V a, V b) {
  NrType i32 = nr_type_i32(x->b.ctx);
  V product = nr_expand_two(x, NR_OP_arith_muli, nr_expand_cast(x, NR_OP_arith_extsi, a, i32),
                            nr_expand_cast(x, NR_OP_arith_extsi, b, i32));
  return nr_expand_two(x, NR_OP_arith_addi, every_second(x, product, 0), every_second(x, product, 1));
}

static NrStatus expand(X *x, NrOp *op) {
  if (!nr_op_is(op, NR_OP_rt_dot)) return NR_OK;
  V acc = nr_rt_dot_acc(op), bytes[2] = {nr_rt_dot_a(op), nr_rt_dot_b(op)}, even[2], odd[2];
  int64_t lanes = acc->type->dims[0], halves = 2 * lanes;
  if (has_instruction(x->target, lanes)) return NR_OK;
  nr_expand_at(x, op);
  NrType words = nr_type_vector(&halves, 1, nr_type_int(x->b.ctx, 16));
  for (size_t k = 0; k < 2; k++) {
    V word = nr_build_value(&x->b, NR_OP_vector_bitcast, words, &bytes[k], 1), eight = nr_expand_int(x, word, 8);
    unsigned down = k == 0 ? NR_OP_arith_shrui : NR_OP_arith_shrsi;
    odd[k] = nr_expand_two(x, down, word, eight);
    even[k] = nr_expand_two(x, down, nr_expand_two(x, NR_OP_arith_shli, word, eight), eight);
  }
  V sum = nr_expand_two(x, NR_OP_arith_addi, pairs(x, even[0], even[1]), pairs(x, odd[0], odd[1]));
  nr_op_replace(op, nr_expand_two(x, NR_OP_arith_addi, acc, sum));
  return NR_OK;
}

static NrStatus expand_dots_run(NrPassContext *pass, NrOp *root) { return nr_expand_matching(pass, root, expand); }

NR_PASS(expand_dots, .name = "expand-dots", .on_while = NR_WHILE_BARRIER, .run = expand_dots_run,
        .doc = "products of bytes that are summed by four become products of 16-bit integers where the CPU has no "
               "instruction for them")
