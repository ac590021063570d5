// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import OperatingSystem

/// An error that stops the harness, unlike a failed trial.
package enum FetchBenchError: Error, Hashable, Sendable {
    case originDidNotStart
    case originEnded(reason: String)
    case runExists(name: String)
    case file(FileFailure)
    case malformedRun(name: String, reason: String)
    case unsupportedSchema(found: Int, supported: Int)
    case runFinished(name: String)
    case otherKindOfRun(name: String, kind: RunRecord.Kind)
    /// The named programs or commands differ from those of the interrupted comparison.
    case otherSides(name: String, side: Side)
    /// The run does not belong to those that it is to be merged with.
    case notMergeable(name: String, reason: String)
    case nothingToDraw(name: String, reason: String)
    case runIsGoingOn(name: String)
    case runIsOfAnotherPlace(name: String, differences: [String])
    /// The file system lacks room for the run.
    case diskFull(needed: ByteCount, available: ByteCount, place: String)
    case malformedSuite(name: String, reason: String)
    case malformedPlan(name: String, reason: String)
    case malformedBaseline(path: String, reason: String)
    case malformedHistory(line: Int, reason: String)
    case noBaseline(path: String)
    case trialProgram(path: String, reason: String)
    case noTrialPrograms(remedy: String)
    case noTrialProgram(cell: String)
    case noCache(reason: String)
    /// No folder on another file system can be used as a destination of files.
    case noDestination(reason: String)
    /// Trials cannot have control groups of their own.
    case noControlGroup(reason: String, remedy: String)
    /// A foreign URL has no body that trials could be compared with.
    case noReference(location: String, reason: String)
    case noRecorder(reason: String)
    /// The holders of the case's peak cannot be determined.
    case notExplainable(subject: String, reason: String)
    /// The kernel's readings are not available.
    case memory(MemProbeError)
}

extension FetchBenchError {
    /// True if the same command may succeed at the next attempt, or on another machine.
    package var isTemporary: Bool {
        switch self {
        case .originDidNotStart, .originEnded, .runIsGoingOn, .diskFull, .noReference, .noCache: true
        case .file(let failure): failure.isTemporary
        default: false
        }
    }

    package static func onFiles<Value>(_ work: () throws(FileFailure) -> Value) throws(FetchBenchError) -> Value {
        do throws(FileFailure) {
            return try work()
        } catch {
            throw .file(error)
        }
    }
}
