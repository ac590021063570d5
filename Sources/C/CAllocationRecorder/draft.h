// SPDX-License-Identifier: Apache-2.0
#ifndef DRAFT_H
#define DRAFT_H

#include "recorder.h"

#pragma GCC visibility push(hidden)

// A file that is written in many small pieces through one buffer.
struct draft {
    int file;
    size_t used;
    bool good; // false after a failed write
};

void draft_put(struct draft *draft, const void *bytes, size_t size);
void draft_flush(struct draft *draft);

// residency.c: writes the resident pages of the ranges in the tables; true if pages that were only read are excluded.
bool residency_put(struct draft *draft, uint64_t range_count, uint64_t page_size);

#pragma GCC visibility pop
#endif
