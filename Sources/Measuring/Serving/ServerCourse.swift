// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import Profiles
import Runs
import Synchronization

/// The course of a server's trial, on a thread beside the tracer's: ready, warm-up, mark, requests, mark, idle, mark, end.
final class ServerCourse: Sendable {
    /// The three marks of a trial and what its clients saw.
    struct Findings: Sendable {
        var baseline: TraceMark?
        var requested: TraceMark?
        var settled: TraceMark?
        var answers: [ServerClient.Answer] = []
        /// The memory of all processes after each round.
        var series: [TraceMark] = []
        var inFlight = 0
        var remarks: [String] = []
        var stopNanoseconds: Int?
        var failure: FetchFailure?
        /// The last step of the clients, as the end of a sentence.
        var step = "before it was ready"
    }

    static let notReady = FetchFailure.Code(rawValue: "server_not_ready")
    static let ended = FetchFailure.Code(rawValue: "server_ended")
    private static let clientFailed = FetchFailure.Code(rawValue: "command_client")

    /// The nanoseconds for which memory has to be unchanged before the first mark, and after each round.
    private static let (quiet, quietBetween) = (50_000_000, 3_000_000)
    private static let (patience, patienceBetween) = (3_000_000_000, 50_000_000)
    private static let secondsToStop = 5

    private let order: ServerOrder
    private let control: TraceControl
    private let idleSeconds: Int
    private let state = Mutex((findings: Findings(), isOver: false))

    init(_ order: ServerOrder, _ control: TraceControl, timeoutSeconds: Double) {
        (self.order, self.control) = (order, control)
        idleSeconds = Int(timeoutSeconds.rounded(.up)) + 1
    }

    /// Waits for the end of the course and returns what it found.
    func findings() -> Findings {
        while !state.withLock(\.isOver) { MonotonicClock.sleep(nanoseconds: 200_000) }
        return state.withLock(\.findings)
    }

    func run() {
        // The ends of the command's threads are for the tracing thread; here they would interrupt system calls.
        var childEnds = sigset_t()
        sigemptyset(&childEnds)
        sigaddset(&childEnds, SIGCHLD)
        pthread_sigmask(SIG_BLOCK, &childEnds, nil)
        do throws(FetchFailure) {
            try waitUntilReady()
            try measure()
        } catch {
            state.withLock { $0.findings.failure = error }
        }
        stop()
        state.withLock { $0.isOver = true }
    }

    private func note(_ change: (inout Findings) -> Void) { state.withLock { change(&$0.findings) } }

    private var client: ServerClient { ServerClient(port: order.port, idleSeconds: idleSeconds, hashes: order.hashes) }

    private func waitUntilReady() throws(FetchFailure) {
        let deadline = MonotonicClock.now() + Int(order.startSeconds * 1e9)
        var asked = order.request
        var last = FetchFailure(.connectionRefused, "")
        while !control.isOver {
            do throws(FetchFailure) {
                guard let path = order.readyPath else {
                    _ = try TCPSocket(host: "127.0.0.1", port: order.port, idleTimeoutSeconds: idleSeconds)
                    return
                }
                (asked.method, asked.path, asked.bodyByteCount) = ("GET", path, nil)
                _ = try client.answer(to: asked)
                return
            } catch {
                last = error
            }
            guard MonotonicClock.now() < deadline else {
                let what = last.code == .connectionRefused ? elsewhere : "\(asked.words): \(last.detail)"
                throw FetchFailure(
                    Self.notReady, "the server was not ready within \(CSV.text(order.startSeconds)) s: \(what)")
            }
            MonotonicClock.sleep(nanoseconds: 300_000)
        }
        throw FetchFailure(Self.ended, "")
    }

    /// The words for a server that refuses connections, with the ports on which it listens instead.
    private var elsewhere: String {
        let sockets = Set((control.mark()?.processes ?? []).flatMap { SocketTable.inodes(of: $0) })
        let others = Set(
            ["tcp", "tcp6"].flatMap { file in
                SocketTable.rows(in: file) { $0.isListening && sockets.contains($0.inode) }.map(\.localPort)
            })
        let place =
            others.isEmpty ? "on no port" : "on port \(others.sorted().map(String.init).joined(separator: ", "))"
        return "{port} was \(order.port), and it listens \(place)"
    }

    private func measure() throws(FetchFailure) {
        note { $0.step = "during the warm-up, \((order.warmup ?? order.request).words)" }
        _ = try round(order.warmup, by: client)
        let baseline = try mark(begins: true, quiet: Self.quiet, patience: Self.patience)
        note { $0.baseline = baseline }
        tell(.baseline)
        var client = client
        (client.rate, client.chunk) = (order.rate, order.chunk)
        for number in 1...max(1, order.rounds) {
            note { $0.step = "during request \(number * order.concurrency), \(order.request.words)" }
            for answer in try round(order.client == nil ? order.request : nil, by: client) {
                let first = state.withLock { $0.findings.answers.first } ?? answer
                guard answer.isAlike(first) else {
                    throw FetchFailure(
                        .wrongBody,
                        "\(order.request.words) was answered with two bodies: \(first.words) and \(answer.words) (--verify length "
                            + "compares lengths alone)")
                }
                note { $0.answers.append(answer) }
            }
            if order.rounds > 1 {
                let mark = try mark(quiet: Self.quietBetween, patience: Self.patienceBetween)
                note { $0.series.append(mark) }
            }
        }
        note { $0.step = "after its last answer" }
        let requested = try mark()
        note { $0.requested = requested }
        if order.instantPath != nil {
            // The recorder hears of the end when something is allocated, for which the server is asked once more.
            tell(.end)
            _ = try round(order.warmup, by: self.client)
        }
        MonotonicClock.sleep(nanoseconds: Int(order.idleSeconds * 1e9))
        let settled = try mark()
        note { $0.settled = settled }
    }

    /// Tells the recorder in the server, which looks at its next allocation.
    private func tell(_ instant: Recording.Instant) {
        guard let path = order.instantPath else { return }
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        withUnsafeBytes(of: instant.rawValue) { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    private func mark(begins: Bool = false, quiet: Int = 0, patience: Int = 0) throws(FetchFailure) -> TraceMark {
        guard let mark = control.mark(begins: begins, quiet: quiet, patience: patience) else {
            throw FetchFailure(Self.ended, "")
        }
        return mark
    }

    /// Makes as many requests at once as are asked for; without a request, has the client of the user's own make its.
    private func round(
        _ request: ServerOrder.Request?, by client: ServerClient
    ) throws(FetchFailure) -> [ServerClient.Answer] {
        guard let request else {
            try described { () throws(FetchFailure) in try runClient() }
            return []
        }
        let count = order.concurrency
        guard count > 1 else {
            note { $0.inFlight = max($0.inFlight, 1) }
            return [try described { () throws(FetchFailure) in try client.answer(to: request) }]
        }
        let (begun, nearEnd) = (Meeting(of: count), Meeting(of: count))
        let results = Mutex<[Result<ServerClient.Answer, FetchFailure>]>([])
        for _ in 0..<count {
            try DetachedThread.run {
                let result = Result { () throws(FetchFailure) in try client.answer(to: request, at: (begun, nearEnd)) }
                if case .failure = result { for one in [begun, nearEnd] { one.leave() } }
                results.withLock { $0.append(result) }
            }
        }
        while results.withLock(\.count) < count { MonotonicClock.sleep(nanoseconds: 200_000) }
        note { $0.inFlight = max($0.inFlight, begun.most, nearEnd.most) }
        return try described { () throws(FetchFailure) in
            var answers: [ServerClient.Answer] = []
            for result in results.withLock(\.self) { answers.append(try result.get()) }
            return answers
        }
    }

    private func runClient() throws(FetchFailure) {
        guard let client = order.client else { return }
        var launch = ChildLaunch(
            executable: client.words[0], arguments: Array(client.words.dropFirst()), environment: client.environment,
            directory: client.directory, limit: .seconds(idleSeconds))
        do throws(MemProbeError) {
            launch.executable = try ExecutableSearch.path(
                of: client.words[0], environment: launch.environment, in: client.directory)
        } catch {
            throw FetchFailure(
                Self.clientFailed, "the client cannot be started: \(error.startObstacle(in: client.directory))")
        }
        // Its last words are those of this process.
        launch.complaints = .inherited
        guard let obstacle = launch.runHere().ending.obstacle(within: Double(idleSeconds)) else { return }
        throw FetchFailure(Self.clientFailed, "the client \(obstacle)")
    }

    /// Names the server's end in place of the connection that it closed.
    private func described<Value>(_ body: () throws(FetchFailure) -> Value) throws(FetchFailure) -> Value {
        do throws(FetchFailure) {
            return try body()
        } catch {
            MonotonicClock.sleep(nanoseconds: 20_000_000)
            guard control.isOver else { throw error }
            throw FetchFailure(Self.ended, "")
        }
    }

    /// Ends the server as a service manager does: asked first, killed if it does not listen.
    private func stop() {
        let start = MonotonicClock.now()
        control.signal(SIGTERM)
        while !control.isOver, MonotonicClock.now() - start < Self.secondsToStop * 1_000_000_000 {
            MonotonicClock.sleep(nanoseconds: 200_000)
        }
        guard !control.isOver else { return note { $0.stopNanoseconds = MonotonicClock.now() - start } }
        note { $0.remarks.append("it did not end within \(Self.secondsToStop) s of SIGTERM and was killed") }
        control.signal(SIGKILL)
    }
}
