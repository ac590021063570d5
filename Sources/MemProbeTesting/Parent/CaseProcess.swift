// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import Synchronization
import Texts

/// The process in which one case of a test runs.
package struct CaseProcess: Sendable {
    /// The number of bytes that are kept of the end of its output.
    package static let kept = 1 << 20

    package var executable: String
    /// Its `argv`, including its own name.
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

    /// Runs the process to its end; it is killed with its descendants at its time limit, and when this process ends.
    package func run() async -> End {
        var launch = ChildLaunch(
            executable: executable, environment: environment, directory: SystemText.workingDirectory ?? "/",
            limit: .seconds(limit))
        launch.arguments = arguments
        launch.output = .joined
        launch.complaints = .kept(Self.kept)
        let held = Mutex<HeldMemory?>(nil)
        let end = try? await launch.run(onLimit: { process in held.withLock { $0 = HeldMemory(of: process) } })
        return End(end: end, held: held.withLock { $0 }, executable: executable, limit: limit)
    }

    package struct End: Sendable {
        /// `nil` if it was killed because the test was cancelled or exceeded its own time limit.
        package var end: ProcessEnd?
        /// The memory that it held at its time limit.
        package var held: HeldMemory?
        var executable: String
        var limit: Int

        package init(end: ProcessEnd?, held: HeldMemory? = nil, executable: String, limit: Int) {
            self.end = end
            self.held = held
            self.executable = executable
            self.limit = limit
        }

        /// The end of its combined output.
        package var output: String { end?.complaints.text ?? "" }

        /// True for the status of a test run with issues.
        package var isRed: Bool { end?.ending == .exited(1) }

        /// The problem, or `nil` if it ended as a test run does, with or without issues.
        package var fault: String? {
            switch end?.ending {
            case .exited(0), .exited(1): nil
            case .exited(let status): "it left with status \(status)"
            case .signalled(let signal): "it was ended by a signal: \(SignalName.text(of: Int32(signal)))"
            case .killedAtLimit:
                "it had not ended after \(limit) s and was killed\(held.map { "; \($0.words)" } ?? "")"
            case nil: "the test was cancelled or over its time limit, so the process was killed"
            case .notStarted(let reason): "it could not be started: \(executable): \(reason)"
            case .killedOverMemory, .wroteTooMuch: "it was killed"
            }
        }
    }
}
