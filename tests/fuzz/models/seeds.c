/* seeds.c - the models that mutants are made of: see mutate.h. */
#include "mutate.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "onnx.pb-c.h"

static bool add_file(Seeds *seeds, const char *path) {
  SeedModel model = {0};
  if (nr_file_read(path, &model.bytes)) return false;
  const char *slash = strrchr(path, '/');
  model.name = nr_str_copy(&seeds->arena, nr_str(slash ? slash + 1 : path));
  nr_vec_push(&seeds->models, model);
  return true;
}

static bool is_model(const char *name) {
  size_t size = strlen(name), end = strlen(".onnx");
  return size > end && strcmp(name + size - end, ".onnx") == 0;
}

bool seeds_add(Seeds *seeds, const char *path) {
  struct stat info;
  if (stat(path, &info)) return false;
  if (!S_ISDIR(info.st_mode)) return add_file(seeds, path);
  DIR *folder = opendir(path);
  bool found = false;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    NrBuf child = {0};
    nr_buf_printf(&child, "%s/%s", path, entry->d_name);
    bool is_folder = entry->d_name[0] != '.' && !stat(child.data, &info) && S_ISDIR(info.st_mode);
    if (is_folder || is_model(entry->d_name)) found |= seeds_add(seeds, child.data);
    nr_buf_deinit(&child);
  }
  if (folder) closedir(folder);
  return found;
}

static int by_name(const void *a, const void *b) {
  const SeedModel *x = a, *y = b;
  int order = nr_str_cmp(x->name, y->name);
  size_t size = NR_MIN(x->bytes.size, y->bytes.size);
  return order ? order : memcmp(x->bytes.data, y->bytes.data, size);
}

static void add_ops(Seeds *seeds, const Onnx__GraphProto *g, NrStrMap *seen) {
  for (size_t i = 0; g && i < g->n_node; i++) {
    const Onnx__NodeProto *node = g->node[i];
    const char *key =
        nr_arena_printf(&seeds->arena, "%zu %s", node->n_input, node->op_type ? node->op_type : "");
    for (size_t a = 0; a < node->n_attribute; a++) add_ops(seeds, node->attribute[a]->g, seen);
    if (!node->op_type || nr_strmap_has(seen, nr_str(key))) continue;
    nr_strmap_set(seen, nr_str(key), seeds);
    nr_vec_push(&seeds->ops, ((SeedOp){strchr(key, ' ') + 1, node->n_input}));
  }
}

void seeds_finish(Seeds *seeds) {
  NrStrMap seen = {0};
  size_t kept = 0;
  if (seeds->models.size) qsort(seeds->models.data, seeds->models.size, sizeof *seeds->models.data, by_name);
  for (size_t i = 0; i < seeds->models.size; i++) {
    SeedModel model = seeds->models.data[i];
    Onnx__ModelProto *proto = onnx__model_proto__unpack(NULL, model.bytes.size, (const uint8_t *)model.bytes.data);
    if (proto) {
      add_ops(seeds, proto->graph, &seen);
      seeds->models.data[kept++] = model;
      onnx__model_proto__free_unpacked(proto, NULL);
    } else nr_buf_deinit(&model.bytes);
  }
  seeds->models.size = kept;
  nr_strmap_deinit(&seen);
}

void seeds_deinit(Seeds *seeds) {
  for (size_t i = 0; i < seeds->models.size; i++) nr_buf_deinit(&seeds->models.data[i].bytes);
  nr_vec_deinit(&seeds->models);
  nr_vec_deinit(&seeds->ops);
  nr_arena_deinit(&seeds->arena);
}
