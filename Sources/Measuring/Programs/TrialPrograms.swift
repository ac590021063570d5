// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
package import Runs

package struct TrialExecutable: Hashable, Sendable {
    /// The `argv[0]` of all its processes: its length is part of resident memory.
    static let processName = "trial"

    package let path: String
    package let description: ProgramDescription
    fileprivate let file: FileIdentity?

    package init(path: String, description: ProgramDescription) {
        (self.path, self.description) = (path, description)
        file = FileIdentity(at: path)
    }

    /// A description of the change of its file since then; `nil` if it is the same.
    package var change: String? {
        let now = FileIdentity(at: path)
        guard now != file else { return nil }
        guard let now else { return "program \(name) was removed during the run" }
        return "program \(name) changed during the run "
            + "(\(now.byteCount) bytes, was \(file?.byteCount ?? 0)); do not build while it is measured"
    }

    package var name: String { PathText.name(of: path) }

    /// True if it runs on an allocator that no preloaded library replaces.
    var bringsAllocator: Bool { AllocatorArm.own.isNamed(description.allocator.name) }

    func hasMode(_ name: String) -> Bool { description.modes.contains { $0.name == name } }
}

/// The programs that can be measured: named ones, then those beside the harness.
package struct TrialPrograms: Hashable, Sendable {
    /// This project's programs with their modes, in the order of lists.
    ///
    /// A program that is not built cannot describe its modes, so their names are repeated here for the error message.
    package static let own: KeyValuePairs<String, [String]> = [
        "trial-urlsession": [
            "sync-data", "sync-string", "gcd-data", "data", "data-async", "data-delegate", "stream", "stream-bounded",
            "download", "download-async", "download-delegate", "taskgroup-data", "taskgroup-download",
            "taskgroup-dictionary", "taskgroup-discarding", "loop-data", "upload", "upload-file",
        ],
        "trial-opencombine": [
            "publisher-data", "publisher-download", "publisher-share", "publisher-connectable", "publisher-retry-catch",
            "publisher-decode", "publisher-picture",
        ],
        "trial-async-http-client": ["ahc-stream", "ahc-collect", "ahc-file"],
        "trial-nio": ["nio-stream"],
        "trial-curl": ["curl-stream"],
        "trial-raw": ["raw", "raw-drop"],
    ]

    /// The names of the modes of this project's programs, built or not.
    static let ownModes = own.flatMap(\.value)

    /// The programs with two client libraries each, which only costs are measured of.
    static let pairs = ["pair-urlsession-async-http-client", "pair-urlsession-curl"]

    package let executables: [TrialExecutable]
    package let missing: [String]

    package init(executables: [TrialExecutable], missing: [String] = []) {
        (self.executables, self.missing) = (executables, missing)
    }

    /// Queries the named programs, and those of this project beside a harness.
    ///
    /// - Parameters:
    ///   - modes: The only modes that are needed; `nil` for all. Programs of this project without them are not asked.
    ///   - cache: Keeps what programs of this project answered. A named program may be made of other files, too, so it
    ///     is asked each time.
    package static func found(
        named paths: [String], beside harness: String, for modes: [String]? = nil, variables: TrialVariables,
        cache: DescriptionCache? = nil
    ) async throws -> TrialPrograms {
        let folder = PathText.folder(of: harness)
        let (there, missing) = split(own.map { folder + "/" + $0.key })
        let asked = there.filter { path in
            guard let modes, Set(ownModes).isSuperset(of: modes) else { return true }
            return own.contains { $0.key == PathText.name(of: path) && !Set($0.value).isDisjoint(with: modes) }
        }
        let queries =
            paths.map { ProgramQuery(path: $0, variables: variables) }
            + asked.map { ProgramQuery(path: $0, variables: variables, cache: cache) }
        return TrialPrograms(executables: try await answered(queries), missing: missing)
    }

    /// Queries the programs with two client libraries that are beside a harness.
    static func pairs(
        beside harness: String, variables: TrialVariables
    ) async throws -> [TrialExecutable] {
        let folder = PathText.folder(of: harness)
        return try await answered(
            split(pairs.map { folder + "/" + $0 }).there.map { ProgramQuery(path: $0, variables: variables) })
    }

    /// Asks programs at the same time; of several errors, that of the first program is thrown.
    private static func answered(_ queries: [ProgramQuery]) async throws -> [TrialExecutable] {
        let answers = await withTaskGroup(of: (Int, Result<ProgramDescription, any Error>).self) { group in
            for (index, query) in queries.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await query.answer()))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var executables: [TrialExecutable] = []
        for (index, query) in queries.enumerated() {
            guard let description = try answers[index]?.get() else { continue }
            executables.append(TrialExecutable(path: query.path, description: description))
        }
        return executables
    }

    private static func split(_ paths: [String]) -> (there: [String], missing: [String]) {
        let there = paths.filter { FileManager.default.fileExists(atPath: $0) }
        return (there, paths.filter { !there.contains($0) }.map { PathText.name(of: $0) })
    }

    package var modes: [ModeDeclaration] { Self.once(executables.flatMap(\.description.modes), by: \.name) }

    /// The names of the modes of the first programs, which are the named ones.
    func ownModes(_ count: Int) -> [String] {
        executables.prefix(count).flatMap { $0.description.modes.map(\.name) }
    }

    package var renderModels: [RenderModelDeclaration] {
        Self.once(executables.flatMap(\.description.renderModels), by: \.name)
    }

    package var scenarios: [ScenarioDeclaration] { Self.merged(declared) }

    var declared: [ScenarioDeclaration] { executables.flatMap { $0.description.scenarios ?? [] } }

    func planned(_ mode: ModeDeclaration) -> PlannedMode {
        let program = executable(ofMode: mode.name)?.description
        return PlannedMode(
            mode, scenarios: program?.scenarios ?? [], models: program?.renderModels.map(\.name),
            allocatorName: program?.allocator.name)
    }

    package var environment: [String: String] {
        renderModels.reduce(into: [:]) { $0.merge($1.environment) { first, _ in first } }
    }

    package func executable(ofMode mode: String) -> TrialExecutable? {
        executables.first { $0.hasMode(mode) }
    }

    /// The first program that runs on an allocator, apart from its settings: only a program with its own runs on `own`.
    package func executable(on allocator: AllocatorArm) -> TrialExecutable? {
        executables.first { $0.bringsAllocator == (allocator == .own) }
    }

    /// The program of a case; `nil` if that of its mode lacks its render model: one process needs both.
    ///
    /// Every program has the null mode, which runs in the first one on the allocator of the case.
    package func executable(for cell: Case) -> TrialExecutable? {
        let program = cell.mode == Case.nullMode ? executable(on: cell.allocator) : executable(ofMode: cell.mode)
        return program.flatMap { program in
            program.description.renderModels.contains { $0.name == cell.render } ? program : nil
        }
    }

    /// Describes the modes of the first `count` programs (the named ones) that others have too, a line for those of the
    /// same programs; a program that is named twice, or lies beside the command as well, is one.
    package func doubledModes(ofNamed count: Int) -> [String] {
        let doubled = Dictionary(grouping: Set(ownModes(count)).subtracting([Case.nullMode])) { name in
            let owners = executables.filter { $0.hasMode(name) }
            return owners.reduce(into: [TrialExecutable]()) { if !$0.map(\.file).contains($1.file) { $0.append($1) } }
        }
        return doubled.filter { $0.key.count > 1 }.map { owners, names in
            let others = owners.dropFirst().map(\.path).joined(separator: " or ")
            return "\(names.count == 1 ? "mode" : "modes") \(names.sorted().joined(separator: ", ")): measured with "
                + "\(owners[0].path), not with \(others)"
        }.sorted()
    }

    /// Refuses a plan of which a program is missing or too old.
    package func check(_ plan: Plan) throws {
        for cell in plan.cases where plan.command(of: cell) == nil {
            guard let program = executable(for: cell) else {
                throw FetchBenchError.noTrialProgram(cell: cell.identifier)
            }
            let hasDetails = plan.settings.request != nil && plan.asset(of: cell)?.isEmbedded == false
            let needed = max(cell.conditions.documentVersion, hasDetails ? RequestDetails.documentVersion : 1)
            guard program.description.protocols.upperBound >= needed else {
                throw FetchBenchError.trialProgram(
                    path: program.path,
                    reason:
                        "it supports protocol version \(program.description.protocols.upperBound), but \(cell.identifier) "
                        + "needs \(needed); rebuild it")
            }
        }
    }

    /// Refuses a plan whose modes the first programs of both sides do not share: another program would run instead.
    package func checkCounterpart(of base: TrialPrograms, in plan: Plan) throws {
        guard let first = base.executables.first, let own = executables.first else { return }
        for cell in plan.cases where base.executable(for: cell) == first && executable(for: cell) != own {
            let isRender = own.hasMode(cell.mode)
            throw FetchBenchError.trialProgram(
                path: own.path,
                reason:
                    "it has no \(isRender ? "render model \(cell.render)" : "mode \(cell.mode)"), which the base has")
        }
    }

    /// The files of the programs that measure cases, without duplicates.
    /// - Parameter hashed: True to identify them by their content, which is the same on every machine.
    func files(for cases: [Case], hashed: Bool) throws -> [ProgramFile] {
        var files: [ProgramFile] = []
        for program in executables where cases.contains(where: { executable(for: $0) == program }) {
            files.append(hashed ? try ProgramFile(hashing: program.path) : ProgramFile(at: program.path))
        }
        return files
    }

    /// The scenarios that the programs of these cases declare, as a run stores them; `nil` if there are none.
    ///
    /// `head` are the programs of the other side for the same cases; they count too, because an older program may declare
    /// no figures.
    package func declaredScenarios(
        for cases: [Case], besides head: TrialPrograms? = nil
    ) -> [ScenarioDeclaration]? {
        let used = [self, head].compactMap(\.self).flatMap { programs in
            programs.executables.filter { program in cases.contains { programs.executable(for: $0) == program } }
        }
        let declared =
            Self.merged(used.flatMap { $0.description.scenarios ?? [] }).map { scenario in
                var kept = scenario
                // The sources of their figures are long, and each trial stores the loader it ran under.
                kept.loaders = nil
                return kept
            } + (cases.contains(where: \.isServer) ? [ServerScenario.declaration] : [])
        return declared.isEmpty ? nil : declared
    }

    package func puttingFirst(programOf mode: String?) -> TrialPrograms {
        guard let mode, let index = executables.firstIndex(where: { $0.hasMode(mode) }) else { return self }
        var executables = executables
        executables.insert(executables.remove(at: index), at: 0)
        return TrialPrograms(executables: executables, missing: missing)
    }

    /// Copies the programs to another folder: the same bytes in other pages of the page cache.
    package func copied(to folder: String) throws -> TrialPrograms {
        let copies = try executables.enumerated().map { number, program in
            let path = "\(folder)/program-\(number)"
            try FileManager.default.copyItem(atPath: program.path, toPath: path)
            return TrialExecutable(path: path, description: program.description)
        }
        return TrialPrograms(executables: copies, missing: missing)
    }

    func resolveModes(_ names: [String]) throws -> [ModeDeclaration] {
        for name in names where !modes.contains(where: { $0.name == name }) {
            guard let owner = Self.own.first(where: { $0.value.contains(name) })?.key, missing.contains(owner) else {
                continue
            }
            throw FetchBenchError(usage: "mode \(name) is not built (program \(owner)): run `make build`")
        }
        return try WordList.resolve(names, kind: "mode", among: modes, name: \.name, listedBy: "list modes")
    }

    /// The way to get missing programs; `nil` if none is missing.
    package var remedy: String? {
        guard !missing.isEmpty else { return nil }
        return "not built: \(missing.joined(separator: ", ")); `make build` builds them"
    }

    /// Removes duplicates, with the figures of the first program that declares any.
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

/// The identity of a file without its contents: it changes when the file is written or replaced.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let seconds: Int
    private let nanoseconds: Int
    let byteCount: Int

    var text: String { "\(device)-\(number)-\(byteCount)-\(seconds).\(nanoseconds)" }

    init?(at path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(information.st_dev)
        number = UInt64(information.st_ino)
        seconds = Int(information.st_mtim.tv_sec)
        nanoseconds = Int(information.st_mtim.tv_nsec)
        byteCount = Int(information.st_size)
    }
}
