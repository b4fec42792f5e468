/* lanes_cost.c - how many lanes a loop gets, and whether they pay; see lanes.h.
 *
 * The estimate compares the cycles of scalar iterations with those of vectors of as many lanes, loop by loop. It counts
 * the throughput of ops (cost.def), what scalar code loses by mispredicted branches, what gathers and masks add, and
 * the lanes that are off while others go on. */
#include "dialect/arith/arith.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"
#include "pass/loop/lanes.h"
#include "pass/loop/loops.h"
#include "target/cost.h"

enum {
  MAX_COUNT = 64,
  GUESSED_TRIPS = 16, /* of an inner loop of unknown length */
};
/* Cycles. */
static const double SCALAR_PORTS = 3;     /* scalar ops that start in one */
static const double MISPREDICTED = 15;    /* a branch that went the other way */
static const double LANE_LOAD = 2;        /* of a gather, each lane; the same without such an instruction is 3 */
static const double LANE_LOAD_512 = 1;    /* where the target has masks as registers */
static const double LANE_STORE = 3;       /* of a scatter, which extracts the lane and branches */
static const double LANE_STORE_512 = 1.5;
static const double MASK_TEST = 3;        /* whether any lane is active, and the branch */
static const double CONSTANT_DIVISION = 4; /* ops */
static const double FLOAT_DIVISION = 12;   /* of a vector, with its conversions */
static const double IDLE_LANES = 1.4;     /* iterations of the slowest lane to those of the mean */

static bool has_mask_registers(const NrTarget *t) { return t->arch == NR_ARCH_X86_64 && t->registers >= 32; }

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

typedef struct Shape {
  bool straight;       /* no divergent loop: the body counts, without indices, which are mostly those of rows */
  size_t width;        /* bytes of the widest element of a vector in a divergent loop */
  uint32_t carried;    /* the most varying values that such a loop carries */
  bool gathers, divides;
} Shape;

/* The bytes of an element while it is computed with: narrow floats are f32 then. Without mask
 * registers, floats that integer code converts stay narrow: masks would be wider than what they select. */
static size_t computed_size(const NrTarget *t, NrType type) {
  size_t size = nr_type_byte_size(type);
  bool is_f16 = nr_type_is_float_kind(type, NR_F16);
  bool converts = has_mask_registers(t) || (is_f16 && (t->units & NR_UNIT_CONVERT_F16));
  bool computes = is_f16 && (t->units & NR_UNIT_F16);
  return nr_type_is_float(type) && converts && !computes ? NR_MAX(size, 4) : size;
}

static void widen(const NrLanes *l, Shape *s, const NrValue *value) {
  bool counts = !s->straight || value->type->kind != NR_TYPE_INDEX;
  if (counts && nr_lanes_varies(l, value)) s->width = NR_MAX(s->width, computed_size(l->target, value->type));
}

static void measure(const NrLanes *l, NrBlock *block, bool inside, Shape *s) {
  uint32_t carried = 0;
  for (uint32_t i = 0; inside && i < block->num_args; i++) {
    carried += nr_lanes_varies(l, block->args[i]);
    widen(l, s, block->args[i]);
  }
  s->carried = NR_MAX(s->carried, carried);
  for (NrOp *op = block->first; op; op = op->next) {
    bool loop = nr_op_is(op, NR_OP_scf_while) || nr_op_is(op, NR_OP_scf_for);
    for (uint32_t i = 0; inside && i < op->num_results; i++) widen(l, s, nr_result(op, i));
    bool access = nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store);
    bool varies = op->num_operands && nr_lanes_varies(l, nr_operand(op, op->num_operands - 1));
    s->gathers |= inside && access && varies && !nr_lanes_is_row(l, op);
    s->divides |= inside && nr_op_has(op, NR_DIVIDES) && nr_lanes_division(op) == NR_LANES_BY_LANE;
    for (uint32_t r = 0; r < op->num_regions; r++)
      if (nr_op_body(op, r)) measure(l, nr_op_body(op, r), inside || loop, s);
  }
}

static Shape shape_of(const NrLanes *l) {
  Shape s = {.straight = !nr_lanes_have_divergent_loop(l), .width = 1};
  measure(l, l->body, s.straight, &s);
  return s;
}

/* Of a vector that a unit works on in one step: a wider one would take as many steps, and more masks' latency. */
static int64_t native_of(const NrLanes *l, const Shape *s) {
  return NR_MAX((int64_t)(l->target->unit_bytes / NR_MAX(s->width, 1)), 2);
}

/* A vector with the results that the lanes of one wait for goes beside others, so that the units are busy: four, where
 * half of the registers hold what the loop carries, else two. Without a divergent loop nothing waits. */
int64_t nr_lanes_choose(const NrLanes *l, uint64_t trips) {
  Shape s = shape_of(l);
  int64_t native = native_of(l, &s);
  bool holds = 4 * s.carried <= l->target->registers / 2;
  int64_t beside = s.divides || s.straight ? 1 : holds && !s.gathers ? 4 : 2;
  int64_t count = NR_MIN(native * beside, MAX_COUNT);
  while (count > native && (uint64_t)count > trips) count /= 2;
  return trips < (uint64_t)NR_MAX(native / 2, 2) ? 0 : count;
}

void nr_lanes_shape(NrLanes *l) {
  Shape s = shape_of(l);
  NrContext *ctx = nr_op_context(l->loop);
  int64_t native = native_of(l, &s);
  l->row = l->count % native ? l->count : native; /* a number of lanes that the pass was given may be any */
  l->mask = has_mask_registers(l->target) ? nr_type_i1(ctx) : nr_type_int(ctx, 8 * (uint32_t)NR_MAX(s.width, 1));
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double vectors_of(const NrLanes *l, size_t bytes) {
  return NR_MAX((double)l->count * (double)bytes / l->target->vector_bytes, 1);
}

static size_t widest(const NrOp *op) {
  size_t bytes = 1;
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_scalar(nr_operand(op, i)->type)) bytes = NR_MAX(bytes, nr_type_byte_size(nr_operand(op, i)->type));
  for (uint32_t i = 0; i < op->num_results; i++) bytes = NR_MAX(bytes, nr_type_byte_size(nr_result(op, i)->type));
  return bytes;
}

static double cost_of_access(const NrLanes *l, const NrOp *op) {
  const NrTarget *t = l->target;
  bool loads = op->num_results > 0, varies = false;
  for (uint32_t i = 0; i < op->num_operands; i++) varies |= nr_lanes_varies(l, nr_operand(op, i));
  if (!varies) return 0.5;
  if (nr_lanes_is_row(l, op)) return vectors_of(l, nr_type_byte_size(nr_op_memref(op)->type->elem));
  double lane = has_mask_registers(t) ? (loads ? LANE_LOAD_512 : LANE_STORE_512) : loads ? LANE_LOAD : LANE_STORE;
  bool has_gather = t->vector_bytes >= 32;
  return (double)l->count * (has_gather || !loads ? lane : LANE_LOAD + 1);
}

/* Integer products of 64 bits are several of 32 where the CPU has no others. */
static int64_t slots_of(const NrLanes *l, const NrOp *op, int64_t *out_libm) {
  int64_t slots = nr_cost_slots(op, out_libm);
  bool product = nr_op_is(op, NR_OP_arith_muli) && nr_type_bits(nr_op_result(op)->type) == 64;
  return product && !has_mask_registers(l->target) ? 6 * slots : slots;
}

static NrLanesCost cost_of_block(const NrLanes *l, NrBlock *block);

/* A division by a constant is a product and shifts in scalar code too. */
static NrLanesCost cost_of_division(const NrLanes *l, const NrOp *op, double scalar) {
  size_t bytes = nr_type_byte_size(nr_op_result(op)->type);
  double count = (double)l->count;
  if (nr_lanes_division(op) == NR_LANES_BY_CONSTANT)
    return (NrLanesCost){count * CONSTANT_DIVISION / SCALAR_PORTS,
                         vectors_of(l, bytes) * 2 * CONSTANT_DIVISION / l->target->fma_ports};
  return (NrLanesCost){count * scalar, vectors_of(l, bytes > 2 ? 8 : 4) * FLOAT_DIVISION};
}

static NrLanesCost cost_of_op(const NrLanes *l, const NrOp *op) {
  double count = (double)l->count;
  int64_t libm, plain, slots = slots_of(l, op, &libm);
  if (nr_op_has(op, NR_CONSTANT_LIKE) || nr_op_has(op, NR_TERMINATOR)) return (NrLanesCost){0};
  if (nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store))
    return (NrLanesCost){count / 2, cost_of_access(l, op)};
  plain = nr_cost_slots(op, &libm);
  double scalar = plain + libm > 1 ? (double)(plain + libm) : 1 / SCALAR_PORTS;
  bool varies = false;
  for (uint32_t i = 0; i < op->num_operands; i++) varies |= nr_lanes_varies(l, nr_operand(op, i));
  if (!varies) return (NrLanesCost){count * scalar, scalar};
  if (nr_op_has(op, NR_DIVIDES) && nr_lanes_division(op) != NR_LANES_BY_LANE) return cost_of_division(l, op, scalar);
  if (libm || nr_op_has(op, NR_DIVIDES)) return (NrLanesCost){count * scalar, count * (scalar + 1)};
  return (NrLanesCost){count * scalar, vectors_of(l, widest(op)) * (double)slots / l->target->fma_ports};
}

/* Blends what the op yields, all of it vectors. */
static double cost_of_blends(const NrLanes *l, const NrOp *op) {
  double cost = 0;
  for (uint32_t i = 0; i < op->num_results; i++)
    if (nr_value_has_uses(nr_result(op, i)))
      cost += vectors_of(l, nr_type_byte_size(nr_result(op, i)->type)) / l->target->fma_ports;
  return cost;
}

/* Whether the index is the loop's induction variable, or that plus a number that the loop does not change. */
static bool is_next_in(const NrOp *loop, const NrValue *index) {
  NrValue *iv = nr_scf_for_iv(loop);
  if (index == iv) return true;
  if (!index->op || !nr_op_is(index->op, NR_OP_arith_addi)) return false;
  NrValue *lhs = nr_op_lhs(index->op), *rhs = nr_op_rhs(index->op);
  NrBlock *body = nr_scf_for_body(loop);
  return (lhs == iv && nr_value_block(rhs) != body) || (rhs == iv && nr_value_block(lhs) != body);
}

/* Whether the iterations of an inner loop access neighbours. */
static bool goes_along_row(const NrOp *loop, const NrOp *access) {
  NrGroup indices = nr_op_indices(access);
  NrType type = nr_op_memref(access)->type;
  int64_t strides[NR_MAX_RANK], offset;
  if (!indices.count || !nr_memref_strides(type, strides, &offset)) return false;
  for (size_t i = 0; i + 1 < indices.count; i++)
    if (nr_value_block(nr_operand(access, indices.begin + i)) == nr_scf_for_body(loop)) return false;
  return strides[type->rank - 1] == 1 && is_next_in(loop, nr_operand(access, indices.begin + indices.count - 1));
}

/* Bytes of the widest element of the rows that an inner loop goes along, if it does nothing else and carries nothing:
 * scalar code has vectors of its iterations. Else 0. */
static size_t row_width(NrOp *loop) {
  if (!nr_op_is(loop, NR_OP_scf_for) || loop->num_results) return 0;
  size_t width = 0;
  for (NrOp *op = nr_scf_for_body(loop)->first; op; op = op->next) {
    if (nr_op_is(op, NR_OP_memref_load) || nr_op_is(op, NR_OP_memref_store)) {
      if (!goes_along_row(loop, op)) return 0;
      width = NR_MAX(width, nr_type_byte_size(nr_op_memref(op)->type->elem));
    } else if (op->num_regions || (!nr_op_has(op, NR_PURE) && !nr_op_has(op, NR_TERMINATOR))) {
      return 0;
    }
  }
  return width;
}

static NrLanesCost cost_of_loop(const NrLanes *l, NrOp *op) {
  NrLanesCost all = {0};
  uint64_t known;
  bool counted = nr_op_is(op, NR_OP_scf_for) && nr_scf_for_trip_count(op, &known);
  double trips = counted ? (double)NR_MIN(known, 1 << 20) : GUESSED_TRIPS;
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrLanesCost one = cost_of_block(l, nr_op_body(op, r));
    all = (NrLanesCost){all.scalar + one.scalar, all.vector + one.vector};
  }
  bool diverges = nr_lanes_diverges(l, op);
  size_t width = diverges ? row_width(op) : 0;
  if (width) all.scalar /= NR_MAX((double)l->target->vector_bytes / (double)width, 1);
  all.scalar = (all.scalar + (double)l->count) * trips + (diverges ? (double)l->count * MISPREDICTED : 0);
  all.vector = diverges ? (all.vector + MASK_TEST + cost_of_blends(l, op)) * trips * IDLE_LANES + MISPREDICTED
                        : (all.vector + 1) * trips;
  return all;
}

/* Of scf.if and scf.index_switch. All sides are as likely. */
static NrLanesCost cost_of_branch(const NrLanes *l, NrOp *op) {
  NrLanesCost all = {0};
  for (uint32_t r = 0; r < op->num_regions; r++) {
    NrLanesCost side = nr_op_body(op, r) ? cost_of_block(l, nr_op_body(op, r)) : (NrLanesCost){0};
    all = (NrLanesCost){all.scalar + side.scalar, all.vector + side.vector};
  }
  double count = (double)l->count, sides = op->num_regions, mean = all.scalar / sides;
  double blends = cost_of_blends(l, op) * (sides - 1);
  if (!nr_lanes_varies(l, nr_lanes_choice(op)))
    return (NrLanesCost){mean + count / SCALAR_PORTS, all.vector / sides + 1};
  if (nr_op_is(op, NR_OP_scf_if) && nr_lanes_is_predicated(op))
    return (NrLanesCost){all.scalar + count / SCALAR_PORTS, all.vector + blends};
  return (NrLanesCost){mean + count * MISPREDICTED / 4, all.vector + sides * MASK_TEST + blends};
}

static NrLanesCost cost_of_block(const NrLanes *l, NrBlock *block) {
  NrLanesCost all = {0};
  for (NrOp *op = block->first; op; op = op->next) {
    bool loop = nr_op_is(op, NR_OP_scf_while) || nr_op_is(op, NR_OP_scf_for);
    NrLanesCost one = loop ? cost_of_loop(l, op)
                      : nr_lanes_choice(op) ? cost_of_branch(l, op) : cost_of_op(l, op);
    all = (NrLanesCost){all.scalar + one.scalar, all.vector + one.vector};
  }
  return all;
}

NrLanesCost nr_lanes_cost(const NrLanes *l) { return cost_of_block(l, l->body); }
