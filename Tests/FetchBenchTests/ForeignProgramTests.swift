// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEnd {
    /// A trial program in another language, which knows nothing of this project but what is written of the protocol.
    @Suite struct ForeignPrograms {
        private static let example = BuiltBinary.package + "/Examples/protocol-in-python/trial_program.py"

        @Test func itIsListedAndMeasured() async throws {
            let sandbox = try Sandbox("python")
            let list = try await sandbox.fetchbench("list", "modes", "--program", Self.example)
            #expect(list.status == 0 && list.output.contains("python-read"), "\(list.complaint)")
            #expect(list.output.contains("(trial_program.py)"))
            _ = try await sandbox.rows(["--program", Self.example, "--asset", "8MiB", "--trials", "2"])
            let run = try sandbox.onlyRun()
            #expect(try run.rows(ofMode: "data").isEmpty, "who names a program wants its modes")
            // Pythons with the fix of CVE-2025-13836 double a buffer while they read: 8 MiB and the last piece of 4 MiB.
            // A trial program has no PATH, so its `env` may find another Python than this process would.
            let source = "import http.client as h; print(hasattr(h, '_MIN_READ_BUF_SIZE'))"
            let reads =
                try await sandbox.tool("env", "-i", "python3", "-c", source).output.hasPrefix("True")
                ? 1.4...1.6 : 0.95...1.2
            for (mode, copies) in [("none", -1...0.0), ("python-read", reads), ("python-stream", -0.01...0.05)] {
                let rows = try run.rows(ofMode: mode)
                #expect(rows.map { $0["outcome"] } == ["completed", "completed"], "\(mode)")
                for row in rows where mode != "none" {
                    let held = try row.number("copies_held_ratio")
                    #expect(copies.contains(held), "\(mode) holds \(held)")
                    #expect(row["body_bytes"] == "8388608")
                }
            }
        }
    }
}
