// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// What an origin has served since it was started: its own count, beside the client's.
///
/// Requests to `/stats` and `/requests`, and connections that only asked for these, are not counted.
package struct OriginStatistics: Codable, Hashable, Sendable {
    package var requests: Int

    /// The same by path, without the query.
    ///
    /// After 1,000 different paths the rest is counted under `*`, so that no client can make the origin grow.
    package var paths: [String: Int]

    /// The bytes of bodies that the kernel has taken, without headers and chunk framing.
    ///
    /// A write that was under way when its client left is not counted.
    package var bytesSent: ByteCount

    /// The connections that are open now.
    package var openConnections: Int

    package var connectionsAccepted: Int

    /// The most connections that were open at one time, each of them counted from its first request on.
    package var mostOpenConnections: Int

    /// The most requests that were under way at one time, from their heads until their answers ended.
    package var mostConcurrentRequests: Int

    package init(
        requests: Int = 0, paths: [String: Int] = [:], bytesSent: ByteCount = .zero, openConnections: Int = 0,
        connectionsAccepted: Int = 0, mostOpenConnections: Int = 0, mostConcurrentRequests: Int = 0
    ) {
        self.requests = requests
        self.paths = paths
        self.bytesSent = bytesSent
        self.openConnections = openConnections
        self.connectionsAccepted = connectionsAccepted
        self.mostOpenConnections = mostOpenConnections
        self.mostConcurrentRequests = mostConcurrentRequests
    }

    private enum CodingKeys: String, CodingKey {
        case requests
        case paths
        case bytesSent = "bytes_sent"
        case openConnections = "open_connections"
        case connectionsAccepted = "connections_accepted"
        case mostOpenConnections = "most_open_connections"
        case mostConcurrentRequests = "most_concurrent_requests"
    }
}
