/* cpu.h - CPU features that machine code needs, and whether this CPU has them. */
#ifndef NORIA_BASE_CPU_H
#define NORIA_BASE_CPU_H

#include "base/base.h"

/* The features that compiled code is checked for at load, by LLVM's names (cpu.def); NULL-terminated. */
extern const char *const nr_cpu_features[];
/* Features that passes may query but that are not checked at load, because no code that Noria makes needs them. */
extern const char *const nr_cpu_units[];
/* Whether this CPU has the feature and the system lets programs use it; false for a name that is in neither list. */
bool nr_cpu_has(NrStr name);
/* The first feature in a list "avx,fma" that the CPU lacks or the system does not enable; empty if there is none. A
 * name that is not in the table counts as missing. */
NrStr nr_cpu_missing(const char *list);

#endif
