// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The embedded origin's own count, beside what a client says of itself.
package struct OriginCount: Codable, Hashable {
    /// How many connections it has accepted, those left out that only asked for this.
    package let connectionsAccepted: Int
    /// How many bytes of bodies the kernel has taken.
    package let byteCountSent: Int

    private enum CodingKeys: String, CodingKey {
        case connectionsAccepted = "connections_accepted"
        case byteCountSent = "bytes_sent"
    }

    /// What the origin on this port of 127.0.0.1 has counted.
    package static func now(at port: Int) throws -> OriginCount {
        try JSONDecoder().decode(OriginCount.self, from: Data(try ReaderClient(port: port).document(at: "/stats")))
    }
}
