/* channel_nccl.c - ranks that move bytes between GPUs, by NCCL. All calls of CUDA and NCCL are in libnoria_nccl.so,
 * which is loaded here.
 *
 * The ranks are threads or processes of MPI: a world of one of those backends, the base, is what connects them. In a
 * collective they first meet there: so the base's checks, time limit and messages hold for ranks that differ, fail or
 * never come, and all ranks call NCCL or none. Bytes then move as messages between two ranks, and reductions are made
 * by the same code as over MPI, so that they give the same bits; an all_reduce of integers, whose order does not
 * matter, is NCCL's own. While bytes move, each rank looks whether another failed or died, and then aborts NCCL's
 * communicator, which the first collective of a channel makes. */
#include "runtime/channel_nccl.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/guard.h"
#include "runtime/channel_messages.h"
#include "runtime/part.h"

typedef struct NcclWorld {
  NrWorld pub; /* first; its base connects the ranks */
  const NrNcclTransport *transport;
  pthread_mutex_t lock; /* one thread at a time uses the device */
  NrNcclDevice *device; /* NULL before the first collective */
  NrMessenger messenger;
  NrMessageGroup *all;
} NcclWorld;

/* What a group links to. */
typedef struct Link {
  NcclWorld *w;
  NrChannel *base; /* the same ranks, in the base's world */
  NrNcclLink *comm; /* NULL before the first collective, and after a failure */
} Link;

static NcclWorld *nccl_world(NrWorld *world) { return (NcclWorld *)world; }

static NoriaStatus nccl_failed(const NrSignature *own, const char *why, NoriaError *error) {
  char text[128];
  return nr_error_set(error, NORIA_ERROR_FAILED, "%s: %s", nr_signature_text(own, text, sizeof text), why);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

enum { LOOK_NS = 1000000, SETTLE_NS = 100000000, NAP_AFTER_NS = 1000000, NAP_US = 20 };

static NoriaStatus reason_to_leave(const Link *l, const NrSignature *own, const volatile int32_t *stop,
                                   int64_t deadline, NoriaError *error) {
  char text[128];
  nr_signature_text(own, text, sizeof text);
  NoriaStatus status = l->base->world->backend->look(l->base, own, error);
  if (status) return status;
  if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
    return nr_error_set(error, NORIA_ERROR_INTERRUPTED, "rank %d was stopped in %s", l->w->pub.rank, text);
  if (nr_now_ns() < deadline) return NORIA_OK;
  return nr_error_set(error, NORIA_ERROR_LIMIT, "rank %d did not finish %s within %g s, though all ranks reached it",
                      l->w->pub.rank, text, nr_world_wait_s(&l->w->pub));
}

/* NCCL failed: where another rank did before, that is what failed. Its note may still be on its way. */
static NoriaStatus transport_failed(const Link *l, const NrSignature *own, const char *why, NoriaError *error) {
  NoriaStatus status = NORIA_OK;
  for (int64_t until = nr_now_ns() + SETTLE_NS; !status && nr_now_ns() < until; usleep(NAP_US))
    status = l->base->world->backend->look(l->base, own, error);
  return status ? status : nccl_failed(own, why, error);
}

/* Waits until what was begun on the link is done. */
static NoriaStatus finish(const Link *l, const NrSignature *own, const volatile int32_t *stop, NoriaError *error) {
  char text[NR_NCCL_TEXT];
  bool done = false;
  NoriaStatus status = NORIA_OK;
  int64_t begin = nr_now_ns(), next_look = begin + LOOK_NS, deadline = nr_world_deadline(&l->w->pub);
  while (!status && !done) {
    if (!l->w->transport->test(l->comm, &done, text)) status = transport_failed(l, own, text, error);
    int64_t now = nr_now_ns();
    if (status || done || now < next_look) continue;
    status = reason_to_leave(l, own, stop, deadline, error);
    next_look = now + LOOK_NS;
    if (now - begin > NAP_AFTER_NS) usleep(NAP_US);
  }
  /* After a failure the rank that reports it must not be ended by mpirun before. */
  if (!status) l->base->world->backend->look(l->base, NULL, NULL);
  return status;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* The id that the channel's first rank makes. */
static NoriaStatus agree_on_id(const Link *l, const NrSignature *own, const volatile int32_t *stop, void *out_id,
                               NoriaError *error) {
  char text[NR_NCCL_TEXT];
  int64_t count = nr_channel_count(l->base);
  unsigned char mine[NR_NCCL_ID_SIZE] = {0}, *all = malloc((size_t)count * sizeof mine);
  if (!all) return nr_error_set_memory(error, (size_t)count * sizeof mine);
  NoriaStatus status = NORIA_OK;
  if (nr_channel_rank(l->base) == 0 && !l->w->transport->make_id(mine, text)) status = nccl_failed(own, text, error);
  NrCollective call = {.kind = NR_ALL_GATHER, .dtype = NORIA_U8, .same_rows = true, .send_rows = 1, .recv_rows = count,
                       .row = sizeof mine, .send = mine, .recv = all, .place = own->place, .stop = stop};
  if (!status) status = nr_channel_run(l->base, &call, error);
  if (!status) memcpy(out_id, all, sizeof mine);
  free(all);
  return status;
}

/* All ranks of the channel are here. */
static NoriaStatus connect_ranks(Link *l, const NrSignature *own, const volatile int32_t *stop, NoriaError *error) {
  NcclWorld *w = l->w;
  char text[NR_NCCL_TEXT];
  unsigned char id[NR_NCCL_ID_SIZE];
  if (l->comm) return NORIA_OK;
  if (!w->device && !w->transport->open(w->pub.local_rank, &w->device, text)) return nccl_failed(own, text, error);
  NoriaStatus status = agree_on_id(l, own, stop, id, error);
  if (status) return status;
  if (!w->transport->join(w->device, id, (int32_t)nr_channel_rank(l->base), (int32_t)nr_channel_count(l->base),
                          &l->comm, text))
    return nccl_failed(own, text, error);
  return finish(l, own, stop, error);
}

static void drop_link(void *link) {
  Link *l = link;
  if (l->comm) l->w->transport->leave(l->comm, false);
  nr_channel_release(l->base);
  free(l);
}

/* Takes base. */
static NrMessageGroup *new_group(NcclWorld *w, NrChannel *base) {
  NrMessageGroup *g = nr_message_group_new((int32_t)nr_channel_count(base));
  Link *l = g ? malloc(sizeof *l) : NULL;
  if (!l) {
    nr_message_group_release(g);
    nr_channel_release(base);
    return NULL;
  }
  *l = (Link){w, base, NULL};
  g->link = l;
  g->unlink = drop_link;
  return g;
}

static void *default_group(NrWorld *world) {
  NrMessageGroup *g = nccl_world(world)->all;
  atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
  return g;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static NoriaStatus meet(NrMessenger *m, NrMessageGroup *g, int32_t me, const NrSignature *own,
                        const volatile int32_t *stop, NoriaError *error) {
  (void)m, (void)me;
  Link *l = g->link;
  NoriaStatus status = l->base->world->backend->meet(l->base, own, stop, g->signatures, error);
  return status ? status : connect_ranks(l, own, stop, error);
}

static NoriaStatus exchange(NrMessenger *m, const NrMessageGroup *g, int32_t count, const NrMessageCopy *copy,
                            const NrSignature *own, const volatile int32_t *stop, NoriaError *error) {
  (void)m;
  const Link *l = g->link;
  char text[NR_NCCL_TEXT];
  if (!l->w->transport->start(l->comm, g->messages, count, text)) return nccl_failed(own, text, error);
  if (copy) nr_copy(copy->to, copy->from, copy->size, copy->streams);
  return finish(l, own, stop, error);
}

/* Whether NCCL reduces as this runtime does: the order of the ranks does not matter, and the type is one of NCCL's. */
static bool is_native(const NcclWorld *w, const NrCollective *call) {
  return call->kind == NR_ALL_REDUCE && call->reduction != NR_REDUCTION_AVERAGE &&
         nr_dtype_info(call->dtype)->class != NR_DTYPE_FLOAT && w->transport->has_type(call->dtype);
}

static NoriaStatus reduce(NcclWorld *w, NrMessageGroup *g, int32_t me, const NrCollective *call,
                          const NrSignature *own, NoriaError *error) {
  const Link *l = g->link;
  char text[NR_NCCL_TEXT];
  NoriaStatus status = meet(&w->messenger, g, me, own, call->stop, error);
  if (status) return status;
  if (!w->transport->reduce(l->comm, call->dtype, (NoriaReduction)call->reduction, call->send, call->recv,
                            (size_t)(call->send_rows * call->row), text))
    return nccl_failed(own, text, error);
  return finish(l, own, call->stop, error);
}

static NoriaStatus run_nccl(NrChannel *channel, const NrCollective *call, const NrSignature *own, NoriaError *error) {
  NcclWorld *w = nccl_world(channel->world);
  NrMessageGroup *g = channel->group;
  Link *l = g->link;
  pthread_mutex_lock(&w->lock);
  NoriaStatus status = is_native(w, call) ? reduce(w, g, channel->rank, call, own, error)
                                          : nr_messages_run(&w->messenger, g, channel->rank, call, own, error);
  if (status && l->comm) {
    /* The others must know why before NCCL tells them that a rank is gone. */
    w->pub.base->backend->fail(w->pub.base, status, error->message ? error->message : "no memory");
    w->transport->leave(l->comm, true);
    l->comm = NULL;
  }
  pthread_mutex_unlock(&w->lock);
  return status;
}

static NoriaStatus split_nccl(NrChannel *channel, const NrSplit *split, const NrSignature *own, NrChannel *child,
                              NoriaError *error) {
  (void)own;
  NrMessageGroup *g = channel->group;
  NrChannel *base;
  NoriaStatus status = nr_channel_split(((Link *)g->link)->base, split, &base, error);
  if (status) return status;
  child->rank = (int32_t)nr_channel_rank(base);
  child->count = (int32_t)nr_channel_count(base);
  if (child->count < 2) {
    nr_channel_release(base);
    return NORIA_OK;
  }
  child->group = new_group(nccl_world(channel->world), base);
  return child->group ? NORIA_OK : nr_error_set_memory(error, sizeof(Link));
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static void fail_nccl(NrWorld *world, NoriaStatus code, const char *message) {
  world->base->backend->fail(world->base, code, message);
}

static NoriaStatus end_nccl(NrWorld *world, const char *why, NoriaError *error) {
  return nr_world_end(world->base, why, error);
}

static void destroy_nccl(NrWorld *world) {
  NcclWorld *w = nccl_world(world);
  nr_message_group_release(w->all);
  w->transport->close(w->device);
  nr_world_destroy(world->base);
  pthread_mutex_destroy(&w->lock);
  free(w->messenger.scratch);
  free(w);
}

static const NrBackend nccl_backend = {
    .run = run_nccl,
    .split = split_nccl,
    .default_group = default_group,
    .release_group = nr_message_group_release,
    .fail = fail_nccl,
    .end = end_nccl,
    .destroy = destroy_nccl,
};

NoriaStatus nr_world_over_nccl(const NrNcclTransport *transport, NrWorld **io_world, NoriaError *error) {
  NrWorld *base = *io_world;
  NcclWorld *w = calloc(1, sizeof *w);
  if (!w) return nr_error_set_memory(error, sizeof *w);
  if (pthread_mutex_init(&w->lock, NULL)) {
    free(w);
    return nr_error_set_memory(error, sizeof *w);
  }
  w->pub = (NrWorld){.backend = &nccl_backend, .base = base, .rank = base->rank, .count = base->count,
                     .local_rank = base->local_rank, .options = base->options,
                     .shares_process = base->shares_process};
  w->transport = transport;
  w->messenger = (NrMessenger){.exchange = exchange, .meet = meet, .meets = true};
  NrChannel *all;
  NoriaStatus status = nr_channel_default(base, NULL, &all, error);
  if (!status && !(w->all = new_group(w, all))) status = nr_error_set_memory(error, sizeof(Link));
  if (!status) {
    *io_world = &w->pub;
    return NORIA_OK;
  }
  pthread_mutex_destroy(&w->lock);
  free(w);
  return status;
}

NoriaStatus nr_nccl_load(const NrNcclTransport **out_transport, NoriaError *error) {
  const void *table;
  NoriaStatus status = nr_part_load("NCCL", NR_NCCL_LIBRARY, NR_NCCL_SYMBOL, NR_NCCL_VERSION, &table, error);
  *out_transport = status ? NULL : table;
  return status;
}
