/* dense.c - dense results of the function; see output.c.
 *
 * A dense result is written anywhere, and starts as zeros unless each element is written. */
#include "sparse/lower.h"

static const NrSparseTensor *result(const NrGenerator *s) { return &s->a->tensors[0]; }
static size_t level_index(const NrGenerator *s, size_t l) { return nr_level_index(s->a, 0, l); }

/* "tensor<?x?xf64>", or a memref. */
static const char *shaped_type(NrGenerator *s, const char *kind) {
  const char *text = nr_gen_text(s, "%s<", kind);
  for (size_t l = 0; l < result(s)->order; l++) text = nr_gen_text(s, "%s?x", text);
  return nr_gen_text(s, "%s%s>", text, s->type);
}

const char *nr_dense_type(NrGenerator *s) { return shaped_type(s, "tensor"); }

/* Elements that are added to often are in memory of their own: inner loops over them have no checks, so they can be
 * vectorized. The tensor is a copy of it. */
static void begin_memory(NrGenerator *s, const NrLoopValue *sizes, const char *text) {
  const char *name = nr_gen_text(s, "%.*s_mem", NR_STR_ARG(result(s)->name)), *type = shaped_type(s, "memref");
  s->out.in_memory = true;
  if (s->a->adds) {
    s->out.values = nr_gen_op1(
        s, name, nr_gen_text(s, "bufferization.to_buffer $0 : %s to %s", shaped_type(s, "tensor"), type),
        s->arrays[0].values);
    return;
  }
  s->out.values = nr_loops_op(&s->l, name, nr_gen_text(s, "memref.alloc(%s) : %s", text, type), sizes,
                              result(s)->order);
  NR_LOOPS_OP(&s->l, NULL, nr_gen_text(s, "linalg.fill ins($0 : %s) outs($1 : %s)", s->type, type), s->zero,
              s->out.values);
}

void nr_dense_end(NrGenerator *s) {
  const char *name = nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name)), *type = shaped_type(s, "memref");
  const char *tensor = shaped_type(s, "tensor");
  NrLoopValue made = nr_gen_op1(s, name, nr_gen_text(s, "bufferization.to_tensor $0 restrict : %s to %s", type, tensor),
                                s->out.values);
  if (!s->a->adds) nr_gen_op1(s, NULL, nr_gen_text(s, "memref.dealloc $0 : %s", type), s->out.values);
  s->out.values = nr_loops_variable(&s->l, name, tensor, made);
}

void nr_dense_begin(NrGenerator *s) {
  const char *type = shaped_type(s, "tensor"), *name = nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name)), *sizes = "";
  NrLoopValue operands[NR_SPARSE_MAX_ORDER + 1], start = s->arrays[0].values;
  size_t order = result(s)->order;
  if (!order) {
    s->out.values = nr_loops_variable(&s->l, name, s->type, s->a->adds ? start : s->zero);
    return;
  }
  for (size_t l = 0; l < order; l++) {
    operands[l] = s->extent[level_index(s, l)];
    sizes = nr_gen_text(s, "%s%s$%zu", sizes, l ? ", " : "", l);
  }
  if (nr_output_scatters(s)) {
    begin_memory(s, operands, sizes);
    return;
  }
  if (!s->a->adds) {
    start = nr_loops_op(&s->l, nr_gen_text(s, "%s_empty", name), nr_gen_text(s, "tensor.empty(%s) : %s", sizes, type),
                        operands, order);
    if (!nr_gen_visits_all(s))
      start = nr_gen_op2(s, nr_gen_text(s, "%s_zero", name),
                         nr_gen_text(s, "linalg.fill ins($0 : %s) outs($1 : %s) -> %s", s->type, type, type), s->zero,
                         start);
  }
  s->out.values = nr_loops_variable(&s->l, name, type, start);
}

void nr_dense_put(NrGenerator *s, NrLoopValue value) {
  size_t order = result(s)->order;
  NrLoopValue operands[NR_SPARSE_MAX_ORDER + 2] = {s->out.values, value};
  const char *places = "", *type = shaped_type(s, "tensor");
  const char *hint = nr_gen_text(s, "%.*s", NR_STR_ARG(result(s)->name));
  for (size_t l = 0; l < order; l++) {
    operands[l + 2] = s->coordinate[level_index(s, l)];
    places = nr_gen_text(s, "%s%s$%zu", places, l ? ", " : "", l + 2);
  }
  if (s->out.in_memory) {
    const char *memory = shaped_type(s, "memref");
    NrLoopValue old = nr_loops_op(&s->l, "old", nr_gen_text(s, "memref.load $0[%s] : %s", places, memory), operands,
                                  order + 2);
    operands[1] = nr_gen_add(s, old, value);
    nr_loops_op(&s->l, NULL, nr_gen_text(s, "memref.store $1, $0[%s] : %s", places, memory), operands, order + 2);
    return;
  }
  if (nr_output_scatters(s) || s->a->adds) {
    NrLoopValue old = order ? nr_loops_op(&s->l, "old", nr_gen_text(s, "tensor.extract $0[%s] : %s", places, type),
                                          operands, order + 2)
                            : nr_loops_read(&s->l, s->out.values);
    operands[1] = nr_gen_add(s, old, value);
  }
  NrLoopValue made = order ? nr_loops_op(&s->l, hint, nr_gen_text(s, "tensor.insert $1 into $0[%s] : %s", places, type),
                                         operands, order + 2)
                           : operands[1];
  nr_loops_assign(&s->l, s->out.values, made);
}
