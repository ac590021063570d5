// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A copy of the fixture and of every library that it maps, in a folder of its own.
///
/// The kernel divides a page among the processes that map it. No other process maps these files, so none that starts
/// or ends beside a test changes whose pages they are.
final class PrivateFixture {
    private let folder: URL
    private let loader: String

    init() throws {
        let original = try FixtureProcess(["hold", "4096"])
        _ = original.readAnswers(through: "anonymous")
        // Foundation reads a file by its length, which is 0 here: the whole of it comes through a handle alone.
        let handle = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(original.identifier)/maps"))
        let lines = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        let files = Set(lines.compactMap { $0.firstIndex(of: "/").map($0.suffix(from:)) })
        folder = FileManager.default.temporaryDirectory.appending(path: "memprobe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for file in files {
            let source = URL(filePath: String(file))
            try FileManager.default.copyItem(at: source, to: folder.appending(path: source.lastPathComponent))
        }
        guard let loader = files.first(where: { $0.contains("/ld-") }) else {
            throw FixtureFailure(words: ["no loader among its files"], status: 0, answers: [:])
        }
        self.loader = folder.appending(path: URL(filePath: String(loader)).lastPathComponent).path
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a command to its end.
    func run(_ words: String...) throws -> Fixture.Answers {
        let program = folder.appending(path: "memprobe-fixture").path
        let command = [loader, "--library-path", folder.path, program] + words
        return try Fixture.answers(of: FixtureProcess(command: command), to: words)
    }
}
