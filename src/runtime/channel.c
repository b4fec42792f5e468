/* channel.c - what all backends of channels share: checks of arguments, comparison of the ranks' calls, who moves which
 * elements, channels of one rank. */
#include "runtime/channel_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/guard.h"

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

int32_t nr_world_rank(const NrWorld *world) { return world ? world->rank : 0; }
int32_t nr_world_count(const NrWorld *world) { return world ? world->count : 1; }
bool nr_world_shares_process(const NrWorld *world) { return world && world->shares_process; }

bool nr_world_reports(const NrWorld *world) {
  while (world && world->base) world = world->base;
  return !world || world->reports;
}

NoriaStatus nr_world_end(NrWorld *world, const char *why, NoriaError *error) {
  if (!world || world->has_ended) return NORIA_OK;
  world->has_ended = true;
  return world->backend->end(world, why, error);
}

void nr_world_destroy(NrWorld *world) {
  if (!world) return;
  (void)nr_world_end(world, NULL, NULL);
  world->backend->destroy(world);
}

double nr_world_wait_s(const NrWorld *world) {
  return world->options.time_s == 0 ? NR_DEFAULT_WAIT_S : world->options.time_s;
}

int64_t nr_world_deadline(const NrWorld *world) {
  double wait = nr_world_wait_s(world);
  return wait < 0 || wait > 1e9 ? INT64_MAX : nr_now_ns() + (int64_t)(wait * 1e9);
}

/* ---- signatures -------------------------------------------------------------------------------------------------- */

const char *nr_collective_name(NrCollectiveKind kind) {
  static const char *const names[] = {"flow.collective.all_gather", "flow.collective.all_reduce",
                                      "flow.collective.all_to_all", "flow.collective.reduce_scatter",
                                      "flow.collective.send_recv",  "flow.channel.split",
                                      "the start of all ranks"};
  return (size_t)kind < NR_COUNTOF(names) ? names[kind] : "an unknown collective";
}

static const char *reduction_name(int32_t reduction) {
  static const char *const names[] = {"none", "sum", "product", "minimum", "maximum", "average"};
  return (size_t)reduction < NR_COUNTOF(names) ? names[reduction] : "unknown";
}

static void set_place(NrSignature *s, const char *place) {
  if (!place) return;
  size_t size = strlen(place), room = sizeof s->place - 1;
  /* The end of a long place says more than its beginning. */
  memcpy(s->place, size > room ? place + (size - room) : place, NR_MIN(size, room));
}

NrSignature nr_signature_of(const NrCollective *call) {
  NrSignature s = {.kind = (int32_t)call->kind,
                   .dtype = (int32_t)call->dtype,
                   .reduction = (int32_t)call->reduction,
                   .same_rows = call->same_rows,
                   .send_rows = call->send_rows,
                   .recv_rows = call->recv_rows,
                   .row = call->row};
  if (call->kind == NR_SEND_RECV) {
    s.send_to = call->send_to;
    s.recv_from = call->recv_from;
  }
  if (call->kind != NR_ALL_REDUCE && call->kind != NR_REDUCE_SCATTER) s.reduction = NR_REDUCTION_NONE;
  set_place(&s, call->place);
  return s;
}

const char *nr_signature_text(const NrSignature *s, char *buf, size_t size) {
  snprintf(buf, size, "%s%s%.*s", nr_collective_name((NrCollectiveKind)s->kind), s->place[0] ? " at " : "",
           (int)sizeof s->place, s->place);
  return buf;
}

enum { TEXT = 128 };

/* What rank q calls differs in kind, type, reduction or row from what rank 0 calls. */
static NoriaStatus match_calls(const NrSignature *all, int32_t q, bool check_places, NoriaError *error) {
  const NrSignature *a = &all[0], *b = &all[q];
  char first[TEXT], other[TEXT];
  nr_signature_text(a, first, sizeof first);
  nr_signature_text(b, other, sizeof other);
  if (a->kind != b->kind || (check_places && memcmp(a->place, b->place, sizeof a->place)))
    return nr_error_set(error, NORIA_ERROR_FAILED, "the ranks disagree: rank 0 is in %s, rank %d in %s", first, (int)q,
                        other);
  if (a->dtype != b->dtype)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: elements are %s on rank 0 and %s on rank %d", other,
                        noria_dtype_name((NoriaDType)a->dtype), noria_dtype_name((NoriaDType)b->dtype), (int)q);
  if (a->reduction != b->reduction)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: the reduction is %s on rank 0 and %s on rank %d", other,
                        reduction_name(a->reduction), reduction_name(b->reduction), (int)q);
  if (a->row != b->row)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: a row has %lld elements on rank 0 and %lld on rank %d", other,
                        (long long)a->row, (long long)b->row, (int)q);
  return NORIA_OK;
}

/* The sums of rows cannot overflow: each was checked to be at most NORIA_MAX_ELEMENTS, and there are less than 2^16
 * ranks. */
static NoriaStatus match_rows(const NrSignature *all, int32_t count, int32_t q, NoriaError *error) {
  const NrSignature *s = &all[q];
  char text[TEXT];
  nr_signature_text(s, text, sizeof text);
  int64_t sent = 0, received = 0;
  for (int32_t i = 0; i < count; i++) sent += all[i].send_rows, received += all[i].recv_rows;
  bool reduces = s->kind == NR_ALL_REDUCE || s->kind == NR_REDUCE_SCATTER;
  if (reduces && s->send_rows != all[0].send_rows)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: rank 0 reduces %lld rows and rank %d %lld", text,
                        (long long)all[0].send_rows, (int)q, (long long)s->send_rows);
  if (s->kind == NR_ALL_GATHER && s->recv_rows != sent)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: the ranks send %lld rows but rank %d receives %lld", text,
                        (long long)sent, (int)q, (long long)s->recv_rows);
  if (s->kind == NR_ALL_TO_ALL && s->recv_rows != sent / count)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: the ranks send %lld rows to rank %d but it receives %lld", text,
                        (long long)(sent / count), (int)q, (long long)s->recv_rows);
  if (s->kind == NR_REDUCE_SCATTER && received != s->send_rows)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: the ranks reduce %lld rows but receive %lld", text,
                        (long long)s->send_rows, (long long)received);
  return NORIA_OK;
}

static NoriaStatus match_message(const NrSignature *all, int32_t q, NoriaError *error) {
  const NrSignature *s = &all[q];
  char text[TEXT];
  nr_signature_text(s, text, sizeof text);
  if (s->send_to >= 0 && all[s->send_to].recv_from != q)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: rank %d sends to rank %lld, which receives from %lld", text,
                        (int)q, (long long)s->send_to, (long long)all[s->send_to].recv_from);
  if (s->recv_from < 0) return NORIA_OK;
  const NrSignature *sender = &all[s->recv_from];
  if (sender->send_to != q)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: rank %d receives from rank %lld, which sends to %lld", text,
                        (int)q, (long long)s->recv_from, (long long)sender->send_to);
  if (sender->send_rows != s->recv_rows)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: rank %lld sends %lld rows but rank %d receives %lld", text,
                        (long long)s->recv_from, (long long)sender->send_rows, (int)q, (long long)s->recv_rows);
  return NORIA_OK;
}

NoriaStatus nr_signatures_match(const NrSignature *all, int32_t count, bool check_places, NoriaError *error) {
  NoriaStatus status = NORIA_OK;
  for (int32_t q = 1; !status && q < count; q++) status = match_calls(all, q, check_places, error);
  if (all[0].kind == NR_SPLIT) return status;
  for (int32_t q = 0; !status && q < count; q++)
    status = all[q].kind == NR_SEND_RECV ? match_message(all, q, error) : match_rows(all, count, q, error);
  return status;
}

NrPart nr_part_of(const NrSignature *all, int32_t count, int32_t sender, int32_t receiver) {
  bool is_gather = all[0].kind == NR_ALL_GATHER;
  NrPart part = {0};
  for (int32_t q = 0; q < sender; q++) part.to += all[q].send_rows;
  part.elements = all[sender].send_rows;
  if (!is_gather) {
    part.to /= count;
    part.elements /= count;
    part.from = receiver * part.elements;
  }
  int64_t row = all[0].row;
  return (NrPart){part.from * row, part.to * row, part.elements * row};
}

int32_t nr_split_rank(const NrSignature *all, int32_t count, int32_t q) {
  int32_t rank = 0;
  for (int32_t p = 0; p < count; p++) {
    bool is_before = all[p].recv_from != all[q].recv_from ? all[p].recv_from < all[q].recv_from : p < q;
    rank += all[p].send_to == all[q].send_to && is_before;
  }
  return rank;
}

void nr_share_of(const NrSignature *all, int32_t count, int32_t rank, int64_t *out_first, int64_t *out_elements) {
  int64_t row = all[0].row, first = 0;
  if (all[0].kind == NR_REDUCE_SCATTER) {
    for (int32_t q = 0; q < rank; q++) first += all[q].recv_rows;
    *out_first = first * row;
    *out_elements = all[rank].recv_rows * row;
    return;
  }
  /* Shares begin at multiples of 64 elements, so that two ranks do not write to one cache line. */
  int64_t total = all[0].send_rows * row, share = (total / count + 64) / 64 * 64;
  *out_first = NR_MIN(rank * share, total);
  *out_elements = NR_MIN(share, total - *out_first);
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static NoriaStatus new_channel(NrWorld *world, NrChannel **out_channel, NoriaError *error) {
  NrChannel *channel = calloc(1, sizeof *channel);
  *out_channel = channel;
  if (!channel) return nr_error_set_memory(error, sizeof *channel);
  atomic_init(&channel->refs, 1);
  channel->world = world;
  return NORIA_OK;
}

NoriaStatus nr_channel_default(NrWorld *world, const char *group, NrChannel **out_channel, NoriaError *error) {
  NoriaStatus status = new_channel(world, out_channel, error);
  if (status) return status;
  (*out_channel)->rank = nr_world_rank(world);
  (*out_channel)->count = nr_world_count(world);
  if (world) (*out_channel)->group = world->backend->default_group(world);
  return NORIA_OK;
}

NrChannel *nr_channel_retain(NrChannel *channel) {
  atomic_fetch_add_explicit(&channel->refs, 1, memory_order_relaxed);
  return channel;
}

void nr_channel_release(NrChannel *channel) {
  if (!channel || atomic_fetch_sub_explicit(&channel->refs, 1, memory_order_acq_rel) != 1) return;
  if (channel->group) channel->world->backend->release_group(channel->group);
  free(channel);
}

int64_t nr_channel_rank(const NrChannel *channel) { return channel->rank; }
int64_t nr_channel_count(const NrChannel *channel) { return channel->count; }

/* Records a failure of this rank; the other ranks then fail with its message. */
static NoriaStatus failed(NrChannel *channel, NoriaStatus status, NoriaError *error) {
  if (status && channel->world)
    channel->world->backend->fail(channel->world, status, error->message ? error->message : "no memory");
  return status;
}

static NoriaStatus split(NrChannel *channel, const NrSplit *split, NrChannel **out_channel, NoriaError *error) {
  NrSignature own = {.kind = NR_SPLIT, .send_to = split->color, .recv_from = split->key};
  set_place(&own, split->place);
  char text[TEXT];
  if (split->color < -1)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: the color of rank %d is %lld",
                        nr_signature_text(&own, text, TEXT), channel->rank, (long long)split->color);
  NoriaStatus status = new_channel(channel->world, out_channel, error);
  if (status) return status;
  NrChannel *child = *out_channel;
  child->rank = -1;
  if (channel->count == 1 && split->color >= 0) {
    child->rank = 0;
    child->count = 1;
  } else if (channel->count > 1) {
    status = channel->world->backend->split(channel, split, &own, child, error);
  }
  if (!status) return NORIA_OK;
  nr_channel_release(child);
  *out_channel = NULL;
  return status;
}

NoriaStatus nr_channel_split(NrChannel *channel, const NrSplit *how, NrChannel **out_channel, NoriaError *error) {
  NoriaError own_error = NORIA_ERROR_INIT, *e = error ? error : &own_error;
  *out_channel = NULL;
  NoriaStatus status = failed(channel, split(channel, how, out_channel, e), e);
  noria_error_clear(&own_error);
  return status;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static bool size_of(int64_t rows, int64_t row, size_t element, size_t *out_size) {
  if (rows < 0 || row < 0 || rows > NORIA_MAX_ELEMENTS) return false;
  size_t elements;
  return nr_mul_size((size_t)rows, (size_t)row, &elements) && elements <= (size_t)NORIA_MAX_ELEMENTS &&
         nr_mul_size(elements, element, out_size);
}

/* Checks what this rank can see alone, and calculates the sizes. */
static NoriaStatus check(const NrChannel *channel, const NrCollective *call, const NrSignature *own, size_t *out_send,
                         size_t *out_recv, NoriaError *error) {
  char text[TEXT];
  nr_signature_text(own, text, sizeof text);
  int64_t count = channel->count;
  if ((uint32_t)call->kind >= NR_NUM_COLLECTIVES || !nr_reduction_supports(call->dtype))
    return nr_error_set(error, NORIA_ERROR_INVALID, "%s: not a collective of elements of type %s", text,
                        noria_dtype_name(call->dtype));
  bool reduces = call->kind == NR_ALL_REDUCE || call->kind == NR_REDUCE_SCATTER;
  if (reduces && (call->reduction <= NR_REDUCTION_NONE || call->reduction >= NR_NUM_REDUCTIONS))
    return nr_error_set(error, NORIA_ERROR_INVALID, "%s: there is no reduction %d", text, (int)call->reduction);
  size_t element = nr_dtype_info(call->dtype)->size;
  if (!size_of(call->send_rows, call->row, element, out_send) ||
      !size_of(call->recv_rows, call->row, element, out_recv))
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: no tensor has %lld or %lld rows of %lld elements", text,
                        (long long)call->send_rows, (long long)call->recv_rows, (long long)call->row);
  if (call->kind == NR_ALL_REDUCE && call->send_rows != call->recv_rows)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: rank %d reduces %lld rows into %lld", text, channel->rank,
                        (long long)call->send_rows, (long long)call->recv_rows);
  if (call->kind == NR_ALL_TO_ALL && call->send_rows % count != 0)
    return nr_error_set(error, NORIA_ERROR_FAILED, "%s: %lld rows of rank %d do not divide into %lld blocks", text,
                        (long long)call->send_rows, channel->rank, (long long)count);
  if (call->kind == NR_SEND_RECV && (call->send_to < -1 || call->send_to >= count || call->recv_from < -1 ||
                                     call->recv_from >= count))
    return nr_error_set(error, NORIA_ERROR_FAILED,
                        "%s: rank %d sends to %lld and receives from %lld, but the ranks are 0 to %lld", text,
                        channel->rank, (long long)call->send_to, (long long)call->recv_from, (long long)count - 1);
  return NORIA_OK;
}

static NoriaStatus run_alone(const NrCollective *call, const NrSignature *own, size_t size, NoriaError *error) {
  NoriaStatus status = nr_signatures_match(own, 1, false, error);
  if (status) return status;
  if (call->kind == NR_SEND_RECV && call->recv_from < 0) {
    if (size) memset(call->recv, 0, size);
  } else if (size && call->recv != call->send) {
    memmove(call->recv, call->send, size);
  }
  return NORIA_OK;
}

/* Whether other ranks could read this rank's send after it has written its recv there. An all_reduce in place is no
 * danger, nor are rows of an all_gather that are where they will be in the end. */
static bool is_in_the_way(const NrChannel *channel, const NrCollective *call, size_t send_size, size_t recv_size) {
  uintptr_t send = (uintptr_t)call->send, recv = (uintptr_t)call->recv;
  if (!send_size || !recv_size || send >= recv + recv_size || recv >= send + send_size) return false;
  if (call->kind == NR_ALL_REDUCE) return send != recv;
  if (call->kind == NR_ALL_GATHER && call->same_rows) return send != recv + (size_t)channel->rank * send_size;
  return true;
}

static NoriaStatus run(NrChannel *channel, const NrCollective *call, NoriaError *error) {
  NrSignature own = nr_signature_of(call);
  size_t send_size = 0, recv_size = 0;
  NoriaStatus status = check(channel, call, &own, &send_size, &recv_size, error);
  if (status) return status;
  if (channel->count == 1) return run_alone(call, &own, recv_size, error);
  NrCollective copy = *call;
  void *aside = NULL;
  if (is_in_the_way(channel, call, send_size, recv_size)) {
    if (!(aside = malloc(send_size))) return nr_error_set_memory(error, send_size);
    copy.send = memcpy(aside, call->send, send_size);
  }
  status = channel->world->backend->run(channel, &copy, &own, error);
  free(aside);
  return status;
}

NoriaStatus nr_channel_run(NrChannel *channel, const NrCollective *call, NoriaError *error) {
  if (channel->rank < 0) return NORIA_OK;
  NoriaError own_error = NORIA_ERROR_INIT, *e = error ? error : &own_error;
  NoriaStatus status = failed(channel, run(channel, call, e), e);
  noria_error_clear(&own_error);
  return status;
}
