// SPDX-License-Identifier: Apache-2.0

extension BehaviourCatalog {
    /// Slow consumers: they slow the sender down, or bytes pile up in memory.
    static let backPressure = [
        Behaviour(
            "back-pressure-data", path: APIName.dataDelegate,
            promise: "A delegate that does not return keeps the origin from sending.", documented: .blockedDelegate,
            flaw: Flaw(
                .hazard,
                cause:
                    "NativeProtocol.swift:140: each chunk becomes an operation of the delegate's queue, which has no "
                    + "limit; pausing the transfer is a fatalError (line 80)",
                upstream: [.foundation(3204, .open)],
                workaround: .row(
                    "back-pressure-blocking-queue", "a queue that blocks in addOperation, at the price of all sessions")
            ),
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-blocking-queue", path: APIName.dataDelegate,
            promise:
                "Workaround: the same where the delegate's queue makes URLSession wait in addOperation. "
                + "Price: all sessions of the process and their timers wait, too.",
            documented: nil,
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-download", path: APIName.download,
            promise: "Memory stays flat while the delegate does not return from a progress call.",
            documented: .blockedDelegate,
            flaw: Flaw(
                .hazard,
                cause: "NativeProtocol.swift:149: each progress call captures its chunk, of which it needs the size "
                    + "alone; one line upstream would fix it",
                upstream: [.foundation(3204, .open)],
                workaround: .untried("return from the progress call at once, and do the work elsewhere")),
            observe: heldWhileBlocked),
        Behaviour(
            "back-pressure-ahc", path: APIName.client,
            promise: "A body that is not read any further keeps the origin from sending.",
            documented: .clientGuide, observe: sentWhileBlocked),
    ]

    /// A limit above the socket buffers of both sides: a quarter of the body.
    private static let limit = 16 << 20

    private static func sentWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let blocked = evidence.mark("blocked"), blocked.requests > 0 else { return .missing("blocked transfer") }
        return .decide(
            blocked.bytesSent <= limit,
            "the origin sent \(ObservationText.mebibytes(blocked.bytesSent)) of 64 MiB to a consumer that took one piece"
        )
    }

    private static func heldWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let before = evidence.mark("before"), let blocked = evidence.mark("blocked"), blocked.requests > 0
        else { return .missing("blocked transfer") }
        let growth = blocked.anonymousBytes - before.anonymousBytes
        return .decide(
            growth <= limit,
            "the process grew by \(ObservationText.mebibytes(growth)) while the origin sent "
                + "\(ObservationText.mebibytes(blocked.bytesSent)) of 64 MiB")
    }
}
