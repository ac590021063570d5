// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import TrialKit

/// Asks a program what it can do.
struct ProgramQuery: Sendable {
    /// How much a description may have; a real one has a few kilobytes.
    private static let outputLimit = 1 << 20
    private static let complaintLimit = 400

    /// The program.
    let path: String
    /// What builds its environment.
    let variables: TrialVariables
    /// On which allocator it is asked.
    var allocator = AllocatorArm.glibc
    /// How long it may take: a real one takes milliseconds.
    var timeout = Duration.seconds(10)

    /// What it answered.
    /// - Throws: ``FetchBenchError/trialProgram(path:reason:)`` where it cannot be started, does not answer in time,
    ///   says something else, or speaks another protocol.
    func answer() async throws(FetchBenchError) -> ProgramDescription {
        try checkFile()
        let ended: (end: ChildProcess.End, output: [UInt8], complaint: String)
        do {
            ended = try await asked()
        } catch {
            throw refusal("it could not be asked: \(error)")
        }
        do throws(DescriptionMistake) {
            try check(ended.end.ending, complaint: ended.complaint)
            return try ProgramDescription(checking: ended.output)
        } catch {
            throw refusal(error.reason)
        }
    }

    private func checkFile() throws(FetchBenchError) {
        var isFolder = ObjCBool(false)
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw refusal("it is not there")
        }
        guard !isFolder.boolValue else { throw refusal("it is a folder") }
        guard FileManager.default.isExecutableFile(atPath: path) else { throw refusal("it cannot be executed") }
    }

    private func asked() async throws -> (end: ChildProcess.End, output: [UInt8], complaint: String) {
        try await TemporaryFolder.with(in: NSTemporaryDirectory()) { folder in
            let complaints = folder + "/stderr"
            let child = ChildProcess(
                executable: path, name: "trial", arguments: ["--describe"],
                environment: variables.environment(for: allocator, directory: "/tmp"), limit: timeout)
            let (end, output) = try await child.output(
                complainingTo: complaints, limitedTo: Self.outputLimit)
            let text = (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? ""
            return (end, output, LastWords.reason(in: text, limit: Self.complaintLimit))
        }
    }

    /// Refuses what did not end by itself with status 0.
    private func check(_ ending: Ending, complaint: String) throws(DescriptionMistake) {
        let words = complaint.isEmpty ? "" : ": \(complaint)"
        switch ending {
        case .exited(0): return
        case .killedAtLimit: throw DescriptionMistake("it did not describe itself within \(timeout)")
        case .notStarted(let reason): throw DescriptionMistake("it could not be asked: \(reason)")
        case .wroteTooMuch(let limit): throw DescriptionMistake("its description has more than \(limit) bytes")
        case .exited(let status):
            throw DescriptionMistake(
                "it does not describe itself as a trial program does, and ends with status \(status)\(words)")
        case .signalled(let signal):
            throw DescriptionMistake(
                "it crashed when it was asked what it can do: signal \(signal) "
                    + "(\(SignalName.text(of: Int32(signal))))\(words)")
        case .killedOverMemory: throw DescriptionMistake("it was killed for its memory")
        }
    }

    private func refusal(_ reason: String) -> FetchBenchError {
        .trialProgram(path: path, reason: reason)
    }
}
