/* channel_faults.h - calls of two ranks that do not fit together, and what every backend says of them. */
#ifndef NORIA_TESTS_UNIT_RUNTIME_CHANNEL_FAULTS_H
#define NORIA_TESTS_UNIT_RUNTIME_CHANNEL_FAULTS_H

#include "runtime/channel.h"

/* The ranks make the usual call, but rank 1 the wrong one. */
typedef struct Disagreement {
  NrCollective usual, wrong;
  const char *message;
} Disagreement;

#define CALL(KIND, DTYPE, REDUCTION, SEND_ROWS, RECV_ROWS, ROW, TO, FROM)                                              \
  {                                                                                                                    \
    .kind = (NrCollectiveKind)(KIND), .dtype = NORIA_##DTYPE, .reduction = NR_REDUCTION_##REDUCTION,                   \
    .send_rows = SEND_ROWS, .recv_rows = RECV_ROWS, .row = ROW, .send_to = TO, .recv_from = FROM,                      \
    .place = "a.mlir:3:8"                                                                                              \
  }
#define OP "flow.collective."
#define SUM CALL(NR_ALL_REDUCE, F32, SUM, 8, 8, 4, -1, -1)

static const Disagreement disagreements[] = {
    {SUM, CALL(NR_ALL_GATHER, F32, NONE, 8, 16, 4, -1, -1),
     "the ranks disagree: rank 0 is in " OP "all_reduce at a.mlir:3:8, rank 1 in " OP "all_gather at a.mlir:3:8"},
    {SUM, CALL(NR_ALL_REDUCE, I32, SUM, 8, 8, 4, -1, -1),
     OP "all_reduce at a.mlir:3:8: elements are float32 on rank 0 and int32 on rank 1"},
    {SUM, CALL(NR_ALL_REDUCE, F32, MAXIMUM, 8, 8, 4, -1, -1),
     OP "all_reduce at a.mlir:3:8: the reduction is sum on rank 0 and maximum on rank 1"},
    {SUM, CALL(NR_ALL_REDUCE, F32, SUM, 8, 8, 5, -1, -1),
     OP "all_reduce at a.mlir:3:8: a row has 4 elements on rank 0 and 5 on rank 1"},
    {SUM, CALL(NR_ALL_REDUCE, F32, SUM, 7, 7, 4, -1, -1),
     OP "all_reduce at a.mlir:3:8: rank 0 reduces 8 rows and rank 1 7"},
    {CALL(NR_ALL_GATHER, F32, NONE, 8, 16, 4, -1, -1), CALL(NR_ALL_GATHER, F32, NONE, 7, 16, 4, -1, -1),
     OP "all_gather at a.mlir:3:8: the ranks send 15 rows but rank 0 receives 16"},
    {CALL(NR_ALL_TO_ALL, F32, NONE, 8, 8, 4, -1, -1), CALL(NR_ALL_TO_ALL, F32, NONE, 6, 8, 4, -1, -1),
     OP "all_to_all at a.mlir:3:8: the ranks send 7 rows to rank 0 but it receives 8"},
    {CALL(NR_REDUCE_SCATTER, F32, SUM, 8, 4, 4, -1, -1), CALL(NR_REDUCE_SCATTER, F32, SUM, 8, 5, 4, -1, -1),
     OP "reduce_scatter at a.mlir:3:8: the ranks reduce 8 rows but receive 9"},
    {CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, 1, -1), CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, -1, -1),
     OP "send_recv at a.mlir:3:8: rank 0 sends to rank 1, which receives from -1"},
    {CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, -1, 1), CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, -1, -1),
     OP "send_recv at a.mlir:3:8: rank 0 receives from rank 1, which sends to -1"},
    {CALL(NR_SEND_RECV, F32, NONE, 8, 8, 4, 1, -1), CALL(NR_SEND_RECV, F32, NONE, 8, 9, 4, -1, 0),
     OP "send_recv at a.mlir:3:8: rank 0 sends 8 rows but rank 1 receives 9"},
};

enum { NUM_DISAGREEMENTS = sizeof disagreements / sizeof disagreements[0] };

#endif
