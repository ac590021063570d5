// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

extension TrialProgram {
    /// The only argument of a program that is asked for its costs.
    static let costsArgument = "--costs"

    /// The reading at the start of a process, where its arguments ask for it.
    static func firstReading(_ arguments: [String]) throws(MemProbeError) -> CostReading? {
        arguments == [costsArgument] ? try .now() : nil
    }

    /// Does what standard input asks for.
    /// - Parameter start: the reading that was taken before anything else.
    func costs(from start: CostReading) async throws -> CostReport {
        let request = try costRequest()
        guard let mode = modes.first(where: { $0.name == request.mode }), let url = URL(string: request.url) else {
            throw Misuse("this program has no mode \(request.mode), or the URL cannot be parsed")
        }
        // As in every trial: a touched byte is a page, and not 2 MiB.
        _ = TransparentHugePages.disableForThisProcess()
        try prepare(request.fetchSettings)
        return try await CostCourse(request: request, mode: mode, url: url).run(from: start)
    }

    private func costRequest() throws -> CostRequest {
        guard let input = StandardInput.all(),
            let request = try? JSONDecoder().decode(CostRequest.self, from: Data(input))
        else { throw Misuse("standard input names no fetch; `fetchbench costs` asks for costs") }
        guard request.version == CostRequest.understoodVersion else {
            throw Misuse(
                "costs are asked for in version \(request.version) of the document, not \(CostRequest.understoodVersion)"
            )
        }
        return request
    }
}
