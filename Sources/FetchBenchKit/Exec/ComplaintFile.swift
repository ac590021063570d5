// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support

/// The file that gets what a command says on standard error, of which the end alone is of use.
package struct ComplaintFile: Sendable {
    /// How much of the end is kept, in bytes.
    package static let kept = 65_536
    /// With more blocks than this, in bytes, it is trimmed.
    private static let most = 1 << 20
    /// How often it is looked at whether there is more.
    private static let interval = Duration.milliseconds(500)
    /// How much of the end is repeated, in characters.
    private static let wordLimit = 400

    /// The path of the file.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Does `body`, and gives back to the disk what is written meanwhile and of no use: a command may complain without end.
    func bounded<Value>(_ body: () async throws -> Value) async throws -> Value {
        let keeper = Task { while (try? await Task.sleep(for: Self.interval)) != nil { trim() } }
        defer { keeper.cancel() }
        return try await body()
    }

    /// Takes the blocks of all but the end away where there are many, and nothing of its length: whoever writes goes on
    /// where he is, behind what is a hole then.
    package func trim() {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var information = stat()
        guard fstat(file, &information) == 0, Int(information.st_blocks) * 512 > Self.most else { return }
        let start = max(0, information.st_size - Self.kept)
        var end = [UInt8](repeating: 0, count: Self.kept)
        let count = pread(file, &end, end.count, start)
        guard count > 0, ftruncate(file, 0) == 0 else { return }
        // Not by its length: what was written since must stay.
        _ = pwrite(file, end, count, start)
    }

    /// Why the command ended, as far as it said so: see ``LastWords``.
    package var lastWords: String {
        guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd() else { return "" }
        defer { try? file.close() }
        let limit = UInt64(Self.kept)
        guard (try? file.seek(toOffset: size > limit ? size - limit : 0)) != nil, let end = try? file.readToEnd() else {
            return ""
        }
        return LastWords.reason(in: String(decoding: end, as: UTF8.self), limit: Self.wordLimit)
    }
}
