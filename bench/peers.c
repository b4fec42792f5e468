/* peers.c - the loops of the benchmark table as a C programmer writes them; built with clang -O3 -march=native. */
#include <math.h>
#include <pthread.h>
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

typedef struct Part {
  const float *a, *b;
  float *c;
  int64_t begin, end;
} Part;

static void *stream_part(void *user) {
  const Part *p = user;
  for (int64_t i = p->begin; i < p->end; i++) p->c[i] = p->a[i] + p->b[i];
  return NULL;
}

/* c = a + b, the second half on a thread of its own where threads is 2. Returns 0, or an errno. */
int stream(const float *a, const float *b, float *c, int64_t n, int threads) {
  int64_t middle = threads == 2 ? n / 2 : n;
  Part first = {a, b, c, 0, middle}, second = {a, b, c, middle, n};
  pthread_t thread;
  int failed = threads == 2 ? pthread_create(&thread, NULL, stream_part, &second) : 0;
  if (failed) return failed;
  stream_part(&first);
  return threads == 2 ? pthread_join(thread, NULL) : 0;
}
