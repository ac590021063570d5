// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
package import Runs
import Texts

/// The library that is loaded into a process in front of its allocator, and records who allocates.
package struct RecorderLibrary: Hashable, Sendable {
    /// Its file name, beside the command.
    package static let fileName = Recording.library
    /// The variable that tells it where to write; without it, it does nothing.
    static let folderVariable = "FETCHBENCH_RECORDER_FOLDER"
    /// What separates libraries in `LD_PRELOAD`, which knows no escape.
    private static let separators: Set<Character> = [" ", ":", "\t", "\n"]

    /// Its path.
    package let path: String

    /// Finds it beside a harness.
    /// - Throws: ``FetchBenchError/noRecorder(reason:)`` where it is not there, or has a path that cannot be preloaded.
    package init(beside harness: String) throws(FetchBenchError) {
        path = PathText.folder(of: harness) + "/" + Self.fileName
        guard access(path, R_OK) == 0 else {
            throw .noRecorder(reason: "\(Self.fileName) is not beside the command; `swift build -c release` builds it")
        }
        guard Self.canBePreloaded(path) else {
            throw .noRecorder(
                reason: "the folder of the command has a space or a colon in its path, which LD_PRELOAD cannot name; "
                    + "move it")
        }
    }

    /// Whether a path can be named in `LD_PRELOAD`.
    static func canBePreloaded(_ path: String) -> Bool {
        !path.contains { separators.contains($0) }
    }

    /// What a process has in its environment to be recorded.
    /// - Parameter library: the allocator's, which is loaded behind the recorder, or `nil` for the C library's.
    func variables(before library: String?, recordingTo folder: String) -> [String: String] {
        [
            "LD_PRELOAD": [path, library].compactMap(\.self).joined(separator: ":"),
            Self.folderVariable: folder,
        ]
    }
}
