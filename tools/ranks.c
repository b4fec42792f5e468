/* ranks.c - `noria run` as several ranks: threads of this process (--ranks), or the processes that mpirun started. */
#include <stdio.h>
#include <stdlib.h>

#include "job.h"
#include "runtime/channel.h"
#include "tools.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

int ranks_take_option(Job *job, int argc, char **argv, int *io_at) {
  const char *value, *unused;
  int64_t number;
  if ((value = job_option_value("ranks", argc, argv, io_at))) {
    if (!parse_count(value, &number) || number < 1 || number > NR_MAX_THREAD_RANKS)
      return tool_usage_error(job->tool, "--ranks cannot be '%s': there are 1 to %d", value, NR_MAX_THREAD_RANKS);
    job->ranks = (int32_t)number;
    return 0;
  }
  if ((value = job_option_value("channel", argc, argv, io_at))) {
    job->channel = value;
    job->world_options.nccl = !strcmp(value, "nccl");
    bool moves = !strcmp(value, "threads") || !strcmp(value, "mpi") || job->world_options.nccl;
    if (moves || !strcmp(value, "none")) return 0;
    return tool_usage_error(job->tool, "--channel cannot be '%s': it is threads, mpi, nccl or none", value);
  }
  if (tool_option(argv[*io_at], "check-collectives", &unused) && !unused) return job->world_options.check = 1, 0;
  return -1;
}

static bool is_channel(const Job *job, const char *name) { return job->channel && !strcmp(job->channel, name); }

int ranks_begin(Job *job) {
  NoriaError error = NORIA_ERROR_INIT;
  bool nccl = is_channel(job, "nccl"), under_mpi = noria_world_is_under_mpi();
  bool mpi = is_channel(job, "mpi") || (!job->channel && under_mpi) || (nccl && !job->ranks && under_mpi);
  job->num_ranks = job->all_ranks = job->ranks ? job->ranks : 1;
  if (mpi && job->ranks) {
    if (is_channel(job, "mpi"))
      return tool_usage_error(job->tool, "--ranks is for threads: with --channel=mpi, mpirun says how many there are");
    return tool_usage_error(job->tool, "mpirun has started the ranks: leave out --ranks, or add --channel=threads");
  }
  if (is_channel(job, "threads") && !job->ranks)
    return tool_usage_error(job->tool, "--channel=threads needs --ranks=N");
  if (nccl && !mpi && !job->ranks)
    return tool_usage_error(job->tool, "--channel=nccl needs mpirun, or --ranks=N for threads");
  if (is_channel(job, "none") && job->ranks > 1)
    return tool_usage_error(job->tool, "--channel=none is for one rank, not for %d", (int)job->ranks);
  if (!mpi) return 0;
  if (noria_world_create_mpi(&job->world_options, &job->world, &error)) return job_report(job, &error);
  job->first_rank = noria_world_rank(job->world);
  job->all_ranks = noria_world_count(job->world);
  return 0;
}

/* Whether the user asked for ranks, so that what is printed says of which. */
static bool shows_ranks(const Job *job) { return job->world || job->ranks; }

const char *ranks_text(Job *job, const char *text, int32_t rank) {
  bool has_rank = text && shows_ranks(job) && (*text == '@' || !strcmp(text, "%r")) && strchr(text, '%');
  if (!has_rank) return text;
  NrBuf out = {0};
  for (const char *c = text; *c; c++) {
    if (c[0] == '%' && c[1] == 'r') nr_buf_printf(&out, "%d", (int)rank);
    else nr_buf_putc(&out, *c);
    c += c[0] == '%' && (c[1] == 'r' || c[1] == '%');
  }
  const char *kept = nr_context_intern(job->ctx, (NrStr){out.data, out.size}).data;
  nr_buf_deinit(&out);
  return kept;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

NoriaStatus ranks_run(Job *job, NoriaProgram *program, NoriaValue **results, NoriaError *error) {
  const NoriaModule *module = noria_program_module(program);
  const NoriaValue *const *feeds = (const NoriaValue *const *)job->feeds.data;
  size_t inputs = (size_t)module->num_inputs, outputs = (size_t)module->num_outputs;
  NoriaRunOptions options = {.limits = job->options.program.limits, .world = job->world};
  if (!job->ranks) return noria_program_run(program, feeds, job->feeds.size, results, outputs, &options, error);
  return noria_program_run_ranks(program, job->ranks, feeds, inputs, results, outputs, &options, &job->world_options,
                                 error);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void put_lines(int32_t rank, NrStr text) {
  const char *end = text.data + text.size;
  for (const char *line = text.data; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    size_t size = stop ? (size_t)(stop - line) + 1 : (size_t)(end - line);
    printf("[%d] ", (int)rank);
    fwrite(line, 1, size, stdout);
    line += size;
  }
}

/* The sizes of all ranks' texts, then the texts, one after the other. */
static NoriaStatus gather(Job *job, NrStr own, int64_t *sizes, char **out_text, NoriaError *error) {
  static const char end[] = "the end of the program";
  NrChannel *channel;
  NoriaStatus status = nr_channel_default((NrWorld *)job->world, NULL, &channel, error);
  if (status) return status;
  int64_t size = (int64_t)own.size, total = 0;
  /* The rows are not declared to be equal, so that the ranks compare their calls: one may still be in the program. */
  NrCollective call = {.kind = NR_ALL_GATHER, .dtype = NORIA_I64, .send_rows = 1, .recv_rows = job->all_ranks,
                       .row = 1, .send = &size, .recv = sizes, .place = end};
  status = nr_channel_run(channel, &call, error);
  for (int32_t r = 0; r < job->all_ranks && !status; r++) total += sizes[r];
  if (!status) {
    *out_text = nr_malloc((size_t)total + 1);
    call = (NrCollective){.kind = NR_ALL_GATHER, .dtype = NORIA_U8, .send_rows = size, .recv_rows = total, .row = 1,
                          .send = own.data, .recv = *out_text, .place = end};
    status = nr_channel_run(channel, &call, error);
  }
  nr_channel_release(channel);
  return status;
}

static int print_gathered(Job *job, const NrBuf *own) {
  NoriaError error = NORIA_ERROR_INIT;
  int64_t *sizes = nr_calloc((size_t)job->all_ranks, sizeof *sizes);
  char *text = NULL, *at;
  NoriaStatus status = gather(job, (NrStr){own->data ? own->data : "", own->size}, sizes, &text, &error);
  at = text;
  for (int32_t r = 0; r < job->all_ranks && !status && job->first_rank == 0; at += sizes[r++])
    put_lines(r, (NrStr){at, (size_t)sizes[r]});
  nr_free(sizes);
  nr_free(text);
  return status ? job_report(job, &error) : 0;
}

int ranks_print(Job *job, const NrBuf *texts) {
  if (job->world) return print_gathered(job, texts);
  for (int32_t r = 0; r < job->num_ranks; r++) {
    NrStr text = {texts[r].data ? texts[r].data : "", texts[r].size};
    if (shows_ranks(job)) put_lines(r, text);
    else fwrite(text.data, 1, text.size, stdout);
  }
  return 0;
}

int ranks_end(Job *job, int status) {
  NoriaError error = NORIA_ERROR_INIT;
  if (!job->world) return status;
  if (noria_world_end(job->world, status ? "it failed" : NULL, &error)) status = job_report(job, &error);
  noria_world_destroy(job->world);
  job->world = NULL;
  return status;
}
