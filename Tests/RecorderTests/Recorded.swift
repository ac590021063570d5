// SPDX-License-Identifier: Apache-2.0

import Foundation
import Holders
import Support
import Testing

/// A program that ran with the recorder in front of its allocator.
struct Recorded {
    /// What stands behind the recorder.
    enum Allocator: String, CaseIterable, CustomTestStringConvertible {
        case glibc, jemalloc

        var testDescription: String { rawValue }
        var library: String? { self == .jemalloc ? "libjemalloc.so.2" : nil }
    }

    /// The folder of the built programs, the test's own among them.
    static let products = URL(
        fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    ).deletingLastPathComponent().path
    static let fixture = products + "/allocation-fixture"

    /// All of its processes, the one that held most first.
    let entries: [RecordingFolder.Entry]

    /// Runs a program to its end.
    init(_ program: String, _ arguments: [String], on allocator: Allocator = .glibc) async throws {
        entries = try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            let libraries = [Self.products + "/" + Recording.library, allocator.library].compactMap(\.self)
            let child = ChildProcess(
                executable: program, name: "recorded", arguments: arguments,
                environment: [
                    "LD_PRELOAD": libraries.joined(separator: ":"), "FETCHBENCH_RECORDER_FOLDER": folder,
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                ],
                directory: folder, limit: .seconds(300))
            let (end, _) = try await child.output(limitedTo: 1 << 20)
            #expect(end.ending == .exited(0))
            return try RecordingFolder(path: folder).entries()
        }
    }

    /// The profile of the process that held most, with names.
    func profile() throws -> HolderProfile {
        let entry = try #require(entries.first)
        return ProfileBuilder(peak: entry.peak, baseline: entry.baseline).profile(
            of: "fixture", allocator: "", explainedPeak: entry.peak.highest - entry.peak.ownBytes, plainPeak: nil,
            symbols: .runtime)
    }
}

extension HolderProfile {
    /// What is held by stacks through a line of a file.
    func bytes(through file: String, _ line: Int, _ function: String, state: Holder.State = .live) -> Int {
        holders.filter { holder in
            holder.state == state
                && holder.stack.contains { place in
                    let frame = frames[place]
                    return frame.file == file && frame.line == line && frame.function.contains(function)
                }
        }.reduce(0) { $0 + $1.bytes }
    }
}

/// The lines of the fixture that allocate, by the words behind `planted:`.
enum PlantedLine {
    static let file = "main.swift"

    static func number(_ name: String, testFile: String = #filePath) throws -> Int {
        let source = URL(fileURLWithPath: testFile).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("AllocationFixture/main.swift")
        let lines = try String(contentsOf: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.hasSuffix("// planted: \(name)") }) + 1
    }
}
