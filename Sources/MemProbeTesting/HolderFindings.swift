// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Profiles
import Texts

/// The holders of a recorded process's peak, as a table and as a file for pprof.
struct HolderFindings: Sendable {
    let table: String
    let pprof: [UInt8]

    struct Missing: Error {
        let reason: String
    }

    /// Evaluates the recordings, with the growth of the recorded process and of a plain one.
    init(
        of test: String, allocator: String, _ recordings: Result<[RecordingFolder.Entry], any Error>,
        recorded: PeakGrowth, plain: PeakGrowth?
    ) async throws(Missing) {
        let entries: [RecordingFolder.Entry]
        do {
            entries = try recordings.get()
        } catch {
            throw Missing(reason: "the recording cannot be used: \(error)")
        }
        // Of all processes that a test starts, only its own knows where growth begins.
        guard let entry = RecordingFolder.first(of: entries) else {
            throw Missing(reason: "the recorder did not see where growth begins")
        }
        let profile = await ProfileBuilder(peak: entry.peak, baseline: entry.baseline).named(
            by: Symbolizer(searchPath: ProcessInfo.processInfo.environment["PATH"])
        ).profile(
            of: test, allocator: allocator, explainedPeak: Self.whole(recorded), plainPeak: plain.map(Self.whole))
        table = HolderTable(profile).plain
        do {
            guard let format = ProfileFormats.named("pprof") else { throw Missing(reason: "format pprof is missing") }
            pprof = try format.bytes(of: profile)
        } catch {
            throw Missing(reason: "\(error)")
        }
    }

    /// Returns the growth with program pages, because the table lists them.
    private static func whole(_ growth: PeakGrowth) -> Int { (growth.peak.resident - growth.start).rawValue }
}

/// The path of the library that records allocations.
package struct RecorderFile: Hashable, Sendable {
    static let variable = "FETCHBENCH_RECORDER"

    package let path: String

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
        guard Recording.canBePreloaded(path) else {
            throw Missing(reason: "\(path) has a space or a colon, which LD_PRELOAD cannot name")
        }
        self.path = path
    }

    /// Makes a process load it before all other preloaded libraries.
    func load(into environment: inout [String: String], recordingTo folder: String) {
        let variables = Recording.variables(loading: path, before: environment["LD_PRELOAD"], recordingTo: folder)
        environment.merge(variables) { $1 }
    }
}
