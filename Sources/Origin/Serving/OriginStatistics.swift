// SPDX-License-Identifier: Apache-2.0

package import MemProbe

/// The counts of an origin since its start, independent of the client's.
///
/// Requests for `/stats` and `/requests`, and connections that sent only these, are not counted.
package struct OriginStatistics: Codable, Hashable, Sendable {
    package var requests: Int

    /// The number of requests by path, without the query; `*` stands for all after 1,000 paths, to bound memory.
    package var paths: [String: Int]

    /// The bytes of bodies taken by the kernel, without headers, chunk framing and writes that failed at a disconnect.
    package var bytesSent: ByteCount

    package var openConnections: Int

    package var connectionsAccepted: Int

    /// The maximum of simultaneous open connections, each counted from its first request on.
    package var mostOpenConnections: Int

    /// The maximum of simultaneous requests, each counted from its head until its answer ended.
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
        case requests, paths
        case bytesSent = "bytes_sent"
        case openConnections = "open_connections"
        case connectionsAccepted = "connections_accepted"
        case mostOpenConnections = "most_open_connections"
        case mostConcurrentRequests = "most_concurrent_requests"
    }
}
