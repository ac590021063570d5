// SPDX-License-Identifier: Apache-2.0

import Foundation

// How often verdicts are wrong where nothing differs: `null-simulations [COUNT]` judges so many made-up comparisons of each
// arrangement (100,000, unless told otherwise) by the code that judges real ones. It ends with 1 where more than 1 % of the
// judgements of an arrangement call anything changed, or where values that lie wholly apart are called the same.

let count = CommandLine.arguments.dropFirst().first.map { Int($0) } ?? 100_000
guard let count, count > 0, CommandLine.arguments.count <= 2 else {
    let usage = "usage: null-simulations [COUNT]: how many comparisons of each arrangement, at least 1\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
print("what          runs  compared  false alarms        %  inconclusive %  apart: found %  called the same")
var isWrong = false
for arrangement in Arrangement.all {
    let tally = arrangement.tally(count)
    print(tally.line(arrangement))
    fflush(nil)
    // A rate at its bound lies above it in half of all samples: three standard errors are chance.
    let chance = 3 * (0.01 * 0.99 / Double(count)).squareRoot()
    isWrong = isWrong || Double(tally.alarms) / Double(count) > 0.01 + chance || tally.acquitted > 0
}
exit(isWrong ? 1 : 0)
