// SPDX-License-Identifier: Apache-2.0

package import MemProbe
import OperatingSystem
package import Origin

package struct ProgramRun: Hashable, Sendable {
    package var output: [String]
    package var ending: Ending
    /// The reason of the ending, from its standard error.
    package var complaint: String
    package var requests: [RequestRecord]
    /// Its lifetime in nanoseconds.
    package var duration: Int
    /// The first line of the compiler's version, or `nil` if none was used.
    package var compiler: String?

    package init(
        output: [String] = [], ending: Ending, complaint: String = "", requests: [RequestRecord] = [],
        duration: Int = 0, compiler: String? = nil
    ) {
        (self.output, self.ending, self.complaint) = (output, ending, complaint)
        (self.requests, self.duration, self.compiler) = (requests, duration, compiler)
    }

    package var summary: String {
        if !output.isEmpty { return output.joined(separator: "; ") }
        return ending.obstacle(within: Double(duration) / 1e9) ?? "it printed nothing"
    }

    /// True if the program found its promise broken, trapped or hung.
    package var showsFault: Bool {
        switch ending {
        case .exited(1): !output.isEmpty
        case .signalled, .killedAtLimit: true
        case .exited, .killedOverMemory, .wroteTooMuch, .notStarted: false
        }
    }
}

package struct CompilerVersion: Hashable, Sendable {
    package let line: String
    private let number: Release

    /// The major and minor version, on which the language's features depend.
    private struct Release: Hashable, Comparable {
        var major: Int
        var minor: Int

        /// Parses `6.3`, or the beginning of `6.3.1`.
        init?(_ text: Substring) {
            let numbers = text.split(separator: ".").prefix(2).compactMap { Int($0.prefix(while: \.isNumber)) }
            guard numbers.count == 2 else { return nil }
            (major, minor) = (numbers[0], numbers[1])
        }

        static func < (first: Release, second: Release) -> Bool {
            (first.major, first.minor) < (second.major, second.minor)
        }
    }

    /// Parses `Swift version 6.3.1 (swift-6.3.1-RELEASE)`; returns `nil` for a line without a version.
    package init?(parsing line: String) {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "version"), place + 1 < words.endIndex,
            let number = Release(words[place + 1])
        else { return nil }
        (self.line, self.number) = (line, number)
    }

    /// Indicates whether the version matches that of a build: `6.3`, `6.5 or later`.
    package func isThat(ofBuild text: String) -> Bool {
        guard let built = text.split(separator: " ").first.flatMap(Release.init) else { return false }
        return text.hasSuffix("or later") ? number >= built : number == built
    }
}
