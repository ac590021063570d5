// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import OperatingSystem

/// What stops the harness; a failed trial does not.
package enum FetchBenchError: Error, Hashable, Sendable {
    /// The embedded origin did not print its address.
    case originDidNotStart
    /// A run folder of that name exists.
    case runExists(name: String)
    /// A file or folder cannot be written or read.
    case file(FileFailure)
    /// The file is no run, or not one that was written whole.
    case malformedRun(name: String, reason: String)
    /// The run has a schema that this version does not know.
    case unsupportedSchema(found: Int, supported: Int)
    /// A run to be resumed was finished already.
    case runFinished(name: String)
    /// A folder holds another kind of session than the command works on.
    case otherKindOfRun(name: String, kind: RunRecord.Kind)
    /// The other programs or commands than those of the interrupted comparison were named.
    case otherSides(name: String, side: Side)
    /// A format has nothing to draw in a run.
    case nothingToDraw(name: String, reason: String)
    /// A run to be resumed is being measured by another process.
    case runIsGoingOn(name: String)
    /// A run to be resumed was measured on another machine, or by another build.
    case runIsOfAnotherPlace(name: String, differences: [String])
    /// There is too little room for what the run would write.
    case diskFull(needed: ByteCount, available: ByteCount, place: String)
    /// A suite file has a mistake.
    case malformedSuite(name: String, reason: String)
    /// A baseline file has a mistake.
    case malformedBaseline(path: String, reason: String)
    /// A line of a history file is no point.
    case malformedHistory(line: Int, reason: String)
    /// There is no baseline to compare with.
    case noBaseline(path: String)
    /// A trial program, or that of the probes, is there and cannot be used, or was named and is not there.
    case trialProgram(path: String, reason: String)
    /// There is no trial program at all.
    case noTrialPrograms(remedy: String)
    /// There is no trial program for a case.
    case noTrialProgram(cell: String)
    /// There is no folder in which assets can be kept.
    case noCache(reason: String)
    /// What records allocations is not there, or cannot be used.
    case noRecorder(reason: String)
    /// It cannot be found out who holds the peak of a case.
    case notExplainable(subject: String, reason: String)
    /// The kernel could not be read.
    case memory(MemProbeError)
}

extension FetchBenchError {
    /// Does what uses files, and tells what the kernel says of them as an error of the harness.
    package static func onFiles<Value>(_ work: () throws(FileFailure) -> Value) throws(FetchBenchError) -> Value {
        do throws(FileFailure) {
            return try work()
        } catch {
            throw .file(error)
        }
    }
}
