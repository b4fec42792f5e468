/* external_data.c - tensors whose bytes lie in files beside the model, mapped read-only.
 *
 * A model is untrusted input, so it may name only files in its own folder: no absolute path, no "..", and no link
 * that leads out. Where the model's path is itself a link (download caches keep files so), the folder that the link
 * leads to counts as the model's own too. */
#include "onnx/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- maps ------------------------------------------------------------------------------------------------------- */

static void *map_descriptor(int fd, size_t *out_size) {
  struct stat info;
  if (fstat(fd, &info) != 0) return NULL;
  if (!S_ISREG(info.st_mode)) return errno = EINVAL, NULL;
  *out_size = (size_t)info.st_size;
  if (info.st_size == 0) return (void *)"";
  void *data = mmap(NULL, *out_size, PROT_READ, MAP_PRIVATE, fd, 0);
  return data == MAP_FAILED ? NULL : data;
}

static void unmap(void *mapping) {
  NrOnnxMapping *m = mapping;
  if (m->size) munmap((void *)m->data, m->size);
}

NrOnnxMapping *nr_onnx_map_file(NrOnnxModel *model, const char *path) {
  for (NrOnnxMapping *m = model->mappings; m; m = m->next)
    if (nr_str_is(m->path, path)) return m;
  NrOnnxMapping *fresh = NR_NEW(&model->arena, NrOnnxMapping);
  fresh->path = nr_str_copy(&model->arena, nr_str(path));
  fresh->hold = nr_hold(unmap);
  /* Without O_NONBLOCK, opening a named pipe would wait for its writer. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  fresh->data = fd < 0 ? NULL : map_descriptor(fd, &fresh->size);
  int reason = errno;
  if (fd >= 0) close(fd);
  if (!fresh->data) {
    nr_hold_end(fresh->hold);
    errno = reason;
    return NULL;
  }
  fresh->hold->what = fresh;
  fresh->next = model->mappings;
  return model->mappings = fresh;
}

bool nr_onnx_model_file(const NrOnnxModel *model, size_t i, NrOnnxFile *out) {
  const NrOnnxMapping *m = model->mappings;
  while (m && i--) m = m->next;
  if (m) *out = (NrOnnxFile){m->path, m->data, m->size};
  return m != NULL;
}

void nr_onnx_forget_pages(const NrOnnxModel *model) {
  for (const NrOnnxMapping *m = model->mappings; m; m = m->next)
    if (m->size) madvise((void *)m->data, m->size, MADV_DONTNEED); /* nothing writes to the maps */
}

bool nr_onnx_is_external(const NrOnnxModel *model, const void *data) {
  for (const NrOnnxMapping *m = model->mappings; m; m = m->next)
    if (m->external && (uintptr_t)data - (uintptr_t)m->data < m->size) return true;
  return false;
}

void nr_onnx_unmap_all(NrOnnxModel *model) {
  for (NrOnnxMapping *m = model->mappings; m; m = m->next) {
    nr_hold_end(m->hold);
    unmap(m);
  }
  model->mappings = NULL;
}

/* ---- locations -------------------------------------------------------------------------------------------------- */

/* What external_data says; unset numbers are UINT64_MAX. */
typedef struct Location {
  NrStr path;
  uint64_t offset, length;
} Location;

static bool parse_number(NrStr text, uint64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, (uint64_t)(text.data[i] - '0'), &value))
      return false;
  }
  *out = value;
  return text.size > 0 && value != UINT64_MAX;
}

/* Why path may not be used, or NULL. A backslash is a separator too, as it is on other systems. */
static const char *refuse_path(NrStr path) {
  if (!path.size) return "is empty";
  bool drive = path.size > 1 && path.data[1] == ':';
  if (path.data[0] == '/' || path.data[0] == '\\' || drive) return "is an absolute path";
  for (size_t start = 0, i = 0; i <= path.size; i++) {
    if (i < path.size && path.data[i] != '/' && path.data[i] != '\\') continue;
    if (nr_str_is((NrStr){path.data + start, i - start}, "..")) return "leaves the model's folder";
    start = i + 1;
  }
  return NULL;
}

static bool is_inside(const char *path, const char *folder) {
  size_t n = strlen(folder);
  while (n && folder[n - 1] == '/') n--; /* the root folder is all slash */
  return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* The real path of the file, if it exists and lies in the model's folder (or that of the model file behind a link). */
static char *resolve(NrOnnxReader *r, NrStr location, const char **out_problem) {
  NrBuf joined = {0};
  nr_buf_printf(&joined, "%s/%.*s", r->folder, NR_STR_ARG(location));
  char *folder = nr_file_real_path(r->folder), *path = nr_file_real_path(joined.data);
  nr_buf_deinit(&joined);
  bool inside = path && ((folder && is_inside(path, folder)) || (r->real_folder && is_inside(path, r->real_folder)));
  *out_problem = !path ? strerror(errno) : inside ? NULL : "it is a link that leaves the model's folder";
  nr_free(folder);
  if (inside) return path;
  nr_free(path);
  return NULL;
}

static bool read_location(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *proto, Location *out) {
  const char *name = proto->name ? proto->name : "";
  *out = (Location){NR_STR(""), 0, UINT64_MAX};
  for (size_t i = 0; i < proto->n_external_data; i++) {
    NrStr key = nr_str(proto->external_data[i]->key), value = nr_str(proto->external_data[i]->value);
    uint64_t *number = nr_str_is(key, "offset") ? &out->offset : nr_str_is(key, "length") ? &out->length : NULL;
    if (nr_str_is(key, "location")) out->path = value;
    if (!number || parse_number(value, number)) continue;
    nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "tensor '%s': external data has a bad %.*s '%.*s'", name,
                  NR_STR_ARG(key), NR_STR_ARG(value));
    return false;
  }
  const char *refusal = refuse_path(out->path);
  if (!refusal) return true;
  nr_onnx_error(r->errors, NR_ERROR_INVALID, place, "tensor '%s': external data location '%.*s' %s", name,
                NR_STR_ARG(out->path), refusal);
  return false;
}

bool nr_onnx_map_external(NrOnnxReader *r, const NrOnnxPlace *place, const Onnx__TensorProto *proto, size_t size,
                          const void **out_data) {
  const char *name = proto->name ? proto->name : "", *problem;
  Location where;
  if (!read_location(r, place, proto, &where)) return false;
  if (!r->folder) {
    nr_onnx_error(r->errors, NR_ERROR_NOT_FOUND, place,
                  "tensor '%s' has its data in file '%.*s', but the model was given without a folder", name,
                  NR_STR_ARG(where.path));
    return false;
  }
  char *path = resolve(r, where.path, &problem);
  NrOnnxMapping *map = path ? nr_onnx_map_file(r->model, path) : NULL;
  if (path && !map) problem = strerror(errno);
  nr_free(path);
  if (!map) {
    nr_onnx_error(r->errors, NR_ERROR_NOT_FOUND, place, "tensor '%s': cannot use external data file '%.*s': %s", name,
                  NR_STR_ARG(where.path), problem);
    return false;
  }
  if (where.length != UINT64_MAX && where.length != size) {
    nr_onnx_error(r->errors, NR_ERROR_INVALID, place,
                  "tensor '%s': external data in '%.*s' has length %llu, but its shape and type take %zu bytes", name,
                  NR_STR_ARG(where.path), (unsigned long long)where.length, size);
    return false;
  }
  if (where.offset > map->size || map->size - where.offset < size) {
    nr_onnx_error(r->errors, NR_ERROR_INVALID, place,
                  "tensor '%s': external data file '%.*s' is too short: %zu bytes at offset %llu of a file of %zu",
                  name, NR_STR_ARG(where.path), size, (unsigned long long)where.offset, map->size);
    return false;
  }
  map->external = true;
  *out_data = map->data + where.offset;
  return true;
}
