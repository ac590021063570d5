// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin

extension BehaviourCatalog {
    /// Decisions and costs of delegates.
    static let delegates = [
        Behaviour(
            "disposition", path: APIName.dataDelegate,
            promise: "A delegate that answers a response with cancel gets no body.",
            documented: .apple(
                "urlSession(_:dataTask:didReceive:completionHandler:)",
                "foundation/urlsessiondatadelegate/urlsession(_:datatask:didreceive:completionhandler:)"),
            flaw: Flaw(
                .broken,
                cause: "URLSessionTask.swift:1084: the delegate is asked, and its answer is dropped; "
                    + "URLSessionDelegate.swift:203 documents that as a bug",
                upstream: [.foundation(3236, .open)],
                workaround: .row("cancel-data", "cancel() of the task, whose error is then cancelled"))
        ) { evidence in
            guard let request = evidence.requests.first, let delivered = evidence.fact("delivered") else {
                return .missing("end of a refused transfer")
            }
            let asked = evidence.count("asked", "cancel")
            return .decide(
                request.ending == .abandoned && request.bytesSent.rawValue <= refusedLimit && delivered == "0",
                "the delegate was asked \(asked == 0 ? "never" : ObservationText.count(asked, "time")) and said cancel; "
                    + "\(request.bytesSent.rawValue) of 4194304 bytes sent, \(delivered) delivered, error "
                    + (evidence.fact("error") ?? "none"))
        },
        Behaviour(
            "download-async-delegate", path: APIName.async,
            promise: "download(for:delegate:) with a download delegate gives the right file.",
            documented: .foundation("URLSession.swift", 840),
            flaw: Flaw(
                .broken,
                cause:
                    "NativeProtocol.swift:143 writes each chunk for the delegate, and the drain of :362 (toFile) writes "
                    + "it once more for the async form",
                workaround: .row("progress-download", "a download task with a delegate of the session"))
        ) { evidence in
            guard evidence.bytesSent == 256 << 10 else { return .missing("body of 256 KiB from the origin") }
            return .decide(
                Expected.matches(evidence.file("body"), bytes: 256 << 10),
                "262144 bytes sent, \(evidence.file("body")?.bytes ?? 0) in the file")
        },
    ]

    /// A quarter of the body, which the origin sends in a second; the refusal comes with the first bytes.
    private static let refusedLimit = 1 << 20
}
