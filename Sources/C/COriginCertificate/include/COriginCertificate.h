// SPDX-License-Identifier: Apache-2.0
#ifndef CORIGINCERTIFICATE_H
#define CORIGINCERTIFICATE_H

#include <stdbool.h>

/// An authority and a certificate that it signed, as PEM; the texts are the caller's to release.
typedef struct {
    char *authority;
    char *certificate;
    char *key;
} corigin_certificate;

/// Makes both anew with keys on P-256: for localhost, 127.0.0.1 and ::1, valid for so many days from an hour ago.
/// The authority signs once, and its key is forgotten. False where OpenSSL refuses; then nothing is to be released.
/// In C because OpenSSL's functions for certificates are macros in part, and all of them hand out pointers to release.
bool corigin_certificate_make(int days, corigin_certificate *identity);

/// Releases the texts, the key's after it was overwritten.
void corigin_certificate_release(corigin_certificate *identity);

/// The reason of the last refusal, into a text of so many bytes.
void corigin_certificate_reason(char *text, unsigned long count);

#endif
