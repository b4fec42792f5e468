/* channel_nccl.h - worlds whose ranks move bytes by NCCL. */
#ifndef NORIA_RUNTIME_CHANNEL_NCCL_H
#define NORIA_RUNTIME_CHANNEL_NCCL_H

#include "runtime/channel_internal.h"
#include "runtime/nccl/transport.h"

/* Loads libnoria_nccl.so. NORIA_ERROR_UNSUPPORTED where Noria was built without NCCL, or there is no driver. */
NoriaStatus nr_nccl_load(const NrNcclTransport **out_transport, NoriaError *error);

/* Puts a world in place of *io_world whose collectives move bytes by NCCL. *io_world, of threads or of MPI, connects
 * its ranks from now on and belongs to it; after a failure it stays the caller's. All ranks do this. */
NoriaStatus nr_world_over_nccl(const NrNcclTransport *transport, NrWorld **io_world, NoriaError *error);

#endif
