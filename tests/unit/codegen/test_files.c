/* Compiled files: each kind is written, the shared library is loaded and run, and the object asks for nothing unusual.
 */
#include <dlfcn.h>
#include <unistd.h>

#include "codegen_test.h"

static const char text[] =
    "memref.global \"private\" constant @table : memref<64xf32> = dense<0.25>\n"
    "memref.global \"private\" constant @words : memref<2x!onnx.string> = dense<[\"one\", \"two\"]>\n"
    "func.func @main(%x: memref<?xf32>) -> (memref<?xf32>, memref<!onnx.string>) attributes {noria.entry,\n"
    "    noria.inputs = [{name = \"x\", dtype = 1 : i64, dims = array<i64: -1>, dim_names = [\"N\"]}],\n"
    "    noria.outputs = [{name = \"y\", dtype = 1 : i64, dims = array<i64: -1>},\n"
    "                     {name = \"*/ word\", dtype = 8 : i64, dims = array<i64>}]} {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  %n = memref.dim %x, %c0 : memref<?xf32>\n  %t = memref.get_global @table : memref<64xf32>\n"
    "  %y = memref.alloc(%n) : memref<?xf32>\n  cf.br ^head(%c0 : index)\n"
    "^head(%i: index):\n  %more = arith.cmpi slt, %i, %n : index\n  cf.cond_br %more, ^body, ^exit\n"
    "^body:\n  %v = memref.load %x[%i] : memref<?xf32>\n  %b = memref.load %t[%i] : memref<64xf32>\n"
    "  %w = math.exp %v : f32\n  %a = math.acos %b : f32\n  %q = arith.remf %v, %b : f32\n  %u = arith.mulf %w, %b : "
    "f32\n"
    "  %s = arith.addf %u, %a : f32\n  %r = arith.addf %s, %q : f32\n"
    "  memref.store %r, %y[%i] : memref<?xf32>\n  %j = arith.addi %i, %c1 : index\n  cf.br ^head(%j : index)\n"
    "^exit:\n  %ws = memref.get_global @words : memref<2x!onnx.string>\n"
    "  %word = memref.load %ws[%c1] : memref<2x!onnx.string>\n  %o = memref.alloc() : memref<!onnx.string>\n"
    "  memref.store %word, %o[] : memref<!onnx.string>\n"
    "  return %y, %o : memref<?xf32>, memref<!onnx.string>\n}\n";

typedef struct Files {
  Program p;
  char folder[64];
  char path[128];
} Files;

static void files_open(Files *f) {
  memset(f, 0, sizeof *f);
  program_parse(&f->p, text);
  assert_int_equal(nr_pipeline_run_stage(f->p.module, "expand", &(NrPassOptions){0}), NR_OK);
  strcpy(f->folder, "/tmp/noria-test-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
}

static const char *file_path(Files *f, const char *name) {
  snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
  return f->path;
}

static void emit(Files *f, NrCodegenKind kind, const char *name) {
  NrStatus status = nr_codegen_emit(&(NrVariant){f->p.module, {.opt_level = 2}}, 1, kind, file_path(f, name));
  nr_diag_flush(f->p.ctx);
  if (status) print_message("%s", f->p.messages.data ? f->p.messages.data : "");
  assert_int_equal(status, NR_OK);
}

static void files_close(Files *f, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) unlink(file_path(f, names[i]));
  assert_int_equal(rmdir(f->folder), 0); /* nothing else was left there */
  program_free(&f->p);
}

static void check_output(const NoriaModule *m) {
  const void *constants[8];
  assert_in_range(m->num_constants, 1, 8);
  for (int i = 0; i < m->num_constants; i++) {
    constants[i] = m->constants[i].data;
    assert_int_equal((uintptr_t)m->constants[i].data % 64, 0);
  }
  TestExec run = {.exec = {.api = &host_api, .constants = constants, .threads = 1}, .module = m};
  float x[] = {0, 1, -2};
  NoriaDesc in = tensor1(x, 3), out[2];
  assert_int_equal(m->entry(&run.exec, &in, out), 0);
  const float want[] = {0.25f + 1.3181161f, 0.67957046f + 1.3181161f, 0.033833821f + 1.3181161f};
  for (int i = 0; i < 3; i++) assert_float_equal(((float *)out[0].data)[i], want[i], 1e-6);
  const NoriaString *word = *(NoriaString **)out[1].data;
  assert_int_equal(word->size, 3);
  assert_int_equal(word->refs, 0);
  assert_string_equal(word->data, "two");
  host_free(&run.exec, out[0].data);
  host_free(&run.exec, out[1].data);
}

static void shared_library(void **state) {
  Files f;
  files_open(&f);
  emit(&f, NR_CODEGEN_SHARED, "model.so");
  void *library = dlopen(f.path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail_msg("%s", dlerror());
  const NoriaModule *m = dlsym(library, "noria_module");
  assert_non_null(m);
  assert_int_equal(m->num_inputs, 1);
  check_output(m);
  dlclose(library);
  files_close(&f, (const char *[]){"model.so"}, 1);
}

static bool file_has(const char *path, const char *word) {
  NrBuf buf = {0};
  assert_int_equal(nr_file_read(path, &buf), NR_OK);
  bool found = memmem(buf.data, buf.size, word, strlen(word)) != NULL;
  nr_buf_deinit(&buf);
  return found;
}

/* The names that a file leaves undefined, from nm. */
static void check_undefined(const char *path) {
  static const char *const allowed[] = {"acosf", "fmodf", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_"};
  char command[256], line[256];
  snprintf(command, sizeof command, "nm -u %s", path);
  FILE *nm = popen(command, "r");
  assert_non_null(nm);
  while (fgets(line, sizeof line, nm)) {
    char name[200];
    bool known = false;
    if (sscanf(line, " U %199s", name) != 1) continue;
    for (size_t i = 0; i < NR_COUNTOF(allowed); i++) known |= strcmp(name, allowed[i]) == 0;
    if (!known) fail_msg("%s is undefined in %s", name, path);
  }
  pclose(nm);
}

static void other_files(void **state) {
  Files f;
  files_open(&f);
  emit(&f, NR_CODEGEN_OBJECT, "model.o");
  assert_true(file_has(f.path, "\177ELF"));
  check_undefined(f.path);
  emit(&f, NR_CODEGEN_ASSEMBLY, "model.s");
  assert_true(file_has(f.path, "noria_module"));
  assert_false(file_has(f.path, ".incbin"));
  emit(&f, NR_CODEGEN_LLVM_IR, "model.ll");
  assert_true(file_has(f.path, "@noria_module"));
  files_close(&f, (const char *[]){"model.o", "model.s", "model.ll"}, 3);
}

static void bad_path(void **state) {
  Files f;
  files_open(&f);
  NrStatus status =
      nr_codegen_emit(&(NrVariant){f.p.module, {.opt_level = 2}}, 1, NR_CODEGEN_OBJECT, "/nonexistent/folder/model.o");
  nr_diag_flush(f.p.ctx);
  assert_int_equal(status, NR_ERROR_IO);
  assert_non_null(strstr(f.p.messages.data, "/nonexistent/folder/model.o"));
  files_close(&f, NULL, 0);
}

static void other_cpu(void **state) {
  Files f;
  files_open(&f);
#if defined(__x86_64__)
  NrCodegenOptions options = {.cpu = "x86-64", .opt_level = 2};
#else
  NrCodegenOptions options = {.cpu = "generic", .opt_level = 2};
#endif
  assert_int_equal(nr_codegen_emit(&(NrVariant){f.p.module, options}, 1, NR_CODEGEN_SHARED, file_path(&f, "old.so")),
                   NR_OK);
  void *library = dlopen(f.path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail_msg("%s", dlerror());
  check_output(dlsym(library, "noria_module"));
  dlclose(library);
  options.cpu = "no-such-cpu";
  assert_int_equal(nr_codegen_emit(&(NrVariant){f.p.module, options}, 1, NR_CODEGEN_OBJECT, file_path(&f, "no.o")),
                   NR_ERROR_INVALID);
  nr_diag_flush(f.p.ctx);
  assert_non_null(strstr(f.p.messages.data, "unknown CPU 'no-such-cpu'"));
  files_close(&f, (const char *[]){"old.so"}, 1);
}

static void header(void **state) {
  Files f;
  files_open(&f);
  NrBuf out = {0};
  nr_codegen_header(f.p.module, NR_STR("my-model"), &out);
  assert_non_null(strstr(out.data, " *   0  x: float[N]\n"));
  assert_non_null(strstr(out.data, " *   1  *_ word: string\n"));
  assert_non_null(strstr(out.data, "#define MY_MODEL_NUM_OUTPUTS 2\n"));
  assert_int_equal(nr_file_write(file_path(&f, "model.h"), out.data, out.size), NR_OK);
  char command[512];
  snprintf(command, sizeof command, "cc -xc -std=c11 -Wall -Werror -fsyntax-only -I%s/../include %s", TEST_SOURCE_DIR,
           f.path);
  assert_int_equal(system(command), 0);
  nr_buf_deinit(&out);
  files_close(&f, (const char *[]){"model.h"}, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_library), cmocka_unit_test(other_files), cmocka_unit_test(bad_path),
      cmocka_unit_test(other_cpu),      cmocka_unit_test(header),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
