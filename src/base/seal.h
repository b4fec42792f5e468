/* seal.h - a checksum in a shared library, so that a damaged one is refused before the system's loader sees it.
 *
 * The library has a note (section .note.noria, NR_SEAL_NOTE) with room for a size and a checksum, which nr_seal_write
 * fills when it is linked. They cover what is loaded: the program's segments and the headers that say where they lie.
 * What is not loaded may go, so `strip` does not break the seal. The symbol noria_seal tells that there must be a
 * note. */
#ifndef NORIA_BASE_SEAL_H
#define NORIA_BASE_SEAL_H

#include "base/base.h"

/* The note as assembly, not yet filled. */
#define NR_SEAL_NOTE                                                                                                   \
  ".section .note.noria,\"a\",%note\n.p2align 2\n.long 6, 16, 1\n.asciz \"Noria\"\n.p2align 2\n"                       \
  ".globl noria_seal\nnoria_seal:\n.quad 0, 0\n.text\n"

/* Fills the note of the library in fd. False when it has none or cannot be read or written. */
NR_WARN_UNUSED bool nr_seal_write(int fd);

/* What is said of a file that is to be loaded. */
typedef enum NrSealState {
  NR_SEAL_WHOLE,  /* it has a seal, and all is as it was */
  NR_SEAL_NONE,   /* a shared library for this machine, all of which is there as far as its headers tell; no seal */
  NR_SEAL_BROKEN, /* it must not be loaded */
} NrSealState;
/* After NR_SEAL_BROKEN out_why has the rest of a sentence that begins with the file's name: "is truncated: ..". */
NrSealState nr_seal_check(int fd, NrBuf *out_why);
/* Whether a library without a seal, which was checked, names the symbol in its table for the loader. */
bool nr_library_names(int fd, const char *symbol);

#endif
