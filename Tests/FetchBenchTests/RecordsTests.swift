// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndToEnd {
    /// Records that are decoded of what was fetched.
    @Suite struct Records {
        private func rows(_ sandbox: Sandbox, _ arguments: [String], status: Int32) async throws -> [CSVTable.Row] {
            let ended = try await sandbox.fetchbench(["run", "--trials", "1"] + arguments)
            #expect(ended.status == status, "\(ended.complaint)")
            return try sandbox.onlyRun().table("trials.csv").rows.filter { $0["mode"] != "none" }
        }

        @Test func everyModeDecodesTheRecordsOfADocument() async throws {
            let sandbox = try Sandbox("records")
            let modes = ["data", "download", "stream", "raw", "ahc-collect", "publisher-data"]
            let rows = try await rows(
                sandbox,
                ["--asset", "json-1MiB", "--mode", modes.joined(separator: ","), "--render", "none,json"], status: 0)
            #expect(rows.count == 2 * modes.count)
            for row in rows {
                let name = row["case"] ?? ""
                #expect(row["outcome"] == "completed", "\(name): \(row["outcome_detail"] ?? "")")
                #expect(row["body_sha256"]?.count == 64)
                guard row["render"] == "json" else {
                    #expect(row["decoded_records"]?.isEmpty == true)
                    continue
                }
                // 128 bytes each, between the brackets.
                #expect(try row.number("decoded_records") == 8191)
                // 56 bytes a record, its title and its tags: more than the body of 128.
                #expect(try row.number("render_peak_anonymous_growth_bytes") > 1_048_576, "\(name)")
            }
        }
    }
}
