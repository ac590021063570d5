// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@_exported import TestSupport

/// The program `memprobe-fixture`, which does to its own memory what no test may do to the test process's.
enum Fixture {
    typealias Answers = [String: String]

    static func run(_ words: String..., environment: [String] = []) throws -> Answers {
        try answers(of: FixtureProcess(words, environment: environment), to: words)
    }

    static func answers(of child: FixtureProcess, to words: [String]) throws -> Answers {
        let answers = child.readAnswers()
        let status = child.finish()
        guard status == 0, answers["error"] == nil else {
            throw FixtureFailure(words: words, status: status, answers: answers)
        }
        return answers
    }
}

extension Fixture.Answers {
    func number(_ name: String) throws -> Int {
        guard let text = self[name], let number = Int(text) else {
            throw FixtureFailure(words: [name], status: 0, answers: self)
        }
        return number
    }
}

struct FixtureFailure: Error {
    var words: [String]
    var status: CInt
    var answers: Fixture.Answers
}

/// A fixture that runs until it is told to end.
final class FixtureProcess {
    let identifier: pid_t
    private let stream: UnsafeMutablePointer<FILE>
    private var isFinished = false

    convenience init(_ words: [String], environment: [String] = []) throws {
        try self.init(command: [Self.path] + words, environment: environment)
    }

    /// Spawns a command, the path of whose program is its first word, with an environment made from nothing.
    init(command words: [String], environment: [String] = []) throws {
        // A pair of sockets closes on exec from its birth, so that no child of another test holds an end open.
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0, let stream = fdopen(ends[0], "r") else {
            throw FixtureFailure(words: words, status: errno, answers: [:])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)

        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, words[0], &actions, nil, &arguments, &variables)
        close(ends[1])
        self.identifier = identifier
        self.stream = stream
        guard status == 0 else {
            isFinished = true
            throw FixtureFailure(words: words, status: status, answers: [:])
        }
    }

    deinit {
        if !isFinished {
            Glibc.kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
        fclose(stream)
    }

    /// Reads answers up to the last line, or up to a line with this name.
    func readAnswers(through last: String? = nil) -> Fixture.Answers {
        var answers: Fixture.Answers = [:]
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), stream) != nil {
            let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            answers[parts[0]] = parts[1]
            if parts[0] == last { break }
        }
        return answers
    }

    /// Waits for its end and returns its exit status, or minus the signal that ended it.
    @discardableResult
    func finish() -> CInt {
        var status: CInt = 0
        waitpid(identifier, &status, 0)
        isFinished = true
        return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
    }

    /// Whether it ends by itself, or by somebody else's hand, before so many seconds are over; it stays a zombie.
    func hasEnded(within seconds: Int) -> Bool {
        for _ in 0..<seconds * 100 {
            var information = siginfo_t()
            waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT | WNOHANG)
            if information.si_signo == SIGCHLD { return true }
            usleep(10_000)
        }
        return false
    }

    /// Ends it at once, and leaves a zombie until ``finish()``.
    func kill() {
        Glibc.kill(identifier, SIGKILL)
        var information = siginfo_t()
        waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
    }

    /// The built program lies beside the built tests.
    private static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/memprobe-fixture"
    }
}

/// A copy of the fixture and of every library that it maps, in a folder of its own.
///
/// The kernel divides a page among the processes that map it. No other process maps these files, so none that starts
/// or ends beside a test changes whose pages they are.
final class PrivateFixture {
    private let folder: URL
    private let loader: String

    init() throws {
        let files = try Self.filesMapped(by: FixtureProcess(["hold", "4096"]))
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        folder = temporary.appending(path: "memprobe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for file in files {
            let copy = folder.appending(path: file.lastPathComponent)
            try TestProcess.copy(program: file.path, to: copy.path)
            // Programs ask for `libstdc++.so.6`, which is a link to the `libstdc++.so.6.0.30` that is mapped.
            guard let asked = copy.lastPathComponent.firstMatch(of: /^.+\.so\.\d+(?=\.)/) else { continue }
            let link = folder.appending(path: String(asked.output)).path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: copy.lastPathComponent)
        }
        guard let loader = files.first(where: { $0.lastPathComponent.hasPrefix("ld-") }) else {
            throw FixtureFailure(words: ["no loader among its files"], status: 0, answers: [:])
        }
        self.loader = folder.appending(path: loader.lastPathComponent).path

        let copy = try FixtureProcess(command: command(["hold", "4096"]))
        let shared = try Self.filesMapped(by: copy).filter { !$0.path.hasPrefix(folder.path + "/") }
        guard shared.isEmpty else {
            throw FixtureFailure(words: ["maps files of others:"] + shared.map(\.path), status: 0, answers: [:])
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func run(_ words: String...) throws -> Fixture.Answers {
        try Fixture.answers(of: FixtureProcess(command: command(words)), to: words)
    }

    private func command(_ words: [String]) -> [String] {
        [loader, "--library-path", folder.path, folder.appending(path: "memprobe-fixture").path] + words
    }

    private static func filesMapped(by process: FixtureProcess) throws -> Set<URL> {
        _ = process.readAnswers(through: "anonymous")
        // Foundation reads a file by its length, which is 0 here: the whole of it comes through a handle alone.
        let handle = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process.identifier)/maps"))
        let lines = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        return Set(lines.compactMap { $0.firstIndex(of: "/").map($0.suffix(from:)) }.map { URL(filePath: String($0)) })
    }
}
