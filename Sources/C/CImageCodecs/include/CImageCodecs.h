// SPDX-License-Identifier: Apache-2.0
#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg and libpng report an error by longjmp, which must not pass through a Swift frame, and their default handlers
// end the process. Therefore this target owns every setjmp, and Swift gets steps and messages.

/// The state of a decoder after the bytes that it was given.
typedef enum {
    /// Decoding failed for good; the decoder has a message.
    cimage_failed,
    /// All bytes are consumed, and more are needed.
    cimage_more,
    /// The header is read, and the decoder waits for instructions; bytes may be left.
    cimage_header,
    /// The picture is complete, including its end marker.
    cimage_done,
} cimage_step;

/// The destination of a picture's rows: four bytes per pixel (blue, green, red, alpha), premultiplied by alpha.
///
/// Neither function may throw or jump.
typedef struct {
    /// The argument for both functions.
    void *context;
    /// Returns the memory to write a row to.
    uint8_t *(*row)(void *context, size_t index);
    /// Called when the row is written; an interlaced picture writes its rows several times.
    void (*finish)(void *context, size_t index);
} cimage_rows;

/// The samples of one component.
typedef struct {
    /// The number of samples per row and of rows, filled up to whole blocks.
    size_t width;
    size_t height;
    /// The number of columns and rows of the picture per sample, in whole pixels if `is_yuv`.
    size_t columns;
    size_t rows;
} cimage_plane;

/// The content of a JPEG's header.
typedef struct {
    size_t width;
    size_t height;
    /// Its EXIF data with the word before it, which lives as long as the decoder; NULL and 0 if there is none.
    const uint8_t *exif;
    size_t exif_length;
    /// True if the picture has several scans, so that all coefficients are kept until the last one.
    bool is_progressive;
    /// True if its colors are inks.
    bool is_cmyk;
    /// True if its samples are luma and chroma, or luma alone, with a luma sample per pixel and chroma samples for
    /// whole pixels.
    bool is_yuv;
    /// True for arithmetic coding, whose decoder cannot wait for bytes.
    bool is_arithmetic;
    /// The number of components: 1 if it is gray, 3 if it has colors.
    size_t component_count;
    cimage_plane planes[3];
} cimage_jpeg_header;

/// A JPEG decoder that gets all bytes at once, or as they arrive.
typedef struct cimage_jpeg cimage_jpeg;

/// Creates a decoder, or returns NULL if there is not enough memory.
///
/// It allocates at most `memory_limit` bytes for itself, or what the environment's JPEGMEM allows if that is less.
cimage_jpeg *cimage_jpeg_create(size_t memory_limit, size_t scan_limit);

void cimage_jpeg_destroy(cimage_jpeg *decoder);

/// Reads the header of a picture of which all bytes are there, and which outlive the decoder: `cimage_header`, or failed.
cimage_step cimage_jpeg_open(cimage_jpeg *decoder, const uint8_t *bytes, size_t count);

/// Decodes the rest of a picture that was opened: done or failed.
cimage_step cimage_jpeg_decode(cimage_jpeg *decoder);

/// Decodes the next bytes; `taken` is set to the number of consumed ones.
cimage_step cimage_jpeg_feed(cimage_jpeg *decoder, const uint8_t *bytes, size_t count, size_t *taken);

/// Reads the header's content; after the step `cimage_header`.
void cimage_jpeg_read_header(const cimage_jpeg *decoder, cimage_jpeg_header *header);

/// Continues with rows of pixels, at `eighths`/8 of the size; after the step `cimage_header`.
void cimage_jpeg_decode_rows(cimage_jpeg *decoder, unsigned eighths, cimage_rows rows);

/// Continues with the planes of stored samples, each as large as in the header; after `cimage_header`.
void cimage_jpeg_decode_planes(cimage_jpeg *decoder, uint8_t *const planes[3]);

/// The message of the failure, or "".
const char *cimage_jpeg_error(const cimage_jpeg *decoder);

/// The first warning about a picture that could be decoded nevertheless, or "".
const char *cimage_jpeg_warning(const cimage_jpeg *decoder);

/// The number of warnings so far.
size_t cimage_jpeg_warning_count(const cimage_jpeg *decoder);

/// True if the bytes of a picture that was opened end before it does.
bool cimage_jpeg_is_cut(const cimage_jpeg *decoder);

/// True if the data of a scan ends before its last row: the library has made up the others.
bool cimage_jpeg_lacks_rows(const cimage_jpeg *decoder);

/// A PNG decoder that gets the bytes as they arrive.
typedef struct cimage_png cimage_png;

/// Creates a decoder for pictures of at most this size, or returns NULL if there is not enough memory.
cimage_png *cimage_png_create(uint32_t maximum_width, uint32_t maximum_height, cimage_rows rows);

void cimage_png_destroy(cimage_png *decoder);

/// Decodes the next bytes; never returns `cimage_header`, because the caller has read the header already.
cimage_step cimage_png_feed(cimage_png *decoder, const uint8_t *bytes, size_t count);

/// The message of the failure, or "".
const char *cimage_png_error(const cimage_png *decoder);

/// The size of the buffer for a failure's reason, in bytes.
#define CIMAGE_PNG_REASON_SIZE 64

/// The version of the loaded libpng.
const char *cimage_png_version(void);

/// The largest size of a PNG of a picture in red, green and blue, in bytes; 0 if the picture has no size.
size_t cimage_png_capacity(uint32_t width, uint32_t height);

/// Encodes rows of red, green and blue bytes without padding; returns the size of the PNG, or 0 and a reason.
///
/// In C because this interface of libpng owns the `setjmp` for its errors, and its sizes are macros, which Swift does
/// not import.
size_t cimage_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *target, size_t capacity,
    char reason[CIMAGE_PNG_REASON_SIZE]);

#endif
