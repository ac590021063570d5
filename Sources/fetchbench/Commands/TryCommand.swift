// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Origin

/// `fetchbench try`: checks a trial program against every rule of the trial protocol.
struct TryCommand: AsyncParsableCommand, MeasuringCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Check a trial program of your own against the rules of the trial protocol.",
        discussion: """
            fetchbench try --program ./my-trials

            Checks the program's description, runs trials of each mode and render model (not of scenarios), and tests how the modes handle an error status, a \
            redirect and a truncated body. Each check is ok, limited (it works, but some figures are missing or less \
            precise) or failed, with what to do. Nothing is stored.

            Exit status: 0 no check failed; 1 a check failed; 2 the program could not be tried; 64 usage error; 130 interrupted.
            """)

    @Option(help: ArgumentHelp("Trial program to check (required).", valueName: "path"), completion: .file())
    var program: String

    @Option(help: "Trials of each mode.")
    var trials = 3

    @Option(help: ArgumentHelp("Seconds after which a trial is killed.", valueName: "seconds"))
    var timeout = 20.0

    @Flag(help: "Print only the result and errors.")
    var quiet = false

    func validate() throws {
        try Usage.check("--trials", trials, in: 1...1000)
        try Usage.checkTimeout(timeout)
    }

    func run() async throws {
        let harness = HarnessContext.here
        let tryout = ProgramTryout(
            path: program, ProgramTryout.Settings(trials: trials, timeoutSeconds: timeout), in: harness,
            preparing: { try AssetLibrary.announcedAsset(named: $0, seed: $1) })
        let diagnoses = try await interruptible("preparing", isShown: !quiet, remark: "no result is shown") { display in
            try await tryout.diagnoses { display.show($0, isQuiet: true) }
        }
        try Console.answer(Diagnosis.text(of: diagnoses))
        if diagnoses.contains(where: { $0.state == .failed }) { throw ExitCode.red }
    }
}
