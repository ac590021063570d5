// SPDX-License-Identifier: Apache-2.0
#ifndef CPNGWRITER_H
#define CPNGWRITER_H

#include <stddef.h>
#include <stdint.h>

/// The room for the words of a failure, in bytes.
#define CPNGWRITER_REASON_SIZE 64

/// The version of libpng that is loaded.
const char *_Nonnull cpngwriter_version(void);

/// The largest size that the PNG of a picture in red, green and blue can have, in bytes; 0 where it has no size.
size_t cpngwriter_capacity(uint32_t width, uint32_t height);

/// Encodes rows of red, green and blue, a byte each, without padding, and returns how many bytes the PNG has.
///
/// In C because libpng reports its errors by a long jump, which Swift cannot catch: this interface of libpng owns the
/// `setjmp` itself, and what its sizes are is said by macros that Swift does not see.
/// Returns 0 and gives the reason where the picture cannot be encoded.
size_t cpngwriter_encode(
    const uint8_t *_Nonnull pixels, uint32_t width, uint32_t height, uint8_t *_Nullable target, size_t capacity,
    char reason[_Nonnull CPNGWRITER_REASON_SIZE]);

#endif
