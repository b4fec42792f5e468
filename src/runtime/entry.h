/* entry.h - programs whose code is replaced while they exist; used by the driver. */
#ifndef NORIA_RUNTIME_ENTRY_H
#define NORIA_RUNTIME_ENTRY_H

#include <stdatomic.h>

#include "noria/runtime.h"

/* From now on a run starts at what *entry is when it begins, which it keeps until it ends, instead of the module's
 * entry. That is code of the same program with the module's tables. To be called before the first run; entry, and all
 * code that it ever names, live until the program is destroyed. */
void nr_program_follow(NoriaProgram *program, const _Atomic(NoriaEntryFn) *entry);
/* The program's NoriaProgramOptions.user, where its release is this one; else NULL. */
void *nr_program_user(const NoriaProgram *program, NoriaReleaseFn release);

#endif
