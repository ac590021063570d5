// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The session of URLSession that a mode fetches with.
    static let session = words(
        "session", kind: "session configuration",
        "URLSession configurations: bare (no cache, no cookies), ephemeral (both in memory), default (both on disk), shared (default: bare).",
        valueName: "kinds", suiteKey: "sessions",
        note: [
            "Sessions other than bare have a cache; cancelling one of their tasks right after its start can crash the process",
            "on Linux (swift-corelibs-foundation #3296). Responses are not cached there, so none is served from a cache.",
        ], \.session
    ) { cell in
        guard cell.mode.abilities.contains(.sessionConfiguration) else {
            return "mode \(cell.mode.name) does not use URLSession, so --session does not apply"
        }
        return cancelObstacle(cell) ?? (cell.cell.conditions.session == .shared ? sharedObstacle(cell) : nil)
    }

    /// The reason why a scenario that cancels is not played with a session that has a cache.
    private static func cancelObstacle(_ cell: CaseObstacle) -> String? {
        let conditions = cell.cell.conditions
        let choice = conditions.scenario
        guard conditions.session.hasCache, choice != .none,
            let scenario = cell.planned.scenarios.first(where: { $0.name == choice.name })
        else { return nil }
        let abilities = scenario.needs.abilities.union(scenario.variant(of: choice)?.abilities ?? [])
        guard abilities.contains(.cancellation) || scenario.needs.loader else { return nil }
        return
            "\(choice.text) cancels fetches, and URLSession can crash when a task of a session with a cache, such as "
            + "\(conditions.session.rawValue), is cancelled (swift-corelibs-foundation #3296): use --session bare"
    }

    /// The reason why a case cannot use the session that the whole process shares.
    private static func sharedObstacle(_ cell: CaseObstacle) -> String? {
        let name = cell.mode.name
        if !cell.mode.abilities.isDisjoint(with: [.slowConsumer, .pieces]) {
            return "mode \(name) needs a delegate, which URLSession.shared does not support"
        }
        let choice = cell.cell.conditions.scenario
        let scenario = cell.planned.scenarios.first { $0.name == choice.name }
        if scenario?.variant(of: choice)?.abilities.contains(.sessionConfiguration) == true {
            return "\(choice.text) creates sessions, so it cannot use URLSession.shared"
        }
        if cell.maximumConnections != nil {
            return "URLSession.shared cannot be configured: omit --max-connections"
        }
        guard !cell.asset.isEmbedded, cell.request != nil || cell.asset.location.contains("@") else { return nil }
        return
            "URLSession.shared has no delegate that could withhold headers and credentials from a redirect to another "
            + "host: use another --session"
    }
}
