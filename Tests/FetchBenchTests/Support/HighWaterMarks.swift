// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The peaks of processes as somebody sees them who looks at `VmHWM` again and again; shares nothing with fetchbench.
struct HighWaterMarks: ~Copyable {
    /// The last mark of each process, by its name, in the order in which they began.
    private(set) var peaks: [String: [Int]] = [:]

    private let sandbox: Sandbox
    private let names: Set<String>
    private var known: Set<pid_t> = []
    private var current: (name: String, descriptor: Int32, mark: Int)?

    /// Follows processes of a sandbox, one after another.
    init(of sandbox: Sandbox, named names: Set<String>) {
        self.sandbox = sandbox
        self.names = names
    }

    deinit {
        if let current { close(current.descriptor) }
    }

    /// Looks once.
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
