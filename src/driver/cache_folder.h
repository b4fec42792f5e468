/* cache_folder.h - the folder of cached programs: who may use it, its files, its size.
 *
 * A file's name is a digest in hexadecimal. Files appear whole, by a rename, so that any number of processes may share
 * the folder. Whoever loads a program from it runs its code: so the folder must be the user's and closed to all others,
 * and files of other owners are not opened. */
#ifndef NORIA_DRIVER_CACHE_FOLDER_H
#define NORIA_DRIVER_CACHE_FOLDER_H

#include "base/digest.h"

/* What tells one state of a file from another, without reading it: device, number, size, and when it was changed. */
typedef struct NrFileIdentity {
  uint64_t words[7];
  int64_t changed; /* when, in seconds */
} NrFileIdentity;
int64_t nr_file_clock(void); /* in seconds, as times of files are */
/* Whether the file was changed shortly before `when`, or later: another change might not have shown by then. */
bool nr_file_is_recent(const NrFileIdentity *identity, int64_t when);
/* False when there is no such regular file. */
bool nr_file_identity(int fd, NrFileIdentity *out);
bool nr_file_identity_at(const char *path, NrFileIdentity *out);

/* The path that NoriaCompileOptions.cache stands for; NULL: none. For nr_free. */
char *nr_cache_path(const char *option);
/* Opens the folder at path, and makes it where it is missing. -1 when it cannot be used; out_why, which may be NULL,
 * gets the reason as a predicate: "is open to other users". */
int nr_cache_folder_open(const char *path, NrBuf *out_why);
/* Opens a file for reading; -1: there is none, or it is not the user's. */
int nr_cache_file_open(int folder, const NrDigest *name);
/* A new file, for writing. nr_cache_file_commit gives it its name, over an old one; keep false: it is removed. Both
 * close it. */
typedef struct NrCacheFile {
  int fd; /* -1: it could not be made */
  char name[80];
} NrCacheFile;
NrCacheFile nr_cache_file_create(int folder);
void nr_cache_file_commit(int folder, NrCacheFile *file, const NrDigest *name, bool keep);
/* Marks a file as used now. */
void nr_cache_file_touch(int fd);

typedef struct NrCacheUse {
  int64_t files, bytes;
} NrCacheUse;
/* What the folder holds. Files beyond most bytes are removed, those first that were not used for the longest time;
 * negative: none is. */
NrCacheUse nr_cache_folder_trim(int folder, int64_t most);
/* The bound: NORIA_CACHE_SIZE ("512M"), or 4 GiB. */
int64_t nr_cache_most_bytes(void);

#endif
