// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// The embedded origin answers later.
    @Suite struct Latency {
        /// curl's own clock is the judge: between its connection and the first byte lies the whole latency.
        ///
        /// Its `time_pretransfer` would not do, because it is taken after the request was sent.
        @Test func eachAnswerBeginsLater() async throws {
            let sandbox = try Sandbox("latency")
            let origin = try await ServeProcess(sandbox, "--latency", "300ms", "--rate", "unlimited")
            let format = "%{time_connect} %{time_starttransfer}\\n"
            let url = origin.url + "/bytes/1KiB"
            let ended = try await sandbox.tool(
                "curl", "-q", "-sS", "--noproxy", "*", "-w", format, "-o", "one", "-o", "two", url, url)
            let waits = ended.output.split(separator: "\n").map { line in
                let times = line.split(separator: " ").compactMap { Double($0) }
                return times.count == 2 ? times[1] - times[0] : 0
            }
            #expect(waits.count == 2 && waits.allSatisfy { $0 >= 0.3 }, "\(ended.output)")
        }

        @Test func aRunIsMeasuredUnderIt() async throws {
            let sandbox = try Sandbox("paced")
            try sandbox.write(
                "assets: [16KiB]\nmodes: [raw]\nrenders: [none]\ntrials: 1\nprofile: lte\n", to: "lte.yml")
            let ended = try await sandbox.fetchbench("run", "--suite", "lte.yml")
            #expect(ended.status == 0, "\(ended.complaint)")
            let run = try sandbox.onlyRun()
            let row = try #require(try run.table("trials.csv").rows.first { $0["mode"] == "raw" })
            #expect(try row.number("fetch_duration_ns") >= 70_000_000)
            let settings = try #require(try PlanOfRun(run).settings)
            #expect(settings["latency_ns"] as? Int == 70_000_000)
            let report = try run.text(of: "report.md")
            #expect(report.contains(" --latency 70ms ") && report.contains(" after 70ms"), "\(report.suffix(1500))")
        }
    }
}
