// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Testing

/// Each probe runs once with the built program, as `fetchbench behaviours` runs it.
///
/// Which words are right depends on the toolchain; what holds on each of them is that every promise was observed, and
/// came to a word that its row knows: kept, or broken in the way that its flaw is said to show as.
@Suite(.timeLimit(.minutes(4))) struct EveryProbe {
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
