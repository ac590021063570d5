// SPDX-License-Identifier: Apache-2.0

import Origin

extension BehaviourCatalog {
    /// The existence of APIs: the compiler is asked, as a missing one cannot be run.
    static let platform = [
        snippet(
            "exists-data-async", "data(from:), the async function, exists.", symbol: "data",
            "_ = try await session.data(from: url)"),
        snippet(
            "exists-bytes-async", "bytes(from:), a body as an asynchronous sequence, exists.", symbol: "bytes",
            "for try await _ in try await session.bytes(from: url).0 {}",
            missing: "no such member", upstream: "swift-corelibs-foundation#3473; pull request #3036"),
        snippet(
            "exists-stream-task", "Stream tasks exist.", symbol: "streamTask",
            "session.streamTask(withHostName: \"127.0.0.1\", port: 80).resume()",
            missing: "URLSession.swift:513: a stub, marked as unavailable"),
        snippet(
            "exists-background", "Background configurations exist.", symbol: "background",
            "_ = URLSessionConfiguration.background(withIdentifier: \"a\")",
            missing: "URLSessionConfiguration.swift:248: a stub, marked as unavailable"),
        snippet(
            "exists-waits-for-connectivity", "waitsForConnectivity exists.", symbol: "waitsForConnectivity",
            "session.configuration.waitsForConnectivity = true",
            missing: "URLSessionConfiguration.swift:158: a stub that can only be read"),
        snippet(
            "exists-kvo", "A task's progress can be observed by key path.", symbol: "observe",
            "_ = session.dataTask(with: url).progress.observe(\\.fractionCompleted) { _, _ in }",
            missing: "no such member: key-value observing is Objective-C's"),
        Behaviour(
            "websocket", path: Path.platform, promise: "A WebSocket task asks for an upgrade.", silenceAnswers: true,
            flaw: Flaw(
                .absent,
                cause: "CFURLSessionInterface.c:172: left out where Foundation is built with the headers of a libcurl "
                    + "before 7.86, whichever is loaded; the task ends with -1002 then (URLSessionTask.swift:936)",
                upstream: "swift-corelibs-foundation#5431; pull request #4643"),
            observe: upgraded),
    ]

    private static func upgraded(_ evidence: Evidence) -> Observation {
        let upgrades = evidence.requests.count { $0.headers["upgrade"]?.lowercased() == "websocket" }
        let error = evidence.fact("error") ?? "no error"
        guard upgrades == 0, evidence.requests.isEmpty else {
            return .decide(
                upgrades > 0, "\(Wording.count(upgrades, "upgrade")) asked of the origin; the caller got \(error)")
        }
        // The loaded libcurl may have it: what counts is the one that the toolchain was built with.
        let built = evidence.fact("toolchain-platform") ?? "a platform that it does not tell"
        let loaded = evidence.fact("libcurl").map { String($0.prefix { $0 != " " }) } ?? "no libcurl"
        return Observation(
            .absent,
            "absent in this build of the toolchain: built on \(built), with \(loaded) loaded; "
                + "no request at the origin, the caller got \(error)")
    }

    private static func snippet(
        _ name: String, _ promise: String, symbol: String, _ body: String, missing cause: String? = nil,
        upstream: String? = nil
    ) -> Behaviour {
        Behaviour(
            name, path: Path.platform, promise: promise, attempt: .snippet(Snippet(symbol: symbol, body: body)),
            seconds: 90, flaw: cause.map { Flaw(.absent, cause: $0, upstream: upstream) }
        ) { _ in
            .missing("rule for a snippet")
        }
    }
}
