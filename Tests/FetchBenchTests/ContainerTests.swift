// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Testing

/// True if this process may make control groups, and so may the built command.
private let canLimit: Bool = {
    guard let place = try? ControlGroupPlace.here.get() else { return false }
    return (try? ControlGroupSession(in: place)) != nil
}()

extension EndToEnd {
    /// Trials in control groups of their own, with and without a limit.
    @Suite(.enabled(if: canLimit, "no control group can be made here")) struct Containers {
        /// The control groups that this process's own has below it.
        private func groups() throws -> Set<String> {
            let folder = try ControlGroupPlace.here.get().folder
            return Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("memprobe-") })
        }

        private func rows(_ sandbox: Sandbox) throws -> [[String: String]] {
            try sandbox.onlyRun(in: "stored").table("trials.csv").rows
        }

        private func bytes(_ row: [String: String], _ column: String) throws -> Double {
            try #require(row[column].flatMap(Double.init), "\(column): \(row)") / 1_048_576
        }

        @Test func aCommandIsChargedForTheFileThatItWrites() async throws {
            let sandbox = try Sandbox("charge")
            let ended = try await sandbox.fetchbench(
                "exec", "dd if=/dev/zero of=written bs=1M count=32", "dd if=/dev/zero of=/dev/null bs=32M count=1",
                "--trials", "1", "--output", "stored")
            #expect(ended.status == 0, "\(ended.complaint)")
            let rows = try rows(sandbox)
            let written = try #require(rows.first { $0["mode"]?.contains("written") == true })
            let held = try #require(rows.first { $0["mode"]?.contains("null") == true })
            #expect((32...37).contains(try bytes(written, "charged_peak_bytes")))
            #expect((31...34).contains(try bytes(written, "charged_page_cache_bytes")))
            #expect(try bytes(written, "charged_anonymous_bytes") < 2)
            #expect((32...37).contains(try bytes(held, "charged_peak_bytes")))
            #expect(try bytes(held, "charged_page_cache_bytes") < 2)
        }

        @Test func aModeIsChargedForWhatItFetches() async throws {
            let sandbox = try Sandbox("charge-mode")
            let ended = try await sandbox.fetchbench(
                "run", "--mode", "data,download", "--asset", "16MiB", "--trials", "1", "--allocator", "glibc",
                "--output", "stored")
            #expect(ended.status == 0, "\(ended.complaint)")
            let rows = try rows(sandbox)
            let data = try #require(rows.first { $0["mode"] == "data" })
            let download = try #require(rows.first { $0["mode"] == "download" })
            #expect((30...36).contains(try bytes(data, "charged_growth_bytes")))
            // The file is page cache.
            #expect((15...19).contains(try bytes(download, "charged_growth_bytes")))
            #expect((15...17).contains(try bytes(download, "charged_page_cache_bytes")))
            #expect(rows.first { $0["mode"] == "none" }?["charged_peak_bytes"] != "")
        }

        @Test func aKilledChildCountsEvenIfItsParentLives() async throws {
            let sandbox = try Sandbox("killed-child")
            let before = try groups()
            let ended = try await sandbox.fetchbench(
                "exec", "dd if=/dev/zero of=/dev/null bs=64M count=1; true", "true", "--trials", "1",
                "--container-limit", "24MiB", "--output", "stored")
            #expect(ended.status == 2, "\(ended.output)")
            let rows = try rows(sandbox)
            let killed = try #require(rows.first { $0["mode"]?.contains("dd") == true })
            #expect(killed["outcome"] == "killed_by_limit" && killed["outcome_detail"]?.contains("(dd)") == true)
            #expect(rows.first { $0["mode"] == "true" }?["outcome"] == "completed")
            #expect(rows.allSatisfy { $0["container_limit_bytes"] == "25165824" })
            #expect(try groups().subtracting(before).isEmpty)
        }

        @Test func aLimitIsADimension() async throws {
            let sandbox = try Sandbox("limits")
            let ended = try await sandbox.fetchbench(
                "run", "--mode", "data,stream", "--asset", "32MiB", "--trials", "1", "--allocator", "glibc",
                "--container-limit", "none,40MiB", "--output", "stored")
            #expect(ended.status == 2 && ended.complaint.contains("killed_by_limit"), "\(ended.complaint)")
            let outcomes = try Dictionary(uniqueKeysWithValues: rows(sandbox).map { ($0["case"] ?? "", $0["outcome"]) })
            #expect(outcomes["32MiB/data/none/glibc"] == "completed")
            #expect(outcomes["32MiB/data/none/glibc/limit=40MiB"] == "killed_by_limit")
            #expect(outcomes["32MiB/stream/none/glibc/limit=40MiB"] == "completed")
        }

        @Test func aRunUnderALimitIsRepeatedByItsCommand() async throws {
            let sandbox = try Sandbox("limit-again")
            let ended = try await sandbox.fetchbench(
                "exec", "true", "--trials", "1", "--container-limit", "64MiB", "--output", "stored")
            #expect(ended.status == 0, "\(ended.complaint)")
            let report = try sandbox.onlyRun(in: "stored").text(of: "report.md")
            #expect(report.contains("--container-limit 64MiB"))
        }

        @Test func aBudgetLimitsTheCharge() async throws {
            let sandbox = try Sandbox("charge-budget")
            for (size, status) in [("64MiB", Int32(0)), ("16MiB", 1)] {
                let ended = try await sandbox.fetchbench(
                    "run", "--exec", "d=dd if=/dev/zero of=/dev/null bs=32M count=1", "--trials", "1", "--budget",
                    "d: charged_peak <= \(size)")
                #expect(ended.status == status, "\(ended.complaint)")
            }
        }

        @Test(arguments: ["0", "64", "512KiB", "64MB", "9000TiB", ""])
        func anImpossibleLimitIsRefused(limit: String) async throws {
            let sandbox = try Sandbox("bad-limit")
            let ended = try await sandbox.fetchbench("exec", "true", "--container-limit", limit)
            #expect(ended.status == 64 && ended.complaint.contains("--container-limit"), "\(ended.complaint)")
        }
    }
}
