// SPDX-License-Identifier: Apache-2.0

// Made by scripts/embed-suites of Benchmarks/suites; edit those, not this.

/// The suites of the project, as their files are.
enum EmbeddedSuites {
    /// Each by its name, which is that of its file.
    static let all: [(name: String, yaml: String)] = [
        ("async", asyncSuite),
        ("cache", cacheSuite),
        ("check", checkSuite),
        ("concurrency", concurrencySuite),
        ("default", defaultSuite),
        ("gallery", gallerySuite),
        ("http2", http2Suite),
        ("json", jsonSuite),
        ("laws", lawsSuite),
        ("modes", modesSuite),
        ("peers", peersSuite),
        ("proxy", proxySuite),
        ("repeat", repeatSuite),
        ("resume", resumeSuite),
        ("slots", slotsSuite),
        ("slow-consumer", slowConsumerSuite),
        ("small-answers", smallAnswersSuite),
        ("sweep", sweepSuite),
        ("ten-tasks", tenTasksSuite),
    ]
}
