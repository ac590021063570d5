// SPDX-License-Identifier: Apache-2.0
#ifndef CORIGINCERTIFICATE_H
#define CORIGINCERTIFICATE_H

#include <stdbool.h>

/// An authority and a certificate that it signed, as PEM; to be released by the caller.
typedef struct {
    char *authority;
    char *certificate;
    char *key;
} corigin_certificate;

/// Makes both with new keys on P-256: for localhost, 127.0.0.1 and ::1, valid for this many days from an hour ago.
/// The authority signs only once, and its key is discarded. False if OpenSSL refuses; then there is nothing to release.
/// In C because some of OpenSSL's certificate functions are macros, and all of them return pointers to release.
bool corigin_certificate_make(int days, corigin_certificate *identity);

/// Releases the texts, and overwrites the key before.
void corigin_certificate_release(corigin_certificate *identity);

/// Writes the reason of the last refusal to a text of this many bytes.
void corigin_certificate_reason(char *text, unsigned long count);

#endif
