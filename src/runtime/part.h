/* part.h - libraries of ours that not every process needs: each has what depends on a library of other people. */
#ifndef NORIA_RUNTIME_PART_H
#define NORIA_RUNTIME_PART_H

#include "noria/runtime.h"

/* The table `symbol`, which begins with an int32_t version, of a library of ours that is loaded now: the one beside
 * this library, else where the loader searches. It is never unloaded. what: "MPI". */
NoriaStatus nr_part_load(const char *what, const char *library, const char *symbol, int32_t version,
                         const void **out_table, NoriaError *error);

#endif
