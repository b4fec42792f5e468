/* call_add.c - time of one call of a compiled Add of 4 floats through the C API, at the number of threads: prints
 * nanoseconds, the median of batches. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "noria/noria.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  enum { BATCHES = 101, CALLS = 2000 };
  NoriaError error = NORIA_ERROR_INIT;
  NoriaCompileOptions options = {.program = {.threads = argc > 2 ? atoi(argv[2]) : 1}};
  NoriaProgram *program;
  NoriaValue *a, *b;
  const float data[4] = {1, 2, 3, 4};
  if (argc < 2 || noria_compile_file(argv[1], &options, &program, &error) ||
      noria_tensor_create(NORIA_F32, 1, (int64_t[]){4}, data, &a, &error) ||
      noria_tensor_create(NORIA_F32, 1, (int64_t[]){4}, data, &b, &error)) {
    fprintf(stderr, "call_add: %s\n", error.message ? error.message : "usage: call_add MODEL [THREADS]");
    return 1;
  }
  const NoriaValue *inputs[2] = {a, b};
  double times[BATCHES];
  for (int i = 0; i < BATCHES; i++) {
    double begin = now();
    for (int k = 0; k < CALLS; k++) {
      NoriaValue *out;
      if (noria_program_run(program, inputs, 2, &out, 1, NULL, &error)) {
        fprintf(stderr, "call_add: %s\n", error.message);
        return 1;
      }
      noria_value_release(out);
    }
    times[i] = (now() - begin) / CALLS;
  }
  qsort(times, BATCHES, sizeof *times, compare);
  printf("%.1f\n", times[BATCHES / 2]);
  noria_value_release(a);
  noria_value_release(b);
  noria_program_destroy(program);
  return 0;
}
