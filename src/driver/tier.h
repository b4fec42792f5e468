/* tier.h - better code for a program that runs already (NoriaCompileOptions.tiered).
 *
 * The program is made of code of level 1, which stays until the program is destroyed: its tables are the program's, and
 * its constants and variables are used by the better code too. So there is one state, and a run that began in one
 * code may go on while others begin in the other.
 *
 * The work is done by a thread of its own, in a heap of its own. Of the program it reads what never changes, so nothing
 * that the program or its users do meanwhile needs a lock. */
#ifndef NORIA_DRIVER_TIER_H
#define NORIA_DRIVER_TIER_H

#include <stdatomic.h>

#include "driver/driver.h"

typedef struct NrTier NrTier;
/* For code that was made with keep_source. The unit, lowered, is that of the code; its model and its slot of the cache
 * must live as long as the tier. options give the level and the limits. */
NrTier *nr_tier_create(const NrCompilation *unit, NrCompiled *first, const NoriaCompileOptions *options);
/* The code of runs that begin now. */
const _Atomic(NoriaEntryFn) *nr_tier_entry(const NrTier *tier);
/* Begins the work; raises no fault, since nr_tier_wait says what is wrong. */
void nr_tier_start(NrTier *tier);
bool nr_tier_stores(const NrTier *tier); /* whether the better code goes to a cache */
/* As noria_program_tier. */
NoriaTier nr_tier_wait(NrTier *tier, double wait_s, NoriaError *error);
/* Stops the work, within some 10 ms unless it writes to the cache, and frees the better code. The thread that LLVM
 * works on may run on for a while, in memory of its own. NULL is allowed. */
void nr_tier_destroy(NrTier *tier);

#endif
