// SPDX-License-Identifier: Apache-2.0

/// A program of one file that shows whether a promise of URLSession is kept, for bug reports.
///
/// Its first argument is the base URL of an origin. It calls the API as a user would, prints one line
/// `expected: …; got: …`, and exits with 0 if the promise is kept and with 1 if not. A promise that is broken by a trap
/// or a hang shows itself.
package struct MinimalProgram: Sendable {
    package let row: String
    /// The source; it ends with a line break.
    package let source: String
    /// True for a program of which the compiler alone is asked, because the API is missing.
    package let isSnippet: Bool
    package var isOverTLS: Bool { BehaviourCatalog.all.contains { $0.name == row && $0.isOverTLS } }

    private init(_ row: String, source: String) {
        // Every program begins with the same imports, and some have more.
        let imports = "import Foundation\nimport FoundationNetworking\n"
        self.source = imports + (source.hasPrefix("import ") ? "" : "\n") + source
        (self.row, isSnippet) = (row, false)
    }

    private init(_ original: MinimalProgram, as row: String, with words: KeyValuePairs<String, String>) {
        source = words.reduce(original.source) { $0.replacing($1.key, with: $1.value) }
        (self.row, isSnippet) = (row, false)
    }

    package init?(for behaviour: Behaviour) {
        if case .snippet(let snippet) = behaviour.attempt {
            (row, source, isSnippet) = (behaviour.name, snippet.source, true)
        } else {
            guard let program = Self.all.first(where: { $0.row == behaviour.name }) else { return nil }
            self = program
        }
    }

    /// All programs but those of missing APIs, which are the snippets of their behaviours.
    package static let all: [MinimalProgram] = {
        let own = files.map { MinimalProgram($0.row, source: String(decoding: $0.bytes, as: UTF8.self)) }
        return own
            + variants.flatMap { variant in
                own.filter { $0.row == variant.original }.map { Self($0, as: variant.row, with: variant.words) }
            }
    }()

    /// The parts that several programs begin with: the files of the folder Programs/Shared, each before an empty line.
    private static let asking = PackageResources.asking_swift + "\n".utf8
    private static let peak = PackageResources.peak_swift + "\n".utf8
    private static let processorTime = PackageResources.processor_time_swift + "\n".utf8
    private static let served = PackageResources.served_swift + "\n".utf8

    private static let variants: [(row: String, original: String, words: KeyValuePairs<String, String>)] = [
        ("cancel-download-async", "cancel-async-fast", ["session.data(": "session.download("]),
        ("redirect-308-body", "redirect-307-body", ["307": "308"]),
        ("cookie-lines", "header-lines", ["/headers/": "/cookies/"]),
        ("redirect-body", "header-lines", ["/headers/2000": "/redirect-body/2", "/headers/8000": "/redirect-body/8"]),
        ("small-chunks-download", "small-chunks", ["dataTask": "downloadTask"]),
        ("waiting-new-connection", "waiting-first-byte", ["/1KiB?delay=2000": "/128KiB?rate=64KiB"]),
        ("waiting-concurrent", "waiting-first-byte", ["0..<1": "0..<4"]),
        (
            "waiting-upload", "waiting-first-byte",
            [
                "/bytes/1KiB": "/sink", "GET": "POST",
                "dataTask(with: request": "uploadTask(with: request, from: Data(count: 1 << 20)",
            ]
        ),
        (
            "progress-data-object", "progress-data-count",
            ["countOfBytesReceived": "progress.fractionCompleted", "2097152": "1.0", "2_097_152": "1"]
        ),
        (
            "suspend-resume-download", "suspend-resume-handler",
            [
                "dataTask(with: url) { data, _, error in": "downloadTask(with: url) { file, _, error in",
                "data?.count ?? 0":
                    "(try? FileManager.default.attributesOfItem(atPath: file?.path ?? \"\"))?[.size] as? Int ?? 0",
                "16777216 bytes": "a file of 16777216 bytes",
            ]
        ),
        ("cancel-data-shared", "cancel-data-with-cache", ["URLSession(configuration: .default)": "URLSession.shared"]),
        (
            "trailer", "bare-lf",
            [
                "An answer whose lines end with a line feed alone.": "A chunked answer with a trailer field.",
                "bare-lf": "trailer",
            ]
        ),
    ]

    /// The files of the folder Programs, which are part of the executable, by the row that each is named after.
    private static let files: [(row: String, bytes: [UInt8])] = [
        ("back-pressure-data", peak + PackageResources.back_pressure_data_swift),
        ("back-pressure-download", peak + PackageResources.back_pressure_download_swift),
        ("bare-lf", asking + PackageResources.bare_lf_swift),
        ("body-stream-length", PackageResources.body_stream_length_swift),
        ("caches", asking + PackageResources.caches_swift),
        ("caches-ephemeral", asking + PackageResources.caches_ephemeral_swift),
        ("cancel-async-fast", PackageResources.cancel_async_fast_swift),
        ("cancel-data-with-cache", PackageResources.cancel_data_with_cache_swift),
        ("cancel-download-file", PackageResources.cancel_download_file_swift),
        ("configuration-shown", asking + PackageResources.configuration_shown_swift),
        ("cookies-kept-max-age", asking + PackageResources.cookies_kept_max_age_swift),
        ("credential-storage", PackageResources.credential_storage_swift),
        ("custom-protocol-download", served + PackageResources.custom_protocol_download_swift),
        ("custom-protocol-download-delegate", served + PackageResources.custom_protocol_download_delegate_swift),
        ("cut-gzip", asking + PackageResources.cut_gzip_swift),
        ("digest-challenge", PackageResources.digest_challenge_swift),
        ("disposition", PackageResources.disposition_swift),
        ("download-async-delegate", PackageResources.download_async_delegate_swift),
        ("earliest-begin-date", PackageResources.earliest_begin_date_swift),
        ("header-lines", processorTime + PackageResources.header_lines_swift),
        ("ipv6-literal", asking + PackageResources.ipv6_literal_swift),
        ("leaves-nothing-data", peak + PackageResources.leaves_nothing_data_swift),
        ("main-run-loop", PackageResources.main_run_loop_swift),
        ("metrics", PackageResources.metrics_swift),
        ("post-kept-connection", PackageResources.post_kept_connection_swift),
        ("progress-data-count", PackageResources.progress_data_count_swift),
        ("proxy-dictionary", asking + PackageResources.proxy_dictionary_swift),
        ("receive-on-main-thread", PackageResources.receive_on_main_thread_swift),
        ("redirect-307-body", PackageResources.redirect_307_body_swift),
        ("redirect-authorization", PackageResources.redirect_authorization_swift),
        ("redirect-cookie-delegate", PackageResources.redirect_cookie_delegate_swift),
        ("request-timeout-granularity", PackageResources.request_timeout_granularity_swift),
        ("request-timeout-queued", PackageResources.request_timeout_queued_swift),
        ("request-timeout-zero", asking + PackageResources.request_timeout_zero_swift),
        ("resource-timeout", PackageResources.resource_timeout_swift),
        ("resume-data", PackageResources.resume_data_swift),
        ("scheme-upper-case", asking + PackageResources.scheme_upper_case_swift),
        ("server-trust", PackageResources.server_trust_swift),
        ("sessions-independent", PackageResources.sessions_independent_swift),
        ("short-address", asking + PackageResources.short_address_swift),
        ("short-body-code", asking + PackageResources.short_body_code_swift),
        ("small-chunks", peak + PackageResources.small_chunks_swift),
        ("suspend-resume-data", PackageResources.suspend_resume_data_swift),
        ("suspend-resume-handler", PackageResources.suspend_resume_handler_swift),
        ("suspended-timeout", PackageResources.suspended_timeout_swift),
        ("task-delegate", PackageResources.task_delegate_swift),
        ("task-delegate-async", PackageResources.task_delegate_async_swift),
        ("temporary-file", PackageResources.temporary_file_swift),
        ("tight-header", asking + PackageResources.tight_header_swift),
        ("unauthorized", PackageResources.unauthorized_swift),
        ("untrusted-code", asking + PackageResources.untrusted_code_swift),
        ("waiting-first-byte", processorTime + PackageResources.waiting_first_byte_swift),
        ("websocket", PackageResources.websocket_swift),
    ]
}
