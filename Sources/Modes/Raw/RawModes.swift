// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import TrialKit

/// The modes on a plain socket, in the order of `fetchbench list`; a new mode is a type and a line here.
package enum RawCatalog {
    package static let all: [any FetchMode] = [RawMode(), RawDropMode()]
}

struct RawMode: FetchMode {
    let name = "raw"
    let summary = "a socket and one 64 KiB buffer: hashed and written to a file; the floor of fetching"
    let caveat: String? = """
        HTTP/1.1 with Content-Length or chunked, plain http only, follows no redirects; blocks its thread, so a \
        caller that cancels needs another one
        """
    let schemes: Set<String> = ["http"]
    let abilities: Set<ModeAbility> = [.pieces, .file, .slowConsumer, .cancellation, .resuming, .requestDetails]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RawFetcher(mode: name, keepsBody: true, settings)
    }
}

struct RawDropMode: FetchMode {
    let name = "raw-drop"
    let summary = "a socket and one 64 KiB buffer: hashed and dropped; raw without its file"
    let caveat: String? = "leaves nothing to render; otherwise as raw: plain http only, follows no redirects"
    let schemes: Set<String> = ["http"]
    let yieldsBody = false
    let abilities: Set<ModeAbility> = [.slowConsumer, .cancellation, .requestDetails]
    let hashesOnTheWay = true

    func makeFetcher(_ settings: FetchSettings) -> any Fetcher {
        RawFetcher(mode: name, keepsBody: false, settings)
    }
}

/// Fetches through a socket and one buffer; writes the body to a file or drops it.
package final class RawFetcher: Fetcher {
    private static let bufferSize = 64 * 1024

    private let mode: String
    private let keepsBody: Bool
    private let settings: FetchSettings
    private let delay: ConsumerDelay

    package init(mode: String, keepsBody: Bool, _ settings: FetchSettings) {
        (self.mode, self.keepsBody, self.settings) = (mode, keepsBody, settings)
        delay = ConsumerDelay(settings)
    }

    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchedBody {
        let line = SocketLine()
        return try await Cancellation.observed(request) { () async throws(FetchFailure) in
            let result = await withTaskCancellationHandler {
                Result { () throws(FetchFailure) in try fetch(request, over: line) }
            } onCancel: {
                line.cut()
            }
            // Mapped before it is thrown: an error that an async function rethrows leaks its text, some 80 bytes each
            // (Swift 6.3.1), and that of a cancelled fetch is a constant.
            return try result.mapError { Cancellation.failure($0, of: request) }.get()
        }
    }

    package func invalidate() async {}

    private func fetch(_ request: FetchRequest, over line: SocketLine) throws(FetchFailure) -> FetchedBody {
        guard request.url.scheme?.lowercased() == "http", let host = request.url.host,
            let authority = request.authority
        else {
            throw FetchFailure(.unsupportedScheme, "mode \(mode) speaks plain http only")
        }
        let socket = try TCPSocket(
            host: host, port: request.url.port ?? 80, idleTimeoutSeconds: settings.idleTimeoutSeconds, line: line)
        let carried = settings.carried(by: request)
        try socket.send(Self.head(of: request, to: authority, carrying: carried))
        if let body = carried?.body { try socket.send(body) }
        var reader = HTTPReader(socket: socket, buffer: RawBuffer(byteCount: Self.bufferSize))
        let head = try reader.readHead()
        try StatusCheck.check(head.status, inModeWithoutRedirects: mode, resuming: request.resumption)
        let said = BodyHead(status: head.status) { head.value(of: $0.lowercased()) }
        guard request.method == .get else { return try said.body(of: request) }
        var body =
            keepsBody
            ? try StreamedBody(for: request, verifiedBy: settings.verification)
            : try StreamedBody(to: nil, verifiedBy: settings.verification)
        try body.begin(said)
        _ = try reader.readBody(framedBy: try head.framing()) { bytes throws(FetchFailure) in
            delay.wait()
            try body.take(bytes)
        }
        // A cut connection looks like the end of a body without a length.
        try Cancellation.check()
        return body.finished()
    }

    /// The head of a request with its own connection: reusing one would hide a part of the fetch's cost.
    private static func head(
        of request: FetchRequest, to authority: String, carrying target: TargetRequest?
    ) -> String {
        var fields = request.fields(acceptingGzip: false, carrying: target)
        if let length = target?.contentLength { fields.append(("Content-Length", "\(length)")) }
        let method = target?.method ?? request.method.rawValue
        return "\(method) \(request.target) HTTP/1.1\r\nHost: \(authority)\r\n"
            + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "Connection: close\r\n\r\n"
    }
}
