// SPDX-License-Identifier: Apache-2.0

/// A form of URL, by the part that a client has to parse.
package enum URLForm: String, CaseIterable {
    case path, query, fragment, user

    /// Returns the URL of a body of 1 KiB in this form.
    package func text(origin: String) -> String {
        let body = "/bytes/1KiB"
        return switch self {
        case .path: origin + body
        case .query: origin + body + "?seed=1"
        case .fragment: origin + body + "#part"
        case .user: origin.replacing("://", with: "://user:password@", maxReplacements: 1) + body
        }
    }
}
