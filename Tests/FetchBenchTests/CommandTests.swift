// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

extension Conduct {
    /// The commands beside `run`.
    @Suite struct Commands {
        @Test func doctorSaysHowEverythingStands() async throws {
            let sandbox = try Sandbox("doctor")
            let ended = try await sandbox.fetchbench("doctor")
            let lines = ended.output.split(separator: "\n")
            for subject in [
                "peak reset", "plain readings", "PSS and USS", "error of the peak", "huge pages", "page cache",
                "files to fetch to", "socket memory", "build", "allocator glibc", "allocator glibc-pinned",
                "allocator jemalloc", "allocator jemalloc-tight",
            ] {
                let line = lines.first { $0.contains("  \(subject)  ") }
                #expect(line?.prefixMatch(of: /(ok|limited|missing) +/) != nil, "\(subject)")
            }
            #expect(ended.status == (lines.contains { $0.hasPrefix("missing") } ? 2 : 0))
            #expect(ended.complaint.isEmpty)
        }

        @Test func doctorSeesATemporaryFolderThatIsMemory() async throws {
            let sandbox = try Sandbox("memory")
            let ended = try await sandbox.fetchbench("doctor", environment: ["TMPDIR": "/dev/shm"])
            let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            let isMemory = mounts.contains(" /dev/shm tmpfs ")
            #expect(ended.output.contains(/limited +files to fetch to/) == isMemory)
        }

        @Test func listNamesWhatCanBeAskedFor() async throws {
            let sandbox = try Sandbox("list")
            let all = try await sandbox.fetchbench("list")
            #expect(all.status == 0)
            for topic in ["modes:", "renders:", "allocators:", "assets:", "suites:", "metrics:"] {
                #expect(all.output.contains(topic))
            }
            let modes = try await sandbox.fetchbench("list", "modes")
            let names = modes.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
            #expect(names.first == "none")
            #expect(Set(names).isSuperset(of: ["data", "download", "stream", "raw"]))
            #expect(!modes.output.contains("renders:"))
            let metrics = try await sandbox.fetchbench("list", "metrics")
            let lines = metrics.output.split(separator: "\n").dropFirst()
            let columns = lines.compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(columns.count > 30)
        }

        @Test func reportDrawsAStoredRunAgain() async throws {
            let sandbox = try Sandbox("again")
            let ended = try await sandbox.fetchbench(
                "run", "--asset", "64KiB", "--mode", "data,raw", "--render", "none", "--trials", "2")
            #expect(ended.status == 0)
            let run = try sandbox.onlyRun()
            let formats = [
                "csv": "trials.csv", "summary": "summary.csv", "markdown": "report.md", "html": "report.html",
            ]
            for (format, file) in formats {
                let report = try await sandbox.fetchbench("report", run.folder, "--format", format)
                #expect(report.status == 0)
                #expect(report.output == (try run.text(of: file)), "\(format) is not \(file)")
                #expect(report.complaint.isEmpty)
            }
            let document = try await sandbox.fetchbench("report", run.folder, "--format", "json")
            let trials = ",\n  \"trials\" : [\n    " + run.logLines().joined(separator: ",\n    ") + "\n  ]\n}\n"
            #expect(document.output == (try run.text(of: "run.json")).dropLast(3) + trials, "one document")
            let table = try await sandbox.fetchbench("report", run.folder)
            #expect(table.output == ended.output)
            let both = try await sandbox.fetchbench("report", run.folder, "--format", "summary,table")
            #expect(both.output == (try run.text(of: "summary.csv")) + ended.output)
        }
    }
}
