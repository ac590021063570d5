// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that knows a format better than these tests do.
enum Tool {
    /// What a program said.
    struct Answer {
        let status: Int32
        let output: String
        let complaint: String
    }

    /// Why a format could not be checked; a test that meets it fails.
    struct Missing: Error, CustomStringConvertible {
        let program: String
        let package: String
        var description: String {
            "\(program) is missing: install the Debian package \(package) (scripts/install-dependencies --test)"
        }
    }

    /// Runs `xmllint` on documents, with the schema of these tests or with other arguments.
    static func xmllint(_ documents: [String], _ arguments: [String]? = nil) throws -> Answer {
        let schema = TestFolder.url.appending(path: "Schema/junit.xsd").path
        return try withFiles(documents) { files in
            try run(
                "/usr/bin/xmllint", package: "libxml2-utils",
                (arguments ?? ["--noout", "--nonet", "--schema", schema]) + files)
        }
    }

    /// Runs a Python program that needs a module of a Debian package.
    ///
    /// In `sys.argv` the names of files that hold the texts follow the arguments.
    static func python(
        _ program: String, module: String, package: String, _ arguments: [String] = [], on texts: [String]
    ) throws -> Answer {
        let interpreter = "/usr/bin/python3"
        // The exit status of a missing module is one that no program here ends with.
        let probe = "import sys\ntry:\n    import \(module)\nexcept ImportError:\n    sys.exit(77)\n"
        let answer = try withFiles(texts) { files in
            try run(interpreter, package: "python3", ["-c", probe + program] + arguments + files)
        }
        guard answer.status != 77 else { throw Missing(program: "Python's \(module)", package: package) }
        return answer
    }

    private static func withFiles(_ texts: [String], _ body: ([String]) throws -> Answer) throws -> Answer {
        let folder = FileManager.default.temporaryDirectory.appending(path: "judgement-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = texts.indices.map { folder.appending(path: "\($0)") }
        for (file, text) in zip(files, texts) { try Data(text.utf8).write(to: file) }
        return try body(files.map(\.path))
    }

    private static func run(_ path: String, package: String, _ arguments: [String]) throws -> Answer {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(program: path, package: package)
        }
        let process = Process()
        let (output, complaint) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
            complaint: String(decoding: complained, as: UTF8.self))
    }
}
