// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Judging
import Measuring
import MemProbe
import Runs
import Texts

/// The flags of `fetchbench exec` for running commands.
struct ExecOptions: ParsableArguments {
    @Option(help: "Measured runs of each command.")
    var trials = 10

    @Option(help: "Runs of each command before those; they count for nothing.")
    var warmup = 0

    @Option(help: "What orders the runs.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Run this before each run, not measured; given several times, one for each command.", valueName: "command"))
    var prepare: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run this after each run, not measured, however it ended; given several times, one for each command.",
            valueName: "command"))
    var cleanup: [String] = []

    @Option(
        help: ArgumentHelp(
            "Give every command to this shell (default: those with shell syntax to /bin/sh, plain words to none).",
            valueName: "shell"))
    var shell: String?

    @Flag(help: "Give no command to a shell: it is words, quoted as in one.")
    var noShell = false

    @Option(
        help: ArgumentHelp(
            "What each run gets as standard input, from its beginning (default: nothing); /dev/stdin is that of fetchbench.",
            valueName: "file"))
    var input: String?

    @Option(
        name: [.customShort("L"), .customLong("parameter-list")],
        help: ArgumentHelp(
            "Measure a command once for each value of {NAME} in it, as 'threads 1,2,4' or 'threads=1,2,4'; with several lists, for each combination.",
            valueName: "name values"))
    var parameterLists: [String] = []

    @Option(
        name: [.customShort("n"), .customLong("name")],
        help: ArgumentHelp("What a command is called, one for each.", valueName: "name"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "The name of the command that the others are compared with (default: the first).", valueName: "name"))
    var reference: String?

    @Option(
        name: .customLong("allocator"),
        help: ArgumentHelp(
            "Measure each on this malloc, too: \(AllocatorArm.allCases.map(\.rawValue).joined(separator: ", ")); glibc leaves it its own.",
            valueName: "allocators"), completion: .list(AllocatorArm.allCases.map(\.rawValue)))
    var allocators: [String] = []

    @Option(help: ArgumentHelp("Seconds after which a run and all that it started is killed.", valueName: "seconds"))
    var timeout = 3600.0

    @Option(
        help: ArgumentHelp(
            "Seconds for which what a command has started may run after it (default: 0.2); then it is killed.",
            valueName: "seconds"))
    var waitForChildren: Double?

    @Option(
        help: ArgumentHelp(
            "Kill a run whose processes hold more than this without program pages, such as 4GiB (default: half of the machine's memory).",
            valueName: "size"))
    var memoryLimit: String?

    @Option(
        help: ArgumentHelp(
            "Fail where the peak of any measured run without program pages is over this, such as 200MiB.",
            valueName: "size"))
    var limit: String?

    @Flag(name: [.customShort("i"), .long], help: "Count runs that end with a status other than 0, or by a signal.")
    var ignoreFailure = false

    func validate() throws {
        try Usage.check("--warmup", warmup, in: 0...100_000)
        guard shell == nil || !noShell else { throw ValidationError("--shell and --no-shell exclude each other") }
        if let input, let obstacle = CommandInput.obstacle(at: input) {
            throw ValidationError("--input: \(SafeText.forTerminal(input)) cannot be read: \(obstacle)")
        }
        _ = try settings()
    }

    /// - Throws: `ValidationError` for invalid options.
    func request(of commands: [String], redaction: RedactedCommand) throws -> PlanRequest {
        try Usage.checked {
            var words = PlanWords()
            words.plainCommands = try plainCommands(of: commands, redaction: redaction)
            words.parameters = parameterLists
            words.commandSettings = try settings()
            words.allocators = allocators
            words.settings = ["trials": "\(trials)", "seed": "\(seed)", "timeout": "\(timeout)"]
            words.settings["memory-limit"] = memoryLimit
            let request = try PlanRequest(words, TrialPrograms(executables: []))
            if let reference {
                _ = try WordList.resolve(
                    reference, kind: "command", among: request.plainTitles(redaction), name: { $0 })
            }
            return request
        }
    }

    func plainCommands(of commands: [String], redaction: RedactedCommand) throws(PlanMistake) -> [ExternalCommand] {
        var request = CommandsRequest(commands: commands)
        request.names = names
        request.preparations = prepare
        request.cleanups = cleanup
        if noShell { request.shell = .never }
        if let shell { request.shell = try CommandShell(naming: shell) }
        return try request.plainCommands(redaction: redaction)
    }

    /// Indicates whether all given options are ones that a stored run may lack.
    var repeatsSecretsAlone: Bool {
        trials == 10 && warmup == 0 && seed == 1 && reference == nil && timeout == 3600 && memoryLimit == nil
            && limit == nil && waitForChildren == nil && !ignoreFailure && allocators.isEmpty && input == nil
    }

    private func settings() throws -> CommandSettings {
        var settings = CommandSettings()
        settings.warmup = warmup
        settings.input = input.map { HarnessContext.here.absolute($0) }
        settings.limit = try limit.map { text in try Usage.checked { try LimitText.size(parsing: text, of: "--limit") }
        }
        if let waitForChildren {
            guard waitForChildren >= 0, waitForChildren <= timeout else {
                throw ValidationError(
                    "--wait-for-children: \(waitForChildren) is not between 0 and --timeout (\(timeout)) seconds")
            }
            settings.childrenSeconds = waitForChildren
        }
        settings.reference = reference
        settings.ignoresFailure = ignoreFailure
        return settings
    }
}
