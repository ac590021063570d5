// SPDX-License-Identifier: Apache-2.0

import FetchBenchKit
import Foundation
import FoundationNetworking

extension FetchFailure {
    /// The failure that URLSession reports, in the words of this project.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self.init(.other, "\(type(of: error)): \((error as NSError).domain) \((error as NSError).code)")
            return
        }
        self.init(
            Self.code(of: error), "\(Self.words[error.code] ?? "URL loading failed") (URLError \(error.errorCode))")
    }

    private static let words: [URLError.Code: String] = [
        .cannotConnectToHost: "connection refused or host unreachable",
        .cannotFindHost: "host not found",
        .dnsLookupFailed: "name lookup failed",
        .networkConnectionLost: "connection lost before the body was complete",
        .notConnectedToInternet: "no network",
        .timedOut: "no byte arrived in time",
        .httpTooManyRedirects: "too many redirects",
        .redirectToNonExistentLocation: "redirect to nowhere",
        .badServerResponse: "the answer is no HTTP",
        .cannotParseResponse: "the answer cannot be parsed",
        .secureConnectionFailed: "TLS handshake failed",
        .serverCertificateUntrusted: "certificate not trusted",
        .serverCertificateHasUnknownRoot: "certificate not trusted",
        .serverCertificateHasBadDate: "certificate expired or not valid yet",
        .unsupportedURL: "unsupported URL",
        .cannotCreateFile: "file cannot be created",
        .cannotWriteToFile: "file cannot be written",
    ]

    private static func code(of error: URLError) -> Code {
        switch error.code {
        case .cannotConnectToHost: .connectionRefused
        case .cannotFindHost, .dnsLookupFailed: .hostNotFound
        case .networkConnectionLost: .connectionLost
        case .notConnectedToInternet: .unreachable
        case .timedOut: .idleTimeout
        case .httpTooManyRedirects, .redirectToNonExistentLocation: .tooManyRedirects
        case .badServerResponse, .cannotParseResponse: .malformedResponse
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .clientCertificateRejected:
            .tls
        case .unsupportedURL: .unsupportedScheme
        case .cannotCreateFile, .cannotWriteToFile, .cannotOpenFile, .cannotMoveFile: .file
        default: .other
        }
    }
}
