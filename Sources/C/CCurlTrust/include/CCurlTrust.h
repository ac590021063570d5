// SPDX-License-Identifier: Apache-2.0
#ifndef CCURLTRUST_H
#define CCURLTRUST_H

#include <stdbool.h>

/// Makes every handle of libcurl that this process makes trust the authority in this PEM file; false where the path is
/// too long. URLSession has no way to name one on Linux: its handles are made of libcurl, and only there it can be told.
/// In C because curl_easy_setopt(3) is variadic, and because the linker has to find a function of libcurl's name.
bool ccurltrust_authority(const char *path);

#endif
