/* test_model_read.c - the model reader against the files of make_model_read.py, and against broken bytes. */
#include "onnx/read/model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "../test.h"

#define INPUT(path) TEST_INPUT_DIR "/" path

static NrOnnxModel *read_good(const char *path) {
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  if (nr_onnx_read_file(path, &model, &errors) != NR_OK) fail_msg("%s: %s", path, errors.data);
  assert_int_equal(errors.size, 0);
  nr_buf_deinit(&errors);
  return model;
}

static void read_text(const char *path, NrBuf *out) {
  if (nr_file_read(path, out) != NR_OK) fail_msg("cannot read %s", path);
}

/* Calls visit for each .onnx file of the folder, with and without its extension; returns how many there are. */
static int each_model(const char *folder, void (*visit)(const char *path, const char *stem)) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort), models = 0;
  assert_true(count >= 0);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".onnx") == 0) {
      NrBuf path = {0}, stem = {0};
      nr_buf_printf(&path, "%s/%s", folder, name);
      nr_buf_printf(&stem, "%s/%.*s", folder, (int)(dot - name), name);
      visit(path.data, stem.data);
      nr_buf_deinit(&path);
      nr_buf_deinit(&stem);
      models++;
    }
    free(entries[i]);
  }
  free(entries);
  return models;
}

/* ---- graphs as text ---------------------------------------------------------------------------------------------- */

static void print_names(NrBuf *out, const NrStr *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    nr_buf_printf(out, "%s%.*s", i ? " " : "", NR_STR_ARG(names[i].size ? names[i] : NR_STR("_")));
}

static void print_graph(NrBuf *out, const NrOnnxGraph *graph, int indent) {
  for (size_t i = 0; i < graph->num_nodes; i++) {
    const NrOnnxNode *node = &graph->nodes[i];
    nr_buf_printf(out, "%*s", indent, "");
    print_names(out, node->outputs, node->num_outputs);
    nr_buf_printf(out, " = %.*s@%d", NR_STR_ARG(node->op_type), (int)node->version);
    for (size_t a = 0; a < node->num_attrs; a++) {
      const NrOnnxAttr *attr = &node->attrs[a];
      if (attr->type == NR_ONNX_ATTR_FLOAT) nr_buf_printf(out, " [%.*s=%g]", NR_STR_ARG(attr->name), (double)attr->f);
      if (attr->type == NR_ONNX_ATTR_INT)
        nr_buf_printf(out, " [%.*s=%lld]", NR_STR_ARG(attr->name), (long long)attr->i);
    }
    nr_buf_puts(out, node->num_inputs ? " " : "");
    print_names(out, node->inputs, node->num_inputs);
    nr_buf_putc(out, '\n');
    for (size_t a = 0; a < node->num_attrs; a++) {
      if (node->attrs[a].type != NR_ONNX_ATTR_GRAPH) continue;
      nr_buf_printf(out, "%*s%.*s\n", indent + 2, "", NR_STR_ARG(node->attrs[a].name));
      print_graph(out, node->attrs[a].g, indent + 4);
    }
  }
  nr_buf_printf(out, "%*s=>", indent, "");
  for (size_t i = 0; i < graph->num_outputs; i++) nr_buf_printf(out, " %.*s", NR_STR_ARG(graph->outputs[i].name));
  nr_buf_putc(out, '\n');
}

static void check_good(const char *path, const char *stem) {
  NrOnnxModel *model = read_good(path);
  NrBuf errors = {0}, expected_path = {0}, expected = {0}, actual = {0};
  if (nr_onnx_inline_functions(model, &errors) != NR_OK) fail_msg("%s: %s", path, errors.data);
  nr_buf_printf(&expected_path, "%s.txt", stem);
  if (nr_file_read(expected_path.data, &expected) == NR_OK) {
    print_graph(&actual, model->graph, 0);
    if (strcmp(actual.data, expected.data) != 0)
      fail_msg("%s\nexpected:\n%s\ngiven:\n%s", path, expected.data, actual.data);
  }
  nr_buf_deinit(&errors);
  nr_buf_deinit(&expected_path);
  nr_buf_deinit(&expected);
  nr_buf_deinit(&actual);
  nr_onnx_model_destroy(model);
}

static void good_models(void **state) { assert_in_range(each_model(INPUT("good"), check_good), 4, 1000); }

static int mismatches; /* so that one run shows all of them */

static void check_bad(const char *path, const char *stem) {
  NrOnnxModel *model = NULL;
  NrBuf errors = {0}, expected_path = {0}, expected = {0};
  NrStatus status = nr_onnx_read_file(path, &model, &errors);
  if (status == NR_OK) status = nr_onnx_inline_functions(model, &errors);
  else assert_null(model);
  nr_onnx_model_destroy(model);
  nr_buf_printf(&expected_path, "%s.txt", stem);
  read_text(expected_path.data, &expected);
  if (status == NR_OK || strcmp(errors.data, expected.data) != 0) {
    print_error("%s\nexpected:\n%s\ngiven:\n%s\n", path, expected.data, errors.size ? errors.data : "a model");
    mismatches++;
  }
  nr_buf_deinit(&errors);
  nr_buf_deinit(&expected_path);
  nr_buf_deinit(&expected);
}

static void bad_models(void **state) {
  assert_in_range(each_model(INPUT("bad"), check_bad), 60, 1000);
  assert_int_equal(mismatches, 0);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static void check_tensors(const char *model_path) {
  NrOnnxModel *model = read_good(model_path);
  assert_int_equal(model->graph->num_initializers, 27 * 9 + 3);
  for (size_t i = 0; i < model->graph->num_initializers; i++) {
    const NrOnnxTensor *tensor = &model->graph->initializers[i];
    NrBuf path = {0}, expected = {0};
    nr_buf_printf(&path, INPUT("tensors/%.*s"), NR_STR_ARG(tensor->name));
    read_text(path.data, &expected);
    assert_int_equal(tensor->size, tensor->count * nr_onnx_dtype_size(tensor->dtype));
    if (tensor->size != expected.size || memcmp(tensor->data, expected.data, tensor->size) != 0)
      fail_msg("tensor %s has other bytes", path.data);
    nr_buf_deinit(&path);
    nr_buf_deinit(&expected);
  }
  nr_onnx_model_destroy(model);
}

static void tensor_encodings(void **state) { check_tensors(INPUT("tensors.onnx")); }
static void tensors_in_pieces(void **state) { check_tensors(INPUT("tensors_pieces.onnx")); }

static const NrOnnxTensor *initializer(const NrOnnxModel *model, const char *name) {
  for (size_t i = 0; i < model->graph->num_initializers; i++)
    if (nr_str_is(model->graph->initializers[i].name, name)) return &model->graph->initializers[i];
  fail_msg("no initializer %s", name);
  return NULL;
}

static void tensor_bytes_stay_in_place(void **state) {
  NrBuf file = {0};
  read_text(INPUT("good/everything.onnx"), &file);
  NrOnnxModel *model = NULL;
  assert_int_equal(nr_onnx_read_memory(file.data, file.size, NULL, &model, NULL), NR_OK);
  const char *data = initializer(model, "raw")->data;
  assert_true(data > file.data && data < file.data + file.size);
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&file);
}

static void tensor_ints(void **state) {
  const int64_t values[] = {INT64_MIN, 7};
  const uint64_t large[] = {UINT64_MAX, 7};
  NrOnnxTensor tensor = {.dtype = NORIA_I64, .count = 2, .data = values};
  int64_t value;
  assert_true(nr_onnx_tensor_int(&tensor, 0, &value));
  assert_true(value == INT64_MIN);
  assert_false(nr_onnx_tensor_int(&tensor, 2, &value));
  tensor = (NrOnnxTensor){.dtype = NORIA_I8, .count = 16, .data = values};
  assert_true(nr_onnx_tensor_int(&tensor, 7, &value));
  assert_int_equal(value, -128);
  tensor = (NrOnnxTensor){.dtype = NORIA_U64, .count = 2, .data = large};
  assert_false(nr_onnx_tensor_int(&tensor, 0, &value));
  assert_true(nr_onnx_tensor_int(&tensor, 1, &value));
  tensor.dtype = NORIA_F64;
  assert_false(nr_onnx_tensor_int(&tensor, 1, &value));
}

/* ---- what is in a model ------------------------------------------------------------------------------------------ */

static void model_content(void **state) {
  NrOnnxModel *model = read_good(INPUT("good/everything.onnx"));
  const NrOnnxGraph *graph = model->graph;
  assert_int_equal(model->ir_version, 10);
  assert_int_equal(nr_onnx_opset_version(model, NULL, NR_STR("ai.onnx")), 21);
  assert_int_equal(nr_onnx_opset_version(model, &model->functions[0], NR_STR("")), 13);
  assert_int_equal(nr_onnx_opset_version(model, NULL, NR_STR("nowhere")), 0);
  assert_true(nr_str_is(model->metadata[0].value, "v"));

  const NrOnnxType *x = graph->inputs[0].type, *s = graph->inputs[1].type, *o = graph->inputs[2].type;
  assert_int_equal(x->kind, NR_ONNX_TYPE_TENSOR);
  assert_int_equal(x->dtype, NORIA_F32);
  assert_int_equal(x->rank, 2);
  assert_int_equal(x->dims[0].kind, NR_ONNX_DIM_SYMBOL);
  assert_true(nr_str_is(x->dims[0].symbol, "N"));
  assert_int_equal(x->dims[1].kind, NR_ONNX_DIM_VALUE);
  assert_int_equal(x->dims[1].value, 3);
  assert_int_equal(s->kind, NR_ONNX_TYPE_SEQUENCE);
  assert_int_equal(s->elem->dtype, NORIA_I64);
  assert_false(s->elem->has_shape);
  assert_int_equal(o->kind, NR_ONNX_TYPE_OPTIONAL);
  assert_int_equal(o->elem->dims[0].value, 2);

  const NrOnnxNode *call = &graph->nodes[1], *constant = &graph->nodes[2], *loop = &graph->nodes[3];
  assert_ptr_equal(nr_onnx_find_function(model, call), &model->functions[0]);
  assert_null(nr_onnx_find_function(model, loop));
  assert_int_equal(nr_onnx_attr_int(call, "k", 0), 2);
  assert_int_equal(nr_onnx_attr_int(call, "j", 5), 5);
  assert_int_equal(nr_onnx_attr(constant, "value")->t->count, 2);
  assert_int_equal(loop->num_inputs, 3);
  assert_int_equal(nr_onnx_input(loop, 1).size, 0);
  assert_int_equal(nr_onnx_input(loop, 9).size, 0);
  assert_int_equal(nr_onnx_attr(loop, "body")->g->num_inputs, 3);
  const NrOnnxNode *text = &graph->nodes[4];
  assert_int_equal(nr_onnx_attr(text, "ngram_counts")->ints[1], 4);
  assert_true(nr_onnx_attr(text, "weights")->floats[0] == 1.5f);
  assert_true(nr_str_is(nr_onnx_attr_string(text, "mode", ""), "TF"));
  assert_true(nr_str_is(nr_onnx_attr(text, "pool_strings")->strings[1], "b"));
  assert_true(nr_str_is(initializer(model, "words")->strings[0], "one"));
  nr_onnx_model_destroy(model);
}

/* ---- files and folders ------------------------------------------------------------------------------------------- */

static void missing_file(void **state) {
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  assert_int_equal(nr_onnx_read_file(INPUT("none.onnx"), &model, &errors), NR_ERROR_NOT_FOUND);
  assert_string_equal(errors.data, "cannot read '" INPUT("none.onnx") "': No such file or directory");
  nr_buf_deinit(&errors);
  assert_int_equal(nr_onnx_read_file(TEST_INPUT_DIR, &model, &errors), NR_ERROR_IO);
  assert_string_equal(errors.data, "cannot read '" TEST_INPUT_DIR "': Is a directory");
  nr_buf_deinit(&errors);
  assert_int_equal(nr_onnx_read_file(INPUT("none.onnx"), &model, NULL), NR_ERROR_NOT_FOUND);
  assert_null(model);
}

static void memory_and_external_data(void **state) {
  NrBuf file = {0}, errors = {0};
  NrOnnxModel *model = NULL;
  read_text(INPUT("tensors.onnx"), &file);
  assert_int_equal(nr_onnx_read_memory(file.data, file.size, NULL, &model, &errors), NR_ERROR_NOT_FOUND);
  assert_true(nr_str_starts((NrStr){errors.data, errors.size},
                            "tensor 'FLOAT_2_9_external' has its data in file "
                            "'external.bin', but the model was given without a folder"));
  assert_int_equal(nr_onnx_read_memory(file.data, file.size, TEST_INPUT_DIR, &model, NULL), NR_OK);
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&file);
  nr_buf_deinit(&errors);
}

/* As download caches keep files: the model and its data are links into one other folder. */
static void links_of_a_cache(void **state) {
  NrOnnxModel *model = read_good(INPUT("cache/model.onnx"));
  nr_onnx_model_destroy(model);
}

/* ---- broken bytes ------------------------------------------------------------------------------------------------ */

/* Reads and inlines; whatever the bytes, there is a model or an error. The bytes are copied, so that the sanitizer sees
 * a read beyond their end. */
static void read_any(const char *bytes, size_t size) {
  char *copy = nr_malloc(size);
  memcpy(copy, bytes, size);
  NrOnnxModel *model = NULL;
  NrBuf errors = {0};
  NrStatus status = nr_onnx_read_memory(copy, size, NULL, &model, &errors);
  assert_true((status == NR_OK) == (model != NULL));
  assert_true((status == NR_OK) == (errors.size == 0));
  if (model && nr_onnx_inline_functions(model, &errors) != NR_OK) assert_true(errors.size > 0);
  nr_onnx_model_destroy(model);
  nr_buf_deinit(&errors);
  nr_free(copy);
}

static void every_truncation(void **state) {
  NrBuf file = {0};
  read_text(INPUT("good/everything.onnx"), &file);
  for (size_t size = 0; size <= file.size; size++) read_any(file.data, size);
  nr_buf_deinit(&file);
}

static void mutate(const char *path, int rounds, uint64_t seed) {
  NrBuf file = {0};
  read_text(path, &file);
  char *bytes = nr_malloc(file.size);
  for (int round = 0; round < rounds; round++) {
    memcpy(bytes, file.data, file.size);
    size_t size = file.size, changes = 1 + test_random(&seed) % 4;
    for (size_t i = 0; i < changes; i++) {
      size_t at = test_random(&seed) % size, from = test_random(&seed) % size;
      switch (test_random(&seed) % 4) {
      case 0: bytes[at] = (char)test_random(&seed); break;
      case 1: bytes[at] ^= (char)(1 << test_random(&seed) % 8); break;
      case 2: memmove(bytes + at, bytes + from, test_random(&seed) % (size - NR_MAX(at, from))); break;
      case 3: memmove(bytes + at, bytes + at + 1, --size - at); break;
      }
    }
    read_any(bytes, size);
  }
  nr_free(bytes);
  nr_buf_deinit(&file);
}

static void mutations(void **state) {
  mutate(INPUT("good/everything.onnx"), 8000, 1);
  mutate(INPUT("good/functions.onnx"), 4000, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_models),
      cmocka_unit_test(bad_models),
      cmocka_unit_test(tensor_encodings),
      cmocka_unit_test(tensors_in_pieces),
      cmocka_unit_test(tensor_bytes_stay_in_place),
      cmocka_unit_test(tensor_ints),
      cmocka_unit_test(model_content),
      cmocka_unit_test(missing_file),
      cmocka_unit_test(memory_and_external_data),
      cmocka_unit_test(links_of_a_cache),
      cmocka_unit_test(every_truncation),
      cmocka_unit_test(mutations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
