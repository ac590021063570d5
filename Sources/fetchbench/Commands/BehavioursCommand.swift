// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Behaviours
import FetchBenchKit
import Foundation

/// `fetchbench behaviours`: what the fetch APIs of this toolchain really do.
struct BehavioursCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "behaviours", abstract: "Try each promise of the fetch APIs, and say what was observed.",
        discussion: """
            Each promise is tried in a process of its own against the embedded origin and judged by what the origin and
            the kernel saw. One that hangs or traps is an observation too. With --expect, the exit status is 0 where
            every word is the same, 1 where a behaviour changed for the better or the worse, 2 where one could not be
            compared.
            """)

    @Option(help: ArgumentHelp("Behaviours, separated by commas; all without it.", valueName: "names"))
    var only: [String] = []

    @Option(help: ArgumentHelp("markdown, csv or json, separated by commas, on standard output.", valueName: "formats"))
    var format: [String] = ["markdown"]

    @Option(help: ArgumentHelp("Write behaviours.md, .csv and .json into this folder.", valueName: "folder"))
    var output: String?

    @Option(help: ArgumentHelp("A behaviours.json to compare with.", valueName: "file"))
    var expect: String?

    @Flag(help: "List the behaviours and try nothing.")
    var list = false

    @Flag(help: "Say nothing but the answer.")
    var quiet = false

    func validate() throws {
        _ = try behaviours()
        _ = try formats()
        _ = try expectation()
        try checkOutput()
    }

    func run() async throws {
        let behaviours = try behaviours()
        if list { return try Console.answer(Self.list(behaviours)) }
        // Before anything is tried: a folder that cannot be made must not cost the answer.
        if let output { try Folder.make(output) }
        let rows = try await observe(behaviours)
        let environment = EnvironmentProbe.environment(
            temporaryDirectory: Surroundings.temporaryDirectory, commit: nil, hasUncommittedChanges: nil, label: nil)
        let report = BehaviourReport(
            tool: BuildInformation.tool, toolchain: BehaviourReport.Toolchain(environment), rows: rows)
        for format in try formats() { try Console.answer(format.text(of: report)) }
        try store(report)
        try judge(rows)
    }

    private func observe(_ behaviours: [Behaviour]) async throws -> [BehaviourReport.Row] {
        let isQuiet = quiet
        do {
            return try await Interrupt.whileListening {
                try await Surroundings.withTrialsDirectory { directory in
                    let runner = BehaviourRunner(
                        executable: Surroundings.executable, world: Surroundings.world, library: Surroundings.library,
                        directory: directory)
                    var rows: [BehaviourReport.Row] = []
                    for (index, behaviour) in behaviours.enumerated() {
                        try Task.checkCancellation()
                        let evidence = try await runner.evidence(for: behaviour)
                        let observation = behaviour.observation(of: evidence)
                        rows.append(BehaviourReport.Row(behaviour, observation, figures: Figures(evidence)))
                        guard !isQuiet else { continue }
                        Console.note(
                            "[\(index + 1)/\(behaviours.count)] \(behaviour.name): \(observation.word.rawValue): "
                                + observation.detail)
                    }
                    return rows
                }
            }
        } catch  where Task.isCancelled || error is CancellationError {
            throw ExitStatus.interrupted
        }
    }

    private func store(_ report: BehaviourReport) throws {
        guard let output else { return }
        for format in BehaviourFormat.allCases {
            try WholeFile.write(
                format.text(of: report), to: output + "/" + format.fileName, name: format.fileName)
        }
    }

    private func judge(_ rows: [BehaviourReport.Row]) throws {
        guard let expectation = try expectation() else { return }
        let (answer, lines) = expectation.compare(with: rows, isWhole: only.isEmpty)
        lines.forEach(Console.note)
        switch answer {
        case .same: return
        case .changed: throw ExitStatus.red
        case .incomplete: throw ExitStatus.noAnswer
        }
    }
}

extension BehavioursCommand {
    private func behaviours() throws -> [Behaviour] {
        let words = try WordList.words(of: "--only", only, orOf: nil)
        guard !words.isEmpty else { return BehaviourCatalog.all }
        let hidden = BehaviourCatalog.hidden.filter { words.contains($0.name) }
        return try WordList.resolve(words, kind: "behaviour", among: BehaviourCatalog.all + hidden, name: \.name)
    }

    private func formats() throws -> [BehaviourFormat] {
        try WordList.resolve(
            WordList.words(of: "--format", format, orOf: nil), kind: "format", among: BehaviourFormat.allCases,
            name: \.rawValue)
    }

    private func expectation() throws -> ExpectedWords? {
        guard let expect else { return nil }
        let name = SafeText.forTerminal(expect)
        do {
            return try ExpectedWords(parsing: WholeFile.data(at: expect, name: name))
        } catch let error as FetchBenchError {
            throw ValidationError("--expect: \(error.explanation)")
        } catch let error as ExpectedWords.Malformed {
            throw ValidationError(
                "--expect: \(name) cannot be used: \(error.reason). `fetchbench behaviours --output` writes one")
        }
    }

    private func checkOutput() throws {
        guard let output else { return }
        let existing = BehaviourFormat.allCases.first {
            FileManager.default.fileExists(atPath: output + "/" + $0.fileName)
        }
        if let existing {
            throw ValidationError(
                "--output: \(SafeText.forTerminal(output))/\(existing.fileName) exists already, and nothing is "
                    + "overwritten; choose another folder")
        }
    }

    private static func list(_ behaviours: [Behaviour]) -> String {
        let width = behaviours.map(\.name.count).max() ?? 0
        return behaviours.map { behaviour in
            let name = behaviour.name + String(repeating: " ", count: width - behaviour.name.count)
            return "\(name)  \(behaviour.path): \(behaviour.promise)\n"
        }.joined()
    }
}
