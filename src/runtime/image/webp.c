/* webp.c - WebP without animation, by libwebp. */
#include <webp/decode.h>

#include "runtime/image/formats.h"

NrImageStatus nr_image_webp(const uint8_t *data, size_t size, const NrImageSink *sink) {
  WebPBitstreamFeatures features;
  uint8_t *pixels;
  if (WebPGetFeatures(data, size, &features) != VP8_STATUS_OK || features.has_animation || features.width < 1 ||
      features.height < 1)
    return NR_IMAGE_BROKEN;
  size_t width = (size_t)features.width, height = (size_t)features.height;
  NrImageStatus status = nr_image_begin(sink, width, height, 3, &pixels);
  if (status) return status;
  bool done = WebPDecodeRGBInto(data, size, pixels, 3 * width * height, features.width * 3) != NULL;
  return done ? NR_IMAGE_OK : NR_IMAGE_BROKEN;
}
