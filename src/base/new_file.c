/* new_file.c - see new_file.h. */
#include "base/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LINKS = 40, MOST_TRIES = 100 };

/* ---- removers --------------------------------------------------------------------------------------------------- */

/* The remover reads from a socket whose other end this process holds. A line ends it; end of file, when the process is
 * gone, makes it remove the file. It is a session leader, so that signals to the process's group (Ctrl-C, `kill -9
 * -GROUP`) do not reach it. */
NrRemover nr_remover_start(const char *path) {
  NrRemover remover = {.fd = -1};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return remover;
  /* A linker that the process started may still write to the folder, so that it cannot be removed at first. */
  static char script[] = "read -r line || for i in 1 2 3 4 5; do rm -rf -- \"$1\" && break; sleep 1; done";
  char *const argv[] = {"sh", "-c", script, "sh", (char *)path, NULL};
  char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  if (posix_spawn(&remover.pid, "/bin/sh", &actions, &attributes, argv, environment) == 0) remover.fd = ends[1];
  else close(ends[1]);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  return remover;
}

void nr_remover_end(NrRemover *remover) {
  if (remover->fd < 0) return;
  int saved = errno;
  (void)!send(remover->fd, "\n", 1, MSG_NOSIGNAL);
  close(remover->fd);
  while (waitpid(remover->pid, NULL, 0) < 0 && errno == EINTR) {}
  remover->fd = -1;
  errno = saved;
}

/* ---- files without a name --------------------------------------------------------------------------------------- */

const char *nr_temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

void nr_fd_path(int fd, char out[32]) { snprintf(out, 32, "/proc/self/fd/%d", fd); }

bool nr_fd_write(int fd, const void *data, size_t size) {
  for (const char *p = data; size;) {
    ssize_t n = write(fd, p, NR_MIN(size, (size_t)1 << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= (size_t)n;
  }
  return true;
}

/* Blocks the signals of the calling thread that can be blocked. */
static void hold_signals(sigset_t *out_old) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, out_old);
}
static void release_signals(const sigset_t *old) {
  int saved = errno;
  pthread_sigmask(SIG_SETMASK, old, NULL);
  errno = saved;
}

int nr_nameless_file(const char *folder) {
  const char *folders[] = {folder, nr_temporary_folder()};
  for (size_t i = 0; i < NR_COUNTOF(folders); i++) {
    int fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
  }
  return memfd_create("noria", MFD_CLOEXEC);
}

/* ---- where a file goes ------------------------------------------------------------------------------------------ */

char *nr_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  NrBuf folder = {0};
  nr_buf_append(&folder, path, slash ? (size_t)(slash - path) : 0);
  if (!folder.size) nr_buf_puts(&folder, slash ? "/" : ".");
  return folder.data;
}

/* Resolves symbolic links; the target need not exist. NULL sets errno. */
static char *behind_links(const char *path) {
  NrBuf at = {0};
  nr_buf_puts(&at, path);
  for (int links = 0; links <= MOST_LINKS; links++) {
    char target[4096];
    ssize_t size = readlink(at.data, target, sizeof target);
    if (size < 0 && (errno == EINVAL || errno == ENOENT)) return at.data; /* no link, or nothing there yet */
    if (size < 0) goto failed;
    if ((size_t)size == sizeof target) {
      errno = ENAMETOOLONG;
      goto failed;
    }
    NrBuf next = {0};
    if (target[0] != '/') {
      char *folder = nr_folder_of(at.data);
      nr_buf_printf(&next, "%s/", folder);
      nr_free(folder);
    }
    nr_buf_append(&next, target, (size_t)size);
    nr_buf_deinit(&at);
    at = next;
  }
  errno = ELOOP;
failed:
  nr_buf_deinit(&at);
  return NULL;
}

/* A random name in the folder of path. */
static char *temporary_name(const char *path) {
  static atomic_uint count;
  NrBuf name = {0};
  nr_buf_printf(&name, "%s.%lx%llx%x.tmp", path, (long)getpid(), (unsigned long long)nr_now_ns() & 0xffffff,
                atomic_fetch_add(&count, 1) & 0xfff);
  return name.data;
}

/* ---- files that appear whole ------------------------------------------------------------------------------------ */

static void free_all(NrNewFile *f) {
  int saved = errno;
  if (f->fd >= 0) close(f->fd);
  nr_remover_end(&f->remover);
  nr_free(f->path);
  nr_free(f->name);
  *f = (NrNewFile){.fd = -1, .remover.fd = -1};
  errno = saved;
}

void nr_new_file_drop(NrNewFile *f) {
  int saved = errno;
  if (f->name) unlink(f->name);
  free_all(f);
  errno = saved;
}

/* Opens a temporary file with a name, for file systems without O_TMPFILE. -1 sets errno. */
static int open_named(NrNewFile *f) {
  f->name = temporary_name(f->path);
  f->remover = nr_remover_start(f->name);
  int fd = open(f->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) return fd;
  nr_remover_end(&f->remover);
  nr_free(f->name);
  f->name = NULL;
  return -1;
}

/* Links of /proc (/dev/stdout) may contain a description instead of a path. */
static bool is_behind(const char *path, const struct stat *about) {
  struct stat behind;
  return stat(path, &behind) == 0 && behind.st_dev == about->st_dev && behind.st_ino == about->st_ino;
}

/* Opens the file to write to; -1 sets errno. */
static int open_temporary(NrNewFile *f, bool exists) {
  char *folder = nr_folder_of(f->path);
  int fd = -1;
  if (!f->in_place) {
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) fd = open_named(f);
    f->in_place = fd < 0 && exists && (errno == EACCES || errno == EPERM);
  }
  if (f->in_place) fd = nr_nameless_file(folder);
  int saved = errno;
  nr_free(folder);
  errno = saved;
  return fd;
}

NrStatus nr_new_file_open(NrNewFile *f, const char *path) {
  struct stat old;
  *f = (NrNewFile){.fd = -1, .remover.fd = -1, .path = behind_links(path)};
  if (!f->path) return NR_ERROR_IO;
  bool exists = stat(path, &old) == 0, allowed = !exists || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
  if (exists && !is_behind(f->path, &old)) {
    nr_free(f->path);
    NrBuf same = {0};
    nr_buf_puts(&same, path);
    f->path = same.data;
    f->in_place = true;
  }
  f->in_place |= exists && !S_ISREG(old.st_mode);
  if (exists && S_ISDIR(old.st_mode)) errno = EISDIR;
  else if (allowed) f->fd = open_temporary(f, exists); /* else errno is faccessat's */
  if (f->fd >= 0) return NR_OK;
  free_all(f);
  return NR_ERROR_IO;
}

/* Copies the mode of a file and, if permitted, its owner. */
static void take_over(int fd, const struct stat *from) {
  struct stat own;
  if (fstat(fd, &own)) return;
  if (own.st_uid != from->st_uid || own.st_gid != from->st_gid) (void)!fchown(fd, from->st_uid, from->st_gid);
  fchmod(fd, from->st_mode & 07777);
}

/* Copies f to an existing file, or with O_CREAT to a new one. */
static bool copy_to(NrNewFile *f, const char *path, int flags) {
  char part[1 << 16];
  struct stat own;
  int to = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
  bool good = to >= 0 && fstat(f->fd, &own) == 0 && lseek(f->fd, 0, SEEK_SET) == 0;
  if (good && (flags & O_CREAT)) take_over(to, &own);
  for (ssize_t n = 1; good && n;) {
    n = read(f->fd, part, sizeof part);
    good = n >= 0 && nr_fd_write(to, part, (size_t)n);
  }
  if (to >= 0 && close(to)) good = false;
  return good;
}

/* Links the nameless file to f->name; if that is not possible (no /proc), makes a copy with that name. */
static bool give_name(NrNewFile *f) {
  char from[32];
  nr_fd_path(f->fd, from);
  for (int i = 0; i < MOST_TRIES; i++) {
    f->name = temporary_name(f->path);
    if (linkat(AT_FDCWD, from, AT_FDCWD, f->name, AT_SYMLINK_FOLLOW) == 0) return true;
    if (errno != EEXIST) break;
    nr_free(f->name);
    f->name = NULL;
  }
  if (!f->name) return false;
  f->remover = nr_remover_start(f->name);
  return copy_to(f, f->name, O_CREAT | O_EXCL);
}

static bool link_new(NrNewFile *f) {
  char from[32];
  nr_fd_path(f->fd, from);
  return linkat(AT_FDCWD, from, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW) == 0;
}

static bool put_in_place(NrNewFile *f) {
  struct stat old;
  if (f->in_place) return copy_to(f, f->path, O_TRUNC);
  bool exists = stat(f->path, &old) == 0;
  if (exists) take_over(f->fd, &old);
  if (!exists && !f->name && link_new(f)) return true;
  sigset_t signals;
  hold_signals(&signals);
  bool good = (f->name || give_name(f)) && rename(f->name, f->path) == 0;
  /* In a folder where only owners may replace files (/tmp). */
  bool over = !good && exists && (errno == EACCES || errno == EPERM);
  if (!good && f->name) {
    int saved = errno;
    unlink(f->name);
    errno = saved;
  }
  release_signals(&signals);
  return good || (over && copy_to(f, f->path, O_TRUNC));
}

NrStatus nr_new_file_commit(NrNewFile *f) {
  bool good = put_in_place(f);
  if (f->name) nr_free(f->name), f->name = NULL;
  free_all(f);
  return good ? NR_OK : NR_ERROR_IO;
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

char *nr_temporary_folder_create(const char *prefix, NrRemover *out_remover) {
  for (int i = 0; i < MOST_TRIES; i++) {
    NrBuf start = {0};
    nr_buf_printf(&start, "%s/%s", nr_temporary_folder(), prefix);
    char *path = temporary_name(start.data);
    nr_buf_deinit(&start);
    *out_remover = nr_remover_start(path);
    if (mkdir(path, 0700) == 0) return path;
    int saved = errno;
    nr_remover_end(out_remover);
    nr_free(path);
    errno = saved;
    if (errno != EEXIST) break;
  }
  return NULL;
}

void nr_temporary_folder_remove(char *path, NrRemover *remover) {
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
  if (rmdir(path) == 0) {
    nr_remover_end(remover);
  } else if (remover->fd >= 0) { /* something else is in it: the remover removes it when nobody holds the pipe */
    close(remover->fd);
    while (waitpid(remover->pid, NULL, 0) < 0 && errno == EINTR) {}
    remover->fd = -1;
  }
  nr_free(path);
}
