// SPDX-License-Identifier: Apache-2.0

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A program to run as a child that is bounded in time and in what it writes, ends with this process, and leaves nothing
/// behind.
///
/// Every child of the harness and of measured tests is started by it.
///
/// What the child writes goes through pipes that a thread of their own drains, at most once a millisecond unless they
/// fill up: a child that writes without end costs neither disk nor memory here, and hardly any time.
package struct ChildLaunch: Sendable {
    /// What the child reads as its standard input.
    package enum Input: Sendable {
        /// Nothing: `/dev/null`.
        case nothing
        /// These bytes, which are in no folder at any time.
        case bytes([UInt8])
        case answers
    }

    /// Where the child's standard output goes.
    package enum Output: Hashable, Sendable {
        case discarded
        /// It is kept whole; a child that writes more bytes than this is ended.
        case kept(limit: Int)
        /// Its lines are looked at one by one; a child that writes more bytes than this is ended.
        case lines(limit: Int)
        /// It goes where standard error goes.
        case joined
    }

    /// Where the child's standard error goes.
    package enum Complaints: Hashable, Sendable {
        /// Its end is kept, at most so many bytes.
        case kept(Int)
        case inherited

        /// The bound of every child's standard error.
        package static let standard = kept(65_536)
    }

    package var executable: String
    /// What the program gets as `argv`, its own name first.
    package var arguments: [String]
    /// Its whole environment, each as `NAME=value`.
    package var environment: [String]
    /// The folder it works in.
    package var workingDirectory: String
    package var input = Input.nothing
    package var output = Output.discarded
    package var complaints = Complaints.standard
    /// After how many nanoseconds the child and all that comes of it are killed, or `nil`.
    package var limit: Int?
    /// Whether what the child has started may go on after it, until this process ends.
    package var leavesOthers = false
    /// Whether what is bounded is so for each line that it answers: see ``ResidentChild``.
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
        /// It left by itself, with this status.
        case exited(Int32)
        case killed(signal: Int32)
        /// It was still there when its time was over.
        case timedOut
        /// It wrote more than it may.
        case wroteTooMuch
        /// The task that ran it was cancelled.
        case cancelled
        /// It never began.
        case notStarted(MemProbeError)
    }

    package var status: Status
    /// The instant before it was started, as of ``MonotonicClock``.
    package var startNanoseconds: Int
    package var endNanoseconds: Int
    /// What it wrote to standard output, where that is kept.
    package var output: [UInt8] = []
    /// The end of what it wrote to standard error.
    package var complaints = ChildText()
    /// What it left running, or `nil`.
    package var leftBehind: LeftBehind?
}

struct ChildLine: Sendable {
    var text: String
    var process: Int32
    /// What a resident child wrote to standard error since its last line.
    var complaints = ChildText()
}

/// What is told of a child while it runs.
struct ChildListener: Sendable {
    /// Gets the number of the child as soon as it runs.
    var onStart: @Sendable (Int32) -> Void = { _ in }
    /// Gets the number of the child when its time is over, before it is killed.
    var onLimit: @Sendable (Int32) -> Void = { _ in }
    /// Gets each line; the child's time stands still until it is answered.
    var onLine: @Sendable (ChildLine) -> Void = { _ in }
    /// Gets the end, once.
    var onEnd: @Sendable (ChildEnd) -> Void
}

extension ChildLaunch {
    /// Runs the child to its end, and kills it where the task is cancelled.
    /// - Parameters:
    ///   - onStart: gets the number of the child as soon as it runs.
    ///   - onLimit: gets it when the child's time is over, before it is killed.
    package func run(
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }, onLimit: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async -> ChildEnd {
        await run(ChildControl(), { ChildListener(onStart: onStart, onLimit: onLimit, onEnd: $0) })
    }

    /// Runs the child to its end while its lines are answered.
    ///
    /// - Parameter onLine: gets each line without its end, and the number of the child, and says whether to answer it, by
    ///   an empty line. The child's time stands still meanwhile. Where it throws, the child is killed.
    package func converse(
        onLine: @Sendable (String, Int32) async throws -> Bool
    ) async throws -> ChildEnd {
        try await talk { lines, control in
            for await line in lines {
                control.answer(try await onLine(line.text, line.process) ? [UInt8(ascii: "\n")] : [])
            }
        }
    }

    /// Runs the child while `body` is done with the first lines that it wrote; then its input ends, and it has to leave.
    ///
    /// - Parameters:
    ///   - lineCount: how many lines `body` needs; it gets less where the child ended before.
    ///   - patience: how many nanoseconds the child has to leave before it is killed.
    package func serve<Value: Sendable>(
        lineCount: Int, patience: Int, _ body: @Sendable ([String]) async throws -> Value
    ) async throws -> Value {
        var result: Value?
        _ = try await talk { lines, control in
            var first: [String] = []
            for await line in lines {
                first.append(line.text)
                if first.count == lineCount { break }
                control.answer([])
            }
            try Task.checkCancellation()
            result = try await body(first)
            control.leave(within: patience)
        }
        guard let result else { throw CancellationError() }
        return result
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
