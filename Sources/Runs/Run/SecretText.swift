// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes known secrets out of texts that may quote them.
enum SecretText {
    private static let mark = "REDACTED"

    /// The text without the secrets, the longest first: as they are, and percent-encoded or decoded as whoever quotes them
    /// may have them.
    /// - Parameter long: how long a secret has to be that is found within a word; `body` is none in `empty_body`.
    static func text(_ text: String, without secrets: some Sequence<String>, withinWordsFrom long: Int = 0) -> String {
        let forms = Set(secrets.flatMap(forms))
        return forms.sorted { ($0.count, $0) > ($1.count, $1) }.reduce(text) { text, form in
            let escaped = NSRegularExpression.escapedPattern(for: form).replacing(/%[0-9A-Fa-f]{2}/) {
                // `%2f` says the same as `%2F`.
                "(?i:\($0.output))"
            }
            let pattern = form.count < long ? "(?<![A-Za-z0-9_])\(escaped)(?![A-Za-z0-9_])" : escaped
            return text.replacingOccurrences(of: pattern, with: mark, options: .regularExpression)
        }
    }

    /// The encodings of a secret that are looked for.
    private static func forms(of secret: String) -> [String] {
        let decoded = secret.removingPercentEncoding ?? secret
        let sets: [CharacterSet] = [.alphanumerics, unreserved, .urlUserAllowed, .urlPathAllowed, .urlQueryAllowed]
        let encoded = [secret, decoded].flatMap { text in
            sets.compactMap { text.addingPercentEncoding(withAllowedCharacters: $0) }
        }
        let all = [secret, decoded] + encoded + encoded.map { $0.replacing("%20", with: "+") }
        return all.filter { $0.count > 2 }
    }

    private static let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
}
