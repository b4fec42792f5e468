/* check_model.c - `noria check`: whether a model runs, what is in it, what is unusual, and where time is likely to go.
 * The model is compiled as far as machine code; in the middle of that, its ops are looked at. */
#include <stdio.h>
#include <stdlib.h>

#include "contents.h"
#include "dialect/linalg/linalg.h"
#include "dialect/shared/shaped.h"
#include "job.h"
#include "target/cost.h"
#include "tools.h"

static const char help[] =
    "usage: noria check [options] MODEL.onnx\n"
    "\n"
    "Says which operators the model holds, with the versions of their operator sets, what is unusual about it, where\n"
    "the time of a run is likely to go, and whether it will run. The estimates are of one thread; dims that are not\n"
    "known count as 1, and a loop whose trips are not known as 16 of them.\n"
    "The exit status is 0 if the model runs, and 1 if it does not.\n"
    "\n"
    "  --shape N=16, --shape x=1x3x224x224\n"
    "              fixes a symbol, or the dims of an input\n"
    "  --cpu=NAME  estimates for another CPU (native)\n"
    "\n"
    "examples:\n"
    "  noria check model.onnx\n"
    "  noria check model.onnx --shape N=8\n";

enum { MOST_LINES = 10 /* of a list */, LARGE_WEIGHTS = 512 << 20, LARGE_WEIGHT = 64 << 20 };

/* A node of the model. */
typedef struct Node {
  NrStr name;
  const char *op; /* "Conv" */
  double ns;
  bool unknown_rank, sized_by_data;
} Node;

typedef struct Check {
  const NrTarget *target;
  NrStrMap index; /* name -> position in nodes + 1 */
  NR_VEC(Node) nodes;
  NrMap by_data; /* value -> whether it, or its shape, depends on data: NO or YES */
  bool open_sizes; /* some sizes are not known */
} Check;
enum { NO = 1, YES = 2 };

static Node *node_of(Check *c, const NrOp *op) {
  size_t at = (size_t)(uintptr_t)nr_strmap_get(&c->index, nr_loc_first_name(op->loc));
  return at ? &c->nodes.data[at - 1] : NULL;
}

/* ---- stage shape: the nodes, and ranks --------------------------------------------------------------------------- */

static bool note_node(NrOp *op, void *user) {
  Check *c = user;
  NrStr name = nr_loc_first_name(op->loc);
  if (strcmp(op->info->dialect, "onnx") != 0 || nr_op_is(op, NR_OP_onnx_NoValue) || !name.size) return true;
  if (!nr_strmap_has(&c->index, name)) {
    nr_vec_push(&c->nodes, ((Node){.name = name, .op = op->info->name}));
    nr_strmap_set(&c->index, name, (void *)(uintptr_t)c->nodes.size);
  }
  for (uint32_t i = 0; i < op->num_results; i++) {
    const NrValue *result = nr_result(op, i);
    bool tensor = nr_type_is_tensor(result->type);
    if (nr_value_has_uses(result) && tensor && !nr_type_is_ranked(result->type)) node_of(c, op)->unknown_rank = true;
  }
  return true;
}

/* ---- stage tensor: sizes and costs ------------------------------------------------------------------------------- */

static bool depends_on_data(Check *c, NrValue *v);

static bool operands_depend(Check *c, NrOp *op) {
  if (nr_op_is(op, NR_OP_tensor_dim)) return depends_on_data(c, nr_operand(op, 0));
  bool tensor = nr_type_is_tensor(op->results[0].type), runs = op->num_regions && !nr_linalg_is_structured(op);
  if (!tensor && (runs || nr_op_is(op, NR_OP_tensor_extract))) return true; /* from a loop or branch; an element */
  if (!runs && !nr_op_is_pure(op)) return true;                            /* from a function */
  for (uint32_t i = 0; i < op->num_operands; i++) {
    NrValue *operand = nr_operand(op, i);
    if ((!runs || nr_type_is_tensor(operand->type)) && depends_on_data(c, operand)) return true;
  }
  return false;
}

/* Whether a number, or the shape of a tensor, depends on elements of tensors. What a loop carries does. */
static bool depends_on_data(Check *c, NrValue *v) {
  if (nr_type_is_tensor(v->type) && nr_type_has_static_shape(v->type)) return false;
  if (!v->op) return !nr_type_is_tensor(v->type);
  uintptr_t known = (uintptr_t)nr_map_get(&c->by_data, v);
  if (known) return known == YES;
  nr_map_set(&c->by_data, v, (void *)(uintptr_t)NO);
  bool depends = operands_depend(c, v->op);
  nr_map_set(&c->by_data, v, (void *)(uintptr_t)(depends ? YES : NO));
  return depends;
}

static bool note_size(NrOp *op, void *user) {
  Check *c = user;
  Node *node = nr_op_is(op, NR_OP_tensor_empty) ? node_of(c, op) : NULL;
  if (node && depends_on_data(c, nr_op_result(op))) node->sized_by_data = true;
  return true;
}

static void add_costs(Check *c, NrBlock *block, double times) {
  for (NrOp *op = block->first; op; op = op->next) {
    bool known = true;
    double ns = 0;
    if (nr_linalg_is_structured(op)) {
      ns = nr_cost_structured_ns(c->target, op, &known);
      c->open_sizes |= !known;
    } else if (op->num_regions) {
      for (uint32_t r = 0; r < op->num_regions; r++)
        for (NrBlock *inner = op->regions[r].first; inner; inner = inner->next)
          add_costs(c, inner, nr_op_has(op, NR_FUNCTION) ? 1 : times * nr_cost_trips(op));
    } else if (!nr_op_has(op, NR_CONSTANT_LIKE) && !nr_op_has(op, NR_TERMINATOR)) {
      ns = nr_cost_ns(c->target, nr_cost_of_op(c->target, op, false), 0);
    }
    Node *node = node_of(c, op);
    if (node) node->ns += ns * times;
  }
}

static NrStatus after_stage(void *user, NrModule *module, const char *name) {
  Check *c = user;
  if (strcmp(name, "shape") == 0) nr_walk_pre(module->op, note_node, c);
  if (strcmp(name, "tensor") == 0) {
    nr_walk_pre(module->op, note_size, c);
    add_costs(c, nr_op_only_body(module->op), 1);
    nr_map_clear(&c->by_data); /* later passes erase the values */
  }
  return NR_OK;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void put_bytes(NrBuf *out, int64_t bytes) {
  if (bytes < 1000) nr_buf_printf(out, "%lld bytes", (long long)bytes);
  else if (bytes < 1000000) nr_buf_printf(out, "%.1f kB", (double)bytes / 1e3);
  else nr_buf_printf(out, "%.1f MB", (double)bytes / 1e6);
}

static void put_contents(NrBuf *out, Contents *c) {
  const NrOnnxModel *m = c->model;
  nr_buf_printf(out, "IR version %lld%s%.*s %.*s\n", (long long)m->ir_version, m->producer_name.size ? ", by " : "",
                NR_STR_ARG(m->producer_name), NR_STR_ARG(m->producer_version));
  counts_put(out, "operators", &c->ops);
  nr_buf_printf(out, "weights\n  %lld tensors, ", (long long)c->weights);
  put_bytes(out, c->weight_bytes);
  if (c->largest) {
    nr_buf_puts(out, "; the largest has ");
    put_bytes(out, (int64_t)c->largest->size);
  }
  nr_buf_putc(out, '\n');
}

static void put_open_dims(NrBuf *out, const NrOnnxGraph *g) {
  for (size_t i = 0; i < g->num_inputs; i++) {
    const NrOnnxType *t = g->inputs[i].type;
    NrBuf dims = {0};
    for (size_t k = 0; t->kind == NR_ONNX_TYPE_TENSOR && t->has_shape && k < t->rank; k++)
      if (t->dims[k].kind != NR_ONNX_DIM_VALUE)
        nr_buf_printf(&dims, "%s%.*s", dims.size ? ", " : "",
                      NR_STR_ARG(t->dims[k].kind == NR_ONNX_DIM_SYMBOL ? t->dims[k].symbol : NR_STR("?")));
    if (t->kind == NR_ONNX_TYPE_TENSOR && !t->has_shape)
      nr_buf_printf(out, "  input '%.*s' may have any rank\n", NR_STR_ARG(g->inputs[i].name));
    else if (dims.size)
      nr_buf_printf(out, "  input '%.*s' has open dims: %s\n", NR_STR_ARG(g->inputs[i].name), dims.data);
    nr_buf_deinit(&dims);
  }
}

static void put_nodes(NrBuf *out, const Check *c, size_t flag, const char *text) {
  size_t count = 0;
  for (size_t i = 0; i < c->nodes.size; i++) {
    const Node *n = &c->nodes.data[i];
    if (!*(const bool *)((const char *)n + flag) || ++count > MOST_LINES) continue;
    nr_buf_printf(out, "  node '%.*s' (%s): %s\n", NR_STR_ARG(n->name), n->op, text);
  }
  if (count > MOST_LINES) nr_buf_printf(out, "  %zu more nodes: %s\n", count - MOST_LINES, text);
}

static void put_unusual(NrBuf *out, const Check *c, const Contents *contents) {
  size_t before;
  nr_buf_puts(out, "unusual\n");
  before = out->size;
  if (contents->unknown) nr_buf_printf(out, "  %lld nodes have ops that are not known\n", (long long)contents->unknown);
  put_open_dims(out, contents->model->graph);
  if (contents->depth) nr_buf_printf(out, "  subgraphs are nested %zu deep\n", contents->depth);
  if (contents->weight_bytes >= LARGE_WEIGHTS || (contents->largest && contents->largest->size >= LARGE_WEIGHT))
    nr_buf_puts(out, "  the weights are large\n");
  if (contents->model->num_functions)
    nr_buf_printf(out, "  it has %zu functions of its own\n", contents->model->num_functions);
  put_nodes(out, c, offsetof(Node, unknown_rank), "the rank of its result is known in the run only");
  put_nodes(out, c, offsetof(Node, sized_by_data), "the size of its result depends on data");
  if (out->size == before) nr_buf_puts(out, "  nothing\n");
}

static int by_cost(const void *a, const void *b) {
  const Node *x = a, *y = b;
  if (x->ns != y->ns) return x->ns < y->ns ? 1 : -1;
  return nr_str_cmp(x->name, y->name);
}

static int by_op(const void *a, const void *b) { return strcmp(((const Node *)a)->op, ((const Node *)b)->op); }

/* The sums of the nodes of each op, named by it. */
static void put_time_of_ops(NrBuf *out, const Check *c, double all) {
  NR_VEC(Node) ops = {0};
  for (size_t i = 0; i < c->nodes.size; i++) {
    Node *last = ops.size ? &ops.data[ops.size - 1] : NULL;
    const Node *n = &c->nodes.data[i];
    if (!last || strcmp(last->op, n->op) != 0) nr_vec_push(&ops, ((Node){.name = nr_str(n->op), .op = n->op}));
    ops.data[ops.size - 1].ns += n->ns;
  }
  qsort(ops.data, ops.size, sizeof *ops.data, by_cost);
  for (size_t i = 0; i < ops.size && i < MOST_LINES && ops.data[i].ns >= 0.001 * all; i++)
    nr_buf_printf(out, "  %5.1f%%  %s\n", 100 * ops.data[i].ns / all, ops.data[i].op);
  nr_vec_deinit(&ops);
}

static void put_time(NrBuf *out, Check *c) {
  double all = 0;
  for (size_t i = 0; i < c->nodes.size; i++) all += c->nodes.data[i].ns;
  if (all <= 0) return;
  nr_buf_printf(out, "time, as estimated for one thread: %s%.3g ms\n", c->open_sizes ? "at least " : "", all / 1e6);
  qsort(c->nodes.data, c->nodes.size, sizeof *c->nodes.data, by_op);
  put_time_of_ops(out, c, all);
  nr_buf_puts(out, "nodes that take most of it\n");
  qsort(c->nodes.data, c->nodes.size, sizeof *c->nodes.data, by_cost);
  for (size_t i = 0; i < c->nodes.size && i < MOST_LINES && c->nodes.data[i].ns >= 0.01 * all; i++) {
    const Node *n = &c->nodes.data[i];
    nr_buf_printf(out, "  %5.1f%%  '%.*s' (%s)\n", 100 * n->ns / all, NR_STR_ARG(n->name), n->op);
  }
}

/* Compiles the model as far as machine code; 1 after a message on standard error. */
static int lower(Job *job, Check *c, NrCompilation *unit) {
  if (job_read(job, unit)) return 1;
  c->target = unit->target;
  NrPassOptions passes = {.after = after_stage, .user = c};
  NrStatus status = nr_compilation_lower(unit, &passes);
  return status ? job_report_unit(job, unit, status) : 0;
}

static int check(Job *job) {
  NrOnnxModel *model;
  NrBuf out = {0}, errors = {0};
  if (nr_onnx_read_file(job->path, &model, &errors)) {
    fprintf(stderr, "noria check: %s\n", errors.size ? errors.data : "the model cannot be read");
    nr_buf_deinit(&errors);
    return 1;
  }
  Check c = {0};
  Contents contents;
  NrCompilation unit = {0};
  contents_of_model(model, true, &contents);
  nr_buf_printf(&out, "%s: ", job->path);
  put_contents(&out, &contents);
  int status = contents.unknown ? job_read(job, &unit) : lower(job, &c, &unit);
  put_unusual(&out, &c, &contents);
  if (!status) put_time(&out, &c);
  nr_buf_printf(&out, "it %s\n", status ? "does not run" : "runs");
  fwrite(out.data, 1, out.size, stdout);
  nr_compilation_deinit(&unit);
  contents_deinit(&contents);
  nr_onnx_model_destroy(model);
  nr_strmap_deinit(&c.index);
  nr_map_deinit(&c.by_data);
  nr_vec_deinit(&c.nodes);
  nr_buf_deinit(&out);
  nr_buf_deinit(&errors);
  return status;
}

int tool_check(int argc, char **argv) {
  Job job = {.tool = "check"};
  int status = 0;
  for (int i = 1; i < argc && !status; i++) {
    if (argv[i][0] != '-' || !argv[i][1]) {
      job_take_argument(&job, argv[i]);
    } else {
      status = job_take_option(&job, argc, argv, &i);
      if (status < 0) status = tool_no_option("check", help, false, argv[i]);
    }
  }
  if (!status && job.args.size) status = tool_usage_error("check", "one model at a time");
  if (!status && !job.path && !job.help) status = tool_usage_error("check", "which model?");
  if (!status && job.help) fputs(help, stdout);
  else if (!status) status = check(&job);
  job_deinit(&job);
  return status;
}
