// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import Texts

/// The path of the library that records allocations.
package struct RecorderFile: Hashable, Sendable {
    static let variable = "FETCHBENCH_RECORDER"
    /// The variable for the folder to write to, without which the recorder does nothing.
    private static let folderVariable = "FETCHBENCH_RECORDER_FOLDER"

    package let path: String

    /// The reason why it was not found.
    package struct Missing: Error, Hashable {
        package let reason: String
    }

    static func find() throws(Missing) -> RecorderFile {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try find(
            environment: ProcessInfo.processInfo.environment, program: program,
            isThere: { FileManager.default.isReadableFile(atPath: $0) })
    }

    /// Searches the variable, the folder of `program`, and each fetchbench of `PATH` with its `../lib/fetchbench`.
    package static func find(
        environment: [String: String], program: String?, isThere: (String) -> Bool
    ) throws(Missing) -> RecorderFile {
        let name = Recording.library
        if let said = environment[variable], !said.isEmpty {
            guard isThere(said) else { throw Missing(reason: "\(variable) names \(said), which cannot be read") }
            return try RecorderFile(loading: said)
        }
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let beside = program.map { [PathText.folder(of: $0) + "/" + name] } ?? []
        let installed = folders.filter { isThere($0 + "/fetchbench") }.flatMap {
            [$0 + "/" + name, PathText.folder(of: $0) + "/lib/fetchbench/" + name]
        }
        guard let found = (beside + installed).first(where: isThere) else {
            throw Missing(
                reason: "\(name) is neither next to the tests nor next to a fetchbench on PATH; build fetchbench with "
                    + "`swift build -c release --product AllocationRecorder` and name the library's path in \(variable)"
            )
        }
        return try RecorderFile(loading: found)
    }

    private init(loading path: String) throws(Missing) {
        guard !path.contains(where: { " :\t\n".contains($0) }) else {
            throw Missing(reason: "\(path) has a space or a colon, which LD_PRELOAD cannot name")
        }
        self.path = path
    }

    /// Makes a process load it before all other preloaded libraries.
    func load(into environment: inout [String: String], recordingTo folder: String) {
        let others = environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
        environment["LD_PRELOAD"] = path + others
        environment[Self.folderVariable] = folder
    }
}
