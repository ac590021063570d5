// SPDX-License-Identifier: Apache-2.0

import Origin
import ProbeProtocol

extension BehaviourCatalog {
    /// A URLProtocol of the application, which serves 7 bytes instead of the origin.
    static let customProtocols = [
        Behaviour(
            "custom-protocol-data", path: APIName.data, promise: "A URLProtocol of the application serves a data task.",
            documented: .protocolClasses, observe: servedByHand),
        Behaviour(
            "custom-protocol-download", path: APIName.download,
            promise: "A URLProtocol of the application serves a download task with a completion handler.",
            documented: .protocolClasses,
            flaw: Flaw(
                .broken,
                cause:
                    "URLSessionTask.swift:1217: the file is that of the library's own protocols; data of another one "
                    + "is never written",
                upstream: [.foundation(3367, .open)], workaround: workaround),
            observe: servedByHand),
        Behaviour(
            "custom-protocol-download-delegate", path: APIName.download,
            promise: "A URLProtocol of the application serves a download task with a delegate.",
            documented: .protocolClasses,
            flaw: Flaw(
                .traps,
                cause:
                    "URLSessionTask.swift:1170: a forced cast of the file, which only the library's own protocols set",
                upstream: [.foundation(3367, .open)], workaround: workaround),
            observe: servedByHand),
    ]

    private static let workaround = Workaround.row("custom-protocol-data", "a data task, whose body you write")

    private static func servedByHand(_ evidence: Evidence) -> Observation {
        let reached = evidence.requests(to: "/bytes/2KiB").count
        let (delivered, error) = (evidence.fact("delivered") ?? "no", evidence.fact("error") ?? "none")
        return .decide(
            delivered == "7" && error == "none" && reached == 0,
            "\(delivered) of 7 bytes delivered, error \(error); \(ObservationText.count(reached, "request")) at the origin"
        )
    }
}

extension Documentation {
    fileprivate static let protocolClasses = apple(
        "protocolClasses", "foundation/urlsessionconfiguration/protocolclasses")
}
