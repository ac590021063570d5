// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    @Suite struct RunFolder {
        /// A small run, which is repeated where a busy machine took no sample of a trial of a millisecond.
        private func smallRun() async throws -> (sandbox: Sandbox, ended: Ended, run: StoredRun) {
            try await undisturbed { _ in
                let sandbox = try Sandbox("folder")
                let ended = try await sandbox.fetchbench(
                    "run", "--label", "bench-7", "--asset", "64KiB", "--rate", "unlimited", "--render", "none",
                    "--trials", "2", status: 0)
                return (sandbox, ended, try sandbox.onlyRun())
            } if: {
                let rows = try $0.run.table("trials.csv").rows
                return rows.allSatisfy { $0["sampled_maximum_resident_growth_bytes"] != "" }
            }
        }

        @Test func aRunAnswersAndHoldsExactlyItsSevenFiles() async throws {
            let (sandbox, ended, run) = try await smallRun()
            #expect(ended.output.hasPrefix("data peaks ") && !ended.output.contains("report: "))
            for mode in ["(nothing fetched)", "data", "download", "stream", "raw"] {
                #expect(ended.output.contains(mode))
            }
            #expect(ended.complaint.contains("report: results/"))
            #expect(!ended.complaint.contains("\r"), "no progress is drawn where there is no terminal")
            #expect(
                run.files == [
                    "run.json", "trials.jsonl", "trials.csv", "samples.csv", "summary.csv", "report.md", "report.html",
                ])
            let record = try run.record()
            #expect(record.schema == 3)
            #expect(record.identifier == URL(fileURLWithPath: run.folder).lastPathComponent)
            #expect(record.identifier.wholeMatch(of: /\d{8}T\d{6}Z-[0-9a-z]+/) != nil)
            #expect(try run.trials().map(\.trial) == Array(1...10))
            #expect(try run.text(of: "run.json").contains("bench-7"))
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.home).isEmpty)
            try expectTables(of: run)
        }

        private func expectTables(of run: StoredRun) throws {
            let trials = try run.table("trials.csv")
            #expect(trials.rows.count == 10)
            for row in trials.rows where row["mode"] != "none" {
                #expect(row["outcome"] == "completed")
                #expect(row["body_bytes"] == "65536")
                #expect(row["body_sha256"]?.count == 64)
                #expect(row["peak_source"] == "kernel_high_water_mark")
                #expect(try row.number("baseline_resident_bytes") > 0)
                #expect(try row.number("fetch_duration_ns") > 0)
            }
            let null = try run.rows(ofMode: "none")
            #expect(null.count == 2)
            #expect(null.allSatisfy { $0["asset_bytes"] == "" && $0["copies_held_ratio"] == "" }, "absent, not zero")
            #expect(null.allSatisfy { $0["body_sha256"] == "" && $0["page_cache_bytes"] == "" })
            let summary = try run.table("summary.csv")
            #expect(
                summary.header == [
                    "case", "asset", "asset_bytes", "mode", "render", "allocator", "metric", "unit", "n", "failed",
                    "median", "min", "max", "mad", "cv_ratio", "concurrency", "consumer_delay_ns", "session",
                    "transfer", "scheme", "start", "scenario", "loader", "display", "destination", "http",
                    "container_limit_bytes", "chunk_bytes", "client_bytes_per_second",
                ])
            #expect(Set(summary.rows.compactMap { $0["metric"] }).isSubset(of: Set(trials.header)))
            let short = summary.rows.filter { $0["n"] != "2" || $0["failed"] != "0" }
            #expect(short.isEmpty, "\(short)")
        }

        @Test func samplesBelongToTrialsAndPhases() async throws {
            let arguments = ["run", "--asset", "4MiB", "--mode", "data", "--render", "none", "--trials", "1"]
            let samples = try await undisturbed { _ in
                let sandbox = try Sandbox("samples")
                #expect(try await sandbox.fetchbench(arguments).status == 0)
                return try sandbox.onlyRun().table("samples.csv")
            } if: {
                // Without processors, the harness reads too rarely while the body arrives, and of a null trial nothing.
                Set($0.rows.compactMap { $0["received_bytes"] }).count > 12
                    && Set($0.rows.compactMap { $0["trial"] }).count == 2
            }
            #expect(
                samples.header == [
                    "trial", "time_ns", "phase", "resident_bytes", "anonymous_bytes", "file_bytes", "received_bytes",
                    "charged_bytes",
                ])
            #expect(Set(samples.rows.compactMap { $0["trial"] }) == ["1", "2"])
            let phases = Set(samples.rows.compactMap { $0["phase"] })
            #expect(phases.isSubset(of: ["", "warmup", "fetch", "hold", "render", "release"]))
            #expect(phases.isSuperset(of: ["warmup", "fetch", "hold"]))
            for row in samples.rows {
                #expect(try row.number("resident_bytes") == row.number("anonymous_bytes") + row.number("file_bytes"))
            }
            let received = Dictionary(grouping: samples.rows) { $0["trial"] ?? "" }.values.map { rows in
                rows.compactMap { $0["received_bytes"].flatMap { Int($0) } }
            }
            // The null case fetches nothing; the other one has at last what its body has, and comes there step by step.
            #expect(received.map(\.last).contains(4 << 20) && received.count(where: \.isEmpty) == 1)
            for counts in received where !counts.isEmpty {
                #expect(counts == counts.sorted() && Set(counts).count > 10)
            }
        }

        @Test func progressIsDrawnOnATerminal() async throws {
            let sandbox = try Sandbox("terminal")
            let words = ["run", "--asset", "4KiB", "--mode", "raw", "--render", "none", "--trials", "2"]
            let terminal = try sandbox.start(
                BuiltBinary.tool("script"), ["-qec", "\"$BINARY\" \(words.joined(separator: " "))", "/dev/null"],
                environment: ["BINARY": BuiltBinary.path])
            let ended = try await terminal.end(within: 60)
            #expect(ended.status == 0)
            #expect(ended.output.contains("[4/4] ") && ended.output.contains("elapsed"))
            #expect(ended.output.contains("Medians. "))
        }

        @Test func anotherRunOverwritesNothing() async throws {
            let sandbox = try Sandbox("twice")
            let arguments = ["run", "--asset", "4KiB", "--mode", "raw", "--render", "none", "--trials", "1"]
            let both = try [sandbox.start(arguments), sandbox.start(arguments)]
            for process in both { #expect(try await process.end(within: 100).status == 0) }
            #expect(sandbox.runFolders().count == 2)
            for folder in sandbox.runFolders() { #expect(try StoredRun(folder).trials().count == 2) }
        }
    }

    /// A place that cannot be written to is said before the first trial where that is possible; what was measured stays.
    @Suite struct Storage {
        static let plan = ["--asset", "4KiB", "--mode", "raw", "--render", "none", "--rate", "unlimited"]

        @Test func aFileInPlaceOfTheResultsIsSaidFirst() async throws {
            let sandbox = try Sandbox("taken")
            // A mode would not stop root: a file where a folder should be stops everybody.
            try sandbox.write("here first", to: "taken")
            let ended = try await sandbox.fetchbench(
                ["run", "--output", "taken/below", "--trials", "1"] + Self.plan, status: 2)
            #expect(ended.output.isEmpty)
            #expect(ended.complaint.contains("taken/below cannot be written: "))
            let reasons = ["Not a directory", "File exists"]
            #expect(reasons.contains { ended.complaint.contains($0) }, "\(ended.complaint)")
            #expect(try String(contentsOfFile: sandbox.work + "/taken", encoding: .utf8) == "here first")
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        /// The run's folder after its log could grow no further, and what was said.
        private func runToTheLimit(_ sandbox: Sandbox, _ script: String) async throws -> (Ended, StoredRun) {
            let words = (["run", "--trials", "30"] + Self.plan).joined(separator: " ")
            try sandbox.write(script, to: "limit.sh")
            let shell = try sandbox.start(
                BuiltBinary.tool("sh"), ["limit.sh"], environment: ["BINARY": BuiltBinary.path, "WORDS": words])
            return (try await shell.end(within: 150), try sandbox.onlyRun())
        }

        /// Checks what remains after the disk fails.
        private func expectKept(_ ended: Ended, _ run: StoredRun, in sandbox: Sandbox) async throws {
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("cannot be written: "))
            #expect(ended.complaint.contains("--resume results/"))
            let kept = run.logLines()
            #expect(kept.count > 2 && kept.count < 60)
            #expect(try run.trials().map(\.trial) == Array(1...kept.count))
            #expect(try run.record().schema == 3, "run.json is whole")
            #expect(!run.files.contains { $0.hasSuffix(".tmp") })
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            try await sandbox.fetchbench("run", "--resume", run.folder, status: 0, within: 150)
            #expect(try run.trials().map(\.trial) == Array(1...60))
            #expect(Array(run.logLines().prefix(kept.count)) == kept)
        }

        @Test func aLogThatMayGrowNoFurtherKeepsWhatItHolds() async throws {
            let sandbox = try Sandbox("limit")
            // Blocks of 512 bytes or of 1 KiB, as the shell counts; without the trap the limit would kill.
            let script = "trap '' XFSZ; ulimit -f 100; exec \"$BINARY\" $WORDS\n"
            let (ended, run) = try await runToTheLimit(sandbox, script)
            try await expectKept(ended, run, in: sandbox)
        }

        @Test(.enabled("needs a mount namespace") { try await mayMount() })
        func aDiskWithoutRoomIsSaidBeforeTheFirstTrial() async throws {
            let sandbox = try Sandbox("room")
            let words = (["run", "--trials", "1"] + Self.plan).joined(separator: " ")
            let script = "mkdir results && mount -t tmpfs -o size=1m none results && exec \"$BINARY\" $WORDS"
            let shell = try sandbox.start(
                BuiltBinary.tool("unshare"), ["-rm", "sh", "-c", script],
                environment: ["BINARY": BuiltBinary.path, "WORDS": words])
            let ended = try await shell.end(within: 60)
            #expect(ended.status == 2)
            #expect(ended.complaint.contains("room") && ended.complaint.contains("MiB"))
            #expect(ended.output.isEmpty)
        }

        private static func mayMount() async throws -> Bool {
            let sandbox = try Sandbox("mount")
            guard let unshare = try? BuiltBinary.tool("unshare") else { return false }
            let script = "mkdir m && mount -t tmpfs -o size=1m none m"
            return try await sandbox.start(unshare, ["-rm", "sh", "-c", script]).end(within: 60).status == 0
        }
    }
}
