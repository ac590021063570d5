// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

// How often verdicts are wrong where nothing differs: `null-simulations [COUNT]` judges so many made-up comparisons of each
// arrangement (100,000, unless told otherwise) by the code that judges real ones, and writes a CSV. It ends with 1 where
// more than 1 % of the judgements of an arrangement call anything changed, or where values that lie wholly apart are called
// the same.

let count = CommandLine.arguments.dropFirst().first.map { Int($0) } ?? 100_000
guard let count, count > 0, CommandLine.arguments.count <= 2 else {
    let usage = "usage: null-simulations [COUNT]: how many comparisons of each arrangement, at least 1\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}

/// The rows that are there, which are written in their order.
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
    // A rate at its bound lies above it in half of all samples: three standard errors are chance.
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
