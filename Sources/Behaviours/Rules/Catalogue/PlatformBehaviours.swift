// SPDX-License-Identifier: Apache-2.0

import Origin

extension BehaviourCatalog {
    /// The existence of APIs: the compiler is asked, as a missing one cannot be run.
    static let platform = [
        snippet(
            "exists-data-async", "data(from:), the async function, exists.", symbol: "data",
            "_ = try await session.data(from: url)",
            documented: .apple("data(from:delegate:)", "foundation/urlsession/data(from:delegate:)")),
        snippet(
            "exists-bytes-async", "bytes(from:), a body as an asynchronous sequence, exists.", symbol: "bytes",
            "for try await _ in try await session.bytes(from: url).0 {}",
            documented: .apple("bytes(from:delegate:)", "foundation/urlsession/bytes(from:delegate:)"),
            flaw: Flaw(
                .absent, cause: "no such member", upstream: [.foundation(3036, .open, "files only")],
                workaround: .row("back-pressure-ahc", "the body of async-http-client's execute"))),
        snippet(
            "exists-stream-task", "Stream tasks exist.", symbol: "streamTask",
            "session.streamTask(withHostName: \"127.0.0.1\", port: 80).resume()",
            documented: .apple("URLSessionStreamTask", "foundation/urlsessionstreamtask"),
            flaw: Flaw(
                .absent, cause: "URLSession.swift:513: a stub, marked as unavailable",
                upstream: [
                    .foundation(3473, .closed, "not done"), .foundation(2490, .merged, "marked it unavailable"),
                ],
                workaround: .none)),
        snippet(
            "exists-background", "Background configurations exist.", symbol: "background",
            "_ = URLSessionConfiguration.background(withIdentifier: \"a\")",
            documented: .apple(
                "background(withIdentifier:)", "foundation/urlsessionconfiguration/background(withidentifier:)"),
            flaw: Flaw(
                .absent, cause: "URLSessionConfiguration.swift:158: a stub, marked as unavailable", workaround: .none)),
        snippet(
            "exists-waits-for-connectivity", "waitsForConnectivity exists.", symbol: "waitsForConnectivity",
            "session.configuration.waitsForConnectivity = true",
            documented: .apple(
                "waitsForConnectivity", "foundation/urlsessionconfiguration/waitsforconnectivity"),
            flaw: Flaw(
                .absent,
                cause: "URLSessionConfiguration.swift:248: a stub that can only be read, marked as unavailable",
                workaround: .untried("try again after the error notConnectedToInternet"))),
        snippet(
            "exists-kvo", "A task's progress can be observed by key path.", symbol: "observe",
            "_ = session.dataTask(with: url).progress.observe(\\.fractionCompleted) { _, _ in }",
            documented: .apple("URLSessionTask.progress", "foundation/urlsessiontask/progress"),
            flaw: Flaw(
                .absent, cause: "no such member: key-value observing is Objective-C's",
                workaround: .row("progress-download", "the progress calls of a download task"))),
        Behaviour(
            "websocket", path: APIName.platform, promise: "A WebSocket task asks for an upgrade.",
            documented: .apple("URLSessionWebSocketTask", "foundation/urlsessionwebsockettask"), silenceAnswers: true,
            flaw: Flaw(
                .absent,
                cause: "CFURLSessionInterface.c:172: left out where Foundation is built with the headers of a libcurl "
                    + "before 7.86, whichever is loaded; a later one may lack WebSockets, too (8.5.0 in #5431). The task "
                    + "ends with -1002 then (URLSessionTask.swift:936)",
                upstream: [.foundation(5431, .closed), .foundation(4643, .merged, "needs libcurl 7.86")],
                workaround: .none),
            observe: upgraded),
    ]

    private static func upgraded(_ evidence: Evidence) -> Observation {
        let upgrades = evidence.requests.count { $0.headers["upgrade"]?.lowercased() == "websocket" }
        let error = evidence.fact("error") ?? "no error"
        guard upgrades == 0, evidence.requests.isEmpty else {
            return .decide(
                upgrades > 0,
                "\(ObservationText.count(upgrades, "upgrade")) asked of the origin; the caller got \(error)")
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
        _ name: String, _ promise: String, symbol: String, _ body: String, documented documentation: Documentation,
        flaw: Flaw? = nil
    ) -> Behaviour {
        Behaviour(
            name, path: APIName.platform, promise: promise, documented: documentation,
            attempt: .snippet(Behaviour.Snippet(symbol: symbol, body: body)), seconds: 90, flaw: flaw
        ) { _ in .missing("rule for a snippet") }
    }
}
