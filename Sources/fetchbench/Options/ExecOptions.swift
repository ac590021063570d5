// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Judging
import Measuring
import MemProbe
import Runs

/// The flags of `fetchbench exec` that say how commands are run.
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

    @Option(help: ArgumentHelp("What each run gets as standard input (default: nothing).", valueName: "file"))
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

    @Option(help: ArgumentHelp("Seconds after which a run and all that it started is killed.", valueName: "seconds"))
    var timeout = 3600.0

    @Option(
        help: ArgumentHelp(
            "Kill a run whose processes hold more than this, such as 4GiB (default: half of the machine's memory).",
            valueName: "size"))
    var memoryLimit: String?

    @Option(
        help: ArgumentHelp("Fail where the peak of any measured run is over this, such as 200MiB.", valueName: "size"))
    var limit: String?

    @Flag(name: [.customShort("i"), .long], help: "Count runs that end with a status other than 0, or by a signal.")
    var ignoreFailure = false

    func validate() throws {
        guard (1...100_000).contains(trials) else {
            throw ValidationError("--trials: \(trials) is not between 1 and 100000")
        }
        guard (0...100_000).contains(warmup) else {
            throw ValidationError("--warmup: \(warmup) is not between 0 and 100000")
        }
        guard timeout >= 0.1, timeout <= 604_800 else {
            throw ValidationError("--timeout: \(timeout) is not between 0.1 and 604800 seconds")
        }
        guard shell == nil || !noShell else { throw ValidationError("--shell and --no-shell exclude each other") }
        if let input, access(input, R_OK) != 0 {
            throw ValidationError("--input: it cannot be read: \(String(cString: strerror(errno)))")
        }
        _ = try settings()
    }

    /// The plan of commands.
    /// - Throws: `ValidationError` for what makes no sense.
    func plan(of commands: [String], redaction: RedactedCommand) throws -> ExecPlan {
        try Usage.checked {
            var request = ExecRequest(commands: commands)
            request.names = names
            request.parameters = parameterLists
            request.preparations = prepare
            request.cleanups = cleanup
            request.reference = reference
            request.shell = noShell ? .never : try shell.map { try ExecShell(naming: $0) } ?? .asNeeded
            request.settings = try settings()
            return try request.plan(redaction: redaction)
        }
    }

    private func settings() throws -> ExecSettings {
        var settings = ExecSettings()
        settings.trials = trials
        settings.warmup = warmup
        settings.seed = seed
        settings.input = input.map { AbsolutePath.of($0) }
        settings.timeoutSeconds = timeout
        settings.memoryLimit = try size(memoryLimit, "--memory-limit") ?? MemoryLimit.standard
        settings.limit = try size(limit, "--limit")
        settings.ignoresFailure = ignoreFailure
        return settings
    }

    private func size(_ text: String?, _ flag: String) throws -> ByteCount? {
        guard let text else { return nil }
        guard let size = ByteCount(parsing: text), size > .zero else {
            throw ValidationError("\(flag): give a size such as 200MiB")
        }
        return size
    }
}
