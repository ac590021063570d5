// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Hashing

/// What the requests for a trial's target carry by the user's wish, ready to be sent: no other request carries it.
///
/// A mode gets it from ``FetchSettings/carried(by:)`` and says so by ``ModeAbility/requestDetails``. None of it may follow
/// a redirect to another origin, neither by itself nor by what a library does with the fields that it was given.
public struct TargetRequest: Hashable, Sendable {
    /// The method, as it stands in the first line of the request.
    public private(set) var method: String
    /// The header fields, each name once; with that of the body's type, where there is a body.
    public private(set) var fields: [RequestDetails.Field]
    /// The body, or `nil` where none is sent; in memory since before the baseline, so that it is in no growth.
    public private(set) var body: Data?

    /// Where it may be sent.
    package let origin: URLOrigin

    /// The names of the fields that speak of a body, in lower case.
    private static let bodyFields: Set = ["content-type", "content-encoding", "content-language"]

    /// The request that belongs to one origin: for the details of a user, or for a URL that holds credentials, which must
    /// not follow a redirect either; `nil` where there is neither.
    /// - Throws: ``FetchFailure/Code/file`` as below.
    package static func of(_ details: RequestDetails?, for target: URL) throws(FetchFailure) -> TargetRequest? {
        guard details != nil || target.holdsCredentials else { return nil }
        return try TargetRequest(details ?? RequestDetails(), for: target)
    }

    /// Reads the body, and makes everything ready.
    /// - Throws: ``FetchFailure/Code/file`` where the body cannot be read or is another one by now.
    package init(_ details: RequestDetails, for target: URL) throws(FetchFailure) {
        origin = URLOrigin(target)
        method = details.method
        fields = details.fields
        guard let description = details.body else { return }
        let body = try Self.read(description)
        self.body = body
        if !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            // Otherwise one library would call it a form, and the next one nothing.
            fields.append(RequestDetails.Field(name: "Content-Type", value: "application/octet-stream"))
        }
    }

    /// The value of `Content-Length`, or `nil` where the method has no body to speak of.
    public var contentLength: Int? {
        body?.count ?? (["GET", "HEAD"].contains(method) ? nil : 0)
    }

    /// The same as a request by another method that has no body.
    package func withoutBody(method: String) -> TargetRequest {
        var request = self
        request.method = method
        request.body = nil
        request.fields.removeAll { Self.bodyFields.contains($0.name.lowercased()) }
        return request
    }

    private static func read(_ description: RequestDetails.Body) throws(FetchFailure) -> Data {
        guard let body = try? Data(contentsOf: URL(fileURLWithPath: description.path)) else {
            throw FetchFailure(.file, "the body that is to be sent cannot be read")
        }
        var hash = SHA256()
        body.withUnsafeBytes { hash.update($0) }
        guard body.count == description.byteCount, hash.hexadecimal() == description.sha256 else {
            throw FetchFailure(.file, "the body that is to be sent has changed since the run began")
        }
        return body
    }
}

extension FetchSettings {
    /// What a request carries by the user's wish; `nil` where that is nothing, as always where it goes to another origin
    /// than the target's, such as the warm-up.
    ///
    /// One for the header alone carries the fields.
    public func carried(by request: FetchRequest) -> TargetRequest? {
        guard let target, target.origin == URLOrigin(request.url) else { return nil }
        return request.method == .head ? target.withoutBody(method: request.method.rawValue) : target
    }
}

extension URL {
    /// Whether a user or a password stands in front of the host.
    package var holdsCredentials: Bool { user != nil || password != nil }
}

/// Scheme, host and port: what a browser calls an origin.
package struct URLOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: String
    private let port: Int?

    package init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host?.lowercased() ?? ""
        port = url.port ?? ["http": 80, "https": 443][scheme]
    }
}
