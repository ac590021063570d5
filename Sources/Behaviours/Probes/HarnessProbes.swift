// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ProbeCatalog {
    /// Misbehaving children, for the tests of the harness.
    static let harness = [
        Probe("hang") { _ in
            while true { pause() }
        },
        Probe("trap") { context in
            context.report("about", "to trap")
            // The standard library's traps have a message; a precondition of this module prints none in a release.
            let twice = (0..<2).map { (context.origin, $0) }
            context.report("value", Dictionary(uniqueKeysWithValues: twice).count)
        },
        Probe("settle") { context in
            for number in 1...4 { context.mark("\(number)", settles: true) }
        },
        Probe("give-up") { _ in throw ProbeError("nothing could be tried, on purpose") },
    ]
}
