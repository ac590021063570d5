// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension FetchRequest {
    /// Returns the header fields of a request for modes that set all of them; the library adds its own, such as `Host`.
    /// - Parameters:
    ///   - acceptsGzip: True if the body may be compressed.
    ///   - target: The user's details, which replace the mode's own.
    public func fields(
        acceptingGzip acceptsGzip: Bool, carrying target: TargetRequest? = nil
    ) -> [(name: String, value: String)] {
        // A part of a compressed body cannot continue an uncompressed one.
        let coding = acceptsGzip && resumption == nil ? "gzip" : "identity"
        var fields = [("Accept", "*/*"), ("Accept-Encoding", coding), ("User-Agent", "fetchbench")] + rangeFields
        if let credentials { fields.append(("Authorization", credentials)) }
        guard let target else { return fields }
        let given = Set(target.fields.map { $0.name.lowercased() })
        return fields.filter { !given.contains($0.0.lowercased()) } + target.fields.map { ($0.name, $0.value) }
    }

    /// The fields that request the rest of a partial body; empty for a whole body.
    public var rangeFields: [(name: String, value: String)] {
        guard method == .get, let resumption, resumption.offset > 0 else { return [] }
        let validator = resumption.validator.map { [("If-Range", $0)] } ?? []
        return [("Range", "bytes=\(resumption.offset)-")] + validator
    }

    /// The URL's user and password as a value of `Authorization`; `nil` if it has none.
    public var credentials: String? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        let pair = "\(user):\(url.password(percentEncoded: false) ?? "")"
        return "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    /// The path and the query, as in the request line.
    public var target: String {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = components.map { $0.percentEncodedPath.isEmpty ? "/" : $0.percentEncodedPath } ?? "/"
        return path + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The host and the port, as in the field `Host`; `nil` if the URL has no host.
    public var authority: String? {
        guard let host = url.host, !host.isEmpty else { return nil }
        let bracketed = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return bracketed + (url.port.map { ":\($0)" } ?? "")
    }
}
