// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Hashing

/// The user's details for requests to a trial's target, ready to be sent; no other request carries them.
///
/// Modes get them from ``FetchSettings/carried(by:)`` and declare ``ModeAbility/requestDetails``. None of them may
/// follow a redirect to another origin, not even when a library forwards fields by itself.
public struct TargetRequest: Hashable, Sendable {
    /// The method, as in the request line.
    public private(set) var method: String
    /// The header fields, each name once, including the type of the body, if there is one.
    public private(set) var fields: [RequestDetails.Field]
    /// The body, or `nil` for none; in memory since before the baseline, so that growth does not include it.
    public private(set) var body: Data?

    /// The only origin that it may be sent to.
    package let origin: URLOrigin

    /// The fields that describe a body, in lower case.
    private static let bodyFields: Set = ["content-type", "content-encoding", "content-language"]

    /// Returns the details for one origin, or those of a URL with credentials, which must not follow a redirect either;
    /// `nil` for neither.
    /// - Throws: ``FetchFailure/Code/file`` as the initialiser does.
    package static func of(_ details: RequestDetails?, for target: URL) throws(FetchFailure) -> TargetRequest? {
        guard details != nil || target.holdsCredentials else { return nil }
        return try TargetRequest(details ?? RequestDetails(), for: target)
    }

    /// Reads the body.
    /// - Throws: ``FetchFailure/Code/file`` if the body cannot be read or has changed.
    package init(_ details: RequestDetails, for target: URL) throws(FetchFailure) {
        origin = URLOrigin(target)
        method = details.method
        fields = details.fields
        guard let description = details.body else { return }
        let body = try Self.read(description)
        self.body = body
        if !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            // Otherwise libraries differ: one declares a form, another nothing.
            fields.append(RequestDetails.Field(name: "Content-Type", value: "application/octet-stream"))
        }
    }

    /// The value of `Content-Length`; `nil` for methods without a body.
    public var contentLength: Int? {
        body?.count ?? (["GET", "HEAD"].contains(method) ? nil : 0)
    }

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
        let sha256 = body.withUnsafeBytes { SHA256.hexadecimal(of: $0) }
        guard body.count == description.byteCount, sha256 == description.sha256 else {
            throw FetchFailure(.file, "the body that is to be sent has changed since the run began")
        }
        return body
    }
}

extension FetchSettings {
    /// Returns the details that a request carries; `nil` unless it goes to the target's origin.
    ///
    /// A HEAD request carries the fields only.
    public func carried(by request: FetchRequest) -> TargetRequest? {
        guard let target, target.origin == URLOrigin(request.url) else { return nil }
        return request.method == .head ? target.withoutBody(method: request.method.rawValue) : target
    }
}

extension URL {
    package var holdsCredentials: Bool { user != nil || password != nil }
}

/// An origin as browsers define it: scheme, host and port.
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
