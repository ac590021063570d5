// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Collects each body before passing it on: the control that shows what streaming saves.
package final class BufferingRelay: Relay {
    package let remark: String? = "each body is collected before its first byte is passed on, on purpose"
    private let relay: any Relay

    package init(_ relay: any Relay) { self.relay = relay }

    package func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        let buffer = CollectingSink()
        try await relay.relay(request, to: buffer)
        let body = buffer.bytes
        try await sink.begin(byteCount: body.count)
        try await sink.send(body)
    }

    package func invalidate() async { await relay.invalidate() }
}

/// Passes on bodies that were fetched before: the cost of a server that fetches nothing.
final class KeptBodyRelay: Relay {
    let remark: String? = "nothing is fetched while it is played: the figures are those of the server itself"
    private let relay: any Relay
    private let directory: String
    private let bodies = Mutex<[URL: [UInt8]]>([:])

    init(_ relay: any Relay, in directory: String) {
        (self.relay, self.directory) = (relay, directory)
    }

    func fetch(_ urls: [URL]) async throws(FetchFailure) {
        for url in urls {
            let buffer = CollectingSink()
            try await relay.relay(FetchRequest(url: url, destination: "\(directory)/kept.body"), to: buffer)
            bodies.withLock { $0[url] = buffer.bytes }
        }
    }

    func relay(_ request: FetchRequest, to sink: any BodySink) async throws(FetchFailure) {
        guard let body = bodies.withLock({ $0[request.url] }) else {
            throw FetchFailure(.other, "requested body was not fetched in advance")
        }
        try await sink.begin(byteCount: body.count)
        try await sink.send(body)
    }

    func invalidate() async { await relay.invalidate() }
}

private final class CollectingSink: BodySink {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock(\.self) }

    func begin(byteCount: Int?) async {
        collected.withLock { $0.reserveCapacity(byteCount ?? 0) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        collected.withLock { $0.append(contentsOf: bytes) }
        return bytes.count
    }

    func waitForRoom() async {}
}
