// SPDX-License-Identifier: Apache-2.0

import TrialKit

extension Dimension {
    /// The session of URLSession that a mode fetches with.
    static let session = words(
        "session", kind: "session configuration",
        "Sessions of URLSession: bare (no cache, no cookies), ephemeral (both in memory), default (both on disk), shared.",
        valueName: "kinds", suiteKey: "sessions",
        note: [
            "A session other than bare has a cache, and a task that is cancelled right after its start can end the process on",
            "Linux (swift-corelibs-foundation #3296). Responses are stored in no cache there, so it serves none of them.",
        ], \.session
    ) { cell in
        guard cell.mode.abilities.contains(.sessionConfiguration) else {
            return "mode \(cell.mode.name) has no session of URLSession that could be configured"
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
            "\(choice.text) can cancel fetches, and URLSession can trap when a task is cancelled whose session has a cache, as "
            + "session \(conditions.session.rawValue) has (swift-corelibs-foundation #3296): ask for --session bare"
    }

    /// The reason why a case cannot use the session that the whole process shares.
    private static func sharedObstacle(_ cell: CaseObstacle) -> String? {
        let name = cell.mode.name
        if !cell.mode.abilities.isDisjoint(with: [.slowConsumer, .pieces]) {
            return "mode \(name) has a delegate, which URLSession.shared does not take"
        }
        let choice = cell.cell.conditions.scenario
        let scenario = cell.planned.scenarios.first { $0.name == choice.name }
        if scenario?.variant(of: choice)?.abilities.contains(.sessionConfiguration) == true {
            return "\(choice.text) makes sessions of its own, and URLSession.shared is one for the whole process"
        }
        if cell.maximumConnections != nil {
            return "URLSession.shared opens as many connections as it is configured for: leave --max-connections out"
        }
        guard !cell.asset.isEmbedded, cell.request != nil || cell.asset.location.contains("@") else { return nil }
        return
            "URLSession.shared takes no delegate that would keep headers and credentials from following a redirect to "
            + "another host: ask for another session"
    }
}
