// SPDX-License-Identifier: Apache-2.0

import Runs
import Synchronization

package struct Compiler: Sendable {
    /// The reason why it cannot be used, or `nil`.
    let obstacle: String?
    let version: String?
    private let path: String
    private let environment: [String: String]
    private let directory: String
    private let modules: String

    /// Finds the compiler on PATH and asks it for its version.
    init(environment: [String: String], directory: String, modules: String, limit: Duration) async throws {
        (self.environment, self.directory, self.modules) = (environment, directory, modules)
        path = Self.path(in: environment) ?? ""
        guard !path.isEmpty else {
            (obstacle, version) = (Self.missing, nil)
            return
        }
        let child = ChildLaunch(
            executable: path, arguments: ["--version"], environment: environment, directory: directory, limit: limit)
        let lines = Mutex<[String]>([])
        _ = try await child.converse { line, _ in
            lines.withLock { $0.append(line) }
            return false
        }
        let found = lines.withLock { $0 }.lazy.compactMap(Version.init(parsing:)).first
        version = found?.line
        if let found {
            obstacle =
                found.isThat(ofBuild: BuildInformation.swiftVersion)
                ? nil
                : "the compiler is another one, '\(found.line)', than built this, \(BuildInformation.swiftVersion)"
        } else {
            obstacle = "the compiler does not say which version it has"
        }
    }

    package static let missing = "no swiftc on PATH to ask"

    package static func path(in environment: [String: String]) -> String? {
        try? ExecutableSearch.path(of: "swiftc", environment: environment.map { "\($0.key)=\($0.value)" })
    }

    func run(_ arguments: [String], _ limit: Duration) async throws -> ProcessEnd {
        let child = ChildLaunch(
            executable: path, arguments: ["-module-cache-path", modules] + arguments, environment: environment,
            directory: directory, limit: limit)
        return try await child.converse { _, _ in false }
    }

    package struct Version: Hashable, Sendable {
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

        package func isThat(ofBuild text: String) -> Bool {
            guard let built = text.split(separator: " ").first.flatMap(Release.init) else { return false }
            return text.hasSuffix("or later") ? number >= built : number == built
        }
    }
}
