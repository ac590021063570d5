// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A child of the test process with two streams to read from.
///
/// The streams close on `exec` from their birth, so that no child of another test holds an end open, and the child
/// blocks no signals, whatever the thread does that starts it.
final class ChildProcess {
    let identifier: pid_t
    private let output: CInt
    private let errors: CInt
    private var isFinished = false

    /// Starts a program.
    init(_ path: String, _ words: [String], environment: [String] = []) throws {
        let outputs = try Self.pair()
        let failures = try Self.pair()
        output = outputs.own
        errors = failures.own
        defer {
            close(outputs.other)
            close(failures.other)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputs.other, 1)
        posix_spawn_file_actions_adddup2(&actions, failures.other, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var arguments = ([path] + words).map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var child = pid_t()
        let status = posix_spawn(&child, path, &actions, &attributes, &arguments, &variables)
        identifier = child
        guard status == 0 else {
            isFinished = true
            throw ChildFailure(path: path, error: status)
        }
    }

    deinit {
        if !isFinished {
            kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
        close(output)
        close(errors)
    }

    /// Reads both streams to their ends and waits for the child's.
    func finish() -> (output: [UInt8], errors: [UInt8]) {
        let second = Self.read(errors, untilLine: false)
        let first = Self.read(output, untilLine: false)
        waitpid(identifier, nil, 0)
        isFinished = true
        return (first, second)
    }

    /// Reads the first line of the output.
    func firstLine() -> String {
        String(decoding: Self.read(output, untilLine: true), as: UTF8.self)
    }

    private static func read(_ stream: CInt, untilLine: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(stream, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
            if untilLine && bytes.contains(10) { return bytes }
        }
    }

    private static func pair() throws -> (own: CInt, other: CInt) {
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ChildFailure(path: "socketpair", error: errno) }
        return (ends[0], ends[1])
    }
}

/// A child that could not be started.
struct ChildFailure: Error {
    var path: String
    var error: CInt
}
