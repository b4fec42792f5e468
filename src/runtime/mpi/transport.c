/* transport.c - libnoria_mpi.so: moves bytes between ranks by MPI. */
#include "runtime/mpi/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Communicators of our own, so that messages of the embedding program do not mix with these. */
static MPI_Comm data_comm = MPI_COMM_NULL, note_comm = MPI_COMM_NULL;
static bool finalizes;

/* What start began, in the order of the messages; long messages have several requests. */
static MPI_Request *requests;
static int32_t *peers;
static int num_requests, capacity;

/* MPI counts bytes in an int. */
enum { LONGEST = 1 << 30, TAG = 1 };

static bool check(int code, const char *what, char *text) {
  if (code == MPI_SUCCESS) return true;
  char reason[MPI_MAX_ERROR_STRING] = "unknown";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  snprintf(text, NR_TRANSPORT_TEXT, "%s: %s", what, reason);
  return false;
}

static bool duplicate(MPI_Comm comm, MPI_Comm *out_comm, char *text) {
  return check(MPI_Comm_dup(comm, out_comm), "MPI_Comm_dup", text) &&
         check(MPI_Comm_set_errhandler(*out_comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", text);
}

static bool join(const int32_t *communicator, int32_t *out_rank, int32_t *out_count, char *text) {
  int is_there = 0, is_over = 0, level = 0, rank = 0, count = 1;
  MPI_Initialized(&is_there);
  MPI_Finalized(&is_over);
  if (is_over) {
    snprintf(text, NR_TRANSPORT_TEXT, "MPI was finalized in this process and cannot be initialized again");
    return false;
  }
  if (!is_there && !check(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread", text))
    return false;
  finalizes = !is_there;
  MPI_Comm comm = communicator ? MPI_Comm_f2c((MPI_Fint)*communicator) : MPI_COMM_WORLD;
  if (comm == MPI_COMM_NULL) {
    snprintf(text, NR_TRANSPORT_TEXT, "this process is not in the communicator");
    return false;
  }
  if (!duplicate(comm, &data_comm, text) || !duplicate(comm, &note_comm, text)) return false;
  MPI_Comm_rank(data_comm, &rank);
  MPI_Comm_size(data_comm, &count);
  *out_rank = rank;
  *out_count = count;
  return true;
}

static bool reserve(size_t wanted, char *text) {
  if (wanted <= (size_t)capacity) return true;
  MPI_Request *more_requests = realloc(requests, wanted * sizeof *requests);
  if (more_requests) requests = more_requests;
  int32_t *more_peers = realloc(peers, wanted * sizeof *peers);
  if (more_peers) peers = more_peers;
  if (!more_requests || !more_peers) {
    snprintf(text, NR_TRANSPORT_TEXT, "no memory for %zu messages", wanted);
    return false;
  }
  capacity = (int)wanted;
  return true;
}

static bool start_one(const NrMessage *m, char *text) {
  for (size_t at = 0; at < m->size; at += LONGEST) {
    size_t rest = m->size - at;
    int size = rest < LONGEST ? (int)rest : LONGEST, code;
    MPI_Request *request = &requests[num_requests];
    if (m->is_sent)
      code = MPI_Isend((char *)m->data + at, size, MPI_BYTE, m->peer, TAG, data_comm, request);
    else
      code = MPI_Irecv((char *)m->data + at, size, MPI_BYTE, m->peer, TAG, data_comm, request);
    if (!check(code, m->is_sent ? "MPI_Isend" : "MPI_Irecv", text)) return false;
    peers[num_requests++] = m->peer;
  }
  return true;
}

static bool start(const NrMessage *messages, int32_t count, char *text) {
  size_t wanted = 0;
  for (int32_t i = 0; i < count; i++) wanted += messages[i].size / LONGEST + 1;
  num_requests = 0;
  if (!reserve(wanted, text)) return false;
  /* Receives first: what arrives then has its place. */
  for (int sent = 0; sent < 2; sent++)
    for (int32_t i = 0; i < count; i++)
      if (messages[i].is_sent == (sent == 1) && !start_one(&messages[i], text)) return false;
  return true;
}

static bool test(bool *out_done, char *text) {
  int done = 0, code = MPI_Testall(num_requests, requests, &done, MPI_STATUSES_IGNORE);
  *out_done = done;
  if (code != MPI_ERR_IN_STATUS) return check(code, "MPI_Testall", text);
  snprintf(text, NR_TRANSPORT_TEXT, "MPI_Testall: the ranks send and receive different sizes");
  return false;
}

static int32_t awaited(void) {
  for (int i = 0; i < num_requests; i++) {
    int done = 0;
    if (requests[i] != MPI_REQUEST_NULL &&
        (MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done))
      return peers[i];
  }
  return -1;
}

static bool send_note(int32_t peer, const void *note, char *text) {
  MPI_Request request;
  if (!check(MPI_Isend(note, NR_NOTE_SIZE, MPI_BYTE, peer, TAG, note_comm, &request), "MPI_Isend", text)) return false;
  int done = 0;
  double until = MPI_Wtime() + 1;
  while (!done && MPI_Wtime() < until)
    if (!check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test", text)) return false;
  if (!done) snprintf(text, NR_TRANSPORT_TEXT, "rank %d does not answer", (int)peer);
  return done;
}

static bool take_note(int32_t *out_peer, void *note, char *text) {
  int there = 0;
  MPI_Status status;
  *out_peer = -1;
  if (!check(MPI_Iprobe(MPI_ANY_SOURCE, TAG, note_comm, &there, &status), "MPI_Iprobe", text)) return false;
  if (!there) return true;
  *out_peer = status.MPI_SOURCE;
  return check(MPI_Recv(note, NR_NOTE_SIZE, MPI_BYTE, status.MPI_SOURCE, TAG, note_comm, MPI_STATUS_IGNORE), "MPI_Recv",
               text);
}

static bool leave(char *text) {
  free(requests);
  free(peers);
  requests = NULL;
  peers = NULL;
  num_requests = capacity = 0;
  if (!check(MPI_Comm_free(&data_comm), "MPI_Comm_free", text)) return false;
  if (!check(MPI_Comm_free(&note_comm), "MPI_Comm_free", text)) return false;
  return !finalizes || check(MPI_Finalize(), "MPI_Finalize", text);
}

extern const NrTransport nr_mpi_transport;
const NrTransport nr_mpi_transport = {
    .version = NR_TRANSPORT_VERSION,
    .join = join,
    .start = start,
    .test = test,
    .awaited = awaited,
    .send_note = send_note,
    .take_note = take_note,
    .leave = leave,
};
