// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs

/// Finds out what the server of a foreign URL sends, before the first trial, in a process of its own.
package struct ReferenceFetcher: Sendable {
    package static let program = "reference-fetch"
    /// The fetches that it makes at most, with some time for its start.
    private static let mostFetches = 10.0
    /// The maximum size of its report in bytes; real ones have less than a kilobyte.
    private static let longestReport = 4 << 20

    private let harness: HarnessContext

    package init(in harness: HarnessContext) { self.harness = harness }

    /// Fetches a URL.
    package func report(
        on url: String, with details: RequestDetails?, authority: String? = nil, within seconds: Double
    ) async throws -> ReferenceReport {
        let request = ReferenceRequest(
            url: url, details: details, timeoutSeconds: seconds, authority: authority)
        let proxies = MachineEnvironment.proxies(in: harness.environment)
        let doubt = proxies.isEmpty ? "" : " (\(proxies) set: this may be a proxy's answer)"
        func refusal(_ reason: String) -> FetchBenchError {
            let safe = RedactedURL.text(reason, without: url) + doubt
            let reason = details.map { $0.redacted(in: safe) } ?? safe
            return FetchBenchError(
                "cannot fetch \(SafeText.forTerminal(RedactedURL.text(of: url))): \(SafeText.forTerminal(reason))",
                remedy: "Nothing was measured", kind: .temporary)
        }
        let document = String(decoding: (try? JSONEncoder().encode(request)) ?? Data(), as: UTF8.self)
        let end = try await ChildLaunch(
            executable: harness.neighbour(Self.program),
            environment: harness.variables.environment(for: .glibc, directory: "/tmp", reachesOut: true),
            limit: .seconds(seconds * Self.mostFetches + 30), reading: document, outputLimit: Self.longestReport
        ).run()
        switch end.ending {
        case .exited(0): break
        case .notStarted(let reason):
            throw refusal("\(Self.program) cannot be started: \(reason); `make build` builds it")
        default: throw refusal("\(Self.program) \(end.ending.obstacle(within: seconds) ?? "failed") \(end.lastWords())")
        }
        guard let report = try? ForeignDocument.decode(ReferenceReport.self, from: end.output) else {
            throw refusal("\(Self.program) wrote no report: its version differs; rebuild it")
        }
        if let failure = report.failure { throw refusal(failure + Self.hint(at: report.status, after: failure)) }
        guard report.identity != nil else { throw refusal("\(Self.program) fetched no body") }
        return report
    }

    private static func hint(at status: Int, after failure: String) -> String {
        switch status {
        case _ where failure == RedirectChain.tooMany:
            ": if one of them sets a cookie, which is not sent back here, use --no-reference"
        case 401, 403: ": if it needs credentials, add --header 'Authorization: …'"
        case 407: ": a proxy needs credentials"
        default: ""
        }
    }
}
