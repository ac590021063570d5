// SPDX-License-Identifier: Apache-2.0
#ifndef CCURLTRUST_H
#define CCURLTRUST_H

#include <stdbool.h>

/// Makes every libcurl handle of this process trust the authority in this PEM file; false if the path is too long. On
/// Linux, URLSession has no setting for it, but its handles are libcurl's.
/// In C because curl_easy_setopt(3) is variadic, and because the linker has to find a function of libcurl's name.
bool ccurltrust_authority(const char *path);

#endif
