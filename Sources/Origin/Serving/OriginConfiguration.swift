// SPDX-License-Identifier: Apache-2.0

package import Runs

/// Where an origin listens, and what it serves how fast.
package struct OriginConfiguration: Sendable {
    /// The address, or `localhost`.
    package var host: String

    /// The port, or 0 for one that is free.
    package var port: Int

    /// The rate of every request that asks for none.
    package var rate: TransferRate

    /// How long the first byte of each answer waits, in nanoseconds; an observer's does not.
    ///
    /// One round trip for each request, whatever connection it is on: neither TCP's handshake waits, nor that of TLS.
    package var latencyNanoseconds = 0

    /// Where the images come from.
    package var library: AssetLibrary

    /// Whether the origin may be reached from other machines.
    ///
    /// It has no authentication, and its faults are made to hurt clients.
    package var allowNonLoopback: Bool

    /// Whether the origin listens on a second, free port too, with a certificate that it makes when it starts.
    ///
    /// The certificate is for `localhost`, 127.0.0.1 and ::1; HTTP/1.1 is spoken there, too.
    package var offersTLS: Bool

    /// How many threads serve connections; a connection stays on its thread.
    package var threadCount: Int

    /// Where it notes when it sent how much, or `nil`.
    package var journalPath: String?

    /// Creates a configuration; the defaults are a free port of 127.0.0.1, 60 MiB a second and one thread.
    package init(
        host: String = "127.0.0.1", port: Int = 0, rate: TransferRate = .standard, library: AssetLibrary,
        allowNonLoopback: Bool = false, offersTLS: Bool = false, threadCount: Int = 1,
        journalPath: String? = nil
    ) {
        self.host = host
        self.port = port
        self.rate = rate
        self.library = library
        self.allowNonLoopback = allowNonLoopback
        self.offersTLS = offersTLS
        self.threadCount = threadCount
        self.journalPath = journalPath
    }
}

extension OriginConfiguration {
    /// The address to bind: `localhost` means 127.0.0.1, whatever the machine's resolver thinks.
    ///
    /// - Throws: ``AssetError/Code/address`` for what is not an address of this machine alone, unless that is allowed.
    package func bindAddress() throws(AssetError) -> String {
        let address = host == "localhost" ? "127.0.0.1" : host
        guard allowNonLoopback || Self.isLoopback(address) else {
            throw AssetError(.address, "\(host) can be reached from other machines; the origin listens on 127.0.0.1")
        }
        guard (0...65_535).contains(port) else { throw AssetError(.address, "\(port) is no port") }
        guard threadCount > 0 else { throw AssetError(.address, "an origin needs at least one thread") }
        return address
    }

    /// Whether an address is `::1` or one of 127.0.0.0/8.
    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
