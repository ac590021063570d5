// SPDX-License-Identifier: Apache-2.0

extension BehaviourCatalog {
    /// Slow consumers: they slow the sender down, or bytes pile up in memory.
    static let backPressure = [
        Behaviour(
            "back-pressure-data", path: Path.dataDelegate,
            promise: "A delegate that does not return keeps the origin from sending.",
            flaw: Flaw(
                .broken,
                cause:
                    "NativeProtocol.swift:140: each chunk becomes an operation of the delegate's queue, which has no "
                    + "limit; pausing the transfer is a fatalError (line 80)",
                upstream: "swift-corelibs-foundation#3204, open"),
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-blocking-queue", path: Path.dataDelegate,
            promise: "Workaround: the same where the delegate's queue makes URLSession wait in addOperation.",
            observe: sentWhileBlocked),
        Behaviour(
            "back-pressure-download", path: Path.download,
            promise: "Memory stays flat while the delegate does not return from a progress call.",
            flaw: Flaw(
                .broken,
                cause: "NativeProtocol.swift:149: each progress call captures its chunk, of which it needs the size "
                    + "alone; one line upstream would mend it",
                upstream: "swift-corelibs-foundation#3204, open"),
            observe: heldWhileBlocked),
        Behaviour(
            "back-pressure-ahc", path: Path.client,
            promise: "A body that nobody reads on keeps the origin from sending.", observe: sentWhileBlocked),
    ]

    /// A limit above the socket buffers of both sides: a quarter of the body.
    private static let limit = 16 << 20

    private static func sentWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let blocked = evidence.mark("blocked"), blocked.requests > 0 else { return .missing("blocked transfer") }
        return .decide(
            blocked.bytesSent <= limit,
            "the origin sent \(Wording.mebibytes(blocked.bytesSent)) of 64 MiB to a consumer that took one piece")
    }

    private static func heldWhileBlocked(_ evidence: Evidence) -> Observation {
        guard let before = evidence.mark("before"), let blocked = evidence.mark("blocked"), blocked.requests > 0
        else { return .missing("blocked transfer") }
        let growth = blocked.anonymousBytes - before.anonymousBytes
        return .decide(
            growth <= limit,
            "the process grew by \(Wording.mebibytes(growth)) while the origin sent "
                + "\(Wording.mebibytes(blocked.bytesSent)) of 64 MiB")
    }
}
