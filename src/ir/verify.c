/* verify.c - the verifier's walk: structure of regions and blocks, branches, dominance. Order for one op: its
 * definition, its own blocks, its verify hook only if both are valid (hooks rely on that), then the nested ops. */
#include "ir/verify.h"

#include "ir/context.h"

/* A region that is being verified. Lives on the C stack. */
typedef struct Frame {
  NrRegion *region;
  NrDominance *dominance; /* computed at first use */
  struct Frame *up;
} Frame;

typedef struct Verifier {
  NrContext *ctx;
  NrSymbolTables symbols;
  Frame *frame; /* the innermost region; NULL for a detached op */
  bool alone;   /* symbols are not looked up */
  bool good;
} Verifier;

static void fail(Verifier *v) { v->good = false; }

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

static bool may_end_block(const NrOp *op) { return op->info->id == NR_OP_unregistered || nr_op_has(op, NR_TERMINATOR); }

/* Each block must end in a terminator; check_place rejects terminators elsewhere. */
static bool check_block_end(NrOp *parent, NrBlock *block) {
  bool is_single = block->region->first == block->region->last, is_unknown = parent->info->id == NR_OP_unregistered;
  bool needs_terminator = !nr_op_has(parent, NR_NO_TERMINATOR) && !(is_unknown && is_single), good = true;
  if (!block->last) {
    if (needs_terminator) good = nr_op_error(parent, "has an empty block: expected at least a terminator") == NR_OK;
    return good;
  }
  if (needs_terminator && !may_end_block(block->last)) {
    NrStr name = nr_op_shown_name(block->last);
    nr_error(nr_op_context(parent), block->last->loc, "block without a terminator: '%.*s' is its last op",
             NR_STR_ARG(name));
    nr_note(nr_op_context(parent), parent->loc, "in a region of this op");
    good = false;
  }
  /* With an implicit terminator, an unregistered op does not count as one. */
  if (nr_op_has(parent, NR_IMPLICIT_YIELD) && parent->info->terminator && block->last->info->id == NR_OP_unregistered)
    good = nr_op_error(parent, "expects regions to end with '%s', found '%.*s'", parent->info->terminator,
                       NR_STR_ARG(nr_op_shown_name(block->last))) == NR_OK;
  return good;
}

static bool check_place(NrOp *op) {
  if (!op->next) return true;
  if (nr_op_has(op, NR_TERMINATOR)) return nr_op_error(op, "must be the last operation in the parent block") == NR_OK;
  if (op->num_successors) return nr_op_error(op, "with block successors must terminate its parent block") == NR_OK;
  return true;
}

static bool check_region(NrOp *op, uint32_t index) {
  NrRegion *region = &op->regions[index];
  bool good = true;
  if (nr_op_has(op, NR_SINGLE_BLOCK) && region->first != region->last)
    good = nr_op_error(op, "expects region #%u to have 0 or 1 blocks", index) == NR_OK;
  if (region->first && region->first->first_pred)
    good = nr_op_error(op, "entry block of region #%u may not have predecessors", index) == NR_OK;
  /* Checked before the hook, because hooks may read a single block; of several blocks later in the walk. */
  if (region->first && region->first == region->last) good &= check_block_end(op, region->first);
  return good;
}

/* ---- branches --------------------------------------------------------------------------------------------------- */

static bool check_successor(NrOp *op, uint32_t i) {
  const NrSuccessor *s = &op->successors[i];
  NrContext *ctx = nr_op_context(op);
  if (!op->block || s->block->region != op->block->region)
    return nr_op_error(op, "successor #%u is a block of another region", i) == NR_OK;
  if (op->info->id == NR_OP_unregistered && s->num_operands == 0) return true;
  if (s->num_operands != s->block->num_args)
    return nr_op_error(op, "branch has %u operands for successor #%u, but target block has %u", s->num_operands, i,
                       s->block->num_args) == NR_OK;
  bool good = true;
  for (uint32_t k = 0; k < s->num_operands; k++) {
    NrType passed = nr_successor_operand(op, i, k)->type, wanted = nr_block_arg(s->block, k)->type;
    if (passed == wanted) continue;
    good = nr_op_error(op, "type mismatch for bb argument #%u of successor #%u: '%s' vs '%s'", k, i,
                       nr_type_text(ctx, passed), nr_type_text(ctx, wanted)) == NR_OK;
  }
  return good;
}

/* ---- dominance -------------------------------------------------------------------------------------------------- */

static bool report_use(NrOp *op, uint32_t index, const char *message) {
  NrContext *ctx = nr_op_context(op);
  const NrValue *value = op->operands[index].value;
  nr_error(ctx, op->loc, "operand #%u of '%.*s' %s", index, NR_STR_ARG(nr_op_shown_name(op)), message);
  NrLoc loc = value->op ? value->op->loc : nr_arg_loc(value);
  if (loc) nr_note(ctx, loc, value->op ? "operand defined here" : "it is a block argument, declared here");
  return false;
}

/* Quick test of dominance: follows single predecessors for a few steps. */
static bool comes_through(const NrBlock *block, const NrBlock *other) {
  for (int steps = 0; steps < 4 && block && block->first_pred && !block->first_pred->next; steps++) {
    block = block->first_pred->owner->block;
    if (block == other) return true;
  }
  return false;
}

/* Whether the definition dominates the use; both are in one region. */
static bool is_defined_before(Frame *frame, const NrValue *value, NrOp *user) {
  NrBlock *block = nr_value_block(value);
  NrOp *parent = frame->region->op;
  if (parent && nr_op_has(parent, NR_GRAPH_REGION)) return true;
  if (block == user->block) return !value->op || (value->op != user && nr_op_is_before(value->op, user));
  if (block == frame->region->first || comes_through(user->block, block)) return true;
  if (!frame->dominance) frame->dominance = nr_dominance_create(frame->region);
  const NrDominance *dom = frame->dominance;
  return !nr_dominance_reachable(dom, user->block) || nr_dominates_block(dom, block, user->block);
}

static bool check_operand(Verifier *v, NrOp *op, uint32_t index) {
  const NrValue *value = op->operands[index].value;
  if (!value) return nr_op_error(op, "operand #%u is missing", index) == NR_OK;
  NrBlock *block = nr_value_block(value);
  if (!block) return report_use(op, index, "is defined by an op that is not in the program");
  NrOp *at = op; /* op, or its ancestor in the region of the definition */
  NrOp *isolated = NULL;
  Frame *frame = v->frame; /* of at */
  for (; frame && frame->region != block->region; frame = frame->up) {
    at = frame->region->op;
    if (nr_op_has(at, NR_ISOLATED) && !isolated) isolated = at;
  }
  if (!frame) return report_use(op, index, "is not visible here: it is defined inside of another region");
  if (isolated) {
    report_use(op, index, "is defined outside of the region");
    nr_note(v->ctx, isolated->loc, "this op's regions are isolated from above");
    return false;
  }
  return is_defined_before(frame, value, at) || report_use(op, index, "does not dominate this use");
}

/* The common case: an argument of the op's block, or a result defined before it in that block. */
static inline bool is_plainly_visible(const NrOp *op, const NrValue *value) {
  const NrBlock *block = op->block;
  if (!value || !value->op) return value && value->block == block;
  return value->op->block == block && block->ordered && value->op->order < op->order;
}

/* ---- the walk --------------------------------------------------------------------------------------------------- */

static void verify_op(Verifier *v, NrOp *op, size_t depth);

static void verify_inside(Verifier *v, NrOp *op, size_t depth) {
  for (uint32_t i = 0; i < op->num_regions; i++) {
    Frame frame = {&op->regions[i], NULL, v->frame};
    v->frame = &frame;
    bool several = op->regions[i].first != op->regions[i].last;
    for (NrBlock *block = op->regions[i].first; block; block = block->next) {
      for (NrOp *inner = block->first; inner; inner = inner->next) {
        nr_op_prefetch(inner);
        verify_op(v, inner, depth + 1);
      }
      if (several && !check_block_end(op, block)) fail(v);
    }
    nr_dominance_destroy(frame.dominance);
    v->frame = frame.up;
  }
}

static bool check_size(NrOp *op, NrType type, const char *what, uint32_t number) {
  if (!type->oversized) return true;
  nr_op_error(op, "%s #%u is of type '%s', whose size does not fit in 64 bits", what, number,
              nr_type_text(type->ctx, type));
  return false;
}

static bool check_sizes(NrOp *op) {
  bool good = true;
  for (uint32_t i = 0; i < op->num_results; i++) good &= check_size(op, nr_result(op, i)->type, "result", i);
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *block = op->regions[r].first; block; block = block->next)
      for (uint32_t i = 0; i < block->num_args; i++)
        good &= check_size(op, block->args[i]->type, "block argument", i);
  return good;
}

static void verify_op(Verifier *v, NrOp *op, size_t depth) {
  if (depth > NR_MAX_NESTING) {
    nr_op_error(op, "is nested more than %d levels deep", NR_MAX_NESTING);
    fail(v);
    return;
  }
  bool good = check_place(op);
  good &= check_sizes(op);
  good &= nr_verify_row(v->ctx, op);
  if (nr_op_has(op, NR_SYMBOL) || nr_op_is(op, NR_OP_builtin_module)) good &= nr_verify_symbol(op);
  for (uint32_t i = 0; i < op->num_regions; i++) good &= check_region(op, i);
  for (uint32_t i = 0; i < op->num_successors; i++) good &= check_successor(op, i);
  for (uint32_t i = 0; i < op->num_operands; i++)
    if (op->block && !is_plainly_visible(op, op->operands[i].value) && !check_operand(v, op, i)) fail(v);
  good = good && (v->alone || !op->num_attrs || nr_verify_symbol_uses(&v->symbols, op));
  if (good && op->info->verify) good = op->info->verify(op) == NR_OK;
  if (nr_op_has(op, NR_SYMBOL_TABLE)) good &= nr_verify_symbol_table(op);
  if (!good) fail(v);
  if (op->num_regions) verify_inside(v, op, depth);
}

/* op need not be the whole program: the enclosing regions are not verified, but op may use their values. Builds the
 * frames of the regions around op. at: op, or an ancestor whose inner frames exist and end in *tail. */
static void verify_framed(Verifier *v, NrOp *op, NrOp *at, Frame **tail) {
  if (!at || !at->block || !at->block->region) {
    verify_op(v, op, 0);
    return;
  }
  Frame frame = {at->block->region, NULL, NULL};
  *tail = &frame;
  verify_framed(v, op, nr_op_parent(at), &frame.up);
  nr_dominance_destroy(frame.dominance);
}

static bool verify(NrOp *op, bool alone) {
  Verifier v = {.ctx = nr_op_context(op), .alone = alone, .good = true};
  verify_framed(&v, op, op, &v.frame);
  nr_symbol_tables_deinit(&v.symbols);
  return v.good;
}

NrStatus nr_verify(NrOp *op) { return verify(op, false) ? NR_OK : NR_ERROR_INVALID; }

NrStatus nr_verify_folded(NrOp *op) {
  NrContext *ctx = nr_op_context(op);
  ctx->folded = true;
  NrStatus status = nr_verify(op);
  ctx->folded = false;
  return status;
}

NrStatus nr_verify_constant_error(NrOp *op, const char *format, ...) {
  NrContext *ctx = nr_op_context(op);
  if (nr_op_attr(op, NR_A_noria_fails)) return NR_OK;
  if (ctx->folded) {
    nr_op_set_attr(op, NR_A_noria_fails, nr_attr_unit(ctx));
    return NR_OK;
  }
  NrBuf text = {0};
  va_list args;
  va_start(args, format);
  nr_buf_vprintf(&text, format, args);
  va_end(args);
  NrStatus status = nr_op_error(op, "%s", text.data);
  nr_buf_deinit(&text);
  return status;
}

void nr_verify_alone(NrOp *op) { verify(op, true); }
