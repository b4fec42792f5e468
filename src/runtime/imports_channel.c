/* imports_channel.c - channels and collectives for compiled code. Signatures: base/imports.def. */
#include "runtime/imports.h"

_Static_assert(NORIA_ALL_GATHER == (int)NR_ALL_GATHER && NORIA_ALL_REDUCE == (int)NR_ALL_REDUCE &&
                   NORIA_ALL_TO_ALL == (int)NR_ALL_TO_ALL && NORIA_REDUCE_SCATTER == (int)NR_REDUCE_SCATTER &&
                   NORIA_SEND_RECV == (int)NR_SEND_RECV && NORIA_REDUCE_AVERAGE == (int)NR_REDUCTION_AVERAGE,
               "compiled code and channels number collectives alike");

static NrChannel *arg_channel(const NoriaDesc *arg) { return arg->data; }

/* The run fails with the error, which names rank, op and place. */
static int32_t fail(NrExec *e, NoriaError *error) {
  const char *text = error->message ? error->message : noria_status_name(error->code);
  int32_t stop = error->code == NORIA_ERROR_INTERRUPTED ? __atomic_load_n(&e->pub.stop, __ATOMIC_RELAXED) : 0;
  if (stop & NR_STOP_INTERRUPT) nr_exec_fail(e, NORIA_ERROR_INTERRUPTED, -1, "the run was interrupted: %s", text);
  else if (stop & NR_STOP_TIME)
    nr_exec_fail(e, NORIA_ERROR_LIMIT, -1, "the time limit of %g s is reached: %s", e->limits.time_s, text);
  else nr_exec_fail(e, error->code, -1, "%s", text);
  e->fail_has_place = true;
  noria_error_clear(error);
  return 1;
}

static int32_t give_channel(NrExec *e, NoriaDesc *result, NrChannel *channel) {
  result->rank = 0;
  result->data = channel;
  return nr_exec_hold_channel(e, channel) ? 0 : 1;
}

int32_t nr_import_channel_default(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaError error = NORIA_ERROR_INIT;
  NrChannel *channel;
  NrBuf name = {0};
  /* The other ranks wait until the initializers have run, so a collective in one would wait for them in vain. */
  if (e->initializes && nr_world_shares_process(e->world))
    return nr_exec_fail(e, NORIA_ERROR_UNSUPPORTED, -1,
                        "'flow.channel.default' op is in an initializer, which one rank runs for all those that are "
                        "threads of a process; ranks that are processes run it each");
  if (nr_desc_count(&args[0])) nr_buf_printf(&name, "%.*s", (int)nr_desc_count(&args[0]), (const char *)args[0].data);
  NoriaStatus status = nr_channel_default(e->world, name.size ? name.data : NULL, &channel, &error);
  nr_buf_deinit(&name);
  return status ? fail(e, &error) : give_channel(e, &results[0], channel);
}

int32_t nr_import_channel_split(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaError error = NORIA_ERROR_INIT;
  int32_t site = nr_arg_i32(&args[0]);
  NrChannel *channel;
  NrSplit split = {.color = nr_arg_i64(&args[2]),
                   .key = nr_arg_i64(&args[3]),
                   .place = nr_exec_site_place(e, site),
                   .stop = &exec->stop};
  NoriaStatus status = nr_channel_split(arg_channel(&args[1]), &split, &channel, &error);
  return status ? fail(e, &error) : give_channel(e, &results[0], channel);
}

int32_t nr_import_channel_rank(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  nr_result_scalar(&results[0], (uint64_t)nr_channel_rank(arg_channel(&args[0])));
  return 0;
}

int32_t nr_import_channel_count(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  nr_result_scalar(&results[0], (uint64_t)nr_channel_count(arg_channel(&args[0])));
  return 0;
}

/* Rows of a tensor, and elements of a row, of a tensor that is in memory, so that their product is a size. */
static int64_t rows_of(const NoriaDesc *t) { return t->rank > 0 ? t->dims[0] : 1; }

static int64_t row_of(const NoriaDesc *t) {
  NoriaDesc row = {.rank = NR_MAX(t->rank - 1, 0)};
  for (int64_t d = 1; d < t->rank; d++) row.dims[d - 1] = t->dims[d];
  return nr_desc_count(&row);
}

/* Whether dims beyond the first agree; the types of the program leave them open where they are not known. */
static bool check_rows(NrExec *e, int32_t site, NrCollectiveKind kind, const NoriaDesc *target,
                       const NoriaDesc *source) {
  for (int64_t d = 1; d < target->rank && target->rank == source->rank; d++) {
    if (target->dims[d] == source->dims[d]) continue;
    nr_exec_fail(e, NORIA_ERROR_FAILED, site, "'%s' op dim %d of the source is %lld, and %lld of the target",
                 nr_collective_name(kind), (int)d, (long long)source->dims[d], (long long)target->dims[d]);
    return false;
  }
  return true;
}

int32_t nr_import_collective(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  NoriaError error = NORIA_ERROR_INIT;
  int32_t site = nr_arg_i32(&args[0]);
  const NoriaDesc *target = &args[8], *source = &args[9];
  NrCollective call = {.kind = (NrCollectiveKind)nr_arg_i32(&args[1]),
                       .dtype = (NoriaDType)nr_arg_i32(&args[2]),
                       .reduction = (NrReduction)nr_arg_i32(&args[3]),
                       .same_rows = nr_arg_bool(&args[4]),
                       .send_rows = rows_of(source),
                       .recv_rows = rows_of(target),
                       .row = row_of(source),
                       .send_to = nr_arg_i64(&args[6]),
                       .recv_from = nr_arg_i64(&args[7]),
                       .send = source->data,
                       .recv = target->data,
                       .place = nr_exec_site_place(e, site),
                       .stop = &exec->stop};
  if ((uint32_t)call.kind >= NR_NUM_COLLECTIVES)
    return nr_exec_fail(e, NORIA_ERROR_FAILED, site, "there is no collective %d", (int)call.kind);
  if (atomic_load_explicit(&e->parallel, memory_order_relaxed))
    return nr_exec_fail(e, NORIA_ERROR_FAILED, site, "'%s' op is run by a dispatch, in no fixed order",
                        nr_collective_name(call.kind));
  if (!nr_desc_is(e, target, call.dtype) || !nr_desc_is(e, source, call.dtype)) return 1;
  if (!check_rows(e, site, call.kind, target, source)) return 1;
  return nr_channel_run(arg_channel(&args[5]), &call, &error) ? fail(e, &error) : 0;
}
