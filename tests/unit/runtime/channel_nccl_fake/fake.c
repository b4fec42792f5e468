/* fake.c - the functions of CUDA and NCCL that src/runtime/nccl/transport.c calls, on host memory, so that its logic can be
 * tested without a GPU. "GPUs" are blocks of host memory; a message is a file in a folder that the id names, so ranks may
 * be threads or processes. As with NCCL, nothing blocks: a communicator is in progress until all ranks joined, a group
 * is taken at the second look, and a stream is ready when what it waits for has come. Misuse is an error: data that are
 * not in device memory, a call on a communicator that is in progress. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nccl.h"

/* Whether the next operation of this thread's rank fails. */
static __thread bool fails;
/* The rank whose next operation kills its process; -1: none. */
static int dies_at = -1;

enum { GPUS = 8, MOST_BLOCKS = 64, MOST_RANKS_OF_FAKE = 16, MOST_OPS = 512 };

/* ---- device memory ----------------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char *begin;
  size_t size;
} blocks[MOST_BLOCKS];

static bool is_on_device(const void *data, size_t size) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST_BLOCKS; i++) {
    const char *at = data;
    found |= blocks[i].begin && at >= blocks[i].begin && at + size <= blocks[i].begin + blocks[i].size;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

cudaError_t cudaMalloc(void **memory, size_t size) {
  char *block = malloc(size);
  *memory = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; block && !*memory && i < MOST_BLOCKS; i++) {
    if (blocks[i].begin) continue;
    blocks[i].begin = *memory = block;
    blocks[i].size = size;
  }
  pthread_mutex_unlock(&lock);
  if (!*memory) free(block);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MOST_BLOCKS && !found; i++)
    if (blocks[i].begin == memory) blocks[i].begin = NULL, found = true;
  pthread_mutex_unlock(&lock);
  if (found) free(memory);
  return found ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
  bool in = kind == cudaMemcpyHostToDevice;
  if (!stream || !is_on_device(in ? to : from, size) || is_on_device(in ? from : to, size)) return cudaErrorInvalidValue;
  memcpy(to, from, size);
  return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) { return error == cudaErrorNotReady ? "not ready" : "wrong use"; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = GPUS, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return device < GPUS ? cudaSuccess : cudaErrorInvalidValue; }

/* ---- messages ---------------------------------------------------------------------------------------------------- */

typedef struct Op {
  ncclComm_t comm;
  char *data;
  size_t size;
  int peer;
  int number; /* of the message from the peer */
  bool is_sum, done;
  ncclDataType_t type; /* of an all_reduce, whose parts are combined with data */
  ncclRedOp_t op;
} Op;

struct CUstream_st {
  Op ops[MOST_OPS]; /* what it waits for */
  int count;
  bool is_broken; /* a message of another size came */
};

struct ncclComm {
  char folder[100];
  int rank, count, looks;
  int sent[MOST_RANKS_OF_FAKE], received[MOST_RANKS_OF_FAKE];
  bool joined, finalizes, peer_is_gone;
};

static void path_of(char *path, size_t size, ncclComm_t c, int from, int to, int number) {
  snprintf(path, size, "%s/%d-%d-%d", c->folder, from, to, number);
}

static bool put_message(ncclComm_t c, int to, const void *data, size_t size) {
  char path[200], hidden[220];
  path_of(path, sizeof path, c, c->rank, to, c->sent[to]++);
  snprintf(hidden, sizeof hidden, "%s.part", path);
  int fd = open(hidden, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  bool ok = fd >= 0 && write(fd, data, size) == (ssize_t)size;
  if (fd >= 0) close(fd);
  return ok && rename(hidden, path) == 0;
}

/* 0: not there yet; 1: read; -1: of another size. */
static int take_message(ncclComm_t c, int from, int number, void *data, size_t size) {
  char path[200];
  struct stat about;
  snprintf(path, sizeof path, "%s/aborted%d", c->folder, from);
  bool aborted = access(path, F_OK) == 0; /* asked first: what it sent before is there */
  path_of(path, sizeof path, c, from, c->rank, number);
  int fd = open(path, O_RDONLY);
  if (fd < 0) c->peer_is_gone |= aborted;
  if (fd < 0) return 0;
  bool ok = fstat(fd, &about) == 0 && (size_t)about.st_size == size && read(fd, data, size) == (ssize_t)size;
  close(fd);
  unlink(path);
  return ok ? 1 : -1;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  *stream = flags == cudaStreamNonBlocking ? calloc(1, sizeof **stream) : NULL;
  return *stream ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return free(stream), cudaSuccess; }

#define COMBINE(T, U)                                                                                                  \
  for (size_t i = 0; i < size / sizeof(T); i++) {                                                                      \
    T *a = (T *)to + i, b = ((const T *)from)[i];                                                                      \
    *a = op == ncclSum    ? (T)((U)*a + (U)b)                                                                          \
         : op == ncclProd ? (T)((U)*a * (U)b)                                                                          \
         : op == ncclMin  ? (*a < b ? *a : b)                                                                          \
                          : (*a > b ? *a : b);                                                                         \
  }                                                                                                                    \
  break

static void combine(ncclDataType_t type, ncclRedOp_t op, void *to, const void *from, size_t size) {
  switch (type) {
    case ncclInt8: COMBINE(int8_t, uint32_t);
    case ncclUint8: COMBINE(uint8_t, uint32_t);
    case ncclInt32: COMBINE(int32_t, uint32_t);
    case ncclUint32: COMBINE(uint32_t, uint32_t);
    case ncclInt64: COMBINE(int64_t, uint64_t);
    default: COMBINE(uint64_t, uint64_t);
  }
}

cudaError_t cudaStreamQuery(cudaStream_t s) {
  bool ready = true;
  for (int i = 0; i < s->count && !s->is_broken; i++) {
    Op *op = &s->ops[i];
    if (op->done) continue;
    char *into = op->is_sum ? malloc(op->size) : op->data;
    int got = take_message(op->comm, op->peer, op->number, into, op->size);
    if (got > 0 && op->is_sum) combine(op->type, op->op, op->data, into, op->size);
    if (op->is_sum) free(into);
    op->done = got > 0;
    s->is_broken |= got < 0;
    ready &= op->done;
  }
  if (s->is_broken) return cudaErrorInvalidValue;
  if (ready) s->count = 0;
  return ready ? cudaSuccess : cudaErrorNotReady;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

const char *ncclGetErrorString(ncclResult_t result) {
  return result == ncclInvalidUsage ? "wrong use" : result == ncclRemoteError ? "a rank is gone" : "an error";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  const char *folder = getenv("TMPDIR");
  memset(id, 0, sizeof *id);
  snprintf(id->internal, 90, "%s/noria_fake_nccl_XXXXXX", folder ? folder : "/tmp");
  return mkdtemp(id->internal) ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int count, ncclUniqueId id, int rank, ncclConfig_t *config) {
  char path[200];
  if (config->blocking || count > MOST_RANKS_OF_FAKE) return ncclInvalidUsage;
  ncclComm_t c = *comm = calloc(1, sizeof *c);
  memcpy(c->folder, id.internal, sizeof c->folder - 1);
  c->rank = rank;
  c->count = count;
  snprintf(path, sizeof path, "%s/rank%d", c->folder, rank);
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd < 0) return ncclSystemError;
  close(fd);
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *state) {
  char path[200];
  *state = ncclSuccess;
  for (int q = 0; q < c->count && !c->joined; q++) {
    snprintf(path, sizeof path, "%s/rank%d", c->folder, q);
    if (access(path, F_OK)) *state = ncclInProgress;
  }
  if (*state == ncclSuccess) c->joined = true;
  if (c->peer_is_gone) *state = ncclRemoteError;
  else if (c->looks > 0) c->looks--, *state = ncclInProgress;
  return ncclSuccess;
}

static ncclResult_t end(ncclComm_t c) { return free(c), ncclSuccess; }
ncclResult_t ncclCommFinalize(ncclComm_t c) { return c->finalizes = true, ncclInProgress; }
ncclResult_t ncclCommDestroy(ncclComm_t c) { return c->finalizes ? end(c) : ncclInvalidUsage; }

ncclResult_t ncclCommAbort(ncclComm_t c) {
  char path[200];
  snprintf(path, sizeof path, "%s/aborted%d", c->folder, c->rank);
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  if (fd >= 0) close(fd);
  return end(c);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static __thread bool in_group;
static __thread ncclComm_t of_group;

ncclResult_t ncclGroupStart(void) { return in_group = true, of_group = NULL, ncclSuccess; }

ncclResult_t ncclGroupEnd(void) {
  if (!in_group) return ncclInvalidUsage;
  in_group = false;
  if (of_group) of_group->looks = 1;
  return of_group ? ncclInProgress : ncclSuccess;
}

static bool is_right(ncclComm_t c, const void *data, size_t size, cudaStream_t stream) {
  of_group = c;
  return c->joined && c->looks == 0 && stream && is_on_device(data, size);
}

static bool wait_for(cudaStream_t s, Op op) {
  if (s->count == MOST_OPS) return false;
  op.number = op.comm->received[op.peer]++;
  s->ops[s->count++] = op;
  return true;
}

ncclResult_t ncclSend(const void *data, size_t count, ncclDataType_t type, int peer, ncclComm_t c, cudaStream_t stream) {
  if (fails) return ncclSystemError;
  if (c->rank == dies_at) raise(SIGKILL);
  bool ok = in_group && type == ncclUint8 && is_right(c, data, count, stream) && put_message(c, peer, data, count);
  return ok ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t ncclRecv(void *data, size_t count, ncclDataType_t type, int peer, ncclComm_t c, cudaStream_t stream) {
  Op op = {.comm = c, .data = data, .size = count, .peer = peer};
  bool ok = in_group && type == ncclUint8 && is_right(c, data, count, stream) && wait_for(stream, op);
  return ok ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t how,
                           ncclComm_t c, cudaStream_t stream) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8};
  size_t size = count * sizes[type];
  if (!is_right(c, send, size, stream) || !is_right(c, recv, size, stream)) return ncclInvalidUsage;
  for (int k = 1; k < c->count; k++) {
    int peer = (c->rank + k) % c->count;
    Op op = {.comm = c, .data = recv, .size = size, .peer = peer, .is_sum = true, .type = type, .op = how};
    if (!put_message(c, peer, send, size) || !wait_for(stream, op)) return ncclInvalidUsage;
  }
  if (send != recv) memcpy(recv, send, size);
  c->looks = 1;
  return ncclInProgress;
}
