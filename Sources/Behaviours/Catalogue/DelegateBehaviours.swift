// SPDX-License-Identifier: Apache-2.0

import AssetServer
import MemProbe

extension BehaviourCatalog {
    /// What a delegate can decide, and what it costs to have one.
    static let delegates = [
        Behaviour(
            "disposition", path: Path.dataDelegate,
            promise: "A delegate that answers a response with cancel gets no body."
        ) { evidence in
            guard let request = evidence.requests.first else { return .missing("request at the origin") }
            return .decide(
                request.ending == .abandoned,
                "\(request.bytesSent.rawValue) of 4194304 bytes sent, error \(evidence.fact("error") ?? "none")")
        },
        Behaviour(
            "download-async-delegate", path: Path.async,
            promise: "download(for:delegate:) with a download delegate gives the right file."
        ) { evidence in
            guard evidence.bytesSent == 256 << 10 else { return .missing("body of 256 KiB from the origin") }
            return .decide(
                Expected.matches(evidence.file("body"), bytes: 256 << 10),
                "262144 bytes sent, \(evidence.file("body")?.bytes ?? 0) in the file")
        },
    ]
}
