// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder that looks like `/proc`, with recorded files, removed at the end of the test.
final class FakeProc {
    let root: String

    /// Makes the folder of one process.
    init(process: String = "self", files: [String: String]) throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("memprobe-\(UUID().uuidString)").path
        folder = "\(root)/\(process)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in files {
            try write(text, to: name)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    private let folder: String

    /// Writes a file in place, so that descriptors kept open see the new text.
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    /// Reads a file back.
    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
}
