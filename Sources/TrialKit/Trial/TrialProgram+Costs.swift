// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MemProbe

extension TrialProgram {
    static let costsArgument = "--costs"

    /// Returns a reading for the argument `--costs`, and `nil` otherwise.
    static func firstReading(_ arguments: [String]) throws(MemProbeError) -> CostReading? {
        arguments == [costsArgument] ? try .now() : nil
    }

    /// Carries out the request from standard input.
    /// - Parameter start: The reading that was taken before anything else.
    func costs(from start: CostReading) async throws -> CostReport {
        let request = try costRequest()
        guard let mode = modes.first(where: { $0.name == request.mode }), let url = URL(string: request.url) else {
            throw Misuse("this program has no mode \(request.mode), or the URL cannot be parsed")
        }
        // As in every trial: a touched byte is a page and not 2 MiB.
        _ = TransparentHugePages.disableForThisProcess()
        try prepare(request.fetchSettings)
        return try await CostCourse(request: request, mode: mode, url: url).run(from: start)
    }

    private func costRequest() throws -> CostRequest {
        guard let request: CostRequest = Self.input() else {
            throw Misuse("standard input names no fetch; `fetchbench costs` asks for costs")
        }
        guard request.version == CostRequest.understoodVersion else {
            throw Misuse(
                "costs are asked for in version \(request.version) of the document, not \(CostRequest.understoodVersion)"
            )
        }
        return request
    }
}
