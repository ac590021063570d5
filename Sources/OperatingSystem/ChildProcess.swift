// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Texts

/// A child process with its own environment and a time limit, which ends with the harness.
///
/// Everything that it started is killed with it and reported, even in a session of its own. See ``ChildLaunch``.
package struct ChildProcess: Sendable {
    /// The way and time a child ended, in nanoseconds of the clock that all processes of a machine share.
    package struct End: Sendable {
        package var ending: Ending
        /// The instant before it was spawned.
        package var spawnedNanoseconds: Int
        /// The time from then to its end; 0 if it never started.
        package var nanoseconds: Int
        /// The last part of its standard error.
        package var complaints = ChildText()
        /// Processes that outlived it and were killed; `nil` for none.
        package var leftBehind: LeftBehind?
    }

    package var executable: String
    /// The child's `argv[0]`; the path of the executable by default.
    package var name: String?
    package var arguments: [String]
    /// The whole environment: nothing is inherited.
    package var environment: [String: String]
    /// The working directory; that of this process by default.
    package var directory: String?
    /// The time after which it is killed; `nil` for never.
    package var limit: Duration?

    package init(
        executable: String, name: String? = nil, arguments: [String], environment: [String: String],
        directory: String? = nil, limit: Duration?
    ) {
        self.executable = executable
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.limit = limit
    }

    /// Runs the child to its end and returns its output of at most `outputLimit` bytes.
    ///
    /// The input is in no file at any time; `onStart` receives the process ID as soon as there is one.
    /// - Throws: `CancellationError` if the task was cancelled.
    package func output(
        reading input: String? = nil, limitedTo outputLimit: Int,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> (end: End, output: [UInt8]) {
        var launch = launch
        if let input { launch.input = .bytes(Array(input.utf8)) }
        launch.output = .kept(limit: outputLimit)
        let end = await launch.run(onStart: onStart)
        return (try Self.end(end, outputLimit), end.output)
    }

    /// Returns a child that handles several requests, each within the time limit.
    package func resident(answerLimit: Int) -> ResidentChild { ResidentChild(launch, answerLimit: answerLimit) }

    /// Sends one line, including its line break, to a resident child and returns the answer.
    ///
    /// The returned end is that of the request, as if it had been a process of its own.
    /// - Throws: `CancellationError` if the task was cancelled.
    package static func answer(
        of child: ResidentChild, to line: String, limitedTo outputLimit: Int
    ) async throws -> (end: End, output: [UInt8]) {
        let end = await child.work(line)
        return (try Self.end(end, outputLimit), end.output)
    }

    /// Runs the child to its end and discards its output; processes that it started may run until the harness ends.
    /// - Throws: `CancellationError` if the task was cancelled.
    package func end() async throws -> End {
        var launch = launch
        launch.leavesOthers = true
        return try Self.end(await launch.run(), 0)
    }

    /// Runs the child to its end; `onLine` gets each line with the process ID and returns true to answer it.
    ///
    /// The time limit is suspended while a line is handled: a slow machine must not look like a deadlock.
    /// - Throws: errors of `onLine`; `CancellationError` if the task was cancelled.
    package func conversation(
        limitedTo outputLimit: Int = 4 << 20, onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> End {
        var launch = launch
        launch.input = .answers
        launch.output = .lines(limit: outputLimit)
        return try Self.end(try await launch.converse(onLine: onLine), outputLimit)
    }

    /// Runs the child while `body` handles its first lines, of which there are fewer if the child ended early.
    ///
    /// Its standard error is that of the harness. After `body` its input is closed, and it has `patience` to exit.
    package func serving<Value: Sendable>(
        lineCount: Int, patience: Duration, _ body: @escaping @Sendable ([String]) async throws -> Value
    ) async throws -> Value {
        var launch = launch
        launch.input = .answers
        launch.output = .lines(limit: 1 << 20)
        launch.complaints = .inherited
        return try await launch.serve(lineCount: lineCount, patience: patience.wholeNanoseconds, body)
    }

    private var launch: ChildLaunch {
        // Sorted, so that the process's first page looks the same each time.
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        var launch = ChildLaunch(
            executable: executable, arguments: [name ?? executable] + arguments, environment: variables,
            workingDirectory: directory ?? ".")
        launch.limit = limit?.wholeNanoseconds
        return launch
    }

    private static func end(_ end: ChildEnd, _ outputLimit: Int) throws(CancellationError) -> End {
        let ending: Ending
        switch end.status {
        case .exited(let status): ending = .exited(Int(status))
        case .killed(let signal): ending = .signalled(Int(signal))
        case .timedOut: ending = .killedAtLimit
        case .wroteTooMuch: ending = .wroteTooMuch(limit: outputLimit)
        case .notStarted(let error): ending = .notStarted(reason(of: error))
        case .cancelled: throw CancellationError()
        }
        return End(
            ending: ending, spawnedNanoseconds: end.startNanoseconds,
            nanoseconds: end.endNanoseconds - end.startNanoseconds, complaints: end.complaints,
            leftBehind: end.leftBehind)
    }

    /// The kernel's reason without paths, because it is stored.
    private static func reason(of error: MemProbeError) -> String {
        error.errno.map { String(cString: strerror($0)) } ?? error.code.rawValue
    }
}

extension ChildProcess.End {
    /// Returns the reason that it gave on standard error (see ``LastWords``).
    ///
    /// Secrets are redacted before the text is cut: a part of a secret would not be recognised.
    package func lastWords(limit: Int = 400, redacting: (String) -> String = { $0 }) -> String {
        let reason = LastWords.reason(in: complaints.text, limit: Self.longestReason, lines: 5)
        var safe = redacting(reason)
        // The end of a truncated line may be half a secret, so it is dropped.
        if reason.count == Self.longestReason { safe.removeLast(min(safe.count, Self.longestReason / 4)) }
        return LastWords.ending(safe, limit: limit)
    }

    /// The number of characters examined: some lines never end.
    private static var longestReason: Int { 4096 }
}

extension LeftBehind {
    /// A description such as `3 processes (sleep, sh; about 12 MiB resident)`.
    package var text: String {
        let size = (resident.rawValue + (1 << 19)) >> 20
        let names = Set(names).sorted().prefix(5).joined(separator: ", ")
        return "\(count) \(count == 1 ? "process" : "processes") (\(names); about \(size) MiB resident)"
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to `Int.max`.
    fileprivate var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? Int.max : product.addingReportingOverflow(Int(attoseconds / 1_000_000_000)).partialValue
    }
}
