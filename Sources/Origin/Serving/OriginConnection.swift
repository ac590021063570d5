// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The entries of one connection in the ledger; the streams of an HTTP/2 connection share one.
///
/// Bound to the event loop of its connection.
package final class OriginConnection {
    private let ledger: Ledger
    private var isOpen = false
    private var isCounted = false
    private var hasAsked = false
    /// The connection's number in the log, from its first request on.
    private var number: Int?

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// Counts the connection, once.
    func opened() {
        guard !isOpen else { return }
        isOpen = true
        isCounted = true
        ledger.opened()
    }

    func closed() {
        if isCounted { ledger.closed(hasAsked: hasAsked) }
        isCounted = false
    }

    /// Logs a request.
    func began(_ head: HTTPRequestHead, _ request: OriginRequest?) -> RequestEntry {
        if !hasAsked, isCounted { ledger.hasAsked() }
        hasAsked = true
        return ledger.began(head, request, on: &number)
    }

    /// Removes the connection from the count if an observer's request is its first.
    func observed() {
        if !hasAsked, isCounted {
            ledger.disowned()
            isCounted = false
        }
        hasAsked = true
    }
}
