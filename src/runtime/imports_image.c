/* imports_image.c - files of images for compiled code. Signatures: base/imports.def. */
#include "runtime/image/image.h"
#include "runtime/imports.h"
#include "runtime/part.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The library, which is loaded when it is first asked for. NULL after failing. */
static const NrImage *image_library(NrExec *e, int32_t site) {
  static const void *table;
  NoriaError error = NORIA_ERROR_INIT;
  pthread_mutex_lock(&lock);
  NoriaStatus status = NORIA_OK;
  if (!table) status = nr_part_load("images", NR_IMAGE_LIBRARY, NR_IMAGE_SYMBOL, NR_IMAGE_VERSION, &table, &error);
  if (status) table = NULL;
  const NrImage *image = table;
  pthread_mutex_unlock(&lock);
  if (status) nr_exec_fail(e, status, site, "%s", error.message);
  noria_error_clear(&error);
  return image;
}

/* The decoded pixels, in memory of the run. */
typedef struct Pixels {
  NrExec *e;
  uint8_t *data;
  uint32_t width, height, channels;
} Pixels;

static uint8_t *begin(void *user, uint32_t width, uint32_t height, uint32_t channels) {
  Pixels *p = user;
  p->width = width;
  p->height = height;
  p->channels = channels;
  return p->data = nr_api_alloc(&p->e->pub, (int64_t)width * height * channels);
}

static bool stopped(void *user) { return nr_exec_stopped(((Pixels *)user)->e); }

/* Brightness as ITU-R 601 has it, in parts of 2^16. */
static uint8_t grey(const uint8_t *rgb) {
  return (uint8_t)((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000) >> 16);
}

enum { BGR = 1, GREY = 2 };

static int32_t put_result(NrExec *e, const Pixels *p, int32_t format, NoriaDesc *result) {
  int64_t dims[3] = {p->data ? p->height : 0, p->data ? p->width : 0, format == GREY ? 1 : 3};
  if (nr_result_tensor(e, result, NORIA_U8, 3, dims)) return 1;
  const uint8_t *from = p->data;
  uint8_t *to = result->data;
  for (int64_t i = 0; i < dims[0] * dims[1]; i++, from += p->channels) {
    if (nr_import_stopped(e, i)) return 1;
    if (format == GREY) *to++ = grey(from);
    else for (int c = 0; c < 3; c++) *to++ = from[format == BGR ? 2 - c : c];
  }
  return 0;
}

int32_t nr_import_image_decode(NoriaExec *exec, const NoriaDesc *args, NoriaDesc *results) {
  NrExec *e = nr_exec(exec);
  int32_t site = nr_arg_i32(&args[0]), format = nr_arg_i32(&args[1]), status = 1;
  const NrImage *image = image_library(e, site);
  if (!image || !nr_desc_is(e, &args[2], NORIA_U8)) return 1;
  Pixels p = {.e = e};
  NrImageSink sink = {&p, begin, stopped};
  NrImageStatus decoded = image->decode(args[2].data, (size_t)nr_desc_count(&args[2]), &sink);
  if (decoded == NR_IMAGE_BROKEN && p.data) {
    nr_api_free(exec, p.data);
    p.data = NULL;
  }
  if (decoded == NR_IMAGE_TOO_LARGE)
    nr_exec_fail(e, NORIA_ERROR_FAILED, site, "an image of more than %d pixels is not decoded", NR_IMAGE_MAX_PIXELS);
  else if (decoded != NR_IMAGE_STOPPED)
    status = put_result(e, &p, format, &results[0]);
  if (p.data) nr_api_free(exec, p.data);
  return status;
}
