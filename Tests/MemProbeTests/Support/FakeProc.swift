// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A folder that looks like `/proc`, with recorded files, removed at the end of the test.
final class FakeProc {
    let root: String

    init(process: String = "self", files: [String: String]) throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("memprobe-\(UUID().uuidString)").path
        folder = "\(root)/\(process)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private let folder: String

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
}

/// The files of `/proc/PID` in the format of one kernel, by their names: `Recordings/KERNEL`.
struct Recording: CustomTestStringConvertible {
    static let linux3x10 = Recording(kernel: "3.10")
    static let linux4x4 = Recording(kernel: "4.4")
    static let linux4x18 = Recording(kernel: "4.18")
    static let linux5x10 = Recording(kernel: "5.10")
    static let linux6x1 = Recording(kernel: "6.1")
    static let linux6x18 = Recording(kernel: "6.18")

    let kernel: String
    let files: [String: String]

    private init(kernel: String) {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Recordings/\(kernel)").path
        self.kernel = kernel
        files = ["statm", "status", "stat", "smaps_rollup"].reduce(into: [:]) { files, name in
            files[name] = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        }
    }

    var statm: String { files["statm"] ?? "" }
    var status: String { files["status"] ?? "" }
    var stat: String { files["stat"] ?? "" }
    /// Kernels before 4.14 have none.
    var smapsRollup: String? { files["smaps_rollup"] }

    var testDescription: String { kernel }
}
