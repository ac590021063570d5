// SPDX-License-Identifier: Apache-2.0

import MemProbe
import Runs
import Synchronization

package struct Compiler: Sendable {
    /// The reason why no compiler can be used.
    package struct Unusable: Error, Hashable, Sendable {
        package var reason: String
        package var version: String?
    }

    let version: String
    private let path: String
    private let environment: [String: String]
    private let directory: String
    private let modules: String

    /// Finds the compiler on PATH and asks it for its version.
    init(environment: [String: String], directory: String, modules: String, limit: Duration) async throws {
        path = try Self.path(in: environment)
        let child = ChildLaunch(
            executable: path, arguments: ["--version"], environment: environment, directory: directory, limit: limit)
        let lines = Mutex<[String]>([])
        _ = try await child.converse { line, _ in
            lines.withLock { $0.append(line) }
            return false
        }
        guard let version = lines.withLock({ $0 }).lazy.compactMap(CompilerVersion.init(parsing:)).first else {
            throw Unusable(reason: "the compiler does not say which version it has")
        }
        guard version.isThat(ofBuild: BuildInformation.swiftVersion) else {
            throw Unusable(
                reason: "the compiler is another one, '\(version.line)', than built this, "
                    + BuildInformation.swiftVersion, version: version.line)
        }
        self.version = version.line
        (self.environment, self.directory, self.modules) = (environment, directory, modules)
    }

    package static func path(in environment: [String: String]) throws(Unusable) -> String {
        let entries = environment.map { "\($0.key)=\($0.value)" }
        guard let path = try? ExecutableSearch.path(of: "swiftc", environment: entries) else {
            throw Unusable(reason: "no swiftc on PATH to ask")
        }
        return path
    }

    func run(_ arguments: [String], _ limit: Duration) async throws -> ProcessEnd {
        let child = ChildLaunch(
            executable: path, arguments: ["-module-cache-path", modules] + arguments, environment: environment,
            directory: directory, limit: limit)
        return try await child.converse { _, _ in false }
    }
}
