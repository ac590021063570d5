// SPDX-License-Identifier: Apache-2.0
#ifndef CHASHING_H
#define CHASHING_H

#include <stddef.h>
#include <stdint.h>

/// The state of an unfinished SHA-256.
typedef struct {
    uint64_t state[16];
} chashing_sha256;

/// Starts a hash.
/// In C, as everything here, because OpenSSL's header deprecates these functions, which is an error in Swift; their
/// replacements load a whole library of algorithms into the measured process.
void chashing_sha256_begin(chashing_sha256 *hash);

/// Adds the next bytes.
void chashing_sha256_update(chashing_sha256 *hash, const void *bytes, size_t count);

/// Ends the hash and writes its 32 bytes.
void chashing_sha256_finish(chashing_sha256 *hash, uint8_t *digest);

#endif
