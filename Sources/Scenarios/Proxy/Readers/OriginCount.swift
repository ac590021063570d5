// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The embedded origin's own count, beside what a client says of itself.
struct OriginCount: Codable, Hashable {
    private let connectionsAccepted: Int

    private enum CodingKeys: String, CodingKey {
        case connectionsAccepted = "connections_accepted"
    }

    /// How many connections the origin on this port of 127.0.0.1 has accepted, those left out that only asked for this.
    static func connections(at port: Int) throws -> Int {
        var text: [UInt8] = []
        _ = try ReaderClient(port: port).read("/stats") { text += $0 }
        return try JSONDecoder().decode(OriginCount.self, from: Data(text)).connectionsAccepted
    }
}
