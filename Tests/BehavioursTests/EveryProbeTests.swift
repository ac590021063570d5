// SPDX-License-Identifier: Apache-2.0

import Behaviours
import Foundation
import Glibc
import Measuring
import Origin
import Testing

/// Each probe runs once with the built program, as `fetchbench behaviours` runs it.
///
/// Which words are right depends on the toolchain; what holds on each of them is that every promise was observed, and
/// came to a word that its row knows: kept, or broken in the way that its flaw is said to show as.
@Suite(.timeLimit(.minutes(4))) struct EveryProbe {
    /// Most of what a probe does is to wait.
    private static let jobs = 6

    /// The program that was built beside these tests.
    private static let executable: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let sibling = URL(fileURLWithPath: own).deletingLastPathComponent().path + "/behaviour-probes"
        if access(sibling, X_OK) == 0 { return sibling }
        return ProcessInfo.processInfo.environment["FETCHBENCH_BINARY"] ?? sibling
    }()

    private static func evidence(of behaviours: [Behaviour], jobs: Int, in folder: String) async -> [String: [Evidence]]
    {
        let runner = BehaviourRunner(
            executable: executable,
            variables: TrialVariables(environment: ProcessInfo.processInfo.environment, fixed: [:]),
            library: AssetLibrary(cacheDirectory: folder + "/cache"), directory: folder + "/trials")
        return await withTaskGroup(of: (String, [Evidence]).self) { group in
            var rest = behaviours.makeIterator()
            func begin() {
                guard let behaviour = rest.next() else { return }
                group.addTask { (behaviour.name, await runner.evidence(for: behaviour) ?? []) }
            }
            for _ in 0..<jobs { begin() }
            var all: [String: [Evidence]] = [:]
            for await (name, evidence) in group {
                all[name] = evidence
                begin()
            }
            return all
        }
    }

    private static func isAccepted(_ behaviour: Behaviour, _ evidence: [Evidence]) -> Bool {
        ([.holds] + (behaviour.flaw?.words ?? [])).contains(behaviour.verdict(on: evidence).observation.word)
    }

    @Test func everyPromiseIsObservedAndComesToAWordThatItsRowKnows() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/fetchbench-probes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder + "/trials", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var seen = await Self.evidence(of: BehaviourCatalog.all, jobs: Self.jobs, in: folder)
        // A machine that is busy with other tests can be late for a time-out: such a row is tried again, alone.
        let late = BehaviourCatalog.all.filter { !Self.isAccepted($0, seen[$0.name] ?? []) }
        seen.merge(await Self.evidence(of: late, jobs: 1, in: folder)) { $1 }
        for behaviour in BehaviourCatalog.all {
            let evidence = try #require(seen[behaviour.name])
            let row = BehaviourReport.Row(behaviour, evidence)
            #expect(Self.isAccepted(behaviour, evidence), "\(row.name) \(row.word.rawValue): \(row.detail)")
            #expect(evidence.count == behaviour.attempts && evidence.allSatisfy { $0.duration > 0 }, "\(row.name)")
            #expect(!row.detail.isEmpty && (row.cause != nil) == (row.word != .holds), "\(row.name)")
            #expect(!row.detail.contains(folder) && !row.detail.contains("Backtrace took"), "\(row.detail)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/trials")
        #expect(Set(left).isSubset(of: ["modules"]), "only the compiler's modules are shared: \(left)")
    }
}
