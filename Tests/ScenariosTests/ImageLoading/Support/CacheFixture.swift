// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@_exported import TestSupport
import Testing

enum CacheFixture {
    static func executable() throws -> URL {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appending(path: "image-cache-fixture")
    }

    /// Runs a program to its end: what it printed, and its status.
    static func run(_ program: URL, _ arguments: [String]) throws -> (text: String, status: Int32) {
        let ended = try TestProcess.run(program.path, arguments)
        return (ended.text, ended.status)
    }

    /// Lets it write entries until it is killed, a while after it has begun.
    static func killWriting(to folder: String, byteCount: Int, after microseconds: UInt32) throws {
        let process = try TestProcess(executable().path, ["write", folder, "\(byteCount)"])
        while process.output != Array("ready\n".utf8), process.isRunning { usleep(1000) }
        usleep(microseconds)
        process.send(SIGKILL)
        #expect(try process.end(within: 60).status == -SIGKILL)
    }

    static func body(_ number: Int, byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for index in 0..<(byteCount / 8) {
            withUnsafeBytes(of: (UInt64(number) << 32 | UInt64(index)).littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}

/// Waits until something is so, a minute at most.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<6000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}
