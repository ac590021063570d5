// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Measuring
import MemProbe
import TrialKit

/// `fetchbench trace`: traces commands, one after another, in a separate process; internal.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Trace commands: of each a JSON document in, a JSON document out.",
        shouldDisplay: false)

    func run() throws {
        ProcessLife.endsWithParent()
        while let line = readLine() {
            guard let request = try? JSONDecoder().decode(CommandRequest.self, from: Data(line.utf8)),
                let runner = CommandTrialRunner(request)
            else {
                throw ValidationError("no command on standard input; use `fetchbench run --exec` to start commands")
            }
            let report = String(decoding: try JSONEncoder().encode(runner.run()), as: UTF8.self)
            // A process that escaped would still run while the next command is measured.
            try Console.answer(request.answer(report, isLast: TracedCommand.mayHaveLeftOthers))
        }
        _exit(ExitStatus.done.rawValue)
    }
}
