// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

// Measures false alarms where nothing differs: `null-simulations [COUNT]` judges COUNT (default: 100,000) simulated
// comparisons of each arrangement by the code that judges real ones, and writes a CSV. It exits with 1 if an
// arrangement has more than 1 % false alarms, or if values that lie wholly apart are called the same.

let count = CommandLine.arguments.dropFirst().first.map { Int($0) } ?? 100_000
guard let count, count > 0, CommandLine.arguments.count <= 2 else {
    let usage = "usage: null-simulations [COUNT]: how many comparisons of each arrangement, at least 1\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}

/// The finished rows, which are written in the order of arrangements.
struct Rows {
    var ready: [Int: String] = [:]
    var written = 0
    var isWrong = false
}

print(Tally.header)
fflush(nil)
let rows = Mutex(Rows())
DispatchQueue.concurrentPerform(iterations: Arrangement.all.count) { place in
    let arrangement = Arrangement.all[place]
    let tally = arrangement.tally(count)
    // A rate at its bound exceeds it in half of all samples: allow three standard errors.
    let chance = 3 * (0.01 * 0.99 / Double(count)).squareRoot()
    rows.withLock { rows in
        rows.isWrong = rows.isWrong || Double(tally.alarms) / Double(count) > 0.01 + chance || tally.acquitted > 0
        rows.ready[place] = tally.line(arrangement)
        while let line = rows.ready[rows.written] {
            print(line)
            rows.written += 1
        }
        fflush(nil)
    }
}
exit(rows.withLock(\.isWrong) ? 1 : 0)
