// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes credentials and the user's own folders out of commands, for everything that is stored or shown.
package struct RedactedCommand: Sendable {
    /// What stands where something was taken out.
    static let mark = "REDACTED"
    /// What names a secret within the name of a variable or of a member of JSON: no author, and no tokenizer.
    private static let secretName =
        #"(?:token(?!iz)|secret|password|passwd|passphrase|(?:api|access|private)_?key|credential|auth(?!ors?(?![a-z])))"#
    private static let secretHeaders = ["authorization", "cookie", "token", "key", "secret", "password", "credential"]

    private let folders: [(path: String, name: String)]

    /// Creates a redaction that gives folders a name: the longest first, so that a folder within another keeps its own.
    package init(folders: [String: String]) {
        self.folders = folders.filter { $0.key.count > 1 }.sorted { $0.key.count > $1.key.count }.map {
            ($0.key, $0.value)
        }
    }

    /// The command as it may be stored; marked where something was taken out, since it cannot be run as it stands.
    package func command(_ command: ExternalCommand) -> ExternalCommand {
        var redacted = command
        redacted.command = text(command.command)
        redacted.isRedacted = redacted.command != command.command ? true : nil
        return redacted
    }

    /// The text of a command without the credentials of its URLs, headers, options and variables, and without the user's
    /// folders.
    package func text(_ command: String) -> String {
        // Credentials first: what stands for a folder may be nothing that a URL can hold.
        let safe = Self.withoutVariables(Self.withoutOptions(Self.withoutHeaders(Self.withoutURLs(command))))
        return folders.reduce(safe) { text, folder in
            text.replacingOccurrences(of: folder.path, with: folder.name)
        }
    }

    /// Each http URL, up to white space or a quote, without its credentials.
    private static func withoutURLs(_ text: String) -> String {
        var safe = ""
        var rest = text[...]
        while let start = rest.range(of: "http", options: .caseInsensitive)?.lowerBound {
            safe += rest[..<start]
            let end = rest[start...].firstIndex { $0.isWhitespace || "'\"`|;<>".contains($0) } ?? rest.endIndex
            let word = String(rest[start..<end])
            safe += word.contains("://") && URLComponents(string: word)?.host != nil ? RedactedURL.text(of: word) : word
            rest = rest[end...]
        }
        return safe + rest
    }

    /// Each `Name: value` whose name speaks of credentials, up to the quote that ends it, without its value.
    private static func withoutHeaders(_ text: String) -> String {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            let name = parts[index - 1].reversed().prefix { $0.isLetter || $0 == "-" || $0 == "_" }.reversed()
            let lowered = String(name).lowercased()
            guard !parts[index].hasPrefix("//"), secretHeaders.contains(where: lowered.contains) else { continue }
            let end = parts[index].firstIndex { "'\"`".contains($0) } ?? parts[index].endIndex
            parts[index] = " " + mark + parts[index][end...]
        }
        return parts.joined(separator: ":")
    }

    /// The options of curl, wget and their kin whose value is a secret, long and short; of the short ones, which mean other
    /// things elsewhere, only with a value of the form that a secret has there: `user:password`, `name=value`.
    private static func withoutOptions(_ text: String) -> String {
        let value = #"('[^']*'|"[^"]*"|[^\s'"]+)"#
        let name =
            "(?:[a-z0-9-]+-)?(?:user|pass|passwd|password|passphrase|token|secret|cookie|credentials?|bearer|auth"
            + "|(?:api|access|private)-?key)"
        let patterns = [
            #"(?<![\w-])(--\#(name)(?:=|\s+))\#(value)"#,
            #"(?<![\w-])(-[uUE]\s*)('[^':]+:[^']+'|"[^":]+:[^"]+"|[^\s'":/-][^\s'":]*:[^\s'"/][^\s'"]*)"#,
            #"(?<![\w-])(-b\s*)('[^'=]+=[^']*'|"[^"=]+=[^"]*"|[^\s'"=-][^\s'"=]*=[^\s'"]*)"#,
        ]
        return replaced(text, patterns)
    }

    /// The variables that a command gets and the members of JSON, also with escaped quotes, whose name speaks of a secret.
    ///
    /// What only hands on another variable stays.
    private static func withoutVariables(_ text: String) -> String {
        let variable = #"(?:\w*\#(secretName)\w*|\w+_pass|sshpass|mysql_pwd)="#
        let handedOn = #"(?!"?\$(?:\w+|\{\w+\})"?(?:[\s;&|)'"]|$))"#
        let value = #"('[^']*'|"[^"]*"|\$\([^)]*\)|`[^`]*`|(?:\\.|[^\s'"])+)"#
        let member = #"[\w-]*\#(secretName)[\w-]*"#
        return replaced(
            text,
            [
                #"((?:(?<![^\s'"`;|({=])|(?<=&&))\#(variable))\#(handedOn)\#(value)"#,
                #"("\#(member)"\s*:\s*")(?:[^"\\]|\\.)+"#,
                #"(\\"\#(member)\\"\s*:\s*\\")(?:(?!\\").)+"#,
            ])
    }

    /// The text with the mark behind the first group of each pattern, in the place of what follows it.
    private static func replaced(_ text: String, _ patterns: [String]) -> String {
        patterns.reduce(text) { text, pattern in
            text.replacingOccurrences(of: pattern, with: "$1" + mark, options: [.regularExpression, .caseInsensitive])
        }
    }

    /// A text that a command said, without what was taken out of the command: it may quote its own arguments.
    package func text(_ said: String, of command: ExternalCommand) -> String {
        let kept = Set(words(of: text(command.command)))
        let secrets = words(of: command.command).filter { $0.count > 3 && !kept.contains($0) }
        return secrets.sorted { $0.count > $1.count }.reduce(text(said)) { text, secret in
            text.replacingOccurrences(of: secret, with: Self.mark)
        }
    }

    /// The words of a text as far as a secret may be one of them.
    private func words(of text: String) -> [String] {
        text.split { $0.isWhitespace || "'\"`|;<>=:@&?,".contains($0) }.map(String.init)
    }
}
