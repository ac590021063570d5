// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

/// The figures of one attempt, without the individual requests.
package struct Figures: Codable, Hashable, Sendable {
    package var requests: Int
    /// The largest number of them at the same time.
    package var mostConcurrent: Int
    package var connections: Int
    /// The bytes of bodies that the origin's kernel took.
    package var bytesSent: Int
    package var marks: [Reading]
    package var files: [SeenFile]
    /// The count of each reported value, by name.
    package var facts: [String: [String: Int]]
    /// The lifetime of the child, in nanoseconds.
    package var duration: Int

    package init(_ evidence: Evidence) {
        requests = evidence.requests.count
        mostConcurrent = evidence.mostConcurrent
        connections = Set(evidence.requests.map(\.connection)).count
        bytesSent = evidence.bytesSent
        marks = evidence.marks
        files = evidence.files
        facts = evidence.facts.reduce(into: [:]) { $0[$1.name, default: [:]][$1.value, default: 0] += 1 }
        duration = evidence.duration
    }

    private enum CodingKeys: String, CodingKey {
        case requests, connections, marks, files, facts
        case mostConcurrent = "most_concurrent_requests"
        case bytesSent = "bytes_sent"
        case duration = "duration_ns"
    }
}
