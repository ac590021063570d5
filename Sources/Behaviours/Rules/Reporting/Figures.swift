// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

/// The figures of one attempt, without the list of its requests.
package struct Figures: Codable, Hashable, Sendable {
    package var requests: Int
    /// How many of them at the same time.
    package var mostConcurrent: Int
    /// Over how many connections.
    package var connections: Int
    /// How many bytes of bodies the origin's kernel took.
    package var bytesSent: Int
    /// What the kernel knew at the probe's marks.
    package var marks: [Reading]
    package var files: [SeenFile]
    /// How often the child reported which value of what.
    package var facts: [String: [String: Int]]
    /// How long the child lived, in nanoseconds.
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
