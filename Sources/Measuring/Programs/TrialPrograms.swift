// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Runs
import Texts
package import TrialKit

/// A trial program, and what it says it can do.
package struct TrialExecutable: Hashable, Sendable {
    /// Its path.
    package let path: String
    /// What it answered.
    package let description: ProgramDescription
    /// Which file it was then; `nil` where there was none.
    private let file: FileIdentity?

    /// Creates one whose answer is known.
    package init(path: String, description: ProgramDescription) {
        self.path = path
        self.description = description
        file = FileIdentity(at: path)
    }

    /// What has become of its file since it was asked, in words; `nil` where it is the same one.
    package var change: String? {
        let now = FileIdentity(at: path)
        guard now != file else { return nil }
        guard let now else { return "its program \(name) is not there any more" }
        return "its program \(name) is another file than the run began with "
            + "(\(now.byteCount) bytes, and it had \(file?.byteCount ?? 0)); do not build while it is measured"
    }

    /// Its name, without a folder.
    package var name: String { PathText.name(of: path) }

    /// Whether it has a mode of this name.
    func hasMode(_ name: String) -> Bool { description.modes.contains { $0.name == name } }
}

/// The programs that can be measured: those that were named, then those beside the harness.
package struct TrialPrograms: Hashable, Sendable {
    /// Those of this project, in the order in which their modes are listed.
    static let ours = [
        "trial-urlsession", "trial-opencombine", "trial-async-http-client", "trial-nio", "trial-curl", "trial-raw",
    ]

    /// The programs that answered.
    package let executables: [TrialExecutable]
    /// The names of this project's programs that are not there.
    package let missing: [String]

    /// Creates a set of programs.
    package init(executables: [TrialExecutable], missing: [String] = []) {
        self.executables = executables
        self.missing = missing
    }

    /// Asks the programs that were named, and those of this project beside a harness.
    /// - Throws: ``FetchBenchError/trialProgram(path:reason:)`` for one that is there and cannot be used, or that was
    ///   named and is not there.
    package static func found(
        named paths: [String], beside harness: String, variables: TrialVariables
    ) async throws(FetchBenchError) -> TrialPrograms {
        let folder = PathText.folder(of: harness)
        let (there, missing) = split(ours.map { folder + "/" + $0 })
        var executables: [TrialExecutable] = []
        for path in paths + there {
            executables.append(
                TrialExecutable(
                    path: path, description: try await ProgramQuery(path: path, variables: variables).answer()))
        }
        return TrialPrograms(executables: executables, missing: missing)
    }

    /// Whether a program describes itself as one that can be measured.
    package static func isOne(_ path: String, variables: TrialVariables) async -> Bool {
        (try? await ProgramQuery(path: path, variables: variables).answer()) != nil
    }

    private static func split(_ paths: [String]) -> (there: [String], missing: [String]) {
        let there = paths.filter { FileManager.default.fileExists(atPath: $0) }
        return (there, paths.filter { !there.contains($0) }.map { PathText.name(of: $0) })
    }

    /// Every mode once, in the order of the programs.
    package var modes: [ModeDeclaration] { Self.once(executables.flatMap(\.description.modes), by: \.name) }

    /// The names of the modes of the first programs, of those that were named.
    func ownModes(_ count: Int) -> [String] {
        executables.prefix(count).flatMap { $0.description.modes.map(\.name) }
    }

    /// Every render model once, in the order of the programs.
    package var renderModels: [RenderModelDeclaration] {
        Self.once(executables.flatMap(\.description.renderModels), by: \.name)
    }

    /// Every scenario once, in the order of the programs.
    package var scenarios: [ScenarioDeclaration] {
        Self.merged(declared)
    }

    /// The scenarios of all programs, those of one name among them that several have.
    var declared: [ScenarioDeclaration] { executables.flatMap { $0.description.scenarios ?? [] } }

    /// What the program of a mode can play with it.
    func scenarios(of mode: String) -> [ScenarioDeclaration] {
        executable(ofMode: mode)?.description.scenarios ?? []
    }

    /// What the program of a mode can render with, or `nil` where no program has the mode.
    func renderModels(of mode: String) -> [String]? {
        executable(ofMode: mode)?.description.renderModels.map(\.name)
    }

    /// What every trial needs in its environment, whatever program it runs in.
    package var environment: [String: String] {
        renderModels.reduce(into: [:]) { $0.merge($1.environment) { first, _ in first } }
    }

    /// The program that has a mode: the first one that was named.
    package func executable(ofMode mode: String) -> TrialExecutable? {
        executables.first { $0.hasMode(mode) }
    }

    /// The program of a case; `nil` where that of its mode has not its render model, too: both are in one process.
    package func executable(for cell: Case) -> TrialExecutable? {
        executable(ofMode: cell.mode).flatMap { program in
            program.description.renderModels.contains { $0.name == cell.render } ? program : nil
        }
    }

    /// Which modes of the programs that were named another one has, too, a sentence each: the first program's is measured.
    /// - Parameter count: how many were named.
    package func doubledModes(ofNamed count: Int) -> [String] {
        let named = ownModes(count)
        let owners = Dictionary(
            grouping: executables.flatMap { program in
                program.description.modes.map { ($0.name, program) }
            }
        ) { $0.0 }
        let doubled = owners.filter { $0.key != Case.nullMode && $0.value.count > 1 && named.contains($0.key) }
        return doubled.sorted { $0.key < $1.key }.map { name, all in
            "mode \(name) is in \(all.map(\.1.name).joined(separator: " and in ")): that of \(all[0].1.path) is measured"
        }
    }

    /// Refuses a plan that a program is missing for, or too old.
    /// - Throws: ``FetchBenchError/noTrialProgram(cell:)`` or ``FetchBenchError/trialProgram(path:reason:)``.
    func check(_ plan: Plan) throws(FetchBenchError) {
        for cell in plan.cases where plan.command(of: cell) == nil {
            guard let program = executable(for: cell) else { throw .noTrialProgram(cell: cell.identifier) }
            let hasDetails = plan.settings.request != nil && plan.asset(of: cell)?.isEmbedded == false
            let needed = max(cell.conditions.documentVersion, hasDetails ? RequestDetails.documentVersion : 1)
            guard program.description.protocols.upperBound >= needed else {
                throw .trialProgram(
                    path: program.path,
                    reason: "it speaks version \(program.description.protocols.upperBound) of the protocol, and "
                        + "\(cell.identifier) needs \(needed); build it anew")
            }
        }
    }

    /// Refuses a plan of two programs that do not both have its modes: another one's would be measured in their place.
    /// - Parameter base: the programs of the other side, whose first one is compared with the first of these.
    /// - Throws: ``FetchBenchError/trialProgram(path:reason:)``.
    package func checkCounterpart(of base: TrialPrograms, in plan: Plan) throws(FetchBenchError) {
        guard let first = base.executables.first, let own = executables.first else { return }
        for cell in plan.cases where base.executable(for: cell) == first && executable(for: cell) != own {
            let isRender = own.hasMode(cell.mode)
            throw .trialProgram(
                path: own.path,
                reason:
                    "it has no \(isRender ? "render model \(cell.render)" : "mode \(cell.mode)"), which the base has")
        }
    }

    /// The files of the programs that measure cases, each once.
    func files(for cases: [Case]) -> [ProgramFile] {
        executables.filter { program in cases.contains { executable(for: $0) == program } }.map {
            ProgramFile(at: $0.path)
        }
    }

    /// What the programs declare that measure these cases, as a run keeps it; `nil` where they declare no scenarios.
    /// - Parameter head: programs that measure the same cases beside these: an older program may declare no figures.
    package func declaredScenarios(
        for cases: [Case], besides head: TrialPrograms? = nil
    ) -> [ScenarioDeclaration]? {
        let used = [self, head].compactMap(\.self).flatMap { programs in
            programs.executables.filter { program in cases.contains { programs.executable(for: $0) == program } }
        }
        let declared = Self.merged(used.flatMap { $0.description.scenarios ?? [] }).map { scenario in
            var kept = scenario
            // The sources of their figures are pages; what a trial was played under tells them itself.
            kept.loaders = nil
            return kept
        }
        return declared.isEmpty ? nil : declared
    }

    /// The same with the null case in the program of a mode: its floor is the one that matters.
    package func puttingFirst(programOf mode: String?) -> TrialPrograms {
        guard let mode, let index = executables.firstIndex(where: { $0.hasMode(mode) }) else { return self }
        var executables = executables
        executables.insert(executables.remove(at: index), at: 0)
        return TrialPrograms(executables: executables, missing: missing)
    }

    /// Copies of the programs in another folder, as `cp` makes them: the same bytes, other pages of the page cache.
    package func copied(to folder: String) throws -> TrialPrograms {
        let copies = try executables.enumerated().map { number, program in
            let path = "\(folder)/program-\(number)"
            try FileManager.default.copyItem(atPath: program.path, toPath: path)
            return TrialExecutable(path: path, description: program.description)
        }
        return TrialPrograms(executables: copies, missing: missing)
    }

    /// What would bring the programs that are missing, or `nil` where none is.
    package var remedy: String? {
        guard !missing.isEmpty else { return nil }
        return "not built: \(missing.joined(separator: ", ")) (swift build -c release)"
    }

    /// Every scenario once, with the figures of the first program that declares any.
    private static func merged(_ scenarios: [ScenarioDeclaration]) -> [ScenarioDeclaration] {
        once(scenarios, by: \.name).map { scenario in
            scenarios.first { $0.name == scenario.name && $0.figures != nil } ?? scenario
        }
    }

    private static func once<Value>(_ values: [Value], by name: KeyPath<Value, String>) -> [Value] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0[keyPath: name]).inserted }
    }
}
