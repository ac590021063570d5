// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProbeProtocol

extension ProbeCatalog {
    static let costs: [Probe] =
        CostProbe.Round.allCases.map { round in
            Probe("waiting-\(round.rawValue)") { try await wait($0, round, .urlSession) }
        }
        + AskingClient.others.map { client in
            Probe("waiting-\(client.name)") { context in
                for round in CostProbe.Round.allCases where client.keepsConnections || round != .keptConnection {
                    try await wait(context, round, client)
                }
            }
        }
        + ([.urlSession] + AskingClient.parsers).flatMap { client in
            [
                growing("header-lines", CostProbe.fields, client) { "/faults/headers/\($0)" },
                growing("cookie-lines", CostProbe.fields, client) { "/faults/cookies/\($0)" },
            ]
        }
        + ([.urlSession, .download] + AskingClient.parsers).map { client in
            growing("small-chunks", CostProbe.chunks, client) { "/bytes/1MiB?encoding=chunked&chunk=\($0)" }
        }
        + ([.urlSession] + AskingClient.parsers.filter(\.followsRedirects)).map { client in
            growing("redirect-body", CostProbe.redirects, client) { "/faults/redirect-body/\($0)" }
        }

    private static func wait(_ context: ProbeContext, _ round: CostProbe.Round, _ client: AskingClient) async throws {
        let call = try client.begin(context)
        if ![.newConnection, .firstByte].contains(round) { try await call.ask("/bytes/1KiB", 0) }
        context.mark("\(round.rawValue)-before")
        switch round {
        case .newConnection: try await call.ask("/bytes/64KiB?rate=64KiB", 0)
        case .firstByte, .keptConnection: try await call.ask("/bytes/1KiB?delay=1000", 0)
        case .upload: try await call.ask("/sink?delay=1000", 8 << 20)
        case .concurrent:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await call.ask("/bytes/1KiB?delay=1000", 0) } }
                try await group.waitForAll()
            }
        }
        context.mark("\(round.rawValue)-after")
        try await call.end()
    }

    /// Asks for answers of several sizes, each of them on a connection that is open already.
    private static func growing(
        _ name: String, _ sizes: [Int], _ client: AskingClient, path: @escaping @Sendable (Int) -> String
    ) -> Probe {
        Probe(name + client.suffix) { context in
            let call = try client.begin(context)
            try await call.ask("/bytes/1KiB", 0)
            context.mark("0")
            for size in sizes {
                for _ in 0..<CostProbe.count(of: size, among: sizes) {
                    do { try await call.ask(path(size), 0) } catch {
                        context.report("refused", size)
                        context.report("refusal", "\(error)")
                    }
                }
                context.mark("\(size)")
            }
            try await call.end()
        }
    }
}
