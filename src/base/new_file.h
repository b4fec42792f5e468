/* new_file.h - atomic replacement of files, and temporary files that are removed even if the process is killed.
 *
 * While it is written, a file has no name if the file system supports that (O_TMPFILE): however the process ends, the
 * system frees it. The complete file then gets its name. For a new file that is one step. Replacing a file takes two, a
 * link beside it and a rename over it, because Linux cannot link over a name. Signals are blocked until both are done;
 * SIGKILL between the two leaves a complete file with the suffix `.tmp`. */
#ifndef NORIA_BASE_NEW_FILE_H
#define NORIA_BASE_NEW_FILE_H

#include <sys/types.h>

#include "base/base.h"

/* A child process that removes a temporary file or folder with a name when this process ends, however it ends. */
typedef struct NrRemover {
  int fd; /* of a socket; the remover acts when it is closed; -1: there is no remover */
  pid_t pid;
} NrRemover;
/* Call it before the file is created. Without /bin/sh there is no remover, and all else works. */
NrRemover nr_remover_start(const char *path);
void nr_remover_end(NrRemover *remover); /* ends it without removing the file */

typedef struct NrNewFile {
  int fd;        /* to write to, and to read; closed on exec. Owned */
  char *path;    /* the destination, with symbolic links resolved */
  char *name;    /* of the temporary file; NULL: it has none */
  bool in_place; /* path is a device, or its folder is not writable: the contents are copied over it at the end */
  NrRemover remover; /* of name */
} NrNewFile;

/* Begins a new file for path. An existing file must be writable; its mode and owner are kept. Symbolic links are
 * followed, also to a file that does not exist yet. A failure sets errno and leaves nothing to drop. */
NR_WARN_UNUSED NrStatus nr_new_file_open(NrNewFile *f, const char *path);
/* Moves the file to path and closes it. After a failure path is unchanged, unless the file was in_place. */
NR_WARN_UNUSED NrStatus nr_new_file_commit(NrNewFile *f);
void nr_new_file_drop(NrNewFile *f); /* keeps errno */

char *nr_folder_of(const char *path); /* "." for a name alone; for nr_free */
/* Opens a file without a name for writing and reading; closed on exec. folder is tried first. -1 sets errno. */
int nr_nameless_file(const char *folder);
/* A path of at most 32 bytes by which this process, or a child that inherits the descriptor, can open it. */
void nr_fd_path(int fd, char out[32]);
NR_WARN_UNUSED bool nr_fd_write(int fd, const void *data, size_t size); /* all of it; false: errno tells why */
/* The folder for temporary files: TMPDIR, or /tmp. */
const char *nr_temporary_folder(void);
/* Creates a folder "<folder>/<prefix>XXXXXX" for temporary files that need names, with a remover; NULL sets errno. */
char *nr_temporary_folder_create(const char *prefix, NrRemover *out_remover);
void nr_temporary_folder_remove(char *path, NrRemover *remover); /* with the files in it; frees path */

#endif
