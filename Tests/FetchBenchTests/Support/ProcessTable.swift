// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The processes of this machine, as `/proc` shows them to everybody.
enum ProcessTable {
    struct Entry: Hashable {
        var identifier: pid_t
        var arguments: [String]

        var isTrial: Bool { arguments.first == "trial" }
        var isOrigin: Bool { arguments.dropFirst().first == "serve" }
    }

    static func processes(of sandbox: Sandbox) -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.compactMap { identifier in
            let environment = text(of: identifier, "environ")
            guard environment.contains(sandbox.path) else { return nil }
            let words = text(of: identifier, "cmdline").split(separator: "\0").map(String.init)
            return words.isEmpty ? nil : Entry(identifier: identifier, arguments: words)
        }
    }

    /// The processes that still live some time after the command of a sandbox ended.
    ///
    /// The keeper of a command's processes ends just behind the command itself, on a busy machine a moment later.
    static func remaining(in sandbox: Sandbox, after seconds: Double = 5) async throws -> [Entry] {
        _ = try await eventually(within: seconds) { processes(of: sandbox).isEmpty }
        return processes(of: sandbox)
    }

    static func residentBytes(of identifier: pid_t) -> Int? {
        let line = text(of: identifier, "status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// Returns true once a process executes fetchbench and handles a signal.
    static func catches(_ signal: Int32, _ identifier: pid_t) -> Bool {
        let lines = text(of: identifier, "status").split(separator: "\n")
        guard lines.first?.hasSuffix("\tfetchbench") == true,
            let caught = lines.first(where: { $0.hasPrefix("SigCgt:") })?.split(separator: "\t").last,
            let signals = UInt64(caught, radix: 16)
        else { return false }
        return signals & 1 << UInt64(signal - 1) != 0
    }

    /// How many descriptors a process holds open, or `nil` where it has ended.
    static func descriptorCount(of identifier: pid_t) -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd"))?.count
    }

    private static func text(of identifier: pid_t, _ file: String) -> String {
        guard let stream = fopen("/proc/\(identifier)/\(file)", "re") else { return "" }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The peaks of processes as somebody sees them who looks at `VmHWM` again and again; shares nothing with fetchbench.
struct HighWaterMarks: ~Copyable {
    /// The last mark of each process, by its name, in the order in which they began.
    private(set) var peaks: [String: [Int]] = [:]

    private let sandbox: Sandbox
    private let names: Set<String>
    private var known: Set<pid_t> = []
    private var current: (name: String, descriptor: Int32, mark: Int)?

    init(of sandbox: Sandbox, named names: Set<String>) {
        self.sandbox = sandbox
        self.names = names
    }

    deinit {
        if let current { close(current.descriptor) }
    }

    mutating func look() {
        if let following = current {
            if let mark = Self.mark(following.descriptor) {
                current = (following.name, following.descriptor, mark)
                return
            }
            // A zombie has no such line: the last mark was the one at its end.
            peaks[following.name, default: []].append(following.mark)
            close(following.descriptor)
            current = nil
        }
        let found = ProcessTable.processes(of: sandbox).first { entry in
            names.contains(entry.arguments[0]) && !known.contains(entry.identifier)
                // Runs with 1 KiB are over too soon to be always seen.
                && !entry.arguments.contains { $0.contains("/1KiB") }
        }
        guard let found else { return }
        let descriptor = open("/proc/\(found.identifier)/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        known.insert(found.identifier)
        current = (found.arguments[0], descriptor, 0)
    }

    private static func mark(_ descriptor: Int32) -> Int? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
        return words?.dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}

struct Ended: Sendable {
    /// Its exit status, or minus the number of the signal that ended it.
    var status: Int32
    var output: String
    var complaint: String
    /// Standard output, with lines that were broken at 80 columns joined again.
    var unwrapped: String { output.replacing("\n  ", with: " ") }
}

/// A process that a test started, and may wait for without blocking a thread.
final class Spawned: Sendable {
    private let process: TestProcess

    init(_ path: String, _ arguments: [String], environment: [String: String], workingDirectory: String) throws {
        process = try TestProcess(path, arguments, environment: environment, in: workingDirectory)
    }

    var identifier: pid_t { process.identifier }
    var output: String { String(decoding: process.output, as: UTF8.self) }
    var complaint: String { process.complaint }
    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) { process.send(signal) }

    /// Waits for its end; what takes longer than the limit is killed, and fails the test.
    func end(within seconds: Double) async throws -> Ended {
        let last = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < last {
            if let ended = process.end() {
                return Ended(status: ended.status, output: ended.text, complaint: ended.complaint)
            }
            try await Task.sleep(for: .milliseconds(4))
        }
        send(SIGKILL)
        throw Obstacle("still running after \(seconds) s; it said: \(output.suffix(400))\(complaint.suffix(400))")
    }

    /// Looks at it again and again until it ends, on a thread of its own: those of tasks may be busy with tests that block.
    func watch(every seconds: Double, _ look: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while self.isRunning {
                    look()
                    Thread.sleep(forTimeInterval: seconds)
                }
                continuation.resume()
            }
        }
    }
}

/// Waits until a condition holds, for so long at most, and says whether it does.
func eventually(within seconds: Double, _ condition: () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(4))
    }
    return try condition()
}
