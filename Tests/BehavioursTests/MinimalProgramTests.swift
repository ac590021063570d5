// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import MemProbe
import OperatingSystem
import Testing

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
    @Test(.enabled(if: (try? Compiler.path(in: ProcessInfo.processInfo.environment)) != nil))
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
