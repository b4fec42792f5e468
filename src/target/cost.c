/* cost.c - see cost.h. */
#include "target/cost.h"

#include "dialect/arith/arith.h"
#include "dialect/linalg/linalg.h"
#include "dialect/operands.h"
#include "dialect/scf/scf.h"

enum {
  UNKNOWN_TRIPS = 16, /* of a loop inside of the work */
  CALL_CYCLES = 64,   /* of a call of the program's, and of the allocator */
  LIBM_CYCLES = 20,   /* of a function of the C library that has no row */
  DIVIDE_SLOTS = 12,  /* of integers: no vectors have it */
};

int64_t nr_cost_slots(const NrOp *op_, int64_t *out_libm) {
  *out_libm = 0;
  switch (op_->info->id) {
#define SLOTS(op, slots)                                                                                               \
  case NR_OP_##op: return slots;
#define SLOTS_F32(op, slots)                                                                                           \
  case NR_OP_##op:                                                                                                     \
    if (nr_type_byte_size(nr_type_elem(op_->results[0].type)) > 4) *out_libm = LIBM_CYCLES;                            \
    return slots;
#define BRANCHES_F32(op, slots) SLOTS_F32(op, slots)
#define LIBM(op, cycles)                                                                                               \
  case NR_OP_##op: *out_libm = cycles; return 1;
#include "target/cost.def"
#undef SLOTS
#undef SLOTS_F32
#undef BRANCHES_F32
#undef LIBM
  default: break;
  }
  if (strcmp(op_->info->dialect, "math") == 0) *out_libm = LIBM_CYCLES;
  return nr_op_has(op_, NR_DIVIDES) ? DIVIDE_SLOTS : 1;
}

bool nr_cost_branches(const NrOp *op_) {
  switch (op_->info->id) {
#define SLOTS(op, slots)
#define SLOTS_F32(op, slots)
#define LIBM(op, cycles)
#define BRANCHES_F32(op, slots) case NR_OP_##op:
#include "target/cost.def"
#undef SLOTS
#undef SLOTS_F32
#undef BRANCHES_F32
#undef LIBM
    return nr_type_byte_size(nr_type_elem(op_->results[0].type)) <= 4;
  default: return false;
  }
}

double nr_cost_ns(const NrTarget *t, NrCost cost, double footprint) {
  size_t level = 0;
  while (level < NR_CACHE_LEVELS && footprint > (double)t->cache_bytes[level]) level++;
  double units = cost.cycles / t->ghz, memory = cost.bytes / t->bandwidth[level];
  return NR_MAX(units, memory);
}

/* ---- ops --------------------------------------------------------------------------------------------------------- */

/* Small floats are computed as f32. */
static size_t lane_bytes(const NrTarget *t, NrType type) {
  NrType elem = nr_type_elem(type);
  size_t bytes = nr_type_byte_size(elem);
  bool has_f16 = (t->units & NR_UNIT_F16) && nr_type_is_float_kind(elem, NR_F16);
  return nr_type_is_float(elem) && bytes < 4 && !has_f16 ? 4 : bytes;
}

/* The wider of what op reads and writes, since both lie in vectors. Conditions lie in masks. */
static size_t element_bytes(const NrTarget *t, const NrOp *op) {
  size_t bytes = 1;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrType type = nr_operand(op, i)->type;
    if (!nr_type_is_memref(type) && !nr_type_is_index(type)) bytes = NR_MAX(bytes, lane_bytes(t, type));
  }
  for (uint32_t i = 0; i < op->num_results; i++) bytes = NR_MAX(bytes, lane_bytes(t, nr_result(op, i)->type));
  return bytes;
}

/* Of the elements that a load or store moves. */
static size_t moved_bytes(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_memref(nr_operand(op, i)->type)) return nr_type_byte_size(nr_type_elem(nr_operand(op, i)->type));
  return 8;
}

static int64_t vector_elements(NrType type) {
  int64_t count;
  return type->kind == NR_TYPE_VECTOR && nr_type_num_elements(type, &count) ? count : 1;
}

/* Of the longest vector that op gives; of an op without results, that it takes. */
static double elements(const NrOp *op) {
  int64_t count = 1;
  for (uint32_t i = 0; i < op->num_results; i++) count = NR_MAX(count, vector_elements(nr_result(op, i)->type));
  for (uint32_t i = 0; !op->num_results && i < op->num_operands; i++)
    count = NR_MAX(count, vector_elements(nr_operand(op, i)->type));
  return (double)count;
}

/* A product that the only op behind it adds, where both may be one op. */
static bool is_part_of_fma(const NrTarget *t, NrOp *op) {
  NrUse *use = nr_op_is(op, NR_OP_arith_mulf) ? nr_op_result(op)->first_use : NULL;
  return use && !use->next && (t->units & NR_UNIT_FMA) && nr_op_is(use->owner, NR_OP_arith_addf) &&
         nr_arith_fastmath_has(op, "contract") && nr_arith_fastmath_has(use->owner, "contract");
}

static bool is_of_bytes(const NrValue *value) {
  const NrOp *op = value->op;
  return op && (nr_op_is(op, NR_OP_arith_extsi) || nr_op_is(op, NR_OP_arith_extui)) &&
         nr_type_is_int_width(nr_op_only_operand(op)->type, 8);
}

/* The product of two bytes, which the only op behind it adds, or the extension of one of them: the sums of four of them
 * are one op (rt.dot). */
static bool is_part_of_dot(const NrOp *op) {
  NrUse *use = op->num_results == 1 ? nr_op_result(op)->first_use : NULL;
  if (!use || use->next || !nr_type_is_int_width(nr_op_result(op)->type, 32)) return false;
  if (is_of_bytes(nr_op_result(op))) return nr_op_is(use->owner, NR_OP_arith_muli) && is_part_of_dot(use->owner);
  return nr_op_is(op, NR_OP_arith_muli) && is_of_bytes(nr_op_lhs(op)) && is_of_bytes(nr_op_rhs(op)) &&
         nr_op_is(use->owner, NR_OP_arith_addi);
}

NrCost nr_cost_of_op(const NrTarget *t, NrOp *op, bool lanes) {
  if (nr_op_has(op, NR_CALL) || nr_op_has(op, NR_ALLOCATES) || nr_op_has(op, NR_FREES)) return (NrCost){CALL_CYCLES, 0};
  if (is_part_of_fma(t, op) || is_part_of_dot(op)) return (NrCost){0};
  double count = elements(op), bytes = (double)element_bytes(t, op);
  int64_t libm, slots = nr_cost_slots(op, &libm);
  NrCost cost = {0};
  if (nr_op_has(op, NR_READS) || nr_op_has(op, NR_WRITES)) cost.bytes = count * (double)moved_bytes(op);
  if (libm) cost.cycles = count * (double)libm;
  else if (lanes) cost.cycles = count * (double)slots * bytes / t->vector_bytes / t->fma_ports;
  else cost.cycles = (double)slots * NR_MAX(count * bytes / t->vector_bytes, 1);
  return cost;
}

double nr_cost_trips(NrOp *op) {
  uint64_t trips;
  if (nr_op_is(op, NR_OP_scf_for) && nr_scf_for_trip_count(op, &trips)) return (double)trips;
  return nr_op_has(op, NR_LOOP) ? UNKNOWN_TRIPS : 1;
}

NrCost nr_cost_of_block(const NrTarget *t, NrBlock *block, bool lanes) {
  NrCost all = {0};
  for (NrOp *op = block->first; op; op = op->next) {
    if (nr_op_has(op, NR_CONSTANT_LIKE) || nr_op_has(op, NR_TERMINATOR)) continue;
    NrCost one = {0};
    if (nr_linalg_is_structured(op)) {
      bool known;
      one = nr_cost_of_structured(t, op, &known);
      if (!known) one = (NrCost){one.cycles * UNKNOWN_TRIPS, one.bytes * UNKNOWN_TRIPS};
    } else if (op->num_regions) {
      for (uint32_t r = 0; r < op->num_regions; r++)
        for (NrBlock *inner = op->regions[r].first; inner; inner = inner->next) {
          NrCost part = nr_cost_of_block(t, inner, false);
          one = (NrCost){one.cycles + part.cycles, one.bytes + part.bytes};
        }
      double trips = nr_cost_trips(op);
      one = (NrCost){1 + (one.cycles + nr_op_has(op, NR_LOOP)) * trips, one.bytes * trips};
    } else {
      one = nr_cost_of_op(t, op, lanes);
    }
    all = (NrCost){all.cycles + one.cycles, all.bytes + one.bytes};
  }
  return all;
}

/* ---- structured ops ---------------------------------------------------------------------------------------------- */

bool nr_cost_has_lanes(NrBlock *block) {
  for (NrOp *op = block->first; op; op = op->next)
    if (op->num_regions || nr_op_has(op, NR_CALL) || nr_op_has(op, NR_READS) || nr_op_is(op, NR_OP_tensor_extract))
      return false;
  return true;
}

double nr_cost_operand_bytes(const NrValue *value) {
  NrType type = value->type;
  double bytes = (double)nr_type_byte_size(nr_type_elem(type));
  for (uint32_t i = 0; i < type->rank; i++)
    if (type->dims[i] > 0) bytes *= (double)type->dims[i];
  return bytes;
}

double nr_cost_part_bytes(const NrOp *op, size_t k, const int64_t *sizes) {
  NrType type = nr_operand(op, k)->type;
  NrAttr map = nr_linalg_map(op, k);
  double bytes = (double)nr_type_byte_size(nr_type_elem(type));
  for (uint32_t i = 0; i < type->rank; i++) {
    bool by_loop = map->exprs[i]->kind == NR_AFFINE_DIM;
    int64_t size = by_loop ? sizes[map->exprs[i]->value] : type->dims[i];
    if (size > 0) bytes *= (double)size;
  }
  return bytes;
}

static double whole_bytes(NrOp *op) {
  double bytes = 0;
  for (uint32_t i = 0; i < op->num_operands; i++) bytes += nr_cost_operand_bytes(nr_operand(op, i));
  return bytes;
}

NrCost nr_cost_of_point(const NrTarget *t, NrOp *op) {
  NrBlock *body = nr_op_only_body(op);
  return nr_cost_of_block(t, body, nr_cost_has_lanes(body));
}

static NrCost cost_of_points(NrOp *op, NrCost cost, const int64_t *sizes) {
  double points = 1;
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) points *= (double)sizes[d];
  cost = (NrCost){cost.cycles * points, cost.bytes * points};
  for (uint32_t k = 0; k < op->num_operands; k++) cost.bytes += nr_cost_part_bytes(op, k, sizes);
  return cost;
}

bool nr_cost_known_sizes(const NrOp *op, int64_t out_sizes[NR_MAX_RANK]) {
  bool known = true;
  for (size_t d = 0; d < nr_linalg_num_loops(op); d++) {
    int64_t range = nr_linalg_static_range(op, d);
    known &= range != NR_DYNAMIC;
    out_sizes[d] = range == NR_DYNAMIC ? 1 : range;
  }
  return known;
}

NrCost nr_cost_of_structured(const NrTarget *t, NrOp *op, bool *out_known) {
  int64_t sizes[NR_MAX_RANK];
  *out_known = nr_cost_known_sizes(op, sizes);
  return cost_of_points(op, nr_cost_of_point(t, op), sizes);
}

double nr_cost_points_ns(const NrTarget *t, NrOp *op, NrCost point, const int64_t *sizes) {
  return nr_cost_ns(t, cost_of_points(op, point, sizes), whole_bytes(op));
}

double nr_cost_part_ns(const NrTarget *t, NrOp *op, const int64_t *sizes) {
  return nr_cost_points_ns(t, op, nr_cost_of_point(t, op), sizes);
}

double nr_cost_structured_ns(const NrTarget *t, NrOp *op, bool *out_known) {
  int64_t sizes[NR_MAX_RANK];
  *out_known = nr_cost_known_sizes(op, sizes);
  return nr_cost_part_ns(t, op, sizes);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

enum {
  FUNCTION_SLOTS = 24,   /* of the chain of an elementary function, at least */
  WINDOW_SLOTS = 128,    /* of a chain that still runs beside the next iterations */
  MANY_SLOTS = 512,      /* of a body of which copies would be much code */
  FAR_AHEAD = 32,        /* vectors of a loop, from which on its beginning and end do not count */
  SIDE_BY_SIDE = 4,      /* vectors: of 1, 2, 4 and 8 the fastest (tanh: 11.5, 10.6, 10.0 and 10.2 cycles each) */
  FEW_REGISTERS = 2,     /* the same with 16 registers (tanh, two vectors of 8: 17.2, 16.2 and 17.0) */
};

int64_t nr_cost_chain(NrBlock *block, int64_t *out_all) {
  NrMap ends = {0}; /* op -> the length of the chain that ends with it */
  int64_t longest = 0;
  *out_all = 0;
  for (NrOp *op = block->first; op; op = op->next) {
    int64_t before = 0, libm, own = nr_cost_slots(op, &libm);
    for (uint32_t i = 0; i < op->num_operands; i++) {
      NrOp *from = nr_operand(op, i)->op;
      if (from) before = NR_MAX(before, (int64_t)(intptr_t)nr_map_get(&ends, from));
    }
    nr_map_set(&ends, op, (void *)(intptr_t)(before + own + libm));
    longest = NR_MAX(longest, before + own + libm);
    *out_all += own + libm;
  }
  nr_map_deinit(&ends);
  return longest;
}

bool nr_cost_is_one_loop(const NrTarget *t, NrBlock *first, NrBlock *second, double between) {
  enum { ARRAYS = 3 }; /* that a loop reads and writes: the result between, and two others of its size */
  int64_t first_all, second_all;
  int64_t first_chain = nr_cost_chain(first, &first_all), second_chain = nr_cost_chain(second, &second_all);
  if (first_chain + second_chain > WINDOW_SLOTS) return false;
  bool both_long = NR_MIN(first_chain, second_chain) >= FUNCTION_SLOTS;
  bool serial = 2 * (first_chain + second_chain) > first_all + second_all; /* else the ops beside the chain hide it */
  bool near = between >= (double)FAR_AHEAD * t->vector_bytes && between * ARRAYS <= (double)t->cache_bytes[1];
  return !(both_long && serial && near);
}

int64_t nr_cost_interleave(const NrTarget *t, NrBlock *body, int64_t range) {
  int64_t all, chain = nr_cost_chain(body, &all), vectors = range / (t->vector_bytes / 4);
  bool several = chain > 2 * FUNCTION_SLOTS; /* functions: to wait for them costs more than registers in memory */
  int64_t count = t->registers >= 32 || several ? SIDE_BY_SIDE : FEW_REGISTERS;
  for (NrOp *op = body->first; op; op = op->next) {
    int64_t libm;
    nr_cost_slots(op, &libm);
    if (libm || op->num_regions) return 1; /* such a loop has no vectors */
  }
  if (chain < FUNCTION_SLOTS || 2 * chain < all || all > MANY_SLOTS) return 1;
  if (range == NR_DYNAMIC) return several ? count : 1; /* few elements may come, which are slower */
  if (vectors < 2 * count) return 1; /* all are in the window */
  while (count > 1 && vectors % count && vectors < 8 * count) count /= 2;
  return count;
}

/* ---- workgroups -------------------------------------------------------------------------------------------------- */

int64_t nr_cost_tile(int64_t range, int64_t tile, int64_t multiple) {
  enum { MAX_TRIED = 4096 };
  tile = NR_MAX(NR_MIN(tile, range), 1);
  int64_t parts = range / tile + (range % tile > 0), fewest = NR_MIN(parts, 2);
  for (int64_t i = 0; i <= parts / 2 && i < MAX_TRIED; i++) {
    int64_t more = parts + i, fewer = parts - i;
    if (range % more == 0 && range / more % multiple == 0) return range / more;
    bool near = fewer >= fewest && i <= parts / 3;
    if (near && range % fewer == 0 && range / fewer % multiple == 0) return range / fewer;
  }
  int64_t even = range / parts + (range % parts > 0);
  return NR_MIN((even + multiple - 1) / multiple * multiple, tile);
}
