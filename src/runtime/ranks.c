/* ranks.c - the public functions for worlds (runtime.h), and a program run by threads that are ranks. */
#include "runtime/channel_nccl.h"
#include "runtime/internal.h"

#include <stdlib.h>

/* NoriaWorld is the public name of NrWorld. */
static NrWorld *inner(const NoriaWorld *world) { return (NrWorld *)world; }

static NrWorldOptions inner_options(const NoriaWorldOptions *options) {
  if (!options) return (NrWorldOptions){0};
  return (NrWorldOptions){
      .time_s = options->time_s, .check = options->check != 0, .communicator = options->communicator};
}

/* Puts NCCL over the worlds where the options ask for it; destroys them after a failure. */
static NoriaStatus put_over_nccl(NoriaWorld **worlds, int32_t count, const NrNcclTransport *nccl, NoriaError *error) {
  NoriaStatus status = NORIA_OK;
  for (int32_t r = 0; r < count && nccl && !status; r++)
    status = nr_world_over_nccl(nccl, (NrWorld **)&worlds[r], error);
  for (int32_t r = 0; r < count && status; r++) {
    noria_world_end(worlds[r], "NCCL cannot be used", NULL);
    noria_world_destroy(worlds[r]);
    worlds[r] = NULL;
  }
  return status;
}

/* The library is loaded before ranks are connected: a failure after that would have to be told to all of them. */
static NoriaStatus load_nccl(const NoriaWorldOptions *options, const NrNcclTransport **out, NoriaError *error) {
  *out = NULL;
  return options && options->nccl ? nr_nccl_load(out, error) : NORIA_OK;
}

NoriaStatus noria_world_create_threads(int32_t count, const NoriaWorldOptions *options, NoriaWorld **out_worlds,
                                       NoriaError *error) {
  NrWorldOptions wanted = inner_options(options);
  const NrNcclTransport *nccl;
  NoriaStatus status = load_nccl(options, &nccl, error);
  if (!status) status = nr_world_create_threads(count, &wanted, (NrWorld **)out_worlds, error);
  return status ? status : put_over_nccl(out_worlds, count, nccl, error);
}

NoriaStatus noria_world_create_mpi(const NoriaWorldOptions *options, NoriaWorld **out_world, NoriaError *error) {
  NrWorldOptions wanted = inner_options(options);
  const NrNcclTransport *nccl;
  NoriaStatus status = load_nccl(options, &nccl, error);
  if (!status) status = nr_world_create_mpi(&wanted, (NrWorld **)out_world, error);
  return status ? status : put_over_nccl(out_world, 1, nccl, error);
}

int noria_world_is_under_mpi(void) { return nr_world_is_under_mpi(); }
int32_t noria_world_rank(const NoriaWorld *world) { return nr_world_rank(inner(world)); }
int32_t noria_world_count(const NoriaWorld *world) { return nr_world_count(inner(world)); }
int noria_world_reports(const NoriaWorld *world) { return nr_world_reports(inner(world)); }
void noria_world_destroy(NoriaWorld *world) { nr_world_destroy(inner(world)); }

NoriaStatus noria_world_end(NoriaWorld *world, const char *why, NoriaError *error) {
  return world ? nr_world_end(inner(world), why, error) : NORIA_OK;
}

/* ---- ranks as threads -------------------------------------------------------------------------------------------- */

typedef struct Rank {
  NoriaProgram *program;
  const NoriaValue *const *inputs;
  NoriaValue **outputs;
  size_t num_inputs, num_outputs;
  NoriaRunOptions options;
  pthread_t thread;
  NoriaStatus status;
  NoriaError error;
} Rank;

static void *run_rank(void *user) {
  Rank *r = user;
  r->status = noria_program_run(r->program, r->inputs, r->num_inputs, r->outputs, r->num_outputs, &r->options,
                                &r->error);
  /* A run that failed has ended its world. */
  if (!r->status) r->status = noria_world_end(r->options.world, NULL, &r->error);
  return NULL;
}

/* Starts the threads; where the system gives no more, those that run end with that failure. Returns how many run. */
static int32_t start_ranks(Rank *ranks, int32_t count) {
  for (int32_t r = 0; r < count; r++) {
    int code = nr_thread_start(&ranks[r].thread, run_rank, &ranks[r]);
    if (!code) continue;
    ranks[r].status = nr_error_set(&ranks[r].error, NORIA_ERROR_MEMORY, "the system gives no thread for it");
    noria_world_end(ranks[r].options.world, ranks[r].error.message, NULL);
    return r;
  }
  return count;
}

/* The rank whose failure the others only follow; -1 when none failed. */
static int32_t failed_rank(const Rank *ranks, int32_t count) {
  int32_t any = -1;
  for (int32_t r = 0; r < count; r++) {
    if (!ranks[r].status) continue;
    if (noria_world_reports(ranks[r].options.world)) return r;
    if (any < 0) any = r;
  }
  return any;
}

static NoriaStatus finish_ranks(Rank *ranks, int32_t count, NoriaError *error) {
  int32_t failed = failed_rank(ranks, count);
  if (failed < 0) return NORIA_OK;
  const Rank *r = &ranks[failed];
  const char *text = r->error.message ? r->error.message : noria_status_name(r->status);
  NoriaStatus status = nr_error_set(error, r->status, "rank %d: %s", (int)failed, text);
  for (int32_t i = 0; i < count; i++)
    for (size_t k = 0; k < ranks[i].num_outputs; k++) {
      noria_value_release(ranks[i].outputs[k]);
      ranks[i].outputs[k] = NULL;
    }
  return status;
}

NoriaStatus noria_program_run_ranks(NoriaProgram *program, int32_t ranks, const NoriaValue *const *inputs,
                                    size_t num_inputs, NoriaValue **out_outputs, size_t num_outputs,
                                    const NoriaRunOptions *options, const NoriaWorldOptions *world,
                                    NoriaError *error) {
  if (ranks < 1 || ranks > NR_MAX_THREAD_RANKS)
    return nr_error_set(error, NORIA_ERROR_INVALID, "%d ranks: there are 1 to %d in a process", (int)ranks,
                        NR_MAX_THREAD_RANKS);
  for (size_t i = 0; i < (size_t)ranks * num_outputs; i++) out_outputs[i] = NULL;
  Rank *all = calloc((size_t)ranks, sizeof *all);
  NoriaWorld **worlds = calloc((size_t)ranks, sizeof(NoriaWorld *));
  NoriaStatus status = all && worlds ? noria_world_create_threads(ranks, world, worlds, error)
                                     : nr_error_set_memory(error, (size_t)ranks * sizeof *all);
  for (int32_t r = 0; r < ranks && !status; r++)
    all[r] = (Rank){.program = program,
                    .inputs = num_inputs ? inputs + (size_t)r * num_inputs : NULL,
                    .num_inputs = num_inputs,
                    .outputs = out_outputs + (size_t)r * num_outputs,
                    .num_outputs = num_outputs,
                    .options = {.limits = options ? options->limits : program->limits, .world = worlds[r]}};
  if (!status) {
    int32_t started = start_ranks(all, ranks);
    for (int32_t r = 0; r < started; r++) pthread_join(all[r].thread, NULL);
    status = finish_ranks(all, ranks, error);
  }
  for (int32_t r = 0; r < ranks && all && worlds; r++) {
    noria_error_clear(&all[r].error);
    noria_world_destroy(worlds[r]);
  }
  free(worlds);
  free(all);
  return status;
}
