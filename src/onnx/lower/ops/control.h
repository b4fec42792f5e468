/* control.h - shared by the lowerings of If, Loop and Scan: joining types, carrying values, building scan outputs. */
#ifndef NORIA_ONNX_LOWER_OPS_CONTROL_H
#define NORIA_ONNX_LOWER_OPS_CONTROL_H

#include "onnx/lower/core/state.h"

/* The most specific type of both: equal dims stay, others become `?`. NULL when ranks or element types differ. */
NrType nr_join_types(NrType a, NrType b);

/* A tensor type with all dims `?`. */
NrType nr_open_tensor_type(uint32_t rank, NrType elem);

/* How a value crosses a loop's back edge: a tensor of one (static) element as a scalar, everything else as it is. */
NrType nr_carried_type(NrType type);
NrValue *nr_to_carried(NrLower *l, NrValue *value, NrType type); /* casts to type first */
NrValue *nr_from_carried(NrLower *l, NrValue *carried, NrType type);

/* A scan output while its loop is being built. */
typedef struct NrScanOut {
  NrType row;       /* type of what the body gives each trip */
  NoriaDType dtype;
  size_t axis;      /* of the result that counts the trips */
  bool reverse;     /* fills from the end */
  bool grows;       /* unknown trip count: the buffer doubles when full */
  bool late;        /* row dims are only known inside the body: the first iteration allocates */
  NrShape row_dims; /* valid before the loop unless late */
  NrValue *init;    /* what the loop starts with */
  const char *name; /* for messages */
} NrScanOut;

/* The name of output i of the node in messages: its name, or its number when it has none. */
const char *nr_scan_out_name(NrLower *l, size_t i);
/* Decides grows/late and builds init at l->b (before the loop). body: the loop's detached body block, whose value `row`
 * is. first: what its arguments are in the first trip. trips: the trip count, or NULL-and-dynamic when unknown. */
NrStatus nr_scan_out_begin(NrLower *l, NrScanOut *s, NrBlock *body, const NrMap *first, NrValue *row,
                           const NrDim *trips);
/* In the body: acc with this trip's row at index iv. */
NrValue *nr_scan_out_put(NrLower *l, const NrScanOut *s, NrValue *acc, NrValue *row, NrValue *iv, const NrDim *trips);
/* Behind the loop: the rows of `count` trips. */
NrValue *nr_scan_out_end(NrLower *l, const NrScanOut *s, NrValue *acc, NrDim count);

/* Builds a poll of the runtime every few iterations into a loop body; iv counts from 0. */
void nr_lower_poll(NrLower *l, NrBlock *body, NrValue *iv);

#endif
