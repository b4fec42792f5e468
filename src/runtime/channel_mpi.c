/* channel_mpi.c - ranks that an MPI launcher started. All calls of MPI are in libnoria_mpi.so, which is loaded here.
 *
 * Collectives are made of messages between two ranks, all started at once and then tested in a loop, so that a wait can
 * end for the time limit, the run's stop flag, or a rank that failed, ended or died. A rank that fails or ends tells
 * the others by notes, beside the data. That a process died is seen by its number, on one host; mpirun notices too and
 * terminates the other ranks, so while a rank waits it takes SIGTERM as a sign to look. */
#include "runtime/channel_messages.h"
#include "runtime/mpi/transport.h"
#include "runtime/part.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/guard.h"

/* ---- the world of this process ----------------------------------------------------------------------------------- */

typedef enum NoteKind { NOTE_ENDED, NOTE_FAILED } NoteKind;

typedef struct Note {
  int32_t kind, code;
  int32_t is_end; /* the rank's program failed, not a collective */
  char text[NR_NOTE_SIZE - 12];
} Note;
_Static_assert(sizeof(Note) == NR_NOTE_SIZE, "has no padding");

typedef struct NrMpiPeer {
  uint64_t host; /* equal where process numbers mean the same */
  int64_t process;
} NrMpiPeer;

typedef struct NrMpiWorld {
  NrWorld pub; /* first */
  const NrTransport *transport;
  pthread_mutex_t lock; /* one thread at a time calls the transport */
  NrMessenger messenger;
  NrMessageGroup *all;
  NrMpiPeer *peers;
  bool *have_ended;
  bool is_crowded; /* more ranks on this host than processors */
  bool has_failed, is_end;
  int32_t failed_rank;
  NoriaStatus code;
  char message[NR_NOTE_SIZE - 12];
} NrMpiWorld;

static NrMpiWorld *mpi_world(NrWorld *world) { return (NrMpiWorld *)world; }
static NrMpiWorld *world_of(NrMessenger *m) {
  return (NrMpiWorld *)((char *)m - offsetof(NrMpiWorld, messenger));
}

/* ---- SIGTERM while waiting --------------------------------------------------------------------------------------- */

/* is_waiting also holds after a failure: the rank that reports it must live long enough. mpirun kills it a second later
 * if it does not end. */
static volatile sig_atomic_t is_waiting, is_terminated;

static void on_terminate(int number) {
  if (is_waiting) {
    is_terminated = 1;
    return;
  }
  signal(number, SIG_DFL);
  raise(number);
}

/* Only where the program did not choose otherwise. */
static void watch_termination(bool on) {
  struct sigaction now;
  void (*expected)(int) = on ? SIG_DFL : on_terminate;
  if (sigaction(SIGTERM, NULL, &now) || (now.sa_flags & SA_SIGINFO) || now.sa_handler != expected) return;
  struct sigaction next = {.sa_handler = on ? on_terminate : SIG_DFL, .sa_flags = SA_RESTART};
  sigaction(SIGTERM, &next, NULL);
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static void take_notes(NrMpiWorld *w) {
  char text[NR_TRANSPORT_TEXT];
  Note note;
  int32_t peer = -1;
  while (w->transport->take_note(&peer, &note, text) && peer >= 0) {
    w->have_ended[peer] = true;
    if (note.kind != NOTE_FAILED) continue;
    /* Several ranks may fail at a time: the lowest reports. */
    if (w->has_failed && peer > w->failed_rank) continue;
    note.text[sizeof note.text - 1] = 0;
    w->has_failed = true;
    w->pub.reports = false;
    w->failed_rank = peer;
    w->code = (NoriaStatus)note.code;
    w->is_end = note.is_end;
    memcpy(w->message, note.text, sizeof note.text);
  }
}

static void send_notes(NrMpiWorld *w, NoteKind kind, NoriaStatus code, bool is_end, const char *message) {
  Note note = {.kind = kind, .code = (int32_t)code, .is_end = is_end};
  snprintf(note.text, sizeof note.text, "%s", message);
  char text[NR_TRANSPORT_TEXT];
  for (int32_t q = 0; q < w->pub.count; q++)
    if (q != w->pub.rank) (void)w->transport->send_note(q, &note, text);
}

enum { SETTLE_NS = 100000000, AGREE_NS = 500000000, LOOK_NS = 10000000, DYING_NS = 500000000, LINGER_NS = 1000000000 };
/* A rank that waits this long sleeps between tests that find nothing to do; sooner where there are more ranks than
 * processors, for then another rank may be waiting for this one's. */
enum { NAP_AFTER_NS = 20000000, CROWDED_NAP_AFTER_NS = 500000, IDLE_TEST_NS = 3000, NAP_US = 30 };

static void record(NrMpiWorld *w, NoriaStatus code, const char *message, bool is_end) {
  if (w->has_failed) return;
  w->has_failed = true;
  w->pub.reports = true;
  w->failed_rank = w->pub.rank;
  w->code = code;
  w->is_end = is_end;
  snprintf(w->message, sizeof w->message, "%s", message);
  send_notes(w, NOTE_FAILED, code, is_end, message);
  /* Lower ranks may have seen the same at the same time. mpirun leaves one that it terminates little time. */
  for (int64_t begin = nr_now_ns(); w->pub.rank > 0 && w->pub.reports; usleep(1000)) {
    if (nr_now_ns() - begin > (is_terminated ? SETTLE_NS : AGREE_NS)) break;
    take_notes(w);
  }
}

/* All ranks of a group see the same failure: the first reports. */
static void record_for_all(NrMpiWorld *w, const NrMessageGroup *g, int32_t me, NoriaStatus code, const char *message) {
  if (me == 0 || w->has_failed) {
    record(w, code, message, false);
    return;
  }
  w->has_failed = true;
  w->failed_rank = g->ranks[0];
  w->code = code;
  snprintf(w->message, sizeof w->message, "%s", message);
}

static void fail_mpi(NrWorld *world, NoriaStatus code, const char *message) {
  NrMpiWorld *w = mpi_world(world);
  pthread_mutex_lock(&w->lock);
  record(w, code, message, false);
  pthread_mutex_unlock(&w->lock);
}

static NoriaStatus other_failed(const NrMpiWorld *w, const NrSignature *own, NoriaError *error) {
  char text[128];
  if (!w->is_end) return nr_error_set(error, w->code, "%s", w->message);
  return nr_error_set(error, NORIA_ERROR_FAILED, "rank %d ended ('%s') before it reached %s", w->failed_rank,
                      w->message, nr_signature_text(own, text, sizeof text));
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

typedef struct Wait {
  NrMpiWorld *w;
  const NrSignature *own;
  const volatile int32_t *stop;
  NoriaError *error;
  int64_t begin, deadline, next_look, ended_since;
} Wait;

static bool is_dead(const NrMpiPeer *peer) {
  if (kill((pid_t)peer->process, 0) && errno == ESRCH) return true;
  char path[64], line[256] = "";
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)peer->process);
  FILE *f = fopen(path, "re");
  if (!f) return errno == ENOENT;
  size_t size = fread(line, 1, sizeof line - 1, f);
  fclose(f);
  line[size] = 0;
  const char *state = strrchr(line, ')'); /* the name before it may contain anything */
  return state && state[1] && (state[2] == 'Z' || state[2] == 'X');
}

static int32_t find_dead(const NrMpiWorld *w) {
  for (int32_t q = 0; q < w->pub.count; q++)
    if (q != w->pub.rank && !w->have_ended[q] && w->peers[q].host == w->peers[w->pub.rank].host &&
        is_dead(&w->peers[q]))
      return q;
  return -1;
}

/* A terminated rank looks for the one that died, which the system may not have removed yet. */
static NoriaStatus look_for_dead(const Wait *wait, const char *text) {
  NrMpiWorld *w = wait->w;
  int32_t dead = find_dead(w);
  for (int64_t until = nr_now_ns() + DYING_NS; is_terminated && dead < 0 && nr_now_ns() < until; usleep(1000))
    dead = find_dead(w);
  if (dead >= 0)
    return nr_error_set(wait->error, NORIA_ERROR_FAILED, "rank %d (process %lld) died while rank %d waited in %s", dead,
                        (long long)w->peers[dead].process, w->pub.rank, text);
  if (!is_terminated) return NORIA_OK;
  return nr_error_set(wait->error, NORIA_ERROR_INTERRUPTED, "rank %d was terminated while it waited in %s", w->pub.rank,
                      text);
}

/* Why the wait is to be given up; NORIA_OK: it goes on. */
static NoriaStatus reason_to_leave(Wait *wait) {
  NrMpiWorld *w = wait->w;
  take_notes(w);
  if (w->has_failed) return other_failed(w, wait->own, wait->error);
  char text[128];
  nr_signature_text(wait->own, text, sizeof text);
  int32_t peer = w->transport->awaited();
  if (peer >= 0 && wait->stop && __atomic_load_n(wait->stop, __ATOMIC_RELAXED))
    return nr_error_set(wait->error, NORIA_ERROR_INTERRUPTED, "rank %d was stopped while it waited for rank %d in %s",
                        w->pub.rank, peer, text);
  int64_t now = nr_now_ns();
  if (!is_terminated && now < wait->next_look) return NORIA_OK;
  wait->next_look = now + LOOK_NS;
  NoriaStatus status = look_for_dead(wait, text);
  if (status) return status;
  /* What the rank sent before it ended may still be on its way. */
  bool has_ended = peer >= 0 && w->have_ended[peer];
  if (!has_ended) wait->ended_since = now;
  if (has_ended && now - wait->ended_since > SETTLE_NS)
    return nr_error_set(wait->error, NORIA_ERROR_FAILED, "rank %d ended before it reached %s", peer, text);
  if (now < wait->deadline) return NORIA_OK;
  return nr_error_set(wait->error, NORIA_ERROR_LIMIT, "rank %d did not reach %s within %g s", peer, text,
                      nr_world_wait_s(&w->pub));
}

static NoriaStatus transport_failed(const NrSignature *own, const char *why, NoriaError *error) {
  char text[128];
  return nr_error_set(error, NORIA_ERROR_FAILED, "%s: %s", nr_signature_text(own, text, sizeof text), why);
}

static NoriaStatus finish(Wait *wait) {
  const NrTransport *t = wait->w->transport;
  char text[NR_TRANSPORT_TEXT];
  int64_t nap_after = wait->w->is_crowded ? CROWDED_NAP_AFTER_NS : NAP_AFTER_NS;
  for (unsigned round = 1;; round++) {
    bool done = false;
    int64_t begin = nr_now_ns();
    if (!t->test(&done, text)) return transport_failed(wait->own, text, wait->error);
    if (done) return NORIA_OK;
    int64_t now = nr_now_ns(), waited = now - wait->begin;
    /* Open MPI yields in test by itself where mpirun started more ranks than there are processors. */
    if (waited > nap_after && now - begin < IDLE_TEST_NS) usleep(NAP_US);
    NoriaStatus status = round % 32 ? NORIA_OK : reason_to_leave(wait);
    if (status) return status;
  }
}

static NoriaStatus exchange(NrMessenger *m, const NrMessageGroup *g, int32_t count, const NrMessageCopy *copy,
                            const NrSignature *own, const volatile int32_t *stop, NoriaError *error) {
  NrMpiWorld *w = world_of(m);
  char text[NR_TRANSPORT_TEXT];
  int64_t now = nr_now_ns();
  Wait wait = {w, own, stop, error, now, nr_world_deadline(&w->pub), now + LOOK_NS, now};
  if (!w->transport->start(g->messages, count, text)) return transport_failed(own, text, error);
  if (copy) nr_copy(copy->to, copy->from, copy->size, copy->streams);
  is_waiting = 1;
  NoriaStatus status = finish(&wait);
  if (!status) is_waiting = 0;
  return status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void *default_group(NrWorld *world) {
  NrMessageGroup *g = mpi_world(world)->all;
  atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
  return g;
}

/* Sends this rank's signature to all ranks of the group and gets theirs, which must match. */
static NoriaStatus meet(NrMessenger *m, NrMessageGroup *g, int32_t me, const NrSignature *own,
                        const volatile int32_t *stop, NoriaError *error) {
  int32_t count = 0;
  g->signatures[me] = *own;
  for (int32_t q = 0; q < g->count; q++) {
    if (q == me) continue;
    count = nr_message_add(g, count, q, false, &g->signatures[q], sizeof *own);
    count = nr_message_add(g, count, q, true, &g->signatures[me], sizeof *own);
  }
  NoriaStatus status = exchange(m, g, count, NULL, own, stop, error);
  if (status) return status;
  status = nr_signatures_match(g->signatures, g->count, m->meets, error);
  if (status) record_for_all(world_of(m), g, me, status, error->message ? error->message : "no memory");
  return status;
}

/* ---- the backend ------------------------------------------------------------------------------------------------- */

static NoriaStatus run_mpi(NrChannel *channel, const NrCollective *call, const NrSignature *own, NoriaError *error) {
  NrMpiWorld *w = mpi_world(channel->world);
  pthread_mutex_lock(&w->lock);
  NoriaStatus status = w->has_failed
                           ? other_failed(w, own, error)
                           : nr_messages_run(&w->messenger, channel->group, channel->rank, call, own, error);
  if (status) record(w, status, error->message ? error->message : "no memory", false);
  pthread_mutex_unlock(&w->lock);
  return status;
}

static NoriaStatus meet_mpi(NrChannel *channel, const NrSignature *own, const volatile int32_t *stop,
                            NrSignature *out_all, NoriaError *error) {
  NrMpiWorld *w = mpi_world(channel->world);
  NrMessageGroup *g = channel->group;
  pthread_mutex_lock(&w->lock);
  NoriaStatus status = w->has_failed ? other_failed(w, own, error)
                                     : meet(&w->messenger, g, channel->rank, own, stop, error);
  if (status) record(w, status, error->message ? error->message : "no memory", false);
  else memcpy(out_all, g->signatures, (size_t)g->count * sizeof *out_all);
  pthread_mutex_unlock(&w->lock);
  return status;
}

static NoriaStatus look_mpi(NrChannel *channel, const NrSignature *own, NoriaError *error) {
  NrMpiWorld *w = mpi_world(channel->world);
  Wait wait = {.w = w, .own = own, .error = error};
  char text[128];
  NoriaStatus status = NORIA_OK;
  is_waiting = own != NULL;
  if (!own) return NORIA_OK;
  pthread_mutex_lock(&w->lock);
  take_notes(w);
  if (w->has_failed) status = w->is_end ? NORIA_OK : other_failed(w, own, error);
  else status = look_for_dead(&wait, nr_signature_text(own, text, sizeof text));
  pthread_mutex_unlock(&w->lock);
  return status;
}

/* Messages between two ranks arrive in order, and every rank calls in the same order: so channels need no communicator
 * of their own, and a split only makes a list of ranks. */
static NoriaStatus split_mpi(NrChannel *channel, const NrSplit *split, const NrSignature *own, NrChannel *child,
                             NoriaError *error) {
  NrMpiWorld *w = mpi_world(channel->world);
  NrMessageGroup *g = channel->group;
  pthread_mutex_lock(&w->lock);
  NoriaStatus status = w->has_failed ? other_failed(w, own, error)
                                     : meet(&w->messenger, g, channel->rank, own, split->stop, error);
  if (status) record(w, status, error->message ? error->message : "no memory", false);
  pthread_mutex_unlock(&w->lock);
  if (status || split->color < 0) return status;
  int32_t count = 0;
  for (int32_t q = 0; q < g->count; q++) count += g->signatures[q].send_to == split->color;
  NrMessageGroup *made = nr_message_group_new(count);
  if (!made) return nr_error_set_memory(error, sizeof *made);
  for (int32_t q = 0; q < g->count; q++)
    if (g->signatures[q].send_to == split->color) made->ranks[nr_split_rank(g->signatures, g->count, q)] = g->ranks[q];
  child->group = made;
  child->count = count;
  child->rank = nr_split_rank(g->signatures, g->count, channel->rank);
  return NORIA_OK;
}

/* ---- beginning and ending ---------------------------------------------------------------------------------------- */

/* After success waits until all ranks have ended: MPI cannot be finalised before. */
static NoriaStatus wait_for_ends(NrMpiWorld *w, NoriaError *error) {
  for (int64_t next_look = 0;; usleep(200)) {
    take_notes(w);
    if (w->has_failed) return nr_error_set(error, w->code, "rank %d failed: %s", w->failed_rank, w->message);
    int32_t running = 0;
    for (int32_t q = 0; q < w->pub.count; q++) running += q != w->pub.rank && !w->have_ended[q];
    if (running == 0) return NORIA_OK;
    if (!is_terminated && nr_now_ns() < next_look) continue;
    next_look = nr_now_ns() + LOOK_NS;
    int32_t dead = find_dead(w);
    if (dead < 0) continue;
    return nr_error_set(error, NORIA_ERROR_FAILED, "rank %d (process %lld) died", dead,
                        (long long)w->peers[dead].process);
  }
}

static NoriaStatus end_mpi(NrWorld *world, const char *why, NoriaError *error) {
  NrMpiWorld *w = mpi_world(world);
  NoriaStatus status = NORIA_OK;
  pthread_mutex_lock(&w->lock);
  if (why) {
    record(w, NORIA_ERROR_FAILED, why, true);
  } else if (!w->has_failed) {
    NoriaError own_error = NORIA_ERROR_INIT, *e = error ? error : &own_error;
    send_notes(w, NOTE_ENDED, NORIA_OK, false, "");
    is_waiting = 1;
    status = wait_for_ends(w, e);
    if (!status) is_waiting = 0;
    if (status) record(w, status, e->message ? e->message : "no memory", false);
    noria_error_clear(&own_error);
  }
  pthread_mutex_unlock(&w->lock);
  return status;
}

static atomic_bool is_open; /* there is a world, or there was one that failed, so that MPI was not finalised */

static void free_world(NrMpiWorld *w) {
  watch_termination(false);
  nr_message_group_release(w->all);
  pthread_mutex_destroy(&w->lock);
  free(w->peers);
  free(w->have_ended);
  free(w->messenger.scratch);
  free(w);
}

/* When a process ends after a failure mpirun ends all others: so the one that reports goes first. */
static void let_report(const NrMpiWorld *w) {
  const NrMpiPeer *reporter = &w->peers[w->failed_rank];
  bool is_here = reporter->host == w->peers[w->pub.rank].host;
  int64_t until = nr_now_ns() + (is_here ? 5 : 1) * (int64_t)LINGER_NS;
  while (nr_now_ns() < until && !(is_here && is_dead(reporter))) usleep(5000);
}

static void destroy_mpi(NrWorld *world) {
  NrMpiWorld *w = mpi_world(world);
  char text[NR_TRANSPORT_TEXT];
  if (w->has_failed && !w->pub.reports) let_report(w);
  bool is_clean = !w->has_failed && w->transport->leave(text);
  free_world(w);
  if (is_clean) atomic_store(&is_open, false);
}

static const NrBackend mpi_backend = {
    .run = run_mpi,
    .split = split_mpi,
    .default_group = default_group,
    .release_group = nr_message_group_release,
    .fail = fail_mpi,
    .end = end_mpi,
    .destroy = destroy_mpi,
    .meet = meet_mpi,
    .look = look_mpi,
};

bool nr_world_is_under_mpi(void) {
  /* Open MPI; MPICH, Intel MPI and their relatives; PMIx, as srun --mpi=pmix sets it. */
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    if (getenv(names[i])) return true;
  return false;
}

static uint64_t hash_of_host(void) {
  char name[256] = "", space[64] = "";
  gethostname(name, sizeof name - 1);
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0) space[0] = 0;
  return nr_hash_mix(nr_hash_bytes(name, strlen(name)), nr_hash_bytes(space, strlen(space)));
}

/* Each rank tells all its process. */
static NoriaStatus introduce(NrMpiWorld *w, NoriaError *error) {
  NrSignature own = {.kind = NR_JOIN};
  int32_t count = 0;
  NrMpiPeer *me = &w->peers[w->pub.rank];
  *me = (NrMpiPeer){hash_of_host(), getpid()};
  for (int32_t q = 0; q < w->pub.count; q++) {
    if (q == w->pub.rank) continue;
    count = nr_message_add(w->all, count, q, false, &w->peers[q], sizeof *me);
    count = nr_message_add(w->all, count, q, true, me, sizeof *me);
  }
  return exchange(&w->messenger, w->all, count, NULL, &own, NULL, error);
}

static NoriaStatus new_world(const NrTransport *transport, int32_t rank, int32_t count, const NrWorldOptions *options,
                             NrMpiWorld **out_world, NoriaError *error) {
  NrMpiWorld *w = calloc(1, sizeof *w);
  if (!w) return nr_error_set_memory(error, sizeof *w);
  if (pthread_mutex_init(&w->lock, NULL)) {
    free(w);
    return nr_error_set_memory(error, sizeof *w);
  }
  w->pub = (NrWorld){.backend = &mpi_backend, .rank = rank, .count = count};
  if (options) w->pub.options = *options;
  w->transport = transport;
  w->messenger = (NrMessenger){.exchange = exchange, .meet = meet, .meets = w->pub.options.check};
  w->all = nr_message_group_new(count);
  w->peers = calloc((size_t)count, sizeof *w->peers);
  w->have_ended = calloc((size_t)count, sizeof *w->have_ended);
  NoriaStatus status = NORIA_OK;
  if (!w->all || !w->peers || !w->have_ended) status = nr_error_set_memory(error, sizeof *w);
  /* The processes of peers are not known yet: none of them looks dead. */
  for (int32_t q = 0; !status && q < count; q++) w->peers[q] = (NrMpiPeer){(uint64_t)q + 1, getpid()};
  if (!status) status = introduce(w, error);
  int32_t here = 0;
  for (int32_t q = 0; !status && q < count; q++) {
    bool is_here = w->peers[q].host == w->peers[rank].host;
    here += is_here;
    w->pub.local_rank += is_here && q < rank;
  }
  w->is_crowded = here > sysconf(_SC_NPROCESSORS_ONLN);
  if (status) {
    free_world(w);
    return status;
  }
  watch_termination(true);
  *out_world = w;
  return NORIA_OK;
}

NoriaStatus nr_world_create_mpi(const NrWorldOptions *options, NrWorld **out_world, NoriaError *error) {
  *out_world = NULL;
  const void *table;
  NoriaStatus status = nr_part_load("MPI", NR_TRANSPORT_LIBRARY, NR_TRANSPORT_SYMBOL, NR_TRANSPORT_VERSION, &table,
                                         error);
  if (status) return status;
  const NrTransport *transport = table;
  bool expected = false;
  if (!atomic_compare_exchange_strong(&is_open, &expected, true))
    return nr_error_set(error, NORIA_ERROR_INVALID, "this process has an MPI world, or had one that failed");
  char text[NR_TRANSPORT_TEXT];
  int32_t rank, count;
  if (!transport->join(options ? options->communicator : NULL, &rank, &count, text)) {
    atomic_store(&is_open, false);
    return nr_error_set(error, NORIA_ERROR_FAILED, "MPI: %s", text);
  }
  NrMpiWorld *w = NULL;
  status = new_world(transport, rank, count, options, &w, error);
  if (!status) *out_world = &w->pub;
  return status;
}
