// SPDX-License-Identifier: Apache-2.0

import Glibc
import MemProbe
import OperatingSystem
import Origin
package import Runs
import Texts

package enum ExitStatus: Int32, Error {
    case done = 0
    /// Regressed or over budget.
    case red = 1
    /// No answer: the harness or trials failed, or the result is inconclusive.
    case noAnswer = 2
    /// Wrong usage; the argument parser uses it, too.
    case usage = 64
    /// A shard stopped because of a problem that may be gone at the next attempt (EX_TEMPFAIL of sysexits.h).
    case temporary = 75
    /// Stopped by a signal; what was measured is kept.
    case interrupted = 130

    package func exit() -> Never { Glibc.exit(rawValue) }
}

extension ExitStatus {
    /// The status by which an engine tries a shard again; `nil` for other runs, and for errors that stay.
    package static func ofShard(stoppedBy error: any Error, isShard: Bool) -> ExitStatus? {
        let isTemporary =
            (error as? FetchBenchError)?.isTemporary ?? (error as? FileFailure)?.isTemporary ?? (error is AssetError)
        return isShard && isTemporary ? .temporary : nil
    }
}

extension FetchBenchError {
    /// The message for users: what failed, why, and what to do.
    package var explanation: String {
        switch self {
        case .originDidNotStart:
            "the embedded origin did not start; `fetchbench serve` shows why"
        case .originEnded(let reason):
            "the embedded origin \(reason) during the run; its output is above. Stored trials are kept"
        case .runExists(let name):
            "a run named \(name) already exists and is not overwritten; choose another --output"
        case .file(.cannotWrite(let name, EEXIST)):
            "\(name) already exists and is not overwritten; choose another --output"
        case .file(.cannotWrite(let name, let number)):
            "\(name) cannot be written: \(FileFailure.reason(number)). \(Self.placeToWrite(name))"
        case .file(.cannotRead(let name, let number)):
            "\(name) cannot be read: \(FileFailure.reason(number))"
                + (Self.isOfRun(name) ? ". Give the folder of a run, such as results/20260101T120000Z-local" : "")
        case .malformedRun(let name, let reason):
            "\(name) is not a valid run: \(reason). Restore it from a copy, or measure again"
        case .unsupportedSchema(let found, let supported):
            "the run has schema \(found); this version of fetchbench reads \(supported). Use the version that wrote it"
        case .runFinished(let name):
            "run \(name) is complete: nothing to resume. `fetchbench report` prints it again"
        case .otherKindOfRun(let name, let kind):
            "\(name) is a \(kind.rawValue), which this command does not accept; `fetchbench \(kind.command) --resume` "
                + "finishes an interrupted one, `fetchbench report` prints it"
        case .otherSides(let name, let side):
            "\(name) was started with another \(side.rawValue), so its trials would not be comparable. Give the same one, "
                + "or start a new comparison"
        case .nothingToDraw(let name, let reason): "run \(name) has \(reason)"
        case .runIsGoingOn, .runIsOfAnotherPlace, .notMergeable, .diskFull:
            explanationOfThePlace
        case .malformedSuite, .malformedPlan, .malformedBaseline, .malformedHistory, .noBaseline:
            explanationOfAnInput
        case .trialProgram, .noTrialPrograms, .noTrialProgram, .noCache, .noDestination, .noControlGroup, .noReference,
            .noRecorder, .notExplainable, .memory:
            explanationOfWhatIsNoRun
        }
    }

    private var explanationOfThePlace: String {
        switch self {
        case .runIsGoingOn(let name):
            "run \(name) is in use by another process; wait until it has finished"
        case .runIsOfAnotherPlace(let name, let differences):
            "run \(name) cannot be resumed here, because its trials would not be comparable: "
                + differences.joined(separator: "; ") + ". Start a new run"
        case .notMergeable(let name, let reason): "\(name) cannot be merged: \(reason)"
        case .diskFull(let needed, let available, let place):
            "\(place) has room for \(ByteText.mebibytes(available)), and the run may need \(ByteText.mebibytes(needed)); "
                + "nothing was measured. Free space, or choose another place"
        default: "\(self)"
        }
    }

    private var explanationOfAnInput: String {
        switch self {
        case .malformedSuite(let name, let reason): "suite \(name): \(reason)"
        case .malformedPlan(let name, let reason):
            "plan \(SafeText.forTerminal(name)): \(reason). Write it again with `fetchbench plan`"
        case .malformedBaseline(let path, let reason):
            "invalid baseline \(SafeText.forTerminal(path)): \(reason). Write a new one with `fetchbench check --update`"
        case .malformedHistory(let line, let reason):
            "history line \(line) is invalid: \(reason). Fix or delete it"
        case .noBaseline(let path):
            "no baseline at \(path). Write one with `fetchbench check --update`, "
                + "or judge the budgets alone with --no-baseline"
        default: "\(self)"
        }
    }

    private var explanationOfWhatIsNoRun: String {
        switch self {
        case .trialProgram(let path, let reason):
            "the program \(SafeText.forTerminal(path)) cannot be used: \(SafeText.forTerminal(reason))"
        case .noTrialPrograms(let remedy):
            "no trial program to measure: \(remedy), or give others with --program"
        case .noTrialProgram(let cell):
            "no trial program measures \(cell); `make build` builds those of fetchbench, and --program adds others"
        case .noCache(let reason): "an asset cannot be prepared: \(reason)"
        case .noControlGroup(let reason, let remedy):
            "trials cannot run in control groups of their own: \(reason). \(remedy)"
        case .noDestination(let reason):
            "--destination other is not possible: \(SafeText.forTerminal(reason))"
        case .noReference(let location, let reason):
            "cannot fetch \(SafeText.forTerminal(location)): \(SafeText.forTerminal(reason)). Nothing was measured"
        case .noRecorder(let reason): "nothing can be explained: \(reason)"
        case .notExplainable(let subject, let reason):
            "\(SafeText.forTerminal(subject)) cannot be explained: \(SafeText.forTerminal(reason))"
        case .memory(let error) where error.code == .otherNamespace:
            "cannot measure here: \(error), so its process numbers belong to other processes. Mount /proc in this PID "
                + "namespace: `unshare --pid --fork --mount-proc`, or `mount -t proc proc /proc` in a private mount namespace"
        case .memory(let error) where error.source == "/proc/self":
            "cannot measure here: \(error). Mount it: mount -t proc proc /proc"
        case .memory(let error):
            "this process's memory cannot be read: \(error). `fetchbench doctor` has details"
        default: "\(self)"
        }
    }

    /// Says where else to write, after an error.
    private static func placeToWrite(_ name: String) -> String {
        if name.contains("TMPDIR") { return "Set TMPDIR to a writable folder" }
        if name == "the history" { return "Give --history a file that can be written" }
        return "Stored trials are kept; free space or choose another --output"
    }

    private static func isOfRun(_ name: String) -> Bool {
        name.contains("/") && RunFolder.File(rawValue: PathText.name(of: name)) != nil
    }
}

extension Console {
    package static func explanation(of error: any Error) -> String {
        switch error {
        case let error as FetchBenchError: error.explanation
        case let failure as FileFailure: FetchBenchError.file(failure).explanation
        case let error as AssetError: "an asset cannot be prepared: \(error)"
        default: "\(error)"
        }
    }
}
