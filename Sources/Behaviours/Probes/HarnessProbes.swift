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
            preconditionFailure("a trap on purpose")
        },
        Probe("settle") { context in
            for number in 1...4 { context.mark("\(number)", settles: true) }
        },
        Probe("give-up") { _ in throw ProbeError("nothing could be tried, on purpose") },
    ]
}
