/* channel_messages.h - collectives made of messages between two ranks, for backends that move bytes: MPI and NCCL. */
#ifndef NORIA_RUNTIME_CHANNEL_MESSAGES_H
#define NORIA_RUNTIME_CHANNEL_MESSAGES_H

#include "runtime/channel_internal.h"
#include "runtime/message.h"

/* The ranks of a channel. */
typedef struct NrMessageGroup {
  atomic_int refs;
  int32_t count;
  NrSignature *signatures; /* of their calls */
  NrMessage *messages;     /* room for four for each rank */
  void *link;              /* of the backend */
  void (*unlink)(void *link);
  int32_t ranks[]; /* peers of messages */
} NrMessageGroup;

/* With one reference, peers 0, 1, 2, ... and no link. NULL without memory. */
NrMessageGroup *nr_message_group_new(int32_t count);
void nr_message_group_release(void *group); /* NULL is fine */

/* Appends a message to or from a rank of the group after the first `at`, and gives their new number. Those without
 * bytes are left out: on both sides, since both know the size. */
int32_t nr_message_add(NrMessageGroup *g, int32_t at, int32_t rank, bool is_sent, const void *data, size_t size);
/* What a rank gives itself. */
typedef struct NrMessageCopy {
  void *to;
  const void *from;
  size_t size;
  bool streams; /* as in nr_copy */
} NrMessageCopy;

/* How a backend moves bytes. */
typedef struct NrMessenger {
  /* Sends and receives the group's first count messages; makes the copy (may be NULL) after they have started. */
  NoriaStatus (*exchange)(struct NrMessenger *m, const NrMessageGroup *g, int32_t count, const NrMessageCopy *copy,
                          const NrSignature *own, const volatile int32_t *stop, NoriaError *error);
  /* Fills the group's signatures with the calls of all ranks, which match. */
  NoriaStatus (*meet)(struct NrMessenger *m, NrMessageGroup *g, int32_t me, const NrSignature *own,
                      const volatile int32_t *stop, NoriaError *error);
  bool meets;    /* before every collective, not only where rows differ */
  char *scratch; /* what others send to be reduced; the backend frees it */
  size_t scratch_size;
} NrMessenger;

/* One collective of rank me of the group. */
NoriaStatus nr_messages_run(NrMessenger *m, NrMessageGroup *g, int32_t me, const NrCollective *call,
                            const NrSignature *own, NoriaError *error);

#endif
