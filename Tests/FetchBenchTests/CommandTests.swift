// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension Conduct {
    @Suite struct Commands {
        @Test func doctorSaysHowEverythingStands() async throws {
            let sandbox = try Sandbox("doctor")
            let ended = try await sandbox.fetchbench(
                "doctor", environment: ["TMPDIR": "/dev/shm", "HOME": "/nonexistent", "XDG_CACHE_HOME": ""])
            let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            let isMemory = mounts.contains(" /dev/shm tmpfs ")
            #expect(ended.output.contains(/limited +files to fetch to/) == isMemory)
            #expect(ended.output.contains(/limited +cache of assets +HOME is not an existing folder/))
            let lines = ended.output.split(separator: "\n")
            for subject in [
                "peak reset", "plain readings", "PSS and USS", "error of the peak", "huge pages", "page cache",
                "files to fetch to", "build", "allocator glibc", "allocator glibc-pinned",
                "allocator jemalloc", "allocator jemalloc-tight",
            ] {
                let line = lines.first { $0.contains("  \(subject)  ") }
                #expect(line?.prefixMatch(of: /(ok|limited|missing) +/) != nil, "\(subject)")
            }
            #expect(ended.status == (lines.contains { $0.hasPrefix("missing") } ? 2 : 0))
            #expect(ended.complaint.isEmpty)
        }

        @Test func listNamesWhatCanBeAskedFor() async throws {
            let sandbox = try Sandbox("list")
            let topics = ["modes", "renders", "allocators", "assets", "suites", "metrics"]
            for (words, expected) in [([], topics), (["modes"], ["modes"]), (["metrics"], ["metrics"])] {
                let ended = try await sandbox.fetchbench(["list"] + words, status: 0)
                for topic in topics {
                    #expect(ended.output.contains(topic + ":\n") == expected.contains(topic), "\(words): \(topic)")
                }
                for mode in ["none", "data", "download", "stream", "raw"] where expected.contains("modes") {
                    #expect(ended.output.contains("\n  \(mode) "), "\(ended.output)")
                }
            }
        }

        @Test func reportDrawsAStoredRunAgain() async throws {
            let sandbox = try Sandbox("again")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "64KiB", "--mode", "data,raw", "--render", "none", "--trials", "2", status: 0)
            let run = try sandbox.onlyRun()
            let trials = ",\n  \"trials\" : [\n    " + run.logLines().joined(separator: ",\n    ") + "\n  ]\n}\n"
            let summary = try run.text(of: "summary.csv")
            for (format, text) in [
                ("csv", try run.text(of: "trials.csv")), ("markdown", try run.text(of: "report.md")),
                ("html", try run.text(of: "report.html")), ("summary,table", summary + ended.output),
                ("json", try run.text(of: "run.json").dropLast(3) + trials), ("junit", ""),
            ] {
                let report = try await sandbox.fetchbench("report", run.folder, "--format", format)
                #expect(report.output == text, "\(format)")
                // A run has no verdict.
                let isRefused = report.status == 2 && report.complaint.contains("it is a run")
                #expect(text.isEmpty ? isRefused : report.status == 0 && report.complaint.isEmpty)
            }
        }
    }
}
