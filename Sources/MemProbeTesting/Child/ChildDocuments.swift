// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The instructions for a child.
package struct ChildRequest: Codable, Sendable {
    enum Work: Codable, Hashable, Sendable {
        case peak
        /// Read the allocated bytes after each of many runs.
        case series(SeriesWork)
    }

    var test: String
    var testCase: CaseKey
    var work: Work
}

struct SeriesWork: Codable, Hashable, Sendable {
    /// The number of runs before the first reading.
    var warmUp: Int
    var repetitions: Int
    /// The number of readings to take even after the time limit.
    var fewest: Int
    /// The time limit for further readings in seconds, including the first runs.
    var seconds: Int
}

struct ChildAnswer: Codable, Sendable {
    enum Reading: Codable, Sendable {
        case peak(PeakGrowth)
        /// The allocated bytes after each repetition, as the allocator counts them.
        case series([Int])
        /// No reading is possible, for this reason.
        case unmeasurable(String)
    }

    var reading: Reading
    var allocator: String
}

/// The folder for a child's documents, which the parent creates and removes.
package struct ChildFolder: Hashable, Sendable {
    /// The variable that makes a process a child: `PARENT:FOLDER`.
    static let variable = "MEMPROBE_TESTING_CHILD"

    package let path: String

    package init(path: String) { self.path = path }

    var request: String { path + "/request.json" }
    var answer: String { path + "/answer.json" }
    var events: String { path + "/events.jsonl" }
    var attachments: String { path + "/attachments" }
    var recordings: String { path + "/recordings" }
}
