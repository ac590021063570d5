// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndToEnd {
    @Suite struct Records {
        @Test func everyModeDecodesTheRecordsOfADocument() async throws {
            let sandbox = try Sandbox("records")
            let modes = ["data", "download", "stream", "raw", "ahc-collect", "publisher-data"]
            let rows = try await sandbox.rows([
                "--asset", "json-1MiB", "--mode", modes.joined(separator: ","), "--render", "none,json",
            ])
            #expect(rows.count == 2 * modes.count)
            for row in rows {
                let name = row["case"] ?? ""
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
