// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Profiles
package import Runs

/// Builds the environment of a trial's process from nothing.
///
/// 32 KiB more of environment are 32 KiB more of resident memory, so the user's exports must not reach a trial.
package struct TrialVariables: Sendable {
    /// The user's variables that trials need, if set: the places of libraries and certificates.
    package static let inheritedNames = ["LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"]

    /// The variables by which commands trust an authority: those of OpenSSL, curl, Python's requests.
    static let authorityNames = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"]

    /// The places in which sessions keep caches and cookies.
    ///
    /// If unset, Foundation finds a home even without `HOME`, which all trials would share and write to.
    static let storageNames = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]

    /// Makes a Swift program that traps end by its signal at once.
    ///
    /// By default the runtime first starts a backtracer, which holds the process while it reads its symbols (10 s and
    /// more for a large program on a slow machine), so that a trap looks like a deadlock; is another process in the
    /// measured tree; writes its report after the reason; and swallows a raised signal, so that the process exits with
    /// 0. The reason, `Fatal error: …`, is printed in any case.
    ///
    /// It applies to commands too, whatever the user has set: the runtime's preparations are memory of the process, and
    /// a trial must not depend on a shell's exports. To see the backtrace of a command, set it in the command: `env
    /// SWIFT_BACKTRACE=enable=yes tool {url}`.
    package static let backtrace = (name: "SWIFT_BACKTRACE", value: "enable=no")

    private let inherited: [String: String]
    private let proxies: [String: String]
    let searchPath: String?
    private let libraryFolder: String?
    private var fixed: [String: String]

    /// Creates a builder.
    /// - Parameters:
    ///   - environment: the user's environment, of which ``inheritedNames``, `PATH` and proxies are used.
    ///   - fixed: variables of every trial, such as the decoder's memory limit.
    ///   - libraryFolder: the folder of libraries packed with the harness; it need not exist.
    package init(environment: [String: String], fixed: [String: String], libraryFolder: String? = nil) {
        inherited = environment.filter { Self.inheritedNames.contains($0.key) }
        proxies = Self.proxies(of: environment)
        searchPath = environment["PATH"]
        (self.libraryFolder, self.fixed) = (libraryFolder, fixed)
    }

    package func fixing(_ more: [String: String]) -> TrialVariables {
        var fixing = self
        fixing.fixed.merge(more) { $1 }
        return fixing
    }

    /// The user's proxies, from which the embedded origin is exempt, as nobody else can reach it.
    private static func proxies(of environment: [String: String]) -> [String: String] {
        var variables = environment.filter {
            MachineEnvironment.proxyVariables.contains($0.key) && !$0.value.isEmpty
        }
        let exempt = variables["no_proxy"] ?? variables["NO_PROXY"]
        guard variables.keys.contains(where: { $0.lowercased() != "no_proxy" }), exempt != "*" else { return [:] }
        for name in ["no_proxy", "NO_PROXY"] {
            variables[name] = ([exempt].compactMap(\.self) + ["127.0.0.1", "localhost"]).joined(separator: ",")
        }
        return variables
    }

    /// The library to preload for an allocator: the one packed with the harness, else the system's by name.
    func preloadedLibrary(for allocator: AllocatorArm) -> String? {
        guard let name = allocator.preloadedLibrary, let libraryFolder else { return allocator.preloadedLibrary }
        let path = libraryFolder + "/" + name
        return Recording.canBePreloaded(path) && access(path, R_OK) == 0 ? path : name
    }

    func plainEnvironment(_ own: [String: String], on allocator: AllocatorArm) -> [String: String] {
        var variables = own.merging(allocator.environment) { $1 }
        // The user's preloaded libraries come after the allocator.
        let libraries = [preloadedLibrary(for: allocator), own["LD_PRELOAD"]].compactMap(\.self)
        variables["LD_PRELOAD"] = libraries.isEmpty ? nil : libraries.joined(separator: ":")
        return variables
    }

    /// Returns the whole environment of a trial.
    /// - Parameters:
    ///   - isCommand: true for a command, which may need the user's `PATH` to find others.
    ///   - authority: the path of the authority to trust; `nil` for the default ones.
    ///   - reachesOut: true for what may ask others than the embedded origin, by way of the user's proxies.
    package func environment(
        for allocator: AllocatorArm, directory: String, isCommand: Bool = false, authority: String? = nil,
        reachesOut: Bool = false
    ) -> [String: String] {
        var variables = reachesOut ? inherited.merging(proxies) { $1 } : inherited
        if let authority { Self.authorityNames.forEach { variables[$0] = authority } }
        variables.merge(fixed) { _, new in new }
        variables.merge(allocator.environment) { _, new in new }
        if let library = preloadedLibrary(for: allocator) { variables["LD_PRELOAD"] = library }
        if isCommand {
            variables["PATH"] = searchPath
        } else {
            Self.storageNames.forEach { variables[$0] = directory }
        }
        variables["TMPDIR"] = directory
        variables["LC_ALL"] = "C"
        variables[Self.backtrace.name] = Self.backtrace.value
        return variables
    }
}

package struct RecorderLibrary: Hashable, Sendable {
    package static let fileName = Recording.library

    package let path: String

    /// Finds the library beside a harness.
    package init(beside harness: String) throws {
        path = PathText.folder(of: harness) + "/" + Self.fileName
        guard access(path, R_OK) == 0 else {
            throw FetchBenchError(
                "nothing can be explained: \(Self.fileName) is missing next to fetchbench; `make build` builds it")
        }
        guard Recording.canBePreloaded(path) else {
            throw FetchBenchError(
                "nothing can be explained: the path of fetchbench contains a space or a colon, which LD_PRELOAD cannot "
                    + "express; move it")
        }
    }

}

package enum TrialFolder {
    private static let digits = 6

    static func path(_ prefix: String, _ number: Int, in parent: String) -> String {
        let text = String(number)
        return parent + "/" + prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Runs `body` with the path of a new folder, and removes it afterwards.
    ///
    /// All paths have the same length, because they are part of the environment of the process.
    package static func with<Result>(
        _ prefix: String, _ number: Int, in parent: String, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let path = path(prefix, number, in: parent)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}
