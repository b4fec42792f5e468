/* error.h - filling a NoriaError, for the runtime and for what stands above it. */
#ifndef NORIA_RUNTIME_ERROR_H
#define NORIA_RUNTIME_ERROR_H

#include "base/base.h"
#include "noria/runtime.h"

/* Puts the message into *error (NULL is fine) and returns code. */
NoriaStatus nr_error_set(NoriaError *error, NoriaStatus code, const char *format, ...) NR_PRINTF(3, 4);
NoriaStatus nr_error_set_memory(NoriaError *error, size_t size);

#endif
