// SPDX-License-Identifier: Apache-2.0

import MemProbe

/// The state of the repository in which fetchbench was started.
package struct SourceRevision: Hashable, Sendable {
    /// The short hash of the commit.
    package var commit: String
    package var hasUncommittedChanges: Bool

    package init(commit: String, hasUncommittedChanges: Bool) {
        self.commit = commit
        self.hasUncommittedChanges = hasUncommittedChanges
    }

    /// Runs git with the user's environment; returns `nil` without git, a repository or a commit.
    package static func current(environment: [String: String]) async -> SourceRevision? {
        guard let commit = await git(["rev-parse", "--short", "HEAD"], environment), !commit.isEmpty,
            let status = await git(["status", "--porcelain", "--untracked-files=no"], environment)
        else { return nil }
        return SourceRevision(commit: commit, hasUncommittedChanges: !status.isEmpty)
    }

    /// The suffix of run names: the commit if there are no other changes, else `local`.
    package static func runSuffix(of revision: SourceRevision?) -> String {
        guard let revision, !revision.hasUncommittedChanges else { return "local" }
        return revision.commit
    }

    private static func git(_ arguments: [String], _ environment: [String: String]) async -> String? {
        // env searches PATH for git as a shell does.
        let launch = ChildLaunch(
            executable: "/usr/bin/env", arguments: ["git"] + arguments, environment: environment, limit: .seconds(60),
            outputLimit: 1 << 20)
        guard let end = try? await launch.run(), end.ending == .exited(0) else { return nil }
        return String(decoding: end.output, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: "\n")
    }
}
