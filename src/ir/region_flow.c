/* region_flow.c - where control, and values with it, go between an op and its regions: .region_flow of op definitions.
 */
#include "ir/region_flow.h"

#include <stdlib.h>

/* ---- the text of definitions ------------------------------------------------------------------------------------- */

typedef struct Reader {
  const char *at;
} Reader;

static void skip_blanks(Reader *r) {
  while (*r->at == ' ') r->at++;
}

static bool try_text(Reader *r, const char *text) {
  skip_blanks(r);
  if (strncmp(r->at, text, strlen(text)) != 0) return false;
  r->at += strlen(text);
  return true;
}

static NrStr read_name(Reader *r) {
  skip_blanks(r);
  NrStr name = {r->at, strcspn(r->at, " ,;")};
  r->at += name.size;
  return name;
}

/* " 1..": from the second one on. */
static uint32_t read_first(Reader *r) {
  skip_blanks(r);
  if (*r->at < '0' || *r->at > '9') return 0;
  uint32_t first = (uint32_t)strtoul(r->at, (char **)&r->at, 10);
  bool dots = try_text(r, "..");
  assert(dots && "malformed op definition: in .region_flow, a number is followed by ..");
  (void)dots;
  return first;
}

static size_t find_item(const NrSpecItem *items, size_t count, NrStr name) {
  size_t i = 0;
  while (i < count && !nr_str_eq(items[i].name, name)) i++;
  return i;
}

static NrFlowRow read_source(Reader *r, const NrOpSpec *spec) {
  NrFlowRow row = {.from = NR_FLOW_OP, .group = SIZE_MAX};
  NrStr name = read_name(r);
  size_t region = find_item(spec->regions, spec->num_regions, name);
  if (region < spec->num_regions) {
    row.from = region;
    row.first_source = read_first(r);
  } else if (!nr_str_is(name, "begin")) {
    row.group = find_item(spec->operands, spec->num_operands, name);
    assert(row.group < spec->num_operands && "malformed op definition: .region_flow begins with an unknown name");
  }
  return row;
}

static void read_target(Reader *r, const NrOpSpec *spec, NrFlowRow *row) {
  NrStr name = read_name(r);
  row->to = NR_FLOW_OP;
  if (nr_str_is(name, "results")) return;
  row->to = find_item(spec->regions, spec->num_regions, name);
  row->first_target = read_first(r);
  assert(row->to < spec->num_regions && "malformed op definition: .region_flow leads to an unknown region");
}

enum { MAX_ROWS = 16 };

const NrFlowRow *nr_region_flow_parse(NrArena *arena, const char *text, const NrOpSpec *spec, size_t *out_count) {
  NrFlowRow rows[MAX_ROWS];
  size_t count = 0;
  Reader r = {text};
  *out_count = 0;
  if (!text) return NULL;
  do {
    NrFlowRow row = read_source(&r, spec);
    bool arrow = try_text(&r, "->");
    assert(arrow && "malformed op definition: .region_flow lacks ->");
    (void)arrow;
    do {
      assert(count < MAX_ROWS);
      read_target(&r, spec, &row);
      rows[count++] = row;
    } while (try_text(&r, ","));
  } while (try_text(&r, ";"));
  assert(!*r.at && "malformed op definition: unexpected text in .region_flow");
  *out_count = count;
  return nr_arena_copy(arena, rows, count * sizeof *rows);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

NrRegionFlow nr_region_flow(const NrOp *op, const NrRegion *from) {
  return (NrRegionFlow){
      .op = op, .spec = op->info->region_flow ? nr_op_spec(nr_op_context(op), op->info) : NULL, .from = from};
}

/* The regions that a declared one stands for: one, or all from it on. */
static uint32_t regions_of(const NrOp *op, const NrOpSpec *spec, size_t declared) {
  if (declared == NR_FLOW_OP) return 1;
  return spec->regions[declared].arity == '*' ? op->num_regions - (uint32_t)declared : 1;
}

static bool comes_from(const NrRegionFlow *flow, const NrFlowRow *row) {
  if (!flow->from) return row->from == NR_FLOW_OP;
  size_t number = (size_t)(flow->from - flow->op->regions);
  return row->from != NR_FLOW_OP && number >= row->from &&
         number < row->from + regions_of(flow->op, flow->spec, row->from);
}

bool nr_region_flow_next(NrRegionFlow *flow, NrRegionEdge *out) {
  const NrOp *op = flow->op;
  for (; flow->spec && flow->row < flow->spec->num_flow; flow->row++, flow->target = 0) {
    const NrFlowRow *row = &flow->spec->flow[flow->row];
    if (!comes_from(flow, row) || flow->target >= regions_of(op, flow->spec, row->to)) continue;
    size_t begin = row->first_source, count = SIZE_MAX;
    if (row->from == NR_FLOW_OP && !(row->group != SIZE_MAX && nr_op_operand_group(op, row->group, &begin, &count)))
      count = 0;
    *out = (NrRegionEdge){.first_operand = (uint32_t)begin,
                          .num_operands = (uint32_t)NR_MIN(count, UINT32_MAX),
                          .first_target = row->first_target};
    if (row->to != NR_FLOW_OP) out->to = nr_op_region(op, row->to + flow->target);
    /* Past a region that is not there, such as `else`, control goes on behind the op. */
    if (out->to && !out->to->first) *out = (NrRegionEdge){0};
    flow->target++;
    return true;
  }
  return false;
}

NrValue *nr_region_edge_target(const NrOp *op, const NrRegionEdge *edge, size_t i) {
  if (!edge->to) return i < op->num_results ? nr_result(op, i) : NULL;
  return edge->first_target + i < edge->to->first->num_args ? edge->to->first->args[edge->first_target + i] : NULL;
}

bool nr_region_is_entered_first(const NrRegion *region) {
  NrRegionFlow flow = nr_region_flow(region->op, NULL);
  NrRegionEdge edge;
  bool first = flow.spec != NULL;
  while (nr_region_flow_next(&flow, &edge)) first &= edge.to == region;
  return first;
}

/* ---- loops ------------------------------------------------------------------------------------------------------ */

uint32_t nr_op_num_ivs(const NrOp *op) {
  NrLoopRange range;
  uint32_t count = 0;
  while (nr_op_loop_range(op, count, &range)) count++;
  return count;
}

bool nr_loop_range(const NrValue *iv, NrLoopRange *out) {
  const NrOp *loop = iv->block ? nr_block_parent_op(iv->block) : NULL;
  return loop && nr_op_loop_range(loop, iv->index, out) && out->iv == iv && out->has_bounds;
}

/* The edge from one region, or where control comes to op (from NULL), to another. */
static bool find_edge(const NrOp *op, const NrRegion *from, const NrRegion *to, NrRegionEdge *out) {
  NrRegionFlow flow = nr_region_flow(op, from);
  while (nr_region_flow_next(&flow, out))
    if (out->to == to) return true;
  return false;
}

NrRegion *nr_loop_latch(const NrOp *loop) {
  NrRegionEdge edge;
  for (uint32_t from = 0; loop->info->region_flow && from < loop->num_regions; from++)
    for (uint32_t to = 0; to < loop->num_regions; to++)
      if (find_edge(loop, NULL, &loop->regions[to], &edge) &&
          find_edge(loop, &loop->regions[from], &loop->regions[to], &edge))
        return &loop->regions[from];
  return NULL;
}

/* The operand of `from` that goes along an edge to argument i; NULL: none. */
static NrValue *value_along(const NrOp *from, const NrRegionEdge *edge, uint32_t i) {
  if (i < edge->first_target || i - edge->first_target >= edge->num_operands) return NULL;
  size_t at = (size_t)edge->first_operand + i - edge->first_target;
  return at < from->num_operands ? nr_operand(from, at) : NULL;
}

bool nr_region_carried(const NrRegion *region, uint32_t i, NrValue **out_init, NrValue **out_next) {
  const NrOp *op = region->op;
  NrRegionEdge edge;
  if (!op->info->region_flow || !find_edge(op, NULL, region, &edge)) return false;
  NrRegion *latch = nr_loop_latch(op);
  const NrOp *last = latch && latch->first == latch->last ? nr_block_terminator(latch->first) : NULL;
  *out_init = value_along(op, &edge, i);
  if (!last || !*out_init || !find_edge(op, latch, region, &edge)) return false;
  *out_next = value_along(last, &edge, i);
  return *out_next != NULL;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool nr_op_runs_one_region(const NrOp *op) {
  for (uint32_t r = 0; op->info->region_flow && r < op->num_regions; r++) {
    NrRegionFlow flow = nr_region_flow(op, nr_op_region(op, r));
    NrRegionEdge edge;
    while (nr_region_flow_next(&flow, &edge))
      if (edge.to) return false;
  }
  return op->info->region_flow != NULL;
}
