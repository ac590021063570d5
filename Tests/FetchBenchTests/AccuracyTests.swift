// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The figures of this comparison, within the limits that a reader may expect of them.
    @Suite struct Accuracy {
        /// 6000×4000 pixels of four bytes, in MiB.
        static let bitmap = 91.5527
        static let encoded = 12.4917
        /// 1500×1000 pixels: the decoder's step of 2/8 on the way to the thumbnail.
        static let step = 5.7220
        /// 1170×780 pixels: what the view shows of it.
        static let thumbnail = 3.4813

        @Test func copiesOfABodyOf64MiBAndOfOneOf16() async throws {
            let plan = ["--asset", "16MiB,64MiB", "--mode", "data,download,stream,raw", "--rate", "60MiB"]
            let rows = try await Sandbox("copies").rows(plan + ["--trials", "3"])
            func peaks(_ mode: String, _ asset: String? = nil) throws -> [Double] {
                try rows.filter { $0["mode"] == mode && (asset == nil || $0["asset"] == asset) }
                    .map { try $0.mebibytes("peak_resident_growth_bytes") }
            }
            let bars: [(mode: String, peak: ClosedRange<Double>)] = [
                ("data", 1.95 * 64...2.2 * 64), ("download", 0...6), ("stream", 0...8), ("raw", 0...1.5),
            ]
            for bar in bars {
                let peaks = try peaks(bar.mode, "64MiB")
                #expect(peaks.count == 3)
                // A busy machine makes a consumer late, and a stream without back-pressure then queues what arrives:
                // it can only be more than the mode needs.
                #expect(bar.peak.contains(peaks.min() ?? .infinity), "\(bar.mode): \(peaks) MiB")
            }
            // A raw fetch needs the same for any size.
            let raw = try peaks("raw")
            #expect(raw.count == 6 && (raw.max() ?? .infinity) - (raw.min() ?? 0) <= 0.5, "\(raw)")
        }

        @Test func renderingHoldsTheBitmapAndWhatTheFetchHolds() async throws {
            let plan = ["--asset", "hero", "--mode", "data,download", "--render", "imageview,thumbnail"]
            let rows = try await Sandbox("render").rows(plan)
            #expect(rows.count == 4)
            for row in rows {
                let held = row["mode"] == "data" ? Self.encoded : 0
                let isWhole = row["render"] == "imageview"
                // The source of a thumbnail is let go of before the thumbnail comes.
                let expected = isWhole ? Self.bitmap + held : Self.step + max(held, Self.thumbnail)
                let growth = try row.mebibytes("render_peak_anonymous_growth_bytes")
                #expect(abs(growth - expected) <= 1, "\(row["case"] ?? ""): \(growth) MiB")
                let bitmap = try row.mebibytes("bitmap_bytes")
                #expect(abs(bitmap - (isWhole ? Self.bitmap : Self.thumbnail)) < 0.01)
            }
        }

        @Test func armsRunOnTheirAllocators() async throws {
            let sandbox = try Sandbox("arms")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "1MiB", "--mode", "data", "--render", "none", "--trials", "1", "--allocator",
                "glibc,glibc-pinned,jemalloc,jemalloc-tight")
            let lacksJemalloc = ended.status == 2 && ended.complaint.contains("jemalloc")
            let arms = ["glibc", "glibc-pinned"] + (lacksJemalloc ? [] : ["jemalloc", "jemalloc-tight"])
            let run = try sandbox.onlyRun()
            let names = try run.record().environment.allocators.mapValues(\.name)
            #expect(names == Dictionary(uniqueKeysWithValues: arms.map { ($0, $0.prefix { $0 != "-" }.description) }))
            #expect(ended.status == (lacksJemalloc ? 2 : 0), "\(ended.complaint)")
            for row in try run.table("trials.csv").rows {
                #expect(row["outcome"] == "completed")
                #expect(try row.number("fetch_allocator_allocated_bytes") > 0, "\(row["allocator"] ?? "")")
            }
        }
    }

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
            // The null case is over before anybody has found its process; beside load that happens to others, too.
            let sights = try await undisturbed { _ in
                try await self.sights()
            } if: { sights in
                Set(sights.filter { $0.difference != nil }.map(\.mode)).union(["none"]).count == 5
            }
            #expect(sights.count == 15)
            for (mode, sights) in Dictionary(grouping: sights, by: \.mode) {
                let differences = sights.compactMap(\.difference)
                guard mode != "none" || !differences.isEmpty else { continue }
                // Polling can miss a peak of less than a millisecond, but cannot invent one.
                #expect(differences.allSatisfy { $0.seenAboveReported <= $0.tolerance }, "\(mode): \(differences)")
                #expect(differences.contains { abs($0.seenAboveReported) <= $0.tolerance }, "\(mode): \(differences)")
            }
        }

        private func sights() async throws -> [Sight] {
            let sandbox = try Sandbox("reference")
            let harness = try sandbox.start([
                "run", "--asset", "16MiB", "--mode", "none,data,download,stream,raw", "--render", "none", "--trials",
                "3",
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

        /// The memory sampled from outside during a measured phase, minus the reported one; `nil` where
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
