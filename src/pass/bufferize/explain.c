/* explain.c - reports the decisions of the analysis at each op, as remarks, with a note at the op that forced a
 * copy. */
#include "pass/bufferize/analysis.h"

/* ---- reasons ---------------------------------------------------------------------------------------------------- */

static const char *reason(NrConflictKind kind) {
  static const char *const texts[] = {
      [NR_NO_CONFLICT] = "",
      [NR_UNDEFINED] = "it has no contents",
      [NR_OF_CALLER] = "the caller owns its buffer",
      [NR_OF_CONSTANT] = "a constant must not change",
      [NR_OF_OUTPUT] = "only stores write an output of the dispatch",
      [NR_OF_FORALL] = "the iterations of the loop share its buffer",
      [NR_OF_OTHER_BLOCK] = "its buffer belongs to the block around",
      [NR_MOVED_BEFORE] = "another operand of the op hands its buffer on",
      [NR_USED_LATER] = "its buffer is used later",
      [NR_USED_IN_REGION] = "the op's region uses its buffer",
      [NR_TAKEN_BY_RESULT] = "another result is in its buffer",
      [NR_OTHER_OPERAND] = "another operand is in its buffer",
      [NR_STRIDED] = "it is a part of a larger buffer, and a dense one is needed",
      [NR_WRITTEN_LATER] = "its memory is written while it is used",
      [NR_SNAPSHOT] = "its memory may change, which a tensor does not",
  };
  return texts[kind];
}

/* The op that uses the buffer, `with` itself or one in its regions. */
static const NrOp *user_in(const NrAnalysis *a, const NrBuffer *buffer, const NrOp *with) {
  uint32_t number = nr_analysis_number(a, with);
  const NrOp *found = with;
  for (const NrBufferBinding *member = buffer ? buffer->members : NULL; member; member = member->next)
    for (const NrUse *use = member->value->first_use; use; use = use->next) {
      if (use->owner == with) return with;
      if (nr_analysis_number_in(a, use->owner, with->block) == number) found = use->owner;
    }
  return found;
}

static void note_conflict(const NrAnalysis *a, const NrConflict *why) {
  const char *text = why->kind == NR_USED_LATER     ? "uses it here"
                     : why->kind == NR_WRITTEN_LATER ? "writes it here"
                                                     : NULL;
  if (!text || !why->with) return;
  const NrOp *user = user_in(a, why->kind == NR_USED_LATER ? why->buffer : NULL, why->with);
  NrStr name = nr_op_info_shown_name(a->ctx, user->info);
  nr_note(a->ctx, user->loc, "'%.*s' op %s", NR_STR_ARG(name), text);
}

/* ---- operands --------------------------------------------------------------------------------------------------- */

/* The name of operand i in the op's definition. */
static NrStr operand_name(const NrAnalysis *a, const NrOp *op, size_t i) {
  const NrOpSpec *spec = nr_op_spec(a->ctx, op->info);
  size_t begin, count;
  for (size_t group = 0; group < spec->num_operands; group++)
    if (nr_op_operand_group(op, group, &begin, &count) && i >= begin && i < begin + count)
      return spec->operands[group].name;
  return (NrStr){"", 0};
}

/* Appends " (result #0)" for the result that is in the memory of the operand, if there is one. */
static void put_result(const NrOp *op, const NrOpPlan *plan, const NrMemory *memory, NrBuf *out) {
  for (uint32_t r = 0; r < op->num_results; r++)
    if (memory && plan->results[r] == memory) nr_buf_printf(out, "; result #%u is in its memory", r);
}

static void put_decision(const NrOp *op, const NrOpPlan *plan, size_t i, NrBuf *out) {
  const NrOperandPlan *operand = &plan->operands[i];
  const char *why = reason(operand->why.kind);
  bool has_no_contents = operand->why.kind == NR_UNDEFINED;
  switch (operand->decision) {
  case NR_NO_TENSOR: break;
  case NR_READ: nr_buf_puts(out, "is read in place"); break;
  case NR_ALIASED: nr_buf_puts(out, "stays in place; the result is a view of it"); break;
  case NR_IN_PLACE:
    nr_buf_puts(out, "is written in place");
    put_result(op, plan, operand->memory, out);
    break;
  case NR_FINAL_PLACE:
    nr_buf_printf(out, "is not written, because %s; the result goes to where it is inserted later", why);
    break;
  case NR_NEW_BUFFER:
    if (has_no_contents) nr_buf_puts(out, "gets a new buffer, because it has no contents");
    else nr_buf_printf(out, "is not written, because %s; the result gets a new buffer, without a copy", why);
    break;
  case NR_REUSED:
    nr_buf_printf(out, "is not written, because %s; the result overwrites an input that ends here", why);
    break;
  case NR_INSERTED: nr_buf_puts(out, "is copied to the part that the op writes"); break;
  case NR_PLACED: nr_buf_puts(out, "is in the part that the op writes; nothing is copied"); break;
  case NR_MOVED: nr_buf_puts(out, "is handed on in its buffer, without a copy"); break;
  case NR_COPIED: nr_buf_printf(out, "is copied, because %s", why); break;
  }
}

static void explain_operand(const NrAnalysis *a, const NrOp *op, const NrOpPlan *plan, size_t i, NrBuf *text) {
  NrStr name = operand_name(a, op, i), shown = nr_op_info_shown_name(a->ctx, op->info);
  text->size = 0;
  put_decision(op, plan, i, text);
  if (!text->size) return;
  nr_remark(a->ctx, op->loc, "'%.*s' op operand #%zu (%.*s) %.*s", NR_STR_ARG(shown), i, NR_STR_ARG(name),
            (int)text->size, text->data);
  note_conflict(a, &plan->operands[i].why);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

static bool is_of_operand(const NrOp *op, const NrOpPlan *plan, const NrMemory *memory) {
  for (size_t i = 0; i < op->num_operands; i++)
    if (plan->operands[i].memory == memory) return true;
  return false;
}

/* Reports new memory of results that no operand's decision explains. */
static void explain_results(const NrAnalysis *a, const NrOp *op, const NrOpPlan *plan) {
  NrStr shown = nr_op_info_shown_name(a->ctx, op->info);
  for (uint32_t r = 0; r < op->num_results; r++) {
    const NrMemory *memory = plan->results[r];
    if (!memory || is_of_operand(op, plan, memory)) continue;
    if (memory->kind == NR_MEMORY_CONSTANT)
      nr_remark(a->ctx, op->loc, "'%.*s' op result #%u is constant memory", NR_STR_ARG(shown), r);
    if (memory->kind == NR_MEMORY_ALLOC)
      nr_remark(a->ctx, op->loc, "'%.*s' op result #%u gets a new buffer", NR_STR_ARG(shown), r);
  }
}

void nr_analysis_explain(const NrAnalysis *a) {
  NrBuf text = {0};
  for (size_t n = 1; n < a->ops.size; n++) {
    const NrOp *op = a->ops.data[n];
    const NrOpPlan *plan = a->plans.data[n];
    if (!plan) continue;
    for (size_t i = 0; i < op->num_operands; i++) explain_operand(a, op, plan, i, &text);
    explain_results(a, op, plan);
  }
  nr_diag_flush(a->ctx);
  nr_buf_deinit(&text);
}
