// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Runs

/// Builds the environment of a trial's process from nothing.
///
/// 32 KiB more of environment is 32 KiB more of resident memory, so what the user's shell happens to export must
/// not reach a trial.
package struct TrialVariables: Sendable {
    /// Variables of the user that a trial cannot do without, where they are set: where libraries and certificates are.
    package static let inheritedNames = [
        "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR",
    ]

    /// What commands are told by which authority to trust: OpenSSL's, curl, Python's requests.
    static let authorityNames = ["SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"]

    /// Where sessions keep caches and cookies.
    ///
    /// Where they are unset, Foundation finds a home even without `HOME`, which all trials would share and write to.
    static let storageNames = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"]

    /// What a Swift program does when it traps: it ends by its signal, at once.
    ///
    /// Left to itself, the runtime first starts a backtracer, which holds the process for as long as it takes to read
    /// its symbols, 10 s and more for a large program on a slow machine, so that a trap looks like a deadlock; is one
    /// more process in the tree that is measured; puts its report after the reason; and swallows a signal that was
    /// raised, so that the process ends with status 0. The reason, `Fatal error: …`, is printed in any case.
    ///
    /// It is the same for commands, and whatever the user has set: the runtime's preparations are memory of the
    /// process, and a trial must not depend on what a shell exports. Who wants to see the backtrace of a command asks
    /// for it in the command: `env SWIFT_BACKTRACE=enable=yes tool {url}`.
    package static let backtrace = (name: "SWIFT_BACKTRACE", value: "enable=no")

    private let inherited: [String: String]
    private let searchPath: String?
    private let libraryFolder: String?
    private var fixed: [String: String]

    /// Creates a builder.
    /// - Parameters:
    ///   - environment: the user's environment, of which only ``inheritedNames`` are used.
    ///   - fixed: what every trial gets, such as the decoder's memory limit.
    ///   - libraryFolder: where libraries were packed with the harness; it need not be there.
    package init(environment: [String: String], fixed: [String: String], libraryFolder: String? = nil) {
        inherited = environment.filter { Self.inheritedNames.contains($0.key) }
        searchPath = environment["PATH"]
        self.libraryFolder = libraryFolder
        self.fixed = fixed
    }

    /// The same with more that every trial gets.
    package func fixing(_ more: [String: String]) -> TrialVariables {
        var fixing = self
        fixing.fixed.merge(more) { $1 }
        return fixing
    }

    /// The library that a process on an allocator is started with, as `LD_PRELOAD` names it: the one that was packed with
    /// the harness, which a command would not find by its name, else the system's.
    func preloadedLibrary(for allocator: AllocatorArm) -> String? {
        guard let name = allocator.preloadedLibrary, let libraryFolder else { return allocator.preloadedLibrary }
        let path = libraryFolder + "/" + name
        return RecorderLibrary.canBePreloaded(path) && access(path, R_OK) == 0 ? path : name
    }

    /// The environment of a plain command on an allocator: the user's own, and what the allocator takes.
    func plainEnvironment(_ own: [String: String], on allocator: AllocatorArm) -> [String: String] {
        var variables = own.merging(allocator.environment) { $1 }
        // What the user loads in front of everything stays behind the allocator.
        let libraries = [preloadedLibrary(for: allocator), own["LD_PRELOAD"]].compactMap(\.self)
        variables["LD_PRELOAD"] = libraries.isEmpty ? nil : libraries.joined(separator: ":")
        return variables
    }

    /// The whole environment of a trial on an allocator, in a folder of its own.
    /// - Parameters:
    ///   - isCommand: whether the mode is a command, which may need the user's `PATH` to find others.
    ///   - authority: the path of the authority to trust, or `nil` for those that are trusted anyway.
    package func environment(
        for allocator: AllocatorArm, directory: String, isCommand: Bool = false, authority: String? = nil
    ) -> [String: String] {
        var variables = inherited
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
