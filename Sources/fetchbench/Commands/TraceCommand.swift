// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import Measuring
import TrialKit

/// `fetchbench trace`: traces one command in a process of its own; not for people.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Trace one command: a JSON document in, a JSON document out.",
        shouldDisplay: false)

    func run() throws {
        ProcessLife.endsWithParent()
        guard let input = StandardInput.all(),
            let request = try? JSONDecoder().decode(CommandRequest.self, from: Data(input)),
            let runner = CommandTrialRunner(request)
        else { throw ValidationError("standard input holds no command; `fetchbench run --exec` starts commands") }
        let report = try runner.run(
            environment: HarnessContext.here.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        try Console.answer(String(decoding: JSONEncoder().encode(report), as: UTF8.self))
        _exit(ExitStatus.done.rawValue)
    }
}
