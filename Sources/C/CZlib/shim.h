// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

/// Prepares a stream that writes the gzip format at the highest speed, with gzip's window and memory.
/// In C because `deflateInit2` is a macro, which Swift does not import.
static inline int czlib_deflate_init_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
