/* channel_mpi.h - what the two files of the MPI backend share: channel_mpi.c, which begins, waits and ends, and
 * channel_mpi_run.c, which makes collectives of messages. */
#ifndef NORIA_RUNTIME_CHANNEL_MPI_H
#define NORIA_RUNTIME_CHANNEL_MPI_H

#include <pthread.h>

#include "runtime/channel_internal.h"
#include "runtime/mpi/transport.h"

typedef struct NrMpiPeer {
  uint64_t host; /* equal where process numbers mean the same */
  int64_t process;
} NrMpiPeer;

/* The ranks of a channel, by their ranks in the world. */
typedef struct NrMpiGroup {
  atomic_int refs;
  int32_t count;
  NrSignature *signatures;
  NrMessage *messages; /* room for four for each rank */
  int32_t ranks[];
} NrMpiGroup;

typedef struct NrMpiWorld {
  NrWorld pub; /* first */
  const NrTransport *transport;
  pthread_mutex_t lock; /* one thread at a time calls the transport */
  NrMpiGroup *all;
  NrMpiPeer *peers;
  bool *have_ended;
  char *scratch; /* what others send to be reduced */
  size_t scratch_size;
  bool is_crowded; /* more ranks on this host than processors */
  bool has_failed, is_end;
  int32_t failed_rank;
  NoriaStatus code;
  char message[NR_NOTE_SIZE - 12];
} NrMpiWorld;

/* Appends a message to or from a rank of the group after the first `at`, and gives their new number. Those without
 * bytes are left out: on both sides, since both know the size. */
int32_t nr_mpi_add(NrMpiGroup *g, int32_t at, int32_t rank, bool is_sent, const void *data, size_t size);
/* What a rank gives itself. */
typedef struct NrMpiCopy {
  void *to;
  const void *from;
  size_t size;
  bool streams; /* as in nr_copy */
} NrMpiCopy;
/* Sends and receives the group's first count messages; makes the copy (may be NULL) after they have started. */
NoriaStatus nr_mpi_exchange(NrMpiWorld *w, const NrMpiGroup *g, int32_t count, const NrMpiCopy *copy,
                            const NrSignature *own, const volatile int32_t *stop, NoriaError *error);
/* Sends this rank's signature to all ranks of the group and gets theirs, which must match. */
NoriaStatus nr_mpi_meet(NrMpiWorld *w, NrMpiGroup *g, int32_t me, const NrSignature *own, const volatile int32_t *stop,
                        NoriaError *error);
/* One collective. The world is locked and has not failed. */
NoriaStatus nr_mpi_run(NrMpiWorld *w, NrChannel *channel, const NrCollective *call, const NrSignature *own,
                       NoriaError *error);

#endif
