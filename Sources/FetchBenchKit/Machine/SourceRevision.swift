// SPDX-License-Identifier: Apache-2.0

import Subprocess

/// The state of the repository in which fetchbench was started.
package struct SourceRevision: Hashable, Sendable {
    /// The short name of the commit.
    package var commit: String
    /// Whether there are changes that were not committed.
    package var hasUncommittedChanges: Bool

    /// Creates one that is known.
    package init(commit: String, hasUncommittedChanges: Bool) {
        self.commit = commit
        self.hasUncommittedChanges = hasUncommittedChanges
    }

    /// Asks git, or gives `nil` where there is no git, no repository or no commit.
    package static func current() async -> SourceRevision? {
        guard let commit = await git(["rev-parse", "--short", "HEAD"]), !commit.isEmpty,
            let status = await git(["status", "--porcelain", "--untracked-files=no"])
        else { return nil }
        return SourceRevision(commit: commit, hasUncommittedChanges: !status.isEmpty)
    }

    /// The name of the revision in the name of a run: the commit where it is all there is, else `local`.
    package static func runSuffix(of revision: SourceRevision?) -> String {
        guard let revision, !revision.hasUncommittedChanges else { return "local" }
        return revision.commit
    }

    private static func git(_ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput.split(whereSeparator: \.isNewline).joined(separator: "\n")
    }
}
