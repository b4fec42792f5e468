/* embed.c - a compiled program inside a C program. Three ways to have it, the same way to run it:
 *
 *   a shared library, with the runtime only        noria compile smooth.mlir -o smooth.so
 *                                                  cc embed.c -lnoria_runtime -o embed && ./embed smooth.so
 *   an object file, linked into this program       noria compile smooth.mlir -o smooth.o --header smooth.h
 *                                                  cc -DEMBED_LINKED embed.c smooth.o -lnoria_runtime -o embed
 *                                                  ./embed
 *   a model or text, compiled here in memory       cc -DEMBED_COMPILER embed.c -lnoria -o embed
 *                                                  ./embed smooth.onnx
 *
 * The program smooths a list of numbers: inputs x (float, any length) and alpha (float), output y. Arrays go in and
 * come out as DLPack tensors, without copies. */
#include <stdio.h>

#include <noria/dlpack.h>
#include <noria/runtime.h>

#ifdef EMBED_COMPILER
#include <noria/noria.h>

static NoriaStatus open_program(const char *path, NoriaProgram **program, NoriaError *error) {
  return noria_compile_file(path, NULL, program, error);
}
#elif defined EMBED_LINKED
#include "smooth.h"

static NoriaStatus open_program(const char *path, NoriaProgram **program, NoriaError *error) {
  (void)path;
  return noria_program_create(&noria_module, NULL, program, error);
}
#else
static NoriaStatus open_program(const char *path, NoriaProgram **program, NoriaError *error) {
  return noria_program_load(path, NULL, program, error);
}
#endif

static void describe(const char *what, const NoriaValueInfo *value) {
  printf("%s %s: %s[", what, value->name, noria_dtype_name((NoriaDType)value->dtype));
  for (int32_t i = 0; i < value->rank; i++) {
    const char *symbol = value->dim_names ? value->dim_names[i] : NULL;
    if (i) printf(", ");
    if (value->dims[i] >= 0) printf("%lld", (long long)value->dims[i]);
    else printf("%s", symbol ? symbol : "?");
  }
  printf("]\n");
}

/* An array of the caller's as a tensor. managed and the array live until the tensor's last reference is gone. */
static NoriaStatus lend(float *data, int64_t *shape, int rank, DLManagedTensorVersioned *managed, NoriaValue **value,
                        NoriaError *error) {
  *managed = (DLManagedTensorVersioned){
      .version = {1, 0},
      .flags = DL_FLAG_READ_ONLY,
      .dl_tensor = {.data = data, .device = {DL_CPU, 0}, .ndim = rank, .dtype = {DL_FLOAT, 32, 1}, .shape = shape},
  };
  return noria_tensor_from_dlpack_versioned(managed, value, error);
}

/* Prints the result as another library would read it. */
static NoriaStatus print(const NoriaValue *y, NoriaError *error) {
  DLManagedTensorVersioned *managed;
  NoriaStatus status = noria_tensor_to_dlpack_versioned(y, &managed, error);
  if (status) return status;
  const DLTensor *t = &managed->dl_tensor;
  const float *elements = (const float *)((const char *)t->data + t->byte_offset);
  printf("y =");
  for (int64_t i = 0; i < t->shape[0]; i++) printf(" %g", elements[i]);
  printf("\n%s\n", elements == noria_tensor_data(y) ? "without a copy" : "copied");
  managed->deleter(managed);
  return NORIA_OK;
}

static NoriaStatus run(NoriaProgram *program, NoriaError *error) {
  float numbers[] = {1, 1, 1, 1, 0, 0}, alpha = 0.5f;
  int64_t shape[] = {6};
  DLManagedTensorVersioned managed_x, managed_alpha;
  NoriaValue *x = NULL, *a = NULL, *y = NULL;
  NoriaStatus status = lend(numbers, shape, 1, &managed_x, &x, error);
  if (!status) status = lend(&alpha, NULL, 0, &managed_alpha, &a, error);
  if (!status) status = noria_program_run(program, (const NoriaValue *[]){x, a}, 2, &y, 1, NULL, error);
  if (!status) status = print(y, error);
  noria_value_release(y);
  noria_value_release(a);
  noria_value_release(x);
  return status;
}

int main(int argc, char **argv) {
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = open_program(argc > 1 ? argv[1] : "", &program, &error);
  if (!status) {
    const NoriaModule *module = noria_program_module(program);
    for (int32_t i = 0; i < module->num_inputs; i++) describe("input", &module->inputs[i]);
    for (int32_t i = 0; i < module->num_outputs; i++) describe("output", &module->outputs[i]);
    status = run(program, &error);
  }
  if (status) fprintf(stderr, "%s: %s\n", noria_status_name(status), error.message);
  noria_program_destroy(program);
  noria_error_clear(&error);
  return status ? 1 : 0;
}
