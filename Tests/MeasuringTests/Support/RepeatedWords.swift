// SPDX-License-Identifier: Apache-2.0

import Measuring
import Runs
import Testing

/// A printed command line, read as the command reads it: what it asks for has to be what was asked for.
struct RepeatedWords {
    /// The words as a shell hands them on, the subcommand among them.
    let all: [String]
    private(set) var arguments: [String] = []
    private(set) var flags: [String: [String]] = [:]

    private static let switches = ["--no-shell", "--ignore-failure"]

    init(_ line: String) throws {
        all = try ShellSyntax.words(of: line)
        var rest = all.dropFirst(2)
        while let word = rest.popFirst() {
            if Self.switches.contains(word) {
                flags[word] = []
            } else if word.hasPrefix("--") {
                let value = rest.popFirst()
                flags[word, default: []].append(try #require(value, "\(word) has no value in \(line)"))
            } else {
                arguments.append(word)
            }
        }
    }

    func asked() throws -> PlanWords {
        var words = try common()
        words[.modes] = flags["--mode"] ?? []
        words[.exec] = flags["--exec"] ?? []
        words[.assets] = flags["--asset"] ?? []
        words[.renders] = flags["--render"] ?? []
        return words
    }

    func plain() throws -> PlanRequest {
        var asked = CommandsRequest(commands: arguments)
        asked.names = flags["--name"] ?? []
        asked.preparations = flags["--prepare"] ?? []
        asked.cleanups = flags["--cleanup"] ?? []
        asked.shell = flags["--no-shell"] == nil ? nil : .never
        if let shell = flags["--shell"]?.first { asked.shell = try CommandShell(naming: shell) }
        let common = try common()
        return try .plain(asked) { words in
            let commands = words.plainCommands
            words = common
            words.plainCommands = commands
            words.commandSettings.warmup = flags["--warmup"]?.first.flatMap { Int($0) } ?? 0
            words.commandSettings.input = flags["--input"]?.first
            words.commandSettings.limit = flags["--limit"]?.first.flatMap { ByteCount(parsing: $0) }
            words.commandSettings.reference = flags["--reference"]?.first
            words.commandSettings.ignoresFailure = flags["--ignore-failure"] != nil
        }
    }

    private func common() throws -> PlanWords {
        var words = PlanWords()
        words[.parameters] = flags["--parameter-list"] ?? []
        words[.allocators] = flags["--allocator"] ?? []
        for setting in Setting.all { words.settings[setting.flag] = flags["--" + setting.flag]?.first }
        return words
    }
}
