// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Synchronization

/// A process that runs until it ends, is killed when its time is over with all that it has started, and ends with this
/// process.
package struct ChildProcess: Sendable {
    /// How much of the end of what it prints is kept, in bytes.
    package static let kept = 1 << 20

    package var executable: String
    var arguments: [String]
    var environment: [String: String]
    /// After how many seconds it is killed.
    var limit: Int

    /// Creates one that has not begun.
    package init(
        executable: String = TestCommand.executable, arguments: [String], environment: [String: String], limit: Int
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.limit = limit
    }

    /// Runs it to its end; what it printed on both streams is kept as far as ``kept`` goes.
    package func run() async -> (ending: ChildEnding, output: String) {
        var launch = ChildLaunch(
            executable: executable, arguments: arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
            workingDirectory: FileManager.default.currentDirectoryPath)
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
