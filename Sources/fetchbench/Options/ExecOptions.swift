// SPDX-License-Identifier: Apache-2.0

import CommandConsole
import Judging

struct ExecOptions: ParsableArguments {
    @Option(help: "Measured runs of each command.")
    var trials = 10

    @Option(help: "Warm-up runs of each command, which are discarded.")
    var warmup = 0

    @Option(help: "Seed for the order of runs.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "Command to run before each run, unmeasured; repeat it to give one for each command (default: none).",
            valueName: "command")
    )
    var prepare: [String] = []

    @Option(
        help: ArgumentHelp(
            "Command to run after each run, unmeasured; repeat it to give one for each command (default: none).",
            valueName: "command"))
    var cleanup: [String] = []

    @Option(
        help: ArgumentHelp(
            "Shell that runs every command (default: /bin/sh for commands with shell syntax, none for others).",
            valueName: "shell"))
    var shell: String?

    @Flag(help: "Run commands without a shell; words are split and quoted as in a shell.")
    var noShell = false

    @Option(
        help: ArgumentHelp(
            "Standard input of each run, from its beginning (default: empty); /dev/stdin is fetchbench's own.",
            valueName: "file"))
    var input: String?

    @Option(
        name: [.customShort("L"), .customLong("parameter-list")],
        help: ArgumentHelp(
            "Measure commands for each value of {NAME}, as 'threads 1,2,4' or 'threads=1,2,4'; several lists are combined (default: none).",
            valueName: "name values"))
    var parameterLists: [String] = []

    @Option(
        name: [.customShort("n"), .customLong("name")],
        help: ArgumentHelp("Name of a command; give one for each (default: the command itself).", valueName: "name"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name of the command to compare the others with (default: the first).", valueName: "name"))
    var reference: String?

    @Option(
        name: .customLong("allocator"),
        help: ArgumentHelp(
            "Allocators: \(AllocatorArm.ofCommands.map(\.rawValue).joined(separator: ", ")); glibc keeps the command's own (default: glibc).",
            valueName: "allocators"), completion: .list(AllocatorArm.ofCommands.map(\.rawValue)))
    var allocators: [String] = []

    @Option(
        name: .customLong(Dimension.containerLimit.flag),
        help: ArgumentHelp(
            "\(Dimension.containerLimit.help)", valueName: Dimension.containerLimit.valueName))
    var containerLimits: [String] = []

    @Option(help: ArgumentHelp("Seconds after which a run and all its processes are killed.", valueName: "seconds"))
    var timeout = 3600.0

    @Option(
        help: ArgumentHelp(
            "Seconds to wait for processes that outlive their command before they are killed (default: 0.2).",
            valueName: "seconds"))
    var waitForChildren: Double?

    @Option(
        help: ArgumentHelp(
            "Protect the machine: kill a run whose processes hold more than this without program pages, such as 4GiB (default: half of the machine's memory).",
            valueName: "size"))
    var memoryLimit: String?

    @Option(
        help: ArgumentHelp(
            "Fail if a run's peak without program pages exceeds this, such as 200MiB (default: no limit).",
            valueName: "size"))
    var limit: String?

    @Option(
        help: ArgumentHelp(
            "How to read processes: automatic (with ptrace if allowed), or polled, for programs that use ptrace themselves "
                + "(default: automatic).", valueName: "method"),
        completion: .list(CommandSettings.Method.allCases.map(\.rawValue)))
    var method: String?

    @Flag(name: [.customShort("i"), .long], help: "Include runs that fail (exit status other than 0, or a signal).")
    var ignoreFailure = false

    func validate() throws {
        try Usage.check("--warmup", warmup, in: 0...100_000)
        guard shell == nil || !noShell else { throw ValidationError("--shell and --no-shell cannot be combined") }
        if let input, let obstacle = CommandInput.obstacle(at: input) {
            throw ValidationError(
                "--input: \(SafeText.forTerminal(input)) cannot be read (\(obstacle)): expected a file for standard input"
            )
        }
        _ = try settings()
    }

    func request(of commands: [String], redaction: RedactedCommand) throws -> PlanRequest {
        try Usage.checked {
            var words = PlanWords()
            words.plainCommands = try plainCommands(of: commands, redaction: redaction)
            words[.parameters] = parameterLists
            words.commandSettings = try settings()
            words[.allocators] = allocators
            words.settings = ["trials": "\(trials)", "seed": "\(seed)", "timeout": "\(timeout)"]
            words.settings["memory-limit"] = memoryLimit
            if !containerLimits.isEmpty { words.conditions[Dimension.containerLimit.flag] = containerLimits }
            let request = try PlanRequest(words, TrialPrograms(executables: []))
            if let reference {
                _ = try WordList.resolve(
                    reference, kind: "command", among: request.plainTitles(redaction), name: { $0 })
            }
            return request
        }
    }

    func plainCommands(of commands: [String], redaction: RedactedCommand) throws -> [ExternalCommand] {
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
            && limit == nil && waitForChildren == nil && method == nil && !ignoreFailure && allocators.isEmpty
            && input == nil && containerLimits.isEmpty
    }

    private func settings() throws -> CommandSettings {
        var settings = CommandSettings()
        settings.warmup = warmup
        settings.input = input.map { HarnessContext.here.absolute($0) }
        settings.limit = try limit.map { text in try Usage.checked { try ByteCount.limit(parsing: text, of: "--limit") }
        }
        if let waitForChildren {
            guard waitForChildren >= 0, waitForChildren <= timeout else {
                throw ValidationError(
                    "invalid --wait-for-children '\(waitForChildren)': expected seconds from 0 to --timeout (\(timeout))"
                )
            }
            settings.childrenSeconds = waitForChildren
        }
        if let method {
            settings.method = try Usage.checked {
                try WordList.resolve(
                    method, kind: "method", among: CommandSettings.Method.allCases, name: \.rawValue)
            }
        }
        settings.reference = reference
        settings.ignoresFailure = ignoreFailure
        return settings
    }
}

extension AllocatorArm {
    /// Those of commands and of fetchbench's own modes, none of which brings an allocator.
    static let ofCommands = allCases.filter { $0 != .own }
}

extension CommandParameter {
    private static var listFlags: Set<String> { ["--parameter-list", "-L"] }

    /// Returns the arguments with each name and its values joined, `--parameter-list threads=1,2,4`: the argument parser
    /// does not support options with two values.
    static func joined(in arguments: [String]) -> [String] {
        var joined: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            joined.append(word)
            if word == "--" { break }
            guard listFlags.contains(word), let name = rest.first, isName(name), rest.count > 1 else {
                continue
            }
            joined.append(name + "=" + rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
        }
        return joined + rest
    }
}
