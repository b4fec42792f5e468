/* message.h - what the libraries that move bytes between ranks take: libnoria_mpi.so (mpi/transport.h) and
 * libnoria_nccl.so (nccl/transport.h). Includes nothing of ours. */
#ifndef NORIA_RUNTIME_MESSAGE_H
#define NORIA_RUNTIME_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes to or from a rank. Between two ranks messages arrive in the order in which they were started. */
typedef struct NrMessage {
  int32_t peer;
  bool is_sent; /* else received */
  void *data;   /* not written when it is sent */
  size_t size;
} NrMessage;

#endif
