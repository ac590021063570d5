// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

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
