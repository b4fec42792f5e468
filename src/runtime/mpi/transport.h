/* transport.h - the interface of libnoria_mpi.so to channel_mpi.c: one exported table. All calls of MPI are behind it,
 * so that nothing else is linked to an MPI library. It moves bytes between ranks and knows nothing of collectives.
 *
 * Functions return true, or false with the reason in text (TRANSPORT_TEXT bytes). Called by one thread at a time. */
#ifndef NORIA_RUNTIME_MPI_TRANSPORT_H
#define NORIA_RUNTIME_MPI_TRANSPORT_H

#include "runtime/message.h"

#define NR_TRANSPORT_LIBRARY "libnoria_mpi.so"
#define NR_TRANSPORT_SYMBOL "nr_mpi_transport"
enum { NR_TRANSPORT_VERSION = 2, NR_TRANSPORT_TEXT = 300, NR_NOTE_SIZE = 512 };

typedef struct NrTransport {
  int32_t version;
  /* Initialises MPI, unless the program has done so, and gives this process' rank and the number of ranks.
   * communicator: the Fortran handle of theirs, or NULL: MPI_COMM_WORLD. */
  bool (*join)(const int32_t *communicator, int32_t *out_rank, int32_t *out_count, char *text);
  /* Starts all messages. Their memory stays the transport's until test says done. */
  bool (*start)(const NrMessage *messages, int32_t count, char *text);
  /* Makes progress with what start began. */
  bool (*test)(bool *out_done, char *text);
  /* The peer of the first message that is not done; -1: there is none. */
  int32_t (*awaited)(void);
  /* Notes: short messages of NR_NOTE_SIZE bytes beside all others. send gives up after a second without progress. */
  bool (*send_note)(int32_t peer, const void *note, char *text);
  /* *out_peer = -1: there is none. */
  bool (*take_note)(int32_t *out_peer, void *note, char *text);
  /* Finalises MPI if join initialised it. Not to be called after a failure: it waits for all ranks. */
  bool (*leave)(char *text);
} NrTransport;

#endif
