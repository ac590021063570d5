// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes the credentials out of URLs, for everything that is stored or shown.
package enum RedactedURL {
    private static let mark = "REDACTED"
    private static let secretWords = [
        "token", "key", "signature", "sig", "secret", "password", "passwd", "pwd", "auth", "credential", "session",
        "code", "jwt", "apikey", "policy",
    ]

    /// The URL without user, password, fragment and the values of query items whose names speak of credentials.
    package static func text(of url: String) -> String {
        guard var components = URLComponents(string: url) else { return "unparsable URL" }
        if components.user != nil || components.password != nil {
            components.user = mark
            components.password = nil
        }
        components.fragment = nil
        if let items = components.percentEncodedQueryItems {
            components.percentEncodedQueryItems = items.map { item in
                guard item.value != nil, isSecret(item.name) else { return item }
                return URLQueryItem(name: item.name, value: mark)
            }
        }
        return components.string ?? "unparsable URL"
    }

    /// Takes a URL's secrets out of a text that may quote it.
    package static func text(_ text: String, without url: String) -> String {
        var safe = text
        for secret in secrets(of: url) { safe = safe.replacingOccurrences(of: secret, with: mark) }
        return safe
    }

    private static func secrets(of url: String) -> [String] {
        guard let components = URLComponents(string: url) else { return [] }
        var secrets = [
            components.user, components.percentEncodedUser, components.password, components.percentEncodedPassword,
            components.fragment, components.percentEncodedFragment,
        ]
        for item in components.queryItems ?? [] where isSecret(item.name) { secrets.append(item.value) }
        for item in components.percentEncodedQueryItems ?? [] where isSecret(item.name) { secrets.append(item.value) }
        return secrets.compactMap(\.self).filter { $0.count > 2 }.sorted { $0.count > $1.count }
    }

    /// Whether one of the words of a name, as `X-Amz-Signature` or `apiKey` is made of them, speaks of credentials.
    private static func isSecret(_ name: String) -> Bool {
        let words = name.removingPercentEncoding ?? name
        var followsLowercase = false
        let separated = words.reduce(into: "") { text, character in
            if character.isUppercase, followsLowercase { text.append("-") }
            text += character.isLetter ? character.lowercased() : "-"
            followsLowercase = character.isLowercase
        }
        return separated.split(separator: "-").contains { word in
            secretWords.contains { word == $0 || (word.count > $0.count && $0.count > 3 && word.hasSuffix($0)) }
        }
    }
}
