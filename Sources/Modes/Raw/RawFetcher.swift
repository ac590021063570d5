// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import TrialKit

/// Fetches through a socket and one buffer, to a file or to nowhere.
package final class RawFetcher: Fetcher {
    private static let bufferSize = 64 * 1024

    private let mode: String
    private let keepsBody: Bool
    private let settings: FetchSettings
    private let delay: ConsumerDelay

    /// Creates one for the mode of a name.
    package init(mode: String, keepsBody: Bool, _ settings: FetchSettings) {
        self.mode = mode
        self.keepsBody = keepsBody
        self.settings = settings
        delay = ConsumerDelay(settings)
    }

    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        guard request.url.scheme?.lowercased() == "http", let host = request.url.host,
            let authority = request.authority
        else {
            throw FetchFailure(.unsupportedScheme, "mode \(mode) speaks plain http only")
        }
        let socket = try TCPSocket(
            host: host, port: request.url.port ?? 80, idleTimeoutSeconds: settings.idleTimeoutSeconds)
        try socket.send(Self.head(of: request, to: authority))
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: Self.bufferSize))
        let head = try reader.readHead()
        try StatusCheck.check(head.status, inModeWithoutRedirects: mode)
        guard request.method == .get else { return .nothing }
        var body = try StreamedBody(
            to: keepsBody ? request.destination : nil, verifiedBy: settings.verification)
        let byteCount = try reader.readBody(framedBy: try head.framing()) { bytes throws(FetchFailure) in
            delay.wait()
            try body.take(bytes)
        }
        guard byteCount > 0 else { throw FetchFailure(.emptyBody, "status \(head.status), no byte") }
        return body.finished()
    }

    package func invalidate() async {}

    /// The request, one connection for each: keeping one open would save what a fetch costs.
    private static func head(of request: FetchRequest, to authority: String) -> String {
        let fields = request.fields(acceptingGzip: false).map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(request.method.rawValue) \(request.target) HTTP/1.1\r\nHost: \(authority)\r\n"
            + fields + "Connection: close\r\n\r\n"
    }
}
