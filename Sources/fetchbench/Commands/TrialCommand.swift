// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CFetchBench
import FetchBenchKit
import FetchModes
import Foundation
import Glibc
import MemProbe
import Rendering

/// `fetchbench trial`: the child side of one trial; not for people.
struct TrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Do one trial: a JSON document in, a JSON document out.",
        shouldDisplay: false)

    @Flag(help: "Answer with the allocator of this process and do nothing else.")
    var identify = false

    func run() async throws {
        if identify {
            try answer(AllocatorIdentity.current)
        }
        // Subprocess spawns from a thread that lives as long as the harness, so this ends with the harness alone.
        _ = cfetchbench_end_with_parent()
        guard let input = StandardInput.all(),
            let request = try? JSONDecoder().decode(TrialRequest.self, from: Data(input))
        else { throw ValidationError("standard input holds no trial; `fetchbench run` starts trials") }
        let understood = TrialRequest.understoodProtocols
        guard understood.contains(request.version) else {
            throw ValidationError(
                "the trial is in version \(request.version) of the protocol, not \(understood.lowerBound) to "
                    + "\(understood.upperBound)")
        }
        if let runner = CommandTrialRunner(request) {
            try answer(try runner.run(environment: Surroundings.environmentEntries))
        }
        if let authority = request.certificateAuthorityPath, !cfetchbench_trust(authority) {
            throw ValidationError("the path of the authority is too long")
        }
        guard let mode = ModeCatalog.all.first(where: { $0.name == request.mode }),
            let model = RenderCatalog.all.first(where: { $0.name == request.render })
        else { throw ValidationError("unknown mode or render model: \(request.mode), \(request.render)") }
        try answer(try await TrialRunner(request: request, mode: mode, model: model).run())
    }

    /// Writes the answer and leaves without any exit handler: OpenSSL's can crash after https on this toolchain, and
    /// what a handler prints would be taken for a part of the answer.
    private func answer(_ value: some Encodable) throws -> Never {
        let bytes = [UInt8](try JSONEncoder().encode(value))
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { _exit(ExitStatus.noAnswer.rawValue) }
            written += count
        }
        _exit(ExitStatus.done.rawValue)
    }
}
