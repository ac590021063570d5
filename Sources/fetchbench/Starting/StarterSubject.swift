// SPDX-License-Identifier: Apache-2.0

import Runs

/// The programs, modes and commands named in the files that `init` writes.
struct StarterSubject {
    static let suiteFile = "fetchbench.yml"

    /// The paths of trial programs, relative to the suite's folder.
    var programs: [String] = []
    /// The modes of the programs, or the example's if nothing was named.
    var modes: [String] = []
    var commands: [ExternalCommand] = []
    /// The command that builds the repository, or `nil` if it is unknown.
    var build: String?

    /// Indicates whether nothing was named, so that our own modes serve as an example.
    var isExample: Bool { programs.isEmpty && commands.isEmpty }

    /// Indicates whether anything is fetched, rather than plain commands alone.
    var fetches: Bool { commands.isEmpty || !programs.isEmpty || commands.contains(where: \.fetches) }

    /// The command that judges the suite.
    static let checkCommand = "fetchbench check --suite " + suiteFile
}
