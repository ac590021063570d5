// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "draft.h"

void draft_flush(struct draft *draft) {
    const char *rest = recorder_tables->draft;
    while (draft->good && draft->used) {
        long count = kernel_write(draft->file, rest, draft->used);
        draft->good = count > 0;
        if (!draft->good) return;
        rest += count;
        draft->used -= (size_t)count;
    }
}

void draft_put(struct draft *draft, const void *bytes, size_t size) {
    const char *rest = bytes;
    while (draft->good && size) {
        size_t room = BUFFER_SIZE - draft->used, part = size < room ? size : room;
        memcpy(recorder_tables->draft + draft->used, rest, part);
        draft->used += part;
        rest += part;
        size -= part;
        if (draft->used == BUFFER_SIZE) draft_flush(draft);
    }
}
