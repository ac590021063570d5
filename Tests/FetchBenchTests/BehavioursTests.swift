// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// `fetchbench behaviours` tries promises in processes of their own, and checks an earlier report.
    @Suite struct Behaviours {
        /// Quick ones with different words.
        private static let few = "caches,redirects,identity-encoding,share,tight-header"

        private struct Report: Codable {
            struct Row: Codable {
                var name: String
                var path: String
                var promise: String
                var word: String
                var detail: String
            }
            var schema: Int
            var tool: String
            var toolchain: [String: String]
            var rows: [Row]
        }

        private func report(in sandbox: Sandbox) throws -> Report {
            let data = try Data(contentsOf: URL(fileURLWithPath: sandbox.work + "/seen/behaviours.json"))
            return try JSONDecoder().decode(Report.self, from: data)
        }

        @Test func reportIsWrittenInFourFormsAndNeverOverwritten() async throws {
            let sandbox = try Sandbox("behaviours")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--only", Self.few, "--output", "seen", "--format", "csv", within: 50)
            #expect(ended.status == 0, "\(ended.complaint)")
            let report = try report(in: sandbox)
            #expect(report.schema == 2)
            #expect(report.rows.map(\.name) == Self.few.split(separator: ",").map(String.init))
            #expect(report.toolchain["kernel"]?.isEmpty == false)
            let csv = try String(contentsOfFile: sandbox.work + "/seen/behaviours.csv", encoding: .utf8)
            #expect(csv == ended.output)
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/seen").sorted()
            #expect(names == ["behaviours.csv", "behaviours.html", "behaviours.json", "behaviours.md"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            // These do not depend on the toolchain's faults, so a harness that saw nothing would be noticed.
            #expect(report.rows.first { $0.name == "redirects" }?.word == "holds")
            #expect(report.rows.first { $0.name == "share" }?.word == "holds")
            let again = try await sandbox.fetchbench("behaviours", "--only", "redirects", "--output", "seen")
            #expect(again.status == 64)
            #expect(again.complaint.contains("behaviours.md already exists"))
        }

        @Test func expectationFailsInBothDirections() async throws {
            let sandbox = try Sandbox("expect")
            let first = try await sandbox.fetchbench(
                "behaviours", "--only", "redirects,share", "--output", "seen", "--quiet")
            #expect(first.status == 0 && first.complaint.isEmpty)
            func expect(_ file: String, only: String = "redirects,share") async throws -> Ended {
                try await sandbox.fetchbench("behaviours", "--only", only, "--quiet", "--expect", file)
            }
            #expect(try await expect("seen/behaviours.json").status == 0)
            var report = try report(in: sandbox)
            for (index, word) in [(0, "broken"), (1, "traps")] {
                report = try self.report(in: sandbox)
                report.rows[index].word = word
                try sandbox.write(String(decoding: JSONEncoder().encode(report), as: UTF8.self), to: "other.json")
                let ended = try await expect("other.json")
                #expect(ended.status == 1)
                #expect(ended.complaint.contains("\(report.rows[index].name): was \(word), is holds now (better)"))
                #expect(ended.complaint.contains("1 better, 0 worse, 0 not kept in another way, 1 the same"))
            }
            // The same as a table of what changed, which judges nothing.
            let against = try await sandbox.fetchbench(
                "behaviours", "--only", "redirects,share", "--quiet", "--against", "other.json", "--format", "table")
            #expect(against.status == 0 && against.complaint.isEmpty)
            #expect(against.output.contains("1 better, 0 worse"), "\(against.output)")
            let missing = try await expect("seen/behaviours.json", only: "retry")
            #expect(missing.status == 2)
            #expect(missing.complaint.contains("retry: not in the expectation"))
            let worse = try worsened(report, in: sandbox)
            let ended = try await expect(worse, only: "hang")
            #expect(ended.status == 1)
            #expect(ended.complaint.contains("hang: was holds, is deadlocks now (worse)"))
        }

        /// An expectation that a child which hangs does not.
        private func worsened(_ report: Report, in sandbox: Sandbox) throws -> String {
            var report = report
            report.rows[0].name = "hang"
            report.rows[0].word = "holds"
            try sandbox.write(String(decoding: JSONEncoder().encode(report), as: UTF8.self), to: "worse.json")
            return "worse.json"
        }

        @Test func childThatHangsTrapsOrGivesUpIsObserved() async throws {
            let sandbox = try Sandbox("hang")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--only", "hang,trap,give-up,settle", "--output", "seen")
            #expect(ended.status == 0)
            // The last one takes longer than its limit, which the harness's own waiting is no part of.
            let words = ["deadlocks", "traps", "not tried", "holds"]
            let rows = try report(in: sandbox).rows
            #expect(rows.map(\.word) == words)
            // A child that traps ends by its signal at once: no backtracer holds it, or has the last word.
            let trap = try #require(rows.first { $0.name == "trap" })
            #expect(trap.detail.contains("Fatal error: Duplicate values for key"), "\(trap.detail)")
            #expect(trap.detail.contains(": file NativeDictionary.swift, line "))
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        /// Several at the same time, in the order in which they were named; what is asked is the same.
        @Test func jobsChangeNeitherTheOrderNorTheWords() async throws {
            let sandbox = try Sandbox("jobs")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--only", "hang,redirects,share,retry", "--jobs", "4", "--output", "seen", "--format",
                "csv")
            #expect(ended.status == 0)
            let rows = try report(in: sandbox).rows
            #expect(rows.map(\.name) == ["hang", "redirects", "share", "retry"])
            #expect(rows.map(\.word) == ["deadlocks", "holds", "holds", "holds"])
            #expect(ended.complaint.contains("[4/4] "))
        }

        @Test func withoutACompilerWhatCannotRunIsNotTried() async throws {
            let sandbox = try Sandbox("compiler")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--only", "exists-data-async", "--output", "seen", environment: ["PATH": "/nowhere"])
            #expect(ended.status == 0)
            #expect(try report(in: sandbox).rows.map(\.word) == ["not tried"])
            #expect(try report(in: sandbox).rows[0].detail.contains("no swiftc on PATH"))
            let checked = try await sandbox.fetchbench(
                "behaviours", "--only", "exists-data-async", "--expect", "seen/behaviours.json",
                environment: ["PATH": "/nowhere"])
            #expect(checked.status == 2)
        }

        @Test func compilerSaysWhatExistsAndWhatDoesNot() async throws {
            let sandbox = try Sandbox("snippets")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--only", "exists-data-async,exists-bytes-async", "--output", "seen", within: 100)
            #expect(ended.status == 0)
            let rows = try report(in: sandbox).rows
            #expect(rows[0].word == "holds" && ["holds", "absent"].contains(rows[1].word), "\(rows.map(\.detail))")
        }

        @Test func interruptKeepsWhatWasObserved() async throws {
            let sandbox = try Sandbox("kept")
            let process = try sandbox.start([
                "behaviours", "--only", "redirects,hang", "--output", "seen", "--format", "csv",
            ])
            let hangs = try await eventually(within: 10) {
                ProcessTable.processes(of: sandbox).contains { $0.arguments.dropFirst().first == "hang" }
            }
            try #require(hangs)
            process.send(SIGINT)
            let ended = try await process.end(within: 5)
            #expect(ended.status == 130)
            #expect(ended.complaint.contains("interrupted after 1 of 2 behaviours"))
            let rows = try report(in: sandbox).rows
            #expect(rows.map(\.word) == ["holds", "not tried"])
            #expect(rows[1].detail.contains("interrupted"))
            let folder = sandbox.work + "/seen/"
            #expect(try String(contentsOfFile: folder + "behaviours.csv", encoding: .utf8) == ended.output)
            #expect(try String(contentsOfFile: folder + "behaviours.md", encoding: .utf8).contains("Incomplete"))
            let json = try String(contentsOfFile: folder + "behaviours.json", encoding: .utf8)
            #expect(json.contains("\"incomplete\" : true"))
        }

        /// The folder of one child cannot be made where a file has its name.
        @Test func rowThatCannotBeTriedDoesNotCostTheOthers() async throws {
            let sandbox = try Sandbox("row")
            let process = try sandbox.start([
                "behaviours", "--only", "hang,redirects,share", "--output", "seen", "--quiet",
            ])
            let folder = try await eventually(within: 10) {
                ProcessTable.processes(of: sandbox).contains { $0.arguments.dropFirst().first == "hang" }
            }
            try #require(folder)
            let trials = try #require(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).first)
            let place = sandbox.temporary + "/" + trials + "/redirects"
            #expect(FileManager.default.createFile(atPath: place, contents: Data()))
            #expect(try await process.end(within: 30).status == 0)
            let rows = try report(in: sandbox).rows
            #expect(rows.map(\.word) == ["deadlocks", "not tried", "holds"])
            #expect(rows[1].detail.contains("the harness failed") && !rows[1].detail.contains(sandbox.temporary))
        }

        @Test func interruptEndsTheChildToo() async throws {
            let sandbox = try Sandbox("interrupt")
            let process = try sandbox.start(["behaviours", "--only", "unauthorized"])
            let hasChild = try await eventually(within: 10) {
                ProcessTable.processes(of: sandbox).contains {
                    $0.arguments.first?.hasSuffix("/behaviour-probes") == true
                }
            }
            try #require(hasChild)
            process.send(SIGINT)
            let isGone = try await eventually(within: 3) {
                !process.isRunning && ProcessTable.processes(of: sandbox).isEmpty
            }
            #expect(isGone, "\(ProcessTable.processes(of: sandbox))")
            #expect(try await process.end(within: 5).status == 130)
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }

        @Test(arguments: [
            (["--only", "chaches"], "Did you mean 'caches'?"), (["--only", ","], "expected at least one name"),
            (["--format", "xml"], "unknown format"), (["--expect", "nowhere.json"], "cannot be read"),
            (["--expect", "/dev/null"], "not a behaviours.json"),
            (["--against", "/dev/null"], "--against: /dev/null cannot be used: not a behaviours.json"),
            (["--jobs", "0"], "from 1 to 64"),
            (["--frobnicate"], "--frobnicate"),
        ])
        func wrongUsageIsSaidBeforeAnythingRuns(arguments: [String], complaint: String) async throws {
            let sandbox = try Sandbox("usage")
            let ended = try await sandbox.fetchbench(["behaviours"] + arguments)
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(complaint), "\(ended.complaint)")
            #expect(ended.output.isEmpty)
        }

        @Test func listNamesEveryBehaviourAndTriesNone() async throws {
            let sandbox = try Sandbox("list")
            let ended = try await sandbox.fetchbench("behaviours", "--list")
            #expect(ended.status == 0 && ended.complaint.isEmpty)
            let names = ended.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
            #expect(names.count == Set(names).count && names.contains("cancel-async-fast"))
            #expect(!names.contains("hang"), "what tests the harness is not for people")
        }
    }
}

extension EndToEnd {
    /// `fetchbench behaviours --report` writes a bug report on one behaviour.
    @Suite struct BugReport {
        private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/swiftc")
        }

        @Test(.enabled(if: compiler == true)) func reportOnAFaultHasAProgramThatShowsIt() async throws {
            let sandbox = try Sandbox("report")
            let ended = try await sandbox.fetchbench("behaviours", "--report", "caches", "--output", "out", within: 120)
            #expect(ended.status == 0, "\(ended.complaint)")
            // A toolchain that keeps the promise has nothing to report.
            guard !ended.complaint.contains("nothing to report") else { return }
            let text = try String(contentsOfFile: sandbox.work + "/out/report-caches.md", encoding: .utf8)
            #expect(text.contains("It exited with status 1") && text.contains("expected: the response is stored"))
            #expect(!text.contains(sandbox.temporary) && !text.contains("127.0.0.1:8080/"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            let again = try await sandbox.fetchbench("behaviours", "--report", "caches", "--output", "out")
            #expect(again.status == 64 && again.complaint.contains("report-caches.md already exists"))
        }

        @Test(.enabled(if: compiler == true)) func promiseThatIsKeptIsNotReported() async throws {
            let sandbox = try Sandbox("kept")
            let ended = try await sandbox.fetchbench("behaviours", "--report", "redirects", within: 60)
            #expect(ended.status == 0 && ended.output.isEmpty)
            #expect(ended.complaint.contains("nothing to report"))
        }

        @Test func withoutACompilerNothingIsTried() async throws {
            let sandbox = try Sandbox("compiler")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--report", "caches", "--output", "out", environment: ["PATH": "/nowhere"])
            #expect(ended.status == 2 && ended.output.isEmpty)
            #expect(ended.complaint.contains("no swiftc on PATH"))
            #expect(!FileManager.default.fileExists(atPath: sandbox.work + "/out"))
        }

        @Test(arguments: [
            (["--report", "chaches"], "Did you mean 'caches'?"), (["--report", "share"], "need a package"),
            (["--report", "unauthorized-ahc"], "async-http-client"),
            (["--report", "caches", "--only", "caches"], "cannot be combined"),
            (["--report", "caches", "--list"], "cannot be combined"),
        ])
        func wrongUsageIsSaidBeforeAnythingRuns(arguments: [String], complaint: String) async throws {
            let sandbox = try Sandbox("usage")
            let ended = try await sandbox.fetchbench(["behaviours"] + arguments)
            #expect(ended.status == 64 && ended.output.isEmpty)
            #expect(ended.complaint.contains(complaint), "\(ended.complaint)")
        }
    }
}
