// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The processes of this machine, as `/proc` shows them to everybody.
enum ProcessTable {
    /// One process.
    struct Entry: Hashable {
        var identifier: pid_t
        var arguments: [String]

        /// Whether it is the measured side of a trial.
        var isTrial: Bool { arguments.first == "trial" }
        /// Whether it is the embedded origin.
        var isOrigin: Bool { arguments.dropFirst().first == "serve" }
    }

    /// The living processes that were started from a sandbox: their environment names a path in it.
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

    /// The resident size of a process in bytes, or `nil` where it has ended.
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
