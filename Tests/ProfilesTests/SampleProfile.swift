// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import TestSupport

/// Profiles whose every figure is fixed.
enum SampleProfile {
    static let mebibyte = 1 << 20

    static func frame(_ function: String, _ file: String? = nil, _ line: Int? = nil, isInlined: Bool = false)
        -> HolderFrame
    {
        HolderFrame(
            function: function, module: file == nil ? "libsystem.so" : "program", file: file, line: line,
            isInlined: isInlined, isSystem: file == nil)
    }

    static let main = frame("main", "main.swift", 1)
    static let decode = frame("Fixture.Decoder.decode(Foundation.Data) throws -> [Swift.UInt8]", "Decoder.swift", 41)
    static let helper = frame("Fixture.(grow in _0A1B)(by: Swift.Int) -> ()", "Decoder.swift", 60, isInlined: true)
    static let allocate = frame("swift_allocObject")

    struct Stack {
        var frames: [HolderFrame]
        var bytes: Int
        var blockCount = 1
        var state = Holder.State.live
        var isEstimate = false
    }

    /// A profile of these stacks; the remainder is unattributed.
    static func profile(
        _ stacks: [Stack], residues: [Residue] = [], unattributed: Int = 0, subject: String = "data 64MiB",
        plainPeak: Int? = nil, lostCount: Int = 0
    ) -> HolderProfile {
        var frames: [HolderFrame] = []
        let holders = stacks.map { stack in
            let places = stack.frames.map { frame in
                if let place = frames.firstIndex(of: frame) { return place }
                frames.append(frame)
                return frames.count - 1
            }
            return Holder(
                stack: places, bytes: stack.bytes, blockCount: stack.blockCount, isEstimate: stack.isEstimate,
                state: stack.state)
        }
        let peak = stacks.reduce(0) { $0 + $1.bytes } + residues.reduce(0) { $0 + $1.bytes } + unattributed
        return HolderProfile(
            subject: subject, allocator: "glibc", explainedPeak: peak, plainPeak: plainPeak, frames: frames,
            holders: holders, residues: residues,
            recorder: HolderProfile.RecorderAccount(
                ownBytes: 3 * mebibyte, allocationCount: 4116, stackCount: 512, captureCount: 7, lostCount: lostCount,
                nanoseconds: 12_500_000))
    }

    /// Every kind of row: all states, an estimate, negative rows, inlined functions, recursion, every residue.
    static let complete = profile(
        [
            Stack(frames: [allocate, helper, decode, main], bytes: 16 * mebibyte),
            Stack(frames: [allocate, decode, decode, main], bytes: 8 * mebibyte, blockCount: 2, state: .reallocated),
            Stack(frames: [frame("realloc"), frame("__CFDataGrow"), main], bytes: 4 * mebibyte, state: .freed),
            Stack(frames: [allocate, main], bytes: 65_536, blockCount: 100, isEstimate: true),
            Stack(frames: [helper], bytes: 4096),
            Stack(frames: [decode, main], bytes: -mebibyte),
        ],
        residues: Residue.Kind.allCases.enumerated().map { Residue($1, bytes: ($0 + 1) * 100_000) }
            + [Residue(.files, name: "libc.so.6", bytes: 300_000), Residue(.stacks, name: "worker", bytes: -5000)],
        unattributed: -12_345)

    static let empty = profile([])

    /// Names that some format would take for its own.
    static let hostileNames = [
        "a;b", "line\nbreak 12", "block 3", "# remark", "", " ", "\u{1B}[31mred", "<script>alert(1)</script>",
        "a|b`c*_[x](y)", "\u{202E}evil", "nul\u{0}byte", ";\u{301}", "\"quoted\\", "日本語 💣", "operator<", "((((", "))",
        "closure in ", "a in b in ", "<<<>>>", "(extension in X):", " : ", "closure #1 in ", "x -> y",
        "f(a: b, c) -> d",
    ]

    static func hostile(_ name: String) -> HolderProfile {
        let frame = HolderFrame(function: name, module: name, file: name, line: 7)
        let system = HolderFrame(function: name + "2", module: name, isSystem: true)
        return profile(
            [
                Stack(frames: [system, frame], bytes: 5 * mebibyte), Stack(frames: [frame], bytes: -mebibyte),
                Stack(frames: [], bytes: 3 * mebibyte, state: .freed),
            ], residues: [Residue(.files, name: name, bytes: mebibyte)], unattributed: 5, subject: name)
    }
}

/// A program that knows a format better than these tests do.
enum Tool {
    static let schemas = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Schema")

    /// Unpacks what gzip compressed.
    static func gunzip(_ bytes: [UInt8]) throws -> EndedProcess {
        try TestProcess.tool("/usr/bin/gzip", of: "gzip", ["--decompress", "--stdout"], input: bytes)
    }

    /// Reads a message by the schema of profile.proto, and writes it as text.
    static func protoc(_ message: [UInt8]) throws -> EndedProcess {
        try TestProcess.tool(
            "/usr/bin/protoc", of: "protobuf-compiler",
            ["--decode=perftools.profiles.Profile", "--proto_path=\(schemas.path)", "profile.proto"], input: message)
    }

    /// Runs one of the programs beside the schemas on texts: its complaints, one a line.
    static func complaints(of program: String, about texts: [String]) throws -> [String] {
        let lines = texts.map { $0.last == "\n" ? $0 : $0 + "\n" }.joined()
        let answer = try withFile(Array(lines.utf8)) { file in
            try TestProcess.tool(
                "/usr/bin/python3", of: "python3", ["-B", schemas.appending(path: program).path, file.path])
        }
        guard answer.status != 77 else { throw MissingTool("Python's jsonschema", in: "python3-jsonschema") }
        struct Failed: Error { let complaint: String }
        guard answer.status == 0 else { throw Failed(complaint: answer.complaint) }
        return answer.text.split(separator: "\n").map(String.init)
    }

    private static func withFile(_ bytes: [UInt8], _ body: (URL) throws -> EndedProcess) throws -> EndedProcess {
        let file = FileManager.default.temporaryDirectory.appending(path: "holders-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file)
    }
}
