/* transport.c - libnoria_nccl.so: moves bytes between ranks by NCCL. What is sent is copied to the GPU's memory, and
 * what is received from there.
 *
 * Links do not block: NCCL's functions may return ncclInProgress, and test asks how far it got. An operation goes
 * through phases: NCCL takes it, the GPUs move bytes, and what came is copied to the host. The last copy may block, so
 * it is begun when the bytes are there. */
#include "runtime/nccl/transport.h"

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(ncclUniqueId) == NR_NCCL_ID_SIZE, "the size of an id");

struct NrNcclDevice {
  int number;
  cudaStream_t stream;
  char *memory; /* on the GPU */
  size_t size;
};

typedef enum Phase { IDLE, JOINS, IS_TAKEN, MOVES, COPIES } Phase;

/* Bytes on the GPU that go to the host in the end. */
typedef struct Arrival {
  void *to;
  const char *from;
  size_t size;
} Arrival;

struct NrNcclLink {
  NrNcclDevice *device;
  ncclComm_t comm;
  Phase phase;
  Arrival *arrivals;
  int32_t num_arrivals, capacity;
};

static bool cuda_ok(cudaError_t code, const char *what, char *text) {
  if (code == cudaSuccess) return true;
  snprintf(text, NR_NCCL_TEXT, "%s: %s", what, cudaGetErrorString(code));
  return false;
}

static bool nccl_ok(ncclResult_t code, const char *what, char *text) {
  if (code == ncclSuccess || code == ncclInProgress) return true;
  snprintf(text, NR_NCCL_TEXT, "%s: %s", what, ncclGetErrorString(code));
  return false;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

static void close_device(NrNcclDevice *device) {
  if (!device) return;
  cudaSetDevice(device->number);
  if (device->memory) cudaFree(device->memory);
  if (device->stream) cudaStreamDestroy(device->stream);
  free(device);
}

static bool open_device(int32_t local, NrNcclDevice **out_device, char *text) {
  int count = 0;
  *out_device = NULL;
  if (!cuda_ok(cudaGetDeviceCount(&count), "cudaGetDeviceCount", text)) return false;
  if (local >= count) {
    snprintf(text, NR_NCCL_TEXT, "each rank needs a GPU of its own, and this machine has %d", count);
    return false;
  }
  NrNcclDevice *device = calloc(1, sizeof *device);
  if (!device) {
    snprintf(text, NR_NCCL_TEXT, "no memory");
    return false;
  }
  device->number = local;
  if (cuda_ok(cudaSetDevice(local), "cudaSetDevice", text) &&
      cuda_ok(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags", text)) {
    *out_device = device;
    return true;
  }
  close_device(device);
  return false;
}

/* Parts of the device's memory begin at multiples of this. */
enum { PART = 256 };
static size_t part_size(size_t size) { return (size + PART - 1) / PART * PART; }

static bool reserve(NrNcclDevice *device, size_t size, char *text) {
  if (size <= device->size) return true;
  if (device->memory && !cuda_ok(cudaFree(device->memory), "cudaFree", text)) return false;
  device->memory = NULL;
  device->size = 0;
  if (!cuda_ok(cudaMalloc((void **)&device->memory, size), "cudaMalloc", text)) return false;
  device->size = size;
  return true;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

static bool make_id(void *id, char *text) { return nccl_ok(ncclGetUniqueId(id), "ncclGetUniqueId", text); }

static bool join(NrNcclDevice *device, const void *id, int32_t rank, int32_t count, NrNcclLink **out_link, char *text) {
  ncclUniqueId all;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  NrNcclLink *link = *out_link = calloc(1, sizeof *link);
  if (!link) {
    snprintf(text, NR_NCCL_TEXT, "no memory");
    return false;
  }
  memcpy(&all, id, sizeof all);
  config.blocking = 0;
  link->device = device;
  link->phase = JOINS;
  if (cuda_ok(cudaSetDevice(device->number), "cudaSetDevice", text) &&
      nccl_ok(ncclCommInitRankConfig(&link->comm, count, all, rank, &config), "ncclCommInitRankConfig", text))
    return true;
  if (link->comm) ncclCommAbort(link->comm);
  free(link);
  *out_link = NULL;
  return false;
}

/* Whether NCCL has done what it was asked for last, apart from what the GPUs do. */
static bool is_taken(NrNcclLink *link, bool *out_taken, char *text) {
  ncclResult_t state = ncclSuccess;
  if (!nccl_ok(ncclCommGetAsyncError(link->comm, &state), "ncclCommGetAsyncError", text)) return false;
  *out_taken = state == ncclSuccess;
  return nccl_ok(state, "NCCL", text);
}

static void leave(NrNcclLink *link, bool aborts) {
  enum { TRIES = 1000, PAUSE_US = 1000 };
  char text[NR_NCCL_TEXT];
  bool taken = false, ok = !aborts && nccl_ok(ncclCommFinalize(link->comm), "ncclCommFinalize", text);
  for (int i = 0; ok && !taken && i < TRIES; i++) {
    ok = is_taken(link, &taken, text);
    if (ok && !taken) usleep(PAUSE_US);
  }
  if (taken) ncclCommDestroy(link->comm);
  else ncclCommAbort(link->comm);
  free(link->arrivals);
  free(link);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static bool begin(NrNcclLink *link, size_t size, int32_t arrivals, char *text) {
  link->num_arrivals = 0;
  if (arrivals > link->capacity) {
    Arrival *more = realloc(link->arrivals, (size_t)arrivals * sizeof *more);
    if (!more) {
      snprintf(text, NR_NCCL_TEXT, "no memory for %d messages", (int)arrivals);
      return false;
    }
    link->arrivals = more;
    link->capacity = arrivals;
  }
  return cuda_ok(cudaSetDevice(link->device->number), "cudaSetDevice", text) && reserve(link->device, size, text);
}

static bool copy_in(NrNcclLink *link, char *to, const void *from, size_t size, char *text) {
  return cuda_ok(cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, link->device->stream), "cudaMemcpyAsync",
                 text);
}

static bool start_one(NrNcclLink *link, const NrMessage *m, char *at, char *text) {
  cudaStream_t stream = link->device->stream;
  if (m->is_sent) return nccl_ok(ncclSend(at, m->size, ncclUint8, m->peer, link->comm, stream), "ncclSend", text);
  link->arrivals[link->num_arrivals++] = (Arrival){m->data, at, m->size};
  return nccl_ok(ncclRecv(at, m->size, ncclUint8, m->peer, link->comm, stream), "ncclRecv", text);
}

static bool start(NrNcclLink *link, const NrMessage *messages, int32_t count, char *text) {
  size_t size = 0, at = 0;
  for (int32_t i = 0; i < count; i++) size += part_size(messages[i].size);
  if (!begin(link, size, count, text)) return false;
  link->phase = count ? IS_TAKEN : IDLE;
  if (count == 0) return true;
  for (int32_t i = 0; i < count; at += part_size(messages[i++].size))
    if (messages[i].is_sent && !copy_in(link, link->device->memory + at, messages[i].data, messages[i].size, text))
      return false;
  if (!nccl_ok(ncclGroupStart(), "ncclGroupStart", text)) return false;
  bool ok = true;
  at = 0;
  for (int32_t i = 0; ok && i < count; at += part_size(messages[i++].size))
    ok = start_one(link, &messages[i], link->device->memory + at, text);
  ncclResult_t ended = ncclGroupEnd();
  return ok && nccl_ok(ended, "ncclGroupEnd", text);
}

/* NCCL's integers; it has none of 16 bits. */
static bool type_of(NoriaDType dtype, ncclDataType_t *out, size_t *out_size) {
  switch (dtype) {
  case NORIA_I8: *out = ncclInt8, *out_size = 1; return true;
  case NORIA_U8: *out = ncclUint8, *out_size = 1; return true;
  case NORIA_I32: *out = ncclInt32, *out_size = 4; return true;
  case NORIA_U32: *out = ncclUint32, *out_size = 4; return true;
  case NORIA_I64: *out = ncclInt64, *out_size = 8; return true;
  case NORIA_U64: *out = ncclUint64, *out_size = 8; return true;
  default: return false;
  }
}

static bool has_type(NoriaDType dtype) {
  ncclDataType_t type;
  size_t size;
  return type_of(dtype, &type, &size);
}

static ncclRedOp_t operation_of(NoriaReduction reduction) {
  switch (reduction) {
  case NORIA_REDUCE_PRODUCT: return ncclProd;
  case NORIA_REDUCE_MINIMUM: return ncclMin;
  case NORIA_REDUCE_MAXIMUM: return ncclMax;
  default: return ncclSum;
  }
}

static bool reduce(NrNcclLink *link, NoriaDType dtype, NoriaReduction reduction, const void *send, void *recv,
                   size_t count, char *text) {
  ncclDataType_t type;
  size_t size;
  if (!type_of(dtype, &type, &size)) {
    snprintf(text, NR_NCCL_TEXT, "NCCL has no integers of type %d", (int)dtype);
    return false;
  }
  size *= count;
  if (!begin(link, size, 1, text)) return false;
  link->phase = count ? IS_TAKEN : IDLE;
  if (count == 0) return true;
  char *memory = link->device->memory;
  link->arrivals[link->num_arrivals++] = (Arrival){recv, memory, size};
  return copy_in(link, memory, send, size, text) &&
         nccl_ok(ncclAllReduce(memory, memory, count, type, operation_of(reduction), link->comm, link->device->stream),
                 "ncclAllReduce", text);
}

static bool copy_out(NrNcclLink *link, char *text) {
  for (int32_t i = 0; i < link->num_arrivals; i++) {
    const Arrival *a = &link->arrivals[i];
    if (!cuda_ok(cudaMemcpyAsync(a->to, a->from, a->size, cudaMemcpyDeviceToHost, link->device->stream),
                 "cudaMemcpyAsync", text))
      return false;
  }
  return true;
}

static bool test(NrNcclLink *link, bool *out_done, char *text) {
  bool taken = false;
  *out_done = link->phase == IDLE;
  if (*out_done) return true;
  if (!cuda_ok(cudaSetDevice(link->device->number), "cudaSetDevice", text) || !is_taken(link, &taken, text))
    return false;
  if (!taken) return true;
  if (link->phase == JOINS) link->phase = IDLE;
  if (link->phase == IS_TAKEN) link->phase = MOVES;
  if (link->phase == MOVES || link->phase == COPIES) {
    cudaError_t state = cudaStreamQuery(link->device->stream);
    if (state == cudaErrorNotReady) return true;
    if (!cuda_ok(state, "the GPU", text)) return false;
    if (link->phase == MOVES && !copy_out(link, text)) return false;
    link->phase = link->phase == MOVES ? COPIES : IDLE;
  }
  *out_done = link->phase == IDLE;
  return true;
}

extern const NrNcclTransport nr_nccl_transport;
const NrNcclTransport nr_nccl_transport = {
    .version = NR_NCCL_VERSION,
    .open = open_device,
    .close = close_device,
    .make_id = make_id,
    .join = join,
    .start = start,
    .reduce = reduce,
    .has_type = has_type,
    .test = test,
    .leave = leave,
};
