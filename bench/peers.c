/* peers.c - the loops of the benchmark table as a C programmer writes them; built with clang -O3 -march=native. */
#include <math.h>
#include <stdint.h>

float scalar_loop(int64_t trips, float x) {
  for (int64_t i = 0; i < trips; i++) x = x * 0.999f + 0.5f;
  return x;
}

int64_t collatz(int64_t n) {
  int64_t steps = 0;
  do {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    steps++;
  } while (n > 1);
  return steps;
}

void row_sums(const float *restrict rows, int64_t trips, float *restrict sums) {
  float sum[64] = {0};
  for (int64_t i = 0; i < trips; i++)
    for (int j = 0; j < 64; j++) {
      sum[j] += rows[i * 64 + j];
      sums[i * 64 + j] = sum[j];
    }
}

void rnn_cell(const float *restrict w, const float *restrict u, const float *restrict x, int64_t trips,
              float *restrict h) {
  float next[128];
  for (int64_t t = 0; t < trips; t++) {
    for (int j = 0; j < 128; j++) next[j] = x[j];
    for (int k = 0; k < 128; k++)
      for (int j = 0; j < 128; j++) next[j] += h[k] * w[k * 128 + j] + h[k] * u[k * 128 + j];
    for (int j = 0; j < 128; j++) h[j] = tanhf(next[j]);
  }
}
