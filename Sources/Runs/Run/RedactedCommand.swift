// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes credentials and the user's own folders out of commands, for everything that is stored or shown.
package struct RedactedCommand: Sendable {
    /// What stands where something was taken out.
    package static let mark = "REDACTED"
    /// What names a secret within the name of a variable or of a member of JSON: no author, and no tokenizer.
    private static let secretName =
        #"(?:token(?!iz)|secret|password|passwd|passphrase|(?:api|access|private)[_-]?key|credential|signature|cookie"#
        + #"|auth(?!ors?(?![a-z])))"#
    /// The same within the name of a header: no monkey, and no keyboard.
    private static let secretHeader =
        #"(?:auth(?!ors?(?![a-z]))|cookie|(?<!max[_-])token(?!iz)|(?<!mon|don)key(?!board|word|stroke|frame)|secret|passw|passphrase"#
        + "|credential|signature|session|jwt)"

    /// The rest of a word of a shell, whose pieces may be quoted one by one.
    private static let rest = #"(?:\\.|'[^'\s]*'|"[^"\s]*"|[^\s'"`\\]++)*+"#

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
        redacted.preparation = command.preparation.map { text($0) }
        redacted.cleanup = command.cleanup.map { text($0) }
        if case .always(let words) = command.shell { redacted.shell = .always(words.map { text($0) }) }
        redacted.isRedacted = redacted == command ? nil : true
        return redacted
    }

    /// The text of a command without the credentials of its URLs, headers, options and variables, and without the user's
    /// folders.
    package func text(_ command: String) -> String {
        // Credentials first: what stands for a folder may be nothing that a URL can hold.
        let safe = Self.withoutVariables(Self.withoutOptions(Self.withoutHeaders(RedactedURL.text(quoting: command))))
        return folders.reduce(safe) { text, folder in
            text.replacingOccurrences(of: folder.path, with: folder.name)
        }
    }

    /// Each `Name: value` whose name speaks of credentials without its value, whatever stands in that: up to the quote that
    /// opened in front of the name, or else to the end of the line, or of the word where no space follows the colon.
    private static func withoutHeaders(_ text: String) -> String {
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

    /// The options of curl, wget and their kin whose value is a secret, long and short; of the short ones, which mean other
    /// things elsewhere, only with a value of the form that a secret has there: `user:password`, `name=value`.
    private static func withoutOptions(_ text: String) -> String {
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

    /// The variables that a command gets, the fields of forms and the members of JSON, also with escaped or single quotes,
    /// whose name speaks of a secret, and the words behind `Bearer`.
    ///
    /// What only hands on another variable stays.
    private static func withoutVariables(_ text: String) -> String {
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

    /// The text with the mark behind the first group of each pattern, in the place of what follows it.
    private static func replaced(_ text: String, _ patterns: [String]) -> String {
        replaced(text, patterns.map { ($0, mark) })
    }

    private static func replaced(_ text: String, _ patterns: [(pattern: String, mark: String)]) -> String {
        patterns.reduce(text) { text, entry in
            text.replacingOccurrences(
                of: entry.pattern, with: "$1" + entry.mark, options: [.regularExpression, .caseInsensitive])
        }
    }

    /// A text that a command said, without what was taken out of the command: it may quote its own arguments.
    package func text(_ said: String, of command: ExternalCommand) -> String {
        let kept = Set(words(of: text(command.command)))
        let secrets = words(of: command.command).filter { $0.count > 3 && !kept.contains($0) }
        return SecretText.text(text(said), without: secrets)
    }

    /// The words of a text as far as a secret may be one of them: as a shell reads them, quoted ones with their spaces, and
    /// their parts.
    private func words(of text: String) -> [String] {
        let whole = text.matches(of: /'([^']*)'|"([^"]*)"|[^\s'"]+/).map { match in
            String(match.output.1 ?? match.output.2 ?? match.output.0)
        }
        let parts = text.split { $0.isWhitespace || "'\"`|;<>=:@&?,".contains($0) }.map(String.init)
        return whole + parts
    }
}
