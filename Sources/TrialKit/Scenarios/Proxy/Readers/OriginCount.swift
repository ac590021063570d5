// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The embedded origin's own counts, in addition to those of a client.
package struct OriginCount: Codable, Hashable {
    /// The accepted connections, without those that only requested this.
    package let connectionsAccepted: Int
    /// The bytes of bodies that the kernel has taken.
    package let byteCountSent: Int

    private enum CodingKeys: String, CodingKey {
        case connectionsAccepted = "connections_accepted"
        case byteCountSent = "bytes_sent"
    }

    /// Requests the counts of the origin on a port of 127.0.0.1.
    package static func now(at port: Int) throws -> OriginCount {
        try JSONDecoder().decode(OriginCount.self, from: Data(try ReaderClient(port: port).document(at: "/stats")))
    }
}
