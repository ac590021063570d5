// SPDX-License-Identifier: Apache-2.0

import Foundation
import MemProbe
import Reports
import Runs
import Testing
import TrialKit

/// Costs as they are shown: pure functions of what was measured.
@Suite struct CostFormatTests {
    private func trial(_ number: Int, hides: Bool = false, loadsSwift: Bool = true) -> CostTrial {
        func inventory(_ resident: Int, threads: Int) -> ProcessInventory {
            let names = loadsSwift ? ["/opt/lib/libswiftCore.so", "/lib/libc.so.6"] : ["/lib/libc.so.6"]
            return ProcessInventory(
                resident: .mebibytes(resident), anonymous: .mebibytes(1),
                privateFile: hides ? nil : .mebibytes(2), sharedFile: hides ? nil : .mebibytes(resident - 3),
                threads: threads, descriptors: 4,
                libraries: hides ? nil : names.map { LoadedLibrary(path: $0, fileSize: .mebibytes(8)) })
        }
        return CostTrial(
            spawnedNanoseconds: 1_000_000,
            start: CostReading(timeNanoseconds: 4_000_000 + number, inventory: inventory(10 + number, threads: 1)),
            fetched: CostReading(timeNanoseconds: 9_000_000, inventory: inventory(20 + number, threads: 5)))
    }

    private func drawn(_ format: String, _ table: CostTable) throws -> String {
        let renderer = try #require(Formats.ofCosts.first { $0.name == format })
        return try renderer.text(of: table)
    }

    private func row(_ name: String, _ linkage: CostLinkage, _ trials: [CostTrial]) -> CostRow {
        var row = CostRow(name: name, linkage: linkage, mode: "raw", binary: .mebibytes(3))
        row.trials = trials
        return row
    }

    private func table(_ rows: [CostRow], trials: Int = 3) -> CostTable {
        CostTable(
            tool: "fetchbench 0", measuredAt: "2026-01-01T00:00:00Z", trials: trials, seed: 7,
            environment: EnvironmentProbe.environment(
                temporaryDirectory: "/tmp", commit: nil, hasUncommittedChanges: nil, label: nil), rows: rows)
    }

    private var failed: CostRow {
        var row = CostRow(name: "trial|bad\u{1B}[2J", linkage: .static, mode: nil, binary: nil)
        row.failure = CostFailure("no, \"never\"\u{7}")
        return row
    }

    @Test func mediansStandInTheirColumns() throws {
        let text = try drawn("csv", table([row("trial-raw", .dynamic, [trial(0), trial(5), trial(1)])]))
        let lines = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let values = Dictionary(uniqueKeysWithValues: zip(lines[0].map(String.init), lines[1].map(String.init)))
        #expect(values["program"] == "trial-raw" && values["linkage"] == "dynamic" && values["n"] == "3")
        #expect(values["start_duration_ns"] == "3000001")
        #expect(values["start_resident_bytes"] == "\(11 << 20)" && values["fetched_resident_bytes"] == "\(21 << 20)")
        #expect(values["start_threads"] == "1" && values["fetched_threads"] == "5")
        #expect(values["fetched_libraries"] == "2" && values["fetched_library_file_bytes"] == "\(16 << 20)")
        #expect(values["binary_bytes"] == "\(3 << 20)")
    }

    @Test func whatIsHiddenIsAbsentAndNoZero() throws {
        let hidden = table([row("trial-raw", .dynamic, [trial(0, hides: true)])], trials: 1)
        let csv = try drawn("csv", hidden).split(separator: "\n")[1]
            .split(separator: ",", omittingEmptySubsequences: false)
        #expect(csv.count { $0.isEmpty } == 1 + 8, "no failure, and four figures twice")
        let both = [row("trial-raw", .dynamic, [trial(0, hides: true)]), row("trial-curl", .dynamic, [trial(0)])]
        #expect(try drawn("table", table(both, trials: 1)).contains("–"))
    }

    @Test func theTableShowsBothReadings() throws {
        let text = try drawn("table", table([row("trial-raw", .dynamic, [trial(0), trial(1), trial(2)])]))
        #expect(
            text.contains("3.0 ± 0.0") && text.contains("11.0 → 21.0") && text.contains("1 → 5") && text.contains("3.0")
        )
        #expect(!text.contains("4 → 4"), "one figure where both are the same")
    }

    @Test func aProgramThatFailedIsShownAndHarmless() throws {
        let failing = table([failed, row("trial-raw", .dynamic, [trial(0), trial(1), trial(2)])])
        #expect(!failing.isComplete)
        for format in Formats.ofCosts {
            let text = try format.text(of: failing)
            #expect(text.contains("trial-raw") && text.contains("never"), "\(format.name)")
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(format.name)")
        }
        HostileText.expectWholeTables(try drawn("markdown", failing))
    }

    @Test func whatItLoadsTellsHowAProgramIsBuilt() throws {
        let doubtful = table(
            [
                row("a", .static, [trial(0)]), row("b", .static, [trial(0, loadsSwift: false)]),
                row("c", .dynamic, [trial(0, loadsSwift: false)]), row("d", .static, [trial(0, hides: true)]),
            ], trials: 1)
        #expect(doubtful.rows.map(\.linkage) == [.dynamic, .static, .static, .static])
        #expect(doubtful.doubts.count == 1 && doubtful.doubts[0].hasPrefix("a "))
    }

    @Test func theJSONHoldsTheSpread() throws {
        let text = try drawn(
            "json",
            table([row("trial-raw", .dynamic, [trial(0), trial(5), trial(1)]), failed]))
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["schema"] as? Int == 1 && object["seed"] as? Int == 7)
        let programs = try #require(object["programs"] as? [[String: Any]])
        let figures = try #require(programs[0]["figures"] as? [String: [String: Any]])
        #expect(Set(figures.keys) == Set(CostFigure.all.map(\.name)))
        let resident = try #require(figures["start_resident_bytes"])
        #expect(resident["min"] as? Int == 10 << 20 && resident["max"] as? Int == 15 << 20)
        #expect(resident["median"] as? Int == 11 << 20 && resident["mad"] as? Int == 1 << 20)
        #expect(programs[0]["libraries"] as? [String] == ["libc.so.6", "libswiftCore.so"], "no folder of the machine")
        #expect((programs[1]["failure"] as? String)?.hasPrefix("no, ") == true)
    }
}
