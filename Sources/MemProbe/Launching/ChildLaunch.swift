// SPDX-License-Identifier: Apache-2.0

import Libc
import Synchronization

/// A program to run as a child, bounded in time and output, that ends with this process and leaves nothing behind.
///
/// A separate thread drains the child's pipes, at most once a millisecond unless they fill up: endless output costs
/// neither disk nor memory here, and hardly any time.
package struct ChildLaunch: Sendable {
    package enum Input: Sendable {
        /// `/dev/null`.
        case nothing
        /// These bytes, from memory and never from a file in a folder.
        case bytes([UInt8])
        case answers
    }

    package enum Output: Hashable, Sendable {
        case discarded
        /// Kept in full; a child that writes more bytes than this is killed.
        case kept(limit: Int)
        /// Passed on line by line; a child that writes more bytes than this is killed.
        case lines(limit: Int)
        /// Joined with standard error.
        case joined
    }

    package enum Complaints: Hashable, Sendable {
        /// The last bytes of it, at most this many.
        case kept(Int)
        case inherited

        package static let standard = kept(65_536)
    }

    package var executable: String
    /// The child's `argv`, including its own name.
    package var arguments: [String]
    /// The complete environment, as `NAME=value`.
    package var environment: [String]
    package var workingDirectory: String
    package var input = Input.nothing
    package var output = Output.discarded
    package var complaints = Complaints.standard
    /// The time in nanoseconds after which the child and its descendants are killed, or `nil`.
    package var limit: Int?
    /// True if the child's descendants may outlive it, until this process ends.
    package var leavesOthers = false
    /// The control group of the child; `nil` for that of this process.
    package var controlGroup: ControlGroup?
    /// True if the limits apply to each answer instead of the child's whole life; see ``ResidentChild``.
    var isResident = false

    /// - Parameters:
    ///   - name: its `argv[0]`; the path of the executable by default.
    ///   - environment: the complete environment, which it gets sorted, so that its first page looks the same each time.
    ///   - directory: its working folder; that of this process by default.
    ///   - limit: the time after which it is killed; `nil` for never.
    ///   - document: its standard input; `nil` for none.
    ///   - outputLimit: the bytes of its standard output that are kept; `nil` to discard it.
    package init(
        executable: String, name: String? = nil, arguments: [String] = [], environment: [String: String],
        directory: String? = nil, limit: Duration?, reading document: String? = nil, outputLimit: Int? = nil
    ) {
        self.executable = executable
        self.arguments = [name ?? executable] + arguments
        self.environment = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        workingDirectory = directory ?? "."
        self.limit = limit?.wholeNanoseconds
        input = document.map { .bytes(Array($0.utf8)) } ?? .nothing
        output = outputLimit.map { .kept(limit: $0) } ?? .discarded
    }

    package struct ServerEnded: Error, Hashable {
        package let ending: Ending
    }

    struct Line: Sendable {
        var text: String
        var process: Int32
        /// A resident child's standard error since its previous line.
        var complaints = ChildText()
    }

    struct Listener: Sendable {
        var onStart: @Sendable (Int32) -> Void = { _ in }
        /// Called with the process identifier at the time limit, before the child is killed.
        var onLimit: @Sendable (Int32) -> Void = { _ in }
        /// Called for each line; the child's time limit is paused until the line is answered.
        var onLine: @Sendable (Line) -> Void = { _ in }
        var onEnd: @Sendable (ProcessEnd) -> Void
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

/// The way in which a process that this one started has ended.
package enum Ending: Codable, Hashable, Sendable {
    case exited(Int)
    /// Ended by a signal that this process did not send.
    case signalled(Int)
    case killedAtLimit
    /// Killed for holding this much memory, more than its limit.
    case killedOverMemory(ByteCount)
    case wroteTooMuch(limit: Int)
    /// The kernel's reason, without paths.
    case notStarted(String)

    init(_ status: WaitStatus) {
        switch status {
        case .exited(let status): self = .exited(Int(status))
        case .killed(let signal): self = .signalled(Int(signal))
        default: self = .signalled(Int(SIGKILL))
        }
    }

    init(notStarted error: MemProbeError) {
        self = .notStarted(error.errno.map { String(cString: strerror($0)) } ?? error.code.rawValue)
    }
}

/// The end of a process, or of one piece of work of a resident one, as observed from outside.
package struct ProcessEnd: Sendable {
    package var ending: Ending
    /// The instant before it was spawned, as of ``MonotonicClock``; `nil` if unknown.
    package var spawnedNanoseconds: Int?
    /// The time from then to its end; 0 if it never started.
    package var nanoseconds: Int
    package var output: [UInt8]
    package var complaints = ChildText()
    /// Processes that outlived it and were killed; `nil` for none.
    package var leftBehind: Survivors?
    package var series: SampleSeries
    /// True if it was killed because the task was cancelled.
    var wasCancelled = false

    package init(
        ending: Ending, spawnedNanoseconds: Int? = nil, nanoseconds: Int = 0, output: [UInt8] = [],
        series: SampleSeries = SampleSeries(samples: [])
    ) {
        (self.ending, self.spawnedNanoseconds) = (ending, spawnedNanoseconds)
        (self.nanoseconds, self.output, self.series) = (nanoseconds, output, series)
    }

    func unlessCancelled() throws(CancellationError) -> ProcessEnd {
        if wasCancelled { throw CancellationError() }
        return self
    }
}

extension ChildLaunch {
    /// Runs the child to its end.
    ///
    /// - Parameters:
    ///   - onStart: called with the child's process identifier once it runs.
    ///   - onLimit: called with it at the time limit, before the child is killed.
    /// - Throws: `CancellationError` if the task was cancelled, which kills the child.
    package func run(
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }, onLimit: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws(CancellationError) -> ProcessEnd {
        try await run(ChildControl(), { Listener(onStart: onStart, onLimit: onLimit, onEnd: $0) })
            .unlessCancelled()
    }

    /// Runs the child to its end while `onLine` handles its lines.
    ///
    /// `onLine` gets a line without its newline, and the child's identifier. If it returns true, the child gets an empty
    /// line as the answer; if it throws, the child is killed. The child's time limit is paused meanwhile: a slow machine
    /// must not look like a deadlock.
    /// - Throws: errors of `onLine`; `CancellationError` if the task was cancelled.
    package func converse(
        limitedTo outputLimit: Int = 4 << 20, onLine: @Sendable (String, Int32) async throws -> Bool
    ) async throws -> ProcessEnd {
        var launch = self
        launch.input = .answers
        launch.output = .lines(limit: outputLimit)
        return try await launch.talk { lines, control in
            for await line in lines {
                control.answer(try await onLine(line.text, line.process) ? [UInt8(ascii: "\n")] : [])
            }
        }.unlessCancelled()
    }

    /// Runs the child to its end on the calling thread, which waits.
    package func runHere() -> ProcessEnd {
        let ended = Mutex<ProcessEnd?>(nil)
        let listener = Listener { end in ended.withLock { $0 = end } }
        ChildLoop.run(self, ChildControl(), listener)
        guard let end = ended.withLock(\.self) else { preconditionFailure("a child that has run has ended") }
        return end
    }

    /// Runs the child while `body` works with its first lines; then the child's input ends, and it has to exit.
    ///
    /// Its standard error is that of this process.
    /// - Parameters:
    ///   - lineCount: the lines that `body` needs; it gets fewer if the child ended before.
    ///   - patience: the time that the child has to exit before it is killed.
    /// - Throws: ``ChildLaunch/ServerEnded`` if it ended before `body` did; errors of `body`; `CancellationError`.
    package func serve<Value: Sendable>(
        lineCount: Int, patience: Duration, _ body: @Sendable ([String]) async throws -> Value
    ) async throws -> Value {
        var launch = self
        launch.input = .answers
        launch.output = .lines(limit: 1 << 20)
        launch.complaints = .inherited
        let patience = patience.wholeNanoseconds
        var result: Value?
        let end = try await launch.talk { lines, control in
            var first: [String] = []
            for await line in lines {
                first.append(line.text)
                if first.count == lineCount { break }
                control.answer([])
            }
            try Task.checkCancellation()
            result = try await Self.value(of: body, for: first, whileThereAre: lines)
            if result != nil { control.leave(within: patience) }
        }
        if let result { return result }
        throw ServerEnded(ending: try end.unlessCancelled().ending)
    }

    /// Returns what `body` makes of a server's first lines; `nil` if the server, and its lines with it, ends before.
    private static func value<Value: Sendable>(
        of body: @Sendable ([String]) async throws -> Value, for first: [String],
        whileThereAre lines: AsyncStream<Line>
    ) async throws -> Value? {
        try await withoutActuallyEscaping(body) { body in
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body(first) }
                group.addTask {
                    for await _ in lines {}
                    // Cancellation ends both tasks.
                    try Task.checkCancellation()
                    return nil
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { return nil }
                guard value == nil else { return value }
                group.cancelAll()
                // The body fails because it was cancelled: ignore its error.
                _ = try? await group.next()
                return nil
            }
        }
    }

    private func talk(
        _ body: (AsyncStream<Line>, ChildControl) async throws -> Void
    ) async throws -> ProcessEnd {
        let control = ChildControl()
        let (lines, sink) = AsyncStream<Line>.makeStream()
        async let end = run(control) { onEnd in
            Listener(onLine: { sink.yield($0) }) { end in
                sink.finish()
                onEnd(end)
            }
        }
        do {
            try await body(lines, control)
        } catch {
            control.order(SIGKILL)
            _ = await end
            throw error
        }
        return await end
    }

    private func run(
        _ control: ChildControl,
        _ listener: @escaping @Sendable (_ onEnd: @escaping @Sendable (ProcessEnd) -> Void) -> Listener
    ) async -> ProcessEnd {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let listener = listener { continuation.resume(returning: $0) }
                DetachedWork.run { ChildLoop.run(self, control, listener) }
            }
        } onCancel: {
            control.cancel()
        }
    }
}
