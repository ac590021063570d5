// SPDX-License-Identifier: Apache-2.0

import Glibc
package import MemProbe
import Texts

/// A child process of the harness, with an environment of its own and a time limit, which ends with the harness.
///
/// Whatever the child has started ends with it, even in a session of its own, and is told. See ``ChildLaunch``.
package struct ChildProcess: Sendable {
    /// How one ended, and when: on the clock that all processes of a machine share, in nanoseconds.
    package struct End: Sendable {
        package var ending: Ending
        /// The instant before it was spawned.
        package var spawnedNanoseconds: Int
        /// From then to its end; 0 where it never began.
        package var nanoseconds: Int
        /// The end of what it wrote to standard error.
        package var complaints = ChildText()
        /// What still ran when it had ended by itself, and was killed; `nil` for nothing.
        package var leftBehind: LeftBehind?
    }

    package var executable: String
    /// What it sees as its own name; its path where nothing is said.
    package var name: String?
    package var arguments: [String]
    /// Its whole environment.
    package var environment: [String: String]
    /// The folder it works in; that of this process where nothing is said.
    package var directory: String?
    /// After how long it is killed; `nil` for never.
    package var limit: Duration?

    /// Creates one that has not begun.
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

    /// Runs it to its end, and gives what it wrote.
    ///
    /// - Parameters:
    ///   - input: what it reads, which is in no file at any time.
    ///   - outputLimit: how many bytes it may write.
    ///   - onStart: gets the number of the process as soon as it is there.
    /// - Throws: `CancellationError` where the task was cancelled.
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

    /// Starts it as one that stays, and does one piece of work after another, each within the limit.
    package func resident(answerLimit: Int) -> ResidentChild { ResidentChild(launch, answerLimit: answerLimit) }

    /// Has a child that stays do a piece of work, and gives its answer.
    ///
    /// - Parameters:
    ///   - line: what it reads, with its end.
    ///   - outputLimit: how many bytes it may answer.
    /// - Returns: the end of the work, as if it had been a process of its own.
    /// - Throws: `CancellationError` where the task was cancelled.
    package static func answer(
        of child: ResidentChild, to line: String, limitedTo outputLimit: Int
    ) async throws -> (end: End, output: [UInt8]) {
        let end = await child.work(line)
        return (try Self.end(end, outputLimit), end.output)
    }

    /// Runs it to its end, whatever it writes to standard output; what it starts may go on until the harness ends.
    /// - Throws: `CancellationError` where the task was cancelled.
    package func end() async throws -> End {
        var launch = launch
        launch.leavesOthers = true
        return try Self.end(await launch.run(), 0)
    }

    /// Runs it to its end while its lines are answered.
    ///
    /// While a line is looked at the time limit stands still: a slow machine must not look like a deadlock.
    /// - Parameters:
    ///   - outputLimit: how many bytes it may write.
    ///   - onLine: gets each line and the child's number, and says whether to answer it.
    /// - Throws: what `onLine` throws; `CancellationError` where the task was cancelled.
    package func conversation(
        limitedTo outputLimit: Int = 4 << 20, onLine: @escaping @Sendable (String, Int32) async throws -> Bool
    ) async throws -> End {
        var launch = launch
        launch.input = .answers
        launch.output = .lines(limit: outputLimit)
        return try Self.end(try await launch.converse(onLine: onLine), outputLimit)
    }

    /// Runs it while `body` is done with its first lines.
    ///
    /// Its complaints are the harness's own. At the end of `body` its input ends, and it is asked to leave.
    ///
    /// - Parameters:
    ///   - lineCount: how many lines `body` needs; it gets less where the child ended before.
    ///   - patience: how long it may take to leave.
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
        // In the order of their names, so that the process's first page looks the same each time.
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

    /// The kernel's reason without paths: it is stored.
    private static func reason(of error: MemProbeError) -> String {
        error.errno.map { String(cString: strerror($0)) } ?? error.code.rawValue
    }
}

extension ChildProcess.End {
    /// Why it ended, as far as it said so on standard error: see ``LastWords``.
    ///
    /// - Parameters:
    ///   - limit: how many characters the reason may have.
    ///   - redacting: takes secrets out of a text: before it is cut, for a part of a secret is not found any more.
    package func lastWords(limit: Int = 400, redacting: (String) -> String = { $0 }) -> String {
        let reason = LastWords.reason(in: complaints.text, limit: Self.longestReason)
        var safe = redacting(reason)
        // Of a line that was cut the end goes, with what may be half a secret.
        if reason.count == Self.longestReason { safe.removeLast(min(safe.count, Self.longestReason / 4)) }
        return String(safe.prefix(limit))
    }

    /// More of a line is not looked at: some do not end.
    private static var longestReason: Int { 4096 }
}

extension LeftBehind {
    /// What was left, for a sentence: `3 processes (sleep, sh; 12 MiB resident)`.
    package var text: String {
        let size = (resident.rawValue + (1 << 19)) >> 20
        let names = Set(names).sorted().prefix(5).joined(separator: ", ")
        return "\(count) \(count == 1 ? "process" : "processes") (\(names); about \(size) MiB resident)"
    }
}

extension Duration {
    /// In nanoseconds; what is longer than a number holds is as long as one.
    fileprivate var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? Int.max : product.addingReportingOverflow(Int(attoseconds / 1_000_000_000)).partialValue
    }
}
