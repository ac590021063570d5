// SPDX-License-Identifier: Apache-2.0

import Foundation
package import TrialKit

/// Takes the secrets of a request out of texts that may quote it.
package enum RedactedRequest {
    private static let mark = "REDACTED"

    /// The text without the values of header fields, whole or a long word of them, and without the path of the body.
    package static func text(_ text: String, without details: RequestDetails) -> String {
        let values = details.fields.map(\.value)
        // `Bearer TOKEN` may be quoted as the token alone; a short word may be anything.
        let words = values.flatMap { $0.split { " ,;=".contains($0) }.map(String.init) }.filter { $0.count > 7 }
        let secrets = Set(values.filter { $0.count > 2 } + words + [details.body?.path].compactMap(\.self))
        return secrets.sorted { ($0.count, $0) > ($1.count, $1) }.reduce(text) { text, secret in
            text.replacingOccurrences(of: pattern(of: secret), with: mark, options: .regularExpression)
        }
    }

    /// A short secret is replaced as a word alone: `body` is none in `empty_body`.
    private static func pattern(of secret: String) -> String {
        let escaped = NSRegularExpression.escapedPattern(for: secret)
        return secret.count > 7 ? escaped : "(?<![A-Za-z0-9_])\(escaped)(?![A-Za-z0-9_])"
    }
}
