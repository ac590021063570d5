// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A program that knows a format better than these tests do.
enum Tool {
    /// The folder with the schemas of formats.
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
