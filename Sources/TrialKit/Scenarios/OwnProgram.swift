// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import Glibc

/// The program of this process, which can be started once more.
enum OwnProgram {
    /// Starts it, in the same environment.
    /// - Parameters:
    ///   - arguments: The first of them is what it sees as its own name.
    ///   - input: What it reads.
    ///   - output: What it writes to, or `nil` where nobody listens, not to its complaints either.
    static func start(_ arguments: [String], input: Int32, output: Int32?) throws(FetchFailure) -> pid_t {
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = ctrialkit_spawn_self(words, input, output ?? -1)
        guard process > 0 else { throw FetchFailure(errno: -process, "this program could not be started again") }
        return process
    }
}
