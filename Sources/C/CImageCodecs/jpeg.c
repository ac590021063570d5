// SPDX-License-Identifier: Apache-2.0
#include "CImageCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// The bytes that a decoder may have to read again: a segment of the header, at most 64 KiB, is read as a whole.
enum { held_capacity = 80 * 1024 };

// The longest segment: the first directory of EXIF data stands anywhere in it.
enum { saved_exif = 0xFFFF };

enum { most_sample_rows = MAX_SAMP_FACTOR * DCTSIZE };

typedef enum { reading_header, header_read, starting, decoding_rows, decoding_planes, ending, done } stage;

struct cimage_jpeg {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    stage stage;
    bool is_broken;
    bool is_whole;
    bool is_cut;
    bool lacks_rows;
    bool wants_planes;
    size_t scan_limit;
    size_t skip;
    cimage_rows rows;
    uint8_t *planes[3];
    char error[JMSG_LENGTH_MAX];
    char warning[JMSG_LENGTH_MAX];
    uint8_t held[held_capacity];
};

static cimage_jpeg *owner(j_common_ptr info) { return info->client_data; }

static void fail(j_common_ptr info) {
    info->err->format_message(info, owner(info)->error);
    longjmp(owner(info)->escape, 1);
}

static void note(j_common_ptr info, int level) {
    if (level >= 0) return;
    // A marker ends the data of a scan, and the library makes up the rest; with restarts, the rest of an interval.
    if (info->err->msg_code == JWRN_HIT_MARKER && ((j_decompress_ptr)info)->restart_interval == 0) {
        owner(info)->lacks_rows = true;
    }
    // Levels below zero are warnings, of which the first is the most useful.
    if (info->err->num_warnings++ > 0) return;
    info->err->format_message(info, owner(info)->warning);
}

static void stay_silent(j_common_ptr info) { (void)info; }

static void limit_scans(j_common_ptr info) {
    cimage_jpeg *decoder = owner(info);
    if ((size_t)decoder->info.input_scan_number <= decoder->scan_limit) return;
    snprintf(
        decoder->error, sizeof decoder->error, "Progressive JPEG image has more than %zu scans", decoder->scan_limit);
    longjmp(decoder->escape, 1);
}

static void start_source(j_decompress_ptr info) { (void)info; }

// FALSE suspends the decoder, which goes back to a point where it can resume, and returns. Behind all bytes it gets an
// end, with which it finishes whatever it was doing.
static boolean ask_for_more(j_decompress_ptr info) {
    static const JOCTET end[] = {0xFF, JPEG_EOI};
    cimage_jpeg *decoder = owner((j_common_ptr)info);
    if (!decoder->is_whole) return FALSE;
    decoder->is_cut = true;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

// The library goes on without data where it finds the end in place of a restart.
static boolean go_to_restart(j_decompress_ptr info, int wanted) {
    if (info->unread_marker == JPEG_EOI) owner((j_common_ptr)info)->lacks_rows = true;
    return jpeg_resync_to_restart(info, wanted);
}

static void skip_input(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    size_t here = info->src->bytes_in_buffer;
    size_t now = (size_t)count < here ? (size_t)count : here;
    info->src->next_input_byte += now;
    info->src->bytes_in_buffer -= now;
    cimage_jpeg *decoder = owner((j_common_ptr)info);
    if (!decoder->is_whole) decoder->skip += (size_t)count - now;
}

static void end_source(j_decompress_ptr info) { (void)info; }

static bool make_ready(cimage_jpeg *decoder, size_t memory_limit) {
    if (setjmp(decoder->escape)) return false;
    jpeg_create_decompress(&decoder->info);
    // jpeg_create_decompress has read JPEGMEM.
    long *limit = &decoder->info.mem->max_memory_to_use;
    if (*limit <= 0 || (size_t)*limit > memory_limit) *limit = (long)memory_limit;
    jpeg_save_markers(&decoder->info, JPEG_APP0 + 1, saved_exif);
    return true;
}

cimage_jpeg *cimage_jpeg_create(size_t memory_limit, size_t scan_limit) {
    cimage_jpeg *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = note;
    decoder->errors.output_message = stay_silent;
    decoder->info.client_data = decoder;
    decoder->scan_limit = scan_limit;
    if (!make_ready(decoder, memory_limit)) {
        cimage_jpeg_destroy(decoder);
        return NULL;
    }
    decoder->source = (struct jpeg_source_mgr){
        .next_input_byte = decoder->held,
        .init_source = start_source,
        .fill_input_buffer = ask_for_more,
        .skip_input_data = skip_input,
        .resync_to_restart = go_to_restart,
        .term_source = end_source,
    };
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = limit_scans;
    decoder->info.progress = &decoder->progress;
    return decoder;
}

void cimage_jpeg_destroy(cimage_jpeg *decoder) {
    if (!decoder) return;
    jpeg_destroy_decompress(&decoder->info);
    free(decoder);
}

/// Moves bytes into `held`; returns how many.
static size_t hold(cimage_jpeg *decoder, const uint8_t *bytes, size_t count) {
    struct jpeg_source_mgr *source = &decoder->source;
    size_t skipped = decoder->skip < count ? decoder->skip : count;
    decoder->skip -= skipped;
    memmove(decoder->held, source->next_input_byte, source->bytes_in_buffer);
    source->next_input_byte = decoder->held;
    size_t room = held_capacity - source->bytes_in_buffer;
    size_t added = count - skipped < room ? count - skipped : room;
    if (added > 0) memcpy(decoder->held + source->bytes_in_buffer, bytes + skipped, added);
    source->bytes_in_buffer += added;
    return skipped + added;
}

/// Reads rows until the bytes do not suffice for another one.
static bool read_rows(cimage_jpeg *decoder) {
    j_decompress_ptr info = &decoder->info;
    while (info->output_scanline < info->output_height) {
        size_t index = info->output_scanline;
        JSAMPROW row = decoder->rows.row(decoder->rows.context, index);
        if (jpeg_read_scanlines(info, &row, 1) == 0) return false;
        decoder->rows.finish(decoder->rows.context, index);
    }
    return true;
}

/// Reads rows of blocks until the bytes do not suffice for another one.
static bool read_planes(cimage_jpeg *decoder) {
    j_decompress_ptr info = &decoder->info;
    JSAMPROW rows[3][most_sample_rows];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    JDIMENSION lines = (JDIMENSION)info->max_v_samp_factor * DCTSIZE;
    while (info->output_scanline < info->output_height) {
        size_t block_row = info->output_scanline / lines;
        for (int component = 0; component < info->num_components; component++) {
            jpeg_component_info *about = &info->comp_info[component];
            size_t stride = (size_t)about->width_in_blocks * DCTSIZE;
            size_t height = (size_t)about->height_in_blocks * DCTSIZE;
            for (size_t line = 0; line < (size_t)about->v_samp_factor * DCTSIZE; line++) {
                size_t y = block_row * (size_t)about->v_samp_factor * DCTSIZE + line;
                // Padding blocks are never written, but their rows need a valid address.
                if (y >= height) y = height - 1;
                rows[component][line] = decoder->planes[component] + y * stride;
            }
        }
        if (jpeg_read_raw_data(info, planes, lines) == 0) return false;
    }
    return true;
}

static cimage_step go_on(cimage_jpeg *decoder) {
    j_decompress_ptr info = &decoder->info;
    switch (decoder->stage) {
    case reading_header:
        if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return cimage_more;
        decoder->stage = header_read;
        // fall through
    case header_read:
        return cimage_header;
    case starting:
        if (!jpeg_start_decompress(info)) return cimage_more;
        decoder->stage = decoder->wants_planes ? decoding_planes : decoding_rows;
        return go_on(decoder);
    case decoding_rows:
    case decoding_planes:
        if (!(decoder->wants_planes ? read_planes(decoder) : read_rows(decoder))) return cimage_more;
        decoder->stage = ending;
        // fall through
    case ending:
        if (!jpeg_finish_decompress(info)) return cimage_more;
        decoder->stage = done;
        // fall through
    case done:
        return cimage_done;
    }
    return cimage_failed;
}

/// Continues, and returns from wherever the library gives up.
static cimage_step try_to_go_on(cimage_jpeg *decoder) {
    if (setjmp(decoder->escape)) {
        decoder->is_broken = true;
        return cimage_failed;
    }
    return go_on(decoder);
}

cimage_step cimage_jpeg_open(cimage_jpeg *decoder, const uint8_t *bytes, size_t count) {
    decoder->is_whole = true;
    decoder->source.next_input_byte = bytes;
    decoder->source.bytes_in_buffer = count;
    return try_to_go_on(decoder);
}

cimage_step cimage_jpeg_decode(cimage_jpeg *decoder) {
    return decoder->is_broken ? cimage_failed : try_to_go_on(decoder);
}

cimage_step cimage_jpeg_feed(cimage_jpeg *decoder, const uint8_t *bytes, size_t count, size_t *taken) {
    *taken = 0;
    if (decoder->is_broken) return cimage_failed;
    for (;;) {
        size_t held = hold(decoder, bytes + *taken, count - *taken);
        *taken += held;
        cimage_step step = try_to_go_on(decoder);
        if (step != cimage_more || *taken == count) return step;
        if (held == 0 && decoder->source.bytes_in_buffer == held_capacity) {
            snprintf(decoder->error, sizeof decoder->error, "Corrupt JPEG data: a segment without an end");
            decoder->is_broken = true;
            return cimage_failed;
        }
    }
}

/// Returns true if luma has a sample per pixel, and every chroma sample covers whole pixels.
///
/// Any factors are possible: chroma finer than luma, or 3 samples of one for 2 of the other.
static bool has_whole_samples(const struct jpeg_decompress_struct *info) {
    const jpeg_component_info *luma = &info->comp_info[0];
    if (luma->h_samp_factor != info->max_h_samp_factor || luma->v_samp_factor != info->max_v_samp_factor) return false;
    for (int component = 1; component < info->num_components; component++) {
        const jpeg_component_info *chroma = &info->comp_info[component];
        if (info->max_h_samp_factor % chroma->h_samp_factor != 0) return false;
        if (info->max_v_samp_factor % chroma->v_samp_factor != 0) return false;
    }
    return true;
}

void cimage_jpeg_read_header(const cimage_jpeg *decoder, cimage_jpeg_header *header) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    *header = (cimage_jpeg_header){
        .width = info->image_width,
        .height = info->image_height,
        .is_progressive = info->inputctl && jpeg_has_multiple_scans((j_decompress_ptr)info),
        .is_cmyk = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK,
        .is_yuv = (info->jpeg_color_space == JCS_YCbCr || info->jpeg_color_space == JCS_GRAYSCALE)
            && has_whole_samples(info),
        .is_arithmetic = info->arith_code,
        .component_count = (size_t)info->num_components,
    };
    for (int component = 0; component < info->num_components && component < 3; component++) {
        const jpeg_component_info *about = &info->comp_info[component];
        header->planes[component].width = (size_t)about->width_in_blocks * DCTSIZE;
        header->planes[component].height = (size_t)about->height_in_blocks * DCTSIZE;
        header->planes[component].columns = (size_t)(info->max_h_samp_factor / about->h_samp_factor);
        header->planes[component].rows = (size_t)(info->max_v_samp_factor / about->v_samp_factor);
    }
    for (jpeg_saved_marker_ptr marker = info->marker_list; marker; marker = marker->next) {
        if (marker->marker != JPEG_APP0 + 1 || marker->data_length < 6 || memcmp(marker->data, "Exif", 5) != 0) continue;
        header->exif = marker->data;
        header->exif_length = marker->data_length;
        break;
    }
}

void cimage_jpeg_decode_rows(cimage_jpeg *decoder, unsigned eighths, cimage_rows rows) {
    decoder->info.scale_num = eighths;
    decoder->info.scale_denom = 8;
    decoder->info.out_color_space = JCS_EXT_BGRA;
    decoder->rows = rows;
    decoder->stage = starting;
}

void cimage_jpeg_decode_planes(cimage_jpeg *decoder, uint8_t *const planes[3]) {
    decoder->info.raw_data_out = TRUE;
    decoder->info.out_color_space = decoder->info.jpeg_color_space;
    decoder->wants_planes = true;
    memcpy(decoder->planes, planes, sizeof decoder->planes);
    decoder->stage = starting;
}

const char *cimage_jpeg_error(const cimage_jpeg *decoder) { return decoder->error; }

const char *cimage_jpeg_warning(const cimage_jpeg *decoder) { return decoder->warning; }

size_t cimage_jpeg_warning_count(const cimage_jpeg *decoder) { return (size_t)decoder->errors.num_warnings; }

bool cimage_jpeg_is_cut(const cimage_jpeg *decoder) { return decoder->is_cut; }

bool cimage_jpeg_lacks_rows(const cimage_jpeg *decoder) { return decoder->lacks_rows; }
