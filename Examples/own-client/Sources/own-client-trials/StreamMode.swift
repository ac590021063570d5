// SPDX-License-Identifier: Apache-2.0

import TinyHTTP
import TrialKit

/// Piece by piece into a file, hashed on the way: the frugal one.
struct StreamMode: FetchMode {
    let name = "tiny-stream"
    let summary = "TinyHTTP, stream(): hashed on the way and written to a file"
    let caveat: String? = "plain http with a Content-Length; follows no redirects; a thread a fetch"
    let schemes: Set<String> = ["http"]
    let abilities: Set<ModeAbility> = [.concurrency, .slowConsumer]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher { StreamFetcher(settings) }
}

private final class StreamFetcher: Fetcher {
    private let client: TinyClient
    private let settings: FetchSettings
    private let delay: ConsumerDelay

    init(_ settings: FetchSettings) {
        self.settings = settings
        client = TinyClient(timeoutSeconds: settings.idleTimeoutSeconds)
        delay = ConsumerDelay(settings)
    }

    func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let (host, port) = try request.place()
        return try await DetachedThread.value { [client, settings, delay] () throws(FetchFailure) in
            var body = try StreamedBody(to: request.destination, verifiedBy: settings.verification)
            let answer = try FetchFailure.translating {
                try client.stream(host: host, port: port, target: request.target) { piece in
                    delay.wait()
                    try body.take(piece)
                }
            }
            try StatusCheck.check(answer.status, inModeWithoutRedirects: "tiny-stream")
            return body.finished()
        }
    }

    func invalidate() async {}
}
