// SPDX-License-Identifier: Apache-2.0
#ifndef CHASHING_H
#define CHASHING_H

#include <stddef.h>
#include <stdint.h>

/// The state of a SHA-256 on its way.
typedef struct {
    uint64_t state[16];
} chashing_sha256;

/// Starts a hash.
/// In C, as everything here, because OpenSSL's header marks these functions deprecated, which Swift takes for an error;
/// what replaces them loads a whole library of algorithms into the process that is measured.
void chashing_sha256_begin(chashing_sha256 *hash);

/// Takes the next bytes.
void chashing_sha256_update(chashing_sha256 *hash, const void *bytes, size_t count);

/// Ends the hash and writes its 32 bytes.
void chashing_sha256_finish(chashing_sha256 *hash, uint8_t *digest);

#endif
