// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason for the end of a process, from its standard error.
package enum LastWords {
    /// Returns the reason in one line of at most `limit` characters.
    ///
    /// It is the message of the Swift runtime with its place, or the last lines before a backtracer's report, joined by
    /// bars, or the crash named by that report, or empty.
    package static func reason(in text: String, limit: Int, lines count: Int = 1) -> String {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        let said = withoutReports(lines)
        if let fatal = said.lazy.compactMap(fatalError).first { return String(fatal.prefix(limit)) }
        guard !said.isEmpty else { return String((crash(in: lines) ?? "").prefix(limit)) }
        return ending(said.suffix(count).joined(separator: separator), limit: limit)
    }

    private static let separator = " | "

    /// Returns the last lines of joined ones that fit, at least a part of the last one.
    package static func ending(_ text: String, limit: Int) -> String {
        var kept = text.split(separator: separator, omittingEmptySubsequences: false)[...]
        while kept.count > 1, kept.joined(separator: separator).count > limit { kept.removeFirst() }
        return String(kept.joined(separator: separator).prefix(limit))
    }

    /// Returns a fatal error without folders of the build machine: `Fatal error: words: file File.swift, line 80`.
    ///
    /// The runtime prints `Kit/File.swift:80: Fatal error: words`, or formerly
    /// `Fatal error: words: file /folder/File.swift, line 80`.
    private static func fatalError(_ line: Substring) -> String? {
        guard let start = line.firstRange(of: "Fatal error") else { return nil }
        let message = line[start.lowerBound...]
        let place = line[..<start.lowerBound].split(separator: ":", omittingEmptySubsequences: false)
        if place.count >= 3, let number = Int(place[place.count - 2]) {
            let file = place.dropLast(2).joined(separator: ":")
            return "\(message): file \(PathText.name(of: file)), line \(number)"
        }
        guard let word = message.ranges(of: ": file ").last else { return String(message) }
        return "\(message[..<word.upperBound])\(PathText.name(of: String(message[word.upperBound...])))"
    }

    /// Removes the reports of the Swift backtracer, which end with their duration, not with a reason.
    private static func withoutReports(_ lines: [Substring]) -> [Substring] {
        var isReport = false
        return lines.filter { line in
            if line.hasPrefix("*** Signal ") || line.contains("Program crashed:") { isReport = true }
            defer { if line.hasPrefix("Backtrace took ") { isReport = false } }
            return !isReport
        }
    }

    /// Returns `Program crashed: Bad pointer dereference`, without the address, which differs each time.
    private static func crash(in lines: [Substring]) -> String? {
        lines.lazy.compactMap { line in
            line.firstRange(of: "Program crashed:").map { line[$0.lowerBound...] }
        }.first.map { words in
            let end = words.firstRange(of: " at 0x")?.lowerBound ?? words.endIndex
            return String(words[..<end]).filter { $0 != "*" }
        }
    }
}

/// Returns the description of a signal: `Segmentation fault`.
package func signalName(_ signal: Int32) -> String {
    strsignal(signal).map { String(cString: $0) } ?? "unknown"
}
