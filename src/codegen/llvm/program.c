/* program.c - a program as partitions that are compiled in parallel.
 *
 * The first partition has the host program, the tables and everything that may be inlined there. An executable is in
 * one partition, of its own when it is large enough. Further partitions of a large host program share, by size, the
 * functions that an rt.dispatch names, and those that are not inlined and do not call functions that may be. Partitions
 * are built sequentially, because an NrContext is used by one thread; LLVM's work on them, which is nearly all, runs in
 * parallel. Code in memory and shared libraries are divided so; other files are one partition. */
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <unistd.h>

#include "codegen/llvm/ll.h"
#include "dialect/flow/flow.h"
#include "dialect/func/func.h"

#define OPS_PER_UNIT 150 /* ops of the host program; about 40 ms of LLVM's time */
#define MAX_THREADS 8
#define PER_THREAD 3 /* partitions of the host program, and of executables: several, so that the threads end together */

/* ---- assigning functions to partitions --------------------------------------------------------------------------- */

typedef struct Function {
  NrOp *op, *executable; /* executable: the one that contains it, or NULL */
  size_t cost; /* number of ops */
  bool apart;  /* may be in any partition, as far as is known */
} Function;

typedef struct Plan {
  NrLlTables *tables;
  NR_VEC(Function) functions;
  NrMap index; /* func.func -> its index + 1 */
} Plan;

static NrOp *executable_of(NrOp *op) {
  while (op && !nr_op_is(op, NR_OP_flow_executable)) op = nr_op_parent(op);
  return op;
}

static bool collect(NrOp *op, void *user) {
  Plan *plan = user;
  if (!nr_op_is(op, NR_OP_func_func) || !nr_func_func_body(op)) return true;
  nr_vec_push(&plan->functions, ((Function){.op = op, .executable = executable_of(op)}));
  nr_map_set(&plan->index, op, (void *)plan->functions.size);
  return true;
}

/* The function that a call, dispatch or constant names; NULL for other ops and unknown functions. */
static Function *callee(Plan *plan, NrOp *op) {
  NrAttr symbol = nr_op_is(op, NR_OP_rt_dispatch) ? nr_op_attr(op, NR_A_entry)
                  : nr_op_is(op, NR_OP_func_call) ? nr_op_attr(op, NR_A_callee)
                  : nr_op_is(op, NR_OP_func_constant) ? nr_op_attr(op, NR_A_value)
                                                      : NULL;
  if (!symbol) return NULL;
  NrOp *func = nr_flow_function(nr_symbol_find(&plan->tables->symbols, op, symbol));
  uintptr_t index = func ? (uintptr_t)nr_map_get(&plan->index, func) : 0;
  return index ? &plan->functions.data[index - 1] : NULL;
}

#define FOR_EACH_OP(op, function)                                                                                      \
  for (NrBlock *block_ = nr_func_func_body(function); block_; block_ = block_->next)                                   \
    for (NrOp *op = block_->first; op; op = op->next)

static int larger_first(const void *a, const void *b) {
  const Function *x = a, *y = b;
  return x->cost < y->cost ? 1 : x->cost > y->cost ? -1 : 0;
}

static size_t num_threads(const NrCodegenOptions *options) {
  long cpus = options->threads > 0 ? options->threads : nr_machine_cpus();
  return (size_t)NR_MIN(NR_MAX(cpus, 1), MAX_THREADS);
}

/* One thread has nothing to share with others, and a partition costs LLVM about 8 ms. */
static size_t most_partitions(const NrCodegenOptions *options) {
  size_t threads = num_threads(options);
  return threads == 1 ? 1 : PER_THREAD * threads;
}

/* The number of partitions of the host program. */
static size_t host_partitions(const Plan *plan, const NrCodegenOptions *options) {
  size_t ops = 0, apart = 0;
  for (size_t i = 0; i < plan->functions.size; i++) {
    if (!plan->functions.data[i].apart || plan->functions.data[i].executable) continue;
    ops += plan->functions.data[i].cost;
    apart++;
  }
  return NR_MAX(NR_MIN(NR_MIN(most_partitions(options), ops / OPS_PER_UNIT), apart), 1);
}

static bool is_not_inlined(const NrOp *func) {
  return nr_op_attr(func, NR_A_no_inline) && !nr_op_attr(func, NR_A_noria_entry);
}

static void find_apart(Plan *plan) {
  for (size_t i = 0; i < plan->functions.size; i++) {
    Function *f = &plan->functions.data[i];
    f->apart = f->executable || is_not_inlined(f->op); /* so no wrapper is: tables in the first partition name them */
    FOR_EACH_OP(op, f->op) {
      Function *to = nr_op_is(op, NR_OP_func_call) ? callee(plan, op) : NULL;
      f->cost++;
      if (to && !f->executable && !is_not_inlined(to->op)) f->apart = false;
    }
  }
  for (size_t i = 0; i < plan->functions.size; i++)
    FOR_EACH_OP(op, plan->functions.data[i].op) {
      Function *to = nr_op_is(op, NR_OP_rt_dispatch) ? callee(plan, op) : NULL;
      if (to) to->apart = true;
    }
}

/* For executables, which are not divided: small ones share a partition where there are more of them than partitions are
 * wanted. */
typedef struct Grouping {
  NrMap partitions; /* flow.executable -> its partition + 1 */
  size_t count;     /* partitions so far */
  size_t last_ops;  /* ops of the last partition of executables; SIZE_MAX when there is none yet */
  size_t enough;    /* target number of ops of a partition */
} Grouping;

static size_t partition_of(Grouping *g, const Function *f) {
  size_t known = (uintptr_t)nr_map_get(&g->partitions, f->executable);
  if (!known) {
    bool is_new = g->last_ops >= g->enough;
    if (is_new) g->count++;
    if (is_new) g->last_ops = 0;
    known = g->count;
    nr_map_set(&g->partitions, f->executable, (void *)known);
  }
  if (known == g->count) g->last_ops += f->cost;
  return known - 1;
}

/* Assigns the functions, larger ones first, to partitions; returns the number of partitions. */
static size_t assign(Plan *plan, const NrCodegenOptions *options, NrMap *func_partition) {
  size_t host = host_partitions(plan, options), load[PER_THREAD * MAX_THREADS] = {0};
  Grouping executables = {.count = host, .last_ops = SIZE_MAX};
  for (size_t i = 0; i < plan->functions.size; i++) {
    const Function *f = &plan->functions.data[i];
    if (!f->apart) load[0] += f->cost;
    if (f->executable) executables.enough += f->cost;
  }
  executables.enough = NR_MAX(executables.enough / most_partitions(options), OPS_PER_UNIT);
  for (size_t i = 0; i < plan->functions.size; i++) {
    Function *f = &plan->functions.data[i];
    size_t partition = 0;
    if (f->executable) partition = partition_of(&executables, f);
    for (size_t u = 1; u < host && f->apart && !f->executable; u++)
      if (load[u] < load[partition]) partition = u;
    if (f->apart && !f->executable) load[partition] += f->cost;
    nr_map_set(func_partition, f->op, (void *)(partition + 1));
  }
  nr_map_deinit(&executables.partitions);
  return executables.count;
}

static void note_outside_calls(Plan *plan, NrLlTables *tables) {
  for (size_t i = 0; i < plan->functions.size; i++) {
    Function *f = &plan->functions.data[i];
    void *here = nr_map_get(&tables->func_partition, f->op);
    FOR_EACH_OP(op, f->op) {
      Function *to = callee(plan, op);
      if (to && nr_map_get(&tables->func_partition, to->op) != here) nr_map_set(&tables->outside_calls, to->op, to->op);
    }
  }
}

/* Fills tables->func_partition and outside_calls; returns the number of partitions. */
static size_t plan_partitions(NrModule *module, const NrCodegenOptions *options, bool divide, NrLlTables *tables) {
  Plan plan = {.tables = tables};
  size_t partitions = 1;
  nr_walk_pre(module->op, collect, &plan);
  if (divide) {
    find_apart(&plan);
    if (plan.functions.size) qsort(plan.functions.data, plan.functions.size, sizeof(Function), larger_first);
    for (size_t i = 0; i < plan.functions.size; i++)
      nr_map_set(&plan.index, plan.functions.data[i].op, (void *)(i + 1));
    partitions = assign(&plan, options, &tables->func_partition);
    note_outside_calls(&plan, tables);
  } else {
    for (size_t i = 0; i < plan.functions.size; i++)
      nr_map_set(&tables->func_partition, plan.functions.data[i].op, (void *)1);
  }
  nr_vec_deinit(&plan.functions);
  nr_map_deinit(&plan.index);
  return partitions;
}

/* ---- building --------------------------------------------------------------------------------------------------- */

void nr_ll_program_init(NrLlProgram *p, NrModule *module, const NrCodegenOptions *options) {
  *p = (NrLlProgram){.module = module, .options = options};
  nr_arena_init(&p->tables.arena);
}

void nr_ll_program_reserve(NrLlProgram *p, size_t partitions) {
  p->partitions = nr_calloc(partitions, sizeof *p->partitions);
  p->objects = nr_calloc(partitions, sizeof *p->objects);
}

NrStatus nr_ll_program_add(NrLlProgram *p, NrLlTargetKind kind) {
  LLVMTargetMachineRef tm;
  NR_TRY(nr_ll_target(p->module->ctx, p->options, kind, &tm));
  size_t partition = p->num_partitions++; /* from here on it is dropped with the program */
  nr_ll_init(&p->partitions[partition], p->module, p->options, &p->tables, (unsigned)partition, tm);
  return NR_OK;
}

/* The variables that are not defined yet, in the first partition or in one of their own. */
static NrStatus define_variables(NrLlProgram *p, NrLlTargetKind kind) {
  NrLl *to = &p->partitions[0];
  if (p->tables.variables_apart && p->tables.variables.size) {
    to = &p->partitions[p->num_partitions];
    NR_TRY(nr_ll_program_add(p, kind));
    p->variables_last = to->has_variables = true;
  }
  for (size_t i = 0; i < p->tables.variables.size; i++) nr_ll_define_variable(to, p->tables.variables.data[i]);
  return NR_OK;
}

NrStatus nr_ll_program_build(NrLlProgram *p, NrModule *module, const NrCodegenOptions *options, NrLlTargetKind kind,
                             bool divide) {
  nr_ll_program_init(p, module, options);
  p->tables.variables_apart = options->keep_source;
  size_t wanted = plan_partitions(module, options, divide, &p->tables);
  nr_ll_program_reserve(p, wanted + p->tables.variables_apart);
  NrStatus status = NR_OK;
  while (p->num_partitions < wanted && !status) status = nr_ll_program_add(p, kind);
  if (status) return status;
  /* Build the first partition last: the others add to the tables that it defines. */
  for (size_t i = wanted; i-- > 0 && !status;) status = nr_ll_build(&p->partitions[i]);
  return status ? status : define_variables(p, kind);
}

void nr_ll_program_drop(void *program) {
  NrLlProgram *p = program;
  for (size_t i = 0; i < p->num_partitions; i++) {
    if (p->objects[i]) LLVMDisposeMemoryBuffer(p->objects[i]);
    p->objects[i] = NULL;
    nr_ll_drop(&p->partitions[i]);
  }
}

void nr_ll_program_deinit(NrLlProgram *p) {
  for (size_t i = 0; i < p->num_partitions; i++) {
    if (p->objects[i]) LLVMDisposeMemoryBuffer(p->objects[i]);
    nr_ll_deinit(&p->partitions[i]);
  }
  NrLlTables *t = &p->tables;
  nr_vec_deinit(&t->constants);
  nr_vec_deinit(&t->imports);
  nr_vec_deinit(&t->sites);
  nr_vec_deinit(&t->variables);
  nr_map_deinit(&t->constant_index);
  nr_symbol_tables_deinit(&t->symbols);
  nr_map_deinit(&t->func_partition);
  nr_map_deinit(&t->outside_calls);
  nr_strmap_deinit(&t->import_index);
  nr_strmap_deinit(&t->site_index);
  nr_arena_deinit(&t->arena);
  nr_free(p->partitions);
  nr_free(p->objects);
}

/* ---- compiling -------------------------------------------------------------------------------------------------- */

typedef struct Job {
  NrLl *partition;
  LLVMMemoryBufferRef *object;
  size_t size; /* LLVM's instructions */
  int64_t optimize, emit;
  char *message; /* the error, or NULL */
  NrFault fault;
} Job;

/* A queue of jobs, from which threads take the next. */
typedef struct Jobs {
  Job *list;
  size_t count;
  NrLlTask *task;
  _Atomic size_t next;
  _Atomic bool failed; /* the remaining jobs are skipped */
} Jobs;

typedef struct Worker {
  Jobs *jobs;
  int64_t optimize, emit; /* sum over its jobs */
  pthread_t thread;
  bool started;
} Worker;

static size_t size_of(LLVMModuleRef module) {
  size_t size = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef op = LLVMGetFirstInstruction(block); op; op = LLVMGetNextInstruction(op)) size++;
  return size;
}

/* The order in which threads take jobs: a large one that comes last would keep one thread busy alone. */
static int larger_job_first(const void *a, const void *b) {
  const Job *x = a, *y = b;
  return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

static void compile_partition(void *user) {
  Job *job = user;
  int64_t begin = nr_now_ns();
  job->message = nr_ll_optimize(job->partition);
  int64_t middle = nr_now_ns();
  if (!job->message) job->message = nr_ll_machine_code(job->partition, LLVMObjectFile, job->object);
  job->optimize = middle - begin;
  job->emit = nr_now_ns() - middle;
}

/* Guarded even without other threads: a fault is raised only after all threads have ended. Uses no heap, because the
 * other threads use it. */
static void run_jobs(Worker *w) {
  Jobs *jobs = w->jobs;
  while (!jobs->failed && !nr_ll_caller_left()) {
    size_t i = jobs->next++;
    if (i >= jobs->count) return;
    Job *job = &jobs->list[i];
    nr_guard_run(NULL, compile_partition, job, &job->fault);
    w->optimize += job->optimize;
    w->emit += job->emit;
    if (job->message || job->fault.status) jobs->failed = true;
  }
}

static void *worker_thread(void *user) {
  Worker *w = user;
  nr_ll_set_task(w->jobs->task);
  run_jobs(w);
  return NULL;
}

static void run_workers(Jobs *jobs, size_t count, NrCodegenTimes *times) {
  Worker workers[MAX_THREADS];
  for (size_t i = 0; i < count; i++) workers[i] = (Worker){.jobs = jobs};
  for (size_t i = 1; i < count; i++)
    workers[i].started = nr_ll_start_thread(&workers[i].thread, worker_thread, &workers[i]);
  run_jobs(&workers[0]);
  for (size_t i = 1; i < count; i++)
    if (workers[i].started) pthread_join(workers[i].thread, NULL);
  for (size_t i = 0; i < count && times; i++) { /* those of the slowest thread */
    times->optimize = NR_MAX(times->optimize, workers[i].optimize);
    times->emit = NR_MAX(times->emit, workers[i].emit);
  }
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->list[i].fault.status) nr_raise_fault(&jobs->list[i].fault);
  nr_poll_slow(); /* the caller may have left meanwhile */
}

NrStatus nr_ll_program_compile(NrLlProgram *p) {
  Jobs jobs = {.list = NR_NEW_ARRAY(&p->tables.arena, Job, p->num_partitions),
               .count = p->num_partitions,
               .task = nr_ll_task()};
  NrStatus status = NR_OK;
  for (size_t i = 0; i < jobs.count; i++)
    jobs.list[i] =
        (Job){.partition = &p->partitions[i], .object = &p->objects[i], .size = size_of(p->partitions[i].mod)};
  qsort(jobs.list, jobs.count, sizeof *jobs.list, larger_job_first);
  run_workers(&jobs, NR_MIN(num_threads(p->options), jobs.count), p->options->times);
  for (size_t i = 0; i < jobs.count; i++) {
    char *message = jobs.list[i].message;
    if (!message) continue;
    nr_error(p->module->ctx, nr_loc_unknown(p->module->ctx), "LLVM made no machine code: %s", message);
    LLVMDisposeMessage(message);
    status = NR_ERROR_INTERNAL;
  }
  return status;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

NrStr nr_ll_copy_bytes(const void *data, size_t size) {
  return (NrStr){memcpy(nr_malloc(size ? size : 1), data, size), size};
}

const char *nr_ll_copy_text(const char *text) { return text ? nr_ll_copy_bytes(text, strlen(text) + 1).data : NULL; }

void nr_ll_copy_options(const NrCodegenOptions *options, NrCodegenOptions *out, NrCodegenTimes *times) {
  *out = *options;
  out->cpu = nr_ll_copy_text(options->cpu);
  out->features = nr_ll_copy_text(options->features);
  out->name = nr_ll_copy_text(options->name);
  if (options->times) *times = *options->times;
  out->times = times;
}

void nr_ll_free_options(NrCodegenOptions *copy) {
  nr_free((void *)copy->cpu);
  nr_free((void *)copy->features);
  nr_free((void *)copy->name);
}
