// SPDX-License-Identifier: Apache-2.0
#include "CImageCodecs.h"

#include <png.h>
#include <stdio.h>
#include <string.h>

const char *cimage_png_version(void) { return png_get_libpng_ver(NULL); }

static png_image describe(uint32_t width, uint32_t height) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    return image;
}

size_t cimage_png_capacity(uint32_t width, uint32_t height) {
    png_image image = describe(width, height);
    return PNG_IMAGE_PNG_SIZE_MAX(image);
}

size_t cimage_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *target, size_t capacity,
    char reason[CIMAGE_PNG_REASON_SIZE]) {
    png_image image = describe(width, height);
    png_alloc_size_t size = capacity;
    if (target != NULL && png_image_write_to_memory(&image, target, &size, 0, pixels, 0, NULL)) return size;
    snprintf(reason, CIMAGE_PNG_REASON_SIZE, "%s", image.message[0] ? image.message : "there is no room for it");
    png_image_free(&image);
    return 0;
}
