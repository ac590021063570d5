// SPDX-License-Identifier: Apache-2.0

import Runs

enum StarterSuite {
    static func text(for subject: StarterSubject) -> String {
        let what = subject.fetches ? "fetching" : "the commands below"
        let formula = subject.fetches ? "a formula of the asset's size" : "a size"
        let lines = [
            "# Memory limits of \(what), checked by `\(StarterSubject.checkCommand)`.",
            "#",
            "# A budget is \(formula), and applies to every trial. Tighten these to what",
            "# `fetchbench run --suite \(StarterSubject.suiteFile)` prints.",
        ]
        return (lines + example(of: subject) + plan(of: subject) + budgets(of: subject)).joined(separator: "\n") + "\n"
    }

    private static func example(of subject: StarterSubject) -> [String] {
        guard subject.isExample else { return [] }
        return [
            "#",
            "# These are the fetch paths of fetchbench itself. To measure yours, use `exec:`, a list of commands such as",
            "# NAME=command with {url} and {file}, or `programs:`, paths of programs made with TrialKit. A command",
            "# without {url} is measured on its own.",
        ]
    }

    private static func plan(of subject: StarterSubject) -> [String] {
        let commands = [("exec:", false), ("servers:", true)].flatMap { key, areServers in
            let own = subject.commands.filter { ($0.server != nil) == areServers }
            return own.isEmpty ? [] : [key] + own.map { "  - " + quoted("\($0.name)=\($0.given)") }
        }
        guard subject.fetches else {
            return ["name: memory", "description: memory of commands"] + commands
                + ["allocators: [glibc]", "trials: 10", "seed: 1"]
        }
        return ["name: memory", "description: memory of fetching", "assets: [1MiB, 16MiB]"]
            + ["modes: [\((subject.modes.isEmpty ? ["none"] : subject.modes).joined(separator: ", "))]"]
            + (subject.programs.isEmpty ? [] : ["programs:"] + subject.programs.map { "  - " + quoted($0) })
            + commands
            + ["renders: [none]", "allocators: [glibc]", "trials: 10", "seed: 1", "rate: 60MiB"]
    }

    private static func budgets(of subject: StarterSubject) -> [String] {
        let modes = subject.modes.filter { $0 != "none" }.map { mode in
            // The figures of our own modes are known; for others, start with less than a third copy.
            let limit = subject.isExample ? known[mode] : nil
            return "*/\(mode)/*: " + (limit ?? "peak <= 2.2 * size + 8 MiB")
        }
        // A command counts as a whole, from exec to exit, including an interpreter and its libraries.
        let commands = subject.commands.map {
            $0.server != nil
                ? "endpoint/\($0.name): peak <= 100 MiB"
                : $0.fetches ? "*/\($0.name)/*: peak <= 2.2 * size + 64 MiB" : "\($0.name): peak <= 200 MiB"
        }
        return ["budgets:"] + (modes + commands).map { "  - " + quoted($0) }
    }

    /// The budgets of the example's modes; a stream of URLSession has no back-pressure and may hold the whole body.
    static let known = [
        "data": "peak <= 2.2 * size + 4 MiB", "download": "peak <= 6 MiB", "stream": "peak <= 1.2 * size + 4 MiB",
    ]

    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "''") + "'"
    }
}

/// The programs, modes and commands named in the files that `init` writes.
struct StarterSubject {
    static let suiteFile = "fetchbench.yml"

    var programs: [String] = []
    /// The modes of the programs, or the example's if nothing was named.
    var modes: [String] = []
    var commands: [ExternalCommand] = []
    var build: String?

    /// Indicates whether nothing was named, so that our own modes serve as an example.
    var isExample: Bool { programs.isEmpty && commands.isEmpty }

    /// Indicates whether anything is fetched, rather than plain commands alone.
    var fetches: Bool { commands.isEmpty || !programs.isEmpty || commands.contains(where: \.fetches) }

    static let checkCommand = "fetchbench check --suite " + suiteFile
}
