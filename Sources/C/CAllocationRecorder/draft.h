// SPDX-License-Identifier: Apache-2.0
#ifndef DRAFT_H
#define DRAFT_H

#include "recorder.h"

#pragma GCC visibility push(hidden)

// A file that is being written, piece by piece through one buffer: a look has tens of thousands of pieces.
struct draft {
    int file;
    size_t used;
    bool good; // whether all of it could be written
};

void draft_put(struct draft *draft, const void *bytes, size_t size);
void draft_flush(struct draft *draft);

// residency.c: which pages of the ranges in the tables are resident; whether those that were only read are left out.
bool residency_put(struct draft *draft, uint64_t range_count, uint64_t page_size);

#pragma GCC visibility pop
#endif
