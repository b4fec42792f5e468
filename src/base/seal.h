/* seal.h - a checksum in a shared library, so that a damaged library is rejected before dlopen.
 *
 * The library has a note (section .note.noria, NR_SEAL_NOTE) for a size and a checksum, which nr_seal_write fills in
 * after linking. They cover the loaded part: the segments and the headers that locate them. `strip`, which removes only
 * other parts, does not break the seal. A library with the symbol noria_seal must have the note. */
#ifndef NORIA_BASE_SEAL_H
#define NORIA_BASE_SEAL_H

#include "base/base.h"

/* The note as assembly, not yet filled. */
#define NR_SEAL_NOTE                                                                                                   \
  ".section .note.noria,\"a\",%note\n.p2align 2\n.long 6, 16, 1\n.asciz \"Noria\"\n.p2align 2\n"                       \
  ".globl noria_seal\nnoria_seal:\n.quad 0, 0\n.text\n"

/* Fills the note of the library in fd. False when it has none or cannot be read or written. */
NR_WARN_UNUSED bool nr_seal_write(int fd);

/* The state of a file that is to be loaded. */
typedef enum NrSealState {
  NR_SEAL_WHOLE,  /* sealed and unchanged */
  NR_SEAL_NONE,   /* not sealed; a shared library for this machine, complete according to its headers */
  NR_SEAL_BROKEN, /* it must not be loaded */
} NrSealState;
/* With NR_SEAL_BROKEN, out_why gets the reason as a predicate of the file's name: "is truncated: ..". */
NrSealState nr_seal_check(int fd, NrBuf *out_why);
/* Whether data, the first bytes of a file or all of it, are those of an ELF file: compiled code. A file that was cut
 * off within the first four bytes counts. */
bool nr_is_elf(const void *data, size_t size);
/* Whether a checked library without a seal has the symbol in its dynamic symbol table. */
bool nr_library_names(int fd, const char *symbol);

#endif
