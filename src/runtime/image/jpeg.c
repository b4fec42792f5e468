/* jpeg.c - JPEG, by libjpeg.
 *
 * libjpeg reports errors by a function that must not return, so this one goes back by longjmp: to nr_image_jpeg, over
 * frames of libjpeg and of `read_image`, which hold nothing. What libjpeg allocated is in its own pools. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "runtime/image/formats.h"

enum { MAX_SCANS = 500 }; /* a progressive file decodes the whole image once for each scan */

typedef struct Reader {
  struct jpeg_error_mgr errors; /* first: libjpeg gives its address */
  struct jpeg_progress_mgr progress;
  jmp_buf back;
  NrImageStatus status; /* why it went back */
  const NrImageSink *sink;
} Reader;

static void go_back(Reader *r, NrImageStatus status) {
  r->status = status;
  longjmp(r->back, 1);
}

static void on_error(j_common_ptr common) { go_back((Reader *)common->err, NR_IMAGE_BROKEN); }

/* A warning is a place that is damaged, and libjpeg goes on with made-up pixels; but for what does not change any. */
static void on_message(j_common_ptr common, int level) {
  int code = common->err->msg_code;
  if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR) on_error(common);
}

static void on_progress(j_common_ptr common) {
  Reader *r = (Reader *)common->err;
  if (((j_decompress_ptr)common)->input_scan_number > MAX_SCANS) go_back(r, NR_IMAGE_BROKEN);
  if (r->sink->stopped(r->sink->user)) go_back(r, NR_IMAGE_STOPPED);
}

/* Rows of cyan, magenta, yellow and black to red, green and blue. Adobe writes them inverted. */
static void from_cmyk(uint8_t *pixels, const uint8_t *row, uint32_t width, bool inverted) {
  for (uint32_t i = 0; i < width; i++)
    for (uint32_t c = 0; c < 3; c++) {
      uint32_t ink = row[4 * i + c], black = row[4 * i + 3];
      if (!inverted) ink = 255 - ink, black = 255 - black;
      pixels[3 * i + c] = (uint8_t)((ink * black + 127) / 255);
    }
}

static void read_image(struct jpeg_decompress_struct *jpeg, const uint8_t *data, size_t size, Reader *r) {
  uint8_t *pixels;
  jpeg_create_decompress(jpeg);
  jpeg->progress = &r->progress;
  jpeg_mem_src(jpeg, data, size);
  jpeg_read_header(jpeg, TRUE);
  bool cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
  jpeg->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  NrImageStatus status = nr_image_begin(r->sink, jpeg->image_width, jpeg->image_height, 3, &pixels);
  if (status) go_back(r, status);
  jpeg_start_decompress(jpeg);
  uint32_t width = jpeg->output_width;
  JSAMPARRAY row =
      cmyk ? jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, (JDIMENSION)(4 * width), 1) : NULL;
  while (jpeg->output_scanline < jpeg->output_height) {
    uint8_t *to = pixels + (size_t)jpeg->output_scanline * width * 3;
    jpeg_read_scanlines(jpeg, cmyk ? row : &to, 1);
    if (cmyk) from_cmyk(to, row[0], width, jpeg->saw_Adobe_marker);
  }
  jpeg_finish_decompress(jpeg);
}

NrImageStatus nr_image_jpeg(const uint8_t *data, size_t size, const NrImageSink *sink) {
  struct jpeg_decompress_struct jpeg;
  Reader r = {.progress = {.progress_monitor = on_progress}, .sink = sink};
  memset(&jpeg, 0, sizeof jpeg);
  jpeg.err = jpeg_std_error(&r.errors);
  r.errors.error_exit = on_error;
  r.errors.emit_message = on_message;
  if (!setjmp(r.back)) read_image(&jpeg, data, size, &r);
  jpeg_destroy_decompress(&jpeg);
  return r.status;
}
