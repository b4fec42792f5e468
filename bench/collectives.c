/* collectives.c - collectives of Noria beside the same calls of MPI, for collectives.py.
 *
 *   mpirun -n N collectives mpi     both over MPI, in turns
 *   collectives threads N           Noria's ranks as threads
 *
 * Prints a line for each op and size: name, bytes of the result, and the best seconds of Noria and of its peer: the
 * same call of MPI, or for threads a plain copy: each rank copies as many bytes from its neighbour's memory, all at the
 * same time. No all_gather or all_to_all moves its bytes with less, so that is what the memory allows. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/channel.h"

static const size_t sizes[] = {256 << 10, 1 << 20, 16 << 20, 64 << 20};
static const NrCollectiveKind kinds[] = {NR_ALL_REDUCE, NR_ALL_GATHER, NR_ALL_TO_ALL};
enum { SIZES = 4, KINDS = 3 };

typedef struct Rank {
  int rank, count;
  NrWorld *world;
  NrChannel *channel;
  float *send, *recv;
  const float *from; /* threads: the neighbour's send */
  double best[KINDS][SIZES], peer[KINDS][SIZES];
} Rank;

static double seconds(void) { return MPI_Wtime(); }

static void fail(const char *message) {
  fprintf(stderr, "collectives: %s\n", message);
  exit(2);
}

static void run_noria(Rank *r, NrCollectiveKind kind, size_t size) {
  int64_t elements = (int64_t)(size / sizeof(float));
  NrCollective call = {.kind = kind, .dtype = NORIA_F32, .reduction = NR_REDUCTION_SUM, .same_rows = true,
                       .send_rows = elements, .recv_rows = elements, .row = 1, .send_to = -1, .recv_from = -1,
                       .send = r->send, .recv = r->recv};
  if (kind == NR_ALL_GATHER) call.send_rows = elements / r->count;
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_channel_run(r->channel, &call, &error)) fail(error.message);
}

static void run_peer(Rank *r, NrCollectiveKind kind, size_t size) {
  int elements = (int)(size / sizeof(float)), part = elements / r->count;
  if (kind == NR_ALL_REDUCE) MPI_Allreduce(r->send, r->recv, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (kind == NR_ALL_GATHER) MPI_Allgather(r->send, part, MPI_FLOAT, r->recv, part, MPI_FLOAT, MPI_COMM_WORLD);
  if (kind == NR_ALL_TO_ALL) MPI_Alltoall(r->send, part, MPI_FLOAT, r->recv, part, MPI_FLOAT, MPI_COMM_WORLD);
}

static void check_result(const Rank *r, NrCollectiveKind kind, size_t size) {
  size_t elements = size / sizeof(float), part = elements / (size_t)r->count;
  for (size_t i = 0; i < elements; i += 4093) {
    float expected = 0;
    size_t from = i / part;
    if (kind == NR_ALL_REDUCE)
      for (int q = 0; q < r->count; q++) expected += (float)(q + 1) * (float)(i % 1000);
    if (kind == NR_ALL_GATHER) expected = (float)(from + 1) * (float)(i % part % 1000);
    if (kind == NR_ALL_TO_ALL) expected = (float)(from + 1) * (float)((i % part + (size_t)r->rank * part) % 1000);
    if (r->recv[i] != expected) fail("a result is wrong");
  }
}

/* A collective of one element, after which all ranks begin. */
static void meet(Rank *r, bool is_mpi) {
  static float one = 1;
  float sum[1];
  NrCollective call = {.kind = NR_ALL_REDUCE, .dtype = NORIA_F32, .reduction = NR_REDUCTION_SUM, .send_rows = 1,
                       .recv_rows = 1, .row = 1, .send = &one, .recv = sum};
  if (is_mpi)
    MPI_Barrier(MPI_COMM_WORLD);
  else if (nr_channel_run(r->channel, &call, NULL))
    fail("the ranks do not meet");
}

/* Ends when all have copied, as a collective does. */
static void run_copy(Rank *r, NrCollectiveKind kind, size_t size) {
  (void)kind;
  memcpy(r->recv, r->from, size);
  meet(r, false);
}

static double timed(Rank *r, bool is_mpi, void (*run)(Rank *, NrCollectiveKind, size_t), NrCollectiveKind kind,
                    size_t size, double best) {
  meet(r, is_mpi);
  double begin = seconds();
  run(r, kind, size);
  double took = seconds() - begin;
  return took < best ? took : best;
}

static void allocate(Rank *r) {
  r->send = malloc(sizes[SIZES - 1]);
  r->recv = malloc(sizes[SIZES - 1]);
  if (!r->send || !r->recv) fail("no memory");
}

static void measure(Rank *r, bool is_mpi) {
  size_t most = sizes[SIZES - 1];
  for (size_t i = 0; i < most / sizeof(float); i++)
    r->send[i] = (float)(r->rank + 1) * (float)(i % 1000), r->recv[i] = 0;
  for (int k = 0; k < KINDS; k++)
    for (int s = 0; s < SIZES; s++) {
      int rounds = s < 2 ? 200 : s == 2 ? 30 : 12;
      r->best[k][s] = r->peer[k][s] = 1e9;
      for (int i = 0; i < rounds; i++) {
        r->best[k][s] = timed(r, is_mpi, run_noria, kinds[k], sizes[s], r->best[k][s]);
        if (i == 0) check_result(r, kinds[k], sizes[s]);
        r->peer[k][s] = timed(r, is_mpi, is_mpi ? run_peer : run_copy, kinds[k], sizes[s], r->peer[k][s]);
      }
    }
}

static void *rank_main(void *user) {
  Rank *r = user;
  if (nr_channel_default(r->world, NULL, &r->channel, NULL)) fail("no channel");
  measure(r, false);
  nr_channel_release(r->channel);
  return NULL;
}

/* The slowest rank's time is the collective's. */
static void print(const Rank *ranks, int count) {
  for (int k = 0; k < KINDS; k++)
    for (int s = 0; s < SIZES; s++) {
      double best = 0, peer = 0;
      for (int q = 0; q < count; q++) {
        if (ranks[q].best[k][s] > best) best = ranks[q].best[k][s];
        if (ranks[q].peer[k][s] > peer) peer = ranks[q].peer[k][s];
      }
      printf("%s %zu %.9f %.9f\n", nr_collective_name(kinds[k]) + strlen("flow.collective."), sizes[s], best, peer);
    }
}

static int over_mpi(void) {
  MPI_Init(NULL, NULL);
  Rank r = {0}, all[64];
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_world_create_mpi(NULL, &r.world, &error)) fail(error.message);
  if (nr_channel_default(r.world, NULL, &r.channel, NULL)) fail("no channel");
  r.rank = nr_world_rank(r.world);
  r.count = nr_world_count(r.world);
  allocate(&r);
  measure(&r, true);
  MPI_Gather(&r, sizeof r, MPI_BYTE, all, sizeof r, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (r.rank == 0) print(all, r.count);
  nr_channel_release(r.channel);
  nr_world_destroy(r.world);
  MPI_Finalize();
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "mpi")) return over_mpi();
  int count = argc == 3 ? atoi(argv[2]) : 0;
  if (count < 1 || count > 64) fail("usage: collectives mpi | collectives threads N");
  NrWorld *worlds[64];
  Rank ranks[64] = {0};
  pthread_t threads[64];
  if (nr_world_create_threads(count, NULL, worlds, NULL)) fail("no ranks");
  for (int q = 0; q < count; q++) {
    ranks[q] = (Rank){.rank = q, .count = count, .world = worlds[q]};
    allocate(&ranks[q]);
  }
  for (int q = 0; q < count; q++) {
    ranks[q].from = ranks[(q + 1) % count].send;
    if (pthread_create(&threads[q], NULL, rank_main, &ranks[q])) fail("no thread");
  }
  for (int q = 0; q < count; q++) pthread_join(threads[q], NULL);
  for (int q = 0; q < count; q++) nr_world_destroy(worlds[q]);
  print(ranks, count);
  return 0;
}
