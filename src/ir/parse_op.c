/* parse_op.c - ops: results, name, custom form, creation. The generic form is in parse_generic.c. */
#include "base/guard.h"
#include "ir/parse.h"

/* ---- frames ------------------------------------------------------------------------------------------------------ */

void nr_parse_sync(NrParser *p) {
  NrOpFrame *f = p->frame;
  if (!f) return;
  NrOpState *s = &f->state;
  s->num_operands = p->operands.size - f->operands;
  s->num_attrs = p->attrs.size - f->attrs;
  s->num_results = p->result_types.size - f->result_types;
  s->num_successors = p->successors.size - f->successors;
  s->num_regions = p->regions.size - f->regions;
  s->operands = s->num_operands ? p->operands.data + f->operands : NULL;
  s->attrs = s->num_attrs ? p->attrs.data + f->attrs : NULL;
  s->result_types = s->num_results ? p->result_types.data + f->result_types : NULL;
  s->successors = s->num_successors ? p->successors.data + f->successors : NULL;
  s->successor_operands = s->num_successors ? p->successor_sizes.data + f->successors : NULL;
}

static void push_frame(NrParser *p, NrOpFrame *f) {
  *f = (NrOpFrame){.up = p->frame,
                   .at = p->tok.begin,
                   .operands = p->operands.size,
                   .types = p->types.size,
                   .result_types = p->result_types.size,
                   .attrs = p->attrs.size,
                   .successors = p->successors.size,
                   .branch_operands = p->branch_operands.size,
                   .regions = p->regions.size,
                   .result_names = p->result_names.size,
                   .scratch = nr_parse_scratch_mark(p)};
  p->frame = f;
}

static void pop_frame(NrParser *p) {
  NrOpFrame *f = p->frame;
  p->operands.size = f->operands;
  p->types.size = f->types;
  p->result_types.size = f->result_types;
  p->attrs.size = f->attrs;
  p->successors.size = p->successor_sizes.size = f->successors;
  p->branch_operands.size = f->branch_operands;
  p->regions.size = f->regions;
  p->result_names.size = f->result_names;
  nr_parse_scratch_release(p, f->scratch);
  p->frame = f->up; /* its lists may have moved; nr_parse_region calls nr_parse_sync at its end */
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

bool nr_parse_operand(NrParser *p, NrOperandRef *out) {
  if (!nr_parse_at(p, NR_TOK_VALUE)) return nr_parse_need(p, NR_TOK_VALUE);
  *out = (NrOperandRef){.name = nr_token_name(p->tok), .at = p->tok.begin};
  nr_parse_advance(p);
  if (!nr_parse_at(p, NR_TOK_HASH)) return true;
  uint64_t number;
  NrToken digits = {NR_TOK_INT, p->tok.begin + 1, p->tok.end};
  if (*digits.begin < '0' || *digits.begin > '9') return nr_parse_fail(p, "expected a result number behind '#'");
  if (!nr_token_u64(digits, &number) || number > UINT32_MAX) return nr_parse_fail(p, "result number is too large");
  out->number = (uint32_t)number;
  nr_parse_advance(p);
  return true;
}

bool nr_parse_operands(NrParser *p, NrOperandRef **out, size_t *out_count) {
  size_t begin = p->refs.size;
  bool ok = true;
  if (nr_parse_at(p, NR_TOK_VALUE)) {
    do {
      NrOperandRef ref;
      ok = nr_parse_operand(p, &ref);
      if (ok) nr_vec_push(&p->refs, ref);
    } while (ok && nr_parse_take(p, ','));
  }
  size_t count = *out_count = p->refs.size - begin;
  *out = nr_parse_scratch(p, count, sizeof **out);
  if (count) memcpy(*out, p->refs.data + begin, count * sizeof **out);
  p->refs.size = begin;
  return ok;
}

bool nr_parse_add_operand(NrParser *p, NrOperandRef ref, NrType type) {
  NrValue *value = nr_parse_use(p, ref, type);
  if (!value) return false;
  nr_vec_push(&p->operands, value);
  NrOpFrame *f = p->frame;
  f->state.num_operands = p->operands.size - f->operands;
  f->state.operands = p->operands.data + f->operands;
  return true;
}

bool nr_parse_attr_dict(NrParser *p, NrOpState *state) {
  if (!nr_parse_take(p, '{')) return true;
  bool ok = nr_parse_dict_entries(p, p->frame->attrs, '}');
  nr_parse_sync(p);
  return ok;
}

void nr_parse_add_empty_region(NrParser *p) {
  nr_vec_push(&p->regions, NR_NEW(&p->module->arena, NrRegion));
  nr_parse_sync(p);
}

void nr_parse_add_segments(NrParser *p, NrOpState *state, const uint32_t *sizes, size_t count) {
  NrAttr value = nr_attr_dense_array(nr_type_i32(p->ctx), sizes, count * sizeof *sizes);
  NrNamedAttr named = {nr_context_intern(p->ctx, NR_STR("operandSegmentSizes")), value};
  nr_vec_push(&p->attrs, named);
  nr_parse_sync(p);
}

/* `br ^bb(%x)`: the types are those of the last count operands. */
static void warn_untyped(NrParser *p, const char *end, size_t count) {
  NrBuf types = {0};
  for (size_t i = p->branch_operands.size - count; i < p->branch_operands.size; i++)
    nr_buf_printf(&types, "%s%s", types.size ? ", " : "", nr_type_text(p->ctx, p->branch_operands.data[i]->type));
  nr_p_proposal(p, end, " : %.*s)", (int)types.size, types.data);
  nr_buf_deinit(&types);
}

/* (%x, %y : t, t), also (%x : t, %y : t), or (%x, %y) of values that are known. */
static bool parse_successor_operands(NrParser *p) {
  if (nr_parse_take(p, ')')) return true;
  for (;;) {
    NrOperandRef *refs;
    size_t count, num_types = 0, begin = p->types.size;
    if (!nr_parse_operands(p, &refs, &count)) return false;
    if (count == 0) return nr_parse_need(p, NR_TOK_VALUE);
    const char *end = p->last_end;
    bool typed = nr_parse_take(p, ':');
    for (size_t i = 0; typed && i < count; i++, num_types++) {
      NrType type;
      if ((i && !nr_parse_need(p, ',')) || !(type = nr_parse_type_here(p))) return false;
      nr_vec_push(&p->types, type);
    }
    for (size_t i = 0; i < count; i++) {
      NrValue *value = nr_parse_use(p, refs[i], typed ? p->types.data[begin + i] : NULL);
      if (!value) return false;
      nr_vec_push(&p->branch_operands, value);
    }
    if (!typed && !nr_parse_at(p, ',')) warn_untyped(p, end, count);
    p->types.size = begin;
    if (!nr_parse_take(p, ',')) return nr_parse_need(p, ')');
  }
}

bool nr_parse_successor(NrParser *p, NrOpState *state) {
  NrToken t = p->tok;
  if (!nr_parse_need(p, NR_TOK_BLOCK)) return false;
  NrBlock *block = nr_parse_label_use(p, t);
  size_t before = p->branch_operands.size;
  if (nr_parse_take(p, '(') && !parse_successor_operands(p)) return false;
  nr_vec_push(&p->successors, block);
  nr_vec_push(&p->successor_sizes, (uint32_t)(p->branch_operands.size - before));
  nr_parse_sync(p);
  return true;
}

/* ---- custom form ------------------------------------------------------------------------------------------------- */

static size_t operand_begin(const NrOpSpec *spec, size_t group, size_t total) {
  size_t singles = 0, begin = 0;
  for (size_t i = 0; i < spec->num_operands; i++) singles += spec->operands[i].arity == 0;
  for (size_t i = 0; i < group; i++) begin += spec->operands[i].arity == 0 ? 1 : total - NR_MIN(singles, total);
  return begin;
}

static NrType variable_type(const NrOpSpec *spec, const NrOpState *state, char variable) {
  for (size_t i = 0; variable && i < spec->num_operands; i++) {
    if (spec->operands[i].variable != variable) continue;
    size_t begin = operand_begin(spec, i, state->num_operands);
    if (begin < state->num_operands) return state->operands[begin]->type;
  }
  return NULL;
}

bool nr_parse_infer_results(NrParser *p, NrOpState *state) {
  const NrOpSpec *spec = nr_op_spec(p->ctx, state->info);
  if (state->num_results || !spec->num_results) return true;
  NrType *types = nr_parse_scratch(p, spec->num_results, sizeof *types);
  memset(types, 0, spec->num_results * sizeof *types);
  if (state->info->infer) {
    size_t errors = nr_context_num_errors(p->ctx);
    NrStatus status = state->info->infer(p->ctx, state, types);
    if (status != NR_OK)
      return nr_context_num_errors(p->ctx) > errors
                 ? false
                 : nr_parse_fail_at(p, p->frame->at, "could not infer the result types");
  }
  for (size_t i = 0; i < spec->num_results; i++) {
    const NrSpecItem *item = &spec->results[i];
    if (!types[i] && item->arity) continue;
    if (!types[i]) types[i] = variable_type(spec, state, item->variable);
    if (!types[i]) types[i] = nr_parse_only_type(p->ctx, item->constraint);
    if (!types[i])
      return nr_parse_fail_at(p, p->frame->at, "could not infer the type of result '%.*s'", NR_STR_ARG(item->name));
    nr_vec_push(&p->result_types, types[i]);
  }
  nr_parse_sync(p);
  return true;
}

static bool parse_custom(NrParser *p, NrOpState *state) {
  NrOpFrame *frame = p->frame;
  const NrFormat *format = nr_op_format(p->ctx, state->info, frame->legacy);
  if (!state->info->parse && !format)
    return nr_parse_fail_at(p, frame->at, "custom op '%.*s' has no custom form; write \"%.*s\"(...)",
                            NR_STR_ARG(frame->name), NR_STR_ARG(nr_op_info_name(state->info)));
  size_t errors = nr_context_num_errors(p->ctx);
  NrStatus status = state->info->parse ? state->info->parse(p, state) : nr_parse_by_format(p, state, format);
  if (status == NR_OK) return nr_parse_infer_results(p, state);
  if (nr_context_num_errors(p->ctx) == errors)
    nr_parse_fail(p, "custom op '%.*s' could not be read", NR_STR_ARG(frame->name));
  return false;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool unknown_op(NrParser *p, const char *hint) {
  NrStr name = p->frame->name, near = {0};
  if (name.size < 64 && nr_parse_may_suggest(p)) near = nr_op_info_suggest(name);
  if (near.size)
    return nr_parse_fail_at(p, p->frame->at, "unknown op '%.*s'; did you mean '%.*s'?", NR_STR_ARG(name),
                            NR_STR_ARG(near));
  return nr_parse_fail_at(p, p->frame->at, "unknown op '%.*s'%s", NR_STR_ARG(name), hint);
}

/* `return` in a function is func.return, `module` in a module is builtin.module, in both syntaxes. */
static bool is_both_spellings(const NrOpInfo *info, NrStr name) {
  bool dialect = strcmp(info->dialect, "func") == 0 || strcmp(info->dialect, "builtin") == 0;
  return dialect && nr_str_is(name, info->name) && !nr_str_is(name, "func");
}

static const NrOpInfo *find_op(NrParser *p, NrStr name, bool *out_legacy) {
  const NrOpInfo *info = nr_op_info_find(name, out_legacy);
  bool is_full = info != NULL;
  static const char *const default_dialects[] = {"func", "builtin"};
  for (size_t i = 0; !info && i < NR_COUNTOF(default_dialects) && !memchr(name.data, '.', name.size) && name.size < 64;
       i++) {
    char full[80];
    int size = 0;
    for (const char *c = default_dialects[i]; *c; c++) full[size++] = *c;
    full[size++] = '.';
    memcpy(full + size, name.data, name.size);
    info = nr_op_info_find((NrStr){full, (size_t)size + name.size}, out_legacy);
  }
  if (!info) return NULL;
  if (info->renamed && nr_str_is(name, info->renamed)) p->ctx->renamed = true;
  if (*out_legacy) p->num_legacy += !is_both_spellings(info, name);
  else if (info->legacy && is_full)
    p->num_modern += !nr_str_eq(nr_op_info_legacy_name(info), name); /* not affine.yield, the name in both syntaxes */
  p->ctx->legacy_names = p->num_legacy > p->num_modern; /* updated for each op: hooks report during parsing */
  return info;
}

/* The name and what follows it, up to a trailing location. */
static bool parse_name_and_body(NrParser *p) {
  NrOpFrame *frame = p->frame;
  NrOpState *state = &frame->state;
  bool generic = nr_parse_at(p, NR_TOK_STRING);
  if (!generic && !nr_parse_at(p, NR_TOK_BARE)) return nr_parse_fail(p, "expected an op");
  frame->at = p->tok.begin;
  if (generic && !nr_parse_unescape(p, p->tok, &frame->name)) return false;
  if (!generic) frame->name = nr_token_str(p->tok);
  if (generic && memchr(frame->name.data, 0, frame->name.size))
    return nr_parse_fail_at(p, frame->at, "null character not allowed in operation name");
  state->loc = nr_parse_loc_at(p, frame->at);
  state->info = find_op(p, frame->name, &frame->legacy);
  if (!state->info) {
    if (!generic || !frame->name.size) return unknown_op(p, "");
    if (!p->allow_unregistered)
      return unknown_op(p, " (ops without a row are read only when unregistered ops are allowed)");
    state->info = &nr_unregistered_op_info;
    state->raw_name = nr_context_intern(p->ctx, frame->name);
  }
  nr_parse_advance(p);
  return (generic ? nr_parse_generic(p, state) : parse_custom(p, state)) && nr_parse_trailing_loc(p, &state->loc);
}

/* ---- the op ------------------------------------------------------------------------------------------------------ */

/* %a, %b:2 = */
static bool parse_result_names(NrParser *p) {
  if (!nr_parse_at(p, NR_TOK_VALUE)) return true;
  do {
    NrResultName result = {.count = 1, .at = p->tok.begin};
    uint64_t count;
    if (!nr_parse_at(p, NR_TOK_VALUE)) return nr_parse_need(p, NR_TOK_VALUE);
    result.name = nr_parse_name(p, nr_token_name(p->tok));
    nr_vec_push(&p->result_names, result);
    nr_parse_advance(p);
    if (!nr_parse_take(p, ':')) continue;
    if (!nr_parse_at(p, NR_TOK_INT)) return nr_parse_need(p, NR_TOK_INT);
    if (!nr_token_u64(p->tok, &count) || count == 0 || count > UINT32_MAX)
      return nr_parse_fail(p, "expected a named operation to have at least 1 result");
    nr_vec_last(&p->result_names).count = (uint32_t)count;
    nr_parse_advance(p);
  } while (nr_parse_take(p, ','));
  return nr_parse_need(p, '=');
}

static bool bind_results(NrParser *p, NrOp *op) {
  size_t bound = 0, begin = p->frame->result_names, end = p->result_names.size;
  for (size_t i = begin; i < end; i++) bound += p->result_names.data[i].count;
  if (begin == end) return true;
  if (op->num_results == 0)
    return nr_parse_fail_at(p, p->result_names.data[begin].at, "cannot name an operation with no results");
  if (bound != op->num_results)
    return nr_parse_fail_at(p, p->result_names.data[begin].at,
                            "operation defines %u results but was provided %zu to bind", op->num_results, bound);
  NrValue *first = op->results;
  bool ok = true;
  for (size_t i = begin; i < end; i++) {
    NrResultName r = p->result_names.data[i];
    ok &= nr_parse_bind(p, r.name, first, r.count, r.at);
    first += r.count;
  }
  return ok;
}

/* Defines the results of an op that failed as unknown values, so that their uses are no further errors. */
static void bind_failed(NrParser *p) {
  for (size_t i = p->frame->result_names; i < p->result_names.size; i++)
    nr_parse_bind(p, p->result_names.data[i].name, NULL, 0, p->result_names.data[i].at);
}

/* Creates an op without operands; each declared region gets an empty block. */
static NrOp *make_terminator(NrParser *p, const NrOpInfo *info, NrOp *op) {
  const NrOpSpec *spec = nr_op_spec(p->ctx, info);
  size_t regions = 0;
  while (regions < spec->num_regions && !spec->regions[regions].arity) regions++;
  NrOp *end = nr_op_create(op->module, &(NrOpState){.info = info, .loc = op->loc, .num_regions = regions});
  for (size_t i = 0; i < regions; i++) nr_block_append(&end->regions[i], nr_block_create(op->module));
  return end;
}

static void add_terminators(NrParser *p, NrOp *op) {
  if (!nr_op_has(op, NR_IMPLICIT_YIELD) || !op->info->terminator) return;
  const NrOpInfo *info = nr_op_info_find(nr_str(op->info->terminator), NULL);
  assert(info && "the row names a terminator that does not exist");
  for (uint32_t i = 0; i < op->num_regions; i++) {
    NrBlock *block = op->regions[i].last;
    if (!block || op->regions[i].first != block) continue;
    if (block->last && (nr_op_has(block->last, NR_TERMINATOR) || block->last->num_successors)) continue;
    nr_op_append(block, make_terminator(p, info, op));
  }
}

static NrOp *make_op(NrParser *p, bool custom) {
  NrOpFrame *frame = p->frame;
  for (size_t i = frame->branch_operands; i < p->branch_operands.size; i++)
    nr_vec_push(&p->operands, p->branch_operands.data[i]);
  nr_parse_sync(p);
  nr_guard_at(frame->state.loc);
  NrOp *op = nr_op_create(p->module, &frame->state);
  for (uint32_t i = 0; i < op->num_regions; i++) nr_region_take(&op->regions[i], p->regions.data[frame->regions + i]);
  if (custom) add_terminators(p, op);
  return op;
}

static bool parse_and_make(NrParser *p, NrBlock *block) {
  if (!parse_result_names(p)) return false;
  bool custom = nr_parse_at(p, NR_TOK_BARE);
  if (!parse_name_and_body(p)) return false;
  NrOp *op = make_op(p, custom);
  nr_op_append(block, op);
  if (!bind_results(p, op)) return false;
  /* Regions may be incomplete after an error. */
  return p->frame->broken || !op->info->post_parse || op->info->post_parse(p, op) == NR_OK;
}

/* Records an isolated op without errors in place of the nested ones. If the op was not created, drops the nested ones.
 */
static void note_whole(NrParser *p, NrOp *op, bool clean, size_t before) {
  bool whole = op && clean && nr_op_has(op, NR_ISOLATED);
  if (whole || !op) p->whole.size = before;
  if (whole) nr_vec_push(&p->whole, op);
}

bool nr_parse_op(NrParser *p, NrBlock *block) {
  NrOpFrame frame;
  push_frame(p, &frame);
  size_t errors = nr_context_num_errors(p->ctx), whole = p->whole.size;
  const NrOp *last = block->last;
  bool ok = parse_and_make(p, block);
  if (!ok) bind_failed(p);
  if (!ok && nr_context_num_errors(p->ctx) == errors)
    nr_parse_fail_at(p, frame.at, "op '%.*s' could not be read", NR_STR_ARG(frame.name));
  pop_frame(p);
  note_whole(p, block->last == last ? NULL : block->last, ok && nr_context_num_errors(p->ctx) == errors, whole);
  return ok;
}
