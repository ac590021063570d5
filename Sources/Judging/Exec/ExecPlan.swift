// SPDX-License-Identifier: Apache-2.0

package import MemProbe
package import Runs

/// A command that is run for a case: the one that is measured, or what goes before it or after it.
package struct ExecStep: Hashable, Sendable {
    /// The command as it was given, filled in; it may hold credentials, and is neither shown nor stored.
    package let command: String
    /// The same as it may be stored.
    package let stored: String
    /// How it is started.
    package let launch: ExecLaunch

    /// Creates one.
    package init(command: String, stored: String, launch: ExecLaunch) {
        self.command = command
        self.stored = stored
        self.launch = launch
    }

    /// What a command said, without what its own words must not show.
    package func safe(_ said: String, _ redaction: RedactedCommand) -> String {
        redaction.text(said, of: ExternalCommand(name: "", command: command))
    }
}

/// One command with one value for each of its parameters.
package struct ExecCase: Hashable, Sendable {
    /// What it is called; no other case has the name.
    package let name: String
    /// What is measured.
    package let step: ExecStep
    /// What its parameters stand for; a value that must not be stored is replaced.
    package let parameters: [ExecParameter.Value]
    /// What is run before each run of it.
    package let preparation: ExecStep?
    /// What is run after each run of it.
    package let cleanup: ExecStep?

    /// Creates one.
    package init(
        name: String, step: ExecStep, parameters: [ExecParameter.Value], preparation: ExecStep?, cleanup: ExecStep?
    ) {
        self.name = name
        self.step = step
        self.parameters = parameters
        self.preparation = preparation
        self.cleanup = cleanup
    }
}

/// How commands are run, whatever they are.
package struct ExecSettings: Hashable, Sendable {
    /// How many runs of each command are measured.
    package var trials = 10
    /// How many runs of each go before, and count for nothing.
    package var warmup = 0
    /// What orders the runs.
    package var seed: UInt64 = 1
    /// The path of the file that each gets as its standard input, or `nil` for none.
    package var input: String?
    /// After how many seconds a run and all that it started is killed.
    package var timeoutSeconds = 3600.0
    /// What a command and all that it started may hold together before it is killed, or `nil` for anything.
    package var memoryLimit: ByteCount?
    /// What no run may hold, or `nil`.
    package var limit: ByteCount?
    /// Whether a run that ended with a status or by a signal counts.
    package var ignoresFailure = false

    package init() {}
}

/// What is measured: the cases, and how.
package struct ExecPlan: Hashable, Sendable {
    /// The cases, in the order in which they were named.
    package let cases: [ExecCase]
    /// The name of the one that the others are compared with.
    package let reference: String
    /// How they are run.
    package let settings: ExecSettings

    /// Creates one.
    package init(cases: [ExecCase], reference: String, settings: ExecSettings) {
        self.cases = cases
        self.reference = reference
        self.settings = settings
    }
}
