/* test_new_file.c - files that are whole or untouched: links, modes, folders that take no files, file systems that cannot
 * do without names, and death at every point. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "base/new_file.h"

static char folder[64];

static int enter_folder(void **state) {
  strcpy(folder, "noria-files-XXXXXX");
  return !mkdtemp(folder) || chmod(folder, 0755) || chdir(folder);
}

static int leave_folder(void **state) {
  NrBuf command = {0};
  if (chdir("..")) return 1;
  nr_buf_printf(&command, "chmod -R u+rwx %s && rm -rf %s", folder, folder);
  int result = system(command.data);
  nr_buf_deinit(&command);
  return result;
}

static void put(const char *path, const char *text) {
  if (nr_file_write(path, text, strlen(text))) fail_msg("cannot write %s: %s", path, strerror(errno));
}

static void expect(const char *path, const char *text) {
  NrBuf got = {0};
  assert_int_equal(nr_file_read(path, &got), NR_OK);
  assert_string_equal(got.data, text);
  nr_buf_deinit(&got);
}

static size_t count_files(const char *path) {
  DIR *dir = opendir(path);
  size_t count = 0;
  assert_non_null(dir);
  while (readdir(dir)) count++;
  closedir(dir);
  return count - 2; /* . and .. */
}

static unsigned mode_of(const char *path) {
  struct stat about;
  assert_int_equal(lstat(path, &about), 0);
  return about.st_mode & 07777;
}

static bool is_link(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

/* ---- links and modes -------------------------------------------------------------------------------------------- */

static void links_are_followed(void **state) {
  assert_int_equal(mkdir("sub", 0755), 0);
  assert_int_equal(symlink("sub/two", "one"), 0);
  assert_int_equal(symlink("../three", "sub/two"), 0); /* relative to where the link is */
  put("one", "first");                                 /* there is no file yet */
  expect("three", "first");
  put("one", "second");
  expect("three", "second");
  assert_true(is_link("one") && is_link("sub/two") && !is_link("three"));
  char absolute[4096];
  assert_non_null(realpath("three", absolute));
  assert_int_equal(symlink(absolute, "four"), 0);
  put("four", "third");
  expect("three", "third");
  assert_int_equal(count_files("."), 4);
  assert_int_equal(count_files("sub"), 1);
}

static void links_without_an_end_are_an_error(void **state) {
  assert_int_equal(symlink("b", "a"), 0);
  assert_int_equal(symlink("a", "b"), 0);
  assert_int_equal(nr_file_write("a", "x", 1), NR_ERROR_IO);
  assert_int_equal(errno, ELOOP);
  assert_int_equal(symlink("none/file", "c"), 0);
  assert_int_equal(nr_file_write("c", "x", 1), NR_ERROR_IO);
  assert_int_equal(errno, ENOENT);
  assert_int_equal(nr_file_write(".", "x", 1), NR_ERROR_IO);
  assert_int_equal(errno, EISDIR);
  assert_int_equal(count_files("."), 3);
}

static void modes_stay(void **state) {
  mode_t mask = umask(027);
  put("new", "x");
  assert_int_equal(mode_of("new"), 0640);
  chmod("new", 0751);
  put("new", "y");
  assert_int_equal(mode_of("new"), 0751);
  expect("new", "y");
  umask(mask);
  assert_int_equal(count_files("."), 1);
}

/* What /dev/stdout points to has no path of its own: a pipe here, and a file that was deleted. */
static void links_of_proc_lead_to_the_open_file(void **state) {
  int ends[2], gone = open("gone", O_CREAT | O_RDWR, 0600);
  char path[32], got[8] = {0};
  assert_int_equal(pipe(ends), 0);
  nr_fd_path(ends[1], path);
  put(path, "abc");
  assert_int_equal(read(ends[0], got, sizeof got), 3);
  assert_string_equal(got, "abc");
  unlink("gone");
  nr_fd_path(gone, path);
  put(path, "defg");
  assert_int_equal(pread(gone, got, sizeof got, 0), 4);
  assert_memory_equal(got, "defg", 4);
  assert_int_equal(count_files("."), 0);
  close(gone);
  close(ends[0]);
  close(ends[1]);
}

/* ---- in a child process ----------------------------------------------------------------------------------------- */

/* Runs body in a child, which then ends well when body is true. */
static void in_child(bool (*body)(void)) {
  pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static bool writes(const char *path, const char *text) { return nr_file_write(path, text, strlen(text)) == NR_OK; }

static bool become_nobody(void) { return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0); }

static bool write_as_nobody(void) {
  if (!become_nobody()) return false;
  bool refused = !writes("read-only", "x") && errno == EACCES;
  return refused && writes("closed/file", "over") && !writes("closed/other", "x") && errno == EACCES;
}

/* A file that may be written in a folder that takes no new ones is written over. */
static void permissions_hold(void **state) {
  assert_int_equal(mkdir("closed", 0755), 0);
  put("read-only", "stays");
  chmod("read-only", 0444);
  put("closed/file", "a longer text");
  chmod("closed/file", 0666);
  chmod("closed", 0555);
  in_child(write_as_nobody);
  expect("read-only", "stays");
  expect("closed/file", "over");
  assert_int_equal(count_files("closed"), 1);
}

static bool write_in_sticky_folder(void) { return become_nobody() && writes("sticky/file", "mine"); }

/* In /tmp only the owner may replace a file, but others may be allowed to write to it. */
static void foreign_files_in_sticky_folders_are_written_over(void **state) {
  if (geteuid() != 0) skip(); /* nobody else's file can be made */
  assert_int_equal(mkdir("sticky", 0777), 0);
  chmod("sticky", 01777);
  put("sticky/file", "theirs, and longer");
  chmod("sticky/file", 0666);
  in_child(write_in_sticky_folder);
  expect("sticky/file", "mine");
  assert_int_equal(count_files("sticky"), 1);
}

/* ---- systems that can do less ----------------------------------------------------------------------------------- */

/* From now on the system call fails with error where argument i has all the bits; 0: always. */
static bool break_call(long call, unsigned i, unsigned bits, int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + 8 * i),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool without_nameless_files(void) { return break_call(SYS_openat, 2, O_TMPFILE, EOPNOTSUPP); }

static bool write_twice(void) {
  if (!writes("file", "one") || mode_of("file") != 0644 || !writes("file", "two")) return false;
  chmod("file", 0600);
  return writes("file", "three") && mode_of("file") == 0600;
}
static bool write_with_names(void) { return without_nameless_files() && write_twice(); }
static bool write_without_links(void) { return break_call(SYS_linkat, 0, 0, ENOENT) && write_twice(); }

static void other_systems_give_the_same(void **state) {
  mode_t mask = umask(022);
  bool (*const bodies[])(void) = {write_twice, write_with_names, write_without_links};
  for (size_t i = 0; i < NR_COUNTOF(bodies); i++) {
    in_child(bodies[i]);
    expect("file", "three");
    assert_int_equal(count_files("."), 1);
    unlink("file");
  }
  umask(mask);
}

/* ---- death ------------------------------------------------------------------------------------------------------ */

/* Waits for what a remover does after a death. */
static void expect_no_files(const char *path) {
  for (int i = 0; i < 600 && count_files(path); i++) usleep(50000);
  assert_int_equal(count_files(path), 0);
}

/* The child tells by a byte that its file is begun, and waits for its death. */
static void begin_and_die(bool named, int with) {
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    NrNewFile f;
    signal(with, SIG_DFL);
    if (named && !without_nameless_files()) _exit(1);
    if (nr_new_file_open(&f, "file") || !nr_fd_write(f.fd, "part", 4) || write(ends[1], "", 1) != 1) _exit(2);
    for (;;) pause();
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  assert_int_equal(count_files("."), named);
  kill(child, with);
  assert_int_equal(waitpid(child, NULL, 0), child);
  expect_no_files(".");
}

static void nothing_is_left_by_a_process_that_dies(void **state) {
  const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGSEGV};
  for (size_t i = 0; i < NR_COUNTOF(signals); i++) {
    begin_and_die(false, signals[i]);
    begin_and_die(true, signals[i]);
  }
}

static void temporary_folders_go_with_the_process(void **state) {
  setenv("TMPDIR", ".", 1);
  NrRemover remover;
  char *path = nr_temporary_folder_create("test", &remover);
  assert_non_null(path);
  NrBuf file = {0};
  nr_buf_printf(&file, "%s/file", path);
  put(file.data, "x");
  nr_temporary_folder_remove(path, &remover);
  assert_int_equal(count_files("."), 0);
  pid_t child = fork();
  if (child == 0) {
    path = nr_temporary_folder_create("test", &remover);
    file.size = 0;
    nr_buf_printf(&file, "%s/file", path);
    put(file.data, "x");
    kill(getpid(), SIGKILL);
  }
  waitpid(child, NULL, 0);
  expect_no_files(".");
  unsetenv("TMPDIR");
  nr_buf_deinit(&file);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
  const struct CMUnitTest tests[] = {
      TEST(links_are_followed),
      TEST(links_without_an_end_are_an_error),
      TEST(modes_stay),
      TEST(links_of_proc_lead_to_the_open_file),
      TEST(permissions_hold),
      TEST(foreign_files_in_sticky_folders_are_written_over),
      TEST(other_systems_give_the_same),
      TEST(nothing_is_left_by_a_process_that_dies),
      TEST(temporary_folders_go_with_the_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
