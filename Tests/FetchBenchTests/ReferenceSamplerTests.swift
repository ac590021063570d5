// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A sampler that shares nothing with fetchbench sees the peaks that fetchbench reports.
    @Suite struct ReferenceSampler {
        private struct Reading {
            var nanoseconds: Int
            var peak: Int
        }

        /// A trial that a mode played, and what was seen of it; `nil` where it was not seen.
        private struct Sight {
            var mode: String
            var difference: (seenAboveReported: Int, tolerance: Int)?
        }

        @Test func agreesWithTheReportedPeakOfEveryMode() async throws {
            // The null case is over before anybody has found its process.
            let sights = try await undisturbed { _ in
                try await self.sights()
            } if: { sights in
                sights.allSatisfy { $0.difference != nil || $0.mode == "none" }
            }
            #expect(sights.count == 15)
            for (mode, sights) in Dictionary(grouping: sights, by: \.mode) {
                let differences = sights.compactMap(\.difference)
                #expect(differences.count == sights.count || mode == "none", "\(mode): a trial was not seen")
                guard !differences.isEmpty else { continue }
                // Who polls can miss a peak that stood for less than a millisecond, and can never invent one.
                #expect(differences.allSatisfy { $0.seenAboveReported <= $0.tolerance }, "\(mode): \(differences)")
                #expect(differences.contains { abs($0.seenAboveReported) <= $0.tolerance }, "\(mode): \(differences)")
            }
        }

        /// A run of all modes beside the sampler.
        private func sights() async throws -> [Sight] {
            let sandbox = try Sandbox("reference")
            let harness = try sandbox.start([
                "run", "--asset", "16MiB", "--mode", "none,data,download,stream,raw", "--render", "none",
                "--trials", "3",
            ])
            let sampler = try sandbox.start(
                BuiltBinary.tool("python3"),
                [BuiltBinary.package + "/scripts/reference-sampler.py", "\(harness.identifier)"])
            #expect(try await harness.end(within: 150).status == 0)
            let seen = try await sampler.end(within: 60)
            #expect(seen.status == 0 && seen.complaint.isEmpty, "\(seen.complaint)")
            let readings = try CSVTable(seen.output).rows.map {
                Reading(
                    nanoseconds: Int(try $0.number("time_ns")), peak: Int(try $0.number("peak_resident_bytes")))
            }
            return try sandbox.onlyRun().trials().map { trial in
                Sight(mode: trial.case.mode, difference: try difference(trial, readings))
            }
        }

        /// What was seen from outside while the trial was in a measured phase, minus what it reported; `nil` where
        /// nothing was seen.
        private func difference(
            _ trial: StoredTrial, _ readings: [Reading]
        ) throws -> (seenAboveReported: Int, tolerance: Int)? {
            let phases = try #require(trial.report?.phases)
            let start = try #require(phases.map(\.startNs).min())
            let end = try #require(phases.map(\.endNs).max())
            let inside = readings.filter { ($0.nanoseconds > start) && ($0.nanoseconds < end) }
            guard let seen = inside.map(\.peak).max() else { return nil }
            let reported = try #require(phases.map(\.peak.residentBytes).max())
            let bound = try #require(phases.map(\.peak.errorBoundBytes).max())
            return (seen - reported, bound + 256 * 1024)
        }
    }
}
