// SPDX-License-Identifier: Apache-2.0

/// The suites of this folder.
///
/// They are part of the executable, so they are available wherever it is installed.
package enum EmbeddedSuites {
    /// Each suite by its name, which is that of its file.
    package static let all: [(name: String, yaml: String)] = files.map {
        ($0.name, String(decoding: $0.bytes, as: UTF8.self))
    }

    private static let files: [(name: String, bytes: [UInt8])] = [
        ("async", PackageResources.async_yml),
        ("cache", PackageResources.cache_yml),
        ("check", PackageResources.check_yml),
        ("concurrency", PackageResources.concurrency_yml),
        ("default", PackageResources.default_yml),
        ("gallery", PackageResources.gallery_yml),
        ("http2", PackageResources.http2_yml),
        ("json", PackageResources.json_yml),
        ("laws", PackageResources.laws_yml),
        ("modes", PackageResources.modes_yml),
        ("peers", PackageResources.peers_yml),
        ("repeat", PackageResources.repeat_yml),
        ("resume", PackageResources.resume_yml),
        ("slots", PackageResources.slots_yml),
        ("slow-consumer", PackageResources.slow_consumer_yml),
        ("small-answers", PackageResources.small_answers_yml),
        ("sweep", PackageResources.sweep_yml),
        ("ten-tasks", PackageResources.ten_tasks_yml),
    ]
}
