// SPDX-License-Identifier: Apache-2.0

/// The errors that several places throw: one text for each.
extension FetchBenchError {
    package static func malformedRun(name: String, reason: String) -> FetchBenchError {
        FetchBenchError("\(name) is not a valid run: \(reason)", remedy: "Restore it from a copy, or measure again")
    }

    package static func runIsOfAnotherPlace(name: String, differences: [String]) -> FetchBenchError {
        FetchBenchError(
            "run \(name) cannot be resumed here, because its trials would not be comparable: "
                + differences.joined(separator: "; "), remedy: "Start a new run")
    }

    /// The named programs or commands differ from those of the interrupted comparison.
    package static func otherSides(name: String, side: Side) -> FetchBenchError {
        FetchBenchError(
            "\(name) was started with another \(side.rawValue), so its trials would not be comparable",
            remedy: "Give the same one, or start a new comparison")
    }

    package static func otherKindOfRun(name: String, kind: RunRecord.Kind) -> FetchBenchError {
        FetchBenchError(
            "\(name) is a \(kind.rawValue), which this command does not accept; `fetchbench \(kind.command) --resume` "
                + "finishes an interrupted one, `fetchbench report` prints it")
    }

    /// The run does not belong to those that it is to be merged with.
    package static func notMergeable(name: String, reason: String) -> FetchBenchError {
        FetchBenchError("\(name) cannot be merged: \(reason)")
    }

    package static func nothingToDraw(name: String, reason: String) -> FetchBenchError {
        FetchBenchError("run \(name) has \(reason)", kind: .noAnswer)
    }

    package static func malformedSuite(name: String, reason: String) -> FetchBenchError {
        FetchBenchError("suite \(name): \(reason)")
    }

    package static func malformedBaseline(path: String, reason: String) -> FetchBenchError {
        FetchBenchError(
            "invalid baseline \(SafeText.forTerminal(path)): \(reason)",
            remedy: "Write a new one with `fetchbench check --update`")
    }

    package static func trialProgram(path: String, reason: String) -> FetchBenchError {
        FetchBenchError("the program \(SafeText.forTerminal(path)) cannot be used: \(SafeText.forTerminal(reason))")
    }

    package static func noTrialPrograms(remedy: String) -> FetchBenchError {
        FetchBenchError("no trial program to measure: \(remedy), or give others with --program")
    }

    package static func noTrialProgram(cell: String) -> FetchBenchError {
        FetchBenchError(
            "no trial program measures \(cell); `make build` builds those of fetchbench, and --program adds others")
    }

    /// The holders of the case's peak cannot be determined.
    package static func notExplainable(subject: String, reason: String) -> FetchBenchError {
        FetchBenchError(
            "\(SafeText.forTerminal(subject)) cannot be explained: \(SafeText.forTerminal(reason))")
    }

    /// The kernel's readings are not available.
    package static func memory(_ error: MemProbeError) -> FetchBenchError {
        if error.code == .otherNamespace {
            return FetchBenchError(
                "cannot measure here: \(error), so its process numbers belong to other processes",
                remedy:
                    "Mount /proc in this PID namespace: `unshare --pid --fork --mount-proc`, or `mount -t proc proc "
                    + "/proc` in a private mount namespace")
        }
        guard error.source != "/proc/self" else {
            return FetchBenchError("cannot measure here: \(error)", remedy: "Mount it: mount -t proc proc /proc")
        }
        return FetchBenchError(
            "this process's memory cannot be read: \(error)", remedy: "`fetchbench doctor` has details")
    }
}
