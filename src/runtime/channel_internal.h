/* channel_internal.h - what the files of channels share: backends, signatures of calls, reductions. */
#ifndef NORIA_RUNTIME_CHANNEL_INTERNAL_H
#define NORIA_RUNTIME_CHANNEL_INTERNAL_H

#include <stdatomic.h>

#include "runtime/channel.h"

/* ---- signatures -------------------------------------------------------------------------------------------------- */

/* What a rank calls, as the others see it. Plain bytes, without padding: MPI sends it. */
typedef struct NrSignature {
  int32_t kind; /* NrCollectiveKind, or NR_SPLIT */
  int32_t dtype, reduction, same_rows;
  int64_t send_rows, recv_rows, row;
  int64_t send_to, recv_from; /* of a split: color and key */
  char place[72];             /* cut where it is longer */
} NrSignature;
_Static_assert(sizeof(NrSignature) == 128, "has no padding");

enum { NR_SPLIT = NR_NUM_COLLECTIVES, NR_JOIN /* of an MPI world */ };

NrSignature nr_signature_of(const NrCollective *call);
/* Whether the calls of all ranks fit together. Every rank gives the same answer and the same message. */
NoriaStatus nr_signatures_match(const NrSignature *all, int32_t count, bool check_places, NoriaError *error);
/* "flow.collective.all_reduce at a.mlir:3:8", in buf. */
const char *nr_signature_text(const NrSignature *s, char *buf, size_t size);

/* ---- backends ---------------------------------------------------------------------------------------------------- */

typedef struct NrBackend {
  /* For channels of several ranks; sizes and arguments of this rank were checked. */
  NoriaStatus (*run)(NrChannel *channel, const NrCollective *call, const NrSignature *own, NoriaError *error);
  /* Sets rank, count and group of child; rank -1 where own's color is -1. */
  NoriaStatus (*split)(NrChannel *channel, const NrSplit *split, const NrSignature *own, NrChannel *child,
                       NoriaError *error);
  void *(*default_group)(NrWorld *world);
  void (*release_group)(void *group);
  /* Tells the others that this rank failed, if none did before. */
  void (*fail)(NrWorld *world, NoriaStatus code, const char *message);
  NoriaStatus (*end)(NrWorld *world, const char *why, NoriaError *error);
  void (*destroy)(NrWorld *world); /* frees world */
  /* For a backend on top of this one (channel_nccl.c). meet tells all ranks of the channel what this one calls, and
   * writes the calls of all, which match, to out_all. look, while bytes move: fails where a rank failed in a collective
   * or died since then (one whose program has ended did its part); own NULL: they have moved. */
  NoriaStatus (*meet)(NrChannel *channel, const NrSignature *own, const volatile int32_t *stop, NrSignature *out_all,
                      NoriaError *error);
  NoriaStatus (*look)(NrChannel *channel, const NrSignature *own, NoriaError *error);
} NrBackend;

struct NrWorld {
  const NrBackend *backend;
  NrWorld *base; /* of a backend on top of another: what connects the ranks; else NULL */
  int32_t rank, count;
  int32_t local_rank; /* among the ranks on this machine */
  NrWorldOptions options;
  bool has_ended, reports;
  bool shares_process; /* with other ranks */
};

struct NrChannel {
  atomic_int refs;
  NrWorld *world;
  int32_t rank, count;
  void *group; /* of the backend */
};

enum { NR_DEFAULT_WAIT_S = 300 };
double nr_world_wait_s(const NrWorld *world);    /* the time limit of a collective; below 0: none */
int64_t nr_world_deadline(const NrWorld *world); /* of a wait that begins now, in ns; INT64_MAX: none */

/* What one rank moves to another, in elements. */
typedef struct NrPart {
  int64_t from, to; /* where it begins in the sender's send and in the receiver's recv */
  int64_t elements;
} NrPart;
/* Of all_gather and all_to_all, whose signatures match. */
NrPart nr_part_of(const NrSignature *all, int32_t count, int32_t sender, int32_t receiver);
/* Of splits: the rank that rank q gets in the channel of its color. */
int32_t nr_split_rank(const NrSignature *all, int32_t count, int32_t q);
/* The elements that rank reduces: of all_reduce an equal share, of reduce_scatter its own rows. */
void nr_share_of(const NrSignature *all, int32_t count, int32_t rank, int64_t *out_first, int64_t *out_elements);

/* ---- copies (channel_copy.c) ------------------------------------------------------------------------------------- */

/* Whether a result of so many bytes is written past the caches, which it would only clear of other things. A copy of 32
 * MB takes 0.4 to 0.9 of the time then, one of 16 MB as long (Intel Xeon). */
static inline bool nr_copy_streams(size_t result_size) { return result_size >= 32u << 20; }
/* Copies bytes that do not overlap. streams: past the caches; the bytes are visible to other threads afterwards. */
void nr_copy(void *to, const void *from, size_t size, bool streams);

/* ---- reductions (channel_reduce.c) ------------------------------------------------------------------------------- */

bool nr_reduction_supports(NoriaDType dtype);
/* Writes the reduction of sources[0..count) in this order to each of outs; elements of each. An out may be a source.
 * streams: as in nr_copy. */
void nr_reduce(NoriaDType dtype, NrReduction reduction, const void *const *sources, int32_t count, void *const *outs,
               int32_t num_outs, int64_t elements, bool streams);

#endif
