// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The redaction of credentials and of the user's folders in commands that are stored or shown.
package struct RedactedCommand: Sendable {
    package static let mark = "REDACTED"
    /// The pattern of secrets in names of variables and JSON members; it excludes "author" and "tokenizer".
    private static let secretName =
        #"(?:token(?!iz)|secret|password|passwd|passphrase|(?:api|access|private)[_-]?key|credential|signature|cookie"#
        + #"|auth(?!ors?(?![a-z])))"#
    /// The pattern of secrets in header names; it excludes "monkey" and "keyboard".
    private static let secretHeader =
        #"(?:auth(?!ors?(?![a-z]))|cookie|(?<!max[_-])token(?!iz)|(?<!mon|don)key(?!board|word|stroke|frame)|secret|passw|passphrase"#
        + "|credential|signature|session|jwt)"

    /// The rest of a shell word, whose parts may be quoted separately.
    private static let rest = #"(?:\\.|'[^'\s]*'|"[^"\s]*"|[^\s'"`\\]++)*+"#

    private let folders: [(path: String, name: String)]

    /// Creates a redaction that replaces paths by names, the longest path first, since folders can be nested.
    package init(folders: [String: String]) {
        self.folders = folders.filter { $0.key.count > 1 }.sorted { $0.key.count > $1.key.count }.map {
            ($0.key, $0.value)
        }
    }

    /// Returns the command for storage, marked if anything was redacted, since it cannot be run again.
    package func command(_ command: ExternalCommand) -> ExternalCommand {
        var redacted = command
        redacted.command = text(command.command)
        redacted.preparation = command.preparation.map { text($0) }
        redacted.cleanup = command.cleanup.map { text($0) }
        if case .always(let words) = command.shell { redacted.shell = .always(words.map { text($0) }) }
        if let server = command.server {
            // Without a host, a path is no URL.
            let host = "http://host"
            let path = { (path: String) in String(text(host + path).dropFirst(host.count)) }
            redacted.server?.path = path(server.path)
            redacted.server?.ready = server.ready.map(path)
            redacted.server?.warmup = server.warmup.map(path)
            redacted.server?.expected = server.expected.map { text($0) }
            redacted.server?.client = server.client.map { text($0) }
        }
        redacted.isRedacted = redacted == command ? nil : true
        return redacted
    }

    /// Returns a command without credentials in URLs, headers, options and variables, and without the user's folders.
    package func text(_ command: String) -> String {
        // Credentials first: the name of a folder may contain characters that are invalid in a URL.
        let safe = Self.withoutVariables(Self.withoutOptions(Self.withoutHeaders(RedactedURL.text(quoting: command))))
        return folders.reduce(safe) { Self.replacing($1.path, with: $1.name, in: $0) }
    }

    /// Replaces a folder at the beginning of paths, and only as whole components.
    ///
    /// Neither `/home/anna` is in `/home/ann`, nor `/var/tmp` in `/tmp`. An option such as `-I` may precede the path.
    private static func replacing(_ folder: String, with name: String, in text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let path = Array(folder.unicodeScalars)
        var safe = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let end = index + path.count
            if end <= scalars.count, scalars[index..<end].elementsEqual(path), endsComponent(scalars[end...].first),
                beginsPath(scalars[..<index])
            {
                safe.append(contentsOf: name.unicodeScalars)
                index = end
            } else {
                safe.append(scalars[index])
                index += 1
            }
        }
        return String(safe)
    }

    private static func endsComponent(_ next: Unicode.Scalar?) -> Bool {
        guard let next else { return true }
        return
            !(next.properties.isAlphabetic || next.properties.numericType != nil || "._-".unicodeScalars.contains(next))
    }

    /// True if what stands before, up to a separator of words, has no slash, or is that of `file://`.
    private static func beginsPath(_ before: ArraySlice<Unicode.Scalar>) -> Bool {
        let word = before.reversed().prefix {
            !$0.properties.isWhitespace && !"'\"`=:,;()<>|&@{}[]".unicodeScalars.contains($0)
        }
        return word.allSatisfy { $0 != "/" } || word.allSatisfy { $0 == "/" }
    }

    /// Removes the values of `Name: value` headers with secret names.
    ///
    /// A value ends at the quote that was opened before the name, else at the end of the line, or of the word if no
    /// space follows the colon.
    private static func withoutHeaders(_ text: String) -> String {
        // Compiling the patterns takes longer than a short command, so a text without a byte that they all need is left;
        // a character would not do, since an accent can make another one of it.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        let name = #"[\w-]{0,128}\#(secretHeader)[\w-]{0,128}:(?!//)"#
        let quoted = #"(?:\\.|[^"\\])"#
        return replaced(
            text,
            [
                #"(\\"\#(name))(?:(?!\\").)+"#, #"((?<!\\)"\#(name))\#(quoted)+"#, #"('\#(name))[^']+"#,
                #"(`\#(name))[^`]+"#,
                #"((?<!['"`\w-])\#(name)(?=\s)(?!\s+'))(?:"\#(quoted)*"|[^'"`\n])+"#,
            ].map { ($0, " " + mark) } + [
                (#"((?<!['"`\w-])\#(name)\s+')[^']*"#, mark),
                (#"((?<!['"`\w-])\#(name)(?!\s))(?:\\.|'[^']*'|"\#(quoted)*"|[^\s'"`])+"#, mark),
            ])
    }

    /// Removes the values of secret options of curl, wget and similar tools.
    ///
    /// Short options have other meanings elsewhere, so their values need the form `user:password` or `name=value`.
    private static func withoutOptions(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "-")) else { return text }
        let value = #"(?:'[^']*'|"[^"]*"|[^\s'"]+)\#(rest)"#
        let name =
            "(?:[a-z0-9-]{1,64}-)?(?:user|pass|passwd|password|passphrase|token|secret|cookie|credentials?|bearer|auth"
            + "|(?:api|access|private)-?key)"
        let patterns = [
            #"(?<![\w-])(--\#(name)(?:=|\s+))\#(value)"#,
            #"(?<![\w-])(-[uUE]\s*)(?:'[^':]{1,256}:[^']+'|"[^":]{1,256}:[^"]+"|(?=[^\s:/-][^\s:]{0,256}:[^\s/]))\#(rest)"#,
            #"(?<![\w-])(-b\s*)(?:'[^'=]{1,256}=[^']*'|"[^"=]{1,256}=[^"]*"|(?=[^\s=-][^\s=]{0,256}=))\#(rest)"#,
        ]
        return replaced(text, patterns)
    }

    /// Removes the values of secret variables, form fields and JSON members, and the tokens after `Bearer`.
    ///
    /// Quotes may be single or escaped. References to other variables are kept.
    private static func withoutVariables(_ text: String) -> String {
        guard text.utf8.contains(where: { "=:".utf8.contains($0) }) || text.lowercased().contains("bearer") else {
            return text
        }
        let variable = #"(?:\w{0,128}\#(secretName)\w{0,128}|\w{1,128}_pass|sshpass|mysql_pwd)="#
        let handedOn = #"(?!"?\$(?:\w+|\{\w+\})"?(?:[\s;&|)'"]|$))"#
        let value = #"(?:'[^']*'|"[^"]*"|\$\([^)]*\)|`[^`]*`|(?:\\.|[^\s'"\\]++)++)\#(rest)"#
        let member = #"[\w-]{0,128}\#(secretName)[\w-]{0,128}"#
        return replaced(
            text,
            [
                #"((?:(?<![^\s'"`;|({=,])|(?<=&&)|(?<=\s-e))\#(variable))\#(handedOn)\#(value)"#,
                #"((?<=[?&])[\w.%\[-]{0,128}(?:\#(secretName)|jwt|session|sig|pwd|pass)[\w.%\]-]{0,128}=)\#(handedOn)[^\s'"&]+"#,
                #"("\#(member)"\s*:\s*")(?:[^"\\]|\\.)+"#,
                #"(\\"\#(member)\\"\s*:\s*\\")(?:(?!\\").)+"#,
                #"('\#(member)'\s*:\s*')(?:[^'\\]|\\.)+"#,
                #"(["']\w{0,128}(?:secret|passw|passphrase)\w{0,128}\\?["']\s*:\s*)[0-9][\w.+-]*"#,
                #"((?<!\w)bearer\s+)[\w.~+/=-]{16,}"#,
            ])
    }

    /// Replaces the part of each match that follows the first group by the mark.
    private static func replaced(_ text: String, _ patterns: [String]) -> String {
        replaced(text, patterns.map { ($0, mark) })
    }

    private static func replaced(_ text: String, _ patterns: [(pattern: String, mark: String)]) -> String {
        patterns.reduce(text) { text, entry in
            text.replacingOccurrences(
                of: entry.pattern, with: "$1" + entry.mark, options: [.regularExpression, .caseInsensitive])
        }
    }

    /// Returns the output of a command without its secrets, since it may quote its own arguments.
    package func text(_ said: String, of command: ExternalCommand) -> String {
        let kept = Set(words(of: text(command.command)))
        let secrets = words(of: command.command).filter { $0.count > 3 && !kept.contains($0) }
        return RedactedURL.SecretText.text(text(said), without: secrets)
    }

    /// Returns the words that may be a secret: shell words, quoted strings with their spaces, and parts of both.
    private func words(of text: String) -> [String] {
        let whole = text.matches(of: /'([^']*)'|"([^"]*)"|[^\s'"]+/).map { match in
            String(match.output.1 ?? match.output.2 ?? match.output.0)
        }
        let parts = text.split { $0.isWhitespace || "'\"`|;<>=:@&?,".contains($0) }.map(String.init)
        return whole + parts
    }
}
