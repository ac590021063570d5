// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndToEnd {
    @Suite struct Calibrate {
        /// One command that holds always the same, and one whose size is drawn anew each time.
        static let suite = """
            # The purpose of this suite.
            name: calibrated   # and what it is called
            assets: [64KiB]
            renders: [none]
            rate: unlimited
            trials: 1

            exec:
              # steady
              - "steady=\(SmallSuite.holding(8))"
              - 'noisy=sh -c "dd if=/dev/zero of=/dev/null count=1 bs=$(($(od -An -N1 -tu1 /dev/urandom) + 1))00K" {url}'

            """

        @Test func writesTheNoiseAndKeepsTheSuite() async throws {
            let sandbox = try Sandbox("calibrate")
            try sandbox.write(Self.suite, to: "suite.yml")
            let arguments = ["calibrate", "--suite", "suite.yml", "--write", "suite.yml", "--resamples", "200"]
            // The second time the noise of the first one is read, and replaced.
            for _ in 1...2 {
                let ended = try await sandbox.fetchbench(arguments + ["--pairs", "8"], status: 0, within: 150)
                let lines = ended.output.split(separator: "\n")
                let cases = ["64KiB/steady/none/glibc", "64KiB/noisy/none/glibc"]
                for cell in cases { #expect(lines.contains { $0.hasPrefix("• \(cell)") }, "\(ended.output)") }
                // Of each command two figures are judged.
                #expect(
                    lines.count { $0.contains(#/ \d+ of 200$/#) } == 2 * cases.count && ended.output.contains("n 16."))
                let advice = ended.output.replacing("\n  ", with: " ")
                #expect(advice.contains(/64KiB\/noisy.*need \d+ trials a side/))

                let written = try sandbox.text(of: "suite.yml")
                #expect(written.hasPrefix(Self.suite), "what people wrote stays as it was")
                let floor = try #require(
                    written.firstMatch(of: #/\n  "64KiB/noisy/none/glibc":\n    net_peak_growth_bytes: (\d+)B\n/#))
                #expect((Int(floor.1) ?? 0) > 500_000, "it holds up to 25 MB, drawn anew each time")
                #expect(written.split(separator: "\n").count { $0 == "noise:" } == 1)
            }
        }

        @Test func casesThatFailAreNoAnswer() async throws {
            let sandbox = try Sandbox("failing")
            let ended = try await sandbox.fetchbench(
                "calibrate", "--asset", "64KiB", "--exec", "broken=false {url}", "--pairs", "4", "--resamples", "100",
                status: 2)
            #expect(ended.complaint.contains("too few completed trials"))
        }
    }
}
