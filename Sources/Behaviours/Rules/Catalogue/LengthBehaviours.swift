// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Origin
import ProbeProtocol

extension BehaviourCatalog {
    private static let size = 256 << 10

    /// Lengths that are told before a body has ended, and bodies that are sent.
    static let lengths = [
        Behaviour(
            "expected-length-length", path: APIName.data,
            promise: "expectedContentLength is the Content-Length of an answer.", documented: .expectedLength
        ) { expected($0, size, form: "with Content-Length") },
        Behaviour(
            "expected-length-gzip", path: APIName.data,
            promise: "expectedContentLength of a body that comes compressed is -1.", documented: nil
        ) { expected($0, -1, form: "in gzip") },
        Behaviour(
            "expected-length-chunked", path: APIName.data,
            promise: "expectedContentLength of a chunked body is -1.", documented: .expectedLength
        ) { expected($0, -1, form: "chunked") },
        Behaviour(
            "expected-size-length", path: APIName.download,
            promise: "totalBytesExpectedToWrite is the Content-Length of an answer.", documented: .expectedSize
        ) { expected($0, size, form: "with Content-Length") },
        Behaviour(
            "expected-size-gzip", path: APIName.download,
            promise: "totalBytesExpectedToWrite of a body that comes compressed, without Content-Length, is -1.",
            documented: .expectedSize
        ) { expected($0, -1, form: "in gzip") },
        Behaviour(
            "expected-size-chunked", path: APIName.download,
            promise: "totalBytesExpectedToWrite of a chunked body is -1.", documented: .expectedSize
        ) { expected($0, -1, form: "chunked") },
        Behaviour(
            "upload-progress", path: APIName.dataDelegate,
            promise: "The delegate of an upload is told again and again what was sent, and in the end all of it.",
            documented: .apple(
                "didSendBodyData",
                "foundation/urlsessiontaskdelegate/urlsession(_:task:didsendbodydata:totalbytessent:totalbytesexpectedtosend:)"
            ), observe: uploadTold),
        Behaviour(
            "body-stream", path: APIName.data,
            promise: "A body stream of unknown length is sent chunked, without Content-Length.",
            documented: .rfc(9112, "6.2")
        ) { evidence in
            guard let request = evidence.requests(to: "/sink").first else { return .missing("request with a body") }
            let length = request.headers["content-length"] ?? "none"
            let coding = request.headers["transfer-encoding"] ?? "none"
            return .decide(
                coding == "chunked" && length == "none" && request.bytesReceived.rawValue == 64 << 10,
                "Transfer-Encoding: \(coding), Content-Length: \(length), \(request.bytesReceived.rawValue) bytes")
        },
        Behaviour(
            "body-stream-length", path: APIName.data,
            promise: "A body stream whose Content-Length the caller sets is sent with that header alone.",
            documented: .rfc(9112, "6.2"),
            flaw: Flaw(
                .broken,
                cause:
                    "HTTPURLProtocol.swift:344: a stream has no length, so that libcurl sends it chunked; the caller's "
                    + "header is added (:404)",
                upstream: [.foundation(4818, .open)],
                workaround: .row("body-stream", "set no Content-Length"))
        ) { evidence in
            guard let lengths = evidence.fact("lengths") else { return .missing("head of the request") }
            return .decide(
                lengths == "content-length", "a server was sent \(lengths.isEmpty ? "neither header" : lengths)")
        },
    ]

    /// Judges what the caller expected of a text of 256 KiB that the origin sent in some form.
    private static func expected(_ evidence: Evidence, _ length: Int, form: String) -> Observation {
        // A compressed body is smaller than the text, any other is not.
        guard let told = evidence.fact("expected"), (evidence.bytesSent < size) == (form == "in gzip"),
            evidence.fact("delivered") == "\(size)"
        else { return .missing("whole body \(form)") }
        return .decide(
            told == "\(length)", "\(evidence.bytesSent) bytes sent \(form), \(size) delivered, \(told) expected")
    }

    private static func uploadTold(_ evidence: Evidence) -> Observation {
        let received = evidence.requests(to: "/sink").reduce(0) { $0 + $1.bytesReceived.rawValue }
        guard received == 1 << 20 else { return .missing("body of 1 MiB at the origin") }
        let (calls, sent) = (evidence.fact("calls") ?? "0", evidence.fact("sent") ?? "nothing")
        return .decide(
            sent == "\(received)" && evidence.fact("expected") == sent && (Int(calls) ?? 0) > 1,
            "the origin received \(received) bytes; the last of \(calls) calls tells \(sent) of "
                + (evidence.fact("expected") ?? "nothing"))
    }
}

extension Documentation {
    fileprivate static let expectedLength = apple(
        "expectedContentLength", "foundation/urlresponse/expectedcontentlength")
    fileprivate static let expectedSize = apple(
        "totalBytesExpectedToWrite",
        "foundation/urlsessiondownloaddelegate/"
            + "urlsession(_:downloadtask:didwritedata:totalbyteswritten:totalbytesexpectedtowrite:)")
}
