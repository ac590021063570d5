// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The removal of known secrets from texts that may quote them.
enum SecretText {
    /// Returns a text without the secrets, the longest first, in plain, percent-encoded and decoded form.
    /// - Parameter long: The length from which a secret also matches within a word, unlike `body` in `empty_body`.
    static func text(_ text: String, without secrets: some Sequence<String>, withinWordsFrom long: Int = 0) -> String {
        let forms = Set(secrets.flatMap(forms))
        return forms.sorted { ($0.count, $0) > ($1.count, $1) }.reduce(text) { text, form in
            let escaped = NSRegularExpression.escapedPattern(for: form).replacing(/%[0-9A-Fa-f]{2}/) {
                // `%2f` equals `%2F`.
                "(?i:\($0.output))"
            }
            let pattern = form.count < long ? "(?<![A-Za-z0-9_])\(escaped)(?![A-Za-z0-9_])" : escaped
            return text.replacingOccurrences(of: pattern, with: RedactedCommand.mark, options: .regularExpression)
        }
    }

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
