/* channel.h - ranks, channels and collectives: one interface, several backends.
 *
 * A world is one rank's connection to the other ranks of a computation. The ranks are threads of this process, or
 * processes that mpirun started; without either there is one rank. A channel is a group of ranks that call collectives
 * together. Every rank of a channel makes the same calls in the same order.
 *
 *   NrWorld *worlds[4];                                  four ranks, one for each thread that the caller starts
 *   nr_world_create_threads(4, &options, worlds, &error);
 *   in thread r:                                         (with MPI: one world in each process)
 *     nr_channel_default(worlds[r], NULL, &channel, &error);
 *     nr_channel_run(channel, &(NrCollective){.kind = NR_ALL_REDUCE, ...}, &error);
 *     nr_channel_release(channel);
 *     nr_world_end(worlds[r], message or NULL);
 *   nr_world_destroy(worlds[r]);
 *
 * Failures. Each function returns a status and puts a message into *error. When one rank fails in a collective, or says
 * with nr_world_end that it failed, every rank fails that waits for others or starts to; so none waits in vain. A world
 * that has failed stays failed. */
#ifndef NORIA_RUNTIME_CHANNEL_H
#define NORIA_RUNTIME_CHANNEL_H

#include "runtime/error.h"

typedef enum NrCollectiveKind {
  NR_ALL_GATHER,     /* every rank gets the rows of all ranks, in rank order */
  NR_ALL_REDUCE,     /* every rank gets the reduction over the ranks, element by element */
  NR_ALL_TO_ALL,     /* each rank's rows are cut into equal blocks, one for each rank; blocks arrive in rank order */
  NR_REDUCE_SCATTER, /* each rank gets its own rows of the reduction */
  NR_SEND_RECV,      /* one message out, one in */
  NR_NUM_COLLECTIVES
} NrCollectiveKind;

/* The numbers of flow's CollectiveReductionOp. */
typedef enum NrReduction {
  NR_REDUCTION_NONE,
  NR_REDUCTION_SUM,
  NR_REDUCTION_PRODUCT,
  NR_REDUCTION_MINIMUM,
  NR_REDUCTION_MAXIMUM,
  NR_REDUCTION_AVERAGE,
  NR_NUM_REDUCTIONS
} NrReduction;

typedef struct NrWorld NrWorld;
typedef struct NrChannel NrChannel;

typedef struct NrWorldOptions {
  /* How long a rank waits for the others in one collective, in seconds. 0: 300 s; below 0: without a limit. */
  double time_s;
  /* Compare what the ranks call before each collective: op, type, shape, reduction, and place. The threads backend
   * always compares all but the place. */
  bool check;
  /* MPI: the Fortran handle (MPI_Comm_c2f) of the ranks' communicator; NULL: MPI_COMM_WORLD. */
  const int32_t *communicator;
} NrWorldOptions;

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

enum { NR_MAX_THREAD_RANKS = 1024 };

/* count ranks in this process: worlds[r] is for the thread of rank r. options NULL: the defaults. */
NoriaStatus nr_world_create_threads(int32_t count, const NrWorldOptions *options, NrWorld **out_worlds,
                                    NoriaError *error);
/* Joins the ranks that mpirun (or srun) started; loads libnoria_mpi.so, which loads the MPI library. One world at a
 * time in a process. NORIA_ERROR_UNSUPPORTED where Noria was built without MPI. */
NoriaStatus nr_world_create_mpi(const NrWorldOptions *options, NrWorld **out_world, NoriaError *error);
/* Whether the environment says that this process is one of several that an MPI launcher started. */
bool nr_world_is_under_mpi(void);

int32_t nr_world_rank(const NrWorld *world);  /* NULL: a world of one rank, so 0 */
int32_t nr_world_count(const NrWorld *world); /* NULL: 1 */
/* Whether other ranks are threads of this process, and so share a program's globals. */
bool nr_world_shares_process(const NrWorld *world);

/* This rank's program has ended: it takes part in no further collective. why: NULL after success, else the message of
 * its failure. A rank that waits for this one then fails and names it; after a failure all ranks do. With MPI and
 * success, waits until every rank has ended. Further calls do nothing. */
NoriaStatus nr_world_end(NrWorld *world, const char *why, NoriaError *error);
/* After a failure: true on the one rank whose message says what went wrong first. So one rank prints. */
bool nr_world_reports(const NrWorld *world);
/* Ends the world if that was not done. Its channels are released before. NULL is fine. */
void nr_world_destroy(NrWorld *world);

/* ---- channels ---------------------------------------------------------------------------------------------------- */

/* The channel of all ranks of the world; a NULL world has one rank. group names it (may be NULL); channels of all names
 * have the same ranks. Local: does not wait for other ranks. One reference, for nr_channel_release. The world must
 * outlive the channel. */
NoriaStatus nr_channel_default(NrWorld *world, const char *group, NrChannel **out_channel, NoriaError *error);

typedef struct NrSplit {
  int64_t color;                /* ranks of equal color form a channel; -1: this rank takes no part */
  int64_t key;                  /* orders the ranks of the new channel; ties are in the order of the old one */
  const char *place;            /* as in NrCollective */
  const volatile int32_t *stop; /* as in NrCollective */
} NrSplit;
/* A collective of all ranks of channel. With color -1 the new channel has rank -1 and count 0, and collectives on it
 * leave the target as it is. So do those on the split of such a channel. Other negative colors are errors. */
NoriaStatus nr_channel_split(NrChannel *channel, const NrSplit *split, NrChannel **out_channel, NoriaError *error);

NrChannel *nr_channel_retain(NrChannel *channel);
void nr_channel_release(NrChannel *channel); /* NULL is fine */
int64_t nr_channel_rank(const NrChannel *channel);
int64_t nr_channel_count(const NrChannel *channel);

/* ---- collectives ------------------------------------------------------------------------------------------------- */

/* One call. Tensors are dense; a row is what one index of the first dim selects (a tensor of rank 0 is one row). All
 * ranks give the same dtype and row. Rows, where n is the number of ranks:
 *   all_gather      send_rows may differ from rank to rank; recv_rows is their sum
 *   all_reduce      send_rows = recv_rows, the same on all ranks
 *   all_to_all      send_rows is divisible by n and may differ from rank to rank; recv_rows is their sum divided by n
 *   reduce_scatter  send_rows is the same on all ranks; recv_rows may differ, and their sum is send_rows
 *   send_recv       recv_rows is the send_rows of the sender
 * Memory. send and recv may be equal: the call is then in place. They may also overlap otherwise; that costs a copy.
 * Reduction. In the order of ranks 0, 1, 2, ... for each element, so equal runs give equal bits on every backend. f16
 * and bf16 are reduced in f32 and rounded once. Integers wrap; their average is the exact one, rounded toward zero.
 * Minimum and maximum of floats: NaN where an operand is NaN; -0 is less than +0. */
typedef struct NrCollective {
  NrCollectiveKind kind;
  NoriaDType dtype;      /* integers of 8 to 64 bits, F16, F32, F64, BF16 */
  NrReduction reduction; /* of all_reduce and reduce_scatter */
  /* The caller knows that all ranks give equal rows, as with static shapes: saves an exchange of them. */
  bool same_rows;
  int64_t send_rows, recv_rows;
  int64_t row;                /* elements */
  int64_t send_to, recv_from; /* send_recv: ranks of the channel. -1: sends nothing, or receives zeros */
  const void *send;
  void *recv;
  const char *place; /* "file.mlir:3:8", for messages. NULL: not known */
  /* NoriaExec.stop: when it is not 0 the wait for other ranks ends with NORIA_ERROR_INTERRUPTED. May be NULL. */
  const volatile int32_t *stop;
} NrCollective;

/* Returns when recv is complete and send may be written again. On a channel of rank -1 does nothing. */
NoriaStatus nr_channel_run(NrChannel *channel, const NrCollective *call, NoriaError *error);

const char *nr_collective_name(NrCollectiveKind kind); /* "flow.collective.all_gather", ... */

#endif
