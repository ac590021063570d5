// SPDX-License-Identifier: Apache-2.0

package struct SourceRevision: Hashable, Sendable {
    package var commit: String
    package var hasUncommittedChanges: Bool

    package init(commit: String, hasUncommittedChanges: Bool) {
        (self.commit, self.hasUncommittedChanges) = (commit, hasUncommittedChanges)
    }

    /// Runs git with the user's environment; returns `nil` without git, a repository or a commit.
    package static func current(environment: [String: String]) async -> SourceRevision? {
        // env searches PATH for git as a shell does. No tag is asked for, so the commit is named by its short hash.
        let launch = ChildLaunch(
            executable: "/usr/bin/env", arguments: ["git", "describe", "--always", "--dirty", "--exclude=*"],
            environment: environment, limit: .seconds(60), outputLimit: 1 << 20)
        guard let end = try? await launch.run(), end.ending == .exited(0) else { return nil }
        let words = String(decoding: end.output, as: UTF8.self).split { $0 == "-" || $0.isNewline }
        guard let commit = words.first else { return nil }
        return SourceRevision(commit: String(commit), hasUncommittedChanges: words.dropFirst() == ["dirty"])
    }

    /// The suffix of run names: the commit if there are no other changes, else `local`.
    package static func runSuffix(of revision: SourceRevision?) -> String {
        guard let revision, !revision.hasUncommittedChanges else { return "local" }
        return revision.commit
    }
}

package enum BuildInformation {
    package static let version = "0.1.0"

    /// The name of the program in runs and judgements: `fetchbench 0.1.0`.
    package static let tool = "fetchbench \(version)"

    /// The compiler's minor version: conditional compilation cannot detect the patch version.
    package static var swiftVersion: String {
        #if swift(>=6.5)
            "6.5 or later"
        #elseif swift(>=6.4)
            "6.4"
        #elseif swift(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// `release` or `debug`.
    package static var configuration: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}

extension AllocatorIdentity {
    /// The version without build metadata: `5.3.0` of `5.3.0-0-g54eaed1d…`; empty if unknown.
    package var shortVersion: String { String((version ?? "").prefix { $0 != "-" }) }
}
