// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Glibc
import Measuring
import MemProbe
import OperatingSystem
import Origin
import Testing

/// Each probe runs once with the built program, as `fetchbench behaviours` runs it.
///
/// Which words are right depends on the toolchain; what holds on each of them is that every promise was observed, and
/// came to a word that its row knows: kept, or broken in the way that its flaw is said to show as.
@Suite(.timeLimit(.minutes(15))) struct EveryProbe {
    /// Most of what a probe does is to wait.
    private static let jobs = 6

    private static func evidence(of behaviours: [Behaviour], jobs: Int, in folder: String) async -> [String: [Evidence]]
    {
        let runner = LiveRunner.make(in: folder)
        return await LiveRunner.each(of: behaviours, jobs: jobs) { await runner.evidence(for: $0) ?? [] }
            .reduce(into: [:]) { $0[$1.0.name] = $1.1 }
    }

    private static func isAccepted(_ behaviour: Behaviour, _ evidence: [Evidence]) -> Bool {
        let word = behaviour.verdict(on: evidence).observation.word
        return word.isKept || behaviour.flaw?.words.contains(word) == true
    }

    @Test func everyPromiseIsObservedAndComesToAWordThatItsRowKnows() async throws {
        let folder = try LiveRunner.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var seen = await Self.evidence(of: BehaviourCatalog.all, jobs: Self.jobs, in: folder)
        // A machine that is busy with other tests can be late for a time-out: such a row is tried again, alone.
        for _ in 0..<3 {
            let late = BehaviourCatalog.all.filter { !Self.isAccepted($0, seen[$0.name] ?? []) }
            seen.merge(await Self.evidence(of: late, jobs: 1, in: folder)) { $1 }
        }
        for behaviour in BehaviourCatalog.all {
            let evidence = try #require(seen[behaviour.name])
            let row = BehaviourReport.Row(behaviour, evidence)
            #expect(Self.isAccepted(behaviour, evidence), "\(row.name) \(row.word.rawValue): \(row.detail)")
            #expect(evidence.count == behaviour.attempts && evidence.allSatisfy { $0.duration > 0 }, "\(row.name)")
            #expect(!row.detail.isEmpty && (row.cause != nil) == !row.word.isKept, "\(row.name)")
            #expect((row.upstream != nil) == (row.cause != nil) && (row.workaround != nil) == (row.cause != nil))
            #expect(!row.detail.contains(folder) && !row.detail.contains("Backtrace took"), "\(row.detail)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/trials")
        #expect(Set(left).isSubset(of: ["modules"]), "only the compiler's modules are shared: \(left)")
    }
}

/// The programs of bug reports: one for each behaviour of URLSession that has a flaw.
@Suite(.timeLimit(.minutes(4))) struct MinimalPrograms {
    /// A compiler is busy, and most programs wait.
    private static let jobs = 4

    @Test func eachFlawOfURLSessionHasOneProgram() {
        let names = MinimalProgram.all.map(\.row)
        #expect(names.count == Set(names).count)
        let flawed = BehaviourCatalog.all.filter { $0.flaw != nil && !APIName.packages.contains($0.path) }
        let without = flawed.filter { MinimalProgram(for: $0) == nil }.map(\.name)
        #expect(without == [])
        #expect(Set(names).subtracting(flawed.map(\.name)) == [])
    }

    @Test(arguments: MinimalProgram.all.map(\.row))
    func eachProgramIsShortAndSaysWhatItExpects(row: String) throws {
        let source = try #require(MinimalProgram.all.first { $0.row == row }).source
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 42)
        #expect(source.hasSuffix("\n") && source.contains("print(\"expected: ") && source.contains("; got: "))
        #expect(source.contains("CommandLine.arguments[1]") && !source.contains("http://"))
    }

    /// On a toolchain with another fault or without it the row itself tells: a program has to agree with its row.
    @Test(.enabled(if: Compiler.path(in: ProcessInfo.processInfo.environment) != nil))
    func eachProgramShowsTheFaultOfItsRow() async throws {
        let folder = try LiveRunner.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runner = LiveRunner.make(in: folder)
        let behaviours = Dictionary(uniqueKeysWithValues: BehaviourCatalog.all.map { ($0.name, $0) })
        let runs = await LiveRunner.each(of: MinimalProgram.all, jobs: Self.jobs) { program in
            guard let behaviour = behaviours[program.row] else {
                return ProgramRun(ending: .notStarted("it has no row"))
            }
            return await runner.run(program, of: behaviour)
        }
        #expect(runs.count == MinimalProgram.all.count)
        for (program, run) in runs {
            let behaviour = try #require(behaviours[program.row])
            // A promise that is kept here needs no program that breaks it; where chance decides, and a busy machine hides
            // a race, one attempt of the row that kept it is enough.
            let row = run.showsFault ? nil : await runner.evidence(for: behaviour).map(behaviour.verdict)
            let isKept = row.map { $0.observation.word.isKept || $0.shares.contains { $0.key.isKept && $0.value > 0 } }
            #expect(run.showsFault || isKept == true, "\(behaviour.name): \(run.summary)")
            #expect(
                run.output.count <= 1 && !run.requests.isEmpty || behaviour.name == "websocket", "\(behaviour.name)")
            if !run.output.isEmpty { #expect(run.output[0].hasPrefix("expected: "), "\(run.output)") }
        }
    }
}

/// The runner of the built program, as `fetchbench behaviours` has it.
enum LiveRunner {
    private static let executable: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = URL(fileURLWithPath: own).deletingLastPathComponent().path + "/behaviour-probes"
        if access(sibling, X_OK) == 0 { return sibling }
        return ProcessInfo.processInfo.environment["FETCHBENCH_BINARY"] ?? sibling
    }()

    /// Returns a runner whose children have their folders below `trials` of a folder.
    static func make(in folder: String) -> BehaviourRunner {
        BehaviourRunner(
            executable: executable,
            variables: TrialVariables(environment: ProcessInfo.processInfo.environment, fixed: [:]),
            library: AssetLibrary(cacheDirectory: folder + "/cache"), directory: folder + "/trials")
    }

    static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.path + "/fetchbench-probes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/trials", withIntermediateDirectories: true)
        return folder
    }

    /// Does the work for each item, a number of them at the same time, in no order.
    static func each<Item: Sendable, Result: Sendable>(
        of items: [Item], jobs: Int, _ work: @escaping @Sendable (Item) async -> Result
    ) async -> [(Item, Result)] {
        await withTaskGroup(of: (Item, Result).self) { group in
            var rest = items.makeIterator()
            func begin() {
                guard let item = rest.next() else { return }
                group.addTask { (item, await work(item)) }
            }
            for _ in 0..<jobs { begin() }
            var all: [(Item, Result)] = []
            for await result in group {
                all.append(result)
                begin()
            }
            return all
        }
    }
}
