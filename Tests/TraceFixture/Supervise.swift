// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import MemProbe

/// The supervisor's request, as JSON in its argument.
private struct Order: Decodable {
    var executable: String
    var arguments: [String]
    var environment: [String]
    var folder: String
    var method: String
    var timeoutNanoseconds: Int?
    var residentLimitMebibytes: Int?
    var controlGroup: ControlGroup?
    /// The memory of the supervisor while it traces.
    var ballastMebibytes: Int
    var times: Int
}

/// The supervisor's report, as JSON on standard output.
private struct Answer: Encodable {
    var trace: CommandTrace?
    var errorCode: String?
    var errorSource: String?
    var errorNumber: Int32?
    /// The remains of the runs in the supervisor.
    var descriptorsLeft: Int
    var threadsLeft: Int
    var childrenLeft: Int
    /// Whether the signal mask and the disposition of `SIGCHLD` are as before.
    var isRestored: Bool
    /// How long each run took.
    var wallNanoseconds: [Int]
}

/// Traces one command as often as it is asked to, and says what came of the last run and what was left.
func supervise(_ text: String) {
    guard let order = try? JSONDecoder().decode(Order.self, from: Data(text.utf8)) else { exit(64) }
    Fixture.touch(mebibytes: order.ballastMebibytes)
    signal(SIGCHLD, SIG_IGN)
    let descriptors = count("/proc/self/fd")
    let threads = count("/proc/self/task")
    let blocked = blockedSignals()
    var answer = Answer(
        descriptorsLeft: 0, threadsLeft: 0, childrenLeft: 0, isRestored: false, wallNanoseconds: [])
    for _ in 0..<order.times {
        let start = MonotonicClock.now()
        do throws(MemProbeError) {
            answer.trace = try run(order)
        } catch {
            answer.errorCode = error.code.rawValue
            answer.errorSource = error.source
            answer.errorNumber = error.errno
        }
        answer.wallNanoseconds.append(MonotonicClock.now() - start)
    }
    answer.descriptorsLeft = count("/proc/self/fd") - descriptors
    answer.threadsLeft = count("/proc/self/task") - threads
    answer.childrenLeft = children()
    answer.isRestored = ignoresChildren() && blockedSignals() == blocked
    guard let data = try? JSONEncoder().encode(answer) else { exit(65) }
    FileHandle.standardError.write(data)
    exit(0)
}

private func run(_ order: Order) throws(MemProbeError) -> CommandTrace {
    let method: TraceMethod =
        switch order.method {
        case "polled": .polled
        case "exitStops": .exitStops
        default: .automatic
        }
    var command = TracedCommand(
        executable: order.executable, arguments: order.arguments, environment: order.environment,
        workingDirectory: order.folder, standardInput: STDIN_FILENO, standardOutput: STDOUT_FILENO,
        standardError: STDOUT_FILENO)
    command.controlGroup = order.controlGroup
    return try command.run(
        timeoutNanoseconds: order.timeoutNanoseconds,
        residentLimit: order.residentLimitMebibytes.map { .mebibytes($0) }, method: method)
}

private func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
}

private func children() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
        let text = (try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)) ?? ""
        return sum + text.split(separator: " ").count
    }
}

private func ignoresChildren() -> Bool {
    var action = sigaction()
    sigaction(SIGCHLD, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}

private func blockedSignals() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return (1..<65).filter { sigismember(&mask, $0) == 1 }
}

/// Where children say that they hold what they shall hold, and wait until it is over.
struct Meeting: Sendable {
    private let ready: [Int32]
    private let over: [Int32]

    init() {
        ready = Self.makePipe()
        over = Self.makePipe()
        // Only the children's ends may be theirs: else the end would never come.
        for end in [ready[0], over[1]] where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { exit(77) }
    }

    /// Starts a child that takes part.
    func spawn(mebibytes: Int) -> pid_t {
        Fixture.spawn(["hold", "\(mebibytes)", "\(ready[1])", "\(over[0])"])
    }

    /// Takes part from a thread of this process: says that it is there, and waits for the end.
    func attend() { Self.attend(ready: ready[1], end: over[0]) }

    static func attend(ready: Int32, end: Int32) {
        var byte: UInt8 = 1
        write(ready, &byte, 1)
        while read(end, &byte, 1) < 0 && errno == EINTR {}
    }

    /// Waits until some have said that they are there.
    func wait(for count: Int) {
        var byte: UInt8 = 0
        for _ in 0..<count where read(ready[0], &byte, 1) != 1 { exit(78) }
    }

    /// Lets all of them go.
    func end() { close(over[1]) }

    private static func makePipe() -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(79) }
        return ends
    }
}
