// SPDX-License-Identifier: Apache-2.0
#include "CImageCodecs.h"

#include <stdio.h>
#include <stdlib.h>

#include <png.h>

struct cimage_png {
    png_structp png;
    png_infop info;
    cimage_rows rows;
    bool has_alpha;
    bool is_interlaced;
    bool is_done;
    bool is_broken;
    size_t width;
    size_t height;
    size_t taken_rows;
    char error[200];
};

static void fail(png_structp png, png_const_charp text) {
    cimage_png *decoder = png_get_error_ptr(png);
    snprintf(decoder->error, sizeof decoder->error, "%s", text);
    png_longjmp(png, 1);
}

static void stay_silent(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/// Multiplies the colors of a row by its alpha, rounded.
static void premultiply(uint8_t *row, size_t width) {
    for (uint8_t *pixel = row; pixel < row + 4 * width; pixel += 4) {
        unsigned alpha = pixel[3];
        if (alpha == 255) continue;
        for (int channel = 0; channel < 3; channel++) pixel[channel] = (uint8_t)((pixel[channel] * alpha + 127) / 255);
    }
}

static void take_header(png_structp png, png_infop info) {
    cimage_png *decoder = png_get_progressive_ptr(png);
    decoder->width = png_get_image_width(png, info);
    decoder->height = png_get_image_height(png, info);
    decoder->is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    decoder->has_alpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, info, PNG_INFO_tRNS);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_bgr(png);
    if (!decoder->has_alpha) png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    if (decoder->is_interlaced) png_set_interlace_handling(png);
    png_read_update_info(png, info);
}

static void take_row(png_structp png, png_bytep bytes, png_uint_32 index, int pass) {
    (void)pass;
    // A pass of an interlaced picture leaves most rows unchanged.
    if (!bytes) return;
    cimage_png *decoder = png_get_progressive_ptr(png);
    uint8_t *row = decoder->rows.row(decoder->rows.context, index);
    png_progressive_combine_row(png, row, bytes);
    // A later pass combines a row with its content, so it is premultiplied when all passes are done.
    if (decoder->has_alpha && !decoder->is_interlaced) premultiply(row, decoder->width);
    decoder->rows.finish(decoder->rows.context, index);
    decoder->taken_rows++;
}

/// Returns true if every row came: the library accepts pictures with fewer rows of data than the header promises.
static bool has_all_rows(png_structp png, const cimage_png *decoder) {
    // The library counts on after the seventh pass.
    return decoder->is_interlaced ? png_get_current_pass_number(png) >= 7 : decoder->taken_rows == decoder->height;
}

static void take_end(png_structp png, png_infop info) {
    (void)info;
    cimage_png *decoder = png_get_progressive_ptr(png);
    decoder->is_done = has_all_rows(png, decoder);
    if (!decoder->is_done) return;
    if (!decoder->has_alpha || !decoder->is_interlaced) return;
    for (size_t index = 0; index < decoder->height; index++) {
        premultiply(decoder->rows.row(decoder->rows.context, index), decoder->width);
    }
}

static bool make_ready(cimage_png *decoder, uint32_t maximum_width, uint32_t maximum_height) {
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, fail, stay_silent);
    if (!decoder->png || !(decoder->info = png_create_info_struct(decoder->png))) return false;
    if (setjmp(png_jmpbuf(decoder->png))) return false;
    png_set_user_limits(decoder->png, maximum_width, maximum_height);
    png_set_progressive_read_fn(decoder->png, decoder, take_header, take_row, take_end);
    return true;
}

cimage_png *cimage_png_create(uint32_t maximum_width, uint32_t maximum_height, cimage_rows rows) {
    cimage_png *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->rows = rows;
    if (make_ready(decoder, maximum_width, maximum_height)) return decoder;
    cimage_png_destroy(decoder);
    return NULL;
}

void cimage_png_destroy(cimage_png *decoder) {
    if (!decoder) return;
    if (decoder->png) png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}

cimage_step cimage_png_feed(cimage_png *decoder, const uint8_t *bytes, size_t count) {
    if (decoder->is_broken) return cimage_failed;
    if (decoder->is_done) return cimage_done;
    if (setjmp(png_jmpbuf(decoder->png))) {
        decoder->is_broken = true;
        return cimage_failed;
    }
    // The library requires a mutable pointer but does not write to the bytes.
    png_process_data(decoder->png, decoder->info, (png_bytep)bytes, count);
    return decoder->is_done ? cimage_done : cimage_more;
}

const char *cimage_png_error(const cimage_png *decoder) { return decoder->error; }
