// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let fixture = BuiltBinary.neighbour("own-client-fixture")
private let mebibyte = 1 << 20

extension EndToEnd {
    /// The memory of a program and its allocator over time, for a program with known allocations.
    @Suite struct AllocatorSeries {
        private static let quick = ["--asset", "1KiB", "--render", "none", "--rate", "unlimited", "--quiet"]

        private struct Reading {
            let phase: String
            let allocated: Int
            let row: [String: String]
        }

        private func readings(of run: StoredRun, _ identifier: String) throws -> [Reading] {
            try run.table("allocator.csv").rows.filter { $0["case"] == identifier }.map { row in
                Reading(
                    phase: row["phase"] ?? "", allocated: Int(try row.number("allocator_allocated_bytes")), row: row)
            }
        }

        @Test(arguments: ["glibc", "jemalloc"])
        func everyStepIsThere(allocator: String) async throws {
            let sandbox = try Sandbox("steps")
            let ended = try await sandbox.fetchbench(
                ["run", "--program", fixture, "--mode", "steps", "--allocator", allocator, "--trials", "2"] + [
                    "--allocator-series"
                ] + Self.quick, status: 0, within: 120)
            let run = try sandbox.onlyRun()
            let all = try readings(of: run, "1KiB/steps/none/\(allocator)")
            // A step lasts for ten readings. All blocks are freed one after the other, which may take some, too.
            let size = 8 * mebibyte
            let start = try #require(all.last { $0.phase == "warmup" }).allocated
            var steps: [(step: Int, readings: [Int])] = []
            for reading in all where reading.phase == "fetch" {
                let step = Int((Double(reading.allocated - start) / Double(size)).rounded())
                if steps.last?.step != step { steps.append((step, [])) }
                steps[steps.count - 1].readings.append(reading.allocated)
            }
            steps = steps.indices.filter { place in
                guard place > 0, place + 1 < steps.count else { return true }
                return !(steps[place - 1].step > steps[place].step && steps[place].step > steps[place + 1].step)
            }.map { steps[$0] }
            #expect(steps.map(\.step) == Array(0...10) + Array(0...10), "\(steps.map(\.step))")
            let before = try #require(steps.first?.readings.last)
            for (place, (step, readings)) in steps.enumerated() {
                // The thread ends within the last step, and jemalloc counts what it has cached until then.
                let isLast = place == steps.count - 1
                let held = readings[isLast ? 0 : readings.count - 1] - before
                #expect(abs(held - step * size) <= 64 << 10, "step \(step): \(held)")
            }
            let end = try #require(all.last { $0.phase == "settle" || $0.phase == "release" })
            #expect(abs(end.allocated - before) <= mebibyte / 4, "nothing of 80 MiB is left")
            try checkColumns(of: all, allocator)
            let report = try run.text(of: "report.md")
            #expect(
                report.contains("1KiB/steps/none/\(allocator)")
                    && ended.output.contains("Memory kept by the program and the allocator"))
            #expect(try run.text(of: "report.html").contains("data-line=\"allocated\""))
        }

        /// Figures that only jemalloc reports are empty on glibc, never 0.
        private func checkColumns(of readings: [Reading], _ allocator: String) throws {
            for reading in readings {
                let (row, isJemalloc) = (reading.row, allocator == "jemalloc")
                for name in ["active", "resident", "retained"] {
                    #expect((row["allocator_\(name)_bytes"] != "") == isJemalloc, "\(name)")
                }
                #expect(try row.number("allocator_mapped_bytes") >= Double(reading.allocated))
                #expect(try row.number("resident_bytes") >= row.number("anonymous_bytes"))
            }
            let times = try readings.map { try $0.row.number("time_ns") }
            #expect(times.first == 0 && times == times.sorted() && times.count > 100)
        }

        /// A process with the thread would send its series; the figures are the same with and without the extra trials.
        @Test func measuredTrialsAreUnmoved() async throws {
            let sandbox = try Sandbox("unmoved")
            let plan =
                ["run", "--program", fixture, "--mode", "keeps-nothing", "--allocator", "glibc", "--trials", "5"]
                + Self.quick
            for (folder, flags) in [("plain", []), ("series", ["--allocator-series"])] {
                try await sandbox.fetchbench(plan + ["--output", folder] + flags, status: 0, within: 120)
            }
            let runs = try ["plain", "series"].map { name in
                try StoredRun(try #require(sandbox.runFolders(in: name).first))
            }
            #expect(!runs[1].logLines().contains { $0.contains("allocator_series") })
            #expect(runs[1].logLines().count == runs[0].logLines().count)
            let peaks = try runs.map { run in
                try run.table("trials.csv").rows.filter { $0["mode"] == "keeps-nothing" }
                    .map { try $0.number("peak_anonymous_growth_bytes") }.sorted()[2]
            }
            #expect(abs(peaks[0] - peaks[1]) <= 256 * 1024, "\(peaks)")
        }

        @Test func aFinishedRunGetsItsSeriesByResuming() async throws {
            let sandbox = try Sandbox("later")
            try await sandbox.fetchbench(
                ["run", "--mode", "raw", "--exec", "curl=curl -sS -o {file} {url}", "--allocator", "glibc"] + [
                    "--trials", "1",
                ] + Self.quick, status: 0, within: 60)
            let folder = try sandbox.onlyRun().folder
            #expect(!FileManager.default.fileExists(atPath: folder + "/allocator.csv"))
            let again = try await sandbox.fetchbench(
                "run", "--resume", folder, "--exec", "curl=curl -sS -o {file} {url}", "--allocator-series", status: 0,
                within: 60)
            #expect(again.complaint.contains("1KiB/curl/none/glibc has no allocator's series"))
            let rows = try sandbox.onlyRun().table("allocator.csv").rows
            #expect(Set(rows.compactMap { $0["case"] }) == ["1KiB/raw/none/glibc"])
        }
    }
}
