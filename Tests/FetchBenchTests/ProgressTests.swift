// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    struct ProgressTests {
        /// A trial of a second and more, so that many intervals pass in it.
        private static let slow = [
            "run", "--asset", "256KiB", "--mode", "raw", "--render", "none", "--trials", "1", "--rate", "128KiB",
        ]
        private static let often = ["FETCHBENCH_PROGRESS_SECONDS": "0.1"]

        @Test func aLogShowsTheCaseThatIsMeasured() async throws {
            let sandbox = try Sandbox("progress")
            let ended = try await sandbox.fetchbench(Self.slow, environment: Self.often)
            #expect(ended.status == 0)
            let lines = ended.complaint.split(separator: "\n").filter { $0.contains(" elapsed") }
            #expect(lines.count { $0.hasPrefix("fetchbench: [") && $0.contains("/2] 256KiB/raw/none/glibc, 0:0") } > 1)
            #expect(!ended.complaint.contains("\r") && !ended.output.contains("elapsed"))
        }

        @Test func aLogAnnouncesLongWorkAfterASecond() async throws {
            let sandbox = try Sandbox("progress-announced")
            let ended = try await sandbox.fetchbench(Self.slow)
            #expect(ended.status == 0)
            let lines = ended.complaint.split(separator: "\n").filter { $0.contains(" elapsed") }
            // The next line would follow after half a minute.
            #expect(lines.count == 1 && lines[0].hasPrefix("fetchbench: "), "\(ended.complaint)")
        }

        @Test(arguments: ["--quiet", "--no-progress"])
        func noProgressIsShownOnRequest(flag: String) async throws {
            let sandbox = try Sandbox("progress-silent")
            let ended = try await sandbox.fetchbench(Self.slow + [flag], environment: Self.often)
            #expect(ended.status == 0)
            #expect(!ended.complaint.contains("elapsed"))
        }

        @Test(arguments: ["soon", "0", "-1", "nan"])
        func anInvalidIntervalIsReported(text: String) async throws {
            let sandbox = try Sandbox("progress-nonsense")
            let ended = try await sandbox.fetchbench(
                ["run", "--asset", "4KiB", "--mode", "raw", "--render", "none", "--trials", "1"],
                environment: ["FETCHBENCH_PROGRESS_SECONDS": text])
            #expect(ended.status == 0)
            #expect(ended.complaint.contains("warning: invalid FETCHBENCH_PROGRESS_SECONDS"))
            // On a busy machine it may take more than the second after which long work is announced.
            #expect(ended.complaint.split(separator: "\n").count { $0.contains(" elapsed") } <= 1)
        }
    }
}
