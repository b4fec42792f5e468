/* cache.h - compiled programs that outlive the process (NoriaCompileOptions.cache).
 *
 * A program is found by a digest of all that it depends on: the bytes of its file, the options, this machine, and the
 * library. A model's own bytes are read for it once: from then on the file's identity (cache_folder.h) stands for them.
 * External data is never read for it: its identity is part of the digest, and constants in it that are aligned are used
 * where they lie. What is stored are the objects that LLVM made and the other constants; loading maps them and links
 * again. Nothing here fails: a file that is missing, damaged or not the user's means that the program is compiled. */
#ifndef NORIA_DRIVER_CACHE_H
#define NORIA_DRIVER_CACHE_H

#include "codegen/codegen.h"
#include "driver/cache_folder.h"
#include "noria/noria.h"
#include "onnx/read/model.h"

/* Where a program is, or will be, in the cache. */
typedef struct NrCacheSlot NrCacheSlot;
/* NULL when the program is not to be cached. path NULL: data; data is of the file at path otherwise unread. folder: of
 * external data, for a program in memory. */
NrCacheSlot *nr_cache_look(const char *path, NrStr data, const char *folder, const NoriaCompileOptions *options);
void nr_cache_slot_destroy(NrCacheSlot *slot); /* NULL is allowed */

/* What a program in the cache is made of. Zero-initialise; nr_cache_entry_deinit frees. */
typedef struct NrCacheEntry {
  NrCompiled *code;
  NrStr diagnostics; /* of compiling: warnings */
  NrStr types;       /* of text IR: nr_compilation_types */
  struct NrCacheMap *maps; /* the files */
} NrCacheEntry;
void nr_cache_entry_deinit(NrCacheEntry *entry);
/* False: it is not there. */
bool nr_cache_load(NrCacheSlot *slot, NrCacheEntry *out);

/* What is stored; model may be NULL. */
typedef struct NrCacheContents {
  NrCodeParts parts;
  NrStr diagnostics, types;
  const NrOnnxModel *model;
} NrCacheContents;
void nr_cache_store(NrCacheSlot *slot, const NrCacheContents *contents);

/* cache_entry.c: one file. */

/* Files with external data, in the order of their names. */
typedef struct NrCacheExternal {
  const char *name; /* below the program's folder */
  const void *data; /* the whole file */
  size_t size;
} NrCacheExternal;
/* Maps the file and checks it. *out_names has those of external files, a NUL after each. */
bool nr_cache_entry_open(int folder, const NrDigest *key, NrCacheEntry *out, NrStr *out_names, bool *out_has_code);
bool nr_cache_entry_map(NrCacheEntry *entry, const char *path, const NrFileIdentity *identity, NrCacheExternal *out);
bool nr_cache_entry_link(NrCacheEntry *entry, const NrCacheExternal *files, size_t num_files);
/* Writes contents, or no code where that is NULL. */
void nr_cache_entry_write(int folder, const NrDigest *key, NrStr names, const NrCacheContents *contents,
                          const NrCacheExternal *files, size_t num_files);

#endif
