// SPDX-License-Identifier: Apache-2.0

/// The forms of URL that a client takes apart.
package enum URLForm: String, CaseIterable {
    case path, query, fragment, user

    /// A body of 1 KiB by a URL of this form.
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
