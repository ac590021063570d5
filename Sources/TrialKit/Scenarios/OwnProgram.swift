// SPDX-License-Identifier: Apache-2.0

import CTrialKit
import Glibc

/// The program of this process, which can be started once more.
package enum OwnProgram {
    /// Waits until a process has ended, and tells how: `by itself, with status 0`, `by signal 9`.
    static func ending(of process: pid_t) -> String {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return words(ofStatus: status)
    }

    /// What a status of `waitpid(2)` says of a process that has ended.
    static func words(ofStatus status: Int32) -> String {
        let signal = status & 0x7f
        return signal == 0 ? "by itself, with status \((status >> 8) & 0xff)" : "by signal \(signal)"
    }

    /// Starts it, in the same environment.
    /// - Parameters:
    ///   - arguments: The first of them is what it sees as its own name.
    ///   - input: What it reads.
    ///   - output: What it writes to; its complaints go where those of this process go.
    package static func start(
        _ arguments: [String], input: Int32, output: Int32
    ) throws(FetchFailure) -> Int32 {
        let words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let process = ctrialkit_spawn_self(words, input, output)
        guard process > 0 else { throw FetchFailure(errno: -process, "this program could not be started again") }
        return process
    }
}
