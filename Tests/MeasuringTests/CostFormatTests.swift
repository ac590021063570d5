// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measuring
import Reports
import Runs
import Testing

/// Costs as they are shown: pure functions of what was measured.
@Suite struct CostFormatTests {
    private func trial(_ number: Int, hides: Bool = false, loadsSwift: Bool = true) -> CostTable.Trial {
        func inventory(_ resident: Int, threads: Int) -> ProcessInventory {
            let names = loadsSwift ? ["/opt/lib/libswiftCore.so", "/lib/libc.so.6"] : ["/lib/libc.so.6"]
            return ProcessInventory(
                resident: .mebibytes(resident), anonymous: .mebibytes(1),
                privateFile: hides ? nil : .mebibytes(2), sharedFile: hides ? nil : .mebibytes(resident - 3),
                threads: threads, descriptors: 4,
                libraries: hides ? nil : names.map { LoadedLibrary(path: $0, fileSize: .mebibytes(8)) })
        }
        return CostTable.Trial(
            spawnedNanoseconds: 1_000_000,
            start: CostReading(timeNanoseconds: 4_000_000 + number, inventory: inventory(10 + number, threads: 1)),
            fetched: CostReading(timeNanoseconds: 9_000_000, inventory: inventory(20 + number, threads: 5)))
    }

    private func drawn(_ format: String, _ table: CostTable) throws -> String {
        let renderer = try #require(Formats.ofCosts.first { $0.name == format })
        return try renderer.text(of: table)
    }

    private func row(_ name: String, _ linkage: CostTable.Linkage, _ trials: [CostTable.Trial]) -> CostRow {
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
        row.failure = FetchBenchError("no, \"never\"\u{7}")
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

    @Test func hiddenFiguresAreAbsentAndNotZero() throws {
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

    @Test func loadedLibrariesShowHowAProgramIsBuilt() throws {
        let doubtful = table(
            [
                row("a", .static, [trial(0)]), row("b", .static, [trial(0, loadsSwift: false)]),
                row("c", .dynamic, [trial(0, loadsSwift: false)]), row("d", .static, [trial(0, hides: true)]),
            ], trials: 1)
        #expect(doubtful.rows.map(\.linkage) == [.dynamic, .static, .static, .static])
        #expect(doubtful.doubts.count == 1 && doubtful.doubts[0].hasPrefix("a "))
    }

    @Test func theJSONHoldsTheSpread() throws {
        let text = try drawn("json", table([row("trial-raw", .dynamic, [trial(0), trial(5), trial(1)]), failed]))
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["schema"] as? Int == 1 && object["seed"] as? Int == 7)
        let programs = try #require(object["programs"] as? [[String: Any]])
        let figures = try #require(programs[0]["figures"] as? [String: [String: Any]])
        #expect(Set(figures.keys) == Set(CostTable.Figure.all.map(\.name)))
        let resident = try #require(figures["start_resident_bytes"])
        #expect(resident["min"] as? Int == 10 << 20 && resident["max"] as? Int == 15 << 20)
        #expect(resident["median"] as? Int == 11 << 20 && resident["mad"] as? Int == 1 << 20)
        #expect(programs[0]["libraries"] as? [String] == ["libc.so.6", "libswiftCore.so"], "no folder of the machine")
        #expect((programs[1]["failure"] as? String)?.hasPrefix("no, ") == true)
    }
}

@Suite struct CostAnswerTests {
    private static let body = ByteCount.kibibytes(1)

    private func report(at start: Int = 2000, fetchedAt fetched: Int = 3000, body: ByteCount? = body) -> CostReport {
        let inventory = ProcessInventory(resident: ByteCount(4096), anonymous: .zero, threads: 1)
        var report = CostReport(start: CostReading(timeNanoseconds: start, inventory: inventory))
        report.fetched = CostReading(timeNanoseconds: fetched, inventory: inventory)
        report.body = body
        return report
    }

    private func answer(_ report: CostReport) throws -> CostRunner.Answer {
        CostRunner.Answer(spawnedNanoseconds: 1000, output: Array(try JSONEncoder().encode(report)))
    }

    @Test func aGoodAnswerIsATrial() throws {
        let report = report()
        let trial = try answer(report).trial(fetching: Self.body)
        #expect(
            trial
                == CostTable.Trial(spawnedNanoseconds: 1000, start: report.start, fetched: try #require(report.fetched))
        )
    }

    @Test func failedEndingsAreReported() throws {
        var answer = try answer(report())
        answer.timeoutSeconds = 1.5
        answer.ending = .killedAtLimit
        #expect(throws: FetchBenchError("no answer within 1.5 s: killed")) { try answer.trial(fetching: Self.body) }
        answer.ending = .signalled(11)
        #expect(throws: FetchBenchError("ended by a signal: Segmentation fault")) {
            try answer.trial(fetching: Self.body)
        }
    }

    @Test func anOlderProgramIsCalledOld() {
        let words = "error: it takes no argument but --describe; `fetchbench run` starts trials"
        let older = CostRunner.Answer(spawnedNanoseconds: 1, ending: .exited(64), output: [], complaint: words)
        let error = #expect(throws: FetchBenchError.self) { try older.trial(fetching: Self.body) }
        #expect(error?.message.contains("too old for `fetchbench costs`") == true)
        #expect(error?.message.contains("status 64") == true)
        let other = CostRunner.Answer(spawnedNanoseconds: 1, ending: .exited(64), output: [], complaint: "error: no")
        #expect(throws: FetchBenchError("exited with status 64 (error: no)")) { try other.trial(fetching: Self.body) }
    }

    @Test func invalidCostReportsAreRefused() throws {
        for text in ["", "{}", "[]", "{\"version\":1}", "not JSON", "\u{FEFF}{}"] {
            let answer = CostRunner.Answer(spawnedNanoseconds: 1, output: Array(text.utf8), complaint: "words")
            let failure = try #require(throws: FetchBenchError.self) { try answer.trial(fetching: Self.body) }
            #expect(failure.message.hasSuffix(" (words)"))
        }
    }

    @Test(arguments: [
        ("version", "2", "version"), ("start.inventory.resident_bytes", "-1", "start.inventory.resident_bytes"),
        ("fetched.inventory.threads", "-3", "fetched.inventory.threads"),
        ("fetched.inventory.threads", "0", "fetched.inventory.threads"),
        ("fetched.inventory.resident_bytes", "4611686018427387904", "fetched.inventory.resident_bytes"),
        ("start.inventory.anonymous_bytes", "4611686018427387904", "start.inventory.anonymous_bytes"),
        ("start.inventory.descriptors", "-1", "start.inventory.descriptors"),
        ("fetched", "", "fetched"), ("fetched", "null", "fetched"), ("start.time_ns", "5", "start.time_ns"),
        ("fetched.time_ns", "1999", "fetched.time_ns"), ("body_bytes", "-1024", "body_bytes"),
    ])
    func impossibleFiguresOfAProcessAreRefused(path: String, value: String, field: String) throws {
        let text = try MutatedJSON.text(of: try JSONEncoder().encode(report()), setting: path, to: value)
        let answer = CostRunner.Answer(spawnedNanoseconds: 1000, output: Array(text.utf8))
        let failure = try #require(throws: FetchBenchError.self) { try answer.trial(fetching: Self.body) }
        #expect(failure.message.contains(" \(field) "), "\(failure.message)")
    }

    @Test func anotherBodyIsRefused() throws {
        let shorter = try answer(report(body: ByteCount(1000)))
        #expect(throws: FetchBenchError("it fetched 1000B instead of 1KiB")) { try shorter.trial(fetching: Self.body) }
        let none = try answer(report(body: nil))
        #expect(throws: FetchBenchError("it fetched nothing instead of 1KiB")) { try none.trial(fetching: Self.body) }
        var failed = report()
        failed.fetched = nil
        failed.failure = CostReport.Failure(code: "http_status", detail: "status 404")
        let answer = try answer(failed)
        #expect(throws: FetchBenchError("the fetch failed: http_status: status 404")) {
            try answer.trial(fetching: Self.body)
        }
    }
}

/// In which mode a program fetches its first 1 KiB.
@Suite struct CostSubjectTests {
    private func mode(of modes: FakeMode...) -> String? {
        let description = ProgramDescription(
            modes: modes, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc"))
        return CostRunner.Subject(TrialExecutable(path: "/trial", description: description), linkage: .dynamic).mode?
            .name
    }

    private let none = FakeMode(name: "none", abilities: [.concurrency])
    private let sync = FakeMode(name: "sync", abilities: [.concurrency, .gzip])
    private let data = FakeMode(name: "data", abilities: [.concurrency, .connectionLimit])

    @Test func theFirstThatBlocksNothingIsTaken() {
        let other = FakeMode(name: "other", abilities: [.concurrency, .cancellation])
        #expect(mode(of: none, sync, data, other) == "data")
    }

    @Test func theSizeOfItsFileIsKnownWhereItIsThere() throws {
        let description = ProgramDescription(
            modes: FakeMode.all, renderModels: FakeModel.all, allocator: AllocatorIdentity(name: "glibc"))
        let size = { (path: String) in
            CostRow(CostRunner.Subject(TrialExecutable(path: path, description: description), linkage: .dynamic)).binary
        }
        try withTemporaryFolder { folder in
            try Data(repeating: 1, count: 4_097).write(to: URL(fileURLWithPath: folder + "/trial"))
            #expect(size(folder + "/trial") == ByteCount(4_097))
            #expect(size(folder + "/none") == nil, "absent is no zero")
        }
    }

    @Test func theFirstIsTakenWhereAllBlock() {
        #expect(mode(of: none, sync, FakeMode(name: "raw")) == "sync")
    }

    @Test func modesWithoutTextOverHTTPAreNotChosen() {
        let secure = FakeMode(name: "secure", schemes: ["https"], abilities: [.concurrency])
        let upload = FakeMode(name: "upload", abilities: [.concurrency], need: .sink)
        let text = FakeMode(name: "text", need: .text)
        #expect(mode(of: none, secure, upload, text) == "text")
        #expect(mode(of: none, secure, upload) == nil)
    }
}
