// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

// Measures false alarms where nothing differs: `null-simulations [COUNT]` judges COUNT (default: 100,000) simulated
// comparisons of each arrangement by the code that judges real ones, and writes a CSV. It exits with 1 if an
// arrangement has more than 1 % false alarms, or if values that lie wholly apart are called the same.
//
// `null-simulations hosts [COUNT]` does the same with comparisons over 2, 3 and 5 hosts (default: 10,000), and counts how
// often a change of 2 % is found, by all hosts and by one of them with the same number of pairs.

var arguments = Array(CommandLine.arguments.dropFirst())
let simulatesHosts = arguments.first == "hosts"
if simulatesHosts { arguments.removeFirst() }
let count = arguments.first.map { Int($0) } ?? (simulatesHosts ? 10_000 : 100_000)
guard let count, count > 0, arguments.count <= 1 else {
    let usage = "usage: null-simulations [hosts] [COUNT]: how many comparisons of each arrangement, at least 1\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}

/// The finished rows, which are written in the order of arrangements.
struct Rows {
    var ready: [Int: String] = [:]
    var written = 0
    var isWrong = false
}

/// Returns the row of an arrangement, and whether its rates are as they have to be.
@Sendable func row(_ place: Int) -> (text: String, isRight: Bool) {
    // A rate at its bound exceeds it in half of all samples: allow three standard errors.
    let most = 0.01 + 3 * (0.01 * 0.99 / Double(count)).squareRoot()
    if simulatesHosts {
        let simulation = HostSimulation.all[place]
        let rates = simulation.rates(count)
        return (simulation.line(rates, count), Double(rates.alarms) / Double(count) <= most)
    }
    let arrangement = Arrangement.all[place]
    let tally = arrangement.tally(count)
    return (tally.line(arrangement), Double(tally.alarms) / Double(count) <= most && tally.acquitted == 0)
}

print(simulatesHosts ? HostSimulation.header : Tally.header)
fflush(nil)
let rows = Mutex(Rows())
let places = simulatesHosts ? HostSimulation.all.count : Arrangement.all.count
DispatchQueue.concurrentPerform(iterations: places) { place in
    let (text, isRight) = row(place)
    rows.withLock { rows in
        rows.isWrong = rows.isWrong || !isRight
        rows.ready[place] = text
        while let line = rows.ready[rows.written] {
            print(line)
            rows.written += 1
        }
        fflush(nil)
    }
}
exit(rows.withLock(\.isWrong) ? 1 : 0)
