/* transport.h - the interface of libnoria_nccl.so to channel_nccl.c: one exported table. All calls of CUDA and NCCL are
 * behind it. It moves bytes of this process' memory between ranks, by way of the memory of GPUs.
 *
 * Functions return true, or false with the reason in text (NR_NCCL_TEXT bytes). A device and its links are used by one
 * thread at a time. Nothing waits for other ranks but test's caller. */
#ifndef NORIA_RUNTIME_NCCL_TRANSPORT_H
#define NORIA_RUNTIME_NCCL_TRANSPORT_H

#include "noria/exec_abi.h"
#include "runtime/message.h"

#define NR_NCCL_LIBRARY "libnoria_nccl.so"
#define NR_NCCL_SYMBOL "nr_nccl_transport"
enum { NR_NCCL_VERSION = 1, NR_NCCL_TEXT = 300, NR_NCCL_ID_SIZE = 128 };

typedef struct NrNcclDevice NrNcclDevice; /* a GPU, as one rank uses it */
typedef struct NrNcclLink NrNcclLink;     /* one rank's connection to the ranks of a channel */

typedef struct NrNcclTransport {
  int32_t version;
  /* The GPU of the rank that is number `local` of those on this machine: each has one of its own. */
  bool (*open)(int32_t local, NrNcclDevice **out_device, char *text);
  void (*close)(NrNcclDevice *device); /* after its links; NULL is fine */
  /* What all ranks of a new link give to join, made by one of them: NR_NCCL_ID_SIZE bytes. */
  bool (*make_id)(void *id, char *text);
  bool (*join)(NrNcclDevice *device, const void *id, int32_t rank, int32_t count, NrNcclLink **out_link, char *text);
  /* Starts all messages; peers are ranks of the link. Their memory stays the transport's until test says done. */
  bool (*start)(NrNcclLink *link, const NrMessage *messages, int32_t count, char *text);
  /* Starts an all_reduce of `count` integers, of a type that has_type, by a sum, product, minimum or maximum. */
  bool (*reduce)(NrNcclLink *link, NoriaDType dtype, NoriaReduction reduction, const void *send, void *recv,
                 size_t count, char *text);
  bool (*has_type)(NoriaDType dtype);
  /* Makes progress with what join, start or reduce began. */
  bool (*test)(NrNcclLink *link, bool *out_done, char *text);
  void (*leave)(NrNcclLink *link, bool aborts); /* aborts: after a failure, so that other ranks end too */
} NrNcclTransport;

#endif
