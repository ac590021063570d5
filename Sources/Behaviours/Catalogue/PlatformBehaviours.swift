// SPDX-License-Identifier: Apache-2.0

import AssetServer

extension BehaviourCatalog {
    /// What is there at all: asked of the compiler where it cannot be run.
    static let platform = [
        snippet(
            "exists-data-async", "data(from:), the async function, exists.", symbol: "data",
            "_ = try await session.data(from: url)"),
        snippet(
            "exists-bytes-async", "bytes(from:), a body as an asynchronous sequence, exists.", symbol: "bytes",
            "for try await _ in try await session.bytes(from: url).0 {}"),
        snippet(
            "exists-stream-task", "Stream tasks exist.", symbol: "streamTask",
            "session.streamTask(withHostName: \"127.0.0.1\", port: 80).resume()"),
        snippet(
            "exists-background", "Background configurations exist.", symbol: "background",
            "_ = URLSessionConfiguration.background(withIdentifier: \"a\")"),
        snippet(
            "exists-waits-for-connectivity", "waitsForConnectivity exists.", symbol: "waitsForConnectivity",
            "session.configuration.waitsForConnectivity = true"),
        snippet(
            "exists-kvo", "A task's progress can be observed by key path.", symbol: "observe",
            "_ = session.dataTask(with: url).progress.observe(\\.fractionCompleted) { _, _ in }"),
        Behaviour(
            "websocket", path: Path.platform, promise: "A WebSocket task asks for an upgrade.", silenceAnswers: true
        ) { evidence in
            let upgrades = evidence.requests.count { $0.headers["upgrade"]?.lowercased() == "websocket" }
            return .decide(
                upgrades > 0,
                "\(Wording.count(upgrades, "upgrade")) asked of the origin; the caller got "
                    + (evidence.fact("error") ?? "no error"))
        },
    ]

    private static func snippet(_ name: String, _ promise: String, symbol: String, _ body: String) -> Behaviour {
        Behaviour(
            name, path: Path.platform, promise: promise, attempt: .snippet(Snippet(symbol: symbol, body: body)),
            seconds: 90
        ) { _ in
            .missing("rule for a snippet")
        }
    }
}
