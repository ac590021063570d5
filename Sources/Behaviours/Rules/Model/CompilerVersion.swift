// SPDX-License-Identifier: Apache-2.0

/// Which compiler answered, as its `--version` says.
package struct CompilerVersion: Hashable, Sendable {
    /// The first line that it says.
    package let line: String
    private let number: Release

    /// The two numbers that the language's features depend on.
    private struct Release: Hashable, Comparable {
        var major: Int
        var minor: Int

        /// Reads `6.3`, or the beginning of `6.3.1`.
        init?(_ text: Substring) {
            let numbers = text.split(separator: ".").prefix(2).compactMap { Int($0.prefix(while: \.isNumber)) }
            guard numbers.count == 2 else { return nil }
            (major, minor) = (numbers[0], numbers[1])
        }

        static func < (first: Release, second: Release) -> Bool {
            (first.major, first.minor) < (second.major, second.minor)
        }
    }

    /// Reads `Swift version 6.3.1 (swift-6.3.1-RELEASE)`, or gives `nil` for what names no version.
    package init?(parsing line: String) {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "version"), place + 1 < words.endIndex,
            let number = Release(words[place + 1])
        else { return nil }
        self.line = line
        self.number = number
    }

    /// Whether it has the major and minor version that a build tells of itself: `6.3`, `6.5 or later`.
    package func isThat(ofBuild text: String) -> Bool {
        guard let built = text.split(separator: " ").first.flatMap(Release.init) else { return false }
        return text.hasSuffix("or later") ? number >= built : number == built
    }
}
