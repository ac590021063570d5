// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import OperatingSystem
import Profiles
import Testing

/// A program that ran with the recorder in front of its allocator.
struct Recorded {
    enum Allocator: String, CaseIterable, CustomTestStringConvertible {
        case glibc, jemalloc

        var testDescription: String { rawValue }
        var library: String? { self == .jemalloc ? "libjemalloc.so.2" : nil }
    }

    /// The folder of the built programs, the test's own among them.
    static let products = URL(
        fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    ).deletingLastPathComponent().path
    static let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? ""
    static let fixture = products + "/allocation-fixture"

    /// All of its processes, the one that held most first.
    let entries: [RecordingFolder.Entry]
    let output: String

    init(_ program: String, _ arguments: [String], on allocator: Allocator = .glibc) async throws {
        let (ending, output, entries) = try await Self.run(program, arguments, on: allocator)
        #expect(ending == .exited(0))
        self.output = output
        self.entries = try entries.get()
    }

    static func run(
        _ program: String, _ arguments: [String], on allocator: Allocator = .glibc
    ) async throws -> (Ending, String, Result<[RecordingFolder.Entry], any Error>) {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            let libraries = [Self.products + "/" + Recording.library, allocator.library].compactMap(\.self)
            let child = ChildLaunch(
                executable: program, name: "recorded", arguments: arguments,
                environment: [
                    "LD_PRELOAD": libraries.joined(separator: ":"), "FETCHBENCH_RECORDER_FOLDER": folder,
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                ],
                directory: folder, limit: .seconds(100), outputLimit: 1 << 20)
            let end = try await child.run()
            let entries = Result { try RecordingFolder(path: folder).entries() }
            return (end.ending, String(decoding: end.output, as: UTF8.self), entries)
        }
    }

    func profile() async throws -> HolderProfile {
        let entry = try #require(entries.first)
        return await ProfileBuilder(peak: entry.peak, baseline: entry.baseline).named(
            by: Symbolizer(searchPath: Self.searchPath)
        ).profile(
            of: "fixture", allocator: "", explainedPeak: entry.peak.highest - entry.peak.ownBytes, plainPeak: nil)
    }
}

enum CompiledProgram {
    static func with<Value>(
        _ source: String, compiler: String = "/usr/bin/gcc", suffix: String = "c",
        options: [String] = ["-O1", "-fno-builtin", "-w", "-lpthread"], _ body: (_ path: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            try source.write(toFile: "\(folder)/program.\(suffix)", atomically: true, encoding: .utf8)
            let compiling = ChildLaunch(
                executable: compiler, arguments: ["\(folder)/program.\(suffix)", "-o", "\(folder)/program"] + options,
                environment: ["PATH": "/usr/bin:/bin", "HOME": folder], directory: folder, limit: .seconds(100))
            #expect(try await compiling.run().ending == .exited(0))
            return try await body("\(folder)/program")
        }
    }
}

extension HolderProfile {
    func bytes(through function: String) -> Int {
        holders.filter { holder in
            holder.state == .live && holder.stack.contains { frames[$0].function == function }
        }.reduce(0) { $0 + $1.bytes }
    }

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

enum PlantedLine {
    static let file = "main.swift"

    static func number(_ name: String, testFile: String = #filePath) throws -> Int {
        let source = URL(fileURLWithPath: testFile).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("AllocationFixture/main.swift")
        let lines = try String(contentsOf: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.hasSuffix("// planted: \(name)") }) + 1
    }
}
