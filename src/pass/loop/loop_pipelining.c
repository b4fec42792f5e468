/* loop_pipelining.c - software pipelining: overlaps the iterations of a loop.
 *
 *   before  scf.for %i = %lb to %ub step %s {        after  %x = load %a[%lb]                            prologue
 *             %x = load %a[%i]       stage 0                %k = scf.for %i = %lb to %ub - %s step %s
 *             %y = f(%x)             stage 1                        iter_args(%old = %x) {
 *             store %y, %b[%i]       stage 1                  %new = load %a[%i + %s]
 *           }                                                 %y = f(%old)
 *                                                             store %y, %b[%i]
 *                                                             yield %new
 *                                                           }
 *                                                           %z = f(%k)                                   epilogue
 *                                                           store %z, %b[%ub - %s]
 *
 * In a loop marked __test_pipelining_loop__, the attributes __test_pipelining_stage__ and __test_pipelining_op_order__
 * of its ops give the schedule; a schedule that would change the program is refused with a warning. In other innermost
 * loops, loads whose indices do not depend on carried values are issued one iteration early, where no write in between
 * may touch the element (dependence.h). A loop that may have fewer iterations than stages keeps its old form as a
 * second version. */
#include "dialect/arith/arith.h"
#include "pass/analysis/dependence.h"
#include "pass/loop/loops.h"
#include "pass/core/pass.h"

#define LOOP_ATTR "__test_pipelining_loop__"
#define STAGE_ATTR "__test_pipelining_stage__"
#define ORDER_ATTR "__test_pipelining_op_order__"
enum { MAX_STAGES = 16, MAX_BODY = 512, MAX_ORDER = 1 << 20 };

/* An op of the body. */
typedef struct Item {
  NrOp *op;
  int stage;
  int64_t order; /* in the kernel; ops of equal order keep the body's order */
  uint32_t first_slot;
  bool known; /* the accesses are all of its effects */
  NrMemAccesses accesses;
} Item;

/* A value of the body that later stages need: an op's result or a carried value. Step t of the schedule runs stage s of
 * iteration t - s, so a value of stage p that stage q uses is q - p steps old. */
typedef struct Slot {
  int stage; /* for a carried value: one less than the stage of its next value */
  uint32_t item;
  int oldest;                        /* age in steps of the oldest version that a use needs */
  NrValue *versions[MAX_STAGES + 2]; /* by age in steps; NULL where there is none */
} Slot;

typedef struct Pipeline {
  NrOp *loop;
  Item *items;
  uint32_t *sequence; /* numbers of the items in the kernel's order */
  Slot *slots;        /* those of carried values come first */
  uint32_t num_items, num_slots;
  int num_stages;
  NrMap item_of; /* NrOp* -> its number + 1 */
} Pipeline;

static NrBlock *body_of(const Pipeline *p) { return nr_scf_for_body(p->loop); }

static int item_number(const Pipeline *p, const NrOp *op) {
  return op ? (int)(intptr_t)nr_map_get(&p->item_of, (void *)op) - 1 : -1;
}

/* The slot of a value that the body defines, or -1. */
static int slot_of(const Pipeline *p, const NrValue *value) {
  if (value->block) return value->block == body_of(p) && value->index > 0 ? (int)value->index - 1 : -1;
  int item = item_number(p, value->op);
  return item < 0 ? -1 : (int)(p->items[item].first_slot + value->index);
}

/* ---- analysing the body ------------------------------------------------------------------------------------------ */

static void hoist_constants(NrOp *loop) {
  for (NrOp *op = nr_scf_for_body(loop)->first, *next; op; op = next) {
    next = op->next;
    if (!nr_op_has(op, NR_CONSTANT_LIKE)) continue;
    nr_op_unlink(op);
    nr_op_insert_before(op, loop);
  }
}

/* False when the body is too large, or yields a value that it does not compute; canonicalize removes such carried
 * values. */
static bool read_body(NrPassContext *pass, Pipeline *p) {
  NrBlock *body = body_of(p);
  uint32_t count = 0, slots = p->loop->num_results;
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    count++;
    slots += op->num_results;
  }
  if (count == 0 || count > MAX_BODY) return false;
  p->items = NR_NEW_ARRAY(pass->scratch, Item, count);
  p->sequence = NR_NEW_ARRAY(pass->scratch, uint32_t, count);
  p->slots = NR_NEW_ARRAY(pass->scratch, Slot, slots);
  p->num_slots = p->loop->num_results;
  for (NrOp *op = body->first; op != body->last; op = op->next) {
    Item *item = &p->items[p->num_items++];
    *item = (Item){.op = op, .first_slot = p->num_slots};
    item->known = nr_collect_accesses(op, &item->accesses);
    nr_map_set(&p->item_of, op, (void *)(intptr_t)p->num_items);
    for (uint32_t i = 0; i < op->num_results; i++) p->slots[p->num_slots++].item = p->num_items - 1;
  }
  for (uint32_t i = 0; i < p->loop->num_results; i++) {
    NrValue *next = nr_operand(body->last, i);
    int item = next->op && next->op->block == body ? item_number(p, next->op) : -1;
    if (item < 0) return false;
    p->slots[i].item = (uint32_t)item;
  }
  return true;
}

static void deinit(Pipeline *p) {
  for (uint32_t i = 0; i < p->num_items; i++) nr_vec_deinit(&p->items[i].accesses);
  nr_map_deinit(&p->item_of);
}

/* ---- legality ---------------------------------------------------------------------------------------------------- */

static void sort_sequence(Pipeline *p) {
  for (uint32_t i = 0; i < p->num_items; i++) {
    uint32_t at = i;
    for (; at > 0 && p->items[p->sequence[at - 1]].order > p->items[i].order; at--)
      p->sequence[at] = p->sequence[at - 1];
    p->sequence[at] = i;
  }
  for (uint32_t i = 0; i < p->num_items; i++) p->items[p->sequence[i]].order = i; /* unique from here on */
}

typedef struct Uses {
  Pipeline *p;
  const Item *user;
} Uses;

/* Whether every operand of op is computed before its use; records the age of the operands. */
static bool values_are_there(NrOp *op, void *data) {
  const Uses *uses = data;
  Pipeline *p = uses->p;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    int slot = slot_of(p, nr_operand(op, i));
    if (slot < 0) continue;
    Slot *s = &p->slots[slot];
    int age = uses->user->stage - s->stage;
    if (age < 0 || (age == 0 && p->items[s->item].order >= uses->user->order)) return false;
    s->oldest = NR_MAX(s->oldest, age);
  }
  return true;
}

static bool schedule_values(Pipeline *p) {
  for (uint32_t i = 0; i < p->num_slots; i++) {
    bool carried = i < p->loop->num_results;
    int stage = p->items[p->slots[i].item].stage;
    p->slots[i].stage = carried ? stage - 1 : stage;
    p->slots[i].oldest = carried && stage == 0 ? 1 : 0; /* the last version is the loop's result */
  }
  for (uint32_t i = 0; i < p->num_items; i++)
    if (!nr_walk_pre(p->items[i].op, values_are_there, &(Uses){p, &p->items[i]})) return false;
  return true;
}

/* Item j of an iteration `distance` later ran after item i; at the distances where the schedule runs it before item i,
 * the two must not conflict. */
static bool memory_is_kept(const Pipeline *p, uint32_t i, uint32_t j) {
  const Item *first = &p->items[i], *second = &p->items[j];
  NrValue *iv = nr_scf_for_iv(p->loop);
  int64_t min = i < j ? 0 : 1, max = (int64_t)first->stage - second->stage - (second->order < first->order ? 0 : 1);
  bool touch = (!first->known || first->accesses.size) && (!second->known || second->accesses.size);
  if (!touch || min > max) return true;
  if (!first->known || !second->known) return false;
  NrDistance d = {iv, iv, min, max};
  for (size_t a = 0; a < first->accesses.size; a++)
    for (size_t b = 0; b < second->accesses.size; b++)
      if (nr_may_conflict(&first->accesses.data[a], &second->accesses.data[b], &d, 1)) return false;
  return true;
}

static bool keeps_meaning(const Pipeline *p) {
  for (uint32_t i = 0; i < p->num_items; i++)
    for (uint32_t j = 0; j < p->num_items; j++)
      if (!memory_is_kept(p, i, j)) return false;
  return true;
}

/* ---- schedules --------------------------------------------------------------------------------------------------- */

static bool schedule_by_attributes(Pipeline *p) {
  int64_t last = 0;
  for (uint32_t i = 0; i < p->num_items; i++) {
    Item *item = &p->items[i];
    int64_t stage = nr_op_attr_int(item->op, NR_A___test_pipelining_stage__, 0),
            order = nr_op_attr_int(item->op, NR_A___test_pipelining_op_order__, i);
    if (stage < 0 || stage >= MAX_STAGES || order < 0 || order > MAX_ORDER) return false;
    item->stage = (int)stage;
    item->order = order;
    last = NR_MAX(last, stage);
  }
  p->num_stages = (int)last + 1;
  return true;
}

/* Moves item i and the items that compute its operands to stage 0; false when these are more than arithmetic on the
 * induction variable. */
static bool take_ahead(Pipeline *p, uint32_t i) {
  NrOp *op = p->items[i].op;
  if (p->items[i].stage == 0) return true;
  for (uint32_t k = 0; k < op->num_operands; k++) {
    NrValue *value = nr_operand(op, k);
    int item = slot_of(p, value) < 0 ? -1 : item_number(p, value->op);
    if (slot_of(p, value) >= 0 && item < 0) return false; /* carried */
    if (item < 0 || p->items[item].stage == 0) continue;
    NrOp *from = p->items[item].op;
    if (from->num_regions || !nr_op_is_pure(from) || !take_ahead(p, (uint32_t)item)) return false;
  }
  p->items[i].stage = 0;
  p->items[i].order = i;
  return true;
}

/* Moves each load to stage 0 if that is legal; all other ops are stage 1. */
static bool schedule_loads_ahead(NrPassContext *pass, Pipeline *p) {
  bool any = false;
  int *stages = NR_NEW_ARRAY(pass->scratch, int, p->num_items);
  p->num_stages = 2;
  for (uint32_t i = 0; i < p->num_items; i++) {
    Item *item = &p->items[i];
    if (!item->known || nr_op_has(item->op, NR_LOOP)) return false;
    item->stage = 1;
    item->order = p->num_items + i;
  }
  for (uint32_t i = 0; i < p->num_items; i++) {
    NrOp *op = p->items[i].op;
    if (!nr_op_is(op, NR_OP_memref_load) && !nr_op_is(op, NR_OP_vector_load)) continue;
    for (uint32_t k = 0; k < p->num_items; k++) stages[k] = p->items[k].stage;
    bool fine = take_ahead(p, i);
    for (uint32_t k = 0; k < p->num_items && fine; k++) fine = memory_is_kept(p, k, i);
    any |= fine;
    for (uint32_t k = 0; k < p->num_items && !fine; k++) { /* undo */
      p->items[k].stage = stages[k];
      p->items[k].order = stages[k] ? p->num_items + k : k;
    }
  }
  return any;
}

/* ---- rewriting --------------------------------------------------------------------------------------------------- */

static void next_step(Pipeline *p) {
  for (uint32_t i = 0; i < p->num_slots; i++) {
    NrValue **v = p->slots[i].versions;
    memmove(v + 1, v, (MAX_STAGES + 1) * sizeof *v);
    v[0] = NULL;
  }
}

typedef struct Copy {
  Pipeline *p;
  const Item *item;
  NrMap map;
} Copy;

static bool map_operands(NrOp *op, void *user) {
  Copy *copy = user;
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *value = nr_operand(op, i);
    int slot = slot_of(copy->p, value);
    if (slot < 0) continue;
    const Slot *s = &copy->p->slots[slot];
    nr_map_set(&copy->map, value, s->versions[copy->item->stage - s->stage]);
  }
  return true;
}

static void emit(NrBuilder *b, Pipeline *p, uint32_t number, NrValue *iv) {
  Copy copy = {.p = p, .item = &p->items[number]};
  NrOp *op = copy.item->op, *yield = body_of(p)->last;
  nr_walk_pre(op, map_operands, &copy);
  nr_map_set(&copy.map, nr_scf_for_iv(p->loop), iv);
  NrOp *made = nr_op_clone(b->module, op, &copy.map);
  nr_builder_insert(b, made);
  nr_op_remove_attr(made, NR_A___test_pipelining_stage__);
  nr_op_remove_attr(made, NR_A___test_pipelining_op_order__);
  for (uint32_t i = 0; i < op->num_results; i++) p->slots[copy.item->first_slot + i].versions[0] = nr_result(made, i);
  for (uint32_t i = 0; i < p->loop->num_results; i++) {
    NrValue *next = nr_operand(yield, i);
    if (next->op == op) p->slots[i].versions[0] = nr_result(made, next->index);
  }
  nr_map_deinit(&copy.map);
}

/* The value of the induction variable in iteration base + n, for a small n. */
static NrValue *iv_at(NrBuilder *b, NrOp *loop, NrValue *base, int64_t n) {
  NrType type = nr_scf_for_iv(loop)->type;
  NrValue *number = nr_arith_constant_int(b, type, n);
  return nr_for_build_iv(b, loop, base ? nr_fold_binary(b, NR_OP_arith_addi, base, number) : number);
}

static void emit_prologue(NrBuilder *b, Pipeline *p) {
  NrOp *loop = p->loop;
  for (int t = -1; t < p->num_stages - 1; t++) {
    next_step(p);
    for (uint32_t i = 0; i < loop->num_results; i++)
      if (p->slots[i].stage == t) p->slots[i].versions[0] = nr_scf_for_init(loop, i);
    for (uint32_t k = 0; k < p->num_items; k++) {
      int stage = p->items[p->sequence[k]].stage;
      if (stage <= t) emit(b, p, p->sequence[k], iv_at(b, loop, NULL, t - stage));
    }
  }
  next_step(p);
}

typedef NR_VEC(NrValue **) Versions;

/* Collects the versions of values that the kernel carries from step to step. */
static void find_carried(Pipeline *p, Versions *out) {
  for (uint32_t i = 0; i < p->num_slots; i++)
    for (int age = 1; age <= p->slots[i].oldest; age++) nr_vec_push(out, &p->slots[i].versions[age]);
}

static void emit_kernel(NrBuilder *b, Pipeline *p, NrValue *trips) {
  NrOp *loop = p->loop;
  NrType type = nr_scf_for_iv(loop)->type;
  Versions carried = {0};
  NR_VEC(NrValue *) values = {0};
  find_carried(p, &carried);
  for (size_t i = 0; i < carried.size; i++) nr_vec_push(&values, *carried.data[i]);
  NrValue *upper = iv_at(b, loop, trips, 1 - p->num_stages);
  NrOp *kernel = nr_scf_for(b, nr_scf_for_lower_bound(loop), upper, nr_scf_for_step(loop), values.data, values.size);
  kernel->loc = loop->loc;
  for (uint32_t i = 0; i < loop->num_attrs; i++)
    if (!nr_str_is(loop->attrs[i].name, LOOP_ATTR))
      nr_op_set_attr_named(kernel, loop->attrs[i].name.data, loop->attrs[i].value);
  NrBuilder body = nr_scf_body_builder(nr_op_only_body(kernel));
  NrValue *iv = nr_scf_for_iv(kernel);
  iv->name = nr_scf_for_iv(loop)->name;
  for (size_t i = 0; i < carried.size; i++) *carried.data[i] = nr_scf_for_arg(kernel, (uint32_t)i);
  for (uint32_t k = 0; k < p->num_items; k++) {
    const Item *item = &p->items[p->sequence[k]];
    NrValue *at = iv;
    if (item->stage < p->num_stages - 1) {
      NrValue *ahead = nr_arith_constant_int(&body, type, p->num_stages - 1 - item->stage);
      NrValue *offset = nr_fold_binary(&body, NR_OP_arith_muli, nr_scf_for_step(loop), ahead);
      at = nr_fold_binary(&body, NR_OP_arith_addi, iv, offset);
    }
    emit(&body, p, p->sequence[k], at);
  }
  next_step(p);
  for (size_t i = 0; i < carried.size; i++) values.data[i] = *carried.data[i];
  nr_scf_yield(&body, values.data, values.size);
  for (size_t i = 0; i < carried.size; i++) *carried.data[i] = nr_result(kernel, (uint32_t)i);
  nr_vec_deinit(&values);
  nr_vec_deinit(&carried);
}

static void emit_epilogue(NrBuilder *b, Pipeline *p, NrValue *trips) {
  for (int e = 1; e < p->num_stages; e++) {
    if (e > 1) next_step(p);
    for (uint32_t k = 0; k < p->num_items; k++) {
      int stage = p->items[p->sequence[k]].stage;
      if (stage >= e) emit(b, p, p->sequence[k], iv_at(b, p->loop, trips, e - 1 - stage));
    }
  }
}

/* Builds prologue, kernel and epilogue at b; values gets the loop's results. */
static void emit_pipeline(NrBuilder *b, Pipeline *p, NrValue *trips, NrValue **values) {
  emit_prologue(b, p);
  emit_kernel(b, p, trips);
  emit_epilogue(b, p, trips);
  for (uint32_t i = 0; i < p->loop->num_results; i++)
    values[i] = p->slots[i].versions[p->num_stages - 2 - p->slots[i].stage];
}

static void pipeline(NrPassContext *pass, Pipeline *p) {
  NrOp *loop = p->loop;
  uint64_t known;
  bool is_known = nr_scf_for_trip_count(loop, &known);
  NrBuilder b = nr_builder_before(loop);
  NrType iv_type = nr_scf_for_iv(loop)->type;
  NrValue **values = NR_NEW_ARRAY(pass->scratch, NrValue *, loop->num_results + 1);
  if ((is_known && known < (uint64_t)p->num_stages) || nr_for_largest(loop) < (uint64_t)p->num_stages) return;
  NrValue *trips = nr_for_build_trips(&b, loop);
  if (is_known) {
    emit_pipeline(&b, p, trips, values);
    nr_for_replace(loop, values);
    return;
  }
  NrType *types = NR_NEW_ARRAY(pass->scratch, NrType, loop->num_results + 1);
  for (uint32_t i = 0; i < loop->num_results; i++) types[i] = nr_result(loop, i)->type;
  NrValue *enough = nr_arith_cmpi(&b, NR_CMPI_UGE, trips, nr_arith_constant_int(&b, iv_type, p->num_stages));
  NrOp *branch = nr_scf_if(&b, enough, types, loop->num_results, true);
  b = nr_scf_body_builder(nr_scf_if_then_body(branch));
  emit_pipeline(&b, p, trips, values);
  nr_scf_yield(&b, values, loop->num_results);
  for (uint32_t i = 0; i < loop->num_results; i++) {
    nr_result(branch, i)->name = nr_result(loop, i)->name;
    nr_value_replace_uses(nr_result(loop, i), nr_result(branch, i));
    values[i] = nr_result(loop, i);
  }
  nr_op_unlink(loop);
  nr_op_append(nr_scf_if_else_body(branch), loop);
  nr_op_remove_attr(loop, NR_A___test_pipelining_loop__);
  for (uint32_t i = 0; i < p->num_items; i++) {
    nr_op_remove_attr(p->items[i].op, NR_A___test_pipelining_stage__);
    nr_op_remove_attr(p->items[i].op, NR_A___test_pipelining_op_order__);
  }
  b = nr_scf_body_builder(nr_scf_if_else_body(branch));
  nr_scf_yield(&b, values, loop->num_results);
}

/* ---- choosing loops ---------------------------------------------------------------------------------------------- */

static bool find_loop_inside(NrOp *op, void *user) { return op == user || !nr_op_has(op, NR_LOOP); }

static void visit(NrPassContext *pass, NrOp *loop, bool loads_ahead) {
  bool marked = nr_op_attr(loop, NR_A___test_pipelining_loop__) != NULL;
  if (!marked && (!loads_ahead || !nr_walk_pre(loop, find_loop_inside, loop))) return;
  hoist_constants(loop);
  Pipeline p = {.loop = loop};
  bool done = read_body(pass, &p) && (marked ? schedule_by_attributes(&p) : schedule_loads_ahead(pass, &p));
  if (done) sort_sequence(&p);
  done = done && schedule_values(&p) && (!marked || keeps_meaning(&p));
  if (done && p.num_stages > 1) pipeline(pass, &p);
  if (!done && marked)
    nr_warning(pass->ctx, loop->loc, "this loop is not pipelined: its schedule would change its result");
  deinit(&p);
}

static NrStatus pipelining_run(NrPassContext *pass, NrOp *func) {
  NrOpList loops = {0};
  nr_collect_fors(func, &loops);
  for (size_t i = 0; i < loops.size; i++)
    if (!nr_is_erased(loops.data[i])) visit(pass, loops.data[i], nr_pass_flag(pass, "loads-ahead"));
  nr_vec_deinit(&loops);
  return NR_OK;
}

static const NrPassOption options[] = {
    NR_FLAG("loads-ahead", true, "in loops that are not marked, issue loads one iteration early"),
    {0},
};
NR_PASS(loop_pipelining, .name = "loop-pipelining", .on_while = NR_WHILE_BARRIER, .on = "func.func",
        .run = pipelining_run, .options = options,
        .doc = "overlaps the iterations of loops, by schedule attributes or by issuing loads early")
