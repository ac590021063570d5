// SPDX-License-Identifier: Apache-2.0

import Foundation

package enum RedactedURL {
    private static let mark = RedactedCommand.mark
    private static let secretWords = [
        "token", "key", "signature", "sig", "secret", "password", "passwd", "pwd", "auth", "credential", "session",
        "code", "jwt", "apikey", "policy", "credentials", "secrets", "tokens", "cookie", "bearer",
    ]
    /// Secret words that are also endings of other words, so that they have to match exactly.
    private static let secretWordsAlone = ["pass", "pw", "otp", "pin", "sid"]

    /// Returns a URL without user, password, fragment and the values of secret query items.
    package static func text(of url: String) -> String {
        guard var components = URLComponents(string: url) else { return "unparsable URL" }
        if components.user != nil || components.password != nil {
            components.user = mark
            components.password = nil
        }
        components.fragment = nil
        if let items = components.percentEncodedQueryItems {
            components.percentEncodedQueryItems = items.map { item in
                guard let value = item.value, isSecret(item.name) || holdsCredentials(value) else { return item }
                return URLQueryItem(name: item.name, value: mark)
            }
        }
        return components.string ?? "unparsable URL"
    }

    /// Returns a text whose URLs, each up to white space or a quote, have no credentials.
    ///
    /// Schemes other than HTTP keep a user without a password: `ssh://git@host`.
    package static func text(quoting text: String) -> String {
        // Compiling the patterns takes longer than a short command.
        guard text.utf8.contains(UInt8(ascii: "/")) else { return text }
        let url = #"[a-z][a-z0-9+.-]{0,30}://[^\s'"`|;<>]+"#
        var safe = ""
        var rest = text[...]
        while let found = rest.range(of: url, options: [.regularExpression, .caseInsensitive]) {
            safe += rest[..<found.lowerBound] + quoted(String(rest[found]))
            rest = rest[found.upperBound...]
        }
        // Addresses without a scheme, such as those of mirrors.
        return (safe + rest).replacingOccurrences(
            of: #"(?<![/:\w])//[^\s'"/@:]{1,256}:[^\s'"/@]{1,256}@"#, with: "//\(mark)@", options: .regularExpression)
    }

    private static func quoted(_ word: String) -> String {
        let scheme = word.prefix { $0 != ":" }.lowercased()
        guard let components = URLComponents(string: word), components.host != nil else {
            // Not a valid URL, perhaps because of a variable: remove everything before the last `@`, since a password may
            // contain any character.
            guard let at = word.lastIndex(of: "@"), let start = word.firstRange(of: "://")?.upperBound, start <= at
            else {
                return withoutItems(word)
            }
            return word[..<start] + mark + withoutItems(String(word[at...]))
        }
        let isHTTP = scheme.hasSuffix("http") || scheme.hasSuffix("https")
        let items = components.percentEncodedQueryItems ?? []
        let holdsSecret =
            components.password != nil
            || items.contains { $0.value != nil && isSecret($0.name) || holdsCredentials($0.value ?? "") }
        // A URL without secrets stays unchanged, including its placeholders.
        return isHTTP && (components.user != nil || components.fragment != nil) || holdsSecret
            ? self.text(of: word) : word
    }

    private static func withoutItems(_ text: String) -> String {
        text.replacing(/([?&])([^=&#?]*)=([^&#]+)/) { match in
            "\(match.1)\(match.2)=\(isSecret(String(match.2)) ? mark : String(match.3))"
        }
    }

    /// True if the value of a query item is a URL with user and password.
    private static func holdsCredentials(_ value: String) -> Bool {
        (value.removingPercentEncoding ?? value).contains(/:\/\/[^@]*:[^@]*@/)
    }

    package static func text(_ text: String, without url: String) -> String {
        SecretText.text(text, without: secrets(of: url).filter { $0.count > 2 }, withinWordsFrom: 5)
    }

    private static func secrets(of url: String) -> [String] {
        guard let components = URLComponents(string: url) else { return [] }
        // The user may be a token; a short one, such as `data`, occurs in other texts and is not a secret.
        let user = components.user.flatMap { $0.count > 4 || (components.password ?? "").isEmpty ? $0 : nil }
        var secrets = [user, components.password, components.fragment, components.percentEncodedFragment]
        for item in components.queryItems ?? [] where isSecret(item.name) || holdsCredentials(item.value ?? "") {
            secrets.append(item.value)
        }
        for item in components.percentEncodedQueryItems ?? [] where isSecret(item.name) { secrets.append(item.value) }
        // The form of the header field Authorization.
        let pair = (components.user ?? "") + ":" + (components.password ?? "")
        if pair != ":" { secrets.append(Data(pair.utf8).base64EncodedString()) }
        return secrets.compactMap(\.self)
    }

    /// True if a word of the name is secret; names are split as in `X-Amz-Signature` and `apiKey`.
    private static func isSecret(_ name: String) -> Bool {
        let words = name.removingPercentEncoding ?? name
        var followsLowercase = false
        let separated = words.reduce(into: "") { text, character in
            if character.isUppercase, followsLowercase { text.append("-") }
            text += character.isLetter ? character.lowercased() : "-"
            followsLowercase = character.isLowercase
        }
        return separated.split(separator: "-").contains { word in
            secretWordsAlone.contains(String(word))
                || secretWords.contains { word == $0 || (word.count > $0.count && $0.count > 3 && word.hasSuffix($0)) }
        }
    }

    enum SecretText {
        /// Returns a text without the secrets, the longest first, in plain, percent-encoded and decoded form.
        /// - Parameter long: The length from which a secret also matches within a word, unlike `body` in `empty_body`.
        static func text(_ text: String, without secrets: some Sequence<String>, withinWordsFrom long: Int = 0)
            -> String
        {
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
}

extension RequestDetails {
    /// Returns a text that may quote the request without header values, whole or by long words, and without the path of the body.
    package func redacted(in text: String) -> String {
        let values = fields.map(\.value)
        // `Bearer TOKEN` may be quoted as the token alone; short words may occur by chance.
        let words = values.flatMap { $0.split { " ,;=".contains($0) }.map(String.init) }.filter { $0.count > 7 }
        let secrets = values.filter { $0.count > 2 } + words + [body?.path].compactMap(\.self)
        return RedactedURL.SecretText.text(text, without: secrets, withinWordsFrom: 8)
    }
}
