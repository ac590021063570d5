// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Synchronization

/// A child process that is killed with its descendants at its time limit, and when this process ends.
package struct ChildProcess: Sendable {
    /// The number of bytes that are kept of the end of its output.
    package static let kept = 1 << 20

    package var executable: String
    var arguments: [String]
    var environment: [String: String]
    /// The time limit in seconds.
    var limit: Int

    package init(
        executable: String = TestCommand.executable, arguments: [String], environment: [String: String], limit: Int
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.limit = limit
    }

    /// Runs the child and returns the end of its combined output.
    package func run() async -> (ending: ChildEnding, output: String) {
        var launch = ChildLaunch(
            executable: executable, arguments: arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
            workingDirectory: SystemText.workingDirectory ?? "/")
        launch.output = .joined
        launch.complaints = .kept(Self.kept)
        launch.limit = limit * 1_000_000_000
        let held = Mutex<ChildMemory?>(nil)
        let end = await launch.run(onLimit: { process in held.withLock { $0 = ChildMemory(of: process) } })
        return (ending(end.status, holding: held.withLock { $0 }), end.complaints.text)
    }

    private func ending(_ status: ChildEnd.Status, holding memory: ChildMemory?) -> ChildEnding {
        switch status {
        case .exited(let status): .exited(status)
        case .killed(let signal): .killed(signal: signal)
        case .timedOut: .timedOut(seconds: limit, holding: memory)
        case .cancelled: .cancelled
        case .notStarted(let error): .notStarted("\(error)")
        case .wroteTooMuch: .notStarted("its output has no limit")
        }
    }
}
