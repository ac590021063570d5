// SPDX-License-Identifier: Apache-2.0
#include <webp/encode.h>
