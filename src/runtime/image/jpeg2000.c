/* jpeg2000.c - JPEG 2000, as a file or a bare code stream, by OpenJPEG, from memory. */
#include <string.h>

#include <openjpeg.h>

#include "runtime/image/formats.h"

/* ---- the file --------------------------------------------------------------------------------------------------- */

typedef struct Memory {
  const uint8_t *data;
  size_t size, at;
} Memory;

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T count, void *user) {
  Memory *m = user;
  size_t left = m->size - m->at;
  if (!left) return (OPJ_SIZE_T)-1;
  if (count > left) count = left;
  memcpy(to, m->data + m->at, count);
  m->at += count;
  return count;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *user) {
  Memory *m = user;
  if (count < 0) return -1;
  size_t left = m->size - m->at, skipped = (uint64_t)count < left ? (size_t)count : left;
  m->at += skipped;
  return (OPJ_OFF_T)skipped;
}

static OPJ_BOOL seek(OPJ_OFF_T at, void *user) {
  Memory *m = user;
  if (at < 0 || (uint64_t)at > m->size) return OPJ_FALSE;
  m->at = (size_t)at;
  return OPJ_TRUE;
}

static opj_stream_t *open_memory(Memory *m) {
  opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
  if (!stream) return NULL;
  opj_stream_set_read_function(stream, read_bytes);
  opj_stream_set_skip_function(stream, skip_bytes);
  opj_stream_set_seek_function(stream, seek);
  opj_stream_set_user_data(stream, m, NULL);
  opj_stream_set_user_data_length(stream, m->size);
  return stream;
}

/* Errors are known by what the functions return. */
static void quiet(const char *message, void *user) { (void)message, (void)user; }

static opj_codec_t *create_codec(bool is_file) {
  opj_dparameters_t parameters;
  opj_codec_t *codec = opj_create_decompress(is_file ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  if (!codec) return NULL;
  opj_set_error_handler(codec, quiet, NULL);
  opj_set_warning_handler(codec, quiet, NULL);
  opj_set_info_handler(codec, quiet, NULL);
  opj_set_default_decoder_parameters(&parameters);
  if (opj_setup_decoder(codec, &parameters) && opj_decoder_set_strict_mode(codec, OPJ_TRUE)) return codec;
  opj_destroy_codec(codec);
  return NULL;
}

/* ---- pixels ----------------------------------------------------------------------------------------------------- */

/* Grey or three colours, with alpha or not; all components are of the image's size, and of at most 16 bits. */
static bool is_supported(const opj_image_t *image) {
  if (image->x1 <= image->x0 || image->y1 <= image->y0 || image->numcomps < 1 || image->numcomps > 4) return false;
  for (uint32_t c = 0; c < image->numcomps; c++) {
    const opj_image_comp_t *comp = &image->comps[c];
    if (comp->dx != 1 || comp->dy != 1 || comp->prec < 1 || comp->prec > 16) return false;
  }
  return true;
}

/* Whether all components are there, of the size that memory was given for. A palette makes other components of those in
 * the header. */
static bool is_decoded(const opj_image_t *image, uint64_t width, uint64_t height) {
  if (!is_supported(image)) return false;
  for (uint32_t c = 0; c < image->numcomps; c++) {
    const opj_image_comp_t *comp = &image->comps[c];
    if (!comp->data || comp->w != width || comp->h != height) return false;
  }
  return true;
}

static uint8_t sample(const opj_image_comp_t *comp, size_t i) {
  int64_t value = comp->data[i] + (comp->sgnd ? INT64_C(1) << (comp->prec - 1) : 0);
  return nr_image_scale(value < 0 ? 0 : value > 65535 ? 65535 : (uint32_t)value, (UINT32_C(1) << comp->prec) - 1);
}

static uint8_t clamp(double x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x + .5); }

static void put_pixels(const opj_image_t *image, uint8_t *to) {
  size_t count = (size_t)image->comps[0].w * image->comps[0].h;
  bool grey = image->numcomps < 3, luma = !grey && image->color_space == OPJ_CLRSPC_SYCC;
  for (size_t i = 0; i < count; i++, to += 3) {
    for (uint32_t c = 0; c < 3; c++) to[c] = sample(&image->comps[grey ? 0 : c], i);
    if (!luma) continue;
    double y = to[0], b = to[1] - 128., r = to[2] - 128.;
    to[0] = clamp(y + 1.402 * r);
    to[1] = clamp(y - .344136 * b - .714136 * r);
    to[2] = clamp(y + 1.772 * b);
  }
}

static NrImageStatus read_image(opj_stream_t *stream, opj_codec_t *codec, opj_image_t **image,
                                const NrImageSink *sink) {
  uint8_t *pixels;
  if (!opj_read_header(stream, codec, image) || !is_supported(*image)) return NR_IMAGE_BROKEN;
  uint64_t width = (*image)->x1 - (*image)->x0, height = (*image)->y1 - (*image)->y0;
  NrImageStatus status = nr_image_begin(sink, width, height, 3, &pixels);
  if (status) return status;
  if (!opj_decode(codec, stream, *image) || !opj_end_decompress(codec, stream) || !is_decoded(*image, width, height))
    return NR_IMAGE_BROKEN;
  put_pixels(*image, pixels);
  return NR_IMAGE_OK;
}

NrImageStatus nr_image_jpeg2000(const uint8_t *data, size_t size, const NrImageSink *sink) {
  Memory m = {data, size, 0};
  opj_image_t *image = NULL;
  opj_stream_t *stream = open_memory(&m);
  opj_codec_t *codec = create_codec(data[0] == 0);
  NrImageStatus status = stream && codec ? read_image(stream, codec, &image, sink) : NR_IMAGE_BROKEN;
  if (image) opj_image_destroy(image);
  if (codec) opj_destroy_codec(codec);
  if (stream) opj_stream_destroy(stream);
  return status;
}
