// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
package import TrialKit

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

    /// Words in libcurl's messages and the codes that they mean.
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
