/* program.c - the interpreter as a NoriaModule for the runtime, and as a constant folder. */
#include <pthread.h>
#include <unistd.h>

#include "base/guard.h"
#include "dialect/flow/flow.h"
#include "dialect/func/ops.h"
#include "dialect/onnx/dtype.h"
#include "dialect/rt/rt.h"
#include "dialect/shared/shaped.h"
#include "interp/internal.h"

struct NrInterpProgram {
  NrInterp in;
  pthread_mutex_t lock; /* protects the other fields during a run */
  NrOp *func;
  NrArena arena;
  NoriaModule module;
  NR_VEC(NoriaConstant) constants; /* the program itself, then its parameters */
  NR_VEC(NoriaParameterInfo) parameters;
  NR_VEC(NoriaSite) sites;
  NR_VEC(const char *) imports;
  NrHeap *heap;         /* the heap of the module, or NULL */
  bool broken;          /* an internal error abandoned a run */
  char fault_text[2 * NR_FAULT_TEXT];
};

/* ---- tables ---- */

static const char *place_of(NrInterpProgram *p, const NrOp *op) {
  NrBuf place = {0};
  NrStr node = nr_op_attr_str(op, NR_A_node);
  if (node.size) nr_buf_printf(&place, "node '%.*s'", NR_STR_ARG(node));
  else nr_loc_place(op->loc, &place);
  const char *kept = nr_str_copy(&p->arena, (NrStr){place.data, place.size}).data;
  nr_buf_deinit(&place);
  return kept;
}

/* The import that an op calls; empty: none. */
static NrStr import_of(const NrOp *op, NrArena *arena) {
  if (nr_op_is(op, NR_OP_flow_call))
    return nr_str(nr_arena_printf(arena, "@%.*s", NR_STR_ARG(nr_op_attr_str(op, NR_A_callee))));
  if (nr_flow_import(op)) return nr_str(nr_flow_import(op));
  if (nr_op_is(op, NR_OP_flow_tensor_trace)) return NR_STR("trace");
  if (!nr_op_is(op, NR_OP_rt_call)) return (NrStr){0};
  NrStr name = nr_op_attr_str(op, NR_A_name);
  return nr_str_is(name, "tensor_grow") ? (NrStr){0} : name;
}

static void add_site(NrInterpProgram *p, NrOp *op, NrStr text) {
  NoriaSite site = {place_of(p, op), nr_str_copy(&p->arena, text).data};
  nr_vec_push(&p->sites, site);
  nr_map_set(&p->in.sites, op, (void *)(uintptr_t)p->sites.size);
}

/* A call of a user's function fails with its status. */
static void add_user_site(NrInterpProgram *p, NrOp *op, NrStr import) {
  NrStr name = nr_str_doubled(&p->arena, (NrStr){import.data + 1, import.size - 1}, '%');
  add_site(p, op, nr_str(nr_arena_printf(&p->arena, NR_RT_STATUS_TEXT("%%0"), NR_STR_ARG(name))));
}

static void add_parameter(NrInterpProgram *p, NrAttr value) {
  NrType t = value->type;
  if (nr_map_get(&p->in.parameters, value) || !nr_type_has_static_shape(t)) return;
  NoriaParameterInfo info = {.scope = nr_str_copy(&p->arena, value->items[0]->s).data,
                             .key = nr_str_copy(&p->arena, value->items[1]->s).data,
                             .dims = nr_arena_copy(&p->arena, t->dims, t->rank * sizeof *t->dims),
                             .dtype = nr_dtype_of_parameter(t->elem),
                             .rank = (int32_t)t->rank,
                             .constant = (int32_t)p->constants.size};
  NoriaConstant constant = {NULL, nr_iview_bytes(t->elem, t->dims, t->rank)};
  nr_map_set(&p->in.parameters, value, (void *)(uintptr_t)p->constants.size);
  nr_vec_push(&p->constants, constant);
  nr_vec_push(&p->parameters, info);
}

static bool collect(NrOp *op, void *user) {
  NrInterpProgram *p = user;
  for (uint32_t i = 0; i < op->num_attrs; i++)
    if (nr_attr_is_parameter(op->attrs[i].value)) add_parameter(p, op->attrs[i].value);
  NrStr name = import_of(op, &p->arena);
  bool asks = nr_op_is(op, NR_OP_rt_poll) || nr_op_is(op, NR_OP_rt_check);
  bool calls = nr_op_is(op, NR_OP_rt_call) && (nr_op_attr(op, NR_A_node) || nr_op_attr(op, NR_A_text));
  bool ends = op == p->func || (nr_op_has(op, NR_RETURN_LIKE) && nr_op_parent(op) == p->func);
  if (asks || ends || nr_flow_import(op) || calls)
    add_site(p, op, nr_op_attr_str(op, NR_A_text));
  if (nr_op_is(op, NR_OP_flow_tensor_trace)) add_site(p, op, nr_flow_trace_text(&p->arena, op));
  if (name.size && name.data[0] == '@') add_user_site(p, op, name);
  if (name.size) {
    size_t i = 0;
    while (i < p->imports.size && !nr_str_is(name, p->imports.data[i])) i++;
    if (i == p->imports.size) nr_vec_push(&p->imports, nr_str_copy(&p->arena, name).data);
    nr_map_set(&p->in.imports, op, (void *)(uintptr_t)(i + 1));
  }
  return true;
}

static NoriaValueInfo value_info(NrInterpProgram *p, NrAttr dict) {
  NrAttr dims = nr_dict_get(dict, "dims"), names = nr_dict_get(dict, "dim_names");
  NoriaValueInfo info = {.rank = -1};
  int64_t number;
  NrAttr name = nr_dict_get(dict, "name");
  info.name = name ? nr_str_copy(&p->arena, name->s).data : "";
  if (nr_attr_is_int(nr_dict_get(dict, "dtype"), &number)) info.dtype = (int32_t)number;
  if (nr_attr_is_int(nr_dict_get(dict, "kind"), &number)) info.kind = (int32_t)number;
  if (nr_attr_is_int(nr_dict_get(dict, "item_kind"), &number)) info.item_kind = (int32_t)number;
  if (nr_attr_is_int(nr_dict_get(dict, "key_dtype"), &number)) info.key_dtype = (int32_t)number;
  if (!dims) return info;
  info.rank = (int32_t)(dims->data_size / sizeof(int64_t));
  info.dims = nr_arena_copy(&p->arena, dims->data, dims->data_size);
  const char **list = NR_NEW_ARRAY(&p->arena, const char *, (size_t)info.rank);
  for (int32_t i = 0; names && i < info.rank && (size_t)i < names->size; i++)
    list[i] = names->items[i]->s.size ? nr_str_copy(&p->arena, names->items[i]->s).data : NULL;
  info.dim_names = list;
  return info;
}

static const NoriaValueInfo *value_infos(NrInterpProgram *p, NrAttr list, int32_t *count) {
  *count = list ? (int32_t)list->size : 0;
  NoriaValueInfo *infos = NR_NEW_ARRAY(&p->arena, NoriaValueInfo, (size_t)*count);
  for (int32_t i = 0; i < *count; i++) infos[i] = value_info(p, list->items[i]);
  return infos;
}

/* ---- runs ---- */

static void reset(NrInterp *in) {
  nr_arena_deinit(&in->arena);
  in->steps = 0;
  in->failed = false;
  in->failed_at = in->running = NULL;
  in->message[0] = 0;
}

static NrIValue from_desc(NrType t, const NoriaDesc *d) {
  if (nr_type_is_shaped(t)) return (NrIValue){.view = nr_iview_borrow(t->elem, d->dims, (size_t)d->rank, d->data)};
  return d->rank < 0 ? (NrIValue){.bits = d->bits} : (NrIValue){.handle = d->data};
}

/* A result of func. */
static bool to_desc(NrInterp *in, NrOp *func, NrType t, NrIValue v, NoriaDesc *out) {
  *out = (NoriaDesc){.rank = -1, .bits = v.bits};
  if (!v.view) {
    if (!nr_type_is_scalar(t) || t->kind == NR_TYPE_onnx_string) *out = (NoriaDesc){.data = v.handle};
    return true;
  }
  out->rank = (int64_t)v.view->rank;
  memcpy(out->dims, v.view->dims, v.view->rank * sizeof *out->dims);
  nr_ibuffer_discharge(v.view->buffer); /* it becomes the run's output, which the runtime counts */
  out->data = in->exec->api->alloc(in->exec, nr_iview_bytes(v.view->elem, v.view->dims, v.view->rank));
  if (!out->data) return nr_interp_fail_reported(in, func);
  nr_iview_copy_out(in, v.view, out->data);
  return true;
}

static bool run(NrInterpProgram *p, NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NrInterp *in = &p->in;
  NrType type = nr_op_attr(p->func, NR_A_function_type)->type;
  NrIValue *args = nr_calloc(type->num_inputs, sizeof *args), *results = nr_calloc(type->num_results, sizeof *results);
  reset(in);
  in->exec = exec;
  in->running = p->func;
  for (uint32_t i = 0; i < type->num_inputs; i++) args[i] = from_desc(type->inputs[i], &inputs[i]);
  bool ok = nr_interp_initialize(in) && nr_run_func(in, p->func, args, type->num_inputs, results, type->num_results);
  for (uint32_t i = 0; i < type->num_results; i++) {
    ok = ok && to_desc(in, p->func, type->results[i], results[i], &outputs[i]);
    nr_iview_release(results[i].view);
  }
  nr_free(args);
  nr_free(results);
  if (!ok && in->failed_at) {
    /* The last site is for the interpreter's own failures: its text is the message, unless the runtime has it. */
    NoriaSite *site = &p->sites.data[p->sites.size - 1];
    site->place = place_of(p, in->failed_at);
    site->text = nr_str_doubled(&p->arena, nr_str(in->message), '%').data;
    exec->api->fail(exec, (int32_t)p->sites.size - 1, 0, 0, 0, 0);
  }
  in->exec = NULL;
  return ok;
}

typedef struct Run {
  NrInterpProgram *p;
  NoriaExec *exec;
  const NoriaDesc *inputs;
  NoriaDesc *outputs;
  bool ok;
} Run;

static void run_guarded(void *user) {
  Run *r = user;
  nr_guard_step("the interpreter", false);
  r->ok = run(r->p, r->exec, r->inputs, r->outputs);
}

static int32_t fail_broken(NrInterpProgram *p, NoriaExec *exec) {
  NoriaSite *site = &p->sites.data[p->sites.size - 1];
  *site = (NoriaSite){"", p->fault_text};
  exec->api->fail(exec, (int32_t)p->sites.size - 1, 0, 0, 0, 0);
  return NORIA_RESULT_INTERNAL;
}

/* Sets the location for a message without one: that of op, the function or its return. */
static void leave_place(NrInterpProgram *p, NoriaExec *exec, const NrOp *op) {
  exec->place = (int32_t)(uintptr_t)nr_map_get(&p->in.sites, op) - 1;
}

/* Puts the state of a run in place of another. The other fields belong to the program, and may be read without the lock
 * (sites) or are changed by all runs (globals, what was expanded). */
static void take_run(NrInterp *to, const NrInterp *run) {
  to->exec = run->exec;
  to->arena = run->arena;
  to->cells = run->cells;
  to->loop_indices = run->loop_indices;
  to->steps = run->steps;
  memcpy(to->workgroup, run->workgroup, sizeof to->workgroup);
  memcpy(to->grid, run->grid, sizeof to->grid);
  to->exit = run->exit;
  to->exit_values = run->exit_values;
  to->ended_by = run->ended_by;
  to->failed_at = run->failed_at;
  memcpy(to->message, run->message, sizeof to->message);
  to->running = run->running;
  to->failed = run->failed;
}

/* Whether the function waits for other ranks. */
static bool waits(const char *name) { return !strcmp(name, "collective") || !strcmp(name, "channel_split"); }

bool nr_interp_import(NrInterp *in, size_t index, const NoriaDesc *args, NoriaDesc *results) {
  NrInterpProgram *p = in->program;
  NoriaImportFn fn = in->exec->imports[index];
  if (!waits(p->imports.data[index])) return fn(in->exec, args, results) == 0;
  NrInterp run = *in, none = {0};
  /* The program's heap is for one thread at a time: without a guard, this thread allocates elsewhere. */
  NrDoor *guard = nr_guard_now;
  take_run(in, &none);
  nr_guard_now = NULL;
  pthread_mutex_unlock(&p->lock);
  bool ok = fn(run.exec, args, results) == 0;
  pthread_mutex_lock(&p->lock);
  nr_guard_now = guard;
  reset(in);
  nr_map_deinit(&in->cells);
  nr_map_deinit(&in->loop_indices);
  take_run(in, &run);
  if (p->broken)
    return nr_interp_fail(in, in->running, "cannot go on, because another run ended with an internal error");
  return ok;
}

/* The interpreter has one state, so runs of several threads are serialized; a run's limits also apply while it
 * waits. */
static int32_t entry(NoriaExec *exec, const NoriaDesc *inputs, NoriaDesc *outputs) {
  NrInterpProgram *p = (NrInterpProgram *)exec->constants[0];
  Run r = {p, exec, inputs, outputs, false};
  NrFault fault;
  leave_place(p, exec, p->func);
  while (pthread_mutex_trylock(&p->lock)) {
    if (exec->api->poll(exec, 0)) return 1;
    usleep(200);
  }
  exec->place = -1; /* failures in the run set their own location */
  if (!p->broken && !nr_guard_run(p->heap, run_guarded, &r, &fault)) {
    p->broken = true;
    char *to = p->fault_text;
    for (const char *c = fault.text; *c; c++) { /* %% is a % in the text of a site */
      if (*c == '%') *to++ = '%';
      *to++ = *c;
    }
  }
  int32_t result = p->broken ? fail_broken(p, exec) : r.ok ? 0 : 1;
  if (!result) leave_place(p, exec, p->in.ended_by);
  pthread_mutex_unlock(&p->lock);
  return result;
}

/* ---- programs ---- */

static NrOp *find_entry(NrModule *module, const char *name) {
  NrOp *first = NULL, *marked = NULL;
  for (NrOp *op = nr_op_only_body(module->op)->first; op; op = op->next) {
    if (!nr_op_has(op, NR_FUNCTION) || !nr_op_only_body(op)) continue;
    if (name && nr_str_is(nr_op_attr_str(op, NR_A_sym_name), name)) return op;
    if (!first) first = op;
    if (!marked && nr_op_attr(op, NR_A_noria_entry)) marked = op;
  }
  return name ? NULL : marked ? marked : first;
}

static bool link_dispatch(NrOp *op, void *user) {
  if (nr_op_is(op, NR_OP_flow_dispatch) && nr_flow_dispatch_link(op)) *(NrStatus *)user = NR_ERROR_INVALID;
  return true;
}

NrStatus nr_interp_create(NrModule *module, const char *name, const NrInterpOptions *options, NrInterpProgram **out) {
  NrStatus links = NR_OK;
  *out = NULL;
  nr_walk_pre(module->op, link_dispatch, &links);
  if (links) return links;
  NrOp *func = find_entry(module, name);
  if (!func) return nr_error(module->ctx, NULL, "the module has no function '%s' with a body", name ? name : "");
  NrInterpProgram *p = nr_calloc(1, sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  p->func = func;
  p->heap = nr_heap_current();
  p->in.ctx = module->ctx;
  p->in.module = module;
  p->in.program = p;
  p->in.max_steps = options ? options->max_steps : 0;
  p->in.hostile = options && options->hostile;
  NoriaConstant self = {p, (int64_t)sizeof *p};
  nr_vec_push(&p->constants, self);
  nr_walk_pre(module->op, collect, p);
  NoriaSite own = {"", ""};
  nr_vec_push(&p->sites, own);
  p->module = (NoriaModule){.abi_version = NORIA_ABI_VERSION,
                            .num_constants = (int32_t)p->constants.size,
                            .constants = p->constants.data,
                            .num_parameters = (int64_t)p->parameters.size,
                            .parameters = p->parameters.data,
                            .num_imports = (int32_t)p->imports.size,
                            .imports = p->imports.data,
                            .num_sites = (int32_t)p->sites.size,
                            .sites = p->sites.data,
                            .name = nr_str_copy(&p->arena, nr_op_attr_str(func, NR_A_sym_name)).data,
                            .entry = entry};
  p->module.inputs = value_infos(p, nr_op_attr(func, NR_A_noria_inputs), &p->module.num_inputs);
  p->module.outputs = value_infos(p, nr_op_attr(func, NR_A_noria_outputs), &p->module.num_outputs);
  *out = p;
  return NR_OK;
}

const NoriaModule *nr_interp_module(const NrInterpProgram *program) { return &program->module; }
NrOp *nr_interp_func(const NrInterpProgram *program) { return program->func; }
bool nr_interp_is_broken(const NrInterpProgram *program) { return program->broken; }

static void deinit(NrInterp *in) {
  for (size_t i = 0; i < in->global_views.size; i++) nr_iview_release(in->global_views.data[i]);
  nr_vec_deinit(&in->global_views);
  nr_interp_drop_globals(in);
  nr_map_deinit(&in->cells);
  nr_map_deinit(&in->loop_indices);
  nr_map_deinit(&in->scalar_forms);
  nr_map_deinit(&in->expansions);
  nr_map_deinit(&in->globals);
  nr_map_deinit(&in->sites);
  nr_map_deinit(&in->imports);
  nr_map_deinit(&in->parameters);
  nr_arena_deinit(&in->arena);
}

void nr_interp_destroy(NrInterpProgram *program) {
  if (!program) return;
  pthread_mutex_destroy(&program->lock);
  deinit(&program->in);
  nr_vec_deinit(&program->sites);
  nr_vec_deinit(&program->imports);
  nr_vec_deinit(&program->constants);
  nr_vec_deinit(&program->parameters);
  nr_arena_deinit(&program->arena);
  nr_free(program);
}

/* ---- folding ---- */

static bool release_op(NrOp *op, void *user) {
  NrInterp *in = user;
  for (uint32_t i = 0; i < op->num_results; i++) nr_set(in, nr_result(op, i), (NrIValue){0});
  for (uint32_t r = 0; r < op->num_regions; r++)
    for (NrBlock *b = op->regions[r].first; b; b = b->next)
      for (uint32_t i = 0; i < b->num_args; i++) nr_set(in, b->args[i], (NrIValue){0});
  return true;
}

bool nr_interp_fold(NrOp *op, const NrAttr *operands, int64_t max_steps, NrAttr *out) {
  NrInterp in = {.ctx = nr_op_context(op), .module = op->module, .max_steps = max_steps, .running = op};
  NrInterpFn fn = nr_interp_find(op->info->id);
  bool ok = nr_interp_has_room(&in, op);
  for (uint32_t i = 0; i < op->num_operands && ok; i++) {
    if (!operands[i]) continue;
    NrIValue value = nr_ivalue_of_attr(&in, operands[i]);
    ok = value.view || !nr_attr_is_elements(operands[i]);
    nr_set(&in, nr_operand(op, i), value);
  }
  ok = ok && (fn ? fn(&in, op) : nr_interp_scalar(&in, op)) && !in.failed;
  for (uint32_t i = 0; i < op->num_results && ok; i++)
    ok = (out[i] = nr_ivalue_to_attr(&in, nr_result(op, i)->type, nr_get(&in, nr_result(op, i)))) != NULL;
  nr_walk_post(op, release_op, &in);
  for (uint32_t i = 0; i < op->num_operands; i++) nr_set(&in, nr_operand(op, i), (NrIValue){0});
  deinit(&in);
  return ok;
}
