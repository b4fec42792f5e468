/* seal.c - reads the headers of ELF files without trusting them, and computes the checksum of the loaded part. */
#include "base/seal.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

enum { MOST_SEGMENTS = 256, LARGEST_NOTES = 1 << 16, LARGEST_NAMES = 1 << 26, CHUNK = 1 << 18 };

typedef struct Seal {
  uint64_t size, sum; /* of the file up to the last byte that is loaded; 0: not filled */
} Seal;

typedef struct Elf {
  int fd;
  uint64_t size; /* of the file */
  Elf64_Ehdr header;
  Elf64_Phdr segments[MOST_SEGMENTS];
  uint64_t loaded; /* where the last loaded byte ends */
  uint64_t seal_at; /* 0: there is no note */
  Seal seal;
} Elf;

static bool read_at(int fd, void *to, uint64_t size, uint64_t at) {
  for (char *p = to; size;) {
    ssize_t n = pread(fd, p, NR_MIN(size, (uint64_t)1 << 30), (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    at += (uint64_t)n;
    size -= (uint64_t)n;
  }
  return true;
}

static bool fits(const Elf *e, uint64_t at, uint64_t size) { return at <= e->size && size <= e->size - at; }

/* ---- headers ---------------------------------------------------------------------------------------------------- */

static bool broken(NrBuf *why, const char *format, ...) NR_PRINTF(2, 3);
static bool broken(NrBuf *why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (why) nr_buf_vprintf(why, format, args);
  va_end(args);
  return false;
}

static bool truncated(const Elf *e, uint64_t wanted, NrBuf *why) {
  return broken(why, "is truncated: it has %llu bytes of at least %llu", (unsigned long long)e->size,
                (unsigned long long)wanted);
}

static uint64_t end_of(uint64_t at, uint64_t size) { return size > UINT64_MAX - at ? UINT64_MAX : at + size; }

bool nr_is_elf(const void *data, size_t size) { return size && !memcmp(data, ELFMAG, NR_MIN(size, (size_t)SELFMAG)); }

static bool read_header(Elf *e, NrBuf *why) {
  struct stat about;
  Elf64_Ehdr *h = &e->header;
  if (fstat(e->fd, &about)) return broken(why, "cannot be read: %s", strerror(errno));
  if (S_ISDIR(about.st_mode)) return broken(why, "is a folder");
  if (!S_ISREG(about.st_mode)) return broken(why, "is no file");
  e->size = (uint64_t)about.st_size;
  if (e->size == 0) return broken(why, "is empty");
  size_t have = (size_t)NR_MIN(e->size, sizeof *h);
  if (!read_at(e->fd, h, have, 0)) return broken(why, "cannot be read: %s", strerror(errno));
  if (!nr_is_elf(h, have)) return broken(why, "is no shared library");
  if (have < sizeof *h) return truncated(e, sizeof *h, why);
  if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != OWN_MACHINE)
    return broken(why, "is for another kind of machine (ELF machine %d, this one is %d)", (int)h->e_machine,
                  OWN_MACHINE);
  if (h->e_type != ET_DYN)
    return broken(why, h->e_type == ET_REL ? "is an object file: link it, or compile to a shared library (.so)"
                                           : "is no shared library");
  return true;
}

/* Reads the segments and checks that the file contains all of them. The section table is the last part of the file. */
static bool read_segments(Elf *e, NrBuf *why) {
  const Elf64_Ehdr *h = &e->header;
  uint64_t table = (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), sections = (uint64_t)h->e_shnum * h->e_shentsize;
  if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == 0 || h->e_phnum > MOST_SEGMENTS)
    return broken(why, "is damaged: its header is wrong");
  if (!fits(e, h->e_phoff, table)) return truncated(e, end_of(h->e_phoff, table), why);
  if (!read_at(e->fd, e->segments, table, h->e_phoff)) return broken(why, "cannot be read: %s", strerror(errno));
  for (size_t i = 0; i < h->e_phnum; i++) {
    const Elf64_Phdr *s = &e->segments[i];
    uint64_t end = end_of(s->p_offset, s->p_filesz);
    if (s->p_type == PT_LOAD && s->p_memsz < s->p_filesz) return broken(why, "is damaged: its segments are wrong");
    if (s->p_type == PT_LOAD && s->p_filesz) e->loaded = NR_MAX(e->loaded, end);
    if (s->p_filesz && !fits(e, s->p_offset, s->p_filesz)) return truncated(e, end, why);
  }
  if (e->loaded == 0) return broken(why, "is damaged: nothing of it is loaded");
  if (h->e_shoff && !fits(e, h->e_shoff, sections)) return truncated(e, end_of(h->e_shoff, sections), why);
  return true;
}

static void find_seal(Elf *e) {
  static const char start[20] = {6, 0, 0, 0, sizeof(Seal), 0, 0, 0, 1, 0, 0, 0, 'N', 'o', 'r', 'i', 'a'};
  for (size_t i = 0; i < e->header.e_phnum && !e->seal_at; i++) {
    const Elf64_Phdr *s = &e->segments[i];
    if (s->p_type != PT_NOTE || s->p_filesz > LARGEST_NOTES) continue;
    char *notes = nr_malloc(s->p_filesz + 1);
    if (read_at(e->fd, notes, s->p_filesz, s->p_offset))
      for (size_t at = 0; at + sizeof start + sizeof(Seal) <= s->p_filesz && !e->seal_at; at += 4)
        if (memcmp(notes + at, start, sizeof start) == 0) {
          e->seal_at = s->p_offset + at + sizeof start;
          memcpy(&e->seal, notes + at + sizeof start, sizeof(Seal));
        }
    nr_free(notes);
  }
}

static bool open_elf(Elf *e, int fd, NrBuf *why) {
  *e = (Elf){.fd = fd};
  if (!read_header(e, why) || !read_segments(e, why)) return false;
  find_seal(e);
  return true;
}

/* ---- the sum ---------------------------------------------------------------------------------------------------- */

/* The checksum takes some bytes of the file as zeros. */
static void blank(unsigned char *chunk, uint64_t at, size_t size, uint64_t from, uint64_t to) {
  uint64_t begin = NR_MAX(at, from), end = NR_MIN(at + size, to);
  if (begin < end) memset(chunk + (begin - at), 0, (size_t)(end - begin));
}

static bool add_range(const Elf *e, NrChecksum *sum, unsigned char *chunk, uint64_t at, uint64_t end) {
  while (at < end) {
    size_t size = (size_t)NR_MIN(end - at, (uint64_t)CHUNK);
    size_t padded = (size + NR_CHECKSUM_STEP - 1) / NR_CHECKSUM_STEP * NR_CHECKSUM_STEP;
    if (!read_at(e->fd, chunk, size, at)) return false;
    memset(chunk + size, 0, padded - size);
    blank(chunk, at, size, e->seal_at, e->seal_at + sizeof(Seal));
    /* The position of the section table, which `strip` moves. */
    blank(chunk, at, size, offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_shoff) + sizeof(Elf64_Off));
    blank(chunk, at, size, offsetof(Elf64_Ehdr, e_shnum), sizeof(Elf64_Ehdr));
    nr_checksum_add(sum, chunk, padded);
    at += size;
  }
  return true;
}

static bool sum_up(const Elf *e, uint64_t *out) {
  NrChecksum sum = NR_CHECKSUM_INIT;
  uint64_t table = (uint64_t)e->header.e_phnum * sizeof(Elf64_Phdr);
  unsigned char *chunk = nr_malloc(CHUNK);
  bool good = add_range(e, &sum, chunk, 0, sizeof(Elf64_Ehdr)) &&
              add_range(e, &sum, chunk, e->header.e_phoff, e->header.e_phoff + table);
  for (size_t i = 0; i < e->header.e_phnum && good; i++)
    if (e->segments[i].p_type == PT_LOAD)
      good = add_range(e, &sum, chunk, e->segments[i].p_offset, e->segments[i].p_offset + e->segments[i].p_filesz);
  nr_free(chunk);
  *out = nr_checksum_end(&sum);
  return good;
}

bool nr_seal_write(int fd) {
  Elf e;
  if (!open_elf(&e, fd, NULL) || !e.seal_at) return false;
  e.seal.size = e.loaded;
  return sum_up(&e, &e.seal.sum) && pwrite(fd, &e.seal, sizeof(Seal), (off_t)e.seal_at) == (ssize_t)sizeof(Seal);
}

NrSealState nr_seal_check(int fd, NrBuf *out_why) {
  Elf e;
  uint64_t sum;
  if (!open_elf(&e, fd, out_why)) return NR_SEAL_BROKEN;
  if (!e.seal_at || e.seal.size == 0) return NR_SEAL_NONE;
  if (e.loaded < e.seal.size && e.size < e.seal.size) return truncated(&e, e.seal.size, out_why), NR_SEAL_BROKEN;
  if (!sum_up(&e, &sum)) return broken(out_why, "cannot be read: %s", strerror(errno)), NR_SEAL_BROKEN;
  if (e.loaded == e.seal.size && sum == e.seal.sum) return NR_SEAL_WHOLE;
  broken(out_why, "is damaged: its checksum is not that of its contents, which were changed since it was made");
  return NR_SEAL_BROKEN;
}

/* ---- the loader's table of names -------------------------------------------------------------------------------- */

/* The file offset of an address of the loaded program; false if the file does not contain it. */
static bool find_address(const Elf *e, uint64_t address, uint64_t size, uint64_t *out_at) {
  for (size_t i = 0; i < e->header.e_phnum; i++) {
    const Elf64_Phdr *s = &e->segments[i];
    if (s->p_type != PT_LOAD || address < s->p_vaddr || address - s->p_vaddr > s->p_filesz) continue;
    if (size > s->p_filesz - (address - s->p_vaddr)) continue;
    *out_at = s->p_offset + (address - s->p_vaddr);
    return true;
  }
  return false;
}

static bool has_name(const char *names, size_t size, const char *name) {
  size_t length = strlen(name) + 1;
  const char *end = names + size;
  for (const char *at = names; (at = memmem(at, (size_t)(end - at), name, length)); at++)
    if (at > names && at[-1] == 0) return true;
  return false;
}

bool nr_library_names(int fd, const char *symbol) {
  Elf e;
  uint64_t address = 0, size = 0, at;
  if (!open_elf(&e, fd, NULL)) return false;
  for (size_t i = 0; i < e.header.e_phnum; i++) {
    const Elf64_Phdr *s = &e.segments[i];
    for (uint64_t k = 0; s->p_type == PT_DYNAMIC && k + sizeof(Elf64_Dyn) <= s->p_filesz; k += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!read_at(fd, &entry, sizeof entry, s->p_offset + k) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    }
  }
  if (size == 0 || size > LARGEST_NAMES || !find_address(&e, address, size, &at)) return false;
  char *names = nr_malloc(size);
  bool named = read_at(fd, names, size, at) && has_name(names, size, symbol);
  nr_free(names);
  return named;
}
