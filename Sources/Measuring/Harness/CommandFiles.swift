// SPDX-License-Identifier: Apache-2.0

import Runs

extension TrialInputs {
    /// Identifies the executables of a plan's commands that can be found, by their redacted names in the commands.
    ///
    /// These are all words that name an executable file, by a path or in `PATH`: the program itself, those behind `env` or
    /// `taskset`, and those of a shell's text. Scripts and data that an interpreter reads are not among them, nor is what
    /// a command still has to build, nor a file that only the kernel may read.
    /// - Parameter hashesAll: False to identify large files by their size and time, which is faster.
    func executables(of plan: Plan, hashesAll: Bool) -> [ProgramFile] {
        var seen: Set<String> = []
        var files: [ProgramFile] = []
        for word in plan.cases.flatMap({ words(of: $0, in: plan) }) where seen.insert(word).inserted {
            guard let path = path(of: word) else { continue }
            let large = ProgramFile(at: path)
            let isHashed = hashesAll || large.byteCount <= Self.quicklyHashed
            guard var file = isHashed ? try? ProgramFile(hashing: path) : large else { continue }
            file.name = harness.redaction.text(word)
            files.append(file)
        }
        return files.sorted { $0.name < $1.name }
    }

    /// Hashing takes some 2 ms per MiB.
    private static let quicklyHashed = 16 << 20

    func program(of cell: Case, in plan: Plan) -> String? { words(of: cell, in: plan).first.flatMap(path) }

    private func path(of word: String) -> String? {
        let path = try? ExecutableSearch.path(
            of: word, environment: harness.commandEnvironment["PATH"].map { ["PATH=" + $0] } ?? [],
            in: harness.workingDirectory)
        return path.map(harness.absolute)
    }

    private func words(of cell: Case, in plan: Plan) -> [String] {
        guard let command = commands[cell.mode] ?? plan.command(of: cell) else { return [] }
        guard cell.isOwnCommand else { return (try? command.words()) ?? [] }
        let values = CommandParameters.real(cell.parameters, among: parameters)
        let words = (try? command.launch(with: values))?.words ?? []
        // Words may be the text of a shell, too.
        return words + words.flatMap { $0.split { " \t\n;|&()<>{}`'\"$=".contains($0) }.map(String.init) }
    }
}
