// SPDX-License-Identifier: Apache-2.0
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CHashing.h"

#if !__has_include(<openssl/sha.h>)
#error "the headers of OpenSSL are missing, and with them its static library: apt-get install libssl-dev"
#endif
#include <openssl/sha.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(chashing_sha256), "the state has room for OpenSSL's");

void chashing_sha256_begin(chashing_sha256 *hash) { SHA256_Init((SHA256_CTX *)hash); }

void chashing_sha256_update(chashing_sha256 *hash, const void *bytes, size_t count) {
    SHA256_Update((SHA256_CTX *)hash, bytes, count);
}

void chashing_sha256_finish(chashing_sha256 *hash, uint8_t *digest) { SHA256_Final(digest, (SHA256_CTX *)hash); }
