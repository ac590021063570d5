// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// What a child is told: which case it runs, and what it reads meanwhile.
package struct ChildRequest: Codable, Sendable {
    enum Work: Codable, Hashable, Sendable {
        case peak
        /// What is allocated after each of many runs.
        case series(SeriesWork)
    }

    var test: String
    var testCase: CaseKey
    var work: Work
}

struct SeriesWork: Codable, Hashable, Sendable {
    /// How many runs come before the first reading.
    var warmUp: Int
    var repetitions: Int
    /// How many are read even where time is up.
    var fewest: Int
    /// How many seconds the process may read further ones, the first runs included.
    var seconds: Int
}

struct ChildAnswer: Codable, Sendable {
    enum Reading: Codable, Sendable {
        case peak(PeakGrowth)
        /// What was allocated after each repetition, in bytes as the allocator counts them.
        case series([Int])
        /// Nothing can be read here; the text says why.
        case unmeasurable(String)
    }

    var reading: Reading
    var allocator: String
}

/// Where the documents of a child are: a folder of its own, that the parent makes and removes.
package struct ChildFolder: Hashable, Sendable {
    /// The variable that makes a process a child: the number of its parent, and the folder.
    static let variable = "MEMPROBE_TESTING_CHILD"

    package let path: String

    package init(path: String) { self.path = path }

    var request: String { path + "/request.json" }
    var answer: String { path + "/answer.json" }
    var events: String { path + "/events.jsonl" }
    var attachments: String { path + "/attachments" }
    var recordings: String { path + "/recordings" }
}
