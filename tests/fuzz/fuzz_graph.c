/* fuzz_graph.c - any bytes as the choices of a small ONNX model, which is run in all ways with the same results.
 *
 * NORIA_FUZZ_SAVE=FILE: where each model is written before it is tried. */
#include <stdio.h>
#include <stdlib.h>

#include "graph/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static GraphCounts counts;

static void print_counts(void) {
  fprintf(stderr, "graphs: %llu models, %llu refused; %llu runs, %llu with an error, %llu of them at a limit; "
                  "%llu models are exact\n",
          (unsigned long long)counts.models, (unsigned long long)counts.refused, (unsigned long long)counts.runs,
          (unsigned long long)counts.failed_runs, (unsigned long long)counts.limited,
          (unsigned long long)counts.exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool counting;
  const char *save = getenv("NORIA_FUZZ_SAVE");
  GraphMade made;
  NrBuf message = {0};
  if (!counting) counting = atexit(print_counts) == 0;
  graph_make(data, size, &made);
  if (save && nr_file_write(save, made.model.data, made.model.size)) fprintf(stderr, "cannot write '%s'\n", save);
  if (made.model.size && !graph_check(&made, &counts, &message)) {
    fprintf(stderr, "fuzz_graph: %s\n", message.data);
    abort();
  }
  nr_buf_deinit(&message);
  nr_buf_deinit(&made.model);
  return 0;
}
