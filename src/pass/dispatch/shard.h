/* shard.h - what the passes that share a program out over ranks have in common. */
#ifndef NORIA_PASS_DISPATCH_SHARD_H
#define NORIA_PASS_DISPATCH_SHARD_H

#include "dialect/shared/shaped.h"
#include "pass/core/pass.h"

/* The default channel of a function. */
typedef struct NrShard {
  NrValue *channel, *rank, *count;
} NrShard;
NrShard nr_shard_begin(NrBuilder *b);

/* The part of `size` equal things that this rank has: from size * rank / count up to where the next rank begins. */
void nr_shard_part(NrBuilder *b, const NrShard *shard, NrIndex size, NrIndex *out_offset, NrIndex *out_length);
/* length elements of the tensor along dim, from offset on; all along the others. */
NrValue *nr_shard_slice(NrBuilder *b, NrValue *tensor, uint32_t dim, NrIndex offset, NrIndex length);

/* Whether collectives take the tensor: one of numbers of at least a byte. */
bool nr_shard_can_send(NrType tensor);
/* The sum over all ranks. */
NrValue *nr_shard_all_reduce(NrBuilder *b, const NrShard *shard, NrValue *tensor);
/* The tensors of all ranks, one behind the other along dim 0; ranks may have different numbers of rows. */
NrValue *nr_shard_all_gather(NrBuilder *b, const NrShard *shard, NrValue *tensor);

#endif
