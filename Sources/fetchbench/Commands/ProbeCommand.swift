// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Behaviours
import CFetchBench
import Glibc

/// `fetchbench probe`: the child side of `fetchbench behaviours`; not for people.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Make the calls of one behaviour, and report what the caller sees.",
        shouldDisplay: false)

    @Argument(help: "The name of the probe.")
    var name: String

    @Option(help: "The beginning of the origin's URLs.")
    var origin: String

    @Option(help: "The folder for files.")
    var directory: String

    func run() async throws {
        _ = cfetchbench_end_with_parent()
        guard let probe = ProbeCatalog.probe(named: name) else { throw ValidationError("there is no such probe") }
        do {
            try await probe.run(ProbeContext(origin: origin, directory: directory))
        } catch {
            Console.complain("\(error)")
            _exit(ExitStatus.noAnswer.rawValue)
        }
        // Without any exit handler: those of a library under test could crash, and that would be taken for its trap.
        _exit(ExitStatus.done.rawValue)
    }
}
