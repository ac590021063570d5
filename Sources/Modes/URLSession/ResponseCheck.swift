// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import FoundationNetworking
import Glibc
package import TrialKit

package enum ResponseCheck {
    /// Checks the status and, for a fetched body, the length against the promised one.
    package static func check(
        _ response: URLResponse?, for request: FetchRequest, receivedByteCount: Int
    ) throws(FetchFailure) {
        guard let response = response as? HTTPURLResponse else {
            throw FetchFailure(.malformedResponse, "no HTTP response arrived")
        }
        if [301, 302, 307, 308].contains(response.statusCode), response.value(forHTTPHeaderField: "Location") != nil {
            throw FetchFailure(
                .httpStatus,
                "status \(response.statusCode): a redirect that was not followed; URLSession drops the body of a request "
                    + "that keeps its method, so its modes follow none of those")
        }
        try StatusCheck.check(response.statusCode, resuming: request.resumption)
        guard request.method == .get else { return }
        let promised = response.expectedContentLength
        let isIdentity = response.value(forHTTPHeaderField: "Content-Encoding").map { $0 == "identity" } ?? true
        if isIdentity, promised >= 0, promised != Int64(receivedByteCount) {
            throw FetchFailure(.truncatedBody, "\(receivedByteCount) bytes arrived of \(promised) promised")
        }
    }

    /// True if the origin confirms the version that the request named.
    package static func isUnchanged(_ response: URLResponse?, for request: FetchRequest) -> Bool {
        request.entityTag != nil && (response as? HTTPURLResponse)?.statusCode == 304
    }

    package static func entityTag(_ response: URLResponse?, for request: FetchRequest) -> String? {
        guard request.wantsEntityTag else { return nil }
        return (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag")
    }
}

extension BodyHead {
    /// Reads a response of URLSession; the status is 0 if it is not HTTP.
    init(_ response: URLResponse?) {
        let response = response as? HTTPURLResponse
        self.init(status: response?.statusCode ?? 0) { response?.value(forHTTPHeaderField: $0) }
    }
}

package enum ResponseBody {
    package static func inMemory(
        _ data: Data, _ response: URLResponse?, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
        try ResponseCheck.check(response, for: request, receivedByteCount: data.count)
        var body = FetchedBody(content: .memory(data), byteCount: data.count)
        body.entityTag = ResponseCheck.entityTag(response, for: request)
        return body
    }

    /// Converts the arguments of a completion handler to a body in memory.
    package static func inMemory(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inMemory(data ?? Data(), response, for: request) }
    }

    /// Moves the file of a download task to its place; the temporary file is removed in every case.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, for request: FetchRequest
    ) throws(FetchFailure) -> FetchedBody {
        guard let location else { throw FetchFailure(.file, "the task named no temporary file") }
        // URLSession does not remove it; a file that was moved is not there any more.
        defer { unlink(location.path) }
        guard request.method == .get else {
            try ResponseCheck.check(response, for: request, receivedByteCount: 0)
            return .nothing
        }
        if ResponseCheck.isUnchanged(response, for: request) { return .unchanged }
        let byteCount = try BodyFile.move(location.path, to: request.destination)
        try ResponseCheck.check(response, for: request, receivedByteCount: byteCount)
        var body = FetchedBody(content: .file(path: request.destination), byteCount: byteCount)
        body.entityTag = ResponseCheck.entityTag(response, for: request)
        return body
    }

    /// Converts the arguments of a completion handler to a body in a file; has to be called before the handler returns,
    /// because the temporary file has no owner afterwards.
    package static func inFile(
        at location: URL?, _ response: URLResponse?, _ error: (any Error)?, for request: FetchRequest
    ) -> Result<FetchedBody, FetchFailure> {
        if let error { return .failure(FetchFailure(error)) }
        return Result { () throws(FetchFailure) in try inFile(at: location, response, for: request) }
    }
}

extension FetchFailure {
    /// Converts an error of URLSession; keeps a failure as it is.
    package init(_ error: any Error) {
        if let failure = error as? FetchFailure {
            self = failure
            return
        }
        guard let error = error as? URLError else {
            self.init(.other, "\(type(of: error)): \((error as NSError).domain) \((error as NSError).code)")
            return
        }
        let words = error.localizedDescription
        self.init(
            Self.code(of: error.code, words: words), "\(Self.withoutPaths(words)) (URLError \(error.errorCode))")
    }

    /// Maps a code of URLSession; falls back to libcurl's message beneath it.
    static func code(of code: URLError.Code, words: String) -> Code {
        switch code {
        case .cannotConnectToHost: .connectionRefused
        case .cannotFindHost, .dnsLookupFailed: .hostNotFound
        case .networkConnectionLost: .connectionLost
        case .notConnectedToInternet: .unreachable
        case .timedOut: .idleTimeout
        case .httpTooManyRedirects, .redirectToNonExistentLocation: .tooManyRedirects
        case .badServerResponse where words.contains("Empty reply"): .connectionLost
        case .badServerResponse, .cannotParseResponse: .malformedResponse
        case .cannotCreateFile, .cannotWriteToFile, .cannotOpenFile, .cannotMoveFile: .file
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .clientCertificateRejected:
            .tls
        default: Self.code(ofWords: words)
        }
    }

    private static let meanings: [(words: [String], code: Code)] = [
        (["SSL", "TLS", "certificate"], .tls),
        (["transfer closed", "bytes remaining to read"], .truncatedBody),
        (["Connection reset", "Empty reply", "Recv failure", "Send failure"], .connectionLost),
        (
            [
                "HTTP/0.9", "Unsupported HTTP", "Header without colon", "Invalid status line", "Failed writing header",
                "chunk",
            ],
            .malformedResponse
        ),
        (["Protocol", "not supported or disabled"], .unsupportedScheme),
        (["No route", "unreachable"], .unreachable),
        (["Failed writing", "No space"], .file),
    ]

    private static func code(ofWords words: String) -> Code {
        meanings.first { meaning in meaning.words.contains { words.contains($0) } }?.code ?? .other
    }

    /// A message without paths of this machine, such as that of a certificate file.
    private static func withoutPaths(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("/") ? "…" : String($0) }.joined(separator: " ")
    }
}
