/* form_dispatch_regions.c - groups structured ops of the host program into regions, each of which becomes a dispatch.
 *   before  %m = linalg.generic (max over d1)(%x)       after  %r = flow.dispatch.region -> (tensor<512x64xf32>) {
 *           %e = linalg.generic (exp(x - m))(%x, %m)             %m = ..
 *           %s = linalg.generic (sum over d1)(%e)                %e = ..
 *           %r = linalg.generic (e / s)(%e, %s)                  %s = ..
 *                                                                %r = ..
 *                                                                flow.return %r }
 *
 * A region grows from a root: a contraction, then a reduction, then an element-wise op. Users of its values join it in
 * program order, then ops whose only users are in it. An op joins when a workgroup can compute a tile of all ops of the
 * region (tiling.h), and when that leaves enough workgroups: what one op hands to the next then stays in the caches of
 * one core. A second contraction joins in the same way, so that all of an attention is one region: a workgroup computes
 * some rows of the scores, their softmax, and the product of these rows. Each workgroup then reads whole inputs of a
 * contraction again; the cost model decides whether that pays. It also decides which regions are dispatches
 * (nr_cost_dispatch_ns). A region of unknown size is one unless it is in a loop, because a small loop body is faster as
 * code of the function that contains the loop. */
#include "dialect/flow/flow.h"
#include "dialect/tensor/tensor.h"
#include "pass/core/rewrite.h"
#include "pass/dispatch/region_to_workgroups.h"
#include "pass/dispatch/tiling.h"

enum {
  MAX_OPS = 32,       /* of a region */
  MAX_VISITS = 256,   /* of users between the ops of a region, so that the pass stays linear */
  MAX_RESULTS = 8,    /* of a region */
  MAX_COPIES = 8,     /* of a reshape */
  ENOUGH_PARTS = 32,  /* with more workgroups than this, a further loop to cut does not help */
  UNKNOWN_PARTS = 32, /* of a loop of unknown range */
};

/* A structured op that may be in a region. */
typedef struct Candidate {
  NrOp *op;
  double ns;
  double needed; /* workgroups that its own work could be shared by */
  bool known;    /* its size */
  size_t region; /* 1 + the number of the region that it is in */
  size_t tried;  /* 1 + the number of the last region that it did not join */
} Candidate;

/* The region without its last members may take less time than with them. */
typedef struct Doubt {
  size_t num_ops; /* of the members that are in no doubt */
  double ns;      /* with the others as a region of their own */
} Doubt;

typedef struct Remark {
  const Candidate *op; /* that it is about */
  NrBuf text;
  bool joins;
} Remark;

typedef struct Former {
  NrPassContext *pass;
  NR_VEC(Candidate) all;
  NrMap numbers; /* op -> 1 + number in all */
  size_t num_regions;
  NrTiling *region, *trial; /* the region that is formed; the same with one more op */
  Candidate *joined[MAX_OPS]; /* the members in the order in which they joined, the root first */
  NR_VEC(Doubt) doubts;
  NR_VEC(Remark) remarks; /* about the region that is formed */
} Former;

static Candidate *candidate_of(const Former *f, const NrOp *op) {
  size_t number = op ? (size_t)(uintptr_t)nr_map_get(&f->numbers, op) : 0;
  return number ? &f->all.data[number - 1] : NULL;
}

static bool is_member(const Former *f, const NrOp *op) {
  const Candidate *c = candidate_of(f, op);
  return c && c->region == f->num_regions + 1;
}

/* ---- which ops --------------------------------------------------------------------------------------------------- */

static bool in_loop(NrOp *op) {
  for (NrOp *p = nr_op_parent(op); p; p = nr_op_parent(p))
    if (nr_op_has(p, NR_LOOP) || nr_op_is(p, NR_OP_scf_while)) return true;
  return false;
}

static bool has_index_elements(const NrOp *op) {
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (nr_type_is_index(nr_type_elem(nr_operand(op, i)->type)) && nr_type_is_tensor(nr_operand(op, i)->type))
      return true;
  return false;
}

/* Whether the op may be in a dispatch. A body with checks may not: a failing check exits through the host program. */
static bool is_plain(NrOp *op, void *user) {
  return op == user || nr_op_is(op, NR_OP_tensor_extract) || nr_op_is_pure(op) || nr_op_has(op, NR_TERMINATOR);
}

/* A reshape between structured ops is a view, so it joins with them. */
static bool is_view_between(const NrOp *op) {
  if (!nr_tiling_is_reshape(op)) return false;
  const NrOp *source = nr_tiling_reshape_source(op)->op;
  const NrUse *use = op->results[0].first_use;
  return source && nr_op_is(source, NR_OP_linalg_generic) && use && !use->next &&
         nr_op_is(use->owner, NR_OP_linalg_generic) && nr_use_index(use) < nr_linalg_num_inputs(use->owner);
}

static bool is_candidate(const NrOp *op) {
  if (is_view_between(op)) return !has_index_elements(op) && !nr_runs_in_workgroup(op);
  return nr_op_is(op, NR_OP_linalg_generic) && op->num_results && op->num_results <= MAX_RESULTS &&
         op->num_results == nr_linalg_num_outputs(op) && !has_index_elements(op) && !nr_runs_in_workgroup(op);
}

/* The workgroups that these loops of the region can be divided among. */
static double parts_of(const NrTiling *t) {
  double parts = 1;
  for (uint32_t d = 0; d < t->num_loops; d++) {
    if (!(t->shared >> d & 1)) continue;
    int64_t range = nr_tiling_range(t, d);
    parts *= range == NR_DYNAMIC ? UNKNOWN_PARTS : (double)range;
  }
  return parts;
}

static bool has_several_users(const NrOp *op) {
  return nr_tiling_is_reshape(op) && op->results[0].first_use && op->results[0].first_use->next;
}

/* Gives each user of a reshape one of its own, so that one can join a region and another stay outside. */
static void split_reshapes(NrOp *root) {
  NrOpList found = {0};
  nr_collect_pre(root, has_several_users, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    NrUse *next;
    size_t copies = 0;
    for (NrUse *use = op->results[0].first_use->next; use && copies < MAX_COPIES; use = next, copies++) {
      next = use->next;
      NrMap map = {0};
      NrOp *copy = nr_op_clone(op->module, op, &map);
      nr_map_deinit(&map);
      nr_op_insert_after(copy, op);
      nr_op_set_operand(use->owner, nr_use_index(use), nr_op_result(copy));
    }
  }
  nr_vec_deinit(&found);
}

static void add_candidate(Former *f, Candidate c) {
  nr_vec_push(&f->all, c);
  nr_map_set(&f->numbers, c.op, (void *)(uintptr_t)f->all.size);
}

static void find_candidates(Former *f, NrOp *root) {
  NrOpList found = {0};
  split_reshapes(root);
  nr_collect_pre(root, is_candidate, &found);
  for (size_t i = 0; i < found.size; i++) {
    NrOp *op = found.data[i];
    if (!nr_walk_pre(op, is_plain, op)) continue;
    Candidate c = {.op = op, .needed = 1, .known = true};
    if (nr_tiling_is_reshape(op)) {
      add_candidate(f, c);
      continue;
    }
    c.ns = nr_cost_structured_ns(f->pass->target, op, &c.known);
    f->trial->num_ops = 1;
    f->trial->ops[0] = op;
    nr_tiling_analyse(f->trial);
    double parts = parts_of(f->trial), work = c.ns / (double)nr_cost_workgroup_ns(f->pass->target);
    c.needed = NR_MIN(c.known ? NR_MIN(parts, work) : parts, ENOUGH_PARTS);
    add_candidate(f, c);
  }
  nr_vec_deinit(&found);
}

/* ---- ops between the members ------------------------------------------------------------------------------------- */

/* The op of the block that op is or is in; NULL: it is elsewhere. */
static NrOp *op_in_block(NrOp *op, const NrBlock *block) {
  while (op && op->block != block) op = nr_op_parent(op);
  return op;
}

/* Adds the users of op in front of last that are no members. False when one of them cannot be moved behind last, or
 * when op is none of the members and has one as a user. */
static bool add_users(const Former *f, NrOp *op, bool member, NrOp *last, NrMap *seen, NrOpList *out, size_t *visits) {
  for (uint32_t j = 0; j < op->num_results; j++)
    for (NrUse *use = nr_result(op, j)->first_use; use; use = use->next) {
      NrOp *user = op_in_block(use->owner, last->block);
      if (++*visits > MAX_VISITS) return false;
      bool joins = user && (nr_tiling_find(f->trial, user) != SIZE_MAX);
      if (joins && !member) return false;
      if (!user || joins || user == last || !nr_op_is_before(user, last) || nr_map_has(seen, user)) continue;
      if (!nr_op_is_pure(user) && !nr_linalg_is_structured(user)) return false;
      nr_map_set(seen, user, user);
      nr_vec_push(out, user);
    }
  return true;
}

/* Collects the ops between the members of f->trial that depend on one, which move behind the region. False when they
 * cannot. */
static bool find_between(const Former *f, NrOpList *out) {
  const NrTiling *t = f->trial;
  NrOp *last = t->ops[t->num_ops - 1];
  NrMap seen = {0};
  size_t visits = 0;
  bool ok = true;
  for (size_t i = 0; i < t->num_ops && ok; i++) ok = add_users(f, t->ops[i], true, last, &seen, out, &visits);
  for (size_t i = 0; i < out->size && ok; i++) ok = add_users(f, out->data[i], false, last, &seen, out, &visits);
  nr_map_deinit(&seen);
  return ok;
}

/* ---- joining ----------------------------------------------------------------------------------------------------- */

static void copy_region(const NrTiling *from, NrTiling *to) {
  to->num_ops = from->num_ops;
  memcpy(to->ops, from->ops, from->num_ops * sizeof *from->ops);
}

/* Adds op to f->trial, in program order. */
static void insert_op(NrTiling *t, NrOp *op) {
  size_t at = t->num_ops++;
  for (; at > 0 && nr_op_is_before(op, t->ops[at - 1]); at--) t->ops[at] = t->ops[at - 1];
  t->ops[at] = op;
}

static bool reads_member(NrOp *inner, void *user) {
  const Former *f = user;
  for (uint32_t k = 0; k < inner->num_operands; k++)
    if (is_member(f, nr_operand(inner, k)->op)) return false;
  return true;
}

/* Whether the body of op reads values of the region at any index, so that it needs more than a tile of them. */
static bool reads_whole_member(Former *f, NrOp *op) {
  for (NrOp *inner = op->num_regions ? nr_op_only_body(op)->first : NULL; inner; inner = inner->next)
    if (!nr_walk_pre(inner, reads_member, f)) return true;
  return false;
}

/* The values that the region returns: those with users outside. */
static size_t num_returned(const NrTiling *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->num_ops; i++)
    for (uint32_t j = 0; j < t->ops[i]->num_results; j++) {
      bool outside = false;
      for (NrUse *use = nr_result(t->ops[i], j)->first_use; use; use = use->next)
        outside |= nr_tiling_find(t, use->owner) == SIZE_MAX;
      count += outside;
    }
  return count;
}

static double parts_needed(const Former *f, const NrTiling *t) {
  double needed = 1;
  for (size_t i = 0; i < t->num_ops; i++) needed = NR_MAX(needed, candidate_of(f, t->ops[i])->needed);
  return needed;
}

/* Whether contractions of f->trial, which op joins, are not cut along all their parallel loops: then each workgroup
 * reads inputs of theirs again, and has as many rows at least as make good use of them. */
static bool repeats_reads(const Former *f, const Candidate *c) {
  if (nr_tiling_kind(f->region->ops[f->region->root])) return false;
  return nr_tiling_kind(c->op) == 0 || f->trial->shared != f->region->shared;
}

/* Why the op cannot join the region; NULL: it can, and f->trial is the region with it. */
static const char *refusal(Former *f, const Candidate *c) {
  if (f->region->num_ops == MAX_OPS) return "the region has as many ops as a region may have";
  if (reads_whole_member(f, c->op)) return "it reads the whole of what a workgroup computes a tile of";
  copy_region(f->region, f->trial);
  insert_op(f->trial, c->op);
  if (num_returned(f->trial) > MAX_RESULTS) return "the region would have too many results";
  nr_tiling_analyse(f->trial);
  if (!f->trial->shared) return "no loop can be cut along which they share tiles";
  double rows = repeats_reads(f, c) ? (double)(2 * nr_cost_rows(f->pass->target)) : 1;
  if (parts_of(f->trial) / rows < parts_needed(f, f->trial)) return "too few workgroups would be left";
  NrOpList between = {0};
  bool movable = find_between(f, &between);
  nr_vec_deinit(&between);
  return movable ? NULL : "an op between them depends on one and is needed by the other";
}

/* ---- reporting --------------------------------------------------------------------------------------------------- */

/* "fusion: reduction of 256x512, 6.6 us, joins the contraction of 256x512x512"; without a time where it is unknown. */
static void put_decision(const Former *f, const Candidate *c, bool joins, NrBuf *out) {
  nr_buf_puts(out, "fusion: ");
  nr_tiling_put_op(c->op, out);
  if (c->known) nr_buf_printf(out, ", %.1f us,", c->ns / 1e3);
  nr_buf_puts(out, joins ? " joins the " : " does not join the ");
  nr_tiling_put_op(f->region->ops[f->region->root], out);
}

static void explain_op(Former *f, const Candidate *c, const char *why_not) {
  if (!f->pass->explain) return;
  NrBuf text = {0};
  put_decision(f, c, !why_not, &text);
  if (why_not)
    nr_buf_printf(&text, ": %s", why_not);
  else
    nr_buf_printf(&text, ": %.0f parts can run at a time, and what they exchange stays in a workgroup",
                  parts_of(f->trial));
  nr_vec_push(&f->remarks, ((Remark){c, text, !why_not}));
}

/* Reports what was decided, and of the members of f->trial that are no members of f->region that they are none. */
static void flush_remarks(Former *f, double with_ns, double without_ns) {
  for (size_t i = 0; i < f->remarks.size; i++) {
    Remark *r = &f->remarks.data[i];
    if (r->joins && !is_member(f, r->op->op)) {
      r->text.size = 0;
      put_decision(f, r->op, false, &r->text);
      nr_buf_printf(&r->text, ": each workgroup would read whole inputs of a contraction: %.1f us in place of %.1f us",
                    with_ns / 1e3, without_ns / 1e3);
      if (!r->op->known) nr_buf_puts(&r->text, ", if open ranges are 1024");
    }
    nr_remark(f->pass->ctx, r->op->op->loc, "%.*s", (int)r->text.size, r->text.data);
    nr_buf_deinit(&r->text);
  }
  f->remarks.size = 0;
}

static void explain_region(Former *f, double ns, bool known, bool dispatched) {
  if (!f->pass->explain) return;
  const NrOp *root = f->region->ops[f->region->root];
  NrBuf text = {0};
  nr_buf_puts(&text, "fusion: ");
  nr_tiling_put_op(root, &text);
  nr_buf_printf(&text, " %s %zu op%s", dispatched ? "is the root of a dispatch of" : "stays in the host program with",
                f->region->num_ops, f->region->num_ops == 1 ? "" : "s");
  if (known)
    nr_buf_printf(&text, ": %.1f us of work is %s than %.1f us, for which workers are woken", ns / 1e3,
                  dispatched ? "more" : "less", (double)nr_cost_dispatch_ns(f->pass->target) / 1e3);
  else nr_buf_printf(&text, ": how long it takes is not known%s", dispatched ? "" : ", and it is in a loop");
  nr_remark(f->pass->ctx, root->loc, "%.*s", (int)text.size, text.data);
  nr_buf_deinit(&text);
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static bool join(Former *f, Candidate *c) {
  const char *why_not = refusal(f, c);
  explain_op(f, c, why_not);
  if (why_not) {
    c->tried = f->num_regions + 1;
    return false;
  }
  if (repeats_reads(f, c)) nr_vec_push(&f->doubts, ((Doubt){f->region->num_ops, 0}));
  f->joined[f->region->num_ops] = c;
  NrTiling *joined = f->trial;
  f->trial = f->region;
  f->region = joined;
  c->region = f->num_regions + 1;
  return true;
}

static bool may_try(const Former *f, const Candidate *c) {
  return c && !c->region && c->tried != f->num_regions + 1 && c->op->block == f->region->ops[0]->block;
}

/* The first user of the members that has not been tried. */
static Candidate *next_user(const Former *f) {
  Candidate *first = NULL;
  for (size_t i = 0; i < f->region->num_ops; i++)
    for (uint32_t j = 0; j < f->region->ops[i]->num_results; j++)
      for (NrUse *use = nr_result(f->region->ops[i], j)->first_use; use; use = use->next) {
        Candidate *c = candidate_of(f, use->owner);
        if (may_try(f, c) && (!first || nr_op_is_before(c->op, first->op))) first = c;
      }
  return first;
}

static bool has_other_users(const Former *f, const NrOp *op) {
  for (uint32_t j = 0; j < op->num_results; j++)
    for (NrUse *use = nr_result(op, j)->first_use; use; use = use->next)
      if (!is_member(f, use->owner)) return true;
  return false;
}

/* The last op that only members use and that has not been tried. */
static Candidate *next_producer(const Former *f) {
  Candidate *last = NULL;
  for (size_t i = 0; i < f->region->num_ops; i++)
    for (uint32_t k = 0; k < f->region->ops[i]->num_operands; k++) {
      Candidate *c = candidate_of(f, nr_operand(f->region->ops[i], k)->op);
      if (may_try(f, c) && !has_other_users(f, c->op) && (!last || nr_op_is_before(last->op, c->op))) last = c;
    }
  return last;
}

/* Makes f->trial the first members that joined, or the others. */
static void take_joined(Former *f, size_t from, size_t to) {
  f->trial->num_ops = 0;
  for (size_t i = from; i < to; i++) insert_op(f->trial, f->joined[i]->op);
  nr_tiling_analyse(f->trial);
}

/* Of the members that joined as number from to to, in a region or, where they have no tiles in common, one by one. */
static double ns_of_joined(Former *f, size_t from, size_t to) {
  double ns = 0;
  take_joined(f, from, to);
  if (f->trial->shared || to - from <= 1) return to > from ? nr_tiling_ns(f->pass->target, f->trial) : 0;
  for (size_t i = from; i < to; i++) ns += ns_of_joined(f, i, i + 1);
  return ns;
}

/* Members may join though the region is slower with them than without, because those that join after them can gain more
 * than they lose. Now that all have joined, keeps as many of the first ones as take the least time. The estimates are
 * inexact: what costs little more saves a dispatch. */
static void settle_doubts(Former *f) {
  static const double CLEARLY = 1.05;
  size_t num_ops = f->region->num_ops, keep = num_ops;
  double all = 0, least = 0;
  if (f->doubts.size) least = all = ns_of_joined(f, 0, num_ops);
  for (size_t i = f->doubts.size; i-- > 0;) {
    Doubt *d = &f->doubts.data[i];
    d->ns = ns_of_joined(f, 0, d->num_ops) + ns_of_joined(f, d->num_ops, num_ops);
    if (d->ns * CLEARLY >= least) continue;
    least = d->ns;
    keep = d->num_ops;
  }
  f->doubts.size = 0;
  if (keep < num_ops) {
    for (size_t i = keep; i < num_ops; i++) f->joined[i]->region = 0;
    take_joined(f, 0, keep);
    NrTiling *kept = f->trial;
    f->trial = f->region;
    f->region = kept;
  }
  flush_remarks(f, all, least);
}

static bool uses_members(const Former *f, const NrOp *op) {
  const NrUse *use = op->results[0].first_use;
  return is_member(f, nr_tiling_reshape_source(op)->op) && use && is_member(f, use->owner);
}

/* Reshapes that are not between two members are no members: a value outside is as good in either shape. */
static void drop_outer_reshapes(Former *f) {
  NrTiling *t = f->region;
  for (size_t i = t->num_ops; i-- > 0;) {
    if (!nr_tiling_is_reshape(t->ops[i]) || uses_members(f, t->ops[i])) continue;
    candidate_of(f, t->ops[i])->region = 0;
    memmove(t->ops + i, t->ops + i + 1, (--t->num_ops - i) * sizeof *t->ops);
  }
  nr_tiling_analyse(t);
}

static void grow(Former *f, Candidate *root) {
  Candidate *c;
  root->region = f->num_regions + 1;
  f->region->num_ops = 1;
  f->region->ops[0] = root->op;
  f->joined[0] = root;
  nr_tiling_analyse(f->region);
  bool grown;
  do {
    grown = false;
    while ((c = next_user(f))) grown |= join(f, c);
    while ((c = next_producer(f))) grown |= join(f, c);
  } while (grown);
  settle_doubts(f);
  drop_outer_reshapes(f);
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* Appends the dynamic sizes of a member's result, taken from the tensor outside of the region that it starts as. */
static void push_sizes(const Former *f, NrBuilder *b, const NrValue *value, NrValue **out, size_t *count) {
  NrValue *start = nr_op_destination(value->op, value->index);
  while (is_member(f, start->op)) start = nr_op_destination(start->op, start->index);
  for (uint32_t d = 0; d < value->type->rank; d++)
    if (value->type->dims[d] == NR_DYNAMIC) out[(*count)++] = nr_index_value(b, nr_dim_build(b, start, d));
}

/* Moves the members into a flow.dispatch.region behind the last one. */
static void wrap(Former *f) {
  NrTiling *t = f->region;
  NrOp *last = t->ops[t->num_ops - 1];
  NrOpList between = {0};
  copy_region(t, f->trial);
  bool movable = find_between(f, &between);
  assert(movable);
  NrModule *module = last->module;
  NrBuilder b = nr_builder_after(last);
  NrValue *returned[MAX_RESULTS], *dims[MAX_RESULTS * NR_MAX_RANK];
  NrType types[MAX_RESULTS];
  size_t num_returned = 0, num_dims = 0;
  b.loc = t->ops[t->root]->loc;
  for (size_t i = 0; i < t->num_ops; i++)
    for (uint32_t j = 0; j < t->ops[i]->num_results; j++) {
      NrValue *value = nr_result(t->ops[i], j);
      bool outside = false;
      for (NrUse *use = value->first_use; use; use = use->next) outside |= !is_member(f, use->owner);
      if (!outside) continue;
      types[num_returned] = value->type;
      returned[num_returned++] = value;
      push_sizes(f, &b, value, dims, &num_dims);
    }
  NrOp *region = nr_build(&b, &(NrOpState){.info = nr_op_infos[NR_OP_flow_dispatch_region],
                                           .operands = dims,
                                           .num_operands = num_dims,
                                           .result_types = types,
                                           .num_results = num_returned,
                                           .num_regions = 2});
  nr_op_set_segments(region, (uint32_t[]){(uint32_t)num_dims, 0}, 2);
  NrBlock *body = nr_block_create(module);
  nr_block_append(nr_flow_dispatch_region_region(region), body);
  for (size_t i = 0; i < num_returned; i++)
    nr_value_replace_uses(returned[i], nr_result(region, i));
  NrMap inner = {0};
  for (size_t i = 0; i < num_returned; i++) nr_map_set(&inner, nr_result(region, i), returned[i]);
  for (size_t i = 0; i < t->num_ops; i++) {
    NrOp *op = t->ops[i];
    nr_op_unlink(op);
    nr_op_append(body, op);
    for (uint32_t k = 0; k < op->num_operands; k++) {
      NrValue *own = nr_map_get(&inner, nr_operand(op, k));
      if (own) nr_op_set_operand(op, k, own);
    }
  }
  nr_map_deinit(&inner);
  NrBuilder end = nr_builder_at_end(module, body, b.loc);
  nr_build_op(&end, NR_OP_flow_return, returned, num_returned, NULL, 0);
  NrOp *behind = region;
  for (size_t i = 0; i < between.size; i++) {
    NrOp *first = NULL; /* in program order */
    size_t at = 0;
    for (size_t k = i; k < between.size; k++)
      if (!first || nr_op_is_before(between.data[k], first)) first = between.data[k], at = k;
    between.data[at] = between.data[i];
    nr_op_unlink(first);
    nr_op_insert_after(first, behind);
    behind = first;
  }
  nr_vec_deinit(&between);
}

static void form(Former *f, Candidate *root) {
  double ns = 0;
  bool known = true;
  grow(f, root);
  NrTiling *t = f->region;
  for (size_t i = 0; i < t->num_ops; i++) {
    const Candidate *c = candidate_of(f, t->ops[i]);
    ns += c->ns;
    known &= c->known;
  }
  bool heavy = ns >= (double)nr_cost_dispatch_ns(f->pass->target) || (!known && !in_loop(root->op));
  bool used = num_returned(t) > 0;
  explain_region(f, ns, known, heavy);
  if (heavy && used) wrap(f);
  f->num_regions++;
}

static NrStatus form_dispatch_regions_run(NrPassContext *pass, NrOp *root) {
  Former f = {.pass = pass, .region = nr_calloc(1, sizeof(NrTiling)), .trial = nr_calloc(1, sizeof(NrTiling))};
  find_candidates(&f, root);
  for (int kind = 0; kind < 3; kind++)
    for (size_t i = 0; i < f.all.size; i++)
      if (!f.all.data[i].region && nr_tiling_kind(f.all.data[i].op) == kind) form(&f, &f.all.data[i]);
  nr_diag_flush(pass->ctx);
  nr_vec_deinit(&f.all);
  nr_map_deinit(&f.numbers);
  nr_free(f.region);
  nr_free(f.trial);
  nr_vec_deinit(&f.doubts);
  nr_vec_deinit(&f.remarks);
  return NR_OK;
}

NR_PASS(form_dispatch_regions, .name = "form-dispatch-regions", .on_while = NR_WHILE_BARRIER, .explains = "fusion",
        .run = form_dispatch_regions_run, .doc = "groups structured ops that share tiles into dispatch regions")
