// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// `fetchbench behaviours` tries promises in processes of their own, and checks an earlier report.
    @Suite struct Behaviours {
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

        /// Quick ones that hold on every toolchain, and children of which each ends in another way.
        @Test func everyEndOfAChildIsReported() async throws {
            let sandbox = try Sandbox("behaviours")
            let names = "redirects,share,hang,trap,give-up,settle,exists-data-async"
            // Without a compiler what has to be compiled is not tried.
            let ended = try await sandbox.fetchbench(
                ["behaviours", "--only", names, "--output", "seen", "--format", "csv", "--jobs", "2"], status: 0,
                environment: ["PATH": "/nowhere"], within: 50)
            let report = try report(in: sandbox)
            #expect(report.schema == 2 && report.toolchain["kernel"]?.isEmpty == false)
            #expect(report.rows.map(\.name) == names.split(separator: ",").map(String.init))
            // `settle` takes longer than its limit, which the harness's own waiting is no part of.
            #expect(
                report.rows.map(\.word) == [
                    "holds", "holds", "deadlocks", "traps", "not tried", "holds", "not tried",
                ])
            // A child that traps ends by its signal at once: no backtracer holds it, or has the last word.
            #expect(report.rows[3].detail.contains("Fatal error: Duplicate values for key"), "\(report.rows[3])")
            #expect(report.rows[3].detail.contains(": file NativeDictionary.swift, line "))
            #expect(report.rows[6].detail.contains("no swiftc on PATH"))
            let csv = try String(contentsOfFile: sandbox.work + "/seen/behaviours.csv", encoding: .utf8)
            #expect(csv == ended.output)
            let files = try FileManager.default.contentsOfDirectory(atPath: sandbox.work + "/seen").sorted()
            #expect(files == ["behaviours.csv", "behaviours.html", "behaviours.json", "behaviours.md"])
            #expect(try await ProcessTable.remaining(in: sandbox) == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
            try await expectVerdicts(against: report, in: sandbox)
        }

        /// As it was, otherwise, and where the expectation knows nothing of it; what is there is not overwritten.
        private func expectVerdicts(against report: Report, in sandbox: Sandbox) async throws {
            var other = report
            other.rows[0].word = "broken"
            try sandbox.write(String(decoding: JSONEncoder().encode(other), as: UTF8.self), to: "other.json")
            for (words, status, said) in [
                (["redirects", "--expect", "seen/behaviours.json"], Int32(0), ""),
                (["redirects", "--expect", "other.json"], 1, "redirects: was broken, is holds now (better)"),
                (["retry", "--expect", "other.json"], 2, "retry: not in the expectation"),
                (["redirects", "--output", "seen"], 64, "behaviours.md already exists"),
            ] {
                let ended = try await sandbox.fetchbench(["behaviours", "--only"] + words)
                #expect(
                    ended.status == status && (said.isEmpty || ended.complaint.contains(said)), "\(ended.complaint)")
            }
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
    }

    @Suite struct BugReport {
        private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/swiftc")
        }

        @Test(.enabled(if: compiler == true)) func reportOnAFaultHasAProgramThatShowsIt() async throws {
            let sandbox = try Sandbox("report")
            let ended = try await sandbox.fetchbench(
                "behaviours", "--report", "caches", "--output", "out", status: 0, within: 120)
            // A toolchain that keeps the promise has nothing to report.
            guard !ended.complaint.contains("nothing to report") else { return }
            let text = try String(contentsOfFile: sandbox.work + "/out/report-caches.md", encoding: .utf8)
            #expect(text.contains("It exited with status 1") && text.contains("expected: the response is stored"))
            #expect(!text.contains(sandbox.temporary) && !text.contains("127.0.0.1:8080/"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary).isEmpty)
        }
    }
}
