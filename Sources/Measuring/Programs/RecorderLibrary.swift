// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
package import Runs
import Texts

/// The preloaded library that records allocations.
package struct RecorderLibrary: Hashable, Sendable {
    /// The file name, beside the command.
    package static let fileName = Recording.library
    /// The variable with the output folder; without it, the library does nothing.
    static let folderVariable = "FETCHBENCH_RECORDER_FOLDER"
    /// The separators of libraries in `LD_PRELOAD`, which has no escape.
    private static let separators: Set<Character> = [" ", ":", "\t", "\n"]

    package let path: String

    /// Finds the library beside a harness.
    /// - Throws: ``FetchBenchError/noRecorder(reason:)`` if it is missing or its path cannot be preloaded.
    package init(beside harness: String) throws(FetchBenchError) {
        path = PathText.folder(of: harness) + "/" + Self.fileName
        guard access(path, R_OK) == 0 else {
            throw .noRecorder(reason: "\(Self.fileName) is missing next to fetchbench; `make build` builds it")
        }
        guard Self.canBePreloaded(path) else {
            throw .noRecorder(
                reason: "the path of fetchbench contains a space or a colon, which LD_PRELOAD cannot express; "
                    + "move it")
        }
    }

    /// True if `LD_PRELOAD` can name a path.
    static func canBePreloaded(_ path: String) -> Bool {
        !path.contains { separators.contains($0) }
    }

    /// Returns the variables of a recorded process; the allocator's library, if any, is loaded after the recorder.
    func variables(before library: String?, recordingTo folder: String) -> [String: String] {
        [
            "LD_PRELOAD": [path, library].compactMap(\.self).joined(separator: ":"),
            Self.folderVariable: folder,
        ]
    }
}
