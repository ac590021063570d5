// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Synchronization
import Testing

/// A process of its own that traces a command, as `fetchbench` does it: a test process has other children.
struct Supervisor: Encodable {
    var executable: String
    var arguments: [String]
    var environment = ["PATH=/usr/bin:/bin", "TRACE_TOKEN=\(UUID().uuidString)"]
    var folder = "/"
    var method = "automatic"
    var timeoutNanoseconds: Int?
    var residentLimitMebibytes: Int?
    var controlGroup: ControlGroup?
    var ballastMebibytes = 0
    var times = 1
    /// The words in front of the fixture's own: in which surroundings it traces.
    var surroundings: [String] = []

    private enum CodingKeys: CodingKey {
        case executable, arguments, environment, folder, method, timeoutNanoseconds, residentLimitMebibytes
        case controlGroup, ballastMebibytes, times
    }

    init(_ command: [String]) {
        executable = command.first ?? ""
        arguments = command
    }

    init(fixture words: String...) { self.init([Self.fixture] + words) }

    /// The built fixture lies beside the built tests.
    static var fixture: String {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: own ?? "").deletingLastPathComponent().appendingPathComponent("trace-fixture").path
    }

    func words() throws -> [String] {
        surroundings + ["supervise", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
    }

    func start() throws -> TestProcess {
        try TestProcess(Self.fixture, try words(), environment: [:])
    }

    func run() throws -> Outcome {
        let end = try start().end(within: 300)
        return Outcome(
            output: end.text, answer: try JSONDecoder().decode(Answer.self, from: Data(end.complaint.utf8)))
    }

    func trace() throws -> CommandTrace {
        let outcome = try run()
        return try #require(outcome.answer.trace, "\(outcome.answer)")
    }
}

struct Answer: Decodable {
    var trace: CommandTrace?
    var errorCode: String?
    var errorSource: String?
    var errorNumber: Int32?
    var descriptorsLeft: Int
    var threadsLeft: Int
    var childrenLeft: Int
    var isRestored: Bool
    var wallNanoseconds: [Int]

    /// Whether the runs left the supervisor as it was.
    var isClean: Bool {
        descriptorsLeft == 0 && threadsLeft == 0 && childrenLeft == 0 && isRestored
    }
}

struct Outcome {
    var output: String
    var answer: Answer

    func values(_ name: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The marks that the command's processes said of themselves.
    var ownPeaks: [ByteCount] {
        values("peak").compactMap { Int($0) }.map { ByteCount(procKilobytes: $0) }
    }
}

/// Whether two sizes differ by no more than a tolerance.
func isClose(_ one: ByteCount, _ other: ByteCount, within tolerance: ByteCount) -> Bool {
    max(one - other, other - one) <= tolerance
}

/// An observer that knows nothing of tracing: it finds a command's processes by a word in their environment and reads
/// their files over and over.
///
/// It shares no code with what it checks.
final class ReferencePoller: Sendable {
    struct Sight: Sendable {
        var largestSum = ByteCount.zero
        var marks: [Int32: ByteCount] = [:]
        /// How often it looked while there was something to see.
        var looks = 0
    }

    private let sight = Mutex(Sight())
    private let isStopped = Mutex(false)
    private let isDone = DispatchSemaphore(value: 0)

    /// Begins to look for processes whose environment holds a word.
    init(word: String) {
        Thread.detachNewThread { [self] in
            var known: [Int32: OpenFiles] = [:]
            var nextSearch = 0
            while !isStopped.withLock({ $0 }) {
                if MonotonicClock.now() >= nextSearch {
                    for identifier in Self.search(word) where known[identifier] == nil {
                        known[identifier] = OpenFiles(identifier)
                    }
                    nextSearch = MonotonicClock.now() + 3_000_000
                }
                look(at: known)
            }
            isDone.signal()
        }
    }

    func stop() -> Sight {
        isStopped.withLock { $0 = true }
        isDone.wait()
        return sight.withLock { $0 }
    }

    private func look(at known: [Int32: OpenFiles]) {
        var sum = 0
        var marks: [Int32: Int] = [:]
        for (identifier, files) in known {
            sum += files.residentPages() * Int(sysconf(Int32(_SC_PAGESIZE)))
            marks[identifier] = files.markKilobytes()
        }
        guard sum > 0 else { return }
        sight.withLock { sight in
            sight.looks += 1
            sight.largestSum = max(sight.largestSum, ByteCount(sum))
            for (identifier, mark) in marks {
                sight.marks[identifier] = max(sight.marks[identifier] ?? .zero, ByteCount(procKilobytes: mark))
            }
        }
    }

    private static func search(_ word: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { identifier in
            let data = FileManager.default.contents(atPath: "/proc/\(identifier)/environ")
            return data.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
        }
    }
}

private final class OpenFiles {
    private let statm: Int32
    private let status: Int32

    init(_ identifier: Int32) {
        statm = open("/proc/\(identifier)/statm", O_RDONLY | O_CLOEXEC)
        status = open("/proc/\(identifier)/status", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(statm)
        close(status)
    }

    func residentPages() -> Int {
        let words = Self.text(of: statm).split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    func markKilobytes() -> Int? {
        let line = Self.text(of: status).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    private static func text(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// A web server in another language that serves one file of a known size.
final class FileServer {
    let folder: URL
    private let process: TestProcess
    private let port: Int

    /// Makes the file and waits until the server has said on which port it listens.
    init(mebibytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tracing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let made = FileManager.default.createFile(
            atPath: folder.appendingPathComponent("asset").path, contents: Data(count: mebibytes << 20))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process = try TestProcess(
            "/usr/bin/env",
            ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path],
            environment: ["PATH": path])
        // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = Self.firstLine(of: process)
        let words = line.split(separator: " ").map(String.init)
        let place = words.firstIndex(of: "port") ?? words.endIndex
        port = place + 1 < words.count ? Int(words[place + 1]) ?? 0 : 0
        try #require(made && port > 0, "the server did not say where it listens: \(line)")
    }

    private static func firstLine(of process: TestProcess) -> String {
        let last = ContinuousClock.now + .seconds(60)
        while process.isRunning, !process.output.contains(10), ContinuousClock.now < last { usleep(1000) }
        return String(decoding: process.output.prefix { $0 != 10 }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var address: String {
        "http://127.0.0.1:\(port)/asset"
    }

    /// Where a client may put what it got.
    var target: String { folder.appendingPathComponent("fetched").path }

    var targetCount: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.size] as? NSNumber)?.intValue ?? -1
    }
}
