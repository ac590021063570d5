// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program to run as a child, bounded in time and output, that ends with this process and leaves nothing behind.
///
/// A separate thread drains the child's pipes, at most once a millisecond unless they fill up: endless output costs
/// neither disk nor memory here, and hardly any time.
package struct ChildLaunch: Sendable {
    /// The child's standard input.
    package enum Input: Sendable {
        /// `/dev/null`.
        case nothing
        /// These bytes, from memory and never from a file in a folder.
        case bytes([UInt8])
        case answers
    }

    /// The child's standard output.
    package enum Output: Hashable, Sendable {
        case discarded
        /// Kept in full; a child that writes more bytes than this is killed.
        case kept(limit: Int)
        /// Passed on line by line; a child that writes more bytes than this is killed.
        case lines(limit: Int)
        /// Joined with standard error.
        case joined
    }

    /// The child's standard error.
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
    /// True if the limits apply to each answer instead of the child's whole life; see ``ResidentChild``.
    var isResident = false

    package init(executable: String, arguments: [String], environment: [String], workingDirectory: String) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
    }
}

package struct ChildEnd: Sendable {
    package enum Status: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        case timedOut
        /// It exceeded the limit of its output.
        case wroteTooMuch
        case cancelled
        case notStarted(MemProbeError)
    }

    package var status: Status
    /// The time just before the start, as of ``MonotonicClock``.
    package var startNanoseconds: Int
    package var endNanoseconds: Int
    /// Its standard output, if that is kept.
    package var output: [UInt8] = []
    /// The end of its standard error.
    package var complaints = ChildText()
    package var leftBehind: LeftBehind?
}

/// A server that ended while it was needed.
package struct ServerEnded: Error, Hashable {
    package let status: ChildEnd.Status
}

struct ChildLine: Sendable {
    var text: String
    var process: Int32
    /// A resident child's standard error since its previous line.
    var complaints = ChildText()
}

/// The callbacks for a running child.
struct ChildListener: Sendable {
    var onStart: @Sendable (Int32) -> Void = { _ in }
    /// Called with the process identifier at the time limit, before the child is killed.
    var onLimit: @Sendable (Int32) -> Void = { _ in }
    /// Called for each line; the child's time limit is paused until the line is answered.
    var onLine: @Sendable (ChildLine) -> Void = { _ in }
    var onEnd: @Sendable (ChildEnd) -> Void
}

extension ChildLaunch {
    /// Runs the child to its end, or kills it if the task is cancelled.
    ///
    /// - Parameters:
    ///   - onStart: called with the child's process identifier once it runs.
    ///   - onLimit: called with it at the time limit, before the child is killed.
    package func run(
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }, onLimit: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async -> ChildEnd {
        await run(ChildControl(), { ChildListener(onStart: onStart, onLimit: onLimit, onEnd: $0) })
    }

    /// Runs the child to its end while `onLine` handles its lines.
    ///
    /// `onLine` gets a line without its newline, and the child's identifier. If it returns true, the child gets an empty
    /// line as the answer; if it throws, the child is killed. The child's time limit is paused meanwhile.
    package func converse(
        onLine: @Sendable (String, Int32) async throws -> Bool
    ) async throws -> ChildEnd {
        try await talk { lines, control in
            for await line in lines {
                control.answer(try await onLine(line.text, line.process) ? [UInt8(ascii: "\n")] : [])
            }
        }
    }

    /// Runs the child while `body` works with its first lines; then the child's input ends, and it has to exit.
    ///
    /// - Parameters:
    ///   - lineCount: the lines that `body` needs; it gets fewer if the child ended before.
    ///   - patience: the nanoseconds that the child has to exit before it is killed.
    package func serve<Value: Sendable>(
        lineCount: Int, patience: Int, _ body: @Sendable ([String]) async throws -> Value
    ) async throws -> Value {
        var result: Value?
        let end = try await talk { lines, control in
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
        guard end.status != .cancelled else { throw CancellationError() }
        throw ServerEnded(status: end.status)
    }

    /// Returns what `body` makes of a server's first lines; `nil` if the server, and its lines with it, ends before.
    private static func value<Value: Sendable>(
        of body: @Sendable ([String]) async throws -> Value, for first: [String],
        whileThereAre lines: AsyncStream<ChildLine>
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
        _ body: (AsyncStream<ChildLine>, ChildControl) async throws -> Void
    ) async throws -> ChildEnd {
        let control = ChildControl()
        let (lines, sink) = AsyncStream<ChildLine>.makeStream()
        async let end = run(control) { onEnd in
            ChildListener(onLine: { sink.yield($0) }) { end in
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
        _ listener: @escaping @Sendable (_ onEnd: @escaping @Sendable (ChildEnd) -> Void) -> ChildListener
    ) async -> ChildEnd {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let listener = listener { continuation.resume(returning: $0) }
                BareThread.run { ChildLoop.run(self, control, listener) }
            }
        } onCancel: {
            control.cancel()
        }
    }
}
