/* cpu.h - what machine code needs of a CPU, and whether this one has it. */
#ifndef NORIA_BASE_CPU_H
#define NORIA_BASE_CPU_H

#include "base/base.h"

/* The features that code of this architecture is checked for, by LLVM's names (cpu.def); NULL is behind the last. */
extern const char *const nr_cpu_features[];
/* Those that no code is checked for, because Noria makes none that uses them, and that passes may ask about. */
extern const char *const nr_cpu_units[];
/* Whether this CPU has the feature and the system lets programs use it; false for a name that is in neither list. */
bool nr_cpu_has(NrStr name);
/* Of a list "avx,fma" the first feature that the CPU does not have, or that the system does not let programs use.
 * Empty: it has all. A name that is not in the table counts as missing. */
NrStr nr_cpu_missing(const char *list);

#endif
