// SPDX-License-Identifier: Apache-2.0

import Runs

/// What somebody wants to measure first, as the files that `init` writes name it.
struct StarterSubject {
    /// The name of the suite's file.
    static let suiteFile = "fetchbench.yml"

    /// The trial programs, as the folder of the suite names them.
    var programs: [String] = []
    /// The modes: those of the programs, or ours where nothing was named.
    var modes: [String] = []
    /// The commands.
    var commands: [ExternalCommand] = []

    /// Whether nothing was named, so that our own modes stand for what will be.
    var isExample: Bool { programs.isEmpty && commands.isEmpty }

    /// Whether anything is fetched: not by plain commands alone.
    var fetches: Bool { commands.isEmpty || !programs.isEmpty || commands.contains(where: \.fetches) }

    /// The command that judges the suite.
    static let checkCommand = "fetchbench check --suite " + suiteFile
}
