// SPDX-License-Identifier: Apache-2.0

import Foundation
import Profiles
import Texts

/// The library that records who allocates, where it can be found.
package struct RecorderFile: Hashable, Sendable {
    static let variable = "FETCHBENCH_RECORDER"
    /// Tells it where to write; without it, it does nothing.
    private static let folderVariable = "FETCHBENCH_RECORDER_FOLDER"

    package let path: String

    /// Why there is none.
    package struct Missing: Error, Hashable {
        package let reason: String
    }

    static func find() throws(Missing) -> RecorderFile {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try find(
            environment: ProcessInfo.processInfo.environment, program: program,
            isThere: { FileManager.default.isReadableFile(atPath: $0) })
    }

    /// Looks where the variable says, beside the tests, and beside a fetchbench of `PATH` or in its `../lib/fetchbench`.
    /// - Parameter program: the path of the program that runs the tests.
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
                reason: "\(name) is neither beside the tests nor beside a fetchbench in PATH; build fetchbench with "
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

    /// Has it loaded into a process in front of what is loaded there already.
    func load(into environment: inout [String: String], recordingTo folder: String) {
        let others = environment["LD_PRELOAD"].map { ":" + $0 } ?? ""
        environment["LD_PRELOAD"] = path + others
        environment[Self.folderVariable] = folder
    }
}
