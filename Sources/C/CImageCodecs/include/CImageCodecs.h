// SPDX-License-Identifier: Apache-2.0
#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg and libpng end a decoder by longjmp when they meet an error, which must not pass through a frame of Swift, and
// their default handlers end the process. So this target owns every setjmp, and Swift sees steps and words.

/// What a decoder has come to with the bytes that it was given.
typedef enum {
    /// Something is wrong for good; the decoder has words for it.
    cimage_failed,
    /// All bytes are taken, and more are needed.
    cimage_more,
    /// The header has been read, and how to go on is to be told; bytes may be left.
    cimage_header,
    /// The picture is complete, down to its end marker.
    cimage_done,
} cimage_step;

/// Where the rows of a picture go: four bytes a pixel, in the order blue, green, red, alpha, with the color
/// multiplied by alpha.
///
/// Neither function may throw or jump.
typedef struct {
    /// What both functions are called with.
    void *context;
    /// Where a row is to be written to.
    uint8_t *(*row)(void *context, size_t index);
    /// The row is written; an interlaced picture writes its rows several times.
    void (*finish)(void *context, size_t index);
} cimage_rows;

/// The samples of one component.
typedef struct {
    /// How many lie in a row, and how many rows there are, filled up to whole blocks.
    size_t width;
    size_t height;
    /// How many columns and rows of the picture one sample stands for, in whole pixels where the header says `is_yuv`.
    size_t columns;
    size_t rows;
} cimage_plane;

/// What the header of a JPEG says.
typedef struct {
    size_t width;
    size_t height;
    /// Whether several scans make up the picture, so that all coefficients are held until the last one.
    bool is_progressive;
    /// Whether its colors are those of ink.
    bool is_cmyk;
    /// Whether its samples are luma and chroma, or luma alone, and not those of another model, with a sample of luma for
    /// every pixel and samples of chroma that stand for whole ones.
    bool is_yuv;
    /// Whether it is coded arithmetically: the decoder of that cannot wait for bytes.
    bool is_arithmetic;
    /// The components: 1 where it is gray, 3 where it has colors.
    size_t component_count;
    cimage_plane planes[3];
} cimage_jpeg_header;

/// A JPEG decoder that is given the bytes as they come.
typedef struct cimage_jpeg cimage_jpeg;

/// Makes a decoder, or NULL where there is no memory for it.
///
/// It allocates at most `memory_limit` bytes for itself, or what the environment's JPEGMEM allows where that is less.
cimage_jpeg *cimage_jpeg_create(size_t memory_limit, size_t scan_limit);

void cimage_jpeg_destroy(cimage_jpeg *decoder);

/// Takes the next bytes and decodes as far as they go; `taken` tells how many it has.
cimage_step cimage_jpeg_feed(cimage_jpeg *decoder, const uint8_t *bytes, size_t count, size_t *taken);

/// What the header says; after the step `cimage_header`.
void cimage_jpeg_read_header(const cimage_jpeg *decoder, cimage_jpeg_header *header);

/// Goes on with rows of pixels, at `eighths`/8 of the size; after the step `cimage_header`.
void cimage_jpeg_decode_rows(cimage_jpeg *decoder, unsigned eighths, cimage_rows rows);

/// Goes on with the planes of samples as they are stored, each as large as the header says; after `cimage_header`.
void cimage_jpeg_decode_planes(cimage_jpeg *decoder, uint8_t *const planes[3]);

/// What went wrong for good, or "".
const char *cimage_jpeg_error(const cimage_jpeg *decoder);

/// What was wrong first and left a picture all the same, or "".
const char *cimage_jpeg_warning(const cimage_jpeg *decoder);

/// A PNG decoder that is given the bytes as they come.
typedef struct cimage_png cimage_png;

/// Makes a decoder of a picture of at most this size, or NULL where there is no memory for it.
cimage_png *cimage_png_create(uint32_t maximum_width, uint32_t maximum_height, cimage_rows rows);

void cimage_png_destroy(cimage_png *decoder);

/// Takes the next bytes and decodes as far as they go: never `cimage_header`, because whoever makes it has read that.
cimage_step cimage_png_feed(cimage_png *decoder, const uint8_t *bytes, size_t count);

/// What went wrong for good, or "".
const char *cimage_png_error(const cimage_png *decoder);

/// The room for the words of a failure, in bytes.
#define CIMAGE_PNG_REASON_SIZE 64

/// The version of libpng that is loaded.
const char *cimage_png_version(void);

/// The largest size that the PNG of a picture in red, green and blue can have, in bytes; 0 where it has no size.
size_t cimage_png_capacity(uint32_t width, uint32_t height);

/// Encodes rows of red, green and blue, a byte each, without padding, and returns how many bytes the PNG has.
///
/// In C because libpng reports its errors by a long jump, which Swift cannot catch: this interface of libpng owns the
/// `setjmp` itself, and what its sizes are is said by macros that Swift does not see.
/// Returns 0 and gives the reason where the picture cannot be encoded.
size_t cimage_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *target, size_t capacity,
    char reason[CIMAGE_PNG_REASON_SIZE]);

#endif
