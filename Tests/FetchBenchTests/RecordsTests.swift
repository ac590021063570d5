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

        @Test func picturesDecodedWithinTheFetchAreCountedAndVerified() async throws {
            let sandbox = try Sandbox("records-at-once")
            let rows = try await rows(
                sandbox,
                [
                    "--asset", "json-64KiB", "--mode", "data,download", "--render", "json", "--display",
                    "verified,at-once", "--concurrency", "3",
                ], status: 0)
            #expect(rows.count == 4)
            for row in rows {
                #expect(row["outcome"] == "completed", "\(row["outcome_detail"] ?? "")")
                #expect(try row.number("decoded_records") == 3 * 511)
            }
        }

        @Test func aDocumentWithoutRecordsFailsInRender() async throws {
            let sandbox = try Sandbox("no-records")
            let rows = try await rows(
                sandbox, ["--asset", "json-1B", "--mode", "raw", "--render", "json"], status: 2)
            #expect(rows.map { $0["outcome"] } == ["failed"])
            #expect(rows[0]["outcome_detail"]?.hasPrefix("render: not_records: the body cannot be decoded") == true)
        }

        @Test(arguments: [
            (["--asset", "hero", "--mode", "data", "--render", "json"], "decodes only JSON assets"),
            (
                ["--asset", "json-1MiB", "--mode", "data", "--render", "imageview"],
                "imageview renders only images"
            ),
            (["--asset", "json-1MiB", "--mode", "publisher-decode", "--render", "json"], "decodes records itself"),
        ])
        func undecodableAssetsAreRefusedBeforeAnyTrial(words: [String], reason: String) async throws {
            let sandbox = try Sandbox("refused-records")
            let ended = try await sandbox.fetchbench(["run"] + words)
            #expect(ended.status == 64)
            #expect(ended.complaint.contains(reason), "\(ended.complaint)")
            #expect(sandbox.runFolders().isEmpty)
        }
    }
}
