// SPDX-License-Identifier: Apache-2.0

// Measures what MemProbe itself costs, against its bars. Run it in release configuration on a quiet machine; with
// LD_PRELOAD=libjemalloc.so.2 it measures jemalloc's statistics, too. The exit status is 1 if a bar is missed.

import Glibc

do {
    let lines = try Measurements.all()
    print(Table.render(lines))
    exit(lines.contains { $0.isMet == false } ? 1 : 0)
} catch {
    print("MemProbeCost: \(error)")
    exit(2)
}
