/* new_file.h - files that are whole or untouched, and temporary files that no death of the process leaves behind.
 *
 * What is written has no name while it is written, where the file system can do that (O_TMPFILE): whatever ends the
 * process, the system frees it. When it is whole it gets its name. A new name is one step. To replace a file takes two,
 * a link beside it and a rename over it, because Linux has no call that links over a name; signals that can wait wait
 * until both are done, and SIGKILL between the two leaves a whole file with the ending `.tmp`. */
#ifndef NORIA_BASE_NEW_FILE_H
#define NORIA_BASE_NEW_FILE_H

#include <sys/types.h>

#include "base/base.h"

/* A process that removes a file or folder when this one dies, however it does: for temporary files that need a name. */
typedef struct NrRemover {
  int fd; /* of a socket, whose end it waits for; -1: there is no remover */
  pid_t pid;
} NrRemover;
/* Before the file is made, so that there is no moment without a remover. Without one (no /bin/sh) all else works. */
NrRemover nr_remover_start(const char *path);
void nr_remover_end(NrRemover *remover); /* removes nothing */

typedef struct NrNewFile {
  int fd;        /* to write to, and to read; closed on exec. Owned */
  char *path;    /* where it goes, behind symbolic links */
  char *name;    /* of the temporary; NULL: it has none */
  bool in_place; /* path is a device, or in a folder that takes no new files: written over at the end */
  NrRemover remover; /* of name */
} NrNewFile;

/* Begins a file for path. What is there must be writable, and keeps its mode and owner; symbolic links are followed,
 * also to a file that does not exist yet. After a failure errno tells why and there is nothing to drop. */
NR_WARN_UNUSED NrStatus nr_new_file_open(NrNewFile *f, const char *path);
/* Puts it in its place and closes it; after a failure path is as it was, unless the file was in_place. */
NR_WARN_UNUSED NrStatus nr_new_file_commit(NrNewFile *f);
void nr_new_file_drop(NrNewFile *f); /* keeps errno */

char *nr_folder_of(const char *path); /* "." for a name alone; for nr_free */
/* A file without a name, to write and read; closed on exec. folder: where it is tried first. -1: errno tells why. */
int nr_nameless_file(const char *folder);
/* The name by which this process, and a child that has the descriptor, can open it: at most 32 bytes. */
void nr_fd_path(int fd, char out[32]);
NR_WARN_UNUSED bool nr_fd_write(int fd, const void *data, size_t size); /* all of it; false: errno tells why */
/* The folder for temporary files: TMPDIR, or /tmp. */
const char *nr_temporary_folder(void);
/* A new folder "<folder>/<prefix>XXXXXX" for temporary files that need names, with a remover; NULL: errno tells why. */
char *nr_temporary_folder_create(const char *prefix, NrRemover *out_remover);
void nr_temporary_folder_remove(char *path, NrRemover *remover); /* with the files in it; frees path */

#endif
