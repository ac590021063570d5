// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import Testing

extension EndToEnd {
    /// What the harness itself holds never reaches a figure, and never grows.
    @Suite struct Harness {
        @Test func aHarnessOf300MiBMovesNothing() async throws {
            let sandbox = try Sandbox("ballast")
            let arguments = ["run", "--asset", "4KiB", "--mode", "none", "--render", "none", "--trials", "5"]
            #expect(try await sandbox.fetchbench(arguments + ["--output", "light"]).status == 0)
            let heavy = try sandbox.start(arguments + ["--output", "heavy", "--ballast", "300MiB"])
            let seen = Mutex(0)
            await heavy.watch(every: 0.01) {
                let resident = ProcessTable.residentBytes(of: heavy.identifier) ?? 0
                seen.withLock { $0 = max($0, resident) }
            }
            let largest = seen.withLock { $0 }
            #expect(try await heavy.end(within: 20).status == 0)
            #expect(largest > 300 << 20, "it has to hold them: \(largest)")
            // Without program pages: what the page cache holds is neither the harness's nor the trial's doing.
            for (column, program) in [
                ("baseline_resident_bytes", "baseline_program_bytes"), ("baseline_anonymous_bytes", nil),
            ] {
                let medians = try ["light", "heavy"].map { output in
                    let values = try sandbox.onlyRun(in: output).rows(ofMode: "none").map { row in
                        try row.mebibytes(column) - (program.map { try row.mebibytes($0) } ?? 0)
                    }
                    return values.sorted()[values.count / 2]
                }
                #expect(abs(medians[0] - medians[1]) < 0.5, "\(column): \(medians)")
            }
        }

        private struct Look {
            var trials: Int
            var resident: Int
            var descriptors: Int
        }

        @Test func staysFlatOverManyTrialsAndLeavesNothing() async throws {
            let sandbox = try Sandbox("flat")
            let harness = try sandbox.start([
                "run", "--asset", "64KiB", "--mode", "raw", "--render", "none", "--trials", "60", "--rate", "unlimited",
            ])
            let seen = Mutex<[Look]>([])
            await harness.watch(every: 0.01) {
                let run = sandbox.runFolders().first.flatMap { try? StoredRun($0) }
                guard let resident = ProcessTable.residentBytes(of: harness.identifier),
                    let descriptors = ProcessTable.descriptorCount(of: harness.identifier)
                else { return }
                let look = Look(trials: run?.logLines().count ?? 0, resident: resident, descriptors: descriptors)
                seen.withLock { $0.append(look) }
            }
            let looks = seen.withLock { $0 }
            #expect(try await harness.end(within: 20).status == 0)
            #expect(try sandbox.onlyRun().trials().count == 120)
            // The last look is left out: the tables are written from all trials when the last one has ended.
            let first = looks.filter { (20..<54).contains($0.trials) }
            let last = looks.filter { (86..<120).contains($0.trials) }
            #expect(first.count > 20 && last.count > 20)
            #expect(abs(Self.median(first.map(\.resident)) - Self.median(last.map(\.resident))) <= 2 << 20)
            // While a trial is spawned its pipes are open on both sides; what stays between two trials is the minimum,
            // as far as the looks on a busy machine meet it. One descriptor left by each trial would be 66.
            #expect((last.map(\.descriptors).min() ?? .max) <= (first.map(\.descriptors).min() ?? 0) + 8)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        private static func median(_ values: [Int]) -> Int {
            values.isEmpty ? 0 : values.sorted()[values.count / 2]
        }
    }
}
