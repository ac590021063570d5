// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// `image-cache-fixture`, which the package builds beside these tests.
enum CacheFixture {
    /// Where it is.
    static func executable() throws -> URL {
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return tests.deletingLastPathComponent().appending(path: "image-cache-fixture")
    }

    /// Runs a program to its end: what it printed, and its status.
    static func run(_ program: URL, _ arguments: [String]) throws -> (text: String, status: Int32) {
        try withOutput { process, text in
            process.executableURL = program
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return (try text(), process.terminationStatus)
        }
    }

    /// Lets it write entries until it is killed, a while after it has begun.
    static func killWriting(to folder: String, byteCount: Int, after microseconds: UInt32) throws {
        try withOutput { process, text in
            process.executableURL = try executable()
            process.arguments = ["write", folder, "\(byteCount)"]
            try process.run()
            while try text() != "ready\n", process.isRunning { usleep(1000) }
            usleep(microseconds)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
        }
    }

    /// Lends a process that writes to a file, and what stands in that by now; a pipe would be shared with the processes
    /// that other tests start at the same time.
    private static func withOutput<R>(_ body: (Process, () throws -> String) throws -> R) throws -> R {
        let file = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let handle = try FileHandle(forWritingTo: file)
        process.standardOutput = handle
        defer { try? handle.close() }
        return try body(process) { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
    }

    /// The bytes that it stores under a number.
    static func body(_ number: Int, byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for index in 0..<(byteCount / 8) {
            withUnsafeBytes(of: (UInt64(number) << 32 | UInt64(index)).littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
