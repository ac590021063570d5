// SPDX-License-Identifier: Apache-2.0

import Glibc
import Origin

/// A command that measures processes, which it can only where `/proc` shows them.
package protocol MeasuringCommand: SendableMetatype {
    var measures: Bool { get }
}

extension MeasuringCommand {
    package var measures: Bool { true }
}

package enum CommandMain {
    /// The effect of SIGPIPE before this process changed it, which a program that takes its place gets back.
    private nonisolated(unsafe) static var brokenPipes: sighandler_t?

    /// Parses the arguments, runs the command that they name and ends the process with its status.
    ///
    /// On the caller's thread: without `/proc`, Dispatch's own threads trap before the error is printed.
    nonisolated(nonsending) package static func run<Root: ParsableCommand>(
        _ root: Root.Type, _ arguments: [String] = HarnessContext.here.arguments,
        check: @Sendable ([String]) throws -> Void = { _ in }, helpCommand: @Sendable ([String]) -> String,
        command known: (@Sendable () -> any ParsableCommand)? = nil
    ) async {
        // A closed pipe is reported as an error instead of killing the harness.
        brokenPipes = signal(SIGPIPE, SIG_IGN)
        do {
            // Swift reads the arguments from there: without it, each command would be another one.
            if let obstacle = ProcFileSystem.obstacle, obstacle.code != .otherNamespace {
                throw FetchBenchError.memory(obstacle)
            }
            if known == nil { try check(arguments) }
            var command = try known?() ?? parsed(arguments, by: root)
            let measures = (command as? any MeasuringCommand)?.measures ?? false
            if measures, let obstacle = ProcFileSystem.obstacle { throw FetchBenchError.memory(obstacle) }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let status as ExitCode {
            status.exit()
        } catch let error as FetchBenchError where error.kind == .usage {
            leave(root, with: ValidationError(error.description), seeing: helpCommand(arguments))
        } catch let error as FetchBenchError {
            Console.complain(error.description)
            ExitCode.noAnswer.exit()
        } catch {
            leave(root, with: error, seeing: helpCommand(arguments))
        }
    }

    /// Parses a subcommand by itself, because the parser reads the flags of all commands otherwise, which takes longer
    /// than a short command; help and versions are those of the whole.
    private static func parsed<Root: ParsableCommand>(
        _ arguments: [String], by root: Root.Type
    ) throws -> any ParsableCommand {
        let named = root.configuration.subcommands.first { $0._commandName == arguments.first }
        guard let named, !arguments.contains(where: { ["-h", "--version"].contains($0) || $0.hasPrefix("--help") })
        else {
            // The parser would name a command whose options another one shares by both names.
            let isHelp = named != nil && arguments.count == 2 && ["-h", "--help"].contains(arguments[1])
            return try root.parseAsRoot(isHelp ? ["help", arguments[0]] : arguments)
        }
        return try named.parseAsRoot(Array(arguments.dropFirst()))
    }

    /// Exits as the argument parser would, but with one line for the error and one for the help of the subcommand.
    ///
    /// Control sequences in arguments are escaped.
    private static func leave<Root: ParsableCommand>(
        _ root: Root.Type, with error: any Error, seeing helpCommand: String
    ) -> Never {
        let status = root.exitCode(for: error)
        let message = root.message(for: error)
        guard !status.isSuccess, !message.isEmpty else { root.exit(withError: error) }
        Console.complain(message)
        // 1 means "regressed"; every other failure ends with `noAnswer`.
        let left = status == .validationFailure ? status : .noAnswer
        guard !Console.answersInJSON else { left.exit() }
        // For an option with an invalid value: what it expects.
        if let help = root.fullMessage(for: error).split(separator: "\n").first(where: { $0.hasPrefix("Help:") }) {
            Console.note(String(help))
        }
        Console.note("See '\(helpCommand) --help'.")
        left.exit()
    }

    /// Continues as a program of this project that stands beside this one, with the arguments of the subcommand.
    package static func becomeOwn(_ name: String, for work: String) throws -> Never {
        let here = HarnessContext.here
        try become(here.program(name, for: work), Array(here.arguments.dropFirst()))
    }

    /// Replaces this process by another program, which has its input, output and signals from then on.
    package static func become(_ path: String, _ arguments: [String]) throws -> Never {
        // An ignored signal stays ignored in the new program.
        signal(SIGPIPE, brokenPipes)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, &words)
        throw FetchBenchError.trialProgram(
            path: path, reason: "it cannot be executed: \(String(cString: strerror(errno)))")
    }
}
