// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ProbeCatalog {
    /// What a child of the worst kind does: for the tests of the harness.
    static let harness = [
        Probe("hang") { _ in
            while true { pause() }
        },
        Probe("trap") { context in
            context.report("about", "to trap")
            // A trap of the standard library, with a message: a precondition of one's own says nothing in a release.
            let twice = (0..<2).map { (context.origin, $0) }
            context.report("value", Dictionary(uniqueKeysWithValues: twice).count)
        },
        Probe("settle") { context in
            for number in 1...4 { context.mark("\(number)", settles: true) }
        },
        Probe("give-up") { _ in throw ProbeError("nothing could be tried, on purpose") },
    ]
}
