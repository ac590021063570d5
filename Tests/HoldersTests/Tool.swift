// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that knows a format better than these tests do.
enum Tool {
    /// What a program said.
    struct Answer {
        let status: Int32
        let output: [UInt8]
        let complaint: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Why a format could not be checked; a test that meets it fails.
    struct Missing: Error, CustomStringConvertible {
        let program: String
        let package: String
        var description: String {
            "\(program) is missing: install the Debian package \(package) (scripts/install-dependencies --test)"
        }
    }

    /// The folder with the schemas of formats.
    static let schemas = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Schema")

    /// Unpacks what gzip compressed.
    static func gunzip(_ bytes: [UInt8]) throws -> Answer {
        try withFile(bytes) { try run("/usr/bin/gzip", package: "gzip", ["--decompress", "--stdout"], input: $0) }
    }

    /// Reads a message by the schema of profile.proto, and writes it as text.
    static func protoc(_ message: [UInt8]) throws -> Answer {
        try withFile(message) { file in
            try run(
                "/usr/bin/protoc", package: "protobuf-compiler",
                ["--decode=perftools.profiles.Profile", "--proto_path=\(schemas.path)", "profile.proto"], input: file)
        }
    }

    /// Runs one of the programs beside the schemas on texts: its complaints, one a line.
    static func complaints(of program: String, about texts: [String]) throws -> [String] {
        let lines = texts.map { $0.last == "\n" ? $0 : $0 + "\n" }.joined()
        let answer = try withFile(Array(lines.utf8)) { file in
            try run(
                "/usr/bin/python3", package: "python3", ["-B", schemas.appending(path: program).path, file.path],
                input: nil)
        }
        guard answer.status != 77 else { throw Missing(program: "Python's jsonschema", package: "python3-jsonschema") }
        struct Failed: Error { let complaint: String }
        guard answer.status == 0 else { throw Failed(complaint: answer.complaint) }
        return answer.text.split(separator: "\n").map(String.init)
    }

    private static func withFile(_ bytes: [UInt8], _ body: (URL) throws -> Answer) throws -> Answer {
        let file = FileManager.default.temporaryDirectory.appending(path: "holders-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file)
    }

    private static func run(
        _ path: String, package: String, _ arguments: [String], input: URL?
    ) throws -> Answer {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(program: path, package: package)
        }
        let process = Process()
        let (output, complaint) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus, output: Array(said),
            complaint: String(decoding: complained, as: UTF8.self))
    }
}
