// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

enum TestFolder {
    static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    static let project = url.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// A program that knows a format better than these tests do.
enum Tool {
    /// Runs `xmllint` on documents, with the schema of these tests or with other arguments.
    static func xmllint(_ documents: [String], _ arguments: [String]? = nil) throws -> EndedProcess {
        let schema = TestFolder.url.appending(path: "Schema/junit.xsd").path
        return try withFiles(documents) { files in
            try TestProcess.tool(
                "/usr/bin/xmllint", of: "libxml2-utils",
                (arguments ?? ["--noout", "--nonet", "--schema", schema]) + files)
        }
    }

    /// Runs a Python program that needs a module of a Debian package.
    ///
    /// In `sys.argv` the names of files that hold the texts follow the arguments.
    static func python(
        _ program: String, module: String, package: String, _ arguments: [String] = [], on texts: [String]
    ) throws -> EndedProcess {
        // The exit status of a missing module is one that no program here ends with.
        let probe = "import sys\ntry:\n    import \(module)\nexcept ImportError:\n    sys.exit(77)\n"
        let answer = try withFiles(texts) { files in
            try TestProcess.tool("/usr/bin/python3", of: "python3", ["-c", probe + program] + arguments + files)
        }
        guard answer.status != 77 else { throw MissingTool("Python's \(module)", in: package) }
        return answer
    }

    private static func withFiles(_ texts: [String], _ body: ([String]) throws -> EndedProcess) throws -> EndedProcess {
        let folder = FileManager.default.temporaryDirectory.appending(path: "judgement-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = texts.indices.map { folder.appending(path: "\($0)") }
        for (file, text) in zip(files, texts) { try Data(text.utf8).write(to: file) }
        return try body(files.map(\.path))
    }
}
